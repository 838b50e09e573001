//! Windows: monitors, windows and GDI. Declared by hand, since these few functions are all that is needed.

use afterimage_d3d9_types::{BOOL, HMONITOR, HWND, POINT, RECT};

use super::Mode;

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
    fn SetCursorPos(x: i32, y: i32) -> BOOL;
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

/// Moves the mouse pointer, in screen coordinates.
pub(crate) fn set_cursor_position(x: i32, y: i32) {
    // SAFETY: no pointers.
    unsafe { SetCursorPos(x, y) };
}
