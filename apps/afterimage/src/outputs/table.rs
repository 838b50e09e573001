//! What the options that name files are to their commands: one row each.

/// What becomes of the file, or of the folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is read.
    Reads,
    /// The first value is read; the others are not ours.
    ReadsFirst,
    /// `@FILE` is read, anything else is no file.
    ReadsBehindAt,
    /// `WORD=FILE` is read.
    ReadsBehindEquals,
    /// It is written.
    Writes,
    /// The second of two values is written.
    WritesSecond,
    /// Files in the folder are written.
    WritesInto,
    /// It is written, or files in it are; which of the files that are read may not be, the command finds out by itself.
    WritesChecked,
    /// It is a folder that a program is run in or installed into, or the options of another program.
    Neither,
}

/// An option of a command.
#[derive(Debug)]
pub(crate) struct Row {
    /// `replay`, `shader translate`.
    pub(crate) command: &'static str,
    /// As clap names it.
    pub(crate) option: &'static str,
    pub(crate) role: Role,
    /// Extensions that a file which is written may have. One without an extension may be called anything.
    pub(crate) extensions: &'static [&'static str],
    /// Options that say what is written, whatever the file is called.
    pub(crate) said_by: &'static [&'static str],
}

const fn row(command: &'static str, option: &'static str, role: Role) -> Row {
    Row { command, option, role, extensions: &[], said_by: &[] }
}

impl Row {
    const fn called(self, extensions: &'static [&'static str]) -> Self {
        Self { extensions, ..self }
    }

    const fn unless(self, said_by: &'static [&'static str]) -> Self {
        Self { said_by, ..self }
    }
}

const CAPTURE: &[&str] = &["aftercap"];
const FIGURES: &[&str] = &["json"];
const PAGE: &[&str] = &["html", "htm"];
const CONFIGURATION: &[&str] = &["conf"];
/// Of shaders in other languages: `kind.rs` of the shader commands has what each means.
pub(crate) const TRANSLATED: &[&str] = &["spv", "spvasm", "metal", "air", "asm", "txt", "vsh", "gcnasm"];
/// Of shaders with transform feedback in them.
pub(crate) const CAPTURING: &[&str] = &["spv", "spvasm", "metal", "air"];
/// Of shaders as assembler text, and of what becomes of that.
pub(crate) const TEXTS: &[&str] = &["asm", "txt", "vsh", "gcnasm", "spvasm"];
pub(crate) const TOKENS: &[&str] = &["o", "cso", "bin", "vso", "pso", "xvu", "nv2a", "gcn"];

/// Every option that names a file or a folder.
pub(crate) const PATHS: &[Row] = &[
    row("run", "command", Role::ReadsFirst),
    row("run", "directory", Role::Neither),
    row("run", "output", Role::WritesInto),
    row("run", "capture", Role::WritesSecond).called(CAPTURE),
    row("run", "stats", Role::Writes).called(FIGURES),
    row("install", "prefix", Role::Neither),
    row("install", "dlls", Role::Neither),
    row("install", "proton", Role::Neither),
    row("install", "wraps", Role::Neither),
    row("uninstall", "prefix", Role::Neither),
    row("view", "arguments", Role::Neither),
    row("replay", "files", Role::Reads),
    row("replay", "output", Role::WritesInto),
    row("replay", "calls", Role::ReadsBehindAt),
    row("replay", "screenshots", Role::ReadsBehindAt),
    row("replay", "measure", Role::Writes).called(FIGURES),
    row("replay", "times", Role::Writes).called(FIGURES),
    row("replay", "compile", Role::Writes).called(FIGURES),
    row("replay", "replace_shader", Role::ReadsBehindEquals),
    row("replay", "stats", Role::Writes).called(FIGURES),
    row("replay", "capture", Role::Writes).called(CAPTURE),
    row("report", "file", Role::Reads),
    row("report", "output", Role::Writes).called(PAGE),
    row("report", "calls", Role::ReadsBehindAt),
    row("dump", "file", Role::Reads),
    row("dump", "calls", Role::ReadsBehindAt),
    row("trim", "file", Role::Reads),
    row("trim", "output", Role::Writes).called(CAPTURE),
    row("trim", "calls", Role::ReadsBehindAt),
    row("diff", "golden", Role::Reads),
    row("diff", "picture", Role::Reads),
    row("diff", "output", Role::WritesInto),
    // Of captures the file is followed by a word.
    row("inspect", "files", Role::ReadsFirst),
    row("inspect", "calls", Role::ReadsBehindAt),
    row("inspect", "export", Role::WritesInto),
    row("info", "capture", Role::Reads),
    row("selftest", "output", Role::Writes).called(PAGE),
    row("selftest", "material", Role::Reads),
    row("selftest", "make", Role::WritesInto),
    row("selftest", "captures", Role::Reads),
    row("selftest", "shaders", Role::Reads),
    row("config", "program", Role::Neither),
    row("config", "write", Role::Writes).called(CONFIGURATION),
    row("shader translate", "inputs", Role::Reads),
    row("shader translate", "output", Role::WritesChecked).called(TRANSLATED).unless(&["to", "emit_after"]),
    row("shader disasm", "input", Role::Reads),
    row("shader disasm", "output", Role::Writes).called(TEXTS),
    row("shader asm", "input", Role::Reads),
    row("shader asm", "output", Role::Writes).called(TOKENS),
    row("shader feedback", "input", Role::Reads),
    row("shader feedback", "geometry", Role::Reads),
    row("shader feedback", "output", Role::Writes).called(CAPTURING).unless(&["to"]),
    row("shader feedback", "prepare", Role::Writes).called(CAPTURING),
    row("manual", "folder", Role::WritesInto),
];
