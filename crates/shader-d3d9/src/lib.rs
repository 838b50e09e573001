//! Direct3D 9 shader front end: token parser, disassembler, assembler, lifter, fixed function.
#![forbid(unsafe_code)]
