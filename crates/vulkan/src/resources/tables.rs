//! Everything that a guest has created but shaders and queries, and the tables through which shaders find it.

use crate::device::gpu::Gpu;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::memory::buffer::GuestBuffer;
use crate::resources::descriptors::Descriptors;
use crate::resources::layouts::Table as Descriptor;
use crate::resources::objects::{GuestSampler, NullImages};
use crate::resources::sampler::Sampler;
use crate::resources::texture::Texture;
use crate::resources::texture_tables::TextureTables;
use afterimage_render::table::Table;
use afterimage_stream::packets::{Compare, CreateSampler, CreateTexture, Dimension, Swizzle};
use afterimage_stream::{Format, FormatFeatures, ObjectId};
use ash::vk;
use bytemuck::Zeroable;
use std::sync::Arc;

/// Buffers, textures and samplers of a guest, and what stands in for those that are not bound.
pub(crate) struct Resources {
    pub(crate) descriptors: Descriptors,
    pub(crate) buffers: Table<GuestBuffer>,
    pub(crate) textures: Table<Texture>,
    /// Those of them whose images are shared.
    pub(crate) shared: Vec<ObjectId>,
    pub(crate) samplers: Table<GuestSampler>,
    pub(crate) texture_tables: TextureTables,
    /// Textures in the transfer layout in the `before` commands.
    pub(crate) uploading: Vec<ObjectId>,
    /// Read by attributes that no buffer feeds: (0, 0, 0, 1), then zeros.
    pub(crate) default_vertex: Buffer,
    /// Null objects of the descriptor tables.
    null_textures: Vec<Texture>,
    /// In place of storage images that are not bound.
    pub(crate) null_images: NullImages,
    null_samplers: Vec<Sampler>,
}

impl Resources {
    /// Empty tables.
    ///
    /// # Errors
    /// Where Vulkan refuses something basic.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Self> {
        let mut default_vertex = Buffer::new(gpu, "default vertex", 256, Place::Stream)?;
        default_vertex.bytes_mut(0, 256).fill(0);
        default_vertex.bytes_mut(12, 4).copy_from_slice(&1f32.to_le_bytes());
        Ok(Self {
            descriptors: Descriptors::new(gpu)?,
            buffers: Table::default(),
            textures: Table::default(),
            shared: Vec::new(),
            samplers: Table::default(),
            texture_tables: TextureTables::default(),
            uploading: Vec::new(),
            default_vertex,
            null_textures: Vec::new(),
            null_images: NullImages::default(),
            null_samplers: Vec::new(),
        })
    }

    /// The first numbers of every table: textures that read (0, 0, 0, 1), of floats, unsigned and signed integers, and a plain
    /// sampler. Those of floats are depth where depth is compared, which Vulkan wants of all that such an instruction may reach. `cmd` is a command buffer that runs before any other.
    ///
    /// # Errors
    /// Where memory runs out.
    pub(crate) fn make_null_objects(&mut self, gpu: &Arc<Gpu>, cmd: vk::CommandBuffer) -> Result {
        let shapes = [
            (Descriptor::D2, Dimension::D2, 1, 1),
            (Descriptor::Cube, Dimension::Cube, 6, 1),
            (Descriptor::D3, Dimension::D3, 1, 1),
            (Descriptor::D2Array, Dimension::D2, 2, 1),
            (Descriptor::CubeArray, Dimension::Cube, 12, 1),
            (Descriptor::D2Ms, Dimension::D2, 1, 4),
            (Descriptor::D2MsArray, Dimension::D2, 2, 4),
        ];
        for (table, dimension, layers, samples) in shapes {
            if table == Descriptor::CubeArray && !gpu.profile.shaders.cube_arrays {
                continue;
            }
            // Shaders compare with depth in the same array that they look textures up in.
            let depth = gpu.profile.choice(Format::D16_UNORM).features;
            let compares = FormatFeatures::SAMPLED | FormatFeatures::LINEAR;
            let floats = match table {
                Descriptor::D3 | Descriptor::D2Ms | Descriptor::D2MsArray => Format::R8G8B8A8_UNORM,
                _ if depth & compares == compares => Format::D16_UNORM,
                _ => Format::R8G8B8A8_UNORM,
            };
            let nothing = [Swizzle::Zero, Swizzle::Zero, Swizzle::Zero, Swizzle::One];
            // What is compared comes through no swizzle (Vulkan leaves open what it is behind one), so it is in the texel.
            let compared = [Swizzle::Red, Swizzle::Zero, Swizzle::Zero, Swizzle::One];
            let formats = [floats, Format::R8G8B8A8_UINT, Format::R8G8B8A8_SINT, floats];
            for (format, swizzle) in formats.into_iter().zip([nothing, nothing, nothing, compared]) {
                let samples = if samples > 1 { gpu.profile.null_samples(format) } else { 1 };
                let desc = CreateTexture {
                    layers,
                    dimension: dimension as u8,
                    samples,
                    usage: if samples > 1 { CreateTexture::SAMPLED } else { 0 },
                    swizzle: swizzle.map(|channel| channel as u8),
                    ..CreateTexture::plain(ObjectId::NONE, format, [1, 1])
                };
                let texture = Texture::new(gpu, &desc)?;
                texture.clear_all(gpu, cmd);
                if let Some(view) = &texture.view {
                    self.descriptors.add_view(table, view.raw, texture.home, 0);
                }
                self.null_textures.push(texture);
            }
        }
        let plain = CreateSampler::zeroed();
        for desc in [plain, CreateSampler { compare_enable: 1, compare: Compare::LessEqual as u8, ..plain }] {
            let sampler = Sampler::new(gpu, &desc)?;
            self.descriptors.add_sampler(sampler.raw, 0);
            self.null_samplers.push(sampler);
        }
        Ok(())
    }
}
