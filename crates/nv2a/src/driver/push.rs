//! Push-buffer words: packets of methods, and the ring in guest memory that they go to.
//!
//! Source: `docs/sources/nv2a.md#push-buffers`.

use super::{Channel, DriverError};

/// Subchannel that the driver binds Kelvin to.
pub(crate) const KELVIN_SUBCHANNEL: u32 = 0;
/// Most arguments of a packet: eleven bits of the header.
pub(crate) const MAX_ARGUMENTS: usize = 0x7FF;
/// Return from a called piece.
pub(crate) const RETURN: u32 = 0x0002_0000;

pub(crate) const NON_INCREASING: u32 = 0x4000_0000;
const JUMP: u32 = 1;
const CALL: u32 = 2;

/// Packets that are being put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packets {
    words: Vec<u32>,
}

impl Packets {
    fn header(&mut self, method: u16, count: usize, flags: u32) {
        debug_assert!(count <= MAX_ARGUMENTS && method < 0x2000 && method.is_multiple_of(4));
        self.words.push(flags | (count as u32) << 18 | KELVIN_SUBCHANNEL << 13 | u32::from(method));
    }

    /// Arguments to a method and those after it.
    pub(crate) fn method(&mut self, method: u16, arguments: &[u32]) {
        for (chunk, part) in arguments.chunks(MAX_ARGUMENTS).enumerate() {
            self.header(method + (chunk * MAX_ARGUMENTS * 4) as u16, part.len(), 0);
            self.words.extend_from_slice(part);
        }
    }

    /// Floats to a method and those after it.
    pub(crate) fn floats(&mut self, method: u16, arguments: &[f32]) {
        self.header(method, arguments.len(), 0);
        self.words.extend(arguments.iter().map(|f| f.to_bits()));
    }

    /// All arguments to one method.
    pub(crate) fn repeat(&mut self, method: u16, mut arguments: impl ExactSizeIterator<Item = u32>) {
        while arguments.len() > 0 {
            let count = arguments.len().min(MAX_ARGUMENTS);
            self.header(method, count, NON_INCREASING);
            self.words.extend(arguments.by_ref().take(count));
        }
    }

    /// Calls a piece of push buffer that ends with [`RETURN`]. `address` is a multiple of four.
    pub(crate) fn call(&mut self, address: u32) {
        self.words.push(address & !3 | CALL);
    }

    pub(crate) fn append(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
    }

    pub(crate) fn len(&self) -> usize {
        self.words.len()
    }

    pub(crate) fn take(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.words)
    }
}

/// Words of the packet that starts with `header`. Calls and jumps are one word.
pub(crate) fn packet_words(header: u32) -> usize {
    if header & 3 == 0 { 1 + (header >> 18 & 0x7FF) as usize } else { 1 }
}

/// The ring: a range of guest memory that PUT goes round in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ring {
    base: u32,
    words: u32,
    put: u32,
}

impl Ring {
    /// Smallest ring: the largest packet, and the jump back.
    pub(crate) const MIN_BYTES: u32 = (MAX_ARGUMENTS as u32 + 2) * 4;

    pub(crate) fn new(base: u32, bytes: u32) -> Result<Self, DriverError> {
        if bytes < Self::MIN_BYTES || !base.is_multiple_of(4) {
            return Err(DriverError::Ring { base, bytes, least: Self::MIN_BYTES });
        }
        Ok(Self { base, words: bytes / 4, put: 0 })
    }

    pub(crate) fn start(&self) -> u32 {
        self.base
    }

    /// Writes packets and has them run. Packets are never cut: the pusher knows no jump between arguments.
    pub(crate) fn submit(&mut self, words: &[u32], channel: &mut dyn Channel) -> Result<(), DriverError> {
        let mut rest = words;
        while !rest.is_empty() {
            let room = (self.words - self.put - 1) as usize;
            let mut take = 0;
            while let Some(&header) = rest.get(take) {
                let next = take + packet_words(header);
                if next > room {
                    break;
                }
                take = next;
            }
            let (now, later) = rest.split_at(take.min(rest.len()));
            self.write(now, channel)?;
            channel.kick(self.base + self.put * 4)?;
            rest = later;
            if !rest.is_empty() {
                // GET follows at once, and only after the words before: PUT never comes to lie where GET is by going round.
                self.write(&[self.base | JUMP], channel)?;
                self.put = 0;
                channel.kick(self.base)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, words: &[u32], channel: &mut dyn Channel) -> Result<(), DriverError> {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        channel.memory().write(self.base + self.put * 4, &bytes)?;
        self.put += words.len() as u32;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::{GuestMemory, OutOfRange, Ram};

    /// Runs the ring as the pusher does, and keeps what arrives.
    struct Reader {
        ram: Ram,
        get: u32,
        seen: Vec<u32>,
        pending: usize,
    }

    impl Channel for Reader {
        fn memory(&mut self) -> &mut dyn GuestMemory {
            &mut self.ram
        }

        fn kick(&mut self, put: u32) -> Result<(), DriverError> {
            while self.get != put {
                let word = self.ram.word(self.get).ok_or(OutOfRange { address: self.get, size: 4, memory: 0 })?;
                self.get += 4;
                if self.pending == 0 && word & 3 == JUMP {
                    self.get = word & !3;
                } else if self.pending == 0 {
                    self.seen.push(word);
                    self.pending = packet_words(word) - 1;
                } else {
                    self.seen.push(word);
                    self.pending -= 1;
                }
            }
            Ok(())
        }
    }

    #[test]
    fn the_ring_goes_round_between_packets() {
        let base = 0x1000;
        let mut reader = Reader { ram: Ram::new(0x10000), get: base, seen: Vec::new(), pending: 0 };
        let mut ring = Ring::new(base, Ring::MIN_BYTES + 64).unwrap();
        let mut packets = Packets::default();
        for n in 0..40u32 {
            packets.repeat(0x1818, (0..n * 71).map(|i| i | 1));
            packets.method(0x200, &[n, n + 1]);
        }
        let words = packets.take();
        for chunk in 1..=3 {
            ring.submit(&words, &mut reader).unwrap();
            assert_eq!(reader.seen.len(), words.len() * chunk);
            assert!(reader.seen.ends_with(&words));
        }
    }

    #[test]
    fn a_ring_too_small_for_a_packet_is_refused() {
        assert!(matches!(Ring::new(0, 64), Err(DriverError::Ring { .. })));
    }
}
