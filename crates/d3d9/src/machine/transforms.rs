//! Transforms, by their `D3DTS_*` numbers.

use super::states::{DeviceState, DeviceTracker};
use afterimage_d3d9_types::{D3DMATRIX, D3DTRANSFORMSTATETYPE};
use afterimage_state::{State, trace};
use std::ops::Range;

/// A matrix as rows: `v * M`.
pub(crate) type Matrix = [[f32; 4]; 4];

/// The matrix that changes nothing.
pub(crate) const IDENTITY: Matrix =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// View, projection, eight texture matrices, 256 world matrices.
#[derive(Clone, Debug)]
pub(crate) struct Transforms {
    matrices: Box<[Matrix]>,
    /// World matrices that changed, or whose view did, since they were last taken: what of them [`Group::FixedWorlds`] has to
    /// compute.
    ///
    /// [`Group::FixedWorlds`]: super::Group::FixedWorlds
    stale_worlds: Range<usize>,
}

const VIEW: usize = 0;
const PROJECTION: usize = 1;
const TEXTURE: usize = 2;
const WORLD: usize = 10;
/// World matrices.
pub(crate) const WORLDS: usize = 256;
/// Of those, the ones that vertex blending without indices reads.
pub(crate) const BLENDED_WORLDS: usize = 4;

/// A matrix's state.
fn state(slot: usize) -> State<DeviceState> {
    match slot {
        VIEW => DeviceState::VIEW.only(),
        PROJECTION => DeviceState::PROJECTION.only(),
        TEXTURE..WORLD => DeviceState::TEXTURE_MATRIX.at((slot - TEXTURE) as u32),
        _ => match slot - WORLD {
            world @ 0..BLENDED_WORLDS => DeviceState::WORLD.at(world as u32),
            world => DeviceState::INDEXED_WORLD.at((world - BLENDED_WORLDS) as u32),
        },
    }
}

impl Default for Transforms {
    fn default() -> Self {
        Self { matrices: vec![IDENTITY; WORLD + WORLDS].into_boxed_slice(), stale_worlds: 0..WORLDS }
    }
}

impl Transforms {
    /// Where a transform lies, if there is one of this number.
    pub(crate) fn slot(state: D3DTRANSFORMSTATETYPE) -> Option<usize> {
        match state {
            2 => Some(VIEW),
            3 => Some(PROJECTION),
            16..=23 => Some(TEXTURE + state as usize - 16),
            256..=511 => Some(WORLD + state as usize - 256),
            _ => None,
        }
    }

    /// Every transform's number.
    pub(crate) fn states() -> impl Iterator<Item = D3DTRANSFORMSTATETYPE> {
        [2, 3].into_iter().chain(16..24).chain(256..512)
    }

    pub(crate) fn get(&self, slot: usize) -> &Matrix {
        trace::read(state(slot));
        &self.matrices[slot]
    }

    /// Stores a matrix.
    pub(crate) fn set(&mut self, slot: usize, matrix: &D3DMATRIX, tracker: &mut DeviceTracker) {
        let stored = &mut self.matrices[slot];
        // Bits, so that a matrix with a NaN is equal to itself.
        if stored.as_flattened().iter().map(|f| f.to_bits()).eq(matrix.m.as_flattened().iter().map(|f| f.to_bits())) {
            return tracker.filtered();
        }
        *stored = matrix.m;
        tracker.changed(state(slot));
        match slot.checked_sub(WORLD) {
            Some(world) if self.stale_worlds.is_empty() => self.stale_worlds = world..world + 1,
            Some(world) => {
                self.stale_worlds = self.stale_worlds.start.min(world)..self.stale_worlds.end.max(world + 1);
            }
            None if slot == VIEW => self.touch_worlds(),
            None => {}
        }
    }

    /// Every world matrix counts as changed.
    pub(crate) fn touch_worlds(&mut self) {
        self.stale_worlds = 0..WORLDS;
    }

    /// Numbers of the world matrices that changed since the last call, in one range.
    pub(crate) fn take_stale_worlds(&mut self) -> Range<usize> {
        std::mem::take(&mut self.stale_worlds)
    }

    pub(crate) fn view(&self) -> &Matrix {
        self.get(VIEW)
    }

    pub(crate) fn projection(&self) -> &Matrix {
        self.get(PROJECTION)
    }

    pub(crate) fn world(&self, index: usize) -> &Matrix {
        self.get(WORLD + (index & 255))
    }

    pub(crate) fn texture(&self, stage: usize) -> &Matrix {
        self.get(TEXTURE + (stage & 7))
    }
}

/// `a` then `b`, for row vectors.
pub(crate) fn multiply(a: &Matrix, b: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| (0..4).map(|k| a[row][k] * b[k][column]).sum()))
}

/// Inverse, or the identity for a matrix that has none.
pub(crate) fn inverse(m: &Matrix) -> Matrix {
    let mut work: [[f64; 8]; 4] = std::array::from_fn(|row| {
        std::array::from_fn(|column| match column {
            0..4 => f64::from(m[row][column]),
            _ => f64::from(u8::from(column - 4 == row)),
        })
    });
    for column in 0..4 {
        let pivot =
            (column..4).max_by(|&a, &b| work[a][column].abs().total_cmp(&work[b][column].abs())).unwrap_or(column);
        if work[pivot][column].abs() < 1e-30 || !work[pivot][column].is_finite() {
            return IDENTITY;
        }
        work.swap(column, pivot);
        let scale = work[column][column];
        for value in &mut work[column] {
            *value /= scale;
        }
        let reduced = work[column];
        for (row, values) in work.iter_mut().enumerate() {
            if row != column {
                let factor = values[column];
                for (value, by) in values.iter_mut().zip(reduced) {
                    *value -= factor * by;
                }
            }
        }
    }
    std::array::from_fn(|row| std::array::from_fn(|column| work[row][column + 4] as f32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Group;

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let m = [[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0], [0.0, 1.0, 0.0, 0.0], [4.0, 6.0, 8.0, 1.0]];
        assert_eq!(multiply(&m, &inverse(&m)), IDENTITY);
        assert_eq!(inverse(&[[0.0; 4]; 4]), IDENTITY);
    }

    #[test]
    fn changed_world_matrices_are_known() {
        let mut transforms = Transforms::default();
        let mut tracker = DeviceTracker::new();
        let mut set = |transforms: &mut Transforms, state: u32, x: f32| {
            let mut matrix = D3DMATRIX { m: IDENTITY };
            matrix.m[3][0] = x;
            tracker.take();
            transforms.set(Transforms::slot(state).unwrap(), &matrix, &mut tracker);
            tracker.dirty().iter().collect::<Vec<_>>()
        };
        assert_eq!(transforms.take_stale_worlds(), 0..256);
        assert!(transforms.take_stale_worlds().is_empty());
        assert_eq!(set(&mut transforms, 256 + 9, 1.0), [Group::FixedWorlds]);
        assert_eq!(set(&mut transforms, 256 + 3, 1.0), [Group::FixedMatrices, Group::FixedWorlds]);
        assert_eq!(set(&mut transforms, 256, 0.0), []);
        assert_eq!(transforms.take_stale_worlds(), 3..10);
        assert_eq!(set(&mut transforms, 3, 1.0), [Group::PixelOps, Group::FixedMatrices]);
        assert_eq!(set(&mut transforms, 16 + 7, 1.0), [Group::FixedTextureMatrices]);
        assert!(transforms.take_stale_worlds().is_empty());
        assert!(set(&mut transforms, 2, 1.0).contains(&Group::FixedWorlds));
        assert_eq!(transforms.take_stale_worlds(), 0..256);
    }
}
