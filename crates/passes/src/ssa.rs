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

use crate::rewrite::{Lists, Replacements, push};

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
    let mut pass = Ssa {
        kept,
        replaced: Replacements::new(m),
        prologue: Vec::new(),
        zeros: [None; 16],
        loops: Vec::new(),
        now: vec![None; m.vars.len()],
        changes: Vec::new(),
        lists: Lists::default(),
    };
    let body = m.body;
    pass.region(m, body);
    m.regions[body.index()].insts.splice(0..0, pass.prologue);
    m.vars.retain(|v| v.array.is_some());
}

/// Variables that a region has changed, in their order, with what they hold at its end.
type Changed = SmallVec<[(Var, Option<Value>); 8]>;

struct Ssa {
    /// New name of each array; `None` for variables that become values.
    kept: Vec<Option<Var>>,
    replaced: Replacements,
    /// Zeros, for the begin of the body.
    prologue: Vec<Inst>,
    zeros: [Option<Value>; 16],
    /// Variables that each enclosing loop carries.
    loops: Vec<SmallVec<[Var; 16]>>,
    /// The value of each variable; `None` is the zero that it starts with.
    now: Vec<Option<Value>>,
    /// Variables that were changed, and what they held before.
    changes: Vec<(Var, Option<Value>)>,
    lists: Lists,
}

impl Ssa {
    fn zero(&mut self, m: &mut Module, ty: Type) -> Value {
        let at = ty.kind as usize * 4 + ty.lanes as usize - 1;
        *self.zeros[at]
            .get_or_insert_with(|| push(m, &mut self.prologue, Op::Const, Imm::Const([0; 4]), Args::new(), ty))
    }

    /// What a variable holds, of which `held` is known.
    fn value(&mut self, m: &mut Module, held: Option<Value>, var: Var) -> Value {
        let ty = m.vars[var.index()].ty;
        held.unwrap_or_else(|| self.zero(m, ty))
    }

    fn load(&mut self, m: &mut Module, var: Var) -> Value {
        self.value(m, self.now[var.index()], var)
    }

    fn store(&mut self, var: Var, value: Option<Value>) {
        let held = std::mem::replace(&mut self.now[var.index()], value);
        self.changes.push((var, held));
    }

    /// Takes back what was changed since there were so many changes.
    fn take_back(&mut self, changes: usize) -> Changed {
        let mut changed: Changed =
            self.changes[changes..].iter().map(|&(var, _)| (var, self.now[var.index()])).collect();
        changed.sort_unstable_by_key(|(var, _)| *var);
        changed.dedup();
        for (var, held) in self.changes.drain(changes..).rev() {
            self.now[var.index()] = held;
        }
        changed
    }

    fn region(&mut self, m: &mut Module, at: Region) {
        let taken = self.lists.begin(m, at);
        for &inst in &taken.0 {
            self.replaced.apply(&mut m.insts[inst.index()].args);
            let data = &mut m.insts[inst.index()];
            match (data.op, &mut data.imm) {
                (Op::LoadElem, Imm::Var(var)) | (Op::StoreElem, Imm::VarMask(var, _)) => {
                    if let Some(kept) = self.kept[var.index()] {
                        *var = kept;
                    }
                    self.lists.push(inst);
                }
                (Op::Load, &mut Imm::Var(var)) => {
                    let result = data.results[0];
                    let value = self.load(m, var);
                    self.replaced.replace(result, value);
                }
                (Op::Store, &mut Imm::VarMask(var, mask)) => {
                    let value = data.args[0];
                    let ty = m.ty(value);
                    let stored = if mask.count() == ty.lanes {
                        value
                    } else {
                        let old = self.load(m, var);
                        let pick: SmallVec<[u8; 4]> =
                            (0..ty.lanes).map(|l| if mask.has(l) { l + ty.lanes } else { l }).collect();
                        let imm = Imm::Swizzle(Swizzle::new(&pick));
                        push(m, self.lists.now(), Op::Shuffle, imm, smallvec![old, value], ty)
                    };
                    self.store(var, Some(stored));
                }
                (Op::If, &mut Imm::If(yes, no)) => {
                    self.lists.push(inst);
                    self.if_(m, inst, [yes, no]);
                }
                (Op::Loop, &mut Imm::Loop(body)) => {
                    self.lists.push(inst);
                    self.loop_(m, inst, body);
                }
                (Op::Break | Op::Continue, _) => {
                    for var in self.loops.last().cloned().unwrap_or_default() {
                        let value = self.load(m, var);
                        m.insts[inst.index()].args.push(value);
                    }
                    self.lists.push(inst);
                }
                _ => self.lists.push(inst),
            }
        }
        self.lists.end(m, at, taken);
    }

    fn if_(&mut self, m: &mut Module, inst: Inst, regions: [Region; 2]) {
        let changes = self.changes.len();
        // Nothing that is defined in the regions may be used behind them, even if only one of them comes back.
        let changed = regions.map(|region| {
            self.region(m, region);
            self.take_back(changes)
        });
        let yields = regions.map(|r| m.terminator(r).filter(|&t| m.inst(t).op == Op::Yield));
        let mut left = [&changed[0][..], &changed[1][..]];
        while let Some(var) = left.iter().filter_map(|list| Some(list.first()?.0)).min() {
            let before = self.now[var.index()];
            let held = [0, 1].map(|n| match left[n] {
                [(first, held), rest @ ..] if *first == var => {
                    left[n] = rest;
                    *held
                }
                _ => before,
            });
            let differs = match yields {
                [Some(_), Some(_)] => held[0] != held[1],
                [Some(_), None] => held[0] != before,
                [None, Some(_)] => held[1] != before,
                [None, None] => false,
            };
            if differs {
                for (terminator, held) in yields.into_iter().zip(held) {
                    if let Some(terminator) = terminator {
                        let value = self.value(m, held, var);
                        m.insts[terminator.index()].args.push(value);
                    }
                }
                self.store(var, Some(new_result(m, inst, var)));
            } else if yields[0].is_some() && yields[1].is_some() && held[0] != before {
                self.store(var, held[0]);
            }
        }
    }

    fn loop_(&mut self, m: &mut Module, inst: Inst, body: Region) {
        let mut stored = vec![false; m.vars.len()];
        stores(m, body, &mut stored);
        let carried: SmallVec<[Var; 16]> =
            (0..stored.len()).filter(|&i| stored[i] && self.kept[i].is_none()).map(Var::new).collect();
        for &var in &carried {
            let start = self.load(m, var);
            m.insts[inst.index()].args.push(start);
            let ty = m.vars[var.index()].ty;
            let param = m.new_value(ty, Def::Param(body));
            m.regions[body.index()].params.push(param);
            self.store(var, Some(param));
        }
        self.loops.push(carried);
        self.region(m, body);
        for var in self.loops.pop().unwrap_or_default() {
            let result = new_result(m, inst, var);
            self.store(var, Some(result));
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
