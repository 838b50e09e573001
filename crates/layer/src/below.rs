//! What stands below a device: its functions, and its memory.

use crate::functions::DeviceFunctions;
use ash::vk;

/// A device as the layer uses it.
pub(crate) struct Below {
    pub(crate) device: vk::Device,
    pub(crate) functions: DeviceFunctions,
    pub(crate) memory: vk::PhysicalDeviceMemoryProperties,
}

impl Below {
    /// The first type of memory among those of the bits that has all of the properties; such as have the better ones go before.
    pub(crate) fn memory_type(
        &self,
        bits: u32,
        all: vk::MemoryPropertyFlags,
        better: vk::MemoryPropertyFlags,
    ) -> Option<u32> {
        let fits = |wanted: vk::MemoryPropertyFlags| {
            let types = &self.memory.memory_types[..self.memory.memory_type_count as usize];
            let fits = |(n, ty): &(u32, &vk::MemoryType)| bits >> n & 1 == 1 && ty.property_flags.contains(wanted);
            (0..).zip(types).find(fits).map(|(n, _)| n)
        };
        fits(all | better).or_else(|| fits(all))
    }
}
