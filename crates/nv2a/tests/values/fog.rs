//! Fog: every curve, with every source of its coordinate, of the fixed function and of programs.

use super::{picture, rectangle, rig::Rig, source};
use afterimage_nv2a_types::{context, method};

const SIZE: u32 = 8;
/// Rows have these coordinates.
const COORDINATES: [f32; 8] = [-2.0, -0.75, -0.25, 0.0, 0.125, 0.5, 0.75, 2.0];
/// `SET_FOG_MODE`, whether the curve is straight, and what grows without sign.
const CURVES: [(u32, Curve, Sign); 6] = [
    (0x2601, Curve::Straight, Sign::Kept),
    (0x800, Curve::Exp, Sign::Kept),
    (0x801, Curve::Exp2, Sign::OfDistance),
    (0x802, Curve::Exp, Sign::OfDistance),
    (0x803, Curve::Exp2, Sign::OfDistance),
    (0x804, Curve::Straight, Sign::OfCoordinate),
];
const SPECULAR_ALPHA: u32 = 0;
const RADIAL: u32 = 1;
const ABS_PLANAR: u32 = 3;
const FOG_COORDINATE: u32 = 6;

#[derive(Clone, Copy, PartialEq)]
enum Curve {
    Straight,
    Exp,
    Exp2,
}

#[derive(Clone, Copy, PartialEq)]
enum Sign {
    Kept,
    OfDistance,
    OfCoordinate,
}

/// How much of a pixel's own colour is left.
fn left(curve: Curve, sign: Sign, bias: f32, multiplier: f32, coordinate: f32) -> f32 {
    if coordinate.is_infinite() {
        return if curve == Curve::Straight || sign == Sign::Kept { 1.0 } else { 0.0 };
    }
    let coordinate = if sign == Sign::OfCoordinate { coordinate.abs() } else { coordinate };
    let x = bias + multiplier * coordinate;
    let distance = if curve == Curve::Straight { 2.0 } else { 1.5 } - x;
    let distance = if sign == Sign::OfDistance { distance.abs() } else { distance.max(0.0) };
    match curve {
        Curve::Straight => (1.0 - distance).max(0.0),
        Curve::Exp => (-16.0 * distance).exp2(),
        Curve::Exp2 => (-32.0 * distance * distance).exp2(),
    }
}

/// The coordinate that a row has by `SET_FOG_GEN_MODE`.
fn coordinate(mode: u32, program: bool, given: f32) -> f32 {
    match mode {
        RADIAL if program => f32::INFINITY,
        _ if program => given,
        SPECULAR_ALPHA => given.clamp(0.0, 1.0),
        RADIAL | ABS_PLANAR => given.abs(),
        _ => given,
    }
}

#[test]
fn every_curve_from_every_source() {
    let mut rig = Rig::on_screen(SIZE, source::FOG);
    rig.set(method::SET_FOG_ENABLE, 1);
    rig.set(method::SET_FOG_COLOR, 0x0012_3456);
    // Of a vertex of the fixed function x and y are on the screen, z is in front of the eye.
    let rows = [
        (context::COMPOSITE_MATRIX.slot, [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0; 4], [0.0, 0.0, 0.0, 1.0]]),
        (context::MODEL_VIEW_0.slot, [[0.0; 4], [0.0; 4], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]]),
    ];
    for (slot, row) in rows.into_iter().flat_map(|(first, rows)| (usize::from(first)..).zip(rows)) {
        rig.kelvin.registers.set_constants(slot, 0, &row.map(f32::to_bits));
    }
    rig.kelvin.registers.set_constants(context::FOG_PLANE.slot.into(), 0, &[0.0f32, 0.0, 1.0, 0.0].map(f32::to_bits));
    for program in [false, true] {
        rig.set(method::SET_TRANSFORM_EXECUTION_MODE, if program { 6 } else { 4 });
        for generation in [SPECULAR_ALPHA, RADIAL, 2, ABS_PLANAR, FOG_COORDINATE] {
            rig.set(method::SET_FOG_GEN_MODE, generation);
            for (mode, curve, sign) in CURVES {
                rig.set(method::SET_FOG_MODE, mode);
                for (bias, multiplier) in [(2.0, -0.5), (2.0, 0.5), (1.5, -0.25), (1.5, 0.25), (1.75, 0.0)] {
                    rig.set(method::SET_FOG_PARAMS, f32::to_bits(bias));
                    rig.set(method::SET_FOG_PARAMS + 4, f32::to_bits(multiplier));
                    for (y, given) in (0..SIZE).zip(COORDINATES) {
                        rectangle(&mut rig, [0.0, y as f32, SIZE as f32, y as f32 + 1.0], |vertex| {
                            vertex[0][2] = if program { 0.0 } else { given };
                            vertex[4] = [0.0, 0.0, 0.0, given];
                            vertex[5] = [given, 0.0, 0.0, 1.0];
                        });
                    }
                    let picture = picture(&mut rig, SIZE);
                    for (y, given) in (0..8).zip(COORDINATES) {
                        let coordinate = coordinate(generation, program, given);
                        // A multiplier of zero makes zero of infinity, but not for the straight curves.
                        let is_off = multiplier == 0.0 && curve != Curve::Straight;
                        let coordinate = if is_off { 0.0 } else { coordinate };
                        let expected = 255.0 * left(curve, sign, bias, multiplier, coordinate);
                        let pixel = picture[y * 8 + 4];
                        let what = format!(
                            "mode {mode:#x} of {generation}, program {program}: {bias} + {multiplier} * {given}"
                        );
                        assert!(((pixel >> 24) as f32 - expected).abs() <= 1.0, "{what}: {pixel:#x}, not {expected}");
                        assert_eq!(pixel & 0xFF_FFFF, 0x56_3412, "the fog's colour");
                    }
                }
            }
        }
    }
    rig.finish();
}
