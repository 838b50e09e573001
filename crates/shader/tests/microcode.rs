//! What the driver computes for NV2A transform microcode, against the CPU: each opcode with the numbers that special rules are
//! for, and random programs.

#[path = "../../spirv/tests/gpu/mod.rs"]
mod gpu;

use afterimage_shader_nv2a::run::Constants;
use afterimage_shader_nv2a::tables::{Ilu, Mac, Output};
use afterimage_shader_nv2a::{Program, assemble, generate, output_registers, run};
use gpu::{Gpu, INPUTS};

/// As many outputs as every Vulkan device that we know has colour targets.
const OUTPUTS: [Output; 8] = [
    Output::Position,
    Output::FrontDiffuse,
    Output::FrontSpecular,
    Output::BackDiffuse,
    Output::BackSpecular,
    Output::Texture0,
    Output::Texture1,
    Output::Texture2,
];
const SPECIAL: [u32; 16] = [
    0,
    0x8000_0000,
    0x3F80_0000,
    0xBF80_0000,
    0x7F80_0000,
    0xFF80_0000,
    0x7FC0_0000,
    0xFFC0_0000,
    0x7F7F_FFFF,
    0x0080_0000,
    0x007F_FFFF,
    0x8000_0001,
    0x4100_0000,
    0xC0E8_0000,
    0x3E40_0000,
    0x42C8_0000,
];
/// Random programs; each makes a pipeline.
const PROGRAMS: u32 = 48;

/// Vulkan lets a driver be a little off with what is not a sum, a product or a comparison, and drop denormals.
fn near(got: f32, expected: f32) -> bool {
    got == expected
        || got.is_nan() && expected.is_nan()
        || (got - expected).abs() <= f32::MIN_POSITIVE.max(expected.abs() * 2e-5)
}

fn check(gpu: &Gpu, program: &Program, inputs: &[[f32; 4]; 16], constants: &mut Constants) {
    let colors = gpu.evaluate(output_registers(program, OUTPUTS).expect("builds"), |bank, index| match bank {
        INPUTS => inputs[index].map(f32::to_bits),
        _ => constants[index],
    });
    let expected = run(program, inputs, constants, false);
    for (output, color) in OUTPUTS.into_iter().zip(colors) {
        let (got, expected) = (color.map(f32::from_bits), expected.get(output));
        let same = got.iter().zip(expected).all(|(got, expected)| near(*got, expected));
        assert!(same, "{}: {got:?} instead of {expected:?} of\n{program}{inputs:?}", output.name());
    }
}

#[test]
fn opcodes() {
    let gpu = Gpu::new();
    let special = |at: usize| f32::from_bits(SPECIAL[at % SPECIAL.len()]);
    // Every special number meets every other: v[n] has four in a row, c[n] the same, moved on by the round.
    for mac in Mac::ALL.iter().filter(|mac| !matches!(mac, Mac::Nop | Mac::Arl)) {
        for round in 0..4 {
            let inputs = std::array::from_fn(|n| std::array::from_fn(|lane| special(4 * n + lane)));
            let mut constants = std::array::from_fn(|n| {
                std::array::from_fn(|lane| special(4 * (n / 4) + lane * (1 + n % 4)).to_bits())
            });
            let line = |(n, output): (usize, &Output)| {
                let (name, output, sources) = (mac.name(), output.name(), mac.sources().len());
                let c = 4 * (n + 2 * round) + round;
                let sources = [format!("v{n}"), format!("c[{c}].wzyx"), format!("c[{c}]")][..sources].join(", ");
                format!("{name} {output}, {sources}\n")
            };
            let text: String = OUTPUTS.iter().enumerate().map(line).collect();
            check(&gpu, &assemble(&text).expect("assembles"), &inputs, &mut constants);
        }
    }
    for ilu in Ilu::ALL.iter().filter(|ilu| !matches!(ilu, Ilu::Nop | Ilu::Mov)) {
        for round in 0..2 {
            let inputs = std::array::from_fn(|n| {
                let n = n + 8 * round;
                [special(n), special(3 * n + 2), 0.0, special(5 * n + 12)]
            });
            let line = |(n, output): (usize, &Output)| format!("{} {}, v{n}\n", ilu.name(), output.name());
            let text: String = OUTPUTS.iter().enumerate().map(line).collect();
            check(&gpu, &assemble(&text).expect("assembles"), &inputs, &mut [[0; 4]; 192]);
        }
    }
}

#[test]
fn programs() {
    let gpu = Gpu::new();
    let mut state = 1u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    for _ in 0..PROGRAMS {
        let bytes: Vec<u8> = (0..16 * 12).map(|_| random() as u8).collect();
        let program = generate(&bytes);
        // What is small stays small, so that rounding does not grow.
        let harmless = |i: &&afterimage_shader_nv2a::instruction::Instruction| {
            matches!(i.ilu, Ilu::Nop | Ilu::Mov | Ilu::Rcc) && !matches!(i.mac, Mac::Slt | Mac::Sge | Mac::Arl)
        };
        let instructions = program.instructions.iter().filter(harmless).copied().collect();
        let mut number = || (random() % 4096) as f32 / 1024.0 - 2.0;
        let inputs = std::array::from_fn(|_| std::array::from_fn(|_| number()));
        let mut constants = std::array::from_fn(|_| std::array::from_fn(|_| number().to_bits()));
        check(&gpu, &Program { instructions, flags: 0 }, &inputs, &mut constants);
    }
}
