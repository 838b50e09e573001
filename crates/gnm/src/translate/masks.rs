//! Where the metadata of targets lies, and of which tiles it says something ([`metadata`](super::metadata) has what).

use afterimage_texture::gnm::TileMask;

/// Metadata of a colour target, which says which tiles are clear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cmask {
    pub(super) address: u64,
    /// Bytes from one slice to the next, by the registers.
    pub(super) slice: u64,
    pub(super) mask: TileMask,
    /// A texel of what is clear.
    pub(super) value: [u32; 2],
}

/// Metadata of the depth target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Htile {
    pub(super) address: u64,
    pub(super) mask: TileMask,
    /// Whether it says nothing of stencil.
    pub(super) stencil_apart: bool,
}

/// Generations of metadata that were looked at, by its address.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    pub(super) known: rustc_hash::FxHashMap<u64, u64>,
}
