//! Figures over the pictures in windows: what of a program's drawing can be seen while it runs.
//!
//! Frames are those of the program, from present to present. Text is made anew a few times a second, so that it can be read.

pub mod font;
pub mod layout;
pub mod log;
pub mod notices;
pub mod times;

use crate::hud::layout::Line;
use crate::hud::times::{Summary, Times};
use afterimage_state::Figures;
use afterimage_stream::packets::{Init, Overlay};
use bytemuck::{Pod, Zeroable};
use std::time::{Duration, Instant};

/// A rectangle of pixels from the upper left, with a glyph or filled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Rectangle {
    /// Left edge.
    pub x: u16,
    /// Upper edge.
    pub y: u16,
    /// Pixels.
    pub width: u16,
    /// Pixels.
    pub height: u16,
    /// Number of the glyph in the font; [`Rectangle::FILLED`] is none.
    pub glyph: u32,
    /// Red to alpha.
    pub color: [u8; 4],
}

impl Rectangle {
    /// No glyph: all of it is filled.
    pub const FILLED: u32 = u32::MAX;
}

/// Counters of the renderer at a moment.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters {
    /// Presents.
    pub frames: u64,
    /// Draws that were done.
    pub draws: u64,
    /// Draws that were left out, since their pipelines are not there yet.
    pub skipped: u64,
    /// Submissions to the GPU.
    pub submissions: u64,
    /// What the guest said of its state tracking.
    pub guest: Figures,
    /// The renderer's state tracking.
    pub renderer: Figures,
    /// Calls of the host's API that were not needed.
    pub calls_saved: u64,
    /// How long the GPU was busy, where that is measured.
    pub busy: Option<Duration>,
}

impl Counters {
    /// The GPU's time a frame in milliseconds, and the share of the time that it was busy, between two moments that are so far apart.
    #[must_use]
    pub fn gpu_since(&self, before: &Self, age: Duration) -> Option<(f32, f32)> {
        let busy = self.busy?.saturating_sub(before.busy?).as_secs_f32();
        let frames = self.frames.saturating_sub(before.frames).max(1);
        let share = if age.is_zero() { 0.0 } else { (busy / age.as_secs_f32()).min(1.0) };
        Some((busy * 1000.0 / frames as f32, share))
    }
}

/// Everything that lines can say.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Number of the guest, as `Init::guest`.
    pub guest: u32,
    /// Its name.
    pub device: String,
    /// Name and version.
    pub driver: String,
    /// The host's API and its version.
    pub api: String,
    /// Frames a second.
    pub fps: f32,
    /// The GPU's milliseconds a frame, and the share of the time that it is busy.
    pub gpu: Option<(f32, f32)>,
    /// Per frame.
    pub draws: u64,
    /// Per frame.
    pub submissions: f32,
    /// Since the last text.
    pub skipped: u64,
    /// Pipelines that were made.
    pub pipelines: u64,
    /// Modules of shaders that there are.
    pub shaders: u64,
    /// Pipelines and shaders that are being made or will be.
    pub pending: usize,
    /// Each kind of memory.
    pub memory: Vec<Memory>,
    /// The guest's state tracking since the last text.
    pub guest_state: Figures,
    /// The renderer's, likewise, and calls of the host's API that it saved.
    pub renderer_state: Figures,
    /// Calls of the host's API that were not needed.
    pub calls_saved: u64,
}

impl Facts {
    /// With what has been counted between two moments.
    fn since(self, before: &Counters, now: &Counters, age: Duration) -> Self {
        let frames = now.frames.saturating_sub(before.frames);
        Self {
            fps: if age.is_zero() { 0.0 } else { frames as f32 / age.as_secs_f32() },
            gpu: now.gpu_since(before, age),
            draws: now.draws.saturating_sub(before.draws).checked_div(frames).unwrap_or(0),
            submissions: now.submissions.saturating_sub(before.submissions) as f32 / frames.max(1) as f32,
            skipped: now.skipped.saturating_sub(before.skipped),
            guest_state: now.guest.since(&before.guest),
            renderer_state: now.renderer.since(&before.renderer),
            calls_saved: now.calls_saved.saturating_sub(before.calls_saved),
            ..self
        }
    }
}

/// A kind of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// What it is called in the figures.
    pub name: &'static str,
    /// Bytes that are taken.
    pub used: u64,
    /// What there is, where that is known.
    pub of: Option<u64>,
}

/// The figures of one program.
pub struct Hud {
    /// What is asked for, and where.
    pub overlay: Overlay,
    /// The last frames.
    pub times: Times,
    /// When the last frame was presented.
    pub last: Option<Instant>,
    /// When text was made, and from what.
    pub refreshed: Option<(Instant, Counters)>,
    /// The text that is shown.
    pub lines: Vec<Line>,
}

/// How long text stays.
const REFRESH: Duration = Duration::from_millis(250);

impl Hud {
    /// A frame is presented: its time, and new text where the old has stood long enough. `facts` are those of the host, for these items:
    /// names, numbers of shaders and pipelines, memory. What is counted a frame is taken from the counters.
    pub fn frame(&mut self, counters: Counters, facts: impl FnOnce(u32) -> Facts) {
        let now = Instant::now();
        if let Some(last) = self.last.replace(now) {
            self.times.add((now - last).as_secs_f32() * 1000.0);
        }
        let (since, before) = *self.refreshed.get_or_insert((now, counters));
        let age = now - since;
        if self.lines.is_empty() || age >= REFRESH {
            let items = self.overlay.items;
            let facts = facts(items).since(&before, &counters, age);
            let shown = Overlay::ITEMS.iter().filter(|(item, ..)| items & item != 0);
            self.lines = shown.flat_map(|(item, ..)| lines(*item, &facts, &self.times)).collect();
            self.refreshed = Some((now, counters));
        }
    }

    /// `None` where nothing is wanted.
    pub fn new(overlay: &Overlay) -> Option<Box<Self>> {
        let hud = Self { overlay: *overlay, times: Times::default(), last: None, refreshed: None, lines: Vec::new() };
        (!overlay.is_off()).then(|| Box::new(hud))
    }

    /// What is drawn in a window of this size.
    pub fn rectangles(&self, size: [u32; 2]) -> Vec<Rectangle> {
        layout::rectangles(&self.overlay, &self.lines, &self.times, size)
    }
}

/// What an item says.
pub fn lines(item: u32, facts: &Facts, times: &Times) -> Vec<Line> {
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
            format!("{guest} on {}", facts.api)
        }
        Overlay::DEVICE => return vec![Line::Text(facts.device.clone()), Line::Text(facts.driver.clone())],
        Overlay::FPS => format!("{:.1} fps", facts.fps),
        Overlay::GPU => match facts.gpu {
            Some((time, share)) => format!("GPU {time:.1} ms, {:.0} %", share * 100.0),
            None => "GPU: the device tells no time".into(),
        },
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
            api: "Vulkan 1.3.230".into(),
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
        assert_eq!(text(Overlay::GPU, &facts), ["GPU: the device tells no time"]);
        facts.gpu = Some((4.26, 0.637));
        assert_eq!(text(Overlay::GPU, &facts), ["GPU 4.3 ms, 64 %"]);
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
    fn the_gpu_s_share_is_of_the_time_between() {
        let at = |frames, busy: Option<u64>| Counters {
            frames,
            busy: busy.map(Duration::from_millis),
            ..Counters::default()
        };
        let half = Duration::from_millis(500);
        assert_eq!(at(110, Some(350)).gpu_since(&at(100, Some(100)), half), Some((25.0, 0.5)));
        assert_eq!(at(100, Some(900)).gpu_since(&at(100, Some(0)), half), Some((900.0, 1.0)), "what is not done yet");
        assert_eq!(at(110, None).gpu_since(&at(100, None), half), None);
        assert_eq!(at(110, Some(5)).gpu_since(&at(100, Some(5)), Duration::ZERO), Some((0.0, 0.0)));
    }

    #[test]
    fn text_is_made_anew_when_the_old_has_stood_long_enough() {
        let mut hud = Hud::new(&Overlay { items: Overlay::DRAWCALLS | Overlay::DEVICE, ..Overlay::default() }).unwrap();
        let facts = |items| {
            assert_eq!(items, Overlay::DRAWCALLS | Overlay::DEVICE);
            Facts { device: "a device".into(), ..Facts::default() }
        };
        hud.frame(Counters { frames: 1, draws: 100, ..Counters::default() }, facts);
        let first = hud.lines.clone();
        assert!(first.contains(&Line::Text("a device".into())) && first.contains(&Line::Text("0 draws".into())));
        hud.frame(Counters { frames: 2, draws: 130, ..Counters::default() }, |_| unreachable!("it has just been made"));
        assert_eq!(hud.lines, first);
        hud.refreshed = hud.refreshed.map(|(since, counters)| (since - REFRESH, counters));
        hud.frame(Counters { frames: 3, draws: 160, ..Counters::default() }, facts);
        assert!(hud.lines.contains(&Line::Text("30 draws".into())), "{:?}", hud.lines);
    }

    #[test]
    fn nothing_wanted_is_nothing_there() {
        assert!(Hud::new(&Overlay::default()).is_none());
        assert!(Hud::new(&Overlay { items: Overlay::PICTURES, ..Overlay::default() }).is_none());
        assert!(Hud::new(&Overlay { items: Overlay::FPS, ..Overlay::default() }).is_some());
    }
}
