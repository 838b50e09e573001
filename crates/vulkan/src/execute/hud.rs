//! Figures over pictures: what there is to say, and when it is said anew.

use crate::renderer::Renderer;
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
        let counters = Counters {
            frames: self.stats.frames,
            draws: self.recorder.draws,
            skipped: self.recorder.skipped_draws,
            submissions: self.recorder.submissions.current,
            guest: self.stats.guest,
            renderer: self.state_figures(),
            calls_saved: self.calls_saved(),
        };
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
