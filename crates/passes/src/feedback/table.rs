//! How each topology's vertices become the primitives that transform feedback records: one row per topology.
//!
//! Source: the Vulkan specification's "Primitive Topologies" and "Transform Feedback", checked against drivers
//! (`docs/sources/transform-feedback.md`). Positions count within one run of vertices without a restart index. Everything else
//! derives from the rows: how many primitives a run has, which vertices a primitive records (gathering), which primitives record a
//! vertex (scattering), and the four words in which a row travels to shaders, which therefore know no topology by name.

/// Where a corner of primitive `p` is: at vertex `scale * p + at[p & 1]` of its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Corner {
    /// Vertices from one primitive's to the next one's; 0 for the hub of a fan.
    pub scale: u8,
    /// What is added for even and for odd primitives.
    pub at: [u8; 2],
}

/// Which vertex of a primitive provokes, with `transformFeedbackPreservesProvokingVertex`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
#[repr(u32)]
pub enum Provoking {
    /// The first: Vulkan's default.
    #[default]
    First = 0,
    /// The last: `VK_PROVOKING_VERTEX_MODE_LAST_VERTEX_EXT`.
    Last = 1,
}

/// A row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    /// The number of Vulkan's `VkPrimitiveTopology`.
    pub topology: u32,
    /// Vulkan's name, in lower case.
    pub name: &'static str,
    /// Vertices by which a run must grow for one primitive more.
    pub step: u8,
    /// Vertices of a run that has one primitive.
    pub least: u8,
    /// The recorded vertices in their order, by provoking convention: 1 to 3, as many in both.
    pub corners: [&'static [Corner]; 2],
}

const fn every(scale: u8, at: u8) -> Corner {
    Corner { scale, at: [at, at] }
}

const fn turns(scale: u8, even: u8, odd: u8) -> Corner {
    Corner { scale, at: [even, odd] }
}

const fn same(corners: &'static [Corner]) -> [&'static [Corner]; 2] {
    [corners, corners]
}

/// The ten topologies of vertices. (Of patches the tessellator's output is recorded; see [`patches`].)
pub const TABLE: [Row; 10] = [
    Row { topology: 0, name: "point_list", step: 1, least: 1, corners: same(&[every(1, 0)]) },
    Row { topology: 1, name: "line_list", step: 2, least: 2, corners: same(&[every(2, 0), every(2, 1)]) },
    Row { topology: 2, name: "line_strip", step: 1, least: 2, corners: same(&[every(1, 0), every(1, 1)]) },
    Row {
        topology: 3,
        name: "triangle_list",
        step: 3,
        least: 3,
        corners: same(&[every(3, 0), every(3, 1), every(3, 2)]),
    },
    Row {
        topology: 4,
        name: "triangle_strip",
        step: 1,
        least: 3,
        corners: [&[every(1, 0), turns(1, 1, 2), turns(1, 2, 1)], &[turns(1, 0, 1), turns(1, 1, 0), every(1, 2)]],
    },
    Row {
        topology: 5,
        name: "triangle_fan",
        step: 1,
        least: 3,
        corners: [&[every(1, 1), every(1, 2), every(0, 0)], &[every(0, 0), every(1, 1), every(1, 2)]],
    },
    Row {
        topology: 6,
        name: "line_list_with_adjacency",
        step: 4,
        least: 4,
        corners: same(&[every(4, 1), every(4, 2)]),
    },
    Row {
        topology: 7,
        name: "line_strip_with_adjacency",
        step: 1,
        least: 4,
        corners: same(&[every(1, 1), every(1, 2)]),
    },
    Row {
        topology: 8,
        name: "triangle_list_with_adjacency",
        step: 6,
        least: 6,
        corners: same(&[every(6, 0), every(6, 2), every(6, 4)]),
    },
    Row {
        topology: 9,
        name: "triangle_strip_with_adjacency",
        step: 2,
        least: 6,
        corners: [&[every(2, 0), turns(2, 2, 4), turns(2, 4, 2)], &[turns(2, 0, 2), turns(2, 2, 0), every(2, 4)]],
    },
];

/// The row of a topology, by the number of `VkPrimitiveTopology`; none for patches and what does not exist.
pub fn row(topology: u32) -> Option<&'static Row> {
    TABLE.get(topology as usize)
}

/// Patches of `size` control points (at least 1) in a run of `vertices`: what reaches the tessellator, whose output is recorded.
pub fn patches(vertices: u32, size: u32) -> u32 {
    vertices / size.max(1)
}

impl Row {
    /// Vertices that each primitive records, 1 to 3.
    pub fn recorded(&self) -> u32 {
        self.corners[0].len() as u32
    }

    /// Complete primitives of a run of `vertices`.
    pub fn primitives(&self, vertices: u32) -> u32 {
        match vertices.checked_sub(self.least.into()) {
            Some(more) => more / u32::from(self.step) + 1,
            None => 0,
        }
    }

    /// [`Row::primitives`] of the row that [`Row::words`] made these of.
    pub fn primitives_of(words: [u32; 4], vertices: u32) -> u32 {
        let [_, step, least, _] = words[0].to_le_bytes();
        vertices.checked_sub(least.into()).map_or(0, |more| more / u32::from(step.max(1)) + 1)
    }

    /// Positions in the run of the vertices that primitive `p` records, in their order.
    pub fn positions(&self, provoking: Provoking, p: u32) -> impl Iterator<Item = u32> + use<> {
        let corners = self.corners[provoking as usize];
        corners.iter().map(move |c| u32::from(c.scale) * p + u32::from(c.at[(p & 1) as usize]))
    }

    /// The row for shaders: `[recorded | step << 8 | least << 16, scales, offsets of even primitives, those of odd ones]`, of which
    /// the last three have a byte for each corner, the first corner's lowest.
    pub fn words(&self, provoking: Provoking) -> [u32; 4] {
        let corners = self.corners[provoking as usize];
        let bytes = |of: &dyn Fn(&Corner) -> u8| corners.iter().rev().fold(0, |word, c| word << 8 | u32::from(of(c)));
        let head = self.recorded() | u32::from(self.step) << 8 | u32::from(self.least) << 16;
        [head, bytes(&|c| c.scale), bytes(&|c| c.at[0]), bytes(&|c| c.at[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The formulas of `docs/sources/transform-feedback.md#topologies`, written out by hand: `n` vertices, primitive `p`.
    fn facts(topology: u32, last: bool, n: u32) -> Vec<[Option<u32>; 3]> {
        let less = |k: u32| n.saturating_sub(k);
        let count = [n, n / 2, less(1), n / 3, less(2), less(2), n / 4, less(3), n / 6, less(4) / 2][topology as usize];
        let record = |p: u32| {
            let o = p & 1;
            let list: &[u32] = match (topology, last) {
                (0, _) => &[p],
                (1, _) => &[2 * p, 2 * p + 1],
                (2, _) => &[p, p + 1],
                (3, _) => &[3 * p, 3 * p + 1, 3 * p + 2],
                (4, false) => &[p, p + 1 + o, p + 2 - o],
                (4, true) => &[p + o, p + 1 - o, p + 2],
                (5, false) => &[p + 1, p + 2, 0],
                (5, true) => &[0, p + 1, p + 2],
                (6, _) => &[4 * p + 1, 4 * p + 2],
                (7, _) => &[p + 1, p + 2],
                (8, _) => &[6 * p, 6 * p + 2, 6 * p + 4],
                (9, false) => &[2 * p, 2 * p + 2 + 2 * o, 2 * p + 4 - 2 * o],
                (9, true) => &[2 * p + 2 * o, 2 * p + 2 - 2 * o, 2 * p + 4],
                _ => &[],
            };
            std::array::from_fn(|i| list.get(i).copied())
        };
        (0..count).map(record).collect()
    }

    #[test]
    fn rows_are_the_facts() {
        for (number, row) in TABLE.iter().enumerate() {
            assert_eq!(row.topology as usize, number);
            for (provoking, last) in [(Provoking::First, false), (Provoking::Last, true)] {
                for n in 0..40 {
                    let made: Vec<[Option<u32>; 3]> = (0..row.primitives(n))
                        .map(|p| {
                            let mut positions = row.positions(provoking, p);
                            std::array::from_fn(|_| positions.next())
                        })
                        .collect();
                    assert_eq!(Row::primitives_of(row.words(provoking), n), row.primitives(n));
                    assert_eq!(made, facts(row.topology, last, n), "{} of {n} vertices, {provoking:?}", row.name);
                    assert!(made.iter().flatten().flatten().all(|position| *position < n));
                }
            }
        }
        assert_eq!([0, 2, 3, 7].map(|n| patches(n, 3)), [0, 0, 1, 2]);
        assert_eq!(patches(4, 0), 4);
    }
}
