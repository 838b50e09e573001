//! Checking packets against the state before anything is executed.

mod objects;
mod rare;

use crate::budgets::{Budget, Budgets};
use crate::packets::check::Checked;
use crate::packets::*;
use crate::{Arena, Cause, FIRST_TABLE, Located, ObjectId, ObjectKind, State, StreamError, UploadRef};
use objects::{
    counters, fresh, inside, level_extent, object, object_or_none, shader, source, storage, texture, texture_copy,
    update_table, upload, view,
};

/// Checks a stream packet by packet: sequence, frames, live ids, kinds, ranges, upload references.
#[derive(Debug, Default)]
pub struct Validator {
    budgets: Budgets,
    last: Option<u32>,
    open_frame: Option<u64>,
    draws: u64,
    /// Whether feedback runs: from its begin to its end, or the frame's.
    feedback_runs: bool,
}

impl Validator {
    /// A validator for a new stream.
    #[must_use]
    pub fn new(budgets: Budgets) -> Self {
        Self { budgets, ..Self::default() }
    }

    /// What the stream may ask for.
    #[must_use]
    pub fn budgets(&self) -> &Budgets {
        &self.budgets
    }

    /// Sets what the stream may ask for from now on.
    pub fn set_budgets(&mut self, budgets: Budgets) {
        self.budgets = budgets;
    }

    /// The frame that has begun and is not presented.
    #[must_use]
    pub fn open_frame(&self) -> Option<u64> {
        self.open_frame
    }

    /// Packets are missing before the next one, which is known and no fault of it.
    pub fn resume(&mut self) {
        self.last = None;
    }

    /// Checks one packet against the state that the packets before it have built.
    ///
    /// # Errors
    /// What is wrong with it. A rejected packet must be skipped; the next one may be good again.
    #[inline(always)]
    pub fn check(&mut self, state: &State, located: &Located<'_>, arena: &dyn Arena) -> Result<(), Box<StreamError>> {
        let sequence = located.header.sequence;
        let follows = match self.last {
            Some(last) => sequence == last.wrapping_add(1),
            None => true,
        };
        if !follows {
            let last = self.last.unwrap_or(0);
            // A gap is reported once and the stream goes on behind it; a step back leaves the good number standing.
            if (sequence.wrapping_sub(last) as i32) > 0 {
                self.last = Some(sequence);
            }
            return Err(located.error(Cause::Sequence { last }));
        }
        self.last = Some(sequence);
        self.cause(state, &located.packet, arena).map_err(|cause| located.error(cause))
    }

    #[inline(always)]
    pub(crate) fn cause(&mut self, state: &State, packet: &Packet<'_>, arena: &dyn Arena) -> Checked {
        match *packet {
            Packet::Draw(body) => {
                body.check()?;
                self.draw(state)
            }
            Packet::DrawIndexed(body) => {
                body.check()?;
                if state.index_buffer.source.is_none() {
                    return Err(Cause::Missing { field: "index_buffer", id: ObjectId::NONE });
                }
                self.draw(state)
            }
            Packet::DrawIndirect(body) => {
                body.check()?;
                if body.indexed != 0 && state.index_buffer.source.is_none() {
                    return Err(Cause::Missing { field: "index_buffer", id: ObjectId::NONE });
                }
                let more = u64::from(body.count - 1);
                let bytes = more * u64::from(body.stride) + u64::from(body.bytes());
                storage(state, "buffer", body.buffer, body.offset, bytes)?;
                self.draws += more;
                self.draw(state)
            }
            Packet::DrawByteCount(body) => {
                body.check()?;
                storage(state, "counter", body.counter, body.offset, 4)?;
                self.draw(state)
            }
            Packet::SetFeedbackBuffers(body, buffers) => {
                self.runs_feedback(false)?;
                body.check(buffers)?;
                for buffer in buffers.iter().filter(|buffer| !buffer.buffer.is_none()) {
                    // At least a word of it, whatever the size.
                    storage(state, "buffer", buffer.buffer, buffer.offset, buffer.size.max(4))?;
                }
                Ok(())
            }
            Packet::BeginFeedback(body) => {
                self.runs_feedback(false)?;
                // Those may have been destroyed, or made anew, since they were set.
                for buffer in state.feedback_buffers.iter().filter(|buffer| !buffer.buffer.is_none()) {
                    storage(state, "feedback buffer", buffer.buffer, buffer.offset, buffer.size.max(4))?;
                }
                counters(state, &body.counters)?;
                self.feedback_runs = true;
                Ok(())
            }
            Packet::EndFeedback(body) => {
                self.runs_feedback(true)?;
                counters(state, &body.counters)?;
                self.feedback_runs = false;
                Ok(())
            }
            Packet::SetConstants(body, _) => body.check(),
            Packet::SetTextures(body, bindings) => {
                body.check()?;
                for binding in bindings {
                    object_or_none(state, "texture", binding.texture, ObjectKind::Texture)?;
                    object_or_none(state, "sampler", binding.sampler, ObjectKind::Sampler)?;
                    if !binding.texture.is_none() && binding.sampler.is_none() {
                        return Err(Cause::Missing { field: "sampler", id: ObjectId::NONE });
                    }
                }
                Ok(())
            }
            Packet::SetVertexBuffers(body, bindings) => {
                body.check(bindings)?;
                for binding in bindings {
                    source(state, arena, binding.source, binding.offset, binding.size)?;
                }
                Ok(())
            }
            Packet::SetIndexBuffer(body) if body.source.is_none() => Ok(()),
            Packet::SetIndexBuffer(body) => {
                body.check()?;
                source(state, arena, body.source, body.offset, body.size)
            }
            Packet::SetShaders(body) => {
                shader(state, "vertex", body.vertex, Stage::Vertex)?;
                shader(state, "pixel", body.pixel, Stage::Pixel)?;
                shader(state, "geometry", body.geometry, Stage::Geometry)
            }
            Packet::SetVertexInput(body) => object_or_none(state, "id", body.id, ObjectKind::VertexInput),
            Packet::SetRaster(body) => body.check(),
            Packet::SetDepthStencil(body) => body.check(),
            Packet::SetBlend(body, targets) => body.check(targets),
            Packet::SetStorage(body, bindings) => {
                body.check(bindings)?;
                for (at, binding) in body.numbered(bindings) {
                    match at {
                        ..FIRST_TABLE => storage(state, "buffer", binding.buffer, binding.offset, binding.size)?,
                        _ => drop(object(state, "buffer", binding.buffer, ObjectKind::Table)?),
                    }
                }
                Ok(())
            }
            Packet::SetStorageImages(body, images) => {
                body.check()?;
                for image in images.iter().filter(|image| !image.view.texture.is_none()) {
                    let texture = texture(state, "view", image.view.texture)?;
                    level_extent(texture, "view", image.view.level, image.view.layer)?;
                    if texture.usage & CreateTexture::STORAGE == 0 {
                        return Err(Cause::WrongKind { field: "view", id: image.view.texture });
                    }
                }
                Ok(())
            }
            Packet::SetPixelOps(body) => body.check(),
            Packet::SetViewport(body) => self.set_viewport(body),
            Packet::SetScissor(_) => Ok(()),
            Packet::SetViewports(body, viewports) => self.set_viewports(body, viewports),
            Packet::SetDepthBounds(body) => body.check(),
            Packet::Marker(body, _) => body.check(),
            Packet::Overlay(body) => body.check(),
            Packet::SetGamma(body, steps) => {
                object(state, "id", body.id, ObjectKind::Target)?;
                body.check(steps)
            }
            Packet::SetRenderTargets(body) => Self::set_render_targets(state, body),
            Packet::Clear(body, _) => body.check(),
            Packet::UpdateBuffer(body) => self.update_buffer(state, arena, body),
            Packet::UpdateTexture(body) => self.update_texture(state, arena, body),
            Packet::GenerateMips(body) => {
                texture(state, "id", body.id)?;
                body.check()
            }
            Packet::Blit(body) => {
                self.blit_side(state, "src", body.src, body.src_rect)?;
                self.blit_side(state, "dst", body.dst, body.dst_rect)?;
                body.check()
            }
            Packet::ReadBack(body) => self.read_back(state, arena, body),
            Packet::Dispatch(body) => {
                if body.shader.is_none() {
                    return Err(Cause::Missing { field: "shader", id: body.shader });
                }
                shader(state, "shader", body.shader, Stage::Compute)?;
                body.check()?;
                self.within(Budget::Groups, body.shader, body.all_groups())?;
                self.count_draw()
            }
            Packet::CopyBuffer(body) => self.copy_buffer(state, body),
            Packet::FillBuffer(body) => self.fill_buffer(state, body),
            Packet::ReadBuffer(body) => self.read_buffer(state, arena, body),
            Packet::CopyToTexture(body) => texture_copy(state, &body.copy),
            Packet::CopyFromTexture(body) => texture_copy(state, &body.copy),
            Packet::BeginQuery(body) => object(state, "id", body.id, ObjectKind::Query).map(drop),
            Packet::EndQuery(body) => object(state, "id", body.id, ObjectKind::Query).map(drop),
            // Counts for people: any will do.
            Packet::StateFigures(_) => Ok(()),
            Packet::BeginFrame(body) => {
                self.open_frame = Some(body.frame);
                self.draws = 0;
                self.feedback_runs = false;
                Ok(())
            }
            Packet::Present(body) => {
                if self.open_frame != Some(body.frame) {
                    return Err(Cause::FrameMismatch { frame: body.frame, open: self.open_frame });
                }
                if !body.shows_nothing() {
                    object(state, "target", body.target, ObjectKind::Target)?;
                    texture(state, "texture", body.texture)?;
                }
                self.open_frame = None;
                self.feedback_runs = false;
                Ok(())
            }
            Packet::Init(body, _) => body.check(),
            Packet::Name(body, _) => match state.objects.get(body.id) {
                Some(_) => Ok(()),
                None => Err(Cause::Missing { field: "id", id: body.id }),
            },
            Packet::Destroy(body) => match state.objects.get(body.id) {
                Some(_) if state.objects.has_views(body.id) => Err(Cause::HasViews { field: "id", id: body.id }),
                Some(_)
                    if self.feedback_runs && state.feedback_buffers.iter().any(|buffer| buffer.buffer == body.id) =>
                {
                    Err(Cause::WrittenByFeedback { field: "id", id: body.id })
                }
                Some(_) => Ok(()),
                None => Err(Cause::Missing { field: "id", id: body.id }),
            },
            Packet::PresentTarget(body) => self.present_target(state, body),
            Packet::CreateBuffer(body) => self.create_buffer(state, body),
            Packet::CreateTexture(body) => self.create_texture(state, body),
            Packet::CreateView(body) => {
                self.fresh(state, body.id, ObjectKind::Texture)?;
                view(state, body)
            }
            Packet::CreateSampler(body) => {
                self.fresh(state, body.id, ObjectKind::Sampler)?;
                body.check()
            }
            Packet::CreateShader(body) => self.create_shader(state, arena, body),
            Packet::CreateVertexInput(body, attributes) => {
                self.fresh(state, body.id, ObjectKind::VertexInput)?;
                body.check(attributes)
            }
            Packet::CreateQuery(body) => {
                self.fresh(state, body.id, ObjectKind::Query)?;
                body.check()
            }
            Packet::CreateTable(body) => {
                self.fresh(state, body.id, ObjectKind::Table)?;
                body.check()?;
                self.room(state, Budget::TableEntries, body.id, body.entries.into())
            }
            Packet::UpdateTable(body, entries) => update_table(state, body, entries),
        }
    }

    #[inline]
    fn draw(&mut self, state: &State) -> Checked {
        if state.shaders.vertex.is_none() {
            return Err(Cause::Missing { field: "vertex shader", id: ObjectId::NONE });
        }
        self.count_draw()
    }

    /// Whether feedback runs as it must.
    fn runs_feedback(&self, wanted: bool) -> Checked {
        let running = self.feedback_runs;
        if running == wanted { Ok(()) } else { Err(Cause::Feedback { running }) }
    }

    #[inline]
    fn count_draw(&mut self) -> Checked {
        self.draws += 1;
        self.within(Budget::Draws, ObjectId::NONE, self.draws)
    }

    /// Whether so much may be asked for.
    #[inline]
    fn within(&self, budget: Budget, id: ObjectId, asked: u64) -> Checked {
        #[cold]
        fn past(budget: Budget, id: ObjectId, asked: u64, limit: u64) -> Checked {
            Err(Cause::Budget { budget, id, asked, limit })
        }
        let limit = self.budgets.limit(budget);
        if asked <= limit { Ok(()) } else { past(budget, id, asked, limit) }
    }

    /// Whether an object may take so much besides what lives.
    fn room(&self, state: &State, budget: Budget, id: ObjectId, more: u64) -> Checked {
        self.within(budget, id, state.objects.spent.of(budget).saturating_add(more))
    }

    /// Whether an id can be given to a new object, for which there is room.
    fn fresh(&self, state: &State, id: ObjectId, kind: ObjectKind) -> Checked {
        fresh(state, id, kind)?;
        let Some(budget) = Budget::of_kind(kind) else { return Ok(()) };
        self.room(state, budget, id, 1)?;
        // Serials are given out again, so that none is higher than there were objects; tables of objects are that long.
        self.within(budget, id, id.serial().into())
    }

    /// Data of an object on its way through the arena.
    fn transfer(&self, arena: &dyn Arena, id: ObjectId, data: &UploadRef) -> Checked {
        self.within(Budget::Transfer, id, data.size.into())?;
        upload(arena, "data", data)
    }

    fn blit_side(&self, state: &State, field: &'static str, view: View, rect: Rect) -> Checked {
        let texture = texture(state, field, view.texture)?;
        let extent = level_extent(texture, field, view.level, view.layer)?;
        if rect.x < 0 || rect.y < 0 {
            return Err(Cause::Range { field, value: 0, limit: u64::from(extent[0]) });
        }
        inside(field, rect.x as u32, rect.width, extent[0])?;
        inside(field, rect.y as u32, rect.height, extent[1])
    }
}
