//! The page of a program: its pictures while it runs, and the panels of the frame that it is paused at.

use super::keys::program_key;
use crate::inspector::Inspector;
use crate::keep;
use crate::keep::Live;
use crate::program::{Notify, View};
use crate::renderer::Start;
use crate::source::Source;
use egui::{Color32, ColorImage, Key, Panel, TextureHandle, TextureOptions, Ui};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Time over which rates are taken.
const RATES: Duration = Duration::from_millis(500);

/// What the window keeps of a program.
pub(super) struct ProgramPage {
    pub(super) view: View,
    picture: Option<(Arc<Live>, TextureHandle)>,
    /// Of the frame that it is paused at.
    pub(super) inspector: Option<Inspector>,
    /// The number of that frame.
    frame: u64,
    /// When rates were last taken, with frames and draws until then, and the rates.
    rates: (Instant, u64, u64),
    fps: f64,
    draws: f64,
    /// Why it is not there any more: nobody serves it now.
    gone: Option<String>,
}

impl ProgramPage {
    /// Of a program that has connected.
    pub(super) fn new(view: View) -> Self {
        view.control.keep(true);
        let rates = (Instant::now(), 0, 0);
        Self { view, picture: None, inspector: None, frame: 0, rates, fps: 0.0, draws: 0.0, gone: None }
    }

    /// The program is gone, and why, if neither it nor the user wanted that; whether there is something left to look at.
    pub(super) fn end(&mut self, why: Option<String>) -> bool {
        // What the user has let go is not looked at any more, though nothing was drawn since.
        let left = why.is_some() || (self.inspector.is_some() && self.view.control.is_paused());
        self.gone = Some(why.unwrap_or_else(|| "the program has ended".into()));
        left
    }

    /// Whether nobody serves the program any more.
    pub(super) fn has_ended(&self) -> bool {
        self.gone.is_some()
    }

    /// The program's name, and whether it has ended.
    pub(super) fn name(&self) -> String {
        let ended = if self.has_ended() { " (ended)" } else { "" };
        format!("{}{ended}", self.view.name)
    }

    /// The name, and what becomes of the program.
    pub(super) fn title(&self) -> String {
        let paused = self.view.control.is_paused();
        let ended = self.view.control.status().ended.is_some() && !self.has_ended();
        let what = match &self.inspector {
            _ if ended => ", ended while paused".to_owned(),
            Some(inspector) => format!(", frame {}, {}", self.frame, inspector.selected_text()),
            None if paused && !self.has_ended() => ", pausing".to_owned(),
            None => String::new(),
        };
        format!("{}{what}", self.name())
    }

    /// Takes what the program's thread has to say.
    pub(super) fn take_news(&mut self, ctx: &egui::Context, start: &Start, notify: &Notify) {
        let status = self.view.control.status();
        let (live, held) = (status.live.clone(), status.held.clone());
        let (frames, draws) = (status.frames, status.draws);
        drop(status);
        if let Some(live) = live
            && self.picture.as_ref().is_none_or(|(old, _)| !Arc::ptr_eq(old, &live))
        {
            let size = live.size.map(|edge| edge as usize);
            // Alpha is the program's own business.
            let pixels = live.rgba.chunks_exact(4).map(|p| Color32::from_rgb(p[0], p[1], p[2])).collect();
            let image = ColorImage::new(size, pixels);
            match &mut self.picture {
                Some((old, texture)) => {
                    texture.set(image, TextureOptions::NEAREST);
                    *old = live;
                }
                None => {
                    let texture = ctx.load_texture(&self.view.name, image, TextureOptions::NEAREST);
                    self.picture = Some((live, texture));
                }
            }
        }
        match held {
            Some(held) if self.inspector.is_none() || self.frame != held.frame => {
                let title = format!("frame {} of {}", held.frame, self.view.name);
                let source = Source::Bytes(Arc::clone(&held.bytes));
                let inspector = Inspector::open(title, source, start, notify.clone(), self.inspector.as_ref());
                (self.frame, self.inspector) = (held.frame, Some(inspector));
            }
            // While it steps, the last frame's panels stay.
            None if !self.view.control.is_paused() => self.inspector = None,
            _ => {}
        }
        let age = self.rates.0.elapsed();
        if age >= RATES {
            let new = frames.saturating_sub(self.rates.1);
            self.fps = new as f64 / age.as_secs_f64();
            self.draws = draws.saturating_sub(self.rates.2) as f64 / new.max(1) as f64;
            self.rates = (Instant::now(), frames, draws);
        }
    }

    /// A key, if it is one for the program. What is left of one that has ended can still be kept.
    pub(super) fn key(&self, key: Key) -> bool {
        if !self.has_ended() {
            return program_key(&self.view, key);
        }
        let control = &self.view.control;
        let status = control.status();
        let (live, held) = (status.live.clone(), status.held.clone());
        drop(status);
        let nothing = || "the program has ended".to_owned();
        match key {
            Key::F12 => control.say(live.map_or_else(nothing, |live| keep::picture(&self.view.name, &live))),
            Key::F10 => control.say(held.map_or_else(nothing, |held| keep::held(&self.view.name, &held))),
            Key::D => match held {
                Some(held) => control.dump_held(&held),
                None => control.say(nothing()),
            },
            Key::Space | Key::N | Key::O => control.say(nothing()),
            _ => return false,
        }
        true
    }

    /// How the program is, in words.
    pub(super) fn status(&self) -> String {
        let status = self.view.control.status();
        let said = if status.said.is_empty() { String::new() } else { format!("; {}", status.said) };
        let shown = self.picture.as_ref().map_or(0, |(live, _)| live.frame);
        if let Some(gone) = &self.gone {
            let frame = if self.inspector.is_some() { self.frame } else { shown };
            return format!("{gone}. This is frame {frame}, the last that was looked at; W closes the page{said}");
        }
        match (&status.held, &status.ended, self.view.control.is_paused()) {
            (Some(held), Some(ended), _) => format!(
                "{ended} while it was paused at frame {}, which stays to be looked at; N steps what it had sent, Space lets it go{said}",
                held.frame
            ),
            (Some(held), None, _) => format!(
                "Paused at frame {}: nothing is taken from the program, which waits as soon as its buffers are full{said}",
                held.frame
            ),
            (None, _, true) => format!("Pausing behind the next frame that the program draws{said}"),
            (None, _, false) => {
                format!("Frame {shown}, {:.1} frames a second, {:.0} draws a frame{said}", self.fps, self.draws)
            }
        }
    }

    /// Shows the last picture.
    pub(super) fn show_picture(&self, ui: &mut Ui, room: egui::Vec2) {
        let Some((_, texture)) = &self.picture else {
            ui.label("No picture yet: the program has presented nothing since it was looked at.");
            return;
        };
        let size = texture.size_vec2();
        let fit = (room.x / size.x.max(1.0)).min(room.y / size.y.max(1.0)).max(0.01);
        ui.image(egui::load::SizedTexture::new(texture.id(), size * fit));
    }

    /// Shows everything.
    pub(super) fn show(&mut self, ui: &mut Ui) {
        Panel::top("program").show(ui, |ui| {
            ui.horizontal_wrapped(|ui| {
                let pause = if self.view.control.is_paused() { "Go on" } else { "Pause" };
                let buttons = [
                    (pause, Key::Space),
                    ("Step frame", Key::N),
                    ("Capture", Key::F10),
                    ("Picture", Key::F12),
                    ("Dump", Key::D),
                    ("Figures", Key::O),
                ];
                for (name, key) in buttons {
                    if ui.button(format!("{name} ({})", key.name())).clicked() {
                        self.key(key);
                    }
                }
                if !self.has_ended() && ui.button("Disconnect").clicked() {
                    self.view.control.stop();
                }
            });
            let ended = self.has_ended() || self.view.control.status().ended.is_some();
            let color = if ended { Color32::LIGHT_RED } else { Color32::LIGHT_GRAY };
            ui.colored_label(color, self.status());
        });
        match &mut self.inspector {
            Some(inspector) => inspector.show(ui),
            None => drop(egui::CentralPanel::default().show(ui, |ui| {
                let room = ui.available_size();
                self.show_picture(ui, room);
            })),
        }
    }
}
