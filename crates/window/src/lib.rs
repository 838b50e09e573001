//! Windows that a renderer draws into: a connection to the display, and surfaces of windows that another thread owns. For the viewer
//! and for `afterimage replay --window`.

mod surface;
#[cfg(feature = "xvfb")]
pub mod xvfb;

pub use surface::Handles;
use winit::event_loop::EventLoop;

/// Connects to the display, if there is one. At most once in a process, on its main thread.
///
/// # Errors
/// There is no display, or a library that windows need is missing; in words.
pub fn events<T: 'static>() -> Result<EventLoop<T>, String> {
    if ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty())) {
        return Err("neither DISPLAY nor WAYLAND_DISPLAY is set".into());
    }
    // winit looks its libraries up at run time and panics where one is missing.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let built = std::panic::catch_unwind(|| EventLoop::with_user_event().build());
    std::panic::set_hook(hook);
    match built {
        Ok(Ok(events)) => Ok(events),
        Ok(Err(error)) => Err(error.to_string()),
        Err(_) => Err("a library for windows is missing (libxkbcommon-x11-0, libxcursor1, libxi6)".into()),
    }
}
