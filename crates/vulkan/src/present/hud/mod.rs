//! Figures over the pictures in windows: what of a program's drawing can be seen while it runs.
//!
//! Frames are those of the program, from present to present. Text is made anew a few times a second, so that it can be read.

pub(crate) mod font;
pub(crate) mod layout;
pub(crate) mod times;

use crate::present::hud::layout::Line;
use crate::present::hud::times::{Summary, Times};
use crate::present::overlay::Rectangle;
use afterimage_state::Figures;
use afterimage_stream::packets::{Init, Overlay};
use ash::vk;
use std::time::Instant;

/// Counters of the renderer at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    pub(crate) frames: u64,
    pub(crate) draws: u64,
    pub(crate) skipped: u64,
    pub(crate) submissions: u64,
    pub(crate) guest: Figures,
    pub(crate) renderer: Figures,
    pub(crate) calls_saved: u64,
}

/// Everything that lines can say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    pub(crate) guest: u32,
    pub(crate) device: String,
    pub(crate) driver: String,
    /// Vulkan's version.
    pub(crate) api: u32,
    pub(crate) fps: f32,
    /// Per frame.
    pub(crate) draws: u64,
    pub(crate) submissions: f32,
    /// Since the last text.
    pub(crate) skipped: u64,
    pub(crate) pipelines: u64,
    pub(crate) shaders: u64,
    pub(crate) pending: usize,
    pub(crate) memory: Vec<Memory>,
    /// The guest's state tracking since the last text.
    pub(crate) guest_state: Figures,
    /// The renderer's, likewise, and calls of Vulkan that it saved.
    pub(crate) renderer_state: Figures,
    pub(crate) calls_saved: u64,
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Memory {
    pub(crate) name: &'static str,
    pub(crate) used: u64,
    /// What there is, where that is known.
    pub(crate) of: Option<u64>,
}

/// The figures of one program.
pub(crate) struct Hud {
    pub(crate) overlay: Overlay,
    pub(crate) times: Times,
    pub(crate) last: Option<Instant>,
    /// When text was made, and from what.
    pub(crate) refreshed: Option<(Instant, Counters)>,
    pub(crate) lines: Vec<Line>,
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
pub(crate) fn lines(item: u32, facts: &Facts, times: &Times) -> Vec<Line> {
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
