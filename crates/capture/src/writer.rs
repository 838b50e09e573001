//! Writing a capture.

use crate::chunk::{ChunkWriter, RAW_LIMIT, RAW_USUAL, Tag};
use crate::gathered::Gathered;
use crate::reader::{BLOB, PACKETS, PLACE, POSITION, RECORD_HEADER, TIME, WINDOW, clock};
use crate::{CaptureError, Info};
use afterimage_output::Output;
use afterimage_stream::packets::{Header, Packet};
use afterimage_stream::{Arena, Reader, UploadRef, renumber};
use rustc_hash::FxHashMap;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_128;

/// Data longer than this is stored in pieces.
const PIECE: usize = 8 << 20;
/// Words of the longest packet record; longer batches are split between packets.
const PACKET_WORDS: usize = 1 << 20;

/// Where a capture is written to.
pub trait Sink: Write {
    /// All of it has been written.
    ///
    /// # Errors
    /// Not all of it could be.
    fn complete(self) -> io::Result<()>;
}

impl Sink for Output {
    fn complete(self) -> io::Result<()> {
        self.finish()
    }
}

impl<W: Write> Sink for BufWriter<W> {
    fn complete(mut self) -> io::Result<()> {
        self.flush()
    }
}

impl<W: Write> Sink for &mut W {
    fn complete(self) -> io::Result<()> {
        self.flush()
    }
}

/// What a finished capture has in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// Frames that begin in it.
    pub frames: u64,
    /// Packets.
    pub packets: u64,
    /// Bytes that packets refer to.
    pub data_bytes: u64,
    /// Bytes of those that were stored, not counting repetitions.
    pub unique_bytes: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Ranges that packets refer to but the arena did not have, or not the whole of them.
    pub missing: u64,
}

/// Writes a capture. Drive it with [`Writer::keyframe`] once, then [`Writer::batch`] for each batch, from the start of a
/// frame on.
pub struct Writer<W: Sink> {
    chunks: ChunkWriter<W>,
    raw: Vec<u8>,
    tag: Tag,
    /// Blob number and position by content.
    known: FxHashMap<u128, (u64, u64)>,
    blobs: u64,
    /// Bytes of blobs written: the clock of the window.
    written: u64,
    scratch: Gathered,
    /// When the frame began that the next batch begins.
    time: Option<Duration>,
    /// A keyframe that waits for the first batch's number.
    keyframe: Option<Vec<u64>>,
    index: Vec<(u64, u64)>,
    summary: Summary,
}

impl<W: Sink> std::fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("summary", &self.summary).finish_non_exhaustive()
    }
}

impl Writer<Output> {
    /// Starts a file. It is there, in place of one that was, once it is finished, and else not at all.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: &Path, info: &Info) -> Result<Self, CaptureError> {
        Self::new(Output::create(path).map_err(creating(path))?, info)
    }

    /// The same, but what was written stays under the name of [`afterimage_output::part_of`] if it is not finished.
    ///
    /// # Errors
    /// As [`Writer::create`].
    pub fn create_kept(path: &Path, info: &Info) -> Result<Self, CaptureError> {
        Self::new(Output::create_kept(path).map_err(creating(path))?, info)
    }
}

impl<W: Sink> Writer<W> {
    /// Starts a capture.
    ///
    /// # Errors
    /// The output cannot be written to; the same for all methods.
    pub fn new(out: W, info: &Info) -> Result<Self, CaptureError> {
        let mut chunks = ChunkWriter::new(out, info.stream_version)?;
        chunks.chunk(Tag::Info, &info.encode())?;
        Ok(Self {
            chunks,
            raw: Vec::new(),
            tag: Tag::Frames,
            known: FxHashMap::default(),
            blobs: 0,
            written: 0,
            scratch: Gathered::default(),
            time: None,
            keyframe: None,
            index: Vec::new(),
            summary: Summary::default(),
        })
    }

    /// The state before the first batch, from [`afterimage_stream::State::write`]. Its packets are numbered anew, so that
    /// the first batch follows them.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn keyframe(&mut self, words: &[u64], arena: &dyn Arena) -> Result<(), CaptureError> {
        self.tag = Tag::Keyframe;
        let mut one = std::mem::take(&mut self.scratch);
        // Packet by packet: a keyframe has more data than should be copied at once.
        for located in Reader::new(words).flatten() {
            one.fill(&words[located.at..located.at + usize::from(located.header.units)], arena);
            self.data(&one)?;
        }
        self.scratch = one;
        self.keyframe = Some(words.to_vec());
        Ok(())
    }

    /// When the frame began that the next batch begins, from the beginning of the capture on: so it can be replayed as fast as it
    /// was recorded.
    pub fn frame_at(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// A batch as the receiver got it, and the arena its packets refer to. A frame must begin at the start of a batch to
    /// be found by the index; split the words there.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn batch(&mut self, words: &[u64], arena: &dyn Arena) -> Result<(), CaptureError> {
        let mut batch = std::mem::take(&mut self.scratch);
        batch.fill(words, arena);
        batch.time = self.time.take();
        let result = self.gathered(&batch);
        self.scratch = batch;
        result
    }

    /// A batch whose data has been copied.
    pub(crate) fn gathered(&mut self, batch: &Gathered) -> Result<(), CaptureError> {
        let words = &batch.words[..];
        let Some(&first) = words.first() else { return Ok(()) };
        let header: Header = bytemuck::cast(first);
        if let Some(mut keyframe) = self.keyframe.take() {
            renumber(&mut keyframe, header.sequence);
            self.packets(&keyframe)?;
            self.close()?;
            self.tag = Tag::Frames;
        }
        if let Some(Ok(located)) = Reader::new(words).next()
            && let Packet::BeginFrame(body) = located.packet
        {
            self.close()?;
            self.index.push((body.frame, self.chunks.offset));
        }
        if let Some(time) = batch.time {
            let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
            self.record(TIME, &nanos.to_le_bytes())?;
        }
        self.data(batch)?;
        self.packets(words)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// As [`Writer::new`].
    pub fn finish(mut self) -> Result<Summary, CaptureError> {
        if let Some(keyframe) = self.keyframe.take() {
            self.packets(&keyframe)?;
        }
        self.close()?;
        let words: Vec<u64> = self.index.iter().flat_map(|&(frame, offset)| [frame, offset]).collect();
        for part in words.chunks(RAW_USUAL / 8) {
            self.chunks.chunk(Tag::Index, bytemuck::cast_slice(part))?;
        }
        self.chunks.chunk(Tag::End, &[])?;
        let summary = Summary { file_bytes: self.chunks.offset, ..self.summary };
        self.chunks.into_inner().complete().map_err(CaptureError::io("writing"))?;
        Ok(summary)
    }

    /// Stores what the packets refer to.
    fn data(&mut self, batch: &Gathered) -> Result<(), CaptureError> {
        for located in Reader::new(&batch.words).flatten() {
            self.summary.packets += 1;
            self.summary.frames += u64::from(matches!(located.packet, Packet::BeginFrame(_)));
        }
        for (range, bytes) in batch.ranges() {
            self.summary.missing += u64::from(bytes.len() < range.size as usize);
            self.range(range, bytes)?;
        }
        Ok(())
    }

    fn range(&mut self, range: UploadRef, bytes: &[u8]) -> Result<(), CaptureError> {
        let mut offset = range.offset;
        for piece in bytes.chunks(PIECE) {
            let blob = self.blob(piece)?;
            self.summary.data_bytes += piece.len() as u64;
            let mut payload = [0; 24];
            payload[..4].copy_from_slice(&range.slot.to_le_bytes());
            payload[4..8].copy_from_slice(&(piece.len() as u32).to_le_bytes());
            payload[8..16].copy_from_slice(&offset.to_le_bytes());
            payload[16..].copy_from_slice(&blob.to_le_bytes());
            self.record(PLACE, &payload)?;
            offset += piece.len() as u64;
        }
        Ok(())
    }

    /// The number of the blob with this content, stored now if it is not within reach.
    fn blob(&mut self, content: &[u8]) -> Result<u64, CaptureError> {
        let hash = xxh3_128(content);
        if let Some(&(blob, at)) = self.known.get(&hash)
            && self.written - at < WINDOW
        {
            return Ok(blob);
        }
        self.record(BLOB, content)?;
        let blob = self.blobs;
        self.known.insert(hash, (blob, self.written));
        self.blobs += 1;
        self.written += clock(content.len());
        self.summary.unique_bytes += content.len() as u64;
        self.close_if_full()?;
        Ok(blob)
    }

    fn packets(&mut self, words: &[u64]) -> Result<(), CaptureError> {
        let mut rest = words;
        while !rest.is_empty() {
            let mut end = 0;
            while end < rest.len() {
                let units = usize::from(bytemuck::cast::<u64, Header>(rest[end]).units).max(1);
                if end > 0 && end + units > PACKET_WORDS {
                    break;
                }
                end = (end + units).min(rest.len());
            }
            let (part, after) = rest.split_at(end);
            self.record(PACKETS, bytemuck::cast_slice(part))?;
            rest = after;
        }
        Ok(())
    }

    fn record(&mut self, kind: u32, payload: &[u8]) -> Result<(), CaptureError> {
        if self.raw.len() + RECORD_HEADER + payload.len() + 8 > RAW_LIMIT {
            self.close()?;
        }
        if self.raw.is_empty() {
            let position: [u64; 2] = [self.blobs, self.written];
            put(&mut self.raw, POSITION, bytemuck::bytes_of(&position));
        }
        put(&mut self.raw, kind, payload);
        // A blob is counted first.
        if kind == BLOB { Ok(()) } else { self.close_if_full() }
    }

    fn close_if_full(&mut self) -> Result<(), CaptureError> {
        if self.raw.len() >= RAW_USUAL { self.close() } else { Ok(()) }
    }

    fn close(&mut self) -> Result<(), CaptureError> {
        if self.raw.is_empty() {
            return Ok(());
        }
        let raw = std::mem::take(&mut self.raw);
        self.chunks.chunk(self.tag, &raw)?;
        self.raw = raw;
        self.raw.clear();
        Ok(())
    }
}

fn creating(path: &Path) -> impl FnOnce(io::Error) -> CaptureError {
    CaptureError::io(format!("creating {}", path.display()))
}

/// Adds a record.
fn put(raw: &mut Vec<u8>, kind: u32, payload: &[u8]) {
    raw.extend(kind.to_le_bytes());
    raw.extend((payload.len() as u32).to_le_bytes());
    raw.extend_from_slice(payload);
    raw.resize(raw.len().next_multiple_of(8), 0);
}
