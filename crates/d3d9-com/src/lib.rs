//! COM objects and exports over the Direct3D 9 guest; builds `d3d9.dll` and `libd3d9.so`.
//!
//! * `abi`: the interfaces, from one table: vtables, identifiers, parameters.
//! * `exports`: the functions that programs import.
//! * `direct3d`, `device`, `swap_chain`, `texture`, `surface`, `volume`, `buffer`, `shader`, `query`: an object each.
//! * `object`, `resource`, `private_data`: what objects have in common.
//! * `full_screen`, `refresh`: a device that has the screen; when a display draws.
//! * `captures`: whoever asks for a capture.
//! * `names`: what programs call their resources.
//! * `markers`: which devices get the marks that a program makes with no device.
//! * `patch`: faults of programs that are passed over.
//! * `renderer`, `platform`, `log`, `crash`: the world around.
#![allow(non_snake_case, clippy::too_many_arguments, reason = "names and parameters are the published ones")]

pub mod abi;
mod buffer;
mod captures;
#[cfg_attr(not(any(target_os = "linux", windows)), path = "crash/none.rs")]
mod crash;
mod device;
mod direct3d;
pub mod exports;
mod full_screen;
mod log;
mod markers;
mod names;
mod object;
mod patch;
mod platform;
mod private_data;
mod query;
mod refresh;
mod renderer;
mod resource;
mod results;
mod settings;
mod shader;
mod shader_validator;
mod surface;
mod swap_chain;
#[cfg(test)]
mod tests;
mod texture;
mod volume;
