//! `--make`: material of captures, with what this machine draws of them.

use super::Args;
use super::child;
use super::judge::replay;
use super::material::{Corpus, Entry, INDEX, Index, Shot, Stored, VERSION};
use super::private::Private;
use crate::{Failure, outputs};
use afterimage_inspect::{Capture, terms};
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;
use std::process::ExitCode;

/// Draws captures, and keeps them with their pictures in a folder.
pub(super) fn make(args: &Args, folder: &Path, temporary: &Path) -> Result<ExitCode, Failure> {
    let (mut entries, mut names, mut device) = (Vec::new(), HashSet::new(), String::new());
    outputs::fill(folder, false).map_err(|error| Failure::file("making", folder, error))?;
    for capture in &args.captures {
        let name = capture.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !names.insert(name.clone()) {
            return Err(Failure::new(format!("{}: there are two captures of this name", capture.display())));
        }
        let (entry, by) = one(args, capture, &name, folder, &temporary.join(&name))?;
        device = by;
        entries.push(entry);
    }
    let mut shaders = Vec::new();
    for capture in &args.shaders {
        shaders.push(corpus(capture, folder)?);
    }
    let made_by = format!("afterimage {}", env!("CARGO_PKG_VERSION"));
    let pictures: usize = entries.iter().map(|entry| entry.pictures.len()).sum();
    let index = Index { version: VERSION, made_by, device, captures: entries, shaders };
    let text = serde_json::to_string_pretty(&index).map_err(|error| Failure::new(format!("the index: {error}")))?;
    outputs::write(&folder.join(INDEX), &(text + "\n"))?;
    let count = super::captures(index.captures.len());
    crate::say(&format!("{}: {count}, {pictures} pictures by {}\n", folder.display(), index.device));
    Ok(ExitCode::SUCCESS)
}

/// One capture of shaders.
fn corpus(path: &Path, folder: &Path) -> Result<Corpus, Failure> {
    let capture = Capture::open(path).map_err(|error| Failure::capture(path, &error))?;
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let guest = terms::guest_name(capture.guest()).unwrap_or("unknown guest").to_owned();
    let stored = stored(folder, format!("{name}.aftercap"), path)?;
    Ok(Corpus { name, guest, stored })
}

/// Copies a file into the folder.
fn stored(folder: &Path, file: String, from: &Path) -> Result<Stored, Failure> {
    let to = folder.join(&file);
    let bytes = std::fs::read(from).map_err(|error| Failure::file("reading", from, error))?;
    afterimage_output::write(&to, &bytes).map_err(|error| Failure::file("cannot write", &to, error))?;
    Stored::of(folder, file).map_err(Failure::new)
}

/// One capture: its entry, and the device that drew it.
fn one(args: &Args, path: &Path, name: &str, folder: &Path, drawn: &Path) -> Result<(Entry, String), Failure> {
    let capture = Capture::open(path).map_err(|error| Failure::capture(path, &error))?;
    let guest = terms::guest_name(capture.guest()).unwrap_or("unknown guest").to_owned();
    let frames: Vec<u64> = capture.frames().iter().map(|frame| frame.number).collect();
    std::fs::create_dir_all(drawn).map_err(|error| Failure::file("making", drawn, error))?;
    let figures = drawn.join("stats.json");
    let words = vec!["--output".into(), drawn.into(), "--stats".into(), figures.clone().into()];
    let ended = child::run(
        replay(args.renderer, args.device.as_deref(), path, words, &drawn.join("cache"), false),
        super::judge::LIMIT,
        &Private::default(),
    );
    if let Some(bad) = ended.bad {
        return Err(Failure::new(format!("{}: {bad}", path.display())));
    }
    let device = std::fs::read(&figures).ok().and_then(|text| serde_json::from_slice::<Value>(&text).ok());
    let device = device.and_then(|value| Some(value["device"].as_str()?.to_owned())).unwrap_or_default();
    let mut pictures = Vec::new();
    for frame in frames {
        let from = drawn.join(format!("frame-{frame:06}.png"));
        // One that presents nothing has none.
        if from.is_file() {
            pictures.push(Shot { frame, stored: stored(folder, format!("{name}-{frame}.png"), &from)? });
        }
    }
    if pictures.is_empty() {
        return Err(Failure::new(format!("{} presents no picture, so nothing could be compared", path.display())));
    }
    let stored = stored(folder, format!("{name}.aftercap"), path)?;
    Ok((Entry { name: name.to_owned(), guest, stored, pictures }, device))
}
