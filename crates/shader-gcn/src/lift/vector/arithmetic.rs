//! What each arithmetic instruction computes, as a function of its operands.

use afterimage_ir::{Builder, Value};

use super::notation::{halves, ir, pair};
use super::{convert, double, float, integer};
use crate::tables::{Compare, Op, Ty};

/// Operands: the sources in order (those that there are not are zero), and what the destination held, where that counts.
pub(super) struct Operands {
    pub sources: [Value; 4],
    pub old: Value,
    /// `FLOAT_MODE` rounds halves and doubles toward zero.
    pub halves_toward_zero: bool,
}

/// The result of an instruction, and the mask (a truth value) of those that have one; none for instructions that are no
/// arithmetic.
pub(super) fn compute(b: &mut Builder, op: Op, operands: &Operands) -> Option<(Value, Option<Value>)> {
    let with_mask = match op {
        Op::VAddI32 | Op::VSubI32 | Op::VSubrevI32 | Op::VAddcU32 | Op::VSubbU32 | Op::VSubbrevU32 => {
            carry(b, op, operands)
        }
        Op::VDivScaleF32 => {
            let [x, d, n, _] = operands.sources;
            float::div_scale(b, x, d, n)
        }
        Op::VDivScaleF64 => {
            let [x, d, n, _] = operands.sources;
            double::div_scale(b, x, d, n)
        }
        Op::VMadU64U32 | Op::VMadI64I32 => {
            let [x, y, z, _] = operands.sources;
            integer::mad64(b, x, y, z, op == Op::VMadI64I32)
        }
        _ => {
            let value = of_floats(b, op, operands)
                .or_else(|| of_integers(b, op, operands))
                .or_else(|| of_doubles(b, op, operands))
                .or_else(|| conversion(b, op, operands))?;
            return Some((value, None));
        }
    };
    Some((with_mask.0, Some(with_mask.1)))
}

fn carry(b: &mut Builder, op: Op, operands: &Operands) -> (Value, Value) {
    let [x, y, carry, _] = operands.sources;
    match op {
        Op::VAddI32 => integer::add_carry(b, x, y, None),
        Op::VAddcU32 => integer::add_carry(b, x, y, Some(carry)),
        Op::VSubI32 => integer::sub_borrow(b, x, y, None),
        Op::VSubbU32 => integer::sub_borrow(b, x, y, Some(carry)),
        Op::VSubrevI32 => integer::sub_borrow(b, y, x, None),
        _ => integer::sub_borrow(b, y, x, Some(carry)),
    }
}

fn of_floats(b: &mut Builder, op: Op, operands: &Operands) -> Option<Value> {
    let [x, y, z, w] = operands.sources;
    let d = operands.old;
    Some(match op {
        Op::VAddF32 => b.fadd(x, y),
        Op::VSubF32 => b.fsub(x, y),
        Op::VSubrevF32 => b.fsub(y, x),
        Op::VMulF32 => b.fmul(x, y),
        Op::VMulLegacyF32 => float::mul_legacy(b, x, y),
        Op::VMacF32 => b.fmad(x, y, d),
        Op::VMadF32 | Op::VMadmkF32 | Op::VMadakF32 => b.fmad(x, y, z),
        Op::VMacLegacyF32 => ir!(b, fadd({ float::mul_legacy(b, x, y) }, d)),
        Op::VMadLegacyF32 => ir!(b, fadd({ float::mul_legacy(b, x, y) }, z)),
        Op::VFmaF32 => b.ffma(x, y, z),
        Op::VMullitF32 => float::mul_lit(b, x, y, z),
        Op::VMinF32 => b.fmin(x, y),
        Op::VMaxF32 => b.fmax(x, y),
        Op::VMinLegacyF32 => float::min_legacy(b, x, y),
        Op::VMaxLegacyF32 => float::max_legacy(b, x, y),
        Op::VMin3F32 => float::min3(b, x, y, z),
        Op::VMax3F32 => float::max3(b, x, y, z),
        Op::VMed3F32 => float::median(b, x, y, z),
        Op::VFractF32 => b.ffract(x),
        Op::VTruncF32 => b.ftrunc(x),
        Op::VCeilF32 => b.fceil(x),
        Op::VRndneF32 => b.fround(x),
        Op::VFloorF32 => b.ffloor(x),
        Op::VExpF32 | Op::VExpLegacyF32 => b.fexp2(x),
        Op::VLogF32 | Op::VLogLegacyF32 => b.flog2(x),
        Op::VLogClampF32 => {
            let value = b.flog2(x);
            float::clamp_infinity(b, value)
        }
        Op::VRcpF32 | Op::VRcpIflagF32 => b.frcp(x),
        Op::VRcpClampF32 => {
            let value = b.frcp(x);
            float::clamp_infinity(b, value)
        }
        Op::VRcpLegacyF32 => {
            let value = b.frcp(x);
            float::zero_infinity(b, value)
        }
        Op::VRsqF32 => b.frsq(x),
        Op::VRsqClampF32 => {
            let value = b.frsq(x);
            float::clamp_infinity(b, value)
        }
        Op::VRsqLegacyF32 => {
            let value = b.frsq(x);
            float::zero_infinity(b, value)
        }
        Op::VSqrtF32 => b.fsqrt(x),
        Op::VSinF32 => float::sine(b, x, false),
        Op::VCosF32 => float::sine(b, x, true),
        Op::VLdexpF32 => b.fldexp(x, y),
        Op::VFrexpMantF32 => b.ffrexp_mant(x),
        Op::VFrexpExpI32F32 => b.ffrexp_exp(x),
        Op::VDivFmasF32 => float::div_fmas(b, x, y, z, w),
        Op::VDivFixupF32 => float::div_fixup(b, x, y, z),
        Op::VCubeidF32 => float::cube(b, float::Cube::Face, x, y, z),
        Op::VCubescF32 => float::cube(b, float::Cube::S, x, y, z),
        Op::VCubetcF32 => float::cube(b, float::Cube::T, x, y, z),
        Op::VCubemaF32 => float::cube(b, float::Cube::Major, x, y, z),
        _ => return None,
    })
}

fn of_integers(b: &mut Builder, op: Op, operands: &Operands) -> Option<Value> {
    let [x, y, z, _] = operands.sources;
    let product24 = |b: &mut Builder, signed: bool| {
        let (x, y) = (integer::bits24(b, x, signed), integer::bits24(b, y, signed));
        (x, y)
    };
    Some(match op {
        Op::VMovB32 | Op::VMovFedB32 => x,
        Op::VCndmaskB32 => b.select(z, y, x),
        Op::VNotB32 => b.inot(x),
        Op::VAndB32 => b.iand(x, y),
        Op::VOrB32 => b.ior(x, y),
        Op::VXorB32 => b.ixor(x, y),
        Op::VBfrevB32 => b.bitreverse(x),
        Op::VFfbhU32 => integer::leading_zeros(b, x),
        Op::VFfblB32 => b.find_lsb(x),
        Op::VFfbhI32 => integer::leading_signs(b, x),
        Op::VBfmB32 => ir!(b, ishl(isub(ishl(1, x), 1), y)),
        Op::VBcntU32B32 => ir!(b, iadd(bitcount(x), y)),
        Op::VBfeU32 => b.ubfe(x, y, z),
        Op::VBfeI32 => b.ibfe(x, y, z),
        Op::VBfiB32 => integer::insert(b, x, y, z),
        Op::VAlignbitB32 => integer::align(b, x, y, z),
        Op::VAlignbyteB32 => {
            let count = ir!(b, ishl(iand(z, 3), 3));
            integer::align(b, x, y, count)
        }
        Op::VMinI32 => b.imin(x, y),
        Op::VMaxI32 => b.imax(x, y),
        Op::VMinU32 => b.umin(x, y),
        Op::VMaxU32 => b.umax(x, y),
        Op::VMin3I32 => ir!(b, imin(imin(x, y), z)),
        Op::VMin3U32 => ir!(b, umin(umin(x, y), z)),
        Op::VMax3I32 => ir!(b, imax(imax(x, y), z)),
        Op::VMax3U32 => ir!(b, umax(umax(x, y), z)),
        Op::VMed3I32 => integer::median(b, x, y, z, true),
        Op::VMed3U32 => integer::median(b, x, y, z, false),
        Op::VLshrB32 => b.ushr(x, y),
        Op::VLshrrevB32 => b.ushr(y, x),
        Op::VAshrI32 => b.ishr(x, y),
        Op::VAshrrevI32 => b.ishr(y, x),
        Op::VLshlB32 => b.ishl(x, y),
        Op::VLshlrevB32 => b.ishl(y, x),
        Op::VLshlB64 => integer::shift64(b, integer::Shift::Left, x, y),
        Op::VLshrB64 => integer::shift64(b, integer::Shift::Right, x, y),
        Op::VAshrI64 => integer::shift64(b, integer::Shift::RightSigned, x, y),
        Op::VMulLoU32 | Op::VMulLoI32 => b.imul(x, y),
        Op::VMulHiU32 => b.umulhi(x, y),
        Op::VMulHiI32 => b.imulhi(x, y),
        Op::VMulI32I24 | Op::VMulU32U24 => {
            let (x, y) = product24(b, op == Op::VMulI32I24);
            b.imul(x, y)
        }
        Op::VMulHiI32I24 => {
            let (x, y) = product24(b, true);
            b.imulhi(x, y)
        }
        Op::VMulHiU32U24 => {
            let (x, y) = product24(b, false);
            b.umulhi(x, y)
        }
        Op::VMadI32I24 | Op::VMadU32U24 => {
            let (x, y) = product24(b, op == Op::VMadI32I24);
            ir!(b, iadd(imul(x, y), z))
        }
        Op::VLerpU8 => integer::lerp_bytes(b, x, y, z),
        Op::VSadU8 => ir!(b, iadd({ integer::differences(b, x, y, 8, false) }, z)),
        Op::VSadHiU8 => ir!(b, iadd(ishl({ integer::differences(b, x, y, 8, false) }, 16), z)),
        Op::VSadU16 => ir!(b, iadd({ integer::differences(b, x, y, 16, false) }, z)),
        Op::VSadU32 => ir!(b, iadd({ integer::differences(b, x, y, 32, false) }, z)),
        Op::VMsadU8 => ir!(b, iadd({ integer::differences(b, x, y, 8, true) }, z)),
        Op::VQsadPkU16U8 | Op::VMqsadPkU16U8 => {
            let sums = integer::quad_differences(b, x, y, op == Op::VMqsadPkU16U8);
            integer::accumulate16(b, sums, z)
        }
        Op::VMqsadU32U8 => {
            let sums = integer::quad_differences(b, x, y, true);
            let sums = b.construct(&sums);
            b.iadd(sums, z)
        }
        _ => return None,
    })
}

fn of_doubles(b: &mut Builder, op: Op, operands: &Operands) -> Option<Value> {
    let [x, y, z, w] = operands.sources;
    Some(match op {
        Op::VAddF64 => b.dadd(x, y),
        Op::VMulF64 => b.dmul(x, y),
        Op::VFmaF64 => b.dfma(x, y, z),
        Op::VMinF64 => b.dmin(x, y),
        Op::VMaxF64 => b.dmax(x, y),
        Op::VTruncF64 => b.dtrunc(x),
        Op::VCeilF64 => b.dceil(x),
        Op::VRndneF64 => b.dround(x),
        Op::VFloorF64 => b.dfloor(x),
        Op::VFractF64 => b.dfract(x),
        Op::VRcpF64 => b.drcp(x),
        Op::VRcpClampF64 => {
            let value = b.drcp(x);
            double::clamp_infinity(b, value)
        }
        Op::VRsqF64 => b.drsq(x),
        Op::VRsqClampF64 => {
            let value = b.drsq(x);
            double::clamp_infinity(b, value)
        }
        Op::VSqrtF64 => b.dsqrt(x),
        Op::VLdexpF64 => b.dldexp(x, y),
        Op::VFrexpMantF64 => b.dfrexp_mant(x),
        Op::VFrexpExpI32F64 => b.dfrexp_exp(x),
        Op::VDivFmasF64 => double::div_fmas(b, x, y, z, w),
        Op::VDivFixupF64 => double::div_fixup(b, x, y, z),
        Op::VTrigPreopF64 => double::trig_preop(b, x, y),
        _ => return None,
    })
}

fn conversion(b: &mut Builder, op: Op, operands: &Operands) -> Option<Value> {
    let [x, y, z, _] = operands.sources;
    Some(match op {
        Op::VCvtI32F64 => b.d2i(x),
        Op::VCvtU32F64 => b.d2u(x),
        Op::VCvtF64I32 => b.i2d(x),
        Op::VCvtF64U32 => b.u2d(x),
        Op::VCvtF32F64 => b.d2f(x),
        Op::VCvtF64F32 => b.f2d(x),
        Op::VCvtF32I32 => b.i2f(x),
        Op::VCvtF32U32 => b.u2f(x),
        Op::VCvtU32F32 => b.f2u(x),
        Op::VCvtI32F32 => b.f2i(x),
        Op::VCvtF16F32 if operands.halves_toward_zero => b.f2h_rtz(x),
        Op::VCvtF16F32 => b.f2h(x),
        Op::VCvtF32F16 => b.h2f(x),
        Op::VCvtRpiI32F32 => convert::round_up_to_int(b, x),
        Op::VCvtFlrI32F32 => convert::floor_to_int(b, x),
        Op::VCvtOffF32I4 => convert::offset_to_float(b, x),
        Op::VCvtF32Ubyte0 => convert::byte_to_float(b, x, 0),
        Op::VCvtF32Ubyte1 => convert::byte_to_float(b, x, 1),
        Op::VCvtF32Ubyte2 => convert::byte_to_float(b, x, 2),
        Op::VCvtF32Ubyte3 => convert::byte_to_float(b, x, 3),
        Op::VCvtPkaccumU8F32 => convert::pack_byte(b, x, y, operands.old),
        Op::VCvtPkU8F32 => convert::pack_byte(b, x, y, z),
        Op::VCvtPknormI16F32 => {
            let (x, y) = (convert::to_snorm16(b, x), convert::to_snorm16(b, y));
            convert::pack(b, x, y)
        }
        Op::VCvtPknormU16F32 => {
            let (x, y) = (convert::to_unorm16(b, x), convert::to_unorm16(b, y));
            convert::pack(b, x, y)
        }
        Op::VCvtPkrtzF16F32 => convert::pack_halves_toward_zero(b, x, y),
        Op::VCvtPkU16U32 => convert::pack_u16(b, x, y),
        Op::VCvtPkI16I32 => convert::pack_i16(b, x, y),
        _ => return None,
    })
}

/// Whether a comparison of two operands of a type holds.
pub(in crate::lift) fn compare(b: &mut Builder, compare: Compare, ty: Ty, x: Value, y: Value) -> Value {
    let swapped = matches!(compare, Compare::Gt | Compare::Ge | Compare::Ngt | Compare::Nge);
    let (x, y) = if swapped { (y, x) } else { (x, y) };
    match compare {
        Compare::False => b.bool(false),
        Compare::True => b.bool(true),
        Compare::Lt | Compare::Gt => less(b, ty, x, y, false),
        Compare::Le | Compare::Ge => less(b, ty, x, y, true),
        Compare::Nlt | Compare::Ngt => ir!(b, bnot({ less(b, ty, x, y, false) })),
        Compare::Nle | Compare::Nge => ir!(b, bnot({ less(b, ty, x, y, true) })),
        Compare::Eq => equal(b, ty, x, y),
        Compare::Neq => ir!(b, bnot({ equal(b, ty, x, y) })),
        Compare::Lg if ty.is_float() => ir!(b, bor({ less(b, ty, x, y, false) }, { less(b, ty, y, x, false) })),
        Compare::Lg => ir!(b, bnot({ equal(b, ty, x, y) })),
        Compare::Nlg => {
            let different = ir!(b, bor({ less(b, ty, x, y, false) }, { less(b, ty, y, x, false) }));
            b.bnot(different)
        }
        Compare::Ordered => ir!(b, band({ equal(b, ty, x, x) }, { equal(b, ty, y, y) })),
        Compare::Unordered => {
            let ordered = ir!(b, band({ equal(b, ty, x, x) }, { equal(b, ty, y, y) }));
            b.bnot(ordered)
        }
    }
}

fn less(b: &mut Builder, ty: Ty, x: Value, y: Value, or_equal: bool) -> Value {
    match (ty, or_equal) {
        (Ty::F32, false) => b.flt(x, y),
        (Ty::F32, true) => b.fle(x, y),
        (Ty::F64, false) => b.dlt(x, y),
        (Ty::F64, true) => b.dle(x, y),
        (Ty::I64 | Ty::U64, _) => integer::less64(b, x, y, ty == Ty::I64, or_equal),
        (Ty::I32, false) => b.ilt(x, y),
        (Ty::I32, true) => b.ile(x, y),
        (_, false) => b.ult(x, y),
        (_, true) => b.ule(x, y),
    }
}

fn equal(b: &mut Builder, ty: Ty, x: Value, y: Value) -> Value {
    match ty {
        Ty::F32 => b.feq(x, y),
        Ty::F64 => b.deq(x, y),
        Ty::I64 | Ty::U64 => integer::equal64(b, x, y),
        _ => b.ieq(x, y),
    }
}

/// Whether a float is of the classes of a mask.
pub(super) fn class(b: &mut Builder, ty: Ty, value: Value, mask: Value) -> Value {
    let facts = if ty == Ty::F64 { double::facts(b, value) } else { float::facts(b, value) };
    float::class(b, &facts, mask)
}

/// A source with VOP3's modifiers of floats.
pub(super) fn modify_source(b: &mut Builder, ty: Ty, value: Value, abs: bool, neg: bool) -> Value {
    if !(abs || neg) {
        return value;
    }
    match ty {
        Ty::F64 => double::sign(b, value, abs, neg),
        Ty::F16 => {
            let value = if abs { ir!(b, iand(value, 0x7fff)) } else { value };
            if neg { ir!(b, ixor(value, 0x8000)) } else { value }
        }
        _ => {
            let value = if abs { b.fabs(value) } else { value };
            if neg { b.fneg(value) } else { value }
        }
    }
}

/// A result with VOP3's modifiers.
pub(super) fn modify_result(b: &mut Builder, ty: Ty, value: Value, omod: u8, clamp: bool, nan_to_zero: bool) -> Value {
    match ty {
        Ty::F64 => double::modify(b, value, omod, clamp, nan_to_zero),
        Ty::F32 => {
            let value = float::modify(b, value, omod);
            if clamp { float::clamp(b, value, nan_to_zero) } else { value }
        }
        _ => value,
    }
}

/// The number of ones of a mask's word below a lane's bit: of its low word, or of its high one.
pub(super) fn count_below(b: &mut Builder, word: Value, lane: Value, high: bool) -> Value {
    let below = ir!(b, isub(ishl(1, lane), 1));
    let upper = ir!(b, ule(32, lane));
    let below = if high { ir!(b, select(upper, below, 0)) } else { ir!(b, select(upper, { b.i32(-1) }, below)) };
    ir!(b, bitcount(iand(word, below)))
}

/// A 64-bit address and an unsigned offset to it.
pub(crate) fn advance(b: &mut Builder, address: Value, offset: Value) -> Value {
    let (low, high) = halves(b, address);
    let sum = b.iadd(low, offset);
    let carry = b.uadd_carry(low, offset);
    let high = ir!(b, iadd(high, select(carry, 1, 0)));
    pair(b, sum, high)
}
