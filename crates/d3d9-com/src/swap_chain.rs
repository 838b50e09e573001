//! Swap chains: `IDirect3DSwapChain9`, `IDirect3DSwapChain9Ex`.

use core::cell::Cell;
use core::ptr::NonNull;

use afterimage_config::{Switch, settings};
use afterimage_d3d9::{Handle, SwapChainId, Window};
use afterimage_d3d9_types::*;
use afterimage_stream::packets::WindowKind;

use crate::abi::*;
use crate::device::Device;
use crate::direct3d::{display_mode_ex, put_mode_ex};
use crate::full_screen::Condition;
use crate::object::{Child, Refs, Unknown, add_ref, release};
use crate::platform;
use crate::refresh::Refresh;
use crate::resource::get_device;
use crate::results::{code, put};
use crate::{captures, crash, renderer};

static SWAP_CHAIN: IDirect3DSwapChain9ExVtable = IDirect3DSwapChain9ExVtable::of::<SwapChain>();

/// A swap chain, implicit or additional.
#[repr(C)]
pub(crate) struct SwapChain {
    vtable: *const IDirect3DSwapChain9ExVtable,
    refs: Refs,
    device: NonNull<Device>,
    pub(crate) id: SwapChainId,
    /// Pictures shown, and which refresh of the display was the last one's.
    shown: Cell<(u32, u32)>,
}

// SAFETY: the interface is only ever given out for a `SwapChain`.
unsafe impl Interface for IDirect3DSwapChain9 {
    type Object = SwapChain;
}

/// The window as one that the program draws into itself, where it is one, or where Vulkan has refused it.
fn blitted(window: Option<Window>) -> Option<Window> {
    let window = window?;
    let refused = || {
        window.kind == WindowKind::Win32
            && settings().soft_present != Switch::Off
            && renderer::is_refused(window.handle)
    };
    (window.kind == WindowKind::Blit || refused()).then_some(Window { kind: WindowKind::Blit, ..window })
}

impl SwapChain {
    /// The object of a swap chain that the guest has just made.
    pub(crate) fn new(device: &Device, id: SwapChainId) -> Self {
        Self { vtable: &SWAP_CHAIN, refs: Refs::default(), device: NonNull::from(device), id, shown: Cell::default() }
    }

    /// `Present`. While the screen is another program's, the frame ends without being shown.
    pub(crate) fn present(&self, source: In<RECT>, destination: In<RECT>, window: HWND, flags: u32) -> HRESULT {
        let device = self.device();
        if let Some(answer) = self.unseen() {
            let result = device.enter().present(self.id, None, None, Some(Window::HEADLESS), flags);
            return if result.is_err() { code(result) } else { answer };
        }
        let window = (window != 0).then(|| platform::window(window, (0, 0), device.place()));
        let mut guest = device.enter();
        let window = blitted(window.or_else(|| guest.window(self.id))).or(window);
        let result = guest.present(self.id, source.read().as_ref(), destination.read().as_ref(), window, flags);
        let shown = result.is_ok();
        let result = guest.done(result);
        if let Some(window) = window.filter(|window| shown && window.kind == WindowKind::Blit) {
            self.blit(window.handle as HWND);
        }
        captures::heed_keys();
        device.follow_overlay();
        if result == D3DERR_DEVICELOST {
            crash::device_lost();
        }
        if device.extended() && shown {
            let refresh = Refresh::of(&device.desktop()).count(platform::ticks());
            self.shown.set((self.shown.get().0.wrapping_add(1), refresh));
        }
        if shown && device.full_screen().mode_changed() { S_PRESENT_MODE_CHANGED } else { result }
    }

    /// Draws the picture that was presented into the program's window, since nobody else does.
    fn blit(&self, window: HWND) {
        let mut guest = self.device().enter();
        if let Err(error) = guest.with_shown(self.id, &mut |picture, size| platform::blit(window, picture, size)) {
            let what = "Present: the picture does not come back from the renderer, and is not shown";
            crate::abi::log_once!(format_args!("{what}: {error}"));
        }
    }

    /// What `Present` answers where nobody would see the picture.
    fn unseen(&self) -> Option<HRESULT> {
        match (self.device().full_screen().condition(), self.device().extended()) {
            (Condition::Good, _) => None,
            (_, false) => Some(D3DERR_DEVICELOST),
            (_, true) => Some(S_PRESENT_OCCLUDED),
        }
    }

    /// `GetRasterStatus`.
    pub(crate) fn raster_status(&self, out: Out<D3DRASTER_STATUS>) -> HRESULT {
        put(out, Ok(Refresh::of(&self.device().desktop()).status(platform::ticks())))
    }

    /// `GetBackBuffer`. The kind is ignored, as Windows does.
    pub(crate) fn back_buffer(
        &self,
        index: u32,
        _kind: D3DBACKBUFFER_TYPE,
        out: OutObject<IDirect3DSurface9>,
    ) -> HRESULT {
        self.device().give_surface(|guest| guest.back_buffer(self.id, index), out)
    }

    /// `GetDisplayMode`.
    pub(crate) fn display_mode(&self, out: Out<D3DDISPLAYMODE>) -> HRESULT {
        put(out, Ok(self.device().desktop()))
    }
}

impl Child for SwapChain {
    fn refs(&self) -> &Refs {
        &self.refs
    }
    fn device(&self) -> &Device {
        // SAFETY: a device owns its objects and frees them before itself.
        unsafe { self.device.as_ref() }
    }
    fn handle(&self) -> Handle {
        self.id.into()
    }
}

impl Unknown for SwapChain {
    fn interfaces(&self) -> &'static [GUID] {
        if self.device().extended() {
            &[IDirect3DSwapChain9::IID, IDirect3DSwapChain9Ex::IID]
        } else {
            &[IDirect3DSwapChain9::IID]
        }
    }
    fn add_reference(&self) -> u32 {
        add_ref(self)
    }
    fn release_reference(&self) -> u32 {
        release(self)
    }
}

impl IDirect3DSwapChain9Methods for SwapChain {
    fn Present(
        &self,
        pSourceRect: In<RECT>,
        pDestRect: In<RECT>,
        hDestWindowOverride: HWND,
        _pDirtyRegion: In<RGNDATA>,
        dwFlags: u32,
    ) -> HRESULT {
        self.present(pSourceRect, pDestRect, hDestWindowOverride, dwFlags)
    }
    fn GetFrontBufferData(&self, pDestSurface: Object<IDirect3DSurface9>) -> HRESULT {
        self.device().front_buffer_data(self.id, pDestSurface)
    }
    fn GetBackBuffer(
        &self,
        iBackBuffer: u32,
        Type: D3DBACKBUFFER_TYPE,
        ppBackBuffer: OutObject<IDirect3DSurface9>,
    ) -> HRESULT {
        self.back_buffer(iBackBuffer, Type, ppBackBuffer)
    }
    fn GetRasterStatus(&self, pRasterStatus: Out<D3DRASTER_STATUS>) -> HRESULT {
        self.raster_status(pRasterStatus)
    }
    fn GetDisplayMode(&self, pMode: Out<D3DDISPLAYMODE>) -> HRESULT {
        self.display_mode(pMode)
    }
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.device(), ppDevice)
    }
    fn GetPresentParameters(&self, pPresentationParameters: Out<D3DPRESENT_PARAMETERS>) -> HRESULT {
        put(pPresentationParameters, self.device().enter().present_parameters(self.id))
    }
}

impl IDirect3DSwapChain9ExMethods for SwapChain {
    fn GetLastPresentCount(&self, pLastPresentCount: Out<u32>) -> HRESULT {
        put(pLastPresentCount, Ok(self.shown.get().0))
    }

    /// The times are those of the clock that stands for the display ([`Refresh`]).
    fn GetPresentStats(&self, pPresentationStatistics: Out<D3DPRESENTSTATS>) -> HRESULT {
        let (ticks, refresh) = (platform::ticks(), Refresh::of(&self.device().desktop()));
        let (count, at) = self.shown.get();
        let stats = D3DPRESENTSTATS {
            PresentCount: count,
            PresentRefreshCount: at,
            SyncRefreshCount: refresh.count(ticks),
            SyncQPCTime: refresh.last(ticks),
            SyncGPUTime: 0,
        };
        put(pPresentationStatistics, Ok(stats))
    }

    fn GetDisplayModeEx(&self, pMode: Out<D3DDISPLAYMODEEX>, pRotation: Out<D3DDISPLAYROTATION>) -> HRESULT {
        let device = self.device();
        put_mode_ex(device.output(), display_mode_ex(device.desktop()), pMode, pRotation)
    }
}
