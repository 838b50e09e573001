//! SMRD: scalar loads. What is known at the draw comes from the bank of words; what is not is read through a buffer, or, where that is
//! not known either, from the guest address that registers hold.

use afterimage_ir::Value;

use super::{Lifter, Reason, run_time};
use crate::inst::{Inst, Operand};
use crate::resources::Use;
use crate::tables::Kind;

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    let Kind::ScalarLoad { buffer: through_buffer } = inst.kind() else { return Ok(()) };
    let Some(first) = inst.dst.scalar_code() else { return Ok(()) };
    if delivered(l, first) {
        return Ok(());
    }
    let offset = match inst.src[1] {
        Operand::Int(words) => l.b.i32(words.wrapping_mul(4)),
        Operand::Literal(words) => l.b.i32(words.wrapping_mul(4) as i32),
        register => {
            let offset = l.read(register);
            let whole = l.b.i32(!3);
            l.b.iand(offset, whole)
        }
    };
    let (base, bytes, offset) = match l.analysis.uses[l.at] {
        Use::Buffer(buffer) => {
            let (base, bytes) = place(l, buffer);
            (base, bytes, offset)
        }
        Use::Near(buffer, base) => {
            let (low, base) = (l.read(inst.src[0]), l.delivered(base));
            let distance = l.b.isub(low, base);
            let offset = l.b.iadd(offset, distance);
            let (base, bytes) = place(l, buffer);
            (base, bytes, offset)
        }
        Use::Registers => run_time::scalar(l, inst, through_buffer, offset)
            .ok_or(Reason::Unsupported("memory by guest address without windows"))?,
        _ => return Err(Reason::unresolved("the address", inst.src[0])),
    };
    let mut code = first;
    let mut left = inst.dst_dwords();
    let mut at = offset;
    while left > 0 {
        let count = left.min(4);
        let value = load(l, base, bytes, at, count);
        let words: Vec<Value> = (0..count).map(|n| l.b.extract(value, n)).collect();
        l.set_sgprs(code, &words);
        code = code.saturating_add(count);
        left -= count;
        let step = l.b.i32(16);
        at = l.b.iadd(at, step);
    }
    Ok(())
}

/// Address of a buffer on the device, and the bytes that may be read from there.
fn place(l: &mut Lifter<'_>, buffer: u32) -> ([Value; 2], Value) {
    let words = l.buffer_words(buffer);
    let [low, high, bytes] = [0, 1, 2].map(|n| l.b.extract(words, n));
    ([low, high], bytes)
}

/// Sets registers from `first` on to the words that the guest delivers for the instruction, if it does.
pub(super) fn delivered(l: &mut Lifter<'_>, first: u8) -> bool {
    let Use::Words(words) = &l.analysis.uses[l.at] else { return false };
    for (n, word) in words.iter().enumerate() {
        if let &Some(word) = word {
            let value = l.delivered(word);
            l.set_sgpr(first.saturating_add(n as u8), value);
        }
    }
    true
}

/// `count` (1 to 4) words at a byte offset into a buffer, 0 beyond its end.
fn load(l: &mut Lifter<'_>, base: [Value; 2], bytes: Value, offset: Value, count: u8) -> Value {
    let b = &mut l.b;
    let (size, four) = (b.i32(i32::from(count) * 4), b.i32(4));
    // An offset near the top of the numbers would wrap: the room behind it is what is compared.
    let room = b.isub(bytes, offset);
    let (inside, fits) = (b.ult(offset, bytes), b.ule(size, room));
    let whole = b.band(inside, fits);
    let address = move |b: &mut afterimage_ir::Builder, offset| {
        let low = b.iadd(base[0], offset);
        let carry = b.uadd_carry(base[0], offset);
        let carry = b.cast(carry, afterimage_ir::Kind::Int);
        let high = b.iadd(base[1], carry);
        b.construct(&[low, high])
    };
    b.if_else(
        whole,
        |b| {
            let at = address(b, offset);
            b.load_global(at, count)
        },
        |b| {
            let zero = b.const_bits(afterimage_ir::Type::new(afterimage_ir::Kind::Bits, count), [0; 4]);
            if count == 1 {
                return zero;
            }
            // The end lies between the words.
            let any = b.ule(four, bytes);
            let some = b.band(inside, any);
            b.if_else(
                some,
                |b| {
                    let last = b.isub(bytes, four);
                    let words: Vec<Value> = (0..i32::from(count))
                        .map(|n| {
                            let more = b.i32(n * 4);
                            let at = b.iadd(offset, more);
                            let there = b.ule(at, last);
                            let at = b.umin(at, last);
                            let at = address(b, at);
                            let word = b.load_global(at, 1);
                            let none = b.i32(0);
                            b.select(there, word, none)
                        })
                        .collect();
                    b.construct(&words)
                },
                |_| zero,
            )
        },
    )
}
