//! Double precision: values are pairs of words, the low one first.
//!
//! Meanings from AMD's "Sea Islands Instruction Set Architecture".

use afterimage_ir::{Builder, Mask, Type, Value};

use super::float::{Division, Facts};
use super::notation::{constant64, halves, ir, pair};

/// Exponent bits of the high word.
const EXPONENT: i32 = 0x7ff0_0000;
/// All bits of the high word but the sign.
const SIZE: i32 = 0x7fff_ffff;

fn constant(b: &mut Builder, value: f64) -> Value {
    constant64(b, value.to_bits())
}

/// Two to the power of -1022 to 1023.
fn power(b: &mut Builder, exponent: Value) -> Value {
    let high = ir!(b, ishl(iadd(exponent, 1023), 20));
    let low = b.i32(0);
    pair(b, low, high)
}

/// Facts about a number, for its class.
pub(super) fn facts(b: &mut Builder, value: Value) -> Facts {
    let (low, high) = halves(b, value);
    let exponent = ir!(b, iand(high, { b.i32(EXPONENT) }));
    Facts {
        negative: ir!(b, ilt(high, 0)),
        least_exponent: ir!(b, ieq(exponent, 0)),
        most_exponent: ir!(b, ieq(exponent, { b.i32(EXPONENT) })),
        no_mantissa: ir!(b, ieq(ior(low, iand(high, 0x000f_ffff)), 0)),
        quiet: ir!(b, ine(iand(high, 0x0008_0000), 0)),
    }
}

/// Clamped to finite numbers.
pub(super) fn clamp_infinity(b: &mut Builder, value: Value) -> Value {
    let (low, high) = halves(b, value);
    let size = ir!(b, iand(high, { b.i32(SIZE) }));
    let infinite = ir!(b, band(ieq(size, { b.i32(EXPONENT) }), ieq(low, 0)));
    let low = ir!(b, select(infinite, { b.i32(-1) }, low));
    let high = ir!(b, select(infinite, isub(high, 1), high));
    pair(b, low, high)
}

/// The value with another sign: as it is, without, or turned over.
pub(super) fn sign(b: &mut Builder, value: Value, abs: bool, neg: bool) -> Value {
    let value = if abs { b.dabs(value) } else { value };
    if neg { b.dneg(value) } else { value }
}

/// Output modifier and clamp of VOP3.
pub(super) fn modify(b: &mut Builder, value: Value, omod: u8, clamp: bool, nan_to_zero: bool) -> Value {
    let mut value = value;
    if let Some(&factor) = [0.0, 2.0, 4.0, 0.5].get(usize::from(omod)).filter(|_| omod != 0) {
        value = ir!(b, dmul(value, { constant(b, factor) }));
    }
    if clamp {
        let (zero, one) = (constant(b, 0.0), constant(b, 1.0));
        let clamped = ir!(b, dmin(dmax(value, zero), one));
        value = if nan_to_zero { clamped } else { ir!(b, select(dne(value, value), value, clamped)) };
    }
    value
}

/// `v_div_fixup`, as for singles.
pub(super) fn div_fixup(b: &mut Builder, q: Value, d: Value, n: Value) -> Value {
    let ((qlow, qhigh), (_, dhigh), (_, nhigh)) = (halves(b, q), halves(b, d), halves(b, n));
    let (df, nf) = (facts(b, d), facts(b, n));
    let is = |b: &mut Builder, exponent: Value, facts: &Facts, mantissa: bool| {
        let none = facts.no_mantissa;
        let mantissa = if mantissa { b.bnot(none) } else { none };
        b.band(exponent, mantissa)
    };
    let (d_zero, n_zero) = (is(b, df.least_exponent, &df, false), is(b, nf.least_exponent, &nf, false));
    let (d_infinite, n_infinite) = (is(b, df.most_exponent, &df, false), is(b, nf.most_exponent, &nf, false));
    let (d_nan, n_nan) = (is(b, df.most_exponent, &df, true), is(b, nf.most_exponent, &nf, true));
    let sign = ir!(b, iand(ixor(dhigh, nhigh), { b.i32(i32::MIN) }));
    let exponent = |b: &mut Builder, high: Value| ir!(b, iand(ushr(high, 20), 0x7ff));
    let (de, ne) = (exponent(b, dhigh), exponent(b, nhigh));

    let zero = b.i32(0);
    let nothing = pair(b, zero, sign);
    let high = ir!(b, ior(sign, { b.i32(EXPONENT) }));
    let infinity = pair(b, zero, high);
    let high = ir!(b, ior(sign, iand(qhigh, { b.i32(SIZE) })));
    let result = pair(b, qlow, high);
    let tiny = ir!(b, ilt(isub(ne, de), { b.i32(-1075) }));
    let to_zero = ir!(b, bor(bor(tiny, d_infinite), n_zero));
    let result = b.select(to_zero, nothing, result);
    let to_infinity = b.bor(d_zero, n_infinite);
    let result = b.select(to_infinity, infinity, result);
    let undefined = ir!(b, bor(band(d_zero, n_zero), band(d_infinite, n_infinite)));
    let result = ir!(b, select(undefined, { constant64(b, 0xfff8_0000_0000_0000) }, result));
    let quiet = |b: &mut Builder, value: Value| {
        let (low, high) = halves(b, value);
        let high = ir!(b, ior(high, 0x0008_0000));
        pair(b, low, high)
    };
    let (dq, nq) = (quiet(b, d), quiet(b, n));
    let result = b.select(d_nan, dq, result);
    b.select(n_nan, nq, result)
}

/// `v_div_scale`, as for singles.
pub(super) fn div_scale(b: &mut Builder, x: Value, d: Value, n: Value) -> (Value, Value) {
    let ((xlow, xhigh), (dlow, dhigh), (nlow, nhigh)) = (halves(b, x), halves(b, d), halves(b, n));
    let exponent = |b: &mut Builder, high: Value| ir!(b, iand(ushr(high, 20), 0x7ff));
    let (de, ne) = (exponent(b, dhigh), exponent(b, nhigh));
    let is = |b: &mut Builder, low: Value, high: Value| ir!(b, band(ieq(xlow, low), ieq(xhigh, high)));
    let (is_d, is_n) = (is(b, dlow, dhigh), is(b, nlow, nhigh));
    let none = constant64(b, 0);
    let decision = Division {
        zero: ir!(b, bor(deq(d, none), deq(n, none))),
        far_above: ir!(b, ile(768, isub(ne, de))),
        tiny_denominator: ir!(b, ieq(de, 0)),
        tiny_reciprocal: ir!(b, ile(2045, de)),
        tiny_quotient: ir!(b, ile(isub(ne, de), { b.i32(-1023) })),
        tiny_numerator: ir!(b, ile(ne, 53)),
    };
    let (scale, back) = decision.decide(b, is_d, is_n, 128);
    let scaled = ir!(b, dmul(x, { power(b, scale) }));
    let nan = constant(b, f64::NAN);
    (ir!(b, select({ decision.zero }, nan, scaled)), back)
}

/// `v_div_fmas`: a fused multiply-add, times 2^64 where the division was scaled.
pub(super) fn div_fmas(b: &mut Builder, x: Value, y: Value, z: Value, scaled: Value) -> Value {
    let sum = b.dfma(x, y, z);
    let more = ir!(b, dmul(sum, { constant(b, 2f64.powi(64)) }));
    b.select(scaled, more, sum)
}

/// Bits of 2/pi behind the binary point, the first one highest. Computed by Machin's formula.
const TWO_OVER_PI: [u32; 40] = [
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0x424d_d2e0,
    0x0649_2eea,
    0x09d1_921c,
    0xfe1d_eb1c,
    0xb129_a73e,
    0xe882_35f5,
    0x2ebb_4484,
    0xe99c_7026,
    0xb45f_7e41,
    0x3991_d639,
    0x8353_39f4,
    0x9c84_5f8b,
    0xbdf9_283b,
    0x1ff8_97ff,
    0xde05_980f,
    0xef2f_118b,
    0x5a0a_6d1f,
    0x6d36_7ecf,
    0x27cb_09b7,
    0x4f46_3f66,
    0x9e5f_ea2d,
    0x7527_bac7,
    0xebe5_f17b,
    0x3d07_39f7,
    0x8a52_92ea,
    0x6bfb_5fb1,
    0x1f8d_5d08,
    0x5603_3046,
    0xfc7b_0000,
    0x0000_0000,
    0x0000_0000,
];

/// `v_trig_preop_f64`: 53 bits of 2/pi, as many behind the first one as the segment (0 to 31) and the size of `x` say, as a number.
pub(super) fn trig_preop(b: &mut Builder, x: Value, segment: Value) -> Value {
    let (_, high) = halves(b, x);
    let exponent = ir!(b, iand(ushr(high, 20), 0x7ff));
    let segment = ir!(b, iand(segment, 31));
    let shift = ir!(b, iadd(imul(segment, 53), imax(isub(exponent, 1077), 0)));
    let table = b.var_array("two_over_pi", Type::I32, TWO_OVER_PI.len() as u32 + 3);
    for (index, word) in TWO_OVER_PI.iter().enumerate() {
        let (index, word) = (b.i32(index as i32), b.i32(*word as i32));
        b.store_elem(table, index, Mask(1), word);
    }
    let word = ir!(b, ushr(shift, 5));
    // Indices are clamped to the array, whose last elements are 0.
    let fetch = |b: &mut Builder, behind: i32| {
        let index = ir!(b, iadd(word, { b.i32(behind) }));
        b.load_elem(table, index)
    };
    let words = [fetch(b, 0), fetch(b, 1), fetch(b, 2)];
    let bits = ir!(b, iand(shift, 31));
    let none = ir!(b, ieq(bits, 0));
    let at = |b: &mut Builder, index: usize| {
        let carried = ir!(b, select(none, 0, ushr({ words[index + 1] }, ineg(bits))));
        ir!(b, ior(ishl({ words[index] }, bits), carried))
    };
    let (first, second) = (at(b, 0), at(b, 1));
    // The upper 53 of 64 bits, as first * 2^21 + second / 2^11, which is exact.
    let upper = ir!(b, dmul(u2d(first), { constant(b, 2f64.powi(21)) }));
    let value = ir!(b, dadd(upper, u2d(ushr(second, 11))));
    let down = ir!(b, isub({ b.i32(-53) }, shift));
    let down = ir!(b, select(ile(1968, exponent), iadd(down, 128), down));
    b.dldexp(value, down)
}
