//! A state written out as packets: what a capture that starts in the middle begins with.

use crate::packets::*;
use crate::state::{Bank, Created, SERIAL_STEP, State, TEXTURE_SLOTS, VERTEX_BUFFERS};
use crate::{Arena, Encoder, Format, ObjectId, ObjectKind, UploadRef, Validator};
use bytemuck::Zeroable;
use std::slice::from_ref;

/// Entries of a table that one packet brings.
const ENTRIES_AT_ONCE: usize = 4096;

/// No upload memory: what refers to it is no part of a state.
struct NoArena;

impl Arena for NoArena {
    fn slot_size(&self, _: u32) -> Option<u64> {
        None
    }

    fn copy_out(&self, _: &UploadRef, _: u32, _: &mut [u8]) -> bool {
        false
    }

    fn copy_in(&self, _: &UploadRef, _: u32, _: &[u8]) -> bool {
        false
    }
}

impl State {
    /// Writes packets that build this state from nothing. `contents` is called for every buffer and texture right
    /// after its creation, to add its bytes as updates, and for every shader *instead of* its creation, since the code
    /// needs an upload reference of its own.
    pub fn write(&self, out: &mut Encoder, mut contents: impl FnMut(ObjectId, &Created, &mut Encoder)) {
        if let Some((guest, process, name)) = &self.program {
            let (guest, process) = (*guest, *process);
            out.push_tail(&Init { version: Init::VERSION, count: name.len() as u32, process, guest }, name);
        }
        for kind in ObjectKind::OBJECTS {
            // One more than the largest serial so far.
            let mut end = 0;
            for (id, created) in self.objects.iter(kind) {
                if let Created::View(..) = created {
                    continue;
                }
                step_up_to(id, created, &mut end, out, &mut contents);
                write_object(id, created, out, &mut contents);
            }
            // Behind the textures, since serials say nothing of which was made first.
            for (id, created) in self.objects.iter(kind) {
                if let Created::View(body, _) = created {
                    step_up_to(id, created, &mut end, out, &mut contents);
                    out.push(body);
                }
            }
        }
        for (&id, name) in &self.objects.names {
            out.push_tail(&Name { id, count: name.len() as u32 }, name.as_bytes());
        }
        for (&id, steps) in &self.gammas {
            out.push_tail(&SetGamma { id, count: steps.len() as u32 }, steps);
        }
        self.write_settings(out);
        self.write_bindings(out);
        for bank in 0..Bank::COUNT {
            // Registers start as zero.
            let registers = self.bank(bank);
            let used = used(registers, &[0; 4]);
            if used > 0 {
                let body = SetConstants { bank: bank as u16, first: 0, count: used as u32 };
                out.push_tail(&body, &registers[..used]);
            }
        }
    }

    /// What names no objects.
    fn write_settings(&self, out: &mut Encoder) {
        out.push(&*self.viewport);
        out.push(&*self.scissor);
        out.push_tail(&SetViewports { count: self.viewports.len() as u32, pad: 0 }, &self.viewports);
        out.push(&*self.depth_bounds);
        out.push(&*self.raster);
        out.push(&*self.depth_stencil);
        out.push_tail(&*self.blend, &self.blend_targets);
        out.push(&*self.pixel_ops);
    }

    /// What names objects, as far as it could be set now: a guest may destroy what is bound, and does not draw with it then.
    /// Bindings of upload memory end with their frame.
    fn write_bindings(&self, out: &mut Encoder) {
        let is_upload = |source: ObjectId| source.kind() == Some(ObjectKind::Upload);
        let targets = &*self.render_targets;
        let mut body = SetRenderTargets { layers: targets.layers, ..SetRenderTargets::default() };
        for (kept, view) in body.color.iter_mut().zip(targets.color) {
            let alone = SetRenderTargets { color: [view; 8], layers: targets.layers, ..SetRenderTargets::default() };
            *kept = if self.takes(&Packet::SetRenderTargets(&alone)) { view } else { View::default() };
        }
        let alone = SetRenderTargets { depth: targets.depth, layers: targets.layers, ..SetRenderTargets::default() };
        body.depth = if self.takes(&Packet::SetRenderTargets(&alone)) { targets.depth } else { View::default() };
        out.push(&body);
        if self.takes(&Packet::SetVertexInput(&self.vertex_input)) {
            out.push(&*self.vertex_input);
        }
        let one = SetVertexBuffers { first: 0, count: 1 };
        let taken = |binding: &VertexBuffer| {
            !is_upload(binding.source) && self.takes(&Packet::SetVertexBuffers(&one, from_ref(binding)))
        };
        let buffers = kept(self.vertex_buffers.all(), taken);
        out.push_tail(&SetVertexBuffers { first: 0, count: VERTEX_BUFFERS as u32 }, &buffers);
        if !is_upload(self.index_buffer.source) && self.takes(&Packet::SetIndexBuffer(&self.index_buffer)) {
            out.push(&*self.index_buffer);
        }
        let shaders = &*self.shaders;
        let [vertex, pixel, geometry] = [
            SetShaders { vertex: shaders.vertex, ..SetShaders::default() },
            SetShaders { pixel: shaders.pixel, ..SetShaders::default() },
            SetShaders { geometry: shaders.geometry, ..SetShaders::default() },
        ]
        .map(|alone| if self.takes(&Packet::SetShaders(&alone)) { alone } else { SetShaders::default() });
        out.push(&SetShaders { pixel: pixel.pixel, geometry: geometry.geometry, ..vertex });
        let one = SetTextures { first: 0, count: 1 };
        let taken = |binding: &TextureBinding| self.takes(&Packet::SetTextures(&one, from_ref(binding)));
        out.push_tail(&SetTextures { first: 0, count: TEXTURE_SLOTS as u32 }, &kept(self.textures.all(), taken));
        let textures = &self.compute_textures.all()[..used(self.compute_textures.all(), &TextureBinding::default())];
        if !textures.is_empty() {
            let body = SetTextures { first: TEXTURE_SLOTS as u32, count: textures.len() as u32 };
            out.push_tail(&body, &kept(textures, taken));
        }
        for stage in Stage::WITH_BINDINGS {
            let number = stage as u32;
            let buffers = &self.storage(stage)[..used(self.storage(stage), &StorageBinding::default())];
            if !buffers.is_empty() {
                let taken = |(first, binding): (u16, &StorageBinding)| {
                    let one = SetStorage { stage: number, first, count: 1 };
                    let taken = self.takes(&Packet::SetStorage(&one, from_ref(binding)));
                    if taken { *binding } else { StorageBinding::default() }
                };
                let buffers: Vec<_> = (0..).zip(buffers).map(taken).collect();
                out.push_tail(&SetStorage { stage: number, first: 0, count: buffers.len() as u16 }, &buffers);
            }
            let one = SetStorageImages { stage: number, first: 0, count: 1 };
            let images = &self.storage_images(stage)[..used(self.storage_images(stage), &StorageImage::default())];
            if !images.is_empty() {
                let images = kept(images, |image| self.takes(&Packet::SetStorageImages(&one, from_ref(image))));
                out.push_tail(&SetStorageImages { stage: number, first: 0, count: images.len() as u16 }, &images);
            }
        }
        let captured = &self.feedback_buffers[..used(&self.feedback_buffers, &FeedbackBuffer::default())];
        if !captured.is_empty() {
            let one = SetFeedbackBuffers { first: 0, count: 1 };
            let captured = kept(captured, |buffer| self.takes(&Packet::SetFeedbackBuffers(&one, from_ref(buffer))));
            out.push_tail(&SetFeedbackBuffers { first: 0, count: captured.len() as u32 }, &captured);
        }
    }

    /// Whether a packet would pass the validator.
    fn takes(&self, packet: &Packet<'_>) -> bool {
        Validator::default().cause(self, packet, &NoArena).is_ok()
    }
}

/// Bindings, of which those that are not taken are as at first.
fn kept<T: Copy + Default>(bindings: &[T], taken: impl Fn(&T) -> bool) -> Vec<T> {
    bindings.iter().map(|binding| if taken(binding) { *binding } else { T::default() }).collect()
}

fn write_object(
    id: ObjectId,
    created: &Created,
    out: &mut Encoder,
    contents: &mut impl FnMut(ObjectId, &Created, &mut Encoder),
) {
    match created {
        Created::Buffer(body) => out.push(body),
        Created::Texture(body) => out.push(body.as_ref()),
        Created::Sampler(body) => out.push(body.as_ref()),
        Created::Query(body) => out.push(body),
        Created::Target(body) => out.push(body.as_ref()),
        Created::VertexInput(attributes) => {
            out.push_tail(&CreateVertexInput { id, count: attributes.len() as u32 }, attributes);
        }
        Created::Table(entries) => {
            out.push(&CreateTable { id, entries: entries.len() as u32 });
            let mut first = 0;
            for part in entries.chunks(ENTRIES_AT_ONCE) {
                if part.iter().any(|entry| *entry != TableEntry::default()) {
                    out.push_tail(&UpdateTable { id, first, count: part.len() as u32, pad: 0 }, part);
                }
                first += part.len() as u32;
            }
        }
        Created::Shader(_) | Created::View(..) => {}
    }
    if matches!(created, Created::Buffer(_) | Created::Texture(_) | Created::Shader(_)) {
        contents(id, created, out);
    }
}

/// Serials that are far beyond all others are not taken ([`SERIAL_STEP`]), and in a stream of many objects those between may be
/// gone: makes objects on the way there that go at once.
fn step_up_to(
    id: ObjectId,
    created: &Created,
    end: &mut usize,
    out: &mut Encoder,
    contents: &mut impl FnMut(ObjectId, &Created, &mut Encoder),
) {
    while id.serial() as usize >= *end + SERIAL_STEP {
        let Some(kind) = id.kind() else { return };
        let step = ObjectId::new(kind, (*end + SERIAL_STEP - 1) as u32);
        match created {
            Created::Buffer(_) => out.push(&CreateBuffer { id: step, usage: 0, size: 16 }),
            Created::Texture(_) | Created::View(..) => {
                out.push(&CreateTexture::plain(step, Format::R8G8B8A8_UNORM, [1, 1]));
            }
            Created::Sampler(body) => out.push(&CreateSampler { id: step, ..**body }),
            Created::Query(body) => out.push(&CreateQuery { id: step, ..*body }),
            Created::Target(body) => out.push(&PresentTarget { id: step, ..**body }),
            Created::VertexInput(_) => out.push_tail(&CreateVertexInput { id: step, count: 0 }, &[]),
            Created::Table(_) => out.push(&CreateTable { id: step, entries: 1 }),
            Created::Shader(body) => {
                contents(id, &Created::Shader(Box::new(CreateShader { id: step, ..**body })), out);
            }
        }
        out.push(&Destroy { id: step, ..Destroy::zeroed() });
        *end = step.serial() as usize + 1;
    }
    *end = (*end).max(id.serial() as usize + 1);
}

/// Number of elements up to the last that is not as it was at first.
fn used<T: PartialEq>(elements: &[T], at_first: &T) -> usize {
    elements.iter().rposition(|element| element != at_first).map_or(0, |last| last + 1)
}
