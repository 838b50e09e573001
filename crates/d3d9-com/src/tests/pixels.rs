//! A picture from the first call to the last pixel, drawn by Vulkan in this process.

use super::*;

/// The back buffer's pixels, row by row.
pub(super) fn read_back(device: *mut IDirect3DDevice9Ex) -> Vec<u32> {
    let (mut back, mut copy) = (junk(), junk());
    assert_eq!(call!(device, base.GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, returned(&mut back))), D3D_OK);
    let mut desc = D3DSURFACE_DESC::default();
    assert_eq!(call!(back, GetDesc(output(&mut desc))), D3D_OK);
    let (width, height, pool) = (desc.Width, desc.Height, D3DPOOL_SYSTEMMEM);
    let made = call!(
        device,
        base.CreateOffscreenPlainSurface(width, height, desc.Format, pool, returned(&mut copy), no_output())
    );
    assert_eq!(made, D3D_OK);
    assert_eq!(call!(device, base.GetRenderTargetData(object(back), object(copy))), D3D_OK);
    let mut locked = D3DLOCKED_RECT::default();
    assert_eq!(call!(copy, LockRect(output(&mut locked), no_input(), D3DLOCK_READONLY)), D3D_OK);
    let row = |y: u32| {
        // SAFETY: so many pixels of this row are locked.
        unsafe {
            let start = locked.pBits.cast::<u8>().add(y as usize * locked.Pitch as usize);
            core::slice::from_raw_parts(start.cast::<u32>(), width as usize).to_vec()
        }
    };
    let pixels = (0..height).flat_map(row).collect();
    assert_eq!(call!(copy, UnlockRect()), D3D_OK);
    assert_eq!((release(copy), release(back)), (0, 0));
    pixels
}

#[test]
fn a_triangle_covers_its_pixels() {
    let d3d = match crate::direct3d::create(D3D_SDK_VERSION, false, crate::renderer::in_process) {
        Ok(d3d) => d3d,
        Err(_) => return eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)"),
    };
    let device = device_of(d3d, 0);
    assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0xff00_00ff, 1.0, 0)), D3D_OK);
    let corner = |x: f32, y: f32| [x, y, 0.5, 1.0, f32::from_bits(0xffff_0000)];
    let triangle = [corner(0.0, 0.0), corner(64.0, 0.0), corner(0.0, 48.0)];
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZRHW | D3DFVF_DIFFUSE)), D3D_OK);
    assert_eq!(call!(device, base.SetRenderState(D3DRS_ZENABLE, FALSE as u32)), D3D_OK);
    // SAFETY: good for three vertices of twenty bytes.
    let vertices = unsafe { In::new(triangle.as_ptr().cast()) };
    assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 20)), D3D_OK);
    assert_eq!(call!(device, base.EndScene()), D3D_OK);
    let pixels = read_back(device);
    assert_eq!(pixels.len(), 64 * 48);
    let at = |x: usize, y: usize| pixels[y * 64 + x] & 0x00ff_ffff;
    assert_eq!((at(0, 0), at(60, 1), at(1, 44)), (0xff_0000, 0xff_0000, 0xff_0000), "inside");
    assert_eq!((at(63, 47), at(40, 40), at(63, 2)), (0x00_00ff, 0x00_00ff, 0x00_00ff), "outside");
    assert_eq!(call!(device, base.Present(no_input(), no_input(), 0, no_input())), D3D_OK);
    finish(device);
}

/// Presents a picture of one colour.
fn show(device: *mut IDirect3DDevice9Ex, color: u32, flags: u32) {
    assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, color, 1.0, 0)), D3D_OK);
    let mut chain = junk();
    assert_eq!(call!(device, base.GetSwapChain(0, returned(&mut chain))), D3D_OK);
    assert_eq!(call!(chain, Present(no_input(), no_input(), 0, no_input(), flags)), D3D_OK);
    release(chain);
}

#[test]
fn the_front_buffer_is_what_was_presented_last() {
    let Ok(d3d) = crate::direct3d::create(D3D_SDK_VERSION, false, crate::renderer::in_process) else {
        return eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)");
    };
    let device = device_of(d3d, 0);
    let mut copy = junk();
    let (format, pool) = (D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM);
    let out = returned(&mut copy);
    assert_eq!(call!(device, base.CreateOffscreenPlainSurface(64, 48, format, pool, out, no_output())), D3D_OK);
    let front = || {
        assert_eq!(call!(device, base.GetFrontBufferData(0, object(copy))), D3D_OK);
        let mut locked = D3DLOCKED_RECT::default();
        assert_eq!(call!(copy, LockRect(output(&mut locked), no_input(), D3DLOCK_READONLY)), D3D_OK);
        // SAFETY: the first pixel is locked.
        let pixel = unsafe { locked.pBits.cast::<u32>().read() } & 0x00ff_ffff;
        assert_eq!(call!(copy, UnlockRect()), D3D_OK);
        pixel
    };
    for (samples, count, effect) in [
        (D3DMULTISAMPLE_NONE, 1, D3DSWAPEFFECT_DISCARD),
        (D3DMULTISAMPLE_4_SAMPLES, 1, D3DSWAPEFFECT_DISCARD),
        (D3DMULTISAMPLE_NONE, 2, D3DSWAPEFFECT_FLIP),
    ] {
        let mut wanted = parameters();
        (wanted.MultiSampleType, wanted.BackBufferCount, wanted.SwapEffect) = (samples, count, effect);
        wanted.EnableAutoDepthStencil = FALSE;
        assert_eq!(call!(device, base.Reset(output(&mut wanted))), D3D_OK);
        show(device, 0xffff_0000, 0);
        assert_eq!(front(), 0xff_0000);
        assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0xff00_ff00, 1.0, 0)), D3D_OK);
        assert_eq!(front(), 0xff_0000, "the next picture is not there yet");
        show(device, 0xff00_00ff, 0);
        assert_eq!(front(), 0x00_00ff);
    }
    assert_eq!(release(copy), 0);
    finish(device);
}

#[test]
fn back_buffers_flip_unless_told_not_to() {
    let Ok(d3d) = crate::direct3d::create(D3D_SDK_VERSION, true, crate::renderer::in_process) else {
        return eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)");
    };
    let device = device_of(d3d, 0);
    let mut wanted = D3DPRESENT_PARAMETERS { BackBufferCount: 2, SwapEffect: D3DSWAPEFFECT_FLIP, ..parameters() };
    wanted.EnableAutoDepthStencil = FALSE;
    assert_eq!(call!(device, base.Reset(output(&mut wanted))), D3D_OK);
    show(device, 0xffff_0000, 0);
    show(device, 0xff00_ff00, 0);
    assert_eq!(read_back(device)[0] & 0xff_ffff, 0xff_0000, "the first picture comes round");
    show(device, 0xff00_00ff, D3DPRESENT_DONOTFLIP);
    assert_eq!(read_back(device)[0] & 0xff_ffff, 0x00_00ff, "the same back buffer as before");
    finish(device);
}
