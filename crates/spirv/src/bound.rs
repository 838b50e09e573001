//! Modules that keep the interface of another program's shader: constants come from its uniform blocks, push constants and storage
//! buffers, textures from its descriptors. Only the address of the system values of transform feedback is added.

use afterimage_ir::bindings::{Bindings, BlockSource, BlockUse, Descriptor, TextureUse};
use afterimage_ir::{BankSource, Component, Dim, InstData, Kind, Module, Op, Stage, TextureDecl, Type, Uses};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

use crate::EmitError;
use crate::declared::{Handles, Interface, Push, Reached, registers_type};
use crate::emit::Emitter;
use crate::spec::{capability, decoration, dim, glsl, op, storage};
use crate::words::{Id, Words};

/// What [`emit_bound`](crate::emit_bound) is told.
#[derive(Clone, Copy, Debug)]
pub struct Bound<'a> {
    /// What banks and texture slots stand for. Those of a vertex or geometry shader also serve the compute shader that was made of it.
    pub bindings: &'a Bindings,
    /// Byte of the push constants, a multiple of 8, where the address of the system values of transform feedback is; `None` for
    /// the first one behind the shader's own. See [`Bound::feedback`].
    pub feedback: Option<u32>,
}

impl Bound<'_> {
    /// Where the address of the system values of transform feedback is in the push constants.
    pub fn feedback(&self) -> u32 {
        self.feedback.unwrap_or_else(|| self.bindings.push_size().checked_next_multiple_of(8).unwrap_or(u32::MAX))
    }
}

/// Most bytes of push constants.
const MAX_PUSH: u32 = 1 << 16;

/// Declares blocks. Textures come with [`load`].
pub(crate) fn declare(
    w: &mut Words,
    m: &Module,
    uses: &Uses,
    bound: &Bound<'_>,
    out: &mut Interface,
) -> Result<(), EmitError> {
    let mut blocks = Vec::new();
    for decl in &m.banks {
        let storage = decl.source == BankSource::Storage;
        let is =
            |block: &&BlockUse| block.bank == decl.id && matches!(block.source, BlockSource::Storage(_)) == storage;
        let found = match decl.source {
            BankSource::Stage | BankSource::Storage => bound.bindings.blocks.iter().find(is),
            BankSource::Feedback => None,
            BankSource::System => return Err(EmitError::Unbound("the system block")),
        };
        if found.is_none() && decl.source != BankSource::Feedback {
            return Err(EmitError::Unbound("a bank that is no block of the shader"));
        }
        blocks.push(found);
    }
    let mut declared: FxHashMap<(u32, u32, u32), Id> = FxHashMap::default();
    for block in &blocks {
        let reached = match block {
            None => None,
            Some(block) => match block.source {
                // Declared below, with the address.
                BlockSource::PushConstants => None,
                BlockSource::Uniform(at) => {
                    Some(descriptor_block(w, bound, block, at, storage::Uniform, &mut declared))
                }
                BlockSource::Storage(at) => {
                    Some(descriptor_block(w, bound, block, at, storage::StorageBuffer, &mut declared))
                }
                BlockSource::Address(_) => return Err(EmitError::Unbound("constants behind an address")),
            },
        };
        out.bound.push(reached);
    }
    push_constants(w, m, uses, bound, &blocks, out)
}

fn push_constants(
    w: &mut Words,
    m: &Module,
    uses: &Uses,
    bound: &Bound<'_>,
    blocks: &[Option<&BlockUse>],
    out: &mut Interface,
) -> Result<(), EmitError> {
    let own = blocks.iter().position(|block| block.is_some_and(|block| block.source == BlockSource::PushConstants));
    let mut members: SmallVec<[(Id, u32); 2]> = SmallVec::new();
    let mut words = (0, 0);
    let block = own.and_then(|at| blocks[at]);
    if let Some(block) = block {
        let (first, end) = (block.start / 4, block.size.div_ceil(4));
        words = (first, end.saturating_sub(first).max(1));
        let uint = w.ty(Type::I32);
        let len = w.uint(words.1);
        let array = w.global(op::TypeArray, &[uint, len]);
        w.decorate(array, decoration::ArrayStride, &[4]);
        members.push((array, first * 4));
    }
    let size = m.banks.iter().filter(|b| b.source == BankSource::Feedback).map(|b| b.size).max();
    let mut feedback = None;
    if let Some(size) = size.filter(|_| uses.reflection.feedback) {
        let offset = bound.feedback();
        let taken = block.map_or(0..0, |block| block.start..block.size);
        let overlaps = offset < taken.end && taken.start < offset.saturating_add(8);
        if !offset.is_multiple_of(8) || offset > MAX_PUSH || overlaps {
            return Err(EmitError::Push { offset, taken: taken.end });
        }
        let registers = registers_type(w, size, "feedback", members.len() as u32);
        members.push((registers.pointer_type, offset));
        feedback = Some(registers);
    }
    if members.is_empty() {
        return Ok(());
    }
    let types: SmallVec<[Id; 2]> = members.iter().map(|member| member.0).collect();
    let ty = w.global(op::TypeStruct, &types);
    w.decorate(ty, decoration::Block, &[]);
    for (i, &(_, offset)) in members.iter().enumerate() {
        w.member_offset(ty, i as u32, offset);
    }
    w.name(ty, "Push");
    let variable = w.variable(storage::PushConstant, ty);
    w.name(variable, "push");
    if let Some(own) = own {
        let (first, count) = words;
        let class = storage::PushConstant;
        out.bound[own] = Some(Reached { variable, class, element: None, words: true, first, count: Some(count) });
    }
    out.push = Some(Push { variable, records: None, stage: None, system: None, feedback, textures: None });
    Ok(())
}

/// The variable of a block that a descriptor binds.
fn descriptor_block(
    w: &mut Words,
    bound: &Bound<'_>,
    block: &BlockUse,
    at: Descriptor,
    class: u32,
    declared: &mut FxHashMap<(u32, u32, u32), Id>,
) -> Reached {
    let words = class == storage::StorageBuffer;
    let count = (block.size != u32::MAX).then(|| if words { block.size.div_ceil(4) } else { block.size.div_ceil(16) });
    let count = count.map(|count| count.max(1));
    // All elements of an array of blocks are one variable, of one type.
    let same = |other: &&BlockUse| match (other.source, class) {
        (BlockSource::Uniform(d), storage::Uniform) | (BlockSource::Storage(d), storage::StorageBuffer) => {
            (d.set, d.binding) == (at.set, at.binding)
        }
        _ => false,
    };
    let elements = bound.bindings.blocks.iter().filter(same).map(|block| match block.source {
        BlockSource::Uniform(d) | BlockSource::Storage(d) => d.element,
        _ => 0,
    });
    let last = elements.max().unwrap_or(0);
    let variable = *declared.entry((class, at.set, at.binding)).or_insert_with(|| {
        let (ty, stride) = if words { (w.ty(Type::I32), 4) } else { (w.ty(Type::F32X4), 16) };
        let array = match count {
            Some(count) => {
                let len = w.uint(count);
                w.global(op::TypeArray, &[ty, len])
            }
            None => w.global(op::TypeRuntimeArray, &[ty]),
        };
        w.decorate(array, decoration::ArrayStride, &[stride]);
        let mut ty = w.global(op::TypeStruct, &[array]);
        w.decorate(ty, decoration::Block, &[]);
        w.member_offset(ty, 0, 0);
        if words {
            w.member_decorate(ty, 0, decoration::NonWritable);
        }
        let name = format!("set{}_binding{}", at.set, at.binding);
        w.name(ty, &name);
        if last > 0 {
            ty = w.array(ty, last + 1);
        }
        let variable = w.variable(class, ty);
        place(w, variable, at);
        variable
    });
    let element = (last > 0).then(|| w.uint(at.element));
    Reached { variable, class, element, words, first: 0, count }
}

/// Decorates a variable with its set and binding.
fn place(w: &mut Words, variable: Id, at: Descriptor) {
    w.decorate(variable, decoration::DescriptorSet, &[at.set]);
    w.decorate(variable, decoration::Binding, &[at.binding]);
}

/// Loads the handles of textures, at the begin of the code.
pub(crate) fn load(
    w: &mut Words,
    m: &Module,
    uses: &Uses,
    bound: &Bound<'_>,
    out: &mut Interface,
) -> Result<(), EmitError> {
    let mut declared: FxHashMap<(Id, u32, u32), Id> = FxHashMap::default();
    for (i, d) in m.textures.iter().enumerate() {
        if d.in_tables() {
            return Err(EmitError::Unbound("a texture in tables"));
        }
        if !uses.textures[i] {
            out.textures.push(None);
            continue;
        }
        let found = match m.stage {
            Stage::Compute => bound.bindings.texture_in_compute(d.slot),
            _ => bound.bindings.texture(d.slot),
        };
        let found = found.ok_or(EmitError::Unbound("a texture slot that is no texture of the shader"))?;
        let image_type = image_type(w, d);
        let sampled_type = w.declared(op::TypeSampledImage, &[image_type]);
        let mut handle = |w: &mut Words, ty: Id, at: Descriptor, name: &str| {
            // Several types of one binding are several variables.
            let last = elements(bound, at);
            let variable = *declared.entry((ty, at.set, at.binding)).or_insert_with(|| {
                let all = if last > 0 { w.array(ty, last + 1) } else { ty };
                let variable = w.variable(storage::UniformConstant, all);
                place(w, variable, at);
                w.name(variable, name);
                variable
            });
            if last == 0 {
                return w.value(op::Load, ty, &[variable]);
            }
            let (pointer, element) = (w.pointer(storage::UniformConstant, ty), w.uint(at.element));
            let at = w.value(op::AccessChain, pointer, &[variable, element]);
            w.value(op::Load, ty, &[at])
        };
        let handles = if found.combined {
            let combined = handle(w, sampled_type, found.image, "texture");
            let image = w.value(op::Image, image_type, &[combined]);
            Handles { sampled_type, image, sampler: 0, combined, non_uniform: false }
        } else {
            let image = handle(w, image_type, found.image, "image");
            let sampler = if found.sampler == found.image {
                0
            } else {
                let ty = w.declared(op::TypeSampler, &[]);
                handle(w, ty, found.sampler, "sampler")
            };
            Handles { sampled_type, image, sampler, combined: 0, non_uniform: false }
        };
        out.textures.push(Some(handles));
    }
    Ok(())
}

/// The last element of the array of descriptors at a binding that is used.
fn elements(bound: &Bound<'_>, at: Descriptor) -> u32 {
    let both = |texture: &TextureUse| [texture.image, texture.sampler];
    let all = bound.bindings.textures.iter().flat_map(both);
    all.filter(|d| (d.set, d.binding) == (at.set, at.binding)).map(|d| d.element).max().unwrap_or(0)
}

fn image_type(w: &mut Words, d: &TextureDecl) -> Id {
    let shape = match d.dim {
        Dim::D2 | Dim::D2Array | Dim::D2Ms | Dim::D2MsArray => dim::D2,
        Dim::Cube | Dim::CubeArray => dim::Cube,
        Dim::D3 => dim::D3,
    };
    let sampled = match d.component {
        Component::Float => w.ty(Type::F32),
        Component::Uint => w.ty(Type::I32),
        Component::Sint => w.signed(1),
    };
    if d.dim == Dim::CubeArray {
        w.capability(capability::SampledCubeArray);
    }
    let [shadow, arrayed, multisampled] = [d.shadow, d.dim.is_array(), d.dim.is_multisampled()].map(u32::from);
    w.declared(op::TypeImage, &[sampled, shape, shadow, arrayed, multisampled, 1, 0])
}

impl Emitter<'_> {
    /// A register of a block.
    pub(crate) fn load_bound(
        &mut self,
        data: &InstData,
        reached: Reached,
        base: i32,
        size: u32,
        full: Type,
    ) -> Result<Id, EmitError> {
        let int = self.w.ty(Type::I32);
        let dynamic = data.op == Op::LoadConstDyn;
        let index = dynamic.then(|| {
            let mut index = self.id(data.args[0]);
            if base != 0 {
                let base = self.w.uint(base as u32);
                index = self.w.value(op::IAdd, int, &[index, base]);
            }
            let (zero, most) = (self.w.uint(0), self.w.uint(size - 1));
            self.w.ext(glsl::SClamp, int, &[index, zero, most])
        });
        let register = u32::try_from(base).unwrap_or(0);
        let zero = self.w.uint(0);
        let chain = |e: &mut Self, ty: Id, place: &[Id]| {
            let pointer = e.w.pointer(reached.class, ty);
            let mut path: SmallVec<[Id; 5]> = SmallVec::from_slice(&[reached.variable]);
            path.extend(reached.element);
            path.push(zero);
            path.extend_from_slice(place);
            let at = e.w.value(op::AccessChain, pointer, &path);
            e.w.value(op::Load, ty, &[at])
        };
        if !reached.words {
            let vec4 = self.w.ty(Type::F32X4);
            let register = match index {
                Some(index) => index,
                None => self.w.uint(register),
            };
            let loaded = chain(self, vec4, &[register]);
            if full.kind == Kind::Float {
                return Ok(loaded);
            }
            let ty = self.w.ty(full);
            return Ok(self.w.value(op::Bitcast, ty, &[loaded]));
        }
        let first = index.map(|index| {
            let two = self.w.uint(2);
            let word = self.w.value(op::ShiftLeftLogical, int, &[index, two]);
            if reached.first == 0 {
                return word;
            }
            let first = self.w.uint(reached.first);
            self.w.value(op::ISub, int, &[word, first])
        });
        let mut parts: SmallVec<[Id; 4]> = SmallVec::new();
        for lane in 0..4 {
            let word = match first {
                Some(first) => {
                    let lane = self.w.uint(lane);
                    let word = self.w.value(op::IAdd, int, &[first, lane]);
                    // Bytes beside the block are read with those that are in it.
                    reached.count.map_or(word, |count| self.w.umin(word, count - 1))
                }
                None => {
                    let word = register.saturating_mul(4).saturating_add(lane).checked_sub(reached.first);
                    match word.filter(|&word| reached.count.is_none_or(|count| word < count)) {
                        Some(word) => self.w.uint(word),
                        None => {
                            parts.push(zero);
                            continue;
                        }
                    }
                }
            };
            parts.push(chain(self, int, &[word]));
        }
        let four = self.w.ty(Type::I32.with_lanes(4));
        let loaded = self.w.value(op::CompositeConstruct, four, &parts);
        let ty = self.w.ty(full);
        Ok(if ty == four { loaded } else { self.w.value(op::Bitcast, ty, &[loaded]) })
    }
}
