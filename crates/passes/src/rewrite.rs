//! The walk that most passes share: forward over all instructions, replacing values on the way.
//!
//! Structured SSA makes one forward walk enough: all operands are defined further up, so that by the time an instruction is
//! visited its operands have been replaced already.

use afterimage_ir::{Args, Imm, Inst, Module, Op, Output, Region, Type, Value};
use smallvec::smallvec;

/// What becomes of a visited instruction.
pub(crate) enum Action {
    /// It stays (perhaps changed in place).
    Keep,
    /// It goes, and this value takes the place of its only result.
    Replace(Value),
}

/// Values that other values take the place of.
#[derive(Default)]
pub(crate) struct Replacements(Vec<Option<Value>>);

impl Replacements {
    /// Whether nothing is replaced.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `by`, itself replaced already, takes the place of `value`.
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        if self.0.len() <= value.index() {
            self.0.resize(value.index() + 1, None);
        }
        self.0[value.index()] = Some(by);
    }

    /// What stands for `value` now.
    #[inline]
    pub(crate) fn get(&self, value: Value) -> Value {
        self.0.get(value.index()).copied().flatten().unwrap_or(value)
    }

    /// What stands for `value` now, and for that, and so on.
    pub(crate) fn follow(&self, mut value: Value) -> Value {
        while let Some(Some(next)) = self.0.get(value.index()) {
            value = *next;
        }
        value
    }

    /// Replaces the operands of an instruction.
    #[inline]
    pub(crate) fn apply(&self, args: &mut Args) {
        for arg in args {
            *arg = self.get(*arg);
        }
    }
}

/// The list of instructions that a visitor may append to, in front of the one that it visits.
pub(crate) struct Cursor<'a> {
    pub(crate) m: &'a mut Module,
    /// The region that is being visited.
    pub(crate) region: Region,
    list: &'a mut Vec<Inst>,
}

impl<'a> Cursor<'a> {
    /// One that appends to a list of a region.
    pub(crate) fn new(m: &'a mut Module, region: Region, list: &'a mut Vec<Inst>) -> Cursor<'a> {
        Cursor { m, region, list }
    }

    /// Appends an instruction with one result.
    pub(crate) fn push(&mut self, op: Op, imm: Imm, args: Args, ty: Type) -> Value {
        push(self.m, self.list, op, imm, args, ty)
    }

    /// Appends an instruction without results.
    pub(crate) fn act(&mut self, op: Op, imm: Imm, args: Args) {
        let inst = self.m.new_inst(op, imm, args, &[]);
        self.list.push(inst);
    }

    /// Appends the store of an output.
    pub(crate) fn store_output(&mut self, output: Output, value: Value) {
        self.act(Op::StoreOutput, Imm::Output(output), smallvec![value]);
    }

    /// Appends a constant, all lanes of which have these bits.
    pub(crate) fn splat(&mut self, ty: Type, bits: u32) -> Value {
        let mut all = [0; 4];
        all[..ty.lanes as usize].fill(bits);
        self.push(Op::Const, Imm::Const(all), Args::new(), ty)
    }
}

/// Appends an instruction with one result to a list.
pub(crate) fn push(m: &mut Module, list: &mut Vec<Inst>, op: Op, imm: Imm, args: Args, ty: Type) -> Value {
    let inst = m.new_inst(op, imm, args, &[ty]);
    list.push(inst);
    m.inst(inst).results[0]
}

/// Visits every instruction in text order, its operands replaced. Control flow is visited before the regions inside.
pub(crate) fn rewrite(m: &mut Module, mut visit: impl FnMut(&mut Cursor<'_>, Inst) -> Action) {
    let mut replaced = Replacements::default();
    let body = m.body;
    region(m, body, &mut replaced, &mut visit);
}

fn region(
    m: &mut Module,
    at: Region,
    replaced: &mut Replacements,
    visit: &mut impl FnMut(&mut Cursor<'_>, Inst) -> Action,
) {
    let old = std::mem::take(&mut m.regions[at.index()].insts);
    let mut new = Vec::with_capacity(old.len() * 2);
    for inst in old {
        replaced.apply(&mut m.insts[inst.index()].args);
        match visit(&mut Cursor { m, region: at, list: &mut new }, inst) {
            Action::Keep => new.push(inst),
            Action::Replace(by) => {
                let result = m.inst(inst).results[0];
                replaced.replace(result, by);
            }
        }
        match m.inst(inst).imm {
            Imm::If(yes, no) => {
                region(m, yes, replaced, visit);
                region(m, no, replaced, visit);
            }
            Imm::Loop(body) => region(m, body, replaced, visit),
            _ => {}
        }
    }
    m.regions[at.index()].insts = new;
}
