//! The order of memory among the lanes of a guest's wave.
//!
//! Precondition: a verified module of a work group that is one wave of the guest, best after the other passes. Promise: what one lane reads
//! of buffers and images that another one writes is what it would be if all lanes of the wave went in step, where waves of the host are
//! smaller; what the shader computes is the same.
//!
//! The guest's compilers leave out barriers within a wave: its accesses of memory come one after the other. So a barrier comes between
//! accesses of the same buffer or image of which one writes, unless it can be seen that every lane goes to a place of its own, or that the
//! two never meet. Lanes wait only where the guest's are together. Where it depends on memory who comes there, all of them are
//! brought there (the pass `lockstep`); behind a branch by a lane's own values nobody waits, since programs that go on
//! such ways do not rely on others.

mod place;
mod same;

use std::rc::Rc;

use afterimage_ir::{Args, Flags, Imm, Inst, MAX_WAVE, Module, Op, Region, Value};

use crate::guest_waves::{self, exchanges};
use place::{Access, Clash};
use same::{Same, Sameness};

/// Accesses that are looked at one by one.
const MOST: usize = 128;

/// Runs the pass, for a host whose waves have `host` lanes: where the group fits into one, nothing is changed. False where there is no
/// memory left for what it needs, and lanes do not wait everywhere.
pub fn run(m: &mut Module, host: u32) -> bool {
    let lanes = m.group.iter().product::<u32>();
    if lanes > MAX_WAVE || lanes <= host.max(1) {
        return true;
    }
    let mut pass = Pass::new(m);
    let body = m.body;
    let all = pass.scan(m, body);
    if all.clash(&all.all, &pass.same).is_none() {
        return true;
    }
    pass.walk(m, body, Open::default(), Where { may: true, sure: true });
    let mut whole = true;
    if pass.together {
        // The group is the wave.
        rename(m, Op::Barrier, Op::WaveBarrier);
        whole = guest_waves::bring_together(m);
    }
    if !m.guest_waves {
        rename(m, Op::WaveBarrier, Op::Barrier);
    }
    whole
}

fn rename(m: &mut Module, from: Op, to: Op) {
    m.insts.iter_mut().filter(|data| data.op == from).for_each(|data| data.op = to);
}

/// Accesses that have not been waited for, or those of a construct.
#[derive(Clone, Default)]
struct Open {
    all: Vec<Access>,
    /// There are more.
    more: bool,
}

impl Open {
    fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn add(&mut self, access: Access) {
        if self.all.contains(&access) {
        } else if self.all.len() < MOST {
            self.all.push(access);
        } else {
            self.more = true;
        }
    }

    fn add_all(&mut self, other: &Open) {
        other.all.iter().for_each(|access| self.add(access.clone()));
        self.more |= other.more;
    }

    /// How much these and what comes next depend on their order.
    fn clash(&self, next: &[Access], same: &Sameness) -> Option<Clash> {
        if self.more && !next.is_empty() {
            return Some(Clash::Strong);
        }
        self.all.iter().flat_map(|before| next.iter().filter_map(|next| before.clash(next, same))).max()
    }
}

/// What is known of a place in the code.
#[derive(Clone, Copy)]
struct Where {
    /// All lanes of the guest's wave that are still there come by together.
    may: bool,
    /// So do those of the host.
    sure: bool,
}

struct Pass {
    same: Sameness,
    used: Vec<bool>,
    /// The accesses in constructs; in loops, as they are in any of their rounds.
    inside: Vec<Option<Rc<Open>>>,
    /// Lanes wait where the host's might not all come by.
    together: bool,
}

impl Pass {
    fn new(m: &Module) -> Pass {
        let mut used = vec![false; m.values.len()];
        m.for_each_inst(|_, data| data.args.iter().for_each(|arg| used[arg.index()] = true));
        Pass { same: Sameness::new(m), used, inside: vec![None; m.insts.len()], together: false }
    }

    /// Finds the accesses of a region.
    fn scan(&mut self, m: &Module, region: Region) -> Open {
        let mut all = Open::default();
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            let construct = match data.imm {
                Imm::If(yes, no) => {
                    let mut both = self.scan(m, yes);
                    both.add_all(&self.scan(m, no));
                    both
                }
                Imm::Loop(body) => {
                    let once = self.scan(m, body);
                    if once.is_empty() {
                        continue;
                    }
                    let varies = varying(m, body);
                    let mut rounds = Open { more: once.more, ..Open::default() };
                    let other = |access: Access| access.in_other_rounds(|value| varies[value.index()]);
                    once.all.into_iter().for_each(|access| rounds.add(other(access)));
                    rounds
                }
                _ => {
                    if let Some(access) = Access::of(m, data, &self.used) {
                        all.add(access);
                    }
                    continue;
                }
            };
            all.add_all(&construct);
            if !construct.is_empty() {
                self.inside[inst.index()] = Some(Rc::new(construct));
            }
        }
        all
    }

    /// Lets lanes wait in a region. Gives what is open behind it, and whether it is certain that all lanes of the host come there.
    fn walk(&mut self, m: &mut Module, region: Region, mut open: Open, mut at: Where) -> (Open, bool) {
        let old = std::mem::take(&mut m.regions[region.index()].insts);
        let mut new = Vec::with_capacity(old.len() + 4);
        for inst in old {
            let data = m.inst(inst);
            let (op, imm) = (data.op, data.imm);
            match imm {
                Imm::If(yes, no) => {
                    let decided = self.same.of(data.args[0]);
                    if let Some(inside) = self.inside[inst.index()].clone() {
                        self.wait(m, &inside.all, &mut open, at, &mut new);
                        let inner =
                            Where { may: at.may && decided != Same::No, sure: at.sure && decided == Same::Always };
                        if inner.may && self.is_ordered(&inside) {
                            let first = self.walk(m, yes, open.clone(), inner);
                            let second = self.walk(m, no, open, inner);
                            open = first.0;
                            open.add_all(&second.0);
                        } else {
                            open.add_all(&inside);
                        }
                    }
                    at.sure &= decided == Same::Always || !self.same.returns(inst);
                }
                Imm::Loop(body) => {
                    let decided = self.same.jumps(inst);
                    if let Some(inside) = self.inside[inst.index()].clone() {
                        self.wait(m, &inside.all, &mut open, at, &mut new);
                        open.add_all(&inside);
                        let inner =
                            Where { may: at.may && decided != Same::No, sure: at.sure && decided == Same::Always };
                        if inner.may && self.is_ordered(&inside) {
                            self.walk(m, body, open.clone(), inner);
                        }
                    }
                    at.sure &= decided == Same::Always || !self.same.returns(inst);
                }
                _ if matches!(op, Op::Barrier | Op::WaveBarrier) || m.guest_waves && exchanges(op) => {
                    open = Open::default();
                }
                _ => {
                    if let Some(access) = Access::of(m, data, &self.used) {
                        self.wait(m, std::slice::from_ref(&access), &mut open, at, &mut new);
                        open.add(access);
                    }
                }
            }
            new.push(inst);
        }
        m.regions[region.index()].insts = new;
        (open, at.sure)
    }

    /// Whether the accesses in a construct depend on each other's order.
    fn is_ordered(&self, inside: &Open) -> bool {
        inside.clash(&inside.all, &self.same) == Some(Clash::Strong)
    }

    /// Comes in front of accesses: if they must not come before those that are open, lanes wait.
    fn wait(&mut self, m: &mut Module, next: &[Access], open: &mut Open, at: Where, list: &mut Vec<Inst>) {
        let waits = match open.clash(next, &self.same) {
            Some(Clash::Strong) => at.may,
            // Not worth it where it takes more than a barrier.
            Some(Clash::Weak) => at.may && at.sure,
            None => false,
        };
        if waits {
            *open = Open::default();
            self.together |= !at.sure;
            list.push(m.new_inst(Op::WaveBarrier, Imm::None, Args::new(), &[]));
        }
    }
}

/// Values that are others in each round of a loop.
fn varying(m: &Module, body: Region) -> Vec<bool> {
    let mut varies = vec![false; m.values.len()];
    let mark = |varies: &mut Vec<bool>, values: &[Value]| values.iter().for_each(|value| varies[value.index()] = true);
    mark(&mut varies, &m.region(body).params);
    m.for_each_inst_in(body, &mut |_, data| {
        let op = data.op;
        if let Imm::Loop(inner) = data.imm {
            mark(&mut varies, &m.region(inner).params);
        }
        let reads = op.has(Flags::SIDE_EFFECT) || op.has(Flags::MEMORY) || op.has(Flags::WAVE);
        let moves = reads
            || matches!(data.imm, Imm::If(..) | Imm::Loop(_))
            || matches!(op, Op::Load | Op::LoadElem)
            || data.args.iter().any(|arg| varies[arg.index()]);
        if moves {
            mark(&mut varies, &data.results);
        }
    });
    varies
}

#[cfg(test)]
mod tests;
