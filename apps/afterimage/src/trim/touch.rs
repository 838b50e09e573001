//! What each packet reads and writes, as far as it can be told without drawing: too much rather than too little.

use afterimage_stream::packets::*;
use afterimage_stream::{Aspects, Created, FIRST_TABLE, Format, ObjectId, Packet, State};

/// What a packet has to do with objects. Contents are those of buffers and of textures that are no views.
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Touch {
    /// Objects that must be there, whatever they hold.
    pub(super) objects: Vec<ObjectId>,
    /// Whose contents are read.
    pub(super) reads: Vec<ObjectId>,
    /// Whose contents are written.
    pub(super) writes: Vec<ObjectId>,
    /// Those of them of which nothing stays.
    pub(super) replaces: Vec<ObjectId>,
    /// Whether it ends a capture of vertices.
    pub(super) ends_feedback: bool,
}

/// What is told of a shader.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// A bit for each texture slot that it looks up.
    pub(super) slots: u32,
    /// Whether it may write to buffers and images that are bound for it.
    pub(super) stores: bool,
}

/// The stages of draws.
pub(super) const DRAWN: [Stage; 2] = [Stage::Vertex, Stage::Pixel];

/// What is told of the shader with an id.
pub(super) type Tell<'a> = &'a mut dyn FnMut(ObjectId) -> Facts;

/// The texture slots that a draw looks up.
pub(super) fn slots(state: &State, tell: Tell<'_>) -> u32 {
    let shaders = [state.shaders.vertex, state.shaders.pixel, state.shaders.geometry];
    shaders.into_iter().filter(|id| !id.is_none()).fold(0, |mask, id| mask | tell(id).slots)
}

impl Touch {
    /// Of a packet that does something, in the state before it. `tell` knows the shaders.
    pub(super) fn of(packet: &Packet<'_>, state: &State, tell: Tell<'_>) -> Self {
        let mut touch = Self::default();
        packet.effects(|effect| match effect {
            Effect::Reads(part) => touch.read(state, part.id),
            Effect::Writes(part, extent) => {
                let whole = match extent {
                    Extent::Bytes { discard: true, .. } => true,
                    Extent::Bytes { offset, size, .. } => offset == 0 && fills(state, part.id, size),
                    Extent::Texels(rect) => covers(state, part.id, rect),
                    Extent::Some => false,
                };
                touch.write(state, part.id, whole);
            }
            Effect::Outputs(part) => touch.objects.push(part.id),
            Effect::Draws { indexed } => touch.draw(state, indexed, tell),
            Effect::Dispatches(shader) => {
                touch.objects.push(shader);
                let facts = tell(shader);
                touch.bindings(state, state.compute_textures.all(), facts.slots);
                touch.memory(state, Stage::Compute, facts.stores);
            }
            Effect::Clears(body, rects) => touch.clear(state, body, rects),
            Effect::Feedback { ends } => {
                touch.ends_feedback = ends;
                for buffer in state.feedback_buffers {
                    if ends {
                        touch.write(state, buffer.buffer, false);
                    } else {
                        touch.read(state, buffer.buffer);
                    }
                }
            }
            // What creates and says something is found by its object; bindings come with the draws that read them.
            Effect::Creates { .. }
            | Effect::Declares(_)
            | Effect::Describes(_)
            | Effect::Destroys(_)
            | Effect::Uploads(_)
            | Effect::Answers(_)
            | Effect::Binds { .. } => {}
        });
        touch
    }

    fn read(&mut self, state: &State, id: ObjectId) {
        if state.objects.get(id).is_some() {
            self.objects.push(id);
            self.reads.push(root(state, id));
        }
    }

    fn write(&mut self, state: &State, id: ObjectId, whole: bool) {
        if state.objects.get(id).is_some() {
            self.objects.push(id);
            let root = root(state, id);
            self.writes.push(root);
            if whole && root == id {
                self.replaces.push(root);
            }
        }
    }

    fn draw(&mut self, state: &State, indexed: bool, tell: Tell<'_>) {
        let SetShaders { vertex, pixel, geometry, .. } = *state.shaders;
        for shader in [vertex, pixel, geometry] {
            self.object(state, shader);
        }
        self.object(state, state.vertex_input.id);
        for (slot, buffer) in state.vertex_buffers.iter().enumerate() {
            if reads_slot(state, slot) {
                self.read(state, buffer.source);
            }
        }
        if indexed {
            self.read(state, state.index_buffer.source);
        }
        self.bindings(state, state.textures.all(), slots(state, tell));
        let mut stores = |id: ObjectId| !id.is_none() && tell(id).stores;
        // A geometry shader has the vertex shader's bindings.
        let stores = [stores(vertex) | stores(geometry), stores(pixel)];
        for (stage, stores) in DRAWN.into_iter().zip(stores) {
            self.memory(state, stage, stores);
        }
        self.targets(state);
    }

    fn object(&mut self, state: &State, id: ObjectId) {
        if state.objects.get(id).is_some() {
            self.objects.push(id);
        }
    }

    fn bindings(&mut self, state: &State, bindings: &[TextureBinding], slots: u32) {
        for (slot, binding) in bindings.iter().enumerate() {
            if slots >> slot & 1 != 0 && !binding.texture.is_none() {
                self.read(state, binding.texture);
                self.object(state, binding.sampler);
            }
        }
    }

    /// Buffers and images that a stage's shader has the addresses of.
    fn memory(&mut self, state: &State, stage: Stage, stores: bool) {
        let (buffers, tables) = state.storage(stage).split_at(FIRST_TABLE);
        for binding in tables {
            self.object(state, binding.buffer);
            for entry in state.objects.table(binding.buffer).into_iter().flatten() {
                self.read(state, entry.texture);
                self.object(state, entry.sampler);
            }
        }
        let buffers = buffers.iter().map(|binding| binding.buffer);
        let images = state.storage_images(stage).iter().map(|image| image.view.texture);
        for id in buffers.chain(images).filter(|id| !id.is_none()) {
            self.read(state, id);
            if stores {
                self.write(state, id, false);
            }
        }
    }

    fn targets(&mut self, state: &State) {
        for (number, view) in state.render_targets.color.iter().enumerate() {
            let mask =
                state.blend_targets.get().get(number).map_or(state.blend.write_masks[number], |own| own.write_mask);
            if mask & 15 != 0 {
                self.write(state, view.texture, false);
            } else {
                self.object(state, view.texture);
            }
        }
        let (depth, tests) = (state.render_targets.depth.texture, *state.depth_stencil);
        if tests.depth_write != 0 || tests.stencil_test != 0 {
            self.write(state, depth, false);
        } else if tests.depth_test != 0 {
            self.read(state, depth);
        } else {
            self.object(state, depth);
        }
    }

    fn clear(&mut self, state: &State, body: &Clear, rects: &[Rect]) {
        let whole = |id| rects.is_empty() && one_piece(state, id) || rects.iter().any(|rect| covers(state, id, *rect));
        for view in state.render_targets.color {
            if body.channels() != 0 {
                self.write(state, view.texture, body.channels() == 15 && whole(view.texture));
            } else {
                self.object(state, view.texture);
            }
        }
        let depth = state.render_targets.depth.texture;
        if body.flags & (Clear::DEPTH | Clear::STENCIL) == 0 {
            self.object(state, depth);
            return;
        }
        let has_stencil = state
            .objects
            .texture(depth)
            .and_then(|texture| Format::from_bits(texture.format))
            .is_none_or(|format| format.info().aspects != Aspects::Depth);
        let stencil = body.flags & Clear::STENCIL != 0 && body.stencil_keep == 0;
        let all = body.flags & Clear::DEPTH != 0 && (stencil || !has_stencil);
        self.write(state, depth, all && whole(depth));
    }
}

/// Whether draws read a slot of vertices: where its layout says so, or there is none to tell.
pub(super) fn reads_slot(state: &State, slot: usize) -> bool {
    match state.objects.get(state.vertex_input.id) {
        Some(Created::VertexInput(attributes)) => attributes.iter().any(|one| usize::from(one.slot) == slot),
        _ => true,
    }
}

/// The texture whose texels a texture shows; the same for all that is no view.
pub(super) fn root(state: &State, id: ObjectId) -> ObjectId {
    match state.objects.get(id) {
        Some(Created::View(view, _)) => view.source,
        _ => id,
    }
}

/// Whether a texture is one subresource, so that it can be replaced at once.
fn one_piece(state: &State, id: ObjectId) -> bool {
    match state.objects.get(id) {
        Some(Created::Texture(texture)) => texture.levels == 1 && texture.layers == 1 && texture.depth == 1,
        _ => false,
    }
}

/// Whether a rectangle is all of a texture.
fn covers(state: &State, id: ObjectId, rect: Rect) -> bool {
    let covered = |texture: &CreateTexture| {
        let reach = |at: i32, size: u32| i64::from(at) + i64::from(size);
        rect.x <= 0
            && rect.y <= 0
            && reach(rect.x, rect.width) >= texture.width.into()
            && reach(rect.y, rect.height) >= texture.height.into()
    };
    one_piece(state, id) && state.objects.texture(id).is_some_and(covered)
}

/// Whether so many bytes are all of a buffer.
fn fills(state: &State, id: ObjectId, bytes: u64) -> bool {
    matches!(state.objects.get(id), Some(Created::Buffer(buffer)) if bytes >= buffer.size)
}
