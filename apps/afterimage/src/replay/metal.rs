//! `--renderer metal` and `metal-soft`: captures drawn by the renderer on Metal, with Metal itself on Macs, and elsewhere with a software
//! Metal that is slow and refuses what Apple's validation layer refuses.

use super::{Args, Bar, damaged, open_with, outcome, uses};
use crate::Failure;
use afterimage_metal::{Options, Picture, Renderer, ReplayError, Wishes};
use afterimage_metal_calls::Device;
use afterimage_output::{Channels, png};
use afterimage_stream::packets::Overlay;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many of what the device found wrong are shown.
const SHOWN: usize = 20;

/// What a renderer is told that goes from call to call.
fn options(args: &Args, pictures: bool) -> Options {
    let own = super::options(args);
    let screenshots = own.wishes.screenshots.filter(|_| pictures);
    let wishes = Wishes { screenshots, overlay: Overlay::default(), hud_log: None, ..own.wishes };
    Options { wishes, ..Options::default() }
}

/// Draws a capture with a device.
///
/// # Errors
/// When the file is damaged, a packet cannot be executed, the device finds fault with a call, or a picture cannot be written.
pub(super) fn run<D: Device>(args: &Args, file: &Path, device: D) -> Result<(), Failure> {
    let said = |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", file.display()));
    // A renderer that goes from call to call; pictures of frames where they are asked for, and figures at the end.
    let stepped = |options: Options| Renderer::new(device.clone(), options).map_err(|error| said(&error));
    if let Some(to) = &args.times {
        return super::times::run_on(args, file, to.as_deref(), || stepped(options(args, false)));
    }
    if let Some(to) = &args.compile {
        return super::compile::run_on(args, file, to.as_deref(), || stepped(options(args, false)));
    }
    if args.calls.is_some() || args.screenshots.is_some() {
        return super::calls::run_on(args, file, || stepped(options(args, args.frames.is_some())));
    }
    let bar = Bar::of_bytes(std::fs::metadata(file).map_or(0, |metadata| metadata.len()), 1);
    let mut reader = open_with(file, uses(file)?.as_ref(), &bar)?;
    let options = Options { apply_all: afterimage_config::settings().apply_all, ..Options::default() };
    let mut renderer = Renderer::new(device, options).map_err(|error| said(&error))?;
    let unwritten = Arc::new(AtomicU64::new(0));
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder).map_err(|error| Failure::new(format!("{}: {error}", folder.display())))?;
        let (folder, frames, unwritten) = (folder.clone(), args.frames.clone(), Arc::clone(&unwritten));
        renderer.set_picture_sink(Some(Box::new(move |picture: &Picture<'_>| {
            if frames.as_ref().is_some_and(|frames| !frames.contains(picture.frame)) {
                return;
            }
            let rgb: Vec<u8> = picture.rgba.chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
            let path = folder.join(format!("frame-{:06}.png", picture.frame));
            if let Err(error) = png(&path, [picture.width, picture.height], Channels::Rgb, &rgb) {
                tracing::error!("{}: {error}", path.display());
                unwritten.fetch_add(1, Ordering::Relaxed);
            }
        })));
    }
    let reads = super::read::Reads::of(args)?;
    renderer.set_read_sink(reads.as_ref().map(super::read::Reads::sink));
    let replayed = renderer.replay(&mut reader);
    bar.end();
    let (faults, count) = renderer.faults();
    for fault in faults.iter().take(SHOWN) {
        eprintln!("{fault}");
    }
    let replayed = replayed.map_err(|error| match error {
        ReplayError::Capture(error) => damaged(file, &error),
        ReplayError::Renderer(error) => said(&error),
    })?;
    if let Some(to) = &args.stats {
        let stats = json!({
            "device": renderer.device().facts().name,
            "frames": replayed.frames,
            "draws": replayed.draws,
            "skipped_draws": replayed.skipped,
            "shader_failures": renderer.shader_failures(),
            "errors": replayed.errors,
            "faults": count,
        });
        let text = format!("{stats:#}\n");
        if to.as_os_str() == "-" {
            crate::say(&text);
        } else {
            afterimage_output::write(to, text.as_bytes())
                .map_err(|error| Failure::new(format!("{}: {error}", to.display())))?;
        }
    }
    if replayed.skipped > 0 {
        eprintln!("{} of {} draws were skipped, see above", replayed.skipped, replayed.draws);
    }
    let unread = reads.as_ref().map_or(0, super::read::Reads::unwritten);
    outcome(replayed.errors, count, unwritten.load(Ordering::Relaxed) + unread)
}
