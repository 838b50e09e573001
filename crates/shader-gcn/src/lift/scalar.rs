//! Scalar arithmetic: SOP1, SOP2, SOPK, SOPC, SOPP, but for what also works on masks (`logic`).

use afterimage_ir::{Builder, Kind as IrKind, Stage, Value};

use super::vector::notation::ir;
use super::{Lifter, Reason};
use crate::inst::{Inst, SGPRS};
use crate::tables::{Compare, Kind, Op, Ty};

/// A pair of words, low first.
type Pair = [Value; 2];

/// What scc becomes.
enum Scc {
    /// It stays.
    Keep,
    /// Whether the result is not 0.
    NotZero,
    To(Value),
}

/// Translates an instruction.
pub(super) fn lift(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    match inst.kind() {
        Kind::Compare(compare) => {
            let (a, c) = (l.read(inst.src[0]), l.read(inst.src[1]));
            let scc = compare_words(&mut l.b, compare, inst.src_ty(0) == Ty::I32, a, c);
            l.set_scc(scc);
            Ok(())
        }
        Kind::Control => control(l, inst),
        Kind::Alu => arithmetic(l, inst),
        // Blocks end with these; what they do is where the blocks go on.
        _ => Ok(()),
    }
}

fn compare_words(b: &mut Builder, compare: Compare, signed: bool, a: Value, c: Value) -> Value {
    let less = if signed { Builder::ilt } else { Builder::ult };
    let at_most = if signed { Builder::ile } else { Builder::ule };
    match compare {
        Compare::Eq => b.ieq(a, c),
        Compare::Lt => less(b, a, c),
        Compare::Le => at_most(b, a, c),
        Compare::Gt => less(b, c, a),
        Compare::Ge => at_most(b, c, a),
        _ => b.ine(a, c),
    }
}

fn control(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    match inst.op {
        // Waves of other stages are groups of their own.
        Op::SBarrier if l.b.module().stage != Stage::Compute => {}
        Op::SBarrier => {
            l.b.memory_barrier();
            l.b.barrier();
            super::lockstep::waited(l);
        }
        Op::SSendmsg | Op::SSendmsghalt => match inst.simm & 15 {
            2 | 3 => return super::geometry::message(l, inst),
            super::interlock::ORDERED_PS_DONE => super::interlock::done(l),
            _ => l.warn("a message to the host"),
        },
        Op::SSetkill => return Err(Reason::Unsupported("the end of a wave by s_setkill")),
        Op::STrap => l.warn("the trap handler"),
        // Waits, caches, priorities: the host sees to them.
        _ => {}
    }
    Ok(())
}

fn arithmetic(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    match inst.op {
        Op::SGetregB32 => get_register(l, inst),
        Op::SSetregB32 | Op::SSetregImm32B32 => set_register(l, inst),
        Op::SSetvskip => {
            let (bits, bit) = (l.read(inst.src[0]), l.read(inst.src[1]));
            let b = &mut l.b;
            let skips = ir!(b, ine(iand(ushr(bits, bit), 1), 0));
            l.set_skips(skips);
        }
        Op::SMovrelsB32 | Op::SMovrelsB64 => relative_read(l, inst),
        Op::SMovreldB32 | Op::SMovreldB64 => relative_write(l, inst),
        Op::SGetpcB64 => {
            if let Some(code) = inst.dst.scalar_code() {
                super::smem::delivered(l, code);
            }
        }
        Op::SMemtime => {
            l.warn("the clock");
            let zero = l.b.i32(0);
            write(l, inst, &[zero, zero], Scc::Keep);
        }
        _ if inst.dst_ty().dwords() == 2 => return wide(l, inst),
        _ => return word(l, inst),
    }
    Ok(())
}

fn write(l: &mut Lifter<'_>, inst: &Inst, words: &[Value], scc: Scc) {
    if l.wanted.scc {
        match scc {
            Scc::Keep => {}
            Scc::NotZero => {
                let b = &mut l.b;
                let all = words[1..].iter().fold(words[0], |all, &word| b.ior(all, word));
                let scc = b.cast(all, IrKind::Int);
                let scc = b.cast(scc, IrKind::Bool);
                l.set_scc(scc);
            }
            Scc::To(value) => l.set_scc(value),
        }
    }
    if let Some(code) = inst.dst.scalar_code() {
        l.set_sgprs(code, words);
    }
}

/// Instructions with a result of one word, or of scc alone.
fn word(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    let wide = |n: usize| inst.src_ty(n).dwords() == 2;
    if wide(0) {
        return of_wide(l, inst);
    }
    let a = if inst.src[0].is_some() { l.read(inst.src[0]) } else { l.b.i32(0) };
    let c = if inst.src[1].is_some() { l.read(inst.src[1]) } else { a };
    let old = inst.has(crate::tables::flag::READS_DST).then(|| l.read(inst.dst));
    let scc = inst.has(crate::tables::flag::READS_SCC).then(|| l.scc());
    let b = &mut l.b;
    let old = old.unwrap_or(a);
    let (value, scc) = match inst.op {
        Op::SAddU32 => (b.iadd(a, c), Scc::To(b.uadd_carry(a, c))),
        Op::SSubU32 => (b.isub(a, c), Scc::To(b.usub_borrow(a, c))),
        Op::SAddcU32 | Op::SSubbU32 => {
            let carry = scc.unwrap_or(a);
            let carry = b.cast(carry, IrKind::Int);
            type Step = fn(&mut Builder, Value, Value) -> Value;
            let [add, over]: [Step; 2] = if inst.op == Op::SAddcU32 {
                [Builder::iadd, Builder::uadd_carry]
            } else {
                [Builder::isub, Builder::usub_borrow]
            };
            let first = add(b, a, c);
            let value = add(b, first, carry);
            let (one, two) = (over(b, a, c), over(b, first, carry));
            (value, Scc::To(b.bor(one, two)))
        }
        Op::SAddI32 | Op::SAddkI32 => {
            let value = b.iadd(a, c);
            let (x, y) = (b.ixor(a, value), b.ixor(c, value));
            (value, Scc::To(both_negative(b, x, y)))
        }
        Op::SSubI32 => {
            let value = b.isub(a, c);
            let (x, y) = (b.ixor(a, c), b.ixor(a, value));
            (value, Scc::To(both_negative(b, x, y)))
        }
        Op::SMinI32 => (b.imin(a, c), Scc::To(b.ilt(a, c))),
        Op::SMinU32 => (b.umin(a, c), Scc::To(b.ult(a, c))),
        Op::SMaxI32 => (b.imax(a, c), Scc::To(b.ilt(c, a))),
        Op::SMaxU32 => (b.umax(a, c), Scc::To(b.ult(c, a))),
        Op::SCselectB32 => {
            let scc = scc.unwrap_or(a);
            let (a, c) = (b.cast(a, IrKind::Bits), b.cast(c, IrKind::Bits));
            (b.select(scc, a, c), Scc::Keep)
        }
        Op::SCmovB32 | Op::SCmovkI32 => {
            let scc = scc.unwrap_or(a);
            let a = b.cast(a, IrKind::Bits);
            (b.select(scc, a, old), Scc::Keep)
        }
        Op::SAndB32 => (b.iand(a, c), Scc::NotZero),
        Op::SOrB32 => (b.ior(a, c), Scc::NotZero),
        Op::SXorB32 => (b.ixor(a, c), Scc::NotZero),
        Op::SAndn2B32 => {
            let c = b.inot(c);
            (b.iand(a, c), Scc::NotZero)
        }
        Op::SOrn2B32 => {
            let c = b.inot(c);
            (b.ior(a, c), Scc::NotZero)
        }
        Op::SNandB32 => {
            let value = b.iand(a, c);
            (b.inot(value), Scc::NotZero)
        }
        Op::SNorB32 => {
            let value = b.ior(a, c);
            (b.inot(value), Scc::NotZero)
        }
        Op::SXnorB32 => {
            let value = b.ixor(a, c);
            (b.inot(value), Scc::NotZero)
        }
        Op::SLshlB32 => (b.ishl(a, c), Scc::NotZero),
        Op::SLshrB32 => (b.ushr(a, c), Scc::NotZero),
        Op::SAshrI32 => (b.ishr(a, c), Scc::NotZero),
        Op::SBfmB32 => {
            let one = b.i32(1);
            let ones = b.ishl(one, a);
            let ones = b.isub(ones, one);
            (b.ishl(ones, c), Scc::Keep)
        }
        Op::SMulI32 | Op::SMulkI32 => (b.imul(a, c), Scc::Keep),
        Op::SBfeU32 | Op::SBfeI32 => {
            let width = field_width(b, c);
            let limit = b.i32(32);
            let narrow = b.ult(width, limit);
            let (field, rest) = if inst.op == Op::SBfeU32 {
                (b.ubfe(a, c, width), b.ushr(a, c))
            } else {
                (b.ibfe(a, c, width), b.ishr(a, c))
            };
            (b.select(narrow, field, rest), Scc::NotZero)
        }
        Op::SAbsdiffI32 => {
            let difference = b.isub(a, c);
            (b.iabs(difference), Scc::NotZero)
        }
        Op::SMovB32 | Op::SMovkI32 | Op::SMovFedB32 | Op::SMovRegrdB32 => (a, Scc::Keep),
        Op::SNotB32 => (b.inot(a), Scc::NotZero),
        Op::SWqmB32 => {
            let low = quad_bits(b, a);
            let all = b.i32(15);
            (b.imul(low, all), Scc::NotZero)
        }
        Op::SQuadmaskB32 => {
            let low = quad_bits(b, a);
            (gather_fourths(b, low), Scc::NotZero)
        }
        Op::SBrevB32 => (b.bitreverse(a), Scc::Keep),
        Op::SBcnt0I32B32 => {
            let a = b.inot(a);
            (b.bitcount(a), Scc::NotZero)
        }
        Op::SBcnt1I32B32 => (b.bitcount(a), Scc::NotZero),
        Op::SFf0I32B32 => {
            let a = b.inot(a);
            (b.find_lsb(a), Scc::Keep)
        }
        Op::SFf1I32B32 => (b.find_lsb(a), Scc::Keep),
        Op::SFlbitI32B32 => (from_top(b, Builder::find_msb, a), Scc::Keep),
        Op::SFlbitI32 => (from_top(b, Builder::find_msb_signed, a), Scc::Keep),
        Op::SSextI32I8 | Op::SSextI32I16 => {
            let (first, width) = (b.i32(0), b.i32(if inst.op == Op::SSextI32I8 { 8 } else { 16 }));
            (b.ibfe(a, first, width), Scc::Keep)
        }
        Op::SBitset0B32 | Op::SBitset1B32 => {
            let one = b.i32(1);
            let bit = b.ishl(one, a);
            let value = if inst.op == Op::SBitset1B32 {
                b.ior(old, bit)
            } else {
                let others = b.inot(bit);
                b.iand(old, others)
            };
            (value, Scc::Keep)
        }
        Op::SAbsI32 => (b.iabs(a), Scc::NotZero),
        Op::SBitcmp0B32 | Op::SBitcmp1B32 => {
            let bit = b.ushr(a, c);
            return bit_compare(l, bit, inst.op == Op::SBitcmp1B32);
        }
        _ => return Err(Reason::Unsupported("this instruction")),
    };
    write(l, inst, &[value], scc);
    Ok(())
}

/// Instructions with a result of one word of a source of two.
fn of_wide(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    let [low, high] = read_pair(l, inst, 0);
    let c = if inst.src[1].is_some() { l.read(inst.src[1]) } else { low };
    let b = &mut l.b;
    let (value, scc) = match inst.op {
        Op::SBcnt0I32B64 | Op::SBcnt1I32B64 => {
            let [low, high] = [low, high].map(|word| {
                let word = if inst.op == Op::SBcnt0I32B64 { b.inot(word) } else { word };
                b.bitcount(word)
            });
            (b.iadd(low, high), Scc::NotZero)
        }
        Op::SFf0I32B64 | Op::SFf1I32B64 => {
            let [low, high] = [low, high].map(|word| if inst.op == Op::SFf0I32B64 { b.inot(word) } else { word });
            let [zero, half] = [0, 32].map(|n| b.i32(n));
            let (first, second) = (b.find_lsb(low), b.find_lsb(high));
            let later = b.iadd(second, half);
            let none = b.ieq(high, zero);
            let second = b.select(none, second, later);
            let none = b.ieq(low, zero);
            (b.select(none, second, first), Scc::Keep)
        }
        Op::SFlbitI32B64 => (from_top_wide(b, [low, high]), Scc::Keep),
        Op::SFlbitI32I64 => {
            let top = b.i32(31);
            let sign = b.ishr(high, top);
            let pair = [low, high].map(|word| b.ixor(word, sign));
            (from_top_wide(b, pair), Scc::Keep)
        }
        Op::SBitcmp0B64 | Op::SBitcmp1B64 => {
            let bit = shift_right(b, [low, high], c)[0];
            return bit_compare(l, bit, inst.op == Op::SBitcmp1B64);
        }
        _ => return Err(Reason::Unsupported("this instruction")),
    };
    write(l, inst, &[value], scc);
    Ok(())
}

/// Instructions with a result of two words.
fn wide(l: &mut Lifter<'_>, inst: &Inst) -> Result<(), Reason> {
    let a = read_pair(l, inst, 0);
    let c = if inst.src[1].is_some() { l.read(inst.src[1]) } else { a[0] };
    let old = inst.has(crate::tables::flag::READS_DST).then(|| {
        let old = l.read64(inst.dst, Ty::B64);
        [0, 1].map(|half| l.b.extract(old, half))
    });
    let b = &mut l.b;
    let (value, scc) = match inst.op {
        Op::SLshlB64 => (shift_left(b, a, c), Scc::NotZero),
        Op::SLshrB64 => (shift_right(b, a, c), Scc::NotZero),
        Op::SAshrI64 => (shift_right_signed(b, a, c), Scc::NotZero),
        Op::SBfmB64 => {
            let (zero, one) = (b.i32(0), b.i32(1));
            let ones = shift_left(b, [one, zero], a[0]);
            // Minus one: the low word borrows if it is 0.
            let low = b.isub(ones[0], one);
            let borrow = b.usub_borrow(ones[0], one);
            let borrow = b.cast(borrow, IrKind::Int);
            let high = b.isub(ones[1], borrow);
            (shift_left(b, [low, high], c), Scc::Keep)
        }
        Op::SBfeU64 | Op::SBfeI64 => {
            let width = field_width(b, c);
            let shift = if inst.op == Op::SBfeU64 { shift_right } else { shift_right_signed };
            let moved = shift(b, a, c);
            let (none, all) = (b.i32(0), b.i32(64));
            let above = b.isub(all, width);
            let top = shift_left(b, moved, above);
            let field = shift(b, top, above);
            let (empty, narrow) = (b.ieq(width, none), b.ult(width, all));
            let value = [0, 1].map(|half| {
                let value = b.select(narrow, field[half], moved[half]);
                b.select(empty, none, value)
            });
            (value, Scc::NotZero)
        }
        Op::SBrevB64 => ([b.bitreverse(a[1]), b.bitreverse(a[0])], Scc::Keep),
        Op::SBitset0B64 | Op::SBitset1B64 => {
            let (zero, one) = (b.i32(0), b.i32(1));
            let bit = shift_left(b, [one, zero], a[0]);
            let old = old.unwrap_or(a);
            let value = [0, 1].map(|half| {
                if inst.op == Op::SBitset1B64 {
                    b.ior(old[half], bit[half])
                } else {
                    let others = b.inot(bit[half]);
                    b.iand(old[half], others)
                }
            });
            (value, Scc::Keep)
        }
        Op::SQuadmaskB64 => {
            let [low, high] = a.map(|word| {
                let low = quad_bits(b, word);
                gather_fourths(b, low)
            });
            let (eight, zero) = (b.i32(8), b.i32(0));
            let high = b.ishl(high, eight);
            ([b.ior(low, high), zero], Scc::NotZero)
        }
        _ => return Err(Reason::Unsupported("this instruction")),
    };
    write(l, inst, &value, scc);
    Ok(())
}

fn read_pair(l: &mut Lifter<'_>, inst: &Inst, n: usize) -> Pair {
    if inst.src_ty(n).dwords() == 1 {
        let word = l.read(inst.src[n]);
        let word = l.b.cast(word, IrKind::Int);
        return [word, word];
    }
    let pair = l.read64(inst.src[n], inst.src_ty(n));
    [0, 1].map(|half| l.b.extract(pair, half))
}

fn bit_compare(l: &mut Lifter<'_>, bit: Value, set: bool) -> Result<(), Reason> {
    let one = l.b.i32(1);
    let bit = l.b.iand(bit, one);
    let expected = l.b.i32(set.into());
    let scc = l.b.ieq(bit, expected);
    l.set_scc(scc);
    Ok(())
}

/// Whether both have their top bit set.
fn both_negative(b: &mut Builder, x: Value, y: Value) -> Value {
    let (both, zero) = (b.iand(x, y), b.i32(0));
    b.ilt(both, zero)
}

/// Bits 22:16.
fn field_width(b: &mut Builder, c: Value) -> Value {
    let (first, count) = (b.i32(16), b.i32(7));
    b.ubfe(c, first, count)
}

/// The lowest bit of each four: whether any of them is set.
fn quad_bits(b: &mut Builder, a: Value) -> Value {
    let [one, two, low] = [1, 2, 0x1111_1111].map(|n| b.i32(n));
    let right = b.ushr(a, one);
    let a = b.ior(a, right);
    let right = b.ushr(a, two);
    let a = b.ior(a, right);
    b.iand(a, low)
}

/// Every fourth bit, next to each other.
fn gather_fourths(b: &mut Builder, mut a: Value) -> Value {
    for (shift, mask) in [(3, 0x0303_0303), (6, 0x000F_000F), (12, 0xFF)] {
        let (shift, mask) = (b.i32(shift), b.i32(mask));
        let right = b.ushr(a, shift);
        let both = b.ior(a, right);
        a = b.iand(both, mask);
    }
    a
}

/// Bits above the one that `find` finds, or -1.
fn from_top(b: &mut Builder, find: fn(&mut Builder, Value) -> Value, a: Value) -> Value {
    let at = find(b, a);
    let (top, none) = (b.i32(31), b.i32(-1));
    let found = b.ine(at, none);
    let above = b.isub(top, at);
    b.select(found, above, none)
}

fn from_top_wide(b: &mut Builder, [low, high]: Pair) -> Value {
    let [zero, half] = [0, 32].map(|n| b.i32(n));
    let (upper, lower) = (from_top(b, Builder::find_msb, high), from_top(b, Builder::find_msb, low));
    let far = b.iadd(lower, half);
    let empty = b.ieq(low, zero);
    let lower = b.select(empty, lower, far);
    let empty = b.ieq(high, zero);
    b.select(empty, lower, upper)
}

/// Whether a shift count (of six bits) is 32 or more.
fn whole(b: &mut Builder, count: Value) -> Value {
    let half = b.i32(32);
    let bit = b.iand(count, half);
    b.cast(bit, IrKind::Bool)
}

fn shift_left(b: &mut Builder, [low, high]: Pair, count: Value) -> Pair {
    let (one, zero) = (b.i32(1), b.i32(0));
    let whole = whole(b, count);
    // A shift by 32 less the count, in two steps so that a count of 0 gives 0.
    let (rest, under) = (b.inot(count), b.ushr(low, one));
    let carried = b.ushr(under, rest);
    let upper = b.ishl(high, count);
    let upper = b.ior(upper, carried);
    let lower = b.ishl(low, count);
    [b.select(whole, zero, lower), b.select(whole, lower, upper)]
}

fn shift_right(b: &mut Builder, pair: Pair, count: Value) -> Pair {
    let zero = b.i32(0);
    shift_down(b, pair, count, Builder::ushr, zero)
}

fn shift_right_signed(b: &mut Builder, pair: Pair, count: Value) -> Pair {
    let top = b.i32(31);
    let sign = b.ishr(pair[1], top);
    shift_down(b, pair, count, Builder::ishr, sign)
}

fn shift_down(
    b: &mut Builder,
    [low, high]: Pair,
    count: Value,
    shift: fn(&mut Builder, Value, Value) -> Value,
    fill: Value,
) -> Pair {
    let one = b.i32(1);
    let whole = whole(b, count);
    let (rest, over) = (b.inot(count), b.ishl(high, one));
    let carried = b.ishl(over, rest);
    let lower = b.ushr(low, count);
    let lower = b.ior(lower, carried);
    let upper = shift(b, high, count);
    [b.select(whole, upper, lower), b.select(whole, fill, upper)]
}

/// Number of the hardware register with the float mode.
const MODE: u16 = 1;

/// Register, first bit and number of bits that an immediate names.
fn hardware_field(simm: u16) -> (u16, u32, u32) {
    (simm & 63, u32::from(simm >> 6 & 31), u32::from(simm >> 11) + 1)
}

fn field_of(word: u32, first: u32, count: u32) -> u32 {
    (word >> first) & (u32::MAX >> (32 - count.min(32)))
}

/// Round and denormal modes, clamping and IEEE bits as the program starts with them: `FLOAT_MODE` and what follows in
/// `PGM_RSRC1`.
fn mode(l: &Lifter<'_>) -> u32 {
    let rsrc1 = l.source.registers.rsrc1;
    (rsrc1 >> 12 & 0xFF) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9
}

fn get_register(l: &mut Lifter<'_>, inst: &Inst) {
    let (register, first, count) = hardware_field(inst.simm);
    let value = if register == MODE {
        field_of(mode(l), first, count)
    } else {
        l.warn("a hardware register other than the float mode, which reads as 0,");
        0
    };
    let value = l.b.i32(value as i32);
    write(l, inst, &[value], Scc::Keep);
}

fn set_register(l: &mut Lifter<'_>, inst: &Inst) {
    let (register, first, count) = hardware_field(inst.simm);
    let value = inst.src[0].constant(Ty::B32).map(|word| field_of(word as u32, 0, count));
    if register != MODE || value != Some(field_of(mode(l), first, count)) {
        l.warn("a change of the float mode or another hardware register");
    }
}

/// Registers that an index may mean, from the first on.
fn candidates(code: u8, wide: bool) -> impl Iterator<Item = u8> {
    (code..SGPRS).step_by(if wide { 2 } else { 1 })
}

fn relative_read(l: &mut Lifter<'_>, inst: &Inst) {
    let Some(code) = inst.src[0].scalar_code() else { return };
    let index = l.m0();
    let count = inst.dst_ty().dwords();
    let mut values: Vec<Value> = (0..count).map(|n| l.sgpr(code.saturating_add(n))).collect();
    for candidate in candidates(code, count == 2).skip(1) {
        let distance = l.b.i32(i32::from(candidate - code));
        let here = l.b.ieq(index, distance);
        for (n, value) in values.iter_mut().enumerate() {
            let other = l.sgpr(candidate.saturating_add(n as u8));
            *value = l.b.select(here, other, *value);
        }
    }
    write(l, inst, &values, Scc::Keep);
}

fn relative_write(l: &mut Lifter<'_>, inst: &Inst) {
    let Some(code) = inst.dst.scalar_code() else { return };
    let index = l.m0();
    let count = inst.dst_ty().dwords();
    let values = match inst.src[0] {
        operand if count == 1 => [l.read(operand); 1].to_vec(),
        _ => read_pair(l, inst, 0).to_vec(),
    };
    for candidate in candidates(code, count == 2) {
        for (n, &value) in values.iter().enumerate() {
            let at = candidate.saturating_add(n as u8);
            // Nobody reads the others.
            if !l.wanted.word(at) {
                continue;
            }
            let distance = l.b.i32(i32::from(candidate - code));
            let here = l.b.ieq(index, distance);
            let old = l.sgpr(at);
            let value = l.b.cast(value, IrKind::Bits);
            let value = l.b.select(here, value, old);
            l.set_sgpr(at, value);
        }
    }
}
