//! Doubles, which the IR keeps in two integers.

use afterimage_ir::{InstData, Op, Pattern, Type};
use smallvec::SmallVec;

use crate::EmitError;
use crate::emit::Emitter;
use crate::spec::{decoration, glsl, op};
use crate::words::Id;

impl Emitter<'_> {
    pub(crate) fn double(&mut self, data: &InstData, args: &[Id]) -> Result<Id, EmitError> {
        let info = data.op.info();
        if !self.features.float64 {
            return Err(EmitError::Missing { what: info.name, feature: "shaderFloat64" });
        }
        let double = self.w.double();
        let mut operands: SmallVec<[Id; 3]> = SmallVec::new();
        for (&arg, &pattern) in args.iter().zip(info.args.unwrap_or_default()) {
            operands.push(if pattern == Pattern::D { self.w.value(op::Bitcast, double, &[arg]) } else { arg });
        }
        let a = &operands[..];
        let (bool_, float) = (self.w.ty(Type::BOOL), self.w.ty(Type::F32));
        let result = match data.op {
            Op::DAdd => self.w.value(op::FAdd, double, a),
            Op::DSub => self.w.value(op::FSub, double, a),
            Op::DMul => self.w.value(op::FMul, double, a),
            Op::DFma => self.w.ext(glsl::Fma, double, a),
            Op::DDiv => self.w.value(op::FDiv, double, a),
            Op::DSqrt => self.w.ext(glsl::Sqrt, double, a),
            Op::DRcp => {
                let one = self.w.double_constant(1.0);
                self.w.value(op::FDiv, double, &[one, a[0]])
            }
            Op::DRsq => {
                let one = self.w.double_constant(1.0);
                let root = self.w.ext(glsl::Sqrt, double, a);
                self.w.value(op::FDiv, double, &[one, root])
            }
            Op::DMin => self.w.ext(glsl::NMin, double, a),
            Op::DMax => self.w.ext(glsl::NMax, double, a),
            Op::DNeg => self.w.value(op::FNegate, double, a),
            Op::DAbs => self.w.ext(glsl::FAbs, double, a),
            Op::DFloor => self.w.ext(glsl::Floor, double, a),
            Op::DCeil => self.w.ext(glsl::Ceil, double, a),
            Op::DTrunc => self.w.ext(glsl::Trunc, double, a),
            Op::DRound => self.w.ext(glsl::RoundEven, double, a),
            Op::DFract => {
                let floor = self.w.ext(glsl::Floor, double, a);
                self.w.value(op::FSub, double, &[a[0], floor])
            }
            Op::DLdexp => self.double_ldexp(a[0], a[1]),
            Op::DFrexpMant => self.double_frexp(a[0]).0,
            Op::DFrexpExp => self.double_frexp(a[0]).1,
            Op::DEq => self.w.value(op::FOrdEqual, bool_, a),
            Op::DNe => self.w.value(op::FUnordNotEqual, bool_, a),
            Op::DLt => self.w.value(op::FOrdLessThan, bool_, a),
            Op::DLe => self.w.value(op::FOrdLessThanEqual, bool_, a),
            Op::DToF => self.w.value(op::FConvert, float, a),
            Op::FToD => self.w.value(op::FConvert, double, a),
            Op::DToI => self.double_to_int(op::ConvertFToS, a[0], i32::MIN.into(), i32::MAX.into()),
            Op::DToU => self.double_to_int(op::ConvertFToU, a[0], 0.0, u32::MAX.into()),
            Op::IToD => self.w.value(op::ConvertSToF, double, a),
            Op::UToD => self.w.value(op::ConvertUToF, double, a),
            _ => return Err(EmitError::Malformed(info.name)),
        };
        if info.result != Some(Pattern::D) {
            return Ok(result);
        }
        if self.exact[data.results[0].index()] && matches!(data.op, Op::DAdd | Op::DSub | Op::DMul) {
            self.w.decorate(result, decoration::NoContraction, &[]);
        }
        let pair = self.w.ty(Type::I32X2);
        Ok(self.w.value(op::Bitcast, pair, &[result]))
    }

    /// A double has all integers of 32 bits, so that clamping is enough.
    fn double_to_int(&mut self, opcode: u16, arg: Id, least: f64, most: f64) -> Id {
        let (double, int, bool_) = (self.w.double(), self.w.ty(Type::I32), self.w.ty(Type::BOOL));
        let (least, most, zero) = (self.w.double_constant(least), self.w.double_constant(most), self.w.uint(0));
        let clamped = self.w.ext(glsl::NClamp, double, &[arg, least, most]);
        let number = self.w.value(opcode, int, &[clamped]);
        let nan = self.w.value(op::IsNan, bool_, &[arg]);
        self.w.value(op::Select, int, &[nan, zero, number])
    }

    /// In steps that are powers of two themselves, as the opcode table does it.
    fn double_ldexp(&mut self, mut value: Id, mut rest: Id) -> Id {
        let (double, int, pair) = (self.w.double(), self.w.ty(Type::I32), self.w.ty(Type::I32X2));
        let (low, high) = (self.w.uint(-1022i32 as u32), self.w.uint(1023));
        let (shift, zero) = (self.w.uint(20), self.w.uint(0));
        for round in 0..3 {
            let step = self.w.ext(glsl::SClamp, int, &[rest, low, high]);
            let power = self.w.value(op::IAdd, int, &[step, high]);
            let power = self.w.value(op::ShiftLeftLogical, int, &[power, shift]);
            let power = self.w.value(op::CompositeConstruct, pair, &[zero, power]);
            let power = self.w.value(op::Bitcast, double, &[power]);
            value = self.w.value(op::FMul, double, &[value, power]);
            if round < 2 {
                rest = self.w.value(op::ISub, int, &[rest, step]);
            }
        }
        value
    }

    /// Mantissa and exponent.
    fn double_frexp(&mut self, arg: Id) -> (Id, Id) {
        let (double, int, pair) = (self.w.double(), self.w.ty(Type::I32), self.w.ty(Type::I32X2));
        let bool_ = self.w.ty(Type::BOOL);
        let size = self.w.ext(glsl::FAbs, double, &[arg]);
        let least = self.w.double_constant(f64::MIN_POSITIVE);
        let small = self.w.value(op::FOrdLessThan, bool_, &[size, least]);
        let scale = self.w.double_constant(2f64.powi(64));
        let scaled = self.w.value(op::FMul, double, &[arg, scale]);
        let scaled = self.w.value(op::Select, double, &[small, scaled, arg]);
        let bits = self.w.value(op::Bitcast, pair, &[scaled]);
        let high = self.w.value(op::CompositeExtract, int, &[bits, 1]);
        let [keep, half, shift, exponents, bias, more, zero] =
            [0x800f_ffff, 0x3fe0_0000, 20, 0x7ff, 0x3fe, 64, 0].map(|bits| self.w.uint(bits));
        let mant = self.w.value(op::BitwiseAnd, int, &[high, keep]);
        let mant = self.w.value(op::BitwiseOr, int, &[mant, half]);
        let mant = self.w.value(op::CompositeInsert, pair, &[mant, bits, 1]);
        let mant = self.w.value(op::Bitcast, double, &[mant]);
        let exp = self.w.value(op::ShiftRightLogical, int, &[high, shift]);
        let exp = self.w.value(op::BitwiseAnd, int, &[exp, exponents]);
        let special = self.w.value(op::IEqual, bool_, &[exp, exponents]);
        let nothing = self.w.value(op::IEqual, bool_, &[exp, zero]);
        let special = self.w.value(op::LogicalOr, bool_, &[special, nothing]);
        let exp = self.w.value(op::ISub, int, &[exp, bias]);
        let less = self.w.value(op::Select, int, &[small, more, zero]);
        let exp = self.w.value(op::ISub, int, &[exp, less]);
        let mant = self.w.value(op::Select, double, &[special, arg, mant]);
        (mant, self.w.value(op::Select, int, &[special, zero, exp]))
    }
}
