//! Devices as they are created: what is asked of the driver in the program's place, and whose functions the program gets.

use crate::active::Active;
use crate::chain::Chain;
use crate::devices::Device;
use crate::functions::erased;
use crate::instance;
use crate::intercept;
use crate::loader::below_device;
use crate::offer::Offer;
use crate::record::Recording;
use ash::vk::{self, Handle as _, TaggedStructure as _};
use std::ffi::{CStr, c_char};
use std::sync::Arc;

const EXTENSION: &str = "VK_EXT_transform_feedback";
/// Extensions that are not there where the layer acts, as they would not be on a device without transform feedback: they extend it.
const HIDDEN: &[&CStr] = &[vk::EXT_PRIMITIVES_GENERATED_QUERY_NAME];

/// Whether an extension extends transform feedback.
pub(crate) fn extends(name: &CStr) -> bool {
    HIDDEN.contains(&name)
}

/// Whether a device's extension is kept from programs.
pub(crate) fn is_hidden(name: &CStr) -> bool {
    extends(name) || name == vk::EXT_TRANSFORM_FEEDBACK_NAME
}

/// The names of a device's extensions that the program asks for, without those that the layer answers for; and whether there were any.
///
/// # Safety
/// The structure is the program's, for vkCreateDevice.
unsafe fn names(info: &vk::DeviceCreateInfo<'_>) -> (Vec<*const c_char>, bool) {
    if info.pp_enabled_extension_names.is_null() {
        return (Vec::new(), false);
    }
    // SAFETY: as the caller says.
    let mut names = unsafe {
        std::slice::from_raw_parts(info.pp_enabled_extension_names, info.enabled_extension_count as usize).to_vec()
    };
    let before = names.len();
    // SAFETY: as the caller says.
    names.retain(|name| unsafe { CStr::from_ptr(*name) } != vk::EXT_TRANSFORM_FEEDBACK_NAME);
    let asked = names.len() < before;
    (names, asked)
}

/// Turns on in a chain what lowered shaders need, and takes the extension's own out of it.
fn adapt(chain: &mut Chain, offer: &Offer) {
    chain.remove(vk::PhysicalDeviceTransformFeedbackFeaturesEXT::STRUCTURE_TYPE);
    if let Some(provoking) = chain.get::<vk::PhysicalDeviceProvokingVertexFeaturesEXT<'_>>() {
        provoking.transform_feedback_preserves_provoking_vertex = vk::FALSE;
    }
    if let Some(features) = chain.get::<vk::PhysicalDeviceFeatures2<'_>>() {
        features.features.draw_indirect_first_instance |= vk::Bool32::from(offer.first_instance);
    }
    if let Some(features) = chain.get::<vk::PhysicalDeviceVulkan12Features<'_>>() {
        features.buffer_device_address = vk::TRUE;
    } else if let Some(features) = chain.get::<vk::PhysicalDeviceBufferDeviceAddressFeatures<'_>>() {
        features.buffer_device_address = vk::TRUE;
    } else if let Some(features) = chain.get::<vk::PhysicalDeviceBufferDeviceAddressFeaturesEXT<'_>>() {
        features.buffer_device_address = vk::TRUE;
    } else {
        chain.push(&vk::PhysicalDeviceBufferDeviceAddressFeatures::default().buffer_device_address(true));
    }
}

pub(crate) unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    // SAFETY: the loader's and the program's arguments are as the specification of vkCreateDevice has them.
    unsafe {
        let info = &*info;
        let Some(creates) = instance::creates(physical) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some((link, create)) = below_device(creates.instance, info) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let next = link.get_device_proc_addr;
        let (names, asked) = names(info);
        let Some((offer, memory)) = creates.offer.filter(|_| asked) else {
            let result = create(physical, info, allocator, device);
            if result == vk::Result::SUCCESS {
                Device { handle: *device, next, active: None }.keep();
            }
            return result;
        };
        let mut chain = Chain::copy(info.p_next);
        adapt(&mut chain, &offer);
        // Features are in the chain, or here, or there are none.
        let mut features = info.p_enabled_features.as_ref().copied().unwrap_or_default();
        features.draw_indirect_first_instance |= vk::Bool32::from(offer.first_instance);
        let apart = chain.get::<vk::PhysicalDeviceFeatures2<'_>>().is_none();
        let changed = vk::DeviceCreateInfo {
            p_next: chain.head(),
            enabled_extension_count: names.len() as u32,
            pp_enabled_extension_names: names.as_ptr(),
            p_enabled_features: if apart { &features } else { std::ptr::null() },
            ..*info
        };
        let result = create(physical, &changed, allocator, device);
        if result != vk::Result::SUCCESS {
            return result;
        }
        let handle = *device;
        let known = Device { handle, next, active: None };
        let Some(active) = Active::new(handle, offer, memory, &|name| known.next(name)) else {
            tracing::error!("a device with {EXTENSION} is not created: a function of Vulkan 1.3 is missing");
            if let Some(destroy) = known.next(c"vkDestroyDevice") {
                let destroy = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkDestroyDevice>(destroy);
                destroy(handle, allocator);
            }
            *device = vk::Device::null();
            return vk::Result::ERROR_EXTENSION_NOT_PRESENT;
        };
        Device { active: Some(Arc::new(active)), ..known }.keep();
        result
    }
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if device.is_null() {
        return;
    }
    // SAFETY: the handle is valid, and the program uses neither it nor what belongs to it any more.
    unsafe {
        let Some(known) = Device::forget(device) else { return };
        if let Some(active) = &known.active {
            // What the program has not destroyed.
            active.pools.drain().into_iter().flatten().for_each(|buffer| Recording::remove(buffer));
            active.destroy();
        }
        if let Some(destroy) = known.next(c"vkDestroyDevice") {
            let destroy = std::mem::transmute::<unsafe extern "system" fn(), vk::PFN_vkDestroyDevice>(destroy);
            destroy(device, allocator);
        }
    }
}

/// A function that the layer answers, whichever device it is of.
pub(crate) fn of_any(name: &CStr) -> Option<*const ()> {
    const OF_ANY: &[(&CStr, *const ())] = &[
        (c"vkGetDeviceProcAddr", get_device_proc_addr as *const ()),
        (c"vkDestroyDevice", destroy_device as *const ()),
    ];
    OF_ANY.iter().find(|row| row.0 == name).map(|row| row.1)
}

/// The layer's `vkGetDeviceProcAddr`.
pub(crate) unsafe extern "system" fn get_device_proc_addr(
    device: vk::Device,
    name: *const c_char,
) -> vk::PFN_vkVoidFunction {
    // SAFETY: the handle is valid, and the name is a string.
    unsafe {
        let name = CStr::from_ptr(name);
        let known = Device::of(device.as_raw())?;
        if let Some(found) = of_any(name) {
            return erased(found);
        }
        let next = known.next(name);
        if known.active.is_none() {
            return next;
        }
        match intercept::answer(name) {
            // A twin is there where the driver has it.
            Some(found) if next.is_some() || intercept::is_own(name) => erased(found),
            _ => next,
        }
    }
}
