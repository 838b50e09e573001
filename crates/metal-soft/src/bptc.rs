//! BC6H and BC7: blocks of four by four texels in modes. Source: Khronos Data Format Specification, "BPTC Compressed Texture Image Formats",
//! which has what Microsoft calls "BC6H Format" and "BC7 Format".

/// Bits of a block, from the lowest on.
struct Bits {
    word: u128,
    at: u32,
}

impl Bits {
    fn take(&mut self, count: u32) -> u32 {
        let value = self.word.checked_shr(self.at).unwrap_or(0) as u32 & ((1u32 << count) - 1);
        self.at += count;
        value
    }
}

/// Of two subsets: a bit a texel.
const TWO: [u16; 64] = [
    0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8, 0xff00,
    0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110, 0x6666, 0x366c,
    0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696, 0xa55a, 0x73ce, 0x13c8,
    0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720, 0xc936, 0x936c, 0x39c6, 0x639c,
    0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
];
/// Of three subsets: two bits a texel.
const THREE: [u32; 64] = [
    0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050, 0xaa550000,
    0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250, 0xa5945040, 0x0a425054,
    0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500, 0x0050a4a4, 0xaaa59090, 0x14696914,
    0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200, 0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424,
    0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50, 0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0,
    0x69286928, 0x44aaaa44, 0x66666600, 0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580,
    0xaa141414, 0x96960000, 0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44,
    0x2a4a5254,
];
/// The texel of the second subset of two whose index has a bit less.
const SECOND_OF_TWO: [u8; 64] = [
    15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
    15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
];
/// Of the second subset of three.
const SECOND_OF_THREE: [u8; 64] = [
    3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15, 8, 15, 3,
    5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3,
];
/// Of the third.
const THIRD_OF_THREE: [u8; 64] = [
    15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
    15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8,
];

fn subset_of(subsets: u32, partition: usize, texel: u32) -> usize {
    match subsets {
        1 => 0,
        2 => usize::from(TWO[partition] >> texel & 1),
        _ => (THREE[partition] >> (2 * texel) & 3) as usize,
    }
}

/// Whether a texel's index has a bit less: it is the first of its subset.
fn is_anchor(subsets: u32, partition: usize, texel: u32) -> bool {
    let texel = texel as u8;
    texel == 0
        || subsets == 2 && texel == SECOND_OF_TWO[partition]
        || subsets == 3 && (texel == SECOND_OF_THREE[partition] || texel == THIRD_OF_THREE[partition])
}

/// How much of the second end an index of so many bits is, of 64.
fn weight(bits: u32, index: u32) -> u32 {
    const TWO: [u32; 4] = [0, 21, 43, 64];
    const THREE: [u32; 8] = [0, 9, 18, 27, 37, 46, 55, 64];
    const FOUR: [u32; 16] = [0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64];
    match bits {
        2 => TWO[index as usize & 3],
        3 => THREE[index as usize & 7],
        _ => FOUR[index as usize & 15],
    }
}

/// The index of a texel among those of all; the bits of those before are passed.
fn index(bits: &Bits, count: u32, subsets: u32, partition: usize, texel: u32) -> u32 {
    let mut bits = Bits { word: bits.word, at: bits.at };
    let mut value = 0;
    for n in 0..=texel {
        value = bits.take(count - u32::from(is_anchor(subsets, partition, n)));
    }
    value
}

/// A mode of BC7.
struct Mode {
    subsets: u32,
    partition: u32,
    rotation: u32,
    selection: u32,
    color: u32,
    alpha: u32,
    /// A lowest bit for each end, or for both of a subset.
    ends: bool,
    shared: bool,
    index: [u32; 2],
}

#[rustfmt::skip]
const MODES: [Mode; 8] = [
    Mode { subsets: 3, partition: 4, rotation: 0, selection: 0, color: 4, alpha: 0, ends: true,  shared: false, index: [3, 0] },
    Mode { subsets: 2, partition: 6, rotation: 0, selection: 0, color: 6, alpha: 0, ends: false, shared: true,  index: [3, 0] },
    Mode { subsets: 3, partition: 6, rotation: 0, selection: 0, color: 5, alpha: 0, ends: false, shared: false, index: [2, 0] },
    Mode { subsets: 2, partition: 6, rotation: 0, selection: 0, color: 7, alpha: 0, ends: true,  shared: false, index: [2, 0] },
    Mode { subsets: 1, partition: 0, rotation: 2, selection: 1, color: 5, alpha: 6, ends: false, shared: false, index: [2, 3] },
    Mode { subsets: 1, partition: 0, rotation: 2, selection: 0, color: 7, alpha: 8, ends: false, shared: false, index: [2, 2] },
    Mode { subsets: 1, partition: 0, rotation: 0, selection: 0, color: 7, alpha: 7, ends: true,  shared: false, index: [4, 0] },
    Mode { subsets: 2, partition: 6, rotation: 0, selection: 0, color: 5, alpha: 5, ends: true,  shared: false, index: [2, 0] },
];

/// Red, green, blue and alpha of a texel of BC7, 0 to 255. A block of no mode is transparent black.
pub(crate) fn bc7(block: &[u8; 16], texel: u32) -> [u8; 4] {
    let mut bits = Bits { word: u128::from_le_bytes(*block), at: 0 };
    let Some(number) = (0..8).find(|_| bits.take(1) == 1) else { return [0; 4] };
    let mode = &MODES[number];
    let partition = bits.take(mode.partition) as usize;
    let rotation = bits.take(mode.rotation);
    let selection = bits.take(mode.selection);
    let count = 2 * mode.subsets as usize;
    // By end and component.
    let mut ends = [[0u32; 4]; 6];
    for component in 0..3 {
        ends[..count].iter_mut().for_each(|end| end[component] = bits.take(mode.color));
    }
    if mode.alpha > 0 {
        ends[..count].iter_mut().for_each(|end| end[3] = bits.take(mode.alpha));
    }
    let mut lowest = 0;
    if mode.ends || mode.shared {
        let each = if mode.shared { 2 } else { 1 };
        for ends in ends[..count].chunks_mut(each) {
            let bit = bits.take(1);
            ends.iter_mut().flatten().for_each(|value| *value = *value << 1 | bit);
        }
        lowest = 1;
    }
    let whole = |value: u32, bits: u32| {
        let value = value << (8 - bits);
        value | value >> bits
    };
    for end in &mut ends[..count] {
        for component in &mut end[..3] {
            *component = whole(*component, mode.color + lowest);
        }
        end[3] = if mode.alpha > 0 { whole(end[3], mode.alpha + lowest) } else { 255 };
    }
    let first = index(&bits, mode.index[0], mode.subsets, partition, texel);
    let mut by = [weight(mode.index[0], first); 2];
    if mode.index[1] > 0 {
        // One subset: behind 16 indices, the first of which has a bit less.
        let second = Bits { word: bits.word, at: bits.at + 16 * mode.index[0] - 1 };
        let second = weight(mode.index[1], index(&second, mode.index[1], 1, 0, texel));
        by = if selection == 1 { [second, by[0]] } else { [by[0], second] };
    }
    let subset = subset_of(mode.subsets, partition, texel);
    let [a, b] = [ends[2 * subset], ends[2 * subset + 1]];
    let mut out: [u8; 4] = std::array::from_fn(|n| {
        let by = by[usize::from(n == 3)];
        (((64 - by) * a[n] + by * b[n] + 32) >> 6) as u8
    });
    if rotation > 0 {
        out.swap(3, rotation as usize - 1);
    }
    out
}

/// Where the bits of a mode of BC6H go, in their order: the letter of a component, of the end (w, x, y, z), and first and last bit.
struct Half {
    /// The mode's bits, and how many.
    mode: (u32, u32),
    /// The ends are differences to the first.
    delta: bool,
    subsets: u32,
    /// Bits of the first end.
    base: u32,
    /// Of the others, by component.
    others: [u32; 3],
    fields: &'static str,
}

#[rustfmt::skip]
const HALVES: [Half; 14] = [
    Half { mode: (0, 2), delta: true, subsets: 2, base: 10, others: [5, 5, 5], fields: "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Half { mode: (1, 2), delta: true, subsets: 2, base: 7, others: [6, 6, 6], fields: "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0" },
    Half { mode: (2, 5), delta: true, subsets: 2, base: 11, others: [5, 4, 4], fields: "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Half { mode: (6, 5), delta: true, subsets: 2, base: 11, others: [4, 5, 4], fields: "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3" },
    Half { mode: (10, 5), delta: true, subsets: 2, base: 11, others: [4, 4, 5], fields: "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3" },
    Half { mode: (14, 5), delta: true, subsets: 2, base: 9, others: [5, 5, 5], fields: "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Half { mode: (18, 5), delta: true, subsets: 2, base: 8, others: [6, 5, 5], fields: "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 by3:0 ry5:0 rz5:0" },
    Half { mode: (22, 5), delta: true, subsets: 2, base: 8, others: [5, 6, 5], fields: "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Half { mode: (26, 5), delta: true, subsets: 2, base: 8, others: [5, 5, 6], fields: "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3" },
    Half { mode: (30, 5), delta: false, subsets: 2, base: 6, others: [6, 6, 6], fields: "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0" },
    Half { mode: (3, 5), delta: false, subsets: 1, base: 10, others: [10, 10, 10], fields: "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0" },
    Half { mode: (7, 5), delta: true, subsets: 1, base: 11, others: [9, 9, 9], fields: "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10" },
    Half { mode: (11, 5), delta: true, subsets: 1, base: 12, others: [8, 8, 8], fields: "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11" },
    Half { mode: (15, 5), delta: true, subsets: 1, base: 16, others: [4, 4, 4], fields: "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15" },
];

/// Reads the fields; ends by their letters, components of each.
fn fields(bits: &mut Bits, text: &str) -> [[u32; 3]; 4] {
    let mut ends = [[0; 3]; 4];
    for field in text.split(' ') {
        let place =
            |letters: &str, at: usize| field.as_bytes().get(at).and_then(|c| letters.find(*c as char)).unwrap_or(0);
        let (component, end) = (place("rgb", 0), place("wxyz", 1));
        let (high, low) = field[2..].split_once(':').unwrap_or((&field[2..], &field[2..]));
        let [high, low]: [u32; 2] = [high, low].map(|number| number.parse().unwrap_or(0));
        // From the low bit up; where the lower is named first, the highest bit comes first.
        for n in 0..=high.abs_diff(low) {
            let to = if high >= low { low + n } else { low - n };
            ends[end][component] |= bits.take(1) << to;
        }
    }
    ends
}

fn extended(value: u32, bits: u32) -> i32 {
    ((value << (32 - bits)) as i32) >> (32 - bits)
}

/// An end as 16 bits, of which [`finished`] makes a half.
fn unquantized(value: i32, bits: u32, signed: bool) -> i32 {
    match signed {
        false if bits >= 15 || value == 0 => value,
        false if value == (1 << bits) - 1 => 0xffff,
        false => ((value << 15) + 0x4000) >> (bits - 1),
        true if bits >= 16 || value == 0 => value,
        true => {
            let (size, sign) = (value.abs(), value.signum());
            let size = if size >= (1 << (bits - 1)) - 1 { 0x7fff } else { ((size << 15) + 0x4000) >> (bits - 1) };
            size * sign
        }
    }
}

fn finished(value: i32, signed: bool) -> u16 {
    match signed {
        false => ((value * 31) >> 6) as u16,
        true if value < 0 => 0x8000 | ((-value * 31) >> 5) as u16,
        true => ((value * 31) >> 5) as u16,
    }
}

/// Red, green and blue of a texel of BC6H, as the bits of halves. A block of no mode is black.
pub(crate) fn bc6h(block: &[u8; 16], texel: u32, signed: bool) -> [u16; 3] {
    let word = u128::from_le_bytes(*block);
    let low = word as u32 & 31;
    let is = |half: &&Half| low & ((1 << half.mode.1) - 1) == half.mode.0 && (half.mode.1 == 2 || low & 2 == 2);
    let Some(half) = HALVES.iter().find(is) else { return [0; 3] };
    let mut bits = Bits { word, at: half.mode.1 };
    let raw = fields(&mut bits, half.fields);
    let partition = if half.subsets == 2 { bits.take(5) as usize } else { 0 };
    let count = 2 * half.subsets as usize;
    let mut ends = [[0i32; 3]; 4];
    for component in 0..3 {
        let wrap = |value: i32| {
            let value = value as u32 & (u32::MAX >> (32 - half.base));
            if signed { extended(value, half.base) } else { value as i32 }
        };
        let first = wrap(raw[0][component] as i32);
        ends[0][component] = first;
        for end in 1..count {
            let value = raw[end][component];
            ends[end][component] = match half.delta {
                true => wrap(first + extended(value, half.others[component])),
                false => wrap(value as i32),
            };
        }
    }
    let width = if half.subsets == 2 { 3 } else { 4 };
    let by = weight(width, index(&bits, width, half.subsets, partition, texel)) as i32;
    let subset = subset_of(half.subsets, partition, texel);
    std::array::from_fn(|n| {
        let [a, b] = [2 * subset, 2 * subset + 1].map(|end| unquantized(ends[end][n], half.base, signed));
        finished((a * (64 - by) + b * by + 32) >> 6, signed)
    })
}
