//! Bit fields, halves, and powers of two: what takes several instructions to be as the opcode table has it for all operands.

use afterimage_ir::{InstData, Kind, Type, Value};

use crate::emit::Emitter;
use crate::spec::{glsl, op};
use crate::words::Id;

impl Emitter<'_> {
    /// First bit and length of a field that both are constants and lie within the operand.
    fn known_field(&self, data: &InstData) -> Option<[u32; 2]> {
        let known = |value: Value| {
            let bits = self.m.as_const(value)?;
            let lanes = &bits[..self.m.ty(value).lanes as usize];
            lanes.iter().all(|&b| b == lanes[0]).then(|| lanes[0] & 31)
        };
        let (first, count) = (known(data.args[1])?, known(data.args[2])?);
        (first + count <= 32).then_some([first, count])
    }

    fn masked(&mut self, value: Id, full: Type) -> Id {
        let (ty, mask) = (self.w.ty(full), self.w.splat(full, 31));
        self.w.value(op::BitwiseAnd, ty, &[value, mask])
    }

    pub(crate) fn unsigned_field(&mut self, data: &InstData, args: &[Id], full: Type) -> Id {
        let ty = self.w.ty(full);
        if let Some(field) = self.known_field(data) {
            let [first, count] = field.map(|n| self.w.uint(n));
            return self.w.value(op::BitFieldUExtract, ty, &[args[0], first, count]);
        }
        let (first, count) = (self.masked(args[1], full), self.masked(args[2], full));
        let ones = self.w.splat(full, !0);
        let value = self.w.value(op::ShiftRightLogical, ty, &[args[0], first]);
        let above = self.w.value(op::ShiftLeftLogical, ty, &[ones, count]);
        let mask = self.w.value(op::Not, ty, &[above]);
        self.w.value(op::BitwiseAnd, ty, &[value, mask])
    }

    pub(crate) fn signed_field(&mut self, data: &InstData, args: &[Id], full: Type) -> Id {
        let ty = self.w.ty(full);
        if let Some(field) = self.known_field(data) {
            let [first, count] = field.map(|n| self.w.uint(n));
            return self.w.value(op::BitFieldSExtract, ty, &[args[0], first, count]);
        }
        let bools = self.w.ty(full.with_kind(Kind::Bool));
        let (first, count) = (self.masked(args[1], full), self.masked(args[2], full));
        let (zero, most) = (self.w.splat(full, 0), self.w.splat(full, 32));
        let end = self.w.value(op::IAdd, ty, &[first, count]);
        let end = self.w.ext(glsl::UMin, ty, &[end, most]);
        let up = self.w.value(op::ISub, ty, &[most, end]);
        let up = self.masked(up, full);
        let down = self.w.value(op::IAdd, ty, &[up, first]);
        let down = self.masked(down, full);
        let value = self.w.value(op::ShiftLeftLogical, ty, &[args[0], up]);
        let value = self.w.value(op::ShiftRightArithmetic, ty, &[value, down]);
        let empty = self.w.value(op::IEqual, bools, &[count, zero]);
        self.w.value(op::Select, ty, &[empty, zero, value])
    }

    /// Sign (in its place in a half) and size of a float's bits.
    fn sign_and_size(&mut self, float: Id, full: Type) -> [Id; 2] {
        let ty = self.w.ty(full);
        let bits = self.w.value(op::Bitcast, ty, &[float]);
        let (sixteen, sign, size) =
            (self.w.splat(full, 16), self.w.splat(full, 0x8000), self.w.splat(full, 0x7fff_ffff));
        let high = self.w.value(op::ShiftRightLogical, ty, &[bits, sixteen]);
        [self.w.value(op::BitwiseAnd, ty, &[high, sign]), self.w.value(op::BitwiseAnd, ty, &[bits, size])]
    }

    /// `if size > above { yes } else { no }`.
    fn where_above(&mut self, size: Id, above: u32, yes: Id, no: Id, full: Type) -> Id {
        let (ty, bools) = (self.w.ty(full), self.w.ty(full.with_kind(Kind::Bool)));
        let above = self.w.splat(full, above);
        let is = self.w.value(op::UGreaterThan, bools, &[size, above]);
        self.w.value(op::Select, ty, &[is, yes, no])
    }

    pub(crate) fn half(&mut self, float: Id, full: Type) -> Id {
        let (ty, floats) = (self.w.ty(full), self.w.ty(full.with_kind(Kind::Float)));
        let [sign, size] = self.sign_and_size(float, full);
        let (thirteen, one) = (self.w.splat(full, 13), self.w.splat(full, 1));
        let bias = self.w.splat(full, 0xfffu32.wrapping_sub(0x3800_0000));
        let odd = self.w.value(op::ShiftRightLogical, ty, &[size, thirteen]);
        let odd = self.w.value(op::BitwiseAnd, ty, &[odd, one]);
        let normal = self.w.value(op::IAdd, ty, &[size, bias]);
        let normal = self.w.value(op::IAdd, ty, &[normal, odd]);
        let normal = self.w.value(op::ShiftRightLogical, ty, &[normal, thirteen]);
        // The sum's last bit is that of a half's fraction, so that adding rounds as wanted.
        let (half, half_bits) = (self.w.float(full, 0.5), self.w.splat(full, 0.5f32.to_bits()));
        let small = self.w.value(op::Bitcast, floats, &[size]);
        let small = self.w.value(op::FAdd, floats, &[small, half]);
        let small = self.w.value(op::Bitcast, ty, &[small]);
        let small = self.w.value(op::ISub, ty, &[small, half_bits]);
        let (infinity, nan) = (self.w.splat(full, 0x7c00), self.w.splat(full, 0x7e00));
        let value = self.where_above(size, 0x387f_ffff, normal, small, full);
        let value = self.where_above(size, 0x477f_ffff, infinity, value, full);
        let value = self.w.value(op::BitwiseOr, ty, &[value, sign]);
        self.where_above(size, 0x7f80_0000, nan, value, full)
    }

    pub(crate) fn half_toward_zero(&mut self, float: Id, full: Type) -> Id {
        let (ty, floats) = (self.w.ty(full), self.w.ty(full.with_kind(Kind::Float)));
        let [sign, size] = self.sign_and_size(float, full);
        let (thirteen, bias) = (self.w.splat(full, 13), self.w.splat(full, 0x3800_0000));
        let normal = self.w.value(op::ISub, ty, &[size, bias]);
        let normal = self.w.value(op::ShiftRightLogical, ty, &[normal, thirteen]);
        // Fractions of a half below its normal numbers; where the number is none of these, one that can be converted.
        let most = self.w.splat(full, 0x3880_0000);
        let small = self.w.ext(glsl::UMin, ty, &[size, most]);
        let small = self.w.value(op::Bitcast, floats, &[small]);
        let scale = self.w.float(full, 16_777_216.0);
        let small = self.w.value(op::FMul, floats, &[small, scale]);
        let small = self.w.value(op::ConvertFToU, ty, &[small]);
        let [greatest, infinity, nan] = [0x7bff, 0x7c00, 0x7e00].map(|bits| self.w.splat(full, bits));
        let value = self.where_above(size, 0x387f_ffff, normal, small, full);
        let value = self.where_above(size, 0x477f_ffff, greatest, value, full);
        let value = self.where_above(size, 0x7f7f_ffff, infinity, value, full);
        let value = self.w.value(op::BitwiseOr, ty, &[value, sign]);
        self.where_above(size, 0x7f80_0000, nan, value, full)
    }

    pub(crate) fn float_of_half(&mut self, bits: Value, full: Type) -> Id {
        let (float, pair) = (self.w.ty(Type::F32), self.w.ty(Type::F32X2));
        let mut parts = [0; 4];
        for lane in 0..full.lanes {
            let word = self.lane(bits, lane);
            let both = self.w.ext(glsl::UnpackHalf2x16, pair, &[word]);
            parts[lane as usize] = self.w.value(op::CompositeExtract, float, &[both, 0]);
        }
        let ty = self.w.ty(full);
        if full.lanes == 1 { parts[0] } else { self.w.value(op::CompositeConstruct, ty, &parts[..full.lanes as usize]) }
    }

    /// In steps that are powers of two themselves, as the opcode table does it.
    pub(crate) fn ldexp(&mut self, data: &InstData, args: &[Id], full: Type) -> Id {
        let ints = full.with_kind(Kind::Int);
        let (ty, int) = (self.w.ty(full), self.w.ty(ints));
        if let Some(bits) = self.m.as_const(data.args[1]) {
            let steps = &bits[..full.lanes as usize];
            if steps.iter().all(|&b| (-126..=127).contains(&(b as i32))) {
                let power = self.w.constant(full, bits.map(|b| (b.wrapping_add(127)) << 23));
                return self.w.value(op::FMul, ty, &[args[0], power]);
            }
        }
        let (low, high) = (self.w.splat(ints, -126i32 as u32), self.w.splat(ints, 127));
        let shift = self.w.splat(ints, 23);
        let (mut value, mut rest) = (args[0], args[1]);
        for round in 0..3 {
            let step = self.w.ext(glsl::SClamp, int, &[rest, low, high]);
            let power = self.w.value(op::IAdd, int, &[step, high]);
            let power = self.w.value(op::ShiftLeftLogical, int, &[power, shift]);
            let power = self.w.value(op::Bitcast, ty, &[power]);
            value = self.w.value(op::FMul, ty, &[value, power]);
            if round < 2 {
                rest = self.w.value(op::ISub, int, &[rest, step]);
            }
        }
        value
    }

    /// Mantissa and exponent.
    pub(crate) fn frexp(&mut self, float: Id, full: Type) -> (Id, Id) {
        let (floats, ints, bools) =
            (full.with_kind(Kind::Float), full.with_kind(Kind::Int), full.with_kind(Kind::Bool));
        let (float_ty, int_ty, bool_ty) = (self.w.ty(floats), self.w.ty(ints), self.w.ty(bools));
        let size = self.w.ext(glsl::FAbs, float_ty, &[float]);
        let least = self.w.float(floats, f32::MIN_POSITIVE);
        let small = self.w.value(op::FOrdLessThan, bool_ty, &[size, least]);
        let scale = self.w.float(floats, 2f32.powi(32));
        let scaled = self.w.value(op::FMul, float_ty, &[float, scale]);
        let scaled = self.w.value(op::Select, float_ty, &[small, scaled, float]);
        let bits = self.w.value(op::Bitcast, int_ty, &[scaled]);
        let [keep, half, shift, exponents, bias, more, zero] =
            [0x807f_ffff, 0.5f32.to_bits(), 23, 0xff, 126, 32, 0].map(|bits| self.w.splat(ints, bits));
        let mant = self.w.value(op::BitwiseAnd, int_ty, &[bits, keep]);
        let mant = self.w.value(op::BitwiseOr, int_ty, &[mant, half]);
        let mant = self.w.value(op::Bitcast, float_ty, &[mant]);
        let exp = self.w.value(op::ShiftRightLogical, int_ty, &[bits, shift]);
        let exp = self.w.value(op::BitwiseAnd, int_ty, &[exp, exponents]);
        let special = self.w.value(op::IEqual, bool_ty, &[exp, exponents]);
        let nothing = self.w.value(op::IEqual, bool_ty, &[exp, zero]);
        let special = self.w.value(op::LogicalOr, bool_ty, &[special, nothing]);
        let exp = self.w.value(op::ISub, int_ty, &[exp, bias]);
        let less = self.w.value(op::Select, int_ty, &[small, more, zero]);
        let exp = self.w.value(op::ISub, int_ty, &[exp, less]);
        let mant = self.w.value(op::Select, float_ty, &[special, float, mant]);
        (mant, self.w.value(op::Select, int_ty, &[special, zero, exp]))
    }
}
