//! Samplers of guests, and what stands in for images that are not bound.

use crate::resources::layouts::Table;
use crate::resources::sampler::Sampler;
use crate::resources::texture::Texture;
use crate::resources::texture_tables::InTables;
use afterimage_stream::Format;
use afterimage_stream::packets::CreateSampler;
use rustc_hash::FxHashMap;

/// A sampler of the stream.
pub(crate) struct GuestSampler {
    pub(crate) desc: CreateSampler,
    pub(crate) index: u32,
    pub(crate) sampler: Option<Sampler>,
    pub(crate) in_tables: InTables,
}

/// What an image in the place of none is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NullKey {
    /// Of the shape.
    pub(crate) table: Table,
    pub(crate) format: Format,
    /// Whether shaders read it and write it: each way has an image, so that nobody reads what another one wrote.
    pub(crate) access: [bool; 2],
}

/// Images in place of those that are not bound.
pub(crate) type NullImages = FxHashMap<NullKey, Texture>;
