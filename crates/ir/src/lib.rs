//! SSA shader IR: types, the opcode table, builder, text printer and parser, verifier, control-flow utilities.
//!
//! `docs/ir.md` is the introduction; [`Builder`] is where front ends begin and [`OPCODES`] is the truth about opcodes.
#![forbid(unsafe_code)]

mod builder;
mod entity;
mod module;
mod opcode;
mod table;
mod types;

pub use builder::{BuildError, Builder};
pub use entity::{Bank, Input, Inst, Output, Region, Texture, Value, Var};
pub use module::*;
pub use opcode::{Flags, ImmKind, Meaning, OPCODES, Op, OpInfo, Pattern};
pub use types::{Kind, Mask, Swizzle, Type};
