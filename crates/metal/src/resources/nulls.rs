//! What stands in for textures, storage images, samplers and vertex buffers that are not bound.

use crate::error::Result;
use crate::resources::sampler::Sampler;
use crate::resources::texture::Shape;
use afterimage_metal_calls::{
    Aspect, BufferDescriptor, BufferLayout, Device, PixelFormat, Queue, Region, StorageMode, TextureDescriptor,
    TextureUsage,
};
use afterimage_stream::packets::{Compare, CreateSampler};
use bytemuck::Zeroable;

/// What attributes without a buffer read, and textures that are not there.
const NOTHING: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Shapes that there is nothing of.
const SHAPES: [Shape; 5] = [Shape::D2, Shape::D2Array, Shape::Cube, Shape::CubeArray, Shape::D3];

/// Formats of textures, and of images, that are nothing: floats, unsigned and signed integers.
const FORMATS: [PixelFormat; 3] = [PixelFormat::RGBA8Unorm, PixelFormat::RGBA8Uint, PixelFormat::RGBA8Sint];
const IMAGES: [PixelFormat; 3] = [PixelFormat::R32Float, PixelFormat::R32Uint, PixelFormat::R32Sint];

/// Of a shape and a kind of texels.
type Stand<D> = (Shape, u8, <D as Device>::Texture);

/// Stand-ins.
#[derive(Debug)]
pub(crate) struct Nulls<D: Device> {
    /// One texel of opaque black.
    textures: Vec<Stand<D>>,
    /// Depth of 0.
    depths: Vec<Stand<D>>,
    /// Images of one texel, which is what was stored to it last.
    images: Vec<Stand<D>>,
    /// A plain one.
    pub(crate) sampler: D::Sampler,
    /// One for lookups that compare: what is no greater holds, as on Vulkan.
    pub(crate) comparing: D::Sampler,
    /// One vertex of (0, 0, 0, 1).
    pub(crate) vertex: D::Buffer,
}

/// The one of a shape and kind.
fn find<D: Device>(stands: &[Stand<D>], shape: Shape, kind: u8) -> Option<&D::Texture> {
    stands.iter().find(|stand| (stand.0, stand.1) == (shape, kind)).map(|(.., texture)| texture)
}

impl<D: Device> Nulls<D> {
    /// Makes them, and fills them in a blit encoder.
    pub(crate) fn new(device: &D, queue: &mut D::Queue) -> Result<Self> {
        let buffer = |length, label: &str| {
            device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: label.to_owned() })
        };
        let vertex = buffer(16, "no vertex")?;
        device.write(&vertex, 0, bytemuck::bytes_of(&NOTHING))?;
        // A float or integer of zero, and texels of opaque black.
        let texel = buffer(16, "no texel")?;
        device.write(&texel, 4, &[0, 0, 0, 255, 0, 0, 0, 1])?;
        let mut texture = |shape: Shape, format: PixelFormat, write: bool, offset: u64| -> Result<D::Texture> {
            let facts = device.facts();
            let atomic = write && facts.has_texel_atomics() && format.caps(facts).atomic;
            let made = device.new_texture(&TextureDescriptor {
                ty: shape.texture_type(),
                format,
                size: [1, 1, 1],
                levels: 1,
                samples: 1,
                layers: 1,
                usage: TextureUsage { read: true, write, atomic, ..TextureUsage::default() },
                storage: StorageMode::Private,
                label: "no texture".to_owned(),
            })?;
            for slice in 0..if matches!(shape, Shape::Cube | Shape::CubeArray) { 6 } else { 1 } {
                let layout = BufferLayout { offset, bytes_per_row: 4, bytes_per_image: 0 };
                let region = Region { slice, level: 0, origin: [0; 3], size: [1; 3] };
                queue.copy_buffer_to_texture(&texel, layout, &made, region, Aspect::All);
            }
            Ok(made)
        };
        let (mut textures, mut depths, mut images) = (Vec::new(), Vec::new(), Vec::new());
        for shape in SHAPES {
            for (kind, format) in (0..).zip(FORMATS) {
                textures.push((shape, kind, texture(shape, format, false, if kind == 0 { 4 } else { 8 })?));
            }
            if shape != Shape::D3 {
                depths.push((shape, 0, texture(shape, PixelFormat::Depth32Float, false, 0)?));
            }
        }
        for shape in [Shape::D2, Shape::D2Array, Shape::D3] {
            for (kind, format) in (0..).zip(IMAGES) {
                images.push((shape, kind, texture(shape, format, true, 0)?));
            }
        }
        let plain = Sampler::new(device, &CreateSampler::zeroed())?;
        let compares =
            CreateSampler { compare_enable: 1, compare: Compare::LessEqual as u8, ..CreateSampler::zeroed() };
        let comparing = Sampler::new(device, &compares)?.raw;
        Ok(Self { textures, depths, images, sampler: plain.raw, comparing, vertex })
    }

    /// What there is of a shape and a kind of texels; none with samples.
    pub(crate) fn texture(&self, shape: Shape, kind: u8) -> Option<&D::Texture> {
        find::<D>(&self.textures, shape, kind)
    }

    /// What lookups that compare find.
    pub(crate) fn depth(&self, shape: Shape) -> Option<&D::Texture> {
        find::<D>(&self.depths, shape, 0)
    }

    /// What is stored to where no image is bound.
    pub(crate) fn image(&self, shape: Shape, kind: u8) -> Option<&D::Texture> {
        find::<D>(&self.images, shape, kind)
    }
}
