//! Reading a capture.

use crate::arena::ReplayArena;
use crate::blob::{Account, Blob, Held, Packed};
use crate::chunk::{ChunkReader, ChunkWriter, Place, RAW_LIMIT, Tag, field, long};
use crate::uses::Uses;
use crate::{CaptureError, Info, Limits, Sizes};
use afterimage_stream::packets::{Init, Kind};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Record: bytes that packets refer to. Blobs are numbered from 0 in the order of the file.
pub(crate) const BLOB: u32 = 1;
/// Record: where a blob was in the arena: `u32` slot, `u32` size, `u64` offset, `u64` blob.
pub(crate) const PLACE: u32 = 2;
/// Record: packets.
pub(crate) const PACKETS: u32 = 3;
/// Record, the first of each chunk: `u64` number of the next blob, `u64` clock of the window.
pub(crate) const POSITION: u32 = 4;
/// Record: `u64` nanoseconds since the capture began, when the frame began whose packets follow.
pub(crate) const TIME: u32 = 5;
pub(crate) const RECORD_HEADER: usize = 8;

/// A blob can be placed while fewer bytes of blobs than this came after it: so a reader of a capture of any length needs
/// no more memory than this.
pub(crate) const WINDOW: u64 = 1 << 30;

/// The place of a record in the file, to be compared with others: chunks have at most 2^25 bytes, and records are aligned to 8.
pub(crate) fn moment(chunk: u64, record: usize) -> u64 {
    chunk << 22 | record as u64 >> 3
}

/// How much a blob counts in the window: an empty one is not free either.
pub(crate) fn clock(bytes: usize) -> u64 {
    bytes.max(64) as u64
}

/// A batch of packets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Whether it belongs to the keyframe.
    pub keyframe: bool,
    /// The packets.
    pub words: Vec<u64>,
}

/// Where the frames are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Index {
    /// Frame number and byte offset of its first chunk.
    pub frames: Vec<(u64, u64)>,
}

/// Reads a capture from its start to its end, or up to its damage.
pub struct Reader<R> {
    chunks: ChunkReader<R>,
    info: Info,
    raw: Vec<u8>,
    at: usize,
    tag: Tag,
    place: Place,
    /// Those within reach, by number: clock behind it, bytes.
    blobs: BTreeMap<u64, (u64, Blob)>,
    /// When blobs are placed for the last time, if that is known.
    uses: Option<Arc<Uses>>,
    next_blob: u64,
    written: u64,
    account: Arc<Account>,
    /// The present chunk as the file has it, once some of its data is held so.
    packed: Option<Arc<Packed>>,
    limits: Limits,
    arena: ReplayArena,
    index: Index,
    sizes: Sizes,
    time: Option<Duration>,
    complete: bool,
    /// Damage of the start that is told first.
    damage: Option<CaptureError>,
    /// Whether something has been left out.
    damaged: bool,
}

impl<R> std::fmt::Debug for Reader<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("info", &self.info).field("place", &self.place).finish_non_exhaustive()
    }
}

impl Reader<BufReader<File>> {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be opened, is no capture, or one of another version.
    pub fn open(path: &Path) -> Result<Self, CaptureError> {
        let file = File::open(path).map_err(CaptureError::io(format!("opening {}", path.display())))?;
        Self::new(BufReader::new(file))
    }
}

impl<R: Read> Reader<R> {
    /// Starts to read.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub fn new(input: R) -> Result<Self, CaptureError> {
        let (mut chunks, packets, mut damage) = ChunkReader::new(input)?;
        Info::check(packets)?;
        let mut raw = Vec::new();
        let unknown = Info { stream_version: packets, build: String::new(), ..Info::default() };
        let (info, first) = match chunks.next(&mut raw) {
            Ok(Some((Tag::Info, place))) => match Info::decode(packets, &raw) {
                Ok(info) => (info, None),
                Err(field) => return Err(place.error(field, "missing, or longer than allowed")),
            },
            Ok(Some((tag, place))) => return Err(place.error("tag", format!("{tag:?} where Info has to come first"))),
            Ok(None) => return Err(CaptureError::Truncated { chunk: 0, offset: 24 }),
            Err(error @ (CaptureError::Io { .. } | CaptureError::Truncated { .. })) => return Err(error),
            Err(error) => (unknown, Some(error)),
        };
        damage = damage.or(first);
        let mut sizes = Sizes::default();
        sizes.chunk(Tag::Info, chunks.stored, raw.len());
        Ok(Self {
            chunks,
            info,
            raw: Vec::new(),
            at: 0,
            tag: Tag::Info,
            place: Place::default(),
            blobs: BTreeMap::new(),
            uses: None,
            next_blob: 0,
            written: 0,
            account: Arc::default(),
            packed: None,
            limits: Limits::DEFAULT,
            arena: ReplayArena::default(),
            index: Index::default(),
            sizes,
            time: None,
            complete: false,
            damaged: damage.is_some(),
            damage,
        })
    }

    /// What the capture says about itself.
    #[must_use]
    pub fn info(&self) -> &Info {
        &self.info
    }

    /// Lets go of blobs when they have been placed for the last time: `uses` is of the same capture. Without it a reader keeps all that
    /// are within reach, up to 1 GiB.
    #[must_use]
    pub fn with_uses(self, uses: Arc<Uses>) -> Self {
        Self { uses: Some(uses), ..self }
    }

    /// Reads within other limits.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { chunks: self.chunks.limited(limits), arena: ReplayArena::new(limits.pieces), limits, ..self }
    }

    /// Bytes of memory that hold data, what lies in the arena included.
    #[must_use]
    pub fn held(&self) -> u64 {
        self.account.held() + self.account.packed()
    }

    /// Bytes of blobs that are kept, to be placed again.
    #[must_use]
    pub fn kept(&self) -> usize {
        self.blobs.values().map(|(_, blob)| blob.len()).sum()
    }

    /// What the packets of the last batch refer to.
    #[must_use]
    pub fn arena(&self) -> &ReplayArena {
        &self.arena
    }

    /// When the frame of the last batch began where the capture was made, from the capture's beginning on. `None` where it does not
    /// say. Times of a damaged file may go back.
    #[must_use]
    pub fn time(&self) -> Option<Duration> {
        self.time
    }

    /// The frame index, complete once [`Reader::next`] has answered `None`.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How large the parts are that have been read.
    #[must_use]
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }

    /// The next batch; `None` at the end.
    ///
    /// # Errors
    /// Where and what the damage is. Everything before it was good. The next call goes on behind it, with what can still
    /// be read: packets may be missing then, and packets may refer to data that the arena does not have.
    #[allow(clippy::should_implement_trait, reason = "an iterator could not lend the arena between the steps")]
    pub fn next(&mut self) -> Result<Option<Batch>, CaptureError> {
        if let Some(damage) = self.damage.take() {
            return Err(damage);
        }
        let result = self.step();
        if result.is_err() {
            self.damaged = true;
            self.raw.clear();
        }
        result
    }

    fn step(&mut self) -> Result<Option<Batch>, CaptureError> {
        loop {
            while self.at < self.raw.len() {
                if let Some(batch) = self.record()? {
                    return Ok(Some(batch));
                }
            }
            self.at = 0;
            self.packed = None;
            if self.complete {
                return Ok(None);
            }
            let chunk = self.chunks.next(&mut self.raw)?;
            if let Some((tag, _)) = chunk {
                self.sizes.chunk(tag, self.chunks.stored, self.raw.len());
            }
            match chunk {
                Some((tag @ (Tag::Frames | Tag::Keyframe), place)) => (self.tag, self.place) = (tag, place),
                Some((Tag::Index, place)) => {
                    if !self.raw.len().is_multiple_of(16) {
                        return Err(place.error("index", "not a whole number of entries"));
                    }
                    let most = self.limits.frames;
                    if self.index.frames.len() + self.raw.len() / 16 > most {
                        return Err(place.limit("frames of the index", most as u64, "the rest are found by reading"));
                    }
                    let entries = self.raw.chunks_exact(16).map(|entry| (long(entry, 0), long(entry, 8)));
                    self.index.frames.extend(entries);
                    self.raw.clear();
                }
                Some((Tag::End, _)) => {
                    self.complete = true;
                    self.raw.clear();
                    return Ok(None);
                }
                Some((Tag::Info, place)) => return Err(place.error("tag", "a second Info")),
                None => {
                    self.complete = true;
                    let Place { chunk, offset } = self.place;
                    // What was told already says enough.
                    return if self.damaged { Ok(None) } else { Err(CaptureError::Truncated { chunk, offset }) };
                }
            }
        }
    }

    /// Reads the record at the current place; a batch if it is packets.
    fn record(&mut self) -> Result<Option<Batch>, CaptureError> {
        let record = self.at;
        let Place { chunk, offset } = self.place;
        let error = |field, cause: String| CaptureError::Record { chunk, offset, record, field, cause };
        let length = field(&self.raw, record + 4) as usize;
        let start = record + RECORD_HEADER;
        let Some(payload) = self.raw.get(start..).and_then(|rest| rest.get(..length)) else {
            return Err(error("length", format!("{length} bytes, but the chunk ends before")));
        };
        self.at = (start + length).next_multiple_of(8);
        match field(&self.raw, record) {
            BLOB => {
                self.sizes.blobs += 1;
                self.sizes.blob_bytes += length as u64;
                self.written = self.written.saturating_add(clock(length));
                let number = self.next_blob;
                self.next_blob = number.saturating_add(1);
                if self.uses.as_ref().is_none_or(|uses| uses.after(number, moment(chunk, record))) {
                    let blob = self.hold(start, length)?;
                    self.blobs.insert(number, (self.written, blob));
                }
                self.forget();
                Ok(None)
            }
            POSITION => {
                if length != 16 {
                    return Err(error("length", format!("{length} bytes, expected 16")));
                }
                let (blob, clock) = (long(payload, 0), long(payload, 8));
                // Blobs are missing where chunks are; and only there.
                if (blob, clock) != (self.next_blob, self.written) {
                    if !self.damaged || blob < self.next_blob || clock < self.written {
                        let have = (self.next_blob, self.written);
                        return Err(error(
                            "position",
                            format!("{blob}, {clock}, but {}, {} was reached", have.0, have.1),
                        ));
                    }
                    (self.next_blob, self.written) = (blob, clock);
                    self.forget();
                }
                Ok(None)
            }
            PLACE => {
                if length != 24 {
                    return Err(error("length", format!("{length} bytes, expected 24")));
                }
                let (slot, size) = (field(payload, 0), field(payload, 4));
                let (position, number) = (long(payload, 8), long(payload, 16));
                let last = self.uses.as_ref().is_some_and(|uses| !uses.after(number, moment(chunk, record)));
                let found = if last { self.blobs.remove(&number) } else { self.blobs.get(&number).cloned() };
                let Some((_, blob)) = found else {
                    if self.damaged && number < self.next_blob {
                        // Lost with its chunk; what lay there before must not be taken for it.
                        self.arena.cut(slot, position..position.saturating_add(size.into()));
                        return Ok(None);
                    }
                    let first = self.blobs.keys().next().copied().unwrap_or(self.next_blob);
                    return Err(error("blob", format!("{number} is not one of {first} to {}", self.next_blob)));
                };
                if blob.len() != size as usize {
                    return Err(error("size", format!("{size} bytes, the blob has {}", blob.len())));
                }
                self.sizes.places += 1;
                self.sizes.placed_bytes += u64::from(size);
                if self.arena.is_full() {
                    let most = self.limits.pieces as u64;
                    return Err(self.place.limit("pieces of data in a frame", most, "no program's frame has as many"));
                }
                if !self.arena.place(slot, position, blob) {
                    return Err(error("slot", format!("no place for {size} bytes at {position} of slot {slot}")));
                }
                Ok(None)
            }
            TIME => {
                if length != 8 {
                    return Err(error("length", format!("{length} bytes, expected 8")));
                }
                self.time = Some(Duration::from_nanos(long(payload, 0)));
                Ok(None)
            }
            PACKETS => {
                if !length.is_multiple_of(8) {
                    return Err(error("length", format!("{length} bytes are not whole words")));
                }
                self.sizes.packet_bytes += length as u64;
                let mut words = Vec::new();
                let room = words.try_reserve_exact(length / 8);
                room.map_err(|_| CaptureError::Memory { chunk, offset, bytes: length })?;
                words.extend(payload.chunks_exact(8).map(|word| long(word, 0)));
                let presents = |located: &afterimage_stream::Located<'_>| located.packet.kind() == Kind::Present;
                if afterimage_stream::Reader::new(&words).flatten().any(|located| presents(&located)) {
                    self.arena.end_frame();
                }
                Ok(Some(Batch { keyframe: self.tag == Tag::Keyframe, words }))
            }
            other => Err(error("kind", format!("unknown: {other}"))),
        }
    }
}

impl<R: Read> Reader<R> {
    /// Holds a piece of data of the present chunk: as it is, or in its chunk.
    fn hold(&mut self, first: usize, bytes: usize) -> Result<Blob, CaptureError> {
        let Limits { held, packed, blobs, .. } = self.limits;
        if self.blobs.len() >= blobs {
            let advice = match self.uses {
                Some(_) => "no program's capture has as many",
                None => "read it as a file, of which only what comes again is kept",
            };
            return Err(self.place.limit("pieces of data to be placed again", blobs as u64, advice));
        }
        let data = self.raw.get(first..).and_then(|rest| rest.get(..bytes)).unwrap_or_default();
        if self.account.held() + bytes as u64 <= held {
            let mut own = Vec::new();
            self.place.reserve(&mut own, bytes)?;
            own.extend_from_slice(data);
            return Ok(Blob::Held(Held::new(own.into_boxed_slice(), &self.account)));
        }
        let chunk = match &self.packed {
            Some(chunk) => Arc::clone(chunk),
            None => {
                let (content, is_packed) = self.chunks.content();
                if self.account.packed() + content.len() as u64 > packed {
                    let advice = "capture it again where less is loaded";
                    return Err(self.place.limit("bytes of compressed data", packed, advice));
                }
                let mut stored = Vec::new();
                self.place.reserve(&mut stored, content.len())?;
                stored.extend_from_slice(content);
                let raw = is_packed.then_some(self.raw.len());
                let chunk = Packed::new(stored.into_boxed_slice(), raw, &self.account);
                Arc::clone(self.packed.insert(chunk))
            }
        };
        Ok(Blob::Packed { chunk, first, bytes })
    }
}

impl<R> Reader<R> {
    /// Lets go of blobs that cannot be placed any more.
    fn forget(&mut self) {
        while let Some(first) = self.blobs.first_entry() {
            if self.written.saturating_sub(first.get().0) < WINDOW {
                break;
            }
            first.remove();
        }
    }
}

/// Reads arbitrary bytes as a capture, and what they refer to, the way a replay does; then as the content of one chunk,
/// since nothing random gets past the check sums. For fuzzing: never panics, and needs no more memory than the window
/// and a chunk. Returns the number of packets found, which does not depend on [`Uses`], nor does the data.
pub fn fuzz(bytes: &[u8]) -> usize {
    let mut wrapped = Vec::new();
    let content = &bytes[..bytes.len().min(RAW_LIMIT)];
    let both = |bytes: &[u8]| {
        let (all, needed) = (replay(bytes, None), replay(bytes, Uses::of(bytes).ok()));
        assert_eq!(all, needed, "what is let go of is not needed");
        all.0
    };
    let written = ChunkWriter::new(&mut wrapped, Init::VERSION).and_then(|mut chunks| {
        chunks.chunk(Tag::Info, &Info::default().encode())?;
        chunks.chunk(Tag::Frames, content)
    });
    debug_assert!(written.is_ok(), "memory can be written to");
    both(bytes) + both(&wrapped)
}

/// Packets, and how much of their data is there.
fn replay(bytes: &[u8], uses: Option<Uses>) -> (usize, usize) {
    use afterimage_stream::{Arena, UploadRef, packets::Packet};
    let Ok(mut reader) = Reader::new(bytes) else { return (0, 0) };
    if let Some(uses) = uses {
        reader = reader.with_uses(Arc::new(uses));
    }
    let (mut packets, mut found) = (0, 0);
    loop {
        let batch = match reader.next() {
            Ok(Some(batch)) => batch,
            Ok(None) => return (packets, found),
            Err(_) => continue,
        };
        for located in afterimage_stream::Reader::new(&batch.words).flatten() {
            packets += 1;
            let data = match located.packet {
                Packet::UpdateBuffer(body) => body.data,
                Packet::UpdateTexture(body) => body.data,
                _ => UploadRef::default(),
            };
            let mut out = vec![0; data.size.min(4096) as usize];
            found += usize::from(reader.arena().copy_out(&data, 0, &mut out));
        }
    }
}

const _: () = assert!(RAW_LIMIT < u32::MAX as usize);
