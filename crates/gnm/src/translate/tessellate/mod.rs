//! The tessellator: what the factors of a patch make of its domain.
//!
//! Triangles and quads are rings, one in the other: the outermost has the points of the outer factors, all others those of the inner ones;
//! neighbouring rings are stitched edge by edge. After the section "Fixed function: tessellator" of Microsoft's Direct3D 11.3
//! Functional Specification, and Vulkan's chapter on tessellation. Both leave the stitches to the implementation; these are those of
//! Microsoft's reference, as lavapipe has them, with which the tests compare.

mod edge;

use std::cmp::Ordering;

pub(super) use edge::Partitioning;
use edge::{Factor, MIDDLE, ONE};

/// `VGT_TF_PARAM.TYPE`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Domain {
    Isolines,
    Triangles,
    Quads,
}

impl Domain {
    /// Of the field's number.
    pub(super) fn of(number: u32) -> Option<Self> {
        [Self::Isolines, Self::Triangles, Self::Quads].get(number as usize).copied()
    }

    /// Factors that a patch has in memory. Isolines: segments of a line, lines. Others: outer ones, for the edges u = 0, v = 0 and
    /// w = 0 of triangles, u = 0, v = 0, u = 1 and v = 1 of quads; then inner ones.
    pub(super) fn factors(self) -> usize {
        match self {
            Self::Isolines => 2,
            Self::Triangles => 4,
            Self::Quads => 6,
        }
    }
}

/// `VGT_TF_PARAM.TOPOLOGY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Output {
    Points,
    Lines,
    /// Triangles that turn from u to v.
    Triangles,
    /// Triangles that turn from v to u.
    TrianglesReversed,
}

impl Output {
    /// Of the field's number. Its names, clockwise and the other way, are those of a domain whose v points down.
    pub(super) fn of(number: u32) -> Option<Self> {
        [Self::Points, Self::Lines, Self::Triangles, Self::TrianglesReversed].get(number as usize).copied()
    }
}

/// What a patch becomes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Mesh {
    /// u and v.
    pub(super) points: Vec<[f32; 2]>,
    /// Of the primitives.
    pub(super) indices: Vec<u32>,
}

/// Points of the outline of a ring, in the order of its edges; each edge ends with the first point of the next.
type Ring<const N: usize> = [Vec<Stop>; N];

/// A point of an edge: its number, and the turn of the segment that begins there.
#[derive(Clone, Copy, Debug)]
struct Stop {
    point: u32,
    turn: u32,
}

/// Whether the diagonal of a cell of a grid rises from u = 0 to u = 1.
fn rises([x, y]: [u32; 2], [width, height]: [u32; 2]) -> bool {
    let (right, above) = (width - 1 - x, height - 1 - y);
    let depth = x.min(y).min(right).min(above);
    let rings = width.min(height);
    // Inside of all rings there may be a strip.
    if rings % 2 == 1 && depth == rings / 2 {
        return width < height && y != above;
    }
    match (x.cmp(&right), y.cmp(&above)) {
        (Ordering::Equal, _) => true,
        (_, Ordering::Equal) => false,
        // Others point to the centre.
        (x, y) => x == y,
    }
}

/// Where an edge has its points, and the turns of its segments.
struct Edge<'a> {
    along: &'a [u32],
    turns: &'a [u32],
}

impl Mesh {
    fn point(&mut self, u: u32, v: u32) -> u32 {
        let float = |fixed: u32| fixed as f32 / ONE as f32;
        self.points.push([float(u), float(v)]);
        self.points.len() as u32 - 1
    }

    /// A ring of edges, whose points `place` puts into the domain.
    fn ring<const N: usize>(&mut self, edges: [Edge<'_>; N], place: impl Fn(usize, u32) -> [u32; 2]) -> Ring<N> {
        let mut ring = [const { Vec::new() }; N];
        for (at, edge) in edges.iter().enumerate() {
            for (&along, &turn) in edge.along.iter().zip(edge.turns) {
                let [u, v] = place(at, along);
                let point = self.point(u, v);
                ring[at].push(Stop { point, turn });
            }
        }
        for at in 0..N {
            let next = ring[(at + 1) % N][0].point;
            ring[at].push(Stop { point: next, turn: u32::MAX });
        }
        ring
    }

    /// Triangles between two edges that lie side by side, the inner one to the left.
    fn stitch(&mut self, outer: &[Stop], inner: &[Stop]) {
        let (mut a, mut b) = (0, 0);
        while a + 1 < outer.len() || b + 1 < inner.len() {
            let next = |edge: &[Stop], at: usize| (at + 1 < edge.len()).then(|| edge[at].turn);
            let outward = match (next(outer, a), next(inner, b)) {
                // The second half mirrors the first.
                (Some(x), Some(y)) => x < y || x == y && x > MIDDLE,
                (next, _) => next.is_some(),
            };
            if outward {
                self.indices.extend([outer[a].point, outer[a + 1].point, inner[b].point]);
                a += 1;
            } else {
                self.indices.extend([outer[a].point, inner[b + 1].point, inner[b].point]);
                b += 1;
            }
        }
    }

    fn triangle(outer: [Factor; 3], inner: Factor) -> Self {
        let mut mesh = Self::default();
        // Counterclockwise: along v = 0, w = 0, u = 0. `margin` is the coordinate that is the same along the edge.
        let place = |margin: u32| {
            move |edge: usize, along: u32| {
                let forward = along - margin / 2;
                let back = ONE - margin - forward;
                match edge {
                    0 => [forward, margin],
                    1 => [back, forward],
                    _ => [margin, back],
                }
            }
        };
        let edges = [outer[1], outer[2], outer[0]].map(|edge| (edge.points(), edge.turns()));
        let mut ring: Ring<3> = mesh.ring(edges.each_ref().map(|(along, turns)| Edge { along, turns }), place(0));
        if inner.is_one() {
            mesh.indices.extend([0, 1, 2].map(|edge: usize| ring[edge][0].point));
            return mesh;
        }
        let (points, turns) = (inner.points(), inner.turns());
        for first in 1.. {
            let last = points.len() - 1 - first;
            if first == last {
                let centre = mesh.point(ONE.div_ceil(3), ONE.div_ceil(3));
                let centre = [Stop { point: centre, turn: u32::MAX }];
                ring.iter().for_each(|edge| mesh.stitch(edge, &centre));
                break;
            }
            let margin = points[first] * 2 / 3;
            let edge = || Edge { along: &points[first..=last], turns: &turns[first..last] };
            let next = mesh.ring([edge(), edge(), edge()], place(margin));
            ring.iter().zip(&next).for_each(|(outer, inner)| mesh.stitch(outer, inner));
            if last - first == 1 {
                mesh.indices.extend([0, 1, 2].map(|edge: usize| next[edge][0].point));
                break;
            }
            ring = next;
        }
        mesh
    }

    fn quad(outer: [Factor; 4], inner: [Factor; 2]) -> Self {
        let mut mesh = Self::default();
        // Counterclockwise: along v = 0, u = 1, v = 1, u = 0.
        let edges = [outer[1], outer[2], outer[3], outer[0]].map(|edge| (edge.points(), edge.turns()));
        let edges = edges.each_ref().map(|(along, turns)| Edge { along, turns });
        let ring: Ring<4> = mesh.ring(edges, |edge, along| match edge {
            0 => [along, 0],
            1 => [ONE, along],
            2 => [ONE - along, ONE],
            _ => [0, ONE - along],
        });
        if inner.iter().all(|factor| factor.is_one()) {
            let [a, b, c, d] = [0, 1, 2, 3].map(|edge: usize| ring[edge][0].point);
            mesh.indices.extend([a, b, d, b, c, d]);
            return mesh;
        }
        // All rings inside are a grid.
        let [us, vs] = inner.map(Factor::points);
        let [us, vs] = [&us[1..us.len() - 1], &vs[1..vs.len() - 1]];
        let [along, up] = inner.map(Factor::turns);
        let [along, up] = [&along[1..us.len()], &up[1..vs.len()]];
        let first = mesh.points.len() as u32;
        for &v in vs {
            for &u in us {
                mesh.point(u, v);
            }
        }
        let (width, height) = (us.len() as u32, vs.len() as u32);
        let at = |x: u32, y: u32| first + y * width + x;
        for y in 1..height {
            for x in 1..width {
                let [a, b, c, d] = [at(x - 1, y - 1), at(x, y - 1), at(x, y), at(x - 1, y)];
                if rises([x - 1, y - 1], [width - 1, height - 1]) {
                    mesh.indices.extend([a, b, c, a, c, d]);
                } else {
                    mesh.indices.extend([a, b, d, b, c, d]);
                }
            }
        }
        let row = |y: u32| (0..width).map(move |x| at(x, y));
        let column = |x: u32| (0..height).map(move |y| at(x, y));
        let stops = |points: Vec<u32>, turns: &[u32]| -> Vec<Stop> {
            let turns = turns.iter().copied().chain([u32::MAX]);
            points.into_iter().zip(turns).map(|(point, turn)| Stop { point, turn }).collect()
        };
        let inside = [
            stops(row(0).collect(), along),
            stops(column(width - 1).collect(), up),
            stops(row(height - 1).rev().collect(), along),
            stops(column(0).rev().collect(), up),
        ];
        ring.iter().zip(&inside).for_each(|(outer, inner)| mesh.stitch(outer, inner));
        mesh
    }

    /// Lines along u, of which the one at v = 1 is left out.
    fn isolines(segments: Factor, lines: Factor) -> Self {
        let mut mesh = Self::default();
        let (us, vs) = (segments.points(), lines.points());
        for &v in &vs[..vs.len() - 1] {
            let first = mesh.points.len() as u32;
            for &u in &us {
                mesh.point(u, v);
            }
            let count = us.len() as u32;
            mesh.indices.extend((1..count).flat_map(|n| [first + n - 1, first + n]));
        }
        mesh
    }

    /// Tessellates a patch. None if one of its outer factors takes it away: it is not above 0, or no number.
    pub(super) fn new(domain: Domain, partitioning: Partitioning, output: Output, factors: &[f32]) -> Option<Self> {
        let factor = |at: usize| factors.get(at).copied().unwrap_or(0.0);
        let is_there = |count: usize| (0..count).all(|at| factor(at) > 0.0);
        let above_one = |all: &[f32]| all.iter().any(|&factor| !partitioning.factor(factor, false).is_one());
        let mut mesh = match domain {
            Domain::Isolines => {
                if !is_there(2) {
                    return None;
                }
                Self::isolines(partitioning.factor(factor(0), false), Partitioning::Integer.factor(factor(1), false))
            }
            Domain::Triangles => {
                if !is_there(3) {
                    return None;
                }
                let outer = [0, 1, 2].map(factor);
                let inner = partitioning.factor(factor(3), above_one(&outer));
                Self::triangle(outer.map(|factor| partitioning.factor(factor, false)), inner)
            }
            Domain::Quads => {
                if !is_there(4) {
                    return None;
                }
                let outer = [0, 1, 2, 3].map(factor);
                let inner = [4, 5].map(factor);
                let more = above_one(&outer) || above_one(&inner);
                let inner = inner.map(|inner| partitioning.factor(inner, more));
                Self::quad(outer.map(|factor| partitioning.factor(factor, false)), inner)
            }
        };
        match (output, domain) {
            (Output::Points, _) => mesh.indices = (0..mesh.points.len() as u32).collect(),
            (Output::TrianglesReversed, Domain::Triangles | Domain::Quads) => {
                mesh.indices.as_chunks_mut::<3>().0.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
            }
            _ => {}
        }
        Some(mesh)
    }
}

#[cfg(test)]
mod tests;
