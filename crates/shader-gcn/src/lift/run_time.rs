//! Buffers whose descriptors nobody knows before the program runs: by index, out of memory that lanes choose, one lane's after the other.
//!
//! Their words are in scalar registers, so the program itself finds what they say: the address, which it looks up in the windows of
//! guest memory, and what may be accessed from there. Also whether elements of records lie side by side (swizzled), and whether the lane's
//! number is added to the index.

use afterimage_ir::{AtomicOp, Builder, Kind, Value};
use smallvec::SmallVec;

use super::memory::{
    Place, and_exec, data, guarded, load_format, load_if, offset_and_index, store, unformatted, write_result,
};
use super::vector::arithmetic::advance;
use super::vector::notation::ir;
use super::{Lifter, Reason, format, windows};
use crate::inst::{Buffer, Inst, Operand};
use crate::tables::{Encoding, Kind as Sort};

/// Selects of components in their order.
const IN_ORDER: u32 = 4 | 5 << 3 | 6 << 6 | 7 << 9;

/// A V# in registers.
struct Descriptor {
    /// Guest address: low and high half.
    base: [Value; 2],
    stride: Value,
    /// `SWIZZLE_ENABLE`.
    swizzled: Value,
    records: Value,
    word3: Value,
}

impl Descriptor {
    fn read(l: &mut Lifter<'_>, operand: Operand) -> Descriptor {
        let words = l.read_words(operand, 4);
        let zero = l.b.i32(0);
        let word = |n: usize| words.get(n).copied().unwrap_or(zero);
        let b = &mut l.b;
        let [low, high, records, word3] = [0, 1, 2, 3].map(|n| b.cast(word(n), Kind::Int));
        let address = ir!(b, iand(high, 0xffff));
        let (first, bits) = (b.i32(16), b.i32(14));
        let stride = b.ubfe(high, first, bits);
        let swizzled = ir!(b, ilt(high, 0));
        Descriptor { base: [low, address], stride, swizzled, records, word3 }
    }

    /// Where a byte of a record lies.
    fn offset(&self, b: &mut Builder, index: Value, offset: Value) -> Value {
        let (stride, word3) = (self.stride, self.word3);
        // Bytes of an element, and records of which elements lie side by side: both powers of two.
        let [element, step] = [(19, 1), (21, 3)].map(|(at, least)| {
            let (at, two) = (b.i32(at), b.i32(2));
            let code = b.ubfe(word3, at, two);
            ir!(b, iadd(code, { b.i32(least) }))
        });
        let inside = ir!(b, isub(ishl(1, element), 1));
        let row = ir!(b, iadd(imul(ushr(index, step), stride), iand(offset, inot(inside))));
        let column = ir!(b, ishl(iand(index, isub(ishl(1, step), 1)), element));
        let swizzled = ir!(b, iadd(iadd(ishl(row, step), column), iand(offset, inside)));
        let linear = ir!(b, iadd(imul(index, stride), offset));
        b.select(self.swizzled, swizzled, linear)
    }

    /// Where an access at a byte offset goes, from where on `limit` bytes may be accessed as far as the descriptor says.
    fn place(&self, l: &mut Lifter<'_>, offset: Value, limit: Value) -> Option<Place> {
        let base = l.b.construct(&self.base);
        let address = advance(&mut l.b, base, offset);
        let place = windows::find(l, address)?;
        let b = &mut l.b;
        // As far as the window goes, and no further than the descriptor says.
        let bytes = b.cast(place.bytes, Kind::Int);
        let ahead = ir!(b, isub(umax(bytes, { place.offset }), { place.offset }));
        let bytes = ir!(b, iadd({ place.offset }, umin(ahead, limit)));
        Some(Place { bytes, odd: true, ..place })
    }
}

/// Translates an access of a buffer.
pub(super) fn lift(l: &mut Lifter<'_>, inst: &Inst, fields: Buffer) {
    let descriptor = Descriptor::read(l, inst.srsrc());
    let soffset = l.read(inst.soffset());
    let (offset, index) = offset_and_index(l, inst, fields);
    let b = &mut l.b;
    let index = match index {
        Some(index) => index,
        None => b.i32(0),
    };
    let adds_lane = {
        let (at, one) = (b.i32(23), b.i32(1));
        b.ubfe(descriptor.word3, at, one)
    };
    let lane = b.lane_index();
    let index = ir!(b, iadd(index, imul(lane, adds_lane)));
    let (stride, records) = (descriptor.stride, descriptor.records);
    let offset = descriptor.offset(b, index, offset);
    let offset = b.iadd(offset, soffset);
    // Without records it is bytes that are counted.
    let left = ir!(b, isub(umax(records, offset), offset));
    let all = b.i32(i32::MAX);
    let zero = b.i32(0);
    let inside = b.ult(index, records);
    let of_record = b.select(inside, all, zero);
    let raw = b.ieq(stride, zero);
    let limit = b.select(raw, left, of_record);
    let Some(place) = descriptor.place(l, offset, limit) else {
        return l.fail(Reason::Unsupported("memory by guest address without windows"));
    };
    match inst.kind() {
        Sort::LoadFormat { components } => {
            let value = if inst.enc == Encoding::Mtbuf {
                let format = format::Format::new(fields.dfmt.into(), fields.nfmt.into());
                load_format(&mut l.b, &place, format, IN_ORDER, components)
            } else {
                load_unknown(&mut l.b, &place, descriptor.word3, components)
            };
            write_result(l, inst, value, fields.tfe);
        }
        Sort::StoreFormat { components } if inst.enc == Encoding::Mtbuf => {
            let Some(format) = format::Format::new(fields.dfmt.into(), fields.nfmt.into()) else { return };
            let data = data(l, inst, components);
            guarded(l, &place, format.bytes(), |b| {
                let components = format::words(b, data);
                let words = format.pack(b, &components);
                let value = b.construct(&words);
                store(b, &place, format.bytes(), value, format.alignment() < 4);
            });
        }
        Sort::StoreFormat { components } => {
            let data = data(l, inst, components);
            store_unknown(l, &place, descriptor.word3, data);
        }
        _ if unformatted(l, inst, &place, true, fields.tfe) => {}
        _ => l.fail(Reason::Unsupported("this access of a buffer")),
    }
}

/// Data and number format.
fn format_of(b: &mut Builder, word3: Value) -> [Value; 2] {
    [(15, 4), (12, 3)].map(|(first, bits)| {
        let (first, bits) = (b.i32(first), b.i32(bits));
        b.ubfe(word3, first, bits)
    })
}

/// Stores a texel in the format that the descriptor in registers has. It lies at a multiple of its size.
fn store_unknown(l: &mut Lifter<'_>, place: &Place, word3: Value, texel: Value) {
    let b = &mut l.b;
    let [data, number] = format_of(b, word3);
    let bytes = format::unknown_bytes(b, data);
    let components = format::words(b, texel);
    let words = format::pack_unknown(b, &components, data, number);
    // The last byte is inside; formats without a meaning have none.
    let there = ir!(b, ine(bytes, 0));
    let last = ir!(b, isub(bytes, 1));
    let limit = ir!(b, isub(umax({ place.bytes }, last), last));
    let inside = ir!(b, band(there, ult({ place.offset }, limit)));
    let inside = match place.condition {
        Some(condition) => b.band(inside, condition),
        None => inside,
    };
    let condition = and_exec(l, inside);
    let b = &mut l.b;
    b.begin_if(condition);
    let part = ir!(b, ult(bytes, 4));
    b.begin_if(part);
    let address = place.address(b, 0);
    let low = b.extract(address, 0);
    let shift = ir!(b, ishl(iand(low, 3), 3));
    let mask = ir!(b, isub(ishl(1, ishl(bytes, 3)), 1));
    let (value, mask) = (ir!(b, ishl({ words[0] }, shift)), ir!(b, ishl(mask, shift)));
    b.atomic_global(AtomicOp::MaskOr, address, &[value, mask]);
    b.begin_else();
    for (n, &word) in (0..).zip(&words) {
        let has = ir!(b, ult({ b.i32(4 * n) }, bytes));
        b.begin_if(has);
        let address = place.address(b, 4 * n as u32);
        b.store_global(address, word);
        b.end_if();
    }
    b.end_if();
    b.end_if();
}

/// Texels of a format that the descriptor in registers has. They lie at multiples of their size.
fn load_unknown(b: &mut Builder, place: &Place, word3: Value, components: u8) -> Value {
    let [data, number] = format_of(b, word3);
    let bytes = format::unknown_bytes(b, data);
    let inside = place.inside(b, 0, 1);
    let mut words = SmallVec::<[Value; 4]>::new();
    for n in 0..4 {
        let there = if n == 0 {
            inside
        } else {
            let (within, begins) = (place.inside(b, 4 * n, 4), b.i32(4 * n as i32));
            let has = b.ult(begins, bytes);
            b.band(within, has)
        };
        let address = place.address(b, 4 * n);
        words.push(load_if(b, there, address, 1));
    }
    let address = place.address(b, 0);
    let low = b.extract(address, 0);
    let shift = ir!(b, ishl(iand(low, 3), 3));
    words[0] = b.ushr(words[0], shift);
    let unpacked = format::unpack_unknown(b, [words[0], words[1], words[2], words[3]], data, number);
    let zero = b.i32(0);
    let integer = {
        let (first, two) = (b.i32(4), b.i32(2));
        let distance = b.isub(number, first);
        b.ult(distance, two)
    };
    let (one, float) = (b.i32(1), b.f32(1.0));
    let float = b.cast(float, Kind::Int);
    let one = b.select(integer, one, float);
    let mut chosen = SmallVec::<[Value; 4]>::new();
    for n in 0..components {
        let (first, three) = (b.i32(3 * i32::from(n)), b.i32(3));
        let select = b.ubfe(word3, first, three);
        let mut value = zero;
        for (number, component) in [(1, one)].into_iter().chain((4..).zip(unpacked)) {
            let wanted = b.i32(number);
            let is = b.ieq(select, wanted);
            value = b.select(is, component, value);
        }
        // What is out of range is zero, also where one would be.
        value = b.select(inside, value, zero);
        chosen.push(b.cast(value, Kind::Bits));
    }
    b.construct(&chosen)
}

/// Where a scalar load through registers reads: address on the device, the bytes that may be read from there, and the byte offset.
pub(super) fn scalar(
    l: &mut Lifter<'_>,
    inst: &Inst,
    buffer: bool,
    offset: Value,
) -> Option<([Value; 2], Value, Value)> {
    let place = if buffer {
        let descriptor = Descriptor::read(l, inst.src[0]);
        let b = &mut l.b;
        let one = b.i32(1);
        let step = b.umax(descriptor.stride, one);
        let size = b.imul(descriptor.records, step);
        let left = ir!(b, isub(umax(size, offset), offset));
        descriptor.place(l, offset, left)?
    } else {
        let base = l.read64(inst.src[0], crate::tables::Ty::U64);
        let address = advance(&mut l.b, base, offset);
        windows::find(l, address)?
    };
    let b = &mut l.b;
    let zero = b.i32(0);
    let bytes = b.cast(place.bytes, Kind::Int);
    let bytes = match place.condition {
        Some(condition) => b.select(condition, bytes, zero),
        None => bytes,
    };
    let base = [0, 1].map(|half| b.extract(place.base, half));
    Some((base, bytes, place.offset))
}
