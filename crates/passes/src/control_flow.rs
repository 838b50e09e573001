//! Control-flow cleanup.
//!
//! Precondition: a verified module. Promise: no `if` decides on a constant; no `if` has two empty regions; results that are the same
//! either way, and loop parameters that never change, are the values themselves; nothing stands behind an `if` neither region of which
//! comes back. What the shader computes is the same.

use afterimage_ir::{Args, Imm, Inst, Kind, Module, Op, Region, Swizzle, Value};
use smallvec::smallvec;

use crate::rewrite::{Action, Replacements, push, rewrite};

/// Runs the pass.
pub fn run(m: &mut Module) {
    let mut pass = Cleanup { replaced: Replacements::default(), invariant: Replacements::default(), loops: Vec::new() };
    let body = m.body;
    pass.region(m, body);
    // A parameter was used before it was known never to change.
    let Cleanup { invariant, .. } = pass;
    if !invariant.is_empty() {
        rewrite(m, |cursor, inst| {
            invariant.apply(&mut cursor.m.insts[inst.index()].args);
            Action::Keep
        });
    }
}

/// A loop being walked, with what every `continue` so far brings.
struct Round {
    params: Args,
    /// For each parameter the only value it gets, if there is one.
    only: Vec<Option<Value>>,
}

struct Cleanup {
    replaced: Replacements,
    invariant: Replacements,
    loops: Vec<Round>,
}

impl Cleanup {
    fn region(&mut self, m: &mut Module, at: Region) {
        let mut new = Vec::new();
        self.list(m, at, &mut new);
        m.regions[at.index()].insts = new;
    }

    /// Walks a region and appends what is left of it to `new`. Whether its end is reached by `yield`; that is left out if the
    /// region is to become part of another.
    fn list(&mut self, m: &mut Module, at: Region, new: &mut Vec<Inst>) {
        let old = std::mem::take(&mut m.regions[at.index()].insts);
        new.reserve(old.len());
        for inst in old {
            self.replaced.apply(&mut m.insts[inst.index()].args);
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => {
                    if let Some(bits) = m.as_const(data.args[0]) {
                        self.list(m, if bits[0] != 0 { yes } else { no }, new);
                        if !self.splice(m, inst, new) {
                            return;
                        }
                        continue;
                    }
                    self.region(m, yes);
                    self.region(m, no);
                    if !self.if_(m, inst, [yes, no], new) {
                        return;
                    }
                }
                (Op::Loop, Imm::Loop(body)) => {
                    let params = m.region(body).params.clone();
                    let only = data.args.iter().map(|&start| Some(start)).collect();
                    self.loops.push(Round { params, only });
                    self.region(m, body);
                    let Some(Round { params, only }) = self.loops.pop() else { return };
                    for (param, only) in params.into_iter().zip(only) {
                        if let Some(only) = only {
                            self.invariant.replace(param, self.invariant.get(only));
                        }
                    }
                    new.push(inst);
                }
                (Op::Continue, _) => {
                    if let Some(round) = self.loops.last_mut() {
                        for ((&arg, only), &param) in data.args.iter().zip(&mut round.only).zip(&round.params) {
                            if arg != param && Some(arg) != *only {
                                *only = None;
                            }
                        }
                    }
                    new.push(inst);
                }
                _ => new.push(inst),
            }
        }
    }

    /// Makes the region just appended a part of this one: its `yield`, if that is how it ends, goes. Whether it comes back.
    fn splice(&mut self, m: &mut Module, if_: Inst, new: &mut Vec<Inst>) -> bool {
        match new.last() {
            Some(&end) if m.inst(end).op == Op::Yield => {
                let results = m.inst(if_).results.clone();
                for (&result, &value) in results.iter().zip(&m.inst(end).args) {
                    self.replaced.replace(result, value);
                }
                new.pop();
                true
            }
            _ => false,
        }
    }

    /// What an `if` can be made into once its regions are done. Whether it comes back.
    fn if_(&mut self, m: &mut Module, inst: Inst, regions: [Region; 2], new: &mut Vec<Inst>) -> bool {
        let ends = regions.map(|r| m.terminator(r).filter(|&end| m.inst(end).op == Op::Yield));
        if ends == [None, None] {
            new.push(inst);
            let end = m.new_inst(Op::Unreachable, Imm::None, Args::new(), &[]);
            new.push(end);
            return false;
        }
        let [Some(yes), Some(no)] = ends else {
            new.push(inst);
            return true;
        };
        let empty = regions.iter().all(|&r| m.region(r).insts.len() == 1);
        if empty {
            self.choose(m, inst, [yes, no], new);
            return true;
        }
        // Results that are the same either way are defined outside, because no value of one region is in scope in the other.
        let same: Vec<bool> = m.inst(yes).args.iter().zip(&m.inst(no).args).map(|(a, b)| a == b).collect();
        if same.contains(&true) {
            for (at, _) in same.iter().enumerate().filter(|s| *s.1) {
                let (result, value) = (m.inst(inst).results[at], m.inst(yes).args[at]);
                self.replaced.replace(result, value);
            }
            for list in [yes, no] {
                keep(&mut m.insts[list.index()].args, &same);
            }
            keep(&mut m.insts[inst.index()].results, &same);
        }
        new.push(inst);
        true
    }

    /// An `if` with two empty regions only chooses values.
    fn choose(&mut self, m: &mut Module, inst: Inst, ends: [Inst; 2], new: &mut Vec<Inst>) {
        let cond = m.inst(inst).args[0];
        let results = m.inst(inst).results.clone();
        for (at, &result) in results.iter().enumerate() {
            let (yes, no) = (m.inst(ends[0]).args[at], m.inst(ends[1]).args[at]);
            let ty = m.ty(result);
            let mut wide = cond;
            if ty.lanes > 1 {
                let imm = Imm::Swizzle(Swizzle::splat(0, ty.lanes));
                wide = push(m, new, Op::Swizzle, imm, smallvec![cond], ty.with_kind(Kind::Bool));
            }
            let value = push(m, new, Op::Select, Imm::None, smallvec![wide, yes, no], ty);
            self.replaced.replace(result, value);
        }
    }
}

fn keep(list: &mut Args, gone: &[bool]) {
    let mut at = 0;
    list.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
}
