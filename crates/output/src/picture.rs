//! PNG files.

use crate::Output;
use std::io;
use std::path::Path;

/// Bytes of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channels {
    /// Red, green, blue.
    Rgb,
    /// Red, green, blue, alpha.
    Rgba,
}

/// Writes a picture, whole or not at all: rows from the top, a byte a channel.
///
/// # Errors
/// It cannot be written, or there are not as many bytes as the size asks for.
pub fn png(path: &Path, [width, height]: [u32; 2], channels: Channels, pixels: &[u8]) -> io::Result<()> {
    let mut out = Output::create(path)?;
    let mut encoder = png::Encoder::new(&mut out, width, height);
    encoder.set_color(match channels {
        Channels::Rgb => png::ColorType::Rgb,
        Channels::Rgba => png::ColorType::Rgba,
    });
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    out.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_whole_or_not_there() {
        let temp = tempfile::tempdir().unwrap();
        let path = temp.path().join("p.png");
        assert!(png(&path, [2, 2], Channels::Rgb, &[0; 11]).is_err());
        assert_eq!(std::fs::read_dir(temp.path()).unwrap().count(), 0);
        png(&path, [2, 2], Channels::Rgba, &[7; 16]).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let mut reader = png::Decoder::new(io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = [0; 16];
        reader.next_frame(&mut pixels).unwrap();
        assert_eq!(pixels, [7; 16]);
    }
}
