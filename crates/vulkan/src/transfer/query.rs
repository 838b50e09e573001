//! Queries. Samples and primitives are counted in *segments*: a Vulkan query per stretch of draws in one pass between two
//! events. Guests' queries may overlap and span passes and submissions; each is the sum of a range of segments.
//!
//! What is captured is counted in segments too where the device captures: a stretch is as long as feedback goes on in one pass. Lowered
//! captures count for themselves ([`Point`]).

use crate::device::gpu::Gpu;
use crate::error::{Checked, Result};
use crate::feedback::progress::Point;
use afterimage_stream::packets::QueryKind;
use afterimage_stream::{ObjectId, Reply};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

const PER_POOL: u32 = 256;

/// Streams of vertices.
const STREAMS: usize = 4;

/// Queries of what is captured.
const CAPTURED: vk::QueryType = vk::QueryType::TRANSFORM_FEEDBACK_STREAM_EXT;

/// The statistics that are counted, in the order of their results.
const PRIMITIVES: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES.as_raw(),
);

/// Both statistics in one word, as [`QueryKind::Primitives`] answers them.
fn packed([came, left]: [u64; 2]) -> u64 {
    (came & u64::from(u32::MAX)) | left << 32
}

/// A query of the stream.
pub(crate) struct GuestQuery {
    pub(crate) kind: QueryKind,
    /// First segment of a query that runs.
    pub(crate) begun: Option<u64>,
    /// How many primitives had been captured when it began, where feedback is lowered.
    pub(crate) point: Option<Point>,
}

/// What is answered when a submission has completed.
pub(crate) enum Answer {
    /// Sum of the segments in the range.
    Samples(u64, u64),
    /// Likewise.
    Primitives(u64, u64),
    /// Primitives of a stream between two points of lowered feedback: all, or those that were captured.
    Captured(Box<[Point; 2]>, usize, bool),
    /// Of a stream: the sum of the segments in the range, of those needed if so, else of those captured.
    Streamed(usize, bool, u64, u64),
    /// Nothing counts that here.
    Uncounted,
    Reached,
    /// Timestamp number in the order of writing.
    Time(u64),
}

pub(crate) struct Waiting {
    pub(crate) submission: u64,
    pub(crate) id: ObjectId,
    pub(crate) token: u64,
    pub(crate) answer: Answer,
}

/// A Vulkan query pool in use, filled from the start.
struct Pool {
    raw: vk::QueryPool,
    /// The submission of its queries.
    submission: u64,
    used: u32,
}

/// Results of Vulkan queries in the order of their use, as running sums, so that a range costs one subtraction.
pub(crate) struct Counter {
    gpu: Arc<Gpu>,
    kind: vk::QueryType,
    pools: VecDeque<Pool>,
    free: Vec<vk::QueryPool>,
    /// Number of queries handed out.
    pub(crate) issued: u64,
    /// Values (sums of all but times) by number, the first being `first`. Kinds that have one have 0 for the second.
    pub(crate) values: VecDeque<[u64; 2]>,
    pub(crate) first: u64,
}

impl Counter {
    fn new(gpu: &Arc<Gpu>, kind: vk::QueryType) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            kind,
            pools: VecDeque::new(),
            free: Vec::new(),
            issued: 0,
            values: VecDeque::from([[0; 2]]),
            first: 0,
        }
    }

    /// The next query of submission `current`.
    pub(crate) fn next(&mut self, current: u64) -> Result<(vk::QueryPool, u32)> {
        // A pool belongs to one submission, so that its results are all there when that has completed.
        if self.pools.back().is_none_or(|pool| pool.used == PER_POOL || pool.submission != current) {
            let raw = match self.free.pop() {
                Some(raw) => raw,
                None => {
                    let mut info = vk::QueryPoolCreateInfo::default().query_type(self.kind).query_count(PER_POOL);
                    if self.kind == vk::QueryType::PIPELINE_STATISTICS {
                        info = info.pipeline_statistics(PRIMITIVES);
                    }
                    // SAFETY: valid description.
                    unsafe { self.gpu.raw.create_query_pool(&info, None) }.checked("vkCreateQueryPool")?
                }
            };
            // SAFETY: no submitted command uses the pool: it is new or all its results were read.
            unsafe { self.gpu.raw.reset_query_pool(raw, 0, PER_POOL) };
            self.pools.push_back(Pool { raw, submission: current, used: 0 });
        }
        let Some(pool) = self.pools.back_mut() else {
            return Err(crate::error::Error::Vulkan { call: "query pools", result: vk::Result::ERROR_UNKNOWN });
        };
        let index = pool.used;
        pool.used += 1;
        self.issued += 1;
        Ok((pool.raw, index))
    }

    /// Takes the results of completed submissions.
    fn collect(&mut self, completed: u64) -> Result {
        while let Some(pool) = self.pools.front_mut() {
            if pool.submission > completed {
                break;
            }
            let mut results = [[0u64; 2]; PER_POOL as usize];
            let fresh = &mut results[..pool.used as usize];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: the queries were written by submissions that have completed.
            let read = unsafe {
                if fresh.is_empty() {
                    Ok(())
                } else if [vk::QueryType::PIPELINE_STATISTICS, CAPTURED].contains(&self.kind) {
                    self.gpu.raw.get_query_pool_results(pool.raw, 0, fresh, flags)
                } else {
                    let mut single = [0u64; PER_POOL as usize];
                    let single = &mut single[..pool.used as usize];
                    let read = self.gpu.raw.get_query_pool_results(pool.raw, 0, single, flags);
                    fresh.iter_mut().zip(single).for_each(|(value, single)| value[0] = *single);
                    read
                }
            };
            read.checked("vkGetQueryPoolResults")?;
            for value in fresh {
                let before = self.values.back().copied().unwrap_or_default();
                let sum = self.kind != vk::QueryType::TIMESTAMP;
                let sums = [0, 1].map(|at| before[at].wrapping_add(value[at]));
                self.values.push_back(if sum { sums } else { *value });
            }
            self.free.push(pool.raw);
            self.pools.pop_front();
        }
        Ok(())
    }

    /// Value after `number` queries.
    fn value(&self, number: u64) -> [u64; 2] {
        let index = number.saturating_sub(self.first) as usize;
        self.values.get(index).copied().unwrap_or_default()
    }

    /// Forgets values before `number`.
    pub(crate) fn forget(&mut self, number: u64) {
        while self.first < number && self.values.len() > 1 {
            self.values.pop_front();
            self.first += 1;
        }
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        for raw in self.free.drain(..).chain(self.pools.drain(..).map(|pool| pool.raw)) {
            // SAFETY: the renderer waits for the device before it drops its parts.
            unsafe { self.gpu.raw.destroy_query_pool(raw, None) };
        }
    }
}

/// Queries of one kind that count what is drawn.
pub(crate) struct Segments {
    pub(crate) counter: Counter,
    flags: vk::QueryControlFlags,
    /// Stream of vertices, of queries of what is captured.
    stream: Option<u32>,
    /// Those that run.
    pub(crate) running: Vec<ObjectId>,
    /// The segment that is open in the pass.
    open: Option<(vk::QueryPool, u32)>,
}

impl Segments {
    fn new(gpu: &Arc<Gpu>, kind: vk::QueryType) -> Self {
        let precise = kind == vk::QueryType::OCCLUSION && gpu.profile.precise_occlusion;
        let flags = if precise { vk::QueryControlFlags::PRECISE } else { vk::QueryControlFlags::empty() };
        Self { counter: Counter::new(gpu, kind), flags, stream: None, running: Vec::new(), open: None }
    }

    #[inline]
    pub(crate) fn begin(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, current: u64) {
        if !self.running.is_empty() && self.open.is_none() {
            self.begin_next(gpu, cmd, current);
        }
    }

    #[cold]
    fn begin_next(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, current: u64) {
        match self.counter.next(current) {
            Ok((pool, index)) => {
                // SAFETY: a pass is open, the query was reset and no other query of the kind is active.
                unsafe {
                    match (self.stream, &gpu.feedback) {
                        (Some(stream), Some(feedback)) => {
                            (feedback.fp().cmd_begin_query_indexed_ext)(cmd, pool, index, self.flags, stream);
                        }
                        _ => gpu.raw.cmd_begin_query(cmd, pool, index, self.flags),
                    }
                }
                self.open = Some((pool, index));
            }
            Err(error) => tracing::error!("query: {error}"),
        }
    }

    pub(crate) fn end(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer) {
        if let Some((pool, index)) = self.open.take() {
            // SAFETY: the query was begun in this pass.
            unsafe {
                match (self.stream, &gpu.feedback) {
                    (Some(stream), Some(feedback)) => {
                        (feedback.fp().cmd_end_query_indexed_ext)(cmd, pool, index, stream);
                    }
                    _ => gpu.raw.cmd_end_query(cmd, pool, index),
                }
            }
        }
    }

    /// What was counted in segments of a range.
    fn sum(&self, first: u64, end: u64) -> [u64; 2] {
        let (end, first) = (self.counter.value(end), self.counter.value(first));
        [0, 1].map(|at| end[at].wrapping_sub(first[at]))
    }
}

/// All queries of a renderer.
pub(crate) struct Queries {
    pub(crate) samples: Segments,
    pub(crate) primitives: Segments,
    /// What is captured, by stream.
    pub(crate) captured: [Segments; STREAMS],
    pub(crate) times: Counter,
    pub(crate) waiting: VecDeque<Waiting>,
    /// Whether answers wait for the submission being recorded.
    pub(crate) asked: bool,
}

impl Queries {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            samples: Segments::new(gpu, vk::QueryType::OCCLUSION),
            primitives: Segments::new(gpu, vk::QueryType::PIPELINE_STATISTICS),
            captured: std::array::from_fn(|stream| Segments {
                stream: Some(stream as u32),
                ..Segments::new(gpu, CAPTURED)
            }),
            times: Counter::new(gpu, vk::QueryType::TIMESTAMP),
            waiting: VecDeque::new(),
            asked: false,
        }
    }

    /// Kinds of queries that count what is drawn now: samples, primitives.
    pub(crate) fn count(&self) -> [bool; 2] {
        [&self.samples, &self.primitives].map(|segments| segments.open.is_some())
    }

    /// The segments that a kind counts in, if any do.
    pub(crate) fn segments(&mut self, gpu: &Gpu, kind: QueryKind) -> Option<&mut Segments> {
        match kind {
            QueryKind::Occlusion => Some(&mut self.samples),
            QueryKind::Primitives if gpu.profile.pipeline_statistics => Some(&mut self.primitives),
            _ if gpu.feedback.is_some() => self.captured.get_mut(kind.captured()?.0),
            _ => None,
        }
    }

    /// Answers what completed submissions have brought.
    pub(crate) fn answer(&mut self, gpu: &Gpu, completed: u64, replies: &mut dyn FnMut(Reply)) -> Result {
        if self.waiting.front().is_none_or(|waiting| waiting.submission > completed) {
            return Ok(());
        }
        self.samples.counter.collect(completed)?;
        self.primitives.counter.collect(completed)?;
        self.times.collect(completed)?;
        for segments in &mut self.captured {
            segments.counter.collect(completed)?;
        }
        while let Some(waiting) = self.waiting.front()
            && waiting.submission <= completed
        {
            let value = match waiting.answer {
                Answer::Samples(first, end) => self.samples.sum(first, end)[0],
                Answer::Primitives(first, end) => packed(self.primitives.sum(first, end)),
                // Vulkan has those that were captured first.
                Answer::Streamed(stream, needed, first, end) => {
                    self.captured[stream].sum(first, end)[usize::from(needed)]
                }
                Answer::Captured(ref points, stream, needed) => points[0].until(&points[1], stream, needed),
                Answer::Uncounted => 0,
                Answer::Reached => 1,
                Answer::Time(number) => {
                    let bits = gpu.profile.timestamp_bits;
                    let ticks = self.times.value(number)[0] & (u64::MAX >> (64 - bits.clamp(1, 64)));
                    (ticks as f64 * f64::from(gpu.profile.limits.timestamp_period)) as u64
                }
            };
            replies(Reply::Query { id: waiting.id, token: waiting.token, value });
            self.waiting.pop_front();
        }
        Ok(())
    }

    /// Answers everything with 0: the device is gone.
    pub(crate) fn abandon(&mut self, replies: &mut dyn FnMut(Reply)) {
        for waiting in self.waiting.drain(..) {
            replies(Reply::Query { id: waiting.id, token: waiting.token, value: 0 });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn a_pair_is_one_word() {
        assert_eq!(packed([5, 6]), 5 | 6 << 32);
        assert_eq!(packed([1 << 32 | 5, 6]), 5 | 6 << 32);
    }
}
