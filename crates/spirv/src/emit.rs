//! Regions to blocks.

use afterimage_ir::{Args, Flags, Imm, Inst, InstData, Module, Op, Region, Type, Uses, Value};
use smallvec::SmallVec;

use crate::declared::Interface;
use crate::spec::{capability, op, storage};
use crate::words::{Id, Words};
use crate::{EmitError, Features};

/// The ways to a block, each with the block that it comes from and the values that it brings.
type Edges<'a> = SmallVec<[(Id, &'a Args); 2]>;

/// Where a region of `if` leads.
pub(crate) struct Join<'a> {
    merge: Id,
    edges: Edges<'a>,
}

pub(crate) struct Loop<'a> {
    merge: Id,
    continue_: Id,
    breaks: Edges<'a>,
    continues: Edges<'a>,
}

/// Writes one module.
pub(crate) struct Emitter<'a> {
    pub(crate) m: &'a Module,
    pub(crate) w: Words,
    pub(crate) uses: &'a Uses,
    pub(crate) features: Features,
    pub(crate) interface: Interface,
    /// Id per value; 0 before its definition.
    pub(crate) ids: Vec<Id>,
    pub(crate) vars: SmallVec<[Id; 8]>,
    /// Label of the block being written.
    pub(crate) block: Id,
    pub(crate) loops: SmallVec<[Loop<'a>; 4]>,
    /// Per value whether the driver may not contract it.
    pub(crate) exact: Vec<bool>,
}

impl<'a> Emitter<'a> {
    #[inline]
    pub(crate) fn id(&self, value: Value) -> Id {
        self.ids[value.index()]
    }

    pub(crate) fn set(&mut self, value: Value, id: Id) {
        self.ids[value.index()] = id;
    }

    pub(crate) fn finish(mut self, model: u32, main: Id) -> Vec<u32> {
        self.w.code.op(op::FunctionEnd, &[]);
        self.w.finish(model, main)
    }

    pub(crate) fn declare_vars(&mut self) {
        for (i, decl) in self.m.vars.iter().enumerate() {
            if !self.uses.vars[i] {
                self.vars.push(0);
                continue;
            }
            let mut ty = self.w.ty(decl.ty);
            if let Some(len) = decl.array {
                ty = self.w.array(ty, len);
            }
            let pointer = self.w.pointer(storage::Function, ty);
            let zero = self.w.null(ty);
            let id = self.w.value(op::Variable, pointer, &[storage::Function, zero]);
            self.w.name(id, &decl.name);
            self.vars.push(id);
        }
    }

    pub(crate) fn begin(&mut self, label: Id) {
        self.w.label(label);
        self.block = label;
    }

    /// Writes instructions up to the terminator; `yield` goes to `join`.
    pub(crate) fn insts(&mut self, insts: &'a [Inst], join: &mut Option<Join<'a>>) -> Result<(), EmitError> {
        let m = self.m;
        for &inst in insts {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => self.if_(data, [yes, no])?,
                (Op::Loop, Imm::Loop(body)) => self.loop_(data, body)?,
                (Op::Yield, _) => {
                    let Some(join) = join else { return Err(EmitError::Malformed("yield")) };
                    self.w.branch(join.merge);
                    join.edges.push((self.block, &data.args));
                }
                (Op::Break | Op::Continue, _) => {
                    let target = self.jump(data)?;
                    self.w.branch(target);
                }
                (Op::Return, _) => self.w.code.op(op::Return, &[]),
                (Op::Unreachable, _) => self.w.code.op(op::Unreachable, &[]),
                (Op::Demote, _) => self.demote(data),
                _ => self.inst(data)?,
            }
        }
        Ok(())
    }

    /// Notes a way out of or around the innermost loop from the block being written, and gives where it leads.
    fn jump(&mut self, data: &'a InstData) -> Result<Id, EmitError> {
        let Some(frame) = self.loops.last_mut() else { return Err(EmitError::Malformed(data.op.name())) };
        let (target, edges) = match data.op {
            Op::Break => (frame.merge, &mut frame.breaks),
            _ => (frame.continue_, &mut frame.continues),
        };
        edges.push((self.block, &data.args));
        Ok(target)
    }

    /// The only instruction of a region that does nothing but go somewhere else, so that it needs no block.
    fn only_jump(&self, region: Region) -> Option<&'a InstData> {
        match self.m.region(region).insts[..] {
            [only] => Some(self.m.inst(only)).filter(|d| matches!(d.op, Op::Yield | Op::Break | Op::Continue)),
            _ => None,
        }
    }

    fn if_(&mut self, data: &'a InstData, regions: [Region; 2]) -> Result<(), EmitError> {
        let merge = self.w.id();
        let mut join = Some(Join { merge, edges: SmallVec::new() });
        let jumps = regions.map(|region| self.only_jump(region));
        // A phi cannot tell two edges from one block apart, so only one side may go straight to a place.
        let same = jumps[0].map(|j| j.op) == jumps[1].map(|j| j.op);
        let mut labels = [0; 2];
        for (at, label) in labels.iter_mut().enumerate() {
            *label = match jumps[at].filter(|_| at == 0 || !same) {
                Some(jump) if jump.op == Op::Yield => {
                    join.iter_mut().for_each(|j| j.edges.push((self.block, &jump.args)));
                    merge
                }
                Some(jump) => self.jump(jump)?,
                None => self.w.id(),
            };
        }
        self.w.code.op(op::SelectionMerge, &[merge, 0]);
        self.w.code.op(op::BranchConditional, &[self.ids[data.args[0].index()], labels[0], labels[1]]);
        for (at, region) in regions.into_iter().enumerate() {
            if jumps[at].is_none() || at == 1 && same {
                self.begin(labels[at]);
                self.insts(&self.m.region(region).insts, &mut join)?;
            }
        }
        self.begin(merge);
        let edges = join.map(|j| j.edges).unwrap_or_default();
        self.phis(&data.results, &edges);
        Ok(())
    }

    /// Defines `results` from the values that each edge brings.
    fn phis(&mut self, results: &Args, edges: &[(Id, &Args)]) {
        for (i, &result) in results.iter().enumerate() {
            let id = self.phi(self.m.ty(result), i, edges);
            self.set(result, id);
        }
    }

    /// What the edges bring at place `i`.
    fn phi(&mut self, ty: Type, i: usize, edges: &[(Id, &Args)]) -> Id {
        match edges.first() {
            None => self.w.undef(ty),
            // What every way brings has been computed before all of them.
            Some((_, first)) if edges.iter().all(|(_, args)| self.id(args[i]) == self.id(first[i])) => {
                self.id(first[i])
            }
            Some(_) => {
                let mut operands: SmallVec<[u32; 8]> = SmallVec::new();
                for (block, args) in edges {
                    operands.extend([self.id(args[i]), *block]);
                }
                let ty = self.w.ty(ty);
                self.w.value(op::Phi, ty, &operands)
            }
        }
    }

    fn loop_(&mut self, data: &'a InstData, body: Region) -> Result<(), EmitError> {
        let (header, continue_, merge) = (self.w.id(), self.w.id(), self.w.id());
        let before = self.block;
        self.w.branch(header);
        self.begin(header);
        let params = &self.m.region(body).params;
        // The value of the next round is known only behind the body: its word is filled in there.
        let mut next: SmallVec<[usize; 8]> = SmallVec::new();
        for (&param, &start) in params.iter().zip(&data.args) {
            let ty = self.w.ty(self.m.ty(param));
            let start = self.id(start);
            let id = self.w.value(op::Phi, ty, &[start, before, 0, continue_]);
            next.push(self.w.code.0.len() - 2);
            self.set(param, id);
        }
        self.loops.push(Loop { merge, continue_, breaks: SmallVec::new(), continues: SmallVec::new() });
        let first = self.w.id();
        let insts = self.m.region(body).insts.as_slice();
        let head = self.loop_head(insts, first)?;
        if head == 0 {
            self.w.code.op(op::LoopMerge, &[merge, continue_, 0]);
            self.w.branch(first);
        }
        self.begin(first);
        self.insts(&insts[head..], &mut None)?;
        let Some(frame) = self.loops.pop() else { return Err(EmitError::Malformed("loop")) };
        self.begin(continue_);
        for (i, &param) in params.iter().enumerate() {
            self.w.code.0[next[i]] = self.phi(self.m.ty(param), i, &frame.continues);
        }
        self.w.branch(header);
        self.begin(merge);
        self.phis(&data.results, &frame.breaks);
        Ok(())
    }

    /// Writes `if done { break } else { yield }` at the begin of a loop's body as the header's own branch, to `first` if it is
    /// not done. How many instructions that were.
    fn loop_head(&mut self, insts: &'a [Inst], first: Id) -> Result<usize, EmitError> {
        let m = self.m;
        let Some(at) = insts.iter().position(|&inst| m.inst(inst).op.has(Flags::SIDE_EFFECT)) else { return Ok(0) };
        let data = m.inst(insts[at]);
        let Imm::If(yes, no) = data.imm else { return Ok(0) };
        let [Some(yes), Some(no)] = [yes, no].map(|region| self.only_jump(region)) else { return Ok(0) };
        let (labels, leave, stay) = match (yes.op, no.op) {
            (Op::Break, Op::Yield) => ([0, first], yes, no),
            (Op::Yield, Op::Break) => ([first, 0], no, yes),
            _ => return Ok(0),
        };
        for &inst in &insts[..at] {
            self.inst(m.inst(inst))?;
        }
        let Some(&Loop { merge, continue_, .. }) = self.loops.last() else { return Err(EmitError::Malformed("loop")) };
        self.jump(leave)?;
        self.w.code.op(op::LoopMerge, &[merge, continue_, 0]);
        let [yes, no] = labels.map(|label| if label == 0 { merge } else { label });
        self.w.code.op(op::BranchConditional, &[self.id(data.args[0]), yes, no]);
        self.phis(&data.results, &[(self.block, &stay.args)]);
        Ok(at + 1)
    }

    fn demote(&mut self, data: &InstData) {
        self.w.capability(capability::DemoteToHelperInvocation);
        let (yes, merge) = (self.w.id(), self.w.id());
        self.w.code.op(op::SelectionMerge, &[merge, 0]);
        self.w.code.op(op::BranchConditional, &[self.ids[data.args[0].index()], yes, merge]);
        self.w.label(yes);
        self.w.code.op(op::DemoteToHelperInvocation, &[]);
        self.w.branch(merge);
        self.begin(merge);
    }
}

impl Emitter<'_> {
    /// Component `lane` of `value`.
    pub(crate) fn lane(&mut self, value: Value, lane: u8) -> Id {
        let ty = self.m.ty(value);
        let id = self.id(value);
        if ty.lanes == 1 {
            return id;
        }
        let ty = self.w.ty(Type::new(ty.kind, 1));
        self.w.value(op::CompositeExtract, ty, &[id, lane as u32])
    }
}
