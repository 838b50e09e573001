//! How long calls take on the GPU.

use crate::device::barrier::full_barrier;
use crate::error::Result;
use crate::renderer::Renderer;
use afterimage_stream::{ObjectId, Reply};
use std::time::Duration;

/// The GPU's time before and behind a call.
#[derive(Clone, Copy, Default)]
struct Lap {
    /// Nanoseconds, once they were answered.
    at: [Option<u64>; 2],
    /// The submissions that the two were asked in.
    submissions: [u64; 2],
}

/// Times that are being taken. The token of what is asked is twice the number of the lap, and one more for its end.
#[derive(Default)]
pub struct Laps(Vec<Lap>);

impl Laps {
    /// A time of the GPU has come.
    pub(crate) fn answer(&mut self, reply: &Reply) {
        let Reply::Query { id: ObjectId::NONE, token, value } = *reply else { return };
        if let Some(lap) = self.0.get_mut((token >> 1) as usize) {
            lap.at[(token & 1) as usize] = Some(value);
        }
    }

    /// A call begins.
    pub(crate) fn begin(&mut self, renderer: &mut Renderer) -> Result {
        self.0.push(Lap::default());
        self.ask(renderer, 0)
    }

    /// The call has been executed.
    pub(crate) fn end(&mut self, renderer: &mut Renderer) -> Result {
        self.ask(renderer, 1)
    }

    fn ask(&mut self, renderer: &mut Renderer, end: usize) -> Result {
        let Some(number) = self.0.len().checked_sub(1) else { return Ok(()) };
        self.0[number].submissions[end] = renderer.recorder.submissions.current;
        renderer.ask_time((number << 1 | end) as u64)?;
        // Nothing that follows begins before everything is done.
        let cmd = renderer.recorder.main();
        full_barrier(&renderer.gpu, cmd);
        Ok(())
    }

    /// The duration of each, where both ends lie in one submission: between two the GPU may have had nothing to do.
    pub(crate) fn durations(&self) -> impl Iterator<Item = Option<Duration>> + '_ {
        self.0.iter().map(|lap| match (lap.at, lap.submissions) {
            ([Some(begin), Some(end)], [first, last]) if first == last => {
                end.checked_sub(begin).map(Duration::from_nanos)
            }
            _ => None,
        })
    }
}
