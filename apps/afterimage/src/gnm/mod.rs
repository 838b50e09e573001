//! Recordings of GNM work: what is in them, and the pictures that come out.

mod about;
mod inspect;
mod replay;
mod watch;

pub(crate) use about::about;
pub(crate) use inspect::{Unshown, Wanted, show};
pub(crate) use replay::draw_into;

use afterimage_gnm::gcap::Reader;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whether the file is a recording of GNM work, by its first bytes.
pub(crate) fn is_recording(path: &Path) -> bool {
    let mut start = Vec::new();
    File::open(path).and_then(|file| file.take(4096).read_to_end(&mut start)).is_ok() && Reader::knows(&start)
}
