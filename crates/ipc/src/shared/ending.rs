//! Programs that end without closing their links, by `exit` or at the end of `main`: the viewer is told so all the same, which tells
//! them from those that crash or are killed.
//!
//! A library hears of its process's end through `atexit`. In a Windows program that is when the system detaches it: other threads have
//! been ended then, and may hold any lock.

use super::layout::at;
use crate::memory::SlotMemory;
#[cfg(unix)]
use libc::atexit;
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};

#[cfg(windows)]
unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> i32;
}

/// The links that are open, and the process that opened each: one that it forked has the list, but not the links.
static OPEN: Mutex<Vec<(u32, Weak<SlotMemory>)>> = Mutex::new(Vec::new());

/// Has the viewer told when the process ends with this link open.
pub(super) fn watch(control: &Arc<SlotMemory>) {
    static LISTEN: Once = Once::new();
    LISTEN.call_once(|| {
        // SAFETY: the function does not panic, and where this library is unloaded it is called then.
        if unsafe { atexit(at_end) } != 0 {
            tracing::debug!("there is no room for another handler of the process's end");
        }
    });
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.retain(|(_, link)| link.strong_count() > 0);
    open.push((std::process::id(), Arc::downgrade(control)));
}

extern "C" fn at_end() {
    let Ok(open) = OPEN.try_lock() else { return };
    let process = std::process::id();
    let links = open.iter().filter(|(of, _)| *of == process).filter_map(|(_, link)| link.upgrade());
    links.for_each(|control| control.region.store_u32(at::GUEST_CLOSED, 1));
}
