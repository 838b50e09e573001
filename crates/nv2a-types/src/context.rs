//! Methods that write the vertex engine's constant memory. The fixed function's matrices, planes and viewport lie in the same
//! 192 slots that programs see: writing either is writing both.
//!
//! Source: the XFCTX slot names of XboxDev's `nv_regs.h`, read with its list of methods (`docs/sources/nv2a.md#methods`).

use crate::method;
use crate::methods::METHOD_WORDS;

/// A run of methods that fills constant slots, four words a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Offset of the first method.
    pub method: u16,
    /// First slot.
    pub slot: u8,
    /// Slots.
    pub slots: u8,
}

macro_rules! windows {
    ($( $(#[$doc:meta])* $name:ident = $method:expr, $slot:literal x $slots:literal; )*) => {
        $( $(#[$doc])* pub const $name: Window = Window { method: $method, slot: $slot, slots: $slots }; )*
        /// Every window.
        pub const WINDOWS: &[Window] = &[ $( $name ),* ];
    };
}

windows! {
    /// Object space to screen space without the viewport's offset.
    COMPOSITE_MATRIX = method::SET_COMPOSITE_MATRIX, 0x00 x 4;
    /// Eye space to clip space.
    PROJECTION_MATRIX = method::SET_PROJECTION_MATRIX, 0x04 x 4;
    /// Model view matrix 0.
    MODEL_VIEW_0 = method::SET_MODEL_VIEW_MATRIX, 0x08 x 4;
    /// Its inverse.
    INVERSE_MODEL_VIEW_0 = method::SET_INVERSE_MODEL_VIEW_MATRIX, 0x0C x 4;
    /// Model view matrix 1, for skinning.
    MODEL_VIEW_1 = method::SET_MODEL_VIEW_MATRIX + 0x40, 0x10 x 4;
    /// Its inverse.
    INVERSE_MODEL_VIEW_1 = method::SET_INVERSE_MODEL_VIEW_MATRIX + 0x40, 0x14 x 4;
    /// Model view matrix 2, for skinning.
    MODEL_VIEW_2 = method::SET_MODEL_VIEW_MATRIX + 0x80, 0x18 x 4;
    /// Its inverse.
    INVERSE_MODEL_VIEW_2 = method::SET_INVERSE_MODEL_VIEW_MATRIX + 0x80, 0x1C x 4;
    /// Model view matrix 3, for skinning.
    MODEL_VIEW_3 = method::SET_MODEL_VIEW_MATRIX + 0xC0, 0x20 x 4;
    /// Its inverse.
    INVERSE_MODEL_VIEW_3 = method::SET_INVERSE_MODEL_VIEW_MATRIX + 0xC0, 0x24 x 4;
    /// Eye position.
    EYE_POSITION = method::SET_EYE_POSITION, 0x38 x 1;
    /// Fog plane.
    FOG_PLANE = method::SET_FOG_PLANE, 0x39 x 1;
    /// Viewport scale.
    VIEWPORT_SCALE = method::SET_VIEWPORT_SCALE, 0x3A x 1;
    /// Viewport offset.
    VIEWPORT_OFFSET = method::SET_VIEWPORT_OFFSET, 0x3B x 1;
    /// Texture matrix of stage 0.
    TEXTURE_MATRIX_0 = method::SET_TEXTURE_MATRIX, 0x40 x 4;
    /// Texture generation planes S, T, R, Q of stage 0.
    TEXGEN_PLANES_0 = method::SET_TEXGEN_PLANE_S, 0x44 x 4;
    /// Texture matrix of stage 1.
    TEXTURE_MATRIX_1 = method::SET_TEXTURE_MATRIX + 0x40, 0x48 x 4;
    /// Texture generation planes of stage 1.
    TEXGEN_PLANES_1 = method::SET_TEXGEN_PLANE_S + 0x40, 0x4C x 4;
    /// Texture matrix of stage 2.
    TEXTURE_MATRIX_2 = method::SET_TEXTURE_MATRIX + 0x80, 0x50 x 4;
    /// Texture generation planes of stage 2.
    TEXGEN_PLANES_2 = method::SET_TEXGEN_PLANE_S + 0x80, 0x54 x 4;
    /// Texture matrix of stage 3.
    TEXTURE_MATRIX_3 = method::SET_TEXTURE_MATRIX + 0xC0, 0x58 x 4;
    /// Texture generation planes of stage 3.
    TEXGEN_PLANES_3 = method::SET_TEXGEN_PLANE_S + 0xC0, 0x5C x 4;
}

/// Index into [`WINDOWS`], plus one, of the window that each word of the method space belongs to; 0 for none.
static ROWS: [u8; METHOD_WORDS] = {
    let mut rows = [0; METHOD_WORDS];
    let mut row = 0;
    while row < WINDOWS.len() {
        let window = WINDOWS[row];
        let mut word = 0;
        while word < window.slots as u16 * 4 {
            rows[(window.method / 4 + word) as usize] = row as u8 + 1;
            word += 1;
        }
        row += 1;
    }
    rows
};

/// The window that a method belongs to, and which of its words it is.
#[inline]
pub(crate) fn window_of(method: u16) -> Option<(&'static Window, usize)> {
    let row = ROWS.get(usize::from(method / 4))?.checked_sub(1)?;
    let window = WINDOWS.get(usize::from(row))?;
    Some((window, usize::from((method - window.method) / 4)))
}

/// Which slot and component (0 to 3) of constant memory a method writes, if it does.
#[must_use]
#[inline]
pub fn slot_of(method: u16) -> Option<(u8, u8)> {
    let (window, word) = window_of(method)?;
    Some((window.slot + (word / 4) as u8, (word % 4) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_slot_or_method_is_in_two_windows() {
        let mut slots = [false; crate::CONSTANT_SLOTS];
        let mut methods = [false; 0x800];
        for window in WINDOWS {
            for slot in window.slot..window.slot + window.slots {
                assert!(!std::mem::replace(&mut slots[usize::from(slot)], true), "slot {slot:#x}");
            }
            for word in 0..usize::from(window.slots) * 4 {
                assert!(!std::mem::replace(&mut methods[usize::from(window.method) / 4 + word], true));
            }
        }
        assert_eq!(slot_of(method::SET_VIEWPORT_OFFSET + 8), Some((0x3B, 2)));
        assert_eq!(slot_of(method::SET_TEXGEN_PLANE_S + 0xC0 + 0x34), Some((0x5F, 1)));
        assert_eq!(slot_of(method::SET_FOG_PARAMS), None);
    }
}
