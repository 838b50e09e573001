//! Creation of images.

use super::Device;
use crate::adapter::samples;
use crate::error::{Error, Result};
use crate::format::{FormatKind, format_row};
use crate::handle::*;
use crate::memory::{Image, ImageDesc, ImageKind};
use afterimage_d3d9_types::*;
use afterimage_ipc::store::Store;
use afterimage_stream::{Format, FormatFeatures, ObjectId, ObjectKind};

/// Images from this size on are held against what memory the device has left; counting takes time.
const LARGE_IMAGE: u64 = 16 << 20;

/// What a program asks an image to be.
pub(crate) struct ImageRequest {
    pub(crate) kind: ImageKind,
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) usage: u32,
    pub(crate) format: D3DFORMAT,
    pub(crate) pool: D3DPOOL,
    pub(crate) samples: D3DMULTISAMPLE_TYPE,
    pub(crate) quality: u32,
    pub(crate) lockable: bool,
    /// Its rows lie close together, since its memory is the program's.
    pub(crate) close: bool,
}

impl ImageRequest {
    fn texture(kind: ImageKind, extent: [u32; 3], levels: u32, usage: u32, format: D3DFORMAT, pool: D3DPOOL) -> Self {
        Self { kind, extent, levels, usage, format, pool, samples: 0, quality: 0, lockable: false, close: false }
    }

    fn plain(width: u32, height: u32, format: D3DFORMAT, pool: D3DPOOL) -> Self {
        let extent = [width, height, 1];
        Self { lockable: true, ..Self::texture(ImageKind::Surface, extent, 1, 0, format, pool) }
    }
}

/// Which usages the extended calls may ask surfaces for. Content that is restricted is no different as long as no session
/// protects it.
fn check_usage(usage: u32) -> Result<()> {
    if usage & !D3DUSAGE_RESTRICTED_CONTENT == 0 { Ok(()) } else { Err(Error::InvalidCall) }
}

impl Device {
    /// `CreateTexture`. 0 levels makes all of them.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for combinations that Direct3D does not allow or formats that are not there.
    pub fn create_texture(
        &mut self,
        width: u32,
        height: u32,
        levels: u32,
        usage: u32,
        format: D3DFORMAT,
        pool: D3DPOOL,
    ) -> Result<ImageId> {
        let extent = [width, height, 1];
        self.create_image(ImageRequest::texture(ImageKind::Texture, extent, levels, usage, format, pool), true)
    }

    /// `CreateCubeTexture`.
    ///
    /// # Errors
    /// As [`Device::create_texture`].
    pub fn create_cube_texture(
        &mut self,
        edge: u32,
        levels: u32,
        usage: u32,
        format: D3DFORMAT,
        pool: D3DPOOL,
    ) -> Result<ImageId> {
        let extent = [edge, edge, 1];
        self.create_image(ImageRequest::texture(ImageKind::Cube, extent, levels, usage, format, pool), true)
    }

    /// `CreateVolumeTexture`.
    ///
    /// # Errors
    /// As [`Device::create_texture`].
    #[allow(clippy::too_many_arguments, reason = "Direct3D's own")]
    pub fn create_volume_texture(
        &mut self,
        width: u32,
        height: u32,
        depth: u32,
        levels: u32,
        usage: u32,
        format: D3DFORMAT,
        pool: D3DPOOL,
    ) -> Result<ImageId> {
        if usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL) != 0 {
            return Err(Error::InvalidCall);
        }
        let extent = [width, height, depth];
        self.create_image(ImageRequest::texture(ImageKind::Volume, extent, levels, usage, format, pool), true)
    }

    /// `CreateRenderTarget`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for bad sizes, and for formats or sample counts that are not there.
    pub fn create_render_target(
        &mut self,
        width: u32,
        height: u32,
        format: D3DFORMAT,
        samples: D3DMULTISAMPLE_TYPE,
        quality: u32,
        lockable: bool,
    ) -> Result<ImageId> {
        self.create_render_target_ex(width, height, format, samples, quality, lockable, 0)
    }

    /// `CreateRenderTargetEx`.
    ///
    /// # Errors
    /// As [`Device::create_render_target`]; for a usage that surfaces cannot have, too.
    #[allow(clippy::too_many_arguments, reason = "Direct3D's own")]
    pub fn create_render_target_ex(
        &mut self,
        width: u32,
        height: u32,
        format: D3DFORMAT,
        samples: D3DMULTISAMPLE_TYPE,
        quality: u32,
        lockable: bool,
        usage: u32,
    ) -> Result<ImageId> {
        check_usage(usage)?;
        let usage = usage | D3DUSAGE_RENDERTARGET;
        self.create_surface([width, height, 1], usage, format, (samples, quality), lockable, true)
    }

    /// `CreateDepthStencilSurface`.
    ///
    /// # Errors
    /// As [`Device::create_render_target`].
    pub fn create_depth_stencil(
        &mut self,
        width: u32,
        height: u32,
        format: D3DFORMAT,
        samples: D3DMULTISAMPLE_TYPE,
        quality: u32,
        discard: bool,
    ) -> Result<ImageId> {
        self.create_depth_stencil_ex(width, height, format, samples, quality, discard, 0)
    }

    /// `CreateDepthStencilSurfaceEx`. What is discarded may as well stay: `discard` changes nothing.
    ///
    /// # Errors
    /// As [`Device::create_depth_stencil`]; for a usage that surfaces cannot have, too.
    #[allow(clippy::too_many_arguments, reason = "Direct3D's own")]
    pub fn create_depth_stencil_ex(
        &mut self,
        width: u32,
        height: u32,
        format: D3DFORMAT,
        samples: D3DMULTISAMPLE_TYPE,
        quality: u32,
        _discard: bool,
        usage: u32,
    ) -> Result<ImageId> {
        check_usage(usage)?;
        let lockable = matches!(format, D3DFMT_D16_LOCKABLE | D3DFMT_D32F_LOCKABLE);
        let usage = usage | D3DUSAGE_DEPTHSTENCIL;
        self.create_surface([width, height, 1], usage, format, (samples, quality), lockable, true)
    }

    /// A target that stands alone. Implicit ones are not `held`.
    pub(crate) fn create_surface(
        &mut self,
        extent: [u32; 3],
        usage: u32,
        format: D3DFORMAT,
        (samples, quality): (D3DMULTISAMPLE_TYPE, u32),
        lockable: bool,
        held: bool,
    ) -> Result<ImageId> {
        let request = ImageRequest {
            kind: ImageKind::Surface,
            extent,
            levels: 1,
            usage,
            format,
            pool: D3DPOOL_DEFAULT,
            samples,
            quality,
            lockable,
            close: false,
        };
        self.create_image(request, held)
    }

    /// `CreateOffscreenPlainSurface`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for the managed pool or bad sizes.
    pub fn create_offscreen_plain(
        &mut self,
        width: u32,
        height: u32,
        format: D3DFORMAT,
        pool: D3DPOOL,
    ) -> Result<ImageId> {
        if pool == D3DPOOL_MANAGED {
            return Err(Error::InvalidCall);
        }
        self.create_image(ImageRequest::plain(width, height, format, pool), true)
    }

    /// `CreateTexture` with one level in system memory that the program has already. `memory` makes the store of it, of so
    /// many bytes; its rows lie close together.
    ///
    /// # Errors
    /// As [`Device::create_texture`].
    pub fn create_texture_in(
        &mut self,
        width: u32,
        height: u32,
        usage: u32,
        format: D3DFORMAT,
        memory: impl FnOnce(usize) -> Store,
    ) -> Result<ImageId> {
        let extent = [width, height, 1];
        let request = ImageRequest::texture(ImageKind::Texture, extent, 1, usage, format, D3DPOOL_SYSTEMMEM);
        self.create_in(request, memory)
    }

    /// `CreateOffscreenPlainSurface` in system memory that the program has already, as [`Device::create_texture_in`].
    ///
    /// # Errors
    /// As [`Device::create_offscreen_plain`].
    pub fn create_offscreen_plain_in(
        &mut self,
        width: u32,
        height: u32,
        format: D3DFORMAT,
        memory: impl FnOnce(usize) -> Store,
    ) -> Result<ImageId> {
        self.create_in(ImageRequest::plain(width, height, format, D3DPOOL_SYSTEMMEM), memory)
    }

    fn create_in(&mut self, request: ImageRequest, memory: impl FnOnce(usize) -> Store) -> Result<ImageId> {
        let mut image = Image::new(self.describe(&ImageRequest { close: true, ..request })?);
        if image.device_size() == u64::MAX {
            return Err(Error::OutOfMemory);
        }
        image.memory = Some(memory(image.memory_size()));
        Ok(self.objects.images.insert(image, true))
    }

    /// Checks a request and makes the image; the program holds it if `held`.
    pub(crate) fn create_image(&mut self, request: ImageRequest, held: bool) -> Result<ImageId> {
        let mut image = Image::new(self.describe(&request)?);
        let size = image.device_size();
        let device = self.port.device().memory;
        let counts = size >= LARGE_IMAGE && image.pool == D3DPOOL_DEFAULT;
        if size == u64::MAX || (counts && size > device.saturating_sub(self.device_memory_used())) {
            tracing::warn!(format = image.row.name, extent = ?image.extent, size, device, "an image does not fit");
            return Err(Error::OutOfVideoMemory);
        }
        let target = image.is_target();
        if !target && !image.allocate() {
            return Err(Error::OutOfMemory);
        }
        if image.host.is_some() && matches!(image.pool, D3DPOOL_DEFAULT | D3DPOOL_MANAGED) {
            image.id = self.port.allocate(ObjectKind::Texture)?;
            if let Some(packet) = image.packet() {
                self.port.push(&packet);
                self.port.name(image.id, &image.title());
                self.port.flush_if_due();
            }
        }
        Ok(self.objects.images.insert(image, held))
    }

    /// Gives a texture in system memory an object in the stream: programs may draw with one.
    pub(crate) fn realise(&mut self, id: ImageId) -> Result<()> {
        let Some(image) = self.objects.images.get_mut(id) else { return Err(Error::InvalidCall) };
        let sampled = image.row.host(self.port.device(), FormatFeatures::SAMPLED);
        if !image.id.is_none() || image.pool != D3DPOOL_SYSTEMMEM || sampled.is_none() {
            return Ok(());
        }
        image.host = sampled;
        image.id = self.port.allocate(ObjectKind::Texture)?;
        image.touch_all();
        if let Some(packet) = image.packet() {
            self.port.push(&packet);
            self.port.name(image.id, &image.title());
        }
        Ok(())
    }

    /// Whether the receiver can fill levels from those above them.
    fn makes_mips(&self, host: Option<Format>) -> bool {
        host.is_some_and(|host| self.port.device().features(host) & FormatFeatures::BLIT != 0 && host.info().block == 1)
    }

    fn describe(&self, request: &ImageRequest) -> Result<ImageDesc> {
        let &ImageRequest { kind, extent, usage, format, pool, samples: multisample, quality, .. } = request;
        let Some(row) = format_row(format) else {
            tracing::debug!(format, "format is not known");
            return Err(Error::InvalidCall);
        };
        let info = self.port.device();
        let target = usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL) != 0;
        let autogen = usage & D3DUSAGE_AUTOGENMIPMAP != 0;
        let limit = match kind {
            ImageKind::Cube => info.max_texture_cube,
            ImageKind::Volume => info.max_texture_3d,
            _ => info.max_texture_2d,
        };
        let largest = extent.into_iter().max().unwrap_or(0);
        let in_range = extent.iter().all(|&edge| edge > 0) && largest <= limit;
        // Level 0 of Direct3D's own compressed formats is made of whole blocks, in every pool.
        let own = !row.vendor;
        let compressed = own && row.block == [4, 4];
        let whole_blocks = !compressed || extent[..2].iter().all(|edge| edge.is_multiple_of(4));
        let pool_fits = match pool {
            D3DPOOL_DEFAULT => true,
            D3DPOOL_MANAGED => !target && usage & D3DUSAGE_DYNAMIC == 0 && !self.extended,
            D3DPOOL_SYSTEMMEM => !target && !autogen,
            D3DPOOL_SCRATCH => !target && !autogen && usage & D3DUSAGE_DYNAMIC == 0,
            _ => false,
        };
        let usage_fits = usage & D3DUSAGE_WRITEONLY == 0
            && !(target && usage & D3DUSAGE_DYNAMIC != 0)
            && !(autogen && (kind == ImageKind::Volume || usage & D3DUSAGE_DEPTHSTENCIL != 0));
        if !in_range || !whole_blocks || !pool_fits || !usage_fits {
            return Err(Error::InvalidCall);
        }
        let full = largest.ilog2() + 1;
        if request.levels > full || (autogen && request.levels > 1) {
            return Err(Error::InvalidCall);
        }
        let levels = if request.levels == 0 || autogen { full } else { request.levels };
        let gpu = matches!(pool, D3DPOOL_DEFAULT | D3DPOOL_MANAGED) && row.kind != FormatKind::Null;
        // System memory holds what the device can use, scratch memory anything.
        let usable = gpu || pool == D3DPOOL_SYSTEMMEM && row.kind != FormatKind::Null;
        let mut features = 0;
        if usable {
            features |= if kind == ImageKind::Surface && target { 0 } else { row.sampled() };
            features |= if target { row.rendered() } else { 0 };
        }
        let host = row.host(info, features);
        let right_kind = match usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL) {
            // What drivers cannot sample exists only where the GPU does not see it.
            0 if kind != ImageKind::Surface && !row.has_textures(&self.overrides.old_formats) => {
                pool == D3DPOOL_SCRATCH
            }
            // Compressed formats of vendors are textures', and the GPU sees no other image of them.
            0 if kind == ImageKind::Surface && row.is_opaque() => pool == D3DPOOL_SCRATCH,
            // Depth that is not drawn to is a texture of the default pool, if anything.
            0 if row.is_depth() => pool == D3DPOOL_DEFAULT && matches!(kind, ImageKind::Texture | ImageKind::Cube),
            0 => row.kind != FormatKind::Null,
            D3DUSAGE_RENDERTARGET => row.target && (row.kind != FormatKind::Null || kind != ImageKind::Cube),
            D3DUSAGE_DEPTHSTENCIL => row.is_depth(),
            _ => false,
        };
        if (usable && host.is_none()) || !right_kind {
            tracing::debug!(format = row.name, usage, "not on this device");
            return Err(Error::InvalidCall);
        }
        let host_samples = samples(info, multisample, quality).ok_or(Error::InvalidCall)?;
        let lockable = match pool {
            // Of several samples there is no one texel that a program could see.
            D3DPOOL_DEFAULT if target => request.lockable && host_samples == 1,
            // Formats that Direct3D does not know are locked as drivers allow it.
            D3DPOOL_DEFAULT => kind == ImageKind::Surface || usage & D3DUSAGE_DYNAMIC != 0 || !own,
            _ => true,
        };
        Ok(ImageDesc {
            kind,
            row,
            host: host.or(row.hosts.first().copied()),
            usage,
            pool,
            samples: multisample,
            quality,
            host_samples: host_samples as u8,
            lockable,
            extent,
            // `D3DOK_NOAUTOGEN`: made with the first level alone, which is then all that is read.
            levels: if autogen && !self.makes_mips(host) { 1 } else { levels },
            app_levels: if autogen { 1 } else { levels },
            close: request.close,
        })
    }

    /// Whether a device format has a host format with some features.
    pub(crate) fn can(&self, format: D3DFORMAT, features: u32) -> bool {
        format_row(format).is_some_and(|row| row.host(self.port.device(), features).is_some())
    }

    /// Whether an image exists in the stream.
    pub(crate) fn object(&self, image: ImageId) -> ObjectId {
        self.objects.images.get(image).map_or(ObjectId::NONE, |image| image.id)
    }

    /// Whether a filtered copy can go from one format to another.
    pub(crate) fn can_blit(&self, from: D3DFORMAT, to: D3DFORMAT) -> bool {
        self.can(from, FormatFeatures::BLIT_SOURCE) && self.can(to, FormatFeatures::BLIT)
    }
}
