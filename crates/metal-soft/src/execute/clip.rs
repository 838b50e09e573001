//! Clipping, and the way to the picture.
//!
//! Metal's documents say what is left of a primitive and where it comes out, and nothing of how numbers are rounded meanwhile. Here they are
//! floats, in the order in which lavapipe computes with them, so that its pictures and ours can be compared: at the planes of the clip volume,
//! `x` and `y` among them, values of corners that are cut lie between those of the two that the edge has, and so does their place in clip space.
//! Facts: Mesa 25.0, `draw_llvm.c` (tests, viewport) and `draw_pipe_clip.c`.

use std::borrow::Cow;

use afterimage_metal_calls::{DepthClipMode, Viewport};

use super::vertex::Vertex;
use crate::text::Interpolation;

/// A viewport as what positions are multiplied by and moved.
#[derive(Clone, Copy, Debug)]
pub(crate) struct View {
    scale: [f32; 3],
    middle: [f32; 3],
}

impl View {
    pub(crate) fn of(viewport: &Viewport) -> Self {
        let [left, top] = viewport.origin.map(|v| v as f32);
        let [width, height] = viewport.size.map(|v| v as f32);
        let [near, far] = viewport.depth;
        // y is up in clip space, and down in the picture.
        let scale = [0.5 * width, -0.5 * height, (far - near) as f32];
        let middle = [0.5 * width + left, -0.5 * height + (top + height), near as f32];
        Self { scale, middle }
    }

    /// The pixels that it has: left, top, right, bottom.
    pub(crate) fn pixels(&self) -> [i64; 4] {
        let [half_width, half_height] = [self.scale[0], self.scale[1].abs()];
        let [left, top] = [self.middle[0] - half_width, self.middle[1] - half_height];
        // Those whose middle is inside. Conversions saturate.
        let first = |v: f32| (v + 0.499) as i64;
        let last = |half: f32, from: f32| (half * 2.0 + from - 0.501) as i64;
        [first(left), first(top), last(half_width, left) + 1, last(half_height, top) + 1]
    }

    /// In texels, with depth and 1/w: of a vertex.
    fn vertex(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let over_w = 1.0 / w;
        let at = |v: f32, i: usize| (v * over_w).mul_add(self.scale[i], self.middle[i]);
        [at(x, 0), at(y, 1), at(z, 2), over_w]
    }

    /// The same of a corner that was cut, whose sum is rounded once more.
    fn cut(&self, [x, y, z, w]: [f32; 4]) -> [f32; 4] {
        let over_w = 1.0 / w;
        let at = |v: f32, i: usize| v * over_w * self.scale[i] + self.middle[i];
        [at(x, 0), at(y, 1), at(z, 2), over_w]
    }
}

/// A vertex, or where an edge was cut.
#[derive(Clone, Debug)]
pub(crate) struct Corner<'a> {
    position: [f32; 4],
    distances: [f32; 8],
    /// In texels, with depth and 1/w.
    pub(crate) window: [f32; 4],
    /// What fragments take.
    pub(crate) values: Cow<'a, [[u32; 4]]>,
    /// Whether the edge to the next corner is one of those that are drawn where triangles are filled as lines.
    pub(crate) edge: bool,
}

/// Of a primitive: the clip volume, what else is cut, and how values lie between those of vertices.
pub(crate) struct Clipper<'a> {
    pub(crate) view: View,
    pub(crate) mode: DepthClipMode,
    /// How many distances vertices have.
    pub(crate) distances: u32,
    /// Of the fragment function's inputs.
    pub(crate) inputs: &'a [Interpolation],
}

/// Planes of the clip volume, inside of which their product with a position is not less than zero: x, y, near and far.
const PLANES: [[f32; 4]; 6] = [
    [-1.0, 0.0, 0.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, -1.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, -1.0, 1.0],
];
/// Bits of [`Clipper::outside`]: the first four planes, and the others.
const XY: u32 = 0xf;

impl Clipper<'_> {
    fn corner<'v>(&self, vertex: &'v Vertex) -> Corner<'v> {
        Corner {
            position: vertex.position,
            distances: vertex.clip,
            window: self.view.vertex(vertex.position),
            values: Cow::Borrowed(&vertex.varyings),
            edge: true,
        }
    }

    /// Which planes a vertex is outside of, a bit for each: those of the volume, and from the sixth on the distances. No number is outside.
    fn outside(&self, vertex: &Vertex) -> u32 {
        let [x, y, z, w] = vertex.position;
        let not = |inside: bool, bit: u32| u32::from(!inside) << bit;
        let mut out = not(x <= w, 0) | not(x + w >= 0.0, 1) | not(y <= w, 2) | not(y + w >= 0.0, 3);
        if self.mode == DepthClipMode::Clip {
            out |= not(z >= 0.0, 4) | not(z <= w, 5);
        }
        for (n, distance) in vertex.clip.iter().take(self.distances as usize).enumerate() {
            out |= not(*distance >= 0.0 && distance.is_finite(), 6 + n as u32);
        }
        out
    }

    /// How far inside of a plane a corner is, unless that is no number or without end.
    fn inside(&self, corner: &Corner<'_>, plane: u32) -> Option<f32> {
        let far = match PLANES.get(plane as usize) {
            Some(plane) => {
                let [x, y, z, w]: [f32; 4] = std::array::from_fn(|i| corner.position[i] * plane[i]);
                x + y + z + w
            }
            None => corner.distances[plane as usize - PLANES.len()],
        };
        far.is_finite().then_some(far)
    }

    /// What lies between two corners: the first, and a part of the way to the second.
    fn between(&self, from: &Corner<'_>, to: &Corner<'_>, by: f32) -> Corner<'static> {
        let mix = |a: f32, b: f32, by: f32| a + by * (b - a);
        let position: [f32; 4] = std::array::from_fn(|i| mix(from.position[i], to.position[i], by));
        let distances = std::array::from_fn(|i| mix(from.distances[i], to.distances[i], by));
        // The part in the picture, along the axis on which they are further apart. (lavapipe takes the first on which they are apart in
        // clip space, though they may be at the same place in the picture there.)
        let places = [&from.position, &to.position, &position].map(|at| [at[0] / at[3], at[1] / at[3]]);
        let [from_x, from_y] = [0, 1].map(|axis| (places[1][axis] - places[0][axis]).abs());
        let axis = usize::from(from_y > from_x);
        let [a, b, c] = places.map(|place| place[axis]);
        let linear = if a == b { by } else { (c - a) / (b - a) };
        let values = self.inputs.iter().enumerate().map(|(n, input)| {
            let (a, b) = (from.values[n], to.values[n]);
            let by = match input {
                Interpolation::Flat => return a,
                Interpolation::Linear { .. } => linear,
                Interpolation::Perspective { .. } => by,
            };
            std::array::from_fn(|c| mix(f32::from_bits(a[c]), f32::from_bits(b[c]), by).to_bits())
        });
        Corner { position, distances, window: self.view.cut(position), values: values.collect(), edge: false }
    }

    /// What is left of a triangle: a polygon, of which the first corner is that of all triangles that it is made of.
    pub(crate) fn triangle<'v>(&self, vertices: [&'v Vertex; 3]) -> Vec<Corner<'v>> {
        let outside = vertices.map(|v| self.outside(v));
        let mut all = vertices.map(|v| self.corner(v)).to_vec();
        if outside[0] & outside[1] & outside[2] != 0 {
            return Vec::new();
        }
        let planes = outside[0] | outside[1] | outside[2];
        for plane in (0..u32::BITS).filter(|p| planes >> p & 1 == 1) {
            // What is nowhere cannot be cut.
            let Some(far) = all.iter().map(|c| self.inside(c, plane)).collect::<Option<Vec<f32>>>() else {
                return Vec::new();
            };
            let mut left = Vec::with_capacity(all.len() + 1);
            for n in 0..all.len() {
                let next = (n + 1) % all.len();
                if far[n] >= 0.0 {
                    left.push(all[n].clone());
                }
                if (far[n] >= 0.0) == (far[next] >= 0.0) {
                    continue;
                }
                // From the corner that is nearer; if both are as near, from the one inside.
                let whole = far[next] - far[n];
                let nearer = far[next].abs() < far[n].abs() || far[n] < 0.0 && far[next] == -far[n];
                let mut cut = if nearer {
                    self.between(&all[next], &all[n], far[next] / whole)
                } else {
                    self.between(&all[n], &all[next], -far[n] / whole)
                };
                // On the way out the next edge runs along the plane: those of the volume are not drawn.
                cut.edge = if far[n] >= 0.0 { plane as usize >= PLANES.len() } else { all[n].edge };
                left.push(cut);
            }
            all = left;
            if all.len() < 3 {
                return Vec::new();
            }
        }
        all
    }

    /// What is left of a line. It is not cut at the sides of the clip volume, but its pixels are there alone.
    pub(crate) fn line<'v>(&self, vertices: [&'v Vertex; 2]) -> Option<[Corner<'v>; 2]> {
        let outside = vertices.map(|v| self.outside(v));
        let ends = vertices.map(|v| self.corner(v));
        let planes = outside[0] | outside[1];
        if planes & !XY == 0 {
            let behind = ends.iter().all(|end| end.position[3] <= 0.0);
            let nowhere = ends.iter().any(|end| end.position[0].is_nan() || end.position[1].is_nan());
            return (planes == 0 || !behind && !nowhere).then_some(ends);
        }
        if outside[0] & outside[1] != 0 {
            return None;
        }
        let mut parts = [0.0f32; 2];
        for plane in (0..u32::BITS).filter(|p| planes & !XY & 1 << p != 0) {
            let [a, b] = [self.inside(&ends[0], plane)?, self.inside(&ends[1], plane)?];
            if b < 0.0 {
                parts[1] = parts[1].max(b / (b - a));
            }
            if a < 0.0 {
                parts[0] = parts[0].max(a / (a - b));
            }
            if parts[0] + parts[1] >= 1.0 {
                return None;
            }
        }
        let [a, b] = &ends;
        let cut = |n: usize, from: &Corner<'v>, to: &Corner<'v>| {
            if outside[n] == 0 { from.clone() } else { self.between(from, to, parts[n]) }
        };
        Some([cut(0, a, b), cut(1, b, a)])
    }

    /// A point: there as long as its middle is between near and far, wherever the picture ends.
    pub(crate) fn point<'v>(&self, vertex: &'v Vertex) -> Option<Corner<'v>> {
        let outside = self.outside(vertex);
        let [x, y, _, w] = vertex.position;
        let beside = outside & !XY == 0 && w > 0.0 && x.is_finite() && y.is_finite();
        (outside == 0 || beside).then(|| self.corner(vertex))
    }
}
