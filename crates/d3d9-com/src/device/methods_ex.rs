//! `IDirect3DDevice9Ex`. What no capability announces fails, and says so.

use afterimage_d3d9_types::*;

use super::Device;
use crate::abi::*;
use crate::full_screen::Condition;
use crate::refresh::Refresh;

impl IDirect3DDevice9ExMethods for Device {
    fn PresentEx(
        &self,
        pSourceRect: In<RECT>,
        pDestRect: In<RECT>,
        hDestWindowOverride: HWND,
        _pDirtyRegion: In<RGNDATA>,
        dwFlags: u32,
    ) -> HRESULT {
        match self.chain(0) {
            Ok(chain) => chain.present(pSourceRect, pDestRect, hDestWindowOverride, dwFlags),
            Err(failure) => failure,
        }
    }

    fn GetGPUThreadPriority(&self, pPriority: Out<i32>) -> HRESULT {
        if pPriority.write(self.gpu_priority.get()) { D3D_OK } else { D3DERR_INVALIDCALL }
    }

    /// Remembered; the system schedules as it likes.
    fn SetGPUThreadPriority(&self, Priority: i32) -> HRESULT {
        if !(-7..=7).contains(&Priority) {
            return D3DERR_INVALIDCALL;
        }
        self.gpu_priority.set(Priority);
        D3D_OK
    }

    /// Everything that exists is resident: the receiver keeps what does not fit into video memory where it can still be
    /// drawn from.
    fn CheckResourceResidency(&self, pResourceArray: In<*mut IDirect3DResource9>, NumResources: u32) -> HRESULT {
        let resources = pResourceArray.slice(NumResources as usize).unwrap_or_default();
        let missing = resources.len() != NumResources as usize || resources.iter().any(|resource| resource.is_null());
        if missing { D3DERR_INVALIDCALL } else { S_OK }
    }

    fn SetMaximumFrameLatency(&self, MaxLatency: u32) -> HRESULT {
        if MaxLatency > D3DPRESENT_BACK_BUFFERS_MAX_EX {
            return D3DERR_INVALIDCALL;
        }
        self.enter().set_frame_latency((MaxLatency != 0).then_some(MaxLatency));
        D3D_OK
    }

    fn GetMaximumFrameLatency(&self, pMaxLatency: Out<u32>) -> HRESULT {
        if pMaxLatency.write(self.enter().frame_latency()) { D3D_OK } else { D3DERR_INVALIDCALL }
    }

    fn CheckDeviceState(&self, hDestinationWindow: HWND) -> HRESULT {
        if let Err(error) = self.enter().test_cooperative_level() {
            return error.code();
        }
        let full_screen = self.full_screen();
        // A full-screen device is seen in its own window, and hides all others.
        match (full_screen.screen(), full_screen.condition()) {
            (Some(screen), Condition::Lost) if screen.window == hDestinationWindow => S_PRESENT_OCCLUDED,
            _ if full_screen.mode_changed() => S_PRESENT_MODE_CHANGED,
            (Some(screen), Condition::Good) if screen.window != hDestinationWindow => S_PRESENT_OCCLUDED,
            _ => D3D_OK,
        }
    }

    fn WaitForVBlank(&self, iSwapChain: u32) -> HRESULT {
        match self.chain(iSwapChain) {
            Ok(_) => {
                Refresh::of(&self.desktop()).wait();
                D3D_OK
            }
            Err(failure) => failure,
        }
    }

    /// For filters that `D3DPTFILTERCAPS_CONVOLUTIONMONO` announces, which these capabilities do not.
    fn SetConvolutionMonoKernel(&self, _width: u32, _height: u32, _rows: Out<f32>, _columns: Out<f32>) -> HRESULT {
        log_once!(
            "IDirect3DDevice9Ex::SetConvolutionMonoKernel: no convolution filter is in the capabilities; it fails"
        );
        D3DERR_INVALIDCALL
    }

    /// For surfaces of the format A1, which cannot be made here.
    fn ComposeRects(
        &self,
        _pSrc: Object<IDirect3DSurface9>,
        _pDst: Object<IDirect3DSurface9>,
        _pSrcRectDescs: Object<IDirect3DVertexBuffer9>,
        _NumRects: u32,
        _pDstRectDescs: Object<IDirect3DVertexBuffer9>,
        _Operation: D3DCOMPOSERECTSOP,
        _Xoffset: i32,
        _Yoffset: i32,
    ) -> HRESULT {
        log_once!("IDirect3DDevice9Ex::ComposeRects: no surface has the format D3DFMT_A1 that it needs; it fails");
        D3DERR_INVALIDCALL
    }

    fn CreateRenderTargetEx(
        &self,
        Width: u32,
        Height: u32,
        Format: D3DFORMAT,
        MultiSample: D3DMULTISAMPLE_TYPE,
        MultisampleQuality: u32,
        Lockable: BOOL,
        ppSurface: OutObject<IDirect3DSurface9>,
        pSharedHandle: Out<HANDLE>,
        Usage: u32,
    ) -> HRESULT {
        if let Some(failure) = refuse_usage(Usage) {
            return failure;
        }
        self.create_target(ppSurface, pSharedHandle, |guest| {
            let (samples, quality, lockable) = (MultiSample, MultisampleQuality, Lockable != FALSE);
            guest.create_render_target_ex(Width, Height, Format, samples, quality, lockable, Usage)
        })
    }

    fn CreateOffscreenPlainSurfaceEx(
        &self,
        Width: u32,
        Height: u32,
        Format: D3DFORMAT,
        Pool: D3DPOOL,
        ppSurface: OutObject<IDirect3DSurface9>,
        pSharedHandle: Out<HANDLE>,
        Usage: u32,
    ) -> HRESULT {
        // Unlike targets, plain surfaces that cannot be are null.
        if let Some(failure) = refuse_usage(Usage) {
            ppSurface.write(core::ptr::null_mut());
            return failure;
        }
        self.CreateOffscreenPlainSurface(Width, Height, Format, Pool, ppSurface, pSharedHandle)
    }

    fn CreateDepthStencilSurfaceEx(
        &self,
        Width: u32,
        Height: u32,
        Format: D3DFORMAT,
        MultiSample: D3DMULTISAMPLE_TYPE,
        MultisampleQuality: u32,
        Discard: BOOL,
        ppSurface: OutObject<IDirect3DSurface9>,
        pSharedHandle: Out<HANDLE>,
        Usage: u32,
    ) -> HRESULT {
        if let Some(failure) = refuse_usage(Usage) {
            return failure;
        }
        self.create_target(ppSurface, pSharedHandle, |guest| {
            let (samples, quality, discard) = (MultiSample, MultisampleQuality, Discard != FALSE);
            guest.create_depth_stencil_ex(Width, Height, Format, samples, quality, discard, Usage)
        })
    }

    fn ResetEx(
        &self,
        pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
        pFullscreenDisplayMode: Out<D3DDISPLAYMODEEX>,
    ) -> HRESULT {
        let windowed = pPresentationParameters.read().is_some_and(|p| p.Windowed != FALSE);
        if windowed != pFullscreenDisplayMode.is_null() {
            return D3DERR_INVALIDCALL;
        }
        self.reset(pPresentationParameters, pFullscreenDisplayMode.read().as_ref())
    }

    fn GetDisplayModeEx(
        &self,
        iSwapChain: u32,
        pMode: Out<D3DDISPLAYMODEEX>,
        pRotation: Out<D3DDISPLAYROTATION>,
    ) -> HRESULT {
        match self.chain(iSwapChain) {
            Ok(chain) => chain.GetDisplayModeEx(pMode, pRotation),
            Err(failure) => failure,
        }
    }
}

/// The only usages that surfaces may be asked for concern who may open what is shared, which nothing here restricts, and
/// protection.
fn refuse_usage(usage: u32) -> Option<HRESULT> {
    let sharing = D3DUSAGE_RESTRICT_SHARED_RESOURCE | D3DUSAGE_RESTRICT_SHARED_RESOURCE_DRIVER;
    if usage & sharing != 0 {
        log_once!("surfaces that processes share (D3DUSAGE_RESTRICT_SHARED_RESOURCE) are not there; making one fails");
    }
    (usage & !D3DUSAGE_RESTRICTED_CONTENT != 0).then_some(D3DERR_INVALIDCALL)
}
