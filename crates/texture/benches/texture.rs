//! Texels out of their order and decoded, against copying as many bytes.
//!
//! Figures are for a MiB of guest memory: 1,048,576 / ns are GB/s. A table of offsets for each texel, in C, reached 1.3, 2.5
//! and 4.2 GB/s for 8, 16 and 32 bits on the machine of the issue.

use afterimage_bench::Bench;
use afterimage_texture::nv2a::{ColorFormat, Options, Surface, Texture, TextureFormat, decode};
use afterimage_texture::swizzle::{Morton, Pitch, Region};
use std::hint::black_box;

/// 2 to the power of this are the sides of every image.
const LOG2: u32 = 10;
const SIDE: u32 = 1 << LOG2;

fn mebibytes(bytes_per_texel: u32) -> usize {
    (SIDE * SIDE * bytes_per_texel) as usize >> 20
}

fn main() -> std::io::Result<()> {
    let mut bench = Bench::new("texture");
    let image: Vec<u8> = (0..SIDE * SIDE * 4).map(|i| (i * 31 + (i >> 8)) as u8).collect();
    let mut rows = vec![0; image.len()];
    let mut back = image.clone();
    let order = Morton::new([LOG2, LOG2, 0]).expect("a size that is supported");
    let region = Region::all(order.size());
    for bytes in [1, 2, 4] {
        let length = image.len() / 4 * bytes as usize;
        let pitch = Pitch::tight(SIDE, SIDE, bytes);
        let bits = bytes * 8;
        bench.new_baseline();
        bench.case(&format!("copy a MiB of {bits}-bit texels"), mebibytes(bytes), || {
            rows[..length].copy_from_slice(black_box(&image[..length]));
            black_box(&mut rows);
        });
        bench.case(&format!("unswizzle {bits} bits"), mebibytes(bytes), || {
            order.unswizzle(bytes, &image[..length], region, &mut rows, pitch).expect("inside");
            black_box(&mut rows);
        });
        bench.case(&format!("swizzle {bits} bits"), mebibytes(bytes), || {
            order.swizzle(bytes, &rows[..length], pitch, &mut back, region).expect("inside");
            black_box(&mut back);
        });
        let (inner, inner_pitch) =
            (Region::rectangle(3, 5, SIDE - 7, SIDE - 11), Pitch::tight(SIDE - 7, SIDE - 11, bytes));
        bench.case(&format!("unswizzle {bits} bits, a rectangle inside"), mebibytes(bytes), || {
            order.unswizzle(bytes, &image[..length], inner, &mut rows, inner_pitch).expect("inside");
            black_box(&mut rows);
        });
    }

    let mut out = Vec::new();
    let palette: Vec<u32> = (0..256).map(|i| i * 0x0101_0101).collect();
    let options = Options { palette: &palette, convert_color_space: true, ..Options::default() };
    for (format, bytes) in [
        (TextureFormat::SZ_A8R8G8B8, 4),
        (TextureFormat::SZ_X8R8G8B8, 4),
        (TextureFormat::SZ_R5G6B5, 2),
        (TextureFormat::SZ_A8Y8, 2),
        (TextureFormat::SZ_I8_A8R8G8B8, 1),
        (TextureFormat::LU_IMAGE_A8B8G8R8, 4),
        (TextureFormat::LC_IMAGE_CR8YB8CB8YA8, 2),
    ] {
        decode_case(&mut bench, format, mebibytes(bytes), bytes, &image, &options, &mut out);
    }
    // Four bits a texel: half a MiB is in the image.
    decode_case(&mut bench, TextureFormat::L_DXT1_A1R5G5B5, 1, 0, &image, &options, &mut out);

    let surface = Surface::by_pitch(2, SIDE, SIDE, SIDE * 2).expect("small");
    bench.new_baseline();
    bench.case("copy a MiB of pixels", mebibytes(2), || {
        rows.copy_from_slice(black_box(&image));
        black_box(&mut rows);
    });
    bench.case("store R5G6B5", mebibytes(2), || {
        surface.store(ColorFormat::R5G6B5, &image, SIDE as usize * 4, &mut rows, region).expect("inside");
        black_box(&mut rows);
    });
    bench.case("load R5G6B5", mebibytes(2), || {
        surface.load(ColorFormat::R5G6B5, &image, region, &mut rows, SIDE as usize * 4).expect("inside");
        black_box(&mut rows);
    });
    bench.finish()
}

/// Decodes a texture, for each MiB of its memory.
fn decode_case(
    bench: &mut Bench,
    format: TextureFormat,
    mebibytes: usize,
    bytes: u32,
    image: &[u8],
    options: &Options<'_>,
    out: &mut Vec<u8>,
) {
    let register = LOG2 << 24 | LOG2 << 20 | 1 << 16 | (format as u32) << 8 | 2 << 4 | 8;
    let texture = Texture::from_registers(register, (SIDE * bytes) << 16, SIDE << 16 | SIDE).expect("small");
    bench.case(&format!("decode {}", format.info().name), mebibytes, || {
        decode(&texture, 0, 0, image, options, out).expect("a level");
        black_box(&mut *out);
    });
}
