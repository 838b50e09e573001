//! Opcodes and what is known about each: names, operands, flags, documentation and scalar meaning.

use crate::table::opcode_table;
use crate::types::Kind;

/// What an operand or result of an opcode may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// Float.
    F,
    /// Integer.
    I,
    /// Truth value.
    P,
    /// Any kind, the same for all `T` of the opcode.
    T,
    /// Any kind but truth values, each `W` for itself.
    W,
    /// A double: two integers, low half first.
    D,
}

impl Pattern {
    /// The only kind that fits, if there is only one.
    pub fn kind(self) -> Option<Kind> {
        match self {
            Pattern::F => Some(Kind::Float),
            Pattern::I | Pattern::D => Some(Kind::Int),
            Pattern::P => Some(Kind::Bool),
            Pattern::T | Pattern::W => None,
        }
    }

    /// Whether `kind` fits, `T` not being settled by another operand.
    pub fn accepts(self, kind: Kind) -> bool {
        match self {
            Pattern::T => true,
            Pattern::W => kind != Kind::Bool,
            _ => self.kind() == Some(kind),
        }
    }
}

/// Properties of an opcode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Flags(pub u8);

impl Flags {
    /// The operands of a binary opcode, or the first two, may change places.
    pub const COMMUTATIVE: Flags = Flags(1);
    /// Does something besides giving a result: may not be removed, repeated, moved or merged.
    pub const SIDE_EFFECT: Flags = Flags(2);
    /// Ends a region.
    pub const TERMINATOR: Flags = Flags(4);
    /// Reads the other pixels of the quad: pixel stage only.
    pub const QUAD: Flags = Flags(8);
    /// A float rule of a guest that the `float_rules` pass lowers.
    pub const GUEST_FLOAT: Flags = Flags(16);
    /// Reads memory that side effects change: may not be moved or merged across them.
    pub const MEMORY: Flags = Flags(32);
    /// Reads the other lanes of the wave that run it: may not be moved to where other lanes run, nor merged with others.
    pub const WAVE: Flags = Flags(64);

    /// Whether all of `other` are set.
    pub const fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// The immediate that an opcode carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ImmKind {
    /// None.
    None,
    /// Bits of each component.
    Const,
    /// A swizzle of one operand.
    Swizzle,
    /// Component numbers through two operands.
    Shuffle,
    /// A variable.
    Var,
    /// A variable and the components to write.
    VarMask,
    /// A declared input.
    Input,
    /// A declared output.
    Output,
    /// A constant bank and a register number.
    Bank,
    /// A declared texture, with an offset in texels.
    Texture,
    /// A declared texture, a component, and an offset in texels.
    Gather,
    /// A declared storage image.
    Image,
    /// A declared storage image, and what is done to its texel.
    ImageAtomic,
    /// What is done to memory.
    Atomic,
    /// A declared specialisation constant.
    Spec,
    /// A stream of vertices.
    Stream,
    /// Two regions.
    If,
    /// One region with parameters.
    Loop,
}

/// What an opcode computes.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// On each component alone: bits of the operands (unused ones are 0) to bits of the result. Truth values are 0 and 1.
    Lanes(fn([u32; 3]) -> u32),
    /// Over all components: first the accumulator's start, then a step per component with the operands' bits.
    Reduce(u32, fn(u32, [u32; 3]) -> u32),
    /// On operands and a result each of which is a scalar's 32 bits or, where the row says `D`, a double's 64.
    Pairs(fn([u64; 3]) -> u64),
    /// Not a function of operand bits alone.
    Special,
}

/// A row of the opcode table.
pub struct OpInfo {
    /// The opcode.
    pub op: Op,
    /// Name in the text form and in the builder.
    pub name: &'static str,
    /// Operands, or `None` if their number varies.
    pub args: Option<&'static [Pattern]>,
    /// Result, if it has one of its own. (`if` and `loop` have any number.)
    pub result: Option<Pattern>,
    /// Immediate.
    pub imm: ImmKind,
    /// Properties.
    pub flags: Flags,
    /// What it does, in a sentence.
    pub doc: &'static str,
    /// The operands as the table has them, with their names where it gives them.
    pub operands: &'static str,
    /// The table's expression of the meaning; empty if it has none.
    pub formula: &'static str,
    /// What it computes.
    pub meaning: Meaning,
}

/// Rust types that stand for component kinds in the table's expressions.
mod host {
    pub(super) trait Scalar {
        type Host;
        fn get(bits: u32) -> Self::Host;
        fn put(host: Self::Host) -> u32;
    }
    /// NaN has one pattern as a result: which one a computation gives is open, but the folder must agree with the interpreter.
    fn canonical(f: f32) -> u32 {
        if f.is_nan() { 0x7fc0_0000 } else { f.to_bits() }
    }
    macro_rules! scalar {
        ($($name:ident $host:ty, $get:expr, $put:expr;)*) => {$(
            pub(super) struct $name;
            impl Scalar for $name {
                type Host = $host;
                fn get(bits: u32) -> $host { ($get)(bits) }
                fn put(host: $host) -> u32 { ($put)(host) }
            }
        )*};
    }
    scalar! {
        F f32, f32::from_bits, canonical;
        I u32, |b| b, |b| b;
        P bool, |b| b != 0, |b| b as u32;
        T u32, |b| b, |b| b;
    }
}

/// Rust types that stand for the operands of the `pairs` part of the table.
mod wide {
    pub(super) trait Wide {
        type Host;
        fn get(bits: u64) -> Self::Host;
        fn put(host: Self::Host) -> u64;
    }
    macro_rules! narrow {
        ($($name:ident)*) => {$(
            pub(super) struct $name;
            impl Wide for $name {
                type Host = <super::host::$name as super::host::Scalar>::Host;
                fn get(bits: u64) -> Self::Host { <super::host::$name as super::host::Scalar>::get(bits as u32) }
                fn put(host: Self::Host) -> u64 { <super::host::$name as super::host::Scalar>::put(host).into() }
            }
        )*};
    }
    narrow! { F I P }
    pub(super) struct D;
    impl Wide for D {
        type Host = f64;
        fn get(bits: u64) -> f64 {
            f64::from_bits(bits)
        }
        fn put(host: f64) -> u64 {
            if host.is_nan() { f64::NAN.to_bits() } else { host.to_bits() }
        }
    }

    pub(super) fn min(a: f64, b: f64) -> f64 {
        if a == b {
            f64::from_bits(a.to_bits() | b.to_bits())
        } else if a < b || b.is_nan() {
            a
        } else {
            b
        }
    }
    /// In steps that are powers of two themselves: each is exact as long as the result is a normal number.
    pub(super) fn ldexp(mut a: f64, mut b: i32) -> f64 {
        for _ in 0..3 {
            let step = b.clamp(-1022, 1023);
            a *= f64::from_bits(((step + 1023) as u64) << 52);
            b = b.saturating_sub(step);
        }
        a
    }
    pub(super) fn frexp(a: f64) -> (f64, i32) {
        if a == 0.0 || !a.is_finite() {
            return (a, 0);
        }
        let (scaled, bias) = if a.abs() < f64::MIN_POSITIVE { (a * 2f64.powi(64), 64) } else { (a, 0) };
        let bits = scaled.to_bits();
        let mant = f64::from_bits(bits & !(0x7ff << 52) | 0x3fe << 52);
        (mant, (bits >> 52 & 0x7ff) as i32 - 0x3fe - bias)
    }
}

/// Rules that take more than an operator.
mod scalar {
    pub(super) fn saturate(a: f32) -> f32 {
        if a > 0.0 { a.min(1.0) } else { 0.0 }
    }
    pub(super) fn min(a: f32, b: f32) -> f32 {
        if a == b {
            // -0 is the lesser of the zeros, so that the order of operands does not matter.
            f32::from_bits(a.to_bits() | b.to_bits())
        } else if a < b || b.is_nan() {
            a
        } else {
            b
        }
    }
    pub(super) fn max(a: f32, b: f32) -> f32 {
        if a == b {
            f32::from_bits(a.to_bits() & b.to_bits())
        } else if a > b || b.is_nan() {
            a
        } else {
            b
        }
    }
    pub(super) fn mul_zero(a: f32, b: f32) -> f32 {
        let x = if b == 0.0 { 0.0 } else { a };
        let y = if a == 0.0 { 0.0 } else { b };
        x * y
    }
    pub(super) fn clamp_finite(a: f32) -> f32 {
        max(min(a, f32::MAX), f32::MIN)
    }
    pub(super) fn signed_field(a: u32, first: u32, count: u32) -> u32 {
        if count == 0 {
            return 0;
        }
        let end = (first + count).min(32);
        ((a << (32 - end)) as i32 >> (32 - end + first)) as u32
    }
    pub(super) fn half(a: f32) -> u32 {
        let (sign, size) = (a.to_bits() >> 16 & 0x8000, a.to_bits() & 0x7fff_ffff);
        if a.is_nan() {
            return 0x7e00;
        }
        sign | match size {
            0x4780_0000.. => 0x7c00,
            // The sum's last bit is that of a half's fraction, so that adding rounds as wanted.
            0..0x3880_0000 => (f32::from_bits(size) + 0.5).to_bits() - 0.5f32.to_bits(),
            _ => (size - 0x3800_0000 + 0xfff + (size >> 13 & 1)) >> 13,
        }
    }
    pub(super) fn half_toward_zero(a: f32) -> u32 {
        let (sign, size) = (a.to_bits() >> 16 & 0x8000, a.to_bits() & 0x7fff_ffff);
        if a.is_nan() {
            return 0x7e00;
        }
        sign | match size {
            0x7f80_0000 => 0x7c00,
            0x4780_0000.. => 0x7bff,
            0..0x3880_0000 => (f32::from_bits(size) * 16_777_216.0) as u32,
            _ => (size - 0x3800_0000) >> 13,
        }
    }
    pub(super) fn from_half(bits: u32) -> f32 {
        let (sign, size) = ((bits & 0x8000) << 16, bits & 0x7fff);
        let size = match size {
            0x7c01.. => f32::NAN,
            0x7c00 => f32::INFINITY,
            0..0x400 => size as f32 / 16_777_216.0,
            _ => f32::from_bits((size << 13) + 0x3800_0000),
        };
        f32::from_bits(size.to_bits() | sign)
    }
    /// In steps that are powers of two themselves: each is exact as long as the result is a normal number.
    pub(super) fn ldexp(mut a: f32, mut b: i32) -> f32 {
        for _ in 0..3 {
            let step = b.clamp(-126, 127);
            a *= f32::from_bits(((step + 127) as u32) << 23);
            b = b.saturating_sub(step);
        }
        a
    }
    pub(super) fn frexp(a: f32) -> (f32, i32) {
        let (mant, exp) = super::wide::frexp(a.into());
        (mant as f32, exp)
    }
}

/// The start of a reduction, by kind, so that the table's constants can be turned into bits at compile time.
enum Start {
    F(f32),
    P(bool),
}

const fn start(start: Start) -> u32 {
    match start {
        Start::F(f) => f.to_bits(),
        Start::P(p) => p as u32,
    }
}

macro_rules! special_args {
    (..) => { None };
    ($($arg:ident),*) => { Some(&[$(Pattern::$arg),*]) };
}

macro_rules! special_result {
    (_) => {
        None
    };
    ($res:ident) => {
        Some(Pattern::$res)
    };
}

macro_rules! define {
    (
        lanes { $($(#[doc = $ldoc:literal])+ $lop:ident $lname:ident ($($la:ident: $lk:ident),*) -> $lr:ident
            [$($lf:ident)*] = $le:expr;)* }
        reduce { $($(#[doc = $rdoc:literal])+ $rop:ident $rname:ident ($($ra:ident: $rk:ident),*) -> $rr:ident
            [$($rf:ident)*] = $rs:expr, $acc:ident => $re:expr;)* }
        pairs { $($(#[doc = $pdoc:literal])+ $pop:ident $pname:ident ($($pa:ident: $pk:ident),*) -> $pr:ident
            [$($pf:ident)*] = $pe:expr;)* }
        special { $($(#[doc = $sdoc:literal])+ $sop:ident $sname:literal ($($sa:tt)*) -> $sr:tt $si:ident
            [$($sf:ident)*];)* }
    ) => {
        /// An opcode. The table in `table.rs` is its declaration.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Op {
            $($(#[doc = $ldoc])+ $lop,)*
            $($(#[doc = $rdoc])+ $rop,)*
            $($(#[doc = $pdoc])+ $pop,)*
            $($(#[doc = $sdoc])+ $sop,)*
        }

        /// Every opcode, in the order of the enum.
        pub static OPCODES: &[OpInfo] = &[
            $(OpInfo {
                op: Op::$lop,
                name: stringify!($lname),
                args: Some(&[$(Pattern::$lk),*]),
                result: Some(Pattern::$lr),
                imm: ImmKind::None,
                flags: Flags(0 $(| Flags::$lf.0)*),
                doc: concat!($($ldoc),+),
                operands: stringify!($($la: $lk),*),
                formula: stringify!($le),
                meaning: Meaning::Lanes(|words| {
                    use host::Scalar as _;
                    let mut words = words.into_iter();
                    $(let $la = host::$lk::get(words.next().unwrap_or(0));)*
                    host::$lr::put($le)
                }),
            },)*
            $(OpInfo {
                op: Op::$rop,
                name: stringify!($rname),
                args: Some(&[$(Pattern::$rk),*]),
                result: Some(Pattern::$rr),
                imm: ImmKind::None,
                flags: Flags(0 $(| Flags::$rf.0)*),
                doc: concat!($($rdoc),+),
                operands: stringify!($($ra: $rk),*),
                formula: stringify!($rs, $acc => $re),
                meaning: Meaning::Reduce(start(Start::$rr($rs)), |acc, words| {
                    use host::Scalar as _;
                    let mut words = words.into_iter();
                    let $acc = host::$rr::get(acc);
                    $(let $ra = host::$rk::get(words.next().unwrap_or(0));)*
                    host::$rr::put($re)
                }),
            },)*
            $(OpInfo {
                op: Op::$pop,
                name: stringify!($pname),
                args: Some(&[$(Pattern::$pk),*]),
                result: Some(Pattern::$pr),
                imm: ImmKind::None,
                flags: Flags(0 $(| Flags::$pf.0)*),
                doc: concat!($($pdoc),+),
                operands: stringify!($($pa: $pk),*),
                formula: stringify!($pe),
                meaning: Meaning::Pairs(|words| {
                    use wide::Wide as _;
                    let mut words = words.into_iter();
                    $(let $pa = wide::$pk::get(words.next().unwrap_or(0));)*
                    wide::$pr::put($pe)
                }),
            },)*
            $(OpInfo {
                op: Op::$sop,
                name: $sname,
                args: special_args!($($sa)*),
                result: special_result!($sr),
                imm: ImmKind::$si,
                flags: Flags(0 $(| Flags::$sf.0)*),
                doc: concat!($($sdoc),+),
                operands: stringify!($($sa)*),
                formula: "",
                meaning: Meaning::Special,
            },)*
        ];
    };
}

opcode_table!(define);

impl Op {
    /// The opcode's row.
    pub fn info(self) -> &'static OpInfo {
        &OPCODES[self as usize]
    }

    /// Name in the text form.
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it has all of `flags`.
    pub fn has(self, flags: Flags) -> bool {
        self.info().flags.has(flags)
    }

    /// The opcode of that name.
    pub fn from_name(name: &str) -> Option<Op> {
        OPCODES.iter().find(|row| row.name == name).map(|row| row.op)
    }
}
