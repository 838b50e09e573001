//! NV2A shader front end: what the vertex engine and the pixel pipeline compute, as IR.
//!
//! * Transform microcode: `tables`, `parse`, `disasm`, `asm`, `lift`, and `run`, which executes it on the CPU.
//! * [`fixed`]: fixed-function transform and lighting.
//! * [`pixel`]: texture shader, register combiners, final combiner, and the tests on a pixel.
//! * [`io`]: where the stages meet. [`banks`]: where constants live.
#![forbid(unsafe_code)]

pub mod banks;
pub mod fixed;
pub mod io;
pub mod pixel;
