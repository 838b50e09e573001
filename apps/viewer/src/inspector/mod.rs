//! The panels of one capture: its calls, and what is known of the selected one. A process of its own replays it.

mod calls;
mod details;
mod pictures;
mod replayer;

use crate::keep;
use crate::program::{Event, Notify};
use crate::renderer::Start;
use crate::source::Source;
use afterimage_inspect::{Call, Capture};
use calls::Calls;
use details::Details;
use egui::{Color32, Key, Panel, RichText, Ui};
use pictures::Pictures;
use replayer::{Ask, Found, Time};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// Calls of a frame that are timed without being asked for.
const TIMED: u64 = 20_000;

/// The times of calls on the GPU, as far as they are known.
#[derive(Default)]
struct Times {
    /// By call; `None` where the device cannot say.
    known: HashMap<u64, Option<Duration>>,
    total: Duration,
    longest: Duration,
    asked: Option<Range<u64>>,
}

impl Times {
    fn of(&self, call: u64) -> Option<Duration> {
        self.known.get(&call).copied().flatten()
    }

    fn take(&mut self, times: Vec<Time>) {
        self.known.extend(times);
        let known = || self.known.values().flatten();
        (self.total, self.longest) = (known().sum(), known().max().copied().unwrap_or_default());
    }
}

/// The panels of a capture.
pub(crate) struct Inspector {
    /// What it is of, for the title.
    pub(crate) title: String,
    /// Where it comes from.
    pub(crate) source: Source,
    found: Receiver<Found>,
    asks: Sender<Ask>,
    capture: Option<Arc<Capture>>,
    failure: Option<String>,
    said: Option<String>,
    /// The call to select when the capture is there, instead of its first draw.
    wanted: Option<u64>,
    selected: u64,
    /// The call whose picture the user wants to keep.
    kept: Option<u64>,
    calls: Calls,
    details: Details,
    pictures: Pictures,
    times: Times,
}

impl Inspector {
    /// Opens a capture, in the background. What the user has chosen of `before`, as panels and words to look for, stays.
    pub(crate) fn open(title: String, source: Source, start: &Start, notify: Notify, before: Option<&Self>) -> Self {
        let (tell, found) = channel();
        let (asks, asked) = channel();
        let (start, opened) = (start.clone(), source.clone());
        std::thread::spawn(move || {
            let tell = |found| {
                // The window may have lost interest.
                let _unread = tell.send(found);
                notify.tell(Event::News);
            };
            replayer::work(&opened, &start, &asked, &tell);
        });
        Self {
            title,
            source,
            found,
            asks,
            capture: None,
            failure: None,
            said: None,
            wanted: before.map(|before| before.selected),
            selected: 0,
            kept: None,
            calls: before.map_or_else(Calls::default, |before| before.calls.anew()),
            details: before.map_or_else(Details::default, |before| before.details.anew()),
            pictures: Pictures::default(),
            times: Times::default(),
        }
    }

    /// A key, if it is one for these panels. `shift` is whether Shift is down.
    pub(crate) fn key(&mut self, ctx: &egui::Context, key: Key, shift: bool) -> bool {
        let Some(capture) = self.capture.clone() else { return false };
        let by = match key {
            Key::ArrowDown => 1,
            Key::ArrowUp => -1,
            Key::PageDown => 10,
            Key::PageUp => -10,
            Key::Home => i64::MIN,
            Key::End => i64::MAX,
            _ => 0,
        };
        match key {
            Key::ArrowDown | Key::ArrowUp | Key::PageDown | Key::PageUp if shift => self.details.scroll(key),
            _ if by != 0 => {
                if let Some(call) = self.calls.step(&capture, self.selected, by) {
                    self.selected = call;
                    self.calls.scroll = true;
                }
            }
            Key::Slash => self.calls.look_for(ctx),
            Key::F => self.details.look_for(ctx),
            Key::T => self.ask_for_times(&capture),
            _ => return self.details.key(key),
        }
        true
    }

    /// The selected call and what is known of the capture, once that is open.
    pub(crate) fn selected(&self) -> Option<(&Arc<Capture>, Call)> {
        let capture = self.capture.as_ref()?;
        Some((capture, *capture.call(self.selected)?))
    }

    /// The picture behind the selected call is to be kept, as soon as it is drawn. Until the capture is open there is none.
    pub(crate) fn keep_picture(&mut self) {
        self.kept = self.capture.as_ref().map(|_| self.selected);
    }

    /// Keeps the picture that is to be kept, once it is drawn, or the user has gone on without it; what became of it.
    pub(crate) fn kept(&mut self) -> Option<String> {
        let call = self.kept?;
        if call == self.selected && self.pictures.call != Some(call) {
            return None;
        }
        self.kept = None;
        Some(match self.pictures.after(call) {
            Some(pixels) => keep::call_picture(&self.title, call, pixels.size, &pixels.rgba),
            None if call == self.selected => format!("call {call} has no picture"),
            None => format!("call {call} was left before its picture was drawn"),
        })
    }

    /// The selected call, in words.
    pub(crate) fn selected_text(&self) -> String {
        match self.selected() {
            Some((capture, call)) => {
                format!("call {} of {}: {}", call.number, capture.calls().len(), call.packet.name())
            }
            None => String::new(),
        }
    }

    fn take_news(&mut self, ctx: &egui::Context) {
        while let Ok(found) = self.found.try_recv() {
            match found {
                Found::Opened(capture) => {
                    self.selected = calls::first(&capture, self.wanted);
                    self.calls.scroll = true;
                    let whole = capture.calls().len() as u64;
                    self.capture = Some(Arc::clone(&capture));
                    if capture.frames().len() <= 1 && (1..=TIMED).contains(&whole) {
                        self.ask_for_times(&capture);
                    }
                }
                Found::Failed(error) => self.failure = Some(error),
                Found::Pictures { call, list } => self.pictures.take(ctx, call, list),
                Found::Times(times) => {
                    self.times.take(times);
                    self.details.forget();
                }
                Found::Said(said) => self.said = Some(said),
            }
        }
    }

    /// Has the calls of the selected one's frame timed.
    fn ask_for_times(&mut self, capture: &Capture) {
        let Some(call) = capture.call(self.selected) else { return };
        let frame = capture.frames().iter().find(|frame| frame.calls.contains(&call.number));
        let calls = frame.map_or(0..capture.calls().len() as u64, |frame| frame.calls.clone());
        if self.times.asked.as_ref() != Some(&calls) && self.asks.send(Ask::Times(calls.clone())).is_ok() {
            self.times.asked = Some(calls);
        }
    }

    /// Shows everything.
    pub(crate) fn show(&mut self, ui: &mut Ui) {
        self.take_news(ui.ctx());
        let red = |ui: &mut Ui, text: &str| ui.colored_label(Color32::LIGHT_RED, text);
        if let Some(error) = &self.failure {
            egui::CentralPanel::default().show(ui, |ui| {
                ui.heading(format!("{} cannot be shown", self.title));
                red(ui, error);
                ui.label("W closes this page. What is left of a damaged file: afterimage info FILE");
            });
            return;
        }
        let Some(capture) = self.capture.clone() else {
            egui::CentralPanel::default().show(ui, |ui| ui.label(format!("Opening {} ...", self.title)));
            return;
        };
        let damage: Vec<&str> = capture.damage().into_iter().flat_map(str::lines).collect();
        if capture.calls().is_empty() {
            egui::CentralPanel::default().show(ui, |ui| {
                damage.iter().for_each(|line| drop(red(ui, line)));
                ui.label(
                    "This capture has no calls: nothing was drawn in it, or the damage is before its first frame.",
                );
            });
            return;
        }
        if let Err(said) = self.pictures.ask(&self.asks, &capture, self.selected) {
            self.said.get_or_insert(said);
        }
        let chosen = Panel::left("calls")
            .default_size(300.0)
            .show(ui, |ui| self.calls.show(ui, &capture, self.selected, &self.times));
        if let Some(call) = chosen.inner {
            self.selected = call;
        }
        let wants_times = Panel::right("details")
            .default_size(480.0)
            .show(ui, |ui| self.details.show(ui, &capture, self.selected, &self.pictures, &self.times));
        if wants_times.inner {
            self.ask_for_times(&capture);
        }
        egui::CentralPanel::default().show(ui, |ui| {
            for problem in damage.into_iter().chain(self.said.as_deref()) {
                red(ui, problem);
            }
            let time =
                self.times.of(self.selected).map_or_else(String::new, |time| format!(", {}", calls::micros(time)));
            ui.label(RichText::new(format!("{}{time}", self.selected_text())).strong());
            self.pictures.show(ui, self.selected, true);
        });
    }
}
