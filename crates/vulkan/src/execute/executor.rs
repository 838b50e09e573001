//! A batch of packets: each is checked, applied to the state, and executed.

use crate::error::{Error, Result};
use crate::memory::buffer::GuestBuffer;
use crate::pipeline::prediction::{Batch, Rest};
use crate::renderer::Renderer;
use afterimage_stream::{Arena, Executor, Kind, Located, Packet, Reader, Reply, StreamError, by_kind};
use std::time::Duration;

impl Renderer {
    /// Checks, applies and executes a packet.
    ///
    /// # Errors
    /// What the validator says of it.
    #[inline(always)]
    fn step(
        &mut self,
        located: Located<'_>,
        whole: &Batch<'_>,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        by_kind!(located => self.run::<false>(located, whole, replies), else self.run_other(located, whole, replies))
    }

    #[inline(never)]
    fn run_other(
        &mut self,
        located: Located<'_>,
        whole: &Batch<'_>,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.run::<true>(located, whole, replies)
    }

    /// Checks, applies and executes a packet, and notes it for the watchdog. Of the hot kinds draws alone are noted, in
    /// [`Self::packet`]: the others only change what the next draw finds, and what takes its time, or fails, is that draw.
    #[inline(always)]
    fn run<const NOTED: bool>(
        &mut self,
        located: Located<'_>,
        whole: &Batch<'_>,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.validator.check(&self.state, &located, whole.arena)?;
        // Values of their own, which need not be in memory as what the check was given.
        let Located { header, packet, at, .. } = located;
        if self.captures.are_active() {
            match packet {
                Packet::BeginFrame(body) => self.record_begin(body.frame, at),
                Packet::Present(_) => {
                    self.record_until(whole.words, at + usize::from(header.units), whole.arena);
                }
                _ => {}
            }
        }
        if NOTED {
            let frame = if let Packet::BeginFrame(body) = packet { Some(body.frame) } else { None };
            self.recorder.note(packet.kind(), frame, header.sequence);
        }
        self.state.apply(&packet);
        if self.lost.is_some() {
            self.answer_for_the_dead(packet, replies);
            return Ok(());
        }
        let rest = Rest { batch: whole, at, sequence: header.sequence };
        if let Err(error) = self.packet(&packet, rest, replies) {
            self.failed(packet, header.sequence, error, replies);
        }
        Ok(())
    }

    /// A packet could not be executed.
    #[cold]
    fn failed(&mut self, packet: Packet<'_>, sequence: u32, error: Error, replies: &mut dyn FnMut(Reply)) {
        tracing::error!("{} (sequence {sequence}): {error}", packet.kind().name());
        replies(Reply::Error { sequence });
        if matches!(error, Error::DeviceLost(_)) {
            self.lose(error);
            self.answer_for_the_dead(packet, replies);
        }
    }

    #[inline(always)]
    fn packet(&mut self, packet: &Packet<'_>, rest: Rest<'_>, replies: &mut dyn FnMut(Reply)) -> Result {
        let arena = rest.batch.arena;
        match *packet {
            Packet::Draw(body) => {
                self.recorder.note(Kind::Draw, None, rest.sequence);
                self.draw(body, rest);
            }
            Packet::DrawIndexed(body) => {
                self.recorder.note(Kind::DrawIndexed, None, rest.sequence);
                self.draw_indexed(body, rest);
            }
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
            | Packet::CreateVertexInput(..) => {}
            Packet::BeginFeedback(body) => return self.begin_feedback(body),
            Packet::EndFeedback(body) => return self.end_feedback(body),
            Packet::DrawIndirect(body) => return self.draw_indirect(body, rest),
            Packet::DrawByteCount(body) => return self.draw_byte_count(body, rest),
            Packet::CreateView(body) => return self.create_view(body),
            Packet::Dispatch(body) => return self.dispatch(body),
            Packet::CopyBuffer(body) => self.copy_buffers(body),
            Packet::FillBuffer(body) => self.fill_buffer(body),
            Packet::ReadBuffer(body) => return self.read_buffer(body, arena),
            Packet::CopyToTexture(body) => return self.copy_texture_bytes(&body.copy, true),
            Packet::CopyFromTexture(body) => return self.copy_texture_bytes(&body.copy, false),
            Packet::BeginFrame(_) => {
                self.end_frame_of_feedback()?;
                self.stats.begin();
            }
            Packet::UpdateBuffer(body) => {
                self.recorder.uploaded += u64::from(body.data.size);
                return self.update_buffer(body, arena);
            }
            Packet::UpdateTexture(body) => {
                self.recorder.uploaded += u64::from(body.data.size);
                return self.update_texture(body, arena);
            }
            Packet::Clear(body, rects) => return self.clear(body, rects),
            Packet::Blit(body) => return self.blit(body),
            Packet::GenerateMips(body) => return self.generate_mips(body),
            Packet::BeginQuery(body) => self.begin_query(body),
            Packet::EndQuery(body) => return self.end_query(body),
            Packet::ReadBack(body) => return self.read_back(body, arena),
            Packet::Present(body) => {
                self.end_frame_of_feedback()?;
                return self.present(body, arena, replies);
            }
            Packet::PresentTarget(body) => return self.present_target(body),
            Packet::Overlay(body) => self.set_overlay(body),
            Packet::StateFigures(body) => self.stats.guest.add(&(*body).into()),
            Packet::CreateBuffer(body) => {
                let completed = self.recorder.submissions.completed;
                let buffer = GuestBuffer::new(&self.gpu, &mut self.memory.dynamic, body, completed)?;
                self.resources.buffers.insert(body.id, buffer);
            }
            Packet::CreateTexture(body) => return self.create_texture(body),
            Packet::CreateSampler(body) => return self.create_sampler(body),
            Packet::CreateShader(body) => {
                self.create_shader(body, arena);
                self.compute_shader_changed(body.id);
            }
            Packet::CreateQuery(body) => self.create_query(body),
            Packet::CreateTable(body) => return self.create_table(body),
            Packet::UpdateTable(body, entries) => return self.update_table(body, entries),
            Packet::Destroy(body) => self.destroy(body.id),
            Packet::Name(body, name) => self.name_object(body.id, &String::from_utf8_lossy(name)),
            Packet::Marker(body, text) => self.marker(body, text),
            Packet::Init(body, name) => {
                self.presenter.pictures.guest = body.guest;
                let overlay = self.options.wishes.overlay;
                self.set_overlay(&overlay);
                self.stats.program = String::from_utf8_lossy(name).into_owned();
                self.recall();
            }
        }
        Ok(())
    }

    /// With the device gone nothing is drawn, but nobody may wait forever.
    #[cold]
    fn answer_for_the_dead(&mut self, packet: Packet<'_>, replies: &mut dyn FnMut(Reply)) {
        self.transfers.queries.abandon(replies);
        self.transfers.readbacks.abandon(replies);
        match packet {
            Packet::Present(body) => {
                self.frames.clear();
                replies(Reply::FrameDone { frame: body.frame });
            }
            Packet::EndQuery(body) => replies(Reply::Query { id: body.id, token: body.token, value: 0 }),
            Packet::ReadBack(body) => replies(Reply::ReadBack { token: body.token, ok: false }),
            Packet::ReadBuffer(body) => replies(Reply::ReadBack { token: body.token, ok: false }),
            _ => {}
        }
    }

    /// What must not wait for the end of the frame: somebody waits for an answer.
    fn end_batch(&mut self, arena: &dyn Arena, replies: &mut dyn FnMut(Reply)) -> Result {
        if self.transfers.queries.asked || self.transfers.readbacks.asked {
            self.submit()?;
            self.transfers.readbacks.asked = false;
        }
        if let Some(last) = self.transfers.readbacks.last_copied() {
            self.recorder.submissions.wait(last)?;
            self.transfers.readbacks.copy(arena, self.recorder.submissions.completed);
        }
        self.recorder.submissions.retire()?;
        if self.recorder.has_much() && self.recorder.submissions.is_idle() {
            self.submit()?;
        }
        self.answer(replies)
    }
}

impl Executor for Renderer {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> std::result::Result<(), Box<StreamError>> {
        self.programs.looked_ahead = false;
        self.captures.take_requests(self.state.frame, &mut self.presenter.pictures);
        if self.options.trace_packets {
            afterimage_stream::trace::trace(batch);
        }
        let whole = Batch { words: batch, arena };
        let mut first_error = None;
        for located in Reader::new(batch) {
            // No closure: as one, all that draws take was a function of its own, which took them a fifth longer.
            let checked = match located {
                Ok(located) => self.step(located, &whole, replies),
                Err(error) => Err(error),
            };
            if let Err(error) = checked {
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
        if let Some(watch) = &mut self.recorder.submissions.watch {
            watch.idle();
        }
        first_error.map_or(Ok(()), Err)
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        if self.lost.is_none()
            && let Err(error) = self.recorder.submissions.retire().and_then(|()| self.answer(replies))
        {
            self.fail(error);
        }
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        self.lost.is_none()
            && self.recorder.submissions.wait_for_more(timeout).unwrap_or_else(|error| {
                self.fail(error);
                false
            })
    }
}
