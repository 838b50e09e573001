//! What the benchmarks share: timing, ratios against a baseline of the same run, JSON.
//!
//! Machines are noisy, so every figure is the median of many samples and stands beside the ratio to a baseline that was
//! measured in the same run. `cargo xtask bench NAME` runs a bench target and writes `target/bench/NAME.json`.
#![forbid(unsafe_code)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// One measured case.
#[derive(Clone, Debug)]
pub struct Case {
    /// What was done.
    pub name: String,
    /// Median nanoseconds per item.
    pub nanoseconds: f64,
    /// How many times the baseline that is.
    pub ratio: f64,
}

/// A group of cases with one baseline.
#[derive(Debug)]
pub struct Bench {
    name: &'static str,
    baseline: Option<f64>,
    cases: Vec<Case>,
}

/// One of several ways to do the same, by name: each call says how long it took what is measured.
pub type Way<'a> = (&'a str, &'a mut dyn FnMut() -> Duration);

/// Time spent on each case.
const BUDGET: Duration = Duration::from_millis(300);

impl Bench {
    /// Starts a benchmark; `name` is the file name of its JSON.
    #[must_use]
    pub fn new(name: &'static str) -> Self {
        Self { name, baseline: None, cases: Vec::new() }
    }

    /// Measures a case: `work` does `items` items each time it is called. The first case is the baseline.
    pub fn case<R>(&mut self, name: &str, items: usize, mut work: impl FnMut() -> R) -> &mut Self {
        black_box(work());
        let mut samples = Vec::new();
        let start = Instant::now();
        while start.elapsed() < BUDGET || samples.len() < 5 {
            let before = Instant::now();
            black_box(work());
            samples.push(before.elapsed().as_nanos() as f64 / items as f64);
        }
        self.add(name, samples)
    }

    /// Measures several ways to do the same `items` items, sample by sample in turn, so that what the machine does meanwhile falls on each.
    /// The first way is the baseline of the others. Each is a case, `NAME: WAY`.
    pub fn by_turns(&mut self, name: &str, items: usize, ways: &mut [Way<'_>]) -> &mut Self {
        let mut samples = vec![Vec::new(); ways.len()];
        ways.iter_mut().for_each(|(_, work)| _ = work());
        let start = Instant::now();
        while start.elapsed() < BUDGET * ways.len() as u32 || samples.first().is_some_and(|of| of.len() < 5) {
            for ((_, work), samples) in ways.iter_mut().zip(&mut samples) {
                samples.push(work().as_nanos() as f64 / items as f64);
            }
        }
        self.baseline = None;
        for ((way, _), samples) in ways.iter().zip(samples) {
            self.add(&format!("{name}: {way}"), samples);
        }
        self
    }

    /// A case with the median of its samples, of which there is one at least.
    fn add(&mut self, name: &str, mut samples: Vec<f64>) -> &mut Self {
        samples.sort_by(f64::total_cmp);
        let nanoseconds = samples[samples.len() / 2];
        let baseline = *self.baseline.get_or_insert(nanoseconds);
        let ratio = nanoseconds / baseline;
        println!("{:<10} {name:<44} {nanoseconds:>12.1} ns  {ratio:>8.2} x baseline", self.name);
        self.cases.push(Case { name: name.to_owned(), nanoseconds, ratio });
        self
    }

    /// Makes the next case the baseline of those behind it.
    pub fn new_baseline(&mut self) -> &mut Self {
        self.baseline = None;
        self
    }

    /// Writes the cases to the file named by `AFTERIMAGE_BENCH_JSON`, if that is set.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(&self) -> std::io::Result<()> {
        let Some(path) = std::env::var_os("AFTERIMAGE_BENCH_JSON").map(PathBuf::from) else { return Ok(()) };
        let mut json = format!("{{\"bench\": \"{}\", \"cases\": [", self.name);
        for (index, case) in self.cases.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let name = case.name.replace('"', "'");
            let _ = write!(
                json,
                "{comma}\n  {{\"name\": \"{name}\", \"ns\": {:.2}, \"ratio\": {:.3}}}",
                case.nanoseconds, case.ratio
            );
        }
        json.push_str("\n]}\n");
        std::fs::write(path, json)
    }
}
