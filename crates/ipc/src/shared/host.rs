//! The viewer's end of shared files.

use super::directory::{self, directory};
use super::layout::{CONTROL_BYTES, Fixed, GRANULE, HeaderError, at, refusal, slot_entry};
use super::lock::{self, Side};
use super::requests::{Heard, Wanted};
use super::ring::{BatchReader, Producer, REPLIES, REPLY, encode_reply};
use super::{map, sigbus};
use crate::memory::{Region, SlotMemory};
use crate::receiver::{Received, Receiver, within};
use crate::{MAX_SLOTS, SlotImporter};
use afterimage_stream::{Arena, DeviceInfo, Reply, UploadRef};
use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Name of the file that says which process is the viewer of a directory.
const VIEWER_FILE: &str = "viewer.pid";
/// A file without a header may be one that is being made; after this it is litter.
const YOUNG: Duration = Duration::from_secs(10);
/// Replies that wait for a guest which does not read them; more, and it is cut off.
const BACKLOG: usize = 1 << 20;
/// Bytes of slots that are mapped before they are used, and made known to the device: several times what programs need. What a program
/// makes beyond them costs it, and not the viewer: it is mapped when a packet names it, and copied.
const AHEAD: u64 = 256 << 20;
/// How often a guest that says nothing is checked for being alive.
const CHECK: Duration = Duration::from_millis(100);

/// Why a directory cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// No variable says where the directory is.
    #[error("no directory for shared files: set {} to a private directory", directory::DIRECTORY_VARIABLE)]
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
    /// Another viewer serves this directory.
    #[error("a viewer (process {pid}) already serves {}; for a second one set {} for it and its programs", path.display(), directory::DIRECTORY_VARIABLE)]
    Running {
        /// Its process id.
        pid: u32,
        /// The directory.
        path: PathBuf,
    },
}

/// Process id of the viewer that serves a directory, if one does.
#[must_use]
pub fn running(directory: &Path) -> Option<u32> {
    let mut file = File::open(directory.join(VIEWER_FILE)).ok()?;
    if file.try_lock_shared().is_ok() {
        return None;
    }
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    Some(text.trim().parse().unwrap_or(0))
}

/// What [`Host::scan`] found.
#[derive(Debug)]
pub enum Found {
    /// A program that waits for a viewer. It is claimed, see [`Claim::open`] and [`Channel::attach`].
    Program(Claim),
    /// A program that cannot be served.
    Refused(HeaderError),
}

/// Looks for programs in the directory.
#[derive(Debug)]
pub struct Host {
    directory: PathBuf,
    _claim: File,
    known: HashSet<OsString>,
}

impl Host {
    /// Becomes the viewer of a directory (`None`: what [`super::directory()`] says). Installs a SIGBUS handler in this
    /// process, which programs that damage their files make necessary.
    ///
    /// # Errors
    /// The directory cannot be made private, or another viewer serves it.
    pub fn open(path: Option<&Path>) -> Result<Self, HostError> {
        let directory = path.map(Path::to_path_buf).or_else(directory).ok_or(HostError::NoDirectory)?;
        let failed = |what, path: &Path, source| HostError::File { what, path: path.to_path_buf(), source };
        directory::prepare(&directory).map_err(|source| failed("preparing the directory", &directory, source))?;
        let name = directory.join(VIEWER_FILE);
        let claim = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(libc::O_NOFOLLOW)
            .open(&name)
            .map_err(|source| failed("opening", &name, source))?;
        if claim.try_lock().is_err() {
            return Err(HostError::Running { pid: running(&directory).unwrap_or(0), path: directory });
        }
        let written = claim.set_len(0).and_then(|()| write!(&claim, "{}", std::process::id()));
        written.map_err(|source| failed("writing", &name, source))?;
        sigbus::install();
        Ok(Self { directory, _claim: claim, known: HashSet::new() })
    }

    /// The directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Looks for programs that have come since the last call, and removes what dead ones left behind.
    ///
    /// # Errors
    /// The directory cannot be read.
    pub fn scan(&mut self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        let mut present = HashSet::new();
        for entry in std::fs::read_dir(&self.directory)? {
            let entry = entry?;
            let path = entry.path();
            if path.extension().is_none_or(|ending| ending != directory::ENDING) {
                continue;
            }
            present.insert(entry.file_name());
            if self.known.contains(&entry.file_name()) {
                continue;
            }
            match open(path) {
                Ok(Some(Ok(claim))) => {
                    self.known.insert(entry.file_name());
                    found.push(Found::Program(claim));
                }
                Ok(Some(Err(refused))) => {
                    self.known.insert(entry.file_name());
                    found.push(Found::Refused(refused));
                }
                Ok(None) => {}
                Err(error) => {
                    tracing::warn!(file = %entry.path().display(), %error, "ignored");
                    self.known.insert(entry.file_name());
                }
            }
        }
        self.known.retain(|name| present.contains(name));
        Ok(found)
    }
}

/// Opens a file if it is a program's and waits for a viewer. `Ok(None)`: not now.
fn open(path: PathBuf) -> io::Result<Option<Result<Claim, HeaderError>>> {
    let file =
        match File::options().read(true).write(true).custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a regular file"));
    }
    if about.mode() & 0o077 != 0 {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    let alive = lock::is_held(&file, Side::Guest)?;
    if !alive {
        // Without its maker's lock it is either seconds old or left behind.
        let age = about.modified()?.elapsed().unwrap_or_default();
        let mut magic = [0; 8];
        let made = file.try_clone()?.read_exact(&mut magic).is_ok() && magic != [0; 8];
        if made || age > YOUNG {
            tracing::debug!(file = %path.display(), "removing what a dead program left");
            std::fs::remove_file(&path)?;
        }
        return Ok(None);
    }
    if about.len() < CONTROL_BYTES {
        return Ok(None);
    }
    let control = map::map(&file, 0, CONTROL_BYTES)?;
    let fixed = match Fixed::read(&control.region) {
        Ok(fixed) => fixed,
        Err(HeaderError::Magic(0)) => return Ok(None),
        Err(error) => {
            control.region.store_u32(at::REFUSED, refusal());
            return Ok(Some(Err(error)));
        }
    };
    if control.region.load_u32(at::GUEST_CLOSED) != 0 || !lock::acquire(&file, Side::Viewer)? {
        return Ok(None);
    }
    Ok(Some(Ok(Claim {
        program: fixed.program(),
        process: fixed.process,
        pointer_bits: fixed.pointer_bits,
        family: fixed.family,
        path,
        file,
        control,
    })))
}

/// A program's file that this viewer has claimed: no other viewer takes it while this lives, or while a process has the open file.
/// Dropping it removes the file where its program is gone.
#[derive(Debug)]
pub struct Claim {
    program: String,
    process: u32,
    pointer_bits: u32,
    family: u64,
    path: PathBuf,
    file: File,
    control: SlotMemory,
}

impl Claim {
    /// Name of the program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Process id as the program sees it; under Wine not the kernel's.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.process
    }

    /// 32 or 64.
    #[must_use]
    pub fn pointer_bits(&self) -> u32 {
        self.pointer_bits
    }

    /// A random number that links of one process have in common.
    #[must_use]
    pub fn family(&self) -> u64 {
        self.family
    }

    /// The open file, for [`Channel::attach`] in another process.
    #[must_use]
    pub fn file(&self) -> &File {
        &self.file
    }

    /// Whether the program is still there.
    #[must_use]
    pub fn life(&self) -> Life {
        life(&self.control.region, &self.file)
    }

    /// Becomes the receiver in this process.
    ///
    /// # Errors
    /// As [`Channel::attach`].
    pub fn open(&self) -> io::Result<Channel> {
        Channel::attach(self.file.try_clone()?)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        if self.life() != Life::Running {
            let _best_effort = std::fs::remove_file(&self.path);
        }
    }
}

#[derive(Debug)]
struct Replies {
    ring: Producer,
    backlog: VecDeque<Reply>,
}

/// Whether a program is there, as far as its file and the kernel say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Life {
    /// It runs.
    Running,
    /// It has closed its end.
    Closed,
    /// It is gone and has not closed its end: it crashed or was killed.
    Died,
}

fn life(control: &Region, file: &File) -> Life {
    if control.load_u32(at::GUEST_CLOSED) != 0 {
        Life::Closed
    } else if lock::is_held(file, Side::Guest).unwrap_or(true) {
        Life::Running
    } else {
        Life::Died
    }
}

/// The receiving end of one program. When it and the [`Claim`] are gone, and with them the viewer's lock, the program's calls answer
/// [`afterimage_stream::LinkError::Lost`].
#[derive(Debug)]
pub struct Channel {
    program: String,
    file: File,
    control: SlotMemory,
    epoch: u32,
    /// Whether the guest has emptied the rings for us.
    answered: bool,
    batches: BatchReader,
    replies: RefCell<Replies>,
    slots: [OnceLock<SlotMemory>; MAX_SLOTS],
    /// Slots of the table that have been mapped ahead, or could not be.
    looked: u32,
    /// What is left of [`AHEAD`].
    ahead: Cell<u64>,
    importer: RefCell<Option<Box<dyn SlotImporter>>>,
    /// Bytes that the file must have for what is mapped.
    mapped_end: Cell<u64>,
    activity: Instant,
    checked: Instant,
    eager: bool,
    heard: Heard,
    end: RefCell<Option<String>>,
}

impl Channel {
    /// Becomes the receiver of a file that this viewer has claimed, perhaps in another process of it ([`Claim::file`]). Installs the
    /// SIGBUS handler of [`Host::open`] in this process.
    ///
    /// # Errors
    /// The file cannot be mapped, or its header is no longer what it was.
    pub fn attach(file: File) -> io::Result<Self> {
        sigbus::install();
        if file.metadata()?.len() < CONTROL_BYTES {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the shared file was cut short"));
        }
        let control = map::map(&file, 0, CONTROL_BYTES)?;
        let fixed = Fixed::read(&control.region).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
        Ok(Self {
            program: fixed.program(),
            file,
            control,
            epoch: 0,
            answered: false,
            batches: BatchReader::new(),
            replies: RefCell::new(Replies { ring: Producer::new(REPLIES), backlog: VecDeque::new() }),
            slots: [const { OnceLock::new() }; MAX_SLOTS],
            looked: 0,
            ahead: Cell::new(AHEAD),
            importer: RefCell::new(None),
            mapped_end: Cell::new(CONTROL_BYTES),
            activity: Instant::now(),
            checked: Instant::now(),
            eager: false,
            heard: Heard::default(),
            end: RefCell::new(None),
        })
    }

    /// Name of the program.
    #[must_use]
    pub fn program(&self) -> &str {
        &self.program
    }

    /// Why the channel was closed, if it was not the program that ended: text for a person.
    #[must_use]
    pub fn failure(&self) -> Option<String> {
        self.end.borrow().clone()
    }

    /// Becomes the program's receiver, telling it what the device can do. Called again, the program starts anew and
    /// sends everything again: for a device that was lost.
    pub fn accept(&mut self, device: &DeviceInfo) {
        let control = self.region();
        self.answered = false;
        self.batches = BatchReader::new();
        self.replies = RefCell::new(Replies { ring: Producer::new(REPLIES), backlog: VecDeque::new() });
        let written = control.write(at::DEVICE, bytemuck::bytes_of(device));
        debug_assert!(written, "the device's place is in the header");
        self.heard.forget(&control);
        // Zero means "none yet", also after four thousand million viewers.
        self.epoch = control.load_u32(at::EPOCH).wrapping_add(1).max(1);
        control.store_u32(at::EPOCH, self.epoch);
    }

    /// Has a device copy out of the slots itself, of those that nobody has used yet.
    pub fn import_slots(&mut self, importer: Box<dyn SlotImporter>) {
        self.importer = RefCell::new(Some(importer));
    }

    /// What somebody at the program's keyboard has wanted of the viewer since this was last asked.
    pub fn wanted(&mut self) -> Wanted {
        let control = self.region();
        self.heard.wanted(&control)
    }

    fn region(&self) -> Region {
        self.control.region
    }

    fn fail(&self, why: String) {
        tracing::error!(program = self.program, "{why}; the program is disconnected");
        self.end.borrow_mut().get_or_insert(why);
    }

    /// Whether the program is still there. Asking costs a system call, so not before every batch. What it sent before it ended
    /// can still be taken.
    #[must_use]
    pub fn life(&self) -> Life {
        life(&self.region(), &self.file)
    }

    /// Whether the guest can still send something.
    fn guest_lives(&self) -> bool {
        self.life() == Life::Running
    }

    fn slot(&self, slot: u32) -> Option<&SlotMemory> {
        let place = self.slots.get(slot as usize)?;
        if let Some(memory) = place.get() {
            return Some(memory);
        }
        let entry = slot_entry(&self.region(), slot)?;
        let length = self.file.metadata().ok()?.len();
        if entry.offset + entry.bytes > length {
            self.fail(format!("slot {slot} of the upload arena ends behind the file's {length} bytes"));
            return None;
        }
        match map::map(&self.file, entry.offset, entry.bytes) {
            Ok(memory) => {
                self.mapped_end.set(self.mapped_end.get().max(entry.offset + entry.bytes));
                Some(place.get_or_init(|| self.made_known(memory)))
            }
            Err(error) => {
                self.fail(format!("mapping slot {slot} ({} bytes) of the upload arena: {error}", entry.bytes));
                None
            }
        }
    }

    /// Gets a slot ready for what is read of it, and the device to copy out of it.
    fn made_known(&self, memory: SlotMemory) -> SlotMemory {
        let Some(left) = self.ahead.get().checked_sub(memory.bytes()) else { return memory };
        self.ahead.set(left);
        memory.touch();
        match &mut *self.importer.borrow_mut() {
            Some(importer) => importer.import(memory),
            None => memory,
        }
    }

    /// Maps one slot that the program has made and not used. True if there was one.
    fn map_ahead(&mut self) -> bool {
        let Some(entry) = slot_entry(&self.region(), self.looked) else { return false };
        let slot = self.looked;
        self.looked += 1;
        if entry.bytes <= self.ahead.get() {
            let _mapped = self.slot(slot);
        }
        true
    }

    /// Sends what did not fit before.
    fn flush(&self) {
        let control = self.region();
        let mut replies = self.replies.borrow_mut();
        let Replies { ring, backlog } = &mut *replies;
        let mut put = false;
        while let Some(&reply) = backlog.front() {
            match ring.room(&control, REPLY as u64) {
                Ok(room) if room >= REPLY as u64 => {}
                Ok(_) => break,
                Err(error) => {
                    backlog.clear();
                    drop(replies);
                    self.fail(error.to_string());
                    return;
                }
            }
            backlog.pop_front();
            ring.put(&control, &encode_reply(reply));
            put = true;
        }
        if put {
            ring.publish(&control);
        }
        if backlog.len() > BACKLOG {
            backlog.clear();
            drop(replies);
            self.fail("the program does not read its replies".into());
        }
    }

    /// How long to sleep before the next look into the ring.
    fn nap(&self) -> Duration {
        let idle = self.activity.elapsed();
        if idle < Duration::from_millis(5) {
            Duration::from_micros(50)
        } else if idle < Duration::from_millis(50) {
            Duration::from_micros(200)
        } else {
            Duration::from_millis(2)
        }
    }

    /// Whether the file no longer holds all that is mapped.
    fn damaged(&self) -> bool {
        if self.file.metadata().is_ok_and(|about| about.len() < self.mapped_end.get()) {
            return true;
        }
        let slots = self.slots.iter().filter_map(OnceLock::get);
        slots.chain([&self.control]).any(|memory| sigbus::damaged(memory.region.pointer()))
    }
}

impl Receiver for Channel {
    fn next(&mut self, timeout: Duration) -> Received {
        let control = self.region();
        let start = Instant::now();
        self.flush();
        loop {
            if self.end.borrow().is_some() {
                return Received::Closed;
            }
            if !self.answered {
                self.answered = self.epoch != 0 && control.load_u32(at::GUEST_EPOCH) == self.epoch;
            }
            if self.answered {
                match self.batches.next(&control) {
                    Ok(Some(batch)) => {
                        self.eager = true;
                        return Received::Batch(batch);
                    }
                    Ok(None) if self.map_ahead() => continue,
                    Ok(None) => {}
                    Err(error) => {
                        self.fail(error.to_string());
                        return Received::Closed;
                    }
                }
            }
            if std::mem::take(&mut self.eager) {
                self.activity = Instant::now();
                // The next batch is usually near, and a sleep takes longer than it.
                while self.activity.elapsed() < Duration::from_micros(20) {
                    std::hint::spin_loop();
                }
                continue;
            }
            if self.checked.elapsed() > CHECK {
                self.checked = Instant::now();
                if self.damaged() {
                    self.fail("the shared file was cut short".into());
                    return Received::Closed;
                }
                if !self.guest_lives() {
                    // What it sent before it ended was visible before its lock was gone.
                    return match self.batches.next(&control) {
                        Ok(Some(batch)) if self.answered => Received::Batch(batch),
                        _ => Received::Closed,
                    };
                }
            }
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() || (start.elapsed() >= Duration::from_micros(100) && self.curious()) {
                return Received::Idle;
            }
            std::thread::sleep(self.nap().min(left));
        }
    }

    fn recycle(&mut self, batch: Vec<u64>) {
        self.batches.recycle(batch);
    }

    fn reply(&self, reply: Reply) {
        self.replies.borrow_mut().backlog.push_back(reply);
        self.flush();
    }

    fn guest_asks(&self) -> bool {
        let asks = self.curious();
        if asks {
            self.region().store_u32(at::GUEST_ASKS, 0);
        }
        asks
    }
}

impl Channel {
    fn curious(&self) -> bool {
        self.region().load_u32(at::GUEST_WAITS) != 0 || self.region().load_u32(at::GUEST_ASKS) != 0
    }
}

impl Arena for Channel {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        Some(self.slot(slot)?.region.bytes())
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        match (self.slot(range.slot), within(range, at, out.len())) {
            (Some(slot), Some(offset)) => slot.region.read(offset, out),
            _ => false,
        }
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        match (self.slot(range.slot), within(range, at, bytes.len())) {
            (Some(slot), Some(offset)) => slot.region.write(offset, bytes),
            _ => false,
        }
    }

    fn source_slot(&self, slot: u32) -> Option<u64> {
        self.slot(slot)?.device
    }
}

const _: () = assert!(CONTROL_BYTES.is_multiple_of(GRANULE));
