//! The marks that programs make with `D3DPERF_*`, which name no device: they go to the devices of the calling thread.
//!
//! While nobody sees them (no capture is asked for, no graphics debugger is there) a mark costs one load. A device whose marks
//! are seen has a lock whatever the program asked for, since any thread may make one.

use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use afterimage_d3d9_types::D3DCOLOR;
use afterimage_stream::packets::Marker;

use crate::abi::In;
use crate::device::Device;

/// Characters of a name that are read.
const LONGEST: usize = 256;

/// A device whose marks are seen, and the thread that made it.
struct Seen {
    device: *const Device,
    thread: ThreadId,
}

// SAFETY: a device is in the list only while it is good, and has a lock; see `add`.
unsafe impl Send for Seen {}

static SEEN: Mutex<Vec<Seen>> = Mutex::new(Vec::new());
/// How many there are in the list.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Whether the program allows it (`D3DPERF_SetOptions`).
static ALLOWED: AtomicBool = AtomicBool::new(true);
/// How deep events are nested.
static DEPTH: AtomicI32 = AtomicI32::new(0);

fn seen() -> MutexGuard<'static, Vec<Seen>> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Marks go to this device until [`remove`].
///
/// # Safety
/// The device is good until then, and has a lock.
pub(crate) unsafe fn add(device: *const Device) {
    let mut seen = seen();
    seen.push(Seen { device, thread: thread::current().id() });
    COUNT.store(seen.len(), Ordering::Relaxed);
}

/// The device is about to go.
pub(crate) fn remove(device: *const Device) {
    if COUNT.load(Ordering::Relaxed) != 0 {
        let mut seen = seen();
        seen.retain(|entry| entry.device != device);
        COUNT.store(seen.len(), Ordering::Relaxed);
    }
}

/// Whether anybody sees marks.
pub(crate) fn are_seen() -> bool {
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
    if are_seen() {
        tell(Marker::END, 0, "");
    }
    depth - 1
}

/// A mark of an action that has a name.
pub(crate) fn put(action: u32, color: D3DCOLOR, name: In<u16>) {
    if are_seen() {
        tell(action, color, &text(name));
    }
}

/// The text of a string of the program's, or what there is of it before [`LONGEST`].
fn text(name: In<u16>) -> String {
    // SAFETY: the iterator ends at the string's end.
    let units = (0..LONGEST).map_while(|index| unsafe { name.read_at(index) }).take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// To the devices that this thread has made, or to all where it has made none.
fn tell(action: u32, color: D3DCOLOR, text: &str) {
    let (seen, here) = (seen(), thread::current().id());
    let any = seen.iter().any(|entry| entry.thread == here);
    for entry in seen.iter().filter(|entry| !any || entry.thread == here) {
        // SAFETY: what `add` was promised.
        unsafe { &*entry.device }.enter().put_marker(action, color, text);
    }
}
