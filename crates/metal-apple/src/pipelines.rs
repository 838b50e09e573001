//! Functions, pipelines, and depth-stencil states.

use crate::archive::Archive;
use crate::check::{self, Formats};
use crate::convert::{ToMetal as _, text, write_mask};
use crate::objects::{ComputePipeline, DepthStencil, Device, Function, RenderPipeline, Writes};
use crate::refuse::refused;
use afterimage_metal_calls::{
    ColorTarget, CompareFunction, Constant, DepthStencilDescriptor, Device as _, Error, FunctionDescriptor, Kept,
    RenderPipelineDescriptor, Result, Stage, StencilDescriptor, StepFunction, VertexDescriptor,
};
use objc2::rc::Retained;
use objc2::runtime::{NSObjectProtocol as _, ProtocolObject};
use objc2::{available, sel};
use objc2_foundation::{NSArray, NSError};
use objc2_metal::{
    MTLBinaryArchive as _, MTLBinding, MTLBindingAccess, MTLBindingType, MTLCompileOptions,
    MTLComputePipelineDescriptor, MTLComputePipelineState as _, MTLDataType, MTLDepthStencilDescriptor, MTLDevice as _,
    MTLFunction as _, MTLFunctionConstantValues, MTLFunctionType, MTLLanguageVersion, MTLLibrary as _,
    MTLMathFloatingPointFunctions, MTLMathMode, MTLPipelineOption, MTLRenderPipelineDescriptor, MTLStencilDescriptor,
    MTLVertexDescriptor, MTLVertexStepFunction,
};
use std::ptr::NonNull;

/// What a compiler of Metal's says.
fn source(what: &str, error: &NSError) -> Error {
    Error::Source { what: what.into(), text: error.localizedDescription().to_string() }
}

/// The newest version of the language that the system has, of those that the sources are written for. Without a word Metal takes what the program
/// was linked for, and on Macs by Intel at times the oldest that there is. Sources: Apple, `MTLLanguageVersion`; google/filament#9425.
fn language() -> (MTLLanguageVersion, u32) {
    if available!(macos = 15.0) {
        (MTLLanguageVersion::Version3_2, 320)
    } else if available!(macos = 14.0) {
        (MTLLanguageVersion::Version3_1, 310)
    } else if available!(macos = 13.0) {
        (MTLLanguageVersion::Version3_0, 300)
    } else if available!(macos = 12.0) {
        (MTLLanguageVersion::Version2_4, 240)
    } else {
        (MTLLanguageVersion::Version2_3, 230)
    }
}

/// The same, as [`Facts::language`](afterimage_metal_calls::Facts::language).
pub(crate) fn version() -> u32 {
    language().1
}

/// Options that make results what the source says: no fast math, and `[[invariant]]` has a meaning.
fn options() -> Retained<MTLCompileOptions> {
    let options = MTLCompileOptions::new();
    options.setLanguageVersion(language().0);
    if options.respondsToSelector(sel!(setMathMode:)) {
        options.setMathMode(MTLMathMode::Safe);
        options.setMathFloatingPointFunctions(MTLMathFloatingPointFunctions::Precise);
    } else {
        #[expect(deprecated, reason = "macOS before 15 has no other")]
        options.setFastMathEnabled(false);
    }
    if options.respondsToSelector(sel!(setPreserveInvariance:)) {
        options.setPreserveInvariance(true);
    }
    options
}

/// `newLibraryWithSource:options:error:`, `newFunctionWithName:constantValues:error:`.
pub(crate) fn function(device: &Device, descriptor: &FunctionDescriptor<'_>) -> Result<Function> {
    let what = if descriptor.label.is_empty() { descriptor.name } else { descriptor.label };
    // Warnings come with a library, which is then what is returned.
    let library = device
        .0
        .raw
        .newLibraryWithSource_options_error(&text(descriptor.source), Some(&options()))
        .map_err(|error| source(what, &error))?;
    let constants = MTLFunctionConstantValues::new();
    for (index, constant) in descriptor.constants {
        let (ty, value) = match *constant {
            Constant::Bool(value) => (MTLDataType::Bool, u32::from(value)),
            Constant::Int(value) => (MTLDataType::Int, value.cast_unsigned()),
            Constant::UInt(value) => (MTLDataType::UInt, value),
            Constant::Float(value) => (MTLDataType::Float, value),
        };
        if *index > u32::from(u16::MAX) {
            return Err(refused("setConstantValue", format!("constant {index} of 65536")));
        }
        // SAFETY: four bytes are there, of which `bool` takes the first (Macs have that first); Metal copies them.
        unsafe { constants.setConstantValue_type_atIndex(NonNull::from(&value).cast(), ty, *index as usize) };
    }
    let raw = library
        .newFunctionWithName_constantValues_error(&text(descriptor.name), &constants)
        .map_err(|error| source(what, &error))?;
    if !descriptor.label.is_empty() {
        raw.setLabel(Some(&text(descriptor.label)));
    }
    let ty = raw.functionType();
    Ok(Function { raw, ty })
}

/// Which buffers bindings write to.
fn written(bindings: &NSArray<ProtocolObject<dyn MTLBinding>>) -> u32 {
    let buffers = bindings
        .iter()
        .filter(|binding| binding.r#type() == MTLBindingType::Buffer && binding.access() != MTLBindingAccess::ReadOnly);
    buffers.filter_map(|binding| 1_u32.checked_shl(u32::try_from(binding.index()).ok()?)).fold(0, |all, bit| all | bit)
}

/// Every buffer, where nobody says which ones.
const ANY: u32 = u32::MAX;

/// `newRenderPipelineStateWithDescriptor:options:reflection:error:`.
pub(crate) fn render(device: &Device, descriptor: &RenderPipelineDescriptor<'_, Device>) -> Result<RenderPipeline> {
    let metal = MTLRenderPipelineDescriptor::new();
    let formats = describe(device, descriptor, &metal)?;
    make_render(device, &metal, formats, descriptor.label, MTLPipelineOption::None)
}

/// The same, of an archive.
pub(crate) fn render_from(
    device: &Device,
    descriptor: &RenderPipelineDescriptor<'_, Device>,
    archive: &Archive,
) -> Result<(RenderPipeline, Kept)> {
    let metal = MTLRenderPipelineDescriptor::new();
    let formats = describe(device, descriptor, &metal)?;
    archive.make(
        |archives, option| {
            metal.setBinaryArchives(Some(archives));
            make_render(device, &metal, formats, descriptor.label, option)
        },
        |archive| archive.addRenderPipelineFunctionsWithDescriptor_error(&metal),
    )
}

/// A pipeline of a descriptor that is filled in, and its reflection where it matters what shaders write to: where memory is not one.
fn make<P, R>(
    device: &Device,
    label: &str,
    option: MTLPipelineOption,
    make: impl FnOnce(MTLPipelineOption, Option<&mut Option<Retained<R>>>) -> Result<P, Retained<NSError>>,
) -> Result<(P, Option<Retained<R>>)> {
    let mut reflection = None;
    let made = match device.facts().unified_memory {
        true => make(option, None),
        false => make(option | MTLPipelineOption::BindingInfo, Some(&mut reflection)),
    };
    Ok((made.map_err(|error| source(label, &error))?, reflection))
}

/// A pipeline for draws; with what it writes to, where that matters.
fn make_render(
    device: &Device,
    metal: &MTLRenderPipelineDescriptor,
    formats: Formats,
    label: &str,
    option: MTLPipelineOption,
) -> Result<RenderPipeline> {
    let (raw, reflection) = make(device, label, option, |option, reflection| {
        device.0.raw.newRenderPipelineStateWithDescriptor_options_reflection_error(metal, option, reflection)
    })?;
    let mut writes = Writes::default();
    if let Some(reflection) = reflection {
        let says = reflection.respondsToSelector(sel!(vertexBindings));
        writes[Stage::Vertex as usize] = if says { written(&reflection.vertexBindings()) } else { ANY };
        writes[Stage::Fragment as usize] = if says { written(&reflection.fragmentBindings()) } else { ANY };
    }
    Ok(RenderPipeline { raw, formats, writes })
}

/// Fills in Metal's descriptor.
fn describe(
    device: &Device,
    descriptor: &RenderPipelineDescriptor<'_, Device>,
    metal: &MTLRenderPipelineDescriptor,
) -> Result<Formats> {
    let given = Formats {
        depth: descriptor.depth,
        stencil: descriptor.stencil,
        samples: descriptor.samples,
        ..Formats::default()
    };
    let (input, colors) = (descriptor.input, descriptor.colors);
    let formats = check::render_pipeline(
        input,
        colors,
        given,
        [descriptor.rasterization, descriptor.fragment.is_some()],
        device.facts(),
    )?;
    let stages = [(Some(descriptor.vertex), MTLFunctionType::Vertex), (descriptor.fragment, MTLFunctionType::Fragment)];
    for (function, ty) in stages {
        if function.is_some_and(|function| function.ty != ty) {
            return Err(refused("newRenderPipelineStateWithDescriptor", "a function of another stage"));
        }
    }
    metal.setLabel(Some(&text(descriptor.label)));
    metal.setVertexFunction(Some(&descriptor.vertex.raw));
    // Without rasterization a fragment function would still have to fit.
    let fragment = descriptor.fragment.filter(|_| descriptor.rasterization);
    metal.setFragmentFunction(fragment.map(|function| &*function.raw));
    metal.setVertexDescriptor(Some(&vertices(input)));
    for (number, target) in colors.iter().enumerate() {
        let Some(target) = target else { continue };
        color(metal, number, target);
    }
    metal.setDepthAttachmentPixelFormat(descriptor.depth.metal());
    metal.setStencilAttachmentPixelFormat(descriptor.stencil.metal());
    metal.setRasterSampleCount(descriptor.samples as usize);
    metal.setAlphaToCoverageEnabled(descriptor.alpha_to_coverage);
    metal.setAlphaToOneEnabled(descriptor.alpha_to_one);
    metal.setRasterizationEnabled(descriptor.rasterization);
    // SAFETY: one of the enumeration's values.
    unsafe { metal.setInputPrimitiveTopology(descriptor.topology.metal()) };
    Ok(formats)
}

/// A colour of a pipeline that was checked.
fn color(metal: &MTLRenderPipelineDescriptor, number: usize, target: &ColorTarget) {
    // SAFETY: less than eight: more colours are refused before.
    let color = unsafe { metal.colorAttachments().objectAtIndexedSubscript(number) };
    color.setPixelFormat(target.format.metal());
    color.setWriteMask(write_mask(target.write));
    let Some([rgb, alpha]) = target.blending else { return };
    color.setBlendingEnabled(true);
    color.setRgbBlendOperation(rgb.operation.metal());
    color.setSourceRGBBlendFactor(rgb.source.metal());
    color.setDestinationRGBBlendFactor(rgb.destination.metal());
    color.setAlphaBlendOperation(alpha.operation.metal());
    color.setSourceAlphaBlendFactor(alpha.source.metal());
    color.setDestinationAlphaBlendFactor(alpha.destination.metal());
}

/// `MTLVertexDescriptor` of one that was checked.
fn vertices(input: &VertexDescriptor) -> Retained<MTLVertexDescriptor> {
    let metal = MTLVertexDescriptor::vertexDescriptor();
    let (layouts, attributes) = (metal.layouts(), metal.attributes());
    for layout in &input.layouts {
        let (function, rate) = match layout.step {
            StepFunction::Constant => (MTLVertexStepFunction::Constant, 0),
            StepFunction::PerVertex => (MTLVertexStepFunction::PerVertex, 1),
            StepFunction::PerInstance(rate) => (MTLVertexStepFunction::PerInstance, rate),
        };
        // SAFETY: index, stride and rate were found to be in the device's limits.
        unsafe {
            let metal = layouts.objectAtIndexedSubscript(layout.buffer as usize);
            metal.setStride(layout.stride as usize);
            metal.setStepFunction(function);
            metal.setStepRate(rate as usize);
        }
    }
    for attribute in &input.attributes {
        // SAFETY: index and offset were found to be in the device's limits, and the buffer's index to be that of a layout.
        unsafe {
            let metal = attributes.objectAtIndexedSubscript(attribute.location as usize);
            metal.setFormat(attribute.format.metal());
            metal.setOffset(attribute.offset as usize);
            metal.setBufferIndex(attribute.buffer as usize);
        }
    }
    metal
}

/// `newComputePipelineStateWithDescriptor:options:reflection:error:`.
pub(crate) fn compute(device: &Device, function: &Function, label: &str) -> Result<ComputePipeline> {
    make_compute(device, &*describe_compute(function, label)?, label, MTLPipelineOption::None)
}

/// The same, of an archive.
pub(crate) fn compute_from(
    device: &Device,
    function: &Function,
    label: &str,
    archive: &Archive,
) -> Result<(ComputePipeline, Kept)> {
    let metal = describe_compute(function, label)?;
    archive.make(
        |archives, option| {
            metal.setBinaryArchives(Some(archives));
            make_compute(device, &metal, label, option)
        },
        |archive| archive.addComputePipelineFunctionsWithDescriptor_error(&metal),
    )
}

fn describe_compute(function: &Function, label: &str) -> Result<Retained<MTLComputePipelineDescriptor>> {
    if function.ty != MTLFunctionType::Kernel {
        return Err(refused("newComputePipelineStateWithDescriptor", "a function of another stage"));
    }
    let metal = MTLComputePipelineDescriptor::new();
    metal.setLabel(Some(&text(label)));
    metal.setComputeFunction(Some(&function.raw));
    Ok(metal)
}

fn make_compute(
    device: &Device,
    metal: &MTLComputePipelineDescriptor,
    label: &str,
    option: MTLPipelineOption,
) -> Result<ComputePipeline> {
    let (raw, reflection) = make(device, label, option, |option, reflection| {
        device.0.raw.newComputePipelineStateWithDescriptor_options_reflection_error(metal, option, reflection)
    })?;
    let mut writes = Writes::default();
    if let Some(reflection) = reflection {
        let says = reflection.respondsToSelector(sel!(bindings));
        writes[Stage::Kernel as usize] = if says { written(&reflection.bindings()) } else { ANY };
    }
    let threads = raw.maxTotalThreadsPerThreadgroup() as u64;
    Ok(ComputePipeline { raw, threads, writes })
}

/// `newDepthStencilStateWithDescriptor:`.
pub(crate) fn depth_stencil(device: &Device, descriptor: &DepthStencilDescriptor) -> Option<DepthStencil> {
    let metal = MTLDepthStencilDescriptor::new();
    metal.setDepthCompareFunction(descriptor.compare.metal());
    metal.setDepthWriteEnabled(descriptor.write);
    metal.setFrontFaceStencil(descriptor.front.map(face).as_deref());
    metal.setBackFaceStencil(descriptor.back.map(face).as_deref());
    let raw = device.0.raw.newDepthStencilStateWithDescriptor(&metal)?;
    let depth = descriptor.compare != CompareFunction::Always || descriptor.write;
    let stencil = descriptor.front.is_some() || descriptor.back.is_some();
    Some(DepthStencil { raw, uses: [depth, stencil] })
}

fn face(stencil: StencilDescriptor) -> Retained<MTLStencilDescriptor> {
    let metal = MTLStencilDescriptor::new();
    metal.setStencilCompareFunction(stencil.compare.metal());
    metal.setStencilFailureOperation(stencil.fail.metal());
    metal.setDepthFailureOperation(stencil.depth_fail.metal());
    metal.setDepthStencilPassOperation(stencil.pass.metal());
    metal.setReadMask(stencil.read_mask);
    metal.setWriteMask(stencil.write_mask);
    metal
}
