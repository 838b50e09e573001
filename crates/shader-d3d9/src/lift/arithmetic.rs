//! Opcodes that compute one value from their sources. The rules are those of the shader reference; where a product is
//! formed, zero times anything is zero, which is what all Direct3D 9 hardware does.

use super::{LiftErrorKind, Lifter};
use crate::instruction::{ControlBits, Instruction, Src};
use crate::tables::{Opcode, RegisterType};
use afterimage_ir::Value;

/// Largest exponent of `lit`, which the reference gives as 127.9961.
const LIT_LIMIT: f32 = 127.9961;

impl Lifter<'_> {
    /// What an instruction computes; `None` if it writes nothing. Texture opcodes are next door.
    pub(super) fn arithmetic(&mut self, i: &Instruction) -> Result<Option<Value>, LiftErrorKind> {
        let s = &i.srcs;
        Ok(Some(match i.op {
            Opcode::Nop | Opcode::Dcl | Opcode::Def | Opcode::DefI | Opcode::DefB | Opcode::Phase => return Ok(None),
            Opcode::Mov => self.mov(i)?,
            Opcode::MovA => {
                let value = self.src(&s[0])?;
                let rounded = self.b.fround(value);
                self.b.f2i(rounded)
            }
            Opcode::Add => self.binary(s, |b, x, y| b.fadd(x, y))?,
            Opcode::Sub => self.binary(s, |b, x, y| b.fsub(x, y))?,
            Opcode::Mul => self.binary(s, |b, x, y| b.fmulz(x, y))?,
            Opcode::Min => self.binary(s, |b, x, y| b.fminc(x, y))?,
            Opcode::Max => self.binary(s, |b, x, y| b.fmaxc(x, y))?,
            Opcode::Slt => {
                let less = self.binary(s, |b, x, y| b.flt(x, y))?;
                self.truth(less)
            }
            Opcode::Sge => {
                let not_less = self.binary(s, |b, x, y| b.fle(y, x))?;
                self.truth(not_less)
            }
            Opcode::Mad => {
                let (x, y, z) = self.three(s)?;
                self.b.fmadz(x, y, z)
            }
            Opcode::Lrp => {
                let (f, x, y) = self.three(s)?;
                let difference = self.b.fsub(x, y);
                self.b.fmadz(f, difference, y)
            }
            Opcode::Cmp => {
                let (c, x, y) = self.three(s)?;
                let zero = self.b.f32(0.0);
                let positive = self.b.fle(zero, c);
                self.b.select(positive, x, y)
            }
            Opcode::Cnd => self.cnd(s)?,
            Opcode::Dp3 => self.dot(s, 3)?,
            Opcode::Dp4 => self.dot(s, 4)?,
            Opcode::Dp2Add => {
                let product = self.dot(s, 2)?;
                let addend = self.scalar(&s[2])?;
                self.b.fadd(product, addend)
            }
            Opcode::M4x4 | Opcode::M4x3 => self.matrix(i, 4)?,
            Opcode::M3x4 | Opcode::M3x3 | Opcode::M3x2 => self.matrix(i, 3)?,
            Opcode::Rcp => self.unary(s, |b, x| b.frcpc(x))?,
            Opcode::Rsq => self.unary(s, |b, x| {
                let x = b.fabs(x);
                b.frsqc(x)
            })?,
            Opcode::Exp => self.unary(s, |b, x| b.fexp2(x))?,
            Opcode::ExpP if self.program.version.major >= 2 => self.unary(s, |b, x| b.fexp2(x))?,
            Opcode::ExpP => self.expp(&s[0])?,
            Opcode::Log | Opcode::LogP => self.unary(s, |b, x| {
                let x = b.fabs(x);
                b.flog2c(x)
            })?,
            Opcode::Pow => {
                let (base, exponent) = (self.scalar(&s[0])?, self.scalar(&s[1])?);
                self.pow(base, exponent)
            }
            Opcode::Frc => {
                let value = self.src(&s[0])?;
                self.b.ffract(value)
            }
            Opcode::Abs => {
                let value = self.src(&s[0])?;
                self.b.fabs(value)
            }
            Opcode::Sgn | Opcode::Sgn2 => self.sgn(&s[0])?,
            Opcode::Nrm => self.nrm(&s[0])?,
            Opcode::Crs => self.crs(s)?,
            Opcode::SinCos | Opcode::SinCos2 => {
                let angle = self.scalar(&s[0])?;
                let (cos, sin) = (self.b.fcos(angle), self.b.fsin(angle));
                self.b.construct(&[cos, sin, sin, sin])
            }
            Opcode::Lit => self.lit(&s[0])?,
            Opcode::Dst => self.dst(s)?,
            Opcode::SetP => {
                let (x, y) = (self.src(&s[0])?, self.src(&s[1])?);
                match i.control {
                    ControlBits::Comparison(comparison) => self.compare(comparison, x, y),
                    _ => return Err(LiftErrorKind::Unsupported),
                }
            }
            Opcode::Dsx => {
                let value = self.src(&s[0])?;
                self.b.ddx(value)
            }
            Opcode::Dsy => {
                let value = self.src(&s[0])?;
                self.b.ddy(value)
            }
            _ => return self.texture(i),
        }))
    }

    fn binary(
        &mut self,
        s: &[Src],
        f: impl FnOnce(&mut afterimage_ir::Builder, Value, Value) -> Value,
    ) -> Result<Value, LiftErrorKind> {
        let (x, y) = (self.src(&s[0])?, self.src(&s[1])?);
        Ok(f(&mut self.b, x, y))
    }

    /// A scalar opcode; its result is repeated to all components.
    fn unary(
        &mut self,
        s: &[Src],
        f: impl FnOnce(&mut afterimage_ir::Builder, Value) -> Value,
    ) -> Result<Value, LiftErrorKind> {
        let x = self.scalar(&s[0])?;
        Ok(f(&mut self.b, x))
    }

    fn three(&mut self, s: &[Src]) -> Result<(Value, Value, Value), LiftErrorKind> {
        Ok((self.src(&s[0])?, self.src(&s[1])?, self.src(&s[2])?))
    }

    fn dot(&mut self, s: &[Src], lanes: usize) -> Result<Value, LiftErrorKind> {
        let (x, y) = (self.src_row(&s[0], 0, lanes)?, self.src_row(&s[1], 0, lanes)?);
        Ok(self.b.fdotz(x, y))
    }

    fn truth(&mut self, condition: Value) -> Value {
        let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
        self.b.select(condition, one, zero)
    }

    /// `mov`; into `a0` (vs_1_1) it rounds down.
    fn mov(&mut self, i: &Instruction) -> Result<Value, LiftErrorKind> {
        let value = self.src(&i.srcs[0])?;
        Ok(match &i.dst {
            Some(dst) if dst.register.ty == RegisterType::Address => {
                let floor = self.b.ffloor(value);
                self.b.f2i(floor)
            }
            _ => value,
        })
    }

    fn matrix(&mut self, i: &Instruction, lanes: usize) -> Result<Value, LiftErrorKind> {
        let vector = self.src_row(&i.srcs[0], 0, lanes)?;
        let mut products = Vec::with_capacity(4);
        for row in 0..i.op.info().rows().unwrap_or(1) {
            let row = self.src_row(&i.srcs[1], row, lanes)?;
            products.push(self.b.fdotz(vector, row));
        }
        Ok(self.b.construct(&products))
    }

    /// `src0 > 0.5 ? src1 : src2`; before ps_1_4 it is `r0.a` that is compared.
    fn cnd(&mut self, s: &[Src]) -> Result<Value, LiftErrorKind> {
        let condition = if self.program.version.is_ps_before_1_4() { self.scalar(&s[0])? } else { self.src(&s[0])? };
        let (x, y) = (self.src(&s[1])?, self.src(&s[2])?);
        let half = self.b.f32(0.5);
        let above = self.b.flt(half, condition);
        Ok(self.b.select(above, x, y))
    }

    /// `expp` of vs_1_1: power of the floor, fraction, power, one.
    fn expp(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        let x = self.scalar(src)?;
        let floor = self.b.ffloor(x);
        let parts = [self.b.fexp2(floor), self.b.ffract(x), self.b.fexp2(x), self.b.f32(1.0)];
        Ok(self.b.construct(&parts))
    }

    /// `|base|` to the power of `exponent`; anything to the power of zero is one.
    pub(super) fn pow(&mut self, base: Value, exponent: Value) -> Value {
        let base = self.b.fabs(base);
        let log = self.b.flog2c(base);
        let product = self.b.fmulz(exponent, log);
        self.b.fexp2(product)
    }

    fn sgn(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        let x = self.src(src)?;
        let (zero, one, minus) = (self.b.f32(0.0), self.b.f32(1.0), self.b.f32(-1.0));
        let (none, negative) = (self.b.feq(x, zero), self.b.flt(x, zero));
        let otherwise = self.b.select(none, zero, one);
        Ok(self.b.select(negative, minus, otherwise))
    }

    /// All four components times the reciprocal length of the first three.
    fn nrm(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        let value = self.src(src)?;
        let xyz = self.b.resize(value, 3);
        let square = self.b.fdotz(xyz, xyz);
        let factor = self.b.frsqc(square);
        Ok(self.b.fmulz(value, factor))
    }

    fn crs(&mut self, s: &[Src]) -> Result<Value, LiftErrorKind> {
        let (x, y) = (self.src(&s[0])?, self.src(&s[1])?);
        let [yzx, zxy] = [[1, 2, 0, 0], [2, 0, 1, 1]].map(|lanes| afterimage_ir::Swizzle::new(&lanes));
        let (a, b) = (self.b.swizzle(x, yzx), self.b.swizzle(y, zxy));
        let (c, d) = (self.b.swizzle(x, zxy), self.b.swizzle(y, yzx));
        let (first, second) = (self.b.fmulz(a, b), self.b.fmulz(c, d));
        Ok(self.b.fsub(first, second))
    }

    /// Lighting coefficients: 1, max(x, 0), x > 0 ? max(y, 0) to the power of w : 0, 1.
    fn lit(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        let value = self.src(src)?;
        let [x, y, w] = [0, 1, 3].map(|lane| self.b.extract(value, lane));
        let (zero, one) = (self.b.f32(0.0), self.b.f32(1.0));
        let (low, high) = (self.b.f32(-LIT_LIMIT), self.b.f32(LIT_LIMIT));
        let diffuse = self.b.fmaxc(x, zero);
        let power = self.b.fmaxc(w, low);
        let power = self.b.fminc(power, high);
        let base = self.b.fmaxc(y, zero);
        let specular = self.pow(base, power);
        let (lit, shines) = (self.b.flt(zero, x), self.b.flt(zero, y));
        let both = self.b.band(lit, shines);
        let specular = self.b.select(both, specular, zero);
        Ok(self.b.construct(&[one, diffuse, specular, one]))
    }

    /// Distance vector: 1, y * y, z of the first, w of the second.
    fn dst(&mut self, s: &[Src]) -> Result<Value, LiftErrorKind> {
        let (x, y) = (self.src(&s[0])?, self.src(&s[1])?);
        let (a, b) = (self.b.extract(x, 1), self.b.extract(y, 1));
        let parts = [self.b.f32(1.0), self.b.fmulz(a, b), self.b.extract(x, 2), self.b.extract(y, 3)];
        Ok(self.b.construct(&parts))
    }
}
