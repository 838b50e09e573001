//! Regions to blocks.

use afterimage_ir::{Args, Imm, InstData, Module, Op, Region, Stage, Type, Uses, Value, exact, uses};
use smallvec::SmallVec;

use crate::interface::{self, Interface};
use crate::spec::{capability, execution_mode, execution_model, op, storage};
use crate::words::{Id, Words};
use crate::{Artifact, EmitError, Options};

pub(crate) fn emit(m: &Module, options: &Options) -> Result<Artifact, EmitError> {
    let model = match m.stage {
        Stage::Vertex => execution_model::Vertex,
        Stage::Pixel => execution_model::Fragment,
        Stage::Compute => return Err(EmitError::Stage(m.stage.name())),
    };
    let uses = uses(m);
    let mut w = Words::new(options.debug_names, uses.instructions);
    w.capability(capability::Shader);
    w.capability(capability::PhysicalStorageBufferAddresses);
    let main = w.id();
    w.name(main, if m.name.is_empty() { "main" } else { &m.name });
    if m.stage == Stage::Pixel {
        w.execution_mode(main, execution_mode::OriginUpperLeft);
    }
    let interface = interface::declare(&mut w, m, &uses, options, main);
    let void = w.void();
    let function_type = w.global(op::TypeFunction, &[void]);
    w.code.op(op::Function, &[void, main, 0, function_type]);
    let entry = w.id();
    w.label(entry);
    let mut e = Emitter {
        m,
        w,
        uses: &uses,
        interface,
        ids: vec![0; m.values.len()],
        vars: SmallVec::new(),
        block: entry,
        loops: SmallVec::new(),
        exact: exact(m),
    };
    e.declare_vars();
    interface::load(&mut e.w, m, &uses, options, &mut e.interface);
    e.region(m.body, &mut None)?;
    e.w.code.op(op::FunctionEnd, &[]);
    let words = e.w.finish(model, main);
    Ok(Artifact { words, reflection: uses.reflection })
}

/// Where a region of `if` leads, and from where with what values.
pub(crate) struct Join {
    merge: Id,
    edges: SmallVec<[(Id, Args); 2]>,
}

struct Loop {
    merge: Id,
    continue_: Id,
    breaks: SmallVec<[(Id, Args); 2]>,
    continues: SmallVec<[(Id, Args); 2]>,
}

/// Writes one module.
pub(crate) struct Emitter<'a> {
    pub(crate) m: &'a Module,
    pub(crate) w: Words,
    pub(crate) uses: &'a Uses,
    pub(crate) interface: Interface,
    /// Id per value; 0 before its definition.
    ids: Vec<Id>,
    pub(crate) vars: SmallVec<[Id; 8]>,
    /// Label of the block being written.
    block: Id,
    loops: SmallVec<[Loop; 4]>,
    /// Per value whether the driver may not contract it.
    pub(crate) exact: Vec<bool>,
}

impl Emitter<'_> {
    #[inline]
    pub(crate) fn id(&self, value: Value) -> Id {
        self.ids[value.index()]
    }

    pub(crate) fn set(&mut self, value: Value, id: Id) {
        self.ids[value.index()] = id;
    }

    fn declare_vars(&mut self) {
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

    fn begin(&mut self, label: Id) {
        self.w.label(label);
        self.block = label;
    }

    /// Writes a region; `yield` goes to `join`.
    fn region(&mut self, region: Region, join: &mut Option<Join>) -> Result<(), EmitError> {
        let m = self.m;
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::If, Imm::If(yes, no)) => self.if_(data, yes, no)?,
                (Op::Loop, Imm::Loop(body)) => self.loop_(data, body)?,
                (Op::Yield, _) => {
                    let Some(join) = join else { return Err(EmitError::Malformed("yield")) };
                    self.w.branch(join.merge);
                    join.edges.push((self.block, data.args.clone()));
                }
                (Op::Break, _) => {
                    let Some(frame) = self.loops.last_mut() else { return Err(EmitError::Malformed("break")) };
                    frame.breaks.push((self.block, data.args.clone()));
                    self.w.branch(frame.merge);
                }
                (Op::Continue, _) => {
                    let Some(frame) = self.loops.last_mut() else { return Err(EmitError::Malformed("continue")) };
                    frame.continues.push((self.block, data.args.clone()));
                    self.w.branch(frame.continue_);
                }
                (Op::Return, _) => self.w.code.op(op::Return, &[]),
                (Op::Unreachable, _) => self.w.code.op(op::Unreachable, &[]),
                (Op::Demote, _) => self.demote(data),
                _ => self.inst(data)?,
            }
        }
        Ok(())
    }

    /// Whether the region does nothing but yield, so that it needs no block.
    fn is_empty(&self, region: Region) -> Option<&Args> {
        match self.m.region(region).insts[..] {
            [only] if self.m.inst(only).op == Op::Yield => Some(&self.m.inst(only).args),
            _ => None,
        }
    }

    fn if_(&mut self, data: &InstData, yes: Region, no: Region) -> Result<(), EmitError> {
        let merge = self.w.id();
        let mut join = Some(Join { merge, edges: SmallVec::new() });
        let mut labels = [merge; 2];
        let regions = [yes, no];
        for (label, &region) in labels.iter_mut().zip(&regions) {
            // Only one side may go straight to the merge block: a phi cannot tell two edges from one block apart.
            let direct = join.as_ref().is_some_and(|j| j.edges.is_empty());
            match self.is_empty(region).filter(|_| direct) {
                Some(args) => {
                    let edge = (self.block, args.clone());
                    join.iter_mut().for_each(|j| j.edges.push(edge.clone()));
                }
                None => *label = self.w.id(),
            }
        }
        self.w.code.op(op::SelectionMerge, &[merge, 0]);
        self.w.code.op(op::BranchConditional, &[self.ids[data.args[0].index()], labels[0], labels[1]]);
        for (label, &region) in labels.iter().zip(&regions) {
            if *label != merge {
                self.begin(*label);
                self.region(region, &mut join)?;
            }
        }
        self.begin(merge);
        let edges = join.map(|j| j.edges).unwrap_or_default();
        self.phis(&data.results, &edges);
        Ok(())
    }

    /// Defines `results` from the values that each edge brings.
    fn phis(&mut self, results: &Args, edges: &[(Id, Args)]) {
        for (i, &result) in results.iter().enumerate() {
            let ty = self.m.ty(result);
            let mut operands: SmallVec<[u32; 8]> = SmallVec::new();
            for (block, args) in edges {
                operands.extend([self.ids[args[i].index()], *block]);
            }
            let id = if operands.is_empty() {
                self.w.undef(ty)
            } else {
                let ty = self.w.ty(ty);
                self.w.value(op::Phi, ty, &operands)
            };
            self.set(result, id);
        }
    }

    fn loop_(&mut self, data: &InstData, body: Region) -> Result<(), EmitError> {
        let (header, first, continue_, merge) = (self.w.id(), self.w.id(), self.w.id(), self.w.id());
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
        self.w.code.op(op::LoopMerge, &[merge, continue_, 0]);
        self.w.branch(first);
        self.begin(first);
        self.loops.push(Loop { merge, continue_, breaks: SmallVec::new(), continues: SmallVec::new() });
        self.region(body, &mut None)?;
        let Some(frame) = self.loops.pop() else { return Err(EmitError::Malformed("loop")) };
        self.begin(continue_);
        for (i, &param) in params.iter().enumerate() {
            let ty = self.m.ty(param);
            let value = match &frame.continues[..] {
                [] => self.w.undef(ty),
                [(_, args)] => self.id(args[i]),
                edges => {
                    let operands: SmallVec<[u32; 8]> =
                        edges.iter().flat_map(|(block, args)| [self.ids[args[i].index()], *block]).collect();
                    let ty = self.w.ty(ty);
                    self.w.value(op::Phi, ty, &operands)
                }
            };
            self.w.code.0[next[i]] = value;
        }
        self.w.branch(header);
        self.begin(merge);
        self.phis(&data.results, &frame.breaks);
        Ok(())
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
