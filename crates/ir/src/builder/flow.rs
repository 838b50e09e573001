//! Control flow: blocks by their begin and end, as they come out of guest code, and jumps.

use smallvec::smallvec;

use super::known::Mark;
use super::{BuildError, Builder, Scope};
use crate::entity::{Region, Value};
use crate::module::{Args, Def, Imm, MAX_DEPTH, Module};
use crate::opcode::Op;

impl Builder {
    /// Goes on with a shader where it returned at its end. What returned before stays as it is.
    pub fn resume(mut module: Module) -> Builder {
        if let Some(end) = module.terminator(module.body) {
            module.regions[module.body.index()].insts.retain(|inst| *inst != end);
        }
        Builder::of(module)
    }

    fn enter(&mut self, scope: Scope, region: Region) {
        if self.scopes.len() + 1 >= MAX_DEPTH {
            self.fail(BuildError::TooDeep);
        }
        self.scopes.push(scope);
        self.region = region;
    }

    /// Goes on behind a block.
    pub(super) fn go_on(&mut self, outer: Region, mark: Mark) {
        self.known.leave(mark);
        self.region = outer;
    }

    /// Ends the region; what follows goes into a region that is part of nothing.
    pub(super) fn terminate(&mut self, op: Op) {
        self.push(op, Imm::None, Args::new(), &[]);
        self.region = self.module.new_region();
    }

    /// Begins what is done if `cond` is true.
    pub fn begin_if(&mut self, cond: Value) {
        let cond = self.condition(cond);
        let (yes, no) = (self.module.new_region(), self.module.new_region());
        self.push(Op::If, Imm::If(yes, no), smallvec![cond], &[]);
        let mark = self.known.enter();
        self.enter(Scope::If { outer: self.region, other: Some(no), mark }, yes);
    }

    /// Begins what is done otherwise.
    pub fn begin_else(&mut self) {
        self.terminate(Op::Yield);
        match self.scopes.last_mut() {
            Some(Scope::If { other, mark, .. }) if other.is_some() => {
                self.known.instead(*mark);
                if let Some(no) = other.take() {
                    self.region = no;
                }
            }
            _ => self.fail(BuildError::Unbalanced("else without if")),
        }
    }

    /// Ends an `if`, with or without `else`.
    pub fn end_if(&mut self) {
        self.terminate(Op::Yield);
        match self.scopes.pop() {
            Some(Scope::If { outer, other, mark }) => {
                if let Some(no) = other {
                    self.region = no;
                    self.terminate(Op::Yield);
                }
                self.go_on(outer, mark);
            }
            _ => self.fail(BuildError::Unbalanced("end of an if that is not open")),
        }
    }

    /// Begins a loop that only `break_` leaves.
    pub fn begin_loop(&mut self) {
        let body = self.module.new_region();
        self.push(Op::Loop, Imm::Loop(body), Args::new(), &[]);
        let mark = self.known.enter_loop();
        self.enter(Scope::Loop { outer: self.region, mark }, body);
    }

    /// Ends a loop's body: back to its begin.
    pub fn end_loop(&mut self) {
        self.terminate(Op::Continue);
        match self.scopes.pop() {
            Some(Scope::Loop { outer, mark }) => self.go_on(outer, mark),
            _ => self.fail(BuildError::Unbalanced("end of a loop that is not open")),
        }
    }

    /// Leaves the innermost loop.
    pub fn break_(&mut self) {
        self.jump(Op::Break);
    }

    /// Goes to the next round of the innermost loop.
    pub fn continue_(&mut self) {
        self.jump(Op::Continue);
    }

    fn jump(&mut self, op: Op) {
        if !self.scopes.iter().any(|s| matches!(s, Scope::Loop { .. })) {
            self.fail(BuildError::OutsideLoop(op.name()));
        }
        self.terminate(op);
    }

    /// Leaves the innermost loop if `cond` is true.
    pub fn break_if(&mut self, cond: Value) {
        self.begin_if(cond);
        self.break_();
        self.end_if();
    }

    /// Ends the shader.
    pub fn return_(&mut self) {
        self.terminate(Op::Return);
    }

    /// Makes a value with results of an `if` whose regions are built by `yes` and `no`.
    pub fn if_else(
        &mut self,
        cond: Value,
        yes: impl FnOnce(&mut Builder) -> Value,
        no: impl FnOnce(&mut Builder) -> Value,
    ) -> Value {
        let cond = self.condition(cond);
        let outer = self.region;
        let (a, b) = (self.module.new_region(), self.module.new_region());
        let inst = self.push(Op::If, Imm::If(a, b), smallvec![cond], &[]);
        let mark = self.known.enter();
        self.enter(Scope::If { outer, other: None, mark }, a);
        let first = yes(self);
        self.push(Op::Yield, Imm::None, smallvec![first], &[]);
        self.known.instead(mark);
        self.region = b;
        let second = no(self);
        let ty = self.ty(first);
        let second = self.cast(second, ty.kind);
        let second = self.resize(second, ty.lanes);
        self.push(Op::Yield, Imm::None, smallvec![second], &[]);
        self.scopes.pop();
        self.go_on(outer, mark);
        let value = self.module.new_value(ty, Def::Inst(inst));
        self.module.insts[inst.index()].results.push(value);
        value
    }
}
