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
//!
//! A combined image sampler, or a pair of image and sampler that are used together, becomes a texture slot: pixel stage from
//! 0, vertex stage from 16, in the order of first use.
//!
//! # Modules that `--to spirv` wrote
//! Our own ABI (head of `crates/spirv/src/lib.rs`) is recognised by the addressing model `PhysicalStorageBuffer64` and, in the
//! push constant block, pointers at bytes 0 or 8 (the stage's constants: bank 0, register `n` being the `n`th of the
//! segments behind the address) and 16 (the system block), and words from byte 32 on (texture slots). Descriptor arrays at set 0,
//! bindings 0 to 2 with samplers at binding 3 keep the slot that they are indexed with.

use afterimage_ir::OutputAt;

/// What a lifted module expects to be bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Blocks that are read, in the order of bank ids.
    pub blocks: Vec<BlockUse>,
    /// Textures that are sampled, by slot.
    pub textures: Vec<TextureUse>,
    /// Outputs that the module asks to be captured by transform feedback. The IR does not have this; whoever wants the
    /// captures sees to them.
    pub captures: Vec<Capture>,
    /// Numbers of specialisation constants that cannot be set, because the length of an array depends on them. They have
    /// their default, and the IR does not list them.
    pub frozen: Vec<u32>,
}

/// A piece of an output that is to be captured (`XfbBuffer`, `XfbStride`, `Offset`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capture {
    /// The output.
    pub at: OutputAt,
    /// First component of it.
    pub component: u8,
    /// Number of components of 4 bytes.
    pub lanes: u8,
    /// Number of the buffer.
    pub buffer: u32,
    /// Bytes between the vertices in the buffer.
    pub stride: u32,
    /// Place in the vertex in bytes.
    pub offset: u32,
}

/// A block of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockUse {
    /// Id of the IR's bank.
    pub bank: u8,
    /// Where it comes from.
    pub source: BlockSource,
    /// Size in bytes, without what a last register has beyond it.
    pub size: u32,
}

/// Where a block of constants comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockSource {
    /// The push constants.
    PushConstants,
    /// A uniform buffer.
    Uniform(Descriptor),
    /// Our own ABI: behind the address in the push constants at this byte.
    Address(u32),
}

/// A descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Descriptor {
    /// Set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Element of an array binding; 0 otherwise.
    pub element: u32,
}

/// A texture with its sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextureUse {
    /// Slot in the IR.
    pub slot: u8,
    /// The image, or the combined image sampler.
    pub image: Descriptor,
    /// The sampler; equal to `image` if it is a combined image sampler.
    pub sampler: Descriptor,
}
