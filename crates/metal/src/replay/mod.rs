//! Replays: captures drawn from their start to their end.

pub(crate) mod step;

use crate::error::Error;
use crate::renderer::Renderer;
use afterimage_capture::{CaptureError, Reader};
use afterimage_metal_calls::Device;
use afterimage_stream::{Executor, Reply};
use std::io::Read;

/// Why a replay stopped.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The file is damaged; what could be read was drawn.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The renderer cannot go on.
    #[error(transparent)]
    Renderer(#[from] Error),
}

/// What a replay has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replayed {
    /// Frames presented.
    pub frames: u64,
    /// Draws asked for.
    pub draws: u64,
    /// Draws that were dropped.
    pub skipped: u64,
    /// Packets that were rejected or could not be executed.
    pub errors: u64,
}

impl<D: Device> Renderer<D> {
    /// Draws a capture. Pictures go to [`Renderer::set_picture_sink`]'s.
    ///
    /// # Errors
    /// Where the file is damaged (what can be read is drawn, and the first damage told), or the device is lost.
    pub fn replay<R: Read>(&mut self, reader: &mut Reader<R>) -> Result<Replayed, ReplayError> {
        self.presenter.pictures.headless = true;
        self.stats.program.clone_from(&reader.info().program);
        let (frames, draws, skipped) = (self.stats.frames, self.draws, self.skipped_draws);
        let (mut errors, mut damage) = (0, None);
        let mut count = |reply: Reply| errors += u64::from(matches!(reply, Reply::Error { .. }));
        loop {
            match reader.next() {
                // Rejected packets are counted by their replies.
                Ok(Some(batch)) => {
                    self.captures.replayed = Some(reader.time());
                    drop(self.execute(&batch.words, reader.arena(), &mut count));
                    self.captures.replayed = None;
                }
                Ok(None) => break,
                Err(error) => {
                    tracing::warn!("{error}");
                    self.validator.resume();
                    damage.get_or_insert(error);
                }
            }
            if let Some(error) = &self.lost {
                return Err(error.clone().into());
            }
        }
        self.finish(&mut count)?;
        match damage {
            Some(error) => Err(error.into()),
            None => Ok(Replayed {
                frames: self.stats.frames - frames,
                draws: self.draws - draws,
                skipped: self.skipped_draws - skipped,
                errors,
            }),
        }
    }
}
