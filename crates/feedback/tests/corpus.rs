//! Every vertex and geometry shader of the SPIR-V front end's tests is lowered, in every form that it has, and `spirv-val` takes it.

use afterimage_feedback::{Error, Form, Lowered, Lowering};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn words(path: &Path) -> Vec<u32> {
    let bytes = std::fs::read(path).expect("the shader");
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Shaders of a stage, by the end of their names.
fn shaders(end: &str) -> Vec<PathBuf> {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shader-spirv/tests");
    let files =
        ["programs", "glsl"].into_iter().flat_map(|folder| std::fs::read_dir(tests.join(folder)).expect(folder));
    let paths = files.map(|entry| entry.expect("an entry").path());
    paths.filter(|path| path.to_string_lossy().ends_with(end)).collect()
}

/// As it is decorated, or else with its position captured.
fn lower(lowering: Lowering) -> Result<Lowered, Error> {
    match lowering.clone().lower() {
        Err(Error::NoFeedback { .. }) => lowering.capture("position=0".parse().expect("feedback")).lower(),
        result => result,
    }
}

/// What `spirv-val` says against the words; nothing where it is not installed.
fn against(words: &[u32]) -> Option<String> {
    let mut command = Command::new("spirv-val");
    command
        .args(["--target-env", "vulkan1.3", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    child.stdin.take().expect("piped").write_all(&bytes).expect("it reads");
    let output = child.wait_with_output().expect("it ends");
    let said = [output.stdout, output.stderr].concat();
    (!output.status.success()).then(|| String::from_utf8_lossy(&said).into_owned())
}

#[test]
fn vertex_shaders() {
    let shaders = shaders(".vert.spv");
    assert!(shaders.len() >= 15, "{}", shaders.len());
    for path in shaders {
        for form in [Form::Gather, Form::Scatter] {
            let lowering = Lowering::new(&words(&path)).expect("SPIR-V").form(form);
            let lowered = lower(lowering).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(against(&lowered.words), None, "{}, {form:?}", path.display());
        }
    }
}

#[test]
fn geometry_shaders() {
    let vertex = words(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders/plain.vert.spv"));
    let shaders = shaders(".geom.spv");
    assert!(shaders.len() >= 3, "{}", shaders.len());
    for path in shaders {
        let lowering = Lowering::new(&vertex).and_then(|lowering| lowering.geometry(&words(&path))).expect("SPIR-V");
        let lowered = lower(lowering).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        assert_eq!(against(&lowered.words), None, "{}", path.display());
    }
}

#[test]
fn the_shader_that_prepares() {
    assert_eq!(against(&afterimage_feedback::prepare()), None);
}
