//! Transforms, by their `D3DTS_*` numbers.

use afterimage_d3d9_types::{D3DMATRIX, D3DTRANSFORMSTATETYPE};
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
    /// World matrices that changed, or whose view did, since they were last taken.
    stale_worlds: Range<usize>,
}

const VIEW: usize = 0;
const PROJECTION: usize = 1;
const TEXTURE: usize = 2;
const WORLD: usize = 10;
/// World matrices.
const WORLDS: usize = 256;

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
        &self.matrices[slot]
    }

    /// Stores; true if that changed something.
    pub(crate) fn set(&mut self, slot: usize, matrix: &D3DMATRIX) -> bool {
        let stored = &mut self.matrices[slot];
        // Bits, so that a matrix with a NaN is equal to itself.
        if stored.as_flattened().iter().map(|f| f.to_bits()).eq(matrix.m.as_flattened().iter().map(|f| f.to_bits())) {
            return false;
        }
        *stored = matrix.m;
        match slot.checked_sub(WORLD) {
            Some(world) if self.stale_worlds.is_empty() => self.stale_worlds = world..world + 1,
            Some(world) => {
                self.stale_worlds = self.stale_worlds.start.min(world)..self.stale_worlds.end.max(world + 1);
            }
            None if slot == VIEW => self.touch_worlds(),
            None => {}
        }
        true
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
        &self.matrices[VIEW]
    }

    pub(crate) fn projection(&self) -> &Matrix {
        &self.matrices[PROJECTION]
    }

    pub(crate) fn world(&self, index: usize) -> &Matrix {
        &self.matrices[WORLD + (index & 255)]
    }

    pub(crate) fn texture(&self, stage: usize) -> &Matrix {
        &self.matrices[TEXTURE + (stage & 7)]
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

    #[test]
    fn a_matrix_times_its_inverse_is_the_identity() {
        let m = [[2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0], [0.0, 1.0, 0.0, 0.0], [4.0, 6.0, 8.0, 1.0]];
        assert_eq!(multiply(&m, &inverse(&m)), IDENTITY);
        assert_eq!(inverse(&[[0.0; 4]; 4]), IDENTITY);
    }

    #[test]
    fn changed_world_matrices_are_known() {
        let mut transforms = Transforms::default();
        let set = |transforms: &mut Transforms, state: u32, x: f32| {
            let mut matrix = D3DMATRIX { m: IDENTITY };
            matrix.m[3][0] = x;
            transforms.set(Transforms::slot(state).unwrap(), &matrix)
        };
        assert_eq!(transforms.take_stale_worlds(), 0..256);
        assert!(transforms.take_stale_worlds().is_empty());
        assert!(set(&mut transforms, 256 + 9, 1.0) && set(&mut transforms, 256 + 4, 1.0));
        assert!(!set(&mut transforms, 256, 0.0));
        assert_eq!(transforms.take_stale_worlds(), 4..10);
        assert!(set(&mut transforms, 3, 1.0));
        assert!(transforms.take_stale_worlds().is_empty());
        assert!(set(&mut transforms, 2, 1.0));
        assert_eq!(transforms.take_stale_worlds(), 0..256);
    }
}
