//! What lowered feedback reads and writes: what it must wait for, and how its shader finds it.

use crate::error::Result;
use crate::execute::feedback::lowered::ALIGN;
use crate::feedback::Ranges;
use crate::feedback::bind::Accesses;
use crate::feedback::programs::Program;
use crate::renderer::Renderer;
use crate::resources::descriptors::{PUSH_TEXTURES, SlotKey};
use crate::resources::layouts::PUSH_STAGES;
use crate::state::storage::write_addresses;
use crate::state::vertices::bits;
use afterimage_abi::push;
use afterimage_abi::slots::FIRST_VERTEX_TEXTURE;
use afterimage_render::constants;
use afterimage_stream::TEXTURE_SLOTS;
use afterimage_stream::packets::{Stage, TextureBinding};
use ash::vk;
use smallvec::SmallVec;

impl Renderer {
    /// Sees to it that what a dispatch reads is there, and that nothing which it writes is still wanted as it was: with a barrier before
    /// it where that must be.
    pub(crate) fn order_feedback(&mut self, program: &Program, buffers: &Ranges, accesses: &mut Accesses) -> Result {
        let variant = &program.variant;
        let current = self.recorder.submissions.current;
        accesses.buffers.extend(self.storage_buffers(Stage::Vertex, variant));
        let bound = self.feedback_textures(program).into_iter().map(|(_, binding)| binding.texture);
        accesses.textures.extend(bound.filter(|id| !id.is_none()).map(|id| self.root(id)));
        for image in &variant.images {
            let bound = self.state.storage_images(Stage::Vertex)[usize::from(image.decl.slot)].view.texture;
            if !bound.is_none() {
                accesses.textures.push(self.root(bound));
            }
        }
        let (own, epoch) = (self.feedback.lowered.epoch, self.recorder.order.epoch);
        let mut waits = self.recorder.order.drawn;
        for id in &accesses.buffers {
            waits |= self.resources.buffers.get(*id).is_some_and(|buffer| buffer.order.conflicts(epoch, false));
        }
        // In the epoch of the feedback's last dispatch only its own may have written them: any other would have begun a new one.
        for target in buffers.iter().flatten().filter(|_| own != epoch) {
            waits |= self.resources.buffers.get(target.id).is_some_and(|buffer| buffer.order.conflicts(epoch, true));
        }
        for &id in &accesses.textures {
            self.make_live(id)?;
            let Some(texture) = self.resources.textures.get_mut(id) else { continue };
            texture.last_used = current;
            waits |= std::mem::take(&mut texture.written) || texture.order.conflicts(epoch, false);
        }
        if waits {
            self.begin_epoch();
        }
        Ok(())
    }

    /// A dispatch that captures was recorded: what it reads and writes has been by the present epoch.
    pub(crate) fn note_feedback(&mut self, buffers: &Ranges, accesses: Accesses) {
        let (current, epoch) = (self.recorder.submissions.current, self.recorder.order.epoch);
        for id in accesses.buffers {
            if let Some(buffer) = self.resources.buffers.get_mut(id) {
                buffer.order.note(epoch, false);
                buffer.last_used = current;
            }
        }
        for id in accesses.textures {
            if let Some(texture) = self.resources.textures.get_mut(id) {
                texture.order.note(epoch, false);
            }
        }
        self.feedback.lowered.epoch = epoch;
        for target in buffers.iter().flatten() {
            if let Some(buffer) = self.resources.buffers.get_mut(target.id) {
                buffer.order.note(epoch, true);
                buffer.last_used = current;
            }
        }
        self.recorder.order.written = true;
        self.compute_overwritten();
    }

    /// Binds a program, and what it reads: system values at an address, and the vertex stage's constants and textures.
    pub(crate) fn bind_feedback(&mut self, program: &Program, address: u64) -> Result {
        let variant = &program.variant;
        let layout = self.resources.descriptors.layouts.get(variant.reach)?;
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let stage = if program.scatters { Stage::Vertex } else { Stage::Compute };
        let mut push = [0u32; PUSH_TEXTURES + TEXTURE_SLOTS];
        let mut put = |byte: u32, address: u64| {
            let at = push::word(byte);
            (push[at], push[at + 1]) = (address as u32, (address >> 32) as u32);
        };
        put(push::feedback(stage), address);
        if variant.constant_bytes > 0 {
            let mut slice = self.memory.constants.alloc(variant.constant_bytes, ALIGN, current, completed)?;
            constants::write(&self.state, &variant.segments, &variant.defs, slice.bytes_mut());
            write_addresses(
                &self.state,
                &mut self.resources.buffers,
                current,
                Stage::Vertex,
                variant,
                slice.bytes_mut(),
            );
            put(push::constants(stage), slice.address);
        }
        if variant.system {
            let block = self.system_block();
            let bytes: &[u8] = bytemuck::cast_slice(&block);
            let mut slice = self.memory.constants.alloc(bytes.len(), ALIGN, current, completed)?;
            slice.bytes_mut().copy_from_slice(bytes);
            put(push::SYSTEM, slice.address);
        }
        let words = self.feedback_words(program)?;
        push[PUSH_TEXTURES..].copy_from_slice(&words);
        let (point, stages) = match program.scatters {
            true => (vk::PipelineBindPoint::GRAPHICS, PUSH_STAGES),
            false => (vk::PipelineBindPoint::COMPUTE, vk::ShaderStageFlags::COMPUTE),
        };
        let cmd = self.recorder.main();
        self.stats.calls.made += 2;
        // SAFETY: pipeline and layout are alive until the submission has completed, and the layout's range has that many bytes.
        unsafe {
            self.gpu.raw.cmd_bind_pipeline(cmd, point, program.pipeline.raw);
            self.gpu.raw.cmd_push_constants(cmd, layout.raw, stages, 0, bytemuck::cast_slice(&push));
        }
        let mut sets = SmallVec::<[_; 2]>::new();
        if variant.textures != 0 {
            let set = match self.resources.descriptors.bindless {
                Some((_, set)) => set,
                None => {
                    let tables = variant.tables | SlotKey::reach(variant.reach);
                    let key = SlotKey { words, tables, kinds: variant.kinds };
                    self.resources.descriptors.slot_set(&key, layout.textures, current, completed)?
                }
            };
            sets.push((0, set));
        }
        if !variant.images.is_empty() {
            let key = self.image_key(&[(Stage::Vertex, variant)])?;
            sets.push((1, self.resources.descriptors.image_set(&key, current, completed)?));
        }
        for (number, set) in sets {
            self.stats.calls.made += 1;
            // SAFETY: set and layout are alive until the submission has completed.
            unsafe { self.gpu.raw.cmd_bind_descriptor_sets(cmd, point, layout.raw, number, &[set], &[]) };
        }
        Ok(())
    }

    /// Words of the textures that a program reads.
    fn feedback_words(&mut self, program: &Program) -> Result<[u32; TEXTURE_SLOTS]> {
        let (variant, mut words) = (&program.variant, [0; TEXTURE_SLOTS]);
        for (slot, binding) in self.feedback_textures(program) {
            let table = (variant.tables >> (3 * slot) & 7) as u8;
            words[slot] = self.other_word(binding, table | ((variant.kinds >> (2 * slot) & 3) as u8) << 3)?;
        }
        Ok(words)
    }

    /// The textures that a program reads, by its slots.
    fn feedback_textures(&self, program: &Program) -> SmallVec<[(usize, TextureBinding); 4]> {
        // The vertex stage's are the first ones of compute shaders.
        let first = if program.scatters { 0 } else { FIRST_VERTEX_TEXTURE };
        let binding = |slot| Some((slot, *self.state.textures.all().get(first + slot)?));
        bits(program.variant.textures).filter_map(binding).collect()
    }
}
