//! Packets around frames: who sends, where a frame begins and ends, where it is shown, names and marks.

#[allow(unused_imports, reason = "the documentation names the enumerations of some fields")]
use super::*;
use crate::ObjectId;
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
    /// `guest` of Direct3D 9.
    pub const D3D9: u32 = 1;
    /// `guest` of NV2A.
    pub const NV2A: u32 = 2;
    /// `guest` of GNM.
    pub const GNM: u32 = 3;
    /// Version of the packets in this crate. A receiver refuses any other.
    pub const VERSION: u32 = 3;
}

/// Body of [`Kind::BeginFrame`].
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C, align(8))]
pub struct BeginFrame {
    /// Frame number, one more than the last presented.
    pub frame: u64,
}

/// Body of [`Kind::Present`].
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
    /// 0 begins a group, 1 ends one, 2 is a single mark.
    pub action: u32,
    /// Bytes of the text.
    pub count: u32,
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
