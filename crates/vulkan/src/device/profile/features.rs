//! Feature structures and extensions: what is asked about, and what is enabled.

use super::Profile;
use crate::device::instance::Instance;
use crate::error::{Checked, Result};
use afterimage_stream::Format;
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// Every feature structure that is asked about and then enabled.
#[derive(Default)]
pub(crate) struct Features {
    pub(crate) core: vk::PhysicalDeviceFeatures,
    pub(crate) v11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub(crate) v12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub(crate) v13: vk::PhysicalDeviceVulkan13Features<'static>,
    pub(crate) dynamic3: vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'static>,
    pub(crate) multi_draw: vk::PhysicalDeviceMultiDrawFeaturesEXT<'static>,
    pub(crate) border: vk::PhysicalDeviceCustomBorderColorFeaturesEXT<'static>,
    pub(crate) depth_clip: vk::PhysicalDeviceDepthClipEnableFeaturesEXT<'static>,
    pub(crate) divisor: vk::PhysicalDeviceVertexAttributeDivisorFeaturesEXT<'static>,
    pub(crate) formats_4444: vk::PhysicalDevice4444FormatsFeaturesEXT<'static>,
    pub(crate) depth_bias: vk::PhysicalDeviceDepthBiasControlFeaturesEXT<'static>,
    pub(crate) dynamic2: vk::PhysicalDeviceExtendedDynamicState2FeaturesEXT<'static>,
    pub(crate) lines: vk::PhysicalDeviceLineRasterizationFeaturesKHR<'static>,
    pub(crate) provoking: vk::PhysicalDeviceProvokingVertexFeaturesEXT<'static>,
    pub(crate) feedback: vk::PhysicalDeviceTransformFeedbackFeaturesEXT<'static>,
    pub(crate) small_indices: vk::PhysicalDeviceIndexTypeUint8FeaturesKHR<'static>,
    pub(crate) list_restart: vk::PhysicalDevicePrimitiveTopologyListRestartFeaturesEXT<'static>,
    pub(crate) libraries: vk::PhysicalDeviceGraphicsPipelineLibraryFeaturesEXT<'static>,
    pub(crate) interlock: vk::PhysicalDeviceFragmentShaderInterlockFeaturesEXT<'static>,
    pub(crate) texels: vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT<'static>,
    pub(crate) robustness2: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
}

/// Extensions that are used where found, with the structure that must be chained for each.
pub(crate) const OPTIONAL: &[&CStr] = &[
    khr::swapchain::NAME,
    khr::external_memory_fd::NAME,
    ext::external_memory_dma_buf::NAME,
    ext::extended_dynamic_state3::NAME,
    ext::multi_draw::NAME,
    ext::custom_border_color::NAME,
    ext::depth_clip_enable::NAME,
    ext::vertex_attribute_divisor::NAME,
    vk::EXT_4444_FORMATS_NAME,
    ext::depth_bias_control::NAME,
    ext::extended_dynamic_state2::NAME,
    ext::line_rasterization::NAME,
    ext::provoking_vertex::NAME,
    ext::memory_budget::NAME,
    ext::external_memory_host::NAME,
    ext::transform_feedback::NAME,
    ext::index_type_uint8::NAME,
    ext::primitive_topology_list_restart::NAME,
    vk::EXT_SHADER_STENCIL_EXPORT_NAME,
    ext::fragment_shader_interlock::NAME,
    ext::shader_image_atomic_int64::NAME,
    ext::robustness2::NAME,
    khr::pipeline_library::NAME,
    ext::graphics_pipeline_library::NAME,
    c"VK_KHR_portability_subset",
];

impl Features {
    /// Chains the structures of the extensions in `extensions` and hands the whole to `f`.
    pub(crate) fn chained<R>(
        &mut self,
        extensions: &[&CStr],
        f: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R,
    ) -> R {
        let has = |name: &CStr| extensions.contains(&name);
        let mut chain = vk::PhysicalDeviceFeatures2::default().features(self.core);
        chain = chain.push_next(&mut self.v11).push_next(&mut self.v12).push_next(&mut self.v13);
        if has(ext::extended_dynamic_state3::NAME) {
            chain = chain.push_next(&mut self.dynamic3);
        }
        if has(ext::multi_draw::NAME) {
            chain = chain.push_next(&mut self.multi_draw);
        }
        if has(ext::custom_border_color::NAME) {
            chain = chain.push_next(&mut self.border);
        }
        if has(ext::depth_clip_enable::NAME) {
            chain = chain.push_next(&mut self.depth_clip);
        }
        if has(ext::vertex_attribute_divisor::NAME) {
            chain = chain.push_next(&mut self.divisor);
        }
        if has(vk::EXT_4444_FORMATS_NAME) {
            chain = chain.push_next(&mut self.formats_4444);
        }
        if has(ext::depth_bias_control::NAME) {
            chain = chain.push_next(&mut self.depth_bias);
        }
        if has(ext::extended_dynamic_state2::NAME) {
            chain = chain.push_next(&mut self.dynamic2);
        }
        if has(ext::line_rasterization::NAME) {
            chain = chain.push_next(&mut self.lines);
        }
        if has(ext::provoking_vertex::NAME) {
            chain = chain.push_next(&mut self.provoking);
        }
        if has(ext::transform_feedback::NAME) {
            chain = chain.push_next(&mut self.feedback);
        }
        if has(ext::index_type_uint8::NAME) {
            chain = chain.push_next(&mut self.small_indices);
        }
        if has(ext::primitive_topology_list_restart::NAME) {
            chain = chain.push_next(&mut self.list_restart);
        }
        if has(ext::graphics_pipeline_library::NAME) {
            chain = chain.push_next(&mut self.libraries);
        }
        if has(ext::fragment_shader_interlock::NAME) {
            chain = chain.push_next(&mut self.interlock);
        }
        if has(ext::shader_image_atomic_int64::NAME) {
            chain = chain.push_next(&mut self.texels);
        }
        if has(ext::robustness2::NAME) {
            chain = chain.push_next(&mut self.robustness2);
        }
        let result = f(&mut chain);
        let core = chain.features;
        self.core = core;
        result
    }
}

/// Which of [`OPTIONAL`] a device has.
pub(crate) fn optional_extensions(instance: &Instance, device: vk::PhysicalDevice) -> Result<Vec<&'static CStr>> {
    // SAFETY: the handle is one of the instance's.
    let found = unsafe { instance.raw.enumerate_device_extension_properties(device) }
        .checked("vkEnumerateDeviceExtensionProperties")?;
    let has = |name: &&CStr| found.iter().any(|e| e.extension_name_as_c_str() == Ok(*name));
    let without_surfaces = |name: &&CStr| instance.surfaces || *name != khr::swapchain::NAME;
    // A layer that has never heard of an extension rejects its structures. This one alone is younger than Debian 12's.
    let layer_knows = |name: &&CStr| {
        *name != ext::depth_bias_control::NAME || instance.layer.is_none_or(|v| v >= vk::make_api_version(0, 1, 3, 260))
    };
    Ok(OPTIONAL.iter().copied().filter(has).filter(without_surfaces).filter(layer_knows).collect())
}

pub(super) fn on(value: vk::Bool32) -> bool {
    value == vk::TRUE
}

impl Profile {
    /// What is enabled on the device: the part of its features that this profile uses.
    pub(crate) fn features(&self) -> Features {
        let on = |value: bool| if value { vk::TRUE } else { vk::FALSE };
        let mut features = Features::default();
        let core = &mut features.core;
        core.robust_buffer_access = vk::TRUE;
        core.fill_mode_non_solid = on(self.fill_modes);
        core.logic_op = on(self.logic_op);
        core.geometry_shader = on(self.adjacency || self.geometry_shader);
        core.shader_tessellation_and_geometry_point_size = on(self.adjacency);
        core.draw_indirect_first_instance = on(self.indirect_first_instance);
        core.wide_lines = on(self.line_widths != [1.0; 2]);
        core.depth_clamp = on(self.depth_clamp);
        core.depth_bounds = on(self.depth_bounds);
        core.sampler_anisotropy = on(self.anisotropy);
        core.occlusion_query_precise = on(self.precise_occlusion);
        core.pipeline_statistics_query = on(self.pipeline_statistics);
        core.dual_src_blend = on(self.dual_source);
        core.independent_blend = on(self.independent_blend);
        core.shader_clip_distance = on(self.clip_distance);
        core.large_points = on(self.large_points);
        core.texture_compression_bc = on(self.choice(Format::BC1_RGBA_UNORM).features != 0);
        let shaders = &self.shaders;
        core.vertex_pipeline_stores_and_atomics = on(shaders.vertex_stores);
        core.fragment_stores_and_atomics = on(shaders.pixel_stores);
        core.shader_float64 = on(shaders.float64);
        core.shader_int64 = on(shaders.int64_atomics || shaders.shared_int64_atomics || shaders.image_int64_atomics);
        core.shader_storage_image_read_without_format = on(shaders.read_without_format);
        core.shader_storage_image_write_without_format = on(shaders.write_without_format);
        core.shader_storage_image_multisample = on(shaders.storage_samples);
        core.image_cube_array = on(shaders.cube_arrays);
        core.shader_image_gather_extended = on(shaders.gather_extended);
        core.sample_rate_shading = on(shaders.sample_rate);
        core.shader_cull_distance = on(shaders.cull_distance);
        core.multi_viewport = on(shaders.output_viewport);
        let f12 = &mut features.v12;
        f12.shader_buffer_int64_atomics = on(shaders.int64_atomics);
        f12.shader_shared_int64_atomics = on(shaders.shared_int64_atomics);
        f12.shader_output_layer = on(shaders.output_layer);
        f12.shader_output_viewport_index = on(shaders.output_viewport);
        f12.shader_sampled_image_array_non_uniform_indexing = on(self.draw_records || self.texture_tables);
        f12.timeline_semaphore = vk::TRUE;
        f12.buffer_device_address = vk::TRUE;
        f12.host_query_reset = vk::TRUE;
        f12.sampler_mirror_clamp_to_edge = on(self.mirror_clamp);
        f12.sampler_filter_minmax = on(self.minimum_filter);
        if self.bindless.is_some() {
            f12.descriptor_indexing = vk::TRUE;
            f12.runtime_descriptor_array = vk::TRUE;
            f12.descriptor_binding_partially_bound = vk::TRUE;
            f12.descriptor_binding_sampled_image_update_after_bind = vk::TRUE;
            f12.descriptor_binding_update_unused_while_pending = vk::TRUE;
            core.shader_sampled_image_array_dynamic_indexing = vk::TRUE;
        }
        features.v11.shader_draw_parameters = on(self.draw_records);
        features.v13.dynamic_rendering = vk::TRUE;
        features.v13.synchronization2 = vk::TRUE;
        features.v13.maintenance4 = vk::TRUE;
        features.v13.shader_demote_to_helper_invocation = vk::TRUE;
        let d3 = &mut features.dynamic3;
        d3.extended_dynamic_state3_color_blend_enable = on(self.dynamic_state3.blend);
        d3.extended_dynamic_state3_color_blend_equation = on(self.dynamic_state3.blend);
        d3.extended_dynamic_state3_color_write_mask = on(self.dynamic_state3.blend);
        d3.extended_dynamic_state3_polygon_mode = on(self.dynamic_state3.polygon_mode);
        d3.extended_dynamic_state3_sample_mask = on(self.dynamic_state3.sample_mask);
        d3.extended_dynamic_state3_depth_clamp_enable = on(self.dynamic_state3.depth_clamp);
        features.multi_draw.multi_draw = on(self.multi_draw > 0);
        features.border.custom_border_colors = on(self.custom_border_color);
        features.border.custom_border_color_without_format = on(self.custom_border_color);
        features.depth_clip.depth_clip_enable = on(self.depth_clip);
        features.divisor.vertex_attribute_instance_rate_divisor = on(self.divisor);
        features.dynamic2.extended_dynamic_state2_logic_op = on(self.dynamic_logic_op);
        features.lines.rectangular_lines = on(self.rectangular_lines);
        features.lines.bresenham_lines = on(self.bresenham_lines);
        features.lines.smooth_lines = on(self.smooth_lines);
        features.provoking.provoking_vertex_last = on(self.provoking_last);
        features.provoking.transform_feedback_preserves_provoking_vertex =
            on(self.provoking_last && self.transform_feedback.is_some());
        features.feedback.transform_feedback = on(self.transform_feedback.is_some());
        features.feedback.geometry_streams = on(self.transform_feedback.is_some_and(|feedback| feedback.streams));
        features.small_indices.index_type_uint8 = on(self.small_indices);
        features.list_restart.primitive_topology_list_restart = on(self.list_restart);
        features.libraries.graphics_pipeline_library = on(self.pipeline_libraries);
        features.interlock.fragment_shader_pixel_interlock = on(self.shaders.interlock);
        features.texels.shader_image_int64_atomics = on(self.shaders.image_int64_atomics);
        features.robustness2.null_descriptor = on(self.null_descriptor);
        features.depth_bias.depth_bias_control = on(self.depth_bias_control);
        features.depth_bias.float_representation = on(self.depth_bias_control);
        features.formats_4444.format_a4r4g4b4 = on(self.format_4444);
        features
    }
}
