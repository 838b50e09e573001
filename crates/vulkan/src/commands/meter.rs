//! How long the GPU is busy: a time before and one behind each submission.

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// Submissions that are timed at once; what comes while all are under way is not.
const SLOTS: u32 = 64;
/// Times of a submission: when its main command buffer begins, when its uploads do, and when all is done.
const TIMES: u32 = 3;

/// A submission under way.
struct Timed {
    number: u64,
    slot: u32,
    /// Which of its times is its first.
    first: u32,
}

/// Adds up how long the GPU was busy.
pub(crate) struct Meter {
    gpu: Arc<Gpu>,
    pool: vk::QueryPool,
    free: Vec<u32>,
    /// Of the submission that is being recorded: its slot, and which of its times is its first.
    current: Option<(u32, u32)>,
    under_way: VecDeque<Timed>,
    /// When the last one ended, in ticks.
    last_end: u64,
    /// Ticks that the GPU was busy.
    busy: u64,
}

impl Meter {
    /// `None` where the device tells no time.
    ///
    /// # Errors
    /// Vulkan refuses.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Result<Option<Self>> {
        if gpu.profile.timestamp_bits == 0 {
            return Ok(None);
        }
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(SLOTS * TIMES);
        // SAFETY: valid description.
        let pool = unsafe { gpu.raw.create_query_pool(&info, None) }.checked("vkCreateQueryPool")?;
        gpu.name(pool, "busy");
        Ok(Some(Self {
            gpu: Arc::clone(gpu),
            pool,
            free: (0..SLOTS).collect(),
            current: None,
            under_way: VecDeque::new(),
            last_end: 0,
            busy: 0,
        }))
    }

    fn write(&self, commands: vk::CommandBuffer, stage: vk::PipelineStageFlags2, time: u32) {
        // SAFETY: the buffer is being recorded, and the time was reset when its slot was taken.
        unsafe { self.gpu.raw.cmd_write_timestamp2(commands, stage, self.pool, time) };
    }

    /// A submission begins with this main buffer.
    pub(crate) fn begin(&mut self, main: vk::CommandBuffer) {
        self.current = self.free.pop().map(|slot| (slot, 0));
        let Some((slot, _)) = self.current else { return };
        // SAFETY: what used the slot has completed.
        unsafe { self.gpu.raw.reset_query_pool(self.pool, slot * TIMES, TIMES) };
        self.write(main, vk::PipelineStageFlags2::TOP_OF_PIPE, slot * TIMES);
    }

    /// Uploads come before it.
    pub(crate) fn before(&mut self, uploads: vk::CommandBuffer) {
        let Some((slot, first)) = &mut self.current else { return };
        *first = 1;
        let time = *slot * TIMES + 1;
        self.write(uploads, vk::PipelineStageFlags2::TOP_OF_PIPE, time);
    }

    /// Its main buffer ends.
    pub(crate) fn end(&mut self, main: vk::CommandBuffer, number: u64) {
        let Some((slot, first)) = self.current.take() else { return };
        self.write(main, vk::PipelineStageFlags2::ALL_COMMANDS, slot * TIMES + 2);
        self.under_way.push_back(Timed { number, slot, first });
    }

    /// Adds what submissions up to this one took. Where two overlap, the time counts once.
    pub(crate) fn collect(&mut self, completed: u64) -> Result {
        while let Some(timed) = self.under_way.pop_front_if(|timed| timed.number <= completed) {
            let mut times = [0u64; TIMES as usize];
            let read = |time: u32, out: &mut u64| {
                // SAFETY: the submission that writes it has completed.
                unsafe {
                    self.gpu.raw.get_query_pool_results(
                        self.pool,
                        timed.slot * TIMES + time,
                        std::slice::from_mut(out),
                        vk::QueryResultFlags::TYPE_64,
                    )
                }
                .checked("vkGetQueryPoolResults")
            };
            read(timed.first, &mut times[0])?;
            read(2, &mut times[2])?;
            self.busy += span(self.last_end, times[0], times[2]);
            self.last_end = self.last_end.max(times[2]);
            self.free.push(timed.slot);
        }
        Ok(())
    }

    /// How long the GPU was busy so far.
    pub(crate) fn busy(&self) -> Duration {
        Duration::from_nanos((self.busy as f64 * f64::from(self.gpu.profile.limits.timestamp_period)) as u64)
    }
}

/// What a piece of work from `begin` to `end` adds to work until `last`.
fn span(last: u64, begin: u64, end: u64) -> u64 {
    end.saturating_sub(begin.max(last))
}

impl Drop for Meter {
    fn drop(&mut self) {
        // SAFETY: the device is idle when submissions are dropped, and was when this was taken out of them.
        unsafe { self.gpu.raw.destroy_query_pool(self.pool, None) };
    }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn time_in_which_two_are_under_way_counts_once() {
        assert_eq!(span(0, 10, 30), 20);
        assert_eq!(span(30, 20, 50), 20);
        assert_eq!(span(50, 20, 40), 0);
        // A clock that begins anew adds nothing, rather than everything.
        assert_eq!(span(50, 5, 9), 0);
    }
}
