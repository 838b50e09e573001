//! Conversions, and packing them into one word.
//!
//! Meanings from AMD's "Sea Islands Instruction Set Architecture".

use afterimage_ir::{Builder, Value};

use super::notation::ir;

/// The float of an unsigned byte of a word.
pub(super) fn byte_to_float(b: &mut Builder, value: Value, byte: u32) -> Value {
    let shifted = if byte == 0 { value } else { ir!(b, ushr(value, { b.i32(8 * byte as i32) })) };
    let byte = if byte == 3 { shifted } else { ir!(b, iand(shifted, 255)) };
    b.u2f(byte)
}

/// The nearest whole number, halves upwards.
pub(super) fn round_up_to_int(b: &mut Builder, value: Value) -> Value {
    ir!(b, f2i(ffloor(fadd(value, 0.5))))
}

/// The whole number below.
pub(super) fn floor_to_int(b: &mut Builder, value: Value) -> Value {
    ir!(b, f2i(ffloor(value)))
}

/// A signed number of four bits in sixteenths.
pub(super) fn offset_to_float(b: &mut Builder, value: Value) -> Value {
    ir!(b, fmul(i2f(ishr(ishl(value, 28), 28)), 0.0625))
}

/// The low halves of two words in one.
pub(in crate::lift) fn pack(b: &mut Builder, low: Value, high: Value) -> Value {
    ir!(b, ior(iand(low, 0xffff), ishl(high, 16)))
}

/// -1..1 as a signed number of 16 bits, in 32.
pub(in crate::lift) fn to_snorm16(b: &mut Builder, value: Value) -> Value {
    ir!(b, f2i(fround(fmul({ clamp(b, value, -1.0) }, { b.f32(32767.0) }))))
}

/// 0..1 as an unsigned number of 16 bits, in 32.
pub(in crate::lift) fn to_unorm16(b: &mut Builder, value: Value) -> Value {
    ir!(b, f2u(fround(fmul(fsat(value), { b.f32(65535.0) }))))
}

/// `value` within `least` and 1; NaN becomes 0.
pub(in crate::lift) fn clamp(b: &mut Builder, value: Value, least: f32) -> Value {
    let value = b.cast(value, afterimage_ir::Kind::Float);
    let number = ir!(b, select(feq(value, value), value, 0.0));
    ir!(b, fmin(fmax(number, { b.f32(least) }), 1.0))
}

/// Two numbers as halves rounded toward zero.
pub(super) fn pack_halves_toward_zero(b: &mut Builder, x: Value, y: Value) -> Value {
    let (x, y) = (b.f2h_rtz(x), b.f2h_rtz(y));
    pack(b, x, y)
}

/// Two unsigned numbers, each at most 65535.
pub(super) fn pack_u16(b: &mut Builder, x: Value, y: Value) -> Value {
    let [x, y] = [x, y].map(|value| ir!(b, umin(value, 0xffff)));
    pack(b, x, y)
}

/// Two signed numbers, each clamped to 16 bits.
pub(super) fn pack_i16(b: &mut Builder, x: Value, y: Value) -> Value {
    let [x, y] = [x, y].map(|value| ir!(b, imin(imax(value, { b.i32(-0x8000) }), 0x7fff)));
    pack(b, x, y)
}

/// `onto` with byte `byte & 3` replaced by a float as an unsigned number, clamped to the byte.
pub(super) fn pack_byte(b: &mut Builder, value: Value, byte: Value, onto: Value) -> Value {
    let number = ir!(b, umin(f2u(value), 255));
    let shift = ir!(b, ishl(iand(byte, 3), 3));
    ir!(b, ior(iand(onto, inot(ishl(255, shift))), ishl(number, shift)))
}
