//! How captures and pictures are asked of a renderer in this process.

use crate::captures::Asked;
use std::path::Path;

/// How captures and pictures are asked of the thread's renderer.
pub(super) struct Requests<C, P> {
    pub(super) capture: C,
    pub(super) picture: P,
}

impl<C: Fn(&Path, u64) + Send + Sync, P: Fn(&Path) + Send + Sync> Asked for Requests<C, P> {
    fn is_here(&self) -> bool {
        true
    }

    fn capture(&self, path: &Path, frames: u64) {
        (self.capture)(path, frames);
    }

    fn picture(&self, name: &Path) {
        (self.picture)(name);
    }
}
