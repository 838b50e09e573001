//! The instruction set GLSL.std.450.

use afterimage_ir::{Kind, Op, Type, Value};
use smallvec::SmallVec;

use super::composites::composite;
use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::tables::glsl;

/// Coefficients of `atan(x) / x` in powers of `x * x` for `x` in 0..1, interpolated at the Chebyshev nodes; off by 1e-7 at most.
const ATAN: [f32; 9] = [
    1.0,
    -0.333_330_36,
    0.199_918_72,
    -0.141_977_98,
    0.106_183_71,
    -0.074_568_55,
    0.042_137_623,
    -0.015_731_249,
    0.002_766_283_5,
];

impl Lifter<'_> {
    /// An instruction of the set: set, instruction, operands.
    pub(super) fn extended(&mut self, words: &[u32], ty: u32) -> Result<Val, LiftErrorKind> {
        if self.d.sets.get(&words[0]) != Some(&true) {
            return Err(LiftErrorKind::Malformed("the operand is no set of extended instructions"));
        }
        let (number, ids) = (words[1], &words[2..]);
        if self.is_wide(ty, ids.get(..1).unwrap_or_default()) {
            return match number {
                glsl::Modf | glsl::Frexp if ids.len() == 2 => {
                    let (first, second) = self.wide_split(number == glsl::Modf, ids[0])?;
                    let pointer = self.pointer(ids[1])?;
                    self.store(&pointer, &second)?;
                    Ok(first)
                }
                _ => self.wide_extended(number, ids, ty),
            };
        }
        match number {
            glsl::ModfStruct | glsl::FrexpStruct if ids.first().is_some_and(|&id| self.is_wide(0, &[id])) => {
                let (first, second) = self.wide_split(number == glsl::ModfStruct, ids[0])?;
                return Ok(Val::Composite([first, second].into()));
            }
            glsl::Determinant | glsl::MatrixInverse if ids.len() == 1 => return self.matrix(number, ids[0]),
            glsl::Modf | glsl::Frexp if ids.len() == 2 => {
                let (value, pointer) = (self.leaf(ids[0])?, self.pointer(ids[1])?);
                let (first, second) = self.split(number == glsl::Modf, value);
                self.store(&pointer, &Val::Leaf(second))?;
                return Ok(Val::Leaf(first));
            }
            _ => {}
        }
        let args: SmallVec<[Value; 3]> = ids.iter().take(3).map(|&id| self.leaf(id)).collect::<Result<_, _>>()?;
        if let Some(op) = lanes(number) {
            let value = self.b.op(op, &args);
            return value.map(Val::Leaf).ok_or(LiftErrorKind::Malformed("the number of operands is wrong"));
        }
        let value = match args[..] {
            [a] => match number {
                glsl::ModfStruct | glsl::FrexpStruct => {
                    let (first, second) = self.split(number == glsl::ModfStruct, a);
                    return Ok(composite([first, second]));
                }
                _ => self.unary(number, a),
            },
            [a, b] => self.binary(number, a, b),
            [a, b, c] => self.ternary(number, a, b, c),
            _ => None,
        };
        value.map(Val::Leaf).ok_or_else(|| LiftErrorKind::ExtInst(glsl::text(number)))
    }

    fn unary(&mut self, number: u32, a: Value) -> Option<Value> {
        Some(match number {
            glsl::FSign => {
                let (zero, one, minus) = (self.b.f32(0.0), self.b.f32(1.0), self.b.f32(-1.0));
                let (negative, positive) = (self.b.flt(a, zero), self.b.flt(zero, a));
                let low = self.b.select(negative, minus, zero);
                self.b.select(positive, one, low)
            }
            glsl::SSign => {
                let (one, minus) = (self.b.i32(1), self.b.i32(-1));
                let low = self.b.imax(a, minus);
                self.b.imin(low, one)
            }
            glsl::Radians => self.times(a, std::f32::consts::PI / 180.0),
            glsl::Degrees => self.times(a, 180.0 / std::f32::consts::PI),
            glsl::Tan => {
                let (sin, cos) = (self.b.fsin(a), self.b.fcos(a));
                self.b.fdiv(sin, cos)
            }
            glsl::Asin | glsl::Acos => {
                let one = self.b.f32(1.0);
                let (above, below) = (self.b.fsub(one, a), self.b.fadd(one, a));
                let square = self.b.fmul(above, below);
                let other = self.b.fsqrt(square);
                if number == glsl::Asin { self.atan2(a, other) } else { self.atan2(other, a) }
            }
            glsl::Atan => {
                let one = self.b.f32(1.0);
                self.atan2(a, one)
            }
            glsl::Sinh | glsl::Cosh => {
                let negative = self.b.fneg(a);
                let (up, down) = (self.exp(a), self.exp(negative));
                let sum = if number == glsl::Sinh { self.b.fsub(up, down) } else { self.b.fadd(up, down) };
                self.times(sum, 0.5)
            }
            glsl::Tanh => {
                let (one, two) = (self.b.f32(1.0), self.b.f32(2.0));
                let double = self.b.fadd(a, a);
                let power = self.exp(double);
                let sum = self.b.fadd(power, one);
                let part = self.b.fdiv(two, sum);
                self.b.fsub(one, part)
            }
            glsl::Asinh => {
                let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
                let size = self.b.fabs(a);
                let square = self.b.fmad(a, a, one);
                let root = self.b.fsqrt(square);
                let sum = self.b.fadd(size, root);
                let log = self.log(sum);
                let negative = self.b.flt(a, zero);
                let below = self.b.fneg(log);
                self.b.select(negative, below, log)
            }
            glsl::Acosh => {
                let one = self.b.f32(1.0);
                let (above, below) = (self.b.fadd(a, one), self.b.fsub(a, one));
                let square = self.b.fmul(above, below);
                let root = self.b.fsqrt(square);
                let sum = self.b.fadd(a, root);
                self.log(sum)
            }
            glsl::Atanh => {
                let one = self.b.f32(1.0);
                let (above, below) = (self.b.fadd(one, a), self.b.fsub(one, a));
                let ratio = self.b.fdiv(above, below);
                let log = self.log(ratio);
                self.times(log, 0.5)
            }
            glsl::Exp => self.exp(a),
            glsl::Log => self.log(a),
            glsl::Length => {
                let square = self.b.fdot(a, a);
                self.b.fsqrt(square)
            }
            glsl::Normalize => {
                let square = self.b.fdot(a, a);
                let scale = self.b.frsq(square);
                self.b.fmul(a, scale)
            }
            glsl::FindILsb => {
                let (zero, one, none) = (self.b.i32(0), self.b.i32(1), self.b.i32(-1));
                let negative = self.b.ineg(a);
                let lowest = self.b.iand(a, negative);
                let below = self.b.isub(lowest, one);
                let count = self.b.bitcount(below);
                let empty = self.b.ieq(a, zero);
                self.b.select(empty, none, count)
            }
            glsl::FindUMsb => self.highest_bit(a),
            glsl::FindSMsb => {
                let all = self.b.i32(31);
                let sign = self.b.ishr(a, all);
                let bits = self.b.ixor(a, sign);
                self.highest_bit(bits)
            }
            glsl::PackSnorm4x8 => self.pack(a, 4, -1.0, 127.0),
            glsl::PackUnorm4x8 => self.pack(a, 4, 0.0, 255.0),
            glsl::PackSnorm2x16 => self.pack(a, 2, -1.0, 32767.0),
            glsl::PackUnorm2x16 => self.pack(a, 2, 0.0, 65535.0),
            glsl::UnpackSnorm4x8 => self.unpack(a, 4, true, 127.0),
            glsl::UnpackUnorm4x8 => self.unpack(a, 4, false, 255.0),
            glsl::UnpackSnorm2x16 => self.unpack(a, 2, true, 32767.0),
            glsl::UnpackUnorm2x16 => self.unpack(a, 2, false, 65535.0),
            glsl::PackHalf2x16 => {
                let halves = self.float_to_half(a);
                self.join(halves, 2)
            }
            glsl::UnpackHalf2x16 => {
                let shifts = self.b.const_bits(Type::new(Kind::Int, 2), [0, 16, 0, 0]);
                let low = self.b.i32(0xffff);
                let halves = self.b.ushr(a, shifts);
                let halves = self.b.iand(halves, low);
                self.half_to_float(halves)
            }
            _ => return None,
        })
    }

    fn binary(&mut self, number: u32, a: Value, b: Value) -> Option<Value> {
        Some(match number {
            glsl::Atan2 => self.atan2(a, b),
            glsl::Pow => {
                let log = self.b.flog2(a);
                let product = self.b.fmul(log, b);
                self.b.fexp2(product)
            }
            glsl::Step => {
                let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
                let below = self.b.flt(b, a);
                self.b.select(below, zero, one)
            }
            glsl::Distance => {
                let way = self.b.fsub(a, b);
                let square = self.b.fdot(way, way);
                self.b.fsqrt(square)
            }
            glsl::Cross => {
                let turn = |l: &mut Self, value, by: [u8; 3]| l.b.swizzle(value, afterimage_ir::Swizzle::new(&by));
                let (a1, b1) = (turn(self, a, [1, 2, 0]), turn(self, b, [2, 0, 1]));
                let (a2, b2) = (turn(self, a, [2, 0, 1]), turn(self, b, [1, 2, 0]));
                let (plus, minus) = (self.b.fmul(a1, b1), self.b.fmul(a2, b2));
                self.b.fsub(plus, minus)
            }
            glsl::Reflect => {
                let dot = self.b.fdot(b, a);
                let twice = self.b.fadd(dot, dot);
                let part = self.b.fmul(b, twice);
                self.b.fsub(a, part)
            }
            glsl::Ldexp => self.scale(a, b),
            _ => return None,
        })
    }

    fn ternary(&mut self, number: u32, a: Value, b: Value, c: Value) -> Option<Value> {
        Some(match number {
            glsl::FClamp | glsl::NClamp => {
                let low = self.b.fmax(a, b);
                self.b.fmin(low, c)
            }
            glsl::UClamp => {
                let low = self.b.umax(a, b);
                self.b.umin(low, c)
            }
            glsl::SClamp => {
                let low = self.b.imax(a, b);
                self.b.imin(low, c)
            }
            glsl::FMix => {
                let one = self.b.f32(1.0);
                let rest = self.b.fsub(one, c);
                let (from, to) = (self.b.fmul(a, rest), self.b.fmul(b, c));
                self.b.fadd(from, to)
            }
            glsl::SmoothStep => {
                let (place, range) = (self.b.fsub(c, a), self.b.fsub(b, a));
                let t = self.b.fdiv(place, range);
                let t = self.b.fsat(t);
                let (minus_two, three) = (self.b.f32(-2.0), self.b.f32(3.0));
                let slope = self.b.fmad(t, minus_two, three);
                let square = self.b.fmul(t, t);
                self.b.fmul(square, slope)
            }
            glsl::FaceForward => {
                let (dot, zero) = (self.b.fdot(c, b), self.b.f32(0.0));
                let faces = self.b.flt(dot, zero);
                let away = self.b.fneg(a);
                self.b.select(faces, a, away)
            }
            glsl::Refract => {
                let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
                let dot = self.b.fdot(b, a);
                let square = self.b.fmul(dot, dot);
                let sine = self.b.fsub(one, square);
                let eta = self.b.fmul(c, c);
                let part = self.b.fmul(eta, sine);
                let k = self.b.fsub(one, part);
                let root = self.b.fsqrt(k);
                let along = self.b.fmad(c, dot, root);
                let (straight, bent) = (self.b.fmul(a, c), self.b.fmul(b, along));
                let ray = self.b.fsub(straight, bent);
                let none = self.b.flt(k, zero);
                self.b.select(none, zero, ray)
            }
            _ => return None,
        })
    }

    pub(super) fn times(&mut self, a: Value, factor: f32) -> Value {
        let factor = self.b.f32(factor);
        self.b.fmul(a, factor)
    }

    fn exp(&mut self, a: Value) -> Value {
        let power = self.times(a, std::f32::consts::LOG2_E);
        self.b.fexp2(power)
    }

    fn log(&mut self, a: Value) -> Value {
        let log = self.b.flog2(a);
        self.times(log, std::f32::consts::LN_2)
    }

    /// Angle of the point (`x`, `y`): the polynomial in the first octant, mirrored into the others.
    fn atan2(&mut self, y: Value, x: Value) -> Value {
        let zero = self.b.f32(0.0);
        let (height, width) = (self.b.fabs(y), self.b.fabs(x));
        let (most, least) = (self.b.fmax(height, width), self.b.fmin(height, width));
        let ratio = self.b.fdiv(least, most);
        // The angle of the origin is 0, of two infinities that of their diagonal.
        let (origin, diagonal) = (self.b.feq(most, zero), self.b.feq(least, most));
        let one = self.b.f32(1.0);
        let ratio = self.b.select(diagonal, one, ratio);
        let ratio = self.b.select(origin, zero, ratio);
        let square = self.b.fmul(ratio, ratio);
        let [rest @ .., last] = ATAN;
        let mut sum = self.b.f32(last);
        for coefficient in rest.into_iter().rev() {
            let coefficient = self.b.f32(coefficient);
            sum = self.b.fmad(sum, square, coefficient);
        }
        let angle = self.b.fmul(sum, ratio);
        let quarter = self.b.f32(std::f32::consts::FRAC_PI_2);
        let steep = self.b.flt(width, height);
        let mirrored = self.b.fsub(quarter, angle);
        let angle = self.b.select(steep, mirrored, angle);
        let half = self.b.f32(std::f32::consts::PI);
        let left = self.b.flt(x, zero);
        let mirrored = self.b.fsub(half, angle);
        let angle = self.b.select(left, mirrored, angle);
        let below = self.b.flt(y, zero);
        let mirrored = self.b.fneg(angle);
        self.b.select(below, mirrored, angle)
    }

    /// Number of the highest bit set; -1 without any.
    fn highest_bit(&mut self, a: Value) -> Value {
        let mut bits = a;
        for by in [1, 2, 4, 8, 16] {
            let by = self.b.i32(by);
            let shifted = self.b.ushr(bits, by);
            bits = self.b.ior(bits, shifted);
        }
        let (count, one) = (self.b.bitcount(bits), self.b.i32(1));
        self.b.isub(count, one)
    }

    /// `modf`: fraction and whole number. Else `frexp`: significand in 0.5..1 and exponent.
    fn split(&mut self, modf: bool, a: Value) -> (Value, Value) {
        if modf {
            let whole = self.b.ftrunc(a);
            return (self.b.fsub(a, whole), whole);
        }
        let zero = self.b.f32(0.0);
        // Denormals are made normal first.
        let (tiny, large) = (self.b.f32(f32::MIN_POSITIVE), self.b.f32(16_777_216.0));
        let size = self.b.fabs(a);
        let denormal = self.b.flt(size, tiny);
        let scaled = self.b.fmul(a, large);
        let normal = self.b.select(denormal, scaled, a);
        let bits = self.b.cast(normal, Kind::Int);
        let (fraction_bits, half) = (self.b.i32(0x807f_ffff_u32 as i32), self.b.i32(0x3f00_0000));
        let fraction = self.b.iand(bits, fraction_bits);
        let fraction = self.b.ior(fraction, half);
        let fraction = self.b.cast(fraction, Kind::Float);
        let (shift, mask, bias, more) = (self.b.i32(23), self.b.i32(255), self.b.i32(126), self.b.i32(126 + 24));
        let exponent = self.b.ushr(bits, shift);
        let exponent = self.b.iand(exponent, mask);
        let bias = self.b.select(denormal, more, bias);
        let exponent = self.b.isub(exponent, bias);
        let (is_zero, none) = (self.b.feq(a, zero), self.b.i32(0));
        (self.b.select(is_zero, a, fraction), self.b.select(is_zero, none, exponent))
    }

    /// `a` times two to the power of the integer `b`, in two steps so that neither power overflows by itself.
    fn scale(&mut self, a: Value, b: Value) -> Value {
        let (low, high, one) = (self.b.i32(-252), self.b.i32(254), self.b.i32(1));
        let b = self.b.imax(b, low);
        let b = self.b.imin(b, high);
        let first = self.b.ishr(b, one);
        let second = self.b.isub(b, first);
        let mut value = a;
        for exponent in [first, second] {
            let (bias, shift) = (self.b.i32(127), self.b.i32(23));
            let biased = self.b.iadd(exponent, bias);
            let power = self.b.ishl(biased, shift);
            let power = self.b.cast(power, Kind::Float);
            value = self.b.fmul(value, power);
        }
        value
    }

    fn matrix(&mut self, number: u32, id: u32) -> Result<Val, LiftErrorKind> {
        let columns = self.columns(id)?;
        let size = columns.len() as u8;
        if size < 2 || columns.iter().any(|&column| self.b.ty(column).lanes != size) {
            return Err(LiftErrorKind::Malformed("the matrix is not square"));
        }
        let mut cells: Vec<Vec<Value>> = Vec::new();
        for &column in &columns {
            cells.push((0..size).map(|row| self.b.extract(column, row)).collect());
        }
        let all: SmallVec<[u8; 4]> = (0..size).collect();
        let determinant = self.determinant(&cells, &all, &all);
        if number == glsl::Determinant {
            return Ok(Val::Leaf(determinant));
        }
        // The adjugate: the cofactor of (column, row) stands at (row, column).
        let mut inverse = Vec::new();
        for to_column in 0..size {
            let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
            for to_row in 0..size {
                let without =
                    |n: u8| all.iter().copied().filter(move |&other| other != n).collect::<SmallVec<[u8; 4]>>();
                let minor = self.determinant(&cells, &without(to_row), &without(to_column));
                let odd = (to_row + to_column) % 2 == 1;
                let cofactor = if odd { self.b.fneg(minor) } else { minor };
                parts.push(cofactor);
            }
            let column = self.b.construct(&parts);
            inverse.push(self.b.fdiv(column, determinant));
        }
        Ok(composite(inverse))
    }

    /// Determinant of the cells in some columns and rows, expanded along the first column.
    fn determinant(&mut self, cells: &[Vec<Value>], columns: &[u8], rows: &[u8]) -> Value {
        let (Some((&column, columns)), Some(&first)) = (columns.split_first(), rows.first()) else {
            return self.b.f32(1.0);
        };
        if columns.is_empty() {
            return cells[column as usize][first as usize];
        }
        let mut sum = None;
        for (place, &row) in rows.iter().enumerate() {
            let rest: SmallVec<[u8; 4]> = rows.iter().copied().filter(|&other| other != row).collect();
            let minor = self.determinant(cells, columns, &rest);
            let term = self.b.fmul(cells[column as usize][row as usize], minor);
            sum = Some(match sum {
                None => term,
                Some(sum) if place % 2 == 1 => self.b.fsub(sum, term),
                Some(sum) => self.b.fadd(sum, term),
            });
        }
        sum.unwrap_or_else(|| self.b.f32(0.0))
    }
}

/// Instructions that are an opcode of the IR, operand by operand.
fn lanes(number: u32) -> Option<Op> {
    Some(match number {
        glsl::Round | glsl::RoundEven => Op::FRound,
        glsl::Trunc => Op::FTrunc,
        glsl::FAbs => Op::FAbs,
        glsl::SAbs => Op::IAbs,
        glsl::Floor => Op::FFloor,
        glsl::Ceil => Op::FCeil,
        glsl::Fract => Op::FFract,
        glsl::Sin => Op::FSin,
        glsl::Cos => Op::FCos,
        glsl::Exp2 => Op::FExp2,
        glsl::Log2 => Op::FLog2,
        glsl::Sqrt => Op::FSqrt,
        glsl::InverseSqrt => Op::FRsq,
        glsl::FMin | glsl::NMin => Op::FMin,
        glsl::UMin => Op::UMin,
        glsl::SMin => Op::IMin,
        glsl::FMax | glsl::NMax => Op::FMax,
        glsl::UMax => Op::UMax,
        glsl::SMax => Op::IMax,
        glsl::Fma => Op::FFma,
        _ => return None,
    })
}
