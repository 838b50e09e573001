//! X11 windows of other processes, which are drawn into: programs' own, and those that the viewer opens.

use afterimage_stream::packets::PresentTarget;
use afterimage_vulkan::{Instance, ash::vk};
use afterimage_window::Handles;
use std::num::NonZeroU32;
use std::time::Duration;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{ConnectionExt, WindowClass};
use x11rb::xcb_ffi::XCBConnection;

/// How often a window that has another size than its program said is looked at again: the program may just be resizing it.
const LOOKS: u32 = 15;
/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A connection to the X server for the windows of programs. XCB's, because Xlib ends the process when a request fails, and
/// a window may be closed by its program at any time.
#[derive(Clone, Copy)]
pub(super) struct Display {
    connection: &'static XCBConnection,
    screen: i32,
}

impl Display {
    /// Connects. `None`, with a message, where that fails: every program is then shown in a window of ours.
    pub(super) fn open() -> Option<Self> {
        let connected = x11rb::xcb_ffi::load_libxcb()
            .map_err(|error| error.to_string())
            .and_then(|()| XCBConnection::connect(None).map_err(|error| error.to_string()));
        let (connection, screen) = match connected {
            Ok(connected) => connected,
            Err(error) => {
                tracing::warn!("programs are not drawn into their own windows: connecting to the X server: {error}");
                return None;
            }
        };
        // For the life of the process: no scope of ours is sure to outlast the last surface.
        let connection: &'static XCBConnection = Box::leak(Box::new(connection));
        // Failed requests of Vulkan's drivers wait in the connection until somebody takes them out.
        let reader = std::thread::Builder::new().name("x11".into()).spawn(move || {
            while let Ok(event) = connection.wait_for_event() {
                tracing::debug!("X11: {event:?}");
            }
        });
        if let Err(error) = reader {
            tracing::warn!("programs are not drawn into their own windows: starting a thread: {error}");
            return None;
        }
        Some(Self { connection, screen: screen as i32 })
    }

    /// The surface of a target's X11 window.
    ///
    /// # Errors
    /// The window is not on this display, is no window to draw into, or shows more than the program's picture; or Vulkan
    /// refuses it.
    pub(super) fn surface_of_program(
        self,
        target: &PresentTarget,
        instance: &Instance,
    ) -> Result<vk::SurfaceKHR, String> {
        let window = u32::try_from(target.window).map_err(|_| format!("{:#x} is no X11 window", target.window))?;
        self.check(window, (target.width, target.height))?;
        self.surface(window, instance)
    }

    /// The surface of an X11 window.
    ///
    /// # Errors
    /// Vulkan refuses it.
    pub(super) fn surface(self, window: u32, instance: &Instance) -> Result<vk::SurfaceKHR, String> {
        let window = NonZeroU32::new(window).ok_or("0 is no X11 window")?;
        Handles::of_program(self.connection, self.screen, window).surface(instance)
    }

    /// Whether a window is one that the picture fills. A frame or a menu that Wine has drawn itself lies in the same X11
    /// window, and would be drawn over.
    fn check(self, window: u32, wanted: (u32, u32)) -> Result<(), String> {
        let missing = || format!("X11 window {window:#x} is not on this display");
        let attributes = self.connection.get_window_attributes(window).map_err(|_| missing())?;
        let attributes = attributes.reply().map_err(|_| missing())?;
        if attributes.class != WindowClass::INPUT_OUTPUT {
            return Err(format!("X11 window {window:#x} takes input only"));
        }
        let mut size = (0, 0);
        for look in 0..LOOKS {
            if look > 0 {
                std::thread::sleep(PAUSE);
            }
            let geometry = self.connection.get_geometry(window).map_err(|_| missing())?;
            let geometry = geometry.reply().map_err(|_| missing())?;
            size = (u32::from(geometry.width), u32::from(geometry.height));
            if size == wanted {
                return Ok(());
            }
        }
        let ((width, height), (w, h)) = (size, wanted);
        Err(format!("X11 window {window:#x} is of {width} x {height} pixels, and the program's picture of {w} x {h}"))
    }
}
