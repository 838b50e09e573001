//! The device: `IDirect3DDevice9` and `IDirect3DDevice9Ex` over the guest's device.
//!
//! * this file: what a device is, how it is made and how it goes.
//! * `objects`: the COM objects that it owns.
//! * `cursor`: the mouse pointer.
//! * `methods`, `methods_ex`: the interfaces, each method a few lines that unwrap the parameters.
//! * `input`: how long what a program passes without a length is.

mod cursor;
mod input;
mod methods;
mod methods_ex;
mod objects;

use core::cell::{Cell, RefCell, UnsafeCell};
use core::ops::{Deref, DerefMut};
use core::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use afterimage_d3d9::{self as guest, Handle};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::direct3d::Direct3D;
use crate::object::{Refs, Unknown};
use crate::platform;
use crate::renderer::{Place, Way};
use crate::results::code;

use cursor::Cursor;
use objects::Owned;

static DEVICE: IDirect3DDevice9ExVtable = IDirect3DDevice9ExVtable::of::<Device>();

/// A device.
#[repr(C)]
pub(crate) struct Device {
    vtable: *const IDirect3DDevice9ExVtable,
    refs: Refs,
    extended: bool,
    /// Only where the program asked for it (`D3DCREATE_MULTITHREADED`).
    lock: Option<Mutex<()>>,
    inside: UnsafeCell<Inside>,
    /// The object that made it, with one reference of ours.
    parent: *const Direct3D,
    place: Place,
    frame_latency: Cell<u32>,
    gpu_priority: Cell<i32>,
    cursor: RefCell<Cursor>,
}

/// What only one call at a time may touch.
struct Inside {
    /// In debug builds, whether a call is inside.
    busy: bool,
    guest: guest::Device,
    owned: rustc_hash::FxHashMap<Handle, Owned>,
}

/// A call that is inside of the device: the guest's device, and the lock where there is one.
///
/// Nothing is called back while one exists: objects of the program are released after it.
pub(crate) struct Entered<'a> {
    inside: &'a mut Inside,
    _lock: Option<MutexGuard<'a, ()>>,
}

impl Deref for Entered<'_> {
    type Target = guest::Device;

    #[inline]
    fn deref(&self) -> &guest::Device {
        &self.inside.guest
    }
}

impl DerefMut for Entered<'_> {
    #[inline]
    fn deref_mut(&mut self) -> &mut guest::Device {
        &mut self.inside.guest
    }
}

#[cfg(debug_assertions)]
impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.inside.busy = false;
    }
}

impl Entered<'_> {
    /// Ends a call that may have unbound something for good.
    #[inline]
    pub(crate) fn done(self, result: guest::Result<()>) -> HRESULT {
        if self.inside.guest.has_dead() {
            drop(self.bury(None));
        }
        code(result)
    }

    /// Ends a call and takes the objects that are gone out of the device, for the caller to drop.
    #[cold]
    fn bury(self, also: Option<Handle>) -> Vec<Owned> {
        let Inside { guest, owned, .. } = &mut *self.inside;
        let dead = core::iter::from_fn(|| guest.take_dead().map(|(handle, _)| handle));
        also.into_iter().chain(dead).filter_map(|handle| owned.remove(&handle)).collect()
    }
}

impl Device {
    /// `CreateDevice`, with one reference for the program.
    pub(crate) fn create(
        parent: &Direct3D,
        creation: D3DDEVICE_CREATION_PARAMETERS,
        parameters: &mut D3DPRESENT_PARAMETERS,
        extended: bool,
    ) -> Result<*mut Self, HRESULT> {
        make_room(parameters, &creation);
        let Way { link, place } = parent.way()?;
        let window = target_window(parameters, creation.hFocusWindow, place);
        let name = platform::program_name();
        let guest =
            guest::Device::new(link, creation, parameters, window, extended, &name).map_err(guest::Error::code)?;
        parent.add_reference();
        let device = Box::new(Self {
            vtable: &DEVICE,
            refs: Refs::default(),
            extended,
            lock: (creation.BehaviorFlags & D3DCREATE_MULTITHREADED != 0).then(Mutex::default),
            inside: UnsafeCell::new(Inside { busy: false, guest, owned: rustc_hash::FxHashMap::default() }),
            parent,
            place,
            frame_latency: Cell::new(3),
            gpu_priority: Cell::new(0),
            cursor: RefCell::default(),
        });
        let device = Box::into_raw(device);
        // SAFETY: made here, so good, and not yet seen by anybody else.
        let this = unsafe { &*device };
        this.own_implicit();
        this.refs.add();
        Ok(device)
    }

    /// Goes inside of the device. One at a time: it is an error of ours to enter twice, and of the program to call from
    /// two threads without asking for `D3DCREATE_MULTITHREADED`.
    #[inline]
    pub(crate) fn enter(&self) -> Entered<'_> {
        let lock = self.lock.as_ref().map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: with the lock, nobody else is inside; without it, the program has promised to use one thread, and no
        // method of ours calls another that enters while it is inside.
        let inside = unsafe { &mut *self.inside.get() };
        debug_assert!(!core::mem::replace(&mut inside.busy, true), "a device is entered twice");
        Entered { inside, _lock: lock }
    }

    /// Whether it was made by `CreateDeviceEx`.
    pub(crate) fn extended(&self) -> bool {
        self.extended
    }

    /// The object that made it.
    pub(crate) fn parent(&self) -> &Direct3D {
        // SAFETY: we hold a reference to it.
        unsafe { &*self.parent }
    }

    /// Where it is drawn.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The current display mode.
    pub(crate) fn desktop(&self) -> D3DDISPLAYMODE {
        self.parent().adapter().display_mode()
    }

    /// `Reset`.
    fn reset(&self, parameters: Out<D3DPRESENT_PARAMETERS>) -> HRESULT {
        let Some(mut wanted) = parameters.read() else { return D3DERR_INVALIDCALL };
        let creation = self.enter().creation();
        make_room(&wanted, &creation);
        let window = target_window(&wanted, creation.hFocusWindow, self.place);
        // An extended device resets with back buffers held, which then stand alone.
        let chain = self.enter().swap_chain(0);
        if let Ok(chain) = chain {
            self.disown_back_buffers(chain);
        }
        let mut guest = self.enter();
        let result = guest.reset(&mut wanted, window);
        let result = guest.done(result);
        self.sweep();
        self.own_implicit();
        if succeeded(result) {
            parameters.write(wanted);
        }
        result
    }

    /// Frees the device. Its objects first: nobody has references to them.
    fn destroy(&self) {
        let parent = self.parent;
        // SAFETY: the last reference is gone, and devices are made by `Box::into_raw`.
        let mut device = unsafe { Box::from_raw(core::ptr::from_ref(self).cast_mut()) };
        device.inside.get_mut().owned.clear();
        drop(device);
        // SAFETY: we held a reference to it.
        unsafe { &*parent }.release_reference();
    }
}

impl Unknown for Device {
    fn interfaces(&self) -> &'static [GUID] {
        if self.extended { &[IDirect3DDevice9::IID, IDirect3DDevice9Ex::IID] } else { &[IDirect3DDevice9::IID] }
    }

    fn add_reference(&self) -> u32 {
        self.refs.add() + 1
    }

    fn release_reference(&self) -> u32 {
        match self.refs.drop_one() {
            None => 0,
            Some(1) => {
                core::sync::atomic::fence(Ordering::Acquire);
                self.destroy();
                0
            }
            Some(before) => before - 1,
        }
    }
}

/// A full-screen device's window covers the screen, unless the program looks after its windows itself. The window is told
/// by messages, so nothing may be entered here.
fn make_room(parameters: &D3DPRESENT_PARAMETERS, creation: &D3DDEVICE_CREATION_PARAMETERS) {
    let window = if parameters.hDeviceWindow != 0 { parameters.hDeviceWindow } else { creation.hFocusWindow };
    if parameters.Windowed == FALSE && window != 0 && creation.BehaviorFlags & D3DCREATE_NOWINDOWCHANGES == 0 {
        platform::cover_screen(window);
    }
}

/// Where a swap chain's pictures go: its own window, or the one that the device was made for.
fn target_window(parameters: &D3DPRESENT_PARAMETERS, focus: HWND, place: Place) -> guest::Window {
    let window = if parameters.hDeviceWindow != 0 { parameters.hDeviceWindow } else { focus };
    platform::window(window, (parameters.BackBufferWidth, parameters.BackBufferHeight), place)
}
