//! Locks.
//!
//! A program writes into our copy; what it may have written is marked, and travels when the GPU next needs it (images)
//! or at once (buffers, whose updates have their place between the draws).

use super::Device;
use crate::error::{Error, Result};
use crate::handle::*;
use crate::memory::{ImageKind, Lock, Locked, Region};
use afterimage_d3d9_types::*;
use afterimage_ipc::store::Store;
use afterimage_stream::packets::UpdateBuffer;

const KNOWN_FLAGS: u32 = D3DLOCK_READONLY
    | D3DLOCK_DISCARD
    | D3DLOCK_NOOVERWRITE
    | D3DLOCK_NOSYSLOCK
    | D3DLOCK_NO_DIRTY_UPDATE
    | D3DLOCK_DONOTWAIT;

impl Device {
    /// `LockRect`. Waits for the GPU where the surface is a render target. A rectangle that lies outside is refused only
    /// for compressed formats in the default pool; else the program gets the address that it asked for, as older
    /// versions of Direct3D do, and [`Locked::size`] is what lies inside.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if it is locked, cannot be locked, or rectangle or flags are bad.
    pub fn lock_surface(&mut self, surface: Surface, rect: Option<&RECT>, flags: u32) -> Result<Locked> {
        let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
        let index = image.sub_index(surface.level.into(), surface.face.into()).ok_or(Error::InvalidCall)?;
        if image.kind == ImageKind::Volume {
            return Err(Error::InvalidCall);
        }
        let extent = image.subs[index].extent;
        let strict = image.row.has_blocks() && image.pool == D3DPOOL_DEFAULT;
        let (region, at) = match rect {
            None => (Region::whole(extent), [0; 3]),
            Some(rect) => match Region::from_rect(rect, extent) {
                Some(region) => (region, [rect.left.into(), rect.top.into(), 0]),
                None if strict => return Err(Error::InvalidCall),
                // Programs rely on getting a pointer for rectangles that make no sense; all of it then counts as
                // written.
                None => (Region::whole(extent), [rect.left.into(), rect.top.into(), 0]),
            },
        };
        self.lock_image(surface.image, index, region, at, flags)
    }

    /// `GetDC`: the whole surface is locked until [`Device::release_context`]. Nothing of the image may be locked, and
    /// nothing of it can be until then.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if something of it is locked or drawn to by a device context, or as
    /// [`Device::lock_surface`].
    pub fn lock_context(&mut self, surface: Surface) -> Result<Locked> {
        let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
        let index = image.sub_index(surface.level.into(), surface.face.into()).ok_or(Error::InvalidCall)?;
        if image.subs.iter().any(|sub| sub.lock.is_some()) {
            return Err(Error::InvalidCall);
        }
        let locked = self.lock_surface(surface, None, 0)?;
        if let Some(image) = self.objects.images.get_mut(surface.image) {
            image.context = Some(index);
        }
        Ok(locked)
    }

    /// `ReleaseDC`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if there is no device context of this surface.
    pub fn release_context(&mut self, surface: Surface) -> Result<()> {
        let image = self.objects.images.get_mut(surface.image).ok_or(Error::InvalidCall)?;
        let index = image.sub_index(surface.level.into(), surface.face.into()).ok_or(Error::InvalidCall)?;
        image.context.take_if(|context| *context == index).ok_or(Error::InvalidCall)?;
        self.unlock_surface(surface)
    }

    /// `LockBox` of a volume texture.
    ///
    /// # Errors
    /// As [`Device::lock_surface`].
    pub fn lock_volume(&mut self, image: ImageId, level: u32, region: Option<&D3DBOX>, flags: u32) -> Result<Locked> {
        let found = self.objects.images.get(image).filter(|image| image.kind == ImageKind::Volume);
        let found = found.ok_or(Error::InvalidCall)?;
        let index = found.sub_index(level, 0).ok_or(Error::InvalidCall)?;
        let extent = found.subs[index].extent;
        let region = match region {
            Some(region) => Region::from_box(region, extent).ok_or(Error::InvalidCall)?,
            None => Region::whole(extent),
        };
        self.lock_image(image, index, region, [region.x, region.y, region.z].map(i64::from), flags)
    }

    /// Locks `region`; the pointer is that of the texel `at`, which may lie outside for rectangles that make no sense.
    fn lock_image(&mut self, id: ImageId, index: usize, region: Region, at: [i64; 3], flags: u32) -> Result<Locked> {
        let image = self.objects.images.get_mut(id).ok_or(Error::InvalidCall)?;
        // Parts of blocks are not allowed, where the GPU reads it.
        let cut = (image.pool == D3DPOOL_DEFAULT || image.kind == ImageKind::Volume)
            && !region.is_aligned(image.row.block, image.subs[index].extent);
        let discard = flags & D3DLOCK_DISCARD != 0;
        if !image.lockable
            || image.subs[index].lock.is_some()
            || image.context.is_some()
            || cut
            || flags & !KNOWN_FLAGS != 0
            || (discard && flags & D3DLOCK_READONLY != 0)
        {
            return Err(Error::InvalidCall);
        }
        if image.is_target() {
            if flags & D3DLOCK_DONOTWAIT != 0 {
                return Err(Error::WasStillDrawing);
            }
            let level = (index as u32 % image.levels) as u8;
            let face = (index as u32 / image.levels) as u8;
            match self.read_back(Surface { image: id, level, face }) {
                // The program gets memory; what it writes is sent when there is a receiver again.
                Ok(()) | Err(Error::DeviceLost) => {}
                Err(error) => return Err(error),
            }
        }
        let image = self.objects.images.get_mut(id).ok_or(Error::InvalidCall)?;
        if !image.allocate() {
            return Err(Error::OutOfMemory);
        }
        let first = image.memory.as_mut().and_then(Store::lock).ok_or(Error::OutOfMemory)?;
        let sub = &mut image.subs[index];
        let (row_pitch, slice_pitch) = (sub.lock_pitch, sub.slice_pitch);
        let (block, bytes) = image.row.unit();
        let offset = at[2] * i64::from(slice_pitch)
            + at[1].div_euclid(block[1].into()) * i64::from(row_pitch)
            + at[0].div_euclid(block[0].into()) * i64::from(bytes);
        let size = i64::from(slice_pitch) * i64::from(sub.extent[2]) - offset;
        sub.lock = Some(Lock { region, flags });
        let start = sub.offset;
        let bits = first.wrapping_add(start).wrapping_offset(offset as isize);
        let size = if offset < 0 { 0 } else { usize::try_from(size).unwrap_or(0) };
        Ok(Locked { bits, row_pitch, slice_pitch, size })
    }

    /// `UnlockRect`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if it is not locked, unless it belongs to a 2D texture that could be.
    pub fn unlock_surface(&mut self, surface: Surface) -> Result<()> {
        let image = self.objects.images.get(surface.image).ok_or(Error::InvalidCall)?;
        let index = image.sub_index(surface.level.into(), surface.face.into()).ok_or(Error::InvalidCall)?;
        self.unlock_image(surface.image, index)
    }

    /// `UnlockBox`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if it is not locked.
    pub fn unlock_volume(&mut self, image: ImageId, level: u32) -> Result<()> {
        let found = self.objects.images.get(image).filter(|image| image.kind == ImageKind::Volume);
        let index = found.and_then(|image| image.sub_index(level, 0)).ok_or(Error::InvalidCall)?;
        self.unlock_image(image, index)
    }

    fn unlock_image(&mut self, id: ImageId, index: usize) -> Result<()> {
        let image = self.objects.images.get_mut(id).ok_or(Error::InvalidCall)?;
        if image.context.is_some() {
            // Unlocking does nothing to what a device context holds, and is no error either.
            return Ok(());
        }
        let Some(lock) = image.subs[index].lock.take() else {
            // 2D textures that can be locked may be unlocked at any time.
            return if image.kind == ImageKind::Texture && image.lockable { Ok(()) } else { Err(Error::InvalidCall) };
        };
        if let Some(memory) = &mut image.memory {
            memory.unlock();
        }
        if lock.flags & D3DLOCK_READONLY != 0 {
            return Ok(());
        }
        let (level, face) = (index as u32 % image.levels, index as u32 / image.levels);
        let quiet = lock.flags & D3DLOCK_NO_DIRTY_UPDATE != 0;
        if !quiet {
            image.add_dirty(level, face, lock.region);
        }
        // Managed textures travel by what is marked; the others are the GPU's memory as far as a program can tell.
        if image.id.is_none() || (quiet && image.pool == D3DPOOL_MANAGED) {
            return Ok(());
        }
        image.touch(index, lock.region);
        if image.pool == D3DPOOL_MANAGED && level == 0 {
            // Programs lock the first level and write the ones behind it, too.
            for level in 1..image.levels {
                let region = lock.region.scaled_down(level as u8);
                image.touch((face * image.levels + level) as usize, region);
            }
        }
        if image.is_target() {
            // A target is drawn to next, so it cannot wait for a use as a texture.
            self.upload_image(id);
        } else {
            self.registers.touch_texture(id);
        }
        self.port.flush_if_due();
        Ok(())
    }

    /// `AddDirtyRect` of a 2D texture (face 0) or a cube face; none means all of level 0.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a rectangle outside of it.
    pub fn add_dirty_rect(&mut self, image: ImageId, face: u32, rect: Option<&RECT>) -> Result<()> {
        let found = self.objects.images.get(image).filter(|image| face < image.faces).ok_or(Error::InvalidCall)?;
        let region = match rect {
            Some(rect) => Region::from_rect(rect, found.extent).ok_or(Error::InvalidCall)?,
            None => Region::whole(found.extent),
        };
        self.add_dirty(image, face, region)
    }

    /// `AddDirtyBox`.
    ///
    /// # Errors
    /// As [`Device::add_dirty_rect`].
    pub fn add_dirty_box(&mut self, image: ImageId, region: Option<&D3DBOX>) -> Result<()> {
        let found = self.objects.images.get(image).ok_or(Error::InvalidCall)?;
        let region = match region {
            Some(region) => Region::from_box(region, found.extent).ok_or(Error::InvalidCall)?,
            None => Region::whole(found.extent),
        };
        self.add_dirty(image, 0, region)
    }

    fn add_dirty(&mut self, id: ImageId, face: u32, region: Region) -> Result<()> {
        let image = self.objects.images.get_mut(id).ok_or(Error::InvalidCall)?;
        image.add_dirty(0, face, region);
        // A managed texture that was locked without marking travels by what is added here.
        if image.pool == D3DPOOL_MANAGED {
            for level in 0..image.levels {
                let index = (face * image.levels + level) as usize;
                image.touch(index, region.scaled_down(level as u8));
            }
            self.registers.touch_texture(id);
        }
        Ok(())
    }

    /// `Lock` of a vertex or index buffer; size 0 means the rest.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] for a range outside of it or bad flags.
    pub fn lock_buffer(&mut self, buffer: BufferId, offset: u32, size: u32, flags: u32) -> Result<Locked> {
        let found = self.objects.buffers.get_mut(buffer).ok_or(Error::InvalidCall)?;
        let length = found.size();
        if offset >= length && length != 0 {
            return Err(Error::InvalidCall);
        }
        let end = if size == 0 { length } else { offset.checked_add(size).ok_or(Error::InvalidCall)? };
        if end > length {
            return Err(Error::InvalidCall);
        }
        let dynamic = found.usage & D3DUSAGE_DYNAMIC != 0;
        // A program that throws all of it away does not look at it either.
        if dynamic && flags & (D3DLOCK_DISCARD | D3DLOCK_READONLY | D3DLOCK_NOOVERWRITE) == D3DLOCK_DISCARD {
            found.newer = 0..0;
        } else {
            found.unseen = 0;
            self.fetch_buffer(buffer)?;
        }
        let found = self.objects.buffers.get_mut(buffer).ok_or(Error::InvalidCall)?;
        let bytes = found.bytes.lock().ok_or(Error::OutOfMemory)?;
        let first = found.locks == 0;
        found.locks += 1;
        if flags & D3DLOCK_READONLY == 0 {
            let range = found.written.clone();
            found.written = if range.is_empty() { offset..end } else { range.start.min(offset)..range.end.max(end) };
            // Only dynamic buffers may promise anything; the weakest promise of nested locks holds.
            let promise = match flags {
                _ if !dynamic => 0,
                flags if flags & D3DLOCK_NOOVERWRITE != 0 => UpdateBuffer::NO_OVERWRITE,
                flags if flags & D3DLOCK_DISCARD != 0 => UpdateBuffer::DISCARD,
                _ => 0,
            };
            found.update = if first { promise } else { found.update & promise };
        }
        let bits = bytes.wrapping_add(offset as usize);
        if first {
            self.locked_buffers.push(buffer);
        }
        Ok(Locked { bits, row_pitch: 0, slice_pitch: 0, size: (end - offset) as usize })
    }

    /// `Unlock`.
    ///
    /// # Errors
    /// [`Error::InvalidCall`] if it is not locked.
    pub fn unlock_buffer(&mut self, buffer: BufferId) -> Result<()> {
        let found = self.objects.buffers.get_mut(buffer).ok_or(Error::InvalidCall)?;
        found.locks = found.locks.checked_sub(1).ok_or(Error::InvalidCall)?;
        found.bytes.unlock();
        if found.locks > 0 {
            return Ok(());
        }
        let place = self.locked_buffers.iter().rposition(|locked| *locked == buffer);
        if let Some(place) = place {
            self.locked_buffers.swap_remove(place);
        }
        if found.written.is_empty() {
            return Ok(());
        }
        let range = std::mem::take(&mut found.written);
        let flags = std::mem::take(&mut found.update);
        let first = !std::mem::replace(&mut found.filled, true);
        // Programs lock a part of a new buffer and fill all of it.
        let whole = first && found.usage & D3DUSAGE_DYNAMIC == 0;
        let range = if whole { 0..found.size() } else { range };
        self.send_buffer(buffer, range, flags);
        Ok(())
    }

    /// Sends what may have been written to buffers that are bound while they are locked. Direct3D does not allow to
    /// draw with them; programs do it.
    #[cold]
    pub(crate) fn send_locked_buffers(&mut self) {
        for buffer in self.locked_buffers.clone() {
            let bound = *self.registers.indices == Some(buffer)
                || self.registers.streams.iter().any(|stream| stream.buffer == Some(buffer));
            let Some(found) = self.objects.buffers.get_mut(buffer).filter(|_| bound) else { continue };
            found.filled = true;
            let range = found.written.clone();
            self.send_buffer(buffer, range, 0);
        }
    }
}
