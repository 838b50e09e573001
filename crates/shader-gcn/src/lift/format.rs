//! Formats of buffers: words of memory to components of a register, and back.
//!
//! Bit positions and conversions from AMD's "Sea Islands Instruction Set Architecture", table 8.13 and the section on number
//! formats. A format's name has its highest component first; the first component is the lowest.

use afterimage_ir::{Builder, Kind, Type, Value};
use smallvec::SmallVec;

use super::vector::notation::ir;

/// How the bits of a component are read: `BUF_NUM_FORMAT`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Number {
    Unorm,
    Snorm,
    Uscaled,
    Sscaled,
    Uint,
    Sint,
    /// Signed, without a pattern for zero: (2 n + 1) / (2^bits - 1).
    SnormOgl,
    Float,
}

impl Number {
    const ALL: [Number; 8] = [
        Number::Unorm,
        Number::Snorm,
        Number::Uscaled,
        Number::Sscaled,
        Number::Uint,
        Number::Sint,
        Number::SnormOgl,
        Number::Float,
    ];

    fn is_signed(self) -> bool {
        matches!(self, Number::Snorm | Number::Sscaled | Number::Sint | Number::SnormOgl)
    }

    fn is_integer(self) -> bool {
        matches!(self, Number::Uint | Number::Sint)
    }
}

/// Bits of each component, the first one lowest, by `BUF_DATA_FORMAT`.
const LAYOUTS: [&[u8]; 16] = [
    &[],
    &[8],
    &[16],
    &[8, 8],
    &[32],
    &[16, 16],
    &[11, 11, 10],
    &[10, 11, 11],
    &[2, 10, 10, 10],
    &[10, 10, 10, 2],
    &[8, 8, 8, 8],
    &[32, 32],
    &[16, 16, 16, 16],
    &[32, 32, 32],
    &[32, 32, 32, 32],
    &[],
];

/// A format of memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Format {
    layout: &'static [u8],
    number: Number,
}

impl Format {
    /// By its data and number format; none for those without a meaning.
    pub(super) fn new(data: u32, number: u32) -> Option<Format> {
        let layout = LAYOUTS.get(data as usize).copied().filter(|layout| !layout.is_empty())?;
        Some(Format { layout, number: Number::ALL[(number & 7) as usize] })
    }

    /// Whether what has no bits is zero.
    pub(super) fn has_zero(self) -> bool {
        self.number != Number::SnormOgl
    }

    /// Bytes in memory.
    pub(super) fn bytes(self) -> u32 {
        self.layout.iter().map(|&bits| u32::from(bits)).sum::<u32>() / 8
    }

    /// Bytes that its address is a multiple of: those of a component, if components are whole bytes, else of all.
    pub(super) fn alignment(self) -> u32 {
        match self.layout[0] {
            8 => 1,
            16 => 2,
            _ => 4,
        }
    }

    /// Where component `index` lies: word, first bit, bits.
    fn place(self, index: usize) -> (usize, u32, u32) {
        let first: u32 = self.layout[..index].iter().map(|&bits| u32::from(bits)).sum();
        (first as usize / 32, first % 32, u32::from(self.layout[index]))
    }

    /// The components in words of memory, each as one word of a register.
    pub(super) fn unpack(self, b: &mut Builder, words: &[Value]) -> SmallVec<[Value; 4]> {
        (0..self.layout.len())
            .map(|index| {
                let (word, first, bits) = self.place(index);
                let raw = extract(b, words[word], first, bits, self.number.is_signed());
                self.to_register(b, raw, bits)
            })
            .collect()
    }

    /// What `dst_sel` puts in place of a component that is not in memory: 0 or 1.
    pub(super) fn constant(self, b: &mut Builder, one: bool) -> Value {
        if !one {
            b.i32(0)
        } else if self.number.is_integer() {
            b.i32(1)
        } else {
            b.f32(1.0)
        }
    }

    fn to_register(self, b: &mut Builder, raw: Value, bits: u32) -> Value {
        let most = max(bits - u32::from(self.number.is_signed()));
        match self.number {
            Number::Uint | Number::Sint => raw,
            Number::Uscaled => b.u2f(raw),
            Number::Sscaled => b.i2f(raw),
            Number::Unorm => ir!(b, fdiv(u2f(raw), { b.f32(most as f32) })),
            Number::Snorm => ir!(b, fmax(fdiv(i2f(raw), { b.f32(most as f32) }), { b.f32(-1.0) })),
            Number::SnormOgl => {
                let twice = ir!(b, fadd(fmul(i2f(raw), 2.0), 1.0));
                ir!(b, fdiv(twice, { b.f32(max(bits) as f32) }))
            }
            Number::Float => match bits {
                16 => b.h2f(raw),
                // Halves without their sign and the lowest bits of their mantissa.
                10 | 11 => ir!(b, h2f(ishl(raw, { b.i32(15 - bits as i32) }))),
                _ => raw,
            },
        }
    }

    /// Components (those that are missing are 0) as words of memory.
    pub(super) fn pack(self, b: &mut Builder, components: &[Value]) -> SmallVec<[Value; 4]> {
        let mut words: SmallVec<[Option<Value>; 4]> = SmallVec::from_elem(None, self.bytes().div_ceil(4) as usize);
        for (index, &component) in components.iter().enumerate().take(self.layout.len()) {
            let (word, first, bits) = self.place(index);
            let raw = self.from_register(b, component, bits);
            let raw = if bits == 32 { raw } else { ir!(b, iand(raw, { b.i32(max(bits) as i32) })) };
            let raw = if first == 0 { raw } else { ir!(b, ishl(raw, { b.i32(first as i32) })) };
            words[word] = Some(match words[word] {
                Some(others) => b.ior(others, raw),
                None => raw,
            });
        }
        words
            .into_iter()
            .map(|word| match word {
                Some(word) => word,
                None => b.i32(0),
            })
            .collect()
    }

    #[expect(clippy::wrong_self_convention, reason = "from a register in this format")]
    fn from_register(self, b: &mut Builder, value: Value, bits: u32) -> Value {
        let most = max(bits - u32::from(self.number.is_signed()));
        match self.number {
            Number::Uint if bits < 32 => ir!(b, umin(value, { b.i32(most as i32) })),
            Number::Sint if bits < 32 => {
                ir!(b, imin(imax(value, { b.i32(-(most as i32) - 1) }), { b.i32(most as i32) }))
            }
            Number::Uint | Number::Sint => value,
            Number::Uscaled if bits < 32 => ir!(b, umin(f2u(value), { b.i32(most as i32) })),
            Number::Uscaled => b.f2u(value),
            Number::Sscaled if bits < 32 => {
                ir!(b, imin(imax(f2i(value), { b.i32(-(most as i32) - 1) }), { b.i32(most as i32) }))
            }
            Number::Sscaled => b.f2i(value),
            Number::Unorm => ir!(b, f2u(fround(fmul(fsat(value), { b.f32(most as f32) })))),
            Number::Snorm => {
                let value = clamp(b, value);
                ir!(b, f2i(fround(fmul(value, { b.f32(most as f32) }))))
            }
            Number::SnormOgl => {
                let value = clamp(b, value);
                let twice = ir!(b, fsub(fmul(value, { b.f32(max(bits) as f32) }), 1.0));
                ir!(b, f2i(fround(fmul(twice, 0.5))))
            }
            Number::Float => match bits {
                16 => b.f2h(value),
                10 | 11 => ir!(b, ushr(f2h_rtz(fmax(value, 0.0)), { b.i32(15 - bits as i32) })),
                _ => value,
            },
        }
    }
}

/// One of some numbers, by a data format.
fn by_format(b: &mut Builder, data: Value, numbers: impl Iterator<Item = u32>) -> Value {
    let mut chosen = b.i32(0);
    for (format, number) in (0..).zip(numbers).filter(|&(_, number)| number != 0) {
        let (format, number) = (b.i32(format), b.i32(number as i32));
        let is = b.ieq(data, format);
        chosen = b.select(is, number, chosen);
    }
    chosen
}

/// Bytes of a texel of a data format that is not known before; 0 of those without a meaning.
pub(super) fn unknown_bytes(b: &mut Builder, data: Value) -> Value {
    by_format(b, data, LAYOUTS.iter().map(|layout| layout.iter().map(|&bits| u32::from(bits)).sum::<u32>() / 8))
}

/// Where component `index` lies of a data format that is not known before: word, first bit, and bits, which are 0 if it is not there.
fn unknown_place(b: &mut Builder, data: Value, index: usize) -> [Value; 3] {
    let places = LAYOUTS.iter().map(|&layout| {
        let format = Format { layout, number: Number::Uint };
        if index < layout.len() {
            let (word, first, bits) = format.place(index);
            (word as u32) << 16 | first << 8 | bits
        } else {
            0
        }
    });
    let place = by_format(b, data, places);
    [16, 8, 0].map(|at| ir!(b, iand(ushr(place, { b.i32(at) }), 0xff)))
}

/// The greatest numbers of so many bits, without and with a sign, and both as floats.
fn unknown_most(b: &mut Builder, bits: Value) -> ([Value; 2], [Value; 2]) {
    let most = ir!(b, ushr({ b.i32(-1) }, isub({ b.i32(32) }, bits)));
    let most = [most, ir!(b, ushr(most, 1))];
    (most, most.map(|most| b.u2f(most)))
}

/// One of eight values, by a number format.
fn by_number(b: &mut Builder, number: Value, values: [Value; 8]) -> Value {
    let mut value = b.i32(0);
    for (n, other) in (0..).zip(values) {
        let (n, other) = (b.i32(n), b.cast(other, Kind::Int));
        let is = b.ieq(number, n);
        value = b.select(is, other, value);
    }
    value
}

/// [`Format::pack`] of a format that is not known before.
pub(super) fn pack_unknown(b: &mut Builder, components: &[Value], data: Value, number: Value) -> [Value; 4] {
    let zero = b.i32(0);
    let mut words = [zero; 4];
    for (index, &component) in components.iter().enumerate() {
        let [word, first, bits] = unknown_place(b, data, index);
        let ([most, most_signed], [scale, scale_signed]) = unknown_most(b, bits);
        let least = b.inot(most_signed);
        let integer = b.cast(component, Kind::Int);
        let value = b.cast(component, Kind::Float);
        let clamped = clamp(b, value);
        let [unsigned, signed] = [b.f2u(value), b.f2i(value)];
        let half = b.f2h(value);
        let short = ir!(b, ushr(f2h_rtz(fmax(value, 0.0)), isub({ b.i32(15) }, bits)));
        let is_half = ir!(b, ieq(bits, 16));
        let is_short = ir!(b, ult(isub(bits, 10), 2));
        let float = b.select(is_short, short, integer);
        let values = [
            ir!(b, f2u(fround(fmul(fsat(value), scale)))),
            ir!(b, f2i(fround(fmul(clamped, scale_signed)))),
            b.umin(unsigned, most),
            ir!(b, imin(imax(signed, least), most_signed)),
            b.umin(integer, most),
            ir!(b, imin(imax(integer, least), most_signed)),
            ir!(b, f2i(fround(fmul(fsub(fmul(clamped, scale), 1.0), 0.5)))),
            b.select(is_half, half, float),
        ];
        let raw = by_number(b, number, values);
        let raw = ir!(b, ishl(iand(raw, most), first));
        let there = b.ine(bits, zero);
        for (n, packed) in (0..).zip(&mut words) {
            let (n, others) = (b.i32(n), *packed);
            let is = ir!(b, band(there, ieq(word, n)));
            *packed = ir!(b, ior(others, select(is, raw, zero)));
        }
    }
    words
}

/// [`Format::unpack`] of a format that is not known before; what memory lacks is (0, 0, 0, 1).
pub(super) fn unpack_unknown(b: &mut Builder, words: [Value; 4], data: Value, number: Value) -> [Value; 4] {
    [0, 1, 2, 3].map(|index| {
        let [word, first, bits] = unknown_place(b, data, index);
        let mut raw = words[0];
        for (n, &other) in (1..).zip(&words[1..]) {
            let n = b.i32(n);
            let is = b.ieq(word, n);
            raw = b.select(is, other, raw);
        }
        let raw = b.cast(raw, Kind::Int);
        let all = b.i32(32);
        let narrow = b.ult(bits, all);
        let (unsigned, signed) = (b.ubfe(raw, first, bits), b.ibfe(raw, first, bits));
        let [unsigned, signed] = [unsigned, signed].map(|field| b.select(narrow, field, raw));
        let (_, [scale, scale_signed]) = unknown_most(b, bits);
        // Halves, and those without their sign and the lowest bits of their mantissa.
        let is_half = ir!(b, ieq(bits, 16));
        let is_short = ir!(b, ult(isub(bits, 10), 2));
        let short = ir!(b, h2f(ishl(unsigned, isub({ b.i32(15) }, bits))));
        let halves = b.h2f(unsigned);
        let bits_alone = b.cast(unsigned, Kind::Float);
        let float = b.select(is_short, short, bits_alone);
        let float = b.select(is_half, halves, float);
        let whole = b.cast(raw, Kind::Float);
        let values = [
            ir!(b, fdiv(u2f(unsigned), scale)),
            ir!(b, fmax(fdiv(i2f(signed), scale_signed), { b.f32(-1.0) })),
            b.u2f(unsigned),
            b.i2f(signed),
            unsigned,
            signed,
            ir!(b, fdiv(fadd(fmul(i2f(signed), 2.0), 1.0), scale)),
            b.select(narrow, float, whole),
        ];
        let value = by_number(b, number, values);
        // Of those that memory lacks the last is one, of the kind of the others.
        let zero = b.i32(0);
        let (one, float_one) = (b.i32(1), b.f32(1.0));
        let float_one = b.cast(float_one, Kind::Int);
        let integer = ir!(b, ult(isub(number, 4), 2));
        let absent = if index == 3 { b.select(integer, one, float_one) } else { zero };
        let missing = b.ieq(bits, zero);
        b.select(missing, absent, value)
    })
}

/// The greatest number of so many bits.
fn max(bits: u32) -> u32 {
    u32::MAX >> (32 - bits)
}

/// -1..1, NaN being 0.
fn clamp(b: &mut Builder, value: Value) -> Value {
    super::vector::convert::clamp(b, value, -1.0)
}

/// A field of a word.
pub(super) fn extract(b: &mut Builder, word: Value, first: u32, bits: u32, signed: bool) -> Value {
    if bits == 32 {
        return word;
    }
    let (first, bits) = (b.i32(first as i32), b.i32(bits as i32));
    if signed { b.ibfe(word, first, bits) } else { b.ubfe(word, first, bits) }
}

/// What `DST_SEL_X` (three bits for each of four) makes of components: those of registers, of which there are `count`.
pub(super) fn select(
    b: &mut Builder,
    format: Format,
    components: &[Value],
    selects: u32,
    count: usize,
) -> SmallVec<[Value; 4]> {
    (0..count)
        .map(|register| {
            let value = match selects >> (3 * register) & 7 {
                1 => format.constant(b, true),
                select @ 4..=7 => match components.get(select as usize - 4) {
                    Some(&component) => component,
                    // What memory lacks is (0, 0, 0, 1).
                    None => format.constant(b, select == 7),
                },
                _ => format.constant(b, false),
            };
            b.cast(value, Kind::Bits)
        })
        .collect()
}

/// The words of a vector.
pub(super) fn words(b: &mut Builder, vector: Value) -> SmallVec<[Value; 4]> {
    (0..b.ty(vector).lanes).map(|lane| b.extract(vector, lane)).collect()
}

/// A vector of zeros.
pub(super) fn zeros(b: &mut Builder, lanes: u8) -> Value {
    b.const_bits(Type::new(Kind::Bits, lanes), [0; 4])
}
