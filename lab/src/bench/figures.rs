//! What benchmarks of a guest say, in the units that people ask for.

use std::path::Path;

use serde_json::Value;

/// A figure: the benchmark, its case, the unit, and how many of that in a second are 1 over one nanosecond.
pub(crate) struct Figure {
    bench: &'static str,
    case: &'static str,
    unit: &'static str,
    scale: f64,
}

/// Millions of items.
pub(crate) const MILLIONS: f64 = 1e3;
/// Items.
pub(crate) const ONES: f64 = 1e9;
/// Of cases that take a MiB.
pub(crate) const GIGABYTES: f64 = 1_048_576.0;

/// A row.
pub(crate) const fn figure(bench: &'static str, case: &'static str, unit: &'static str, scale: f64) -> Figure {
    Figure { bench, case, unit, scale }
}

/// Prints the head of a table of figures.
pub(crate) fn head(title: &str) {
    println!("\n{title:<56}{:>10}  {:<14}{:>14}", "a second", "unit", "x baseline");
}

/// Prints figures from the JSON files in `out`.
pub(crate) fn print(figures: &[Figure], out: &Path) {
    for Figure { bench, case, unit, scale } in figures {
        match cases(&out.join(format!("{bench}.json"))).into_iter().find(|measured| measured.name == *case) {
            Some(Measured { ns, ratio, .. }) => println!("{case:<56}{:>10.2}  {unit:<14}{ratio:>14.2}", scale / ns),
            None => println!("{case:<56}{:>10}  {unit:<14}", "–"),
        }
    }
}

/// A case of a benchmark.
pub(crate) struct Measured {
    /// Its name.
    pub(crate) name: String,
    /// Nanoseconds an item.
    pub(crate) ns: f64,
    /// How many times the baseline that is.
    pub(crate) ratio: f64,
}

/// The cases in a benchmark's file; none if it is not there.
pub(crate) fn cases(json: &Path) -> Vec<Measured> {
    let text = std::fs::read_to_string(json).unwrap_or_default();
    let report: Value = serde_json::from_str(&text).unwrap_or_default();
    let measured = |case: &Value| {
        let number = |name: &str| case[name].as_f64();
        Some(Measured { name: case["name"].as_str()?.to_owned(), ns: number("ns")?, ratio: number("ratio")? })
    };
    report["cases"].as_array().into_iter().flatten().filter_map(measured).collect()
}
