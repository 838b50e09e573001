//! Samplers of guests, and what stands in for images that are not bound.

use crate::resources::sampler::Sampler;
use crate::resources::texture::Texture;
use crate::resources::texture_tables::InTables;
use afterimage_stream::packets::CreateSampler;
use rustc_hash::FxHashMap;

/// A sampler of the stream.
pub(crate) struct GuestSampler {
    pub(crate) desc: CreateSampler,
    pub(crate) index: u32,
    pub(crate) sampler: Option<Sampler>,
    pub(crate) in_tables: InTables,
}

/// Images in place of those that are not bound, by shape and kind of texels.
pub(crate) type NullImages = FxHashMap<(u8, u8), Texture>;
