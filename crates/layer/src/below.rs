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

/// Why something of the layer's own is not made.
#[derive(Clone, Debug)]
pub(crate) enum Refused {
    /// It cannot be.
    Why(String),
    /// Something is used up.
    Failed(vk::Result),
}

impl From<String> for Refused {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}

impl From<&str> for Refused {
    fn from(why: &str) -> Self {
        Self::Why(why.to_owned())
    }
}

impl From<vk::Result> for Refused {
    fn from(error: vk::Result) -> Self {
        Self::Failed(error)
    }
}

/// An error of what the layer does, as every function that creates something, and the end of a recording, may give it to the program.
pub(crate) fn used_up(error: vk::Result) -> vk::Result {
    match error {
        vk::Result::ERROR_OUT_OF_HOST_MEMORY => error,
        _ => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
    }
}
