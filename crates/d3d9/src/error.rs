//! Results of calls, as Direct3D has them.

use afterimage_d3d9_types as d3d;
use afterimage_stream::{LinkError, PortError};

/// Why a call failed. [`Error::code`] is the published result code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Error {
    /// The arguments are not valid, or the call is not allowed now (`D3DERR_INVALIDCALL`).
    #[error("invalid call")]
    InvalidCall,
    /// The device does not have what was asked for (`D3DERR_NOTAVAILABLE`).
    #[error("not available")]
    NotAvailable,
    /// The item asked for was not found (`D3DERR_NOTFOUND`).
    #[error("not found")]
    NotFound,
    /// There is more data than the buffer holds (`D3DERR_MOREDATA`).
    #[error("more data than the buffer holds")]
    MoreData,
    /// The receiver of the commands is gone (`D3DERR_DEVICELOST`).
    #[error("the device is lost")]
    DeviceLost,
    /// The device is back, but must be reset first (`D3DERR_DEVICENOTRESET`).
    #[error("the device must be reset")]
    DeviceNotReset,
    /// The GPU is not done with it, and `D3DLOCK_DONOTWAIT` was given (`D3DERR_WASSTILLDRAWING`).
    #[error("the GPU is still drawing")]
    WasStillDrawing,
    /// No device memory, or every object id is in use (`D3DERR_OUTOFVIDEOMEMORY`).
    #[error("out of video memory")]
    OutOfVideoMemory,
    /// No memory in this process (`E_OUTOFMEMORY`).
    #[error("out of memory")]
    OutOfMemory,
    /// Not possible, for no reason that Direct3D has a name for (`E_FAIL`).
    #[error("failed")]
    Fail,
    /// A fault on our side, described in the log (`D3DERR_DRIVERINTERNALERROR`).
    #[error("internal error")]
    Internal,
}

impl Error {
    /// The published `HRESULT`.
    #[must_use]
    pub const fn code(self) -> d3d::HRESULT {
        match self {
            Self::InvalidCall => d3d::D3DERR_INVALIDCALL,
            Self::NotAvailable => d3d::D3DERR_NOTAVAILABLE,
            Self::NotFound => d3d::D3DERR_NOTFOUND,
            Self::MoreData => d3d::D3DERR_MOREDATA,
            Self::DeviceLost => d3d::D3DERR_DEVICELOST,
            Self::DeviceNotReset => d3d::D3DERR_DEVICENOTRESET,
            Self::WasStillDrawing => d3d::D3DERR_WASSTILLDRAWING,
            Self::OutOfVideoMemory => d3d::D3DERR_OUTOFVIDEOMEMORY,
            Self::OutOfMemory => d3d::E_OUTOFMEMORY,
            Self::Fail => d3d::E_FAIL,
            Self::Internal => d3d::D3DERR_DRIVERINTERNALERROR,
        }
    }
}

impl From<PortError> for Error {
    fn from(error: PortError) -> Self {
        match error {
            PortError::Link(LinkError::Lost) => Self::DeviceLost,
            PortError::Link(LinkError::ArenaFull { .. }) | PortError::Ids(_) => Self::OutOfVideoMemory,
            PortError::TooLarge(_) => Self::OutOfMemory,
            PortError::Token(_) => Self::Internal,
        }
    }
}

/// Result of a call.
pub type Result<T> = std::result::Result<T, Error>;
