//! Queries. Samples and primitives are counted in *segments*: a Vulkan query per stretch of draws in one pass between two
//! events. Guests' queries may overlap and span passes and submissions; each is the sum of a range of segments.

use crate::error::{Checked, Result};
use crate::gpu::Gpu;
use crate::renderer::Renderer;
use afterimage_state::{Effect, trace};
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{Group, Host, ObjectId, Reply};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

const PER_POOL: u32 = 256;

/// The statistics that are counted, in the order of their results.
const PRIMITIVES: vk::QueryPipelineStatisticFlags = vk::QueryPipelineStatisticFlags::from_raw(
    vk::QueryPipelineStatisticFlags::CLIPPING_INVOCATIONS.as_raw()
        | vk::QueryPipelineStatisticFlags::CLIPPING_PRIMITIVES.as_raw(),
);

/// Both statistics in one word, as [`QueryKind::Primitives`] answers them. Sums and differences of such words are those of
/// their halves, as long as a sum fits its half.
fn packed([came, left]: [u64; 2]) -> u64 {
    came.wrapping_add(left << 32)
}

/// A query of the stream.
pub(crate) struct GuestQuery {
    kind: QueryKind,
    /// First segment of a query that runs.
    begun: Option<u64>,
}

/// What is answered when a submission has completed.
enum Answer {
    /// Sum of the segments in the range.
    Samples(u64, u64),
    /// Likewise.
    Primitives(u64, u64),
    /// Nothing counts that here.
    Uncounted,
    Reached,
    /// Timestamp number in the order of writing.
    Time(u64),
}

struct Waiting {
    submission: u64,
    id: ObjectId,
    token: u64,
    answer: Answer,
}

/// A Vulkan query pool in use, filled from the start.
struct Pool {
    raw: vk::QueryPool,
    /// The submission of its queries.
    submission: u64,
    used: u32,
}

/// Results of Vulkan queries in the order of their use, as running sums, so that a range costs one subtraction.
struct Counter {
    gpu: Arc<Gpu>,
    kind: vk::QueryType,
    pools: VecDeque<Pool>,
    free: Vec<vk::QueryPool>,
    /// Number of queries handed out.
    issued: u64,
    /// Values (sums of all but times) by number, the first being `first`.
    values: VecDeque<u64>,
    first: u64,
}

impl Counter {
    fn new(gpu: &Arc<Gpu>, kind: vk::QueryType) -> Self {
        Self {
            gpu: Arc::clone(gpu),
            kind,
            pools: VecDeque::new(),
            free: Vec::new(),
            issued: 0,
            values: VecDeque::from([0]),
            first: 0,
        }
    }

    /// The next query of submission `current`.
    fn next(&mut self, current: u64) -> Result<(vk::QueryPool, u32)> {
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
            let mut results = [0u64; PER_POOL as usize];
            let fresh = &mut results[..pool.used as usize];
            let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
            // SAFETY: the queries were written by submissions that have completed.
            let read = unsafe {
                if fresh.is_empty() {
                    Ok(())
                } else if self.kind == vk::QueryType::PIPELINE_STATISTICS {
                    let mut pairs = [[0u64; 2]; PER_POOL as usize];
                    let pairs = &mut pairs[..pool.used as usize];
                    let read = self.gpu.raw.get_query_pool_results(pool.raw, 0, pairs, flags);
                    fresh.iter_mut().zip(pairs).for_each(|(value, pair)| *value = packed(*pair));
                    read
                } else {
                    self.gpu.raw.get_query_pool_results(pool.raw, 0, fresh, flags)
                }
            };
            read.checked("vkGetQueryPoolResults")?;
            for value in fresh {
                let before = self.values.back().copied().unwrap_or(0);
                let sum = self.kind != vk::QueryType::TIMESTAMP;
                self.values.push_back(if sum { before.wrapping_add(*value) } else { *value });
            }
            self.free.push(pool.raw);
            self.pools.pop_front();
        }
        Ok(())
    }

    /// Value after `number` queries.
    fn value(&self, number: u64) -> u64 {
        let index = number.saturating_sub(self.first) as usize;
        self.values.get(index).copied().unwrap_or(0)
    }

    /// Forgets values before `number`.
    fn forget(&mut self, number: u64) {
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
struct Segments {
    counter: Counter,
    flags: vk::QueryControlFlags,
    /// Those that run.
    running: Vec<ObjectId>,
    /// The segment that is open in the pass.
    open: Option<(vk::QueryPool, u32)>,
}

impl Segments {
    fn new(gpu: &Arc<Gpu>, kind: vk::QueryType) -> Self {
        let precise = kind == vk::QueryType::OCCLUSION && gpu.profile.precise_occlusion;
        let flags = if precise { vk::QueryControlFlags::PRECISE } else { vk::QueryControlFlags::empty() };
        Self { counter: Counter::new(gpu, kind), flags, running: Vec::new(), open: None }
    }

    #[inline]
    fn begin(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, current: u64) {
        if !self.running.is_empty() && self.open.is_none() {
            self.begin_next(gpu, cmd, current);
        }
    }

    #[cold]
    fn begin_next(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer, current: u64) {
        match self.counter.next(current) {
            Ok((pool, index)) => {
                // SAFETY: a pass is open, the query was reset and no other query of the kind is active.
                unsafe { gpu.raw.cmd_begin_query(cmd, pool, index, self.flags) };
                self.open = Some((pool, index));
            }
            Err(error) => tracing::error!("query: {error}"),
        }
    }

    fn end(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer) {
        if let Some((pool, index)) = self.open.take() {
            // SAFETY: the query was begun in this pass.
            unsafe { gpu.raw.cmd_end_query(cmd, pool, index) };
        }
    }

    /// What was counted in segments of a range.
    fn sum(&self, first: u64, end: u64) -> u64 {
        self.counter.value(end).wrapping_sub(self.counter.value(first))
    }
}

/// All queries of a renderer.
pub(crate) struct Queries {
    samples: Segments,
    primitives: Segments,
    times: Counter,
    waiting: VecDeque<Waiting>,
    /// Whether answers wait for the submission being recorded.
    pub(crate) asked: bool,
}

impl Queries {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            samples: Segments::new(gpu, vk::QueryType::OCCLUSION),
            primitives: Segments::new(gpu, vk::QueryType::PIPELINE_STATISTICS),
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
    fn segments(&mut self, gpu: &Gpu, kind: QueryKind) -> Option<&mut Segments> {
        match kind {
            QueryKind::Occlusion => Some(&mut self.samples),
            QueryKind::Primitives if gpu.profile.pipeline_statistics => Some(&mut self.primitives),
            QueryKind::Primitives | QueryKind::Event | QueryKind::Timestamp => None,
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
        while let Some(waiting) = self.waiting.front()
            && waiting.submission <= completed
        {
            let value = match waiting.answer {
                Answer::Samples(first, end) => self.samples.sum(first, end),
                Answer::Primitives(first, end) => self.primitives.sum(first, end),
                Answer::Uncounted => 0,
                Answer::Reached => 1,
                Answer::Time(number) => {
                    let bits = gpu.profile.timestamp_bits;
                    let ticks = self.times.value(number) & (u64::MAX >> (64 - bits.clamp(1, 64)));
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

impl Renderer {
    pub(crate) fn create_query(&mut self, body: &CreateQuery) {
        let kind = QueryKind::of(body.kind as u8);
        self.guest_queries.insert(body.id, GuestQuery { kind, begun: None });
    }

    pub(crate) fn destroy_query(&mut self, id: ObjectId) {
        self.guest_queries.remove(id);
        for segments in [&mut self.queries.samples, &mut self.queries.primitives] {
            segments.running.retain(|&running| running != id);
        }
    }

    pub(crate) fn begin_query(&mut self, body: &BeginQuery) {
        let Some(kind) = self.guest_queries.get(body.id).map(|query| query.kind) else { return };
        if self.queries.segments(&self.gpu, kind).is_none() {
            return;
        }
        self.flush_draws();
        // The segment that is open belongs to the queries before.
        self.end_segment();
        let Some(segments) = self.queries.segments(&self.gpu, kind) else { return };
        if !segments.running.contains(&body.id) {
            segments.running.push(body.id);
        }
        let first = segments.counter.issued;
        if let Some(query) = self.guest_queries.get_mut(body.id) {
            query.begun = Some(first);
        }
        // The next draw begins a segment.
        self.state.tracker.changed(Host::QUERIES.only());
    }

    pub(crate) fn end_query(&mut self, body: &EndQuery) -> Result {
        let Some(query) = self.guest_queries.get_mut(body.id) else { return Ok(()) };
        let (kind, begun) = (query.kind, query.begun.take());
        let current = self.submissions.current;
        let answer = match kind {
            QueryKind::Event => Answer::Reached,
            QueryKind::Occlusion | QueryKind::Primitives => {
                self.flush_draws();
                self.end_segment();
                self.state.tracker.changed(Host::QUERIES.only());
                match self.queries.segments(&self.gpu, kind) {
                    Some(segments) => {
                        segments.running.retain(|&running| running != body.id);
                        let end = segments.counter.issued;
                        let first = begun.unwrap_or(end);
                        if kind == QueryKind::Occlusion {
                            Answer::Samples(first, end)
                        } else {
                            Answer::Primitives(first, end)
                        }
                    }
                    None => Answer::Uncounted,
                }
            }
            QueryKind::Timestamp if self.gpu.profile.timestamp_bits == 0 => Answer::Time(0),
            QueryKind::Timestamp => {
                self.flush_draws();
                let (pool, index) = self.queries.times.next(current)?;
                let cmd = self.main();
                // SAFETY: the query was reset and is used once.
                unsafe {
                    self.gpu.raw.cmd_write_timestamp2(cmd, vk::PipelineStageFlags2::ALL_COMMANDS, pool, index);
                }
                Answer::Time(self.queries.times.issued)
            }
        };
        let _recording = self.main();
        self.queries.waiting.push_back(Waiting { submission: current, id: body.id, token: body.token, answer });
        self.queries.asked = true;
        Ok(())
    }

    /// [`Group::Counting`]. A draw comes: what it draws is counted if a query runs. Only after everything else a draw needs is recorded:
    /// lavapipe 25.0 loses the first draw of a command buffer where a query begins before the first state is set.
    pub(crate) fn apply_counting(&mut self) -> Effect {
        self.commands();
        trace::read(Host::QUERIES.only());
        trace::read(Host::PASS.only());
        trace::read_result::<Host>(Group::Pass);
        if self.is_first_part() {
            // Only the second part is counted.
            self.end_segment();
        } else {
            self.begin_segment();
        }
        Effect::Same
    }

    /// Kinds of queries that should count what is drawn: samples, primitives.
    pub(crate) fn counts(&self) -> [bool; 2] {
        let counts = !self.is_first_part();
        [&self.queries.samples, &self.queries.primitives].map(|segments| counts && !segments.running.is_empty())
    }

    #[inline]
    fn begin_segment(&mut self) {
        let (current, cmd) = (self.submissions.current, self.submissions.main);
        self.queries.samples.begin(&self.gpu, cmd, current);
        self.queries.primitives.begin(&self.gpu, cmd, current);
    }

    /// The pass is about to be closed, or a query begins or ends in it.
    pub(crate) fn end_segment(&mut self) {
        let cmd = self.submissions.main;
        self.queries.samples.end(&self.gpu, cmd);
        self.queries.primitives.end(&self.gpu, cmd);
    }

    /// Lets go of values that no running or waiting query needs.
    pub(crate) fn trim_queries(&mut self) {
        let Queries { samples, primitives, times, waiting, .. } = &mut self.queries;
        if waiting.is_empty() && samples.running.is_empty() && primitives.running.is_empty() {
            for counter in [&mut samples.counter, &mut primitives.counter, times] {
                counter.forget(counter.first + counter.values.len() as u64 - 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::packed;

    #[test]
    fn sums_of_pairs_are_pairs_of_sums() {
        let sum = packed([u32::MAX.into(), 7]).wrapping_add(packed([3, 2]));
        assert_eq!(sum.wrapping_sub(packed([u32::MAX.into(), 7])), packed([3, 2]));
        assert_eq!(packed([5, 6]), 5 | 6 << 32);
    }
}
