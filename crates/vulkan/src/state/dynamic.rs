//! Dynamic state of blending as the command buffer has it. The rest is in [`afterimage_render::dynamic`].

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
