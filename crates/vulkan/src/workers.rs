//! A few threads for work that the render thread would rather not wait for.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Queue {
    jobs: VecDeque<Job>,
    /// Jobs that are being run.
    running: usize,
    closed: bool,
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
        // A job that panics must not leave the render thread waiting: the slot it should have filled is dropped, and
        // `help_until` looks again.
        if catch_unwind(AssertUnwindSafe(job)).is_err() {
            tracing::error!("a worker's job panicked; what it should have made is missing");
        }
        self.lock().running -= 1;
        self.done.notify_all();
    }
}

/// Threads and their queue.
pub(crate) struct Workers {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Workers {
    /// One thread per core but one, at most eight: the render thread helps when it has to wait.
    pub(crate) fn new(name: &str) -> Self {
        let shared = Arc::new(Shared::default());
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let threads = (0..cores.saturating_sub(1).clamp(1, 8))
            .filter_map(|index| {
                let shared = Arc::clone(&shared);
                std::thread::Builder::new().name(format!("{name} {index}")).spawn(move || serve(&shared)).ok()
            })
            .collect();
        Self { shared, threads }
    }

    /// Queues a job.
    pub(crate) fn run(&self, job: impl FnOnce() + Send + 'static) {
        self.shared.lock().jobs.push_back(Box::new(job));
        self.shared.ready.notify_one();
    }

    /// Works on the queue until `done` says so, or nothing is left that could bring it about.
    pub(crate) fn help_until(&self, done: impl Fn() -> bool) {
        loop {
            let mut queue = self.shared.lock();
            if done() {
                return;
            }
            match queue.jobs.pop_front() {
                Some(job) => {
                    queue.running += 1;
                    drop(queue);
                    self.shared.run(job);
                }
                None => {
                    let timeout = std::time::Duration::from_millis(50);
                    drop(self.shared.done.wait_timeout(queue, timeout).unwrap_or_else(PoisonError::into_inner));
                }
            }
        }
    }

    /// Waits until every job is done.
    pub(crate) fn finish(&self) {
        let mut queue = self.shared.lock();
        while queue.running > 0 || !queue.jobs.is_empty() {
            queue = self.shared.done.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn serve(shared: &Shared) {
    let mut queue = shared.lock();
    loop {
        if let Some(job) = queue.jobs.pop_front() {
            queue.running += 1;
            drop(queue);
            shared.run(job);
            queue = shared.lock();
        } else if queue.closed {
            return;
        } else {
            queue = shared.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        {
            let mut queue = self.shared.lock();
            queue.closed = true;
            queue.jobs.clear();
        }
        self.shared.ready.notify_all();
        for thread in self.threads.drain(..) {
            // A worker does not panic: `Shared::run` catches.
            let _joined = thread.join();
        }
    }
}
