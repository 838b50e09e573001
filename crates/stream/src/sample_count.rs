//! Samples that pass the depth test, counted over many draws.

use crate::packets::{BeginQuery, CreateQuery, EndQuery, QueryKind};
use crate::{ObjectId, ObjectKind, Port};

/// Query objects that are waited for before the oldest one has to answer.
const MOST: usize = 64;

/// A query that has ended.
#[derive(Clone, Copy, Debug)]
struct Ended {
    id: ObjectId,
    token: u64,
}

/// A sum of occlusion queries that begin and end as a guest's registers say, for guests whose hardware has one counter.
#[derive(Debug, Default)]
pub struct SampleCount {
    /// The query that counts now.
    open: Option<ObjectId>,
    /// Queries whose answer is still to come, in order.
    ended: Vec<Ended>,
    /// Queries to use again.
    free: Vec<ObjectId>,
    /// What answered ones counted.
    total: u64,
}

impl SampleCount {
    /// From the next draw on samples count, or do not.
    pub fn count(&mut self, port: &mut Port, on: bool) {
        match (on, self.open) {
            (true, None) => self.begin(port),
            (false, Some(_)) => self.end(port),
            _ => {}
        }
    }

    /// Waits for all draws, and gives the samples that passed since the last [`SampleCount::reset`].
    pub fn total(&mut self, port: &mut Port) -> u64 {
        self.end(port);
        for ended in std::mem::take(&mut self.ended) {
            self.take(port, ended);
        }
        self.total
    }

    /// Forgets what was counted.
    pub fn reset(&mut self, port: &mut Port) {
        self.set(port, 0);
    }

    /// Goes on from a number, whatever was counted.
    pub fn set(&mut self, port: &mut Port, total: u64) {
        self.total(port);
        self.total = total;
    }

    /// The receiver is gone, and with it every query.
    pub fn forget(&mut self, port: &mut Port) {
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
