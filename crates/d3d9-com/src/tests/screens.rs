//! Full-screen devices, `Reset`, and what `Present` may be told.

use super::*;

/// Full-screen, in a mode that the test's display has.
fn full_screen() -> D3DPRESENT_PARAMETERS {
    D3DPRESENT_PARAMETERS { BackBufferWidth: 640, BackBufferHeight: 480, Windowed: FALSE, ..parameters() }
}

fn device_with(extended: bool, mut wanted: D3DPRESENT_PARAMETERS) -> Result<*mut IDirect3DDevice9Ex, HRESULT> {
    let d3d = direct3d(extended);
    let mut device = junk();
    let (hal, behavior) = (D3DDEVTYPE_HAL, D3DCREATE_HARDWARE_VERTEXPROCESSING);
    let result = call!(d3d, base.CreateDevice(0, hal, 0, behavior, output(&mut wanted), returned(&mut device)));
    release(d3d);
    assert_eq!(device.is_null(), result != D3D_OK);
    if result == D3D_OK { Ok(device.cast()) } else { Err(result) }
}

fn reset(device: *mut IDirect3DDevice9Ex, mut wanted: D3DPRESENT_PARAMETERS) -> HRESULT {
    call!(device, base.Reset(output(&mut wanted)))
}

fn shown_size(device: *mut IDirect3DDevice9Ex) -> (u32, u32) {
    let mut mode = D3DDISPLAYMODE::default();
    assert_eq!(call!(device, base.GetDisplayMode(0, output(&mut mode))), D3D_OK);
    (mode.Width, mode.Height)
}

#[test]
fn a_full_screen_device_has_a_mode_and_no_other_swap_chains() {
    let odd = D3DPRESENT_PARAMETERS { BackBufferWidth: 641, ..full_screen() };
    assert_eq!(device_with(false, odd), Err(D3DERR_INVALIDCALL), "no display has this mode");
    let none = D3DPRESENT_PARAMETERS { BackBufferWidth: 0, ..full_screen() };
    assert_eq!(device_with(false, none), Err(D3DERR_INVALIDCALL), "only a window has a size of its own");
    let device = device_with(false, full_screen()).unwrap();
    assert_eq!(shown_size(device), (640, 480));
    assert_eq!(call!(device, base.TestCooperativeLevel()), D3D_OK);
    let (mut wanted, mut chain) = (parameters(), junk());
    let made = call!(device, base.CreateAdditionalSwapChain(output(&mut wanted), returned(&mut chain)));
    assert_eq!((made, chain), (D3DERR_INVALIDCALL, core::ptr::null_mut()));
    assert_eq!(reset(device, odd), D3DERR_INVALIDCALL);
    assert_eq!(call!(device, base.TestCooperativeLevel()), D3DERR_DEVICENOTRESET, "a failed reset is to be done again");
    assert_eq!(reset(device, parameters()), D3D_OK);
    assert_ne!(shown_size(device), (640, 480), "the desktop's mode is back");
    assert_eq!(call!(device, base.TestCooperativeLevel()), D3D_OK);
    finish(device);
}

#[test]
fn dialog_boxes_want_a_plain_back_buffer_on_a_full_screen() {
    let ten_bits = D3DPRESENT_PARAMETERS { BackBufferFormat: D3DFMT_A2R10G10B10, ..full_screen() };
    for (wanted, allowed) in [(parameters(), D3D_OK), (full_screen(), D3D_OK), (ten_bits, D3DERR_INVALIDCALL)] {
        let device = device_with(false, wanted).unwrap();
        assert_eq!(call!(device, base.SetDialogBoxMode(TRUE)), allowed);
        assert_eq!(call!(device, base.SetDialogBoxMode(FALSE)), D3D_OK);
        finish(device);
    }
}

#[test]
fn extended_devices_keep_their_state_and_resources_over_a_reset() {
    for extended in [false, true] {
        let device = device_with(extended, parameters()).unwrap();
        assert_eq!(call!(device, base.SetRenderState(D3DRS_CULLMODE, D3DCULL_NONE)), D3D_OK);
        let mut target = junk();
        let (format, samples) = (D3DFMT_A8R8G8B8, D3DMULTISAMPLE_NONE);
        let out = returned(&mut target);
        let made = call!(device, base.CreateRenderTarget(8, 8, format, samples, 0, FALSE, out, no_output()));
        assert_eq!(made, D3D_OK);
        if !extended {
            assert_eq!(reset(device, parameters()), D3DERR_INVALIDCALL, "the program holds a target");
            assert_eq!(release(target), 0);
        }
        assert_eq!(reset(device, parameters()), D3D_OK);
        let mut culling = 0;
        assert_eq!(call!(device, base.GetRenderState(D3DRS_CULLMODE, output(&mut culling))), D3D_OK);
        assert_eq!(culling, if extended { D3DCULL_NONE } else { D3DCULL_CCW });
        if extended {
            let mut mode = D3DDISPLAYMODEEX { Size: size_of::<D3DDISPLAYMODEEX>() as u32, ..Default::default() };
            let mut wanted = parameters();
            let result = call!(device, ResetEx(output(&mut wanted), output(&mut mode)));
            assert_eq!(result, D3DERR_INVALIDCALL, "a window has no mode");
            let mut wanted = full_screen();
            assert_eq!(call!(device, ResetEx(output(&mut wanted), no_output())), D3DERR_INVALIDCALL);
            (mode.Width, mode.Height) = (640, 480);
            assert_eq!(call!(device, ResetEx(output(&mut wanted), output(&mut mode))), D3D_OK);
            let mut shown = D3DDISPLAYMODEEX { Size: mode.Size, ..Default::default() };
            assert_eq!(call!(device, GetDisplayModeEx(0, output(&mut shown), no_output())), D3D_OK);
            assert_eq!((shown.Width, shown.Height), (640, 480));
            shown.Size -= 1;
            assert_eq!(call!(device, GetDisplayModeEx(0, output(&mut shown), no_output())), D3DERR_INVALIDCALL);
            assert_eq!(release(target), 0);
        }
        finish(device);
    }
}

#[test]
fn frame_latency_has_bounds_and_a_default() {
    let device = device(true, 0);
    let latency = || {
        let mut frames = 77;
        assert_eq!(call!(device, GetMaximumFrameLatency(output(&mut frames))), D3D_OK);
        frames
    };
    assert_eq!(latency(), 3);
    assert_eq!(call!(device, SetMaximumFrameLatency(D3DPRESENT_BACK_BUFFERS_MAX_EX + 1)), D3DERR_INVALIDCALL);
    assert_eq!((call!(device, SetMaximumFrameLatency(1)), latency()), (D3D_OK, 1));
    for _ in 0..10 {
        let presented = call!(device, PresentEx(no_input(), no_input(), 0, no_input(), 0));
        assert_eq!(presented, D3D_OK, "it waits for the frame before");
    }
    assert_eq!((call!(device, SetMaximumFrameLatency(0)), latency()), (D3D_OK, 3));
    assert_eq!(call!(device, GetMaximumFrameLatency(no_output())), D3DERR_INVALIDCALL);
    finish(device);
}
