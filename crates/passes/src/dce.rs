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
    sweep(m, &demand, m.body);
}

/// Removes what is not needed from a region and the regions inside.
pub(crate) fn sweep(m: &mut Module, demand: &Demand, region: Region) {
    let mut list = std::mem::take(&mut m.regions[region.index()].insts);
    list.retain(|&inst| demand.needed[inst.index()] || matches!(m.inst(inst).op, Op::Yield | Op::Unreachable));
    for &inst in &list {
        match m.inst(inst).imm {
            Imm::If(yes, no) => {
                let dead = dead(demand, &m.inst(inst).results);
                for region in [yes, no] {
                    if let Some(end) = m.terminator(region).filter(|&t| m.inst(t).op == Op::Yield) {
                        remove(&mut m.insts[end.index()].args, &dead);
                    }
                }
                remove(&mut m.insts[inst.index()].results, &dead);
                sweep(m, demand, yes);
                sweep(m, demand, no);
            }
            Imm::Loop(body) => {
                let results = dead(demand, &m.inst(inst).results);
                let params = dead(demand, &m.region(body).params);
                for jump in demand.jumps_of(inst) {
                    let dead = if m.inst(jump).op == Op::Break { &results } else { &params };
                    remove(&mut m.insts[jump.index()].args, dead);
                }
                remove(&mut m.insts[inst.index()].results, &results);
                remove(&mut m.insts[inst.index()].args, &params);
                remove(&mut m.regions[body.index()].params, &params);
                sweep(m, demand, body);
            }
            _ => {}
        }
    }
    m.regions[region.index()].insts = list;
}

/// Which of the values are not needed.
fn dead(demand: &Demand, values: &Args) -> SmallVec<[bool; 16]> {
    values.iter().map(|v| demand.lanes[v.index()] == 0).collect()
}

fn remove(list: &mut Args, dead: &[bool]) {
    let mut at = 0;
    list.retain(|_| {
        at += 1;
        !dead[at - 1]
    });
}
