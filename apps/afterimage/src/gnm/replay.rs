//! `afterimage replay` of recordings of GNM work: every buffer that is shown, and memory as the GPU left it.

use crate::nv2a::{Outcome, Rendering, Replay, Why, write_png};
use afterimage_gnm::gcap::{Dump, Event, Picture, Player, Reader};
use afterimage_gnm::memory::{GuestMemory, Regions, Unmapped};
use afterimage_gnm::translate::{Display, Translator};
use afterimage_vulkan::{Gpu, Options, Renderer};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Draws one recording with a renderer of its own.
pub(crate) fn draw_into(
    args: &Replay<'_>,
    gpu: &Arc<Gpu>,
    options: Options,
    file: &Path,
    outcome: &mut Outcome,
) -> Result<(), Why> {
    let mut player = Player::new(Reader::open(file)?);
    let renderer = Renderer::on(Arc::clone(gpu), options)?;
    let (link, rendering) = Rendering::start(renderer)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut translator = Translator::new(Box::new(link), &name);
    let played = loop {
        let event = match player.step(&mut translator) {
            Ok(None) => break Ok(()),
            Err(error) => break Err(error.into()),
            Ok(Some(event)) => event,
        };
        let done = match event {
            Event::Ran { faults, .. } => {
                outcome.failures.extend(faults.into_iter().map(|fault| Why::Fault(Box::new(fault))));
                Ok(())
            }
            Event::Refused(error) => Err(Why::Submission(error)),
            Event::Write(error) => Err(Why::Memory(error)),
            Event::Flip(picture) => show(args, &mut translator, &mut player, &picture).map(|()| outcome.pictures += 1),
            Event::Dump(dump) => store(args, &player, &dump),
        };
        if let Err(why) = done {
            outcome.failures.push(why);
        }
    };
    // Ends the render thread.
    drop(translator);
    rendering.finish(outcome);
    played
}

fn show(args: &Replay<'_>, translator: &mut Translator, player: &mut Player, picture: &Picture) -> Result<(), Why> {
    let Picture { address, width, height, pitch, format, tiling, .. } = *picture;
    let display = Display { address, width, height, pitch, format, blue_first: false, tile_mode: tiling };
    let path = PathBuf::from(picture.file_name());
    let shown = translator.picture(&mut player.memory, &display);
    let shown = shown.map_err(|error| Why::Display { path: path.clone(), error })?;
    translator.show_display(&mut player.memory, &display);
    let Some(folder) = args.output else { return Ok(()) };
    let path = folder.join(path);
    write_png(&path, [shown.width, shown.height], &shown.rgba).map_err(|error| Why::Write { path, error })
}

/// Writes memory, which is as the GPU left it, into a file.
fn store(args: &Replay<'_>, player: &Player, dump: &Dump) -> Result<(), Why> {
    let Some(folder) = args.output else { return Ok(()) };
    let path = folder.join(dump.file_name());
    let unmapped = Unmapped { address: dump.address, size: dump.size };
    let parts = player.memory.parts(dump.address..dump.address + dump.size);
    // What is mapped bounds what is made room for: between two parts there are zeros, behind the last nothing.
    let end = parts.last().map_or(dump.address, |last| last.end);
    if end - dump.address > Regions::CONSOLE {
        return Err(unmapped.into());
    }
    let mut bytes = vec![0; (end - dump.address) as usize];
    for part in &parts {
        let [first, behind] = [part.start, part.end].map(|at| (at - dump.address) as usize);
        player.memory.read(part.start, &mut bytes[first..behind])?;
    }
    let written =
        path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| afterimage_output::write(&path, &bytes));
    written.map_err(|error| Why::Write { path, error })?;
    let mapped: u64 = parts.iter().map(|part| part.end - part.start).sum();
    if mapped < dump.size { Err(unmapped.into()) } else { Ok(()) }
}
