//! Captures that are being written, and those that were asked for.

use afterimage_capture::Recorder;
use afterimage_config::FrameSet;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Captures that were asked for, and the one that is being recorded.
#[derive(Default)]
pub struct Captures {
    /// In the order in which they were asked for.
    pub wanted: Vec<(PathBuf, RangeInclusive<u64>)>,
    /// The one that is being recorded.
    pub running: Option<Running>,
    /// Recorded, but their threads still write.
    pub writing: Vec<(PathBuf, Recorder)>,
    /// Those that somebody asked for while the program runs, and waits for.
    pub by_hand: Vec<PathBuf>,
    /// While a capture is replayed: when the frame began where it was made, if that is known.
    pub replayed: Option<Option<Duration>>,
    /// What other threads ask for.
    pub requests: Arc<Requests>,
}

/// A capture that is being recorded.
pub struct Running {
    /// The file.
    pub path: PathBuf,
    /// Its last frame.
    pub last: u64,
    /// What writes it.
    pub recorder: Recorder,
    /// When it began.
    pub begun: Instant,
    /// Word of the batch being executed from which on nothing has been recorded yet.
    pub from: usize,
}

/// What other threads ask for.
#[derive(Default)]
pub struct Requests {
    /// Whether there are any: looked at once a frame.
    pub any: AtomicBool,
    /// In the order in which they came.
    pub list: Mutex<Vec<Request>>,
}

/// A request of another thread.
pub enum Request {
    /// A capture of that many frames.
    Capture(PathBuf, u64),
    /// A picture, under a name that starts with this.
    Picture(PathBuf),
}

impl Requests {
    /// Asks for something.
    pub fn add(&self, request: Request) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.any.store(true, Ordering::Release);
    }
}

impl Captures {
    /// Whether packets have to be looked at.
    #[inline(always)]
    pub fn are_active(&self) -> bool {
        self.running.is_some() || !self.wanted.is_empty()
    }
}

/// Where each range of a set goes: to `path` if there is one, to `NAME-FIRST-LAST.aftercap` beside it if there are several.
pub fn files(path: &Path, frames: &FrameSet) -> Vec<(PathBuf, RangeInclusive<u64>)> {
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
