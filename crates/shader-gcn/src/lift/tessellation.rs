//! What tessellation's programs begin with. Local and hull programs are dispatches with a work group for each patch; a domain
//! program is a vertex stage that gets its points from memory. Thread groups of the hardware, which have several patches, are what
//! the data share, off-chip memory and factors are divided by, so their numbers are computed here.
//!
//! Registers: `docs/sources/gcn.md#registers-at-the-start`; the order of the offsets in scalar registers is that of RADV's shader
//! arguments.

use afterimage_ir::{InputAt, Kind, Value};

use super::Lifter;
use super::data_share::DataShare;
use super::inputs::builtin;
use super::vector::arithmetic::advance;
use super::vector::notation::ir;
use crate::io::{HwStage, Source, vgt};
use crate::resources::{stream_out_count, user_count};

/// Lanes of a patch: control points that the stage has of it.
pub(super) fn corners(source: &Source) -> u32 {
    let shift = if source.stage == HwStage::Ls { 8 } else { 14 };
    (source.registers.vgt[vgt::LS_HS] >> shift & 63).max(1)
}

/// Patches of a thread group.
fn patches(source: &Source) -> i32 {
    (source.registers.vgt[vgt::LS_HS] & 255).max(1) as i32
}

/// Which patch a work group is for.
struct Patch {
    /// Among those of its thread group.
    relative: Value,
    /// The thread group, among those of the dispatch.
    group: Value,
    /// Among those of the dispatch.
    in_dispatch: Value,
    /// Among those of the instance.
    in_instance: Value,
}

fn patch(l: &mut Lifter<'_>, draw: Value) -> Patch {
    let group = builtin(&mut l.b, InputAt::WorkgroupId);
    let count = patches(l.source);
    let b = &mut l.b;
    let (in_dispatch, first) = (b.extract(group, 0), b.extract(draw, 2));
    let first = b.cast(first, Kind::Int);
    let group = ir!(b, udiv(in_dispatch, { b.i32(count) }));
    let relative = ir!(b, isub(in_dispatch, imul(group, { b.i32(count) })));
    Patch { relative, group, in_dispatch, in_instance: b.iadd(in_dispatch, first) }
}

/// Component `n` of the draw's words.
fn word(l: &mut Lifter<'_>, draw: Value, n: u8) -> Value {
    let word = l.b.extract(draw, n);
    l.b.cast(word, Kind::Int)
}

/// Gives the program its thread group's window of the data share.
pub(super) fn open_window(l: &mut Lifter<'_>, group: Value) {
    let Some(buffer) = l.analysis.share else { return };
    let words = l.buffer_words(buffer);
    let b = &mut l.b;
    let base = b.resize(words, 2);
    let base = b.cast(base, Kind::Int);
    let [all, size] = [2, 3].map(|n| b.extract(words, n));
    let [all, size] = [all, size].map(|word| b.cast(word, Kind::Int));
    let start = b.imul(group, size);
    let left = ir!(b, isub(umax(all, start), start));
    let bytes = b.umin(left, size);
    l.share = DataShare::Window { base: advance(b, base, start), bytes };
}

/// Words at a byte offset of what the tessellator gives; zeros behind its end.
fn given(l: &mut Lifter<'_>, offset: Value, lanes: u8) -> Value {
    let Some(buffer) = l.analysis.tessellator else { return super::format::zeros(&mut l.b, lanes) };
    let words = l.buffer_words(buffer);
    let b = &mut l.b;
    let base = b.resize(words, 2);
    let base = b.cast(base, Kind::Int);
    let bytes = b.extract(words, 2);
    let bytes = b.cast(bytes, Kind::Int);
    DataShare::Window { base, bytes }.load(b, offset, lanes)
}

/// v0 the vertex, v1 its place among those of the thread group, by which programs address the data share, v2 and v3 the instance.
/// (Names of v1 elsewhere speak of a patch; RADV's code multiplies it by the bytes of a vertex.)
pub(super) fn start_local(l: &mut Lifter<'_>) {
    let draw = l.draw_words(0);
    let patch = patch(l, draw);
    open_window(l, patch.group);
    let lane = builtin(&mut l.b, InputAt::LocalIndex);
    let count = corners(l.source) as i32;
    let b = &mut l.b;
    let at = ir!(b, ishl(iadd(imul({ patch.in_dispatch }, { b.i32(count) }), lane), 2));
    let index = given(l, at, 1);
    let first = word(l, draw, 0);
    let b = &mut l.b;
    let index = b.cast(index, Kind::Int);
    let vertex = b.iadd(index, first);
    let instance = word(l, draw, 1);
    l.set_vgpr_always(0, vertex);
    let b = &mut l.b;
    let place = ir!(b, iadd(imul({ patch.relative }, { b.i32(count) }), lane));
    l.set_vgpr_always(1, place);
    let step = l.source.registers.step_rates[0].max(1) as i32;
    let stepped = if step > 1 {
        let step = l.b.i32(step);
        l.b.udiv(instance, step)
    } else {
        instance
    };
    l.set_vgpr_always(2, stepped);
    l.set_vgpr_always(3, instance);
}

/// v0 the patch, v1 the patch in its thread group with the control point; behind the user data the offsets of the thread group in
/// off-chip memory, where `OC_LDS_EN` asks for it, and among the factors.
pub(super) fn start_hull(l: &mut Lifter<'_>) {
    let draw = l.draw_words(0);
    let patch = patch(l, draw);
    open_window(l, patch.group);
    let first = user_count(&l.source.registers);
    let next = set_off_chip(l, first, draw, patch.group);
    let bytes = word(l, draw, 1);
    let factors = l.b.imul(patch.group, bytes);
    l.set_sgpr(next, factors);
    let lane = builtin(&mut l.b, InputAt::LocalIndex);
    let b = &mut l.b;
    let packed = ir!(b, ior(ishl(lane, 8), { patch.relative }));
    l.set_vgpr_always(0, patch.in_instance);
    l.set_vgpr_always(1, packed);
}

/// Sets the offset in off-chip memory, where it is asked for, in scalar register `next`; gives the one behind.
fn set_off_chip(l: &mut Lifter<'_>, next: u8, draw: Value, group: Value) -> u8 {
    if l.source.registers.rsrc2 >> 7 & 1 == 0 {
        return next;
    }
    let bytes = word(l, draw, 0);
    let offset = l.b.imul(group, bytes);
    l.set_sgpr(next, offset);
    next + 1
}

/// A domain program that draws.
pub(super) fn start_domain(l: &mut Lifter<'_>) {
    super::geometry::start_uncaptured(l);
    let vertex = builtin(&mut l.b, InputAt::VertexIndex);
    let registers = &l.source.registers;
    let next = user_count(registers) + stream_out_count(registers.rsrc2);
    start_point(l, vertex, next);
}

/// v0 and v1 where a point lies, v2 the patch in its thread group, v3 the patch; in scalar register `next` the offset in off-chip
/// memory, where it is asked for.
pub(super) fn start_point(l: &mut Lifter<'_>, point: Value, next: u8) {
    let draw = l.draw_words(0);
    let b = &mut l.b;
    let at = ir!(b, ishl(point, 4));
    let point = given(l, at, 4);
    let b = &mut l.b;
    let packed = b.extract(point, 2);
    let packed = b.cast(packed, Kind::Int);
    let (relative, group) = (ir!(b, iand(packed, 255)), ir!(b, ushr(packed, 8)));
    // In front of a geometry shader on the chip it is the subgroup's, which is open.
    if !l.source.is_on_chip() {
        open_window(l, group);
    }
    set_off_chip(l, next, draw, group);
    for n in [0, 1, 3] {
        let value = l.b.extract(point, n);
        l.set_vgpr_always(n, value);
    }
    l.set_vgpr_always(2, relative);
}
