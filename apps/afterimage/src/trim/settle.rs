//! Packets that bring one state to what a call needs of another.

use super::needs::lives;
use super::touch::{DRAWN, reads_slot};
use afterimage_stream::packets::*;
use afterimage_stream::{Arena, Bank, Encoder, ObjectId, ObjectKind, State, UploadRef};

/// Entries of a table that one packet brings.
const ENTRIES_AT_ONCE: usize = 4096;

/// Registers that are equal between two that differ, so that one packet for both is less.
const GAP: usize = 2;

/// What the state is to become, what it is, and where the packets go.
pub(super) struct Settle<'a> {
    pub(super) wanted: &'a State,
    pub(super) have: &'a State,
    pub(super) out: &'a mut Encoder,
    pub(super) arena: &'a dyn Arena,
}

impl Settle<'_> {
    /// For a draw that looks up these texture slots.
    pub(super) fn draw(&mut self, slots: u32) {
        self.targets();
        let Self { wanted, have, .. } = *self;
        macro_rules! same {
            ($($group:ident)*) => { $( if *wanted.$group != *have.$group { self.out.push(&*wanted.$group); } )* };
        }
        same!(viewport scissor raster depth_stencil pixel_ops);
        if *wanted.blend != *have.blend || *wanted.blend_targets != *have.blend_targets {
            self.out.push_tail(&*wanted.blend, &wanted.blend_targets);
        }
        let alive = |id| if lives(wanted, id) { id } else { ObjectId::NONE };
        let shaders = *wanted.shaders;
        let shaders = SetShaders {
            vertex: alive(shaders.vertex),
            pixel: alive(shaders.pixel),
            geometry: alive(shaders.geometry),
            ..shaders
        };
        if shaders != *have.shaders {
            self.out.push(&shaders);
        }
        let input = SetVertexInput { id: alive(wanted.vertex_input.id), pad: 0 };
        if input != *have.vertex_input {
            self.out.push(&input);
        }
        for slot in 0..wanted.vertex_buffers.all().len() {
            let mut binding = wanted.vertex_buffers.all()[slot];
            if !reads_slot(wanted, slot) || !self.source(&mut binding.source, binding.offset, &mut binding.size) {
                binding = VertexBuffer::default();
            }
            if binding != have.vertex_buffers.all()[slot] {
                self.out.push_tail(&SetVertexBuffers { first: slot as u32, count: 1 }, &[binding]);
            }
        }
        let bindings = (wanted.textures.all(), have.textures.all());
        self.textures(bindings.0, bindings.1, 0, slots);
        for stage in DRAWN {
            self.memory(stage);
        }
        self.constants();
    }

    /// For a draw with indices, besides.
    pub(super) fn indices(&mut self) {
        let mut binding = *self.wanted.index_buffer;
        let (offset, mut size) = (binding.offset, binding.size);
        if self.source(&mut binding.source, offset, &mut size) {
            binding.size = size;
            if binding != *self.have.index_buffer {
                self.out.push(&binding);
            }
        }
    }

    /// For a clear.
    pub(super) fn targets(&mut self) {
        let view = |view: View| if lives(self.wanted, view.texture) { view } else { View::default() };
        let targets = *self.wanted.render_targets;
        let targets = SetRenderTargets { color: targets.color.map(view), depth: view(targets.depth), ..targets };
        if targets != *self.have.render_targets {
            self.out.push(&targets);
        }
    }

    /// For a dispatch whose shader looks up these texture slots.
    pub(super) fn dispatch(&mut self, slots: u32) {
        let bindings = (self.wanted.compute_textures.all(), self.have.compute_textures.all());
        self.textures(bindings.0, bindings.1, afterimage_stream::TEXTURE_SLOTS, slots);
        self.memory(Stage::Compute);
        self.constants();
    }

    /// For the beginning of a capture of vertices.
    pub(super) fn feedback_buffers(&mut self) {
        let buffers = self.wanted.feedback_buffers.map(|buffer| match lives(self.wanted, buffer.buffer) {
            true => buffer,
            false => FeedbackBuffer::default(),
        });
        if buffers != self.have.feedback_buffers {
            self.out.push_tail(&SetFeedbackBuffers { first: 0, count: buffers.len() as u32 }, &buffers);
        }
    }

    /// Whether a source of vertices or indices is there. One that names all uploaded bytes that there are is given their number.
    fn source(&self, source: &mut ObjectId, offset: u64, size: &mut u64) -> bool {
        if source.kind() != Some(ObjectKind::Upload) {
            return lives(self.wanted, *source);
        }
        if *size == 0 {
            *size = reach(self.arena, source.serial(), offset);
        }
        *size > 0
    }

    fn textures(&mut self, wanted: &[TextureBinding], have: &[TextureBinding], first: usize, slots: u32) {
        for (slot, (wanted, have)) in wanted.iter().zip(have).enumerate() {
            let there = lives(self.wanted, wanted.texture) && lives(self.wanted, wanted.sampler);
            let wanted = if there { *wanted } else { TextureBinding::default() };
            if slots >> slot & 1 != 0 && wanted != *have {
                self.out.push_tail(&SetTextures { first: (first + slot) as u32, count: 1 }, &[wanted]);
            }
        }
    }

    fn memory(&mut self, stage: Stage) {
        let Self { wanted, have, .. } = *self;
        for (slot, (binding, have)) in wanted.storage(stage).iter().zip(have.storage(stage)).enumerate() {
            let there = binding.buffer.is_none() || lives(wanted, binding.buffer);
            let binding = if there { *binding } else { StorageBinding::default() };
            if binding != *have {
                self.out.push_tail(&SetStorage { stage: stage as u32, first: slot as u16, count: 1 }, &[binding]);
            }
            self.table(binding.buffer);
        }
        for (slot, (image, have)) in wanted.storage_images(stage).iter().zip(have.storage_images(stage)).enumerate() {
            let image = if lives(wanted, image.view.texture) { *image } else { StorageImage::default() };
            if image != *have {
                self.out.push_tail(&SetStorageImages { stage: stage as u32, first: slot as u16, count: 1 }, &[image]);
            }
        }
    }

    /// What a table holds.
    fn table(&mut self, id: ObjectId) {
        let Some(wanted) = self.wanted.objects.table(id) else { return };
        let have = self.have.objects.table(id).unwrap_or_default();
        let (mut first, kept) = (0, |entry: &TableEntry| {
            let alive = |id| if lives(self.wanted, id) { id } else { ObjectId::NONE };
            TableEntry { texture: alive(entry.texture), sampler: alive(entry.sampler), ..*entry }
        });
        for part in wanted.chunks(ENTRIES_AT_ONCE) {
            let there = have.get(first..).unwrap_or_default();
            let part: Vec<TableEntry> = part.iter().map(kept).collect();
            if !there.starts_with(&part) {
                let body = UpdateTable { id, first: first as u32, count: part.len() as u32, pad: 0 };
                self.out.push_tail(&body, &part);
            }
            first += part.len();
        }
    }

    fn constants(&mut self) {
        for bank in Bank::ALL.into_iter().filter(|bank| !bank.has_addresses()).map(|bank| bank as usize) {
            let (wanted, have) = (self.wanted.bank(bank), self.have.bank(bank));
            if wanted == have {
                continue;
            }
            let mut at = 0;
            while let Some(first) = (at..wanted.len()).find(|at| wanted[*at] != have[*at]) {
                let mut end = first + 1;
                while let Some(next) = (end..wanted.len().min(end + GAP)).find(|at| wanted[*at] != have[*at]) {
                    end = next + 1;
                }
                let body = SetConstants { bank: bank as u16, first: first as u16, count: (end - first) as u32 };
                self.out.push_tail(&body, &wanted[first..end]);
                at = end;
            }
        }
    }
}

/// How many bytes there are from an offset of a slot on.
fn reach(arena: &dyn Arena, slot: u32, offset: u64) -> u64 {
    let mut bytes = vec![0; 64 << 10];
    let mut there = 0u32;
    let mut step = bytes.len() as u32;
    while step > 0 {
        let range = UploadRef { slot, size: there.saturating_add(step), offset };
        if arena.copy_out(&range, there, &mut bytes[..step as usize]) {
            there = range.size;
        } else {
            step /= 2;
        }
    }
    there.into()
}
