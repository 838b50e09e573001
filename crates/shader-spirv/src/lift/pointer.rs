//! What pointers point to: variables, bytes of blocks, descriptors.

use afterimage_ir::{Value, Var};
use smallvec::SmallVec;

use crate::io::{BlockSource, Descriptor};
use crate::tables::{decoration, storage};
use crate::types::{Declared, Image, Ty};

/// An index that is known only at run time.
#[derive(Clone, Debug)]
pub(super) enum Index {
    Value(Value),
    /// Kept in a variable, because the pointer is used in another block.
    Var(Var),
}

/// An index.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Const(u32),
    Dynamic(Index),
    /// Our own ABI: the texture or sampler of a slot.
    Slot(u8),
}

/// What a pointer points to.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) ty: Ty,
    pub(super) root: Root,
    /// A component of the scalar or vector that `root` leads to.
    pub(super) lane: Option<Step>,
}

/// Where it lies.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A variable: number in [`Memory::storages`](super::memory::Memory), leaf, element; of a geometry shader's input also the number of the vertex.
    Variable { storage: usize, leaf: usize, at: Step, corner: Option<Step> },
    /// A geometry shader's input: number of the variable that each vertex has.
    Corners { storage: usize },
    /// An array of uniform blocks or storage buffers; this is the first.
    Blocks(BlockSource),
    /// Bytes of a block.
    Block(Place),
    /// Textures and samplers.
    Descriptors { variable: u32, element: Element },
}

/// Bytes of a block.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) source: BlockSource,
    /// Size of the block in bytes, `u32::MAX` if it is known only when it is bound.
    pub(super) size: u32,
    /// Least offset of a member.
    pub(super) start: u32,
    pub(super) byte: u32,
    /// Added indices, each with the bytes that one is worth.
    pub(super) dynamic: SmallVec<[(Index, u32); 2]>,
    /// Bytes between components of a vector.
    pub(super) component: u32,
    /// Stride and whether it is row-major, of the matrices here.
    pub(super) matrix: Option<(u32, bool)>,
}

/// Which descriptor of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// It is no array, or the element is not chosen yet.
    Only,
    At(u32),
    /// Our own ABI: what the word of a texture slot names.
    Slot(u8),
}

/// An image or a sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    pub(super) variable: u32,
    pub(super) element: Element,
    /// Type of the image; of no meaning for samplers.
    pub(super) image: Option<Image>,
    /// Whether it is a combined image sampler.
    pub(super) combined: bool,
}

/// Set and binding of a variable.
pub(super) fn descriptor(d: &Declared<'_>, id: u32) -> Descriptor {
    let of = |kind| d.decoration(id, kind).unwrap_or(0);
    Descriptor { set: of(decoration::DescriptorSet), binding: of(decoration::Binding), element: 0 }
}

/// Whether a pointer is to storage buffers, in either of the ways that SPIR-V has for them.
pub(super) fn is_storage(d: &Declared<'_>, pointer: u32) -> bool {
    let Ok(&Ty::Pointer { class, to }) = d.ty(pointer) else { return false };
    let element = match d.ty(to) {
        Ok(Ty::Array { element, .. }) => *element,
        _ => to,
    };
    class == storage::StorageBuffer
        || class == storage::Uniform && d.decoration(element, decoration::BufferBlock).is_some()
}
