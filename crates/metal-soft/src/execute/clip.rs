//! Clipping, in homogeneous coordinates, and the way to the picture.

use afterimage_metal_calls::{DepthClipMode, Viewport};

use super::vertex::Vertex;

/// Steps of a texel.
pub(crate) const STEPS: i64 = 256;

/// A corner of what is left: where it is, of which parts of the primitive's vertices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    pub(crate) position: [f64; 4],
    pub(crate) parts: [f64; 3],
}

/// A corner in the picture.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    /// In steps of a texel, from the top left.
    pub(crate) x: i64,
    pub(crate) y: i64,
    /// The same before they were rounded, in texels.
    pub(crate) exact: [f64; 2],
    pub(crate) z: f64,
    pub(crate) over_w: f64,
    pub(crate) parts: [f64; 3],
}

/// How far from the origin corners may be, in texels: what the rasteriser's numbers have room for.
const GUARD: f64 = (1 << 20) as f64;

/// What a plane leaves is where this is not less than zero.
enum Plane {
    Near,
    Far,
    /// No corner behind the eye, nor in it.
    Eye,
    Distance(usize),
    /// Axis and side.
    Guard(usize, f64),
}

/// How much a vertex is on the good side of a plane.
fn side(plane: &Plane, position: [f64; 4], distances: &[f64; 8], guard: [f64; 2]) -> f64 {
    match plane {
        Plane::Near => position[2],
        Plane::Far => position[3] - position[2],
        Plane::Eye => position[3] - 1e-12,
        Plane::Distance(n) => distances[*n],
        Plane::Guard(axis, sign) => position[3] * guard[*axis] + sign * position[*axis],
    }
}

fn planes(mode: DepthClipMode, distances: u32, with_guard: bool) -> Vec<Plane> {
    let mut out = vec![Plane::Eye];
    if mode == DepthClipMode::Clip {
        out.extend([Plane::Near, Plane::Far]);
    }
    out.extend((0..distances as usize).map(Plane::Distance));
    if with_guard {
        out.extend([Plane::Guard(0, 1.0), Plane::Guard(0, -1.0), Plane::Guard(1, 1.0), Plane::Guard(1, -1.0)]);
    }
    out
}

fn guard(viewport: &Viewport) -> [f64; 2] {
    std::array::from_fn(|i| {
        let half = (viewport.size[i] / 2.0).abs().max(1e-6);
        let middle = (viewport.origin[i] + viewport.size[i] / 2.0).abs();
        ((GUARD - middle) / half).max(1.0)
    })
}

/// What is left of a primitive's `N` vertices: a polygon, the ends of a line, or a point.
pub(crate) fn clip(vertices: &[&Vertex], mode: DepthClipMode, distances: u32, viewport: &Viewport) -> Vec<Corner> {
    let limits = guard(viewport);
    let mut all: Vec<Corner> = vertices
        .iter()
        .enumerate()
        .map(|(n, v)| {
            let mut parts = [0.0; 3];
            parts[n] = 1.0;
            Corner { position: v.position.map(f64::from), parts }
        })
        .collect();
    // What is no number is nowhere.
    if all.iter().any(|c| c.position.iter().any(|p| !p.is_finite())) {
        return Vec::new();
    }
    let distance_of = |parts: [f64; 3]| -> [f64; 8] {
        std::array::from_fn(|n| vertices.iter().zip(parts).map(|(v, part)| f64::from(v.clip[n]) * part).sum())
    };
    let points = vertices.len() == 1;
    // Points are not cut: they are there as long as their middle is, and reach over the edges of the picture.
    for plane in planes(mode, distances, true) {
        let sides: Vec<f64> = all.iter().map(|c| side(&plane, c.position, &distance_of(c.parts), limits)).collect();
        if sides.iter().all(|s| *s >= 0.0) {
            continue;
        }
        if points || sides.iter().all(|s| *s < 0.0 || s.is_nan()) {
            return Vec::new();
        }
        let mut left = Vec::with_capacity(all.len() + 1);
        let cut = |from: usize, to: usize| {
            let (a, b) = (&all[from], &all[to]);
            let by = sides[from] / (sides[from] - sides[to]);
            let mix = |a: f64, b: f64| a + (b - a) * by;
            Corner {
                position: std::array::from_fn(|i| mix(a.position[i], b.position[i])),
                parts: std::array::from_fn(|i| mix(a.parts[i], b.parts[i])),
            }
        };
        let edges = if vertices.len() == 2 { 1 } else { all.len() };
        for n in 0..all.len() {
            let next = (n + 1) % all.len();
            if sides[n] >= 0.0 {
                left.push(all[n]);
            }
            // Always from the good side, so that neighbours cut their common edge at the same place.
            if n < edges && (sides[n] >= 0.0) != (sides[next] >= 0.0) {
                left.push(if sides[n] >= 0.0 { cut(n, next) } else { cut(next, n) });
            }
        }
        all = left;
    }
    all
}

/// A triangle before it was cut: what the values of its pieces are computed of, so that they do not depend on where it was cut.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whole {
    /// From a place in texels and 1 to the vertices' parts, each by its w.
    inverse: [[f64; 3]; 3],
    /// Depth of each vertex, as it adds up to that in the picture.
    z: [f64; 3],
    depth: [f64; 2],
}

impl Whole {
    /// Of the vertices, unless they lie on a line.
    pub(crate) fn of(vertices: &[&Vertex; 3], viewport: &Viewport) -> Option<Self> {
        let columns = vertices.map(|v| {
            let [x, y, _, w] = v.position.map(f64::from);
            let across = |at: f64, i: usize| viewport.origin[i] * w + (at + w) * 0.5 * viewport.size[i];
            [across(x, 0), across(-y, 1), w]
        });
        let cross = |a: [f64; 3], b: [f64; 3]| {
            [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
        };
        let [a, b, c] = columns;
        let rows = [cross(b, c), cross(c, a), cross(a, b)];
        let whole: f64 = (0..3).map(|i| a[i] * rows[0][i]).sum();
        let inverse = rows.map(|row| row.map(|v| v / whole));
        let is_finite = inverse.as_flattened().iter().all(|v| v.is_finite());
        is_finite.then(|| Self { inverse, z: vertices.map(|v| f64::from(v.position[2])), depth: viewport.depth })
    }

    /// Each vertex's part by its w, and the depth, at a place in texels.
    pub(crate) fn at(&self, x: f64, y: f64) -> ([f64; 3], f64) {
        let shares = self.inverse.map(|row| row[0] * x + row[1] * y + row[2]);
        let z: f64 = shares.iter().zip(self.z).map(|(s, z)| s * z).sum();
        (shares, self.depth[0] + z * (self.depth[1] - self.depth[0]))
    }
}

/// Where a corner is in the picture.
pub(crate) fn project(corner: &Corner, viewport: &Viewport) -> Point {
    let [x, y, z, w] = corner.position;
    let over_w = 1.0 / w;
    let [left, top] = viewport.origin;
    let [width, height] = viewport.size;
    let [near, far] = viewport.depth;
    let exact = [left + (x * over_w + 1.0) * 0.5 * width, top + (1.0 - y * over_w) * 0.5 * height];
    // What clipping leaves is inside, but for what is no number or without end: such places are held, too.
    let most = 2.0 * GUARD * STEPS as f64;
    let step = |v: f64| (v * STEPS as f64).clamp(-most, most).round_ties_even() as i64;
    let z = near + z * over_w * (far - near);
    Point { x: step(exact[0]), y: step(exact[1]), exact, z, over_w, parts: corner.parts }
}
