//! Exports: EXP.
//!
//! Positions become clip space as Direct3D has it; parameter n becomes location n of the interface between the stages, four floats;
//! colours are what the format of the export and the kind of the target make of them. After AMD's "Sea Islands Instruction Set
//! Architecture", section 12.17, and the register definitions (`PA_CL_VS_OUT_CNTL`, `SPI_SHADER_*_FORMAT`).

use afterimage_ir::{Builder, Kind, Output, OutputAt, OutputDecl, Stage, Type, Value, Var};
use smallvec::SmallVec;

use super::Lifter;
use super::format::extract;
use super::vector::notation::ir;
use crate::inst::{Export, Inst};
use crate::io::{Source, TargetKind, position};

/// Targets of an export.
const DEPTH: u8 = 8;
const POSITION: u8 = 12;
const PARAMETER: u8 = 32;

/// Bits of `PA_CL_VS_OUT_CNTL`.
const USE_POINT_SIZE: u32 = 1 << 16;
const USE_LAYER: u32 = 1 << 18;
const USE_VIEWPORT: u32 = 1 << 19;
/// The vectors behind the position: miscellaneous, and two of distances.
const VECTORS: [u32; 3] = [1 << 21, 1 << 22, 1 << 23];

/// Bits of `DB_SHADER_CONTROL`.
const EXPORTS_DEPTH: u32 = 1;
const EXPORTS_STENCIL: u32 = 1 << 1;
const EXPORTS_MASK: u32 = 1 << 8;

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter, inst: &Inst) {
    let Some(fields) = inst.export() else { return };
    if l.b.module().stage == Stage::Compute {
        return;
    }
    let pixel = l.b.module().stage == Stage::Pixel;
    let exported = (pixel && (fields.vm || fields.done)).then(|| match l.kept.exported {
        Some(exported) => exported,
        None => *l.kept.exported.insert(l.b.var("exported", Type::BOOL)),
    });
    let target = fields.target;
    l.when_active(|l| {
        match (pixel, target) {
            (true, 0..=7) => color(l, inst, fields, target),
            (true, DEPTH) => depth(l, inst, fields),
            (false, POSITION) => position(l, inst),
            (false, 13..=15) => vector_behind_position(l, inst, target - POSITION - 1),
            (false, PARAMETER..=63) => {
                let value = plain(l, inst, fields);
                let output = output(l, OutputAt::Location(target - PARAMETER), Type::F32X4);
                l.b.store_output(output, value);
            }
            _ => {}
        }
        if let Some(exported) = exported {
            let yes = l.b.bool(true);
            l.b.store(exported, yes);
        }
    });
}

/// What belongs to the end of a program: a pixel that was not exported is not drawn.
pub(super) fn finish(l: &mut Lifter) {
    super::geometry::finish(l);
    mirror(l);
    super::interlock::done(l);
    if let Some(exported) = l.kept.exported {
        let exported = l.b.load(exported);
        let lost = l.b.bnot(exported);
        l.b.demote(lost);
    }
}

/// The output of a place, declared when it is first written.
fn output(l: &mut Lifter, at: OutputAt, ty: Type) -> Output {
    if let Some(known) = l.kept.outputs.iter().find(|known| known.0 == at) {
        return known.1;
    }
    let name = match at {
        OutputAt::Location(n) if l.b.module().stage == Stage::Pixel => format!("mrt{n}"),
        OutputAt::Location(n) => format!("param{n}"),
        OutputAt::ClipDistance(n) => format!("clip{n}"),
        OutputAt::CullDistance(n) => format!("cull{n}"),
        _ => format!("{at:?}").to_lowercase(),
    };
    let output = l.b.output(OutputDecl { name, ty, at, semantic: None });
    l.kept.outputs.push((at, output));
    output
}

/// The source of a component, or zero.
fn component(l: &mut Lifter, inst: &Inst, n: usize) -> Value {
    let value = if inst.src[n].is_some() { l.read(inst.src[n]) } else { l.b.i32(0) };
    l.b.cast(value, Kind::Bits)
}

/// Four components of 32 bits, or of halves.
fn plain(l: &mut Lifter, inst: &Inst, fields: Export) -> Value {
    if fields.compr {
        return packed(l, inst, Packed::Half);
    }
    let parts = [0, 1, 2, 3].map(|n| component(l, inst, n));
    l.b.construct(&parts)
}

/// What the 16-bit components of a compressed export are.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Packed {
    Half,
    Unorm,
    Snorm,
    Uint,
    Sint,
}

/// Four components of 16 bits in two sources.
fn packed(l: &mut Lifter, inst: &Inst, form: Packed) -> Value {
    let words = [0, 1].map(|n| component(l, inst, n));
    let b = &mut l.b;
    let signed = matches!(form, Packed::Snorm | Packed::Sint);
    let mut parts = SmallVec::<[Value; 4]>::new();
    for n in 0..4 {
        let raw = extract(b, words[n / 2], 16 * (n as u32 % 2), 16, signed);
        let value = match form {
            Packed::Half => b.h2f(raw),
            Packed::Unorm => ir!(b, fdiv(u2f(raw), { b.f32(65535.0) })),
            Packed::Snorm => ir!(b, fmax(fdiv(i2f(raw), { b.f32(32767.0) }), { b.f32(-1.0) })),
            Packed::Uint | Packed::Sint => raw,
        };
        parts.push(value);
    }
    b.construct(&parts)
}

fn color(l: &mut Lifter, inst: &Inst, fields: Export, target: u8) {
    let registers = l.source.registers;
    let format = registers.col_format >> (4 * target) & 15;
    let wants = registers.targets >> (4 * target) & 3;
    if format == 0 {
        return;
    }
    let integer = wants == TargetKind::Uint as u32 || wants == TargetKind::Sint as u32;
    let value = if fields.compr {
        let form = match format {
            5 => Packed::Unorm,
            6 => Packed::Snorm,
            7 => Packed::Uint,
            8 => Packed::Sint,
            _ => Packed::Half,
        };
        packed(l, inst, form)
    } else {
        plain(l, inst, fields)
    };
    let ty = if integer { Type::I32X4 } else { Type::F32X4 };
    if wants == TargetKind::Sint as u32 {
        l.b.signed_output(target);
    }
    let output = output(l, OutputAt::Location(target), ty);
    l.b.store_output(output, value);
}

fn depth(l: &mut Lifter, inst: &Inst, fields: Export) {
    let control = l.source.registers.db_shader_control;
    // Registers that say nothing leave it to the export.
    let wanted = |bit: u32| control & (EXPORTS_DEPTH | EXPORTS_STENCIL | EXPORTS_MASK) == 0 || control & bit != 0;
    let write = |l: &mut Lifter, bit: u32, at: OutputAt, ty: Type, value: Value| {
        if wanted(bit) {
            let output = output(l, at, ty);
            l.b.store_output(output, value);
        }
    };
    if fields.compr {
        // Stencil in the second byte of the upper half, samples in the lower half of the second source.
        if inst.src[0].is_some() {
            let word = component(l, inst, 0);
            let value = extract(&mut l.b, word, 16, 8, false);
            write(l, EXPORTS_STENCIL, OutputAt::StencilRef, Type::I32, value);
        }
        if inst.src[1].is_some() {
            let word = component(l, inst, 1);
            let value = extract(&mut l.b, word, 0, 16, false);
            write(l, EXPORTS_MASK, OutputAt::SampleMask, Type::I32, value);
        }
        return;
    }
    let outputs = [
        (EXPORTS_DEPTH, OutputAt::FragDepth, Type::F32),
        (EXPORTS_STENCIL, OutputAt::StencilRef, Type::I32),
        (EXPORTS_MASK, OutputAt::SampleMask, Type::I32),
    ];
    for (n, (bit, at, ty)) in outputs.into_iter().enumerate() {
        if inst.src[n].is_some() {
            let value = component(l, inst, n);
            write(l, bit, at, ty, value);
        }
    }
}

fn position(l: &mut Lifter, inst: &Inst) {
    let flags = l.source.registers.position;
    let parts = [0, 1, 2, 3].map(|n| component(l, inst, n));
    let [mut x, mut y, mut z, w] = parts.map(|part| l.b.cast(part, Kind::Float));
    if flags & position::IN_PIXELS != 0 {
        let screen = l.draw_words(1);
        let b = &mut l.b;
        let [sx, sy, tx, ty] = [0, 1, 2, 3].map(|n| b.extract(screen, n));
        x = ir!(b, fmul(fsub(fmul(fadd(x, tx), sx), 1.0), w));
        y = ir!(b, fmul(fsub(1.0, fmul(fadd(y, ty), sy)), w));
    } else {
        if flags & position::X_LEFT != 0 {
            x = l.b.fneg(x);
        }
        if flags & position::Y_DOWN != 0 {
            y = l.b.fneg(y);
        }
    }
    if flags & position::DEPTH_FROM_MINUS_W != 0 {
        let b = &mut l.b;
        z = ir!(b, fmul(fadd(z, w), 0.5));
    }
    let value = l.b.construct(&[x, y, z, w]);
    if mirrors(l) {
        let [kept, _] = chosen(l);
        l.b.store(kept, value);
    } else {
        let at = output(l, OutputAt::Position, Type::F32X4);
        l.b.store_output(at, value);
    }
    if flags & position::POINTS != 0 && l.source.registers.vs_out_cntl & USE_POINT_SIZE == 0 {
        let draw = l.draw_words(0);
        let size = l.b.extract(draw, 3);
        let size = l.b.cast(size, Kind::Float);
        let at = output(l, OutputAt::PointSize, Type::F32);
        l.b.store_output(at, size);
    }
}

/// Lanes of clip distances 0 to 3 and 4 to 7 that a program of the vertex stage exports.
pub fn clip_distances(source: &Source) -> [u8; 2] {
    let (control, formats) = (source.registers.vs_out_cntl, source.registers.pos_format);
    let exports = (1..4).filter(|n| formats >> (4 * n) & 15 != 0).count();
    let exported = (0..3).filter(|&n| control & VECTORS[n] != 0).take(exports);
    let mut lanes = [0; 2];
    for vector in exported.filter(|n| *n > 0) {
        lanes[vector - 1] = (32 - (control >> (4 * (vector - 1)) & 15).leading_zeros()) as u8;
    }
    lanes
}

/// Position exports 1 to 3, by their number less one: those vectors that are enabled, one after the other.
fn vector_behind_position(l: &mut Lifter, inst: &Inst, number: u8) {
    let control = l.source.registers.vs_out_cntl;
    let mut enabled = (0..3).filter(|&n| control & VECTORS[n] != 0);
    match enabled.nth(number.into()) {
        Some(0) => miscellaneous(l, inst, control),
        Some(n) => distances(l, inst, control, n as u8 - 1),
        None => {}
    }
}

fn miscellaneous(l: &mut Lifter, inst: &Inst, control: u32) {
    let outputs = [
        (USE_POINT_SIZE, 0, OutputAt::PointSize, Type::F32),
        (USE_LAYER, 2, OutputAt::Layer, Type::I32),
        (USE_VIEWPORT, 3, OutputAt::ViewportIndex, Type::I32),
    ];
    for (bit, n, at, ty) in outputs {
        if control & bit != 0 && inst.src[n].is_some() {
            let mut value = component(l, inst, n);
            if at == OutputAt::ViewportIndex {
                // There are sixteen; the host wants no number beyond.
                let b = &mut l.b;
                value = ir!(b, iand(value, 15));
                if mirrors(l) {
                    let [_, kept] = chosen(l);
                    l.b.store(kept, value);
                }
            }
            let output = output(l, at, ty);
            l.b.store_output(output, value);
        }
    }
}

/// Whether which way a position is mirrored depends on the viewport, which may be exported behind it.
fn mirrors(l: &Lifter) -> bool {
    l.b.module().stage == Stage::Vertex && l.source.registers.position & position::MIRRORS != 0
}

/// The position and the number of the viewport, until both are known.
fn chosen(l: &mut Lifter) -> [Var; 2] {
    match l.kept.chosen {
        Some(chosen) => chosen,
        None => *l.kept.chosen.insert([l.b.var("position", Type::F32X4), l.b.var("viewport", Type::I32)]),
    }
}

/// Puts out a position that waits for its viewport.
fn mirror(l: &mut Lifter) {
    if !mirrors(l) {
        return;
    }
    let [position, viewport] = chosen(l).map(|kept| l.b.load(kept));
    let draw = l.draw_words(0);
    let b = &mut l.b;
    let ways = b.extract(draw, 2);
    let ways = b.cast(ways, Kind::Int);
    let [x, y, z, w] = [0, 1, 2, 3].map(|n| b.extract(position, n));
    let x_way = ir!(b, fsub(1.0, i2f(iand(ishl(ushr(ways, viewport), 1), 2))));
    let y_way = ir!(b, fsub(1.0, i2f(iand(ushr(ways, iadd(viewport, 15)), 2))));
    let (x, y) = (ir!(b, fmul(x, x_way)), ir!(b, fmul(y, y_way)));
    let value = b.construct(&[x, y, z, w]);
    let at = output(l, OutputAt::Position, Type::F32X4);
    l.b.store_output(at, value);
}

/// Four distances, of clip planes, cull planes, or some of each.
fn distances(l: &mut Lifter, inst: &Inst, control: u32, vector: u8) {
    let parts = [0, 1, 2, 3].map(|n| component(l, inst, n));
    let first = 4 * vector;
    for (enabled, at) in [
        (control >> first & 15, OutputAt::ClipDistance(first)),
        (control >> (8 + first) & 15, OutputAt::CullDistance(first)),
    ] {
        if enabled == 0 {
            continue;
        }
        let b: &mut Builder = &mut l.b;
        let lanes = 32 - enabled.leading_zeros() as usize;
        // A distance of zero is inside.
        let zero = b.f32(0.0);
        let chosen: SmallVec<[Value; 4]> = parts[..lanes]
            .iter()
            .enumerate()
            .map(|(n, &part)| if enabled >> n & 1 != 0 { b.cast(part, Kind::Float) } else { zero })
            .collect();
        let value = b.construct(&chosen);
        let output = output(l, at, Type::new(Kind::Float, lanes as u8));
        l.b.store_output(output, value);
    }
}
