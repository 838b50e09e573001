//! Shader modules that something can be captured of.

use crate::spirv::{self, Entry};
use std::sync::Arc;

/// A module as the program gave it.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) words: Arc<[u32]>,
    pub(crate) entries: Arc<[Entry]>,
}

impl Code {
    /// Of words. `None` of a module that captures have nothing to do with.
    pub(crate) fn of(words: &[u32]) -> Option<Self> {
        let entries = spirv::entries(words);
        let any =
            entries.iter().any(|entry| [spirv::VERTEX, spirv::EVALUATION, spirv::GEOMETRY].contains(&entry.model));
        any.then(|| Self { words: words.into(), entries: entries.into() })
    }

    /// Whether an entry point captures.
    pub(crate) fn captures(&self, model: u32, name: &[u8]) -> bool {
        self.entries.iter().any(|entry| entry.model == model && entry.name == name && entry.captures)
    }
}
