//! Recorded push buffers: calls written once, run often, with fixups for what changes between runs.

use super::{Channel, Device, DriverError, push};
use std::collections::BTreeMap;

/// A recorded piece of push buffer, in memory when it has been run.
#[derive(Clone, Debug, Default)]
pub struct PushBuffer {
    /// Physical address of the memory for it, a multiple of 4.
    address: u32,
    /// Words of that memory.
    capacity: usize,
    words: Vec<u32>,
    /// Whether memory holds `words`.
    written: bool,
}

impl PushBuffer {
    /// `CreatePushBuffer`: an empty one, for `bytes` bytes of memory at `address`.
    ///
    /// # Errors
    /// [`DriverError::Unaligned`] if the address is no multiple of 4.
    pub fn new(address: u32, bytes: u32) -> Result<Self, DriverError> {
        if !address.is_multiple_of(4) {
            return Err(DriverError::Unaligned { address });
        }
        Ok(Self { address, capacity: bytes as usize / 4, words: Vec::new(), written: false })
    }

    /// What was recorded, without the return at its end.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

/// What is changed in a recorded push buffer before it runs: words by their offset (`GetPushBufferOffset`).
#[derive(Clone, Debug, Default)]
pub struct Fixup {
    words: BTreeMap<usize, u32>,
}

impl Fixup {
    /// No changes.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces arguments. `offset` is that of their packet's header, in words; `first` the first argument replaced.
    pub fn arguments(&mut self, offset: usize, first: usize, values: &[u32]) -> &mut Self {
        let at = offset.saturating_add(1).saturating_add(first);
        self.words.extend(values.iter().enumerate().map(|(i, value)| (at.saturating_add(i), *value)));
        self
    }
}

/// Checks that words are packets of methods: no jumps, calls or returns, and no packet that is cut off.
pub(super) fn check(words: &[u32]) -> Result<(), DriverError> {
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let count = (word >> 18 & 0x7FF) as usize;
        if word & 0xA003_0003 != 0 || at + count >= words.len() {
            return Err(DriverError::Packet { at, word });
        }
        at += 1 + count;
    }
    Ok(())
}

/// Whether each word is an argument, by its offset.
fn is_argument(words: &[u32], offset: usize) -> bool {
    let mut at = 0;
    while let Some(&word) = words.get(at) {
        let end = at + (word >> 18 & 0x7FF) as usize;
        if offset <= end {
            return offset > at && offset < words.len();
        }
        at = end + 1;
    }
    false
}

impl Device {
    /// `BeginPushBuffer`: what is called until [`Device::end_push_buffer`] is recorded instead of run.
    ///
    /// # Errors
    /// [`DriverError::Recording`] if a recording is under way.
    pub fn begin_push_buffer(&mut self) -> Result<(), DriverError> {
        self.outside_immediate()?;
        if self.recording.is_some() {
            return Err(DriverError::Recording { begun: true });
        }
        self.recording = Some(self.packets.take());
        self.forget_state();
        Ok(())
    }

    /// `GetPushBufferOffset`: where the next packet of the recording will be, for [`Fixup::arguments`].
    ///
    /// # Errors
    /// [`DriverError::Recording`] without a recording.
    pub fn push_buffer_offset(&mut self) -> Result<usize, DriverError> {
        self.apply();
        if self.recording.is_some() { Ok(self.packets.len()) } else { Err(DriverError::Recording { begun: false }) }
    }

    /// `EndPushBuffer`: the calls since the beginning, in `buffer`.
    ///
    /// # Errors
    /// [`DriverError::Recording`] without a recording, [`DriverError::Immediate`] between begin and end,
    /// [`DriverError::PushBufferFull`] if the buffer's memory is too small; the recording is over then, too.
    pub fn end_push_buffer(&mut self, buffer: &mut PushBuffer) -> Result<(), DriverError> {
        self.outside_immediate()?;
        self.apply();
        let before = self.recording.take().ok_or(DriverError::Recording { begun: false })?;
        let words = self.packets.take();
        self.packets.append(&before);
        self.forget_state();
        if words.len() >= buffer.capacity {
            return Err(DriverError::PushBufferFull { words: words.len() + 1, capacity: buffer.capacity });
        }
        buffer.words = words;
        buffer.written = false;
        Ok(())
    }

    /// `RunPushBuffer`: runs what was recorded, with some arguments replaced for this run. Everything before it is run first, so
    /// that a buffer that is still in use is not changed.
    ///
    /// # Errors
    /// [`DriverError::Fixup`] if a fixup's word is not an argument; what [`Device::kick`] meets.
    pub fn run_push_buffer(
        &mut self,
        buffer: &mut PushBuffer,
        fixup: &Fixup,
        channel: &mut dyn Channel,
    ) -> Result<(), DriverError> {
        self.outside_immediate()?;
        if let Some(&offset) = fixup.words.keys().find(|offset| !is_argument(&buffer.words, **offset)) {
            return Err(DriverError::Fixup { offset });
        }
        if buffer.words.is_empty() {
            return Ok(());
        }
        self.apply();
        if self.recording.is_some() {
            // A recording inside of a recording is a copy: calls do not nest.
            let mut words = buffer.words.clone();
            fixup.words.iter().for_each(|(at, value)| words[*at] = *value);
            self.packets.append(&words);
        } else {
            if !buffer.written || !fixup.words.is_empty() {
                self.kick(channel)?;
                let words = buffer.words.iter().enumerate().map(|(at, word)| fixup.words.get(&at).unwrap_or(word));
                let bytes: Vec<u8> = words.chain([&push::RETURN]).flat_map(|word| word.to_le_bytes()).collect();
                channel.memory().write(buffer.address, &bytes)?;
                buffer.written = fixup.words.is_empty();
            }
            self.packets.call(buffer.address);
        }
        self.forget_state();
        Ok(())
    }
}
