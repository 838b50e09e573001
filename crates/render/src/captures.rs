//! Captures that are being written, and those that were asked for.

use crate::pictures::{Pictures, saved};
use crate::wishes::Wishes;
use afterimage_capture::{CaptureError, Recorder, Summary};
use afterimage_config::FrameSet;
use afterimage_output::{Failures, part_of};
use afterimage_stream::Arena;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Captures that were asked for, and the one that is being recorded.
#[derive(Default)]
pub struct Captures {
    /// In the order in which they were asked for.
    wanted: Vec<(PathBuf, RangeInclusive<u64>)>,
    /// The one that is being recorded.
    running: Option<Running>,
    /// Recorded, but their threads still write.
    writing: Vec<(PathBuf, Recorder)>,
    /// Those that somebody asked for while the program runs, and waits for.
    by_hand: Vec<PathBuf>,
    /// While a capture is replayed: when the frame began where it was made, if that is known.
    pub replayed: Option<Option<Duration>>,
    /// What other threads ask for.
    requests: Arc<Requests>,
}

impl std::fmt::Debug for Captures {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Captures").field("wanted", &self.wanted).finish_non_exhaustive()
    }
}

/// A capture that is being recorded.
struct Running {
    path: PathBuf,
    /// Its last frame.
    last: u64,
    recorder: Recorder,
    begun: Instant,
    /// Word of the batch being executed from which on nothing has been recorded yet.
    from: usize,
}

/// A capture that begins with a frame.
#[derive(Debug)]
pub struct Due {
    /// The file.
    pub path: PathBuf,
    /// Its first and last frame.
    frames: [u64; 2],
}

/// What other threads ask for.
#[derive(Default)]
struct Requests {
    /// Whether there are any: looked at once a frame.
    any: AtomicBool,
    /// In the order in which they came.
    list: Mutex<Vec<Request>>,
}

/// A request of another thread.
enum Request {
    /// A capture of that many frames.
    Capture(PathBuf, u64),
    /// A picture, under a name that starts with this.
    Picture(PathBuf),
}

impl Requests {
    fn add(&self, request: Request) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.any.store(true, Ordering::Release);
    }
}

impl Captures {
    /// With the frames that the user wishes.
    #[must_use]
    pub fn new(wishes: &Wishes) -> Self {
        let mut captures = Self::default();
        match (&wishes.capture_frames, &wishes.capture_file) {
            (Some(frames), Some(path)) => captures.want_set(path, frames),
            (Some(_), None) => tracing::warn!("AFTERIMAGE_CAPTURE_FRAMES needs AFTERIMAGE_CAPTURE_FILE"),
            _ => {}
        }
        captures
    }

    /// Frames (numbers of their `BeginFrame`) are captured to a file, besides what was asked for already. One capture runs at a time;
    /// the next begins when it is done.
    pub fn want(&mut self, path: &Path, frames: RangeInclusive<u64>) {
        self.wanted.push((path.to_owned(), frames));
    }

    /// The same of a set of frames: each range of numbers that follow each other to a file of its own, since each needs the state that it
    /// begins with. A single range goes to `path`, several to `NAME-FIRST-LAST.aftercap` beside it.
    pub fn want_set(&mut self, path: &Path, frames: &FrameSet) {
        self.wanted.extend(files(path, frames));
    }

    /// The same of the `count` frames behind this one.
    pub fn want_next(&mut self, path: &Path, frame: u64, count: u64) {
        let next = frame + 1;
        self.want(path, next..=next.saturating_add(count.saturating_sub(1)));
    }

    /// What any thread may call, as often as it likes, to have that many frames captured to a file, from the next one on that begins
    /// where this is.
    pub fn capture_requests(&self) -> impl Fn(&Path, u64) + Clone + Send + Sync + use<> {
        let requests = Arc::clone(&self.requests);
        move |path, frames| requests.add(Request::Capture(path.to_owned(), frames))
    }

    /// What any thread may call, as often as it likes, to have the next presented picture written as `NAME-frame-000123.png`, which comes
    /// with its number; the name may have folders before it.
    pub fn picture_requests(&self) -> impl Fn(&Path) + Clone + Send + Sync + use<> {
        let requests = Arc::clone(&self.requests);
        move |name| requests.add(Request::Picture(name.to_owned()))
    }

    /// Whether packets have to be looked at.
    #[inline(always)]
    #[must_use]
    pub fn are_active(&self) -> bool {
        self.running.is_some() || !self.wanted.is_empty()
    }

    /// Whether a capture is being recorded.
    #[must_use]
    pub fn is_recording(&self) -> bool {
        self.running.is_some()
    }

    /// A batch begins in this frame: what other threads have asked for since the last one.
    #[inline]
    pub fn take_requests(&mut self, frame: u64, pictures: &mut Pictures) {
        if self.requests.any.load(Ordering::Relaxed) {
            self.take(frame, pictures);
        }
    }

    #[cold]
    fn take(&mut self, frame: u64, pictures: &mut Pictures) {
        self.requests.any.store(false, Ordering::Release);
        let list = std::mem::take(&mut *self.requests.list.lock().unwrap_or_else(PoisonError::into_inner));
        for request in list {
            match request {
                Request::Capture(path, count) => {
                    self.want_next(&path, frame, count);
                    self.by_hand.push(path);
                }
                Request::Picture(name) => pictures.keep_next(name),
            }
        }
    }

    /// A frame begins. The capture that begins with it, if one does: to be opened and [begun](Captures::begin).
    pub fn due(&mut self, frame: u64, pictures: &Pictures) -> Option<Due> {
        self.finish_writing(false, pictures);
        if self.running.is_some() {
            self.note_time();
            return None;
        }
        // One that could not begin in time because another ran is done late rather than not at all.
        let index = self.wanted.iter().position(|(_, frames)| *frames.start() <= frame)?;
        let (path, frames) = self.wanted.remove(index);
        let count = frames.end() - frames.start();
        let last = if frames.contains(&frame) { *frames.end() } else { frame.saturating_add(count) };
        Some(Due { path, frames: [frame, last] })
    }

    /// Begins a capture with the packet at word `at` of the batch; `opened` is what writes it, with its keyframe, or why there is none.
    pub fn begin(&mut self, due: Due, at: usize, opened: Result<Recorder, String>, pictures: &Pictures) {
        let Due { path, frames: [first, last] } = due;
        match opened {
            Ok(recorder) => {
                tracing::info!("capturing frames {first} to {last} to {}", path.display());
                self.running = Some(Running { path, last, recorder, begun: Instant::now(), from: at });
                self.note_time();
            }
            Err(error) => {
                let _told = pictures.failures.note(&path, Err::<(), _>(&error));
                tracing::error!("the capture cannot start: {error}");
            }
        }
    }

    /// Says in the capture when the frame began: now, or as the capture that is being replayed says.
    fn note_time(&mut self) {
        let replayed = self.replayed;
        if let Some(running) = &mut self.running
            && let Some(time) = replayed.unwrap_or_else(|| Some(running.begun.elapsed()))
        {
            running.recorder.frame_at(time);
        }
    }

    /// Words up to `end` of the batch may be recorded: what they refer to may be gone when they have been executed.
    pub fn record(&mut self, batch: &[u64], end: usize, arena: &dyn Arena) {
        let Some(running) = &mut self.running else { return };
        let words = &batch[running.from.min(end)..end];
        running.from = end;
        if !running.recorder.batch(words, arena) {
            self.stop();
        }
    }

    /// The batch has been executed.
    pub fn end_batch(&mut self, batch: &[u64], arena: &dyn Arena) {
        self.record(batch, batch.len(), arena);
        if let Some(running) = &mut self.running {
            running.from = 0;
        }
    }

    /// A frame was presented.
    pub fn end_frame(&mut self, frame: u64) {
        if self.running.as_ref().is_some_and(|running| frame >= running.last) {
            self.stop();
        }
    }

    /// Records no more; the thread completes the file.
    fn stop(&mut self) {
        if let Some(mut running) = self.running.take() {
            running.recorder.finish();
            self.writing.push((running.path, running.recorder));
        }
    }

    /// Says which files have been written; waits for those that have not if `all`.
    fn finish_writing(&mut self, all: bool, pictures: &Pictures) {
        let done = |(_, recorder): &mut (PathBuf, Recorder)| all || recorder.is_done();
        for (path, recorder) in self.writing.extract_if(.., done) {
            let written = recorder.wait();
            if let Some(at) = self.by_hand.iter().position(|asked| *asked == path) {
                self.by_hand.swap_remove(at);
                pictures.notices.say(&saved(&path, &written));
            }
            tell(&path, written, &pictures.failures);
        }
    }

    /// Says which captures have been written by now.
    pub fn say_written(&mut self, pictures: &Pictures) {
        if !self.writing.is_empty() {
            self.finish_writing(false, pictures);
        }
    }

    /// Ends a capture that is being recorded; it is good up to here. Waits until all files are complete.
    pub fn finish(&mut self, pictures: &Pictures) {
        self.stop();
        self.finish_writing(true, pictures);
    }

    /// No capture is wanted any more.
    pub fn forget(&mut self, pictures: &Pictures) {
        self.finish(pictures);
        self.wanted.clear();
    }
}

/// Says how a capture's thread has ended.
fn tell(path: &Path, result: Result<Summary, CaptureError>, failures: &Failures) {
    match &result {
        Ok(summary) => tracing::info!(
            "{}: {} frames, {} packets, {} KiB",
            path.display(),
            summary.frames,
            summary.packets,
            summary.file_bytes >> 10
        ),
        Err(error) => {
            let _told = failures.note(path, Err::<(), _>(error));
            tracing::error!(
                "cannot write {}: {error}; what it is good for is in {}",
                path.display(),
                part_of(path).display()
            );
        }
    }
}

/// Where each range of a set goes: to `path` if there is one, to `NAME-FIRST-LAST.aftercap` beside it if there are several.
fn files(path: &Path, frames: &FrameSet) -> Vec<(PathBuf, RangeInclusive<u64>)> {
    let ranges = frames.ranges();
    let one = ranges.len() == 1;
    let name = |range: &RangeInclusive<u64>| {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let extension = path.extension().map_or_else(|| "aftercap".into(), |extension| extension.to_string_lossy());
        path.with_file_name(format!("{stem}-{}-{}.{extension}", range.start(), range.end()))
    };
    ranges.into_iter().map(|range| (if one { path.to_owned() } else { name(&range) }, range)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_range_of_a_set_has_a_file() {
        let of = |text| files(Path::new("dir/game.v2.aftercap"), &FrameSet::parse(text).unwrap());
        assert_eq!(of("120-123,124-125"), [(PathBuf::from("dir/game.v2.aftercap"), 120..=125)]);
        let expected = [("dir/game.v2-3-3.aftercap", 3..=3), ("dir/game.v2-7-9.aftercap", 7..=9)];
        assert_eq!(of("7-9,3"), expected.map(|(path, frames)| (PathBuf::from(path), frames)));
    }
}
