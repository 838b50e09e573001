//! The small enumerations of packets, one byte each, checked by the validator.

#[allow(unused_imports, reason = "the documentation names the fields")]
use super::*;

use afterimage_abi::numbers as packet_enum;
pub use afterimage_abi::{Compare, FogMode, Language, Stage};

packet_enum! {
    /// How vertices form primitives.
    #[allow(missing_docs, reason = "the names say it")]
    Topology {
        PointList = 0, LineList = 1, LineStrip = 2, TriangleList = 3, TriangleStrip = 4, TriangleFan = 5,
        /// Three corners of each rectangle, whose sides lie along the axes of the screen. The fourth is second + third -
        /// first, in position and in every output.
        RectList = 6,
        /// Of each four vertices the middle ones; the others are for geometry shaders, here and below.
        LineListAdjacency = 7,
        LineStripAdjacency = 8,
        /// Of each six vertices the first, third and fifth.
        TriangleListAdjacency = 9,
        TriangleStripAdjacency = 10,
    }
}
packet_enum! {
    /// What happens to a stencil value.
    #[allow(missing_docs, reason = "the names say it")]
    StencilOp {
        Keep = 0, Zero = 1, Replace = 2, IncrementClamp = 3, DecrementClamp = 4, Invert = 5, IncrementWrap = 6,
        DecrementWrap = 7,
    }
}
packet_enum! {
    /// Blend factors.
    #[allow(missing_docs, reason = "the names say it")]
    BlendFactor {
        Zero = 0, One = 1, SrcColor = 2, OneMinusSrcColor = 3, DstColor = 4, OneMinusDstColor = 5, SrcAlpha = 6,
        OneMinusSrcAlpha = 7, DstAlpha = 8, OneMinusDstAlpha = 9, ConstantColor = 10, OneMinusConstantColor = 11,
        ConstantAlpha = 12, OneMinusConstantAlpha = 13, SrcAlphaSaturate = 14, Src1Color = 15, OneMinusSrc1Color = 16,
        Src1Alpha = 17, OneMinusSrc1Alpha = 18,
    }
}
packet_enum! {
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
packet_enum! {
    /// Which faces are dropped, as seen with counter-clockwise front faces where [`SetRaster::front_ccw`] is 1.
    #[allow(missing_docs, reason = "the names say it")]
    Cull { None = 0, Front = 1, Back = 2 }
}
packet_enum! {
    /// How triangles are filled.
    #[allow(missing_docs, reason = "the names say it")]
    Fill { Solid = 0, Line = 1, Point = 2 }
}
packet_enum! {
    /// How lines, and the edges of triangles that are filled as lines, become pixels.
    LineMode {
        /// As the device likes best.
        Default = 0,
        /// The pixels of a rectangle along the line, as wide as the line.
        Rectangular = 1,
        /// One pixel per step along the longer axis; wide lines repeat it along the other one.
        Bresenham = 2,
        /// Two triangles, as NVIDIA's early chips draw lines: the ends are at the nearest sixteenth of a pixel, and to either
        /// side goes half the width times `(max + min / 2) / length` of the line's extents, so that oblique lines are up to
        /// an eighth wider. No end may be behind the eye; where one is, there is no line. Only of lines: edges of triangles
        /// are [`LineMode::Rectangular`].
        Quad = 3,
        /// As [`LineMode::Rectangular`], and the fragment's alpha is times the part of the pixel that the line covers. Not together
        /// with alpha to coverage.
        Smooth = 4,
    }
}
packet_enum! {
    /// Which vertex of a primitive gives the inputs that are not interpolated.
    Provoking {
        /// The first; of a fan's triangle, the one after the hub.
        First = 0,
        /// The last.
        Last = 1,
    }
}
packet_enum! {
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
packet_enum! {
    /// Dimensions of a texture.
    #[allow(missing_docs, reason = "the names say it")]
    Dimension { D2 = 0, Cube = 1, D3 = 2 }
}
packet_enum! {
    /// Texel filters.
    #[allow(missing_docs, reason = "the names say it")]
    Filter { Nearest = 0, Linear = 1 }
}
packet_enum! {
    /// What happens outside of 0..1.
    #[allow(missing_docs, reason = "the names say it")]
    Address { Repeat = 0, Mirror = 1, ClampToEdge = 2, ClampToBorder = 3, MirrorOnce = 4 }
}
packet_enum! {
    /// A component swizzle: which source channel, or a constant.
    #[allow(missing_docs, reason = "the names say it")]
    Swizzle { Red = 0, Green = 1, Blue = 2, Alpha = 3, Zero = 4, One = 5 }
}
packet_enum! {
    /// What a query counts.
    QueryKind {
        /// Answers 1 when the GPU has got there.
        Event = 0,
        /// Samples that passed, exact.
        Occlusion = 1,
        /// GPU time in nanoseconds.
        Timestamp = 2,
        /// Triangles (and other primitives) that came to clipping in the low 32 bits, and those that left it in the high 32
        /// bits. Only where [`crate::DeviceInfo::pipeline_statistics`] is 1; 0 elsewhere.
        Primitives = 3,
        /// Primitives of stream 0 that were captured.
        Written0 = 4,
        /// Of stream 1.
        Written1 = 5,
        /// Of stream 2.
        Written2 = 6,
        /// Of stream 3.
        Written3 = 7,
        /// Primitives of stream 0 that would have been captured had there been room.
        Needed0 = 8,
        /// Of stream 1.
        Needed1 = 9,
        /// Of stream 2.
        Needed2 = 10,
        /// Of stream 3.
        Needed3 = 11,
    }
}

impl QueryKind {
    /// The stream whose captured primitives are counted, and whether those that had no room count too.
    #[must_use]
    pub const fn captured(self) -> Option<(usize, bool)> {
        let number = self as usize;
        match number {
            4..=7 => Some((number - 4, false)),
            8..=11 => Some((number - 8, true)),
            _ => None,
        }
    }
}
packet_enum! {
    /// What kind of window handle [`PresentTarget::window`] is.
    WindowKind {
        /// None: pictures only.
        Headless = 0,
        /// `HWND` of the guest's process.
        Win32 = 1,
        /// `SDL_Window*` of the guest's process.
        Sdl = 2,
        /// X11 window id.
        X11 = 3,
    }
}
packet_enum! {
    /// A corner of a window.
    #[allow(missing_docs, reason = "the names say it")]
    Corner { TopLeft = 0, TopRight = 1, BottomLeft = 2, BottomRight = 3 }
}
