//! What scalar registers hold, where it is the same for every wave of a draw.

use super::exprs::Exprs;
use crate::inst::{Inst, Operand};
use crate::io::{BinaryOp, ExprId};
use crate::lift::flow::Flow;
use crate::tables::{Kind, Op, Ty, flag};

/// What a register holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Held {
    /// Anything.
    Unknown,
    /// The value of an expression.
    Known(ExprId),
    /// The value of an expression plus something that is not known: an address within what a pointer points to.
    Near(ExprId),
}

impl Held {
    fn known(self) -> Value {
        match self {
            Held::Known(id) => Some(id),
            _ => None,
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

/// Registers by scalar code, and scc.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    registers: [Held; 128],
    scc: Value,
}

impl State {
    /// What a program starts with: its user data, and scratch memory at the beginning of its buffer, for each lane has its own.
    pub(crate) fn start(exprs: &mut Exprs, users: u8, scratch_offset: Option<u8>) -> State {
        let mut state = State { registers: [Held::Unknown; 128], scc: None };
        for n in 0..users {
            state.registers[usize::from(n)] = exprs.user(n).into();
        }
        if let Some(n) = scratch_offset {
            state.registers[usize::from(n)] = exprs.constant(0).into();
        }
        state
    }

    fn join(&mut self, exprs: &Exprs, other: &State) -> bool {
        let before = self.clone();
        for (held, &other) in self.registers.iter_mut().zip(&other.registers) {
            *held = match (*held, other) {
                (a, b) if a == b => a,
                (Held::Known(a), Held::Known(b)) if near(exprs, a) == near(exprs, b) => near(exprs, a),
                (Held::Known(a), b @ Held::Near(_)) | (b @ Held::Near(_), Held::Known(a)) if near(exprs, a) == b => b,
                _ => Held::Unknown,
            };
        }
        if self.scc != other.scc {
            self.scc = None;
        }
        *self != before
    }

    fn held(&self, exprs: &mut Exprs, operand: Operand, n: u8) -> Held {
        let register = |code: u8| self.registers.get(usize::from(code) + usize::from(n)).copied();
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

    /// Byte offset of a scalar load.
    pub(crate) fn offset(&self, exprs: &mut Exprs, inst: &Inst) -> Value {
        match inst.src[1] {
            Operand::Int(words) => exprs.constant((words as u32).wrapping_mul(4)),
            Operand::Literal(words) => exprs.constant(words.wrapping_mul(4)),
            register => self.read(exprs, register, 0),
        }
    }

    /// The words that a scalar load at a known address gives.
    pub(crate) fn loaded(&self, exprs: &mut Exprs, inst: &Inst) -> Option<Vec<ExprId>> {
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
        let (mut results, mut scc) = ([Held::Unknown; 2], None);
        let loaded = self.loaded(exprs, inst);
        if !inst.is_vector() && loaded.is_none() {
            let values;
            (values, scc) = self.compute(exprs, inst);
            results = values.map(Held::from);
            if results[0] == Held::Unknown {
                results[0] = self.moved(exprs, inst);
            }
        }
        if inst.has(flag::WRITES_SCC) {
            self.scc = scc;
        }
        for registers in inst.writes() {
            let Some(code) = registers.first.scalar_code() else { continue };
            for n in 0..usize::from(registers.count) {
                let value = match &loaded {
                    Some(words) => words.get(n).copied().into(),
                    None => results.get(n).copied().unwrap_or(Held::Unknown),
                };
                if let Some(register) = self.registers.get_mut(usize::from(code) + n) {
                    *register = value;
                }
            }
        }
        if let (Op::SMovreldB32 | Op::SMovreldB64, Some(first)) = (inst.op, inst.dst.scalar_code()) {
            self.registers[usize::from(first)..].fill(Held::Unknown);
        }
    }

    /// A pointer's half to which something is added that is not known.
    fn moved(&self, exprs: &mut Exprs, inst: &Inst) -> Held {
        let [a, b] = [0, 1].map(|n| self.held(exprs, inst.src[n], 0));
        let carries = inst.op == Op::SAddcU32;
        match (inst.op, a, b) {
            (Op::SMovB32, near @ Held::Near(_), _) => near,
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

/// A value that something is added to: that to which everything was added so far.
fn near(exprs: &Exprs, id: ExprId) -> Held {
    let base = exprs.base(id);
    if exprs.as_const(base).is_some() { Held::Unknown } else { Held::Near(base) }
}

/// What is known in front of each block.
pub(super) fn follow(flow: &Flow, exprs: &mut Exprs, start: State) -> Vec<Option<State>> {
    let mut starts: Vec<Option<State>> = vec![None; flow.blocks.len()];
    starts[0] = Some(start);
    let mut open = vec![0u32];
    while let Some(number) = open.pop() {
        let block = flow.blocks[number as usize];
        let Some(mut state) = starts[number as usize].clone() else { continue };
        flow.insts[block.first..block.end].iter().for_each(|inst| state.step(exprs, inst));
        for to in block.exit.targets() {
            match &mut starts[to as usize] {
                Some(start) => {
                    if start.join(exprs, &state) {
                        open.push(to);
                    }
                }
                start => {
                    *start = Some(state.clone());
                    open.push(to);
                }
            }
        }
    }
    starts
}
