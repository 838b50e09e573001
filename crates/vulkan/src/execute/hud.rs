//! Figures over pictures: what there is to say, and when it is said anew.

use crate::renderer::Renderer;
use afterimage_render::hud::log::Slow;
use afterimage_render::hud::{Counters, Facts, Memory, lines};
use afterimage_stream::Arena;
use afterimage_stream::packets::Overlay;
use ash::vk;
use std::time::{Duration, Instant};

/// How long text stays.
const REFRESH: Duration = Duration::from_millis(250);

impl Renderer {
    /// A frame is presented: its time, and new text where the old has stood long enough.
    pub(crate) fn hud_frame(&mut self, arena: &dyn Arena) {
        let Some(mut hud) = self.presenter.hud.take() else { return };
        let now = Instant::now();
        if let Some(last) = hud.last.replace(now) {
            hud.times.add((now - last).as_secs_f32() * 1000.0);
        }
        let counters = self.counted();
        let (since, before) = *hud.refreshed.get_or_insert((now, counters));
        let age = now - since;
        if hud.lines.is_empty() || age >= REFRESH {
            let items = hud.overlay.items;
            let facts = self.facts(items, (before, counters, age), arena);
            hud.lines = Overlay::ITEMS
                .iter()
                .filter(|(item, ..)| items & item != 0)
                .flat_map(|(item, ..)| lines(*item, &facts, &hud.times))
                .collect();
            hud.refreshed = Some((now, counters));
        }
        self.presenter.hud = Some(hud);
    }

    /// How long the GPU was busy with what this renderer gave it, since somebody is told of it: the overlay's `gpu`, or the log of figures.
    /// `None` where nobody is, or the device tells no time.
    #[must_use]
    pub fn gpu_busy(&self) -> Option<Duration> {
        self.recorder.submissions.busy()
    }

    /// Has the GPU's time measured where somebody is told of it.
    pub(crate) fn measure_gpu(&mut self) {
        let shown = self.presenter.hud.as_ref().is_some_and(|hud| hud.overlay.items & Overlay::GPU != 0);
        if (shown || self.presenter.hud_log.is_some())
            && let Err(error) = self.recorder.submissions.measure()
        {
            self.fail(error);
        }
    }

    /// A frame is presented: its line in the log of figures, if there is one.
    pub(crate) fn log_frame(&mut self) {
        let Some(mut log) = self.presenter.hud_log.take() else { return };
        let now = (Instant::now(), self.counted());
        let slow = || {
            let before = self.presenter.logged.replace(now);
            let load = before.and_then(|(since, before)| now.1.gpu_since(&before, now.0 - since));
            let gpu_bytes = self.gpu.memory_budget().map_or_else(|| self.gpu.allocated_bytes(), |heaps| heaps[0].used);
            Slow { gpu_load: load.map_or(0.0, |(_, share)| share), gpu_bytes }
        };
        match log.frame(slow) {
            Ok(()) => self.presenter.hud_log = Some(log),
            Err(error) => self.log_failed(error),
        }
    }

    /// The log of figures ends.
    pub(crate) fn finish_hud_log(&mut self) {
        if let Some(Err(error)) = self.presenter.hud_log.take().map(|mut log| log.finish()) {
            self.log_failed(error);
        }
    }

    fn log_failed(&self, error: std::io::Error) {
        let Some(path) = &self.options.hud_log else { return };
        if let Some(why) = self.presenter.failures.note(path, Err::<(), _>(error)) {
            tracing::error!("{why}");
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

    fn facts(&self, items: u32, (before, now, age): (Counters, Counters, Duration), arena: &dyn Arena) -> Facts {
        let frames = now.frames - before.frames;
        let profile = &self.gpu.profile;
        let api = profile.api_version;
        let (major, minor, patch) =
            (vk::api_version_major(api), vk::api_version_minor(api), vk::api_version_patch(api));
        Facts {
            guest: self.presenter.guest,
            device: profile.name.clone(),
            driver: profile.driver.clone(),
            api: format!("Vulkan {major}.{minor}.{patch}"),
            fps: if age.is_zero() { 0.0 } else { frames as f32 / age.as_secs_f32() },
            gpu: now.gpu_since(&before, age),
            draws: (now.draws - before.draws).checked_div(frames).unwrap_or(0),
            submissions: (now.submissions - before.submissions) as f32 / frames.max(1) as f32,
            skipped: now.skipped - before.skipped,
            pipelines: self.programs.pipelines.made(),
            shaders: self.programs.library.len() as u64,
            pending: self.programs.library.workers.pending(),
            guest_state: now.guest.since(&before.guest),
            renderer_state: now.renderer.since(&before.renderer),
            calls_saved: now.calls_saved.saturating_sub(before.calls_saved),
            memory: if items & Overlay::MEMORY != 0 { self.memory_kinds(arena) } else { Vec::new() },
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
