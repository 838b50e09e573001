//! Variables to values.
//!
//! Precondition: a verified module. Promise: only array variables are left, and their loads and stores; what the shader
//! computes is the same.
//!
//! Structured control flow makes this one walk without dominance frontiers: where the regions of an `if` leave a variable with
//! different values, the `if` gets a result; what a loop's body stores becomes a parameter and a result of the loop. Some of those
//! turn out not to be needed; `dce` takes them away again.

use afterimage_ir::{Args, Def, Imm, Inst, Module, Op, Region, Swizzle, Type, Value, Var};
use smallvec::{SmallVec, smallvec};

use crate::rewrite::{Replacements, push};

/// Runs the pass.
pub fn run(m: &mut Module) {
    if m.vars.iter().all(|v| v.array.is_some()) {
        return;
    }
    // Arrays close ranks; the others go.
    let mut arrays = 0;
    let kept = m
        .vars
        .iter()
        .map(|v| {
            v.array?;
            arrays += 1;
            Some(Var(arrays - 1))
        })
        .collect();
    let mut pass =
        Ssa { kept, replaced: Replacements::default(), prologue: Vec::new(), zeros: [None; 16], loops: Vec::new() };
    let mut now = vec![None; m.vars.len()];
    let body = m.body;
    pass.region(m, body, &mut now);
    m.regions[body.index()].insts.splice(0..0, pass.prologue);
    m.vars.retain(|v| v.array.is_some());
}

/// The value of each variable; `None` is the zero that it starts with.
type State = Vec<Option<Value>>;

struct Ssa {
    /// New name of each array; `None` for variables that become values.
    kept: Vec<Option<Var>>,
    replaced: Replacements,
    /// Zeros, for the begin of the body.
    prologue: Vec<Inst>,
    zeros: [Option<Value>; 16],
    /// Variables that each enclosing loop carries.
    loops: Vec<SmallVec<[Var; 16]>>,
}

impl Ssa {
    fn zero(&mut self, m: &mut Module, ty: Type) -> Value {
        let at = ty.kind as usize * 4 + ty.lanes as usize - 1;
        *self.zeros[at]
            .get_or_insert_with(|| push(m, &mut self.prologue, Op::Const, Imm::Const([0; 4]), Args::new(), ty))
    }

    fn value(&mut self, m: &mut Module, now: &State, var: Var) -> Value {
        let ty = m.vars[var.index()].ty;
        now[var.index()].unwrap_or_else(|| self.zero(m, ty))
    }

    fn region(&mut self, m: &mut Module, at: Region, now: &mut State) {
        let old = std::mem::take(&mut m.regions[at.index()].insts);
        let mut new = Vec::with_capacity(old.len());
        for inst in old {
            self.replaced.apply(&mut m.insts[inst.index()].args);
            let data = &mut m.insts[inst.index()];
            match (data.op, &mut data.imm) {
                (Op::LoadElem, Imm::Var(var)) | (Op::StoreElem, Imm::VarMask(var, _)) => {
                    if let Some(kept) = self.kept[var.index()] {
                        *var = kept;
                    }
                    new.push(inst);
                }
                (Op::Load, &mut Imm::Var(var)) => {
                    let result = data.results[0];
                    let value = self.value(m, now, var);
                    self.replaced.replace(result, value);
                }
                (Op::Store, &mut Imm::VarMask(var, mask)) => {
                    let value = data.args[0];
                    let ty = m.ty(value);
                    now[var.index()] = Some(if mask.count() == ty.lanes {
                        value
                    } else {
                        let old = self.value(m, now, var);
                        let pick: SmallVec<[u8; 4]> =
                            (0..ty.lanes).map(|l| if mask.has(l) { l + ty.lanes } else { l }).collect();
                        let imm = Imm::Swizzle(Swizzle::new(&pick));
                        push(m, &mut new, Op::Shuffle, imm, smallvec![old, value], ty)
                    });
                }
                (Op::If, &mut Imm::If(yes, no)) => {
                    new.push(inst);
                    self.if_(m, inst, [yes, no], now);
                }
                (Op::Loop, &mut Imm::Loop(body)) => {
                    new.push(inst);
                    self.loop_(m, inst, body, now);
                }
                (Op::Break | Op::Continue, _) => {
                    for var in self.loops.last().cloned().unwrap_or_default() {
                        let value = self.value(m, now, var);
                        m.insts[inst.index()].args.push(value);
                    }
                    new.push(inst);
                }
                _ => new.push(inst),
            }
        }
        m.regions[at.index()].insts = new;
    }

    fn if_(&mut self, m: &mut Module, inst: Inst, regions: [Region; 2], now: &mut State) {
        let before = now.clone();
        let mut other = now.clone();
        self.region(m, regions[0], now);
        self.region(m, regions[1], &mut other);
        let yields = regions.map(|r| m.terminator(r).filter(|&t| m.inst(t).op == Op::Yield));
        for index in 0..now.len() {
            let var = Var::new(index);
            let changed = match yields {
                [Some(_), Some(_)] => now[index] != other[index],
                [Some(_), None] => now[index] != before[index],
                [None, Some(_)] => other[index] != before[index],
                [None, None] => false,
            };
            // Nothing that is defined in the regions may be used behind them, even if only one of them comes back.
            now[index] = if changed {
                for (terminator, state) in yields.into_iter().zip([&*now, &other]) {
                    if let Some(terminator) = terminator {
                        let value = self.value(m, state, var);
                        m.insts[terminator.index()].args.push(value);
                    }
                }
                Some(new_result(m, inst, var))
            } else if yields[0].is_some() && yields[1].is_some() {
                now[index]
            } else {
                before[index]
            };
        }
    }

    fn loop_(&mut self, m: &mut Module, inst: Inst, body: Region, now: &mut State) {
        let mut stored = vec![false; m.vars.len()];
        stores(m, body, &mut stored);
        let carried: SmallVec<[Var; 16]> =
            (0..stored.len()).filter(|&i| stored[i] && self.kept[i].is_none()).map(Var::new).collect();
        for &var in &carried {
            let start = self.value(m, now, var);
            m.insts[inst.index()].args.push(start);
            let ty = m.vars[var.index()].ty;
            let param = m.new_value(ty, Def::Param(body));
            m.regions[body.index()].params.push(param);
            now[var.index()] = Some(param);
        }
        self.loops.push(carried);
        self.region(m, body, now);
        for var in self.loops.pop().unwrap_or_default() {
            now[var.index()] = Some(new_result(m, inst, var));
        }
    }
}

fn new_result(m: &mut Module, inst: Inst, var: Var) -> Value {
    let ty = m.vars[var.index()].ty;
    let value = m.new_value(ty, Def::Inst(inst));
    m.insts[inst.index()].results.push(value);
    value
}

/// Marks the variables that a region stores to.
fn stores(m: &Module, region: Region, stored: &mut [bool]) {
    for &inst in &m.region(region).insts {
        match m.inst(inst).imm {
            Imm::VarMask(var, _) => stored[var.index()] = true,
            Imm::If(yes, no) => {
                stores(m, yes, stored);
                stores(m, no, stored);
            }
            Imm::Loop(body) => stores(m, body, stored),
            _ => {}
        }
    }
}
