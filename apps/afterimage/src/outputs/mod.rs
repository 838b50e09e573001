//! What commands write: nothing over what they read, no file of a kind that its name does not have, no folder that nobody hears of,
//! and nothing that is lost without a word.

mod place;
mod table;

pub(crate) use place::{Refused, fill, made, may_be_written};
pub(crate) use table::TRANSLATED;
#[cfg(test)]
pub(crate) use table::{CAPTURING, TEXTS, TOKENS};

use crate::Failure;
use clap::ArgMatches;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use table::{PATHS, Role};

/// Exit code where a file, or standard output, could not be written though the command could do all else.
pub(crate) const LOST: u8 = 3;

/// Why standard output did not take everything.
static LOST_OUTPUT: Mutex<Option<String>> = Mutex::new(None);

/// Writes to standard output. A reader that has seen enough (`afterimage info | head`) is no failure; anything else [`lost`] tells.
pub(crate) fn say(text: &str) {
    let mut out = std::io::stdout();
    said(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// Notes how standard output took something.
pub(crate) fn said(written: std::io::Result<()>) {
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
        && let Ok(mut lost) = LOST_OUTPUT.lock()
    {
        lost.get_or_insert_with(|| format!("writing to standard output: {error}"));
    }
}

/// What of standard output was lost.
pub(crate) fn lost() -> Option<String> {
    LOST_OUTPUT.lock().ok()?.take()
}

/// Writes a text file, whole or not at all.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Failure> {
    afterimage_output::write(path, text.as_bytes()).map_err(|error| Failure::file("cannot write", path, error))
}

/// What files that could not be written, and were told of in the log, mean for a command.
pub(crate) fn unwritten(files: u64) -> Result<(), Failure> {
    match files {
        0 => Ok(()),
        1 => Err(Failure::new("a file could not be written, see above")),
        _ => Err(Failure::new(format!("{files} files could not be written, see above"))),
    }
}

/// A file that is written, or a folder that is filled.
#[derive(Debug)]
struct Written {
    path: PathBuf,
    /// As the user writes it.
    option: String,
    is_folder: bool,
    /// Extensions that it may have; any if there are none.
    extensions: &'static [&'static str],
}

/// The files that a command line names.
#[derive(Debug, Default)]
pub(crate) struct Named {
    reads: Vec<PathBuf>,
    writes: Vec<Written>,
    /// Nothing is to be said but what goes wrong.
    pub(crate) quiet: bool,
}

impl Named {
    /// What is read.
    pub(crate) fn reads(&self) -> Vec<PathBuf> {
        self.reads.clone()
    }

    /// Folders that files are written into.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        self.writes.iter().filter(|written| written.is_folder).map(|written| written.path.clone()).collect()
    }

    /// Files that are written.
    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.writes.iter().filter(|written| !written.is_folder).map(|written| written.path.clone()).collect()
    }

    /// Those of a command and its subcommands.
    pub(crate) fn of(matches: &ArgMatches) -> Self {
        let (mut named, mut command, mut matches) = (Self::default(), String::new(), matches);
        while let Some((name, inner)) = matches.subcommand() {
            command = if command.is_empty() { name.to_owned() } else { format!("{command} {name}") };
            matches = inner;
        }
        named.quiet = matches.try_get_one("quiet").is_ok_and(|quiet| quiet == Some(&true));
        let given = |option: &&str| matches.try_get_raw(option).is_ok_and(|values| values.is_some());
        for row in PATHS.iter().filter(|row| row.command == command) {
            let raw = matches.try_get_raw(row.option).ok().flatten();
            let values: Vec<&Path> = raw.into_iter().flatten().map(Path::new).collect();
            let text = |path: &&Path| path.to_str().map(str::to_owned);
            let option = format!("--{}", row.option.replace('_', "-"));
            let extensions = if row.said_by.iter().any(given) { &[] } else { row.extensions };
            let is_folder = row.role == Role::WritesInto;
            let mut write = |paths: &[&Path]| {
                let files = paths.iter().filter(|path| path.as_os_str() != "-");
                let written =
                    |path: &&Path| Written { path: path.to_path_buf(), option: option.clone(), is_folder, extensions };
                named.writes.extend(files.map(written));
            };
            match row.role {
                Role::Reads => named.reads.extend(values.iter().map(|path| path.to_path_buf())),
                Role::ReadsFirst => named.reads.extend(values.first().map(|path| path.to_path_buf())),
                Role::ReadsBehindAt => {
                    let files = values.iter().filter_map(|value| Some(text(value)?.strip_prefix('@')?.into()));
                    named.reads.extend(files);
                }
                Role::ReadsBehindEquals => {
                    let files = values.iter().filter_map(|value| Some(text(value)?.split_once('=')?.1.into()));
                    named.reads.extend(files);
                }
                Role::Writes | Role::WritesInto => write(&values),
                Role::WritesSecond => values.chunks_exact(2).for_each(|two| write(&two[1..])),
                Role::WritesChecked | Role::Neither => {}
            }
        }
        named
    }

    fn check(&self) -> Result<(), Refused> {
        for Written { path: written, option, .. } in &self.writes {
            if let Some(read) = self.reads.iter().find(|read| afterimage_output::same_file(read, written)) {
                let other = if read == written { String::new() } else { format!(" (it is {})", read.display()) };
                let name = written.display();
                return Err(Refused::usage(format!(
                    "{name}{other} would be written over while it is read: give another {option}"
                )));
            }
        }
        for (at, Written { path: written, option, .. }) in self.writes.iter().enumerate() {
            if let Some(other) = self.writes[..at].iter().find(|other| place(&other.path) == place(written)) {
                let (name, other) = (written.display(), &other.option);
                return Err(Refused::usage(format!("{name}: {other} and {option} would be written over each other")));
            }
        }
        let mut files = self.writes.iter().filter(|written| !written.is_folder);
        files.try_for_each(|file| may_be_written(&file.path, &file.option, file.extensions))
    }
}

/// Where a file is or will be, whatever it is called.
fn place(path: &Path) -> PathBuf {
    let made = || Some(afterimage_output::folder_of(path).canonicalize().ok()?.join(path.file_name()?));
    path.canonicalize().ok().or_else(made).unwrap_or_else(|| path.to_owned())
}

/// Refuses a command line that would have a file written that it reads, or two files of one name; whatever the names look like. And one
/// that names a file of a kind that is not written, or in a folder that is not there.
pub(crate) fn check(matches: &ArgMatches) -> Result<(), Refused> {
    Named::of(matches).check()
}

#[cfg(test)]
mod tests {
    use super::table::{PATHS, Role};
    use super::{Named, check};
    use crate::Cli;
    use clap::{ArgMatches, Command, CommandFactory};
    use std::any::TypeId;
    use std::ffi::OsString;
    use std::path::{Path, PathBuf};

    /// Whether an option's values name files, by its type or by what its help calls them.
    fn names_files(arg: &clap::Arg) -> bool {
        let types = [TypeId::of::<PathBuf>(), TypeId::of::<OsString>(), TypeId::of::<afterimage_inspect::CallSet>()];
        let parser = arg.get_value_parser().type_id();
        let words = ["FILE", "DIR", "PATH", "FOLDER"];
        let called =
            arg.get_value_names().into_iter().flatten().any(|name| words.iter().any(|word| name.contains(word)));
        arg.get_action().takes_values() && (types.iter().any(|of| parser == *of) || called)
    }

    #[test]
    fn every_option_that_names_a_file_has_a_row() {
        fn visit(command: &Command, path: &str, found: &mut Vec<(String, String)>) {
            let files = command.get_arguments().filter(|arg| names_files(arg));
            found.extend(files.map(|arg| (path.to_owned(), arg.get_id().to_string())));
            for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
                let path =
                    if path.is_empty() { inner.get_name().to_owned() } else { format!("{path} {}", inner.get_name()) };
                visit(inner, &path, found);
            }
        }
        let mut found = Vec::new();
        visit(&Cli::command(), "", &mut found);
        let rows: Vec<_> = PATHS.iter().map(|row| (row.command.to_owned(), row.option.to_owned())).collect();
        for one in &found {
            assert!(rows.contains(one), "{one:?} names files and has no row in outputs/table.rs");
        }
        for row in &rows {
            assert!(found.contains(row), "{row:?} of outputs/table.rs is no option");
        }
        assert!(PATHS.iter().any(|row| row.role == Role::Writes));
    }

    fn matches(words: &[&str]) -> ArgMatches {
        Cli::command().try_get_matches_from([&["afterimage"], words].concat()).unwrap_or_else(|why| panic!("{why}"))
    }

    #[test]
    fn what_is_read_is_not_written_by_any_command() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name).display().to_string();
        for name in ["in", "other", "list"] {
            std::fs::write(at(name), name).unwrap();
        }
        for name in ["d", "e"] {
            std::fs::create_dir(at(name)).unwrap();
        }
        std::fs::hard_link(at("in"), at("hard")).unwrap();
        std::os::unix::fs::symlink(at("in"), at("soft")).unwrap();
        let (list, replacement) = (format!("@{}", at("list")), format!("3f={}", at("other")));
        std::fs::write(at("list"), "1\n").unwrap();
        // Every command that writes: what it reads, with `{}` for what it writes.
        let lines: &[(&[&str], &str)] = &[
            (&["run", "--stats", "{}", &at("in")], "in"),
            (&["run", "--capture", "1", "{}", &at("in")], "in"),
            (&["run", "-o", "{}", &at("d")], "d"),
            (&["replay", &at("in"), "-o", "{}", "--stats", "-"], "in"),
            (&["replay", &at("other"), &at("in"), "--stats", "{}"], "in"),
            (&["replay", &at("in"), "--measure={}"], "in"),
            (&["replay", &at("in"), "--times={}"], "in"),
            (&["replay", &at("in"), "--compile={}"], "in"),
            (&["replay", &at("in"), "--capture", "{}"], "in"),
            (&["replay", &at("in"), "--replace-shader", &replacement, "--stats", "{}"], "other"),
            (&["replay", &at("in"), "--screenshots", &list, "-o", "x", "--stats", "{}"], "list"),
            (&["report", &at("in"), "-o", "{}"], "in"),
            (&["trim", &at("in"), "-o", "{}", "--frames", "1"], "in"),
            (&["diff", &at("d"), &at("e"), "-o", "{}"], "d"),
            (&["diff", &at("d"), &at("e"), "-o", "{}"], "e"),
            (&["inspect", &at("in"), "textures", "--export", "{}"], "in"),
            (&["selftest", "--material", &at("d"), "-o", "{}"], "d"),
            (&["selftest", "--make", "{}", &at("d")], "d"),
            (&["shader", "disasm", &at("in"), "-o", "{}"], "in"),
            (&["shader", "asm", &at("in"), "-o", "{}"], "in"),
            (&["shader", "feedback", &at("in"), "-o", "{}"], "in"),
            (&["shader", "feedback", &at("in"), "--prepare", "{}"], "in"),
            (&["shader", "feedback", &at("in"), "--geometry", &at("other"), "-o", "{}"], "other"),
        ];
        let refused = |line: &[&str], output: &str| {
            let words: Vec<String> = line.iter().map(|word| word.replace("{}", output)).collect();
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            check(&matches(&words)).err().map(|failure| failure.to_string())
        };
        for (line, target) in lines {
            let mut spellings = vec![at(target), at(&format!("d/../{target}")), at(&format!("./{target}"))];
            if *target == "in" {
                spellings.extend([at("hard"), at("soft")]);
            }
            for output in spellings {
                let said = refused(line, &output).unwrap_or_else(|| panic!("{line:?} with {output} is not refused"));
                assert!(said.contains(&output) && said.contains("written over"), "{said}");
            }
            assert_eq!(refused(line, &at("new")), None, "{line:?}");
        }
        // Each option that writes was tried, but those which have nothing to read and that which asks by itself.
        for row in PATHS.iter().filter(|row| matches!(row.role, Role::Writes | Role::WritesInto | Role::WritesSecond)) {
            let tried = lines.iter().any(|(line, _)| {
                let words: Vec<String> = line.iter().map(|word| word.replace("{}", "x")).collect();
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let named = Named::of(&matches(&words));
                let option = format!("--{}", row.option.replace('_', "-"));
                words.join(" ").starts_with(row.command) && named.writes.iter().any(|other| other.option == option)
            });
            let alone = [("config", "write"), ("manual", "folder")].contains(&(row.command, row.option));
            assert!(tried || alone, "{row:?}");
        }
        assert!(refused(&["trim", &at("in"), "-o", "{}", "--calls", "1"], "-").is_none(), "standard output is no file");
        let read = Named::of(&matches(&["trim", "x", "-o", "y", "--frames", "1"])).reads;
        assert_eq!(read, [Path::new("x")]);
    }

    #[test]
    fn two_outputs_have_two_names() {
        let temp = tempfile::tempdir().unwrap();
        let at = |name: &str| temp.path().join(name).display().to_string();
        std::fs::create_dir(at("d")).unwrap();
        let said = |stats: &str| {
            check(&matches(&["replay", "a.kcap", "--stats", stats, "--capture", &at("x")])).err().map(|e| e.to_string())
        };
        assert!(said(&at("d/../x")).unwrap().contains("over each other"));
        assert_eq!(said(&at("y")), None);
        assert_eq!(said("-"), None);
    }
}
