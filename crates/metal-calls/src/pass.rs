//! What a render encoder draws into.

use crate::Device;

/// `MTLLoadAction`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LoadAction<T> {
    /// What was there is lost.
    DontCare,
    /// What was there stays.
    Load,
    /// All of it becomes this.
    Clear(T),
}

/// `MTLStoreAction`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StoreAction {
    /// What was drawn is lost.
    DontCare,
    /// It is kept.
    Store,
    /// Its samples are resolved and lost.
    MultisampleResolve,
    /// Its samples are resolved and kept.
    StoreAndMultisampleResolve,
}

/// A level of a texture, and a slice or plane of it.
#[derive(Debug)]
pub struct Subresource<'a, D: Device> {
    /// The texture; not a view with a swizzle.
    pub texture: &'a D::Texture,
    /// Mip level.
    pub level: u32,
    /// Layer, or face of a cube.
    pub slice: u32,
    /// Plane of a 3D texture.
    pub depth_plane: u32,
}

/// `MTLRenderPassColorAttachmentDescriptor`.
#[derive(Debug)]
pub struct ColorAttachment<'a, D: Device> {
    /// What is drawn into.
    pub target: Subresource<'a, D>,
    /// Where its samples are resolved to.
    pub resolve: Option<Subresource<'a, D>>,
    /// What becomes of what was there. Red, green, blue, alpha; of integer formats these are integers.
    pub load: LoadAction<[f64; 4]>,
    /// What becomes of what is drawn.
    pub store: StoreAction,
}

/// `MTLMultisampleDepthResolveFilter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DepthResolve {
    /// The first sample.
    Sample0,
    /// The least.
    Min,
    /// The greatest.
    Max,
}

/// `MTLRenderPassDepthAttachmentDescriptor`.
#[derive(Debug)]
pub struct DepthAttachment<'a, D: Device> {
    /// What is drawn into.
    pub target: Subresource<'a, D>,
    /// Where its samples are resolved to, and how.
    pub resolve: Option<(Subresource<'a, D>, DepthResolve)>,
    /// What becomes of what was there.
    pub load: LoadAction<f64>,
    /// What becomes of what is drawn.
    pub store: StoreAction,
}

/// `MTLRenderPassStencilAttachmentDescriptor`.
#[derive(Debug)]
pub struct StencilAttachment<'a, D: Device> {
    /// What is drawn into; a texture with depth is that of the depth attachment, too.
    pub target: Subresource<'a, D>,
    /// What becomes of what was there.
    pub load: LoadAction<u32>,
    /// What becomes of what is drawn.
    pub store: StoreAction,
}

/// `MTLRenderPassDescriptor`.
#[derive(Debug)]
pub struct RenderPass<'a, D: Device> {
    /// For debuggers and messages.
    pub label: &'a str,
    /// By number, at most eight.
    pub colors: &'a [Option<ColorAttachment<'a, D>>],
    /// Depth.
    pub depth: Option<DepthAttachment<'a, D>>,
    /// Stencil.
    pub stencil: Option<StencilAttachment<'a, D>>,
    /// Layers that vertex functions choose of; 0 where they do not.
    pub layers: u32,
    /// Width, height and samples where nothing is attached.
    pub without_attachments: Option<[u32; 3]>,
    /// Where visibility results go. The pass makes those that it counts, and no others.
    pub visibility: Option<&'a D::Buffer>,
}
