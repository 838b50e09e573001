//! What has become of command buffers: written by Metal's threads, read by the queue's.

use afterimage_metal_calls::{Fault, Serial};
use std::collections::{BTreeSet, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How many command buffers' times are kept.
const TIMES: usize = 64;
/// How many faults are kept until somebody asks.
const FAULTS: usize = 256;

/// What has become of the command buffers of a queue.
#[derive(Debug, Default)]
pub(crate) struct Done {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The last one that has completed, with all before.
    completed: Serial,
    /// Those that have, without all before.
    early: BTreeSet<Serial>,
    times: VecDeque<(Serial, [f64; 2])>,
    faults: Vec<Fault>,
    dropped: u64,
    lost: bool,
}

impl Done {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A command buffer has completed, at these times of the GPU's, if any, and with this fault.
    pub(crate) fn finish(&self, serial: Serial, times: Option<[f64; 2]>, fault: Option<Fault>) {
        let mut state = self.state();
        if let Some(fault) = fault {
            state.add(fault);
        }
        if let Some(times) = times {
            if state.times.len() == TIMES {
                state.times.pop_front();
            }
            state.times.push_back((serial, times));
        }
        state.early.insert(serial);
        while let Some(next) = state.early.first().copied().filter(|next| *next <= state.completed + 1) {
            state.early.pop_first();
            state.completed = state.completed.max(next);
        }
        drop(state);
        self.changed.notify_all();
    }

    /// A command buffer that nobody waits for has failed.
    pub(crate) fn add(&self, fault: Fault) {
        self.state().add(fault);
    }

    /// Something is wrong with what is encoded.
    pub(crate) fn fault(&self, call: &'static str, text: String) {
        self.state().add(Fault { call, text, lost: false, command_buffer: 0 });
    }

    /// The last command buffer that has completed, with all before.
    pub(crate) fn completed(&self) -> Serial {
        self.state().completed
    }

    /// Waits for one that has been committed. Whether it has completed.
    pub(crate) fn wait(&self, serial: Serial, timeout: Duration) -> bool {
        // A time that no clock has is one that nobody waits for the end of.
        let end = Instant::now().checked_add(timeout);
        let mut state = self.state();
        while state.completed < serial {
            let left = end.map_or(Duration::from_secs(3600), |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return false;
            }
            state = self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }

    /// When the GPU began and ended one.
    pub(crate) fn times(&self, serial: Serial) -> Option<(f64, f64)> {
        let state = self.state();
        let (_, [began, ended]) = state.times.iter().find(|(each, _)| *each == serial)?;
        Some((*began, *ended))
    }

    /// Faults since the last call.
    pub(crate) fn take(&self) -> Vec<Fault> {
        let mut state = self.state();
        let dropped = std::mem::take(&mut state.dropped);
        let mut faults = std::mem::take(&mut state.faults);
        if dropped > 0 {
            faults.push(Fault { call: "faults", text: format!("{dropped} more"), lost: false, command_buffer: 0 });
        }
        faults
    }

    /// Whether the device is gone.
    pub(crate) fn is_lost(&self) -> bool {
        self.state().lost
    }
}

impl State {
    fn add(&mut self, fault: Fault) {
        let first = fault.lost && !self.lost;
        self.lost |= fault.lost;
        if self.faults.len() < FAULTS || first {
            self.faults.push(fault);
        } else {
            self.dropped += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lost(text: &str) -> Option<Fault> {
        Some(Fault { call: "command buffer", text: text.into(), lost: true, command_buffer: 1 })
    }

    #[test]
    fn what_completes_early_counts_when_all_before_has() {
        let done = Done::default();
        done.finish(2, None, None);
        assert_eq!(done.completed(), 0);
        assert!(!done.wait(1, Duration::ZERO));
        done.finish(1, Some([1.0, 2.5]), None);
        assert_eq!(done.completed(), 2);
        assert!(done.wait(2, Duration::ZERO));
        assert_eq!((done.times(1), done.times(2)), (Some((1.0, 2.5)), None));
    }

    #[test]
    fn who_waits_is_woken() {
        let done = std::sync::Arc::new(Done::default());
        let other = done.clone();
        let thread = std::thread::spawn(move || other.finish(1, None, None));
        assert!(done.wait(1, Duration::MAX));
        thread.join().unwrap();
    }

    #[test]
    fn times_of_the_last_64_are_kept() {
        let done = Done::default();
        (1..=100).for_each(|serial| done.finish(serial, Some([0.0, 1.0]), None));
        assert_eq!((done.times(36), done.times(37)), (None, Some((0.0, 1.0))));
    }

    #[test]
    fn faults_are_bounded_and_the_loss_of_the_device_is_among_them() {
        let done = Done::default();
        (0..1000).for_each(|number| done.fault("draw", number.to_string()));
        assert!(!done.is_lost());
        done.finish(1, None, lost("gone"));
        done.finish(2, None, lost("gone, again"));
        let faults = done.take();
        assert_eq!(faults.len(), FAULTS + 2);
        assert_eq!(faults.iter().filter(|fault| fault.lost).count(), 1);
        assert_eq!(faults.last().unwrap().text, "745 more");
        assert!(done.is_lost() && done.take().is_empty());
    }
}
