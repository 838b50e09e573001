//! A program's windows: their size, and how they become full-screen ones and what they were before.

use afterimage_d3d9_types::{HWND, POINT, RECT};

use super::super::{Area, Mode};
use super::sys::*;

const GWL_STYLE: i32 = -16;
const GWL_EXSTYLE: i32 = -20;
const WS_VISIBLE: i32 = 0x1000_0000;
const WS_POPUP: i32 = i32::MIN;
const WS_SYSMENU: i32 = 0x8_0000;
const WS_CAPTION: i32 = 0xc0_0000;
const WS_THICKFRAME: i32 = 0x4_0000;
const WS_EX_TOPMOST: i32 = 8;
const WS_EX_WINDOWEDGE: i32 = 0x100;
const WS_EX_CLIENTEDGE: i32 = 0x200;
const SWP_NOSIZE: u32 = 1;
const SWP_NOMOVE: u32 = 2;
const SWP_NOZORDER: u32 = 4;
const SWP_NOACTIVATE: u32 = 0x10;
const SWP_FRAMECHANGED: u32 = 0x20;
const SWP_SHOWWINDOW: u32 = 0x40;
const SWP_HIDEWINDOW: u32 = 0x80;
const HWND_TOP: isize = 0;
const HWND_NOTOPMOST: isize = -2;
const HWND_TOPMOST: isize = -1;
const SW_SHOW: i32 = 5;
const SW_MINIMIZE: i32 = 6;

/// The client area of a window in pixels; `None` for what is no window.
pub(crate) fn client_size(window: HWND) -> Option<(u32, u32)> {
    let mut rect = RECT::default();
    // SAFETY: the system checks the handle.
    let good = unsafe { GetClientRect(window, &mut rect) } != 0;
    good.then_some((rect.right.max(0) as u32, rect.bottom.max(0) as u32))
}

/// Where the client area of a window is on the desktop; `None` for what is no window.
pub(crate) fn client_origin(window: HWND) -> Option<POINT> {
    let mut origin = POINT::default();
    // SAFETY: the system checks the handle.
    (unsafe { ClientToScreen(window, &mut origin) } != 0).then_some(origin)
}

/// The X11 window that Wine's driver has put behind a top-level window. `None` for any other window, on Windows, and under
/// Wine's other drivers.
pub(crate) fn x11_window(window: HWND) -> Option<u32> {
    // SAFETY: the system checks the handle; the name is a string.
    let id = unsafe { GetPropA(window, c"__wine_x11_whole_window".as_ptr()) };
    u32::try_from(id).ok().filter(|&id| id != 0)
}

/// Makes a window the active one, and shows no screen saver from here on until the answer is dropped.
pub(crate) fn activate(window: HWND) -> Awake {
    // SAFETY: the system checks the handle.
    unsafe { SetWindowPos(window, 0, 0, 0, 0, 0, SWP_NOSIZE | SWP_NOMOVE) };
    Awake::new()
}

/// Keeps the screen saver away.
pub(crate) struct Awake(bool);

impl Awake {
    fn new() -> Self {
        const SPI_GETSCREENSAVEACTIVE: u32 = 0x10;
        let mut active = 0i32;
        // SAFETY: the number has the size that the action asks for.
        unsafe { SystemParametersInfoW(SPI_GETSCREENSAVEACTIVE, 0, (&raw mut active).cast(), 0) };
        if active != 0 {
            Self::set(false);
        }
        Self(active != 0)
    }

    fn set(active: bool) {
        const SPI_SETSCREENSAVEACTIVE: u32 = 0x11;
        // SAFETY: this action has no value.
        unsafe { SystemParametersInfoW(SPI_SETSCREENSAVEACTIVE, active.into(), core::ptr::null_mut(), 0) };
    }
}

impl Drop for Awake {
    fn drop(&mut self) {
        if self.0 {
            Self::set(true);
        }
    }
}

/// What a window was before it became a full-screen one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Before {
    style: i32,
    extended: i32,
}

impl Before {
    /// The styles while full-screen: no frame, which would stand around the picture.
    fn full_screen(self) -> Self {
        Self {
            style: self.style & !(WS_CAPTION | WS_THICKFRAME) | WS_POPUP | WS_SYSMENU,
            extended: self.extended & !(WS_EX_WINDOWEDGE | WS_EX_CLIENTEDGE),
        }
    }

    fn now(window: HWND) -> Self {
        // SAFETY: the system checks the handle.
        unsafe { Self { style: GetWindowLongW(window, GWL_STYLE), extended: GetWindowLongW(window, GWL_EXSTYLE) } }
    }

    fn apply(self, window: HWND) {
        // SAFETY: the system checks the handle.
        unsafe {
            SetWindowLongW(window, GWL_STYLE, self.style);
            SetWindowLongW(window, GWL_EXSTYLE, self.extended);
        }
    }

    /// Gives a window its frame back, where the program has left the styles alone since. It stays as large as it is. Whether it
    /// is shown and above the others becomes what it was too, with `wholly`, and stays as it is without.
    pub(crate) fn restore(self, window: HWND, wholly: bool) {
        let now = Self::now(window);
        let (mut flags, mut after) = (SWP_FRAMECHANGED | SWP_NOMOVE | SWP_NOSIZE | SWP_NOACTIVATE, HWND_TOP);
        if wholly {
            flags |= if self.style & WS_VISIBLE != 0 { SWP_SHOWWINDOW } else { SWP_HIDEWINDOW };
            after = if self.extended & WS_EX_TOPMOST != 0 { HWND_TOPMOST } else { HWND_NOTOPMOST };
        } else {
            flags |= SWP_NOZORDER;
        }
        // Showing the window full-screen has changed these two, not the program.
        let before = Self {
            style: self.style & !WS_VISIBLE | now.style & WS_VISIBLE,
            extended: self.extended & !WS_EX_TOPMOST | now.extended & WS_EX_TOPMOST,
        };
        let full = before.full_screen();
        if (now.style, now.extended) == (full.style, full.extended) {
            before.apply(window);
        }
        // SAFETY: the system checks the handle.
        unsafe { SetWindowPos(window, after, 0, 0, 0, 0, flags) };
    }
}

/// Lays a window over an area, without a frame and above all others. The mode is the output's matter.
pub(crate) fn make_full_screen(window: HWND, area: Area, _mode: Mode) -> Before {
    let before = Before::now(window);
    before.full_screen().apply(window);
    let flags = SWP_FRAMECHANGED | SWP_SHOWWINDOW | SWP_NOACTIVATE;
    // SAFETY: the system checks the handle.
    unsafe { SetWindowPos(window, HWND_TOPMOST, area.x, area.y, area.width, area.height, flags) };
    before
}

/// Gives a full-screen window another size, and shows it.
pub(crate) fn resize_full_screen(window: HWND, area: Area, _mode: Mode) {
    // SAFETY: the system checks the handle.
    unsafe {
        MoveWindow(window, area.x, area.y, area.width, area.height, 1);
        ShowWindow(window, SW_SHOW);
    }
}

/// Gives a full-screen window its size again without showing it.
pub(crate) fn refit(window: HWND, area: Area) {
    let flags = SWP_NOACTIVATE | SWP_NOZORDER;
    // SAFETY: the system checks the handle.
    unsafe { SetWindowPos(window, 0, area.x, area.y, area.width, area.height, flags) };
}

/// Minimises a window that is shown.
pub(crate) fn minimize(window: HWND) {
    // SAFETY: the system checks the handle.
    unsafe {
        if IsWindowVisible(window) != 0 {
            ShowWindow(window, SW_MINIMIZE);
        }
    }
}
