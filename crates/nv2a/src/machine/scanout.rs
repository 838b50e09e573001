//! The picture that the display shows: what PCRTC points to, with the overlay of PVIDEO.
//!
//! Source: the PVIDEO register fields of XboxDev's `nv_regs.h`, and the YCbCr equations of ITU-R BT.601 and BT.709.

use super::{Graphics, Machine, register};
use crate::memory::{GuestMemory, OutOfRange};

/// Pixels of a picture in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PixelFormat {
    /// 16 bits, the highest unused.
    X1R5G5B5,
    /// 16 bits.
    R5G6B5,
    /// 32 bits.
    #[default]
    X8R8G8B8,
}

impl PixelFormat {
    fn bytes(self) -> usize {
        if self == Self::X8R8G8B8 { 4 } else { 2 }
    }

    /// Red, green and blue of a pixel; the highest bits again fill the lowest.
    fn rgb(self, pixel: &[u8]) -> [u8; 3] {
        let word = u32::from(pixel[0]) | u32::from(pixel[1]) << 8;
        let five = |value: u32| ((value & 31) << 3 | (value & 31) >> 2) as u8;
        match self {
            Self::X1R5G5B5 => [five(word >> 10), five(word >> 5), five(word)],
            Self::R5G6B5 => [five(word >> 11), ((word >> 5 & 63) << 2 | (word >> 9 & 3)) as u8, five(word)],
            Self::X8R8G8B8 => [pixel[2], pixel[1], pixel[0]],
        }
    }
}

/// What the display is set to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DisplayMode {
    /// Columns, up to 4096.
    pub width: u32,
    /// Lines, up to 4096.
    pub height: u32,
    /// Bytes from one line to the next.
    pub pitch: u32,
    /// What a pixel is.
    pub format: PixelFormat,
}

impl Default for DisplayMode {
    /// 640 by 480 pixels of 32 bits.
    fn default() -> Self {
        Self { width: 640, height: 480, pitch: 2560, format: PixelFormat::X8R8G8B8 }
    }
}

/// A picture: lines from the top, four bytes R, G, B, A a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns.
    pub width: u32,
    /// Lines.
    pub height: u32,
    /// Pixels.
    pub rgba: Vec<u8>,
}

/// The overlay as its registers say.
#[derive(Clone, Copy, Debug)]
struct Overlay {
    address: u64,
    end: u64,
    pitch: u32,
    size: [u32; 2],
    /// First column and line of the image, 20 bits of fraction.
    first: [u64; 2],
    /// Columns and lines of the image for one of the screen, 20 bits of fraction.
    step: [u64; 2],
    place: [u32; 2],
    screen: [u32; 2],
    /// Luminance in the even bytes.
    yuy2: bool,
    bt709: bool,
    key: Option<u32>,
}

/// Columns and lines of the largest picture.
const LARGEST: u32 = 4096;

impl Machine {
    /// The picture that the display shows now. What was drawn into it comes into memory first.
    ///
    /// # Errors
    /// If it reaches beyond the memory.
    pub fn scanout(&self, memory: &mut dyn GuestMemory, graphics: &mut dyn Graphics) -> Result<Picture, OutOfRange> {
        let DisplayMode { width, height, pitch, format } = self.display;
        let (width, height) = (width.min(LARGEST), height.min(LARGEST));
        let start = self.read_register(register::PCRTC_START);
        graphics.write_back(memory, start, pitch.saturating_mul(height));
        let mut line = vec![0; width as usize * format.bytes()];
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for y in 0..height {
            let address = start.saturating_add(pitch.saturating_mul(y));
            memory.read(address, &mut line)?;
            for pixel in line.chunks_exact(format.bytes()) {
                let [r, g, b] = format.rgb(pixel);
                rgba.extend([r, g, b, 0xFF]);
            }
        }
        let mut picture = Picture { width, height, rgba };
        if let Some(overlay) = self.overlay() {
            overlay.mix(&mut picture, memory, graphics);
        }
        Ok(picture)
    }

    /// The overlay, if one is on.
    fn overlay(&self) -> Option<Overlay> {
        use register::*;
        let used = self.read_register(PVIDEO_BUFFER);
        let buffer = match (used & 1, used >> 4 & 1) {
            (1, _) => 0,
            (_, 1) => 4,
            _ => return None,
        };
        let get = |offset: u32| self.read_register(offset + buffer);
        let format = get(PVIDEO_FORMAT);
        let pair = |word: u32, mask: u32| [word & mask, word >> 16 & mask];
        let first = get(PVIDEO_POINT_IN);
        let base = u64::from(get(PVIDEO_BASE));
        let key = (format >> 20 & 1 == 1).then(|| self.read_register(PVIDEO_COLOR_KEY) & 0x00FF_FFFF);
        Some(Overlay {
            address: base + u64::from(get(PVIDEO_OFFSET)),
            end: base + u64::from(get(PVIDEO_LIMIT)) + 1,
            pitch: format & 0x1FFF,
            size: pair(get(PVIDEO_SIZE_IN), 0x7FF),
            first: [u64::from(first & 0x7FFF) << 16, u64::from(first >> 17) << 17],
            step: [PVIDEO_DS_DX, PVIDEO_DT_DY].map(|step| get(step).into()),
            place: pair(get(PVIDEO_POINT_OUT), 0xFFF),
            screen: pair(get(PVIDEO_SIZE_OUT), 0xFFF),
            yuy2: format >> 16 & 3 == 1,
            bt709: format >> 24 & 1 == 1,
            key,
        })
    }
}

impl Overlay {
    /// Puts the overlay over the picture, as far as both have pixels.
    fn mix(&self, picture: &mut Picture, memory: &mut dyn GuestMemory, graphics: &mut dyn Graphics) {
        let [width, height] = self.size;
        let size = self.pitch.saturating_mul(height);
        let Ok(address) = u32::try_from(self.address) else { return };
        graphics.write_back(memory, address, size);
        let mut line = vec![0; (width as usize * 2).next_multiple_of(4)];
        for y in 0..self.screen[1] {
            let row = (self.first[1] + u64::from(y) * self.step[1]) >> 20;
            let at = self.address + row.min(u64::from(height)) * u64::from(self.pitch);
            let inside = row < u64::from(height) && at + line.len() as u64 <= self.end;
            let (Ok(at), true) = (u32::try_from(at), inside) else { continue };
            if self.place[1] + y >= picture.height || memory.read(at, &mut line).is_err() {
                continue;
            }
            for x in 0..self.screen[0].min(picture.width.saturating_sub(self.place[0])) {
                let column = (self.first[0] + u64::from(x) * self.step[0]) >> 20;
                if column >= width.into() {
                    break;
                }
                let to = ((self.place[1] + y) as usize * picture.width as usize + (self.place[0] + x) as usize) * 4;
                let Some(&mut [ref mut r, ref mut g, ref mut b]) =
                    picture.rgba.get_mut(to..to + 3).and_then(|pixel| <&mut [u8; 3]>::try_from(pixel).ok())
                else {
                    continue;
                };
                let under = u32::from_be_bytes([0, *r, *g, *b]);
                if self.key.is_none_or(|key| key == under) {
                    [*r, *g, *b] = self.rgb(&line, column as usize);
                }
            }
        }
    }

    /// A column of a line: two pixels share chrominance.
    fn rgb(&self, line: &[u8], column: usize) -> [u8; 3] {
        let pair = &line[column / 2 * 4..column / 2 * 4 + 4];
        let (luminance, blue, red) = if self.yuy2 { (column % 2 * 2, 1, 3) } else { (column % 2 * 2 + 1, 0, 2) };
        let [y, u, v] = [luminance, blue, red].map(|at| i32::from(pair[at]));
        let (y, u, v) = (298 * (y - 16), u - 128, v - 128);
        let [red, green_u, green_v, blue] = if self.bt709 { [459, 55, 136, 541] } else { [409, 100, 208, 516] };
        [y + red * v, y - green_u * u - green_v * v, y + blue * u].map(|value| ((value + 128) >> 8).clamp(0, 255) as u8)
    }
}
