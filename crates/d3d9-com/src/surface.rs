//! Surfaces: `IDirect3DSurface9`. A level of a texture, a back buffer, or one that stands alone.

use core::cell::{Cell, RefCell};
use core::ffi::c_void;

use afterimage_d3d9::{self as guest, Handle};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::{Device, Entered};
use crate::object::{Child, Refs, Unknown, add_ref, add_ref_inside, release};
use crate::platform::{Canvas, CanvasMemory};
use crate::resource::{Common, Resource};
use crate::results::{code, put};
use crate::swap_chain::SwapChain;
use crate::texture::Texture;

static SURFACE: IDirect3DSurface9Vtable = IDirect3DSurface9Vtable::of::<Surface>();

/// Whose part a surface is.
#[derive(Clone, Copy)]
pub(crate) enum Container {
    /// It stands alone.
    Device,
    /// A level of a texture, which counts its references.
    Texture(*const Texture),
    /// A back buffer.
    SwapChain(*const SwapChain),
}

/// A surface.
#[repr(C)]
pub(crate) struct Surface {
    vtable: *const IDirect3DSurface9Vtable,
    refs: Refs,
    common: Common,
    container: Cell<Container>,
    /// Between `GetDC` and `ReleaseDC`. Looked at only inside of the device.
    canvas: RefCell<Option<(Canvas, CanvasMemory)>>,
    pub(crate) id: guest::Surface,
}

// SAFETY: the interface is only ever given out for a `Surface`.
unsafe impl Interface for IDirect3DSurface9 {
    type Object = Surface;
}

impl Surface {
    /// A surface of the guest.
    pub(crate) fn new(device: &Device, id: guest::Surface, container: Container) -> Self {
        // Surfaces have no priority whatever their pool: a level has its texture's.
        let common = Common::new(device, D3DPOOL_DEFAULT);
        Self {
            vtable: &SURFACE,
            refs: Refs::default(),
            common,
            container: Cell::new(container),
            canvas: RefCell::default(),
            id,
        }
    }

    /// Says whose part it is.
    pub(crate) fn set_container(&self, container: Container) {
        self.container.set(container);
    }

    /// The texture that it is a level of.
    fn texture(&self) -> Option<&Texture> {
        match self.container.get() {
            // SAFETY: a texture outlives its levels.
            Container::Texture(texture) => Some(unsafe { &*texture }),
            _ => None,
        }
    }

    /// Adds a reference for the program, by a call that is inside of the device.
    pub(crate) fn add_reference_inside(&self, guest: &mut Entered<'_>) {
        match self.texture() {
            Some(texture) => add_ref_inside(texture, guest),
            None => add_ref_inside(self, guest),
        };
    }

    /// Adds a reference, for the program.
    pub(crate) fn hand_out(&self) -> *mut IDirect3DSurface9 {
        self.add_reference();
        core::ptr::from_ref(self).cast_mut().cast()
    }

    /// `LockRect`.
    pub(crate) fn lock(&self, out: Out<D3DLOCKED_RECT>, rect: In<RECT>, flags: u32) -> HRESULT {
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let locked = self.common.device().enter().lock_surface(self.id, rect.read().as_ref(), flags);
        put(out, locked.map(|l| D3DLOCKED_RECT { Pitch: l.row_pitch as i32, pBits: l.bits.cast() }))
    }

    /// `UnlockRect`.
    pub(crate) fn unlock(&self) -> guest::Result<()> {
        self.common.device().enter().unlock_surface(self.id)
    }
}

impl Child for Surface {
    fn refs(&self) -> &Refs {
        &self.refs
    }
    fn device(&self) -> &Device {
        self.common.device()
    }
    fn handle(&self) -> Handle {
        self.id.image.into()
    }
}

impl Unknown for Surface {
    fn interfaces(&self) -> &'static [GUID] {
        &[IDirect3DSurface9::IID, IDirect3DResource9::IID]
    }
    fn add_reference(&self) -> u32 {
        self.texture().map_or_else(|| add_ref(self), add_ref)
    }
    fn release_reference(&self) -> u32 {
        self.texture().map_or_else(|| release(self), release)
    }
}

impl Resource for Surface {
    fn common(&self) -> &Common {
        &self.common
    }
    fn resource_type(&self) -> D3DRESOURCETYPE {
        D3DRTYPE_SURFACE
    }
    fn named(&self) -> Option<Handle> {
        self.texture().is_none().then(|| self.handle())
    }
}

impl IDirect3DSurface9Methods for Surface {
    fn GetContainer(&self, riid: In<GUID>, ppContainer: OutObject<c_void>) -> HRESULT {
        match self.container.get() {
            Container::Device => self.common.device().QueryInterface(riid, ppContainer),
            // SAFETY: a texture outlives its levels.
            Container::Texture(texture) => unsafe { (*texture).QueryInterface(riid, ppContainer) },
            // SAFETY: a swap chain disowns its back buffers before it goes.
            Container::SwapChain(chain) => unsafe { (*chain).QueryInterface(riid, ppContainer) },
        }
    }
    fn GetDesc(&self, pDesc: Out<D3DSURFACE_DESC>) -> HRESULT {
        put(pDesc, self.common.device().enter().surface_desc(self.id))
    }
    fn LockRect(&self, pLockedRect: Out<D3DLOCKED_RECT>, pRect: In<RECT>, Flags: u32) -> HRESULT {
        self.lock(pLockedRect, pRect, Flags)
    }
    fn UnlockRect(&self) -> HRESULT {
        code(self.unlock())
    }

    /// The surface is locked until `ReleaseDC`.
    fn GetDC(&self, phdc: Out<HDC>) -> HRESULT {
        let mut guest = self.common.device().enter();
        let mut canvas = self.canvas.borrow_mut();
        if phdc.is_null() || canvas.is_some() {
            return D3DERR_INVALIDCALL;
        }
        let Ok(desc) = guest.surface_desc(self.id) else { return D3DERR_INVALIDCALL };
        let Some((depth, masks)) = canvas_format(desc.Format) else { return D3DERR_INVALIDCALL };
        let locked = match guest.lock_context(self.id) {
            Ok(locked) => locked,
            Err(error) => return error.code(),
        };
        let (width, height, pitch) = (desc.Width, desc.Height, locked.row_pitch as usize);
        let memory = CanvasMemory { bits: locked.bits, pitch, width, height, format: desc.Format, depth, masks };
        let Some(made) = Canvas::new(&memory) else {
            return code(guest.release_context(self.id).and(Err(guest::Error::InvalidCall)));
        };
        phdc.write(made.handle());
        *canvas = Some((made, memory));
        D3D_OK
    }

    fn ReleaseDC(&self, hdc: HDC) -> HRESULT {
        let inside = self.common.device().enter();
        let drawn = self.canvas.borrow_mut().take_if(|(canvas, _)| canvas.handle() == hdc);
        drop(inside);
        match drawn {
            Some((canvas, memory)) => {
                canvas.finish(&memory);
                code(self.common.device().enter().release_context(self.id))
            }
            None => D3DERR_INVALIDCALL,
        }
    }
}

/// Bits of a pixel, and the masks of 16-bit ones, of the formats that a device context can draw to.
fn canvas_format(format: D3DFORMAT) -> Option<(u16, [u32; 3])> {
    match format {
        D3DFMT_A8R8G8B8 | D3DFMT_X8R8G8B8 => Some((32, [0; 3])),
        D3DFMT_R8G8B8 => Some((24, [0; 3])),
        D3DFMT_R5G6B5 => Some((16, [0xf800, 0x07e0, 0x001f])),
        D3DFMT_X1R5G5B5 | D3DFMT_A1R5G5B5 => Some((16, [0x7c00, 0x03e0, 0x001f])),
        _ => None,
    }
}
