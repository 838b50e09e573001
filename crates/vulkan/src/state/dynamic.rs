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

/// Depth and stencil tests as far as the targets have either.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct DynamicTests {
    pub(crate) state: SetDepthStencil,
    /// Whether there is a depth target.
    pub(crate) there: bool,
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
    pub(crate) constant: [u32; 4],
}

impl DynamicBlend {
    /// Without what says nothing while blending is off.
    #[cfg(test)]
    pub(crate) fn effective(self) -> Self {
        let blends = self.blends || self.enable != 0;
        if blends { self } else { Self { equation: 0, own: None, constant: [0; 4], ..self } }
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
