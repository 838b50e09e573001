//! The mouse pointer.

use afterimage_d3d9_types::POINT;

use super::sys::*;

/// Moves the mouse pointer, in screen coordinates. Where it is there already, no window hears of it.
pub(crate) fn set_cursor_position(x: i32, y: i32) {
    let mut now = POINT::default();
    // SAFETY: good for a point.
    unsafe {
        if GetCursorPos(&mut now) == 0 || (now.x, now.y) != (x, y) {
            SetCursorPos(x, y);
        }
    }
}

/// A picture for the mouse pointer.
pub(crate) struct Pointer(usize);

impl Pointer {
    /// Makes one of pixels with alpha; `None` where the system refuses.
    pub(crate) fn new(width: u32, height: u32, hot_spot: (u32, u32), pixels: &[u32]) -> Option<Self> {
        let (w, h) = (i32::try_from(width).ok()?, i32::try_from(height).ok()?);
        // Rows of the mask are padded to 16 bits; zeros show the pixels.
        let mask = vec![0u8; width.div_ceil(16) as usize * 2 * height as usize];
        if pixels.len() != width as usize * height as usize {
            return None;
        }
        // SAFETY: both bitmaps are made from as many bytes as their sizes say, and freed once the cursor has copied them.
        let cursor = unsafe {
            let mask = CreateBitmap(w, h, 1, 1, mask.as_ptr().cast());
            let color = CreateBitmap(w, h, 1, 32, pixels.as_ptr().cast());
            let info = IconInfo { is_icon: 0, x: hot_spot.0, y: hot_spot.1, mask, color };
            let cursor = CreateIconIndirect(&info);
            DeleteObject(mask);
            DeleteObject(color);
            cursor
        };
        (cursor != 0).then_some(Self(cursor))
    }

    /// Shows or hides the pointer.
    pub(crate) fn show(&self, show: bool) {
        // SAFETY: the cursor lives as long as this.
        unsafe { SetCursor(if show { self.0 } else { 0 }) };
    }
}

impl Drop for Pointer {
    fn drop(&mut self) {
        // SAFETY: made in `new`.
        unsafe { DestroyCursor(self.0) };
    }
}
