//! Memory of a file that another process writes to, as a buffer that the device copies out of.

use crate::device::gpu::Gpu;
use afterimage_ipc::SlotMemory;
use ash::vk;
use std::sync::Arc;

const KIND: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::HOST_ALLOCATION_EXT;

/// A slot that the device knows. The slot goes last.
pub(crate) struct Imported {
    gpu: Arc<Gpu>,
    pub(crate) raw: vk::Buffer,
    memory: vk::DeviceMemory,
    pub(crate) slot: SlotMemory,
}

impl Imported {
    /// Makes a slot known. Else gives it back, with what the driver says.
    pub(crate) fn new(gpu: &Arc<Gpu>, slot: SlotMemory) -> Result<Self, (SlotMemory, vk::Result)> {
        match buffer_of(gpu, &slot) {
            Ok((raw, memory)) => Ok(Self { gpu: Arc::clone(gpu), raw, memory, slot }),
            Err(error) => Err((slot, error)),
        }
    }
}

impl Drop for Imported {
    fn drop(&mut self) {
        // SAFETY: whoever drops it has waited for the GPU (see `submit::Submissions::retire`).
        unsafe {
            self.gpu.raw.destroy_buffer(self.raw, None);
            self.gpu.raw.free_memory(self.memory, None);
        }
    }
}

/// A buffer whose memory is the slot's.
fn buffer_of(gpu: &Gpu, slot: &SlotMemory) -> Result<(vk::Buffer, vk::DeviceMemory), vk::Result> {
    let (pointer, bytes) = (slot.pointer(), slot.bytes());
    let functions = gpu.host_memory.as_ref().ok_or(vk::Result::ERROR_EXTENSION_NOT_PRESENT)?;
    let aligned = [pointer.addr().get() as u64, bytes];
    let fits = aligned.iter().all(|number| number.is_multiple_of(gpu.profile.host_import));
    if !fits || !can_import(gpu) {
        return Err(vk::Result::ERROR_FORMAT_NOT_SUPPORTED);
    }
    let mut properties = vk::MemoryHostPointerPropertiesEXT::default();
    // SAFETY: the pointer is that of a mapping, which `slot` keeps.
    unsafe {
        (functions.fp().get_memory_host_pointer_properties_ext)(
            functions.device(),
            KIND,
            pointer.as_ptr().cast(),
            &mut properties,
        )
    }
    .result()?;
    let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(KIND);
    let info =
        vk::BufferCreateInfo::default().size(bytes).usage(vk::BufferUsageFlags::TRANSFER_SRC).push_next(&mut external);
    // SAFETY: the description is valid for any size above zero.
    let raw = unsafe { gpu.raw.create_buffer(&info, None)? };
    let bound = (|| {
        // SAFETY: the buffer was just made by this device.
        let needs = unsafe { gpu.raw.get_buffer_memory_requirements(raw) };
        let types = needs.memory_type_bits & properties.memory_type_bits;
        if types == 0 || needs.size > bytes {
            return Err(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE);
        }
        let mut import = vk::ImportMemoryHostPointerInfoEXT::default().handle_type(KIND);
        import.p_host_pointer = pointer.as_ptr().cast();
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(bytes)
            .memory_type_index(types.trailing_zeros())
            .push_next(&mut import);
        // SAFETY: pointer and size are multiples of what the device asks for, and stay mapped as long as the memory is there.
        let memory = unsafe { gpu.raw.allocate_memory(&info, None)? };
        // SAFETY: the memory is as large as the buffer asks for, and of a type that it takes.
        unsafe { gpu.raw.bind_buffer_memory(raw, memory, 0) }
            // SAFETY: nothing uses the memory.
            .inspect_err(|_| unsafe { gpu.raw.free_memory(memory, None) })
            .map(|()| memory)
    })();
    match bound {
        Ok(memory) => Ok((raw, memory)),
        Err(error) => {
            // SAFETY: nothing uses the buffer.
            unsafe { gpu.raw.destroy_buffer(raw, None) };
            Err(error)
        }
    }
}

/// Whether buffers to copy out of may be made of such memory.
fn can_import(gpu: &Gpu) -> bool {
    let info =
        vk::PhysicalDeviceExternalBufferInfo::default().usage(vk::BufferUsageFlags::TRANSFER_SRC).handle_type(KIND);
    let mut properties = vk::ExternalBufferProperties::default();
    // SAFETY: the physical device is the instance's.
    unsafe {
        gpu.instance.raw.get_physical_device_external_buffer_properties(gpu.physical, &info, &mut properties);
    }
    let features = properties.external_memory_properties.external_memory_features;
    features.contains(vk::ExternalMemoryFeatureFlags::IMPORTABLE)
        && !features.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY)
}
