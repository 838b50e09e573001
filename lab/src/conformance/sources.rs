//! Wine's tests out of Debian's source package, each suite built as a program for each width, in a folder of the cache.
//!
//! Nothing of Wine is part of this tree. `START_TEST` of each file is rewritten there so that it runs one sub-test only.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use xtask::build::Width;
use xtask::setup::apt;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use super::suites::SuiteRow;

/// The release whose Wine has the tests: 10.0.
const SUITE: &str = "trixie";
/// What is unpacked.
const WANTED: [&str; 6] = [
    "*/dlls/d3d9/tests",
    "*/dlls/d3dx9_36/tests",
    "*/dlls/d3dcompiler_43/tests",
    "*/include/wine/test.h",
    "*/include/wine/debug.h",
    "*/include/rmxf*",
];
const STANDALONE: &str = include_str!("standalone.c");
/// What mingw's headers of 32 bit lack, in front of every file.
const PRELUDE: &str = "#include <stddef.h>\n\
    long __stdcall D3DXSHProjectCubeMap(unsigned int, void *, float *, float *, float *);\n";
const FLAGS: &[&str] = &[
    "-O1",
    "-std=gnu11",
    "-w",
    "-msse2",
    // One function for both would round otherwise than these two.
    "-fno-builtin-sinf",
    "-fno-builtin-cosf",
    "-include",
    "prelude.h",
    "-D__WINESRC__",
    "-D__WINE_PE_BUILD",
    "-DDECLSPEC_EXPORT=",
];

/// A sub-test.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Subtest {
    /// Which file of the suite, and where it stands there, so that tables keep that order.
    place: (usize, usize),
    /// The file.
    pub(super) file: &'static str,
    /// The function; of a file that is one test, the file.
    pub(super) name: String,
}

impl Subtest {
    /// `device.test_reset`.
    pub(super) fn full_name(&self) -> String {
        format!("{}.{}", self.file, self.name)
    }
}

/// The tests, ready to run.
#[derive(Debug)]
pub(super) struct Suite {
    pub(super) row: &'static SuiteRow,
    /// Wine's source.
    src: PathBuf,
    /// Of this suite.
    folder: PathBuf,
    /// All sub-tests.
    pub(super) subtests: Vec<Subtest>,
}

impl Suite {
    /// Downloads what is not there already.
    ///
    /// # Errors
    /// When the source package cannot be had, which is no fault of this tree's.
    pub(super) fn fetch(ws: &Workspace, row: &'static SuiteRow) -> Result<Self> {
        let all = ws.cache.join("wine-tests");
        let suite = Self { row, src: all.join("src"), folder: all.join(row.name), subtests: Vec::new() };
        if !suite.templates().is_file() || !row.files.iter().all(|name| suite.source(name).is_file()) {
            let progress = Progress::start("downloading the source of Wine's tests");
            let result = download(ws, &all, &progress);
            progress.finish(&result);
            result?;
        }
        Ok(suite)
    }

    /// Rewrites and builds what is not there already.
    ///
    /// # Errors
    /// When a file has no sub-tests, or the suite does not compile.
    pub(super) fn prepare(self, ws: &Workspace, widths: &[Width]) -> Result<Self> {
        let mut suite = self;
        let row = suite.row;
        std::fs::create_dir_all(&suite.folder).doing(format!("creating {}", suite.folder.display()))?;
        write_if_other(&suite.folder.join("standalone.c"), STANDALONE)?;
        write_if_other(&suite.folder.join("prelude.h"), PRELUDE)?;
        write_if_other(&suite.folder.join("rmxftmpl.h"), &templates(&suite.templates())?)?;
        for (index, &file) in row.files.iter().enumerate() {
            let path = suite.source(file);
            let text = std::fs::read(&path).doing(format!("reading {}", path.display()))?;
            let (text, names) = rewritten(file, &String::from_utf8_lossy(&text))
                .ok_or_else(|| Failure::new("looking for sub-tests", format!("{} has none", path.display())))?;
            write_if_other(&suite.folder.join(format!("{file}.c")), &text)?;
            let subtests =
                names.into_iter().enumerate().map(|(place, name)| Subtest { place: (index, place), file, name });
            suite.subtests.extend(subtests);
        }
        widths.iter().try_for_each(|width| suite.build(ws, *width))?;
        Ok(suite)
    }

    fn templates(&self) -> PathBuf {
        self.src.join("include/rmxftmpl.x")
    }

    fn source(&self, name: &str) -> PathBuf {
        self.src.join(self.row.folder).join(format!("{name}.c"))
    }

    /// The program of a width.
    pub(super) fn program(&self, width: Width) -> PathBuf {
        self.folder.join(format!("tests-{}.exe", width.folder()))
    }

    fn build(&self, ws: &Workspace, width: Width) -> Result {
        let files = self.row.files;
        let sources: Vec<String> = files.iter().chain([&"standalone"]).map(|name| format!("{name}.c")).collect();
        let out = self.program(width);
        let newest = sources.iter().filter_map(|name| modified(&self.folder.join(name))).max();
        if modified(&out).is_some_and(|built| newest.is_some_and(|newest| newest < built)) {
            return Ok(());
        }
        let what = format!("compiling {} ({} bit)", self.row.title, width.bits());
        let advice = "see `cargo xtask setup --check`";
        let tests = self.src.join(self.row.folder);
        let mut objects = Vec::new();
        for script in self.row.resources {
            let object = self.folder.join(format!("{script}-{}.o", width.folder()));
            let mut windres = Command::new(width.compiler("windres"));
            windres.arg(script).arg(&object).current_dir(&tests);
            step::run(ws, &mut windres, &what, advice)?;
            objects.push(object);
        }
        let table: String = files.iter().map(|name| format!("TEST({name})")).collect();
        let mut compiler = Command::new(width.compiler("gcc"));
        compiler.args(FLAGS).args(self.row.flags).arg(format!("-DAFTERIMAGE_TESTS={table}"));
        compiler.arg("-I.").arg("-I").arg(self.src.join("include")).arg("-I").arg(&tests);
        compiler.args(&sources).args(&objects).arg("-o").arg(&out).args(self.row.libraries).arg("-static");
        step::run(ws, compiler.current_dir(&self.folder), &what, advice).map(drop)
    }
}

/// Wine's templates of .x files as a header. Its own build makes the binary form of them; d3dxof reads the text as well.
fn templates(file: &Path) -> Result<String> {
    let text = std::fs::read(file).doing(format!("reading {}", file.display()))?;
    let bytes: String = text.iter().map(|byte| format!("{byte},")).collect();
    let size = "#define D3DRM_XTEMPLATE_BYTES sizeof(D3DRM_XTEMPLATES)";
    Ok(format!("static const unsigned char D3DRM_XTEMPLATES[] = {{{bytes}}};\n{size}\n"))
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
            .advise(format!("unpack Wine's source, version 10.0, below {}/src", folder.display())));
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

/// A test file whose `START_TEST` asks before each sub-test whether it is to run, and their names; `None` if it is no test file.
///
/// A sub-test is a function of the file without result that `START_TEST` calls in a line of its own, with a variable at most. If
/// there is none, `START_TEST` is one.
fn rewritten(file: &str, text: &str) -> Option<(String, Vec<String>)> {
    let start = text.find("\nSTART_TEST(")? + 1;
    let (head, body) = text.split_at(start);
    let functions: BTreeSet<&str> =
        head.lines().filter_map(|line| Some(line.strip_prefix("static void ")?.split_once('(')?.0)).collect();
    let called = |line: &str| -> Option<String> {
        let (name, argument) = line.trim().strip_suffix(");")?.split_once('(')?;
        let plain = argument.chars().all(|c| c == '_' || c.is_ascii_alphanumeric());
        (plain && functions.contains(name)).then(|| name.to_owned())
    };
    let mut names = Vec::new();
    let mut out = format!("{head}extern int afterimage_begin(const char *name);\nextern void afterimage_end(void);\n");
    let one = |name: &str, call: &str| format!("if (afterimage_begin(\"{name}\")) {{ {call} afterimage_end(); }}");
    if !body.lines().any(|line| called(line).is_some()) {
        let (declaration, rest) = body.split_once('\n')?;
        let whole = one(file, "whole();");
        out.push_str(&format!(
            "static void whole(void);\n{declaration}\n{{\n    {whole}\n}}\nstatic void whole(void)\n{rest}"
        ));
        return Some((out, vec![file.to_owned()]));
    }
    for line in body.lines() {
        match called(line) {
            Some(name) => {
                out.push_str(&line.replace(line.trim(), &one(&name, line.trim())));
                names.push(name);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    Some((out, names))
}

#[cfg(test)]
mod tests {
    use super::super::suites::SuiteRow;
    use super::{Suite, rewritten};
    use xtask::build::Width;
    use xtask::workspace::Workspace;

    #[test]
    fn a_suite_that_does_not_compile_is_no_absent_one() {
        static BROKEN: SuiteRow = SuiteRow {
            name: "broken",
            title: "tests that do not compile",
            about: "",
            folder: "dlls/broken/tests",
            files: &["thing"],
            resources: &[],
            flags: &[],
            libraries: &[],
            quick: &[],
            marked: None,
        };
        let cache = tempfile::tempdir().expect("a folder");
        let ws =
            Workspace { root: cache.path().into(), target: cache.path().join("target"), cache: cache.path().into() };
        let src = cache.path().join("wine-tests/src");
        for (file, text) in [
            ("include/rmxftmpl.x", "xof"),
            ("include/wine/test.h", ""),
            ("dlls/broken/tests/thing.c", "#include \"wine/test.h\"\n\nSTART_TEST(thing)\n{\n    nothing();\n}\n"),
        ] {
            std::fs::create_dir_all(src.join(file).parent().expect("a folder")).expect("to make it");
            std::fs::write(src.join(file), text).expect("to write");
        }
        let suite = Suite::fetch(&ws, &BROKEN).expect("it is there");
        // Where there is no compiler, starting it is what fails.
        let failure = suite.prepare(&ws, &[Width::W64]).expect_err("it does not compile");
        assert!(failure.what.starts_with("compiling tests that do not compile"), "{failure}");
    }

    #[test]
    fn calls_of_the_files_own_functions_are_sub_tests() {
        let text = "static void test_one(void)\n{\n    helper();\n}\n\nstatic void two_test(IDirect3DDevice9 *device)\n{\n}\n\n\
                    static inline void check(int a, int b)\n{\n}\n\n\
                    START_TEST(thing)\n{\n    setup();\n    test_one();\n    if (caps)\n        two_test(device);\n    check(a, 0);\n}\n";
        let (out, names) = rewritten("thing", text).expect("there are two");
        assert_eq!(names, ["test_one", "two_test"]);
        assert!(
            out.contains("    setup();\n    if (afterimage_begin(\"test_one\")) { test_one(); afterimage_end(); }\n")
        );
        assert!(out.contains(
            "    if (caps)\n        if (afterimage_begin(\"two_test\")) { two_test(device); afterimage_end(); }\n"
        ));
        assert!(out.contains("{\n    helper();\n}"), "what a sub-test calls stays");
        assert!(out.contains("    check(a, 0);\n"), "what looks after the set-up stays");
        assert_eq!(rewritten("main", "int main(void)\n{\n}\n"), None);
    }

    #[test]
    fn a_test_without_functions_is_one_sub_test() {
        let (out, names) =
            rewritten("thing", "int x;\nSTART_TEST(thing)\n{\n    ok(x, \"\");\n}\n").expect("it is a test");
        assert_eq!(names, ["thing"]);
        assert!(out.contains(
            "START_TEST(thing)\n{\n    if (afterimage_begin(\"thing\")) { whole(); afterimage_end(); }\n}\n"
        ));
        assert!(out.ends_with("static void whole(void)\n{\n    ok(x, \"\");\n}\n"));
    }
}
