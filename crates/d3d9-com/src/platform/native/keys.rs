//! Keys, as SDL tells of them: it hears of keys while a window of the program has the focus.
//!
//! SDL's state of the keyboard has forgotten a key that went down and up between two looks. So every event is looked at when it comes,
//! whoever takes it from the queue then.

use core::ffi::{c_int, c_void};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::super::Keys;
use super::sdl;

/// `SDL_EVENT_KEY_DOWN`, in SDL 2 `SDL_KEYDOWN`.
const KEY_DOWN: u32 = 0x300;
/// Scan codes.
const F10: u32 = 67;
const F12: u32 = 69;
/// Modifiers: the left Shift and the right one.
const SHIFT: u16 = 3;

/// `SDL_KeyboardEvent` of SDL 2, as far as it is looked at.
#[repr(C)]
struct Event2 {
    kind: u32,
    time: u32,
    window: u32,
    pressed: u8,
    repeat: u8,
    pad: [u8; 2],
    scan_code: u32,
    key: u32,
    modifiers: u16,
}

/// The same of SDL 3.
#[repr(C)]
struct Event3 {
    kind: u32,
    reserved: u32,
    time: u64,
    window: u32,
    keyboard: u32,
    scan_code: u32,
    key: u32,
    modifiers: u16,
    raw: u16,
    pressed: u8,
    repeat: u8,
}

/// `SDL_EventFilter`. SDL 3's answers a truth value; of one that watches nobody reads it.
type Watch = unsafe extern "C" fn(*mut c_void, *const c_void) -> c_int;

/// Pressed, and not told of yet.
static CAPTURE: AtomicBool = AtomicBool::new(false);
static PICTURE: AtomicBool = AtomicBool::new(false);
static OVERLAY: AtomicBool = AtomicBool::new(false);

/// What was pressed since the last call.
pub(crate) fn pressed_keys() -> Keys {
    static WATCH: Once = Once::new();
    // Not before the first frame: SDL is there by then, if it ever is.
    WATCH.call_once(watch);
    // A frame costs no more than three loads.
    let taken = |key: &AtomicBool| key.load(Ordering::Relaxed) && key.swap(false, Ordering::Relaxed);
    Keys { capture: taken(&CAPTURE), picture: taken(&PICTURE), overlay: taken(&OVERLAY) }
}

fn watch() {
    /// The same in SDL 2 and 3, but for what SDL 3 answers.
    type AddEventWatch = unsafe extern "C" fn(Watch, *mut c_void);
    // SAFETY: SDL's functions of this name have this type.
    let Some(add) = (unsafe { sdl::function::<AddEventWatch>(c"SDL_AddEventWatch") }) else { return };
    let watch: Watch = if sdl::is_version_3() { event_3 } else { event_2 };
    if !stay() {
        return tracing::info!("F10 and F12 are not heeded: this library might be unloaded");
    }
    // SAFETY: the function stays where it is, and knows what its SDL's events are.
    unsafe { add(watch, core::ptr::null_mut()) };
}

/// Keeps this library in the process to its end: SDL calls it, and does not say when it no longer does.
fn stay() -> bool {
    let here = stay as *const c_void;
    // SAFETY: an address of this library, and good for an answer; asks for a library that is loaded already, under its own name.
    unsafe {
        let mut about: libc::Dl_info = core::mem::zeroed();
        libc::dladdr(here, &mut about) != 0
            && !libc::dlopen(about.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE).is_null()
    }
}

unsafe extern "C" fn event_2(_: *mut c_void, event: *const c_void) -> c_int {
    // SAFETY: events begin with their kind, and those of keys are such.
    unsafe {
        if *event.cast::<u32>() == KEY_DOWN {
            let event = &*event.cast::<Event2>();
            note(event.scan_code, event.modifiers, event.repeat);
        }
    }
    1
}

unsafe extern "C" fn event_3(_: *mut c_void, event: *const c_void) -> c_int {
    // SAFETY: as above.
    unsafe {
        if *event.cast::<u32>() == KEY_DOWN {
            let event = &*event.cast::<Event3>();
            note(event.scan_code, event.modifiers, event.repeat);
        }
    }
    1
}

fn note(scan_code: u32, modifiers: u16, repeat: u8) {
    match scan_code {
        _ if repeat != 0 => {}
        F10 => CAPTURE.store(true, Ordering::Relaxed),
        F12 if modifiers & SHIFT != 0 => OVERLAY.store(true, Ordering::Relaxed),
        F12 => PICTURE.store(true, Ordering::Relaxed),
        _ => {}
    }
}
