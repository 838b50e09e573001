//! What a renderer of any host API needs, without any host API: `vulkan` builds on it, and so can the next.
//!
//! * [`table`]: objects by id. [`order`], [`touched`]: what must wait for what.
//! * [`workers`]: threads that make pipelines and shaders before draws ask. [`partners`]: which shaders may be drawn together.
//!   [`loops`]: what of a shader may keep a GPU busy.
//! * [`hud`]: figures over pictures, as rectangles. [`stats`]: figures about a run.
//! * [`constants`]: constants as shaders find them.
//! * [`captures`]: capture files that are asked for and written. [`looked`]: what is read back, for whoever looks at it besides.
//! * [`own_process`]: what a renderer may ask for that has a process for itself.
#![forbid(unsafe_code)]

pub mod captures;
pub mod constants;
pub mod hud;
pub mod looked;
pub mod loops;
pub mod order;
pub mod own_process;
pub mod partners;
pub mod stats;
pub mod table;
pub mod touched;
pub mod workers;
