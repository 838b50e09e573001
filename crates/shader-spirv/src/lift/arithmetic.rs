//! What instructions compute.

use std::rc::Rc;

use afterimage_ir::{FEEDBACK_STREAMS, Kind, Op, Stage, Value};
use smallvec::SmallVec;

use super::composites::composite;
use super::pointer::Pointer;
use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::parse::Instruction;
use crate::tables::{self, op};

impl Lifter<'_> {
    /// An instruction other than control flow and calls.
    pub(super) fn step(&mut self, instruction: &Instruction) -> Result<(), LiftErrorKind> {
        let d = self.d;
        let words = d.program.operands(instruction);
        match instruction.opcode() {
            op::Nop | op::Line | op::NoLine => Ok(()),
            op::Phi => {
                let slot = self.phi(instruction.result, instruction.ty)?;
                let value = self.load_slot(&slot);
                self.define(instruction, value)
            }
            op::Variable => {
                let value = self.function_variable(instruction.result, instruction.ty)?;
                if let (Some(&initial), Val::Pointer(pointer)) = (words.get(1), &value) {
                    let initial = self.get(initial)?;
                    self.store(pointer, &initial)?;
                }
                self.define_any(instruction.result, value);
                Ok(())
            }
            op::AccessChain | op::InBoundsAccessChain => {
                let base = self.pointer(words[0])?;
                let mut pointer = Pointer::clone(&base);
                for &index in &words[1..] {
                    let step = self.index(index)?;
                    pointer = self.descend(&pointer, step)?;
                }
                self.define_any(instruction.result, Val::Pointer(Rc::new(pointer)));
                Ok(())
            }
            op::Load => {
                let pointer = self.pointer(words[0])?;
                self.bounded(instruction.ty)?;
                let value = self.load(&pointer)?;
                self.define(instruction, value)
            }
            op::Store => {
                let pointer = self.pointer(words[0])?;
                let value = self.get(words[1])?;
                self.store(&pointer, &value)
            }
            op::CopyMemory => {
                let (to, from) = (self.pointer(words[0])?, self.pointer(words[1])?);
                let value = self.load(&from)?;
                self.store(&to, &value)
            }
            op::DemoteToHelperInvocation => self.demote(),
            op::EmitVertex | op::EmitStreamVertex | op::EndPrimitive | op::EndStreamPrimitive => {
                if self.stage != Stage::Geometry {
                    return Err(LiftErrorKind::Malformed("only geometry shaders emit vertices"));
                }
                let stream = match words.first() {
                    None => 0,
                    Some(&id) => {
                        let stream = d.constant_word(id).filter(|&stream| stream < FEEDBACK_STREAMS.into());
                        stream.ok_or(LiftErrorKind::Malformed("a stream is a constant from 0 to 3"))? as u8
                    }
                };
                if matches!(instruction.opcode(), op::EmitVertex | op::EmitStreamVertex) {
                    return self.emit_vertex(stream);
                }
                self.b.end_primitive(stream);
                Ok(())
            }
            op::ExtInst if d.sets.get(&words[0]) == Some(&false) => Ok(()),
            _ if instruction.result == 0 => Err(LiftErrorKind::Instruction(instruction.row.name)),
            opcode => {
                let value = self.compute(opcode, instruction, words)?;
                self.define(instruction, value)
            }
        }
    }

    /// A result, before it is made to fit its type. `opcode` and `words` are those of the instruction, or of the operation on
    /// specialisation constants that it names.
    pub(super) fn compute(
        &mut self,
        opcode: u16,
        instruction: &Instruction,
        words: &[u32],
    ) -> Result<Val, LiftErrorKind> {
        // Our own ABI: the indices in the word of a texture slot.
        if matches!(opcode, op::BitwiseAnd | op::ShiftRightLogical)
            && self.interface.own_abi
            && let Val::Slot(slot) = self.get(words[0])?
        {
            return Ok(Val::Slot(slot));
        }
        if self.is_wide(instruction.ty, words.get(..1).unwrap_or_default())
            && let Some(value) = self.wide(opcode, instruction, words)?
        {
            return Ok(value);
        }
        if let Some(op) = lanes(opcode) {
            let operands: SmallVec<[Value; 3]> = words.iter().map(|&id| self.leaf(id)).collect::<Result<_, _>>()?;
            let value = self.b.op(op, &operands);
            return value.map(Val::Leaf).ok_or(LiftErrorKind::Malformed("the number of operands is wrong"));
        }
        if words.is_empty() && !matches!(opcode, op::Undef | op::CompositeConstruct) {
            return Err(LiftErrorKind::Instruction(instruction.row.name));
        }
        if let Some(value) = self.composites(opcode, instruction, words)? {
            return Ok(value);
        }
        if let Some(value) = self.images(opcode, instruction, words)? {
            return Ok(value);
        }
        for group in [Self::matrices, Self::numbers, Self::comparisons] {
            if let Some(value) = group(self, opcode, words)? {
                return Ok(value);
            }
        }
        let row = tables::row(opcode).unwrap_or(instruction.row);
        Err(LiftErrorKind::Instruction(row.name))
    }

    /// Arithmetic that is more than an opcode of the IR; `None` of others.
    fn numbers(&mut self, opcode: u16, words: &[u32]) -> Result<Option<Val>, LiftErrorKind> {
        let two =
            |l: &mut Self| -> Result<(Value, Value), LiftErrorKind> { Ok((l.leaf(words[0])?, l.leaf(words[1])?)) };
        Ok(Some(Val::Leaf(match opcode {
            // All numbers have 32 bits; others are seen to above.
            op::UConvert | op::SConvert | op::FConvert => self.leaf(words[0])?,
            op::QuantizeToF16 => {
                let value = self.leaf(words[0])?;
                let half = self.float_to_half(value);
                self.half_to_float(half)
            }
            op::FRem | op::FMod => {
                let (a, b) = two(self)?;
                let quotient = self.b.fdiv(a, b);
                let whole = if opcode == op::FRem { self.b.ftrunc(quotient) } else { self.b.ffloor(quotient) };
                let product = self.b.fmul(b, whole);
                self.b.fsub(a, product)
            }
            op::SMod => {
                let (a, b) = two(self)?;
                let remainder = self.b.irem(a, b);
                let zero = self.b.i32(0);
                let some = self.b.ine(remainder, zero);
                let signs = self.b.ixor(remainder, b);
                let differ = self.b.ilt(signs, zero);
                let wrong = self.b.band(some, differ);
                let other = self.b.iadd(remainder, b);
                self.b.select(wrong, other, remainder)
            }
            op::IAddCarry => {
                let (a, b) = two(self)?;
                let sum = self.b.iadd(a, b);
                let carry = self.b.ult(sum, a);
                return Ok(Some(composite([sum, self.b.cast(carry, Kind::Int)])));
            }
            op::ISubBorrow => {
                let (a, b) = two(self)?;
                let borrow = self.b.ult(a, b);
                return Ok(Some(composite([self.b.isub(a, b), self.b.cast(borrow, Kind::Int)])));
            }
            op::UMulExtended | op::SMulExtended => {
                let (a, b) = two(self)?;
                let low = self.b.imul(a, b);
                let high = if opcode == op::UMulExtended { self.b.umulhi(a, b) } else { self.b.imulhi(a, b) };
                return Ok(Some(composite([low, high])));
            }
            op::BitFieldInsert => {
                let (base, insert) = two(self)?;
                let (offset, count) = (self.leaf(words[2])?, self.leaf(words[3])?);
                let mask = self.low_bits(count);
                let mask = self.b.ishl(mask, offset);
                let insert = self.b.ishl(insert, offset);
                let insert = self.b.iand(insert, mask);
                let rest = self.b.inot(mask);
                let base = self.b.iand(base, rest);
                self.b.ior(base, insert)
            }
            op::BitFieldUExtract => {
                let (base, offset) = two(self)?;
                let count = self.leaf(words[2])?;
                let mask = self.low_bits(count);
                let shifted = self.b.ushr(base, offset);
                self.b.iand(shifted, mask)
            }
            op::BitFieldSExtract => {
                let (base, offset) = two(self)?;
                let count = self.leaf(words[2])?;
                let (zero, all) = (self.b.i32(0), self.b.i32(32));
                let right = self.b.isub(all, count);
                let left = self.b.isub(right, offset);
                let field = self.b.ishl(base, left);
                let field = self.b.ishr(field, right);
                let none = self.b.ieq(count, zero);
                self.b.select(none, zero, field)
            }
            _ => return Ok(None),
        })))
    }

    /// Comparisons that are more than an opcode of the IR; `None` of others.
    fn comparisons(&mut self, opcode: u16, words: &[u32]) -> Result<Option<Val>, LiftErrorKind> {
        let two =
            |l: &mut Self| -> Result<(Value, Value), LiftErrorKind> { Ok((l.leaf(words[0])?, l.leaf(words[1])?)) };
        Ok(Some(Val::Leaf(match opcode {
            op::LogicalEqual => {
                let (a, b) = two(self)?;
                let differ = self.b.bxor(a, b);
                self.b.bnot(differ)
            }
            op::IsNan => {
                let value = self.leaf(words[0])?;
                self.b.fne(value, value)
            }
            op::IsInf => {
                let value = self.leaf(words[0])?;
                let (value, infinity) = (self.b.fabs(value), self.b.f32(f32::INFINITY));
                self.b.feq(value, infinity)
            }
            op::FOrdGreaterThan
            | op::FOrdGreaterThanEqual
            | op::FUnordEqual
            | op::FOrdNotEqual
            | op::FUnordLessThan
            | op::FUnordLessThanEqual
            | op::FUnordGreaterThan
            | op::FUnordGreaterThanEqual
            | op::UGreaterThan
            | op::UGreaterThanEqual
            | op::SGreaterThan
            | op::SGreaterThanEqual => {
                let (a, b) = two(self)?;
                self.compare(opcode, a, b)
            }
            _ => return Ok(None),
        })))
    }

    /// Derivatives, and what images and samplers have; `None` of others.
    fn images(&mut self, opcode: u16, instruction: &Instruction, words: &[u32]) -> Result<Option<Val>, LiftErrorKind> {
        Ok(Some(match opcode {
            op::DPdx
            | op::DPdy
            | op::Fwidth
            | op::DPdxFine
            | op::DPdyFine
            | op::FwidthFine
            | op::DPdxCoarse
            | op::DPdyCoarse
            | op::FwidthCoarse => self.derivative(opcode, words[0])?,
            op::SampledImage => self.combine(words[0], words[1])?,
            op::Image => self.image_of(words[0])?,
            op::ImageSampleImplicitLod
            | op::ImageSampleExplicitLod
            | op::ImageSampleDrefImplicitLod
            | op::ImageSampleDrefExplicitLod
            | op::ImageSampleProjImplicitLod
            | op::ImageSampleProjExplicitLod
            | op::ImageSampleProjDrefImplicitLod
            | op::ImageSampleProjDrefExplicitLod
            | op::ImageGather
            | op::ImageDrefGather => self.sample(instruction, words)?,
            op::ImageFetch => self.fetch(words)?,
            op::ImageQuerySizeLod
            | op::ImageQuerySize
            | op::ImageQueryLod
            | op::ImageQueryLevels
            | op::ImageQuerySamples => self.query(opcode, words)?,
            _ => return Ok(None),
        }))
    }

    /// Bits below bit `count`, which is 0 to 32.
    fn low_bits(&mut self, count: Value) -> Value {
        let (one, all, ones) = (self.b.i32(1), self.b.i32(32), self.b.i32(-1));
        let power = self.b.ishl(one, count);
        let low = self.b.isub(power, one);
        let whole = self.b.ieq(count, all);
        self.b.select(whole, ones, low)
    }

    /// Comparisons that the IR has only with operands swapped, or turned over.
    fn compare(&mut self, opcode: u16, a: Value, b: Value) -> Value {
        let not = |l: &mut Self, value| l.b.bnot(value);
        match opcode {
            op::FOrdGreaterThan => self.b.flt(b, a),
            op::FOrdGreaterThanEqual => self.b.fle(b, a),
            op::UGreaterThan => self.b.ult(b, a),
            op::UGreaterThanEqual => self.b.ule(b, a),
            op::SGreaterThan => self.b.ilt(b, a),
            op::SGreaterThanEqual => self.b.ile(b, a),
            op::FUnordLessThan => {
                let opposite = self.b.fle(b, a);
                not(self, opposite)
            }
            op::FUnordLessThanEqual => {
                let opposite = self.b.flt(b, a);
                not(self, opposite)
            }
            op::FUnordGreaterThan => {
                let opposite = self.b.fle(a, b);
                not(self, opposite)
            }
            op::FUnordGreaterThanEqual => {
                let opposite = self.b.flt(a, b);
                not(self, opposite)
            }
            _ => {
                let (less, greater) = (self.b.flt(a, b), self.b.flt(b, a));
                let differ = self.b.bor(less, greater);
                if opcode == op::FUnordEqual { not(self, differ) } else { differ }
            }
        }
    }
}

/// Instructions that are an opcode of the IR, operand by operand.
fn lanes(opcode: u16) -> Option<Op> {
    Some(match opcode {
        op::ConvertFToU => Op::FToU,
        op::ConvertFToS => Op::FToI,
        op::ConvertSToF => Op::IToF,
        op::ConvertUToF => Op::UToF,
        op::SNegate => Op::INeg,
        op::FNegate => Op::FNeg,
        op::IAdd => Op::IAdd,
        op::FAdd => Op::FAdd,
        op::ISub => Op::ISub,
        op::FSub => Op::FSub,
        op::IMul => Op::IMul,
        op::FMul => Op::FMul,
        op::UDiv => Op::UDiv,
        op::SDiv => Op::IDiv,
        op::FDiv => Op::FDiv,
        op::UMod => Op::UMod,
        op::SRem => Op::IRem,
        op::Any => Op::Any,
        op::All => Op::All,
        op::LogicalNotEqual => Op::BXor,
        op::LogicalOr => Op::BOr,
        op::LogicalAnd => Op::BAnd,
        op::LogicalNot => Op::BNot,
        op::IEqual => Op::IEq,
        op::INotEqual => Op::INe,
        op::ULessThan => Op::ULt,
        op::SLessThan => Op::ILt,
        op::ULessThanEqual => Op::ULe,
        op::SLessThanEqual => Op::ILe,
        op::FOrdEqual => Op::FEq,
        op::FUnordNotEqual => Op::FNe,
        op::FOrdLessThan => Op::FLt,
        op::FOrdLessThanEqual => Op::FLe,
        op::ShiftRightLogical => Op::UShr,
        op::ShiftRightArithmetic => Op::IShr,
        op::ShiftLeftLogical => Op::IShl,
        op::BitwiseOr => Op::IOr,
        op::BitwiseXor => Op::IXor,
        op::BitwiseAnd => Op::IAnd,
        op::Not => Op::INot,
        op::BitReverse => Op::BitReverse,
        op::BitCount => Op::BitCount,
        _ => return None,
    })
}
