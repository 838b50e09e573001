//! Nothing is lost without a word: every option that writes, on a disk that is full and in a folder that cannot be written to.
#![allow(missing_docs)]

#[allow(dead_code, reason = "what is asked of a row differs from the command's own use")]
#[path = "../../src/outputs/table.rs"]
mod table;

#[path = "../drivers/mod.rs"]
mod drivers;
#[path = "../recorded/mod.rs"]
mod recorded;
#[allow(dead_code, reason = "the objects are for other tests")]
#[path = "../scene/mod.rs"]
mod scene;

use scene::Variant;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use table::{PATHS, Role};

/// A command with one thing to write, to the place `out/`.
struct Case {
    command: &'static str,
    option: &'static str,
    words: &'static [&'static str],
    /// Exit codes that say so.
    codes: &'static [i32],
}

const fn case(
    command: &'static str,
    option: &'static str,
    words: &'static [&'static str],
    codes: &'static [i32],
) -> Case {
    Case { command, option, words, codes }
}

/// Every option that writes, at least once.
const CASES: &[Case] = &[
    case("replay", "output", &["replay", "scene.aftercap", "-o", "out"], &[1]),
    case("replay", "output", &["replay", "scene.aftercap", "-o", "out/new"], &[1]),
    case("replay", "output", &["replay", "scene.aftercap", "-o", "out", "--screenshots", "draw"], &[1]),
    case("replay", "output", &["replay", "work.gcap", "-o", "out"], &[3]),
    case("replay", "stats", &["replay", "scene.aftercap", "--stats", "out/f"], &[1]),
    case("replay", "stats", &["replay", "work.gcap", "--stats", "out/f"], &[1]),
    case("replay", "measure", &["replay", "scene.aftercap", "--measure=out/f"], &[1]),
    case("replay", "times", &["replay", "scene.aftercap", "--times=out/f"], &[1]),
    case("replay", "compile", &["replay", "scene.aftercap", "--compile=out/f"], &[1]),
    case("replay", "capture", &["replay", "work.gcap", "--capture", "out/f.aftercap"], &[3]),
    case("report", "output", &["report", "scene.aftercap", "-o", "out/f.html"], &[1]),
    case("trim", "output", &["trim", "scene.aftercap", "-o", "out/f.aftercap", "--calls", "5"], &[1]),
    // With state that is read back from the renderer.
    case("trim", "output", &["trim", "scene.aftercap", "-o", "out/f.aftercap", "--frames", "2"], &[1]),
    case("diff", "output", &["diff", "scene.aftercap", "other.aftercap", "-o", "out"], &[2]),
    case("diff", "output", &["diff", "pictures", "pictures", "-o", "out"], &[2]),
    case("inspect", "export", &["inspect", "scene.aftercap", "textures", "--export", "out"], &[1]),
    case("inspect", "export", &["inspect", "scene.aftercap", "textures", "--call", "8", "--export", "out/new"], &[1]),
    case("selftest", "output", &["selftest", "--material", "material", "-o", "out/f.html"], &[1]),
    case("selftest", "make", &["selftest", "--make", "out", "scene.aftercap"], &[1]),
    case("config", "write", &["config", "--write", "out/f.conf"], &[1]),
    case("shader translate", "output", &["shader", "translate", "a.asm", "-o", "out/f.spv"], &[3]),
    case("shader translate", "output", &["shader", "translate", "a.asm", "b.asm", "-o", "out", "--to", "ir"], &[3]),
    case("shader disasm", "output", &["shader", "disasm", "a.cso", "-o", "out/f.asm"], &[3]),
    case("shader asm", "output", &["shader", "asm", "a.asm", "-o", "out/f.cso"], &[3]),
    case(
        "shader feedback",
        "output",
        &["shader", "feedback", "a.spv", "--capture", "position=0", "-o", "out/f.spv"],
        &[3],
    ),
    case(
        "shader feedback",
        "prepare",
        &["shader", "feedback", "a.spv", "--capture", "position=0", "--prepare", "out/f.spv"],
        &[3],
    ),
    case("manual", "folder", &["manual", "out"], &[1]),
    // The program's own process has the renderer, which is the one of `replay`; what can be seen from outside is looked at.
    case("run", "stats", &["run", "--stats", "out/f", "./program"], &[3]),
    case("run", "output", &["run", "-o", "out", "--stats", "out/f", "./program"], &[3]),
    case("run", "capture", &["run", "--capture", "1", "out/f", "--stats", "out/g", "./program"], &[3]),
];

/// A vertex shader, as text.
const SHADER: &str = "vs_2_0\ndcl_position v0\nmov oPos, v0\n";

fn afterimage(folder: &Path, words: &[&str]) -> Output {
    prepared(Command::new(env!("CARGO_BIN_EXE_afterimage")).args(words), folder).output().unwrap()
}

/// Without the configuration of who runs the tests.
fn prepared<'a>(command: &'a mut Command, folder: &Path) -> &'a mut Command {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("AFTERIMAGE_")) {
        command.env_remove(name);
    }
    command.env("AFTERIMAGE_DLL_DIR", folder).env("AFTERIMAGE_RENDERER", "in-process").env("NO_COLOR", "1");
    command.env("AFTERIMAGE_CACHE_DIR", drivers::shared(folder.join("cache"))).current_dir(folder)
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A folder with everything that the cases read.
fn material() -> tempfile::TempDir {
    let temp = tempfile::tempdir().unwrap();
    let at = |name: &str| temp.path().join(name);
    scene::capture(&at("scene.aftercap"), Variant::Plain);
    scene::capture(&at("other.aftercap"), Variant::Color);
    recorded::recording(temp.path(), false);
    for name in ["a.asm", "b.asm"] {
        std::fs::write(at(name), SHADER).unwrap();
    }
    std::fs::copy(std::env::current_exe().unwrap(), at("libd3d9.so")).unwrap();
    std::fs::write(at("program"), "#!/bin/sh\nexit 0\n").unwrap();
    std::fs::set_permissions(at("program"), std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir(at("out")).unwrap();
    for words in [
        &["shader", "asm", "a.asm", "-o", "a.cso"][..],
        &["shader", "translate", "a.asm", "-o", "a.spv"],
        &["replay", "scene.aftercap", "-o", "pictures"],
        &["selftest", "--make", "material", "scene.aftercap"],
    ] {
        let output = afterimage(temp.path(), words);
        assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    }
    temp
}

/// Runs a command in a namespace of its own in which `out` is a file system of one page, made so by `sh`. Lists what is in it behind the
/// command.
fn in_small_world(folder: &Path, made: &str, words: &[&str]) -> Output {
    let script = format!(
        "mount -t tmpfs -o size=4k tmpfs out && {made} || exit 77\n\"$@\"\ncode=$?\n(cd out && find . -type f) >listing\nexit $code"
    );
    let mut command = Command::new("unshare");
    let own = if rustix::process::getuid().is_root() { "-m" } else { "-rm" };
    command.args([own, "sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_afterimage")]).args(words);
    prepared(&mut command, folder).output().unwrap()
}

/// Whether this machine lets us make such a world; says so where not.
fn possible(folder: &Path) -> bool {
    let tried = Command::new("unshare").arg("--version").stdout(Stdio::null()).status();
    let can = tried.is_ok() && in_small_world(folder, "true", &["--version"]).status.success();
    if !can {
        eprintln!("skipped: no file systems of our own (unshare and mount, as root or with user namespaces)");
    }
    can
}

/// The disk is full; one file is on it.
const FULL: &str = "head -c 4096 /dev/zero >out/filler";
/// Nothing can be made there, by root neither.
const READ_ONLY: &str = "mount -o remount,ro out";

fn every_case(made: &str, left: &str) {
    let temp = material();
    if !possible(temp.path()) {
        return;
    }
    for case in CASES {
        let output = in_small_world(temp.path(), made, case.words);
        let said = format!("{:?}\n{}{}", case.words, text(&output.stdout), text(&output.stderr));
        let code = output.status.code();
        assert!(code.is_some_and(|code| case.codes.contains(&code)), "exit code {code:?}: {said}");
        assert!(text(&output.stderr).contains("out"), "the place is not named: {said}");
        let listing = std::fs::read_to_string(temp.path().join("listing")).unwrap();
        assert_eq!(listing.trim(), left, "{said}");
    }
}

#[test]
fn on_a_full_disk_every_command_fails_and_leaves_nothing() {
    every_case(FULL, "./filler");
}

#[test]
fn in_a_read_only_folder_every_command_fails_and_leaves_nothing() {
    every_case(READ_ONLY, "");
}

#[test]
fn the_same_commands_succeed_where_there_is_room() {
    let temp = material();
    for case in CASES.iter().filter(|case| case.command != "run") {
        std::fs::remove_dir_all(temp.path().join("out")).unwrap();
        std::fs::create_dir(temp.path().join("out")).unwrap();
        let output = afterimage(temp.path(), case.words);
        // Captures that differ are told by 1.
        let differ = case.words.contains(&"other.aftercap");
        assert_eq!(output.status.code(), Some(differ.into()), "{:?}\n{}", case.words, text(&output.stderr));
        let mut folders = vec![temp.path().join("out")];
        let mut files = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files += 1;
                    assert!(path.metadata().unwrap().len() > 0, "{}", path.display());
                    assert!(!path.to_string_lossy().contains(".part"), "{}", path.display());
                }
            }
        }
        assert!(files > 0, "{:?} wrote nothing", case.words);
    }
}

/// A case's words with the file that it writes called otherwise; `None` where it fills a folder.
fn renamed(case: &Case, to: impl Fn(&str) -> String) -> Option<Vec<String>> {
    let row = PATHS.iter().find(|row| (row.command, row.option) == (case.command, case.option))?;
    let file = case.words.iter().find(|word| word.contains("out/f")).filter(|_| row.role != Role::WritesInto)?;
    Some(case.words.iter().map(|word| if word == file { to(word) } else { (*word).to_owned() }).collect())
}

fn says(folder: &Path, words: &[String], code: i32, parts: &[&str]) {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = afterimage(folder, &words);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    assert!(parts.iter().all(|part| said.contains(part)) && said.lines().count() == 1, "{words:?}: {parts:?}: {said}");
}

#[test]
fn a_file_s_folder_is_never_made() {
    let temp = material();
    let mut tried = 0;
    for words in CASES.iter().filter_map(|case| renamed(case, |word| word.replace("out/f", "new/er/f"))) {
        says(temp.path(), &words, 3, &["cannot write new/er/f", "the folder new/er does not exist", "mkdir -p new/er"]);
        assert!(!temp.path().join("new").exists(), "{words:?}");
        tried += 1;
    }
    assert!(tried > 10);
}

#[test]
fn a_file_of_a_kind_that_is_not_written_is_refused_by_the_kinds_that_are() {
    let temp = material();
    let mut tried = 0;
    for case in CASES {
        let row = PATHS.iter().find(|row| (row.command, row.option) == (case.command, case.option)).unwrap();
        let place = |word: &str| word.split_once("out/f").map_or("", |(before, _)| before).to_owned() + "out/f.glsl";
        let Some(words) = renamed(case, place) else { continue };
        let known: Vec<String> = row.extensions.iter().map(|known| format!(".{known}")).collect();
        assert!(!known.is_empty(), "{row:?}");
        says(temp.path(), &words, 2, &["f.glsl: .glsl is no extension of what", &known.join(" ")]);
        tried += 1;
    }
    assert!(tried > 10);
    assert_eq!(std::fs::read_dir(temp.path().join("out")).unwrap().count(), 0);
    // What is said to be written may have any name.
    let output = afterimage(temp.path(), &["shader", "translate", "a.asm", "--to", "msl", "-o", "out/f.glsl"]);
    assert!(output.status.success() && temp.path().join("out/f.glsl").exists(), "{}", text(&output.stderr));
}

#[test]
fn folders_that_are_filled_are_made_and_told_of() {
    let temp = material();
    for words in [
        &["replay", "scene.aftercap", "-o", "new/er"][..],
        &["replay", "work.gcap", "-o", "new/er"],
        &["diff", "pictures", "pictures", "-o", "new/er"],
        &["shader", "translate", "a.asm", "b.asm", "-o", "new/er"],
        &["shader", "translate", "a.asm", "-o", "new/er/"],
        &["inspect", "scene.aftercap", "textures", "--export", "new/er"],
        &["run", "-o", "new/er", "./program"],
        &["manual", "new/er"],
        &["selftest", "--make", "new/er", "scene.aftercap"],
    ] {
        let output = afterimage(temp.path(), words);
        let said = text(&output.stderr);
        assert!(output.status.success(), "{words:?}: {said}");
        assert_eq!(said.matches("made the folder new/er").count(), 1, "{words:?}: {said}");
        // The program presents nothing.
        let files = std::fs::read_dir(temp.path().join("new/er")).unwrap().count();
        assert!(files > 0 || words[0] == "run", "{words:?}");
        let again = afterimage(temp.path(), words);
        assert!(!text(&again.stderr).contains("made the folder"), "{words:?}: {}", text(&again.stderr));
        std::fs::remove_dir_all(temp.path().join("new")).unwrap();
    }
    let output = afterimage(temp.path(), &["shader", "translate", "a.asm", "b.asm", "-o", "new", "--quiet"]);
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}

#[test]
fn every_option_that_writes_is_tried() {
    for row in PATHS {
        let writes = match row.role {
            Role::Writes | Role::WritesInto | Role::WritesSecond | Role::WritesChecked => true,
            Role::Reads | Role::ReadsFirst | Role::ReadsBehindAt | Role::ReadsBehindEquals | Role::Neither => false,
        };
        let tried = CASES.iter().any(|case| (case.command, case.option) == (row.command, row.option));
        assert!(writes == tried, "{row:?}");
    }
}

#[test]
fn a_capture_is_as_it_was_when_it_is_asked_to_be_written_over() {
    let temp = material();
    let at = |name: &str| temp.path().join(name);
    std::fs::hard_link(at("scene.aftercap"), at("hard")).unwrap();
    std::os::unix::fs::symlink("scene.aftercap", at("soft")).unwrap();
    let before = std::fs::read(at("scene.aftercap")).unwrap();
    for output in ["scene.aftercap", "hard", "soft", "./out/../scene.aftercap"] {
        for words in [
            &["report", "scene.aftercap", "-o", output][..],
            &["trim", "scene.aftercap", "--calls", "5", "-o", output],
            &["replay", "scene.aftercap", "--stats", output],
            &["shader", "disasm", "scene.aftercap", "-o", output],
        ] {
            let said = afterimage(temp.path(), words);
            assert_eq!(said.status.code(), Some(2), "{words:?}: {}", text(&said.stderr));
            assert!(text(&said.stderr).contains("would be written over"), "{words:?}: {}", text(&said.stderr));
            assert!(std::fs::read(at("scene.aftercap")).unwrap() == before, "{words:?}");
        }
    }
    // Many shaders, one of which another one's output would be.
    std::fs::copy(at("a.spv"), at("b.spv")).unwrap();
    let said = afterimage(temp.path(), &["shader", "translate", "b.asm", "b.spv", "-o", ".", "--to", "spirv"]);
    assert_eq!(said.status.code(), Some(2), "{}", text(&said.stderr));
    assert!(std::fs::read(at("b.spv")).unwrap() == std::fs::read(at("a.spv")).unwrap());
}

#[test]
fn standard_output_that_is_full_is_said() {
    let temp = material();
    for words in [
        &["info", "scene.aftercap"][..],
        &["inspect", "scene.aftercap"],
        &["inspect", "work.gcap"],
        &["dump", "scene.aftercap"],
        &["diff", "pictures", "pictures"],
        &["config"],
        &["replay", "scene.aftercap"],
        &["selftest", "--material", "material"],
        &["shader", "translate", "a.asm", "--to", "ir"],
        &["shader", "disasm", "a.cso"],
    ] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_afterimage"));
        let output = prepared(command.args(words).stdout(full), temp.path()).output().unwrap();
        assert!(!output.status.success(), "{words:?}");
        assert!(text(&output.stderr).contains("No space left"), "{words:?}: {}", text(&output.stderr));
    }
}
