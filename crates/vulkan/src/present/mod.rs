//! What comes out: windows, pictures, figures over them.

pub(crate) mod overlay;
pub(crate) mod presenter;
pub(crate) mod swapchain;
