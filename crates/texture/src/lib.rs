//! Texture and surface formats of guests: where a texel lies in guest memory, and what it is on the host.
//!
//! ```text
//!   guest bytes ── plane: pitch, swizzle ──> rows of raw texels ── field, block, yuv ──> host texels
//! ```
//!
//! What any guest may need is at the top: [`swizzle`] (Morton order), [`plane`] (an image in memory by pitch or swizzled),
//! [`field`] (bit fields of a texel), [`block`] (S3TC). What one guest's GPU makes of them is in that guest's module:
//! [`nv2a`] has its tables of formats, mip chains and borders, and decodes and encodes; [`d3d9`] converts what no host has;
//! [`gnm`] knows the tile modes of the PlayStation 4.
//!
//! Everything here is fed by guests. Sizes are bounded ([`MAX_SIDE`], [`MAX_TEXELS`]), every access is checked, and what
//! cannot be done is an [`Error`].
#![forbid(unsafe_code)]

pub mod block;
pub mod d3d9;
pub mod field;
pub mod gnm;
mod micro;
pub mod nv2a;
pub mod plane;
pub mod swizzle;

/// The longest side of an image that is taken, in texels.
pub const MAX_SIDE: u32 = 4096;

/// The most texels of one mip level that are taken. In guest memory that is at most 64 MiB if it is swizzled; a decoded
/// level takes at most eight bytes for each texel, 128 MiB.
pub const MAX_TEXELS: u64 = 1 << 24;

/// Why texels cannot be addressed, decoded or encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// A code that is no texture format.
    #[error("texture format {0:#04x} does not exist")]
    TextureFormat(u32),
    /// A code that is no format of a colour surface.
    #[error("surface colour format {0:#x} does not exist")]
    ColorFormat(u32),
    /// A code that is no format of a depth surface.
    #[error("surface zeta format {0:#x} does not exist")]
    ZetaFormat(u32),
    /// Neither one, nor two, nor three dimensions.
    #[error("a texture has 1 to 3 dimensions, not {0}")]
    Dimensions(u32),
    /// A texture by pitch has two dimensions and no faces; a cube is square.
    #[error("{format} cannot be {what}")]
    Shape {
        /// The format's name.
        format: &'static str,
        /// What it was to be.
        what: &'static str,
    },
    /// More than [`MAX_SIDE`] or [`MAX_TEXELS`].
    #[error("{0} x {1} x {2} texels are more than the {MAX_SIDE} a side or {MAX_TEXELS} in all that are supported")]
    TooLarge(u32, u32, u32),
    /// A rectangle or box that leaves its image.
    #[error("texels {origin:?} + {size:?} are not inside an image of {image:?}")]
    Region {
        /// First texel.
        origin: [u32; 3],
        /// Texels in each direction.
        size: [u32; 3],
        /// Size of the image.
        image: [u32; 3],
    },
    /// A level or face that the texture does not have.
    #[error("{what} {index} of {count}")]
    Index {
        /// "level" or "face".
        what: &'static str,
        /// What was asked for.
        index: u32,
        /// How many there are.
        count: u32,
    },
    /// Memory that ends before the image.
    #[error("{what} takes {needed} bytes, but {have} are there")]
    Short {
        /// What it is.
        what: &'static str,
        /// Bytes that are needed.
        needed: u64,
        /// Bytes that are there.
        have: u64,
    },
    /// Texels of a size that no swizzled image has.
    #[error("texels of {0} bytes cannot be swizzled")]
    TexelSize(u32),
}

/// Compiles and runs the example in `README.md`.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
