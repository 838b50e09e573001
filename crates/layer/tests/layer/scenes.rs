//! What is captured.

use crate::client::{self, Buffer, Client, Wish};
use crate::parts::{self, bytes, untouched};
use crate::sets;
use ash::vk::{self, BufferUsageFlags as Usage, ShaderStageFlags as Stages};

const SIDE: u32 = 32;
const VERTICES: u32 = 32;
/// Bytes of a capture buffer.
const CAPTURE: usize = 16 << 10;
/// Push constants: those of the vertex shader, and of the fragment shader behind them.
const PUSH: [f32; 4] = [0.5, 0.25, 0.75, 0.9];

/// Runs a scene: what it leaves.
pub(crate) fn run(name: &str) -> Vec<u8> {
    if ["threads", "again"].contains(&name) {
        client::keep_driver();
    }
    if name == "threads" {
        // Each with an instance and a device of its own, at once, and one behind the other.
        let once = || run("more").into_iter().chain(run("dynamic"));
        return std::thread::scope(|scope| {
            let threads: Vec<_> = (0..3).map(|_| scope.spawn(|| once().chain(once()).collect::<Vec<u8>>())).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("the thread's end")).collect()
        });
    }
    if let Some(scene) = [
        ("devices", crate::survive::devices as fn() -> Vec<u8>),
        ("memory", crate::survive::memory),
        ("lost", crate::survive::lost),
        ("again", crate::survive::again),
        ("random", crate::random::random),
        ("descriptor buffers", || sets::with(Wish::DescriptorBuffers, sets::descriptor_buffers)),
        ("embedded samplers", || sets::with(Wish::Both, crate::samplers::run)),
        ("objects", || sets::with(Wish::Objects, crate::objects::shaders)),
        ("identified", crate::objects::identified),
        ("robust", || sets::with(Wish::Robust, crate::robust::run)),
        ("maintenance6", || sets::with(Wish::Maintenance6, sets::maintenance6)),
    ]
    .iter()
    .find(|scene| scene.0 == name)
    {
        return scene.1();
    }
    let client = Client::new();
    if name == "report" {
        let report = client.report().into_bytes();
        client.finish();
        return report;
    }
    if let Some(scene) = [
        ("more", crate::more::run as fn(&Client) -> Vec<u8>),
        ("refused", crate::more::refused),
        ("subpasses", crate::subpasses::fine),
        ("behind", crate::subpasses::behind),
        ("views", crate::views::run),
    ]
    .iter()
    .find(|scene| scene.0 == name)
    {
        let left = scene.1(&client);
        client.finish();
        return left;
    }
    let rig = Rig::new(&client);
    let how = match name {
        "passes" => How::Pass,
        "secondary" => How::Secondary,
        _ => How::Dynamic,
    };
    let mut all = Vec::new();
    for case in cases(name == "state") {
        // A secondary command buffer is recorded once for all rounds.
        if case.resume && how == How::Secondary {
            continue;
        }
        all.extend(rig.draw(&case, how));
    }
    rig.destroy();
    client.finish();
    all
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum How {
    Dynamic,
    Pass,
    Secondary,
}

/// A capture.
#[derive(Clone, Copy)]
struct Case {
    topology: vk::PrimitiveTopology,
    count: u32,
    first: u32,
    instances: u32,
    first_instance: u32,
    indexed: bool,
    restart: bool,
    discard: bool,
    /// Bytes of the bound ranges.
    sizes: [u64; 2],
    /// How often it is drawn.
    draws: u32,
    /// Topology and strides are dynamic state.
    dynamic: bool,
    indirect: bool,
    /// Compute before and behind, with what was bound and pushed before.
    compute: bool,
    /// Whether feedback is ended and begun again between draws.
    resume: bool,
}

fn cases(state: bool) -> Vec<Case> {
    use vk::PrimitiveTopology as T;
    let all = [T::POINT_LIST, T::LINE_LIST, T::LINE_STRIP, T::TRIANGLE_LIST, T::TRIANGLE_STRIP, T::TRIANGLE_FAN];
    let mut cases = Vec::new();
    for topology in all {
        let plain = Case {
            topology,
            count: 11,
            first: 0,
            instances: 1,
            first_instance: 0,
            indexed: false,
            restart: false,
            discard: false,
            sizes: [CAPTURE as u64; 2],
            draws: 1,
            dynamic: false,
            indirect: false,
            compute: state,
            resume: false,
        };
        let strip = [T::LINE_STRIP, T::TRIANGLE_STRIP, T::TRIANGLE_FAN].contains(&topology);
        cases.push(plain);
        cases.push(Case { discard: true, count: 2, ..plain });
        cases.push(Case { first: 3, first_instance: 2, instances: 3, dynamic: true, ..plain });
        cases.push(Case { sizes: [48 * 7 + 4, 28 * 64], instances: 3, draws: 2, ..plain });
        // The indices behind the last restart.
        let behind = Case { indexed: true, first: 12, count: 7, ..plain };
        cases.push(Case { instances: 2, ..behind });
        let all = Case { indexed: true, restart: true, count: 18, ..plain };
        cases.push(Case { dynamic: true, draws: 2, ..if strip { all } else { behind } });
        cases.push(Case { indirect: true, instances: 2, ..plain });
        cases.push(Case { indirect: true, discard: true, ..if strip { all } else { behind } });
        cases.push(Case { draws: 3, resume: true, ..plain });
    }
    cases
}

const INDICES: [u16; 20] = [4, 2, 9, 0xffff, 1, 1, 3, 8, 0, 7, 0xffff, 0xffff, 5, 6, 10, 11, 2, 0, 12, 13];

struct Rig<'a> {
    client: &'a Client,
    set_layouts: [vk::DescriptorSetLayout; 3],
    layouts: [vk::PipelineLayout; 2],
    pool: vk::DescriptorPool,
    sets: [vk::DescriptorSet; 3],
    modules: Vec<vk::ShaderModule>,
    compute: vk::Pipeline,
    buffers: Vec<Buffer>,
    image: (vk::Image, vk::DeviceMemory, vk::ImageView),
    pass: vk::RenderPass,
    framebuffer: vk::Framebuffer,
}

/// Places of `buffers`.
const VERTEX: usize = 0;
const INSTANCE: usize = 1;
const INDEX: usize = 2;
const SHEET: usize = 3;
const TINTS: usize = 4;
const WORDS: usize = 5;

fn numbers(count: u32, seed: u32) -> impl Iterator<Item = u32> {
    (0..count).map(move |n| (((n * 29 + seed * 7) % 41) as f32 * 0.0625 - 1.25).to_bits())
}

impl<'a> Rig<'a> {
    fn new(client: &'a Client) -> Self {
        let d = &client.device;
        let vertex = |n: u32| numbers(3, n).chain([n.wrapping_mul(0x9e37_79b9), (n % 12) | ((n * 77) << 16)]);
        let indices: Vec<u8> = INDICES.iter().flat_map(|index| index.to_le_bytes()).collect();
        let buffers = vec![
            client.buffer(Usage::VERTEX_BUFFER, &bytes((0..VERTICES).flat_map(vertex))),
            client.buffer(Usage::VERTEX_BUFFER, &bytes((0..VERTICES).flat_map(|n| numbers(2, n + 100)))),
            client.buffer(Usage::INDEX_BUFFER, &indices),
            client.buffer(Usage::UNIFORM_BUFFER, &bytes(numbers(32, 3))),
            client.buffer(Usage::UNIFORM_BUFFER, &bytes(numbers(3, 5).chain([0x1234]))),
            client.buffer(Usage::STORAGE_BUFFER, &bytes(0..8)),
        ];
        // SAFETY: as in the client.
        unsafe {
            let ty = [
                vk::DescriptorType::UNIFORM_BUFFER,
                vk::DescriptorType::UNIFORM_BUFFER,
                vk::DescriptorType::STORAGE_BUFFER,
            ];
            let places = [0, 3, 0];
            let stages = [Stages::VERTEX, Stages::VERTEX, Stages::COMPUTE];
            let flags = vk::DescriptorSetLayoutCreateFlags::empty();
            let set_layouts = [0, 1, 2]
                .map(|n: usize| parts::set_layout(d, flags, &[(places[n], ty[n], stages[n])]).expect("a set layout"));
            let ranges = [
                vk::PushConstantRange { stage_flags: Stages::VERTEX, offset: 0, size: 12 },
                vk::PushConstantRange { stage_flags: Stages::FRAGMENT, offset: 12, size: 4 },
            ];
            let info =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts[..2]).push_constant_ranges(&ranges);
            let graphics = d.create_pipeline_layout(&info, None).expect("a layout");
            let ranges = [vk::PushConstantRange { stage_flags: Stages::COMPUTE, offset: 0, size: 4 }];
            let info =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&set_layouts[2..]).push_constant_ranges(&ranges);
            let layouts = [graphics, d.create_pipeline_layout(&info, None).expect("a layout")];
            let sizes = ty.map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 1 });
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(3).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&info, None).expect("a pool");
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&set_layouts);
            let sets: [vk::DescriptorSet; 3] =
                d.allocate_descriptor_sets(&info).expect("sets").try_into().expect("three");
            for n in 0..3 {
                let info =
                    [vk::DescriptorBufferInfo::default().buffer(buffers[SHEET + n].handle).range(vk::WHOLE_SIZE)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(sets[n])
                    .dst_binding(places[n])
                    .descriptor_type(ty[n])
                    .buffer_info(&info);
                d.update_descriptor_sets(&[write], &[]);
            }
            let sources: [&[u8]; 3] = [
                include_bytes!("shaders/waves.vert.spv"),
                include_bytes!("shaders/paint.frag.spv"),
                include_bytes!("shaders/count.comp.spv"),
            ];
            let modules: Vec<_> = sources.iter().map(|source| parts::module(d, source).expect("a module")).collect();
            let stage = parts::stage(Stages::COMPUTE, modules[2]);
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layouts[1]);
            let compute = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None).expect("a pipeline")[0];
            let image = client.image(SIDE);
            let attachment = [vk::AttachmentDescription::default()
                .format(vk::Format::R8G8B8A8_UNORM)
                .samples(vk::SampleCountFlags::TYPE_1)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .initial_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                .final_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)];
            let colour = [vk::AttachmentReference { attachment: 0, layout: vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL }];
            let subpass = [vk::SubpassDescription::default().color_attachments(&colour)];
            let info = vk::RenderPassCreateInfo::default().attachments(&attachment).subpasses(&subpass);
            let pass = d.create_render_pass(&info, None).expect("a render pass");
            let views = [image.2];
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(&views)
                .width(SIDE)
                .height(SIDE)
                .layers(1);
            let framebuffer = d.create_framebuffer(&info, None).expect("a framebuffer");
            Self { client, set_layouts, layouts, pool, sets, modules, compute, buffers, image, pass, framebuffer }
        }
    }

    fn pipeline(&self, case: &Case, how: How) -> vk::Pipeline {
        let stages = [(0, Stages::VERTEX), (1, Stages::FRAGMENT)];
        let stages = stages.map(|(n, stage): (usize, _)| parts::stage(stage, self.modules[n]));
        let stages = if case.discard { &stages[..1] } else { &stages[..] };
        let bindings = [
            vk::VertexInputBindingDescription { binding: 0, stride: 20, input_rate: vk::VertexInputRate::VERTEX },
            vk::VertexInputBindingDescription { binding: 1, stride: 8, input_rate: vk::VertexInputRate::INSTANCE },
        ];
        let attribute = |location, binding, format, offset| vk::VertexInputAttributeDescription {
            location,
            binding,
            format,
            offset,
        };
        let attributes = [
            attribute(0, 0, vk::Format::R32G32B32_SFLOAT, 0),
            attribute(1, 0, vk::Format::R8G8B8A8_UNORM, 12),
            attribute(2, 1, vk::Format::R32G32_SFLOAT, 0),
            attribute(4, 0, vk::Format::R16G16_UINT, 16),
            // Nobody reads it.
            attribute(7, 0, vk::Format::R32_SFLOAT, 0),
        ];
        let input = vk::PipelineVertexInputStateCreateInfo::default()
            .vertex_binding_descriptions(&bindings)
            .vertex_attribute_descriptions(&attributes);
        let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
            .topology(case.topology)
            .primitive_restart_enable(case.restart);
        let viewport = [vk::Viewport { width: SIDE as f32, height: SIDE as f32, max_depth: 1.0, ..Default::default() }];
        let scissor = [vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() }];
        let viewport = vk::PipelineViewportStateCreateInfo::default().viewports(&viewport).scissors(&scissor);
        let raster =
            vk::PipelineRasterizationStateCreateInfo::default().rasterizer_discard_enable(case.discard).line_width(1.0);
        let samples =
            vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(vk::SampleCountFlags::TYPE_1);
        let blend = [vk::PipelineColorBlendAttachmentState::default().color_write_mask(vk::ColorComponentFlags::RGBA)];
        let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blend);
        let states = [vk::DynamicState::PRIMITIVE_TOPOLOGY, vk::DynamicState::VERTEX_INPUT_BINDING_STRIDE];
        let dynamic =
            vk::PipelineDynamicStateCreateInfo::default().dynamic_states(if case.dynamic { &states } else { &[] });
        let formats = [vk::Format::R8G8B8A8_UNORM];
        let mut rendering = vk::PipelineRenderingCreateInfo::default().color_attachment_formats(&formats);
        let mut info = vk::GraphicsPipelineCreateInfo::default()
            .stages(stages)
            .vertex_input_state(&input)
            .input_assembly_state(&assembly)
            .viewport_state(&viewport)
            .rasterization_state(&raster)
            .multisample_state(&samples)
            .color_blend_state(&blend)
            .dynamic_state(&dynamic)
            .layout(self.layouts[0]);
        info = if how == How::Dynamic { info.push_next(&mut rendering) } else { info.render_pass(self.pass) };
        // SAFETY: as in the client.
        unsafe {
            self.client.device.create_graphics_pipelines(vk::PipelineCache::null(), &[info], None).expect("a pipeline")
                [0]
        }
    }

    /// Everything that a draw needs bound, and the draws.
    fn record(
        &self,
        c: vk::CommandBuffer,
        case: &Case,
        round: u32,
        pipeline: vk::Pipeline,
        arguments: &Buffer,
        captures: &[Buffer],
    ) {
        let (d, f) = (&self.client.device, &self.client.feedback);
        // SAFETY: as in the client.
        unsafe {
            d.cmd_bind_pipeline(c, vk::PipelineBindPoint::GRAPHICS, pipeline);
            d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::GRAPHICS, self.layouts[0], 0, &self.sets[..2], &[]);
            let handles = [self.buffers[VERTEX].handle, self.buffers[INSTANCE].handle];
            if case.dynamic {
                d.cmd_set_primitive_topology(c, case.topology);
                d.cmd_bind_vertex_buffers2(c, 0, &handles, &[0, 0], None, Some(&[20, 8]));
            } else {
                d.cmd_bind_vertex_buffers(c, 0, &handles, &[0, 0]);
            }
            d.cmd_bind_index_buffer(c, self.buffers[INDEX].handle, 0, vk::IndexType::UINT16);
            let bound = [captures[0].handle, captures[1].handle];
            (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, 2, bound.as_ptr(), [0, 0].as_ptr(), case.sizes.as_ptr());
            let counters = [captures[2].handle; 2];
            // Counters are written before they are read: in another render pass.
            let known = if round > 0 { 2 } else { 0 };
            (f.cmd_begin_transform_feedback_ext)(c, 0, known, counters.as_ptr(), [0, 4].as_ptr());
            for _ in 0..if case.resume { 1 } else { case.draws } {
                let (n, first) = (case.count, case.first);
                match (case.indirect, case.indexed) {
                    (false, false) => d.cmd_draw(c, n, case.instances, first, case.first_instance),
                    (false, true) => d.cmd_draw_indexed(c, n, case.instances, first, 1, case.first_instance),
                    (true, false) => d.cmd_draw_indirect(c, arguments.handle, 0, 1, 20),
                    (true, true) => d.cmd_draw_indexed_indirect(c, arguments.handle, 0, 1, 20),
                }
            }
            (f.cmd_end_transform_feedback_ext)(c, 0, 2, counters.as_ptr(), [0, 4].as_ptr());
            // Something that is not captured.
            if !case.discard {
                d.cmd_draw(c, 3, 1, 4, 0);
            }
        }
    }

    /// Draws a case: what was captured, and the picture.
    fn draw(&self, case: &Case, how: How) -> Vec<u8> {
        let (client, d) = (self.client, &self.client.device);
        let pipeline = self.pipeline(case, how);
        let filled = || untouched(CAPTURE);
        let counters = Usage::TRANSFORM_FEEDBACK_COUNTER_BUFFER_EXT | Usage::TRANSFER_DST;
        let captures = [
            client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &filled()),
            client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &filled()),
            client.buffer(counters, &bytes([0, 0])),
        ];
        let arguments = [
            case.count,
            case.instances,
            case.first,
            if case.indexed { 1 } else { case.first_instance },
            case.first_instance,
        ];
        let arguments = client.buffer(Usage::INDIRECT_BUFFER, &bytes(arguments));
        let picture = client.buffer(Usage::TRANSFER_DST, &vec![0; (4 * SIDE * SIDE) as usize]);
        let secondary = client.command_buffer(vk::CommandBufferLevel::SECONDARY);
        let area = vk::Rect2D { extent: vk::Extent2D { width: SIDE, height: SIDE }, ..Default::default() };
        let push = bytes(PUSH.map(f32::to_bits));
        // SAFETY: as in the client.
        unsafe {
            if how == How::Secondary {
                let inherited =
                    vk::CommandBufferInheritanceInfo::default().render_pass(self.pass).framebuffer(self.framebuffer);
                let info = vk::CommandBufferBeginInfo::default()
                    .flags(vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE)
                    .inheritance_info(&inherited);
                d.begin_command_buffer(secondary, &info).expect("begun");
                d.cmd_push_constants(secondary, self.layouts[0], Stages::VERTEX, 0, &push[..12]);
                d.cmd_push_constants(secondary, self.layouts[0], Stages::FRAGMENT, 12, &push[12..]);
                self.record(secondary, case, 0, pipeline, &arguments, &captures);
                d.end_command_buffer(secondary).expect("ended");
            }
            client.submit(2, |c| {
                let range = vk::ImageSubresourceRange::default()
                    .aspect_mask(vk::ImageAspectFlags::COLOR)
                    .level_count(1)
                    .layer_count(1);
                let barrier = [vk::ImageMemoryBarrier::default()
                    .dst_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                    .new_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(self.image.0)
                    .subresource_range(range)];
                let (top, output) =
                    (vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT);
                d.cmd_pipeline_barrier(c, top, output, vk::DependencyFlags::empty(), &[], &[], &barrier);
                if case.compute {
                    d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, self.compute);
                    d.cmd_bind_descriptor_sets(
                        c,
                        vk::PipelineBindPoint::COMPUTE,
                        self.layouts[1],
                        0,
                        &self.sets[2..],
                        &[],
                    );
                }
                d.cmd_push_constants(c, self.layouts[0], Stages::VERTEX, 0, &push[..12]);
                d.cmd_push_constants(c, self.layouts[0], Stages::FRAGMENT, 12, &push[12..]);
                let clear = vk::ClearValue { color: vk::ClearColorValue { float32: [0.1, 0.2, 0.3, 1.0] } };
                let mut done = 0;
                while done < if case.resume { case.draws } else { 1 } {
                    match how {
                        How::Dynamic => {
                            let colour = [vk::RenderingAttachmentInfo::default()
                                .image_view(self.image.2)
                                .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                                .load_op(vk::AttachmentLoadOp::CLEAR)
                                .store_op(vk::AttachmentStoreOp::STORE)
                                .clear_value(clear)];
                            let info = vk::RenderingInfo::default()
                                .render_area(area)
                                .layer_count(1)
                                .color_attachments(&colour);
                            d.cmd_begin_rendering(c, &info);
                        }
                        How::Pass | How::Secondary => {
                            let clear = [clear];
                            let info = vk::RenderPassBeginInfo::default()
                                .render_pass(self.pass)
                                .framebuffer(self.framebuffer)
                                .render_area(area)
                                .clear_values(&clear);
                            let inline = how == How::Pass;
                            let contents = if inline {
                                vk::SubpassContents::INLINE
                            } else {
                                vk::SubpassContents::SECONDARY_COMMAND_BUFFERS
                            };
                            d.cmd_begin_render_pass(c, &info, contents);
                        }
                    }
                    match how {
                        How::Secondary => d.cmd_execute_commands(c, &[secondary]),
                        _ => self.record(c, case, done, pipeline, &arguments, &captures),
                    }
                    match how {
                        How::Dynamic => d.cmd_end_rendering(c),
                        _ => d.cmd_end_render_pass(c),
                    }
                    let stage = vk::PipelineStageFlags::TRANSFORM_FEEDBACK_EXT;
                    let barrier = [vk::MemoryBarrier::default()
                        .src_access_mask(
                            vk::AccessFlags::TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT
                                | vk::AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT,
                        )
                        .dst_access_mask(
                            vk::AccessFlags::TRANSFORM_FEEDBACK_COUNTER_READ_EXT
                                | vk::AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT,
                        )];
                    d.cmd_pipeline_barrier(c, stage, stage, vk::DependencyFlags::empty(), &barrier, &[], &[]);
                    done += 1;
                }
                if case.compute {
                    // With the pipeline and the set that were bound before.
                    d.cmd_push_constants(c, self.layouts[1], Stages::COMPUTE, 0, &7u32.to_le_bytes());
                    d.cmd_dispatch(c, 1, 1, 1);
                }
                let barrier = [vk::ImageMemoryBarrier::default()
                    .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
                    .dst_access_mask(vk::AccessFlags::TRANSFER_READ)
                    .old_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
                    .new_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(self.image.0)
                    .subresource_range(range)];
                d.cmd_pipeline_barrier(
                    c,
                    output,
                    vk::PipelineStageFlags::TRANSFER,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[],
                    &barrier,
                );
                let copy = [vk::BufferImageCopy::default()
                    .image_subresource(
                        vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
                    )
                    .image_extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })];
                d.cmd_copy_image_to_buffer(
                    c,
                    self.image.0,
                    vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                    picture.handle,
                    &copy,
                );
            });
            d.destroy_pipeline(pipeline, None);
            d.free_command_buffers(client.pool, &[secondary]);
        }
        let mut left: Vec<u8> = captures.iter().flat_map(Buffer::bytes).collect();
        left.extend(picture.bytes());
        left.extend(self.buffers[WORDS].bytes());
        captures.into_iter().chain([arguments, picture]).for_each(|buffer| client.destroy(buffer));
        left
    }

    fn destroy(self) {
        let d = &self.client.device;
        // SAFETY: as in the client.
        unsafe {
            d.destroy_framebuffer(self.framebuffer, None);
            d.destroy_render_pass(self.pass, None);
            d.destroy_image_view(self.image.2, None);
            d.destroy_image(self.image.0, None);
            d.free_memory(self.image.1, None);
            d.destroy_pipeline(self.compute, None);
            self.modules.iter().for_each(|module| d.destroy_shader_module(*module, None));
            d.destroy_descriptor_pool(self.pool, None);
            self.layouts.iter().for_each(|layout| d.destroy_pipeline_layout(*layout, None));
            self.set_layouts.iter().for_each(|layout| d.destroy_descriptor_set_layout(*layout, None));
        }
        self.buffers.into_iter().for_each(|buffer| self.client.destroy(buffer));
    }
}

const _: () = assert!(TINTS == SHEET + 1 && WORDS == SHEET + 2);
