//! What scalar registers hold, where it is the same for every wave of a draw.

use super::exprs::Exprs;
use crate::inst::{Inst, Operand};
use crate::io::{BinaryOp, ExprId};
use crate::lift::flow::Flow;
use crate::tables::{Kind, Op, Ty, flag};

/// What a register holds: nothing is known if none.
type Value = Option<ExprId>;

/// Registers by scalar code, and scc.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct State {
    registers: [Value; 128],
    scc: Value,
}

impl State {
    /// What a program starts with: its user data.
    pub fn start(exprs: &mut Exprs, users: u8) -> State {
        let mut state = State { registers: [None; 128], scc: None };
        for n in 0..users.min(16) {
            state.registers[usize::from(n)] = exprs.user(n);
        }
        state
    }

    fn join(&mut self, other: &State) -> bool {
        let mut changed = false;
        let pairs = self.registers.iter_mut().zip(&other.registers).chain([(&mut self.scc, &other.scc)]);
        for (value, other) in pairs {
            if value.is_some() && value != other {
                *value = None;
                changed = true;
            }
        }
        changed
    }

    /// Word `n` of an operand.
    pub fn read(&self, exprs: &mut Exprs, operand: Operand, n: u8) -> Value {
        match operand.scalar_code() {
            Some(code) => self.registers[usize::from(code.checked_add(n).filter(|&code| code < 128)?)],
            None => exprs.constant((operand.constant(if n == 0 { Ty::B32 } else { Ty::B64 })? >> (32 * n.min(1))) as u32),
        }
    }

    /// Consecutive words of an operand, all of them known.
    pub fn words<const N: usize>(&self, exprs: &mut Exprs, operand: Operand) -> Option<[ExprId; N]> {
        let mut words = [0; N];
        for (n, word) in words.iter_mut().enumerate() {
            *word = self.read(exprs, operand, n as u8)?;
        }
        Some(words)
    }

    /// Byte offset of a scalar load.
    pub fn offset(&self, exprs: &mut Exprs, inst: &Inst) -> Value {
        match inst.src[1] {
            Operand::Int(words) => exprs.constant((words as u32).wrapping_mul(4)),
            Operand::Literal(words) => exprs.constant(words.wrapping_mul(4)),
            register => self.read(exprs, register, 0),
        }
    }

    /// The words that a scalar load at a known address gives.
    pub fn loaded(&self, exprs: &mut Exprs, inst: &Inst) -> Option<Vec<ExprId>> {
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
    pub fn step(&mut self, exprs: &mut Exprs, inst: &Inst) {
        let (mut results, mut scc): ([Value; 2], Value) = ([None; 2], None);
        let loaded = self.loaded(exprs, inst);
        if !inst.is_vector() && loaded.is_none() {
            (results, scc) = self.compute(exprs, inst);
        }
        if inst.has(flag::WRITES_SCC) {
            self.scc = scc;
        }
        for registers in inst.writes() {
            let Some(code) = registers.first.scalar_code() else { continue };
            for n in 0..usize::from(registers.count) {
                let value = match &loaded {
                    Some(words) => words.get(n).copied(),
                    None => results.get(n).copied().flatten(),
                };
                if let Some(register) = self.registers.get_mut(usize::from(code) + n) {
                    *register = value;
                }
            }
        }
        if matches!(inst.op, Op::SMovreldB32 | Op::SMovreldB64) {
            self.registers = [None; 128];
        }
    }

    /// The two words that scalar arithmetic gives, if they are known.
    pub fn after(&self, exprs: &mut Exprs, inst: &Inst) -> Option<[ExprId; 2]> {
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

/// What is known in front of each block.
pub(super) fn follow(flow: &Flow, exprs: &mut Exprs, users: u8) -> Vec<Option<State>> {
    let mut starts: Vec<Option<State>> = vec![None; flow.blocks.len()];
    starts[0] = Some(State::start(exprs, users));
    let mut open = vec![0u32];
    while let Some(number) = open.pop() {
        let block = flow.blocks[number as usize];
        let Some(mut state) = starts[number as usize].clone() else { continue };
        flow.insts[block.first..block.end].iter().for_each(|inst| state.step(exprs, inst));
        for to in block.exit.targets() {
            match &mut starts[to as usize] {
                Some(start) => {
                    if start.join(&state) {
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

