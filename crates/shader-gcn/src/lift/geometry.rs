//! Export and geometry shaders, and vertex shaders where they capture: compute shaders here, one lane for each vertex of a list, or
//! for each primitive and invocation.
//!
//! The guest lists vertices and primitives ([`geometry`]), so that any topology comes to the same. Rings are the guest's buffers:
//! waves lie one behind the other in them, each as its descriptor swizzles it. What geometry shaders tell the hardware with
//! `s_sendmsg` goes into a log that the guest makes indices of.
//!
//! On-chip rings lie in the data share, of which each subgroup of the hardware has a window. What the registers are then is what
//! the code that AMD's LLPC makes for this generation reads (`PatchInOutImportExport`, `PatchCopyShader`): the offsets of waves are
//! in bytes as ever, a lane's part follows the part of the lane in front of it, and the copy shader's offset counts words from
//! where the geometry shader's outputs begin, which only programs know. Which primitives make a subgroup is the guest's to say.
//!
//! Initial registers after `docs/sources/gcn.md#registers-at-the-start`; where vertices lie in the rings after Mesa's radeonsi and
//! RADV, which are the hardware's own rules: the offsets of both are in words, and a geometry shader's outputs lie in rows of 16
//! lanes.

use afterimage_ir::{Builder, InputAt, Kind, Mask, Type, Value, Var};

use super::inputs::{builtin, instances};
use super::tessellation::{open_window, start_point};
use super::vector::arithmetic::advance;
use super::vector::notation::ir;
use super::{Lifter, Reason};
use crate::inst::Inst;
use crate::io::{HwStage, MAX_BUFFERS, Source, geometry};
use crate::resources::{export_offset, user_count};

/// The vector registers of a primitive's vertices.
const VERTICES: [u8; geometry::VERTICES as usize] = [0, 1, 3, 4, 5, 6];

/// What a geometry shader said so far, of each stream, and which lane it is.
#[derive(Clone, Copy)]
pub(super) struct Emission {
    lane: Value,
    streams: [Option<Stream>; geometry::STREAMS],
}

/// How many vertices of a stream were put out, and where strips end.
#[derive(Clone, Copy)]
struct Stream {
    emitted: Var,
    cuts: Var,
}

/// Whether a stage runs for a geometry shader.
pub(super) fn is_geometry(stage: HwStage) -> bool {
    matches!(stage, HwStage::Es | HwStage::Gs)
}

/// Whether a program's lanes are what a list says.
pub(super) fn has_list(source: &Source) -> bool {
    is_geometry(source.stage) || source.captures()
}

/// The lane's number in the guest's wave.
pub(super) fn lane_of_wave(l: &mut Lifter<'_>) -> Value {
    let index = builtin(&mut l.b, InputAt::LocalIndex);
    let b = &mut l.b;
    ir!(b, iand(index, { b.i32(geometry::LANES as i32 - 1) }))
}

fn wave(l: &mut Lifter<'_>) -> Value {
    let group = builtin(&mut l.b, InputAt::WorkgroupId);
    l.b.extract(group, 0)
}

/// The lane's number in the draw. Lanes behind the last do nothing.
fn lane_of_draw(l: &mut Lifter<'_>, count: Value) -> Value {
    let wave = wave(l);
    let lane = lane_of_wave(l);
    let b = &mut l.b;
    let number = ir!(b, iadd(imul(wave, { b.i32(geometry::LANES as i32) }), lane));
    let live = b.ult(number, count);
    return_unless(b, live);
    number
}

fn return_unless(b: &mut Builder, live: Value) {
    let beyond = b.bnot(live);
    b.begin_if(beyond);
    b.return_();
    b.end_if();
}

/// What a lane of an export or geometry shader is for.
struct Work {
    /// The lane's number in the log.
    lane: Value,
    instance: Value,
    /// Where its vertex or primitive lies in the list.
    row: Value,
    /// Which invocation of its primitive it is.
    invocation: Value,
    /// Number of the wave, of those that have a ring in common.
    wave: Value,
}

/// The work of a lane whose vertices or primitives have so many words in the list.
fn work(l: &mut Lifter<'_>, words: u32) -> Work {
    if l.source.is_on_chip() { work_of_subgroup(l, words) } else { work_of_draw(l, words) }
}

/// A lane for each invocation, of export shaders for each vertex.
fn invoked(l: &mut Lifter<'_>, lane: Value) -> (Value, Value) {
    if l.source.stage == HwStage::Gs {
        let [_, invocations] = draw_said(l, 1);
        divided(l, lane, invocations)
    } else {
        (lane, l.b.i32(0))
    }
}

fn work_of_draw(l: &mut Lifter<'_>, words: u32) -> Work {
    let [_, _, length, count] = draw_said(l, 0);
    let lane = lane_of_draw(l, count);
    let (item, invocation) = invoked(l, lane);
    let (instance, at) = divided(l, item, length);
    let wave = wave(l);
    let b = &mut l.b;
    let row = ir!(b, imul(at, { b.i32(words as i32) }));
    Work { lane, instance, row, invocation, wave }
}

/// Where rings lie in the data share, subgroups have whole waves, and lanes the window of theirs. Lanes behind the subgroup's last
/// do nothing.
fn work_of_subgroup(l: &mut Lifter<'_>, words: u32) -> Work {
    let [_, _, subgroups, lanes] = draw_said(l, 0);
    let [most] = draw_said(l, 1);
    let (wave, lane) = (wave(l), lane_of_wave(l));
    let b = &mut l.b;
    let waves = ir!(b, udiv(lanes, { b.i32(geometry::LANES as i32) }));
    let (group, wave) = divided(l, wave, waves);
    let (instance, subgroup) = divided(l, group, subgroups);
    let b = &mut l.b;
    let [words, size] = [words, geometry::LANES].map(|number| b.i32(number as i32));
    let list = ir!(b, imul(subgroup, iadd(imul(most, words), 1)));
    let at = ir!(b, iadd(imul(wave, size), lane));
    let lane = ir!(b, iadd(imul(group, lanes), at));
    let (item, invocation) = invoked(l, at);
    let count = listed(l, list);
    let b = &mut l.b;
    let live = b.ult(item, count);
    return_unless(b, live);
    let row = ir!(b, iadd(iadd(list, 1), imul(item, words)));
    open_window(l, group);
    Work { lane, instance, row, invocation, wave }
}

/// Gives a copy shader the window of its vertex's subgroup; what is left of the index is the vertex's place.
fn open_copied(l: &mut Lifter<'_>, index: Value) -> Value {
    let Some(buffer) = l.analysis.share else { return index };
    let words = l.buffer_words(buffer);
    let b = &mut l.b;
    let bytes = b.extract(words, 3);
    let bytes = b.cast(bytes, Kind::Int);
    let size = ir!(b, umax(ushr(bytes, 2), 1));
    let (group, place) = divided(l, index, size);
    open_window(l, group);
    place
}

/// What a vertex program that draws, or captures, gets for an index.
pub(super) fn of_index(l: &mut Lifter<'_>, index: Value) -> Value {
    if l.source.is_on_chip() { open_copied(l, index) } else { index }
}

/// Address and bytes of one of the buffers behind those of the program.
fn own_buffer(l: &mut Lifter<'_>, which: u32) -> (Value, Value) {
    let register = l.analysis.resources.buffers.len() as u32 + which;
    let words = l.buffer_words(register);
    let b = &mut l.b;
    let address = b.resize(words, 2);
    (b.cast(address, Kind::Int), b.extract(words, 2))
}

/// A word of the list.
fn listed(l: &mut Lifter<'_>, word: Value) -> Value {
    let (base, bytes) = own_buffer(l, geometry::LIST);
    let b = &mut l.b;
    let offset = ir!(b, ishl(word, 2));
    let inside = b.ult(offset, bytes);
    let address = advance(b, base, offset);
    let value = b.if_else(inside, |b| b.load_global(address, 1), |b| b.const_bits(Type::new(Kind::Bits, 1), [0; 4]));
    b.cast(value, Kind::Int)
}

/// A number and what is left, in parts of a size.
fn divided(l: &mut Lifter<'_>, number: Value, size: Value) -> (Value, Value) {
    let b = &mut l.b;
    let whole = b.udiv(number, size);
    let rest = ir!(b, isub(number, imul(whole, size)));
    (whole, rest)
}

/// The offset of a wave's part of a ring, in bytes, where a lane has so many words.
fn wave_offset(l: &mut Lifter<'_>, wave: Value, words: u32) -> Value {
    let b = &mut l.b;
    ir!(b, imul(wave, { b.i32((words & 0x7FFF) as i32 * 4 * geometry::LANES as i32) }))
}

/// Words that a lane has in the ring between both stages.
fn es_words(l: &Lifter<'_>) -> u32 {
    l.source.registers.rings[0] & 0x7FFF
}

fn draw_said<const N: usize>(l: &mut Lifter<'_>, register: u32) -> [Value; N] {
    let words = l.draw_words(register);
    std::array::from_fn(|n| {
        let word = l.b.extract(words, n as u8);
        l.b.cast(word, Kind::Int)
    })
}

/// Checks what both stages must not have.
fn refused(l: &Lifter<'_>) -> Option<Reason> {
    if is_geometry(l.source.stage) && l.source.registers.rsrc2 & 1 != 0 {
        return Some(Reason::Unsupported("private memory of a geometry stage"));
    }
    let most = MAX_BUFFERS - geometry::OWN as usize;
    (l.analysis.resources.buffers.len() > most).then_some(Reason::TooMany { what: "buffers of a geometry stage", most })
}

/// Registers of a vertex shader that stores what it captures, and nothing else: as the hardware has them for a wave of vertices
/// that lie in the order of their primitives.
pub(super) fn start_capture(l: &mut Lifter<'_>) {
    if let Some(reason) = refused(l) {
        return l.fail(reason);
    }
    let [_, stream, length, count] = draw_said(l, 0);
    let number = lane_of_draw(l, count);
    let (instance, at) = divided(l, number, length);
    let vertex = feedback_vertex(l, at);
    let rsrc2 = l.source.registers.rsrc2;
    let wave = wave(l);
    let b = &mut l.b;
    let lanes = b.i32(geometry::LANES as i32);
    let first = b.imul(wave, lanes);
    // How many of the wave's vertices are captured, and of which stream they are.
    let captured = ir!(b, ior(ishl(umin(isub(count, first), lanes), 16), ishl(stream, 24)));
    let mut next = user_count(&l.source.registers);
    l.set_sgpr(next, captured);
    l.set_sgpr(next + 1, first);
    next += 2;
    let bases: [Value; 4] = draw_said(l, 1);
    for (n, base) in bases.into_iter().enumerate() {
        if rsrc2 >> (8 + n) & 1 != 0 {
            l.set_sgpr(next, base);
            next += 1;
        }
    }
    if l.source.is_domain() {
        start_point(l, vertex, next);
    } else {
        let vertex = of_index(l, vertex);
        l.set_vgpr_always(0, vertex);
        instances(l, instance);
    }
}

/// The index of a captured vertex, by its number in its instance: where the topology has it in the run, and what the draw's indices
/// say there.
fn feedback_vertex(l: &mut Lifter<'_>, number: Value) -> Value {
    let [head, scales, even, odd] = draw_said(l, 2);
    let [base, bytes] = draw_said(l, 3);
    let b = &mut l.b;
    let recorded = ir!(b, iand(head, 0xFF));
    let (primitive, corner) = divided(l, number, recorded);
    let b = &mut l.b;
    let shift = ir!(b, ishl(corner, 3));
    let scale = ir!(b, iand(ushr(scales, shift), 0xFF));
    let turned = ir!(b, ine(iand(primitive, 1), 0));
    let places = b.select(turned, odd, even);
    let position = ir!(b, iadd(imul(scale, primitive), iand(ushr(places, shift), 0xFF)));
    let byte = b.imul(position, bytes);
    let word = ir!(b, ushr(byte, 2));
    let word = listed(l, word);
    let b = &mut l.b;
    let rest = ir!(b, ushr(word, ishl(iand(byte, 3), 3)));
    let index = ir!(b, iand(rest, ushr({ b.i32(-1) }, isub(32, ishl(bytes, 3)))));
    let indexed = ir!(b, ine(bytes, 0));
    let index = b.select(indexed, index, position);
    b.iadd(index, base)
}

/// The register of stream-out's configuration where nothing is captured, since that is a pass of its own: which stream copy shaders
/// put out.
pub(super) fn start_uncaptured(l: &mut Lifter<'_>) {
    let registers = &l.source.registers;
    if registers.rsrc2 >> 12 & 1 != 0 {
        let register = user_count(registers);
        let [_, stream] = draw_said(l, 0);
        let b = &mut l.b;
        let configuration = ir!(b, ishl(stream, 24));
        l.set_sgpr(register, configuration);
    }
}

/// Registers of an export shader.
pub(super) fn start_export(l: &mut Lifter<'_>) {
    if let Some(reason) = refused(l) {
        return l.fail(reason);
    }
    let Work { instance, row, wave, .. } = work(l, 1);
    let vertex = listed(l, row);
    let registers = &l.source.registers;
    let first = user_count(registers);
    let next = first + export_offset(registers.rsrc2);
    if l.source.is_domain() {
        start_point(l, vertex, first);
    } else {
        l.set_vgpr_always(0, vertex);
        instances(l, instance);
    }
    let offset = wave_offset(l, wave, es_words(l));
    l.set_sgpr(next, offset);
}

/// Registers of a geometry shader.
pub(super) fn start_geometry(l: &mut Lifter<'_>) {
    if let Some(reason) = refused(l) {
        return l.fail(reason);
    }
    let Work { lane, instance, row, invocation, wave: in_ring } = work(l, geometry::PRIMITIVE);
    let on_chip = l.source.is_on_chip();
    let [vertices] = draw_said(l, 1);
    let words = es_words(l) as i32;
    for (n, register) in VERTICES.into_iter().enumerate() {
        let b = &mut l.b;
        let word = ir!(b, iadd(row, { b.i32(n as i32) }));
        let at = listed(l, word);
        let b = &mut l.b;
        let offset = if on_chip {
            ir!(b, imul(at, { b.i32(words) }))
        } else {
            let at = ir!(b, iadd(at, imul(instance, vertices)));
            let wave = ir!(b, imul(iand(at, { b.i32(-(geometry::LANES as i32)) }), { b.i32(words) }));
            ir!(b, iadd(wave, iand(at, { b.i32(geometry::LANES as i32 - 1) })))
        };
        l.set_vgpr_always(register, offset);
    }
    let b = &mut l.b;
    let word = ir!(b, iadd(row, { b.i32(geometry::VERTICES as i32) }));
    let number = listed(l, word);
    l.set_vgpr_always(2, number);
    l.set_vgpr_always(7, invocation);
    let next = user_count(&l.source.registers);
    let offset = wave_offset(l, in_ring, l.source.registers.rings[1]);
    l.set_sgpr(next, offset);
    let number = wave(l);
    l.set_sgpr(next + 1, number);
    let mut emission = Emission { lane, streams: [None; geometry::STREAMS] };
    for stream in emission.streams.iter_mut().take(streams(l) as usize) {
        let emitted = l.b.var("emitted", Type::I32);
        let cuts = l.b.var_array("cuts", Type::I32, cut_words(l));
        let zero = l.b.i32(0);
        l.b.store(emitted, zero);
        for n in 0..cut_words(l) {
            let index = l.b.i32(n as i32);
            l.b.store_elem(cuts, index, Mask(1), zero);
        }
        *stream = Some(Stream { emitted, cuts });
    }
    l.kept.emission = Some(emission);
}

fn streams(l: &Lifter<'_>) -> u32 {
    l.source.registers.rings[2].clamp(1, geometry::STREAMS as u32)
}

fn most_vertices(l: &Lifter<'_>) -> u32 {
    geometry::most_vertices(l.source.registers.rings[3])
}

fn cut_words(l: &Lifter<'_>) -> u32 {
    geometry::record(l.source.registers.rings[3]) - 1
}

/// `s_sendmsg` to the geometry stage: a vertex is complete, a strip ends, or both; or all is said.
pub(super) fn message(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    let Some(emission) = l.kept.emission else { return Err(Reason::Unsupported("a message to the geometry stage")) };
    let operation = inst.simm >> 4 & 3;
    if operation == 0 {
        return Ok(());
    }
    let Some(emission) = emission.streams[(inst.simm >> 8 & 3) as usize] else {
        l.warn("a vertex of a stream whose vertices have no size");
        return Ok(());
    };
    let most = most_vertices(l) as i32;
    l.when_active(|l| {
        let b = &mut l.b;
        if operation & 2 != 0 {
            let count = b.load(emission.emitted);
            let more = ir!(b, umin(iadd(count, 1), { b.i32(most) }));
            b.store(emission.emitted, more);
        }
        if operation & 1 != 0 {
            let count = b.load(emission.emitted);
            let some = ir!(b, ine(count, 0));
            b.begin_if(some);
            let last = ir!(b, isub(count, 1));
            let word = ir!(b, ushr(last, 5));
            let old = b.load_elem(emission.cuts, word);
            let new = ir!(b, ior(old, ishl(1, iand(last, 31))));
            b.store_elem(emission.cuts, word, Mask(1), new);
            b.end_if();
        }
    });
    Ok(())
}

/// What belongs to the end of a program: the lane's record in the log.
pub(super) fn finish(l: &mut Lifter<'_>) {
    let Some(emission) = l.kept.emission else { return };
    let (base, bytes) = own_buffer(l, geometry::LOG);
    let words = cut_words(l);
    let record = 4 * (1 + words as i32);
    let size = record * streams(l) as i32;
    let b = &mut l.b;
    let size = b.i32(size);
    let offset = b.imul(emission.lane, size);
    let end = b.iadd(offset, size);
    let inside = b.ule(end, bytes);
    b.begin_if(inside);
    let address = advance(b, base, offset);
    for (at, stream) in (0..).zip(emission.streams.iter().flatten()) {
        let count = b.load(stream.emitted);
        let ahead = b.i32(record * at);
        let at_count = advance(b, address, ahead);
        b.store_global(at_count, count);
        for n in 0..words as i32 {
            let ahead = b.i32(record * at + 4 * (1 + n));
            let address = advance(b, address, ahead);
            let index = b.i32(n);
            let value = b.load_elem(stream.cuts, index);
            b.store_global(address, value);
        }
    }
    b.end_if();
}
