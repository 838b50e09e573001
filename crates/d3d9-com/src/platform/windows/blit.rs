//! Pictures into windows by GDI, where nothing faster can be drawn into.

use afterimage_d3d9::Locked;
use afterimage_d3d9_types::HWND;

use super::sys::*;

/// Whether a window has a menu, which lies in the same X11 window as its client area.
pub(crate) fn has_menu(window: HWND) -> bool {
    // SAFETY: the system checks the handle.
    unsafe { GetMenu(window) != 0 }
}

/// Fills the client area of a window with a picture of a size.
pub(crate) fn blit(window: HWND, picture: &Locked, from: (u32, u32)) {
    const COLOR_ON_COLOR: i32 = 3;
    const SRCCOPY: u32 = 0x00cc_0020;
    let Some(to) = super::client_size(window).filter(|size| size.0 > 0 && size.1 > 0) else { return };
    let pitch = picture.row_pitch as usize;
    if pitch % 4 != 0 || pitch < from.0 as usize * 4 || picture.size < pitch * from.1 as usize {
        return;
    }
    let info = BitmapInfo {
        size: 40,
        width: (pitch / 4) as i32,
        // Negative: rows from the top.
        height: -(from.1 as i32),
        planes: 1,
        depth: 32,
        compression: 0,
        rest: [0; 5],
        masks: [0; 3],
    };
    let [to, from] = [to, from].map(|(width, height)| [width as i32, height as i32]);
    let bits = picture.bits.cast_const().cast();
    // SAFETY: the surface stays locked, and has as many bytes as the description says; the context is given back.
    unsafe {
        let context = GetDC(window);
        SetStretchBltMode(context, COLOR_ON_COLOR);
        StretchDIBits(context, 0, 0, to[0], to[1], 0, 0, from[0], from[1], bits, &info, 0, SRCCOPY);
        ReleaseDC(window, context);
    }
}
