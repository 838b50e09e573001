//! Reference counts, `QueryInterface`, `GetDevice`, containers.

use super::*;

#[test]
fn extended_interfaces_are_only_there_if_asked_for() {
    for extended in [false, true] {
        let device = device(extended, 0);
        let (result, found) = query(device.cast(), &IDirect3DDevice9Ex::IID);
        if extended {
            assert_eq!((result, found), (D3D_OK, device.cast()));
            assert_eq!(release(device), 1);
        } else {
            assert_eq!((result, found), (E_NOINTERFACE, core::ptr::null_mut()));
        }
        assert_eq!(query(device.cast(), &IUnknown::IID).0, D3D_OK);
        assert_eq!(query(device.cast(), &IDirect3DTexture9::IID).0, E_NOINTERFACE);
        let unknown: *mut IUnknown = device.cast();
        assert_eq!(call!(unknown, QueryInterface(input(&IUnknown::IID), not_returned())), E_POINTER);
        assert_eq!(release(device), 1);
        finish(device);
    }
}

#[test]
fn wrong_sdk_versions_are_refused() {
    let create = |version| crate::direct3d::create(version, false, receiver::open);
    assert_eq!(create(0), Err(D3DERR_INVALIDCALL));
    assert_eq!(create(30), Err(D3DERR_INVALIDCALL));
    assert_eq!(release(create(D3D_SDK_VERSION | 0x8000_0000).unwrap()), 0, "bit 31 asks for the debug runtime");
    assert!(crate::exports::Direct3DCreate9(0).is_null());
    let mut object = junk();
    // SAFETY: good for a pointer.
    assert_eq!(unsafe { crate::exports::Direct3DCreate9Ex(30, &mut object) }, D3DERR_INVALIDCALL);
    assert!(object.is_null());
    // SAFETY: null.
    assert_eq!(unsafe { crate::exports::Direct3DCreate9Ex(30, core::ptr::null_mut()) }, D3DERR_INVALIDCALL);
}

#[test]
fn children_hold_their_device_and_levels_their_texture() {
    let device = device(false, 0);
    let texture = texture(device, 0);
    assert_eq!(count(device), 2);
    let mut level = junk();
    assert_eq!(call!(texture, GetSurfaceLevel(1, returned(&mut level))), D3D_OK);
    assert_eq!((count(texture), count(level), count(device)), (2, 2, 2), "a level counts for its texture");
    let mut again = junk();
    assert_eq!(call!(texture, GetSurfaceLevel(1, returned(&mut again))), D3D_OK);
    assert_eq!(again, level, "a level is always the same object");
    assert_eq!(release(again), 2);
    assert_eq!(call!(texture, GetSurfaceLevel(5, returned(&mut again))), D3DERR_INVALIDCALL);
    assert!(again.is_null());
    let mut container = junk();
    assert_eq!(call!(level, GetContainer(input(&IDirect3DTexture9::IID), returned(&mut container))), D3D_OK);
    assert_eq!(container, texture.cast());
    assert_eq!(release(container), 2);
    let mut owner = junk();
    assert_eq!(call!(level, base.GetDevice(returned(&mut owner))), D3D_OK);
    assert_eq!((owner, count(device)), (device.cast(), 3));
    assert_eq!(release(owner), 2);
    assert_eq!(release(texture), 1);
    assert_eq!(release(level), 0);
    finish(device);
}

#[test]
fn faces_and_slices_count_for_their_texture() {
    let device = device(false, 0);
    let (mut cube, mut volume) = (junk(), junk());
    let (format, pool) = (D3DFMT_A8R8G8B8, D3DPOOL_MANAGED);
    let made = call!(device, base.CreateCubeTexture(8, 2, 0, format, pool, returned(&mut cube), no_output()));
    assert_eq!(made, D3D_OK);
    let made = call!(device, base.CreateVolumeTexture(8, 8, 8, 2, 0, format, pool, returned(&mut volume), no_output()));
    assert_eq!(made, D3D_OK);
    let (mut face, mut slice, mut container) = (junk(), junk(), junk());
    assert_eq!(call!(cube, GetCubeMapSurface(D3DCUBEMAP_FACE_NEGATIVE_Z, 1, returned(&mut face))), D3D_OK);
    assert_eq!(call!(volume, GetVolumeLevel(1, returned(&mut slice))), D3D_OK);
    assert_eq!((count(cube), count(face), count(volume), count(slice), count(device)), (2, 2, 2, 2, 3));
    assert_eq!(call!(face, GetContainer(input(&IDirect3DCubeTexture9::IID), returned(&mut container))), D3D_OK);
    assert_eq!((container, release(container)), (cube.cast(), 2));
    assert_eq!(call!(slice, GetContainer(input(&IDirect3DVolumeTexture9::IID), returned(&mut container))), D3D_OK);
    assert_eq!((container, release(container)), (volume.cast(), 2));
    let other = call!(face, GetContainer(input(&IDirect3DDevice9::IID), returned(&mut container)));
    assert_eq!((other, container), (E_NOINTERFACE, core::ptr::null_mut()), "a face's container is its texture");
    // The last reference may be that of a part.
    assert_eq!((release(cube), release(volume)), (1, 1));
    assert_eq!((release(face), release(slice)), (0, 0));
    finish(device);
}

#[test]
fn objects_answer_to_what_they_extend() {
    let device = device(true, 0);
    let (mut texture, mut level, mut d3d, mut chain) = (junk::<IDirect3DTexture9>(), junk(), junk(), junk());
    // Extended devices have no managed pool.
    let (format, pool) = (D3DFMT_A8R8G8B8, D3DPOOL_DEFAULT);
    let made = call!(device, base.CreateTexture(16, 16, 1, 0, format, pool, returned(&mut texture), no_output()));
    assert_eq!(made, D3D_OK);
    assert_eq!(call!(texture, GetSurfaceLevel(0, returned(&mut level))), D3D_OK);
    assert_eq!(call!(device, base.GetDirect3D(returned(&mut d3d))), D3D_OK);
    assert_eq!(call!(device, base.GetSwapChain(0, returned(&mut chain))), D3D_OK);
    let answers: [(*mut c_void, &[GUID], GUID); 4] = [
        (
            texture.cast(),
            &[IDirect3DTexture9::IID, IDirect3DBaseTexture9::IID, IDirect3DResource9::IID],
            IDirect3DCubeTexture9::IID,
        ),
        (level.cast(), &[IDirect3DSurface9::IID, IDirect3DResource9::IID], IDirect3DTexture9::IID),
        (d3d.cast(), &[IDirect3D9::IID, IDirect3D9Ex::IID], IDirect3DDevice9::IID),
        (chain.cast(), &[IDirect3DSwapChain9::IID, IDirect3DSwapChain9Ex::IID], IDirect3DSurface9::IID),
    ];
    for (object, known, unknown) in answers {
        let references = count(object);
        for iid in known.iter().chain([&IUnknown::IID]) {
            assert_eq!(query(object, iid), (D3D_OK, object));
            assert_eq!(release(object), references);
        }
        assert_eq!(query(object, &unknown), (E_NOINTERFACE, core::ptr::null_mut()));
        assert_eq!(count(object), references);
    }
    assert_eq!(call!(device, base.GetSwapChain(1, returned(&mut chain))), D3DERR_INVALIDCALL);
    assert!(chain.is_null(), "cleared where there is none");
    let mut chain = junk();
    assert_eq!(call!(device, base.GetSwapChain(0, returned(&mut chain))), D3D_OK);
    assert_eq!((release(chain), release(chain)), (1, 0));
    assert_eq!((release(level), release(texture), release(d3d)), (1, 0, 1));
    finish(device);
}

#[test]
fn a_bound_texture_can_be_asked_for_after_its_last_release() {
    let device = device(false, 0);
    let texture = texture(device, 1);
    assert_eq!(call!(device, base.SetTexture(0, object(texture.cast()))), D3D_OK);
    assert_eq!((count(texture), count(device)), (1, 2), "binding counts nothing that the program sees");
    assert_eq!(release(texture), 0);
    assert_eq!(count(device), 1);
    let mut found = junk();
    assert_eq!(call!(device, base.GetTexture(0, returned(&mut found))), D3D_OK);
    assert_eq!((found, count(found), count(device)), (texture.cast(), 1, 2));
    assert_eq!(call!(device, base.SetTexture(0, object(core::ptr::null_mut()))), D3D_OK);
    assert_eq!(call!(found, GetLevelCount()), 1, "the program's reference keeps it");
    assert_eq!(release(found), 0);
    assert_eq!(call!(device, base.GetTexture(0, returned(&mut found))), D3D_OK);
    assert!(found.is_null());
    finish(device);
}

#[test]
fn a_texture_that_is_still_bound_goes_with_its_device() {
    let device = device(false, 0);
    let texture = texture(device, 1);
    assert_eq!(call!(device, base.SetTexture(3, object(texture.cast()))), D3D_OK);
    assert_eq!(release(texture), 0);
    finish(device);
}

#[test]
fn a_state_block_keeps_what_it_recorded() {
    let device = device(false, 0);
    let texture = texture(device, 1);
    assert_eq!(call!(device, base.BeginStateBlock()), D3D_OK);
    assert_eq!(call!(device, base.SetTexture(2, object(texture.cast()))), D3D_OK);
    let mut block = junk();
    assert_eq!(call!(device, base.EndStateBlock(returned(&mut block))), D3D_OK);
    assert_eq!(release(texture), 0);
    let mut found = junk();
    assert_eq!(call!(device, base.GetTexture(2, returned(&mut found))), D3D_OK);
    assert!(found.is_null(), "recording binds nothing");
    assert_eq!(call!(block, Apply()), D3D_OK);
    assert_eq!(call!(device, base.GetTexture(2, returned(&mut found))), D3D_OK);
    assert_eq!((found, release(found)), (texture.cast(), 0));
    assert_eq!(release(block), 0);
    assert_eq!(call!(device, base.SetTexture(2, object(core::ptr::null_mut()))), D3D_OK);
    finish(device);
}

#[test]
fn implicit_surfaces_count_for_the_device() {
    let device = device(false, 0);
    let (mut back, mut target, mut depth, mut chain) = (junk(), junk(), junk(), junk());
    assert_eq!(call!(device, base.GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, returned(&mut back))), D3D_OK);
    assert_eq!((count(back), count(device)), (1, 2));
    assert_eq!(call!(device, base.GetRenderTarget(0, returned(&mut target))), D3D_OK);
    assert_eq!((target, count(back), count(device)), (back, 2, 2));
    assert_eq!(call!(device, base.GetDepthStencilSurface(returned(&mut depth))), D3D_OK);
    assert_eq!((count(depth), count(device)), (1, 3));
    assert_eq!(call!(device, base.GetSwapChain(0, returned(&mut chain))), D3D_OK);
    assert_eq!((count(chain), count(device)), (1, 4));
    let mut container = junk();
    assert_eq!(call!(back, GetContainer(input(&IDirect3DSwapChain9::IID), returned(&mut container))), D3D_OK);
    assert_eq!((container, release(container)), (chain.cast(), 1));
    assert_eq!(call!(depth, GetContainer(input(&IDirect3DDevice9::IID), returned(&mut container))), D3D_OK);
    assert_eq!((container, release(container)), (device.cast(), 4));
    assert_eq!(query(chain.cast(), &IDirect3DSwapChain9Ex::IID).0, E_NOINTERFACE);
    let mut none = junk();
    assert_eq!(
        call!(device, base.GetBackBuffer(0, 1, D3DBACKBUFFER_TYPE_MONO, returned(&mut none))),
        D3DERR_INVALIDCALL
    );
    assert!(none.is_null());
    assert_eq!(call!(device, base.GetRenderTarget(1, returned(&mut none))), D3DERR_NOTFOUND);
    assert!(none.is_null());
    assert_eq!((release(back), release(target), release(depth), release(chain)), (1, 0, 0, 0));
    assert_eq!(count(device), 1);
    finish(device);
}

#[test]
fn reset_needs_the_programs_default_resources_gone() {
    let device = device(false, 0);
    let mut back = junk();
    assert_eq!(call!(device, base.GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, returned(&mut back))), D3D_OK);
    let mut wanted = parameters();
    assert_eq!(call!(device, base.Reset(output(&mut wanted))), D3DERR_INVALIDCALL);
    assert_eq!(release(back), 0);
    let kept = texture(device, 1);
    wanted = parameters();
    wanted.BackBufferWidth = 128;
    assert_eq!(call!(device, base.Reset(output(&mut wanted))), D3D_OK);
    assert_eq!(call!(device, base.GetBackBuffer(0, 0, D3DBACKBUFFER_TYPE_MONO, returned(&mut back))), D3D_OK);
    let mut desc = D3DSURFACE_DESC::default();
    assert_eq!(call!(back, GetDesc(output(&mut desc))), D3D_OK);
    assert_eq!((desc.Width, desc.Height, desc.Pool), (128, 48, D3DPOOL_DEFAULT));
    assert_eq!((release(back), release(kept)), (0, 0));
    finish(device);
}

#[test]
fn an_additional_swap_chain_goes_with_its_last_reference() {
    let device = device(true, 0);
    let mut wanted = parameters();
    wanted.EnableAutoDepthStencil = FALSE;
    let mut chain = junk();
    assert_eq!(call!(device, base.CreateAdditionalSwapChain(output(&mut wanted), returned(&mut chain))), D3D_OK);
    assert_eq!((count(chain), count(device)), (1, 2));
    assert_eq!(query(chain.cast(), &IDirect3DSwapChain9Ex::IID), (D3D_OK, chain.cast()));
    assert_eq!(release(chain), 1);
    let mut back = junk();
    assert_eq!(call!(chain, GetBackBuffer(0, D3DBACKBUFFER_TYPE_MONO, returned(&mut back))), D3D_OK);
    assert_eq!(call!(device, base.GetNumberOfSwapChains()), 1);
    assert_eq!(release(chain), 0);
    let mut desc = D3DSURFACE_DESC::default();
    assert_eq!(call!(back, GetDesc(output(&mut desc))), D3D_OK, "a held back buffer outlives its chain");
    assert_eq!(release(back), 0);
    finish(device);
}

#[test]
fn another_devices_objects_are_refused() {
    let (ours, theirs) = (device(false, 0), device(false, 0));
    let texture = texture(theirs, 1);
    assert_eq!(call!(ours, base.SetTexture(0, object(texture.cast()))), D3DERR_INVALIDCALL);
    assert_eq!(release(texture), 0);
    finish(ours);
    finish(theirs);
}

#[test]
fn the_device_knows_what_made_it() {
    let device = device(true, 0);
    let mut d3d = junk();
    assert_eq!(call!(device, base.GetDirect3D(returned(&mut d3d))), D3D_OK);
    assert_eq!(query(d3d.cast(), &IDirect3D9Ex::IID), (D3D_OK, d3d.cast()));
    assert_eq!((release(d3d), release(d3d)), (2, 1));
    let mut creation = D3DDEVICE_CREATION_PARAMETERS::default();
    assert_eq!(call!(device, base.GetCreationParameters(output(&mut creation))), D3D_OK);
    assert_eq!((creation.DeviceType, creation.BehaviorFlags), (D3DDEVTYPE_HAL, D3DCREATE_HARDWARE_VERTEXPROCESSING));
    finish(device);
}

/// With the lock, every path that goes into the device twice would hang or, in this build, panic.
#[test]
fn a_multithreaded_device_serves_two_threads() {
    let device = device(false, D3DCREATE_MULTITHREADED);
    let address = device as usize;
    let work = move || {
        let device = address as *mut IDirect3DDevice9Ex;
        for stage in 0..50 {
            let texture = texture(device, 1);
            assert_eq!(call!(device, base.SetTexture(stage % 4, object(texture.cast()))), D3D_OK);
            release(texture);
            assert_eq!(call!(device, base.SetTexture(stage % 4, object(core::ptr::null_mut()))), D3D_OK);
        }
    };
    let other = std::thread::spawn(work);
    work();
    other.join().unwrap();
    finish(device);
}
