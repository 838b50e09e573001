//! Packets that have something done with the state: clears, draws, copies, queries.

use super::check::{Checked, finite, multiple, number, size};
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
    pub stencil: u8,
    /// Bits of the stencil value that stay as they are.
    pub stencil_keep: u8,
    /// Zero.
    pub pad: [u8; 2],
}

impl Clear {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("flags", self.flags, 2 * Self::ALPHA - 1)?;
        finite("color", &self.color)?;
        finite("depth", &[self.depth])
    }
}

impl Clear {
    /// Clears every channel of every bound colour target.
    pub const COLOR: u32 = 1;
    /// Clears depth.
    pub const DEPTH: u32 = 2;
    /// Clears stencil.
    pub const STENCIL: u32 = 4;
    /// Clears red of every bound colour target.
    pub const RED: u32 = 8;
    /// Clears green, likewise.
    pub const GREEN: u32 = 0x10;
    /// Clears blue, likewise.
    pub const BLUE: u32 = 0x20;
    /// Clears alpha, likewise.
    pub const ALPHA: u32 = 0x40;

    /// The channels to clear, as in [`SetBlend::write_masks`].
    #[must_use]
    pub const fn channels(&self) -> u8 {
        if self.flags & Self::COLOR != 0 { 15 } else { ((self.flags / Self::RED) & 15) as u8 }
    }
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
    /// First instance.
    pub first_instance: u32,
    /// Zero.
    pub pad: u32,
}

impl Draw {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("topology", self.topology, Topology::ALL.len() as u32 - 1)
    }
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
    /// First instance.
    pub first_instance: u32,
}

impl DrawIndexed {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("topology", self.topology, Topology::ALL.len() as u32 - 1)
    }
}

/// Body of [`Kind::DrawIndirect`]. What the buffer says is limited as if it were in packets: vertices, instances, indices that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct DrawIndirect {
    /// [`Topology`].
    pub topology: u32,
    /// 1: the draws are indexed.
    pub indexed: u32,
    /// The buffer, with [`CreateBuffer::STORAGE`]: of each draw the words vertices, instances, first vertex, first instance; or
    /// indices, instances, first index, what is added to every index, first instance.
    pub buffer: ObjectId,
    /// Draws, at most [`DrawIndirect::MOST`].
    pub count: u32,
    /// First byte, a multiple of 4.
    pub offset: u64,
    /// Bytes from draw to draw, a multiple of 4; ignored where there is one draw.
    pub stride: u32,
    /// Zero.
    pub pad: u32,
}

impl DrawIndirect {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("topology", self.topology, Topology::ALL.len() as u32 - 1)?;
        number("indexed", self.indexed, 1)?;
        size("count", self.count, Self::MOST)?;
        multiple("offset", self.offset, 4)?;
        if self.count > 1 { multiple("stride", self.stride.into(), 4) } else { Ok(()) }
    }
}

impl DrawIndirect {
    /// Most draws of a packet.
    pub const MOST: u32 = 4096;

    /// Bytes of a draw.
    #[must_use]
    pub const fn bytes(&self) -> u32 {
        if self.indexed == 0 { 16 } else { 20 }
    }
}

/// Body of [`Kind::DrawByteCount`]: draws `(bytes - counter_offset) / stride` vertices from the first one on, none where there are fewer
/// bytes than `counter_offset`. `bytes` is the word at `offset`, as [`EndFeedback`] writes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct DrawByteCount {
    /// [`Topology`].
    pub topology: u32,
    /// Instances.
    pub instances: u32,
    /// First instance.
    pub first_instance: u32,
    /// The buffer that has the counter, with [`CreateBuffer::STORAGE`].
    pub counter: ObjectId,
    /// Where in it the counter is, a multiple of 4.
    pub offset: u64,
    /// Bytes that do not count.
    pub counter_offset: u32,
    /// Bytes of a vertex, more than zero.
    pub stride: u32,
}

impl DrawByteCount {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("topology", self.topology, Topology::ALL.len() as u32 - 1)?;
        multiple("offset", self.offset, 4)?;
        size("stride", self.stride, u32::MAX)
    }
}

/// Where a counter of captured bytes is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CounterRef {
    /// A buffer with [`CreateBuffer::STORAGE`], or none.
    pub buffer: ObjectId,
    /// Zero.
    pub pad: u32,
    /// Where in it the word is, a multiple of 4.
    pub offset: u64,
}

/// Body of [`Kind::BeginFeedback`]. From here on, draws whose last stage before the pixel's says what it captures write that into the
/// buffers of [`SetFeedbackBuffers`], one draw behind the other; others draw and capture nothing. A primitive for which any one of the
/// buffers has no room is written to none. Captures end with their frame at the latest, then without counters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct BeginFeedback {
    /// By number of the capture buffer: how many bytes there are in it already; none for an empty one.
    pub counters: [CounterRef; crate::FEEDBACK_BUFFERS],
}

/// Body of [`Kind::EndFeedback`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct EndFeedback {
    /// By number of the capture buffer: where the bytes that are in it now are written to, if anywhere. Those of a buffer that is not bound
    /// are not written.
    pub counters: [CounterRef; crate::FEEDBACK_BUFFERS],
}

/// Body of [`Kind::Dispatch`]. What it writes is there for everything after it, as with draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Dispatch {
    /// A shader of [`Stage::Compute`].
    pub shader: ObjectId,
    /// Work groups in each dimension, at most 65,535; none at all where one is 0.
    pub groups: [u32; 3],
}

impl Dispatch {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        self.groups.iter().try_for_each(|groups| number("groups", *groups, 65_535))
    }

    /// Work groups of all three directions.
    pub(crate) fn all_groups(&self) -> u64 {
        self.groups.iter().fold(1, |product: u64, groups| product.saturating_mul((*groups).into()))
    }
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

impl Blit {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("filter", self.filter, Filter::ALL.len() as u32 - 1)
    }
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

/// Body of [`Kind::CopyBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CopyBuffer {
    /// Source, with [`CreateBuffer::STORAGE`].
    pub src: ObjectId,
    /// Destination, likewise. Inside of one buffer the two ranges must not overlap.
    pub dst: ObjectId,
    /// First byte of the source.
    pub src_offset: u64,
    /// First byte of the destination.
    pub dst_offset: u64,
    /// Bytes, more than zero.
    pub size: u64,
}

/// Body of [`Kind::FillBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct FillBuffer {
    /// The buffer, with [`CreateBuffer::STORAGE`].
    pub id: ObjectId,
    /// What every word becomes.
    pub value: u32,
    /// First byte, a multiple of 4.
    pub offset: u64,
    /// Bytes, a multiple of 4 and more than zero.
    pub size: u64,
}

impl FillBuffer {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        multiple("offset", self.offset, 4)?;
        multiple("size", self.size, 4)
    }
}

/// Body of [`Kind::ReadBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct ReadBuffer {
    /// The buffer, with [`CreateBuffer::STORAGE`].
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
    /// First byte.
    pub offset: u64,
    /// Comes back in the reply.
    pub token: u64,
    /// Where the bytes go, and how many they are.
    pub data: UploadRef,
}

/// A box of texels, and where its bytes are in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct TextureCopy {
    /// The texture, one sample per pixel.
    pub texture: ObjectId,
    /// The buffer, with [`CreateBuffer::STORAGE`].
    pub buffer: ObjectId,
    /// Mip level.
    pub level: u16,
    /// Layer (cube face).
    pub layer: u16,
    /// First texel.
    pub x: u32,
    /// First texel.
    pub y: u32,
    /// First texel.
    pub z: u32,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels; 1 unless 3D.
    pub depth: u32,
    /// Bytes from one row of blocks to the next, a multiple of a block's.
    pub row_pitch: u32,
    /// Bytes from one depth slice to the next, a multiple of `row_pitch`; ignored where depth is 1.
    pub slice_pitch: u32,
    /// Zero.
    pub pad: u32,
    /// First byte in the buffer, a multiple of a block's and of 4.
    pub offset: u64,
}

/// Body of [`Kind::CopyToTexture`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CopyToTexture {
    /// From where to where.
    pub copy: TextureCopy,
}

/// Body of [`Kind::CopyFromTexture`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CopyFromTexture {
    /// From where to where.
    pub copy: TextureCopy,
}
