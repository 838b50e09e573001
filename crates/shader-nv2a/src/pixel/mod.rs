//! Texture shader, register combiners, final combiner, and the tests on a pixel.
//!
//! * [`Key`] is what decides code, out of the registers; [`constants`] is what the code reads. [`lift`] makes IR of a key,
//!   [`disasm`] text.
//! * [`tables`]: the meaning of the words.
//!
//! A pixel goes through window clip, stipple, the four stages of the texture shader, up to eight combiners, the final
//! combiner, and the alpha test. Its depth is computed here where a depth buffer's format is not what hosts have.

mod anisotropy;
mod combiners;
mod constants;
mod coverage;
mod depth;
mod disasm;
mod fog;
mod key;
mod lift;
mod lookup;
mod shared;
mod smooth;
pub mod tables;
mod texture_shader;

pub use constants::{PixelRegister, constants};
pub use disasm::disasm;
pub use key::{Depth, Drawn, Key, Shape, StageKey, WindowClip};
pub use lift::lift;
