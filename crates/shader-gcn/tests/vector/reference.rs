//! What each vector instruction computes, from AMD's "Sea Islands Instruction Set Architecture".

/// Operands of a lane: the words of three sources and of the destination before.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operands {
    pub(crate) words: [[u32; 4]; 4],
    /// The lane's bit of vcc.
    pub(crate) mask: bool,
    pub(crate) lane: u32,
}

impl Operands {
    pub(crate) fn u(&self, n: usize) -> u32 {
        self.words[n][0]
    }
    pub(crate) fn i(&self, n: usize) -> i32 {
        self.u(n) as i32
    }
    pub(crate) fn f(&self, n: usize) -> f32 {
        f32::from_bits(self.u(n))
    }
    pub(crate) fn q(&self, n: usize) -> u64 {
        u64::from(self.words[n][0]) | u64::from(self.words[n][1]) << 32
    }
    pub(crate) fn d(&self, n: usize) -> f64 {
        f64::from_bits(self.q(n))
    }
}

/// A result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Out {
    /// A word.
    U(u32),
    /// A float, of which NaN is any.
    F(f32),
    /// A float that hardware approximates.
    Near(f32),
    /// Two words.
    Q(u64),
    /// A double.
    D(f64),
    /// Four words.
    W([u32; 4]),
    /// A result and a mask.
    UM(u32, bool),
    FM(f32, bool),
    QM(u64, bool),
    DM(f64, bool),
}

use Out::*;

fn s24(x: u32) -> i64 {
    i64::from((x << 8) as i32 >> 8)
}

fn u24(x: u32) -> u64 {
    u64::from(x & 0xff_ffff)
}

fn min(a: f32, b: f32) -> f32 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else if a == b {
        if a.is_sign_negative() { a } else { b }
    } else if a < b {
        a
    } else {
        b
    }
}

fn max(a: f32, b: f32) -> f32 {
    -min(-a, -b)
}

fn min64(a: f64, b: f64) -> f64 {
    if a.is_nan() {
        b
    } else if b.is_nan() {
        a
    } else if a == b {
        if a.is_sign_negative() { a } else { b }
    } else if a < b {
        a
    } else {
        b
    }
}

fn mul_legacy(a: f32, b: f32) -> f32 {
    if a == 0.0 || b == 0.0 { 0.0 } else { a * b }
}

fn bytes(x: u32) -> [u32; 4] {
    x.to_le_bytes().map(u32::from)
}

fn sad8(x: u32, y: u32, masked: bool) -> u32 {
    bytes(x).iter().zip(bytes(y)).map(|(&a, b)| if masked && b == 0 { 0 } else { a.abs_diff(b) }).sum()
}

fn quad(x: u64, y: u32, masked: bool) -> [u32; 4] {
    [0, 8, 16, 24].map(|bit| sad8((x >> bit) as u32, y, masked))
}

fn ldexp(x: f64, e: i32) -> f64 {
    // Steps small enough that each is a number, and large enough that rounding happens once.
    let mut x = x;
    let mut e = e.clamp(-3000, 3000);
    while e > 0 {
        let step = e.min(1000);
        x *= 2f64.powi(step);
        e -= step;
    }
    while e < 0 {
        let step = (-e).min(500);
        if x.abs() < 2f64.powi(-500) && step < -e {
            return x * 0.0;
        }
        x *= 2f64.powi(-step);
        e += step;
    }
    x
}

fn frexp(x: f64) -> (f64, i32) {
    if x == 0.0 || !x.is_finite() {
        return (x, 0);
    }
    let mut e = 0;
    let mut m = x;
    while m.abs() >= 1.0 {
        m /= 2.0;
        e += 1;
    }
    while m.abs() < 0.5 {
        m *= 2.0;
        e -= 1;
    }
    (m, e)
}

fn cube(a: &Operands) -> (f32, f32, f32, f32) {
    let (x, y, z) = (a.f(0), a.f(1), a.f(2));
    if z.abs() >= x.abs() && z.abs() >= y.abs() {
        if z < 0.0 { (5.0, -x, -y, 2.0 * z) } else { (4.0, x, -y, 2.0 * z) }
    } else if y.abs() >= x.abs() {
        if y < 0.0 { (3.0, x, -z, 2.0 * y) } else { (2.0, x, z, 2.0 * y) }
    } else if x < 0.0 {
        (1.0, z, -y, 2.0 * x)
    } else {
        (0.0, -z, -y, 2.0 * x)
    }
}

/// The largest number in place of infinity.
fn finite(x: f32) -> f32 {
    if x.is_infinite() { f32::MAX.copysign(x) } else { x }
}

fn finite64(x: f64) -> f64 {
    if x.is_infinite() { f64::MAX.copysign(x) } else { x }
}

fn no_infinity(x: f32) -> f32 {
    if x.is_infinite() { 0f32.copysign(x) } else { x }
}

fn half(x: f32, toward_zero: bool) -> u32 {
    let sign = (x.to_bits() >> 16) & 0x8000;
    if x.is_nan() {
        return sign | 0x7e00;
    }
    let size = f64::from(x.abs());
    if size.is_infinite() {
        return sign | 0x7c00;
    }
    // In units of the last place.
    let exponent = if size < 2f64.powi(-14) { -14 } else { size.log2().floor() as i32 };
    let exponent = if size >= 2f64.powi(exponent + 1) { exponent + 1 } else { exponent };
    let units = size / 2f64.powi(exponent - 10);
    let units = if toward_zero { units.trunc() } else { units.round_ties_even() };
    let value = units * 2f64.powi(exponent - 10);
    if value >= 65536.0 {
        return sign | if toward_zero { 0x7bff } else { 0x7c00 };
    }
    let bits = if value < 2f64.powi(-14) {
        units as u32
    } else {
        let exponent = value.log2().floor() as i32;
        ((exponent + 15) as u32) << 10 | (value / 2f64.powi(exponent - 10)) as u32 & 0x3ff
    };
    sign | bits
}

fn from_half(x: u32) -> f32 {
    let (sign, exponent, mantissa) = (if x & 0x8000 != 0 { -1.0 } else { 1.0 }, x >> 10 & 31, f64::from(x & 0x3ff));
    let size = match exponent {
        0 => mantissa * 2f64.powi(-24),
        31 if mantissa == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1.0 + mantissa / 1024.0) * 2f64.powi(exponent as i32 - 15),
    };
    (sign * size) as f32
}

/// The result as one word for packing: signed or unsigned numbers of 16 bits.
fn norm(x: f32, signed: bool) -> u32 {
    let x = if x.is_nan() { 0.0 } else { x };
    let value = if signed { x.clamp(-1.0, 1.0) * 32767.0 } else { x.clamp(0.0, 1.0) * 65535.0 };
    value.round_ties_even() as i32 as u32 & 0xffff
}

fn exponent(x: f32) -> i32 {
    (x.to_bits() >> 23 & 255) as i32
}

fn exponent64(x: f64) -> i32 {
    (x.to_bits() >> 52 & 0x7ff) as i32
}

fn div_scale(x: f32, d: f32, n: f32) -> (f32, bool) {
    let (up, down) = (2f32.powi(64), 2f32.powi(-64));
    let (is_d, is_n) = (x.to_bits() == d.to_bits(), x.to_bits() == n.to_bits());
    let denormal = |x: f64| x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE);
    let reciprocal = denormal(1.0 / f64::from(d));
    // By exponents, as hardware has no quotient to look at.
    let quotient = exponent(n) - exponent(d) <= -127;
    if n == 0.0 || d == 0.0 {
        (f32::NAN, false)
    } else if exponent(n) - exponent(d) >= 96 {
        (if is_d { x * up } else { x }, true)
    } else if d.is_subnormal() {
        (x * up, false)
    } else if (reciprocal || exponent(d) >= 253) && quotient {
        (if is_d { x * up } else { x }, true)
    } else if reciprocal || exponent(d) >= 253 {
        (x * down, false)
    } else if quotient {
        (if is_n { x * up } else { x }, true)
    } else if exponent(n) <= 23 {
        (x * up, false)
    } else {
        (x, false)
    }
}

fn div_scale64(x: f64, d: f64, n: f64) -> (f64, bool) {
    let (up, down) = (2f64.powi(128), 2f64.powi(-128));
    let (is_d, is_n) = (x.to_bits() == d.to_bits(), x.to_bits() == n.to_bits());
    let reciprocal = exponent64(d) >= 2045;
    let quotient = exponent64(n) - exponent64(d) <= -1023;
    if n == 0.0 || d == 0.0 {
        (f64::NAN, false)
    } else if exponent64(n) - exponent64(d) >= 768 {
        (if is_d { x * up } else { x }, true)
    } else if d.is_subnormal() {
        (x * up, false)
    } else if reciprocal && quotient {
        (if is_d { x * up } else { x }, true)
    } else if reciprocal {
        (x * down, false)
    } else if quotient {
        (if is_n { x * up } else { x }, true)
    } else if exponent64(n) <= 53 {
        (x * up, false)
    } else {
        (x, false)
    }
}

fn div_fixup(q: f32, d: f32, n: f32) -> f32 {
    let sign = if d.is_sign_negative() != n.is_sign_negative() { -1.0 } else { 1.0 };
    if n.is_nan() || d.is_nan() || d == 0.0 && n == 0.0 || d.is_infinite() && n.is_infinite() {
        f32::NAN
    } else if d == 0.0 || n.is_infinite() {
        sign * f32::INFINITY
    } else if d.is_infinite() || n == 0.0 || exponent(n) - exponent(d) < -150 {
        sign * 0.0
    } else {
        q.abs() * sign
    }
}

fn div_fixup64(q: f64, d: f64, n: f64) -> f64 {
    let sign = if d.is_sign_negative() != n.is_sign_negative() { -1.0 } else { 1.0 };
    if n.is_nan() || d.is_nan() || d == 0.0 && n == 0.0 || d.is_infinite() && n.is_infinite() {
        f64::NAN
    } else if d == 0.0 || n.is_infinite() {
        sign * f64::INFINITY
    } else if d.is_infinite() || n == 0.0 || exponent64(n) - exponent64(d) < -1075 {
        sign * 0.0
    } else {
        q.abs() * sign
    }
}

fn trig_preop(x: f64, segment: u32) -> f64 {
    let e = exponent64(x);
    let shift = (segment & 31) * 53 + (e - 1077).max(0) as u32;
    // 2/pi by long division: pi to 1300 bits, as 2^1300 / x by Newton would have it, is not needed when the digits are those of
    // a well-known constant; here they come from Machin's formula in whole numbers of many words.
    let bits = two_over_pi();
    let mut segment = 0u64;
    for n in 0..53 {
        let at = (shift + n) as usize;
        segment = segment << 1 | u64::from(at < 1201 && bits[at]);
    }
    let scale = -53 - shift as i32 + if e >= 1968 { 128 } else { 0 };
    ldexp(segment as f64, scale)
}

/// Bits of 2/pi behind the point, as many as hardware has.
pub(crate) fn two_over_pi() -> Vec<bool> {
    use std::sync::LazyLock;
    static BITS: LazyLock<Vec<bool>> = LazyLock::new(|| {
        const WORDS: usize = 44;
        // Fixed point: word 0 is the whole part.
        type Fixed = [u64; WORDS];
        let divide = |x: &Fixed, by: u64| -> Fixed {
            let mut rest = 0u64;
            std::array::from_fn(|n| {
                let value = rest << 32 | x[n];
                rest = value % by;
                value / by
            })
        };
        let add = |x: &Fixed, y: &Fixed, minus: bool| -> Fixed {
            let mut out = [0; WORDS];
            let mut carry = 0i64;
            for n in (0..WORDS).rev() {
                let value = x[n] as i64 + if minus { -(y[n] as i64) } else { y[n] as i64 } + carry;
                out[n] = (value & 0xffff_ffff) as u64;
                carry = value >> 32;
            }
            out
        };
        let arctan = |of: u64, times: u64| -> Fixed {
            let mut one = [0; WORDS];
            one[0] = times;
            let mut term = divide(&one, of);
            let mut sum = term;
            for n in 1.. {
                term = divide(&divide(&term, of), of);
                if term.iter().all(|&word| word == 0) {
                    break;
                }
                sum = add(&sum, &divide(&term, 2 * n + 1), n % 2 == 1);
            }
            sum
        };
        let pi = add(&arctan(5, 16), &arctan(239, 4), true);
        // Long division of 2 by pi, a bit at a time.
        let mut rest = [0; WORDS];
        rest[0] = 2;
        (0..1201)
            .map(|_| {
                rest = add(&rest, &rest.clone(), false);
                let bit = rest >= pi;
                if bit {
                    rest = add(&rest, &pi, true);
                }
                bit
            })
            .collect()
    });
    BITS.clone()
}

fn sine(x: f32, cosine: bool) -> f32 {
    let angle = f64::from(x) * std::f64::consts::TAU;
    match (cosine, x.abs() > 256.0 && x.is_finite()) {
        (false, true) => 0.0,
        (true, true) => 1.0,
        (false, false) => angle.sin() as f32,
        (true, false) => angle.cos() as f32,
    }
}

fn median(a: f32, b: f32, c: f32) -> f32 {
    if a.is_nan() || b.is_nan() || c.is_nan() {
        return min(min(a, b), c);
    }
    let most = max(max(a, b), c);
    if most == a {
        max(b, c)
    } else if most == b {
        max(a, c)
    } else {
        max(a, b)
    }
}

fn pack(low: u32, high: u32) -> u32 {
    low & 0xffff | high << 16
}

fn with_byte(onto: u32, byte: u32, value: f32) -> u32 {
    let shift = 8 * (byte & 3);
    onto & !(255 << shift) | (value as u8 as u32) << shift
}

/// The result of an instruction by its mnemonic; none for those that are tried elsewhere.
pub(crate) fn compute(name: &str, a: &Operands) -> Option<Out> {
    let (u, i, f, d, q) = (|n| a.u(n), |n: usize| a.i(n), |n: usize| a.f(n), |n: usize| a.d(n), |n: usize| a.q(n));
    let old = 3;
    Some(match name {
        "v_mov_b32" | "v_mov_fed_b32" => U(u(0)),
        "v_cvt_i32_f64" => U(d(0) as i32 as u32),
        "v_cvt_u32_f64" => U(d(0) as u32),
        "v_cvt_f64_i32" => D(i(0).into()),
        "v_cvt_f64_u32" => D(u(0).into()),
        "v_cvt_f32_i32" => F(i(0) as f32),
        "v_cvt_f32_u32" => F(u(0) as f32),
        "v_cvt_u32_f32" => U(f(0) as u32),
        "v_cvt_i32_f32" => U(f(0) as i32 as u32),
        "v_cvt_f16_f32" if f(0).is_nan() => return None,
        "v_cvt_f16_f32" => U(half(f(0), false)),
        "v_cvt_f32_f16" => F(from_half(u(0))),
        "v_cvt_rpi_i32_f32" => U((f(0) + 0.5).floor() as i32 as u32),
        "v_cvt_flr_i32_f32" => U(f(0).floor() as i32 as u32),
        "v_cvt_off_f32_i4" => F([
            0.0, 0.0625, 0.125, 0.1875, 0.25, 0.3125, 0.375, 0.4375, -0.5, -0.4375, -0.375, -0.3125, -0.25, -0.1875,
            -0.125, -0.0625,
        ][(u(0) & 15) as usize]),
        "v_cvt_f32_f64" => F(d(0) as f32),
        "v_cvt_f64_f32" => D(f(0).into()),
        "v_cvt_f32_ubyte0" => F(bytes(u(0))[0] as f32),
        "v_cvt_f32_ubyte1" => F(bytes(u(0))[1] as f32),
        "v_cvt_f32_ubyte2" => F(bytes(u(0))[2] as f32),
        "v_cvt_f32_ubyte3" => F(bytes(u(0))[3] as f32),
        "v_trunc_f64" => D(d(0).trunc()),
        "v_ceil_f64" => D(d(0).ceil()),
        "v_rndne_f64" => D(d(0).round_ties_even()),
        "v_floor_f64" => D(d(0).floor()),
        "v_fract_f64" => D(d(0) - d(0).floor()),
        "v_fract_f32" => F(f(0) - f(0).floor()),
        "v_trunc_f32" => F(f(0).trunc()),
        "v_ceil_f32" => F(f(0).ceil()),
        "v_rndne_f32" => F(f(0).round_ties_even()),
        "v_floor_f32" => F(f(0).floor()),
        "v_exp_f32" | "v_exp_legacy_f32" => Near(f(0).exp2()),
        "v_log_f32" | "v_log_legacy_f32" => Near(f(0).log2()),
        "v_log_clamp_f32" => Near(finite(f(0).log2())),
        "v_rcp_f32" | "v_rcp_iflag_f32" => F(1.0 / f(0)),
        "v_rcp_clamp_f32" => F(finite(1.0 / f(0))),
        "v_rcp_legacy_f32" => F(no_infinity(1.0 / f(0))),
        "v_rsq_f32" => F(1.0 / f(0).sqrt()),
        "v_rsq_clamp_f32" => F(finite(1.0 / f(0).sqrt())),
        "v_rsq_legacy_f32" => F(no_infinity(1.0 / f(0).sqrt())),
        "v_rcp_f64" => D(1.0 / d(0)),
        "v_rcp_clamp_f64" => D(finite64(1.0 / d(0))),
        "v_rsq_f64" => D(1.0 / d(0).sqrt()),
        "v_rsq_clamp_f64" => D(finite64(1.0 / d(0).sqrt())),
        "v_sqrt_f32" => F(f(0).sqrt()),
        "v_sqrt_f64" => D(d(0).sqrt()),
        "v_sin_f32" => Near(sine(f(0), false)),
        "v_cos_f32" => Near(sine(f(0), true)),
        "v_not_b32" => U(!u(0)),
        "v_bfrev_b32" => U(u(0).reverse_bits()),
        "v_ffbh_u32" => U((0..32).find(|&n| u(0) >> (31 - n) & 1 != 0).unwrap_or(u32::MAX)),
        "v_ffbl_b32" => U((0..32).find(|&n| u(0) >> n & 1 != 0).unwrap_or(u32::MAX)),
        "v_ffbh_i32" => U((1..32).find(|&n| u(0) >> (31 - n) & 1 != u(0) >> 31).unwrap_or(u32::MAX)),
        "v_frexp_exp_i32_f64" => U(frexp(d(0)).1 as u32),
        "v_frexp_mant_f64" => D(frexp(d(0)).0),
        "v_frexp_exp_i32_f32" => U(frexp(f(0).into()).1 as u32),
        "v_frexp_mant_f32" => F(frexp(f(0).into()).0 as f32),
        "v_cndmask_b32" => U(if a.mask { u(1) } else { u(0) }),
        "v_add_f32" => F(f(0) + f(1)),
        "v_sub_f32" => F(f(0) - f(1)),
        "v_subrev_f32" => F(f(1) - f(0)),
        "v_mac_legacy_f32" => F(mul_legacy(f(0), f(1)) + f(old)),
        "v_mul_legacy_f32" => F(mul_legacy(f(0), f(1))),
        "v_mad_legacy_f32" => F(mul_legacy(f(0), f(1)) + f(2)),
        "v_mul_f32" => F(f(0) * f(1)),
        "v_mul_i32_i24" => U((s24(u(0)) * s24(u(1))) as u32),
        "v_mul_hi_i32_i24" => U(((s24(u(0)) * s24(u(1))) >> 32) as u32),
        "v_mul_u32_u24" => U((u24(u(0)) * u24(u(1))) as u32),
        "v_mul_hi_u32_u24" => U(((u24(u(0)) * u24(u(1))) >> 32) as u32),
        "v_mad_i32_i24" => U((s24(u(0)) * s24(u(1)) + i64::from(i(2))) as u32),
        "v_mad_u32_u24" => U((u24(u(0)) * u24(u(1)) + u64::from(u(2))) as u32),
        "v_min_legacy_f32" => U(if f(0) < f(1) { u(0) } else { u(1) }),
        "v_max_legacy_f32" => U(if f(0) >= f(1) { u(0) } else { u(1) }),
        "v_min_f32" => F(min(f(0), f(1))),
        "v_max_f32" => F(max(f(0), f(1))),
        "v_min_i32" => U(i(0).min(i(1)) as u32),
        "v_max_i32" => U(i(0).max(i(1)) as u32),
        "v_min_u32" => U(u(0).min(u(1))),
        "v_max_u32" => U(u(0).max(u(1))),
        "v_lshr_b32" => U(u(0) >> (u(1) & 31)),
        "v_lshrrev_b32" => U(u(1) >> (u(0) & 31)),
        "v_ashr_i32" => U((i(0) >> (u(1) & 31)) as u32),
        "v_ashrrev_i32" => U((i(1) >> (u(0) & 31)) as u32),
        "v_lshl_b32" => U(u(0) << (u(1) & 31)),
        "v_lshlrev_b32" => U(u(1) << (u(0) & 31)),
        "v_and_b32" => U(u(0) & u(1)),
        "v_or_b32" => U(u(0) | u(1)),
        "v_xor_b32" => U(u(0) ^ u(1)),
        "v_bfm_b32" => U((((1u64 << (u(0) & 31)) - 1) << (u(1) & 31)) as u32),
        "v_mac_f32" => F(f(0) * f(1) + f(old)),
        "v_madmk_f32" => F(f(0) * 3.5 + f(1)),
        "v_madak_f32" => F(f(0) * f(1) + 3.5),
        "v_bcnt_u32_b32" => U(u(0).count_ones().wrapping_add(u(1))),
        "v_mbcnt_lo_u32_b32" => {
            let below = if a.lane & 63 >= 32 { u32::MAX } else { (1 << (a.lane & 31)) - 1 };
            U((u(0) & below).count_ones().wrapping_add(u(1)))
        }
        "v_mbcnt_hi_u32_b32" => {
            let below = if a.lane & 63 < 32 { 0 } else { (1 << (a.lane & 31)) - 1 };
            U((u(0) & below).count_ones().wrapping_add(u(1)))
        }
        "v_add_i32" => UM(u(0).wrapping_add(u(1)), (u64::from(u(0)) + u64::from(u(1))) >> 32 != 0),
        "v_sub_i32" => UM(u(0).wrapping_sub(u(1)), u(1) > u(0)),
        "v_subrev_i32" => UM(u(1).wrapping_sub(u(0)), u(0) > u(1)),
        "v_addc_u32" => {
            let sum = u64::from(u(0)) + u64::from(u(1)) + u64::from(a.mask);
            UM(sum as u32, sum >> 32 != 0)
        }
        "v_subb_u32" => {
            let difference = i64::from(u(0)) - i64::from(u(1)) - i64::from(a.mask);
            UM(difference as u32, difference < 0)
        }
        "v_subbrev_u32" => {
            let difference = i64::from(u(1)) - i64::from(u(0)) - i64::from(a.mask);
            UM(difference as u32, difference < 0)
        }
        "v_ldexp_f32" => F(ldexp(f(0).into(), i(1)) as f32),
        "v_cvt_pkaccum_u8_f32" => U(with_byte(u(old), u(1), f(0))),
        "v_cvt_pk_u8_f32" => U(with_byte(u(2), u(1), f(0))),
        "v_cvt_pknorm_i16_f32" => U(pack(norm(f(0), true), norm(f(1), true))),
        "v_cvt_pknorm_u16_f32" => U(pack(norm(f(0), false), norm(f(1), false))),
        "v_cvt_pkrtz_f16_f32" if f(0).is_nan() || f(1).is_nan() => return None,
        "v_cvt_pkrtz_f16_f32" => U(pack(half(f(0), true), half(f(1), true))),
        "v_cvt_pk_u16_u32" => U(pack(u(0).min(65535), u(1).min(65535))),
        "v_cvt_pk_i16_i32" => U(pack(i(0).clamp(-32768, 32767) as u32, i(1).clamp(-32768, 32767) as u32)),
        "v_mad_f32" => F(f(0) * f(1) + f(2)),
        "v_fma_f32" => F(f(0).mul_add(f(1), f(2))),
        "v_fma_f64" => D(d(0).mul_add(d(1), d(2))),
        "v_cubeid_f32" => F(cube(a).0),
        "v_cubesc_f32" => F(cube(a).1),
        "v_cubetc_f32" => F(cube(a).2),
        "v_cubema_f32" => F(cube(a).3),
        "v_bfe_u32" => U((u64::from(u(0)) >> (u(1) & 31) & ((1 << (u(2) & 31)) - 1)) as u32),
        "v_bfe_i32" => {
            let (offset, width) = (u(1) & 31, u(2) & 31);
            U(match width {
                0 => 0,
                _ if offset + width < 32 => (i(0) << (32 - offset - width) >> (32 - width)) as u32,
                _ => (i(0) >> offset) as u32,
            })
        }
        "v_bfi_b32" => U(u(0) & u(1) | !u(0) & u(2)),
        "v_lerp_u8" => {
            let [x, y, c] = [0, 1, 2].map(|n| bytes(u(n)));
            U(u32::from_le_bytes(std::array::from_fn(|n| ((x[n] + y[n] + (c[n] & 1)) >> 1) as u8)))
        }
        "v_alignbit_b32" => U(((u64::from(u(0)) << 32 | u64::from(u(1))) >> (u(2) & 31)) as u32),
        "v_alignbyte_b32" => U(((u64::from(u(0)) << 32 | u64::from(u(1))) >> (8 * (u(2) & 3))) as u32),
        "v_mullit_f32" => {
            let nothing =
                f(1) == f32::MIN || f(1) == f32::NEG_INFINITY || f(1).is_nan() || f(2) <= 0.0 || f(2).is_nan();
            F(if nothing { f32::MIN } else { mul_legacy(f(0), f(1)) })
        }
        "v_min3_f32" => F(min(min(f(0), f(1)), f(2))),
        "v_max3_f32" => F(max(max(f(0), f(1)), f(2))),
        "v_med3_f32" => F(median(f(0), f(1), f(2))),
        "v_min3_i32" => U(i(0).min(i(1)).min(i(2)) as u32),
        "v_max3_i32" => U(i(0).max(i(1)).max(i(2)) as u32),
        "v_min3_u32" => U(u(0).min(u(1)).min(u(2))),
        "v_max3_u32" => U(u(0).max(u(1)).max(u(2))),
        "v_med3_i32" => {
            let mut all = [i(0), i(1), i(2)];
            all.sort();
            U(all[1] as u32)
        }
        "v_med3_u32" => {
            let mut all = [u(0), u(1), u(2)];
            all.sort();
            U(all[1])
        }
        "v_sad_u8" => U(sad8(u(0), u(1), false).wrapping_add(u(2))),
        "v_sad_hi_u8" => U((sad8(u(0), u(1), false) << 16).wrapping_add(u(2))),
        "v_sad_u16" => {
            let [x, y] = [u(0), u(1)];
            let sum = (x & 0xffff).abs_diff(y & 0xffff) + (x >> 16).abs_diff(y >> 16);
            U(sum.wrapping_add(u(2)))
        }
        "v_sad_u32" => U(u(0).abs_diff(u(1)).wrapping_add(u(2))),
        "v_msad_u8" => U(sad8(u(0), u(1), true).wrapping_add(u(2))),
        "v_qsad_pk_u16_u8" | "v_mqsad_pk_u16_u8" => {
            let sums = quad(q(0), u(1), name.contains('m'));
            Q((0..4).fold(0, |out, n| {
                let lane = (q(2) >> (16 * n)) as u32 & 0xffff;
                out | u64::from(lane.wrapping_add(sums[n]) & 0xffff) << (16 * n)
            }))
        }
        "v_mqsad_u32_u8" => {
            let sums = quad(q(0), u(1), true);
            W(std::array::from_fn(|n| sums[n].wrapping_add(a.words[2][n])))
        }
        "v_div_fixup_f32" => F(div_fixup(f(0), f(1), f(2))),
        "v_div_fixup_f64" => D(div_fixup64(d(0), d(1), d(2))),
        "v_div_scale_f32" => {
            let (value, mask) = div_scale(f(0), f(1), f(2));
            FM(value, mask)
        }
        "v_div_scale_f64" => {
            let (value, mask) = div_scale64(d(0), d(1), d(2));
            DM(value, mask)
        }
        "v_div_fmas_f32" => F(f(0).mul_add(f(1), f(2)) * if a.mask { 2f32.powi(32) } else { 1.0 }),
        "v_div_fmas_f64" => D(d(0).mul_add(d(1), d(2)) * if a.mask { 2f64.powi(64) } else { 1.0 }),
        "v_lshl_b64" => Q(q(0) << (u(1) & 63)),
        "v_lshr_b64" => Q(q(0) >> (u(1) & 63)),
        "v_ashr_i64" => Q((q(0) as i64 >> (u(1) & 63)) as u64),
        "v_add_f64" => D(d(0) + d(1)),
        "v_mul_f64" => D(d(0) * d(1)),
        "v_min_f64" => D(min64(d(0), d(1))),
        "v_max_f64" => D(-min64(-d(0), -d(1))),
        "v_ldexp_f64" => D(ldexp(d(0), i(1))),
        "v_mul_lo_u32" | "v_mul_lo_i32" => U(u(0).wrapping_mul(u(1))),
        "v_mul_hi_u32" => U(((u64::from(u(0)) * u64::from(u(1))) >> 32) as u32),
        "v_mul_hi_i32" => U(((i64::from(i(0)) * i64::from(i(1))) >> 32) as u32),
        "v_trig_preop_f64" => D(trig_preop(d(0), u(1))),
        "v_mad_u64_u32" => {
            let sum = u128::from(u(0)) * u128::from(u(1)) + u128::from(q(2));
            QM(sum as u64, sum >> 64 != 0)
        }
        "v_mad_i64_i32" => {
            let product = (i64::from(i(0)) * i64::from(i(1))) as u64;
            let (sum, carry) = product.overflowing_add(q(2));
            QM(sum, carry)
        }
        _ => return None,
    })
}

/// Whether a comparison holds, by its mnemonic: `v_cmp[s][x]_CONDITION_TYPE`.
pub(crate) fn compare(name: &str, a: &Operands) -> Option<bool> {
    let rest = ["v_cmp_", "v_cmpx_", "v_cmps_", "v_cmpsx_"].iter().find_map(|start| name.strip_prefix(start))?;
    let (condition, ty) = rest.split_once('_')?;
    if condition == "class" {
        return Some(class(ty == "f64", a));
    }
    use std::cmp::Ordering::*;
    let order = match ty {
        "f32" => a.f(0).partial_cmp(&a.f(1)),
        "f64" => a.d(0).partial_cmp(&a.d(1)),
        "i32" => Some(a.i(0).cmp(&a.i(1))),
        "u32" => Some(a.u(0).cmp(&a.u(1))),
        "i64" => Some((a.q(0) as i64).cmp(&(a.q(1) as i64))),
        "u64" => Some(a.q(0).cmp(&a.q(1))),
        _ => return None,
    };
    Some(match condition {
        "f" => false,
        "t" | "tru" => true,
        "lt" => order == Some(Less),
        "eq" => order == Some(Equal),
        "le" => matches!(order, Some(Less | Equal)),
        "gt" => order == Some(Greater),
        "lg" | "ne" => matches!(order, Some(Less | Greater)),
        "ge" => matches!(order, Some(Greater | Equal)),
        "o" => order.is_some(),
        "u" => order.is_none(),
        "nge" => !matches!(order, Some(Greater | Equal)),
        "nlg" => !matches!(order, Some(Less | Greater)),
        "ngt" => order != Some(Greater),
        "nle" => !matches!(order, Some(Less | Equal)),
        "neq" => order != Some(Equal),
        "nlt" => order != Some(Less),
        _ => return None,
    })
}

fn class(wide: bool, a: &Operands) -> bool {
    let (bits, mantissa, width) = if wide { (a.q(0), 52, 64) } else { (u64::from(a.u(0)), 23, 32) };
    let negative = bits >> (width - 1) != 0;
    let most = (1u64 << (width - 1 - mantissa)) - 1;
    let exponent = bits >> mantissa & most;
    let fraction = bits & ((1 << mantissa) - 1);
    let bit = match (exponent, fraction) {
        (e, 0) if e == most => {
            if negative {
                2
            } else {
                9
            }
        }
        (e, fraction) if e == most => {
            if fraction >> (mantissa - 1) != 0 {
                1
            } else {
                0
            }
        }
        (0, 0) => {
            if negative {
                5
            } else {
                6
            }
        }
        (0, _) => {
            if negative {
                4
            } else {
                7
            }
        }
        _ => {
            if negative {
                3
            } else {
                8
            }
        }
    };
    a.u(1) >> bit & 1 != 0
}
