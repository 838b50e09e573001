//! Levels of volume textures: `IDirect3DVolume9`.

use core::ffi::c_void;

use afterimage_d3d9::{ImageId, Locked};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::Device;
use crate::object::{Unknown, add_ref, release};
use crate::resource::{Common, get_device};
use crate::results::{code, put};
use crate::texture::Texture;

static VOLUME: IDirect3DVolume9Vtable = IDirect3DVolume9Vtable::of::<Volume>();

/// A level of a volume texture, which counts its references.
#[repr(C)]
pub(crate) struct Volume {
    vtable: *const IDirect3DVolume9Vtable,
    texture: *const Texture,
    common: Common,
    image: ImageId,
    level: u32,
}

impl Volume {
    /// A level; its texture is told later.
    pub(crate) fn new(device: &Device, image: ImageId, level: u32, pool: D3DPOOL) -> Self {
        Self { vtable: &VOLUME, texture: core::ptr::null(), common: Common::new(device, pool), image, level }
    }

    /// Says whose level it is.
    pub(crate) fn set_container(&mut self, texture: *const Texture) {
        self.texture = texture;
    }

    fn texture(&self) -> &Texture {
        // SAFETY: a texture is set before anybody sees its levels, and outlives them.
        unsafe { &*self.texture }
    }

    /// Adds a reference, for the program.
    pub(crate) fn hand_out(&self) -> *mut IDirect3DVolume9 {
        self.add_reference();
        core::ptr::from_ref(self).cast_mut().cast()
    }

    /// `LockBox`.
    pub(crate) fn lock(&self, out: Out<D3DLOCKED_BOX>, region: In<D3DBOX>, flags: u32) -> HRESULT {
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let locked = self.common.device().enter().lock_volume(self.image, self.level, region.read().as_ref(), flags);
        // Windows clears it where a surface's would stay as it is.
        out.write(D3DLOCKED_BOX::default());
        let described = |l: Locked| D3DLOCKED_BOX {
            RowPitch: l.row_pitch as i32,
            SlicePitch: l.slice_pitch as i32,
            pBits: l.bits.cast(),
        };
        put(out, locked.map(described))
    }
}

impl Unknown for Volume {
    fn interfaces(&self) -> &'static [GUID] {
        &[IDirect3DVolume9::IID]
    }
    fn add_reference(&self) -> u32 {
        add_ref(self.texture())
    }
    fn release_reference(&self) -> u32 {
        release(self.texture())
    }
}

impl IDirect3DVolume9Methods for Volume {
    fn GetDevice(&self, ppDevice: OutObject<IDirect3DDevice9>) -> HRESULT {
        get_device(self.common.device(), ppDevice)
    }
    fn SetPrivateData(&self, refguid: In<GUID>, pData: In<c_void>, SizeOfData: u32, Flags: u32) -> HRESULT {
        self.common.private_data.set(refguid, pData, SizeOfData, Flags)
    }
    fn GetPrivateData(&self, refguid: In<GUID>, pData: Out<c_void>, pSizeOfData: Out<u32>) -> HRESULT {
        self.common.private_data.get(refguid, pData, pSizeOfData)
    }
    fn FreePrivateData(&self, refguid: In<GUID>) -> HRESULT {
        self.common.private_data.free(refguid)
    }
    fn GetContainer(&self, riid: In<GUID>, ppContainer: OutObject<c_void>) -> HRESULT {
        self.texture().QueryInterface(riid, ppContainer)
    }
    fn GetDesc(&self, pDesc: Out<D3DVOLUME_DESC>) -> HRESULT {
        put(pDesc, self.common.device().enter().volume_desc(self.image, self.level))
    }
    fn LockBox(&self, pLockedVolume: Out<D3DLOCKED_BOX>, pBox: In<D3DBOX>, Flags: u32) -> HRESULT {
        self.lock(pLockedVolume, pBox, Flags)
    }
    fn UnlockBox(&self) -> HRESULT {
        code(self.common.device().enter().unlock_volume(self.image, self.level))
    }
}
