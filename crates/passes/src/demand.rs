//! Which instructions do something that counts, and which components of each value are needed for it. `dce` removes the rest, and
//! `lanes` shortens vectors by it.

use afterimage_ir::{Def, Flags, Imm, Inst, Mask, Meaning, Module, Op, Region, Value};

/// What is needed of a module.
pub(crate) struct Demand {
    /// Per instruction, whether it has an effect or a result that is needed.
    pub(crate) needed: Vec<bool>,
    /// Per value, a bit for each component that is needed, and [`OPERAND`].
    pub(crate) lanes: Vec<u8>,
    /// `OPERAND`, or nothing if that is of no interest.
    operand: u8,
    /// `break`s and `continue`s with the loop that they are of, sorted by it.
    jumps: Vec<(Inst, Inst)>,
    /// The `if` or loop around each instruction.
    parent: Vec<Option<Inst>>,
    /// The loop whose body a region is.
    loop_of: Vec<Option<Inst>>,
    insts: Vec<Inst>,
    values: Vec<(Value, u8)>,
}

/// Set where a value is an operand of something needed, though perhaps none of its components is.
const OPERAND: u8 = 1 << 4;

impl Demand {
    /// What must stay if no other instruction is changed.
    pub(crate) fn of_values(m: &Module) -> Demand {
        Demand::of(m, OPERAND)
    }

    /// What must stay if `swizzle`, `shuffle` and `construct` are free to take only the components that are needed.
    pub(crate) fn of_components(m: &Module) -> Demand {
        Demand::of(m, 0)
    }

    fn of(m: &Module, operand: u8) -> Demand {
        let mut demand = Demand {
            operand,
            needed: vec![false; m.insts.len()],
            lanes: vec![0; m.values.len()],
            jumps: Vec::new(),
            parent: vec![None; m.insts.len()],
            loop_of: vec![None; m.regions.len()],
            insts: Vec::with_capacity(32),
            values: Vec::with_capacity(32),
        };
        demand.survey(m, m.body, None, None);
        demand.jumps.sort_unstable_by_key(|jump| jump.1);
        demand.mark(m);
        demand
    }

    /// The `break`s and `continue`s of a loop.
    pub(crate) fn jumps_of(&self, loop_: Inst) -> impl Iterator<Item = Inst> + '_ {
        let at = |limit: Inst| self.jumps.partition_point(|jump| jump.1 < limit);
        self.jumps[at(loop_)..at(Inst(loop_.0 + 1))].iter().map(|jump| jump.0)
    }

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

    fn mark(&mut self, m: &Module) {
        loop {
            if let Some((value, lanes)) = self.values.pop() {
                let known = &mut self.lanes[value.index()];
                let new = lanes & !*known;
                if new != 0 {
                    *known |= new;
                    self.mark_value(m, value, new);
                }
            } else if let Some(inst) = self.insts.pop() {
                self.mark_inst(m, inst);
            } else {
                return;
            }
        }
    }

    fn all(&mut self, m: &Module, value: Value) {
        self.values.push((value, Mask::first(m.ty(value).lanes).0 | self.operand));
    }

    /// An instruction that counts: what surrounds it counts too, and so do the operands of an effect.
    fn mark_inst(&mut self, m: &Module, inst: Inst) {
        if std::mem::replace(&mut self.needed[inst.index()], true) {
            return;
        }
        let data = m.inst(inst);
        if let Some(parent) = self.parent[inst.index()]
            && !self.needed[parent.index()]
        {
            self.insts.push(parent);
        }
        match (data.op, data.imm) {
            // Their operands are needed one by one, with the results and parameters that they go to.
            (Op::Yield | Op::Break | Op::Continue, _) => {}
            (Op::Loop, _) => {
                let jumps = self.jumps_of(inst).collect::<Vec<_>>();
                self.insts.extend(jumps);
            }
            (Op::Store | Op::StoreElem, Imm::VarMask(_, mask)) => {
                if let Some((&value, index)) = data.args.split_last() {
                    index.iter().for_each(|&index| self.all(m, index));
                    self.values.push((value, mask.0 | self.operand));
                }
            }
            (op, _) if op.has(Flags::SIDE_EFFECT) => data.args.iter().for_each(|&arg| self.all(m, arg)),
            // What they need depends on which components of their results are.
            _ => {}
        }
    }

    /// Components of a value that were not known to be needed.
    fn mark_value(&mut self, m: &Module, value: Value, lanes: u8) {
        match m.values[value.index()].def {
            Def::Inst(inst) => {
                if !self.needed[inst.index()] {
                    self.mark_inst(m, inst);
                }
                let data = m.inst(inst);
                let at = || data.results.iter().position(|&r| r == value);
                match (data.op, data.imm) {
                    (_, Imm::If(yes, no)) => {
                        for region in [yes, no] {
                            let end = m.terminator(region).map(|t| m.inst(t)).filter(|t| t.op == Op::Yield);
                            let arg = end.zip(at()).and_then(|(end, at)| end.args.get(at));
                            self.values.extend(arg.map(|&arg| (arg, lanes)));
                        }
                    }
                    (_, Imm::Loop(_)) => self.mark_jumps(m, inst, Op::Break, at(), lanes),
                    (Op::Swizzle | Op::Shuffle | Op::Construct, _) => {
                        if lanes & OPERAND != 0 {
                            self.values.extend(data.args.iter().map(|&arg| (arg, OPERAND)));
                        }
                        for lane in Mask(lanes).lanes() {
                            let (from, lane) = component(m, inst, lane, |v| m.ty(v).lanes);
                            self.values.push((from, 1 << lane));
                        }
                    }
                    (op, _) if by_component(op) => self.values.extend(data.args.iter().map(|&arg| (arg, lanes))),
                    _ => data.args.iter().for_each(|&arg| self.all(m, arg)),
                }
            }
            Def::Param(region) => {
                let at = m.region(region).params.iter().position(|&p| p == value);
                if let Some(inst) = self.loop_of[region.index()] {
                    self.insts.push(inst);
                    let start = at.and_then(|at| m.inst(inst).args.get(at));
                    self.values.extend(start.map(|&start| (start, lanes)));
                    self.mark_jumps(m, inst, Op::Continue, at, lanes);
                }
            }
            Def::None => {}
        }
    }

    /// Marks operand `at` of the jumps of a loop.
    fn mark_jumps(&mut self, m: &Module, loop_: Inst, op: Op, at: Option<usize>, lanes: u8) {
        let args: Vec<Value> = self
            .jumps_of(loop_)
            .filter(|&jump| m.inst(jump).op == op)
            .filter_map(|jump| at.and_then(|at| m.inst(jump).args.get(at)).copied())
            .collect();
        self.values.extend(args.into_iter().map(|arg| (arg, lanes)));
    }
}

/// Whether component n of the result is made of components n of the operands alone.
pub(crate) fn by_component(op: Op) -> bool {
    matches!(op.info().meaning, Meaning::Lanes(_)) || matches!(op, Op::Bitcast | Op::Ddx | Op::Ddy)
}

/// Where component `lane` of the result of a `swizzle`, `shuffle` or `construct` comes from; `lanes` is how many components an
/// operand has.
pub(crate) fn component(m: &Module, inst: Inst, lane: u8, lanes: impl Fn(Value) -> u8) -> (Value, u8) {
    let data = m.inst(inst);
    let mut lane = match data.imm {
        Imm::Swizzle(swizzle) => swizzle.lanes()[lane as usize],
        _ => lane,
    };
    for &arg in &data.args {
        let count = lanes(arg);
        if lane < count {
            return (arg, lane);
        }
        lane -= count;
    }
    (data.args[0], 0)
}
