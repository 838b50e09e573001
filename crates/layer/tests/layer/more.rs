//! What [`scenes`](crate::scenes) does not have: queries, draws of what was captured, geometry shaders and streams, libraries of pipelines,
//! pushed descriptors, dynamic vertex input, several draws in a command, conditional rendering.

use crate::client::{Buffer, Client};
use ash::vk::{self, BufferUsageFlags as Usage, ShaderStageFlags as Stages};
use std::ffi::c_void;

const VERTICES: u32 = 40;
/// Bytes of a capture buffer.
const CAPTURE: usize = 4 << 10;
const QUERIES: u32 = 4;

fn bytes(words: impl IntoIterator<Item = u32>) -> Vec<u8> {
    words.into_iter().flat_map(u32::to_le_bytes).collect()
}

/// What pipelines of all scenes have.
struct Rig<'a> {
    client: &'a Client,
    set_layout: vk::DescriptorSetLayout,
    layout: vk::PipelineLayout,
    template: vk::DescriptorUpdateTemplate,
    modules: Vec<vk::ShaderModule>,
    vertices: Buffer,
    adds: Buffer,
    pool: vk::QueryPool,
}

/// How a pipeline comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Whole,
    /// Linked of libraries.
    Linked,
    /// With the code in the stage, in place of a module.
    Inline,
    /// With vertex input as dynamic state.
    Dynamic,
}

const NUMBERS: usize = 0;
const GIVEN: usize = 1;
const STREAMS: usize = 2;

fn code(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

impl<'a> Rig<'a> {
    fn new(client: &'a Client) -> Self {
        let d = &client.device;
        // SAFETY: as in the client, here and below.
        unsafe {
            let binding = [vk::DescriptorSetLayoutBinding::default()
                .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                .descriptor_count(1)
                .stage_flags(Stages::VERTEX)];
            let info = vk::DescriptorSetLayoutCreateInfo::default()
                .flags(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR)
                .bindings(&binding);
            let set_layout = d.create_descriptor_set_layout(&info, None).expect("a set layout");
            let sets = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
            let layout = d.create_pipeline_layout(&info, None).expect("a layout");
            let entry = [vk::DescriptorUpdateTemplateEntry {
                descriptor_count: 1,
                descriptor_type: vk::DescriptorType::UNIFORM_BUFFER,
                offset: 8,
                ..Default::default()
            }];
            let info = vk::DescriptorUpdateTemplateCreateInfo::default()
                .descriptor_update_entries(&entry)
                .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
                .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
                .pipeline_layout(layout);
            let template = d.create_descriptor_update_template(&info, None).expect("a template");
            let sources: [&[u8]; 3] = [
                include_bytes!("shaders/numbers.vert.spv"),
                include_bytes!("shaders/given.vert.spv"),
                include_bytes!("shaders/streams.geom.spv"),
            ];
            let module = |bytes: &&[u8]| {
                let words = code(bytes);
                d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None).expect("a module")
            };
            let modules = sources.iter().map(module).collect();
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
                .query_count(QUERIES);
            let pool = d.create_query_pool(&info, None).expect("a pool");
            let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes((0..2 * VERTICES).map(|n| n * 3 + 1)));
            let adds = client.buffer(Usage::UNIFORM_BUFFER, &bytes((0..128).map(|n| n * 1000)));
            Self { client, set_layout, layout, template, modules, vertices, adds, pool }
        }
    }

    fn destroy(self) {
        let d = &self.client.device;
        // SAFETY: as above; the device is idle.
        unsafe {
            d.destroy_query_pool(self.pool, None);
            self.modules.iter().for_each(|module| d.destroy_shader_module(*module, None));
            d.destroy_descriptor_update_template(self.template, None);
            d.destroy_pipeline_layout(self.layout, None);
            d.destroy_descriptor_set_layout(self.set_layout, None);
        }
        self.client.destroy(self.vertices);
        self.client.destroy(self.adds);
    }

    /// A pipeline that draws nothing to be seen; and the libraries that it was made of.
    fn pipeline(
        &self,
        shaders: &[usize],
        topology: vk::PrimitiveTopology,
        how: How,
    ) -> (vk::Pipeline, Vec<vk::Pipeline>) {
        let words = code(include_bytes!("shaders/numbers.vert.spv"));
        let mut inline = vk::ShaderModuleCreateInfo::default().code(&words);
        let stage = |n: &usize| {
            let stage = if *n == STREAMS { Stages::GEOMETRY } else { Stages::VERTEX };
            vk::PipelineShaderStageCreateInfo::default().stage(stage).module(self.modules[*n]).name(c"main")
        };
        let mut stages: Vec<_> = shaders.iter().map(stage).collect();
        if how == How::Inline {
            stages = vec![
                vk::PipelineShaderStageCreateInfo::default().stage(Stages::VERTEX).name(c"main").push_next(&mut inline),
            ];
        }
        let bindings = [vk::VertexInputBindingDescription { binding: 0, stride: 8, ..Default::default() }];
        let attributes =
            [vk::VertexInputAttributeDescription { format: vk::Format::R32G32_UINT, ..Default::default() }];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology);
        let raster =
            vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(true).line_width(1.0);
        let states = [vk::DynamicState::VERTEX_INPUT_EXT];
        let dynamic = vk::PipelineDynamicStateCreateInfo::default().dynamic_states(if how == How::Dynamic {
            &states
        } else {
            &[]
        });
        let mut rendering = vk::PipelineRenderingCreateInfo::default();
        let base = vk::GraphicsPipelineCreateInfo::default().dynamic_state(&dynamic).layout(self.layout);
        let create = |info| {
            // SAFETY: as above.
            let made =
                unsafe { self.client.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None) };
            made.expect("a pipeline")[0]
        };
        if how != How::Linked {
            let info = base
                .stages(&stages)
                .vertex_input_state(&input)
                .input_assembly_state(&assembly)
                .rasterization_state(&raster)
                .push_next(&mut rendering);
            return (create(info), Vec::new());
        }
        use vk::GraphicsPipelineLibraryFlagsEXT as Subset;
        let mut first = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(Subset::VERTEX_INPUT_INTERFACE);
        let library = base.flags(vk::PipelineCreateFlags::LIBRARY_KHR);
        let first = create(library.vertex_input_state(&input).input_assembly_state(&assembly).push_next(&mut first));
        let mut second = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(Subset::PRE_RASTERIZATION_SHADERS);
        let info =
            library.stages(&stages).rasterization_state(&raster).push_next(&mut second).push_next(&mut rendering);
        // (Nothing is seen, so these two could be left out; the validation layer of Debian 12 does not survive that.)
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let depth = vk::PipelineDepthStencilStateCreateInfo::default();
        let blend = vk::PipelineColorBlendStateCreateInfo::default();
        let mut third = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(Subset::FRAGMENT_SHADER);
        let mut again = vk::PipelineRenderingCreateInfo::default();
        let shader = library.depth_stencil_state(&depth).multisample_state(&samples);
        let shader = create(shader.push_next(&mut third).push_next(&mut again));
        let mut fourth = vk::GraphicsPipelineLibraryCreateInfoEXT::default().flags(Subset::FRAGMENT_OUTPUT_INTERFACE);
        let mut again = vk::PipelineRenderingCreateInfo::default();
        let output = library.color_blend_state(&blend).multisample_state(&samples);
        let output = create(output.push_next(&mut fourth).push_next(&mut again));
        let libraries = vec![first, create(info), shader, output];
        let mut link = vk::PipelineLibraryCreateInfoKHR::default().libraries(&libraries);
        let linked = create(vk::GraphicsPipelineCreateInfo::default().layout(self.layout).push_next(&mut link));
        (linked, libraries)
    }

    /// Pushes the block that begins at a byte, by a template or without.
    fn push(&self, c: vk::CommandBuffer, at: u64, template: bool) {
        let push = self.client.push();
        let info = [vk::DescriptorBufferInfo { buffer: self.adds.handle, offset: at, range: 16 }];
        // SAFETY: as above.
        unsafe {
            if template {
                let data = (0u64, info[0]);
                let data: *const c_void = (&raw const data.1).cast::<u8>().sub(8).cast();
                (push.cmd_push_descriptor_set_with_template_khr)(c, self.template, self.layout, 0, data);
            } else {
                let write = [vk::WriteDescriptorSet::default()
                    .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                    .buffer_info(&info)];
                (push.cmd_push_descriptor_set_khr)(
                    c,
                    vk::PipelineBindPoint::GRAPHICS,
                    self.layout,
                    0,
                    1,
                    write.as_ptr(),
                );
            }
        }
    }

    /// In a rendering without attachments.
    fn rendering(&self, c: vk::CommandBuffer, inside: impl FnOnce()) {
        let area = vk::Rect2D { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        // SAFETY: as above.
        unsafe {
            self.client.device.cmd_begin_rendering(c, &info);
            inside();
            self.client.device.cmd_end_rendering(c);
        }
    }

    /// Everything that was captured is there for whatever follows.
    fn wait(&self, c: vk::CommandBuffer) {
        use vk::{AccessFlags as Access, PipelineStageFlags as Stage};
        let barrier = [vk::MemoryBarrier::default()
            .src_access_mask(Access::TRANSFORM_FEEDBACK_WRITE_EXT | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT)
            .dst_access_mask(
                Access::TRANSFORM_FEEDBACK_COUNTER_READ_EXT
                    | Access::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT
                    | Access::TRANSFORM_FEEDBACK_WRITE_EXT
                    | Access::INDIRECT_COMMAND_READ
                    | Access::VERTEX_ATTRIBUTE_READ
                    | Access::HOST_READ,
            )];
        let after = Stage::DRAW_INDIRECT | Stage::VERTEX_INPUT | Stage::TRANSFORM_FEEDBACK_EXT | Stage::HOST;
        let none = vk::DependencyFlags::empty();
        // SAFETY: as above.
        unsafe {
            let d = &self.client.device;
            d.cmd_pipeline_barrier(c, Stage::TRANSFORM_FEEDBACK_EXT, after, none, &barrier, &[], &[]);
        }
    }

    fn bind(&self, c: vk::CommandBuffer, pipeline: vk::Pipeline, captures: &[&Buffer], size: u64) {
        let (d, f) = (&self.client.device, &self.client.feedback);
        let handles: Vec<_> = captures.iter().map(|capture| capture.handle).collect();
        let (offsets, sizes) = (vec![0u64; handles.len()], vec![size; handles.len()]);
        // SAFETY: as above.
        unsafe {
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_bind_vertex_buffers(c, 0, &[self.vertices.handle], &[0]);
            let count = handles.len() as u32;
            let (handles, offsets, sizes) = (handles.as_ptr(), offsets.as_ptr(), sizes.as_ptr());
            (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, count, handles, offsets, sizes);
        }
    }

    fn begin(&self, c: vk::CommandBuffer) {
        // SAFETY: as above.
        unsafe {
            let (none, nowhere) = (std::ptr::null(), std::ptr::null());
            (self.client.feedback.cmd_begin_transform_feedback_ext)(c, 0, 0, none, nowhere);
        }
    }

    fn end(&self, c: vk::CommandBuffer, counter: Option<&Buffer>) {
        let counter = counter.map(|counter| counter.handle);
        let offset = [0u64];
        let (count, at) = if counter.is_some() { (1, offset.as_ptr()) } else { (0, std::ptr::null()) };
        let handle = counter.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
        // SAFETY: as above.
        unsafe { (self.client.feedback.cmd_end_transform_feedback_ext)(c, 0, count, handle, at) };
    }

    /// All answers of the queries, in every form.
    fn answers(&self) -> Vec<u8> {
        let d = &self.client.device;
        let mut all = Vec::new();
        // SAFETY: as above.
        unsafe {
            let mut long = [[0u64; 3]; QUERIES as usize];
            let wait = vk::QueryResultFlags::WAIT | vk::QueryResultFlags::WITH_AVAILABILITY;
            d.get_query_pool_results(self.pool, 0, &mut long, wait | vk::QueryResultFlags::TYPE_64).expect("answers");
            // (That there is an answer is said by any number but 0.)
            all.extend(long.iter().flat_map(|q| [q[0], q[1], u64::from(q[2] != 0)]).flat_map(u64::to_le_bytes));
            let mut short = [[0u32; 2]; 2];
            d.get_query_pool_results(self.pool, 1, &mut short, vk::QueryResultFlags::WAIT).expect("answers");
            all.extend(short.iter().flatten().flat_map(|n| n.to_le_bytes()));
        }
        let copied = self.client.buffer(Usage::TRANSFER_DST, &bytes([0; 32]));
        self.client.submit(1, |c| {
            let flags = vk::QueryResultFlags::WAIT | vk::QueryResultFlags::TYPE_64;
            // SAFETY: as above.
            unsafe { d.cmd_copy_query_pool_results(c, self.pool, 0, QUERIES, copied.handle, 0, 24, flags) };
        });
        all.extend(copied.bytes());
        self.client.destroy(copied);
        all
    }
}

/// Runs all of it: what it leaves.
pub(crate) fn run(client: &Client) -> Vec<u8> {
    use vk::PrimitiveTopology as Topology;
    let rig = Rig::new(client);
    let d = &client.device;
    let mut all = Vec::new();
    let filled = || bytes(std::iter::repeat_n(0xdead_beef, CAPTURE / 4));
    let capture = || client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::VERTEX_BUFFER, &filled());
    for how in [How::Whole, How::Linked, How::Inline, How::Dynamic] {
        for topology in [Topology::POINT_LIST, Topology::TRIANGLE_STRIP] {
            let (pipeline, libraries) = rig.pipeline(&[NUMBERS], topology, how);
            let captures = [capture(), capture(), capture()];
            let counter =
                client.buffer(Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER, &bytes([0]));
            let predicates = client.buffer(Usage::CONDITIONAL_RENDERING_EXT, &bytes([0, 1]));
            client.submit(1, |c| {
                let (f, multi, condition) = (&client.feedback, client.multi(), client.condition());
                // SAFETY: as in the client.
                unsafe {
                    d.cmd_reset_query_pool(c, rig.pool, 0, QUERIES);
                    if how == How::Dynamic {
                        let bindings = [vk::VertexInputBindingDescription2EXT::default().stride(8).divisor(1)];
                        let attributes =
                            [vk::VertexInputAttributeDescription2EXT::default().format(vk::Format::R32G32_UINT)];
                        (client.input().cmd_set_vertex_input_ext)(c, 1, bindings.as_ptr(), 1, attributes.as_ptr());
                    }
                    // A query in the middle of a capture, and room for half of what is drawn.
                    rig.bind(c, pipeline, &[&captures[0]], 16 * 20 + 8);
                    rig.push(c, 256, false);
                    rig.rendering(c, || {
                        rig.begin(c);
                        d.cmd_draw(c, 5, 2, 1, 1);
                        rig.push(c, 0, true);
                        (f.cmd_begin_query_indexed_ext)(c, rig.pool, 1, vk::QueryControlFlags::empty(), 0);
                        let draws = [(3, 4), (0, 1), (7, 3)]
                            .map(|(first_vertex, vertex_count)| vk::MultiDrawInfoEXT { first_vertex, vertex_count });
                        (multi.cmd_draw_multi_ext)(c, 3, draws.as_ptr(), 1, 0, 8);
                        (f.cmd_end_query_indexed_ext)(c, rig.pool, 1, 0);
                        rig.end(c, Some(&counter));
                    });
                    rig.wait(c);
                    rig.bind(c, pipeline, &[&captures[1]], CAPTURE as u64);
                    (f.cmd_begin_query_indexed_ext)(c, rig.pool, 0, vk::QueryControlFlags::empty(), 0);
                    rig.rendering(c, || {
                        rig.begin(c);
                        // As many as were captured, some bytes less.
                        d.cmd_bind_vertex_buffers(c, 0, &[captures[0].handle], &[0]);
                        (f.cmd_draw_indirect_byte_count_ext)(c, 2, 0, counter.handle, 0, 8, 16);
                        rig.end(c, None);
                    });
                    (f.cmd_end_query_indexed_ext)(c, rig.pool, 0, 0);
                    rig.wait(c);
                    // On a condition, which holds the second time.
                    rig.bind(c, pipeline, &[&captures[2]], CAPTURE as u64);
                    (f.cmd_begin_query_indexed_ext)(c, rig.pool, 2, vk::QueryControlFlags::empty(), 0);
                    rig.rendering(c, || {
                        rig.begin(c);
                        for (offset, first) in [(0, 2), (4, 9)] {
                            let info = vk::ConditionalRenderingBeginInfoEXT::default()
                                .buffer(predicates.handle)
                                .offset(offset);
                            (condition.cmd_begin_conditional_rendering_ext)(c, &info);
                            d.cmd_draw(c, 6, 1, first, 0);
                            (condition.cmd_end_conditional_rendering_ext)(c);
                        }
                        rig.end(c, None);
                    });
                    (f.cmd_end_query_indexed_ext)(c, rig.pool, 2, 0);
                    // One that nothing happens in.
                    (f.cmd_begin_query_indexed_ext)(c, rig.pool, 3, vk::QueryControlFlags::empty(), 0);
                    (f.cmd_end_query_indexed_ext)(c, rig.pool, 3, 0);
                    rig.wait(c);
                }
            });
            all.extend(captures.iter().flat_map(Buffer::bytes).chain(counter.bytes()));
            all.extend(rig.answers());
            // SAFETY: as in the client; the device is idle.
            unsafe {
                libraries.iter().chain([&pipeline]).for_each(|pipeline| d.destroy_pipeline(*pipeline, None));
            }
            captures.into_iter().chain([counter, predicates]).for_each(|buffer| client.destroy(buffer));
        }
    }
    all.extend(streams(&rig));
    rig.destroy();
    all
}

/// A geometry shader of two streams.
fn streams(rig: &Rig<'_>) -> Vec<u8> {
    let (client, d) = (rig.client, &rig.client.device);
    let filled = || bytes(std::iter::repeat_n(0xdead_beef, CAPTURE / 4));
    let (pipeline, _) = rig.pipeline(&[GIVEN, STREAMS], vk::PrimitiveTopology::POINT_LIST, How::Whole);
    let captures = [0, 1].map(|_| client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &filled()));
    client.submit(1, |c| {
        let f = &client.feedback;
        // SAFETY: as in the client.
        unsafe {
            d.cmd_reset_query_pool(c, rig.pool, 0, QUERIES);
            rig.bind(c, pipeline, &[&captures[0], &captures[1]], 12 * 25);
            rig.push(c, 0, false);
            for stream in 0..QUERIES {
                (f.cmd_begin_query_indexed_ext)(c, rig.pool, stream, vk::QueryControlFlags::empty(), stream);
            }
            rig.rendering(c, || {
                rig.begin(c);
                d.cmd_draw(c, 11, 1, 2, 0);
                d.cmd_draw(c, 7, 2, 20, 3);
                rig.end(c, None);
            });
            (0..QUERIES).for_each(|stream| (f.cmd_end_query_indexed_ext)(c, rig.pool, stream, stream));
            rig.wait(c);
        }
    });
    let mut all: Vec<u8> = captures.iter().flat_map(Buffer::bytes).collect();
    all.extend(rig.answers());
    // SAFETY: as in the client; the device is idle.
    unsafe { d.destroy_pipeline(pipeline, None) };
    captures.into_iter().for_each(|buffer| client.destroy(buffer));
    all
}

/// Pipelines whose captures cannot be lowered, each created beside one whose can: what creating them gives, and whether the program goes on.
pub(crate) fn refused(client: &Client) -> Vec<u8> {
    let rig = Rig::new(client);
    let d = &client.device;
    let sources: [(&[u8], Stages); 4] = [
        (include_bytes!("shaders/patch.tesc.spv"), Stages::TESSELLATION_CONTROL),
        (include_bytes!("shaders/patch.tese.spv"), Stages::TESSELLATION_EVALUATION),
        (include_bytes!("shaders/both.vert.spv"), Stages::VERTEX),
        (include_bytes!("shaders/counts.vert.spv"), Stages::VERTEX),
    ];
    // SAFETY: as in the client.
    unsafe {
        let binding = [vk::DescriptorSetLayoutBinding::default()
            .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
            .descriptor_count(1)
            .stage_flags(Stages::VERTEX)];
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&binding);
        let sets = [d.create_descriptor_set_layout(&info, None).expect("a set layout")];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        let stores = d.create_pipeline_layout(&info, None).expect("a layout");
        let modules = sources.map(|(bytes, _)| {
            let words = code(bytes);
            d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None).expect("a module")
        });
        let stage =
            |module, stage| vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
        let other = |n: usize| stage(modules[n], sources[n].1);
        let whole = [stage(rig.modules[NUMBERS], Stages::VERTEX)];
        let cases = [
            ("tessellated", vec![stage(rig.modules[GIVEN], Stages::VERTEX), other(0), other(1)], rig.layout),
            ("stores", vec![other(2)], stores),
            ("counts", vec![other(3)], stores),
        ];
        let bindings = [vk::VertexInputBindingDescription { binding: 0, stride: 8, ..Default::default() }];
        let attributes =
            [vk::VertexInputAttributeDescription { format: vk::Format::R32G32_UINT, ..Default::default() }];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let none = vk::PipelineVertexInputStateCreateInfo::default();
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default();
        let (patch, point) = (
            assembly.topology(vk::PrimitiveTopology::PATCH_LIST),
            assembly.topology(vk::PrimitiveTopology::POINT_LIST),
        );
        let patches = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let raster =
            vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(true).line_width(1.0);
        let mut said = String::new();
        let mut all = Vec::new();
        for (name, stages, layout) in &cases {
            let tessellated = stages.len() > 1;
            let mut renderings = [vk::PipelineRenderingCreateInfo::default(); 2];
            let [first, second] = &mut renderings;
            let base = vk::GraphicsPipelineCreateInfo::default().rasterization_state(&raster);
            let good = base.stages(&whole).vertex_input_state(&input).input_assembly_state(&point).layout(rig.layout);
            let bad = base
                .stages(stages)
                .vertex_input_state(if tessellated { &input } else { &none })
                .input_assembly_state(if tessellated { &patch } else { &point })
                .tessellation_state(&patches)
                .layout(*layout);
            let infos = [good.push_next(first), bad.push_next(second)];
            let (made, result) = match d.create_graphics_pipelines(vk::PipelineCache::null(), &infos, None) {
                Ok(made) => (made, vk::Result::SUCCESS),
                Err((made, error)) => (made, error),
            };
            let there: Vec<_> = made.iter().map(|pipeline| *pipeline != vk::Pipeline::null()).collect();
            said += &format!("{name}: {result:?}, {there:?}\n");
            // The one that was made captures, whatever became of the other.
            let filled = bytes(std::iter::repeat_n(0xdead_beef, CAPTURE / 4));
            let capture = client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &filled);
            client.submit(1, |c| {
                rig.bind(c, made[0], &[&capture], CAPTURE as u64);
                rig.push(c, 256, false);
                rig.rendering(c, || {
                    rig.begin(c);
                    d.cmd_draw(c, 5, 2, 1, 1);
                    rig.end(c, None);
                });
            });
            all.extend(capture.bytes());
            client.destroy(capture);
            made.iter().for_each(|pipeline| d.destroy_pipeline(*pipeline, None));
        }
        modules.iter().for_each(|module| d.destroy_shader_module(*module, None));
        d.destroy_pipeline_layout(stores, None);
        d.destroy_descriptor_set_layout(sets[0], None);
        rig.destroy();
        said.into_bytes().into_iter().chain(all).collect()
    }
}

/// Numbers that look random, the same ones for a seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u32) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % u64::from(end)) as u32
    }
}

/// Command buffers of a random lot of legal commands: what they leave.
pub(crate) fn random(client: &Client) -> Vec<u8> {
    use vk::PrimitiveTopology as Topology;
    let rig = Rig::new(client);
    let made: Vec<_> = [
        (Topology::POINT_LIST, How::Whole),
        (Topology::LINE_STRIP, How::Linked),
        (Topology::TRIANGLE_LIST, How::Dynamic),
        (Topology::TRIANGLE_FAN, How::Inline),
        (Topology::TRIANGLE_STRIP, How::Dynamic),
    ]
    .map(|(topology, how)| rig.pipeline(&[NUMBERS], topology, how))
    .into();
    let pipelines: Vec<_> = made.iter().map(|made| made.0).collect();
    // `AFTERIMAGE_LAYER_TEST_SEQUENCES=N` for more than are soon done.
    let wished = std::env::var("AFTERIMAGE_LAYER_TEST_SEQUENCES").ok().and_then(|number| number.parse().ok());
    let seeds = 0..wished.unwrap_or(48u64);
    let all = seeds.flat_map(|seed| sequence(&rig, &pipelines, &mut Random(seed * 7 + 1))).collect();
    for (pipeline, libraries) in made {
        // SAFETY: as in the client; the device is idle.
        unsafe { libraries.iter().chain([&pipeline]).for_each(|each| client.device.destroy_pipeline(*each, None)) };
    }
    rig.destroy();
    all
}

fn sequence(rig: &Rig<'_>, pipelines: &[vk::Pipeline], random: &mut Random) -> Vec<u8> {
    let (client, d, f) = (rig.client, &rig.client.device, &rig.client.feedback);
    let filled = || bytes(std::iter::repeat_n(0xdead_beef, CAPTURE / 4));
    let usage = Usage::TRANSFORM_FEEDBACK_BUFFER_EXT;
    let captures = [client.buffer(usage, &filled()), client.buffer(usage, &filled())];
    let usage = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::INDIRECT_BUFFER;
    let counter = client.buffer(usage, &bytes([0, 0]));
    let numbers = (0..4).flat_map(|n| [n + 2, n % 3, n, n * 2]);
    let arguments = client.buffer(Usage::INDIRECT_BUFFER, &bytes(numbers));
    let counts = client.buffer(Usage::INDIRECT_BUFFER, &bytes(0..5));
    let predicates = client.buffer(Usage::CONDITIONAL_RENDERING_EXT, &bytes([0, 1]));
    let none = vk::QueryControlFlags::empty();
    client.submit(1, |c| {
        // SAFETY: as in the client.
        unsafe {
            d.cmd_reset_query_pool(c, rig.pool, 0, QUERIES);
            let bindings = [vk::VertexInputBindingDescription2EXT::default().stride(8).divisor(1)];
            let attributes = [vk::VertexInputAttributeDescription2EXT::default().format(vk::Format::R32G32_UINT)];
            let (mut captured, mut queries) = ([false; 2], 0);
            // (Lavapipe takes the last number of draws out of a buffer for that of all indirect draws behind it.)
            let counted = random.below(2) == 0;
            for _ in 0..1 + random.below(4) {
                let (to, size) = (random.below(2) as usize, 4 * u64::from(1 + random.below(200)));
                let pipeline = random.below(pipelines.len() as u32) as usize;
                (client.input().cmd_set_vertex_input_ext)(c, 1, bindings.as_ptr(), 1, attributes.as_ptr());
                rig.bind(c, pipelines[pipeline], &[&captures[to]], size);
                rig.push(c, 256 * u64::from(random.below(2)), random.below(2) == 0);
                let around = queries < QUERIES && random.below(3) == 0;
                if around {
                    (f.cmd_begin_query_indexed_ext)(c, rig.pool, queries, none, 0);
                }
                rig.rendering(c, || {
                    // A draw of what was captured, of which nothing is.
                    if captured[to] && random.below(3) == 0 {
                        (f.cmd_draw_indirect_byte_count_ext)(c, 1, 0, counter.handle, 4 * to as u64, 0, 16);
                    }
                    if random.below(3) > 0 {
                        let at = [4 * to as u64];
                        let goes_on = captured[to] && random.below(2) == 0;
                        let known = if goes_on {
                            (1, &raw const counter.handle, at.as_ptr())
                        } else {
                            (0, std::ptr::null(), std::ptr::null())
                        };
                        (f.cmd_begin_transform_feedback_ext)(c, 0, known.0, known.1, known.2);
                        let inside = !around && queries < QUERIES && random.below(3) == 0;
                        if inside {
                            (f.cmd_begin_query_indexed_ext)(c, rig.pool, queries, none, 0);
                        }
                        for _ in 0..random.below(5) {
                            let condition = random.below(4);
                            if condition < 2 {
                                let info = vk::ConditionalRenderingBeginInfoEXT::default()
                                    .buffer(predicates.handle)
                                    .offset(4 * u64::from(condition));
                                (client.condition().cmd_begin_conditional_rendering_ext)(c, &info);
                            }
                            match random.below(5) {
                                0 => d.cmd_draw(c, random.below(9), random.below(3), random.below(9), random.below(3)),
                                1 | 2 if counted => {
                                    let (at, most) = (4 * u64::from(random.below(5)), random.below(5));
                                    d.cmd_draw_indirect_count(c, arguments.handle, 0, counts.handle, at, most, 16);
                                }
                                1 | 2 => {
                                    let at = 16 * u64::from(random.below(4));
                                    d.cmd_draw_indirect(c, arguments.handle, at, 1, 16);
                                }
                                3 => {
                                    // (Where the first is of no vertices, lavapipe draws none of them.)
                                    let draws = [1, 0, 0].map(|least| vk::MultiDrawInfoEXT {
                                        first_vertex: random.below(9),
                                        vertex_count: least + random.below(7),
                                    });
                                    (client.multi().cmd_draw_multi_ext)(c, 3, draws.as_ptr(), 1, random.below(2), 8);
                                }
                                _ => rig.push(c, 256 * u64::from(random.below(2)), random.below(2) == 0),
                            }
                            if condition < 2 {
                                (client.condition().cmd_end_conditional_rendering_ext)(c);
                            }
                        }
                        if inside {
                            (f.cmd_end_query_indexed_ext)(c, rig.pool, queries, 0);
                            queries += 1;
                        }
                        (f.cmd_end_transform_feedback_ext)(c, 0, 1, &raw const counter.handle, at.as_ptr());
                    }
                });
                captured[to] = true;
                if around {
                    (f.cmd_end_query_indexed_ext)(c, rig.pool, queries, 0);
                    queries += 1;
                }
                rig.wait(c);
            }
            for query in queries..QUERIES {
                (f.cmd_begin_query_indexed_ext)(c, rig.pool, query, none, 0);
                (f.cmd_end_query_indexed_ext)(c, rig.pool, query, 0);
            }
        }
    });
    let mut all: Vec<u8> = captures.iter().flat_map(Buffer::bytes).chain(counter.bytes()).collect();
    all.extend(rig.answers());
    captures.into_iter().chain([counter, arguments, counts, predicates]).for_each(|buffer| client.destroy(buffer));
    all
}
