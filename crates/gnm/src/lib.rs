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

/// The PlayStation 4's facts: packets, registers, enumerations, descriptors.
pub use afterimage_gnm_types as types;
/// Assembles GCN code.
pub use afterimage_shader_gcn::assemble;
/// Why there is no renderer.
#[cfg(feature = "renderer")]
pub use afterimage_vulkan::Error as RendererError;
pub use embedder::Gpu;

/// Compiles the code in `docs/gnm.md`.
#[cfg(all(doctest, feature = "renderer"))]
#[doc = include_str!("../../../docs/gnm.md")]
struct Page;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
