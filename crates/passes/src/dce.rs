//! Dead code.
//!
//! Precondition: a verified module. Promise: every instruction that is left has a side effect, or a result that is needed for one;
//! so have the results of `if`s and the results and parameters of loops. A loop without any effect is taken to end. What the
//! shader computes is the same.

use afterimage_ir::{Args, Imm, Module, Op, Region};
use smallvec::SmallVec;

use crate::demand::Demand;

/// Runs the pass.
pub fn run(m: &mut Module) {
    let demand = Demand::of_values(m);
    sweep(m, &demand);
}

/// Removes what is not needed.
pub(crate) fn sweep(m: &mut Module, demand: &Demand) {
    let body = m.body;
    Sweep { demand, loops: Vec::new() }.region(m, body, &Dead::new());
}

/// Which values of a list are dead.
type Dead = SmallVec<[bool; 16]>;

struct Sweep<'a> {
    demand: &'a Demand,
    /// Results and parameters of the loops around.
    loops: Vec<[Dead; 2]>,
}

impl Sweep<'_> {
    /// `results` are those of the `if` that the region is of.
    fn region(&mut self, m: &mut Module, region: Region, results: &Dead) {
        let mut list = std::mem::take(&mut m.regions[region.index()].insts);
        list.retain(|&inst| {
            let op = m.inst(inst).op;
            if !self.demand.is_needed(inst) && !matches!(op, Op::Yield | Op::Unreachable) {
                return false;
            }
            match (op, m.inst(inst).imm) {
                (Op::Yield, _) => remove(&mut m.insts[inst.index()].args, results),
                (Op::Break | Op::Continue, _) => {
                    if let Some(dead) = self.loops.last() {
                        remove(&mut m.insts[inst.index()].args, &dead[(op == Op::Continue) as usize]);
                    }
                }
                (_, Imm::If(yes, no)) => {
                    let dead = self.dead(&m.inst(inst).results);
                    remove(&mut m.insts[inst.index()].results, &dead);
                    self.region(m, yes, &dead);
                    self.region(m, no, &dead);
                }
                (_, Imm::Loop(body)) => {
                    let dead = [self.dead(&m.inst(inst).results), self.dead(&m.region(body).params)];
                    remove(&mut m.insts[inst.index()].results, &dead[0]);
                    remove(&mut m.insts[inst.index()].args, &dead[1]);
                    remove(&mut m.regions[body.index()].params, &dead[1]);
                    self.loops.push(dead);
                    self.region(m, body, &Dead::new());
                    self.loops.pop();
                }
                _ => {}
            }
            true
        });
        m.regions[region.index()].insts = list;
    }

    fn dead(&self, values: &Args) -> Dead {
        values.iter().map(|&v| self.demand.is_dead(v)).collect()
    }
}

fn remove(list: &mut Args, dead: &Dead) {
    if dead.contains(&true) {
        let mut dead = dead.iter();
        list.retain(|_| !dead.next().is_some_and(|&dead| dead));
    }
}
