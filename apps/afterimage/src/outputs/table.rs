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
    /// It is a folder that a program is run in, or the options of another program.
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
}

const fn row(command: &'static str, option: &'static str, role: Role) -> Row {
    Row { command, option, role }
}

/// Every option that names a file or a folder.
pub(crate) const PATHS: &[Row] = &[
    row("run", "command", Role::ReadsFirst),
    row("run", "directory", Role::Neither),
    row("run", "output", Role::WritesInto),
    row("run", "capture", Role::WritesSecond),
    row("run", "stats", Role::Writes),
    row("view", "arguments", Role::Neither),
    row("replay", "files", Role::Reads),
    row("replay", "output", Role::WritesInto),
    row("replay", "calls", Role::ReadsBehindAt),
    row("replay", "screenshots", Role::ReadsBehindAt),
    row("replay", "measure", Role::Writes),
    row("replay", "times", Role::Writes),
    row("replay", "replace_shader", Role::ReadsBehindEquals),
    row("replay", "stats", Role::Writes),
    row("replay", "capture", Role::Writes),
    row("report", "file", Role::Reads),
    row("report", "output", Role::Writes),
    row("report", "calls", Role::ReadsBehindAt),
    row("dump", "file", Role::Reads),
    row("dump", "calls", Role::ReadsBehindAt),
    row("trim", "file", Role::Reads),
    row("trim", "output", Role::Writes),
    row("trim", "calls", Role::ReadsBehindAt),
    row("diff", "golden", Role::Reads),
    row("diff", "picture", Role::Reads),
    row("diff", "output", Role::WritesInto),
    row("inspect", "files", Role::Reads),
    row("inspect", "calls", Role::ReadsBehindAt),
    row("info", "capture", Role::Reads),
    row("config", "program", Role::Neither),
    row("config", "write", Role::Writes),
    row("shader translate", "inputs", Role::Reads),
    row("shader translate", "output", Role::WritesChecked),
    row("shader disasm", "input", Role::Reads),
    row("shader disasm", "output", Role::Writes),
    row("shader asm", "input", Role::Reads),
    row("shader asm", "output", Role::Writes),
    row("shader feedback", "input", Role::Reads),
    row("shader feedback", "geometry", Role::Reads),
    row("shader feedback", "output", Role::Writes),
    row("shader feedback", "prepare", Role::Writes),
    row("manual", "folder", Role::WritesInto),
];
