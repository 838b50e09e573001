//! How long calls take on the GPU.

use crate::device::barrier::full_barrier;
use crate::error::Result;
use crate::renderer::Renderer;
use crate::replay::step::{StepError, Stepper};
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
pub(crate) struct Laps(Vec<Lap>);

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
    fn durations(&self) -> impl Iterator<Item = Option<Duration>> + '_ {
        self.0.iter().map(|lap| match (lap.at, lap.submissions) {
            ([Some(begin), Some(end)], [first, last]) if first == last => {
                end.checked_sub(begin).map(Duration::from_nanos)
            }
            _ => None,
        })
    }
}

impl Stepper {
    /// How long each of these calls takes on the GPU, in the order of the calls; the stepper is behind the last of them then. `None`
    /// where the device does not tell the time, and for calls that wait for their own answer: presents, ends of queries and read backs.
    ///
    /// Each call is timed alone: the pass is closed and a barrier set before and behind it, so that draws do not overlap as they do
    /// when the frame is drawn whole. The sum is thus more than the frame takes ([`crate::FrameTime`] has that), and the times
    /// are good for comparing calls with each other. What a call's data takes to arrive is not in it. The calls are executed once before
    /// they are timed, since the first use of a shader takes longer.
    ///
    /// # Errors
    /// As [`Stepper::run_to`].
    pub fn times(
        &mut self,
        calls: impl IntoIterator<Item = u64>,
    ) -> std::result::Result<Vec<(u64, Option<Duration>)>, StepError> {
        let mut calls: Vec<u64> = calls.into_iter().collect();
        calls.sort_unstable();
        calls.dedup();
        let Some(&last) = calls.last() else { return Ok(Vec::new()) };
        self.run_to(last)?;
        if self.renderer.gpu.profile.timestamp_bits == 0 {
            return Ok(calls.into_iter().map(|call| (call, None)).collect());
        }
        // A call that is the thousandth would be submitted in the middle of its time.
        let early = std::mem::replace(&mut self.renderer.recorder.early_draws, u64::MAX);
        let laps = self.laps(&calls);
        self.renderer.recorder.early_draws = early;
        Ok(calls.into_iter().zip(laps?.durations()).collect())
    }

    fn laps(&mut self, calls: &[u64]) -> std::result::Result<Laps, StepError> {
        let mut laps = Laps::default();
        for &call in calls {
            if self.place.calls != call {
                // Going elsewhere may begin anew, where answers are lost.
                self.renderer.finish(&mut |reply| laps.answer(&reply))?;
                match call.checked_sub(1) {
                    Some(before) => self.run_to(before)?,
                    None => self.rewind()?,
                }
            }
            self.advance_watched(call + 1, Some(&mut laps))?;
        }
        self.renderer.finish(&mut |reply| laps.answer(&reply))?;
        Ok(laps)
    }
}
