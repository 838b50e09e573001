//! Descriptors in buffers, and the commands of `VK_KHR_maintenance6` that bind and push.

use crate::client::{Buffer, Client, Shared, Wish};
use crate::parts::{self, Drawn, NUMBERS, SOURCES, bytes, rendering, untouched, wait_for_all};
use ash::vk::{self, BufferUsageFlags as Usage, PipelineBindPoint as Point, ShaderStageFlags as Stages};
use std::sync::Arc;

/// Bytes of a capture buffer.
const CAPTURE: usize = 1 << 10;
/// Where blocks lie: what any device takes for an offset.
const BLOCK: u64 = 256;
/// Words that are stored.
const STORED: u32 = 16;

/// Runs a scene on a device with an extension: what it leaves, or, if there is none, the extension's name.
pub(crate) fn with(wish: Wish, scene: fn(&Client) -> Vec<u8>) -> Vec<u8> {
    let shared = Arc::new(Shared::new());
    if let Some(name) = wish.names().iter().find(|name| !shared.has(name)) {
        return name.to_bytes().to_vec();
    }
    let client = Client::on(&shared, wish);
    drop(shared);
    let left = scene(&client);
    client.finish();
    left
}

struct Rig<'a> {
    client: &'a Client,
    /// Of what draws: what is added, and what is stored to; and of compute, what is added to.
    set_layouts: [vk::DescriptorSetLayout; 2],
    layouts: [vk::PipelineLayout; 2],
    modules: Vec<vk::ShaderModule>,
    /// One that is captured, one that stores, and one of compute.
    pipelines: Vec<vk::Pipeline>,
    vertices: Buffer,
    adds: Buffer,
    stored: Buffer,
    /// What compute adds to.
    numbers: Buffer,
    captures: [Buffer; 2],
}

const CAPTURED: usize = 0;
const COPIES: usize = 1;
const COMPUTE: usize = 2;

impl<'a> Rig<'a> {
    /// With set layouts and pipelines of these flags. What draws add lies in a uniform buffer, of this type.
    fn new(
        client: &'a Client,
        flags: [vk::DescriptorSetLayoutCreateFlags; 2],
        pipelines: vk::PipelineCreateFlags,
        ty: vk::DescriptorType,
    ) -> Self {
        let d = &client.device;
        let addressed = if pipelines.is_empty() { Usage::empty() } else { Usage::SHADER_DEVICE_ADDRESS };
        let vertices = client.buffer(Usage::VERTEX_BUFFER, &bytes((0..64).map(|n| n * 3 + 1)));
        let adds = (0..4 * BLOCK as u32 / 4).map(|n| n * 1000);
        let adds = client.buffer(Usage::UNIFORM_BUFFER | addressed, &bytes(adds));
        let stored = client.buffer(Usage::STORAGE_BUFFER | addressed, &untouched(4 * STORED as usize));
        let numbers = client.buffer(Usage::STORAGE_BUFFER | addressed, &bytes(0..8));
        let capture = || client.buffer(Usage::TRANSFORM_FEEDBACK_BUFFER_EXT, &untouched(CAPTURE));
        // SAFETY: as in the client, here and below.
        unsafe {
            let storage = vk::DescriptorType::STORAGE_BUFFER;
            let draws = [(0, ty, Stages::VERTEX), (1, storage, Stages::VERTEX)];
            let computes = [(0, storage, Stages::COMPUTE)];
            let set_layouts = [(flags[0], &draws[..]), (flags[1], &computes[..])]
                .map(|(flags, bindings)| parts::set_layout(d, flags, bindings).expect("a set layout"));
            let range = [vk::PushConstantRange { stage_flags: Stages::COMPUTE, offset: 0, size: 4 }];
            let layouts = [0, 1].map(|n: usize| {
                let info = vk::PipelineLayoutCreateInfo::default()
                    .set_layouts(&set_layouts[n..=n])
                    .push_constant_ranges(&range[..n]);
                d.create_pipeline_layout(&info, None).expect("a layout")
            });
            let sources =
                [SOURCES[NUMBERS], include_bytes!("shaders/copy.vert.spv"), include_bytes!("shaders/count.comp.spv")];
            let modules: Vec<_> = sources.iter().map(|source| parts::module(d, source).expect("a module")).collect();
            let draws = |n: usize| {
                let stages = [parts::stage(Stages::VERTEX, modules[n])];
                Drawn { flags: pipelines, ..Drawn::points(layouts[0], &stages) }.pipeline(d).expect("a pipeline")
            };
            let mut made = vec![draws(CAPTURED), draws(COPIES)];
            let stage = parts::stage(Stages::COMPUTE, modules[COMPUTE]);
            let info = vk::ComputePipelineCreateInfo::default().flags(pipelines).stage(stage).layout(layouts[1]);
            made.extend(d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None).expect("a pipeline"));
            let captures = [capture(), capture()];
            Self { client, set_layouts, layouts, modules, pipelines: made, vertices, adds, stored, numbers, captures }
        }
    }

    /// Begins, draws, and ends, so that one of the captures has it.
    fn capture(&self, c: vk::CommandBuffer, to: usize, count: u32) {
        let (d, f) = (&self.client.device, &self.client.feedback);
        // SAFETY: as above.
        unsafe {
            d.cmd_bind_pipeline(c, Point::GRAPHICS, self.pipelines[CAPTURED]);
            d.cmd_bind_vertex_buffers(c, 0, &[self.vertices.handle], &[0]);
            let (target, size) = (self.captures[to].handle, CAPTURE as u64);
            (f.cmd_bind_transform_feedback_buffers_ext)(c, 0, 1, &target, &0, &size);
            (f.cmd_begin_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
            d.cmd_draw(c, count, 1, 0, 0);
            (f.cmd_end_transform_feedback_ext)(c, 0, 0, std::ptr::null(), std::ptr::null());
        }
    }

    /// A draw that stores what it adds, in a place.
    fn copy(&self, c: vk::CommandBuffer, to: u32) {
        let d = &self.client.device;
        // SAFETY: as above.
        unsafe {
            d.cmd_bind_pipeline(c, Point::GRAPHICS, self.pipelines[COPIES]);
            d.cmd_bind_vertex_buffers(c, 0, &[self.vertices.handle], &[0]);
            d.cmd_draw(c, 1, 1, 0, to);
        }
    }

    /// What everything that was drawn and dispatched has left.
    fn finish(self) -> Vec<u8> {
        let d = &self.client.device;
        let written = [&self.captures[0], &self.captures[1], &self.stored, &self.numbers];
        let left = written.into_iter().flat_map(Buffer::bytes).collect();
        // SAFETY: as above; the device is idle.
        unsafe {
            self.pipelines.iter().for_each(|pipeline| d.destroy_pipeline(*pipeline, None));
            self.modules.iter().for_each(|module| d.destroy_shader_module(*module, None));
            self.layouts.iter().for_each(|layout| d.destroy_pipeline_layout(*layout, None));
            self.set_layouts.iter().for_each(|layout| d.destroy_descriptor_set_layout(*layout, None));
        }
        let rest = [self.vertices, self.adds, self.stored, self.numbers];
        rest.into_iter().chain(self.captures).for_each(|buffer| self.client.destroy(buffer));
        left
    }
}

/// Descriptor buffers, bound before a render pass and in it, around draws and compute: what is captured, stored and added to.
pub(crate) fn descriptor_buffers(client: &Client) -> Vec<u8> {
    let (d, flag) = (&client.device, vk::DescriptorSetLayoutCreateFlags::DESCRIPTOR_BUFFER_EXT);
    let ty = vk::DescriptorType::UNIFORM_BUFFER;
    let rig = Rig::new(client, [flag; 2], vk::PipelineCreateFlags::DESCRIPTOR_BUFFER_EXT, ty);
    let f = ash::ext::descriptor_buffer::Device::new(&client.shared().instance, d).fp().clone();
    let usage = Usage::RESOURCE_DESCRIPTOR_BUFFER_EXT;
    // SAFETY: as above.
    unsafe {
        let address =
            |buffer: vk::Buffer| d.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(buffer));
        let mut known = vk::PhysicalDeviceDescriptorBufferPropertiesEXT::default();
        let mut all = vk::PhysicalDeviceProperties2::default().push_next(&mut known);
        client.shared().instance.get_physical_device_properties2(client.physical, &mut all);
        let (uniform, storage) = (known.uniform_buffer_descriptor_size, known.storage_buffer_descriptor_size);
        let place = |layout: usize, binding: u32| {
            let mut at = 0;
            (f.get_descriptor_set_layout_binding_offset_ext)(d.handle(), rig.set_layouts[layout], binding, &mut at);
            at as usize
        };
        let mut sizes = [0; 2];
        for (layout, size) in rig.set_layouts.iter().zip(&mut sizes) {
            (f.get_descriptor_set_layout_size_ext)(d.handle(), *layout, size);
        }
        let align = known.descriptor_buffer_offset_alignment.max(1);
        let steps = sizes.map(|size| size.next_multiple_of(align));
        let descriptor = |buffer: &Buffer, at: u64, range: u64, ty, size: usize| {
            let info = vk::DescriptorAddressInfoEXT::default().address(address(buffer.handle) + at).range(range);
            let (is_uniform, null) = (ty == vk::DescriptorType::UNIFORM_BUFFER, std::ptr::null());
            let data = vk::DescriptorDataEXT { p_uniform_buffer: if is_uniform { &info } else { null } };
            let data = if is_uniform { data } else { vk::DescriptorDataEXT { p_storage_buffer: &info } };
            let info = vk::DescriptorGetInfoEXT { ty, data, ..Default::default() };
            let mut bytes = vec![0u8; size];
            (f.get_descriptor_ext)(d.handle(), &info, size, bytes.as_mut_ptr().cast());
            bytes
        };
        // Two buffers, each of two sets of draws, and one of compute behind them.
        let buffers = [0u64, 1].map(|n| {
            let mut bytes = vec![0u8; (2 * steps[0] + steps[1]) as usize];
            let mut put = |at: usize, from: Vec<u8>| bytes[at..at + from.len()].copy_from_slice(&from);
            for set in 0..2 {
                let at = (set * steps[0]) as usize;
                put(at + place(0, 0), descriptor(&rig.adds, (2 * n + set) * BLOCK, 16, ty, uniform));
                let words = u64::from(4 * STORED);
                put(at + place(0, 1), descriptor(&rig.stored, 0, words, vk::DescriptorType::STORAGE_BUFFER, storage));
            }
            let at = 2 * steps[0] as usize + place(1, 0);
            put(at, descriptor(&rig.numbers, 0, 32, vk::DescriptorType::STORAGE_BUFFER, storage));
            client.buffer(usage | Usage::SHADER_DEVICE_ADDRESS, &bytes)
        });
        let bind = |c, which: &[usize]| {
            let info = |n: &usize| {
                vk::DescriptorBufferBindingInfoEXT::default().address(address(buffers[*n].handle)).usage(usage)
            };
            let infos: Vec<_> = which.iter().map(info).collect();
            (f.cmd_bind_descriptor_buffers_ext)(c, infos.len() as u32, infos.as_ptr());
        };
        let draws = |c, index: u32, set: u64| {
            let offset = set * steps[0];
            (f.cmd_set_descriptor_buffer_offsets_ext)(c, Point::GRAPHICS, rig.layouts[0], 0, 1, &index, &offset);
        };
        let computes = |c, index: u32| {
            let offset = 2 * steps[0];
            (f.cmd_set_descriptor_buffer_offsets_ext)(c, Point::COMPUTE, rig.layouts[1], 0, 1, &index, &offset);
        };
        let dispatch = |c, add: u32| {
            d.cmd_push_constants(c, rig.layouts[1], Stages::COMPUTE, 0, &add.to_le_bytes());
            d.cmd_dispatch(c, 1, 1, 1);
        };
        client.submit(1, |c| {
            // Bound before the render pass, and used behind it.
            d.cmd_bind_pipeline(c, Point::COMPUTE, rig.pipelines[COMPUTE]);
            bind(c, &[0, 1]);
            computes(c, 0);
            draws(c, 1, 1);
            rendering(d, c, || {
                rig.copy(c, 0);
                rig.capture(c, 0, 5);
                rig.copy(c, 6);
            });
            dispatch(c, 7);
            wait_for_all(d, c);
            // (Lavapipe sets offsets for all stages of a set layout, and the layer's have one more; so compute's are set behind those of draws.)
            rendering(d, c, || {
                rig.copy(c, 7);
                draws(c, 0, 1);
                rig.capture(c, 1, 4);
                rig.copy(c, 1);
                computes(c, 0);
            });
            dispatch(c, 20);
            wait_for_all(d, c);
            // Other ones are bound in the render pass, the other way round, which what stands before must not see.
            draws(c, 0, 0);
            rendering(d, c, || {
                rig.copy(c, 2);
                rig.capture(c, 0, 2);
                bind(c, &[1, 0]);
                draws(c, 0, 1);
                rig.copy(c, 3);
                rig.capture(c, 1, 3);
                draws(c, 1, 1);
                rig.copy(c, 4);
                computes(c, 1);
            });
            dispatch(c, 100);
            wait_for_all(d, c);
        });
        // The first descriptor buffers of a command buffer are bound in a render pass.
        client.submit(1, |c| {
            rendering(d, c, || {
                bind(c, &[1]);
                draws(c, 0, 0);
                rig.capture(c, 0, 1);
                rig.copy(c, 5);
            });
        });
        buffers.into_iter().for_each(|buffer| client.destroy(buffer));
    }
    rig.finish()
}

/// What the second generation of commands binds and pushes, of draws and of compute: what is captured, stored and added to.
pub(crate) fn maintenance6(client: &Client) -> Vec<u8> {
    let d = &client.device;
    let mut all = Vec::new();
    let f = ash::khr::maintenance6::Device::new(&client.shared().instance, d).fp().clone();
    let pushed = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
    let bound = vk::DescriptorSetLayoutCreateFlags::empty();
    // Draws push and compute binds, and the other way round.
    for push in [true, false] {
        let flags = if push { [pushed, bound] } else { [bound, pushed] };
        let ty = if push { vk::DescriptorType::UNIFORM_BUFFER } else { vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC };
        let rig = Rig::new(client, flags, vk::PipelineCreateFlags::empty(), ty);
        let info = |buffer: &Buffer, offset, range| [vk::DescriptorBufferInfo { buffer: buffer.handle, offset, range }];
        let words = info(&rig.stored, 0, u64::from(4 * STORED));
        let numbers = info(&rig.numbers, 0, 32);
        let write = |binding: u32, ty: vk::DescriptorType| {
            vk::WriteDescriptorSet::default().dst_binding(binding).descriptor_type(ty)
        };
        // SAFETY: as above.
        unsafe {
            let sizes =
                [ty, vk::DescriptorType::STORAGE_BUFFER].map(|ty| vk::DescriptorPoolSize { ty, descriptor_count: 1 });
            let made = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = d.create_descriptor_pool(&made, None).expect("a pool");
            let which = [rig.set_layouts[usize::from(push)]];
            let made = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&which);
            let set = d.allocate_descriptor_sets(&made).expect("a set");
            let storage = vk::DescriptorType::STORAGE_BUFFER;
            if push {
                d.update_descriptor_sets(&[write(0, storage).dst_set(set[0]).buffer_info(&numbers)], &[]);
            } else {
                let adds = info(&rig.adds, 0, 16);
                let writes = [
                    write(0, ty).dst_set(set[0]).buffer_info(&adds),
                    write(1, storage).dst_set(set[0]).buffer_info(&words),
                ];
                d.update_descriptor_sets(&writes, &[]);
            }
            // What is added, out of a program's structure.
            let entries = [vk::DescriptorUpdateTemplateEntry {
                descriptor_count: 1,
                descriptor_type: vk::DescriptorType::UNIFORM_BUFFER,
                offset: 8,
                ..Default::default()
            }];
            let made = vk::DescriptorUpdateTemplateCreateInfo::default()
                .descriptor_update_entries(&entries)
                .template_type(vk::DescriptorUpdateTemplateType::PUSH_DESCRIPTORS_KHR)
                .pipeline_bind_point(Point::GRAPHICS)
                .pipeline_layout(rig.layouts[0]);
            let template = push.then(|| d.create_descriptor_update_template(&made, None).expect("a template"));
            // The block that draws add.
            let draws = |c, block: u64| {
                if !push {
                    let offset = [(block * BLOCK) as u32];
                    let info = vk::BindDescriptorSetsInfoKHR::default()
                        .stage_flags(Stages::VERTEX | Stages::FRAGMENT)
                        .layout(rig.layouts[0])
                        .descriptor_sets(&set)
                        .dynamic_offsets(&offset);
                    return (f.cmd_bind_descriptor_sets2_khr)(c, &info);
                }
                let adds = info(&rig.adds, block * BLOCK, 16);
                if block.is_multiple_of(2) {
                    let writes = [write(0, ty).buffer_info(&adds), write(1, storage).buffer_info(&words)];
                    let info = vk::PushDescriptorSetInfoKHR::default()
                        .stage_flags(Stages::VERTEX)
                        .layout(rig.layouts[0])
                        .descriptor_writes(&writes);
                    (f.cmd_push_descriptor_set2_khr)(c, &info);
                } else {
                    let structure = (0u64, adds[0]);
                    let data = (&raw const structure.1).cast::<u8>().sub(8).cast();
                    let info = vk::PushDescriptorSetWithTemplateInfoKHR {
                        descriptor_update_template: template.unwrap_or_default(),
                        layout: rig.layouts[0],
                        p_data: data,
                        ..Default::default()
                    };
                    (f.cmd_push_descriptor_set_with_template2_khr)(c, &info);
                }
            };
            let computes = |c| {
                if push {
                    let info = vk::BindDescriptorSetsInfoKHR::default()
                        .stage_flags(Stages::COMPUTE)
                        .layout(rig.layouts[1])
                        .descriptor_sets(&set);
                    (f.cmd_bind_descriptor_sets2_khr)(c, &info);
                } else {
                    let writes = [write(0, storage).buffer_info(&numbers)];
                    let info = vk::PushDescriptorSetInfoKHR::default()
                        .stage_flags(Stages::COMPUTE)
                        .layout(rig.layouts[1])
                        .descriptor_writes(&writes);
                    (f.cmd_push_descriptor_set2_khr)(c, &info);
                }
            };
            client.submit(2, |c| {
                d.cmd_bind_pipeline(c, Point::COMPUTE, rig.pipelines[COMPUTE]);
                computes(c);
                let add = 7u32.to_le_bytes();
                let info = vk::PushConstantsInfoKHR::default()
                    .layout(rig.layouts[1])
                    .stage_flags(Stages::COMPUTE)
                    .values(&add);
                (f.cmd_push_constants2_khr)(c, &info);
                draws(c, 2);
                rendering(d, c, || {
                    rig.copy(c, 0);
                    draws(c, 0);
                    rig.capture(c, 0, 5);
                    draws(c, 3);
                    rig.copy(c, 1);
                    rig.capture(c, 1, 3);
                    draws(c, 1);
                    rig.copy(c, 2);
                });
                // With what was bound and pushed before.
                d.cmd_dispatch(c, 1, 1, 1);
                wait_for_all(d, c);
            });
            if let Some(template) = template {
                d.destroy_descriptor_update_template(template, None);
            }
            d.destroy_descriptor_pool(pool, None);
        }
        all.extend(rig.finish());
    }
    all
}
