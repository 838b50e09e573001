//! Programs that end without releasing their devices, by `exit` or at the end of `main`. The driver's library is taken down then, and
//! must not be drawing: what was submitted is drawn first, and the render threads end.
//!
//! On Windows the system ends a process's other threads before its libraries hear of it.
#![cfg_attr(not(unix), allow(dead_code, reason = "nobody asks how threads have ended there"))]

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a program's end may be held up.
const PATIENCE: Duration = Duration::from_secs(10);

/// The render threads of this process.
static RUNNING: Mutex<Vec<Running>> = Mutex::new(Vec::new());

/// What is known of a render thread.
struct Running {
    /// The process that it is of: one that this one forked has the list, but not the thread.
    process: u32,
    /// Ends its stream.
    end: Box<dyn Fn() + Send>,
    ended: Arc<Ended>,
}

/// Whether a thread has ended, as far as the driver goes.
#[derive(Default)]
struct Ended {
    yes: Mutex<bool>,
    now: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a render thread holds as long as it uses the driver.
pub(super) struct Draws(Arc<Ended>);

impl Drop for Draws {
    fn drop(&mut self) {
        *lock(&self.0.yes) = true;
        self.0.now.notify_all();
        lock(&RUNNING).retain(|running| !Arc::ptr_eq(&running.ended, &self.0));
    }
}

/// The driver is open, and a thread is about to draw until `end` is called: it has ended when it drops what this returns.
pub(super) fn draws(end: impl Fn() + Send + 'static) -> Draws {
    let ended = Arc::<Ended>::default();
    lock(&RUNNING).push(Running { process: std::process::id(), end: Box::new(end), ended: Arc::clone(&ended) });
    listen();
    Draws(ended)
}

/// Hears of the process's end before everybody who has asked for that until now, such as the driver. What drivers and layers make while
/// they draw asks when it is made: so this is called again and again.
#[cfg(unix)]
pub(super) fn listen() {
    extern "C" fn at_end() {
        end_all();
    }
    // SAFETY: the function neither panics nor returns to anything that is gone; where this library is unloaded, it is called then.
    if unsafe { libc::atexit(at_end) } != 0 {
        tracing::warn!(
            "programs that end without releasing their devices may crash: there is no room for another handler"
        );
    }
}

#[cfg(not(unix))]
pub(super) fn listen() {}

/// Ends all render threads, and waits for that, but not forever.
#[cfg(unix)]
fn end_all() {
    let Ok(mut running) = RUNNING.try_lock().map(|mut running| std::mem::take(&mut *running)) else { return };
    running.retain(|running| running.process == std::process::id());
    running.iter().for_each(|running| (running.end)());
    for Running { ended, .. } in running {
        let yes = lock(&ended.yes);
        let (yes, _) = ended.now.wait_timeout_while(yes, PATIENCE, |yes| !*yes).unwrap_or_else(PoisonError::into_inner);
        if !*yes {
            // Something holds it up; nobody else should be.
            return;
        }
    }
}
