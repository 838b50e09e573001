//! Common subexpressions.
//!
//! Precondition: a verified module. Promise: no instruction without side effect computes what one in the same region, or in a
//! region around it, has computed already. What the shader computes is the same.

use std::hash::{Hash, Hasher};

use afterimage_ir::{Flags, Imm, Inst, InstData, Module, Op, Region, Type};
use rustc_hash::FxHasher;

use crate::rewrite::Replacements;

/// Runs the pass.
pub fn run(m: &mut Module) {
    let open = vec![false; m.regions.len()];
    let insts: usize = m.regions.iter().map(|region| region.insts.len()).sum();
    // A third of the places at least stays free.
    let table = vec![[0; 2]; (insts + insts / 2 + 1).next_power_of_two()];
    let known = Vec::with_capacity(insts);
    let mut pass = Cse { table, known, open, replaced: Replacements::new(m), memory: 1 };
    let body = m.body;
    pass.region(m, body);
}

/// Most places that are looked at for one hash: with some care a shader can be written of which all have the same.
const MOST_STEPS: usize = 32;

/// What has been computed.
struct Known {
    inst: Inst,
    /// The state of memory that it has read, 0 for none.
    memory: u32,
    /// Where it is in scope.
    region: Region,
}

struct Cse {
    known: Vec<Known>,
    /// Hash and number + 1 of what is known, or 0: at the place that the hash says, or the next that is free. There are as many places as
    /// a power of two. Two with the same hash are compared; the later one of a collision, and one for which no place is free nearby, is not
    /// found, which costs nothing but the chance.
    table: Vec<[u32; 2]>,
    /// Regions that are being walked, in which what they have computed is in scope.
    open: Vec<bool>,
    replaced: Replacements,
    /// Counts what may have changed memory.
    memory: u32,
}

fn can_share(data: &InstData) -> bool {
    !data.op.has(Flags::SIDE_EFFECT) && !data.op.has(Flags::WAVE) && !matches!(data.op, Op::Load | Op::LoadElem)
}

fn hash(data: &InstData, ty: Type, memory: u32) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(u32::from_le_bytes([data.op as u8, ty.kind as u8, ty.lanes, data.args.len() as u8]));
    if memory != 0 {
        hasher.write_u32(memory);
    }
    match data.imm {
        Imm::None => {}
        Imm::Const(bits) => bits.iter().for_each(|&b| hasher.write_u32(b)),
        Imm::Swizzle(swizzle) => hasher.write_u32(swizzle.bits()),
        imm => imm.hash(&mut hasher),
    }
    data.args.iter().for_each(|arg| hasher.write_u32(arg.0));
    hasher.finish() as u32
}

impl Cse {
    /// The place of what has this hash, or for it; or one of something else.
    fn place(&self, hash: u32) -> usize {
        let last = self.table.len() - 1;
        let mut place = hash as usize & last;
        for _ in 0..MOST_STEPS {
            if self.table[place][1] == 0 || self.table[place][0] == hash {
                break;
            }
            place = (place + 1) & last;
        }
        place
    }

    fn region(&mut self, m: &mut Module, at: Region) {
        self.open[at.index()] = true;
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
                    // A later round reads what an earlier one, or somebody else meanwhile, has written.
                    self.memory += 1;
                    self.region(m, body);
                    return true;
                }
                _ if !can_share(data) => {
                    self.memory += u32::from(data.op.has(Flags::SIDE_EFFECT));
                    return true;
                }
                _ => {}
            }
            let data = m.inst(inst);
            let memory = if data.op.has(Flags::MEMORY) { self.memory } else { 0 };
            let (result, ty) = (data.results[0], m.ty(data.results[0]));
            let hash = hash(data, ty, memory);
            let now = Known { inst, memory, region: at };
            let place = self.place(hash);
            let Some(number) = (self.table[place][1] as usize).checked_sub(1) else {
                self.known.push(now);
                self.table[place] = [hash, self.known.len() as u32];
                return true;
            };
            let known = &mut self.known[number];
            if !self.open[known.region.index()] {
                *known = now;
                self.table[place][0] = hash;
                return true;
            }
            let other = m.inst(known.inst);
            let same = known.memory == memory
                && other.op == data.op
                && other.imm == data.imm
                && other.args == data.args
                && m.ty(other.results[0]) == ty;
            if same {
                self.replaced.replace(result, other.results[0]);
            }
            !same
        });
        m.regions[at.index()].insts = list;
        self.open[at.index()] = false;
    }
}
