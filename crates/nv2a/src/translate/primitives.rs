//! Primitives: how a sequence of vertices becomes points, lines and triangles.
//!
//! * A quad (a, b, c, d) is the triangles (a, b, c) and (a, c, d); a strip of quads is cut like a strip of triangles; a polygon
//!   is a fan.
//! * `SET_FLAT_SHADE_OP` chooses the first or the last vertex of lines and triangles for flat shading (of a fan's triangle the
//!   one after the hub, or the last); quads always take their last one, polygons their first.
//! * Vertices that do not complete a primitive are dropped.
//!
//! Sources: the pictures of a console (suites 3D primitive, Shade model, Edge flag, Smoothing control); the rule for quads and
//! polygons as xemu's authors have found it.

use crate::machine::PrimitiveKind;
use afterimage_stream::packets::Topology;

/// What the host draws of a sequence of vertices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Assembled {
    pub(super) topology: Topology,
    /// Whether the numbers of vertices are in the list; otherwise they are the first `count`, in order.
    pub(super) indexed: bool,
    /// Vertices.
    pub(super) count: u32,
}

/// Whether the kind makes lines.
pub(super) fn is_lines(kind: PrimitiveKind) -> bool {
    matches!(kind, PrimitiveKind::Lines | PrimitiveKind::LineLoop | PrimitiveKind::LineStrip)
}

/// Whether the kind makes polygons, which have faces and modes.
pub(super) fn is_polygons(kind: PrimitiveKind) -> bool {
    !is_lines(kind) && kind != PrimitiveKind::Points
}

/// Points and filled polygons of `count` vertices for the host, smoothly shaded. Lines are not for it: [`lines`].
pub(super) fn smooth(kind: PrimitiveKind, count: u32, indices: &mut Vec<u32>) -> Assembled {
    use PrimitiveKind as P;
    indices.clear();
    let plain = |topology, count| Assembled { topology, indexed: false, count };
    let at_least = |least: u32| if count < least { 0 } else { count };
    match kind {
        P::Points | P::Lines | P::LineLoop | P::LineStrip => plain(Topology::PointList, count),
        P::Triangles => plain(Topology::TriangleList, count - count % 3),
        P::TriangleStrip => plain(Topology::TriangleStrip, at_least(3)),
        P::TriangleFan | P::Polygon => plain(Topology::TriangleFan, at_least(3)),
        P::QuadStrip => plain(Topology::TriangleStrip, at_least(4) & !1),
        P::Quads => {
            indices.extend((0..count / 4).flat_map(|quad| [0, 1, 2, 0, 2, 3].map(|i| 4 * quad + i)));
            Assembled { topology: Topology::TriangleList, indexed: true, count: indices.len() as u32 }
        }
    }
}

/// Filled triangles for flat shading, as a list whose triangles begin with the vertex that gives the colour. `None` for kinds
/// where that vertex is not in every triangle.
pub(super) fn flat(kind: PrimitiveKind, count: u32, first: bool, indices: &mut Vec<u32>) -> Option<Assembled> {
    use PrimitiveKind as P;
    indices.clear();
    if matches!(kind, P::Quads | P::QuadStrip) {
        return None;
    }
    polygons(kind, count, first, |polygon| {
        // A polygon of more than three vertices is a fan around its first, which is also the one that gives the colour.
        for pair in polygon.vertices[1..].windows(2) {
            let triangle = [polygon.vertices[0], pair[0], pair[1]];
            let turn = triangle.iter().position(|vertex| *vertex == polygon.provoking).unwrap_or(0);
            indices.extend((0..3).map(|i| triangle[(turn + i) % 3]));
        }
    });
    Some(Assembled { topology: Topology::TriangleList, indexed: true, count: indices.len() as u32 })
}

/// A line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// Its ends.
    pub(super) vertices: [u32; 2],
    /// The vertex that gives the colour in flat shading.
    pub(super) provoking: u32,
}

/// Calls `each` with every line of `count` vertices.
pub(super) fn lines(kind: PrimitiveKind, count: u32, first: bool, mut each: impl FnMut(Line)) {
    let mut line = |a: u32, b: u32| each(Line { vertices: [a, b], provoking: if first { a } else { b } });
    match kind {
        PrimitiveKind::Lines => (0..count / 2).for_each(|i| line(2 * i, 2 * i + 1)),
        PrimitiveKind::LineStrip => (1..count).for_each(|i| line(i - 1, i)),
        PrimitiveKind::LineLoop if count > 1 => {
            (1..count).for_each(|i| line(i - 1, i));
            line(count - 1, 0);
        }
        _ => {}
    }
}

/// A polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Polygon<'a> {
    /// Its corners, around it; all polygons of a primitive turn the same way.
    pub(super) vertices: &'a [u32],
    /// The vertex that gives the colour in flat shading.
    pub(super) provoking: u32,
    /// Whether the edge flags of its vertices say which edges are drawn. All are, otherwise.
    pub(super) edge_flags: bool,
}

/// Calls `each` with every polygon of `count` vertices.
pub(super) fn polygons(kind: PrimitiveKind, count: u32, first: bool, mut each: impl FnMut(Polygon<'_>)) {
    use PrimitiveKind as P;
    let mut polygon = |vertices: &[u32], provoking: u32, edge_flags| each(Polygon { vertices, provoking, edge_flags });
    let chosen = |first_one: u32, last_one: u32| if first { first_one } else { last_one };
    match kind {
        P::Points | P::Lines | P::LineLoop | P::LineStrip => {}
        P::Triangles => (0..count / 3).map(|i| 3 * i).for_each(|i| polygon(&[i, i + 1, i + 2], chosen(i, i + 2), true)),
        P::TriangleStrip => (2..count).for_each(|i| {
            let vertices = if i % 2 == 0 { [i - 2, i - 1, i] } else { [i - 1, i - 2, i] };
            polygon(&vertices, chosen(i - 2, i), false);
        }),
        P::TriangleFan => (2..count).for_each(|i| polygon(&[0, i - 1, i], chosen(i - 1, i), false)),
        P::Quads => (0..count / 4).map(|i| 4 * i).for_each(|i| polygon(&[i, i + 1, i + 2, i + 3], i + 3, true)),
        P::QuadStrip => (0..(count / 2).saturating_sub(1))
            .map(|i| 2 * i)
            .for_each(|i| polygon(&[i, i + 1, i + 3, i + 2], i + 3, false)),
        P::Polygon if count > 2 => polygon(&(0..count).collect::<Vec<_>>(), 0, true),
        P::Polygon => {}
    }
}

/// The triangles of a polygon that is filled, as places in its vertices. `strip`: it is one of a strip of quads, which are cut
/// along the other diagonal.
pub(super) fn triangles(corners: usize, strip: bool) -> impl Iterator<Item = [usize; 3]> {
    (2..corners).map(move |i| match (strip, i) {
        (true, 2) => [0, 1, 3],
        (true, _) => [3, 1, 2],
        (false, _) => [0, i - 1, i],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use PrimitiveKind as P;

    const POLYGONS: [PrimitiveKind; 6] =
        [P::Triangles, P::TriangleStrip, P::TriangleFan, P::Quads, P::QuadStrip, P::Polygon];

    /// The triangles that the host makes, turned so that the least vertex comes first.
    fn host_triangles(assembled: Assembled, indices: &[u32]) -> Vec<[u32; 3]> {
        let at = |i: u32| if assembled.indexed { indices[i as usize] } else { i };
        let triangle = |t: [u32; 3]| {
            let least = (0..3).min_by_key(|i| t[*i]).unwrap();
            [0, 1, 2].map(|i| t[(least + i) % 3])
        };
        let numbers = 0..assembled.count.saturating_sub(2);
        let mut all: Vec<_> = match assembled.topology {
            Topology::TriangleList => numbers.step_by(3).map(|i| [i, i + 1, i + 2]).collect(),
            Topology::TriangleStrip => {
                numbers.map(|i| if i % 2 == 0 { [i, i + 1, i + 2] } else { [i + 1, i, i + 2] }).collect()
            }
            Topology::TriangleFan => numbers.map(|i| [0, i + 1, i + 2]).collect(),
            other => panic!("{other:?}"),
        };
        all.iter_mut().for_each(|t| *t = triangle(t.map(at)));
        all.sort();
        all
    }

    #[test]
    fn smooth_and_flat_and_polygons_agree_on_the_triangles() {
        for kind in POLYGONS {
            for count in 0..11 {
                let (mut indices, mut flat_indices) = (Vec::new(), Vec::new());
                let smooth = host_triangles(smooth(kind, count, &mut indices), &indices);
                for first in [false, true] {
                    if let Some(flat) = flat(kind, count, first, &mut flat_indices) {
                        assert_eq!(host_triangles(flat, &flat_indices), smooth, "{kind:?} {count}");
                    }
                    let mut cut = Vec::new();
                    polygons(kind, count, first, |polygon| {
                        assert!(polygon.vertices.contains(&polygon.provoking));
                        for t in triangles(polygon.vertices.len(), kind == P::QuadStrip) {
                            cut.extend(t.map(|i| polygon.vertices[i]));
                        }
                    });
                    let list = Assembled { topology: Topology::TriangleList, indexed: true, count: cut.len() as u32 };
                    assert_eq!(host_triangles(list, &cut), smooth, "{kind:?} {count}");
                }
            }
        }
    }

    #[test]
    fn the_vertex_that_gives_the_colour_comes_first() {
        let begins = |kind, first| {
            let mut indices = Vec::new();
            flat(kind, 6, first, &mut indices).map(|_| indices.iter().step_by(3).copied().collect::<Vec<_>>())
        };
        assert_eq!(begins(P::Triangles, true), Some(vec![0, 3]));
        assert_eq!(begins(P::Triangles, false), Some(vec![2, 5]));
        assert_eq!(begins(P::TriangleStrip, true), Some(vec![0, 1, 2, 3]));
        assert_eq!(begins(P::TriangleStrip, false), Some(vec![2, 3, 4, 5]));
        assert_eq!(begins(P::TriangleFan, true), Some(vec![1, 2, 3, 4]));
        assert_eq!(begins(P::TriangleFan, false), Some(vec![2, 3, 4, 5]));
        assert_eq!(begins(P::Polygon, false), Some(vec![0, 0, 0, 0]));
        assert_eq!(begins(P::Quads, false), None);
    }

    #[test]
    fn lines_of_each_kind() {
        let all = |kind, count| {
            let mut all = Vec::new();
            lines(kind, count, true, |line| all.push(line.vertices));
            all
        };
        assert_eq!(all(P::Lines, 5), [[0, 1], [2, 3]]);
        assert_eq!(all(P::LineStrip, 3), [[0, 1], [1, 2]]);
        assert_eq!(all(P::LineLoop, 3), [[0, 1], [1, 2], [2, 0]]);
        assert!(all(P::LineLoop, 1).is_empty() && all(P::LineStrip, 0).is_empty());
    }
}
