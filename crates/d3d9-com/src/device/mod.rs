//! The device: `IDirect3DDevice9` and `IDirect3DDevice9Ex` over the guest's device.
//!
//! * this file: what a device is, how it is made and how it goes.
//! * `objects`: the COM objects that it owns.
//! * `cursor`: the mouse pointer.
//! * `front`: what the screen shows.
//! * `methods`, `methods_ex`: the interfaces, each method a few lines that unwrap the parameters.
//! * `input`: how long what a program passes without a length is.

mod cursor;
mod front;
mod input;
mod methods;
mod methods_ex;
mod objects;

use core::cell::{Cell, UnsafeCell};
use core::ops::{Deref, DerefMut};
use core::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};

use afterimage_d3d9::{self as guest, Handle};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::captures;
use crate::direct3d::{self, Direct3D};
use crate::full_screen::{Condition, FullScreen, Screen};
use crate::markers::{self, Pending};
use crate::object::{Refs, Unknown};
use crate::platform::{self, Output};
use crate::renderer::{Place, Way};
use crate::results::code;
use crate::settings;

use cursor::Cursor;
use objects::Owned;

static DEVICE: IDirect3DDevice9ExVtable = IDirect3DDevice9ExVtable::of::<Device>();

/// A device.
#[repr(C)]
pub(crate) struct Device {
    vtable: *const IDirect3DDevice9ExVtable,
    refs: Refs,
    extended: bool,
    /// What marks wait in, and whether there is a lock.
    pub(crate) pending: Pending,
    /// Taken only where the program asked for it (`D3DCREATE_MULTITHREADED`).
    lock: Mutex<()>,
    inside: UnsafeCell<Inside>,
    /// The object that made it, with one reference of ours.
    parent: *const Direct3D,
    place: Place,
    full_screen: FullScreen,
    gpu_priority: Cell<i32>,
    /// Turns of the overlay that it has followed.
    overlay_turns: Cell<usize>,
    cursor: Mutex<Cursor>,
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
        output: Output,
        creation: D3DDEVICE_CREATION_PARAMETERS,
        parameters: &mut D3DPRESENT_PARAMETERS,
        mode: Option<&D3DDISPLAYMODEEX>,
        extended: bool,
    ) -> Result<*mut Self, HRESULT> {
        let focus = creation.hFocusWindow;
        let mode = if settings::force_window(parameters) { None } else { mode };
        let screen = guest::check_parameters(parameters, extended)
            .and_then(|()| Screen::wanted(&output, parameters, focus, mode))
            .map_err(guest::Error::code)?;
        let Way { link, place } = parent.way()?;
        let full_screen = FullScreen::new(output, creation.BehaviorFlags, extended);
        full_screen.set(screen, focus).map_err(guest::Error::code)?;
        let window = target_window(parameters, focus, place);
        let name = platform::program_name();
        let mut guest =
            guest::Device::new(link, creation, parameters, window, extended, &name).map_err(guest::Error::code)?;
        settings::apply(&mut guest);
        crate::renderer::show_figures(&mut guest);
        let watched = guest.shows_markers();
        let locked = creation.BehaviorFlags & D3DCREATE_MULTITHREADED != 0;
        parent.add_reference();
        let device = Box::new(Self {
            vtable: &DEVICE,
            refs: Refs::default(),
            extended,
            pending: Pending::new(locked),
            lock: Mutex::default(),
            inside: UnsafeCell::new(Inside { busy: false, guest, owned: rustc_hash::FxHashMap::default() }),
            parent,
            place,
            full_screen,
            gpu_priority: Cell::new(0),
            overlay_turns: Cell::new(0),
            cursor: Mutex::default(),
        });
        let device = Box::into_raw(device);
        // SAFETY: made here, so good, and not yet seen by anybody else.
        let this = unsafe { &*device };
        this.own_implicit();
        this.refs.add();
        // SAFETY: it is good until `destroy`.
        unsafe { markers::add(&raw const this.pending, watched) };
        if creation.BehaviorFlags & D3DCREATE_FPU_PRESERVE == 0 {
            platform::set_single_precision();
        }
        Ok(device)
    }

    /// Goes inside of the device. One at a time: it is an error of ours to enter twice, and of the program to call from
    /// two threads without asking for `D3DCREATE_MULTITHREADED`.
    #[inline]
    pub(crate) fn enter(&self) -> Entered<'_> {
        let pending = self.pending.needed();
        let lock = (pending & Pending::LOCK != 0).then(|| self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        // SAFETY: with the lock, nobody else is inside; without it, the program has promised to use one thread, and no
        // method of ours calls another that enters while it is inside.
        let inside = unsafe { &mut *self.inside.get() };
        debug_assert!(!core::mem::replace(&mut inside.busy, true), "a device is entered twice");
        if pending & Pending::MARKS != 0 {
            self.put_marks(inside);
        }
        Entered { inside, _lock: lock }
    }

    #[cold]
    fn put_marks(&self, inside: &mut Inside) {
        for mark in self.pending.take_marks() {
            inside.guest.put_marker(mark.action, mark.color, &mark.text);
        }
    }

    /// Shows or hides figures over its pictures, if somebody has turned them on or off since it last did.
    pub(crate) fn follow_overlay(&self) {
        if captures::turns_overlay(&self.overlay_turns) {
            crate::renderer::turn_figures(&mut self.enter());
        }
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

    /// What the device's monitor shows now.
    pub(crate) fn desktop(&self) -> D3DDISPLAYMODE {
        let now = direct3d::display_mode(self.output());
        let screen = self.full_screen.screen().filter(|_| self.full_screen.condition() == Condition::Good);
        screen.map_or(now, |screen| screen.shown(now))
    }

    /// `SetDialogBoxMode`. A full-screen window is a window as others are: the system shows dialog boxes before it by itself.
    /// The rules say with which back buffers a program may rely on that.
    fn set_dialog_boxes(&self, enable: bool) -> HRESULT {
        let parameters = {
            let guest = self.enter();
            guest.swap_chain(0).and_then(|chain| guest.present_parameters(chain))
        };
        let Ok(parameters) = parameters else { return D3DERR_INVALIDCALL };
        let format = matches!(parameters.BackBufferFormat, D3DFMT_X1R5G5B5 | D3DFMT_R5G6B5 | D3DFMT_X8R8G8B8);
        let fits = format && parameters.MultiSampleType == D3DMULTISAMPLE_NONE;
        if enable && parameters.Windowed == FALSE && !fits { D3DERR_INVALIDCALL } else { D3D_OK }
    }

    /// The device's monitor.
    pub(crate) fn output(&self) -> &Output {
        self.full_screen.output()
    }

    /// The screen, if the device has it, and how it stands with it.
    pub(crate) fn full_screen(&self) -> &FullScreen {
        &self.full_screen
    }

    /// `TestCooperativeLevel`.
    fn cooperative_level(&self) -> HRESULT {
        match self.full_screen.condition() {
            _ if self.extended => D3D_OK,
            Condition::Good => code(self.enter().test_cooperative_level()),
            Condition::Lost => D3DERR_DEVICELOST,
            Condition::NotReset => D3DERR_DEVICENOTRESET,
        }
    }

    /// `Reset` and `ResetEx`.
    fn reset(&self, parameters: Out<D3DPRESENT_PARAMETERS>, mode: Option<&D3DDISPLAYMODEEX>) -> HRESULT {
        let Some(mut wanted) = parameters.read() else { return D3DERR_INVALIDCALL };
        if !self.extended && self.full_screen.condition() == Condition::Lost {
            return D3DERR_DEVICELOST;
        }
        let result = self.reset_to(&mut wanted, mode);
        self.full_screen.was_reset(succeeded(result));
        if succeeded(result) {
            parameters.write(wanted);
        }
        result
    }

    fn reset_to(&self, wanted: &mut D3DPRESENT_PARAMETERS, mode: Option<&D3DDISPLAYMODEEX>) -> HRESULT {
        let focus = self.enter().creation().hFocusWindow;
        let mode = if settings::force_window(wanted) { None } else { mode };
        let checked = self.enter().can_reset(wanted);
        let screen = checked.and_then(|()| Screen::wanted(self.output(), wanted, focus, mode));
        // The windows are told by messages, so nothing may be entered here.
        if let Err(error) = screen.and_then(|screen| self.full_screen.set(screen, focus)) {
            return error.code();
        }
        let window = target_window(wanted, focus, self.place);
        // An extended device resets with back buffers held, which then stand alone.
        let chain = self.enter().swap_chain(0);
        if let Ok(chain) = chain {
            self.disown_back_buffers(chain);
        }
        let mut guest = self.enter();
        let result = guest.reset(wanted, window);
        let result = guest.done(result);
        self.sweep();
        self.own_implicit();
        result
    }

    /// Frees the device. Its objects first: nobody has references to them.
    fn destroy(&self) {
        let parent = self.parent;
        markers::remove(&raw const self.pending);
        // SAFETY: the last reference is gone, and devices are made by `Box::into_raw`.
        let mut device = unsafe { Box::from_raw(core::ptr::from_ref(self).cast_mut()) };
        device.inside.get_mut().owned.clear();
        drop(device);
        // The process may end now, of which nobody is told on Windows.
        afterimage_log::finish();
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

/// Where a swap chain's pictures go: its own window, or the one that the device was made for.
fn target_window(parameters: &D3DPRESENT_PARAMETERS, focus: HWND, place: Place) -> guest::Window {
    let window = if parameters.hDeviceWindow != 0 { parameters.hDeviceWindow } else { focus };
    platform::window(window, (parameters.BackBufferWidth, parameters.BackBufferHeight), place)
}
