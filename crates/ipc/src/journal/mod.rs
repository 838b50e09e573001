//! What a renderer is doing, in a page that another process can read, also when the renderer is dead.
//!
//! The renderer stores a word or two per packet (none for state that only the next draw reads) and knows of no reader. The
//! reader maps the same memory: whatever became of the renderer, the last packet, the shaders being translated and the work that
//! the GPU had are there, by name. Words that belong together may be from different moments; whoever wrote nonsense has nonsense
//! read, and nothing else.

mod doing;
#[cfg(unix)]
mod file;

use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Kind, Stage};
pub use doing::{Doing, SUSPECTS, Suspect, Task, Work};
use std::fmt;
use std::ptr::NonNull;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::Duration;

/// Tasks that are noted at a time: workers of a renderer are fewer.
const TASKS: usize = 16;
/// Submissions that are noted: more are seldom in flight.
const WORKS: usize = 32;
/// Words of a submission: number, frames, draws, and three for each shader.
const WORK_WORDS: usize = 4 + 3 * SUSPECTS;

/// Where things lie, in words.
mod at {
    /// Says of a file that it is a journal.
    #[cfg(unix)]
    pub(super) const MAGIC: usize = 0;
    /// Kind of the packet that is being executed, and its sequence number above; 0 between batches.
    pub(super) const PACKET: usize = 1;
    /// Milliseconds that it has taken, if somebody looks.
    pub(super) const BUSY: usize = 2;
    /// One more than the number of the frame; 0 before the first.
    pub(super) const FRAME: usize = 3;
    /// Draws and dispatches of the frame so far.
    pub(super) const DRAW: usize = 4;
    /// The last submission, and the last one that the GPU is known to have completed.
    pub(super) const SUBMITTED: usize = 5;
    pub(super) const COMPLETED: usize = 6;
    /// Kind of each task (0 for none) with a count above, and its shader.
    pub(super) const TASKS: usize = 16;
    /// Submissions; each has its number modulo their count for its place.
    pub(super) const WORKS: usize = TASKS + 2 * super::TASKS;
    pub(super) const END: usize = WORKS + super::WORKS * super::WORK_WORDS;
}

/// Two pages.
const WORDS: usize = 1024;
const _: () = assert!(at::END <= WORDS);

enum Memory {
    /// A box of this process.
    Own,
    #[cfg(unix)]
    File(file::Mapped),
}

/// The page. Every access is a word at a time, from any thread and any process.
pub struct Journal {
    words: NonNull<[AtomicU64; WORDS]>,
    memory: Memory,
    /// A renderer of this process writes it.
    taken: AtomicBool,
}

// SAFETY: the memory stays where it is for as long as the value lives, and every access to it is atomic.
unsafe impl Send for Journal {}
// SAFETY: as above.
unsafe impl Sync for Journal {}

impl fmt::Debug for Journal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Journal").field("doing", &self.read()).finish_non_exhaustive()
    }
}

impl Journal {
    /// One that only this process sees.
    #[must_use]
    pub fn local() -> Self {
        let words = Box::new([const { AtomicU64::new(0) }; WORDS]);
        Self { words: NonNull::from(Box::leak(words)), memory: Memory::Own, taken: AtomicBool::new(false) }
    }

    #[inline]
    fn word(&self, at: usize) -> &AtomicU64 {
        // SAFETY: `memory` keeps the words mapped, aligned (a page or a box of them) and as many; all access is atomic.
        let words = unsafe { self.words.as_ref() };
        &words[at]
    }

    #[inline]
    fn set(&self, at: usize, value: u64) {
        self.word(at).store(value, Relaxed);
    }

    fn get(&self, at: usize) -> u64 {
        self.word(at).load(Relaxed)
    }

    /// A packet begins to be executed.
    #[inline]
    pub fn begin_packet(&self, kind: Kind, sequence: u32) {
        self.set(at::PACKET, u64::from(sequence) << 32 | u64::from(kind as u16));
    }

    /// No packet is being executed.
    #[inline]
    pub fn end_packet(&self) {
        self.set(at::PACKET, 0);
    }

    /// Something that changes with each packet, and 0 where none is being executed.
    #[must_use]
    pub fn packet(&self) -> u64 {
        self.get(at::PACKET)
    }

    /// The packet has taken so long.
    pub fn set_busy(&self, busy: Duration) {
        self.set(at::BUSY, u64::try_from(busy.as_millis()).unwrap_or(u64::MAX));
    }

    /// A frame begins.
    pub fn begin_frame(&self, frame: u64) {
        self.set(at::DRAW, 0);
        self.set(at::FRAME, frame.wrapping_add(1));
    }

    /// A draw or dispatch begins, the frame's so-many-eth.
    #[inline]
    pub fn begin_draw(&self, draw: u32) {
        self.set(at::DRAW, draw.into());
    }

    /// A thread begins a task with a shader, and does it until the answer is dropped.
    pub fn begin_task(&self, task: Task, hash: u64) -> Doer<'_> {
        let kind = task as u64 + 1;
        for place in (at::TASKS..at::WORKS).step_by(2) {
            let word = self.word(place);
            let free = word.load(Relaxed);
            // The count tells a task from the next one of its kind in its place.
            let taken = ((free >> 8).wrapping_add(1) << 8) | kind;
            if free & 0xff == 0 && word.compare_exchange(free, taken, Acquire, Relaxed).is_ok() {
                self.set(place + 1, hash);
                return Doer { journal: self, place: Some(place) };
            }
        }
        Doer { journal: self, place: None }
    }

    /// Work is about to be given to the GPU. Numbers go up by one.
    pub fn submit(&self, number: u64, work: &Work) {
        let first = Self::place(number);
        self.word(first).store(0, Release);
        self.set(first + 1, work.frames[0]);
        self.set(first + 2, work.frames[1]);
        self.set(first + 3, u64::from(work.draws[0]) << 32 | u64::from(work.draws[1]));
        for index in 0..SUSPECTS {
            let words = work.suspects.get(index).map_or([0; 3], |suspect| {
                [
                    u64::from(suspect.id.0) << 8 | suspect.stage as u64,
                    suspect.hash,
                    u64::from(suspect.depth) << 32 | u64::from(suspect.loops),
                ]
            });
            words.iter().zip(first + 4 + 3 * index..).for_each(|(word, at)| self.set(at, *word));
        }
        self.word(first).store(number, Release);
        self.word(at::SUBMITTED).store(number, Release);
    }

    /// The GPU has completed all work up to a number, or will never get what comes behind it.
    pub fn complete(&self, number: u64) {
        self.word(at::COMPLETED).fetch_max(number, Relaxed);
    }

    /// The work was not submitted after all: the next one has its number.
    pub fn withdraw(&self, number: u64) {
        self.word(at::SUBMITTED).store(number.saturating_sub(1), Release);
    }

    /// A renderer begins to write it, whose work has numbers from 1. False if another of this process does: renderers need one each.
    #[must_use]
    pub fn take(&self) -> bool {
        if self.taken.swap(true, Acquire) {
            return false;
        }
        self.end_packet();
        for at in [at::FRAME, at::DRAW, at::SUBMITTED, at::COMPLETED] {
            self.set(at, 0);
        }
        true
    }

    /// The renderer that took it is done with it. What it says stays until the next one begins.
    pub fn release(&self) {
        self.taken.store(false, Release);
    }

    /// The number of the work that the GPU is known to have completed.
    #[must_use]
    pub fn completed(&self) -> u64 {
        self.get(at::COMPLETED)
    }

    /// The number of the work that was submitted last; 0 for none.
    #[must_use]
    pub fn submitted(&self) -> u64 {
        self.word(at::SUBMITTED).load(Acquire)
    }

    fn place(number: u64) -> usize {
        at::WORKS + (number % WORKS as u64) as usize * WORK_WORDS
    }

    /// Work by its number, as long as it is there.
    #[must_use]
    pub fn work(&self, number: u64) -> Option<Work> {
        let first = Self::place(number);
        if number == 0 || self.word(first).load(Acquire) != number {
            return None;
        }
        let draws = self.get(first + 3);
        let suspects = (0..SUSPECTS).map(|index| first + 4 + 3 * index).filter_map(|at| {
            let (id, loops) = (self.get(at), self.get(at + 2));
            Some(Suspect {
                id: Some(ObjectId((id >> 8) as u32)).filter(|id| !id.is_none())?,
                stage: Stage::from_bits(id as u8)?,
                hash: self.get(at + 1),
                loops: loops as u32,
                depth: (loops >> 32) as u32,
            })
        });
        let work = Work {
            frames: [self.get(first + 1), self.get(first + 2)],
            draws: [(draws >> 32) as u32, draws as u32],
            suspects: suspects.collect(),
        };
        // Other work may have taken the place in between.
        (self.word(first).load(Acquire) == number).then_some(work)
    }

    /// What stands in it now.
    #[must_use]
    pub fn read(&self) -> Doing {
        let packet = self.packet();
        let (submitted, completed) = (self.submitted(), self.completed());
        let oldest = completed.max(submitted.saturating_sub(WORKS as u64)).saturating_add(1);
        let tasks = (at::TASKS..at::WORKS).step_by(2).filter_map(|place| {
            let kind = (self.get(place) & 0xff).checked_sub(1)?;
            Some((Task::ALL.get(kind as usize)?.0, self.get(place + 1)))
        });
        Doing {
            frame: self.get(at::FRAME).checked_sub(1),
            draw: self.get(at::DRAW) as u32,
            packet: Kind::from_bits(packet as u16).map(|kind| (kind, (packet >> 32) as u32)),
            busy: Duration::from_millis(self.get(at::BUSY)),
            tasks: tasks.collect(),
            in_flight: (oldest..=submitted).filter_map(|number| self.work(number)).collect(),
        }
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        match self.memory {
            // SAFETY: leaked in `local`, and nobody has a reference into it any more.
            Memory::Own => drop(unsafe { Box::from_raw(self.words.as_ptr()) }),
            #[cfg(unix)]
            Memory::File(_) => {}
        }
    }
}

/// A task of [`Journal::begin_task`] that is being done.
pub struct Doer<'a> {
    journal: &'a Journal,
    /// None where every place was taken.
    place: Option<usize>,
}

impl Drop for Doer<'_> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            let word = self.journal.word(place);
            word.store(word.load(Relaxed) & !0xff, Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspect(serial: u32, loops: u32) -> Suspect {
        let id = ObjectId::new(afterimage_stream::ObjectKind::Shader, serial);
        Suspect { id, stage: Stage::Pixel, hash: 0xb086_cac0_225e_702e, loops, depth: loops }
    }

    #[test]
    fn nothing_is_said_of_what_is_unknown() {
        let journal = Journal::local();
        assert_eq!(journal.read(), Doing::default());
        assert_eq!(journal.read().to_string(), "nothing");
        journal.begin_packet(Kind::CreateShader, 4);
        assert_eq!(journal.read().to_string(), "packet CreateShader (sequence 4)");
    }

    #[test]
    fn what_is_done_is_said_by_name() {
        let journal = Journal::local();
        journal.begin_frame(2);
        journal.begin_packet(Kind::DrawIndexed, 17);
        journal.begin_draw(1);
        let task = journal.begin_task(Task::Translate, 0xb086_cac0_225e_702e);
        let doing = "frame 2, draw 1, packet DrawIndexed (sequence 17)";
        assert_eq!(journal.read().to_string(), format!("{doing}, translating shader b086cac0225e702e"));
        let other = journal.begin_task(Task::Pipeline, 1);
        drop(task);
        assert_eq!(journal.read().to_string(), format!("{doing}, making a pipeline with shader 0000000000000001"));
        drop(other);
        assert_eq!(journal.read().to_string(), doing);
        journal.end_packet();
        journal.begin_frame(3);
        assert_eq!(journal.read().to_string(), "frame 3");
    }

    #[test]
    fn more_tasks_than_there_is_room_for_are_left_out() {
        let journal = Journal::local();
        let all: Vec<_> = (0..100).map(|hash| journal.begin_task(Task::Translate, hash)).collect();
        assert_eq!(journal.read().tasks.len(), TASKS);
        drop(all);
        assert!(journal.read().tasks.is_empty());
    }

    #[test]
    fn work_is_known_until_it_is_completed() {
        let journal = Journal::local();
        let work =
            Work { frames: [0, 2], draws: [4, 1], suspects: [suspect(2, 4), suspect(3, 1)].into_iter().collect() };
        journal.submit(1, &work);
        assert_eq!(journal.work(1).as_ref(), Some(&work));
        assert_eq!((journal.work(0), journal.work(2), journal.submitted()), (None, None, 1));
        assert_eq!(
            journal.read().to_string(),
            "the GPU at frame 0, draw 4, to frame 2, draw 1, pixel shader Shader#2 b086cac0225e702e (4 loops, 4 deep) \
             or pixel shader Shader#3 b086cac0225e702e (1 loop)"
        );
        for number in 2..=100 {
            journal.submit(number, &Work { frames: [number; 2], ..Work::default() });
        }
        let doing = journal.read();
        assert_eq!((doing.in_flight.len(), doing.in_flight[0].frames), (WORKS, [69; 2]));
        assert_eq!(doing.to_string(), "the GPU at frame 69, no draws, and 31 submissions behind it");
        journal.complete(99);
        journal.complete(98);
        assert_eq!(journal.read().to_string(), "the GPU at frame 100, no draws");
        journal.complete(100);
        assert!(journal.read().in_flight.is_empty());
    }

    #[test]
    fn renderers_have_it_one_after_the_other() {
        let journal = Journal::local();
        assert!(journal.take() && !journal.take());
        journal.begin_frame(3);
        journal.submit(7, &Work::default());
        journal.complete(u64::MAX);
        journal.release();
        assert_eq!(journal.read().frame, Some(3), "it is still there");
        assert!(journal.take());
        assert_eq!(journal.read(), Doing::default());
        assert_eq!((journal.submitted(), journal.completed()), (0, 0));
    }

    /// Whoever has the page may write what it likes.
    #[test]
    fn nonsense_is_read_as_nonsense() {
        for bits in [u64::MAX, 1, 0x8000_0000_0000_0000, 0x0101_0101_0101_0101] {
            let journal = Journal::local();
            (0..WORDS).for_each(|at| journal.set(at, bits));
            let doing = journal.read();
            assert!(doing.in_flight.len() <= WORKS && doing.tasks.len() <= TASKS);
            assert!(doing.to_string().len() < 20_000);
        }
    }
}
