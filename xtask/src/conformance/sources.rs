//! Wine's Direct3D 9 tests out of Debian's source package, built as a program for each width, in a folder of the cache.
//!
//! Nothing of Wine is part of this tree. `START_TEST` of each file is rewritten there so that it runs one sub-test only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use crate::build::Width;
use crate::setup::apt;
use crate::step::{self, Context, Failure, Progress, Result};
use crate::workspace::Workspace;

/// The release whose Wine has the tests: 10.0.
const SUITE: &str = "trixie";
/// The files, in the order of every table.
pub(super) const FILES: [&str; 4] = ["stateblock", "d3d9ex", "device", "visual"];
/// What is unpacked.
const WANTED: [&str; 3] = ["*/dlls/d3d9/tests", "*/include/wine/test.h", "*/include/wine/debug.h"];
const STANDALONE: &str = include_str!("standalone.c");
const FLAGS: &[&str] = &[
    "-O1",
    "-std=gnu11",
    "-w",
    "-msse2",
    "-D__WINE_PE_BUILD",
    "-DDECLSPEC_EXPORT=",
    "-Isrc/include",
    "-Isrc/dlls/d3d9/tests",
];

/// A sub-test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Subtest {
    /// Which of [`FILES`].
    pub(super) file: usize,
    /// Where it stands in the file, so that tables keep that order.
    place: usize,
    /// The function.
    pub(super) name: String,
}

impl Subtest {
    /// `device.test_reset`.
    pub(super) fn full_name(&self) -> String {
        format!("{}.{}", FILES[self.file], self.name)
    }
}

/// The tests, ready to run.
#[derive(Debug)]
pub(super) struct Suite {
    folder: PathBuf,
    /// All sub-tests.
    pub(super) subtests: Vec<Subtest>,
}

impl Suite {
    /// Downloads, rewrites and builds what is not there already.
    ///
    /// # Errors
    /// When the source package cannot be had, or does not build.
    pub(super) fn prepare(ws: &Workspace, widths: &[Width]) -> Result<Self> {
        let folder = ws.cache.join("wine-tests");
        if !tests_in(&folder).join("visual.c").is_file() {
            let progress = Progress::start("downloading the source of Wine's tests");
            let result = download(ws, &folder, &progress);
            progress.finish(&result);
            result?;
        }
        write_if_other(&folder.join("standalone.c"), STANDALONE)?;
        let mut subtests = Vec::new();
        for (file, name) in FILES.iter().enumerate() {
            let path = tests_in(&folder).join(format!("{name}.c"));
            let text = std::fs::read(&path).doing(format!("reading {}", path.display()))?;
            let (text, names) = rewritten(&String::from_utf8_lossy(&text))
                .ok_or_else(|| Failure::new("looking for sub-tests", format!("{} has none", path.display())))?;
            write_if_other(&folder.join(format!("{name}.c")), &text)?;
            subtests.extend(names.into_iter().enumerate().map(|(place, name)| Subtest { file, place, name }));
        }
        let suite = Self { folder, subtests };
        widths.iter().try_for_each(|width| suite.build(ws, *width))?;
        Ok(suite)
    }

    /// The program of a width.
    pub(super) fn program(&self, width: Width) -> PathBuf {
        self.folder.join(format!("tests-{}.exe", width.folder()))
    }

    fn build(&self, ws: &Workspace, width: Width) -> Result {
        let sources: Vec<String> =
            FILES.iter().copied().chain(["standalone"]).map(|name| format!("{name}.c")).collect();
        let out = self.program(width);
        let newest = sources.iter().filter_map(|name| modified(&self.folder.join(name))).max();
        if modified(&out).is_some_and(|built| newest.is_some_and(|newest| newest < built)) {
            return Ok(());
        }
        let mut compiler = Command::new(width.compiler("gcc"));
        compiler.args(FLAGS).args(&sources).arg("-o").arg(&out).args(["-ld3d9", "-luser32", "-lgdi32", "-static"]);
        compiler.current_dir(&self.folder);
        let what = format!("compiling Wine's tests ({} bit)", width.bits());
        step::run(ws, &mut compiler, &what, "see `cargo xtask setup --check`").map(drop)
    }
}

fn tests_in(folder: &Path) -> PathBuf {
    folder.join("src/dlls/d3d9/tests")
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|meta| meta.modified()).ok()
}

fn write_if_other(path: &Path, text: &str) -> Result {
    if std::fs::read_to_string(path).is_ok_and(|there| there == text) {
        return Ok(());
    }
    std::fs::write(path, text).doing(format!("writing {}", path.display()))
}

fn download(ws: &Workspace, folder: &Path, progress: &Progress) -> Result {
    if !apt::available() {
        return Err(Failure::new("downloading the source of Wine's tests", "there is no apt-get here")
            .advise(format!("unpack Wine's dlls/d3d9/tests and include/wine below {}/src", folder.display())));
    }
    let advice = "see that Debian's mirror can be reached";
    let state = folder.join("apt");
    let options = apt::private(&state, "deb-src", SUITE, "amd64", false)?;
    let mut update = Command::new("apt-get");
    step::run_in(ws, update.args(&options).arg("update"), "reading trixie's list of sources", advice, progress)?;
    let mut source = Command::new("apt-get");
    source.args(&options).args(["source", "--download-only", "wine"]).current_dir(&state);
    step::run_in(ws, &mut source, "downloading the source of Wine", advice, progress)?;
    let entries = std::fs::read_dir(&state).doing(format!("reading {}", state.display()))?;
    let archive =
        entries.flatten().map(|entry| entry.path()).find(|path| path.to_string_lossy().contains(".orig.tar."));
    let archive = archive.ok_or_else(|| Failure::new("unpacking the source of Wine", "no .orig.tar was downloaded"))?;
    let src = folder.join("src");
    std::fs::create_dir_all(&src).doing(format!("creating {}", src.display()))?;
    let mut tar = Command::new("tar");
    tar.arg("-xf").arg(&archive).arg("-C").arg(&src).args(["--strip-components=1", "--wildcards"]).args(WANTED);
    step::run_in(ws, &mut tar, "unpacking Wine's tests", "tar needs xz-utils", progress)?;
    std::fs::remove_dir_all(&state).doing(format!("removing {}", state.display()))
}

/// A test file whose `START_TEST` calls its sub-tests through `afterimage_subtest`, and their names; `None` if it has none.
///
/// A sub-test is a function of the file without arguments and result that `START_TEST` calls in a line of its own.
fn rewritten(text: &str) -> Option<(String, Vec<String>)> {
    let start = text.find("\nSTART_TEST(")? + 1;
    let (head, body) = text.split_at(start);
    let function = |line: &'_ str| -> Option<String> {
        line.trim_end().strip_prefix("static void ")?.strip_suffix("(void)").map(str::to_owned)
    };
    let functions: BTreeSet<String> = head.lines().filter_map(function).collect();
    let mut names = Vec::new();
    let mut out = format!("{head}extern void afterimage_subtest(const char *name, void (*run)(void));\n");
    for line in body.lines() {
        match line.trim().strip_suffix("();").filter(|name| functions.contains(*name)) {
            Some(name) => {
                out.push_str(&line.replace(&format!("{name}();"), &format!("afterimage_subtest(\"{name}\", {name});")));
                names.push(name.to_owned());
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    (!names.is_empty()).then_some((out, names))
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn calls_of_the_files_own_functions_are_sub_tests() {
        let text = "static void test_one(void)\n{\n    helper();\n}\n\nstatic void two_test(void)\n{\n}\n\n\
                    START_TEST(thing)\n{\n    setup();\n    test_one();\n    if (caps)\n        two_test();\n}\n";
        let (out, names) = rewritten(text).expect("there are two");
        assert_eq!(names, ["test_one", "two_test"]);
        assert!(out.contains("    setup();\n    afterimage_subtest(\"test_one\", test_one);\n"));
        assert!(out.contains("    if (caps)\n        afterimage_subtest(\"two_test\", two_test);\n"));
        assert!(out.contains("{\n    helper();\n}"), "what a sub-test calls stays");
        assert_eq!(rewritten("int main(void)\n{\n}\n"), None);
    }
}
