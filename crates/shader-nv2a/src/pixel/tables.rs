//! What the words of the pixel pipeline's registers mean: modes of the texture shader, operands and results of the combiners.
//!
//! Source: `docs/sources/nv2a.md#combiners`, `docs/sources/nv2a.md#texture-shader`; the OpenGL extensions NV_register_combiners and
//! NV_texture_shader.

macro_rules! modes {
    ($( $(#[$doc:meta])* $name:ident = $number:literal $text:literal $stages:expr; )*) => {
        /// What a stage of the texture shader does (`SET_SHADER_STAGE_PROGRAM`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum Mode { $( $(#[$doc])* $name = $number ),* }

        impl Mode {
            /// Every mode, with its name in text and the stages that may have it.
            pub const ALL: &'static [(Self, &'static str, std::ops::RangeInclusive<u8>)] =
                &[$( (Self::$name, $text, $stages) ),*];

            /// The mode with this number.
            #[must_use]
            pub fn from_number(number: u8) -> Option<Self> {
                match number {
                    $( $number => Some(Self::$name), )*
                    _ => None,
                }
            }

            /// Its name in text.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $( Self::$name => $text ),* }
            }

            /// Whether a stage (0 to 3) may have it.
            #[must_use]
            pub fn fits(self, stage: usize) -> bool {
                match self { $( Self::$name => $stages.contains(&(stage as u8)) ),* }
            }
        }
    };
}

modes! {
    /// Nothing: black, opaque.
    None = 0x00 "none" 0..=3;
    /// A lookup at s/q, t/q.
    Project2d = 0x01 "project2d" 0..=3;
    /// A lookup at s/q, t/q, r/q; depth textures are compared with r/q.
    Project3d = 0x02 "project3d" 0..=3;
    /// A lookup in the direction s, t, r.
    Cube = 0x03 "cube" 0..=3;
    /// The coordinates as a colour.
    PassThrough = 0x04 "pass_through" 0..=3;
    /// Throws pixels away by the signs of the coordinates.
    ClipPlane = 0x05 "clip_plane" 0..=3;
    /// A lookup at s, t moved by another stage's result.
    BumpEnv = 0x06 "bump_env" 1..=3;
    /// The same, scaled by that result's red.
    BumpEnvLuminance = 0x07 "bump_env_lum" 1..=3;
    /// A volume lookup by the angles that the two stages before looked up.
    Brdf = 0x08 "brdf" 2..=3;
    /// A lookup at the last two dot products.
    DotSt = 0x09 "dot_st" 2..=3;
    /// Depth is the quotient of the last two dot products.
    DotZw = 0x0A "dot_zw" 2..=3;
    /// A cube lookup along the normal whose third component is the next stage's.
    DotReflectDiffuse = 0x0B "dot_reflect_diffuse" 2..=2;
    /// A cube lookup along the eye's reflection, the eye being the q of three stages.
    DotReflectSpecular = 0x0C "dot_reflect_specular" 3..=3;
    /// A volume lookup at three dot products.
    DotStr3d = 0x0D "dot_str_3d" 3..=3;
    /// A cube lookup along three dot products.
    DotStrCube = 0x0E "dot_str_cube" 3..=3;
    /// A lookup at another stage's alpha and red.
    DependentAr = 0x0F "dependent_ar" 1..=3;
    /// A lookup at another stage's green and blue.
    DependentGb = 0x10 "dependent_gb" 1..=3;
    /// A dot product for a later stage.
    DotProduct = 0x11 "dot_product" 1..=2;
    /// As `dot_reflect_specular`, with the eye of `SET_EYE_VECTOR`.
    DotReflectSpecularConst = 0x12 "dot_reflect_specular_const" 3..=3;
}

impl Mode {
    /// Whether it looks up the stage's texture.
    #[must_use]
    pub fn samples(self) -> bool {
        !matches!(self, Self::None | Self::PassThrough | Self::ClipPlane | Self::DotZw | Self::DotProduct)
    }

    /// Whether it makes a dot product of the coordinates with another stage's result.
    #[must_use]
    pub fn has_dot(self) -> bool {
        use Mode::*;
        matches!(
            self,
            DotSt
                | DotZw
                | DotReflectDiffuse
                | DotReflectSpecular
                | DotStr3d
                | DotStrCube
                | DotProduct
                | DotReflectSpecularConst
        )
    }

    /// Whether it reads another stage's result.
    #[must_use]
    pub fn reads_other(self) -> bool {
        use Mode::*;
        self.has_dot() || matches!(self, BumpEnv | BumpEnvLuminance | DependentAr | DependentGb)
    }
}

/// A register of the combiners. The numbers are those of the words; 6 and 7 read as zero and are never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Register {
    /// Zero; as a destination, nothing.
    Zero = 0,
    /// `SET_COMBINER_FACTOR0`.
    Factor0 = 1,
    /// `SET_COMBINER_FACTOR1`.
    Factor1 = 2,
    /// Fog colour, and how little fog there is as alpha.
    Fog = 3,
    /// Diffuse colour.
    V0 = 4,
    /// Specular colour.
    V1 = 5,
    /// Result of texture stage 0.
    T0 = 8,
    /// Result of texture stage 1.
    T1 = 9,
    /// Result of texture stage 2.
    T2 = 10,
    /// Result of texture stage 3.
    T3 = 11,
    /// Temporary 0. Its alpha starts as that of texture stage 0.
    R0 = 12,
    /// Temporary 1.
    R1 = 13,
    /// Specular colour plus temporary 0. Final combiner only.
    V1R0Sum = 14,
    /// The product of the final combiner's E and F. Final combiner only.
    EfProduct = 15,
}

impl Register {
    /// Names in text, by number.
    pub const NAMES: [&'static str; 16] = [
        "zero",
        "c0",
        "c1",
        "fog",
        "v0",
        "v1",
        "reserved6",
        "reserved7",
        "t0",
        "t1",
        "t2",
        "t3",
        "r0",
        "r1",
        "v1+r0",
        "e*f",
    ];

    /// The register with this number (4 bits).
    #[must_use]
    pub fn from_number(number: u32) -> Self {
        use Register::*;
        const ALL: [Register; 16] =
            [Zero, Factor0, Factor1, Fog, V0, V1, Zero, Zero, T0, T1, T2, T3, R0, R1, V1R0Sum, EfProduct];
        ALL[(number & 15) as usize]
    }

    /// Whether a combiner can write it.
    #[must_use]
    pub fn is_writable(self) -> bool {
        use Register::*;
        matches!(self, V0 | V1 | T0 | T1 | T2 | T3 | R0 | R1)
    }
}

/// How an operand is changed before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Map {
    /// `max(0, x)`.
    Unsigned = 0,
    /// `1 - clamp(x, 0, 1)`.
    UnsignedInvert = 1,
    /// `2 * max(0, x) - 1`.
    Expand = 2,
    /// `1 - 2 * max(0, x)`.
    ExpandNegate = 3,
    /// `max(0, x) - 1/2`.
    HalfBias = 4,
    /// `1/2 - max(0, x)`.
    HalfBiasNegate = 5,
    /// `x`.
    Signed = 6,
    /// `-x`.
    SignedNegate = 7,
}

/// An operand of a combiner: a byte of an input word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    /// What is read.
    pub register: Register,
    /// In the colour half: alpha three times instead of red, green, blue. In the alpha half: alpha instead of blue.
    pub alpha: bool,
    /// What is done to it.
    pub map: Map,
}

impl Operand {
    /// The operand in the low byte of `word`.
    #[must_use]
    pub fn from_byte(word: u32) -> Self {
        use Map::*;
        const MAPS: [Map; 8] =
            [Unsigned, UnsignedInvert, Expand, ExpandNegate, HalfBias, HalfBiasNegate, Signed, SignedNegate];
        Self { register: Register::from_number(word), alpha: word & 0x10 != 0, map: MAPS[(word >> 5 & 7) as usize] }
    }

    /// Operands A, B, C, D of an input word.
    #[must_use]
    pub fn of_word(word: u32) -> [Self; 4] {
        [24, 16, 8, 0].map(|shift| Self::from_byte(word >> shift))
    }
}

/// What is done to a combiner's results before they are clamped to -1..1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// `x`.
    None,
    /// `x - 1/2`.
    Bias,
    /// `2 * x`.
    Two,
    /// `2 * (x - 1/2)`.
    TwoBias,
    /// `4 * x`.
    Four,
    /// `x / 2`.
    Half,
}

/// What a combiner computes and where it puts it: an output word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Results {
    /// Where A and B goes.
    pub ab: Register,
    /// Where C and D goes.
    pub cd: Register,
    /// Where the sum of both goes, or one of them.
    pub sum: Register,
    /// A and B are multiplied as vectors (colour half only).
    pub ab_dot: bool,
    /// C and D are.
    pub cd_dot: bool,
    /// One of both by the alpha of temporary 0, instead of the sum.
    pub mux: bool,
    /// What is done to all three.
    pub scale: Scale,
    /// Blue of A and B goes to the alpha of its destination too (colour half only).
    pub ab_blue_to_alpha: bool,
    /// Blue of C and D does.
    pub cd_blue_to_alpha: bool,
}

impl Results {
    /// The meaning of an output word. Reserved scales do nothing.
    #[must_use]
    pub fn of_word(word: u32) -> Self {
        let bit = |n: u32| word >> n & 1 != 0;
        let destination = |shift: u32| {
            let register = Register::from_number(word >> shift);
            if register.is_writable() { register } else { Register::Zero }
        };
        Self {
            cd: destination(0),
            ab: destination(4),
            sum: destination(8),
            cd_dot: bit(12),
            ab_dot: bit(13),
            mux: bit(14),
            scale: match word >> 15 & 7 {
                1 => Scale::Bias,
                2 => Scale::Two,
                3 => Scale::TwoBias,
                4 => Scale::Four,
                6 => Scale::Half,
                _ => Scale::None,
            },
            cd_blue_to_alpha: bit(18),
            ab_blue_to_alpha: bit(19),
        }
    }

    /// Where A and B, C and D, and the third result go.
    #[must_use]
    pub fn destinations(&self) -> [Register; 3] {
        [self.ab, self.cd, self.sum]
    }

    /// Whether nothing is written.
    #[must_use]
    pub fn is_idle(&self) -> bool {
        self.destinations().iter().all(|register| *register == Register::Zero)
    }
}

/// The final combiner: `SET_COMBINER_SPECULAR_FOG_CW0` and `CW1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Final {
    /// A to F.
    pub operands: [Operand; 6],
    /// What becomes alpha.
    pub alpha: Operand,
    /// `v1 + r0` is clamped to 1.
    pub clamp_sum: bool,
    /// `v1` is `1 - v1` in it.
    pub invert_v1: bool,
    /// `r0` is `1 - r0` in it.
    pub invert_r0: bool,
}

impl Final {
    /// Whether an operand is this register.
    #[must_use]
    pub fn reads(&self, register: Register) -> bool {
        self.operands.iter().chain([&self.alpha]).any(|operand| operand.register == register)
    }

    /// The meaning of the two words; `None` if both are zero: then the pixel is temporary 0.
    #[must_use]
    pub fn of_words(words: [u32; 2]) -> Option<Self> {
        // Bit 7 and up of an operand have no meaning here: only the first two maps exist.
        let operand = |word: u32| Operand::from_byte(word & 0x3F);
        let [low, high] = words;
        (words != [0; 2]).then(|| Self {
            operands: [low >> 24, low >> 16, low >> 8, low, high >> 24, high >> 16].map(operand),
            alpha: operand(high >> 8),
            clamp_sum: high & 0x80 != 0,
            invert_v1: high & 0x40 != 0,
            invert_r0: high & 0x20 != 0,
        })
    }
}

/// A comparison, by the low three bits of the OpenGL number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Compare {
    /// Never.
    Never = 0,
    /// Less.
    Less = 1,
    /// Equal.
    Equal = 2,
    /// Less or equal.
    LessEqual = 3,
    /// Greater.
    Greater = 4,
    /// Not equal.
    NotEqual = 5,
    /// Greater or equal.
    GreaterEqual = 6,
    /// Always.
    Always = 7,
}

impl Compare {
    /// Signs in text, by number.
    pub const NAMES: [&'static str; 8] = ["never", "<", "==", "<=", ">", "!=", ">=", "always"];

    /// The comparison with this number (3 bits).
    #[must_use]
    pub fn from_number(number: u8) -> Self {
        use Compare::*;
        const ALL: [Compare; 8] = [Never, Less, Equal, LessEqual, Greater, NotEqual, GreaterEqual, Always];
        ALL[usize::from(number & 7)]
    }

    /// The comparison that `SET_SHADOW_COMPARE_FUNC` means: "r `?` stored texel".
    #[must_use]
    pub fn of_shadow(number: u32) -> Self {
        use Compare::*;
        const ALL: [Compare; 8] = [Never, Greater, Equal, GreaterEqual, Less, NotEqual, LessEqual, Always];
        ALL[(number & 7) as usize]
    }
}

/// How fog grows with distance (`SET_FOG_MODE`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FogCurve {
    /// Straight.
    Linear = 1,
    /// By e to the power of the distance.
    Exp = 2,
    /// By e to the power of the distance squared.
    Exp2 = 3,
    /// [`Self::Exp`] of the distance without its sign.
    ExpAbs = 4,
    /// [`Self::Exp2`] of the distance without its sign.
    Exp2Abs = 5,
    /// [`Self::Linear`] of the distance without its sign.
    LinearAbs = 6,
}

impl FogCurve {
    /// Every curve with its name in text and its number in the method.
    pub const ALL: [(Self, &'static str, u32); 6] = [
        (Self::Linear, "linear", 0x2601),
        (Self::Exp, "exp", 0x800),
        (Self::Exp2, "exp2", 0x801),
        (Self::ExpAbs, "exp_abs", 0x802),
        (Self::Exp2Abs, "exp2_abs", 0x803),
        (Self::LinearAbs, "linear_abs", 0x804),
    ];

    /// The curve that a method's argument means. Others are linear.
    #[must_use]
    pub fn of_method(argument: u32) -> Self {
        Self::ALL.iter().find(|row| row.2 == argument).map_or(Self::Linear, |row| row.0)
    }

    /// The curve with this number in a key.
    #[must_use]
    pub fn from_number(number: u8) -> Option<Self> {
        Self::ALL.iter().find(|row| row.0 as u8 == number).map(|row| row.0)
    }
}
