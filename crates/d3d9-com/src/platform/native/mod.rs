//! Native platforms: an `HWND` is an `SDL_Window`.
//!
//! * `sdl`: the SDL that the program has loaded.
//! * `modes`: monitors and display modes.
//! * `window`: full screen, sizes, surfaces for Vulkan.
//! * `keys`: which keys were pressed.
//! * `cursor`: the mouse pointer.

mod cursor;
mod keys;
#[cfg(all(feature = "in-process", target_os = "macos"))]
mod metal;
mod modes;
mod sdl;
#[cfg(feature = "in-process")]
mod vulkan;
mod window;

pub(crate) use cursor::*;
pub(crate) use keys::pressed_keys;
#[cfg(all(feature = "in-process", target_os = "macos"))]
pub(crate) use metal::metal_layer;
pub(crate) use modes::Output;
#[cfg(feature = "in-process")]
pub(crate) use vulkan::*;
pub(crate) use window::*;

use crate::refresh::Ticks;

/// The monotonic clock, in nanoseconds.
#[allow(clippy::useless_conversion, reason = "32-bit platforms have shorter types")]
pub(crate) fn ticks() -> Ticks {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: good for one time.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut time) };
    Ticks { now: i64::from(time.tv_sec) * 1_000_000_000 + i64::from(time.tv_nsec), frequency: 1_000_000_000 }
}

/// The file that this library was loaded from, where there is a choice that the log could tell of.
pub(crate) fn library() -> Option<String> {
    None
}

/// Native programs have standard error, where the log has said it.
pub(crate) fn ask_again(_title: &str, _text: &str) -> bool {
    false
}

/// A device context over a surface's memory, which only Windows has.
pub(crate) struct Canvas;

impl Canvas {
    /// Not there natively.
    pub(crate) fn new(_canvas: &super::CanvasMemory) -> Option<Self> {
        crate::abi::log_once!("IDirect3DSurface9::GetDC: native platforms have no device contexts; it fails");
        None
    }

    /// The handle.
    pub(crate) fn handle(&self) -> afterimage_d3d9_types::HDC {
        0
    }

    /// Ends drawing.
    pub(crate) fn finish(self, _canvas: &super::CanvasMemory) {}
}
