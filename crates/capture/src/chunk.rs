//! The container: a file header and a sequence of chunks, each with its own length and check sum.

use crate::{CaptureError, Limits};
use afterimage_stream::packets::Init;
use std::io::{Read, Write};
use xxhash_rust::xxh3::xxh3_64;

/// Version of the container. Readers refuse any other.
pub const VERSION: u32 = 2;

pub(crate) const MAGIC: [u8; 8] = *b"AFTRCAP\x1a";

/// Most bytes of an unpacked chunk.
pub(crate) const RAW_LIMIT: usize = 32 << 20;
/// Chunks are closed when they have grown to this.
pub(crate) const RAW_USUAL: usize = 1 << 20;

/// Magic, both versions, and a check of them.
const FILE_HEADER: usize = 24;
const HEADER: usize = 32;
const PACKED: u32 = 1;
/// zstd's fast level: a capture is written while a game runs.
const LEVEL: i32 = 1;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    /// [`crate::Info`].
    Info,
    /// Records of the keyframe.
    Keyframe,
    /// Records of frames.
    Frames,
    /// The frame index.
    Index,
    /// Nothing: the capture is complete.
    End,
}

pub(crate) const TAGS: [(Tag, [u8; 4]); 5] = [
    (Tag::Info, *b"INFO"),
    (Tag::Keyframe, *b"KEYF"),
    (Tag::Frames, *b"FRAM"),
    (Tag::Index, *b"INDX"),
    (Tag::End, *b"ENDS"),
];

/// Writes the file header and then chunks.
pub(crate) struct ChunkWriter<W> {
    out: W,
    packer: zstd::bulk::Compressor<'static>,
    /// Bytes written.
    pub(crate) offset: u64,
}

impl<W: Write> ChunkWriter<W> {
    /// Writes the file's header, which names the version of the packets.
    pub(crate) fn new(mut out: W, packets: u32) -> Result<Self, CaptureError> {
        let packer = zstd::bulk::Compressor::new(LEVEL).map_err(CaptureError::io("setting up compression"))?;
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend(packets.to_le_bytes());
        header.extend(xxh3_64(&header).to_le_bytes());
        out.write_all(&header).map_err(CaptureError::io("writing the file header"))?;
        Ok(Self { out, packer, offset: header.len() as u64 })
    }

    pub(crate) fn chunk(&mut self, tag: Tag, raw: &[u8]) -> Result<(), CaptureError> {
        debug_assert!(raw.len() <= RAW_LIMIT);
        let packed = self.packer.compress(raw).map_err(CaptureError::io("compressing a chunk"))?;
        let (flags, stored) = if packed.len() < raw.len() { (PACKED, &packed[..]) } else { (0, raw) };
        let mut header = [0; HEADER];
        let name = TAGS.iter().find(|(other, _)| *other == tag).map_or([0; 4], |(_, name)| *name);
        header[..4].copy_from_slice(&name);
        header[4..8].copy_from_slice(&flags.to_le_bytes());
        header[8..12].copy_from_slice(&(stored.len() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&(raw.len() as u32).to_le_bytes());
        header[16..24].copy_from_slice(&xxh3_64(stored).to_le_bytes());
        // The header's own check: a flipped bit in a length must not send the reader astray.
        let check = xxh3_64(&header[..24]);
        header[24..].copy_from_slice(&check.to_le_bytes());
        let written = self.out.write_all(&header).and_then(|()| self.out.write_all(stored));
        written.map_err(CaptureError::io("writing a chunk"))?;
        self.offset += (HEADER + stored.len()) as u64;
        Ok(())
    }

    /// What is written to.
    pub(crate) fn into_inner(self) -> W {
        self.out
    }
}

/// Where a chunk lies, for errors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) chunk: u64,
    pub(crate) offset: u64,
}

impl Place {
    pub(crate) fn error(self, field: &'static str, cause: impl Into<String>) -> CaptureError {
        CaptureError::Chunk { chunk: self.chunk, offset: self.offset, field, cause: cause.into() }
    }

    pub(crate) fn limit(self, what: &'static str, limit: u64, advice: &'static str) -> CaptureError {
        CaptureError::Limit { chunk: self.chunk, offset: self.offset, what, limit, advice }
    }

    /// Memory for so many bytes, of which a file says how many.
    pub(crate) fn reserve(self, vec: &mut Vec<u8>, bytes: usize) -> Result<(), CaptureError> {
        let missing = bytes.saturating_sub(vec.len());
        let Self { chunk, offset } = self;
        vec.try_reserve_exact(missing).map_err(|_| CaptureError::Memory { chunk, offset, bytes })
    }
}

/// Reads chunks one after the other, and finds the next good one behind damage.
pub(crate) struct ChunkReader<R> {
    input: R,
    /// What has been read of the file and not been used; its first `used` bytes have.
    ahead: Vec<u8>,
    used: usize,
    next: Place,
    /// Whether the next chunk has to be searched for.
    lost: bool,
    /// Whether the file can give no more.
    ended: bool,
    /// Bytes of the last chunk in the file, with its header.
    pub(crate) stored: u64,
    /// Whether its content is compressed.
    packed: bool,
    /// Bytes that were unpacked so far.
    unpacked: u64,
    limits: Limits,
    unpacker: zstd::bulk::Decompressor<'static>,
}

/// Bytes that are looked through at once in a search.
const SEARCHED: usize = 64 << 10;

impl<R: Read> ChunkReader<R> {
    /// Starts to read: the version of the packets, and the damage of the file's header if it can be read all the same.
    pub(crate) fn new(input: R) -> Result<(Self, u32, Option<CaptureError>), CaptureError> {
        let next = Place { chunk: 0, offset: FILE_HEADER as u64 };
        let unpacker = zstd::bulk::Decompressor::new().map_err(CaptureError::io("setting up decompression"))?;
        let mut chunks = Self {
            input,
            ahead: Vec::new(),
            used: 0,
            next,
            lost: false,
            ended: false,
            stored: 0,
            packed: false,
            unpacked: 0,
            limits: Limits::DEFAULT,
            unpacker,
        };
        let start = chunks.peek(FILE_HEADER + HEADER)?;
        let (header, rest) = start.split_at(start.len().min(FILE_HEADER));
        let begins = header.iter().zip(&MAGIC).all(|(have, wanted)| have == wanted);
        if header.len() < FILE_HEADER {
            let cut = CaptureError::Truncated { chunk: 0, offset: 0 };
            return Err(if begins { cut } else { CaptureError::Magic });
        }
        let (version, packets) = (field(header, 8), field(header, 12));
        let whole = begins && xxh3_64(&header[..16]) == long(header, 16);
        // The first version had no check there, and zeros for the version of the packets.
        if begins && (whole && version != VERSION || version == 1 && packets == 0) {
            return Err(CaptureError::Version { field: "container version", have: version, wanted: VERSION });
        }
        let damage = if whole {
            None
        } else if begins || known(rest).is_some() {
            Some(CaptureError::Header)
        } else {
            return Err(CaptureError::Magic);
        };
        chunks.used = FILE_HEADER;
        Ok((chunks, if whole { packets } else { Init::VERSION }, damage))
    }

    /// The next chunk, unpacked into `raw`; `None` at the end of the file. After an error the next call goes on with
    /// the next chunk that is whole.
    pub(crate) fn next(&mut self, raw: &mut Vec<u8>) -> Result<Option<(Tag, Place)>, CaptureError> {
        raw.clear();
        if std::mem::take(&mut self.lost) && !self.search()? {
            return Ok(None);
        }
        let place = self.next;
        let truncated = CaptureError::Truncated { chunk: place.chunk, offset: place.offset };
        let header: [u8; HEADER] = match self.peek(HEADER)? {
            [] => return Ok(None),
            header => match header.first_chunk() {
                Some(header) => *header,
                None => {
                    self.skip(HEADER);
                    return Err(truncated);
                }
            },
        };
        let Some(tag) = known(&header) else {
            self.lost = true;
            return Err(match xxh3_64(&header[..24]) == long(&header, 24) {
                true => place.error("tag", format!("unknown: {}", header[..4].escape_ascii())),
                false => place.error("header check", "the chunk's header is damaged"),
            });
        };
        let (flags, stored, unpacked) = (field(&header, 4), field(&header, 8) as usize, field(&header, 12) as usize);
        for (field, value) in [("stored length", stored), ("raw length", unpacked)] {
            if value > RAW_LIMIT {
                self.lost = true;
                return Err(place.error(field, format!("{value} bytes, the limit is {RAW_LIMIT}")));
            }
        }
        self.unpacked = self.unpacked.saturating_add(unpacked as u64);
        let most = self.limits.unpacked.max(self.limits.ratio.saturating_mul(place.offset));
        if self.unpacked > most {
            // Nothing of what follows is worth the time.
            self.end();
            return Err(place.limit(
                "bytes unpacked",
                most,
                "no program's capture is compressed so much; what follows is left out",
            ));
        }
        self.peek(HEADER + stored)?;
        let there = &self.ahead[self.used..];
        let content = there[..there.len().min(HEADER + stored)].get(HEADER..).unwrap_or(&[]);
        let result = if content.len() < stored {
            Err(truncated)
        } else if xxh3_64(content) != long(&header, 16) {
            Err(place.error("check sum", "the content is damaged"))
        } else {
            place.reserve(raw, unpacked).and_then(|()| {
                match flags {
                    0 if stored == unpacked => raw.extend_from_slice(content),
                    PACKED if self.unpacker.decompress_to_buffer(content, raw).is_err() => raw.clear(),
                    _ => {}
                }
                match raw.len() == unpacked {
                    true => Ok(Some((tag, place))),
                    false => Err(place.error("raw length", format!("{unpacked} declared, {} found", raw.len()))),
                }
            })
        };
        if result.is_err() {
            raw.clear();
        }
        self.skip(HEADER + stored);
        self.next.chunk += 1;
        self.stored = (HEADER + stored) as u64;
        self.packed = flags == PACKED;
        result
    }

    /// With other limits.
    pub(crate) fn limited(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The content of the last chunk as the file has it, and whether it is compressed. It is there until the next one is read.
    pub(crate) fn content(&self) -> (&[u8], bool) {
        let bytes = (self.stored as usize).saturating_sub(HEADER);
        let content = self.used.checked_sub(bytes).and_then(|first| self.ahead.get(first..self.used));
        (content.unwrap_or_default(), self.packed)
    }

    /// Nothing more is read.
    fn end(&mut self) {
        self.ended = true;
        self.ahead.clear();
        self.used = 0;
    }

    /// Goes on to the next chunk whose header is whole; false if there is none.
    fn search(&mut self) -> Result<bool, CaptureError> {
        self.skip(1);
        self.next.chunk += 1;
        loop {
            let window = self.peek(SEARCHED)?;
            let starts = window.len().saturating_sub(HEADER - 1);
            if starts == 0 {
                return Ok(false);
            }
            match (0..starts).find(|&at| known(&window[at..]).is_some()) {
                Some(at) => {
                    self.skip(at);
                    return Ok(true);
                }
                None => self.skip(starts),
            }
        }
    }

    /// The next bytes of the file without using them: fewer than `bytes` at its end. Memory grows with what is really
    /// there.
    fn peek(&mut self, bytes: usize) -> Result<&[u8], CaptureError> {
        if self.ahead.len() - self.used < bytes && !self.ended {
            self.ahead.drain(..self.used);
            self.used = 0;
            let missing = bytes - self.ahead.len();
            let read = (&mut self.input).take(missing as u64).read_to_end(&mut self.ahead);
            // An input that has failed once is not asked again.
            self.ended = !matches!(read, Ok(count) if count == missing);
            read.map_err(CaptureError::io("reading"))?;
        }
        let there = &self.ahead[self.used..];
        Ok(&there[..there.len().min(bytes)])
    }

    fn skip(&mut self, bytes: usize) {
        let bytes = bytes.min(self.ahead.len() - self.used);
        self.used += bytes;
        self.next.offset += bytes as u64;
    }
}

/// What the chunk holds whose header begins here, if one does.
fn known(bytes: &[u8]) -> Option<Tag> {
    let &(tag, _) = TAGS.iter().find(|(_, name)| bytes.starts_with(name))?;
    let header = bytes.get(..HEADER)?;
    (xxh3_64(&header[..24]) == long(header, 24)).then_some(tag)
}

/// A 32-bit number; 0 behind the end.
pub(crate) fn field(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// A 64-bit number; 0 behind the end.
pub(crate) fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
