//! docs/sandbox.md: both tables, and what they mean together.

use super::DRIVER_CACHES;
use super::calls::{CALLS, Row, Test, Verdict};
use super::files::VERSIONS;
use super::paths::{self, DEFAULTS, PATHS};
use std::fmt::Write as _;

/// The page.
#[must_use]
pub fn markdown() -> String {
    let mut page = String::from(HEAD);
    page.push_str("\n| kernel | Landlock | what it checks since |\n|---|---|---|\n");
    for (version, linux, what) in VERSIONS {
        writeln!(page, "| {linux} | {} | {what} |", *version as i32).unwrap_or_default();
    }
    page.push_str(PATHS_HEAD);
    let mut rows = PATHS.iter().peekable();
    while let Some(row) = rows.next() {
        let mut patterns = format!("`{}`", row.pattern);
        let same = |other: &&paths::Row| other.reason == row.reason;
        while let Some(other) = rows.next_if(same) {
            write!(patterns, ", `{}`", other.pattern).unwrap_or_default();
        }
        writeln!(page, "| {patterns} | {} | {} | {} |", row.right.name(), row.when.name(), row.reason)
            .unwrap_or_default();
    }
    page.push_str("\nWhere a variable is not set, it stands for:\n\n| variable | default |\n|---|---|\n");
    for (variable, default) in DEFAULTS {
        writeln!(page, "| `{variable}` | `{default}` |").unwrap_or_default();
    }
    page.push_str(CACHES);
    for (variable, folder) in DRIVER_CACHES {
        writeln!(page, "| `{variable}` | `{folder}` |").unwrap_or_default();
    }
    page.push_str(CALLS_HEAD);
    calls(&mut page, |verdict| !matches!(verdict, Verdict::Never | Verdict::Unknown));
    page.push_str(REFUSED);
    calls(&mut page, |verdict| matches!(verdict, Verdict::Never | Verdict::Unknown));
    page.push_str(TAIL);
    page
}

/// Those rows of the table of calls, neighbours of one reason together.
fn calls(page: &mut String, wanted: impl Fn(&Verdict) -> bool) {
    page.push_str("\n| call | condition | reason |\n|---|---|---|\n");
    let mut rows = CALLS.iter().filter(|row| wanted(&row.verdict)).peekable();
    while let Some(row) = rows.next() {
        let mut names = format!("`{}`", row.name);
        let same = |other: &&Row| other.reason == row.reason && other.x86_64_only == row.x86_64_only;
        while let Some(other) = rows.next_if(same) {
            write!(names, ", `{}`", other.name).unwrap_or_default();
        }
        let only = if row.x86_64_only { " (x86-64)" } else { "" };
        writeln!(page, "| {names}{only} | {} | {} |", condition(&row.verdict), row.reason).unwrap_or_default();
    }
}

/// A verdict, in words.
fn condition(verdict: &Verdict) -> String {
    let groups = |groups: &[&[Test]]| {
        let group = |tests: &&[Test]| tests.iter().map(ToString::to_string).collect::<Vec<_>>().join(" and ");
        groups.iter().map(group).collect::<Vec<_>>().join("; ")
    };
    match verdict {
        Verdict::Always => String::new(),
        Verdict::Where(tests) => groups(tests),
        Verdict::Display([]) => "windows".into(),
        Verdict::Display(tests) => format!("windows: {}", groups(tests)),
        Verdict::Never => "EPERM".into(),
        Verdict::Unknown => "ENOSYS".into(),
    }
}

const HEAD: &str = "# The sandbox of renderer processes

Generated from `crates/process/src/sandbox` (`cargo xtask bless afterimage-process`).

What strangers' shaders, captures and calls make of a driver is run in a process that can reach little else, on Linux. Before it loads Vulkan it
gives up all files but those below (Landlock); when its device is open, it gives up all system calls but those below (seccomp, all threads).
Neither can be taken back. What is not permitted fails with an error, and nothing is killed for it: drivers try things out and go on without.

The option `sandbox = off` does without. A kernel that lacks something is told of in the log, and the process goes on with what there is.
";

const PATHS_HEAD: &str = "
Connections to sockets that have a place in a folder are checked by Landlock 9 (Linux 7.1) and nothing is said where they are not: processes without
windows can make none anyway.

## Files

A folder stands for all that is in it. Besides these, a process gets what it is for: its capture to read, the folder of its pictures or of the new capture
to write, the folder of caches. Rows for windows hold where the process shows them. Nothing may be executed.

| path | right | when | reason |
|---|---|---|---|
";

const CACHES: &str = "
Drivers keep what they compile in folders inside that of our caches, for otherwise a process that was taken over could leave machine code where
other programs of the user's look for theirs:

| variable | folder |
|---|---|
";

const CALLS_HEAD: &str = "
## System calls

x86-64 and arm64; on other processors there is no filter, which the log says. Calls by the convention of another processor (32-bit ones) end the
process.

### Permitted
";

const REFUSED: &str = "
### Refused

A call that is in neither table fails with ENOSYS, as on a kernel that is too old for it: libraries then take another way. One that is permitted on a
condition which does not hold fails with EPERM.
";

const TAIL: &str = "
## What it does not keep

* Names, sizes and times of files can be asked for anywhere (`stat`); contents cannot.
* The GPU's driver in the kernel is as large as it is, and a GPU of several programs keeps them apart as well as that driver does.
* Renderers of all programs have one folder of caches: what one leaves there, the next one reads. It is checked as a capture is; what the driver
  makes of its own part is the driver's.
* A process with windows is a client of the display: X11 lets any client read and type into windows of all others. Before Linux 7.1 it may also
  connect to any other socket of the user's that has a place in a folder.
";
