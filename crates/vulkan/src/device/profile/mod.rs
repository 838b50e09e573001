//! What a device can do, looked up once. Everything beyond Vulkan 1.3 core has a path without it.

mod features;
mod looked_up;
mod shown;

use crate::device::format;
use afterimage_abi::varyings;
use afterimage_ir::Component;
use afterimage_shader::FloatRules;
use afterimage_stream::{DeviceFeatures, DeviceInfo, Format, FormatFeatures};
use ash::vk;

pub(crate) use features::optional_extensions;
use features::{Features, on};

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
    /// shaderInt64 with shaderImageInt64Atomics of VK_EXT_shader_image_atomic_int64.
    pub image_int64_atomics: bool,
    /// shaderStorageImageReadWithoutFormat.
    pub read_without_format: bool,
    /// shaderStorageImageWriteWithoutFormat.
    pub write_without_format: bool,
    /// shaderStorageImageMultisample.
    pub storage_samples: bool,
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
    /// nullDescriptor of VK_EXT_robustness2: sets may have no image where shaders look at one.
    pub null_descriptor: bool,
    /// What shaders can do.
    pub shaders: ShaderFeatures,
    /// Core features that are missing: with any of them the device is not usable.
    pub missing: Vec<&'static str>,
    /// Queue family used for everything.
    pub queue_family: u32,
    /// Vulkan format and [`FormatFeatures`] for every stream format, by number.
    pub(crate) formats: Vec<format::Choice>,
}

impl Profile {
    /// What shaders are compiled for.
    pub(crate) fn shader_features(&self) -> afterimage_shader::Features {
        let shaders = &self.shaders;
        afterimage_shader::Features {
            float64: shaders.float64,
            int64_atomics: shaders.int64_atomics,
            shared_int64_atomics: shaders.shared_int64_atomics,
            image_int64_atomics: shaders.image_int64_atomics,
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

    /// Samples of a storage image that stands for one with several; 1 where shaders have none.
    pub(crate) fn null_storage_samples(&self) -> u8 {
        let counts = if self.shaders.storage_samples { self.limits.storage_image_sample_counts.as_raw() } else { 0 };
        [4u8, 2, 8].into_iter().find(|count| counts & u32::from(*count) != 0).unwrap_or(1)
    }

    /// What texels of a format are to shaders; none of formats that the stream does not have, or that are no targets.
    pub(crate) fn component_of(&self, format: vk::Format) -> Option<Component> {
        let of = Format::ALL.iter().zip(&self.formats).find(|(_, choice)| choice.format == format);
        Component::ALL.get(usize::from(format::kind_of(*of?.0))).copied()
    }

    /// Whether a target of a format can be blended with.
    pub(crate) fn blends(&self, format: vk::Format) -> bool {
        let choices = self.formats.iter().filter(|choice| choice.format == format);
        choices.fold(true, |_, choice| choice.features & FormatFeatures::BLEND != 0)
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
        info.sample_counts = sample_bits(counts);
        let stored = if self.shaders.storage_samples { self.limits.storage_image_sample_counts } else { ONE_SAMPLE };
        info.storage_sample_counts = sample_bits(stored);
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

const ONE_SAMPLE: vk::SampleCountFlags = vk::SampleCountFlags::TYPE_1;

/// Numbers of samples as the stream has them: bit n - 1 for n, where Vulkan's flag is n itself.
fn sample_bits(counts: vk::SampleCountFlags) -> u32 {
    [1u32, 2, 4, 8, 16].into_iter().filter(|n| counts.as_raw() & n != 0).fold(0, |bits, n| bits | 1 << (n - 1))
}

const _: () = assert!(FormatFeatures::SAMPLED == 1);
