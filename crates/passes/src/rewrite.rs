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
pub(crate) struct Replacements(Vec<Value>);

impl Replacements {
    /// Stands for itself.
    const SAME: Value = Value(u32::MAX);

    /// None yet, with room for the values that there are now.
    pub(crate) fn new(m: &Module) -> Replacements {
        Replacements(Vec::with_capacity(m.values.len()))
    }

    /// Whether nothing is replaced.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `by`, itself replaced already, takes the place of `value`.
    pub(crate) fn replace(&mut self, value: Value, by: Value) {
        if self.0.len() <= value.index() {
            self.0.resize(value.index() + 1, Self::SAME);
        }
        self.0[value.index()] = by;
    }

    /// What stands for `value`, if it is something else.
    #[inline]
    fn other(&self, value: Value) -> Option<Value> {
        self.0.get(value.index()).copied().filter(|by| *by != Self::SAME)
    }

    /// What stands for `value` now.
    #[inline]
    pub(crate) fn get(&self, value: Value) -> Value {
        self.other(value).unwrap_or(value)
    }

    /// What stands for `value` now, and for that, and so on.
    pub(crate) fn follow(&self, mut value: Value) -> Value {
        while let Some(next) = self.other(value) {
            value = next;
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

/// The list that is being made of each region that is being walked, one behind the other, so that nothing is allocated for each.
#[derive(Default)]
pub(crate) struct Lists(Vec<Inst>);

impl Lists {
    /// Takes what was in a region, and begins its new list. Both go to [`end`](Lists::end).
    pub(crate) fn begin(&mut self, m: &mut Module, region: Region) -> (Vec<Inst>, usize) {
        if self.0.capacity() == 0 {
            self.0.reserve(m.insts.len());
        }
        (std::mem::take(&mut m.regions[region.index()].insts), self.0.len())
    }

    /// The list of the region that was begun last.
    pub(crate) fn now(&mut self) -> &mut Vec<Inst> {
        &mut self.0
    }

    /// Appends an instruction.
    pub(crate) fn push(&mut self, inst: Inst) {
        self.0.push(inst);
    }

    /// Gives a region its new list.
    pub(crate) fn end(&mut self, m: &mut Module, region: Region, (mut old, begin): (Vec<Inst>, usize)) {
        old.clear();
        old.extend_from_slice(&self.0[begin..]);
        self.0.truncate(begin);
        m.regions[region.index()].insts = old;
    }
}

/// Visits every instruction in text order, its operands replaced. Control flow is visited before the regions inside.
pub(crate) fn rewrite(m: &mut Module, visit: impl FnMut(&mut Cursor<'_>, Inst) -> Action) {
    let body = m.body;
    Rewrite { replaced: Replacements::new(m), lists: Lists::default(), visit }.region(m, body);
}

struct Rewrite<F> {
    replaced: Replacements,
    lists: Lists,
    visit: F,
}

impl<F: FnMut(&mut Cursor<'_>, Inst) -> Action> Rewrite<F> {
    fn region(&mut self, m: &mut Module, at: Region) {
        let taken = self.lists.begin(m, at);
        for &inst in &taken.0 {
            self.replaced.apply(&mut m.insts[inst.index()].args);
            match (self.visit)(&mut Cursor { m, region: at, list: self.lists.now() }, inst) {
                Action::Keep => self.lists.push(inst),
                Action::Replace(by) => {
                    let result = m.inst(inst).results[0];
                    self.replaced.replace(result, by);
                }
            }
            match m.inst(inst).imm {
                Imm::If(yes, no) => {
                    self.region(m, yes);
                    self.region(m, no);
                }
                Imm::Loop(body) => self.region(m, body),
                _ => {}
            }
        }
        self.lists.end(m, at, taken);
    }
}
