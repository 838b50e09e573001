//! Recordings of NV2A work: what is in them, and the pictures that come out.

mod about;
mod inspect;
mod replay;

pub(crate) use about::about;
pub(crate) use inspect::{Args as InspectArgs, inspect};
pub(crate) use replay::{HELP, Outcome, Rendering, Replay, Why, is_recording, replay, write_png};
