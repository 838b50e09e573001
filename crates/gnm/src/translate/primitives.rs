//! Primitives: how a sequence of indices becomes points, lines and triangles of the host.
//!
//! * A quad (a, b, c, d) is the triangles (a, b, c) and (a, c, d), or (a, b, d) and (b, c, d) where the last vertex gives the
//!   values that are not interpolated, so that it is the last of both. A strip of quads a b c d has the quad (a, b, d, c).
//! * Vertices of neighbours (adjacency) are for geometry shaders only; without one they are left out.
//! * The restart index begins a new strip, loop, fan or list.
//! * Vertices that do not complete a primitive are dropped.
//!
//! What Vulkan has too is of the table of transform feedback ([`afterimage_passes::feedback::table`]), whose convention of the provoking
//! vertex is the one here. Source of the others: `VGT_DI_PRIM_TYPE` of gfx7.json of Mesa; the order of vertices is Direct3D's and
//! OpenGL's, which the hardware serves.

use afterimage_passes::feedback::table::{Provoking, Row, row};
use afterimage_stream::packets::Topology;

/// Most indices that are made for one draw.
pub(super) const MOST_INDICES: usize = 1 << 24;

/// `VGT_PRIMITIVE_TYPE`, as far as there is something to rasterise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names say it")]
pub(super) enum Primitive {
    Points,
    Lines,
    LineStrip,
    Triangles,
    TriangleFan,
    TriangleStrip,
    LinesAdjacent,
    LineStripAdjacent,
    TrianglesAdjacent,
    TriangleStripAdjacent,
    Rectangles,
    LineLoop,
    Quads,
    QuadStrip,
    Polygon,
}

impl Primitive {
    /// The primitive of a number of `VGT_DI_PRIM_TYPE`; none for patches and what has no meaning.
    pub(super) fn of(number: u32) -> Option<Self> {
        use Primitive as P;
        Some(match number {
            1 => P::Points,
            2 => P::Lines,
            3 => P::LineStrip,
            4 => P::Triangles,
            5 => P::TriangleFan,
            6 => P::TriangleStrip,
            10 => P::LinesAdjacent,
            11 => P::LineStripAdjacent,
            12 => P::TrianglesAdjacent,
            13 => P::TriangleStripAdjacent,
            17 => P::Rectangles,
            18 => P::LineLoop,
            19 => P::Quads,
            20 => P::QuadStrip,
            21 => P::Polygon,
            _ => return None,
        })
    }

    /// What a geometry shader puts out, by `VGT_GS_OUT_PRIM_TYPE`.
    pub(super) fn of_geometry(number: u32) -> Option<Self> {
        [Primitive::Points, Primitive::LineStrip, Primitive::TriangleStrip].get(number as usize).copied()
    }

    /// What the host draws of the indices as they are, without a restart index among them; none where others are made.
    pub(super) fn native(self) -> Option<Topology> {
        use Primitive as P;
        Some(match self {
            P::Points => Topology::PointList,
            P::Lines => Topology::LineList,
            P::LineStrip => Topology::LineStrip,
            P::Triangles => Topology::TriangleList,
            P::TriangleFan | P::Polygon => Topology::TriangleFan,
            P::TriangleStrip => Topology::TriangleStrip,
            P::Rectangles => Topology::RectList,
            _ => return None,
        })
    }

    /// What the host draws of the indices that [`Primitive::assemble`] makes.
    pub(super) fn assembled(self) -> Topology {
        use Primitive as P;
        match self {
            P::Points => Topology::PointList,
            P::Lines | P::LineStrip | P::LineLoop | P::LinesAdjacent | P::LineStripAdjacent => Topology::LineList,
            P::Rectangles => Topology::RectList,
            _ => Topology::TriangleList,
        }
    }

    /// The row of the topology whose primitives it has, and what a loop has besides; none for quads, which are two triangles each.
    fn row(self) -> Option<&'static Row> {
        use Primitive as P;
        let topology = match self {
            P::Points => 0,
            P::Lines => 1,
            P::LineStrip | P::LineLoop => 2,
            P::Triangles | P::Rectangles => 3,
            P::TriangleStrip => 4,
            P::TriangleFan | P::Polygon => 5,
            P::LinesAdjacent => 6,
            P::LineStripAdjacent => 7,
            P::TrianglesAdjacent => 8,
            P::TriangleStripAdjacent => 9,
            P::Quads | P::QuadStrip => return None,
        };
        row(topology)
    }

    /// The convention of the row: a polygon is a fan whose hub gives the values where the vertex behind it would.
    fn provoking(self, last: bool) -> Provoking {
        if last != (self == Self::Polygon) { Provoking::Last } else { Provoking::First }
    }

    /// How many indices [`Primitive::assemble`] makes of so many, and the words of the row by which it chooses them: see
    /// [`Row::words`]. None where no row does.
    pub(super) fn chosen(self, last: bool, count: u32) -> Option<(u32, [u32; 4])> {
        let row = self.row().filter(|_| self != Self::LineLoop)?;
        Some((row.primitives(count) * row.recorded(), row.words(self.provoking(last))))
    }

    /// Vertices of each of the primitives that [`Primitive::assemble`] makes.
    pub(super) fn corners(self) -> usize {
        self.row().map_or(3, |row| row.recorded() as usize)
    }

    /// Whether this makes polygons, which have faces.
    pub(super) fn is_polygons(self) -> bool {
        !matches!(self.assembled(), Topology::PointList | Topology::LineList)
    }

    /// Whether it has faces that can be culled; rectangles have not.
    pub(super) fn is_filled(self) -> bool {
        self.is_polygons() && self != Self::Rectangles
    }

    /// How many indices [`Primitive::assemble`] makes of so many, at most.
    pub(super) fn room(self, count: usize) -> usize {
        match self {
            Self::LineLoop => 2 * count,
            Self::Quads => 2 * count,
            Self::QuadStrip => 3 * count,
            _ => self.row().map_or(0, |row| count / usize::from(row.step) * row.recorded() as usize),
        }
    }

    /// Appends the indices of the primitives of `run`, which holds no restart index. `last`: the last vertex of each gives the
    /// values that are not interpolated; otherwise the first does.
    pub(super) fn assemble(self, last: bool, run: &[u32], out: &mut Vec<u32>) {
        if let Some(row) = self.row() {
            let (count, provoking) = (row.primitives(run.len() as u32), self.provoking(last));
            if u32::from(row.step) == row.recorded() {
                out.extend(&run[..(count * row.recorded()) as usize]);
            } else {
                out.extend((0..count).flat_map(|p| row.positions(provoking, p)).map(|at| run[at as usize]));
            }
        }
        let mut quad = |[a, b, c, d]: [u32; 4]| {
            out.extend(if last { [a, b, d, b, c, d] } else { [a, b, c, a, c, d] });
        };
        match (self, run) {
            (Self::LineLoop, [first, .., end]) => out.extend([end, first]),
            (Self::Quads, _) => run.as_chunks::<4>().0.iter().for_each(|corners| quad(*corners)),
            (Self::QuadStrip, _) => {
                for at in (3..run.len()).step_by(2) {
                    let [a, b, d, c] = [run[at - 3], run[at - 2], run[at - 1], run[at]];
                    // The last vertex of the strip's quad is c.
                    if last {
                        quad([d, a, b, c]);
                    } else {
                        quad([a, b, c, d]);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Appends the vertices of the primitives of `run` as a geometry shader has them, with the neighbours of those that have some. How
/// many vertices a primitive has.
pub(super) fn neighbours(primitive: Primitive, last: bool, run: &[u32], out: &mut Vec<u32>) -> usize {
    use Primitive as P;
    match primitive {
        P::LinesAdjacent => out.extend(run.as_chunks::<4>().0.as_flattened()),
        P::LineStripAdjacent => out.extend(run.windows(4).flatten()),
        P::TrianglesAdjacent => out.extend(run.as_chunks::<6>().0.as_flattened()),
        P::TriangleStripAdjacent => {
            let count = (run.len() / 2).saturating_sub(2);
            for n in 0..count {
                let at = 2 * n;
                // The neighbour of the edge to the triangle before, and of the edge to the next; the first and last of the
                // strip have their own.
                let before = if n == 0 { 1 } else { at - 2 };
                let next = if n + 1 == count { at + 5 } else { at + 6 };
                let places = match n % 2 {
                    0 => [at, before, at + 2, next, at + 4, at + 3],
                    _ => [at + 2, before, at, at + 3, at + 4, next],
                };
                out.extend(places.map(|place| run[place]));
            }
        }
        _ => {
            primitive.assemble(last, run, out);
            return primitive.corners();
        }
    }
    if matches!(primitive, P::LinesAdjacent | P::LineStripAdjacent) { 4 } else { 6 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Primitive as P;

    fn made(primitive: Primitive, last: bool, count: u32) -> Vec<u32> {
        let mut out = Vec::new();
        primitive.assemble(last, &(0..count).collect::<Vec<_>>(), &mut out);
        assert!(out.len() <= primitive.room(count as usize), "{primitive:?} of {count}: {}", out.len());
        out
    }

    #[test]
    fn quads_keep_the_vertex_that_gives_the_values() {
        assert_eq!(made(P::Quads, false, 5), [0, 1, 2, 0, 2, 3]);
        assert_eq!(made(P::Quads, true, 4), [0, 1, 3, 1, 2, 3]);
        assert_eq!(made(P::QuadStrip, false, 6), [0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4]);
        assert_eq!(made(P::QuadStrip, true, 4), [2, 0, 3, 0, 1, 3]);
    }

    #[test]
    fn strips_turn_one_way_and_keep_their_first_or_last() {
        assert_eq!(made(P::TriangleStrip, true, 4), [0, 1, 2, 2, 1, 3]);
        assert_eq!(made(P::TriangleStrip, false, 4), [0, 1, 2, 1, 3, 2]);
        assert_eq!(made(P::TriangleFan, true, 4), [0, 1, 2, 0, 2, 3]);
        assert_eq!(made(P::TriangleFan, false, 4), [1, 2, 0, 2, 3, 0]);
        assert_eq!(made(P::Polygon, false, 4), [0, 1, 2, 0, 2, 3]);
    }

    #[test]
    fn lines_and_neighbours() {
        assert_eq!(made(P::LineLoop, true, 3), [0, 1, 1, 2, 2, 0]);
        assert_eq!(made(P::LineStripAdjacent, true, 5), [1, 2, 2, 3]);
        assert_eq!(made(P::LinesAdjacent, true, 8), [1, 2, 5, 6]);
        assert_eq!(made(P::TrianglesAdjacent, true, 6), [0, 2, 4]);
        assert_eq!(made(P::TriangleStripAdjacent, true, 8), [0, 2, 4, 4, 2, 6]);
    }

    #[test]
    fn strips_have_neighbours_on_every_edge() {
        let mut out = Vec::new();
        assert_eq!(neighbours(P::TriangleStripAdjacent, true, &[0, 1, 2, 3, 4, 5], &mut out), 6);
        assert_eq!(out, [0, 1, 2, 5, 4, 3]);
        out.clear();
        neighbours(P::TriangleStripAdjacent, true, &(0..10).collect::<Vec<_>>(), &mut out);
        assert_eq!(out, [0, 1, 2, 6, 4, 3, 4, 0, 2, 5, 6, 8, 4, 2, 6, 9, 8, 7]);
        out.clear();
        assert_eq!(neighbours(P::LineStripAdjacent, true, &[0, 1, 2, 3, 4], &mut out), 4);
        assert_eq!(out, [0, 1, 2, 3, 1, 2, 3, 4]);
        for count in 0..14 {
            for number in 0..64 {
                let Some(primitive) = P::of(number) else { continue };
                out.clear();
                let corners = neighbours(primitive, false, &(0..count).collect::<Vec<_>>(), &mut out);
                assert_eq!(out.len() % corners, 0, "{primitive:?} of {count}");
            }
        }
    }

    #[test]
    fn no_number_of_vertices_is_too_small() {
        for number in 0..64 {
            let Some(primitive) = P::of(number) else { continue };
            for count in 0..13 {
                for last in [false, true] {
                    let made = made(primitive, last, count);
                    assert_eq!(made.len() % primitive.corners(), 0);
                    assert!(made.iter().all(|index| *index < count));
                }
            }
        }
    }
}
