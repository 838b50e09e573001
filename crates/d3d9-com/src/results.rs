//! From the guest's results to Direct3D's.

use afterimage_d3d9 as guest;
use afterimage_d3d9_types::{D3D_OK, D3DERR_INVALIDCALL, HRESULT};

use crate::abi::Out;

/// The published code of a result.
#[inline]
pub(crate) fn code(result: guest::Result<()>) -> HRESULT {
    match result {
        Ok(()) => D3D_OK,
        Err(error) => error.code(),
    }
}

/// Stores a value where the program wants it. Nothing is written on failure.
pub(crate) fn put<T>(out: Out<T>, value: guest::Result<T>) -> HRESULT {
    match value {
        _ if out.is_null() => D3DERR_INVALIDCALL,
        Ok(value) => {
            out.write(value);
            D3D_OK
        }
        Err(error) => error.code(),
    }
}
