//! The whole state that a stream has built up: every live object as it was created, every group as it was last set.
//!
//! The renderer keeps exactly this as its own current state, applying from it the groups that [`State::tracker`] says are dirty;
//! a capture that starts in the middle writes it out as packets ([`State::write`](crate::State::write) in `keyframe.rs`).

use crate::budgets::{Budget, Spent};
use crate::host::{BANK_STATES, Host, IndexBufferStates, TextureStates, VertexBufferStates, images_of, storage_of};
use crate::packets::*;
use crate::{ObjectId, ObjectKind};
use afterimage_state::{State as Number, Tracked, TrackedArray, TrackedParts, Tracker, trace};
use std::collections::BTreeMap;

pub use afterimage_abi::slots::{
    COMPUTE_SLOTS, FEEDBACK_BUFFERS, FIRST_TABLE, STORAGE, STORAGE_IMAGES, TABLES, TEXTURE_SLOTS, VERTEX_BUFFERS,
    VIEWPORTS,
};
pub use afterimage_abi::{Bank, GcnBank};

/// Serial numbers may run this far ahead of the highest one seen: ids come from counters, so a larger step is garbage
/// that would make tables grow without bound.
pub(crate) const SERIAL_STEP: usize = 1 << 16;

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
    /// A table of textures, with what it holds.
    Table(Box<[TableEntry]>),
}

/// Live objects by kind and serial.
#[derive(Clone, Debug, Default)]
pub struct Objects {
    kinds: [Vec<Option<Created>>; ObjectKind::PLACES],
    /// Number of views of each texture that has any.
    views: BTreeMap<ObjectId, usize>,
    /// Number of entries of a table that have a texture or sampler: by that, and the table.
    in_tables: BTreeMap<(ObjectId, ObjectId), usize>,
    /// What they take of the budgets.
    pub(crate) spent: Spent,
    /// Of those that have one.
    pub(crate) names: BTreeMap<ObjectId, Box<str>>,
}

impl Objects {
    /// What they take of a budget that lasts as long as they live.
    #[must_use]
    pub fn spent(&self, budget: Budget) -> u64 {
        self.spent.of(budget)
    }

    /// The object of an id, if it lives.
    #[must_use]
    #[inline]
    pub fn get(&self, id: ObjectId) -> Option<&Created> {
        let slot = (id.0 >> 24) as usize;
        self.kinds.get(slot)?.get(id.serial() as usize)?.as_ref()
    }

    /// Largest serial that may be created next in a kind.
    pub(crate) fn serial_limit(&self, kind: ObjectKind) -> usize {
        self.kinds[kind.place()].len() + SERIAL_STEP
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
        let Some(kind) = id.kind() else { return };
        self.spent.take(kind, &created);
        if let Some(old) = table[serial].replace(created) {
            self.spent.give_back(kind, &old);
        }
    }

    fn remove(&mut self, id: ObjectId) {
        self.names.remove(&id);
        let table = self.kinds.get_mut((id.0 >> 24) as usize);
        let (Some(kind), Some(created)) =
            (id.kind(), table.and_then(|table| table.get_mut(id.serial() as usize)?.take()))
        else {
            return;
        };
        self.spent.give_back(kind, &created);
        if let Created::View(view, _) = &created
            && let Some(views) = self.views.get_mut(&view.source)
        {
            *views -= 1;
            if *views == 0 {
                self.views.remove(&view.source);
            }
        }
        if let Created::Table(entries) = &created {
            entries.iter().for_each(|entry| self.leave_table(id, entry));
        }
        if matches!(kind, ObjectKind::Texture | ObjectKind::Sampler) {
            self.forget_in_tables(id);
        }
    }

    /// An entry of a table is no more.
    fn leave_table(&mut self, table: ObjectId, entry: &TableEntry) {
        for id in [entry.texture, entry.sampler].into_iter().filter(|id| !id.is_none()) {
            if let Some(count) = self.in_tables.get_mut(&(id, table)) {
                *count -= 1;
                if *count == 0 {
                    self.in_tables.remove(&(id, table));
                }
            }
        }
    }

    /// Takes a texture or sampler out of all tables.
    fn forget_in_tables(&mut self, id: ObjectId) {
        let all = (id, ObjectId::NONE)..=(id, ObjectId(u32::MAX));
        while let Some((&(_, table), _)) = self.in_tables.range(all.clone()).next() {
            self.in_tables.remove(&(id, table));
            let place = self.kinds[ObjectKind::Table.place()].get_mut(table.serial() as usize);
            let Some(Some(Created::Table(entries))) = place else { continue };
            for entry in entries.iter_mut() {
                for named in [&mut entry.texture, &mut entry.sampler].into_iter().filter(|named| **named == id) {
                    *named = ObjectId::NONE;
                }
            }
        }
    }

    /// Replaces entries of a table.
    fn update_table(&mut self, id: ObjectId, first: u32, new: &[TableEntry]) {
        let place = self.kinds[ObjectKind::Table.place()].get_mut(id.serial() as usize);
        let Some(Some(Created::Table(entries))) = place.filter(|_| id.kind() == Some(ObjectKind::Table)) else {
            return;
        };
        let Some(old) = entries.get_mut(first as usize..) else { return };
        let count = old.len().min(new.len());
        let before = old[..count].to_vec();
        old[..count].copy_from_slice(&new[..count]);
        before.iter().for_each(|entry| self.leave_table(id, entry));
        let named = new[..count].iter().flat_map(|entry| [entry.texture, entry.sampler]);
        for named in named.filter(|named| !named.is_none()) {
            *self.in_tables.entry((named, id)).or_default() += 1;
        }
    }

    /// The entries of a table.
    #[must_use]
    pub fn table(&self, id: ObjectId) -> Option<&[TableEntry]> {
        match self.get(id)? {
            Created::Table(entries) => Some(entries),
            _ => None,
        }
    }

    /// The name that the guest gave an object.
    #[must_use]
    pub fn name(&self, id: ObjectId) -> Option<&str> {
        self.names.get(&id).map(|name| &**name)
    }

    /// Keeps the beginning of an object's name.
    fn set_name(&mut self, id: ObjectId, name: &[u8]) {
        if self.get(id).is_some() {
            let name = &name[..name.len().min(State::LONGEST_NAME)];
            self.names.insert(id, String::from_utf8_lossy(name).into());
        }
    }

    /// Whether a texture has views.
    #[must_use]
    pub fn has_views(&self, id: ObjectId) -> bool {
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
        self.kinds[kind.place()]
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
    pub render_targets: Tracked<SetRenderTargets, Host>,
    /// Current viewport.
    pub viewport: Tracked<SetViewport, Host>,
    /// Current scissor.
    pub scissor: Tracked<SetScissor, Host>,
    /// Current viewports beside the first.
    pub viewports: Tracked<Vec<FurtherViewport>, Host>,
    /// Current depth bounds.
    pub depth_bounds: Tracked<SetDepthBounds, Host>,
    /// Current rasteriser state.
    pub raster: TrackedParts<SetRaster, Host>,
    /// Current depth-stencil state.
    pub depth_stencil: TrackedParts<SetDepthStencil, Host>,
    /// Current blend state.
    pub blend: TrackedParts<SetBlend, Host>,
    /// Blending of the first targets, where they have their own.
    pub blend_targets: Tracked<Vec<BlendTarget>, Host>,
    /// Current pixel operations.
    pub pixel_ops: Tracked<SetPixelOps, Host>,
    /// Current vertex input layout.
    pub vertex_input: Tracked<SetVertexInput, Host>,
    /// Current vertex buffers.
    pub vertex_buffers: TrackedArray<VertexBuffer, Host, VERTEX_BUFFERS>,
    /// Current index buffer.
    pub index_buffer: Tracked<SetIndexBuffer, Host>,
    /// Current shaders.
    pub shaders: Tracked<SetShaders, Host>,
    /// Current textures and samplers.
    pub textures: TrackedArray<TextureBinding, Host, TEXTURE_SLOTS>,
    /// Textures and samplers of compute shaders.
    pub compute_textures: TrackedArray<TextureBinding, Host, COMPUTE_SLOTS>,
    /// By [`Stage`]; see [`State::storage`].
    storage: Box<[[StorageBinding; STORAGE]; Stage::WITH_BINDINGS.len()]>,
    /// By [`Stage`]; see [`State::storage_images`].
    storage_images: [[StorageImage; STORAGE_IMAGES]; Stage::WITH_BINDINGS.len()],
    /// Current capture buffers. Only a capture's begin reads them, which is no state to be applied.
    pub feedback_buffers: [FeedbackBuffer; FEEDBACK_BUFFERS],
    /// Gamma of the targets that have any.
    pub gammas: BTreeMap<ObjectId, Box<[u16]>>,
    /// Which guest this is ([`Init::guest`]), its process, and the program's name, UTF-8.
    pub program: Option<(u32, u32, Box<[u8]>)>,
    /// What of all this, and of what a renderer has beside it, changed since it was applied.
    pub tracker: Tracker<Host>,
    constants: Box<[[u32; 4]]>,
}

/// Does not compile where [`State`] has a field more. What lasts goes into [`State::write`] as well, or captures lose it, and into
/// `groups` of `afterimage_inspect::state`, or nobody sees it change.
const fn every_field_is_written(state: &State) {
    let State {
        objects: _,
        frame: _,
        render_targets: _,
        viewport: _,
        scissor: _,
        viewports: _,
        depth_bounds: _,
        raster: _,
        depth_stencil: _,
        blend: _,
        blend_targets: _,
        pixel_ops: _,
        vertex_input: _,
        vertex_buffers: _,
        index_buffer: _,
        shaders: _,
        textures: _,
        compute_textures: _,
        storage: _,
        storage_images: _,
        feedback_buffers: _,
        gammas: _,
        program: _,
        tracker: _,
        constants: _,
    } = state;
}
const _: fn(&State) = every_field_is_written;

/// Register that each bank begins at, and behind the last one the number of all.
const BANK_STARTS: [usize; Bank::COUNT + 1] = {
    let mut starts = [0; Bank::COUNT + 1];
    let mut at = 0;
    while at < Bank::COUNT {
        starts[at + 1] = starts[at] + Bank::ALL[at].registers() as usize;
        at += 1;
    }
    starts
};

impl Default for State {
    fn default() -> Self {
        Self {
            objects: Objects::default(),
            frame: 0,
            render_targets: Tracked::new(Host::RENDER_TARGETS.only(), SetRenderTargets::default()),
            viewport: Tracked::new(Host::VIEWPORT.only(), SetViewport { max_depth: 1.0, ..SetViewport::default() }),
            scissor: Tracked::new(
                Host::SCISSOR.only(),
                SetScissor { rect: Rect { x: 0, y: 0, width: i32::MAX as u32, height: i32::MAX as u32 } },
            ),
            viewports: Tracked::new(Host::VIEWPORTS.only(), Vec::new()),
            depth_bounds: Tracked::new(Host::DEPTH_BOUNDS.only(), SetDepthBounds::default()),
            raster: TrackedParts::new(
                Host::RASTER,
                SetRaster {
                    depth_clip: 1,
                    point_size: 1.0,
                    line_width: 1.0,
                    sample_mask: u32::MAX,
                    ..SetRaster::default()
                },
            ),
            depth_stencil: TrackedParts::new(Host::DEPTH_STENCIL, SetDepthStencil::default()),
            blend: TrackedParts::new(Host::BLEND, SetBlend { write_masks: [15; 8], ..SetBlend::default() }),
            blend_targets: Tracked::new(Host::BLEND_TARGETS.only(), Vec::new()),
            pixel_ops: Tracked::new(
                Host::PIXEL_OPS.only(),
                SetPixelOps { alpha_compare: Compare::Always as u8, ..SetPixelOps::default() },
            ),
            vertex_input: Tracked::new(Host::VERTEX_INPUT.only(), SetVertexInput::default()),
            vertex_buffers: TrackedArray::new(Host::VERTEX_BUFFER, [VertexBuffer::default(); VERTEX_BUFFERS]),
            index_buffer: Tracked::new(Host::INDEX_BUFFER.only(), SetIndexBuffer::default()),
            shaders: Tracked::new(Host::SHADERS.only(), SetShaders::default()),
            textures: TrackedArray::new(Host::TEXTURE, [TextureBinding::default(); TEXTURE_SLOTS]),
            compute_textures: TrackedArray::new(Host::COMPUTE_TEXTURE, [TextureBinding::default(); COMPUTE_SLOTS]),
            storage: Box::new([[StorageBinding::default(); STORAGE]; Stage::WITH_BINDINGS.len()]),
            storage_images: [[StorageImage::default(); STORAGE_IMAGES]; Stage::WITH_BINDINGS.len()],
            feedback_buffers: [FeedbackBuffer::default(); FEEDBACK_BUFFERS],
            gammas: BTreeMap::new(),
            program: None,
            tracker: Tracker::new(),
            constants: vec![[0; 4]; BANK_STARTS[Bank::COUNT]].into_boxed_slice(),
        }
    }
}

impl State {
    /// Most bytes of an object's name that are kept.
    pub const LONGEST_NAME: usize = 256;

    /// The registers of a bank; empty for a number that names none.
    #[must_use]
    #[inline]
    pub fn bank(&self, bank: usize) -> &[[u32; 4]] {
        match BANK_STATES.get(bank) {
            Some(state) => {
                trace::read(*state);
                &self.constants[BANK_STARTS[bank]..BANK_STARTS[bank + 1]]
            }
            None => &[],
        }
    }

    /// Current storage buffers of a stage.
    #[must_use]
    #[inline]
    pub fn storage(&self, stage: Stage) -> &[StorageBinding; STORAGE] {
        trace::read(storage_of(stage));
        &self.storage[stage.bindings() as usize]
    }

    /// Current storage images of a stage.
    #[must_use]
    #[inline]
    pub fn storage_images(&self, stage: Stage) -> &[StorageImage; STORAGE_IMAGES] {
        trace::read(images_of(stage));
        &self.storage_images[stage.bindings() as usize]
    }

    /// Marks what reads a buffer as vertices or indices: it has other memory.
    pub fn memory_changed(&mut self, id: ObjectId) {
        let tracker = &mut self.tracker;
        for (slot, binding) in (0..).zip(self.vertex_buffers.iter()) {
            if binding.source == id {
                tracker.changed(Host::VERTEX_BUFFER.at(slot).plus(VertexBufferStates::MEMORY));
            }
        }
        if self.index_buffer.source == id {
            tracker.changed(Host::INDEX_BUFFER.only().plus(IndexBufferStates::MEMORY));
        }
    }

    /// Marks what reads an object, wherever it is set: it was made or destroyed.
    pub fn object_changed(&mut self, id: ObjectId) {
        if id.kind() == Some(ObjectKind::Buffer) {
            self.memory_changed(id);
        }
        let tracker = &mut self.tracker;
        match id.kind() {
            Some(kind @ (ObjectKind::Buffer | ObjectKind::Table)) => {
                let bound = |stage: &&Stage| self.storage[**stage as usize].iter().any(|binding| binding.buffer == id);
                for stage in Stage::WITH_BINDINGS.iter().filter(bound) {
                    tracker.changed(storage_of(*stage));
                    if kind == ObjectKind::Table {
                        tracker.changed(Host::TABLES.only());
                    }
                }
            }
            Some(kind @ (ObjectKind::Texture | ObjectKind::Sampler)) => {
                let names = |binding: &TextureBinding| match kind {
                    ObjectKind::Texture => binding.texture == id,
                    _ => binding.sampler == id,
                };
                for (slot, _) in (0..).zip(self.textures.iter()).filter(|(_, binding)| names(binding)) {
                    tracker.changed(Host::TEXTURE.at(slot).plus(TextureStates::OBJECT));
                }
                for (slot, _) in (0..).zip(self.compute_textures.iter()).filter(|(_, binding)| names(binding)) {
                    tracker.changed(Host::COMPUTE_TEXTURE.at(slot));
                }
                if self.render_targets.color.iter().chain([&self.render_targets.depth]).any(|view| view.texture == id) {
                    tracker.changed(Host::TARGET_OBJECTS.only());
                }
                for stage in &Stage::WITH_BINDINGS {
                    if self.storage_images[*stage as usize].iter().any(|image| image.view.texture == id) {
                        tracker.changed(images_of(*stage));
                    }
                }
            }
            Some(ObjectKind::Shader)
                if [self.shaders.vertex, self.shaders.pixel, self.shaders.geometry].contains(&id) =>
            {
                tracker.changed(Host::SHADER_OBJECTS.only());
            }
            Some(ObjectKind::VertexInput) if self.vertex_input.id == id => {
                tracker.changed(Host::VERTEX_INPUT_OBJECT.only());
            }
            _ => {}
        }
    }

    /// Takes over what a packet says. The packet must have passed [`crate::Validator::check`] against this state; one
    /// that has not is applied as far as it fits, without panic.
    #[inline(always)]
    pub fn apply(&mut self, packet: &Packet<'_>) {
        let tracker = &mut self.tracker;
        match *packet {
            Packet::SetRenderTargets(body) => {
                self.render_targets.set(*body, tracker);
            }
            Packet::SetViewport(body) => {
                self.viewport.set(*body, tracker);
            }
            Packet::SetScissor(body) => {
                self.scissor.set(*body, tracker);
            }
            Packet::SetViewports(_, viewports) => {
                if **self.viewports != *viewports {
                    self.viewports.set(viewports.to_vec(), tracker);
                }
            }
            Packet::SetDepthBounds(body) => {
                self.depth_bounds.set(*body, tracker);
            }
            Packet::SetRaster(body) => {
                self.raster.set(*body, tracker);
            }
            Packet::SetDepthStencil(body) => {
                self.depth_stencil.set(*body, tracker);
            }
            Packet::SetBlend(body, targets) => {
                self.blend.set(*body, tracker);
                if **self.blend_targets != *targets {
                    self.blend_targets.set(targets.to_vec(), tracker);
                }
            }
            Packet::SetPixelOps(body) => {
                self.pixel_ops.set(*body, tracker);
            }
            Packet::SetVertexInput(body) => {
                self.vertex_input.set(*body, tracker);
            }
            Packet::SetVertexBuffers(body, bindings) => {
                for (slot, binding) in (body.first as usize..VERTEX_BUFFERS).zip(bindings) {
                    self.vertex_buffers.set(slot, *binding, tracker);
                }
            }
            Packet::SetIndexBuffer(body) => {
                self.index_buffer.set(*body, tracker);
            }
            Packet::SetShaders(body) => {
                self.shaders.set(*body, tracker);
            }
            Packet::SetTextures(body, bindings) => {
                for (slot, binding) in (body.first as usize..).zip(bindings) {
                    match slot.checked_sub(TEXTURE_SLOTS) {
                        None => self.textures.set(slot, *binding, tracker),
                        Some(slot @ ..COMPUTE_SLOTS) => self.compute_textures.set(slot, *binding, tracker),
                        Some(_) => break,
                    };
                }
            }
            Packet::SetStorage(body, bindings) => {
                if let Some(storage) = self.storage.get_mut(body.stage as usize) {
                    let stored = storage.iter_mut().skip(body.first.into());
                    let changed = write_all(stored, bindings, storage_of(Stage::of(body.stage as u8)), tracker);
                    if changed && usize::from(body.first) + bindings.len() > FIRST_TABLE {
                        tracker.changed(Host::TABLES.only());
                    }
                }
            }
            Packet::SetStorageImages(body, bindings) => {
                if let Some(images) = self.storage_images.get_mut(body.stage as usize) {
                    let stored = images.iter_mut().skip(body.first.into());
                    write_all(stored, bindings, images_of(Stage::of(body.stage as u8)), tracker);
                }
            }
            Packet::SetConstants(body, registers) => {
                let bank = usize::from(body.bank);
                if let Some(&state) = BANK_STATES.get(bank) {
                    let stored = &mut self.constants[BANK_STARTS[bank]..BANK_STARTS[bank + 1]];
                    let first = usize::from(body.first).min(stored.len());
                    let count = registers.len().min(stored.len() - first);
                    let mut differs = false;
                    // Mostly a few: no call for comparing them, and none for copying.
                    for (stored, register) in stored[first..first + count].iter_mut().zip(registers) {
                        differs |= *stored != *register;
                        *stored = *register;
                    }
                    if differs {
                        tracker.changed(state);
                    } else {
                        tracker.filtered();
                    }
                }
            }
            Packet::SetFeedbackBuffers(body, buffers) => {
                for (stored, buffer) in self.feedback_buffers.iter_mut().skip(body.first as usize).zip(buffers) {
                    *stored = *buffer;
                }
            }
            Packet::BeginFrame(body) => self.frame = body.frame,
            Packet::CreateBuffer(body) => self.insert(body.id, Created::Buffer(*body)),
            Packet::CreateTexture(body) => {
                // Whoever is sent the state makes a shared image if there is none.
                let usage = body.usage & !(CreateTexture::SHARED_NEW | CreateTexture::SHARED_OLD);
                self.insert(body.id, Created::Texture(Box::new(CreateTexture { usage, ..*body })));
            }
            Packet::CreateView(body) => {
                if let Some(source) = self.objects.texture(body.source) {
                    let like = body.texture(source);
                    self.insert(body.id, Created::View(*body, Box::new(like)));
                }
            }
            Packet::CreateSampler(body) => self.insert(body.id, Created::Sampler(Box::new(*body))),
            Packet::CreateShader(body) => self.insert(body.id, Created::Shader(Box::new(*body))),
            Packet::CreateVertexInput(body, attributes) => {
                self.insert(body.id, Created::VertexInput(attributes.into()));
            }
            Packet::CreateQuery(body) => self.insert(body.id, Created::Query(*body)),
            Packet::PresentTarget(body) => self.insert(body.id, Created::Target(Box::new(*body))),
            Packet::CreateTable(body) => {
                let entries = body.entries.min(afterimage_abi::tables::MOST_ENTRIES) as usize;
                self.insert(body.id, Created::Table(vec![TableEntry::default(); entries].into()));
            }
            Packet::UpdateTable(body, entries) => {
                self.objects.update_table(body.id, body.first, entries);
                self.object_changed(body.id);
            }
            Packet::SetGamma(body, steps) => {
                self.gammas.remove(&body.id);
                if !steps.is_empty() {
                    self.gammas.insert(body.id, steps.into());
                }
            }
            Packet::Name(body, name) => self.objects.set_name(body.id, name),
            Packet::Destroy(body) => {
                self.objects.remove(body.id);
                self.object_changed(body.id);
                if body.id.kind() == Some(ObjectKind::Target) {
                    self.gammas.remove(&body.id);
                }
            }
            Packet::Init(body, name) => self.program = Some((body.guest, body.process, (*name).into())),
            Packet::Overlay(_)
            | Packet::StateFigures(_)
            | Packet::Present(_)
            | Packet::Marker(..)
            | Packet::UpdateBuffer(_)
            | Packet::UpdateTexture(_)
            | Packet::GenerateMips(_)
            | Packet::Clear(..)
            | Packet::Draw(_)
            | Packet::DrawIndexed(_)
            | Packet::DrawIndirect(_)
            | Packet::DrawByteCount(_)
            | Packet::BeginFeedback(_)
            | Packet::EndFeedback(_)
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

    fn insert(&mut self, id: ObjectId, created: Created) {
        self.objects.insert(id, created);
        self.object_changed(id);
    }
}

/// Stores elements of one state that has several. Whether any is another than before.
fn write_all<'a, T: Copy + PartialEq + 'a>(
    stored: impl Iterator<Item = &'a mut T>,
    values: &[T],
    state: Number<Host>,
    tracker: &mut Tracker<Host>,
) -> bool {
    let mut changed = false;
    for (stored, value) in stored.zip(values) {
        changed |= std::mem::replace(stored, *value) != *value;
    }
    if changed {
        tracker.changed(state);
    } else {
        tracker.filtered();
    }
    changed
}
