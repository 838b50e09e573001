//! Queries and state blocks: `IDirect3DQuery9`, `IDirect3DStateBlock9`.

use core::ffi::c_void;
use core::ptr::NonNull;

use afterimage_d3d9::{Handle, QueryId, StateBlockId};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::Device;
use crate::object::{Child, Refs, child};
use crate::resource::get_device;
use crate::shader::plain;

plain! {
    /// A query.
    Query(QueryId): IDirect3DQuery9, IDirect3DQuery9Vtable, QUERY
}
plain! {
    /// A state block.
    StateBlock(StateBlockId): IDirect3DStateBlock9, IDirect3DStateBlock9Vtable, STATE_BLOCK
}

impl Query {
    fn size(&self) -> u32 {
        let guest = self.device().enter();
        guest.query_size(guest.query_type(self.id)).unwrap_or(0)
    }
}

impl IDirect3DQuery9Methods for Query {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.device(), ppDevice)
    }
    fn GetType(&self) -> D3DQUERYTYPE {
        self.device().enter().query_type(self.id)
    }
    fn GetDataSize(&self) -> u32 {
        self.size()
    }
    fn Issue(&self, dwIssueFlags: u32) -> HRESULT {
        crate::results::code(self.device().enter().issue_query(self.id, dwIssueFlags))
    }

    /// Fills all the room that the program has, with zeros after the answer; without any it only asks whether the answer is there.
    fn GetData(&self, mut pData: Out<c_void>, dwSize: u32, dwGetDataFlags: u32) -> HRESULT {
        if pData.is_null() && dwSize != 0 {
            return D3DERR_INVALIDCALL;
        }
        let answer = self.device().enter().query_data(self.id, dwGetDataFlags & D3DGETDATA_FLUSH != 0);
        let bytes = match answer {
            Ok(Some(data)) => data.to_bytes(),
            Ok(None) => return S_FALSE,
            Err(error) => return error.code(),
        };
        if let Some(to) = pData.bytes(dwSize as usize) {
            let length = bytes.len().min(to.len());
            to[..length].copy_from_slice(&bytes[..length]);
            to[length..].fill(0);
        }
        S_OK
    }
}

impl IDirect3DStateBlock9Methods for StateBlock {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.device(), ppDevice)
    }
    fn Capture(&self) -> HRESULT {
        let mut guest = self.device().enter();
        let result = guest.capture_state_block(self.id);
        guest.done(result)
    }
    fn Apply(&self) -> HRESULT {
        let mut guest = self.device().enter();
        let result = guest.apply_state_block(self.id);
        guest.done(result)
    }
}
