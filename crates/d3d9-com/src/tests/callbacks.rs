//! Objects of the program that ours call: private data that does as it likes while it is added and released.

use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::*;

/// A program's object, which calls back whenever it is called.
#[repr(C)]
struct Program {
    vtable: *const IUnknownVtable,
    references: AtomicU32,
    calls: AtomicU32,
    /// The device to call, as a number so that threads may share it.
    device: usize,
    /// A surface whose private data is asked for, or 0.
    surface: AtomicUsize,
}

// SAFETY: what changes is atomic; the vtable does not, and the device has a lock where threads share it.
unsafe impl Sync for Program {}

static PROGRAM: IUnknownVtable = IUnknownVtable::of::<Program>();

impl IUnknownMethods for Program {
    fn AddRef(&self) -> u32 {
        self.call_back();
        self.references.fetch_add(1, Ordering::SeqCst) + 1
    }

    fn Release(&self) -> u32 {
        self.call_back();
        self.references.fetch_sub(1, Ordering::SeqCst) - 1
    }
}

impl Program {
    fn new(device: *mut IDirect3DDevice9Ex) -> Self {
        let (references, calls, surface) = (AtomicU32::new(1), AtomicU32::new(0), AtomicUsize::new(0));
        Self { vtable: &PROGRAM, references, calls, device: device as usize, surface }
    }

    fn pointer(&self) -> *mut IUnknown {
        core::ptr::from_ref(self).cast_mut().cast()
    }

    fn references(&self) -> u32 {
        self.references.load(Ordering::SeqCst)
    }

    /// Goes into the device and into the resource that is being called: both would hang or panic with a lock held.
    fn call_back(&self) {
        self.calls.fetch_add(1, Ordering::SeqCst);
        let device = self.device as *mut IDirect3DDevice9Ex;
        assert!(call!(device, base.GetAvailableTextureMem()) > 0);
        let surface = self.surface.load(Ordering::SeqCst) as *mut IDirect3DSurface9;
        if !surface.is_null() {
            let mut size = 0;
            call!(surface, base.GetPrivateData(input(&OTHER), no_output(), output(&mut size)));
        }
    }
}

const NAME: GUID = GUID { Data1: 1, Data2: 2, Data3: 3, Data4: [4; 8] };
const OTHER: GUID = GUID { Data1: 5, ..NAME };

fn attach(surface: *mut IDirect3DSurface9, program: &Program) -> HRESULT {
    let size = size_of::<*mut IUnknown>() as u32;
    // SAFETY: an object that outlives the test's devices.
    let data = unsafe { In::new(program.pointer().cast()) };
    call!(surface, base.SetPrivateData(input(&NAME), data, size, D3DSPD_IUNKNOWN))
}

fn plain(device: *mut IDirect3DDevice9Ex) -> *mut IDirect3DSurface9 {
    let mut surface = junk();
    let (format, pool) = (D3DFMT_A8R8G8B8, D3DPOOL_SYSTEMMEM);
    let out = returned(&mut surface);
    assert_eq!(call!(device, base.CreateOffscreenPlainSurface(4, 4, format, pool, out, no_output())), D3D_OK);
    surface
}

#[test]
fn private_objects_may_call_back_whenever_they_are_called() {
    let device = device(false, D3DCREATE_MULTITHREADED);
    let program = Program::new(device);
    let surface = plain(device);
    program.surface.store(surface as usize, Ordering::SeqCst);
    assert_eq!((attach(surface, &program), program.references()), (D3D_OK, 2));
    assert_eq!((attach(surface, &program), program.references()), (D3D_OK, 2), "the one before is released");
    let (mut found, mut size) = (core::ptr::null_mut::<IUnknown>(), 8);
    // SAFETY: good for a pointer.
    let to = unsafe { Out::new((&raw mut found).cast()) };
    assert_eq!(call!(surface, base.GetPrivateData(input(&NAME), to, output(&mut size))), D3D_OK);
    assert_eq!((found, program.references()), (program.pointer(), 3), "the program gets a reference");
    assert_eq!(release(found), 2);
    assert_eq!((call!(surface, base.FreePrivateData(input(&NAME))), program.references()), (D3D_OK, 1));
    // The surface goes first, so nothing of it may be asked for.
    assert_eq!((attach(surface, &program), program.references()), (D3D_OK, 2));
    program.surface.store(0, Ordering::SeqCst);
    let before = program.calls.load(Ordering::SeqCst);
    assert_eq!((release(surface), program.references()), (0, 1), "private data goes with its resource");
    assert_eq!(program.calls.load(Ordering::SeqCst), before + 1);
    finish(device);
}

#[test]
fn a_bound_texture_keeps_its_private_data_until_it_goes() {
    let device = device(false, 0);
    let program = Program::new(device);
    let texture = texture(device, 2);
    let mut level = junk();
    assert_eq!(call!(texture, GetSurfaceLevel(1, returned(&mut level))), D3D_OK);
    assert_eq!((attach(level, &program), release(level)), (D3D_OK, 1));
    assert_eq!(call!(device, base.SetTexture(0, object(texture.cast()))), D3D_OK);
    assert_eq!((release(texture), program.references()), (0, 2), "it is bound");
    assert_eq!(call!(device, base.SetTexture(0, object(core::ptr::null_mut()))), D3D_OK);
    assert_eq!(program.references(), 1, "levels have private data of their own, which goes with the texture");
    finish(device);
}

#[test]
fn two_threads_may_set_and_ask_for_private_data() {
    let device = device(false, D3DCREATE_MULTITHREADED);
    let program = Program::new(device);
    let surface = plain(device);
    let (address, shared) = (surface as usize, &program);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(move || {
                let surface = address as *mut IDirect3DSurface9;
                for _ in 0..500 {
                    assert_eq!(attach(surface, shared), D3D_OK);
                    let (mut found, mut size) = (core::ptr::null_mut::<IUnknown>(), 8);
                    // SAFETY: good for a pointer.
                    let to = unsafe { Out::new((&raw mut found).cast()) };
                    if call!(surface, base.GetPrivateData(input(&NAME), to, output(&mut size))) == D3D_OK {
                        release(found);
                    }
                    call!(surface, base.FreePrivateData(input(&NAME)));
                }
            });
        }
    });
    assert_eq!((release(surface), program.references()), (0, 1));
    finish(device);
}
