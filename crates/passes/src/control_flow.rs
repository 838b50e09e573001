//! Control-flow cleanup.
//!
//! Precondition: a verified module. Promise: no `if` decides on a constant; no `if` has two empty regions; results that are the same
//! either way, and loop parameters that never change, are the values themselves; a result that is true one way and false the other is
//! the condition; a loop that goes round once is its region; nothing stands behind an `if` neither region of which comes back; no pixel
//! is thrown away on the condition false. What the shader computes is the same.

use afterimage_ir::{Args, Imm, Inst, Kind, Module, Op, Region, Swizzle, Type, Value};
use smallvec::{SmallVec, smallvec};

use crate::rewrite::{Action, Replacements, push, rewrite};

/// Runs the pass.
pub fn run(m: &mut Module) {
    run_and_tell(m);
}

/// How often to look again where a loop has become straight code, whose variables are values now.
const AGAIN: u32 = 3;

/// Runs the pass. How often to look again: control flow may have given way to a constant or a condition, which others may now do something
/// with.
pub(crate) fn run_and_tell(m: &mut Module) -> u32 {
    let mut pass = Cleanup {
        replaced: Replacements::new(m),
        invariant: Replacements::default(),
        loops: Vec::new(),
        decided: false,
        inlined: false,
        spare: Vec::new(),
    };
    let body = m.body;
    pass.region(m, body);
    // A parameter was used before it was known never to change.
    let Cleanup { invariant, decided, inlined, .. } = pass;
    if !invariant.is_empty() {
        rewrite(m, |cursor, inst| {
            // What stands for it may be such a parameter too, of a loop around it that is no more.
            cursor.m.insts[inst.index()].args.iter_mut().for_each(|arg| *arg = invariant.follow(*arg));
            Action::Keep
        });
    }
    if inlined { AGAIN } else { decided.into() }
}

/// Whether two values are the same, perhaps because they are equal constants.
fn equal(m: &Module, a: Value, b: Value) -> bool {
    a == b || m.ty(a) == m.ty(b) && m.as_const(a).is_some_and(|bits| m.as_const(b) == Some(bits))
}

/// Whether a loop's region ends with `break`, and neither that nor `continue` is in the middle of it.
fn once(m: &Module, body: Region) -> bool {
    let ends = m.terminator(body).is_some_and(|end| m.inst(end).op == Op::Break);
    ends && m.region(body).insts.iter().rev().skip(1).all(|&inst| stays(m, inst))
}

/// Whether an instruction does not leave or repeat the loop around it.
fn stays(m: &Module, inst: Inst) -> bool {
    match (m.inst(inst).op, m.inst(inst).imm) {
        (Op::Break | Op::Continue, _) => false,
        (Op::If, Imm::If(yes, no)) => {
            [yes, no].iter().all(|&region| m.region(region).insts.iter().all(|&inst| stays(m, inst)))
        }
        _ => true,
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
    /// Whether a constant or a condition has taken the place of a result or a parameter.
    decided: bool,
    /// Whether a loop has become a part of the region around it.
    inlined: bool,
    /// Empty lists, to be made use of again.
    spare: Vec<Vec<Inst>>,
}

impl Cleanup {
    fn region(&mut self, m: &mut Module, at: Region) {
        let mut new = self.spare.pop().unwrap_or_default();
        self.list(m, at, &mut new);
        m.regions[at.index()].insts.extend_from_slice(&new);
        new.clear();
        self.spare.push(new);
    }

    /// Empties a region and appends what is left of it to `new`. Whether its end is reached by `yield`; that is left out if the
    /// region is to become part of another.
    fn list(&mut self, m: &mut Module, at: Region, new: &mut Vec<Inst>) {
        let mut old = std::mem::take(&mut m.regions[at.index()].insts);
        self.walk(m, &old, new);
        old.clear();
        m.regions[at.index()].insts = old;
    }

    fn walk(&mut self, m: &mut Module, old: &[Inst], new: &mut Vec<Inst>) {
        for &inst in old {
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
                            self.decided |= m.as_const(only).is_some();
                            self.invariant.replace(param, self.invariant.get(only));
                        }
                    }
                    if once(m, body) {
                        self.list_of_loop(m, inst, body, new);
                        continue;
                    }
                    new.push(inst);
                }
                (Op::Continue, _) => {
                    if let Some(round) = self.loops.last_mut() {
                        for ((&arg, only), &param) in data.args.iter().zip(&mut round.only).zip(&round.params) {
                            if arg != param && !only.is_some_and(|only| equal(m, arg, only)) {
                                *only = None;
                            }
                        }
                    }
                    new.push(inst);
                }
                // Throws nothing away.
                (Op::Demote, _) if m.as_const(data.args[0]).is_some_and(|bits| bits[0] == 0) => {}
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

    /// Makes the region of a loop that goes round once a part of this one, in place of the loop.
    fn list_of_loop(&mut self, m: &mut Module, loop_: Inst, body: Region, new: &mut Vec<Inst>) {
        self.inlined = true;
        let mut insts = std::mem::take(&mut m.regions[body.index()].insts);
        if let Some(end) = insts.pop() {
            let results = m.inst(loop_).results.clone();
            for (&result, &value) in results.iter().zip(&m.inst(end).args) {
                self.replaced.replace(result, self.replaced.get(value));
            }
        }
        new.append(&mut insts);
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
        let cond = m.inst(inst).args[0];
        let mut gone: SmallVec<[bool; 8]> = SmallVec::new();
        for at in 0..m.inst(inst).results.len() {
            let (result, a, b) = (m.inst(inst).results[at], m.inst(yes).args[at], m.inst(no).args[at]);
            let value = self.either_way(m, new, cond, a, b);
            gone.push(value.is_some());
            if let Some(value) = value {
                self.replaced.replace(result, value);
            }
        }
        if gone.contains(&true) {
            for list in [yes, no] {
                keep(&mut m.insts[list.index()].args, &gone);
            }
            keep(&mut m.insts[inst.index()].results, &gone);
        }
        new.push(inst);
        true
    }

    /// What a result is without the `if`, where it is `a` if `cond` is true and `b` if not: the same either way, or the condition.
    fn either_way(&mut self, m: &mut Module, new: &mut Vec<Inst>, cond: Value, a: Value, b: Value) -> Option<Value> {
        // A value that both regions bring is defined outside, because none of one region is in scope in the other.
        if a == b {
            return Some(a);
        }
        let (yes, no) = (m.as_const(a)?, m.as_const(b)?);
        let ty = m.ty(a);
        let value = if yes == no {
            push(m, new, Op::Const, Imm::Const(yes), Args::new(), ty)
        } else if ty != Type::BOOL {
            return None;
        } else if yes[0] != 0 {
            cond
        } else {
            push(m, new, Op::BNot, Imm::None, smallvec![cond], ty)
        };
        self.decided = true;
        Some(value)
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

/// Removes what is gone.
fn keep(list: &mut Args, gone: &[bool]) {
    let mut at = 0;
    list.retain(|_| {
        at += 1;
        !gone[at - 1]
    });
}
