//! What commands that work on many things at a time share: how many threads, who takes what, the progress bar.

use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads for so many items. `jobs` of 0 are as many as there are cores.
pub(crate) fn workers(jobs: usize, items: usize) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if jobs == 0 { cores } else { jobs }.min(items)
}

/// A progress bar over so many items, or one that is not seen.
pub(crate) fn bar(items: usize, show: bool) -> ProgressBar {
    let bar = if show { ProgressBar::new(items as u64) } else { ProgressBar::hidden() };
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} [{bar:40}] {eta} {wide_msg}") {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}

/// The next item that no thread has taken, with its place.
pub(crate) fn take<'a, T>(next: &AtomicUsize, items: &'a [T]) -> Option<(usize, &'a T)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, items.get(index)?))
}
