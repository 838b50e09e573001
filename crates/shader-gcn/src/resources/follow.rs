//! What scalar registers hold, where it is the same for every wave of a draw.

use std::collections::{BTreeMap, BTreeSet};

use smallvec::SmallVec;

use super::exprs::Exprs;
use crate::inst::{Inst, Operand, SGPRS};
use crate::io::{BinaryOp, ExprId};
use crate::lift::flow::Flow;
use crate::tables::{Encoding, Kind, Op, Ty, flag};

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// Nothing yet: where it is read, something was put there on the way, or it does not matter.
    Nothing,
    /// Anything.
    Unknown,
    /// The value of an expression.
    Known(ExprId),
    /// The value of an expression plus something that is not known: an address within what a pointer points to.
    Near(ExprId),
    /// Near the value of an expression, as far as can be seen from what lanes compute: good enough to look for tables there.
    Around(ExprId),
    /// So many bytes and something more that is not known: an offset of an element of a table.
    Ahead(u32),
    /// A word out of memory at a place that is not known, behind a pointer (low and high half).
    Behind([ExprId; 2]),
}

impl Held {
    fn known(self) -> Value {
        match self {
            Held::Known(id) => Some(id),
            Held::Nothing | Held::Unknown | Held::Near(_) | Held::Around(_) | Held::Ahead(_) | Held::Behind(_) => None,
        }
    }
}

impl From<Value> for Held {
    fn from(value: Value) -> Held {
        value.map_or(Held::Unknown, Held::Known)
    }
}

/// An expression, if the value is known.
type Value = Option<ExprId>;

/// The words that a scalar load gives.
pub(super) type Loaded = SmallVec<[ExprId; 16]>;

/// A constant that is added to an offset is less.
const MOST_AHEAD: u32 = 1 << 20;

/// Most lanes of vector registers that are followed: compilers put scalar registers there that they have no room for.
const MAX_LANES: usize = 256;

/// Registers by scalar code, scc, and what single lanes of vector registers were given.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    registers: [Held; 128],
    scc: Value,
    /// By vector register and lane: those that were written by themselves on every way, and not with all others since.
    lanes: BTreeMap<(u8, u8), Held>,
    /// Addresses that vector registers hold, offsets, and words of tables: what was written last, in whatever lanes.
    vectors: BTreeMap<u8, Held>,
}

impl State {
    /// What a program starts with: its user data, and scratch memory at the beginning of its buffer, for each lane has its own.
    /// Registers from `free` on have nothing.
    pub(crate) fn start(exprs: &mut Exprs, users: u8, scratch_offset: Option<u8>, free: Option<u8>) -> State {
        let (lanes, vectors) = (BTreeMap::new(), BTreeMap::new());
        let mut state = State { registers: [Held::Unknown; 128], scc: None, lanes, vectors };
        if let Some(free) = free {
            state.registers[usize::from(free.min(SGPRS))..usize::from(SGPRS)].fill(Held::Nothing);
        }
        for n in 0..users {
            state.registers[usize::from(n)] = exprs.user(n).into();
        }
        if let Some(n) = scratch_offset {
            state.registers[usize::from(n)] = exprs.constant(0).into();
        }
        state
    }

    fn join(&mut self, exprs: &Exprs, other: &State) -> bool {
        let mut changed = false;
        let mut become_ = |held: &mut Held, joined: Held| changed |= std::mem::replace(held, joined) != joined;
        // Most hold what they held.
        for (held, &other) in self.registers.iter_mut().zip(&other.registers).filter(|(held, other)| *held != *other) {
            let joined = either(exprs, *held, other);
            become_(held, joined);
        }
        let before = self.lanes.len();
        self.lanes.retain(|place, held| {
            let there = other.lanes.get(place);
            become_(held, there.map_or(Held::Unknown, |&other| either(exprs, *held, other)));
            there.is_some()
        });
        changed |= self.lanes.len() != before;
        let mut become_ = |held: &mut Held, joined: Held| changed |= std::mem::replace(held, joined) != joined;
        self.vectors.retain(|register, held| {
            let joined = other.vectors.get(register).map_or(Held::Unknown, |&other| either(exprs, *held, other));
            become_(held, joined);
            joined != Held::Unknown
        });
        changed | (self.scc != other.scc && self.scc.take().is_some())
    }

    fn held(&self, exprs: &mut Exprs, operand: Operand, n: u8) -> Held {
        let register = |code: u8| self.registers.get(usize::from(code) + usize::from(n)).copied();
        if let Operand::Vgpr(register) = operand {
            return self.vectors.get(&register.wrapping_add(n)).copied().unwrap_or(Held::Unknown);
        }
        match operand.scalar_code() {
            Some(code) => register(code).unwrap_or(Held::Unknown),
            None => operand
                .constant(if n == 0 { Ty::B32 } else { Ty::B64 })
                .and_then(|bits| exprs.constant((bits >> (32 * u32::from(n.min(1)))) as u32))
                .into(),
        }
    }

    /// Word `n` of an operand.
    pub(crate) fn read(&self, exprs: &mut Exprs, operand: Operand, n: u8) -> Value {
        self.held(exprs, operand, n).known()
    }

    /// What a pair of registers points into: both halves of the pointer, to which something was added.
    pub(crate) fn near(&self, exprs: &mut Exprs, operand: Operand) -> Option<[ExprId; 2]> {
        match [0, 1].map(|n| self.held(exprs, operand, n)) {
            [Held::Near(low), Held::Near(high) | Held::Known(high)] => Some([low, high]),
            _ => None,
        }
    }

    /// Consecutive words of an operand, all of them known.
    pub(crate) fn words<const N: usize>(&self, exprs: &mut Exprs, operand: Operand) -> Option<[ExprId; N]> {
        let mut words = [0; N];
        for (n, word) in words.iter_mut().enumerate() {
            *word = self.read(exprs, operand, n as u8)?;
        }
        Some(words)
    }

    /// Where the table begins out of which words of an operand come, which were loaded from a place that is not known.
    pub(crate) fn table(&self, exprs: &mut Exprs, operand: Operand) -> Option<[ExprId; 2]> {
        match self.held(exprs, operand, 0) {
            Held::Behind(base) => Some(base),
            _ => None,
        }
    }

    /// A pointer to look for tables behind.
    fn around(&self, exprs: &mut Exprs, operand: Operand) -> Option<[ExprId; 2]> {
        let halves = [0, 1].map(|n| match self.held(exprs, operand, n) {
            Held::Known(id) | Held::Near(id) | Held::Around(id) => Some(id),
            _ => None,
        });
        Some([halves[0]?, halves[1]?])
    }

    /// What words are that lanes load each from its own place.
    fn behind_lanes(&self, exprs: &mut Exprs, inst: &Inst) -> Held {
        if inst.enc != Encoding::Mubuf {
            return Held::Unknown;
        }
        let (Kind::Load { bytes: 4.., .. }, Some(fields)) = (inst.kind(), inst.buffer()) else { return Held::Unknown };
        let Some([low, high]) = self.words::<2>(exprs, inst.srsrc()) else { return Held::Unknown };
        let ahead = |held: Held| match held {
            Held::Ahead(from) => from,
            _ => 0,
        };
        let more = ahead(self.held(exprs, inst.src[0], 0));
        // Of an address of 64 bits the lane may have all.
        let (low, high) = match (fields.addr64, self.around(exprs, inst.src[0])) {
            (true, Some([lane_low, lane_high])) if exprs.as_const(low) == Some(0) => (lane_low, lane_high),
            _ => {
                let mask = exprs.constant(0xffff);
                let Some(high) = mask.and_then(|mask| exprs.binary(BinaryOp::And, high, mask)) else {
                    return Held::Unknown;
                };
                (low, high)
            }
        };
        // Words of one descriptor come with loads of four each.
        self.table_at(exprs, [low, high], more)
    }

    /// Words behind a pointer from so many bytes on.
    fn table_at(&self, exprs: &mut Exprs, [low, high]: [ExprId; 2], from: u32) -> Held {
        let begin = exprs.constant(from).and_then(|from| {
            let sum = exprs.binary(BinaryOp::Add, low, from)?;
            let carry = exprs.binary(BinaryOp::Carry, low, from)?;
            Some([sum, exprs.binary(BinaryOp::Add, high, carry)?])
        });
        begin.map_or(Held::Unknown, Held::Behind)
    }

    /// What words are that a scalar load gives of which nobody knows where it reads.
    fn behind(&self, exprs: &mut Exprs, inst: &Inst) -> Held {
        let Kind::ScalarLoad { buffer } = inst.kind() else { return Held::Unknown };
        let from = match inst.src[1] {
            Operand::Int(words) => (words as u32).wrapping_mul(4),
            Operand::Literal(words) => words.wrapping_mul(4),
            register => match self.held(exprs, register, 0) {
                Held::Known(id) => exprs.as_const(id).unwrap_or(0),
                Held::Ahead(from) => from,
                _ => 0,
            },
        };
        let pointer = match self.words::<2>(exprs, inst.src[0]) {
            Some([low, high]) if buffer => {
                let mask = exprs.constant(0xffff);
                mask.and_then(|mask| exprs.binary(BinaryOp::And, high, mask)).map(|high| [low, high])
            }
            Some(pointer) => Some(pointer),
            None if !buffer => self.around(exprs, inst.src[0]),
            None => None,
        };
        pointer.map_or(Held::Unknown, |pointer| self.table_at(exprs, pointer, from))
    }

    /// Byte offset of a scalar load.
    pub(crate) fn offset(&self, exprs: &mut Exprs, inst: &Inst) -> Value {
        match inst.src[1] {
            Operand::Int(words) => exprs.constant((words as u32).wrapping_mul(4)),
            Operand::Literal(words) => exprs.constant(words.wrapping_mul(4)),
            register => self.read(exprs, register, 0),
        }
    }

    /// The words that a scalar load at a known address gives.
    pub(crate) fn loaded(&self, exprs: &mut Exprs, inst: &Inst) -> Option<Loaded> {
        let Kind::ScalarLoad { buffer } = inst.kind() else { return None };
        let offset = self.offset(exprs, inst)?;
        let at = |exprs: &mut Exprs, n: u8| {
            let more = exprs.constant(u32::from(n) * 4)?;
            exprs.binary(BinaryOp::Add, offset, more)
        };
        let count = inst.dst_dwords();
        if buffer {
            let descriptor = self.words::<4>(exprs, inst.src[0])?;
            (0..count).map(|n| at(exprs, n).and_then(|offset| exprs.load_buffer(descriptor, offset))).collect()
        } else {
            let base = self.words::<2>(exprs, inst.src[0])?;
            (0..count).map(|n| at(exprs, n).and_then(|offset| exprs.load(base, offset))).collect()
        }
    }

    /// Follows an instruction.
    pub(crate) fn step(&mut self, exprs: &mut Exprs, inst: &Inst) {
        if inst.is_vector() { self.step_vector(exprs, inst) } else { self.step_scalar(exprs, inst) }
    }

    fn step_scalar(&mut self, exprs: &mut Exprs, inst: &Inst) {
        let (mut results, mut scc) = ([Held::Unknown; 2], None);
        let loaded = self.loaded(exprs, inst);
        let mut behind = Held::Unknown;
        if loaded.is_none() {
            let values;
            (values, scc) = self.compute(exprs, inst);
            results = values.map(Held::from);
            for (n, result) in results.iter_mut().enumerate() {
                if *result == Held::Unknown {
                    *result = self.moved(exprs, inst, n as u8);
                }
            }
            behind = self.behind(exprs, inst);
        }
        if inst.has(flag::WRITES_SCC) {
            self.scc = scc;
        }
        for registers in inst.writes() {
            let Some(code) = registers.first.scalar_code() else { continue };
            for n in 0..usize::from(registers.count) {
                let value = match &loaded {
                    Some(words) => words.get(n).copied().into(),
                    None if behind != Held::Unknown => behind,
                    None => results.get(n).copied().unwrap_or(Held::Unknown),
                };
                self.set(code, n, value);
            }
        }
        if let (Op::SMovreldB32 | Op::SMovreldB64, Some(first)) = (inst.op, inst.dst.scalar_code()) {
            self.registers[usize::from(first)..].fill(Held::Unknown);
        }
    }

    fn step_vector(&mut self, exprs: &mut Exprs, inst: &Inst) {
        let scalar = match inst.op {
            Op::VWritelaneB32 => return self.write_lane(exprs, inst),
            Op::VReadfirstlaneB32 => self.held(exprs, inst.src[0], 0),
            Op::VReadlaneB32 => self.lane_of(exprs, inst).map_or(Held::Unknown, |place| self.lane(place)),
            _ => Held::Unknown,
        };
        let vector = self.of_lanes(exprs, inst);
        for registers in inst.writes() {
            if let Operand::Vgpr(first) = registers.first {
                self.set_vectors(first, first.saturating_add(registers.count.saturating_sub(1)), vector);
            } else if let Some(code) = registers.first.scalar_code() {
                for n in 0..usize::from(registers.count) {
                    self.set(code, n, if n == 0 { scalar } else { Held::Unknown });
                }
            }
        }
        if inst.indexes_registers() {
            // One vector register of many may be written, and it is not known which.
            self.lanes.clear();
            self.vectors.clear();
        }
    }

    /// Sets scalar register `n` behind a code.
    fn set(&mut self, code: u8, n: usize, held: Held) {
        if let Some(register) = self.registers.get_mut(usize::from(code) + n) {
            *register = held;
        }
    }

    /// Sets vector registers, whatever their lanes were given.
    fn set_vectors(&mut self, first: u8, last: u8, held: Held) {
        if !self.lanes.is_empty() {
            self.lanes.retain(|&(register, _), _| !(first..=last).contains(&register));
        }
        if held == Held::Unknown && self.vectors.is_empty() {
            return;
        }
        for register in first..=last {
            match held {
                Held::Unknown => drop(self.vectors.remove(&register)),
                held => drop(self.vectors.insert(register, held)),
            }
        }
    }

    /// What each register is that a vector instruction writes.
    fn of_lanes(&self, exprs: &mut Exprs, inst: &Inst) -> Held {
        match inst.op {
            Op::VMovB32 => match self.held(exprs, inst.src[0], 0) {
                // Other lanes may have something else.
                Held::Known(_) | Held::Near(_) => Held::Unknown,
                held => held,
            },
            Op::VAddI32 | Op::VAddcU32 => match [0, 1].map(|n| self.held(exprs, inst.src[n], 0)).into() {
                (Held::Around(id) | Held::Near(id), _) | (_, Held::Around(id) | Held::Near(id)) => Held::Around(id),
                (Held::Known(id), _) | (_, Held::Known(id)) => match exprs.as_const(id) {
                    Some(by) if inst.op == Op::VAddI32 && by < MOST_AHEAD => Held::Ahead(by),
                    Some(_) if inst.op == Op::VAddI32 => Held::Unknown,
                    // Low halves of pointers are no constants; high halves may be 0.
                    _ => Held::Around(id),
                },
                _ => Held::Unknown,
            },
            _ => self.behind_lanes(exprs, inst),
        }
    }

    /// The lane that `v_readlane_b32` or `v_writelane_b32` names, with the vector register.
    pub(crate) fn lane_of(&self, exprs: &mut Exprs, inst: &Inst) -> Option<(u8, u8)> {
        let register = if inst.op == Op::VWritelaneB32 { inst.dst } else { inst.src[0] };
        let lane = self.read(exprs, inst.src[1], 0).and_then(|id| exprs.as_const(id))?;
        Some((register.vgpr()?, (lane & 63) as u8))
    }

    /// The vector register and lane that `v_readlane_b32` reads, if it was written by itself on every way there.
    pub(crate) fn written_lane(&self, exprs: &mut Exprs, inst: &Inst) -> Option<(u8, u8)> {
        self.lane_of(exprs, inst).filter(|place| self.lanes.contains_key(place))
    }

    fn lane(&self, place: (u8, u8)) -> Held {
        self.lanes.get(&place).copied().unwrap_or(Held::Unknown)
    }

    /// Follows `v_writelane_b32`.
    fn write_lane(&mut self, exprs: &mut Exprs, inst: &Inst) {
        match (self.lane_of(exprs, inst), self.held(exprs, inst.src[0], 0)) {
            (Some(place), held) if self.lanes.len() < MAX_LANES || self.lanes.contains_key(&place) => {
                self.lanes.insert(place, held);
            }
            (Some(_), _) => {}
            (None, _) => {
                let register = inst.dst.vgpr();
                self.lanes.retain(|&(known, _), _| Some(known) != register);
            }
        }
    }

    /// What word `n` of a result is of which no expression is known: a pointer's half to which something is added, an offset, a word of
    /// a table.
    fn moved(&self, exprs: &mut Exprs, inst: &Inst, n: u8) -> Held {
        let moves = matches!(
            inst.op,
            Op::SMovB32
                | Op::SMovB64
                | Op::SCselectB32
                | Op::SCselectB64
                | Op::SAddU32
                | Op::SAddI32
                | Op::SAddkI32
                | Op::SAddcU32
        );
        if !moves {
            return Held::Unknown;
        }
        let [a, b] = [0, 1].map(|source| self.held(exprs, inst.src[source], n));
        let carries = inst.op == Op::SAddcU32;
        match (inst.op, a, b) {
            (Op::SMovB64, held, _) => held,
            (Op::SCselectB64, a, b) => either(exprs, a, b),
            _ if n > 0 => Held::Unknown,
            (Op::SMovB32, held, _) => held,
            (Op::SCselectB32, a, b) => either(exprs, a, b),
            (Op::SAddU32 | Op::SAddI32 | Op::SAddkI32, Held::Unknown, Held::Known(by))
            | (Op::SAddU32 | Op::SAddI32 | Op::SAddkI32, Held::Known(by), Held::Unknown)
                if exprs.as_const(by).is_some_and(|by| by < MOST_AHEAD) =>
            {
                Held::Ahead(exprs.as_const(by).unwrap_or(0))
            }
            (Op::SAddU32 | Op::SAddcU32, Held::Near(_), Held::Near(_)) => Held::Unknown,
            (Op::SAddU32 | Op::SAddcU32, near @ Held::Near(_), _)
            | (Op::SAddU32 | Op::SAddcU32, _, near @ Held::Near(_)) => near,
            (Op::SAddcU32, Held::Known(a), Held::Known(b)) => {
                exprs.binary(BinaryOp::Add, a, b).map_or(Held::Unknown, Held::Near)
            }
            // Low halves of pointers are no constants; high halves may be 0.
            (Op::SAddU32 | Op::SAddcU32, Held::Known(known), _)
            | (Op::SAddU32 | Op::SAddcU32, _, Held::Known(known))
                if carries || exprs.as_const(known).is_none() =>
            {
                Held::Near(known)
            }
            _ => Held::Unknown,
        }
    }

    /// The two words that scalar arithmetic gives, if they are known.
    pub(crate) fn after(&self, exprs: &mut Exprs, inst: &Inst) -> Option<[ExprId; 2]> {
        let [low, high] = self.compute(exprs, inst).0;
        Some([low?, high?])
    }

    /// Results of scalar arithmetic: two words, and scc.
    fn compute(&self, exprs: &mut Exprs, inst: &Inst) -> ([Value; 2], Value) {
        use BinaryOp::*;
        let read = |exprs: &mut Exprs, n: usize, word: u8| self.read(exprs, inst.src[n], word);
        let binary = |exprs: &mut Exprs, op: BinaryOp| {
            let (a, b) = (read(exprs, 0, 0)?, read(exprs, 1, 0)?);
            exprs.binary(op, a, b)
        };
        let pairs = |exprs: &mut Exprs, op: BinaryOp| {
            [0, 1].map(|word| {
                let (a, b) = (read(exprs, 0, word)?, read(exprs, 1, word)?);
                exprs.binary(op, a, b)
            })
        };
        let one = |value: Value| ([value, None], None);
        match inst.op {
            Op::SMovB32 | Op::SMovkI32 => one(read(exprs, 0, 0)),
            Op::SMovB64 => ([read(exprs, 0, 0), read(exprs, 0, 1)], None),
            Op::SAddU32 => ([binary(exprs, Add), None], binary(exprs, Carry)),
            Op::SAddI32 | Op::SAddkI32 => one(binary(exprs, Add)),
            Op::SAddcU32 => {
                let value = binary(exprs, Add).zip(self.scc).and_then(|(sum, carry)| exprs.binary(Add, sum, carry));
                one(value)
            }
            Op::SSubU32 | Op::SSubI32 => one(binary(exprs, Sub)),
            Op::SMulI32 | Op::SMulkI32 => one(binary(exprs, Mul)),
            Op::SAndB32 => one(binary(exprs, And)),
            Op::SOrB32 => one(binary(exprs, Or)),
            Op::SXorB32 => one(binary(exprs, Xor)),
            Op::SAndn2B32 => one(binary(exprs, AndNot)),
            Op::SLshlB32 => one(binary(exprs, Shl)),
            Op::SLshrB32 => one(binary(exprs, Shr)),
            Op::SAshrI32 => one(binary(exprs, Ashr)),
            Op::SAndB64 => (pairs(exprs, And), None),
            Op::SOrB64 => (pairs(exprs, Or), None),
            Op::SXorB64 => (pairs(exprs, Xor), None),
            Op::SAndn2B64 => (pairs(exprs, AndNot), None),
            Op::SCselectB32 => {
                let (a, b) = (read(exprs, 0, 0), read(exprs, 1, 0));
                one(a.filter(|_| a == b))
            }
            Op::SBfmB32 => {
                let constant = |exprs: &mut Exprs, n| read(exprs, n, 0).and_then(|id| exprs.as_const(id));
                let (bits, first) = (constant(exprs, 0), constant(exprs, 1));
                let value = bits.zip(first).map(|(bits, first)| ((1u32 << (bits & 31)) - 1) << (first & 31));
                one(value.and_then(|value| exprs.constant(value)))
            }
            Op::SBfeU32 => {
                let field = read(exprs, 1, 0).and_then(|id| exprs.as_const(id));
                let value = read(exprs, 0, 0).zip(field).and_then(|(a, field)| {
                    let first = exprs.constant(field & 31)?;
                    let moved = exprs.binary(Shr, a, first)?;
                    match field >> 16 & 127 {
                        0 => exprs.constant(0),
                        bits @ 1..32 => {
                            let mask = exprs.constant((1 << bits) - 1)?;
                            exprs.binary(And, moved, mask)
                        }
                        _ => Some(moved),
                    }
                });
                one(value)
            }
            Op::SBitset0B32 | Op::SBitset1B32 => {
                let bit = read(exprs, 0, 0).and_then(|id| exprs.as_const(id));
                let bit = bit.and_then(|bit| exprs.constant(1 << (bit & 31)));
                let op = if inst.op == Op::SBitset0B32 { AndNot } else { Or };
                let old = self.read(exprs, inst.dst, 0);
                one(old.zip(bit).and_then(|(old, bit)| exprs.binary(op, old, bit)))
            }
            Op::SGetpcB64 => {
                let next = inst.next().wrapping_mul(4);
                let low = exprs.program(0).zip(exprs.constant(next));
                let sum = low.and_then(|(low, next)| exprs.binary(Add, low, next));
                let carry = low.and_then(|(low, next)| exprs.binary(Carry, low, next));
                let high = exprs.program(1).zip(carry).and_then(|(high, carry)| exprs.binary(Add, high, carry));
                ([sum, high], None)
            }
            _ => ([None; 2], None),
        }
    }
}

/// What a register holds where it may hold either.
fn either(exprs: &Exprs, one: Held, other: Held) -> Held {
    match (one, other) {
        (a, b) if a == b => a,
        (Held::Nothing, held) | (held, Held::Nothing) => held,
        (Held::Known(a), Held::Known(b)) if near(exprs, a) == near(exprs, b) => near(exprs, a),
        (Held::Known(a), b @ Held::Near(_)) | (b @ Held::Near(_), Held::Known(a)) if near(exprs, a) == b => b,
        _ => Held::Unknown,
    }
}

/// A value that something is added to: that to which everything was added so far.
fn near(exprs: &Exprs, id: ExprId) -> Held {
    let base = exprs.base(id);
    if exprs.as_const(base).is_some() { Held::Unknown } else { Held::Near(base) }
}

/// What is known in front of each block.
pub(super) fn follow(flow: &Flow, exprs: &mut Exprs, start: State) -> Vec<Option<State>> {
    let mut starts: Vec<Option<State>> = vec![None; flow.blocks.len()];
    starts[0] = Some(start);
    // Those that come first in the code first: what goes on to a block is mostly known before the block is followed.
    let mut open = BTreeSet::from([0u32]);
    while let Some(number) = open.pop_first() {
        let block = flow.blocks[number as usize];
        let targets = block.exit.targets();
        // Nobody asks what is known behind the last block.
        let Some(start) = starts[number as usize].as_ref().filter(|_| !targets.is_empty()) else { continue };
        let mut state = start.clone();
        flow.insts[block.first..block.end].iter().for_each(|inst| state.step(exprs, inst));
        for to in targets {
            match &mut starts[to as usize] {
                Some(start) => {
                    if start.join(exprs, &state) {
                        open.insert(to);
                    }
                }
                start => {
                    *start = Some(state.clone());
                    open.insert(to);
                }
            }
        }
    }
    starts
}
