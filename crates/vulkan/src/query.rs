//! Queries. Occlusion is counted in *segments*: a Vulkan query per stretch of draws in one pass between two events.
//! Guests' queries may overlap and span passes and submissions; each is the sum of a range of segments.

use crate::draw::Ready;
use crate::error::{Checked, Result};
use crate::gpu::Gpu;
use crate::renderer::Renderer;
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{ObjectId, Reply};
use ash::vk;
use std::collections::VecDeque;
use std::sync::Arc;

const PER_POOL: u32 = 256;

/// A query of the stream.
pub(crate) struct GuestQuery {
    kind: QueryKind,
    /// First segment of the running occlusion query.
    begun: Option<u64>,
}

/// What is answered when a submission has completed.
enum Answer {
    /// Sum of the segments in the range.
    Samples(u64, u64),
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
    /// Values (or sums for occlusion) by number, the first being `first`.
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
                    let info = vk::QueryPoolCreateInfo::default().query_type(self.kind).query_count(PER_POOL);
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
            if !fresh.is_empty() {
                let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
                // SAFETY: the queries were written by submissions that have completed.
                unsafe { self.gpu.raw.get_query_pool_results(pool.raw, 0, fresh, flags) }
                    .checked("vkGetQueryPoolResults")?;
            }
            for value in fresh {
                let before = self.values.back().copied().unwrap_or(0);
                let sum = self.kind == vk::QueryType::OCCLUSION;
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

/// All queries of a renderer.
pub(crate) struct Queries {
    samples: Counter,
    times: Counter,
    /// Running occlusion queries.
    running: Vec<ObjectId>,
    /// The segment that is open in the pass.
    open: Option<(vk::QueryPool, u32)>,
    waiting: VecDeque<Waiting>,
    /// Whether answers wait for the submission being recorded.
    pub(crate) asked: bool,
}

impl Queries {
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Self {
        Self {
            samples: Counter::new(gpu, vk::QueryType::OCCLUSION),
            times: Counter::new(gpu, vk::QueryType::TIMESTAMP),
            running: Vec::new(),
            open: None,
            waiting: VecDeque::new(),
            asked: false,
        }
    }

    /// Answers what completed submissions have brought.
    pub(crate) fn answer(&mut self, gpu: &Gpu, completed: u64, replies: &mut dyn FnMut(Reply)) -> Result {
        if self.waiting.front().is_none_or(|waiting| waiting.submission > completed) {
            return Ok(());
        }
        self.samples.collect(completed)?;
        self.times.collect(completed)?;
        while let Some(waiting) = self.waiting.front()
            && waiting.submission <= completed
        {
            let value = match waiting.answer {
                Answer::Samples(first, end) => self.samples.value(end).wrapping_sub(self.samples.value(first)),
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
        self.queries.running.retain(|&running| running != id);
    }

    pub(crate) fn begin_query(&mut self, body: &BeginQuery) {
        let Some(query) = self.guest_queries.get_mut(body.id) else { return };
        if query.kind != QueryKind::Occlusion {
            return;
        }
        self.flush_draws();
        // The segment that is open belongs to the queries before.
        self.end_segment();
        if let Some(query) = self.guest_queries.get_mut(body.id) {
            query.begun = Some(self.queries.samples.issued);
        }
        if !self.queries.running.contains(&body.id) {
            self.queries.running.push(body.id);
        }
        // The next draw begins a segment.
        self.ready = Ready::NO;
    }

    pub(crate) fn end_query(&mut self, body: &EndQuery) -> Result {
        let Some(query) = self.guest_queries.get_mut(body.id) else { return Ok(()) };
        let (kind, begun) = (query.kind, query.begun.take());
        let current = self.submissions.current;
        let answer = match kind {
            QueryKind::Event => Answer::Reached,
            QueryKind::Occlusion => {
                self.flush_draws();
                self.end_segment();
                self.queries.running.retain(|&running| running != body.id);
                self.ready = Ready::NO;
                let end = self.queries.samples.issued;
                Answer::Samples(begun.unwrap_or(end), end)
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

    /// A draw comes: what it draws is counted if a query runs. Only after everything else a draw needs is recorded:
    /// lavapipe 25.0 loses the first draw of a command buffer where a query begins before the first state is set.
    pub(crate) fn begin_segment(&mut self) {
        if self.queries.running.is_empty() || self.queries.open.is_some() {
            return;
        }
        match self.queries.samples.next(self.submissions.current) {
            Ok((pool, index)) => {
                let precise = self.gpu.profile.precise_occlusion;
                let flags = if precise { vk::QueryControlFlags::PRECISE } else { vk::QueryControlFlags::empty() };
                // SAFETY: a pass is open, the query was reset and no other occlusion query is active.
                unsafe { self.gpu.raw.cmd_begin_query(self.submissions.main, pool, index, flags) };
                self.queries.open = Some((pool, index));
            }
            Err(error) => tracing::error!("occlusion query: {error}"),
        }
    }

    /// The pass is about to be closed, or a query begins or ends in it.
    pub(crate) fn end_segment(&mut self) {
        if let Some((pool, index)) = self.queries.open.take() {
            // SAFETY: the query was begun in this pass.
            unsafe { self.gpu.raw.cmd_end_query(self.submissions.main, pool, index) };
        }
    }

    /// Lets go of values that no running or waiting query needs.
    pub(crate) fn trim_queries(&mut self) {
        if self.queries.waiting.is_empty() && self.queries.running.is_empty() {
            let (samples, times) = (&mut self.queries.samples, &mut self.queries.times);
            let done = |counter: &Counter| counter.first + counter.values.len() as u64 - 1;
            samples.forget(done(samples));
            times.forget(done(times));
        }
    }
}
