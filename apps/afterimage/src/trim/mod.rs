//! `afterimage trim`: a part of a capture that stands by itself.

mod needs;
mod rebuild;
mod settle;
mod touch;

use crate::Failure;
use afterimage_inspect::{CallSet, Capture};
use afterimage_vulkan::{FrameSet, Renderer, Wishes};
use clap::{ArgGroup, Parser};
use needs::Selection;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

/// Keep a part of a capture.
///
/// With --frames, what is left are these frames, and all that they need of what came before. Where
/// they need pictures that were drawn before, the capture is replayed up to there and the state is
/// read back from the GPU; else nothing is drawn.
///
/// With --calls, what is left are these calls and what they need: the draws, clears and copies that
/// what they read and draw upon was made by, and the textures, buffers, shaders and samplers of
/// those. The targets of the calls that are left look after each of them as they do in the whole
/// capture. Pictures are not shown, and queries not asked, unless the set names them; calls have new
/// numbers.
///
/// Examples:
///   afterimage trim scene.aftercap -o short.aftercap --frames 120-125
///   afterimage trim scene.aftercap -o draw.aftercap --calls 1742
///   afterimage trim scene.aftercap -o part.aftercap --calls 1000-1742/draw,1800
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment, group = ArgGroup::new("what").required(true).args(["frames", "calls"]))]
pub(crate) struct Args {
    /// The capture.
    file: PathBuf,
    /// The file to write.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Keep these frames: 120 or 120-125.
    #[arg(long, value_name = "A-B", value_parser = frames)]
    frames: Option<RangeInclusive<u64>>,
    /// Keep these calls, and what they need: sets as `afterimage inspect` numbers them, such as 12, 3-7, 0-1000/draw, frame or @FILE.
    #[arg(long, value_name = "SET")]
    calls: Option<CallSet>,
}

fn frames(text: &str) -> Result<RangeInclusive<u64>, String> {
    let ranges = FrameSet::parse(text).map(|set| set.ranges()).unwrap_or_default();
    <[_; 1]>::try_from(ranges).map(|[range]| range).map_err(|_| "expected frame numbers such as 120 or 120-125".into())
}

/// Writes what is asked for.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", args.file.display()));
    let capture = crate::inspect::open(&args.file)?;
    if let Some(damage) = capture.damage() {
        tracing::warn!("{}: {damage}; what is lost there is missing from what is kept", args.file.display());
    }
    let (set, what) = match (&args.calls, &args.frames) {
        (Some(set), _) => (set.clone(), format!("there are no such calls: it has {}", capture.calls().len())),
        (None, Some(span)) => {
            let within = capture.frames().iter().filter(|frame| span.contains(&frame.number));
            (CallSet::of(within.flat_map(|frame| frame.calls.clone())), there_are(&capture))
        }
        (None, None) => return Err(Failure::new("say which --frames or --calls to keep")),
    };
    let Some(first) = capture.among(&set).next().copied() else { return Err(failed(&what)) };
    let kept = Selection::of(&capture, &set);
    let drawn_before = kept.calls().any(|call| call < first.number);
    let told = match &args.frames {
        Some(span) if drawn_before => {
            replayed(args, &capture, span.clone())?;
            format!("frames {} to {} behind a keyframe that was read back from the GPU", span.start(), span.end())
        }
        _ => {
            let written = rebuild::write(&capture, &kept, [&args.file, &args.output])?;
            if written.missing > 0 {
                tracing::warn!("{} pieces of data that packets refer to are not in the capture", written.missing);
            }
            let named = capture.among(&set).count();
            let for_them = kept.calls().count().saturating_sub(named);
            let calls = capture.calls().len();
            format!("{named} calls asked for, and {for_them} that they need, of {calls}")
        }
    };
    let (before, after) = (size(&args.file)?, size(&args.output)?);
    let share = after as f64 * 100.0 / before.max(1) as f64;
    crate::say(&format!(
        "{}: {told}; {} instead of {} ({share:.1} %)\n",
        args.output.display(),
        kib(after),
        kib(before)
    ));
    Ok(())
}

fn there_are(capture: &Capture) -> String {
    match (capture.frames().first(), capture.frames().last()) {
        (Some(first), Some(last)) => format!("there are no such frames: it has {} to {}", first.number, last.number),
        _ => "it has no frames".into(),
    }
}

/// Writes the frames behind the state as a renderer has it.
fn replayed(args: &Args, capture: &Capture, span: RangeInclusive<u64>) -> Result<(), Failure> {
    let fail = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", args.file.display()));
    let mut options = crate::own_process::options();
    // These settings are meant for programs.
    options.wishes = Wishes::default();
    let mut renderer = Renderer::new(options).map_err(|error| fail(&error))?;
    renderer.start_capture(&args.output, span);
    let mut reader = capture.reader().map_err(|error| fail(&error))?;
    let replayed = renderer.replay(&mut reader);
    let failures = renderer.finish_files();
    if failures > 0 {
        // There may be none.
        let _gone = std::fs::remove_file(afterimage_output::part_of(&args.output));
    }
    crate::outputs::unwritten(failures)?;
    match replayed {
        // Told of already: what comes before the damage is in the file.
        Err(afterimage_vulkan::ReplayError::Capture(_)) | Ok(_) if args.output.is_file() => Ok(()),
        Err(error) => Err(fail(&error)),
        Ok(_) => Err(Failure::new(format!("{}: none of these frames could be replayed", args.file.display()))),
    }
}

fn size(path: &Path) -> Result<u64, Failure> {
    path.metadata().map(|data| data.len()).map_err(|error| Failure::file("cannot read", path, error))
}

fn kib(bytes: u64) -> String {
    match bytes {
        0..=0xfffff => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
    }
}
