//! WineD3D's picture, ours, and their difference, beside each other.

use std::fmt::Write as _;
use std::path::Path;

use xtask::step::{Context, Result};

use super::{LEVELS, Row};
use crate::matrix::End;
use crate::report::{STYLE, escape, link};

/// Writes a page of its own.
pub(super) fn write(rows: &[Row], out: &Path) -> Result {
    let html = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\"><title>Afterimage: programs</title><style>{STYLE}</style></head>\
         <body><main>\n<h1>Programs that nobody here wrote</h1>\n{}</main></body></html>\n",
        section(rows, out)
    );
    std::fs::create_dir_all(out).doing(format!("creating {}", out.display()))?;
    std::fs::write(out.join("index.html"), html).doing("writing index.html")
}

/// The programs as a part of a page that lies in `base`.
pub(crate) fn section(rows: &[Row], base: &Path) -> String {
    let mut html = String::new();
    for row in rows {
        let (class, end) = match &row.end {
            End::Good => ("ok", "ok".to_owned()),
            End::Skipped(why) => ("skipped", format!("skipped: {why}")),
            End::Bad(why) => ("failed", why.clone()),
        };
        let _ = writeln!(
            html,
            "<h3>{} <span class=\"{class}\">{}</span></h3>\n<p class=\"sub\">{}</p>",
            escape(&format!("{}: {}", row.program, row.way)),
            escape(&end),
            escape(&row.what)
        );
        for picture in &row.pictures {
            html.push_str("<div class=\"grid\">");
            let captions = [
                "WineD3D".to_owned(),
                "ours".to_owned(),
                format!(
                    "difference, 16 times: {:.3} % within {LEVELS} levels, {:.2} % equal",
                    picture.same * 100.0,
                    picture.equal * 100.0
                ),
            ];
            for (file, caption) in picture.files.iter().zip(captions) {
                let link = link(file, base);
                let _ = write!(
                    html,
                    "<figure><a href=\"{link}\"><img src=\"{link}\" alt=\"{caption}\" loading=\"lazy\"></a><figcaption>{caption}</figcaption></figure>"
                );
            }
            html.push_str("</div>\n");
        }
    }
    html
}
