//! Which instructions do something that counts, and which components of each value are needed for it. `dce` removes the rest, and
//! `lanes` shortens vectors by it.
//!
//! One walk from the end to the begin: users come before what they use. Only loops are walked again, until what their parameters
//! bring is known.

use afterimage_ir::{Args, Flags, Imm, Inst, Mask, Meaning, Module, Op, Region, Value};

/// What is needed of a module.
pub(crate) struct Demand {
    /// Per instruction, whether it has an effect or a result that is needed.
    needed: Vec<bool>,
    /// Per value, a bit for each component that is needed, and [`OPERAND`].
    lanes: Vec<u8>,
    /// `OPERAND`, or nothing if that is of no interest.
    operand: u8,
}

/// Set where a value is an operand of something needed, though perhaps none of its components is.
const OPERAND: u8 = 1 << 4;
/// All components, and `OPERAND`.
const ALL: u8 = OPERAND | 15;
/// After so many walks through a loop its parameters count as needed whole, so that code made for it cannot take forever.
const MAX_WALKS: u32 = 4;

/// The control flow around a region.
#[derive(Clone, Copy, Default)]
struct Around<'a> {
    /// The results of the `if` that the region is of.
    if_: Option<&'a Args>,
    /// The results of the innermost loop, and its parameters.
    loop_: Option<(&'a Args, &'a Args)>,
}

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
        let mut demand = Demand { needed: vec![false; m.insts.len()], lanes: vec![0; m.values.len()], operand };
        demand.region(m, m.body, Around::default());
        demand
    }

    /// Whether the instruction must stay.
    pub(crate) fn is_needed(&self, inst: Inst) -> bool {
        self.needed[inst.index()]
    }

    /// Whether anything needs the value.
    pub(crate) fn is_dead(&self, value: Value) -> bool {
        self.lanes[value.index()] == 0
    }

    /// The components of the value that are needed.
    pub(crate) fn lanes(&self, value: Value) -> Mask {
        Mask(self.lanes[value.index()] & 15)
    }

    #[inline]
    fn need(&mut self, m: &Module, value: Value, lanes: u8) {
        self.lanes[value.index()] |= lanes & (Mask::first(m.ty(value).lanes).0 | self.operand);
    }

    fn need_each(&mut self, m: &Module, args: &[Value], lanes: u8) {
        args.iter().for_each(|&arg| self.need(m, arg, lanes));
    }

    /// Each operand is needed as far as the value that it becomes.
    fn need_like(&mut self, m: &Module, args: &[Value], values: Option<&Args>) {
        for (&arg, value) in args.iter().zip(values.into_iter().flatten()) {
            self.need(m, arg, self.lanes[value.index()]);
        }
    }

    fn region(&mut self, m: &Module, region: Region, around: Around<'_>) {
        for &inst in m.region(region).insts.iter().rev() {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::Yield, _) => self.need_like(m, &data.args, around.if_),
                (Op::Break, _) => self.need_like(m, &data.args, around.loop_.map(|l| l.0)),
                (Op::Continue, _) => self.need_like(m, &data.args, around.loop_.map(|l| l.1)),
                (Op::Return | Op::Unreachable, _) => {}
                (Op::Store | Op::StoreElem, Imm::VarMask(_, mask)) => {
                    if let Some((&value, index)) = data.args.split_last() {
                        self.need_each(m, index, ALL);
                        self.need(m, value, mask.0 | OPERAND);
                    }
                }
                (Op::If, Imm::If(yes, no)) => {
                    if data.results.iter().all(|&r| self.is_dead(r)) && !has_effect(m, yes) && !has_effect(m, no) {
                        continue;
                    }
                    let inside = Around { if_: Some(&data.results), ..around };
                    self.region(m, no, inside);
                    self.region(m, yes, inside);
                    self.need_each(m, &data.args, ALL);
                }
                (Op::Loop, Imm::Loop(body)) => {
                    // Its own jumps are no effect.
                    if data.results.iter().all(|&r| self.is_dead(r)) && !has_lasting_effect(m, body) {
                        continue;
                    }
                    self.loop_(m, &data.results, body);
                    self.need_like(m, &data.args, Some(&m.region(body).params));
                }
                (op, _) if op.has(Flags::SIDE_EFFECT) => self.need_each(m, &data.args, ALL),
                (op, _) => {
                    let Some(lanes) = data.results.first().map(|r| self.lanes[r.index()]).filter(|&lanes| lanes != 0)
                    else {
                        continue;
                    };
                    match op {
                        Op::Swizzle | Op::Shuffle | Op::Construct => {
                            self.need_each(m, &data.args, OPERAND);
                            for lane in Mask(lanes).lanes() {
                                let (from, lane) = component(m, inst, lane, |v| m.ty(v).lanes);
                                self.need(m, from, 1 << lane);
                            }
                        }
                        _ if by_component(op) => self.need_each(m, &data.args, lanes),
                        _ => self.need_each(m, &data.args, ALL),
                    }
                }
            }
            self.needed[inst.index()] = true;
        }
    }

    fn loop_(&mut self, m: &Module, results: &Args, body: Region) {
        let params = &m.region(body).params;
        let inside = Around { if_: None, loop_: Some((results, params)) };
        for walk in 1.. {
            let before: Vec<u8> = params.iter().map(|p| self.lanes[p.index()]).collect();
            self.region(m, body, inside);
            if params.iter().zip(before).all(|(p, before)| self.lanes[p.index()] == before) {
                return;
            }
            if walk == MAX_WALKS {
                self.need_each(m, params, ALL);
            }
        }
    }
}

/// Whether something happens in the region that is not in its results.
fn has_effect(m: &Module, region: Region) -> bool {
    effect(m, region, true)
}

/// As [`has_effect`], and jumps of the loop whose body the region is do not count.
fn has_lasting_effect(m: &Module, region: Region) -> bool {
    effect(m, region, false)
}

fn effect(m: &Module, region: Region, jumps: bool) -> bool {
    m.region(region).insts.iter().any(|&inst| {
        let data = m.inst(inst);
        match (data.op, data.imm) {
            (_, Imm::If(yes, no)) => effect(m, yes, jumps) || effect(m, no, jumps),
            (_, Imm::Loop(body)) => effect(m, body, false),
            (Op::Break | Op::Continue, _) => jumps,
            (Op::Yield | Op::Unreachable, _) => false,
            (op, _) => op.has(Flags::SIDE_EFFECT),
        }
    })
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
