//! Push constants of draws that are recorded in one call: each draw has a record in memory, which its shaders find by its number.

use afterimage_abi::{push, varyings};
use afterimage_ir::{Module, Stage, Type};
use smallvec::SmallVec;

use crate::declared::Push;
use crate::spec::{ALIGNED, builtin, capability, decoration, op, storage};
use crate::words::{Id, Words};

/// Declares the number of the draw, and the vertex stage's copy of it, where a shader reads records.
pub(crate) fn declare(w: &mut Words, m: &Module) -> Option<(Id, Option<Id>)> {
    let uint = w.ty(Type::I32);
    let at_location = |w: &mut Words, class| {
        let id = w.variable(class, uint);
        w.decorate(id, decoration::Location, &[varyings::DRAW.into()]);
        w.name(id, "draw");
        id
    };
    match m.stage {
        Stage::Vertex => {
            w.capability(capability::DrawParameters);
            let index = w.variable(storage::Input, uint);
            w.decorate(index, decoration::BuiltIn, &[builtin::DrawIndex]);
            Some((index, Some(at_location(w, storage::Output))))
        }
        Stage::Pixel => {
            let draw = at_location(w, storage::Input);
            w.decorate(draw, decoration::Flat, &[]);
            Some((draw, None))
        }
        Stage::Geometry | Stage::Compute => None,
    }
}

/// Type of a pointer to records of a type.
pub(crate) fn pointer_type(w: &mut Words, record: Id) -> Id {
    let array = w.global(op::TypeRuntimeArray, &[record]);
    w.decorate(array, decoration::ArrayStride, &[push::BYTES]);
    let block = w.global(op::TypeStruct, &[array]);
    w.decorate(block, decoration::Block, &[]);
    w.member_offset(block, 0, 0);
    w.member_decorate(block, 0, decoration::NonWritable);
    w.name(block, "Records");
    w.global(op::TypePointer, &[storage::PhysicalStorageBuffer, block])
}

/// The number of the draw, which the vertex stage hands on.
pub(crate) fn load_draw(w: &mut Words, (number, copy): (Id, Option<Id>)) -> Id {
    let uint = w.ty(Type::I32);
    let draw = w.value(op::Load, uint, &[number]);
    if let Some(copy) = copy {
        w.code.op(op::Store, &[copy, draw]);
    }
    draw
}

/// A value may be another in other lanes.
pub(crate) fn non_uniform(w: &mut Words, id: Id) {
    w.capability(capability::ShaderNonUniform);
    w.capability(capability::SampledImageArrayNonUniformIndexing);
    w.decorate(id, decoration::NonUniform, &[]);
}

/// What is in push constants, or in the draw's record.
pub(crate) struct Values {
    base: Id,
    class: u32,
    /// Indices from the base to the block.
    path: SmallVec<[Id; 2]>,
}

impl Values {
    /// `draw` is the number of the draw where there are records.
    pub(crate) fn new(w: &mut Words, push: &Push, draw: Option<Id>) -> Self {
        let (Some(records), Some(draw)) = (push.records, draw) else {
            return Self { base: push.variable, class: storage::PushConstant, path: SmallVec::new() };
        };
        let zero = w.uint(0);
        let pointer = w.pointer(storage::PushConstant, records);
        let at = w.value(op::AccessChain, pointer, &[push.variable, zero]);
        let base = w.value(op::Load, records, &[at]);
        Self { base, class: storage::PhysicalStorageBuffer, path: SmallVec::from_slice(&[zero, draw]) }
    }

    /// Loads what is at a path in the block, whose place is a multiple of `align` bytes.
    pub(crate) fn load(&self, w: &mut Words, ty: Id, path: &[Id], align: u32) -> Id {
        let pointer = w.pointer(self.class, ty);
        let mut operands: SmallVec<[Id; 8]> = SmallVec::from_slice(&[self.base]);
        operands.extend(self.path.iter().chain(path).copied());
        let at = w.value(op::AccessChain, pointer, &operands);
        match self.class {
            storage::PhysicalStorageBuffer => w.value(op::Load, ty, &[at, ALIGNED, align]),
            _ => w.value(op::Load, ty, &[at]),
        }
    }
}
