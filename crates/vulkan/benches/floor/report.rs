//! What is printed, and written as `bench_d3d9` writes it.

use std::fmt::Write as _;

use super::{Arguments, Result};

/// A row.
struct Row {
    name: &'static str,
    unit: &'static str,
    record: f64,
    complete: f64,
}

/// The figures so far.
pub(crate) struct Report {
    adapter: String,
    rows: Vec<Row>,
    left_out: Vec<(&'static str, &'static str)>,
}

impl Report {
    /// Begins one, and says what is measured.
    pub(crate) fn new(adapter: &str, arguments: &Arguments) -> Self {
        let Arguments { draws, frames, merged, window, .. } = arguments;
        let merged = if *merged { ", runs of draws merged" } else { "" };
        let window = if *window { "with a window" } else { "without a window" };
        println!("plain Vulkan: {adapter}, {draws} draws a frame, {frames} frames, {window}{merged}");
        Self { adapter: adapter.to_owned(), rows: Vec::new(), left_out: Vec::new() }
    }

    /// A case that was measured.
    pub(crate) fn case(&mut self, name: &'static str, unit: &'static str, record: f64, complete: f64) {
        println!("{name:<34} record {record:>9.3}  complete {complete:>9.3} {unit}");
        self.rows.push(Row { name, unit, record, complete });
    }

    /// A case that was not.
    pub(crate) fn left_out(&mut self, name: &'static str, why: &'static str) {
        println!("{name:<34} left out: {why}");
        self.left_out.push((name, why));
    }

    /// Writes the file, if one is asked for.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub(crate) fn finish(&self, arguments: &Arguments) -> Result {
        let peak = peak_kib();
        if let Some(peak) = peak {
            println!("peak memory {:.1} MiB", peak as f64 / 1024.0);
        }
        let Some(path) = &arguments.json else { return Ok(()) };
        let Arguments { draws, frames, merged, window, .. } = arguments;
        let adapter = self.adapter.replace(['"', '\\'], "'");
        let mut json = format!(
            "{{\"bench\": \"floor\", \"adapter\": \"{adapter}\", \"draws\": {draws}, \"frames\": {frames}, \
             \"merged\": {merged}, \"window\": {window}, \"peak_kib\": {}, \"cases\": [",
            peak.unwrap_or(0)
        );
        for (at, Row { name, unit, record, complete }) in self.rows.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(
                json,
                "{comma}\n  {{\"name\": \"{name}\", \"unit\": \"{unit}\", \"app\": {record:.4}, \"complete\": {complete:.4}}}"
            )?;
        }
        json.push_str("\n], \"left_out\": [");
        for (at, (name, why)) in self.left_out.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(json, "{comma}\n  {{\"name\": \"{name}\", \"why\": \"{why}\"}}")?;
        }
        json.push_str("]}\n");
        std::fs::write(path, json).map_err(|error| format!("cannot write {}: {error}", path.display()).into())
    }
}

/// Most memory that this process has had, in KiB, where the system says it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}
