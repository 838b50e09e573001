//! What the guest has created.

pub(crate) mod buffer;
pub(crate) mod nulls;
pub(crate) mod sampler;
pub(crate) mod texture;

use crate::error::Result;
use crate::memory::spare::Spare;
use afterimage_metal_calls::{Device, TextureDescriptor};
use afterimage_render::table::Table;
use buffer::Buffer;
use nulls::Nulls;
use sampler::Sampler;
use texture::Texture;

/// Objects by id, and what stands in for those that are not there.
#[derive(Debug)]
pub(crate) struct Resources<D: Device> {
    pub(crate) buffers: Table<Buffer<D>>,
    pub(crate) textures: Table<Texture<D>>,
    pub(crate) samplers: Table<Sampler<D>>,
    /// Whether any sampler or texture has had what shaders make.
    pub(crate) made_samplers: bool,
    pub(crate) nulls: Nulls<D>,
    /// Memory that had other bytes put in its place: of buffers by their length, of textures by what they are.
    pub(crate) spare_buffers: Spare<u64, D::Buffer>,
    pub(crate) spare_textures: Spare<TextureDescriptor, D::Texture>,
}

impl<D: Device> Resources<D> {
    /// Without objects.
    pub(crate) fn new(device: &D, queue: &mut D::Queue) -> Result<Self> {
        Ok(Self {
            buffers: Table::default(),
            textures: Table::default(),
            samplers: Table::default(),
            made_samplers: false,
            nulls: Nulls::new(device, queue)?,
            spare_buffers: Spare::default(),
            spare_textures: Spare::default(),
        })
    }
}
