//! Samplers of set layouts, and offsets into descriptor buffers, by both generations of commands.

use crate::client::{Buffer, Client};
use crate::parts::{self, Drawn, bytes, rendering, untouched, wait_for_all};
use ash::vk::{self, BufferUsageFlags as Usage, PipelineBindPoint as Point, ShaderStageFlags as Stages};

/// Bytes of a capture buffer.
const CAPTURE: u64 = 1 << 10;
/// Columns and lines of the texture.
const SIDE: u32 = 4;
/// Outside of the texture, another texel is sampled by each.
const MODES: [vk::SamplerAddressMode; 2] = [vk::SamplerAddressMode::REPEAT, vk::SamplerAddressMode::MIRRORED_REPEAT];

/// Captures texels: what is captured.
pub(crate) fn run(client: &Client) -> Vec<u8> {
    let d = &client.device;
    if client.is_of_the_processor() {
        // (Lavapipe's shaders are lost where a sampler is a layout's and descriptor buffers are bound.)
        return b"VK_EXT_descriptor_buffer with samplers of set layouts".to_vec();
    }
    let instance = &client.shared().instance;
    let first = ash::ext::descriptor_buffer::Device::new(instance, d).fp().clone();
    let second = ash::khr::maintenance6::Device::new(instance, d).fp().clone();
    let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes((0..64).map(|n| n * 3 + 1)));
    let texels = (0..SIDE * SIDE).map(|n| n * 0x0305_0709 + 0x1122_3344);
    let texels = client.buffer(Usage::TRANSFER_SRC, &bytes(texels));
    let texture = client.texture(SIDE);
    // SAFETY: as in the client.
    unsafe {
        let samplers = MODES.map(|mode| {
            let info = vk::SamplerCreateInfo::default().address_mode_u(mode).address_mode_v(mode).max_lod(1.0);
            d.create_sampler(&info, None).expect("a sampler")
        });
        let in_buffer = vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT;
        let image = (0, vk::DescriptorType::SAMPLED_IMAGE, Stages::VERTEX);
        let images = parts::set_layout(d, in_buffer, &[image]).expect("a set layout");
        let embedded = [0, 1].map(|n: usize| {
            let binding = [vk::DescriptorSetLayoutBinding::default()
                .descriptor_type(vk::DescriptorType::SAMPLER)
                .stage_flags(Stages::VERTEX)
                .immutable_samplers(&samplers[n..=n])];
            let flags = in_buffer | vk::DescriptorSetLayoutCreateFlags::EMBEDDED_IMMUTABLE_SAMPLERS_EXT;
            let info = vk::DescriptorSetLayoutCreateInfo::default().flags(flags).bindings(&binding);
            d.create_descriptor_set_layout(&info, None).expect("a set layout")
        });
        let layouts = embedded.map(|samplers| parts::layout(d, &[images, samplers]).expect("a layout"));
        let module = parts::module(d, include_bytes!("shaders/texel.vert.spv")).expect("a module");
        let stages = [parts::stage(Stages::VERTEX, module)];
        let flags = vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT;
        let pipelines =
            layouts.map(|layout| Drawn { flags, ..Drawn::points(layout, &stages) }.pipeline(d).expect("a pipeline"));
        // A descriptor buffer, in which the image stands behind a step.
        let mut known = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
        let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut known);
        instance.get_physical_device_properties2(client.physical, &mut properties);
        let (mut size, mut at) = (0, 0);
        (first.get_descriptor_set_layout_size_ext)(d.handle(), images, &mut size);
        (first.get_descriptor_set_layout_binding_offset_ext)(d.handle(), images, 0, &mut at);
        let step = size.next_multiple_of(known.descriptor_buffer_offset_alignment.max(1));
        let mut descriptors = vec![0u8; (step + size) as usize];
        let layout = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        let info = vk::DescriptorImageInfo::default().image_view(texture.2).image_layout(layout);
        let data = vk::DescriptorDataEXT { p_sampled_image: &info };
        let info = vk::DescriptorGetInfoEXT { ty: vk::DescriptorType::SAMPLED_IMAGE, data, ..Default::default() };
        let to = &mut descriptors[(step + at) as usize..][..known.sampled_image_descriptor_size];
        (first.get_descriptor_ext)(d.handle(), &info, to.len(), to.as_mut_ptr().cast());
        let usage = Usage::RESOURCE_DESCRIPTOR_BUFFER_EXT;
        let descriptors = client.buffer(usage | Usage::SHADER_DEVICE_ADDRESS, &descriptors);
        let address = vk::BufferDeviceAddressInfo::default().buffer(descriptors.handle);
        let address = d.get_buffer_device_address(&address);
        let captures =
            [0; 4].map(|_| client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE as usize)));
        client.submit(1, |c| {
            fill(client, c, &texels, texture.0);
            let info = vk::DescriptorBufferBindingInfoEXT::default().address(address).usage(usage);
            (first.cmd_bind_descriptor_buffers_ext)(c, 1, &info);
            for (n, capture) in captures.iter().enumerate() {
                // Each with the other's samplers before, bound by the other's command.
                let (which, again) = (n & 1, n >> 1 == 1);
                let bind = |again: bool, which: usize| {
                    let layout = layouts[which];
                    if again {
                        let info = vk::SetDescriptorBufferOffsetsInfoEXT::default()
                            .stage_flags(Stages::VERTEX)
                            .layout(layout)
                            .buffer_indices(&[0]);
                        (second.cmd_set_descriptor_buffer_offsets2_ext)(c, &info.offsets(&[step]));
                        let info = vk::BindDescriptorBufferEmbeddedSamplersInfoEXT::default()
                            .stage_flags(Stages::VERTEX | Stages::FRAGMENT)
                            .layout(layout)
                            .set(1);
                        (second.cmd_bind_descriptor_buffer_embedded_samplers2_ext)(c, &info);
                    } else {
                        (first.cmd_set_descriptor_buffer_offsets_ext)(c, Point::GRAPHICS, layout, 0, 1, &0, &step);
                        (first.cmd_bind_descriptor_buffer_embedded_samplers_ext)(c, Point::GRAPHICS, layout, 1);
                    }
                };
                bind(!again, 1 - which);
                rendering(d, c, || {
                    let f = &client.feedback;
                    bind(again, which);
                    d.cmd_bind_pipeline(c, Point::GRAPHICS, pipelines[which]);
                    d.cmd_bind_vertex_buffers(c, 0, &[vertices.handle], &[0]);
                    (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, 1, &capture.handle, &0, &CAPTURE);
                    (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                    d.cmd_draw(c, 24, 1, n as u32, 0);
                    (f.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
                });
            }
            wait_for_all(d, c);
        });
        let left: Vec<Vec<u8>> = captures.iter().map(Buffer::bytes).collect();
        // Without its first vertex, the first is the third without its last two: the same texels, by the other commands.
        assert_eq!(left[0][32..24 * 16], left[2][..22 * 16]);
        assert!(left[0][16..24 * 16] != left[1][..23 * 16], "the samplers differ");
        pipelines.iter().for_each(|pipeline| d.destroy_pipeline(*pipeline, None));
        d.destroy_shader_module(module, None);
        layouts.iter().for_each(|layout| d.destroy_pipeline_layout(*layout, None));
        embedded.iter().chain([&images]).for_each(|layout| d.destroy_descriptor_set_layout(*layout, None));
        samplers.iter().for_each(|sampler| d.destroy_sampler(*sampler, None));
        d.destroy_image_view(texture.2, None);
        d.destroy_image(texture.0, None);
        d.free_memory(texture.1, None);
        captures.into_iter().chain([vertices, texels, descriptors]).for_each(|buffer| client.destroy(buffer));
        left.concat()
    }
}

/// Copies the texels into the texture.
unsafe fn fill(client: &Client, c: vk::CommandBuffer, texels: &Buffer, texture: vk::Image) {
    use vk::{AccessFlags as Access, ImageLayout as Layout, PipelineStageFlags as Stage};
    let d = &client.device;
    let range =
        vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
    let change = |from, to, before, after, stages: [Stage; 2]| {
        let barrier = [vk::ImageMemoryBarrier::default()
            .src_access_mask(before)
            .dst_access_mask(after)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(texture)
            .subresource_range(range)];
        // SAFETY: as above.
        unsafe {
            d.cmd_pipeline_barrier(c, stages[0], stages[1], vk::DependencyFlags::empty(), &[], &[], &barrier);
        }
    };
    let written = Layout::TRANSFER_DST_OPTIMAL;
    change(Layout::UNDEFINED, written, Access::empty(), Access::TRANSFER_WRITE, [Stage::TOP_OF_PIPE, Stage::TRANSFER]);
    let copy = [vk::BufferImageCopy::default()
        .image_subresource(
            vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1),
        )
        .image_extent(vk::Extent3D { width: SIDE, height: SIDE, depth: 1 })];
    // SAFETY: as above.
    unsafe { d.cmd_copy_buffer_to_image(c, texels.handle, texture, written, &copy) };
    let read = [Stage::TRANSFER, Stage::VERTEX_SHADER];
    change(written, Layout::SHADER_READ_ONLY_OPTIMAL, Access::TRANSFER_WRITE, Access::SHADER_READ, read);
}
