//! What the user keeps of a program: pictures and captures, beside where the viewer was started.

use afterimage_output::Channels;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A picture of a program.
pub(crate) struct Live {
    /// Number of its frame.
    pub(crate) frame: u64,
    /// Pixels.
    pub(crate) size: [u32; 2],
    /// Rows from the top, four bytes a pixel.
    pub(crate) rgba: Vec<u8>,
}

/// The frame that a program is paused at.
pub(crate) struct Held {
    /// Its number.
    pub(crate) frame: u64,
    /// A capture of it.
    pub(crate) bytes: Arc<[u8]>,
}

/// Files that could not be written, by whatever part of the viewer.
static UNWRITTEN: AtomicU64 = AtomicU64::new(0);

/// So many files could not be written, and it was said.
pub(crate) fn count_unwritten(files: u64) {
    UNWRITTEN.fetch_add(files, Ordering::Relaxed);
}

/// How many files could not be written.
pub(crate) fn unwritten() -> u64 {
    UNWRITTEN.load(Ordering::Relaxed)
}

/// Writes an opaque PNG; `rgba` are rows from the top, four bytes a pixel.
pub(crate) fn png(path: &Path, size: [u32; 2], rgba: &[u8]) -> io::Result<()> {
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    afterimage_output::png(path, size, Channels::Rgb, &rgb)
}

fn outcome(path: &Path, result: io::Result<()>) -> String {
    count_unwritten(result.is_err().into());
    match result {
        Ok(()) => format!("saved {}", std::path::absolute(path).as_deref().unwrap_or(path).display()),
        Err(error) => format!("writing {}: {error}", path.display()),
    }
}

/// Writes a picture of a program; how that went.
pub(crate) fn picture(program: &str, live: &Live) -> String {
    let path = PathBuf::from(format!("{}-frame-{:06}.png", file_name(program), live.frame));
    outcome(&path, png(&path, live.size, &live.rgba))
}

/// Writes the picture behind a call of a capture; how that went.
pub(crate) fn call_picture(title: &str, call: u64, size: [usize; 2], rgba: &[u8]) -> String {
    let path = PathBuf::from(format!("{}-call-{call:06}.png", file_name(title)));
    let size = size.map(|edge| u32::try_from(edge).unwrap_or(u32::MAX));
    outcome(&path, png(&path, size, rgba))
}

/// Writes the frame that a program is paused at; how that went.
pub(crate) fn held(program: &str, held: &Held) -> String {
    let path = capture_file(program);
    let result = afterimage_output::write(&path, &held.bytes);
    format!("frame {}: {}", held.frame, outcome(&path, result))
}

/// A program's name as part of a file name.
pub(crate) fn file_name(program: &str) -> String {
    program.chars().map(|c| if c.is_alphanumeric() || ".-_".contains(c) { c } else { '_' }).collect()
}

/// Where a capture that the user asked for goes: a name that is not taken.
pub(crate) fn capture_file(program: &str) -> PathBuf {
    let name = file_name(program);
    let free = (1..).map(|number| PathBuf::from(format!("{name}-{number}.aftercap"))).find(|path| !path.exists());
    free.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_names_make_harmless_file_names() {
        assert_eq!(file_name("../my game.exe"), ".._my_game.exe");
    }
}
