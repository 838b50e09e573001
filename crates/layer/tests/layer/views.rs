//! Render passes of several views, in which the extension captures nothing.

use crate::client::Client;
use crate::parts::{
    self, Drawn, NUMBERS, SOURCES, Target, UNTOUCHED, bytes, rendering, untouched, wait_for_all, words,
};
use ash::vk::{self, BufferUsageFlags as Usage, ShaderStageFlags as Stages};
use std::fmt::Write as _;

/// Bytes of a capture buffer.
const CAPTURE: u64 = 256;
const VIEWS: u32 = 0b11;

/// How a render pass is of several views.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum How {
    Rendering,
    /// In a structure that hangs on the first generation's.
    First,
    Second,
    /// As the first, in a secondary command buffer.
    Secondary,
    /// As dynamic rendering, in a secondary command buffer.
    SecondaryRendering,
}

/// Feedback in each of them, and in a rendering of one view behind it: whether anything was captured.
pub(crate) fn run(client: &Client) -> Vec<u8> {
    let d = &client.device;
    let mut said = String::new();
    let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes(0..32));
    let adds = client.buffer(Usage::UNIFORM_BUFFER, &bytes([1, 2, 3, 4]));
    // SAFETY: as in the client, but for the feedback that the extension does not allow.
    unsafe {
        let pushed = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        let binding = (0, vk::DescriptorType::UNIFORM_BUFFER, Stages::VERTEX);
        let set_layout = parts::set_layout(d, pushed, &[binding]).expect("a set layout");
        let layout = parts::layout(d, &[set_layout]).expect("a layout");
        let module = parts::module(d, SOURCES[NUMBERS]).expect("a module");
        let stages = [parts::stage(Stages::VERTEX, module)];
        let points = Drawn::points(layout, &stages);
        let plain = points.pipeline(d).expect("a pipeline");
        for how in [How::Rendering, How::First, How::Second, How::Secondary, How::SecondaryRendering] {
            let (pass, framebuffer) = of_views(d, how);
            let dynamic = [How::Rendering, How::SecondaryRendering].contains(&how);
            let target = if dynamic { Target::Views(VIEWS) } else { Target::Subpass(pass, 0) };
            let viewed = Drawn { target, ..points }.pipeline(d).expect("a pipeline");
            let captures =
                [0, 1].map(|_| client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE as usize)));
            let record = |c, pipeline, to: usize| {
                let f = &client.feedback;
                let info = [vk::DescriptorBufferInfo { buffer: adds.handle, offset: 0, range: 16 }];
                let write = [vk::WriteDescriptorSet::default()
                    .descriptor_type(vk::DescriptorType::UNIFORM_BUFFER)
                    .buffer_info(&info)];
                let point = vk::PipelineBindPoint::GRAPHICS;
                d.cmd_bind_pipeline(c, point, pipeline);
                (client.push().cmd_push_descriptor_set_khr)(c, point, layout, 0, 1, write.as_ptr());
                d.cmd_bind_vertex_buffers(c, 0, &[vertices.handle], &[0]);
                (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, 1, &captures[to].handle, &0, &CAPTURE);
                (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                d.cmd_draw(c, 3, 1, 0, 0);
                (f.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
            };
            let mut inherited_views = vk::CommandBufferInheritanceRenderingInfo::default()
                .view_mask(VIEWS)
                .rasterization_samples(vk::SampleCountFlags::TYPE_1);
            let inherited = vk::CommandBufferInheritanceInfo::default();
            let inherited = if dynamic {
                inherited.push_next(&mut inherited_views)
            } else {
                inherited.render_pass(pass).framebuffer(framebuffer)
            };
            let inside = vk::CommandBufferUsageFlags::RENDER_PASS_CONTINUE;
            let info = vk::CommandBufferBeginInfo::default().flags(inside).inheritance_info(&inherited);
            let secondary = [client.command_buffer(vk::CommandBufferLevel::SECONDARY)];
            let is_secondary = [How::Secondary, How::SecondaryRendering].contains(&how);
            if is_secondary {
                d.begin_command_buffer(secondary[0], &info).expect("begun");
                record(secondary[0], viewed, 0);
                d.end_command_buffer(secondary[0]).expect("ended");
            }
            let area = vk::Rect2D { extent: vk::Extent2D { width: 1, height: 1 }, ..Default::default() };
            client.submit(1, |c| {
                let commands =
                    || if is_secondary { d.cmd_execute_commands(c, &secondary) } else { record(c, viewed, 0) };
                let contents = match is_secondary {
                    true => vk::SubpassContents::SECONDARY_COMMAND_BUFFERS,
                    false => vk::SubpassContents::INLINE,
                };
                let begin =
                    vk::RenderPassBeginInfo::default().render_pass(pass).framebuffer(framebuffer).render_area(area);
                match how {
                    How::Rendering | How::SecondaryRendering => {
                        let flags = vk::RenderingFlags::CONTENTS_SECONDARY_COMMAND_BUFFERS;
                        let info = vk::RenderingInfo::default()
                            .flags(if is_secondary { flags } else { vk::RenderingFlags::empty() })
                            .render_area(area)
                            .layer_count(1)
                            .view_mask(VIEWS);
                        d.cmd_begin_rendering(c, &info);
                        commands();
                        d.cmd_end_rendering(c);
                    }
                    How::First | How::Secondary => {
                        d.cmd_begin_render_pass(c, &begin, contents);
                        commands();
                        d.cmd_end_render_pass(c);
                    }
                    How::Second => {
                        d.cmd_begin_render_pass2(c, &begin, &vk::SubpassBeginInfo::default().contents(contents));
                        commands();
                        d.cmd_end_render_pass2(c, &vk::SubpassEndInfo::default());
                    }
                }
                rendering(d, c, || record(c, plain, 1));
                wait_for_all(d, c);
            });
            let captured = [0, 1].map(|n: usize| words(&captures[n].bytes())[0] != UNTOUCHED);
            writeln!(said, "{how:?}: {captured:?}").expect("a string");
            d.free_command_buffers(client.pool, &secondary);
            d.destroy_pipeline(viewed, None);
            d.destroy_framebuffer(framebuffer, None);
            d.destroy_render_pass(pass, None);
            captures.into_iter().for_each(|capture| client.destroy(capture));
        }
        d.destroy_pipeline(plain, None);
        d.destroy_shader_module(module, None);
        d.destroy_pipeline_layout(layout, None);
        d.destroy_descriptor_set_layout(set_layout, None);
    }
    client.destroy(vertices);
    client.destroy(adds);
    said.into_bytes()
}

/// A render pass of a generation, and its framebuffer.
unsafe fn of_views(d: &ash::Device, how: How) -> (vk::RenderPass, vk::Framebuffer) {
    // SAFETY: as above.
    unsafe {
        let pass = if how == How::Second {
            let subpass = [vk::SubpassDescription2::default().view_mask(VIEWS)];
            d.create_render_pass2(&vk::RenderPassCreateInfo2::default().subpasses(&subpass), None)
        } else {
            let subpass = [vk::SubpassDescription::default()];
            let mut views = vk::RenderPassMultiviewCreateInfo::default().view_masks(&[VIEWS]);
            let info = vk::RenderPassCreateInfo::default().subpasses(&subpass).push_next(&mut views);
            d.create_render_pass(&info, None)
        };
        let pass = pass.expect("a render pass");
        let info = vk::FramebufferCreateInfo::default().render_pass(pass).width(1).height(1).layers(1);
        (pass, d.create_framebuffer(&info, None).expect("a framebuffer"))
    }
}
