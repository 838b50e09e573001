//! What comes out: windows, pictures, figures over them.

pub(crate) mod hud;
pub(crate) mod overlay;
pub(crate) mod presenter;
pub(crate) mod stats;
pub(crate) mod swapchain;
