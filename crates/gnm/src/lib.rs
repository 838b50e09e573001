//! The GNM guest: the PlayStation 4's graphics.
//!
//! * [`driver`] turns calls of the console's graphics library into command buffers.
//! * [`machine`] runs command buffers: rings, packets, registers. It knows nothing of the host; what has to be drawn it hands to a
//!   [`machine::Graphics`].
//! * [`translate`] is that: registers and descriptors to packets of the stream.
//! * [`Gpu`] is all that together, for an emulator.
//! * [`gcap`] reads, writes and plays recordings.
//! * [`memory`] is the console's memory, as a trait.
//! * [`tiling`] makes the compute shaders that copy tiled surfaces.
#![forbid(unsafe_code)]

pub mod driver;
mod embedder;
pub mod gcap;
pub mod machine;
pub mod memory;
pub mod tiling;
pub mod translate;

pub use embedder::Gpu;
