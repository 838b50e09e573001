//! Packets that make, fill and destroy objects.

use super::check::{Checked, byte, elements, finite, number, range, size};
#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::{Cause, Format, ObjectId, UploadRef};
use afterimage_abi::slots::{VERTEX_ATTRIBUTES, VERTEX_BUFFERS};
use afterimage_abi::{Table, tables};
use bytemuck::{Pod, Zeroable};

/// Body of [`Kind::CreateBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateBuffer {
    /// Id to create.
    pub id: ObjectId,
    /// [`CreateBuffer::VERTEX`] and its like.
    pub usage: u32,
    /// Bytes, more than zero.
    pub size: u64,
}

impl CreateBuffer {
    /// Vertices are read from it.
    pub const VERTEX: u32 = 1;
    /// Indices are read from it.
    pub const INDEX: u32 = 2;
    /// Rewritten often, by discard and no-overwrite updates: belongs into memory that the CPU writes and the GPU reads.
    pub const DYNAMIC: u32 = 4;
    /// Shaders read and write it by address ([`SetStorage`]); it may be copied, filled and read back.
    pub const STORAGE: u32 = 8;
}

/// Body of [`Kind::CreateTexture`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateTexture {
    /// Id to create.
    pub id: ObjectId,
    /// [`crate::Format`].
    pub format: u32,
    /// Texels.
    pub width: u32,
    /// Texels.
    pub height: u32,
    /// Texels; 1 unless [`Dimension::D3`].
    pub depth: u32,
    /// Mip levels, at least 1.
    pub levels: u32,
    /// Layers: more than one is an array; 6 for a cube, a multiple of 6 for an array of cubes; 1 where [`Dimension::D3`].
    pub layers: u32,
    /// [`Dimension`].
    pub dimension: u8,
    /// Samples per pixel: 1, 2, 4, 8.
    pub samples: u8,
    /// [`CreateTexture::TARGET`] and its like.
    pub usage: u8,
    /// Zero.
    pub pad: u8,
    /// What sampling returns for red, green, blue and alpha: four [`Swizzle`] values.
    pub swizzle: [u8; 4],
    /// 0, or a number: textures of the same number have one image, whichever guests of the receiver's process made them. They
    /// must be described equally. What one guest draws is there for another once the first has been told that it is done.
    pub shared: u32,
}

impl CreateTexture {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        let format = format_of(self)?;
        byte("dimension", self.dimension, Dimension::ALL.len())?;
        for (field, edge) in [("width", self.width), ("height", self.height), ("depth", self.depth)] {
            size(field, edge, u32::MAX)?;
        }
        let most = self.width.max(self.height).max(self.depth).ilog2() + 1;
        size("levels", self.levels, most)?;
        let dimension = Dimension::of(self.dimension);
        layers(dimension, self.layers, self.width == self.height)?;
        if dimension != Dimension::D3 && self.depth != 1 {
            return Err(Cause::Range { field: "depth", value: self.depth.into(), limit: 1 });
        }
        let one_sample = self.levels > 1 || dimension == Dimension::D3;
        if !matches!(self.samples, 1 | 2 | 4 | 8 | 16) || (self.samples > 1 && one_sample) {
            return Err(Cause::Range { field: "samples", value: self.samples.into(), limit: 16 });
        }
        for component in self.swizzle {
            byte("swizzle", component, Swizzle::ALL.len())?;
        }
        let sharing = if self.shared == 0 { 0 } else { Self::SHARED_NEW | Self::SHARED_OLD };
        let not_storage = format.is_depth() || format.info().block > 1 || format.info().name.ends_with("_SRGB");
        let storage = if not_storage { 0 } else { Self::STORAGE };
        let samples = if self.samples > 1 { Self::SAMPLED } else { 0 };
        let usages = Self::TARGET | Self::VIEWS | sharing | storage | samples;
        if self.usage & !usages != 0 {
            return Err(Cause::Range { field: "usage", value: self.usage.into(), limit: usages.into() });
        }
        Ok(())
    }
}

impl CreateTexture {
    /// Can be bound as a colour or depth-stencil target (the format says which).
    pub const TARGET: u8 = 1;
    /// No texture may have the number in `shared` yet: else the packet fails.
    pub const SHARED_NEW: u8 = 2;
    /// A texture must have the number in `shared`: else the packet fails.
    pub const SHARED_OLD: u8 = 4;
    /// Can be bound as a storage image. Not for depth, compressed or sRGB formats; with several samples only where the device has that
    /// ([`crate::DeviceInfo::storage_sample_counts`]).
    pub const STORAGE: u8 = 8;
    /// Views of it may have other formats ([`CreateView`]).
    pub const VIEWS: u8 = 16;
    /// Shaders read its samples one by one. Only where there are several: what has one can be sampled in any case.
    pub const SAMPLED: u8 = 32;
    /// Sampling as the format says, without change.
    pub const IDENTITY: [u8; 4] = [0, 1, 2, 3];

    /// A texture of two dimensions, `size` texels wide and high: one level, one layer, one sample, to be sampled from and no more.
    #[must_use]
    pub fn plain(id: ObjectId, format: Format, [width, height]: [u32; 2]) -> Self {
        Self {
            id,
            format: format as u32,
            width,
            height,
            depth: 1,
            levels: 1,
            layers: 1,
            samples: 1,
            swizzle: Self::IDENTITY,
            ..Self::zeroed()
        }
    }
}

/// Body of [`Kind::CreateView`]: what it creates is a texture like any other, whose texels are another's. It is destroyed
/// before that one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateView {
    /// Id to create, a texture's.
    pub id: ObjectId,
    /// The texture that has the texels; no view itself.
    pub source: ObjectId,
    /// [`crate::Format`]: that of the source, or, where that has [`CreateTexture::VIEWS`], one of colours with as many
    /// bytes a block. What the source may be bound as, the view may be too, where its format allows it.
    pub format: u32,
    /// First mip level, which is level 0 of the view.
    pub level: u16,
    /// Levels, at least 1.
    pub levels: u16,
    /// First layer, which is layer 0 of the view.
    pub layer: u16,
    /// Layers, as in [`CreateTexture::layers`].
    pub layers: u16,
    /// [`Dimension`]: of a cube any, of others theirs. A source of [`Dimension::D2`] with square levels and six layers or
    /// more may be seen as a cube.
    pub dimension: u8,
    /// Zero.
    pub pad: [u8; 3],
    /// What sampling returns for red, green, blue and alpha: four [`Swizzle`] values.
    pub swizzle: [u8; 4],
    /// Zero.
    pub pad2: u32,
}

impl CreateView {
    /// The texture that it is like, as a whole of its own.
    #[must_use]
    pub fn texture(&self, source: &CreateTexture) -> CreateTexture {
        let edge = |edge: u32| edge.checked_shr(self.level.into()).unwrap_or(0).max(1);
        CreateTexture {
            id: self.id,
            format: self.format,
            width: edge(source.width),
            height: edge(source.height),
            depth: edge(source.depth),
            levels: self.levels.into(),
            layers: self.layers.into(),
            dimension: self.dimension,
            swizzle: self.swizzle,
            ..*source
        }
    }
}

/// Body of [`Kind::CreateSampler`].
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateSampler {
    /// Id to create.
    pub id: ObjectId,
    /// [`Filter`] when magnifying.
    pub mag: u8,
    /// [`Filter`] when minifying.
    pub min: u8,
    /// [`Filter`] between mip levels.
    pub mip: u8,
    /// 0: only the most detailed allowed level is used.
    pub mipmapped: u8,
    /// [`Address`] for u, v, w.
    pub address: [u8; 3],
    /// 1: compare with `compare`, for shadow lookups.
    pub compare_enable: u8,
    /// [`Compare`].
    pub compare: u8,
    /// 1: decode sRGB where the format has a twin for it.
    pub srgb: u8,
    /// 1: plain lookups of 2D textures give the first component of four texels.
    pub gather: u8,
    /// [`CreateSampler::MINIMUM`] and the like, or nothing.
    pub flags: u8,
    /// Level of detail bias.
    pub lod_bias: f32,
    /// Most detailed level that may be used.
    pub min_lod: f32,
    /// Anisotropy; 1 or less is off.
    pub max_anisotropy: f32,
    /// Border colour, red to alpha; bits of integers with [`CreateSampler::INTEGER_BORDER`].
    pub border: [f32; 4],
    /// Least detailed level that may be used; what is less than `min_lod` counts as that.
    pub max_lod: f32,
}

impl CreateSampler {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        for filter in [self.mag, self.min, self.mip] {
            byte("filter", filter, Filter::ALL.len())?;
        }
        for address in self.address {
            byte("address", address, Address::ALL.len())?;
        }
        byte("compare", self.compare, Compare::ALL.len())?;
        byte("gather", self.gather, 2)?;
        byte("flags", self.flags, 8)?;
        finite("lod_bias", &[self.lod_bias, self.min_lod, self.max_lod, self.max_anisotropy])?;
        match self.flags & Self::INTEGER_BORDER {
            0 => finite("border", &self.border),
            _ => Ok(()),
        }
    }
}

impl CreateSampler {
    /// `max_lod` of a sampler that may use every level.
    pub const EVERY_LEVEL: f32 = 1000.0;
    /// Of the texels that a linear filter blends, the least of each channel is taken ([`crate::DeviceFeatures::MINIMUM_FILTER`]).
    pub const MINIMUM: u8 = 1;
    /// The greatest is taken.
    pub const MAXIMUM: u8 = 2;
    /// It is used with textures of integers: the border is one of those.
    pub const INTEGER_BORDER: u8 = 4;
}

/// Body of [`Kind::CreateShader`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateShader {
    /// Id to create.
    pub id: ObjectId,
    /// [`Stage`].
    pub stage: u32,
    /// Which front end reads the code: a [`Language`].
    pub language: u32,
    /// Zero.
    pub pad: u32,
    /// The guest's code.
    pub code: UploadRef,
}

impl CreateShader {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("stage", self.stage, Stage::ALL.len() as u32 - 1)
    }
}

/// Body of [`Kind::CreateVertexInput`]; the tail is the attributes.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateVertexInput {
    /// Id to create.
    pub id: ObjectId,
    /// Number of attributes, at most 32.
    pub count: u32,
}

impl CreateVertexInput {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self, attributes: &[VertexAttribute]) -> Checked {
        elements(0u32, self.count, VERTEX_ATTRIBUTES)?;
        attributes.iter().try_for_each(VertexAttribute::check)
    }
}

/// One attribute of a [`CreateVertexInput`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct VertexAttribute {
    /// Input location in the shader.
    pub location: u8,
    /// Vertex buffer slot, or [`VertexAttribute::DEFAULT`]: no buffer, reads (0, 0, 0, 1).
    pub slot: u8,
    /// [`crate::VertexFormat`].
    pub format: u8,
    /// 1: advances once per [`VertexAttribute::divisor`] instances instead of per vertex.
    pub per_instance: u8,
    /// Bytes from the start of the vertex.
    pub offset: u16,
    /// Instances per step where `per_instance` is 1.
    pub divisor: u16,
}

impl VertexAttribute {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        byte("location", self.location, VERTEX_ATTRIBUTES)?;
        if self.slot != Self::DEFAULT {
            byte("slot", self.slot, VERTEX_BUFFERS)?;
        }
        if crate::VertexFormat::from_bits(self.format).is_none() {
            let limit = crate::VertexFormat::ALL.len() as u64;
            return Err(Cause::Range { field: "format", value: u64::from(self.format), limit });
        }
        range("offset", self.offset.into(), 2047)
    }
}

impl VertexAttribute {
    /// `slot` of an attribute that no buffer feeds.
    pub const DEFAULT: u8 = 0xff;

    /// An attribute that advances per vertex.
    #[must_use]
    pub const fn per_vertex(location: u8, slot: u8, format: crate::VertexFormat, offset: u16) -> Self {
        Self { location, slot, format: format as u8, per_instance: 0, offset, divisor: 0 }
    }
}

/// Body of [`Kind::CreateTable`]: a table out of which shaders take textures and samplers by themselves ([`afterimage_abi::tables`]). Only for
/// devices with [`crate::DeviceFeatures::TABLES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateTable {
    /// Id to create.
    pub id: ObjectId,
    /// Number of entries, 1 to [`tables::MOST_ENTRIES`].
    pub entries: u32,
}

impl CreateTable {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        size("entries", self.entries, tables::MOST_ENTRIES)
    }
}

/// Body of [`Kind::UpdateTable`]; the tail is the entries. A texture or sampler that is destroyed is taken out of all tables.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct UpdateTable {
    /// The table.
    pub id: ObjectId,
    /// First entry.
    pub first: u32,
    /// Number of entries.
    pub count: u32,
    /// Zero.
    pub pad: u32,
}

/// One entry of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct TableEntry {
    /// The guest's words that it is found by.
    pub tag: [u32; 2],
    /// The texture, or none.
    pub texture: ObjectId,
    /// The sampler, or none.
    pub sampler: ObjectId,
    /// A value of the guest's, up to [`tables::MOST_VALUE`].
    pub value: u32,
    /// The descriptor table that shaders find the texture in ([`afterimage_abi::Table`]): that of its own shape or of another that it has
    /// a view of.
    pub shape: u8,
    /// 1: texels are decoded from sRGB, where the format has a twin for it.
    pub srgb: u8,
    /// Zero.
    pub pad: [u8; 2],
}

impl TableEntry {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("value", self.value, tables::MOST_VALUE)?;
        byte("shape", self.shape, Table::COUNT)?;
        if !self.texture.is_none() && self.shape == Table::Sampler as u8 {
            return Err(Cause::Range { field: "shape", value: self.shape.into(), limit: Table::COUNT as u64 - 1 });
        }
        byte("srgb", self.srgb, 2)
    }
}

/// Body of [`Kind::CreateQuery`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct CreateQuery {
    /// Id to create.
    pub id: ObjectId,
    /// [`QueryKind`].
    pub kind: u32,
}

impl CreateQuery {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("kind", self.kind, QueryKind::ALL.len() as u32 - 1)
    }
}

/// Body of [`Kind::Destroy`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Destroy {
    /// The object.
    pub id: ObjectId,
    /// Zero.
    pub pad: u32,
}

/// Body of [`Kind::UpdateBuffer`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct UpdateBuffer {
    /// The buffer.
    pub id: ObjectId,
    /// [`UpdateBuffer::DISCARD`] or [`UpdateBuffer::NO_OVERWRITE`] or 0.
    pub flags: u32,
    /// First byte to replace.
    pub offset: u64,
    /// The new bytes.
    pub data: UploadRef,
}

impl UpdateBuffer {
    /// Everything in the buffer before is undefined from here on: the receiver may use other memory.
    pub const DISCARD: u32 = 1;
    /// No draw before this one reads the bytes: the receiver may write in place.
    pub const NO_OVERWRITE: u32 = 2;
}

/// Body of [`Kind::UpdateTexture`]. Of a multisampled texture all samples are replaced at once: `z` is 0, `depth` the number of samples,
/// and each slice one sample of the box.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct UpdateTexture {
    /// The texture.
    pub id: ObjectId,
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
    /// Texels, or samples; 1 unless 3D or multisampled.
    pub depth: u32,
    /// Bytes from one row of blocks to the next.
    pub row_pitch: u32,
    /// Bytes from one depth slice to the next; ignored where depth is 1.
    pub slice_pitch: u32,
    /// The new texels.
    pub data: UploadRef,
}

/// Body of [`Kind::GenerateMips`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct GenerateMips {
    /// The texture: every level below 0 is made from the one above, in every layer.
    pub id: ObjectId,
    /// [`Filter`].
    pub filter: u32,
}

impl GenerateMips {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("filter", self.filter, Filter::ALL.len() as u32 - 1)
    }
}

/// Most layers of a texture.
const MOST_LAYERS: u32 = 2048;

/// The layers of a texture or view of a dimension.
pub(crate) fn layers(dimension: Dimension, count: u32, square: bool) -> Checked {
    let (fits, limit) = match dimension {
        Dimension::D2 => (count > 0, MOST_LAYERS),
        Dimension::Cube => (count > 0 && count.is_multiple_of(6) && square, MOST_LAYERS / 6 * 6),
        Dimension::D3 => (count == 1, 1),
    };
    if fits && count <= limit {
        Ok(())
    } else {
        Err(Cause::Range { field: "layers", value: count.into(), limit: limit.into() })
    }
}

/// The format of a texture.
pub(crate) fn format_of(texture: &CreateTexture) -> Result<Format, Cause> {
    let limit = Format::ALL.len() as u64;
    Format::from_bits(texture.format).ok_or(Cause::Range { field: "format", value: texture.format.into(), limit })
}
