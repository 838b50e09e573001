//! Instructions to IR.
//!
//! Every guest register becomes an IR variable; the `ssa` pass turns them into values. Subroutines are inlined, so the
//! IR has none. What a shader's surroundings add (alpha test, fog, clip planes) is appended by `epilogue`.
//!
//! * `operand`: reading sources, writing destinations, with swizzles, modifiers, masks, predicates.
//! * `arithmetic`: opcodes that compute one value from their sources.
//! * `texture`, `texture_1`: opcodes that sample or discard; those of ps_1_x.
//! * `flow`: branches, loops, calls.
//! * `interface`: declarations, inputs at the start and outputs at the end.

mod arithmetic;
mod flow;
pub(crate) mod interface;
mod operand;
mod texture;
mod texture_1;

use crate::error::ParseError;
use crate::instruction::Instruction;
use crate::io::RuntimeInfo;
use crate::parse::Program;
use crate::signature::Signature;
use crate::tables::{Flow, Opcode, RegisterType, Stage};
use afterimage_ir::{self as ir, BuildError, Builder, Module, Value, Var};
use rustc_hash::FxHashMap;

/// Why a shader has no IR.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiftError {
    /// The tokens are no shader.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// An instruction that cannot be translated.
    #[error("token {offset} ({opcode}): {kind}")]
    Instruction {
        /// Place in tokens.
        offset: u32,
        /// Mnemonic.
        opcode: &'static str,
        /// Why.
        kind: LiftErrorKind,
    },
    /// The IR was not well formed.
    #[error("the shader's structure: {0}")]
    Build(#[from] BuildError),
}

/// Why an instruction cannot be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LiftErrorKind {
    /// The opcode is known but not translated.
    #[error("this opcode is not translated in this version")]
    Unsupported,
    /// A call of a label that does not exist.
    #[error("there is no label l{0}")]
    UndefinedLabel(u16),
    /// Calls too deep, or recursion.
    #[error("subroutines are nested deeper than {}", flow::MAX_CALLS)]
    CallDepth,
    /// Too many instructions after inlining.
    #[error("more than {MAX_LIFTED} instructions with subroutines inlined")]
    TooComplex,
}

/// Most instructions of a shader with its subroutines inlined; the models execute at most 65,536.
pub const MAX_LIFTED: u32 = 1 << 16;

/// `t#` of ps_1_0 to ps_1_3.
const COORDINATES: usize = 4;

/// Translates a shader to IR.
///
/// # Errors
/// The first token or instruction that is wrong or not supported.
pub fn lift(tokens: &[u32], runtime: &RuntimeInfo) -> Result<Module, LiftError> {
    let program = Program::parse(tokens)?;
    lift_program(&program, &Signature::of(&program), runtime)
}

/// Translates a shader that has been parsed already.
///
/// # Errors
/// The first instruction that is not supported.
pub fn lift_program(program: &Program, signature: &Signature, runtime: &RuntimeInfo) -> Result<Module, LiftError> {
    let stage = match program.version.stage {
        Stage::Vertex => ir::Stage::Vertex,
        Stage::Pixel => ir::Stage::Pixel,
    };
    let mut b = Builder::new(stage);
    b.set_name(&program.version.to_string());
    let mut lifter = Lifter {
        b,
        program,
        signature,
        runtime,
        registers: FxHashMap::default(),
        constants: interface::Constants::default(),
        samplers: [None; interface::SAMPLERS],
        output_array: None,
        input_array: None,
        loops: Vec::new(),
        coordinates: [None; COORDINATES],
        pads: Vec::new(),
        labels: flow::labels(program),
        calls: 0,
        lifted: 0,
    };
    lifter.declare();
    lifter.run(0).map_err(|(at, kind)| {
        let instruction = &program.instructions[at];
        LiftError::Instruction { offset: instruction.offset, opcode: instruction.op.info().name, kind }
    })?;
    lifter.finish();
    Ok(lifter.b.finish()?)
}

/// An error with the index of the instruction.
type Failure = (usize, LiftErrorKind);

struct Lifter<'a> {
    b: Builder,
    program: &'a Program,
    signature: &'a Signature,
    runtime: &'a RuntimeInfo,
    /// Variables of the registers that have been named so far.
    registers: FxHashMap<(RegisterType, u16), Var>,
    constants: interface::Constants,
    samplers: [Option<ir::Texture>; interface::SAMPLERS],
    /// All `o#` of a shader that addresses one of them by `aL`.
    output_array: Option<Var>,
    /// All `v#` of a shader that addresses one of them by `aL` or `a0`.
    input_array: Option<Var>,
    loops: Vec<flow::LoopFrame>,
    /// What the vertices give the `t#` of ps_1_0 to ps_1_3, which texture opcodes go by.
    coordinates: [Option<Value>; COORDINATES],
    /// What the `pad` opcodes of ps_1_x have computed: a dot product and the coordinate's fourth component each.
    pads: Vec<(Value, Value)>,
    /// Places of the labels.
    labels: FxHashMap<u16, usize>,
    calls: u32,
    lifted: u32,
}

impl Lifter<'_> {
    /// Translates from instruction `start` to the next `ret`, or to the end.
    fn run(&mut self, start: usize) -> Result<(), Failure> {
        let program = self.program;
        let mut at = start;
        while let Some(instruction) = program.instructions.get(at) {
            let fail = |kind| (at, kind);
            self.lifted += 1;
            if self.lifted > MAX_LIFTED {
                return Err(fail(LiftErrorKind::TooComplex));
            }
            match instruction.op {
                Opcode::Ret | Opcode::Label => return Ok(()),
                _ if instruction.op.info().flow != Flow::None => self.flow(at, instruction)?,
                _ => {
                    // A co-issued instruction runs beside the one before: both read before either writes.
                    let partner = program.instructions.get(at + 1).filter(|next| next.coissue);
                    let value = self.arithmetic(instruction).map_err(fail)?;
                    if let Some(partner) = partner {
                        let second = self.arithmetic(partner).map_err(|kind| (at + 1, kind))?;
                        self.finish_instruction(instruction, value).map_err(fail)?;
                        self.finish_instruction(partner, second).map_err(|kind| (at + 1, kind))?;
                        at += 1;
                    } else {
                        self.finish_instruction(instruction, value).map_err(fail)?;
                    }
                }
            }
            at += 1;
        }
        Ok(())
    }

    fn finish_instruction(&mut self, instruction: &Instruction, value: Option<Value>) -> Result<(), LiftErrorKind> {
        match (value, &instruction.dst) {
            (Some(value), Some(dst)) => self.write(instruction, dst, value),
            _ => Ok(()),
        }
    }
}
