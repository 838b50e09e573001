//! The marks that programs make with `D3DPERF_*`, which name no device: they go to the devices of the calling thread.
//!
//! Captures may begin at any frame, so marks are always put. Any thread may make one, while a device need not have a lock: a mark
//! waits beside the device ([`Pending`]) until the next call that goes inside.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicU8, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use afterimage_d3d9_types::D3DCOLOR;
use afterimage_stream::packets::Marker;

use crate::abi::In;
use crate::names;

/// Marks that may wait for one device: as many as nobody puts between two calls.
const MOST: usize = 1 << 16;

/// A mark: one of [`Marker`]'s actions, its colour and its text.
pub(crate) struct Mark {
    pub(crate) action: u32,
    pub(crate) color: D3DCOLOR,
    pub(crate) text: Box<str>,
}

/// What a call has to see to before it goes inside of a device.
pub(crate) struct Pending {
    bits: AtomicU8,
    marks: Mutex<Vec<Mark>>,
}

impl Pending {
    /// There is a lock.
    pub(crate) const LOCK: u8 = 1;
    /// There are marks.
    pub(crate) const MARKS: u8 = 2;

    /// Of a device that has a lock, or has none.
    pub(crate) fn new(lock: bool) -> Self {
        Self { bits: AtomicU8::new(if lock { Self::LOCK } else { 0 }), marks: Mutex::default() }
    }

    /// What there is to see to.
    #[inline(always)]
    pub(crate) fn needed(&self) -> u8 {
        self.bits.load(Ordering::Relaxed)
    }

    /// The marks that wait, in their order.
    pub(crate) fn take_marks(&self) -> Vec<Mark> {
        self.bits.fetch_and(!Self::MARKS, Ordering::Relaxed);
        core::mem::take(&mut *self.marks.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn put(&self, mark: Mark) {
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.len() < MOST {
            marks.push(mark);
            self.bits.fetch_or(Self::MARKS, Ordering::Relaxed);
        }
    }
}

/// Where the marks of a device wait, the thread that made it, and whether somebody is known to look for its marks.
struct Seen {
    pending: *const Pending,
    thread: ThreadId,
    watched: bool,
}

// SAFETY: what is in the list is good, and any thread may touch a `Pending`.
unsafe impl Send for Seen {}

static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
/// How many there are in the list.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// How many of them are watched.
static WATCHED: AtomicUsize = AtomicUsize::new(0);
/// Whether the program allows it (`D3DPERF_SetOptions`).
static ALLOWED: AtomicBool = AtomicBool::new(true);
/// How deep events are nested.
static DEPTH: AtomicI32 = AtomicI32::new(0);

fn seen() -> MutexGuard<'static, Vec<Seen>> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn count(seen: &[Seen]) {
    COUNT.store(seen.len(), Ordering::Relaxed);
    WATCHED.store(seen.iter().filter(|entry| entry.watched).count(), Ordering::Relaxed);
}

/// Marks go to the device of this [`Pending`] until [`remove`].
///
/// # Safety
/// It is good until then.
pub(crate) unsafe fn add(pending: *const Pending, watched: bool) {
    let mut seen = seen();
    seen.push(Seen { pending, thread: thread::current().id(), watched });
    count(&seen);
}

/// The device is about to go.
pub(crate) fn remove(pending: *const Pending) {
    let mut seen = seen();
    seen.retain(|entry| entry.pending != pending);
    count(&seen);
}

/// Whether somebody is known to look for marks.
pub(crate) fn are_seen() -> bool {
    WATCHED.load(Ordering::Relaxed) != 0 && ALLOWED.load(Ordering::Relaxed)
}

/// Whether marks go anywhere.
fn are_put() -> bool {
    COUNT.load(Ordering::Relaxed) != 0 && ALLOWED.load(Ordering::Relaxed)
}

/// Whether the program lets itself be watched.
pub(crate) fn allow(allowed: bool) {
    ALLOWED.store(allowed, Ordering::Relaxed);
}

/// `D3DPERF_BeginEvent`.
pub(crate) fn begin(color: D3DCOLOR, name: In<u16>) -> i32 {
    put(Marker::BEGIN, color, name);
    DEPTH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |depth| depth.checked_add(1)).unwrap_or(i32::MAX)
}

/// `D3DPERF_EndEvent`.
pub(crate) fn end() -> i32 {
    let deeper = |depth: i32| (depth > 0).then(|| depth - 1);
    let Ok(depth) = DEPTH.fetch_update(Ordering::Relaxed, Ordering::Relaxed, deeper) else { return -1 };
    if are_put() {
        tell(Marker::END, 0, "");
    }
    depth - 1
}

/// A mark of an action that has a name.
pub(crate) fn put(action: u32, color: D3DCOLOR, name: In<u16>) {
    if are_put() {
        tell(action, color, &names::wide(name, names::LONGEST));
    }
}

/// To the devices that this thread has made, or to all where it has made none.
fn tell(action: u32, color: D3DCOLOR, text: &str) {
    let (seen, here) = (seen(), thread::current().id());
    let any = seen.iter().any(|entry| entry.thread == here);
    for entry in seen.iter().filter(|entry| !any || entry.thread == here) {
        // SAFETY: what `add` was promised.
        unsafe { &*entry.pending }.put(Mark { action, color, text: text.into() });
    }
}
