//! `target/conformance/SUITE/index.html`: the table, and what each sub-test that is not clean prints.

use std::fmt::Write as _;
use std::path::Path;

use xtask::step::{Context, Result};

use super::known::Known;
use super::outcome::{Outcome, State};
use super::run::{Config, Outcomes};
use super::suites::SuiteRow;
use super::table;
use crate::report::{STYLE, escape};

/// Writes the page.
///
/// # Errors
/// When it cannot be written.
pub(super) fn write(
    file: &Path,
    suite: &SuiteRow,
    rows: &[Vec<String>],
    runs: &[(Config, Outcomes)],
    known: &Known,
) -> Result {
    std::fs::write(file, page(suite, rows, runs, known)).doing(format!("writing {}", file.display()))
}

fn page(suite: &SuiteRow, rows: &[Vec<String>], runs: &[(Config, Outcomes)], known: &Known) -> String {
    let mut html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>Afterimage: conformance</title><style>{STYLE}\
         details{{margin:.25rem 0}}summary{{cursor:pointer}}pre{{overflow:auto;font-size:12px;color:var(--dim)}}</style></head>\
         <body><main>\n<h1>{}</h1>\n<table><tr>",
        escape(suite.title)
    );
    for heading in table::headings(suite) {
        let _ = write!(html, "<th>{heading}</th>");
    }
    html.push_str("</tr>\n");
    for row in rows {
        html.push_str("<tr>");
        for cell in row {
            let _ = write!(html, "<td>{}</td>", escape(cell));
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</table>\n");
    for (config, outcomes) in runs {
        let _ = writeln!(html, "<h2>{}</h2>", escape(&config.to_string()));
        let ours = config.layer.is_ours();
        for (subtest, outcome) in outcomes.iter().filter(|(_, outcome)| !outcome.strictly_clean()) {
            let cause = known.cause(&subtest.full_name(), config).filter(|_| ours);
            html.push_str(&details(&subtest.full_name(), outcome, cause));
        }
    }
    html.push_str("</main></body></html>\n");
    html
}

fn details(name: &str, outcome: &Outcome, cause: Option<&str>) -> String {
    let class = if outcome.state == State::Clean { "ok" } else { "failed" };
    let cause = cause.map_or_else(String::new, |cause| format!(" — {}", escape(cause)));
    format!(
        "<details><summary><code>{}</code> <span class=\"{class}\">{}</span>{cause}</summary><pre>{}</pre></details>\n",
        escape(name),
        escape(&outcome.summary()),
        escape(&outcome.lines.join("\n"))
    )
}
