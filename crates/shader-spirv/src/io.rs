//! What the banks and texture slots of a lifted module stand for.
//!
//! The IR has banks of 16-byte registers and numbered texture slots. A block of SPIR-V becomes a bank whose register `n` is the
//! block's bytes `16 n` to `16 n + 15`; members that are not aligned to registers are put together from components, so any
//! layout (std140, std430, scalar) works. Dynamic indices are clamped to the block.
//!
//! | SPIR-V | bank id |
//! |---|---|
//! | push constant block | 0 |
//! | uniform blocks, by rising (set, binding, element) | 1, 2, ... |
//! | storage buffers, likewise | behind them |
//!
//! A second stage that [goes on](crate::lift_after) with the numbers of a first has the same ones for the same blocks, and new
//! ones for others.
//!
//! A combined image sampler, or a pair of image and sampler that are used together, becomes a texture slot: pixel stage from
//! 0, vertex stage from 16, geometry stage from 0, in the order of first use. Storage buffers can be read, not written; one
//! without a length is as long as what is bound, up to 1 GiB.
//!
//! # Modules that `--to spirv` wrote
//! Our own ABI (head of `crates/spirv/src/lib.rs`) is recognised by the addressing model `PhysicalStorageBuffer64` and, in the
//! push constant block, pointers at bytes 0, 8 or 24 (the stage's constants: bank 0, register `n` being the `n`th of the
//! segments behind the address) and 16 (the system block), and words from byte 32 on (texture slots). Descriptor arrays at set 0,
//! bindings 0 to 2 with samplers at binding 3 keep the slot that they are indexed with.

pub use afterimage_ir::bindings::{Bindings, BlockSource, BlockUse, Descriptor, TextureUse};
