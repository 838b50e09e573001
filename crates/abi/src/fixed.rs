//! What the host does to pixels, as numbers of one byte: packets carry them, and the rows of the guests' enumerations name them
//! ([`pairs`](crate::pairs)).

use crate::numbers;

numbers! {
    /// What happens to a stencil value.
    #[allow(missing_docs, reason = "the names say it")]
    StencilOp {
        Keep = 0, Zero = 1, Replace = 2, IncrementClamp = 3, DecrementClamp = 4, Invert = 5, IncrementWrap = 6,
        DecrementWrap = 7,
    }
}

numbers! {
    /// Blend factors.
    #[allow(missing_docs, reason = "the names say it")]
    BlendFactor {
        Zero = 0, One = 1, SrcColor = 2, OneMinusSrcColor = 3, DstColor = 4, OneMinusDstColor = 5, SrcAlpha = 6,
        OneMinusSrcAlpha = 7, DstAlpha = 8, OneMinusDstAlpha = 9, ConstantColor = 10, OneMinusConstantColor = 11,
        ConstantAlpha = 12, OneMinusConstantAlpha = 13, SrcAlphaSaturate = 14, Src1Color = 15, OneMinusSrc1Color = 16,
        Src1Alpha = 17, OneMinusSrc1Alpha = 18,
    }
}

numbers! {
    /// Blend operations of fragment (s) and target (d), each times its factor but for [`BlendOp::Min`] and those behind it.
    BlendOp {
        /// s + d
        Add = 0,
        /// s - d
        Subtract = 1,
        /// d - s
        ReverseSubtract = 2,
        /// The smaller one.
        Min = 3,
        /// The larger one.
        Max = 4,
        /// d + s, with the byte of s read as two's complement: 128 to 255 are -128 to -1. Of colour and alpha alike.
        SignedAdd = 5,
        /// d - s, likewise.
        SignedReverseSubtract = 6,
    }
}

impl BlendOp {
    /// Whether the fragment is read as signed.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        matches!(self, Self::SignedAdd | Self::SignedReverseSubtract)
    }
}

numbers! {
    /// Which faces are dropped, as seen with counter-clockwise front faces where the packet says so.
    #[allow(missing_docs, reason = "the names say it")]
    Cull { None = 0, Front = 1, Back = 2 }
}

numbers! {
    /// How triangles are filled.
    #[allow(missing_docs, reason = "the names say it")]
    Fill { Solid = 0, Line = 1, Point = 2 }
}

numbers! {
    /// Logical operations of fragment (s) and target (d), in place of blending. Targets with floats or sRGB have none.
    LogicOp {
        /// None: blending applies.
        Off = 0,
        /// 0
        Clear = 1,
        /// s & d
        And = 2,
        /// s & !d
        AndReverse = 3,
        /// s
        Copy = 4,
        /// !s & d
        AndInverted = 5,
        /// d
        NoOp = 6,
        /// s ^ d
        Xor = 7,
        /// s | d
        Or = 8,
        /// !(s | d)
        Nor = 9,
        /// !(s ^ d)
        Equivalent = 10,
        /// !d
        Invert = 11,
        /// s | !d
        OrReverse = 12,
        /// !s
        CopyInverted = 13,
        /// !s | d
        OrInverted = 14,
        /// !(s & d)
        Nand = 15,
        /// 1
        Set = 16,
    }
}

numbers! {
    /// Texel filters.
    #[allow(missing_docs, reason = "the names say it")]
    Filter { Nearest = 0, Linear = 1 }
}

numbers! {
    /// What happens outside of 0..1.
    #[allow(missing_docs, reason = "the names say it")]
    Address { Repeat = 0, Mirror = 1, ClampToEdge = 2, ClampToBorder = 3, MirrorOnce = 4 }
}
