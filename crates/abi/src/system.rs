//! The system block: what the renderer (or, for clip planes, the guest) tells shaders of state that hardware had fixed functions for.

use crate::slots::{CLIP_PLANES, PIXEL_TEXTURES};
use crate::{Bank, numbers, register_layout};

register_layout! {
    /// Registers of [`Bank::System`].
    SystemRegister {
        /// x: alpha reference, 0 to 1.
        AlphaReference = 0 + 1 x 1;
        /// Fog colour, red to alpha.
        FogColor = 1 + 1 x 1;
        /// x: start, or density for the exponential modes; y: end; z: 1 / (end - start).
        Fog = 2 + 1 x 1;
        /// x: point size in pixels where the vertex shader writes none; y, z: smallest and largest point size; w: the smallest
        /// that the program asks for, which may be less than the device has.
        PointSize = 3 + 1 x 1;
        /// Integers. x: alpha test, y: fog, as in [`PixelOps`](crate::PixelOps); for modules with `PixelOps::generic`.
        PixelOps = 4 + 1 x 1;
        /// User clip planes 0 to 5, in clip space (fixed function: in view space). The guest sends them.
        ClipPlane = 8 + 1 x 6;
        /// x, y: half of a texel's width and height, of the textures in the pixel stage's slots 0 to 15 whose lookups give four
        /// texels ([`bound::FETCH4`](crate::bound::FETCH4)).
        HalfTexel = 14 + 1 x 16;
    }
}

const _: () = {
    assert!(SystemRegister::COUNT <= Bank::System.registers());
    assert!(SystemRegister::ClipPlane.elements() as usize == CLIP_PLANES);
    assert!(SystemRegister::HalfTexel.elements() as usize == PIXEL_TEXTURES);
};

numbers! {
    /// Comparison functions: `new OP stored`.
    #[allow(missing_docs, reason = "the names say it")]
    Compare { Never = 0, Less = 1, Equal = 2, LessEqual = 3, Greater = 4, NotEqual = 5, GreaterEqual = 6, Always = 7 }
}

numbers! {
    /// Fog: a curve by the pixel's depth (0 to 1) or by its w, the distance along the view, or the vertex stage's factor. Direct3D takes
    /// w where the projection matrix is not affine, so the guest decides.
    FogMode {
        /// No fog.
        None = 0,
        /// `1 / e^(depth * density)`, per pixel.
        Exp = 1,
        /// `1 / e^((depth * density)^2)`, per pixel.
        Exp2 = 2,
        /// `(end - depth) / (end - start)`, per pixel.
        Linear = 3,
        /// The vertex stage's fog output is the factor.
        Vertex = 4,
        /// [`Self::Exp`] of w.
        ExpW = 5,
        /// [`Self::Exp2`] of w.
        Exp2W = 6,
        /// [`Self::Linear`] of w.
        LinearW = 7,
    }
}

impl FogMode {
    /// The same curve, by w.
    #[must_use]
    #[inline]
    pub const fn of_w(self) -> Self {
        match self {
            Self::Exp => Self::ExpW,
            Self::Exp2 => Self::Exp2W,
            Self::Linear => Self::LinearW,
            other => other,
        }
    }

    /// The same curve, by the depth.
    #[must_use]
    #[inline]
    pub const fn of_depth(self) -> Self {
        match self {
            Self::ExpW => Self::Exp,
            Self::Exp2W => Self::Exp2,
            Self::LinearW => Self::Linear,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_register_has_two_meanings() {
        let mut owners = vec![None; SystemRegister::COUNT.into()];
        for (entry, first, stride, count) in SystemRegister::TABLE {
            for register in *first..first + stride * count {
                let before = owners[usize::from(register)].replace(entry);
                assert_eq!(before, None, "register {register} is also {entry:?}");
            }
        }
    }
}
