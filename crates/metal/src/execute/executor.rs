//! A batch of packets: each is checked, applied to the state, and executed.

use crate::error::{Error, Result};
use crate::renderer::Renderer;
use afterimage_metal_calls::Device;
use afterimage_stream::packets::CreateShader;
use afterimage_stream::{Arena, Executor, Located, Packet, Reader, Reply, StreamError, by_kind};
use std::time::Duration;

/// Draws after which a batch goes to a GPU that has nothing to do.
const EARLY_DRAWS: u64 = 1000;

impl<D: Device> Renderer<D> {
    /// Checks, applies and executes a packet.
    #[inline(always)]
    fn step(
        &mut self,
        located: Located<'_>,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        by_kind!(located => self.run(located, batch, arena, replies), else self.run_other(located, batch, arena, replies))
    }

    #[inline(never)]
    fn run_other(
        &mut self,
        located: Located<'_>,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.run(located, batch, arena, replies)
    }

    #[inline(always)]
    fn run(
        &mut self,
        located: Located<'_>,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.validator.check(&self.state, &located, arena)?;
        let Located { header, packet, at, .. } = located;
        if self.captures.are_active() {
            match packet {
                Packet::BeginFrame(body) => self.record_begin(body.frame, at),
                Packet::Present(_) => self.record_until(batch, at + usize::from(header.units), arena),
                _ => {}
            }
        }
        if let Some(journal) = &self.commands.works.journal {
            journal.begin_packet(packet.kind(), header.sequence);
        }
        self.state.apply(&packet);
        if self.lost.is_some() {
            self.answer_for_the_dead(packet, replies);
            return Ok(());
        }
        if let Err(error) = self.packet(&packet, arena, replies) {
            self.failed(packet, header.sequence, error, replies);
        }
        Ok(())
    }

    /// A packet could not be executed.
    #[cold]
    fn failed(&mut self, packet: Packet<'_>, sequence: u32, error: Error, replies: &mut dyn FnMut(Reply)) {
        tracing::error!("{} (sequence {sequence}): {error}", packet.kind().name());
        replies(Reply::Error { sequence });
        if matches!(error, Error::DeviceLost(_) | Error::Hung(..)) {
            self.lose(error);
            self.answer_for_the_dead(packet, replies);
        }
    }

    #[inline(always)]
    fn packet(&mut self, packet: &Packet<'_>, arena: &dyn Arena, replies: &mut dyn FnMut(Reply)) -> Result {
        match *packet {
            Packet::Draw(body) => self.draw(body),
            Packet::DrawIndexed(body) => self.draw_indexed(body),
            Packet::DrawIndirect(body) => return self.draw_indirect(body),
            Packet::DrawByteCount(body) => return self.draw_byte_count(body),
            Packet::SetVertexBuffers(body, bindings) => {
                return self.resolve_vertex_uploads(body.first as usize, bindings, arena);
            }
            Packet::SetIndexBuffer(body) => return self.resolve_index_upload(body, arena),
            Packet::SetRenderTargets(_)
            | Packet::SetViewport(_)
            | Packet::SetScissor(_)
            | Packet::SetViewports(..)
            | Packet::SetDepthBounds(_)
            | Packet::SetRaster(_)
            | Packet::SetDepthStencil(_)
            | Packet::SetBlend(..)
            | Packet::SetPixelOps(_)
            | Packet::SetVertexInput(_)
            | Packet::SetShaders(_)
            | Packet::SetTextures(..)
            | Packet::SetConstants(..)
            | Packet::SetGamma(..)
            | Packet::SetStorage(..)
            | Packet::SetStorageImages(..)
            | Packet::SetFeedbackBuffers(..)
            | Packet::PresentTarget(_)
            | Packet::CreateVertexInput(..) => {}
            Packet::BeginFeedback(body) => return self.begin_feedback(body),
            Packet::EndFeedback(body) => return self.end_feedback(body),
            Packet::Dispatch(body) => return self.dispatch(body),
            Packet::CopyBuffer(body) => return self.copy_buffers(body),
            Packet::FillBuffer(body) => return self.fill_buffer(body),
            Packet::ReadBuffer(body) => return self.read_buffer(body, arena),
            Packet::CopyToTexture(body) => return self.copy_texture_bytes(&body.copy, true),
            Packet::CopyFromTexture(body) => return self.copy_texture_bytes(&body.copy, false),
            Packet::BeginFrame(body) => {
                self.commands.works.begin_frame(body.frame);
                self.stats.begin();
            }
            Packet::UpdateBuffer(body) => return self.update_buffer(body, arena),
            Packet::UpdateTexture(body) => return self.update_texture(body, arena),
            Packet::Clear(body, rects) => return self.clear(body, rects),
            Packet::Blit(body) => return self.blit(body),
            Packet::GenerateMips(body) => return self.generate_mips(body),
            Packet::BeginQuery(body) => self.begin_query(body),
            Packet::EndQuery(body) => self.end_query(body),
            Packet::ReadBack(body) => return self.read_back(body, arena),
            Packet::Present(body) => return self.present(body, arena, replies),
            Packet::Overlay(body) => self.set_overlay(body),
            Packet::StateFigures(body) => self.stats.guest.add(&(*body).into()),
            Packet::CreateBuffer(body) => return self.create_buffer(body),
            Packet::CreateTexture(body) => return self.create_texture(body),
            Packet::CreateView(body) => return self.create_view(body),
            Packet::CreateSampler(body) => return self.create_sampler(body),
            Packet::CreateShader(body) => self.create_shader(body, arena),
            Packet::CreateQuery(body) => self.create_query(body),
            Packet::CreateTable(_) => return Err(self.unsupported("tables of textures")),
            // There is none.
            Packet::UpdateTable(..) => {}
            Packet::Destroy(body) => self.destroy(body.id),
            Packet::Name(body, name) => self.name_object(body.id, &String::from_utf8_lossy(name)),
            // Groups of debuggers may not cross the ends of encoders, which those of guests do.
            Packet::Marker(..) => {}
            Packet::Init(body, name) => {
                self.presenter.pictures.guest = body.guest;
                let overlay = self.overlay;
                self.set_overlay(&overlay);
                self.stats.program = String::from_utf8_lossy(name).into_owned();
            }
        }
        Ok(())
    }

    /// [`CreateShader`].
    fn create_shader(&mut self, body: &CreateShader, arena: &dyn Arena) {
        let mut code = vec![0; body.code.size as usize];
        let _inside = arena.copy_out(&body.code, 0, &mut code);
        let shader = self.library.create(body.id, body.language, &code);
        self.shaders.insert(body.id, shader);
    }

    /// With the device gone nothing is drawn, but nobody may wait forever.
    #[cold]
    fn answer_for_the_dead(&mut self, packet: Packet<'_>, replies: &mut dyn FnMut(Reply)) {
        self.abandon(replies);
        match packet {
            Packet::Present(body) => replies(Reply::FrameDone { frame: body.frame }),
            Packet::EndQuery(body) => replies(Reply::Query { id: body.id, token: body.token, value: 0 }),
            Packet::ReadBack(body) => replies(Reply::ReadBack { token: body.token, ok: false }),
            Packet::ReadBuffer(body) => replies(Reply::ReadBack { token: body.token, ok: false }),
            _ => {}
        }
    }

    /// Answers what will not be done any more.
    #[cold]
    pub(crate) fn abandon(&mut self, replies: &mut dyn FnMut(Reply)) {
        for waiting in self.queries.waiting.drain(..) {
            replies(Reply::Query { id: waiting.id, token: waiting.token, value: 0 });
        }
        self.readbacks.abandon(replies);
        if let Some((frame, _)) = self.frames.drain(..).next_back() {
            replies(Reply::FrameDone { frame });
        }
    }

    /// Between packets something went wrong: a device that is gone ends drawing, anything else costs what was being done.
    #[cold]
    pub(crate) fn fail(&mut self, error: Error) {
        match error {
            Error::DeviceLost(_) | Error::Hung(..) => self.lose(error),
            _ => tracing::error!("{error}"),
        }
    }

    /// What must not wait for the end of the frame: somebody waits for an answer.
    fn end_batch(&mut self, arena: &dyn Arena, replies: &mut dyn FnMut(Reply)) -> Result {
        if self.queries.asked || self.readbacks.asked {
            self.submit()?;
            (self.queries.asked, self.readbacks.asked) = (false, false);
        }
        if let Some(last) = self.readbacks.last() {
            self.commands.wait(last)?;
            self.readbacks.copy(&self.device, arena, self.commands.completed);
        }
        self.commands.retire()?;
        if self.commands.draws > EARLY_DRAWS && self.commands.is_idle() {
            self.submit()?;
        }
        self.answer(replies)
    }
}

impl<D: Device> Executor for Renderer<D> {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.captures.take_requests(self.state.frame, &mut self.presenter.pictures);
        if self.traces {
            afterimage_stream::trace::trace(batch);
        }
        let mut first_error = None;
        for located in Reader::new(batch) {
            if let Err(error) = located.and_then(|located| self.step(located, batch, arena, replies)) {
                tracing::error!("{error}");
                replies(Reply::Error { sequence: error.sequence });
                first_error.get_or_insert(error);
            }
        }
        self.captures.end_batch(batch, arena);
        if self.lost.is_none()
            && let Err(error) = self.end_batch(arena, replies)
        {
            self.fail(error);
        }
        if let Some(journal) = &self.commands.works.journal {
            journal.end_packet();
        }
        if self.lost.is_some() {
            self.abandon(replies);
        }
        first_error.map_or(Ok(()), Err)
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        if self.lost.is_none()
            && let Err(error) = self.commands.retire().and_then(|()| self.answer(replies))
        {
            self.fail(error);
        }
        if self.lost.is_some() {
            self.abandon(replies);
        }
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        self.lost.is_none()
            && self.commands.wait_for_more(timeout).unwrap_or_else(|error| {
                self.fail(error);
                false
            })
    }
}
