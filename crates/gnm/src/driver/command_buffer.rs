//! Words for calls, one after the other.

use super::{Call, CallError, Driver, FlipRequest, Words};
use crate::memory::{GuestMemory, Unmapped};
use afterimage_gnm_types::Opcode;

/// A command buffer that grows. The program's own are ranges of its memory; this is for those who have none yet.
#[derive(Clone, Debug, Default)]
pub struct CommandBuffer {
    words: Vec<u32>,
}

impl CommandBuffer {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The words.
    #[must_use]
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// Bytes that the words take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        4 * self.words.len() as u64
    }

    /// Room for words of a call of [`Driver`].
    pub fn reserve(&mut self, words: usize) -> &mut [u32] {
        let at = self.words.len();
        self.words.resize(at + words, 0);
        &mut self.words[at..]
    }

    /// Adds a call.
    ///
    /// # Errors
    /// If the library refuses it; nothing is added then.
    pub fn call<C: Call>(&mut self, driver: &Driver, call: &C) -> Result<(), CallError> {
        let at = self.words.len();
        let result = driver.write(self.reserve(C::WORDS), call);
        if result.is_err() {
            self.words.truncate(at);
        }
        result
    }

    /// Adds a packet, as programs do themselves where the library has no call.
    ///
    /// # Panics
    /// If the body has no words, or more than 16384.
    pub fn packet(&mut self, opcode: Opcode, body: &[u32]) {
        assert!((1..=0x4000).contains(&body.len()), "a packet has 1 to 16384 words behind its header");
        let words = self.reserve(1 + body.len());
        // There is room.
        let _written = Words::new(words).packet(opcode, 0, body);
    }

    /// Adds writes to consecutive registers from one on, by its byte address.
    pub fn set(&mut self, register: u32, values: &[u32]) {
        for (chunk, values) in values.chunks(15).enumerate() {
            let words = self.reserve(2 + values.len());
            // There is room.
            let _written = Words::new(words).set(register.wrapping_add(60 * chunk as u32), values);
        }
    }

    /// Adds the room for a flip that [`Driver::submit_and_flip_command_buffers`] wants at the end.
    pub fn prepare_flip(&mut self) {
        FlipRequest::prepare(self.reserve(FlipRequest::WORDS));
    }

    /// Writes the words into memory.
    ///
    /// # Errors
    /// If the memory is not there.
    pub fn store(&self, memory: &mut dyn GuestMemory, address: u64) -> Result<(), Unmapped> {
        let bytes: Vec<u8> = self.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(address, &bytes)
    }
}
