//! The list of calls: which there are, which of them are looked for, and how long each took on the GPU.

use super::Times;
use afterimage_inspect::{Call, CallKind, CallSet, Capture};
use egui::{Align2, Color32, FontId, Id, Rect, ScrollArea, Sense, TextEdit, TextStyle, Ui, vec2};
use std::ops::Range;
use std::time::Duration;

/// The field with what is looked for.
const FIELD: &str = "calls looked for";

/// The list.
#[derive(Default)]
pub(super) struct Calls {
    /// What is looked for.
    words: String,
    /// What was looked for when `shown` was made.
    made_for: String,
    /// Numbers of the calls that are shown; `None` is all.
    shown: Option<Vec<u64>>,
    /// Whether the selected call is to be brought into sight.
    pub(super) scroll: bool,
    /// Whether the field is to be typed into.
    focus: bool,
}

/// The call that is looked at first: the one of this number if it is there, else the first draw.
pub(super) fn first(capture: &Capture, wanted: Option<u64>) -> u64 {
    let draw = || capture.calls().iter().find(|call| call.kind == CallKind::Draw).map_or(0, |call| call.number);
    wanted.filter(|&call| capture.call(call).is_some()).unwrap_or_else(draw)
}

/// A call as its row in the list.
fn text(call: &Call) -> String {
    match call.kind {
        CallKind::Present => format!("{:5} Present, frame {}", call.number, call.frame),
        _ => format!("{:5} {}", call.number, call.packet.name()),
    }
}

/// A time on the GPU, for people.
pub(super) fn micros(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1000.0 { format!("{micros:.1} us") } else { format!("{:.2} ms", micros / 1e3) }
}

/// The calls that words name: a set as the command line has it (`3-7/draw`), or else part of the row.
fn named(calls: &[Call], words: &str) -> Vec<u64> {
    let words = words.trim();
    let all = if words.starts_with('/') { "*" } else { "" };
    let is_set = words.starts_with(|c: char| c.is_ascii_digit() || "*/".contains(c));
    if let Some(Ok(set)) = is_set.then(|| CallSet::parse(&format!("{all}{words}"))) {
        return set.among(calls).map(|call| call.number).collect();
    }
    let words = words.to_lowercase();
    calls.iter().filter(|call| text(call).to_lowercase().contains(&words)).map(|call| call.number).collect()
}

impl Calls {
    /// The list of another capture, with the same words.
    pub(super) fn anew(&self) -> Self {
        Self { words: self.words.clone(), ..Self::default() }
    }

    /// Puts the cursor where words are typed, for the very next key.
    pub(super) fn look_for(&mut self, ctx: &egui::Context) {
        self.focus = true;
        ctx.memory_mut(|memory| memory.request_focus(Id::unique(FIELD)));
    }

    fn choose(&mut self, capture: &Capture) {
        if self.words != self.made_for {
            self.made_for.clone_from(&self.words);
            self.shown = (!self.words.trim().is_empty()).then(|| named(capture.calls(), &self.words));
        }
    }

    /// The call that many shown ones on or back; the last or the first one where there are fewer.
    pub(super) fn step(&mut self, capture: &Capture, from: u64, by: i64) -> Option<u64> {
        self.choose(capture);
        let count = self.shown.as_ref().map_or(capture.calls().len(), Vec::len);
        let number = |row: usize| match &self.shown {
            Some(shown) => shown.get(row).copied(),
            None => capture.calls().get(row).map(|call| call.number),
        };
        // The selected call need not be among those that are shown.
        let at = match &self.shown {
            Some(shown) => shown.partition_point(|&call| if by > 0 { call <= from } else { call < from }) as i64,
            None => (from as i64).saturating_add(i64::from(by > 0)),
        };
        let row = if by > 0 { at.saturating_add(by - 1) } else { at.saturating_add(by) };
        number(usize::try_from(row.clamp(0, count as i64 - 1)).ok()?)
    }

    /// Shows the list; the call that was clicked.
    pub(super) fn show(&mut self, ui: &mut Ui, capture: &Capture, selected: u64, times: &Times) -> Option<u64> {
        let calls = capture.calls();
        let id = Id::unique(FIELD);
        ui.add(
            TextEdit::singleline(&mut self.words)
                .id(id)
                .hint_text("/  look for: name, or 3-7/draw")
                .desired_width(f32::INFINITY),
        );
        if std::mem::take(&mut self.focus) {
            ui.ctx().memory_mut(|memory| memory.request_focus(id));
        }
        self.choose(capture);
        let frames = capture.frames().len();
        let gpu = if times.total.is_zero() { String::new() } else { format!(", {} on the GPU", micros(times.total)) };
        let found = self.shown.as_ref().map_or_else(String::new, |shown| format!("{} of ", shown.len()));
        ui.label(format!(
            "{found}{} calls, {frames} {}{gpu}",
            calls.len(),
            if frames == 1 { "frame" } else { "frames" }
        ));
        let count = self.shown.as_ref().map_or(calls.len(), Vec::len);
        if count == 0 {
            ui.label("No call is named so. Esc leaves the field.");
            return None;
        }
        let height = ui.text_style_height(&TextStyle::Monospace) + 4.0;
        let mut area = ScrollArea::vertical().auto_shrink(false);
        if std::mem::take(&mut self.scroll) {
            let step = height + ui.spacing().item_spacing.y;
            let row = self.shown.as_ref().map_or(selected as usize, |shown| shown.partition_point(|&c| c < selected));
            area = area.vertical_scroll_offset((row as f32 * step - ui.available_height() / 2.0).max(0.0));
        }
        let mut clicked = None;
        area.show_rows(ui, height, count, |ui, rows: Range<usize>| {
            for row in rows {
                let number = self.shown.as_ref().map_or(row as u64, |shown| shown[row]);
                let Some(call) = capture.call(number) else { continue };
                if row_of(ui, call, number == selected, times.of(number), times.longest) {
                    clicked = Some(number);
                }
            }
        });
        clicked
    }
}

/// One row: the call, and its time with a bar as long as its part of the longest; whether it was clicked.
fn row_of(ui: &mut Ui, call: &Call, selected: bool, time: Option<Duration>, longest: Duration) -> bool {
    let height = ui.text_style_height(&TextStyle::Monospace) + 4.0;
    let (rect, response) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::click());
    let text = text(call);
    response.widget_info(|| egui::WidgetInfo::selected(egui::Role::ListItem, true, selected, &text));
    let font = FontId::monospace(ui.text_style_height(&TextStyle::Monospace) * 0.85);
    let painter = ui.painter();
    if selected {
        painter.rect_filled(rect, 3.0, ui.visuals().selection.bg_fill);
    } else if response.hovered() {
        painter.rect_filled(rect, 3.0, ui.visuals().widgets.hovered.weak_bg_fill);
    }
    let color = match call.kind {
        CallKind::Draw => Color32::WHITE,
        CallKind::Clear => Color32::LIGHT_BLUE,
        CallKind::Dispatch => Color32::LIGHT_GREEN,
        _ => Color32::LIGHT_GRAY,
    };
    if let Some(time) = time {
        let part = (time.as_secs_f64() / longest.as_secs_f64().max(1e-9)) as f32;
        let right = rect.shrink2(vec2(4.0, 2.0)).right_bottom();
        let room = rect.width() * 0.4;
        let bar = Rect::from_min_max(right - vec2((room * part).max(1.0), rect.height() - 4.0), right);
        painter.rect_filled(bar, 2.0, BAR);
        painter.text(
            right - vec2(2.0, rect.height() / 2.0 - 2.0),
            Align2::RIGHT_CENTER,
            micros(time),
            font.clone(),
            color,
        );
    }
    painter.text(rect.left_center() + vec2(4.0, 0.0), Align2::LEFT_CENTER, &text, font, color);
    response.clicked()
}

/// The bar of a time.
const BAR: Color32 = Color32::from_rgb(150, 90, 30);

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_inspect::Place;
    use afterimage_stream::Kind;

    fn call(number: u64, kind: CallKind, packet: Kind) -> Call {
        Call { number, frame: 3, in_frame: number, kind, packet, sequence: 0, place: Place::default() }
    }

    #[test]
    fn calls_are_looked_for_by_name_and_by_set() {
        let calls = [
            call(0, CallKind::Clear, Kind::Clear),
            call(1, CallKind::Draw, Kind::Draw),
            call(2, CallKind::Draw, Kind::DrawIndexed),
            call(3, CallKind::Present, Kind::Present),
        ];
        assert_eq!(named(&calls, "draw"), [1, 2]);
        assert_eq!(named(&calls, " Indexed "), [2]);
        assert_eq!(named(&calls, "frame 3"), [3]);
        assert_eq!(named(&calls, "0-1"), [0, 1]);
        assert_eq!(named(&calls, "/draw"), [1, 2]);
        assert_eq!(named(&calls, "nothing"), [0; 0]);
    }

    #[test]
    fn times_are_read_by_people() {
        assert_eq!(micros(Duration::from_nanos(12_340)), "12.3 us");
        assert_eq!(micros(Duration::from_micros(4321)), "4.32 ms");
    }
}
