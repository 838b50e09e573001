//! Who follows command buffers: an engine, and a compute queue, which is one with registers and a ring.

use super::archive::kept;
use super::exec::Exec;
use super::fault::{Fault, FaultKind};
use super::ring::ComputeRing;
use super::stream::{Next, Stream, Streams};
use super::wait::Wait;
use super::{Bus, Context, Queue, Shared, registers};
use afterimage_gnm_types::{Opcode, op};
use std::collections::VecDeque;

/// Packets after which another queue has its turn.
const TURN: u32 = 1 << 14;

/// A wait, and the packet that began it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Waiting {
    pub(super) wait: Wait,
    pub(super) address: u64,
    pub(super) opcode: Opcode,
}

/// An engine that follows command buffers.
#[derive(Debug)]
pub(super) struct Engine {
    pub(super) queue: Queue,
    pub(super) streams: Streams,
    pub(super) waiting: Option<Waiting>,
}

kept!(Waiting { wait, address, opcode });
kept!(Engine { streams, waiting });

impl Engine {
    pub(super) fn new(queue: Queue) -> Self {
        Self { queue, streams: Streams::default(), waiting: None }
    }

    /// Follows what it has until it waits, has nothing more, or somebody else has a turn. Whether it got anywhere.
    pub(super) fn turn(&mut self, context: &mut Context, shared: &mut Shared, bus: &mut Bus<'_>) -> bool {
        // Others, and the processor, have written since.
        self.streams.forget();
        let mut progress = false;
        if let Some(Waiting { wait, .. }) = self.waiting {
            if !wait.is_over(bus, context, shared) {
                return false;
            }
            self.waiting = None;
            progress = true;
        }
        for _ in 0..TURN {
            match self.streams.next(bus, &shared.limits) {
                Next::End => break,
                Next::Packet { address, header, body } => {
                    // Most packets set registers, and nothing else is needed for that.
                    if let Some(space) = registers::space_set_by(header) {
                        registers::set(context, shared, space, self.streams.body(body));
                        progress = true;
                        continue;
                    }
                    let block = self.streams.take();
                    bus.written = None;
                    let mut exec = Exec {
                        queue: self.queue,
                        streams: &mut self.streams,
                        wait: &mut self.waiting,
                        context,
                        shared,
                        bus,
                        address,
                        opcode: op::NOP,
                    };
                    let result = exec.packet(header, &block[body]);
                    let opcode = exec.opcode;
                    self.streams.give(block, bus.written.take());
                    if let Err(kind) = result {
                        let packet = (header >> 30 == 3).then_some(opcode);
                        shared.reports.fault(Fault { queue: self.queue, address, packet, kind });
                    }
                }
                Next::Fault { address, kind } => {
                    shared.reports.fault(Fault { queue: self.queue, address, packet: None, kind });
                }
                Next::TooMany { address } => {
                    let kind = FaultKind::TooManyWords(shared.limits.words);
                    shared.reports.fault(Fault { queue: self.queue, address, packet: None, kind });
                }
            }
            progress = true;
            if self.waiting.is_some() {
                break;
            }
        }
        progress
    }

    pub(super) fn is_done(&self) -> bool {
        self.streams.is_empty() && self.waiting.is_none()
    }

    /// Ends a wait that is never over.
    pub(super) fn skip_wait(&mut self, shared: &mut Shared) {
        if let Some(Waiting { wait, address, opcode }) = self.waiting.take() {
            let kind = FaultKind::NeverTrue(wait.to_string());
            shared.reports.fault(Fault { queue: self.queue, address, packet: Some(opcode), kind });
        }
    }
}

/// A compute queue with its registers.
#[derive(Debug)]
pub(super) struct ComputeQueue {
    /// Where its commands come from, if it was mapped.
    pub(super) ring: Option<ComputeRing>,
    /// Command buffers that were given to it without a ring: address and words.
    pub(super) buffers: VecDeque<(u64, u32)>,
    pub(super) engine: Engine,
    pub(super) context: Context,
}

kept!(ComputeQueue { ring, buffers, engine, context });

impl ComputeQueue {
    pub(super) fn new(pipe: u8, queue: u8) -> Self {
        let engine = Engine::new(Queue::Compute { pipe, queue });
        Self { ring: None, buffers: VecDeque::new(), engine, context: Context::default() }
    }

    pub(super) fn turn(&mut self, shared: &mut Shared, bus: &mut Bus<'_>) -> bool {
        let mut progress = self.engine.turn(&mut self.context, shared, bus);
        if !self.engine.is_done() {
            return progress;
        }
        if let Some(ring) = self.ring.as_mut().filter(|ring| ring.running > 0) {
            ring.finish();
            progress = true;
            let bytes = 4 * ring.read;
            if ring.read_pointer != 0
                && let Err(unmapped) = bus.write(ring.read_pointer, &bytes.to_le_bytes())
            {
                let (queue, address) = (self.engine.queue, ring.read_pointer);
                shared.reports.fault(Fault { queue, address, packet: None, kind: unmapped.into() });
            }
        }
        let next = self.buffers.pop_front().or_else(|| {
            let ring = self.ring.as_mut()?;
            let (address, words) = ring.segment()?;
            ring.running = words;
            Some((address, words))
        });
        if let Some((address, words)) = next {
            self.engine.streams.begin(Stream { address, words });
            progress = true;
        }
        progress
    }

    pub(super) fn is_idle(&self) -> bool {
        let ring = self.ring.is_none_or(|ring| ring.running == 0 && ring.segment().is_none());
        ring && self.engine.is_done() && self.buffers.is_empty()
    }
}
