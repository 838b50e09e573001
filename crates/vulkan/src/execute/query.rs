//! Queries: begun, ended, and answered when the GPU has counted.

use crate::error::Result;
use crate::renderer::Renderer;
use crate::transfer::query::{Answer, GuestQuery, Queries, Waiting};
use afterimage_state::{Effect, trace};
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{Group, Host, ObjectId, ObjectKind};
use ash::vk;

impl Renderer {
    pub(crate) fn create_query(&mut self, body: &CreateQuery) {
        let kind = QueryKind::of(body.kind as u8);
        self.transfers.guest_queries.insert(body.id, GuestQuery { kind, begun: None, point: None });
    }

    pub(crate) fn destroy_query(&mut self, id: ObjectId) {
        self.transfers.guest_queries.remove(id);
        let Queries { samples, primitives, .. } = &self.transfers.queries;
        if [samples, primitives].iter().any(|segments| segments.running.contains(&id)) {
            // Nobody asks for what it counted, but the segment that is open began for it.
            self.flush_draws();
            self.end_segment();
            self.state.tracker.changed(Host::QUERIES.only());
        }
        let Queries { samples, primitives, captured, .. } = &mut self.transfers.queries;
        for segments in [samples, primitives].into_iter().chain(captured) {
            segments.running.retain(|&running| running != id);
        }
    }

    /// Queries that have begun and not ended.
    pub(crate) fn open_queries(&self) -> Vec<ObjectId> {
        let all = self.state.objects.iter(ObjectKind::Query).map(|(id, _)| id);
        let is_open = |query: &GuestQuery| query.begun.is_some() || query.point.is_some();
        all.filter(|id| self.transfers.guest_queries.get(*id).is_some_and(is_open)).collect()
    }

    pub(crate) fn begin_query(&mut self, body: &BeginQuery) {
        let Some(kind) = self.transfers.guest_queries.get(body.id).map(|query| query.kind) else { return };
        if kind.captured().is_some() && self.feedback.native.is_none() {
            return self.begin_lowered_query(body.id);
        }
        if self.transfers.queries.segments(&self.gpu, kind).is_none() {
            return;
        }
        self.flush_draws();
        if kind.captured().is_some() {
            // With the pass, the segment of what is captured ends.
            self.end_pass();
        }
        // The segment that is open belongs to the queries before.
        self.end_segment();
        let Some(segments) = self.transfers.queries.segments(&self.gpu, kind) else { return };
        if !segments.running.contains(&body.id) {
            segments.running.push(body.id);
        }
        let first = segments.counter.issued;
        if let Some(query) = self.transfers.guest_queries.get_mut(body.id) {
            query.begun = Some(first);
        }
        // The next draw begins a segment.
        self.state.tracker.changed(Host::QUERIES.only());
    }

    pub(crate) fn end_query(&mut self, body: &EndQuery) -> Result {
        let Some(query) = self.transfers.guest_queries.get_mut(body.id) else { return Ok(()) };
        let (kind, begun) = (query.kind, query.begun.take());
        let current = self.recorder.submissions.current;
        let answer = match kind {
            QueryKind::Event => Answer::Reached,
            QueryKind::Occlusion | QueryKind::Primitives => {
                self.flush_draws();
                self.end_segment();
                self.state.tracker.changed(Host::QUERIES.only());
                match self.transfers.queries.segments(&self.gpu, kind) {
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
                    let segments = &mut self.transfers.queries.captured[stream];
                    segments.running.retain(|&running| running != body.id);
                    let end = segments.counter.issued;
                    Answer::Streamed(stream, needed, begun.unwrap_or(end), end)
                }
                _ => self.end_lowered_query(body.id)?,
            },
        };
        self.flush_draws();
        let _recording = self.recorder.main();
        self.transfers.queries.waiting.push_back(Waiting {
            submission: current,
            id: body.id,
            token: body.token,
            answer,
        });
        self.transfers.queries.asked = true;
        Ok(())
    }

    /// Asks for the GPU's time, in nanoseconds, when it is done with what has been recorded: a query of no object. Nothing is
    /// submitted for it.
    pub(crate) fn ask_time(&mut self, token: u64) -> Result {
        self.end_pass();
        let answer = self.time()?;
        let submission = self.recorder.submissions.current;
        self.transfers.queries.waiting.push_back(Waiting { submission, id: ObjectId::NONE, token, answer });
        Ok(())
    }

    fn time(&mut self) -> Result<Answer> {
        if self.gpu.profile.timestamp_bits == 0 {
            return Ok(Answer::Time(0));
        }
        self.flush_draws();
        let (pool, index) = self.transfers.queries.times.next(self.recorder.submissions.current)?;
        let cmd = self.recorder.main();
        // SAFETY: the query was reset and is used once.
        unsafe {
            self.gpu.raw.cmd_write_timestamp2(cmd, vk::PipelineStageFlags2::ALL_COMMANDS, pool, index);
        }
        Ok(Answer::Time(self.transfers.queries.times.issued))
    }

    fn begin_lowered_query(&mut self, id: ObjectId) {
        let point = self.feedback_point();
        let point = point.inspect_err(|error| tracing::error!("query: {error}")).ok();
        if let Some(query) = self.transfers.guest_queries.get_mut(id) {
            query.point = point;
        }
    }

    /// What a query of captured primitives that was begun counts.
    fn end_lowered_query(&mut self, id: ObjectId) -> Result<Answer> {
        let query = self.transfers.guest_queries.get_mut(id);
        let Some((kind, first)) = query.and_then(|query| Some((query.kind, query.point.take()?))) else {
            return Ok(Answer::Uncounted);
        };
        let Some((stream, needed)) = kind.captured() else { return Ok(Answer::Uncounted) };
        Ok(Answer::Captured(Box::new([first, self.feedback_point()?]), stream, needed))
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
        [&self.transfers.queries.samples, &self.transfers.queries.primitives]
            .map(|segments| counts && !segments.running.is_empty())
    }

    #[inline]
    fn begin_segment(&mut self) {
        let (current, cmd) = (self.recorder.submissions.current, self.recorder.main());
        self.transfers.queries.samples.begin(&self.gpu, cmd, current);
        self.transfers.queries.primitives.begin(&self.gpu, cmd, current);
    }

    /// The pass is about to be closed, or a query begins or ends in it.
    pub(crate) fn end_segment(&mut self) {
        let cmd = self.recorder.main();
        self.transfers.queries.samples.end(&self.gpu, cmd);
        self.transfers.queries.primitives.end(&self.gpu, cmd);
    }

    /// Feedback goes on in the pass, and is counted if a query asks for it.
    pub(crate) fn begin_feedback_segments(&mut self) {
        let (current, cmd) = (self.recorder.submissions.current, self.recorder.main());
        for segments in &mut self.transfers.queries.captured {
            segments.begin(&self.gpu, cmd, current);
        }
    }

    /// The feedback that goes on in the pass is put off.
    pub(crate) fn end_feedback_segments(&mut self) {
        let cmd = self.recorder.main();
        for segments in &mut self.transfers.queries.captured {
            segments.end(&self.gpu, cmd);
        }
    }

    /// Lets go of values that no running or waiting query needs.
    pub(crate) fn trim_queries(&mut self) {
        let Queries { samples, primitives, captured, times, waiting, .. } = &mut self.transfers.queries;
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
