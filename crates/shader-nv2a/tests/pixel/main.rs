//! The pixel pipeline: keys and IR against a reference, cases with their text, and keys that nobody would send.
#![allow(unreachable_pub, reason = "the modules of a test are its own")]

mod cases;
mod ends;
mod random;
mod reference;
mod scene;

use afterimage_nv2a_types::{Registers, method};
use afterimage_passes::{FloatRules, Options};
use afterimage_shader_nv2a::pixel::{self, Drawn, Key};
use bytemuck::Zeroable;
use random::Random;
use reference::{Reference, holds};
use scene::{Outcome, Pixel, run, sampled};

/// Compares a pixel; `None` where the reference is unsure.
fn compare(registers: &Registers, pixel: &Pixel, drawn: Drawn) -> Option<Result<(), String>> {
    let key = Key::of(registers, drawn);
    let module = pixel::lift(&key).expect("every key lifts");
    let got = run(&module, registers, pixel, holds(registers));
    let mut reference = Reference::new(registers, pixel, drawn);
    let wanted = reference.run();
    if reference.unsure {
        return None;
    }
    let near = |a: f64, b: f64, tolerance: f64| (a - b).abs() <= tolerance || a.is_nan() && b.is_nan();
    let same = match (got, wanted) {
        (Outcome { thrown_away: true, .. }, Outcome { thrown_away: true, .. }) => true,
        (Outcome { thrown_away: false, .. }, Outcome { thrown_away: false, .. }) => {
            let color = got.color.iter().zip(wanted.color).all(|(a, b)| near(*a, b, 1e-3));
            let depth = match (got.depth, wanted.depth) {
                (None, None) => true,
                // An integer below.
                (Some(a), Some(b)) => near(a, b, 1.5 / 65535.0),
                _ => false,
            };
            color && depth
        }
        _ => false,
    };
    let error = || format!("got {got:?}\nwanted {wanted:?}\n{}\n{pixel:?}", pixel::disasm(&key));
    Some(if same { Ok(()) } else { Err(error()) })
}

#[test]
fn random_registers_compute_what_the_reference_does() {
    let (mut sure, mut kept) = (0, 0);
    for seed in 0..12_000u64 {
        let mut random = Random(seed);
        let (registers, drawn) = (random.registers(), random.drawn());
        for _ in 0..2 {
            let pixel = random.pixel();
            match compare(&registers, &pixel, drawn) {
                Some(Ok(())) => sure += 1,
                Some(Err(error)) => panic!("seed {seed}: {error}"),
                None => {}
            }
            let mut reference = Reference::new(&registers, &pixel, drawn);
            kept += u32::from(!reference.run().thrown_away && !reference.unsure);
        }
    }
    assert!(sure > 6000 && kept > 2000, "the reference was sure of {sure} pixels and kept {kept}");
}

/// A pixel exactly between two rows of texels, in a quad of `height` pixels that shows a whole image.
#[test]
fn places_between_texels_are_rounded_as_the_console_does() {
    let mut registers = Registers::new();
    registers.set(method::SET_CONTROL0, 1 << 20);
    registers.set(method::SET_SHADER_STAGE_PROGRAM, 1);
    registers.set(method::SET_TEXTURE_CONTROL0, 1 << 30);
    registers.set(method::SET_TEXTURE_FORMAT, 0x0881_0629);
    registers.set(method::SET_COMBINER_SPECULAR_FOG_CW0, 0x8);
    let mut place_by = |filter: u32, s: f32, t: f32, height: f32| {
        registers.set(method::SET_TEXTURE_FILTER, filter);
        let module = pixel::lift(&Key::of(&registers, Drawn::Triangles)).expect("every key lifts");
        let mut pixel = Random(0).pixel();
        pixel.coordinates[0] = [s, t, 0.0, 1.0];
        pixel.t_slope = 1.0 / height;
        sampled(&module, &registers, &pixel)
    };
    let linear = place_by(0x0202_0000, 0.9, 0.0625, 480.0);
    assert_eq!(linear[..2], [0.9, 0.0625], "where texels are mixed nothing of it is seen");
    let mut place = |s: f32, t: f32, height: f32| place_by(0x0101_0000, s, t, height);
    assert!(place(0.25, 0.0625, 480.0)[0] >= 0.25);
    let mut rows = |s: f32, t: f32, height: f32| place(s, t, height)[1] >= t;
    assert!(!rows(0.9, 0.0625, 480.0), "the first triangle loses some of t");
    assert!(rows(0.03, 0.0625, 480.0), "the second does not");
    assert!(rows(0.9, 0.5625, 480.0), "rounding takes it away");
    assert!(rows(0.6, 0.3125, 480.0) && !rows(0.9, 0.3125, 480.0) && !rows(0.6, 0.1875, 480.0));
    assert!(rows(0.9, 0.0625, 256.0), "a power of two divides exactly");
    assert!(rows(0.9, 0.0625, -480.0), "an image upside down loses nothing");
    assert!(!rows(0.0625, 0.0625, 480.0), "the diagonal is the first triangle's");
    assert!(rows(0.9, 0.0, 480.0), "nothing is lost of nothing");
    assert!(!rows(-0.1, -0.9375, 480.0) && rows(-0.1, -0.25, 480.0) && rows(1.03, 2.0625, 480.0), "images repeat");
}

/// What a frame buffer with two samples a pixel is shown by: every pixel's middle is between two texels of 1,280. A host that cuts
/// coordinates to multiples of 2^-21, as an H100 does, finds the one behind the edge.
#[test]
fn places_in_texels_are_those_behind_the_edge_on_every_host() {
    let mut registers = Registers::new();
    registers.set(method::SET_CONTROL0, 1 << 20);
    registers.set(method::SET_SHADER_STAGE_PROGRAM, 1);
    registers.set(method::SET_TEXTURE_CONTROL0, 1 << 30);
    registers.set(method::SET_TEXTURE_FORMAT, 0x0001_1229);
    registers.set(method::SET_COMBINER_SPECULAR_FOG_CW0, 0x8);
    registers.set(method::SET_TEXTURE_FILTER, 0x0101_0000);
    for (width, height) in [(1280u16, 480u16), (640, 480), (64, 64), (4095, 3)] {
        registers.set(method::SET_TEXTURE_IMAGE_RECT, u32::from(width) << 16 | u32::from(height));
        let module = pixel::lift(&Key::of(&registers, Drawn::Triangles)).expect("every key lifts");
        for x in (1..width).step_by(7) {
            let row = x % height;
            // What is lost in interpolation, where it is more than the last bit.
            let lost = if x < 64 && row < 64 { 1.0 / f32::from(1u16 << 15) / 8.0 } else { 0.0 };
            let mut pixel = Random(0).pixel();
            pixel.coordinates[0] = [f32::from(x) - lost, f32::from(row) - lost, 0.0, 1.0];
            pixel.t_slope = 1.0;
            let [s, t, _] = sampled(&module, &registers, &pixel);
            let texel = [(s, width), (t, height)].map(|(at, size)| {
                let cut = (f64::from(at) * f64::from(1u32 << 21)).floor() / f64::from(1u32 << 21);
                (cut * f64::from(size)) as u32
            });
            assert_eq!(texel, [x, row].map(u32::from), "of {width} by {height}");
        }
    }
}

#[test]
fn what_another_stage_reads_is_mixed_by_weights_of_eight_bits() {
    let mut registers = Registers::new();
    // Texture 0 of 256 by 16, without border; stage 1 is moved by it.
    for stage in [0, 0x40] {
        registers.set(method::SET_TEXTURE_CONTROL0 + stage, 1 << 30);
        registers.set(method::SET_TEXTURE_FORMAT + stage, 4 << 24 | 8 << 20 | 0x0628);
    }
    let mut place = |program: u32, filter: u32| {
        registers.set(method::SET_SHADER_STAGE_PROGRAM, program);
        registers.set(method::SET_TEXTURE_FILTER, filter);
        let module = pixel::lift(&Key::of(&registers, Drawn::Triangles)).expect("a shader");
        let mut pixel = Random(0).pixel();
        pixel.coordinates[0] = [(1.0 + 74.67 / 256.0) / 256.0, (2.0 + 92.95 / 256.0) / 16.0, 0.0, 1.0];
        let [s, t, _] = sampled(&module, &registers, &pixel);
        [s * 256.0, t * 16.0].map(|texel| (texel.fract() * 256.0 * 100.0).round() / 100.0)
    };
    let (alone, moves, linear, nearest) = (0x01, 0x01 | 0x06 << 5, 0x0202_0000, 0x0101_0000);
    assert_eq!(place(moves, linear), [74.0, 92.0]);
    assert_eq!(place(alone, linear), [74.67, 92.95], "nobody reads it");
    assert_ne!(place(moves, nearest), [74.0, 92.0], "no texels are mixed");
}

#[test]
fn any_bytes_are_a_key() {
    for seed in 0..3000 {
        let mut random = Random(seed);
        let mut key = Key::zeroed();
        for byte in bytemuck::bytes_of_mut(&mut key) {
            *byte = random.word() as u8;
        }
        let mut module = pixel::lift(&key).expect("every key lifts");
        assert_eq!(afterimage_ir::verify(&module), Ok(()), "{module}");
        if seed % 16 == 0 {
            afterimage_passes::optimize(&mut module, &Options { float_rules: FloatRules::Strict });
            let options = afterimage_spirv::Options {
                bindless: true,
                preserve: false,
                debug_names: false,
                features: afterimage_spirv::Features::ALL,
            };
            afterimage_spirv::emit(&module, &options).expect("every key becomes SPIR-V");
        }
        assert!(pixel::disasm(&key).ends_with('\n'));
    }
}

#[test]
fn nothing_set_is_the_key_of_zeros() {
    let mut registers = Registers::new();
    // Without perspective is what the bit's absence says.
    registers.set(method::SET_CONTROL0, 1 << 20);
    let rectangle = 4095 << 16;
    registers.set(method::SET_WINDOW_CLIP_HORIZONTAL, rectangle);
    registers.set(method::SET_WINDOW_CLIP_VERTICAL, rectangle);
    assert_eq!(Key::of(&registers, Drawn::Triangles), Key::zeroed());
}

#[test]
fn what_makes_no_difference_is_not_in_the_key() {
    for seed in 0..500 {
        let mut random = Random(seed);
        let mut registers = random.registers();
        let count = random.below(8);
        registers.set(method::SET_COMBINER_CONTROL, count);
        registers.set(method::SET_TEXTURE_CONTROL0, 0);
        let key = Key::of(&registers, Drawn::Lines);
        registers.set(method::SET_COMBINER_COLOR_ICW + 4 * count as u16, random.word());
        registers.set(method::SET_TEXTURE_FORMAT, random.word());
        registers.set(method::SET_TEXTURE_FILTER, random.word());
        registers.set(method::SET_STIPPLE_ENABLE, 1);
        registers.set(method::SET_COMBINER_FACTOR0, random.word());
        assert_eq!(Key::of(&registers, Drawn::Lines), key);
    }
}
