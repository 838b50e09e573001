//! The machine: push buffers in, registers, memory and calls of [`afterimage_nv2a::machine::Graphics`] out.

mod classes;
mod device;
mod kelvin;
mod patches;
mod pusher;
mod rig;
