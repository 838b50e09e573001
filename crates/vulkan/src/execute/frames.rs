//! Frames that the GPU has: how many there may be, and what is answered when they are done.

use crate::error::Result;
use crate::renderer::Renderer;
use afterimage_stream::Reply;

/// Frames that the CPU may be ahead of the GPU.
const FRAMES_IN_FLIGHT: usize = 3;

impl Renderer {
    /// A frame was presented and submitted.
    pub(crate) fn frame_submitted(&mut self, frame: u64, submission: u64, replies: &mut dyn FnMut(Reply)) -> Result {
        self.memory.frame_uploads.end_frame(submission);
        self.memory.frame_upload_bytes = 0;
        if self.programs.pipelines.end_frame() {
            let codes = self.programs.shaders.iter().filter_map(|guest| Some(guest.shader.as_ref()?.hash()));
            self.programs.library.trim(&codes.collect::<Vec<_>>());
            self.bound.merged = None;
            self.programs.guesses.clear();
        }
        self.follow_guesses();
        self.keep_caches_in_time();
        self.frames.push_back((frame, submission));
        if let Some(over) = self.frames.len().checked_sub(FRAMES_IN_FLIGHT)
            && let Some(&(_, oldest)) = self.frames.get(over)
        {
            self.recorder.submissions.wait(oldest)?;
        }
        self.answer(replies)
    }

    /// Answers what has completed.
    pub(crate) fn answer(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        let completed = self.recorder.submissions.completed;
        self.transfers.queries.answer(&self.gpu, completed, replies)?;
        self.transfers.readbacks.answer(completed, replies);
        self.presenter.deliver(completed);
        self.trim_queries();
        let mut done = None;
        let waiting = self.frames.len();
        while let Some(&(frame, submission)) = self.frames.front()
            && submission <= completed
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
        if !self.recorder.submissions.is_empty() {
            self.submit()?;
        }
        self.recorder.submissions.wait(self.recorder.submissions.current - 1)?;
        self.presenter.finish_screenshots(self.recorder.submissions.completed);
        self.answer(replies)
    }
}
