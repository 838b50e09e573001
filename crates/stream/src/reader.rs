//! Walking over a batch: headers, sizes, decoding. No knowledge of objects; see [`crate::Validator`].

use crate::packets::{Header, Kind, Packet};
use crate::{Cause, StreamError};

/// Iterates over the packets of a batch. Stops after the first header that cannot be trusted, since nothing says where
/// the next packet starts.
#[derive(Debug)]
pub struct Reader<'a> {
    words: &'a [u64],
    at: usize,
    index: usize,
}

impl<'a> Reader<'a> {
    /// Reads `batch` from its start.
    #[must_use]
    pub fn new(batch: &'a [u64]) -> Self {
        Self { words: batch, at: 0, index: 0 }
    }

    /// Word offset of the next packet.
    #[must_use]
    pub fn position(&self) -> usize {
        self.at
    }

    #[cold]
    fn error(header: Header, index: usize, at: usize, cause: Cause) -> Box<StreamError> {
        let kind = Kind::from_bits(header.kind);
        Box::new(StreamError { index, offset: at * 8, sequence: header.sequence, kind, cause })
    }
}

/// A decoded packet and its place.
#[derive(Clone, Copy, Debug)]
pub struct Located<'a> {
    /// The header.
    pub header: Header,
    /// The body and tail.
    pub packet: Packet<'a>,
    /// Number in the batch.
    pub index: usize,
    /// Word offset of the header in the batch.
    pub at: usize,
}

/// Runs code for a packet. For the kinds that draws come with it is compiled once each, so that checking, applying and executing are one
/// piece of code that asks for the kind only once: a third of the time that packets took.
#[macro_export]
macro_rules! by_kind {
    ($located:ident => $often:expr, else $seldom:expr) => {
        $crate::by_kind! {
            @each $located, $often, $seldom;
            Draw(body)
            DrawIndexed(body)
            SetConstants(body, tail)
            SetTextures(body, tail)
            SetVertexBuffers(body, tail)
            SetRaster(body)
            SetDepthStencil(body)
            SetBlend(body, tail)
            UpdateBuffer(body)
        }
    };
    (@each $located:ident, $often:expr, $seldom:expr; $($kind:ident($($part:ident),+))*) => {
        match $located.packet {
            $( $crate::Packet::$kind($($part),+) => {
                let $located = $crate::Located { packet: $crate::Packet::$kind($($part),+), ..$located };
                $often
            } )*
            _ => $seldom,
        }
    };
}

impl<'a> Located<'a> {
    /// An error about this packet.
    #[must_use]
    #[inline]
    pub fn error(&self, cause: Cause) -> Box<StreamError> {
        // By value, so that a packet that is in order need not be in memory.
        Reader::error(self.header, self.index, self.at, cause)
    }
}

impl<'a> Iterator for Reader<'a> {
    type Item = Result<Located<'a>, Box<StreamError>>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let &word = self.words.get(self.at)?;
        let header: Header = bytemuck::cast(word);
        let (at, index) = (self.at, self.index);
        let have = self.words.len() - at;
        let units = usize::from(header.units);
        if units == 0 || units > have {
            self.at = self.words.len();
            let cause = if units == 0 {
                Cause::WrongSize { wanted: 1, have: 0 }
            } else {
                Cause::Truncated { wanted: units, have }
            };
            return Some(Err(Self::error(header, index, at, cause)));
        }
        self.at += units;
        self.index += 1;
        let Some(kind) = Kind::from_bits(header.kind) else {
            return Some(Err(Self::error(header, index, at, Cause::UnknownKind(header.kind))));
        };
        Some(match Packet::decode(kind, &self.words[at + 1..at + units]) {
            Ok(packet) => Ok(Located { header, packet, index, at }),
            Err(wanted) => Err(Self::error(header, index, at, Cause::WrongSize { wanted, have: units - 1 })),
        })
    }
}

/// Numbers the packets of a batch so that the one after them has the number `next`.
pub fn renumber(words: &mut [u64], next: u32) {
    let starts: Vec<usize> = Reader::new(words).flatten().map(|located| located.at).collect();
    let first = next.wrapping_sub(starts.len() as u32);
    for (index, at) in starts.into_iter().enumerate() {
        let header: Header = bytemuck::cast(words[at]);
        words[at] = bytemuck::cast(Header { sequence: first.wrapping_add(index as u32), ..header });
    }
}
