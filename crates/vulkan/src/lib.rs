//! The renderer: executes a command stream with Vulkan.
//!
//! [`Renderer`] implements [`afterimage_stream::Executor`]. It needs Vulkan 1.3 with buffer device addresses; everything
//! beyond is optional and looked up once into a [`Profile`].
//!
//! The rooms, from the ground up. Each imports only what stands before it (`xtask/tests/documents/rooms.rs`):
//!
//! * `missing`, `error`, `options`: what a user of the crate says and is told.
//! * `device`: instance, device, formats; buffers and images with their memory; what renderers of one process share.
//! * `memory`: the rings, pools and slots that constants, uploads and dynamic buffers lie in.
//! * `resources`: textures, samplers, tables of objects, and the descriptors through which shaders find them.
//! * `pipeline`: guest code to modules, modules and state to pipelines; what is made ahead of draws, and what the disk keeps.
//! * `commands`: recording and submission, what must wait for what, and who watches that it ends.
//! * `state`: what is bound, and what the command buffer has of it.
//! * `feedback`: captures of vertices, natively and by compute shaders.
//! * `transfer`: copies, queries and read backs that somebody waits for; samples as words.
//! * `present`: windows, pictures, figures over them.
//! * `renderer`: [`Renderer`], which has all of the above.
//! * `thread`: a thread for it.
//! * `execute`: what each packet does, a file for each part of the stream, beginning with `executor`.
//! * `replay`: captures in one go and call by call, and what textures hold then.

mod commands;
mod device;
mod error;
mod execute;
mod feedback;
#[cfg(test)]
#[path = "../../spirv/tests/judges/mod.rs"]
mod judges;
mod memory;
mod missing;
mod options;
mod pipeline;
mod present;
mod renderer;
mod replay;
mod resources;
mod state;
mod thread;
mod transfer;

#[cfg(test)]
mod apply_tests;

// What guests for tests share names the crate as they see it.
#[cfg(test)]
extern crate self as afterimage_vulkan;

pub use afterimage_render::looked::{ReadSink, ReadTexels};
pub use afterimage_render::own_process::{Cause, Hang, OwnProcess};
pub use afterimage_render::pictures::{Picture, PictureSink};
pub use afterimage_render::step::Target;
pub use afterimage_render::texels::Texels;
pub use afterimage_render::wishes::Wishes;
pub use ash;
pub use device::gpu::{Gpu, devices};
pub use device::instance::Instance;
pub use device::profile::{Bindless, DynamicState3, Profile, ShaderFeatures};
pub use error::{Error, Result};
pub use execute::swapchain::{surface_for_layer, surface_for_window};
pub use memory::slots::{DeviceSlots, SharedSlots};
pub use missing::no_driver;
pub use options::{FrameSet, Options, Without};
pub use pipeline::shaders::ShaderReplacer;
#[cfg(unix)]
pub use present::exported::{EXPORT_FORMAT, ExportKind, ExportedPicture, Exports};
pub use present::swapchain::SurfaceFactory;
pub use raw_window_handle;
pub use renderer::Renderer;
pub use replay::step::{StepError, Stepper};
pub use replay::{Ahead, FrameTime, Go, ReplayError, Replayed, Watch};

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
