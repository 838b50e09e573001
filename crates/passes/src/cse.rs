//! Common subexpressions.
//!
//! Precondition: a verified module. Promise: no instruction without side effect computes what one in the same region, or in a
//! region around it, has computed already. What the shader computes is the same.

use std::hash::{Hash, Hasher};

use afterimage_ir::{Flags, Imm, Inst, InstData, Module, Op, Region, Type};
use rustc_hash::{FxHashMap, FxHasher};

use crate::rewrite::Replacements;

/// Runs the pass.
pub fn run(m: &mut Module) {
    let mut pass = Cse { known: FxHashMap::default(), scope: Vec::new(), replaced: Replacements::default() };
    pass.known.reserve(m.values.len());
    let body = m.body;
    pass.region(m, body);
}

struct Cse {
    /// Instruction by hash. Two with the same hash are compared; the later one of a collision is not found, which costs nothing
    /// but the chance.
    known: FxHashMap<u64, Inst>,
    /// Hashes that the enclosing regions have added, innermost last.
    scope: Vec<u64>,
    replaced: Replacements,
}

fn can_share(data: &InstData) -> bool {
    !data.op.has(Flags::SIDE_EFFECT) && !matches!(data.op, Op::Load | Op::LoadElem)
}

fn hash(data: &InstData, ty: Type) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(u32::from_le_bytes([data.op as u8, ty.kind as u8, ty.lanes, data.args.len() as u8]));
    match data.imm {
        Imm::None => {}
        Imm::Const(bits) => bits.iter().for_each(|&b| hasher.write_u32(b)),
        imm => imm.hash(&mut hasher),
    }
    data.args.iter().for_each(|arg| hasher.write_u32(arg.0));
    hasher.finish()
}

impl Cse {
    fn region(&mut self, m: &mut Module, at: Region) {
        let (outer, body) = (self.scope.len(), m.body);
        let mut list = std::mem::take(&mut m.regions[at.index()].insts);
        list.retain(|&inst| {
            let data = &mut m.insts[inst.index()];
            self.replaced.apply(&mut data.args);
            if data.op.has(Flags::COMMUTATIVE) && data.args[0] > data.args[1] {
                data.args.swap(0, 1);
            }
            match data.imm {
                Imm::If(yes, no) => {
                    self.region(m, yes);
                    self.region(m, no);
                    return true;
                }
                Imm::Loop(body) => {
                    self.region(m, body);
                    return true;
                }
                _ if !can_share(data) => return true,
                _ => {}
            }
            let data = m.inst(inst);
            let (result, ty) = (data.results[0], m.ty(data.results[0]));
            let hash = hash(data, ty);
            match self.known.get(&hash) {
                Some(&other) => {
                    let other = m.inst(other);
                    let same = other.op == data.op
                        && other.imm == data.imm
                        && other.args == data.args
                        && m.ty(other.results[0]) == ty;
                    if same {
                        self.replaced.replace(result, other.results[0]);
                    }
                    !same
                }
                None => {
                    self.known.insert(hash, inst);
                    // What the body computes is in scope to the end.
                    if at != body {
                        self.scope.push(hash);
                    }
                    true
                }
            }
        });
        m.regions[at.index()].insts = list;
        for hash in self.scope.drain(outer..) {
            self.known.remove(&hash);
        }
    }
}
