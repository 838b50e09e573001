//! What becomes of a pixel: every blend factor on either side in every equation, logic operation, alpha function, channel of the
//! mask, stencil function and operation.

use super::{COLOR, ZETA, picture, rectangle, rig::Rig, source};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::{enums, method};

const SIZE: u32 = 16;
/// Red, green, blue, alpha of the source, the destination, and the constant.
const SOURCE: [u8; 4] = [0xCC, 0x66, 0x1F, 0x99];
const DESTINATION: [u8; 4] = [0x33, 0xA0, 0xF0, 0x70];
const CONSTANT: [u8; 4] = [0x80, 0x11, 0xE0, 0x40];

fn word([red, green, blue, alpha]: [u8; 4]) -> u32 {
    u32::from_le_bytes([blue, green, red, alpha])
}

fn scene() -> Rig {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    rig.set(method::SET_BLEND_COLOR, word(CONSTANT));
    rig
}

/// Draws one pixel in the source's colour.
fn pixel(rig: &mut Rig, [x, y]: [u32; 2]) {
    let [left, top] = [x, y].map(|at| at as f32);
    rectangle(rig, [left, top, left + 1.0, top + 1.0], |vertex| vertex[3] = SOURCE.map(|byte| f32::from(byte) / 255.0));
}

fn factor(number: u32, channel: usize) -> f32 {
    let part = |color: [u8; 4], channel: usize| f32::from(color[channel]) / 255.0;
    let inverse = |is_inverse: bool, value: f32| if is_inverse { 1.0 - value } else { value };
    match number {
        0 => 0.0,
        1 => 1.0,
        0x300 | 0x301 => inverse(number == 0x301, part(SOURCE, channel)),
        0x302 | 0x303 => inverse(number == 0x303, part(SOURCE, 3)),
        0x304 | 0x305 => inverse(number == 0x305, part(DESTINATION, 3)),
        0x306 | 0x307 => inverse(number == 0x307, part(DESTINATION, channel)),
        0x308 if channel == 3 => 1.0,
        0x308 => part(SOURCE, 3).min(1.0 - part(DESTINATION, 3)),
        0x8001 | 0x8002 => inverse(number == 0x8002, part(CONSTANT, channel)),
        0x8003 | 0x8004 => inverse(number == 0x8004, part(CONSTANT, 3)),
        other => panic!("{other:#x}"),
    }
}

#[test]
fn every_pair_of_blend_factors_in_every_equation() {
    let mut rig = scene();
    rig.set(method::SET_BLEND_ENABLE, 1);
    let factors = || (0..).zip(enums::BLEND_FACTOR.iter().map(|(number, _)| *number));
    for &(equation, name) in enums::BLEND_EQUATION.iter().filter(|(number, _)| *number < 0xF000) {
        rig.set(method::SET_BLEND_EQUATION, equation);
        rig.clear(0xF0, word(DESTINATION), 0, [0, 0, SIZE, SIZE]);
        for ((y, of_source), (x, of_destination)) in factors().flat_map(|s| factors().map(move |d| (s, d))) {
            rig.set(method::SET_BLEND_FUNC_SFACTOR, of_source);
            rig.set(method::SET_BLEND_FUNC_DFACTOR, of_destination);
            pixel(&mut rig, [x, y]);
        }
        let picture = picture(&mut rig, SIZE);
        for ((y, of_source), (x, of_destination)) in factors().flat_map(|s| factors().map(move |d| (s, d))) {
            let [blue, green, red, alpha] = picture[(y * SIZE + x) as usize].to_le_bytes();
            for (channel, shown) in [red, green, blue, alpha].into_iter().enumerate() {
                let (s, d) = (f32::from(SOURCE[channel]) / 255.0, f32::from(DESTINATION[channel]) / 255.0);
                let (sf, df) = (s * factor(of_source, channel), d * factor(of_destination, channel));
                let result = match equation {
                    0x8006 => sf + df,
                    0x800A => sf - df,
                    0x800B => df - sf,
                    0x8007 => s.min(d),
                    _ => s.max(d),
                };
                let expected = result.clamp(0.0, 1.0) * 255.0;
                let what = format!("{name}: source {of_source:#x}, destination {of_destination:#x}, channel {channel}");
                assert!((f32::from(shown) - expected).abs() <= 1.5, "{what}: {shown}, not {expected}");
            }
        }
    }
    rig.finish();
}

#[test]
fn every_logic_operation_and_every_mask() {
    let mut rig = scene();
    let (s, d) = (word(SOURCE), word(DESTINATION));
    rig.clear(0xF0, d, 0, [0, 0, SIZE, SIZE]);
    rig.set(method::SET_LOGIC_OP_ENABLE, 1);
    for (x, (number, _)) in (0..).zip(enums::LOGIC_OP) {
        rig.set(method::SET_LOGIC_OP, *number);
        pixel(&mut rig, [x, 0]);
    }
    rig.set(method::SET_LOGIC_OP_ENABLE, 0);
    for mask in 0..16 {
        rig.set(method::SET_COLOR_MASK, mask & 1 | (mask & 2) << 7 | (mask & 4) << 14 | (mask & 8) << 21);
        pixel(&mut rig, [mask, 1]);
    }
    let picture = picture(&mut rig, SIZE);
    let results =
        [0, s & d, s & !d, s, !s & d, d, s ^ d, s | d, !(s | d), !(s ^ d), !d, s | !d, !s, !s | d, !(s & d), !0];
    assert_eq!(picture[..16], results, "{:?}", enums::LOGIC_OP);
    for mask in 0..16 {
        // Blue, green, red, alpha from the lowest bit on.
        let bits = (0..4).filter(|bit| mask >> bit & 1 != 0).fold(0u32, |bits, byte| bits | 0xFF << (8 * byte));
        assert_eq!(picture[16 + mask], s & bits | d & !bits, "mask {mask:#x}");
    }
    rig.finish();
}

/// `a ? b` by the numbers of functions.
fn passes(function: u32, a: u32, b: u32) -> bool {
    [false, a < b, a == b, a <= b, a > b, a != b, a >= b, true][(function & 7) as usize]
}

#[test]
fn every_alpha_function() {
    let mut rig = scene();
    rig.set(method::SET_ALPHA_TEST_ENABLE, 1);
    let alpha = u32::from(SOURCE[3]);
    let references = [0, alpha - 1, alpha, alpha + 1, 255];
    for (y, (function, _)) in (0..).zip(enums::COMPARE) {
        for (x, reference) in (0..).zip(references) {
            rig.set(method::SET_ALPHA_FUNC, *function);
            rig.set(method::SET_ALPHA_REF, reference);
            pixel(&mut rig, [x, y]);
        }
    }
    let picture = picture(&mut rig, SIZE);
    for (y, (function, name)) in enums::COMPARE.iter().enumerate() {
        for (x, reference) in references.into_iter().enumerate() {
            let is_drawn = picture[y * SIZE as usize + x] != 0;
            assert_eq!(is_drawn, passes(*function, alpha, reference), "{alpha} {name} {reference}");
        }
    }
    rig.finish();
}

/// What an operation makes of a stencil value.
fn operated(operation: u32, value: u8, reference: u8) -> u8 {
    match operation {
        0x1E00 => value,
        0 => 0,
        0x1E01 => reference,
        0x1E02 => value.saturating_add(1),
        0x1E03 => value.saturating_sub(1),
        0x150A => !value,
        0x8507 => value.wrapping_add(1),
        _ => value.wrapping_sub(1),
    }
}

#[test]
fn every_stencil_function_with_every_operation() {
    const REFERENCE: u8 = 0x5A;
    let mut rig = scene();
    for (at, value) in [
        (method::SET_STENCIL_TEST_ENABLE, 1),
        (method::SET_STENCIL_MASK, 0xFF),
        (method::SET_STENCIL_FUNC_MASK, 0xFF),
        (method::SET_STENCIL_FUNC_REF, REFERENCE.into()),
    ] {
        rig.set(at, value);
    }
    let operations = || (0..).zip(enums::STENCIL_OP.iter().map(|(number, _)| *number));
    for before in [0u8, 0x59, 0x5A, 0x5B, 0xFF] {
        for (function, name) in enums::COMPARE {
            rig.clear(0xF3, 0, before.into(), [0, 0, SIZE, SIZE]);
            rig.set(method::SET_STENCIL_FUNC, *function);
            for ((y, fail), (x, pass)) in operations().flat_map(|f| operations().map(move |p| (f, p))) {
                rig.set(method::SET_STENCIL_OP_FAIL, fail);
                rig.set(method::SET_STENCIL_OP_ZPASS, pass);
                pixel(&mut rig, [x, y]);
            }
            rig.graphics.write_back(&mut rig.memory, ZETA, 4 * SIZE * SIZE);
            rig.graphics.write_back(&mut rig.memory, COLOR, 4 * SIZE * SIZE);
            for ((y, fail), (x, pass)) in operations().flat_map(|f| operations().map(move |p| (f, p))) {
                let is_passed = passes(*function, REFERENCE.into(), before.into());
                let expected = operated(if is_passed { pass } else { fail }, before, REFERENCE);
                let at = 4 * (y * SIZE + x);
                let what = format!("{REFERENCE:#x} {name} {before:#x}: {fail:#x} or {pass:#x}");
                assert_eq!(rig.pixel(ZETA + at, 1), u32::from(expected), "{what}");
                assert_eq!(rig.memory.word(COLOR + at).expect("inside of memory") != 0, is_passed, "{what}");
            }
        }
    }
    rig.finish();
}
