//! Writing packets.

use crate::packets::{Body, Header, TailBody};

/// Collects packets into a batch of 64-bit words, numbering them.
#[derive(Debug, Default)]
pub struct Encoder {
    words: Vec<u64>,
    sequence: u32,
}

impl Encoder {
    /// Most words a single packet can have: the header's size field is 16 bits wide.
    pub const MAX_UNITS: usize = u16::MAX as usize;

    /// An encoder that starts a new stream: the first packet gets sequence number 1.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a packet without a tail. Always inlined, as what else writes packets: fields that were put together in memory would be
    /// waited for when they are read as words.
    #[inline(always)]
    pub fn push<P: Body>(&mut self, body: &P) {
        let body: &[u64] = bytemuck::cast_slice(std::slice::from_ref(body));
        self.sequence = self.sequence.wrapping_add(1);
        let header = Header { kind: P::KIND as u16, units: 1 + body.len() as u16, sequence: self.sequence };
        self.words.push(bytemuck::cast(header));
        self.words.extend_from_slice(body);
    }

    /// Appends a packet with a tail. The body's `count` must be the tail's length.
    ///
    /// # Panics
    /// If `count` is not the tail's length, or the packet is larger than [`Encoder::MAX_UNITS`]: both are errors of the
    /// guest's code, never of its input.
    #[inline(always)]
    pub fn push_tail<P: TailBody>(&mut self, body: &P, tail: &[P::Tail]) {
        assert_eq!(body.count(), tail.len(), "{}: count is not the tail's length", P::KIND.name());
        let body: &[u64] = bytemuck::cast_slice(std::slice::from_ref(body));
        let bytes: &[u8] = bytemuck::cast_slice(tail);
        let units = 1 + body.len() + bytes.len().div_ceil(8);
        assert!(units <= Self::MAX_UNITS, "{}: packet of {units} units is too large", P::KIND.name());
        self.sequence = self.sequence.wrapping_add(1);
        let header = Header { kind: P::KIND as u16, units: units as u16, sequence: self.sequence };
        self.words.push(bytemuck::cast(header));
        self.words.extend_from_slice(body);
        let whole = bytes.len() / 8 * 8;
        self.words.extend(bytes[..whole].chunks_exact(8).map(|c| u64::from_ne_bytes(c.try_into().unwrap_or_default())));
        if whole < bytes.len() {
            let mut last = [0; 8];
            last[..bytes.len() - whole].copy_from_slice(&bytes[whole..]);
            self.words.push(u64::from_ne_bytes(last));
        }
    }

    /// Words collected so far.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether there is nothing to submit.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The sequence number of the last packet; 0 before the first.
    #[must_use]
    pub fn sequence(&self) -> u32 {
        self.sequence
    }

    /// The batch, for [`crate::Link::submit`], which leaves it empty.
    pub fn batch(&mut self) -> &mut Vec<u64> {
        &mut self.words
    }

    /// Makes room for `words` more and writes over it. A batch's memory comes back from the receiver, in whose core's cache
    /// it still is: taken from there all at once, it costs a fraction of what it does packet by packet.
    pub(crate) fn make_room(&mut self, words: usize) {
        let len = self.words.len();
        self.words.resize(len + words, 0);
        std::hint::black_box(self.words.as_mut_slice());
        self.words.truncate(len);
    }

    /// Starts the sequence anew, for a new receiver. Packets not yet submitted are dropped.
    pub fn restart(&mut self) {
        self.words.clear();
        self.sequence = 0;
    }
}
