//! Cases worked out by hand, and what a console showed.

use crate::scene::{Outputs, Scene};
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::{fixed, io};

/// Registers with unit matrices, a lit white light from the eye, and vertices that face it.
fn lit() -> Registers {
    let mut registers = Registers::new();
    registers.set(method::SET_CONTROL0, 1 << 20);
    for matrix in [method::SET_MODEL_VIEW_MATRIX, method::SET_INVERSE_MODEL_VIEW_MATRIX, method::SET_COMPOSITE_MATRIX] {
        for i in 0..4 {
            registers.set(matrix + i * 20, 1f32.to_bits());
        }
    }
    registers.set(method::SET_LIGHTING_ENABLE, 1);
    registers.set(method::SET_SPECULAR_ENABLE, 1);
    registers.set(method::SET_LIGHT_CONTROL, 0x2_0001);
    registers.set(method::SET_LIGHT_ENABLE_MASK, 1);
    set(&mut registers, method::SET_LIGHT_INFINITE_DIRECTION, &[0.0, 0.0, 1.0]);
    set(&mut registers, method::SET_LIGHT_DIFFUSE_COLOR, &[1.0, 1.0, 1.0]);
    registers
}

fn set(registers: &mut Registers, method: u16, values: &[f32]) {
    for (i, value) in values.iter().enumerate() {
        registers.set(method + 4 * i as u16, value.to_bits());
    }
}

fn run(registers: &Registers, inputs: &[(usize, [f32; 4])]) -> Outputs {
    let mut scene = Scene::of(registers);
    for (number, value) in inputs {
        scene.inputs[*number] = *value;
    }
    scene.run(&fixed::lift(&fixed::Key::of(registers, false)).expect("every key is a shader"))
}

const FACING: [(usize, [f32; 4]); 2] = [(0, [0.0, 0.0, -2.0, 1.0]), (2, [0.0, 0.0, 1.0, 0.0])];

fn bytes(color: [f32; 4]) -> [u8; 4] {
    color.map(|c| (c * 255.0).round() as u8)
}

#[test]
fn colours_are_rounded_to_bytes_from_thirteen_bits() {
    let mut registers = lit();
    set(&mut registers, method::SET_LIGHT_DIFFUSE_COLOR, &[0.0, 1.0, 0.7]);
    let color = run(&registers, &FACING).location(io::FRONT_DIFFUSE);
    // Suite Shade model: 0.7 is 178.5 of 255, and the console has 179.
    assert_eq!(bytes(color), [0, 255, 179, 0]);
    assert_eq!(color[2], 179.0 / 255.0);
}

#[test]
fn attenuation_of_zero_saturates_what_is_not_black() {
    let mut registers = lit();
    registers.set(method::SET_LIGHT_ENABLE_MASK, 2);
    registers.set(method::SET_LIGHT_LOCAL_RANGE, 1e30f32.to_bits());
    set(&mut registers, method::SET_LIGHT_DIFFUSE_COLOR, &[1.0, 0.0, 0.25]);
    // Suite Lighting spotlight, AtFixed 0 0 0.
    assert_eq!(bytes(run(&registers, &FACING).location(io::FRONT_DIFFUSE)), [255, 0, 255, 0]);
}

#[test]
fn lights_end_behind_their_range() {
    let mut registers = lit();
    registers.set(method::SET_LIGHT_ENABLE_MASK, 2);
    set(&mut registers, method::SET_LIGHT_LOCAL_ATTENUATION, &[1.0, 0.0, 0.0]);
    for (range, level) in [(2.0f32, 255), (1.999, 0)] {
        registers.set(method::SET_LIGHT_LOCAL_RANGE, range.to_bits());
        assert_eq!(bytes(run(&registers, &FACING).location(io::FRONT_DIFFUSE))[0], level, "{range}");
    }
}

#[test]
fn specular_light_is_separate_added_or_off() {
    let mut registers = lit();
    set(&mut registers, method::SET_LIGHT_INFINITE_HALF_VECTOR, &[0.0, 0.0, 1.0]);
    set(&mut registers, method::SET_LIGHT_DIFFUSE_COLOR, &[0.2, 0.0, 0.0]);
    set(&mut registers, method::SET_LIGHT_SPECULAR_COLOR, &[0.0, 0.4, 0.0]);
    set(&mut registers, method::SET_SPECULAR_PARAMS, &[0.0, 0.0, 1.0]);
    let vertex = [FACING[0], FACING[1], (4, [0.0, 0.0, 0.6, 0.8])];
    let cases = [
        (1, 0x2_0001, [51, 0, 0], [0, 102, 0, 204]),
        (1, 0x0_0001, [51, 0, 0], [0, 102, 0, 255]),
        (1, 0x2_0000, [51, 102, 0], [0, 0, 153, 204]),
        (0, 0x2_0001, [51, 102, 0], [0, 0, 0, 255]),
    ];
    for (enable, control, diffuse, specular) in cases {
        registers.set(method::SET_SPECULAR_ENABLE, enable);
        registers.set(method::SET_LIGHT_CONTROL, control);
        let out = run(&registers, &vertex);
        assert_eq!(bytes(out.location(io::FRONT_DIFFUSE))[..3], diffuse, "{enable} {control:#x}");
        assert_eq!(bytes(out.location(io::FRONT_SPECULAR)), specular, "{enable} {control:#x}");
    }
}

#[test]
fn without_lighting_back_faces_are_black() {
    let mut registers = lit();
    registers.set(method::SET_LIGHTING_ENABLE, 0);
    let out = run(&registers, &[(3, [0.2, 0.4, 0.6, 0.8]), (4, [0.6; 4]), (7, [1.0; 4]), (8, [1.0; 4])]);
    assert_eq!(bytes(out.location(io::FRONT_DIFFUSE)), [51, 102, 153, 204]);
    assert_eq!(bytes(out.location(io::FRONT_SPECULAR)), [153; 4]);
    assert_eq!(bytes(out.location(io::BACK_DIFFUSE)), [0, 0, 0, 255]);
    assert_eq!(bytes(out.location(io::BACK_SPECULAR)), [0, 0, 0, 255]);
}

#[test]
fn the_reciprocal_of_w_is_rounded_toward_zero() {
    let mut registers = lit();
    registers.set(method::SET_LIGHTING_ENABLE, 0);
    // The float nearest to a seventh is above it; what a sixteenth of a pixel is exactly falls below it then.
    set(&mut registers, method::SET_COMPOSITE_MATRIX + 60, &[7.0]);
    let position = |x: f32| run(&registers, &[(0, [x, 0.0, 0.0, 1.0])]).at(afterimage_ir::OutputAt::Position);
    let [x, _, _, w] = position(7.0 * 319.5625);
    assert_eq!(((x / w + 1.0) * 320.0 * 16.0).round() / 16.0, 319.5);
}

#[test]
fn a_w_of_zero_is_a_place_far_away() {
    let mut registers = lit();
    registers.set(method::SET_LIGHTING_ENABLE, 0);
    // The composite matrix has no w of its own.
    registers.set(method::SET_COMPOSITE_MATRIX + 60, 0);
    let position = run(&registers, &[(0, [3.0, 1.0, 0.0, 1.0])]).at(afterimage_ir::OutputAt::Position);
    assert!(position.iter().all(|c| c.is_finite()), "{position:?}");
    assert!(position[0] > 0.0 && position[1] < 0.0 && position[0] > 1e6 * position[3], "{position:?}");
}
