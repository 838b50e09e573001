//! Type inference of untyped values.
//!
//! Precondition: a verified module, best after `ssa`. Promise: values that only carry bits from one place to another (through
//! swizzles, control flow, variables...) have the kind that most of their definitions and uses give them, floats in doubt; `bitcast`s
//! are left only where kinds really meet. What the shader computes is the same.
//!
//! Untyped values that are joined by such instructions form a group. Each `bitcast` at the edge of a group is a vote for its kind.
//! Constants belong to no group, because copying them in another kind is free.

use afterimage_ir::{Args, Imm, Inst, Kind, Module, Op, Region, Value};
use smallvec::smallvec;

use crate::rewrite::{Lists, Replacements, push};

/// Runs the pass.
pub fn run(m: &mut Module) {
    if m.values.iter().all(|v| v.ty.kind != Kind::Bits) && m.vars.iter().all(|v| v.ty.kind != Kind::Bits) {
        return;
    }
    let mut groups = Groups::new(m.values.len() + m.vars.len());
    let mut joiner = Joiner { m, groups: &mut groups, casts: Vec::new() };
    joiner.region(m.body, None, None);
    for (value, cast) in joiner.casts {
        groups.vote(m, value, cast);
        groups.vote(m, cast, value);
    }
    let values = m.values.len();
    for at in 0..values {
        if m.values[at].ty.kind == Kind::Bits && !is_fixed(m, Value::new(at)) {
            m.values[at].ty.kind = groups.kind(at);
        }
    }
    for at in 0..m.vars.len() {
        if m.vars[at].ty.kind == Kind::Bits {
            m.vars[at].ty.kind = groups.kind(values + at);
        }
    }
    let body = m.body;
    Fixer { replaced: Replacements::new(m), lists: Lists::default() }.region(m, body, None, None);
}

/// Whether the value's kind is not ours to choose.
fn is_fixed(m: &Module, value: Value) -> bool {
    m.def(value).is_some_and(|inst| matches!(m.inst(inst).op, Op::Const | Op::LoadInput))
}

/// Union-find over values, then variables, with votes at the roots.
struct Groups {
    parent: Vec<u32>,
    /// For float, for integer.
    votes: Vec<[u32; 2]>,
}

impl Groups {
    fn new(count: usize) -> Groups {
        Groups { parent: (0..count as u32).collect(), votes: vec![[0; 2]; count] }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parent[at] as usize != at {
            let up = self.parent[self.parent[at] as usize];
            self.parent[at] = up;
            at = up as usize;
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a] = b as u32;
    }

    /// `other` votes for the kind of `value`.
    fn vote(&mut self, m: &Module, value: Value, other: Value) {
        if m.ty(value).kind != Kind::Bits {
            return;
        }
        let root = self.root(value.index());
        match m.ty(other).kind {
            Kind::Float => self.votes[root][0] += 1,
            Kind::Int => self.votes[root][1] += 1,
            Kind::Bits | Kind::Bool => {}
        }
    }

    fn kind(&mut self, at: usize) -> Kind {
        let root = self.root(at);
        match self.votes[root] {
            [0, 0] => Kind::Bits,
            [float, int] if float >= int => Kind::Float,
            _ => Kind::Int,
        }
    }
}

/// The operands that have the kind of the result.
fn carried(op: Op) -> std::ops::Range<usize> {
    match op {
        Op::Swizzle => 0..1,
        Op::Shuffle => 0..2,
        Op::Construct => 0..4,
        Op::Select => 1..3,
        Op::ReadFirst | Op::ReadLane | Op::WaveShuffle | Op::QuadSwizzle => 0..1,
        _ => 0..0,
    }
}

struct Joiner<'a> {
    m: &'a Module,
    groups: &'a mut Groups,
    /// Operand and result of each `bitcast`.
    casts: Vec<(Value, Value)>,
}

impl<'a> Joiner<'a> {
    fn join(&mut self, a: Value, b: Value) {
        let m = self.m;
        if m.ty(a).kind == Kind::Bits && m.ty(b).kind == Kind::Bits && !is_fixed(m, a) && !is_fixed(m, b) {
            self.groups.join(a.index(), b.index());
        }
    }

    fn join_var(&mut self, var: usize, value: Value) {
        if self.m.ty(value).kind == Kind::Bits && !is_fixed(self.m, value) {
            self.groups.join(self.m.values.len() + var, value.index());
        }
    }

    fn join_all(&mut self, from: &Args, to: &Args) {
        for (&from, &to) in from.iter().zip(to) {
            self.join(from, to);
        }
    }

    fn region(&mut self, region: Region, if_: Option<&'a Args>, loop_: Option<(&'a Args, &'a Args)>) {
        let m = self.m;
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::Bitcast, _) => self.casts.push((data.args[0], data.results[0])),
                (Op::Load | Op::LoadElem, Imm::Var(var)) => self.join_var(var.index(), data.results[0]),
                (Op::Store | Op::StoreElem, Imm::VarMask(var, _)) => {
                    self.join_var(var.index(), data.args[data.args.len() - 1]);
                }
                (Op::If, Imm::If(yes, no)) => {
                    self.region(yes, Some(&data.results), loop_);
                    self.region(no, Some(&data.results), loop_);
                }
                (Op::Loop, Imm::Loop(body)) => {
                    let params = &m.region(body).params;
                    self.join_all(&data.args, params);
                    self.region(body, None, Some((&data.results, params)));
                }
                (Op::Yield, _) => self.join_all(&data.args, if_.unwrap_or(&data.args)),
                (Op::Break, _) => self.join_all(&data.args, loop_.map_or(&data.args, |l| l.0)),
                (Op::Continue, _) => self.join_all(&data.args, loop_.map_or(&data.args, |l| l.1)),
                _ => {
                    let range = carried(data.op);
                    for &arg in data.args.iter().take(range.end).skip(range.start) {
                        self.join(arg, data.results[0]);
                    }
                }
            }
        }
    }
}

/// Puts `bitcast`s where kinds now differ, and removes those between equal kinds.
struct Fixer {
    replaced: Replacements,
    lists: Lists,
}

impl Fixer {
    /// Makes operand `arg` of `inst` a value of `kind`.
    fn cast(&mut self, m: &mut Module, inst: Inst, arg: usize, kind: Kind) {
        let value = m.inst(inst).args[arg];
        let ty = m.ty(value);
        if ty.kind == kind {
            return;
        }
        let cast = match m.as_const(value) {
            Some(bits) => push(m, self.lists.now(), Op::Const, Imm::Const(bits), Args::new(), ty.with_kind(kind)),
            None => push(m, self.lists.now(), Op::Bitcast, Imm::None, smallvec![value], ty.with_kind(kind)),
        };
        m.insts[inst.index()].args[arg] = cast;
    }

    fn cast_all(&mut self, m: &mut Module, inst: Inst, to: &Args) {
        for (arg, &to) in to.iter().enumerate() {
            let kind = m.ty(to).kind;
            self.cast(m, inst, arg, kind);
        }
    }

    fn region(&mut self, m: &mut Module, at: Region, if_: Option<&Args>, loop_: Option<(&Args, &Args)>) {
        let taken = self.lists.begin(m, at);
        for &inst in &taken.0 {
            self.replaced.apply(&mut m.insts[inst.index()].args);
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::Bitcast, _) => {
                    let (arg, result) = (data.args[0], data.results[0]);
                    if m.ty(arg).kind == m.ty(result).kind {
                        self.replaced.replace(result, arg);
                        continue;
                    }
                }
                (Op::Store | Op::StoreElem, Imm::VarMask(var, _)) => {
                    let (last, kind) = (data.args.len() - 1, m.vars[var.index()].ty.kind);
                    self.cast(m, inst, last, kind);
                }
                (Op::StoreOutput, Imm::Output(output)) => {
                    let kind = m.outputs[output.index()].ty.kind;
                    self.cast(m, inst, 0, kind);
                }
                (Op::If, Imm::If(yes, no)) => {
                    let results = data.results.clone();
                    self.region(m, yes, Some(&results), loop_);
                    self.region(m, no, Some(&results), loop_);
                }
                (Op::Loop, Imm::Loop(body)) => {
                    let (results, params) = (data.results.clone(), m.region(body).params.clone());
                    self.cast_all(m, inst, &params);
                    self.region(m, body, None, Some((&results, &params)));
                }
                (Op::Yield, _) => self.cast_all(m, inst, if_.unwrap_or(&Args::new())),
                (Op::Break, _) => self.cast_all(m, inst, loop_.map_or(&Args::new(), |l| l.0)),
                (Op::Continue, _) => self.cast_all(m, inst, loop_.map_or(&Args::new(), |l| l.1)),
                (op, _) => {
                    let range = carried(op);
                    let end = range.end.min(data.args.len());
                    for arg in range.start..end {
                        let kind = m.ty(m.inst(inst).results[0]).kind;
                        self.cast(m, inst, arg, kind);
                    }
                }
            }
            self.lists.push(inst);
        }
        self.lists.end(m, at, taken);
    }
}
