//! Tests of transform microcode: text and words, what the opcodes compute, and that the translation computes what the CPU does.
#![allow(unreachable_pub, reason = "the modules of a test are its own")]

mod captures;
mod differential;
mod malformed;
mod opcodes;
mod programs;
mod recorded;
mod text;

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl};
use afterimage_shader_nv2a::banks::Bank;
use afterimage_shader_nv2a::run::Constants;
use afterimage_shader_nv2a::tables::Output;
use afterimage_shader_nv2a::{Outputs, Program, output_registers};

/// The 16 attributes of a vertex.
type Inputs = [[f32; 4]; 16];

struct World<'a> {
    inputs: &'a Inputs,
    constants: &'a Constants,
}

impl Environment for World<'_> {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => self.inputs[usize::from(location)].map(f32::to_bits),
            _ => panic!("a program reads attributes and nothing else"),
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        assert_eq!(bank.id, Bank::Transform as u8);
        self.constants[index as usize]
    }

    fn sample(&self, _: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        panic!("the vertex engine has no textures")
    }
}

/// What the translation of a program leaves in the output registers.
fn interpret(program: &Program, inputs: &Inputs, constants: &Constants) -> Outputs {
    let module = output_registers(program, Output::ALL.iter().copied()).expect("builds");
    let interpreter = Interpreter::new(&module).expect("valid IR");
    let outcome = interpreter.run(&World { inputs, constants }).expect("ends");
    let mut outputs = Outputs::default();
    for (output, lanes) in Output::ALL.iter().zip(outcome.outputs) {
        outputs.set(*output, lanes[0].map(f32::from_bits));
    }
    outputs
}

/// The registers that differ, all NaN being the same.
fn differences(a: &Outputs, b: &Outputs) -> Vec<(&'static str, [f32; 4], [f32; 4])> {
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    let pairs = Output::ALL.iter().map(|output| (output.name(), a.get(*output), b.get(*output)));
    pairs.filter(|(_, a, b)| a.map(bits) != b.map(bits)).collect()
}

/// Attributes and constants that are easy to tell apart.
fn scenery() -> (Inputs, Constants) {
    let inputs = std::array::from_fn(|n| {
        let n = n as f32;
        [n + 1.0, n * 0.5 - 2.0, -n, 1.0]
    });
    let constants = std::array::from_fn(|n| {
        let n = n as f32;
        [n, n + 0.25, 1.0 - n, 2.0].map(f32::to_bits)
    });
    (inputs, constants)
}
