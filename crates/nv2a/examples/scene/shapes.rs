//! Geometry, textures and matrices made by code.

use afterimage_nv2a::driver::transform::{IDENTITY, Matrix};
use afterimage_nv2a::driver::{Element, ElementType, declaration::slot};
use afterimage_texture::swizzle::{Morton, Pitch, Region};
use std::f32::consts::TAU;

/// A vertex in memory.
#[derive(Clone, Copy, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub(crate) struct Vertex {
    pub(crate) position: [f32; 3],
    pub(crate) normal: [f32; 3],
    /// 0xAARRGGBB.
    pub(crate) color: u32,
    pub(crate) uv: [f32; 2],
}

impl Vertex {
    /// Bytes from one to the next.
    pub(crate) const STRIDE: u32 = size_of::<Self>() as u32;

    /// Where its parts are, for a declaration.
    pub(crate) fn elements() -> [Element; 4] {
        let element = |attribute: usize, offset, ty| Element { attribute: attribute as u8, stream: 0, offset, ty };
        [
            element(slot::POSITION, 0, ElementType::Float3),
            element(slot::NORMAL, 12, ElementType::Float3),
            element(slot::DIFFUSE, 24, ElementType::Color),
            element(slot::TEXTURE0, 28, ElementType::Float2),
        ]
    }
}

/// Triangles: vertices, and the indices of each three, clockwise from outside.
#[derive(Clone, Debug)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) indices: Vec<u16>,
}

impl Mesh {
    pub(crate) fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.vertices)
    }
}

/// A ring around the y axis. `steps` around the axis, and around the tube.
pub(crate) fn torus(radius: f32, tube: f32, steps: [u16; 2]) -> Mesh {
    let [around, across] = steps;
    let vertices = (0..=around).flat_map(|i| {
        let (u, (sin, cos)) = (f32::from(i) / f32::from(around), (f32::from(i) / f32::from(around) * TAU).sin_cos());
        (0..=across).map(move |j| {
            let v = f32::from(j) / f32::from(across);
            let (up, out) = (v * TAU).sin_cos();
            let normal = [out * cos, up, out * sin];
            let distance = radius + tube * out;
            Vertex { position: [distance * cos, tube * up, distance * sin], normal, color: !0, uv: [u * 8.0, v * 2.0] }
        })
    });
    let indices = (0..around).flat_map(|i| {
        (0..across).flat_map(move |j| {
            let (a, b) = (i * (across + 1) + j, (i + 1) * (across + 1) + j);
            [a, a + 1, b, b, a + 1, b + 1]
        })
    });
    Mesh { vertices: vertices.collect(), indices: indices.collect() }
}

/// A cube of side 2 around the origin.
pub(crate) fn cube() -> Mesh {
    let mut mesh = Mesh { vertices: Vec::new(), indices: Vec::new() };
    for face in 0..6 {
        let (axis, sign) = (face / 2, if face % 2 == 0 { 1.0 } else { -1.0 });
        let place = |u: f32, v: f32| {
            let mut at = [0.0; 3];
            (at[axis], at[(axis + 1) % 3], at[(axis + 2) % 3]) = (sign, u * sign, v);
            at
        };
        let base = mesh.vertices.len() as u16;
        for [u, v] in [[-1.0, -1.0], [-1.0, 1.0], [1.0, 1.0], [1.0, -1.0]] {
            let mut normal = [0.0; 3];
            normal[axis] = sign;
            let uv = [(u + 1.0) / 2.0, (v + 1.0) / 2.0];
            mesh.vertices.push(Vertex { position: place(u, v), normal, color: !0, uv });
        }
        mesh.indices.extend([0, 2, 1, 0, 3, 2].map(|i| base + i));
    }
    mesh
}

/// A square floor at a height, as a strip of two triangles.
pub(crate) fn floor(side: f32, height: f32, repeats: f32) -> [Vertex; 4] {
    [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]].map(|[x, z]| Vertex {
        position: [x * side, height, z * side],
        normal: [0.0, 1.0, 0.0],
        color: !0,
        uv: [(x + 1.0) / 2.0 * repeats, (z + 1.0) / 2.0 * repeats],
    })
}

/// Sides of textures, in texels.
pub(crate) const TEXTURE_SIDE: u32 = 64;

/// A swizzled A8R8G8B8 texture of [`TEXTURE_SIDE`]: `texel` gives the colour at x and y.
pub(crate) fn swizzled(texel: impl Fn(u32, u32) -> u32) -> Vec<u8> {
    let rows: Vec<u32> =
        (0..TEXTURE_SIDE * TEXTURE_SIDE).map(|at| texel(at % TEXTURE_SIDE, at / TEXTURE_SIDE)).collect();
    let mut image = vec![0; rows.len() * 4];
    let log2 = TEXTURE_SIDE.ilog2();
    let order = Morton::new([log2, log2, 0]).expect("a size that is supported");
    let (pitch, all) = (Pitch::tight(TEXTURE_SIDE, TEXTURE_SIDE, 4), Region::all(order.size()));
    order.swizzle(4, bytemuck::cast_slice(&rows), pitch, &mut image, all).expect("all texels are inside");
    image
}

/// Two colours in squares of 8 texels.
pub(crate) fn checker(light: u32, dark: u32) -> impl Fn(u32, u32) -> u32 {
    move |x, y| if (x / 8 + y / 8) % 2 == 0 { light } else { dark }
}

/// `a`, then `b`.
pub(crate) fn then(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

pub(crate) fn translation(by: [f32; 3]) -> Matrix {
    let mut m = IDENTITY;
    m[3][..3].copy_from_slice(&by);
    m
}

/// A turn by an angle from one axis towards another.
pub(crate) fn rotation(from: usize, to: usize, angle: f32) -> Matrix {
    let (sin, cos) = angle.sin_cos();
    let mut m = IDENTITY;
    (m[from][from], m[to][to], m[from][to], m[to][from]) = (cos, cos, sin, -sin);
    m
}

/// A view along +z; `height` is the cotangent of half the vertical angle.
pub(crate) fn perspective(height: f32, aspect: f32, near: f32, far: f32) -> Matrix {
    let depth = far / (far - near);
    [[height / aspect, 0.0, 0.0, 0.0], [0.0, height, 0.0, 0.0], [0.0, 0.0, depth, 1.0], [0.0, 0.0, -near * depth, 0.0]]
}

/// Rows as programs want them, whose components are dot products.
pub(crate) fn transposed(m: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| m[column][row]))
}
