//! The renderer: executes a command stream with Vulkan.
//!
//! [`Renderer`] implements [`afterimage_stream::Executor`]. It needs Vulkan 1.3 with buffer device addresses; everything
//! beyond is optional and looked up once into a [`Profile`]. Rooms of the house:
//!
//! * `instance`, `gpu`, `profile`, `format`: the device and what it can do.
//! * `memory`, `ring`, `buffer`, `texture` (with `shared`), `sampler`, `descriptors`, `objects`: objects; `labels`: their names.
//! * `shaders`, `behind`, `layouts`, `pipeline` (with `raster`, `line_quads`, `rects`), `pipelines`, `workers`: guest code to modules, modules and state to
//!   pipelines; `ahead` and `known` so that draws need not wait for them; `cache` for the driver's part.
//! * `submit`, `order`, `targets`, `clear`, `draw` (with `vertices`, `dynamic`, `bindings`, `parts`), `compute`, `storage`, `upload`,
//!   `copy`, `query`, `readback`: recording, each a part of the stream.
//! * `present`, `swapchain`, `record` (with `samples`), `stats`: what comes out; `overlay` and `hud`: what is drawn over it; `replay`,
//!   `step`, `look` and `flat`: captures in one go and call by call, and what textures hold then.
//! * `watchdog`: in a process of its own, what takes too long is blamed; `watch` notes what there is to blame, `loops` how much.

mod ahead;
mod apply;
#[cfg(test)]
mod apply_tests;
mod behind;
mod bindings;
mod buffer;
mod cache;
mod clear;
mod compute;
mod copy;
mod depth;
mod descriptors;
mod draw;
mod dynamic;
mod error;
mod feedback;
mod flat;
mod format;
mod gpu;
mod hud;
mod instance;
mod known;
mod labels;
mod layouts;
mod line_quads;
mod look;
mod loops;
mod memory;
mod objects;
mod options;
mod order;
mod overlay;
mod partners;
mod parts;
mod pipeline;
mod pipelines;
mod present;
mod profile;
mod query;
mod raster;
mod readback;
mod record;
mod rects;
mod renderer;
mod replay;
mod ring;
mod sampler;
mod samples;
mod shaders;
mod shared;
mod slots;
mod stats;
mod step;
mod storage;
mod submit;
mod swapchain;
mod table;
mod targets;
mod texture;
mod upload;
mod variants;
mod vertices;
mod watch;
mod watchdog;
mod words;
mod workers;

// What guests for tests share names the crate as they see it.
#[cfg(test)]
extern crate self as afterimage_vulkan;

pub use error::{Error, Result};
pub use gpu::{Gpu, devices};
pub use instance::Instance;
pub use look::Look;
pub use options::{FrameSet, Options, Without};
pub use present::{Picture, PictureSink};
pub use profile::{Bindless, DynamicState3, Profile, ShaderFeatures};
pub use renderer::Renderer;
pub use replay::{Ahead, FrameTime, Go, ReplayError, Replayed, Watch};
pub use shaders::ShaderReplacer;
pub use slots::DeviceSlots;
pub use step::{StepError, Stepper, Target};
pub use swapchain::{SurfaceFactory, surface_for_window};
pub use watchdog::{Cause, Hang, OwnProcess};

pub use ash;
pub use raw_window_handle;
