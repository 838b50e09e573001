//! The small enumerations of packets, one byte each, checked by the validator.

#[allow(unused_imports, reason = "the documentation names the fields")]
use super::*;

use afterimage_abi::numbers as packet_enum;
pub use afterimage_abi::{
    Address, BlendFactor, BlendOp, Compare, Cull, Fill, Filter, FogMode, Language, LogicOp, Stage, StencilOp,
};

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
    /// Dimensions of a texture.
    #[allow(missing_docs, reason = "the names say it")]
    Dimension { D2 = 0, Cube = 1, D3 = 2 }
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
        /// `HWND` of the guest's process, which draws into it itself: nobody else does.
        Blit = 4,
    }
}
packet_enum! {
    /// A corner of a window.
    #[allow(missing_docs, reason = "the names say it")]
    Corner { TopLeft = 0, TopRight = 1, BottomLeft = 2, BottomRight = 3 }
}
