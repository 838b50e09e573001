//! What is written from the tables: `afterimage.conf`, docs/configuration.md, docs/profiles.md, and the explanation of one option.

use crate::built_in::BUILT_IN;
use crate::place::{FILE_NAME, VARIABLE};
use crate::table::{OPTIONS, Row};
use std::fmt::Write as _;

/// Width of comments.
const WIDTH: usize = 100;

/// Breaks prose into lines of at most so many characters, where words allow.
fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(line) if line.len() + 1 + word.len() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// Every option of the table, by title.
fn groups() -> impl Iterator<Item = &'static [Row]> {
    OPTIONS.chunk_by(|a, b| a.group == b.group)
}

fn comment(out: &mut String, text: &str) {
    for line in wrap(text, WIDTH - 2) {
        let _infallible = writeln!(out, "# {line}");
    }
}

/// A fresh `afterimage.conf`: every option with prose, what is allowed and its default, commented out.
#[must_use]
pub fn conf() -> String {
    let mut out = String::new();
    comment(&mut out, "Configuration of Afterimage.");
    out.push_str("#\n");
    comment(
        &mut out,
        &format!(
            "Where it is looked for: the file that the environment variable {VARIABLE} names; else {FILE_NAME} beside the \
             program; else $XDG_CONFIG_HOME/afterimage/{FILE_NAME} (~/.config/afterimage/{FILE_NAME}). The first one found is \
             the only one read."
        ),
    );
    out.push_str("#\n");
    comment(
        &mut out,
        "Remove the # before an option to set it. An empty value is the default. Environment variables (AFTERIMAGE_ and the \
         option's name in capitals) win over this file. `afterimage config` prints what holds, and why.",
    );
    for group in groups() {
        let title = group[0].group;
        let _infallible = write!(out, "\n\n# ---- {title} {}\n", "-".repeat(WIDTH.saturating_sub(8 + title.len())));
        for row in group {
            out.push('\n');
            comment(&mut out, row.summary);
            if !row.prose.is_empty() {
                comment(&mut out, row.prose);
            }
            allowed(&mut out, row);
            let _infallible = writeln!(out, "{}", format!("#{} = {}", row.name, row.default).trim_end());
        }
    }
    let title = "Profiles";
    let _infallible = write!(out, "\n\n# ---- {title} {}\n\n", "-".repeat(WIDTH - 8 - title.len()));
    comment(
        &mut out,
        "Options below a program's name in brackets hold for that program alone: its file name in any case, where * stands for \
         any characters and ? for one. Every section that fits counts, and a later line wins over an earlier one. What \"the \
         process that renders\" reads must be in the profile of whoever renders: `afterimage run` tells its own viewer, another \
         viewer reads [afterimage-viewer].",
    );
    out.push_str(
        "#\n#[game.exe]\n#renderer = viewer\n#fps_limit = 60\n#vram_mb = 1024\n#\n#[launcher*.exe]\n#log = info\n",
    );
    out
}

/// What may be written, below an option's prose.
fn allowed(out: &mut String, row: &Row) {
    let words = row.kind.words();
    let default = if row.default.is_empty() { "nothing" } else { row.default };
    let list = if matches!(row.kind, crate::Kind::List(_)) { "Any of these, with commas between:" } else { "One of:" };
    if words.is_empty() {
        let what = row.kind.allowed();
        comment(out, &format!("Value: {what}. Default: {default}. Read by {}.", row.reader.name()));
    } else {
        comment(out, &format!("{list} (default: {default}; read by {})", row.reader.name()));
        for word in words {
            let _infallible = writeln!(out, "#   {:<15} {}", word.name, word.about);
        }
    }
}

/// What one option does, for a terminal.
#[must_use]
pub fn explain(row: &Row) -> String {
    let mut out = format!("{} ({})\n\n", row.name, row.group);
    for line in wrap(row.summary, 90).into_iter().chain(wrap(row.prose, 90)) {
        let _infallible = writeln!(out, "  {line}");
    }
    let default = if row.default.is_empty() { "nothing" } else { row.default };
    let _infallible = write!(
        out,
        "\n  value        {}\n  default      {default}\n  environment  {}\n  read by      {}\n",
        row.kind.allowed(),
        row.variable(),
        row.reader.name()
    );
    for (index, word) in row.kind.words().iter().enumerate() {
        let head = if index == 0 { "words" } else { "" };
        let _infallible = writeln!(out, "  {head:<12} {:<15} {}", word.name, word.about);
    }
    out
}

/// docs/configuration.md.
#[must_use]
pub fn markdown() -> String {
    let mut out = String::from(
        "# Configuration\n\n\
         <!-- Generated from crates/config/src/table.rs: `cargo xtask bless afterimage-config` writes it. -->\n\n",
    );
    for line in wrap(
        "Every program of Afterimage (`d3d9.dll`, `libd3d9.so`, the viewer, the `afterimage` command) reads one file and the same \
         environment variables. Nothing has to be configured. `afterimage config --write` writes the file with every option \
         commented out ([afterimage.conf](afterimage.conf)), `afterimage config` prints what holds and where it comes from, \
         `afterimage config --explain OPTION` tells about one option.",
        118,
    ) {
        let _infallible = writeln!(out, "{line}");
    }
    let _infallible = write!(
        out,
        "\n## Where the file is\n\n\
         1. what `{VARIABLE}` names (a Unix path, also for Windows programs under Wine);\n\
         2. else `{FILE_NAME}` beside the program;\n\
         3. else `$XDG_CONFIG_HOME/afterimage/{FILE_NAME}`, where `~/.config` stands in for an unset `$XDG_CONFIG_HOME`, and \
         `%APPDATA%` for a home that is not known.\n\n\
         The first one found is the only one read.\n\n\
         ## What is in it\n\n\
         ```ini\n\
         # For every program.\n\
         log = info\n\n\
         # For programs of this name, in any case; * and ? stand for any characters and one.\n\
         [game.exe]\n\
         renderer = viewer\n\
         fps_limit = 60\n\
         ```\n\n\
         Every section that fits the program counts; a later line wins over an earlier one, and an environment variable over \
         all.\nPrograms that are known to need a setting have it by a [built-in profile](profiles.md), which all of these go before.\n\
         An empty value is the default. A line that cannot be understood is named in the log and left out.\n\n\
         Options that \"the process that renders\" reads are the viewer's where the viewer renders: `afterimage run` passes those of\n\
         the program's profile to the viewer that it starts; a viewer that runs by itself reads `[afterimage-viewer]`.\n"
    );
    for group in groups() {
        let _infallible = write!(out, "\n## {}\n", group[0].group);
        for row in group {
            let default = if row.default.is_empty() { String::new() } else { format!(" = {}", row.default) };
            let _infallible = write!(out, "\n### `{}{default}`\n\n", row.name);
            for line in wrap(&format!("{} {}", row.summary, row.prose), 118) {
                let _infallible = writeln!(out, "{line}");
            }
            let _infallible =
                write!(out, "\n`{}`, read by {}: {}.\n", row.variable(), row.reader.name(), row.kind.allowed());
            let words = row.kind.words();
            if !words.is_empty() {
                out.push('\n');
            }
            for word in words {
                let _infallible = writeln!(out, "* `{}`: {}", word.name, word.about);
            }
        }
    }
    out
}

/// docs/profiles.md.
#[must_use]
pub fn profiles() -> String {
    let mut out = String::from(
        "# Built-in profiles\n\n\
         <!-- Generated from crates/config/src/built_in.rs: `cargo xtask bless afterimage-config` writes it. -->\n\n",
    );
    for line in wrap(
        "Some programs go wrong with every implementation of Direct3D 9 that is quicker, larger or stricter than the one they were written \
         with. Those below have a setting by themselves, chosen by the name of their file, where neither the file nor the environment \
         says anything about the option ([configuration](configuration.md)). `afterimage config GAME.exe` shows what holds for a program, \
         and the log says at level `info` which profile was used and why. An option with an empty value in the user's own file is back at its \
         default; `built_in_profiles = off` does without all of them.",
        118,
    ) {
        let _infallible = writeln!(out, "{line}");
    }
    out.push_str(
        "\nThe reasons are those of the reports that are named. Nobody has tried these games with Afterimage yet: please tell us what you see.\n\n\
         | program | what is set | without it |\n|---|---|---|\n",
    );
    for row in BUILT_IN {
        let quoted = |texts: &[&str]| texts.iter().map(|text| format!("`{text}`")).collect::<Vec<_>>().join(", ");
        let hash = row.sha256.map_or_else(String::new, |hash| format!(", SHA-256 `{hash}`"));
        let sources: Vec<_> = row.sources.iter().map(|source| format!("[source]({source})")).collect();
        let (title, files, set) = (row.title, quoted(row.files), quoted(row.settings));
        let _infallible =
            writeln!(out, "| {title}: {files}{hash} | {set} | it {} ({}) |", row.reason, sources.join(", "));
    }
    out.push_str(CRASH_PATCHES);
    out
}

/// What docs/profiles.md says about option `crash_patch`.
const CRASH_PATCHES: &str = "
## Crash patches

A program may follow a null pointer at one place where going on would do no harm. Option `crash_patch` names such places and says how to go
on; `d3d9.dll` then catches the fault there, in the threads of a Windows program, and nothing else. It does so from the program's first call
of `Direct3DCreate9` on, and logs each place once.

```ini
[game.exe]
crash_patch = null-call@0x1510 pop=8 result=0; null-access@0x2a04 code=8b068b5050 skip=5 result=0
```

* `null-call@OFFSET`: a null function was called. The offset is where it would have returned to: the report about the crash (option
  `crash_report`) has it behind `from`, such as `game.exe+0x1510`.
* `null-access@OFFSET`: the instruction there reads or writes through a null pointer, that is, below 64 KiB. The report has its offset
  behind `at`.
* `skip=BYTES`: the code from there on that is not run; a `null-access` needs it.
* `pop=BYTES`: arguments that are taken from the stack, as a function does in 32-bit programs that takes them itself (`stdcall`, methods of
  objects).
* `result=NUMBER`: what the accumulator holds then. A call returns 0 where nothing is said.
* `code=HEX`: bytes that have to be at the offset, and `sha256=HEX`: the program's file. Without either, a patch also acts on another
  version of the program, whose code may lie elsewhere: say one of them in what you give to others.
";
