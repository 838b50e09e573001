//! Sample programs of Direct3D 9, linked with `libd3d9.so` and captured while they run: in their own process and in the viewer, from the
//! first frame on, from a late one, and by key.
#![cfg(target_os = "linux")]

mod captured;
#[path = "../../../afterimage/tests/drivers/mod.rs"]
mod drivers;
mod key;
mod metal;
mod picture;
mod program;
