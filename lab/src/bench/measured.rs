//! What one run of `bench_d3d9`, or of the floor, has measured: the file that it writes, and ratios.

use std::path::Path;

use serde_json::{Value, json};
use xtask::step::{Context, Result};

/// One line of the program's table.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Case {
    /// Its name.
    pub(super) name: String,
    /// `us/draw`, `ms`, `MB/s`.
    pub(super) unit: String,
    /// The program's own thread.
    pub(super) app: f64,
    /// Until the device has finished.
    pub(super) complete: f64,
}

impl Case {
    /// How many times another's a figure is in time: a rate's ratio turns around.
    pub(super) fn times(&self, figure: impl Fn(&Self) -> f64, other: &Self) -> f64 {
        let ratio = figure(self) / figure(other);
        if self.unit.ends_with("/s") { 1.0 / ratio } else { ratio }
    }
}

/// What a run has measured.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    /// The device.
    pub(super) adapter: String,
    /// The most memory that the program's process had at once.
    pub(super) peak_kib: Option<u64>,
    /// Its cases.
    pub(super) cases: Vec<Case>,
}

impl Run {
    /// Reads the program's file.
    ///
    /// # Errors
    /// When it is not there or no JSON.
    pub(super) fn read(json: &Path) -> Result<Self> {
        let what = || format!("reading {}", json.display());
        let value: Value = serde_json::from_str(&std::fs::read_to_string(json).doing(what())?).doing(what())?;
        Ok(Self::of(&value))
    }

    fn of(value: &Value) -> Self {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let case = |case: &Value| {
            Some(Case {
                name: text(&case["name"]),
                unit: text(&case["unit"]),
                app: case["app"].as_f64()?,
                complete: case["complete"].as_f64()?,
            })
        };
        let cases = value["cases"].as_array().map(Vec::as_slice).unwrap_or_default();
        let peak_kib = value["peak_kib"].as_u64().filter(|kib| *kib != 0);
        Self { adapter: text(&value["adapter"]), peak_kib, cases: cases.iter().filter_map(case).collect() }
    }

    /// The case of this name.
    pub(super) fn case(&self, name: &str) -> Option<&Case> {
        self.cases.iter().find(|case| case.name == name)
    }

    /// Its memory, in words.
    pub(super) fn memory(&self) -> String {
        self.peak_kib.map_or_else(|| "peak memory unknown".to_owned(), |kib| format!("peak memory {:.1} MiB", mib(kib)))
    }

    /// As it is written into the report.
    pub(super) fn as_json(&self) -> Value {
        let cases: Vec<Value> = self
            .cases
            .iter()
            .map(|case| json!({ "name": case.name, "unit": case.unit, "app": case.app, "complete": case.complete }))
            .collect();
        json!({ "adapter": self.adapter, "peak_kib": self.peak_kib, "cases": cases })
    }

    /// The medians of runs of one program; of memory, the most. Cases are those of the first.
    pub(super) fn median(runs: &[Self]) -> Option<Self> {
        let first = runs.first()?;
        let cases = first.cases.iter().map(|case| {
            let middle = |figure: fn(&Case) -> f64| {
                let mut values: Vec<f64> = runs.iter().filter_map(|run| run.case(&case.name)).map(figure).collect();
                values.sort_by(f64::total_cmp);
                values[values.len() / 2]
            };
            Case { app: middle(|case| case.app), complete: middle(|case| case.complete), ..case.clone() }
        });
        let peak_kib = runs.iter().filter_map(|run| run.peak_kib).max();
        Some(Self { adapter: first.adapter.clone(), peak_kib, cases: cases.collect() })
    }
}

/// KiB in MiB.
pub(super) fn mib(kib: u64) -> f64 {
    kib as f64 / 1024.0
}

#[cfg(test)]
mod tests {
    use super::{Case, Run};
    use serde_json::json;

    fn run(app: f64, complete: f64, peak_kib: u64) -> Run {
        Run::of(&json!({
            "bench": "floor", "adapter": "A", "draws": 8, "frames": 1, "merged": false, "peak_kib": peak_kib,
            "cases": [{ "name": "same state", "unit": "us/draw", "app": app, "complete": complete }],
            "left_out": [],
        }))
    }

    #[test]
    fn what_a_program_writes_is_read_and_written() {
        let read = run(0.5, 1.5, 1024);
        assert_eq!(read.cases, [Case { name: "same state".into(), unit: "us/draw".into(), app: 0.5, complete: 1.5 }]);
        assert_eq!(read.memory(), "peak memory 1.0 MiB");
        assert_eq!(Run::of(&read.as_json()), read);
        assert_eq!(run(0.5, 1.5, 0).peak_kib, None);
        let broken = Run::of(&json!({ "cases": [{ "name": "same state", "app": "fast" }] }));
        assert!(broken.cases.is_empty());
    }

    #[test]
    fn rounds_become_medians_of_each_figure_and_the_most_memory() {
        let rounds = [run(3.0, 10.0, 7), run(1.0, 30.0, 9), run(2.0, 20.0, 8)];
        assert_eq!(Run::median(&rounds), Some(run(2.0, 20.0, 9)));
        assert_eq!(Run::median(&[]), None);
        // A case that a round lacks is that of the others.
        let short = Run { cases: Vec::new(), ..run(0.0, 0.0, 1) };
        assert_eq!(Run::median(&[run(3.0, 10.0, 7), short]), Some(run(3.0, 10.0, 7)));
    }

    #[test]
    fn a_rate_is_better_where_it_is_higher() {
        let case = |unit: &str, app| Case { name: String::new(), unit: unit.to_owned(), app, complete: app };
        assert!((case("us/draw", 3.0).times(|case| case.app, &case("us/draw", 1.5)) - 2.0).abs() < 1e-9);
        assert!((case("MB/s", 3.0).times(|case| case.app, &case("MB/s", 1.5)) - 0.5).abs() < 1e-9);
    }
}
