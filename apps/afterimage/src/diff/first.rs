//! The first call behind which two sides' pictures differ, and what is known of it.

use super::compare::{Counts, Settings, amplified, compare};
use super::picture::Picture;
use super::side::Side;
use super::table::share;
use crate::Failure;
use afterimage_inspect::{CallKind, Capture, changes_between, fields};
use afterimage_stream::packets::{CreateTexture, View};
use afterimage_stream::{ObjectId, ObjectKind, State};
use afterimage_vulkan::{StepError, Stepper, Texels};
use std::fmt::Write;

/// Most lines about what differs; the rest is counted.
const LINES: usize = 40;

/// What was found.
pub(super) struct First {
    /// In lines, for people; the first one says where.
    pub(super) text: String,
    /// The frame in each side.
    pub(super) frames: [u64; 2],
    /// The calls' numbers in each side.
    pub(super) calls: [u64; 2],
    /// What the call leaves in each side, where that can be looked at.
    pub(super) pictures: Option<[Picture; 2]>,
}

/// How pictures are judged.
#[derive(Clone, Copy)]
pub(super) struct Judge {
    pub(super) settings: Settings,
    pub(super) bar: f64,
}

/// A side and the place that it is at.
struct At {
    name: String,
    capture: Capture,
    stepper: Stepper,
}

impl At {
    fn of(side: &Side) -> Result<Self, Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", side.file.display()));
        let capture = crate::inspect::open(&side.file)?;
        let mut stepper = Stepper::open(side.renderer()?, &side.file).map_err(|error| failed(&error))?;
        // The search goes on, but for once or twice.
        stepper.keep_every(u64::MAX);
        Ok(Self { name: side.name.clone(), capture, stepper })
    }

    fn failed(&self, error: &StepError) -> Failure {
        Failure::new(format!("{}: {error}", self.name))
    }

    fn run_to(&mut self, call: u64) -> Result<(), Failure> {
        self.stepper.run_to(call).map_err(|error| self.failed(&error))
    }

    fn look(&mut self, view: View) -> Result<Option<Picture>, Failure> {
        let look = self.stepper.picture(view).map_err(|error| self.failed(&error))?;
        Ok(look.map(|look| picture(&look)))
    }

    /// What the last call may have written, the best first.
    fn written(&self, kind: CallKind) -> Vec<View> {
        let mut views: Vec<View> = self.stepper.shown().into_iter().collect();
        if matches!(kind, CallKind::Draw | CallKind::Clear) {
            for (_, view) in self.stepper.targets() {
                if !views.contains(&view) {
                    views.push(view);
                }
            }
        }
        views
    }

    /// Textures that the GPU may have written.
    fn drawn(&self) -> Vec<ObjectId> {
        let drawn = |id: &ObjectId| {
            let texture = self.stepper.state().objects.texture(*id);
            texture.is_some_and(|texture| texture.usage & (CreateTexture::TARGET | CreateTexture::STORAGE) != 0)
        };
        let textures = self.stepper.state().objects.iter(ObjectKind::Texture);
        textures.map(|(id, _)| id).filter(drawn).collect()
    }
}

fn picture(look: &Texels) -> Picture {
    let pixels = look.rgba().as_chunks().0.to_vec();
    Picture { width: look.width, height: look.height, pixels }
}

/// What is found where two pictures are compared.
enum Differ {
    Equal,
    /// Some pixels differ, as many as may.
    Little,
    Much(String),
}

impl Judge {
    fn of(&self, one: &Picture, other: &Picture) -> Differ {
        match compare(one, other, self.settings) {
            Ok(comparison) => {
                let Counts { pixels, within, largest, .. } = comparison.all;
                let text = || {
                    let tolerance = self.settings.tolerance;
                    format!(
                        "{} % of the pixels are within {tolerance}, the largest difference is {largest}",
                        share(within, pixels)
                    )
                };
                match within {
                    _ if !comparison.all.reaches(self.bar) => Differ::Much(text()),
                    _ if within < pixels => Differ::Little,
                    _ => Differ::Equal,
                }
            }
            Err(why) => Differ::Much(why),
        }
    }
}

/// A place where something differs.
struct Place {
    calls: [u64; 2],
    /// The side that has no such call.
    lacks: Option<usize>,
    view: Option<View>,
    what: String,
    pictures: Option<[Picture; 2]>,
}

/// Finds the first call that differs. `frames` are the numbers of a frame whose pictures differ: the search begins with it, or with
/// `start`, the first frame that both have, where what was drawn before it differs already. `None` where every call leaves the same.
pub(super) fn find(
    sides: &[Side; 2],
    start: [u64; 2],
    frames: [u64; 2],
    judge: Judge,
) -> Result<Option<First>, Failure> {
    let mut at = [At::of(&sides[0])?, At::of(&sides[1])?];
    let calls = |side: usize, number: u64| at[side].capture.frame(number).map_or(0..0, |frame| frame.calls.clone());
    let mut ranges = [0, 1].map(|side| calls(side, frames[side]));
    let starts = [0, 1].map(|side| calls(side, start[side]).start);
    if ranges.iter().zip(starts).all(|(range, start)| range.start > start)
        && differs_before(&mut at, [&ranges[0], &ranges[1]].map(|range| range.start), judge)?
    {
        for (range, start) in ranges.iter_mut().zip(starts) {
            range.start = start;
        }
    }
    let mut little = None;
    let mut found = None;
    for step in 0.. {
        let calls = [0, 1].map(|side| ranges[side].start + step);
        match [0, 1].map(|side| calls[side] < ranges[side].end) {
            [false, false] => break,
            [true, true] => {}
            [first, _] => {
                let shorter = usize::from(first);
                let what = format!("{} has no such call: its frame ends before", at[shorter].name);
                found = Some(Place { calls, lacks: Some(shorter), view: None, what, pictures: None });
                break;
            }
        }
        if let Some(place) = differs_behind(&mut at, calls, judge, &mut little)? {
            found = Some(place);
            break;
        }
    }
    let Some(place) = found.or(little) else { return Ok(None) };
    let text = describe(&mut at, &place, judge)?;
    let frames = [0, 1].map(|side| at[side].capture.call(place.calls[side]).map_or(frames[side], |call| call.frame));
    Ok(Some(First { text, frames, calls: place.calls, pictures: place.pictures }))
}

/// Whether what was drawn before a call differs.
fn differs_before(at: &mut [At; 2], calls: [u64; 2], judge: Judge) -> Result<bool, Failure> {
    for (side, call) in at.iter_mut().zip(calls) {
        side.run_to(call - 1)?;
    }
    for texture in at[0].drawn() {
        let view = View { texture, level: 0, layer: 0 };
        if let [Some(one), Some(other)] = look(at, view, view)?
            && (one.width, one.height) == (other.width, other.height)
            && !matches!(judge.of(&one, &other), Differ::Equal)
        {
            return Ok(true);
        }
    }
    Ok(false)
}

fn look(at: &mut [At; 2], one: View, other: View) -> Result<[Option<Picture>; 2], Failure> {
    Ok([at[0].look(one)?, at[1].look(other)?])
}

/// Goes behind a call on both sides; what differs there. What differs by less than the bar is put aside.
fn differs_behind(
    at: &mut [At; 2],
    calls: [u64; 2],
    judge: Judge,
    little: &mut Option<Place>,
) -> Result<Option<Place>, Failure> {
    let kinds = [0, 1].map(|side| at[side].capture.call(calls[side]).map(|call| (call.kind, call.packet)));
    let [Some((kind, packet)), Some((_, other))] = kinds else { return Ok(None) };
    for (side, call) in at.iter_mut().zip(calls) {
        side.run_to(call)?;
    }
    if packet != other {
        let what = format!("{} on one side, {} on the other", packet.name(), other.name());
        return Ok(Some(Place { calls, lacks: None, view: None, what, pictures: None }));
    }
    // Queries leave nothing to be seen, and of what is presented the draws before have told.
    if matches!(kind, CallKind::Query | CallKind::Present) {
        return Ok(None);
    }
    for (one, other) in at[0].written(kind).into_iter().zip(at[1].written(kind)) {
        let [Some(a), Some(b)] = look(at, one, other)? else { continue };
        let place = |what| Place { calls, lacks: None, view: Some(one), what, pictures: Some([a.clone(), b.clone()]) };
        match judge.of(&a, &b) {
            Differ::Equal => {}
            Differ::Little if little.is_some() => {}
            Differ::Little => *little = Some(place("some pixels differ, fewer than the bar says".into())),
            Differ::Much(what) => return Ok(Some(place(what))),
        }
    }
    Ok(None)
}

/// Says where a difference is, and what may be the reason.
fn describe(at: &mut [At; 2], place: &Place, judge: Judge) -> Result<String, Failure> {
    let mut text = String::new();
    let longer = usize::from(place.lacks == Some(0));
    let Some(call) = at[longer].capture.call(place.calls[longer]).copied() else { return Ok(place.what.clone()) };
    let before = at[longer].capture.calls()[..call.number as usize].iter().rev();
    let of_kind =
        before.take_while(|before| before.frame == call.frame).filter(|before| before.kind == call.kind).count();
    let _ = writeln!(
        text,
        "first difference: frame {}, call {}, {} {of_kind} of the frame ({})",
        call.frame,
        call.number,
        call.kind.name(),
        call.packet.name()
    );
    for (side, number) in at.iter().zip(place.calls) {
        if let Some(call) =
            side.capture.call(number).filter(|_| place.lacks.is_none_or(|lacks| at[lacks].name != side.name))
        {
            let _ = writeln!(text, "  in {}: frame {}, call {number}", side.name, call.frame);
        }
    }
    if let Some(view) = place.view {
        let _ = write!(text, "  {}", view.texture);
        if let Some(size) = place.pictures.as_ref().map(|[one, _]| (one.width, one.height)) {
            let _ = write!(text, ", {} x {}", size.0, size.1);
        }
        let _ = write!(text, ", level {}, layer {}: ", view.level, view.layer);
    } else {
        text.push_str("  ");
    }
    let _ = writeln!(text, "{}", place.what);
    // Without a counterpart there is nothing to hold the call against.
    let lines = if place.lacks.is_some() { Vec::new() } else { reasons(at, place, judge)? };
    for line in lines.iter().take(LINES) {
        let _ = writeln!(text, "  {line}");
    }
    if lines.len() > LINES {
        let _ = writeln!(text, "  and {} more", lines.len() - LINES);
    }
    Ok(text)
}

/// What differs in what the call is, in the state it is done in, in its shaders and in what it reads.
fn reasons(at: &mut [At; 2], place: &Place, judge: Judge) -> Result<Vec<String>, Failure> {
    let mut lines = Vec::new();
    let packet = |side: usize| {
        let capture = &at[side].capture;
        let packet = capture.packet(capture.call(place.calls[side])?.place)?;
        Some(fields(&packet))
    };
    if let [Some(one), Some(other)] = [packet(0), packet(1)] {
        for (one, other) in one.iter().zip(&other).filter(|(one, other)| one != other) {
            lines.push(format!("{}: {} -> {}", one.name, one.value, other.value));
        }
    }
    let states: [State; 2] = [0, 1].map(|side| at[side].capture.state_before(place.calls[side]));
    lines.extend(changes_between(&states[0], &states[1]).iter().map(ToString::to_string));
    for (name, shader) in [("vertex", 0), ("pixel", 1), ("geometry", 2)] {
        let code = |side: usize| {
            let bound = *states[side].shaders;
            let id = [bound.vertex, bound.pixel, bound.geometry][shader];
            at[side].capture.shader(id, place.calls[side]).and_then(|code| code.hash.map(|_| code.hash_text()))
        };
        let [one, other] = [code(0), code(1)];
        if one != other {
            let or_none = |hash: Option<String>| hash.unwrap_or_else(|| "none".into());
            lines.push(format!("{name} shader: {} -> {}", or_none(one), or_none(other)));
        }
    }
    let same = lines.is_empty();
    for (one, other) in at[0].capture.reads(place.calls[0]).into_iter().zip(at[1].capture.reads(place.calls[1])) {
        if one.id.kind() != Some(ObjectKind::Texture) || place.view.is_some_and(|view| view.texture == one.id) {
            continue;
        }
        let view = |access: &afterimage_inspect::Access| {
            access.view.unwrap_or(View { texture: access.id, level: 0, layer: 0 })
        };
        if let [Some(a), Some(b)] = look(at, view(&one), view(&other))?
            && !matches!(judge.of(&a, &b), Differ::Equal)
        {
            lines.push(format!("{}, {}, holds something else on the other side", one.role, one.id));
        }
    }
    if same && lines.is_empty() {
        lines.push(
            "what it reads and the state it is done in are the same; what the state has new since the call before:"
                .into(),
        );
        lines.extend(at[0].capture.changes(place.calls[0]).iter().map(|change| format!("  {change}")));
    }
    Ok(lines)
}

impl First {
    /// One picture, the other, and what differs, side by side.
    pub(super) fn three_up(&self, settings: Settings) -> Option<Picture> {
        let [one, other] = self.pictures.as_ref()?;
        let same_size = (one.width, one.height) == (other.width, other.height);
        let difference = same_size.then(|| amplified(one, other, settings));
        let parts: Vec<Picture> = [one.opaque(), other.opaque()].into_iter().chain(difference).collect();
        Some(Picture::beside(&parts))
    }
}
