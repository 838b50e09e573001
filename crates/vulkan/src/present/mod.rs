//! What comes out: windows, pictures, images for other devices, figures over them.

#[cfg(unix)]
pub(crate) mod exported;
pub(crate) mod overlay;
pub(crate) mod presenter;
pub(crate) mod swapchain;
