//! What is on the window: pages of programs and captures, messages, help. It knows no window, so that tests can read it.

use super::keys::KEYS;
use super::page::ProgramPage;
use crate::dump;
use crate::inspector::Inspector;
use crate::keep;
use crate::program::{Event, Notify, View};
use crate::renderer::Start;
use crate::session;
use crate::source::Source;
use egui::{Color32, Key, Panel, RichText, Ui};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};

/// Pages of programs that have ended; the oldest goes when there are more.
const ENDED: usize = 8;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Page {
    Overview,
    Program(usize),
    Capture(usize),
}

/// What becomes of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// It was not for the desk.
    Other,
    /// It was.
    Done,
    /// The window is to fill the screen, or no longer.
    FullScreen,
    /// The window is not to fill the screen any more.
    NormalSize,
    /// The viewer is to end.
    End,
}

/// A key that goes down.
#[derive(Clone, Copy)]
pub(super) struct Press {
    pub(super) key: Key,
    pub(super) control: bool,
    pub(super) shift: bool,
    /// Whether it is down already: the display repeats keys that are held, on a slow machine short taps too.
    pub(super) again: bool,
}

impl From<Key> for Press {
    fn from(key: Key) -> Self {
        Self { key, control: false, shift: false, again: false }
    }
}

/// The pages.
pub(super) struct Desk {
    pub(super) ctx: egui::Context,
    start: Start,
    notify: Notify,
    directory: String,
    programs: Vec<ProgramPage>,
    captures: Vec<Inspector>,
    page: Page,
    help: bool,
    /// What is wrong.
    messages: Vec<String>,
    /// What became of what the user asked of a capture.
    said: String,
    saying: (Sender<String>, Receiver<String>),
}

impl Desk {
    /// Without programs, which come to this directory.
    pub(super) fn new(start: Start, notify: Notify, directory: String) -> Self {
        let ctx = egui::Context::default();
        ctx.set_theme(egui::Theme::Dark);
        Self {
            ctx,
            start,
            notify,
            directory,
            programs: Vec::new(),
            captures: Vec::new(),
            page: Page::Overview,
            help: false,
            messages: Vec::new(),
            said: String::new(),
            saying: channel(),
        }
    }

    /// A program has connected.
    pub(super) fn add(&mut self, view: View) {
        let first = self.programs.iter().all(ProgramPage::has_ended);
        if first && self.page == Page::Overview {
            self.page = Page::Program(view.number);
        }
        self.programs.push(ProgramPage::new(view));
    }

    /// A program is gone, and why, if neither it nor the user wanted that. What it was paused at, or what it showed last before
    /// something went wrong, stays to be looked at.
    pub(super) fn remove(&mut self, number: usize, why: Option<String>) {
        let Some(at) = self.programs.iter().position(|page| page.view.number == number) else { return };
        if !self.programs[at].end(why) {
            self.close(number);
        }
        let ended: Vec<usize> =
            self.programs.iter().filter(|page| page.has_ended()).map(|page| page.view.number).collect();
        if let Some(&oldest) = ended.first().filter(|_| ended.len() > ENDED) {
            self.close(oldest);
        }
    }

    fn close(&mut self, number: usize) {
        self.programs.retain(|page| page.view.number != number);
        if self.page == Page::Program(number) {
            self.page = Page::Overview;
        }
    }

    /// Tells the user that something is wrong.
    pub(super) fn say(&mut self, message: String) {
        self.messages.retain(|said| *said != message);
        self.messages.push(message);
    }

    /// Opens a capture.
    pub(super) fn open_capture(&mut self, path: &Path) {
        let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let source = Source::File(path.to_owned());
        self.captures.push(Inspector::open(title, source, &self.start, self.notify.clone(), None));
        self.page = Page::Capture(self.captures.len() - 1);
    }

    /// Programs give pictures only where they are looked at: reading them back costs time.
    pub(super) fn watch(&self, visible: bool) {
        for page in &self.programs {
            let shown = self.page == Page::Overview || self.page == Page::Program(page.view.number);
            page.view.control.watch(visible && shown);
        }
    }

    /// A key of the window.
    pub(super) fn key(&mut self, Press { key, control, shift, again }: Press) -> Act {
        let typing = self.ctx.text_edit_focused();
        match key {
            // What is typed is; of the rest only steps go on, as others would undo what they have done.
            _ if again && !is_step(key) => return Act::Other,
            Key::Q if control => return Act::End,
            _ if control => return Act::Other,
            Key::Escape if typing => self.ctx.memory_mut(egui::Memory::stop_text_input),
            Key::Escape if self.help => self.help = false,
            Key::Escape if !self.messages.is_empty() => self.messages.clear(),
            Key::Escape => return Act::NormalSize,
            Key::F1 => self.help = !self.help,
            Key::F11 => return Act::FullScreen,
            Key::Tab => self.next_page(shift),
            // Letters are what is typed; keys without one do what they always do.
            _ if typing && !matches!(key, Key::F10 | Key::F12) && !is_step(key) => return Act::Other,
            Key::H => self.help = !self.help,
            Key::W => self.close_page(),
            _ => {
                let ctx = self.ctx.clone();
                let done =
                    self.inspector().is_some_and(|inspector| inspector.key(&ctx, key, shift)) || self.page_key(key);
                return if done { Act::Done } else { Act::Other };
            }
        }
        Act::Done
    }

    /// A key for the program or capture of the page.
    fn page_key(&mut self, key: Key) -> bool {
        match self.page {
            Page::Overview => false,
            Page::Program(number) => {
                let page = self.programs.iter().find(|page| page.view.number == number);
                page.is_some_and(|page| page.key(key))
            }
            Page::Capture(number) => self.capture_key(number, key),
        }
    }

    fn capture_key(&mut self, number: usize, key: Key) -> bool {
        let Some(inspector) = self.captures.get_mut(number) else { return false };
        match key {
            Key::D => {
                let Some((capture, call)) = inspector.selected() else { return true };
                let frame = capture.frames().iter().find(|frame| frame.calls.contains(&call.number));
                let calls = frame.map(|frame| frame.calls.clone());
                let program = keep::file_name(&inspector.title);
                let frame = dump::Frame { program, number: call.frame, source: inspector.source.clone(), calls };
                let (tell, notify) = (self.saying.0.clone(), self.notify.clone());
                dump::start(frame, &self.start, move |said| {
                    eprintln!("{said}");
                    // The window may be gone.
                    let _unread = tell.send(said);
                    notify.tell(Event::News);
                });
            }
            Key::F12 => inspector.keep_picture(),
            _ => return false,
        }
        true
    }

    fn pages(&self) -> Vec<Page> {
        let programs = self.programs.iter().map(|page| Page::Program(page.view.number));
        let captures = (0..self.captures.len()).map(Page::Capture);
        std::iter::once(Page::Overview).chain(programs).chain(captures).collect()
    }

    fn next_page(&mut self, back: bool) {
        let pages = self.pages();
        let at = pages.iter().position(|page| *page == self.page).unwrap_or(0);
        let by = if back { pages.len() - 1 } else { 1 };
        self.page = pages[(at + by) % pages.len()];
    }

    /// Closes a capture, or the page of a program that has ended.
    fn close_page(&mut self) {
        match self.page {
            Page::Overview => {}
            Page::Program(number) => {
                if self.programs.iter().any(|page| page.view.number == number && page.has_ended()) {
                    self.close(number);
                }
            }
            Page::Capture(number) => {
                drop(self.captures.remove(number));
                self.page = Page::Overview;
            }
        }
    }

    /// The panels that are shown.
    fn inspector(&mut self) -> Option<&mut Inspector> {
        match self.page {
            Page::Overview => None,
            Page::Program(number) => {
                self.programs.iter_mut().find(|page| page.view.number == number)?.inspector.as_mut()
            }
            Page::Capture(number) => self.captures.get_mut(number),
        }
    }

    /// What the window is to be called.
    pub(super) fn title(&self) -> String {
        let page = match self.page {
            Page::Overview => None,
            Page::Program(number) => {
                self.programs.iter().find(|page| page.view.number == number).map(ProgramPage::title)
            }
            Page::Capture(number) => self.captures.get(number).map(|inspector| {
                let call = inspector.selected_text();
                if call.is_empty() { inspector.title.clone() } else { format!("{}, {call}", inspector.title) }
            }),
        };
        page.map_or_else(|| "Afterimage".to_owned(), |page| format!("Afterimage: {page}"))
    }

    /// Takes what programs and threads have to say.
    pub(super) fn take_news(&mut self) {
        for page in &mut self.programs {
            page.take_news(&self.ctx, &self.start, &self.notify);
        }
        if let Some(said) = self.saying.1.try_iter().last() {
            self.said = said;
        }
    }

    /// Shows the page.
    pub(super) fn show(&mut self, ui: &mut Ui) {
        Panel::top("pages").show(ui, |ui| self.show_pages(ui));
        Panel::bottom("messages").show(ui, |ui| self.show_messages(ui));
        match self.page {
            Page::Overview => drop(egui::CentralPanel::default().show(ui, |ui| self.show_overview(ui))),
            Page::Program(number) => {
                if let Some(page) = self.programs.iter_mut().find(|page| page.view.number == number) {
                    page.show(ui);
                }
            }
            Page::Capture(number) => {
                if let Some(inspector) = self.captures.get_mut(number) {
                    inspector.show(ui);
                    if let Some(said) = inspector.kept() {
                        eprintln!("{said}");
                        self.said = said;
                    }
                }
            }
        }
        if self.help {
            show_help(ui);
        }
    }

    fn show_pages(&mut self, ui: &mut Ui) {
        let captures = self.captures.iter().map(|capture| capture.title.clone());
        let programs = self.programs.iter().map(ProgramPage::name);
        let names = std::iter::once("All programs".to_owned()).chain(programs).chain(captures);
        let pages = self.pages();
        ui.horizontal_wrapped(|ui| {
            for (page, name) in pages.into_iter().zip(names) {
                ui.selectable_value(&mut self.page, page, name);
            }
        });
    }

    fn show_messages(&mut self, ui: &mut Ui) {
        for message in self.messages.iter().rev().take(3) {
            ui.colored_label(Color32::LIGHT_RED, message);
        }
        ui.horizontal_wrapped(|ui| {
            ui.weak("F1: keys");
            if !self.messages.is_empty() {
                ui.weak("Esc: close messages");
            }
            if let Page::Capture(_) = self.page
                && !self.said.is_empty()
            {
                ui.label(&self.said);
            }
            if let Some(folder) = session::place() {
                ui.weak(format!("Session: {}", folder.display()));
            }
        });
    }

    fn show_overview(&mut self, ui: &mut Ui) {
        if self.programs.is_empty() {
            ui.heading("No program is connected");
            ui.add_space(8.0);
            egui::Grid::new("start").spacing([24.0, 6.0]).show(ui, |ui| {
                for (what, how) in [
                    ("Start a Windows program:", "afterimage run --renderer viewer GAME.exe"),
                    ("Start a program that is linked with libd3d9.so:", "AFTERIMAGE_RENDERER=viewer ./PROGRAM"),
                    ("Look at a capture:", "drop it here, or: afterimage-viewer FILE.aftercap"),
                ] {
                    ui.label(what);
                    ui.monospace(how);
                    ui.end_row();
                }
                ui.label("Programs find this viewer in:");
                ui.monospace(format!("{}  (AFTERIMAGE_DIR)", self.directory));
            });
        }
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            for page in &self.programs {
                ui.vertical(|ui| {
                    ui.set_width(320.0);
                    if ui.button(page.name()).clicked() {
                        chosen = Some(page.view.number);
                    }
                    ui.label(page.status());
                    page.show_picture(ui, egui::vec2(320.0, 240.0));
                });
            }
        });
        if let Some(number) = chosen {
            self.page = Page::Program(number);
        }
    }
}

/// Whether a key steps or scrolls: it does so from a field, too.
fn is_step(key: Key) -> bool {
    matches!(key, Key::ArrowDown | Key::ArrowUp | Key::PageDown | Key::PageUp)
}

fn show_help(ui: &mut Ui) {
    egui::Window::new("Keys").collapsible(false).resizable(false).show(ui.ctx(), |ui| {
        egui::Grid::new("keys").striped(true).show(ui, |ui| {
            for (key, what) in KEYS {
                if what.is_empty() {
                    ui.label(RichText::new(key).strong().color(Color32::GOLD));
                } else {
                    ui.label(RichText::new(key).strong());
                }
                ui.label(what);
                ui.end_row();
            }
        });
    });
}

impl Drop for Desk {
    fn drop(&mut self) {
        for page in &self.programs {
            page.view.control.watch(false);
            page.view.control.keep(false);
        }
    }
}

#[cfg(test)]
mod tests;
