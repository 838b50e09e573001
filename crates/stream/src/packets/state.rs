//! Packets that set a group of state, one per group, and what they are made of.

#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::ObjectId;
use bytemuck::{Pod, Zeroable};

/// One subresource of a texture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct View {
    /// The texture, or none.
    pub texture: ObjectId,
    /// Mip level.
    pub level: u16,
    /// Layer (cube face) or depth slice.
    pub layer: u16,
}

/// Body of [`Kind::SetRenderTargets`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetRenderTargets {
    /// Colour targets; shader output n goes to entry n.
    pub color: [View; 8],
    /// Depth-stencil target.
    pub depth: View,
    /// Bit n: what goes to colour target n is encoded to sRGB: by the format's twin, or, for formats without one of at most ten
    /// bits a channel, in the shader. Others are written as they are.
    pub srgb: u32,
    /// Layers from that of each view on, of which the vertex stage's layer chooses; 0 counts as 1.
    pub layers: u32,
}

/// Body of [`Kind::SetViewport`]. Window coordinates, y down; clip space y up, z 0 to w.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetViewport {
    /// Left edge in pixels.
    pub x: f32,
    /// Top edge in pixels.
    pub y: f32,
    /// Pixels.
    pub width: f32,
    /// Pixels.
    pub height: f32,
    /// Depth of clip z = 0, in 0..1.
    pub min_depth: f32,
    /// Depth of clip z = w, in 0..1.
    pub max_depth: f32,
}

/// A rectangle in pixels or texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Top edge.
    pub y: i32,
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
}

impl Rect {
    /// Whether nothing is in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }
}

/// Body of [`Kind::SetScissor`]. Pixels outside are dropped; a huge rectangle means off.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetScissor {
    /// The rectangle.
    pub rect: Rect,
}

/// Body of [`Kind::SetRaster`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetRaster {
    /// [`Cull`].
    pub cull: u8,
    /// 1: counter-clockwise triangles (in window space, y down) face front.
    pub front_ccw: u8,
    /// [`Fill`] of front faces.
    pub fill: u8,
    /// [`Fill`] of back faces. Where it is not that of front faces and no face is culled, each draw draws its front faces
    /// first, then its back faces.
    pub fill_back: u8,
    /// 0: depth is clamped instead of clipped.
    pub depth_clip: u8,
    /// 1: `depth_bias` and `slope_bias` apply.
    pub bias_enable: u8,
    /// [`LineMode`].
    pub line_mode: u8,
    /// [`Provoking`].
    pub provoking: u8,
    /// Constant depth bias in units of depth 0..1 (not of the format's steps).
    pub depth_bias: f32,
    /// Slope-scaled depth bias.
    pub slope_bias: f32,
    /// Point size where the shader writes none, pixels.
    pub point_size: f32,
    /// Bit n: sample n may be written.
    pub sample_mask: u32,
    /// Smallest point size, pixels.
    pub point_size_min: f32,
    /// Largest point size, pixels; 0 is the device's.
    pub point_size_max: f32,
    /// Width of lines, pixels; 0 counts as 1, and the device's range limits it.
    pub line_width: f32,
    /// 1: alpha of the first colour target says how many of a pixel's samples are written. Only where there are several.
    pub alpha_to_coverage: u8,
    /// 1: nothing is rasterised. What shaders store and capture is.
    pub discard: u8,
    /// Zero.
    pub pad: [u8; 2],
}

/// One face's stencil state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StencilFace {
    /// [`Compare`]: reference OP stored.
    pub compare: u8,
    /// [`StencilOp`] when the stencil test fails.
    pub fail: u8,
    /// [`StencilOp`] when the depth test fails.
    pub depth_fail: u8,
    /// [`StencilOp`] when both pass.
    pub pass: u8,
}

/// Body of [`Kind::SetDepthStencil`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetDepthStencil {
    /// 1: depth is tested (and, if `depth_write`, written).
    pub depth_test: u8,
    /// 1: depth is written.
    pub depth_write: u8,
    /// [`Compare`].
    pub depth_compare: u8,
    /// 1: stencil is tested and written.
    pub stencil_test: u8,
    /// Front faces.
    pub front: StencilFace,
    /// Back faces.
    pub back: StencilFace,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Zero.
    pub pad: u8,
}

/// Body of [`Kind::SetStencilBack`]: what back faces have instead of the values in [`SetDepthStencil`], until the next of those.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetStencilBack {
    /// 1: back faces have these values; 0: those of the front.
    pub enable: u8,
    /// Reference value.
    pub reference: u8,
    /// Bits that are compared.
    pub read_mask: u8,
    /// Bits that are written.
    pub write_mask: u8,
    /// Zero.
    pub pad: [u8; 4],
}

/// Body of [`Kind::SetBlend`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetBlend {
    /// 1: blending is on for every target.
    pub enable: u8,
    /// [`BlendFactor`].
    pub src_color: u8,
    /// [`BlendFactor`].
    pub dst_color: u8,
    /// [`BlendOp`].
    pub color_op: u8,
    /// [`BlendFactor`].
    pub src_alpha: u8,
    /// [`BlendFactor`].
    pub dst_alpha: u8,
    /// [`BlendOp`].
    pub alpha_op: u8,
    /// [`LogicOp`]: unless it is off, nothing is blended.
    pub logic_op: u8,
    /// Per colour target: bits 0 to 3 write red to alpha.
    pub write_masks: [u8; 8],
    /// Red to alpha of the constant blend factors.
    pub constant: [f32; 4],
}

/// Blending of one target: an element of [`SetBlendTargets`]' tail. The fields are as in [`SetBlend`], whose signed operations
/// there are not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct BlendTarget {
    /// 1: blending is on.
    pub enable: u8,
    /// [`BlendFactor`].
    pub src_color: u8,
    /// [`BlendFactor`].
    pub dst_color: u8,
    /// [`BlendOp`].
    pub color_op: u8,
    /// [`BlendFactor`].
    pub src_alpha: u8,
    /// [`BlendFactor`].
    pub dst_alpha: u8,
    /// [`BlendOp`].
    pub alpha_op: u8,
    /// Bits 0 to 3 write red to alpha.
    pub write_mask: u8,
}

/// Body of [`Kind::SetBlendTargets`]; the tail is one element for each of the first targets, none to have all as [`SetBlend`]
/// says. Targets past the tail, constant and logical operation are those of [`SetBlend`], and the next one ends what this sets.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetBlendTargets {
    /// Number of targets, at most 8.
    pub count: u32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::SetPixelOps`]: what older pipelines do to a pixel shader's result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetPixelOps {
    /// [`Compare`] of alpha against `alpha_ref`; [`Compare::Always`] is off.
    pub alpha_compare: u8,
    /// [`FogMode`].
    pub fog: u8,
    /// 1: colours are not interpolated.
    pub flat: u8,
    /// 1: points carry texture coordinates across their area.
    pub point_sprite: u8,
    /// Bit n: user clip plane n (system constants) is on.
    pub clip_planes: u8,
    /// Bit n: shaders whose lookups do not say so divide the coordinates of pixel slot n by the fourth.
    pub projected: u8,
    /// Zero.
    pub pad: [u8; 2],
    /// 0 to 1.
    pub alpha_ref: f32,
    /// Fog start, or density for the exponential modes.
    pub fog_start: f32,
    /// Fog end.
    pub fog_end: f32,
    /// Zero.
    pub pad2: f32,
    /// Red to alpha.
    pub fog_color: [f32; 4],
}

/// Body of [`Kind::SetVertexInput`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetVertexInput {
    /// The layout.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::SetVertexBuffers`]; the tail is the bindings.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetVertexBuffers {
    /// First slot, below [`crate::VERTEX_BUFFERS`].
    pub first: u32,
    /// Number of slots.
    pub count: u32,
}

/// One vertex buffer binding.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct VertexBuffer {
    /// A buffer, none, or an arena slot as [`crate::ObjectKind::Upload`]: then valid for the draws of this frame only.
    pub source: ObjectId,
    /// Bytes from vertex to vertex.
    pub stride: u32,
    /// First byte.
    pub offset: u64,
    /// Bytes that may be read from `offset`; 0 means the rest of the buffer.
    pub size: u64,
}

/// Body of [`Kind::SetIndexBuffer`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetIndexBuffer {
    /// A buffer, none, or an arena slot as in [`VertexBuffer`].
    pub source: ObjectId,
    /// 1, 2 or 4.
    pub index_bytes: u16,
    /// 1: the greatest index of its size is none, and what comes behind it begins anew with the topology.
    pub restart: u16,
    /// First byte.
    pub offset: u64,
    /// Bytes that may be read from `offset`; 0 means the rest of the buffer.
    pub size: u64,
}

/// Body of [`Kind::SetShaders`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetShaders {
    /// Vertex shader, or none.
    pub vertex: ObjectId,
    /// Pixel shader, or none: only depth and stencil are written.
    pub pixel: ObjectId,
    /// Geometry shader, or none.
    pub geometry: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::SetCaptureBuffers`]; the tail is the buffers. None may be set while something is captured.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetCaptureBuffers {
    /// First buffer, below [`crate::CAPTURE_BUFFERS`].
    pub first: u32,
    /// Number of buffers.
    pub count: u32,
}

/// One buffer that captures write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CaptureBuffer {
    /// A buffer with [`CreateBuffer::STORAGE`], or none.
    pub buffer: ObjectId,
    /// Zero.
    pub pad: u32,
    /// First byte, a multiple of 4.
    pub offset: u64,
    /// Bytes from there; 0 is the rest of the buffer.
    pub size: u64,
}

/// Body of [`Kind::SetTextures`]; the tail is the bindings.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetTextures {
    /// First slot: 0 to 15 for pixel shaders, 16 to 19 for vertex shaders, 20 to 39 for compute shaders, which call
    /// them 0 to 19.
    pub first: u32,
    /// Number of slots.
    pub count: u32,
}

/// One texture slot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct TextureBinding {
    /// The texture; none reads (0, 0, 0, 1).
    pub texture: ObjectId,
    /// The sampler.
    pub sampler: ObjectId,
}

/// Body of [`Kind::SetConstants`]; the tail is the registers, four 32-bit components each.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetConstants {
    /// [`crate::Bank`].
    pub bank: u16,
    /// First register.
    pub first: u16,
    /// Number of registers.
    pub count: u32,
}

/// Body of [`Kind::SetStorage`]; the tail is the bindings. Register n of the stage's bank of buffers ([`crate::GcnBank::Buffers`]) is
/// made of binding n: low and high half of its address on the device, bytes that may be accessed there, and its word.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetStorage {
    /// [`Stage`].
    pub stage: u32,
    /// First binding, below [`crate::STORAGE_BUFFERS`].
    pub first: u16,
    /// Number of bindings.
    pub count: u16,
}

/// One buffer that shaders access by address.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct StorageBinding {
    /// A buffer with [`CreateBuffer::STORAGE`], or none: then the register's first three components are 0.
    pub buffer: ObjectId,
    /// The register's last component.
    pub word: u32,
    /// First byte, a multiple of 4.
    pub offset: u64,
    /// Bytes from there, less than 4 GiB; 0 is the rest of the buffer.
    pub size: u64,
}

/// Body of [`Kind::SetStorageImages`]; the tail is the bindings.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetStorageImages {
    /// [`Stage`].
    pub stage: u32,
    /// First binding, below [`crate::STORAGE_IMAGES`].
    pub first: u16,
    /// Number of bindings.
    pub count: u16,
}

/// One storage image: a level of a texture with [`CreateTexture::STORAGE`], or of a view of one, in that one's format. Where
/// the shader declares an array, it has the layers from `view.layer` on; where it declares a volume, every slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct StorageImage {
    /// The level, or none: what is written is lost then, and nothing of the guest's is read.
    pub view: View,
}
