//! Sets of byte ranges of guest memory.

use std::ops::Range;

/// Ranges that neither overlap nor touch, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Ranges(Vec<Range<u64>>);

/// Whether two ranges have a byte in common.
pub(super) fn overlap(a: &Range<u64>, b: &Range<u64>) -> bool {
    a.start < b.end && b.start < a.end
}

impl Ranges {
    /// Every range, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Range<u64>> {
        self.0.iter()
    }

    /// Adds every byte of a range.
    pub(super) fn insert(&mut self, range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|held| held.end < range.start);
        let end = self.0.partition_point(|held| held.start <= range.end);
        let merged = self.0[first..end].iter().fold(range, |a, b| a.start.min(b.start)..a.end.max(b.end));
        self.0.splice(first..end, [merged]);
    }

    /// Takes every byte of a range out.
    pub(super) fn remove(&mut self, range: &Range<u64>) {
        if range.is_empty() {
            return;
        }
        let first = self.0.partition_point(|held| held.end <= range.start);
        let end = self.0.partition_point(|held| held.start < range.end);
        if first < end {
            let (left, right) = (self.0[first].start..range.start, range.end..self.0[end - 1].end);
            self.0.splice(first..end, [left, right].into_iter().filter(|rest| !rest.is_empty()));
        }
    }

    /// The parts that lie in a range.
    pub(super) fn within(&self, range: &Range<u64>) -> impl Iterator<Item = Range<u64>> {
        let first = self.0.partition_point(|held| held.end <= range.start);
        let range = range.clone();
        self.0[first..]
            .iter()
            .take_while({
                let end = range.end;
                move |held| held.start < end
            })
            .map(move |held| held.start.max(range.start)..held.end.min(range.end))
    }

    /// Whether every byte of a range is in it.
    pub(super) fn covers(&self, range: &Range<u64>) -> bool {
        let first = self.0.partition_point(|held| held.end < range.end);
        range.is_empty() || self.0.get(first).is_some_and(|held| held.start <= range.start)
    }

    /// Whether a byte of a range is in it.
    pub(super) fn touches(&self, range: &Range<u64>) -> bool {
        self.within(range).next().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_of_ranges_is_a_set_of_bytes(steps in prop::collection::vec((any::<bool>(), 0u64..64, 0u64..20), 0..40)) {
            let (mut ranges, mut bytes) = (Ranges::default(), [false; 96]);
            for (add, start, size) in steps {
                if add {
                    ranges.insert(start..start + size);
                } else {
                    ranges.remove(&(start..start + size));
                }
                bytes[start as usize..(start + size) as usize].fill(add);
                prop_assert!(ranges.0.windows(2).all(|pair| pair[0].end < pair[1].start));
                for (at, byte) in bytes.iter().enumerate() {
                    prop_assert_eq!(ranges.touches(&(at as u64..at as u64 + 1)), *byte);
                }
                prop_assert_eq!(ranges.covers(&(20..40)), bytes[20..40].iter().all(|byte| *byte));
                let inside: u64 = ranges.within(&(10..70)).map(|part| part.end - part.start).sum();
                prop_assert_eq!(inside as usize, bytes[10..70].iter().filter(|byte| **byte).count());
            }
        }
    }
}
