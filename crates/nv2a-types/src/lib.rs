//! Facts of the NV2A's graphics class (Kelvin, 0x97) that the guest, its shader front end and tools share.
//!
//! * [`methods`] is the one table of Kelvin methods: a row is offset, name, repetition, format of the argument, the groups that read it.
//! * [`groups`] names the groups, in the order in which a draw applies them, and numbers the states.
//! * [`registers`] is the register file: what the last write to each method was, and the vertex engine's two memories.
//! * [`enums`] names the values that methods take, and [`decode`] prints arguments with them.
//! * [`enumerations`] says which methods take only some numbers.
//! * [`patches`] says what is known of patches that the machine cuts itself.
//! * [`classes`] names the other graphics classes and their methods.
//! * [`context`] says which methods write into the memory of vertex program constants.
#![forbid(unsafe_code)]

pub mod classes;
pub mod context;
pub mod decode;
pub mod enumerations;
pub mod enums;
pub mod groups;
pub mod methods;
pub mod patches;
pub mod registers;

pub use groups::{Group, Groups, KelvinStates};
pub use methods::{Format, Method, What, method};
pub use registers::{ConstantBits, Registers};

/// Texture stages.
pub const STAGES: usize = 4;
/// Register combiner stages.
pub const COMBINERS: usize = 8;
/// Vertex attributes.
pub const ATTRIBUTES: usize = 16;
/// Lights.
pub const LIGHTS: usize = 8;
/// Instructions of the vertex engine's program memory.
pub const PROGRAM_SLOTS: usize = 136;
/// Constants of the vertex engine's memory.
pub const CONSTANT_SLOTS: usize = 192;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
