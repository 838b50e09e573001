//! Textures of all three kinds: `IDirect3DTexture9`, `IDirect3DCubeTexture9`, `IDirect3DVolumeTexture9`.
//!
//! One object with the vtable of its kind. Its levels are objects inside of it, which share its reference count.

use core::ffi::c_void;

use afterimage_d3d9::{self as guest, Handle, ImageId};
use afterimage_d3d9_types::*;

use crate::abi::*;
use crate::device::Device;
use crate::object::{Child, Refs, Unknown, add_ref, release};
use crate::resource::{Common, Resource};
use crate::results::{code, put};
use crate::surface::{Container, Surface};
use crate::volume::Volume;

static TEXTURE: IDirect3DTexture9Vtable = IDirect3DTexture9Vtable::of::<Texture>();
static CUBE: IDirect3DCubeTexture9Vtable = IDirect3DCubeTexture9Vtable::of::<Texture>();
static VOLUME: IDirect3DVolumeTexture9Vtable = IDirect3DVolumeTexture9Vtable::of::<Texture>();

/// A texture.
#[repr(C)]
pub(crate) struct Texture {
    vtable: *const c_void,
    refs: Refs,
    common: Common,
    kind: D3DRESOURCETYPE,
    pub(crate) image: ImageId,
    levels: u32,
    /// Face after face, level after level.
    surfaces: Box<[Surface]>,
    volumes: Box<[Volume]>,
}

// SAFETY: all three interfaces are only ever given out for a `Texture`.
unsafe impl Interface for IDirect3DBaseTexture9 {
    type Object = Texture;
}

impl Texture {
    /// The object of an image that the guest has just made.
    pub(crate) fn new(device: &Device, guest: &guest::Device, image: ImageId, pool: D3DPOOL) -> Self {
        let kind = guest.image_type(image);
        let vtable: *const c_void = match kind {
            D3DRTYPE_CUBETEXTURE => (&raw const CUBE).cast(),
            D3DRTYPE_VOLUMETEXTURE => (&raw const VOLUME).cast(),
            _ => (&raw const TEXTURE).cast(),
        };
        let levels = guest.level_count(image);
        let faces = if kind == D3DRTYPE_CUBETEXTURE { 6 } else { 1 };
        let each = |face: u32| (0..levels).map(move |level| (face as u8, level as u8));
        let (mut surfaces, mut volumes) = (Vec::new(), Vec::new());
        for (face, level) in (0..faces).flat_map(each) {
            if kind == D3DRTYPE_VOLUMETEXTURE {
                volumes.push(Volume::new(device, image, level.into(), pool));
            } else {
                surfaces.push(Surface::new(device, guest::Surface { image, level, face }, Container::Device));
            }
        }
        let common = Common::new(device, pool);
        let (surfaces, volumes) = (surfaces.into(), volumes.into());
        Self { vtable, refs: Refs::default(), common, kind, image, levels, surfaces, volumes }
    }

    /// A level of a 2D texture (face 0) or of a cube map.
    pub(crate) fn surface(&self, face: u32, level: u32) -> Option<&Surface> {
        if level >= self.levels {
            return None;
        }
        self.surfaces.get((face.checked_mul(self.levels)? + level) as usize)
    }

    fn sub(&self, face: u32, level: u32) -> guest::Result<guest::Surface> {
        self.surface(face, level).map(|s| s.id).ok_or(guest::Error::InvalidCall)
    }

    fn desc(&self, face: u32, level: u32, out: Out<D3DSURFACE_DESC>) -> HRESULT {
        put(out, self.sub(face, level).and_then(|s| self.device().enter().surface_desc(s)))
    }

    fn level(&self, face: u32, level: u32, out: OutObject<IDirect3DSurface9>) -> HRESULT {
        if out.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let surface = self.surface(face, level);
        out.write(surface.map_or(core::ptr::null_mut(), Surface::hand_out));
        if surface.is_some() { D3D_OK } else { D3DERR_INVALIDCALL }
    }

    fn lock(&self, face: u32, level: u32, out: Out<D3DLOCKED_RECT>, rect: In<RECT>, flags: u32) -> HRESULT {
        match self.surface(face, level) {
            Some(surface) => surface.lock(out, rect, flags),
            None => D3DERR_INVALIDCALL,
        }
    }

    /// Unlocking a level that is not locked is no error here, unlike for the level's own surface.
    fn unlock(&self, face: u32, level: u32) -> HRESULT {
        match self.surface(face, level).map(Surface::unlock) {
            None => D3DERR_INVALIDCALL,
            Some(Ok(()) | Err(guest::Error::InvalidCall)) => D3D_OK,
            Some(Err(error)) => error.code(),
        }
    }
}

impl Child for Texture {
    fn refs(&self) -> &Refs {
        &self.refs
    }
    fn device(&self) -> &Device {
        self.common.device()
    }
    fn handle(&self) -> Handle {
        self.image.into()
    }
    unsafe fn placed(this: *mut Self) {
        // SAFETY: nobody else has seen the texture yet.
        let texture = unsafe { &mut *this };
        for surface in &mut texture.surfaces {
            surface.set_container(Container::Texture(this));
        }
        for volume in &mut texture.volumes {
            volume.set_container(this);
        }
    }
}

impl Unknown for Texture {
    fn interfaces(&self) -> &'static [GUID] {
        match self.kind {
            D3DRTYPE_CUBETEXTURE => &[IDirect3DCubeTexture9::IID, IDirect3DBaseTexture9::IID, IDirect3DResource9::IID],
            D3DRTYPE_VOLUMETEXTURE => {
                &[IDirect3DVolumeTexture9::IID, IDirect3DBaseTexture9::IID, IDirect3DResource9::IID]
            }
            _ => &[IDirect3DTexture9::IID, IDirect3DBaseTexture9::IID, IDirect3DResource9::IID],
        }
    }
    fn add_reference(&self) -> u32 {
        add_ref(self)
    }
    fn release_reference(&self) -> u32 {
        release(self)
    }
}

impl Resource for Texture {
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

impl IDirect3DBaseTexture9Methods for Texture {
    fn SetLOD(&self, LODNew: u32) -> u32 {
        self.device().enter().set_lod(self.image, LODNew)
    }
    fn GetLOD(&self) -> u32 {
        self.device().enter().lod(self.image)
    }
    fn GetLevelCount(&self) -> u32 {
        self.levels
    }
    fn SetAutoGenFilterType(&self, FilterType: D3DTEXTUREFILTERTYPE) -> HRESULT {
        code(self.device().enter().set_autogen_filter(self.image, FilterType))
    }
    fn GetAutoGenFilterType(&self) -> D3DTEXTUREFILTERTYPE {
        self.device().enter().autogen_filter(self.image)
    }
    fn GenerateMipSubLevels(&self) {
        self.device().enter().generate_mips(self.image);
    }
}

impl IDirect3DTexture9Methods for Texture {
    fn GetLevelDesc(&self, Level: u32, pDesc: Out<D3DSURFACE_DESC>) -> HRESULT {
        self.desc(0, Level, pDesc)
    }
    fn GetSurfaceLevel(&self, Level: u32, ppSurfaceLevel: OutObject<IDirect3DSurface9>) -> HRESULT {
        self.level(0, Level, ppSurfaceLevel)
    }
    fn LockRect(&self, Level: u32, pLockedRect: Out<D3DLOCKED_RECT>, pRect: In<RECT>, Flags: u32) -> HRESULT {
        self.lock(0, Level, pLockedRect, pRect, Flags)
    }
    fn UnlockRect(&self, Level: u32) -> HRESULT {
        self.unlock(0, Level)
    }
    fn AddDirtyRect(&self, pDirtyRect: In<RECT>) -> HRESULT {
        code(self.device().enter().add_dirty_rect(self.image, 0, pDirtyRect.read().as_ref()))
    }
}

impl IDirect3DCubeTexture9Methods for Texture {
    fn GetLevelDesc(&self, Level: u32, pDesc: Out<D3DSURFACE_DESC>) -> HRESULT {
        self.desc(0, Level, pDesc)
    }
    fn GetCubeMapSurface(
        &self,
        FaceType: D3DCUBEMAP_FACES,
        Level: u32,
        ppCubeMapSurface: OutObject<IDirect3DSurface9>,
    ) -> HRESULT {
        self.level(FaceType, Level, ppCubeMapSurface)
    }
    fn LockRect(
        &self,
        FaceType: D3DCUBEMAP_FACES,
        Level: u32,
        pLockedRect: Out<D3DLOCKED_RECT>,
        pRect: In<RECT>,
        Flags: u32,
    ) -> HRESULT {
        self.lock(FaceType, Level, pLockedRect, pRect, Flags)
    }
    fn UnlockRect(&self, FaceType: D3DCUBEMAP_FACES, Level: u32) -> HRESULT {
        self.unlock(FaceType, Level)
    }
    fn AddDirtyRect(&self, FaceType: D3DCUBEMAP_FACES, pDirtyRect: In<RECT>) -> HRESULT {
        code(self.device().enter().add_dirty_rect(self.image, FaceType, pDirtyRect.read().as_ref()))
    }
}

impl IDirect3DVolumeTexture9Methods for Texture {
    fn GetLevelDesc(&self, Level: u32, pDesc: Out<D3DVOLUME_DESC>) -> HRESULT {
        put(pDesc, self.device().enter().volume_desc(self.image, Level))
    }
    fn GetVolumeLevel(&self, Level: u32, ppVolumeLevel: OutObject<IDirect3DVolume9>) -> HRESULT {
        if ppVolumeLevel.is_null() {
            return D3DERR_INVALIDCALL;
        }
        let volume = self.volumes.get(Level as usize);
        ppVolumeLevel.write(volume.map_or(core::ptr::null_mut(), Volume::hand_out));
        if volume.is_some() { D3D_OK } else { D3DERR_INVALIDCALL }
    }
    fn LockBox(&self, Level: u32, pLockedVolume: Out<D3DLOCKED_BOX>, pBox: In<D3DBOX>, Flags: u32) -> HRESULT {
        match self.volumes.get(Level as usize) {
            Some(volume) => volume.lock(pLockedVolume, pBox, Flags),
            None => D3DERR_INVALIDCALL,
        }
    }
    fn UnlockBox(&self, Level: u32) -> HRESULT {
        code(self.device().enter().unlock_volume(self.image, Level))
    }
    fn AddDirtyBox(&self, pDirtyBox: In<D3DBOX>) -> HRESULT {
        code(self.device().enter().add_dirty_box(self.image, pDirtyBox.read().as_ref()))
    }
}
