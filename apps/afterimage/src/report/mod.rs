//! `afterimage report`: a capture as one page that needs nothing else.

mod blocks;
mod budget;
mod collect;
mod head;
mod image;
mod log;
mod page;
mod pictures;
mod plan;
mod room;
mod tables;

pub(crate) use blocks::base64;
pub(crate) use log::Keeper;

use crate::{Failure, gnm, nv2a};
use afterimage_inspect::{CallSet, Capture, Frame, Limits};
use afterimage_vulkan::{FrameSet, Renderer, Stepper};
use blocks::Blocks;
use budget::Budget;
use clap::Parser;
use collect::Details;
use head::Left;
use pictures::{Album, Taken, Wanted};
use plan::Plan;
use room::Of;
use serde_json::{Value, json};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

/// Of a page's bytes, those that pictures may have: so many of so many parts.
const PICTURES: [u64; 2] = [3, 4];
/// Of what pictures and lists leave, what texts of shaders may have: one part of so many.
const SHADERS: u64 = 4;
/// Bytes of the index that a frame takes at most.
const ENTRY: u64 = 160;
/// Bytes that notes on what was left out take at most.
const NOTES: u64 = 4 << 10;

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
///   afterimage report long.aftercap -o report.html --max-size 100
///   afterimage report long.aftercap -o report.html --calls 0-*/draw --max-size 0 --max-pictures 20000 --max-calls 100000
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
    /// Make the page of this many MiB at most: half is for pictures of frames, the others and what is told of calls share the rest, evenly;
    /// more is told where a packet is rejected. 0 is without bound.
    #[arg(long, value_name = "MIB", default_value_t = 32)]
    max_size: u64,
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
    let limits = Limits::of_file(file.metadata().map_or(0, |about| about.len()));
    let capture = Capture::open_with(file, &limits, |read, bytes| {
        bar.set_length(bytes >> 20);
        bar.set_position(read >> 20);
    })
    .map_err(|error| Failure::capture(file, &error))?;
    let plan = Plan::new(args, &capture)?;
    let unkept = |error| Failure::file("cannot keep the parts of", &args.output, error);
    let budget = Budget::new(args.max_pictures, plan.frames.len(), plan.wanted.len(), plan.wrong.clone());
    let folder = afterimage_output::folder_of(&args.output);
    let name = file.file_name().map_or_else(|| file.display().to_string(), |name| name.to_string_lossy().into_owned());
    let title = format!("{name} - afterimage report");
    let most = if args.max_size == 0 { u64::MAX } else { args.max_size.saturating_mul(1 << 20) };
    let entries = page::frame_size(&title, &Value::Null) + ENTRY * plan.frames.len() as u64;
    let of_pictures = most.saturating_sub(entries) / PICTURES[1] * PICTURES[0];
    let album = Arc::new(Mutex::new(Album::new(Blocks::new(folder, of_pictures).map_err(unkept)?, budget)));
    // Behind the last of the frames that are asked for nothing is needed.
    let end = args.frames.as_ref().and(plan.frames.last()).and_then(|frame| frame.calls.end.checked_sub(1));
    bar.reset();
    let (taken, device, messages) =
        replayed(args, &capture, Wanted { calls: &plan.wanted, frames: plan.places(), end }, &album, &bar);
    let album = Arc::into_inner(album).map(|album| album.into_inner().unwrap_or_else(PoisonError::into_inner));
    let Album { mut blocks, budget, .. } = album.ok_or_else(|| Failure::new("the renderer still writes pictures"))?;

    let warnings = head::warnings(&capture, &taken, messages);
    let mut index = json!({
        "file": name,
        "about": head::about(&capture, &device),
        "guest": afterimage_inspect::terms::guest_name(capture.guest()),
        "warnings": warnings,
        "notes": [],
        "frames": plan.frames.iter().map(|frame| entry(frame, &taken)).collect::<Vec<_>>(),
        "chunk": collect::CHUNK,
        "shaders": collect::shaders(&capture),
        "textures": collect::textures(&capture, &taken),
    });
    let fixed = page::frame_size(&title, &index) + NOTES;
    let Some(most) = most.checked_sub(fixed) else {
        return Err(Failure::new(format!(
            "the page cannot be so small: its index alone takes {} MiB (--max-size; --frames chooses frames)",
            fixed.div_ceil(1 << 20)
        )));
    };
    blocks.bound(most);

    bar.reset();
    bar.set_length(2 * plan.frames.len() as u64);
    bar.set_message("frames are described");
    let left = described(args, &capture, &plan, &taken, &mut blocks, &bar).map_err(unkept)?;
    bar.finish_and_clear();
    let lacks = left.notes(args, &budget);
    index["notes"] = json!([head::notes(args, &capture, &taken), lacks.clone()].concat());
    let blocks = blocks.finish().map_err(unkept)?;
    let size = page::write(blocks, &title, &index, &args.output)?;
    crate::say(&format!(
        "{}: {} frames, {} calls, {} warnings, {} KiB\n",
        args.output.display(),
        plan.frames.len(),
        plan.all_calls(),
        warnings.len(),
        size.div_ceil(1024)
    ));
    lacks.iter().for_each(|lack| eprintln!("{lack}"));
    Ok(ExitCode::SUCCESS)
}

/// A frame in the index.
fn entry(frame: &Frame, taken: &Taken) -> Value {
    let shown = taken.frames.get(&frame.number);
    json!({
        "number": frame.number,
        "first": frame.calls.start,
        "count": frame.calls.end - frame.calls.start,
        "picture": shown.map(|shown| &shown.picture),
        "thumbnail": shown.map(|shown| &shown.thumbnail),
    })
}

/// Adds what there is to say of frames and calls as long as there is room: what is in every frame comes before what is told of some.
fn described(
    args: &Args,
    capture: &Capture,
    plan: &Plan<'_>,
    taken: &Taken,
    blocks: &mut Blocks,
    bar: &indicatif::ProgressBar,
) -> std::io::Result<Left> {
    let mut left = Left { calls: plan.all_calls() - plan.all_detailed(), ..Left::default() };
    let places = || (0..plan.frames.len()).inspect(|_| bar.inc(1));
    let mut details = Details::new(capture, taken, args.vertices);
    for place in places() {
        left.lists += usize::from(!details.rows(place, plan.calls(place), plan.detailed(place).len(), blocks)?);
    }
    let most = blocks.room().left() / SHADERS;
    left.shaders = collect::shader_texts(capture, most, blocks)?;
    let mut details = Details::new(capture, taken, args.vertices);
    let (most, mut before) = (blocks.room().left(), 0);
    for place in places() {
        let calls = plan.detailed(place);
        let due = room::due(most, before, plan.all_detailed());
        before += calls.len();
        left.details += match blocks.room().spent(Of::Details) < due || plan.wrong[0].contains(&place) {
            true => details.frame(place, calls, blocks)?,
            false => calls.len(),
        };
    }
    details.finish(blocks)?;
    Ok(left)
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
