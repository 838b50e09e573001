//! Packets around frames: who sends, where a frame begins and ends, where it is shown, names and marks.

use super::check::{Checked, byte, number, positive, size};
#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::{Cause, ObjectId};
use bytemuck::{Pod, Zeroable};

/// Body of [`Kind::Init`]; the tail is the program's name, UTF-8.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Init {
    /// [`Init::VERSION`] of the sender.
    pub version: u32,
    /// Bytes of the name.
    pub count: u32,
    /// Process id of the guest.
    pub process: u32,
    /// Which guest: [`Init::D3D9`] and its like.
    pub guest: u32,
}

impl Init {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        if self.version == Self::VERSION {
            Ok(())
        } else {
            Err(Cause::Version { have: self.version, wanted: Self::VERSION })
        }
    }
}

impl Init {
    /// `guest` of Direct3D 9.
    pub const D3D9: u32 = 1;
    /// `guest` of NV2A.
    pub const NV2A: u32 = 2;
    /// `guest` of GNM.
    pub const GNM: u32 = 3;
    /// Version of the packets in this crate. A receiver refuses any other.
    pub const VERSION: u32 = 10;
}

/// Body of [`Kind::BeginFrame`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct BeginFrame {
    /// Frame number, one more than the last presented.
    pub frame: u64,
}

/// Body of [`Kind::Present`]. Without target and texture the frame ends and nothing is shown.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Present {
    /// Must equal the number of the [`BeginFrame`] it ends.
    pub frame: u64,
    /// A target declared by [`PresentTarget`].
    pub target: ObjectId,
    /// The texture to show (level 0, layer 0).
    pub texture: ObjectId,
    /// Part of the texture in texels; an empty rectangle means all.
    pub src: Rect,
    /// Part of the target in pixels; an empty rectangle means all.
    pub dst: Rect,
    /// Wait for this many vertical blanks; 0 shows at once.
    pub interval: u32,
    /// Zero.
    pub pad: u32,
}

impl Present {
    /// Ends a frame without a picture.
    #[must_use]
    pub fn nothing(frame: u64) -> Self {
        Self { frame, ..Self::zeroed() }
    }

    /// Whether the frame ends without a picture.
    #[must_use]
    pub fn shows_nothing(&self) -> bool {
        self.target.is_none() && self.texture.is_none()
    }
}

/// Body of [`Kind::StateFigures`]: counts as in [`afterimage_state::Figures`]. Nothing is drawn by them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct StateFigures {
    /// Draws.
    pub draws: u64,
    /// Writes of values that states had already.
    pub filtered: u64,
    /// Writes that changed states.
    pub marked: u64,
    /// Groups applied.
    pub applied: u64,
    /// Of those, the ones whose result was the one before.
    pub unchanged: u64,
}

impl From<afterimage_state::Figures> for StateFigures {
    fn from(figures: afterimage_state::Figures) -> Self {
        let afterimage_state::Figures { draws, filtered, marked, applied, unchanged } = figures;
        Self { draws, filtered, marked, applied, unchanged }
    }
}

impl From<StateFigures> for afterimage_state::Figures {
    fn from(figures: StateFigures) -> Self {
        let StateFigures { draws, filtered, marked, applied, unchanged } = figures;
        Self { draws, filtered, marked, applied, unchanged }
    }
}

/// Body of [`Kind::Name`]; the tail is the name, UTF-8.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Name {
    /// The object.
    pub id: ObjectId,
    /// Bytes of the name.
    pub count: u32,
}

/// Body of [`Kind::Marker`]; the tail is the text, UTF-8.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Marker {
    /// [`Marker::BEGIN`], [`Marker::END`] or [`Marker::MARK`].
    pub action: u32,
    /// Bytes of the text.
    pub count: u32,
    /// Colour to show it in, 0xAARRGGBB; 0 for none.
    pub color: u32,
    /// Zero.
    pub pad: u32,
}

impl Marker {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("action", self.action, Self::MARK)
    }
}

impl Marker {
    /// Begins a group, which may be inside of another.
    pub const BEGIN: u32 = 0;
    /// Ends the group that was begun last. Where none is open, nothing.
    pub const END: u32 = 1;
    /// A single mark.
    pub const MARK: u32 = 2;
}

/// Body of [`Kind::PresentTarget`]. The first one for an id creates it; [`Destroy`] ends it.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct PresentTarget {
    /// The target.
    pub id: ObjectId,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// [`WindowKind`].
    pub window_kind: u32,
    /// The window handle.
    pub window: u64,
}

impl PresentTarget {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("window_kind", self.window_kind, WindowKind::ALL.len() as u32 - 1)?;
        size("width", self.width, u32::MAX)?;
        size("height", self.height, u32::MAX)
    }
}

/// Body of [`Kind::Overlay`]: what the receiver draws over what it shows in windows, for the user and not part of any
/// picture. It is no state: snapshots leave it out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct Overlay {
    /// [`Overlay::FPS`] and its like.
    pub items: u32,
    /// Size of a pixel of the letters in pixels of the window, up to [`Overlay::MOST_SCALE`]; 0 goes by the window's height.
    pub scale: f32,
    /// [`Corner`] of the window.
    pub corner: u8,
    /// Zero.
    pub pad: [u8; 7],
}

impl Overlay {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self) -> Checked {
        number("items", self.items, Self::ALL)?;
        byte("corner", self.corner, Corner::ALL.len())?;
        positive("scale", self.scale, Self::MOST_SCALE)
    }
}

impl Overlay {
    /// The largest `scale`.
    pub const MOST_SCALE: f32 = 16.0;
}

/// Body of [`Kind::SetGamma`]; the tail is what 256 steps of red, then green, then blue become, 65,535 being full, or
/// nothing: then they stay as they are. Lasts until the next one for the target.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct SetGamma {
    /// The target.
    pub id: ObjectId,
    /// [`SetGamma::STEPS`] or 0.
    pub count: u32,
}

impl SetGamma {
    /// Checks what the packet alone can tell.
    #[inline]
    pub(crate) fn check(&self, steps: &[u16]) -> Checked {
        let (value, limit) = (self.count.into(), Self::STEPS as u64);
        if steps.is_empty() || value == limit { Ok(()) } else { Err(Cause::Range { field: "count", value, limit }) }
    }
}

impl SetGamma {
    /// Elements of a tail that is there.
    pub const STEPS: usize = 3 * 256;
}
