//! What is known of the selected call, a tab for each kind: mostly lines of text, which can be searched.

use super::Times;
use super::calls::micros;
use super::pictures::Pictures;
use crate::dump::{access_line, guest_terms};
use afterimage_inspect::{Capture, Form, Resource, StateField, VertexTable, constants, fields, state_fields};
use afterimage_stream::ObjectId;
use egui::{Color32, Id, Key, RichText, ScrollArea, TextEdit, TextStyle, Ui, vec2};
use std::time::Duration;

/// Vertices that are shown of a draw.
const VERTICES: usize = 2000;

/// The field with what is looked for.
const FIELD: &str = "details looked for";

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tab {
    State,
    Host,
    Changes,
    Textures,
    Resources,
    Shaders,
    Vertices,
    Timing,
}

/// The tabs, with the keys that choose them.
const TABS: [(Tab, &str, Key); 8] = [
    (Tab::State, "State", Key::Num1),
    (Tab::Host, "Host state", Key::Num2),
    (Tab::Changes, "Call", Key::Num3),
    (Tab::Textures, "Textures", Key::Num4),
    (Tab::Resources, "Resources", Key::Num5),
    (Tab::Shaders, "Shaders", Key::Num6),
    (Tab::Vertices, "Vertices", Key::Num7),
    (Tab::Timing, "Timing", Key::Num8),
];

/// Lines of text, and whether they are headings.
#[derive(Default)]
struct Lines(Vec<(bool, String)>);

impl Lines {
    fn heading(&mut self, text: impl Into<String>) {
        self.0.push((true, text.into()));
    }

    fn line(&mut self, text: impl Into<String>) {
        self.0.push((false, text.into()));
    }

    /// A heading with lines, unless there are none.
    fn section(&mut self, title: &str, items: impl IntoIterator<Item = String>) {
        let mut items = items.into_iter().peekable();
        if items.peek().is_some() {
            self.heading(title);
            items.for_each(|item| self.line(item));
        }
    }

    /// Only lines with these words, under their headings.
    fn keep(&mut self, words: &str) {
        let words = words.trim().to_lowercase();
        if words.is_empty() {
            return;
        }
        let mut kept = Vec::new();
        let mut heading = None;
        for (is_heading, text) in std::mem::take(&mut self.0) {
            let found = text.to_lowercase().contains(&words);
            if is_heading {
                heading = Some((true, text));
                kept.extend(heading.take_if(|_| found));
            } else if found {
                kept.extend(heading.take());
                kept.push((false, text));
            }
        }
        self.0 = kept;
    }
}

/// The tabs.
pub(super) struct Details {
    tab: Tab,
    /// Which of the shaders that are set, and as what it is read.
    shader: (usize, Form),
    /// What is looked for in the lines.
    words: String,
    /// What is shown, and of what it was made.
    made: Option<(Made, Lines)>,
    /// Points by which the lines are still to be scrolled.
    scroll: f32,
    /// Whether the field is to be typed into.
    focus: bool,
}

/// What lines were made of.
#[derive(Clone, PartialEq)]
struct Made {
    call: u64,
    tab: Tab,
    shader: (usize, Form),
    words: String,
}

impl Default for Details {
    fn default() -> Self {
        Self { tab: Tab::State, shader: (0, Form::Guest), words: String::new(), made: None, scroll: 0.0, focus: false }
    }
}

impl Details {
    /// The same tab of another capture.
    pub(super) fn anew(&self) -> Self {
        Self { tab: self.tab, shader: self.shader, words: self.words.clone(), ..Self::default() }
    }

    /// Something that is shown is not so any more.
    pub(super) fn forget(&mut self) {
        self.made = None;
    }

    /// Puts the cursor where words are typed, for the very next key.
    pub(super) fn look_for(&mut self, ctx: &egui::Context) {
        self.focus = true;
        ctx.memory_mut(|memory| memory.request_focus(Id::unique(FIELD)));
    }

    /// Scrolls by what an arrow's or a page's key asks for.
    pub(super) fn scroll(&mut self, key: Key) {
        self.scroll += match key {
            Key::ArrowDown => 60.0,
            Key::ArrowUp => -60.0,
            Key::PageDown => 500.0,
            _ => -500.0,
        };
    }

    /// A key, if it is one of the tabs'.
    pub(super) fn key(&mut self, key: Key) -> bool {
        if let Some((tab, ..)) = TABS.iter().find(|(.., number)| *number == key) {
            self.tab = *tab;
            return true;
        }
        let at = Form::ALL.iter().position(|(form, _)| *form == self.shader.1).unwrap_or(0);
        let forms = Form::ALL.len();
        match key {
            _ if self.tab != Tab::Shaders => return false,
            Key::ArrowRight => self.shader.1 = Form::ALL[(at + 1) % forms].0,
            Key::ArrowLeft => self.shader.1 = Form::ALL[(at + forms - 1) % forms].0,
            // Which there are is known when they are shown.
            Key::S => self.shader.0 += 1,
            _ => return false,
        }
        true
    }

    /// Shows the tabs; whether times are wanted that have not been taken.
    pub(super) fn show(
        &mut self,
        ui: &mut Ui,
        capture: &Capture,
        call: u64,
        pictures: &Pictures,
        times: &Times,
    ) -> bool {
        ui.horizontal_wrapped(|ui| {
            for (number, (tab, name, _)) in TABS.into_iter().enumerate() {
                ui.selectable_value(&mut self.tab, tab, format!("{} {name}", number + 1));
            }
        });
        if self.tab == Tab::Textures {
            pictures.show(ui, call, false);
            return false;
        }
        if self.tab == Tab::Shaders {
            self.choose_shader(capture, call, ui);
        }
        let id = Id::unique(FIELD);
        ui.add(
            TextEdit::singleline(&mut self.words).id(id).hint_text("F  look for lines").desired_width(f32::INFINITY),
        );
        if std::mem::take(&mut self.focus) {
            ui.ctx().memory_mut(|memory| memory.request_focus(id));
        }
        let made = Made { call, tab: self.tab, shader: self.shader, words: self.words.clone() };
        if self.made.as_ref().is_none_or(|(of, _)| *of != made) {
            let mut lines = self.lines(capture, call, times);
            lines.keep(&self.words);
            if lines.0.is_empty() && !self.words.trim().is_empty() {
                lines.line("No line has these words. Esc leaves the field.");
            }
            self.made = Some((made, lines));
        }
        let Some((_, Lines(lines))) = &self.made else { return false };
        let height = ui.text_style_height(&TextStyle::Monospace);
        let scroll = std::mem::take(&mut self.scroll);
        ScrollArea::both().id_salt("lines").auto_shrink(false).show_rows(ui, height, lines.len(), |ui, rows| {
            ui.scroll_with_delta(vec2(0.0, -scroll));
            for (heading, line) in &lines[rows] {
                let text = RichText::new(line).monospace();
                let text =
                    if *heading { text.strong().color(Color32::YELLOW) } else { text.color(Color32::LIGHT_GRAY) };
                ui.add(egui::Label::new(text).extend());
            }
        });
        self.tab == Tab::Timing && !times.known.contains_key(&call)
    }

    fn choose_shader(&mut self, capture: &Capture, call: u64, ui: &mut Ui) {
        let bound = bound_shaders(capture, call);
        self.shader.0 %= bound.len().max(1);
        ui.horizontal_wrapped(|ui| {
            for (number, (stage, id)) in bound.into_iter().enumerate() {
                ui.selectable_value(&mut self.shader.0, number, format!("{stage} {id}"));
            }
            ui.weak("S: next");
        });
        ui.horizontal_wrapped(|ui| {
            for (form, name) in Form::ALL {
                ui.selectable_value(&mut self.shader.1, form, name);
            }
            ui.weak("Left, Right");
        });
    }

    fn lines(&self, capture: &Capture, call: u64, times: &Times) -> Lines {
        let mut lines = Lines::default();
        match self.tab {
            Tab::State => state(&mut lines, capture, call),
            Tab::Host => {
                let state = capture.state_before(call);
                let line = |field: StateField| format!("{} = {}", field.path, field.value);
                lines.section("State", state_fields(&state).into_iter().map(line));
                lines.section("Constants", constants(&state).into_iter().map(line));
            }
            Tab::Changes => changes(&mut lines, capture, call),
            Tab::Resources => {
                let line = |resource: &Resource| {
                    let name = resource.name.as_deref().unwrap_or("");
                    let (reads, writes) = (resource.reads.count, resource.writes.count);
                    format!("{} {}  {name}  read {reads}, written {writes} times", resource.id, resource.description)
                };
                lines.section("Resources", capture.resources().iter().map(line));
            }
            Tab::Shaders => shader(&mut lines, capture, call, self.shader),
            Tab::Vertices => match capture.vertices(call, VERTICES) {
                Ok(table) => vertices(&mut lines, &table),
                Err(why) => lines.line(why.to_string()),
            },
            Tab::Timing => timing(&mut lines, capture, call, times),
            Tab::Textures => {}
        }
        lines
    }
}

fn bound_shaders(capture: &Capture, call: u64) -> Vec<(&'static str, ObjectId)> {
    let state = capture.state_before(call);
    let bound = *state.shaders;
    [("vertex", bound.vertex), ("geometry", bound.geometry), ("pixel", bound.pixel)]
        .into_iter()
        .filter(|(_, id)| !id.is_none())
        .collect()
}

fn state(lines: &mut Lines, capture: &Capture, call: u64) {
    let state = capture.state_before(call);
    let mut group = String::new();
    for term in guest_terms(capture, call, &state) {
        if group != term.group {
            group = term.group.to_string();
            lines.heading(&group);
        }
        lines.line(format!("{:<36} {}   [{}]", term.name, term.value, term.host));
    }
    if lines.0.is_empty() {
        lines.line("This guest has no names of its own: see Host state.");
    }
}

fn changes(lines: &mut Lines, capture: &Capture, call: u64) {
    let packet = capture.call(call).and_then(|call| capture.packet(call.place));
    let packet = packet.map_or_else(Vec::new, |packet| fields(&packet));
    lines.section("Packet", packet.iter().map(ToString::to_string));
    lines.section("Changed since the call before", capture.changes(call).iter().map(ToString::to_string));
    let line = |access| access_line(capture, call, &access);
    lines.section("Reads", capture.reads(call).into_iter().map(line));
    lines.section("Writes", capture.writes(call).into_iter().map(line));
}

fn shader(lines: &mut Lines, capture: &Capture, call: u64, (number, form): (usize, Form)) {
    let bound = bound_shaders(capture, call);
    let Some(shader) = bound.get(number).and_then(|(_, id)| capture.shader(*id, call)) else {
        return lines.line("No shader is set here.");
    };
    lines.heading(format!("{}, {}", shader.language_name(), shader.hash_text()));
    shader.text(form).unwrap_or_else(|why| why).lines().for_each(|line| lines.line(line));
}

fn vertices(lines: &mut Lines, table: &VertexTable) {
    let kind = if table.indexed { "indices" } else { "vertices" };
    lines.heading(format!("{:?}: {} {kind}, {} instances", table.topology, table.total, table.instances));
    table.notes.iter().for_each(|note| lines.line(note));
    let names: String = table.columns.iter().map(|column| format!("{:<40}", column.name)).collect();
    lines.heading(format!("{:>8}  {names}", "vertex"));
    for row in &table.rows {
        let vertex = row.vertex.map_or_else(|| "-".into(), |vertex| vertex.to_string());
        let cells = row.values.iter().zip(&table.columns).map(|(value, column)| match value {
            Some(value) => {
                let shown = &value[..column.components.min(4)];
                let shown: Vec<String> = shown.iter().map(|lane| format!("{lane:.4}")).collect();
                format!("{:<40}", shown.join(" "))
            }
            None => format!("{:<40}", "?"),
        });
        lines.line(format!("{vertex:>8}  {}", cells.collect::<String>()));
    }
}

fn timing(lines: &mut Lines, capture: &Capture, call: u64, times: &Times) {
    let frame = capture.frames().iter().find(|frame| frame.calls.contains(&call));
    let calls = frame.map_or(0..capture.calls().len() as u64, |frame| frame.calls.clone());
    if !calls.clone().any(|call| times.known.contains_key(&call)) {
        return lines.line("Measuring ...");
    }
    let mut slowest: Vec<(u64, Duration)> = calls.filter_map(|call| Some((call, times.of(call)?))).collect();
    let total: Duration = slowest.iter().map(|(_, time)| *time).sum();
    if slowest.is_empty() {
        return lines.line("The device does not tell the time.");
    }
    slowest.sort_by(|(_, a), (_, b)| b.cmp(a));
    lines.heading(format!("The frame's calls on the GPU, slowest first: {} in all", micros(total)));
    lines.line("Each is timed alone, with nothing beside it, so the sum is more than the frame takes.");
    for (number, time) in slowest {
        let part = 100.0 * time.as_secs_f64() / total.as_secs_f64().max(1e-9);
        let name = capture.call(number).map_or("", |call| call.packet.name());
        lines.line(format!("{number:5} {name:<18} {:>10} {part:5.1} %", micros(time)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_kept_under_their_headings() {
        let mut lines = Lines::default();
        lines.section("Blending", ["D3DRS_SRCBLEND".into(), "D3DRS_BLENDOP".into()]);
        lines.section("Depth", ["D3DRS_ZENABLE".into()]);
        lines.section("Nothing", []);
        lines.keep("blendop");
        assert_eq!(lines.0, [(true, "Blending".into()), (false, "D3DRS_BLENDOP".into())]);
        lines.keep("depth");
        assert_eq!(lines.0, []);
    }
}
