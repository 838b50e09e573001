//! Libraries that windows need, which are looked up when the first is opened.

use std::fmt;

/// A library that windows need.
#[derive(Clone, Copy)]
pub struct Library {
    /// The file's name.
    pub name: &'static str,
    /// Debian's package that has it.
    pub package: &'static str,
    is_there: fn() -> bool,
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All that winit opens on X11, and what draws into programs' own windows.
const LIBRARIES: &[Library] = &[
    Library { name: "libxcb.so.1", package: "libxcb1", is_there: || x11rb::xcb_ffi::load_libxcb().is_ok() },
    Library { name: "libX11.so.6", package: "libx11-6", is_there: || x11_dl::xlib::Xlib::open().is_ok() },
    Library {
        name: "libX11-xcb.so.1",
        package: "libx11-xcb1",
        is_there: || x11_dl::xlib_xcb::Xlib_xcb::open().is_ok(),
    },
    Library { name: "libXcursor.so.1", package: "libxcursor1", is_there: || x11_dl::xcursor::Xcursor::open().is_ok() },
    Library { name: "libXi.so.6", package: "libxi6", is_there: || x11_dl::xinput2::XInput2::open().is_ok() },
    Library {
        name: "libxkbcommon.so.0",
        package: "libxkbcommon0",
        is_there: || xkbcommon_dl::xkbcommon_option().is_some(),
    },
    Library {
        name: "libxkbcommon-x11.so.0",
        package: "libxkbcommon-x11-0",
        is_there: || xkbcommon_dl::x11::xkbcommon_x11_option().is_some(),
    },
];

/// The libraries that are not there, or cannot be loaded.
#[must_use]
pub fn missing() -> Vec<Library> {
    LIBRARIES.iter().copied().filter(|library| !(library.is_there)()).collect()
}

/// Which libraries are missing, and how to get them; `None` if there are none.
#[must_use]
pub fn advice() -> Option<String> {
    let missing = missing();
    let words =
        |word: fn(&Library) -> &'static str, between| missing.iter().map(word).collect::<Vec<_>>().join(between);
    let verb = if missing.len() == 1 { "is" } else { "are" };
    let (names, packages) = (words(|library| library.name, ", "), words(|library| library.package, " "));
    (!missing.is_empty()).then(|| format!("{names} {verb} missing (apt-get install {packages})"))
}
