//! Draws and dispatches: what is bound, and how much is drawn.

use std::collections::BTreeSet;

use afterimage_metal_calls::{
    Class, DrawCount, Facts, IndexType, PixelFormat, PrimitiveType, StencilDescriptor, StencilOperation, TextureType,
    TopologyClass,
};

use super::Faults;
use crate::command::{Amount, Draw, Groups, IndexSource, Pass, State, Table};
use crate::objects::{SoftBuffer, SoftComputePipeline, SoftFunction};
use crate::text::{Access, BufferArgument, Scalar, Shape, TextureArgument};
use crate::texture::SoftTexture;

/// Whether a texture is of an argument's shape.
const fn fits(shape: Shape, ty: TextureType) -> bool {
    matches!(
        (shape, ty),
        (Shape::D1, TextureType::D1)
            | (Shape::D2, TextureType::D2)
            | (Shape::D2Array, TextureType::D2Array)
            | (Shape::D2Multisample, TextureType::D2Multisample)
            | (Shape::D2MultisampleArray, TextureType::D2MultisampleArray)
            | (Shape::Cube, TextureType::Cube)
            | (Shape::CubeArray, TextureType::CubeArray)
            | (Shape::D3, TextureType::D3)
    )
}

/// What the texels of a format are to shaders.
const fn scalar_of(format: PixelFormat) -> Scalar {
    match format.class() {
        Class::UInt | Class::Stencil => Scalar::UInt,
        Class::Int => Scalar::Int,
        _ => Scalar::Float,
    }
}

fn buffer(faults: &mut Faults, facts: &Facts, argument: &BufferArgument, [size, align]: [u32; 2], table: &Table) {
    let (index, name) = (argument.index, &argument.name);
    let Some((buffer, offset)) = table.buffers.get(&index) else {
        faults.0.push(format!("missing Buffer binding at index {index} for {name}[0]"));
        return;
    };
    let space = buffer.length().saturating_sub(*offset);
    faults.must(space >= u64::from(size), || {
        format!("Buffer binding at index {index} for {name}[0] has space for {space} bytes, but argument has a length({size})")
    });
    let step = if argument.constant { facts.limits.constant_offset_step.max(align.min(4)) } else { align };
    faults.must(offset.is_multiple_of(u64::from(step.max(1))), || {
        format!("Buffer binding at index {index} for {name}[0]: offset {offset} is no multiple of {step}")
    });
}

fn texture(faults: &mut Faults, argument: &TextureArgument, index: u32, table: &Table) {
    let name = &argument.name;
    let Some(texture) = table.textures.get(&index) else {
        faults.0.push(format!("missing Texture binding at index {index} for {name}[{}]", index - argument.index));
        return;
    };
    let (ty, format) = (texture.view.ty, texture.format());
    faults.must(fits(argument.shape, ty), || {
        format!("incorrect type of texture (MTLTextureType{ty:?}) bound at Texture binding at index {index} (expect {:?}) for {name}[0]", argument.shape)
    });
    let depth = format.has_depth();
    faults.must(!argument.depth || depth, || {
        format!("Texture binding at index {index} for {name}[0]: {} has no depth", format.name())
    });
    faults.must(scalar_of(format) == argument.scalar, || {
        format!(
            "Texture binding at index {index} for {name}[0]: {} does not have components of {:?}",
            format.name(),
            argument.scalar
        )
    });
    let usage = texture.texels.descriptor.usage;
    let (reads, writes) = match argument.access {
        Access::Sample | Access::Read => (true, false),
        Access::Write => (false, true),
        Access::ReadWrite => (true, true),
    };
    faults.must(!reads || usage.read, || {
        format!(
            "Texture binding at index {index} for {name}[0] has a usage which doesn't specify MTLTextureUsageShaderRead"
        )
    });
    faults.must(!writes || usage.write, || {
        format!("Texture binding at index {index} for {name}[0] has a usage which doesn't specify MTLTextureUsageShaderWrite")
    });
    faults.must(argument.access != Access::ReadWrite || format.read_write(), || {
        format!("Texture binding at index {index} for {name}[0]: {} cannot be read and written", format.name())
    });
    faults.must(!writes || !swizzled(texture), || {
        format!("Texture binding at index {index} for {name}[0] is swizzled and written")
    });
}

fn swizzled(texture: &SoftTexture) -> bool {
    texture.view.swizzle != afterimage_metal_calls::Swizzle::IDENTITY
}

/// What a function needs of a table.
pub(crate) fn arguments(facts: &Facts, function: &SoftFunction, table: &Table) -> Vec<String> {
    let mut faults = Faults::default();
    let interface = &function.compiled.interface;
    for (argument, pointee) in interface.buffers.iter().zip(&function.compiled.loaded.pointees) {
        if argument.used {
            buffer(&mut faults, facts, argument, *pointee, table);
        }
    }
    for argument in interface.textures.iter().filter(|t| t.used) {
        for n in 0..argument.count {
            texture(&mut faults, argument, argument.index + n, table);
        }
    }
    for (index, name, used) in &interface.samplers {
        let bound = table.samplers.contains_key(index);
        faults.must(!used || bound, || format!("missing Sampler binding at index {index} for {name}[0]"));
    }
    faults.0
}

fn topology(primitive: PrimitiveType) -> TopologyClass {
    match primitive {
        PrimitiveType::Point => TopologyClass::Point,
        PrimitiveType::Line | PrimitiveType::LineStrip => TopologyClass::Line,
        PrimitiveType::Triangle | PrimitiveType::TriangleStrip => TopologyClass::Triangle,
    }
}

fn depth_stencil(faults: &mut Faults, state: &State, pass: &Pass) {
    let Some(of) = &state.depth_stencil else { return };
    let tests = of.0.write || of.0.compare != afterimage_metal_calls::CompareFunction::Always;
    faults.must(!tests || pass.depth.is_some(), || {
        "MTLDepthStencilDescriptor sets depth test but MTLRenderPassDescriptor has a nil depthAttachment texture"
            .to_owned()
    });
    let does = |face: &Option<StencilDescriptor>| {
        face.is_some_and(|f| {
            let keeps = [f.fail, f.depth_fail, f.pass].iter().all(|o| *o == StencilOperation::Keep);
            f.compare != afterimage_metal_calls::CompareFunction::Always || !keeps
        })
    };
    let stencil = does(&of.0.front) || does(&of.0.back);
    faults.must(!stencil || pass.stencil.is_some(), || {
        "MTLDepthStencilDescriptor sets stencil test but MTLRenderPassDescriptor has a nil stencilAttachment texture".to_owned()
    });
}

fn index_buffer(faults: &mut Faults, source: &IndexSource, count: Option<&DrawCount>) {
    let size: u64 = if source.ty == IndexType::UInt16 { 2 } else { 4 };
    faults.must(source.offset.is_multiple_of(size), || {
        format!("indexBufferOffset ({}) is no multiple of {size}", source.offset)
    });
    let wanted = source.offset + count.map_or(0, |c| u64::from(c.count)) * size;
    faults.must(wanted <= source.buffer.length(), || {
        format!(
            "indexBufferOffset ({}) and indices end at {wanted}, beyond the buffer's {} bytes",
            source.offset,
            source.buffer.length()
        )
    });
}

fn indirect(faults: &mut Faults, buffer: &SoftBuffer, offset: u64, size: u64) {
    faults.must(offset.is_multiple_of(4), || format!("indirectBufferOffset ({offset}) is no multiple of 4"));
    let inside = offset.checked_add(size).is_some_and(|end| end <= buffer.length());
    faults.must(inside, || {
        format!("indirectBufferOffset ({offset}): {size} bytes are beyond the buffer's {}", buffer.length())
    });
}

/// The faults of a draw.
pub(crate) fn draw(facts: &Facts, of: &Draw, pass: &Pass) -> Vec<String> {
    let mut faults = Faults::default();
    let pipeline = &of.pipeline.0;
    faults.0.extend(arguments(facts, &pipeline.vertex, &of.state.vertex));
    if let Some(fragment) = &pipeline.fragment {
        faults.0.extend(arguments(facts, fragment, &of.state.fragment));
    }
    // Vertex buffers that an attribute of the function reads.
    let used: BTreeSet<u32> = pipeline.vertex.compiled.interface.attributes.iter().map(|a| a.location).collect();
    let read = pipeline.input.attributes.iter().filter(|a| used.contains(&a.location));
    for index in read.map(|a| a.buffer).collect::<BTreeSet<u32>>() {
        let bound = of.state.vertex.buffers.contains_key(&index);
        faults.must(bound, || format!("missing Buffer binding at index {index} for the vertex descriptor"));
    }
    depth_stencil(&mut faults, &of.state, pass);
    let count = if let Amount::Direct(count) = &of.amount { Some(count) } else { None };
    if let Some(count) = count {
        let what = if of.indices.is_some() { "indexCount" } else { "vertexCount" };
        faults.must(count.count > 0, || format!("{what} is 0"));
        faults.must(count.instances > 0, || "instanceCount is 0".to_owned());
        faults.must(of.indices.is_some() || count.first >= 0, || format!("vertexStart ({}) is negative", count.first));
    }
    if let Some(source) = &of.indices {
        index_buffer(&mut faults, source, count);
    }
    if let Amount::Indirect(buffer, offset) = &of.amount {
        indirect(&mut faults, buffer, *offset, if of.indices.is_some() { 20 } else { 16 });
    }
    let class = topology(of.primitive);
    faults.must(pipeline.topology == TopologyClass::Unspecified || pipeline.topology == class, || {
        format!("a {:?} is drawn with a pipeline of topology {:?}", of.primitive, pipeline.topology)
    });
    let points = of.primitive == PrimitiveType::Point;
    let sized = pipeline.vertex.compiled.interface.point_size;
    faults.must(!points || sized || !pipeline.rasterization, || {
        "points are drawn, but the vertex function has no [[point_size]]".to_owned()
    });
    let (viewports, scissors) = (of.state.viewports.len(), of.state.scissors.len());
    faults.must(viewports == scissors, || format!("{scissors} scissor rectangles for {viewports} viewports"));
    let layers = pipeline.vertex.compiled.interface.layer;
    faults.must(!layers || pass.layers_set, || {
        "[[render_target_array_index]] needs a pass with renderTargetArrayLength".to_owned()
    });
    faults.0
}

/// The faults of a dispatch.
pub(crate) fn dispatch(
    facts: &Facts,
    pipeline: &SoftComputePipeline,
    table: &Table,
    groups: &Groups,
    threads: [u32; 3],
) -> Vec<String> {
    let mut faults = Faults::default();
    faults.0.extend(arguments(facts, &pipeline.function, table));
    let most = pipeline.function.compiled.interface.max_threads.unwrap_or(facts.limits.threads);
    let count = threads.iter().map(|&t| u64::from(t)).product::<u64>();
    faults.must(count > 0, || format!("threadsPerThreadgroup {threads:?} is 0"));
    faults.must(count <= u64::from(most), || {
        format!("threadsPerThreadgroup ({count}) is greater than maxTotalThreadsPerThreadgroup ({most})")
    });
    match groups {
        Groups::Direct(groups) => {
            faults.must(groups.iter().all(|&g| g > 0), || format!("threadgroupsPerGrid {groups:?} is 0"));
        }
        Groups::Indirect(buffer, offset) => indirect(&mut faults, buffer, *offset, 12),
    }
    faults.0
}
