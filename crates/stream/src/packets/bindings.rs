//! Packets that bind objects and set constants, and what they are made of.

use super::check::{Checked, elements, multiple, number, range};
#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::{Cause, ObjectId};
use afterimage_abi::Bank;
use afterimage_abi::slots::{
    COMPUTE_SLOTS, FEEDBACK_BUFFERS, FIRST_TABLE, STORAGE, STORAGE_IMAGES, TEXTURE_SLOTS, VERTEX_BUFFERS,
};
use bytemuck::{Pod, Zeroable};

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

impl SetVertexBuffers {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self, bindings: &[VertexBuffer]) -> Checked {
        elements(self.first, self.count, VERTEX_BUFFERS)?;
        bindings.iter().try_for_each(|binding| number("stride", binding.stride, VertexBuffer::MOST_STRIDE))
    }
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

impl VertexBuffer {
    /// Largest stride in bytes: what every device has.
    pub const MOST_STRIDE: u32 = 2048;
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

impl SetIndexBuffer {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        if !matches!(self.index_bytes, 1 | 2 | 4) {
            return Err(Cause::Range { field: "index_bytes", value: u64::from(self.index_bytes), limit: 4 });
        }
        number("restart", self.restart.into(), 1)?;
        if !self.offset.is_multiple_of(u64::from(self.index_bytes)) {
            return Err(Cause::Range { field: "offset", value: self.offset, limit: 0 });
        }
        Ok(())
    }
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

/// Body of [`Kind::SetFeedbackBuffers`]; the tail is the buffers. None may be set while something is captured.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetFeedbackBuffers {
    /// First buffer, below [`crate::FEEDBACK_BUFFERS`].
    pub first: u32,
    /// Number of buffers.
    pub count: u32,
}

impl SetFeedbackBuffers {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self, buffers: &[FeedbackBuffer]) -> Checked {
        elements(self.first, self.count, FEEDBACK_BUFFERS)?;
        buffers.iter().filter(|buffer| !buffer.buffer.is_none()).try_for_each(|buffer| {
            multiple("offset", buffer.offset, 4)?;
            range("size", buffer.size, u32::MAX.into())
        })
    }
}

/// One buffer that captures write.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct FeedbackBuffer {
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

impl SetTextures {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        elements(self.first, self.count, TEXTURE_SLOTS + COMPUTE_SLOTS)
    }
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

impl SetConstants {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        let Some(bank) = Bank::from_number(self.bank.into()) else {
            return range("bank", self.bank.into(), Bank::COUNT as u64 - 1);
        };
        // Those hold addresses, which only the receiver knows.
        if bank.has_addresses() {
            let limit = Bank::GcnVertexBuffers as u64;
            return Err(Cause::Range { field: "bank", value: self.bank.into(), limit });
        }
        elements(self.first, self.count, bank.registers().into())
    }
}

/// Body of [`Kind::SetStorage`]; the tail is the bindings. Register n of the stage's bank of buffers ([`crate::GcnBank::Buffers`]) is
/// made of binding n: low and high half of its address on the device, bytes that may be accessed there, and its word.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetStorage {
    /// [`Stage`].
    pub stage: u32,
    /// First binding, below [`crate::STORAGE`]. From [`crate::FIRST_TABLE`] on they are tables.
    pub first: u16,
    /// Number of bindings.
    pub count: u16,
}

impl SetStorage {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self, bindings: &[StorageBinding]) -> Checked {
        number("stage", self.stage, Stage::WITH_BINDINGS.len() as u32 - 1)?;
        elements(self.first, self.count, STORAGE)?;
        self.numbered(bindings).try_for_each(|(at, binding)| {
            if at >= FIRST_TABLE {
                range("offset", binding.offset, 0)?;
                return range("size", binding.size, 0);
            }
            multiple("offset", binding.offset, 4)?;
            range("size", binding.size, u32::MAX.into())
        })
    }
}

impl SetStorage {
    /// Bindings of something, with their places.
    pub(crate) fn numbered<'a>(
        &self,
        bindings: &'a [StorageBinding],
    ) -> impl Iterator<Item = (usize, &'a StorageBinding)> {
        (usize::from(self.first)..).zip(bindings).filter(|(_, binding)| !binding.buffer.is_none())
    }
}

/// One buffer that shaders access by address, or one table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct StorageBinding {
    /// A buffer with [`CreateBuffer::STORAGE`], a table, or none: then the register's first three components are 0.
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

impl SetStorageImages {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("stage", self.stage, Stage::WITH_BINDINGS.len() as u32 - 1)?;
        elements(self.first, self.count, STORAGE_IMAGES)
    }
}

/// One storage image: a level of a texture with [`CreateTexture::STORAGE`], or of a view of one, in that one's format. Where
/// the shader declares an array, it has the layers from `view.layer` on; where it declares a volume, every slice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct StorageImage {
    /// The level, or none: what is written is lost then, and nothing of the guest's is read.
    pub view: View,
}
