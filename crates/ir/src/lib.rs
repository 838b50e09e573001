//! SSA shader IR: types, the opcode table, builder, text printer and parser, verifier, control-flow utilities.
#![forbid(unsafe_code)]
