//! What can be asked of images and buffers, and the settings of textures.

use super::Device;
use crate::error::{Error, Result};
use crate::handle::*;
use crate::memory::{Image, ImageKind};
use afterimage_d3d9_types::*;

impl Device {
    /// Kind of an image: `D3DRTYPE_TEXTURE`, `_CUBETEXTURE`, `_VOLUMETEXTURE` or `_SURFACE`; 0 if it is gone.
    #[must_use]
    pub fn image_type(&self, image: ImageId) -> D3DRESOURCETYPE {
        self.objects.images.get(image).map_or(0, Image::resource_type)
    }

    /// Number of levels that the program sees (1 for automatic mip maps).
    #[must_use]
    pub fn level_count(&self, image: ImageId) -> u32 {
        self.objects.images.get(image).map_or(0, |image| image.app_levels)
    }

    /// `GetDesc` of a surface.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if there is no such level or face.
    pub fn surface_desc(&self, surface: Surface) -> Result<D3DSURFACE_DESC> {
        let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
        let sub = image.sub_of(surface).filter(|_| image.kind != ImageKind::Volume).ok_or(Error::InvalidCall)?;
        Ok(D3DSURFACE_DESC {
            Format: image.row.format,
            Type: D3DRTYPE_SURFACE,
            Usage: image.usage,
            Pool: image.pool,
            MultiSampleType: image.samples,
            MultiSampleQuality: image.quality,
            Width: sub.extent[0],
            Height: sub.extent[1],
        })
    }

    /// `GetLevelDesc` of a volume texture.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if there is no such level or it is no volume texture.
    pub fn volume_desc(&self, image: ImageId, level: u32) -> Result<D3DVOLUME_DESC> {
        let image = self.objects.images.get(image).ok_or(Error::InvalidCall)?;
        let index = image.sub_index(level, 0).filter(|_| image.kind == ImageKind::Volume).ok_or(Error::InvalidCall)?;
        let [width, height, depth] = image.subs[index].extent;
        Ok(D3DVOLUME_DESC {
            Format: image.row.format,
            Type: D3DRTYPE_VOLUME,
            Usage: image.usage,
            Pool: image.pool,
            Width: width,
            Height: height,
            Depth: depth,
        })
    }

    /// `GetDesc` of a vertex buffer.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if it is an index buffer.
    pub fn vertex_buffer_desc(&self, buffer: BufferId) -> Result<D3DVERTEXBUFFER_DESC> {
        let buffer = self.objects.buffers.get(buffer).filter(|b| !b.is_index()).ok_or(Error::InvalidCall)?;
        Ok(D3DVERTEXBUFFER_DESC {
            Format: D3DFMT_VERTEXDATA,
            Type: D3DRTYPE_VERTEXBUFFER,
            Usage: buffer.usage,
            Pool: buffer.pool,
            Size: buffer.size(),
            FVF: buffer.fvf,
        })
    }

    /// `GetDesc` of an index buffer.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if it is a vertex buffer.
    pub fn index_buffer_desc(&self, buffer: BufferId) -> Result<D3DINDEXBUFFER_DESC> {
        let buffer = self.objects.buffers.get(buffer).filter(|b| b.is_index()).ok_or(Error::InvalidCall)?;
        Ok(D3DINDEXBUFFER_DESC {
            Format: buffer.format,
            Type: D3DRTYPE_INDEXBUFFER,
            Usage: buffer.usage,
            Pool: buffer.pool,
            Size: buffer.size(),
        })
    }

    /// `SetLOD` of a managed texture: the old value. Other textures have none.
    pub fn set_lod(&mut self, image: ImageId, lod: u32) -> u32 {
        let Some(found) = self.objects.images.get_mut(image).filter(|image| image.pool == D3DPOOL_MANAGED) else {
            return 0;
        };
        let old = std::mem::replace(&mut found.lod, lod.min(found.app_levels - 1));
        self.registers.touch_texture(image);
        old
    }

    /// `GetLOD`.
    #[must_use]
    pub fn lod(&self, image: ImageId) -> u32 {
        self.objects.images.get(image).map_or(0, |image| image.lod)
    }

    /// `SetAutoGenFilterType`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for `D3DTEXF_NONE`.
    pub fn set_autogen_filter(&mut self, image: ImageId, filter: D3DTEXTUREFILTERTYPE) -> Result<()> {
        let found = self.objects.images.get_mut(image).ok_or(Error::InvalidCall)?;
        if filter == D3DTEXF_NONE {
            return Err(Error::InvalidCall);
        }
        if found.autogen_filter != filter {
            found.autogen_filter = filter;
            found.mips_stale = found.autogen();
            self.registers.touch_texture(image);
        }
        Ok(())
    }

    /// `GetAutoGenFilterType`.
    #[must_use]
    pub fn autogen_filter(&self, image: ImageId) -> D3DTEXTUREFILTERTYPE {
        self.objects.images.get(image).map_or(D3DTEXF_NONE, |image| image.autogen_filter)
    }

    /// `GenerateMipSubLevels`; does nothing unless the texture was created for it.
    pub fn generate_mips(&mut self, image: ImageId) {
        if let Some(found) = self.objects.images.get_mut(image)
            && found.autogen()
        {
            found.mips_stale = true;
            self.upload_image(image);
        }
    }

    /// `EvictManagedResources`: what the receiver has of managed textures is worth nothing any more. A program may have
    /// written to them without marking it (`D3DLOCK_NO_DIRTY_UPDATE`), which shows now.
    pub fn evict_managed(&mut self) {
        for id in self.objects.images.ids() {
            if let Some(image) = self.objects.images.get_mut(id)
                && image.pool == D3DPOOL_MANAGED
            {
                image.touch_all();
                self.registers.touch_texture(id);
            }
        }
    }

    /// Bytes that this program's images of the default pool take of the device's memory.
    pub(crate) fn device_memory_used(&self) -> u64 {
        let images = self.objects.images.iter().map(|(_, slot)| &slot.value).filter(|i| i.pool == D3DPOOL_DEFAULT);
        if self.extended { 0 } else { images.map(Image::device_size).fold(0, u64::saturating_add) }
    }

    /// `GetAvailableTextureMem` in bytes, rounded down to megabytes: what the device has, less what this program's
    /// resources of the default pool take. For extended devices memory is virtual, and nothing takes of it.
    #[must_use]
    pub fn available_texture_memory(&self) -> u32 {
        let memory = self.overrides.memory.unwrap_or(self.port.device().memory);
        memory.min(u64::from(u32::MAX)).saturating_sub(self.device_memory_used()) as u32 & !0xf_ffff
    }
}
