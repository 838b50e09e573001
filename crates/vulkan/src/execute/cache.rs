//! When the caches of pipelines and shaders are written.

use crate::pipeline::history::History;
use crate::renderer::Renderer;
use afterimage_render::workers::Urgency;
use afterimage_shader::store;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Caches are written this often while new pipelines are made, since programs do crash.
const KEEP_AFTER: Duration = Duration::from_secs(60);

impl Renderer {
    /// Lets a worker delete what no cache has needed for longest.
    pub(crate) fn prune_caches(&self) {
        let (Some(dir), limit) = (self.options.cache_dir.clone(), self.options.cache_bytes) else { return };
        if limit == 0 {
            return;
        }
        self.programs.library.workers.run(Urgency::Known, move || {
            let store::Pruned { bytes, files, deleted } = store::prune(&dir, &["shaders"], limit);
            if deleted > 0 {
                tracing::info!("{}: {deleted} files deleted, {files} left with {} MiB", dir.display(), bytes >> 20);
            }
        });
    }

    /// Lets a worker write the caches, if it is time.
    pub(crate) fn keep_caches_in_time(&mut self) {
        let made = self.programs.pipelines.made();
        if made == self.programs.kept.1 || self.programs.kept.0.elapsed() < KEEP_AFTER {
            return;
        }
        self.programs.kept = (Instant::now(), made);
        let (cache, gpu) = (Arc::clone(&self.programs.cache), Arc::clone(&self.gpu));
        let known =
            self.programs.history.as_ref().map(|history| (history.file.clone(), self.programs.pipelines.used()));
        self.programs.library.workers.run(Urgency::Known, move || {
            cache.store();
            if let Some((file, used)) = known {
                History::store(&file, &gpu.profile, used);
            }
        });
    }

    /// Writes the caches at the end of a run.
    pub(crate) fn keep_caches(&self) {
        self.programs.cache.store();
        if let Some(history) = &self.programs.history {
            History::store(&history.file, &self.gpu.profile, self.programs.pipelines.used());
        }
    }
}
