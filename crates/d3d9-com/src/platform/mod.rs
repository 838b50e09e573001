//! What the operating system knows: windows, monitors and display modes.

use afterimage_d3d9 as guest;
use afterimage_d3d9_types::HWND;
use afterimage_stream::packets::WindowKind;

#[cfg(not(windows))]
mod native;
#[cfg(windows)]
mod windows;

#[cfg(not(windows))]
pub(crate) use native::*;
#[cfg(windows)]
pub(crate) use windows::*;

/// A display mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Mode {
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
    /// Hertz.
    pub(crate) refresh: u32,
}

/// Locked memory of a surface that a device context draws to.
#[cfg_attr(not(windows), allow(dead_code, reason = "only Windows has device contexts"))]
pub(crate) struct CanvasMemory {
    /// The first row.
    pub(crate) bits: *mut u8,
    /// Bytes from a row to the next.
    pub(crate) pitch: usize,
    /// Pixels.
    pub(crate) width: u32,
    /// Pixels.
    pub(crate) height: u32,
    /// Bits of a pixel: 16, 24 or 32.
    pub(crate) depth: u16,
    /// Red, green and blue where a pixel has 16 bits.
    pub(crate) masks: [u32; 3],
}

/// A window as the guest wants it. Where its size is not to be had, the size that the program asks for is taken.
pub(crate) fn window(handle: HWND, wanted: (u32, u32)) -> guest::Window {
    let (width, height) = client_size(handle).unwrap_or(wanted);
    let kind = match handle {
        0 => WindowKind::Headless,
        _ if cfg!(windows) => WindowKind::Win32,
        _ => WindowKind::Sdl,
    };
    guest::Window { kind, handle: handle as u64, width, height }
}

/// The program's name, for captures and logs.
pub(crate) fn program_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    path.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned())
}
