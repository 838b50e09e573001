//! Dynamic states as the command buffer has them.

use afterimage_stream::packets::SetDepthStencil;

/// Rasterising as far as it is dynamic state, or recorded twice for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DynamicRaster {
    /// How back faces are filled where front ones are filled in another way: they are drawn one after the other.
    pub(crate) back_fill: Option<u8>,
    pub(crate) discard: bool,
    pub(crate) cull: u8,
    pub(crate) front_ccw: u8,
    pub(crate) fill: u8,
    pub(crate) clamp: bool,
    pub(crate) line_width: f32,
    /// Whether it is on, constant and slope.
    pub(crate) bias: [u32; 3],
    /// With the number of samples.
    pub(crate) sample_mask: (u32, u32),
}

/// Whether words are the same. Compared as arrays they would be written to memory and loaded as vectors, which waits for the writes: for
/// states that were put together a moment ago that took longer than everything else about them.
#[inline(always)]
fn alike<const N: usize>(one: [u64; N], other: [u64; N]) -> bool {
    (0..N).fold(0, |differing, at| differing | (one[at] ^ other[at])) == 0
}

/// A [`DynamicRaster`] in words, as it is kept and compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PackedRaster {
    /// Bytes: cull, front_ccw, fill, back_fill + 1 in two of them, flags.
    pub(crate) faces: u64,
    pub(crate) line_width: u64,
    pub(crate) bias: u64,
    pub(crate) sample_mask: u64,
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
    // Bits of `faces`.
    pub(crate) const CULL: u64 = 0xff;
    pub(crate) const FRONT_CCW: u64 = 0xff << 8;
    pub(crate) const FILL: u64 = 0xff << 16;
    pub(crate) const DISCARD: u64 = 1 << 40;
    pub(crate) const CLAMP: u64 = 1 << 41;
    pub(crate) const BIAS: u64 = 1 << 42;

    /// Bits that are others than before; all bits where there was nothing.
    #[inline(always)]
    pub(crate) fn differing(self, before: Option<Self>) -> Self {
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

    #[inline(always)]
    pub(crate) fn get(self) -> DynamicRaster {
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
    #[inline]
    pub(crate) fn back_fill(self) -> Option<u8> {
        ((self.faces >> 24) as u16).checked_sub(1).map(|fill| fill as u8)
    }
}

/// Depth and stencil tests as far as the targets have either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DynamicTests {
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
    #[inline(always)]
    pub(crate) fn new(state: SetDepthStencil, depth: bool, stencil: bool) -> Self {
        let mut words: [u64; 3] = bytemuck::cast(state);
        words[0] &= !if depth { 0 } else { SetDepthStencil::DEPTH_TEST };
        words[0] &= !if stencil { 0 } else { SetDepthStencil::STENCIL_TEST };
        Self { words, there: depth }
    }

    #[inline(always)]
    pub(crate) fn state(self) -> SetDepthStencil {
        bytemuck::cast(self.words)
    }
}

/// Blending as far as it is dynamic state.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct DynamicBlend {
    pub(crate) logic_op: u8,
    /// Targets. What comes behind is zero.
    pub(crate) count: u8,
    /// Bit per target that is blended with.
    pub(crate) enable: u8,
    /// Whether the state asks for blending.
    pub(crate) blends: bool,
    /// A byte for each target, the first in the lowest.
    pub(crate) masks: u64,
    /// Of all targets, in the order of [`crate::pipeline::key::equation`], the first byte in the lowest.
    pub(crate) equation: u64,
    /// Where targets have equations of their own: those.
    pub(crate) own: Option<Box<[u64; 8]>>,
    /// Bits of four floats.
    pub(crate) constant: [u64; 2],
}

impl DynamicBlend {
    /// Without what says nothing while blending is off.
    #[cfg(test)]
    pub(crate) fn effective(self) -> Self {
        let blends = self.blends || self.enable != 0;
        if blends { self } else { Self { equation: 0, own: None, constant: [0; 2], ..self } }
    }

    /// Write masks of so many targets.
    pub(crate) fn masks(masks: [u8; 8], count: u8) -> u64 {
        u64::from_le_bytes(masks) & (u64::MAX >> (64 - 8 * u32::from(count.clamp(1, 8))))
    }

    // Calls of `Renderer::blend_calls`.
    pub(crate) const LOGIC_OP: u8 = 1;
    pub(crate) const CONSTANT: u8 = 2;
    pub(crate) const ENABLE: u8 = 4;
    pub(crate) const EQUATIONS: u8 = 8;
    pub(crate) const MASKS: u8 = 16;
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
}
