//! Buffers: MUBUF and MTBUF; and memory by its guest address, FLAT, which `windows` finds.
//!
//! Addresses and range checks after AMD's "Sea Islands Instruction Set Architecture", sections 8.1.5 and 8.1.6: a buffer with a stride
//! has records, and an index beyond them is out of range; one without counts in bytes. What is out of range reads as zero and is not
//! written. Every access is checked against the bytes that the renderer lets the program have, whatever the descriptor says.
//!
//! A buffer whose descriptor adds the lane's number and swizzles is private memory of each lane (scratch): it is an array
//! variable here, and the lane's number and the wave's offset play no part. Geometry stages write their rings through such
//! descriptors, so there it is memory.

use afterimage_ir::{AtomicOp, Builder, Kind, MAX_ARRAY, Mask, Type, Value};
use smallvec::SmallVec;

use super::atomics::{atomic_op, split};
use super::flow::{Block, Flow};
use super::format::{self, Format};
use super::registers::VGPRS;
use super::vector::arithmetic::advance;
use super::vector::integer::{align, insert};
use super::vector::notation::{ir, keep_if};
use super::vector::write;
use super::{Lifter, Reason, geometry, run_time, windows};
use crate::inst::{Buffer, Inst, Operand};
use crate::io::BufferSpec;
use crate::resources::Use;
use crate::tables::{Atomic, Encoding, Kind as Sort, Ty};

/// Words of scratch that a lane has where nobody says.
const SCRATCH_WORDS: u32 = 1024;
/// Most words of scratch: what arrays may have, but for one of all vector registers.
const MOST_SCRATCH_WORDS: u32 = MAX_ARRAY - VGPRS;

/// What a V#'s constant bits say.
#[derive(Clone, Copy)]
struct Shape(BufferSpec);

impl Shape {
    /// Bytes of the bound buffer before the first of the V#'s.
    fn inside_word(self) -> u32 {
        self.0.word1 & 3
    }
    fn stride(self) -> u32 {
        self.0.word1 >> 16 & 0x3fff
    }
    fn swizzled(self) -> bool {
        self.0.word1 >> 31 != 0
    }
    fn selects(self) -> u32 {
        self.0.word3 & 0xfff
    }
    fn number_format(self) -> u32 {
        self.0.word3 >> 12 & 7
    }
    fn data_format(self) -> u32 {
        self.0.word3 >> 15 & 15
    }
    fn element_size(self) -> u32 {
        2 << (self.0.word3 >> 19 & 3)
    }
    fn index_stride(self) -> u32 {
        8 << (self.0.word3 >> 21 & 3)
    }
    fn adds_lane(self) -> bool {
        self.0.word3 >> 23 & 1 != 0
    }
    /// Whether it is private memory, or a ring.
    fn is_scratch(self) -> bool {
        self.adds_lane() && self.swizzled()
    }
}

/// Where an access goes.
pub(super) struct Place {
    /// Device address of the buffer.
    pub base: Value,
    /// Byte offset from there.
    pub offset: Value,
    /// Bytes that may be accessed from the base on.
    pub bytes: Value,
    /// What else must hold.
    pub condition: Option<Value>,
    /// Whether the offset may be no multiple of four.
    pub odd: bool,
}

impl Place {
    /// Whether `size` bytes, `ahead` bytes further on, may be accessed.
    pub(super) fn inside(&self, b: &mut Builder, ahead: u32, size: u32) -> Value {
        let last = b.i32((ahead + size - 1) as i32);
        // The bytes less those behind the first one, but not below 0.
        let limit = ir!(b, isub(umax({ self.bytes }, last), last));
        let inside = b.ult(self.offset, limit);
        match self.condition {
            Some(condition) => b.band(inside, condition),
            None => inside,
        }
    }

    pub(super) fn address(&self, b: &mut Builder, ahead: u32) -> Value {
        let offset = if ahead == 0 { self.offset } else { ir!(b, iadd({ self.offset }, { b.i32(ahead as i32) })) };
        advance(b, self.base, offset)
    }
}

/// Whether a program may read again and again what another work group stores: by loads that go past caches, in loops.
pub(super) fn waits_for_others(flow: &Flow) -> bool {
    let blocks = flow.blocks.iter().enumerate();
    let back = |(n, block): (usize, &Block)| {
        let targets = block.exit.targets().into_iter().map(|to| to as usize);
        targets.filter(|to| *to <= n).map(|to| flow.blocks[to].first..block.end).collect::<SmallVec<[_; 2]>>()
    };
    blocks.flat_map(back).any(|loop_| flow.insts[loop_].iter().any(Inst::loads_shared_memory))
}

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter, inst: &Inst) {
    let Some(fields) = inst.buffer() else {
        let address = l.read64(inst.src[0], Ty::U64);
        return by_address(l, inst, address, inst.flat().is_some_and(|fields| fields.tfe));
    };
    if inst.kind() == Sort::Control {
        return l.b.memory_barrier();
    }
    // Into the data share goes a word.
    let is_word = matches!(inst.kind(), Sort::Load { bytes: ..=4, .. } | Sort::LoadFormat { components: 1 });
    if fields.lds && !is_word {
        return l.fail(Reason::Unsupported("this access of a buffer"));
    }
    if fields.tfe {
        l.warn("the residency of what is loaded");
    }
    match l.analysis.uses[l.at] {
        Use::Base(base) => {
            let base = base.map(|word| l.delivered(word));
            let address = address(l, inst, fields, base);
            return by_address(l, inst, address, fields.tfe);
        }
        Use::Registers if fields.addr64 => {
            let base = l.read64(inst.srsrc(), Ty::U64);
            let base = [0, 1].map(|half| l.b.extract(base, half));
            let address = address(l, inst, fields, base);
            return by_address(l, inst, address, fields.tfe);
        }
        Use::Registers => return run_time::lift(l, inst, fields),
        _ => {}
    }
    let Some(buffer) = l.buffer() else { return l.fail(Reason::unresolved("the buffer", inst.srsrc())) };
    let shape = Shape(buffer.spec);
    if shape.is_scratch() && !geometry::is_geometry(l.source.stage) {
        return scratch(l, inst, fields);
    }
    let place = place(l, inst, fields, buffer.index, shape);
    match inst.kind() {
        Sort::LoadFormat { components } => {
            let format = format_of(inst, fields, shape);
            let value = load_format(&mut l.b, &place, format, shape.selects(), components);
            write_result(l, inst, value, fields.tfe);
        }
        Sort::StoreFormat { components } => {
            let Some(format) = format_of(inst, fields, shape) else { return };
            let data = data(l, inst, components);
            guarded(l, &place, format.bytes(), |b| {
                let components = format::words(b, data);
                let words = format.pack(b, &components);
                let value = b.construct(&words);
                store(b, &place, format.bytes(), value, format.alignment() < 4);
            });
        }
        _ if unformatted(l, inst, &place, shape.stride() == 0, fields.tfe) => {}
        _ => l.fail(Reason::Unsupported("this access of a buffer")),
    }
}

/// Memory by its guest address. What is not mapped, as are the apertures of the data share and of private memory, reads as zero.
fn by_address(l: &mut Lifter, inst: &Inst, address: Value, residency: bool) {
    let Some(place) = windows::find(l, address) else {
        return l.fail(Reason::Unsupported("memory by guest address without windows"));
    };
    if !unformatted(l, inst, &place, false, residency) {
        l.fail(Reason::Unsupported("this access of memory by guest address"));
    }
}

/// Bytes and words as they are: loads, stores, atomic operations. `each` word of a load is checked by itself, or all together. Gives
/// whether the instruction is one of these.
pub(super) fn unformatted(l: &mut Lifter, inst: &Inst, place: &Place, each: bool, residency: bool) -> bool {
    match inst.kind() {
        Sort::Load { bytes, signed } => {
            let value = match bytes {
                1 | 2 => load_part(&mut l.b, place, bytes, signed),
                _ => load_words(&mut l.b, place, bytes / 4, each),
            };
            write_result(l, inst, value, residency);
        }
        Sort::Store { bytes } => {
            let value = data(l, inst, bytes.div_ceil(4));
            guarded(l, place, bytes.into(), |b| store(b, place, bytes.into(), value, false));
        }
        Sort::Atomic(op) => atomic(l, inst, place, op),
        _ => return false,
    }
    true
}

/// The guest address that an access of a buffer names: the descriptor's, the lane's and the instruction's together.
fn address(l: &mut Lifter, inst: &Inst, fields: Buffer, [low, high]: [Value; 2]) -> Value {
    let lane = l.read64(inst.src[0], Ty::U64);
    let soffset = l.read(inst.soffset());
    let b = &mut l.b;
    let high = ir!(b, iand(high, 0xffff));
    let base = b.construct(&[low, high]);
    let base = b.cast(base, Kind::Int);
    let more = ir!(b, iadd(soffset, { b.i32(fields.offset.into()) }));
    let base = advance(b, base, more);
    let (low, high) = (b.extract(lane, 0), b.extract(lane, 1));
    let near = advance(b, base, low);
    let (low, near) = (b.extract(near, 0), b.extract(near, 1));
    let high = b.iadd(near, high);
    b.construct(&[low, high])
}

/// The source with what is stored, or what an atomic operation takes.
fn data_source(inst: &Inst) -> usize {
    if inst.enc == Encoding::Flat { 1 } else { 3 }
}

/// What is stored: `count` words.
pub(super) fn data(l: &mut Lifter, inst: &Inst, count: u8) -> Value {
    let words = l.read_words(inst.src[data_source(inst)], count);
    l.b.construct(&words)
}

fn format_of(inst: &Inst, fields: Buffer, shape: Shape) -> Option<Format> {
    match inst.enc {
        Encoding::Mtbuf => Format::new(fields.dfmt.into(), fields.nfmt.into()),
        _ => Format::new(shape.data_format(), shape.number_format()),
    }
}

/// Writes what was loaded; the word of residency says that all of it was there.
pub(super) fn write_result(l: &mut Lifter, inst: &Inst, value: Value, residency: bool) {
    if let Some(fields) = inst.buffer()
        && fields.lds
    {
        let word = l.b.extract(value, 0);
        return super::lds::store_by_lane(l, fields.offset, word);
    }
    write(l, inst, value);
    if residency && let Some(Operand::Vgpr(n)) = inst.dst.word(l.b.ty(value).lanes) {
        let zero = l.b.i32(0);
        l.set_vgpr(n, zero);
    }
}

/// A condition, and that exec is set.
pub(super) fn and_exec(l: &mut Lifter, condition: Value) -> Value {
    if l.exec_known() {
        return condition;
    }
    let exec = l.exec();
    l.b.band(condition, exec)
}

/// Does something where exec is set and `size` bytes may be accessed.
pub(super) fn guarded(l: &mut Lifter, place: &Place, size: u32, act: impl FnOnce(&mut Builder)) {
    let inside = place.inside(&mut l.b, 0, size);
    let condition = and_exec(l, inside);
    l.b.begin_if(condition);
    act(&mut l.b);
    l.b.end_if();
}

/// Byte offset within the record or buffer, and the index; either may be missing.
pub(super) fn offset_and_index(l: &mut Lifter, inst: &Inst, fields: Buffer) -> (Value, Option<Value>) {
    let mut register = inst.src[0];
    let mut next = |l: &mut Lifter| {
        let value = l.read(register);
        register = register.word(1).unwrap_or(Operand::Int(0));
        value
    };
    let index = fields.idxen.then(|| next(l));
    let offset = fields.offen.then(|| next(l));
    let constant = l.b.i32(fields.offset.into());
    let offset = match offset {
        Some(offset) if fields.offset == 0 => offset,
        Some(offset) => l.b.iadd(offset, constant),
        None => constant,
    };
    (offset, index)
}

fn place(l: &mut Lifter, inst: &Inst, fields: Buffer, number: u32, shape: Shape) -> Place {
    let descriptor = l.buffer_words(number);
    let soffset = l.read(inst.soffset());
    let no_soffset = inst.soffset() == Operand::Int(0);
    let stride = shape.stride();
    let odd = (stride | u32::from(fields.offset) | shape.inside_word()) & 3 != 0;
    let b = &mut l.b;
    let base = b.resize(descriptor, 2);
    let base = b.cast(base, Kind::Int);
    let bytes = b.extract(descriptor, 2);
    let sum = |b: &mut Builder, offset: Value| {
        let offset = if no_soffset { offset } else { b.iadd(offset, soffset) };
        match shape.inside_word() {
            0 => offset,
            inside => ir!(b, iadd(offset, { b.i32(inside as i32) })),
        }
    };
    let (offset, index) = offset_and_index(l, inst, fields);
    let index = if shape.adds_lane() {
        let of_guest = geometry::is_geometry(l.source.stage);
        let lane = if of_guest { geometry::lane_of_wave(l) } else { l.b.lane_index() };
        Some(index.map_or(lane, |index| l.b.iadd(index, lane)))
    } else {
        index
    };
    let b = &mut l.b;
    if stride == 0 && shape.is_scratch() {
        // A ring: the wave's lanes side by side, one element of each after the other.
        let index = index.unwrap_or_else(|| b.i32(0));
        let offset = swizzle(b, shape, offset, index);
        return Place { base, offset: sum(b, offset), bytes, condition: None, odd };
    }
    if stride == 0 {
        return Place { base, offset: sum(b, offset), bytes, condition: None, odd };
    }
    let records = b.extract(descriptor, 3);
    let index = match index {
        Some(index) => index,
        None => b.i32(0),
    };
    let condition = Some(b.ult(index, records));
    let offset = if shape.swizzled() {
        swizzle(b, shape, offset, index)
    } else {
        ir!(b, iadd(imul(index, { b.i32(stride as i32) }), offset))
    };
    Place { base, offset: sum(b, offset), bytes, condition, odd }
}

/// Byte offset in a swizzled buffer, in which elements of `index_stride` records lie side by side.
fn swizzle(b: &mut Builder, shape: Shape, offset: Value, index: Value) -> Value {
    let (stride, element, step) = (shape.stride() as i32, shape.element_size() as i32, shape.index_stride() as i32);
    // Sizes of elements and steps of indices are powers of two.
    let rows = ir!(b, imul(ushr(index, { b.i32(step.ilog2() as i32) }), { b.i32(stride) }));
    let row = ir!(b, iadd(rows, iand(offset, { b.i32(-element) })));
    let column = ir!(b, imul(iand(index, { b.i32(step - 1) }), { b.i32(element) }));
    let inner = ir!(b, iand(offset, { b.i32(element - 1) }));
    ir!(b, iadd(iadd(imul(row, { b.i32(step) }), column), inner))
}

/// `size` 1 or 2 bytes, extended to a word.
fn load_part(b: &mut Builder, place: &Place, size: u8, signed: bool) -> Value {
    let inside = place.inside(b, 0, size.into());
    let address = place.address(b, 0);
    let word = load_if(b, inside, address, 1);
    part(b, word, address, size, signed)
}

/// The byte or half of a word that an address names.
fn part(b: &mut Builder, word: Value, address: Value, size: u8, signed: bool) -> Value {
    let low = b.extract(address, 0);
    let select = b.i32(if size == 1 { 3 } else { 2 });
    let shift = ir!(b, ishl(iand(low, select), 3));
    let bits = b.i32(8 * i32::from(size));
    if signed { b.ibfe(word, shift, bits) } else { b.ubfe(word, shift, bits) }
}

pub(super) fn load_if(b: &mut Builder, condition: Value, address: Value, lanes: u8) -> Value {
    b.if_else(condition, |b| b.load_global(address, lanes), |b| format::zeros(b, lanes))
}

/// Words, those out of range being zero. Without a stride each word is checked by itself.
fn load_words(b: &mut Builder, place: &Place, count: u8, each: bool) -> Value {
    let whole = place.inside(b, 0, 4 * u32::from(count));
    let address = place.address(b, 0);
    if count == 1 || !each {
        return load_if(b, whole, address, count);
    }
    b.if_else(
        whole,
        |b| b.load_global(address, count),
        |b| {
            // The last word is out of range, or all of them would not be.
            let mut words: SmallVec<[Value; 4]> = (0..u32::from(count) - 1)
                .map(|n| {
                    let inside = place.inside(b, 4 * n, 4);
                    let address = place.address(b, 4 * n);
                    load_if(b, inside, address, 1)
                })
                .collect();
            words.push(format::zeros(b, 1));
            b.construct(&words)
        },
    )
}

pub(super) fn load_format(
    b: &mut Builder,
    place: &Place,
    format: Option<Format>,
    selects: u32,
    components: u8,
) -> Value {
    let Some(format) = format else { return format::zeros(b, components) };
    let inside = place.inside(b, 0, format.bytes());
    let address = place.address(b, 0);
    let count = format.bytes().div_ceil(4) as u8;
    let loaded = load_if(b, inside, address, count);
    let mut words = format::words(b, loaded);
    let low = b.extract(address, 0);
    if place.odd && format.alignment() < format.bytes().min(4) {
        // The last of the texel may lie in the word behind, which is there only then.
        let shift = ir!(b, ishl(iand(low, 3), 3));
        let room = b.i32((32 * u32::from(count) - 8 * format.bytes()) as i32);
        let beyond = ir!(b, band(inside, ult(room, shift)));
        let address = place.address(b, 4 * u32::from(count));
        words.push(load_if(b, beyond, address, 1));
        words = words.windows(2).map(|pair| align(b, pair[1], pair[0], shift)).collect();
    } else if format.bytes() < 4 {
        let shift = ir!(b, ishl(iand(low, 3), 3));
        words[0] = b.ushr(words[0], shift);
    }
    let unpacked = format.unpack(b, &words);
    // Out of range even what would be one is zero.
    let selected = format::select(b, format, &unpacked, selects, components.into());
    let value = b.construct(&selected);
    let ones = (0..components).any(|n| selects >> (3 * u32::from(n)) & 7 == 1)
        || unpacked.len() < 4 && (0..components).any(|n| selects >> (3 * u32::from(n)) & 7 == 7);
    if ones || !format.has_zero() { keep_if(b, inside, value) } else { value }
}

/// Stores words, or the low bytes of one, in range. `anywhere`: words need not lie at multiples of four.
pub(super) fn store(b: &mut Builder, place: &Place, size: u32, value: Value, anywhere: bool) {
    let address = place.address(b, 0);
    if size >= 4 && !(anywhere && place.odd) {
        b.store_global(address, value);
        return;
    }
    // Bytes beside those stored may be another lane's business at the same time.
    let low = b.extract(address, 0);
    let select = b.i32(if size == 2 && !anywhere { 2 } else { 3 });
    let shift = ir!(b, ishl(iand(low, select), 3));
    if size < 4 {
        let mask = b.i32((u32::MAX >> (32 - 8 * size)) as i32);
        let value = b.iand(value, mask);
        let (near, near_mask) = (b.ishl(value, shift), b.ishl(mask, shift));
        b.atomic_global(AtomicOp::MaskOr, address, &[near, near_mask]);
        if size > 1 && anywhere && place.odd {
            let across = ir!(b, ult({ b.i32((32 - 8 * size) as i32) }, shift));
            b.begin_if(across);
            let (value, mask) = (ir!(b, ushr(value, ineg(shift))), ir!(b, ushr(mask, ineg(shift))));
            let address = place.address(b, 4);
            b.atomic_global(AtomicOp::MaskOr, address, &[value, mask]);
            b.end_if();
        }
        return;
    }
    let aligned = ir!(b, ieq(shift, 0));
    b.begin_if(aligned);
    b.store_global(address, value);
    b.begin_else();
    // Each word lies across two; the last of these gets what is left.
    let ones = b.i32(-1);
    let mut rest: Option<(Value, Value)> = None;
    let words = format::words(b, value);
    for n in 0..=words.len() {
        let low = words.get(n).map(|&word| (b.ishl(word, shift), b.ishl(ones, shift)));
        let (value, mask) = match (low, rest) {
            (Some((value, mask)), Some((high, above))) => (b.ior(value, high), b.ior(mask, above)),
            (Some(part), None) | (None, Some(part)) => part,
            (None, None) => break,
        };
        let address = place.address(b, 4 * n as u32);
        b.atomic_global(AtomicOp::MaskOr, address, &[value, mask]);
        rest = words.get(n).map(|&word| (ir!(b, ushr(word, ineg(shift))), ir!(b, ushr(ones, ineg(shift)))));
    }
    b.end_if();
}

fn atomic(l: &mut Lifter, inst: &Inst, place: &Place, op: Atomic) {
    let Some(op) = atomic_op(op) else { return l.fail(Reason::Unsupported("this atomic operation on a buffer")) };
    let total = inst.src_dwords(data_source(inst));
    let lanes = total / op.operands() as u8;
    let data = data(l, inst, total);
    let operands = split(&mut l.b, data, lanes);
    let inside = place.inside(&mut l.b, 0, 4 * u32::from(lanes));
    let condition = and_exec(l, inside);
    let b = &mut l.b;
    let address = place.address(b, 0);
    let old = b.if_else(
        condition,
        |b| b.atomic_global(op, address, &operands),
        |b| b.const_bits(Type::new(Kind::Int, lanes), [0; 4]),
    );
    if inst.returns() {
        write(l, inst, old);
    }
}

/// An access of private memory.
fn scratch(l: &mut Lifter, inst: &Inst, fields: Buffer) {
    let var = match l.kept.scratch {
        Some(var) => var,
        None => {
            let words = match l.source.registers.scratch {
                0 => SCRATCH_WORDS,
                words => words,
            };
            if words > MOST_SCRATCH_WORDS {
                l.warn("private memory of more than 15 KiB for a lane");
            }
            let words = words.min(MOST_SCRATCH_WORDS);
            *l.kept.scratch.insert(l.b.var_array("scratch", Type::I32, words))
        }
    };
    let (offset, _) = offset_and_index(l, inst, fields);
    let soffset = l.read(inst.soffset());
    let b = &mut l.b;
    let offset = b.iadd(offset, soffset);
    let word = ir!(b, ushr(offset, 2));
    let at = |b: &mut Builder, n: usize| if n == 0 { word } else { ir!(b, iadd(word, { b.i32(n as i32) })) };
    match inst.kind() {
        Sort::Load { bytes, signed } => {
            let words: SmallVec<[Value; 4]> = (0..usize::from(bytes.div_ceil(4)))
                .map(|n| {
                    let index = at(b, n);
                    b.load_elem(var, index)
                })
                .collect();
            let value = if bytes < 4 { part(b, words[0], offset, bytes, signed) } else { b.construct(&words) };
            write_result(l, inst, value, fields.tfe);
        }
        Sort::Store { bytes } => {
            let data = data(l, inst, bytes.div_ceil(4));
            l.when_active(|l| {
                let b = &mut l.b;
                let mut words = format::words(b, data);
                if bytes < 4 {
                    let old = b.load_elem(var, word);
                    let shift = ir!(b, ishl(iand(offset, 3), 3));
                    let mask = ir!(b, ishl({ b.i32((1 << (8 * i32::from(bytes))) - 1) }, shift));
                    let new = b.ishl(words[0], shift);
                    words[0] = insert(b, mask, new, old);
                }
                for (n, &value) in words.iter().enumerate() {
                    let index = at(b, n);
                    b.store_elem(var, index, Mask(1), value);
                }
            });
        }
        _ => l.fail(Reason::Unsupported("this access of private memory")),
    }
}
