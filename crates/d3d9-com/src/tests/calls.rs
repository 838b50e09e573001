//! Parameters: nulls, out parameters on failure, methods that are not done yet.

use super::*;

#[test]
fn creation_clears_what_it_does_not_return() {
    let device = device(false, 0);
    let mut block = junk();
    assert_eq!(call!(device, base.EndStateBlock(returned(&mut block))), D3DERR_INVALIDCALL);
    assert_eq!(block, junk(), "only state blocks stay as they are");
    let mut texture = junk();
    let made = |t: OutObject<_>, shared| {
        call!(device, base.CreateTexture(16, 16, 1, 0, D3DFMT_UNKNOWN, D3DPOOL_MANAGED, t, shared))
    };
    assert_eq!(made(returned(&mut texture), no_output()), D3DERR_INVALIDCALL);
    assert!(texture.is_null());
    assert_eq!(made(not_returned(), no_output()), D3DERR_INVALIDCALL);
    let mut shared = 0;
    assert_eq!(made(returned(&mut texture), output(&mut shared)), E_NOTIMPL);
    let mut buffer = junk();
    let result = call!(device, base.CreateVertexBuffer(0, 0, 0, D3DPOOL_DEFAULT, returned(&mut buffer), no_output()));
    assert_eq!(result, D3DERR_INVALIDCALL);
    assert!(buffer.is_null());
    finish(device);
}

#[test]
fn a_device_is_not_made_without_parameters() {
    let d3d = direct3d(false);
    let mut device = junk();
    let (hardware, hal) = (D3DCREATE_HARDWARE_VERTEXPROCESSING, D3DDEVTYPE_HAL);
    let result = call!(d3d, base.CreateDevice(0, hal, 0, hardware, no_output(), returned(&mut device)));
    assert_eq!(result, D3DERR_INVALIDCALL);
    assert!(device.is_null());
    let mut wanted = parameters();
    let result = call!(d3d, base.CreateDevice(1, hal, 0, hardware, output(&mut wanted), returned(&mut device)));
    assert_eq!(result, D3DERR_INVALIDCALL);
    let result = call!(d3d, base.CreateDevice(0, hal, 0, hardware, output(&mut wanted), not_returned()));
    assert_eq!(result, D3DERR_INVALIDCALL);
    assert_eq!(release(d3d), 0);
}

#[test]
fn adapters_are_enumerated() {
    let d3d = direct3d(false);
    assert_eq!(call!(d3d, base.GetAdapterCount()), 1);
    let modes = call!(d3d, base.GetAdapterModeCount(0, D3DFMT_X8R8G8B8));
    assert!(modes > 0);
    assert_eq!(call!(d3d, base.GetAdapterModeCount(0, D3DFMT_DXT1)), 0);
    assert_eq!(call!(d3d, base.GetAdapterModeCount(1, D3DFMT_X8R8G8B8)), 0);
    let mut mode = D3DDISPLAYMODE::default();
    assert_eq!(call!(d3d, base.EnumAdapterModes(0, D3DFMT_X8R8G8B8, modes - 1, output(&mut mode))), D3D_OK);
    assert!(mode.Width >= 640 && mode.Format == D3DFMT_X8R8G8B8);
    assert_eq!(call!(d3d, base.EnumAdapterModes(0, D3DFMT_X8R8G8B8, modes, output(&mut mode))), D3DERR_INVALIDCALL);
    assert_eq!(call!(d3d, base.GetAdapterDisplayMode(0, no_output())), D3DERR_INVALIDCALL);
    let mut caps = D3DCAPS9::default();
    assert_eq!(call!(d3d, base.GetDeviceCaps(0, D3DDEVTYPE_HAL, output(&mut caps))), D3D_OK);
    assert!(caps.MaxTextureWidth > 0 && caps.VertexShaderVersion >= 0xfffe_0200);
    assert_eq!(call!(d3d, base.GetDeviceCaps(1, D3DDEVTYPE_HAL, output(&mut caps))), D3DERR_INVALIDCALL);
    assert_ne!(call!(d3d, base.GetAdapterMonitor(0)), 0);
    assert_eq!(call!(d3d, base.GetAdapterMonitor(1)), 0);
    assert_eq!(release(d3d), 0);
}

#[test]
fn methods_that_are_not_done_fail_as_published() {
    let device = device(true, 0);
    assert_eq!(call!(device, base.DeletePatch(1)), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, SetConvolutionMonoKernel(1, 1, no_output(), no_output())), D3DERR_INVALIDCALL);
    finish(device);
}

#[test]
fn there_is_no_pointer_without_a_picture() {
    let device = device(false, 0);
    assert_eq!((call!(device, base.ShowCursor(TRUE)), call!(device, base.ShowCursor(TRUE))), (FALSE, FALSE));
    let none = core::ptr::null_mut();
    assert_eq!(call!(device, base.SetCursorProperties(0, 0, object(none))), D3DERR_INVALIDCALL);
    finish(device);
}

/// A type that implements nothing: every method is the table's own default.
#[test]
fn the_default_of_a_method_clears_what_it_would_return() {
    struct Nothing;
    impl IUnknownMethods for Nothing {}
    impl IDirect3D9Methods for Nothing {}
    let vtable = IDirect3D9Vtable::of::<Nothing>();
    let nothing = core::ptr::from_ref(&Nothing).cast_mut().cast();
    let mut device = junk();
    // SAFETY: an object without fields needs no memory, and this vtable is its own.
    unsafe {
        let created = (vtable.CreateDevice)(nothing, 0, 0, 0, 0, no_output(), returned(&mut device));
        assert_eq!(created, D3DERR_INVALIDCALL);
        assert!(device.is_null());
        assert_eq!((vtable.GetAdapterCount)(nothing), 0);
        assert_eq!((vtable.base.AddRef)(nothing), 0);
    }
}

#[test]
fn a_panic_stays_inside() {
    struct Panics;
    impl IUnknownMethods for Panics {
        fn AddRef(&self) -> u32 {
            panic!("on purpose");
        }
        fn QueryInterface(&self, _: In<GUID>, _: OutObject<c_void>) -> HRESULT {
            panic!("on purpose");
        }
    }
    let vtable = IUnknownVtable::of::<Panics>();
    let object = core::ptr::from_ref(&Panics).cast_mut().cast();
    // SAFETY: an object without fields needs no memory, and this vtable is its own.
    unsafe {
        assert_eq!((vtable.AddRef)(object), 0);
        assert_eq!((vtable.QueryInterface)(object, no_input(), not_returned()), D3DERR_INVALIDCALL);
    }
}

#[test]
fn queries_answer_into_what_room_there_is() {
    let device = device(false, 0);
    assert_eq!(call!(device, base.CreateQuery(D3DQUERYTYPE_EVENT, not_returned())), D3D_OK);
    assert_eq!(call!(device, base.CreateQuery(999, not_returned())), D3DERR_NOTAVAILABLE);
    let mut query = junk();
    assert_eq!(call!(device, base.CreateQuery(D3DQUERYTYPE_EVENT, returned(&mut query))), D3D_OK);
    assert_eq!((call!(query, GetType()), call!(query, GetDataSize())), (D3DQUERYTYPE_EVENT, 4));
    assert_eq!(call!(query, Issue(D3DISSUE_END)), D3D_OK);
    let mut data = 0u32;
    let get = |size, data: *mut u32| {
        // SAFETY: null, or good for four bytes.
        let data = unsafe { Out::new(data.cast()) };
        call!(query, GetData(data, size, D3DGETDATA_FLUSH))
    };
    while get(4, &mut data) == S_FALSE {
        std::thread::yield_now();
    }
    assert_eq!(data, 1);
    assert_eq!(get(0, core::ptr::null_mut()), S_OK);
    assert_eq!(get(4, core::ptr::null_mut()), D3DERR_INVALIDCALL);
    assert_eq!(release(query), 0);
    finish(device);
}
