//! The page: one HTML file that holds everything. An index stands first; what the index leads to (details of calls, shaders,
//! pictures) follows in blocks that the page's script unpacks when they are looked at.

use crate::Failure;
use afterimage_output::Output;
use serde_json::Value;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const TEMPLATE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const PICTURE: &str = include_str!("picture.js");
const WIREFRAME: &str = include_str!("wire.js");

/// Writes the page with what [`Blocks::finish`](super::blocks::Blocks::finish) gave. Its size in bytes. Until it is whole, it has another
/// name; who interrupts gets none.
pub(super) fn write(mut blocks: File, title: &str, index: &Value, path: &Path) -> Result<u64, Failure> {
    let unwritable = |error| Failure::file("cannot write", path, error);
    let (before, after) = TEMPLATE.split_once("{{blocks}}").unwrap_or((TEMPLATE, ""));
    let index = index_text(index);
    let title = title.replace('&', "&amp;").replace('<', "&lt;");
    let parts = [
        ("title", &*title),
        ("css", STYLE),
        ("js", SCRIPT),
        ("picture", PICTURE),
        ("wire", WIREFRAME),
        ("index", &index),
    ];
    let stop = interrupts().map_err(unwritable)?;
    let mut out = Output::create(path).map_err(unwritable)?;
    let mut write = || -> std::io::Result<u64> {
        out.write_all(filled(before, &parts).as_bytes())?;
        blocks.rewind()?;
        while std::io::copy(&mut (&mut blocks).take(PIECE), &mut out)? > 0 {
            if stop.load(Ordering::Relaxed) {
                return Err(std::io::Error::other("interrupted"));
            }
        }
        out.write_all(after.as_bytes())?;
        out.flush()?;
        // A pipe has no places; its page is as long as what was written.
        Ok(out.stream_position().unwrap_or_default())
    };
    let size = write().map_err(unwritable)?;
    out.finish().map_err(unwritable)?;
    Ok(size)
}

/// Bytes that a page takes besides its blocks.
pub(super) fn frame_size(title: &str, index: &Value) -> u64 {
    let fixed: usize = [TEMPLATE, STYLE, SCRIPT, PICTURE, WIREFRAME].iter().map(|text| text.len()).sum();
    (fixed + 5 * title.len() + index_text(index).len()) as u64
}

/// Nothing in a script ends it but "</", which JSON can do without.
fn index_text(index: &Value) -> String {
    index.to_string().replace('<', "\\u003c")
}

/// Bytes that are written between two looks at whether somebody interrupts.
const PIECE: u64 = 1 << 20;

/// Whether somebody interrupts from here on; who does so twice ends the program.
fn interrupts() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(&stop))?;
        signal_hook::flag::register(signal, Arc::clone(&stop))?;
    }
    Ok(stop)
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
    use crate::report::room::Of;
    use serde_json::json;

    #[test]
    fn what_is_filled_in_is_not_filled_in_again() {
        assert_eq!(filled("a {{b}} {{c}}.", &[("b", "{{c}}"), ("c", "d")]), "a {{c}} d.");
    }

    #[test]
    fn the_page_fetches_nothing_and_is_whole() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("report.html");
        let mut blocks = Blocks::new(temp.path(), u64::MAX).expect("a file");
        blocks.add(Of::Lists, "frame-0", json!({ "calls": [] })).expect("added");
        let blocks = blocks.finish().expect("packed");
        let size = write(blocks, "</title><b>", &json!({ "file": "</script><b>" }), &path).expect("written");
        let html = std::fs::read_to_string(&path).expect("read");
        assert_eq!(size, html.len() as u64);
        assert_eq!(std::fs::read_dir(temp.path()).expect("listed").count(), 1, "nothing else is left");
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
