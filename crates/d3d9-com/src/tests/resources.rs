//! Resources in a program's memory, and what the last parameter of the calls that make them may be.

use super::*;

/// Memory of a program, as the parameter that says where a resource is to lie.
fn handle(memory: &mut [u8]) -> HANDLE {
    memory.as_mut_ptr() as HANDLE
}

#[test]
fn a_texture_lies_in_the_program_s_memory() {
    let device = device(true, 0);
    let mut memory = vec![7; 33 * 33];
    let mut shared = handle(&mut memory);
    let (mut texture, mut target) = (junk(), junk());
    let made = call!(
        device,
        base.CreateTexture(33, 33, 1, 0, D3DFMT_L8, D3DPOOL_SYSTEMMEM, returned(&mut texture), output(&mut shared))
    );
    assert_eq!(made, D3D_OK);
    let mut locked = D3DLOCKED_RECT::default();
    assert_eq!(call!(texture, LockRect(0, output(&mut locked), no_input(), 0)), D3D_OK);
    assert_eq!((locked.Pitch, locked.pBits as HANDLE), (33, shared));
    assert_eq!(call!(texture, UnlockRect(0)), D3D_OK);
    // It is read from there.
    let (format, pool) = (D3DFMT_L8, D3DPOOL_DEFAULT);
    let made = call!(
        device,
        base.CreateTexture(33, 33, 1, D3DUSAGE_DYNAMIC, format, pool, returned(&mut target), no_output())
    );
    assert_eq!(made, D3D_OK);
    assert_eq!(call!(device, base.UpdateTexture(object(texture.cast()), object(target.cast()))), D3D_OK);
    assert_eq!(call!(target, LockRect(0, output(&mut locked), no_input(), D3DLOCK_READONLY)), D3D_OK);
    // SAFETY: more than a byte is locked.
    assert_eq!(unsafe { locked.pBits.cast::<u8>().read() }, 7);
    assert_eq!(call!(target, UnlockRect(0)), D3D_OK);
    assert_eq!((release(target), release(texture)), (0, 0));
    // And the memory is still the program's.
    memory.fill(8);
    finish(device);
}

#[test]
fn only_flat_resources_of_one_level_lie_in_a_program_s_memory() {
    let device = device(true, 0);
    // At an even address, which looks least like a handle.
    let mut memory = vec![0u64; 512];
    let address = memory.as_mut_ptr() as HANDLE;
    let mut shared = address;
    let (format, system) = (D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM);
    let texture = |levels, pool, device: *mut IDirect3DDevice9Ex| {
        let (mut out, mut shared) = (junk::<IDirect3DTexture9>(), address);
        call!(device, base.CreateTexture(8, 8, levels, 0, format, pool, returned(&mut out), output(&mut shared)))
    };
    assert_eq!(texture(0, system, device), D3DERR_INVALIDCALL);
    assert_eq!(texture(2, system, device), D3DERR_INVALIDCALL);
    assert_eq!(texture(1, D3DPOOL_SCRATCH, device), D3DERR_INVALIDCALL);
    // In the device's own memory it is a handle, which an address is none of.
    assert_eq!(texture(1, D3DPOOL_DEFAULT, device), D3DERR_INVALIDCALL);
    let (mut cube, mut buffer, mut plain) = (junk(), junk(), junk());
    let made = call!(device, base.CreateCubeTexture(8, 1, 0, format, system, returned(&mut cube), output(&mut shared)));
    assert_eq!(made, D3DERR_INVALIDCALL);
    shared = 0;
    let made = call!(device, base.CreateCubeTexture(8, 1, 0, format, 0, returned(&mut cube), output(&mut shared)));
    assert_eq!((made, cube, shared), (D3DERR_NOTAVAILABLE, core::ptr::null_mut(), 0), "only flat images are shared");
    shared = address;
    let made = call!(device, base.CreateVertexBuffer(16, 0, 0, system, returned(&mut buffer), output(&mut shared)));
    assert_eq!(made, D3DERR_NOTAVAILABLE);
    let made = call!(
        device,
        CreateOffscreenPlainSurfaceEx(8, 8, format, system, returned(&mut plain), output(&mut shared), 0)
    );
    assert_eq!((made, release(plain)), (D3D_OK, 0));
    finish(device);

    // Devices that are not extended do not know the parameter.
    let plain = super::device(false, 0);
    assert_eq!(texture(1, system, plain), E_NOTIMPL);
    finish(plain);
}

#[test]
fn extended_surfaces_have_the_usage_that_they_may_be_asked_for() {
    let device = device(true, 0);
    let make = |usage, out: &mut *mut IDirect3DSurface9| {
        call!(device, CreateDepthStencilSurfaceEx(8, 8, D3DFMT_D24S8, 0, 0, TRUE, returned(out), no_output(), usage))
    };
    let mut surface = junk();
    assert_eq!(make(D3DUSAGE_RESTRICTED_CONTENT, &mut surface), D3D_OK);
    let mut desc = D3DSURFACE_DESC::default();
    assert_eq!(call!(surface, GetDesc(output(&mut desc))), D3D_OK);
    assert_eq!(desc.Usage, D3DUSAGE_DEPTHSTENCIL | D3DUSAGE_RESTRICTED_CONTENT);
    assert_eq!(release(surface), 0);
    surface = junk();
    assert_eq!((make(D3DUSAGE_DEPTHSTENCIL, &mut surface), surface), (D3DERR_INVALIDCALL, junk()));
    let (format, pool) = (D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT);
    let made = call!(
        device,
        CreateOffscreenPlainSurfaceEx(8, 8, format, pool, returned(&mut surface), no_output(), D3DUSAGE_DYNAMIC)
    );
    assert_eq!((made, surface), (D3DERR_INVALIDCALL, core::ptr::null_mut()));
    finish(device);
}
