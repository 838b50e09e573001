//! Where a factor puts points between 0 and 1.
//!
//! All arithmetic is 16.16 fixed point, and the second half mirrors the first, so that an edge has the same points whichever way it is
//! walked. With a fraction, every point moves from where it is with the whole number of segments below to where it is with that
//! above; the segments that come between grow in one place in each half. After the section "Fixed function: tessellator" of Microsoft's
//! Direct3D 11.3 Functional Specification.

/// One in fixed point.
pub(super) const ONE: u32 = 1 << 16;

/// The turn of a segment in the middle of its edge.
pub(super) const MIDDLE: u32 = 64;

/// `VGT_TF_PARAM.PARTITIONING`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Partitioning {
    Integer,
    PowerOfTwo,
    Odd,
    Even,
}

impl Partitioning {
    /// Of the field's number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        [Self::Integer, Self::PowerOfTwo, Self::Odd, Self::Even].get(number as usize).copied()
    }

    /// What factors are clamped to.
    fn range(self) -> [f32; 2] {
        match self {
            Self::Integer | Self::PowerOfTwo => [1.0, 64.0],
            Self::Odd => [1.0, 63.0],
            Self::Even => [2.0, 64.0],
        }
    }

    /// The factor that an edge has. `more_than_one`: a factor of 1 is a little more, since others are.
    pub(super) fn factor(self, factor: f32, more_than_one: bool) -> Factor {
        let [low, high] = self.range();
        let low = if more_than_one { low.max(1.0 + 1.0 / ONE as f32) } else { low };
        // Of a factor that is no number, the low end comes.
        let factor = factor.max(low).min(high);
        let whole = factor.ceil() as u32;
        let (fixed, odd) = match self {
            Self::Integer => (whole * ONE, whole % 2 == 1),
            Self::PowerOfTwo => (whole.next_power_of_two() * ONE, whole == 1),
            Self::Odd => ((factor * ONE as f32) as u32, true),
            Self::Even => ((factor * ONE as f32) as u32, false),
        };
        Factor { fixed, odd }
    }
}

/// A factor that was clamped and rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Factor {
    fixed: u32,
    /// Whether the number of segments is odd.
    odd: bool,
}

impl Factor {
    pub(super) fn is_one(self) -> bool {
        self.fixed == ONE
    }

    /// When the segments of an edge have their turn where two edges are stitched: 0 to 63 those of the first half, [`MIDDLE`] that in
    /// the middle, the second half mirrors the first. Segments of a half lie as the nodes of a binary tree do that is filled level by
    /// level, so that an edge with more of them has those of one with fewer between its own.
    pub(super) fn turns(self) -> Vec<u32> {
        let segments = self.points().len() as u32 - 1;
        let turn = |node: u32| match node.checked_ilog2() {
            None => 0,
            Some(level) => (2 * (node - (1 << level)) + 1) << (5 - level.min(5)),
        };
        let mut turns: Vec<u32> = (0..segments / 2).map(turn).collect();
        turns.sort_unstable();
        let mirrored: Vec<u32> = turns.iter().rev().map(|turn| 2 * MIDDLE - turn).collect();
        if segments % 2 == 1 {
            turns.push(MIDDLE);
        }
        turns.extend(mirrored);
        turns
    }

    /// Where its points are, in ascending order: segments and one.
    pub(super) fn points(self) -> Vec<u32> {
        // Segments of a half, of which the middle one counts whole where their number is odd.
        let half = self.fixed.div_ceil(2) + if self.odd { ONE / 2 } else { 0 };
        let (below, above, fraction) = (half / ONE, half.div_ceil(ONE), u64::from(half % ONE));
        let odd = u32::from(self.odd);
        let [few, many] = [below, above].map(|half| u64::from((2 * half - odd).max(1)));
        // Segments come one after the other between those that were there, as bits are counted in reverse.
        let count = if self.odd { below - 1 } else { below };
        let new = match count {
            _ if below == above => above,
            0 => 0,
            count => 2 * (count - (1 << count.ilog2())) + 1,
        };
        // Multiples of the reciprocal as fixed point has it.
        let at = |index: u32, segments: u64| u64::from(index) * ((u64::from(ONE) * 2 + segments) / (2 * segments));
        let place = |point: u32| {
            let old = if point > new { point - 1 } else { point };
            let (old, point) = (at(old, few), at(point, many));
            let place = (old * (u64::from(ONE) - fraction) + point * fraction + u64::from(ONE / 2)) >> 16;
            // What reciprocals are rounded up by must not take it beyond the middle.
            (place as u32).min(ONE / 2)
        };
        let mut points: Vec<u32> = (0..above).map(place).collect();
        let mirrored: Vec<u32> = points.iter().rev().map(|point| ONE - point).collect();
        if !self.odd {
            points.push(ONE / 2);
        }
        points.extend(mirrored);
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn points(partitioning: Partitioning, factor: f32) -> Vec<u32> {
        partitioning.factor(factor, false).points()
    }

    #[test]
    fn whole_factors_have_equal_segments() {
        for n in 1..=64u32 {
            let points = points(Partitioning::Integer, n as f32);
            assert_eq!(points.len() as u32, n + 1);
            for (at, point) in points.iter().enumerate() {
                let wanted = at as f64 / f64::from(n);
                assert!((f64::from(*point) / f64::from(ONE) - wanted).abs() < 2.5e-4, "{n}: {points:?}");
            }
        }
        assert_eq!(points(Partitioning::PowerOfTwo, 5.0).len(), 9);
        assert_eq!(points(Partitioning::Integer, 2.1).len(), 4);
    }

    #[test]
    fn factors_out_of_range_are_clamped() {
        let segments = |partitioning, factor| points(partitioning, factor).len() - 1;
        assert_eq!(segments(Partitioning::Odd, 0.1), 1);
        assert_eq!(segments(Partitioning::Odd, 1000.0), 63);
        assert_eq!(segments(Partitioning::Even, 0.1), 2);
        assert_eq!(segments(Partitioning::Even, f32::INFINITY), 64);
        assert_eq!(segments(Partitioning::Integer, f32::NAN), 1);
        assert_eq!(Partitioning::Odd.factor(1.0, true).points().len(), 4);
        assert_eq!(Partitioning::Integer.factor(1.0, true).points().len(), 3);
    }

    /// What holds for every factor.
    fn holds(factor: f32, mode: u32) -> Result<(), TestCaseError> {
        let partitioning = Partitioning::of(mode).unwrap();
        let points = points(partitioning, factor);
        prop_assert_eq!((points[0], points[points.len() - 1]), (0, ONE));
        prop_assert!(points.windows(2).all(|pair| pair[0] <= pair[1]), "{:?}", points);
        let mirrored: Vec<u32> = points.iter().rev().map(|point| ONE - point).collect();
        prop_assert_eq!(&mirrored, &points);
        let segments = points.len() as u32 - 1;
        let [low, high] = partitioning.range();
        let clamped = factor.clamp(low, high);
        let wanted = match partitioning {
            Partitioning::Integer => clamped.ceil() as u32,
            Partitioning::PowerOfTwo => (clamped.ceil() as u32).next_power_of_two(),
            Partitioning::Odd => ((clamped - 1.0) / 2.0).ceil() as u32 * 2 + 1,
            Partitioning::Even => (clamped / 2.0).ceil() as u32 * 2,
        };
        // A fraction below what fixed point has may be lost.
        prop_assert!(segments == wanted || wanted - segments == 2 && clamped.fract() < 1e-4);
        // No segment is longer than those of one pair less, but that in the middle has what reciprocals were rounded by.
        let longest = points.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap();
        prop_assert!(longest <= ONE / (segments.saturating_sub(2)).max(1) + 2 + segments / 2);
        Ok(())
    }

    /// The middle segment is longer by what reciprocals are rounded by, or a point would be beyond the middle because of that.
    #[test]
    fn rounded_reciprocals_are_felt_in_the_middle() {
        holds(49.03924, 2).unwrap();
        holds(30.006073, 3).unwrap();
    }

    proptest! {
        #[test]
        fn points_ascend_and_mirror(factor in 0f32..70.0, mode in 0u32..4) {
            holds(factor, mode)?;
        }
    }
}
