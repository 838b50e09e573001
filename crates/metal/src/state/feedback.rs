//! Captures of vertices: which buffers, and how far they have come. The CPU knows it all: what only the GPU knows it waits for.

use afterimage_shader::feedback::block::Counters;
use afterimage_shader::feedback::table::{self, Row};
use afterimage_stream::packets::Topology;
use afterimage_stream::{FEEDBACK_BUFFERS, ObjectId};

/// A range of a buffer that vertices are captured to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Range {
    pub(crate) id: ObjectId,
    /// Address of the first byte.
    pub(crate) address: u64,
    /// Bytes.
    pub(crate) size: u64,
}

/// What a renderer has of captures.
#[derive(Debug, Default)]
pub(crate) struct Feedback {
    /// The buffers that the capture which runs writes.
    pub(crate) running: Option<[Option<Range>; FEEDBACK_BUFFERS]>,
    /// Bytes in each of them, and primitives since the renderer began.
    pub(crate) counters: Counters,
}

impl Feedback {
    /// Whether the capture that runs writes a buffer.
    pub(crate) fn writes(&self, id: ObjectId) -> bool {
        self.running.iter().flatten().flatten().any(|range| range.id == id)
    }
}

/// The row of a topology in the table of what is captured. None for those that only hosts have, which are not captured.
pub(crate) fn row(topology: Topology) -> Option<&'static Row> {
    let name = match topology {
        Topology::PointList => "point_list",
        Topology::LineList => "line_list",
        Topology::LineStrip => "line_strip",
        Topology::TriangleList => "triangle_list",
        Topology::TriangleStrip => "triangle_strip",
        Topology::TriangleFan => "triangle_fan",
        Topology::LineListAdjacency => "line_list_with_adjacency",
        Topology::LineStripAdjacency => "line_strip_with_adjacency",
        Topology::TriangleListAdjacency => "triangle_list_with_adjacency",
        Topology::TriangleStripAdjacency => "triangle_strip_with_adjacency",
        Topology::RectList => return None,
    };
    table::TABLE.iter().find(|row| row.name == name)
}

/// Of indices that begin runs anew: for each primitive the position of its run's first index, and its number in the run.
pub(crate) fn primitives(row: &Row, indices: impl Iterator<Item = Option<u32>>) -> Vec<[u32; 2]> {
    let mut out = Vec::new();
    let (mut start, mut at) = (0, 0);
    let mut end = |start: u32, at: u32| out.extend((0..row.primitives(at - start)).map(|number| [start, number]));
    for index in indices {
        if index.is_none() {
            end(start, at);
            start = at + 1;
        }
        at += 1;
    }
    end(start, at);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn restarts_begin_runs_anew() {
        let indices = [Some(1), Some(2), Some(3), Some(4), None, None, Some(5), Some(6), Some(7)];
        let strip = row(Topology::TriangleStrip).unwrap();
        assert_eq!(primitives(strip, indices.into_iter()), [[0, 0], [0, 1], [6, 0]]);
        let lines = row(Topology::LineList).unwrap();
        assert_eq!(primitives(lines, indices.into_iter()), [[0, 0], [0, 1], [6, 0]]);
        assert_eq!(primitives(lines, std::iter::empty()), [[0; 2]; 0]);
    }
}
