//! Windows of other processes: macOS lets nobody draw into them.

use afterimage_stream::packets::PresentTarget;
use afterimage_vulkan::{Instance, ash::vk};

/// A connection to a display with such windows, which there cannot be.
#[derive(Clone, Copy)]
pub(super) enum Display {}

impl Display {
    /// `None`, with a message.
    pub(super) fn open() -> Option<Self> {
        tracing::warn!(
            "programs are drawn, but not shown: on macOS a renderer process cannot draw into the viewer's windows yet"
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
