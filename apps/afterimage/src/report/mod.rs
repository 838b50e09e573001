//! `afterimage report`: a capture as one page that needs nothing else.

mod blocks;
mod budget;
mod collect;
mod image;
mod log;
mod page;
mod pictures;

pub(crate) use log::Keeper;

use crate::{Failure, gnm, nv2a};
use afterimage_inspect::{Call, CallKind, CallSet, Capture, Limits};
use afterimage_vulkan::{FrameSet, Renderer, Stepper};
use blocks::Blocks;
use budget::Budget;
use clap::Parser;
use pictures::{Album, Taken, Wanted};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes of a page from which on it is said how it gets smaller.
const LARGE: u64 = 100 << 20;

/// Make one page of a capture that a browser opens from a file, to read or to attach to a bug.
///
/// The page has what went wrong first, then pictures of the frames, the draws of each with the
/// picture after it, the state in the guest's names, what each draw changed, its textures, vertices
/// as a table and a wireframe, and its shaders in every language. It fetches nothing. Keys are listed
/// under ?; #f=100&c=17 behind its address leads to call 17 of frame 100.
///
/// A damaged capture is shown up to the damage. On a machine without Vulkan the page has no pictures.
///
/// Examples:
///   afterimage report scene.aftercap -o report.html
///   afterimage report scene.aftercap -o report.html --frames 101-103
///   afterimage report long.aftercap -o report.html --calls 0-*/draw --max-pictures 20000 --max-calls 100000
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// The capture.
    file: PathBuf,
    /// Where the page goes.
    #[arg(short, long, value_name = "FILE", default_value = "report.html")]
    output: PathBuf,
    /// Only these frames: numbers such as 100,105-110. [default: every one]
    #[arg(long, value_name = "FRAMES", value_parser = frames)]
    frames: Option<FrameSet>,
    /// Take pictures after these calls only: 12, 3-7, 0-1000/draw, */clear, @file. [default: every one]
    #[arg(long, value_name = "SET", value_parser = calls)]
    calls: Option<CallSet>,
    /// Take this many different pictures at most, thumbnails not counted: of frames first, up to half of them, then behind calls, evenly;
    /// the page says what was left out.
    #[arg(long, value_name = "N", default_value_t = 3000)]
    max_pictures: usize,
    /// Tell of this many calls at most what state they are done in, what they change, read and write, and their vertices: of whole
    /// frames, evenly; pictures are taken behind these only.
    #[arg(long, value_name = "N", default_value_t = 20_000)]
    max_calls: usize,
    /// Take the time of each call on the GPU, too.
    #[arg(long)]
    times: bool,
    /// Show this many vertices of a draw at most.
    #[arg(long, value_name = "N", default_value_t = 1000)]
    vertices: usize,
    /// Use Vulkan's validation layer; its messages stand on the page.
    #[arg(long)]
    validate: bool,
}

fn frames(text: &str) -> Result<FrameSet, String> {
    FrameSet::parse(text).ok_or_else(|| "expected frame numbers such as 100,105-110".into())
}

fn calls(text: &str) -> Result<CallSet, String> {
    CallSet::parse(text).map_err(|error| error.to_string())
}

impl Args {
    /// Whether a picture is asked for behind a call.
    fn wants(&self, call: &Call) -> bool {
        call.kind != CallKind::Query && self.calls.as_ref().is_none_or(|set| set.contains(call))
    }
}

/// Writes the page.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let file = &args.file;
    if nv2a::is_recording(file) || gnm::is_recording(file) {
        return Err(Failure::new(format!(
            "{} is a recording of a console's commands; reports are made of captures: capture it while it is replayed \
             (AFTERIMAGE_CAPTURE_FRAMES, AFTERIMAGE_CAPTURE_FILE)",
            file.display()
        )));
    }
    log::start();
    let bar = crate::pool::bar(1, std::io::stderr().is_terminal());
    bar.set_message("the capture is read");
    let capture = Capture::open_with(file, &Limits::default(), |read, bytes| {
        bar.set_length(bytes >> 20);
        bar.set_position(read >> 20);
    })
    .map_err(|error| Failure::capture(file, &error))?;
    let chosen: Vec<_> = capture
        .frames()
        .iter()
        .filter(|frame| args.frames.as_ref().is_none_or(|frames| frames.contains(frame.number)))
        .collect();
    if let (Some(_), true) = (&args.frames, chosen.is_empty()) {
        let numbers = capture.frames();
        let span = numbers.first().zip(numbers.last()).map(|(a, b)| format!("{} to {}", a.number, b.number));
        return Err(Failure::new(format!(
            "{} has none of these frames; it has {}",
            file.display(),
            span.unwrap_or_else(|| "no whole frame".into())
        )));
    }
    let calls_of = |range: &std::ops::Range<u64>| &capture.calls()[range.start as usize..range.end as usize];
    // Frames with none of the calls whose pictures are asked for have no details either.
    let counts: Vec<usize> = chosen
        .iter()
        .map(|frame| calls_of(&frame.calls))
        .map(|calls| if calls.iter().any(|call| args.wants(call)) { calls.len() } else { 0 })
        .collect();
    let shown = budget::shown(&counts, args.max_calls);
    let left = chosen.iter().map(|frame| calls_of(&frame.calls).len()).sum::<usize>() - shown.iter().sum::<usize>();
    let wanted: Vec<Call> = chosen
        .iter()
        .zip(&shown)
        .flat_map(|(frame, shown)| &calls_of(&frame.calls)[..*shown])
        .filter(|call| args.wants(call))
        .copied()
        .collect();

    let unkept = |error| Failure::new(format!("cannot keep the page's parts: {error}"));
    let places: HashMap<u64, usize> = chosen.iter().enumerate().map(|(place, frame)| (frame.number, place)).collect();
    let budget = Budget::new(args.max_pictures, places.len(), wanted.len());
    let folder = args.output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(".".as_ref());
    let album = Arc::new(Mutex::new(Album::new(Blocks::new(folder).map_err(unkept)?, budget)));
    // Behind the last of the frames that are asked for nothing is needed.
    let end = args.frames.as_ref().and(chosen.last()).and_then(|frame| frame.calls.end.checked_sub(1));
    bar.reset();
    let (taken, device, messages) =
        replayed(args, &capture, Wanted { calls: &wanted, frames: places, end }, &album, &bar);
    let album = Arc::into_inner(album).map(|album| album.into_inner().unwrap_or_else(PoisonError::into_inner));
    let Album { mut blocks, budget, .. } = album.ok_or_else(|| Failure::new("the renderer still writes pictures"))?;

    bar.reset();
    bar.set_length(chosen.len() as u64);
    bar.set_message("frames are described");
    let shaders = collect::shaders(&capture, &mut blocks).map_err(unkept)?;
    let mut details = collect::Details::new(&capture, &taken, args.vertices);
    let mut frames = Vec::new();
    for (place, (frame, shown)) in chosen.iter().zip(&shown).enumerate() {
        details.frame(place, calls_of(&frame.calls), *shown, &mut blocks).map_err(unkept)?;
        bar.inc(1);
        let shown = taken.frames.get(&frame.number);
        frames.push(json!({
            "number": frame.number,
            "first": frame.calls.start,
            "count": frame.calls.end - frame.calls.start,
            "picture": shown.map(|shown| &shown.picture),
            "thumbnail": shown.map(|shown| &shown.thumbnail),
        }));
    }
    details.finish(&mut blocks).map_err(unkept)?;
    bar.finish_and_clear();
    let warnings = warnings(&capture, &taken, messages);
    let name = file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned());
    let index = json!({
        "file": name,
        "about": about(&capture, &device),
        "guest": afterimage_inspect::terms::guest_name(capture.guest()),
        "warnings": warnings,
        "notes": notes(args, &capture, &budget, &taken, left),
        "frames": frames,
        "chunk": collect::CHUNK,
        "shaders": shaders,
        "textures": collect::textures(&capture, &taken),
    });
    let blocks = blocks.finish().map_err(unkept)?;
    let size = page::write(blocks, &format!("{name} - afterimage report"), &index, &args.output)?;
    crate::say(&format!(
        "{}: {} frames, {} calls, {} warnings, {} KiB\n",
        args.output.display(),
        frames.len(),
        chosen.iter().map(|frame| frame.calls.end - frame.calls.start).sum::<u64>(),
        warnings.len(),
        size.div_ceil(1024)
    ));
    if size > LARGE {
        eprintln!("smaller pages: --frames chooses frames, --max-pictures and --max-calls bound what is told of them");
    }
    Ok(ExitCode::SUCCESS)
}

/// Replays the capture for its pictures: they, the device's name, messages of the validation layer.
fn replayed(
    args: &Args,
    capture: &Capture,
    wanted: Wanted<'_>,
    album: &pictures::Shared,
    bar: &indicatif::ProgressBar,
) -> (Taken, Option<String>, u64) {
    let none = |why: String| (Taken { trouble: Some(why), ..Taken::default() }, None, 0);
    let renderer = match Renderer::new(pictures::options(args.validate)) {
        Ok(renderer) => renderer,
        Err(error) => return none(format!("there are no pictures: {error}")),
    };
    let device = renderer.gpu().profile.name.clone();
    let mut stepper = match Stepper::open(renderer, &args.file) {
        Ok(stepper) => stepper,
        Err(error) => return none(format!("there are no pictures: {error}")),
    };
    bar.set_message("calls are drawn");
    let timed: Vec<u64> = if args.times { wanted.calls.iter().map(|call| call.number).collect() } else { Vec::new() };
    let mut taken = pictures::take(&mut stepper, capture, wanted, album, bar);
    if args.times && taken.trouble.is_none() {
        bar.set_message("calls are timed");
        match stepper.times(timed) {
            Ok(times) => {
                let known = times.into_iter().filter_map(|(call, time)| Some((call, time?.as_nanos() as u64)));
                taken.times = known.collect();
            }
            Err(error) => taken.trouble = Some(format!("taking times: {error}")),
        }
    }
    let messages = stepper.renderer().validation_messages();
    (taken, Some(device), messages)
}

fn about(capture: &Capture, device: &Option<String>) -> String {
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
fn warnings(capture: &Capture, taken: &Taken, messages: u64) -> Vec<Value> {
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

/// What was left out.
fn notes(args: &Args, capture: &Capture, budget: &Budget, taken: &Taken, left: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(frames) = &args.frames {
        let all = capture.frames().len();
        let here = capture.frames().iter().filter(|frame| frames.contains(frame.number)).count();
        notes.push(format!("{here} of {all} frames are here (--frames)"));
    }
    if args.calls.is_some() {
        notes.push("pictures were taken after some calls only (--calls)".into());
    }
    if left > 0 {
        notes.push(format!(
            "state, changes, vertices and pictures of {left} calls were left out, of whole frames, evenly: the page has those of {} at most \
             (--max-calls)",
            args.max_calls
        ));
    }
    notes.extend(budget.left_out());
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
