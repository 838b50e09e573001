//! Packets that have something done with the state: clears, draws, copies, queries.

#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::{ObjectId, UploadRef};
use bytemuck::{Pod, Zeroable};

/// Body of [`Kind::Clear`]; the tail is the rectangles (none: the whole of the targets). Viewport and scissor do not
/// apply: the guest has clipped the rectangles.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Clear {
    /// [`Clear::COLOR`] and its like.
    pub flags: u32,
    /// Number of rectangles.
    pub count: u32,
    /// Red to alpha.
    pub color: [f32; 4],
    /// 0 to 1.
    pub depth: f32,
    /// Stencil value.
    pub stencil: u32,
}

impl Clear {
    /// Clears every bound colour target.
    pub const COLOR: u32 = 1;
    /// Clears depth.
    pub const DEPTH: u32 = 2;
    /// Clears stencil.
    pub const STENCIL: u32 = 4;
}

/// Body of [`Kind::Draw`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Draw {
    /// [`Topology`].
    pub topology: u32,
    /// First vertex.
    pub first: u32,
    /// Vertices.
    pub count: u32,
    /// Instances.
    pub instances: u32,
}

/// Body of [`Kind::DrawIndexed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct DrawIndexed {
    /// [`Topology`].
    pub topology: u32,
    /// First index.
    pub first: u32,
    /// Indices.
    pub count: u32,
    /// Instances.
    pub instances: u32,
    /// Added to every index.
    pub base_vertex: i32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::Blit`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Blit {
    /// Source subresource. More samples than the destination has are resolved.
    pub src: View,
    /// Destination subresource.
    pub dst: View,
    /// Source rectangle in texels, inside of the subresource.
    pub src_rect: Rect,
    /// Destination rectangle, inside of the subresource.
    pub dst_rect: Rect,
    /// [`Filter`] where the sizes differ.
    pub filter: u32,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::BeginQuery`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct BeginQuery {
    /// The query.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::EndQuery`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct EndQuery {
    /// The query.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
    /// Comes back in the reply.
    pub token: u64,
}

/// Body of [`Kind::ReadBack`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct ReadBack {
    /// Source subresource, one sample per pixel.
    pub src: View,
    /// Source rectangle in texels.
    pub rect: Rect,
    /// Bytes from one row of blocks to the next in `data`.
    pub row_pitch: u32,
    /// Zero.
    pub pad: u32,
    /// Comes back in the reply.
    pub token: u64,
    /// Where the texels go.
    pub data: UploadRef,
}
