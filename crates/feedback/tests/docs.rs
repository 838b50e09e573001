//! The tables of `docs/transform-feedback.md` are those of the pass. `AFTERIMAGE_BLESS=1` writes them.

use afterimage_feedback::block::BLOCKS;
use afterimage_feedback::layout::type_of;
use afterimage_feedback::table::{Corner, Provoking, Row, TABLE};
use std::fmt::Write as _;
use std::path::Path;

/// `p+1+o` of a corner.
fn place(corner: &Corner) -> String {
    let mut text = match corner.scale {
        0 => String::new(),
        1 => "p".to_owned(),
        n => format!("{n}p"),
    };
    let [even, odd] = corner.at.map(i32::from);
    if even != 0 || text.is_empty() {
        let _ = write!(text, "{}{even}", if text.is_empty() { "" } else { "+" });
    }
    match odd - even {
        0 => {}
        n => {
            let sign = if n < 0 { "-" } else { "+" };
            let factor = if n.abs() == 1 { String::new() } else { n.abs().to_string() };
            let _ = write!(text, "{sign}{factor}o");
        }
    }
    text
}

fn places(row: &Row, provoking: Provoking) -> String {
    row.corners[provoking as usize].iter().map(place).collect::<Vec<_>>().join(", ")
}

fn topologies() -> String {
    let mut text = String::from("| | topology | least | step | first | last |\n|---|---|---|---|---|---|\n");
    for row in &TABLE {
        let (first, last) = (places(row, Provoking::First), places(row, Provoking::Last));
        let last = if first == last { "same" } else { &last };
        let (name, number) = (row.name.replace('_', " "), row.topology);
        let _ = writeln!(text, "| {number} | {name} | {} | {} | {first} | {last} |", row.least, row.step);
    }
    text
}

fn blocks() -> String {
    let mut text = String::new();
    for block in BLOCKS {
        let about = block.about.trim().replace(['[', ']'], "");
        let _ = write!(
            text,
            "\n`{}`, {} bytes. {about}\n\n| byte | field | type | |\n|---|---|---|---|\n",
            block.name, block.size
        );
        for f in block.fields {
            let about = f.about.trim().replace(['[', ']'], "");
            let _ = writeln!(text, "| {} | `{}` | `{}` | {about} |", f.offset, f.name, type_of(f));
        }
    }
    text + "\n"
}

#[test]
fn the_documentation_has_the_tables() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/transform-feedback.md");
    let there = std::fs::read_to_string(&path).expect("docs/transform-feedback.md");
    let mut text = there.clone();
    for (source, end, table) in
        [("table.rs", "<!-- end of the table -->", topologies()), ("block.rs", "<!-- end of the tables -->", blocks())]
    {
        let start =
            format!("generated from crates/passes/src/feedback/{source}: cargo xtask bless afterimage-feedback -->\n");
        let from = text.find(&start).expect("the mark before the table") + start.len();
        let to = from + text[from..].find(end).expect("the mark behind the table");
        text.replace_range(from..to, &table);
    }
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).expect("written");
    } else {
        assert!(there == text, "{} is out of date: cargo xtask bless afterimage-feedback", path.display());
    }
}
