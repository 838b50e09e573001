//! What stands in for textures, samplers and vertex buffers that are not bound.

use crate::error::Result;
use crate::resources::sampler::Sampler;
use crate::resources::texture::Shape;
use afterimage_metal_calls::{
    Aspect, BufferDescriptor, BufferLayout, Device, PixelFormat, Queue, Region, StorageMode, TextureDescriptor,
    TextureUsage,
};
use afterimage_stream::packets::CreateSampler;
use bytemuck::Zeroable;

/// What attributes without a buffer read, and textures that are not there.
const NOTHING: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Stand-ins.
#[derive(Debug)]
pub(crate) struct Nulls<D: Device> {
    /// A texture of each shape.
    textures: [D::Texture; 6],
    /// Depth of 0, as a plane and as a cube.
    depths: [D::Texture; 2],
    /// A plain one.
    pub(crate) sampler: D::Sampler,
    /// One vertex of (0, 0, 0, 1).
    pub(crate) vertex: D::Buffer,
}

impl<D: Device> Nulls<D> {
    /// Makes them, and fills them in a blit encoder.
    pub(crate) fn new(device: &D, queue: &mut D::Queue) -> Result<Self> {
        let buffer = |length, label: &str| {
            device.new_buffer(&BufferDescriptor { length, storage: StorageMode::Shared, label: label.to_owned() })
        };
        let vertex = buffer(16, "no vertex")?;
        device.write(&vertex, 0, bytemuck::bytes_of(&NOTHING))?;
        let texel = buffer(8, "no texel")?;
        device.write(&texel, 0, &[0, 0, 0, 255])?;
        let texture = |shape: Shape, format: PixelFormat| {
            device.new_texture(&TextureDescriptor {
                ty: shape.texture_type(),
                format,
                size: [1, 1, 1],
                levels: 1,
                samples: 1,
                layers: 1,
                usage: TextureUsage { read: true, ..TextureUsage::default() },
                storage: StorageMode::Private,
                label: "no texture".to_owned(),
            })
        };
        let color = |shape| texture(shape, PixelFormat::RGBA8Unorm);
        let (d2, array, cube, d3) = (color(Shape::D2)?, color(Shape::D2Array)?, color(Shape::Cube)?, color(Shape::D3)?);
        let depth = |shape| texture(shape, PixelFormat::Depth32Float);
        let depths = [depth(Shape::D2)?, depth(Shape::Cube)?];
        let plain = Sampler::new(device, &CreateSampler::zeroed())?;
        // Shapes that the writer of shaders has no types for are never asked for.
        let textures = [d2.clone(), array, cube, d3, d2.clone(), d2];
        let nulls = Self { textures, depths, sampler: plain.raw, vertex };
        nulls.fill(&texel, queue);
        Ok(nulls)
    }

    /// What there is of a shape.
    pub(crate) fn texture(&self, shape: Shape) -> &D::Texture {
        &self.textures[shape as usize]
    }

    /// What lookups that compare find.
    pub(crate) fn depth(&self, shape: Shape) -> &D::Texture {
        &self.depths[usize::from(shape == Shape::Cube)]
    }

    /// Writes the texels: one of opaque black, and one of depth.
    fn fill(&self, texel: &D::Buffer, queue: &mut D::Queue) {
        for shape in [Shape::D2, Shape::D2Array, Shape::Cube, Shape::D3] {
            for slice in 0..if shape == Shape::Cube { 6 } else { 1 } {
                let layout = BufferLayout { offset: 0, bytes_per_row: 4, bytes_per_image: 0 };
                let region = Region { slice, level: 0, origin: [0; 3], size: [1; 3] };
                queue.copy_buffer_to_texture(texel, layout, self.texture(shape), region, Aspect::All);
                if matches!(shape, Shape::D2 | Shape::Cube) {
                    let layout = BufferLayout { offset: 4, ..layout };
                    queue.copy_buffer_to_texture(texel, layout, self.depth(shape), region, Aspect::All);
                }
            }
        }
    }
}
