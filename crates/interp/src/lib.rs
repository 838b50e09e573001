//! Reference interpreter of the IR: the oracle that every back end and every pass is tested against.
//!
//! It runs all lanes of a work group in step, or four: a quad of pixels (upper left, upper right, lower left, lower right), so that derivatives have
//! their neighbours, or up to four vertices. Lanes that are not covered, or were thrown away, run as helpers: they compute as if
//! nothing had happened, and what they store is in the outcome beside the mark that says not to use it. Where control flow is
//! divergent, a derivative takes what the neighbour computed for the operand last, or zero.
//!
//! A geometry shader runs for one primitive at a time, in one lane.
//!
//! Lanes store and count in rising order. What several lanes do to one place is thus one of the results that a device may have.
//!
//! What a scalar opcode computes is not written here but in the opcode table.
#![forbid(unsafe_code)]

mod active;
mod environment;
mod geometry;
mod memory;
mod races;
mod run;
mod wave;

pub use environment::{Environment, Lod, NoEnvironment, SampleArgs};
pub use geometry::{Emitted, Strip, Vertex};
pub use run::{Group, Interpreter, Outcome, RunError};

/// Lanes of a quad of pixels.
pub const LANES: usize = 4;

/// Bits of a value in every lane.
pub type Lanes = [[u32; 4]; LANES];

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
