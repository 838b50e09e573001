//! Single precision.
//!
//! Meanings from AMD's "Sea Islands Instruction Set Architecture". Denormals are left to the host: programs flush them by
//! default (`FLOAT_MODE`), and hosts do what is fastest for them.

use afterimage_ir::{Builder, Kind, Value};

use super::notation::ir;

/// Infinity.
const INFINITY: i32 = 0x7f80_0000;
/// All bits but the sign.
const SIZE: i32 = 0x7fff_ffff;

pub(super) fn bits(b: &mut Builder, value: Value) -> Value {
    b.cast(value, Kind::Int)
}

fn float(b: &mut Builder, value: Value) -> Value {
    b.cast(value, Kind::Float)
}

/// A product in which zero times anything is +0.
pub(super) fn mul_legacy(b: &mut Builder, x: Value, y: Value) -> Value {
    let zero = ir!(b, bor(feq(x, 0.0), feq(y, 0.0)));
    ir!(b, select(zero, 0.0, fmul(x, y)))
}

/// `x < y ? x : y`.
pub(super) fn min_legacy(b: &mut Builder, x: Value, y: Value) -> Value {
    let (x, y) = (float(b, x), float(b, y));
    ir!(b, select(flt(x, y), x, y))
}

/// `x >= y ? x : y`.
pub(super) fn max_legacy(b: &mut Builder, x: Value, y: Value) -> Value {
    let (x, y) = (float(b, x), float(b, y));
    ir!(b, select(fle(y, x), x, y))
}

pub(super) fn min3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    ir!(b, fmin(fmin(x, y), z))
}

pub(super) fn max3(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    ir!(b, fmax(fmax(x, y), z))
}

/// The middle one; with NaN, the least of the others.
pub(super) fn median(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let middle = ir!(b, fmax(fmin(x, y), fmin(fmax(x, y), z)));
    let least = min3(b, x, y, z);
    let nan = ir!(b, bor(bor(fne(x, x), fne(y, y)), fne(z, z)));
    b.select(nan, least, middle)
}

fn is_infinite(b: &mut Builder, value: Value) -> Value {
    ir!(b, ieq(iand({ bits(b, value) }, { b.i32(SIZE) }), { b.i32(INFINITY) }))
}

/// Infinity becomes the largest number.
pub(super) fn clamp_infinity(b: &mut Builder, value: Value) -> Value {
    let value = float(b, value);
    let infinite = is_infinite(b, value);
    // The pattern below that of infinity.
    let largest = ir!(b, isub({ bits(b, value) }, 1));
    let largest = float(b, largest);
    b.select(infinite, largest, value)
}

/// Infinity becomes zero of its sign.
pub(super) fn zero_infinity(b: &mut Builder, value: Value) -> Value {
    let value = float(b, value);
    let infinite = is_infinite(b, value);
    let zero = ir!(b, iand({ bits(b, value) }, { b.i32(i32::MIN) }));
    let zero = float(b, zero);
    b.select(infinite, zero, value)
}

/// Sine (or cosine) of revolutions; beyond 256 of them it is that of zero.
pub(super) fn sine(b: &mut Builder, turns: Value, cosine: bool) -> Value {
    let turns = float(b, turns);
    let near = ir!(b, fle(fabs(turns), 256.0));
    let angle = ir!(b, fmul(fsub(turns, fround(turns)), { b.f32(std::f32::consts::TAU) }));
    let infinite = ir!(b, feq(fabs(turns), { b.f32(f32::INFINITY) }));
    let (value, far) = if cosine { (b.fcos(angle), b.f32(1.0)) } else { (b.fsin(angle), b.f32(0.0)) };
    let in_order = ir!(b, bor(near, bor(infinite, fne(turns, turns))));
    b.select(in_order, value, far)
}

/// Two to the power of -126 to 127.
fn power(b: &mut Builder, exponent: Value) -> Value {
    let power = ir!(b, ishl(iadd(exponent, 127), 23));
    float(b, power)
}

/// Whether a number is of the classes of a mask: bits for signalling NaN, quiet NaN, then -infinity, -normal, -denormal, -0,
/// +0, +denormal, +normal, +infinity.
pub(super) fn class(b: &mut Builder, facts: &Facts, mask: Value) -> Value {
    let wanted = |b: &mut Builder, bit: i32| ir!(b, ine(iand(mask, { b.i32(1 << bit) }), 0));
    let signed = |b: &mut Builder, negative: i32, positive: i32| {
        let (no, yes) = (wanted(b, positive), wanted(b, negative));
        b.select(facts.negative, yes, no)
    };
    let zero = signed(b, 5, 6);
    let denormal = signed(b, 4, 7);
    let normal = signed(b, 3, 8);
    let infinite = signed(b, 2, 9);
    let (signalling, quiet) = (wanted(b, 0), wanted(b, 1));
    let nan = b.select(facts.quiet, quiet, signalling);
    let special = ir!(b, select({ facts.no_mantissa }, infinite, nan));
    let small = ir!(b, select({ facts.no_mantissa }, zero, denormal));
    let low = ir!(b, select({ facts.least_exponent }, small, normal));
    ir!(b, select({ facts.most_exponent }, special, low))
}

/// What [`class`] asks about a number, all truth values.
pub(super) struct Facts {
    pub negative: Value,
    pub least_exponent: Value,
    pub most_exponent: Value,
    pub no_mantissa: Value,
    /// The highest bit of the mantissa.
    pub quiet: Value,
}

/// Facts about a single.
pub(super) fn facts(b: &mut Builder, value: Value) -> Facts {
    let word = bits(b, value);
    let exponent = ir!(b, iand(word, { b.i32(INFINITY) }));
    Facts {
        negative: ir!(b, ilt(word, 0)),
        least_exponent: ir!(b, ieq(exponent, 0)),
        most_exponent: ir!(b, ieq(exponent, { b.i32(INFINITY) })),
        no_mantissa: ir!(b, ieq(iand(word, 0x007f_ffff), 0)),
        quiet: ir!(b, ine(iand(word, 0x0040_0000), 0)),
    }
}

/// The four parts of a cube's lookup.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Cube {
    /// Number of the face.
    Face,
    /// Coordinate to the right, not divided.
    S,
    /// Coordinate downwards, not divided.
    T,
    /// Twice the longest component.
    Major,
}

/// `v_cube*` of a direction.
pub(super) fn cube(b: &mut Builder, part: Cube, x: Value, y: Value, z: Value) -> Value {
    let [x, y, z] = [x, y, z].map(|value| float(b, value));
    let z_major = ir!(b, band(fle(fabs(x), fabs(z)), fle(fabs(y), fabs(z))));
    let y_major = ir!(b, fle(fabs(x), fabs(y)));
    let by_sign = |b: &mut Builder, of: Value, negative: Value, positive: Value| {
        let below = ir!(b, flt(of, 0.0));
        b.select(below, negative, positive)
    };
    let [for_z, for_y, for_x] = match part {
        Cube::Face => [(z, 5.0, 4.0), (y, 3.0, 2.0), (x, 1.0, 0.0)].map(|(of, negative, positive)| {
            let (negative, positive) = (b.f32(negative), b.f32(positive));
            by_sign(b, of, negative, positive)
        }),
        Cube::S => {
            let (minus_x, minus_z) = (b.fneg(x), b.fneg(z));
            [by_sign(b, z, minus_x, x), x, by_sign(b, x, z, minus_z)]
        }
        Cube::T => {
            let (minus_y, minus_z) = (b.fneg(y), b.fneg(z));
            [minus_y, by_sign(b, y, minus_z, z), minus_y]
        }
        Cube::Major => [z, y, x].map(|of| ir!(b, fmul(of, 2.0))),
    };
    ir!(b, select(z_major, for_z, select(y_major, for_y, for_x)))
}

/// `v_mullit`: a product for lighting's powers, the least number where the power counts for nothing.
pub(super) fn mul_lit(b: &mut Builder, x: Value, y: Value, z: Value) -> Value {
    let least = b.f32(f32::MIN);
    // Each comparison is false for NaN.
    let counts = ir!(b, band(flt(least, y), flt(0.0, z)));
    let product = mul_legacy(b, x, y);
    b.select(counts, product, least)
}

/// `v_div_fixup`: the quotient `q` of `n / d`, made right for what arithmetic does not give.
pub(super) fn div_fixup(b: &mut Builder, q: Value, d: Value, n: Value) -> Value {
    let [qb, db, nb] = [q, d, n].map(|value| bits(b, value));
    let [ds, ns] = [db, nb].map(|word| ir!(b, iand(word, { b.i32(SIZE) })));
    let sign = ir!(b, iand(ixor(db, nb), { b.i32(i32::MIN) }));
    let [de, ne] = [ds, ns].map(|size| ir!(b, ushr(size, 23)));
    let infinity = b.i32(INFINITY);
    let signed = |b: &mut Builder, size: Value| b.ior(sign, size);
    let result = ir!(b, ior(sign, iand(qb, { b.i32(SIZE) })));
    let tiny = ir!(b, ilt(isub(ne, de), { b.i32(-150) }));
    let result = ir!(b, select(tiny, sign, result));
    let zero = ir!(b, bor(ieq(ds, infinity), ieq(ns, 0)));
    let result = ir!(b, select(zero, sign, result));
    let large = ir!(b, bor(ieq(ds, 0), ieq(ns, infinity)));
    let huge = signed(b, infinity);
    let result = b.select(large, huge, result);
    let none = ir!(b, bor(ieq(ior(ds, ns), 0), band(ieq(ds, infinity), ieq(ns, infinity))));
    let result = ir!(b, select(none, { b.i32(0xffc0_0000_u32 as i32) }, result));
    let quiet = |b: &mut Builder, word: Value| ir!(b, ior(word, 0x0040_0000));
    let (dq, nq) = (quiet(b, db), quiet(b, nb));
    let result = ir!(b, select(ult(infinity, ds), dq, result));
    let result = ir!(b, select(ult(infinity, ns), nq, result));
    float(b, result)
}

/// What `v_div_scale` decides: the scaled operand `x` (which is `d` or `n`) and whether `v_div_fmas` has to scale back.
pub(super) fn div_scale(b: &mut Builder, x: Value, d: Value, n: Value) -> (Value, Value) {
    let [xb, db, nb] = [x, d, n].map(|value| bits(b, value));
    let [ds, ns] = [db, nb].map(|word| ir!(b, iand(word, { b.i32(SIZE) })));
    let [de, ne] = [ds, ns].map(|size| ir!(b, ushr(size, 23)));
    let (is_d, is_n) = (b.ieq(xb, db), b.ieq(xb, nb));
    let decision = Division {
        zero: ir!(b, bor(ieq(ds, 0), ieq(ns, 0))),
        far_above: ir!(b, ile(96, isub(ne, de))),
        tiny_denominator: ir!(b, ieq(de, 0)),
        // 1 / d is a denormal from 2^126 on.
        tiny_reciprocal: ir!(b, ile(253, de)),
        tiny_quotient: ir!(b, ile(isub(ne, de), { b.i32(-127) })),
        tiny_numerator: ir!(b, ile(ne, 23)),
    };
    let (scale, back) = decision.decide(b, is_d, is_n, 64);
    let scaled = ir!(b, fmul(x, { power(b, scale) }));
    let nan = b.f32(f32::NAN);
    let scaled = ir!(b, select({ decision.zero }, nan, scaled));
    (scaled, back)
}

/// What `v_div_scale` looks at, all truth values.
pub(super) struct Division {
    /// One of both is zero.
    pub zero: Value,
    /// The quotient is near overflow.
    pub far_above: Value,
    /// The denominator is a denormal.
    pub tiny_denominator: Value,
    /// The denominator's reciprocal is a denormal.
    pub tiny_reciprocal: Value,
    /// The quotient is a denormal.
    pub tiny_quotient: Value,
    /// The numerator is so small that its error term would be a denormal.
    pub tiny_numerator: Value,
}

impl Division {
    /// The power of two by which the operand (which is the denominator, the numerator or both) is multiplied, and whether the
    /// quotient has to be scaled at the end. The first condition that holds decides.
    pub(super) fn decide(&self, b: &mut Builder, is_d: Value, is_n: Value, step: i32) -> (Value, Value) {
        let up = b.i32(step);
        let down = b.i32(-step);
        let none = b.i32(0);
        let for_d = b.select(is_d, up, none);
        let for_n = b.select(is_n, up, none);
        let scale = ir!(b, select({ self.tiny_numerator }, up, none));
        let scale = ir!(b, select({ self.tiny_quotient }, for_n, scale));
        let scale = ir!(b, select({ self.tiny_reciprocal }, down, scale));
        let both = ir!(b, band({ self.tiny_reciprocal }, { self.tiny_quotient }));
        let scale = b.select(both, for_d, scale);
        let scale = ir!(b, select({ self.tiny_denominator }, up, scale));
        let scale = ir!(b, select({ self.far_above }, for_d, scale));
        let scale = ir!(b, select({ self.zero }, none, scale));
        let later = ir!(b, band(bnot({ self.tiny_denominator }), { self.tiny_quotient }));
        let back = ir!(b, band(bnot({ self.zero }), bor({ self.far_above }, later)));
        (scale, back)
    }
}

/// `v_div_fmas`: a fused multiply-add, times 2^32 where the division was scaled.
pub(super) fn div_fmas(b: &mut Builder, x: Value, y: Value, z: Value, scaled: Value) -> Value {
    let sum = b.ffma(x, y, z);
    ir!(b, select(scaled, fmul(sum, { b.f32(4_294_967_296.0) }), sum))
}

/// Output modifier of VOP3: twice, four times, half.
pub(super) fn modify(b: &mut Builder, value: Value, omod: u8) -> Value {
    match omod {
        1 => ir!(b, fmul(value, 2.0)),
        2 => ir!(b, fmul(value, 4.0)),
        3 => ir!(b, fmul(value, 0.5)),
        _ => value,
    }
}

/// Clamped to 0..1. NaN becomes 0 with `DX10_CLAMP`, and stays NaN without.
pub(super) fn clamp(b: &mut Builder, value: Value, nan_to_zero: bool) -> Value {
    let clamped = b.fsat(value);
    if nan_to_zero {
        return clamped;
    }
    let value = float(b, value);
    ir!(b, select(fne(value, value), value, clamped))
}
