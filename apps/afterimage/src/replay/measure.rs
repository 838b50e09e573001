//! `--measure`: how long frames take.

use afterimage_vulkan::FrameTime;
use serde_json::json;
use std::fmt::Write;
use std::time::Duration;

/// Figures of many times, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Figures {
    mean: f64,
    median: f64,
    p95: f64,
    p99: f64,
    worst: f64,
}

impl Figures {
    /// Of the times; `None` without any. Percentiles are the smallest time that so many of all do not exceed.
    fn of(times: impl Iterator<Item = Duration>) -> Option<Self> {
        let mut times: Vec<f64> = times.map(|time| time.as_secs_f64() * 1000.0).collect();
        times.sort_by(f64::total_cmp);
        let worst = *times.last()?;
        let at = |percent: usize| times[(times.len() * percent).div_ceil(100).clamp(1, times.len()) - 1];
        let mean = times.iter().sum::<f64>() / times.len() as f64;
        Some(Self { mean, median: at(50), p95: at(95), p99: at(99), worst })
    }

    fn rows(&self) -> [(&'static str, f64); 5] {
        [("mean", self.mean), ("median", self.median), ("p95", self.p95), ("p99", self.p99), ("worst", self.worst)]
    }
}

/// The times of a replay.
pub(super) struct Measured<'a> {
    pub(super) device: &'a str,
    pub(super) passes: u64,
    pub(super) warmup: u64,
    pub(super) times: &'a [FrameTime],
}

impl Measured<'_> {
    fn figures(&self) -> [(&'static str, Option<Figures>); 2] {
        let gpu = self.times.iter().any(|time| !time.gpu.is_zero());
        [
            ("CPU", Figures::of(self.times.iter().map(|time| time.cpu))),
            ("GPU", gpu.then(|| Figures::of(self.times.iter().map(|time| time.gpu))).flatten()),
        ]
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let mut out = format!(
            "{} frames in {} replays after {} to warm up, on {}\nms per frame    mean  median     p95     p99   worst\n",
            self.times.len(),
            self.passes,
            self.warmup,
            self.device
        );
        for (name, figures) in self.figures() {
            out.push_str(name);
            out.push_str("          ");
            match figures {
                Some(figures) => {
                    for (_, value) in figures.rows() {
                        let _text = write!(out, "{value:8.3}");
                    }
                }
                None => out.push_str("  not told by the device"),
            }
            out.push('\n');
        }
        out
    }

    /// For programs: the figures, and each frame's times.
    pub(super) fn json(&self) -> serde_json::Value {
        let figures = self.figures().map(|(_, figures)| {
            figures.map(|f| f.rows().map(|(name, value)| (name.to_owned(), json!(value))).into_iter().collect())
        });
        let [cpu, gpu] = figures.map(|figures: Option<serde_json::Map<_, _>>| figures);
        let ms = |time: Duration| time.as_secs_f64() * 1000.0;
        let frames = self.times.iter().map(|t| json!({ "frame": t.frame, "cpu": ms(t.cpu), "gpu": ms(t.gpu) }));
        json!({
            "device": self.device, "replays": self.passes, "warmup": self.warmup, "frames": self.times.len(),
            "cpu_ms": cpu, "gpu_ms": gpu, "times_ms": frames.collect::<Vec<_>>(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_times_that_were_taken() {
        let times = || (1..=200).map(Duration::from_millis);
        let figures = Figures::of(times()).unwrap();
        assert_eq!(figures, Figures { mean: 100.5, median: 100.0, p95: 190.0, p99: 198.0, worst: 200.0 });
        let one = Figures::of(times().take(1)).unwrap();
        assert_eq!((one.median, one.p99), (1.0, 1.0));
        assert_eq!(Figures::of(times().take(0)), None);
    }

    #[test]
    fn a_device_without_a_clock_is_said() {
        let times = [FrameTime { frame: 3, cpu: Duration::from_millis(2), gpu: Duration::ZERO }];
        let measured = Measured { device: "x", passes: 1, warmup: 0, times: &times };
        assert!(measured.text().contains("not told"), "{}", measured.text());
        assert!(measured.json()["gpu_ms"].is_null());
        assert_eq!(measured.json()["cpu_ms"]["worst"], 2.0);
    }
}
