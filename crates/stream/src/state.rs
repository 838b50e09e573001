//! The whole state that a stream has built up: every live object as it was created, every group as it was last set.
//!
//! The renderer keeps exactly this as its own current state, applying dirty groups from it; a capture that starts in the
//! middle writes it out as packets ([`State::write`]).

use crate::packets::*;
use crate::{Encoder, ObjectId, ObjectKind};
use afterimage_state::{Dirty, groups};
use std::collections::BTreeMap;

groups! {
    /// The groups of host state, in the order of application.
    pub enum Group {
        /// [`SetRenderTargets`]. Another set of targets may have other formats, sizes and sample counts.
        RenderTargets requires [Blend, DepthStencil, Raster, Viewport, Scissor],
        /// [`SetViewport`].
        Viewport,
        /// [`SetScissor`].
        Scissor,
        /// [`SetShaders`]: what they read decides what the later groups have to supply.
        Shaders requires [VertexInput, Textures, VertexConstants, PixelConstants],
        /// [`SetRaster`].
        Raster,
        /// [`SetDepthStencil`].
        DepthStencil,
        /// [`SetBlend`].
        Blend,
        /// [`SetPixelOps`].
        PixelOps requires [SystemConstants],
        /// [`SetVertexInput`]: its attributes name the slots of the vertex buffers.
        VertexInput requires [VertexBuffers],
        /// [`SetVertexBuffers`].
        VertexBuffers,
        /// [`SetIndexBuffer`].
        IndexBuffer,
        /// [`SetTextures`].
        Textures,
        /// [`SetConstants`] in a bank of the vertex stage.
        VertexConstants,
        /// [`SetConstants`] in a bank of the pixel stage.
        PixelConstants,
        /// [`SetConstants`] in the system bank.
        SystemConstants,
    }
}

/// Alias for readers of the table above.
pub type Groups = Dirty<Group>;

/// A bank of constant registers.
#[derive(Clone, Copy, Debug)]
pub struct Bank {
    /// Name for logs and dumps.
    pub name: &'static str,
    /// Registers of 16 bytes.
    pub registers: u16,
    /// Group that a write marks.
    pub group: Group,
}

/// Every bank; the index is the number in [`SetConstants`] and in shader reflection.
pub const BANKS: [Bank; 13] = {
    use Group::{PixelConstants as P, SystemConstants as S, VertexConstants as V};
    const fn bank(name: &'static str, registers: u16, group: Group) -> Bank {
        Bank { name, registers, group }
    }
    [
        // Software vertex processing has more constants than hardware.
        bank("vertex float", 8192, V),
        bank("vertex integer", 2048, V),
        bank("vertex boolean", 2048, V),
        bank("pixel float", 8192, P),
        bank("pixel integer", 2048, P),
        bank("pixel boolean", 2048, P),
        bank("fixed vertex", 1280, V),
        bank("fixed pixel", 64, P),
        bank("system", 32, S),
        bank("nv2a vertex", 192, V),
        bank("nv2a fixed", 256, V),
        bank("nv2a screen", 16, V),
        bank("nv2a pixel", 128, P),
    ]
};

/// Vertex buffer slots.
pub const VERTEX_BUFFERS: usize = 16;
/// Texture slots: 16 of the pixel stage, then 4 of the vertex stage.
pub const TEXTURE_SLOTS: usize = 20;

/// Serial numbers may run this far ahead of the highest one seen: ids come from counters, so a larger step is garbage
/// that would make tables grow without bound.
const SERIAL_STEP: usize = 1 << 16;

/// An object as its packet created it.
#[derive(Clone, Debug)]
pub enum Created {
    /// A buffer.
    Buffer(CreateBuffer),
    /// A texture.
    Texture(Box<CreateTexture>),
    /// A sampler.
    Sampler(Box<CreateSampler>),
    /// A shader; the code is kept by whoever executes.
    Shader(Box<CreateShader>),
    /// A vertex input layout.
    VertexInput(Box<[VertexAttribute]>),
    /// A query.
    Query(CreateQuery),
    /// A present target.
    Target(Box<PresentTarget>),
}

/// Live objects by kind and serial.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    kinds: [Vec<Option<Created>>; 8],
}

impl Objects {
    /// The object of an id, if it lives.
    #[must_use]
    #[inline]
    pub fn get(&self, id: ObjectId) -> Option<&Created> {
        let slot = (id.0 >> 24) as usize;
        self.kinds.get(slot)?.get(id.serial() as usize)?.as_ref()
    }

    /// Largest serial that may be created next in a kind.
    pub(crate) fn serial_limit(&self, kind: ObjectKind) -> usize {
        self.kinds[kind as usize & 7].len() + SERIAL_STEP
    }

    fn insert(&mut self, id: ObjectId, created: Created) {
        let slot = (id.0 >> 24) as usize;
        let serial = id.serial() as usize;
        let Some(table) = self.kinds.get_mut(slot) else { return };
        if serial >= table.len() + SERIAL_STEP {
            return;
        }
        if serial >= table.len() {
            table.resize(serial + 1, None);
        }
        table[serial] = Some(created);
    }

    fn remove(&mut self, id: ObjectId) {
        if let Some(entry) =
            self.kinds.get_mut((id.0 >> 24) as usize).and_then(|table| table.get_mut(id.serial() as usize))
        {
            *entry = None;
        }
    }

    /// Every live object of a kind, by serial.
    pub fn iter(&self, kind: ObjectKind) -> impl Iterator<Item = (ObjectId, &Created)> {
        self.kinds[kind as usize & 7]
            .iter()
            .enumerate()
            .filter_map(move |(serial, created)| Some((ObjectId::new(kind, serial as u32), created.as_ref()?)))
    }
}

/// Everything a stream has set so far.
#[derive(Clone, Debug)]
pub struct State {
    /// Live objects.
    pub objects: Objects,
    /// Number of the frame that is open, or of the last one.
    pub frame: u64,
    /// Current targets.
    pub render_targets: SetRenderTargets,
    /// Current viewport.
    pub viewport: SetViewport,
    /// Current scissor.
    pub scissor: SetScissor,
    /// Current rasteriser state.
    pub raster: SetRaster,
    /// Current depth-stencil state.
    pub depth_stencil: SetDepthStencil,
    /// Current blend state.
    pub blend: SetBlend,
    /// Current pixel operations.
    pub pixel_ops: SetPixelOps,
    /// Current vertex input layout.
    pub vertex_input: SetVertexInput,
    /// Current vertex buffers.
    pub vertex_buffers: [VertexBuffer; VERTEX_BUFFERS],
    /// Current index buffer.
    pub index_buffer: SetIndexBuffer,
    /// Current shaders.
    pub shaders: SetShaders,
    /// Current textures and samplers.
    pub textures: [TextureBinding; TEXTURE_SLOTS],
    /// Gamma of the targets that have any.
    pub gammas: BTreeMap<ObjectId, Box<[u16]>>,
    /// What changed since the last draw took it.
    pub dirty: Groups,
    /// Bit per texture slot written since [`Group::Textures`] was last taken; whoever takes the group clears it.
    pub dirty_textures: u32,
    /// Bit per vertex buffer slot, likewise.
    pub dirty_vertex_buffers: u32,
    constants: Box<[[u32; 4]]>,
}

/// Register that each bank begins at, and behind the last one the number of all.
const BANK_STARTS: [usize; BANKS.len() + 1] = {
    let mut starts = [0; BANKS.len() + 1];
    let mut at = 0;
    while at < BANKS.len() {
        starts[at + 1] = starts[at] + BANKS[at].registers as usize;
        at += 1;
    }
    starts
};

impl Default for State {
    fn default() -> Self {
        Self {
            objects: Objects::default(),
            frame: 0,
            render_targets: SetRenderTargets::default(),
            viewport: SetViewport { max_depth: 1.0, ..SetViewport::default() },
            scissor: SetScissor { rect: Rect { x: 0, y: 0, width: i32::MAX as u32, height: i32::MAX as u32 } },
            raster: SetRaster {
                depth_clip: 1,
                point_size: 1.0,
                line_width: 1.0,
                sample_mask: u32::MAX,
                ..SetRaster::default()
            },
            depth_stencil: SetDepthStencil::default(),
            blend: SetBlend { write_masks: [15; 8], ..SetBlend::default() },
            pixel_ops: SetPixelOps { alpha_compare: Compare::Always as u8, ..SetPixelOps::default() },
            vertex_input: SetVertexInput::default(),
            vertex_buffers: [VertexBuffer::default(); VERTEX_BUFFERS],
            index_buffer: SetIndexBuffer::default(),
            shaders: SetShaders::default(),
            textures: [TextureBinding::default(); TEXTURE_SLOTS],
            gammas: BTreeMap::new(),
            dirty: Dirty::all(),
            dirty_textures: (1 << TEXTURE_SLOTS) - 1,
            dirty_vertex_buffers: (1 << VERTEX_BUFFERS) - 1,
            constants: vec![[0; 4]; BANK_STARTS[BANKS.len()]].into_boxed_slice(),
        }
    }
}

impl State {
    /// The registers of a bank; empty for a number that names none.
    #[must_use]
    #[inline]
    pub fn bank(&self, bank: usize) -> &[[u32; 4]] {
        match BANKS.get(bank) {
            Some(_) => &self.constants[BANK_STARTS[bank]..BANK_STARTS[bank + 1]],
            None => &[],
        }
    }

    /// Takes over what a packet says. The packet must have passed [`crate::Validator::check`] against this state; one
    /// that has not is applied as far as it fits, without panic.
    #[inline(always)]
    pub fn apply(&mut self, packet: &Packet<'_>) {
        match *packet {
            Packet::SetRenderTargets(body) => {
                self.render_targets = *body;
                self.dirty.mark(Group::RenderTargets);
            }
            Packet::SetViewport(body) => {
                self.viewport = *body;
                self.dirty.mark(Group::Viewport);
            }
            Packet::SetScissor(body) => {
                self.scissor = *body;
                self.dirty.mark(Group::Scissor);
            }
            Packet::SetRaster(body) => {
                self.raster = *body;
                self.dirty.mark(Group::Raster);
            }
            Packet::SetDepthStencil(body) => {
                self.depth_stencil = *body;
                self.dirty.mark(Group::DepthStencil);
            }
            Packet::SetBlend(body) => {
                self.blend = *body;
                self.dirty.mark(Group::Blend);
            }
            Packet::SetPixelOps(body) => {
                self.pixel_ops = *body;
                self.dirty.mark(Group::PixelOps);
            }
            Packet::SetVertexInput(body) => {
                self.vertex_input = *body;
                self.dirty.mark(Group::VertexInput);
            }
            Packet::SetVertexBuffers(body, bindings) => {
                for (slot, binding) in (body.first as usize..VERTEX_BUFFERS).zip(bindings) {
                    self.vertex_buffers[slot] = *binding;
                    self.dirty_vertex_buffers |= 1 << slot;
                }
                self.dirty.mark(Group::VertexBuffers);
            }
            Packet::SetIndexBuffer(body) => {
                self.index_buffer = *body;
                self.dirty.mark(Group::IndexBuffer);
            }
            Packet::SetShaders(body) => {
                self.shaders = *body;
                self.dirty.mark(Group::Shaders);
            }
            Packet::SetTextures(body, bindings) => {
                for (slot, binding) in (body.first as usize..TEXTURE_SLOTS).zip(bindings) {
                    self.textures[slot] = *binding;
                    self.dirty_textures |= 1 << slot;
                }
                self.dirty.mark(Group::Textures);
            }
            Packet::SetConstants(body, registers) => {
                let bank = usize::from(body.bank);
                if let Some(info) = BANKS.get(bank) {
                    let stored = &mut self.constants[BANK_STARTS[bank]..BANK_STARTS[bank + 1]];
                    let first = usize::from(body.first).min(stored.len());
                    let count = registers.len().min(stored.len() - first);
                    match (&mut stored[first..first + count], &registers[..count]) {
                        // No call for the most common one.
                        ([stored], [register]) => *stored = *register,
                        (stored, registers) => stored.copy_from_slice(registers),
                    }
                    self.dirty.mark(info.group);
                }
            }
            Packet::BeginFrame(body) => self.frame = body.frame,
            Packet::CreateBuffer(body) => self.objects.insert(body.id, Created::Buffer(*body)),
            Packet::CreateTexture(body) => {
                // Whoever is sent the state makes a shared image if there is none.
                let usage = body.usage & CreateTexture::TARGET;
                self.objects.insert(body.id, Created::Texture(Box::new(CreateTexture { usage, ..*body })));
            }
            Packet::CreateSampler(body) => self.objects.insert(body.id, Created::Sampler(Box::new(*body))),
            Packet::CreateShader(body) => self.objects.insert(body.id, Created::Shader(Box::new(*body))),
            Packet::CreateVertexInput(body, attributes) => {
                self.objects.insert(body.id, Created::VertexInput(attributes.into()));
            }
            Packet::CreateQuery(body) => self.objects.insert(body.id, Created::Query(*body)),
            Packet::PresentTarget(body) => self.objects.insert(body.id, Created::Target(Box::new(*body))),
            Packet::SetGamma(body, steps) => {
                self.gammas.remove(&body.id);
                if !steps.is_empty() {
                    self.gammas.insert(body.id, steps.into());
                }
            }
            Packet::Destroy(body) => {
                self.objects.remove(body.id);
                if body.id.kind() == Some(ObjectKind::Target) {
                    self.gammas.remove(&body.id);
                }
            }
            Packet::Init(..)
            | Packet::Overlay(_)
            | Packet::Present(_)
            | Packet::Name(..)
            | Packet::Marker(..)
            | Packet::UpdateBuffer(_)
            | Packet::UpdateTexture(_)
            | Packet::GenerateMips(_)
            | Packet::Clear(..)
            | Packet::Draw(_)
            | Packet::DrawIndexed(_)
            | Packet::Blit(_)
            | Packet::BeginQuery(_)
            | Packet::EndQuery(_)
            | Packet::ReadBack(_) => {}
        }
    }

    /// Writes packets that build this state from nothing. `contents` is called for every buffer and texture right
    /// after its creation, to add its bytes as updates, and for every shader *instead of* its creation, since the code
    /// needs an upload reference of its own.
    pub fn write(&self, out: &mut Encoder, mut contents: impl FnMut(ObjectId, &Created, &mut Encoder)) {
        for kind in ObjectKind::OBJECTS {
            for (id, created) in self.objects.iter(kind) {
                match created {
                    Created::Buffer(body) => out.push(body),
                    Created::Texture(body) => out.push(body.as_ref()),
                    Created::Sampler(body) => out.push(body.as_ref()),
                    Created::Query(body) => out.push(body),
                    Created::Target(body) => out.push(body.as_ref()),
                    Created::VertexInput(attributes) => {
                        out.push_tail(&CreateVertexInput { id, count: attributes.len() as u32 }, attributes);
                    }
                    Created::Shader(_) => {}
                }
                if matches!(created, Created::Buffer(_) | Created::Texture(_) | Created::Shader(_)) {
                    contents(id, created, out);
                }
            }
        }
        for (&id, steps) in &self.gammas {
            out.push_tail(&SetGamma { id, count: steps.len() as u32 }, steps);
        }
        out.push(&self.render_targets);
        out.push(&self.viewport);
        out.push(&self.scissor);
        out.push(&self.raster);
        out.push(&self.depth_stencil);
        out.push(&self.blend);
        out.push(&self.pixel_ops);
        out.push(&self.vertex_input);
        // Upload data of an earlier frame is gone; its bindings are not part of the state.
        let buffers = self.vertex_buffers.map(|binding| match binding.source.kind() {
            Some(ObjectKind::Upload) => VertexBuffer::default(),
            _ => binding,
        });
        out.push_tail(&SetVertexBuffers { first: 0, count: VERTEX_BUFFERS as u32 }, &buffers);
        if self.index_buffer.source.kind() != Some(ObjectKind::Upload) {
            out.push(&self.index_buffer);
        }
        out.push(&self.shaders);
        out.push_tail(&SetTextures { first: 0, count: TEXTURE_SLOTS as u32 }, &self.textures);
        for bank in 0..BANKS.len() {
            // Registers start as zero.
            let registers = self.bank(bank);
            let used = registers.iter().rposition(|register| *register != [0; 4]).map_or(0, |last| last + 1);
            if used > 0 {
                let body = SetConstants { bank: bank as u16, first: 0, count: used as u32 };
                out.push_tail(&body, &registers[..used]);
            }
        }
    }
}
