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
        Shaders requires [VertexInput, Textures, VertexConstants, PixelConstants, StorageImages],
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
        /// [`SetStorageImages`].
        StorageImages,
        /// [`SetConstants`] in a bank of the compute stage: nothing to draws.
        ComputeConstants,
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
pub const BANKS: [Bank; 22] = {
    use Group::{ComputeConstants as C, PixelConstants as P, SystemConstants as S, VertexConstants as V};
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
        bank("gcn vertex words", 1024, V),
        bank("gcn vertex buffers", STORAGE_BUFFERS as u16, V),
        bank("gcn vertex draw", 16, V),
        bank("gcn pixel words", 1024, P),
        bank("gcn pixel buffers", STORAGE_BUFFERS as u16, P),
        bank("gcn pixel draw", 16, P),
        bank("gcn compute words", 1024, C),
        bank("gcn compute buffers", STORAGE_BUFFERS as u16, C),
        bank("gcn compute draw", 16, C),
    ]
};

/// The number in [`BANKS`] of a bank of GCN stages: 0 words, 1 buffers (which [`SetStorage`] writes, and nothing else), 2 what
/// the draw says.
#[must_use]
pub const fn gcn_bank(stage: Stage, bank: u8) -> u16 {
    13 + 3 * stage as u16 + bank as u16
}

/// Vertex buffer slots.
pub const VERTEX_BUFFERS: usize = 16;
/// Texture slots of draws: 16 of the pixel stage, then 4 of the vertex stage.
pub const TEXTURE_SLOTS: usize = 20;
/// Texture slots of compute shaders, which [`SetTextures`] counts on from [`TEXTURE_SLOTS`].
pub const COMPUTE_SLOTS: usize = TEXTURE_SLOTS;
/// Storage buffers of a stage.
pub const STORAGE_BUFFERS: usize = 64;
/// Storage images of a stage.
pub const STORAGE_IMAGES: usize = 16;

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
    /// A view, and the texture that it is like.
    View(CreateView, Box<CreateTexture>),
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
    /// Number of views of each texture that has any.
    views: BTreeMap<ObjectId, usize>,
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
        if let Created::View(view, _) = &created {
            *self.views.entry(view.source).or_default() += 1;
        }
        table[serial] = Some(created);
    }

    fn remove(&mut self, id: ObjectId) {
        if let Some(entry) =
            self.kinds.get_mut((id.0 >> 24) as usize).and_then(|table| table.get_mut(id.serial() as usize))
            && let Some(Created::View(view, _)) = entry.take()
            && let Some(views) = self.views.get_mut(&view.source)
        {
            *views -= 1;
            if *views == 0 {
                self.views.remove(&view.source);
            }
        }
    }

    /// Whether a texture has views.
    pub(crate) fn has_views(&self, id: ObjectId) -> bool {
        self.views.contains_key(&id)
    }

    /// The texture of an id, or what a view is like.
    #[must_use]
    #[inline]
    pub fn texture(&self, id: ObjectId) -> Option<&CreateTexture> {
        match self.get(id)? {
            Created::Texture(texture) | Created::View(_, texture) => Some(texture),
            _ => None,
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
    /// What back faces have of their own in stencil tests.
    pub stencil_back: SetStencilBack,
    /// Current blend state.
    pub blend: SetBlend,
    /// Blending of the first targets, where they have their own.
    pub blend_targets: Vec<BlendTarget>,
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
    /// Textures and samplers of compute shaders.
    pub compute_textures: [TextureBinding; COMPUTE_SLOTS],
    /// Current storage buffers, by [`Stage`].
    pub storage: Box<[[StorageBinding; STORAGE_BUFFERS]; 3]>,
    /// Current storage images, by [`Stage`].
    pub storage_images: [[StorageImage; STORAGE_IMAGES]; 3],
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
            stencil_back: SetStencilBack::default(),
            blend: SetBlend { write_masks: [15; 8], ..SetBlend::default() },
            blend_targets: Vec::new(),
            pixel_ops: SetPixelOps { alpha_compare: Compare::Always as u8, ..SetPixelOps::default() },
            vertex_input: SetVertexInput::default(),
            vertex_buffers: [VertexBuffer::default(); VERTEX_BUFFERS],
            index_buffer: SetIndexBuffer::default(),
            shaders: SetShaders::default(),
            textures: [TextureBinding::default(); TEXTURE_SLOTS],
            compute_textures: [TextureBinding::default(); COMPUTE_SLOTS],
            storage: Box::new([[StorageBinding::default(); STORAGE_BUFFERS]; 3]),
            storage_images: [[StorageImage::default(); STORAGE_IMAGES]; 3],
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
                self.stencil_back = SetStencilBack::default();
                self.dirty.mark(Group::DepthStencil);
            }
            Packet::SetStencilBack(body) => {
                self.stencil_back = *body;
                self.dirty.mark(Group::DepthStencil);
            }
            Packet::SetBlend(body) => {
                self.blend = *body;
                self.blend_targets.clear();
                self.dirty.mark(Group::Blend);
            }
            Packet::SetBlendTargets(_, targets) => {
                self.blend_targets.clear();
                self.blend_targets.extend_from_slice(targets);
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
                if body.first as usize + bindings.len() > TEXTURE_SLOTS {
                    let of_draws = TEXTURE_SLOTS.saturating_sub(body.first as usize);
                    let first = (body.first as usize + of_draws - TEXTURE_SLOTS).min(COMPUTE_SLOTS);
                    for (slot, binding) in self.compute_textures[first..].iter_mut().zip(&bindings[of_draws..]) {
                        *slot = *binding;
                    }
                }
            }
            Packet::SetStorage(body, bindings) => {
                if let Some(storage) = self.storage.get_mut(body.stage as usize) {
                    for (stored, binding) in storage.iter_mut().skip(body.first.into()).zip(bindings) {
                        *stored = *binding;
                    }
                    self.dirty.mark(BANKS[usize::from(gcn_bank(Stage::of(body.stage as u8), 1))].group);
                }
            }
            Packet::SetStorageImages(body, bindings) => {
                if let Some(images) = self.storage_images.get_mut(body.stage as usize) {
                    for (stored, binding) in images.iter_mut().skip(body.first.into()).zip(bindings) {
                        *stored = *binding;
                    }
                    self.dirty.mark(Group::StorageImages);
                }
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
                let usage = body.usage & !(CreateTexture::SHARED_NEW | CreateTexture::SHARED_OLD);
                self.objects.insert(body.id, Created::Texture(Box::new(CreateTexture { usage, ..*body })));
            }
            Packet::CreateView(body) => {
                if let Some(source) = self.objects.texture(body.source) {
                    let like = body.texture(source);
                    self.objects.insert(body.id, Created::View(*body, Box::new(like)));
                }
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
            | Packet::StateFigures(_)
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
            | Packet::Dispatch(_)
            | Packet::CopyBuffer(_)
            | Packet::FillBuffer(_)
            | Packet::ReadBuffer(_)
            | Packet::CopyToTexture(_)
            | Packet::CopyFromTexture(_)
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
                    // Behind the textures, since serials say nothing of which was made first.
                    Created::Shader(_) | Created::View(..) => {}
                }
                if matches!(created, Created::Buffer(_) | Created::Texture(_) | Created::Shader(_)) {
                    contents(id, created, out);
                }
            }
        }
        for (_, created) in self.objects.iter(ObjectKind::Texture) {
            if let Created::View(body, _) = created {
                out.push(body);
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
        if self.stencil_back.enable != 0 {
            out.push(&self.stencil_back);
        }
        out.push(&self.blend);
        if !self.blend_targets.is_empty() {
            out.push_tail(&SetBlendTargets { count: self.blend_targets.len() as u32, pad: 0 }, &self.blend_targets);
        }
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
        let textures = &self.compute_textures[..used(&self.compute_textures, &TextureBinding::default())];
        if !textures.is_empty() {
            out.push_tail(&SetTextures { first: TEXTURE_SLOTS as u32, count: textures.len() as u32 }, textures);
        }
        for stage in 0..self.storage.len() {
            let buffers = &self.storage[stage][..used(&self.storage[stage], &StorageBinding::default())];
            if !buffers.is_empty() {
                out.push_tail(&SetStorage { stage: stage as u32, first: 0, count: buffers.len() as u16 }, buffers);
            }
            let images = &self.storage_images[stage];
            let images = &images[..used(images, &StorageImage::default())];
            if !images.is_empty() {
                out.push_tail(&SetStorageImages { stage: stage as u32, first: 0, count: images.len() as u16 }, images);
            }
        }
        for bank in 0..BANKS.len() {
            // Registers start as zero.
            let registers = self.bank(bank);
            let used = used(registers, &[0; 4]);
            if used > 0 {
                let body = SetConstants { bank: bank as u16, first: 0, count: used as u32 };
                out.push_tail(&body, &registers[..used]);
            }
        }
    }
}

/// Number of elements up to the last that is not as it was at first.
fn used<T: PartialEq>(elements: &[T], at_first: &T) -> usize {
    elements.iter().rposition(|element| element != at_first).map_or(0, |last| last + 1)
}
