//! Captures and pictures that somebody wants while the program runs: whoever sits before it, with the keys F10 and F12, or whoever
//! has embedded this library, with `AfterimageCaptureFrames`. Shift+F12 shows or hides the overlay, of every device.
//!
//! Keys are seen between two frames, in windows of the program that have the focus (`platform::pressed_keys`), and go to whoever
//! renders: this process's renderers, or the viewer. The program gets the keys, too.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use afterimage_config::settings;
use afterimage_ipc::shared::Requests;

use crate::platform;

/// Whom captures and pictures are asked of.
pub(crate) trait Asked: Send + Sync {
    /// Whether it is a renderer of this process, which takes paths. The viewer has names of its own, beside where it was started.
    fn is_here(&self) -> bool;
    /// Captures that many frames from the next one on.
    fn capture(&self, path: &Path, frames: u64);
    /// Writes the next picture, under a name that starts with this one.
    fn picture(&self, name: &Path);
}

impl Asked for Requests {
    fn is_here(&self) -> bool {
        false
    }

    fn capture(&self, _path: &Path, _frames: u64) {
        Self::capture(self);
    }

    fn picture(&self, _name: &Path) {
        Self::picture(self);
    }
}

static RENDERERS: Mutex<Vec<Weak<dyn Asked>>> = Mutex::new(Vec::new());
/// Whether there have ever been any.
static SOME: AtomicBool = AtomicBool::new(false);

fn renderers() -> MutexGuard<'static, Vec<Weak<dyn Asked>>> {
    RENDERERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// It can be asked from now on, as long as there is another owner.
pub(crate) fn add(asked: Arc<impl Asked + 'static>) {
    let asked: Arc<dyn Asked> = asked;
    renderers().push(Arc::downgrade(&asked));
    SOME.store(true, Ordering::Relaxed);
}

/// All who can be asked now.
fn all() -> Vec<Arc<dyn Asked>> {
    let mut list = renderers();
    list.retain(|asked| asked.strong_count() > 0);
    list.iter().filter_map(Weak::upgrade).collect()
}

/// Asks every renderer of this process to capture its next frames; those after the first write to `NAME-2.aftercap` and so
/// on. How many there are.
pub(crate) fn ask(path: &Path, frames: u64) -> usize {
    let here = all().into_iter().filter(|asked| asked.is_here());
    let mut count = 0;
    for asked in here {
        count += 1;
        asked.capture(&if count == 1 { path.to_owned() } else { numbered(path, count) }, frames);
    }
    count
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{number}.aftercap"))
}

/// A file of the program's name in a folder that is not there, nor asked for already.
fn free(name: &Path) -> Option<PathBuf> {
    static LAST: AtomicUsize = AtomicUsize::new(0);
    let numbers = LAST.load(Ordering::Relaxed) + 1..1 << 16;
    let (number, path) = numbers.map(|number| (number, numbered(name, number))).find(|(_, path)| !path.exists())?;
    LAST.store(number, Ordering::Relaxed);
    Some(path)
}

/// How often the overlay was turned on or off by hand: devices follow when they present.
static TURNS: AtomicUsize = AtomicUsize::new(0);

/// Whether the overlay is to be the other way round than a device has it, which has followed that many turns.
pub(crate) fn turns_overlay(followed: &Cell<usize>) -> bool {
    let turns = TURNS.load(Ordering::Relaxed);
    (turns ^ followed.replace(turns)) & 1 != 0
}

/// The program has presented: does what keys were pressed for since it last did.
pub(crate) fn heed_keys() {
    if !SOME.load(Ordering::Relaxed) || !settings().keys {
        return;
    }
    let keys = platform::pressed_keys();
    if keys.overlay {
        TURNS.fetch_add(1, Ordering::Relaxed);
    }
    if !keys.capture && !keys.picture {
        return;
    }
    // Beside the file that the configuration names, or in the current folder.
    let folder = settings().capture_file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
    let name = folder.join(platform::program_name());
    tracing::info!("pressed: {keys:?}");
    for (number, asked) in (1..).zip(all()) {
        if keys.capture
            && let Some(path) = free(&name)
        {
            asked.capture(&path, 1);
        }
        if keys.picture {
            let other = if number == 1 { String::new() } else { format!("-{number}") };
            asked.picture(&folder.join(format!("{}{other}", name.file_stem().unwrap_or_default().to_string_lossy())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Recorder {
        asked: Mutex<Vec<(PathBuf, u64)>>,
    }

    impl Asked for Recorder {
        fn is_here(&self) -> bool {
            true
        }

        fn capture(&self, path: &Path, frames: u64) {
            self.asked.lock().unwrap().push((path.to_owned(), frames));
        }

        fn picture(&self, _name: &Path) {}
    }

    #[test]
    fn renderers_are_asked_until_they_are_gone() {
        // Other tests' renderers may be there.
        let path = Path::new("captures-test/one.aftercap");
        let [first, second] = [(); 2].map(|()| Arc::new(Recorder::default()));
        add(Arc::clone(&first));
        add(Arc::clone(&second));
        assert!(ask(path, 3) >= 2);
        let taken = |recorder: &Recorder| recorder.asked.lock().unwrap().clone();
        let (one, other) = (taken(&first), taken(&second));
        assert_eq!((one.len(), other.len()), (1, 1));
        assert!((one[0].1, other[0].1) == (3, 3) && one[0].0 != other[0].0, "each to a file of its own");
        assert!(one[0].0.starts_with("captures-test"), "{one:?}");
        let gone = Arc::downgrade(&second);
        drop(second);
        assert!(gone.upgrade().is_none(), "being asked keeps nobody");
        ask(path, 4);
        assert_eq!(taken(&first).len(), 2);
    }
}
