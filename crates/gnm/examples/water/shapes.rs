//! Geometry, textures and matrices made by code.

use std::f32::consts::TAU;

/// A vertex in memory: position, u, normal, v.
pub(crate) type Vertex = [f32; 8];
/// Rows that dot products are made with.
pub(crate) type Matrix = [[f32; 4]; 4];

/// A ring around the y axis: vertices, and the indices of its triangles. `steps` around the axis, and around the tube.
pub(crate) fn torus(radius: f32, tube: f32, steps: [u16; 2]) -> (Vec<Vertex>, Vec<u16>) {
    let [around, across] = steps;
    let turn = |at: u16, of: u16| f32::from(at) / f32::from(of);
    let vertices = (0..=around).flat_map(|i| {
        let (u, (sin, cos)) = (turn(i, around), (turn(i, around) * TAU).sin_cos());
        (0..=across).map(move |j| {
            let v = turn(j, across);
            let (up, out) = (v * TAU).sin_cos();
            let distance = radius + tube * out;
            [distance * cos, tube * up, distance * sin, u * 8.0, out * cos, up, out * sin, v * 2.0]
        })
    });
    (vertices.collect(), grid([across + 1, around + 1]))
}

/// Indices of the triangles between the points of a grid, which lie line by line.
pub(crate) fn grid([columns, lines]: [u16; 2]) -> Vec<u16> {
    let cells = (0..lines - 1).flat_map(|line| (0..columns - 1).map(move |column| line * columns + column));
    cells.flat_map(|a| [a, a + 1, a + columns, a + columns, a + 1, a + columns + 1]).collect()
}

/// Side of [`checker`], in texels.
pub(crate) const TEXTURE_SIDE: u32 = 64;

/// Texels of two colours, 0xAABBGGRR, in squares of 8.
pub(crate) fn checker(light: u32, dark: u32) -> Vec<u32> {
    let texel = |x: u32, y: u32| if (x / 8 + y / 8).is_multiple_of(2) { light } else { dark };
    (0..TEXTURE_SIDE * TEXTURE_SIDE).map(|at| texel(at % TEXTURE_SIDE, at / TEXTURE_SIDE)).collect()
}

/// First `b`, then `a`.
pub(crate) fn product(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

pub(crate) fn translation([x, y, z]: [f32; 3]) -> Matrix {
    [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z], [0.0, 0.0, 0.0, 1.0]]
}

/// A turn by an angle from one axis towards another.
pub(crate) fn rotation(from: usize, to: usize, angle: f32) -> Matrix {
    let (sin, cos) = angle.sin_cos();
    let mut m = translation([0.0; 3]);
    (m[from][from], m[to][to], m[to][from], m[from][to]) = (cos, cos, sin, -sin);
    m
}

/// A view along +z; `height` is the cotangent of half the vertical angle.
pub(crate) fn perspective(height: f32, aspect: f32, near: f32, far: f32) -> Matrix {
    let depth = far / (far - near);
    [[height / aspect, 0.0, 0.0, 0.0], [0.0, height, 0.0, 0.0], [0.0, 0.0, depth, -near * depth], [0.0, 0.0, 1.0, 0.0]]
}
