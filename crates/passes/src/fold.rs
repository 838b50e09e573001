//! Constant folding and propagation.
//!
//! Precondition: a verified module. Promise: an instruction that depends on nothing but constants is a constant; a load of a
//! register that the shader itself defines too. What the shader computes is the same: the folder runs the opcode table's scalar
//! meaning, as the interpreter does.

use afterimage_ir::{Args, Flags, Imm, Inst, Module, Op, evaluate};

use crate::rewrite::{Action, rewrite};

/// Runs the pass.
pub fn run(m: &mut Module) {
    rewrite(m, |cursor, inst| {
        fold(cursor.m, inst);
        Action::Keep
    });
}

/// Turns `inst` into a constant where it stands, if it can be.
pub(crate) fn fold(m: &mut Module, inst: Inst) -> bool {
    let data = m.inst(inst);
    let bits = match (data.op, data.imm) {
        (Op::LoadConst, Imm::Bank(bank, index)) => m.banks[bank.index()].def(index as u32),
        (op, _) if op.has(Flags::SIDE_EFFECT) || data.args.is_empty() => None,
        _ => {
            // The first operand is looked at before the rest: most instructions end here.
            if data.args.iter().any(|&arg| m.as_const(arg).is_none()) {
                return false;
            }
            evaluate(m, data, |value| m.as_const(value).unwrap_or_default())
        }
    };
    let Some(bits) = bits else { return false };
    let data = &mut m.insts[inst.index()];
    data.op = Op::Const;
    data.imm = Imm::Const(bits);
    data.args = Args::new();
    true
}
