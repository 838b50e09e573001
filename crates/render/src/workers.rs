//! A few threads for work that the render thread would rather not wait for.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

type Job = Box<dyn FnOnce() + Send>;

/// A value that the first thread to come makes, and that others may wait for. `None` inside: it cannot be made.
pub struct Once<T> {
    begun: AtomicBool,
    made: OnceLock<Option<T>>,
}

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self { begun: AtomicBool::new(false), made: OnceLock::new() }
    }
}

impl<T> Once<T> {
    /// Makes the value, unless that has begun already; true if it was made here. A panic counts as a failure, so that
    /// nobody waits forever.
    pub fn make(&self, make: impl FnOnce() -> Option<T>) -> bool {
        if self.begun.swap(true, Ordering::AcqRel) {
            return false;
        }
        let made = catch_unwind(AssertUnwindSafe(make)).unwrap_or_else(|_| {
            tracing::error!("a panic while something was being made; it is missing");
            None
        });
        self.made.set(made).is_ok()
    }

    /// Whether somebody makes the value or has made it.
    pub fn begun(&self) -> bool {
        self.begun.load(Ordering::Acquire)
    }

    /// The value, once it is there.
    #[inline]
    pub fn get(&self) -> Option<&Option<T>> {
        self.made.get()
    }

    /// The value; waits until it is there, so somebody must have begun.
    pub fn wait(&self) -> &Option<T> {
        self.made.wait()
    }
}

/// How soon a job's result is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Urgency {
    /// It may never be. Done when nothing else is left and no draw has waited for a while: drivers make pipelines at the
    /// same time only so far.
    Guess,
    /// What was drawn says that it will be.
    Likely,
    /// The last run had it, and this one probably will.
    Known,
    /// A part of pipelines, which is needed whatever its shader is drawn with.
    Part,
    /// A draw will ask for it.
    Soon,
}

/// Guesses begin when no draw has waited for this long.
const CALM: Duration = Duration::from_millis(100);

#[derive(Default)]
struct Queue {
    soon: VecDeque<Job>,
    parts: VecDeque<Job>,
    known: VecDeque<Job>,
    guesses: VecDeque<Job>,
    /// When a draw last waited.
    waited: Option<Instant>,
    /// Jobs that are being run.
    running: usize,
    closed: bool,
}

impl Queue {
    fn take_urgent(&mut self) -> Option<Job> {
        [&mut self.soon, &mut self.parts, &mut self.known].into_iter().find_map(VecDeque::pop_front)
    }

    /// The next job, or how long until a guess may begin.
    fn next(&mut self) -> Result<Job, Option<Duration>> {
        if let Some(job) = self.take_urgent() {
            return Ok(job);
        }
        let left = self.waited.and_then(|waited| CALM.checked_sub(waited.elapsed()));
        match left.filter(|left| !left.is_zero()) {
            None => self.guesses.pop_front().ok_or(None),
            left => Err(left.filter(|_| !self.guesses.is_empty())),
        }
    }

    fn is_empty(&self) -> bool {
        [&self.soon, &self.parts, &self.known, &self.guesses].into_iter().all(VecDeque::is_empty)
    }

    fn clear(&mut self) {
        self.soon.clear();
        self.parts.clear();
        self.known.clear();
        self.guesses.clear();
    }
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    ready: Condvar,
    done: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, job: Job) {
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a worker's job panicked");
        }
        self.lock().running -= 1;
        self.done.notify_all();
    }
}

/// Threads and their queues.
pub struct Workers {
    shared: Arc<Shared>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Workers {
    /// One thread per core but one, at most eight: the render thread helps when it has to wait.
    pub fn new(name: &str) -> Self {
        let shared = Arc::new(Shared::default());
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let threads = (0..cores.saturating_sub(1).clamp(1, 8))
            .filter_map(|index| {
                let shared = Arc::clone(&shared);
                std::thread::Builder::new().name(format!("{name} {index}")).spawn(move || serve(&shared)).ok()
            })
            .collect();
        Self { shared, threads: Mutex::new(threads) }
    }

    /// Queues a job.
    pub fn run(&self, urgency: Urgency, job: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.lock();
        match urgency {
            Urgency::Soon => queue.soon.push_back(Box::new(job)),
            Urgency::Part => queue.parts.push_back(Box::new(job)),
            Urgency::Likely | Urgency::Known => queue.known.push_back(Box::new(job)),
            Urgency::Guess => queue.guesses.push_back(Box::new(job)),
        }
        drop(queue);
        self.shared.ready.notify_one();
    }

    /// A draw waits: guesses are put off.
    pub fn put_off_guesses(&self) {
        self.shared.lock().waited = Some(Instant::now());
    }

    /// Does jobs that are wanted soon until the value is there. Somebody must have begun to make it.
    pub fn help_until<'a, T>(&self, value: &'a Once<T>) -> &'a Option<T> {
        loop {
            if let Some(made) = value.get() {
                return made;
            }
            let mut queue = self.shared.lock();
            queue.waited = Some(Instant::now());
            match queue.soon.pop_front() {
                Some(job) => {
                    queue.running += 1;
                    drop(queue);
                    self.shared.run(job);
                }
                None => {
                    drop(queue);
                    return value.wait();
                }
            }
        }
    }

    /// Jobs that are being run or will be.
    pub fn pending(&self) -> usize {
        let queue = self.shared.lock();
        queue.running + queue.soon.len() + queue.parts.len() + queue.known.len() + queue.guesses.len()
    }

    /// Waits until every job is done.
    pub fn finish(&self) {
        let mut queue = self.shared.lock();
        queue.waited = None;
        self.shared.ready.notify_all();
        while queue.running > 0 || !queue.is_empty() {
            let timeout = Duration::from_millis(50);
            queue = self.shared.done.wait_timeout(queue, timeout).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Ends the threads: jobs that have begun are done, the others never will be.
    pub fn stop(&self) {
        {
            let mut queue = self.shared.lock();
            queue.closed = true;
            queue.clear();
        }
        self.shared.ready.notify_all();
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // A worker does not panic: `Shared::run` catches.
            let _joined = thread.join();
        }
    }
}

fn serve(shared: &Shared) {
    let mut queue = shared.lock();
    loop {
        if queue.closed {
            return;
        }
        queue = match queue.next() {
            Ok(job) => {
                queue.running += 1;
                drop(queue);
                shared.run(job);
                shared.lock()
            }
            Err(None) => shared.ready.wait(queue).unwrap_or_else(PoisonError::into_inner),
            Err(Some(left)) => shared.ready.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0,
        };
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_thread_makes_and_all_get_it() {
        let workers = Workers::new("test");
        let (value, made) = (Arc::new(Once::default()), Arc::new(AtomicBool::new(false)));
        for urgency in [Urgency::Guess, Urgency::Likely, Urgency::Known, Urgency::Part, Urgency::Soon] {
            let (value, made) = (Arc::clone(&value), Arc::clone(&made));
            workers.run(urgency, move || {
                value.make(|| {
                    assert!(!made.swap(true, Ordering::Relaxed), "made twice");
                    // So that the others come while it is made.
                    std::thread::sleep(Duration::from_millis(20));
                    Some(7)
                });
            });
        }
        value.make(|| Some(7));
        assert_eq!(workers.help_until(&value), &Some(7));
        workers.finish();
        assert_eq!(value.get(), Some(&Some(7)));
    }

    #[test]
    fn a_panic_is_a_failure_and_no_wait() {
        let workers = Workers::new("test");
        let value = Arc::new(Once::<u32>::default());
        let (maker, other) = (Arc::clone(&value), Arc::clone(&value));
        workers.run(Urgency::Soon, move || {
            maker.make(|| panic!("as the test wants"));
        });
        workers.run(Urgency::Soon, || panic!("another"));
        workers.finish();
        assert!(!other.make(|| Some(1)), "it was begun");
        assert_eq!(workers.help_until(&value), &None);
    }

    #[test]
    fn what_is_wanted_soon_goes_first_and_stopping_forgets_the_rest() {
        let workers = Workers::new("test");
        let (gate, order) = (Arc::new(Once::<()>::default()), Arc::new(Mutex::new(Vec::new())));
        let threads = workers.threads.lock().unwrap().len();
        for _ in 0..threads {
            let gate = Arc::clone(&gate);
            workers.run(Urgency::Soon, move || {
                gate.wait();
            });
        }
        for (urgency, number) in [(Urgency::Guess, 4), (Urgency::Known, 3), (Urgency::Part, 2), (Urgency::Soon, 1)] {
            let order = Arc::clone(&order);
            workers.run(urgency, move || order.lock().unwrap().push(number));
        }
        gate.make(|| Some(()));
        workers.finish();
        if threads == 1 {
            assert_eq!(*order.lock().unwrap(), [1, 2, 3, 4]);
        }
        assert_eq!(order.lock().unwrap().len(), 4);
        workers.stop();
        let order = Arc::clone(&order);
        workers.run(Urgency::Soon, move || order.lock().unwrap().push(5));
    }
}
