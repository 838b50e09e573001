//! Dispatches of one compute shader on memory that it reaches by address.

use ash::vk;

use super::device::{Gpu, Result};

/// What to run.
pub(crate) struct Dispatch<'a> {
    pub(crate) words: &'a [u32],
    /// Registers behind the address of the stage's constants, when the memory has this address.
    pub(crate) constants: &'a dyn Fn([u32; 2]) -> Vec<[u32; 4]>,
    /// What the memory holds.
    pub(crate) memory: &'a [u32],
    /// Number of work groups.
    pub(crate) groups: u32,
    /// Storage images, by slot.
    pub(crate) images: &'a [&'a super::Image],
}

impl Gpu {
    /// Runs a shader, and gives what the memory holds afterwards.
    ///
    /// # Safety
    /// The shader is valid SPIR-V of the shader ABI and keeps to the memory and the images.
    pub(crate) unsafe fn dispatch(&self, p: &Dispatch<'_>) -> Result<Vec<u32>> {
        let d = &self.device;
        let usage = vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        let memory = self.filled(bytemuck::cast_slice(p.memory), usage)?;
        // SAFETY: the buffer was made for it.
        let address =
            unsafe { d.get_buffer_device_address(&vk::BufferDeviceAddressInfo::default().buffer(memory.buffer)) };
        let constants = (p.constants)([address as u32, (address >> 32) as u32]);
        let (constants, constants_at) = self.registers(&constants)?;
        let mut push = [0u32; 32];
        push[2..4].copy_from_slice(&[constants_at as u32, (constants_at >> 32) as u32]);
        // SAFETY: everything is destroyed after the submission is done; for the shader see above.
        unsafe {
            let bindings: Vec<_> = (0..p.images.len() as u32)
                .map(|slot| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(slot)
                        .descriptor_type(vk::DescriptorType::STORAGE_IMAGE)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let none = d.create_descriptor_set_layout(&vk::DescriptorSetLayoutCreateInfo::default(), None)?;
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let images = d.create_descriptor_set_layout(&info, None)?;
            let sets = [none, images];
            let range = [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 128 }];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets).push_constant_ranges(&range);
            let layout = d.create_pipeline_layout(&info, None)?;
            let module = d.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(p.words), None)?;
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(module)
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            let made = d.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = made.map_err(|(_, e)| e)?[0];
            let size = [vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_IMAGE,
                descriptor_count: p.images.len().max(1) as u32,
            }];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&size);
            let pool = d.create_descriptor_pool(&info, None)?;
            let layouts = [images];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = d.allocate_descriptor_sets(&info)?[0];
            for (slot, image) in (0..).zip(p.images) {
                let info =
                    [vk::DescriptorImageInfo::default().image_view(image.view).image_layout(vk::ImageLayout::GENERAL)];
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(slot)
                    .descriptor_type(vk::DescriptorType::STORAGE_IMAGE)
                    .image_info(&info);
                d.update_descriptor_sets(&[write], &[]);
            }
            self.submit(|c| {
                d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
                d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, layout, 1, &[set], &[]);
                let stages = vk::ShaderStageFlags::COMPUTE;
                d.cmd_push_constants(c, layout, stages, 0, bytemuck::cast_slice(&push));
                d.cmd_dispatch(c, p.groups, 1, 1);
                self.barrier(c);
            })?;
            d.destroy_descriptor_pool(pool, None);
            d.destroy_pipeline(pipeline, None);
            d.destroy_shader_module(module, None);
            d.destroy_pipeline_layout(layout, None);
            sets.into_iter().for_each(|set| d.destroy_descriptor_set_layout(set, None));
        }
        let mut after = self.read(&memory)?;
        after.truncate(p.memory.len());
        self.free(memory);
        self.free(constants);
        Ok(after)
    }
}
