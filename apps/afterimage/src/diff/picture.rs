//! PNG files as red, green, blue and alpha of eight bits.

use afterimage_output::Channels;
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Bytes of pixels at most: 16384 x 16384 of them.
const MOST: usize = 1 << 30;

/// A picture: rows from the top, four bytes a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) pixels: Vec<[u8; 4]>,
}

impl Picture {
    /// Reads a file of any PNG colour type. The error names the file.
    pub(crate) fn read(path: &Path) -> Result<Self, String> {
        let unreadable = |error: &dyn std::fmt::Display| format!("cannot read {}: {error}", path.display());
        let file = File::open(path).map_err(|error| unreadable(&error))?;
        let mut decoder = png::Decoder::new(BufReader::new(file));
        decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().map_err(|error| unreadable(&error))?;
        let size =
            reader.output_buffer_size().filter(|size| *size <= MOST).ok_or_else(|| unreadable(&"it is too large"))?;
        let mut bytes = vec![0; size];
        let info = reader.next_frame(&mut bytes).map_err(|error| unreadable(&error))?;
        let bytes = &bytes[..info.buffer_size()];
        let pixels = match info.color_type {
            png::ColorType::GrayscaleAlpha => {
                bytes.as_chunks().0.iter().map(|&[grey, a]| [grey, grey, grey, a]).collect()
            }
            _ => bytes.as_chunks().0.to_vec(),
        };
        Ok(Self { width: info.width, height: info.height, pixels })
    }

    /// Writes a file. The error names it.
    pub(super) fn write(&self, path: &Path) -> Result<(), String> {
        afterimage_output::png(path, [self.width, self.height], Channels::Rgba, self.pixels.as_flattened())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// The same picture without alpha, as a screen shows it.
    pub(crate) fn opaque(&self) -> Self {
        let pixels = self.pixels.iter().map(|&[r, g, b, _]| [r, g, b, 255]).collect();
        Self { width: self.width, height: self.height, pixels }
    }

    /// Pictures beside each other from left to right, with a grey line between; where one ends early, grey.
    pub(super) fn beside(parts: &[Self]) -> Self {
        const GREY: [u8; 4] = [128, 128, 128, 255];
        let height = parts.iter().map(|part| part.height).max().unwrap_or(0);
        let mut pixels = Vec::new();
        for y in 0..height as usize {
            for (number, part) in parts.iter().enumerate() {
                pixels.extend((number > 0).then_some(GREY));
                let width = part.width as usize;
                match part.pixels.get(y * width..(y + 1) * width) {
                    Some(row) => pixels.extend_from_slice(row),
                    None => pixels.resize(pixels.len() + width, GREY),
                }
            }
        }
        let lines = parts.len().saturating_sub(1) as u32;
        Self { width: parts.iter().map(|part| part.width).sum::<u32>() + lines, height, pixels }
    }
}

#[cfg(test)]
mod tests {
    use super::Picture;

    #[test]
    fn what_is_written_is_read() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("p.png");
        let picture = Picture { width: 2, height: 1, pixels: vec![[1, 2, 3, 4], [5, 6, 7, 0]] };
        picture.write(&path).expect("written");
        assert_eq!(Picture::read(&path), Ok(picture));
    }

    #[test]
    fn pictures_stand_beside_each_other() {
        let (a, b, grey) = ([1; 4], [2; 4], [128, 128, 128, 255]);
        let one = Picture { width: 1, height: 2, pixels: vec![a, a] };
        let other = Picture { width: 2, height: 1, pixels: vec![b, b] };
        let pixels = vec![a, grey, b, b, a, grey, grey, grey];
        assert_eq!(Picture::beside(&[one, other]), Picture { width: 4, height: 2, pixels });
    }

    #[test]
    fn other_colour_types_are_widened() {
        let temp = tempfile::tempdir().expect("a folder");
        let read = |color, depth, data: &[u8]| {
            let path = temp.path().join("p.png");
            let mut encoder = png::Encoder::new(std::fs::File::create(&path).expect("a file"), 1, 1);
            encoder.set_color(color);
            encoder.set_depth(depth);
            encoder.write_header().expect("a header").write_image_data(data).expect("a pixel");
            Picture::read(&path).expect("a picture").pixels
        };
        assert_eq!(read(png::ColorType::Rgb, png::BitDepth::Eight, &[1, 2, 3]), [[1, 2, 3, 255]]);
        assert_eq!(read(png::ColorType::Grayscale, png::BitDepth::Eight, &[9]), [[9, 9, 9, 255]]);
        assert_eq!(read(png::ColorType::Rgb, png::BitDepth::Sixteen, &[1, 0, 2, 0, 3, 0]), [[1, 2, 3, 255]]);
    }

    #[test]
    fn what_is_no_picture_is_named() {
        let temp = tempfile::tempdir().expect("a folder");
        let path = temp.path().join("p.png");
        assert!(Picture::read(&path).expect_err("no file").contains("p.png"));
        std::fs::write(&path, b"\x89PNG\r\n\x1a\n and then not").expect("written");
        assert!(Picture::read(&path).expect_err("no picture").contains("p.png"));
    }
}
