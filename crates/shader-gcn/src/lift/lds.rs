//! The data share: DS.
//!
//! The group's share is the memory of the work group. Its limit in M0 counts only in programs that set it to less than all: others
//! set it to all ones. After AMD's "Sea Islands Instruction Set Architecture", chapter 10 and section 12.14.

use afterimage_ir::{AtomicOp, Builder, Kind, Type, Value};
use smallvec::SmallVec;

use super::atomics::atomic_op;
use super::data_share::DataShare;
use super::format::words;
use super::lockstep::before_access;
use super::vector::arithmetic::advance;
use super::vector::notation::ir;
use super::vector::write;
use super::{Lifter, Reason};
use crate::inst::{Ds, Inst, Operand};
use crate::tables::{Atomic, Kind as Sort, Op, Ty, flag};

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter, inst: &Inst) {
    let Some(fields) = inst.ds() else { return };
    if inst.op == Op::DsSwizzleB32 {
        return swizzle(l, inst, fields);
    }
    if fields.gds && l.analysis.global_share.is_some() && inst.accesses_global_share() {
        let own = std::mem::replace(&mut l.share, DataShare::Group);
        open_global(l);
        access(l, inst, fields);
        l.share = own;
        return;
    }
    if matches!(inst.kind(), Sort::Load { .. } | Sort::Store { .. } | Sort::Atomic(_) | Sort::Counter) {
        before_access(l, !matches!(inst.kind(), Sort::Load { .. }));
    }
    access(l, inst, fields);
}

/// Makes the global data share what is accessed, and from there on only the part that M0 says: its base in bits 31:16, its size in bits
/// 15:0, both in bytes. Counters have their place in the upper half of M0 in either share.
fn open_global(l: &mut Lifter) {
    let Some(register) = l.analysis.global_share else { return };
    let (words, m0) = (l.buffer_words(register), l.m0());
    let counts = l.inst().kind() == Sort::Counter;
    let b = &mut l.b;
    let base = b.resize(words, 2);
    let base = b.cast(base, Kind::Int);
    let all = b.extract(words, 2);
    let all = b.cast(all, Kind::Int);
    if counts {
        l.share = DataShare::Window { base, bytes: all };
        return;
    }
    let (start, size) = (ir!(b, ushr(m0, 16)), ir!(b, iand(m0, 0xffff)));
    let left = ir!(b, isub(umax(all, start), start));
    let bytes = b.umin(left, size);
    l.share = DataShare::Window { base: advance(b, base, start), bytes };
}

fn access(l: &mut Lifter, inst: &Inst, fields: Ds) {
    match inst.kind() {
        Sort::Load { bytes, signed } => load(l, inst, fields, bytes, signed),
        Sort::Store { bytes } => store(l, inst, fields, bytes),
        Sort::Atomic(op) => atomic(l, inst, fields, op),
        Sort::Control => {}
        Sort::Counter if inst.op != Op::DsOrderedCount => counter(l, inst, fields),
        Sort::Counter => l.fail(Reason::Unsupported("the ordered count")),
        Sort::Gws => l.fail(Reason::Unsupported("global wave sync")),
        _ => l.fail(Reason::Unsupported("this access of the data share")),
    }
}

/// `lds_direct`: what M0 says, a place in bits 15:0 and a type in bits 18:16, for all lanes.
pub(super) fn direct(l: &mut Lifter) -> Value {
    if matches!(l.share, DataShare::Group) && l.b.module().shared == 0 {
        l.fail(Reason::Unsupported("the operand lds_direct of a program without a data share"));
        return l.b.i32(0);
    }
    before_access(l, false);
    let (share, m0) = (l.share, l.m0());
    let b = &mut l.b;
    let m0 = b.cast(m0, Kind::Int);
    let place = ir!(b, iand(m0, 0xffff));
    let word = share.load(b, place, 1);
    let word = b.cast(word, Kind::Int);
    let shift = ir!(b, ishl(iand(place, 3), 3));
    // Bytes, halves, words; with bit 18 those with signs.
    let size = ir!(b, iand(ushr(m0, 16), 3));
    let bits = ir!(b, umin(ishl(8, size), 32));
    let whole = ir!(b, ieq(bits, 32));
    let (unsigned, signed) = (b.ubfe(word, shift, bits), b.ibfe(word, shift, bits));
    let is_signed = ir!(b, ine(iand(m0, { b.i32(1 << 18) }), 0));
    let part = b.select(is_signed, signed, unsigned);
    let value = b.select(whole, word, part);
    b.cast(value, Kind::Bits)
}

/// Stores a word of each live lane where `M0` and an offset say, one behind the other: loads from buffers into the data share.
pub(super) fn store_by_lane(l: &mut Lifter, offset: u16, value: Value) {
    if matches!(l.share, DataShare::Group) && l.b.module().shared == 0 {
        return l.fail(Reason::Unsupported("the data share of a program that asks for none of it"));
    }
    before_access(l, true);
    let (share, m0) = (l.share, l.m0());
    let b = &mut l.b;
    let m0 = b.cast(m0, Kind::Int);
    let first = ir!(b, iadd(iand(m0, 0xffff), { b.i32(offset.into()) }));
    let lane = b.lane_index();
    let place = ir!(b, iadd(first, ishl(lane, 2)));
    let value = b.cast(value, Kind::Int);
    l.when_active(|l| share.store(&mut l.b, place, value));
}

/// Byte offsets of the places that an instruction accesses: one, or two of `bytes` each.
fn places(l: &mut Lifter, inst: &Inst, fields: Ds, bytes: u8) -> SmallVec<[Value; 2]> {
    let address = l.read(inst.src[0]);
    let step = u32::from(bytes) * if inst.has(flag::STRIDE64) { 64 } else { 1 };
    let offsets: SmallVec<[u32; 2]> = if inst.has(flag::TWO_OFFSETS) {
        [fields.offset0, fields.offset1].iter().map(|&offset| u32::from(offset) * step).collect()
    } else if inst.has(flag::SECOND_SOURCE) {
        SmallVec::from_slice(&[0])
    } else {
        SmallVec::from_slice(&[fields.offset().into()])
    };
    offsets.into_iter().map(|offset| add(&mut l.b, address, offset)).collect()
}

fn add(b: &mut Builder, address: Value, offset: u32) -> Value {
    if offset == 0 { address } else { ir!(b, iadd(address, { b.i32(offset as i32) })) }
}

/// Whether `bytes` from a place on are below the limit, where that is to be asked.
fn inside(l: &mut Lifter, place: Value, bytes: u32) -> Option<Value> {
    // A window checks by itself.
    if matches!(l.share, DataShare::Window { .. }) || !limits_share(l) {
        return None;
    }
    let limit = l.m0();
    let b = &mut l.b;
    let last = b.i32(bytes as i32 - 1);
    Some(ir!(b, ult(place, isub(umax(limit, last), last))))
}

/// Whether the program ever sets M0, in front of accesses of the share, to something else than all ones.
fn limits_share(l: &mut Lifter) -> bool {
    let flow = l.flow;
    *l.kept.limits_share.get_or_insert_with(|| {
        let sets_less = |inst: &Inst| {
            let all = matches!(inst.op, Op::SMovB32 | Op::SMovkI32)
                && inst.src[0].constant(Ty::I32).is_some_and(|bits| bits as u32 >= 0xffff);
            inst.dst == Operand::M0 && !all
        };
        flow.insts.iter().any(sets_less)
    })
}

fn load(l: &mut Lifter, inst: &Inst, fields: Ds, bytes: u8, signed: bool) {
    let mut loaded = SmallVec::<[Value; 4]>::new();
    for place in places(l, inst, fields, bytes) {
        let inside = inside(l, place, bytes.into());
        let (share, b) = (l.share, &mut l.b);
        let mut value = share.load(b, place, bytes.div_ceil(4));
        if bytes < 4 {
            let select = b.i32(if bytes == 1 { 3 } else { 2 });
            let shift = ir!(b, ishl(iand(place, select), 3));
            let bits = b.i32(8 * i32::from(bytes));
            value = if signed { b.ibfe(value, shift, bits) } else { b.ubfe(value, shift, bits) };
        }
        if let Some(inside) = inside {
            value = super::vector::notation::keep_if(b, inside, value);
        }
        loaded.extend(words(b, value));
    }
    if let Operand::Vgpr(n) = inst.dst {
        l.set_vgprs(n, &loaded);
    }
}

/// Does something where exec is set and the places are below the limit.
fn guarded(l: &mut Lifter, place: Value, bytes: u32, act: impl FnOnce(&mut Builder)) {
    let inside = inside(l, place, bytes);
    l.when_active(|l| {
        if let Some(inside) = inside {
            l.b.begin_if(inside);
        }
        act(&mut l.b);
        if inside.is_some() {
            l.b.end_if();
        }
    });
}

fn store(l: &mut Lifter, inst: &Inst, fields: Ds, bytes: u8) {
    let (places, share) = (places(l, inst, fields, bytes), l.share);
    if inst.has(flag::SECOND_SOURCE) {
        let from = second_source(l, inst, places[0], fields);
        let value = share.load(&mut l.b, from, bytes / 4);
        return guarded(l, places[0], bytes.into(), |b| share.store(b, places[0], value));
    }
    for (n, &place) in places.iter().enumerate() {
        let data = data(l, inst, n + 1, bytes.div_ceil(4));
        guarded(l, place, bytes.into(), |b| {
            if bytes >= 4 {
                return share.store(b, place, data);
            }
            // Bytes beside those stored may be another lane's business at the same time.
            let shift = ir!(b, ishl(iand(place, { b.i32(if bytes == 1 { 3 } else { 2 }) }), 3));
            let mask = b.i32((1 << (8 * i32::from(bytes))) - 1);
            let value = ir!(b, ishl(iand(data, mask), shift));
            let mask = b.ishl(mask, shift);
            share.atomic(b, AtomicOp::MaskOr, place, &[value, mask]);
        });
    }
}

/// Source `n` in `count` words.
fn data(l: &mut Lifter, inst: &Inst, n: usize, count: u8) -> Value {
    let words = l.read_words(inst.src[n], count);
    let value = l.b.construct(&words);
    l.b.cast(value, Kind::Int)
}

/// Where the second operand of a `src2` instruction lies: signed words in the offsets, or, with their highest bit, in the upper half
/// of the address.
fn second_source(l: &mut Lifter, inst: &Inst, place: Value, fields: Ds) -> Value {
    let address = l.read(inst.src[0]);
    let b = &mut l.b;
    if fields.offset1 & 0x80 != 0 {
        return ir!(b, iadd(place, ishl(ishr(address, 17), 2)));
    }
    let words = i32::from((fields.offset() << 1) as i16 >> 1);
    add(b, place, (4 * words) as u32)
}

fn atomic(l: &mut Lifter, inst: &Inst, fields: Ds, op: Atomic) {
    let second = inst.has(flag::SECOND_SOURCE);
    // Words of memory that each place has.
    let wide = match (second, inst.src_dwords(1)) {
        (true, _) => inst.op.name().ends_with("64"),
        (false, words) => words == 2,
    };
    let lanes = if wide { 2 } else { 1 };
    let (places, share) = (places(l, inst, fields, 4 * lanes), l.share);
    let mut results = SmallVec::<[Value; 4]>::new();
    for (n, &place) in places.iter().enumerate() {
        let operands: SmallVec<[Value; 2]> = if second {
            let from = second_source(l, inst, place, fields);
            let value = share.load(&mut l.b, from, lanes);
            SmallVec::from_slice(&[l.b.cast(value, Kind::Int)])
        } else if places.len() == 2 {
            SmallVec::from_slice(&[data(l, inst, n + 1, lanes)])
        } else {
            (1..=2).filter(|&n| inst.src[n].is_some()).map(|n| data(l, inst, n, lanes)).collect()
        };
        let inside = inside(l, place, 4 * u32::from(lanes));
        let condition = match (inside, l.exec_known()) {
            (inside, true) => inside,
            (None, false) => Some(l.exec()),
            (Some(inside), false) => {
                let exec = l.exec();
                Some(l.b.band(inside, exec))
            }
        };
        let b = &mut l.b;
        let act = |b: &mut Builder| change(b, share, op, place, &operands, lanes);
        let old = match condition {
            None => act(b),
            Some(condition) => b.if_else(condition, act, |b| b.const_bits(Type::new(Kind::Int, lanes), [0; 4])),
        };
        results.extend(words(b, old));
    }
    if inst.returns()
        && let Operand::Vgpr(n) = inst.dst
    {
        l.set_vgprs(n, &results);
    }
}

/// The atomic operation on what is at a place; gives what was there.
fn change(b: &mut Builder, share: DataShare, op: Atomic, place: Value, operands: &[Value], lanes: u8) -> Value {
    let first = |b: &mut Builder| operands.first().copied().unwrap_or_else(|| b.i32(0));
    let x = first(b);
    let y = operands.get(1).copied().unwrap_or(x);
    match (op, atomic_op(op)) {
        // The data share's data are the comparand, or the bits to clear, and then the value.
        (Atomic::CmpSwap | Atomic::FcmpSwap | Atomic::Mskor, Some(op)) => share.atomic(b, op, place, &[y, x]),
        (_, Some(op)) => share.atomic(b, op, place, operands),
        (Atomic::Wrap, None) => {
            until_unchanged(b, share, place, lanes, |b, old| ir!(b, select(ule(x, old), isub(old, x), iadd(old, y))))
        }
        (_, None) => {
            // Each word whose highest bit is set is exchanged for the rest of it.
            let mut results = SmallVec::<[Value; 4]>::new();
            for (n, word) in words(b, x).into_iter().enumerate() {
                let place = add(b, place, 4 * n as u32);
                results.push(until_unchanged(b, share, place, 1, |b, old| {
                    ir!(b, select(ilt(word, 0), iand(word, { b.i32(i32::MAX) }), old))
                }));
            }
            b.construct(&results)
        }
    }
}

/// An operation that the IR does not have: tried until nobody came between.
fn until_unchanged(
    b: &mut Builder,
    share: DataShare,
    place: Value,
    lanes: u8,
    new: impl Fn(&mut Builder, Value) -> Value,
) -> Value {
    let found = b.var("found", Type::new(Kind::Int, lanes));
    let first = share.load(b, place, lanes);
    b.store(found, first);
    b.begin_loop();
    let old = b.load(found);
    let value = new(b, old);
    let seen = share.atomic(b, AtomicOp::CmpSwap, place, &[value, old]);
    b.store(found, seen);
    let same = b.ieq(seen, old);
    let same = b.all(same);
    b.break_if(same);
    b.end_loop();
    b.load(found)
}

/// `ds_append` and `ds_consume`: a counter at M0's upper half plus the offset changes by the number of live lanes, once. Where M0 is all
/// ones, which sets no limit to a group's share, it is at the offset: so Mesa uses them on this hardware (`visit_shared_append` of
/// `aco_instruction_selection.cpp`).
fn counter(l: &mut Lifter, inst: &Inst, fields: Ds) {
    let m0 = l.m0();
    let (exec, share) = (l.exec(), l.share);
    let append = inst.op == Op::DsAppend;
    let place = {
        let b = &mut l.b;
        let mut base = ir!(b, ushr(m0, 16));
        if !fields.gds {
            base = ir!(b, select(ieq(m0, { b.i32(-1) }), 0, base));
        }
        add(b, base, fields.offset().into())
    };
    let lane = l.b.lane_index();
    let first = l.first_active(lane);
    let old = {
        let b = &mut l.b;
        let live = b.ballot(exec);
        let (low, high) = super::vector::notation::halves(b, live);
        let count = ir!(b, iadd(bitcount(low), bitcount(high)));
        let is_first = ir!(b, band(exec, ieq(lane, first)));
        let op = if append { AtomicOp::Add } else { AtomicOp::Sub };
        b.if_else(is_first, |b| share.atomic(b, op, place, &[count]), |b| b.i32(0))
    };
    let value = l.first_active(old);
    write(l, inst, value);
}

/// `ds_swizzle_b32`: a value of another lane, by the pattern in the offset. What is not live reads as zero.
fn swizzle(l: &mut Lifter, inst: &Inst, fields: Ds) {
    let pattern = fields.offset();
    let value = l.read(inst.src[0]);
    let exec = (!l.exec_known()).then(|| l.exec());
    let b = &mut l.b;
    let value = match exec {
        Some(exec) => super::vector::notation::keep_if(b, exec, value),
        None => value,
    };
    let moved = if pattern & 0x8000 != 0 {
        // In each quad, two bits say for each lane which one it reads.
        b.quad_swizzle(value, [0, 2, 4, 6].map(|bit| (pattern >> bit & 3) as u8))
    } else {
        let [and, or, xor] = [0, 5, 10].map(|bit| i32::from(pattern >> bit & 31));
        let lane = b.lane_index();
        // Within each 32 lanes.
        let place = ir!(b, ixor(ior(iand(lane, { b.i32(and | !31) }), { b.i32(or) }), { b.i32(xor) }));
        b.wave_shuffle(value, place)
    };
    write(l, inst, moved);
}
