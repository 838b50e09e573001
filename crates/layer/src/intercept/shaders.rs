//! Layouts, shader modules, pipelines.

use super::{Answer, list, pass_on};
use crate::active::Active;
use crate::below::Refused;
use crate::chain::Chain;
use crate::devices::Device;
use crate::objects::code::Code;
use crate::objects::input::Input;
use crate::objects::layouts::{self, Layout, SetLayout};
use crate::objects::pipelines::{self, Known, Parts, Pipeline};
use crate::spirv;
use ash::vk::{self, Handle as _, TaggedStructure as _};
use std::sync::Arc;

/// A set layout's create info as the driver is asked for it, and its bindings.
///
/// # Safety
/// The structure is the program's.
unsafe fn bindings<'a>(info: &vk::DescriptorSetLayoutCreateInfo<'a>) -> Vec<vk::DescriptorSetLayoutBinding<'a>> {
    // SAFETY: as the caller says.
    let mut bindings = unsafe { list(info.p_bindings, info.binding_count) }.to_vec();
    for binding in &mut bindings {
        binding.stage_flags = layouts::stages(binding.stage_flags);
    }
    bindings
}

unsafe extern "system" fn create_descriptor_set_layout(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    layout: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    // SAFETY: the program's arguments are as the specification of the function has them, here and below.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkCreateDescriptorSetLayout": vk::PFN_vkCreateDescriptorSetLayout, (device, info, allocator, layout), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let bindings = bindings(&*info);
        let changed = vk::DescriptorSetLayoutCreateInfo { p_bindings: bindings.as_ptr(), ..*info };
        let result = (active.below.functions.create_descriptor_set_layout)(device, &changed, allocator, layout);
        if result == vk::Result::SUCCESS {
            active.set_layouts.insert((*layout).as_raw(), SetLayout::of(&bindings));
        }
        result
    }
}

unsafe extern "system" fn destroy_descriptor_set_layout(
    device: vk::Device,
    layout: vk::DescriptorSetLayout,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkDestroyDescriptorSetLayout": vk::PFN_vkDestroyDescriptorSetLayout, (device, layout, allocator), ());
        };
        active.set_layouts.remove(layout.as_raw());
        (active.below.functions.destroy_descriptor_set_layout)(device, layout, allocator);
    }
}

unsafe extern "system" fn get_descriptor_set_layout_support(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    support: *mut vk::DescriptorSetLayoutSupport<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkGetDescriptorSetLayoutSupport": vk::PFN_vkGetDescriptorSetLayoutSupport, (device, info, support), ());
        };
        let bindings = bindings(&*info);
        let changed = vk::DescriptorSetLayoutCreateInfo { p_bindings: bindings.as_ptr(), ..*info };
        (active.below.functions.get_descriptor_set_layout_support)(device, &changed, support);
    }
}

unsafe extern "system" fn create_pipeline_layout(
    device: vk::Device,
    info: *const vk::PipelineLayoutCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    layout: *mut vk::PipelineLayout,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkCreatePipelineLayout": vk::PFN_vkCreatePipelineLayout, (device, info, allocator, layout), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let result = (active.below.functions.create_pipeline_layout)(device, info, allocator, layout);
        if result == vk::Result::SUCCESS {
            let sets = list((*info).p_set_layouts, (*info).set_layout_count);
            let sets: Vec<SetLayout> =
                sets.iter().map(|set| active.set_layouts.get(set.as_raw()).unwrap_or_default()).collect();
            match Layout::new(&active.below, &*info, &sets, active.offer.limit) {
                Ok(known) => active.layouts.insert((*layout).as_raw(), Arc::new(known)),
                Err(error) => {
                    (active.below.functions.destroy_pipeline_layout)(device, *layout, allocator);
                    *layout = vk::PipelineLayout::null();
                    return error;
                }
            }
        }
        result
    }
}

unsafe extern "system" fn destroy_pipeline_layout(
    device: vk::Device,
    layout: vk::PipelineLayout,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkDestroyPipelineLayout": vk::PFN_vkDestroyPipelineLayout, (device, layout, allocator), ());
        };
        // The layout beside it is used as long as pipelines are that were made with it.
        if let Some(known) = active.layouts.remove(layout.as_raw()) {
            active.release(known);
        }
        (active.below.functions.destroy_pipeline_layout)(device, layout, allocator);
    }
}

unsafe extern "system" fn create_shader_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    module: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkCreateShaderModule": vk::PFN_vkCreateShaderModule, (device, info, allocator, module), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let words = list((*info).p_code, ((*info).code_size / 4) as u32);
        let stripped = spirv::strip(words);
        let mut changed = *info;
        if let Some(stripped) = &stripped {
            changed = changed.code(stripped);
        }
        let result = (active.below.functions.create_shader_module)(device, &changed, allocator, module);
        if result == vk::Result::SUCCESS
            && let Some(code) = Code::of(words)
        {
            active.code.insert((*module).as_raw(), code);
        }
        result
    }
}

unsafe extern "system" fn destroy_shader_module(
    device: vk::Device,
    module: vk::ShaderModule,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkDestroyShaderModule": vk::PFN_vkDestroyShaderModule, (device, module, allocator), ());
        };
        active.code.remove(module.as_raw());
        (active.below.functions.destroy_shader_module)(device, module, allocator);
    }
}

/// What becomes of a pipeline's draws, once the pipeline is there.
///
/// # Safety
/// The structure is the program's, for vkCreateGraphicsPipelines.
unsafe fn lowered(
    active: &Active,
    cache: vk::PipelineCache,
    info: &vk::GraphicsPipelineCreateInfo<'_>,
    pipeline: vk::Pipeline,
) -> Result<(), Refused> {
    let known = Known {
        code: &|module| active.code.get(module.as_raw()),
        library: &|library| active.libraries.get(library.as_raw()),
    };
    // SAFETY: as the caller says.
    let (parts, library) = unsafe { (Parts::of(&known, info)?, pipelines::is_library(info)) };
    if library {
        active.libraries.insert(pipeline.as_raw(), Arc::new(parts));
        return Ok(());
    }
    let Some(made) = Pipeline::of(&parts, active.layouts.get(info.layout.as_raw()))? else { return Ok(()) };
    // What is known already is made at once: that it cannot be lowered is for whoever creates it to hear.
    if made.input.is_some() {
        made.program(&active.below, cache, &Input::default(), vk::ProvokingVertexModeEXT::FIRST_VERTEX)?;
    } else {
        made.check()?;
    }
    active.pipelines.insert(pipeline.as_raw(), Arc::new(made));
    Ok(())
}

/// The structures of a pipeline that the driver gets in place of the program's: without what is the extension's.
#[derive(Default)]
struct Changed<'a> {
    raster: Option<Box<vk::PipelineRasterizationStateCreateInfo<'a>>>,
    stages: Vec<vk::PipelineShaderStageCreateInfo<'a>>,
    /// What those point to.
    _chains: Vec<Chain>,
    _codes: Vec<Vec<u32>>,
}

impl<'a> Changed<'a> {
    /// # Safety
    /// The structure is the program's, for vkCreateGraphicsPipelines.
    unsafe fn of(info: &vk::GraphicsPipelineCreateInfo<'a>) -> Self {
        let mut changed = Self::default();
        // SAFETY: as the caller says.
        unsafe {
            let stream = vk::PipelineRasterizationStateStreamCreateInfoEXT::STRUCTURE_TYPE;
            if let Some(state) = info.p_rasterization_state.as_ref()
                && crate::chain::each(state.p_next).any(|base| (*base).s_type == stream)
            {
                let mut chain = Chain::copy(state.p_next);
                chain.remove(stream);
                let state = vk::PipelineRasterizationStateCreateInfo { p_next: chain.head(), ..*state };
                changed.raster = Some(Box::new(state));
                changed._chains.push(chain);
            }
            let given = pipelines::stages(info);
            for (n, stage) in given.iter().enumerate() {
                let Some(stripped) = pipelines::inline(stage).and_then(spirv::strip) else { continue };
                if changed.stages.is_empty() {
                    changed.stages = given.to_vec();
                }
                let mut chain = Chain::copy(stage.p_next);
                if let Some(code) = chain.get::<vk::ShaderModuleCreateInfo<'_>>() {
                    (code.p_code, code.code_size) = (stripped.as_ptr(), 4 * stripped.len());
                }
                changed.stages[n].p_next = chain.head();
                changed._chains.push(chain);
                changed._codes.push(stripped);
            }
        }
        changed
    }

    /// Puts them into the pipeline's create info.
    fn put(&self, info: &mut vk::GraphicsPipelineCreateInfo<'a>) {
        if let Some(raster) = &self.raster {
            info.p_rasterization_state = &raw const **raster;
        }
        if !self.stages.is_empty() {
            info.p_stages = self.stages.as_ptr();
        }
    }
}

/// Whether what may capture is named by an identifier alone: what it is nobody knows.
///
/// # Safety
/// The structure is the program's, for vkCreateGraphicsPipelines.
unsafe fn is_identified(info: &vk::GraphicsPipelineCreateInfo<'_>) -> bool {
    use vk::ShaderStageFlags as Stages;
    let captures = Stages::VERTEX | Stages::TESSELLATION_EVALUATION | Stages::GEOMETRY;
    // SAFETY: as the caller says.
    unsafe {
        pipelines::stages(info).iter().any(|stage| {
            captures.contains(stage.stage)
                && stage.module == vk::ShaderModule::null()
                && pipelines::inline(stage).is_none()
        })
    }
}

unsafe extern "system" fn create_graphics_pipelines(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::GraphicsPipelineCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pipelines: *mut vk::Pipeline,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkCreateGraphicsPipelines": vk::PFN_vkCreateGraphicsPipelines, (device, cache, count, infos, allocator, pipelines), vk::Result::ERROR_INITIALIZATION_FAILED);
        };
        let f = &active.below.functions;
        let given = list(infos, count);
        let made = std::slice::from_raw_parts_mut(pipelines, count as usize);
        if given.iter().any(|info| is_identified(info)) {
            // As if the cache did not have it: the program comes again with the code.
            made.fill(vk::Pipeline::null());
            return vk::Result::PIPELINE_COMPILE_REQUIRED;
        }
        // The extension's own structures are not for the driver.
        let changes: Vec<Changed<'_>> = given.iter().map(|info| Changed::of(info)).collect();
        let mut changed = given.to_vec();
        changed.iter_mut().zip(&changes).for_each(|(info, change)| change.put(info));
        let mut result = (f.create_graphics_pipelines)(device, cache, count, changed.as_ptr(), allocator, pipelines);
        for (info, pipeline) in given.iter().zip(made) {
            if pipeline.is_null() {
                continue;
            }
            let Err(refused) = lowered(active, cache, info, *pipeline) else { continue };
            (f.destroy_pipeline)(device, *pipeline, allocator);
            *pipeline = vk::Pipeline::null();
            result = match refused {
                Refused::Why(why) => {
                    tracing::error!("a pipeline that captures is refused: {why}");
                    vk::Result::ERROR_FEATURE_NOT_PRESENT
                }
                Refused::Failed(error) => error,
            };
        }
        result
    }
}

/// Shader objects that capture are refused: nothing is lowered of them.
unsafe extern "system" fn create_shaders(
    device: vk::Device,
    count: u32,
    infos: *const vk::ShaderCreateInfoEXT<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    shaders: *mut vk::ShaderEXT,
) -> vk::Result {
    // SAFETY: as above.
    unsafe {
        let create =
            pass_on!(@find device, c"vkCreateShadersEXT": vk::PFN_vkCreateShadersEXT, vk::Result::ERROR_DEVICE_LOST);
        let captures = |info: &vk::ShaderCreateInfoEXT<'_>| {
            let is_words = info.code_type == vk::ShaderCodeTypeEXT::SPIRV;
            is_words
                && Code::of(std::slice::from_raw_parts(info.p_code.cast(), info.code_size / 4))
                    .is_some_and(|code| code.entries.iter().any(|entry| entry.captures))
        };
        if Device::active(device).is_some() && list(infos, count).iter().any(captures) {
            tracing::error!("a shader object that captures is refused: only pipelines are lowered");
            std::slice::from_raw_parts_mut(shaders, count as usize).fill(vk::ShaderEXT::null());
            return vk::Result::ERROR_FEATURE_NOT_PRESENT;
        }
        create(device, count, infos, allocator, shaders)
    }
}

unsafe extern "system" fn destroy_pipeline(
    device: vk::Device,
    pipeline: vk::Pipeline,
    allocator: *const vk::AllocationCallbacks<'_>,
) {
    // SAFETY: as above.
    unsafe {
        let Some(active) = Device::active(device) else {
            return pass_on!(device, c"vkDestroyPipeline": vk::PFN_vkDestroyPipeline, (device, pipeline, allocator), ());
        };
        active.libraries.remove(pipeline.as_raw());
        if let Some(known) = active.pipelines.remove(pipeline.as_raw()) {
            known.destroy(&active.below);
            if let Some(known) = Arc::into_inner(known) {
                active.release(known.layout);
            }
        }
        (active.below.functions.destroy_pipeline)(device, pipeline, allocator);
    }
}

pub(super) const ANSWERS: &[Answer] = &[
    (c"vkCreateDescriptorSetLayout", create_descriptor_set_layout as *const ()),
    (c"vkDestroyDescriptorSetLayout", destroy_descriptor_set_layout as *const ()),
    (c"vkGetDescriptorSetLayoutSupport", get_descriptor_set_layout_support as *const ()),
    (c"vkGetDescriptorSetLayoutSupportKHR", get_descriptor_set_layout_support as *const ()),
    (c"vkCreatePipelineLayout", create_pipeline_layout as *const ()),
    (c"vkDestroyPipelineLayout", destroy_pipeline_layout as *const ()),
    (c"vkCreateShaderModule", create_shader_module as *const ()),
    (c"vkDestroyShaderModule", destroy_shader_module as *const ()),
    (c"vkCreateGraphicsPipelines", create_graphics_pipelines as *const ()),
    (c"vkCreateShadersEXT", create_shaders as *const ()),
    (c"vkDestroyPipeline", destroy_pipeline as *const ()),
];
