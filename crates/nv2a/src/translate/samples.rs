//! Where in a pixel the samples of an anti-aliased surface lie, and how a host that samples its pixels in their middles draws them.
//!
//! Of the two samples of a pixel (`SET_SURFACE_FORMAT`'s "center corner") the first, in even columns of memory, is the pixel's upper
//! left corner, the second its middle. A point has all samples of the pixels that it has the middles of. So a draw is made
//! twice, once for every other column, moved to where the samples are.
//!
//! Source: the pictures of a console (suites 3D primitive, Swath width, Smoothing control); hakuX' notes on its lane aasample say the
//! same of suite Antialiasing tests.

use super::Translator;
use super::surfaces::Target;
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::pixel::{Drawn, Key};
use afterimage_stream::packets::SetViewport;

/// A draw that makes some of a surface's columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pass {
    /// The columns that it makes, as flags of the pixel shader's key.
    pub(super) columns: u32,
    /// How far what is drawn is moved, in samples.
    offset: [f32; 2],
}

/// All samples, in the middles of the host's pixels.
const PLAIN: [Pass; 1] = [Pass { columns: 0, offset: [0.0; 2] }];
/// Corners and middles.
const CENTER_CORNER: [Pass; 2] =
    [Pass { columns: Key::CORNERS, offset: [0.5; 2] }, Pass { columns: Key::CENTERS, offset: [0.5, 0.0] }];
/// The same, with one colour.
const SHARED: [Pass; 2] = [
    Pass { columns: Key::CORNERS | Key::SHARED, offset: [0.5; 2] },
    Pass { columns: Key::CENTERS, offset: [0.5, 0.0] },
];
/// Middles for both.
const POINTS: [Pass; 2] =
    [Pass { columns: Key::CORNERS, offset: [-0.5, 0.0] }, Pass { columns: Key::CENTERS, offset: [0.5, 0.0] }];

/// What single samples of points are moved by, in pixels: one on the left edge of a point is outside, one on its right edge inside.
const TIE: f32 = 1.0 / 256.0;

/// Whether the samples of a pixel have one colour, and nothing is smoothed (`SET_ANTI_ALIASING_CONTROL`). A console comes up with its
/// lowest bit set.
pub(super) fn is_multisampled(registers: &Registers) -> bool {
    let control = registers.get(method::SET_ANTI_ALIASING_CONTROL);
    control == 0 || control & 1 != 0
}

/// The passes that draw to a surface.
pub(super) fn passes(target: &Target, registers: &Registers, drawn: Drawn) -> &'static [Pass] {
    let shared = is_multisampled(registers);
    match (target.scale, drawn) {
        ([2, 1], Drawn::Points) => &POINTS,
        ([2, 1], _) if shared => &SHARED,
        ([2, 1], _) => &CENTER_CORNER,
        _ => &PLAIN,
    }
}

impl Translator {
    /// Moves what is drawn next to where a pass has it.
    pub(super) fn begin_pass(&mut self, pass: &Pass, registers: &Registers, drawn: Drawn) {
        let [mut x, y] = pass.offset;
        if drawn == Drawn::Points && !is_multisampled(registers) {
            x += TIE * self.target.scale[0] as f32;
        }
        self.port.put(&mut self.sent.viewport, SetViewport { x, y, ..self.viewport });
    }
}
