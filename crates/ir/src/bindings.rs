//! What the banks and texture slots of a module stand for that another program's shader was translated to: its own uniform blocks,
//! push constants, storage buffers and textures. The SPIR-V front end says it, and the back end can write modules that keep it.

use afterimage_abi::slots;

/// What a translated module expects to be bound.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Blocks that are read, in the order of bank ids.
    pub blocks: Vec<BlockUse>,
    /// Textures that are sampled, by slot.
    pub textures: Vec<TextureUse>,
    /// Numbers of specialisation constants that cannot be set, because the length of an array depends on them or they have 64
    /// bits. They have their default, and the IR does not list them.
    pub frozen: Vec<u32>,
}

/// A block of constants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockUse {
    /// Id of the IR's bank, of source [`Storage`](crate::BankSource::Storage) for storage buffers.
    pub bank: u8,
    /// Where it comes from.
    pub source: BlockSource,
    /// First byte that is declared: push constants may begin behind those of another stage. Register 0 begins at byte 0 all the same.
    pub start: u32,
    /// Size in bytes, without what a last register has beyond it; `u32::MAX` for buffers whose size is known only when they are bound.
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
    /// A storage buffer that is only read.
    Storage(Descriptor),
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
    /// The sampler; equal to `image` if that is a combined image sampler, or if only texels are fetched, without a sampler.
    pub sampler: Descriptor,
    /// Whether `image` is a combined image sampler.
    pub combined: bool,
}

impl Bindings {
    /// Those of two stages that are one shader afterwards, the second of which went on with the numbers of the first.
    pub fn join(&mut self, other: &Bindings) {
        for block in &other.blocks {
            match self.blocks.iter_mut().find(|known| known.source == block.source) {
                Some(known) => {
                    known.start = known.start.min(block.start);
                    known.size = known.size.max(block.size);
                }
                None => self.blocks.push(*block),
            }
        }
        self.blocks.sort_by_key(|block| block.bank);
        for texture in &other.textures {
            if !self.textures.contains(texture) {
                self.textures.push(*texture);
            }
        }
        self.frozen.extend_from_slice(&other.frozen);
    }

    /// Bytes of the push constants that are read.
    pub fn push_size(&self) -> u32 {
        let push = self.blocks.iter().filter(|block| block.source == BlockSource::PushConstants);
        push.map(|block| block.size).max().unwrap_or(0)
    }

    /// What is in a texture slot of a compute shader that was a vertex or geometry shader: the vertex stage's own slots come first.
    pub fn texture_in_compute(&self, slot: u8) -> Option<&TextureUse> {
        self.texture(slots::draw_slot(slot.into())? as u8)
    }

    /// What is in a texture slot.
    pub fn texture(&self, slot: u8) -> Option<&TextureUse> {
        self.textures.iter().find(|texture| texture.slot == slot)
    }
}
