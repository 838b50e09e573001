//! What calls read and write.

use afterimage_stream::packets::{Clear, Effect, Stage, StencilOp, View};
use afterimage_stream::{Created, FIRST_TABLE, ObjectId, ObjectKind, Packet, State};
use std::fmt;

/// An object, or a part of one, that a call reads or writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The object.
    pub id: ObjectId,
    /// The subresource, of a texture of which one is named.
    pub view: Option<View>,
    /// As what: `color 0`, `texture 3`, `indices`.
    pub role: String,
}

/// Reads and writes of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accesses {
    /// Textures count where the shaders look them up (all that are bound, where that cannot be told).
    pub reads: Vec<Access>,
    /// Buffers and images that a shader may store to count, whether it does or not.
    pub writes: Vec<Access>,
}

fn push(list: &mut Vec<Access>, id: ObjectId, view: Option<View>, role: impl fmt::Display) {
    if !id.is_none() && id.kind() != Some(ObjectKind::Upload) {
        list.push(Access { id, view, role: role.to_string() });
    }
}

fn view(list: &mut Vec<Access>, view: View, role: impl fmt::Display) {
    push(list, view.texture, Some(view), role);
}

impl Accesses {
    /// Of a packet that is done in a state.
    pub(crate) fn of(state: &State, packet: &Packet<'_>, slots: impl Fn(ObjectId) -> Option<u32>) -> Self {
        let mut found = Self::default();
        packet.effects(|effect| match effect {
            Effect::Reads(part) => push(&mut found.reads, part.id, part.view, part.role),
            Effect::Writes(part, _) | Effect::Outputs(part) => push(&mut found.writes, part.id, part.view, part.role),
            Effect::Clears(body, _) => found.clear(state, body),
            Effect::Draws { indexed } => {
                if indexed {
                    push(&mut found.reads, state.index_buffer.source, None, "indices");
                }
                found.draw(state, &slots);
            }
            Effect::Dispatches(shader) => {
                let used = slots(shader).unwrap_or(u32::MAX);
                found.textures(state.compute_textures.all(), "compute texture", |slot| used >> slot & 1 != 0);
                found.storage(state, Stage::Compute, "compute");
            }
            // The buffers are written by the draws between.
            Effect::Feedback { .. } => {}
            // These are no calls.
            Effect::Creates { .. }
            | Effect::Declares(_)
            | Effect::Describes(_)
            | Effect::Destroys(_)
            | Effect::Uploads(_)
            | Effect::Answers(_)
            | Effect::Binds { .. } => {}
        });
        found
    }

    fn textures(
        &mut self,
        bindings: &[afterimage_stream::packets::TextureBinding],
        role: &str,
        used: impl Fn(usize) -> bool,
    ) {
        for (slot, binding) in bindings.iter().enumerate().filter(|(slot, _)| used(*slot)) {
            push(&mut self.reads, binding.texture, None, format_args!("{role} {slot}"));
        }
    }

    fn clear(&mut self, state: &State, body: &Clear) {
        if body.channels() != 0 {
            for (at, color) in state.render_targets.color.iter().enumerate() {
                view(&mut self.writes, *color, format_args!("color {at}"));
            }
        }
        if body.flags & (Clear::DEPTH | Clear::STENCIL) != 0 {
            view(&mut self.writes, state.render_targets.depth, "depth");
        }
    }

    fn storage(&mut self, state: &State, stage: Stage, name: &str) {
        let (buffers, tables) = state.storage(stage).split_at(FIRST_TABLE);
        for (slot, binding) in buffers.iter().enumerate() {
            push(&mut self.reads, binding.buffer, None, format_args!("{name} buffer {slot}"));
            push(&mut self.writes, binding.buffer, None, format_args!("{name} buffer {slot}"));
        }
        for (slot, binding) in tables.iter().enumerate() {
            push(&mut self.reads, binding.buffer, None, format_args!("{name} table {slot}"));
            for entry in state.objects.table(binding.buffer).into_iter().flatten() {
                push(&mut self.reads, entry.texture, None, format_args!("{name} table {slot}"));
            }
        }
        for (slot, image) in state.storage_images(stage).iter().enumerate() {
            view(&mut self.reads, image.view, format_args!("{name} image {slot}"));
            view(&mut self.writes, image.view, format_args!("{name} image {slot}"));
        }
    }

    fn draw(&mut self, state: &State, slots: impl Fn(ObjectId) -> Option<u32>) {
        if let Some(Created::VertexInput(attributes)) = state.objects.get(state.vertex_input.id) {
            for (slot, buffer) in state.vertex_buffers.iter().enumerate() {
                if attributes.iter().any(|attribute| usize::from(attribute.slot) == slot) {
                    push(&mut self.reads, buffer.source, None, format_args!("vertices {slot}"));
                }
            }
        }
        // Slots 0 to 15 are the pixel stage's, those behind them the vertex stage's.
        let shaders = [state.shaders.vertex, state.shaders.geometry, state.shaders.pixel];
        let mut used = 0;
        for id in shaders.into_iter().filter(|id| !id.is_none()) {
            used |= slots(id).unwrap_or(u32::MAX);
        }
        self.textures(state.textures.all(), "texture", |slot| used >> slot & 1 != 0);
        self.storage(state, Stage::Vertex, "vertex");
        self.storage(state, Stage::Pixel, "pixel");
        for (slot, buffer) in state.feedback_buffers.iter().enumerate() {
            push(&mut self.writes, buffer.buffer, None, format_args!("capture {slot}"));
        }
        if state.raster.discard != 0 {
            return;
        }
        let targets = &*state.render_targets;
        for (at, color) in targets.color.iter().enumerate() {
            let own = state.blend_targets.get().get(at);
            let mask = own.map_or(state.blend.write_masks[at], |target| target.write_mask);
            if mask != 0 && !state.shaders.pixel.is_none() {
                view(&mut self.writes, *color, format_args!("color {at}"));
                if own.map_or(state.blend.enable, |target| target.enable) != 0 || mask != 15 {
                    view(&mut self.reads, *color, format_args!("color {at}"));
                }
            }
        }
        let tests = &*state.depth_stencil;
        let keeps = |face: afterimage_stream::packets::StencilFace| {
            [face.fail, face.depth_fail, face.pass].iter().all(|op| StencilOp::of(*op) == StencilOp::Keep)
        };
        let stencil = tests.stencil_test != 0;
        if tests.depth_test != 0 || stencil {
            view(&mut self.reads, targets.depth, "depth");
        }
        if tests.depth_test != 0 && tests.depth_write != 0 || stencil && !(keeps(tests.front) && keeps(tests.back)) {
            view(&mut self.writes, targets.depth, "depth");
        }
    }
}
