//! `--times`: how long calls take on the GPU, each alone.

use super::replays::Replays;
use super::{Args, options, replace};
use crate::Failure;
use crate::dump::in_words;
use afterimage_inspect::{Call, Capture};
use afterimage_render::step::Stepper;
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

/// Columns of a line for people.
const COLUMNS: usize = 100;

/// Times the calls that are asked for, and says it.
pub(super) fn run(args: &Args, file: &Path, to: Option<&Path>) -> Result<(), Failure> {
    replace::on_vulkan(args, file, options(args), |renderer| run_on(args, file, to, renderer))
}

/// The same with a renderer of another kind, made when the calls are known.
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
    if wanted.is_empty() {
        return Err(failed(&format!("--calls names none of its {} calls", capture.calls().len())));
    }
    let renderer = renderer()?;
    let device = renderer.device();
    let mut stepper = Stepper::open(renderer, file).map_err(|error| failed(&error))?;
    let times = stepper.times(wanted.iter().map(|call| call.number)).map_err(|error| failed(&error))?;
    let ended = super::Ended::of(args, file, stepper)?;
    let calls = wanted.into_iter().zip(times.into_iter().map(|(_, time)| time)).collect();
    let timed = Timed { capture: &capture, device: &device, calls };
    match to {
        None => crate::say(&timed.text()),
        Some(to) if to.as_os_str() == "-" => crate::say(&format!("{:#}\n", timed.json())),
        Some(to) => {
            crate::outputs::write(to, &format!("{:#}\n", timed.json()))?;
        }
    }
    ended.outcome(file)
}

/// Calls with their times, in the order of the calls.
struct Timed<'a> {
    capture: &'a Capture,
    device: &'a str,
    calls: Vec<(&'a Call, Option<Duration>)>,
}

fn microseconds(time: Duration) -> f64 {
    time.as_nanos() as f64 / 1000.0
}

impl Timed<'_> {
    fn sum(&self) -> Duration {
        self.calls.iter().filter_map(|(_, time)| *time).sum()
    }

    /// For people: the longest first.
    fn text(&self) -> String {
        let mut known: Vec<_> = self.calls.iter().filter_map(|(call, time)| Some((*call, (*time)?))).collect();
        let mut out = format!("{} of {} calls timed on {}\n", known.len(), self.calls.len(), self.device);
        if known.is_empty() {
            out.push_str("the device does not tell the time, or they wait for an answer, as presents do\n");
            return out;
        }
        known.sort_by_key(|(call, time)| (std::cmp::Reverse(*time), call.number));
        let sum = self.sum();
        let _text = writeln!(
            out,
            "each alone between barriers: compare them, {:.1} us in all is more than a frame takes\n\n    us       %   call  frame",
            microseconds(sum)
        );
        for (call, time) in known {
            let share = time.as_secs_f64() / sum.as_secs_f64().max(f64::MIN_POSITIVE) * 100.0;
            let (number, frame) = (call.number, call.frame);
            let mut line = format!("{:>8.1} {share:>5.1} {number:>6} {frame:>6}  ", microseconds(time));
            match self.capture.packet(call.place) {
                Some(packet) => line.push_str(&in_words(&packet)),
                None => line.push_str(call.packet.name()),
            }
            out.extend(line.chars().take(COLUMNS));
            out.push('\n');
        }
        out
    }

    /// For programs: in the order of the calls.
    fn json(&self) -> serde_json::Value {
        let calls = self.calls.iter().map(|(call, time)| {
            json!({
                "call": call.number, "frame": call.frame, "kind": call.kind.name(), "packet": call.packet.name(),
                "gpu_us": time.map(microseconds),
            })
        });
        json!({ "device": self.device, "sum_us": microseconds(self.sum()), "calls": calls.collect::<Vec<_>>() })
    }
}
