//! Device contexts over the memory of surfaces.

use afterimage_d3d9_types::HDC;

use super::super::{Area, CanvasMemory};
use super::memory_context::MemoryContext;
use super::sys::*;

/// A device context of a locked surface.
pub(crate) enum Canvas {
    /// It draws into the surface's memory.
    Direct(MemoryContext),
    /// It draws to a copy.
    Copy(CopyContext),
}

impl Canvas {
    /// Makes one of a surface; `None` where the system refuses.
    pub(crate) fn new(canvas: &CanvasMemory) -> Option<Self> {
        let direct = MemoryContext::new(canvas).map(Self::Direct);
        direct.or_else(|| CopyContext::new(canvas).map(Self::Copy))
    }

    /// The handle.
    pub(crate) fn handle(&self) -> HDC {
        match self {
            Self::Direct(context) => context.context,
            Self::Copy(context) => context.context,
        }
    }

    /// Ends drawing: what was drawn is in the surface's memory.
    pub(crate) fn finish(self, canvas: &CanvasMemory) {
        // SAFETY: no pointers; waits for drawing that the system has put off.
        unsafe { GdiFlush() };
        if let Self::Copy(context) = &self {
            context.copy(canvas, true);
        }
    }
}

/// Copies what the desktop shows, from the corner of an area on, to a surface.
pub(crate) fn copy_screen(to: &CanvasMemory, from: Area) {
    const SRCCOPY: u32 = 0x00cc_0020;
    let (Ok(width), Ok(height)) = (i32::try_from(to.width), i32::try_from(to.height)) else { return };
    let Some(canvas) = Canvas::new(to) else { return };
    // SAFETY: both contexts are good, and the desktop's is given back.
    unsafe {
        let screen = GetDC(0);
        BitBlt(canvas.handle(), 0, 0, width, height, screen, from.x, from.y, SRCCOPY);
        ReleaseDC(0, screen);
    }
    canvas.finish(to);
}

/// A device context with a bitmap, onto which a surface is copied, and back.
pub(crate) struct CopyContext {
    context: HDC,
    bitmap: usize,
    bits: *mut u8,
    pitch: usize,
}

impl CopyContext {
    /// Makes one with a surface's pixels; `None` where the system refuses, or knows no such pixels.
    fn new(canvas: &CanvasMemory) -> Option<Self> {
        const BI_BITFIELDS: u32 = 3;
        let info = BitmapInfo {
            size: 40,
            width: i32::try_from(canvas.width).ok()?,
            // Negative: rows from the top.
            height: -i32::try_from(canvas.height).ok()?,
            planes: 1,
            depth: canvas.depth,
            compression: if canvas.depth == 16 { BI_BITFIELDS } else { 0 },
            rest: [0; 5],
            masks: canvas.masks,
        };
        let mut bits = core::ptr::null_mut();
        // SAFETY: no context is asked for.
        let context = unsafe { CreateCompatibleDC(0) };
        // SAFETY: the description is complete, and `bits` takes the address.
        let bitmap = unsafe { CreateDIBSection(context, &info, 0, &mut bits, 0, 0) };
        let pitch = (canvas.width as usize * usize::from(canvas.depth)).div_ceil(32) * 4;
        let made = Self { context, bitmap, bits, pitch };
        if context == 0 || bitmap == 0 || bits.is_null() {
            return None;
        }
        // SAFETY: both were made above.
        unsafe { SelectObject(context, bitmap) };
        made.copy(canvas, false);
        Some(made)
    }

    fn copy(&self, canvas: &CanvasMemory, back: bool) {
        let row = canvas.width as usize * usize::from(canvas.depth) / 8;
        for y in 0..canvas.height as usize {
            // SAFETY: rows of the locked surface and of the bitmap, both `row` bytes at least, and not the same memory.
            unsafe {
                let (ours, theirs) = (self.bits.add(y * self.pitch), canvas.bits.add(y * canvas.pitch));
                let (from, to) = if back { (ours, theirs) } else { (theirs, ours) };
                core::ptr::copy_nonoverlapping(from, to, row);
            }
        }
    }
}

impl Drop for CopyContext {
    fn drop(&mut self) {
        // SAFETY: made in `new`, or 0, which is ignored.
        unsafe {
            DeleteDC(self.context);
            DeleteObject(self.bitmap);
        }
    }
}
