//! The interface table: each method once, in vtable order, with its published parameters.
//!
//! A new method is a row here and a function in the trait implementation of its object; a row without such a function
//! is a method that is not done yet: it logs its name once, sets the objects it would have returned to null, and fails
//! with `D3DERR_INVALIDCALL` (`FALSE` or 0 where it returns no result). Parameter types are those of
//! [`super::pointers`].

use core::ffi::c_void;

use afterimage_d3d9_types::*;

use super::pointers::{In, Object, Out, OutObject};

super::macros::interfaces! {
    /// What every object can do.
    IUnknown: = "00000000-0000-0000-c000-000000000046" {
        fn QueryInterface(riid: In<GUID>, ppvObject: OutObject<c_void>) -> HRESULT;
        fn AddRef() -> u32;
        fn Release() -> u32;
    }
    /// Enumerates adapters and creates devices.
    IDirect3D9: IUnknown = "81bdcbca-64d4-426d-ae8d-ad0147f4275c" {
        fn RegisterSoftwareDevice(pInitializeFunction: Out<c_void>) -> HRESULT;
        fn GetAdapterCount() -> u32;
        fn GetAdapterIdentifier(Adapter: u32, Flags: u32, pIdentifier: Out<D3DADAPTER_IDENTIFIER9>) -> HRESULT;
        fn GetAdapterModeCount(Adapter: u32, Format: D3DFORMAT) -> u32;
        fn EnumAdapterModes(Adapter: u32, Format: D3DFORMAT, Mode: u32, pMode: Out<D3DDISPLAYMODE>) -> HRESULT;
        fn GetAdapterDisplayMode(Adapter: u32, pMode: Out<D3DDISPLAYMODE>) -> HRESULT;
        fn CheckDeviceType(Adapter: u32, DevType: D3DDEVTYPE, AdapterFormat: D3DFORMAT, BackBufferFormat: D3DFORMAT,
            bWindowed: BOOL) -> HRESULT;
        fn CheckDeviceFormat(Adapter: u32, DeviceType: D3DDEVTYPE, AdapterFormat: D3DFORMAT, Usage: u32,
            RType: D3DRESOURCETYPE, CheckFormat: D3DFORMAT) -> HRESULT;
        fn CheckDeviceMultiSampleType(Adapter: u32, DeviceType: D3DDEVTYPE, SurfaceFormat: D3DFORMAT, Windowed: BOOL,
            MultiSampleType: D3DMULTISAMPLE_TYPE, pQualityLevels: Out<u32>) -> HRESULT;
        fn CheckDepthStencilMatch(Adapter: u32, DeviceType: D3DDEVTYPE, AdapterFormat: D3DFORMAT,
            RenderTargetFormat: D3DFORMAT, DepthStencilFormat: D3DFORMAT) -> HRESULT;
        fn CheckDeviceFormatConversion(Adapter: u32, DeviceType: D3DDEVTYPE, SourceFormat: D3DFORMAT,
            TargetFormat: D3DFORMAT) -> HRESULT;
        fn GetDeviceCaps(Adapter: u32, DeviceType: D3DDEVTYPE, pCaps: Out<D3DCAPS9>) -> HRESULT;
        fn GetAdapterMonitor(Adapter: u32) -> HMONITOR;
        fn CreateDevice(Adapter: u32, DeviceType: D3DDEVTYPE, hFocusWindow: HWND, BehaviorFlags: u32,
            pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
            ppReturnedDeviceInterface: OutObject<IDirect3DDevice9>) -> HRESULT;
    }
    /// [`IDirect3D9`] of `Direct3DCreate9Ex`.
    IDirect3D9Ex: IDirect3D9 = "02177241-69fc-400c-8ff1-93a44df6861d" {
        fn GetAdapterModeCountEx(Adapter: u32, pFilter: In<D3DDISPLAYMODEFILTER>) -> u32;
        fn EnumAdapterModesEx(Adapter: u32, pFilter: In<D3DDISPLAYMODEFILTER>, Mode: u32,
            pMode: Out<D3DDISPLAYMODEEX>) -> HRESULT;
        fn GetAdapterDisplayModeEx(Adapter: u32, pMode: Out<D3DDISPLAYMODEEX>,
            pRotation: Out<D3DDISPLAYROTATION>) -> HRESULT;
        fn CreateDeviceEx(Adapter: u32, DeviceType: D3DDEVTYPE, hFocusWindow: HWND, BehaviorFlags: u32,
            pPresentationParameters: Out<D3DPRESENT_PARAMETERS>, pFullscreenDisplayMode: Out<D3DDISPLAYMODEEX>,
            ppReturnedDeviceInterface: OutObject<IDirect3DDevice9Ex>) -> HRESULT;
        fn GetAdapterLUID(Adapter: u32, pLUID: Out<LUID>) -> HRESULT;
    }
    /// The device: state, resources, drawing.
    IDirect3DDevice9: IUnknown = "d0223b96-bf7a-43fd-92bd-a43b0d82b9eb" {
        fn TestCooperativeLevel() -> HRESULT;
        fn GetAvailableTextureMem() -> u32;
        fn EvictManagedResources() -> HRESULT;
        fn GetDirect3D(ppD3D9: OutObject<IDirect3D9>) -> HRESULT;
        fn GetDeviceCaps(pCaps: Out<D3DCAPS9>) -> HRESULT;
        fn GetDisplayMode(iSwapChain: u32, pMode: Out<D3DDISPLAYMODE>) -> HRESULT;
        fn GetCreationParameters(pParameters: Out<D3DDEVICE_CREATION_PARAMETERS>) -> HRESULT;
        fn SetCursorProperties(XHotSpot: u32, YHotSpot: u32, pCursorBitmap: Object<IDirect3DSurface9>) -> HRESULT;
        fn SetCursorPosition(X: i32, Y: i32, Flags: u32);
        fn ShowCursor(bShow: BOOL) -> BOOL;
        fn CreateAdditionalSwapChain(pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
            pSwapChain: OutObject<IDirect3DSwapChain9>) -> HRESULT;
        fn GetSwapChain(iSwapChain: u32, pSwapChain: OutObject<IDirect3DSwapChain9>) -> HRESULT;
        fn GetNumberOfSwapChains() -> u32;
        fn Reset(pPresentationParameters: Out<D3DPRESENT_PARAMETERS>) -> HRESULT;
        fn Present(pSourceRect: In<RECT>, pDestRect: In<RECT>, hDestWindowOverride: HWND,
            pDirtyRegion: In<RGNDATA>) -> HRESULT;
        fn GetBackBuffer(iSwapChain: u32, iBackBuffer: u32, Type: D3DBACKBUFFER_TYPE,
            ppBackBuffer: OutObject<IDirect3DSurface9>) -> HRESULT;
        fn GetRasterStatus(iSwapChain: u32, pRasterStatus: Out<D3DRASTER_STATUS>) -> HRESULT;
        fn SetDialogBoxMode(bEnableDialogs: BOOL) -> HRESULT;
        fn SetGammaRamp(iSwapChain: u32, Flags: u32, pRamp: In<D3DGAMMARAMP>);
        fn GetGammaRamp(iSwapChain: u32, pRamp: Out<D3DGAMMARAMP>);
        fn CreateTexture(Width: u32, Height: u32, Levels: u32, Usage: u32, Format: D3DFORMAT, Pool: D3DPOOL,
            ppTexture: OutObject<IDirect3DTexture9>, pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn CreateVolumeTexture(Width: u32, Height: u32, Depth: u32, Levels: u32, Usage: u32, Format: D3DFORMAT,
            Pool: D3DPOOL, ppVolumeTexture: OutObject<IDirect3DVolumeTexture9>,
            pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn CreateCubeTexture(EdgeLength: u32, Levels: u32, Usage: u32, Format: D3DFORMAT, Pool: D3DPOOL,
            ppCubeTexture: OutObject<IDirect3DCubeTexture9>, pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn CreateVertexBuffer(Length: u32, Usage: u32, FVF: u32, Pool: D3DPOOL,
            ppVertexBuffer: OutObject<IDirect3DVertexBuffer9>, pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn CreateIndexBuffer(Length: u32, Usage: u32, Format: D3DFORMAT, Pool: D3DPOOL,
            ppIndexBuffer: OutObject<IDirect3DIndexBuffer9>, pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn CreateRenderTarget(Width: u32, Height: u32, Format: D3DFORMAT, MultiSample: D3DMULTISAMPLE_TYPE,
            MultisampleQuality: u32, Lockable: BOOL, ppSurface: OutObject<IDirect3DSurface9>,
            pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn CreateDepthStencilSurface(Width: u32, Height: u32, Format: D3DFORMAT, MultiSample: D3DMULTISAMPLE_TYPE,
            MultisampleQuality: u32, Discard: BOOL, ppSurface: OutObject<IDirect3DSurface9>,
            pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn UpdateSurface(pSourceSurface: Object<IDirect3DSurface9>, pSourceRect: In<RECT>,
            pDestinationSurface: Object<IDirect3DSurface9>, pDestPoint: In<POINT>) -> HRESULT;
        fn UpdateTexture(pSourceTexture: Object<IDirect3DBaseTexture9>,
            pDestinationTexture: Object<IDirect3DBaseTexture9>) -> HRESULT;
        fn GetRenderTargetData(pRenderTarget: Object<IDirect3DSurface9>,
            pDestSurface: Object<IDirect3DSurface9>) -> HRESULT;
        fn GetFrontBufferData(iSwapChain: u32, pDestSurface: Object<IDirect3DSurface9>) -> HRESULT;
        fn StretchRect(pSourceSurface: Object<IDirect3DSurface9>, pSourceRect: In<RECT>,
            pDestSurface: Object<IDirect3DSurface9>, pDestRect: In<RECT>, Filter: D3DTEXTUREFILTERTYPE) -> HRESULT;
        fn ColorFill(pSurface: Object<IDirect3DSurface9>, pRect: In<RECT>, color: D3DCOLOR) -> HRESULT;
        fn CreateOffscreenPlainSurface(Width: u32, Height: u32, Format: D3DFORMAT, Pool: D3DPOOL,
            ppSurface: OutObject<IDirect3DSurface9>, pSharedHandle: Out<HANDLE>) -> HRESULT;
        fn SetRenderTarget(RenderTargetIndex: u32, pRenderTarget: Object<IDirect3DSurface9>) -> HRESULT;
        fn GetRenderTarget(RenderTargetIndex: u32, ppRenderTarget: OutObject<IDirect3DSurface9>) -> HRESULT;
        fn SetDepthStencilSurface(pNewZStencil: Object<IDirect3DSurface9>) -> HRESULT;
        fn GetDepthStencilSurface(ppZStencilSurface: OutObject<IDirect3DSurface9>) -> HRESULT;
        fn BeginScene() -> HRESULT;
        fn EndScene() -> HRESULT;
        fn Clear(Count: u32, pRects: In<D3DRECT>, Flags: u32, Color: D3DCOLOR, Z: f32, Stencil: u32) -> HRESULT;
        fn SetTransform(State: D3DTRANSFORMSTATETYPE, pMatrix: In<D3DMATRIX>) -> HRESULT;
        fn GetTransform(State: D3DTRANSFORMSTATETYPE, pMatrix: Out<D3DMATRIX>) -> HRESULT;
        fn MultiplyTransform(State: D3DTRANSFORMSTATETYPE, pMatrix: In<D3DMATRIX>) -> HRESULT;
        fn SetViewport(pViewport: In<D3DVIEWPORT9>) -> HRESULT;
        fn GetViewport(pViewport: Out<D3DVIEWPORT9>) -> HRESULT;
        fn SetMaterial(pMaterial: In<D3DMATERIAL9>) -> HRESULT;
        fn GetMaterial(pMaterial: Out<D3DMATERIAL9>) -> HRESULT;
        fn SetLight(Index: u32, pLight: In<D3DLIGHT9>) -> HRESULT;
        fn GetLight(Index: u32, pLight: Out<D3DLIGHT9>) -> HRESULT;
        fn LightEnable(Index: u32, Enable: BOOL) -> HRESULT;
        fn GetLightEnable(Index: u32, pEnable: Out<BOOL>) -> HRESULT;
        fn SetClipPlane(Index: u32, pPlane: In<f32>) -> HRESULT;
        fn GetClipPlane(Index: u32, pPlane: Out<f32>) -> HRESULT;
        fn SetRenderState(State: D3DRENDERSTATETYPE, Value: u32) -> HRESULT;
        fn GetRenderState(State: D3DRENDERSTATETYPE, pValue: Out<u32>) -> HRESULT;
        fn CreateStateBlock(Type: D3DSTATEBLOCKTYPE, ppSB: OutObject<IDirect3DStateBlock9>) -> HRESULT;
        fn BeginStateBlock() -> HRESULT;
        fn EndStateBlock(ppSB: OutObject<IDirect3DStateBlock9>) -> HRESULT;
        fn SetClipStatus(pClipStatus: In<D3DCLIPSTATUS9>) -> HRESULT;
        fn GetClipStatus(pClipStatus: Out<D3DCLIPSTATUS9>) -> HRESULT;
        fn GetTexture(Stage: u32, ppTexture: OutObject<IDirect3DBaseTexture9>) -> HRESULT;
        fn SetTexture(Stage: u32, pTexture: Object<IDirect3DBaseTexture9>) -> HRESULT;
        fn GetTextureStageState(Stage: u32, Type: D3DTEXTURESTAGESTATETYPE, pValue: Out<u32>) -> HRESULT;
        fn SetTextureStageState(Stage: u32, Type: D3DTEXTURESTAGESTATETYPE, Value: u32) -> HRESULT;
        fn GetSamplerState(Sampler: u32, Type: D3DSAMPLERSTATETYPE, pValue: Out<u32>) -> HRESULT;
        fn SetSamplerState(Sampler: u32, Type: D3DSAMPLERSTATETYPE, Value: u32) -> HRESULT;
        fn ValidateDevice(pNumPasses: Out<u32>) -> HRESULT;
        fn SetPaletteEntries(PaletteNumber: u32, pEntries: In<PALETTEENTRY>) -> HRESULT;
        fn GetPaletteEntries(PaletteNumber: u32, pEntries: Out<PALETTEENTRY>) -> HRESULT;
        fn SetCurrentTexturePalette(PaletteNumber: u32) -> HRESULT;
        fn GetCurrentTexturePalette(PaletteNumber: Out<u32>) -> HRESULT;
        fn SetScissorRect(pRect: In<RECT>) -> HRESULT;
        fn GetScissorRect(pRect: Out<RECT>) -> HRESULT;
        fn SetSoftwareVertexProcessing(bSoftware: BOOL) -> HRESULT;
        fn GetSoftwareVertexProcessing() -> BOOL;
        fn SetNPatchMode(nSegments: f32) -> HRESULT;
        fn GetNPatchMode() -> f32;
        fn DrawPrimitive(PrimitiveType: D3DPRIMITIVETYPE, StartVertex: u32, PrimitiveCount: u32) -> HRESULT;
        fn DrawIndexedPrimitive(PrimitiveType: D3DPRIMITIVETYPE, BaseVertexIndex: i32, MinVertexIndex: u32,
            NumVertices: u32, startIndex: u32, primCount: u32) -> HRESULT;
        fn DrawPrimitiveUP(PrimitiveType: D3DPRIMITIVETYPE, PrimitiveCount: u32, pVertexStreamZeroData: In<c_void>,
            VertexStreamZeroStride: u32) -> HRESULT;
        fn DrawIndexedPrimitiveUP(PrimitiveType: D3DPRIMITIVETYPE, MinVertexIndex: u32, NumVertices: u32,
            PrimitiveCount: u32, pIndexData: In<c_void>, IndexDataFormat: D3DFORMAT,
            pVertexStreamZeroData: In<c_void>, VertexStreamZeroStride: u32) -> HRESULT;
        fn ProcessVertices(SrcStartIndex: u32, DestIndex: u32, VertexCount: u32,
            pDestBuffer: Object<IDirect3DVertexBuffer9>, pVertexDecl: Object<IDirect3DVertexDeclaration9>,
            Flags: u32) -> HRESULT;
        fn CreateVertexDeclaration(pVertexElements: In<D3DVERTEXELEMENT9>,
            ppDecl: OutObject<IDirect3DVertexDeclaration9>) -> HRESULT;
        fn SetVertexDeclaration(pDecl: Object<IDirect3DVertexDeclaration9>) -> HRESULT;
        fn GetVertexDeclaration(ppDecl: OutObject<IDirect3DVertexDeclaration9>) -> HRESULT;
        fn SetFVF(FVF: u32) -> HRESULT;
        fn GetFVF(pFVF: Out<u32>) -> HRESULT;
        fn CreateVertexShader(pFunction: In<u32>, ppShader: OutObject<IDirect3DVertexShader9>) -> HRESULT;
        fn SetVertexShader(pShader: Object<IDirect3DVertexShader9>) -> HRESULT;
        fn GetVertexShader(ppShader: OutObject<IDirect3DVertexShader9>) -> HRESULT;
        fn SetVertexShaderConstantF(StartRegister: u32, pConstantData: In<f32>, Vector4fCount: u32) -> HRESULT;
        fn GetVertexShaderConstantF(StartRegister: u32, pConstantData: Out<f32>, Vector4fCount: u32) -> HRESULT;
        fn SetVertexShaderConstantI(StartRegister: u32, pConstantData: In<i32>, Vector4iCount: u32) -> HRESULT;
        fn GetVertexShaderConstantI(StartRegister: u32, pConstantData: Out<i32>, Vector4iCount: u32) -> HRESULT;
        fn SetVertexShaderConstantB(StartRegister: u32, pConstantData: In<BOOL>, BoolCount: u32) -> HRESULT;
        fn GetVertexShaderConstantB(StartRegister: u32, pConstantData: Out<BOOL>, BoolCount: u32) -> HRESULT;
        fn SetStreamSource(StreamNumber: u32, pStreamData: Object<IDirect3DVertexBuffer9>, OffsetInBytes: u32,
            Stride: u32) -> HRESULT;
        fn GetStreamSource(StreamNumber: u32, ppStreamData: OutObject<IDirect3DVertexBuffer9>,
            pOffsetInBytes: Out<u32>, pStride: Out<u32>) -> HRESULT;
        fn SetStreamSourceFreq(StreamNumber: u32, Setting: u32) -> HRESULT;
        fn GetStreamSourceFreq(StreamNumber: u32, pSetting: Out<u32>) -> HRESULT;
        fn SetIndices(pIndexData: Object<IDirect3DIndexBuffer9>) -> HRESULT;
        fn GetIndices(ppIndexData: OutObject<IDirect3DIndexBuffer9>) -> HRESULT;
        fn CreatePixelShader(pFunction: In<u32>, ppShader: OutObject<IDirect3DPixelShader9>) -> HRESULT;
        fn SetPixelShader(pShader: Object<IDirect3DPixelShader9>) -> HRESULT;
        fn GetPixelShader(ppShader: OutObject<IDirect3DPixelShader9>) -> HRESULT;
        fn SetPixelShaderConstantF(StartRegister: u32, pConstantData: In<f32>, Vector4fCount: u32) -> HRESULT;
        fn GetPixelShaderConstantF(StartRegister: u32, pConstantData: Out<f32>, Vector4fCount: u32) -> HRESULT;
        fn SetPixelShaderConstantI(StartRegister: u32, pConstantData: In<i32>, Vector4iCount: u32) -> HRESULT;
        fn GetPixelShaderConstantI(StartRegister: u32, pConstantData: Out<i32>, Vector4iCount: u32) -> HRESULT;
        fn SetPixelShaderConstantB(StartRegister: u32, pConstantData: In<BOOL>, BoolCount: u32) -> HRESULT;
        fn GetPixelShaderConstantB(StartRegister: u32, pConstantData: Out<BOOL>, BoolCount: u32) -> HRESULT;
        fn DrawRectPatch(Handle: u32, pNumSegs: In<f32>, pRectPatchInfo: In<D3DRECTPATCH_INFO>) -> HRESULT;
        fn DrawTriPatch(Handle: u32, pNumSegs: In<f32>, pTriPatchInfo: In<D3DTRIPATCH_INFO>) -> HRESULT;
        fn DeletePatch(Handle: u32) -> HRESULT;
        fn CreateQuery(Type: D3DQUERYTYPE, ppQuery: OutObject<IDirect3DQuery9>) -> HRESULT;
    }
    /// [`IDirect3DDevice9`] of `CreateDeviceEx`.
    IDirect3DDevice9Ex: IDirect3DDevice9 = "b18b10ce-2649-405a-870f-95f777d4313a" {
        fn SetConvolutionMonoKernel(width: u32, height: u32, rows: Out<f32>, columns: Out<f32>) -> HRESULT;
        fn ComposeRects(pSrc: Object<IDirect3DSurface9>, pDst: Object<IDirect3DSurface9>,
            pSrcRectDescs: Object<IDirect3DVertexBuffer9>, NumRects: u32,
            pDstRectDescs: Object<IDirect3DVertexBuffer9>, Operation: D3DCOMPOSERECTSOP, Xoffset: i32,
            Yoffset: i32) -> HRESULT;
        fn PresentEx(pSourceRect: In<RECT>, pDestRect: In<RECT>, hDestWindowOverride: HWND, pDirtyRegion: In<RGNDATA>,
            dwFlags: u32) -> HRESULT;
        fn GetGPUThreadPriority(pPriority: Out<i32>) -> HRESULT;
        fn SetGPUThreadPriority(Priority: i32) -> HRESULT;
        fn WaitForVBlank(iSwapChain: u32) -> HRESULT;
        fn CheckResourceResidency(pResourceArray: In<*mut IDirect3DResource9>, NumResources: u32) -> HRESULT;
        fn SetMaximumFrameLatency(MaxLatency: u32) -> HRESULT;
        fn GetMaximumFrameLatency(pMaxLatency: Out<u32>) -> HRESULT;
        fn CheckDeviceState(hDestinationWindow: HWND) -> HRESULT;
        fn CreateRenderTargetEx(Width: u32, Height: u32, Format: D3DFORMAT, MultiSample: D3DMULTISAMPLE_TYPE,
            MultisampleQuality: u32, Lockable: BOOL, ppSurface: OutObject<IDirect3DSurface9>,
            pSharedHandle: Out<HANDLE>, Usage: u32) -> HRESULT;
        fn CreateOffscreenPlainSurfaceEx(Width: u32, Height: u32, Format: D3DFORMAT, Pool: D3DPOOL,
            ppSurface: OutObject<IDirect3DSurface9>, pSharedHandle: Out<HANDLE>, Usage: u32) -> HRESULT;
        fn CreateDepthStencilSurfaceEx(Width: u32, Height: u32, Format: D3DFORMAT, MultiSample: D3DMULTISAMPLE_TYPE,
            MultisampleQuality: u32, Discard: BOOL, ppSurface: OutObject<IDirect3DSurface9>,
            pSharedHandle: Out<HANDLE>, Usage: u32) -> HRESULT;
        fn ResetEx(pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
            pFullscreenDisplayMode: Out<D3DDISPLAYMODEEX>) -> HRESULT;
        fn GetDisplayModeEx(iSwapChain: u32, pMode: Out<D3DDISPLAYMODEEX>,
            pRotation: Out<D3DDISPLAYROTATION>) -> HRESULT;
    }
    /// Back buffers and their presentation.
    IDirect3DSwapChain9: IUnknown = "794950f2-adfc-458a-905e-10a10b0b503b" {
        fn Present(pSourceRect: In<RECT>, pDestRect: In<RECT>, hDestWindowOverride: HWND, pDirtyRegion: In<RGNDATA>,
            dwFlags: u32) -> HRESULT;
        fn GetFrontBufferData(pDestSurface: Object<IDirect3DSurface9>) -> HRESULT;
        fn GetBackBuffer(iBackBuffer: u32, Type: D3DBACKBUFFER_TYPE,
            ppBackBuffer: OutObject<IDirect3DSurface9>) -> HRESULT;
        fn GetRasterStatus(pRasterStatus: Out<D3DRASTER_STATUS>) -> HRESULT;
        fn GetDisplayMode(pMode: Out<D3DDISPLAYMODE>) -> HRESULT;
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn GetPresentParameters(pPresentationParameters: Out<D3DPRESENT_PARAMETERS>) -> HRESULT;
    }
    /// [`IDirect3DSwapChain9`] of an extended device.
    IDirect3DSwapChain9Ex: IDirect3DSwapChain9 = "91886caf-1c3d-4d2e-a0ab-3e4c7d8d3303" {
        fn GetLastPresentCount(pLastPresentCount: Out<u32>) -> HRESULT;
        fn GetPresentStats(pPresentationStatistics: Out<D3DPRESENTSTATS>) -> HRESULT;
        fn GetDisplayModeEx(pMode: Out<D3DDISPLAYMODEEX>, pRotation: Out<D3DDISPLAYROTATION>) -> HRESULT;
    }
    /// Recorded state.
    IDirect3DStateBlock9: IUnknown = "b07c4fe5-310d-4ba8-a23c-4f0f206f218b" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn Capture() -> HRESULT;
        fn Apply() -> HRESULT;
    }
    /// What all resources can do.
    IDirect3DResource9: IUnknown = "05eec05d-8f7d-4362-b999-d1baf357c704" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn SetPrivateData(refguid: In<GUID>, pData: In<c_void>, SizeOfData: u32, Flags: u32) -> HRESULT;
        fn GetPrivateData(refguid: In<GUID>, pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT;
        fn FreePrivateData(refguid: In<GUID>) -> HRESULT;
        fn SetPriority(PriorityNew: u32) -> u32;
        fn GetPriority() -> u32;
        fn PreLoad();
        fn GetType() -> D3DRESOURCETYPE;
    }
    /// What all textures can do.
    IDirect3DBaseTexture9: IDirect3DResource9 = "580ca87e-1d3c-4d54-991d-b7d3e3c298ce" {
        fn SetLOD(LODNew: u32) -> u32;
        fn GetLOD() -> u32;
        fn GetLevelCount() -> u32;
        fn SetAutoGenFilterType(FilterType: D3DTEXTUREFILTERTYPE) -> HRESULT;
        fn GetAutoGenFilterType() -> D3DTEXTUREFILTERTYPE;
        fn GenerateMipSubLevels();
    }
    /// Two-dimensional texture.
    IDirect3DTexture9: IDirect3DBaseTexture9 = "85c31227-3de5-4f00-9b3a-f11ac38c18b5" {
        fn GetLevelDesc(Level: u32, pDesc: Out<D3DSURFACE_DESC>) -> HRESULT;
        fn GetSurfaceLevel(Level: u32, ppSurfaceLevel: OutObject<IDirect3DSurface9>) -> HRESULT;
        fn LockRect(Level: u32, pLockedRect: Out<D3DLOCKED_RECT>, pRect: In<RECT>, Flags: u32) -> HRESULT;
        fn UnlockRect(Level: u32) -> HRESULT;
        fn AddDirtyRect(pDirtyRect: In<RECT>) -> HRESULT;
    }
    /// Volume texture.
    IDirect3DVolumeTexture9: IDirect3DBaseTexture9 = "2518526c-e789-4111-a7b9-47ef328d13e6" {
        fn GetLevelDesc(Level: u32, pDesc: Out<D3DVOLUME_DESC>) -> HRESULT;
        fn GetVolumeLevel(Level: u32, ppVolumeLevel: OutObject<IDirect3DVolume9>) -> HRESULT;
        fn LockBox(Level: u32, pLockedVolume: Out<D3DLOCKED_BOX>, pBox: In<D3DBOX>, Flags: u32) -> HRESULT;
        fn UnlockBox(Level: u32) -> HRESULT;
        fn AddDirtyBox(pDirtyBox: In<D3DBOX>) -> HRESULT;
    }
    /// Cube map.
    IDirect3DCubeTexture9: IDirect3DBaseTexture9 = "fff32f81-d953-473a-9223-93d652aba93f" {
        fn GetLevelDesc(Level: u32, pDesc: Out<D3DSURFACE_DESC>) -> HRESULT;
        fn GetCubeMapSurface(FaceType: D3DCUBEMAP_FACES, Level: u32,
            ppCubeMapSurface: OutObject<IDirect3DSurface9>) -> HRESULT;
        fn LockRect(FaceType: D3DCUBEMAP_FACES, Level: u32, pLockedRect: Out<D3DLOCKED_RECT>, pRect: In<RECT>,
            Flags: u32) -> HRESULT;
        fn UnlockRect(FaceType: D3DCUBEMAP_FACES, Level: u32) -> HRESULT;
        fn AddDirtyRect(FaceType: D3DCUBEMAP_FACES, pDirtyRect: In<RECT>) -> HRESULT;
    }
    /// A level of a texture, a render target, a depth buffer or a plain surface.
    IDirect3DSurface9: IDirect3DResource9 = "0cfbaf3a-9ff6-429a-99b3-a2796af8b89b" {
        fn GetContainer(riid: In<GUID>, ppContainer: OutObject<c_void>) -> HRESULT;
        fn GetDesc(pDesc: Out<D3DSURFACE_DESC>) -> HRESULT;
        fn LockRect(pLockedRect: Out<D3DLOCKED_RECT>, pRect: In<RECT>, Flags: u32) -> HRESULT;
        fn UnlockRect() -> HRESULT;
        fn GetDC(phdc: Out<HDC>) -> HRESULT;
        fn ReleaseDC(hdc: HDC) -> HRESULT;
    }
    /// A level of a volume texture.
    IDirect3DVolume9: IUnknown = "24f416e6-1f67-4aa7-b88e-d33f6f3128a1" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn SetPrivateData(refguid: In<GUID>, pData: In<c_void>, SizeOfData: u32, Flags: u32) -> HRESULT;
        fn GetPrivateData(refguid: In<GUID>, pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT;
        fn FreePrivateData(refguid: In<GUID>) -> HRESULT;
        fn GetContainer(riid: In<GUID>, ppContainer: OutObject<c_void>) -> HRESULT;
        fn GetDesc(pDesc: Out<D3DVOLUME_DESC>) -> HRESULT;
        fn LockBox(pLockedVolume: Out<D3DLOCKED_BOX>, pBox: In<D3DBOX>, Flags: u32) -> HRESULT;
        fn UnlockBox() -> HRESULT;
    }
    /// Vertex buffer.
    IDirect3DVertexBuffer9: IDirect3DResource9 = "b64bb1b5-fd70-4df6-bf91-19d0a12455e3" {
        fn Lock(OffsetToLock: u32, SizeToLock: u32, ppbData: OutObject<c_void>, Flags: u32) -> HRESULT;
        fn Unlock() -> HRESULT;
        fn GetDesc(pDesc: Out<D3DVERTEXBUFFER_DESC>) -> HRESULT;
    }
    /// Index buffer.
    IDirect3DIndexBuffer9: IDirect3DResource9 = "7c9dd65e-d3f7-4529-acee-785830acde35" {
        fn Lock(OffsetToLock: u32, SizeToLock: u32, ppbData: OutObject<c_void>, Flags: u32) -> HRESULT;
        fn Unlock() -> HRESULT;
        fn GetDesc(pDesc: Out<D3DINDEXBUFFER_DESC>) -> HRESULT;
    }
    /// Layout of vertices.
    IDirect3DVertexDeclaration9: IUnknown = "dd13c59c-36fa-4098-a8fb-c7ed39dc8546" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn GetDeclaration(pElement: Out<D3DVERTEXELEMENT9>, pNumElements: Out<u32>) -> HRESULT;
    }
    /// Vertex shader.
    IDirect3DVertexShader9: IUnknown = "efc5557e-6265-4613-8a94-43857889eb36" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn GetFunction(pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT;
    }
    /// Pixel shader.
    IDirect3DPixelShader9: IUnknown = "6d3bdbdc-5b02-4415-b852-ce5e8bccb289" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn GetFunction(pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT;
    }
    /// Asynchronous query.
    IDirect3DQuery9: IUnknown = "d9771460-a695-4f26-bbd3-27b840b541cc" {
        fn GetDevice(ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT;
        fn GetType() -> D3DQUERYTYPE;
        fn GetDataSize() -> u32;
        fn Issue(dwIssueFlags: u32) -> HRESULT;
        fn GetData(pData: Out<c_void>, dwSize: u32, dwGetDataFlags: u32) -> HRESULT;
    }
}
