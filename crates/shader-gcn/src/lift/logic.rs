//! Instructions that work on masks and on words alike: moves, selections and logical operations of pairs of scalar registers.

use afterimage_ir::{Kind as IrKind, Value};

use super::masks::{Form, Logic};
use super::{Lifter, Reason};
use crate::inst::{Inst, Operand};
use crate::tables::{Ty, flag};

/// Translates an instruction that works on masks and on words alike; whether it is one.
pub(super) fn lift(l: &mut Lifter<'_>, inst: &Inst) -> Result<bool, Reason> {
    let Some(form) = Form::of(inst.op) else { return Ok(false) };
    let Some(code) = inst.dst.scalar_code() else { return Ok(true) };
    let odd = |operand: &Operand| operand.scalar_code().is_some_and(|code| code & 1 != 0);
    if odd(&inst.dst) || inst.src.iter().any(odd) {
        return Err(Reason::Misaligned);
    }
    let wants_scc = l.wanted.scc && inst.has(flag::WRITES_SCC);
    if let Form::SaveExec(op) = form {
        let (a, old) = (l.read_mask(inst.src[0]), l.exec());
        let result = combine(l, op, a, old);
        l.set_mask(code, old);
        l.set_exec(result);
        if wants_scc {
            let any = l.b.wave_any(result);
            l.set_scc(any);
        }
        return Ok(true);
    }
    let wanted = l.wanted;
    let view = l.masks.view(inst, l.at, &wanted);
    let mask = view.mask.then(|| {
        let a = l.read_mask(inst.src[0]);
        match form {
            Form::Move => a,
            Form::MoveIf => {
                let (scc, old) = (l.scc(), l.mask(code));
                l.b.select(scc, a, old)
            }
            Form::Select => {
                let (scc, other) = (l.scc(), l.read_mask(inst.src[1]));
                l.b.select(scc, a, other)
            }
            Form::Not => l.b.bnot(a),
            // Where exec is true in every lane there is nothing to add to it.
            Form::Wqm if l.exec_known() && inst.src[0] == Operand::ExecLo => a,
            Form::Wqm => {
                let bits = l.b.cast(a, IrKind::Int);
                let across = l.b.quad_swizzle(bits, [1, 0, 3, 2]);
                let bits = l.b.ior(bits, across);
                let down = l.b.quad_swizzle(bits, [2, 3, 0, 1]);
                let bits = l.b.ior(bits, down);
                l.b.cast(bits, IrKind::Bool)
            }
            Form::Logic(op) => {
                let other = l.read_mask(inst.src[1]);
                combine(l, op, a, other)
            }
            Form::SaveExec(_) => a,
        }
    });
    let words = view.words.then(|| {
        let a = l.read64(inst.src[0], Ty::B64);
        let result = match form {
            Form::Move | Form::SaveExec(_) => a,
            Form::MoveIf => {
                let (scc, old) = (l.scc(), l.read64(inst.dst, Ty::B64));
                l.b.select(scc, a, old)
            }
            Form::Select => {
                let (scc, other) = (l.scc(), l.read64(inst.src[1], Ty::B64));
                l.b.select(scc, a, other)
            }
            Form::Not => l.b.inot(a),
            Form::Wqm => {
                let [one, two, low, all] = [1, 2, 0x1111_1111, 15].map(|n| l.b.i32(n));
                let b = &mut l.b;
                let right = b.ushr(a, one);
                let pairs = b.ior(a, right);
                let right = b.ushr(pairs, two);
                let fours = b.ior(pairs, right);
                let fours = b.iand(fours, low);
                b.imul(fours, all)
            }
            Form::Logic(op) => {
                let other = l.read64(inst.src[1], Ty::B64);
                combine_words(l, op, a, other)
            }
        };
        [0, 1].map(|half| l.b.extract(result, half))
    });
    if wants_scc {
        let any = match (words, mask) {
            (Some([low, high]), _) => {
                let all = l.b.ior(low, high);
                l.b.cast(all, IrKind::Bool)
            }
            (None, Some(mask)) => l.b.wave_any(mask),
            (None, None) => l.b.bool(false),
        };
        l.set_scc(any);
    }
    match (words, mask) {
        (Some(words), Some(mask)) => l.set_words_and_mask(code, words, mask),
        (Some(words), None) => l.set_sgprs(code, &words),
        (None, Some(mask)) => l.set_mask(code, mask),
        (None, None) => {}
    }
    Ok(true)
}

/// A logical operation on truth values.
fn combine(l: &mut Lifter<'_>, op: Logic, a: Value, c: Value) -> Value {
    let b = &mut l.b;
    match op {
        Logic::And | Logic::Nand => {
            let value = b.band(a, c);
            if op == Logic::And { value } else { b.bnot(value) }
        }
        Logic::Or | Logic::Nor => {
            let value = b.bor(a, c);
            if op == Logic::Or { value } else { b.bnot(value) }
        }
        Logic::Xor | Logic::Xnor => {
            let value = b.bxor(a, c);
            if op == Logic::Xor { value } else { b.bnot(value) }
        }
        Logic::Andn2 => {
            let c = b.bnot(c);
            b.band(a, c)
        }
        Logic::Orn2 => {
            let c = b.bnot(c);
            b.bor(a, c)
        }
    }
}

/// A logical operation on words.
fn combine_words(l: &mut Lifter<'_>, op: Logic, a: Value, c: Value) -> Value {
    let b = &mut l.b;
    match op {
        Logic::And | Logic::Nand => {
            let value = b.iand(a, c);
            if op == Logic::And { value } else { b.inot(value) }
        }
        Logic::Or | Logic::Nor => {
            let value = b.ior(a, c);
            if op == Logic::Or { value } else { b.inot(value) }
        }
        Logic::Xor | Logic::Xnor => {
            let value = b.ixor(a, c);
            if op == Logic::Xor { value } else { b.inot(value) }
        }
        Logic::Andn2 => {
            let c = b.inot(c);
            b.iand(a, c)
        }
        Logic::Orn2 => {
            let c = b.inot(c);
            b.ior(a, c)
        }
    }
}
