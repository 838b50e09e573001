//! Declares what the shader shares with the outside: inputs, outputs, push constants, constants, textures.

use afterimage_ir::{
    BankSource, COMPUTE_TEXTURE_SLOTS, Component, Dim, Image, ImageDecl, ImageFormat, InputAt, Interp, Kind, Module,
    Op, Output, OutputAt, OutputDecl, Stage, TEXTURE_SLOTS, Texture, TextureDecl, Type, Uses,
};
use smallvec::SmallVec;

use crate::bound::{self, Bound};
use crate::declared::{Array, Block, Handles, Interface, Push, Registers, Shared, Storage, registers_type};
use crate::records::{self, Values};
use crate::spec::{builtin, capability, decoration, dim, execution_mode, image_format, op, storage};
use crate::words::{Id, Words};
use crate::{EmitError, Options};
use crate::{elsewhere, feedback};
use afterimage_abi::{Table, descriptors, push, slots};

/// Whether an output goes to a target of signed integers.
pub(crate) fn is_signed(m: &Module, decl: &OutputDecl) -> bool {
    let signed =
        |location: u8| u32::from(m.signed_outputs).checked_shr(location.into()).is_some_and(|bits| bits & 1 != 0);
    m.stage == Stage::Pixel && decl.ty.kind == Kind::Int && matches!(decl.at, OutputAt::Location(n) if signed(n))
}

/// Inputs, outputs and the push constant block: everything that stands before the code.
pub(crate) fn declare(
    w: &mut Words,
    m: &Module,
    uses: &Uses,
    options: &Options,
    bound: Option<&Bound<'_>>,
    records: bool,
    main: Id,
) -> Result<Interface, EmitError> {
    let mut out = Interface::default();
    let mut distances = [None; 2];
    for (i, d) in m.inputs.iter().enumerate() {
        if !uses.inputs[i] {
            out.inputs.push(None);
            continue;
        }
        if let Some(first) = elsewhere::first(m, uses, i) {
            out.inputs.push(out.inputs[first]);
            continue;
        }
        let ty = match d.at {
            InputAt::SampleMask => masks(w),
            InputAt::ClipDistance(_) | InputAt::CullDistance(_) => {
                out.inputs.push(Some(input_distances(w, m, uses, &mut distances, d.at)));
                continue;
            }
            _ => w.ty(d.ty),
        };
        let ty = match m.geometry {
            Some(geometry) if d.at.is_of_vertex() => w.array(ty, geometry.input.corners()),
            _ => ty,
        };
        let id = w.variable(storage::Input, ty);
        w.name(id, &d.name);
        match input_builtin(w, d.at, options) {
            Some(builtin) => {
                w.decorate(id, decoration::BuiltIn, &[builtin]);
                if m.stage == Stage::Pixel && d.ty.kind == Kind::Int {
                    w.decorate(id, decoration::Flat, &[]);
                }
            }
            None => {
                if let InputAt::Location(n) = d.at {
                    w.decorate(id, decoration::Location, &[n as u32]);
                }
                interpolation(w, id, m.stage, d.interp, d.ty.kind);
            }
        }
        out.inputs.push(Some(id));
    }
    for (i, d) in m.outputs.iter().enumerate() {
        let feedback = feedback::of_whole(m, Output::new(i)).filter(|_| options.features.feedback);
        if !uses.outputs[i] && feedback.is_none() {
            out.outputs.push(None);
            continue;
        }
        let distances = match d.at {
            OutputAt::ClipDistance(_) => Some(0),
            OutputAt::CullDistance(_) => Some(1),
            _ => None,
        };
        if let Some(which) = distances {
            out.outputs.push(Some(distance_array(w, uses, &mut out.distances, which)));
            continue;
        }
        if d.at == OutputAt::StencilRef && !options.features.stencil_export {
            out.outputs.push(None);
            continue;
        }
        let ty = match d.at {
            OutputAt::SampleMask => masks(w),
            _ if is_signed(m, d) => w.signed(d.ty.lanes),
            _ => w.ty(d.ty),
        };
        let id = w.variable(storage::Output, ty);
        w.name(id, &d.name);
        if let Some(feedback) = feedback {
            feedback::decorate(w, id, feedback);
        }
        let layer = |w: &mut Words, capability, builtin| {
            let what = d.at.builtin().map_or("output", |row| row.0);
            if m.stage == Stage::Geometry {
                if builtin == builtin::ViewportIndex {
                    w.capability(capability::MultiViewport);
                }
                w.decorate(id, decoration::BuiltIn, &[builtin]);
                return Ok(());
            }
            if !options.features.vertex_layer {
                return Err(EmitError::Missing { what, feature: "shaderOutputLayer" });
            }
            w.capability(capability);
            w.decorate(id, decoration::BuiltIn, &[builtin]);
            Ok(())
        };
        match d.at {
            OutputAt::Location(n) => w.decorate(id, decoration::Location, &[n as u32]),
            OutputAt::Position => {
                w.decorate(id, decoration::BuiltIn, &[builtin::Position]);
                // Multi-pass programs draw the same geometry with different shaders and compare depths for equality.
                w.decorate(id, decoration::Invariant, &[]);
            }
            OutputAt::PointSize => {
                if m.stage == Stage::Geometry {
                    w.capability(capability::GeometryPointSize);
                }
                w.decorate(id, decoration::BuiltIn, &[builtin::PointSize]);
            }
            OutputAt::PrimitiveId => w.decorate(id, decoration::BuiltIn, &[builtin::PrimitiveId]),
            OutputAt::FragDepth => {
                w.decorate(id, decoration::BuiltIn, &[builtin::FragDepth]);
                w.execution_mode(main, execution_mode::DepthReplacing, &[]);
            }
            OutputAt::SecondColor => {
                w.decorate(id, decoration::Location, &[0]);
                w.decorate(id, decoration::Index, &[1]);
            }
            OutputAt::SampleMask => w.decorate(id, decoration::BuiltIn, &[builtin::SampleMask]),
            OutputAt::StencilRef => {
                w.capability(capability::StencilExportEXT);
                w.extension("SPV_EXT_shader_stencil_export");
                w.execution_mode(main, execution_mode::StencilRefReplacingEXT, &[]);
                w.decorate(id, decoration::BuiltIn, &[builtin::FragStencilRefEXT]);
            }
            OutputAt::Layer => layer(w, capability::ShaderLayer, builtin::Layer)?,
            OutputAt::ViewportIndex => layer(w, capability::ShaderViewportIndex, builtin::ViewportIndex)?,
            OutputAt::ClipDistance(_) | OutputAt::CullDistance(_) => {}
        }
        out.outputs.push(Some(id));
    }
    if options.features.feedback {
        feedback::declare(w, m, &mut out, main)?;
    }
    for (i, d) in m.specs.iter().enumerate() {
        out.specs.push(uses.specs[i].then(|| w.spec_constant(d)));
    }
    match bound {
        Some(bound) => bound::declare(w, m, uses, bound, &mut out)?,
        None if m.banks.iter().any(|bank| bank.source == BankSource::Storage) => {
            return Err(EmitError::Unbound("a storage buffer"));
        }
        None => {
            out.draw = records.then(|| records::declare(w, m)).flatten();
            push_constants(w, m, uses, options, &mut out);
        }
    }
    for (i, d) in m.images.iter().enumerate() {
        let [read, written] = uses.images[i];
        out.images.push(Some(storage_image(w, d, options, Image::new(i), [read, written])?));
    }
    if m.shared > 0 {
        out.shared = Some(shared(w, m, options)?);
    }
    Ok(out)
}

/// The memory of the work group. Two variables of it cannot be the same memory, so where there are atomic operations on 64 bits all of it
/// is made of such integers.
fn shared(w: &mut Words, m: &Module, options: &Options) -> Result<Shared, EmitError> {
    let mut wide = false;
    m.for_each_inst(|_, data| {
        wide |= data.op == Op::AtomicShared && data.results.first().is_some_and(|&old| m.ty(old).lanes == 2);
    });
    // One word more, into which everything beyond the end goes.
    let words = m.shared / 4;
    let (element, count, words, long) = if wide {
        if !options.features.shared_int64_atomics {
            let what = Op::AtomicShared.name();
            return Err(EmitError::Missing { what, feature: "shaderSharedInt64Atomics" });
        }
        let long = w.long();
        let words = words.next_multiple_of(2);
        (long, words / 2 + 1, words, Some(long))
    } else {
        (w.ty(Type::I32), words + 1, words, None)
    };
    let ty = w.array(element, count);
    let variable = w.variable(storage::Workgroup, ty);
    w.name(variable, "shared");
    Ok(Shared { variable, words, long })
}

/// The type of a sample mask.
fn masks(w: &mut Words) -> Id {
    let uint = w.ty(Type::I32);
    w.array(uint, 1)
}

/// Number of an input's builtin, what it needs being asked for; none for locations.
fn input_builtin(w: &mut Words, at: InputAt, options: &Options) -> Option<u32> {
    let layer = options.features.vertex_layer;
    let (builtin, needs) = match at {
        InputAt::Location(_) => return None,
        InputAt::VertexIndex => (builtin::VertexIndex, None),
        InputAt::InstanceIndex => (builtin::InstanceIndex, None),
        InputAt::FragCoord => (builtin::FragCoord, None),
        InputAt::FrontFacing => (builtin::FrontFacing, None),
        InputAt::PointCoord => (builtin::PointCoord, None),
        InputAt::PrimitiveId => (builtin::PrimitiveId, Some(capability::Geometry)),
        InputAt::InvocationId => (builtin::InvocationId, None),
        InputAt::Position => (builtin::Position, None),
        InputAt::PointSize => (builtin::PointSize, Some(capability::GeometryPointSize)),
        InputAt::ClipDistance(_) | InputAt::CullDistance(_) => return None,
        InputAt::SampleId => (builtin::SampleId, Some(capability::SampleRateShading)),
        InputAt::SampleMask => (builtin::SampleMask, None),
        InputAt::Layer if layer => (builtin::Layer, Some(capability::ShaderLayer)),
        InputAt::Layer => (builtin::Layer, Some(capability::Geometry)),
        InputAt::ViewportIndex if layer => (builtin::ViewportIndex, Some(capability::ShaderViewportIndex)),
        InputAt::ViewportIndex => (builtin::ViewportIndex, Some(capability::MultiViewport)),
        InputAt::LocalId => (builtin::LocalInvocationId, None),
        InputAt::LocalIndex => (builtin::LocalInvocationIndex, None),
        InputAt::WorkgroupId => (builtin::WorkgroupId, None),
        InputAt::WorkgroupCount => (builtin::NumWorkgroups, None),
    };
    needs.into_iter().for_each(|needs| w.capability(needs));
    Some(builtin)
}

/// The variable of a storage image: descriptor set 1, the slot as binding. Cubes are layers.
fn storage_image(
    w: &mut Words,
    d: &ImageDecl,
    options: &Options,
    image: Image,
    [read, written]: [bool; 2],
) -> Result<Storage, EmitError> {
    let (shape, arrayed) = match d.dim {
        Dim::D3 => (dim::D3, false),
        dim => (dim::D2, dim.is_array() || dim.is_cube()),
    };
    let (word, r32) = match d.component {
        Component::Float => (w.ty(Type::F32), image_format::R32f),
        Component::Uint => (w.ty(Type::I32), image_format::R32ui),
        Component::Sint => (w.signed(1), image_format::R32i),
    };
    let (sampled, format) = match d.format {
        ImageFormat::R32 => (word, r32),
        ImageFormat::R64 => {
            if !options.features.image_int64_atomics {
                return Err(EmitError::Missing { what: "image r64", feature: "shaderImageInt64Atomics" });
            }
            w.extension("SPV_EXT_shader_image_int64");
            w.capability(capability::Int64ImageEXT);
            (w.long(), image_format::R64ui)
        }
        ImageFormat::Any => (word, image_format::Unknown),
    };
    if d.format == ImageFormat::Any {
        if read {
            w.capability(capability::StorageImageReadWithoutFormat);
        }
        if written {
            w.capability(capability::StorageImageWriteWithoutFormat);
        }
    }
    let multisampled = d.dim.is_multisampled();
    if multisampled {
        w.capability(capability::StorageImageMultisample);
        if arrayed {
            w.capability(capability::ImageMSArray);
        }
    }
    let ty = w.declared(op::TypeImage, &[sampled, shape, 0, arrayed.into(), multisampled.into(), 2, format]);
    let variable = w.variable(storage::UniformConstant, ty);
    w.decorate(variable, decoration::DescriptorSet, &[descriptors::STORAGE_IMAGES]);
    w.decorate(variable, decoration::Binding, &[d.slot.into()]);
    if !read {
        w.decorate(variable, decoration::NonReadable, &[]);
    }
    if !written {
        w.decorate(variable, decoration::NonWritable, &[]);
    }
    if read && written {
        w.decorate(variable, decoration::Coherent, &[]);
    }
    w.name(variable, &format!("image{}", image.0));
    Ok(Storage { variable, ty })
}

pub(crate) fn interpolation(w: &mut Words, id: Id, stage: Stage, interp: Interp, kind: Kind) {
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
        Interp::Sample => {
            w.capability(capability::SampleRateShading);
            w.decorate(id, decoration::Sample, &[]);
        }
    }
}

/// The array of clip or cull distances of the primitive's vertices, in the geometry stage.
fn input_distances(w: &mut Words, m: &Module, uses: &Uses, arrays: &mut [Option<Id>; 2], at: InputAt) -> Id {
    let which = usize::from(matches!(at, InputAt::CullDistance(_)));
    *arrays[which].get_or_insert_with(|| {
        let (needs, builtin) = match which {
            0 => (capability::ClipDistance, builtin::ClipDistance),
            _ => (capability::CullDistance, builtin::CullDistance),
        };
        let ends = uses.reflection.inputs.iter().filter_map(|input| match (input.at, which) {
            (InputAt::ClipDistance(first), 0) | (InputAt::CullDistance(first), 1) => Some(first + input.ty.lanes),
            _ => None,
        });
        let count = ends.max().unwrap_or(1);
        w.capability(needs);
        let float = w.ty(Type::F32);
        let planes = w.array(float, count.into());
        let ty = w.array(planes, m.geometry.map_or(1, |geometry| geometry.input.corners()));
        let id = w.variable(storage::Input, ty);
        w.decorate(id, decoration::BuiltIn, &[builtin]);
        id
    })
}

fn distance_array(w: &mut Words, uses: &Uses, arrays: &mut [Option<Id>; 2], which: usize) -> Id {
    *arrays[which].get_or_insert_with(|| {
        let (needs, builtin, count) = match which {
            0 => (capability::ClipDistance, builtin::ClipDistance, uses.reflection.clip_distances()),
            _ => (capability::CullDistance, builtin::CullDistance, uses.reflection.cull_distances()),
        };
        w.capability(needs);
        let float = w.ty(Type::F32);
        let ty = w.array(float, count.into());
        let id = w.variable(storage::Output, ty);
        w.decorate(id, decoration::BuiltIn, &[builtin]);
        id
    })
}

fn push_constants(w: &mut Words, m: &Module, uses: &Uses, options: &Options, out: &mut Interface) {
    let registers = uses.reflection.const_registers();
    let bindless = options.bindless && !uses.reflection.textures.is_empty();
    let mut members: SmallVec<[(Id, u32, &str); 4]> = SmallVec::new();
    let block = |w: &mut Words, members: &mut SmallVec<[(Id, u32, &'static str); 4]>, count, offset, name| {
        let block = registers_type(w, count, name, members.len() as u32);
        members.push((block.pointer_type, offset, name));
        block
    };
    let (stage_offset, feedback_offset) = (push::constants(m.stage), push::feedback(m.stage));
    let size = |source| m.banks.iter().filter(|b| b.source == source).map(|b| b.size).max();
    let stage = (registers > 0).then(|| block(w, &mut members, registers, stage_offset, "constants"));
    let system = size(BankSource::System)
        .filter(|_| uses.reflection.system)
        .map(|size| block(w, &mut members, size, push::SYSTEM, "system"));
    let feedback = size(BankSource::Feedback)
        .filter(|_| uses.reflection.feedback)
        .map(|size| block(w, &mut members, size, feedback_offset, "feedback"));
    let textures = bindless.then(|| {
        let uint = w.ty(Type::I32);
        let slots = if m.stage == Stage::Compute { COMPUTE_TEXTURE_SLOTS } else { TEXTURE_SLOTS };
        let len = w.uint(slots.into());
        let array = w.global(op::TypeArray, &[uint, len]);
        w.decorate(array, decoration::ArrayStride, &[4]);
        members.push((array, push::TEXTURES, "textures"));
        members.len() as u32 - 1
    });
    if members.is_empty() {
        return;
    }
    let types: SmallVec<[Id; 4]> = members.iter().map(|member| member.0).collect();
    let mut ty = w.global(op::TypeStruct, &types);
    for (i, &(_, offset, _)) in members.iter().enumerate() {
        w.member_offset(ty, i as u32, offset);
    }
    w.name(ty, "Push");
    let records = out.draw.map(|_| records::pointer_type(w, ty));
    if let Some(pointer) = records {
        ty = w.global(op::TypeStruct, &[pointer]);
        w.member_offset(ty, 0, push::RECORDS);
    }
    w.decorate(ty, decoration::Block, &[]);
    let variable = w.variable(storage::PushConstant, ty);
    w.name(variable, "push");
    out.push = Some(Push { variable, records, stage, system, feedback, textures });
}

/// Loads of addresses and texture handles, at the begin of the code.
pub(crate) fn load(
    w: &mut Words,
    m: &Module,
    uses: &Uses,
    options: &Options,
    bound: Option<&Bound<'_>>,
    out: &mut Interface,
) -> Result<(), EmitError> {
    let draw = out.draw.map(|draw| records::load_draw(w, draw));
    let values = out.push.as_ref().map(|push| Values::new(w, push, draw));
    if let (Some(push), Some(values)) = (&out.push, &values) {
        out.stage_block = push.stage.as_ref().map(|r| load_address(w, values, r));
        out.system_block = push.system.as_ref().map(|r| load_address(w, values, r));
        out.feedback_block = push.feedback.as_ref().map(|r| load_address(w, values, r));
    }
    if let Some(bound) = bound {
        return bound::load(w, m, uses, bound, out);
    }
    let mut arrays = Arrays::default();
    for (i, d) in m.textures.iter().enumerate() {
        if !uses.textures[i] {
            out.textures.push(None);
            continue;
        }
        if d.in_tables() {
            if !(options.bindless && options.features.tables) {
                return Err(EmitError::Missing { what: "a texture in tables", feature: "descriptor indexing" });
            }
            let arrays = (arrays.image(w, options, d), arrays.sampler(w, options));
            out.tables.resize(m.textures.len(), None);
            out.tables[i] = Some(arrays);
            out.textures.push(None);
            continue;
        }
        // The compute stage's slots are behind those of the others, and first in its own push constants and descriptors.
        let slot = if m.stage == Stage::Compute { d.slot - TEXTURE_SLOTS } else { d.slot };
        let member = out.push.as_ref().and_then(|push| push.textures);
        let non_uniform = member.is_some() && draw.is_some();
        let (image_index, sampler_index) = match values.as_ref().zip(member) {
            Some((values, member)) => texture_word(w, values, member, slot),
            None => {
                let slot = w.uint(slot.into());
                (slot, slot)
            }
        };
        let image_array = arrays.image(w, options, d);
        let sampler_array = arrays.sampler(w, options);
        let image = image_array.load(w, image_index, non_uniform);
        let sampler = sampler_array.load(w, sampler_index, non_uniform);
        if let Some(decl) = m.texture_name(Texture::new(i)) {
            w.name(image, &decl.name);
        }
        let sampled_type = image_array.sampled_type;
        out.textures.push(Some(Handles { sampled_type, image, sampler, combined: 0, non_uniform }));
    }
    Ok(())
}

fn load_address(w: &mut Words, values: &Values, registers: &Registers) -> Block {
    let member = w.uint(registers.member);
    let pointer = values.load(w, registers.pointer_type, &[member], 8);
    Block { pointer, register: registers.register }
}

/// Texture and sampler index of a slot.
fn texture_word(w: &mut Words, values: &Values, member: u32, slot: u8) -> (Id, Id) {
    let uint = w.ty(Type::I32);
    let (member, slot) = (w.uint(member), w.uint(slot as u32));
    let word = values.load(w, uint, &[member, slot], 4);
    indices(w, word)
}

/// Texture and sampler index of a word.
pub(crate) fn indices(w: &mut Words, word: Id) -> (Id, Id) {
    let uint = w.ty(Type::I32);
    let (mask, shift) = (w.uint((1 << push::TEXTURE_INDEX_BITS) - 1), w.uint(push::TEXTURE_INDEX_BITS));
    let image = w.value(op::BitwiseAnd, uint, &[word, mask]);
    (image, w.value(op::ShiftRightLogical, uint, &[word, shift]))
}

impl Array {
    fn declare(w: &mut Words, options: &Options, element: Id, table: Table, name: &str) -> Array {
        let ty = if options.bindless {
            w.capability(capability::RuntimeDescriptorArray);
            w.capability(capability::SampledImageArrayDynamicIndexing);
            w.global(op::TypeRuntimeArray, &[element])
        } else {
            w.array(element, slots::TEXTURE_SLOTS as u32)
        };
        let variable = w.variable(storage::UniformConstant, ty);
        w.decorate(variable, decoration::DescriptorSet, &[descriptors::TEXTURES]);
        w.decorate(variable, decoration::Binding, &[table as u32]);
        w.name(variable, name);
        Array { variable, element, sampled_type: 0 }
    }

    pub(crate) fn load(&self, w: &mut Words, index: Id, non_uniform: bool) -> Id {
        let pointer = w.pointer(storage::UniformConstant, self.element);
        let at = w.value(op::AccessChain, pointer, &[self.variable, index]);
        let loaded = w.value(op::Load, self.element, &[at]);
        if non_uniform {
            records::non_uniform(w, at);
            records::non_uniform(w, loaded);
        }
        loaded
    }
}

/// Arrays declared so far. Shadow textures have their own, over the same binding, because their image type differs.
#[derive(Default)]
struct Arrays {
    images: [Option<Array>; Table::COUNT * 4],
    samplers: Option<Array>,
}

impl Arrays {
    fn image(&mut self, w: &mut Words, options: &Options, d: &TextureDecl) -> Array {
        let (dim, name) = match d.dim {
            Dim::D2 => (dim::D2, "textures_2d"),
            Dim::Cube => (dim::Cube, "textures_cube"),
            Dim::D3 => (dim::D3, "textures_3d"),
            Dim::D2Array => (dim::D2, "textures_2d_array"),
            Dim::CubeArray => (dim::Cube, "textures_cube_array"),
            Dim::D2Ms => (dim::D2, "textures_2d_ms"),
            Dim::D2MsArray => (dim::D2, "textures_2d_ms_array"),
        };
        let table = d.dim.table();
        let kind = if d.shadow { 3 } else { d.component as usize };
        *self.images[table as usize * 4 + kind].get_or_insert_with(|| {
            let sampled = match d.component {
                Component::Float => w.ty(Type::F32),
                Component::Uint => w.ty(Type::I32),
                Component::Sint => w.signed(1),
            };
            if d.dim == Dim::CubeArray {
                w.capability(capability::SampledCubeArray);
            }
            let [shadow, arrayed, multisampled] = [d.shadow, d.dim.is_array(), d.dim.is_multisampled()].map(u32::from);
            // Sampled type, dimension, depth, arrayed, multisampled, sampled, format unknown.
            let image = w.global(op::TypeImage, &[sampled, dim, shadow, arrayed, multisampled, 1, 0]);
            let sampled_type = w.global(op::TypeSampledImage, &[image]);
            Array { sampled_type, ..Array::declare(w, options, image, table, name) }
        })
    }

    fn sampler(&mut self, w: &mut Words, options: &Options) -> Array {
        *self.samplers.get_or_insert_with(|| {
            let sampler = w.global(op::TypeSampler, &[]);
            Array::declare(w, options, sampler, Table::Sampler, "samplers")
        })
    }
}
