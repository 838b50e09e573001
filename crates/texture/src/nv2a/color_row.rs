//! Rows of texels with components of at most eight bits: a function for each format, made by the table of formats.

use super::{Decode, TextureFormat, TextureFormatInfo};
use crate::field::{Field, argb, word};

/// The fields of a format by its code, for constants.
struct Coded<const CODE: u32>;

impl<const CODE: u32> Coded<CODE> {
    const INFO: TextureFormatInfo = match TextureFormat::from_code(CODE) {
        Some(format) => format.info(),
        None => panic!("a code of the table"),
    };
    const FIELDS: [Field; 4] = match Self::INFO.decode {
        Decode::Color(fields) => fields,
        _ => [Field::Zero; 4],
    };
}

/// Decodes a row of texels with components of at most eight bits to words 0xAARRGGBB.
pub(super) fn color_row<const CODE: u32>(raw: &[u8], out: &mut [u8]) {
    let texels = raw.chunks_exact(const { Coded::<CODE>::INFO.bytes as usize });
    for (out, raw) in out.chunks_exact_mut(4).zip(texels) {
        out.copy_from_slice(&argb(const { Coded::<CODE>::FIELDS }, word(raw)).to_le_bytes());
    }
}
