//! Outputs, stored once.
//!
//! Precondition: a verified module. Promise (but for the geometry stage, where outputs count at each vertex): an output that is stored at all is stored on every way to a `return`, once, in the
//! region of that `return`; where the shader did not store it, it is zero. What the shader computes is the same.
//!
//! Guests write outputs wherever they like, in parts and again. Back ends and drivers then have memory to follow, and what a path
//! that never stores an output leaves in it is open. Such outputs become variables here, which `ssa` makes values of.

use afterimage_ir::{Args, Imm, Mask, Module, Op, Output, Region, Stage, Var, VarDecl};
use smallvec::{SmallVec, smallvec};

use crate::rewrite::{Action, rewrite};

/// Runs the pass.
pub fn run(m: &mut Module) {
    if m.stage == Stage::Geometry || m.outputs.is_empty() {
        return;
    }
    let mut survey = Survey { stores: smallvec![Stores::default(); m.outputs.len()], nested_return: false };
    survey.region(m, m.body, false);
    let mut vars: SmallVec<[Option<Var>; 16]> = smallvec![None; m.outputs.len()];
    for ((stores, var), decl) in survey.stores.iter().zip(&mut vars).zip(&m.outputs) {
        if stores.count > 1 || stores.count == 1 && (stores.nested || survey.nested_return) {
            m.vars.push(VarDecl { name: decl.name.clone(), ty: decl.ty, array: None });
            *var = Some(Var::new(m.vars.len() - 1));
        }
    }
    if vars.iter().all(Option::is_none) {
        return;
    }
    rewrite(m, |cursor, inst| {
        let data = &mut cursor.m.insts[inst.index()];
        match (data.op, data.imm) {
            (Op::StoreOutput, Imm::Output(output)) => {
                if let Some(var) = vars[output.index()] {
                    let lanes = cursor.m.outputs[output.index()].ty.lanes;
                    (data.op, data.imm) = (Op::Store, Imm::VarMask(var, Mask::first(lanes)));
                }
            }
            (Op::Return, _) => {
                for (at, var) in vars.iter().enumerate() {
                    if let &Some(var) = var {
                        let value = cursor.push(Op::Load, Imm::Var(var), Args::new(), cursor.m.outputs[at].ty);
                        cursor.store_output(Output::new(at), value);
                    }
                }
            }
            _ => {}
        }
        Action::Keep
    });
}

/// How an output is stored.
#[derive(Clone, Copy, Default)]
struct Stores {
    count: u32,
    /// Inside of control flow.
    nested: bool,
}

struct Survey {
    stores: SmallVec<[Stores; 16]>,
    /// Whether a `return` is inside of control flow.
    nested_return: bool,
}

impl Survey {
    fn region(&mut self, m: &Module, region: Region, nested: bool) {
        for &inst in &m.region(region).insts {
            let data = m.inst(inst);
            match (data.op, data.imm) {
                (Op::StoreOutput, Imm::Output(output)) => {
                    let stores = &mut self.stores[output.index()];
                    stores.count += 1;
                    stores.nested |= nested;
                }
                (Op::Return, _) => self.nested_return |= nested,
                (_, Imm::If(yes, no)) => {
                    self.region(m, yes, true);
                    self.region(m, no, true);
                }
                (_, Imm::Loop(body)) => self.region(m, body, true),
                _ => {}
            }
        }
    }
}
