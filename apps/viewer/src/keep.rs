//! What the user keeps of a program: pictures and captures, beside where the viewer was started.

use crate::wishes::{Held, Live};
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// Writes an opaque PNG; `rgba` are rows from the top, four bytes a pixel.
pub(crate) fn png(path: &Path, size: [u32; 2], rgba: &[u8]) -> Result<(), png::EncodingError> {
    let rgb: Vec<u8> = rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), size[0], size[1]);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&rgb)
}

fn outcome<E: std::fmt::Display>(path: &Path, result: Result<(), E>) -> String {
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
    let result = std::fs::write(&path, &*held.bytes);
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
