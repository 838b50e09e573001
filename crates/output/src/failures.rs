//! Counting what could not be written.

use std::fmt::Display;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many files could not be written: shared by the threads that write them, asked by who has to say how it went.
#[derive(Debug, Default)]
pub struct Failures(AtomicU64);

impl Failures {
    /// Notes how a file went; if it failed, its name and why.
    #[must_use]
    pub fn note<T, E: Display>(&self, path: &Path, result: Result<T, E>) -> Option<String> {
        let error = result.err()?;
        self.0.fetch_add(1, Ordering::Relaxed);
        Some(format!("cannot write {}: {error}", path.display()))
    }

    /// How many there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}
