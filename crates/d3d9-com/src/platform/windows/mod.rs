//! Windows: monitors, windows and GDI. Declared by hand, since these few functions are all that is needed.

use core::ffi::{c_char, c_void};

use afterimage_d3d9_types::{BOOL, HDC, HMONITOR, HWND, POINT, RECT};

use super::{CanvasMemory, Mode};

/// `DEVMODEW`, as far as displays use it.
#[repr(C)]
struct DisplaySettings {
    device_name: [u16; 32],
    versions: [u16; 2],
    size: u16,
    driver_extra: u16,
    fields: u32,
    position: [u32; 4],
    printer: [u16; 5],
    form_name: [u16; 32],
    log_pixels: u16,
    bits_per_pixel: u32,
    width: u32,
    height: u32,
    flags: u32,
    frequency: u32,
    printer_tail: [u32; 8],
}

const _: () = assert!(size_of::<DisplaySettings>() == 220);

const ENUM_CURRENT_SETTINGS: u32 = u32::MAX;
const MONITOR_DEFAULTTOPRIMARY: u32 = 1;

#[link(name = "user32")]
unsafe extern "system" {
    fn EnumDisplaySettingsW(device: *const u16, mode: u32, settings: *mut DisplaySettings) -> BOOL;
    fn MonitorFromPoint(point: POINT, flags: u32) -> HMONITOR;
    fn GetClientRect(window: HWND, rect: *mut RECT) -> BOOL;
    fn GetPropA(window: HWND, name: *const c_char) -> isize;
    fn SetCursorPos(x: i32, y: i32) -> BOOL;
    fn SetWindowPos(window: HWND, after: isize, x: i32, y: i32, width: i32, height: i32, flags: u32) -> BOOL;
    fn CreateIconIndirect(info: *const IconInfo) -> usize;
    fn SetCursor(cursor: usize) -> usize;
    fn DestroyCursor(cursor: usize) -> BOOL;
}

#[link(name = "gdi32")]
unsafe extern "system" {
    fn CreateBitmap(width: i32, height: i32, planes: u32, depth: u32, bits: *const c_void) -> usize;
    fn CreateCompatibleDC(like: HDC) -> HDC;
    fn CreateDIBSection(
        context: HDC,
        info: *const BitmapInfo,
        usage: u32,
        bits: *mut *mut u8,
        section: usize,
        offset: u32,
    ) -> usize;
    fn SelectObject(context: HDC, object: usize) -> usize;
    fn DeleteObject(object: usize) -> BOOL;
    fn DeleteDC(context: HDC) -> BOOL;
    fn GdiFlush() -> BOOL;
}

/// `ICONINFO`.
#[repr(C)]
struct IconInfo {
    is_icon: BOOL,
    x: u32,
    y: u32,
    mask: usize,
    color: usize,
}

/// `BITMAPINFO` with the masks that `BI_BITFIELDS` needs.
#[repr(C)]
struct BitmapInfo {
    size: u32,
    width: i32,
    height: i32,
    planes: u16,
    depth: u16,
    compression: u32,
    rest: [u32; 5],
    masks: [u32; 3],
}

#[cfg(feature = "in-process")]
#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleW(name: *const u16) -> isize;
}

/// The program's module handle.
#[cfg(feature = "in-process")]
pub(crate) fn module() -> isize {
    // SAFETY: null asks for the program itself.
    unsafe { GetModuleHandleW(core::ptr::null()) }
}

fn settings(mode: u32) -> Option<Mode> {
    // SAFETY: the structure is plain data, for which zeros are good.
    let mut settings: DisplaySettings = unsafe { core::mem::zeroed() };
    settings.size = size_of::<DisplaySettings>() as u16;
    // SAFETY: the structure has the size that it says.
    let found = unsafe { EnumDisplaySettingsW(core::ptr::null(), mode, &mut settings) };
    let refresh = if settings.frequency > 1 { settings.frequency } else { 60 };
    (found != 0).then_some(Mode { width: settings.width, height: settings.height, refresh })
}

/// What the display shows now.
pub(crate) fn current_mode() -> Mode {
    settings(ENUM_CURRENT_SETTINGS).unwrap_or(Mode { width: 1024, height: 768, refresh: 60 })
}

/// Every mode of the display, ascending.
pub(crate) fn modes() -> Vec<Mode> {
    let mut modes: Vec<_> = (0..).map_while(settings).filter(|m| m.width >= 640 && m.height >= 480).collect();
    if modes.is_empty() {
        modes.push(current_mode());
    }
    modes.sort();
    modes.dedup();
    modes
}

/// The primary monitor's handle.
pub(crate) fn monitor() -> HMONITOR {
    // SAFETY: no pointers.
    unsafe { MonitorFromPoint(POINT::default(), MONITOR_DEFAULTTOPRIMARY) }
}

/// The client area of a window in pixels; `None` for what is no window.
pub(crate) fn client_size(window: HWND) -> Option<(u32, u32)> {
    let mut rect = RECT::default();
    // SAFETY: the system checks the handle.
    let good = unsafe { GetClientRect(window, &mut rect) } != 0;
    good.then_some((rect.right.max(0) as u32, rect.bottom.max(0) as u32))
}

/// The X11 window that Wine's driver has put behind a top-level window. `None` for any other window, on Windows, and under
/// Wine's other drivers.
pub(crate) fn x11_window(window: HWND) -> Option<u32> {
    // SAFETY: the system checks the handle; the name is a string.
    let id = unsafe { GetPropA(window, c"__wine_x11_whole_window".as_ptr()) };
    u32::try_from(id).ok().filter(|&id| id != 0)
}

/// Puts a window over the whole screen, for a full-screen device. The display mode stays: the picture is scaled.
pub(crate) fn cover_screen(window: HWND) {
    const HWND_TOPMOST: isize = -1;
    const SWP_NOACTIVATE: u32 = 0x10;
    const SWP_SHOWWINDOW: u32 = 0x40;
    let mode = current_mode();
    // SAFETY: the system checks the handle.
    unsafe {
        let (width, height) = (mode.width as i32, mode.height as i32);
        SetWindowPos(window, HWND_TOPMOST, 0, 0, width, height, SWP_NOACTIVATE | SWP_SHOWWINDOW)
    };
}

/// Moves the mouse pointer, in screen coordinates.
pub(crate) fn set_cursor_position(x: i32, y: i32) {
    // SAFETY: no pointers.
    unsafe { SetCursorPos(x, y) };
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

/// A device context with a bitmap, onto which a surface is copied, and back.
pub(crate) struct Canvas {
    context: HDC,
    bitmap: usize,
    bits: *mut u8,
    pitch: usize,
}

impl Canvas {
    /// Makes one with a surface's pixels; `None` where the system refuses.
    pub(crate) fn new(canvas: &CanvasMemory) -> Option<Self> {
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

    /// The handle.
    pub(crate) fn handle(&self) -> HDC {
        self.context
    }

    /// Copies what was drawn to the surface.
    pub(crate) fn copy_back(&self, canvas: &CanvasMemory) {
        // SAFETY: no pointers; waits for drawing that the system has put off.
        unsafe { GdiFlush() };
        self.copy(canvas, true);
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

impl Drop for Canvas {
    fn drop(&mut self) {
        // SAFETY: made in `new`, or 0, which is ignored.
        unsafe {
            DeleteDC(self.context);
            DeleteObject(self.bitmap);
        }
    }
}
