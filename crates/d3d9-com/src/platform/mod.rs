//! What the operating system knows: windows, monitors and display modes.

use afterimage_config::{Switch, settings};
use afterimage_d3d9 as guest;
use afterimage_d3d9_types::{D3DFORMAT, HWND};
use afterimage_stream::packets::WindowKind;

use crate::renderer::Place;

#[cfg(not(windows))]
mod native;
#[cfg(any(windows, test))]
mod presses;
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

/// What a monitor shows now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Current {
    /// Size and rate.
    pub(crate) mode: Mode,
    /// Bits of a pixel.
    pub(crate) depth: u32,
    /// Quarter turns, as `DMDO_*` counts them.
    pub(crate) turns: u32,
}

/// A rectangle of the desktop, in pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: i32,
    pub(crate) y: i32,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// Keys that are heeded in the program's windows: which of them were pressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// F10.
    pub(crate) capture: bool,
    /// F12.
    pub(crate) picture: bool,
    /// F12 with Shift.
    pub(crate) overlay: bool,
}

/// Who is told of a hooked window's messages, on the window's thread and before the program's procedure.
#[cfg_attr(not(windows), allow(dead_code, reason = "only Windows has window procedures"))]
pub(crate) trait Listener: Send + Sync {
    /// Whether the program's procedure gets no messages now, but for changes of the display.
    fn filters(&self) -> bool;
    /// The program has become the active one, or another has.
    fn activated(&self, active: bool);
    /// A display mode has changed.
    fn display_changed(&self);
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
    /// What a pixel is.
    pub(crate) format: D3DFORMAT,
    /// Bits of a pixel: 16, 24 or 32.
    pub(crate) depth: u16,
    /// Red, green and blue where a pixel has 16 bits.
    pub(crate) masks: [u32; 3],
}

/// A window as the guest wants it. Where its size is not to be had, the size that the program asks for is taken.
///
/// With option `headless` it is one that nothing is drawn into, and has the same size. The viewer is another process: it is given the X11 window behind the handle, where there is one.
pub(crate) fn window(handle: HWND, wanted: (u32, u32), place: Place) -> guest::Window {
    let (width, height) = client_size(handle).unwrap_or(wanted);
    let x11 = if place == Place::Viewer { x11_window(handle) } else { None };
    let blits = match settings().soft_present {
        Switch::On => true,
        Switch::Off => false,
        // The viewer has nothing else to draw into, or something else is drawn into it besides.
        Switch::Auto => place == Place::Viewer && (x11.is_none() || has_menu(handle)),
    };
    let handle = if settings().headless { 0 } else { handle };
    let (kind, handle) = match (handle, x11) {
        (0, _) => (WindowKind::Headless, 0),
        _ if cfg!(windows) && blits => (WindowKind::Blit, handle as u64),
        (_, Some(window)) => (WindowKind::X11, u64::from(window)),
        _ if cfg!(windows) => (WindowKind::Win32, handle as u64),
        _ => (WindowKind::Sdl, handle as u64),
    };
    guest::Window { kind, handle, width, height }
}

/// Sets the processor's x87 unit to single precision with every exception masked, as Direct3D does on 32-bit Windows unless a
/// program forbids it. Other processors and modes compute floats elsewhere, and keep their state.
pub(crate) fn set_single_precision() {
    #[cfg(all(windows, target_arch = "x86"))]
    {
        let control: u16 = 0x7f;
        // SAFETY: changes the control word alone, which is what programs expect of this call.
        unsafe { core::arch::asm!("fnclex", "fldcw word ptr [{}]", in(reg) &control, options(nostack)) };
    }
}

/// The program's name, for captures and logs.
pub(crate) fn program_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    path.file_name().map_or_else(|| "program".into(), |name| name.to_string_lossy().into_owned())
}
