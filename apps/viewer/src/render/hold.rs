//! Pausing a program: its frames are captured one by one, and nothing is taken from it behind the one that is looked at.

use super::orders::Orders;
use super::program::Link;
use crate::graphics::Draws;
use crate::protocol::{Purpose, Report};
use afterimage_capture::Reader;
use afterimage_stream::Packet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A frame that is being captured into a file.
struct Catch {
    file: PathBuf,
    purpose: Purpose,
    /// Since when it has been there; its file may still be being written.
    since: Option<Instant>,
}

enum At {
    /// The program runs.
    Free,
    /// It runs to the end of a frame.
    Catching(Catch),
    /// Nothing is taken from the program.
    Held,
}

/// How long a capture may take to be written.
const WRITING: Duration = Duration::from_secs(20);

/// Where a program is held.
pub(super) struct Hold {
    at: At,
    /// Where captures go, once there is one.
    folder: Option<TempDir>,
    caught: u64,
}

impl Default for Hold {
    fn default() -> Self {
        Self { at: At::Free, folder: None, caught: 0 }
    }
}

impl Hold {
    /// Whether nothing is to be taken from the program.
    pub(super) fn holds(&self) -> bool {
        match &self.at {
            At::Free => false,
            At::Catching(catch) => catch.purpose.pause && catch.since.is_some(),
            At::Held => true,
        }
    }

    /// Whether the program is held, or about to be.
    pub(super) fn is_busy(&self) -> bool {
        !matches!(self.at, At::Free)
    }

    /// Does what the user wants, after each batch.
    pub(super) fn step(&mut self, renderer: &mut dyn Draws, orders: &Orders, link: &Link) {
        let pause = orders.is_paused();
        match &mut self.at {
            At::Free => {
                if (pause || orders.wants_frame()) && !renderer.captures() {
                    let (dump, keep) = orders.take_dump_and_capture();
                    self.catch(renderer, orders, link, Purpose { pause, dump, keep });
                }
            }
            At::Catching(_) => self.look(renderer, orders, link),
            At::Held => {
                if !pause {
                    orders.go_on();
                    self.at = At::Free;
                    link.tell(&Report::GoesOn { number: link.number, why: None });
                } else if orders.take_step() {
                    let (dump, keep) = orders.take_dump_and_capture();
                    self.catch(renderer, orders, link, Purpose { pause, dump, keep });
                }
            }
        }
    }

    /// Looks whether the frame is there.
    fn look(&mut self, renderer: &dyn Draws, orders: &Orders, link: &Link) {
        let At::Catching(catch) = &mut self.at else { return };
        // Made when the frame begins.
        let begun = || catch.file.exists() || afterimage_output::part_of(&catch.file).exists();
        if catch.since.is_none() && (renderer.captures() || !begun()) {
            return;
        }
        let since = *catch.since.get_or_insert_with(Instant::now);
        let (frame, bytes) = match read(&catch.file) {
            Ok(read) => read,
            Err(_) if since.elapsed() < WRITING => return,
            Err(why) => return self.give_up(orders, link, &format!("the frame cannot be read back: {why}")),
        };
        let _left_behind = std::fs::remove_file(&catch.file);
        let purpose = catch.purpose;
        self.at = if purpose.pause { At::Held } else { At::Free };
        link.tell_with(&Report::Captured { number: link.number, frame, purpose }, &bytes);
    }

    /// Starts to capture the next frame.
    fn catch(&mut self, renderer: &mut dyn Draws, orders: &Orders, link: &Link, purpose: Purpose) {
        let folder = match self.folder.take().map_or_else(TempDir::new, Ok) {
            Ok(folder) => self.folder.insert(folder),
            Err(error) => return self.give_up(orders, link, &format!("no folder for the frame: {error}")),
        };
        self.caught += 1;
        let file = folder.path().join(format!("{}.aftercap", self.caught));
        renderer.capture_next(&file, 1);
        self.at = At::Catching(Catch { file, purpose, since: None });
    }

    fn give_up(&mut self, orders: &Orders, link: &Link, why: &str) {
        orders.go_on();
        self.at = At::Free;
        link.tell(&Report::GoesOn { number: link.number, why: Some(why.to_owned()) });
    }
}

/// The number of a captured frame and the capture, if it is complete.
fn read(file: &Path) -> Result<(u64, Vec<u8>), String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let mut reader = Reader::new(&bytes[..]).map_err(|error| error.to_string())?;
    let mut frame = 0;
    while let Some(batch) = reader.next().map_err(|error| error.to_string())? {
        for located in afterimage_stream::Reader::new(&batch.words).flatten() {
            if let Packet::BeginFrame(body) = located.packet {
                frame = body.frame;
            }
        }
    }
    Ok((frame, bytes))
}
