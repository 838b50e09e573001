//! Signals that are for the program.

use crate::Failure;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::process::Child;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};

/// Signals that we pass on instead of ending from them.
pub(super) struct Signals {
    last: Arc<AtomicI32>,
}

impl Signals {
    pub(super) fn catch() -> Result<Self, Failure> {
        let last = Arc::new(AtomicI32::new(0));
        let mut incoming = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| Failure::new(format!("catching signals: {error}")))?;
        let shared = Arc::clone(&last);
        std::thread::spawn(move || {
            for signal in incoming.forever() {
                shared.store(signal, Ordering::SeqCst);
            }
        });
        Ok(Self { last })
    }

    pub(super) fn take(&self) -> Option<i32> {
        Some(self.last.swap(0, Ordering::SeqCst)).filter(|&signal| signal != 0)
    }

    pub(super) fn forward(&self, child: &Child) {
        if let Some(signal) = self.take()
            && let (Some(pid), Some(signal)) =
                (rustix::process::Pid::from_raw(child.id() as i32), rustix::process::Signal::from_named_raw(signal))
        {
            let _gone_already = rustix::process::kill_process(pid, signal);
        }
    }
}
