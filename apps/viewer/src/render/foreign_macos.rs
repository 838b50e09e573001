//! Windows of other processes: macOS lets nobody draw into them.

use afterimage_stream::packets::PresentTarget;
use afterimage_vulkan::{Instance, ash::vk};

/// A connection to a display with such windows, which there cannot be.
#[derive(Clone, Copy)]
pub(super) enum Display {}

impl Display {
    /// `None`, with a message.
    pub(super) fn open() -> Option<Self> {
        tracing::debug!(
            "on macOS nobody draws into windows of other processes: Windows programs show their pictures themselves"
        );
        None
    }

    pub(super) fn surface_of_program(self, _: &PresentTarget, _: &Instance) -> Result<vk::SurfaceKHR, String> {
        match self {}
    }

    pub(super) fn surface(self, _: u32, _: &Instance) -> Result<vk::SurfaceKHR, String> {
        match self {}
    }
}
