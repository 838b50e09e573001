//! Passes over the IR, one file per pass, and the pipeline function.
//!
//! Each file's header has the pass's precondition and its promise. What all promise: a pass may not change what the interpreter
//! computes.
#![forbid(unsafe_code)]

pub mod clip_varyings;
pub mod conditions;
pub mod control_flow;
pub mod cse;
pub mod dce;
mod demand;
mod facts;
pub mod feedback;
pub mod float_rules;
pub mod fold;
pub mod guest_waves;
pub mod lanes;
mod lockstep;
pub mod outputs;
mod pipeline;
pub mod point_size;
pub mod rectangles;
mod rewrite;
pub mod simplify;
pub mod ssa;
pub mod types;
pub mod wave_order;

pub use float_rules::FloatRules;
pub use pipeline::{Options, optimize, optimize_observed};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
