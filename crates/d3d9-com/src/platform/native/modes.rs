//! Monitors and their modes as SDL knows them.

use core::ffi::{CStr, c_char, c_int, c_void};

use afterimage_d3d9_types::HMONITOR;

use super::super::{Area, Current, Mode};
use super::sdl;

/// SDL 2's `SDL_DisplayMode`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Mode2 {
    pub(super) format: u32,
    pub(super) w: c_int,
    pub(super) h: c_int,
    pub(super) refresh_rate: c_int,
    pub(super) driver: *mut c_void,
}

/// SDL 3's `SDL_DisplayMode`.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Mode3 {
    display: u32,
    format: u32,
    w: c_int,
    h: c_int,
    density: f32,
    refresh_rate: f32,
    rate: [c_int; 2],
    internal: *mut c_void,
}

/// `SDL_Rect`.
#[repr(C)]
#[derive(Default)]
struct Rect {
    x: c_int,
    y: c_int,
    w: c_int,
    h: c_int,
}

/// A monitor: what Direct3D calls an adapter.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    /// SDL 2's index, SDL 3's id.
    display: u32,
}

fn mode(width: c_int, height: c_int, refresh: c_int) -> Mode {
    let positive = |value: c_int| value.max(0) as u32;
    Mode { width: positive(width), height: positive(height), refresh: if refresh > 1 { positive(refresh) } else { 60 } }
}

impl From<&Mode2> for Mode {
    fn from(from: &Mode2) -> Self {
        mode(from.w, from.h, from.refresh_rate)
    }
}

impl From<&Mode3> for Mode {
    fn from(from: &Mode3) -> Self {
        // SDL 3 counts units of its own; games ask for pixels.
        let pixels = |units: c_int| (units as f32 * from.density.max(1.0)).round() as c_int;
        mode(pixels(from.w), pixels(from.h), from.refresh_rate.round() as c_int)
    }
}

/// Copies what SDL 3 gives as an array that is to be freed.
fn taken<T: Copy>(array: *mut T, count: c_int) -> Vec<T> {
    if array.is_null() {
        return Vec::new();
    }
    // SAFETY: SDL has allocated so many.
    let copied = unsafe { core::slice::from_raw_parts(array, count.max(0) as usize) }.to_vec();
    // SAFETY: SDL's function of this name has this type.
    if let Some(free) = unsafe { sdl::function::<unsafe extern "C" fn(*mut c_void)>(c"SDL_free") } {
        // SAFETY: SDL's memory, which nobody uses any more.
        unsafe { free(array.cast()) };
    }
    copied
}

/// SDL 2's modes of a display.
fn modes_2(display: u32) -> Option<Vec<Mode2>> {
    type Count = unsafe extern "C" fn(c_int) -> c_int;
    type Get = unsafe extern "C" fn(c_int, c_int, *mut Mode2) -> c_int;
    // SAFETY: SDL 2's functions of these names have these types.
    let (count, get) =
        unsafe { (sdl::function::<Count>(c"SDL_GetNumDisplayModes")?, sdl::function::<Get>(c"SDL_GetDisplayMode")?) };
    let display = display as c_int;
    let one = |index| {
        let mut mode = Mode2 { format: 0, w: 0, h: 0, refresh_rate: 0, driver: core::ptr::null_mut() };
        // SAFETY: good for one mode.
        (unsafe { get(display, index, &mut mode) } == 0).then_some(mode)
    };
    // SAFETY: no pointers.
    Some((0..unsafe { count(display) }).map_while(one).collect())
}

/// SDL 3's modes of a display.
fn modes_3(display: u32) -> Option<Vec<*const Mode3>> {
    type Get = unsafe extern "C" fn(u32, *mut c_int) -> *mut *const Mode3;
    // SAFETY: SDL 3's function of this name has this type.
    let get = unsafe { sdl::function::<Get>(c"SDL_GetFullscreenDisplayModes")? };
    let mut count = 0;
    // SAFETY: good for a number.
    Some(taken(unsafe { get(display, &mut count) }, count))
}

/// SDL 2's mode of a display that is nearest to one, for a full-screen window.
pub(super) fn nearest_2(output: &Output, wanted: Mode) -> Option<Mode2> {
    let far = |mode: &Mode2| {
        let mode = Mode::from(mode);
        let apart = |a: u32, b: u32| u64::from(a.abs_diff(b));
        (apart(mode.width, wanted.width) + apart(mode.height, wanted.height), apart(mode.refresh, wanted.refresh))
    };
    modes_2(output.display)?.into_iter().min_by_key(far)
}

/// SDL 3's mode, which lives as long as its display.
pub(super) fn nearest_3(output: &Output, wanted: Mode) -> Option<*const Mode3> {
    let far = |mode: &*const Mode3| {
        // SAFETY: SDL keeps the modes of a display.
        let mode = Mode::from(unsafe { &**mode });
        let apart = |a: u32, b: u32| u64::from(a.abs_diff(b));
        (apart(mode.width, wanted.width) + apart(mode.height, wanted.height), apart(mode.refresh, wanted.refresh))
    };
    modes_3(output.display)?.into_iter().filter(|mode| !mode.is_null()).min_by_key(far)
}

impl Output {
    /// Every one, the primary first. One that is made up where there is no SDL, or no display.
    pub(crate) fn all() -> Vec<Self> {
        let displays = if sdl::is_version_3() {
            type Get = unsafe extern "C" fn(*mut c_int) -> *mut u32;
            // SAFETY: SDL 3's function of this name has this type.
            let get = unsafe { sdl::function::<Get>(c"SDL_GetDisplays") };
            let mut count = 0;
            // SAFETY: good for a number.
            get.map(|get| taken(unsafe { get(&mut count) }, count)).unwrap_or_default()
        } else {
            // SAFETY: SDL 2's function of this name has this type.
            let count = unsafe { sdl::function::<unsafe extern "C" fn() -> c_int>(c"SDL_GetNumVideoDisplays") };
            // SAFETY: no pointers.
            (0..count.map_or(0, |count| unsafe { count() }).max(0) as u32).collect()
        };
        let mut all: Vec<_> = displays.into_iter().map(|display| Self { display }).collect();
        if all.is_empty() {
            all.push(Self { display: 0 });
        }
        all
    }

    /// Its name as programs see it.
    pub(crate) fn name(&self) -> String {
        type Get = unsafe extern "C" fn(u32) -> *const c_char;
        // SAFETY: SDL's functions of this name take a number of 32 bits and return a string or null.
        let name = unsafe { sdl::function::<Get>(c"SDL_GetDisplayName").map(|get| get(self.display)) };
        let name = name.filter(|name| !name.is_null());
        // SAFETY: SDL's string, which lives as long as the display.
        name.map_or_else(|| "display".into(), |name| unsafe { CStr::from_ptr(name) }.to_string_lossy().into_owned())
    }

    /// What it shows now. Without a display, the mode that programs cope with best.
    pub(crate) fn current(&self) -> Current {
        let mode = self.current_mode().filter(|mode| mode.width > 0 && mode.height > 0);
        let mode = mode.unwrap_or(Mode { width: 1920, height: 1080, refresh: 60 });
        Current { mode, depth: 32, turns: 0 }
    }

    fn current_mode(&self) -> Option<Mode> {
        if sdl::is_version_3() {
            type Get = unsafe extern "C" fn(u32) -> *const Mode3;
            // SAFETY: SDL 3's function of this name has this type.
            let get = unsafe { sdl::function::<Get>(c"SDL_GetCurrentDisplayMode")? };
            // SAFETY: SDL keeps what it returns, which may be null.
            unsafe { get(self.display).as_ref() }.map(Mode::from)
        } else {
            type Get = unsafe extern "C" fn(c_int, *mut Mode2) -> c_int;
            // SAFETY: SDL 2's function of this name has this type.
            let get = unsafe { sdl::function::<Get>(c"SDL_GetCurrentDisplayMode")? };
            let mut mode = Mode2 { format: 0, w: 0, h: 0, refresh_rate: 0, driver: core::ptr::null_mut() };
            // SAFETY: good for one mode.
            (unsafe { get(self.display as c_int, &mut mode) } == 0).then(|| Mode::from(&mode))
        }
    }

    /// Every mode, ascending. Pixels of 16 bits are shown with those of 32.
    pub(crate) fn modes(&self, _depth: u32) -> Vec<Mode> {
        let known: Vec<Mode> = if sdl::is_version_3() {
            // SAFETY: SDL keeps the modes of a display.
            let mode = |mode: *const Mode3| unsafe { mode.as_ref() }.map(Mode::from);
            modes_3(self.display).unwrap_or_default().into_iter().filter_map(mode).collect()
        } else {
            modes_2(self.display).unwrap_or_default().iter().map(Mode::from).collect()
        };
        // The sizes that a picture may have: a full-screen window scales it.
        let sizes = [(640, 480), (800, 600), (1024, 768), (1280, 720), (1280, 1024), (1600, 900), (1920, 1080)];
        let now = self.current().mode;
        let scaled = sizes.into_iter().filter(|&(w, h)| w <= now.width && h <= now.height);
        let scaled = scaled.map(|(width, height)| Mode { width, height, refresh: now.refresh });
        let mut modes: Vec<Mode> = known.into_iter().chain(scaled).chain([now]).collect();
        modes.sort();
        modes.dedup();
        modes
    }

    /// The monitor's handle. Never 0, which would mean that there is no such adapter.
    pub(crate) fn monitor(&self) -> HMONITOR {
        self.display as usize + 1
    }

    /// Where it is on the desktop.
    pub(crate) fn area(&self) -> Option<Area> {
        // The answer says whether it worked, in one way or the other; the rectangle says it too.
        type Get = unsafe extern "C" fn(u32, *mut Rect) -> c_int;
        // SAFETY: SDL's functions of this name have this type.
        let get = unsafe { sdl::function::<Get>(c"SDL_GetDisplayBounds")? };
        let mut rect = Rect::default();
        // SAFETY: good for a rectangle.
        unsafe { get(self.display, &mut rect) };
        (rect.w > 0 && rect.h > 0).then_some(Area { x: rect.x, y: rect.y, width: rect.w, height: rect.h })
    }

    /// The mode goes with the window here: [`super::make_full_screen`].
    pub(crate) fn change(&self, _mode: Mode) -> bool {
        true
    }

    /// SDL brings modes back by itself.
    pub(crate) fn restore_all() {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_current_mode_is_among_the_modes() {
        for output in Output::all() {
            let modes = output.modes(32);
            assert!(modes.contains(&output.current().mode) && modes.is_sorted());
            assert_ne!(output.monitor(), 0);
        }
    }
}
