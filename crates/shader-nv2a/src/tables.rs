//! The tables of transform microcode: where the fields of an instruction lie, the opcodes of its two units, the registers
//! that it writes. One row each; the parser, the encoder, the disassembler, the assembler and the lifter derive from them.
//!
//! Sources: `docs/sources/nv2a.md#vertex-programs` (xemu's `vsh-prog.c` and xboxdevwiki.net, "NV2A/Vertex Shader"); that MAC
//! opcodes 14 and 15 do nothing is from envytools (`hwtest/xf.cc`), which compared its model with an NV20.

/// Instruction: four words, of which the first has no meaning.
pub type Words = [u32; 4];

/// Where a field lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name in messages.
    pub name: &'static str,
    /// Word, 0 to 3.
    word: u8,
    /// Lowest bit.
    bit: u8,
    /// Bits.
    width: u8,
}

impl Field {
    /// The field of an instruction.
    #[inline]
    pub const fn get(self, words: &Words) -> u8 {
        (words[self.word as usize] >> self.bit) as u8 & self.mask()
    }

    /// Sets the field; bits that do not fit are dropped.
    #[inline]
    pub const fn set(self, words: &mut Words, value: u8) {
        let word = &mut words[self.word as usize];
        *word = *word & !((self.mask() as u32) << self.bit) | ((value & self.mask()) as u32) << self.bit;
    }

    const fn mask(self) -> u8 {
        ((1u16 << self.width) - 1) as u8
    }
}

macro_rules! fields {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $word:literal : $bit:literal : $width:literal;)*) => {
        $($(#[$doc])* pub const $name: Field = Field { name: $text, word: $word, bit: $bit, width: $width };)*
        /// Every field.
        pub const FIELDS: &[Field] = &[$($name),*];
    };
}

fields! {
    /// [`Ilu`].
    ILU = "ILU opcode", 1:25:3;
    /// [`Mac`].
    MAC = "MAC opcode", 1:21:4;
    /// The constant that sources read.
    CONSTANT = "constant index", 1:13:8;
    /// The input that sources read.
    INPUT = "input index", 1:9:4;
    /// Source A is negated.
    A_NEGATE = "negation of A", 1:8:1;
    /// Swizzle of source A, x highest.
    A_SWIZZLE = "swizzle of A", 1:0:8;
    /// Temporary of source A.
    A_TEMP = "temporary of A", 2:28:4;
    /// What source A reads.
    A_SOURCE = "source of A", 2:26:2;
    /// Source B is negated.
    B_NEGATE = "negation of B", 2:25:1;
    /// Swizzle of source B.
    B_SWIZZLE = "swizzle of B", 2:17:8;
    /// Temporary of source B.
    B_TEMP = "temporary of B", 2:13:4;
    /// What source B reads.
    B_SOURCE = "source of B", 2:11:2;
    /// Source C is negated.
    C_NEGATE = "negation of C", 2:10:1;
    /// Swizzle of source C.
    C_SWIZZLE = "swizzle of C", 2:2:8;
    /// Temporary of source C, two high bits.
    C_TEMP_HIGH = "temporary of C", 2:0:2;
    /// Temporary of source C, two low bits.
    C_TEMP_LOW = "temporary of C", 3:30:2;
    /// What source C reads.
    C_SOURCE = "source of C", 3:28:2;
    /// Components of the temporary that the MAC writes.
    MAC_MASK = "MAC write mask", 3:24:4;
    /// The temporary that is written.
    TEMP = "temporary destination", 3:20:4;
    /// Components of the temporary that the ILU writes.
    ILU_MASK = "ILU write mask", 3:16:4;
    /// Components of the output or constant that are written.
    OUTPUT_MASK = "output write mask", 3:12:4;
    /// 1: an output is written, 0: a constant.
    OUTPUT_BANK = "output bank", 3:11:1;
    /// Number of the output or constant.
    OUTPUT_ADDRESS = "output address", 3:3:8;
    /// Which unit's result the output takes: 0 MAC, 1 ILU.
    OUTPUT_UNIT = "output unit", 3:2:1;
    /// Constants are addressed relative to `A0.x`.
    RELATIVE = "relative addressing", 3:1:1;
    /// The program ends here.
    FINAL = "final bit", 3:0:1;
}

macro_rules! opcodes {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal $text:literal ($($source:ident)*);)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        #[repr(u8)]
        pub enum $name {
            #[default]
            $($(#[$vdoc])* $variant = $number),*
        }

        impl $name {
            /// Every opcode.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The opcode with this number.
            pub const fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Mnemonic.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }

            /// The sources that it reads, in the order of the text.
            pub const fn sources(self) -> &'static [Slot] {
                match self { $(Self::$variant => &[$(Slot::$source),*]),* }
            }
        }
    };
}

/// Which of an instruction's three sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slot {
    /// The first source of the MAC.
    A,
    /// The second factor of the MAC.
    B,
    /// The addend of the MAC and the source of the ILU.
    C,
}

opcodes! {
    /// Opcodes of the MAC, which works on vectors.
    Mac {
        /// Nothing.
        Nop = 0 "nop" ();
        /// `a`.
        Mov = 1 "mov" (A);
        /// `a * b`.
        Mul = 2 "mul" (A B);
        /// `a + c`.
        Add = 3 "add" (A C);
        /// `a * b + c`.
        Mad = 4 "mad" (A B C);
        /// Dot product of three components.
        Dp3 = 5 "dp3" (A B);
        /// Dot product of three components, plus the fourth of b.
        Dph = 6 "dph" (A B);
        /// Dot product.
        Dp4 = 7 "dp4" (A B);
        /// Distance vector: 1, `a.y * b.y`, `a.z`, `b.w`.
        Dst = 8 "dst" (A B);
        /// The lesser.
        Min = 9 "min" (A B);
        /// The greater.
        Max = 10 "max" (A B);
        /// 1 where a is less than b, else 0.
        Slt = 11 "slt" (A B);
        /// 1 where a is not less than b, else 0.
        Sge = 12 "sge" (A B);
        /// `A0.x` becomes the largest whole number not above `a.x`.
        Arl = 13 "arl" (A);
    }
}

opcodes! {
    /// Opcodes of the ILU, which works on one component, but for `mov` and `lit`.
    Ilu {
        /// Nothing.
        Nop = 0 "nop" ();
        /// `c`.
        Mov = 1 "mov" (C);
        /// `1 / c.x`.
        Rcp = 2 "rcp" (C);
        /// `1 / c.x`, between 2^-64 and 2^64 in size.
        Rcc = 3 "rcc" (C);
        /// `1 / sqrt(|c.x|)`.
        Rsq = 4 "rsq" (C);
        /// Power of two: of the whole part of `c.x`, the fraction of `c.x`, the power of two, 1.
        Exp = 5 "exp" (C);
        /// Logarithm to base 2 of `|c.x|`: exponent, mantissa, logarithm, 1.
        Log = 6 "log" (C);
        /// Lighting coefficients of `c.x`, `c.y` and the power `c.w`: 1, diffuse, specular, 1.
        Lit = 7 "lit" (C);
    }
}

impl Ilu {
    /// Whether one component of the source is read: that which its swizzle has as x.
    pub const fn is_scalar(self) -> bool {
        matches!(self, Self::Rcp | Self::Rcc | Self::Rsq | Self::Exp | Self::Log)
    }
}

macro_rules! outputs {
    ($($(#[$doc:meta])* $variant:ident = $number:literal $text:literal;)*) => {
        /// Registers that leave the vertex engine, and the address register.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Output { $($(#[$doc])* $variant = $number),* }

        impl Output {
            /// Every register.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The register with this number, 0 to 15.
            pub const fn from_number(number: u8) -> Option<Self> {
                match number {
                    $($number => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Name.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

outputs! {
    /// Position in screen space.
    Position = 0 "oPos";
    /// Diffuse colour of front faces.
    FrontDiffuse = 3 "oD0";
    /// Specular colour of front faces.
    FrontSpecular = 4 "oD1";
    /// Fog coordinate.
    Fog = 5 "oFog";
    /// Point size.
    PointSize = 6 "oPts";
    /// Diffuse colour of back faces.
    BackDiffuse = 7 "oB0";
    /// Specular colour of back faces.
    BackSpecular = 8 "oB1";
    /// Texture coordinates of stage 0.
    Texture0 = 9 "oT0";
    /// Texture coordinates of stage 1.
    Texture1 = 10 "oT1";
    /// Texture coordinates of stage 2.
    Texture2 = 11 "oT2";
    /// Texture coordinates of stage 3.
    Texture3 = 12 "oT3";
    /// The address register, as the opcode `arl` writes it.
    Address = 15 "A0";
}

/// Numbers of output registers.
pub const OUTPUTS: usize = 16;
/// Temporaries that are registers of their own.
pub const TEMPS: usize = 12;
/// The temporary that is the position.
pub const TEMP_POSITION: u8 = 12;
/// The temporary that takes the result of an ILU opcode paired with a MAC opcode.
pub const TEMP_PAIRED: u8 = 1;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_bit_is_in_two_fields() {
        let mut taken = [0u32; 4];
        for field in FIELDS {
            let mut words = [0; 4];
            field.set(&mut words, 0xFF);
            assert_eq!(field.get(&words), field.mask(), "{}", field.name);
            for (taken, word) in taken.iter_mut().zip(words) {
                assert_eq!(*taken & word, 0, "{}", field.name);
                *taken |= word;
            }
        }
        assert_eq!(taken, [0, 0x0FFF_FFFF, !0, !0]);
    }
}
