//! Numbers of fewer bits than 32: parts of words, and half floats.

use afterimage_ir::{Kind, Type, Value};

use super::Lifter;

impl Lifter<'_> {
    /// Components clamped to `low` to 1, as whole numbers of `1 / scale`, in parts of one word.
    pub(super) fn pack(&mut self, a: Value, parts: u8, low: f32, scale: f32) -> Value {
        let (low, one) = (self.b.f32(low), self.b.f32(1.0));
        let clamped = self.b.fmax(a, low);
        let clamped = self.b.fmin(clamped, one);
        let scaled = self.times(clamped, scale);
        let rounded = self.b.fround(scaled);
        let number = self.b.f2i(rounded);
        let mask = self.b.i32(if parts == 4 { 0xff } else { 0xffff });
        let bits = self.b.iand(number, mask);
        self.join(bits, parts)
    }

    /// The components as parts of one word, the first lowest.
    pub(super) fn join(&mut self, bits: Value, parts: u8) -> Value {
        let mut word = self.b.extract(bits, 0);
        for part in 1..parts {
            let (bits, by) = (self.b.extract(bits, part), self.b.i32(32 / i32::from(parts) * i32::from(part)));
            let shifted = self.b.ishl(bits, by);
            word = self.b.ior(word, shifted);
        }
        word
    }

    /// Parts of one word as whole numbers of `1 / scale`.
    pub(super) fn unpack(&mut self, a: Value, parts: u8, signed: bool, scale: f32) -> Value {
        let size = 32 / u32::from(parts);
        // To the top of the word and down again, which brings the sign along.
        let up: [u32; 4] = std::array::from_fn(|part| (32 - size).saturating_sub(size * part as u32));
        let up = self.b.const_bits(Type::new(Kind::Int, parts), up);
        let down = self.b.i32((32 - size) as i32);
        let top = self.b.ishl(a, up);
        let number = if signed { self.b.ishr(top, down) } else { self.b.ushr(top, down) };
        let number = if signed { self.b.i2f(number) } else { self.b.u2f(number) };
        let scale = self.b.f32(scale);
        let value = self.b.fdiv(number, scale);
        let (low, one) = (self.b.f32(-1.0), self.b.f32(1.0));
        let value = self.b.fmax(value, low);
        self.b.fmin(value, one)
    }

    /// Bits of half floats, rounded to nearest, halves to even.
    pub(super) fn float_to_half(&mut self, a: Value) -> Value {
        let int = |l: &mut Self, value: u32| l.b.i32(value as i32);
        let bits = self.b.cast(a, Kind::Int);
        let (sixteen, sign_mask, size_mask) = (int(self, 16), int(self, 0x8000), int(self, 0x7fff_ffff));
        let sign = self.b.ushr(bits, sixteen);
        let sign = self.b.iand(sign, sign_mask);
        let size = self.b.iand(bits, size_mask);
        // Numbers with an exponent of their own.
        let (bias, shift, one, almost) = (int(self, 0x3800_0000), int(self, 13), int(self, 1), int(self, 0xfff));
        let rebased = self.b.isub(size, bias);
        let last = self.b.ushr(rebased, shift);
        let last = self.b.iand(last, one);
        let rounded = self.b.iadd(rebased, almost);
        let rounded = self.b.iadd(rounded, last);
        let normal = self.b.ushr(rounded, shift);
        // Those without, in units of the smallest.
        let float = self.b.cast(size, Kind::Float);
        let units = self.times(float, 16_777_216.0);
        let units = self.b.fround(units);
        let small = self.b.f2u(units);
        let (least, most, infinite) = (int(self, 0x3880_0000), int(self, 0x4780_0000), int(self, 0x7f80_0000));
        let is_small = self.b.ult(size, least);
        let half = self.b.select(is_small, small, normal);
        let (infinity, nan) = (int(self, 0x7c00), int(self, 0x7e00));
        let is_large = self.b.ule(most, size);
        let half = self.b.select(is_large, infinity, half);
        let is_nan = self.b.ult(infinite, size);
        let half = self.b.select(is_nan, nan, half);
        self.b.ior(half, sign)
    }

    /// Floats from the bits of half floats.
    pub(super) fn half_to_float(&mut self, a: Value) -> Value {
        let int = |l: &mut Self, value: u32| l.b.i32(value as i32);
        let (sixteen, sign_mask, size_mask) = (int(self, 16), int(self, 0x8000), int(self, 0x7fff));
        let sign = self.b.iand(a, sign_mask);
        let sign = self.b.ishl(sign, sixteen);
        let size = self.b.iand(a, size_mask);
        let (shift, bias, infinite) = (int(self, 13), int(self, 0x3800_0000), int(self, 0x7f80_0000));
        let wide = self.b.ishl(size, shift);
        let normal = self.b.iadd(wide, bias);
        let special = self.b.ior(wide, infinite);
        let units = self.b.u2f(size);
        let small = self.times(units, 1.0 / 16_777_216.0);
        let small = self.b.cast(small, Kind::Int);
        let (least, most) = (int(self, 0x0400), int(self, 0x7c00));
        let is_small = self.b.ult(size, least);
        let is_special = self.b.ule(most, size);
        let bits = self.b.select(is_small, small, normal);
        let bits = self.b.select(is_special, special, bits);
        let bits = self.b.ior(bits, sign);
        self.b.cast(bits, Kind::Float)
    }
}
