//! What the device draws and computes. One program, since each would compile the device.

mod draws;
mod kernels;
#[path = "../kit/mod.rs"]
mod kit;
mod layers;
mod output;
mod raster;
mod stages;
mod textures;
mod translated;
mod waves;
