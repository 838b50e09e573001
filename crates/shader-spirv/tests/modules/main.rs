//! What becomes of modules: how they are read, what is refused, and what they compute. One program, since each would compile the reader.

mod bound;
mod grammar;
#[path = "../../../spirv/tests/judges/mod.rs"]
mod judges;
mod lift;
mod programs;
mod refusals;
mod round_trip;
#[path = "../shaders/mod.rs"]
mod shaders;
