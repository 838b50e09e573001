//! Saved pictures.

use crate::machine::Picture;
use crate::memory::{GuestMemory, OutOfRange};
use std::path::PathBuf;

/// A picture that the program saves, as the record's text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is of, such as `color` or `texture`.
    pub kind: String,
    /// The folder that the program saves it in.
    pub directory: String,
    /// Its name, without an ending.
    pub name: String,
    /// Physical address of its first pixel.
    pub address: u32,
    /// Columns, 1 to 4096.
    pub width: u32,
    /// Lines, 1 to 4096.
    pub height: u32,
    /// Bytes from one line to the next.
    pub pitch: u32,
    /// Bits of a pixel, 16 or 32.
    pub bits: u32,
}

/// What is wrong with the text of a frame.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    /// A part of the text is not there.
    #[error("there is no {0}")]
    Missing(&'static str),
    /// A part is no number in its range.
    #[error("{0} is {value}, expected {2}", value = .1.escape_debug())]
    Value(&'static str, String, &'static str),
}

/// Columns and lines of the largest surface.
const LARGEST: u32 = 4096;

impl Frame {
    /// Reads `kind|directory|name|addr=hex|w=|h=|pitch=|bpp=`.
    ///
    /// # Errors
    /// If something is missing, or is not in its range.
    pub fn parse(text: &str) -> Result<Self, FrameError> {
        let mut parts = text.trim_end_matches('\0').split('|');
        let mut part = |name| parts.next().map(str::to_owned).ok_or(FrameError::Missing(name));
        let (kind, directory, name) = (part("kind")?, part("directory")?, part("name")?);
        let mut number = |name: &'static str, radix, range: std::ops::RangeInclusive<u32>, expected| {
            let text = part(name)?;
            let value = text.strip_prefix(name).and_then(|text| text.strip_prefix('='));
            let value = value.ok_or(FrameError::Missing(name))?;
            let number = u32::from_str_radix(value, radix).ok().filter(|number| range.contains(number));
            number.ok_or_else(|| FrameError::Value(name, value.to_owned(), expected))
        };
        let address = number("addr", 16, 0..=u32::MAX, "a hexadecimal address")?;
        let width = number("w", 10, 1..=LARGEST, "1 to 4096")?;
        let height = number("h", 10, 1..=LARGEST, "1 to 4096")?;
        let pitch = number("pitch", 10, 1..=0xFFFF, "1 to 65535")?;
        let bits = number("bpp", 10, 16..=32, "16 or 32")?;
        if bits != 16 && bits != 32 {
            return Err(FrameError::Value("bpp", bits.to_string(), "16 or 32"));
        }
        Ok(Self { kind, directory, name, address, width, height, pitch, bits })
    }

    /// Bytes from the first pixel to behind the last.
    #[must_use]
    pub fn size(&self) -> u32 {
        (self.height - 1) * self.pitch + self.width * self.bits / 8
    }

    /// Where a copy of it goes: the folder's own name, then the picture's, as PNG. What a file system could take for another
    /// folder becomes `_`.
    #[must_use]
    pub fn path(&self) -> PathBuf {
        let folder = self.directory.rsplit(['\\', '/']).find(|part| !part.is_empty()).unwrap_or_default();
        let safe = |part: &str| {
            let part: String =
                part.chars().map(|c| if c.is_control() || "/\\:".contains(c) { '_' } else { c }).collect();
            if part.trim_matches('.').is_empty() { part.replace('.', "_") + "_" } else { part }
        };
        PathBuf::from(safe(folder)).join(safe(&self.name) + ".png")
    }

    /// The picture in memory: words 0xAARRGGBB, or R5G6B5.
    ///
    /// # Errors
    /// If it reaches beyond the memory.
    pub fn picture(&self, memory: &dyn GuestMemory) -> Result<Picture, OutOfRange> {
        let (width, bytes) = (self.width as usize, self.bits as usize / 8);
        let mut rgba = Vec::with_capacity(width * self.height as usize * 4);
        let mut line = vec![0; width * bytes];
        for y in 0..self.height {
            let address = self.address.checked_add(y * self.pitch);
            memory.read(address.unwrap_or(u32::MAX), &mut line)?;
            if bytes == 4 {
                rgba.extend(line.chunks_exact(4).flat_map(|p| [p[2], p[1], p[0], p[3]]));
            } else {
                rgba.extend(line.chunks_exact(2).flat_map(|p| rgba_of(u16::from_le_bytes([p[0], p[1]]))));
            }
        }
        Ok(Picture { width: self.width, height: self.height, rgba })
    }
}

/// R5G6B5 as the library does it that wrote the goldens: rounded down, green in two halves of three bits.
fn rgba_of(pixel: u16) -> [u8; 4] {
    let [r, g, b] = [pixel >> 11, pixel >> 5 & 63, pixel & 31].map(u32::from);
    let five = |value: u32| (value * 255 / 31) as u8;
    let green = (g & 0x38) * 255 / 63 + (g & 7) * 255 / 63;
    [five(r), green as u8, five(b), 255]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Ram;

    const TEXT: &str = "color|out\\Clear|C0_n|addr=00000010|w=2|h=2|pitch=16|bpp=32";

    #[test]
    fn a_text_is_a_frame() {
        let frame = Frame::parse(TEXT).unwrap();
        assert_eq!((frame.address, frame.width, frame.height, frame.pitch, frame.bits), (16, 2, 2, 16, 32));
        assert_eq!(frame.path(), PathBuf::from("Clear/C0_n.png"));
        assert_eq!(frame.size(), 24);
    }

    #[test]
    fn a_wrong_text_is_an_error_that_names_the_part() {
        let parse = |text: &str| Frame::parse(text).unwrap_err().to_string();
        assert_eq!(parse("color|x"), "there is no name");
        assert_eq!(parse(&TEXT.replace("w=2", "w=0")), "w is 0, expected 1 to 4096");
        assert_eq!(parse(&TEXT.replace("bpp=32", "bpp=24")), "bpp is 24, expected 16 or 32");
        assert_eq!(parse(&TEXT.replace("addr=0", "at=0")), "there is no addr");
        assert_eq!(parse(&TEXT.replace("pitch=16", "pitch=-1")), "pitch is -1, expected 1 to 65535");
        assert_eq!(parse(&TEXT.replace("pitch=16", "pitch=\x1B")), "pitch is \\u{1b}, expected 1 to 65535");
    }

    #[test]
    fn no_name_leaves_the_folder() {
        let at = |directory: &str, name: &str| {
            let frame = Frame { directory: directory.into(), name: name.into(), ..Frame::parse(TEXT).unwrap() };
            frame.path().display().to_string()
        };
        assert_eq!(at("..", "../../etc/passwd"), "___/.._.._etc_passwd.png");
        assert_eq!(at("", ""), "_/_.png");
        assert_eq!(at("a/b\\c\\", "#spot_0"), "c/#spot_0.png");
    }

    #[test]
    fn colours_are_those_of_the_goldens() {
        let mut memory = Ram::new(4096);
        memory.write(0x20, &[1, 2, 3, 4]).unwrap();
        let frame = Frame::parse(TEXT).unwrap();
        assert_eq!(frame.picture(&memory).unwrap().rgba[8..], [3, 2, 1, 4, 0, 0, 0, 0]);
        assert_eq!(rgba_of(0x000F), [0, 0, 123, 255]);
        assert_eq!(rgba_of(0xFFFF), [255, 254, 255, 255]);
        assert!(Frame { address: 4090, ..frame }.picture(&memory).is_err());
    }
}
