//! Calls of a Direct3D 9 device with any arguments: nothing panics, and the receiver accepts every packet that comes of them.
//!
//! A call is a byte for its kind, and eight numbers of a byte each: small ones, single bits, and what is special.
#![no_main]

#[path = "../../crates/d3d9/tests/calls/mod.rs"]
mod calls;
#[path = "../../crates/d3d9/tests/common/mod.rs"]
mod common;

use afterimage_d3d9_types::{D3DFVF_DIFFUSE, D3DFVF_XYZ};
use calls::Calls;

/// Calls of an input; what they make stays small then.
const MAX_CALLS: usize = 100;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut program = Calls::default();
    program.rig.device.set_fvf(D3DFVF_XYZ | D3DFVF_DIFFUSE).expect("a format of vertices");
    for call in bytes.chunks_exact(9).take(MAX_CALLS) {
        program.call(u32::from(call[0]), &std::array::from_fn(|index| number(call[index + 1])));
    }
    let rejected = program.rejected();
    assert!(rejected.is_empty(), "{rejected:#?}");
});

fn number(byte: u8) -> u32 {
    match byte {
        0..128 => u32::from(byte) % 32,
        128..160 => 1 << (byte - 128),
        160..176 => u32::MAX - u32::from(byte - 160),
        176..192 => f32::from(byte - 176).to_bits(),
        _ => u32::from(byte) * 0x0101_0101,
    }
}
