//! The container: a file header and a sequence of chunks, each with its own length and check sum.

use crate::CaptureError;
use std::io::{Read, Write};
use xxhash_rust::xxh3::xxh3_64;

/// Version of the container. Readers refuse any other.
pub const VERSION: u32 = 1;

pub(crate) const MAGIC: [u8; 8] = *b"AFTRCAP\x1a";

/// Most bytes of an unpacked chunk.
pub(crate) const RAW_LIMIT: usize = 32 << 20;
/// Chunks are closed when they have grown to this.
pub(crate) const RAW_USUAL: usize = 1 << 20;

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

const TAGS: [(Tag, [u8; 4]); 5] = [
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
    pub(crate) fn new(mut out: W) -> Result<Self, CaptureError> {
        let packer = zstd::bulk::Compressor::new(LEVEL).map_err(CaptureError::io("setting up compression"))?;
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.extend([0; 4]);
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

    pub(crate) fn flush(&mut self) -> Result<(), CaptureError> {
        self.out.flush().map_err(CaptureError::io("writing"))
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
}

/// Reads chunks one after the other.
pub(crate) struct ChunkReader<R> {
    input: R,
    stored: Vec<u8>,
    next: Place,
}

impl<R: Read> ChunkReader<R> {
    pub(crate) fn new(mut input: R) -> Result<Self, CaptureError> {
        let mut header = Vec::new();
        (&mut input).take(16).read_to_end(&mut header).map_err(CaptureError::io("reading"))?;
        if header.len() < 16 || header[..8] != MAGIC {
            return Err(CaptureError::Magic);
        }
        let have = field(&header, 8);
        if have != VERSION {
            return Err(CaptureError::Version { field: "container version", have, wanted: VERSION });
        }
        Ok(Self { input, stored: Vec::new(), next: Place { chunk: 0, offset: 16 } })
    }

    /// The next chunk, unpacked into `raw`; `None` at the end of the file.
    pub(crate) fn next(&mut self, raw: &mut Vec<u8>) -> Result<Option<(Tag, Place)>, CaptureError> {
        let place = self.next;
        let truncated = || CaptureError::Truncated { chunk: place.chunk, offset: place.offset };
        self.fill(HEADER as u64)?;
        if self.stored.is_empty() {
            return Ok(None);
        }
        let header: [u8; HEADER] = self.stored[..].try_into().map_err(|_| truncated())?;
        if xxh3_64(&header[..24]) != u64::from_le_bytes(*header.last_chunk().unwrap_or(&[0; 8])) {
            return Err(place.error("header check", "the chunk's header is damaged"));
        }
        let name = &header[..4];
        let Some(&(tag, _)) = TAGS.iter().find(|(_, known)| known == name) else {
            return Err(place.error("tag", format!("unknown: {}", name.escape_ascii())));
        };
        let (flags, stored, unpacked) = (field(&header, 4), field(&header, 8) as usize, field(&header, 12) as usize);
        let limit = |field, value| match value <= RAW_LIMIT {
            true => Ok(()),
            false => Err(place.error(field, format!("{value} bytes, the limit is {RAW_LIMIT}"))),
        };
        limit("stored length", stored)?;
        limit("raw length", unpacked)?;
        self.fill(stored as u64)?;
        if self.stored.len() < stored {
            return Err(truncated());
        }
        if xxh3_64(&self.stored).to_le_bytes() != header[16..24] {
            return Err(place.error("check sum", "the content is damaged"));
        }
        raw.clear();
        match flags {
            0 => raw.extend_from_slice(&self.stored),
            PACKED => {
                *raw = zstd::bulk::decompress(&self.stored, unpacked)
                    .map_err(|error| place.error("content", error.to_string()))?;
            }
            other => return Err(place.error("flags", format!("unknown: {other:#x}"))),
        }
        if raw.len() != unpacked {
            return Err(place.error("raw length", format!("{unpacked} declared, {} found", raw.len())));
        }
        self.next = Place { chunk: place.chunk + 1, offset: place.offset + (HEADER + stored) as u64 };
        Ok(Some((tag, place)))
    }

    /// Reads up to `bytes` bytes; memory grows with what is really there.
    fn fill(&mut self, bytes: u64) -> Result<(), CaptureError> {
        self.stored.clear();
        let read = (&mut self.input).take(bytes).read_to_end(&mut self.stored);
        read.map_err(CaptureError::io("reading")).map(drop)
    }
}

/// A 32-bit number; 0 behind the end.
pub(crate) fn field(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// A 64-bit number; 0 behind the end.
pub(crate) fn long(bytes: &[u8], at: usize) -> u64 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map_or(0, |bytes| u64::from_le_bytes(*bytes))
}
