//! The thread of a capture: opens it, and has a process of its own replay it as far as pictures and times are asked for.

use crate::protocol::{self, Order, Report, Task};
use crate::renderer::{Renderer, Start};
use crate::source::Source;
use afterimage_inspect::Capture;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::View;
use std::ops::Range;
use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::Duration;

/// Processes that are started for one capture, if each dies.
const STARTS: u32 = 3;

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
pub(super) fn work(source: &Source, start: &Start, asks: &Receiver<Ask>, tell: &dyn Fn(Found)) {
    match source.capture() {
        Ok(capture) => tell(Found::Opened(Arc::new(capture))),
        Err(error) => return tell(Found::Failed(error)),
    }
    let (mut renderer, mut starts) = (None, 0);
    while let Ok(ask) = asks.recv() {
        for ask in newest(std::iter::once(ask).chain(asks.try_iter())) {
            if renderer.is_none() && starts < STARTS {
                starts += 1;
                renderer =
                    begin(source, start).inspect_err(|why| tell(Found::Said(format!("no pictures: {why}")))).ok();
            }
            let Some(process) = &renderer else { continue };
            match answer(process, ask) {
                Ok(found) => tell(found),
                Err(Failed::Said(said)) => tell(Found::Said(said)),
                Err(Failed::Ended(why)) => {
                    renderer = None;
                    tell(Found::Said(format!("no pictures: {why}")));
                }
            }
        }
    }
}

/// Starts a process that steps through a capture.
fn begin(source: &Source, start: &Start) -> Result<Renderer, String> {
    let task = Task::Step { file: source.file() };
    let reads = source.file().into_iter().collect();
    let renderer = start.renderer(task, (reads, Vec::new()), source.bytes()).map_err(|error| error.to_string())?;
    match renderer.hear() {
        Some((Report::Ready, _)) => Ok(renderer),
        Some((Report::Failed(why) | Report::Hung(why), _)) => Err(why),
        _ => Err(renderer.ended()),
    }
}

/// Why an answer did not come.
enum Failed {
    /// It cannot be given.
    Said(String),
    /// The process has ended.
    Ended(String),
}

/// Has a process answer.
fn answer(renderer: &Renderer, ask: Ask) -> Result<Found, Failed> {
    let (order, asked) = match ask {
        Ask::Pictures { call, views } => {
            let view = |wanted: Wanted| {
                let View { texture, level, layer } = wanted.view;
                ((texture.0, level, layer), wanted.written, wanted.name)
            };
            (Order::Pictures { call, views: views.into_iter().map(view).collect() }, 0)
        }
        Ask::Times(calls) => {
            let count = calls.end.saturating_sub(calls.start);
            (Order::Times(calls), count)
        }
    };
    let ended = || Failed::Ended(renderer.ended());
    renderer.tell(&order, None).map_err(|_| ended())?;
    let (mut list, mut times) = (Vec::new(), Vec::new());
    loop {
        let Some((report, file)) = renderer.hear() else { return Err(ended()) };
        match report {
            Report::Picture { view: (texture, level, layer), written, name, size } => {
                let rgba = protocol::pixels(file, size).map_err(|error| Failed::Said(error.to_string()))?;
                let view = View { texture: ObjectId(texture), level, layer };
                list.push((Wanted { name, view, written }, Pixels { size: size.map(|edge| edge as usize), rgba }));
            }
            Report::Pictures(call) => return Ok(Found::Pictures { call, list }),
            Report::Times { list, last } => {
                times.extend(list.into_iter().map(|(call, nanos)| (call, nanos.map(Duration::from_nanos))));
                if last || times.len() as u64 > asked {
                    return Ok(Found::Times(times));
                }
            }
            Report::Said(said) => return Err(Failed::Said(said)),
            Report::Hung(why) | Report::Failed(why) => return Err(Failed::Ended(why)),
            other => return Err(Failed::Ended(format!("the process that replays says {other:?}"))),
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
