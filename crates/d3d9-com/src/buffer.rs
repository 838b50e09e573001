//! Vertex and index buffers: `IDirect3DVertexBuffer9`, `IDirect3DIndexBuffer9`. One object with the vtable of its kind.

use core::ffi::c_void;

use afterimage_d3d9::{BufferId, Handle};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::Device;
use crate::object::{Child, Refs, Unknown, add_ref, release};
use crate::resource::{Common, Resource};
use crate::results::{code, put};

static VERTICES: IDirect3DVertexBuffer9Vtable = IDirect3DVertexBuffer9Vtable::of::<Buffer>();
static INDICES: IDirect3DIndexBuffer9Vtable = IDirect3DIndexBuffer9Vtable::of::<Buffer>();

/// A vertex or index buffer.
#[repr(C)]
pub(crate) struct Buffer {
    vtable: *const c_void,
    refs: Refs,
    common: Common,
    kind: D3DRESOURCETYPE,
    pub(crate) id: BufferId,
}

// SAFETY: the interface is only ever given out for a `Buffer`.
unsafe impl Interface for IDirect3DVertexBuffer9 {
    type Object = Buffer;
}

// SAFETY: the interface is only ever given out for a `Buffer`.
unsafe impl Interface for IDirect3DIndexBuffer9 {
    type Object = Buffer;
}

impl Buffer {
    /// The object of a vertex buffer that the guest has just made.
    pub(crate) fn vertices(device: &Device, id: BufferId, pool: D3DPOOL) -> Self {
        let (vtable, kind) = ((&raw const VERTICES).cast(), D3DRTYPE_VERTEXBUFFER);
        Self { vtable, refs: Refs::default(), common: Common::new(device, pool), kind, id }
    }

    /// The object of an index buffer that the guest has just made.
    pub(crate) fn indices(device: &Device, id: BufferId, pool: D3DPOOL) -> Self {
        let (vtable, kind) = ((&raw const INDICES).cast(), D3DRTYPE_INDEXBUFFER);
        Self { vtable, refs: Refs::default(), common: Common::new(device, pool), kind, id }
    }

    fn lock(&self, offset: u32, size: u32, out: OutObject<c_void>, flags: u32) -> HRESULT {
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let locked = self.common.device().enter().lock_buffer(self.id, offset, size, flags);
        match locked {
            Ok(locked) => {
                out.write(locked.bits.cast());
                D3D_OK
            }
            Err(error) => {
                out.write(core::ptr::null_mut());
                error.code()
            }
        }
    }

    fn unlock(&self) -> HRESULT {
        code(self.common.device().enter().unlock_buffer(self.id))
    }
}

impl Child for Buffer {
    fn refs(&self) -> &Refs {
        &self.refs
    }
    fn device(&self) -> &Device {
        self.common.device()
    }
    fn handle(&self) -> Handle {
        self.id.into()
    }
}

impl Unknown for Buffer {
    fn interfaces(&self) -> &'static [GUID] {
        match self.kind {
            D3DRTYPE_INDEXBUFFER => &[IDirect3DIndexBuffer9::IID, IDirect3DResource9::IID],
            _ => &[IDirect3DVertexBuffer9::IID, IDirect3DResource9::IID],
        }
    }
    fn add_reference(&self) -> u32 {
        add_ref(self)
    }
    fn release_reference(&self) -> u32 {
        release(self)
    }
}

impl Resource for Buffer {
    fn common(&self) -> &Common {
        &self.common
    }
    fn resource_type(&self) -> D3DRESOURCETYPE {
        self.kind
    }
    fn named(&self) -> Option<Handle> {
        Some(self.handle())
    }
}

impl IDirect3DVertexBuffer9Methods for Buffer {
    fn Lock(&self, OffsetToLock: u32, SizeToLock: u32, ppbData: OutObject<c_void>, Flags: u32) -> HRESULT {
        self.lock(OffsetToLock, SizeToLock, ppbData, Flags)
    }
    fn Unlock(&self) -> HRESULT {
        self.unlock()
    }
    fn GetDesc(&self, pDesc: Out<D3DVERTEXBUFFER_DESC>) -> HRESULT {
        put(pDesc, self.common.device().enter().vertex_buffer_desc(self.id))
    }
}

impl IDirect3DIndexBuffer9Methods for Buffer {
    fn Lock(&self, OffsetToLock: u32, SizeToLock: u32, ppbData: OutObject<c_void>, Flags: u32) -> HRESULT {
        self.lock(OffsetToLock, SizeToLock, ppbData, Flags)
    }
    fn Unlock(&self) -> HRESULT {
        self.unlock()
    }
    fn GetDesc(&self, pDesc: Out<D3DINDEXBUFFER_DESC>) -> HRESULT {
        put(pDesc, self.common.device().enter().index_buffer_desc(self.id))
    }
}
