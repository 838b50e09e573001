//! What can be asked of an adapter before there is a device. Everything is derived from the receiver's
//! [`DeviceInfo`]: nothing is claimed that it cannot do.

mod caps;

use crate::error::{Error, Result};
use afterimage_d3d9_types::*;
use afterimage_stream::DeviceInfo;

/// An adapter: the facts of the receiving device in Direct3D's terms.
#[derive(Clone, Debug)]
pub struct Adapter {
    info: DeviceInfo,
    desktop: D3DDISPLAYMODE,
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

impl FormatQuery {
    /// A few words for the log.
    pub(crate) fn describe(name: &'static str, usage: u32) -> String {
        format!("{name} with usage {usage:#x}")
    }
}

impl Adapter {
    /// An adapter over the receiver's facts. `desktop` is the current display mode of the screen; where there is none,
    /// any plausible mode.
    #[must_use]
    pub fn new(info: DeviceInfo, desktop: D3DDISPLAYMODE) -> Self {
        Self { info, desktop }
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
        D3DADAPTER_IDENTIFIER9::default()
    }

    /// The modes of one display format, in `EnumAdapterModes` order; empty for a format that no display has.
    #[must_use]
    pub fn modes(&self, _format: D3DFORMAT) -> Vec<D3DDISPLAYMODE> {
        Vec::new()
    }

    /// `GetDeviceCaps`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a device type that does not exist, [`Error::NotAvailable`] for any but HAL.
    pub fn caps(&self, _device_type: D3DDEVTYPE) -> Result<D3DCAPS9> {
        Err(Error::NotAvailable)
    }

    /// `CheckDeviceType`.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if the combination cannot be had, [`Error::InvalidCall`] if it makes no sense.
    pub fn check_type(
        &self,
        _kind: D3DDEVTYPE,
        _adapter: D3DFORMAT,
        _back_buffer: D3DFORMAT,
        _windowed: bool,
    ) -> Result<()> {
        Err(Error::NotAvailable)
    }

    /// `CheckDeviceFormat`. `Ok(false)` is `D3DOK_NOAUTOGEN`.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if the format cannot be used that way.
    pub fn check_format(&self, _query: &FormatQuery) -> Result<bool> {
        Err(Error::NotAvailable)
    }

    /// `CheckDeviceMultiSampleType`: the number of quality levels.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if there is no such sample count for the format.
    pub fn check_multisample(
        &self,
        _kind: D3DDEVTYPE,
        _format: D3DFORMAT,
        _samples: D3DMULTISAMPLE_TYPE,
    ) -> Result<u32> {
        Err(Error::NotAvailable)
    }

    /// `CheckDepthStencilMatch`.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if the two cannot be bound together.
    pub fn check_depth_match(
        &self,
        _kind: D3DDEVTYPE,
        _adapter: D3DFORMAT,
        _target: D3DFORMAT,
        _depth: D3DFORMAT,
    ) -> Result<()> {
        Err(Error::NotAvailable)
    }

    /// `CheckDeviceFormatConversion`: whether a present can convert.
    ///
    /// # Errors
    /// [`Error::NotAvailable`] if it cannot.
    pub fn check_conversion(&self, _kind: D3DDEVTYPE, _source: D3DFORMAT, _target: D3DFORMAT) -> Result<()> {
        Err(Error::NotAvailable)
    }
}
