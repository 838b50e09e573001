//! Pictures that scenes must show. `AFTERIMAGE_BLESS=1` writes them anew; who does that looks at them.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;

/// How far a channel may be off, and how many pixels of a thousand may be further off: edges are rasterised by the host.
const LEVELS: u8 = 2;
const OUTLIERS: usize = 2;

fn path(name: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scenes/pictures")).join(format!("{name}.png"))
}

fn read(name: &str) -> Option<([u32; 2], Vec<u8>)> {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path(name)).ok()?)).read_info().ok()?;
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    Some(([info.width, info.height], pixels))
}

fn write(name: &str, [width, height]: [u32; 2], pixels: &[u8]) {
    let path = path(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(path).unwrap()), width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(pixels).unwrap();
}

/// Compares a picture with the one of this name.
pub(crate) fn check(name: &str, size: [u32; 2], pixels: &[u8]) {
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        return write(name, size, pixels);
    }
    let Some((expected_size, expected)) = read(name) else {
        panic!("{} is not there: AFTERIMAGE_BLESS=1 writes it", path(name).display())
    };
    assert_eq!(size, expected_size, "{name}");
    let far = |(a, b): (&[u8; 4], &[u8; 4])| a.iter().zip(b).any(|(a, b)| a.abs_diff(*b) > LEVELS);
    let wrong = pixels.as_chunks::<4>().0.iter().zip(expected.as_chunks::<4>().0).filter(|pair| far(*pair)).count();
    let most = (size[0] * size[1]) as usize * OUTLIERS / 1000;
    if wrong > most {
        let out = std::env::temp_dir().join(format!("{name}.png"));
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(&out).unwrap()), size[0], size[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        panic!("{name}: {wrong} pixels are off, {most} may be; it is in {}", out.display());
    }
}
