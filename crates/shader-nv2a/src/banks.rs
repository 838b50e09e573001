//! Where constants live: the banks of the shader ABI that the NV2A uses, and the registers of those whose layout is ours.
//! A register is 16 bytes.

use afterimage_ir::register_layout;

/// Constant banks, by the number that the stream and the reflection carry (`stream::BANKS`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Bank {
    /// The vertex engine's constant memory, slots 0 to 191. The fixed function's matrices are in it
    /// (`afterimage_nv2a_types::context`).
    Transform = 9,
    /// What else the fixed function reads, see `fixed`.
    Fixed = 10,
    /// From screen space to clip space, see [`ScreenRegister`].
    Screen = 11,
    /// What the pixel stage reads, see `pixel`.
    Pixel = 12,
}

register_layout! {
    /// Registers of [`Bank::Screen`], for [`crate::io::epilogue`].
    ScreenRegister {
        /// x: 2 / surface width, y: 2 / surface height in pixels, z: 1 / largest depth value, w: zero.
        Scale = 0 + 1 x 1;
        /// x: `SET_CLIP_MIN`, y: `SET_CLIP_MAX`, in units of the depth buffer.
        DepthRange = 1 + 1 x 1;
    }
}
