//! The tree of a function to the IR's regions, and calls, which are inlined.

use std::rc::Rc;

use afterimage_ir::{Stage, Type, Var};

use super::structure::{Case, Continue, FUNCTION, Node, ScopeId};
use super::value::Slot;
use super::{Frame, LiftError, LiftErrorKind, Lifter, MAX_CALLS};
use crate::tables::op;

/// Deepest nesting of the IR's blocks that is written.
const MAX_DEPTH: usize = afterimage_ir::MAX_DEPTH - 8;

/// What a call costs, in pieces of functions walked.
const CALL: u32 = 64;

/// Jumps over more than one loop of the IR.
#[derive(Default)]
pub(super) struct Flow {
    /// Where such a jump leads; 0 when none is under way.
    exit: Option<Var>,
    depth: usize,
    /// Nesting of code that is written before the code that runs before it.
    pub(super) ahead: usize,
}

/// A loop of the IR around the code being written.
struct Open<'t> {
    scope: ScopeId,
    /// The continue construct, if it is written at each jump.
    next: &'t [Node],
    /// Jumps further out that leave this loop first.
    passing: Vec<Exit>,
}

/// A jump.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Exit {
    scope: ScopeId,
    way: Way,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Break,
    Continue,
    Again,
}

impl Exit {
    fn code(self) -> i32 {
        (self.scope * 4 + 1 + self.way as u32) as i32
    }
}

impl Lifter<'_> {
    /// Writes the whole shader.
    pub(super) fn entry_point(&mut self, function: usize) -> Result<(), LiftError> {
        let body = self.body(function)?;
        self.frame = Frame::new(function, body.clone());
        self.calls.push(function);
        self.nodes(&body.tree, &mut Vec::new())?;
        self.finish_outputs().map_err(LiftError::whole)
    }

    /// What the end of the shader does: a geometry shader has emitted what it has to give.
    fn finish_outputs(&mut self) -> Result<(), LiftErrorKind> {
        if self.stage == Stage::Geometry { Ok(()) } else { self.flush_outputs(0) }
    }

    fn error_in(&self, block: usize, kind: LiftErrorKind) -> LiftError {
        let function = &self.d.functions[self.frame.function];
        match function.blocks.get(block) {
            Some(block) => LiftError::at(&self.d.program.instructions[block.terminator], kind),
            None => LiftError { offset: function.offset, opcode: None, kind },
        }
    }

    fn deeper(&mut self) -> Result<(), LiftError> {
        self.flow.depth += 1;
        if self.flow.depth > MAX_DEPTH {
            return Err(self.error_in(self.frame.block, LiftErrorKind::TooDeep));
        }
        Ok(())
    }

    fn nodes<'t>(&mut self, nodes: &'t [Node], open: &mut Vec<Open<'t>>) -> Result<(), LiftError> {
        for node in nodes {
            self.spend(1).map_err(|kind| self.error_in(self.frame.block, kind))?;
            self.node(node, open)?;
        }
        Ok(())
    }

    fn node<'t>(&mut self, node: &'t Node, open: &mut Vec<Open<'t>>) -> Result<(), LiftError> {
        match node {
            Node::Block(block) => self.block(*block)?,
            Node::Edge(from, to) => self.edge(*from, *to).map_err(|kind| self.error_in(*from, kind))?,
            Node::If { block, cond, yes, no } => {
                self.frame.block = *block;
                let cond = self.leaf(*cond).map_err(|kind| self.error_in(*block, kind))?;
                let cond = self.fit(cond, Type::BOOL);
                self.deeper()?;
                self.b.begin_if(cond);
                self.nodes(yes, open)?;
                if !no.is_empty() {
                    self.b.begin_else();
                    self.nodes(no, open)?;
                }
                self.b.end_if();
                self.flow.depth -= 1;
            }
            Node::Switch { block, selector, cases } => self.switch(*block, *selector, cases, open)?,
            Node::Loop { scope, body, next } => self.loop_(*scope, body, next, open)?,
            Node::Scope(scope, body) => self.scope(*scope, body, open)?,
            Node::Break(scope) => self.leave(Exit { scope: *scope, way: Way::Break }, open)?,
            Node::Continue(scope) => self.leave(Exit { scope: *scope, way: Way::Continue }, open)?,
            Node::Again(scope) => self.leave(Exit { scope: *scope, way: Way::Again }, open)?,
            Node::Fall(block, case) => {
                if let Some(&fell) = self.frame.falls.get(&(*block, *case)) {
                    let yes = self.b.bool(true);
                    self.b.store(fell, yes);
                }
            }
            Node::Result { block, value } => {
                self.frame.block = *block;
                let value = self.get(*value).map_err(|kind| self.error_in(*block, kind))?;
                let ty = self.d.functions[self.frame.function].ty;
                let value = self.conform(value, ty).map_err(|kind| self.error_in(*block, kind))?;
                match self.frame.result.clone() {
                    Some(slot) => self.store_slot(&slot, &value),
                    None => {
                        let kind = LiftErrorKind::Unsupported("a function that returns pointers or images");
                        return Err(self.error_in(*block, kind));
                    }
                }
            }
            Node::Kill => {
                self.demote().map_err(|kind| self.error_in(self.frame.block, kind))?;
                self.b.return_();
            }
            Node::Unreachable => self.b.return_(),
        }
        Ok(())
    }

    fn block(&mut self, block: usize) -> Result<(), LiftError> {
        self.frame.block = block;
        let function = &self.d.functions[self.frame.function];
        for number in function.blocks[block].code.clone() {
            let instruction = &self.d.program.instructions[number];
            self.check_size().map_err(|kind| LiftError::at(instruction, kind))?;
            if instruction.opcode() == op::FunctionCall {
                self.call(number)?;
            } else {
                self.step(instruction).map_err(|kind| LiftError::at(instruction, kind))?;
            }
        }
        Ok(())
    }

    /// Sets the phis of `to` to what comes from `from`, all at once.
    fn edge(&mut self, from: usize, to: usize) -> Result<(), LiftErrorKind> {
        self.frame.block = from;
        let d = self.d;
        let function = &d.functions[self.frame.function];
        let mut moves = Vec::new();
        for number in function.blocks[to].code.clone() {
            let instruction = &d.program.instructions[number];
            if instruction.opcode() != op::Phi {
                continue;
            }
            let (pairs, _) = d.program.operands(instruction).as_chunks::<2>();
            self.spend(pairs.len() as u32)?;
            let pair = pairs.iter().find(|[_, label]| function.labels.get(label) == Some(&from));
            let Some(&[value, _]) = pair else {
                return Err(LiftErrorKind::Malformed("a phi has no value for the block that comes here"));
            };
            let value = self.get(value)?;
            let value = self.conform(value, instruction.ty)?;
            let slot = self.phi(instruction.result, instruction.ty)?;
            moves.push((slot, value));
        }
        for (slot, value) in moves {
            self.store_slot(&slot, &value);
        }
        Ok(())
    }

    /// The variables of a phi.
    pub(super) fn phi(&mut self, id: u32, ty: u32) -> Result<Slot, LiftErrorKind> {
        if let Some(slot) = self.frame.phis.get(&id) {
            return Ok(slot.clone());
        }
        let slot = self.slot_of(ty)?.ok_or(LiftErrorKind::Unsupported("a phi of pointers or images"))?;
        self.frame.phis.insert(id, slot.clone());
        Ok(slot)
    }

    fn switch<'t>(
        &mut self,
        block: usize,
        selector: u32,
        cases: &'t [Case],
        open: &mut Vec<Open<'t>>,
    ) -> Result<(), LiftError> {
        self.frame.block = block;
        let selector = self.leaf(selector).map_err(|kind| self.error_in(block, kind))?;
        let selector = self.fit(selector, Type::I32);
        let mut any = self.b.bool(false);
        let mut conditions = Vec::with_capacity(cases.len());
        for case in cases {
            let mut hit = None;
            for &literal in &case.literals {
                let literal = self.b.i32(literal as i32);
                let equal = self.b.ieq(selector, literal);
                hit = Some(hit.map_or(equal, |hit| self.b.bor(hit, equal)));
            }
            if let Some(hit) = hit {
                any = self.b.bor(any, hit);
            }
            conditions.push(hit);
        }
        let otherwise = self.b.bnot(any);
        for case in cases.iter().filter(|case| case.fallen) {
            let fell = self.b.var("fell", Type::BOOL);
            let no = self.b.bool(false);
            self.b.store(fell, no);
            self.frame.falls.insert((block, case.number), fell);
        }
        self.deeper()?;
        for (case, hit) in cases.iter().zip(conditions) {
            if case.entry.is_empty() && case.body.is_empty() {
                continue;
            }
            let condition = match (hit, case.default) {
                (Some(hit), true) => self.b.bor(hit, otherwise),
                (Some(hit), false) => hit,
                (None, _) => otherwise,
            };
            match self.frame.falls.get(&(block, case.number)).copied() {
                None => {
                    self.b.begin_if(condition);
                    self.nodes(&case.entry, open)?;
                }
                Some(fell) => {
                    // What the switch brings to phis, only if it comes from there.
                    if !case.entry.is_empty() {
                        self.b.begin_if(condition);
                        self.nodes(&case.entry, open)?;
                        self.b.end_if();
                    }
                    let fell = self.b.load(fell);
                    let runs = self.b.bor(condition, fell);
                    self.b.begin_if(runs);
                }
            }
            self.nodes(&case.body, open)?;
            self.b.end_if();
        }
        self.flow.depth -= 1;
        Ok(())
    }

    fn loop_<'t>(
        &mut self,
        scope: ScopeId,
        body: &'t [Node],
        next: &'t Continue,
        open: &mut Vec<Open<'t>>,
    ) -> Result<(), LiftError> {
        self.deeper()?;
        match next {
            Continue::Inline(next) => {
                self.b.begin_loop();
                open.push(Open { scope, next, passing: Vec::new() });
                self.nodes(body, open)?;
                self.nodes(next, open)?;
            }
            Continue::Shared(next) => {
                let again = self.b.var("again", Type::BOOL);
                let no = self.b.bool(false);
                self.b.store(again, no);
                self.b.begin_loop();
                open.push(Open { scope, next: &[], passing: Vec::new() });
                let now = self.b.load(again);
                self.b.begin_if(now);
                self.flow.ahead += 1;
                self.nodes(next, open)?;
                self.flow.ahead -= 1;
                self.b.end_if();
                let yes = self.b.bool(true);
                self.b.store(again, yes);
                self.nodes(body, open)?;
            }
        }
        self.close(open)
    }

    fn scope<'t>(&mut self, scope: ScopeId, body: &'t [Node], open: &mut Vec<Open<'t>>) -> Result<(), LiftError> {
        self.deeper()?;
        self.b.begin_loop();
        open.push(Open { scope, next: &[], passing: Vec::new() });
        self.nodes(body, open)?;
        self.b.break_();
        self.close(open)
    }

    /// Ends the innermost loop, and sends on the jumps that only pass through it.
    fn close<'t>(&mut self, open: &mut Vec<Open<'t>>) -> Result<(), LiftError> {
        self.b.end_loop();
        self.flow.depth -= 1;
        let passing = open.pop().map(|open| open.passing).unwrap_or_default();
        for exit in passing {
            let now = self.exit_variable();
            let now = self.b.load(now);
            let code = self.b.i32(exit.code());
            let here = self.b.ieq(now, code);
            self.deeper()?;
            self.b.begin_if(here);
            if open.last().is_some_and(|open| open.scope == exit.scope) {
                let (var, none) = (self.exit_variable(), self.b.i32(0));
                self.b.store(var, none);
            }
            self.jump(exit, open)?;
            self.b.end_if();
            self.flow.depth -= 1;
        }
        Ok(())
    }

    fn exit_variable(&mut self) -> Var {
        *self.flow.exit.get_or_insert_with(|| self.b.var("exit", Type::I32))
    }

    fn leave<'t>(&mut self, exit: Exit, open: &mut Vec<Open<'t>>) -> Result<(), LiftError> {
        if exit.scope == FUNCTION && self.calls.len() == 1 {
            self.finish_outputs().map_err(|kind| self.error_in(self.frame.block, kind))?;
            self.b.return_();
            return Ok(());
        }
        if open.last().is_none_or(|open| open.scope != exit.scope) {
            let (var, code) = (self.exit_variable(), self.b.i32(exit.code()));
            self.b.store(var, code);
        }
        self.jump(exit, open)
    }

    /// Leaves the innermost loop on the way to where the jump leads.
    fn jump<'t>(&mut self, exit: Exit, open: &mut Vec<Open<'t>>) -> Result<(), LiftError> {
        let Some(innermost) = open.last_mut() else {
            return Err(self.error_in(self.frame.block, LiftErrorKind::Unstructured));
        };
        if innermost.scope != exit.scope {
            if !innermost.passing.contains(&exit) {
                innermost.passing.push(exit);
            }
            self.b.break_();
            return Ok(());
        }
        match exit.way {
            Way::Break => self.b.break_(),
            Way::Again => self.b.continue_(),
            Way::Continue => {
                let next = innermost.next;
                self.nodes(next, open)?;
                self.b.continue_();
            }
        }
        Ok(())
    }

    /// A call: the function's code with its own values.
    fn call(&mut self, number: usize) -> Result<(), LiftError> {
        let d = self.d;
        let instruction = &d.program.instructions[number];
        let fail = |kind| Err(LiftError::at(instruction, kind));
        let words = d.program.operands(instruction);
        let Some(&function) = d.function_of.get(&words[0]) else {
            return fail(LiftErrorKind::Malformed("the operand is no function"));
        };
        if self.calls.contains(&function) {
            return fail(LiftErrorKind::Recursion);
        }
        if self.calls.len() >= MAX_CALLS {
            return fail(LiftErrorKind::TooDeep);
        }
        let callee = &d.functions[function];
        if callee.params.len() != words.len() - 1 {
            return fail(LiftErrorKind::Malformed("the call has not as many operands as the function parameters"));
        }
        self.spend(CALL).map_err(|kind| LiftError::at(instruction, kind))?;
        let body = self.body(function)?;
        let mut frame = Frame::new(function, body.clone());
        for (&param, &arg) in callee.params.iter().zip(&words[1..]) {
            let value = self.get(arg).map_err(|kind| LiftError::at(instruction, kind))?;
            frame.values.insert(param, value);
        }
        frame.result = self.slot_of(callee.ty).map_err(|kind| LiftError::at(instruction, kind))?;
        let caller = std::mem::replace(&mut self.frame, frame);
        self.calls.push(function);
        self.deeper()?;
        let mut open = Vec::new();
        if body.returns_early {
            self.scope(FUNCTION, &body.tree, &mut open)?;
        } else {
            self.nodes(&body.tree, &mut open)?;
        }
        self.flow.depth -= 1;
        self.calls.pop();
        let result = self.frame.result.take();
        self.frame = caller;
        if let Some(slot) = result {
            let value = self.load_slot(&slot);
            self.define(instruction, value).map_err(|kind| LiftError::at(instruction, kind))?;
        }
        Ok(())
    }

    /// Throws the pixel away; the shader goes on.
    pub(super) fn demote(&mut self) -> Result<(), LiftErrorKind> {
        if self.stage != Stage::Pixel {
            return Err(LiftErrorKind::Malformed("only fragment shaders throw pixels away"));
        }
        let yes = self.b.bool(true);
        self.b.demote(yes);
        Ok(())
    }
}

impl Frame {
    fn new(function: usize, body: Rc<super::Body>) -> Frame {
        Frame { function, body, ..Frame::default() }
    }
}
