//! Reference interpreter of the IR: the oracle that every back end and every pass is tested against.
//!
//! It runs four lanes in step: a quad of pixels (upper left, upper right, lower left, lower right), so that derivatives have
//! their neighbours, or up to four vertices. Lanes that are not covered, or were thrown away, run as helpers: they compute as if
//! nothing had happened, and what they store is in the outcome beside the mark that says not to use it. Where control flow is
//! divergent, a derivative takes what the neighbour computed for the operand last, or zero.
//!
//! What a scalar opcode computes is not written here but in the opcode table.
#![forbid(unsafe_code)]

mod environment;
mod run;

pub use environment::{Environment, Lod, NoEnvironment, SampleArgs};
pub use run::{Interpreter, Outcome, RunError};

/// Lanes that run in step.
pub const LANES: usize = 4;

/// Bits of a value in every lane.
pub type Lanes = [[u32; 4]; LANES];
