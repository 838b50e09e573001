//! A program in C that only uses Vulkan: `examples/capture`, compiled as a user does, and run in every way.

use crate::{VALIDATION, Way, environment};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program in a folder, or none where it cannot be compiled.
fn compiled(folder: &Path) -> Option<PathBuf> {
    let program = folder.join("capture");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/capture/capture.c");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1"]).arg(source);
    cc.arg("-o").arg(&program).arg("-lvulkan");
    let why = match cc.output() {
        Err(error) => format!("cc: {error}"),
        Ok(output) if output.status.success() => return Some(program),
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
    };
    let missing = !Path::new("/usr/include/vulkan/vulkan.h").exists();
    assert!(missing && std::env::var_os("CI").is_none(), "set-up installs Vulkan's headers: {why}");
    eprintln!("not tested: {why}");
    None
}

/// What the program prints, and what is in the log; with the validation layer at the bottom, if it is asked for.
fn run(program: &Path, way: Way, validated: bool) -> (String, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(program);
    environment(&mut command, way, folder.path());
    if validated {
        command.env("VK_INSTANCE_LAYERS", VALIDATION);
    }
    let output = command.env("AFTERIMAGE_LOG", "info").output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{way:?}: {}\n{said}", output.status);
    (String::from_utf8(output.stdout).expect("text"), said)
}

/// The first lines of what it prints of the cases.
const CASES: &str = "\
points: 80 and 100 bytes, 5 of 5 primitives of stream 0, 0 of 0 primitives of stream 1
list: 96 and 120 bytes, 2 of 2 primitives of stream 0, 0 of 0 primitives of stream 1
strip: 192 and 240 bytes, 4 of 4 primitives of stream 0, 0 of 0 primitives of stream 1
fan: 144 and 180 bytes, 3 of 3 primitives of stream 0, 0 of 0 primitives of stream 1
instances: 288 and 360 bytes, 9 of 9 primitives of stream 0, 0 of 0 primitives of stream 1
indexed: 240 and 300 bytes, 5 of 5 primitives of stream 0, 0 of 0 primitives of stream 1
restarts: 864 and 1080 bytes, 18 of 18 primitives of stream 0, 0 of 0 primitives of stream 1
indirect: 192 and 240 bytes, 4 of 4 primitives of stream 0, 0 of 0 primitives of stream 1
indexed, indirect: 768 and 960 bytes, 24 of 24 primitives of stream 0, 0 of 0 primitives of stream 1
limited: 144 and 180 bytes, 3 of 7 primitives of stream 0, 0 of 0 primitives of stream 1
resumed: 192 and 240 bytes, 3 of 3 primitives of stream 0, 0 of 0 primitives of stream 1
counted: 192 and 240 bytes, 4 of 4 primitives of stream 0, 0 of 0 primitives of stream 1
streams: 384 and 160 bytes, 24 of 24 primitives of stream 0, 8 of 8 primitives of stream 1
streams, resumed: 192 and 80 bytes, 6 of 6 primitives of stream 0, 2 of 2 primitives of stream 1
";

#[test]
fn a_program_in_c_prints_the_same_whoever_gives_it_the_extension() {
    let scratch = tempfile::tempdir().expect("a folder");
    let Some(program) = compiled(scratch.path()) else { return };
    let (native, _) = run(&program, Way::Native, false);
    let heads: String = native.lines().filter(|line| !line.starts_with(' ')).map(|line| format!("{line}\n")).collect();
    assert_eq!(heads, CASES);
    for (way, validated) in [
        (Way::Native, true),
        (Way::Aside, false),
        (Way::Layered, false),
        (Way::Implicit, false),
        (Way::Implicit, true),
        (Way::Installed, false),
    ] {
        // (The validation layer prints what it has to say where the program does.)
        let (left, said) = run(&program, way, validated);
        assert_eq!(left, native, "{way:?}, {validated}\n{said}");
        let (told, layered) =
            (said.contains("transform feedback is the layer's"), ![Way::Native, Way::Aside].contains(&way));
        assert_eq!(told, layered, "{way:?}: whose the extension is\n{said}");
    }
    // Where nobody gives it the extension, it says so.
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(&program);
    environment(&mut command, Way::Aside, folder.path());
    let output = command.env("AFTERIMAGE_XFB", "hide").output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("has no transform feedback"), "{said}");
}
