//! Morton order: the bits of a texel's coordinates interleaved.
//!
//! From bit 0 upward one bit of x, one of y and one of z take turns; a coordinate that has no bits left is skipped. The bits
//! of an index into an image of 8 x 32 are thus, from the top, `y4 y3 y2 x2 y1 x1 y0 x0`. Every 8 x 8 texels of a flat image
//! are one run of memory; `tiles` takes such runs apart, and this file does the addressing and the rest.

mod tiles;

use crate::Error;

/// The order of texels of an image whose sides are powers of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Morton {
    /// The bits of a texel's index that each coordinate has.
    masks: [u32; 3],
}

/// A box of texels. In two dimensions `origin[2]` is 0 and `size[2]` is 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// First texel: x, y, z.
    pub origin: [u32; 3],
    /// Texels in x, y, z.
    pub size: [u32; 3],
}

/// Bytes from one row, and from one slice, to the next in an image that is not swizzled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pitch {
    /// Bytes from row to row.
    pub row: usize,
    /// Bytes from slice to slice.
    pub slice: usize,
}

impl Region {
    /// A rectangle.
    #[must_use]
    pub const fn rectangle(x: u32, y: u32, width: u32, height: u32) -> Self {
        Self { origin: [x, y, 0], size: [width, height, 1] }
    }

    /// All of an image.
    #[must_use]
    pub const fn all(size: [u32; 3]) -> Self {
        Self { origin: [0; 3], size }
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.size[0] == 0 || self.size[1] == 0 || self.size[2] == 0
    }

    /// That it lies inside an image.
    ///
    /// # Errors
    /// [`Error::Region`].
    pub fn check(self, image: [u32; 3]) -> Result<(), Error> {
        let Self { origin, size } = self;
        let inside = (0..3).all(|i| origin[i].checked_add(size[i]).is_some_and(|end| end <= image[i]));
        if inside { Ok(()) } else { Err(Error::Region { origin, size, image }) }
    }
}

impl Pitch {
    /// Rows of `width` texels without space between them, and slices of `height` such rows.
    #[must_use]
    pub const fn tight(width: u32, height: u32, bytes: u32) -> Self {
        let row = width as usize * bytes as usize;
        Self { row, slice: row.saturating_mul(height as usize) }
    }

    /// That rows of a box of `size` do not overlap, and that `have` bytes are enough for it.
    pub(crate) fn check(self, size: [u32; 3], bytes: u32, have: usize) -> Result<(), Error> {
        let line = u64::from(size[0]) * u64::from(bytes);
        if size[1] > 1 {
            short("a row of texels", line, self.row)?;
        }
        let rows = (self.row as u64).saturating_mul(u64::from(size[1]) - 1);
        let slices = (self.slice as u64).saturating_mul(u64::from(size[2]) - 1);
        short("rows of texels", slices.saturating_add(rows).saturating_add(line), have)
    }
}

impl Morton {
    /// The order of an image with sides of 2 to the power of `log2` texels.
    ///
    /// # Errors
    /// [`Error::TooLarge`] if that is more than [`crate::MAX_SIDE`] or [`crate::MAX_TEXELS`].
    pub fn new(log2: [u32; 3]) -> Result<Self, Error> {
        let side = |bits: u32| 1_u32.checked_shl(bits).unwrap_or(u32::MAX);
        let too_large = Error::TooLarge(side(log2[0]), side(log2[1]), side(log2[2]));
        let total = log2.iter().try_fold(0_u32, |sum, &bits| sum.checked_add(bits)).ok_or(too_large)?;
        if total > crate::MAX_TEXELS.ilog2() || log2.iter().any(|&bits| bits > crate::MAX_SIDE.ilog2()) {
            return Err(too_large);
        }
        let mut masks = [0; 3];
        let mut bit = 0;
        for level in 0..crate::MAX_SIDE.ilog2() {
            for (mask, _) in masks.iter_mut().zip(log2).filter(|&(_, bits)| level < bits) {
                *mask |= 1 << bit;
                bit += 1;
            }
        }
        Ok(Self { masks })
    }

    /// The sides in texels.
    #[must_use]
    pub fn size(self) -> [u32; 3] {
        self.masks.map(|mask| 1 << mask.count_ones())
    }

    /// Texels of the image.
    #[must_use]
    pub fn texels(self) -> u32 {
        1 << self.masks.iter().map(|mask| mask.count_ones()).sum::<u32>()
    }

    /// The index of a texel in memory. Bits of coordinates beyond the sides are dropped.
    #[must_use]
    pub fn index(self, position: [u32; 3]) -> u32 {
        position.iter().zip(self.masks).map(|(&coordinate, mask)| deposit(coordinate, mask)).sum()
    }

    /// The texel that lies at an index.
    #[must_use]
    pub fn position(self, index: u32) -> [u32; 3] {
        self.masks.map(|mask| extract(index, mask))
    }

    /// Takes a box of texels of `bytes` (1, 2 or 4) out of the swizzled image `image` into `rows`, which starts with the
    /// box's first texel.
    ///
    /// # Errors
    /// If the box leaves the image, or the image or `rows` is too short.
    pub fn unswizzle(
        self,
        bytes: u32,
        image: &[u8],
        region: Region,
        rows: &mut [u8],
        pitch: Pitch,
    ) -> Result<(), Error> {
        if self.nothing(bytes, image.len(), region, rows.len(), pitch)? {
            return Ok(());
        }
        match bytes {
            1 => self.unswizzle_texels::<1, 8, 64>(image, region, rows, pitch),
            2 => self.unswizzle_texels::<2, 16, 128>(image, region, rows, pitch),
            _ => self.unswizzle_texels::<4, 32, 256>(image, region, rows, pitch),
        }
        Ok(())
    }

    /// Puts a box of texels of `bytes` (1, 2 or 4) from `rows`, which starts with the box's first texel, into the swizzled
    /// image `image`.
    ///
    /// # Errors
    /// If the box leaves the image, or the image or `rows` is too short.
    pub fn swizzle(self, bytes: u32, rows: &[u8], pitch: Pitch, image: &mut [u8], region: Region) -> Result<(), Error> {
        if self.nothing(bytes, image.len(), region, rows.len(), pitch)? {
            return Ok(());
        }
        match bytes {
            1 => self.swizzle_texels::<1, 8, 64>(rows, pitch, image, region),
            2 => self.swizzle_texels::<2, 16, 128>(rows, pitch, image, region),
            _ => self.swizzle_texels::<4, 32, 256>(rows, pitch, image, region),
        }
        Ok(())
    }

    /// Checks everything that the copies rely on, and says whether there is nothing to copy.
    fn nothing(self, bytes: u32, image: usize, region: Region, rows: usize, pitch: Pitch) -> Result<bool, Error> {
        if !matches!(bytes, 1 | 2 | 4) {
            return Err(Error::TexelSize(bytes));
        }
        region.check(self.size())?;
        if region.is_empty() {
            return Ok(true);
        }
        short("a swizzled image", u64::from(self.texels()) * u64::from(bytes), image)?;
        pitch.check(region.size, bytes, rows)?;
        Ok(false)
    }

    fn unswizzle_texels<const BYTES: usize, const ROW: usize, const TILE: usize>(
        self,
        image: &[u8],
        region: Region,
        rows: &mut [u8],
        pitch: Pitch,
    ) {
        for part in self.parts(region) {
            let start = part.start(region, BYTES, pitch);
            if part.tiled {
                tiles::unswizzle::<BYTES, ROW, TILE>(self.masks, image, part.region, &mut rows[start..], pitch.row);
                continue;
            }
            for (index, at) in self.rows(part.region, pitch) {
                let row = &mut rows[start + at..][..part.region.size[0] as usize * BYTES];
                let mut x = deposit(part.region.origin[0], self.masks[0]);
                for texel in row.chunks_exact_mut(BYTES) {
                    let from = (index | x) as usize * BYTES;
                    texel.copy_from_slice(&image[from..from + BYTES]);
                    x = next(x, self.masks[0]);
                }
            }
        }
    }

    fn swizzle_texels<const BYTES: usize, const ROW: usize, const TILE: usize>(
        self,
        rows: &[u8],
        pitch: Pitch,
        image: &mut [u8],
        region: Region,
    ) {
        for part in self.parts(region) {
            let start = part.start(region, BYTES, pitch);
            if part.tiled {
                tiles::swizzle::<BYTES, ROW, TILE>(self.masks, &rows[start..], pitch.row, image, part.region);
                continue;
            }
            for (index, at) in self.rows(part.region, pitch) {
                let row = &rows[start + at..][..part.region.size[0] as usize * BYTES];
                let mut x = deposit(part.region.origin[0], self.masks[0]);
                for texel in row.chunks_exact(BYTES) {
                    let to = (index | x) as usize * BYTES;
                    image[to..to + BYTES].copy_from_slice(texel);
                    x = next(x, self.masks[0]);
                }
            }
        }
    }

    /// Of every row of a box: the index of its texels without that of x, and the row's place from the box's first texel on.
    fn rows(self, region: Region, pitch: Pitch) -> impl Iterator<Item = (u32, usize)> {
        let [_, y, z] = region.origin;
        (0..region.size[2]).flat_map(move |dz| {
            (0..region.size[1]).map(move |dy| {
                let index = deposit(z + dz, self.masks[2]) | deposit(y + dy, self.masks[1]);
                (index, dz as usize * pitch.slice + dy as usize * pitch.row)
            })
        })
    }

    /// The box in up to five parts: the inner one is made of whole tiles, the others are the rims around it.
    fn parts(self, region: Region) -> impl Iterator<Item = Part> {
        let [x, y, z] = region.origin;
        let [width, height, depth] = region.size;
        let (right, bottom) = (x + width, y + height);
        let flat = self.masks[2] == 0 && self.masks[0].count_ones() >= 3 && self.masks[1].count_ones() >= 3;
        let inner = |from: u32, to: u32| (from.next_multiple_of(tiles::SIDE).min(to), to / tiles::SIDE * tiles::SIDE);
        let ((left_in, right_in), (top_in, bottom_in)) = (inner(x, right), inner(y, bottom));
        let part = |tiled, x0: u32, y0: u32, x1: u32, y1: u32| Part {
            tiled,
            region: Region { origin: [x0, y0, z], size: [x1.saturating_sub(x0), y1.saturating_sub(y0), depth] },
        };
        let parts = if flat && left_in < right_in && top_in < bottom_in {
            [
                part(true, left_in, top_in, right_in, bottom_in),
                part(false, x, y, right, top_in),
                part(false, x, bottom_in, right, bottom),
                part(false, x, top_in, left_in, bottom_in),
                part(false, right_in, top_in, right, bottom_in),
            ]
        } else {
            let none = part(false, x, y, x, y);
            [Part { tiled: false, region }, none, none, none, none]
        };
        parts.into_iter().filter(|part| !part.region.is_empty())
    }
}

/// A part of a box that is copied in one way.
#[derive(Clone, Copy)]
struct Part {
    tiled: bool,
    region: Region,
}

impl Part {
    /// Where the part begins in rows that begin with the whole box.
    fn start(self, whole: Region, bytes: usize, pitch: Pitch) -> usize {
        let [x, y, z] = [0, 1, 2].map(|i| (self.region.origin[i] - whole.origin[i]) as usize);
        z * pitch.slice + y * pitch.row + x * bytes
    }
}

/// That `have` bytes are at least `needed`.
pub(crate) fn short(what: &'static str, needed: u64, have: usize) -> Result<(), Error> {
    let have = have as u64;
    if needed <= have { Ok(()) } else { Err(Error::Short { what, needed, have }) }
}

/// Spreads the low bits of `value` over the set bits of `mask`.
fn deposit(value: u32, mut mask: u32) -> u32 {
    let (mut value, mut result) = (value, 0);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        result |= if value & 1 == 1 { lowest } else { 0 };
        value >>= 1;
        mask ^= lowest;
    }
    result
}

/// Gathers the bits of `value` at the set bits of `mask`.
fn extract(value: u32, mut mask: u32) -> u32 {
    let (mut result, mut bit) = (0, 0);
    while mask != 0 {
        let lowest = mask & mask.wrapping_neg();
        result |= u32::from(value & lowest != 0) << bit;
        bit += 1;
        mask ^= lowest;
    }
    result
}

/// The spread form of the next coordinate: the carry runs through the bits that are not in the mask.
fn next(spread: u32, mask: u32) -> u32 {
    spread.wrapping_sub(mask) & mask
}

#[cfg(test)]
mod tests {
    use super::{Morton, Pitch, Region};
    use proptest::prelude::*;

    fn morton(log2: [u32; 3]) -> Morton {
        Morton::new(log2).expect("a size that is supported")
    }

    #[test]
    fn the_shorter_side_runs_out_of_bits() {
        // 8 wide, 32 high: y y y x y x y x from the top bit down.
        let order = morton([3, 5, 0]);
        assert_eq!(order.index([0b111, 0, 0]), 0b0001_0101);
        assert_eq!(order.index([0, 0b1_1111, 0]), 0b1110_1010);
        assert_eq!(order.size(), [8, 32, 1]);
    }

    #[test]
    fn depth_is_the_third_coordinate() {
        let order = morton([2, 1, 2]);
        assert_eq!(order.index([0b11, 0, 0]), 0b0_1001);
        assert_eq!(order.index([0, 1, 0]), 0b0_0010);
        assert_eq!(order.index([0, 0, 0b11]), 0b1_0100);
    }

    #[test]
    fn what_is_too_large_is_refused() {
        assert!(Morton::new([12, 12, 0]).is_ok());
        for log2 in [[13, 0, 0], [12, 12, 1], [u32::MAX, 3, 0], [31, 31, 31]] {
            assert!(matches!(Morton::new(log2), Err(crate::Error::TooLarge(..))), "{log2:?}");
        }
    }

    #[test]
    fn short_memory_and_boxes_outside_are_errors() {
        let order = morton([3, 3, 0]);
        let whole = Region::all([8, 8, 1]);
        let pitch = Pitch::tight(8, 8, 1);
        let mut rows = [0; 64];
        assert!(order.unswizzle(1, &[0; 63], whole, &mut rows, pitch).is_err());
        assert!(order.unswizzle(1, &[0; 64], whole, &mut rows[..63], pitch).is_err());
        assert!(order.unswizzle(3, &[0; 1024], whole, &mut rows, pitch).is_err());
        for row in [0, 7, usize::MAX] {
            let pitch = Pitch { row, slice: usize::MAX };
            assert!(order.unswizzle(1, &[0; 64], whole, &mut rows, pitch).is_err());
            assert!(order.swizzle(1, &rows, pitch, &mut [0; 64], whole).is_err());
        }
        assert!(order.unswizzle(1, &[0; 64], Region::rectangle(u32::MAX, 0, 1, 1), &mut rows, pitch).is_err());
        assert!(order.unswizzle(1, &[0; 64], Region::rectangle(8, 8, 0, 0), &mut [], pitch).is_ok());
    }

    /// Sides, texel size, and a box inside that image.
    fn images() -> impl Strategy<Value = ([u32; 3], u32, Region)> {
        let sides = prop_oneof![
            (0..7_u32, 0..7_u32, Just(0)).prop_map(|(x, y, z)| [x, y, z]),
            (0..5_u32, 0..5_u32, 0..4_u32).prop_map(|(x, y, z)| [x, y, z]),
        ];
        (sides, prop_oneof![Just(1_u32), Just(2), Just(4)], any::<[u32; 6]>()).prop_map(|(log2, bytes, random)| {
            let mut region = Region::all([0; 3]);
            for i in 0..3 {
                let side = 1_u32 << log2[i];
                region.origin[i] = random[i] % (side + 1);
                region.size[i] = random[i + 3] % (side - region.origin[i] + 1);
                if random[i] % 3 == 0 {
                    (region.origin[i], region.size[i]) = (0, side);
                }
            }
            (log2, bytes, region)
        })
    }

    proptest! {
        #[test]
        fn positions_and_indices_are_one_to_one(log2 in [0..6_u32, 0..6_u32, 0..5_u32]) {
            let order = morton(log2);
            for index in 0..order.texels() {
                prop_assert_eq!(order.index(order.position(index)), index);
            }
        }

        #[test]
        fn copies_are_as_texel_by_texel((log2, bytes, region) in images(), gap in 0..9_usize, seed in any::<u8>()) {
            let order = morton(log2);
            let size = bytes as usize;
            let image: Vec<u8> =
                (0..order.texels() as usize * size).map(|i| (i * 7 + i / 256 + seed as usize) as u8).collect();
            let row = region.size[0] as usize * size + gap;
            let pitch = Pitch { row, slice: row * region.size[1] as usize + gap };
            let length = pitch.slice * region.size[2] as usize;

            let mut rows = vec![0xAA; length];
            order.unswizzle(bytes, &image, region, &mut rows, pitch).expect("inside");
            let mut expected = vec![0xAA; length];
            let mut back = vec![0x55; image.len()];
            let mut swizzled = back.clone();
            for z in 0..region.size[2] {
                for y in 0..region.size[1] {
                    for x in 0..region.size[0] {
                        let position = [x + region.origin[0], y + region.origin[1], z + region.origin[2]];
                        let from = order.index(position) as usize * size;
                        let to = z as usize * pitch.slice + y as usize * pitch.row + x as usize * size;
                        expected[to..to + size].copy_from_slice(&image[from..from + size]);
                        back[from..from + size].copy_from_slice(&image[from..from + size]);
                    }
                }
            }
            prop_assert_eq!(&rows, &expected);
            order.swizzle(bytes, &rows, pitch, &mut swizzled, region).expect("inside");
            prop_assert_eq!(swizzled, back);
        }
    }
}
