//! Compute: pipelines of compute shaders, and dispatches.
//!
//! A compute pipeline is made from a shader and nothing else, so workers begin with it as soon as the shader is created.

use crate::error::Result;
use crate::pipeline::compute::Recorded;
use crate::pipeline::shaders::Variant;
use crate::renderer::Renderer;
use crate::resources::descriptors::{ImageKey, PUSH_TEXTURES, SlotKey};
use crate::state::apply::{Applied, Stop, differs};
use crate::state::bound::ALL_PUSH_WORDS;
use crate::state::vertices::bits;
use afterimage_abi::push;
use afterimage_shader::RuntimeInfo;
use afterimage_state::{Effect, trace};
use afterimage_stream::host::level;
use afterimage_stream::packets::{Dispatch, Stage};
use afterimage_stream::{Group, Host, ObjectId, TEXTURE_SLOTS};
use ash::vk;
use std::sync::Arc;

impl Renderer {
    /// A compute shader was created: workers make its pipeline.
    pub(crate) fn prepare_compute(&mut self, id: ObjectId) {
        let Some(guest) = self.programs.shaders.get_mut(id) else { return };
        let Some(number) = self.programs.library.number(guest, &RuntimeInfo::default()) else { return };
        if let Some(slot) = self.programs.library.slot(number) {
            self.programs.compute.prepare(number, slot);
        }
    }

    /// A shader was destroyed, or made under an id that there was before.
    pub(crate) fn compute_shader_changed(&mut self, id: ObjectId) {
        if *self.bound.computing.shader == id {
            self.state.tracker.changed(Host::COMPUTE_SHADER.only());
        }
    }

    /// [`Dispatch`].
    pub(crate) fn dispatch(&mut self, body: &Dispatch) -> Result {
        self.recorder.draws += 1;
        self.bound.computing.shader.set(body.shader, &mut self.state.tracker);
        // Sets and push constants of dispatches and draws are in the same command buffer.
        self.end_pass();
        let there = self.apply(level::DISPATCH, None)?;
        let Some((variant, layout)) =
            self.bound.computing.variant.clone().zip(self.bound.computing.layout).filter(|_| there)
        else {
            self.recorder.skipped_draws += 1;
            return Ok(());
        };
        if body.groups.contains(&0) {
            return Ok(());
        }
        self.order_dispatch(&variant)?;
        if let Some(key) = self.bound.recorded.compute.image_key.filter(|_| !variant.images.is_empty()) {
            self.empty_null_images(&key)?;
        }
        let mut push = [0u32; push::word(push::LINES)];
        if let Some(block) = &self.bound.blocks[Stage::Compute as usize] {
            let at = push::word(push::constants(Stage::Compute));
            (push[at], push[at + 1]) = (block.address as u32, (block.address >> 32) as u32);
        }
        if self.resources.descriptors.bindless.is_some() {
            push[PUSH_TEXTURES..PUSH_TEXTURES + TEXTURE_SLOTS].copy_from_slice(&self.bound.computing.words);
        }
        let [x, y, z] = body.groups;
        let cmd = self.recorder.main();
        // SAFETY: no pass is open; pipeline, sets and push constants are as the shader's reflection says, and the numbers of
        // groups are below every device's limits.
        unsafe {
            let words = bytemuck::cast_slice(&push);
            self.gpu.raw.cmd_push_constants(cmd, layout.raw, vk::ShaderStageFlags::COMPUTE, 0, words);
            self.gpu.raw.cmd_dispatch(cmd, x, y, z);
        }
        self.push_overwritten();
        Ok(())
    }

    /// The push constants of draws may have been where a dispatch's are now.
    fn push_overwritten(&mut self) {
        self.bound.push_range = ALL_PUSH_WORDS;
        self.state.tracker.changed(Host::PUSHED.only());
    }

    /// A dispatch that is none of the guest's was recorded.
    pub(crate) fn compute_overwritten(&mut self) {
        self.push_overwritten();
        if std::mem::take(&mut self.bound.recorded.compute) != Recorded::default() {
            self.state.tracker.changed(Host::COMPUTE_SHADER.only());
        }
    }

    fn compute_pipeline(&mut self, shader: ObjectId) -> Option<(u32, Arc<Variant>, vk::Pipeline)> {
        let guest = self.programs.shaders.get_mut(shader)?;
        let number = self.programs.library.number(guest, &RuntimeInfo::default())?;
        let slot = self.programs.library.slot(number)?;
        let pipeline = self.programs.compute.wait(number, slot)?;
        Some((number, self.programs.library.variant(number)?, pipeline))
    }

    /// [`Group::ComputeShader`].
    pub(crate) fn apply_compute_shader(&mut self) -> Applied {
        self.commands();
        let found = self.compute_pipeline(*self.bound.computing.shader);
        let Some((number, variant, pipeline)) = found else {
            self.bound.computing.variant = None;
            return Err(Stop::Skip);
        };
        let layout = self.resources.descriptors.layouts.get(variant.reach)?;
        let recorded = &mut self.bound.recorded.compute;
        let mut changed = self.bound.computing.variant.replace(variant).map(|variant| variant.module)
            != self.bound.computing.variant.as_ref().map(|variant| variant.module);
        (self.bound.computing.pipeline, self.bound.computing.layout) = (pipeline, Some(layout));
        if recorded.layout != layout.raw {
            let pipeline = recorded.pipeline;
            *recorded = Recorded { layout: layout.raw, pipeline, ..Recorded::default() };
            changed = true;
        }
        if recorded.pipeline != pipeline {
            recorded.pipeline = pipeline;
            self.stats.calls.made += 1;
            let cmd = self.recorder.main();
            // SAFETY: the command buffer is being recorded; the pipeline is there for as long as it is used.
            unsafe { self.gpu.raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::COMPUTE, pipeline) };
            self.note_shader(Stage::Compute, number);
        }
        Ok(Effect::of(changed))
    }

    /// Whether the shader of the last dispatch has another pipeline than is bound.
    pub(crate) fn compute_shader_differs(&mut self) -> Option<String> {
        let found = self.compute_pipeline(*self.bound.computing.shader);
        differs(&found.map(|(.., pipeline)| pipeline), &Some(self.bound.recorded.compute.pipeline))
    }

    /// The variant of the last dispatch's shader.
    fn compute_variant(&self) -> Option<Arc<Variant>> {
        trace::read_result::<Host>(Group::ComputeShader);
        self.bound.computing.variant.clone()
    }

    /// [`Group::ComputeConstants`].
    pub(crate) fn apply_compute_constants(&mut self) -> Applied {
        self.apply_constants(Stage::Compute)
    }

    /// Words of the textures that the shader reads.
    fn compute_words(&mut self) -> Result<[u32; TEXTURE_SLOTS]> {
        let mut words = [0; TEXTURE_SLOTS];
        let Some(variant) = self.compute_variant() else { return Ok(words) };
        for slot in bits(variant.textures) {
            let Some(&binding) = self.state.compute_textures.all().get(slot) else { continue };
            let table = (variant.tables >> (3 * slot) & 7) as u8;
            words[slot] = self.other_word(binding, table | ((variant.kinds >> (2 * slot) & 3) as u8) << 3)?;
        }
        Ok(words)
    }

    fn compute_slots(&self, variant: &Variant, words: [u32; TEXTURE_SLOTS]) -> SlotKey {
        SlotKey { words, tables: variant.tables | SlotKey::reach(variant.reach), kinds: variant.kinds }
    }

    /// [`Group::ComputeTextures`]: words in push constants, or a set.
    pub(crate) fn apply_compute_textures(&mut self) -> Applied {
        self.commands();
        let words = self.compute_words()?;
        self.bound.computing.words = words;
        let (Some(variant), Some(layout)) = (self.compute_variant(), self.bound.computing.layout) else {
            return Ok(Effect::Same);
        };
        if variant.textures == 0 && variant.in_tables == 0 {
            return Ok(Effect::Same);
        }
        match self.resources.descriptors.bindless {
            Some((_, set)) => {
                if !std::mem::replace(&mut self.bound.recorded.compute.descriptors_bound, true) {
                    self.bind_compute_set(layout.raw, 0, set);
                }
            }
            None => {
                let key = self.compute_slots(&variant, words);
                if self.bound.recorded.compute.slot_key != Some(key) {
                    let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
                    let set = self.resources.descriptors.slot_set(&key, layout.textures, current, completed)?;
                    self.bound.recorded.compute.slot_key = Some(key);
                    self.bind_compute_set(layout.raw, 0, set);
                }
            }
        }
        Ok(Effect::Same)
    }

    /// Whether the textures of dispatches are others than was pushed or bound.
    pub(crate) fn compute_textures_differ(&mut self) -> Option<String> {
        let words = self.compute_words().ok()?;
        let variant = self.compute_variant().filter(|variant| variant.textures != 0)?;
        match self.resources.descriptors.bindless {
            Some(_) => differs(&words, &self.bound.computing.words),
            None => differs(&Some(self.compute_slots(&variant, words)), &self.bound.recorded.compute.slot_key),
        }
    }

    /// The storage images of the shader, if it accesses any.
    fn compute_images(&mut self) -> Result<Option<ImageKey>> {
        match self.compute_variant().filter(|variant| !variant.images.is_empty()) {
            Some(variant) => self.image_key(&[(Stage::Compute, &variant)]).map(Some),
            None => Ok(None),
        }
    }

    /// [`Group::ComputeImages`].
    pub(crate) fn apply_compute_images(&mut self) -> Applied {
        self.commands();
        let Some(key) = self.compute_images()?.filter(|key| self.bound.recorded.compute.image_key != Some(*key)) else {
            return Ok(Effect::Same);
        };
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let set = self.resources.descriptors.image_set(&key, current, completed)?;
        self.bound.recorded.compute.image_key = Some(key);
        if let Some(layout) = self.bound.computing.layout {
            self.bind_compute_set(layout.raw, 1, set);
        }
        Ok(Effect::Same)
    }

    /// Whether other storage images are bound than dispatches access.
    pub(crate) fn compute_images_differ(&mut self) -> Option<String> {
        let key = self.compute_images().ok()??;
        differs(&Some(key), &self.bound.recorded.compute.image_key)
    }

    /// Sees to it that what a dispatch reads is there, and that nothing which it writes is still wanted as it was: with a barrier
    /// before it where that must be.
    fn order_dispatch(&mut self, variant: &Variant) -> Result {
        let (current, stores) = (self.recorder.submissions.current, variant.stores);
        let mut waits = self.recorder.order.drawn;
        let mut epoch = self.recorder.order.epoch;
        let buffers = self.storage_buffers(Stage::Compute, variant);
        for id in &buffers {
            waits |= self.resources.buffers.get(*id).is_some_and(|buffer| buffer.order.conflicts(epoch, stores));
        }
        let mut textures: Vec<(ObjectId, bool)> = Vec::new();
        let in_tables = variant.in_tables != 0;
        let writes_images = variant.images.iter().any(|image| image.written);
        if in_tables {
            // Which textures of its tables it reads nobody knows.
            waits |= self.recorder.order.written || self.lags_in_tables().is_some();
        }
        waits |= writes_images && self.resources.texture_tables.epoch == epoch;
        for slot in bits(variant.textures) {
            let Some(binding) = self.state.compute_textures.all().get(slot) else { continue };
            if !binding.texture.is_none() {
                textures.push((self.root(binding.texture), false));
            }
        }
        for image in &variant.images {
            let bound = self.state.storage_images(Stage::Compute)[usize::from(image.decl.slot)];
            if !bound.view.texture.is_none() {
                textures.push((self.root(bound.view.texture), image.written));
            }
        }
        for &(id, writes) in &textures {
            self.make_live(id)?;
            let Some(texture) = self.resources.textures.get_mut(id) else { continue };
            texture.last_used = current;
            waits |= std::mem::take(&mut texture.written) || texture.order.conflicts(epoch, writes);
        }
        if waits {
            self.begin_epoch();
            epoch = self.recorder.order.epoch;
        }
        if in_tables {
            self.ready_tables()?;
            self.resources.texture_tables.epoch = epoch;
        }
        for id in buffers {
            if let Some(buffer) = self.resources.buffers.get_mut(id) {
                buffer.order.note(epoch, stores);
                buffer.last_used = current;
            }
        }
        for (id, writes) in textures {
            if let Some(texture) = self.resources.textures.get_mut(id) {
                texture.order.note(epoch, writes);
            }
        }
        self.recorder.order.written |= stores;
        Ok(())
    }

    fn bind_compute_set(&mut self, layout: vk::PipelineLayout, number: u32, set: vk::DescriptorSet) {
        let cmd = self.recorder.main();
        self.stats.calls.made += 1;
        // SAFETY: set and layout are alive until the submission has completed.
        unsafe {
            self.gpu.raw.cmd_bind_descriptor_sets(cmd, vk::PipelineBindPoint::COMPUTE, layout, number, &[set], &[]);
        }
    }
}
