//! Images that devices share by handles, drawn by Vulkan in this process.

use super::*;

/// An extended device that is drawn in this process, if it can be.
fn drawn() -> Option<*mut IDirect3DDevice9Ex> {
    match crate::direct3d::create(D3D_SDK_VERSION, true, crate::renderer::in_process) {
        Ok(d3d) => Some(device_of(d3d, 0)),
        Err(_) => {
            eprintln!("skipped: this machine has no Vulkan driver (cargo xtask setup gets one)");
            None
        }
    }
}

/// `CreateTexture` with a handle, of a target unless `usage` says otherwise.
fn texture_of(
    device: *mut IDirect3DDevice9Ex,
    size: u32,
    (usage, format): (u32, D3DFORMAT),
    shared: &mut HANDLE,
) -> (HRESULT, *mut IDirect3DTexture9) {
    let mut texture = junk();
    let (pool, out) = (D3DPOOL_DEFAULT, returned(&mut texture));
    let made = call!(device, base.CreateTexture(size, size, 1, usage, format, pool, out, output(shared)));
    (made, texture)
}

const TARGET: (u32, D3DFORMAT) = (D3DUSAGE_RENDERTARGET, D3DFMT_A8R8G8B8);

fn level(texture: *mut IDirect3DTexture9) -> *mut IDirect3DSurface9 {
    let mut surface = junk();
    assert_eq!(call!(texture, GetSurfaceLevel(0, returned(&mut surface))), D3D_OK);
    surface
}

/// Fills a target and waits until that is done, as programs that share do.
fn fill(device: *mut IDirect3DDevice9Ex, surface: *mut IDirect3DSurface9, color: u32) {
    assert_eq!(call!(device, base.ColorFill(object(surface), no_input(), color)), D3D_OK);
    let mut query = junk();
    assert_eq!(call!(device, base.CreateQuery(D3DQUERYTYPE_EVENT, returned(&mut query))), D3D_OK);
    assert_eq!(call!(query, Issue(D3DISSUE_END)), D3D_OK);
    while call!(query, GetData(no_output(), 0, D3DGETDATA_FLUSH)) == S_FALSE {
        std::thread::yield_now();
    }
    assert_eq!(release(query), 0);
}

/// The first pixel of a target.
fn pixel(device: *mut IDirect3DDevice9Ex, surface: *mut IDirect3DSurface9) -> u32 {
    let (mut desc, mut copy) = (D3DSURFACE_DESC::default(), junk());
    assert_eq!(call!(surface, GetDesc(output(&mut desc))), D3D_OK);
    let (width, height, pool) = (desc.Width, desc.Height, D3DPOOL_SYSTEMMEM);
    let made = call!(
        device,
        base.CreateOffscreenPlainSurface(width, height, desc.Format, pool, returned(&mut copy), no_output())
    );
    assert_eq!(made, D3D_OK);
    assert_eq!(call!(device, base.GetRenderTargetData(object(surface), object(copy))), D3D_OK);
    let mut locked = D3DLOCKED_RECT::default();
    assert_eq!(call!(copy, LockRect(output(&mut locked), no_input(), D3DLOCK_READONLY)), D3D_OK);
    // SAFETY: more than a pixel is locked.
    let pixel = unsafe { locked.pBits.cast::<u32>().read() };
    assert_eq!((call!(copy, UnlockRect()), release(copy)), (D3D_OK, 0));
    pixel
}

#[test]
fn two_devices_draw_to_one_texture() {
    let Some(first) = drawn() else { return };
    let second = drawn().expect("the first was there");
    let mut shared = 0;
    let (made, ours) = texture_of(first, 16, TARGET, &mut shared);
    assert_eq!(made, D3D_OK);
    assert_ne!(shared, 0);
    let surface = level(ours);
    assert_eq!(pixel(first, surface), 0, "new images are zero");
    fill(first, surface, 0xff11_2233);

    let mut named = shared;
    let (made, theirs) = texture_of(second, 16, TARGET, &mut named);
    assert_eq!((made, named), (D3D_OK, shared));
    let opened = level(theirs);
    assert_eq!(pixel(second, opened), 0xff11_2233);
    fill(second, opened, 0xff44_5566);
    assert_eq!(pixel(first, surface), 0xff44_5566);

    // The image outlives the device that made it.
    assert_eq!((release(surface), release(ours)), (1, 0));
    finish(first);
    assert_eq!(pixel(second, opened), 0xff44_5566);
    assert_eq!((release(opened), release(theirs)), (1, 0));
    let (gone, _) = texture_of(second, 16, TARGET, &mut named);
    assert_eq!(gone, D3DERR_INVALIDCALL, "its last holder has let it go");
    finish(second);
}

#[test]
fn a_device_opens_its_own_handle_and_draws_with_both() {
    let Some(device) = drawn() else { return };
    let mut shared = 0;
    let (made, ours) = texture_of(device, 16, TARGET, &mut shared);
    assert_eq!(made, D3D_OK);
    let (made, twin) = texture_of(device, 16, TARGET, &mut shared);
    assert_eq!(made, D3D_OK);
    let (surface, back) = (level(ours), level(twin));
    // Drawn to by one name, and read by the other in the next draw.
    assert_eq!(call!(device, base.SetRenderTarget(0, object(surface))), D3D_OK);
    assert_eq!(call!(device, base.Clear(0, no_input(), D3DCLEAR_TARGET, 0xff0a_0b0c, 1.0, 0)), D3D_OK);
    let (mut target, none) = (junk::<IDirect3DSurface9>(), D3DMULTISAMPLE_NONE);
    let made =
        call!(device, base.CreateRenderTarget(16, 16, TARGET.1, none, 0, FALSE, returned(&mut target), no_output()));
    assert_eq!(made, D3D_OK);
    assert_eq!(call!(device, base.SetRenderTarget(0, object(target))), D3D_OK);
    assert_eq!(call!(device, base.SetDepthStencilSurface(object(core::ptr::null_mut()))), D3D_OK);
    assert_eq!(call!(device, base.SetTexture(0, object(twin.cast()))), D3D_OK);
    assert_eq!(call!(device, base.SetFVF(D3DFVF_XYZRHW | D3DFVF_TEX1)), D3D_OK);
    let corner = |x: f32, y: f32| [x, y, 0.5, 1.0, 0.5, 0.5];
    let triangle = [corner(0.0, 0.0), corner(40.0, 0.0), corner(0.0, 40.0)];
    assert_eq!(call!(device, base.BeginScene()), D3D_OK);
    // SAFETY: good for three vertices of 24 bytes.
    let vertices = unsafe { In::new(triangle.as_ptr().cast()) };
    assert_eq!(call!(device, base.DrawPrimitiveUP(D3DPT_TRIANGLELIST, 1, vertices, 24)), D3D_OK);
    assert_eq!(call!(device, base.EndScene()), D3D_OK);
    assert_eq!(pixel(device, target), 0xff0a_0b0c);
    assert_eq!(pixel(device, back), 0xff0a_0b0c);
    assert_eq!(call!(device, base.SetTexture(0, object(core::ptr::null_mut()))), D3D_OK);
    for object in [surface, back] {
        release(object);
    }
    assert_eq!((release(ours), release(twin), release(target)), (0, 0, 0));
    finish(device);
}

#[test]
fn what_is_written_through_a_lock_is_there_for_others() {
    let Some(first) = drawn() else { return };
    let second = drawn().expect("the first was there");
    let dynamic = (D3DUSAGE_DYNAMIC, D3DFMT_A8R8G8B8);
    let mut shared = 0;
    let (made, ours) = texture_of(first, 4, dynamic, &mut shared);
    assert_eq!(made, D3D_OK);
    let (made, theirs) = texture_of(second, 4, dynamic, &mut shared);
    assert_eq!(made, D3D_OK);
    let lock = |texture: *mut IDirect3DTexture9, flags| {
        let mut locked = D3DLOCKED_RECT::default();
        assert_eq!(call!(texture, LockRect(0, output(&mut locked), no_input(), flags)), D3D_OK);
        locked.pBits.cast::<u32>()
    };
    // SAFETY: more than a pixel is locked.
    unsafe { lock(ours, 0).write(0x0102_0304) };
    assert_eq!(call!(ours, UnlockRect(0)), D3D_OK);
    // The first device is done with it once it has read it again.
    // SAFETY: as above.
    assert_eq!(unsafe { lock(ours, D3DLOCK_READONLY).read() }, 0x0102_0304);
    assert_eq!(call!(ours, UnlockRect(0)), D3D_OK);
    // SAFETY: as above.
    assert_eq!(unsafe { lock(theirs, D3DLOCK_READONLY).read() }, 0x0102_0304);
    assert_eq!(call!(theirs, UnlockRect(0)), D3D_OK);
    assert_eq!((release(ours), release(theirs)), (0, 0));
    finish(first);
    finish(second);
}

#[test]
fn a_handle_names_one_image_and_no_other() {
    let Some(device) = drawn() else { return };
    let mut shared = 0;
    let (made, ours) = texture_of(device, 16, TARGET, &mut shared);
    assert_eq!(made, D3D_OK);
    let open = |size, usage, format, mut handle: HANDLE| {
        let (made, texture) = texture_of(device, size, (usage, format), &mut handle);
        assert_eq!(texture, core::ptr::null_mut());
        made
    };
    let (usage, format) = TARGET;
    assert_eq!(open(8, usage, format, shared), D3DERR_INVALIDCALL, "another size");
    assert_eq!(open(16, usage, D3DFMT_R5G6B5, shared), D3DERR_INVALIDCALL, "another format");
    assert_eq!(open(16, D3DUSAGE_DYNAMIC, D3DFMT_L8, shared), D3DERR_INVALIDCALL, "another format, which is read");
    assert_eq!(open(16, usage, format, shared ^ 4), D3DERR_INVALIDCALL, "no handle");
    assert_eq!(open(16, usage, format, 1), D3DERR_INVALIDCALL, "no handle");
    assert_eq!(release(ours), 0);
    finish(device);
}
