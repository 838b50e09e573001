//! `IDirect3DDevice9`: each method unwraps its parameters and calls the guest.
//!
//! Methods that are missing here are not done yet, and say so (`abi/interfaces.rs`).

use core::ffi::c_void;

use afterimage_d3d9 as guest;
use afterimage_d3d9_types::*;

use super::objects::{Sharing, name};
use super::{Device, input, target_window};
use crate::abi::*;
use crate::buffer::Buffer;
use crate::object::Unknown as _;
use crate::platform;
use crate::query::{Query, StateBlock};
use crate::results::{code, put};
use crate::shader::{Declaration, PixelShader, VertexShader};
use crate::surface::{Container, Surface};
use crate::swap_chain::SwapChain;
use crate::texture::Texture;

/// A surface that may be null; leaves the method if it is another device's.
macro_rules! optional {
    ($device:expr, $object:expr) => {
        match $object.is_null() {
            true => None,
            false => match $device.surface($object) {
                Ok(surface) => Some(surface),
                Err(error) => return error.code(),
            },
        }
    };
}

/// Registers of four that a program passes.
fn registers<T: bytemuck::Pod>(data: &In<T>, count: u32) -> Option<&[[T; 4]]> {
    data.slice((count as usize).checked_mul(4)?).map(bytemuck::cast_slice)
}

/// Registers of four that a program wants.
fn registers_mut<T: bytemuck::Pod>(data: &mut Out<T>, count: u32) -> Option<&mut [[T; 4]]> {
    data.slice((count as usize).checked_mul(4)?).map(bytemuck::cast_slice_mut)
}

/// Truth values that a program passes.
fn flags(data: &In<BOOL>, count: u32) -> Option<&[BOOL]> {
    data.slice(count as usize)
}

/// Truth values that a program wants.
fn flags_mut(data: &mut Out<BOOL>, count: u32) -> Option<&mut [BOOL]> {
    data.slice(count as usize)
}

/// The setter and the getter of each bank of shader constants: methods, the guest's functions, element, conversions.
macro_rules! constants {
    ($($set:ident $guest_set:ident $get:ident $guest_get:ident: $ty:ty, $read:ident $write:ident;)*) => {$(
        fn $set(&self, StartRegister: u32, pConstantData: In<$ty>, Count: u32) -> HRESULT {
            match $read(&pConstantData, Count) {
                Some(values) => code(self.enter().$guest_set(StartRegister, values)),
                None => D3DERR_INVALIDCALL,
            }
        }

        fn $get(&self, StartRegister: u32, mut pConstantData: Out<$ty>, Count: u32) -> HRESULT {
            match $write(&mut pConstantData, Count) {
                Some(out) => code(self.enter().$guest_get(StartRegister, out)),
                None => D3DERR_INVALIDCALL,
            }
        }
    )*};
}

/// Stores an array.
fn fill<T: Copy, const N: usize>(out: &mut Out<T>, values: guest::Result<[T; N]>) -> HRESULT {
    match (out.slice(N), values) {
        (None, _) => D3DERR_INVALIDCALL,
        (Some(to), Ok(values)) => {
            to.copy_from_slice(&values);
            D3D_OK
        }
        (_, Err(error)) => error.code(),
    }
}

impl IDirect3DDevice9Methods for Device {
    fn TestCooperativeLevel(&self) -> HRESULT {
        self.cooperative_level()
    }

    fn GetAvailableTextureMem(&self) -> u32 {
        self.enter().available_texture_memory()
    }

    fn EvictManagedResources(&self) -> HRESULT {
        self.enter().evict_managed();
        D3D_OK
    }

    fn GetDirect3D(&self, ppD3D9: OutObject<IDirect3D9>) -> HRESULT {
        if !ppD3D9.write(core::ptr::from_ref(self.parent()).cast_mut().cast()) {
            return D3DERR_INVALIDCALL;
        }
        self.parent().add_reference();
        D3D_OK
    }

    fn GetDeviceCaps(&self, pCaps: Out<D3DCAPS9>) -> HRESULT {
        put(pCaps, self.parent().adapter().device_caps(&self.enter().creation()))
    }

    fn GetDisplayMode(&self, iSwapChain: u32, pMode: Out<D3DDISPLAYMODE>) -> HRESULT {
        match self.chain(iSwapChain) {
            Ok(chain) => chain.display_mode(pMode),
            Err(failure) => failure,
        }
    }

    fn GetCreationParameters(&self, pParameters: Out<D3DDEVICE_CREATION_PARAMETERS>) -> HRESULT {
        put(pParameters, Ok(self.enter().creation()))
    }

    fn SetCursorProperties(&self, XHotSpot: u32, YHotSpot: u32, pCursorBitmap: Object<IDirect3DSurface9>) -> HRESULT {
        self.set_cursor((XHotSpot, YHotSpot), pCursorBitmap)
    }

    fn ShowCursor(&self, bShow: BOOL) -> BOOL {
        self.show_cursor(bShow != FALSE)
    }

    fn SetCursorPosition(&self, X: i32, Y: i32, _Flags: u32) {
        platform::set_cursor_position(X, Y);
    }

    fn CreateAdditionalSwapChain(
        &self,
        pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
        pSwapChain: OutObject<IDirect3DSwapChain9>,
    ) -> HRESULT {
        let Some(mut parameters) = pPresentationParameters.read() else { return D3DERR_INVALIDCALL };
        let window = target_window(&parameters, self.enter().creation().hFocusWindow, self.place());
        let mut made = None;
        let result = self.create_object(pSwapChain, |device, guest| {
            let chain = guest.create_swap_chain(&mut parameters, window)?;
            made = Some(chain);
            Ok(SwapChain::new(device, chain))
        });
        if let Some(chain) = made {
            self.own_back_buffers(chain);
            pPresentationParameters.write(parameters);
        }
        result
    }

    fn GetSwapChain(&self, iSwapChain: u32, pSwapChain: OutObject<IDirect3DSwapChain9>) -> HRESULT {
        if !pSwapChain.write(core::ptr::null_mut()) {
            return D3DERR_INVALIDCALL;
        }
        match self.chain(iSwapChain) {
            Ok(chain) => {
                pSwapChain.write(core::ptr::from_ref(chain).cast_mut().cast());
                chain.add_reference();
                D3D_OK
            }
            Err(failure) => failure,
        }
    }

    fn GetNumberOfSwapChains(&self) -> u32 {
        1
    }

    fn Reset(&self, pPresentationParameters: Out<D3DPRESENT_PARAMETERS>) -> HRESULT {
        self.reset(pPresentationParameters, None)
    }

    fn Present(
        &self,
        pSourceRect: In<RECT>,
        pDestRect: In<RECT>,
        hDestWindowOverride: HWND,
        _pDirtyRegion: In<RGNDATA>,
    ) -> HRESULT {
        match self.chain(0) {
            Ok(chain) => chain.present(pSourceRect, pDestRect, hDestWindowOverride, 0),
            Err(failure) => failure,
        }
    }

    fn GetRasterStatus(&self, iSwapChain: u32, pRasterStatus: Out<D3DRASTER_STATUS>) -> HRESULT {
        match self.chain(iSwapChain) {
            Ok(chain) => chain.raster_status(pRasterStatus),
            Err(failure) => failure,
        }
    }

    fn SetDialogBoxMode(&self, bEnableDialogs: BOOL) -> HRESULT {
        self.set_dialog_boxes(bEnableDialogs != FALSE)
    }

    fn GetBackBuffer(
        &self,
        iSwapChain: u32,
        iBackBuffer: u32,
        Type: D3DBACKBUFFER_TYPE,
        ppBackBuffer: OutObject<IDirect3DSurface9>,
    ) -> HRESULT {
        ppBackBuffer.write(core::ptr::null_mut());
        match self.chain(iSwapChain) {
            Ok(chain) => chain.back_buffer(iBackBuffer, Type, ppBackBuffer),
            Err(failure) => failure,
        }
    }

    fn SetGammaRamp(&self, iSwapChain: u32, _Flags: u32, pRamp: In<D3DGAMMARAMP>) {
        if let (Ok(chain), Some(ramp)) = (self.chain(iSwapChain), pRamp.read()) {
            self.enter().set_gamma_ramp(chain.id, &ramp);
        }
    }

    fn GetGammaRamp(&self, iSwapChain: u32, pRamp: Out<D3DGAMMARAMP>) {
        if let Ok(chain) = self.chain(iSwapChain) {
            pRamp.write(self.enter().gamma_ramp(chain.id));
        }
    }

    fn CreateTexture(
        &self,
        Width: u32,
        Height: u32,
        Levels: u32,
        Usage: u32,
        Format: D3DFORMAT,
        Pool: D3DPOOL,
        ppTexture: OutObject<IDirect3DTexture9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        let sharing = match self.shared(pSharedHandle, Pool, Levels == 1) {
            Ok(sharing) => sharing,
            Err(failure) => return failure,
        };
        self.create_object(ppTexture, |device, guest| {
            let image = match sharing {
                Sharing::Memory(memory) => {
                    guest.create_texture_in(Width, Height, Usage, Format, |size| memory.store(size))?
                }
                _ => guest.create_texture(Width, Height, Levels, Usage, Format, Pool)?,
            };
            let image = sharing.apply(guest, image)?;
            Ok(Texture::new(device, guest, image, Pool))
        })
    }

    fn CreateVolumeTexture(
        &self,
        Width: u32,
        Height: u32,
        Depth: u32,
        Levels: u32,
        Usage: u32,
        Format: D3DFORMAT,
        Pool: D3DPOOL,
        ppVolumeTexture: OutObject<IDirect3DVolumeTexture9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        let sharing = match self.shared(pSharedHandle, Pool, false) {
            Ok(sharing) => sharing,
            Err(failure) => return failure,
        };
        self.create_object(ppVolumeTexture, |device, guest| {
            let image = guest.create_volume_texture(Width, Height, Depth, Levels, Usage, Format, Pool)?;
            let image = sharing.apply(guest, image)?;
            Ok(Texture::new(device, guest, image, Pool))
        })
    }

    fn CreateCubeTexture(
        &self,
        EdgeLength: u32,
        Levels: u32,
        Usage: u32,
        Format: D3DFORMAT,
        Pool: D3DPOOL,
        ppCubeTexture: OutObject<IDirect3DCubeTexture9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        let sharing = match self.shared(pSharedHandle, Pool, false) {
            Ok(sharing) => sharing,
            Err(failure) => return failure,
        };
        self.create_object(ppCubeTexture, |device, guest| {
            let image = guest.create_cube_texture(EdgeLength, Levels, Usage, Format, Pool)?;
            let image = sharing.apply(guest, image)?;
            Ok(Texture::new(device, guest, image, Pool))
        })
    }

    fn CreateVertexBuffer(
        &self,
        Length: u32,
        Usage: u32,
        FVF: u32,
        Pool: D3DPOOL,
        ppVertexBuffer: OutObject<IDirect3DVertexBuffer9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        if let Some(failure) = self.refuse_shared(pSharedHandle) {
            return failure;
        }
        self.create_object(ppVertexBuffer, |device, guest| {
            Ok(Buffer::vertices(device, guest.create_vertex_buffer(Length, Usage, FVF, Pool)?, Pool))
        })
    }

    fn CreateIndexBuffer(
        &self,
        Length: u32,
        Usage: u32,
        Format: D3DFORMAT,
        Pool: D3DPOOL,
        ppIndexBuffer: OutObject<IDirect3DIndexBuffer9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        if let Some(failure) = self.refuse_shared(pSharedHandle) {
            return failure;
        }
        self.create_object(ppIndexBuffer, |device, guest| {
            Ok(Buffer::indices(device, guest.create_index_buffer(Length, Usage, Format, Pool)?, Pool))
        })
    }

    fn CreateRenderTarget(
        &self,
        Width: u32,
        Height: u32,
        Format: D3DFORMAT,
        MultiSample: D3DMULTISAMPLE_TYPE,
        MultisampleQuality: u32,
        Lockable: BOOL,
        ppSurface: OutObject<IDirect3DSurface9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        self.create_target(ppSurface, pSharedHandle, |guest| {
            let lockable = Lockable != FALSE;
            guest.create_render_target(Width, Height, Format, MultiSample, MultisampleQuality, lockable)
        })
    }

    fn CreateDepthStencilSurface(
        &self,
        Width: u32,
        Height: u32,
        Format: D3DFORMAT,
        MultiSample: D3DMULTISAMPLE_TYPE,
        MultisampleQuality: u32,
        Discard: BOOL,
        ppSurface: OutObject<IDirect3DSurface9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        self.create_target(ppSurface, pSharedHandle, |guest| {
            let discard = Discard != FALSE;
            guest.create_depth_stencil(Width, Height, Format, MultiSample, MultisampleQuality, discard)
        })
    }

    fn UpdateSurface(
        &self,
        pSourceSurface: Object<IDirect3DSurface9>,
        pSourceRect: In<RECT>,
        pDestinationSurface: Object<IDirect3DSurface9>,
        pDestPoint: In<POINT>,
    ) -> HRESULT {
        let (source, destination) = match (self.surface(pSourceSurface), self.surface(pDestinationSurface)) {
            (Ok(source), Ok(destination)) => (source, destination),
            _ => return D3DERR_INVALIDCALL,
        };
        let (rect, point) = (pSourceRect.read(), pDestPoint.read());
        code(self.enter().update_surface(source, rect.as_ref(), destination, point.as_ref()))
    }

    fn UpdateTexture(
        &self,
        pSourceTexture: Object<IDirect3DBaseTexture9>,
        pDestinationTexture: Object<IDirect3DBaseTexture9>,
    ) -> HRESULT {
        match (name!(self, pSourceTexture, image), name!(self, pDestinationTexture, image)) {
            (Some(source), Some(destination)) => code(self.enter().update_texture(source, destination)),
            _ => D3DERR_INVALIDCALL,
        }
    }

    fn GetRenderTargetData(
        &self,
        pRenderTarget: Object<IDirect3DSurface9>,
        pDestSurface: Object<IDirect3DSurface9>,
    ) -> HRESULT {
        match (self.surface(pRenderTarget), self.surface(pDestSurface)) {
            (Ok(source), Ok(destination)) => code(self.enter().render_target_data(source, destination)),
            _ => D3DERR_INVALIDCALL,
        }
    }

    fn GetFrontBufferData(&self, iSwapChain: u32, pDestSurface: Object<IDirect3DSurface9>) -> HRESULT {
        match self.chain(iSwapChain) {
            Ok(chain) => self.front_buffer_data(chain.id, pDestSurface),
            Err(failure) => failure,
        }
    }

    fn StretchRect(
        &self,
        pSourceSurface: Object<IDirect3DSurface9>,
        pSourceRect: In<RECT>,
        pDestSurface: Object<IDirect3DSurface9>,
        pDestRect: In<RECT>,
        Filter: D3DTEXTUREFILTERTYPE,
    ) -> HRESULT {
        let (source, destination) = match (self.surface(pSourceSurface), self.surface(pDestSurface)) {
            (Ok(source), Ok(destination)) => (source, destination),
            _ => return D3DERR_INVALIDCALL,
        };
        let (from, to) = (pSourceRect.read(), pDestRect.read());
        code(self.enter().stretch_rect(source, from.as_ref(), destination, to.as_ref(), Filter))
    }

    fn ColorFill(&self, pSurface: Object<IDirect3DSurface9>, pRect: In<RECT>, color: D3DCOLOR) -> HRESULT {
        let rect = pRect.read();
        code(self.surface(pSurface).and_then(|surface| self.enter().color_fill(surface, rect.as_ref(), color)))
    }

    fn CreateOffscreenPlainSurface(
        &self,
        Width: u32,
        Height: u32,
        Format: D3DFORMAT,
        Pool: D3DPOOL,
        ppSurface: OutObject<IDirect3DSurface9>,
        pSharedHandle: Out<HANDLE>,
    ) -> HRESULT {
        let sharing = match self.shared(pSharedHandle, Pool, true) {
            Ok(sharing) => sharing,
            Err(failure) => return failure,
        };
        self.create_object(ppSurface, |device, guest| {
            let image = match sharing {
                Sharing::Memory(memory) => {
                    guest.create_offscreen_plain_in(Width, Height, Format, |size| memory.store(size))?
                }
                _ => guest.create_offscreen_plain(Width, Height, Format, Pool)?,
            };
            let image = sharing.apply(guest, image)?;
            Ok(Surface::new(device, guest::Surface::of(image), Container::Device))
        })
    }

    fn SetRenderTarget(&self, RenderTargetIndex: u32, pRenderTarget: Object<IDirect3DSurface9>) -> HRESULT {
        let surface = optional!(self, pRenderTarget);
        let mut guest = self.enter();
        let result = guest.set_render_target(RenderTargetIndex, surface);
        guest.done(result)
    }

    fn GetRenderTarget(&self, RenderTargetIndex: u32, ppRenderTarget: OutObject<IDirect3DSurface9>) -> HRESULT {
        ppRenderTarget.write(core::ptr::null_mut());
        self.give_surface(|guest| guest.render_target(RenderTargetIndex), ppRenderTarget)
    }

    fn SetDepthStencilSurface(&self, pNewZStencil: Object<IDirect3DSurface9>) -> HRESULT {
        let surface = optional!(self, pNewZStencil);
        let mut guest = self.enter();
        let result = guest.set_depth_stencil(surface);
        guest.done(result)
    }

    fn GetDepthStencilSurface(&self, ppZStencilSurface: OutObject<IDirect3DSurface9>) -> HRESULT {
        ppZStencilSurface.write(core::ptr::null_mut());
        self.give_surface(guest::Device::depth_stencil, ppZStencilSurface)
    }

    fn BeginScene(&self) -> HRESULT {
        code(self.enter().begin_scene())
    }

    fn EndScene(&self) -> HRESULT {
        code(self.enter().end_scene())
    }

    fn Clear(&self, Count: u32, pRects: In<D3DRECT>, Flags: u32, Color: D3DCOLOR, Z: f32, Stencil: u32) -> HRESULT {
        // Neither is an error: rectangles without a count clear nothing, a count without rectangles clears all.
        if Count == 0 && !pRects.is_null() {
            return D3D_OK;
        }
        let rects = pRects.slice(Count as usize).unwrap_or_default();
        code(self.enter().clear(rects, Flags, Color, Z, Stencil))
    }

    fn SetTransform(&self, State: D3DTRANSFORMSTATETYPE, pMatrix: In<D3DMATRIX>) -> HRESULT {
        let Some(value) = pMatrix.read() else { return D3DERR_INVALIDCALL };
        code(self.enter().set_transform(State, &value))
    }

    fn GetTransform(&self, State: D3DTRANSFORMSTATETYPE, pMatrix: Out<D3DMATRIX>) -> HRESULT {
        put(pMatrix, self.enter().transform(State))
    }

    fn MultiplyTransform(&self, State: D3DTRANSFORMSTATETYPE, pMatrix: In<D3DMATRIX>) -> HRESULT {
        let Some(value) = pMatrix.read() else { return D3DERR_INVALIDCALL };
        code(self.enter().multiply_transform(State, &value))
    }

    fn SetViewport(&self, pViewport: In<D3DVIEWPORT9>) -> HRESULT {
        let Some(value) = pViewport.read() else { return D3DERR_INVALIDCALL };
        code(self.enter().set_viewport(&value))
    }

    fn GetViewport(&self, pViewport: Out<D3DVIEWPORT9>) -> HRESULT {
        put(pViewport, Ok(self.enter().viewport()))
    }

    fn SetMaterial(&self, pMaterial: In<D3DMATERIAL9>) -> HRESULT {
        let Some(value) = pMaterial.read() else { return D3DERR_INVALIDCALL };
        code(self.enter().set_material(&value))
    }

    fn GetMaterial(&self, pMaterial: Out<D3DMATERIAL9>) -> HRESULT {
        put(pMaterial, self.enter().material())
    }

    fn SetLight(&self, Index: u32, pLight: In<D3DLIGHT9>) -> HRESULT {
        let Some(value) = pLight.read() else { return D3DERR_INVALIDCALL };
        code(self.enter().set_light(Index, &value))
    }

    fn GetLight(&self, Index: u32, pLight: Out<D3DLIGHT9>) -> HRESULT {
        put(pLight, self.enter().light(Index))
    }

    fn LightEnable(&self, Index: u32, Enable: BOOL) -> HRESULT {
        code(self.enter().enable_light(Index, Enable != 0))
    }

    fn GetLightEnable(&self, Index: u32, pEnable: Out<BOOL>) -> HRESULT {
        // Windows answers 128 for true.
        put(pEnable, self.enter().light_enabled(Index).map(|on| if on { 128 } else { 0 }))
    }

    fn SetClipPlane(&self, Index: u32, pPlane: In<f32>) -> HRESULT {
        match pPlane.slice(4).and_then(|plane| plane.try_into().ok()) {
            Some(plane) => code(self.enter().set_clip_plane(Index, plane)),
            None => D3DERR_INVALIDCALL,
        }
    }

    fn GetClipPlane(&self, Index: u32, mut pPlane: Out<f32>) -> HRESULT {
        let plane = self.enter().clip_plane(Index);
        fill(&mut pPlane, plane)
    }

    fn SetRenderState(&self, State: D3DRENDERSTATETYPE, Value: u32) -> HRESULT {
        code(self.enter().set_render_state(State, Value))
    }

    fn GetRenderState(&self, State: D3DRENDERSTATETYPE, pValue: Out<u32>) -> HRESULT {
        put(pValue, self.enter().render_state(State))
    }

    fn CreateStateBlock(&self, Type: D3DSTATEBLOCKTYPE, ppSB: OutObject<IDirect3DStateBlock9>) -> HRESULT {
        self.create_or_leave(ppSB, |device, guest| Ok(StateBlock::new(device, guest.create_state_block(Type)?)))
    }

    fn BeginStateBlock(&self) -> HRESULT {
        code(self.enter().begin_state_block())
    }

    fn EndStateBlock(&self, ppSB: OutObject<IDirect3DStateBlock9>) -> HRESULT {
        self.create_or_leave(ppSB, |device, guest| Ok(StateBlock::new(device, guest.end_state_block()?)))
    }

    fn SetClipStatus(&self, pClipStatus: In<D3DCLIPSTATUS9>) -> HRESULT {
        let Some(status) = pClipStatus.read() else { return D3DERR_INVALIDCALL };
        self.enter().set_clip_status(&status);
        D3D_OK
    }

    fn GetClipStatus(&self, pClipStatus: Out<D3DCLIPSTATUS9>) -> HRESULT {
        put(pClipStatus, self.enter().clip_status())
    }

    fn GetTexture(&self, Stage: u32, ppTexture: OutObject<IDirect3DBaseTexture9>) -> HRESULT {
        ppTexture.write(core::ptr::null_mut());
        self.give::<Texture, _, _>(|guest| guest.texture(Stage), ppTexture)
    }

    fn SetTexture(&self, Stage: u32, pTexture: Object<IDirect3DBaseTexture9>) -> HRESULT {
        let name = name!(self, pTexture, image);
        let mut guest = self.enter();
        let result = guest.set_texture(Stage, name);
        guest.done(result)
    }

    fn GetTextureStageState(&self, Stage: u32, Type: D3DTEXTURESTAGESTATETYPE, pValue: Out<u32>) -> HRESULT {
        put(pValue, self.enter().texture_stage_state(Stage, Type))
    }

    fn SetTextureStageState(&self, Stage: u32, Type: D3DTEXTURESTAGESTATETYPE, Value: u32) -> HRESULT {
        code(self.enter().set_texture_stage_state(Stage, Type, Value))
    }

    fn GetSamplerState(&self, Sampler: u32, Type: D3DSAMPLERSTATETYPE, pValue: Out<u32>) -> HRESULT {
        put(pValue, self.enter().sampler_state(Sampler, Type))
    }

    fn SetSamplerState(&self, Sampler: u32, Type: D3DSAMPLERSTATETYPE, Value: u32) -> HRESULT {
        code(self.enter().set_sampler_state(Sampler, Type, Value))
    }

    fn ValidateDevice(&self, pNumPasses: Out<u32>) -> HRESULT {
        put(pNumPasses, self.enter().validate())
    }

    fn SetPaletteEntries(&self, PaletteNumber: u32, pEntries: In<PALETTEENTRY>) -> HRESULT {
        match pEntries.slice(256).and_then(|entries| entries.try_into().ok()) {
            Some(entries) => code(self.enter().set_palette(PaletteNumber, entries)),
            None => D3DERR_INVALIDCALL,
        }
    }

    fn GetPaletteEntries(&self, PaletteNumber: u32, mut pEntries: Out<PALETTEENTRY>) -> HRESULT {
        let palette = self.enter().palette(PaletteNumber);
        fill(&mut pEntries, palette)
    }

    fn SetCurrentTexturePalette(&self, PaletteNumber: u32) -> HRESULT {
        code(self.enter().set_current_palette(PaletteNumber))
    }

    fn GetCurrentTexturePalette(&self, PaletteNumber: Out<u32>) -> HRESULT {
        put(PaletteNumber, Ok(self.enter().current_palette()))
    }

    fn SetScissorRect(&self, pRect: In<RECT>) -> HRESULT {
        let Some(value) = pRect.read() else { return D3DERR_INVALIDCALL };
        code(self.enter().set_scissor_rect(&value))
    }

    fn GetScissorRect(&self, pRect: Out<RECT>) -> HRESULT {
        put(pRect, Ok(self.enter().scissor_rect()))
    }

    fn SetSoftwareVertexProcessing(&self, bSoftware: BOOL) -> HRESULT {
        code(self.enter().set_software_vertex_processing(bSoftware != 0))
    }

    fn GetSoftwareVertexProcessing(&self) -> BOOL {
        self.enter().software_vertex_processing().into()
    }

    fn SetNPatchMode(&self, nSegments: f32) -> HRESULT {
        code(self.enter().set_npatch_mode(nSegments))
    }

    fn GetNPatchMode(&self) -> f32 {
        self.enter().npatch_mode()
    }

    fn DrawPrimitive(&self, PrimitiveType: D3DPRIMITIVETYPE, StartVertex: u32, PrimitiveCount: u32) -> HRESULT {
        code(self.enter().draw_primitive(PrimitiveType, StartVertex, PrimitiveCount))
    }

    fn DrawIndexedPrimitive(
        &self,
        PrimitiveType: D3DPRIMITIVETYPE,
        BaseVertexIndex: i32,
        MinVertexIndex: u32,
        NumVertices: u32,
        startIndex: u32,
        primCount: u32,
    ) -> HRESULT {
        let mut guest = self.enter();
        code(guest.draw_indexed_primitive(
            PrimitiveType,
            BaseVertexIndex,
            MinVertexIndex,
            NumVertices,
            startIndex,
            primCount,
        ))
    }

    fn DrawPrimitiveUP(
        &self,
        PrimitiveType: D3DPRIMITIVETYPE,
        PrimitiveCount: u32,
        pVertexStreamZeroData: In<c_void>,
        VertexStreamZeroStride: u32,
    ) -> HRESULT {
        let bytes = input::vertex_bytes(PrimitiveType, PrimitiveCount, VertexStreamZeroStride);
        let Some(vertices) = bytes.and_then(|bytes| pVertexStreamZeroData.bytes(bytes)) else {
            return D3DERR_INVALIDCALL;
        };
        let mut guest = self.enter();
        let result = guest.draw_primitive_up(PrimitiveType, PrimitiveCount, vertices, VertexStreamZeroStride);
        guest.done(result)
    }

    fn DrawIndexedPrimitiveUP(
        &self,
        PrimitiveType: D3DPRIMITIVETYPE,
        MinVertexIndex: u32,
        NumVertices: u32,
        PrimitiveCount: u32,
        pIndexData: In<c_void>,
        IndexDataFormat: D3DFORMAT,
        pVertexStreamZeroData: In<c_void>,
        VertexStreamZeroStride: u32,
    ) -> HRESULT {
        let sizes = input::indexed_bytes(
            PrimitiveType,
            PrimitiveCount,
            IndexDataFormat,
            (MinVertexIndex, NumVertices),
            VertexStreamZeroStride,
        );
        let Some((index_bytes, vertex_bytes)) = sizes else { return D3DERR_INVALIDCALL };
        let (indices, vertices) = (pIndexData.bytes(index_bytes), pVertexStreamZeroData.bytes(vertex_bytes));
        let (Some(indices), Some(vertices)) = (indices, vertices) else { return D3DERR_INVALIDCALL };
        let mut guest = self.enter();
        let result = guest.draw_indexed_primitive_up(
            PrimitiveType,
            MinVertexIndex,
            NumVertices,
            PrimitiveCount,
            indices,
            IndexDataFormat,
            vertices,
            VertexStreamZeroStride,
        );
        guest.done(result)
    }

    fn ProcessVertices(
        &self,
        SrcStartIndex: u32,
        DestIndex: u32,
        VertexCount: u32,
        pDestBuffer: Object<IDirect3DVertexBuffer9>,
        pVertexDecl: Object<IDirect3DVertexDeclaration9>,
        Flags: u32,
    ) -> HRESULT {
        let Some(target) = name!(self, pDestBuffer, id) else { return D3DERR_INVALIDCALL };
        let declaration = name!(self, pVertexDecl, id);
        code(self.enter().process_vertices(SrcStartIndex, DestIndex, VertexCount, target, declaration, Flags))
    }

    fn DrawRectPatch(&self, Handle: u32, pNumSegs: In<f32>, pRectPatchInfo: In<D3DRECTPATCH_INFO>) -> HRESULT {
        code(self.enter().draw_rect_patch(Handle, input::edges(pNumSegs), pRectPatchInfo.read().as_ref()))
    }

    fn DrawTriPatch(&self, Handle: u32, pNumSegs: In<f32>, pTriPatchInfo: In<D3DTRIPATCH_INFO>) -> HRESULT {
        code(self.enter().draw_tri_patch(Handle, input::edges(pNumSegs), pTriPatchInfo.read().as_ref()))
    }

    fn DeletePatch(&self, Handle: u32) -> HRESULT {
        code(self.enter().delete_patch(Handle))
    }

    fn CreateVertexDeclaration(
        &self,
        pVertexElements: In<D3DVERTEXELEMENT9>,
        ppDecl: OutObject<IDirect3DVertexDeclaration9>,
    ) -> HRESULT {
        let elements = match input::declaration_elements(pVertexElements) {
            Ok(elements) => elements,
            Err(failure) => return failure,
        };
        self.create_object(ppDecl, |device, guest| Ok(Declaration::new(device, guest.create_declaration(&elements)?)))
    }

    fn SetVertexDeclaration(&self, pDecl: Object<IDirect3DVertexDeclaration9>) -> HRESULT {
        let name = name!(self, pDecl, id);
        let mut guest = self.enter();
        let result = guest.set_vertex_declaration(name);
        guest.done(result)
    }

    fn GetVertexDeclaration(&self, ppDecl: OutObject<IDirect3DVertexDeclaration9>) -> HRESULT {
        let name = self.enter().vertex_declaration();
        if let Some(name) = name
            && self.enter().user(name) == 0
        {
            // The declaration behind an FVF is nobody's until somebody asks for it.
            self.own(Declaration::new(self, name));
        }
        self.give::<Declaration, _, _>(|guest| Ok(guest.vertex_declaration()), ppDecl)
    }

    fn SetFVF(&self, FVF: u32) -> HRESULT {
        let mut guest = self.enter();
        let result = guest.set_fvf(FVF);
        guest.done(result)
    }

    fn GetFVF(&self, pFVF: Out<u32>) -> HRESULT {
        put(pFVF, Ok(self.enter().fvf()))
    }

    fn CreateVertexShader(&self, pFunction: In<u32>, ppShader: OutObject<IDirect3DVertexShader9>) -> HRESULT {
        let Some(tokens) = input::shader_tokens(pFunction) else { return D3DERR_INVALIDCALL };
        self.create_object(ppShader, |device, guest| {
            Ok(VertexShader::new(device, guest.create_vertex_shader(&tokens)?))
        })
    }

    fn SetVertexShader(&self, pShader: Object<IDirect3DVertexShader9>) -> HRESULT {
        let name = name!(self, pShader, id);
        let mut guest = self.enter();
        let result = guest.set_vertex_shader(name);
        guest.done(result)
    }

    fn GetVertexShader(&self, ppShader: OutObject<IDirect3DVertexShader9>) -> HRESULT {
        self.give::<VertexShader, _, _>(|guest| Ok(guest.vertex_shader()), ppShader)
    }

    constants! {
        SetVertexShaderConstantF set_vertex_shader_constant_f GetVertexShaderConstantF vertex_shader_constant_f: f32, registers registers_mut;
        SetVertexShaderConstantI set_vertex_shader_constant_i GetVertexShaderConstantI vertex_shader_constant_i: i32, registers registers_mut;
        SetVertexShaderConstantB set_vertex_shader_constant_b GetVertexShaderConstantB vertex_shader_constant_b: BOOL, flags flags_mut;
        SetPixelShaderConstantF set_pixel_shader_constant_f GetPixelShaderConstantF pixel_shader_constant_f: f32, registers registers_mut;
        SetPixelShaderConstantI set_pixel_shader_constant_i GetPixelShaderConstantI pixel_shader_constant_i: i32, registers registers_mut;
        SetPixelShaderConstantB set_pixel_shader_constant_b GetPixelShaderConstantB pixel_shader_constant_b: BOOL, flags flags_mut;
    }

    fn SetStreamSource(
        &self,
        StreamNumber: u32,
        pStreamData: Object<IDirect3DVertexBuffer9>,
        OffsetInBytes: u32,
        Stride: u32,
    ) -> HRESULT {
        let name = name!(self, pStreamData, id);
        let mut guest = self.enter();
        let result = guest.set_stream_source(StreamNumber, name, OffsetInBytes, Stride);
        guest.done(result)
    }

    fn GetStreamSource(
        &self,
        StreamNumber: u32,
        ppStreamData: OutObject<IDirect3DVertexBuffer9>,
        pOffsetInBytes: Out<u32>,
        pStride: Out<u32>,
    ) -> HRESULT {
        if ppStreamData.is_null() || pOffsetInBytes.is_null() || pStride.is_null() {
            return D3DERR_INVALIDCALL;
        }
        self.give::<Buffer, _, _>(
            |guest| {
                let (buffer, offset, stride) = guest.stream_source(StreamNumber)?;
                pOffsetInBytes.write(offset);
                pStride.write(stride);
                Ok(buffer)
            },
            ppStreamData,
        )
    }

    fn SetStreamSourceFreq(&self, StreamNumber: u32, Setting: u32) -> HRESULT {
        code(self.enter().set_stream_source_freq(StreamNumber, Setting))
    }

    fn GetStreamSourceFreq(&self, StreamNumber: u32, pSetting: Out<u32>) -> HRESULT {
        put(pSetting, self.enter().stream_source_freq(StreamNumber))
    }

    fn SetIndices(&self, pIndexData: Object<IDirect3DIndexBuffer9>) -> HRESULT {
        let name = name!(self, pIndexData, id);
        let mut guest = self.enter();
        let result = guest.set_indices(name);
        guest.done(result)
    }

    fn GetIndices(&self, ppIndexData: OutObject<IDirect3DIndexBuffer9>) -> HRESULT {
        self.give::<Buffer, _, _>(|guest| Ok(guest.indices()), ppIndexData)
    }

    fn CreatePixelShader(&self, pFunction: In<u32>, ppShader: OutObject<IDirect3DPixelShader9>) -> HRESULT {
        let Some(tokens) = input::shader_tokens(pFunction) else { return D3DERR_INVALIDCALL };
        self.create_object(ppShader, |device, guest| Ok(PixelShader::new(device, guest.create_pixel_shader(&tokens)?)))
    }

    fn SetPixelShader(&self, pShader: Object<IDirect3DPixelShader9>) -> HRESULT {
        let name = name!(self, pShader, id);
        let mut guest = self.enter();
        let result = guest.set_pixel_shader(name);
        guest.done(result)
    }

    fn GetPixelShader(&self, ppShader: OutObject<IDirect3DPixelShader9>) -> HRESULT {
        self.give::<PixelShader, _, _>(|guest| Ok(guest.pixel_shader()), ppShader)
    }

    fn CreateQuery(&self, Type: D3DQUERYTYPE, ppQuery: OutObject<IDirect3DQuery9>) -> HRESULT {
        if ppQuery.is_null() {
            // Only asks whether there are such queries.
            return code(self.enter().query_size(Type).map(|_| ()));
        }
        self.create_or_leave(ppQuery, |device, guest| Ok(Query::new(device, guest.create_query(Type)?)))
    }
}
