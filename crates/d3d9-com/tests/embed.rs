//! Programs in C, compiled against the headers and the shared library, and run: what a capture of the example has that nobody asked
//! for beforehand, and programs that end without releasing anything.
#![cfg(target_os = "linux")]

use afterimage_capture::Reader;
use afterimage_stream::packets::{Init, Marker, Packet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

/// What a program said and how it ended, which renders in its own process; none where this machine has no Vulkan driver.
///
/// One runs at a time. A process that ends within its first batches, on processors that others keep busy, can meet the validation layer's
/// static objects when they are gone already (`ending::listen` has seen only what batches before made): 2 in 100 runs with three beside
/// each other.
fn output_of(command: &mut Command, cache: &Path) -> Option<Output> {
    static RUNNING: Mutex<()> = Mutex::new(());
    let _alone = RUNNING.lock().unwrap_or_else(PoisonError::into_inner);
    command.stdin(Stdio::null()).env("AFTERIMAGE_RENDERER", "in-process").env("AFTERIMAGE_CACHE_DIR", cache);
    let output = command.output().expect("the program runs");
    if output.status.code() == Some(77) {
        eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)");
        return None;
    }
    Some(output)
}

/// The program of a source in `scratch`, or none where there is no C compiler.
fn program(scratch: &Path, source: &str) -> Option<PathBuf> {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Cargo puts the library beside the tests.
    let libraries = std::env::current_exe().expect("this program").parent().expect("its folder").to_owned();
    let source = package.join(source);
    let program = scratch.join(source.file_stem().expect("a name"));
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror"]).arg(source);
    cc.arg("-I").arg(package.join("../../include/afterimage")).arg("-o").arg(&program);
    cc.arg("-L").arg(&libraries).args(["-ld3d9", "-Wl,--disable-new-dtags"]);
    cc.arg(format!("-Wl,-rpath,{}", libraries.display()));
    match cc.output() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("not tested: there is no C compiler `cc`");
            None
        }
        output => {
            let output = output.expect("cc runs");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            Some(program)
        }
    }
}

#[test]
fn a_program_in_c_captures_frames_with_their_names() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program(scratch.path(), "examples/capture.c") else { return };
    let capture = scratch.path().join("two.aftercap");
    let mut command = Command::new(&program);
    command.arg(&capture).current_dir(scratch.path());
    command.env_remove("AFTERIMAGE_CAPTURE_FRAMES").env_remove("AFTERIMAGE_CAPTURE_FILE");
    let Some(output) = output_of(&mut command, &scratch.path().join("cache")) else { return };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1 devices will be captured");

    let mut reader = Reader::open(&capture).expect("a capture");
    let (mut names, mut marks, mut reds, mut guest) = (Vec::new(), Vec::new(), Vec::new(), None);
    while let Some(batch) = reader.next().expect("a whole capture") {
        for located in afterimage_stream::Reader::new(&batch.words) {
            match located.expect("a packet").packet {
                Packet::Init(body, name) => guest = Some((body.guest, name.to_vec())),
                Packet::Name(_, name) => names.push(String::from_utf8_lossy(name).into_owned()),
                Packet::Marker(body, text) => marks.push((body.action, text.to_vec())),
                Packet::Clear(body, _) => reds.push((body.color[0] * 255.0).round() as u32),
                _ => {}
            }
        }
    }
    assert_eq!(guest, Some((Init::D3D9, b"capture".to_vec())));
    // The program may be ahead of the renderer when it asks, so not by all means its own next two.
    assert!(reds.len() == 2 && reds[1] == reds[0] + 50, "two frames that follow each other: {reds:?}");
    assert!(names.iter().any(|name| name == "canvas (D3DFMT_X8R8G8B8 surface, D3DPOOL_DEFAULT)"), "{names:?}");
    let pair = [(Marker::BEGIN, b"paint".to_vec()), (Marker::END, Vec::new())];
    assert_eq!(marks, [pair.clone(), pair].concat());
}

/// The driver is taken down by `exit`, and crashed now and then where it was still drawing. Without the validation layer: on a quick
/// machine the program ends in the first batch, in which that layer makes static objects, and 8 of 24 runs crashed in the layer.
#[test]
fn a_program_that_just_ends_has_drawn_what_it_presented() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program(scratch.path(), "tests/programs/ending.c") else { return };
    for run in 0..8 {
        let folder = scratch.path().join(run.to_string());
        let mut command = Command::new(&program);
        command
            .current_dir(scratch.path())
            .env("AFTERIMAGE_VALIDATE", "0")
            .env("AFTERIMAGE_SCREENSHOTS", &folder)
            .env("AFTERIMAGE_SCREENSHOT_FRAMES", "2");
        let Some(output) = output_of(&mut command, &folder.join("cache")) else { return };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(7), "run {run}, {}: {said}", output.status);
        assert!(folder.join("frame-000002.png").exists(), "run {run}: {said}");
    }
}

/// 640 MiB of textures; slots of the upload arena come back while they are filled.
#[test]
fn a_program_that_loads_for_long_needs_little_memory_for_it() {
    let scratch = tempfile::tempdir().expect("temporary directory");
    let Some(program) = program(scratch.path(), "tests/programs/loading.c") else { return };
    let mut command = Command::new(&program);
    command.current_dir(scratch.path());
    let Some(output) = output_of(&mut command, &scratch.path().join("cache")) else { return };
    let (said, grown) = (String::from_utf8_lossy(&output.stderr), String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{}: {said}", output.status);
    let grown: u32 = grown.trim().parse().expect("a number of MiB");
    assert!(grown < 256, "the peak grew by {grown} MiB");
}
