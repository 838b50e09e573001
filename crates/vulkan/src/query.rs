//! Queries. Samples and primitives are counted in *segments*: a Vulkan query per stretch of draws in one pass between two
//! events. Guests' queries may overlap and span passes and submissions; each is the sum of a range of segments.
//!
//! What is captured is counted in segments too where the device captures: a stretch is as long as a capture goes on in one pass. Lowered
//! captures count for themselves ([`Point`]).

use crate::error::{Checked, Result};
use crate::feedback::Point;
use crate::gpu::Gpu;
use crate::renderer::Renderer;
use afterimage_state::{Effect, trace};
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{Group, Host, ObjectId, ObjectKind, Reply};
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
    kind: QueryKind,
    /// First segment of a query that runs.
    begun: Option<u64>,
    /// How many primitives had been captured when it began, where captures are lowered.
    point: Option<Point>,
}

/// What is answered when a submission has completed.
enum Answer {
    /// Sum of the segments in the range.
    Samples(u64, u64),
    /// Likewise.
    Primitives(u64, u64),
    /// Primitives of a stream between two points of lowered captures: all, or those that were captured.
    Captured(Box<[Point; 2]>, usize, bool),
    /// Of a stream: the sum of the segments in the range, of those needed if so, else of those captured.
    Streamed(usize, bool, u64, u64),
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
    /// Values (sums of all but times) by number, the first being `first`. Kinds that have one have 0 for the second.
    values: VecDeque<[u64; 2]>,
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
            values: VecDeque::from([[0; 2]]),
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
    /// Stream of vertices, of queries of what is captured.
    stream: Option<u32>,
    /// Those that run.
    running: Vec<ObjectId>,
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

    fn end(&mut self, gpu: &Gpu, cmd: vk::CommandBuffer) {
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
    samples: Segments,
    primitives: Segments,
    /// What is captured, by stream.
    captured: [Segments; STREAMS],
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
    fn segments(&mut self, gpu: &Gpu, kind: QueryKind) -> Option<&mut Segments> {
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

impl Renderer {
    pub(crate) fn create_query(&mut self, body: &CreateQuery) {
        let kind = QueryKind::of(body.kind as u8);
        self.guest_queries.insert(body.id, GuestQuery { kind, begun: None, point: None });
    }

    pub(crate) fn destroy_query(&mut self, id: ObjectId) {
        self.guest_queries.remove(id);
        let Queries { samples, primitives, .. } = &self.queries;
        if [samples, primitives].iter().any(|segments| segments.running.contains(&id)) {
            // Nobody asks for what it counted, but the segment that is open began for it.
            self.flush_draws();
            self.end_segment();
            self.state.tracker.changed(Host::QUERIES.only());
        }
        let Queries { samples, primitives, captured, .. } = &mut self.queries;
        for segments in [samples, primitives].into_iter().chain(captured) {
            segments.running.retain(|&running| running != id);
        }
    }

    /// Queries that have begun and not ended.
    pub(crate) fn open_queries(&self) -> Vec<ObjectId> {
        let all = self.state.objects.iter(ObjectKind::Query).map(|(id, _)| id);
        let is_open = |query: &GuestQuery| query.begun.is_some() || query.point.is_some();
        all.filter(|id| self.guest_queries.get(*id).is_some_and(is_open)).collect()
    }

    pub(crate) fn begin_query(&mut self, body: &BeginQuery) {
        let Some(kind) = self.guest_queries.get(body.id).map(|query| query.kind) else { return };
        if kind.captured().is_some() && self.feedback.native.is_none() {
            return self.begin_lowered_query(body.id);
        }
        if self.queries.segments(&self.gpu, kind).is_none() {
            return;
        }
        self.flush_draws();
        if kind.captured().is_some() {
            // With the pass, the segment of what is captured ends.
            self.end_pass();
        }
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
            QueryKind::Timestamp => self.time()?,
            _ => match kind.captured() {
                Some((stream, needed)) if self.feedback.native.is_some() => {
                    self.end_pass();
                    let segments = &mut self.queries.captured[stream];
                    segments.running.retain(|&running| running != body.id);
                    let end = segments.counter.issued;
                    Answer::Streamed(stream, needed, begun.unwrap_or(end), end)
                }
                _ => self.end_lowered_query(body.id)?,
            },
        };
        let _recording = self.main();
        self.queries.waiting.push_back(Waiting { submission: current, id: body.id, token: body.token, answer });
        self.queries.asked = true;
        Ok(())
    }

    /// Asks for the GPU's time, in nanoseconds, when it is done with what has been recorded: a query of no object. Nothing is
    /// submitted for it.
    pub(crate) fn ask_time(&mut self, token: u64) -> Result {
        self.end_pass();
        let answer = self.time()?;
        let submission = self.submissions.current;
        self.queries.waiting.push_back(Waiting { submission, id: ObjectId::NONE, token, answer });
        Ok(())
    }

    fn time(&mut self) -> Result<Answer> {
        if self.gpu.profile.timestamp_bits == 0 {
            return Ok(Answer::Time(0));
        }
        self.flush_draws();
        let (pool, index) = self.queries.times.next(self.submissions.current)?;
        let cmd = self.main();
        // SAFETY: the query was reset and is used once.
        unsafe {
            self.gpu.raw.cmd_write_timestamp2(cmd, vk::PipelineStageFlags2::ALL_COMMANDS, pool, index);
        }
        Ok(Answer::Time(self.queries.times.issued))
    }

    fn begin_lowered_query(&mut self, id: ObjectId) {
        let point = self.capture_point();
        let point = point.inspect_err(|error| tracing::error!("query: {error}")).ok();
        if let Some(query) = self.guest_queries.get_mut(id) {
            query.point = point;
        }
    }

    /// What a query of captured primitives that was begun counts.
    fn end_lowered_query(&mut self, id: ObjectId) -> Result<Answer> {
        let query = self.guest_queries.get_mut(id);
        let Some((kind, first)) = query.and_then(|query| Some((query.kind, query.point.take()?))) else {
            return Ok(Answer::Uncounted);
        };
        let Some((stream, needed)) = kind.captured() else { return Ok(Answer::Uncounted) };
        Ok(Answer::Captured(Box::new([first, self.capture_point()?]), stream, needed))
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

    /// A capture goes on in the pass, and is counted if a query asks for it.
    pub(crate) fn begin_captured_segments(&mut self) {
        let (current, cmd) = (self.submissions.current, self.submissions.main);
        for segments in &mut self.queries.captured {
            segments.begin(&self.gpu, cmd, current);
        }
    }

    /// The capture that goes on in the pass is put off.
    pub(crate) fn end_captured_segments(&mut self) {
        for segments in &mut self.queries.captured {
            segments.end(&self.gpu, self.submissions.main);
        }
    }

    /// Lets go of values that no running or waiting query needs.
    pub(crate) fn trim_queries(&mut self) {
        let Queries { samples, primitives, captured, times, waiting, .. } = &mut self.queries;
        if !waiting.is_empty() {
            return;
        }
        let counting = [samples, primitives].into_iter().chain(captured);
        let idle = counting.filter(|segments| segments.running.is_empty()).map(|segments| &mut segments.counter);
        for counter in idle.chain([times]) {
            counter.forget(counter.first + counter.values.len() as u64 - 1);
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
