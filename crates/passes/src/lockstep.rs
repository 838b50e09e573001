//! Work groups of several waves whose lanes wait for each other on the way.
//!
//! Precondition: a verified module of guest's waves ([`Module::guest_waves`]), in which each of them runs what it does together.
//! Promise: all lanes of the group come by every barrier, and every exchange of a wave's lanes, as often as any of them would have;
//! what the shader computes is the same. New variables are left for `ssa`.
//!
//! A variable says whether the lane is active. A branch that waves may take differently, and behind which lanes wait, goes: both
//! arms are run by all, one after the other, with the lanes active that it is for. A loop is run as long as any lane of the group is
//! active in it; jumps make lanes inactive until their target is reached. What acts on memory is done by active lanes only.
//!
//! A barrier in such a loop may be reached by some waves in earlier rounds than by others, so there lanes wait: they are inactive from
//! round to round until all lanes in the loop have come. What they computed in front of it is kept for them in variables.
//!
//! Nothing is changed where it is certain that all lanes of the group go the same way (by constants, and what comes of them), so
//! that usual loops around barriers stay as they are.

use afterimage_ir::{
    Args, Def, Flags, Imm, Input, InputAt, Inst, Kind, MAX_WAVE, Mask, Module, Op, Region, Swizzle, Type, Value, Var,
    VarDecl,
};
use smallvec::smallvec;

use crate::guest_waves::exchanges;
use crate::rewrite::{Cursor, push};

/// Emits whether a truth value is true anywhere in the group.
type Any<'a> = &'a dyn Fn(&mut Cursor<'_>, Value) -> Value;

/// Runs the pass.
pub(crate) fn run(m: &mut Module, any: Any<'_>) {
    let known = Analysis::new(m);
    let body = m.body;
    let act = var(m, "active", Type::BOOL);
    let mut pass = Lockstep { m, any, known, act, whole: true, loops: Vec::new() };
    let mut list = Vec::new();
    let on = pass.truth(true, &mut list);
    pass.set(act, on, &mut list);
    pass.region(body, &Ends::Body, list);
}

fn var(m: &mut Module, name: &str, ty: Type) -> Var {
    m.vars.push(VarDecl { name: name.into(), ty, array: None });
    Var::new(m.vars.len() - 1)
}

/// What code in a construct does besides.
#[derive(Clone, Copy, Default)]
struct Effects {
    /// Lanes wait for others of their wave, or of the group.
    waits: bool,
    /// Lanes wait for all of the group.
    meets: bool,
    /// Lanes leave the loop around it, or begin its next round.
    jumps: bool,
    /// Lanes end the program.
    returns: bool,
}

impl Effects {
    fn or(self, other: Effects) -> Effects {
        Effects {
            waits: self.waits || other.waits,
            meets: self.meets || other.meets,
            jumps: self.jumps || other.jumps,
            returns: self.returns || other.returns,
        }
    }

    fn any(self) -> bool {
        self.waits || self.jumps || self.returns
    }
}

/// What is known of a module.
struct Analysis {
    /// Of each instruction.
    does: Vec<Effects>,
    /// Values that lanes of the group may have different ones of.
    differs: Vec<bool>,
    /// Constructs that all lanes of the group go through in the same way.
    same_way: Vec<bool>,
    /// The group is one wave of the guest's, which is what waves are.
    one_wave: bool,
    changed: bool,
}

/// A loop that is being looked at.
struct Around {
    params: Args,
    results: Args,
}

impl Analysis {
    fn new(m: &Module) -> Analysis {
        let insts = m.insts.len();
        let mut known = Analysis {
            does: vec![Effects::default(); insts],
            differs: vec![false; m.values.len()],
            same_way: vec![false; insts],
            one_wave: m.guest_waves && m.group.iter().product::<u32>() <= MAX_WAVE,
            changed: true,
        };
        known.scan(m, m.body);
        while std::mem::take(&mut known.changed) {
            known.settle(m, m.body, true, None, None);
        }
        known
    }

    fn scan(&mut self, m: &Module, region: Region) -> Effects {
        let mut all = Effects::default();
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            let does = match (data.op, data.imm) {
                (_, Imm::If(yes, no)) => self.scan(m, yes).or(self.scan(m, no)),
                (_, Imm::Loop(body)) => Effects { jumps: false, ..self.scan(m, body) },
                (Op::Break | Op::Continue, _) => Effects { jumps: true, ..Effects::default() },
                (Op::Return, _) => Effects { returns: true, ..Effects::default() },
                (op, _) => {
                    let meets = op == Op::Barrier;
                    Effects { waits: meets || exchanges(op), meets, ..Effects::default() }
                }
            };
            self.does[inst.index()] = does;
            all = all.or(does);
        }
        all
    }

    fn differ(&mut self, values: &[Value]) {
        for value in values {
            self.changed |= !std::mem::replace(&mut self.differs[value.index()], true);
        }
    }

    /// Where one value becomes another.
    fn flow(&mut self, from: &[Value], to: &[Value]) {
        for (from, to) in from.iter().zip(to) {
            if self.differs[from.index()] {
                self.differ(&[*to]);
            }
        }
    }

    /// Whether all jumps out of a region to the loop around it are decided by what all lanes agree on.
    fn agreed(&self, m: &Module, region: Region) -> bool {
        m.region(region).insts.iter().all(|&inst| match m.inst(inst).imm {
            Imm::If(yes, no) if self.does[inst.index()].jumps => {
                !self.differs[m.inst(inst).args[0].index()] && self.agreed(m, yes) && self.agreed(m, no)
            }
            _ => true,
        })
    }

    /// Looks at a region once: `whole` where all lanes of the group come by, `around` where the loop is one that they go through in
    /// the same way, `results` those of an `if` of which that holds. Whether all of them go on behind it.
    fn settle(
        &mut self,
        m: &Module,
        region: Region,
        mut whole: bool,
        around: Option<&Around>,
        results: Option<&Args>,
    ) -> bool {
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            let does = self.does[inst.index()];
            match (data.op, data.imm) {
                (_, Imm::If(yes, no)) if does.any() => {
                    let same = !self.differs[data.args[0].index()];
                    self.same_way[inst.index()] = same;
                    let inside = whole && same;
                    let results = same.then_some(&data.results);
                    let both = [yes, no].map(|region| self.settle(m, region, inside, around, results));
                    if same {
                        whole = both[0] && both[1];
                    } else {
                        self.differ(&data.results);
                        whole &= !does.jumps && !does.returns;
                    }
                }
                (_, Imm::Loop(body)) if does.any() => {
                    let same = whole && !does.returns && self.agreed(m, body);
                    self.same_way[inst.index()] = same;
                    let params = &m.region(body).params;
                    if same {
                        self.flow(&data.args, params);
                        let around = Around { params: params.clone(), results: data.results.clone() };
                        self.settle(m, body, true, Some(&around), None);
                    } else {
                        self.differ(params);
                        self.differ(&data.results);
                        self.settle(m, body, false, None, None);
                    }
                    whole &= !does.returns;
                }
                (Op::Break, _) => around.into_iter().for_each(|around| self.flow(&data.args, &around.results)),
                (Op::Continue, _) => around.into_iter().for_each(|around| self.flow(&data.args, &around.params)),
                (Op::Yield, _) => results.into_iter().for_each(|results| self.flow(&data.args, results)),
                (Op::Load | Op::LoadElem | Op::LaneIndex, _) => self.differ(&data.results),
                (Op::LoadInput, Imm::Input(input)) if !is_of_group(m, input) => self.differ(&data.results),
                (op, _) => {
                    let own = op.has(Flags::SIDE_EFFECT) || op.has(Flags::MEMORY) || op.has(Flags::WAVE);
                    let own = own && !(self.one_wave && is_of_wave(op));
                    if own || data.args.iter().any(|arg| self.differs[arg.index()]) {
                        self.differ(&data.results);
                    }
                }
            }
        }
        whole
    }
}

/// Whether a whole wave is told the same; where a lane is named, if all name the same one.
fn is_of_wave(op: Op) -> bool {
    matches!(op, Op::Ballot | Op::WaveAny | Op::ReadFirst | Op::ReadLane)
}

/// Whether an input is the same for a whole group.
pub(crate) fn is_of_group(m: &Module, input: Input) -> bool {
    matches!(m.inputs[input.index()].at, InputAt::WorkgroupId | InputAt::WorkgroupCount)
}

/// How a list of instructions ends where lanes have become inactive, rather than gone.
enum Ends<'a> {
    /// It goes on behind; the variables get what is yielded.
    Inline(&'a [Var]),
    /// As an arm of an `if` with such results.
    Arm(&'a [Type]),
    /// As the body of a loop that some lanes go through otherwise than others.
    Round { continued: Var },
    /// As the body of another loop.
    Same,
    /// As the program.
    Body,
}

/// A loop around.
enum Loop {
    /// All lanes of the group go through it in the same way.
    Same,
    Apart {
        params: Vec<Var>,
        results: Vec<Var>,
        /// Lanes that left it, and lanes that go on with the next round.
        broke: Var,
        continued: Var,
        /// Where there are barriers in it.
        barriers: Option<Meeting>,
    },
}

/// Lanes at the barriers of a loop.
#[derive(Clone, Copy)]
struct Meeting {
    /// Lanes that have not left the loop.
    inside: Var,
    /// Those of them that wait at one of its barriers.
    waiting: Var,
}

struct Lockstep<'a> {
    m: &'a mut Module,
    any: Any<'a>,
    known: Analysis,
    /// Whether the lane is active.
    act: Var,
    /// Whether it is certain that every lane is.
    whole: bool,
    loops: Vec<Loop>,
}

impl Lockstep<'_> {
    fn act_on(&mut self, op: Op, imm: Imm, args: Args, list: &mut Vec<Inst>) {
        let inst = self.m.new_inst(op, imm, args, &[]);
        list.push(inst);
    }

    fn truth(&mut self, is: bool, list: &mut Vec<Inst>) -> Value {
        push(self.m, list, Op::Const, Imm::Const([is.into(), 0, 0, 0]), Args::new(), Type::BOOL)
    }

    fn get(&mut self, var: Var, list: &mut Vec<Inst>) -> Value {
        let ty = self.m.vars[var.index()].ty;
        push(self.m, list, Op::Load, Imm::Var(var), Args::new(), ty)
    }

    /// A value that there is already, from now on out of a variable.
    fn get_as(&mut self, value: Value, var: Var, list: &mut Vec<Inst>) {
        let inst = self.m.new_inst(Op::Load, Imm::Var(var), Args::new(), &[]);
        self.results_are(inst, smallvec![value]);
        list.push(inst);
    }

    fn results_are(&mut self, inst: Inst, values: Args) {
        for value in &values {
            self.m.values[value.index()].def = Def::Inst(inst);
        }
        self.m.insts[inst.index()].results = values;
    }

    fn set(&mut self, var: Var, value: Value, list: &mut Vec<Inst>) {
        let lanes = self.m.vars[var.index()].ty.lanes;
        self.act_on(Op::Store, Imm::VarMask(var, Mask::first(lanes)), smallvec![value], list);
    }

    /// Sets a variable in active lanes.
    fn set_active(&mut self, var: Var, value: Value, list: &mut Vec<Inst>) {
        let (old, mut act, ty) = (self.get(var, list), self.get(self.act, list), self.m.ty(value));
        if ty.lanes > 1 {
            let imm = Imm::Swizzle(Swizzle::splat(0, ty.lanes));
            act = push(self.m, list, Op::Swizzle, imm, smallvec![act], ty.with_kind(Kind::Bool));
        }
        let value = push(self.m, list, Op::Select, Imm::None, smallvec![act, value, old], ty);
        self.set(var, value, list);
    }

    fn logic(&mut self, op: Op, args: Args, list: &mut Vec<Inst>) -> Value {
        push(self.m, list, op, Imm::None, args, Type::BOOL)
    }

    /// Active lanes are among those of a variable from here on.
    fn join(&mut self, at: Var, list: &mut Vec<Inst>) {
        let (others, act) = (self.get(at, list), self.get(self.act, list));
        let all = self.logic(Op::BOr, smallvec![others, act], list);
        self.set(at, all, list);
    }

    /// A variable, but for some lanes.
    fn without(&mut self, at: Var, lanes: Value, list: &mut Vec<Inst>) -> Value {
        let (all, others) = (self.get(at, list), self.logic(Op::BNot, smallvec![lanes], list));
        self.logic(Op::BAnd, smallvec![all, others], list)
    }

    /// Active lanes leave a loop.
    fn leave(&mut self, barriers: Option<Meeting>, list: &mut Vec<Inst>) {
        if let Some(Meeting { inside, .. }) = barriers {
            let act = self.get(self.act, list);
            let left = self.without(inside, act, list);
            self.set(inside, left, list);
        }
    }

    /// No lane is active.
    fn off(&mut self, list: &mut Vec<Inst>) {
        let off = self.truth(false, list);
        self.set(self.act, off, list);
    }

    /// A barrier in a loop that lanes go through apart.
    fn meet(&mut self, Meeting { inside, waiting }: Meeting, list: &mut Vec<Inst>) {
        let here = var(self.m, "here", Type::BOOL);
        self.join(here, list);
        self.join(waiting, list);
        let waits = self.get(waiting, list);
        let missing = self.without(inside, waits, list);
        let region = self.m.body;
        let missing = (self.any)(&mut Cursor::new(self.m, region, list), missing);
        let complete = self.logic(Op::BNot, smallvec![missing], list);
        let come = self.get(here, list);
        let released = self.logic(Op::BAnd, smallvec![come, complete], list);
        self.set(self.act, released, list);
        for var in [here, waiting] {
            let left = self.without(var, released, list);
            self.set(var, left, list);
        }
    }

    /// The barriers of the innermost loop, if lanes go through it apart.
    fn barriers(&self) -> Option<Meeting> {
        match self.loops.last() {
            Some(Loop::Apart { barriers, .. }) => *barriers,
            _ => None,
        }
    }

    /// Lanes that wait at a barrier keep the results of an instruction, which they run no more until it is behind them.
    fn keep(&mut self, inst: Inst, list: &mut Vec<Inst>) {
        let results = self.m.inst(inst).results.clone();
        let types: Vec<Type> = results.iter().map(|&value| self.m.ty(value)).collect();
        let fresh: Args = types.iter().map(|&ty| self.m.new_value(ty, Def::Inst(inst))).collect();
        self.m.insts[inst.index()].results = fresh.clone();
        list.push(inst);
        for ((value, fresh), ty) in results.into_iter().zip(fresh).zip(types) {
            let kept = var(self.m, "kept", ty);
            self.set_active(kept, fresh, list);
            self.get_as(value, kept, list);
        }
    }

    /// What has been done about an instruction.
    fn put(&mut self, inst: Inst, list: &mut Vec<Inst>) {
        if self.barriers().is_some() { self.keep(inst, list) } else { list.push(inst) }
    }

    fn region(&mut self, region: Region, ends: &Ends<'_>, mut list: Vec<Inst>) {
        let insts = std::mem::take(&mut self.m.regions[region.index()].insts);
        self.list(insts, ends, &mut list);
        self.m.regions[region.index()].insts = list;
    }

    /// What comes at the end of a list instead of a jump.
    fn end(&mut self, ends: &Ends<'_>, list: &mut Vec<Inst>) {
        match ends {
            Ends::Inline(_) => {}
            Ends::Arm(types) => {
                let zeros = types.iter().map(|&ty| self.zero(ty, list)).collect();
                self.act_on(Op::Yield, Imm::None, zeros, list);
            }
            &Ends::Round { continued } => {
                let next = self.get(continued, list);
                self.set(self.act, next, list);
                let off = self.truth(false, list);
                self.set(continued, off, list);
                self.act_on(Op::Continue, Imm::None, Args::new(), list);
            }
            Ends::Same => self.act_on(Op::Unreachable, Imm::None, Args::new(), list),
            Ends::Body => self.act_on(Op::Return, Imm::None, Args::new(), list),
        }
    }

    fn zero(&mut self, ty: Type, list: &mut Vec<Inst>) -> Value {
        push(self.m, list, Op::Const, Imm::Const([0; 4]), Args::new(), ty)
    }

    fn list(&mut self, insts: Vec<Inst>, ends: &Ends<'_>, list: &mut Vec<Inst>) {
        for inst in insts {
            let data = self.m.inst(inst);
            let (op, imm, args) = (data.op, data.imm, data.args.clone());
            let involved = self.known.does[inst.index()].any();
            let same = self.known.same_way[inst.index()];
            match (op, imm) {
                (_, Imm::If(yes, no)) if involved && same => self.if_same(inst, [yes, no], list),
                (_, Imm::If(yes, no)) if involved => self.if_apart(inst, args[0], [yes, no], list),
                (_, Imm::Loop(body)) if involved && same => {
                    self.loops.push(Loop::Same);
                    self.region(body, &Ends::Same, Vec::new());
                    self.loops.pop();
                    list.push(inst);
                }
                (_, Imm::Loop(body)) if involved => self.loop_apart(inst, body, list),
                (Op::Break | Op::Continue, _) => match self.loops.last() {
                    Some(Loop::Apart { params, results, broke, continued, barriers }) => {
                        let (to, at, left) = match op {
                            Op::Break => (results.clone(), *broke, *barriers),
                            _ => (params.clone(), *continued, None),
                        };
                        for (var, value) in to.into_iter().zip(args) {
                            self.set_active(var, value, list);
                        }
                        self.join(at, list);
                        self.leave(left, list);
                        self.off(list);
                        self.end(ends, list);
                    }
                    _ => list.push(inst),
                },
                (Op::Return, _) if self.whole => list.push(inst),
                (Op::Return, _) => {
                    let barriers = self.loops.iter().filter_map(|around| match around {
                        Loop::Apart { barriers, .. } => *barriers,
                        Loop::Same => None,
                    });
                    for barriers in barriers.collect::<Vec<_>>() {
                        self.leave(Some(barriers), list);
                    }
                    self.off(list);
                    self.end(ends, list);
                }
                (Op::Yield, _) => match ends {
                    Ends::Inline(vars) => {
                        for (&var, value) in vars.iter().zip(args) {
                            self.set_active(var, value, list);
                        }
                    }
                    _ => list.push(inst),
                },
                (Op::Unreachable, _) => self.end(ends, list),
                (Op::Barrier, _) if let Some(barriers) = self.barriers() => self.meet(barriers, list),
                _ if self.whole => list.push(inst),
                _ if involved => self.put(inst, list),
                (Op::Load | Op::LoadElem | Op::MemoryBarrier, _) => list.push(inst),
                _ if op.has(Flags::SIDE_EFFECT) || op.has(Flags::MEMORY) => self.guard(inst, list),
                _ => list.push(inst),
            }
        }
    }

    /// Does something in active lanes; its results are zero in others.
    fn guard(&mut self, inst: Inst, list: &mut Vec<Inst>) {
        let act = self.get(self.act, list);
        let results = self.m.inst(inst).results.clone();
        let types: Vec<Type> = results.iter().map(|&value| self.m.ty(value)).collect();
        let inner: Args = types.iter().map(|&ty| self.m.new_value(ty, Def::Inst(inst))).collect();
        self.m.insts[inst.index()].results = inner.clone();
        let (yes, no) = (self.m.new_region(), self.m.new_region());
        let mut arms = [vec![inst], Vec::new()];
        self.act_on(Op::Yield, Imm::None, inner, &mut arms[0]);
        self.end(&Ends::Arm(&types), &mut arms[1]);
        for (region, arm) in [yes, no].into_iter().zip(arms) {
            self.m.regions[region.index()].insts = arm;
        }
        let outer = self.m.new_inst(Op::If, Imm::If(yes, no), smallvec![act], &[]);
        self.results_are(outer, results);
        self.put(outer, list);
    }

    /// An `if` that all lanes of the group go through in the same way.
    fn if_same(&mut self, inst: Inst, arms: [Region; 2], list: &mut Vec<Inst>) {
        let types: Vec<Type> = self.m.inst(inst).results.iter().map(|&value| self.m.ty(value)).collect();
        let before = self.whole;
        let whole = arms.map(|arm| {
            self.whole = before;
            self.region(arm, &Ends::Arm(&types), Vec::new());
            self.whole
        });
        self.whole = whole[0] && whole[1];
        list.push(inst);
    }

    /// Both arms of an `if`, one after the other.
    fn if_apart(&mut self, inst: Inst, cond: Value, arms: [Region; 2], list: &mut Vec<Inst>) {
        let results = self.m.inst(inst).results.clone();
        let vars: Vec<Var> = results.iter().map(|&value| var(self.m, "result", self.m.ty(value))).collect();
        let whole = self.whole;
        let before = self.get(self.act, list);
        let mut after = None;
        for (arm, is) in arms.into_iter().zip([true, false]) {
            let cond = if is { cond } else { self.logic(Op::BNot, smallvec![cond], list) };
            let here = self.logic(Op::BAnd, smallvec![before, cond], list);
            self.set(self.act, here, list);
            self.whole = false;
            let insts = std::mem::take(&mut self.m.regions[arm.index()].insts);
            self.list(insts, &Ends::Inline(&vars), list);
            let left = self.get(self.act, list);
            after = Some(match after {
                Some(other) => self.logic(Op::BOr, smallvec![other, left], list),
                None => left,
            });
        }
        if let Some(after) = after {
            self.set(self.act, after, list);
        }
        let does = self.known.does[inst.index()];
        self.whole = whole && !does.jumps && !does.returns;
        for (value, var) in results.into_iter().zip(vars) {
            self.get_as(value, var, list);
        }
    }

    /// A loop that some lanes of the group leave before others.
    fn loop_apart(&mut self, inst: Inst, body: Region, list: &mut Vec<Inst>) {
        let data = self.m.inst(inst);
        let (starts, ends) = (data.args.clone(), data.results.clone());
        let carried = std::mem::take(&mut self.m.regions[body.index()].params);
        let vars = |m: &mut Module, values: &Args| -> Vec<Var> {
            values.iter().map(|&value| var(m, "carried", m.ty(value))).collect()
        };
        let (params, results) = (vars(self.m, &carried), vars(self.m, &ends));
        let [broke, continued] = ["broke", "continued"].map(|name| var(self.m, name, Type::BOOL));
        let whole = std::mem::replace(&mut self.whole, false);
        for (&var, start) in params.iter().zip(starts) {
            self.set(var, start, list);
        }
        for state in [broke, continued] {
            let off = self.truth(false, list);
            self.set(state, off, list);
        }
        let barriers = self.known.does[inst.index()].meets.then(|| {
            let [inside, waiting] = ["inside", "waiting"].map(|name| var(self.m, name, Type::BOOL));
            let act = self.get(self.act, list);
            self.set(inside, act, list);
            Meeting { inside, waiting }
        });

        let mut round = Vec::new();
        let mut act = self.get(self.act, &mut round);
        if let Some(Meeting { waiting, .. }) = barriers {
            let waits = self.get(waiting, &mut round);
            act = self.logic(Op::BOr, smallvec![act, waits], &mut round);
        }
        let any = (self.any)(&mut Cursor::new(self.m, body, &mut round), act);
        let (go, leave) = (self.m.new_region(), self.m.new_region());
        for (region, op) in [(go, Op::Yield), (leave, Op::Break)] {
            let mut arm = Vec::new();
            self.act_on(op, Imm::None, Args::new(), &mut arm);
            self.m.regions[region.index()].insts = arm;
        }
        self.act_on(Op::If, Imm::If(go, leave), smallvec![any], &mut round);
        for (value, &var) in carried.into_iter().zip(&params) {
            self.get_as(value, var, &mut round);
        }
        self.loops.push(Loop::Apart { params, results: results.clone(), broke, continued, barriers });
        self.region(body, &Ends::Round { continued }, round);
        self.loops.pop();

        let data = &mut self.m.insts[inst.index()];
        data.args.clear();
        data.results.clear();
        list.push(inst);
        let left = self.get(broke, list);
        self.set(self.act, left, list);
        self.whole = whole && !self.known.does[inst.index()].returns;
        for (value, var) in ends.into_iter().zip(results) {
            self.get_as(value, var, list);
        }
    }
}
