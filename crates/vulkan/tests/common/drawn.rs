//! What the tests of every renderer draw and look at: shaders, vertices, colours, pictures.

use afterimage_stream::packets::{CreateSampler, CreateTexture, Filter};
use afterimage_stream::{Format, ObjectId};
use bytemuck::Zeroable;

/// The vertex shader of most tests: position, colour and texture coordinate pass through.
pub const VERTEX: &str = include_str!("shaders/vertex.air");

/// Writes the interpolated colour.
pub const COLOR: &str = include_str!("shaders/color.air");

/// Writes the first register of the pixel stage's constants.
pub const CONSTANT: &str = include_str!("shaders/constant.air");

/// Samples slot 0.
pub const TEXTURE: &str = include_str!("shaders/texture.air");

/// One vertex of the tests.
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Vertex {
    pub position: [f32; 4],
    pub color: [f32; 4],
    pub texcoord: [f32; 2],
}

/// A vertex by position and colour; texture coordinates cover the screen from the upper left.
pub fn vertex(x: f32, y: f32, z: f32, color: [f32; 4]) -> Vertex {
    Vertex { position: [x, y, z, 1.0], color, texcoord: [x * 0.5 + 0.5, 0.5 - y * 0.5] }
}

/// Two triangles over a rectangle of clip space.
pub fn quad(x: [f32; 2], y: [f32; 2], z: f32, color: [f32; 4]) -> [Vertex; 6] {
    let v = |i: usize, j: usize| vertex(x[i], y[j], z, color);
    [v(0, 0), v(0, 1), v(1, 1), v(0, 0), v(1, 1), v(1, 0)]
}

/// Over the whole screen.
pub fn full(z: f32, color: [f32; 4]) -> [Vertex; 6] {
    quad([-1.0, 1.0], [-1.0, 1.0], z, color)
}

pub const RED: [f32; 4] = [1.0, 0.0, 0.0, 1.0];
pub const GREEN: [f32; 4] = [0.0, 1.0, 0.0, 1.0];
pub const BLUE: [f32; 4] = [0.0, 0.0, 1.0, 1.0];
pub const BLACK: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// A 2D texture's description.
pub fn plain(format: Format, width: u32, height: u32, levels: u32) -> CreateTexture {
    CreateTexture { levels, ..CreateTexture::plain(ObjectId::NONE, format, [width, height]) }
}

/// A sampler with one filter everywhere, that repeats.
pub fn sampling(filter: Filter) -> CreateSampler {
    let filter = filter as u8;
    let max_lod = CreateSampler::EVERY_LEVEL;
    CreateSampler { mag: filter, min: filter, mip: filter, mipmapped: 1, max_lod, ..CreateSampler::zeroed() }
}

/// A picture read back.
pub struct Pixels {
    pub width: u32,
    pub pixels: Vec<[u8; 4]>,
}

impl Pixels {
    pub fn at(&self, x: u32, y: u32) -> [u8; 4] {
        self.pixels[(y * self.width + x) as usize]
    }

    pub fn count(&self, pixel: [u8; 4]) -> usize {
        self.pixels.iter().filter(|&&p| p == pixel).count()
    }
}

/// A colour as pixels of R8G8B8A8 have it.
pub fn rgba(color: [f32; 4]) -> [u8; 4] {
    color.map(|c| (c * 255.0).round() as u8)
}
