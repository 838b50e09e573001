//! Reading pictures and comparing them pixel by pixel.

use std::fmt;
use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::{Path, PathBuf};

use xtask::step::{Context, Failure, Result};

/// Red, green and blue of a picture.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Picture {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

impl Picture {
    /// A picture of these bytes, three a pixel, if there are as many as it has.
    pub(crate) fn new(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let fits = rgb.len() as u64 == u64::from(width) * u64::from(height) * 3;
        fits.then_some(Self { width, height, rgb })
    }

    /// Reads a PNG or PPM file; transparency is left out.
    ///
    /// # Errors
    /// When it is not such a file of 8 bits per channel.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let what = || format!("reading {}", path.display());
        if path.extension().is_some_and(|ext| ext == "ppm") {
            let bytes = std::fs::read(path).doing(what())?;
            return Self::of_ppm(&bytes).ok_or_else(|| Failure::new(what(), "no binary PPM of 8 bits per channel"));
        }
        let mut reader = png::Decoder::new(BufReader::new(File::open(path).doing(what())?)).read_info().doing(what())?;
        let size = reader.output_buffer_size().ok_or_else(|| Failure::new(what(), "the picture is too large"))?;
        let mut pixels = vec![0; size];
        let info = reader.next_frame(&mut pixels).doing(what())?;
        let rgb = match (info.color_type, info.bit_depth) {
            (png::ColorType::Rgb, png::BitDepth::Eight) => pixels,
            (png::ColorType::Rgba, png::BitDepth::Eight) => {
                pixels.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect()
            }
            other => return Err(Failure::new(what(), format!("unexpected pixel format {other:?}"))),
        };
        Ok(Self { width: info.width, height: info.height, rgb })
    }

    fn of_ppm(bytes: &[u8]) -> Option<Self> {
        let mut parts = bytes.splitn(4, |byte| *byte == b'\n');
        let header =
            [parts.next()?, parts.next()?, parts.next()?].map(|part| std::str::from_utf8(part).unwrap_or_default());
        let (width, height) = header[1].split_once(' ')?;
        let (width, height) = (width.parse::<u32>().ok()?, height.parse::<u32>().ok()?);
        let known = header[0] == "P6" && header[2] == "255";
        Self::new(width, height, parts.next()?.to_vec()).filter(|_| known)
    }

    /// Writes a PNG file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result {
        let what = || format!("writing {}", path.display());
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(path).doing(what())?), self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.write_header().doing(what())?.write_image_data(&self.rgb).doing(what())
    }

    /// The difference as a picture, 16 times as strong; the part of pixels whose channels are within `levels`; and the part of
    /// equal ones. `None` if the sizes differ.
    pub(crate) fn compare(&self, other: &Self, levels: u8) -> Option<(Self, f64, f64)> {
        if (self.width, self.height) != (other.width, other.height) {
            return None;
        }
        let rgb: Vec<u8> = self.rgb.iter().zip(&other.rgb).map(|(a, b)| a.abs_diff(*b)).collect();
        let part = |levels: u8| {
            let within = rgb.chunks_exact(3).filter(|pixel| pixel.iter().all(|step| *step <= levels)).count();
            within as f64 * 3.0 / rgb.len().max(1) as f64
        };
        let (same, equal) = (part(levels), part(0));
        let strong = rgb.into_iter().map(|step| step.saturating_mul(16)).collect();
        Some((Self { width: self.width, height: self.height, rgb: strong }, same, equal))
    }

    /// Pictures side by side, in lines of `width` pixels at most and as high as the highest of them.
    pub(crate) fn sheet(pictures: &[Self], width: usize) -> Self {
        let (mut left, mut top, mut line) = (0, 0, 0);
        let mut places = Vec::new();
        for picture in pictures {
            let [wide, high] = [picture.width as usize, picture.height as usize];
            if left > 0 && left + wide > width {
                (left, top, line) = (0, top + line, 0);
            }
            places.push((left, top));
            (left, line) = (left + wide, line.max(high));
        }
        let width = pictures.iter().map(|picture| picture.width as usize).max().unwrap_or(0).max(width);
        let height = top + line;
        let mut rgb = vec![0; width * height * 3];
        for (picture, (left, top)) in pictures.iter().zip(places) {
            let bytes = picture.width as usize * 3;
            for (y, from) in picture.rgb.chunks_exact(bytes.max(1)).enumerate() {
                let to = ((top + y) * width + left) * 3;
                rgb[to..to + bytes].copy_from_slice(from);
            }
        }
        Self { width: width as u32, height: height as u32, rgb }
    }

    /// Height and width.
    #[cfg(test)]
    pub(crate) fn size(&self) -> (u32, u32) {
        (self.height, self.width)
    }

    /// The part from one corner to another, the last column and row not counted.
    pub(crate) fn part(&self, [left, top]: [u32; 2], [right, bottom]: [u32; 2]) -> Self {
        let (right, bottom) = (right.min(self.width), bottom.min(self.height));
        let rows = self.rgb.chunks_exact(self.width.max(1) as usize * 3).take(bottom as usize).skip(top as usize);
        let columns = left.min(right) as usize * 3..right as usize * 3;
        let rgb = rows.flat_map(|row| row[columns.clone()].to_vec()).collect();
        Self { width: right.saturating_sub(left), height: bottom.saturating_sub(top), rgb }
    }

    /// How many colours the picture has, up to `limit`: a picture of one colour shows that nothing was drawn.
    pub(crate) fn colours(&self, limit: usize) -> usize {
        let mut seen = std::collections::HashSet::new();
        for pixel in self.rgb.chunks_exact(3) {
            seen.insert(pixel);
            if seen.len() >= limit {
                break;
            }
        }
        seen.len()
    }

    /// Where and by how much two pictures differ; `None` when they are the same.
    pub(crate) fn difference(&self, other: &Self) -> Option<Difference> {
        if (self.width, self.height) != (other.width, other.height) {
            return Some(Difference::Size([self.width, self.height], [other.width, other.height]));
        }
        let pairs = || self.rgb.chunks_exact(3).zip(other.rgb.chunks_exact(3));
        let first = pairs().position(|(a, b)| a != b)? as u32;
        let pixels = pairs().filter(|(a, b)| a != b).count();
        let largest = self.rgb.iter().zip(&other.rgb).map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0);
        Some(Difference::Pixels { pixels, largest, first: [first % self.width, first / self.width] })
    }
}

/// How two pictures differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Difference {
    /// In width and height.
    Size([u32; 2], [u32; 2]),
    /// In their pixels: how many, the largest step of a channel, and where the first is.
    Pixels { pixels: usize, largest: u8, first: [u32; 2] },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size([w, h], [other_w, other_h]) => write!(f, "{w}x{h} against {other_w}x{other_h}"),
            Self::Pixels { pixels, largest, first: [x, y] } => {
                write!(f, "{pixels} pixels differ, by up to {largest}, the first at {x},{y}")
            }
        }
    }
}

/// The pictures in a folder, by name.
pub(crate) fn in_folder(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ext| ext == "png")).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::{Difference, Picture};

    #[test]
    fn differences_are_counted_and_placed() {
        let black = Picture { width: 2, height: 2, rgb: vec![0; 12] };
        let mut other = Picture { width: 2, height: 2, rgb: vec![0; 12] };
        assert_eq!(black.difference(&other), None);
        other.rgb[10] = 7;
        let difference = black.difference(&other).expect("a pixel differs");
        assert_eq!(difference, Difference::Pixels { pixels: 1, largest: 7, first: [1, 1] });
        assert_eq!(difference.to_string(), "1 pixels differ, by up to 7, the first at 1,1");
        let wide = Picture { width: 4, height: 1, rgb: vec![0; 12] };
        assert_eq!(black.difference(&wide), Some(Difference::Size([2, 2], [4, 1])));
        assert_eq!(other.colours(10), 2);
        assert_eq!(other.part([1, 1], [9, 9]), Picture { width: 1, height: 1, rgb: vec![0, 7, 0] });
        let (strong, same, equal) = black.compare(&other, 7).expect("of one size");
        assert_eq!((strong.rgb[10], same, equal), (112, 1.0, 0.75));
        assert!(black.compare(&wide, 7).is_none());
    }

    #[test]
    fn a_sheet_has_every_picture_in_lines() {
        let one = |value| Picture { width: 1, height: 1, rgb: vec![value; 3] };
        let wide = Picture { width: 3, height: 1, rgb: vec![9; 9] };
        let sheet = Picture::sheet(&[one(1), one(2), wide, one(3)], 4);
        let red: Vec<u8> = sheet.rgb.iter().step_by(3).copied().collect();
        assert_eq!((sheet.width, sheet.height), (4, 2));
        assert_eq!(red, [1, 2, 0, 0, 9, 9, 9, 3]);
    }

    #[test]
    fn a_ppm_is_read_if_it_is_whole() {
        let picture = Picture::of_ppm(b"P6\n2 1\n255\n\x01\x02\x03\n\x05\x06").expect("two pixels");
        assert_eq!((picture.width, picture.height, picture.rgb), (2, 1, vec![1, 2, 3, 10, 5, 6]));
        assert!(Picture::of_ppm(b"P6\n2 1\n255\n\x01\x02\x03").is_none());
        assert!(Picture::of_ppm(b"P3\n").is_none());
    }
}
