//! The objects that a device owns, and how they get to the program.

use core::ptr::NonNull;

use afterimage_d3d9::{self as guest, Handle};
use afterimage_d3d9_types::*;
use afterimage_ipc::store::Store;

use super::Device;
use crate::abi::{IDirect3DSurface9, Object, Out, OutObject, log_once};
use crate::object::{Child, add_ref, add_ref_inside};
use crate::surface::{Container, Surface};
use crate::swap_chain::SwapChain;
use crate::texture::Texture;

/// Memory that a program has for a resource.
#[derive(Clone, Copy)]
pub(super) struct UserMemory(NonNull<u8>);

impl UserMemory {
    /// The memory as a resource's, of which it is told how many bytes it takes.
    pub(super) fn store(self, size: usize) -> Store {
        // SAFETY: the program's promise, by what Direct3D says of this parameter: the memory is large enough, and stays as
        // long as the resource does.
        unsafe { Store::of_program(self.0, size) }
    }
}

/// What the last parameter of a call that makes a resource means.
#[derive(Clone, Copy)]
pub(super) enum Sharing {
    /// Nothing.
    Unasked,
    /// The resource lies in memory of the program.
    Memory(UserMemory),
    /// Devices share it: a handle is written there, or read.
    Handle(Out<HANDLE>),
}

impl Sharing {
    /// Makes an image that `make` creates the one that devices share, where that is asked for.
    pub(super) fn apply(self, guest: &mut guest::Device, image: guest::ImageId) -> guest::Result<guest::ImageId> {
        let Self::Handle(handle) = self else { return Ok(image) };
        let shared = match handle.read().unwrap_or(0) {
            0 => guest.share_image(image).map(|new| {
                handle.write(new as HANDLE);
            }),
            named => {
                u32::try_from(named).map_or(Err(guest::Error::InvalidCall), |named| guest.open_image(image, named))
            }
        };
        if shared.is_err() {
            guest.release(image);
        }
        shared.map(|()| image)
    }
}

/// The memory of one object, freed on drop.
pub(super) struct Owned {
    object: NonNull<()>,
    free: unsafe fn(NonNull<()>),
}

impl Owned {
    fn new<T>(object: Box<T>) -> Self {
        /// # Safety
        /// `object` is a `Box<T>`.
        unsafe fn free<T>(object: NonNull<()>) {
            // SAFETY: the caller's promise.
            drop(unsafe { Box::from_raw(object.cast::<T>().as_ptr()) });
        }
        Self { object: NonNull::from(Box::leak(object)).cast(), free: free::<T> }
    }

    /// The address, which the guest keeps with the object.
    fn address(&self) -> usize {
        self.object.as_ptr() as usize
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: `free` is that of the type which `new` was given.
        unsafe { (self.free)(self.object) };
    }
}

impl Device {
    /// Takes an object over. The program has no reference to it yet.
    pub(super) fn own<T: Child>(&self, object: T) -> NonNull<T> {
        let handle = object.handle();
        let owned = Owned::new(Box::new(object));
        let object = owned.object.cast::<T>();
        // SAFETY: its place in memory, which nobody has seen.
        unsafe { T::placed(object.as_ptr()) };
        let mut entered = self.enter();
        entered.set_user(handle, owned.address());
        let before = entered.inside.owned.insert(handle, owned);
        drop(entered);
        drop(before);
        object
    }

    /// Makes an object of the guest's and gives it to the program; null where that fails.
    pub(super) fn create_object<T: Child, I>(
        &self,
        out: OutObject<I>,
        make: impl FnOnce(&Self, &mut guest::Device) -> guest::Result<T>,
    ) -> HRESULT {
        out.write(core::ptr::null_mut());
        self.create_or_leave(out, make)
    }

    /// [`Device::create_object`], but what the program passed stays as it is on failure.
    pub(super) fn create_or_leave<T: Child, I>(
        &self,
        out: OutObject<I>,
        make: impl FnOnce(&Self, &mut guest::Device) -> guest::Result<T>,
    ) -> HRESULT {
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let made = make(self, &mut self.enter());
        match made {
            Ok(object) => {
                let object = self.own(object);
                // SAFETY: the device owns it, and it is not gone: the guest says that the program holds it.
                add_ref(unsafe { object.as_ref() });
                out.write(object.as_ptr().cast());
                D3D_OK
            }
            Err(error) => error.code(),
        }
    }

    /// Gives the program an object that the guest has bound, as `bound` says inside of the device; null where there is none.
    /// What the program passed stays as it is on failure.
    pub(super) fn give<T: Child, I, H: Into<Handle>>(
        &self,
        bound: impl FnOnce(&guest::Device) -> guest::Result<Option<H>>,
        out: OutObject<I>,
    ) -> HRESULT {
        let mut guest = self.enter();
        let handle = match bound(&guest) {
            Ok(handle) => handle,
            Err(error) => return error.code(),
        };
        // A null place takes no reference.
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let object = handle.map_or(0, |handle| guest.user(handle)) as *mut T;
        // SAFETY: a number that `own` stored with an object of this kind, which is bound and so alive; or 0.
        if let Some(object) = unsafe { object.as_ref() } {
            add_ref_inside(object, &mut guest);
        }
        out.write(object.cast());
        D3D_OK
    }

    /// Gives the program a surface of the guest's, which `which` names inside of the device. What the program passed stays
    /// as it is on failure.
    pub(crate) fn give_surface(
        &self,
        which: impl FnOnce(&guest::Device) -> guest::Result<guest::Surface>,
        out: OutObject<IDirect3DSurface9>,
    ) -> HRESULT {
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let mut guest = self.enter();
        let id = match which(&guest) {
            Ok(id) => id,
            Err(error) => return error.code(),
        };
        let (kind, user) = (guest.image_type(id.image), guest.user(id.image));
        let object = if kind == D3DRTYPE_SURFACE {
            // SAFETY: the object of an image that is a surface is a `Surface`.
            unsafe { (user as *const Surface).as_ref() }
        } else {
            // SAFETY: the object of any other image is a `Texture`.
            unsafe { (user as *const Texture).as_ref() }.and_then(|t| t.surface(id.face.into(), id.level.into()))
        };
        let Some(object) = object else { return D3DERR_INVALIDCALL };
        object.add_reference_inside(&mut guest);
        out.write(core::ptr::from_ref(object).cast_mut().cast());
        D3D_OK
    }

    /// Makes the objects that nobody creates: the implicit swap chain, its back buffers, the automatic depth buffer.
    pub(super) fn own_implicit(&self) {
        let Ok(chain) = self.enter().swap_chain(0) else { return };
        if self.enter().user(chain) == 0 {
            self.own(SwapChain::new(self, chain));
        }
        self.own_back_buffers(chain);
        let depth = self.enter().depth_stencil();
        if let Ok(depth) = depth
            && self.enter().user(depth.image) == 0
        {
            self.own(Surface::new(self, depth, Container::Device));
        }
    }

    /// Makes the objects of a swap chain's back buffers.
    pub(super) fn own_back_buffers(&self, chain: guest::SwapChainId) {
        let container = Container::SwapChain(self.enter().user(chain) as *const SwapChain);
        for index in 0.. {
            let Ok(buffer) = self.enter().back_buffer(chain, index) else { break };
            let surface = self.enter().user(buffer.image) as *const Surface;
            // SAFETY: the object of a back buffer is a `Surface`, owned by this device.
            match unsafe { surface.as_ref() } {
                Some(surface) => surface.set_container(container),
                None => {
                    self.own(Surface::new(self, buffer, container));
                }
            }
        }
    }

    /// Drops a program's reference to an object; how many there were. If it was the last, the object is gone unless it is
    /// bound or recorded.
    pub(crate) fn let_go<T: Child>(&self, child: &T) -> Option<u32> {
        let handle = child.handle();
        if let Handle::SwapChain(chain) = handle
            && child.refs().count() == 1
            && self.enter().swap_chain(0) != Ok(chain)
        {
            self.disown_back_buffers(chain);
        }
        let mut entered = self.enter();
        let before = child.refs().drop_one();
        if before != Some(1) {
            return before;
        }
        let gone = entered.release(handle);
        // Dropped outside of the device, since private data may call back.
        drop(entered.bury(gone.then_some(handle)));
        if matches!(handle, Handle::SwapChain(_)) {
            self.sweep();
        }
        before
    }

    /// Back buffers that the program still holds outlive their swap chain on their own.
    pub(super) fn disown_back_buffers(&self, chain: guest::SwapChainId) {
        for index in 0.. {
            let Ok(buffer) = self.enter().back_buffer(chain, index) else { break };
            let surface = self.enter().user(buffer.image) as *const Surface;
            // SAFETY: the object of a back buffer is a `Surface`, owned by this device.
            if let Some(surface) = unsafe { surface.as_ref() } {
                surface.set_container(Container::Device);
            }
        }
    }

    /// Frees the objects whose place in the guest is empty or taken by another: implicit ones that went together.
    pub(super) fn sweep(&self) {
        let entered = self.enter();
        let inside = &mut *entered.inside;
        let gone: Vec<_> =
            inside.owned.iter().filter(|(h, o)| inside.guest.user(**h) != o.address()).map(|(h, _)| *h).collect();
        let gone: Vec<_> = gone.iter().filter_map(|handle| inside.owned.remove(handle)).collect();
        drop(entered);
        drop(gone);
    }

    /// The swap chain of a number. Only the implicit one has one.
    pub(super) fn chain(&self, index: u32) -> Result<&SwapChain, HRESULT> {
        let guest = self.enter();
        let chain = guest.swap_chain(index).map_err(guest::Error::code)?;
        let object = guest.user(chain) as *const SwapChain;
        // SAFETY: the object of a swap chain is a `SwapChain`, owned by this device.
        unsafe { object.as_ref() }.ok_or(D3DERR_INVALIDCALL)
    }

    /// What a program means by the last parameter of a call that makes a texture or a surface. `lies_in` says whether this one
    /// can lie in memory that the program has: it has one level, and it is flat.
    ///
    /// # Errors
    /// `E_NOTIMPL` for devices that are not extended: they do not know the parameter. `D3DERR_INVALIDCALL` where it makes no
    /// sense.
    pub(super) fn shared(&self, handle: Out<HANDLE>, pool: D3DPOOL, lies_in: bool) -> Result<Sharing, HRESULT> {
        if handle.is_null() {
            return Ok(Sharing::Unasked);
        }
        if !self.extended() {
            return Err(E_NOTIMPL);
        }
        match pool {
            D3DPOOL_SYSTEMMEM if lies_in => {
                let memory = handle.read().and_then(|address| NonNull::new(address as *mut u8));
                memory.map(|memory| Sharing::Memory(UserMemory(memory))).ok_or(D3DERR_INVALIDCALL)
            }
            D3DPOOL_DEFAULT => Ok(Sharing::Handle(handle)),
            _ => Err(D3DERR_INVALIDCALL),
        }
    }

    /// [`Device::shared`] for buffers, which can neither be shared nor lie in a program's memory.
    pub(super) fn refuse_shared(&self, handle: Out<HANDLE>) -> Option<HRESULT> {
        if handle.is_null() {
            return None;
        }
        if !self.extended() {
            return Some(E_NOTIMPL);
        }
        log_once!("buffers cannot be shared between devices (pSharedHandle); making one fails");
        Some(D3DERR_NOTAVAILABLE)
    }

    /// `CreateRenderTarget`, `CreateDepthStencilSurface` and their extended twins: a surface that `make` creates.
    pub(super) fn create_target(
        &self,
        out: OutObject<IDirect3DSurface9>,
        shared: Out<HANDLE>,
        make: impl FnOnce(&mut guest::Device) -> guest::Result<guest::ImageId>,
    ) -> HRESULT {
        match self.shared(shared, D3DPOOL_DEFAULT, false) {
            Ok(sharing) => self.create_object(out, |device, guest| {
                let image = make(guest)?;
                let image = sharing.apply(guest, image)?;
                Ok(Surface::new(device, guest::Surface::of(image), Container::Device))
            }),
            Err(failure) => failure,
        }
    }

    /// The guest's name of a surface that the program passed, which must be this device's.
    pub(super) fn surface(&self, object: Object<IDirect3DSurface9>) -> guest::Result<guest::Surface> {
        let surface = object.get().filter(|s| core::ptr::eq(s.device(), self));
        surface.map(|s| s.id).ok_or(guest::Error::InvalidCall)
    }
}

/// The guest's name of an object that the program passed; leaves the method if it is another device's.
macro_rules! name {
    ($device:expr, $object:expr, $name:ident) => {
        match $object.get() {
            Some(object) if !core::ptr::eq(crate::object::Child::device(object), $device) => return D3DERR_INVALIDCALL,
            object => object.map(|object| object.$name),
        }
    };
}
pub(super) use name;
