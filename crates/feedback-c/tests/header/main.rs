//! `include/afterimage_feedback.h` is written from the tables that the library is made of, and C agrees with it.
//!
//! `AFTERIMAGE_BLESS=1 cargo test -p afterimage-feedback-c --test header` writes it.

use afterimage_feedback_c::types::{CONSTANTS, all};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const NOTICE: &str = "/* Generated from the tables of afterimage-passes and afterimage-feedback-c; do not edit.\n \
                      * AFTERIMAGE_BLESS=1 cargo test -p afterimage-feedback-c --test header */\n";

/// Bytes of a line.
const WIDTH: usize = 120;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What the tables' documentation calls things, in C.
fn words(about: &str) -> String {
    let blocks = ["Request", "Draw", "Counters"];
    let mut text = about.trim().replace("[`Row::words`]", "afterimage_feedback_row").replace(['[', ']'], "");
    for block in blocks {
        text = text.replace(&format!("`{block}::"), &format!("`AfterimageFeedback{block}."));
        text = text.replace(&format!(" a `{block}`"), &format!(" an `{block}`"));
        text = text.replace(&format!("`{block}`"), &format!("`AfterimageFeedback{block}`"));
    }
    text.replace("`DrawKind::ByteCount`", "`AFTERIMAGE_FEEDBACK_BYTE_COUNT`")
        .replace("`DrawKind`", "AFTERIMAGE_FEEDBACK_DIRECT, _INDIRECT or _BYTE_COUNT")
        .replace('`', "")
}

/// A comment, broken where lines end.
fn comment(about: &str, indent: &str) -> String {
    let mut lines = vec![format!("{indent}/*")];
    for word in words(about).split_whitespace() {
        if lines.last().map_or(0, String::len) + word.len() + 4 > WIDTH {
            lines.push(format!("{indent} *"));
        }
        let line = lines.last_mut().expect("there is one");
        let _ = write!(line, " {word}");
    }
    lines.join("\n") + " */\n"
}

fn declare(ty: &str, size: usize, name: &str) -> String {
    if let Some((of, _)) = ty.strip_prefix('[').and_then(|rest| rest.split_once("; ")) {
        return declare(of, size, &format!("{name}[{}]", size / bytes(of)));
    }
    if let Some(of) = ty.strip_prefix("*const ") {
        return format!("const {}*{name}", declare(of, size, ""));
    }
    let ty = match ty {
        "u32" => "uint32_t",
        "u64" => "uint64_t",
        "usize" => "size_t",
        "c_char" => "char",
        other => return format!("AfterimageFeedback{other} {name}"),
    };
    format!("{ty} {name}")
}

/// Bytes of what arrays are made of.
fn bytes(ty: &str) -> usize {
    match ty {
        "u32" => 4,
        "u64" => 8,
        other => {
            all().find(|block| block.name == other).unwrap_or_else(|| panic!("{other}: no type of the tables")).size
        }
    }
}

fn header() -> String {
    let mut constants = String::new();
    for c in CONSTANTS {
        constants += &comment(c.about, "");
        let value = if c.value >= 0x100 { format!("0x{:x}u", c.value) } else { format!("{}u", c.value) };
        let _ = writeln!(constants, "#define AFTERIMAGE_FEEDBACK_{} {value}", c.name);
    }
    let mut structs = String::new();
    for block in all() {
        structs += &comment(block.about, "");
        structs += &format!("typedef struct AfterimageFeedback{} {{\n", block.name);
        for field in block.fields {
            structs += &comment(field.about, "    ");
            let _ = writeln!(structs, "    {};", declare(field.ty, field.size, field.name));
        }
        let _ = write!(structs, "}} AfterimageFeedback{};\n\n", block.name);
    }
    let template = include_str!("afterimage_feedback.h.in");
    format!("{NOTICE}{}", template.replace("@CONSTANTS@\n", &(constants + "\n")).replace("@STRUCTS@\n", &structs))
}

#[test]
fn the_header_is_up_to_date() {
    let (path, text) = (root().join("include/afterimage_feedback.h"), header());
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        std::fs::write(&path, text).expect("written");
        return;
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == text, "{} is out of date: run with AFTERIMAGE_BLESS=1", path.display());
}

/// Runs the C compiler, or says that there is none.
fn cc(args: &[&dyn AsRef<std::ffi::OsStr>]) -> Option<Output> {
    let mut command = Command::new("cc");
    command.args(args).arg("-I").arg(root().join("include"));
    match command.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not tested: there is no C compiler `cc`");
            None
        }
        output => Some(output.expect("cc runs")),
    }
}

fn succeeded(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Sizes and offsets of every struct, in C and in C++.
#[test]
fn compilers_agree_with_the_tables() {
    let mut checks = String::from("#include <afterimage_feedback.h>\n");
    let mut check = |what: String, value: usize| {
        let n = checks.len();
        let _ = writeln!(checks, "typedef char check_{n}[({what}) == {value} ? 1 : -1];");
    };
    for block in all() {
        let name = format!("AfterimageFeedback{}", block.name);
        check(format!("sizeof({name})"), block.size);
        for field in block.fields {
            check(format!("offsetof({name}, {})", field.name), field.offset);
            check(format!("sizeof((({name} *)0)->{})", field.name), field.size);
        }
        let covered: usize = block.fields.iter().map(|field| field.size).sum();
        assert!(covered == block.size || block.size - covered < 8, "{name}: every byte is in the table");
    }
    let scratch = tempfile::tempdir().expect("temporary directory");
    for (name, strict) in [("check.c", "-std=c99"), ("check.cc", "-std=c++11")] {
        let file = scratch.path().join(name);
        std::fs::write(&file, &checks).expect("written");
        let object = scratch.path().join("check.o");
        let Some(output) = cc(&[&strict, &"-Wall", &"-Wextra", &"-Werror", &"-c", &file, &"-o", &object]) else {
            return;
        };
        let message = String::from_utf8_lossy(&output.stderr);
        if name.ends_with(".cc") && (message.contains("cc1plus") || message.contains("not installed")) {
            eprintln!("not tested: there is no C++ compiler");
            continue;
        }
        succeeded(&output);
    }
}
