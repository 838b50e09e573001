//! Float rules of the guests, in terms of IEEE opcodes.
//!
//! Precondition: a verified module. Promise: no opcode with the flag `GUEST_FLOAT` is left. [`FloatRules::Strict`] keeps what the
//! shader computes to the bit. [`FloatRules::Relaxed`] keeps it as long as zero is never multiplied by infinity or NaN, and NaN is
//! never compared; signs of zeros may differ. That infinities do not come up easily is why reciprocals and logarithms stay clamped.

use afterimage_ir::{Flags, Imm, Inst, Kind, Op, Type, Value};
use smallvec::smallvec;

use crate::rewrite::{Action, Cursor, rewrite};

/// How closely the guest's rules are followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FloatRules {
    /// To the bit. A multiplication costs four more instructions.
    Strict,
    /// As far as plain instructions do it.
    Relaxed,
}

/// Runs the pass.
pub fn run(m: &mut afterimage_ir::Module, rules: FloatRules) {
    rewrite(m, |cursor, inst| {
        let data = cursor.m.inst(inst);
        if data.op.has(Flags::GUEST_FLOAT) { lower(cursor, inst, rules == FloatRules::Strict) } else { Action::Keep }
    });
}

fn lower(cursor: &mut Cursor<'_>, inst: Inst, strict: bool) -> Action {
    let data = cursor.m.inst(inst);
    let (op, args) = (data.op, data.args.clone());
    let ty = cursor.m.ty(data.results[0]);
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
    match (op, strict) {
        (Op::FMulZ, false) => plain(cursor, inst, Op::FMul),
        (Op::FMadZ, false) => plain(cursor, inst, Op::FMad),
        (Op::FDotZ, false) => plain(cursor, inst, Op::FDot),
        (Op::FMinC, false) => plain(cursor, inst, Op::FMin),
        (Op::FMaxC, false) => plain(cursor, inst, Op::FMax),
        (Op::FMulZ, true) => Action::Replace(mul_zero(cursor, a, b)),
        (Op::FMadZ, true) => {
            let product = mul_zero(cursor, a, b);
            Action::Replace(cursor.push(Op::FAdd, Imm::None, smallvec![product, args[2]], ty))
        }
        (Op::FDotZ, true) => {
            // A dot product with ones adds the products up.
            let products = mul_zero(cursor, a, b);
            let wide = cursor.m.ty(products);
            let ones = cursor.splat(wide, 1f32.to_bits());
            Action::Replace(cursor.push(Op::FDot, Imm::None, smallvec![products, ones], ty))
        }
        (Op::FMinC, true) => {
            let less = cursor.push(Op::FLt, Imm::None, smallvec![a, b], ty.with_kind(Kind::Bool));
            Action::Replace(cursor.push(Op::Select, Imm::None, smallvec![less, a, b], ty))
        }
        (Op::FMaxC, true) => {
            let greater = cursor.push(Op::FLe, Imm::None, smallvec![b, a], ty.with_kind(Kind::Bool));
            Action::Replace(cursor.push(Op::Select, Imm::None, smallvec![greater, a, b], ty))
        }
        (Op::FRcpC, _) => Action::Replace(clamped(cursor, Op::FRcp, a, ty)),
        (Op::FRsqC, _) => Action::Replace(clamped(cursor, Op::FRsq, a, ty)),
        (Op::FLog2C, _) => Action::Replace(clamped(cursor, Op::FLog2, a, ty)),
        _ => Action::Keep,
    }
}

fn plain(cursor: &mut Cursor<'_>, inst: Inst, op: Op) -> Action {
    cursor.m.insts[inst.index()].op = op;
    Action::Keep
}

/// `a * b`, +0 where one of them is zero.
fn mul_zero(cursor: &mut Cursor<'_>, a: Value, b: Value) -> Value {
    let ty = cursor.m.ty(a);
    let bools = ty.with_kind(Kind::Bool);
    let product = cursor.push(Op::FMul, Imm::None, smallvec![a, b], ty);
    let zero = cursor.splat(ty, 0);
    let mut is_zero = None;
    for factor in [a, b] {
        let never = cursor
            .m
            .as_const(factor)
            .is_some_and(|bits| bits[..ty.lanes as usize].iter().all(|&lane| f32::from_bits(lane) != 0.0));
        if never || is_zero.is_some() && a == b {
            continue;
        }
        let this = cursor.push(Op::FEq, Imm::None, smallvec![factor, zero], bools);
        is_zero = Some(match is_zero {
            Some(other) => cursor.push(Op::BOr, Imm::None, smallvec![other, this], bools),
            None => this,
        });
    }
    match is_zero {
        Some(is_zero) => cursor.push(Op::Select, Imm::None, smallvec![is_zero, zero, product], ty),
        None => product,
    }
}

fn clamped(cursor: &mut Cursor<'_>, op: Op, arg: Value, ty: Type) -> Value {
    let value = cursor.push(op, Imm::None, smallvec![arg], ty);
    let (most, least) = (cursor.splat(ty, f32::MAX.to_bits()), cursor.splat(ty, f32::MIN.to_bits()));
    let value = cursor.push(Op::FMin, Imm::None, smallvec![value, most], ty);
    cursor.push(Op::FMax, Imm::None, smallvec![value, least], ty)
}
