//! Follows a push buffer without running it: for tools that show it, and as what the pusher is tested against.

use super::PushBuffer;
use super::pusher::{Fault, Limits, PusherError, PusherState};
use super::word::{Header, Word};
use crate::memory::GuestMemory;

/// A word of a push buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its offset in the push buffer's DMA object.
    pub address: u32,
    /// The word.
    pub word: u32,
    /// What it is.
    pub what: What,
}

/// What a word of a push buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// A jump, a call, a return or a header.
    Control(Word),
    /// An argument.
    Argument {
        /// Subchannel, 0 to 7.
        subchannel: u8,
        /// Byte offset of its method.
        method: u16,
        /// Arguments of the same header that come behind it.
        left: u16,
    },
}

/// Gives the words from GET to PUT, one by one. Ends after an error.
#[derive(Clone, Copy)]
pub struct Walk<'a> {
    memory: &'a dyn GuestMemory,
    push_buffer: PushBuffer,
    state: PusherState,
    words: u64,
    jumps: u32,
    limits: Limits,
    ended: bool,
}

impl<'a> Walk<'a> {
    /// Starts where a pusher is.
    pub(super) fn new(
        memory: &'a dyn GuestMemory,
        push_buffer: PushBuffer,
        state: PusherState,
        limits: Limits,
    ) -> Self {
        Self { memory, push_buffer, state, words: limits.words, jumps: limits.jumps, limits, ended: false }
    }

    /// Where it is.
    #[must_use]
    pub fn state(&self) -> PusherState {
        self.state
    }

    fn take(&mut self) -> Result<Step, PusherError> {
        let address = self.state.get;
        let fault = |state, word, fault| PusherError { address, word, fault, state };
        let inside = u64::from(address) + 3 <= self.push_buffer.limit;
        let physical = self.push_buffer.address.checked_add(address).filter(|_| inside);
        let word = physical.and_then(|address| self.memory.word(address));
        let word = word.ok_or(fault(self.state, 0, Fault::Unmapped))?;
        self.words =
            self.words.checked_sub(1).ok_or(fault(self.state, word, Fault::TooManyWords(self.limits.words)))?;
        let next = address.wrapping_add(4);
        let Header { method, subchannel, count, .. } = self.state.pending;
        if count > 0 {
            self.jumps = self.limits.jumps;
            self.state.pending = self.state.pending.after(1);
            self.state.get = next;
            return Ok(Step { address, word, what: What::Argument { subchannel, method, left: count - 1 } });
        }
        let control = Word::decode(word);
        if !matches!(control, Word::Method(_)) {
            let jumps = self.jumps.checked_sub(1);
            self.jumps = jumps.ok_or(fault(self.state, word, Fault::EndlessJumps(self.limits.jumps)))?;
        }
        self.state.get = match control {
            Word::Method(header) => {
                self.state.pending = header;
                next
            }
            Word::Jump { target, .. } => target,
            Word::Call { .. } if self.state.subroutine.is_some() => {
                return Err(fault(self.state, word, Fault::NestedCall));
            }
            Word::Call { target } => {
                self.state.subroutine = Some(next);
                target
            }
            Word::Return => self.state.subroutine.take().ok_or(fault(self.state, word, Fault::ReturnWithoutCall))?,
            Word::Reserved => return Err(fault(self.state, word, Fault::Reserved)),
        };
        Ok(Step { address, word, what: What::Control(control) })
    }
}

impl Iterator for Walk<'_> {
    type Item = Result<Step, PusherError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended || self.state.get == self.state.put {
            return None;
        }
        let step = self.take();
        self.ended = step.is_err();
        Some(step)
    }
}
