//! What all resources have: a device, private data and a priority.

use core::cell::Cell;
use core::ffi::c_void;
use core::ptr::NonNull;

use afterimage_d3d9::Handle;
use afterimage_d3d9_types::*;

use crate::abi::{IDirect3DDevice9, IDirect3DResource9Methods, IUnknownMethods, In, Out, OutObject};
use crate::device::Device;
use crate::names;
use crate::object::Unknown as _;
use crate::private_data::PrivateData;

/// The common part of a resource.
pub(crate) struct Common {
    device: NonNull<Device>,
    pool: D3DPOOL,
    pub(crate) private_data: PrivateData,
    priority: Cell<u32>,
}

impl Common {
    /// For a resource of a device and a pool.
    pub(crate) fn new(device: &Device, pool: D3DPOOL) -> Self {
        let private_data = PrivateData::default();
        Self { device: NonNull::from(device), pool, private_data, priority: Cell::new(0) }
    }

    /// The device, which outlives all that it owns.
    pub(crate) fn device(&self) -> &Device {
        // SAFETY: a device owns its objects and frees them before itself.
        unsafe { self.device.as_ref() }
    }
}

/// `GetDevice` of everything that has one.
pub(crate) fn get_device(device: &Device, out: OutObject<IDirect3DDevice9>) -> HRESULT {
    if out.is_null() {
        return D3DERR_INVALIDCALL;
    }
    device.add_reference();
    out.write(core::ptr::from_ref(device).cast_mut().cast());
    D3D_OK
}

/// What `IDirect3DResource9` needs to know of a resource.
pub(crate) trait Resource {
    /// Its common part.
    fn common(&self) -> &Common;
    /// `GetType`.
    fn resource_type(&self) -> D3DRESOURCETYPE;
    /// What of the guest's has the name that a program gives to this resource; levels of textures have none.
    fn named(&self) -> Option<Handle>;
}

/// Hands on what a program calls a resource, where it is that which its private data has changed in.
fn name(resource: &impl Resource, data: In<GUID>, name: impl FnOnce() -> Option<String>) {
    if names::is_name(data)
        && let Some(handle) = resource.named()
    {
        resource.common().device().enter().set_name(handle, name().as_deref());
    }
}

impl<T: Resource + IUnknownMethods> IDirect3DResource9Methods for T {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.common().device(), ppDevice)
    }

    fn SetPrivateData(&self, refguid: In<GUID>, pData: In<c_void>, SizeOfData: u32, Flags: u32) -> HRESULT {
        let result = self.common().private_data.set(refguid, pData, SizeOfData, Flags);
        if succeeded(result) && Flags & D3DSPD_IUNKNOWN == 0 {
            name(self, refguid, || names::text(refguid, pData, SizeOfData));
        }
        result
    }

    fn GetPrivateData(&self, refguid: In<GUID>, pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT {
        self.common().private_data.get(refguid, pData, pSizeOfData)
    }

    fn FreePrivateData(&self, refguid: In<GUID>) -> HRESULT {
        let result = self.common().private_data.free(refguid);
        if succeeded(result) {
            name(self, refguid, || None);
        }
        result
    }

    /// Only managed resources have a priority; it is remembered, and nothing is ever evicted by it.
    fn SetPriority(&self, PriorityNew: u32) -> u32 {
        let common = self.common();
        if common.pool == D3DPOOL_MANAGED { common.priority.replace(PriorityNew) } else { 0 }
    }

    fn GetPriority(&self) -> u32 {
        self.common().priority.get()
    }

    /// A hint to upload early; uploads are early anyway.
    fn PreLoad(&self) {}

    fn GetType(&self) -> D3DRESOURCETYPE {
        self.resource_type()
    }
}
