//! The functions and structures of user32, gdi32 and kernel32 that are used, declared by hand: they are few, and every
//! Windows since XP has them.
#![allow(clippy::missing_safety_doc, reason = "documented by the system's vendor")]

use core::ffi::{c_char, c_void};

use afterimage_d3d9_types::{BOOL, HDC, HMONITOR, HWND, POINT, RECT};

/// Text of the system's, with its end, in a fixed array.
pub(super) type DeviceName = [u16; 32];

/// `DEVMODEW`, as far as displays use it.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct DisplaySettings {
    pub(super) device_name: DeviceName,
    pub(super) versions: [u16; 2],
    pub(super) size: u16,
    pub(super) driver_extra: u16,
    pub(super) fields: u32,
    pub(super) position: [i32; 2],
    pub(super) orientation: u32,
    pub(super) fixed_output: u32,
    pub(super) printer: [u16; 5],
    pub(super) form_name: [u16; 32],
    pub(super) log_pixels: u16,
    pub(super) bits_per_pixel: u32,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) flags: u32,
    pub(super) frequency: u32,
    pub(super) printer_tail: [u32; 8],
}

const _: () = assert!(size_of::<DisplaySettings>() == 220);

/// `DISPLAY_DEVICEW`.
#[repr(C)]
pub(super) struct DisplayDevice {
    pub(super) size: u32,
    pub(super) name: DeviceName,
    pub(super) string: [u16; 128],
    pub(super) flags: u32,
    pub(super) id: [u16; 128],
    pub(super) key: [u16; 128],
}

/// `MONITORINFOEXW`.
#[repr(C)]
pub(super) struct MonitorInfo {
    pub(super) size: u32,
    pub(super) monitor: RECT,
    pub(super) work: RECT,
    pub(super) flags: u32,
    pub(super) device: DeviceName,
}

/// `ICONINFO`.
#[repr(C)]
pub(super) struct IconInfo {
    pub(super) is_icon: BOOL,
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) mask: usize,
    pub(super) color: usize,
}

/// `BITMAPINFO` with the masks that `BI_BITFIELDS` needs.
#[repr(C)]
pub(super) struct BitmapInfo {
    pub(super) size: u32,
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) planes: u16,
    pub(super) depth: u16,
    pub(super) compression: u32,
    pub(super) rest: [u32; 5],
    pub(super) masks: [u32; 3],
}

/// `MONITORENUMPROC`.
pub(super) type MonitorProcedure = unsafe extern "system" fn(HMONITOR, HDC, *mut RECT, isize) -> BOOL;

#[cfg_attr(
    target_pointer_width = "32",
    allow(clashing_extern_declarations, reason = "one function has two names there, and is what both say")
)]
#[link(name = "user32")]
unsafe extern "system" {
    pub(super) fn EnumDisplayDevicesW(of: *const u16, index: u32, device: *mut DisplayDevice, flags: u32) -> BOOL;
    pub(super) fn EnumDisplaySettingsW(device: *const u16, mode: u32, settings: *mut DisplaySettings) -> BOOL;
    pub(super) fn ChangeDisplaySettingsExW(
        device: *const u16,
        settings: *const DisplaySettings,
        window: HWND,
        flags: u32,
        parameter: *const c_void,
    ) -> i32;
    pub(super) fn EnumDisplayMonitors(context: HDC, clip: *const RECT, each: MonitorProcedure, data: isize) -> BOOL;
    pub(super) fn GetMonitorInfoW(monitor: HMONITOR, info: *mut MonitorInfo) -> BOOL;

    pub(super) fn GetClientRect(window: HWND, rect: *mut RECT) -> BOOL;
    pub(super) fn ClientToScreen(window: HWND, point: *mut POINT) -> BOOL;
    pub(super) fn GetDC(window: HWND) -> HDC;
    pub(super) fn ReleaseDC(window: HWND, context: HDC) -> i32;
    pub(super) fn IsWindow(window: HWND) -> BOOL;
    pub(super) fn IsWindowUnicode(window: HWND) -> BOOL;
    pub(super) fn IsWindowVisible(window: HWND) -> BOOL;
    pub(super) fn MoveWindow(window: HWND, x: i32, y: i32, width: i32, height: i32, repaint: BOOL) -> BOOL;
    pub(super) fn SetWindowPos(window: HWND, after: isize, x: i32, y: i32, width: i32, height: i32, flags: u32)
    -> BOOL;
    pub(super) fn ShowWindow(window: HWND, command: i32) -> BOOL;
    pub(super) fn GetPropA(window: HWND, name: *const c_char) -> isize;

    pub(super) fn CallWindowProcA(procedure: isize, window: HWND, message: u32, w: usize, l: isize) -> isize;
    pub(super) fn CallWindowProcW(procedure: isize, window: HWND, message: u32, w: usize, l: isize) -> isize;
    pub(super) fn DefWindowProcA(window: HWND, message: u32, w: usize, l: isize) -> isize;
    pub(super) fn DefWindowProcW(window: HWND, message: u32, w: usize, l: isize) -> isize;

    #[cfg_attr(target_pointer_width = "32", link_name = "GetWindowLongA")]
    pub(super) fn GetWindowLongPtrA(window: HWND, index: i32) -> isize;
    #[cfg_attr(target_pointer_width = "32", link_name = "GetWindowLongW")]
    pub(super) fn GetWindowLongPtrW(window: HWND, index: i32) -> isize;
    #[cfg_attr(target_pointer_width = "32", link_name = "SetWindowLongA")]
    pub(super) fn SetWindowLongPtrA(window: HWND, index: i32, value: isize) -> isize;
    #[cfg_attr(target_pointer_width = "32", link_name = "SetWindowLongW")]
    pub(super) fn SetWindowLongPtrW(window: HWND, index: i32, value: isize) -> isize;
    pub(super) fn GetWindowLongW(window: HWND, index: i32) -> i32;
    pub(super) fn SetWindowLongW(window: HWND, index: i32, value: i32) -> i32;

    pub(super) fn GetMenu(window: HWND) -> isize;
    pub(super) fn MessageBoxW(owner: HWND, text: *const u16, title: *const u16, kind: u32) -> i32;

    pub(super) fn GetAsyncKeyState(key: i32) -> i16;
    pub(super) fn GetForegroundWindow() -> HWND;
    pub(super) fn GetWindowThreadProcessId(window: HWND, process: *mut u32) -> u32;

    pub(super) fn GetCursorPos(point: *mut POINT) -> BOOL;
    pub(super) fn SetCursorPos(x: i32, y: i32) -> BOOL;
    pub(super) fn SetCursor(cursor: usize) -> usize;
    pub(super) fn CreateIconIndirect(info: *const IconInfo) -> usize;
    pub(super) fn DestroyCursor(cursor: usize) -> BOOL;

    pub(super) fn SystemParametersInfoW(action: u32, number: u32, value: *mut c_void, flags: u32) -> BOOL;
}

#[link(name = "gdi32")]
unsafe extern "system" {
    pub(super) fn BitBlt(
        to: HDC,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        from: HDC,
        from_x: i32,
        from_y: i32,
        operation: u32,
    ) -> BOOL;
    pub(super) fn StretchDIBits(
        to: HDC,
        x: i32,
        y: i32,
        width: i32,
        height: i32,
        from_x: i32,
        from_y: i32,
        from_width: i32,
        from_height: i32,
        bits: *const c_void,
        info: *const BitmapInfo,
        usage: u32,
        operation: u32,
    ) -> i32;
    pub(super) fn SetStretchBltMode(context: HDC, mode: i32) -> i32;
    pub(super) fn CreateBitmap(width: i32, height: i32, planes: u32, depth: u32, bits: *const c_void) -> usize;
    pub(super) fn CreateCompatibleDC(like: HDC) -> HDC;
    pub(super) fn CreateDIBSection(
        context: HDC,
        info: *const BitmapInfo,
        usage: u32,
        bits: *mut *mut u8,
        section: usize,
        offset: u32,
    ) -> usize;
    pub(super) fn SelectObject(context: HDC, object: usize) -> usize;
    pub(super) fn DeleteObject(object: usize) -> BOOL;
    pub(super) fn DeleteDC(context: HDC) -> BOOL;
    pub(super) fn GdiFlush() -> BOOL;
}

#[link(name = "kernel32")]
unsafe extern "system" {
    pub(super) fn QueryPerformanceCounter(ticks: *mut i64) -> BOOL;
    pub(super) fn QueryPerformanceFrequency(frequency: *mut i64) -> BOOL;
    pub(super) fn GetModuleHandleExW(flags: u32, name: *const u16, module: *mut isize) -> BOOL;
    pub(super) fn GetModuleFileNameW(module: isize, name: *mut u16, size: u32) -> u32;
    #[cfg(feature = "in-process")]
    pub(super) fn GetModuleHandleW(name: *const u16) -> isize;
}
