//! Figures over the pictures in windows: what of a program's drawing can be seen while it runs.
//!
//! Frames are those of the program, from present to present. Text is made anew a few times a second, so that it can be read.

pub(crate) mod font;
mod layout;
mod times;

use crate::overlay::Rectangle;
use crate::renderer::Renderer;
use afterimage_state::Figures;
use afterimage_stream::Arena;
use afterimage_stream::packets::{Init, Overlay};
use ash::vk;
use layout::Line;
use std::time::{Duration, Instant};
use times::{Summary, Times};

/// How long text stays.
const REFRESH: Duration = Duration::from_millis(250);

/// Counters of the renderer at a moment.
#[derive(Clone, Copy, Debug, Default)]
struct Counters {
    frames: u64,
    draws: u64,
    skipped: u64,
    submissions: u64,
    guest: Figures,
    renderer: Figures,
    calls_saved: u64,
}

/// Everything that lines can say.
#[derive(Clone, Debug, Default)]
struct Facts {
    guest: u32,
    device: String,
    driver: String,
    /// Vulkan's version.
    api: u32,
    fps: f32,
    /// Per frame.
    draws: u64,
    submissions: f32,
    /// Since the last text.
    skipped: u64,
    pipelines: u64,
    shaders: u64,
    pending: usize,
    memory: Vec<Memory>,
    /// The guest's state tracking since the last text.
    guest_state: Figures,
    /// The renderer's, likewise, and calls of Vulkan that it saved.
    renderer_state: Figures,
    calls_saved: u64,
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Memory {
    name: &'static str,
    used: u64,
    /// What there is, where that is known.
    of: Option<u64>,
}

/// The figures of one program.
pub(crate) struct Hud {
    pub(crate) overlay: Overlay,
    times: Times,
    last: Option<Instant>,
    /// When text was made, and from what.
    refreshed: Option<(Instant, Counters)>,
    lines: Vec<Line>,
}

impl Hud {
    /// `None` where nothing is wanted.
    pub(crate) fn new(overlay: &Overlay) -> Option<Box<Self>> {
        let hud = Self { overlay: *overlay, times: Times::default(), last: None, refreshed: None, lines: Vec::new() };
        (!overlay.is_off()).then(|| Box::new(hud))
    }

    /// What is drawn in a window of this size.
    pub(crate) fn rectangles(&self, extent: vk::Extent2D) -> Vec<Rectangle> {
        layout::rectangles(&self.overlay, &self.lines, &self.times, [extent.width, extent.height])
    }
}

/// What an item says.
fn lines(item: u32, facts: &Facts, times: &Times) -> Vec<Line> {
    let count = |count: u64, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let text = match item {
        Overlay::VERSION => format!("Afterimage {}", env!("CARGO_PKG_VERSION")),
        Overlay::API => {
            let guest = match facts.guest {
                Init::D3D9 => "Direct3D 9",
                Init::NV2A => "NV2A",
                Init::GNM => "GNM",
                _ => "a program",
            };
            let v = facts.api;
            let (major, minor) = (vk::api_version_major(v), vk::api_version_minor(v));
            format!("{guest} on Vulkan {major}.{minor}.{}", vk::api_version_patch(v))
        }
        Overlay::DEVICE => return vec![Line::Text(facts.device.clone()), Line::Text(facts.driver.clone())],
        Overlay::FPS => format!("{:.1} fps", facts.fps),
        Overlay::FRAMETIMES => {
            let legend = times.summary().map(|Summary { mean, low: [percent, tenth] }| {
                Line::Text(format!("{mean:.1} ms, 1% low {percent:.1}, 0.1% {tenth:.1}"))
            });
            return std::iter::once(Line::Graph).chain(legend).collect();
        }
        Overlay::SUBMISSIONS => format!("{:.1} submissions", facts.submissions),
        Overlay::DRAWCALLS if facts.skipped > 0 => {
            format!("{}, {} skipped", count(facts.draws, "draw"), facts.skipped)
        }
        Overlay::DRAWCALLS => count(facts.draws, "draw"),
        Overlay::PIPELINES => format!("{}, {}", count(facts.pipelines, "pipeline"), count(facts.shaders, "shader")),
        Overlay::STATE => {
            // Counts that a guest sends may be anything.
            let line = |who: &str, what: &str, figures: Figures, all: u64, new: u64| {
                let a_draw = |count: u64| count as f32 / figures.draws.max(1) as f32;
                Line::Text(format!("{who}: {:.1} {what} a draw, {:.1} new", a_draw(all), a_draw(new)))
            };
            let (guest, renderer) = (facts.guest_state, facts.renderer_state);
            let new = |figures: Figures| figures.applied.saturating_sub(figures.unchanged);
            let saved = facts.calls_saved as f32 / renderer.draws.max(1) as f32;
            return vec![
                line("guest", "writes", guest, guest.filtered.saturating_add(guest.marked), guest.marked),
                line("guest", "groups", guest, guest.applied, new(guest)),
                line("renderer", "groups", renderer, renderer.applied, new(renderer)),
                Line::Text(format!("{saved:.1} calls saved a draw")),
            ];
        }
        Overlay::MEMORY => {
            let mib = |bytes: u64| bytes.div_ceil(1 << 20);
            let line = |memory: &Memory| match memory.of {
                Some(of) => format!("{} {} of {} MiB", memory.name, mib(memory.used), mib(of)),
                None => format!("{} {} MiB", memory.name, mib(memory.used)),
            };
            return facts.memory.iter().map(line).map(Line::Text).collect();
        }
        Overlay::COMPILER if facts.pending > 0 => {
            return vec![Line::Busy(format!("compiling {}...", facts.pending))];
        }
        _ => return Vec::new(),
    };
    vec![Line::Text(text)]
}

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
            draws: self.draws,
            skipped: self.skipped_draws,
            submissions: self.submissions.current,
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
        Facts {
            guest: self.presenter.guest,
            device: profile.name.clone(),
            driver: profile.driver.clone(),
            api: profile.api_version,
            fps: if age.is_zero() { 0.0 } else { frames as f32 / age.as_secs_f32() },
            draws: (now.draws - before.draws).checked_div(frames).unwrap_or(0),
            submissions: (now.submissions - before.submissions) as f32 / frames.max(1) as f32,
            skipped: now.skipped - before.skipped,
            pipelines: self.pipelines.made(),
            shaders: self.library.len() as u64,
            pending: self.library.workers.pending(),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn text(item: u32, facts: &Facts) -> Vec<String> {
        let mut times = Times::default();
        times.add(20.0);
        let text = |line| match line {
            Line::Text(text) | Line::Busy(text) => text,
            Line::Graph => "(graph)".to_owned(),
        };
        lines(item, facts, &times).into_iter().map(text).collect()
    }

    #[test]
    fn every_item_says_its_facts() {
        let mut facts = Facts {
            guest: Init::D3D9,
            device: "a device".into(),
            driver: "its driver 1.2".into(),
            api: vk::make_api_version(0, 1, 3, 230),
            fps: 59.94,
            draws: 1,
            submissions: 2.5,
            pipelines: 12,
            shaders: 1,
            memory: vec![
                Memory { name: "device", used: 5 << 20, of: Some(80 << 30) },
                Memory { name: "uploads", used: (3 << 20) + 1, of: None },
            ],
            ..Facts::default()
        };
        assert_eq!(text(Overlay::VERSION, &facts), [concat!("Afterimage ", env!("CARGO_PKG_VERSION"))]);
        assert_eq!(text(Overlay::API, &facts), ["Direct3D 9 on Vulkan 1.3.230"]);
        assert_eq!(text(Overlay::DEVICE, &facts), ["a device", "its driver 1.2"]);
        assert_eq!(text(Overlay::FPS, &facts), ["59.9 fps"]);
        assert_eq!(text(Overlay::FRAMETIMES, &facts), ["(graph)", "20.0 ms, 1% low 50.0, 0.1% 50.0"]);
        assert_eq!(text(Overlay::SUBMISSIONS, &facts), ["2.5 submissions"]);
        assert_eq!(text(Overlay::DRAWCALLS, &facts), ["1 draw"]);
        assert_eq!(text(Overlay::PIPELINES, &facts), ["12 pipelines, 1 shader"]);
        assert_eq!(text(Overlay::MEMORY, &facts), ["device 5 of 81920 MiB", "uploads 4 MiB"]);
        facts.guest_state = Figures { draws: 10, filtered: 25, marked: 50, applied: 20, unchanged: 2 };
        facts.renderer_state = Figures { draws: 10, filtered: 0, marked: 40, applied: 30, unchanged: 15 };
        facts.calls_saved = 201;
        let lines = [
            "guest: 7.5 writes a draw, 5.0 new",
            "guest: 2.0 groups a draw, 1.8 new",
            "renderer: 3.0 groups a draw, 1.5 new",
            "20.1 calls saved a draw",
        ];
        assert_eq!(text(Overlay::STATE, &facts), lines);
        facts.guest_state = Figures { draws: 0, filtered: u64::MAX, marked: u64::MAX, applied: 0, unchanged: u64::MAX };
        assert_eq!(text(Overlay::STATE, &facts).len(), 4, "a guest may say anything");
        assert!(text(Overlay::COMPILER, &facts).is_empty() && text(Overlay::PICTURES, &facts).is_empty());
        (facts.pending, facts.draws, facts.skipped) = (7, 30, 2);
        assert_eq!(text(Overlay::COMPILER, &facts), ["compiling 7..."]);
        assert_eq!(text(Overlay::DRAWCALLS, &facts), ["30 draws, 2 skipped"]);
    }

    #[test]
    fn nothing_wanted_is_nothing_there() {
        assert!(Hud::new(&Overlay::default()).is_none());
        assert!(Hud::new(&Overlay { items: Overlay::PICTURES, ..Overlay::default() }).is_none());
        assert!(Hud::new(&Overlay { items: Overlay::FPS, ..Overlay::default() }).is_some());
    }
}
