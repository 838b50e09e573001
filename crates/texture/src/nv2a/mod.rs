//! NV2A: textures, surfaces and depths as the Xbox's GPU keeps them.
//!
//! Sources: formats and layouts as in `docs/sources/nv2a.md#surfaces` and `docs/sources/nv2a.md#textures` (nxdk's register names);
//! what is not a name but behaviour (how bits are widened, DXT1's dither, Y'CbCr arithmetic, which components a format fills) as
//! measured on pictures that a console drew (nxdk_pgraph_tests' golden results), partly by the authors of xemu and of its
//! descendants.

mod color_key;
mod color_row;
mod decode;
pub mod depth;
mod dxt;
mod layout;
mod surface;
mod texture_format;
mod ycbcr;

pub use color_key::{ColorKey, KeyMode};
pub use decode::{HostFormat, Image, Options, Signs, decode};
pub use layout::{BORDER, Level, Texture};
pub use surface::{ColorFormat, Surface, ZetaFormat};
pub use texture_format::{Decode, Layout, TextureFormat, TextureFormatInfo};
pub use ycbcr::Chroma;
