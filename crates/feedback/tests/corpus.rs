//! Every vertex and geometry shader of the SPIR-V front end's tests is lowered, in every form that it has, and other people's tools take it:
//! on a driver without transform feedback, MoltenVK among them, it would run.

#[path = "../../spirv/tests/judges/mod.rs"]
mod judges;

use afterimage_feedback::{Error, Form, Lowered, Lowering};
use std::path::{Path, PathBuf};

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

fn judge(words: &[u32], what: &str) {
    if judges::are_there() {
        judges::judge(words).unwrap_or_else(|why| panic!("{what}: {why}"));
    }
}

#[test]
fn vertex_shaders() {
    let shaders = shaders(".vert.spv");
    assert!(shaders.len() >= 15, "{}", shaders.len());
    for path in shaders {
        for form in [Form::Gather, Form::Scatter] {
            let lowering = Lowering::new(&words(&path)).expect("SPIR-V").form(form);
            let lowered = lower(lowering).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            judge(&lowered.words, &format!("{}, {form:?}", path.display()));
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
        judge(&lowered.words, &path.display().to_string());
    }
}

#[test]
fn the_shader_that_prepares() {
    judge(&afterimage_feedback::prepare(), "the shader that prepares");
}

/// What Mesa's zink writes and glslang seldom does: an index that is a constant by another name, and a location of two streams.
#[test]
fn shaders_as_mesa_writes_them() {
    let words = |name: &str| words(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/shaders").join(name));
    let lowered = Lowering::new(&words("bits.vert.spv")).and_then(|lowering| lowering.lower());
    let lowered = lowered.unwrap_or_else(|why| panic!("bits.vert: {why}"));
    assert_eq!(lowered.uses.blocks.len(), 1);
    judge(&lowered.words, "bits.vert");
    let lowering = Lowering::new(&words("plain.vert.spv")).expect("a module");
    let lowering = lowering.geometry(&words("shared.geom.spv")).expect("a module");
    let lowered = lowering.lower().unwrap_or_else(|why| panic!("shared.geom: {why}"));
    let captures = lowered.uses.captures.iter().map(|capture| (capture.buffer, capture.stream, capture.lanes));
    assert_eq!(captures.collect::<Vec<_>>(), [(0, 0, 1), (1, 1, 2)]);
    judge(&lowered.words, "shared.geom");
}
