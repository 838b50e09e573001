//! The PlayStation 4's GPU as tables: PM4 packets, registers, enumerations, descriptors, tile modes, state groups.
//!
//! * [`rows`] is the one table of registers: a row is byte address, name, repetition, the groups that read it, fields. [`reg`] has the
//!   addresses and fields by name, [`Registers`] is the register file, [`View`] what is read of it.
//! * [`groups`] names the state groups, in the order in which draws and dispatches apply them, and the states beside the registers.
//! * [`packets`] is the table of PM4 packets, and [`decode`] prints packets and register writes with the names of their fields.
//! * [`markers`] says what NOP packets mean.
//! * [`enums`] names the numbers that fields hold.
//! * [`descriptors`] reads buffer, image and sampler descriptors.
//! * [`tiling`] is the table of tile modes.
#![forbid(unsafe_code)]

pub mod decode;
pub mod descriptors;
pub mod enums;
pub mod field;
pub mod groups;
pub mod markers;
pub mod packets;
mod places;
pub mod registers;
pub mod rows;
pub mod tiling;
pub mod view;

pub use descriptors::{BufferDescriptor, ImageDescriptor, SamplerDescriptor};
pub use enums::value;
pub use field::Field;
pub use groups::{GnmStates, Group, Groups};
pub use packets::{Opcode, op};
pub use registers::Registers;
pub use rows::reg;
pub use view::View;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
