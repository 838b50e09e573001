//! The transport within one process: a bounded queue of batches from the guest's thread to the render thread.
//!
//! A batch is a vector that changes hands, so nothing is copied and, once vectors have been round the queue, nothing is
//! allocated. Uploads go into slots that a [`SlotFactory`] made, possibly memory that the GPU reads.
//!
//! ```
//! use afterimage_ipc::{ArenaConfig, HeapSlots, in_process};
//! use afterimage_stream::{Arena, DeviceInfo, Executor, Link, Reply, StreamError};
//!
//! struct Count(usize);
//! impl Executor for Count {
//!     fn execute(
//!         &mut self,
//!         batch: &[u64],
//!         _: &dyn Arena,
//!         _: &mut dyn FnMut(Reply),
//!     ) -> Result<(), Box<StreamError>> {
//!         self.0 += batch.len();
//!         Ok(())
//!     }
//!     fn poll(&mut self, _: &mut dyn FnMut(Reply)) {}
//! }
//!
//! let (mut link, mut receiver) = in_process::pair(ArenaConfig::default(), DeviceInfo::default(), Box::new(HeapSlots));
//! let render_thread = std::thread::spawn(move || {
//!     let mut executor = Count(0);
//!     in_process::serve(&mut receiver, &mut executor);
//!     executor.0
//! });
//! link.submit(&mut vec![1, 2, 3]).unwrap();
//! drop(link);
//! assert_eq!(render_thread.join().unwrap(), 3);
//! ```

use crate::arena::{ArenaConfig, MAX_SLOTS, Outcome, Rotation};
use crate::maker::Maker;
use crate::memory::{SlotFactory, SlotMemory};
pub use crate::receiver::serve;
use crate::receiver::{NAP, Received, Receiver, within};
use afterimage_stream::{Arena, DeviceInfo, Link, LinkError, Reply, UploadRef};
use std::any::Any;
use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// Words that may wait in the queue: 8 MiB. One batch is accepted whatever its size.
const QUEUE_WORDS: usize = 1 << 20;
/// Batches that may wait in the queue.
const QUEUE_BATCHES: usize = 256;
/// Vectors kept for reuse.
const SPARE_BATCHES: usize = 64;
/// How long the receiver looks for the next batch before it sleeps: a wake-up costs the guest's thread microseconds.
const SPIN: Duration = Duration::from_micros(20);

/// Makes both ends. `device` is what [`Link::device`] will answer.
#[must_use]
pub fn pair(
    config: ArenaConfig,
    device: DeviceInfo,
    factory: Box<dyn SlotFactory>,
) -> (InProcessLink, InProcessReceiver) {
    let config = config.with_slots_of(factory.most_bytes());
    let shared = Arc::new(Shared {
        queue: Mutex::new(Queue::default()),
        batch_ready: Condvar::new(),
        room_ready: Condvar::new(),
        submitted: AtomicU64::new(0),
        idle: AtomicBool::new(true),
        replies: Mutex::new(Replies::default()),
        reply_ready: Condvar::new(),
        replied: AtomicBool::new(false),
        guest_asks: AtomicBool::new(false),
        guest_waits: AtomicBool::new(false),
        slots: [const { OnceLock::new() }; MAX_SLOTS],
    });
    let link = InProcessLink {
        shared: Arc::clone(&shared),
        arena: Rotation::new(config),
        maker: Maker::new(factory),
        device: Box::new(device),
        inbox: VecDeque::new(),
        captures: None,
        attached: None,
    };
    (link, InProcessReceiver { shared, taken: VecDeque::new(), done: Vec::new(), seen: 0, eager: false })
}

#[derive(Default)]
struct Queue {
    batches: VecDeque<Vec<u64>>,
    spare: Vec<Vec<u64>>,
    words: usize,
    receiver_sleeps: bool,
    guest_sleeps: bool,
    guest_gone: bool,
    receiver_gone: bool,
}

#[derive(Default)]
struct Replies {
    list: VecDeque<Reply>,
    guest_sleeps: bool,
    receiver_gone: bool,
}

struct Shared {
    queue: Mutex<Queue>,
    batch_ready: Condvar,
    room_ready: Condvar,
    /// Batches submitted so far: what the receiver watches while it spins.
    submitted: AtomicU64,
    /// Whether the receiver has executed everything: set by it, cleared by a batch. See [`Link::is_idle`].
    idle: AtomicBool,
    replies: Mutex<Replies>,
    reply_ready: Condvar,
    /// Whether `replies` may hold something (or the receiver is gone).
    replied: AtomicBool,
    /// Whether the guest has looked for a reply since the receiver last looked at the GPU.
    guest_asks: AtomicBool,
    /// Whether the guest sleeps until there is a reply.
    guest_waits: AtomicBool,
    slots: [OnceLock<SlotMemory>; MAX_SLOTS],
}

/// A thread that panicked with the lock held left plain data behind; the other end must still be able to say so.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    fn guest_is_curious(&self) -> bool {
        self.guest_asks.load(Ordering::Acquire) || self.guest_waits.load(Ordering::Acquire)
    }

    fn slot(&self, slot: u32) -> Option<&SlotMemory> {
        self.slots.get(slot as usize)?.get()
    }

    /// The guest's end is gone.
    fn end(&self) {
        let mut queue = lock(&self.queue);
        queue.guest_gone = true;
        if queue.guest_sleeps {
            self.room_ready.notify_one();
        }
        drop(queue);
        self.submitted.fetch_add(1, Ordering::Release);
        self.batch_ready.notify_one();
    }
}

/// The guest's end.
pub struct InProcessLink {
    shared: Arc<Shared>,
    arena: Rotation,
    maker: Maker,
    device: Box<DeviceInfo>,
    /// Replies that were taken while waiting for another one.
    inbox: VecDeque<Reply>,
    captures: Option<Captures>,
    /// Dropped once the receiver knows that nothing more comes.
    attached: Option<Box<dyn Any + Send>>,
}

/// Who is told that frames should be captured to a file.
type Captures = Box<dyn Fn(&Path, u64) + Send>;

impl InProcessLink {
    /// [`Link::capture_frames`] calls `ask`, such as what a renderer gives out for it.
    #[must_use]
    pub fn with_captures(mut self, ask: impl Fn(&Path, u64) + Send + 'static) -> Self {
        self.captures = Some(Box::new(ask));
        self
    }

    /// Has the link own what ends with it, such as the thread that serves the receiver: it is dropped once the receiver knows that
    /// nothing more comes, so it may wait for that.
    #[must_use]
    pub fn with_attached(mut self, attached: impl Any + Send) -> Self {
        self.attached = Some(Box::new(attached));
        self
    }

    /// What ends the stream while somebody else holds the link: the receiver gets what was submitted before, and the link's calls
    /// answer [`LinkError::Lost`] from then on. No slot of the arena is being made when it returns.
    pub fn ending(&self) -> impl Fn() + Send + Sync + 'static {
        let (shared, close) = (Arc::clone(&self.shared), self.maker.closing());
        move || {
            shared.end();
            close();
        }
    }

    /// Moves what the receiver has answered into the inbox. True where a frame is done.
    fn collect(&mut self) -> bool {
        if !self.shared.replied.swap(false, Ordering::Acquire) {
            return false;
        }
        let before = self.arena.frames_in_flight();
        let mut replies = lock(&self.shared.replies);
        if replies.receiver_gone {
            self.shared.replied.store(true, Ordering::Release);
        }
        for reply in replies.list.drain(..) {
            if let Reply::FrameDone { frame } = reply {
                self.arena.frame_done(frame);
            }
            self.inbox.push_back(reply);
        }
        self.arena.frames_in_flight() < before
    }

    /// Sleeps until there is a reply, or for a moment. False where no frame is out.
    fn wait_shortly(&mut self) -> bool {
        const MOMENT: Duration = Duration::from_micros(100);
        if self.arena.frames_in_flight() == 0 {
            return false;
        }
        self.ask();
        let mut replies = lock(&self.shared.replies);
        if replies.list.is_empty() && !replies.receiver_gone {
            replies.guest_sleeps = true;
            replies = self.shared.reply_ready.wait_timeout(replies, MOMENT).unwrap_or_else(PoisonError::into_inner).0;
            replies.guest_sleeps = false;
        }
        !replies.receiver_gone
    }

    /// Tells a sleeping receiver that somebody waits for the GPU.
    fn ask(&self) {
        if !self.shared.guest_asks.swap(true, Ordering::AcqRel) {
            let queue = lock(&self.shared.queue);
            if queue.receiver_sleeps {
                self.shared.batch_ready.notify_one();
            }
        }
    }

    /// Sleeps until there are replies that the inbox has not seen, and collects them.
    fn collect_or_wait(&mut self) -> Result<(), LinkError> {
        self.shared.guest_waits.store(true, Ordering::Release);
        self.ask();
        let result = self.sleep_until_replied();
        self.shared.guest_waits.store(false, Ordering::Release);
        self.collect();
        result
    }

    fn sleep_until_replied(&self) -> Result<(), LinkError> {
        let mut replies = lock(&self.shared.replies);
        while replies.list.is_empty() {
            if replies.receiver_gone {
                return Err(LinkError::Lost);
            }
            replies.guest_sleeps = true;
            replies = self.shared.reply_ready.wait(replies).unwrap_or_else(PoisonError::into_inner);
            replies.guest_sleeps = false;
        }
        Ok(())
    }
}

impl Link for InProcessLink {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        if batch.is_empty() {
            return Ok(());
        }
        let mut queue = lock(&self.shared.queue);
        while !queue.receiver_gone
            && !queue.guest_gone
            && (queue.batches.len() >= QUEUE_BATCHES
                || (queue.words + batch.len() > QUEUE_WORDS && !queue.batches.is_empty()))
        {
            queue.guest_sleeps = true;
            queue = self.shared.room_ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
            queue.guest_sleeps = false;
        }
        if queue.receiver_gone || queue.guest_gone {
            batch.clear();
            return Err(LinkError::Lost);
        }
        let spare = queue.spare.pop().unwrap_or_default();
        let full = std::mem::replace(batch, spare);
        queue.words += full.len();
        queue.batches.push_back(full);
        let wake = queue.receiver_sleeps;
        self.shared.idle.store(false, Ordering::Relaxed);
        drop(queue);
        self.shared.submitted.fetch_add(1, Ordering::Release);
        if wake {
            self.shared.batch_ready.notify_one();
        }
        Ok(())
    }

    #[inline]
    fn is_idle(&self) -> bool {
        self.shared.idle.load(Ordering::Relaxed)
    }

    #[inline]
    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        loop {
            match self.arena.alloc(size, align) {
                Outcome::At(range) => {
                    // The slot's first bytes.
                    if range.offset == 0
                        && let Some(bytes) = self.arena.wants_spare()
                    {
                        self.maker.make_spare(bytes);
                    }
                    return Ok(range);
                }
                // A frame may be done by now, or be done before a slot is.
                Outcome::NeedSlot(_) if self.collect() => {}
                Outcome::NeedSlot(bytes) if self.maker.is_making(bytes) && self.wait_shortly() => {}
                Outcome::NeedSlot(bytes) => match self.maker.make(bytes) {
                    Some(memory) => {
                        let slot = self.arena.add_slot(memory.region.bytes());
                        tracing::debug!(slot, bytes, "upload arena grows");
                        let fresh = self.shared.slots[slot as usize].set(memory);
                        debug_assert!(fresh.is_ok(), "slot numbers go up");
                    }
                    None => {
                        tracing::warn!(bytes, "no memory for another slot of the upload arena");
                        self.arena.stop_growing();
                    }
                },
                Outcome::Wait => self.collect_or_wait()?,
                Outcome::Full => {
                    let limit = self.arena.config().limit_bytes;
                    return Err(LinkError::ArenaFull { wanted: u64::from(size), limit });
                }
            }
        }
    }

    fn frame_bytes(&self) -> u64 {
        self.arena.config().frame_bytes()
    }

    #[inline]
    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        let bytes = &bytes[..bytes.len().min(range.size.saturating_sub(at) as usize)];
        if let Some(slot) = self.shared.slot(range.slot) {
            let _inside = slot.region.write(range.offset.saturating_add(u64::from(at)), bytes);
        }
    }

    fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]) {
        let len = out.len().min(range.size.saturating_sub(at) as usize);
        if let Some(slot) = self.shared.slot(range.slot) {
            let _inside = slot.region.read(range.offset.saturating_add(u64::from(at)), &mut out[..len]);
        }
    }

    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError> {
        self.arena.end_frame(frame);
        self.collect();
        while self.arena.must_wait() {
            self.collect_or_wait()?;
        }
        Ok(())
    }

    #[inline]
    fn poll(&mut self) -> Option<Reply> {
        if self.inbox.is_empty() {
            self.collect();
            if self.inbox.is_empty() {
                self.ask();
            }
        }
        self.inbox.pop_front()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        loop {
            if let Some(reply) = self.inbox.pop_front() {
                return Ok(reply);
            }
            self.collect_or_wait()?;
        }
    }

    fn epoch(&mut self) -> u32 {
        1
    }

    fn device(&self) -> &DeviceInfo {
        &self.device
    }

    fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.captures.as_ref().map(|ask| ask(path, frames)).is_some()
    }
}

impl Drop for InProcessLink {
    fn drop(&mut self) {
        self.shared.end();
    }
}

/// The receiver's end. Dropping it makes the guest's calls answer [`LinkError::Lost`].
pub struct InProcessReceiver {
    shared: Arc<Shared>,
    /// Batches that have left the queue and wait for [`Receiver::next`]. They leave it all at once, and executed ones go
    /// back all at once: the guest, which takes the same lock, hardly ever meets us there.
    taken: VecDeque<Vec<u64>>,
    /// Executed batches.
    done: Vec<Vec<u64>>,
    /// What [`Shared::submitted`] was when the queue was last emptied.
    seen: u64,
    /// Whether the last look found a batch, so that the next one is likely to be near.
    eager: bool,
}

/// Loads every cache line of a batch. They come from the cache of the guest's core, which takes a twentieth of a microsecond
/// each when one is asked for after the other, as packets are read, and a tenth of that when they are asked for all at once.
fn fetch(batch: Vec<u64>) -> Received {
    const LINE_WORDS: usize = 8;
    std::hint::black_box(batch.iter().step_by(LINE_WORDS).fold(0, |all, word| all ^ word));
    Received::Batch(batch)
}

impl Receiver for InProcessReceiver {
    fn next(&mut self, timeout: Duration) -> Received {
        if let Some(batch) = self.taken.pop_front() {
            return fetch(batch);
        }
        let start = Instant::now();
        let spin = if self.eager { SPIN.min(timeout) } else { Duration::ZERO };
        self.eager = false;
        if self.shared.submitted.load(Ordering::Acquire) == self.seen {
            self.shared.idle.store(true, Ordering::Relaxed);
        }
        while self.shared.submitted.load(Ordering::Acquire) == self.seen && start.elapsed() < spin {
            std::hint::spin_loop();
        }
        let mut queue = lock(&self.shared.queue);
        let room = SPARE_BATCHES.saturating_sub(queue.spare.len());
        queue.spare.extend(self.done.drain(..).take(room));
        loop {
            if !queue.batches.is_empty() {
                std::mem::swap(&mut self.taken, &mut queue.batches);
                queue.words = 0;
                let wake = queue.guest_sleeps;
                // A batch that is counted a moment later costs one look in vain.
                self.seen = self.shared.submitted.load(Ordering::Acquire);
                drop(queue);
                self.eager = true;
                if wake {
                    self.shared.room_ready.notify_one();
                }
                return self.taken.pop_front().map_or(Received::Idle, fetch);
            }
            if queue.guest_gone {
                return Received::Closed;
            }
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() || (left > NAP && self.shared.guest_is_curious()) {
                return Received::Idle;
            }
            queue.receiver_sleeps = true;
            queue = self.shared.batch_ready.wait_timeout(queue, left).unwrap_or_else(PoisonError::into_inner).0;
            queue.receiver_sleeps = false;
        }
    }

    fn recycle(&mut self, mut batch: Vec<u64>) {
        if self.done.len() < SPARE_BATCHES {
            batch.clear();
            self.done.push(batch);
        }
    }

    fn reply(&self, reply: Reply) {
        let mut replies = lock(&self.shared.replies);
        replies.list.push_back(reply);
        self.shared.replied.store(true, Ordering::Release);
        let wake = replies.guest_sleeps;
        drop(replies);
        if wake {
            self.shared.reply_ready.notify_one();
        }
    }

    fn guest_asks(&self) -> bool {
        self.shared.guest_asks.swap(false, Ordering::AcqRel) || self.shared.guest_waits.load(Ordering::Acquire)
    }
}

impl Arena for InProcessReceiver {
    fn slot_size(&self, slot: u32) -> Option<u64> {
        Some(self.shared.slot(slot)?.region.bytes())
    }

    fn copy_out(&self, range: &UploadRef, at: u32, out: &mut [u8]) -> bool {
        match (self.shared.slot(range.slot), within(range, at, out.len())) {
            (Some(slot), Some(offset)) => slot.region.read(offset, out),
            _ => false,
        }
    }

    fn copy_in(&self, range: &UploadRef, at: u32, bytes: &[u8]) -> bool {
        match (self.shared.slot(range.slot), within(range, at, bytes.len())) {
            (Some(slot), Some(offset)) => slot.region.write(offset, bytes),
            _ => false,
        }
    }

    fn device_slot(&self, slot: u32) -> Option<u64> {
        self.shared.slot(slot)?.device
    }
}

impl Drop for InProcessReceiver {
    fn drop(&mut self) {
        lock(&self.shared.queue).receiver_gone = true;
        self.shared.room_ready.notify_one();
        lock(&self.shared.replies).receiver_gone = true;
        self.shared.replied.store(true, Ordering::Release);
        self.shared.reply_ready.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HeapSlots;
    use afterimage_stream::{Executor, StreamError};

    const SMALL: ArenaConfig =
        ArenaConfig { frames: 2, slot_bytes: 64 << 10, first_slot_bytes: 64 << 10, limit_bytes: 128 << 10 };

    fn ends(config: ArenaConfig) -> (InProcessLink, InProcessReceiver) {
        pair(config, DeviceInfo::default(), Box::new(HeapSlots))
    }

    /// Checks that words come in order; a word with the top bit set is the number of a frame, done two polls later.
    #[derive(Default)]
    struct Counter {
        next: u64,
        frames: VecDeque<(u64, u32)>,
    }

    const FRAME: u64 = 1 << 63;

    impl Executor for Counter {
        fn execute(&mut self, batch: &[u64], _: &dyn Arena, _: &mut dyn FnMut(Reply)) -> Result<(), Box<StreamError>> {
            for &word in batch {
                if word & FRAME != 0 {
                    self.frames.push_back((word & !FRAME, 2));
                } else {
                    assert_eq!(word, self.next);
                    self.next += 1;
                }
            }
            Ok(())
        }

        fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
            for (_, polls) in &mut self.frames {
                *polls = polls.saturating_sub(1);
            }
            while let Some(&(frame, 0)) = self.frames.front() {
                self.frames.pop_front();
                replies(Reply::FrameDone { frame });
            }
        }
    }

    #[test]
    fn batches_arrive_in_order_through_a_full_queue_and_frames_pace_the_guest() {
        let (mut link, mut receiver) = ends(SMALL);
        let render = std::thread::spawn(move || {
            let mut counter = Counter::default();
            serve(&mut receiver, &mut counter);
            counter.next
        });
        let mut next = 0;
        let mut batch = Vec::new();
        let mut done = 0;
        for frame in 1..=50 {
            for size in [1, 1000, 3, 200_000] {
                batch.extend(next..next + size);
                next += size;
                link.submit(&mut batch).unwrap();
                assert!(batch.is_empty());
            }
            link.alloc(40 << 10, 16).unwrap();
            batch.push(FRAME | frame);
            link.submit(&mut batch).unwrap();
            link.end_frame(frame).unwrap();
            while let Some(Reply::FrameDone { frame: last }) = link.poll() {
                done = last;
            }
            assert!(done + 1 >= frame, "at most one frame may be unfinished after end_frame");
        }
        while done < 50 {
            let Reply::FrameDone { frame } = link.wait().unwrap() else { panic!() };
            done = frame;
        }
        drop(link);
        assert_eq!(render.join().unwrap(), next);
    }

    #[test]
    fn a_receiver_that_goes_away_is_a_lost_link_not_a_hang() {
        let (mut link, receiver) = ends(SMALL);
        let guest = std::thread::spawn(move || {
            let waited = link.wait();
            let submitted = link.submit(&mut vec![1]);
            let framed = (link.end_frame(1), link.end_frame(2));
            (waited, submitted, framed)
        });
        // The guest waits by then, which nobody can see; it gets the same answers if not.
        std::thread::sleep(Duration::from_millis(20));
        drop(receiver);
        let (waited, submitted, framed) = guest.join().unwrap();
        assert_eq!(waited, Err(LinkError::Lost));
        assert_eq!(submitted, Err(LinkError::Lost));
        assert_eq!(framed, (Ok(()), Err(LinkError::Lost)));
    }

    #[test]
    fn uploads_reach_the_receiver_and_read_backs_the_guest() {
        let (mut link, receiver) = ends(SMALL);
        let range = link.alloc(100, 16).unwrap();
        link.write(&range, 10, &[7; 200]);
        let mut bytes = [0; 100];
        assert!(receiver.copy_out(&range, 0, &mut bytes));
        assert_eq!((bytes[9], bytes[10], bytes[99]), (0, 7, 7));
        assert!(receiver.copy_in(&range, 0, &[9; 4]));
        let mut back = [0; 200];
        link.read(&range, 0, &mut back);
        assert_eq!((back[3], back[4], back[99], back[100]), (9, 0, 7, 0));
        assert!(!receiver.copy_out(&range, 1, &mut bytes), "past the range");
        let wild = UploadRef { slot: 0, size: 8, offset: u64::MAX - 3 };
        assert!(!receiver.copy_out(&wild, 4, &mut [0; 4]));
        assert!(!receiver.copy_in(&UploadRef { slot: 9, ..range }, 0, &[1]));
        assert_eq!((receiver.slot_size(0), receiver.slot_size(1)), (Some(64 << 10), None));
    }

    #[test]
    fn a_full_arena_says_so() {
        let (mut link, _receiver) = ends(SMALL);
        link.alloc(60 << 10, 16).unwrap();
        link.alloc(60 << 10, 16).unwrap();
        assert_eq!(link.alloc(60 << 10, 16), Err(LinkError::ArenaFull { wanted: 60 << 10, limit: 128 << 10 }));
        link.alloc(1 << 10, 16).unwrap();
    }
}
