//! Whole numbers: fields, 24-bit products, 64 bits, and the sums of differences that video code uses.
//!
//! Meanings from AMD's "Sea Islands Instruction Set Architecture".

use afterimage_ir::{Builder, Value};

use super::notation::{halves, ir, keep_if, pair};

/// `x` plus `y` plus a carry (a truth value), and the carry out.
pub(in crate::lift) fn add_carry(b: &mut Builder, x: Value, y: Value, carry: Option<Value>) -> (Value, Value) {
    let sum = b.iadd(x, y);
    let out = b.ult(sum, x);
    let Some(carry) = carry else { return (sum, out) };
    let carry = b.cast(carry, afterimage_ir::Kind::Int);
    let total = b.iadd(sum, carry);
    let again = b.ult(total, sum);
    (total, b.bor(out, again))
}

/// `x` minus `y` minus a borrow (a truth value), and the borrow out.
pub(in crate::lift) fn sub_borrow(b: &mut Builder, x: Value, y: Value, borrow: Option<Value>) -> (Value, Value) {
    let difference = b.isub(x, y);
    let out = b.ult(x, y);
    let Some(borrow) = borrow else { return (difference, out) };
    let borrow = b.cast(borrow, afterimage_ir::Kind::Int);
    let total = b.isub(difference, borrow);
    let again = b.ult(difference, borrow);
    (total, b.bor(out, again))
}

/// The sum of 64-bit numbers, and its carry.
pub(in crate::lift) fn add64(b: &mut Builder, x: Value, y: Value) -> (Value, Value) {
    let ((x0, x1), (y0, y1)) = (halves(b, x), halves(b, y));
    let (low, carry) = add_carry(b, x0, y0, None);
    let (high, carry) = add_carry(b, x1, y1, Some(carry));
    (pair(b, low, high), carry)
}

/// How a 64-bit shift goes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::lift) enum Shift {
    Left,
    Right,
    RightSigned,
}

/// A 64-bit value shifted by the low six bits of `count`.
pub(in crate::lift) fn shift64(b: &mut Builder, shift: Shift, value: Value, count: Value) -> Value {
    let (low, high) = halves(b, value);
    let far = ir!(b, ine(iand(count, 32), 0));
    let none = ir!(b, ieq(iand(count, 31), 0));
    // Shifts take the low five bits of their count, so that minus the count is 32 minus it.
    let back = b.ineg(count);
    if shift == Shift::Left {
        let carried = ir!(b, select(none, 0, ushr(low, back)));
        let moved = b.ishl(low, count);
        let upper = ir!(b, select(far, moved, ior(ishl(high, count), carried)));
        let lower = ir!(b, select(far, 0, moved));
        return pair(b, lower, upper);
    }
    let carried = ir!(b, select(none, 0, ishl(high, back)));
    let moved = if shift == Shift::Right { b.ushr(high, count) } else { b.ishr(high, count) };
    let fill = if shift == Shift::Right { b.i32(0) } else { ir!(b, ishr(high, 31)) };
    let lower = ir!(b, select(far, moved, ior(ushr(low, count), carried)));
    let upper = b.select(far, fill, moved);
    pair(b, lower, upper)
}

/// Whether 64-bit numbers are in the order: less (or equal with `equal`), signed or not.
pub(in crate::lift) fn less64(b: &mut Builder, x: Value, y: Value, signed: bool, equal: bool) -> Value {
    let ((x0, x1), (y0, y1)) = (halves(b, x), halves(b, y));
    let high = if signed { b.ilt(x1, y1) } else { b.ult(x1, y1) };
    let low = if equal { b.ule(x0, y0) } else { b.ult(x0, y0) };
    ir!(b, bor(high, band(ieq(x1, y1), low)))
}

/// Whether 64-bit numbers are equal.
pub(in crate::lift) fn equal64(b: &mut Builder, x: Value, y: Value) -> Value {
    let ((x0, x1), (y0, y1)) = (halves(b, x), halves(b, y));
    ir!(b, band(ieq(x0, y0), ieq(x1, y1)))
}

/// The low 24 bits with or without their sign.
pub(super) fn bits24(b: &mut Builder, value: Value, signed: bool) -> Value {
    if signed { ir!(b, ishr(ishl(value, 8), 8)) } else { ir!(b, iand(value, 0x00ff_ffff)) }
}

/// `mask` chooses bits of `x`, and of `y` where it is clear.
pub(in crate::lift) fn insert(b: &mut Builder, mask: Value, x: Value, y: Value) -> Value {
    ir!(b, ior(iand(mask, x), iand(inot(mask), y)))
}

/// The number of zeros above the highest set bit, or all ones for zero.
pub(in crate::lift) fn leading_zeros(b: &mut Builder, value: Value) -> Value {
    ir!(b, find_lsb(bitreverse(value)))
}

/// The number of bits equal to the sign above the first that differs, or all ones where none does.
pub(in crate::lift) fn leading_signs(b: &mut Builder, value: Value) -> Value {
    let folded = ir!(b, ixor(value, ishr(value, 31)));
    leading_zeros(b, folded)
}

/// 32 bits out of `high:low` from bit `count` (0 to 31) on.
pub(in crate::lift) fn align(b: &mut Builder, high: Value, low: Value, count: Value) -> Value {
    let none = ir!(b, ieq(iand(count, 31), 0));
    let carried = ir!(b, select(none, 0, ishl(high, ineg(count))));
    ir!(b, ior(ushr(low, count), carried))
}

/// The middle one of three.
pub(super) fn median(b: &mut Builder, x: Value, y: Value, z: Value, signed: bool) -> Value {
    if signed { ir!(b, imax(imin(x, y), imin(imax(x, y), z))) } else { ir!(b, umax(umin(x, y), umin(umax(x, y), z))) }
}

/// Lanes of `bits` bits.
fn lane(b: &mut Builder, value: Value, index: u32, bits: u32) -> Value {
    let shifted = if index == 0 { value } else { ir!(b, ushr(value, { b.i32((index * bits) as i32) })) };
    if (index + 1) * bits == 32 { shifted } else { ir!(b, iand(shifted, { b.i32((1 << bits) - 1) })) }
}

fn distance(b: &mut Builder, x: Value, y: Value) -> Value {
    ir!(b, isub(umax(x, y), umin(x, y)))
}

/// Sum of the differences of lanes of `bits` (8, 16 or 32) bits; `masked` leaves out bytes whose reference `y` is 0.
pub(super) fn differences(b: &mut Builder, x: Value, y: Value, bits: u32, masked: bool) -> Value {
    let mut sum = None;
    for index in 0..32 / bits {
        let (part, reference) = match bits {
            32 => (x, y),
            _ => (lane(b, x, index, bits), lane(b, y, index, bits)),
        };
        let mut part = distance(b, part, reference);
        if masked {
            let counts = ir!(b, ine(reference, 0));
            part = keep_if(b, counts, part);
        }
        sum = Some(match sum {
            Some(sum) => b.iadd(sum, part),
            None => part,
        });
    }
    sum.unwrap_or(x)
}

/// The four sums of differences of `reference` and the bytes of the pair `x` from byte 0, 1, 2 and 3 on.
pub(super) fn quad_differences(b: &mut Builder, x: Value, reference: Value, masked: bool) -> [Value; 4] {
    let (low, high) = halves(b, x);
    [0, 1, 2, 3].map(|at| {
        let count = b.i32(8 * at);
        let bytes = if at == 0 { low } else { align(b, high, low, count) };
        differences(b, bytes, reference, 8, masked)
    })
}

/// Four sums, added to the 16-bit lanes of a pair and packed again.
pub(super) fn accumulate16(b: &mut Builder, sums: [Value; 4], onto: Value) -> Value {
    let (low, high) = halves(b, onto);
    let words = [(low, sums[0], sums[1]), (high, sums[2], sums[3])].map(|(onto, first, second)| {
        let first = ir!(b, iand(iadd(onto, first), 0xffff));
        ir!(b, ior(first, ishl(iadd(ushr(onto, 16), second), 16)))
    });
    pair(b, words[0], words[1])
}

/// Bytes of `x` and `y` averaged, rounded up where the byte of `round` is odd.
pub(super) fn lerp_bytes(b: &mut Builder, x: Value, y: Value, round: Value) -> Value {
    // x + y + r = 2 (x & y) + (x ^ y) + r, in which no byte overflows once halved.
    let both = b.iand(x, y);
    let halved = ir!(b, iand(ushr(ixor(x, y), 1), 0x7f7f_7f7f));
    let up = ir!(b, iand(iand(ixor(x, y), round), 0x0101_0101));
    ir!(b, iadd(iadd(both, halved), up))
}

/// `x * y + z` with 32-bit factors and a 64-bit sum, and its carry.
pub(super) fn mad64(b: &mut Builder, x: Value, y: Value, z: Value, signed: bool) -> (Value, Value) {
    let low = b.imul(x, y);
    let high = if signed { b.imulhi(x, y) } else { b.umulhi(x, y) };
    let product = pair(b, low, high);
    add64(b, product, z)
}
