//! Vector arithmetic: VOP1, VOP2, VOP3 and VOPC. `arithmetic` says what each instruction computes, of operands that are read and
//! results that are written here; `float`, `double`, `integer` and `convert` have what takes more than an opcode of the IR.

pub(super) mod arithmetic;
pub(super) mod convert;
mod double;
mod float;
pub(super) mod integer;
pub(super) mod notation;

use afterimage_ir::{Image, InputAt, Output, OutputAt, Stage, Texture, TextureDecl, Type, Value, Var};
use notation::ir;
use rustc_hash::FxHashMap;

use super::barycentrics::Interpolation;
use super::format::words;
use super::geometry::Emission;
use super::inputs::builtin;
use super::lockstep::Share;
use super::{Lifter, Reason};
use crate::inst::{Inst, Operand};
use crate::resources::Use;
use crate::tables::{Kind, Op, Ty, flag};

/// `DX10_CLAMP` of `PGM_RSRC1`: clamping makes zero of NaN.
const DX10_CLAMP: u32 = 1 << 21;
/// `FP_ROUND` of `PGM_RSRC1`'s `FLOAT_MODE`: of singles, then of halves and doubles. 0 is to nearest even, 3 toward zero.
const ROUND_32: u32 = 3 << 12;
const ROUND_16_64: u32 = 3 << 14;

/// What the vector side remembers during a translation.
#[derive(Default)]
pub(super) struct VectorState {
    /// Private memory.
    pub scratch: Option<Var>,
    /// What lanes may be doing to the data share.
    pub share: Share,
    /// Scalars in lanes of vector registers, by register and lane.
    pub lanes: FxHashMap<(u8, u8), Var>,
    /// Whether M0 limits the data share.
    pub limits_share: Option<bool>,
    /// Textures and storage images by their slot.
    pub textures: Vec<(u32, Texture)>,
    pub images: Vec<(u32, Image)>,
    /// Those that are in tables.
    pub in_tables: Vec<(TextureDecl, Texture)>,
    /// Whether the image that is accessed is there; what is read of it is zero if not.
    pub present: Option<Value>,
    /// How attributes are interpolated, in pixel shaders.
    pub interpolation: Option<Interpolation>,
    /// Outputs by their place.
    pub outputs: Vec<(OutputAt, Output)>,
    /// Whether the pixel was exported.
    pub exported: Option<Var>,
    /// The position and the number of the viewport, where one depends on the other.
    pub chosen: Option<[Var; 2]>,
    /// How far the pixel is in its ordered section, of programs that have one.
    pub interlock: Option<Var>,
    /// What a geometry shader said.
    pub emission: Option<Emission>,
}

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter, inst: &Inst) {
    match (inst.kind(), inst.op) {
        (Kind::Compare(compare), _) => {
            let ty = inst.src_ty(0);
            let (x, y) = (source(l, inst, 0), source(l, inst, 1));
            let value = arithmetic::compare(&mut l.b, compare, ty, x, y);
            write_comparison(l, inst, value);
        }
        (Kind::Class, _) => {
            let (value, mask) = (source(l, inst, 0), source(l, inst, 1));
            let value = arithmetic::class(&mut l.b, inst.src_ty(0), value, mask);
            write_comparison(l, inst, value);
        }
        (_, Op::VNop | Op::VClrexcp) => {}
        (_, Op::VReadfirstlaneB32 | Op::VReadlaneB32 | Op::VWritelaneB32) => between_lanes(l, inst),
        (_, Op::VMbcntLoU32B32 | Op::VMbcntHiU32B32) => count_below(l, inst),
        _ if inst.indexes_registers() => move_indexed(l, inst),
        _ => arithmetic(l, inst),
    }
}

/// Source `n` in the type that the instruction reads it in, with VOP3's modifiers.
fn source(l: &mut Lifter, inst: &Inst, n: usize) -> Value {
    let operand = inst.src[n];
    let ty = inst.src_ty(n);
    let value = match ty {
        _ if operand == Operand::None => l.b.i32(0),
        Ty::Mask => l.read_mask(operand),
        _ => match ty.dwords() {
            2 => l.read64(operand, ty),
            4 => {
                let words = l.read_words(operand, 4);
                l.b.construct(&words)
            }
            _ => l.read(operand),
        },
    };
    // Moves and selects are of bits, but hardware changes signs in them too.
    let float = ty.is_float() || ty == Ty::B32 && matches!(inst.op, Op::VCndmaskB32 | Op::VMovB32);
    let (abs, neg) = (inst.mods.abs >> n & 1 != 0, inst.mods.neg >> n & 1 != 0);
    arithmetic::modify_source(&mut l.b, ty, value, float && abs, float && neg)
}

fn write_comparison(l: &mut Lifter, inst: &Inst, value: Value) {
    l.write_mask(inst.dst, value);
    if inst.has(flag::WRITES_EXEC) {
        let live = l.exec();
        let value = l.b.band(value, live);
        l.set_exec(value);
    }
}

fn arithmetic(l: &mut Lifter, inst: &Inst) {
    let registers = &l.source.registers;
    let (nan_to_zero, odd_rounding) = (registers.rsrc1 & DX10_CLAMP != 0, registers.rsrc1 & ROUND_32 != 0);
    let halves_toward_zero = registers.rsrc1 & ROUND_16_64 == ROUND_16_64;
    let ty = inst.dst_ty();
    if odd_rounding && ty == Ty::F32 {
        l.warn("rounding of singles other than to nearest");
    }
    let mut sources = [0, 1, 2, 3].map(|n| source(l, inst, n));
    let (omod, clamp) = (inst.mods.omod, inst.mods.clamp);
    if ty == Ty::F16 {
        sources[0] = arithmetic::modify_result(&mut l.b, Ty::F32, sources[0], omod, clamp, nan_to_zero);
    }
    let old = match inst.dst {
        Operand::Vgpr(n) if inst.has(flag::READS_DST) => l.vgpr(n),
        _ => sources[3],
    };
    let operands = arithmetic::Operands { sources, old, halves_toward_zero };
    let Some((value, mask)) = arithmetic::compute(&mut l.b, inst.op, &operands) else {
        return l.fail(Reason::Unsupported("this vector instruction"));
    };
    let value = arithmetic::modify_result(&mut l.b, ty, value, omod, clamp, nan_to_zero);
    write(l, inst, value);
    if let Some(mask) = mask {
        l.write_mask(inst.sdst, mask);
    }
}

/// Writes the components of a value to the destination and the registers behind it.
pub(super) fn write(l: &mut Lifter, inst: &Inst, value: Value) {
    if let Operand::Vgpr(n) = inst.dst {
        let words = words(&mut l.b, value);
        l.set_vgprs(n, &words);
    }
}

fn between_lanes(l: &mut Lifter, inst: &Inst) {
    let lane = match l.analysis.uses[l.at] {
        Use::Lane { place, alone } => Some((lane_var(l, place), alone)),
        _ => None,
    };
    if let (Op::VReadlaneB32, Some((var, _))) = (inst.op, lane) {
        // What was put there comes back, whatever lanes the host's waves have.
        let value = l.b.load(var);
        if let Some(code) = inst.dst.scalar_code() {
            l.set_sgpr(code, value);
        }
        return;
    }
    let value = l.read(inst.src[0]);
    match inst.op {
        Op::VWritelaneB32 => {
            if let Some((var, alone)) = lane {
                let word = l.b.cast(value, afterimage_ir::Kind::Bits);
                l.b.store(var, word);
                if alone {
                    return;
                }
            }
            let Operand::Vgpr(n) = inst.dst else { return };
            let (lane, old) = (l.read(inst.src[1]), l.vgpr(n));
            let b = &mut l.b;
            let here = ir!(b, ieq(lane_index(), iand(lane, 63)));
            let value = b.cast(value, afterimage_ir::Kind::Bits);
            let value = b.select(here, value, old);
            l.set_vgpr_always(n, value);
        }
        op => {
            let value = if op == Op::VReadlaneB32 {
                let lane = l.read(inst.src[1]);
                l.b.read_lane(value, lane)
            } else {
                l.first_active(value)
            };
            if let Some(code) = inst.dst.scalar_code() {
                l.set_sgpr(code, value);
            }
        }
    }
}

/// The scalar in a lane of a vector register.
fn lane_var(l: &mut Lifter, place: (u8, u8)) -> Var {
    match l.kept.lanes.get(&place) {
        Some(&var) => var,
        None => {
            let var = l.b.var(format!("v{}_lane{}", place.0, place.1), Type::B32);
            l.kept.lanes.insert(place, var);
            var
        }
    }
}

/// Whether lanes may have the numbers that they have in the guest's waves of 64, whatever size the host's waves have: where the
/// program uses numbers only to tell lanes apart, not to name them in masks or to read from them.
pub(super) fn numbers_as_guest(l: &Lifter) -> bool {
    let names_lanes = |(inst, used): (&Inst, &Use)| match inst.op {
        Op::VReadlaneB32 | Op::VWritelaneB32 => !matches!(used, Use::Lane { alone: true, .. }),
        Op::DsSwizzleB32 => true,
        Op::SFf0I32B64 | Op::SFf1I32B64 | Op::SFlbitI32B64 | Op::SBcnt0I32B64 | Op::SBcnt1I32B64 => true,
        Op::VMbcntLoU32B32 | Op::VMbcntHiU32B32 => inst.src[0] != Operand::Int(-1),
        _ => false,
    };
    l.b.module().stage == Stage::Compute && !l.flow.insts.iter().zip(&l.analysis.uses).any(names_lanes)
}

fn count_below(l: &mut Lifter, inst: &Inst) {
    let high = inst.op == Op::VMbcntHiU32B32;
    let all = inst.src[0] == Operand::Int(-1);
    let (word, onto) = (l.read(inst.src[0]), l.read(inst.src[1]));
    let as_guest = all && numbers_as_guest(l);
    if all && !as_guest && l.source.is_on_chip() {
        // Its place in the data share would be that of another lane.
        l.fail(Reason::Unsupported("lanes by number in a program whose rings lie in the data share"));
    }
    let b = &mut l.b;
    let lane = if as_guest {
        let index = builtin(b, InputAt::LocalIndex);
        ir!(b, iand(index, 63))
    } else {
        b.lane_index()
    };
    let count = match (all, high) {
        (true, false) => ir!(b, umin(lane, 32)),
        (true, true) => ir!(b, imax(isub(lane, 32), 0)),
        (false, _) => arithmetic::count_below(b, word, lane, high),
    };
    let value = b.iadd(count, onto);
    write(l, inst, value);
}

fn move_indexed(l: &mut Lifter, inst: &Inst) {
    let index = l.m0();
    let value = match inst.src[0] {
        Operand::Vgpr(n) if inst.op != Op::VMovreldB32 => l.vgpr_at(n, index),
        operand => l.read(operand),
    };
    match inst.dst {
        Operand::Vgpr(n) if inst.op != Op::VMovrelsB32 => l.set_vgpr_at(n, index, value),
        _ => write(l, inst, value),
    }
}
