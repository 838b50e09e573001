//! What transform feedback does, written down once more, as plainly as can be: runs, primitives, capacities.

use afterimage_passes::feedback::table::Provoking;

/// The primitives of a run of `n` vertices: the positions that each records. By `docs/sources/transform-feedback.md#topologies`,
/// without the table.
pub(crate) fn primitives(topology: u32, provoking: Provoking, n: u32) -> Vec<Vec<u32>> {
    let last = provoking == Provoking::Last;
    let mut found = Vec::new();
    for p in 0.. {
        let o = p & 1;
        let (uses, records): (u32, Vec<u32>) = match (topology, last) {
            (0, _) => (p + 1, vec![p]),
            (1, _) => (2 * p + 2, vec![2 * p, 2 * p + 1]),
            (2, _) => (p + 2, vec![p, p + 1]),
            (3, _) => (3 * p + 3, vec![3 * p, 3 * p + 1, 3 * p + 2]),
            (4, false) => (p + 3, vec![p, p + 1 + o, p + 2 - o]),
            (4, true) => (p + 3, vec![p + o, p + 1 - o, p + 2]),
            (5, false) => (p + 3, vec![p + 1, p + 2, 0]),
            (5, true) => (p + 3, vec![0, p + 1, p + 2]),
            (6, _) => (4 * p + 4, vec![4 * p + 1, 4 * p + 2]),
            (7, _) => (p + 4, vec![p + 1, p + 2]),
            (8, _) => (6 * p + 6, vec![6 * p, 6 * p + 2, 6 * p + 4]),
            (9, false) => (2 * p + 6, vec![2 * p, 2 * p + 2 + 2 * o, 2 * p + 4 - 2 * o]),
            (9, true) => (2 * p + 6, vec![2 * p + 2 * o, 2 * p + 2 - 2 * o, 2 * p + 4]),
            _ => panic!("no topology {topology}"),
        };
        if uses > n {
            break;
        }
        found.push(records);
    }
    found
}

/// Feedback in progress.
pub(crate) struct Capture {
    /// Words of each buffer's range.
    pub(crate) buffers: [Vec<u32>; 4],
    /// Bytes of a vertex in each; 0 for those that are not captured into.
    pub(crate) strides: [u32; 4],
    /// Bytes of each range, which may be more than whole words.
    pub(crate) sizes: [u32; 4],
    pub(crate) bytes: [u32; 4],
    pub(crate) needed: u64,
    pub(crate) written: u64,
}

impl Capture {
    /// A draw: `runs` have the vertices of an instance, between restarts. `store` gives the words of a vertex in an instance:
    /// buffer, word in the vertex, value.
    pub(crate) fn draw(
        &mut self,
        topology: u32,
        provoking: Provoking,
        runs: &[Vec<u32>],
        instances: std::ops::Range<u32>,
        store: &dyn Fn(u32, u32) -> Vec<(usize, usize, u32)>,
    ) {
        for instance in instances {
            for run in runs {
                for primitive in primitives(topology, provoking, run.len() as u32) {
                    self.needed += 1;
                    let bytes = |buffer: usize| primitive.len() as u32 * self.strides[buffer];
                    let room = |buffer: usize| self.sizes[buffer].saturating_sub(self.bytes[buffer]);
                    if (0..4).any(|buffer| bytes(buffer) > room(buffer)) {
                        continue;
                    }
                    self.written += 1;
                    for position in primitive {
                        for (buffer, word, value) in store(run[position as usize], instance) {
                            self.buffers[buffer][self.bytes[buffer] as usize / 4 + word] = value;
                        }
                        for buffer in 0..4 {
                            self.bytes[buffer] += self.strides[buffer];
                        }
                    }
                }
            }
        }
    }
}
