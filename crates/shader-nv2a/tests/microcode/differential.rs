//! Random programs: the translation, run by the interpreter, against the CPU.

use crate::{Inputs, differences, interpret, scenery};
use afterimage_shader_nv2a::run::Constants;
use afterimage_shader_nv2a::{Program, assemble, generate, lift, run};
use proptest::prelude::*;

/// Numbers that special rules are for.
const SPECIAL: [u32; 18] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_0000,
    0x7F80_0001,
    0x7F7F_FFFF,
    0xFF7F_FFFF,
    0x0080_0000,
    0x8080_0000,
    0x007F_FFFF,
    0x8000_0001,
    0x4300_0000,
    0xC2FC_0000,
    0x1F80_0000,
];

fn number() -> impl Strategy<Value = f32> {
    prop_oneof![
        3 => -8.0f32..8.0,
        2 => (-200i32..200).prop_map(|n| n as f32),
        2 => prop::sample::select(SPECIAL.to_vec()).prop_map(f32::from_bits),
        1 => any::<u32>().prop_map(f32::from_bits),
    ]
}

fn vectors() -> impl Strategy<Value = Vec<[f32; 4]>> {
    prop::collection::vec(prop::array::uniform4(number()), 16)
}

/// Constants: the given ones over and over, without denormals, which are zeros before they are uploaded.
fn constants(vectors: &[[f32; 4]]) -> Constants {
    let normal = |x: f32| if x.is_subnormal() { 1f32.to_bits() } else { x.to_bits() };
    std::array::from_fn(|slot| vectors[slot % vectors.len()].map(normal))
}

fn check(program: &Program, inputs: &Inputs, constants: &Constants) -> Result<(), TestCaseError> {
    let mut memory = *constants;
    let expected = run(program, inputs, &mut memory, false);
    prop_assert_eq!(&memory, constants, "constants change only where they may");
    let found = interpret(program, inputs, constants);
    prop_assert_eq!(differences(&found, &expected), vec![], "{}", program);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn translations_compute_what_the_cpu_does(
        bytes in prop::collection::vec(any::<u8>(), 16..16 * 24),
        inputs in vectors(),
        values in vectors(),
    ) {
        let program = generate(&bytes);
        check(&program, &std::array::from_fn(|n| inputs[n]), &constants(&values))?;
    }

    /// One opcode at a time, so that special values are not lost on their way through a program.
    #[test]
    fn each_opcode_computes_what_the_cpu_does(word in any::<[u8; 16]>(), inputs in vectors(), values in vectors()) {
        let program = generate(&word);
        check(&program, &std::array::from_fn(|n| inputs[n]), &constants(&values))?;
    }

    #[test]
    fn every_program_has_text_and_bytes(bytes in prop::collection::vec(any::<u8>(), 16..16 * 40)) {
        let program = generate(&bytes);
        let text = program.to_string();
        prop_assert_eq!(assemble(&text), Ok(program.clone()), "{}", text);
        let words: Vec<_> = program.words().collect();
        prop_assert_eq!(Program::parse(&words, 0), Ok(program.clone()));
        prop_assert_eq!(Program::from_bytes(&program.to_bytes()), Ok(program.clone()));
        let module = lift(&program).expect("translates");
        prop_assert_eq!(afterimage_ir::verify(&module), Ok(()));
    }
}

#[test]
fn outputs_pass_through() {
    let (inputs, mut constants) = scenery();
    let outputs = run(&Program::pass_through(), &inputs, &mut constants, false);
    let (again, given) = (outputs.attributes(), inputs);
    for number in (0..16).filter(|n| ![1, 2, 13, 14, 15].contains(n)) {
        let lanes = if number == 5 { 1 } else { 4 };
        assert_eq!(again[number][..lanes], given[number][..lanes]);
    }
}
