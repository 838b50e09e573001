//! Signatures.
#![allow(unused_variables, clippy::too_many_arguments)]

use crate::error::{Error, Result};
use crate::handle::*;
use crate::memory::Locked;
use afterimage_d3d9_types::*;
use afterimage_stream::{Link, packets::WindowKind};

/// Where a swap chain's pictures go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// What `handle` is.
    pub kind: WindowKind,
    /// The window; 0 for [`WindowKind::Headless`].
    pub handle: u64,
    /// Width of its client area in pixels, used where the parameters leave the size to us.
    pub width: u32,
    /// Height of its client area in pixels.
    pub height: u32,
}

/// What a query answers. Its size in `GetData` is [`QueryData::as_bytes`]' length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryData {
    /// `BOOL` or `DWORD` results.
    Word(u32),
    /// `UINT64` results.
    Long(u64),
}

/// A Direct3D 9 device. One thread at a time; the layer above locks where the program asked for it.
///
/// **Ownership.** `create_*` returns a handle that the program holds. When the program's last reference goes, call
/// [`Device::release`]: it says whether the object is gone. One that is still bound or recorded lives on, may be handed
/// out again by a getter (then call [`Device::retain`]), and is reported by [`Device::take_dead`] once it is gone.
/// Implicit objects (back buffers, the automatic depth buffer, the declaration behind an FVF) come out of getters
/// with [`Device::user`] 0 until the layer above sets it, and are not held until it calls [`Device::retain`].
///
/// **Batches.** Packets are collected and handed over at about 24 KiB, at present, and where a reply is waited for.
pub struct Device {
    link: Box<dyn Link>,
}

fn pending<T>() -> Result<T> {
    Err(Error::Internal)
}

/// Creation, loss, reset, present. (file: device.rs, present.rs)
impl Device {
    /// `CreateDevice`. `parameters` is filled in as Direct3D does (sizes, format, count). `name` is the program's name
    /// for captures and logs.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for parameters that cannot be; [`Error::NotAvailable`] for formats that are not there;
    /// [`Error::DeviceLost`] if the receiver is gone already.
    pub fn new(link: Box<dyn Link>, creation: D3DDEVICE_CREATION_PARAMETERS, parameters: &mut D3DPRESENT_PARAMETERS, window: Window, extended: bool, name: &str) -> Result<Self> { pending() }
    /// The arguments of [`Device::new`].
    #[must_use]
    pub fn creation(&self) -> D3DDEVICE_CREATION_PARAMETERS { D3DDEVICE_CREATION_PARAMETERS::default() }
    /// `TestCooperativeLevel`.
    /// # Errors
    /// [`Error::DeviceLost`] while there is no receiver.
    pub fn test_cooperative_level(&mut self) -> Result<()> { pending() }
    /// `Reset`: everything unbound, all state at its default, the implicit swap chain made anew.
    /// # Errors
    /// [`Error::InvalidCall`] if the program holds resources of the default pool (never for extended devices), or for bad parameters.
    pub fn reset(&mut self, parameters: &mut D3DPRESENT_PARAMETERS, window: Window) -> Result<()> { pending() }
    /// `GetAvailableTextureMem` in bytes, rounded to megabytes.
    #[must_use]
    pub fn available_texture_memory(&self) -> u32 { 0 }
    /// `CreateAdditionalSwapChain`.
    /// # Errors
    /// [`Error::InvalidCall`] for bad parameters.
    pub fn create_swap_chain(&mut self, parameters: &mut D3DPRESENT_PARAMETERS, window: Window) -> Result<SwapChainId> { pending() }
    /// The swap chain of a number; 0 is the implicit one.
    /// # Errors
    /// [`Error::InvalidCall`] if there is none (only the implicit one has a number).
    pub fn swap_chain(&self, index: u32) -> Result<SwapChainId> { pending() }
    /// Parameters of a swap chain as they are now.
    /// # Errors
    /// [`Error::InvalidCall`] for a chain that is gone.
    pub fn present_parameters(&self, chain: SwapChainId) -> Result<D3DPRESENT_PARAMETERS> { pending() }
    /// A back buffer of a swap chain.
    /// # Errors
    /// [`Error::InvalidCall`] past the last one.
    pub fn back_buffer(&self, chain: SwapChainId, index: u32) -> Result<Surface> { pending() }
    /// The display mode as `GetDisplayMode` has it: size and format of a full-screen chain, else the desktop's given here.
    /// # Errors
    /// [`Error::InvalidCall`] for a chain that is gone.
    pub fn display_mode(&self, chain: SwapChainId, desktop: D3DDISPLAYMODE) -> Result<D3DDISPLAYMODE> { pending() }
    /// `Present` of one chain. Ends the frame. `window` overrides where the picture goes. Blocks where the receiver is
    /// more than three frames behind.
    /// # Errors
    /// [`Error::DeviceLost`] while there is no receiver; everything goes on by itself when there is one again.
    pub fn present(&mut self, chain: SwapChainId, source: Option<&RECT>, destination: Option<&RECT>, window: Option<Window>, flags: u32) -> Result<()> { pending() }
    /// `GetFrontBufferData`: what was presented last.
    /// # Errors
    /// [`Error::InvalidCall`] unless the destination is A8R8G8B8 in system memory and large enough.
    pub fn front_buffer_data(&mut self, chain: SwapChainId, destination: Surface) -> Result<()> { pending() }
    /// `SetGammaRamp`.
    pub fn set_gamma_ramp(&mut self, chain: SwapChainId, ramp: &D3DGAMMARAMP) {}
    /// `GetGammaRamp`.
    #[must_use]
    pub fn gamma_ramp(&self, chain: SwapChainId) -> Box<D3DGAMMARAMP> { Box::default() }
    /// `BeginScene`.
    /// # Errors
    /// [`Error::InvalidCall`] inside of a scene.
    pub fn begin_scene(&mut self) -> Result<()> { pending() }
    /// `EndScene`.
    /// # Errors
    /// [`Error::InvalidCall`] outside of one.
    pub fn end_scene(&mut self) -> Result<()> { pending() }
}

/// Ownership. (file: objects.rs)
impl Device {
    /// The program's last reference to an object is gone. True: the object is too. False: it is bound or recorded and will
    /// come out of [`Device::take_dead`] later.
    pub fn release(&mut self, handle: impl Into<Handle>) -> bool { false }
    /// The program holds an object (again).
    pub fn retain(&mut self, handle: impl Into<Handle>) {}
    /// Stores a value with an object, such as the address of its COM object.
    pub fn set_user(&mut self, handle: impl Into<Handle>, user: usize) {}
    /// The value stored with an object; 0 if none was.
    #[must_use]
    pub fn user(&self, handle: impl Into<Handle>) -> usize { 0 }
    /// Whether [`Device::take_dead`] has something. Cheap: ask after every setter.
    #[must_use]
    pub fn has_dead(&self) -> bool { false }
    /// An object that was released while bound and is gone now, with the value stored with it.
    pub fn take_dead(&mut self) -> Option<(Handle, usize)> { None }
}

/// Resources. (files: create.rs, lock.rs, copy.rs)
impl Device {
    /// `CreateTexture`. 0 levels makes all of them.
    /// # Errors
    /// [`Error::InvalidCall`] for combinations that Direct3D does not allow or formats that are not there.
    pub fn create_texture(&mut self, width: u32, height: u32, levels: u32, usage: u32, format: D3DFORMAT, pool: D3DPOOL) -> Result<ImageId> { pending() }
    /// `CreateCubeTexture`.
    /// # Errors
    /// As [`Device::create_texture`].
    pub fn create_cube_texture(&mut self, edge: u32, levels: u32, usage: u32, format: D3DFORMAT, pool: D3DPOOL) -> Result<ImageId> { pending() }
    /// `CreateVolumeTexture`.
    /// # Errors
    /// As [`Device::create_texture`].
    pub fn create_volume_texture(&mut self, width: u32, height: u32, depth: u32, levels: u32, usage: u32, format: D3DFORMAT, pool: D3DPOOL) -> Result<ImageId> { pending() }
    /// `CreateRenderTarget`.
    /// # Errors
    /// [`Error::InvalidCall`] for bad sizes, [`Error::NotAvailable`] for formats or sample counts that are not there.
    pub fn create_render_target(&mut self, width: u32, height: u32, format: D3DFORMAT, samples: D3DMULTISAMPLE_TYPE, quality: u32, lockable: bool) -> Result<ImageId> { pending() }
    /// `CreateDepthStencilSurface`.
    /// # Errors
    /// As [`Device::create_render_target`].
    pub fn create_depth_stencil(&mut self, width: u32, height: u32, format: D3DFORMAT, samples: D3DMULTISAMPLE_TYPE, quality: u32, discard: bool) -> Result<ImageId> { pending() }
    /// `CreateOffscreenPlainSurface`.
    /// # Errors
    /// [`Error::InvalidCall`] for the managed pool or bad sizes.
    pub fn create_offscreen_plain(&mut self, width: u32, height: u32, format: D3DFORMAT, pool: D3DPOOL) -> Result<ImageId> { pending() }
    /// `CreateVertexBuffer`.
    /// # Errors
    /// [`Error::InvalidCall`] for no bytes or a pool that cannot be.
    pub fn create_vertex_buffer(&mut self, length: u32, usage: u32, fvf: u32, pool: D3DPOOL) -> Result<BufferId> { pending() }
    /// `CreateIndexBuffer`.
    /// # Errors
    /// [`Error::InvalidCall`] for no bytes, a format that is no index format, or a pool that cannot be.
    pub fn create_index_buffer(&mut self, length: u32, usage: u32, format: D3DFORMAT, pool: D3DPOOL) -> Result<BufferId> { pending() }
    /// Kind of an image: `D3DRTYPE_TEXTURE`, `_CUBETEXTURE`, `_VOLUMETEXTURE` or `_SURFACE`; 0 if it is gone.
    #[must_use]
    pub fn image_type(&self, image: ImageId) -> D3DRESOURCETYPE { 0 }
    /// Number of levels that the program sees (1 for automatic mip maps).
    #[must_use]
    pub fn level_count(&self, image: ImageId) -> u32 { 0 }
    /// `GetDesc` of a surface.
    /// # Errors
    /// [`Error::InvalidCall`] if there is no such level or face.
    pub fn surface_desc(&self, surface: Surface) -> Result<D3DSURFACE_DESC> { pending() }
    /// `GetLevelDesc` of a volume texture.
    /// # Errors
    /// [`Error::InvalidCall`] if there is no such level or it is no volume texture.
    pub fn volume_desc(&self, image: ImageId, level: u32) -> Result<D3DVOLUME_DESC> { pending() }
    /// `GetDesc` of a vertex buffer.
    /// # Errors
    /// [`Error::InvalidCall`] if it is an index buffer.
    pub fn vertex_buffer_desc(&self, buffer: BufferId) -> Result<D3DVERTEXBUFFER_DESC> { pending() }
    /// `GetDesc` of an index buffer.
    /// # Errors
    /// [`Error::InvalidCall`] if it is a vertex buffer.
    pub fn index_buffer_desc(&self, buffer: BufferId) -> Result<D3DINDEXBUFFER_DESC> { pending() }
    /// `SetLOD` of a managed texture: the old value.
    pub fn set_lod(&mut self, image: ImageId, lod: u32) -> u32 { 0 }
    /// `GetLOD`.
    #[must_use]
    pub fn lod(&self, image: ImageId) -> u32 { 0 }
    /// `SetAutoGenFilterType`.
    /// # Errors
    /// [`Error::InvalidCall`] for `D3DTEXF_NONE` or a texture without automatic mip maps.
    pub fn set_autogen_filter(&mut self, image: ImageId, filter: D3DTEXTUREFILTERTYPE) -> Result<()> { pending() }
    /// `GetAutoGenFilterType`.
    #[must_use]
    pub fn autogen_filter(&self, image: ImageId) -> D3DTEXTUREFILTERTYPE { 0 }
    /// `GenerateMipSubLevels`; does nothing unless the texture was created for it.
    pub fn generate_mips(&mut self, image: ImageId) {}
    /// `AddDirtyRect` of a 2D texture (face 0) or a cube face; none means all of level 0.
    /// # Errors
    /// [`Error::InvalidCall`] for a rectangle outside of it.
    pub fn add_dirty_rect(&mut self, image: ImageId, face: u32, rect: Option<&RECT>) -> Result<()> { pending() }
    /// `AddDirtyBox`.
    /// # Errors
    /// As [`Device::add_dirty_rect`].
    pub fn add_dirty_box(&mut self, image: ImageId, region: Option<&D3DBOX>) -> Result<()> { pending() }

    /// `LockRect`. Waits for the GPU where the surface is a render target.
    /// # Errors
    /// [`Error::InvalidCall`] if it is locked, cannot be locked, or rectangle or flags are bad.
    pub fn lock_surface(&mut self, surface: Surface, rect: Option<&RECT>, flags: u32) -> Result<Locked> { pending() }
    /// `UnlockRect`.
    /// # Errors
    /// [`Error::InvalidCall`] if it is not locked.
    pub fn unlock_surface(&mut self, surface: Surface) -> Result<()> { pending() }
    /// `LockBox` of a volume texture.
    /// # Errors
    /// As [`Device::lock_surface`].
    pub fn lock_volume(&mut self, image: ImageId, level: u32, region: Option<&D3DBOX>, flags: u32) -> Result<Locked> { pending() }
    /// `UnlockBox`.
    /// # Errors
    /// [`Error::InvalidCall`] if it is not locked.
    pub fn unlock_volume(&mut self, image: ImageId, level: u32) -> Result<()> { pending() }
    /// `Lock` of a vertex or index buffer; size 0 means the rest.
    /// # Errors
    /// [`Error::InvalidCall`] for a range outside of it or bad flags.
    pub fn lock_buffer(&mut self, buffer: BufferId, offset: u32, size: u32, flags: u32) -> Result<Locked> { pending() }
    /// `Unlock`.
    /// # Errors
    /// [`Error::InvalidCall`] if it is not locked.
    pub fn unlock_buffer(&mut self, buffer: BufferId) -> Result<()> { pending() }

    /// `UpdateSurface`.
    /// # Errors
    /// [`Error::InvalidCall`] for pools, formats or rectangles that do not fit.
    pub fn update_surface(&mut self, source: Surface, rect: Option<&RECT>, destination: Surface, point: Option<&POINT>) -> Result<()> { pending() }
    /// `UpdateTexture`: the dirty parts of a system memory texture go to one of the default pool.
    /// # Errors
    /// [`Error::InvalidCall`] for pools, formats, kinds or sizes that do not fit.
    pub fn update_texture(&mut self, source: ImageId, destination: ImageId) -> Result<()> { pending() }
    /// `GetRenderTargetData`. Waits for the GPU.
    /// # Errors
    /// [`Error::InvalidCall`] unless the source is a render target of one sample and the destination a system memory
    /// surface of the same size and format; [`Error::DeviceLost`].
    pub fn render_target_data(&mut self, source: Surface, destination: Surface) -> Result<()> { pending() }
    /// `StretchRect`.
    /// # Errors
    /// [`Error::InvalidCall`] by Direct3D's table of what may be copied to what.
    pub fn stretch_rect(&mut self, source: Surface, source_rect: Option<&RECT>, destination: Surface, destination_rect: Option<&RECT>, filter: D3DTEXTUREFILTERTYPE) -> Result<()> { pending() }
    /// `ColorFill`.
    /// # Errors
    /// [`Error::InvalidCall`] unless it is a render target or an offscreen plain surface of the default pool.
    pub fn color_fill(&mut self, surface: Surface, rect: Option<&RECT>, color: D3DCOLOR) -> Result<()> { pending() }
}

/// Targets and drawing. (files: targets.rs, clear.rs, draw.rs)
impl Device {
    /// `SetRenderTarget`. Setting target 0 also sets viewport and scissor to its size.
    /// # Errors
    /// [`Error::InvalidCall`] for an index past the last, none at 0, or a surface that is no render target.
    pub fn set_render_target(&mut self, index: u32, surface: Option<Surface>) -> Result<()> { pending() }
    /// `GetRenderTarget`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last index, [`Error::NotFound`] where nothing is bound.
    pub fn render_target(&self, index: u32) -> Result<Surface> { pending() }
    /// `SetDepthStencilSurface`.
    /// # Errors
    /// [`Error::InvalidCall`] for a surface that is no depth buffer.
    pub fn set_depth_stencil(&mut self, surface: Option<Surface>) -> Result<()> { pending() }
    /// `GetDepthStencilSurface`.
    /// # Errors
    /// [`Error::NotFound`] where nothing is bound.
    pub fn depth_stencil(&self) -> Result<Surface> { pending() }
    /// `Clear`. No rectangles means the viewport.
    /// # Errors
    /// [`Error::InvalidCall`] for flags without a surface to clear.
    pub fn clear(&mut self, rects: &[D3DRECT], flags: u32, color: D3DCOLOR, depth: f32, stencil: u32) -> Result<()> { pending() }
    /// `DrawPrimitive`.
    /// # Errors
    /// [`Error::InvalidCall`] for a bad type, no primitives, or no vertex declaration.
    #[inline]
    pub fn draw_primitive(&mut self, primitive: D3DPRIMITIVETYPE, first: u32, count: u32) -> Result<()> { pending() }
    /// `DrawIndexedPrimitive`.
    /// # Errors
    /// As [`Device::draw_primitive`], or without an index buffer.
    #[inline]
    pub fn draw_indexed_primitive(&mut self, primitive: D3DPRIMITIVETYPE, base_vertex: i32, min_vertex: u32, vertices: u32, first_index: u32, count: u32) -> Result<()> { pending() }
    /// Bytes of vertices that [`Device::draw_primitive_up`] reads for so many primitives.
    #[must_use]
    pub fn up_vertex_count(primitive: D3DPRIMITIVETYPE, count: u32) -> Option<u32> { None }
    /// `DrawPrimitiveUP`; `vertices` holds [`Device::up_vertex_count`] times `stride` bytes. Unbinds stream 0.
    /// # Errors
    /// As [`Device::draw_primitive`], or for no data.
    pub fn draw_primitive_up(&mut self, primitive: D3DPRIMITIVETYPE, count: u32, vertices: &[u8], stride: u32) -> Result<()> { pending() }
    /// `DrawIndexedPrimitiveUP`; `vertices` holds the vertices from 0 on ((`min_vertex` + `vertex_count`) times `stride` bytes),
    /// `indices` [`Device::up_vertex_count`] indices. Unbinds stream 0 and the indices.
    /// # Errors
    /// As [`Device::draw_primitive_up`], or for a format that is no index format.
    pub fn draw_indexed_primitive_up(&mut self, primitive: D3DPRIMITIVETYPE, min_vertex: u32, vertex_count: u32, count: u32, indices: &[u8], index_format: D3DFORMAT, vertices: &[u8], stride: u32) -> Result<()> { pending() }
}

/// State. (files: state.rs, bindings.rs, constants.rs, fixed.rs)
impl Device {
    /// `SetRenderState`. A state that does not exist is ignored, as Direct3D does.
    /// # Errors
    /// None so far.
    #[inline]
    pub fn set_render_state(&mut self, state: D3DRENDERSTATETYPE, value: u32) -> Result<()> { pending() }
    /// `GetRenderState`.
    /// # Errors
    /// [`Error::InvalidCall`] for a state that does not exist.
    pub fn render_state(&self, state: D3DRENDERSTATETYPE) -> Result<u32> { pending() }
    /// `SetSamplerState`; samplers are 0 to 15, 256 (displacement) and 257 to 260 (vertex).
    /// # Errors
    /// [`Error::InvalidCall`] for a sampler that does not exist.
    #[inline]
    pub fn set_sampler_state(&mut self, sampler: u32, state: D3DSAMPLERSTATETYPE, value: u32) -> Result<()> { pending() }
    /// `GetSamplerState`.
    /// # Errors
    /// [`Error::InvalidCall`] for a sampler or state that does not exist.
    pub fn sampler_state(&self, sampler: u32, state: D3DSAMPLERSTATETYPE) -> Result<u32> { pending() }
    /// `SetTextureStageState`.
    /// # Errors
    /// [`Error::InvalidCall`] for a stage past 7.
    pub fn set_texture_stage_state(&mut self, stage: u32, state: D3DTEXTURESTAGESTATETYPE, value: u32) -> Result<()> { pending() }
    /// `GetTextureStageState`.
    /// # Errors
    /// [`Error::InvalidCall`] for a stage or state that does not exist.
    pub fn texture_stage_state(&self, stage: u32, state: D3DTEXTURESTAGESTATETYPE) -> Result<u32> { pending() }
    /// `SetTexture`; stages as in [`Device::set_sampler_state`].
    /// # Errors
    /// [`Error::InvalidCall`] for a stage that does not exist or an image that is no texture.
    #[inline]
    pub fn set_texture(&mut self, stage: u32, texture: Option<ImageId>) -> Result<()> { pending() }
    /// `GetTexture`.
    /// # Errors
    /// [`Error::InvalidCall`] for a stage that does not exist.
    pub fn texture(&self, stage: u32) -> Result<Option<ImageId>> { pending() }
    /// `SetTransform`.
    /// # Errors
    /// [`Error::InvalidCall`] for a transform that does not exist.
    pub fn set_transform(&mut self, state: D3DTRANSFORMSTATETYPE, matrix: &D3DMATRIX) -> Result<()> { pending() }
    /// `GetTransform`.
    /// # Errors
    /// As [`Device::set_transform`].
    pub fn transform(&self, state: D3DTRANSFORMSTATETYPE) -> Result<D3DMATRIX> { pending() }
    /// `MultiplyTransform`: the given matrix times the current one. Never recorded.
    /// # Errors
    /// As [`Device::set_transform`].
    pub fn multiply_transform(&mut self, state: D3DTRANSFORMSTATETYPE, matrix: &D3DMATRIX) -> Result<()> { pending() }
    /// `SetViewport`.
    /// # Errors
    /// [`Error::InvalidCall`] if it leaves the render target.
    pub fn set_viewport(&mut self, viewport: &D3DVIEWPORT9) -> Result<()> { pending() }
    /// `GetViewport`.
    #[must_use]
    pub fn viewport(&self) -> D3DVIEWPORT9 { D3DVIEWPORT9::default() }
    /// `SetScissorRect`.
    /// # Errors
    /// [`Error::InvalidCall`] for an inverted rectangle.
    pub fn set_scissor_rect(&mut self, rect: &RECT) -> Result<()> { pending() }
    /// `GetScissorRect`.
    #[must_use]
    pub fn scissor_rect(&self) -> RECT { RECT::default() }
    /// `SetMaterial`.
    /// # Errors
    /// None.
    pub fn set_material(&mut self, material: &D3DMATERIAL9) -> Result<()> { pending() }
    /// `GetMaterial`.
    #[must_use]
    pub fn material(&self) -> D3DMATERIAL9 { D3DMATERIAL9::default() }
    /// `SetLight`.
    /// # Errors
    /// [`Error::InvalidCall`] for a type that does not exist or an index past 65535.
    pub fn set_light(&mut self, index: u32, light: &D3DLIGHT9) -> Result<()> { pending() }
    /// `GetLight`.
    /// # Errors
    /// [`Error::InvalidCall`] for a light that was never set.
    pub fn light(&self, index: u32) -> Result<D3DLIGHT9> { pending() }
    /// `LightEnable`. A light that was never set gets Direct3D's default.
    /// # Errors
    /// [`Error::InvalidCall`] for an index past 65535.
    pub fn enable_light(&mut self, index: u32, enable: bool) -> Result<()> { pending() }
    /// `GetLightEnable`.
    /// # Errors
    /// [`Error::InvalidCall`] for a light that was never set.
    pub fn light_enabled(&self, index: u32) -> Result<bool> { pending() }
    /// `SetClipPlane`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last plane.
    pub fn set_clip_plane(&mut self, index: u32, plane: &[f32; 4]) -> Result<()> { pending() }
    /// `GetClipPlane`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last plane.
    pub fn clip_plane(&self, index: u32) -> Result<[f32; 4]> { pending() }
    /// `SetClipStatus`.
    pub fn set_clip_status(&mut self, status: &D3DCLIPSTATUS9) {}
    /// `GetClipStatus`.
    #[must_use]
    pub fn clip_status(&self) -> D3DCLIPSTATUS9 { D3DCLIPSTATUS9::default() }
    /// `ValidateDevice`: the number of passes.
    /// # Errors
    /// None so far: what cannot be drawn is logged.
    pub fn validate(&self) -> Result<u32> { pending() }
    /// `SetPaletteEntries`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last palette.
    pub fn set_palette(&mut self, number: u32, entries: &[PALETTEENTRY; 256]) -> Result<()> { pending() }
    /// `GetPaletteEntries`.
    /// # Errors
    /// [`Error::InvalidCall`] for a palette that was never set.
    pub fn palette(&self, number: u32) -> Result<[PALETTEENTRY; 256]> { pending() }
    /// `SetCurrentTexturePalette`.
    /// # Errors
    /// [`Error::InvalidCall`] for a palette that was never set.
    pub fn set_current_palette(&mut self, number: u32) -> Result<()> { pending() }
    /// `GetCurrentTexturePalette`.
    #[must_use]
    pub fn current_palette(&self) -> u32 { 0 }
    /// `SetSoftwareVertexProcessing`.
    /// # Errors
    /// [`Error::InvalidCall`] unless the device was created for mixed processing.
    pub fn set_software_vertex_processing(&mut self, software: bool) -> Result<()> { pending() }
    /// `GetSoftwareVertexProcessing`.
    #[must_use]
    pub fn software_vertex_processing(&self) -> bool { false }
    /// `SetNPatchMode`.
    /// # Errors
    /// None.
    pub fn set_npatch_mode(&mut self, segments: f32) -> Result<()> { pending() }
    /// `GetNPatchMode`.
    #[must_use]
    pub fn npatch_mode(&self) -> f32 { 0.0 }

    /// `CreateVertexDeclaration`; the slice ends with the element before `D3DDECL_END`, or with it.
    /// # Errors
    /// [`Error::InvalidCall`] for elements that overlap, repeat a usage, or are out of range.
    pub fn create_declaration(&mut self, elements: &[D3DVERTEXELEMENT9]) -> Result<DeclarationId> { pending() }
    /// The elements of a declaration, `D3DDECL_END` included.
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    pub fn declaration_elements(&self, declaration: DeclarationId) -> Result<&[D3DVERTEXELEMENT9]> { pending() }
    /// `SetVertexDeclaration`.
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    #[inline]
    pub fn set_vertex_declaration(&mut self, declaration: Option<DeclarationId>) -> Result<()> { pending() }
    /// `GetVertexDeclaration`; after [`Device::set_fvf`] that FVF's declaration.
    #[must_use]
    pub fn vertex_declaration(&self) -> Option<DeclarationId> { None }
    /// `SetFVF`.
    /// # Errors
    /// [`Error::InvalidCall`] for a code that is none.
    pub fn set_fvf(&mut self, fvf: u32) -> Result<()> { pending() }
    /// `GetFVF`; 0 where the declaration came from elsewhere.
    #[must_use]
    pub fn fvf(&self) -> u32 { 0 }
    /// `SetStreamSource`.
    /// # Errors
    /// [`Error::InvalidCall`] for a stream past 15 or a stride past 2048.
    #[inline]
    pub fn set_stream_source(&mut self, stream: u32, buffer: Option<BufferId>, offset: u32, stride: u32) -> Result<()> { pending() }
    /// `GetStreamSource`: buffer, offset, stride.
    /// # Errors
    /// [`Error::InvalidCall`] for a stream past 15.
    pub fn stream_source(&self, stream: u32) -> Result<(Option<BufferId>, u32, u32)> { pending() }
    /// `SetStreamSourceFreq`.
    /// # Errors
    /// [`Error::InvalidCall`] for combinations that Direct3D does not allow.
    pub fn set_stream_source_freq(&mut self, stream: u32, setting: u32) -> Result<()> { pending() }
    /// `GetStreamSourceFreq`.
    /// # Errors
    /// [`Error::InvalidCall`] for a stream past 15.
    pub fn stream_source_freq(&self, stream: u32) -> Result<u32> { pending() }
    /// `SetIndices`.
    /// # Errors
    /// [`Error::InvalidCall`] for a buffer that holds no indices.
    #[inline]
    pub fn set_indices(&mut self, buffer: Option<BufferId>) -> Result<()> { pending() }
    /// `GetIndices`.
    #[must_use]
    pub fn indices(&self) -> Option<BufferId> { None }

    /// `CreateVertexShader`; the tokens up to the end token (`afterimage_shader_d3d9::token_length` finds it).
    /// # Errors
    /// [`Error::InvalidCall`] for tokens that are no vertex shader; the log says why.
    pub fn create_vertex_shader(&mut self, tokens: &[u32]) -> Result<VertexShaderId> { pending() }
    /// `CreatePixelShader`.
    /// # Errors
    /// As [`Device::create_vertex_shader`].
    pub fn create_pixel_shader(&mut self, tokens: &[u32]) -> Result<PixelShaderId> { pending() }
    /// `GetFunction` of a vertex shader: its tokens.
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    pub fn vertex_shader_code(&self, shader: VertexShaderId) -> Result<&[u32]> { pending() }
    /// `GetFunction` of a pixel shader: its tokens.
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    pub fn pixel_shader_code(&self, shader: PixelShaderId) -> Result<&[u32]> { pending() }
    /// `SetVertexShader`; none is the fixed-function pipeline.
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    #[inline]
    pub fn set_vertex_shader(&mut self, shader: Option<VertexShaderId>) -> Result<()> { pending() }
    /// `GetVertexShader`.
    #[must_use]
    pub fn vertex_shader(&self) -> Option<VertexShaderId> { None }
    /// `SetPixelShader`; none is the fixed-function pipeline.
    /// # Errors
    /// [`Error::InvalidCall`] for one that is gone.
    #[inline]
    pub fn set_pixel_shader(&mut self, shader: Option<PixelShaderId>) -> Result<()> { pending() }
    /// `GetPixelShader`.
    #[must_use]
    pub fn pixel_shader(&self) -> Option<PixelShaderId> { None }
    /// `SetVertexShaderConstantF`: whole registers of four floats.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    #[inline]
    pub fn set_vertex_shader_constant_f(&mut self, first: u32, values: &[[f32; 4]]) -> Result<()> { pending() }
    /// `SetVertexShaderConstantI`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn set_vertex_shader_constant_i(&mut self, first: u32, values: &[[i32; 4]]) -> Result<()> { pending() }
    /// `SetVertexShaderConstantB`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn set_vertex_shader_constant_b(&mut self, first: u32, values: &[BOOL]) -> Result<()> { pending() }
    /// `GetVertexShaderConstantF`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn vertex_shader_constant_f(&self, first: u32, out: &mut [[f32; 4]]) -> Result<()> { pending() }
    /// `GetVertexShaderConstantI`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn vertex_shader_constant_i(&self, first: u32, out: &mut [[i32; 4]]) -> Result<()> { pending() }
    /// `GetVertexShaderConstantB`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn vertex_shader_constant_b(&self, first: u32, out: &mut [BOOL]) -> Result<()> { pending() }
    /// `SetPixelShaderConstantF`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    #[inline]
    pub fn set_pixel_shader_constant_f(&mut self, first: u32, values: &[[f32; 4]]) -> Result<()> { pending() }
    /// `SetPixelShaderConstantI`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn set_pixel_shader_constant_i(&mut self, first: u32, values: &[[i32; 4]]) -> Result<()> { pending() }
    /// `SetPixelShaderConstantB`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn set_pixel_shader_constant_b(&mut self, first: u32, values: &[BOOL]) -> Result<()> { pending() }
    /// `GetPixelShaderConstantF`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn pixel_shader_constant_f(&self, first: u32, out: &mut [[f32; 4]]) -> Result<()> { pending() }
    /// `GetPixelShaderConstantI`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn pixel_shader_constant_i(&self, first: u32, out: &mut [[i32; 4]]) -> Result<()> { pending() }
    /// `GetPixelShaderConstantB`.
    /// # Errors
    /// [`Error::InvalidCall`] past the last register.
    pub fn pixel_shader_constant_b(&self, first: u32, out: &mut [BOOL]) -> Result<()> { pending() }
}

/// State blocks and queries. (files: state_block.rs, query.rs)
impl Device {
    /// `CreateStateBlock`, with the current values.
    /// # Errors
    /// [`Error::InvalidCall`] for a type that does not exist, or while one is recorded.
    pub fn create_state_block(&mut self, kind: D3DSTATEBLOCKTYPE) -> Result<StateBlockId> { pending() }
    /// `BeginStateBlock`: setters record from here on.
    /// # Errors
    /// [`Error::InvalidCall`] while one is recorded.
    pub fn begin_state_block(&mut self) -> Result<()> { pending() }
    /// `EndStateBlock`.
    /// # Errors
    /// [`Error::InvalidCall`] while none is recorded.
    pub fn end_state_block(&mut self) -> Result<StateBlockId> { pending() }
    /// `Capture`: takes the current values of what the block holds.
    /// # Errors
    /// [`Error::InvalidCall`] while one is recorded.
    pub fn capture_state_block(&mut self, block: StateBlockId) -> Result<()> { pending() }
    /// `Apply`.
    /// # Errors
    /// [`Error::InvalidCall`] while one is recorded.
    pub fn apply_state_block(&mut self, block: StateBlockId) -> Result<()> { pending() }
    /// Whether `CreateQuery` would succeed, and the size of the answer in bytes.
    /// # Errors
    /// [`Error::NotAvailable`] for kinds that are not supported.
    pub fn query_size(kind: D3DQUERYTYPE) -> Result<u32> { pending() }
    /// `CreateQuery`.
    /// # Errors
    /// As [`Device::query_size`].
    pub fn create_query(&mut self, kind: D3DQUERYTYPE) -> Result<QueryId> { pending() }
    /// The kind of a query; 0 if it is gone.
    #[must_use]
    pub fn query_type(&self, query: QueryId) -> D3DQUERYTYPE { 0 }
    /// `Issue` with `D3DISSUE_BEGIN` or `D3DISSUE_END`.
    /// # Errors
    /// [`Error::InvalidCall`] for flags that the kind does not have.
    pub fn issue_query(&mut self, query: QueryId, flags: u32) -> Result<()> { pending() }
    /// `GetData`: `None` is `S_FALSE`, not there yet. `flush` is `D3DGETDATA_FLUSH`.
    /// # Errors
    /// [`Error::InvalidCall`] between begin and end, [`Error::DeviceLost`] while there is no receiver.
    pub fn query_data(&mut self, query: QueryId, flush: bool) -> Result<Option<QueryData>> { pending() }
}
