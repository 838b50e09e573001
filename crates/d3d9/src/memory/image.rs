//! Textures of every dimension, and surfaces that stand alone: both are images with subresources.

use super::{Region, titled};
use crate::format::{FormatKind, FormatRow};
use crate::handle::Surface;
use afterimage_d3d9_types::*;
use afterimage_ipc::store::Store;
use afterimage_stream::packets::{CreateTexture, Dimension};
use afterimage_stream::{Format, ObjectId};

/// What kind of image it is for the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageKind {
    /// A surface that stands alone.
    Surface,
    /// A 2D texture.
    Texture,
    /// A cube map.
    Cube,
    /// A volume texture.
    Volume,
}

/// A lock that a program holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Lock {
    pub(crate) region: Region,
    pub(crate) flags: u32,
}

/// One level of one face.
#[derive(Clone, Debug)]
pub(crate) struct Sub {
    /// Texels.
    pub(crate) extent: [u32; 3],
    /// Where it lies in the image's memory, and its pitches there: of rows of blocks, and of slices.
    pub(crate) offset: usize,
    pub(crate) row_pitch: u32,
    pub(crate) slice_pitch: u32,
    /// The pitch that a program is told, which differs for formats that are opaque to Direct3D.
    pub(crate) lock_pitch: u32,
    pub(crate) lock: Option<Lock>,
    /// Texels that the receiver does not have.
    pub(crate) stale: Region,
}

/// An image.
#[derive(Debug)]
pub(crate) struct Image {
    /// Its object in the stream; none for memory that the GPU never sees.
    pub(crate) id: ObjectId,
    pub(crate) kind: ImageKind,
    pub(crate) row: &'static FormatRow,
    /// What it is in the stream.
    pub(crate) host: Option<Format>,
    pub(crate) usage: u32,
    pub(crate) pool: D3DPOOL,
    pub(crate) samples: D3DMULTISAMPLE_TYPE,
    pub(crate) quality: u32,
    /// Samples per texel in the stream.
    pub(crate) host_samples: u8,
    /// A program may lock it.
    pub(crate) lockable: bool,
    pub(crate) extent: [u32; 3],
    /// Levels in the stream.
    pub(crate) levels: u32,
    /// Levels that the program sees: fewer with automatic mip maps.
    pub(crate) app_levels: u32,
    pub(crate) faces: u32,
    /// By face, then by level.
    pub(crate) subs: Box<[Sub]>,
    /// Its bytes in this process; for render targets only while they are locked.
    pub(crate) memory: Option<Store>,
    /// Some subresource is stale.
    pub(crate) stale: bool,
    /// Level 0 is newer than the levels below it, which are made by the receiver.
    pub(crate) mips_stale: bool,
    /// What `UpdateTexture` has to copy, per face, in texels of level 0.
    pub(crate) dirty: [Region; 6],
    /// The subresource that a device context draws to: as long as there is one, nothing of the image can be locked.
    pub(crate) context: Option<usize>,
    /// The version of the palette that the receiver's texels were made with.
    pub(crate) palette: u64,
    /// The number that it is shared by; 0 where it is not.
    pub(crate) shared: u32,
    pub(crate) lod: u32,
    pub(crate) autogen_filter: D3DTEXTUREFILTERTYPE,
    /// What the program calls it.
    pub(crate) name: Option<Box<str>>,
}

/// What an image is made from.
pub(crate) struct ImageDesc {
    pub(crate) kind: ImageKind,
    pub(crate) row: &'static FormatRow,
    pub(crate) host: Option<Format>,
    pub(crate) usage: u32,
    pub(crate) pool: D3DPOOL,
    pub(crate) samples: D3DMULTISAMPLE_TYPE,
    pub(crate) quality: u32,
    pub(crate) host_samples: u8,
    pub(crate) lockable: bool,
    pub(crate) extent: [u32; 3],
    pub(crate) levels: u32,
    pub(crate) app_levels: u32,
    /// Rows lie close together, as in memory that a program brings.
    pub(crate) close: bool,
}

/// Pitches of a level: of its rows of blocks and of its slices in memory, and the one that locks tell.
fn pitches(row: &FormatRow, width: u32, height: u32, close: bool) -> (u32, u32, u32) {
    let packed = row.row_bytes(width);
    if row.is_opaque() {
        // Blocks lie close together; the pitch is that of single bytes, or as much more as small levels need.
        let size = packed.saturating_mul(row.rows(height));
        let pitch = width.max(size.div_ceil(height.max(1))).next_multiple_of(4);
        return (packed, pitch.saturating_mul(height), pitch);
    }
    // Direct3D's pitches are multiples of four.
    let pitch = if close { packed } else { packed.next_multiple_of(4) };
    (pitch, pitch.saturating_mul(row.rows(height)), pitch)
}

impl Image {
    /// An image without memory.
    pub(crate) fn new(desc: ImageDesc) -> Self {
        let faces = if desc.kind == ImageKind::Cube { 6 } else { 1 };
        let mut offset = 0usize;
        let mut subs = Vec::with_capacity((faces * desc.levels) as usize);
        for _ in 0..faces {
            for level in 0..desc.levels {
                let extent = desc.extent.map(|edge| (edge >> level).max(1));
                let extent = if desc.kind == ImageKind::Volume { extent } else { [extent[0], extent[1], 1] };
                let (row_pitch, slice_pitch, lock_pitch) = pitches(desc.row, extent[0], extent[1], desc.close);
                let (lock, stale) = (None, Region::default());
                subs.push(Sub { extent, offset, row_pitch, slice_pitch, lock_pitch, lock, stale });
                // Level follows level without a gap, which programs know of Direct3D.
                offset = offset.saturating_add((slice_pitch as usize).saturating_mul(extent[2] as usize));
            }
            offset = offset.checked_next_multiple_of(16).unwrap_or(usize::MAX);
        }
        let whole = Region::whole(desc.extent);
        Self {
            id: ObjectId::NONE,
            kind: desc.kind,
            row: desc.row,
            host: desc.host,
            usage: desc.usage,
            pool: desc.pool,
            samples: desc.samples,
            quality: desc.quality,
            host_samples: desc.host_samples,
            lockable: desc.lockable,
            extent: desc.extent,
            levels: desc.levels,
            app_levels: desc.app_levels,
            faces,
            subs: subs.into(),
            memory: None,
            stale: false,
            mips_stale: false,
            dirty: [whole; 6],
            context: None,
            palette: 0,
            shared: 0,
            lod: 0,
            autogen_filter: D3DTEXF_LINEAR,
            name: None,
        }
    }

    /// Bytes of all subresources.
    pub(crate) fn memory_size(&self) -> usize {
        self.subs.last().map_or(0, |sub| {
            (sub.slice_pitch as usize).saturating_mul(sub.extent[2] as usize).saturating_add(sub.offset)
        })
    }

    /// Bytes that it takes on a device; `u64::MAX` where a slice has more than 32 bits can count, or all of it more than
    /// this process can, which nothing handles.
    pub(crate) fn device_size(&self) -> u64 {
        if self.memory_size() == usize::MAX || self.subs.iter().any(|sub| sub.slice_pitch == u32::MAX) {
            return u64::MAX;
        }
        (self.memory_size() as u64).saturating_mul(self.host_samples.into())
    }

    /// Gives it memory; false if there is none.
    pub(crate) fn allocate(&mut self) -> bool {
        if self.memory.is_none() {
            // What is locked in every frame keeps its address.
            let often = self.usage & D3DUSAGE_DYNAMIC != 0 || self.is_target();
            let size = self.memory_size();
            self.memory = if often { Store::resident(size) } else { Store::zeroed(size) };
        }
        self.memory.is_some()
    }

    /// Whether it is drawn to, or others change it who share it: its texels are the receiver's.
    pub(crate) fn is_target(&self) -> bool {
        self.shared != 0 || self.usage & (D3DUSAGE_RENDERTARGET | D3DUSAGE_DEPTHSTENCIL) != 0
    }

    pub(crate) fn is_texture(&self) -> bool {
        self.kind != ImageKind::Surface
    }

    pub(crate) fn autogen(&self) -> bool {
        self.usage & D3DUSAGE_AUTOGENMIPMAP != 0
    }

    /// Whether sampling it compares, as it does for depth formats that are not readable.
    pub(crate) fn compares(&self) -> bool {
        self.row.kind == FormatKind::Depth
    }

    /// `D3DRESOURCETYPE`.
    pub(crate) fn resource_type(&self) -> D3DRESOURCETYPE {
        match self.kind {
            ImageKind::Surface => D3DRTYPE_SURFACE,
            ImageKind::Texture => D3DRTYPE_TEXTURE,
            ImageKind::Cube => D3DRTYPE_CUBETEXTURE,
            ImageKind::Volume => D3DRTYPE_VOLUMETEXTURE,
        }
    }

    /// Number of a subresource that the program can name.
    pub(crate) fn sub_index(&self, level: u32, face: u32) -> Option<usize> {
        (level < self.app_levels && face < self.faces).then(|| (face * self.levels + level) as usize)
    }

    pub(crate) fn sub_of(&self, surface: Surface) -> Option<&Sub> {
        self.subs.get(self.sub_index(surface.level.into(), surface.face.into())?)
    }

    /// Marks all that a program has in memory as newer than what the receiver has.
    pub(crate) fn touch_all(&mut self) {
        for index in 0..self.subs.len() {
            self.touch(index, Region::whole(self.subs[index].extent));
        }
    }

    /// Marks texels of a subresource as newer than what the receiver has.
    pub(crate) fn touch(&mut self, index: usize, region: Region) {
        if let Some(sub) = self.subs.get_mut(index) {
            sub.stale = sub.stale.union(region);
            self.stale = true;
            self.mips_stale |= self.autogen();
        }
    }

    /// Adds to what `UpdateTexture` copies; `region` is in texels of `level`.
    pub(crate) fn add_dirty(&mut self, level: u32, face: u32, region: Region) {
        let scale = |first: u32, length: u32| (first << level, length << level);
        let (x, width) = scale(region.x, region.width);
        let (y, height) = scale(region.y, region.height);
        let (z, depth) = if self.kind == ImageKind::Volume { scale(region.z, region.depth) } else { (0, 1) };
        let region = Region { x, y, z, width, height, depth }.clip(self.extent);
        if let Some(dirty) = self.dirty.get_mut(face as usize) {
            *dirty = dirty.union(region);
        }
    }

    /// What it is, in a few words that the packet that creates it does not have: for captures.
    pub(crate) fn title(&self) -> String {
        let pool = name_of("D3DPOOL", self.pool).unwrap_or("?");
        let kind = match self.kind {
            ImageKind::Surface => "surface",
            ImageKind::Texture => "texture",
            ImageKind::Cube => "cube texture",
            ImageKind::Volume => "volume texture",
        };
        titled(self.name.as_deref(), format!("{} {kind}, {pool}", self.row.name))
    }

    /// The packet that creates it, if the GPU sees it.
    pub(crate) fn packet(&self) -> Option<CreateTexture> {
        let host = self.host.filter(|_| !self.id.is_none())?;
        Some(CreateTexture {
            id: self.id,
            format: host as u32,
            width: self.extent[0],
            height: self.extent[1],
            depth: self.extent[2],
            levels: self.levels,
            layers: self.faces,
            dimension: match self.kind {
                ImageKind::Surface | ImageKind::Texture => Dimension::D2,
                ImageKind::Cube => Dimension::Cube,
                ImageKind::Volume => Dimension::D3,
            } as u8,
            samples: self.host_samples,
            usage: if self.is_target() { CreateTexture::TARGET } else { 0 },
            pad: 0,
            swizzle: self.row.swizzle,
            shared: self.shared,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::{ATI1, ATI2, format_row};

    fn image(format: D3DFORMAT, kind: ImageKind, edge: u32, levels: u32) -> Image {
        Image::new(ImageDesc {
            kind,
            row: format_row(format).unwrap(),
            host: None,
            usage: 0,
            pool: D3DPOOL_SCRATCH,
            samples: 0,
            quality: 0,
            host_samples: 1,
            lockable: true,
            extent: [edge, edge, 1],
            levels,
            app_levels: levels,
            close: false,
        })
    }

    #[test]
    fn levels_follow_each_other_and_faces_begin_at_multiples_of_sixteen() {
        let cube = image(D3DFMT_L8, ImageKind::Cube, 7, 3);
        assert_eq!(cube.subs[..4].iter().map(|sub| sub.offset).collect::<Vec<_>>(), [0, 56, 68, 80]);
        assert!(cube.subs.iter().step_by(3).all(|sub| sub.offset % 16 == 0));
    }

    #[test]
    fn opaque_blocks_have_the_pitch_of_bytes_and_still_fit() {
        for (format, pitch) in [(ATI1, 128), (ATI2, 128)] {
            let image = image(format, ImageKind::Texture, 128, 8);
            assert_eq!(image.subs[0].lock_pitch, pitch);
            for sub in &image.subs {
                let [width, height, _] = sub.extent;
                assert!(image.row.row_bytes(width) * image.row.rows(height) <= sub.slice_pitch, "{width}");
                assert_eq!(sub.slice_pitch, sub.lock_pitch * height);
            }
        }
    }

    #[test]
    fn chroma_in_planes_lies_behind_luma() {
        let image = image(crate::format::NV12, ImageKind::Surface, 20, 1);
        assert_eq!((image.subs[0].lock_pitch, image.memory_size()), (20, 20 * 30));
    }
}
