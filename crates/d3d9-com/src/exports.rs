//! The export table of `d3d9.dll`; `libd3d9.so` has the same one.
//!
//! On 32-bit Windows these are stdcall functions whose exported names carry no decoration, which `build.rs` sees to.

use afterimage_d3d9_types::{BOOL, D3D_OK, D3DCOLOR, D3DERR_INVALIDCALL, FALSE, HRESULT};
use afterimage_stream::packets::Marker;

use crate::abi::macros::guard;
use crate::abi::{IDirect3D9, IDirect3D9Ex, In, OutObject};
use crate::{captures, direct3d, markers, renderer};

/// Makes the object that enumerates adapters and creates devices. Null where the SDK version is none of Direct3D 9's.
#[unsafe(no_mangle)]
pub extern "system" fn Direct3DCreate9(SDKVersion: u32) -> *mut IDirect3D9 {
    guard("Direct3DCreate9", core::ptr::null_mut(), || {
        direct3d::create(SDKVersion, false, renderer::open).map_or(core::ptr::null_mut(), <*mut _>::cast)
    })
}

/// Makes the extended object.
///
/// # Safety
/// `ppD3D` is null or good for a pointer.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn Direct3DCreate9Ex(SDKVersion: u32, ppD3D: *mut *mut IDirect3D9Ex) -> HRESULT {
    // SAFETY: the caller's promise.
    let out = unsafe { OutObject::new(ppD3D) };
    guard("Direct3DCreate9Ex", D3DERR_INVALIDCALL, || match direct3d::create(SDKVersion, true, renderer::open) {
        _ if out.is_null() => D3DERR_INVALIDCALL,
        Ok(object) => {
            out.write(object);
            D3D_OK
        }
        Err(failure) => {
            out.write(core::ptr::null_mut());
            failure
        }
    })
}

/// Begins an event; returns its level, from 0.
///
/// # Safety
/// `wszName` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3DPERF_BeginEvent(col: D3DCOLOR, wszName: *const u16) -> i32 {
    // SAFETY: the caller's promise.
    let name = unsafe { In::new(wszName) };
    guard("D3DPERF_BeginEvent", 0, || markers::begin(col, name))
}

/// Ends an event; returns its level, or a negative number where none has begun.
#[unsafe(no_mangle)]
pub extern "system" fn D3DPERF_EndEvent() -> i32 {
    guard("D3DPERF_EndEvent", -1, markers::end)
}

/// Whether somebody sees events and markers: a capture that was asked for, or a graphics debugger.
#[unsafe(no_mangle)]
pub extern "system" fn D3DPERF_GetStatus() -> u32 {
    markers::are_seen().into()
}

/// Whether the profiler wants the last frame again: no.
#[unsafe(no_mangle)]
pub extern "system" fn D3DPERF_QueryRepeatFrame() -> BOOL {
    FALSE
}

/// Marks a moment.
///
/// # Safety
/// `wszName` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3DPERF_SetMarker(col: D3DCOLOR, wszName: *const u16) {
    // SAFETY: the caller's promise.
    let name = unsafe { In::new(wszName) };
    guard("D3DPERF_SetMarker", (), || markers::put(Marker::MARK, col, name));
}

/// 1 asks that the program is not watched: nobody sees its events and markers then.
#[unsafe(no_mangle)]
pub extern "system" fn D3DPERF_SetOptions(dwOptions: u32) {
    markers::allow(dwOptions & 1 == 0);
}

/// Marks where a region of the program begins.
///
/// # Safety
/// `wszName` is null or a string.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn D3DPERF_SetRegion(col: D3DCOLOR, wszName: *const u16) {
    // SAFETY: the caller's promise.
    let name = unsafe { In::new(wszName) };
    guard("D3DPERF_SetRegion", (), || markers::put(Marker::MARK, col, name));
}

/// Captures the next frames of every device that is rendered in this process to a file, for `afterimage replay`. Not Direct3D's:
/// for those who embed this library. How many devices will be captured; those after the first go to `NAME-2.aftercap` and so
/// on. 0 where the viewer renders, or where the path is none.
///
/// # Safety
/// `path` is null or a string that ends with a zero; it is UTF-8.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn AfterimageCaptureFrames(path: *const core::ffi::c_char, frames: u32) -> u32 {
    guard("AfterimageCaptureFrames", 0, || {
        if path.is_null() || frames == 0 {
            return 0;
        }
        // SAFETY: the caller's promise.
        let path = unsafe { core::ffi::CStr::from_ptr(path) };
        path.to_str().map_or(0, |path| captures::ask(path.as_ref(), frames.into()) as u32)
    })
}

/// Mutes the debug runtime, which this is not.
#[unsafe(no_mangle)]
pub extern "system" fn DebugSetMute() {}

/// Sets the level of the debug runtime, which this is not.
#[unsafe(no_mangle)]
pub extern "system" fn DebugSetLevel(_level: u32) {}

/// Makes a shader validator, with one reference for the program.
#[unsafe(no_mangle)]
pub extern "system" fn Direct3DShaderValidatorCreate9() -> *mut core::ffi::c_void {
    crate::log::start();
    crate::shader_validator::Validator::create().cast()
}

/// Reports an error of a processor-specific pipeline, of which there is none.
#[unsafe(no_mangle)]
pub extern "system" fn PSGPError(_pipeline: *mut core::ffi::c_void, _code: u32, _value: u32) {}

/// Samples a texture for a processor-specific pipeline, of which there is none.
#[unsafe(no_mangle)]
pub extern "system" fn PSGPSampleTexture(
    _pipeline: *mut core::ffi::c_void,
    _stage: u32,
    _coordinates: *const [f32; 4],
    _count: u32,
    _colors: *mut [f32; 4],
) {
}

/// An application-compatibility switch of Windows that has no effect here.
#[unsafe(no_mangle)]
pub extern "system" fn Direct3D9EnableMaximizedWindowedModeShim(_enable: u32) -> i32 {
    0
}
