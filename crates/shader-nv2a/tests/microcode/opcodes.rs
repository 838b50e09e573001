//! What opcodes compute, special values included. The expected values are those of envytools' model of the NV20
//! (`nvhw/xf.c`, `nvhw/fp.c`), which was held against the hardware.

use crate::{Inputs, differences, interpret, scenery};
use afterimage_shader_nv2a::run::Constants;
use afterimage_shader_nv2a::tables::Output;
use afterimage_shader_nv2a::{assemble, run};

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
const DENORMAL: f32 = f32::from_bits(1);
const FAR: f32 = f32::from_bits(0x5F80_0000);
const NEAR: f32 = f32::from_bits(0x1F80_0000);

/// Runs `text` on v0, v1 and v2 both ways; gives oT0.
fn compute(text: &str, sources: [[f32; 4]; 3]) -> [f32; 4] {
    let (mut inputs, mut constants): (Inputs, Constants) = scenery();
    inputs[..3].copy_from_slice(&sources);
    let program = assemble(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let translated = interpret(&program, &inputs, &constants);
    let outputs = run(&program, &inputs, &mut constants, false);
    assert_eq!(differences(&translated, &outputs), [], "{text}");
    outputs.get(Output::Texture0)
}

fn same(a: f32, b: f32) -> bool {
    a.is_nan() && b.is_nan() || a.to_bits() == b.to_bits()
}

/// Loads v1 and v2 into R1 and R2, since an instruction reads one input.
fn mac(line: &str, a: [f32; 4], b: [f32; 4], c: [f32; 4]) -> [f32; 4] {
    compute(&format!("mov R1, v1\nmov R2, v2\n{line}"), [a, b, c])
}

#[test]
fn products_of_zero_are_zero() {
    let cases = [
        (0.0, INF, 0.0),
        (-0.0, INF, 0.0),
        (NAN, 0.0, 0.0),
        (DENORMAL, INF, 0.0),
        (-INF, -DENORMAL, 0.0),
        (-3.0, 0.0, 0.0),
        (-3.0, -0.0, 0.0),
        (INF, -2.0, -INF),
        (NAN, 2.0, NAN),
        (3.0, 0.5, 1.5),
    ];
    for (a, b, expected) in cases {
        let found = mac("mul oT0, v0, R1", [a; 4], [b; 4], [0.0; 4]);
        assert!(found.iter().all(|x| same(*x, expected)), "{a} * {b} = {found:?}");
        let found = mac("dp4 oT0, v0, R1", [a, 0.0, 0.0, 0.0], [b; 4], [0.0; 4]);
        assert!(found.iter().all(|x| same(*x, expected)), "dot {a} {b} = {found:?}");
        let found = mac("mad oT0, v0, R1, R2", [a; 4], [b; 4], [1.0; 4]);
        assert!(found.iter().all(|x| same(*x, expected + 1.0)), "{a} * {b} + 1 = {found:?}");
    }
}

#[test]
fn sums_and_dot_products() {
    let (a, b, c) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [0.5, 0.25, -1.0, 9.0]);
    assert_eq!(mac("add oT0, v0, R2", a, b, c), [1.5, 2.25, 2.0, 13.0]);
    assert_eq!(mac("mad oT0, v0, R1, R2", a, b, c), [5.5, 12.25, 20.0, 41.0]);
    assert_eq!(mac("dp3 oT0, v0, R1", a, b, c), [38.0; 4]);
    assert_eq!(mac("dph oT0, v0, R1", a, b, c), [46.0; 4]);
    assert_eq!(mac("dp4 oT0, v0, R1", a, b, c), [70.0; 4]);
    assert_eq!(mac("dst oT0, v0, R1", a, b, c), [1.0, 12.0, 3.0, 8.0]);
    assert_eq!(mac("mov oT0, -v0.wzyx", a, b, c), [-4.0, -3.0, -2.0, -1.0]);
}

#[test]
fn comparisons_go_by_sign_and_magnitude() {
    // The least first.
    let order = [-NAN, -INF, -1.0, -0.0, 0.0, 1.0, INF, NAN].map(|x: f32| match x.is_nan() {
        true => f32::from_bits(0x7FC0_0000 | x.to_bits() & 1 << 31),
        false => x,
    });
    for (i, &a) in order.iter().enumerate() {
        for (j, &b) in order.iter().enumerate() {
            let truth = |condition: bool| f32::from(u8::from(condition));
            let expect = |op: &str, expected: f32| {
                let found = mac(&format!("{op} oT0, v0, R1"), [a; 4], [b; 4], [0.0; 4])[0];
                assert!(same(found, expected), "{op} {a} {b} = {found}");
            };
            expect("slt", truth(i < j));
            expect("sge", truth(i >= j));
            expect("min", order[i.min(j)]);
            expect("max", order[i.max(j)]);
        }
    }
}

#[test]
fn reciprocals_and_roots() {
    let ilu = |op: &str, x: f32| compute(&format!("{op} oT0, v0.x"), [[x; 4]; 3])[0];
    let cases = [
        ("rcp", 4.0, 0.25),
        ("rcp", 0.0, INF),
        ("rcp", -0.0, -INF),
        ("rcp", DENORMAL, INF),
        ("rcp", -INF, -0.0),
        ("rcp", NAN, NAN),
        ("rcc", -4.0, -0.25),
        ("rcc", 0.0, FAR),
        ("rcc", -0.0, -FAR),
        ("rcc", INF, NEAR),
        ("rcc", -1e30, -NEAR),
        ("rcc", 1e-30, FAR),
        ("rcc", NAN, NAN),
        ("rsq", 4.0, 0.5),
        ("rsq", -4.0, 0.5),
        ("rsq", 0.0, INF),
        ("rsq", -0.0, INF),
        ("rsq", INF, 0.0),
        ("rsq", NAN, NAN),
    ];
    for (op, x, expected) in cases {
        let found = ilu(op, x);
        assert!(same(found, expected), "{op} {x} = {found}");
    }
}

#[test]
fn powers_logarithms_and_light() {
    let ilu = |op: &str, source: [f32; 4]| compute(&format!("{op} oT0, v0"), [source; 3]);
    let cases = [
        ("exp", [2.5, 0.0, 0.0, 0.0], [4.0, 0.5, 2.5f32.exp2(), 1.0]),
        ("exp", [-0.25, 0.0, 0.0, 0.0], [0.5, 0.75, (-0.25f32).exp2(), 1.0]),
        ("exp", [INF, 0.0, 0.0, 0.0], [INF, 0.0, INF, 1.0]),
        ("exp", [-INF, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]),
        ("log", [-10.0, 0.0, 0.0, 0.0], [3.0, 1.25, 10f32.log2(), 1.0]),
        ("log", [0.375, 0.0, 0.0, 0.0], [-2.0, 1.5, 0.375f32.log2(), 1.0]),
        ("log", [-0.0, 0.0, 0.0, 0.0], [-INF, 1.0, -INF, 1.0]),
        ("log", [DENORMAL, 0.0, 0.0, 0.0], [-INF, 1.0, -INF, 1.0]),
        ("log", [-INF, 0.0, 0.0, 0.0], [INF, 1.0, INF, 1.0]),
        ("lit", [0.5, 0.5, 0.0, 2.0], [1.0, 0.5, 0.25, 1.0]),
        ("lit", [-1.0, 0.5, 0.0, 2.0], [1.0, 0.0, 0.0, 1.0]),
        ("lit", [-0.0, 0.5, 0.0, 2.0], [1.0, 0.0, 0.0, 1.0]),
        ("lit", [1.0, -0.5, 0.0, 2.0], [1.0, 1.0, 0.0, 1.0]),
        ("lit", [1.0, -0.5, 0.0, -2.0], [1.0, 1.0, INF, 1.0]),
        ("lit", [1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 1.0, 1.0]),
        ("lit", [1.0, NAN, 0.0, 2.0], [1.0, 1.0, NAN, 1.0]),
        ("lit", [1.0, INF, 0.0, -1.0], [1.0, 1.0, 0.0, 1.0]),
        ("lit", [2.0, 2.0, 0.0, 500.0], [1.0, 2.0, (128.0 - 1.0 / 8192.0f32).exp2(), 1.0]),
    ];
    for (op, source, expected) in cases {
        let found = ilu(op, source);
        assert!(found.iter().zip(expected).all(|(a, b)| same(*a, b)), "{op} {source:?} = {found:?}");
    }
}

#[test]
fn pairs_read_before_they_write() {
    let [a, b] = [[1.0, 2.0, 3.0, 4.0], [0.5, 0.25, 0.125, 1.0]];
    // The MAC's result and the old R1 both come through.
    let text = "mov R1, v0\nmov R0, v1\nadd R0, v1, R1 + rcp R1.x, R1.x\nadd oT0, R0, R1";
    assert_eq!(compute(text, [a, b, a]), [2.5, 4.25, 6.125, 9.0]);
    // R12 is the position, and reads what it was.
    let text = "mov oPos, v0\nadd oPos.xyz, R12, v1 + mov R1, v1\nmov oT0, R12";
    let text = text.replace("+ mov R1, v1", "");
    assert_eq!(compute(&text, [a, b, a]), [1.5, 2.25, 3.125, 4.0]);
    let text = "mul R12, v0, v0.x\nmov oT0, R12.wzyx";
    assert_eq!(compute(text, [a, b, a]), [4.0, 3.0, 2.0, 1.0]);
}

#[test]
fn addresses_round_down_and_reach_zeros() {
    let at = |x: f32| compute("arl A0.x, v0.x\nmov oT0, c[A0.x + 10]", [[x; 4]; 3])[0];
    assert_eq!([at(3.0), at(3.9), at(-0.5), at(2.9995)], [13.0, 13.0, 9.0, 13.0]);
    assert_eq!(
        [at(-10.0), at(-11.0), at(181.0), at(182.0), at(1e30), at(-INF), at(NAN)],
        [0.0, 0.0, 191.0, 0.0, 0.0, 0.0, 10.0]
    );
    assert_eq!(compute("mov A0.x, v0.y\nmov oT0, c[A0.x + 255].x", [[0.0, -250.0, 0.0, 0.0]; 3]), [5.0; 4]);
}

#[test]
fn fog_takes_the_first_component() {
    let fog = |text: &str| {
        let (inputs, mut constants) = scenery();
        let program = assemble(text).expect("assembles");
        assert_eq!(
            differences(&interpret(&program, &inputs, &constants), &run(&program, &inputs, &mut constants, false)),
            []
        );
        run(&program, &inputs, &mut constants, false).get(Output::Fog)[0]
    };
    assert_eq!(fog("mov oFog.w, c[7].w"), 2.0);
    assert_eq!(fog("mov oFog.yzw, c[7].yzw"), 7.25);
    assert_eq!(fog("mov oFog, c[7]"), 7.0);
    assert_eq!(fog("mov oT0, c[7]"), 0.0);
}

#[test]
fn constants_stay_where_they_may_be_written() {
    let (inputs, mut constants) = scenery();
    let program = assemble("add c[3].xy, v0, c[3]\nmov oT0, c[3]").expect("assembles");
    assert!(program.writes_constants());
    assert_eq!(run(&program, &inputs, &mut constants, false).get(Output::Texture0), [3.0, 3.25, -2.0, 2.0]);
    assert_eq!(run(&program, &inputs, &mut constants, true).get(Output::Texture0), [4.0, 1.25, -2.0, 2.0]);
    assert_eq!(run(&program, &inputs, &mut constants, true).get(Output::Texture0), [5.0, -0.75, -2.0, 2.0]);
    assert_eq!(constants[3].map(f32::from_bits), [5.0, -0.75, -2.0, 2.0]);
}
