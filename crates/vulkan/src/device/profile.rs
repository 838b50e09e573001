//! What a device can do, looked up once. Everything beyond Vulkan 1.3 core has a path without it.

use crate::device::format;
use crate::device::instance::Instance;
use crate::device::portability;
use crate::error::{Checked, Result};
use crate::missing::{newer_driver, version};
use crate::options::Options;
use afterimage_abi::varyings;
use afterimage_ir::Component;
use afterimage_shader::FloatRules;
use afterimage_stream::{DeviceFeatures, DeviceInfo, FEEDBACK_BUFFERS, Format, FormatFeatures};
use ash::{ext, khr, vk};
use std::ffi::CStr;
use std::fmt;

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

/// Descriptors in the tables of the bindless profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bindless {
    /// Entries of the table of 2D textures.
    pub textures_2d: u32,
    /// Entries of the table of cube textures.
    pub textures_cube: u32,
    /// Entries of the table of 3D textures.
    pub textures_3d: u32,
    /// Entries of the table of arrays of 2D textures.
    pub textures_2d_array: u32,
    /// Entries of each of the tables of arrays of cubes, of multisampled textures, and of arrays of those.
    pub textures_rare: u32,
    /// Entries of the table of samplers.
    pub samplers: u32,
}

/// States that VK_EXT_extended_dynamic_state3 takes out of the pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DynamicState3 {
    /// Blend enable, equation and write masks: used together or not at all.
    pub blend: bool,
    /// Polygon mode.
    pub polygon_mode: bool,
    /// Sample mask.
    pub sample_mask: bool,
    /// Depth clamp enable.
    pub depth_clamp: bool,
}

/// What VK_EXT_transform_feedback of a device can do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransformFeedback {
    /// geometryStreams: streams beside the first.
    pub streams: bool,
    /// Most bytes that a range which is captured into may have.
    pub most_bytes: u64,
    /// Most bytes of a vertex that are captured into one buffer, and of one stream into all of them.
    pub vertex_bytes: [u32; 2],
}

/// What shaders of a device can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShaderFeatures {
    /// The queue runs compute shaders.
    pub compute: bool,
    /// Lanes of a subgroup.
    pub subgroup_size: u32,
    /// Votes, ballots and shuffles of compute shaders; of pixel shaders; of vertex shaders.
    pub subgroups: [bool; 3],
    /// vertexPipelineStoresAndAtomics.
    pub vertex_stores: bool,
    /// fragmentStoresAndAtomics.
    pub pixel_stores: bool,
    /// shaderFloat64.
    pub float64: bool,
    /// shaderInt64 with shaderBufferInt64Atomics.
    pub int64_atomics: bool,
    /// shaderInt64 with shaderSharedInt64Atomics.
    pub shared_int64_atomics: bool,
    /// shaderStorageImageReadWithoutFormat.
    pub read_without_format: bool,
    /// shaderStorageImageWriteWithoutFormat.
    pub write_without_format: bool,
    /// imageCubeArray.
    pub cube_arrays: bool,
    /// shaderImageGatherExtended: offsets that are not constant.
    pub gather_extended: bool,
    /// sampleRateShading: shaders that run for each sample.
    pub sample_rate: bool,
    /// shaderOutputLayer.
    pub output_layer: bool,
    /// shaderOutputViewportIndex, with several viewports.
    pub output_viewport: bool,
    /// shaderCullDistance.
    pub cull_distance: bool,
    /// VK_EXT_shader_stencil_export.
    pub stencil_export: bool,
    /// fragmentShaderPixelInterlock: pixels at the same place in the order of their primitives.
    pub interlock: bool,
}

/// What one device can do.
#[derive(Clone, Debug)]
pub struct Profile {
    /// Device name.
    pub name: String,
    /// Driver name and version, in words.
    pub driver: String,
    /// PCI vendor id.
    pub vendor: u32,
    /// PCI device id.
    pub device: u32,
    /// Driver version as Vulkan gives it.
    pub driver_version: u32,
    /// Vulkan version.
    pub api_version: u32,
    /// Discrete, integrated, CPU...
    pub kind: vk::PhysicalDeviceType,
    /// Bytes of device-local memory.
    pub memory: u64,
    /// Vulkan's limits.
    pub limits: vk::PhysicalDeviceLimits,
    /// Sizes of the bindless tables, where descriptor indexing is there.
    pub bindless: Option<Bindless>,
    /// VK_EXT_extended_dynamic_state3.
    pub dynamic_state3: DynamicState3,
    /// Most draws in one vkCmdDrawMultiEXT; 0 without VK_EXT_multi_draw.
    pub multi_draw: u32,
    /// Bytes that memory of the program's must be a multiple of to be read by the device; 0 without VK_EXT_external_memory_host.
    pub host_import: u64,
    /// Shaders can find what their draw has by its number among those of a call: shaderDrawParameters, with all that this takes of
    /// descriptor indexing and of locations between stages.
    pub draw_records: bool,
    /// Shaders can take textures out of tables, each lane another: shaderSampledImageArrayNonUniformIndexing, with descriptor indexing.
    pub texture_tables: bool,
    /// Whether that pays with the driver.
    pub suits_records: bool,
    /// VK_EXT_custom_border_color without formats.
    pub custom_border_color: bool,
    /// samplerMirrorClampToEdge.
    pub mirror_clamp: bool,
    /// samplerFilterMinmax.
    pub minimum_filter: bool,
    /// fillModeNonSolid.
    pub fill_modes: bool,
    /// logicOp.
    pub logic_op: bool,
    /// extendedDynamicState2LogicOp: which operation is no part of the pipeline.
    pub dynamic_logic_op: bool,
    /// Widths of lines in pixels; 1 to 1 without wideLines.
    pub line_widths: [f32; 2],
    /// rectangularLines of VK_EXT_line_rasterization.
    pub rectangular_lines: bool,
    /// bresenhamLines, likewise.
    pub bresenham_lines: bool,
    /// smoothLines, likewise.
    pub smooth_lines: bool,
    /// VK_EXT_transform_feedback as captures need it: four buffers, queries, and the order of provoking vertices where those are chosen.
    pub transform_feedback: Option<TransformFeedback>,
    /// geometryShader that may write sizes of points, whatever lines are made of: topologies with adjacency, and geometry shaders of guests.
    pub adjacency: bool,
    /// VK_KHR_index_type_uint8 or its elder.
    pub small_indices: bool,
    /// primitiveTopologyListRestart of VK_EXT_primitive_topology_list_restart.
    pub list_restart: bool,
    /// drawIndirectFirstInstance.
    pub indirect_first_instance: bool,
    /// geometryShader: lines may be made of triangles.
    pub geometry_shader: bool,
    /// VK_EXT_provoking_vertex, by pipeline.
    pub provoking_last: bool,
    /// depthClamp.
    pub depth_clamp: bool,
    /// depthBounds.
    pub depth_bounds: bool,
    /// VK_EXT_depth_clip_enable: depth can be unclipped without being clamped.
    pub depth_clip: bool,
    /// VK_EXT_depth_bias_control with float units: depth bias is exact.
    pub depth_bias_control: bool,
    /// Whether the driver's step of fixed-point depth is twice the smallest, which Vulkan leaves it free to choose.
    pub coarse_depth_bias: bool,
    /// Shaders read 24 bits of depth as their product with the float nearest to 1/16777215, which is up to one step more than it is.
    pub(crate) coarse_depth_reads: bool,
    /// Blits must not follow sets of many textures in one command buffer.
    pub(crate) fragile_blits: bool,
    /// What shaders follow of Direct3D 9's float rules where the user does not say.
    pub float_rules: FloatRules,
    /// Strict shaders ask for shaderSignedZeroInfNanPreserveFloat32.
    pub float_controls: bool,
    /// samplerAnisotropy.
    pub anisotropy: bool,
    /// occlusionQueryPrecise.
    pub precise_occlusion: bool,
    /// dualSrcBlend.
    pub dual_source: bool,
    /// independentBlend: write masks per target.
    pub independent_blend: bool,
    /// shaderClipDistance.
    pub clip_distance: bool,
    /// largePoints.
    pub large_points: bool,
    /// VK_EXT_vertex_attribute_divisor with divisors other than 1.
    pub divisor: bool,
    /// Triangle fans (a portability subset device may lack them).
    pub triangle_fans: bool,
    /// Bits of a timestamp on the queue; 0 where there are none.
    pub timestamp_bits: u32,
    /// VK_KHR_swapchain.
    pub swapchain: bool,
    /// VK_KHR_external_memory_fd, and VK_EXT_external_memory_dma_buf.
    pub external_memory: [bool; 2],
    /// formatA4R4G4B4 of VK_EXT_4444_formats (promoted to 1.3 as an option).
    pub format_4444: bool,
    /// VK_EXT_graphics_pipeline_library: stages of pipelines are made apart from one another, and linked.
    pub pipeline_libraries: bool,
    /// VK_EXT_memory_budget: what this process has of each heap, and may have.
    pub memory_budget: bool,
    /// pipelineStatisticsQuery.
    pub pipeline_statistics: bool,
    /// What shaders can do.
    pub shaders: ShaderFeatures,
    /// Core features that are missing: with any of them the device is not usable.
    pub missing: Vec<&'static str>,
    /// Queue family used for everything.
    pub queue_family: u32,
    /// Vulkan format and [`FormatFeatures`] for every stream format, by number.
    pub(crate) formats: Vec<format::Choice>,
}

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

fn on(value: vk::Bool32) -> bool {
    value == vk::TRUE
}

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
            pipeline_statistics: on(core.pipeline_statistics_query),
            shaders,
            missing,
            queue_family: family.unwrap_or(0) as u32,
            formats: Vec::new(),
        };
        portability::hold(&mut profile, &without);
        let (format_4444, lacking) = (profile.format_4444, portability::formats(&without));
        let choice = |&format| format::choose(instance, handle, format, format_4444, lacking);
        profile.formats = Format::ALL.iter().map(choice).collect();
        Ok(profile)
    }

    /// What shaders are compiled for.
    pub(crate) fn shader_features(&self) -> afterimage_shader::Features {
        let shaders = &self.shaders;
        afterimage_shader::Features {
            float64: shaders.float64,
            int64_atomics: shaders.int64_atomics,
            shared_int64_atomics: shaders.shared_int64_atomics,
            shuffle: shaders.subgroups[0],
            vertex_layer: shaders.output_layer && shaders.output_viewport,
            stencil_export: shaders.stencil_export,
            geometry: self.adjacency,
            streams: self.transform_feedback.is_some_and(|feedback| feedback.streams),
            tables: self.texture_tables,
            feedback: self.transform_feedback.is_some(),
            interlock: shaders.interlock,
        }
    }

    /// Samples of a texture that stands for one with several: what every device has of colours, less where integers have fewer.
    pub(crate) fn null_samples(&self, format: Format) -> u8 {
        let counts = match format.is_integer() {
            true => self.limits.sampled_image_integer_sample_counts,
            false => self.limits.sampled_image_color_sample_counts,
        };
        [4u8, 2, 8].into_iter().find(|count| counts.as_raw() & u32::from(*count) != 0).unwrap_or(1)
    }

    /// What texels of a format are to shaders; none of formats that the stream does not have.
    pub(crate) fn component_of(&self, format: vk::Format) -> Option<Component> {
        let of = Format::ALL.iter().zip(&self.formats).find(|(_, choice)| choice.format == format);
        Some(Component::ALL[usize::from(format::kind_of(*of?.0))])
    }

    /// Whether a target of a format can be blended with.
    pub(crate) fn blends(&self, format: vk::Format) -> bool {
        let choices = self.formats.iter().filter(|choice| choice.format == format);
        choices.fold(true, |_, choice| choice.features & FormatFeatures::BLEND != 0)
    }

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
        core.shader_int64 = on(shaders.int64_atomics || shaders.shared_int64_atomics);
        core.shader_storage_image_read_without_format = on(shaders.read_without_format);
        core.shader_storage_image_write_without_format = on(shaders.write_without_format);
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
        features.depth_bias.depth_bias_control = on(self.depth_bias_control);
        features.depth_bias.float_representation = on(self.depth_bias_control);
        features.formats_4444.format_a4r4g4b4 = on(self.format_4444);
        features
    }

    /// What a depth bias in units of depth is multiplied with; `bits` of the depth format, 0 for a float format, whose
    /// steps near 1 are 2^-24.
    pub(crate) fn depth_bias_scale(&self, bits: u32) -> f32 {
        match bits {
            _ if self.depth_bias_control => 1.0,
            0 => (1 << 24) as f32,
            _ => (1u64 << (bits - u32::from(self.coarse_depth_bias))) as f32,
        }
    }

    /// How a stream format is done on this device.
    #[inline]
    pub(crate) fn choice(&self, format: Format) -> &format::Choice {
        &self.formats[format as usize - 1]
    }

    /// The facts that guests build their capabilities from.
    #[must_use]
    pub fn device_info(&self) -> DeviceInfo {
        let mut info = DeviceInfo::default();
        let name = self.name.as_bytes();
        let len = name.len().min(info.name.len() - 1);
        info.name[..len].copy_from_slice(&name[..len]);
        info.vendor = self.vendor;
        info.device = self.device;
        info.driver_version = self.driver_version;
        info.api_version = self.api_version;
        info.memory = self.memory;
        info.max_texture_2d = self.limits.max_image_dimension2_d;
        info.max_texture_cube = self.limits.max_image_dimension_cube;
        info.max_texture_3d = self.limits.max_image_dimension3_d;
        info.max_anisotropy = if self.anisotropy { self.limits.max_sampler_anisotropy } else { 1.0 };
        let counts = self.limits.framebuffer_color_sample_counts & self.limits.framebuffer_depth_sample_counts;
        // Vulkan's flag for n samples is n itself; ours is bit n - 1.
        info.sample_counts = [1u32, 2, 4, 8, 16]
            .into_iter()
            .filter(|&n| counts.as_raw() & n != 0)
            .fold(0, |bits, n| bits | 1 << (n - 1));
        info.max_point_size = if self.large_points { self.limits.point_size_range[1] } else { 1.0 };
        info.pipeline_statistics = self.pipeline_statistics.into();
        let shaders = &self.shaders;
        info.subgroup_size = shaders.subgroup_size;
        info.features = [
            (shaders.compute, DeviceFeatures::COMPUTE),
            (shaders.vertex_stores, DeviceFeatures::VERTEX_STORES),
            (shaders.pixel_stores, DeviceFeatures::PIXEL_STORES),
            (shaders.float64, DeviceFeatures::FLOAT64),
            (shaders.int64_atomics, DeviceFeatures::INT64_ATOMICS),
            (self.geometry_shader, DeviceFeatures::RECT_LIST),
            (shaders.cube_arrays, DeviceFeatures::CUBE_ARRAYS),
            (shaders.output_layer, DeviceFeatures::LAYER_OUTPUT),
            (self.dual_source, DeviceFeatures::DUAL_SOURCE),
            (shaders.read_without_format, DeviceFeatures::READ_WITHOUT_FORMAT),
            (self.minimum_filter, DeviceFeatures::MINIMUM_FILTER),
            (self.transform_feedback.is_some() || shaders.compute, DeviceFeatures::FEEDBACK),
            (self.adjacency, DeviceFeatures::GEOMETRY),
            (self.smooth_lines, DeviceFeatures::SMOOTH_LINES),
            (self.kind == vk::PhysicalDeviceType::CPU, DeviceFeatures::PROCESSOR),
            (shaders.output_layer && shaders.output_viewport, DeviceFeatures::VIEWPORTS),
            (self.depth_bounds, DeviceFeatures::DEPTH_BOUNDS),
            (self.texture_tables, DeviceFeatures::TABLES),
        ]
        .into_iter()
        .filter(|(there, _)| *there)
        .fold(0, |bits, (_, bit)| bits | bit);
        info.max_color_targets = self.limits.max_color_attachments.min(8);
        info.max_clip_planes = self.clip_distances().min(6);
        for &format in Format::ALL {
            info.formats[format as usize] = self.choice(format).features;
        }
        info
    }

    /// Clip distances of a vertex, the device's or those that pixel shaders look at.
    pub(crate) fn clip_distances(&self) -> u32 {
        match (self.clip_distance, self.clip_varyings()) {
            (true, _) => self.limits.max_clip_distances,
            (false, Some(_)) => 8,
            (false, None) => 0,
        }
    }

    /// On devices without clip distances: the first of the two locations, the last ones that there are, at which vertex shaders hand
    /// them on to pixel shaders. With a geometry stage between them there are none.
    pub(crate) fn clip_varyings(&self) -> Option<u8> {
        let limits = &self.limits;
        let components = limits.max_vertex_output_components.min(limits.max_fragment_input_components);
        // The position counts.
        let locations = (components / 4).saturating_sub(1).min(varyings::DRAW.into());
        (!self.clip_distance && !self.adjacency).then(|| locations.saturating_sub(2) as u8)
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
        read_without_format: with(core.shader_storage_image_read_without_format),
        write_without_format: on(core.shader_storage_image_write_without_format),
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

impl Profile {
    /// That the device cannot be used: its name, its driver, and what that lacks.
    pub(crate) fn lacks(&self) -> String {
        let Self { name, driver, api_version, missing, .. } = self;
        format!("{name} (driver {driver}, Vulkan {}) lacks {}", version(*api_version), missing.join(", "))
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let yes = |value: bool| if value { "yes" } else { "no" };
        writeln!(f, "{}", self.name)?;
        writeln!(f, "  driver               {}", self.driver)?;
        writeln!(f, "  Vulkan               {}", version(self.api_version))?;
        writeln!(f, "  type                 {:?}", self.kind)?;
        writeln!(f, "  device memory        {} MiB", self.memory >> 20)?;
        if !self.missing.is_empty() {
            return writeln!(f, "  MISSING              {} ({})", self.missing.join(", "), newer_driver());
        }
        match self.bindless {
            Some(b) => writeln!(
                f,
                "  textures             bindless: {} 2D, {} cube, {} 3D, {} samplers",
                b.textures_2d, b.textures_cube, b.textures_3d, b.samplers
            )?,
            None => writeln!(f, "  textures             by slot (no descriptor indexing)")?,
        }
        let d3 = self.dynamic_state3;
        let dynamic = [
            ("blend", d3.blend),
            ("polygon mode", d3.polygon_mode),
            ("sample mask", d3.sample_mask),
            ("depth clamp", d3.depth_clamp),
        ];
        let dynamic: Vec<_> = dynamic.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        writeln!(f, "  dynamic state 3      {}", if dynamic.is_empty() { "none".into() } else { dynamic.join(", ") })?;
        writeln!(f, "  multi-draw           {}", self.multi_draw)?;
        writeln!(f, "  reads host memory    {}", yes(self.host_import > 0))?;
        writeln!(f, "  draws by number      {}", yes(self.draw_records))?;
        writeln!(f, "  tables of textures   {}", yes(self.texture_tables))?;
        writeln!(f, "  pipeline libraries   {}", yes(self.pipeline_libraries))?;
        writeln!(f, "  custom border colour {}", yes(self.custom_border_color))?;
        writeln!(f, "  mirror once          {}", yes(self.mirror_clamp))?;
        writeln!(f, "  minimum filters      {}", yes(self.minimum_filter))?;
        writeln!(f, "  wireframe and points {}", yes(self.fill_modes))?;
        writeln!(f, "  logic operations     {}", yes(self.logic_op))?;
        writeln!(f, "  depth bounds         {}", yes(self.depth_bounds))?;
        writeln!(f, "  line widths          {} to {}", self.line_widths[0], self.line_widths[1])?;
        let modes = [
            ("rectangular", self.rectangular_lines),
            ("bresenham", self.bresenham_lines),
            ("smooth", self.smooth_lines),
            ("quad", self.geometry_shader),
        ];
        let modes: Vec<_> = modes.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        writeln!(f, "  line modes           {}", if modes.is_empty() { "default".into() } else { modes.join(", ") })?;
        writeln!(f, "  last vertex provokes {}", yes(self.provoking_last))?;
        writeln!(f, "  transform feedback   {}", yes(self.transform_feedback.is_some()))?;
        writeln!(
            f,
            "  anisotropy           {}",
            if self.anisotropy { self.limits.max_sampler_anisotropy } else { 1.0 }
        )?;
        writeln!(f, "  float rules          {}", self.float_rules.name())?;
        writeln!(f, "  exact occlusion      {}", yes(self.precise_occlusion))?;
        writeln!(f, "  timestamps           {}", yes(self.timestamp_bits > 0))?;
        let shaders = [
            ("compute", self.shaders.compute),
            ("stores of vertex stages", self.shaders.vertex_stores),
            ("of pixel stages", self.shaders.pixel_stores),
            ("doubles", self.shaders.float64),
            ("64-bit atomics", self.shaders.int64_atomics),
            ("arrays of cubes", self.shaders.cube_arrays),
            ("layers by vertex stages", self.shaders.output_layer),
            ("viewports by vertex stages", self.shaders.output_viewport),
            ("stencil export", self.shaders.stencil_export),
            ("pixels in order", self.shaders.interlock),
        ];
        let shaders: Vec<_> = shaders.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
        writeln!(f, "  shaders              {}", shaders.join(", "))?;
        writeln!(f, "  subgroups            {} lanes", self.shaders.subgroup_size)?;
        writeln!(f, "  windows              {}", yes(self.swapchain))?;
        let unusable: Vec<_> =
            Format::ALL.iter().filter(|&&x| self.choice(x).features == 0).map(|x| x.info().name).collect();
        writeln!(
            f,
            "  formats missing      {}",
            if unusable.is_empty() { "none".into() } else { unusable.join(", ") }
        )?;
        let twins: Vec<_> = Format::ALL
            .iter()
            .filter(|&&x| self.choice(x).replaced)
            .map(|&x| format!("{} by {:?}", x.info().name, self.choice(x).format))
            .collect();
        writeln!(f, "  formats replaced     {}", if twins.is_empty() { "none".into() } else { twins.join(", ") })
    }
}

const _: () = assert!(FormatFeatures::SAMPLED == 1);
