//! Pictures in windows.

use crate::{Device, Object, Queue, Result};

/// What is said of a `CAMetalLayer`. Its format is `BGRA8Unorm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LayerDescriptor {
    /// `drawableSize`, in texels, not 0. Where the window's is another, the system scales.
    pub size: [u32; 2],
    /// `displaySyncEnabled`: a picture begins when the display begins one.
    pub sync: bool,
}

/// A queue whose pictures are shown in windows.
///
/// Layers are made by the other side, which knows what windows there are. In software a layer may be the last picture that was presented.
pub trait Presents: Queue {
    /// `CAMetalLayer`: what is seen of a window.
    type Layer: Object;
    /// `CAMetalDrawable`: a picture of a layer. It is presented, or goes as it is.
    type Drawable: Send + std::fmt::Debug + 'static;

    /// Sets what pictures are like that are asked for from here on.
    ///
    /// # Errors
    /// A size that the device has no textures of.
    fn configure(&mut self, layer: &Self::Layer, descriptor: &LayerDescriptor) -> Result;

    /// `nextDrawable`: a picture that nobody looks at any more. It waits for one, for a second at most; then there is none: skip what was to be
    /// drawn. There are two or three, so it is asked for as late as possible.
    fn next_drawable(&mut self, layer: &Self::Layer) -> Option<Self::Drawable>;

    /// `texture` of a picture. It can be drawn into, and nothing else (`framebufferOnly`).
    fn drawable_texture(drawable: &Self::Drawable) -> <Self::Device as Device>::Texture;

    /// `presentDrawable:` of the command buffer that is being written: the picture is shown when that has been executed. No encoder may be
    /// open.
    fn present(&mut self, drawable: Self::Drawable);
}
