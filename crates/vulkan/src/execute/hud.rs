//! Figures over pictures: what there is to say.

use crate::renderer::Renderer;
use afterimage_render::hud::{Counters, Facts, Memory};
use afterimage_stream::Arena;
use afterimage_stream::packets::Overlay;
use ash::vk;
use std::time::Duration;

impl Renderer {
    /// A frame is presented: its time, and new text where the old has stood long enough.
    pub(crate) fn hud_frame(&mut self, arena: &dyn Arena) {
        let Some(mut hud) = self.presenter.pictures.hud.take() else { return };
        hud.frame(self.counted(), |items| self.facts(items, arena));
        self.presenter.pictures.hud = Some(hud);
    }

    /// How long the GPU was busy with what this renderer gave it, since somebody is told of it: the overlay's `gpu`, or the log of figures.
    /// `None` where nobody is, or the device tells no time.
    #[must_use]
    pub fn gpu_busy(&self) -> Option<Duration> {
        self.recorder.submissions.busy()
    }

    /// Has the GPU's time measured where somebody is told of it.
    pub(crate) fn measure_gpu(&mut self) {
        let pictures = &self.presenter.pictures;
        let shown = pictures.hud.as_ref().is_some_and(|hud| hud.overlay.items & Overlay::GPU != 0);
        if (shown || pictures.is_logged())
            && let Err(error) = self.recorder.submissions.measure()
        {
            self.fail(error);
        }
    }

    /// A frame is presented: its line in the log of figures, if there is one.
    pub(crate) fn log_frame(&mut self) {
        if self.presenter.pictures.is_logged() {
            let (counted, gpu) = (self.counted(), &self.gpu);
            let bytes = || gpu.memory_budget().map_or_else(|| gpu.allocated_bytes(), |heaps| heaps[0].used);
            self.presenter.pictures.log_frame(&counted, bytes);
        }
    }

    fn counted(&self) -> Counters {
        Counters {
            frames: self.stats.frames,
            draws: self.recorder.draws,
            skipped: self.recorder.skipped_draws,
            submissions: self.recorder.submissions.current,
            guest: self.stats.guest,
            renderer: self.state_figures(),
            calls_saved: self.calls_saved(),
            busy: self.recorder.submissions.busy(),
        }
    }

    fn facts(&self, items: u32, arena: &dyn Arena) -> Facts {
        let profile = &self.gpu.profile;
        let api = profile.api_version;
        let (major, minor, patch) =
            (vk::api_version_major(api), vk::api_version_minor(api), vk::api_version_patch(api));
        Facts {
            guest: self.presenter.pictures.guest,
            device: profile.name.clone(),
            driver: profile.driver.clone(),
            api: format!("Vulkan {major}.{minor}.{patch}"),
            pipelines: self.programs.pipelines.made(),
            shaders: self.programs.library.len() as u64,
            pending: self.programs.library.workers.pending(),
            memory: if items & Overlay::MEMORY != 0 { self.memory_kinds(arena) } else { Vec::new() },
            ..Facts::default()
        }
    }

    /// Memory by kind: what the system says of this process where it does, else what objects have.
    fn memory_kinds(&self, arena: &dyn Arena) -> Vec<Memory> {
        let mut kinds = match self.gpu.memory_budget() {
            Some(heaps) => heaps
                .into_iter()
                .zip(["device", "host"])
                .filter(|(heap, _)| heap.budget > 0)
                .map(|(heap, name)| Memory { name, used: heap.used, of: Some(heap.budget) })
                .collect(),
            None => vec![Memory { name: "objects", used: self.gpu.allocated_bytes(), of: None }],
        };
        let uploads = (0..).map_while(|slot| arena.slot_size(slot)).sum();
        kinds.push(Memory { name: "uploads", used: uploads, of: None });
        kinds
    }
}
