//! Subgroups of on-chip geometry shaders: primitives whose vertices, and what is made of them, lie in one allocation of the data
//! share.
//!
//! A subgroup takes primitives until it has as many as `GS_PRIMS_PER_SUBGRP`, or until the vertices of those that it has are at least
//! `ES_VERTS_PER_SUBGRP`; which is why AMD's LLPC, after which this is (`PatchResourceCollect`), makes room for more vertices than
//! that register says. What primitives have in common is exported once in each subgroup.

use super::geometry::Lists;
use afterimage_gnm_types::{Registers, reg};
use afterimage_shader_gcn::io::geometry;

/// Most subgroups of an instance.
const MOST: usize = 65_535;
/// Most words of both lists.
const MOST_WORDS: usize = 64 << 20;

/// What registers say.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setup {
    /// Vertices and primitives after which a subgroup ends.
    pub(super) enough: [usize; 2],
    /// Bytes of the data share that it has.
    pub(super) share: u32,
}

impl Setup {
    /// None where rings are in memory.
    pub(super) fn new(registers: &Registers, has_patches: bool) -> Result<Option<Self>, String> {
        use reg::VGT_GS_ONCHIP_CNTL as C;
        match registers.field(reg::VGT_GS_MODE::ONCHIP) {
            0 => return Ok(None),
            3 => {}
            other => return Err(format!("VGT_GS_MODE.ONCHIP is {other}, which is neither of 0 and 3")),
        }
        // The data share is that of export and geometry shader: what hull programs put out cannot lie there, too.
        if has_patches && !registers.is_set(reg::SPI_SHADER_PGM_RSRC2_ES::OC_LDS_EN) {
            return Err(
                "VGT_GS_MODE.ONCHIP is 3 behind tessellation, and SPI_SHADER_PGM_RSRC2_ES.OC_LDS_EN is 0".into()
            );
        }
        let share = 512 * registers.field(reg::SPI_SHADER_PGM_RSRC2_ES::LDS_SIZE);
        if share == 0 {
            return Err("VGT_GS_MODE.ONCHIP is 3 where SPI_SHADER_PGM_RSRC2_ES.LDS_SIZE is 0".into());
        }
        let enough =
            [C::ES_VERTS_PER_SUBGRP, C::GS_PRIMS_PER_SUBGRP].map(|field| registers.field(field).max(1) as usize);
        Ok(Some(Self { enough, share }))
    }
}

/// The subgroups of an instance.
#[derive(Debug)]
pub(super) struct Subgroups {
    /// The number of vertices of each subgroup, and room for [`most`](Self::most) of them.
    pub(super) vertices: Vec<u32>,
    /// The same for primitives.
    pub(super) primitives: Vec<u32>,
    /// Most vertices and primitives of a subgroup.
    pub(super) most: [u32; 2],
    /// Lanes of export and geometry shaders that each has, whole waves.
    pub(super) lanes: [u32; 2],
    /// Bytes of its window.
    pub(super) share: u32,
    /// Lanes of the geometry shader that do something, of each.
    live: Vec<u32>,
}

impl Subgroups {
    /// Of the vertices of primitives, so many each, to whose indices `base` is added. Primitives have the numbers that are given, or are
    /// counted. None if they are more than one draw may have.
    pub(super) fn new(
        setup: &Setup,
        corners: usize,
        made: &[u32],
        base: u32,
        numbers: Option<&[u32]>,
        invocations: u32,
    ) -> Option<Self> {
        let mut all: Vec<Lists> = Vec::new();
        let mut done = 0;
        while made.len() >= (done + 1) * corners {
            if all.len() == MOST {
                return None;
            }
            let number = |at: usize| numbers.map_or((done + at) as u32, |numbers| numbers[done + at]);
            let lists = Lists::until(setup.enough, corners, &made[done * corners..], base, number);
            done += lists.primitives.len() / geometry::PRIMITIVE as usize;
            all.push(lists);
        }
        let count = |words: &[u32], each: u32| words.len() as u32 / each;
        let most =
            |each: fn(&Lists) -> &[u32], words| all.iter().map(|lists| count(each(lists), words)).max().unwrap_or(0);
        let most = [most(|lists| &lists.vertices, 1), most(|lists| &lists.primitives, geometry::PRIMITIVE)];
        if (most[0] + most[1] * geometry::PRIMITIVE + 2) as usize * all.len() > MOST_WORDS {
            return None;
        }
        let [mut vertices, mut primitives, mut live] = [const { Vec::new() }; 3];
        let put = |list: &mut Vec<u32>, words: &[u32], most: u32, each: u32| {
            list.push(count(words, each));
            list.extend_from_slice(words);
            list.resize(list.len() + (most * each) as usize - words.len(), 0);
        };
        for lists in &all {
            put(&mut vertices, &lists.vertices, most[0], 1);
            put(&mut primitives, &lists.primitives, most[1], geometry::PRIMITIVE);
            live.push(count(&lists.primitives, geometry::PRIMITIVE) * invocations);
        }
        let lanes = [most[0], most[1] * invocations].map(|lanes| lanes.next_multiple_of(geometry::LANES));
        Some(Self { vertices, primitives, most, lanes, share: setup.share, live })
    }

    /// Lanes of the geometry shader that each has, words of it in the list of primitives, how many there are, and invocations: what the
    /// programs of [`emitted`](super::emitted) are told.
    pub(super) fn said(&self, invocations: u32) -> [u32; 4] {
        [self.lanes[1], self.most[1] * geometry::PRIMITIVE + 1, self.count(), invocations]
    }

    /// How many there are.
    pub(super) fn count(&self) -> u32 {
        self.live.len() as u32
    }

    /// Windows that so many lanes of the geometry shader have.
    pub(super) fn windows(&self, lanes: u64) -> u64 {
        lanes / u64::from(self.lanes[1].max(1))
    }

    /// Where what a lane of the geometry shader puts out lies among the words of all windows, if it does something. What does not fit
    /// into its window counts as its end.
    pub(super) fn place(&self, lane: u32, words: u32) -> Option<u32> {
        let (window, at) = (lane / self.lanes[1], lane % self.lanes[1]);
        let live = self.live[window as usize % self.live.len()];
        let size = self.share / 4;
        (at < live).then(|| window * size + at.saturating_mul(words).min(size - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETUP: Setup = Setup { enough: [6, 3], share: 1024 };

    #[test]
    fn a_subgroup_ends_with_enough_vertices_or_primitives() {
        // A strip, whose triangles add a vertex each: three make a subgroup. Then triangles of their own: two of them do.
        let made = [0, 1, 2, 1, 2, 3, 2, 3, 4, 3, 4, 5, 10, 11, 12, 13, 14, 15];
        let subgroups = Subgroups::new(&SETUP, 3, &made, 100, None, 2).unwrap();
        assert_eq!(subgroups.most, [6, 3]);
        assert_eq!(subgroups.vertices.chunks(7).map(|list| list[0]).collect::<Vec<_>>(), [5, 6, 3]);
        assert_eq!(subgroups.vertices[7..14], [6, 103, 104, 105, 110, 111, 112]);
        assert_eq!(subgroups.primitives.len(), 3 * 22);
        assert_eq!(subgroups.primitives[22..37], [2, 0, 1, 2, 0, 0, 0, 3, 3, 4, 5, 0, 0, 0, 4]);
        assert_eq!((subgroups.count(), subgroups.lanes, subgroups.live), (3, [64, 64], vec![6, 4, 2]));
        // Those of patches have the patch's number.
        let subgroups = Subgroups::new(&SETUP, 3, &made, 100, Some(&[7, 7, 7, 8, 8, 9]), 2).unwrap();
        let numbers =
            subgroups.primitives.chunks(22).flat_map(|list| list[1..].chunks(7).map(|primitive| primitive[6]));
        assert_eq!(numbers.collect::<Vec<_>>(), [7, 7, 7, 8, 8, 0, 9, 0, 0]);
    }

    #[test]
    fn too_many_are_refused() {
        let made: Vec<u32> = (0..=MOST as u32).collect();
        let setup = Setup { enough: [1, 1], share: 512 };
        assert!(Subgroups::new(&setup, 1, &made[1..], 0, None, 1).is_some());
        assert!(Subgroups::new(&setup, 1, &made, 0, None, 1).is_none());
        // One subgroup of many primitives makes room for as many in all others.
        let mut made = vec![0; 2000];
        made.extend(0..MOST as u32 - 1);
        assert!(Subgroups::new(&Setup { enough: [2, 2000], share: 512 }, 1, &made, 0, None, 1).is_none());
    }

    #[test]
    fn lanes_lie_one_behind_the_other_in_their_window() {
        let subgroups = Subgroups::new(&SETUP, 1, &[0, 1, 2, 3], 0, None, 1).unwrap();
        assert_eq!(subgroups.windows(256), 4);
        assert_eq!(subgroups.place(2, 7), Some(14));
        assert_eq!(subgroups.place(3, 7), None);
        assert_eq!([subgroups.place(64, 7), subgroups.place(65, 7)], [Some(256), None]);
        // The second instance.
        assert_eq!(subgroups.place(130, 7), Some(2 * 256 + 14));
        assert_eq!(subgroups.place(2, 0x7FFF), Some(255));
    }
}
