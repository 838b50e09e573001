//! Direct3D 9's published structures, enumerations and constants, each declared once.
//!
//! Everything here is data: the three tables ([`structs`], [`enums`], [`constants`]) expand to Rust items and, beside
//! them, to [`STRUCTS`], [`ENUMS`] and [`CONSTANTS`], from which the C headers of native programs are generated and
//! which `tests/metadata.rs` compares with Microsoft's own metadata (`Windows.Win32.winmd`). Names, spelling and
//! field order are the published ones.
//!
//! All structures are plain data that may be zeroed (`Default` is all zeros). Where a program hands one in, no value
//! in it is trusted: enumerations are `u32` aliases.
#![forbid(unsafe_code)]
#![allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]

mod constants;
mod enums;
mod structs;
mod tables;

pub use constants::*;
pub use enums::*;
pub use structs::*;
pub use tables::{Constant, Enum, Field, Struct, name_of};

/// Truth value of the Windows API: 0 is false, all else true.
pub type BOOL = i32;
/// [`BOOL`] false.
pub const FALSE: BOOL = 0;
/// [`BOOL`] true.
pub const TRUE: BOOL = 1;
/// Result code; negative values are failures.
pub type HRESULT = i32;
/// Colour packed as `0xAARRGGBB`.
pub type D3DCOLOR = u32;
/// Window handle; on native platforms the address of an `SDL_Window`. 0 is none.
pub type HWND = usize;
/// Device context handle; 0 is none.
pub type HDC = usize;
/// Monitor handle; 0 is none.
pub type HMONITOR = usize;
/// Kernel object handle; 0 is none.
pub type HANDLE = usize;

/// The four characters of a FOURCC code as the number that D3DFORMAT holds.
pub const fn fourcc(code: [u8; 4]) -> u32 {
    u32::from_le_bytes(code)
}

/// Whether a result is a success (`SUCCEEDED`).
pub const fn succeeded(result: HRESULT) -> bool {
    result >= 0
}

/// The transform index of world matrix `index`, 0 to 255 (`D3DTS_WORLDMATRIX`).
pub const fn world_matrix(index: u32) -> D3DTRANSFORMSTATETYPE {
    D3DTS_WORLD + index
}

/// The last element of a vertex declaration (`D3DDECL_END`).
pub const D3DDECL_END: D3DVERTEXELEMENT9 =
    D3DVERTEXELEMENT9 { Stream: 0xff, Offset: 0, Type: D3DDECLTYPE_UNUSED as u8, Method: 0, Usage: 0, UsageIndex: 0 };
