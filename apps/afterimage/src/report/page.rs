//! The page: one HTML file that holds everything. An index stands first; what the index leads to (details of calls, shaders,
//! pictures) follows in blocks that the page's script unpacks when they are looked at.

use crate::Failure;
use serde_json::Value;
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::Path;

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PICTURE: &str = include_str!("picture.js");
const WIREFRAME: &str = include_str!("wire.js");

/// Writes the page with what [`Blocks::finish`](super::blocks::Blocks::finish) gave. Its size in bytes.
pub(super) fn write(mut blocks: File, title: &str, index: &Value, path: &Path) -> Result<u64, Failure> {
    let unwritable = |error| Failure::file("cannot write", path, error);
    let (before, after) = TEMPLATE.split_once("{{blocks}}").unwrap_or((TEMPLATE, ""));
    // Nothing in a script ends it but "</", which JSON can do without.
    let index = index.to_string().replace('<', "\\u003c");
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let parts = [
        ("title", &*title),
        ("css", STYLE),
        ("js", SCRIPT),
        ("picture", PICTURE),
        ("wire", WIREFRAME),
        ("index", &index),
    ];
    let mut out = BufWriter::new(File::create(path).map_err(unwritable)?);
    let mut write = || -> std::io::Result<u64> {
        out.write_all(filled(before, &parts).as_bytes())?;
        blocks.rewind()?;
        std::io::copy(&mut blocks, &mut out)?;
        out.write_all(after.as_bytes())?;
        out.flush()?;
        out.stream_position()
    };
    write().map_err(unwritable)
}

/// A template with its {{parts}} filled in; what is filled in is taken as it is.
fn filled(template: &str, parts: &[(&str, &str)]) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("{{") {
        out.push_str(before);
        let (name, after) = after.split_once("}}").unwrap_or((after, ""));
        out.push_str(parts.iter().find(|(part, _)| *part == name).map_or("", |(_, text)| text));
        rest = after;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use super::{PICTURE, SCRIPT, STYLE, TEMPLATE, WIREFRAME, filled, write};
    use crate::report::blocks::Blocks;
    use serde_json::json;

    #[test]
    fn what_is_filled_in_is_not_filled_in_again() {
        assert_eq!(filled("a {{b}} {{c}}.", &[("b", "{{c}}"), ("c", "d")]), "a {{c}} d.");
    }

    #[test]
    fn the_page_fetches_nothing_and_is_whole() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("report.html");
        let mut blocks = Blocks::new().expect("a file");
        blocks.add("frame-0", json!({ "calls": [] })).expect("added");
        let blocks = blocks.finish().expect("packed");
        let size = write(blocks, "</title><b>", &json!({ "file": "</script><b>" }), &path).expect("written");
        let html = std::fs::read_to_string(&path).expect("read");
        assert_eq!(size, html.len() as u64);
        assert!(!html.contains("</script><b>") && !html.contains("</title><b>"));
        assert!(html.contains("id=\"block-frame-0\">"));
        for text in [TEMPLATE, STYLE, SCRIPT, PICTURE, WIREFRAME] {
            assert!(!text.contains("://") && !text.contains("@import"), "nothing is fetched");
        }
        for text in [STYLE, SCRIPT, PICTURE, WIREFRAME] {
            assert!(!text.contains("</"), "nothing ends a script");
        }
    }
}
