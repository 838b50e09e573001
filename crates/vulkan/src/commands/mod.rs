//! Command buffers: recording, submission, what must wait for what, and who watches that it ends.

pub(crate) mod list;
pub(crate) mod meter;
pub(crate) mod player;
pub(crate) mod recorder;
pub(crate) mod submit;
pub(crate) mod watch;
