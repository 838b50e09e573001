//! Writing a capture on a thread of its own: hashing, compression and the disk cost the thread that draws nothing. It only
//! copies what packets refer to, since that may be gone when they have been executed.

use crate::gathered::Gathered;
use crate::{CaptureError, Info, MemoryArena, Sink, Summary, Writer};
use afterimage_stream::Arena;
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// Bytes of batches that may wait to be written; one is taken whatever its size. Who records more in the time waits.
const WAITING: usize = 256 << 20;
/// Batches of up to this many bytes are kept to be filled again.
const KEPT: usize = 16 << 20;

/// A capture that is being written by a thread of its own. Dropping it completes the file.
#[derive(Debug)]
pub struct Recorder {
    /// `None` once it is complete.
    jobs: Option<Sender<Job>>,
    spare: Receiver<Gathered>,
    room: Arc<Room>,
    /// When the frame began that the next batch begins.
    time: Option<Duration>,
    thread: Option<JoinHandle<Result<Summary, CaptureError>>>,
}

#[derive(Debug)]
enum Job {
    Keyframe(Vec<u64>, MemoryArena),
    Batch(Gathered),
}

/// How much waits.
#[derive(Debug, Default)]
struct Room {
    state: Mutex<Waiting>,
    less: Condvar,
}

#[derive(Debug, Default)]
struct Waiting {
    bytes: usize,
    /// The thread has ended.
    gone: bool,
}

impl Room {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until there is room for as much; false if there never will be.
    fn enter(&self, bytes: usize) -> bool {
        let full = |waiting: &mut Waiting| !waiting.gone && waiting.bytes > 0 && waiting.bytes + bytes > WAITING;
        let mut waiting = self.less.wait_while(self.lock(), full).unwrap_or_else(PoisonError::into_inner);
        waiting.bytes += bytes;
        !waiting.gone
    }

    fn leave(&self, bytes: usize) {
        self.lock().bytes -= bytes;
        self.less.notify_one();
    }
}

/// Says that the thread has ended, however it does.
struct Leaving(Arc<Room>);

impl Drop for Leaving {
    fn drop(&mut self) {
        self.0.lock().gone = true;
        self.0.less.notify_one();
    }
}

impl Recorder {
    /// Starts a file. It is there, in place of one that was, when it is complete; what was written before something went wrong, be it
    /// that this process was killed, is under the name of [`afterimage_output::part_of`].
    ///
    /// # Errors
    /// It cannot be created, or no thread can be started.
    pub fn create(path: &Path, info: &Info) -> Result<Self, CaptureError> {
        Self::start(Writer::create_kept(path, info)?)
    }

    fn start<W: Sink + Send + 'static>(writer: Writer<W>) -> Result<Self, CaptureError> {
        let (jobs, inbox) = channel();
        let (back, spare) = channel();
        let room = Arc::new(Room::default());
        let leaving = Leaving(Arc::clone(&room));
        let thread = std::thread::Builder::new()
            .name("afterimage-capture".into())
            .spawn(move || write(writer, &inbox, &back, &leaving.0))
            .map_err(CaptureError::io("starting the thread that writes the capture"))?;
        Ok(Self { jobs: Some(jobs), spare, room, time: None, thread: Some(thread) })
    }

    /// As [`Writer::keyframe`]. False if nothing can be written any more; [`Recorder::wait`] says why.
    pub fn keyframe(&mut self, words: Vec<u64>, arena: MemoryArena) -> bool {
        // Its memory is there already, whether it waits or not.
        self.send(Job::Keyframe(words, arena))
    }

    /// As [`Writer::frame_at`].
    pub fn frame_at(&mut self, time: Duration) {
        self.time = Some(time);
    }

    /// As [`Writer::batch`]: copies the words and what they refer to. Waits while very much has not been written.
    /// False if nothing can be written any more; [`Recorder::wait`] says why.
    pub fn batch(&mut self, words: &[u64], arena: &dyn Arena) -> bool {
        if words.is_empty() {
            return true;
        }
        let mut batch = self.spare.try_recv().unwrap_or_default();
        batch.fill(words, arena);
        batch.time = self.time.take();
        self.room.enter(batch.size()) && self.send(Job::Batch(batch))
    }

    fn send(&self, job: Job) -> bool {
        self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok())
    }

    /// Nothing more comes: the thread writes what waits, and completes the file.
    pub fn finish(&mut self) {
        self.jobs = None;
    }

    /// Whether the thread has ended, so that [`Recorder::wait`] returns at once.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until the file is complete.
    ///
    /// # Errors
    /// It could not be written; it is good up to there.
    pub fn wait(mut self) -> Result<Summary, CaptureError> {
        self.join()
    }

    fn join(&mut self) -> Result<Summary, CaptureError> {
        self.jobs = None;
        let Some(thread) = self.thread.take() else { return Ok(Summary::default()) };
        thread.join().unwrap_or_else(|_| {
            let error = std::io::Error::other("it panicked");
            Err(CaptureError::Io { what: "the thread that writes the capture".into(), source: error })
        })
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // Whoever wants to know has waited.
            let _result = self.join();
        }
    }
}

fn write<W: Sink>(
    mut writer: Writer<W>,
    inbox: &Receiver<Job>,
    back: &Sender<Gathered>,
    room: &Room,
) -> Result<Summary, CaptureError> {
    for job in inbox {
        match job {
            Job::Keyframe(words, arena) => writer.keyframe(&words, &arena)?,
            Job::Batch(batch) => {
                let result = writer.gathered(&batch);
                room.leave(batch.size());
                if batch.room() <= KEPT {
                    // Nobody may be there to fill it again.
                    let _sent = back.send(batch);
                }
                result?;
            }
        }
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reader;
    use afterimage_stream::{Encoder, packets};
    use std::io::{self, BufWriter, Write};
    use std::sync::atomic::{AtomicBool, Ordering};

    /// A disk that is full after so many bytes, and that waits until it may write.
    struct Disk {
        room: usize,
        open: Arc<AtomicBool>,
        content: Arc<Mutex<Vec<u8>>>,
    }

    impl Write for Disk {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            while !self.open.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            let Some(rest) = self.room.checked_sub(bytes.len()) else {
                return Err(io::ErrorKind::StorageFull.into());
            };
            self.room = rest;
            self.content.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn recorder(room: usize, open: bool) -> (Recorder, Arc<AtomicBool>, Arc<Mutex<Vec<u8>>>) {
        let (open, content) = (Arc::new(AtomicBool::new(open)), Arc::<Mutex<Vec<u8>>>::default());
        let disk = Disk { room, open: Arc::clone(&open), content: Arc::clone(&content) };
        let writer = Writer::new(BufWriter::new(disk), &Info::default()).unwrap();
        (Recorder::start(writer).unwrap(), open, content)
    }

    /// Frame `frame`, with data of `bytes` that nothing compresses well.
    fn frame(frame: u64, bytes: usize) -> (Vec<u64>, MemoryArena) {
        let (mut stream, mut arena) = (Encoder::new(), MemoryArena::default());
        let mut seed = frame;
        let data: Vec<u8> = std::iter::repeat_with(|| {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 56) as u8
        })
        .take(bytes)
        .collect();
        stream.push(&packets::BeginFrame { frame });
        let data = arena.push(&data);
        let id = afterimage_stream::ObjectId::new(afterimage_stream::ObjectKind::Buffer, 1);
        stream.push(&packets::UpdateBuffer { id, flags: 0, offset: 0, data });
        (stream.batch().clone(), arena)
    }

    #[test]
    fn what_the_thread_writes_is_what_the_writer_writes() {
        let (mut recorder, _, content) = recorder(usize::MAX, true);
        let mut file = Vec::new();
        let mut writer = Writer::new(&mut file, &Info::default()).unwrap();
        let (words, arena) = frame(0, 5000);
        writer.keyframe(&words, &arena).unwrap();
        assert!(recorder.keyframe(words, arena));
        for number in 1..50 {
            // Smaller after larger, too: what a batch left behind is not the next one's.
            let (words, arena) = frame(number, 3000 * (number as usize % 7));
            writer.frame_at(Duration::from_millis(number));
            recorder.frame_at(Duration::from_millis(number));
            writer.batch(&words, &arena).unwrap();
            assert!(recorder.batch(&words, &arena));
        }
        recorder.finish();
        assert!(!recorder.batch(&[0], &MemoryArena::default()), "nothing comes behind the end");
        let summary = recorder.wait().unwrap();
        assert_eq!(summary, writer.finish().unwrap());
        assert!(*content.lock().unwrap() == file);
    }

    #[test]
    fn who_records_more_than_is_written_waits() {
        let (mut recorder, open, content) = recorder(usize::MAX, false);
        let room = Arc::clone(&recorder.room);
        let bytes = 40 << 20;
        std::thread::scope(|scope| {
            let recording = scope.spawn(move || {
                let (words, arena) = frame(1, bytes);
                for _ in 0..20 {
                    assert!(recorder.batch(&words, &arena));
                }
                recorder.wait().unwrap()
            });
            while room.lock().bytes < 5 * bytes {
                std::thread::yield_now();
            }
            assert!(!recording.is_finished() && room.lock().bytes <= WAITING);
            open.store(true, Ordering::Release);
            assert_eq!(recording.join().unwrap().frames, 20);
        });
        assert!(content.lock().unwrap().len() < 2 * bytes, "equal data is stored once");
    }

    #[test]
    fn a_full_disk_ends_it_with_what_is_good() {
        let (mut recorder, _, content) = recorder(5 << 20, true);
        let mut recorded = 0;
        while {
            let (words, arena) = frame(recorded, 1 << 20);
            recorder.batch(&words, &arena)
        } {
            recorded += 1;
        }
        let error = recorder.wait().unwrap_err();
        assert!(error.to_string().starts_with("writing"), "{error}");
        let content = content.lock().unwrap();
        let mut reader = Reader::new(&content[..]).unwrap();
        let mut frames = 0;
        while let Ok(Some(_)) = reader.next() {
            frames += 1;
        }
        assert!(frames >= 2, "{frames} frames");
    }
}
