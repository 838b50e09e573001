//! A colour as a texel, or a block of them, of any colour format: what `ColorFill` writes into memory.

use afterimage_d3d9_types::*;
use afterimage_texture::d3d9::yuv_of_rgb;

use crate::format::{ATI1, ATI2, FormatRow};

/// A colour as floats, red to alpha.
pub(crate) fn color(color: D3DCOLOR) -> [f32; 4] {
    let [blue, green, red, alpha] = color.to_le_bytes();
    [red, green, blue, alpha].map(|channel| f32::from(channel) / 255.0)
}

/// A value from 0 to 1 as a 16-bit float. Such values have no special cases but zero and those below the smallest
/// normal number, which become zero.
fn half(value: f32) -> u16 {
    let bits = value.to_bits();
    let exponent = (bits >> 23) as i32 - 127;
    if exponent < -14 {
        return 0;
    }
    let rounded = (bits & 0x7f_ffff) + 0xfff + (bits >> 13 & 1);
    (((exponent + 15) << 10) as u32 + (rounded >> 13)) as u16
}

/// The `count` upper bits of eight, as drivers fill small formats.
const fn upper(value: u8, count: u32) -> u32 {
    (value >> (8 - count)) as u32
}

/// Eight bits as `count` of them, rounded.
fn wide(value: u8, count: u32) -> u32 {
    (f32::from(value) / 255.0 * ((1u32 << count) - 1) as f32 + 0.5) as u32
}

/// Both ends of a block of colours: 565 twice, and indices that all choose the first.
fn color_block(red: u8, green: u8, blue: u8) -> [u8; 8] {
    let end = ((upper(red, 5) << 11 | upper(green, 6) << 5 | upper(blue, 5)) as u16).to_le_bytes();
    [end[0], end[1], end[0], end[1], 0, 0, 0, 0]
}

/// A colour as one texel or block of a format; its first [`FormatRow::bytes`] bytes count. Formats with chroma in planes
/// have no such thing, and depth has no colour.
#[allow(non_upper_case_globals, reason = "Direct3D's names")]
pub(crate) fn texel(row: &FormatRow, value: D3DCOLOR) -> Option<[u8; 16]> {
    let [blue, green, red, alpha] = value.to_le_bytes();
    let floats = color(value);
    let mut out = [0; 16];
    let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
    let short = |word: u32| (word as u16).to_le_bytes();
    match row.format {
        D3DFMT_A8R8G8B8 | D3DFMT_X8R8G8B8 => put(0, &[blue, green, red, alpha]),
        D3DFMT_A8B8G8R8 | D3DFMT_X8B8G8R8 => put(0, &[red, green, blue, alpha]),
        D3DFMT_Q8W8V8U8 => put(0, &[red >> 1, green >> 1, blue >> 1, alpha >> 1]),
        D3DFMT_R8G8B8 => put(0, &[blue, green, red]),
        D3DFMT_R5G6B5 => put(0, &short(upper(red, 5) << 11 | upper(green, 6) << 5 | upper(blue, 5))),
        D3DFMT_A1R5G5B5 | D3DFMT_X1R5G5B5 => {
            let alpha = if row.alpha { upper(alpha, 1) } else { 0 };
            put(0, &short(alpha << 15 | upper(red, 5) << 10 | upper(green, 5) << 5 | upper(blue, 5)));
        }
        D3DFMT_A4R4G4B4 | D3DFMT_X4R4G4B4 => {
            let alpha = if row.alpha { upper(alpha, 4) } else { 0 };
            put(0, &short(alpha << 12 | upper(red, 4) << 8 | upper(green, 4) << 4 | upper(blue, 4)));
        }
        D3DFMT_R3G3B2 | D3DFMT_A8R3G3B2 => {
            put(0, &[(upper(red, 3) << 5 | upper(green, 3) << 2 | upper(blue, 2)) as u8, alpha]);
        }
        // Palettes are searched by nobody: drivers write blue as the index.
        D3DFMT_P8 | D3DFMT_A8P8 => put(0, &[blue, alpha]),
        D3DFMT_A2R10G10B10 => {
            let word = wide(alpha, 2) << 30 | wide(red, 10) << 20 | wide(green, 10) << 10 | wide(blue, 10);
            put(0, &word.to_le_bytes());
        }
        D3DFMT_A2B10G10R10 => {
            let word = wide(alpha, 2) << 30 | wide(blue, 10) << 20 | wide(green, 10) << 10 | wide(red, 10);
            put(0, &word.to_le_bytes());
        }
        D3DFMT_L8 => put(0, &[red]),
        D3DFMT_A8 => put(0, &[alpha]),
        D3DFMT_A8L8 => put(0, &[red, alpha]),
        D3DFMT_A4L4 => put(0, &[(upper(alpha, 4) << 4 | upper(red, 4)) as u8]),
        D3DFMT_L16 => put(0, &short(wide(red, 16))),
        D3DFMT_V8U8 | D3DFMT_CxV8U8 => put(0, &[red >> 1, green >> 1]),
        D3DFMT_L6V5U5 => put(0, &short(upper(blue, 6) << 10 | upper(green, 4) << 5 | upper(red, 4))),
        D3DFMT_X8L8V8U8 => put(0, &[red >> 1, green >> 1, blue]),
        D3DFMT_A2W10V10U10 => {
            put(0, &(wide(alpha, 2) << 30 | wide(blue, 9) << 20 | wide(green, 9) << 10 | wide(red, 9)).to_le_bytes());
        }
        D3DFMT_V16U16 | D3DFMT_Q16W16V16U16 | D3DFMT_G16R16 | D3DFMT_A16B16G16R16 => {
            let bits = if row.bump { 15 } else { 16 };
            for (index, &channel) in [red, green, blue, alpha][..row.bytes as usize / 2].iter().enumerate() {
                put(index * 2, &short(wide(channel, bits)));
            }
        }
        D3DFMT_R16F | D3DFMT_G16R16F | D3DFMT_A16B16G16R16F => {
            for (index, &channel) in floats[..row.bytes as usize / 2].iter().enumerate() {
                put(index * 2, &half(channel).to_le_bytes());
            }
        }
        D3DFMT_R32F | D3DFMT_G32R32F | D3DFMT_A32B32G32R32F => {
            for (index, &channel) in floats[..row.bytes as usize / 4].iter().enumerate() {
                put(index * 4, &channel.to_le_bytes());
            }
        }
        D3DFMT_DXT1 => put(0, &color_block(red, green, blue)),
        D3DFMT_DXT2 | D3DFMT_DXT3 => {
            put(0, &[(upper(alpha, 4) * 0x11) as u8; 8]);
            put(8, &color_block(red, green, blue));
        }
        D3DFMT_DXT4 | D3DFMT_DXT5 => {
            put(0, &[alpha, alpha]);
            put(8, &color_block(red, green, blue));
        }
        ATI1 => put(0, &[red, red]),
        ATI2 => {
            put(0, &[green, green]);
            put(8, &[red, red]);
        }
        D3DFMT_R8G8_B8G8 => put(0, &[red, green, blue, green]),
        D3DFMT_G8R8_G8B8 => put(0, &[green, red, green, blue]),
        D3DFMT_UYVY | D3DFMT_YUY2 => {
            let [y, u, v] = yuv_of_rgb(red, green, blue);
            put(0, &if row.format == D3DFMT_UYVY { [u, y, v, y] } else { [y, u, y, v] });
        }
        _ => return None,
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{FORMATS, FormatKind, format_row};

    fn of(format: D3DFORMAT, value: D3DCOLOR) -> [u8; 16] {
        texel(format_row(format).unwrap(), value).unwrap()
    }

    #[test]
    fn halves_round_to_nearest() {
        for (value, bits) in [(0.0, 0), (1.0, 0x3c00), (0.5, 0x3800), (1.0 / 3.0, 0x3555), (2.0 / 3.0, 0x3955)] {
            assert_eq!(half(value), bits, "{value}");
        }
        // Rounding up may carry into the exponent.
        assert_eq!(half(0.999_99), 0x3c00);
    }

    #[test]
    fn every_colour_format_but_those_in_planes_can_be_filled() {
        for row in FORMATS.iter().filter(|row| row.kind == FormatKind::Color && !row.is_planar()) {
            let texel = texel(row, 0x8040_c020).unwrap_or_else(|| panic!("{}", row.name));
            assert!(texel[..row.bytes as usize].iter().any(|byte| *byte != 0), "{}", row.name);
        }
        assert_eq!(of(D3DFMT_G16R16, 0x00ff_0000)[..4], [0xff, 0xff, 0, 0]);
        assert_eq!(of(D3DFMT_Q8W8V8U8, 0xffff_0000)[..4], [0x7f, 0, 0, 0x7f]);
        assert_eq!(of(D3DFMT_DXT5, 0x80ff_0000)[..12], [0x80, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xf8, 0, 0xf8]);
        assert_eq!(of(D3DFMT_YUY2, 0x00ff_ffff)[..4], [235, 128, 235, 128]);
    }

    #[test]
    fn colors_are_argb() {
        assert_eq!(color(0xff00_8000), [0.0, 128.0 / 255.0, 0.0, 1.0]);
    }
}
