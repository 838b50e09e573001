//! Surfaces: every colour format, drawn to and cleared with every set of channels, by pitch and swizzled.

use super::{COLOR, rectangle, rig::Rig, source};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_texture::nv2a::ColorFormat;

const SIZE: u32 = 8;
/// What memory holds before.
const BEFORE: u32 = 0x9669_A55A;
/// Colours of draws, 0xAARRGGBB.
const COLORS: [u32; 3] = [0x0000_0000, 0xFFFF_FFFF, 0x9CE3_4D8A];
/// Values of clears.
const VALUES: [u32; 3] = [0, u32::MAX, 0x5AC3_96E1];

/// A component of a pixel: lowest bit and number of bits.
type Bits = (u32, u32);

/// A format by its name: bytes, alpha, red, green, blue, and what pixels have in the bits between once they are drawn.
struct Row {
    bytes: u32,
    components: [Option<Bits>; 4],
    rest: Rest,
}

/// Bits of a pixel that are no component.
#[derive(Clone, Copy, PartialEq)]
enum Rest {
    None,
    Zeros(u32),
    Ones(u32),
}

fn row(format: ColorFormat) -> Row {
    use ColorFormat as F;
    let five = [None, Some((10, 5)), Some((5, 5)), Some((0, 5))];
    let eight = |alpha| [alpha, Some((16, 8)), Some((8, 8)), Some((0, 8))];
    let (bytes, components, rest) = match format {
        F::X1R5G5B5_Z1R5G5B5 => (2, five, Rest::Zeros(0x8000)),
        F::X1R5G5B5_O1R5G5B5 => (2, five, Rest::Ones(0x8000)),
        F::R5G6B5 => (2, [None, Some((11, 5)), Some((5, 6)), Some((0, 5))], Rest::None),
        F::X8R8G8B8_Z8R8G8B8 => (4, eight(None), Rest::Zeros(0xFF00_0000)),
        F::X8R8G8B8_O8R8G8B8 => (4, eight(None), Rest::Ones(0xFF00_0000)),
        F::X1A7R8G8B8_Z1A7R8G8B8 => (4, eight(Some((24, 7))), Rest::Zeros(0x8000_0000)),
        F::X1A7R8G8B8_O1A7R8G8B8 => (4, eight(Some((24, 7))), Rest::Ones(0x8000_0000)),
        F::A8R8G8B8 => (4, eight(Some((24, 8))), Rest::None),
        F::B8 => (1, [None, None, None, Some((0, 8))], Rest::None),
        F::G8B8 => (2, [None, None, Some((8, 8)), Some((0, 8))], Rest::None),
    };
    Row { bytes, components, rest }
}

impl Row {
    fn mask(&self) -> u32 {
        u32::MAX >> (32 - 8 * self.bytes)
    }

    /// A pixel with these channels (alpha 1, red 2, green 4, blue 8) of `new` and the others of `old`, both pixels.
    fn mixed(&self, channels: u32, new: u32, old: u32) -> u32 {
        let mut pixel = old;
        for (n, (at, count)) in (0..).zip(self.components).filter_map(|(n, bits)| Some((n, bits?))) {
            let bits = ((1u64 << count) - 1) as u32;
            if channels >> n & 1 != 0 {
                pixel = pixel & !(bits << at) | new & bits << at;
            }
        }
        if channels != 0 {
            pixel = match self.rest {
                Rest::None => pixel,
                Rest::Zeros(bits) => pixel & !bits,
                Rest::Ones(bits) => pixel | bits,
            };
        }
        pixel
    }

    /// A colour as a pixel: components lose their lowest bits.
    fn pixel(&self, color: u32) -> u32 {
        let [blue, green, red, alpha] = color.to_le_bytes();
        let mut pixel = 0;
        for ((at, count), level) in
            self.components.into_iter().zip([alpha, red, green, blue]).filter_map(|(bits, level)| Some((bits?, level)))
        {
            pixel |= u32::from(level) >> (8 - count) << at;
        }
        pixel
    }
}

/// Alpha, red, green, blue of a set of channels, as `SET_COLOR_MASK` has them.
fn color_mask(channels: u32) -> u32 {
    (channels & 1) << 24 | (channels & 2) << 15 | (channels & 4) << 6 | channels >> 3
}

/// As `CLEAR_SURFACE` has them.
fn clear_mask(channels: u32) -> u32 {
    (channels & 1) << 7 | (channels & 2) << 3 | (channels & 4) << 3 | (channels & 8) << 3
}

/// Where pixel 3, 5 of a surface is.
fn place(row: &Row, swizzled: bool) -> u32 {
    // x = 011, y = 101.
    if swizzled { 0b10_0111 * row.bytes } else { 5 * 64 + 3 * row.bytes }
}

#[test]
fn every_format_drawn_and_cleared_with_every_set_of_channels() {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    let mut formats = 0;
    for (format, swizzled) in (1..=10).flat_map(|format| [(format, false), (format, true)]) {
        let known = ColorFormat::from_code(format).expect("a format");
        let row = row(known);
        formats += 1;
        let layout = if swizzled { 3 << 24 | 3 << 16 | 0x200 } else { 0x100 };
        rig.surface(layout | 0x20 | format, [SIZE, SIZE], [64, 64]);
        let before = BEFORE & row.mask();
        for channels in 0..16 {
            for new in 0..3 {
                for is_clear in [false, true] {
                    let bytes = BEFORE.to_le_bytes();
                    let bytes: Vec<u8> = (0..64 * SIZE).map(|at| bytes[(at % row.bytes) as usize]).collect();
                    rig.memory.write(COLOR, &bytes).expect("inside of memory");
                    let expected = if is_clear {
                        rig.clear(clear_mask(channels), VALUES[new], 0, [3, 5, 1, 1]);
                        VALUES[new] & row.mask()
                    } else {
                        rig.set(method::SET_COLOR_MASK, color_mask(channels));
                        rectangle(&mut rig, [3.0, 5.0, 4.0, 6.0], |vertex| {
                            vertex[3] = [16, 8, 0, 24].map(|at| (COLORS[new] >> at & 0xFF) as f32 / 255.0);
                        });
                        row.pixel(COLORS[new])
                    };
                    let expected = row.mixed(channels, expected, before);
                    rig.graphics.write_back(&mut rig.memory, COLOR, 64 * SIZE);
                    let at = place(&row, swizzled);
                    let what =
                        format!("{known:?}, swizzled {swizzled}, channels {channels:#x}, {new}, clear {is_clear}");
                    let shown = rig.pixel(COLOR + at, row.bytes);
                    assert_eq!(shown, expected, "{what}: {shown:#x}, not {expected:#x}");
                    assert_eq!(rig.pixel(COLOR + at - row.bytes, row.bytes), before, "{what}: beside it");
                }
            }
        }
    }
    assert_eq!(formats, 2 * ColorFormat::ALL.len());
    rig.finish();
}

#[test]
fn every_zeta_format_cleared_in_part_and_whole() {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    for (format, bytes, swizzled) in [(1, 2, false), (1, 2, true), (2, 4, false), (2, 4, true)] {
        let layout = if swizzled { 3 << 24 | 3 << 16 | 0x200 } else { 0x100 };
        rig.surface(layout | format << 4 | 8, [SIZE, SIZE], [64, 64]);
        for (flags, value) in (0..4).flat_map(|flags| VALUES.map(|value| (flags, value))) {
            let before: Vec<u8> = (0..64 * SIZE).map(|at| BEFORE.to_le_bytes()[(at % bytes) as usize]).collect();
            rig.memory.write(super::ZETA, &before).expect("inside of memory");
            rig.clear(flags, 0, value, [3, 5, 1, 1]);
            rig.graphics.write_back(&mut rig.memory, super::ZETA, 64 * SIZE);
            // Depth is all of 16 bits, or the upper 24 of 32 above the stencil.
            let written = match (bytes, flags) {
                (2, 1 | 3) => 0xFFFF,
                (4, 1) => 0xFFFF_FF00,
                (4, 2) => 0xFF,
                (4, 3) => u32::MAX,
                _ => 0,
            };
            let expected = (value & written | BEFORE & !written) & u32::MAX >> (32 - 8 * bytes);
            let at = if swizzled { 0b10_0111 * bytes } else { 5 * 64 + 3 * bytes };
            assert_eq!(rig.pixel(super::ZETA + at, bytes), expected, "format {format}, flags {flags}, {value:#x}");
        }
    }
    rig.finish();
}
