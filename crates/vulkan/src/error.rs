//! What can go wrong between us and Vulkan.

use crate::missing::{newer_driver, no_driver, old_loader};
use afterimage_distribution::{Need, advice};
use afterimage_stream::Budget;
use ash::vk;

/// Why the renderer cannot start, or why it cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The Vulkan loader library is not there.
    #[error("the Vulkan loader cannot be loaded ({0}): {how}", how = advice(Need::VulkanLoader))]
    NoLoader(#[from] ash::LoadingError),
    /// The loader is older than Vulkan 1.3.
    #[error("{}", old_loader(*.0))]
    OldLoader(u32),
    /// Validation was asked for, but the layer is not installed.
    #[error(
        "VK_LAYER_KHRONOS_validation is not installed: {}, or unset AFTERIMAGE_VALIDATE",
        advice(Need::ValidationLayer)
    )]
    NoValidationLayer,
    /// There is no driver, or none that finds a device.
    #[error("{}", no_driver())]
    NoDriver,
    /// No device can do what is needed.
    #[error("no Vulkan device can draw this: {}; {}", .0.join("; "), newer_driver())]
    Unusable(
        /// Those that there are, and what each lacks.
        Vec<String>,
    ),
    /// No device is the one that was asked for.
    #[error("device = {wanted}: no usable Vulkan device is that one; there are {}", found.join(", "))]
    OtherDevice {
        /// What option `device` asks for.
        wanted: String,
        /// Devices that there are.
        found: Vec<String>,
    },
    /// The system has no thread for the renderer.
    #[error("the render thread cannot be started: {0}")]
    Thread(#[source] std::io::Error),
    /// A Vulkan call failed.
    #[error("{call}: {result:?}")]
    Vulkan {
        /// The call.
        call: &'static str,
        /// Its result.
        result: vk::Result,
    },
    /// The device was lost; everything on it is gone.
    #[error("the Vulkan device was lost during {0}; start the receiver again")]
    DeviceLost(&'static str),
    /// Memory could not be allocated.
    #[error("no memory for {what} ({bytes} bytes): {cause}")]
    Memory {
        /// What the memory was for.
        what: String,
        /// Bytes asked for.
        bytes: u64,
        /// The allocator's answer.
        cause: gpu_allocator::AllocationError,
    },
    /// The stream asks for more than it may have.
    #[error("{what}: {asked} {} asked for, the budget for {} ({}) is {limit}", budget.row().unit, budget.row().name, budget.row().span)]
    Budget {
        /// What asks for it.
        what: String,
        /// What there is too much of.
        budget: Budget,
        /// How much there would be.
        asked: u64,
        /// How much there may be.
        limit: u64,
    },
    /// The device cannot do what an object needs.
    #[error("{device} does not support {what}")]
    Unsupported {
        /// Device name.
        device: String,
        /// What it lacks.
        what: String,
    },
    /// A stage reads at a location what the one before it does not write.
    #[error(
        "a pipeline's shaders do not fit: location {location} is read as {lanes} {}, which the stage before does not write",
        if *float { "floats" } else { "integers" }
    )]
    Interface {
        /// The location.
        location: u32,
        /// Components that are read.
        lanes: u32,
        /// Whether they are floats.
        float: bool,
    },
    /// A pixel shader writes to a target what it does not hold.
    #[error("a pipeline's shaders do not fit: output {location} is {gives}, its target {holds}")]
    Target {
        /// The output.
        location: u32,
        /// What is written: float, uint or sint.
        gives: &'static str,
        /// What the target holds, likewise.
        holds: &'static str,
    },
    /// An image that guests share is not as the packet says.
    #[error("shared image {number:#x}: {what}")]
    Shared {
        /// Its number.
        number: u32,
        /// What is wrong.
        what: &'static str,
    },
    /// The watchdog has no thread.
    #[error("no thread for the watchdog of this process: {0}")]
    Watchdog(std::io::Error),
    /// No surface for a window.
    #[error("no surface for the window: {0}")]
    Surface(String),
    /// A file could not be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: std::path::PathBuf,
        /// Why.
        cause: std::io::Error,
    },
}

/// Result of this crate.
pub type Result<T = ()> = std::result::Result<T, Error>;

/// Turns Vulkan's results into ours, naming the call.
pub(crate) trait Checked<T> {
    fn checked(self, call: &'static str) -> Result<T>;
}

impl<T> Checked<T> for std::result::Result<T, vk::Result> {
    #[inline]
    fn checked(self, call: &'static str) -> Result<T> {
        self.map_err(|result| match result {
            vk::Result::ERROR_DEVICE_LOST => Error::DeviceLost(call),
            _ => Error::Vulkan { call, result },
        })
    }
}
