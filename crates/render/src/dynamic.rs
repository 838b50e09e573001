//! Dynamic states in words, as a command buffer or encoder has them: put together from what guests set, kept, and compared by words.

use afterimage_stream::packets::SetDepthStencil;

/// Rasterising as far as it is dynamic state, or recorded twice for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DynamicRaster {
    /// How back faces are filled where front ones are filled in another way: they are drawn one after the other.
    pub back_fill: Option<u8>,
    /// Whether nothing is rasterised.
    pub discard: bool,
    /// Which faces are not drawn.
    pub cull: u8,
    /// Whether counter-clockwise triangles face front.
    pub front_ccw: u8,
    /// How faces are filled, front ones where that is not the same.
    pub fill: u8,
    /// Whether depth is clamped instead of clipped.
    pub clamp: bool,
    /// Width of lines, in pixels.
    pub line_width: f32,
    /// Whether it is on, constant and slope.
    pub bias: [u32; 3],
    /// With the number of samples.
    pub sample_mask: (u32, u32),
}

/// Whether words are the same. Compared as arrays they would be written to memory and loaded as vectors, which waits for the writes: for
/// states that were put together a moment ago that took longer than everything else about them.
#[inline(always)]
fn alike<const N: usize>(one: [u64; N], other: [u64; N]) -> bool {
    (0..N).fold(0, |differing, at| differing | (one[at] ^ other[at])) == 0
}

/// A [`DynamicRaster`] in words, as it is kept and compared.
#[derive(Clone, Copy, Debug)]
pub struct PackedRaster {
    /// Bytes: cull, front_ccw, fill, back_fill + 1 in two of them, flags.
    pub faces: u64,
    /// Bits of a float.
    pub line_width: u64,
    /// Bits of two floats.
    pub bias: u64,
    /// The mask, and above it the number of samples.
    pub sample_mask: u64,
}

impl PartialEq for PackedRaster {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        alike(self.words(), other.words())
    }
}

impl From<DynamicRaster> for PackedRaster {
    #[inline(always)]
    fn from(raster: DynamicRaster) -> Self {
        let DynamicRaster { back_fill, discard, cull, front_ccw, fill, clamp, line_width, bias, sample_mask } = raster;
        let back_fill = back_fill.map_or(0, |fill| u64::from(fill) + 1);
        let flags = u64::from(discard) | u64::from(clamp) << 1 | u64::from(bias[0] != 0) << 2;
        let faces = u64::from(cull) | u64::from(front_ccw) << 8 | u64::from(fill) << 16 | back_fill << 24 | flags << 40;
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let (bias, sample_mask) = (pair(bias[1], bias[2]), pair(sample_mask.0, sample_mask.1));
        Self { faces, line_width: line_width.to_bits().into(), bias, sample_mask }
    }
}

impl PackedRaster {
    /// Bits of [`PackedRaster::faces`]: which faces are not drawn.
    pub const CULL: u64 = 0xff;
    /// Bits of [`PackedRaster::faces`]: which triangles face front.
    pub const FRONT_CCW: u64 = 0xff << 8;
    /// Bits of [`PackedRaster::faces`]: how faces are filled.
    pub const FILL: u64 = 0xff << 16;
    /// Bits of [`PackedRaster::faces`]: whether nothing is rasterised.
    pub const DISCARD: u64 = 1 << 40;
    /// Bits of [`PackedRaster::faces`]: whether depth is clamped.
    pub const CLAMP: u64 = 1 << 41;
    /// Bits of [`PackedRaster::faces`]: whether depth has a bias.
    pub const BIAS: u64 = 1 << 42;

    /// Bits that are others than before; all bits where there was nothing.
    #[must_use]
    #[inline(always)]
    pub fn differing(self, before: Option<Self>) -> Self {
        let all = Self { faces: u64::MAX, line_width: u64::MAX, bias: u64::MAX, sample_mask: u64::MAX };
        before.map_or(all, |before| Self {
            faces: self.faces ^ before.faces,
            line_width: self.line_width ^ before.line_width,
            bias: self.bias ^ before.bias,
            sample_mask: self.sample_mask ^ before.sample_mask,
        })
    }

    #[inline(always)]
    fn words(self) -> [u64; 4] {
        [self.faces, self.line_width, self.bias, self.sample_mask]
    }

    /// What the words say.
    #[must_use]
    #[inline(always)]
    pub fn get(self) -> DynamicRaster {
        let Self { faces, line_width, bias, sample_mask } = self;
        let (byte, flag) = (|at: u32| (faces >> at) as u8, |at: u32| faces >> (40 + at) & 1 != 0);
        let pair = |word: u64| (word as u32, (word >> 32) as u32);
        DynamicRaster {
            back_fill: self.back_fill(),
            discard: flag(0),
            cull: byte(0),
            front_ccw: byte(8),
            fill: byte(16),
            clamp: flag(1),
            line_width: f32::from_bits(line_width as u32),
            bias: [flag(2).into(), pair(bias).0, pair(bias).1],
            sample_mask: pair(sample_mask),
        }
    }

    /// [`DynamicRaster::back_fill`].
    #[must_use]
    #[inline]
    pub fn back_fill(self) -> Option<u8> {
        ((self.faces >> 24) as u16).checked_sub(1).map(|fill| fill as u8)
    }
}

/// Depth and stencil tests as far as the targets have either.
#[derive(Clone, Copy, Debug)]
pub struct DynamicTests {
    /// A [`SetDepthStencil`], in words, as it is written and compared.
    words: [u64; 3],
    /// Whether there is a depth target.
    there: bool,
}

impl PartialEq for DynamicTests {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        alike(self.words, other.words) & (self.there == other.there)
    }
}

impl DynamicTests {
    /// Tests with a target of depth and with one of stencil, or without.
    #[must_use]
    #[inline(always)]
    pub fn new(state: SetDepthStencil, depth: bool, stencil: bool) -> Self {
        let mut words: [u64; 3] = bytemuck::cast(state);
        words[0] &= !if depth { 0 } else { SetDepthStencil::DEPTH_TEST };
        words[0] &= !if stencil { 0 } else { SetDepthStencil::STENCIL_TEST };
        Self { words, there: depth }
    }

    /// The words without the values that stencil is compared with.
    #[must_use]
    #[inline(always)]
    pub fn without_references(self) -> [u64; 3] {
        const FRONT: u64 = !u64::from_ne_bytes([0, 0, 0, 0, 0xff, 0, 0, 0]);
        const BACK: u64 = !u64::from_ne_bytes([0, 0xff, 0, 0, 0, 0, 0, 0]);
        let [first, second, third] = self.words;
        [first, second & FRONT, third & BACK]
    }

    /// The state, without tests that the targets have nothing for.
    #[must_use]
    #[inline(always)]
    pub fn state(self) -> SetDepthStencil {
        bytemuck::cast(self.words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_every_field() {
        let none = DynamicRaster {
            back_fill: None,
            discard: false,
            cull: 0,
            front_ccw: 0,
            fill: 0,
            clamp: false,
            line_width: 0.0,
            bias: [0; 3],
            sample_mask: (0, 0),
        };
        let others = [
            DynamicRaster { back_fill: Some(0), ..none },
            DynamicRaster { back_fill: Some(255), ..none },
            DynamicRaster { discard: true, ..none },
            DynamicRaster { cull: 255, ..none },
            DynamicRaster { front_ccw: 255, ..none },
            DynamicRaster { fill: 255, ..none },
            DynamicRaster { clamp: true, ..none },
            DynamicRaster { line_width: -1.5, ..none },
            DynamicRaster { bias: [1, 0, 0], ..none },
            DynamicRaster { bias: [0, u32::MAX, 0], ..none },
            DynamicRaster { bias: [0, 0, u32::MAX], ..none },
            DynamicRaster { sample_mask: (u32::MAX, 0), ..none },
            DynamicRaster { sample_mask: (0, u32::MAX), ..none },
        ];
        for (at, one) in others.iter().enumerate() {
            assert_eq!(PackedRaster::from(*one).get(), *one);
            assert_ne!(PackedRaster::from(*one), PackedRaster::from(none));
            assert!(others[..at].iter().all(|other| PackedRaster::from(*other) != PackedRaster::from(*one)));
        }
    }

    #[test]
    fn references_alone_are_left_out() {
        let none = SetDepthStencil::default();
        let of = |state: SetDepthStencil| DynamicTests::new(state, true, true).without_references();
        let mut found = 0;
        for at in 0..size_of::<SetDepthStencil>() {
            let mut other = none;
            bytemuck::bytes_of_mut(&mut other)[at] = 1;
            let is_reference = other.reference == 1 || other.own_back.reference == 1;
            found += usize::from(is_reference);
            assert_eq!(of(other) == of(none), is_reference, "byte {at}");
        }
        assert_eq!(found, 2);
    }
}
