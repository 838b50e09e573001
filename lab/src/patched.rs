//! Crash patches: a Windows program that follows a null pointer ends, and goes on once its configuration says how. The patch is written as
//! a user would write it, from the report about the crash.

use std::path::PathBuf;
use std::process::Command;

use xtask::build::{Tree, Width, copy};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::wine::Wine;

/// Seconds that the program may take.
const LIMIT: &str = "120";

/// A way to follow a null pointer.
struct Way {
    /// The program's argument.
    argument: &'static str,
    /// The patch's first word.
    fault: &'static str,
    /// The line of the report that says where.
    line: &'static str,
    /// What the patch says beside the place, by width.
    rest: fn(Width) -> &'static str,
}

const WAYS: [Way; 2] = [
    Way {
        argument: "calls",
        fault: "null-call",
        line: "from ",
        // Methods take their arguments from the stack in 32-bit programs.
        rest: |width| if width == Width::W32 { "pop=8" } else { "result=0" },
    },
    Way {
        argument: "reads",
        fault: "null-access",
        line: "at ",
        // The instruction's bytes.
        rest: |width| if width == Width::W32 { "skip=2 code=8b00 result=7" } else { "skip=3 code=678b00 result=7" },
    },
];

/// How it went for programs of one width.
pub(crate) struct Row {
    pub(crate) width: Width,
    pub(crate) end: End,
}

/// Follows null pointers in each way, in both widths.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    let row = |&width: &Width| {
        if let Some(end) = wine.denied(width) {
            return Row { width, end };
        }
        let progress = Progress::start(format!("programs that follow null pointers ({} bit)", width.bits()));
        let result = Session::start(ws, tree, wine, width, &progress)
            .and_then(|session| WAYS.iter().try_for_each(|way| session.try_patch(way)));
        progress.finish(&result);
        let end = result.map_or_else(|failure| End::Bad(failure.summary()), |()| End::Good);
        Row { width, end }
    };
    step::side_by_side(&Width::ALL, row)
}

/// A program in a folder of its own.
struct Session<'a> {
    wine: &'a Wine,
    width: Width,
    folder: PathBuf,
}

impl<'a> Session<'a> {
    fn start(ws: &Workspace, tree: &Tree, wine: &'a Wine, width: Width, progress: &Progress) -> Result<Self> {
        let folder = ws.target.join(format!("test-patched/{}", width.bits()));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        let mut compiler = Command::new(width.compiler("gcc"));
        compiler.args(["-std=c99", "-Wall", "-Wextra"]).arg(ws.root.join("crates/d3d9-com/tests/programs/null.c"));
        compiler.arg("-o").arg(folder.join("null.exe")).arg("-ld3d9");
        step::run_in(ws, &mut compiler, "compiling a program that follows null pointers", "", progress)?;
        copy(&folder.join("null.exe"), &folder.join("another.exe"))?;
        copy(&tree.root().join(width.folder()).join("d3d9.dll"), &folder.join("d3d9.dll"))?;
        Ok(Self { wine, width, folder })
    }

    /// A crash, its report, and the program that goes on.
    fn try_patch(&self, way: &Way) -> Result {
        self.configure("")?;
        let (well, _) = self.run("null.exe", way, true)?;
        let report = self.report()?;
        if well {
            return Err(Failure::new(format!("a program that {} through null", way.argument), "it goes on by itself"));
        }
        self.dump()?;
        let Some(offset) = offset(&report, way.line, "null.exe+") else {
            let line = way.line.trim();
            return Err(Failure::new("the report about the crash", format!("it does not say {line:?}: {report}")));
        };
        let patch = format!("{}@{offset} {}", way.fault, (way.rest)(self.width));

        let wanted = |what: &str, holds: bool, said: &str| {
            if holds { Ok(()) } else { Err(Failure::new(format!("{patch}: {what}"), format!("the log says: {said}"))) }
        };
        self.configure(&format!("[null.exe]\ncrash_patch = {patch}\n"))?;
        let (well, said) = self.run("null.exe", way, false)?;
        let told = said.matches("the program followed a null pointer, and goes on").count();
        wanted("the program goes on, which is told once", well && told == 1, &said)?;
        // The same program by another name is another program.
        let (well, said) = self.run("another.exe", way, false)?;
        wanted("another program ends", !well && !said.contains("crash_patch"), &said)?;
        let other = "0".repeat(64);
        self.configure(&format!("[null.exe]\ncrash_patch = {patch} sha256={other}\n"))?;
        let (well, said) = self.run("null.exe", way, false)?;
        wanted("another file ends", !well && said.contains("is for another file"), &said)?;
        self.configure(&format!("[null.exe]\ncrash_patch = {}\n", patch.replace(&offset, "0x10")))?;
        let (well, said) = self.run("null.exe", way, false)?;
        wanted("another place ends", !well && !said.contains("followed a null pointer"), &said)
    }

    fn configure(&self, text: &str) -> Result {
        let path = self.folder.join("afterimage.conf");
        std::fs::write(&path, text).doing(format!("writing {}", path.display()))
    }

    /// Whether it ends well, and what the log says. Minidumps take Wine seconds.
    fn run(&self, program: &str, way: &Way, dump: bool) -> Result<(bool, String)> {
        // Reports of one process number go into one file.
        for old in [self.reports("txt")?, self.reports("dmp")?].concat() {
            std::fs::remove_file(&old).doing(format!("removing {}", old.display()))?;
        }
        let log = self.folder.join("log");
        let mut command = Command::new("timeout");
        command.args(["-k", "5", LIMIT, "wine"]).arg(self.folder.join(program)).arg(way.argument);
        self.wine.environment(&mut command, self.width);
        // Wine's debugger would look at the crash first.
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml,winedbg.exe=;d3d9=n").current_dir(&self.folder);
        command.env("AFTERIMAGE_VIEWER_WAIT_MS", "0").env("AFTERIMAGE_DIR", self.folder.join("link"));
        command.env("AFTERIMAGE_LOG_FILE", &log).env_remove("AFTERIMAGE_CONF");
        command.env("AFTERIMAGE_CRASH_DUMP", if dump { "on" } else { "off" });
        let output = command.output().doing("starting Wine")?;
        Ok((output.status.success(), std::fs::read_to_string(&log).unwrap_or_default()))
    }

    /// Reports about crashes: texts, or minidumps.
    fn reports(&self, extension: &str) -> Result<Vec<PathBuf>> {
        let named = |path: &PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("afterimage-crash-"))
                && path.extension().is_some_and(|found| found == extension)
        };
        let entries = std::fs::read_dir(&self.folder).doing("looking for reports")?;
        Ok(entries.filter_map(|entry| entry.ok().map(|entry| entry.path())).filter(named).collect())
    }

    /// The report of the last run.
    fn report(&self) -> Result<String> {
        let reports = self.reports("txt")?;
        let path =
            reports.first().ok_or_else(|| Failure::new("looking for a report about the crash", "there is none"))?;
        std::fs::read_to_string(path).doing(format!("reading {}", path.display()))
    }

    /// The minidump of the last run says what happened, and has threads and modules.
    fn dump(&self) -> Result {
        let (what, reports) = ("looking for a minidump", self.reports("dmp")?);
        let path = reports.first().ok_or_else(|| Failure::new(what, "there is none"))?;
        let bytes = std::fs::read(path).doing(format!("reading {}", path.display()))?;
        match exception(&bytes) {
            Some(ACCESS_VIOLATION) => Ok(()),
            Some(other) => Err(Failure::new(what, format!("its exception is {other:#x}"))),
            None => Err(Failure::new(what, format!("no debugger reads {}", path.display()))),
        }
    }
}

/// `EXCEPTION_ACCESS_VIOLATION`.
const ACCESS_VIOLATION: u32 = 0xc000_0005;

/// The exception of a minidump that has threads and modules. Source: `MINIDUMP_HEADER`, `MINIDUMP_DIRECTORY` and
/// `MINIDUMP_EXCEPTION_STREAM`, as Microsoft's documentation has them.
fn exception(dump: &[u8]) -> Option<u32> {
    const THREADS: u32 = 3;
    const MODULES: u32 = 4;
    const EXCEPTION: u32 = 6;
    let word = |at: u32| {
        let bytes = dump.get(usize::try_from(at).ok()?..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    };
    let (count, directory) = (word(8)?, word(12)?);
    let stream = |wanted: u32| {
        let entries = (0..count.min(1000)).map_while(|at| directory.checked_add(at * 12));
        let place = entries.filter(|&entry| word(entry) == Some(wanted)).find_map(|entry| word(entry + 8))?;
        (place != 0).then_some(place)
    };
    let counted = |kind: u32| stream(kind).and_then(word).is_some_and(|count| count > 0);
    if dump.get(..4)? != b"MDMP" || !counted(THREADS) || !counted(MODULES) {
        return None;
    }
    // Behind the thread's number and padding comes the record, which begins with its code.
    word(stream(EXCEPTION)?.checked_add(8)?)
}

/// The offset that a line of a report has behind a module's name.
fn offset(report: &str, line: &str, module: &str) -> Option<String> {
    let line = report.lines().find(|found| found.starts_with(line))?;
    line.split_once(module).map(|(_, offset)| offset.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::{ACCESS_VIOLATION, exception, offset};

    #[test]
    fn exceptions_are_found_in_minidumps() {
        let streams = |streams: &[(u32, u32)]| {
            let mut words = vec![u32::from_le_bytes(*b"MDMP"), 0xa793, streams.len() as u32, 32, 0, 0, 0, 0];
            words.extend(streams.iter().flat_map(|&(kind, at)| [kind, 12, at]));
            words.resize(32, 0);
            words.extend([1, 0, ACCESS_VIOLATION]);
            words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()
        };
        let whole = streams(&[(3, 128), (4, 128), (6, 128)]);
        assert_eq!(exception(&whole), Some(ACCESS_VIOLATION));
        assert_eq!(exception(&whole[..whole.len() - 1]), None, "cut off");
        assert_eq!(exception(&streams(&[(3, 128), (6, 128)])), None, "without modules");
        assert_eq!(exception(&streams(&[(3, 128), (4, 132), (6, 128)])), None, "with none");
        assert_eq!(exception(b"MDMP"), None);
    }

    #[test]
    fn offsets_are_found_in_reports() {
        let report =
            "program  null.exe (process 1, 32 bit)\nat       0x0\nfrom     0x401510 null.exe+0x1510\n\nregisters\n";
        assert_eq!(offset(report, "from ", "null.exe+").as_deref(), Some("0x1510"));
        assert_eq!(offset(report, "at ", "null.exe+"), None);
    }
}
