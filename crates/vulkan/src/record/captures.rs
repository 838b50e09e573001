//! Captures that are being written, and those that were asked for.

use crate::options::FrameSet;
use afterimage_capture::Recorder;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Captures that were asked for, and the one that is being recorded.
#[derive(Default)]
pub(crate) struct Captures {
    /// In the order in which they were asked for.
    pub(crate) wanted: Vec<(PathBuf, RangeInclusive<u64>)>,
    pub(crate) running: Option<Running>,
    /// Recorded, but their threads still write.
    pub(crate) writing: Vec<(PathBuf, Recorder)>,
    /// While a capture is replayed: when the frame began where it was made, if that is known.
    pub(crate) replayed: Option<Option<Duration>>,
    pub(crate) requests: Arc<Requests>,
}

/// A capture that is being recorded.
pub(crate) struct Running {
    pub(crate) path: PathBuf,
    pub(crate) last: u64,
    pub(crate) recorder: Recorder,
    pub(crate) begun: Instant,
    /// Word of the batch being executed from which on nothing has been recorded yet.
    pub(crate) from: usize,
}

/// What other threads ask for.
#[derive(Default)]
pub(crate) struct Requests {
    pub(crate) any: AtomicBool,
    pub(crate) list: Mutex<Vec<Request>>,
}

pub(crate) enum Request {
    /// A capture of that many frames.
    Capture(PathBuf, u64),
    /// A picture, under a name that starts with this.
    Picture(PathBuf),
}

impl Requests {
    pub(crate) fn add(&self, request: Request) {
        self.list.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        self.any.store(true, Ordering::Release);
    }
}

impl Captures {
    /// Whether packets have to be looked at.
    #[inline(always)]
    pub(crate) fn are_active(&self) -> bool {
        self.running.is_some() || !self.wanted.is_empty()
    }
}

/// Where each range of a set goes: to `path` if there is one, to `NAME-FIRST-LAST.aftercap` beside it if there are several.
pub(crate) fn files(path: &Path, frames: &FrameSet) -> Vec<(PathBuf, RangeInclusive<u64>)> {
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
