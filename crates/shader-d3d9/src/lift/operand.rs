//! Reading sources and writing destinations.

use super::{LiftErrorKind, Lifter};
use crate::instruction::{Dst, Instruction, Register, Relative, Src, Swizzle};
use crate::tables::{Comparison, MISC_FACE, RegisterType, SourceModifier};
use afterimage_ir::{self as ir, Mask, Type, Value, Var};

/// A swizzle of the first `count` (1 to 4) components.
pub(super) fn swizzle(swizzle: Swizzle, count: usize) -> ir::Swizzle {
    let lanes = [0, 1, 2, 3].map(|i| swizzle.component(i) as u8);
    ir::Swizzle::new(&lanes[..count])
}

impl Lifter<'_> {
    /// The variable of a register, made when it is first named.
    pub(super) fn var(&mut self, ty: RegisterType, number: u16) -> Var {
        let b = &mut self.b;
        *self.registers.entry((ty, number)).or_insert_with(|| {
            let register_type = match ty {
                RegisterType::Address => Type::I32X4,
                RegisterType::Predicate => Type::BOOLX4,
                _ => Type::F32X4,
            };
            b.var(Register::new(ty, number).to_string(), register_type)
        })
    }

    /// The index of a relatively addressed register, without its constant part.
    fn relative(&mut self, relative: Relative) -> Result<Value, LiftErrorKind> {
        match relative {
            Relative::Address(component) => {
                let address = self.var(RegisterType::Address, 0);
                let all = self.b.load(address);
                Ok(self.b.extract(all, component))
            }
            Relative::Loop => {
                let index = self.loops.iter().rev().find_map(|frame| frame.index);
                Ok(match index {
                    Some(index) => self.b.load(index),
                    None => self.b.i32(0),
                })
            }
        }
    }

    /// All four components of a register, `row` registers further on.
    pub(super) fn load_row(&mut self, register: Register, row: u16) -> Result<Value, LiftErrorKind> {
        let number = register.number + row;
        let relative = register.relative.map(|relative| self.relative(relative)).transpose()?;
        Ok(match register.ty {
            RegisterType::Const => {
                let bank = self.float_bank();
                match relative {
                    None if self.program.version.is_ps_1() => {
                        let value = self.b.load_const(bank, number.into());
                        let (low, high) = (self.b.f32(-1.0), self.b.f32(1.0));
                        let value = self.b.fmaxc(value, low);
                        self.b.fminc(value, high)
                    }
                    None => self.b.load_const_as(ir::Kind::Float, bank, number.into()),
                    Some(index) => self.b.load_const_dyn(bank, number.into(), index),
                }
            }
            RegisterType::ConstInt => {
                let bank = self.int_bank();
                self.b.load_const(bank, number.into())
            }
            RegisterType::ConstBool => {
                let bank = self.bool_bank();
                self.b.load_const(bank, number.into())
            }
            RegisterType::Input => match self.input_array {
                Some(array) => {
                    let base = self.b.i32(number.into());
                    let index = relative.map_or(base, |index| self.b.iadd(index, base));
                    self.b.load_elem(array, index)
                }
                None => {
                    let var = self.var(RegisterType::Input, number);
                    self.b.load(var)
                }
            },
            RegisterType::Misc if number == MISC_FACE => self.face(),
            RegisterType::Misc => self.position(),
            ty => {
                let var = self.var(ty, number);
                self.b.load(var)
            }
        })
    }

    /// A source with its swizzle and modifier, four components.
    pub(super) fn src(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        self.src_row(src, 0, 4)
    }

    /// The first `count` components of a source, `row` registers further on.
    pub(super) fn src_row(&mut self, src: &Src, row: u16, count: usize) -> Result<Value, LiftErrorKind> {
        let value = self.load_row(src.register, row)?;
        let value = self.b.swizzle(value, swizzle(src.swizzle, count));
        Ok(self.modify(src.modifier, value))
    }

    /// A source of a scalar opcode: the one component that its swizzle repeats. Without a repeated one it is the
    /// fourth, as drivers have it.
    pub(super) fn scalar(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        let value = self.load_row(src.register, 0)?;
        let value = self.b.extract(value, src.swizzle.component(3) as u8);
        Ok(self.modify(src.modifier, value))
    }

    fn modify(&mut self, modifier: SourceModifier, value: Value) -> Value {
        use SourceModifier as M;
        let b = &mut self.b;
        let changed = match modifier {
            M::None | M::Neg | M::Not => value,
            M::Bias | M::BiasNeg => {
                let half = b.f32(0.5);
                b.fsub(value, half)
            }
            M::Sign | M::SignNeg => {
                let half = b.f32(0.5);
                let biased = b.fsub(value, half);
                b.fadd(biased, biased)
            }
            M::Complement => {
                let one = b.f32(1.0);
                b.fsub(one, value)
            }
            M::X2 | M::X2Neg => b.fadd(value, value),
            M::Dz | M::Dw => {
                let divisor = b.extract(value, if modifier == M::Dz { 2 } else { 3 });
                b.fdiv(value, divisor)
            }
            M::Abs | M::AbsNeg => b.fabs(value),
        };
        match modifier {
            M::Neg | M::BiasNeg | M::SignNeg | M::X2Neg | M::AbsNeg => b.fneg(changed),
            _ => changed,
        }
    }

    /// A truth value: `b#` or a component of `p0`.
    pub(super) fn condition(&mut self, src: &Src) -> Result<Value, LiftErrorKind> {
        let value = self.load_row(src.register, 0)?;
        let lane = if src.register.ty == RegisterType::ConstBool { 0 } else { src.swizzle.component(0) as u8 };
        let lane = self.b.extract(value, lane);
        let truth = self.b.cast(lane, ir::Kind::Bool);
        Ok(if src.modifier == SourceModifier::Not { self.b.bnot(truth) } else { truth })
    }

    /// The predicate of an instruction, four components.
    fn predicate(&mut self, src: &Src) -> Value {
        let var = self.var(RegisterType::Predicate, 0);
        let value = self.b.load(var);
        let value = self.b.swizzle(value, swizzle(src.swizzle, 4));
        if src.modifier == SourceModifier::Not { self.b.bnot(value) } else { value }
    }

    /// `a OP b`.
    pub(super) fn compare(&mut self, comparison: Comparison, a: Value, b: Value) -> Value {
        match comparison {
            Comparison::Gt => self.b.flt(b, a),
            Comparison::Eq => self.b.feq(a, b),
            Comparison::Ge => self.b.fle(b, a),
            Comparison::Lt => self.b.flt(a, b),
            Comparison::Ne => self.b.fne(a, b),
            Comparison::Le => self.b.fle(a, b),
        }
    }

    /// Writes the result of an instruction.
    pub(super) fn write(
        &mut self,
        instruction: &Instruction,
        dst: &Dst,
        mut value: Value,
    ) -> Result<(), LiftErrorKind> {
        let mask = Mask(dst.mask & instruction.op.info().lanes());
        if mask.0 == 0 {
            return Ok(());
        }
        if dst.shift != 0 {
            let factor = self.b.f32(f32::from(dst.shift).exp2());
            value = self.b.fmul(value, factor);
        }
        if dst.saturate() {
            value = self.b.fsat(value);
        }
        let register = dst.register;
        if let (RegisterType::Output, Some(array)) = (register.ty, self.output_array) {
            let base = self.b.i32(register.number.into());
            let relative = register.relative.map(|relative| self.relative(relative)).transpose()?;
            let index = relative.map_or(base, |index| self.b.iadd(index, base));
            if let Some(predicate) = &instruction.predicate {
                let predicate = self.predicate(predicate);
                let old = self.b.load_elem(array, index);
                value = self.b.resize(value, 4);
                value = self.b.select(predicate, value, old);
            }
            self.b.store_elem(array, index, mask, value);
            return Ok(());
        }
        let var = self.var(register.ty, register.number);
        if let Some(predicate) = &instruction.predicate {
            let predicate = self.predicate(predicate);
            let old = self.b.load(var);
            let kind = self.b.ty(old).kind;
            value = self.b.resize(value, 4);
            value = self.b.cast(value, kind);
            value = self.b.select(predicate, value, old);
        }
        self.b.store_masked(var, mask, value);
        Ok(())
    }

    /// The condition under which a predicated instruction without a result acts; for `texkill`.
    pub(super) fn predicate_of(&mut self, instruction: &Instruction) -> Option<Value> {
        instruction.predicate.as_ref().map(|predicate| self.predicate(predicate))
    }
}
