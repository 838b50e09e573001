//! Copies and identities.
//!
//! Precondition: a verified module. Promise: `bitcast`s do not follow one another; opcodes that change nothing are gone; constants
//! are folded on the way. What the shader computes is the same to the bit: a rule that is only nearly true of floats (`x + 0`) has
//! no place here, and nothing is reassociated.

use afterimage_ir::{Args, Imm, Inst, Kind, Module, Op, Value};

use crate::facts::facts;
use crate::fold::fold;
use crate::rewrite::{Action, Cursor, rewrite};

/// Runs the pass.
pub fn run(m: &mut Module) {
    rewrite(m, |cursor, inst| {
        if fold(cursor.m, inst) {
            return Action::Keep;
        }
        match cursor.m.inst(inst).op {
            Op::Bitcast => bitcast(cursor.m, inst),
            Op::Select => select(cursor.m, inst),
            Op::LoadConstDyn => load_const(cursor.m, inst),
            Op::ReadFirst | Op::ReadLane | Op::WaveShuffle | Op::QuadSwizzle => exchange(cursor.m, inst),
            Op::IAdd => sum(cursor, inst).unwrap_or_else(|| algebra(cursor, inst)),
            _ => algebra(cursor, inst),
        }
    });
}

/// Changes the instruction, its result staying.
fn become_(m: &mut Module, inst: Inst, op: Op, args: &[Value]) -> Action {
    let data = &mut m.insts[inst.index()];
    data.op = op;
    data.imm = Imm::None;
    data.args = args.into();
    Action::Keep
}

fn bitcast(m: &mut Module, inst: Inst) -> Action {
    let data = m.inst(inst);
    let (mut arg, result) = (data.args[0], data.results[0]);
    while let Some(inner) = m.def_of(arg, Op::Bitcast) {
        arg = inner.args[0];
    }
    if m.ty(arg) == m.ty(result) {
        return Action::Replace(arg);
    }
    become_(m, inst, Op::Bitcast, &[arg])
}

/// The value of all lanes of a constant, if they are the same.
fn uniform(m: &Module, value: Value) -> Option<u32> {
    let bits = m.as_const(value)?;
    let lanes = &bits[..m.ty(value).lanes as usize];
    lanes.iter().all(|&b| b == lanes[0]).then(|| lanes[0])
}

fn select(m: &mut Module, inst: Inst) -> Action {
    let data = m.inst(inst);
    let (cond, yes, no) = (data.args[0], data.args[1], data.args[2]);
    if yes == no {
        return Action::Replace(yes);
    }
    match uniform(m, cond) {
        Some(0) => return Action::Replace(no),
        Some(_) => return Action::Replace(yes),
        None => {}
    }
    if m.ty(yes).kind == Kind::Bool && uniform(m, yes) == Some(1) && uniform(m, no) == Some(0) {
        return Action::Replace(cond);
    }
    if let Some(not) = m.def_of(cond, Op::BNot) {
        let cond = not.args[0];
        return become_(m, inst, Op::Select, &[cond, no, yes]);
    }
    // What the same condition has chosen before.
    let chosen = |value, at: usize| m.def_of(value, Op::Select).filter(|s| s.args[0] == cond).map(|s| s.args[at]);
    let (first, second) = (chosen(yes, 1).unwrap_or(yes), chosen(no, 2).unwrap_or(no));
    if (first, second) != (yes, no) {
        return if first == second {
            Action::Replace(first)
        } else {
            become_(m, inst, Op::Select, &[cond, first, second])
        };
    }
    if m.ty(yes).kind == Kind::Bool {
        if uniform(m, yes) == Some(1) {
            return become_(m, inst, Op::BOr, &[cond, no]);
        }
        if uniform(m, no) == Some(0) {
            return become_(m, inst, Op::BAnd, &[cond, yes]);
        }
    }
    Action::Keep
}

/// What is the same in all lanes need not be asked for.
fn exchange(m: &mut Module, inst: Inst) -> Action {
    let mut value = m.inst(inst).args[0];
    let given = value;
    while let Some(data) = m.def(value).map(|def| m.inst(def)) {
        match data.op {
            Op::Const | Op::LoadConst | Op::LoadSpec | Op::ReadFirst => return Action::Replace(given),
            Op::Swizzle | Op::Bitcast => value = data.args[0],
            _ => break,
        }
    }
    Action::Keep
}

/// `(x + 1) + 2`: addresses are put together so.
fn sum(cursor: &mut Cursor<'_>, inst: Inst) -> Option<Action> {
    let m = &*cursor.m;
    let data = m.inst(inst);
    let (a, b) = (data.args[0], data.args[1]);
    let (inner, outer) = match (m.as_const(a), m.as_const(b)) {
        (None, Some(bits)) => (a, bits),
        (Some(bits), None) => (b, bits),
        _ => return None,
    };
    let inner = m.def_of(inner, Op::IAdd)?;
    let (x, bits) = match (m.as_const(inner.args[0]), m.as_const(inner.args[1])) {
        (None, Some(bits)) => (inner.args[0], bits),
        (Some(bits), None) => (inner.args[1], bits),
        _ => return None,
    };
    let ty = m.ty(x);
    let total =
        std::array::from_fn(|lane| if lane < ty.lanes as usize { bits[lane].wrapping_add(outer[lane]) } else { 0 });
    if total == [0; 4] {
        return Some(Action::Replace(x));
    }
    let total = cursor.push(Op::Const, Imm::Const(total), Args::new(), ty);
    Some(become_(cursor.m, inst, Op::IAdd, &[x, total]))
}

/// A constant index is no dynamic one; that saves the renderer from uploading the whole bank.
fn load_const(m: &mut Module, inst: Inst) -> Action {
    let data = m.inst(inst);
    if let (Imm::Bank(bank, base), Some(index)) = (data.imm, uniform(m, data.args[0])) {
        let last = m.banks[bank.index()].size as i32 - 1;
        let index = base.wrapping_add(index as i32).clamp(0, last);
        become_(m, inst, Op::LoadConst, &[]);
        m.insts[inst.index()].imm = Imm::Bank(bank, index);
        fold(m, inst);
    }
    Action::Keep
}

/// Opcodes on one or two operands.
fn algebra(cursor: &mut Cursor<'_>, inst: Inst) -> Action {
    const ONE: u32 = 0x3f80_0000;
    const MINUS_ZERO: u32 = 0x8000_0000;
    let m = &mut *cursor.m;
    let data = m.inst(inst);
    let Some(&a) = data.args.first() else { return Action::Keep };
    let b = data.args.get(1).copied().unwrap_or(a);
    let inner = |value: Value, op: Op| m.def_of(value, op).map(|data| data.args[0]);
    let (left, right) = (|| uniform(m, a), || uniform(m, b));
    match data.op {
        Op::FNeg => {
            if let Some(x) = inner(a, Op::FNeg) {
                return Action::Replace(x);
            }
        }
        Op::FAbs => {
            if let Some(x) = inner(a, Op::FNeg) {
                return become_(m, inst, Op::FAbs, &[x]);
            }
            if facts(m, a).not_negative {
                return Action::Replace(a);
            }
        }
        Op::FSat if inner(a, Op::FSat).is_some() => return Action::Replace(a),
        Op::BNot => {
            if let Some(x) = inner(a, Op::BNot) {
                return Action::Replace(x);
            }
            for (op, opposite) in [(Op::FEq, Op::FNe), (Op::FNe, Op::FEq), (Op::IEq, Op::INe), (Op::INe, Op::IEq)] {
                if let Some(compare) = m.def_of(a, op) {
                    let args = compare.args.clone();
                    return become_(m, inst, opposite, &args);
                }
            }
        }
        Op::FMul => {
            if right() == Some(ONE) {
                return Action::Replace(a);
            }
            if left() == Some(ONE) {
                return Action::Replace(b);
            }
        }
        Op::FMulZ if a == b => return become_(m, inst, Op::FMul, &[a, b]),
        Op::FAdd => {
            if right() == Some(MINUS_ZERO) {
                return Action::Replace(a);
            }
            if left() == Some(MINUS_ZERO) {
                return Action::Replace(b);
            }
            if let Some(x) = inner(b, Op::FNeg) {
                return become_(m, inst, Op::FSub, &[a, x]);
            }
            if let Some(x) = inner(a, Op::FNeg) {
                return become_(m, inst, Op::FSub, &[b, x]);
            }
        }
        Op::FSub => {
            if right() == Some(0) {
                return Action::Replace(a);
            }
            if let Some(x) = inner(b, Op::FNeg) {
                return become_(m, inst, Op::FAdd, &[a, x]);
            }
        }
        Op::IAdd | Op::IOr | Op::IXor => {
            if right() == Some(0) {
                return Action::Replace(a);
            }
            if left() == Some(0) {
                return Action::Replace(b);
            }
        }
        Op::ISub | Op::IShl | Op::IShr | Op::UShr if right() == Some(0) => return Action::Replace(a),
        Op::IMul if right() == Some(1) => return Action::Replace(a),
        Op::IMul if left() == Some(1) => return Action::Replace(b),
        Op::IAnd | Op::IMul if right() == Some(0) => return Action::Replace(b),
        Op::IAnd | Op::IMul if left() == Some(0) => return Action::Replace(a),
        Op::UAddCarry if left() == Some(0) || right() == Some(0) => {
            become_(m, inst, Op::Const, &[]);
            m.insts[inst.index()].imm = Imm::Const([0; 4]);
            return Action::Keep;
        }
        Op::IAnd if a == b || right() == Some(u32::MAX) => return Action::Replace(a),
        Op::BAnd | Op::BOr => {
            // The constant that decides, and the one that does not matter.
            let decides = if data.op == Op::BAnd { 0 } else { 1 };
            for (constant, this, other) in [(left(), a, b), (right(), b, a)] {
                match constant {
                    Some(c) if c == decides => return Action::Replace(this),
                    Some(_) => return Action::Replace(other),
                    None => {}
                }
            }
            if a == b {
                return Action::Replace(a);
            }
        }
        // A truth value made into a number and compared with zero is itself again.
        Op::INe | Op::FNe if right() == Some(0) => {
            if let Some(select) = m.def_of(a, Op::Select) {
                let (cond, yes, no) = (select.args[0], uniform(m, select.args[1]), uniform(m, select.args[2]));
                if no == Some(0) && yes.is_some_and(|y| y == 1 && data.op == Op::INe || y == ONE) {
                    return Action::Replace(cond);
                }
            }
        }
        _ => {}
    }
    Action::Keep
}
