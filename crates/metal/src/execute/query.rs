//! Queries: begun, ended, and answered when the GPU has counted.

use crate::error::Result;
use crate::renderer::Renderer;
use crate::transfer::query::{Answer, GuestQuery, Waiting};
use afterimage_metal_calls::{Device, Queue, VisibilityMode};
use afterimage_shader::feedback::block::Counters;
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{ObjectId, ObjectKind, Reply};

/// Primitives of a stream so far: all that there were if `needed`, else those captured.
fn captured(counters: &Counters, (stream, needed): (usize, bool)) -> u64 {
    let all = if needed { &counters.needed } else { &counters.written };
    all.get(stream).copied().unwrap_or(0)
}

impl<D: Device> Renderer<D> {
    /// [`CreateQuery`].
    pub(crate) fn create_query(&mut self, body: &CreateQuery) {
        let kind = QueryKind::of(body.kind as u8);
        self.queries.guest.insert(body.id, GuestQuery { kind, begun: None });
    }

    /// A query is destroyed.
    pub(crate) fn destroy_query(&mut self, id: ObjectId) {
        self.queries.guest.remove(id);
        self.queries.running.retain(|running| *running != id);
        self.stop_counting();
    }

    /// Queries that have begun and not ended.
    pub(crate) fn open_queries(&self) -> Vec<ObjectId> {
        let all = self.state.objects.iter(ObjectKind::Query).map(|(id, _)| id);
        all.filter(|id| self.queries.guest.get(*id).is_some_and(|query| query.begun.is_some())).collect()
    }

    /// Draws that come count into another place, or none.
    fn stop_counting(&mut self) {
        if self.bound.recorded.counts == Some(true) {
            self.commands.queue.set_visibility(VisibilityMode::Disabled, 0);
        }
        (self.bound.recorded.counts, self.bound.recorded.plain) = (None, None);
    }

    /// [`BeginQuery`].
    pub(crate) fn begin_query(&mut self, body: &BeginQuery) {
        let issued = self.queries.issued;
        let Some(query) = self.queries.guest.get_mut(body.id) else { return };
        match query.kind {
            QueryKind::Occlusion => query.begun = Some(issued),
            QueryKind::Event | QueryKind::Timestamp => return,
            QueryKind::Primitives => return self.warn_once("queries of primitives"),
            _ => {
                query.begun = query.kind.captured().map(|place| captured(&self.feedback.counters, place));
                return;
            }
        }
        if !self.queries.running.contains(&body.id) {
            self.queries.running.push(body.id);
        }
        // A pass that began before the first query has nowhere to count.
        self.stop_counting();
    }

    /// [`EndQuery`].
    pub(crate) fn end_query(&mut self, body: &EndQuery) {
        let issued = self.queries.issued;
        let Some(query) = self.queries.guest.get_mut(body.id) else { return };
        let answer = match query.kind {
            QueryKind::Event => Answer::Reached,
            QueryKind::Timestamp => Answer::Time,
            QueryKind::Occlusion => Answer::Samples(query.begun.take().unwrap_or(issued), issued),
            QueryKind::Primitives => Answer::Uncounted,
            kind => match kind.captured().zip(query.begun.take()) {
                Some((place, begun)) => Answer::Known(captured(&self.feedback.counters, place).wrapping_sub(begun)),
                None => Answer::Uncounted,
            },
        };
        self.queries.running.retain(|running| *running != body.id);
        if matches!(answer, Answer::Samples(..)) {
            self.stop_counting();
        }
        // Where nothing waits to be committed, the last command buffer is what is asked of.
        let empty = self.commands.is_empty() && !self.bound.targets.open && self.bound.load.is_empty();
        let serial = self.commands.current() - u64::from(empty);
        self.queries.waiting.push_back(Waiting { serial, id: body.id, token: body.token, answer });
        self.queries.asked = true;
    }

    /// Has draws counted where a query runs.
    ///
    /// # Errors
    /// Where a pass must be begun anew and cannot.
    pub(crate) fn count_draws(&mut self) -> Result {
        let counts = self.bound.draws_count && !self.queries.running.is_empty();
        if self.bound.recorded.counts == Some(counts) {
            return Ok(());
        }
        if !counts {
            if self.bound.recorded.counts.is_some() {
                self.commands.queue.set_visibility(VisibilityMode::Disabled, 0);
            }
            self.bound.recorded.counts = Some(false);
            return Ok(());
        }
        let place = match self.queries.place() {
            Some(place) => Some(place),
            None => {
                // Another pass has other places.
                self.end_pass();
                self.open_pass()?;
                self.queries.place()
            }
        };
        if let Some(place) = place {
            self.commands.queue.set_visibility(VisibilityMode::Counting, place);
            self.bound.recorded.counts = Some(true);
        }
        Ok(())
    }

    /// Answers the queries that have completed.
    pub(crate) fn answer_queries(&mut self, replies: &mut dyn FnMut(Reply)) -> Result {
        let completed = self.commands.completed;
        self.queries.read(&self.device, completed)?;
        while self.queries.waiting.front().is_some_and(|waiting| waiting.serial <= completed) {
            let Some(Waiting { serial, id, token, answer }) = self.queries.waiting.pop_front() else { break };
            let value = match answer {
                Answer::Reached => 1,
                Answer::Known(value) => value,
                Answer::Uncounted => 0,
                Answer::Samples(first, end) => self.queries.sum(first, end),
                Answer::Time => self.commands.queue.times(serial).map_or(0, |(_, end)| (end * 1e9) as u64),
            };
            replies(Reply::Query { id, token, value });
        }
        self.queries.trim();
        Ok(())
    }
}
