//! The SDL that the program has loaded, version 2 or 3. It is not linked: a program that passes a window has it, and its
//! functions are looked up by name.

#[cfg(feature = "in-process")]
use core::ffi::c_char;
use core::ffi::{CStr, c_void};

/// A function of the SDL that the process has loaded, if any.
fn find(name: &CStr) -> Option<*mut c_void> {
    let find = |library: *mut c_void| {
        // SAFETY: looking a name up in a loaded library, or in all of them.
        let address = unsafe { libc::dlsym(library, name.as_ptr()) };
        (!address.is_null()).then_some(address)
    };
    let loaded = |library: &CStr| {
        // SAFETY: asks for a library that is loaded already; loads none.
        let library = unsafe { libc::dlopen(library.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!library.is_null()).then_some(library)
    };
    // A program may have loaded SDL for itself alone (`RTLD_LOCAL`).
    let names = [c"libSDL3.so.0", c"libSDL2-2.0.so.0", c"libSDL3.0.dylib", c"libSDL2-2.0.0.dylib"];
    find(libc::RTLD_DEFAULT).or_else(|| names.into_iter().filter_map(loaded).find_map(find))
}

/// A function of SDL's by its name.
///
/// # Safety
/// `F` is the type that a function of this name has in every version of SDL that has one.
pub(super) unsafe fn function<F: Copy>(name: &CStr) -> Option<F> {
    const { assert!(size_of::<F>() == size_of::<*mut c_void>(), "a function is as large as a pointer") };
    // SAFETY: both are pointers, and the caller vouches for the type.
    find(name).map(|address| unsafe { core::mem::transmute_copy(&address) })
}

/// What SDL says of its last error.
#[cfg(feature = "in-process")]
pub(super) fn error() -> String {
    type GetError = unsafe extern "C" fn() -> *const c_char;
    // SAFETY: SDL's function of this name has this type and returns a string.
    let text = unsafe { function::<GetError>(c"SDL_GetError").map(|get| CStr::from_ptr(get())) };
    text.map_or_else(|| "SDL does not say why".into(), |text| text.to_string_lossy().into_owned())
}

/// Whether SDL 3 is loaded, many of whose functions have other types than SDL 2's. Only it has properties.
pub(super) fn is_version_3() -> bool {
    find(c"SDL_GetWindowProperties").is_some()
}
