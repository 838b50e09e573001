//! Which values the lanes of a guest's wave agree on.

use afterimage_ir::{Args, Flags, Imm, Inst, InstData, Module, Op, Region, Value};

use super::place::{Key, key};
use crate::lockstep::is_of_group;

/// Whether lanes of a wave have the same value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Same {
    /// All have.
    Always,
    /// Those of the guest have, which read memory at the same time; it may change while those of the host read it one after the other.
    InStep,
    /// It may be another one in each.
    No,
}

/// A loop around.
struct Around<'a> {
    number: Inst,
    params: &'a Args,
    results: &'a Args,
}

/// What is known of a module's values.
pub(super) struct Sameness {
    of: Vec<Same>,
    /// Of loops: what decides who leaves them, or begins their next round.
    jumps: Vec<Same>,
    /// Whether lanes end the program in a construct.
    returns: Vec<bool>,
    /// What is written.
    written: Vec<Key>,
    changed: bool,
}

impl Sameness {
    pub(super) fn new(m: &Module) -> Sameness {
        let mut same = Sameness {
            of: vec![Same::Always; m.values.len()],
            jumps: vec![Same::Always; m.insts.len()],
            returns: vec![false; m.insts.len()],
            written: Vec::new(),
            changed: true,
        };
        m.for_each_inst(|_, data| {
            if data.op.has(Flags::SIDE_EFFECT)
                && let Some(key) = key(m, data)
                && !same.written.contains(&key)
            {
                same.written.push(key);
            }
        });
        while std::mem::take(&mut same.changed) {
            same.region(m, m.body, None, None, Same::Always);
        }
        same
    }

    pub(super) fn of(&self, value: Value) -> Same {
        self.of[value.index()]
    }

    /// What decides who leaves a loop.
    pub(super) fn jumps(&self, looped: Inst) -> Same {
        self.jumps[looped.index()]
    }

    /// Whether lanes end the program in a construct.
    pub(super) fn returns(&self, construct: Inst) -> bool {
        self.returns[construct.index()]
    }

    fn raise(&mut self, value: Value, to: Same) {
        let of = &mut self.of[value.index()];
        if *of < to {
            *of = to;
            self.changed = true;
        }
    }

    fn flow(&mut self, from: &[Value], to: &[Value], decided: Same) {
        for (from, to) in from.iter().zip(to) {
            self.raise(*to, self.of(*from).max(decided));
        }
    }

    fn all(&self, args: &[Value]) -> Same {
        args.iter().map(|&arg| self.of(arg)).max().unwrap_or(Same::Always)
    }

    /// Looks at a region once. `decided`: what decided, since the loop around began its round, that lanes are here. Whether lanes end the
    /// program in it.
    fn region(
        &mut self,
        m: &Module,
        region: Region,
        around: Option<&Around<'_>>,
        results: Option<&Args>,
        decided: Same,
    ) -> bool {
        let mut returns = false;
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (_, Imm::If(yes, no)) => {
                    let decided = decided.max(self.of(data.args[0]));
                    let both = [yes, no].map(|arm| self.region(m, arm, around, Some(&data.results), decided));
                    let ends = both[0] || both[1];
                    self.returns[inst.index()] = ends;
                    returns |= ends;
                }
                (_, Imm::Loop(body)) => {
                    let params = &m.region(body).params;
                    self.flow(&data.args, params, Same::Always);
                    let inner = Around { number: inst, params, results: &data.results };
                    let ends = self.region(m, body, Some(&inner), None, Same::Always);
                    self.returns[inst.index()] = ends;
                    returns |= ends;
                }
                (Op::Break | Op::Continue, _) => {
                    let Some(around) = around else { continue };
                    self.jump(around, decided);
                    match data.op {
                        Op::Break => self.flow(&data.args, around.results, self.jumps(around.number)),
                        _ => self.flow(&data.args, around.params, decided),
                    }
                }
                (Op::Return, _) => {
                    returns = true;
                    if let Some(around) = around {
                        self.jump(around, decided);
                    }
                }
                // An arm's results are decided by the `if` alone, and by what is around it for all lanes alike.
                (Op::Yield, _) => results.into_iter().for_each(|results| self.flow(&data.args, results, decided)),
                _ => {
                    let same = self.result(m, data);
                    data.results.iter().for_each(|&value| self.raise(value, same));
                }
            }
        }
        returns
    }

    fn jump(&mut self, around: &Around<'_>, decided: Same) {
        let jumps = &mut self.jumps[around.number.index()];
        if *jumps < decided {
            *jumps = decided;
            self.changed = true;
        }
    }

    fn result(&self, m: &Module, data: &InstData) -> Same {
        let args = self.all(&data.args);
        match (data.op, data.imm) {
            (Op::LoadInput, Imm::Input(input)) => {
                if is_of_group(m, input) {
                    Same::Always
                } else {
                    Same::No
                }
            }
            (Op::Ballot | Op::WaveAny | Op::ReadFirst, _) if m.guest_waves => Same::Always,
            (Op::ReadLane, _) if m.guest_waves => self.of(data.args[1]),
            (Op::LoadShared, _) => args.max(Same::InStep),
            (Op::LoadGlobal | Op::ImageLoad, _) => match key(m, data) {
                Some(key) if self.written.iter().any(|written| written.meets(key)) => args.max(Same::InStep),
                _ => args,
            },
            (Op::Load | Op::LoadElem | Op::LaneIndex, _) => Same::No,
            (op, _) if op.has(Flags::SIDE_EFFECT) || op.has(Flags::WAVE) => Same::No,
            _ => args,
        }
    }
}
