//! Devices by handle.

use crate::active::Active;
use crate::functions::key;
use crate::handles::Handles;
use ash::vk::{self, Handle as _};
use std::ffi::CStr;
use std::sync::Arc;

static DEVICES: Handles<Device> = Handles::new();

/// Frees what is kept to find devices, when there are none.
pub(crate) fn release() {
    DEVICES.release(|| {});
}

/// A device.
pub(crate) struct Device {
    pub(crate) handle: vk::Device,
    pub(crate) next: vk::PFN_vkGetDeviceProcAddr,
    /// There if the program has asked for the extension, and the layer answers for it.
    pub(crate) active: Option<Arc<Active>>,
}

impl Device {
    /// The device of a handle of it, of a queue or of a command buffer.
    ///
    /// # Safety
    /// The handle is valid, and stays so as long as the reference is used.
    pub(crate) unsafe fn of<'a>(handle: u64) -> Option<&'a Self> {
        // SAFETY: as the caller says.
        unsafe { DEVICES.get(key(handle)) }
    }

    /// What is kept of a device whose program uses the extension.
    ///
    /// # Safety
    /// As for [`Device::of`].
    pub(crate) unsafe fn active<'a>(device: vk::Device) -> Option<&'a Arc<Active>> {
        // SAFETY: as the caller says.
        unsafe { Self::of(device.as_raw())?.active.as_ref() }
    }

    /// A function of what stands below.
    pub(crate) fn next(&self, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: the device is alive as long as it is known.
        unsafe { (self.next)(self.handle, name.as_ptr()) }
    }

    /// A function of what stands below the device of a handle.
    ///
    /// # Safety
    /// As for [`Device::of`].
    pub(crate) unsafe fn next_of(handle: u64, name: &CStr) -> vk::PFN_vkVoidFunction {
        // SAFETY: as the caller says.
        unsafe { Self::of(handle) }?.next(name)
    }

    /// Keeps it.
    ///
    /// # Safety
    /// The handle is valid.
    pub(crate) unsafe fn keep(self) {
        // SAFETY: as the caller says.
        DEVICES.insert(unsafe { key(self.handle.as_raw()) }, self);
    }

    /// Forgets a device.
    ///
    /// # Safety
    /// The handle is valid, and nothing of it is used any more.
    pub(crate) unsafe fn forget(device: vk::Device) -> Option<Box<Self>> {
        // SAFETY: as the caller says.
        DEVICES.remove(unsafe { key(device.as_raw()) })
    }
}
