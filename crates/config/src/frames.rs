//! Sets of frame numbers: `1,5,10-20`.

use std::fmt;
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

    /// The set as rising ranges, with at least one frame between each and the next.
    #[must_use]
    pub fn ranges(&self) -> Vec<RangeInclusive<u64>> {
        let mut all = self.0.clone();
        all.sort_by_key(|range| *range.start());
        let mut joined: Vec<RangeInclusive<u64>> = Vec::new();
        for range in all {
            match joined.last_mut() {
                Some(last) if *range.start() <= last.end().saturating_add(1) => {
                    *last = *last.start()..=*last.end().max(range.end());
                }
                _ => joined.push(range),
            }
        }
        joined
    }
}

/// As [`FrameSet::parse`] takes it.
impl fmt::Display for FrameSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, range) in self.0.iter().enumerate() {
            let comma = if at > 0 { "," } else { "" };
            write!(f, "{comma}{}-{}", range.start(), range.end())?;
        }
        Ok(())
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
        assert_eq!(set.ranges(), [1..=1, 3..=3, 5..=7]);
        assert_eq!(FrameSet::parse(&set.to_string()), Some(set));
        assert_eq!(FrameSet::parse("5-7,1,2-9,10").unwrap().ranges(), [1..=10]);
        assert_eq!(FrameSet::all().ranges(), [0..=u64::MAX]);
        for bad in ["", "a", "3-1", "1,,2", "-"] {
            assert_eq!(FrameSet::parse(bad), None, "{bad}");
        }
    }
}
