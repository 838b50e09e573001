//! What can go wrong between us and Vulkan.

use ash::vk;

/// Why the renderer cannot start, or why it cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The Vulkan loader library is not there.
    #[error("the Vulkan loader cannot be loaded: {0}; install a Vulkan driver (`cargo xtask setup` does it on Debian)")]
    NoLoader(#[from] ash::LoadingError),
    /// The loader is older than Vulkan 1.3.
    #[error("the Vulkan loader supports version {}.{} only, 1.3 is needed", vk::api_version_major(*.0), vk::api_version_minor(*.0))]
    OldLoader(u32),
    /// Validation was asked for, but the layer is not installed.
    #[error(
        "VK_LAYER_KHRONOS_validation is not installed; install it (`cargo xtask setup`) or unset AFTERIMAGE_VALIDATE"
    )]
    NoValidationLayer,
    /// No device fits.
    #[error("no usable Vulkan device{}: {}; run `afterimage info`, or `cargo xtask setup` to install lavapipe", wanted.as_ref().map(|w| format!(" matching AFTERIMAGE_DEVICE={w}")).unwrap_or_default(), if found.is_empty() { "there is no device at all".to_owned() } else { found.join("; ") })]
    NoDevice {
        /// What AFTERIMAGE_DEVICE asked for.
        wanted: Option<String>,
        /// Devices found and why each was not taken.
        found: Vec<String>,
    },
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
    /// The device cannot do what an object needs.
    #[error("{device} does not support {what}")]
    Unsupported {
        /// Device name.
        device: String,
        /// What it lacks.
        what: String,
    },
    /// An image that guests share is not as the packet says.
    #[error("shared image {number:#x}: {what}")]
    Shared {
        /// Its number.
        number: u32,
        /// What is wrong.
        what: &'static str,
    },
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
