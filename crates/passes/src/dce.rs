//! Dead code.
//!
//! Precondition: a verified module. Promise: every instruction that is left has a side effect, or a result that is needed for one;
//! so have the results of `if`s and the results and parameters of loops. A loop without any effect is taken to end. What the
//! shader computes is the same.

use afterimage_ir::{Args, Def, Flags, Imm, Inst, Module, Op, Region, Value};
use smallvec::SmallVec;

/// Runs the pass.
pub fn run(m: &mut Module) {
    let mut pass = Dce {
        needed: vec![false; m.insts.len()],
        live: vec![false; m.values.len()],
        parent: vec![None; m.insts.len()],
        loop_of: vec![None; m.regions.len()],
        jumps: Vec::new(),
        insts: Vec::new(),
        values: Vec::new(),
    };
    pass.survey(m, m.body, None, None);
    pass.jumps.sort_unstable_by_key(|jump| jump.1);
    pass.mark(m);
    let body = m.body;
    pass.sweep(m, body);
}

struct Dce {
    needed: Vec<bool>,
    live: Vec<bool>,
    /// The `if` or loop around each instruction.
    parent: Vec<Option<Inst>>,
    /// The loop whose body a region is.
    loop_of: Vec<Option<Inst>>,
    /// `break`s and `continue`s with the loop that they are of, sorted by it.
    jumps: Vec<(Inst, Inst)>,
    insts: Vec<Inst>,
    values: Vec<Value>,
}

impl Dce {
    fn survey(&mut self, m: &Module, region: Region, parent: Option<Inst>, loop_: Option<Inst>) {
        for &inst in &m.region(region).insts {
            self.parent[inst.index()] = parent;
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (_, Imm::If(yes, no)) => {
                    self.survey(m, yes, Some(inst), loop_);
                    self.survey(m, no, Some(inst), loop_);
                }
                (_, Imm::Loop(body)) => {
                    self.loop_of[body.index()] = Some(inst);
                    self.survey(m, body, Some(inst), Some(inst));
                }
                (Op::Break | Op::Continue, _) => self.jumps.extend(loop_.map(|l| (inst, l))),
                (Op::Yield | Op::Unreachable, _) => {}
                (op, _) if op.has(Flags::SIDE_EFFECT) => self.insts.push(inst),
                _ => {}
            }
        }
    }

    fn jumps_of(&self, loop_: Inst) -> std::ops::Range<usize> {
        let at = |limit: Inst| self.jumps.partition_point(|jump| jump.1 < limit);
        at(loop_)..at(Inst(loop_.0 + 1))
    }

    fn mark(&mut self, m: &Module) {
        loop {
            if let Some(value) = self.values.pop() {
                if !std::mem::replace(&mut self.live[value.index()], true) {
                    self.mark_value(m, value);
                }
            } else if let Some(inst) = self.insts.pop() {
                if !std::mem::replace(&mut self.needed[inst.index()], true) {
                    self.mark_inst(m, inst);
                }
            } else {
                return;
            }
        }
    }

    fn mark_inst(&mut self, m: &Module, inst: Inst) {
        let data = m.inst(inst);
        self.insts.extend(self.parent[inst.index()]);
        match data.op {
            // Their operands are needed one by one, with the results and parameters that they go to.
            Op::Yield | Op::Break | Op::Continue => {}
            Op::Loop => {
                let range = self.jumps_of(inst);
                self.insts.extend(self.jumps[range].iter().map(|jump| jump.0));
            }
            _ => self.values.extend_from_slice(&data.args),
        }
    }

    fn mark_value(&mut self, m: &Module, value: Value) {
        match m.values[value.index()].def {
            Def::Inst(inst) => {
                self.insts.push(inst);
                let data = m.inst(inst);
                let at = || data.results.iter().position(|&r| r == value);
                match data.imm {
                    Imm::If(yes, no) => {
                        for region in [yes, no] {
                            let end = m.terminator(region).map(|t| m.inst(t)).filter(|t| t.op == Op::Yield);
                            self.values.extend(end.zip(at()).and_then(|(end, at)| end.args.get(at)));
                        }
                    }
                    Imm::Loop(_) => self.mark_jumps(m, inst, Op::Break, at()),
                    _ => {}
                }
            }
            Def::Param(region) => {
                let at = m.region(region).params.iter().position(|&p| p == value);
                if let Some(inst) = self.loop_of[region.index()] {
                    self.insts.push(inst);
                    self.values.extend(at.and_then(|at| m.inst(inst).args.get(at)));
                    self.mark_jumps(m, inst, Op::Continue, at);
                }
            }
            Def::None => {}
        }
    }

    /// Marks operand `at` of the jumps of a loop.
    fn mark_jumps(&mut self, m: &Module, loop_: Inst, op: Op, at: Option<usize>) {
        for &(jump, _) in &self.jumps[self.jumps_of(loop_)] {
            if m.inst(jump).op == op {
                self.values.extend(at.and_then(|at| m.inst(jump).args.get(at)));
            }
        }
    }

    fn sweep(&self, m: &mut Module, region: Region) {
        let mut list = std::mem::take(&mut m.regions[region.index()].insts);
        list.retain(|&inst| self.needed[inst.index()] || matches!(m.inst(inst).op, Op::Yield | Op::Unreachable));
        for &inst in &list {
            match m.inst(inst).imm {
                Imm::If(yes, no) => {
                    let dead = self.dead(&m.inst(inst).results);
                    for region in [yes, no] {
                        if let Some(end) = m.terminator(region).filter(|&t| m.inst(t).op == Op::Yield) {
                            remove(&mut m.insts[end.index()].args, &dead);
                        }
                    }
                    remove(&mut m.insts[inst.index()].results, &dead);
                    self.sweep(m, yes);
                    self.sweep(m, no);
                }
                Imm::Loop(body) => {
                    let results = self.dead(&m.inst(inst).results);
                    let params = self.dead(&m.region(body).params);
                    for &(jump, _) in &self.jumps[self.jumps_of(inst)] {
                        let dead = if m.inst(jump).op == Op::Break { &results } else { &params };
                        remove(&mut m.insts[jump.index()].args, dead);
                    }
                    remove(&mut m.insts[inst.index()].results, &results);
                    remove(&mut m.insts[inst.index()].args, &params);
                    remove(&mut m.regions[body.index()].params, &params);
                    self.sweep(m, body);
                }
                _ => {}
            }
        }
        m.regions[region.index()].insts = list;
    }

    /// Which of the values are not needed.
    fn dead(&self, values: &Args) -> SmallVec<[bool; 16]> {
        values.iter().map(|v| !self.live[v.index()]).collect()
    }
}

fn remove(list: &mut Args, dead: &[bool]) {
    let mut at = 0;
    list.retain(|_| {
        at += 1;
        !dead[at - 1]
    });
}
