//! Counts of pixels that pass the depth test: a report is the sum of what many draws passed.

use super::Translator;
use afterimage_stream::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use afterimage_stream::{ObjectId, ObjectKind, Port};

/// Query objects that are waited for before the oldest one has to answer.
const MOST: usize = 64;

/// A query that has ended.
#[derive(Clone, Copy, Debug)]
struct Ended {
    id: ObjectId,
    token: u64,
}

/// Pixels counted since the last reset.
#[derive(Debug, Default)]
pub(super) struct Queries {
    /// The query that counts now.
    open: Option<ObjectId>,
    /// Queries whose answer is still to come, in order.
    ended: Vec<Ended>,
    /// Queries to use again.
    free: Vec<ObjectId>,
    /// What answered ones counted.
    total: u64,
}

impl Queries {
    /// The receiver is gone, and with it every query.
    pub(super) fn forget(&mut self, port: &mut Port) {
        for ended in self.ended.drain(..) {
            port.forget(ended.token);
            port.recycle(ended.id);
        }
        self.open.take().into_iter().chain(self.free.drain(..)).for_each(|id| port.recycle(id));
    }

    fn begin(&mut self, port: &mut Port) {
        if self.ended.len() >= MOST {
            let oldest = self.ended.remove(0);
            self.take(port, oldest);
        }
        let id = match self.free.pop() {
            Some(id) => id,
            None => {
                let Ok(id) = port.allocate(ObjectKind::Query) else { return };
                port.push(&CreateQuery { id, kind: QueryKind::Occlusion as u32 });
                id
            }
        };
        port.push(&BeginQuery { id, pad: 0 });
        self.open = Some(id);
    }

    fn end(&mut self, port: &mut Port) {
        if let Some(id) = self.open.take() {
            let token = port.token();
            port.push(&EndQuery { id, pad: 0, token });
            self.ended.push(Ended { id, token });
        }
    }

    /// Waits for a query. Of a receiver that is gone nothing counts.
    fn take(&mut self, port: &mut Port, ended: Ended) {
        self.total += port.wait(ended.token).unwrap_or(0);
        self.free.push(ended.id);
    }
}

impl Translator {
    /// From the next draw on pixels count, or do not.
    pub(super) fn count_pixels(&mut self, count: bool) {
        match (count, self.queries.open) {
            (true, None) => self.queries.begin(&mut self.port),
            (false, Some(_)) => self.queries.end(&mut self.port),
            _ => {}
        }
    }

    /// Forgets what was counted.
    pub(super) fn reset_count(&mut self) {
        self.counted();
        self.queries.total = 0;
    }

    /// Waits for all draws, and gives the pixels that passed.
    pub(super) fn counted(&mut self) -> u32 {
        self.queries.end(&mut self.port);
        for ended in std::mem::take(&mut self.queries.ended) {
            self.queries.take(&mut self.port, ended);
        }
        u32::try_from(self.queries.total).unwrap_or(u32::MAX)
    }
}
