//! A watchdog for renderers that have a process of their own: work that the GPU does not finish, and packets that take too long, are
//! blamed by name, and whoever made the process ends it.
//!
//! The renderer notes in its [`Journal`] what it does, and a thread looks there and at the semaphore of submissions. Time is what that
//! thread has seen go by, so that a machine which sleeps or is busy elsewhere makes nothing late.

use crate::own_process::{Cause, Hang};
use afterimage_ipc::Journal;
use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How often the thread looks.
const LOOK: Duration = Duration::from_millis(100);

/// A packet may take so many times what a submission may: it is where the driver compiles.
const OF_PACKETS: u32 = 10;

/// What has been seen of something that may take too long.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// Which one it is; 0 for none.
    which: u64,
    /// How long it has been that one.
    age: Duration,
}

impl Seen {
    /// It is this one now, and so much time has gone by since the last look.
    fn check(&mut self, which: u64, passed: Duration) {
        *self = match self.which == which && which != 0 {
            true => Self { which, age: self.age + passed },
            false => Self { which, age: Duration::ZERO },
        };
    }
}

/// What the thread has seen.
struct Dog {
    journal: Arc<Journal>,
    limit: Duration,
    submission: Seen,
    packet: Seen,
}

impl Dog {
    fn new(journal: Arc<Journal>, limit: Duration) -> Self {
        Self { journal, limit, submission: Seen::default(), packet: Seen::default() }
    }

    /// Looks, `passed` behind the last time; the GPU has completed so many submissions. What takes too long, if something does.
    fn check(&mut self, passed: Duration, completed: Option<u64>) -> Option<Hang> {
        let journal = &self.journal;
        journal.complete(completed.unwrap_or(0));
        // The GPU has one queue, so that the oldest is the one that it is at.
        let oldest = journal.completed().saturating_add(1);
        self.submission.check(if oldest <= journal.submitted() { oldest } else { 0 }, passed);
        self.packet.check(journal.packet(), passed);
        journal.set_busy(self.packet.age);
        let (cause, limit, work) = if self.submission.age > self.limit {
            (Cause::Submission, self.limit, journal.work(oldest))
        } else if self.packet.age > self.limit.saturating_mul(OF_PACKETS) {
            (Cause::Packet, self.limit.saturating_mul(OF_PACKETS), None)
        } else {
            return None;
        };
        Some(Hang { cause, limit, work, doing: journal.read() })
    }
}

#[derive(Debug, Default)]
struct Stop {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    /// Waits so long; true if the thread is to end.
    fn wait(&self, time: Duration) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        let wait = self.changed.wait_timeout_while(stopped, time, |stopped| !*stopped);
        *wait.unwrap_or_else(PoisonError::into_inner).0
    }
}

/// The thread. Dropping this ends it.
#[derive(Debug)]
pub struct Watchdog {
    stop: Arc<Stop>,
    thread: Option<JoinHandle<()>>,
}

impl Watchdog {
    /// Begins to look; `completed` says which submission the GPU has completed last, if the journal does not say it.
    ///
    /// # Errors
    /// The system has no thread left.
    pub fn new(
        journal: Arc<Journal>,
        limit: Duration,
        on_hang: Arc<dyn Fn(&Hang) + Send + Sync>,
        completed: impl Fn() -> Option<u64> + Send + 'static,
    ) -> io::Result<Self> {
        let stop = Arc::new(Stop::default());
        let (other, mut dog) = (Arc::clone(&stop), Dog::new(journal, limit));
        let step = LOOK.min(limit / 4).max(Duration::from_millis(1));
        let check = move || {
            let mut last = Instant::now();
            while !other.wait(step) {
                let now = Instant::now();
                // A process that was stopped, or got no time, did not wait for the GPU.
                let passed = now.duration_since(std::mem::replace(&mut last, now)).min(step * 2);
                if let Some(hang) = dog.check(passed, completed()) {
                    return on_hang(&hang);
                }
            }
        };
        let thread = std::thread::Builder::new().name("watchdog".to_owned()).spawn(check)?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        *self.stop.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.stop.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // Only what was called for a hang can have panicked, and has said so.
            let _joined = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::own_process::{OF_CPUS, OF_GPUS, OwnProcess};
    use afterimage_config::Settings;
    use afterimage_ipc::Work;
    use afterimage_stream::packets::Kind;
    use std::path::Path;
    use std::sync::mpsc;

    const STEP: Duration = Duration::from_millis(100);
    const LIMIT: Duration = Duration::from_secs(1);

    fn dog() -> (Arc<Journal>, Dog) {
        let journal = Arc::new(Journal::local());
        (Arc::clone(&journal), Dog::new(journal, LIMIT))
    }

    /// How many steps it takes until something has taken too long, of a hundred.
    fn steps(dog: &mut Dog, completed: u64) -> Option<(usize, Hang)> {
        (0..100).find_map(|step| Some((step, dog.check(STEP, Some(completed))?)))
    }

    #[test]
    fn the_oldest_submission_is_blamed_when_its_time_is_over() {
        let (journal, mut dog) = dog();
        assert_eq!(steps(&mut dog, 0), None, "nothing is under way");
        journal.submit(1, &Work { frames: [7; 2], draws: [1, 3], ..Work::default() });
        journal.submit(2, &Work { frames: [8; 2], ..Work::default() });
        let (step, hang) = steps(&mut dog, 0).unwrap();
        assert_eq!((step, hang.cause, hang.limit), (11, Cause::Submission, LIMIT));
        assert_eq!(hang.to_string(), "the GPU did not finish a submission within 1 s: frame 7, draw 1 to 3");
        assert_eq!(hang.doing.in_flight.len(), 2);
    }

    #[test]
    fn one_after_the_other_takes_as_long_as_it_takes() {
        let (journal, mut dog) = dog();
        (1..=1000).for_each(|number| journal.submit(number, &Work::default()));
        for number in 0..1000 {
            assert!((0..10).all(|_| dog.check(STEP, Some(number)).is_none()), "each in its time");
        }
        assert_eq!(steps(&mut dog, 1000), None);
        // With more in flight than the journal has room for.
        assert_eq!(steps(&mut dog, 900), None, "what is completed stays so");
        (1001..=1100).for_each(|number| journal.submit(number, &Work::default()));
        let (_, hang) = steps(&mut dog, 1000).unwrap();
        assert!(
            hang.to_string().starts_with("the GPU did not finish a submission within 1 s, behind the GPU at"),
            "{hang}"
        );
    }

    #[test]
    fn a_packet_has_ten_times_as_long() {
        let (journal, mut dog) = dog();
        journal.begin_frame(2);
        journal.begin_packet(Kind::CreateShader, 17);
        let (step, hang) = (0..1000).find_map(|step| Some((step, dog.check(STEP, Some(0))?))).unwrap();
        assert_eq!((step, hang.cause, journal.read().busy), (101, Cause::Packet, STEP * 101));
        assert_eq!(hang.to_string(), "a packet took longer than 10 s: frame 2, packet CreateShader (sequence 17)");
        for sequence in 18..1000 {
            journal.begin_packet(Kind::CreateShader, sequence);
            assert!((0..20).all(|_| dog.check(STEP, Some(0)).is_none()));
        }
        journal.end_packet();
        assert!((0..1000).all(|_| dog.check(STEP, Some(0)).is_none()), "between packets there is all the time");
    }

    #[test]
    fn the_thread_says_it_once_and_ends_when_it_is_told_to() {
        let journal = Arc::new(Journal::local());
        journal.submit(1, &Work::default());
        let (send, receive) = mpsc::channel();
        let on_hang = Arc::new(move |hang: &Hang| send.send(hang.clone()).unwrap());
        let dog = Watchdog::new(Arc::clone(&journal), Duration::from_millis(4), on_hang, || Some(0)).unwrap();
        assert_eq!(receive.recv().unwrap().cause, Cause::Submission);
        drop(dog);
        assert!(receive.recv().is_err(), "it is gone, and so is what it called");
    }

    #[test]
    fn the_timeout_is_the_configuration_s_or_suits_the_device() {
        let own = |text: &str| OwnProcess {
            journal: None,
            gpu_timeout: OwnProcess::timeout_of(&Settings::of_text("x", Path::new("f"), text)),
            opened: None,
            on_hang: Arc::new(|_| {}),
        };
        let (cpu, gpu) = (true, false);
        assert_eq!((own("").timeout_on(cpu), own("").timeout_on(gpu)), (OF_CPUS, OF_GPUS));
        assert_eq!(own("gpu_timeout_s = 3").timeout_on(cpu), Duration::from_secs(3));
    }
}
