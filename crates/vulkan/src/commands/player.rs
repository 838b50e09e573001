//! A thread that plays lists of calls into the command buffer while the next ones are made.

use crate::commands::list::List;
use crate::device::gpu::Gpu;
use ash::vk;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, TryRecvError, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Lists that may wait.
const QUEUE: usize = 64;
/// How long the thread looks for the next list before it sleeps: waking it up takes longer than playing a few lists.
const LOOK: Duration = Duration::from_micros(50);
/// Looks until the clock is asked.
const LOOKS: u32 = 64;

/// The thread, and how far it has come.
pub(crate) struct Player {
    /// Until the end.
    lists: Option<SyncSender<(vk::CommandBuffer, List)>>,
    /// Lists that have been played, empty.
    spare: Receiver<List>,
    sent: u64,
    played: Arc<AtomicU64>,
    thread: Option<JoinHandle<()>>,
}

impl Player {
    /// `None` where there can be no thread.
    pub(crate) fn new(gpu: &Arc<Gpu>) -> Option<Self> {
        let (lists, incoming) = sync_channel(QUEUE);
        let (back, spare) = channel();
        let played = Arc::new(AtomicU64::new(0));
        let (gpu, count) = (Arc::clone(gpu), Arc::clone(&played));
        let thread = std::thread::Builder::new().name("recording".to_owned());
        let thread = thread.spawn(move || play_all(&gpu, &incoming, &back, &count)).ok()?;
        Some(Self { lists: Some(lists), spare, sent: 0, played, thread: Some(thread) })
    }

    /// Takes what is in a list, which is empty then.
    ///
    /// # Safety
    /// As [`List::play`], until [`Player::finish`] returns.
    pub(crate) unsafe fn send(&mut self, cmd: vk::CommandBuffer, list: &mut List) {
        let full = std::mem::replace(list, self.spare.try_recv().unwrap_or_default());
        if self.lists.as_ref().is_some_and(|lists| lists.send((cmd, full)).is_ok()) {
            self.sent += 1;
        }
    }

    /// Waits until everything has been played.
    pub(crate) fn finish(&self) {
        let mut looks = 0u32;
        while self.played.load(Ordering::Acquire) < self.sent {
            looks += 1;
            if looks < 1000 {
                std::hint::spin_loop();
            } else {
                std::thread::yield_now();
            }
            if looks.is_multiple_of(1 << 16) && self.thread.as_ref().is_none_or(JoinHandle::is_finished) {
                return;
            }
        }
    }
}

impl Drop for Player {
    fn drop(&mut self) {
        self.lists = None;
        self.thread.take().map(JoinHandle::join);
    }
}

fn play_all(gpu: &Gpu, incoming: &Receiver<(vk::CommandBuffer, List)>, back: &Sender<List>, played: &AtomicU64) {
    while let Some((cmd, mut list)) = next(incoming) {
        // SAFETY: `send`'s caller promises it.
        unsafe { list.play(gpu, cmd, None) };
        played.fetch_add(1, Ordering::Release);
        // Whoever is gone needs no list.
        let _gone = back.send(list);
    }
}

fn next(incoming: &Receiver<(vk::CommandBuffer, List)>) -> Option<(vk::CommandBuffer, List)> {
    let start = Instant::now();
    loop {
        for _ in 0..LOOKS {
            match incoming.try_recv() {
                Ok(list) => return Some(list),
                Err(TryRecvError::Disconnected) => return None,
                Err(TryRecvError::Empty) => std::hint::spin_loop(),
            }
        }
        if start.elapsed() >= LOOK {
            return incoming.recv().ok();
        }
    }
}
