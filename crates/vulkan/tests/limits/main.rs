//! How far a renderer goes: budgets, what it keeps and leaves, guests one after the other, and what the fuzz target found. One program,
//! since each would compile the renderer.

mod bounded;
mod budgets;
#[path = "../common/mod.rs"]
mod common;
mod files;
mod fuzzed;
mod restart;
