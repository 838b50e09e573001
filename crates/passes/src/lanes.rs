//! Vectors that are as long as what is needed of them, and components read where they come from.
//!
//! Precondition: a verified module, best after `types`, since what is cast cannot be looked through. Promise: no `swizzle`, `shuffle`
//! or `construct` reads another one; none moves components into places that nobody reads; a component-wise instruction of which
//! one component is needed, or all components of which are the same, is a scalar one; so are results of `if`s and parameters of
//! loops of which one component is needed. Dead code is gone. What the shader computes is the same to the bit.
//!
//! Guest code writes registers of four components through masks, so after `ssa` half of all instructions put components together
//! that are taken apart again. This pass forgets such instructions: it keeps, for each component of each value, the place that it
//! comes from, and puts together again only what an instruction really takes.
//!
//! Vectors are not made shorter than they are but to scalars: an instruction is as long in SPIR-V with two components as with four,
//! drivers take vectors apart and drop the dead components anyway, and cutting operands to length costs an instruction each.
//!
//! Figures, in words of SPIR-V in strict mode: the 77 shaders of `crates/shader/tests/hlsl` take 78 thousand with this pass and 217
//! thousand without; 28 small ones took 16.2 thousand, 18.3 thousand without, and 27.9 thousand with all vectors taken apart. The
//! other way round never pays: one instruction instead of n scalar ones of two operands saves 5 (n - 1) words and costs 3 + n for
//! each operand that must be put together and 5 for each component that is read alone.

use afterimage_ir::{Args, Imm, Inst, Mask, Module, Op, Region, Swizzle, Type, Value};
use smallvec::{SmallVec, smallvec};

use crate::dce;
use crate::demand::{Demand, by_component, component};
use crate::rewrite::{Lists, push};

/// Runs the pass.
pub fn run(m: &mut Module) {
    let demand = Demand::of_components(m);
    let body = m.body;
    dce::sweep(m, &demand);
    let places = vec![Places::Own; m.values.len()];
    let (results, loops, lists, built) = (Vec::new(), Vec::new(), Lists::default(), vec![None; BUILT]);
    let mut pass = Lanes { demand, places, results, loops, region: body, built, lists };
    pass.region(m, body);
}

/// A component of a value of the new module, or nothing: what stands there is not read. One word, since there are many.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Place(u32);

impl Place {
    const NOWHERE: Place = Place(u32::MAX);

    fn new(value: Value, lane: u8) -> Place {
        // `MAX_VALUES` leaves room.
        Place(value.0 << 2 | u32::from(lane & 3))
    }

    fn get(self) -> Option<(Value, u8)> {
        (self != Place::NOWHERE).then_some((Value(self.0 >> 2), (self.0 & 3) as u8))
    }
}

/// The places of a vector's components.
type List = [Place; 4];

/// A list of one component.
fn single(place: Place) -> List {
    [place, Place::NOWHERE, Place::NOWHERE, Place::NOWHERE]
}

/// Where the components of a value are.
#[derive(Clone, Copy)]
enum Places {
    /// In the value itself.
    Own,
    /// Elsewhere; so many there were.
    At(List, u8),
}

/// The component that each of some values is cut to, if it is.
type Cut = SmallVec<[Option<u8>; 8]>;

/// What an instruction takes of an operand.
#[derive(Clone, Copy, PartialEq)]
enum Take {
    /// A vector, of which these components are read.
    All(Mask),
    /// A scalar: this component.
    One(u8),
}

struct Lanes {
    demand: Demand,
    /// Per value.
    places: Vec<Places>,
    /// How the results of the `if`s around are cut.
    results: Vec<Cut>,
    /// How the results and parameters of the loops around are.
    loops: Vec<[Cut; 2]>,
    /// The region that is being walked.
    region: Region,
    /// What was put together, by a hash: the same is taken out of a vector again and again.
    built: Vec<Option<Built>>,
    lists: Lists,
}

/// Places for what was put together. A power of two.
const BUILT: usize = 128;

/// Something that was put together.
#[derive(Clone, Copy)]
struct Built {
    region: Region,
    ty: Type,
    list: List,
    value: Value,
}

impl Lanes {
    fn needed(&self, value: Value) -> Mask {
        self.demand.lanes(value)
    }

    /// How many components the value had.
    fn lanes(&self, m: &Module, value: Value) -> u8 {
        match self.places[value.index()] {
            Places::Own => m.ty(value).lanes,
            Places::At(_, lanes) => lanes,
        }
    }

    fn is_own(&self, value: Value) -> bool {
        matches!(self.places[value.index()], Places::Own)
    }

    fn place(&self, value: Value, lane: u8) -> Place {
        match self.places[value.index()] {
            Places::Own => Place::new(value, lane),
            Places::At(list, _) => list[lane as usize],
        }
    }

    fn region(&mut self, m: &mut Module, at: Region) {
        let taken = self.lists.begin(m, at);
        let outer = std::mem::replace(&mut self.region, at);
        for &inst in &taken.0 {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::Swizzle | Op::Shuffle | Op::Construct, _) => {
                    let result = data.results[0];
                    let mut list = [Place::NOWHERE; 4];
                    for lane in self.needed(result).lanes() {
                        let (from, lane_from) = component(m, inst, lane, |v| self.lanes(m, v));
                        list[lane as usize] = self.place(from, lane_from);
                    }
                    self.places[result.index()] = Places::At(list, m.ty(result).lanes);
                    continue;
                }
                (Op::Const, _) => {}
                (op, _) if by_component(op) => self.by_component(m, inst),
                (Op::If, Imm::If(yes, no)) => {
                    self.operands(m, inst, |_| Take::All(Mask::XYZW));
                    let cut = self.cut(m, &m.inst(inst).results.clone());
                    self.lists.push(inst);
                    self.results.push(cut);
                    self.region(m, yes);
                    self.region(m, no);
                    self.results.pop();
                    continue;
                }
                (Op::Loop, Imm::Loop(body)) => {
                    let params = self.cut(m, &m.region(body).params.clone());
                    let results = self.cut(m, &m.inst(inst).results.clone());
                    self.jump(m, inst, &params);
                    self.lists.push(inst);
                    let ifs = std::mem::take(&mut self.results);
                    self.loops.push([results, params]);
                    self.region(m, body);
                    self.loops.pop();
                    self.results = ifs;
                    continue;
                }
                (Op::Yield, _) => {
                    let cut = self.results.last().cloned().unwrap_or_default();
                    self.jump(m, inst, &cut);
                }
                (Op::Break | Op::Continue, _) => {
                    let of_loop = self.loops.last().cloned().unwrap_or_default();
                    let cut = &of_loop[(m.inst(inst).op == Op::Continue) as usize];
                    self.jump(m, inst, cut);
                }
                (Op::Store | Op::StoreElem, Imm::VarMask(_, mask)) => {
                    let last = data.args.len() - 1;
                    let all = |at| Take::All(if at == last { mask } else { Mask::XYZW });
                    self.operands(m, inst, all);
                }
                _ => self.operands(m, inst, |_| Take::All(Mask::XYZW)),
            }
            self.lists.push(inst);
        }
        self.lists.end(m, at, taken);
        self.region = outer;
    }

    /// Makes values of control flow scalars of which one component is needed; which one.
    fn cut(&mut self, m: &mut Module, values: &Args) -> Cut {
        let one = |&value: &Value| {
            let needed = self.needed(value);
            let lane = needed.lanes().next().filter(|_| needed.count() == 1 && m.ty(value).lanes > 1)?;
            self.make_scalar(m, value, needed);
            Some(lane)
        };
        values.iter().map(one).collect()
    }

    /// From now on the value is a scalar, which stands for all of its components in `needed`.
    fn make_scalar(&mut self, m: &mut Module, value: Value, needed: Mask) {
        let ty = &mut m.values[value.index()].ty;
        let list = [0, 1, 2, 3].map(|lane| if needed.has(lane) { Place::new(value, 0) } else { Place::NOWHERE });
        self.places[value.index()] = Places::At(list, ty.lanes);
        ty.lanes = 1;
    }

    /// Operands that go to values which may have been cut.
    fn jump(&mut self, m: &mut Module, inst: Inst, cut: &Cut) {
        self.operands(m, inst, |at| cut.get(at).copied().flatten().map_or(Take::All(Mask::XYZW), Take::One));
    }

    /// Puts the operands of an instruction together, by what is taken of each.
    fn operands(&mut self, m: &mut Module, inst: Inst, take: impl Fn(usize) -> Take) {
        let mut lists: SmallVec<[(List, u8, Value); 4]> = SmallVec::new();
        for at in 0..m.inst(inst).args.len() {
            let arg = m.inst(inst).args[at];
            let (list, lanes) = match take(at) {
                Take::One(lane) => (single(self.place(arg, lane)), 1),
                Take::All(_) if self.is_own(arg) => continue,
                Take::All(mask) => {
                    let lanes = self.lanes(m, arg);
                    let read = |lane| lane < lanes && mask.has(lane);
                    let place = |lane| if read(lane) { self.place(arg, lane) } else { Place::NOWHERE };
                    ([0, 1, 2, 3].map(place), lanes)
                }
            };
            // The same twice is put together once: a square must stay one.
            let value = match lists.iter().find(|known| (known.0, known.1) == (list, lanes)) {
                Some(known) => known.2,
                None => self.build(m, Type::new(m.ty(arg).kind, lanes), &list),
            };
            lists.push((list, lanes, value));
            m.insts[inst.index()].args[at] = value;
        }
    }

    /// Puts a vector together, unless it is there already.
    fn build(&mut self, m: &mut Module, ty: Type, list: &List) -> Value {
        let mixed = list.iter().fold(0u32, |sum, place| (sum.rotate_left(5) ^ place.0).wrapping_mul(0x9E37_79B1));
        let at = mixed as usize >> 16 & (BUILT - 1);
        match self.built[at] {
            Some(known) if (known.region, known.ty, known.list) == (self.region, ty, *list) => known.value,
            _ => {
                let value = build(m, self.lists.now(), ty, list);
                self.built[at] = Some(Built { region: self.region, ty, list: *list, value });
                value
            }
        }
    }

    fn by_component(&mut self, m: &mut Module, inst: Inst) {
        let data = m.inst(inst);
        let result = data.results[0];
        let needed = self.needed(result);
        if m.ty(result).lanes > 1
            && let Some(first) = needed.lanes().next()
        {
            let same = |lane| data.args.iter().all(|&arg| same(m, self.place(arg, lane), self.place(arg, first)));
            if needed.lanes().all(same) {
                self.operands(m, inst, |_| Take::One(first));
                self.make_scalar(m, result, needed);
                return;
            }
        }
        self.operands(m, inst, |_| Take::All(needed));
    }
}

/// Whether the places hold the same for sure.
fn same(m: &Module, a: Place, b: Place) -> bool {
    let constant = |place: Place| place.get().and_then(|(value, lane)| Some(m.as_const(value)?[lane as usize]));
    a == b || constant(a).is_some() && constant(a) == constant(b)
}

/// Puts a vector together with as little as it takes. What stands where nobody reads is open.
fn build(m: &mut Module, new: &mut Vec<Inst>, ty: Type, list: &List) -> Value {
    let list = &list[..ty.lanes as usize];
    let mut sources: SmallVec<[Value; 4]> = SmallVec::new();
    for (value, _) in list.iter().filter_map(|place| place.get()) {
        if !sources.contains(&value) {
            sources.push(value);
        }
    }
    match sources[..] {
        [] => push(m, new, Op::Const, Imm::Const([0; 4]), Args::new(), ty),
        [value] if m.ty(value).lanes == ty.lanes && in_order(list) => value,
        _ if sources.iter().all(|&value| m.as_const(value).is_some()) => constant(m, new, ty, list),
        [value] => {
            let lanes = m.ty(value).lanes;
            let mut read = list.iter().filter_map(|place| place.get()).map(|place| place.1);
            let first = read.next().unwrap_or(0);
            // Selecting one component everywhere is what other code is likely to do too.
            let one = read.all(|lane| lane == first).then_some(first);
            let swizzle = select(list, |lane| one.unwrap_or(lane.min(lanes - 1)), |_, lane| lane);
            push(m, new, Op::Swizzle, Imm::Swizzle(swizzle), smallvec![value], ty)
        }
        [a, b] if m.ty(a).lanes.max(m.ty(b).lanes) > 1 => {
            // The longer one first, so that it can be the one that the other is put into.
            let [a, b] = if m.ty(a).lanes < m.ty(b).lanes { [b, a] } else { [a, b] };
            let split = m.ty(a).lanes;
            let swizzle = select(list, |lane| lane.min(split - 1), |v, lane| if v == a { lane } else { lane + split });
            push(m, new, Op::Shuffle, Imm::Swizzle(swizzle), smallvec![a, b], ty)
        }
        _ => construct(m, new, ty, list),
    }
}

/// Whether every component that is read is in its own place.
fn in_order(list: &[Place]) -> bool {
    (0u8..).zip(list).all(|(at, place)| place.get().is_none_or(|(_, lane)| lane == at))
}

/// The selection that a list asks for, and anything where it asks for nothing.
fn select(list: &[Place], anything: impl Fn(u8) -> u8, number: impl Fn(Value, u8) -> u8) -> Swizzle {
    let number = |(at, place): (u8, &Place)| place.get().map_or(anything(at), |(value, lane)| number(value, lane));
    let lanes: SmallVec<[u8; 4]> = (0u8..).zip(list).map(number).collect();
    Swizzle::new(&lanes)
}

fn constant(m: &mut Module, new: &mut Vec<Inst>, ty: Type, list: &[Place]) -> Value {
    let bits_of = |place: &Place| place.get().map(|(value, lane)| m.as_const(value).unwrap_or_default()[lane as usize]);
    // The same everywhere if it may be: such constants are shared more often.
    let first = list.iter().find_map(bits_of).unwrap_or(0);
    let mut bits = [0; 4];
    for (bits, place) in bits.iter_mut().zip(list) {
        *bits = bits_of(place).unwrap_or(first);
    }
    push(m, new, Op::Const, Imm::Const(bits), Args::new(), ty)
}

/// Components of more than two values, or of scalars.
fn construct(m: &mut Module, new: &mut Vec<Inst>, ty: Type, list: &[Place]) -> Value {
    let mut parts = Args::new();
    let any = list.iter().find_map(|place| place.get());
    let mut at = 0;
    while at < list.len() {
        let Some((value, lane)) = list[at].get().or(any) else { break };
        // A whole vector in its own order is one part.
        let whole = m.ty(value).lanes as usize;
        let run = (0u8..).zip(&list[at..]).take_while(|(lane, place)| **place == Place::new(value, *lane & 3)).count();
        if run >= whole {
            parts.push(value);
            at += whole;
        } else {
            parts.push(build(m, new, Type::new(ty.kind, 1), &single(Place::new(value, lane))));
            at += 1;
        }
    }
    push(m, new, Op::Construct, Imm::None, parts, ty)
}
