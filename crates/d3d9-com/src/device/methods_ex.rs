//! `IDirect3DDevice9Ex`. Methods that are missing here are not done yet, and say so.

use afterimage_d3d9_types::*;

use super::Device;
use crate::abi::*;
use crate::results::code;

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

    /// Everything that exists is resident.
    fn CheckResourceResidency(&self, pResourceArray: In<*mut IDirect3DResource9>, NumResources: u32) -> HRESULT {
        if pResourceArray.is_null() && NumResources != 0 { D3DERR_INVALIDCALL } else { S_OK }
    }

    /// Remembered; the guest itself keeps at most three frames in flight.
    fn SetMaximumFrameLatency(&self, MaxLatency: u32) -> HRESULT {
        if MaxLatency > D3DPRESENT_BACK_BUFFERS_MAX_EX {
            return D3DERR_INVALIDCALL;
        }
        self.frame_latency.set(if MaxLatency == 0 { 3 } else { MaxLatency });
        D3D_OK
    }

    fn GetMaximumFrameLatency(&self, pMaxLatency: Out<u32>) -> HRESULT {
        if pMaxLatency.write(self.frame_latency.get()) { D3D_OK } else { D3DERR_INVALIDCALL }
    }

    fn CheckDeviceState(&self, _hDestinationWindow: HWND) -> HRESULT {
        code(self.enter().test_cooperative_level())
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
        let (samples, quality) = (MultiSample, MultisampleQuality);
        self.CreateRenderTarget(Width, Height, Format, samples, quality, Lockable, ppSurface, pSharedHandle)
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
        if let Some(failure) = refuse_usage(Usage) {
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
        let (samples, quality) = (MultiSample, MultisampleQuality);
        self.CreateDepthStencilSurface(Width, Height, Format, samples, quality, Discard, ppSurface, pSharedHandle)
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
        self.reset(pPresentationParameters)
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

/// The only usages of plain surfaces concern sharing and protection, which are not done yet.
fn refuse_usage(usage: u32) -> Option<HRESULT> {
    if usage == 0 {
        return None;
    }
    log_once!("shared and protected surfaces are not done yet; making one fails");
    Some(D3DERR_INVALIDCALL)
}
