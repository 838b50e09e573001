//! The thread of a capture: opens it, and replays it as far as pictures and times are asked for.

use afterimage_inspect::Capture;
use afterimage_stream::packets::View;
use afterimage_vulkan::{Gpu, Look, Options, Renderer, Stepper};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// Where a capture comes from.
#[derive(Clone)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// A paused frame.
    Bytes(Arc<[u8]>),
}

impl Source {
    /// What it holds.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub(crate) fn capture(&self) -> Result<Capture, String> {
        match self {
            Self::File(path) => Capture::open(path),
            Self::Bytes(bytes) => Capture::from_bytes(Arc::clone(bytes)),
        }
        .map_err(|error| error.to_string())
    }

    /// A renderer of its own to step through it.
    ///
    /// # Errors
    /// What is wrong with the capture or the device, in words.
    pub(crate) fn stepper(&self, options: &Options) -> Result<Stepper, String> {
        let options = unwritten(options);
        let gpu = Gpu::common(&options).map_err(|error| error.to_string())?;
        let renderer = Renderer::on(gpu, options).map_err(|error| error.to_string())?;
        match self {
            Self::File(path) => Stepper::open(renderer, path),
            Self::Bytes(bytes) => Stepper::from_bytes(renderer, Arc::clone(bytes)),
        }
        .map_err(|error| error.to_string())
    }
}

/// Options for what the viewer draws for itself: what the user asked to be written is of programs.
pub(crate) fn unwritten(options: &Options) -> Options {
    Options {
        screenshots: None,
        stats: None,
        capture_file: None,
        capture_frames: None,
        overlay: Default::default(),
        ..options.clone()
    }
}

/// A texture that is to be looked at, or was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    /// What the call does with it.
    pub(super) name: String,
    pub(super) view: View,
    /// Whether the call draws to it, rather than reads it.
    pub(super) written: bool,
}

/// A picture for the window.
pub(crate) struct Pixels {
    /// Width and height.
    pub(crate) size: [usize; 2],
    /// Rows from the top, four bytes a pixel, opaque.
    pub(crate) rgba: Vec<u8>,
}

impl Pixels {
    fn of(look: &Look) -> Self {
        // Alpha is data: it would only hide what is there.
        let rgba = look.rgba().chunks_exact(4).flat_map(|p| [p[0], p[1], p[2], 255]).collect();
        Self { size: [look.width as usize, look.height as usize], rgba }
    }
}

/// How long a call took on the GPU, if that can be said.
pub(super) type Time = (u64, Option<Duration>);

/// What the thread has found.
pub(super) enum Found {
    Opened(Arc<Capture>),
    Failed(String),
    /// What textures hold behind a call.
    Pictures {
        call: u64,
        list: Vec<(Wanted, Pixels)>,
    },
    Times(Vec<Time>),
    /// What the thread cannot do.
    Said(String),
}

/// What the thread is to do.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ask {
    /// Pictures of what the call draws to and what it reads.
    Pictures { call: u64, views: Vec<Wanted> },
    /// The times of calls.
    Times(Range<u64>),
}

/// Serves a capture until nobody asks any more.
pub(super) fn work(source: &Source, options: &Options, asks: &Receiver<Ask>, tell: &dyn Fn(Found)) {
    match source.capture() {
        Ok(capture) => tell(Found::Opened(Arc::new(capture))),
        Err(error) => return tell(Found::Failed(error)),
    }
    let mut stepper = match source.stepper(options) {
        Ok(stepper) => stepper,
        Err(error) => return tell(Found::Said(format!("no pictures: {error}"))),
    };
    while let Ok(ask) = asks.recv() {
        for ask in newest(std::iter::once(ask).chain(asks.try_iter())) {
            let done = match ask {
                Ask::Pictures { call, views } => {
                    pictures(&mut stepper, call, views).map(|list| Found::Pictures { call, list })
                }
                Ask::Times(calls) => stepper.times(calls).map(Found::Times).map_err(|error| error.to_string()),
            };
            tell(done.unwrap_or_else(Found::Said));
        }
    }
}

/// Only what is wanted now: who holds a key down passes many calls.
fn newest(asks: impl Iterator<Item = Ask>) -> impl Iterator<Item = Ask> {
    let (mut pictures, mut times) = (None, None);
    for ask in asks {
        match ask {
            Ask::Pictures { .. } => pictures = Some(ask),
            Ask::Times(_) => times = Some(ask),
        }
    }
    pictures.into_iter().chain(times)
}

fn pictures(stepper: &mut Stepper, call: u64, mut views: Vec<Wanted>) -> Result<Vec<(Wanted, Pixels)>, String> {
    stepper.run_to(call).map_err(|error| error.to_string())?;
    // What is presented, and what else is not written by the call itself.
    if let Some(view) = stepper.shown().filter(|_| !views.iter().any(|wanted| wanted.written)) {
        views.push(Wanted { name: view.texture.to_string(), view, written: true });
    }
    let mut list = Vec::new();
    for wanted in views {
        if let Some(look) = stepper.picture(wanted.view).map_err(|error| error.to_string())? {
            list.push((wanted, Pixels::of(&look)));
        }
    }
    Ok(list)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_what_waits_only_the_last_pictures_are_drawn_and_no_times_are_lost() {
        let pictures = |call| Ask::Pictures { call, views: Vec::new() };
        let done: Vec<_> = newest([pictures(1), pictures(2), Ask::Times(0..9)].into_iter()).collect();
        assert_eq!(done, [pictures(2), Ask::Times(0..9)]);
        let done: Vec<_> = newest([Ask::Times(0..4), pictures(3)].into_iter()).collect();
        assert_eq!(done, [pictures(3), Ask::Times(0..4)]);
    }
}
