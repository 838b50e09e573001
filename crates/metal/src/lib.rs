//! The renderer on Metal: executes a command stream with the calls of [`afterimage_metal_calls`].
//!
//! [`Renderer`] implements [`afterimage_stream::Executor`] for any [`afterimage_metal_calls::Device`]. Everything is encoded in the order
//! of the stream, into one command buffer at a time; what Metal lacks is made of what it has, or refused by name while the rest goes on.
//!
//! The rooms, from the ground up. Each imports only what stands before it:
//!
//! * `error`, `options`: what a user of the crate says and is told.
//! * `device`: what formats become, what guests are told, the command queue and its encoders.
//! * `memory`: the rings that constants, uploads and converted vertices lie in.
//! * `resources`: buffers, textures with their views, samplers.
//! * `pipeline`: guest code to functions, functions and state to pipelines; shaders of our own.
//! * `state`: what is bound, what the encoder has of it, vertices and indices as Metal takes them.
//! * `transfer`: depth texels and small ones, queries and read backs that somebody waits for.
//! * `present`: pictures.
//! * `renderer`: [`Renderer`], which has all of the above.
//! * `execute`: what each packet does, a file for each part of the stream, beginning with `executor`.
//! * `replay`: captures in one go, and call by call.
#![forbid(unsafe_code)]

mod device;
mod error;
mod execute;
mod memory;
mod options;
mod pipeline;
mod present;
mod renderer;
mod replay;
mod resources;
mod state;
mod thread;
mod transfer;

pub use afterimage_render::own_process::OwnProcess;
pub use afterimage_render::pictures::{Picture, PictureSink};
pub use afterimage_render::texels::Texels;
pub use afterimage_render::wishes::Wishes;
pub use afterimage_shader::FloatRules;
pub use device::info::device_info;
pub use error::{Error, Result};
pub use options::Options;
pub use pipeline::kept::KeptPipelines;
pub use present::windows::LayerFactory;
pub use renderer::Renderer;
pub use replay::step::{StepError, Stepper};
pub use replay::{ReplayError, Replayed};
pub use thread::Around;

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
