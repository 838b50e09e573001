//! Frames that the GPU has: how many there may be, and what is answered when they are done.

use crate::error::Result;
use crate::renderer::Renderer;
use afterimage_metal_calls::{Device, Serial};
use afterimage_stream::Reply;

/// What was found of indices that is kept: buffers change and go, and what was found of them stays.
const MOST_INDEX_FACTS: usize = 1 << 14;

/// Frames that the CPU may be ahead of the GPU.
const FRAMES_IN_FLIGHT: usize = 3;

impl<D: Device> Renderer<D> {
    /// A frame was presented and committed.
    pub(crate) fn frame_submitted(&mut self, frame: u64, serial: Serial, replies: &mut dyn FnMut(Reply)) -> Result {
        self.frame_uploads.end_frame(serial);
        self.frame_upload_bytes = 0;
        if self.index_facts.len() > MOST_INDEX_FACTS {
            self.index_facts.clear();
        }
        self.vertex_copies.clear();
        self.frames.push_back((frame, serial));
        if let Some(over) = self.frames.len().checked_sub(FRAMES_IN_FLIGHT)
            && let Some(&(_, oldest)) = self.frames.get(over)
        {
            self.commands.wait(oldest)?;
        }
        self.answer(replies)
    }

    /// Answers what has completed.
    pub(crate) fn answer(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        let completed = self.commands.completed;
        self.answer_queries(replies)?;
        self.readbacks.answer(completed, replies);
        self.presenter.deliver(&self.device, completed)?;
        let (mut done, waiting) = (None, self.frames.len());
        while let Some(&(frame, serial)) = self.frames.front()
            && serial <= completed
        {
            self.frames.pop_front();
            done = Some(frame);
        }
        if let Some(frame) = done {
            self.stats.complete((waiting - self.frames.len()) as u64);
            replies(Reply::FrameDone { frame });
        }
        Ok(())
    }

    /// Waits until everything executed so far is done, and answers it.
    ///
    /// # Errors
    /// Where the device is lost.
    pub fn finish(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        if let Some(error) = &self.lost {
            return Err(error.clone());
        }
        let done = self.submit().and_then(|serial| self.commands.wait(serial)).and_then(|()| self.answer(replies));
        if let Err(error) = &done {
            self.fail(error.clone());
        }
        self.presenter.pictures.finish_files();
        if self.lost.is_some() {
            self.abandon(replies);
        }
        done
    }
}
