//! Frame dumps: a frame in words, with every draw's state, and the texels of the textures that it reads.

mod texels;

use crate::graphics::Device;
use crate::keep::{self, Held};
use crate::protocol::{Report, Task};
use crate::renderer::Start;
use crate::session;
use crate::source::{Source, unwritten};
use afterimage_inspect::terms::{self, Term};
use afterimage_inspect::{Access, CallKind, Capture, Walk, fields, state_fields};
use afterimage_stream::State;
use afterimage_vulkan::Options;
use std::fmt::Display;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use texels::TextureFiles;

/// A frame that is to be dumped.
pub(crate) struct Frame {
    /// The program's name, as part of a file's.
    pub(crate) program: String,
    /// Its number.
    pub(crate) number: u64,
    /// What it is in.
    pub(crate) source: Source,
    /// Its calls there; all of them if nothing is said.
    pub(crate) calls: Option<Range<u64>>,
}

impl Frame {
    /// The frame that a program is paused at. The name is part of a file's.
    pub(crate) fn held(program: &str, held: &Held) -> Self {
        let source = Source::Bytes(Arc::clone(&held.bytes));
        Self { program: program.to_owned(), number: held.frame, source, calls: None }
    }
}

/// Has a process of its own write a frame into the session's folder, and says in the end how that went.
pub(crate) fn start(frame: Frame, start: &Start, said: impl FnOnce(String) + Send + 'static) {
    let start = start.clone();
    std::thread::spawn(move || {
        said(match dump(&frame, &start) {
            Ok(path) => format!("dumped frame {} of {} to {path}", frame.number, frame.program),
            Err(error) => {
                keep::count_unwritten(1);
                format!("dumping frame {} of {}: {error}", frame.number, frame.program)
            }
        });
    });
}

fn dump(frame: &Frame, start: &Start) -> Result<String, String> {
    let folder = session::folder().map_err(|error| format!("the session's folder: {error}"))?;
    let Frame { program, number, source, calls } = frame;
    let task = Task::Dump {
        file: source.file(),
        folder: folder.clone(),
        program: program.clone(),
        number: *number,
        calls: calls.clone(),
    };
    let access = (source.file().into_iter().collect(), vec![folder]);
    let renderer = start.renderer(task, access, source.bytes()).map_err(|error| error.to_string())?;
    match renderer.hear() {
        Some((Report::Dumped(path), _)) => Ok(path),
        Some((Report::Failed(why) | Report::Hung(why), _)) => Err(why),
        _ => Err(renderer.ended()),
    }
}

/// Writes a frame into a folder, and says where: the work of that process.
pub(crate) fn dump_to(
    folder: &Path,
    frame: &Frame,
    device: Result<Device, String>,
    options: &Options,
) -> Result<String, String> {
    let capture = frame.source.capture()?;
    let name = format!("{}_frame_dump_{:04}", frame.program, frame.number);
    // Without a device the words are still good.
    let mut texels = device
        .and_then(|device| device.stepper(unwritten(options), &frame.source))
        .map(|stepper| TextureFiles::new(stepper, folder, &name));
    // The text comes last: who sees it has the textures, too.
    let path = folder.join(format!("{name}.txt"));
    session::write(&path, |out| write_frame(&capture, frame, &mut texels, out)).map_err(|error| error.to_string())?;
    tracing::info!("dumped frame {} of {} to {}", frame.number, frame.program, path.display());
    Ok(path.display().to_string())
}

/// What a call works with, in the words of its guest.
pub(crate) fn guest_terms(capture: &Capture, call: u64, state: &State) -> Vec<Term> {
    capture.terms(call, state)
}

/// A line about something that a call reads or writes.
pub(crate) fn access_line(capture: &Capture, call: u64, access: &Access) -> String {
    let resource = capture.resource(access.id, call);
    let description = resource.map_or("", |resource| resource.description.as_str());
    let name = resource.and_then(|resource| resource.name.as_deref());
    let name = name.map_or_else(String::new, |name| format!(" \"{name}\""));
    let part = access.view.filter(|view| (view.level, view.layer) != (0, 0));
    let part = part.map_or_else(String::new, |view| format!(" level {} layer {}", view.level, view.layer));
    format!("{}: {}{name}{part}  {description}", access.role, access.id)
}

fn write_frame(
    capture: &Capture,
    frame: &Frame,
    texels: &mut Result<TextureFiles, String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let info = capture.info();
    let guest = terms::guest_name(capture.guest()).unwrap_or("unknown guest");
    writeln!(out, "Afterimage frame dump\nprogram {}\nguest   {guest}\ndevice  {}", info.program, info.device)?;
    let calls = frame.calls.clone().unwrap_or(0..capture.calls().len() as u64);
    let of_frame = || capture.calls().iter().filter(|call| calls.contains(&call.number));
    let count = |kind| of_frame().filter(|call| call.kind == kind).count();
    let (draws, clears) = (count(CallKind::Draw), count(CallKind::Clear));
    writeln!(out, "frame   {}: {} calls, {draws} draws, {clears} clears", frame.number, of_frame().count())?;
    for problem in capture.problems() {
        writeln!(out, "problem at call {}: {}", problem.call, problem.text)?;
    }
    for damage in capture.damage().into_iter().flat_map(str::lines) {
        writeln!(out, "damage: {damage}")?;
    }
    if let Err(why) = texels {
        writeln!(out, "no texels: {why}")?;
    }
    let mut draw = 0;
    let mut walk = capture.walk();
    if let Some(before) = calls.start.checked_sub(1) {
        walk.to(before);
    }
    while walk.next().is_some_and(|call| calls.contains(&call.number)) {
        write_call(capture, &mut walk, &mut draw, texels.as_mut().ok(), out)?;
    }
    Ok(())
}

fn list(out: &mut dyn Write, title: &str, items: impl IntoIterator<Item = impl Display>) -> io::Result<()> {
    let mut items = items.into_iter().peekable();
    if items.peek().is_some() {
        writeln!(out, "  {title}")?;
    }
    items.try_for_each(|item| writeln!(out, "    {item}"))
}

fn write_call(
    capture: &Capture,
    walk: &mut Walk<'_>,
    draw: &mut u64,
    texels: Option<&mut TextureFiles>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(call) = walk.call() else { return Ok(()) };
    let which = if call.kind == CallKind::Draw { format!(" (draw {draw})") } else { String::new() };
    *draw += u64::from(call.kind == CallKind::Draw);
    writeln!(out, "\ncall {}{which}: {}", call.number, call.packet.name())?;
    if let Some(packet) = walk.packet() {
        list(out, "packet", fields(&packet))?;
    }
    list(out, "changed since the call before", walk.changes())?;
    let accesses = walk.accesses();
    let (reads, writes) = (&accesses.reads, &accesses.writes);
    list(out, "reads", reads.iter().map(|access| access_line(capture, call.number, access)))?;
    if let Some(texels) = texels {
        texels.uploads(capture, walk, call.number);
        // What else reads a texture, as a copy or a present, shows what a draw has made.
        let read = if matches!(call.kind, CallKind::Draw | CallKind::Dispatch) { &reads[..] } else { &[] };
        list(out, "texels", texels.of_call(walk.state(), call.number, read, writes)?)?;
        if call.kind == CallKind::Present {
            list(out, "picture", texels.shown(call.number)?)?;
        }
    }
    list(out, "writes", writes.iter().map(|access| access_line(capture, call.number, access)))?;
    if !matches!(call.kind, CallKind::Draw | CallKind::Clear | CallKind::Dispatch) {
        return Ok(());
    }
    let mut group = String::new();
    for term in guest_terms(capture, call.number, walk.state()) {
        if group != term.group {
            group = term.group.to_string();
            writeln!(out, "  {group}")?;
        }
        let note = if term.note.is_empty() { String::new() } else { format!("  ({})", term.note) };
        writeln!(out, "    {} = {}{note}", term.name, term.value)?;
    }
    let host = state_fields(walk.state());
    list(out, "state of the host", host.iter().map(|field| format!("{} = {}", field.path, field.value)))
}

#[cfg(test)]
mod tests;
