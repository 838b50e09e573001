//! Captures that the program or whoever sits before it asks for, where this process renders: `AfterimageCaptureFrames`, and F10.
//! Where the viewer renders, the key is the viewer's.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use afterimage_config::settings;

use crate::platform;

type Ask = dyn Fn(&Path, u64) + Send + Sync;

/// How to ask the renderers of this process.
static RENDERERS: Mutex<Vec<Weak<Ask>>> = Mutex::new(Vec::new());
/// Whether there are any.
static SOME: AtomicBool = AtomicBool::new(false);
/// Whether the key was down when last looked at.
static DOWN: AtomicBool = AtomicBool::new(false);

fn renderers() -> MutexGuard<'static, Vec<Weak<Ask>>> {
    RENDERERS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A renderer can be asked from now on, until what this returns goes.
#[cfg_attr(not(feature = "in-process"), allow(dead_code, reason = "this library has no renderer"))]
pub(crate) fn add(ask: impl Fn(&Path, u64) + Send + Sync + 'static) -> impl Fn(&Path, u64) + Send + 'static {
    let ask: Arc<Ask> = Arc::new(ask);
    renderers().push(Arc::downgrade(&ask));
    SOME.store(true, Ordering::Relaxed);
    move |path, frames| ask(path, frames)
}

/// Asks every renderer of this process to capture its next frames; those after the first write to `NAME-2.aftercap` and so
/// on. How many there are.
pub(crate) fn ask(path: &Path, frames: u64) -> usize {
    let mut list = renderers();
    list.retain(|ask| ask.strong_count() > 0);
    for (index, ask) in list.iter().filter_map(Weak::upgrade).enumerate() {
        match index {
            0 => ask(path, frames),
            _ => ask(&numbered(path, index + 1), frames),
        }
    }
    list.len()
}

fn numbered(path: &Path, number: usize) -> PathBuf {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!("{stem}-{number}.aftercap"))
}

/// A picture has been presented: captures the next frame if F10 is down and was not before.
/// The program gets the key, too.
pub(crate) fn look_at_key() {
    if !SOME.load(Ordering::Relaxed) {
        return;
    }
    let down = platform::capture_key_is_down();
    if down && !DOWN.swap(down, Ordering::Relaxed) {
        // Beside the file that the configuration names, or in the current folder.
        let folder = settings().capture_file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let path = folder.join(platform::program_name());
        let free = (1..1 << 16).map(|number| numbered(&path, number)).find(|path| !path.exists());
        if let Some(path) = free
            && ask(&path, 1) > 0
        {
            tracing::info!("F10: capturing the next frame to {}", path.display());
        }
    } else {
        DOWN.store(down, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renderers_are_asked_until_they_are_gone() {
        let asked = Arc::<Mutex<Vec<(PathBuf, u64)>>>::default();
        let renderer = || {
            let asked = Arc::clone(&asked);
            add(move |path, frames| asked.lock().unwrap().push((path.to_owned(), frames)))
        };
        // Other tests' renderers may be there.
        let mine = |path: &Path| path.starts_with("captures-test");
        let path = Path::new("captures-test/one.aftercap");
        let (first, second) = (renderer(), renderer());
        assert!(ask(path, 3) >= 2);
        first(Path::new("captures-test/direct"), 1);
        drop((first, second));
        ask(path, 4);
        let asked = asked.lock().unwrap();
        assert!(asked.iter().all(|(path, frames)| mine(path) && *frames < 4));
        assert_eq!(asked.len(), 3);
        assert_ne!(asked[0].0, asked[1].0, "each to a file of its own");
    }
}
