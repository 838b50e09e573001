//! `--compile`: whether shaders and pipelines of draws and dispatches can be made, and how long that takes.

use super::replays::Replays;
use super::{Args, options, replace};
use crate::Failure;
use afterimage_inspect::{Call, CallKind, Capture};
use afterimage_output::{Output, part_of};
use afterimage_render::step::Stepper;
use afterimage_stream::packets::Packet;
use afterimage_stream::{ObjectId, State};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

/// Rows of the longest for people.
const LONGEST: usize = 10;

/// A draw or dispatch, and what became of it.
struct Made {
    call: u64,
    /// Ids and names of its shaders.
    shaders: Vec<(ObjectId, String)>,
    took: Duration,
    made: bool,
}

impl Made {
    fn words(&self) -> String {
        let word =
            |(id, name): &(ObjectId, String)| if name.is_empty() { id.to_string() } else { format!("{name} ({id})") };
        self.shaders.iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

/// Goes through the calls that are asked for, with Vulkan.
pub(super) fn run(args: &Args, file: &Path, to: Option<&Path>) -> Result<(), Failure> {
    replace::on_vulkan(args, file, options(args), |renderer| run_on(args, file, to, renderer))
}

/// The same with a renderer of another kind. The file gets a line of JSON before each call, and one behind it: where a driver's compiler
/// ends the process, what is kept of it says at what.
pub(super) fn run_on<R: Replays>(
    args: &Args,
    file: &Path,
    to: Option<&Path>,
    renderer: impl FnOnce() -> Result<R, Failure>,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()));
    let capture = crate::inspect::open(file)?;
    let wanted: Vec<&Call> = match &args.calls {
        Some(set) => set.among(capture.calls()).collect(),
        None => capture.calls().iter().collect(),
    };
    let wanted = wanted.into_iter().filter(|call| matches!(call.kind, CallKind::Draw | CallKind::Dispatch));
    let mut out = match to {
        None => None,
        Some(to) => Some((to, Output::create_kept(to).map_err(|error| Failure::file("cannot write", to, error))?)),
    };
    let mut say = |line: Value| match &mut out {
        Some((to, file)) => writeln!(file, "{line}").and_then(|()| file.flush()).map_err(|error| unwritten(to, error)),
        None => Ok(()),
    };
    let renderer = renderer()?;
    let device = renderer.device();
    let mut stepper = Stepper::open(renderer, file).map_err(|error| failed(&error))?;
    // Nobody goes back here.
    stepper.keep_every(u64::MAX);
    say(json!({ "device": device }))?;
    let mut all = Vec::new();
    let mut walk = capture.walk();
    for call in wanted {
        walk.to(call.number);
        let shaders = shaders(&capture, call.number, walk.state(), walk.packet().as_ref());
        say(json!({
            "call": call.number, "kind": call.kind.name(),
            "shaders": shaders.iter().map(|(id, name)| json!([id.to_string(), name])).collect::<Vec<_>>(),
        }))?;
        let (skipped, since) = (stepper.renderer().left_out(), Instant::now());
        stepper.run_to(call.number).map_err(|error| failed(&error))?;
        let (took, made) = (since.elapsed(), stepper.renderer().left_out() == skipped);
        say(json!({ "call": call.number, "ms": took.as_secs_f64() * 1000.0, "made": made }))?;
        all.push(Made { call: call.number, shaders, took, made });
    }
    let ended = super::Ended::of(args, file, stepper)?;
    match out {
        None => crate::say(&text(&mut all, &device)),
        Some((to, file)) => file.finish().map_err(|error| unwritten(to, error))?,
    }
    ended.outcome(file)
}

/// What cannot be written has its end missing, which is what it is kept in part for: nothing is left of it.
fn unwritten(to: &Path, error: std::io::Error) -> Failure {
    let _ = std::fs::remove_file(part_of(to));
    Failure::file("cannot write", to, error)
}

/// What a call draws or dispatches with.
fn shaders(capture: &Capture, call: u64, state: &State, packet: Option<&Packet<'_>>) -> Vec<(ObjectId, String)> {
    let ids = match packet {
        Some(Packet::Dispatch(body)) => vec![body.shader],
        _ => vec![state.shaders.vertex, state.shaders.geometry, state.shaders.pixel],
    };
    let name = |id: ObjectId| {
        let name = capture.resource(id, call).and_then(|resource| resource.name.clone());
        (id, name.unwrap_or_default())
    };
    ids.into_iter().filter(|id| !id.is_none()).map(name).collect()
}

/// For people: those that cannot be made, and the longest.
fn text(all: &mut [Made], device: &str) -> String {
    let bad = all.iter().filter(|one| !one.made).count();
    let sum: Duration = all.iter().map(|one| one.took).sum();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    let mut out = format!(
        "{} draws and dispatches on {device}: shaders and pipelines of {} were made, in {:.0} ms, and of {bad} were not\n",
        all.len(),
        all.len() - bad,
        ms(sum)
    );
    for one in all.iter().filter(|one| !one.made) {
        let _text = writeln!(out, "  call {}: {}", one.call, one.words());
    }
    all.sort_by_key(|one| std::cmp::Reverse(one.took));
    for one in all.iter().take(LONGEST) {
        let _text = writeln!(out, "{:>9.1} ms  call {}: {}", ms(one.took), one.call, one.words());
    }
    out
}
