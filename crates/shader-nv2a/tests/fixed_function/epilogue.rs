//! What every vertex shader ends with: clip space, cuts, colours that are no numbers.

use crate::scene::{Outputs, Scene};
use afterimage_ir::{Builder, InputAt, InputDecl, Interp, OutputAt, Stage, Type};
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::io::{self, VertexResult};

/// The shader that hands attribute 0 on as position, 3 as every colour, and x of 9 as fog and point size.
fn run(registers: &Registers, position: [f32; 4], color: [f32; 4], number: f32) -> Outputs {
    let mut b = Builder::new(Stage::Vertex);
    let mut input = |location: u8| {
        let input = b.input(InputDecl {
            name: format!("v{location}"),
            ty: Type::F32X4,
            at: InputAt::Location(location),
            interp: Interp::Smooth,
            semantic: None,
        });
        b.load_input(input)
    };
    let (position_value, color_value, number_value) = (input(0), input(3), input(9));
    let fog = b.extract(number_value, 0);
    let size = io::point_size(&mut b, Some(fog), None);
    io::epilogue(
        &mut b,
        &VertexResult {
            position: position_value,
            diffuse: [color_value; 2],
            specular: [color_value; 2],
            fog,
            texture: [number_value; 4],
            point_size: Some(size),
        },
    );
    let mut scene = Scene::of(registers);
    (scene.inputs[0], scene.inputs[3], scene.inputs[9]) = (position, color, [number; 4]);
    scene.run(&b.finish().expect("a shader"))
}

/// `SET_CONTROL0`: with texture perspective.
const PERSPECTIVE: u32 = 1 << 20;

fn surface() -> Registers {
    let mut registers = Registers::new();
    registers.set(method::SET_SURFACE_FORMAT, 0x128);
    registers.set(method::SET_CLIP_MAX, 16_777_215f32.to_bits());
    registers.set(method::SET_CONTROL0, PERSPECTIVE);
    registers
}

/// Where a position lands, in pixels, and its depth as the host has it.
fn landed(registers: &Registers, position: [f32; 4]) -> [f32; 3] {
    let [x, y, z, w] = run(registers, position, [0.0; 4], 0.0).at(OutputAt::Position);
    let [near, far] = io::depth_range(registers);
    [(x / w + 1.0) * 320.0, (1.0 - y / w) * 240.0, near + z / w * (far - near)]
}

#[test]
fn pixels_are_cut_to_sixteenths_toward_zero() {
    // Suite Viewport: 17/32 and 8/16 are one place, 9/16 is another.
    for (given, kept) in [(100.53125, 100.5), (100.5, 100.5), (100.5625, 100.5625), (-3.99, -3.9375), (0.06, 0.0)] {
        for w in [1.0, 0.25, 100.0] {
            let [x, y, _] = landed(&surface(), [given, given, 0.0, w]);
            assert!((x - kept).abs() < 1e-3 && (y - kept).abs() < 1e-3, "{given} with w {w}: {x} {y}");
        }
    }
}

#[test]
fn positions_are_finite_and_w_has_a_sign() {
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::MAX, f32::MIN_POSITIVE] {
        for place in 0..4 {
            let mut position = [10.0, 20.0, 30.0, 1.0];
            position[place] = bad;
            let out = run(&surface(), position, [0.0; 4], 0.0).at(OutputAt::Position);
            assert!(out.iter().all(|c| c.is_finite()), "{position:?} gives {out:?}");
            assert_ne!(out[3], 0.0);
        }
    }
    assert!(run(&surface(), [0.0, 0.0, 0.0, 0.0], [0.0; 4], 0.0).at(OutputAt::Position)[3] > 0.0);
    assert!(run(&surface(), [0.0, 0.0, 0.0, -0.0], [0.0; 4], 0.0).at(OutputAt::Position)[3] < 0.0);
}

#[test]
fn extreme_w_keep_their_ratios_and_are_within_reach_of_hosts() {
    let w =
        |exponent: i32| run(&surface(), [0.0, 0.0, 0.0, 2f32.powi(exponent)], [0.0; 4], 0.0).at(OutputAt::Position)[3];
    for exponent in [-64, -60, 60, 63] {
        assert_eq!(w(exponent + 1) / w(exponent), 2.0, "2^{exponent}");
        assert!((2f32.powi(-40)..=2f32.powi(40)).contains(&w(exponent)), "2^{exponent}");
    }
    for exponent in [-48, -20, 0, 20, 48] {
        assert_eq!(w(exponent), 2f32.powi(exponent));
    }
    assert_eq!(w(-66), w(-64), "the console's own limit");
    let negative = run(&surface(), [0.0, 0.0, 0.0, -2f32.powi(-64)], [0.0; 4], 0.0).at(OutputAt::Position)[3];
    assert_eq!(negative, -2f32.powi(-40));
}

#[test]
fn coordinates_beyond_reach_keep_their_direction() {
    let [x, y, _, w] = run(&surface(), [8e35, 4e35, 0.0, 1.0], [0.0; 4], 0.0).at(OutputAt::Position);
    let ratio = (x / w * 320.0) / (-y / w * 240.0);
    assert!((ratio - 2.0).abs() < 1e-3, "{ratio}");
}

#[test]
fn depth_is_in_units_of_the_buffer() {
    let mut registers = surface();
    assert_eq!(landed(&registers, [0.0, 0.0, 16_777_215.0, 1.0])[2], 1.0);
    registers.set(method::SET_SURFACE_FORMAT, 0x118);
    registers.set(method::SET_CLIP_MAX, 65535f32.to_bits());
    assert_eq!(landed(&registers, [0.0, 0.0, 65535.0, 4.0])[2], 1.0);
    // Floating point formats: as it is, for the pixel stage.
    registers.set(method::SET_CONTROL0, 0x1000);
    let out = run(&registers, [0.0, 0.0, 300.0, 4.0], [0.0; 4], 0.0);
    assert_eq!(out.at(OutputAt::Position)[2] / 4.0, 300.0);
    assert_eq!(out.location(io::DEPTH)[0] / 4.0, 300.0);
}

#[test]
fn the_range_clamps_or_cuts() {
    let mut registers = surface();
    registers.set(method::SET_CLIP_MIN, 10f32.to_bits());
    registers.set(method::SET_CLIP_MAX, 100f32.to_bits());
    let distances = |registers: &Registers, z: f32, w: f32| {
        run(registers, [0.0, 0.0, z, w], [0.0; 4], 0.0).at(OutputAt::ClipDistance(0))
    };
    // Cut: z outside is outside, the ends are inside.
    for (z, inside) in [(9.9, false), (10.0, true), (50.0, true), (100.0, true), (100.1, false)] {
        for w in [1.0, 0.01, 30.0] {
            let [near, far, below, above] = distances(&registers, z, w);
            assert_eq!(near >= 0.0 && far >= 0.0, inside, "z {z}, w {w}: {near} {far}");
            assert!(below > 0.0 && above > 0.0, "nothing is dropped whole");
        }
    }
    // A W buffer: w counts.
    registers.set(method::SET_CONTROL0, 0x1_0000);
    for (w, inside) in [(5.0, false), (50.0, true), (200.0, false)] {
        let [near, far, _, _] = distances(&registers, 0.0, w);
        assert_eq!(near >= 0.0 && far >= 0.0, inside, "w {w}");
    }
    // The offset of polygons comes first.
    registers.set(method::SET_POLY_OFFSET_FILL_ENABLE, 1);
    registers.set(method::SET_POLYGON_OFFSET_BIAS, (-5f32).to_bits());
    for (w, inside) in [(12.0, false), (15.5, true), (104.5, true), (106.0, false)] {
        let [near, far, _, _] = distances(&registers, 0.0, w);
        assert_eq!(near >= 0.0 && far >= 0.0, inside, "w {w}");
    }
    registers.set(method::SET_POLY_OFFSET_FILL_ENABLE, 0);
    registers.set(method::SET_CONTROL0, 0);
    // Clamped: nothing is cut, the viewport has the range; and primitives all outside go.
    registers.set(method::SET_ZMIN_MAX_CONTROL, 0x11);
    let [min, max] = io::depth_range(&registers);
    assert_eq!([min, max].map(|d| (d * 16_777_215.0).round()), [10.0, 100.0]);
    for (z, expected) in [(5.0, [true, false]), (10.0, [false, false]), (100.0, [false, false]), (101.0, [false, true])]
    {
        let [near, far, below, above] = distances(&registers, z, 2.0);
        assert!(near > 0.0 && far > 0.0);
        assert_eq!([below < 0.0, above < 0.0], expected, "{z}");
        let depth = landed(&registers, [0.0, 0.0, z, 2.0])[2] * 16_777_215.0;
        assert!((depth - z).abs() < 0.01, "{depth} for {z}");
    }
}

#[test]
fn colours_are_clamped_and_what_is_no_number_is_one() {
    let mut registers = surface();
    registers.set(method::SET_SPECULAR_ENABLE, 1);
    registers.set(method::SET_LIGHT_CONTROL, 0x2_0000);
    let out = run(&registers, [0.0; 4], [f32::NAN, -1.0, 2.0, 0.2], 0.0);
    for location in [io::FRONT_DIFFUSE, io::FRONT_SPECULAR, io::BACK_DIFFUSE, io::BACK_SPECULAR] {
        assert_eq!(out.location(location), [1.0, 0.0, 1.0, 51.0 / 255.0]);
    }
}

/// Without perspective everything comes times w, but what is not interpolated does not.
#[test]
fn weights() {
    let run = |control: u32, shade: u32, w: f32| {
        let mut registers = surface();
        registers.set(method::SET_SPECULAR_ENABLE, 1);
        registers.set(method::SET_CONTROL0, control);
        registers.set(method::SET_SHADE_MODEL, shade);
        let out = run(&registers, [3.0, 4.0, 0.0, w], [1.0; 4], 5.0);
        let colors = [io::FRONT_DIFFUSE, io::FRONT_SPECULAR, io::BACK_DIFFUSE, io::BACK_SPECULAR];
        let colors = colors.map(|location| out.location(location)[0]);
        assert_eq!(colors, [colors[0]; 4]);
        [colors[0], out.location(io::TEXTURE_0)[3], out.location(io::TEXTURE_0 + 3)[0], out.location(io::FOG)[0]]
    };
    let (smooth, flat) = (0x1D01, 0x1D00);
    for w in [0.25, 1.0, 8.0, -2.0] {
        assert_eq!(run(PERSPECTIVE, smooth, w), [1.0, 5.0, 5.0, 5.0]);
        assert_eq!(run(0, smooth, w), [w, 5.0 * w, 5.0 * w, 5.0 * w]);
        assert_eq!(run(0, flat, w), [1.0, 5.0 * w, 5.0 * w, 5.0 * w]);
    }
    let least = 1.0 / (1u64 << 40) as f32;
    assert_eq!(run(0, smooth, 0.0)[0], least, "w is what the position has");
}

#[test]
fn point_sizes() {
    let mut registers = surface();
    registers.set(method::SET_POINT_SIZE, 20);
    let size = |registers: &Registers, own: f32| run(registers, [0.0; 4], [0.0; 4], own).at(OutputAt::PointSize)[0];
    let edge = 1.0 / 16.0;
    assert_eq!(size(&registers, 9.0), 2.5 + edge, "a program's size does not count");
    registers.set(method::SET_POINT_PARAMS_ENABLE, 1);
    for (own, drawn) in [(0.0, 1.0), (8.1, 8.0), (16.0, 16.0)] {
        assert_eq!(size(&registers, own), drawn, "{own}");
    }
    for (own, drawn) in [(1.2, 1.125), (6.0, 6.0), (9.0, 9.0), (900.0, 63.875)] {
        assert_eq!(size(&registers, own), drawn + edge, "{own}");
    }
}
