//! Integers of 64 bits, computed word by word: pairs with the low word first.

use afterimage_ir::{Kind, Type, Value};

use super::{LiftErrorKind, Lifter};
use crate::tables::op;

/// `2^32` as a double.
const WORD: f64 = 4_294_967_296.0;

impl Lifter<'_> {
    pub(super) fn long_binary(&mut self, opcode: u16, a: Value, b: Value) -> Result<Option<Value>, LiftErrorKind> {
        Ok(Some(match opcode {
            op::IAdd => self.long_add(a, b),
            op::ISub => self.long_sub(a, b),
            op::IMul => self.long_mul(a, b),
            op::BitwiseAnd => self.b.iand(a, b),
            op::BitwiseOr => self.b.ior(a, b),
            op::BitwiseXor => self.b.ixor(a, b),
            op::IEqual | op::INotEqual => {
                let same = self.b.ieq(a, b);
                let same = self.b.all(same);
                if opcode == op::IEqual { same } else { self.b.bnot(same) }
            }
            op::ULessThan => self.long_less(a, b, false),
            op::SLessThan => self.long_less(a, b, true),
            op::UGreaterThan => self.long_less(b, a, false),
            op::SGreaterThan => self.long_less(b, a, true),
            op::ULessThanEqual | op::SLessThanEqual => {
                let opposite = self.long_less(b, a, opcode == op::SLessThanEqual);
                self.b.bnot(opposite)
            }
            op::UGreaterThanEqual | op::SGreaterThanEqual => {
                let opposite = self.long_less(a, b, opcode == op::SGreaterThanEqual);
                self.b.bnot(opposite)
            }
            op::UDiv | op::UMod => {
                let (quotient, rest) = self.long_divide(a, b)?;
                if opcode == op::UDiv { quotient } else { rest }
            }
            op::SDiv | op::SRem | op::SMod => self.long_signed_divide(opcode, a, b)?,
            _ => return Ok(None),
        }))
    }

    fn long_add(&mut self, a: Value, b: Value) -> Value {
        let ((a0, a1), (b0, b1)) = (self.words(a), self.words(b));
        let (low, carry) = (self.b.iadd(a0, b0), self.b.uadd_carry(a0, b0));
        let carry = self.b.cast(carry, Kind::Int);
        let high = self.b.iadd(a1, b1);
        let high = self.b.iadd(high, carry);
        self.pair(low, high)
    }

    fn long_sub(&mut self, a: Value, b: Value) -> Value {
        let ((a0, a1), (b0, b1)) = (self.words(a), self.words(b));
        let (low, borrow) = (self.b.isub(a0, b0), self.b.usub_borrow(a0, b0));
        let borrow = self.b.cast(borrow, Kind::Int);
        let high = self.b.isub(a1, b1);
        let high = self.b.isub(high, borrow);
        self.pair(low, high)
    }

    pub(super) fn long_neg(&mut self, a: Value) -> Value {
        let zero = self.b.const_bits(Type::I32X2, [0; 4]);
        self.long_sub(zero, a)
    }

    fn long_mul(&mut self, a: Value, b: Value) -> Value {
        let ((a0, a1), (b0, b1)) = (self.words(a), self.words(b));
        let (low, high) = (self.b.imul(a0, b0), self.b.umulhi(a0, b0));
        let (cross, other) = (self.b.imul(a0, b1), self.b.imul(a1, b0));
        let high = self.b.iadd(high, cross);
        let high = self.b.iadd(high, other);
        self.pair(low, high)
    }

    /// By the low word of `by`, which may be a pair or a word.
    pub(super) fn long_shift(&mut self, opcode: u16, a: Value, by: Value) -> Value {
        let by = self.b.extract(by, 0);
        let (low, high) = self.words(a);
        let (zero, one, all, word) = (self.b.i32(0), self.b.i32(1), self.b.i32(31), self.b.i32(32));
        let far = self.b.ule(word, by);
        // What passes from one word to the other: in two steps, because no shift is by 32.
        let back = self.b.isub(all, by);
        if opcode == op::ShiftLeftLogical {
            let (moved, carried) = (self.b.ishl(low, by), self.b.ushr(low, one));
            let carried = self.b.ushr(carried, back);
            let near = self.b.ishl(high, by);
            let near = self.b.ior(near, carried);
            let high = self.b.select(far, moved, near);
            let low = self.b.select(far, zero, moved);
            return self.pair(low, high);
        }
        let arithmetic = opcode == op::ShiftRightArithmetic;
        let moved = if arithmetic { self.b.ishr(high, by) } else { self.b.ushr(high, by) };
        let rest = if arithmetic { self.b.ishr(high, all) } else { zero };
        let carried = self.b.ishl(high, one);
        let carried = self.b.ishl(carried, back);
        let near = self.b.ushr(low, by);
        let near = self.b.ior(near, carried);
        let low = self.b.select(far, moved, near);
        let high = self.b.select(far, rest, moved);
        self.pair(low, high)
    }

    pub(super) fn long_less(&mut self, a: Value, b: Value, signed: bool) -> Value {
        let ((a0, a1), (b0, b1)) = (self.words(a), self.words(b));
        let above = if signed { self.b.ilt(a1, b1) } else { self.b.ult(a1, b1) };
        let (same, below) = (self.b.ieq(a1, b1), self.b.ult(a0, b0));
        let below = self.b.band(same, below);
        self.b.bor(above, below)
    }

    fn is_negative(&mut self, a: Value) -> Value {
        let (high, zero) = (self.b.extract(a, 1), self.b.i32(0));
        self.b.ilt(high, zero)
    }

    pub(super) fn long_abs(&mut self, a: Value) -> Value {
        let (negative, turned) = (self.is_negative(a), self.long_neg(a));
        self.b.select(negative, turned, a)
    }

    /// Quotient and remainder of unsigned numbers, a bit at a time.
    fn long_divide(&mut self, a: Value, b: Value) -> Result<(Value, Value), LiftErrorKind> {
        self.check_size()?;
        let names = ["quotient", "rest"].map(|name| self.b.var(name, Type::I32X2));
        let round = self.b.var("round", Type::I32);
        let [quotient, rest] = names;
        let (zero, none) = (self.b.const_bits(Type::I32X2, [0; 4]), self.b.i32(0));
        self.b.store(quotient, a);
        self.b.store(rest, zero);
        self.b.store(round, none);
        self.b.begin_loop();
        let (now, all) = (self.b.load(round), self.b.i32(64));
        let done = self.b.ule(all, now);
        self.b.break_if(done);
        let (q, r) = (self.b.load(quotient), self.b.load(rest));
        let (one, last) = (self.b.i32(1), self.b.i32(31));
        // The dividend moves out of the quotient's top into the rest, whose own top bit says that it is larger than anything.
        let ((_, q1), (_, r1)) = (self.words(q), self.words(r));
        let (top, over) = (self.b.ushr(q1, last), self.b.ushr(r1, last));
        let r = self.long_shift(op::ShiftLeftLogical, r, one);
        let (low, high) = self.words(r);
        let low = self.b.ior(low, top);
        let r = self.pair(low, high);
        let less = self.long_less(r, b, false);
        let fits = self.b.bnot(less);
        let over = self.b.ine(over, none);
        let fits = self.b.bor(fits, over);
        let smaller = self.long_sub(r, b);
        let r = self.b.select(fits, smaller, r);
        let bit = self.b.cast(fits, Kind::Int);
        let q = self.long_shift(op::ShiftLeftLogical, q, one);
        let (low, high) = self.words(q);
        let low = self.b.ior(low, bit);
        let q = self.pair(low, high);
        self.b.store(quotient, q);
        self.b.store(rest, r);
        let next = self.b.iadd(now, one);
        self.b.store(round, next);
        self.b.end_loop();
        Ok((self.b.load(quotient), self.b.load(rest)))
    }

    fn long_signed_divide(&mut self, opcode: u16, a: Value, b: Value) -> Result<Value, LiftErrorKind> {
        let (size_a, size_b) = (self.long_abs(a), self.long_abs(b));
        let (quotient, rest) = self.long_divide(size_a, size_b)?;
        let (minus_a, minus_b) = (self.is_negative(a), self.is_negative(b));
        let differ = self.b.bxor(minus_a, minus_b);
        if opcode == op::SDiv {
            let turned = self.long_neg(quotient);
            return Ok(self.b.select(differ, turned, quotient));
        }
        let turned = self.long_neg(rest);
        let rest = self.b.select(minus_a, turned, rest);
        if opcode == op::SRem {
            return Ok(rest);
        }
        // The sign of the divisor.
        let zero = self.b.const_bits(Type::I32X2, [0; 4]);
        let some = self.b.ine(rest, zero);
        let some = self.b.any(some);
        let wrong = self.b.band(some, differ);
        let other = self.long_add(rest, b);
        Ok(self.b.select(wrong, other, rest))
    }

    /// Both words are exact, so the sum is rounded once.
    pub(super) fn long_to_double(&mut self, a: Value, signed: bool) -> Value {
        let (low, high) = self.words(a);
        let high = if signed { self.b.i2d(high) } else { self.b.u2d(high) };
        let (low, word) = (self.b.u2d(low), self.double(WORD));
        let high = self.b.dmul(high, word);
        self.b.dadd(high, low)
    }

    /// Through a double that is exact, the bits that do not fit being one that is set if any of them is.
    pub(super) fn long_to_float(&mut self, a: Value, signed: bool) -> Value {
        let size = if signed { self.long_abs(a) } else { a };
        let (low, high) = self.words(size);
        let (cut, mask, zero, limit) = (self.b.i32(0x7ff), self.b.i32(!0x7ff), self.b.i32(0), self.b.i32(1 << 21));
        let lost = self.b.iand(low, cut);
        let some = self.b.ine(lost, zero);
        let (sticky, none) = (self.b.i32(0x800), self.b.i32(0));
        let sticky = self.b.select(some, sticky, none);
        let kept = self.b.iand(low, mask);
        let kept = self.b.ior(kept, sticky);
        let large = self.b.ule(limit, high);
        let low = self.b.select(large, kept, low);
        let size = self.pair(low, high);
        let exact = self.long_to_double(size, false);
        let value = self.b.d2f(exact);
        if !signed {
            return value;
        }
        let (negative, turned) = (self.is_negative(a), self.b.fneg(value));
        self.b.select(negative, turned, value)
    }

    pub(super) fn double_to_long(&mut self, a: Value, signed: bool) -> Value {
        let whole = self.b.dtrunc(a);
        let size = if signed { self.b.dabs(whole) } else { whole };
        let (word, part) = (self.double(WORD), self.double(1.0 / WORD));
        let above = self.b.dmul(size, part);
        let above = self.b.dfloor(above);
        let high = self.b.d2u(above);
        let above = self.b.dmul(above, word);
        let below = self.b.dsub(size, above);
        let low = self.b.d2u(below);
        let pair = self.pair(low, high);
        if !signed {
            return pair;
        }
        let zero = self.double(0.0);
        let (negative, turned) = (self.b.dlt(whole, zero), self.long_neg(pair));
        self.b.select(negative, turned, pair)
    }
}
