//! Float rules of the guests, in terms of IEEE opcodes.
//!
//! Precondition: a verified module. Promise: no opcode with the flag `GUEST_FLOAT` is left. [`FloatRules::Strict`] keeps what the
//! shader computes to the bit. [`FloatRules::Relaxed`] keeps it as long as zero is never multiplied by infinity or NaN, and NaN is
//! never compared; signs of zeros may differ. So that shaders do not make infinities themselves, reciprocals, roots and logarithms
//! are clamped to 2^96 instead of the largest finite number: then products with what is below 2^32 are finite.
//! [`FloatRules::Balanced`] is one or the other by stage.
//!
//! The strict product is `(b == 0 ? 0 : a) * (a == 0 ? 0 : b)`: five instructions in SPIR-V as any other form, but the one that
//! drivers know. Mesa's `nir_opt_algebraic.py` ("open-coded fmulz") and AMD's LLPC make it one instruction of the hardware, also
//! inside of multiply-adds and dot products, and so they do with `a * (a == 0 ? 0 : k)` for a constant k. Mesa does so only where it
//! need not keep the signs of zeros. Others compute all five, which takes 3 times as long.
//!
//! Where zero cannot meet infinity or NaN, the plain instruction is exact: a square; a factor that is a finite constant without
//! zeros (in a sum, which forgets the sign of a zero, or if it is positive); two factors that are finite and not negative. Zeros of
//! a constant leave a dot product.

use afterimage_ir::{Args, Flags, Imm, Inst, Kind, Mask, Module, Op, Region, Stage, Swizzle, Type, Value};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

use crate::facts::{facts, of_constant};
use crate::rewrite::{Action, Cursor, rewrite};

/// How closely the guest's rules are followed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum FloatRules {
    /// To the bit. A multiplication costs up to four more instructions.
    Strict,
    /// Strict in vertex shaders, where zero weights meet registers that the program never set, and one wrong position is seen all
    /// over the screen. Relaxed in pixel shaders, which are most of the work.
    Balanced,
    /// As far as plain instructions do it.
    Relaxed,
}

impl FloatRules {
    /// Every choice, the closest first.
    pub const ALL: [Self; 3] = [Self::Strict, Self::Balanced, Self::Relaxed];

    /// Its name in settings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Strict => "strict",
            Self::Balanced => "balanced",
            Self::Relaxed => "relaxed",
        }
    }

    /// Whether shaders of this stage follow the rules to the bit.
    pub fn strict_in(self, stage: Stage) -> bool {
        match self {
            Self::Strict => true,
            Self::Balanced => stage != Stage::Pixel,
            Self::Relaxed => false,
        }
    }

    /// The choice of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rules| rules.name() == name)
    }
}

/// Runs the pass.
pub fn run(m: &mut Module, rules: FloatRules) {
    // Some guests have none of them.
    if !m.insts.iter().any(|data| data.op.has(Flags::GUEST_FLOAT)) {
        return;
    }
    let mut known = Written { zeros: [None; 4], is_zero: FxHashMap::default() };
    let strict = rules.strict_in(m.stage);
    rewrite(m, |cursor, inst| {
        let data = cursor.m.inst(inst);
        if !data.op.has(Flags::GUEST_FLOAT) {
            return Action::Keep;
        }
        lower(cursor, inst, strict, &mut known)
    });
}

/// What has been written already, with the region that it is in: there it may be used again. `cse` would find the same, but what
/// is never written costs nothing on the way to it.
struct Written {
    /// Zeros by number of components.
    zeros: [Option<(Region, Value)>; 4],
    /// Comparisons of a value with zero.
    is_zero: FxHashMap<(Region, Value), Value>,
}

impl Written {
    fn zero(&mut self, cursor: &mut Cursor<'_>, ty: Type) -> Value {
        let known = &mut self.zeros[ty.lanes as usize - 1];
        match *known {
            Some((region, zero)) if region == cursor.region => zero,
            _ => known.insert((cursor.region, cursor.splat(ty, 0))).1,
        }
    }

    fn is_zero(&mut self, cursor: &mut Cursor<'_>, value: Value) -> Value {
        let (key, ty) = ((cursor.region, value), cursor.m.ty(value));
        let zero = self.zero(cursor, ty);
        let compare = || cursor.push(Op::FEq, Imm::None, smallvec![value, zero], ty.with_kind(Kind::Bool));
        *self.is_zero.entry(key).or_insert_with(compare)
    }
}

fn lower(cursor: &mut Cursor<'_>, inst: Inst, strict: bool, known: &mut Written) -> Action {
    let data = cursor.m.inst(inst);
    let (op, args) = (data.op, data.args.clone());
    let ty = cursor.m.ty(data.results[0]);
    let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
    match (op, strict) {
        (Op::FMulZ, false) => become_(cursor, inst, Op::FMul, args),
        (Op::FMadZ, false) => become_(cursor, inst, Op::FMad, args),
        (Op::FDotZ, false) => become_(cursor, inst, Op::FDot, args),
        (Op::FMinC, false) => become_(cursor, inst, Op::FMin, args),
        (Op::FMaxC, false) => become_(cursor, inst, Op::FMax, args),
        (Op::FMulZ, true) => {
            let [a, b] = factors(cursor, known, a, b, false);
            become_(cursor, inst, Op::FMul, smallvec![a, b])
        }
        (Op::FMadZ, true) => {
            let sum = args[2];
            // Adding what is not -0 forgets the sign of a zero.
            let lanes = ty.lanes as usize;
            let unsigned = cursor.m.as_const(sum).is_some_and(|bits| bits[..lanes].iter().all(|&b| b != 1 << 31));
            let [a, b] = factors(cursor, known, a, b, unsigned);
            become_(cursor, inst, Op::FMad, smallvec![a, b, sum])
        }
        (Op::FDotZ, true) => {
            let [a, b] = without_zeros(cursor, a, b);
            let [a, b] = factors(cursor, known, a, b, true);
            become_(cursor, inst, Op::FDot, smallvec![a, b])
        }
        (Op::FMinC, true) => {
            let less = cursor.push(Op::FLt, Imm::None, smallvec![a, b], ty.with_kind(Kind::Bool));
            become_(cursor, inst, Op::Select, smallvec![less, a, b])
        }
        (Op::FMaxC, true) => {
            let greater = cursor.push(Op::FLe, Imm::None, smallvec![b, a], ty.with_kind(Kind::Bool));
            become_(cursor, inst, Op::Select, smallvec![greater, a, b])
        }
        (Op::FRcpC, _) => Action::Replace(clamped(cursor, Op::FRcp, a, ty, strict)),
        (Op::FRsqC, _) => Action::Replace(clamped(cursor, Op::FRsq, a, ty, strict)),
        (Op::FLog2C, _) => Action::Replace(clamped(cursor, Op::FLog2, a, ty, strict)),
        _ => Action::Keep,
    }
}

fn become_(cursor: &mut Cursor<'_>, inst: Inst, op: Op, args: Args) -> Action {
    let data = &mut cursor.m.insts[inst.index()];
    data.op = op;
    data.args = args;
    Action::Keep
}

/// Two factors whose plain product is what the guest wants. `unsigned`: the sign of a zero does not matter.
fn factors(cursor: &mut Cursor<'_>, known: &mut Written, a: Value, b: Value, unsigned: bool) -> [Value; 2] {
    if a == b {
        return [a, b];
    }
    let facts = [facts(cursor.m, a), facts(cursor.m, b)];
    let harmless = |n: usize| facts[n].finite && facts[n].not_zero && (unsigned || facts[n].not_negative);
    if harmless(0) || harmless(1) || facts.iter().all(|f| f.finite && f.not_negative) {
        return [a, b];
    }
    let ty = cursor.m.ty(a);
    let zero = known.zero(cursor, ty);
    let mut unless_zero = |factor, other, never: bool| {
        if never {
            return factor;
        }
        let is_zero = known.is_zero(cursor, other);
        cursor.push(Op::Select, Imm::None, smallvec![is_zero, zero, factor], ty)
    };
    [unless_zero(a, b, facts[1].not_zero), unless_zero(b, a, facts[0].not_zero)]
}

/// The factors of a dot product without the components in which one of them is a constant zero. The sum begins with +0, so
/// adding a zero of any sign makes no difference.
fn without_zeros(cursor: &mut Cursor<'_>, a: Value, b: Value) -> [Value; 2] {
    let lanes = cursor.m.ty(a).lanes;
    let mut zeros = 0;
    for bits in [a, b].into_iter().filter_map(|factor| cursor.m.as_const(factor)) {
        let zero = |lane: &u8| !of_constant(&bits[*lane as usize..][..1]).not_zero;
        zeros |= (0..lanes).filter(zero).fold(0, |mask, lane| mask | 1 << lane);
    }
    let left: SmallVec<[u8; 4]> = Mask(Mask::first(lanes).0 & !zeros).lanes().collect();
    if left.len() == lanes as usize || left.is_empty() {
        return [a, b];
    }
    [a, b].map(|factor| {
        let ty = cursor.m.ty(factor).with_lanes(left.len() as u8);
        let Some(bits) = cursor.m.as_const(factor) else {
            return cursor.push(Op::Swizzle, Imm::Swizzle(Swizzle::new(&left)), smallvec![factor], ty);
        };
        let mut cut = [0; 4];
        cut.iter_mut().zip(&left).for_each(|(cut, &lane)| *cut = bits[lane as usize]);
        cursor.push(Op::Const, Imm::Const(cut), Args::new(), ty)
    })
}

/// The most that relaxed reciprocals, roots and logarithms come to: 2^96. Of normal numbers, only the reciprocals of those below
/// 2^-96 are larger.
const RELAXED_MAX: f32 = f32::from_bits((127 + 96) << 23);

/// `op` of `arg`, between the least and the greatest finite number, or what the relaxed rules take for those.
fn clamped(cursor: &mut Cursor<'_>, op: Op, arg: Value, ty: Type, strict: bool) -> Value {
    let most = if strict { f32::MAX } else { RELAXED_MAX };
    let mut value = cursor.push(op, Imm::None, smallvec![arg], ty);
    let known = facts(cursor.m, arg);
    // The logarithm of a number below infinity is finite.
    if !(op == Op::FLog2 && known.finite && known.not_negative) {
        let limit = cursor.splat(ty, most.to_bits());
        value = cursor.push(Op::FMin, Imm::None, smallvec![value, limit], ty);
    }
    // What comes out of +0 and above is not negative, but for logarithms.
    if op == Op::FLog2 || !known.not_negative {
        let limit = cursor.splat(ty, (-most).to_bits());
        value = cursor.push(Op::FMax, Imm::None, smallvec![value, limit], ty);
    }
    value
}
