//! Times from one present to the next.

use std::collections::VecDeque;

/// Frames that are looked back at.
const KEPT: usize = 1000;

/// The last frames' times in milliseconds.
#[derive(Default)]
pub struct Times(VecDeque<f32>);

/// What is said of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean in milliseconds.
    pub mean: f32,
    /// Frames a second of the slowest percent, taken as one long frame each, and of the slowest tenth of a percent.
    pub low: [f32; 2],
}

impl Times {
    /// A frame took so long.
    pub fn add(&mut self, milliseconds: f32) {
        if self.0.len() == KEPT {
            self.0.pop_front();
        }
        self.0.push_back(milliseconds);
    }

    /// The last ones, at most so many, the oldest first.
    pub fn last(&self, count: usize) -> impl Iterator<Item = f32> {
        self.0.iter().skip(self.0.len().saturating_sub(count)).copied()
    }

    /// `None` before the first.
    pub fn summary(&self) -> Option<Summary> {
        let mut sorted: Vec<f32> = self.0.iter().copied().collect();
        sorted.sort_by(|a, b| b.total_cmp(a));
        let slowest = *sorted.first()?;
        let mean = sorted.iter().sum::<f32>() / sorted.len() as f32;
        // The slowest frame stands for a share that is less than one.
        let low = [100, 1000].map(|share| {
            let count = (sorted.len() / share).max(1);
            1000.0 * count as f32 / sorted[..count].iter().sum::<f32>().max(slowest.min(0.001))
        });
        Some(Summary { mean, low })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lows_are_those_of_the_slowest_frames() {
        let mut times = Times::default();
        assert_eq!(times.summary(), None);
        times.add(10.0);
        assert_eq!(times.summary(), Some(Summary { mean: 10.0, low: [100.0; 2] }));
        for _ in 0..979 {
            times.add(10.0);
        }
        for _ in 0..20 {
            times.add(20.0);
        }
        let summary = times.summary().unwrap();
        assert!((summary.mean - 10.2).abs() < 1e-3, "{summary:?}");
        assert_eq!(summary.low, [50.0; 2]);
        times.add(100.0);
        // Ten of a thousand: one of 100 and nine of 20 ms; one of a thousand is the 100 ms.
        let [percent, tenth] = times.summary().unwrap().low;
        assert!((percent - 1000.0 / 28.0).abs() < 1e-3 && (tenth - 10.0).abs() < 1e-3, "{percent} {tenth}");
        assert_eq!(times.last(2).collect::<Vec<_>>(), [20.0, 100.0]);
        assert_eq!(times.last(5000).count(), KEPT);
    }
}
