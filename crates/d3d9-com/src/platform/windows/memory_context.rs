//! Device contexts that draw right into the memory of a surface, by the function of gdi32 that is there for Direct3D
//! runtimes (`D3DKMTCreateDCFromMemory`, Windows Vista and later, Wine).

use core::ffi::{c_char, c_void};

use afterimage_d3d9_types::{D3DFORMAT, HDC};

use super::super::CanvasMemory;
use super::sys::{CreateCompatibleDC, DeleteDC};

/// `D3DKMT_CREATEDCFROMMEMORY`.
#[repr(C)]
struct Create {
    memory: *mut u8,
    format: D3DFORMAT,
    width: u32,
    height: u32,
    pitch: u32,
    like: HDC,
    colors: *const c_void,
    context: HDC,
    bitmap: usize,
}

/// `D3DKMT_DESTROYDCFROMMEMORY`.
#[repr(C)]
struct Destroy {
    context: HDC,
    bitmap: usize,
}

#[link(name = "kernel32")]
unsafe extern "system" {
    fn GetModuleHandleA(name: *const c_char) -> isize;
    fn GetProcAddress(module: isize, name: *const c_char) -> Option<unsafe extern "system" fn() -> isize>;
}

/// A function of gdi32's.
fn function(name: &core::ffi::CStr) -> Option<unsafe extern "system" fn() -> isize> {
    // SAFETY: both names are strings, and gdi32 stays loaded, since this library imports it.
    unsafe { GetProcAddress(GetModuleHandleA(c"gdi32.dll".as_ptr()), name.as_ptr()) }
}

/// A device context over memory, with its bitmap.
pub(crate) struct MemoryContext {
    pub(super) context: HDC,
    bitmap: usize,
}

impl MemoryContext {
    /// Makes one; `None` where the system lacks the function or refuses.
    pub(super) fn new(canvas: &CanvasMemory) -> Option<Self> {
        let create = function(c"D3DKMTCreateDCFromMemory")?;
        // SAFETY: gdi32's function of this name has this type.
        let create: unsafe extern "system" fn(*mut Create) -> i32 = unsafe { core::mem::transmute(create) };
        // SAFETY: no context is asked for.
        let like = unsafe { CreateCompatibleDC(0) };
        let mut arguments = Create {
            memory: canvas.bits,
            format: canvas.format,
            width: canvas.width,
            height: canvas.height,
            pitch: u32::try_from(canvas.pitch).ok()?,
            like,
            colors: core::ptr::null(),
            context: 0,
            bitmap: 0,
        };
        // SAFETY: the arguments are complete, and the memory is a surface's, which stays locked as long as the context lives.
        let status = unsafe { create(&mut arguments) };
        // SAFETY: made above; the new context does not depend on it.
        unsafe { DeleteDC(like) };
        (status == 0).then_some(Self { context: arguments.context, bitmap: arguments.bitmap })
    }
}

impl Drop for MemoryContext {
    fn drop(&mut self) {
        let Some(destroy) = function(c"D3DKMTDestroyDCFromMemory") else { return };
        // SAFETY: gdi32's function of this name has this type.
        let destroy: unsafe extern "system" fn(*const Destroy) -> i32 = unsafe { core::mem::transmute(destroy) };
        // SAFETY: both were made in `new`.
        unsafe { destroy(&Destroy { context: self.context, bitmap: self.bitmap }) };
    }
}
