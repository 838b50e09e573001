//! Patches that the machine cuts itself: followed to their end, named, and not drawn, whatever comes between.

use crate::rig::{Rig, warnings};
use afterimage_nv2a::machine::PrimitiveKind;
use afterimage_nv2a_types::method::*;

/// Words of a patch of 2 by 3 swatches with attributes 0 and 3, with a transition at one side.
const WORDS: [u32; 4] = [0x4004, 0, 5 << 26 | 17 << 16 | 2 << 8 | 2, 8 << 24 | 4 << 6 | 1];

fn begin(rig: &mut Rig, words: [u32; 4]) {
    rig.push(0, SET_BEGIN_PATCH0, &words);
}

/// A curve of two vectors of coefficients.
fn curve(rig: &mut Rig) {
    rig.push(0, SET_BEGIN_END_CURVE, &[1]);
    for _ in 0..2 {
        rig.push(0, SET_CURVE_COEFFICIENTS, &[f32::NAN, 1.0, f32::INFINITY, -0.0].map(f32::to_bits));
    }
    rig.push(0, SET_BEGIN_END_CURVE, &[0]);
}

#[test]
fn a_patch_is_named_once_and_what_comes_after_it_is_drawn() {
    let mut rig = Rig::new();
    let patch = |rig: &mut Rig| {
        begin(rig, WORDS);
        rig.push(0, SET_BEGIN_END_SWATCH, &[0x1234]);
        curve(rig);
        rig.push(0, SET_BEGIN_END_SWATCH, &[0]);
        rig.push(0, SET_BEGIN_TRANSITION0, &[4, 0, 9]);
        curve(rig);
        rig.push(0, SET_END_TRANSITION, &[0]);
        rig.push(0, SET_END_PATCH, &[0]);
    };
    patch(&mut rig);
    let said = warnings(|| rig.finish());
    assert_eq!(said.lines().count(), 1, "{said}");
    let expected = "SET_END_PATCH 0x1df0: 0x00000000 ends a patch of 2 by 3 swatches with attributes 0 3 \
        (SET_BEGIN_END_SWATCH 2 times, SET_BEGIN_END_CURVE 4, 4 vectors of coefficients, 1 of 1 transitions)";
    assert!(said.contains(expected), "{said}");
    patch(&mut rig);
    rig.push(0, SET_BEGIN_END, &[5]);
    rig.push(0, SET_VERTEX3F, &[0; 3]);
    rig.push(0, SET_BEGIN_END, &[0]);
    assert_eq!(warnings(|| rig.finish()), "");
    assert_eq!(rig.draws().iter().map(|draw| draw.kind).collect::<Vec<_>>(), [PrimitiveKind::Triangles]);
}

#[test]
fn what_is_refused_is_said_with_its_reason_and_ends_with_the_patch() {
    let cases: [(u16, &[u32], &str); 12] = [
        (SET_BEGIN_PATCH0, &[0xFFFF_FFF0], "SET_BEGIN_PATCH0 0x1de0: 0xfffffff0 says nothing of attribute 0"),
        (SET_BEGIN_PATCH2, &[3 << 16], "SET_BEGIN_PATCH2 0x1de8: 0x00030000 has swatches of size 3"),
        (SET_BEGIN_PATCH2, &[4 << 21 | 4 << 16], "leaves 4 for the last swatch, but whole ones have 4"),
        (SET_BEGIN_PATCH3, &[8 << 24 | 1 << 6 | 7], "has transitions 7"),
        (SET_BEGIN_PATCH3, &[8 << 24], "has zero in bits 6 to 9"),
        (SET_BEGIN_PATCH3, &WORDS[3..], "begins a patch of which SET_BEGIN_PATCH0, 1 or 2 says nothing"),
        (
            SET_BEGIN_PATCH0,
            &[4, 0, 4 << 16, 61 << 24 | 1 << 6],
            "has 61 vectors of coefficients, which is not from 2 to 57",
        ),
        (
            SET_BEGIN_PATCH0,
            &[4, 0, 4 << 16, 2 << 24 | 1 << 6 | 3],
            "a patch of 0 rows and 0 columns, whose transitions need 1 and 2",
        ),
        (SET_CURVE_COEFFICIENTS, &[1], "SET_CURVE_COEFFICIENTS 0x1e00: 0x00000001 is outside of a patch"),
        (SET_BEGIN_END_SWATCH, &[1], "SET_BEGIN_END_SWATCH 0x1df4: 0x00000001 is outside of a patch"),
        (SET_BEGIN_END_CURVE, &[1], "SET_BEGIN_END_CURVE 0x1df8: 0x00000001 is outside of a patch"),
        (SET_END_TRANSITION, &[0], "SET_END_TRANSITION 0x1e1c: 0x00000000 is outside of a patch"),
    ];
    for (method, words, reason) in cases {
        let mut rig = Rig::new();
        rig.push(0, method, words);
        // The rest of it is refused too, without a word.
        begin(&mut rig, WORDS);
        curve(&mut rig);
        let said = warnings(|| rig.finish());
        assert!(said.contains(reason) && said.lines().count() == 1, "{reason}: {said}");
        rig.push(0, SET_END_PATCH, &[0]);
        assert_eq!(warnings(|| rig.finish()), "", "{reason}");
        // And the next one is taken.
        begin(&mut rig, WORDS);
        rig.push(0, SET_END_PATCH, &[0]);
        let said = warnings(|| rig.finish());
        assert!(said.contains("ends a patch of 2 by 3 swatches"), "{reason}: {said}");
    }
}

#[test]
fn an_end_takes_zero_and_a_begin_only_comes_once() {
    let mut rig = Rig::new();
    rig.push(0, SET_END_PATCH, &[0]);
    let said = warnings(|| rig.finish());
    assert!(said.contains("SET_END_PATCH 0x1df0: 0x00000000 is outside of a patch"), "{said}");
    for bit in 0..32 {
        let mut rig = Rig::new();
        begin(&mut rig, WORDS);
        rig.push(0, SET_END_PATCH, &[1 << bit]);
        let said = warnings(|| rig.finish());
        assert!(said.contains(&format!("has bits {:#x} set", 1u32 << bit)), "{said}");
        // It is still open.
        rig.push(0, SET_BEGIN_PATCH1, &[0]);
        let said = warnings(|| rig.finish());
        assert!(said.contains("SET_BEGIN_PATCH1 0x1de4: 0x00000000 is said of a patch a second time"), "{said}");
    }
    // A patch that holds nothing has nothing that is not drawn.
    let mut rig = Rig::new();
    begin(&mut rig, [4, 0, 4 << 16, 2 << 24 | 1 << 16 | 1 << 6]);
    rig.push(0, SET_END_PATCH, &[0]);
    assert_eq!(warnings(|| rig.finish()), "");
}

#[test]
fn a_patch_that_never_ends_keeps_nothing_and_stops_nothing() {
    let mut rig = Rig::new();
    begin(&mut rig, WORDS);
    for _ in 0..2000 {
        rig.push(0, SET_CURVE_COEFFICIENTS, &[u32::MAX; 4]);
        rig.push(0, SET_BEGIN_TRANSITION0, &[u32::MAX; 4]);
    }
    rig.push(0, SET_BEGIN_END, &[5]);
    rig.push(0, SET_VERTEX3F, &[0; 3]);
    rig.push(0, SET_BEGIN_END, &[0]);
    rig.finish();
    assert_eq!(rig.draws().len(), 1);
}
