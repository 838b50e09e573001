//! Writing a single picture.

use afterimage_vulkan::Picture;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;

/// Writes an opaque PNG.
pub(crate) fn write(path: &Path, picture: &Picture<'_>) -> Result<(), png::EncodingError> {
    let rgb: Vec<u8> = picture.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path)?), picture.width, picture.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(&rgb)
}
