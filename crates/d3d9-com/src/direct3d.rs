//! `IDirect3D9` and `IDirect3D9Ex`: adapters, and what makes devices.
//!
//! An adapter is a monitor of the desktop. All show what one device draws, the renderer's.

use std::sync::{Mutex, OnceLock, PoisonError};

use afterimage_config::settings;
use afterimage_d3d9::{self as guest, Adapter, FormatQuery};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::Device;
use crate::full_screen::depth_of;
use crate::log;
use crate::object::{Refs, Unknown};
use crate::platform::{Mode, Output};
use crate::renderer::{Open, Way, open_or_say};
use crate::results::{code, put};

static DIRECT3D: IDirect3D9ExVtable = IDirect3D9ExVtable::of::<Direct3D>();

/// What programs start with.
#[repr(C)]
pub(crate) struct Direct3D {
    vtable: *const IDirect3D9ExVtable,
    refs: Refs,
    extended: bool,
    adapter: Adapter,
    outputs: Vec<Listed>,
    /// Opens a way to the renderer.
    open: Open,
    /// The way to the renderer that answered for the adapter, until the first device takes it.
    way: Mutex<Option<Way>>,
}

/// A monitor with its modes of 32 and 16 bits a pixel, which programs ask for one by one.
struct Listed {
    output: Output,
    modes: [OnceLock<Vec<Mode>>; 2],
}

/// `Direct3DCreate9` and `Direct3DCreate9Ex`, with one reference for the program.
///
/// # Errors
/// `D3DERR_INVALIDCALL` for an SDK version that is not Direct3D 9's; `D3DERR_NOTAVAILABLE` where nothing can render.
pub(crate) fn create(sdk: u32, extended: bool, open: Open) -> Result<*mut IDirect3D9Ex, HRESULT> {
    log::start();
    // Bit 31 asks for the debug runtime. Version 31 is Direct3D 9.0b's.
    let version = sdk & 0x7fff_ffff;
    if version != D3D_SDK_VERSION && version != 31 {
        tracing::warn!("Direct3DCreate9: SDK version {version} is none of Direct3D 9's ({D3D_SDK_VERSION})");
        return Err(D3DERR_INVALIDCALL);
    }
    if extended && !settings().allow_ex {
        tracing::info!("Direct3DCreate9Ex fails: option allow_ex is off");
        return Err(D3DERR_NOTAVAILABLE);
    }
    let way = open_or_say("Direct3DCreate9", open).ok_or(D3DERR_NOTAVAILABLE)?;
    log::effective(&way);
    let outputs: Vec<_> =
        Output::all().into_iter().map(|output| Listed { output, modes: Default::default() }).collect();
    let desktop = outputs.first().map(|listed| display_mode(&listed.output)).unwrap_or_default();
    let object = Direct3D {
        vtable: &DIRECT3D,
        refs: Refs::default(),
        extended,
        adapter: Adapter::new(*way.link.device(), desktop).with_overrides(settings()),
        outputs,
        open,
        way: Mutex::new(Some(way)),
    };
    object.refs.add();
    Ok(Box::into_raw(Box::new(object)).cast())
}

impl Direct3D {
    /// The adapter.
    pub(crate) fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    /// A way to the renderer, for a new device.
    pub(crate) fn way(&self) -> Result<Way, HRESULT> {
        let spare = self.way.lock().unwrap_or_else(PoisonError::into_inner).take();
        spare.or_else(|| open_or_say("CreateDevice", self.open)).ok_or(D3DERR_NOTAVAILABLE)
    }

    /// The monitor of an adapter.
    ///
    /// # Errors
    /// [`guest::Error::InvalidCall`] for a number that none has.
    fn output(&self, adapter: u32) -> guest::Result<&Output> {
        self.outputs.get(adapter as usize).map(|listed| &listed.output).ok_or(guest::Error::InvalidCall)
    }

    /// The modes of a format, in the order of `EnumAdapterModes`.
    fn modes(&self, adapter: u32, format: D3DFORMAT) -> Vec<D3DDISPLAYMODE> {
        // The formats that a display can have. X1R5G5B5 modes are none of today's drivers'.
        let known = [D3DFMT_X8R8G8B8, D3DFMT_R5G6B5].contains(&format);
        let Some(listed) = self.outputs.get(adapter as usize).filter(|_| known) else { return Vec::new() };
        let depth = depth_of(format);
        let modes = listed.modes[usize::from(depth == 16)].get_or_init(|| listed.output.modes(depth));
        modes.iter().map(|mode| in_direct3d(*mode, format)).collect()
    }

    /// The modes that a filter of the extended interface lets through. All are progressive.
    fn filtered(&self, adapter: u32, filter: In<D3DDISPLAYMODEFILTER>) -> Vec<D3DDISPLAYMODE> {
        let Some(filter) = filter.read() else { return self.modes(adapter, D3DFMT_X8R8G8B8) };
        if filter.ScanLineOrdering == D3DSCANLINEORDERING_INTERLACED {
            return Vec::new();
        }
        self.modes(adapter, filter.Format)
    }

    fn create_device(
        &self,
        creation: D3DDEVICE_CREATION_PARAMETERS,
        parameters: Out<D3DPRESENT_PARAMETERS>,
        mode: Option<D3DDISPLAYMODEEX>,
        out: OutObject<IDirect3DDevice9>,
    ) -> HRESULT {
        if !out.write(core::ptr::null_mut()) {
            return D3DERR_INVALIDCALL;
        }
        let Some(mut wanted) = parameters.read() else { return D3DERR_INVALIDCALL };
        let Ok(output) = self.output(creation.AdapterOrdinal) else { return D3DERR_INVALIDCALL };
        match Device::create(self, output.clone(), creation, &mut wanted, mode.as_ref(), self.extended) {
            Ok(device) => {
                parameters.write(wanted);
                out.write(device.cast());
                D3D_OK
            }
            Err(failure) => failure,
        }
    }
}

/// A mode in Direct3D's terms.
fn in_direct3d(mode: Mode, format: D3DFORMAT) -> D3DDISPLAYMODE {
    D3DDISPLAYMODE { Width: mode.width, Height: mode.height, RefreshRate: mode.refresh, Format: format }
}

/// What a monitor shows now.
pub(crate) fn display_mode(output: &Output) -> D3DDISPLAYMODE {
    let now = output.current();
    in_direct3d(now.mode, if now.depth == 16 { D3DFMT_R5G6B5 } else { D3DFMT_X8R8G8B8 })
}

/// A mode in the extended interface's terms.
pub(crate) fn display_mode_ex(mode: D3DDISPLAYMODE) -> D3DDISPLAYMODEEX {
    D3DDISPLAYMODEEX {
        Size: size_of::<D3DDISPLAYMODEEX>() as u32,
        Width: mode.Width,
        Height: mode.Height,
        RefreshRate: mode.RefreshRate,
        Format: mode.Format,
        ScanLineOrdering: D3DSCANLINEORDERING_PROGRESSIVE,
    }
}

/// Stores a mode where the program wants it, and how the output is rotated.
pub(crate) fn put_mode_ex(
    output: &Output,
    mode: D3DDISPLAYMODEEX,
    out: Out<D3DDISPLAYMODEEX>,
    rotation: Out<D3DDISPLAYROTATION>,
) -> HRESULT {
    let bad_size = out.read().is_some_and(|asked| asked.Size != mode.Size);
    if bad_size || (out.is_null() && rotation.is_null()) {
        return D3DERR_INVALIDCALL;
    }
    out.write(mode);
    rotation.write(output.current().turns + D3DDISPLAYROTATION_IDENTITY);
    D3D_OK
}

impl Unknown for Direct3D {
    fn interfaces(&self) -> &'static [GUID] {
        if self.extended { &[IDirect3D9::IID, IDirect3D9Ex::IID] } else { &[IDirect3D9::IID] }
    }

    fn add_reference(&self) -> u32 {
        self.refs.add() + 1
    }

    fn release_reference(&self) -> u32 {
        match self.refs.drop_one() {
            None => 0,
            Some(1) => {
                // SAFETY: made by `Box::into_raw`, and the last reference is gone.
                drop(unsafe { Box::from_raw(core::ptr::from_ref(self).cast_mut()) });
                0
            }
            Some(before) => before - 1,
        }
    }
}

impl IDirect3D9Methods for Direct3D {
    fn GetAdapterCount(&self) -> u32 {
        self.outputs.len() as u32
    }

    fn GetAdapterIdentifier(&self, Adapter: u32, _Flags: u32, pIdentifier: Out<D3DADAPTER_IDENTIFIER9>) -> HRESULT {
        let identifier = |output: &Output| {
            let mut identifier = self.adapter.identifier();
            identifier.DeviceName = [0; 32];
            let name = output.name();
            for (to, from) in identifier.DeviceName.iter_mut().take(31).zip(name.bytes()) {
                *to = from as i8;
            }
            identifier
        };
        put(pIdentifier, self.output(Adapter).map(identifier))
    }

    fn GetAdapterModeCount(&self, Adapter: u32, Format: D3DFORMAT) -> u32 {
        self.modes(Adapter, Format).len() as u32
    }

    fn EnumAdapterModes(&self, Adapter: u32, Format: D3DFORMAT, Mode: u32, pMode: Out<D3DDISPLAYMODE>) -> HRESULT {
        let mode = self.modes(Adapter, Format).get(Mode as usize).copied();
        put(pMode, mode.ok_or(guest::Error::InvalidCall))
    }

    fn GetAdapterDisplayMode(&self, Adapter: u32, pMode: Out<D3DDISPLAYMODE>) -> HRESULT {
        put(pMode, self.output(Adapter).map(display_mode))
    }

    fn CheckDeviceType(
        &self,
        Adapter: u32,
        DevType: D3DDEVTYPE,
        AdapterFormat: D3DFORMAT,
        BackBufferFormat: D3DFORMAT,
        bWindowed: BOOL,
    ) -> HRESULT {
        let windowed = bWindowed != FALSE;
        code(
            self.output(Adapter)
                .and_then(|_| self.adapter.check_type(DevType, AdapterFormat, BackBufferFormat, windowed)),
        )
    }

    fn CheckDeviceFormat(
        &self,
        Adapter: u32,
        DeviceType: D3DDEVTYPE,
        AdapterFormat: D3DFORMAT,
        Usage: u32,
        RType: D3DRESOURCETYPE,
        CheckFormat: D3DFORMAT,
    ) -> HRESULT {
        let query = FormatQuery {
            device_type: DeviceType,
            adapter_format: AdapterFormat,
            usage: Usage,
            resource: RType,
            format: CheckFormat,
        };
        match self.output(Adapter).and_then(|_| self.adapter.check_format(&query)) {
            Ok(true) => D3D_OK,
            Ok(false) => D3DOK_NOAUTOGEN,
            Err(error) => error.code(),
        }
    }

    fn CheckDeviceMultiSampleType(
        &self,
        Adapter: u32,
        DeviceType: D3DDEVTYPE,
        SurfaceFormat: D3DFORMAT,
        _Windowed: BOOL,
        MultiSampleType: D3DMULTISAMPLE_TYPE,
        pQualityLevels: Out<u32>,
    ) -> HRESULT {
        let check = || self.adapter.check_multisample(DeviceType, SurfaceFormat, MultiSampleType);
        match self.output(Adapter).and_then(|_| check()) {
            Ok(levels) => {
                pQualityLevels.write(levels);
                D3D_OK
            }
            Err(error) => error.code(),
        }
    }

    fn CheckDepthStencilMatch(
        &self,
        Adapter: u32,
        DeviceType: D3DDEVTYPE,
        AdapterFormat: D3DFORMAT,
        RenderTargetFormat: D3DFORMAT,
        DepthStencilFormat: D3DFORMAT,
    ) -> HRESULT {
        let check =
            || self.adapter.check_depth_match(DeviceType, AdapterFormat, RenderTargetFormat, DepthStencilFormat);
        code(self.output(Adapter).and_then(|_| check()))
    }

    fn CheckDeviceFormatConversion(
        &self,
        Adapter: u32,
        DeviceType: D3DDEVTYPE,
        SourceFormat: D3DFORMAT,
        TargetFormat: D3DFORMAT,
    ) -> HRESULT {
        code(self.output(Adapter).and_then(|_| self.adapter.check_conversion(DeviceType, SourceFormat, TargetFormat)))
    }

    fn GetDeviceCaps(&self, Adapter: u32, DeviceType: D3DDEVTYPE, pCaps: Out<D3DCAPS9>) -> HRESULT {
        put(pCaps, self.output(Adapter).and_then(|_| self.adapter.caps(DeviceType)))
    }

    fn GetAdapterMonitor(&self, Adapter: u32) -> HMONITOR {
        self.output(Adapter).map_or(0, Output::monitor)
    }

    fn CreateDevice(
        &self,
        Adapter: u32,
        DeviceType: D3DDEVTYPE,
        hFocusWindow: HWND,
        BehaviorFlags: u32,
        pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
        ppReturnedDeviceInterface: OutObject<IDirect3DDevice9>,
    ) -> HRESULT {
        let creation =
            D3DDEVICE_CREATION_PARAMETERS { AdapterOrdinal: Adapter, DeviceType, hFocusWindow, BehaviorFlags };
        self.create_device(creation, pPresentationParameters, None, ppReturnedDeviceInterface)
    }
}

impl IDirect3D9ExMethods for Direct3D {
    fn GetAdapterModeCountEx(&self, Adapter: u32, pFilter: In<D3DDISPLAYMODEFILTER>) -> u32 {
        self.filtered(Adapter, pFilter).len() as u32
    }

    fn EnumAdapterModesEx(
        &self,
        Adapter: u32,
        pFilter: In<D3DDISPLAYMODEFILTER>,
        Mode: u32,
        pMode: Out<D3DDISPLAYMODEEX>,
    ) -> HRESULT {
        let mode = self.filtered(Adapter, pFilter).get(Mode as usize).copied().map(display_mode_ex);
        put(pMode, mode.ok_or(guest::Error::InvalidCall))
    }

    fn GetAdapterDisplayModeEx(
        &self,
        Adapter: u32,
        pMode: Out<D3DDISPLAYMODEEX>,
        pRotation: Out<D3DDISPLAYROTATION>,
    ) -> HRESULT {
        match self.output(Adapter) {
            Ok(output) => put_mode_ex(output, display_mode_ex(display_mode(output)), pMode, pRotation),
            Err(error) => error.code(),
        }
    }

    fn CreateDeviceEx(
        &self,
        Adapter: u32,
        DeviceType: D3DDEVTYPE,
        hFocusWindow: HWND,
        BehaviorFlags: u32,
        pPresentationParameters: Out<D3DPRESENT_PARAMETERS>,
        pFullscreenDisplayMode: Out<D3DDISPLAYMODEEX>,
        ppReturnedDeviceInterface: OutObject<IDirect3DDevice9Ex>,
    ) -> HRESULT {
        let windowed = pPresentationParameters.read().is_some_and(|p| p.Windowed != FALSE);
        if windowed != pFullscreenDisplayMode.is_null() {
            ppReturnedDeviceInterface.write(core::ptr::null_mut());
            return D3DERR_INVALIDCALL;
        }
        let creation =
            D3DDEVICE_CREATION_PARAMETERS { AdapterOrdinal: Adapter, DeviceType, hFocusWindow, BehaviorFlags };
        let mode = pFullscreenDisplayMode.read();
        self.create_device(creation, pPresentationParameters, mode, ppReturnedDeviceInterface.cast())
    }

    /// A number that stays the same as long as the process lives, which is all that it is for.
    fn GetAdapterLUID(&self, Adapter: u32, pLUID: Out<LUID>) -> HRESULT {
        put(pLUID, self.output(Adapter).map(|_| LUID { LowPart: self.adapter.info().device, HighPart: 0 }))
    }
}
