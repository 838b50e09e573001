//! Branches, loops and calls.

use super::{Failure, LiftErrorKind, Lifter};
use crate::instruction::{ControlBits, Instruction};
use crate::parse::Program;
use crate::tables::Opcode;
use afterimage_ir::{Type, Value, Var};
use rustc_hash::FxHashMap;

/// Deepest nesting of calls; the parser allows no more in any model.
pub(super) const MAX_CALLS: u32 = crate::validate::MAX_DEPTH as u32;

/// Most rounds of one loop, which is what the models allow; a larger count in a constant does not hang the GPU.
const MAX_ROUNDS: i32 = 255;

/// The place of each label; the first one counts.
pub(super) fn labels(program: &Program) -> FxHashMap<u16, usize> {
    let mut labels = FxHashMap::default();
    for (at, instruction) in program.instructions.iter().enumerate() {
        if let (Opcode::Label, Some(src)) = (instruction.op, instruction.srcs.first()) {
            labels.entry(src.register.number).or_insert(at);
        }
    }
    labels
}

/// A loop that is open.
pub(super) struct LoopFrame {
    /// Rounds left.
    rounds: Var,
    /// `aL` and its step; `rep` has none and leaves that of the loop around it visible.
    pub(super) index: Option<Var>,
    step: Option<Value>,
}

impl Lifter<'_> {
    pub(super) fn flow(&mut self, at: usize, i: &Instruction) -> Result<(), Failure> {
        self.flow_inner(i).map_err(|failure| match failure {
            Inner::Here(kind) => (at, kind),
            Inner::There(failure) => failure,
        })
    }

    fn flow_inner(&mut self, i: &Instruction) -> Result<(), Inner> {
        match i.op {
            Opcode::If => {
                let condition = self.condition(&i.srcs[0])?;
                self.b.begin_if(condition);
            }
            Opcode::IfC => {
                let condition = self.scalar_comparison(i)?;
                self.b.begin_if(condition);
            }
            Opcode::Else => self.b.begin_else(),
            Opcode::EndIf => self.b.end_if(),
            Opcode::Loop | Opcode::Rep => self.begin_loop(i)?,
            Opcode::EndLoop | Opcode::EndRep => self.end_loop(),
            Opcode::Break => self.b.break_(),
            Opcode::BreakC => {
                let condition = self.scalar_comparison(i)?;
                self.b.break_if(condition);
            }
            Opcode::BreakP => {
                let condition = self.condition(&i.srcs[0])?;
                self.b.break_if(condition);
            }
            Opcode::Call => self.call(i)?,
            Opcode::CallNz => {
                let condition = self.condition(&i.srcs[1])?;
                self.b.begin_if(condition);
                self.call(i)?;
                self.b.end_if();
            }
            _ => return Err(Inner::Here(LiftErrorKind::Unsupported)),
        }
        Ok(())
    }

    fn scalar_comparison(&mut self, i: &Instruction) -> Result<Value, LiftErrorKind> {
        let ControlBits::Comparison(comparison) = i.control else { return Err(LiftErrorKind::Unsupported) };
        let (x, y) = (self.scalar(&i.srcs[0])?, self.scalar(&i.srcs[1])?);
        Ok(self.compare(comparison, x, y))
    }

    /// `loop aL, i#` counts `i.x` rounds with `aL` from `i.y` in steps of `i.z`; `rep i#` only counts.
    fn begin_loop(&mut self, i: &Instruction) -> Result<(), LiftErrorKind> {
        let with_index = i.op == Opcode::Loop;
        let counter = i.srcs.last().ok_or(LiftErrorKind::Unsupported)?;
        let setup = self.load_row(counter.register, 0)?;
        let (count, limit) = (self.b.extract(setup, 0), self.b.i32(MAX_ROUNDS));
        let count = self.b.imin(count, limit);
        let rounds = self.b.var("rounds", Type::I32);
        self.b.store(rounds, count);
        let (mut index, mut step) = (None, None);
        if with_index {
            let var = self.b.var("aL", Type::I32);
            let start = self.b.extract(setup, 1);
            self.b.store(var, start);
            index = Some(var);
            step = Some(self.b.extract(setup, 2));
        }
        self.loops.push(LoopFrame { rounds, index, step });
        self.b.begin_loop();
        let (left, zero) = (self.b.load(rounds), self.b.i32(0));
        let done = self.b.ile(left, zero);
        self.b.break_if(done);
        Ok(())
    }

    fn end_loop(&mut self) {
        if let Some(frame) = self.loops.pop() {
            let (left, one) = (self.b.load(frame.rounds), self.b.i32(1));
            let left = self.b.isub(left, one);
            self.b.store(frame.rounds, left);
            if let (Some(index), Some(step)) = (frame.index, frame.step) {
                let value = self.b.load(index);
                let value = self.b.iadd(value, step);
                self.b.store(index, value);
            }
        }
        self.b.end_loop();
    }

    /// Inlines a subroutine. `aL` of the caller stays visible in it.
    fn call(&mut self, i: &Instruction) -> Result<(), Inner> {
        let label = i.srcs.first().map_or(0, |src| src.register.number);
        if self.calls >= MAX_CALLS {
            return Err(Inner::Here(LiftErrorKind::CallDepth));
        }
        let target = *self.labels.get(&label).ok_or(LiftErrorKind::UndefinedLabel(label))?;
        self.calls += 1;
        self.run(target + 1)?;
        self.calls -= 1;
        Ok(())
    }
}

/// An error of the instruction itself, or of one in a subroutine that it calls.
enum Inner {
    Here(LiftErrorKind),
    There(Failure),
}

impl From<LiftErrorKind> for Inner {
    fn from(kind: LiftErrorKind) -> Self {
        Self::Here(kind)
    }
}

impl From<Failure> for Inner {
    fn from(failure: Failure) -> Self {
        Self::There(failure)
    }
}
