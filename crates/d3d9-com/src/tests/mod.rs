//! The objects as a program sees them: through their vtables, with raw pointers.

mod callbacks;
mod calls;
#[cfg(target_os = "linux")]
mod crash;
#[cfg(feature = "in-process")]
mod depth_resolve;
#[cfg(feature = "in-process")]
mod fixed_function;
mod lifetimes;
mod markers;
mod names;
#[cfg(feature = "in-process")]
mod patches;
#[cfg(feature = "in-process")]
mod pixels;
#[cfg(feature = "in-process")]
mod processed;
mod receiver;
mod resources;
mod screens;
#[cfg(feature = "in-process")]
mod sharing;
mod state;
mod threads;
mod vertices;

use core::ffi::c_void;

use afterimage_d3d9_types::*;

use crate::abi::*;

/// Calls a method of an interface or of one that it extends: `call!(texture, GetLevelCount())`, `call!(device, base.EndScene())`.
macro_rules! call {
    ($object:expr, $method:ident $(. $of_base:ident)* ($($argument:expr),* $(,)?)) => {{
        let object = $object;
        assert!(!object.is_null());
        // SAFETY: an object of this library, which the test has a reference to.
        unsafe { ((*(*object).vtable).$method $(.$of_base)*)(object.cast() $(, $argument)*) }
    }};
}
pub(super) use call;

fn input<T>(value: &T) -> In<T> {
    // SAFETY: good for one value.
    unsafe { In::new(value) }
}

fn no_input<T>() -> In<T> {
    // SAFETY: null.
    unsafe { In::new(core::ptr::null()) }
}

fn array<T>(values: &[T]) -> In<T> {
    // SAFETY: good for as many values as the slice has.
    unsafe { In::new(values.as_ptr()) }
}

fn output<T>(value: &mut T) -> Out<T> {
    // SAFETY: good for one value.
    unsafe { Out::new(value) }
}

fn no_output<T>() -> Out<T> {
    // SAFETY: null.
    unsafe { Out::new(core::ptr::null_mut()) }
}

fn returned<T>(object: &mut *mut T) -> OutObject<T> {
    // SAFETY: good for one pointer.
    unsafe { OutObject::new(object) }
}

fn not_returned<T>() -> OutObject<T> {
    // SAFETY: null.
    unsafe { OutObject::new(core::ptr::null_mut()) }
}

fn object<T>(object: *mut T) -> Object<T> {
    // SAFETY: null, or an object that the test has a reference to.
    unsafe { Object::new(object) }
}

/// What an uninitialised pointer looks like, to see whether it is written.
fn junk<T>() -> *mut T {
    core::ptr::without_provenance_mut(0x10)
}

fn direct3d(extended: bool) -> *mut IDirect3D9Ex {
    crate::direct3d::create(D3D_SDK_VERSION, extended, receiver::open).expect("the receiver is always there")
}

fn parameters() -> D3DPRESENT_PARAMETERS {
    D3DPRESENT_PARAMETERS {
        BackBufferWidth: 64,
        BackBufferHeight: 48,
        BackBufferFormat: D3DFMT_X8R8G8B8,
        BackBufferCount: 1,
        SwapEffect: D3DSWAPEFFECT_DISCARD,
        Windowed: TRUE,
        EnableAutoDepthStencil: TRUE,
        AutoDepthStencilFormat: D3DFMT_D24S8,
        ..Default::default()
    }
}

/// A device without a window that draws nothing. It is released with [`finish`].
fn device(extended: bool, behavior: u32) -> *mut IDirect3DDevice9Ex {
    device_of(direct3d(extended), behavior)
}

/// A device without a window, which has the only reference to what made it.
fn device_of(d3d: *mut IDirect3D9Ex, behavior: u32) -> *mut IDirect3DDevice9Ex {
    let mut wanted = parameters();
    let mut device = junk();
    let result = call!(
        d3d,
        base.CreateDevice(
            D3DADAPTER_DEFAULT,
            D3DDEVTYPE_HAL,
            0,
            D3DCREATE_HARDWARE_VERTEXPROCESSING | behavior,
            output(&mut wanted),
            returned(&mut device),
        )
    );
    assert_eq!(result, D3D_OK);
    assert_eq!(call!(d3d, base.base.Release()), 1, "the device has a reference to what made it");
    device.cast()
}

/// The last reference of a device goes, and the receiver found nothing wrong.
fn finish(device: *mut IDirect3DDevice9Ex) {
    assert_eq!(call!(device, base.base.Release()), 0, "somebody still has a reference to the device");
    assert_eq!(receiver::rejected(), 0);
}

/// `AddRef` and `Release`: the count.
fn count<T>(object: *mut T) -> u32 {
    let object: *mut IUnknown = object.cast();
    call!(object, AddRef());
    call!(object, Release())
}

fn release<T>(object: *mut T) -> u32 {
    let object: *mut IUnknown = object.cast();
    call!(object, Release())
}

fn query(object: *mut c_void, iid: &GUID) -> (HRESULT, *mut c_void) {
    let object: *mut IUnknown = object.cast();
    let mut found = junk();
    let result = call!(object, QueryInterface(input(iid), returned(&mut found)));
    (result, found)
}

fn texture(device: *mut IDirect3DDevice9Ex, levels: u32) -> *mut IDirect3DTexture9 {
    let mut texture = junk();
    let (format, pool) = (D3DFMT_A8R8G8B8, D3DPOOL_MANAGED);
    let result =
        call!(device, base.CreateTexture(16, 16, levels, 0, format, pool, returned(&mut texture), no_output()));
    assert_eq!(result, D3D_OK);
    texture
}
