//! Indices as Metal takes them: lists where it has no such topology, or no such restart.
//!
//! Metal has no fans, no indices of a byte, takes the greatest index for a restart in strips whether that is asked for or not, never in
//! lists, and the first vertex always provokes. What is not as it has it is made into lists of 32 bits by the CPU.

use crate::state::feedback::row;
use afterimage_metal_calls::PrimitiveType;
use afterimage_shader::feedback::table::Provoking;
use afterimage_stream::packets::Topology;
use smallvec::SmallVec;

/// What a topology becomes without conversion; none where Metal has nothing like it.
pub(crate) fn primitive(topology: Topology) -> Option<PrimitiveType> {
    Some(match topology {
        Topology::PointList => PrimitiveType::Point,
        Topology::LineList => PrimitiveType::Line,
        Topology::LineStrip => PrimitiveType::LineStrip,
        Topology::TriangleList => PrimitiveType::Triangle,
        Topology::TriangleStrip => PrimitiveType::TriangleStrip,
        Topology::TriangleFan
        | Topology::RectList
        | Topology::LineListAdjacency
        | Topology::LineStripAdjacency
        | Topology::TriangleListAdjacency
        | Topology::TriangleStripAdjacency => return None,
    })
}

/// Whether the greatest index ends a primitive in a strip as Metal sees it.
pub(crate) fn is_strip(topology: Topology) -> bool {
    matches!(topology, Topology::LineStrip | Topology::TriangleStrip)
}

/// A list of the same primitives. `None` among the indices begins anew; with `last`, the last vertex of a primitive provokes. Nothing
/// comes of topologies that there is no list of.
pub(crate) fn list(
    topology: Topology,
    last: bool,
    indices: impl Iterator<Item = Option<u32>>,
) -> (PrimitiveType, Vec<u32>) {
    let mut out = Vec::new();
    let mut line = |a: u32, b: u32| out.extend(if last { [b, a] } else { [a, b] });
    let (mut before, mut number) = ([0u32; 2], 0u32);
    match topology {
        Topology::PointList => return (PrimitiveType::Point, indices.flatten().collect()),
        Topology::LineList | Topology::LineStrip => {
            for index in indices {
                let Some(index) = index else {
                    number = 0;
                    continue;
                };
                let complete = if topology == Topology::LineList { number % 2 == 1 } else { number > 0 };
                if complete {
                    line(before[1], index);
                }
                (before[1], number) = (index, number.saturating_add(1));
            }
            return (PrimitiveType::Line, out);
        }
        Topology::LineListAdjacency
        | Topology::LineStripAdjacency
        | Topology::TriangleListAdjacency
        | Topology::TriangleStripAdjacency => return without_neighbours(topology, last, indices),
        Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan | Topology::RectList => {}
    }
    let mut hub = 0;
    for index in indices {
        let Some(index) = index else {
            number = 0;
            continue;
        };
        let [a, b] = before;
        match topology {
            Topology::TriangleList if number % 3 == 2 => out.extend(if last { [index, a, b] } else { [a, b, index] }),
            Topology::TriangleStrip if number >= 2 => out.extend(match (last, number % 2 == 0) {
                (false, true) => [a, b, index],
                (false, false) => [a, index, b],
                (true, true) => [index, a, b],
                (true, false) => [index, b, a],
            }),
            // Of a fan's triangle the one after the hub is the first.
            Topology::TriangleFan if number >= 2 => out.extend(if last { [index, hub, b] } else { [b, index, hub] }),
            _ => {}
        }
        if number == 0 {
            hub = index;
        }
        before = [b, index];
        number = number.saturating_add(1);
    }
    (PrimitiveType::Triangle, out)
}

/// The list of what geometry shaders alone see the neighbours of: its own vertices, as captures have them.
fn without_neighbours(
    topology: Topology,
    last: bool,
    indices: impl Iterator<Item = Option<u32>>,
) -> (PrimitiveType, Vec<u32>) {
    let (mut out, mut run) = (Vec::new(), Vec::new());
    let row = row(topology);
    let mut end = |run: &mut Vec<u32>| {
        for primitive in 0..row.map_or(0, |row| row.primitives(run.len() as u32)) {
            let order = if last { Provoking::Last } else { Provoking::First };
            let positions = row.map(|row| row.positions(order, primitive)).into_iter().flatten();
            let mut corners: SmallVec<[u32; 3]> = positions.filter_map(|at| run.get(at as usize).copied()).collect();
            if last {
                corners.rotate_right(1);
            }
            out.extend(corners);
        }
        run.clear();
    };
    for index in indices {
        match index {
            Some(index) => run.push(index),
            None => end(&mut run),
        }
    }
    end(&mut run);
    let lines = matches!(topology, Topology::LineListAdjacency | Topology::LineStripAdjacency);
    (if lines { PrimitiveType::Line } else { PrimitiveType::Triangle }, out)
}

/// Indices of `width` bytes each, little-endian; the greatest is none where that begins anew.
pub(crate) fn read(bytes: &[u8], width: usize, restart: bool) -> impl Iterator<Item = Option<u32>> + '_ {
    let greatest = greatest(width);
    bytes.chunks_exact(width.max(1)).map(move |index| {
        let value = index.iter().rev().fold(0u32, |value, byte| value << 8 | u32::from(*byte));
        (!(restart && value == greatest)).then_some(value)
    })
}

/// The greatest index of so many bytes.
pub(crate) fn greatest(width: usize) -> u32 {
    match width {
        1 => u8::MAX.into(),
        2 => u16::MAX.into(),
        _ => u32::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(topology: Topology, last: bool, indices: &[i32]) -> Vec<u32> {
        list(topology, last, indices.iter().map(|index| u32::try_from(*index).ok())).1
    }

    #[test]
    fn fans_and_strips_become_lists() {
        assert_eq!(of(Topology::TriangleFan, false, &[0, 1, 2, 3]), [1, 2, 0, 2, 3, 0]);
        assert_eq!(of(Topology::TriangleFan, true, &[0, 1, 2, 3]), [2, 0, 1, 3, 0, 2]);
        assert_eq!(of(Topology::TriangleStrip, false, &[0, 1, 2, 3]), [0, 1, 2, 1, 3, 2]);
        assert_eq!(of(Topology::TriangleStrip, true, &[0, 1, 2, 3]), [2, 0, 1, 3, 2, 1]);
        assert_eq!(of(Topology::LineStrip, false, &[5, 6, 7]), [5, 6, 6, 7]);
    }

    #[test]
    fn restarts_drop_what_is_not_complete() {
        assert_eq!(of(Topology::TriangleList, false, &[0, 1, -1, 2, 3, 4, 5]), [2, 3, 4]);
        assert_eq!(of(Topology::TriangleFan, false, &[9, 8, -1, 0, 1, 2]), [1, 2, 0]);
        assert_eq!(of(Topology::LineList, true, &[0, -1, 1, 2, 3]), [2, 1]);
        assert_eq!(of(Topology::PointList, false, &[0, -1, 4]), [0, 4]);
        assert_eq!(of(Topology::RectList, false, &[0, 1, 2]), []);
    }

    #[test]
    fn neighbours_are_left_out() {
        assert_eq!(of(Topology::LineListAdjacency, false, &[0, 1, 2, 3, 4, 5, 6, 7, 8]), [1, 2, 5, 6]);
        assert_eq!(of(Topology::LineStripAdjacency, true, &[0, 1, 2, 3, 4, -1, 5, 6, 7, 8]), [2, 1, 3, 2, 7, 6]);
        assert_eq!(of(Topology::TriangleListAdjacency, false, &[0, 1, 2, 3, 4, 5]), [0, 2, 4]);
        assert_eq!(of(Topology::TriangleStripAdjacency, false, &[0, 1, 2, 3, 4, 5, 6, 7]), [0, 2, 4, 2, 6, 4]);
        assert_eq!(of(Topology::TriangleStripAdjacency, true, &[0, 1, 2, 3, 4, 5]), [4, 0, 2]);
    }

    #[test]
    fn indices_are_read_by_their_width() {
        assert_eq!(read(&[1, 255], 1, true).collect::<Vec<_>>(), [Some(1), None]);
        assert_eq!(read(&[1, 2, 255, 255, 7], 2, false).collect::<Vec<_>>(), [Some(0x201), Some(0xffff)]);
        assert_eq!(read(&[1, 2, 3, 4], 4, true).collect::<Vec<_>>(), [Some(0x0403_0201)]);
    }
}
