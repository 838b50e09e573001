//! What is written compiles and computes what the IR says. One program, since each would compile the judge.

mod bindings;
mod bribes;
mod damage;
mod filetests;
#[path = "../judge/mod.rs"]
mod judge;
mod opcodes;
#[path = "../../../interp/tests/operands/mod.rs"]
mod operands;
mod random;
#[path = "../world/mod.rs"]
mod world;
