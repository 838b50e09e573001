//! What stands at the head of the page: what the capture is, what went wrong, what was left out.

use super::budget::{Budget, Full};
use super::pictures::Taken;
use super::{Args, log};
use afterimage_inspect::Capture;
use serde_json::{Value, json};

/// What there was no room for, besides pictures.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// Calls without details, for their number.
    pub(super) calls: usize,
    /// Calls without details, lists of the calls of frames, and shaders: for the page's size.
    pub(super) details: usize,
    pub(super) lists: usize,
    pub(super) shaders: usize,
}

/// What the capture is.
pub(super) fn about(capture: &Capture, device: &Option<String>) -> String {
    let info = capture.info();
    let part = |name: &str, value: &str| if value.is_empty() { String::new() } else { format!("{name} {value} · ") };
    format!(
        "{}{}{}{} frames, {} calls",
        part("program", &info.program),
        part("drawn by", &info.device),
        part("pictures by", device.as_deref().unwrap_or_default()),
        capture.frames().len(),
        capture.calls().len()
    ) + &if info.build.is_empty() { String::new() } else { format!(" · captured by {}", info.build) }
}

/// What is wrong, worst first.
pub(super) fn warnings(capture: &Capture, taken: &Taken, messages: u64) -> Vec<Value> {
    let mut list = Vec::new();
    let mut say = |text: String| list.push(json!({ "text": text }));
    if let Some(damage) = capture.damage() {
        say(format!("the capture is damaged, what is here comes before it: {damage}"));
    }
    if let Some(trouble) = &taken.trouble {
        say(format!("the replay ended early: {trouble}"));
    }
    if messages > 0 {
        say(format!("the validation layer had {messages} messages, which are among those below"));
    }
    for problem in capture.problems() {
        let text =
            format!("rejected packet in frame {}, before call {}: {}", problem.frame, problem.call, problem.text);
        list.push(json!({ "text": text, "call": problem.call }));
    }
    let more = capture.rejected() - capture.problems().len().min(capture.rejected());
    if more > 0 {
        list.push(json!({ "text": format!("{more} more packets are rejected") }));
    }
    let logged = log::take();
    for (line, count) in logged.lines {
        let often = if count > 1 { format!(" ({count} times)") } else { String::new() };
        list.push(json!({ "text": format!("the replay logged {line}{often}") }));
    }
    if logged.more > 0 {
        list.push(json!({ "text": format!("the replay logged {} more warnings", logged.more) }));
    }
    if capture.rejected() == 0 && taken.errors > 0 {
        list.push(json!({ "text": format!("{} packets could not be executed", taken.errors) }));
    }
    list
}

/// What was left out because it was not asked for, and what times are.
pub(super) fn notes(args: &Args, capture: &Capture, taken: &Taken) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(frames) = &args.frames {
        let all = capture.frames().len();
        let here = capture.frames().iter().filter(|frame| frames.contains(frame.number)).count();
        notes.push(format!("{here} of {all} frames are here (--frames)"));
    }
    if args.calls.is_some() {
        notes.push("pictures were taken after some calls only (--calls)".into());
    }
    if args.times {
        notes.push(match taken.times.is_empty() {
            true => "the device does not tell how long calls take (--times)".into(),
            false => "times are of calls that the GPU does one at a time: compare them with each other, their sum is more than the \
                      frame takes"
                .into(),
        });
    }
    notes
}

impl Left {
    /// What was left out since there is no room for it, and the option that makes more.
    pub(super) fn notes(&self, args: &Args, budget: &Budget) -> Vec<String> {
        let mut notes = Vec::new();
        if self.calls > 0 {
            notes.push(format!(
                "state, changes, vertices and pictures of {} calls were left out, of whole frames, evenly: the page has those of {} at \
                 most (--max-calls)",
                self.calls, args.max_calls
            ));
        }
        notes.extend(budget.left_out(Full::Pictures));
        notes.extend(budget.left_out(Full::Size));
        let most = args.max_size;
        for (count, what) in [
            (self.lists, "calls of {} frames are not listed"),
            (self.details, "state, changes and vertices of {} calls were left out, evenly"),
            (self.shaders, "texts of {} shaders were left out"),
        ] {
            if count > 0 {
                let what = what.replace("{}", &count.to_string());
                notes.push(format!("{what}: the page has {most} MiB at most (--max-size)"));
            }
        }
        notes
    }
}
