//! The results of the samples as a table in the terminal and as JSON; and how our pages look.

use std::path::Path;

use serde_json::json;
use xtask::step::{Context, Result};

use crate::matrix::{End, Row};

/// The table's columns.
pub(crate) const HEADINGS: [&str; 8] =
    ["program", "width", "transport", "frames", "draws", "ms/frame", "result", "picture"];

/// Prints the table; pictures are named relative to the folder `base`.
pub(crate) fn print(rows: &[Row], base: &Path) {
    let mut cells = vec![HEADINGS.map(str::to_owned)];
    cells.extend(rows.iter().map(|row| columns(row, base)));
    let widths: Vec<usize> =
        (0..HEADINGS.len()).map(|i| cells.iter().map(|row| row[i].chars().count()).max().unwrap_or(0)).collect();
    println!();
    for (index, row) in cells.iter().enumerate() {
        let line: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}")).collect();
        println!("{}", line.join("  ").trim_end());
        if index == 0 {
            println!("{}", widths.iter().map(|width| "─".repeat(*width)).collect::<Vec<_>>().join("  "));
        }
    }
    println!();
    for row in rows {
        let (word, why) = match &row.end {
            End::Good => continue,
            End::Skipped(why) => ("skipped", why),
            End::Bad(why) => ("FAILED", why),
        };
        println!("{word} {} {} ({}): {why}", row.program, row.way.width(), row.way.transport());
    }
}

/// A row's cells.
pub(crate) fn columns(row: &Row, base: &Path) -> [String; 8] {
    let number = |value: Option<String>| value.unwrap_or_else(|| "–".to_owned());
    let result = match &row.end {
        End::Good => "ok",
        End::Skipped(_) => "skipped",
        End::Bad(_) => "FAILED",
    };
    let picture = row.poster().map(|path| path.strip_prefix(base).unwrap_or(path).display().to_string());
    [
        row.program.to_owned(),
        row.way.width().to_owned(),
        row.way.transport().to_owned(),
        number(row.stats.frames.map(|n| n.to_string())),
        number(row.stats.draws.map(|n| format!("{n:.0}"))),
        // A replay hands its few frames over without waiting for any: its time says nothing.
        number(row.stats.ms_per_frame.filter(|_| !row.way.replays()).map(|n| format!("{n:.2}"))),
        result.to_owned(),
        number(picture),
    ]
}

/// Writes the results as JSON into `file`; pictures are named relative to the folder `base`.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn write(rows: &[Row], file: &Path, base: &Path) -> Result {
    let records: Vec<_> = rows
        .iter()
        .map(|row| {
            let (result, why) = match &row.end {
                End::Good => ("ok", None),
                End::Skipped(why) => ("skipped", Some(why)),
                End::Bad(why) => ("failed", Some(why)),
            };
            json!({
                "program": row.program, "width": row.way.width(), "transport": row.way.transport(), "result": result,
                "why": why, "frames": row.stats.frames, "draws_per_frame": row.stats.draws,
                "ms_per_frame": row.stats.ms_per_frame,
                "picture": row.poster().map(|path| path.strip_prefix(base).unwrap_or(path).display().to_string()),
            })
        })
        .collect();
    let text = serde_json::to_string_pretty(&records).doing("writing the results as JSON")?;
    std::fs::write(file, text).doing(format!("writing {}", file.display()))
}

/// How our pages look.
pub(crate) const STYLE: &str = "\
:root{color-scheme:dark light;--bg:#14161b;--card:#1d2027;--fg:#e8e6e1;--dim:#9a9aa3;--ok:#7fd69b;--bad:#ff7b72;--line:#2d313b}\
@media(prefers-color-scheme:light){:root{--bg:#f6f4ef;--card:#fff;--fg:#22242a;--dim:#6a6d75;--ok:#1d7f42;--bad:#b42318;--line:#e0dcd2}}\
body{margin:0;background:var(--bg);color:var(--fg);font:15px/1.5 system-ui,sans-serif}\
main{max-width:1180px;margin:0 auto;padding:2.5rem 1.25rem}h1{font-weight:650;letter-spacing:-.02em;margin:0 0 .25rem}\
h2{margin:2.5rem 0 .75rem;font-weight:600}p.sub{color:var(--dim);margin:0 0 1.5rem}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}th{color:var(--dim);font-weight:500;text-align:left}\
td,th{padding:.35rem .6rem;border-bottom:1px solid var(--line)}td.n{text-align:right}\
.ok{color:var(--ok)}.failed{color:var(--bad);font-weight:600}.skipped{color:var(--dim)}\
.grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(270px,1fr));gap:1rem}\
figure{margin:0;background:var(--card);border:1px solid var(--line);border-radius:10px;overflow:hidden}\
figure img{display:block;width:100%;height:auto}figcaption{padding:.5rem .75rem;font-size:13px;color:var(--dim)}\
figcaption b{color:var(--fg);font-weight:600}.strip{display:flex;gap:6px;overflow-x:auto;margin:.75rem 0}\
.strip img{height:96px;border-radius:6px}\
.steps{display:grid;grid-template-columns:repeat(auto-fit,minmax(25rem,1fr));gap:1rem}\
.steps pre{margin:0;padding:.5rem .75rem;max-height:30rem;overflow:auto;font:12px/1.45 ui-monospace,monospace;border-top:1px solid var(--line)}\
h3{margin:1.5rem 0 .5rem;font-weight:600}code{font-family:ui-monospace,monospace;font-size:.92em}";

/// A file's place relative to the page.
pub(crate) fn link(path: &Path, out: &Path) -> String {
    escape(&path.strip_prefix(out).unwrap_or(path).display().to_string())
}

/// Text inside of a page.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
