//! Counts of samples that pass the depth test. What `ZPASS_DONE` writes only ever grows; programs subtract.

use super::Translator;
use afterimage_gnm_types::{Registers, reg};
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

/// Samples counted since the beginning.
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
    /// From the next draw on samples count, or do not, as the registers say.
    pub(super) fn apply_queries(&mut self, registers: &Registers) {
        let control = registers.get(reg::DB_COUNT_CONTROL);
        let counts = !reg::DB_COUNT_CONTROL::ZPASS_INCREMENT_DISABLE.is_set(control)
            && (reg::DB_COUNT_CONTROL::PERFECT_ZPASS_COUNTS.is_set(control)
                || reg::DB_COUNT_CONTROL::ZPASS_ENABLE.is_set(control));
        match (counts, self.queries.open) {
            (true, None) => self.queries.begin(&mut self.port),
            (false, Some(_)) => self.queries.end(&mut self.port),
            _ => {}
        }
    }

    /// Waits for all draws, and gives the samples that passed.
    pub(super) fn counted(&mut self) -> u64 {
        self.queries.end(&mut self.port);
        for ended in std::mem::take(&mut self.queries.ended) {
            self.queries.take(&mut self.port, ended);
        }
        self.queries.total
    }
}
