//! Sets of frame numbers: `1,5,10-20`.

use std::ops::RangeInclusive;

/// Which frames something happens in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameSet(Vec<RangeInclusive<u64>>);

impl FrameSet {
    /// Every frame.
    #[must_use]
    pub fn all() -> Self {
        Self(vec![0..=u64::MAX])
    }

    /// Parses `a,b,c-d`. `None` if any part is not a number or a rising range.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let part = |part: &str| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            let (first, last) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
            (first <= last).then_some(first..=last)
        };
        text.split(',').map(part).collect::<Option<Vec<_>>>().map(Self)
    }

    /// Whether a frame is in the set.
    #[must_use]
    pub fn contains(&self, frame: u64) -> bool {
        self.0.iter().any(|range| range.contains(&frame))
    }

    /// The smallest range that holds the whole set.
    #[must_use]
    pub fn span(&self) -> RangeInclusive<u64> {
        let first = self.0.iter().map(|range| *range.start()).min().unwrap_or(0);
        let last = self.0.iter().map(|range| *range.end()).max().unwrap_or(0);
        first..=last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_sets() {
        let set = FrameSet::parse("1, 3,5-7").unwrap();
        let inside: Vec<u64> = (0..10).filter(|&frame| set.contains(frame)).collect();
        assert_eq!(inside, [1, 3, 5, 6, 7]);
        assert_eq!(set.span(), 1..=7);
        for bad in ["", "a", "3-1", "1,,2", "-"] {
            assert_eq!(FrameSet::parse(bad), None, "{bad}");
        }
    }
}
