//! The pusher: reads words between GET and PUT, follows jumps and calls, hands arguments to subchannels.
//!
//! It reads blocks of memory, and runs of arguments go to their object in one piece. A block is thrown away whenever the
//! machine itself wrote memory, so that a push buffer that writes itself is read as written.

use super::word::{Header, Word};
use super::{Bus, Machine, Stop};
use std::fmt;

/// How much may be done between two writes of PUT. A run that goes on behind a stop has what the stop left; an error gives the
/// next run all of it again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Words of the push buffer, headers and jumps included, and words that its methods copy. What costs much more than a
    /// word, such as a draw, a clear or a stop, counts as 256.
    pub words: u64,
    /// Jumps, calls and returns without an argument between them.
    pub jumps: u32,
}

impl Default for Limits {
    /// Sixteen times an Xbox's memory, and as many jumps as no program needs.
    fn default() -> Self {
        Self { words: 256 << 20, jumps: 1 << 16 }
    }
}

/// Where the pusher is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PusherState {
    /// Offset of the word that is read next, in the push buffer's DMA object.
    pub get: u32,
    /// Offset where it stops.
    pub put: u32,
    /// Arguments that are still to come, and whose they are.
    pub pending: Header,
    /// Where a return goes, inside of a call.
    pub subroutine: Option<u32>,
}

impl fmt::Display for PusherState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "GET {:#010x}, PUT {:#010x}", self.get, self.put)?;
        if self.pending.count > 0 {
            let Header { method, subchannel, count, .. } = self.pending;
            write!(f, ", {count} arguments of method {method:#06x} on subchannel {subchannel} to come")?;
        }
        self.subroutine.map_or(Ok(()), |back| write!(f, ", in a call from {back:#010x}"))
    }
}

/// What is wrong with a push buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// A word of no known form.
    #[error("no word of a push buffer has this form")]
    Reserved,
    /// A call inside of a call.
    #[error("a call inside of a call; the pusher remembers one")]
    NestedCall,
    /// A return without a call.
    #[error("a return without a call")]
    ReturnWithoutCall,
    /// GET left the push buffer's DMA object, or memory. The word is 0.
    #[error("there is no memory")]
    Unmapped,
    /// More words than [`Limits::words`].
    #[error("the run is longer than {0} words; raise `Limits::words`, or look for a loop")]
    TooManyWords(u64),
    /// More jumps in a row than [`Limits::jumps`].
    #[error("{0} jumps without an argument between them: an endless loop")]
    EndlessJumps(u32),
}

/// A push buffer that cannot be followed. The machine's state is as the words before left it; GET stands on the word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("push buffer word {word:#010x} at {address:#010x}: {fault} ({state})")]
pub struct PusherError {
    /// Offset of the word in the push buffer's DMA object.
    pub address: u32,
    /// The word.
    pub word: u32,
    /// What is wrong with it.
    pub fault: Fault,
    /// Where the pusher stands.
    pub state: PusherState,
}

/// Words of a block.
pub(super) const BLOCK: usize = 1024;

/// What costs much more than a word of a push buffer counts as so many.
pub(super) const HEAVY: u64 = 256;

/// What is left of the [`Limits`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    words: u64,
    jumps: u32,
}

impl Machine {
    /// Runs until GET is PUT, something has to be done outside, or a word is wrong.
    pub(super) fn push(&mut self, bus: &mut Bus<'_>, block: &mut [u32]) -> Result<Stop, PusherError> {
        let Limits { words, jumps } = self.limits;
        let mut budget = self.left.take().unwrap_or(Budget { words, jumps });
        loop {
            if let Some(stop) = self.stopped() {
                self.left = Some(budget);
                return Ok(stop);
            }
            if self.pusher.get == self.pusher.put {
                return Ok(Stop::Idle);
            }
            let words = self.fetch(bus, block)?;
            bus.wrote = false;
            self.consume(bus, &block[..words], &mut budget)?;
        }
    }

    fn fault(&self, word: u32, fault: Fault) -> PusherError {
        PusherError { address: self.pusher.get, word, fault, state: self.pusher }
    }

    /// Reads words from GET on, up to PUT if it lies ahead: how many.
    fn fetch(&self, bus: &Bus<'_>, block: &mut [u32]) -> Result<usize, PusherError> {
        let PusherState { get, put, .. } = self.pusher;
        let ahead = if put > get { ((put - get) / 4).max(1) as usize } else { BLOCK };
        let start = u64::from(get) + u64::from(self.push_buffer.address);
        let end = u64::from(bus.memory.size()).min(u64::from(self.push_buffer.address) + self.push_buffer.limit + 1);
        let mapped = end.saturating_sub(start) / 4;
        let words = ahead.min(block.len()).min(mapped as usize);
        let block = &mut block[..words];
        if words == 0 || bus.memory.read(start as u32, bytemuck::cast_slice_mut(block)).is_err() {
            return Err(self.fault(0, Fault::Unmapped));
        }
        for word in block {
            *word = u32::from_le(*word);
        }
        Ok(words)
    }

    /// Runs the words of a block, until it ends, GET goes elsewhere, or memory may be another.
    fn consume(&mut self, bus: &mut Bus<'_>, block: &[u32], budget: &mut Budget) -> Result<(), PusherError> {
        // A copy of its own stays in processor registers.
        let mut state = self.pusher;
        let limits = self.limits;
        let mut at = 0;
        let fault = loop {
            if at == block.len() {
                break None;
            }
            if budget.words == 0 {
                break Some(Fault::TooManyWords(limits.words));
            }
            if state.pending.count > 0 {
                let run = usize::from(state.pending.count).min(block.len() - at);
                let used = self.execute(bus, state.pending, &block[at..at + run]);
                state.pending = state.pending.after(used as u16);
                state.get = state.get.wrapping_add(4 * used as u32);
                at += used;
                budget.words = budget.words.saturating_sub(used as u64 + std::mem::take(&mut bus.work));
                budget.jumps = limits.jumps;
                if bus.wrote || self.stopped().is_some() {
                    break None;
                }
                continue;
            }
            let next = state.get.wrapping_add(4);
            budget.words -= 1;
            let form = Word::decode(block[at]);
            if let Word::Method(header) = form {
                (state.pending, state.get) = (header, next);
                at += 1;
                continue;
            }
            if budget.jumps == 0 {
                break Some(Fault::EndlessJumps(limits.jumps));
            }
            budget.jumps -= 1;
            state.get = match form {
                Word::Jump { target, .. } => target,
                Word::Call { .. } if state.subroutine.is_some() => break Some(Fault::NestedCall),
                Word::Call { target } => {
                    state.subroutine = Some(next);
                    target
                }
                Word::Return => match state.subroutine.take() {
                    Some(back) => back,
                    None => break Some(Fault::ReturnWithoutCall),
                },
                Word::Reserved | Word::Method(_) => break Some(Fault::Reserved),
            };
            break None;
        };
        self.pusher = state;
        fault.map_or(Ok(()), |fault| Err(self.fault(block[at], fault)))
    }
}
