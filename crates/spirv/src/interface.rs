//! Declares what the shader shares with the outside: inputs, outputs, push constants, constants, textures.

use afterimage_ir::{Dim, InputAt, Interp, Kind, Module, OutputAt, Stage, TEXTURE_SLOTS, Texture, Type, Uses};
use smallvec::SmallVec;

use crate::spec::{builtin, capability, decoration, dim, execution_mode, op, storage};
use crate::words::{Id, Words};
use crate::{Options, PUSH_TEXTURES};

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
}

/// Ids of what the module declares; `None` where the code does not use it.
#[derive(Default)]
pub(crate) struct Interface {
    pub(crate) inputs: SmallVec<[Option<Id>; 16]>,
    pub(crate) outputs: SmallVec<[Option<Id>; 16]>,
    /// The array of clip distances.
    pub(crate) clip: Option<Id>,
    pub(crate) stage_block: Option<Block>,
    pub(crate) system_block: Option<Block>,
    pub(crate) textures: SmallVec<[Option<Handles>; 16]>,
    pub(crate) specs: SmallVec<[Option<Id>; 4]>,
    push: Option<Push>,
}

struct Push {
    variable: Id,
    stage: Option<Registers>,
    system: Option<Registers>,
    textures: Option<u32>,
}

/// Types of a block of registers.
struct Registers {
    /// Index in the push constant block.
    member: u32,
    pointer_type: Id,
    register: Id,
}

/// Inputs, outputs and the push constant block: everything that stands before the code.
pub(crate) fn declare(w: &mut Words, m: &Module, uses: &Uses, options: &Options, main: Id) -> Interface {
    let mut out = Interface::default();
    for (i, d) in m.inputs.iter().enumerate() {
        if !uses.inputs[i] {
            out.inputs.push(None);
            continue;
        }
        let ty = w.ty(d.ty);
        let id = w.variable(storage::Input, ty);
        w.name(id, &d.name);
        let builtin = match d.at {
            InputAt::Location(n) => {
                w.decorate(id, decoration::Location, &[n as u32]);
                interpolation(w, id, m.stage, d.interp, d.ty.kind);
                None
            }
            InputAt::VertexIndex => Some(builtin::VertexIndex),
            InputAt::InstanceIndex => Some(builtin::InstanceIndex),
            InputAt::FragCoord => Some(builtin::FragCoord),
            InputAt::FrontFacing => Some(builtin::FrontFacing),
            InputAt::PointCoord => Some(builtin::PointCoord),
            InputAt::PrimitiveId
            | InputAt::SampleId
            | InputAt::SampleMask
            | InputAt::Layer
            | InputAt::ViewportIndex
            | InputAt::LocalId
            | InputAt::LocalIndex
            | InputAt::WorkgroupId
            | InputAt::WorkgroupCount => None,
        };
        if let Some(builtin) = builtin {
            w.decorate(id, decoration::BuiltIn, &[builtin]);
        }
        out.inputs.push(Some(id));
    }
    for (i, d) in m.outputs.iter().enumerate() {
        if !uses.outputs[i] {
            out.outputs.push(None);
            continue;
        }
        if matches!(d.at, OutputAt::ClipDistance(_)) {
            out.outputs.push(Some(clip_distances(w, uses, &mut out.clip)));
            continue;
        }
        let ty = w.ty(d.ty);
        let id = w.variable(storage::Output, ty);
        w.name(id, &d.name);
        match d.at {
            OutputAt::Location(n) => w.decorate(id, decoration::Location, &[n as u32]),
            OutputAt::Position => {
                w.decorate(id, decoration::BuiltIn, &[builtin::Position]);
                // Multi-pass programs draw the same geometry with different shaders and compare depths for equality.
                w.decorate(id, decoration::Invariant, &[]);
            }
            OutputAt::PointSize => w.decorate(id, decoration::BuiltIn, &[builtin::PointSize]),
            OutputAt::FragDepth => {
                w.decorate(id, decoration::BuiltIn, &[builtin::FragDepth]);
                w.execution_mode(main, execution_mode::DepthReplacing, &[]);
            }
            OutputAt::ClipDistance(_)
            | OutputAt::CullDistance(_)
            | OutputAt::SecondColor
            | OutputAt::SampleMask
            | OutputAt::StencilRef
            | OutputAt::Layer
            | OutputAt::ViewportIndex => {}
        }
        out.outputs.push(Some(id));
    }
    for (i, d) in m.specs.iter().enumerate() {
        out.specs.push(uses.specs[i].then(|| w.spec_constant(d)));
    }
    push_constants(w, m, uses, options, &mut out);
    out
}

fn interpolation(w: &mut Words, id: Id, stage: Stage, interp: Interp, kind: Kind) {
    if stage != Stage::Pixel {
        return;
    }
    match interp {
        // Vulkan wants integers flat.
        _ if kind != Kind::Float => w.decorate(id, decoration::Flat, &[]),
        Interp::Smooth => {}
        Interp::Centroid => w.decorate(id, decoration::Centroid, &[]),
        Interp::Linear => w.decorate(id, decoration::NoPerspective, &[]),
        Interp::Flat => w.decorate(id, decoration::Flat, &[]),
        Interp::Sample => {}
    }
}

fn clip_distances(w: &mut Words, uses: &Uses, clip: &mut Option<Id>) -> Id {
    *clip.get_or_insert_with(|| {
        w.capability(capability::ClipDistance);
        let float = w.ty(Type::F32);
        let ty = w.array(float, uses.reflection.clip_distances() as u32);
        let id = w.variable(storage::Output, ty);
        w.decorate(id, decoration::BuiltIn, &[builtin::ClipDistance]);
        id
    })
}

fn push_constants(w: &mut Words, m: &Module, uses: &Uses, options: &Options, out: &mut Interface) {
    let registers = uses.reflection.const_registers();
    let bindless = options.bindless && !uses.reflection.textures.is_empty();
    let mut members: SmallVec<[(Id, u32, &str); 3]> = SmallVec::new();
    let block = |w: &mut Words, members: &mut SmallVec<[(Id, u32, &'static str); 3]>, count, offset, name| {
        let block = registers_type(w, count, name, members.len() as u32);
        members.push((block.pointer_type, offset, name));
        block
    };
    let stage_offset = if m.stage == Stage::Pixel { 8 } else { 0 };
    let stage = (registers > 0).then(|| block(w, &mut members, registers, stage_offset, "constants"));
    let system_size = m.banks.iter().filter(|b| b.source == afterimage_ir::BankSource::System).map(|b| b.size).max();
    let system = system_size.filter(|_| uses.reflection.system).map(|size| block(w, &mut members, size, 16, "system"));
    let textures = bindless.then(|| {
        let uint = w.ty(Type::I32);
        let len = w.uint(TEXTURE_SLOTS as u32);
        let array = w.global(op::TypeArray, &[uint, len]);
        w.decorate(array, decoration::ArrayStride, &[4]);
        members.push((array, PUSH_TEXTURES, "textures"));
        members.len() as u32 - 1
    });
    if members.is_empty() {
        return;
    }
    let types: SmallVec<[Id; 3]> = members.iter().map(|member| member.0).collect();
    let ty = w.global(op::TypeStruct, &types);
    w.decorate(ty, decoration::Block, &[]);
    for (i, &(_, offset, _)) in members.iter().enumerate() {
        w.member_offset(ty, i as u32, offset);
    }
    w.name(ty, "Push");
    let variable = w.variable(storage::PushConstant, ty);
    w.name(variable, "push");
    out.push = Some(Push { variable, stage, system, textures });
}

/// `struct { vec4 registers[count]; }` behind an address.
fn registers_type(w: &mut Words, count: u32, name: &str, member: u32) -> Registers {
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

/// Loads of addresses and texture handles, at the begin of the code.
pub(crate) fn load(w: &mut Words, m: &Module, uses: &Uses, options: &Options, out: &mut Interface) {
    if let Some(push) = &out.push {
        out.stage_block = push.stage.as_ref().map(|r| load_address(w, push.variable, r));
        out.system_block = push.system.as_ref().map(|r| load_address(w, push.variable, r));
    }
    let mut arrays = Arrays::default();
    for (i, d) in m.textures.iter().enumerate() {
        if !uses.textures[i] {
            out.textures.push(None);
            continue;
        }
        let push = out.push.as_ref().and_then(|p| p.textures.map(|member| (p.variable, member)));
        let (image_index, sampler_index) = match push {
            Some((variable, member)) => texture_word(w, variable, member, d.slot),
            None => {
                let slot = w.uint(d.slot as u32);
                (slot, slot)
            }
        };
        let image_array = arrays.image(w, options, d.dim, d.shadow);
        let sampler_array = arrays.sampler(w, options);
        let image = image_array.load(w, image_index);
        let sampler = sampler_array.load(w, sampler_index);
        if let Some(decl) = m.texture_name(Texture::new(i)) {
            w.name(image, &decl.name);
        }
        out.textures.push(Some(Handles { sampled_type: image_array.sampled_type, image, sampler }));
    }
}

fn load_address(w: &mut Words, push: Id, registers: &Registers) -> Block {
    let member = w.uint(registers.member);
    let at = w.pointer(storage::PushConstant, registers.pointer_type);
    let at = w.value(op::AccessChain, at, &[push, member]);
    let pointer = w.value(op::Load, registers.pointer_type, &[at]);
    Block { pointer, register: registers.register }
}

/// Texture and sampler index of a slot.
fn texture_word(w: &mut Words, push: Id, member: u32, slot: u8) -> (Id, Id) {
    let uint = w.ty(Type::I32);
    let pointer = w.pointer(storage::PushConstant, uint);
    let (member, slot) = (w.uint(member), w.uint(slot as u32));
    let at = w.value(op::AccessChain, pointer, &[push, member, slot]);
    let word = w.value(op::Load, uint, &[at]);
    let (mask, shift) = (w.uint((1 << crate::TEXTURE_INDEX_BITS) - 1), w.uint(crate::TEXTURE_INDEX_BITS));
    let image = w.value(op::BitwiseAnd, uint, &[word, mask]);
    (image, w.value(op::ShiftRightLogical, uint, &[word, shift]))
}

/// An array of descriptors.
#[derive(Clone, Copy)]
struct Array {
    variable: Id,
    element: Id,
    sampled_type: Id,
}

impl Array {
    fn declare(w: &mut Words, options: &Options, element: Id, binding: u32, name: &str) -> Array {
        let ty = if options.bindless {
            w.capability(capability::RuntimeDescriptorArray);
            w.capability(capability::SampledImageArrayDynamicIndexing);
            w.global(op::TypeRuntimeArray, &[element])
        } else {
            w.array(element, TEXTURE_SLOTS as u32)
        };
        let variable = w.variable(storage::UniformConstant, ty);
        w.decorate(variable, decoration::DescriptorSet, &[0]);
        w.decorate(variable, decoration::Binding, &[binding]);
        w.name(variable, name);
        Array { variable, element, sampled_type: 0 }
    }

    fn load(&self, w: &mut Words, index: Id) -> Id {
        let pointer = w.pointer(storage::UniformConstant, self.element);
        let at = w.value(op::AccessChain, pointer, &[self.variable, index]);
        w.value(op::Load, self.element, &[at])
    }
}

/// Arrays declared so far. Shadow textures have their own, over the same binding, because their image type differs.
#[derive(Default)]
struct Arrays {
    images: [Option<Array>; 6],
    samplers: Option<Array>,
}

impl Arrays {
    fn image(&mut self, w: &mut Words, options: &Options, shape: Dim, shadow: bool) -> Array {
        let (dim, binding, name) = match shape {
            Dim::D2 => (dim::D2, 0, "textures_2d"),
            Dim::Cube => (dim::Cube, 1, "textures_cube"),
            _ => (dim::D3, 2, "textures_3d"),
        };
        *self.images[binding * 2 + shadow as usize].get_or_insert_with(|| {
            let float = w.ty(Type::F32);
            // Sampled type, dimension, depth, arrayed, multisampled, sampled, format unknown.
            let image = w.global(op::TypeImage, &[float, dim, shadow as u32, 0, 0, 1, 0]);
            let sampled_type = w.global(op::TypeSampledImage, &[image]);
            Array { sampled_type, ..Array::declare(w, options, image, binding as u32, name) }
        })
    }

    fn sampler(&mut self, w: &mut Words, options: &Options) -> Array {
        *self.samplers.get_or_insert_with(|| {
            let sampler = w.global(op::TypeSampler, &[]);
            Array::declare(w, options, sampler, 3, "samplers")
        })
    }
}
