//! Buffers, textures and samplers.

use crate::{CompareFunction, PixelFormat};

/// `MTLStorageMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StorageMode {
    /// CPU and GPU both reach it; on Macs without unified memory, copies are kept up (`Managed`).
    Shared,
    /// The GPU alone.
    Private,
    /// In the GPU's tiles only, for as long as a pass lasts: attachments that are neither loaded nor stored.
    Memoryless,
}

/// Of `newBufferWithLength:options:`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BufferDescriptor {
    /// Bytes, not 0.
    pub length: u64,
    /// Who reaches it; not `Memoryless`.
    pub storage: StorageMode,
    /// For debuggers and messages.
    pub label: String,
}

/// `MTLTextureType`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum TextureType {
    D1,
    D1Array,
    D2,
    D2Array,
    D2Multisample,
    D2MultisampleArray,
    Cube,
    CubeArray,
    D3,
}

/// `MTLTextureUsage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct TextureUsage {
    /// Shaders read and sample it.
    pub read: bool,
    /// Shaders write it.
    pub write: bool,
    /// Shaders change it atomically.
    pub atomic: bool,
    /// It is drawn into.
    pub target: bool,
    /// Views of it have another format, beyond sRGB and the order of components.
    pub views: bool,
}

/// `MTLTextureDescriptor`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextureDescriptor {
    /// Its shape.
    pub ty: TextureType,
    /// Its texels.
    pub format: PixelFormat,
    /// Width, height and depth of the first level, in texels.
    pub size: [u32; 3],
    /// Mip levels.
    pub levels: u32,
    /// Samples of a texel.
    pub samples: u32,
    /// Layers of an array; 1 of all others.
    pub layers: u32,
    /// What it is for.
    pub usage: TextureUsage,
    /// Who reaches it.
    pub storage: StorageMode,
    /// For debuggers and messages.
    pub label: String,
}

/// Where a component of a view comes from: `MTLTextureSwizzle`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum Swizzle {
    Zero,
    One,
    Red,
    Green,
    Blue,
    Alpha,
}

impl Swizzle {
    /// Each component from itself.
    pub const IDENTITY: [Self; 4] = [Self::Red, Self::Green, Self::Blue, Self::Alpha];
}

/// Of `newTextureViewWithPixelFormat:textureType:levels:slices:swizzle:`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextureView {
    /// Its texels: of the same size as the texture's.
    pub format: PixelFormat,
    /// Its shape.
    pub ty: TextureType,
    /// First level, and number.
    pub levels: [u32; 2],
    /// First layer or face, and number.
    pub slices: [u32; 2],
    /// Where its components come from. Only what is [`Swizzle::IDENTITY`] can be a target, be written or be copied.
    pub swizzle: [Swizzle; 4],
}

/// `MTLSamplerMinMagFilter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum Filter {
    Nearest,
    Linear,
}

/// `MTLSamplerMipFilter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MipFilter {
    /// The first level alone.
    NotMipmapped,
    /// The nearest level.
    Nearest,
    /// Between two levels.
    Linear,
}

/// `MTLSamplerAddressMode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum AddressMode {
    ClampToEdge,
    MirrorClampToEdge,
    Repeat,
    MirrorRepeat,
    /// Transparent black, or of formats without alpha opaque black.
    ClampToZero,
    ClampToBorderColor,
}

/// `MTLSamplerBorderColor`: the only ones that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "Metal's names")]
pub enum BorderColor {
    TransparentBlack,
    OpaqueBlack,
    OpaqueWhite,
}

/// `MTLSamplerDescriptor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SamplerDescriptor {
    /// Where a texel is smaller than a pixel.
    pub min: Filter,
    /// Where a texel is larger than a pixel.
    pub mag: Filter,
    /// Between levels.
    pub mip: MipFilter,
    /// Outside of the texture, along each coordinate.
    pub address: [AddressMode; 3],
    /// With [`AddressMode::ClampToBorderColor`].
    pub border: BorderColor,
    /// 1 to 16.
    pub anisotropy: u32,
    /// Least and greatest level of detail, in bits of an `f32`.
    pub lod: [u32; 2],
    /// What lookups that compare do.
    pub compare: Option<CompareFunction>,
}

/// Which part of a texture of depth and stencil is copied: `MTLBlitOption`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Aspect {
    /// All of a texture that has one part.
    All,
    /// `MTLBlitOptionDepthFromDepthStencil`: four bytes a texel, or two of `Depth16Unorm`.
    Depth,
    /// `MTLBlitOptionStencilFromDepthStencil`: a byte a texel.
    Stencil,
}

/// A part of a level and slice of a texture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Region {
    /// Layer, or face of a cube.
    pub slice: u32,
    /// Mip level.
    pub level: u32,
    /// Left, top and front, in texels: a multiple of the format's block.
    pub origin: [u32; 3],
    /// Width, height and depth, in texels: a multiple of the block, or up to the edge.
    pub size: [u32; 3],
}

/// Where texels are in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BufferLayout {
    /// The first texel, in bytes.
    pub offset: u64,
    /// From a row of texels (or blocks) to the next.
    pub bytes_per_row: u64,
    /// From a plane of a 3D texture to the next; 0 where there is one.
    pub bytes_per_image: u64,
}
