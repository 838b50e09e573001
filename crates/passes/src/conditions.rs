//! Conditions inside of what they guard.
//!
//! Precondition: a verified module, best after `ssa`. Promise: where an `if` has decided on a truth value, nothing asks for that
//! value, or for those that it is made of, again: in its regions, and behind it if only one of them comes back, they are constants.
//! What the shader computes is the same.
//!
//! Guests whose lanes share one program counter write every register under a mask, and branch on the same mask.

use afterimage_ir::{Args, Imm, Module, Op, Region, Type, Value};

use crate::rewrite::{Lists, push};

/// Runs the pass.
pub fn run(m: &mut Module) {
    if m.regions.len() == 1 {
        return;
    }
    let mut pass = Conditions { known: vec![None; m.values.len()], order: Vec::new(), lists: Lists::default() };
    let body = m.body;
    pass.region(m, body, [None; 2]);
}

/// How far an operand may be from the condition that says something of it.
const DEPTH: u32 = 8;

struct Conditions {
    /// Per value what it is here, if that is known.
    known: Vec<Option<bool>>,
    /// Values that are known, in the order in which they became so.
    order: Vec<Value>,
    lists: Lists,
}

impl Conditions {
    /// `constants` are false and true where they are defined already.
    fn region(&mut self, m: &mut Module, at: Region, mut constants: [Option<Value>; 2]) {
        let before = self.order.len();
        let taken = self.lists.begin(m, at);
        for &inst in &taken.0 {
            if !self.order.is_empty() {
                for arg in 0..m.inst(inst).args.len() {
                    let value = m.inst(inst).args[arg];
                    let Some(truth) = self.known.get(value.index()).copied().flatten() else { continue };
                    let constant = *constants[usize::from(truth)].get_or_insert_with(|| {
                        let imm = Imm::Const([truth.into(), 0, 0, 0]);
                        push(m, self.lists.now(), Op::Const, imm, Args::new(), Type::BOOL)
                    });
                    m.insts[inst.index()].args[arg] = constant;
                }
            }
            match m.inst(inst).imm {
                Imm::If(yes, no) => {
                    let cond = m.inst(inst).args[0];
                    for (region, truth) in [(yes, true), (no, false)] {
                        let outside = self.order.len();
                        self.assume(m, cond, truth, DEPTH);
                        self.region(m, region, constants);
                        self.forget(outside);
                    }
                    let returns = |region| m.terminator(region).is_some_and(|end| m.inst(end).op == Op::Yield);
                    match [returns(yes), returns(no)] {
                        [true, false] => self.assume(m, cond, true, DEPTH),
                        [false, true] => self.assume(m, cond, false, DEPTH),
                        _ => {}
                    }
                }
                Imm::Loop(body) => self.region(m, body, constants),
                _ => {}
            }
            self.lists.push(inst);
        }
        self.lists.end(m, at, taken);
        self.forget(before);
    }

    /// From here on `value` is known, and with it what that says of its operands.
    fn assume(&mut self, m: &Module, value: Value, truth: bool, depth: u32) {
        let Some(known @ None) = self.known.get_mut(value.index()) else { return };
        *known = Some(truth);
        self.order.push(value);
        let Some(data) = m.def(value).map(|inst| m.inst(inst)).filter(|_| depth > 0) else { return };
        match (data.op, truth) {
            (Op::BNot, _) => self.assume(m, data.args[0], !truth, depth - 1),
            (Op::BAnd, true) | (Op::BOr, false) => {
                data.args.iter().for_each(|&arg| self.assume(m, arg, truth, depth - 1));
            }
            _ => {}
        }
    }

    fn forget(&mut self, count: usize) {
        for value in self.order.drain(count..) {
            self.known[value.index()] = None;
        }
    }
}
