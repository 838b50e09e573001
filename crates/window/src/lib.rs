//! Windows that a renderer draws into: a connection to the display, and surfaces of windows that another thread owns. For the viewer
//! and for `afterimage replay --window`. And a display that nobody sees, for programs that have windows where there is none.

#[cfg_attr(target_os = "macos", path = "libraries_macos.rs")]
mod libraries;
#[cfg_attr(target_os = "macos", path = "screen_macos.rs")]
mod screen;
#[cfg_attr(target_os = "macos", path = "surface_macos.rs")]
mod surface;
#[cfg(feature = "xvfb")]
pub mod xvfb;

pub use libraries::{Library, advice, missing};
pub use screen::{Screen, ScreenError};
pub use surface::{Handles, number};
use winit::event_loop::EventLoop;

/// Whether the environment names a display.
#[must_use]
pub fn display_is_named() -> bool {
    // There it is whoever is logged in.
    cfg!(target_os = "macos")
        || ["DISPLAY", "WAYLAND_DISPLAY"]
            .iter()
            .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Connects to the display, if there is one. At most once in a process, on its main thread.
///
/// # Errors
/// There is no display, or a library that windows need is missing; in words.
pub fn events<T: 'static>() -> Result<EventLoop<T>, String> {
    if !display_is_named() {
        return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".into());
    }
    if let Some(advice) = advice() {
        return Err(advice);
    }
    // winit panics where a server lacks an extension.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let built = std::panic::catch_unwind(|| EventLoop::with_user_event().build());
    std::panic::set_hook(hook);
    match built {
        Ok(Ok(events)) => Ok(events),
        Ok(Err(error)) => Err(error.to_string()),
        Err(why) => {
            let text = why.downcast_ref::<String>().map(String::as_str).or_else(|| why.downcast_ref::<&str>().copied());
            Err(text.unwrap_or("connecting to the display ended in a panic").to_owned())
        }
    }
}
