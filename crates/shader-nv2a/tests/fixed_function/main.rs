//! Fixed-function transform and lighting: what the interpreter makes of the shader of random registers, held to a reference in 64-bit
//! floats that reads the same registers, and cases worked out by hand.
#![allow(unreachable_pub, reason = "the test's own modules")]

mod epilogue;
mod hand;
mod random;
mod reference;
mod scene;
mod texts;

use afterimage_ir::OutputAt;
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::{fixed, io};
use proptest::prelude::*;
use random::Random;
use scene::Scene;

/// Whether 32 bits come near enough to 64.
pub fn near(got: [f32; 4], expected: [f64; 4], tolerance: f64) -> bool {
    got.iter()
        .zip(expected)
        .all(|(got, expected)| (f64::from(*got) - expected).abs() <= tolerance * (1.0 + expected.abs()))
}

fn agrees(seed: u64) -> Result<bool, TestCaseError> {
    let mut random = Random(seed);
    let (registers, inputs) = (random.registers(), random.inputs());
    let expected = reference::vertex(&registers, &inputs);
    if expected.doubtful {
        return Ok(false);
    }
    let key = fixed::Key::of(&registers, true);
    let mut scene = Scene::of(&registers);
    // What the key says is not read must make no difference.
    for (number, input) in inputs.iter().enumerate() {
        let read = key.inputs() >> number & 1 != 0;
        scene.inputs[number] = if read { *input } else { [f32::NAN; 4] };
    }
    let got = scene.run(&fixed::lift(&key).expect("every key is a shader"));
    // Without perspective what is to be interpolated comes times w.
    let perspective = registers.bits(method::SET_CONTROL0, 20, 1) != 0;
    let weight = if perspective { 1.0 } else { got.at(OutputAt::Position)[3] };
    let at = |location: u8| got.location(location).map(|value| value / weight);
    // A colour may be on the other side of a rounding.
    let step = 1.01 / 255.0;
    let mut pairs = vec![
        ("position", got.at(OutputAt::Position), expected.position, 1e-3),
        ("front diffuse", at(io::FRONT_DIFFUSE), expected.diffuse[0], step),
        ("back diffuse", at(io::BACK_DIFFUSE), expected.diffuse[1], step),
        ("front specular", at(io::FRONT_SPECULAR), expected.specular[0], step),
        ("back specular", at(io::BACK_SPECULAR), expected.specular[1], step),
        ("fog", [at(io::FOG)[0]; 4], [expected.fog; 4], 1e-3),
        ("point size", [got.at(OutputAt::PointSize)[0]; 4], [expected.point_size; 4], 1e-3),
    ];
    for (location, coordinates) in (io::TEXTURE_0..).zip(expected.texture) {
        pairs.push(("coordinates", at(location), coordinates, 1e-3));
    }
    for (name, got, expected, tolerance) in pairs {
        prop_assert!(near(got, expected, tolerance), "{name}: {got:?} instead of {expected:?}\n{key:#?}\n{inputs:?}");
    }
    Ok(true)
}

/// Proves that the reference is used: most random vertices are far from steps.
#[test]
fn most_random_vertices_can_be_compared() {
    let compared = (0..400).filter(|seed| agrees(*seed).expect("agrees")).count();
    assert!(compared > 250, "{compared}");
}

#[test]
fn states_that_do_nothing_are_not_in_the_key() {
    let mut registers = Registers::new();
    registers.set(method::SET_LIGHT_ENABLE_MASK, 0xFFFF);
    registers.set(method::SET_COLOR_MATERIAL, 0xFFFF);
    registers.set(method::SET_LIGHT_TWO_SIDE_ENABLE, 1);
    registers.set(method::SET_NORMALIZATION_ENABLE, 1);
    registers.set(method::SET_TEXGEN_VIEW_MODEL, 1);
    registers.set(method::SET_LIGHT_CONTROL, 0x3_0001);
    assert_eq!(fixed::Key::of(&registers, false), fixed::Key::default());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn vertices_follow_the_documents(seed in any::<u64>()) {
        agrees(seed)?;
    }

    /// Any bytes are a key, and every key is a shader that the passes and the back end take.
    #[test]
    fn every_key_is_a_shader(bytes in any::<[u8; size_of::<fixed::Key>()]>()) {
        let key: fixed::Key = bytemuck::pod_read_unaligned(&bytes);
        let mut module = fixed::lift(&key).expect("every key is a shader");
        prop_assert_eq!(afterimage_ir::verify(&module), Ok(()));
        let read = module.inputs.iter().map(|input| match input.at {
            afterimage_ir::InputAt::Location(location) => 1u16 << location,
            at => panic!("{at:?}"),
        });
        let read = read.fold(0, |mask, bit| mask | bit);
        prop_assert_eq!(read & !key.inputs(), 0, "the key names all that is read");
        let options = afterimage_passes::Options { float_rules: afterimage_passes::FloatRules::Strict };
        afterimage_passes::optimize(&mut module, &options);
        prop_assert_eq!(afterimage_ir::verify(&module), Ok(()));
        let options = afterimage_spirv::Options { bindless: true, preserve: true, debug_names: false, features: afterimage_spirv::Features::ALL };
        prop_assert!(afterimage_spirv::emit(&module, &options).is_ok());
    }
}
