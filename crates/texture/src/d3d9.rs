//! Texels of Direct3D 9 that no host has, made into texels that every host has.
//!
//! Bits: the published documentation of `D3DFORMAT`. Y'CbCr: the 8-bit formulas of Microsoft's "Recommended 8-Bit YUV
//! Formats for Video Rendering" and "Converting Between YUV and RGB" (BT.601, limited range).

/// How texels are converted. The first group becomes B8G8R8A8, [`Convert::A4L4`] R8G8, the signed ones R16G16B16A16 SNORM.
#[allow(missing_docs, reason = "the names are Direct3D's")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convert {
    R8G8B8,
    R3G3B2,
    A8R3G3B2,
    P8,
    A8P8,
    Uyvy,
    Yuy2,
    /// Red and blue are shared by two texels, which have green of their own.
    R8G8B8G8,
    G8R8G8B8,
    /// A plane of Y', then one of Cr and Cb in pairs at half the resolution.
    Nv12,
    /// A plane of Y', then one of Cr and one of Cb at half the resolution and half the pitch.
    Yv12,
    A4L4,
    L6V5U5,
    X8L8V8U8,
    CxV8U8,
    A2W10V10U10,
}

/// Colours 0xAARRGGBB by index.
pub type Palette = [u32; 256];

/// One slice of texels in a program's memory.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// Its bytes, from the first texel on. What is missing counts as zero.
    pub bytes: &'a [u8],
    /// Bytes from a row to the next.
    pub pitch: usize,
    /// Rows of texels, which say where the planes of chroma begin.
    pub height: usize,
    /// What the indices of P8 and A8P8 mean.
    pub palette: &'a Palette,
}

impl Source<'_> {
    /// The `N` bytes from `at` on; zeros where they are not all there.
    #[inline(always)]
    fn bytes<const N: usize>(&self, at: usize) -> [u8; N] {
        self.bytes.get(at..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N])
    }
}

/// `bits` bits of `value` from `at` up.
#[inline(always)]
const fn field(value: u32, at: u32, bits: u32) -> u32 {
    value >> at & ((1 << bits) - 1)
}

/// A field as eight bits.
#[inline(always)]
const fn unorm8(value: u32, at: u32, bits: u32) -> u32 {
    let max = (1 << bits) - 1;
    (field(value, at, bits) * 255 + max / 2) / max
}

/// A signed field as 16 bits of a signed fraction; the lowest value is -1, as the one above it.
#[inline(always)]
const fn snorm16(value: u32, at: u32, bits: u32) -> i16 {
    let max = (1 << (bits - 1)) - 1;
    let signed = ((field(value, at, bits) << (32 - bits)) as i32) >> (32 - bits);
    let signed = if signed < -max { -max } else { signed };
    let half = if signed < 0 { -max / 2 } else { max / 2 };
    ((signed * 0x7fff + half) / max) as i16
}

/// Five signed bits: -16 and 15 are the ends, each of which has a scale of its own.
#[inline(always)]
const fn snorm16_of_5(value: u32, at: u32) -> i16 {
    let signed = ((field(value, at, 5) << 27) as i32) >> 27;
    (signed * 0x7fff / if signed < 0 { 16 } else { 15 }) as i16
}

/// An unsigned field as 16 bits of a signed fraction.
#[inline(always)]
const fn positive16(value: u32, at: u32, bits: u32) -> i16 {
    let max = (1 << bits) - 1;
    ((field(value, at, bits) * 0x7fff + max / 2) / max) as i16
}

/// 0xFFRRGGBB of Y', Cb, Cr.
#[must_use]
#[inline(always)]
pub const fn rgb_of_yuv(y: u8, cb: u8, cr: u8) -> u32 {
    let (c, d, e) = (298 * (y as i32 - 16) + 128, cb as i32 - 128, cr as i32 - 128);
    0xff00_0000 | byte(c + 409 * e) << 16 | byte(c - 100 * d - 208 * e) << 8 | byte(c + 516 * d)
}

/// Y', Cb, Cr of red, green, blue.
#[must_use]
pub const fn yuv_of_rgb(red: u8, green: u8, blue: u8) -> [u8; 3] {
    let (r, g, b) = (red as i32, green as i32, blue as i32);
    let y = ((66 * r + 129 * g + 25 * b + 128) >> 8) + 16;
    let cb = ((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128;
    let cr = ((112 * r - 94 * g - 18 * b + 128) >> 8) + 128;
    [y as u8, cb as u8, cr as u8]
}

/// The upper bits of a fixed-point number, between 0 and 255.
#[inline(always)]
const fn byte(value: i32) -> u32 {
    let value = value >> 8;
    if value < 0 {
        0
    } else if value > 255 {
        255
    } else {
        value as u32
    }
}

/// Texels of `BYTES` bytes each, one by one.
#[inline(always)]
fn each<const BYTES: usize, const OUT: usize>(
    source: &Source<'_>,
    [x, y]: [usize; 2],
    out: &mut [u8],
    texel: impl Fn(u32) -> [u8; OUT],
) {
    let start = y * source.pitch + x * BYTES;
    for (index, out) in out.chunks_exact_mut(OUT).enumerate() {
        let bytes: [u8; BYTES] = source.bytes(start + index * BYTES);
        let mut word = [0; 4];
        word[..BYTES].copy_from_slice(&bytes);
        out.copy_from_slice(&texel(u32::from_le_bytes(word)));
    }
}

/// Texels that share four bytes with a neighbour; `texel` gets the bytes and whether it is the right one of the two.
#[inline(always)]
fn pairs(source: &Source<'_>, [x, y]: [usize; 2], out: &mut [u8], texel: impl Fn([u8; 4], bool) -> u32) {
    let start = y * source.pitch;
    for (index, out) in out.chunks_exact_mut(4).enumerate() {
        let x = x + index;
        let bytes = source.bytes(start + x / 2 * 4);
        out.copy_from_slice(&texel(bytes, x % 2 == 1).to_le_bytes());
    }
}

/// Texels of a plane of Y' with chroma elsewhere; `chroma` gives Cb and Cr at half the resolution.
#[inline(always)]
fn planes(source: &Source<'_>, [x, y]: [usize; 2], out: &mut [u8], chroma: impl Fn(usize, usize) -> [u8; 2]) {
    for (index, out) in out.chunks_exact_mut(4).enumerate() {
        let x = x + index;
        let [luma] = source.bytes(y * source.pitch + x);
        let [cb, cr] = chroma(x / 2, y / 2);
        out.copy_from_slice(&rgb_of_yuv(luma, cb, cr).to_le_bytes());
    }
}

/// Four signed fractions as bytes.
#[inline(always)]
fn signed(components: [i16; 4]) -> [u8; 8] {
    let mut out = [0; 8];
    for (out, component) in out.chunks_exact_mut(2).zip(components) {
        out.copy_from_slice(&component.to_le_bytes());
    }
    out
}

impl Convert {
    /// Bytes of a texel that this makes.
    #[must_use]
    pub const fn bytes(self) -> usize {
        match self {
            Self::A4L4 => 2,
            Self::L6V5U5 | Self::X8L8V8U8 | Self::CxV8U8 | Self::A2W10V10U10 => 8,
            _ => 4,
        }
    }

    /// Whether what it makes depends on the palette.
    #[must_use]
    pub const fn has_palette(self) -> bool {
        matches!(self, Self::P8 | Self::A8P8)
    }

    /// Whether its chroma lies in planes of its own behind those of luma.
    #[must_use]
    pub const fn is_planar(self) -> bool {
        matches!(self, Self::Nv12 | Self::Yv12)
    }

    /// Converts as many texels as `out` takes, from texel `x` of row `y` on.
    pub fn row(self, source: &Source<'_>, x: usize, y: usize, out: &mut [u8]) {
        let at = [x, y];
        let palette = source.palette;
        let argb = |a: u32, r: u32, g: u32, b: u32| (a << 24 | r << 16 | g << 8 | b).to_le_bytes();
        const ONE: i16 = 0x7fff;
        match self {
            Self::R8G8B8 => each::<3, 4>(source, at, out, |t| (t | 0xff00_0000).to_le_bytes()),
            Self::R3G3B2 => {
                each::<1, 4>(source, at, out, |t| argb(255, unorm8(t, 5, 3), unorm8(t, 2, 3), unorm8(t, 0, 2)));
            }
            Self::A8R3G3B2 => {
                each::<2, 4>(source, at, out, |t| argb(t >> 8, unorm8(t, 5, 3), unorm8(t, 2, 3), unorm8(t, 0, 2)));
            }
            Self::P8 => each::<1, 4>(source, at, out, |t| palette[t as usize & 0xff].to_le_bytes()),
            Self::A8P8 => {
                each::<2, 4>(source, at, out, |t| {
                    (palette[t as usize & 0xff] & 0xff_ffff | t >> 8 << 24).to_le_bytes()
                });
            }
            Self::Uyvy => pairs(source, at, out, |[u, y0, v, y1], odd| rgb_of_yuv(if odd { y1 } else { y0 }, u, v)),
            Self::Yuy2 => pairs(source, at, out, |[y0, u, y1, v], odd| rgb_of_yuv(if odd { y1 } else { y0 }, u, v)),
            Self::R8G8B8G8 => {
                pairs(source, at, out, |[r, g0, b, g1], odd| {
                    u32::from_be_bytes([255, r, if odd { g1 } else { g0 }, b])
                });
            }
            Self::G8R8G8B8 => {
                pairs(source, at, out, |[g0, r, g1, b], odd| {
                    u32::from_be_bytes([255, r, if odd { g1 } else { g0 }, b])
                });
            }
            Self::Nv12 => {
                let chroma = source.height * source.pitch;
                planes(source, at, out, |x, y| source.bytes(chroma + y * source.pitch + x * 2));
            }
            Self::Yv12 => {
                let (cr, pitch) = (source.height * source.pitch, source.pitch / 2);
                let cb = cr + source.height.div_ceil(2) * pitch;
                planes(source, at, out, |x, y| {
                    let [u] = source.bytes(cb + y * pitch + x);
                    let [v] = source.bytes(cr + y * pitch + x);
                    [u, v]
                });
            }
            Self::A4L4 => each::<1, 2>(source, at, out, |t| [unorm8(t, 0, 4) as u8, unorm8(t, 4, 4) as u8]),
            Self::L6V5U5 => each::<2, 8>(source, at, out, |t| {
                signed([snorm16_of_5(t, 0), snorm16_of_5(t, 5), positive16(t, 10, 6), ONE])
            }),
            Self::X8L8V8U8 => each::<4, 8>(source, at, out, |t| {
                signed([snorm16(t, 0, 8), snorm16(t, 8, 8), positive16(t, 16, 8), ONE])
            }),
            Self::CxV8U8 => each::<2, 8>(source, at, out, |t| {
                let (u, v) = (snorm16(t, 0, 8), snorm16(t, 8, 8));
                let square = |component: i16| (f32::from(component) / 32767.0).powi(2);
                let c = (1.0 - square(u) - square(v)).max(0.0).sqrt();
                signed([u, v, (c * 32767.0 + 0.5) as i16, ONE])
            }),
            Self::A2W10V10U10 => each::<4, 8>(source, at, out, |t| {
                signed([snorm16(t, 0, 10), snorm16(t, 10, 10), snorm16(t, 20, 10), positive16(t, 30, 2)])
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Convert, Palette, Source, rgb_of_yuv, yuv_of_rgb};

    const GREYS: Palette = {
        let mut palette = [0; 256];
        let mut index = 0;
        while index < 256 {
            palette[index] = 0xff00_0000 | (index as u32 * 0x01_0101);
            index += 1;
        }
        palette
    };

    fn source(bytes: &[u8], pitch: usize, height: usize) -> Source<'_> {
        Source { bytes, pitch, height, palette: &GREYS }
    }

    fn colors(convert: Convert, bytes: &[u8], x: usize, count: usize) -> Vec<u32> {
        let mut out = vec![0; count * 4];
        convert.row(&source(bytes, bytes.len(), 1), x, 0, &mut out);
        out.chunks_exact(4).map(|texel| u32::from_le_bytes([texel[0], texel[1], texel[2], texel[3]])).collect()
    }

    fn vectors(convert: Convert, bytes: &[u8]) -> [i16; 4] {
        let mut out = [0; 8];
        convert.row(&source(bytes, bytes.len(), 1), 0, 0, &mut out);
        [0, 2, 4, 6].map(|at| i16::from_le_bytes([out[at], out[at + 1]]))
    }

    #[test]
    fn colours_are_widened_to_all_of_their_range() {
        assert_eq!(colors(Convert::R8G8B8, &[1, 2, 3, 4, 5, 6], 1, 1), [0xff06_0504]);
        assert_eq!(colors(Convert::R3G3B2, &[0xff, 0, 0b1000_1001], 0, 3), [!0, 0xff00_0000, 0xff92_4955]);
        assert_eq!(colors(Convert::A8R3G3B2, &[0xe0, 0x80], 0, 1), [0x80ff_0000]);
        assert_eq!(colors(Convert::P8, &[7, 200], 0, 2), [0xff07_0707, 0xffc8_c8c8]);
        assert_eq!(colors(Convert::A8P8, &[7, 0x33], 0, 1), [0x3307_0707]);
        let mut out = [0; 2];
        Convert::A4L4.row(&source(&[0x8f], 1, 1), 0, 0, &mut out);
        assert_eq!(out, [255, 0x88]);
    }

    #[test]
    fn pairs_share_what_they_share() {
        assert_eq!(colors(Convert::R8G8B8G8, &[1, 2, 3, 4], 0, 2), [0xff01_0203, 0xff01_0403]);
        assert_eq!(colors(Convert::G8R8G8B8, &[1, 2, 3, 4], 1, 1), [0xff02_0304]);
        let red = rgb_of_yuv(0x4c, 0x54, 0xff);
        assert_eq!(colors(Convert::Uyvy, &[0x54, 0x4c, 0xff, 0x4c], 0, 2), [red, red]);
        assert_eq!(colors(Convert::Yuy2, &[0x4c, 0x54, 0x10, 0xff], 0, 1), [red]);
    }

    #[test]
    fn signed_components_reach_both_ends() {
        assert_eq!(vectors(Convert::L6V5U5, &0xfdefu16.to_le_bytes()), [0x7fff, 0x7fff, 0x7fff, 0x7fff]);
        assert_eq!(vectors(Convert::L6V5U5, &0x0210u16.to_le_bytes()), [-0x7fff, -0x7fff, 0, 0x7fff]);
        assert_eq!(vectors(Convert::L6V5U5, &0x0011u16.to_le_bytes())[0], (-15 * 0x7fff_i32 / 16) as i16, "not -1 yet");
        assert_eq!(vectors(Convert::X8L8V8U8, &0x00ff_8081u32.to_le_bytes()), [-0x7fff, -0x7fff, 0x7fff, 0x7fff]);
        assert_eq!(vectors(Convert::A2W10V10U10, &(3 << 30 | 0x1ffu32).to_le_bytes()), [0x7fff, 0, 0, 0x7fff]);
        // The third component makes the length one.
        assert_eq!(vectors(Convert::CxV8U8, &[0, 0]), [0, 0, 0x7fff, 0x7fff]);
        assert_eq!(vectors(Convert::CxV8U8, &[0x7f, 0x7f])[2], 0);
    }

    #[test]
    fn planes_of_chroma_lie_behind_luma() {
        // 4 x 2 texels with a pitch of 6: white, but for blue chroma under the right half.
        let mut nv12 = [0xeb; 18];
        nv12[12..].copy_from_slice(&[128, 128, 255, 128, 0, 0]);
        let mut yv12 = [0xeb; 18];
        yv12[12..].copy_from_slice(&[128, 128, 0, 128, 255, 0]);
        for (convert, bytes) in [(Convert::Nv12, nv12), (Convert::Yv12, yv12)] {
            let mut out = [0; 16];
            convert.row(&source(&bytes, 6, 2), 0, 1, &mut out);
            let texel = |at: usize| u32::from_le_bytes([out[at], out[at + 1], out[at + 2], out[at + 3]]);
            assert_eq!([texel(4), texel(8)], [0xffff_ffff, rgb_of_yuv(0xeb, 255, 128)], "{convert:?}");
        }
    }

    #[test]
    fn yuv_and_rgb_are_each_others_inverse() {
        for [r, g, b] in [[0, 0, 0], [255, 255, 255], [255, 0, 0], [0, 255, 0], [0, 0, 255], [10, 200, 90]] {
            let [y, cb, cr] = yuv_of_rgb(r, g, b);
            let back = rgb_of_yuv(y, cb, cr).to_be_bytes();
            for (was, is) in [r, g, b].into_iter().zip(&back[1..]) {
                assert!(was.abs_diff(*is) <= 3, "{r} {g} {b} is {back:?}");
            }
        }
    }

    #[test]
    fn memory_that_ends_early_is_zero() {
        for convert in [Convert::R8G8B8, Convert::Yuy2, Convert::Nv12, Convert::Yv12, Convert::A2W10V10U10] {
            let mut out = [1; 64];
            convert.row(&source(&[], 4096, 4096), 0, 4095, &mut out);
            assert!(out.iter().all(|byte| *byte != 1), "{convert:?}");
        }
    }
}
