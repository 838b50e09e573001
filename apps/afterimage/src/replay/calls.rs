//! Pictures of what is drawn call by call.

use super::replays::Replays;
use super::{Args, Bar, options, replace};
use crate::Failure;
use crate::nv2a::write_png;
use afterimage_inspect::CallSet;
use afterimage_render::step::Stepper;
use std::path::Path;

/// Executes a capture up to the last of the calls that are asked for, and writes pictures of some.
pub(super) fn run(args: &Args, file: &Path) -> Result<(), Failure> {
    let mut options = options(args);
    // Pictures of whole frames are there besides only where they were asked for.
    if args.frames.is_none() {
        options.wishes.screenshots = None;
    }
    replace::on_vulkan(args, file, options, |renderer| run_on(args, file, renderer))
}

/// The same with a renderer of another kind, made when the calls are known.
pub(super) fn run_on<R: Replays>(
    args: &Args,
    file: &Path,
    renderer: impl FnOnce() -> Result<R, Failure>,
) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()));
    let capture = crate::inspect::open(file)?;
    let pictured = args.screenshots.clone().or_else(|| args.calls.clone()).unwrap_or_else(CallSet::all);
    let until = args.calls.as_ref().map_or(Some(u64::MAX), |set| set.among(capture.calls()).last().map(|c| c.number));
    let Some(until) = until else {
        return Err(failed(&format!("--calls names none of its {} calls", capture.calls().len())));
    };
    let wanted: Vec<u64> = match args.output {
        Some(_) => pictured.among(capture.calls()).map(|call| call.number).filter(|call| *call <= until).collect(),
        None => Vec::new(),
    };
    let last = until.min((capture.calls().len() as u64).saturating_sub(1));
    let mut stepper = Stepper::open(renderer()?, file).map_err(|error| failed(&error))?;
    // Nobody goes back here.
    stepper.keep_every(u64::MAX);
    let bar = Bar::of_steps(wanted.len() as u64);
    let (mut written, mut failure) = (0u64, None);
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| Failure::file("making", folder, error))?;
        for call in wanted {
            stepper.run_to(call).map_err(|error| failed(&error))?;
            let Some(view) = stepper.shown() else { continue };
            let Some(look) = stepper.picture(view).map_err(|error| failed(&error))? else { continue };
            let mut rgba = look.rgba();
            // As screenshots of frames: what alpha says is not what is seen.
            rgba.as_chunks_mut().0.iter_mut().for_each(|[_, _, _, alpha]| *alpha = 255);
            let path = folder.join(format!("{call:06}.png"));
            if let Err(error) = write_png(&path, [look.width, look.height], &rgba) {
                failure = Some(Failure::file("writing", &path, error));
                break;
            }
            written += 1;
            bar.step();
        }
    }
    if !capture.calls().is_empty() {
        stepper.run_to(last).map_err(|error| failed(&error))?;
    }
    bar.end();
    let ended = super::Ended::of(args, file, stepper)?;
    if let Some(failure) = failure {
        return Err(failure);
    }
    if !super::stats_to_output(args) {
        let folder = args.output.as_ref().map_or_else(String::new, |folder| format!(" in {}", folder.display()));
        crate::say(&format!("calls 0 to {last}, {written} pictures of calls{folder}\n"));
    }
    ended.outcome(file)
}
