//! A device looked up: what it says of itself, held to what is wanted.

use super::{Bindless, DynamicState3, Features, Profile, ShaderFeatures, TransformFeedback, on, optional_extensions};
use crate::device::instance::Instance;
use crate::device::{format, portability};
use crate::error::Result;
use crate::options::Options;
use afterimage_abi::varyings;
use afterimage_shader::FloatRules;
use afterimage_stream::{FEEDBACK_BUFFERS, Format};
use ash::{ext, khr, vk};
use std::ffi::CStr;

/// The version of a device that is to act as if its driver were old.
const OLD: u32 = vk::make_api_version(0, 1, 2, 0);

/// Locations between stages that shaders with records need: all up to [`varyings::DRAW`].
const LOCATIONS: u32 = varyings::DRAW as u32 + 1;

/// Drivers that were seen to draw runs faster in one call, with textures that differ between lanes, and to give the same pictures
/// (`docs/performance.md`).
const SUITS_RECORDS: &[vk::DriverId] = &[vk::DriverId::NVIDIA_PROPRIETARY];

/// Drivers whose unit of depth bias is two steps of a depth format of whole numbers (the specification allows up to two): measured with
/// Mesa's of 2023 and NVIDIA's 580.159 on an H200.
const COARSE_DEPTH_BIAS: &[vk::DriverId] = &[vk::DriverId::MESA_LLVMPIPE, vk::DriverId::NVIDIA_PROPRIETARY];

/// What the renderer needs and a device lacks, by Vulkan's names.
fn missing(features: &Features, api_version: u32, graphics_queue: bool) -> Vec<&'static str> {
    if api_version < vk::API_VERSION_1_3 {
        // What else it has was not asked.
        return vec!["Vulkan 1.3"];
    }
    let (core, f12, f13) = (&features.core, &features.v12, &features.v13);
    let needed = [
        ("a graphics queue", graphics_queue),
        ("dynamicRendering", on(f13.dynamic_rendering)),
        ("maintenance4", on(f13.maintenance4)),
        ("shaderDemoteToHelperInvocation", on(f13.shader_demote_to_helper_invocation)),
        ("synchronization2", on(f13.synchronization2)),
        ("timelineSemaphore", on(f12.timeline_semaphore)),
        ("bufferDeviceAddress", on(f12.buffer_device_address)),
        ("hostQueryReset", on(f12.host_query_reset)),
        ("robustBufferAccess", on(core.robust_buffer_access)),
    ];
    needed.iter().filter(|(_, there)| !there).map(|(name, _)| *name).collect()
}

fn dynamic_state3(d3: &vk::PhysicalDeviceExtendedDynamicState3FeaturesEXT<'_>) -> DynamicState3 {
    DynamicState3 {
        blend: on(d3.extended_dynamic_state3_color_blend_enable)
            && on(d3.extended_dynamic_state3_color_blend_equation)
            && on(d3.extended_dynamic_state3_color_write_mask),
        polygon_mode: on(d3.extended_dynamic_state3_polygon_mode),
        sample_mask: on(d3.extended_dynamic_state3_sample_mask),
        depth_clamp: on(d3.extended_dynamic_state3_depth_clamp_enable),
    }
}

/// What a device captures, where it has all that the stream may ask for.
fn transform_feedback(
    features: &Features,
    properties: &vk::PhysicalDeviceTransformFeedbackPropertiesEXT<'_>,
) -> Option<TransformFeedback> {
    let there = on(features.feedback.transform_feedback)
        && on(properties.transform_feedback_queries)
        && properties.max_transform_feedback_buffers >= FEEDBACK_BUFFERS as u32;
    there.then(|| TransformFeedback {
        streams: on(features.feedback.geometry_streams)
            && properties.max_transform_feedback_streams >= FEEDBACK_BUFFERS as u32,
        most_bytes: properties.max_transform_feedback_buffer_size,
        vertex_bytes: [
            properties.max_transform_feedback_buffer_data_size,
            properties.max_transform_feedback_stream_data_size,
        ],
    })
}

/// Whether pipelines are linked of stages. Pixel stages say how their inputs are interpolated, which vertex stages do not know.
fn pipeline_libraries(
    features: &Features,
    properties: &vk::PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT<'_>,
    kind: vk::PhysicalDeviceType,
    wanted: &Options,
) -> bool {
    let there = on(features.libraries.graphics_pipeline_library)
        && on(properties.graphics_pipeline_library_independent_interpolation_decoration);
    let quick = on(properties.graphics_pipeline_library_fast_linking) && kind != vk::PhysicalDeviceType::CPU;
    there && wanted.pipeline_libraries.unwrap_or(quick)
}

impl Profile {
    /// Looks a device up.
    ///
    /// # Errors
    /// Where Vulkan does not answer.
    pub fn new(instance: &Instance, handle: vk::PhysicalDevice, wanted: &Options) -> Result<Self> {
        let without = wanted.without;
        let extensions = optional_extensions(instance, handle)?;
        let has = |name: &CStr| extensions.contains(&name);
        let mut multi = vk::PhysicalDeviceMultiDrawPropertiesEXT::default();
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut v12 = vk::PhysicalDeviceVulkan12Properties::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut v11).push_next(&mut v12);
        if has(ext::multi_draw::NAME) {
            properties = properties.push_next(&mut multi);
        }
        let mut provoking = vk::PhysicalDeviceProvokingVertexPropertiesEXT::default();
        if has(ext::provoking_vertex::NAME) {
            properties = properties.push_next(&mut provoking);
        }
        let mut feedback = vk::PhysicalDeviceTransformFeedbackPropertiesEXT::default();
        if has(ext::transform_feedback::NAME) {
            properties = properties.push_next(&mut feedback);
        }
        let mut libraries = vk::PhysicalDeviceGraphicsPipelineLibraryPropertiesEXT::default();
        if has(ext::graphics_pipeline_library::NAME) {
            properties = properties.push_next(&mut libraries);
        }
        let mut host = vk::PhysicalDeviceExternalMemoryHostPropertiesEXT::default();
        if has(ext::external_memory_host::NAME) {
            properties = properties.push_next(&mut host);
        }
        // SAFETY: the handle is the instance's, and the chain is valid.
        unsafe { instance.raw.get_physical_device_properties2(handle, &mut properties) };
        let properties = properties.properties;
        let api_version = if without.vulkan_1_3 { OLD.min(properties.api_version) } else { properties.api_version };
        let mut features = Features::default();
        if api_version >= vk::API_VERSION_1_3 {
            features.chained(&extensions, |chain| {
                // SAFETY: as above.
                unsafe { instance.raw.get_physical_device_features2(handle, chain) };
            });
        }
        // SAFETY: as above.
        let memory = unsafe { instance.raw.get_physical_device_memory_properties(handle) };
        let local = memory
            .memory_heaps_as_slice()
            .iter()
            .filter(|heap| heap.flags.contains(vk::MemoryHeapFlags::DEVICE_LOCAL))
            .map(|heap| heap.size)
            .sum();
        // SAFETY: as above.
        let families = unsafe { instance.raw.get_physical_device_queue_family_properties(handle) };
        let graphics = vk::QueueFlags::GRAPHICS | vk::QueueFlags::TRANSFER;
        let family = families.iter().position(|family| {
            family.queue_flags.contains(vk::QueueFlags::GRAPHICS) || family.queue_flags.contains(graphics)
        });
        let (core, f12) = (&features.core, &features.v12);
        let missing = missing(&features, api_version, family.is_some());
        let dynamic_state3 =
            if without.dynamic_state3 { DynamicState3::default() } else { dynamic_state3(&features.dynamic3) };
        let format_4444 = on(features.formats_4444.format_a4r4g4b4);
        let folds = folds_strict_products(v12.driver_id);
        let options = !without.raster_options;
        let wide = on(core.wide_lines) && options;
        let mut shaders = shader_features(core, f12, &v11, without.shader_features);
        shaders.compute = family.is_some_and(|family| families[family].queue_flags.contains(vk::QueueFlags::COMPUTE));
        shaders.stencil_export = has(vk::EXT_SHADER_STENCIL_EXPORT_NAME);
        shaders.image_int64_atomics =
            on(core.shader_int64) && on(features.texels.shader_image_int64_atomics) && !without.shader_features;
        shaders.interlock = on(features.interlock.fragment_shader_pixel_interlock) && !without.shader_features;
        let provoking_last =
            on(features.provoking.provoking_vertex_last) && on(provoking.provoking_vertex_mode_per_pipeline) && options;
        let preserves = on(features.provoking.transform_feedback_preserves_provoking_vertex)
            && on(provoking.transform_feedback_preserves_triangle_fan_provoking_vertex);
        let transform_feedback = ((preserves || !provoking_last) && !without.transform_feedback)
            .then(|| transform_feedback(&features, &feedback))
            .flatten();
        let timestamp_bits = family.map_or(0, |family| families[family].timestamp_valid_bits);
        let mut profile = Self {
            name: properties.device_name_as_c_str().unwrap_or(c"?").to_string_lossy().into_owned(),
            driver: format!(
                "{} {}",
                v12.driver_name_as_c_str().unwrap_or(c"?").to_string_lossy(),
                v12.driver_info_as_c_str().unwrap_or(c"").to_string_lossy()
            ),
            vendor: properties.vendor_id,
            device: properties.device_id,
            driver_version: properties.driver_version,
            api_version,
            kind: properties.device_type,
            memory: local,
            limits: properties.limits,
            bindless: if without.bindless { None } else { bindless(core, f12, &v12) },
            dynamic_state3,
            multi_draw: if on(features.multi_draw.multi_draw) && !without.multi_draw {
                multi.max_multi_draw_count
            } else {
                0
            },
            host_import: host.min_imported_host_pointer_alignment,
            // There `portability` says why.
            draw_records: v12.driver_id != vk::DriverId::MOLTENVK
                && on(features.multi_draw.multi_draw)
                && !without.multi_draw
                && on(features.v11.shader_draw_parameters)
                && !without.bindless
                && bindless(core, f12, &v12).is_some()
                && on(f12.shader_sampled_image_array_non_uniform_indexing)
                && properties.limits.max_vertex_output_components >= 4 * LOCATIONS
                && properties.limits.max_fragment_input_components >= 4 * LOCATIONS,
            texture_tables: !without.bindless
                && bindless(core, f12, &v12).is_some()
                && on(f12.shader_sampled_image_array_non_uniform_indexing),
            suits_records: SUITS_RECORDS.contains(&v12.driver_id),
            custom_border_color: on(features.border.custom_border_colors)
                && on(features.border.custom_border_color_without_format),
            mirror_clamp: on(f12.sampler_mirror_clamp_to_edge),
            minimum_filter: on(f12.sampler_filter_minmax),
            fill_modes: on(core.fill_mode_non_solid),
            logic_op: on(core.logic_op) && options,
            // lavapipe 22.3 draws with the operation of the draw before when nothing else of blending changes.
            dynamic_logic_op: on(core.logic_op)
                && on(features.dynamic2.extended_dynamic_state2_logic_op)
                && v12.driver_id != vk::DriverId::MESA_LLVMPIPE
                && options,
            line_widths: if wide { properties.limits.line_width_range } else { [1.0; 2] },
            rectangular_lines: on(features.lines.rectangular_lines) && options,
            bresenham_lines: on(features.lines.bresenham_lines) && options,
            smooth_lines: on(features.lines.smooth_lines) && options,
            geometry_shader: on(core.geometry_shader) && options,
            provoking_last,
            transform_feedback,
            adjacency: on(core.geometry_shader)
                && on(core.shader_tessellation_and_geometry_point_size)
                && !without.shader_features,
            small_indices: on(features.small_indices.index_type_uint8),
            list_restart: on(features.list_restart.primitive_topology_list_restart),
            indirect_first_instance: on(core.draw_indirect_first_instance),
            depth_clamp: on(core.depth_clamp),
            depth_bounds: on(core.depth_bounds) && options,
            depth_clip: on(features.depth_clip.depth_clip_enable),
            depth_bias_control: on(features.depth_bias.depth_bias_control)
                && on(features.depth_bias.float_representation),
            coarse_depth_bias: COARSE_DEPTH_BIAS.contains(&v12.driver_id),
            coarse_depth_reads: v12.driver_id == vk::DriverId::MESA_LLVMPIPE,
            fragile_blits: v12.driver_id == vk::DriverId::MESA_LLVMPIPE
                && properties.api_version < vk::make_api_version(0, 1, 3, 240),
            // NVIDIA's compiler takes 3 times as long for strict pixels, `cargo xtask bench float_rules` says.
            float_rules: if folds { FloatRules::Strict } else { FloatRules::Balanced },
            // Mesa does not fold products where the signs of zeros must be kept.
            float_controls: on(v12.shader_signed_zero_inf_nan_preserve_float32) && !without.float_controls && !folds,
            anisotropy: on(core.sampler_anisotropy),
            precise_occlusion: on(core.occlusion_query_precise),
            dual_source: on(core.dual_src_blend),
            independent_blend: on(core.independent_blend),
            clip_distance: on(core.shader_clip_distance),
            large_points: on(core.large_points),
            divisor: on(features.divisor.vertex_attribute_instance_rate_divisor),
            triangle_fans: !has(c"VK_KHR_portability_subset"),
            timestamp_bits,
            swapchain: has(khr::swapchain::NAME),
            external_memory: [khr::external_memory_fd::NAME, ext::external_memory_dma_buf::NAME].map(has),
            format_4444,
            pipeline_libraries: pipeline_libraries(&features, &libraries, properties.device_type, wanted),
            memory_budget: has(ext::memory_budget::NAME),
            null_descriptor: on(features.robustness2.null_descriptor) && !without.null_descriptor,
            pipeline_statistics: on(core.pipeline_statistics_query),
            shaders,
            missing,
            queue_family: family.unwrap_or(0) as u32,
            formats: Vec::new(),
        };
        portability::hold(&mut profile, &without);
        let mut lacking = portability::formats(&without).to_vec();
        lacking.extend((!profile.format_4444).then_some(vk::Format::A4R4G4B4_UNORM_PACK16));
        lacking.extend((!profile.shaders.image_int64_atomics).then_some(vk::Format::R64_UINT));
        let choice = |&format| format::choose(instance, handle, format, &lacking);
        profile.formats = Format::ALL.iter().map(choice).collect();
        Ok(profile)
    }
}

fn shader_features(
    core: &vk::PhysicalDeviceFeatures,
    f12: &vk::PhysicalDeviceVulkan12Features<'_>,
    v11: &vk::PhysicalDeviceVulkan11Properties<'_>,
    without: bool,
) -> ShaderFeatures {
    use vk::SubgroupFeatureFlags as F;
    // What every device has stays.
    let with = |value: vk::Bool32| value == vk::TRUE && !without;
    let operations = F::BASIC | F::VOTE | F::BALLOT | F::SHUFFLE;
    let subgroups =
        |stage| v11.subgroup_supported_operations.contains(operations) && v11.subgroup_supported_stages.contains(stage);
    let long = with(core.shader_int64);
    ShaderFeatures {
        compute: false,
        subgroup_size: v11.subgroup_size,
        subgroups: [vk::ShaderStageFlags::COMPUTE, vk::ShaderStageFlags::FRAGMENT, vk::ShaderStageFlags::VERTEX]
            .map(subgroups),
        vertex_stores: with(core.vertex_pipeline_stores_and_atomics),
        pixel_stores: with(core.fragment_stores_and_atomics),
        float64: with(core.shader_float64),
        int64_atomics: long && on(f12.shader_buffer_int64_atomics),
        shared_int64_atomics: long && on(f12.shader_shared_int64_atomics),
        image_int64_atomics: false,
        read_without_format: with(core.shader_storage_image_read_without_format),
        write_without_format: on(core.shader_storage_image_write_without_format),
        storage_samples: with(core.shader_storage_image_multisample),
        cube_arrays: with(core.image_cube_array),
        gather_extended: on(core.shader_image_gather_extended),
        sample_rate: on(core.sample_rate_shading),
        output_layer: with(f12.shader_output_layer),
        output_viewport: with(f12.shader_output_viewport_index) && on(core.multi_viewport),
        cull_distance: on(core.shader_cull_distance),
        stencil_export: false,
        interlock: false,
    }
}

/// Whether a driver makes one instruction of the strict product of `afterimage_passes::float_rules`.
fn folds_strict_products(driver: vk::DriverId) -> bool {
    [vk::DriverId::MESA_RADV, vk::DriverId::MESA_NVK, vk::DriverId::AMD_OPEN_SOURCE].contains(&driver)
}

/// Table sizes, where all that bindless textures need is there.
fn bindless(
    core: &vk::PhysicalDeviceFeatures,
    f12: &vk::PhysicalDeviceVulkan12Features<'_>,
    limits: &vk::PhysicalDeviceVulkan12Properties<'_>,
) -> Option<Bindless> {
    let needed = [
        f12.descriptor_indexing,
        f12.runtime_descriptor_array,
        f12.descriptor_binding_partially_bound,
        f12.descriptor_binding_sampled_image_update_after_bind,
        f12.descriptor_binding_update_unused_while_pending,
        core.shader_sampled_image_array_dynamic_indexing,
    ];
    if needed.contains(&vk::FALSE) {
        return None;
    }
    let images = limits
        .max_per_stage_descriptor_update_after_bind_sampled_images
        .min(limits.max_descriptor_set_update_after_bind_sampled_images)
        .min(limits.max_per_stage_update_after_bind_resources / 2);
    let samplers = limits
        .max_per_stage_descriptor_update_after_bind_samplers
        .min(limits.max_descriptor_set_update_after_bind_samplers);
    // Less than this and a game may run out of indices; then slots are the better way.
    if images < 1 << 15 || samplers < 1024 {
        return None;
    }
    let sizes = Bindless {
        textures_2d: (images / 2).min(1 << 17),
        textures_cube: (images / 8).min(1 << 14),
        textures_3d: (images / 16).min(1 << 12),
        textures_2d_array: (images / 8).min(1 << 14),
        textures_rare: (images / 32).min(1 << 10),
        samplers: samplers.min(1 << 12),
    };
    Some(sizes)
}
