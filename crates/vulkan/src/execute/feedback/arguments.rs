//! Arguments of draws that repeat captured ones: written by a shader, from counts that the GPU has.

use crate::device::gpu::Gpu;
use crate::error::{Error, Result};
use crate::feedback::Range;
use crate::feedback::arguments::{BYTES, Block, GROUP, INDEXED, PLAIN, What, bytes, module};
use crate::pipeline::shaders::Variant;
use crate::renderer::Renderer;
use crate::resources::layouts::{Layout, Reach};
use afterimage_stream::ObjectId;
use ash::vk;
use std::sync::Arc;

fn variant(gpu: &Arc<Gpu>) -> Result<Variant> {
    let failed = |error: String| Error::Unsupported { device: gpu.profile.name.clone(), what: error };
    let module = module().map_err(|error| failed(error.to_string()))?;
    let options = afterimage_spirv::Options {
        bindless: false,
        preserve: false,
        debug_names: false,
        features: gpu.profile.shader_features(),
    };
    let artifact = afterimage_spirv::emit(&module, &options).map_err(|error| failed(error.to_string()))?;
    Variant::new(gpu, &artifact, "arguments of draws")
}

impl Renderer {
    /// The numbers of draws as they are limited, one draw behind the other, [`bytes`] each. Ends the pass; what is recorded from here on
    /// finds them written.
    pub(crate) fn limited_arguments(&mut self, from: Range, count: u32, what: What) -> Result<Range> {
        let (pipeline, layout) = match &self.feedback.arguments.made {
            Some((pipeline, layout)) => (pipeline.raw, *layout),
            None => {
                let variant = variant(&self.gpu)?;
                let layout = self.resources.descriptors.layouts.get(Reach::COMPUTE)?;
                let pipeline = Arc::new(crate::pipeline::compute::create(&self.programs.compute.maker, &variant, 0)?);
                let raw = pipeline.raw;
                self.feedback.arguments.made = Some((pipeline, layout));
                (raw, layout)
            }
        };
        self.order_ranges([(Some(from), false)].into_iter());
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let indexed = matches!(what, What::Draws { indices: Some(_), .. });
        let size = bytes(indexed) * u64::from(count);
        let to = self.memory.constants.alloc(size as usize, 64, current, completed)?;
        let mut block = Block {
            from: from.address,
            to: to.address,
            count,
            instance_mask: if self.gpu.profile.indirect_first_instance { !0 } else { 0 },
            ..Block::default()
        };
        match what {
            What::Draws { stride, indices } => {
                block.kind = if indexed { INDEXED } else { PLAIN };
                block.stride = stride;
                block.indices = indices.map_or(0, |indices| {
                    u32::try_from(indices.range.size / u64::from(indices.bytes.max(1))).unwrap_or(u32::MAX)
                });
            }
            What::Bytes { counter_offset, stride, instances, first_instance } => {
                block.kind = BYTES;
                (block.counter_offset, block.counter_stride) = (counter_offset, stride.max(1));
                (block.instances, block.first_instance) = (instances, first_instance);
            }
        }
        let mut constants = self.memory.constants.alloc(size_of::<Block>(), 64, current, completed)?;
        constants.bytes_mut().copy_from_slice(bytemuck::bytes_of(&block));
        self.dispatch_own(
            pipeline,
            layout,
            &[constants.address as u32, (constants.address >> 32) as u32],
            [count.div_ceil(GROUP), 1, 1],
        );
        self.begin_epoch();
        Ok(Range { id: ObjectId::NONE, buffer: to.buffer, offset: to.offset, size, address: to.address })
    }

    /// Runs a compute pipeline of the renderer's own. No pass is open. `push` are the words of push constants from the first one on.
    pub(crate) fn dispatch_own(&mut self, pipeline: vk::Pipeline, layout: Layout, push: &[u32], groups: [u32; 3]) {
        let cmd = self.recorder.main();
        let [x, y, z] = groups;
        // SAFETY: no pass is open; the pipeline has this layout, whose push constants have the words, and it lives until the
        // submission has completed.
        unsafe {
            let words = bytemuck::cast_slice(push);
            self.gpu.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::COMPUTE, pipeline);
            self.gpu.raw.cmd_push_constants(cmd, layout.raw, vk::ShaderStageFlags::COMPUTE, 0, words);
            self.gpu.raw.cmd_dispatch(cmd, x, y, z);
        }
        self.compute_overwritten();
    }
}
