//! Layouts, shader modules, pipelines.

use super::{Answer, list, pass_on};
use crate::active::Active;
use crate::chain::Chain;
use crate::devices::Device;
use crate::objects::code::Code;
use crate::objects::input::Input;
use crate::objects::layouts::{self, Layout, SetLayout};
use crate::objects::pipelines::{Known, Pipeline};
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
            let known = Layout::new(&active.below, &*info, &sets, active.offer.limit);
            active.layouts.insert((*layout).as_raw(), Arc::new(known));
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
) -> Result<Option<Pipeline>, String> {
    let known = Known {
        code: &|module| active.code.get(module.as_raw()),
        layout: &|layout| active.layouts.get(layout.as_raw()),
    };
    // SAFETY: as the caller says.
    let Some(pipeline) = (unsafe { Pipeline::of(&known, info) })? else { return Ok(None) };
    // What is known already is made at once: that it cannot be lowered is for whoever creates it to hear.
    if pipeline.input.is_some() {
        pipeline.program(&active.below, cache, &Input::default(), vk::ProvokingVertexModeEXT::FIRST_VERTEX)?;
    }
    Ok(Some(pipeline))
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
        // The extension's own structures are not for the driver.
        let mut chains: Vec<Chain> = Vec::new();
        let mut rasters: Vec<Option<Box<vk::PipelineRasterizationStateCreateInfo<'_>>>> = Vec::new();
        for info in given {
            let stream = vk::PipelineRasterizationStateStreamCreateInfoEXT::STRUCTURE_TYPE;
            let raster = info.p_rasterization_state.as_ref();
            let has = |state: &&vk::PipelineRasterizationStateCreateInfo<'_>| {
                crate::chain::each(state.p_next).any(|base| (*base).s_type == stream)
            };
            rasters.push(raster.filter(has).map(|state| {
                let mut chain = Chain::copy(state.p_next);
                chain.remove(stream);
                let changed = vk::PipelineRasterizationStateCreateInfo { p_next: chain.head(), ..*state };
                chains.push(chain);
                Box::new(changed)
            }));
        }
        let mut changed = given.to_vec();
        for (info, raster) in changed.iter_mut().zip(&rasters) {
            if let Some(raster) = raster {
                info.p_rasterization_state = &raw const **raster;
            }
        }
        let mut result = (f.create_graphics_pipelines)(device, cache, count, changed.as_ptr(), allocator, pipelines);
        for (info, pipeline) in given.iter().zip(std::slice::from_raw_parts_mut(pipelines, count as usize)) {
            if pipeline.is_null() {
                continue;
            }
            match lowered(active, cache, info) {
                Ok(None) => {}
                Ok(Some(known)) => active.pipelines.insert(pipeline.as_raw(), Arc::new(known)),
                Err(why) => {
                    tracing::error!("a pipeline that captures is refused: {why}");
                    (f.destroy_pipeline)(device, *pipeline, allocator);
                    *pipeline = vk::Pipeline::null();
                    result = vk::Result::ERROR_FEATURE_NOT_PRESENT;
                }
            }
        }
        result
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
    (c"vkDestroyPipeline", destroy_pipeline as *const ()),
];
