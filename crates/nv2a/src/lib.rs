//! The NV2A guest: the first Xbox's graphics processor.
//!
//! * [`driver`] turns calls of the Xbox's Direct3D into push buffers.
//! * [`machine`] runs push buffers: pusher, objects, classes, the Kelvin register file. It knows nothing of the host; what has to
//!   be drawn it hands to a [`machine::Graphics`].
//! * [`translate`] is that: registers through dirty groups to packets of the stream.
//! * [`kcap`] reads recordings and plays them on the machine.
//! * [`Nv2a`] is all that together, for an emulator.
//! * [`memory`] is the console's memory, as a trait.
#![forbid(unsafe_code)]

pub mod driver;
mod embedder;
pub mod kcap;
pub mod machine;
pub mod memory;
pub mod translate;

/// The NV2A's facts: methods, registers, enumerations.
pub use afterimage_nv2a_types as types;
/// Why there is no renderer.
#[cfg(feature = "renderer")]
pub use afterimage_vulkan::Error as RendererError;
pub use embedder::Nv2a;

/// Compiles the code in `docs/nv2a.md`.
#[cfg(all(doctest, feature = "renderer"))]
#[doc = include_str!("../../../docs/nv2a.md")]
struct Page;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
