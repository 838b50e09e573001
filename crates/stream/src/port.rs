//! A guest's end of the link: batches, frames, ids, replies, loss and return of the receiver. What every guest does in the
//! same way with its [`Link`], whatever its own commands are.

use crate::black_box::Recorder;
use crate::packets::{BeginFrame, Body, CreateQuery, Destroy, EndQuery, Init, Name, Present, QueryKind, TailBody};
use crate::{DeviceInfo, Encoder, IdAllocator, Link, LinkError, ObjectId, ObjectKind, Reply, State, UploadRef};
use rustc_hash::FxHashMap;
use std::path::Path;

/// A batch is handed over once it has this many words: 24 KiB stay in the first-level cache of both sides.
const BATCH_WORDS: usize = 3 * 1024;
/// Each time so many words have come together, a receiver that has nothing to do gets them: with full batches only, it
/// would begin a frame 10 to 40 us later (H200's host).
const EARLY_WORDS: usize = 512;

/// Bytes of uploads that are worth handing over: the receiver copies them while the program writes the next ones.
const EARLY_BYTES: u64 = 2 << 20;
/// Vertices and indices of draws from the guest's memory share chunks of this size, so that a run of such draws binds once.
const CHUNK: u32 = 64 * 1024;

/// Why a guest did not get what it asked its [`Port`] for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// The receiver is gone, or the upload arena is full.
    #[error(transparent)]
    Link(#[from] LinkError),
    /// Every serial of the kind is in use.
    #[error("no {0:?} id is free: there are {max} at most", max = ObjectId::MAX_SERIAL)]
    Ids(ObjectKind),
    /// An upload has more bytes than an [`UploadRef`] can say.
    #[error("upload of {0} bytes: 4 GiB and more cannot be sent in one piece")]
    TooLarge(usize),
    /// A token that [`Port::token`] did not give, or that has been answered or forgotten.
    #[error("nobody will answer token {0}")]
    Token(u64),
}

/// Upload memory that several draws share.
#[derive(Clone, Copy, Debug, Default)]
struct Chunk {
    range: UploadRef,
    used: u32,
}

impl Chunk {
    /// What is left of it. A receiver copies a chunk when it gets the batch that names it, so what is written after that
    /// must have another name.
    fn rest(self) -> Self {
        let used = self.used.next_multiple_of(16).min(self.range.size);
        let range =
            UploadRef { offset: self.range.offset + u64::from(used), size: self.range.size - used, ..self.range };
        Self { range, used: 0 }
    }
}

/// A guest's end of a [`Link`]. One port is one stream: it introduces itself with [`Init`], keeps a frame open at all
/// times, and starts anew when a receiver that was lost has come back.
pub struct Port {
    link: Box<dyn Link>,
    encoder: Encoder,
    ids: IdAllocator,
    /// The frame that is open.
    frame: u64,
    /// The last frame that the receiver is done with.
    completed: u64,
    epoch: u32,
    lost: bool,
    /// Whether a part of the open frame went to a receiver that is gone.
    incomplete: bool,
    guest: u32,
    name: String,
    next_token: u64,
    /// Answers by token; `None` while one is awaited. Tokens that nobody awaits are dropped.
    answers: FxHashMap<u64, Option<u64>>,
    /// A packet that may be rejected: its sequence number, and whether it was.
    asked: Option<(u32, bool)>,
    /// Sequence of the last flush, to know whether an answer can come without another one.
    unsent_token: u64,
    /// Words of the batch at which [`Port::flush_if_due`] next does something.
    flush_at: usize,
    vertex_chunk: Chunk,
    index_chunk: Chunk,
    /// Bytes uploaded in the open frame, and how many it should have at most.
    uploaded: u64,
    frame_bytes: u64,
    /// What `uploaded` was when a batch was last handed over.
    uploaded_before: u64,
    /// Whether a chunk has been given out for a draw that has not come yet.
    draw_to_come: bool,
    recorder: Recorder,
}

impl Port {
    /// Begins a stream: [`Init`] with the guest's number (see [`Init::guest`]) and the program's name, of which the first 200
    /// characters are sent, and the first frame, which is number 1.
    #[must_use]
    pub fn new(mut link: Box<dyn Link>, guest: u32, name: &str) -> Self {
        let epoch = link.epoch();
        let mut port = Self {
            frame_bytes: link.frame_bytes(),
            link,
            encoder: Encoder::new(),
            ids: IdAllocator::default(),
            frame: 1,
            completed: 0,
            epoch,
            lost: false,
            incomplete: false,
            guest,
            name: name.chars().take(200).collect(),
            next_token: 1,
            answers: FxHashMap::default(),
            asked: None,
            unsent_token: 0,
            flush_at: EARLY_WORDS,
            vertex_chunk: Chunk::default(),
            index_chunk: Chunk::default(),
            uploaded: 0,
            uploaded_before: 0,
            draw_to_come: false,
            recorder: Recorder::new(),
        };
        port.record_open();
        port.recorder.frame(1);
        port.introduce();
        port
    }

    fn introduce(&mut self) {
        let init = Init {
            version: Init::VERSION,
            count: self.name.len() as u32,
            process: std::process::id(),
            guest: self.guest,
        };
        self.encoder.push_tail(&init, self.name.as_bytes());
        self.encoder.push(&BeginFrame { frame: self.frame });
    }

    /// Appends a packet.
    #[inline(always)]
    pub fn push<P: Body>(&mut self, packet: &P) {
        self.encoder.push(packet);
    }

    /// Appends a packet with a tail.
    #[inline(always)]
    pub fn push_tail<P: TailBody>(&mut self, packet: &P, tail: &[P::Tail]) {
        self.encoder.push_tail(packet, tail);
    }

    /// Names an object, which a capture that begins at any time later has. Of long names the beginning is sent.
    pub fn name(&mut self, id: ObjectId, name: &str) {
        if !id.is_none() {
            let name = &name.as_bytes()[..name.floor_char_boundary(State::LONGEST_NAME)];
            self.encoder.push_tail(&Name { id, count: name.len() as u32 }, name);
        }
    }

    /// Appends a packet unless the receiver has the same already; `sent` is what it has. True if it was appended.
    #[inline(always)]
    pub fn put<P: Body + PartialEq>(&mut self, sent: &mut Option<P>, packet: P) -> bool {
        let differs = sent.as_ref() != Some(&packet);
        if differs {
            self.encoder.push(&packet);
            *sent = Some(packet);
        }
        differs
    }

    /// As [`Port::put`], of a packet with a tail that is empty.
    #[inline(always)]
    pub fn put_without_tail<P: TailBody + PartialEq>(&mut self, sent: &mut Option<P>, packet: P) -> bool {
        let differs = sent.as_ref() != Some(&packet);
        if differs {
            self.encoder.push_tail(&packet, &[]);
            *sent = Some(packet);
        }
        differs
    }

    /// To be called behind each draw: hands the batch over once it is large enough, or the receiver has nothing else to do, and
    /// ends the frame without a picture where its draws have taken much upload memory.
    #[inline]
    pub fn flush_if_due(&mut self) {
        self.draw_to_come = false;
        if self.encoder.len() >= self.flush_at {
            self.flush_due();
        }
    }

    #[cold]
    fn flush_due(&mut self) {
        if self.uploaded > self.frame_bytes {
            self.end_without_picture();
        } else if self.encoder.len() >= BATCH_WORDS || self.link.is_idle() {
            self.flush();
        } else {
            self.flush_at = (self.encoder.len() + EARLY_WORDS).min(BATCH_WORDS);
        }
        self.encoder.make_room(EARLY_WORDS + EARLY_WORDS / 4);
    }

    /// Hands the batch over. While the receiver is gone, drops it: [`Port::returned`] starts anew.
    #[cold]
    pub fn flush(&mut self) {
        if !self.lost && self.link.epoch() != self.epoch {
            self.lose();
        }
        if self.lost {
            self.encoder.batch().clear();
            return;
        }
        self.unsent_token = self.next_token;
        self.flush_at = EARLY_WORDS;
        self.uploaded_before = self.uploaded;
        self.vertex_chunk = self.vertex_chunk.rest();
        self.index_chunk = self.index_chunk.rest();
        let last = self.encoder.sequence();
        self.recorder.sent(self.encoder.batch(), last);
        if let Err(error) = self.link.submit(self.encoder.batch()) {
            tracing::warn!(%error, frame = self.frame, "command stream");
            self.lose();
        }
        self.record_open();
    }

    /// Notes where the next batch is written, which shall not move while it is.
    fn record_open(&mut self) {
        let first = self.encoder.sequence().wrapping_add(1);
        let batch = self.encoder.batch();
        batch.reserve(BATCH_WORDS + BATCH_WORDS / 4);
        self.recorder.open(batch, first);
    }

    fn lose(&mut self) {
        if !self.lost {
            tracing::warn!(frame = self.frame, "device lost: drawing stops until there is a receiver again");
        }
        self.lost = true;
        self.encoder.batch().clear();
        for answer in self.answers.values_mut() {
            // Nobody will answer: an event counts as reached, and nothing was visible.
            answer.get_or_insert(0);
        }
    }

    /// Whether the receiver is gone.
    #[must_use]
    #[inline]
    pub fn is_lost(&self) -> bool {
        self.lost
    }

    /// Notes that a receiver came back in the middle of the frame, whose picture lacks what came before.
    pub fn mark_incomplete(&mut self) {
        self.incomplete = true;
    }

    /// True once after [`Port::mark_incomplete`].
    pub fn take_incomplete(&mut self) -> bool {
        std::mem::take(&mut self.incomplete)
    }

    /// True once when a new receiver has come: the stream has been started anew, and everything has to be sent again.
    pub fn returned(&mut self) -> bool {
        let epoch = self.link.epoch();
        if epoch == self.epoch {
            return false;
        }
        if !self.lost {
            self.lose();
        }
        tracing::info!(frame = self.frame, "receiver is back: sending everything again");
        self.epoch = epoch;
        self.lost = false;
        self.frame_bytes = self.link.frame_bytes();
        self.completed = self.frame - 1;
        self.encoder.restart();
        self.record_open();
        self.vertex_chunk = Chunk::default();
        self.index_chunk = Chunk::default();
        // What the lost receiver still held, it holds no more.
        self.ids.completed(u64::MAX);
        self.introduce();
        true
    }

    /// A new id.
    ///
    /// # Errors
    /// [`PortError::Ids`] when every id of the kind is in use.
    pub fn allocate(&mut self, kind: ObjectKind) -> Result<ObjectId, PortError> {
        self.ids.allocate(kind).ok_or(PortError::Ids(kind))
    }

    /// Destroys an object, if it is one. Its id is free again when this frame is done.
    pub fn destroy(&mut self, id: ObjectId) {
        if !id.is_none() {
            self.encoder.push(&Destroy { id, pad: 0 });
            self.ids.free(id, self.frame);
        }
    }

    /// Frees an id that no receiver knows any more.
    pub fn recycle(&mut self, id: ObjectId) {
        self.ids.free(id, 0);
    }

    /// The number of the frame that is open.
    #[must_use]
    #[inline]
    pub fn frame(&self) -> u64 {
        self.frame
    }

    /// Ends the frame whose present was just pushed, and begins the next.
    pub fn end_frame(&mut self) {
        self.flush();
        if !self.lost
            && let Err(error) = self.link.end_frame(self.frame)
        {
            tracing::warn!(%error, frame = self.frame, "end of frame");
            self.lose();
        }
        self.poll();
        self.frame += 1;
        (self.uploaded, self.uploaded_before) = (0, 0);
        self.recorder.frame(self.frame);
        self.vertex_chunk = Chunk::default();
        self.index_chunk = Chunk::default();
        self.encoder.push(&BeginFrame { frame: self.frame });
    }

    /// Ends the frame where a program uploads much before it shows something, so that the receiver takes what there is and the
    /// memory can be used again.
    #[cold]
    fn end_without_picture(&mut self) {
        tracing::debug!(frame = self.frame, bytes = self.uploaded, "a frame ends without a picture");
        self.encoder.push(&Present::nothing(self.frame));
        self.end_frame();
    }

    /// Frames that have ended, but that the receiver is not done with. None while it is gone.
    pub fn frames_ahead(&mut self) -> u64 {
        self.poll();
        if self.lost { 0 } else { (self.frame - 1).saturating_sub(self.completed) }
    }

    /// Waits until the receiver is at most so many frames behind.
    pub fn wait_for_frames(&mut self, most: u64) {
        while self.frames_ahead() > most {
            match self.link.wait() {
                Ok(reply) => self.answer(reply),
                Err(_) => self.lose(),
            }
        }
    }

    fn answer(&mut self, reply: Reply) {
        match reply {
            Reply::FrameDone { frame } => {
                self.completed = self.completed.max(frame);
                self.ids.completed(frame);
            }
            Reply::Query { token, value, .. } => {
                if let Some(answer) = self.answers.get_mut(&token) {
                    *answer = Some(value);
                }
            }
            Reply::ReadBack { token, ok } => {
                if let Some(answer) = self.answers.get_mut(&token) {
                    *answer = Some(u64::from(ok));
                }
            }
            Reply::Error { sequence } if self.asked.is_some_and(|(asked, _)| asked == sequence) => {
                self.asked = Some((sequence, true));
            }
            Reply::Error { sequence } => {
                tracing::error!(sequence, frame = self.frame, "the receiver rejected a packet; its log says why");
            }
        }
    }

    /// Takes what the receiver has said.
    pub fn poll(&mut self) {
        while let Some(reply) = self.link.poll() {
            self.answer(reply);
        }
    }

    /// A token whose answer will be kept.
    pub fn token(&mut self) -> u64 {
        let token = self.next_token;
        self.next_token += 1;
        let none = if self.lost { Some(0) } else { None };
        self.answers.insert(token, none);
        token
    }

    /// The answer for a token is not wanted any more.
    pub fn forget(&mut self, token: u64) {
        self.answers.remove(&token);
    }

    /// The answer for a token, if it has come. A packet that was not handed over yet is, as nothing else might do it.
    pub fn answered(&mut self, token: u64) -> Option<u64> {
        self.poll();
        let answer = *self.answers.get(&token)?;
        if answer.is_none() && token >= self.unsent_token {
            self.flush();
        }
        answer
    }

    /// Waits for the answer of a token, and forgets it.
    ///
    /// # Errors
    /// [`PortError::Link`] when the receiver is gone, [`PortError::Token`] if nobody will answer.
    pub fn wait(&mut self, token: u64) -> Result<u64, PortError> {
        self.flush();
        loop {
            self.poll();
            match self.answers.get(&token) {
                _ if self.lost => break,
                Some(&Some(value)) => {
                    self.forget(token);
                    return Ok(value);
                }
                Some(None) => {}
                None => return Err(PortError::Token(token)),
            }
            match self.link.wait() {
                Ok(reply) => self.answer(reply),
                Err(_) => self.lose(),
            }
        }
        self.forget(token);
        Err(LinkError::Lost.into())
    }

    /// Whether the receiver did what the packet that was pushed last asks for. Waits for it.
    ///
    /// # Errors
    /// Those of [`Port::allocate`] and [`Port::wait`].
    pub fn accepted(&mut self) -> Result<bool, PortError> {
        let id = self.allocate(ObjectKind::Query)?;
        self.asked = Some((self.encoder.sequence(), false));
        let token = self.token();
        self.push(&CreateQuery { id, kind: QueryKind::Event as u32 });
        self.push(&EndQuery { id, pad: 0, token });
        let answer = self.wait(token);
        self.destroy(id);
        let rejected = self.asked.take().is_some_and(|(_, rejected)| rejected);
        answer.map(|_| !rejected)
    }

    /// Upload memory of this frame, aligned to `align` (a power of two). It is gone with the frame, which the next call may
    /// end where there is much: whoever gets it pushes the packet that names it before that.
    ///
    /// # Errors
    /// [`PortError::Link`] when the arena is full, which is logged here, or the receiver is gone, which is remembered.
    pub fn upload(&mut self, size: u32, align: u32) -> Result<UploadRef, PortError> {
        let may_end = !self.draw_to_come && self.uploaded > 0;
        if may_end && self.uploaded.saturating_add(size.into()) > self.frame_bytes {
            self.end_without_picture();
        } else if may_end && self.uploaded - self.uploaded_before >= EARLY_BYTES {
            self.flush();
        }
        let mut range = self.alloc(size, align);
        if may_end && self.uploaded > 0 && matches!(range, Err(LinkError::ArenaFull { .. })) {
            self.end_without_picture();
            range = self.alloc(size, align);
        }
        range.map_err(|error| self.not_uploaded(error))
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        if self.lost {
            return Err(LinkError::Lost);
        }
        let range = self.link.alloc(size, align)?;
        self.uploaded += u64::from(size);
        Ok(range)
    }

    #[cold]
    fn not_uploaded(&mut self, error: LinkError) -> PortError {
        match error {
            LinkError::Lost => self.lose(),
            LinkError::ArenaFull { .. } => tracing::error!(%error, "upload dropped"),
        }
        error.into()
    }

    /// Copies bytes into upload memory.
    #[inline]
    pub fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        self.link.write(range, at, bytes);
    }

    /// Copies bytes out of upload memory, after a read back.
    pub fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]) {
        self.link.read(range, at, out);
    }

    /// Puts `bytes` into upload memory of their own.
    ///
    /// # Errors
    /// Those of [`Port::upload`], and [`PortError::TooLarge`].
    pub fn upload_bytes(&mut self, bytes: &[u8]) -> Result<UploadRef, PortError> {
        let size = u32::try_from(bytes.len()).map_err(|_| PortError::TooLarge(bytes.len()))?;
        let range = self.upload(size, 16)?;
        self.write(&range, 0, bytes);
        Ok(range)
    }

    /// Puts vertices or indices into a chunk of upload memory that consecutive draws share, at a multiple of `stride` (0
    /// counts as 1): the chunk, and which element of it the first one is.
    ///
    /// # Errors
    /// Those of [`Port::upload`], and [`PortError::TooLarge`].
    pub fn stream(&mut self, indices: bool, stride: u32, bytes: &[u8]) -> Result<(UploadRef, u32), PortError> {
        let size = u32::try_from(bytes.len()).map_err(|_| PortError::TooLarge(bytes.len()))?;
        let stride = stride.max(1);
        let chunk = if indices { self.index_chunk } else { self.vertex_chunk };
        let place = chunk.used.checked_next_multiple_of(stride).and_then(|at| Some((at, at.checked_add(size)?)));
        let (mut chunk, start) = match place {
            Some((start, end)) if end <= chunk.range.size => (chunk, start),
            _ => {
                // What else the draw has may lie in this frame, so the frame ends behind it at the earliest.
                let range = self.alloc(size.max(CHUNK), 16).map_err(|error| self.not_uploaded(error))?;
                if self.uploaded > self.frame_bytes {
                    self.flush_at = 0;
                }
                (Chunk { range, used: 0 }, 0)
            }
        };
        self.draw_to_come = true;
        self.link.write(&chunk.range, start, bytes);
        chunk.used = start + size;
        *(if indices { &mut self.index_chunk } else { &mut self.vertex_chunk }) = chunk;
        Ok((chunk.range, start / stride))
    }

    /// Asks the receiver for a capture: [`Link::capture_frames`].
    pub fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.link.capture_frames(path, frames)
    }

    /// What the receiving device can do.
    #[must_use]
    pub fn device(&self) -> &DeviceInfo {
        self.link.device()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_after_a_batch_has_another_name() {
        let range = UploadRef { slot: 1, size: 100, offset: 4096 };
        let rest = Chunk { range, used: 50 }.rest();
        assert_eq!((rest.range, rest.used), (UploadRef { slot: 1, size: 36, offset: 4160 }, 0));
        assert_eq!(Chunk { range, used: 0 }.rest().range, range);
        assert_eq!(Chunk { range, used: 100 }.rest().range.size, 0);
        assert_eq!(Chunk::default().rest().range, UploadRef::default());
    }
}
