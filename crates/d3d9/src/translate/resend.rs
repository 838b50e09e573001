//! After a new receiver has taken the place of a lost one: every live object again, with its contents, and everything
//! dirty.

use super::Host;
use crate::driver::Device;
use crate::memory::Region;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::*;

impl Device {
    /// Looks for a new receiver; if there is one, gives it everything. True if that happened.
    pub(crate) fn recover(&mut self) -> bool {
        if !self.port.returned() {
            return false;
        }
        self.resend();
        true
    }

    /// Sends every live object to a receiver that has none.
    fn resend(&mut self) {
        self.send_targets();
        for id in self.objects.images.ids() {
            self.resend_image(id);
        }
        for id in self.objects.buffers.ids() {
            self.create_buffer_object(id);
            self.upload_buffer(id);
        }
        for id in self.objects.vertex_shaders.ids() {
            self.with_program(|objects| objects.vertex_shaders.get_mut(id));
            self.with_program(|objects| objects.vertex_shaders.get_mut(id)?.in_software.as_deref_mut());
        }
        for id in self.objects.pixel_shaders.ids() {
            self.with_program(|objects| objects.pixel_shaders.get_mut(id));
        }
        for index in 0..self.objects.fixed.len() {
            self.with_program(|objects| objects.fixed.get_mut(index));
        }
        for number in 0..self.objects.processings.len() {
            self.with_program(|objects| Some(&mut objects.processings.get_mut(number)?.program));
        }
        let mut samplers: Vec<_> = self.host.samplers.iter().map(|(key, id)| (*id, *key)).collect();
        samplers.sort_unstable();
        for (id, key) in samplers {
            self.port.push(&CreateSampler { id, ..bytemuck::cast(key) });
        }
        // Layouts are made again when a draw needs them.
        for id in self.objects.declarations.ids() {
            if let Some(declaration) = self.objects.declarations.get_mut(id) {
                for layout in std::mem::take(&mut declaration.layouts) {
                    self.port.recycle(layout.id);
                }
            }
        }
        for processing in self.objects.processings.iter_mut() {
            let layout = std::mem::replace(&mut processing.layout, ObjectId::NONE);
            if !layout.is_none() {
                self.port.recycle(layout);
            }
        }
        self.lose_processed();
        for id in self.objects.queries.ids() {
            self.create_query_object(id);
        }
        let old = std::mem::take(&mut self.host);
        self.host = Host {
            samplers: old.samplers,
            fixed_vertex: old.fixed_vertex,
            fixed_pixel: old.fixed_pixel,
            ..Host::default()
        };
        self.registers.invalidate();
        self.port.flush_if_due();
    }

    fn resend_image(&mut self, id: crate::handle::ImageId) {
        let Some(image) = self.objects.images.get_mut(id) else { return };
        let Some(packet) = image.packet() else { return };
        self.port.push(&packet);
        self.port.name(image.id, &image.title());
        if image.memory.is_some() && !image.is_target() {
            for sub in &mut image.subs {
                sub.stale = Region::whole(sub.extent);
            }
            image.stale = true;
            image.mips_stale = image.autogen();
            self.upload_image(id);
        }
        self.port.flush_if_due();
    }

    fn with_program(&mut self, find: impl FnOnce(&mut crate::driver::Objects) -> Option<&mut crate::machine::Program>) {
        let Some(program) = find(&mut self.objects) else { return };
        let (id, stage, language) = (program.id, program.stage as u32, program.language as u32);
        if id.is_none() {
            return;
        }
        let Ok(code) = self.port.upload_bytes(bytemuck::cast_slice(&program.code)) else { return };
        self.port.push(&CreateShader { id, stage, language, pad: 0, code });
        self.port.flush_if_due();
    }

    /// Takes an object that is about to go out of every binding that the receiver has it in.
    pub(crate) fn unbind(&mut self, id: ObjectId) {
        use crate::machine::{DeviceState, Group};
        let (sent, tracker) = (&mut self.host.sent, &mut self.registers.tracker);
        for (slot, binding) in sent.textures.iter_mut().enumerate() {
            if binding.texture == id {
                *binding = TextureBinding::default();
                let packet = SetTextures { first: slot as u32, count: 1 };
                self.port.push_tail(&packet, &[TextureBinding::default()]);
                tracker.mark_instances(DeviceState::TEXTURE, 1 << slot);
                tracker.mark(Group::Textures);
            }
        }
        for (slot, binding) in sent.vertex_buffers.iter_mut().enumerate() {
            if binding.source == id {
                *binding = VertexBuffer::default();
                let packet = SetVertexBuffers { first: slot as u32, count: 1 };
                self.port.push_tail(&packet, &[VertexBuffer::default()]);
                tracker.mark_instances(DeviceState::STREAM, 1 << slot);
                tracker.mark(Group::VertexBuffers);
            }
        }
        if sent.index_buffer.is_some_and(|packet| packet.source == id) {
            self.port.put(&mut sent.index_buffer, SetIndexBuffer::default());
            tracker.mark(Group::IndexBuffer);
        }
        if let Some(mut targets) = sent.targets {
            let views = targets.color.iter_mut().chain([&mut targets.depth]);
            views.filter(|view| view.texture == id).for_each(|view| *view = View::default());
            let before = sent.targets;
            self.port.put(&mut sent.targets, targets);
            if sent.targets != before {
                tracker.mark(Group::RenderTargets);
            }
        }
        if sent.vertex_input.is_some_and(|packet| packet.id == id) {
            self.port.put(&mut sent.vertex_input, SetVertexInput::default());
            tracker.mark(Group::VertexInput);
        }
        if let Some(mut shaders) = sent.shaders {
            let mut bound = false;
            for shader in [&mut shaders.vertex, &mut shaders.pixel] {
                if *shader == id {
                    *shader = ObjectId::NONE;
                    bound = true;
                }
            }
            if bound {
                self.port.put(&mut sent.shaders, shaders);
                self.host.stages.forget();
                tracker.mark(Group::VertexShader);
                tracker.mark(Group::PixelShader);
            }
        }
    }
}
