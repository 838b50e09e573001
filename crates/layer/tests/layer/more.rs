//! What [`scenes`](crate::scenes) does not have: queries, draws of what was captured, geometry shaders and streams, libraries of pipelines,
//! pushed descriptors, dynamic vertex input, several draws in a command, conditional rendering.

use crate::client::{Buffer, Client};
use crate::parts::{self, Drawn, GIVEN, NUMBERS, SOURCES, STAGES, STREAMS, Target, bytes, rendering, untouched, words};
use ash::vk::{self, BufferUsageFlags as Usage, ShaderStageFlags as Stages};
use std::ffi::c_void;

const VERTICES: u32 = 40;
/// Bytes of a capture buffer.
pub(crate) const CAPTURE: usize = 4 << 10;
pub(crate) const QUERIES: u32 = 4;

/// What pipelines of all scenes have.
pub(crate) struct Rig<'a> {
    pub(crate) client: &'a Client,
    pub(crate) set_layout: vk::DescriptorSetLayout,
    pub(crate) layout: vk::PipelineLayout,
    template: vk::DescriptorUpdateTemplate,
    /// Of [`SOURCES`].
    pub(crate) modules: Vec<vk::ShaderModule>,
    pub(crate) vertices: Buffer,
    adds: Buffer,
    pub(crate) pool: vk::QueryPool,
}

/// How a pipeline comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    Whole,
    /// Linked of libraries.
    Linked,
    /// With the code in the stage, in place of a module.
    Inline,
    /// With vertex input as dynamic state.
    Dynamic,
}

impl<'a> Rig<'a> {
    pub(crate) fn new(client: &'a Client) -> Self {
        let d = &client.device;
        // SAFETY: as in the client, here and below.
        unsafe {
            let pushed = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
            let binding = (0, vk::DescriptorType::UNIFORM_BUFFER, Stages::VERTEX);
            let set_layout = parts::set_layout(d, pushed, &[binding]).expect("a set layout");
            let layout = parts::layout(d, &[set_layout]).expect("a layout");
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
            let modules = SOURCES.iter().map(|source| parts::module(d, source).expect("a module")).collect();
            let info = vk::QueryPoolCreateInfo::default()
                .query_type(vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT)
                .query_count(QUERIES);
            let pool = d.create_query_pool(&info, None).expect("a pool");
            let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes((0..2 * VERTICES).map(|n| n * 3 + 1)));
            let adds = client.buffer(Usage::UNIFORM_BUFFER, &bytes((0..128).map(|n| n * 1000)));
            Self { client, set_layout, layout, template, modules, vertices, adds, pool }
        }
    }

    pub(crate) fn destroy(self) {
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

    /// A pipeline, behind the libraries that it was made of.
    pub(crate) fn pipeline(
        &self,
        shaders: &[usize],
        topology: vk::PrimitiveTopology,
        how: How,
        target: Target,
    ) -> Vec<vk::Pipeline> {
        let d = &self.client.device;
        let words = words(SOURCES[NUMBERS]);
        let mut inline = vk::ShaderModuleCreateInfo::default().code(&words);
        let stages: Vec<_> = if how == How::Inline {
            vec![parts::stage(Stages::VERTEX, vk::ShaderModule::null()).push_next(&mut inline)]
        } else {
            shaders.iter().map(|n| parts::stage(STAGES[*n], self.modules[*n])).collect()
        };
        let dynamic = how == How::Dynamic;
        let drawn = Drawn { topology, dynamic, target, ..Drawn::points(self.layout, &stages) };
        if how == How::Linked {
            drawn.linked(d).expect("pipelines")
        } else {
            vec![drawn.pipeline(d).expect("a pipeline")]
        }
    }

    /// Pushes the block that begins at a byte, by a template or without.
    pub(crate) fn push(&self, c: vk::CommandBuffer, at: u64, template: bool) {
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

    /// Everything that was captured is there for whatever follows.
    pub(crate) fn wait(&self, c: vk::CommandBuffer) {
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

    pub(crate) fn bind(&self, c: vk::CommandBuffer, pipeline: vk::Pipeline, captures: &[&Buffer], size: u64) {
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
    pub(crate) fn answers(&self) -> Vec<u8> {
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
    let capture = || client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT | Usage::VERTEX_BUFFER, &untouched(CAPTURE));
    for how in [How::Whole, How::Linked, How::Inline, How::Dynamic] {
        for topology in [Topology::POINT_LIST, Topology::TRIANGLE_STRIP] {
            let pipelines = rig.pipeline(&[NUMBERS], topology, how, Target::Nothing);
            let pipeline = pipelines[pipelines.len() - 1];
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
                    rendering(d, c, || {
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
                    rendering(d, c, || {
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
                    rendering(d, c, || {
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
            unsafe { pipelines.iter().for_each(|pipeline| d.destroy_pipeline(*pipeline, None)) };
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
    let pipeline = rig.pipeline(&[GIVEN, STREAMS], vk::PrimitiveTopology::POINT_LIST, How::Whole, Target::Nothing)[0];
    let captures = [0, 1].map(|_| client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE)));
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
            rendering(d, c, || {
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
        let binding = (0, vk::DescriptorType::STORAGE_BUFFER, Stages::VERTEX);
        let none = vk::DescriptorSetLayoutCreateFlags::empty();
        let sets = [parts::set_layout(d, none, &[binding]).expect("a set layout")];
        let stores = parts::layout(d, &sets).expect("a layout");
        let modules = sources.map(|(source, _)| parts::module(d, source).expect("a module"));
        let other = |n: usize| parts::stage(sources[n].1, modules[n]);
        let whole = [parts::stage(Stages::VERTEX, rig.modules[NUMBERS])];
        let cases = [
            ("tessellated", vec![parts::stage(Stages::VERTEX, rig.modules[GIVEN]), other(0), other(1)], rig.layout),
            ("stores", vec![other(2)], stores),
            ("counts", vec![other(3)], stores),
        ];
        let none = vk::PipelineVertexInputStateCreateInfo::default();
        let patches = vk::PipelineTessellationStateCreateInfo::default().patch_control_points(3);
        let mut said = String::new();
        let mut all = Vec::new();
        for (name, stages, layout) in &cases {
            let tessellated = stages.len() > 1;
            let good = Drawn::points(rig.layout, &whole);
            let patch = vk::PrimitiveTopology::PATCH_LIST;
            let bad = Drawn::points(*layout, stages);
            let bad = if tessellated { Drawn { topology: patch, ..bad } } else { bad };
            let made = good.with(|good| {
                bad.with(|bad| {
                    let bad = bad.tessellation_state(&patches);
                    let bad = if tessellated { bad } else { bad.vertex_input_state(&none) };
                    d.create_graphics_pipelines(vk::PipelineCache::null(), &[good, bad], None)
                })
            });
            let (made, result) = match made {
                Ok(made) => (made, vk::Result::SUCCESS),
                Err((made, error)) => (made, error),
            };
            let there: Vec<_> = made.iter().map(|pipeline| *pipeline != vk::Pipeline::null()).collect();
            said += &format!("{name}: {result:?}, {there:?}\n");
            // The one that was made captures, whatever became of the other.
            let capture = client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE));
            client.submit(1, |c| {
                rig.bind(c, made[0], &[&capture], CAPTURE as u64);
                rig.push(c, 256, false);
                rendering(d, c, || {
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
