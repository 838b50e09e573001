//! RADV's device without hardware, and pipelines made with it.

use std::ffi::{CStr, CString, c_char};

use afterimage_gcn_corpus::reflect::reflect;
use afterimage_gcn_corpus::{Header, Kind, Program, Stage};
use ash::vk;

/// The version whose cache we can read.
const VERSION: &str = "Mesa 25.0.7";

/// The device.
pub(super) struct Device {
    device: ash::Device,
    executables: ash::khr::pipeline_executable_properties::Device,
    _instance: ash::Instance,
    _entry: ash::Entry,
}

/// What came of a pipeline.
pub(super) struct Pipeline {
    /// The cache's data.
    pub(super) cache: Vec<u8>,
    /// Executables by name, with the last of their texts: the listing.
    pub(super) listings: Vec<(String, String)>,
}

fn text(chars: &[c_char]) -> String {
    // SAFETY: the driver ends its names with a zero within the array.
    unsafe { CStr::from_ptr(chars.as_ptr()) }.to_string_lossy().into_owned()
}

impl Device {
    /// Opens it.
    ///
    /// # Errors
    /// When there is none of the right version.
    pub(super) fn open() -> Result<Device, String> {
        let say = |what: &'static str| move |e: vk::Result| format!("{what}: {e}");
        // SAFETY: everything that is made here is used only with what it was made from, which outlives it; all pointers in the
        // structures are to locals that live through the calls.
        unsafe {
            let entry = ash::Entry::load().map_err(|e| e.to_string())?;
            let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
            let info = vk::InstanceCreateInfo::default().application_info(&application);
            let instance = entry.create_instance(&info, None).map_err(say("the instance"))?;
            let all = instance.enumerate_physical_devices().map_err(say("the list of devices"))?;
            let mut seen = Vec::new();
            let found = all.into_iter().find(|&physical| {
                let mut driver = vk::PhysicalDeviceDriverProperties::default();
                let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
                instance.get_physical_device_properties2(physical, &mut properties);
                let name = text(&properties.properties.device_name);
                let version = text(&driver.driver_info);
                let fits = name.contains("BONAIRE") && version.starts_with(VERSION);
                seen.push(format!("{name}, {version}"));
                fits
            });
            let physical = found.ok_or_else(|| {
                format!(
                    "no RADV BONAIRE of {VERSION} is here (RADV_FORCE_FAMILY=bonaire); there are: {}",
                    seen.join("; ")
                )
            })?;
            let mut streams = vk::PhysicalDeviceTransformFeedbackFeaturesEXT::default();
            let mut executable = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default();
            let mut features11 = vk::PhysicalDeviceVulkan11Features::default();
            let mut features12 = vk::PhysicalDeviceVulkan12Features::default();
            let mut features13 = vk::PhysicalDeviceVulkan13Features::default();
            let mut features = vk::PhysicalDeviceFeatures2::default()
                .push_next(&mut features11)
                .push_next(&mut features12)
                .push_next(&mut features13)
                .push_next(&mut streams)
                .push_next(&mut executable);
            instance.get_physical_device_features2(physical, &mut features);
            features.features.robust_buffer_access = 0;
            let queue = vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0]);
            let extensions =
                [ash::khr::pipeline_executable_properties::NAME.as_ptr(), ash::ext::transform_feedback::NAME.as_ptr()];
            let queues = [queue];
            let info = vk::DeviceCreateInfo::default()
                .queue_create_infos(&queues)
                .enabled_extension_names(&extensions)
                .push_next(&mut features);
            let device = instance.create_device(physical, &info, None).map_err(say("the device"))?;
            let executables = ash::khr::pipeline_executable_properties::Device::new(&instance, &device);
            Ok(Device { device, executables, _instance: instance, _entry: entry })
        }
    }

    /// Compiles a program twice: into a cache, and, if `listed`, with its listings kept, which leaves the cache alone.
    ///
    /// # Errors
    /// When its files cannot be read, or the driver does not compile it.
    pub(super) fn pipeline(&self, program: &Program, listed: bool) -> Result<Pipeline, String> {
        let say = |e: vk::Result| e.to_string();
        // SAFETY: as in `open`; what is made for a program is kept until the process ends.
        unsafe {
            let cache =
                self.device.create_pipeline_cache(&vk::PipelineCacheCreateInfo::default(), None).map_err(say)?;
            let layout = self.layout(&program.header).map_err(say)?;
            let none = vk::PipelineCreateFlags::empty();
            self.create(program, layout, cache, none)?;
            let data = self.device.get_pipeline_cache_data(cache).map_err(say)?;
            if !listed {
                return Ok(Pipeline { cache: data, listings: Vec::new() });
            }
            let kept = vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
            let pipeline = self.create(program, layout, vk::PipelineCache::null(), kept)?;
            let info = vk::PipelineInfoKHR::default().pipeline(pipeline);
            let executables = self.executables.get_pipeline_executable_properties(&info).map_err(say)?;
            let mut listings = Vec::new();
            for (at, executable) in executables.iter().enumerate() {
                listings.push((text(&executable.name), self.listing(pipeline, at as u32)?));
            }
            Ok(Pipeline { cache: data, listings })
        }
    }

    /// The last internal representation of an executable.
    ///
    /// # Safety
    /// The pipeline is of this device and keeps its representations.
    unsafe fn listing(&self, pipeline: vk::Pipeline, executable: u32) -> Result<String, String> {
        let get = self.executables.fp().get_pipeline_executable_internal_representations_khr;
        let device = self.device.handle();
        let info = vk::PipelineExecutableInfoKHR::default().pipeline(pipeline).executable_index(executable);
        let mut count = 0;
        // SAFETY: see above; the first calls ask for sizes, and the last has room for what they said.
        unsafe {
            let all = |count: &mut u32, out: *mut vk::PipelineExecutableInternalRepresentationKHR| {
                get(device, &info, count, out).result().map_err(|e| e.to_string())
            };
            all(&mut count, std::ptr::null_mut())?;
            let mut texts = vec![vk::PipelineExecutableInternalRepresentationKHR::default(); count as usize];
            all(&mut count, texts.as_mut_ptr())?;
            let mut rooms: Vec<Vec<u8>> = texts.iter().map(|text| vec![0; text.data_size]).collect();
            for (text, room) in texts.iter_mut().zip(&mut rooms) {
                text.p_data = room.as_mut_ptr().cast();
            }
            all(&mut count, texts.as_mut_ptr())?;
            let last = rooms.pop().ok_or("the driver gives no listing")?;
            Ok(String::from_utf8_lossy(&last).trim_end_matches('\0').to_owned())
        }
    }

    fn layout(&self, header: &Header) -> Result<vk::PipelineLayout, vk::Result> {
        let mut sets: Vec<Vec<vk::DescriptorSetLayoutBinding<'_>>> = Vec::new();
        for resource in &header.resources {
            let kind = match resource.kind {
                Kind::Buffer => vk::DescriptorType::STORAGE_BUFFER,
                Kind::Uniform => vk::DescriptorType::UNIFORM_BUFFER,
                Kind::TexelBuffer(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
                Kind::TexelImage(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
                Kind::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
                Kind::Texture(..) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
                Kind::Sampled(_) => vk::DescriptorType::SAMPLED_IMAGE,
                Kind::Sampler(_) => vk::DescriptorType::SAMPLER,
                Kind::Input(_) => vk::DescriptorType::INPUT_ATTACHMENT,
                Kind::Vertices { .. } => continue,
            };
            let number = resource.set as usize;
            if sets.len() <= number {
                sets.resize(number + 1, Vec::new());
            }
            match sets[number].last_mut().filter(|last| last.binding == resource.binding) {
                Some(array) => array.descriptor_count += 1,
                None => {
                    let binding = vk::DescriptorSetLayoutBinding::default().binding(resource.binding);
                    let binding = binding.descriptor_type(kind).descriptor_count(1);
                    sets[number].push(binding.stage_flags(vk::ShaderStageFlags::ALL));
                }
            }
        }
        let push = vk::PushConstantRange::default().stage_flags(vk::ShaderStageFlags::ALL);
        let pushed = header.pushed(|_| 0).len();
        let push = [push.size(pushed as u32 * 4)];
        // SAFETY: the pointers are to locals.
        unsafe {
            let mut layouts = Vec::new();
            for bindings in &sets {
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
                layouts.push(self.device.create_descriptor_set_layout(&info, None)?);
            }
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let info = if pushed == 0 { info } else { info.push_constant_ranges(&push) };
            self.device.create_pipeline_layout(&info, None)
        }
    }

    fn create(
        &self,
        program: &Program,
        layout: vk::PipelineLayout,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, String> {
        let header = &program.header;
        let entries: Vec<_> = (0u32..)
            .zip(&header.constants)
            .map(|(at, (id, _))| vk::SpecializationMapEntry { constant_id: *id, offset: at * 4, size: 4 })
            .collect();
        let values: Vec<u8> = header.constants.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(&values);
        let mut codes = Vec::new();
        for &stage in &program.stages {
            let words = program.spirv(stage).map_err(|e| e.to_string())?;
            let entry = CString::new(reflect(&words)?.entry).map_err(|e| e.to_string())?;
            codes.push((stage, words, entry));
        }
        let mut stages = Vec::new();
        for (stage, words, entry) in &codes {
            let info = vk::ShaderModuleCreateInfo::default().code(words);
            // SAFETY: it is valid SPIR-V.
            let module = unsafe { self.device.create_shader_module(&info, None) }.map_err(|e| e.to_string())?;
            let flag = match *stage {
                Stage::Vert => vk::ShaderStageFlags::VERTEX,
                Stage::Tesc => vk::ShaderStageFlags::TESSELLATION_CONTROL,
                Stage::Tese => vk::ShaderStageFlags::TESSELLATION_EVALUATION,
                Stage::Geom => vk::ShaderStageFlags::GEOMETRY,
                Stage::Frag => vk::ShaderStageFlags::FRAGMENT,
                Stage::Comp => vk::ShaderStageFlags::COMPUTE,
            };
            let info = vk::PipelineShaderStageCreateInfo::default().stage(flag).module(module).name(entry);
            stages.push(info.specialization_info(&constants));
        }
        if program.is_compute() {
            let info = [vk::ComputePipelineCreateInfo::default().flags(flags).stage(stages[0]).layout(layout)];
            // SAFETY: the modules and the layout are of this device.
            let made = unsafe { self.device.create_compute_pipelines(cache, &info, None) };
            return made.map(|made| made[0]).map_err(|(_, e)| e.to_string());
        }
        self.graphics(header, &stages, layout, cache, flags)
    }

    fn graphics(
        &self,
        header: &Header,
        stages: &[vk::PipelineShaderStageCreateInfo],
        layout: vk::PipelineLayout,
        cache: vk::PipelineCache,
        flags: vk::PipelineCreateFlags,
    ) -> Result<vk::Pipeline, String> {
        let attributes: Vec<_> = header
            .attributes
            .iter()
            .map(|attribute| vk::VertexInputAttributeDescription {
                location: attribute.location,
                binding: attribute.binding,
                format: vk::Format::from_raw(attribute.format.vulkan),
                offset: attribute.offset,
            })
            .collect();
        let buffers: Vec<_> = header
            .resources
            .iter()
            .filter_map(|resource| {
                let Kind::Vertices { stride, instance } = resource.kind else { return None };
                let rate = if instance { vk::VertexInputRate::INSTANCE } else { vk::VertexInputRate::VERTEX };
                Some(vk::VertexInputBindingDescription { binding: resource.binding, stride, input_rate: rate })
            })
            .collect();
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_attribute_descriptions(&attributes)
            .vertex_binding_descriptions(&buffers);
        let tessellated = header.patch != 0;
        let topology = match header.topology.as_str() {
            _ if tessellated => vk::PrimitiveTopology::PATCH_LIST,
            "points" => vk::PrimitiveTopology::POINT_LIST,
            "lines" => vk::PrimitiveTopology::LINE_LIST,
            "lines_adjacency" => vk::PrimitiveTopology::LINE_LIST_WITH_ADJACENCY,
            "triangles_adjacency" => vk::PrimitiveTopology::TRIANGLE_LIST_WITH_ADJACENCY,
            "strip" => vk::PrimitiveTopology::TRIANGLE_STRIP,
            _ => vk::PrimitiveTopology::TRIANGLE_LIST,
        };
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let patch = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(header.patch);
        let viewports = [vk::Viewport { width: 64.0, height: 64.0, max_depth: 1.0, ..vk::Viewport::default() }];
        let scissors = [vk::Rect2D { extent: vk::Extent2D { width: 64, height: 64 }, ..vk::Rect2D::default() }];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
        let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
        let samples = vk::SampleCountFlags::from_raw(header.samples.max(1));
        let samples = vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default()
            .depth_test_enable(header.depth)
            .depth_write_enable(header.depth)
            .depth_compare_op(vk::CompareOp::LESS_OR_EQUAL);
        let mut blend =
            vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA);
        if header.dual_source {
            blend = blend
                .blend_enable(true)
                .src_color_blend_factor(vk::BlendFactor::ONE)
                .dst_color_blend_factor(vk::BlendFactor::SRC1_COLOR)
                .src_alpha_blend_factor(vk::BlendFactor::ONE)
                .dst_alpha_blend_factor(vk::BlendFactor::SRC1_ALPHA);
        }
        let blends = vec![blend; header.targets.len()];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
        let targets: Vec<_> = header.targets.iter().map(|format| vk::Format::from_raw(format.vulkan)).collect();
        let depth_format = if header.depth { vk::Format::D32_SFLOAT } else { vk::Format::UNDEFINED };
        let mut rendering = vk::PipelineRenderingCreateInfo::default()
            .color_attachment_formats(&targets)
            .depth_attachment_format(depth_format);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .flags(flags)
            .stages(stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .depth_stencil_state(&depth)
            .color_blend_state(&blend)
            .layout(layout)
            .push_next(&mut rendering);
        if tessellated {
            info = info.tessellation_state(&patch);
        }
        // SAFETY: the modules and the layout are of this device, and all pointers are to locals.
        let made = unsafe { self.device.create_graphics_pipelines(cache, &[info], None) };
        made.map(|made| made[0]).map_err(|(_, e)| e.to_string())
    }
}
