//! Every number that two crates must agree on, once. Who writes shaders (front ends, passes, back ends), who sends packets (guests,
//! stream) and who draws (renderers) have it from here; what has such a number under a name of its own derives it, or asserts that
//! it is the same when it is compiled.
//!
//! * [`Stage`], [`Language`]: what the stream's `CreateShader` carries.
//! * [`Bank`]: banks of constants, with names, sizes and the stage that reads them; [`GcnBank`] the three of each GCN stage.
//! * [`BlendFactor`] and those beside it: what the host does to pixels; [`pairs`]: what guests call it.
//! * [`slots`]: how many textures, images and buffers there are, and where those of a stage begin.
//! * [`descriptors`], [`push`]: where Vulkan's shaders find them; [`metal`]: where Metal's do.
//! * [`varyings`]: locations between stages; [`LinkInfo`]: what a vertex stage writes.
//! * [`corners`]: what pixel shaders read of each vertex by itself.
//! * [`SystemRegister`]: what the renderer tells shaders of fixed state; [`spec`]: specialisation constants for the same.
//! * [`RuntimeInfo`]: state around a shader that changes its code.
#![forbid(unsafe_code)]

mod banks;
pub mod corners;
pub mod descriptors;
mod fixed;
mod language;
mod layout;
mod link;
pub mod metal;
mod numbers;
mod pairs;
pub mod push;
mod runtime;
pub mod slots;
mod stage;
mod system;
pub mod tables;
pub mod varyings;

pub use banks::{Bank, GcnBank};
pub use descriptors::Table;
pub use fixed::{Address, BlendFactor, BlendOp, Cull, Fill, Filter, LogicOp, StencilOp};
pub use language::Language;
pub use link::{Extra, LinkInfo, Usage};
pub use pairs::Pair;
pub use runtime::{PixelOps, RuntimeInfo, VertexOps, bound, spec};
pub use stage::Stage;
pub use system::{Compare, FogMode, SystemRegister};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
