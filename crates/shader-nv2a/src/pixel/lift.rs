//! A key as IR: the order of things.

use super::key::Key;
use super::shared::Lift;
use super::{combiners, coverage, depth, fog, smooth, texture_shader};
use afterimage_ir::{BuildError, Builder, Module, OutputAt, Stage, Type};

/// A pixel shader.
///
/// # Errors
/// None that a key causes; what the builder says.
pub fn lift(key: &Key) -> Result<Module, BuildError> {
    let mut lift = Lift { b: Builder::new(Stage::Pixel), key };
    lift.b.set_name("nv2a_pixel");
    coverage::clip(&mut lift);
    let shaded = texture_shader::run(&mut lift);
    let [diffuse, specular] = lift.colors();
    let fog = fog::register(&mut lift);
    let inputs = combiners::Inputs { diffuse, specular, fog, textures: shaded.results };
    let mut color = combiners::run(&mut lift, inputs);
    if key.has(Key::SMOOTH) {
        color = smooth::coverage(&mut lift, color);
    }
    coverage::alpha_test(&mut lift, color);
    lift.store("color", OutputAt::Location(0), Type::F32X4, color);
    depth::store(&mut lift, shaded.depth);
    lift.b.finish()
}
