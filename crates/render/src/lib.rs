//! What a renderer of any host API needs, without any host API: `vulkan` builds on it, and so can the next.
//!
//! * [`table`]: objects by id. [`order`], [`touched`]: what must wait for what.
//! * [`workers`]: threads that make pipelines and shaders before draws ask. [`partners`]: which shaders may be drawn together.
//!   [`loops`]: what of a shader may keep a GPU busy.
//! * [`wishes`]: files that the user wants. [`pictures`]: who gets pictures, and what is drawn over them. [`hud`]: figures over pictures, as
//!   rectangles. [`stats`]: figures about a run.
//! * [`constants`]: constants as shaders find them. [`dynamic`]: states in words, to compare.
//! * [`captures`]: capture files that are asked for and written. [`snapshot`]: what they begin with. [`looked`]: what is read back, for
//!   whoever looks at it besides.
//! * [`step`]: captures call by call. [`texels`], [`depth`]: what a texture holds, for people.
//! * [`own_process`], [`watchdog`]: what a renderer may ask for that has a process for itself, and who watches that it ends.
#![forbid(unsafe_code)]

pub mod captures;
pub mod constants;
pub mod depth;
pub mod dynamic;
pub mod hud;
pub mod looked;
pub mod loops;
pub mod order;
pub mod own_process;
pub mod partners;
pub mod pictures;
pub mod snapshot;
pub mod stats;
pub mod step;
pub mod table;
pub mod texels;
pub mod touched;
pub mod watchdog;
pub mod wishes;
pub mod workers;
