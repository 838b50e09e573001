//! Warnings that are given once, however often a program does the same.

use rustc_hash::FxHashSet;

/// What was said already. A guest can think of endless things to warn about, so after `Once::LIMIT` nothing is said.
#[derive(Debug, Default)]
pub struct Once {
    said: FxHashSet<String>,
}

impl Once {
    /// Different warnings that are given.
    const LIMIT: usize = 256;

    /// Warns in the log, unless the same was said before.
    #[cold]
    pub fn warn(&mut self, what: impl Into<String>) {
        let what = what.into();
        if self.said.len() < Self::LIMIT && !self.said.contains(&what) {
            tracing::warn!("{what}");
            self.said.insert(what);
        }
    }
}
