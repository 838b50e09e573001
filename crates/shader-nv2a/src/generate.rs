//! Programs out of arbitrary bytes, and translations that show every output register, for tests and fuzzing.

use crate::instruction::{Instruction, SOURCE_TEMP};
use crate::lift;
use crate::parse::{Program, words_of};
use crate::tables::{self, Output, TEMP_POSITION};
use afterimage_ir::{BuildError, Builder, Module, OutputAt, OutputDecl, Stage, Type};
use afterimage_nv2a_types::{CONSTANT_SLOTS, PROGRAM_SLOTS};

/// A program's translation without the epilogue: output registers at the locations of their numbers.
///
/// # Errors
/// As [`lift::lift`].
pub fn output_registers(program: &Program, outputs: impl IntoIterator<Item = Output>) -> Result<Module, BuildError> {
    let mut b = Builder::new(Stage::Vertex);
    let values = lift::outputs(&mut b, program);
    for output in outputs {
        let decl = OutputDecl {
            name: output.name().to_owned(),
            ty: Type::F32X4,
            at: OutputAt::Location(output as u8),
            semantic: None,
        };
        let at = b.output(decl);
        b.store_output(at, values[output as usize]);
    }
    b.finish()
}

/// A program that parses, decided by `bytes`: 16 an instruction, whose fields are brought into range.
pub fn generate(bytes: &[u8]) -> Program {
    let (rows, _) = bytes.as_chunks::<16>();
    let instructions = rows.iter().take(PROGRAM_SLOTS).filter_map(instruction).collect::<Vec<_>>();
    let nothing = instructions.is_empty().then(Instruction::default);
    Program { instructions: instructions.into_iter().chain(nothing).collect(), flags: 0 }
}

fn instruction(bytes: &[u8; 16]) -> Option<Instruction> {
    let mut words = words_of(bytes);
    // The word without meaning decides what is rare.
    let rare = |bit: u32| words[0] >> bit & 7 == 0;
    let (relative, high_temp) = (rare(0), rare(3));
    for field in [tables::A_SOURCE, tables::B_SOURCE, tables::C_SOURCE] {
        if field.get(&words) == 0 {
            field.set(&mut words, SOURCE_TEMP);
        }
    }
    // Few temporaries, so that results are read again.
    for field in [tables::A_TEMP, tables::B_TEMP, tables::TEMP] {
        let number = field.get(&words);
        field.set(&mut words, if high_temp { number % (TEMP_POSITION + 1) } else { number & 3 });
    }
    tables::C_TEMP_HIGH.set(&mut words, 0);
    tables::RELATIVE.set(&mut words, relative.into());
    for field in [tables::CONSTANT, tables::OUTPUT_ADDRESS] {
        let number = field.get(&words);
        field.set(&mut words, number % CONSTANT_SLOTS as u8);
    }
    if tables::OUTPUT_BANK.get(&words) != 0 {
        let address = usize::from(tables::OUTPUT_ADDRESS.get(&words));
        tables::OUTPUT_ADDRESS.set(&mut words, Output::ALL[address % Output::ALL.len()] as u8);
    }
    Instruction::decode(&words).ok()
}
