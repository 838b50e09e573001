//! The guest through its own interface. One program, since each would compile the device.
#![forbid(unsafe_code)]

#[path = "../calls/mod.rs"]
mod calls;
mod capabilities;
#[path = "../common/mod.rs"]
mod common;
mod device;
mod docs;
mod edges;
mod effective;
mod fixed_function;
mod formats;
mod front;
mod garbage;
mod memory;
mod overrides;
mod processing;
mod resources;
mod shown;
mod translate;
#[path = "../world/mod.rs"]
mod world;
