//! Buffers: lowered shaders reach them by address.

use crate::below::Below;
use ash::vk::{self, BufferUsageFlags as Usage};

/// What the layer knows of a buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Buffer {
    pub(crate) handle: vk::Buffer,
    pub(crate) size: u64,
}

/// Usages that only the extension has.
const OWN: Usage = Usage::from_raw(
    Usage::TRANSFORM_FEEDBACK_BUFFER_EXT.as_raw() | Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT.as_raw(),
);

/// Usages of buffers that captures read or write.
const REACHED: Usage = Usage::from_raw(
    OWN.as_raw() | Usage::VERTEX_BUFFER.as_raw() | Usage::INDEX_BUFFER.as_raw() | Usage::INDIRECT_BUFFER.as_raw(),
);

/// The usage that the driver is asked for in place of a program's.
pub(crate) fn usage(asked: Usage) -> Usage {
    let mut usage = asked & !OWN;
    if asked.intersects(REACHED) {
        usage |= Usage::SHADER_DEVICE_ADDRESS;
    }
    if asked.contains(Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT) {
        usage |= Usage::TRANSFER_SRC | Usage::TRANSFER_DST;
    }
    usage
}

/// Likewise of a usage of 64 bits, whose lower half is the same.
pub(crate) fn usage2(asked: vk::BufferUsageFlags2KHR) -> vk::BufferUsageFlags2KHR {
    let (high, low) = (asked.as_raw() & !0xffff_ffff, asked.as_raw() as u32);
    vk::BufferUsageFlags2KHR::from_raw(high | u64::from(usage(Usage::from_raw(low)).as_raw()))
}

impl Buffer {
    /// The device address of a byte, and how many bytes there are from there on, at most as many as are asked for.
    ///
    /// # Safety
    /// The buffer is alive and has memory.
    pub(crate) unsafe fn range(&self, below: &Below, offset: u64, size: u64) -> (u64, u32) {
        let info = vk::BufferDeviceAddressInfo::default().buffer(self.handle);
        // SAFETY: as the caller says; it was created to have an address.
        let address = unsafe { (below.functions.get_buffer_device_address)(below.device, &info) };
        let left = self.size.saturating_sub(offset);
        let bytes = if size == vk::WHOLE_SIZE { left } else { left.min(size) };
        (address.wrapping_add(offset), u32::try_from(bytes).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_driver_hears_of_no_transform_feedback() {
        let counter = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT;
        assert_eq!(usage(counter), Usage::SHADER_DEVICE_ADDRESS | Usage::TRANSFER_SRC | Usage::TRANSFER_DST);
        assert_eq!(usage(Usage::UNIFORM_BUFFER), Usage::UNIFORM_BUFFER);
        assert_eq!(usage(Usage::VERTEX_BUFFER), Usage::VERTEX_BUFFER | Usage::SHADER_DEVICE_ADDRESS);
        let wide = vk::BufferUsageFlags2KHR::from_raw(1 << 40 | 0x800);
        assert_eq!(usage2(wide).as_raw(), 1 << 40 | u64::from(Usage::SHADER_DEVICE_ADDRESS.as_raw()));
    }
}
