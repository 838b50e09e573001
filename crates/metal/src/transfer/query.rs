//! Queries: samples in slots of visibility buffers, and who waits for what.
//!
//! Metal counts the samples of a pass into places of a buffer, each once in a pass, so that a query is the sum of all the places that
//! draws counted into from its begin to its end. Places have numbers that go on and on; those whose values somebody may still ask for are
//! kept.

use crate::error::Result;
use afterimage_metal_calls::{BufferDescriptor, Device, Serial, StorageMode};
use afterimage_render::table::Table;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::QueryKind;
use std::collections::VecDeque;

/// Places of a buffer: 8 KiB, of the 256 KiB that Metal has.
const PLACES: u64 = 1024;

/// Bytes of a place.
pub(crate) const PLACE: u64 = 8;

/// A query of the guest.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GuestQuery {
    pub(crate) kind: QueryKind,
    /// While it runs: the first place that counts for it, or of captured primitives how many there were.
    pub(crate) begun: Option<u64>,
}

/// What is answered.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Answer {
    /// 1.
    Reached,
    /// The sum of these places.
    Samples(u64, u64),
    /// This, which the CPU has counted.
    Known(u64),
    /// When the command buffer ended.
    Time,
    /// 0: nothing counts it.
    Uncounted,
}

/// A query that was ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waiting {
    pub(crate) serial: Serial,
    pub(crate) id: ObjectId,
    pub(crate) token: u64,
    pub(crate) answer: Answer,
}

/// Places of a buffer.
#[derive(Debug)]
struct Places<D: Device> {
    buffer: D::Buffer,
    first: u64,
    used: u64,
    /// The last command buffer that counts into it.
    serial: Serial,
}

/// Everything about queries.
#[derive(Debug)]
pub(crate) struct Queries<D: Device> {
    pub(crate) guest: Table<GuestQuery>,
    /// Queries of samples that run.
    pub(crate) running: Vec<ObjectId>,
    pub(crate) waiting: VecDeque<Waiting>,
    /// Whether one waits for the command buffer that is being written.
    pub(crate) asked: bool,
    /// The buffer of the open pass, and those before whose values are not read yet.
    open: Option<Places<D>>,
    counted: VecDeque<Places<D>>,
    /// Buffers whose values were read.
    free: Vec<D::Buffer>,
    /// Places given out.
    pub(crate) issued: u64,
    /// Values from `first` on.
    values: VecDeque<u64>,
    first: u64,
}

impl<D: Device> Default for Queries<D> {
    fn default() -> Self {
        Self {
            guest: Table::default(),
            running: Vec::new(),
            waiting: VecDeque::new(),
            asked: false,
            open: None,
            counted: VecDeque::new(),
            free: Vec::new(),
            issued: 0,
            values: VecDeque::new(),
            first: 0,
        }
    }
}

impl<D: Device> Queries<D> {
    /// A buffer for a pass that begins, if queries may count in it. Each pass has its own: it makes those places that it counts into.
    pub(crate) fn begin_pass(&mut self, device: &D, current: Serial) -> Result<Option<&D::Buffer>> {
        self.end_pass(current);
        if self.guest.iter().next().is_none() {
            return Ok(None);
        }
        let buffer = match self.free.pop() {
            Some(buffer) => buffer,
            None => device.new_buffer(&BufferDescriptor {
                length: PLACES * PLACE,
                storage: StorageMode::Shared,
                label: "samples".to_owned(),
            })?,
        };
        let places = self.open.insert(Places { buffer, first: self.issued, used: 0, serial: current });
        Ok(Some(&places.buffer))
    }

    /// A pass has ended.
    pub(crate) fn end_pass(&mut self, current: Serial) {
        match self.open.take() {
            Some(open) if open.used > 0 => self.counted.push_back(Places { serial: current, ..open }),
            // A pass that counts nothing leaves it as it is.
            Some(open) => self.free.push(open.buffer),
            None => {}
        }
    }

    /// The offset of the next place; none where the pass has no more.
    pub(crate) fn place(&mut self) -> Option<u64> {
        let open = self.open.as_mut().filter(|open| open.used < PLACES)?;
        let offset = open.used * PLACE;
        open.used += 1;
        self.issued += 1;
        Some(offset)
    }

    /// Reads what was counted up to a command buffer.
    pub(crate) fn read(&mut self, device: &D, completed: Serial) -> Result {
        while self.counted.front().is_some_and(|places| places.serial <= completed) {
            let Some(places) = self.counted.pop_front() else { break };
            let mut bytes = vec![0; (places.used * PLACE) as usize];
            device.read(&places.buffer, 0, &mut bytes)?;
            debug_assert_eq!(places.first, self.first + self.values.len() as u64);
            self.free.push(places.buffer);
            self.values.extend(bytes.as_chunks::<8>().0.iter().map(|value| u64::from_le_bytes(*value)));
        }
        Ok(())
    }

    /// The sum of places whose values were read.
    pub(crate) fn sum(&self, first: u64, end: u64) -> u64 {
        let at = |number: u64| number.saturating_sub(self.first) as usize;
        let values = self.values.iter().skip(at(first)).take(at(end).saturating_sub(at(first)));
        values.fold(0, |sum: u64, value| sum.saturating_add(*value))
    }

    /// Lets go of values that nobody will ask for.
    pub(crate) fn trim(&mut self) {
        let begun = self.running.iter().filter_map(|id| self.guest.get(*id)?.begun);
        let waited = self.waiting.iter().filter_map(|waiting| match waiting.answer {
            Answer::Samples(first, _) => Some(first),
            _ => None,
        });
        let oldest = begun.chain(waited).min().unwrap_or(u64::MAX);
        while self.first < oldest && self.values.pop_front().is_some() {
            self.first += 1;
        }
    }
}
