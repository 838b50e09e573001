//! The guest's end of a shared file.

use super::directory::{self, directory};
use super::ending;
use super::layout::{CONTROL_BYTES, Fixed, MAGIC, SlotEntry, VERSION, at, versions};
use super::lock::{self, Side};
use super::map;
use super::requests::Requests;
use super::ring::{BATCH_LIMIT, COMMANDS, Consumer, Producer, REPLIES, REPLY, batch_word, decode_reply};
use super::slots::{FileSlots, Slots};
use crate::arena::PROCESSOR_SLOT;
use crate::maker::Maker;
use crate::memory::{Region, SlotMemory};
use crate::{ArenaConfig, Outcome, Rotation};
use afterimage_stream::packets::Init;
use afterimage_stream::{DeviceFeatures, DeviceInfo, Link, LinkError, Reply, UploadRef, packets::Header};
use bytemuck::Zeroable;
use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How to make a link.
#[derive(Clone, Debug)]
pub struct Options {
    /// The directory; `None`: what [`directory()`] says.
    pub directory: Option<PathBuf>,
    /// Name of the program, shown by the viewer.
    pub program: String,
    /// How long to wait for a viewer.
    pub wait: Duration,
    /// Sizes of the upload arena.
    pub arena: ArenaConfig,
}

impl Default for Options {
    /// The program's own name, option `viewer_wait_ms`, the arena of [`ArenaConfig::from_env`].
    fn default() -> Self {
        let path = std::env::current_exe().unwrap_or_default();
        Self {
            directory: None,
            program: path.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned()),
            wait: Duration::from_millis(afterimage_config::settings().viewer_wait_ms.into()),
            arena: ArenaConfig::from_env(),
        }
    }
}

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No variable says where the directory is.
    #[error("no directory for the shared file: set {} to a private directory", directory::DIRECTORY_VARIABLE)]
    NoDirectory,
    /// A file operation failed.
    #[error("{what} {}: {source}", path.display())]
    File {
        /// What was tried.
        what: &'static str,
        /// On which file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// Nobody claimed the file.
    #[error(
        "no viewer came within {} ms: start `afterimage view` (with the same {} if that is set; looked in {}), or name the viewer's \
         program in option start_viewer, and it is started",
        wait.as_millis(), directory::DIRECTORY_VARIABLE, path.display()
    )]
    NoViewer {
        /// How long was waited.
        wait: Duration,
        /// The directory.
        path: PathBuf,
    },
    /// The viewer there is of another version.
    #[error(
        "the viewer reads version {layout} of the shared file and version {packets} of the packets, this library writes \
         {VERSION} and {}: use both of one build",
        Init::VERSION
    )]
    Version {
        /// Layout of the shared file that the viewer reads.
        layout: u32,
        /// Packets that it reads.
        packets: u32,
    },
}

/// The guest's end. Made by [`SharedLink::connect`].
pub struct SharedLink {
    file: File,
    path: PathBuf,
    control: Arc<SlotMemory>,
    commands: Producer,
    replies: Consumer,
    slots: Slots,
    maker: Maker,
    /// What was asked for of the arena, whose slots are smaller for some devices.
    sizes: ArenaConfig,
    arena: Rotation,
    epoch: u32,
    lost: bool,
    device: Box<DeviceInfo>,
    inbox: VecDeque<Reply>,
    scratch: Vec<u64>,
    /// Polls in vain since the viewer was last checked.
    vain_polls: u32,
    requests: Arc<Requests>,
}

impl std::fmt::Debug for SharedLink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SharedLink")
            .field("path", &self.path)
            .field("epoch", &self.epoch)
            .field("lost", &self.lost)
            .finish()
    }
}

impl SharedLink {
    /// Makes the shared file and waits for a viewer.
    ///
    /// # Errors
    /// The file cannot be made, or no viewer (of this version) came in time. The file is removed then.
    pub fn connect(options: &Options) -> Result<Self, ConnectError> {
        let directory = options.directory.clone().or_else(directory).ok_or(ConnectError::NoDirectory)?;
        let failed = |what, path: &PathBuf| {
            let path = path.clone();
            move |source| ConnectError::File { what, path, source }
        };
        directory::prepare(&directory).map_err(failed("preparing the directory", &directory))?;
        let path = directory.join(directory::file_name(&options.program));
        let file = directory::create(&path).map_err(failed("creating", &path))?;
        let made = (|| {
            map::extend(&file, 0, CONTROL_BYTES)?;
            lock::acquire(&file, Side::Guest)?;
            Ok((map::map(&file, 0, CONTROL_BYTES)?, FileSlots::new(&file)?))
        })();
        let (control, maker) = match made {
            Ok((control, factory)) => (Arc::new(control), Maker::new(Box::new(factory))),
            Err(source) => {
                drop(file);
                let _best_effort = std::fs::remove_file(&path);
                return Err(ConnectError::File { what: "setting up", path, source });
            }
        };
        let fixed = Fixed::new(&options.program);
        let written = control.region.write(0, bytemuck::bytes_of(&fixed));
        debug_assert!(written, "the header fits");
        control.region.store_u64(0, MAGIC);
        ending::watch(&control);
        let mut link = Self {
            file,
            path,
            requests: Arc::new(Requests::new(Arc::clone(&control))),
            control,
            commands: Producer::new(COMMANDS),
            replies: Consumer::new(REPLIES),
            slots: Slots::new(),
            maker,
            sizes: options.arena,
            arena: Rotation::new(options.arena),
            epoch: 0,
            lost: true,
            device: Box::default(),
            inbox: VecDeque::new(),
            scratch: Vec::new(),
            vain_polls: 0,
        };
        link.wait_for_viewer(options.wait, directory)?;
        Ok(link)
    }

    fn wait_for_viewer(&mut self, wait: Duration, path: PathBuf) -> Result<(), ConnectError> {
        let start = Instant::now();
        let mut told = false;
        while self.epoch() == 0 {
            let refused = self.region().load_u32(at::REFUSED);
            if refused != 0 {
                let (layout, packets) = versions(refused);
                return Err(ConnectError::Version { layout, packets });
            }
            if start.elapsed() >= wait {
                return Err(ConnectError::NoViewer { wait, path });
            }
            if !told && start.elapsed() > Duration::from_millis(500) {
                tracing::info!(directory = %path.display(), "waiting for a viewer (`afterimage view`)");
                told = true;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }

    /// What asks the viewer for captures and pictures, as long as there is this link.
    #[must_use]
    pub fn requests(&self) -> &Arc<Requests> {
        &self.requests
    }

    fn region(&self) -> Region {
        self.control.region
    }

    /// Whether the viewer whose epoch we answered is still the one that is there.
    fn same_viewer(&self) -> bool {
        self.region().load_u32(at::EPOCH) == self.epoch
    }

    /// Asks the kernel whether the viewer lives; notes it if not.
    fn check_viewer(&mut self) -> Result<(), LinkError> {
        let alive = self.same_viewer()
            && lock::is_held(&self.file, Side::Viewer).unwrap_or_else(|error| {
                tracing::warn!(%error, "cannot tell whether the viewer lives");
                true
            });
        if alive { Ok(()) } else { self.lose("the viewer is gone") }
    }

    fn lose<T>(&mut self, why: &str) -> Result<T, LinkError> {
        if !self.lost {
            tracing::warn!(epoch = self.epoch, "{why}; waiting for another one");
            self.lost = true;
        }
        Err(LinkError::Lost)
    }

    fn ready(&mut self) -> Result<(), LinkError> {
        if self.lost {
            return Err(LinkError::Lost);
        }
        if !self.same_viewer() {
            return self.lose("another viewer has taken over");
        }
        Ok(())
    }

    /// Puts a batch that is not too large into the ring.
    fn put(&mut self, words: &[u64]) -> Result<(), LinkError> {
        let control = self.region();
        for mut part in [&[batch_word(words.len())][..], words] {
            let mut backoff = Backoff::default();
            while !part.is_empty() {
                let Ok(room) = self.commands.room(&control, part.len() as u64) else {
                    return self.lose("the viewer's position in the packet ring is nonsense");
                };
                if room == 0 {
                    self.commands.publish(&control);
                    if backoff.wait() {
                        self.check_viewer()?;
                    }
                    continue;
                }
                let count = part.len().min(room as usize);
                self.commands.put(&control, &part[..count]);
                part = &part[count..];
            }
        }
        self.commands.publish(&control);
        Ok(())
    }

    /// Moves what the viewer has answered into the inbox.
    fn collect(&mut self) {
        let control = self.region();
        if self.lost {
            return;
        }
        loop {
            match self.replies.available(&control) {
                Ok(words) if words < REPLY as u64 => return,
                Ok(_) => {}
                Err(error) => {
                    let _noted: Result<(), _> = self.lose(&error.to_string());
                    return;
                }
            }
            self.scratch.clear();
            self.replies.take(&control, REPLY, &mut self.scratch);
            match decode_reply(&self.scratch) {
                Some(reply) => {
                    if let Reply::FrameDone { frame } = reply {
                        self.arena.frame_done(frame);
                    }
                    self.inbox.push_back(reply);
                }
                None => tracing::warn!(words = ?self.scratch, "unknown reply from the viewer"),
            }
        }
    }

    /// Waits until `done` holds or the viewer is gone.
    fn collect_until(&mut self, mut done: impl FnMut(&mut Self) -> bool) -> Result<(), LinkError> {
        self.collect();
        if done(self) {
            return Ok(());
        }
        self.ready()?;
        self.region().store_u32(at::GUEST_WAITS, 1);
        let mut backoff = Backoff::default();
        let result = loop {
            self.collect();
            if done(self) {
                break Ok(());
            }
            if backoff.wait()
                && let Err(lost) = self.check_viewer()
            {
                break Err(lost);
            }
            if self.lost || !self.same_viewer() {
                break self.lose("another viewer has taken over");
            }
        };
        self.region().store_u32(at::GUEST_WAITS, 0);
        result
    }

    /// Another slot at the end of the file, which may have been made ahead. False where there can be none.
    fn grow(&mut self, wanted: u64) -> bool {
        let Some(memory) = self.maker.make(wanted) else { return false };
        let (offset, bytes) = (memory.device.unwrap_or(0), memory.bytes());
        self.slots.add(offset, memory);
        let slot = self.arena.add_slot(bytes);
        let place = at::SLOTS + u64::from(slot) * size_of::<SlotEntry>() as u64;
        let written = self.region().write(place, bytemuck::bytes_of(&SlotEntry { offset, bytes }));
        debug_assert!(written, "the table has room for every slot");
        self.region().store_u32(at::SLOT_COUNT, slot + 1);
        tracing::debug!(slot, bytes, "upload arena grows");
        true
    }

    /// Takes what there is of replies. True if a frame was done.
    fn frame_came(&mut self) -> bool {
        let before = self.arena.frames_in_flight();
        self.collect();
        self.arena.frames_in_flight() < before
    }

    /// Waits a moment for a frame. False where none is out, or nobody is there.
    fn wait_shortly(&mut self) -> bool {
        const MOMENT: Duration = Duration::from_micros(100);
        let (frames, start) = (self.arena.frames_in_flight(), Instant::now());
        let came = |link: &mut Self| link.arena.frames_in_flight() < frames || start.elapsed() > MOMENT;
        frames > 0 && self.collect_until(came).is_ok()
    }
}

/// Parts of a batch that are not too large, split between packets.
fn pieces(words: &[u64]) -> impl Iterator<Item = &[u64]> {
    let mut rest = words;
    std::iter::from_fn(move || {
        if rest.len() as u64 <= BATCH_LIMIT {
            let last = std::mem::take(&mut rest);
            return (!last.is_empty()).then_some(last);
        }
        let mut end = 0;
        while let Some(&word) = rest.get(end) {
            let header: Header = bytemuck::cast(word);
            let next = end + usize::from(header.units).max(1);
            if next as u64 > BATCH_LIMIT {
                break;
            }
            end = next;
        }
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// Waiting for the other process without burning the core it may need.
#[derive(Default)]
struct Backoff {
    turns: u32,
    checked: Option<Instant>,
}

impl Backoff {
    /// Waits a little, longer from turn to turn. True about every 20 ms: time to see whether the other side lives.
    fn wait(&mut self) -> bool {
        self.turns += 1;
        match self.turns {
            ..=50 => std::hint::spin_loop(),
            51..=70 => std::thread::yield_now(),
            71..=200 => std::thread::sleep(Duration::from_micros(50)),
            _ => std::thread::sleep(Duration::from_micros(200)),
        }
        if self.turns < 71 {
            return false;
        }
        let checked = *self.checked.get_or_insert_with(Instant::now);
        let due = checked.elapsed() > Duration::from_millis(20);
        if due {
            self.checked = Some(Instant::now());
        }
        due
    }
}

impl Link for SharedLink {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        let mut result = self.ready();
        for piece in pieces(batch) {
            if result.is_ok() {
                result = self.put(piece);
            }
        }
        batch.clear();
        result
    }

    fn is_idle(&self) -> bool {
        false
    }

    #[inline]
    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        loop {
            match self.arena.alloc(size, align) {
                Outcome::At(range) => {
                    // The slot's first bytes.
                    if range.offset == 0
                        && let Some(bytes) = self.arena.wants_spare()
                    {
                        self.maker.make_spare(bytes);
                    }
                    return Ok(range);
                }
                // A frame may be done by now, or be done before a slot is.
                Outcome::NeedSlot(_) if self.frame_came() => {}
                Outcome::NeedSlot(bytes) if self.maker.is_making(bytes) && self.wait_shortly() => {}
                Outcome::NeedSlot(bytes) => {
                    if !self.grow(bytes) {
                        tracing::warn!(bytes, path = %self.path.display(), "the upload arena cannot grow");
                        self.arena.stop_growing();
                    }
                }
                Outcome::Wait => {
                    let mut frames = self.arena.frames_in_flight();
                    self.collect_until(|link| {
                        let now = link.arena.frames_in_flight();
                        std::mem::replace(&mut frames, now) != now
                    })?;
                }
                Outcome::Full => {
                    let limit = self.arena.config().limit_bytes;
                    return Err(LinkError::ArenaFull { wanted: u64::from(size), limit });
                }
            }
        }
    }

    fn frame_bytes(&self) -> u64 {
        self.arena.config().frame_bytes()
    }

    #[inline]
    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(range.size.saturating_sub(at) as usize)];
        if let Some(region) = self.slots.region(&self.file, range.slot) {
            let _inside = region.write(range.offset.saturating_add(u64::from(at)), bytes);
        }
    }

    fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]) {
        let len = out.len().min(range.size.saturating_sub(at) as usize);
        if let Some(region) = self.slots.region(&self.file, range.slot) {
            let _inside = region.read(range.offset.saturating_add(u64::from(at)), &mut out[..len]);
        }
    }

    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError> {
        self.arena.end_frame(frame);
        self.collect_until(|link| !link.arena.must_wait())
    }

    fn poll(&mut self) -> Option<Reply> {
        if self.inbox.is_empty() {
            self.collect();
            if self.inbox.is_empty() && !self.lost {
                self.region().store_u32(at::GUEST_ASKS, 1);
                self.vain_polls += 1;
                // A program that polls a query in a loop does nothing else: the loss must show here too.
                if self.vain_polls.is_multiple_of(1024) {
                    let _noted = self.check_viewer();
                }
            }
        }
        self.inbox.pop_front()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        loop {
            if let Some(reply) = self.inbox.pop_front() {
                return Ok(reply);
            }
            self.collect_until(|link| !link.inbox.is_empty())?;
        }
    }

    fn epoch(&mut self) -> u32 {
        let control = self.region();
        let epoch = control.load_u32(at::EPOCH);
        if epoch == self.epoch {
            return epoch;
        }
        // A new viewer. It reads nothing before the answer, so both rings are ours.
        COMMANDS.reset(&control);
        REPLIES.reset(&control);
        self.commands = Producer::new(COMMANDS);
        self.replies = Consumer::new(REPLIES);
        self.inbox.clear();
        self.arena.reset();
        let mut device = DeviceInfo::zeroed();
        let read = control.read(at::DEVICE, bytemuck::bytes_of_mut(&mut device));
        debug_assert!(read, "the device's place is in the header");
        *self.device = device;
        let most = if device.features & DeviceFeatures::PROCESSOR != 0 { PROCESSOR_SLOT } else { u64::MAX };
        self.arena.configure(self.sizes.with_slots_of(most));
        // What every program needs, while it makes its device.
        if let Some(bytes) = self.arena.wants_spare() {
            self.maker.make_spare(bytes);
        }
        self.epoch = epoch;
        self.lost = false;
        control.store_u32(at::GUEST_EPOCH, epoch);
        tracing::info!(epoch, device = self.device.name(), "connected to a viewer");
        epoch
    }

    fn device(&self) -> &DeviceInfo {
        &self.device
    }

    fn capture_frames(&mut self, _: &Path, _: u64) -> bool {
        false
    }
}

impl Drop for SharedLink {
    fn drop(&mut self) {
        self.region().store_u32(at::GUEST_CLOSED, 1);
        // A viewer that is connected removes the file when it has read the rest.
        if self.lost {
            let _best_effort = std::fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_batch_is_split_between_packets() {
        let header = |units: u16| bytemuck::cast(Header { kind: 1, units, sequence: 0 });
        let mut words = Vec::new();
        for _ in 0..40 {
            words.push(header(u16::MAX));
            words.resize(words.len() + usize::from(u16::MAX) - 1, 0);
        }
        let split: Vec<&[u64]> = pieces(&words).collect();
        assert_eq!(split.concat(), words);
        assert!(split.len() > 2);
        for piece in split {
            assert!(piece.len() as u64 <= BATCH_LIMIT);
            assert_eq!(piece[0], words[0]);
        }
        assert_eq!(pieces(&[]).count(), 0);
    }
}
