//! What a module declares, as ids and types: what writes declarations and what writes code have in common.

use afterimage_ir::{Output, Type};
use smallvec::SmallVec;

use crate::spec::{decoration, op, storage};
use crate::words::{Id, Words};

/// A block of constant registers behind an address.
#[derive(Clone, Copy)]
pub(crate) struct Block {
    /// Its pointer, loaded in the entry block.
    pub(crate) pointer: Id,
    /// Pointer type of a register.
    pub(crate) register: Id,
}

/// An image and a sampler, loaded in the entry block.
#[derive(Clone, Copy)]
pub(crate) struct Handles {
    pub(crate) sampled_type: Id,
    pub(crate) image: Id,
    pub(crate) sampler: Id,
    /// Both in one, where that is how they are bound; else 0.
    pub(crate) combined: Id,
    /// Whether they may be others in other lanes.
    pub(crate) non_uniform: bool,
}

/// An array of descriptors.
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub(crate) variable: Id,
    pub(crate) element: Id,
    /// Of an element with a sampler.
    pub(crate) sampled_type: Id,
}

/// A storage image.
#[derive(Clone, Copy)]
pub(crate) struct Storage {
    pub(crate) variable: Id,
    pub(crate) ty: Id,
}

/// The memory of a work group: an array of words, or, where atomic operations on 64 bits work on it, of pairs of them.
#[derive(Clone, Copy)]
pub(crate) struct Shared {
    pub(crate) variable: Id,
    /// Its words, behind which there is one more.
    pub(crate) words: u32,
    /// The type of pairs: integers of 64 bits.
    pub(crate) long: Option<Id>,
}

/// Ids of what the module declares; `None` where the code does not use it.
#[derive(Default)]
pub(crate) struct Interface {
    pub(crate) inputs: SmallVec<[Option<Id>; 16]>,
    pub(crate) outputs: SmallVec<[Option<Id>; 16]>,
    /// The arrays of clip and of cull distances.
    pub(crate) distances: [Option<Id>; 2],
    pub(crate) stage_block: Option<Block>,
    pub(crate) system_block: Option<Block>,
    pub(crate) feedback_block: Option<Block>,
    /// Banks that are bound as blocks of another program's shader.
    pub(crate) bound: Vec<Option<Reached>>,
    pub(crate) textures: SmallVec<[Option<Handles>; 16]>,
    /// Of textures in tables the arrays of their descriptors and of those of samplers; nothing of others, or an empty list.
    pub(crate) tables: SmallVec<[Option<(Array, Array)>; 0]>,
    pub(crate) images: SmallVec<[Option<Storage>; 8]>,
    /// The memory of the work group.
    pub(crate) shared: Option<Shared>,
    pub(crate) specs: SmallVec<[Option<Id>; 4]>,
    /// What transform feedback has of parts of outputs.
    pub(crate) copies: Vec<Copied>,
    pub(crate) push: Option<Push>,
    /// Where the shader reads records: the number of the draw, and the vertex stage's copy of it for the pixel stage.
    pub(crate) draw: Option<(Id, Option<Id>)>,
}

/// The push constant block.
pub(crate) struct Push {
    pub(crate) variable: Id,
    /// Type of the pointer in it to the records that have the rest, where there are any.
    pub(crate) records: Option<Id>,
    pub(crate) stage: Option<Registers>,
    pub(crate) system: Option<Registers>,
    pub(crate) feedback: Option<Registers>,
    pub(crate) textures: Option<u32>,
}

/// Types of a block of registers.
pub(crate) struct Registers {
    /// Index in the push constant block.
    pub(crate) member: u32,
    pub(crate) pointer_type: Id,
    pub(crate) register: Id,
}

/// How a bank is reached.
#[derive(Clone, Copy)]
pub(crate) struct Reached {
    pub(crate) variable: Id,
    pub(crate) class: u32,
    /// Element of an array of blocks.
    pub(crate) element: Option<Id>,
    /// Whether the block is an array of words, and not of registers.
    pub(crate) words: bool,
    /// First word, and the number of them, where it is known.
    pub(crate) first: u32,
    pub(crate) count: Option<u32>,
}

/// A copy of some components of an output, for transform feedback alone.
pub(crate) struct Copied {
    pub(crate) output: Output,
    pub(crate) component: u8,
    pub(crate) lanes: u8,
    pub(crate) variable: Id,
}

/// `struct { vec4 registers[count]; }` behind an address.
pub(crate) fn registers_type(w: &mut Words, count: u32, name: &str, member: u32) -> Registers {
    let vec4 = w.ty(Type::F32X4);
    let len = w.uint(count);
    let array = w.global(op::TypeArray, &[vec4, len]);
    w.decorate(array, decoration::ArrayStride, &[16]);
    let block = w.global(op::TypeStruct, &[array]);
    w.decorate(block, decoration::Block, &[]);
    w.member_offset(block, 0, 0);
    w.member_decorate(block, 0, decoration::NonWritable);
    w.name(block, name);
    let pointer_type = w.global(op::TypePointer, &[storage::PhysicalStorageBuffer, block]);
    let register = w.pointer(storage::PhysicalStorageBuffer, vec4);
    Registers { member, pointer_type, register }
}
