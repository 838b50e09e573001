//! What can be asked of an adapter before there is a device. Everything is derived from the receiver's
//! [`DeviceInfo`]: nothing is claimed that it cannot do.

mod caps;
pub mod claims;
mod overrides;

use crate::error::{Error, Result};
use crate::format::{FormatKind, FormatRow, NV12, YV12, encodes_srgb, format_row};
use crate::machine::SOFTWARE_FLOATS;
use afterimage_d3d9_types::*;
use afterimage_stream::{DeviceInfo, FormatFeatures};

/// Largest edge of a texture that the stream takes.
pub(crate) const MAX_EDGE: u32 = 16_384;

/// Formats that a display mode can have.
const DISPLAY_FORMATS: [D3DFORMAT; 2] = [D3DFMT_X8R8G8B8, D3DFMT_R5G6B5];

/// Sizes that displays usually have; those that are larger than the desktop are left out of the list.
const SIZES: [[u32; 2]; 18] = [
    [640, 480],
    [720, 480],
    [720, 576],
    [800, 600],
    [1024, 768],
    [1152, 864],
    [1280, 720],
    [1280, 800],
    [1280, 960],
    [1280, 1024],
    [1366, 768],
    [1440, 900],
    [1600, 900],
    [1600, 1200],
    [1680, 1050],
    [1920, 1080],
    [2560, 1440],
    [3840, 2160],
];

/// An adapter: the facts of the receiving device in Direct3D's terms.
#[derive(Clone, Debug)]
pub struct Adapter {
    info: DeviceInfo,
    desktop: D3DDISPLAYMODE,
    /// The highest shader model that programs are told of.
    shader_model: u32,
    /// Formats that programs are told are not there.
    hidden: Vec<D3DFORMAT>,
    /// Old formats that the user asks for.
    old_formats: Vec<D3DFORMAT>,
}

/// What [`Adapter::check_format`] is asked: the arguments of `CheckDeviceFormat`.
#[derive(Clone, Copy, Debug)]
pub struct FormatQuery {
    /// Kind of device.
    pub device_type: D3DDEVTYPE,
    /// Format of the display mode.
    pub adapter_format: D3DFORMAT,
    /// `D3DUSAGE_*` and `D3DUSAGE_QUERY_*`.
    pub usage: u32,
    /// Kind of resource.
    pub resource: D3DRESOURCETYPE,
    /// The format in question.
    pub format: D3DFORMAT,
}

/// Text into the fixed array of a structure, with its end.
fn text<const N: usize>(text: &str) -> [i8; N] {
    let mut out = [0; N];
    for (out, byte) in out[..N - 1].iter_mut().zip(text.bytes()) {
        *out = byte as i8;
    }
    out
}

/// Samples per pixel of a multisample type and quality on a device. The qualities of the type that is not maskable are
/// the sample counts that there are, from two on.
pub(crate) fn samples(info: &DeviceInfo, kind: D3DMULTISAMPLE_TYPE, quality: u32) -> Option<u32> {
    let has = |count: u32| info.sample_counts >> (count - 1) & 1 == 1;
    match kind {
        D3DMULTISAMPLE_NONE if quality == 0 => Some(1),
        D3DMULTISAMPLE_NONMASKABLE => [2, 4, 8, 16].into_iter().filter(|&c| has(c)).nth(quality as usize),
        2 | 4 | 8 | 16 if quality == 0 && has(kind) => Some(kind),
        _ => None,
    }
}

impl Adapter {
    /// An adapter over the receiver's facts. `desktop` is the current display mode of the screen; where there is none,
    /// any plausible mode.
    #[must_use]
    pub fn new(info: DeviceInfo, desktop: D3DDISPLAYMODE) -> Self {
        Self { info, desktop, shader_model: 3, hidden: Vec::new(), old_formats: Vec::new() }
    }

    /// The receiver's facts.
    #[must_use]
    pub fn info(&self) -> &DeviceInfo {
        &self.info
    }

    /// The current display mode.
    #[must_use]
    pub fn display_mode(&self) -> D3DDISPLAYMODE {
        self.desktop
    }

    /// `GetAdapterIdentifier`. The driver name and version are ours; vendor, device and description the receiver's.
    #[must_use]
    pub fn identifier(&self) -> D3DADAPTER_IDENTIFIER9 {
        let version = |part: &str| part.parse::<i64>().unwrap_or(0);
        let major = version(env!("CARGO_PKG_VERSION_MAJOR"));
        let minor = version(env!("CARGO_PKG_VERSION_MINOR"));
        let patch = version(env!("CARGO_PKG_VERSION_PATCH"));
        D3DADAPTER_IDENTIFIER9 {
            Driver: text("afterimage.dll"),
            Description: text(&self.info.name()),
            DeviceName: text("\\\\.\\DISPLAY1"),
            DriverVersion: major << 48 | minor << 32 | patch << 16,
            VendorId: self.info.vendor,
            DeviceId: self.info.device,
            DeviceIdentifier: GUID {
                Data1: self.info.vendor,
                Data2: self.info.device as u16,
                Data3: (self.info.device >> 16) as u16,
                Data4: self.info.driver_version.to_le_bytes().repeat(2).try_into().unwrap_or_default(),
            },
            ..D3DADAPTER_IDENTIFIER9::default()
        }
    }

    /// The modes of one display format, in `EnumAdapterModes` order; empty for a format that no display has.
    #[must_use]
    pub fn modes(&self, format: D3DFORMAT) -> Vec<D3DDISPLAYMODE> {
        if !self.displays(format) {
            return Vec::new();
        }
        let desktop = [self.desktop.Width, self.desktop.Height];
        let mut sizes: Vec<_> =
            SIZES.into_iter().filter(|[width, height]| *width <= desktop[0] && *height <= desktop[1]).collect();
        if !sizes.contains(&desktop) {
            sizes.push(desktop);
        }
        sizes.sort_unstable();
        let rate = if self.desktop.RefreshRate == 0 { 60 } else { self.desktop.RefreshRate };
        sizes
            .into_iter()
            .map(|[width, height]| D3DDISPLAYMODE { Width: width, Height: height, RefreshRate: rate, Format: format })
            .collect()
    }

    /// Whether a display mode can have a format: one that can be drawn to and then shown.
    fn displays(&self, format: D3DFORMAT) -> bool {
        DISPLAY_FORMATS.contains(&format) && self.renders(format)
    }

    /// Whether a format can be a colour target.
    fn renders(&self, format: D3DFORMAT) -> bool {
        format_row(format).is_some_and(|row| row.target && row.host(&self.info, FormatFeatures::TARGET).is_some())
    }

    fn check_hal(kind: D3DDEVTYPE) -> Result<()> {
        match kind {
            D3DDEVTYPE_HAL => Ok(()),
            D3DDEVTYPE_REF | D3DDEVTYPE_SW | D3DDEVTYPE_NULLREF => Err(Error::NotAvailable),
            _ => Err(Error::InvalidCall),
        }
    }

    /// `GetDeviceCaps`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a device type that does not exist, [`Error::NotAvailable`] for any but HAL.
    pub fn caps(&self, device_type: D3DDEVTYPE) -> Result<D3DCAPS9> {
        Self::check_hal(device_type)?;
        Ok(self.with_shader_model(caps::caps(&self.info)))
    }

    /// `IDirect3DDevice9::GetDeviceCaps`: vertex processing in software has more constants.
    ///
    /// # Errors
    /// As [`Adapter::caps`].
    pub fn device_caps(&self, creation: &D3DDEVICE_CREATION_PARAMETERS) -> Result<D3DCAPS9> {
        let mut caps = self.caps(creation.DeviceType)?;
        if creation.BehaviorFlags & D3DCREATE_SOFTWARE_VERTEXPROCESSING != 0 {
            caps.MaxVertexShaderConst = SOFTWARE_FLOATS;
        }
        Ok(caps)
    }

    /// `CheckDeviceType`.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if the combination cannot be had, [`Error::InvalidCall`] if it makes no sense.
    pub fn check_type(
        &self,
        kind: D3DDEVTYPE,
        adapter: D3DFORMAT,
        back_buffer: D3DFORMAT,
        windowed: bool,
    ) -> Result<()> {
        Self::check_hal(kind)?;
        if adapter == D3DFMT_UNKNOWN && (!windowed || back_buffer == D3DFMT_UNKNOWN) {
            return Err(Error::InvalidCall);
        }
        // In a window, an unknown back buffer format is the display's.
        let back_buffer = if windowed && back_buffer == D3DFMT_UNKNOWN { adapter } else { back_buffer };
        // In a window a present converts.
        let converts = windowed && self.check_conversion(kind, back_buffer, adapter).is_ok();
        let matches = converts
            || adapter == back_buffer
            || matches!(
                (adapter, back_buffer),
                (D3DFMT_X8R8G8B8, D3DFMT_A8R8G8B8) | (D3DFMT_X1R5G5B5, D3DFMT_A1R5G5B5)
            );
        if self.displays(adapter) && self.renders(back_buffer) && matches { Ok(()) } else { Err(Error::NotAvailable) }
    }

    /// `CheckDeviceFormat`. `Ok(false)` is `D3DOK_NOAUTOGEN`.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if the format cannot be used that way, [`Error::InvalidCall`] if the question makes no
    /// sense.
    pub fn check_format(&self, query: &FormatQuery) -> Result<bool> {
        if query.adapter_format == D3DFMT_UNKNOWN {
            return Err(Error::InvalidCall);
        }
        Self::check_hal(query.device_type)?;
        if !self.displays(query.adapter_format) {
            return Err(Error::NotAvailable);
        }
        let usage = query.usage;
        if matches!(query.resource, D3DRTYPE_VERTEXBUFFER | D3DRTYPE_INDEXBUFFER) {
            return Err(Error::InvalidCall);
        }
        if self.hidden.contains(&query.format) {
            return Err(Error::NotAvailable);
        }
        if let Some(usage) = Self::switch(query.format) {
            let several = self.info.sample_counts >> 1 != 0;
            let asked = query.resource == D3DRTYPE_SURFACE && query.usage == usage;
            return if asked && several { Ok(true) } else { Err(Error::NotAvailable) };
        }
        let row = format_row(query.format).ok_or(Error::NotAvailable)?;
        let in_volumes = D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL | D3DUSAGE_AUTOGENMIPMAP;
        let surface = match query.resource {
            D3DRTYPE_SURFACE => true,
            D3DRTYPE_TEXTURE | D3DRTYPE_CUBETEXTURE => false,
            D3DRTYPE_VOLUMETEXTURE | D3DRTYPE_VOLUME if usage & in_volumes == 0 && !row.is_depth() => false,
            _ => return Err(Error::NotAvailable),
        };
        if !surface && !row.has_textures(&self.old_formats) {
            return Err(Error::NotAvailable);
        }
        let needed = Self::features(row, usage, surface)?;
        if row.kind == FormatKind::Null {
            let target = usage & !D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING == D3DUSAGE_RENDERTARGET;
            let flat = query.resource != D3DRTYPE_CUBETEXTURE;
            return if target && flat { Ok(true) } else { Err(Error::NotAvailable) };
        }
        let host = row.host(&self.info, needed).ok_or(Error::NotAvailable)?;
        let decodes = usage & D3DUSAGE_QUERY_SRGBREAD == 0 || host.info().srgb.is_some();
        let encodes = usage & D3DUSAGE_QUERY_SRGBWRITE == 0 || encodes_srgb(host);
        if !decodes || !encodes {
            return Err(Error::NotAvailable);
        }
        let mips = FormatFeatures::BLIT | FormatFeatures::LINEAR;
        Ok(usage & D3DUSAGE_AUTOGENMIPMAP == 0 || row.target && self.info.features(host) & mips == mips)
    }

    /// Names of no formats, by which programs ask for what drivers do beyond Direct3D where pixels have several samples: alpha
    /// to coverage, and depth that is resolved. The usage that they ask with.
    fn switch(format: D3DFORMAT) -> Option<u32> {
        const ATOC: D3DFORMAT = fourcc(*b"ATOC");
        const RESZ: D3DFORMAT = fourcc(*b"RESZ");
        match format {
            ATOC => Some(0),
            RESZ => Some(D3DUSAGE_RENDERTARGET),
            _ => None,
        }
    }

    /// Host features that a use of a format needs.
    fn features(row: &FormatRow, usage: u32, surface: bool) -> Result<u32> {
        let mut needed = if surface { 0 } else { row.sampled() };
        let depth = usage & D3DUSAGE_DEPTHSTENCIL != 0;
        let target = usage & D3DUSAGE_RENDERTARGET != 0;
        // A depth buffer has a depth format; a texture may have one without being drawn to.
        let depth_fits = depth == row.is_depth() || row.is_depth() && !surface && !depth;
        let target_fits = !target || !depth && row.target;
        let srgb_fits = !surface || target || usage & D3DUSAGE_QUERY_SRGBWRITE == 0;
        // Compressed formats of vendors are textures' alone.
        let kind_fits = !surface || !row.is_opaque();
        let bump_fits = row.bump || usage & D3DUSAGE_QUERY_LEGACYBUMPMAP == 0;
        let wrong = depth && usage & D3DUSAGE_AUTOGENMIPMAP != 0 || (depth || target) && usage & D3DUSAGE_DYNAMIC != 0;
        if !depth_fits || !target_fits || !srgb_fits || !kind_fits || !bump_fits || wrong {
            return Err(Error::NotAvailable);
        }
        if depth || target {
            needed |= row.rendered();
        } else if surface {
            needed |= FormatFeatures::SAMPLED;
        }
        for (flag, feature) in [
            (D3DUSAGE_QUERY_FILTER, FormatFeatures::LINEAR),
            (D3DUSAGE_QUERY_POSTPIXELSHADER_BLENDING, FormatFeatures::BLEND),
            (D3DUSAGE_QUERY_VERTEXTEXTURE, FormatFeatures::VERTEX_TEXTURE),
        ] {
            needed |= if usage & flag != 0 { feature } else { 0 };
        }
        let unsupported = D3DUSAGE_DMAP | D3DUSAGE_NPATCHES | D3DUSAGE_RTPATCHES | D3DUSAGE_WRITEONLY;
        if usage & unsupported != 0 { Err(Error::NotAvailable) } else { Ok(needed) }
    }

    /// `CheckDeviceMultiSampleType`: the number of quality levels.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if there is no such sample count for the format, [`Error::InvalidCall`] for a type or
    /// format that does not exist.
    pub fn check_multisample(&self, kind: D3DDEVTYPE, format: D3DFORMAT, samples: D3DMULTISAMPLE_TYPE) -> Result<u32> {
        Self::check_hal(kind)?;
        if format == D3DFMT_UNKNOWN || samples > D3DMULTISAMPLE_16_SAMPLES {
            return Err(Error::InvalidCall);
        }
        let row = format_row(format).ok_or(Error::NotAvailable)?;
        let drawn = row.kind == FormatKind::Null
            || (row.target || row.is_depth()) && row.host(&self.info, row.rendered()).is_some();
        if !drawn && samples != D3DMULTISAMPLE_NONE {
            return Err(Error::NotAvailable);
        }
        let levels = (0..).take_while(|&quality| self::samples(&self.info, samples, quality).is_some()).count();
        if levels == 0 { Err(Error::NotAvailable) } else { Ok(levels as u32) }
    }

    /// `CheckDepthStencilMatch`.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if the two cannot be bound together.
    pub fn check_depth_match(
        &self,
        kind: D3DDEVTYPE,
        adapter: D3DFORMAT,
        target: D3DFORMAT,
        depth: D3DFORMAT,
    ) -> Result<()> {
        Self::check_hal(kind)?;
        let depth_fits = format_row(depth)
            .is_some_and(|row| row.is_depth() && row.host(&self.info, FormatFeatures::DEPTH).is_some());
        let target_fits = self.renders(target) || target == crate::format::NULL;
        if self.displays(adapter) && target_fits && depth_fits { Ok(()) } else { Err(Error::NotAvailable) }
    }

    /// `CheckDeviceFormatConversion`: whether `StretchRect` and a present in a window can convert.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if they cannot.
    pub fn check_conversion(&self, kind: D3DDEVTYPE, source: D3DFORMAT, target: D3DFORMAT) -> Result<()> {
        Self::check_hal(kind)?;
        let can = |format: D3DFORMAT, feature: u32| {
            format_row(format).is_some_and(|row| row.host(&self.info, feature).is_some())
        };
        let blits = can(source, FormatFeatures::BLIT_SOURCE) && can(target, FormatFeatures::BLIT);
        // What a back buffer can have, and Y'CbCr.
        let from = matches!(
            source,
            D3DFMT_A8R8G8B8
                | D3DFMT_X8R8G8B8
                | D3DFMT_A8B8G8R8
                | D3DFMT_X8B8G8R8
                | D3DFMT_R5G6B5
                | D3DFMT_X1R5G5B5
                | D3DFMT_A1R5G5B5
                | D3DFMT_A2R10G10B10
                | D3DFMT_A2B10G10R10
                | D3DFMT_A16B16G16R16
                | D3DFMT_A16B16G16R16F
                | D3DFMT_UYVY
                | D3DFMT_YUY2
                | NV12
                | YV12
        );
        let to = matches!(
            target,
            D3DFMT_A8R8G8B8 | D3DFMT_X8R8G8B8 | D3DFMT_R5G6B5 | D3DFMT_X1R5G5B5 | D3DFMT_A1R5G5B5 | D3DFMT_A2R10G10B10
        );
        let converts = from && to && blits && self.renders(target);
        if source == target || converts { Ok(()) } else { Err(Error::NotAvailable) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use afterimage_stream::Format;

    fn adapter() -> Adapter {
        let mut info = DeviceInfo { max_texture_2d: 16_384, sample_counts: 0b1001, ..DeviceInfo::default() };
        for format in Format::ALL {
            info.formats[*format as usize] = if format.is_depth() {
                FormatFeatures::DEPTH | FormatFeatures::SAMPLED
            } else {
                FormatFeatures::SAMPLED | FormatFeatures::LINEAR | FormatFeatures::TARGET | FormatFeatures::BLEND
            };
        }
        info.formats[Format::R32G32B32A32_SFLOAT as usize] = FormatFeatures::SAMPLED;
        let desktop = D3DDISPLAYMODE { Width: 1280, Height: 1024, RefreshRate: 60, Format: D3DFMT_X8R8G8B8 };
        Adapter::new(info, desktop)
    }

    fn ask(usage: u32, resource: D3DRESOURCETYPE, format: D3DFORMAT) -> Result<bool> {
        adapter().check_format(&FormatQuery {
            device_type: D3DDEVTYPE_HAL,
            adapter_format: D3DFMT_X8R8G8B8,
            usage,
            resource,
            format,
        })
    }

    #[test]
    fn formats_are_what_the_device_can_do() {
        assert_eq!(ask(0, D3DRTYPE_TEXTURE, D3DFMT_DXT1), Ok(true));
        assert_eq!(ask(D3DUSAGE_RENDERTARGET, D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8), Ok(true));
        assert_eq!(ask(D3DUSAGE_RENDERTARGET, D3DRTYPE_TEXTURE, D3DFMT_DXT1), Err(Error::NotAvailable));
        assert_eq!(ask(D3DUSAGE_DEPTHSTENCIL, D3DRTYPE_SURFACE, D3DFMT_D24S8), Ok(true));
        assert_eq!(ask(D3DUSAGE_RENDERTARGET, D3DRTYPE_SURFACE, D3DFMT_D24S8), Err(Error::NotAvailable));
        assert_eq!(ask(D3DUSAGE_QUERY_FILTER, D3DRTYPE_TEXTURE, D3DFMT_A32B32G32R32F), Err(Error::NotAvailable));
        assert_eq!(ask(D3DUSAGE_QUERY_SRGBREAD, D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8), Ok(true));
        assert_eq!(ask(D3DUSAGE_QUERY_SRGBREAD, D3DRTYPE_TEXTURE, D3DFMT_R32F), Err(Error::NotAvailable));
        // Without filtered blits there are no automatic mip maps.
        assert_eq!(ask(D3DUSAGE_AUTOGENMIPMAP, D3DRTYPE_TEXTURE, D3DFMT_A8R8G8B8), Ok(false));
        assert_eq!(ask(0, D3DRTYPE_TEXTURE, D3DFMT_D32), Err(Error::NotAvailable));
        assert_eq!(ask(0, D3DRTYPE_TEXTURE, D3DFMT_P8), Err(Error::NotAvailable));
        assert_eq!(ask(0, D3DRTYPE_SURFACE, D3DFMT_P8), Ok(true));
        assert_eq!(ask(D3DUSAGE_QUERY_LEGACYBUMPMAP, D3DRTYPE_TEXTURE, D3DFMT_L6V5U5), Ok(true));
        assert_eq!(ask(D3DUSAGE_QUERY_LEGACYBUMPMAP, D3DRTYPE_TEXTURE, D3DFMT_L8), Err(Error::NotAvailable));
        // Y'CbCr is copied to targets, not sampled.
        assert_eq!(ask(0, D3DRTYPE_SURFACE, D3DFMT_YUY2), Ok(true));
        assert_eq!(ask(0, D3DRTYPE_TEXTURE, D3DFMT_YUY2), Err(Error::NotAvailable));
    }

    #[test]
    fn sample_counts_are_those_that_there_are() {
        let adapter = adapter();
        let ask = |samples| adapter.check_multisample(D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8, samples);
        assert_eq!(ask(D3DMULTISAMPLE_NONE), Ok(1));
        assert_eq!(ask(D3DMULTISAMPLE_NONMASKABLE), Ok(1));
        assert_eq!(ask(D3DMULTISAMPLE_4_SAMPLES), Ok(1));
        assert_eq!(ask(D3DMULTISAMPLE_2_SAMPLES), Err(Error::NotAvailable));
        assert_eq!(ask(17), Err(Error::InvalidCall));
        assert_eq!(samples(&adapter.info, D3DMULTISAMPLE_NONMASKABLE, 0), Some(4));
    }

    #[test]
    fn modes_end_at_the_desktop() {
        let modes = adapter().modes(D3DFMT_X8R8G8B8);
        assert!(modes.iter().all(|mode| mode.Width <= 1280 && mode.Height <= 1024));
        assert!(modes.iter().any(|mode| (mode.Width, mode.Height) == (1280, 1024)));
        assert!(adapter().modes(D3DFMT_DXT1).is_empty());
    }

    #[test]
    fn types_and_matches() {
        let adapter = adapter();
        let check = |adapter_format, back, windowed| adapter.check_type(D3DDEVTYPE_HAL, adapter_format, back, windowed);
        assert_eq!(check(D3DFMT_X8R8G8B8, D3DFMT_A8R8G8B8, false), Ok(()));
        assert_eq!(check(D3DFMT_X8R8G8B8, D3DFMT_UNKNOWN, true), Ok(()));
        assert_eq!(check(D3DFMT_X8R8G8B8, D3DFMT_A2R10G10B10, false), Err(Error::NotAvailable));
        assert_eq!(adapter.caps(D3DDEVTYPE_REF).unwrap_err(), Error::NotAvailable);
        assert_eq!(adapter.caps(9).unwrap_err(), Error::InvalidCall);
        let matches = |depth| adapter.check_depth_match(D3DDEVTYPE_HAL, D3DFMT_X8R8G8B8, D3DFMT_A8R8G8B8, depth);
        assert_eq!((matches(D3DFMT_D24S8), matches(D3DFMT_R32F)), (Ok(()), Err(Error::NotAvailable)));
    }
}
