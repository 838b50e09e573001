//! Native, lowered, interpreted and modelled feedback is equal to the last byte: a selection of the harness's cases that is soon done.
//! `cargo xtask xfb-cases --all` runs them all.

use std::time::Duration;

use afterimage_xfb_cases::case::Case;
use afterimage_xfb_cases::generate;
use afterimage_xfb_cases::run::{Path, Runner, Settings, compare};

/// Every so many of the exhaustive cases are run with a device: a prime, so that all of their dimensions are gone through.
const STEP: usize = 13;
/// Random cases.
const RANDOM: usize = 800;

fn selection() -> Vec<Case> {
    let exhaustive = generate::exhaustive();
    let random = generate::random(2026, RANDOM);
    exhaustive.into_iter().step_by(STEP).chain(random).collect()
}

fn agree(paths: &[Path], cases: &[Case]) {
    let settings = Settings { batch: 128, limit: Duration::from_secs(1200), validate: true };
    let open = |path: &Path| Runner::open(*path, &settings).unwrap_or_else(|error| panic!("{error}"));
    let mut runners: Vec<Runner> = paths.iter().map(open).collect();
    match compare(&mut runners, cases, &mut |_| {}) {
        Ok(None) => {}
        Ok(Some(difference)) => panic!(
            "{}\nthe case, for `cargo xtask xfb-cases FILE --compare`:\n{}",
            difference.how,
            Case::file(&[difference.case])
        ),
        Err(error) => panic!("{error}"),
    }
    for runner in runners {
        runner.close().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Without any Vulkan.
#[test]
fn interpreted_captures_are_the_models() {
    agree(&[Path::Model, Path::Interp, Path::InterpScatter], &selection());
}

#[test]
fn native_captures_are_the_models() {
    agree(&[Path::Model, Path::Native], &selection());
}

#[test]
fn lowered_captures_are_the_models() {
    agree(&[Path::Model, Path::Lowered], &selection());
}

#[test]
fn scattered_captures_are_the_models() {
    agree(&[Path::Model, Path::LoweredScatter], &selection());
}

/// The layer is of the instance that asks for it, so its cases are run by a process of their own.
#[test]
fn captures_of_the_layer_are_the_models() {
    let folder = tempfile::tempdir().expect("a folder");
    let library = format!("{}afterimage_layer{}", std::env::consts::DLL_PREFIX, std::env::consts::DLL_SUFFIX);
    let library = std::env::current_exe().expect("a path").with_file_name(library);
    let manifest = afterimage_layer::manifest(&library.display().to_string());
    std::fs::write(folder.path().join("VkLayer_afterimage_transform_feedback.json"), manifest).expect("a file");
    let cases = folder.path().join("cases.json");
    std::fs::write(&cases, Case::file(&selection())).expect("a file");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_xfb-cases"));
    command.arg(cases).args(["--compare", "--paths", "model,layer", "--validate", "--limit", "1200", "-o"]);
    command.arg(folder.path().join("difference.json"));
    command.env("VK_ADD_LAYER_PATH", folder.path()).env("AFTERIMAGE_XFB", "force");
    let output = command.output().expect("the program");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("equal to the last byte"), "{}\n{said}", output.status);
}
