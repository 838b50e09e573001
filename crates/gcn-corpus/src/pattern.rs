//! What memory holds before a shader runs: words from a seed.

/// How words come from a seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Pattern {
    /// The same word everywhere.
    Fill(u32),
    /// The number of the word.
    Iota,
    /// Any words.
    Random,
    /// Integers below a bound.
    Below(u32),
    /// Integers where operations differ: small, large, negative, single bits, ends of the range.
    Edges,
    /// Floats from -8 to 8 in steps of 2^-20.
    Float,
    /// Floats from 0 to 1, without 1.
    Unit,
    /// Floats from 1/16 to 16.
    Positive,
    /// Infinities, NaN, zeros, denormals, halves, ends of integer ranges.
    Special,
    /// Doubles from -8 to 8.
    Double,
    /// Two halves a word, from -8 to 8.
    Halves,
    /// Floats and small integers: `fixed` words, then `period` words again and again. A bit of a mask says which are integers; words
    /// beyond 64 are as those that are so many before them.
    Typed {
        /// Words in front.
        fixed: u32,
        /// Which of them are integers.
        integers: u64,
        /// Words that are repeated, at least one.
        period: u32,
        /// Which of them are integers.
        repeated: u64,
    },
}

/// Integers of [`Pattern::Typed`] are from 1 to this: they may be indices, numbers of turns, or divisors.
const TYPED: u32 = 7;

/// Floats that operations treat in ways of their own.
const SPECIAL: [u32; 28] = [
    0x0000_0000,
    0x8000_0000,
    0x3f80_0000,
    0xbf80_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0xffc0_0001,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x8080_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x3fc0_0000,
    0xbfc0_0000,
    0x4020_0000,
    0xc020_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x4b00_0001,
    0x3eff_ffff,
    0x477f_e000,
];

/// 32 bits that depend on all bits of `x`: the finalizer of MurmurHash3.
pub(crate) fn mixed(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x85eb_ca6b);
    x ^= x >> 13;
    x = x.wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

impl Pattern {
    /// Reads a pattern's words from a header.
    pub(crate) fn parse(words: &[&str]) -> Result<Pattern, String> {
        let number = || {
            let text = words.get(1).ok_or("the pattern wants a number")?;
            crate::header::number(text)
        };
        Ok(match *words.first().ok_or("a pattern is missing")? {
            "fill" => Pattern::Fill(number()?),
            "zero" => Pattern::Fill(0),
            "iota" => Pattern::Iota,
            "random" => Pattern::Random,
            "below" => Pattern::Below(number()?.max(1)),
            "edges" => Pattern::Edges,
            "float" => Pattern::Float,
            "unit" => Pattern::Unit,
            "positive" => Pattern::Positive,
            "special" => Pattern::Special,
            "double" => Pattern::Double,
            "halves" => Pattern::Halves,
            "typed" => {
                let at = |at: usize| -> Result<&str, String> {
                    words.get(at).copied().ok_or_else(|| "four numbers belong to typed words".to_owned())
                };
                let mask = |at_: usize| -> Result<u64, String> {
                    let text = at(at_)?;
                    let digits = text.strip_prefix("0x").ok_or("a mask is hexadecimal")?;
                    u64::from_str_radix(digits, 16).map_err(|_| format!("`{text}` is no mask"))
                };
                let [fixed, period] = [crate::header::number(at(1)?)?, crate::header::number(at(3)?)?.max(1)];
                Pattern::Typed { fixed, integers: mask(2)?, period, repeated: mask(4)? }
            }
            other => return Err(format!("there is no pattern `{other}`")),
        })
    }

    /// Word `at` of the memory that `seed` stands for.
    pub fn word(self, seed: u32, at: u32) -> u32 {
        let random = |at: u32| mixed(seed ^ mixed(at.wrapping_add(0x9e37_79b9)));
        let v = random(at);
        let float = |v: u32| ((v >> 8) as i32 - 0x80_0000) as f32 / 1_048_576.0;
        match self {
            Pattern::Fill(word) => word,
            Pattern::Iota => at,
            Pattern::Random => v,
            Pattern::Below(bound) => v % bound,
            Pattern::Edges => match mixed(v) % 8 {
                0 => v & 31,
                1 => v & 0xffff,
                2 => !(v & 0xff),
                3 => 1 << (v & 31),
                4 => (v & 1).wrapping_neg(),
                5 => 0x7fff_ffff + (v & 1),
                _ => v,
            },
            Pattern::Float => float(v).to_bits(),
            Pattern::Unit => ((v >> 8) as f32 / 16_777_216.0).to_bits(),
            Pattern::Positive => (0.0625 + (v >> 8) as f32 / 1_052_689.0).to_bits(),
            Pattern::Special => match mixed(v) % 4 {
                0 => float(v).to_bits(),
                _ => SPECIAL[v as usize % SPECIAL.len()],
            },
            Pattern::Double => {
                let [low, high] = [random(at & !1), random(at | 1)];
                let value = f64::from(high as i32) / 268_435_456.0 + f64::from(low) / 1e18;
                (value.to_bits() >> (32 * (at & 1))) as u32
            }
            Pattern::Typed { fixed, integers, period, repeated } => {
                let (at, mask) = if at < fixed { (at, integers) } else { ((at - fixed) % period, repeated) };
                if mask >> (at % 64) & 1 != 0 { 1 + v % TYPED } else { float(v).to_bits() }
            }
            Pattern::Halves => {
                // Multiples of 1/64 below 8 in eleven bits.
                let half = |v: u32| {
                    let sign = v >> 10 & 1;
                    let size = v & 0x1ff;
                    let top = size.checked_ilog2();
                    sign << 15 | top.map_or(0, |top| (top + 9) << 10 | (size << (10 - top) & 0x3ff))
                };
                half(v) | half(v >> 16) << 16
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn halves_are_what_they_say() {
        // 1.0 is 64/64: exponent 15.
        for at in 0..64 {
            let word = Pattern::Halves.word(1, at);
            for half in [word & 0xffff, word >> 16] {
                let exponent = half >> 10 & 31;
                assert!(half & 0x7fff == 0 || (9..=17).contains(&exponent), "{half:#x}");
            }
        }
    }

    #[test]
    fn doubles_come_in_two_words() {
        for at in 0..32 {
            let [low, high] = [2 * at, 2 * at + 1].map(|at| u64::from(Pattern::Double.word(9, at)));
            let value = f64::from_bits(low | high << 32);
            assert!(value.abs() <= 8.0, "{value}");
        }
    }
}
