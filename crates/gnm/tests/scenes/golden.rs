//! Pictures that scenes must show. `AFTERIMAGE_BLESS=1` writes them anew; who does that looks at them.

use std::fs::File;
use std::io::{BufReader, BufWriter};
use std::path::PathBuf;

/// How far a channel may be off, and how many pixels of a thousand may be further off: edges are rasterised by the host.
const LEVELS: u8 = 2;
const OUTLIERS: usize = 2;
/// Of wires, how far a channel may be off, and of a thousand pixels of lines how many may be more or fewer, be where the other picture has
/// no line, and have colours that the other picture has not.
const WIRE_LEVELS: u8 = 32;
const WIRE_PIXELS: usize = 3;
const WIRE_OUTLIERS: usize = 1;
const WIRE_COLORS: usize = 75;

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

/// How a picture is held against the one that it must be: why it is another, if it is.
pub(crate) type Check = fn(size: [u32; 2], pixels: &[[u8; 4]], expected: &[[u8; 4]]) -> Result<(), String>;

fn differ(a: [u8; 4], b: [u8; 4], levels: u8) -> bool {
    a.iter().zip(b).any(|(a, b)| a.abs_diff(b) > levels)
}

/// Pixel by pixel.
pub(crate) fn same(size: [u32; 2], pixels: &[[u8; 4]], expected: &[[u8; 4]]) -> Result<(), String> {
    let wrong = pixels.iter().zip(expected).filter(|(a, b)| differ(**a, **b, LEVELS)).count();
    let most = (size[0] * size[1]) as usize * OUTLIERS / 1000;
    if wrong > most { Err(format!("{wrong} pixels are off, {most} may be")) } else { Ok(()) }
}

/// Lines one pixel wide before nothing, many of which lie side by side. Devices choose other pixels for the same line (Vulkan's
/// specification, "Bresenham Line Segment Rasterization", lets them be one pixel off), so what counts is what lies around a pixel:
/// as many pixels are part of a line; wherever there is one, one is in the other picture; and all but some have their colour there too,
/// where a line that lies one pixel beside where it was may hide or show another.
pub(crate) fn wires(size: [u32; 2], pixels: &[[u8; 4]], expected: &[[u8; 4]]) -> Result<(), String> {
    let lit = |pixels: &[[u8; 4]]| pixels.iter().filter(|pixel| **pixel != [0; 4]).count();
    let (has, wanted) = (lit(pixels), lit(expected));
    if has.abs_diff(wanted) > wanted * WIRE_PIXELS / 1000 {
        return Err(format!("{has} pixels are part of a line, not {wanted}"));
    }
    for (one, other, what) in [(pixels, expected, "where there should be nothing"), (expected, pixels, "missing")] {
        let alone = |levels: u8| alone(size, one, other, levels);
        let (lines, most) = (alone(u8::MAX), wanted * WIRE_OUTLIERS / 1000);
        if lines > most {
            return Err(format!("{lines} pixels of lines are {what}, {most} may be"));
        }
        let (colors, most) = (alone(WIRE_LEVELS), wanted * WIRE_COLORS / 1000);
        if colors > most {
            return Err(format!("the colours of {colors} pixels of lines are {what}, {most} may be"));
        }
    }
    Ok(())
}

/// Pixels of `one` that are something, at and around which `other` has nothing whose channels are at most so far off.
fn alone([width, height]: [u32; 2], one: &[[u8; 4]], other: &[[u8; 4]], levels: u8) -> usize {
    let found = |at: usize| {
        let (x, y) = (at as u32 % width, at as u32 / width);
        let columns = || x.saturating_sub(1)..(x + 2).min(width);
        let mut around = (y.saturating_sub(1)..(y + 2).min(height)).flat_map(|y| columns().map(move |x| (x, y)));
        around.any(|(x, y)| {
            let pixel = other[(y * width + x) as usize];
            pixel != [0; 4] && !differ(pixel, one[at], levels)
        })
    };
    (0..one.len()).filter(|at| one[*at] != [0; 4] && !found(*at)).count()
}

/// Compares a picture with the one of this name.
pub(crate) fn check(name: &str, size: [u32; 2], pixels: &[u8], check: Check) {
    if std::env::var_os("AFTERIMAGE_BLESS").is_some_and(|value| value == "1") {
        return write(name, size, pixels);
    }
    let Some((expected_size, expected)) = read(name) else {
        panic!("{} is not there: AFTERIMAGE_BLESS=1 writes it", path(name).display())
    };
    assert_eq!(size, expected_size, "{name}");
    if let Err(why) = check(size, pixels.as_chunks().0, expected.as_chunks().0) {
        let out = std::env::temp_dir().join(format!("{name}.png"));
        let mut encoder = png::Encoder::new(BufWriter::new(File::create(&out).unwrap()), size[0], size[1]);
        encoder.set_color(png::ColorType::Rgba);
        encoder.write_header().unwrap().write_image_data(pixels).unwrap();
        panic!("{name}: {why}; it is in {}", out.display());
    }
}

/// A picture of wires, and what is done to it in a box.
fn wired(name: &str, [left, top, right, bottom]: [u32; 4], change: impl Fn(&mut [u8; 4])) -> Result<(), String> {
    let (size, expected) = read(name).unwrap();
    let expected: Vec<[u8; 4]> = expected.as_chunks().0.to_vec();
    let mut pixels = expected.clone();
    for (x, y) in (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y))) {
        change(&mut pixels[(y * size[0] + x) as usize]);
    }
    wires(size, &pixels, &expected)
}

#[test]
fn wires_may_lie_a_pixel_beside_but_none_may_be_missing() {
    let all = [0, 0, 128, 128];
    wired("tessellation_quads", all, |_| {}).unwrap();
    // A part of a diagonal, ten pixels long.
    let diagonal = wired("tessellation_quads", [12, 12, 18, 27], |pixel| *pixel = [0; 4]);
    assert!(diagonal.as_ref().is_err_and(|why| why.contains("missing")), "{diagonal:?}");
    // The same somewhere that has no line.
    let line = wired("tessellation_quads", [120, 64, 121, 72], |pixel| *pixel = [255; 4]);
    assert!(line.as_ref().is_err_and(|why| why.contains("nothing")), "{line:?}");
    // Lines side by side, of which one is gone.
    let beside = wired("tessellation_quads", [57, 6, 59, 33], |pixel| *pixel = [0; 4]);
    assert!(beside.is_err());
    let swapped = wired("tessellation_quads", all, |pixel| pixel.swap(0, 1));
    assert!(swapped.as_ref().is_err_and(|why| why.contains("colours")), "{swapped:?}");
    // Everything one pixel to the right, and one down.
    let (size, expected) = read("tessellation_on_chip").unwrap();
    let expected: &[[u8; 4]] = expected.as_chunks().0;
    let mut moved = vec![[0; 4]; expected.len()];
    for at in 0..expected.len() - size[0] as usize - 1 {
        moved[at + size[0] as usize + 1] = expected[at];
    }
    wires(size, &moved, expected).unwrap();
    assert!(same(size, &moved, expected).is_err());
    // Two pixels are too far.
    moved.rotate_right(1);
    assert!(wires(size, &moved, expected).is_err());
}
