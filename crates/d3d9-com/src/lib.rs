//! COM objects and exports over the Direct3D 9 guest; builds `d3d9.dll` and `libd3d9.so`.
#![allow(non_upper_case_globals)]

pub mod abi;
