//! Data from the upload arena into buffers and textures.

use crate::error::{Error, Result};
use crate::memory::ring::{Ring, Slice};
use crate::renderer::Renderer;
use crate::resources::Resources;
use crate::resources::buffer::Buffer;
use crate::resources::texture::Texture;
use crate::state::bound::Upload;
use crate::transfer::depth;
use crate::transfer::expand::expand;
use afterimage_metal_calls::{Aspect, BufferLayout, Device, Queue, Region};
use afterimage_stream::host::{IndexBufferStates, VertexBufferStates};
use afterimage_stream::packets::{CreateBuffer, SetIndexBuffer, UpdateBuffer, UpdateTexture, VertexBuffer, View};
use afterimage_stream::{Arena, Budget, Format, Host, ObjectId, ObjectKind, UploadRef};

/// Buffers up to this size get other memory where a part of them changes while the GPU may read them.
const RENAME_LIMIT: u64 = 256 << 10;

/// Bytes of zeros that are copied at once to textures that have no texels.
const ZEROS: u64 = 1 << 20;

impl<D: Device> Renderer<D> {
    /// [`UpdateBuffer`].
    pub(crate) fn update_buffer(&mut self, body: &UpdateBuffer, arena: &dyn Arena) -> Result {
        if body.data.size == 0 {
            return Ok(());
        }
        let completed = self.commands.completed;
        self.versions += 1;
        let Self { device, resources, versions, .. } = self;
        let Some(buffer) = resources.buffers.get_mut(body.id) else { return Ok(()) };
        if buffer.is_busy(completed) && body.flags & UpdateBuffer::NO_OVERWRITE == 0 {
            return self.update_busy_buffer(body, arena);
        }
        // What was found in its bytes is looked for again.
        buffer.version = *versions;
        let size = body.data.size as usize;
        Ok(device.fill(&buffer.raw, body.offset, size, &mut |bytes| {
            let _inside = arena.copy_out(&body.data, 0, bytes);
        })?)
    }

    /// One that the GPU may be using: it gets other memory, or the bytes are copied behind that.
    fn update_busy_buffer(&mut self, body: &UpdateBuffer, arena: &dyn Arena) -> Result {
        let Some(buffer) = self.resources.buffers.get(body.id) else { return Ok(()) };
        let whole = body.flags & UpdateBuffer::DISCARD != 0
            || (body.offset == 0 && u64::from(body.data.size) == buffer.desc.size);
        let renames = whole || (buffer.desc.size <= RENAME_LIMIT && !buffer.gpu_written);
        if !renames || self.feedback.writes(body.id) {
            let mut bytes = vec![0; body.data.size as usize];
            let _inside = arena.copy_out(&body.data, 0, &mut bytes);
            return self.copy_to_buffer(body.id, body.offset, &bytes);
        }
        self.rename_buffer(body.id, !whole)?;
        self.update_buffer(body, arena)
    }

    /// Gives a buffer other memory, which the GPU does not use.
    fn rename_buffer(&mut self, id: ObjectId, keep: bool) -> Result {
        let Some(buffer) = self.resources.buffers.get(id) else { return Ok(()) };
        let length = Buffer::<D>::length(&buffer.desc);
        if !self.resources.spare_buffers.has_room(length, self.commands.completed) {
            let serial = self.submit()?;
            self.commands.wait(serial)?;
        }
        let (memory, current) = (self.next_version(), self.commands.current());
        let Self { device, resources, commands, .. } = self;
        let spare = resources.spare_buffers.take(&length, commands.completed);
        let Some(buffer) = resources.buffers.get_mut(id) else { return Ok(()) };
        let before = buffer.rename(device, spare, keep, memory)?;
        let is_storage = buffer.desc.usage & CreateBuffer::STORAGE != 0;
        resources.spare_buffers.give(current, length, length, before);
        if is_storage {
            // It has another address.
            self.state.object_changed(id);
        } else {
            self.state.memory_changed(id);
        }
        Ok(())
    }

    /// Replaces bytes behind everything that was encoded.
    pub(crate) fn copy_to_buffer(&mut self, id: ObjectId, offset: u64, bytes: &[u8]) -> Result {
        self.limit_outstanding()?;
        let Some(buffer) = self.resources.buffers.get(id) else { return Ok(()) };
        let words = offset.is_multiple_of(4) && bytes.len().is_multiple_of(4);
        let copies = words || self.device.facts().family.is_apple();
        let ahead = buffer.last_used < self.commands.current() && copies;
        if !ahead {
            self.end_pass();
        }
        let source = self.put(bytes, 16)?;
        let (version, current) = (self.next_version(), self.commands.current());
        let Some(buffer) = self.resources.buffers.get_mut(id) else { return Ok(()) };
        (buffer.version, buffer.gpu_written) = (version, true);
        let (raw, size) = (buffer.raw.clone(), bytes.len() as u64);
        if ahead {
            // The CPU may not write it before that was copied.
            buffer.last_copied = current;
            self.commands.ahead().copy_buffer_ahead(&source.buffer, source.offset, &raw, offset, size);
        } else {
            buffer.last_used = current;
            self.copy_bytes((&source.buffer, source.offset), (&raw, offset), size)?;
        }
        self.state.memory_changed(id);
        Ok(())
    }

    /// Whether what is copied to a texture now may be copied before all that was encoded for this command buffer: nothing of that uses it.
    /// One that is replaced as a whole gets other memory for that.
    fn may_go_ahead(&mut self, id: ObjectId, replaced: bool) -> Result<bool> {
        let current = self.commands.current();
        let Some(texture) = self.resources.textures.get(id) else { return Ok(false) };
        let waits = !self.bound.load.is_empty() && self.bound.targets.all().any(|attachment| attachment.root == id);
        if texture.last_used < current && !waits {
            return Ok(true);
        }
        let Some((like, bytes)) = texture.replaceable().filter(|_| replaced && !self.state.objects.has_views(id))
        else {
            return Ok(false);
        };
        let Self { device, resources: Resources { spare_textures, .. }, commands, .. } = self;
        let raw = match spare_textures.take(like, commands.completed) {
            Some(spare) => spare,
            None if spare_textures.has_room(bytes, commands.completed) => device.new_texture(like)?,
            None => return Ok(false),
        };
        let like = like.clone();
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(false) };
        let before = texture.rename(raw);
        self.resources.spare_textures.give(current, like, bytes, before);
        self.forget_textures();
        self.state.object_changed(id);
        Ok(true)
    }

    /// Counts what is kept until the frame ends, which a stream may never do.
    pub(crate) fn count_frame_upload(&mut self, bytes: u64) -> Result {
        let limit = self.validator.budgets().limit(Budget::Uploads);
        let asked = self.frame_upload_bytes.saturating_add(bytes);
        if asked > limit {
            let what = format!("{bytes} bytes of vertices or indices of a frame");
            return Err(Error::Budget { what, budget: Budget::Uploads, asked, limit });
        }
        self.frame_upload_bytes = asked;
        Ok(())
    }

    /// Uploaded bytes that bindings read, copied to the ring of the frame.
    fn locate(&mut self, data: &UploadRef, arena: &dyn Arena) -> Result<Slice<D>> {
        self.count_frame_upload(data.size.into())?;
        let mut bytes = vec![0; data.size as usize];
        let _inside = arena.copy_out(data, 0, &mut bytes);
        self.frame_uploads.put(&self.device, &bytes, 16, Ring::<D>::FRAME, self.commands.completed)
    }

    /// A vertex buffer binding that names uploaded bytes: finds them now, while the arena is at hand.
    pub(crate) fn resolve_vertex_uploads(
        &mut self,
        first: usize,
        bindings: &[VertexBuffer],
        arena: &dyn Arena,
    ) -> Result {
        for (slot, binding) in (first..self.bound.vertex_uploads.len()).zip(bindings) {
            if binding.source.kind() == Some(ObjectKind::Upload) {
                self.bound.vertex_uploads[slot] =
                    self.resolve_upload(binding.source, binding.offset, binding.size, arena)?;
                self.state.tracker.changed(Host::VERTEX_BUFFER.at(slot as u32).plus(VertexBufferStates::UPLOAD));
            }
        }
        Ok(())
    }

    /// As [`Renderer::resolve_vertex_uploads`], for indices.
    pub(crate) fn resolve_index_upload(&mut self, body: &SetIndexBuffer, arena: &dyn Arena) -> Result {
        if body.source.kind() == Some(ObjectKind::Upload) {
            self.bound.index_upload = self.resolve_upload(body.source, body.offset, body.size, arena)?;
            self.state.tracker.changed(Host::INDEX_BUFFER.only().plus(IndexBufferStates::UPLOAD));
        }
        Ok(())
    }

    fn resolve_upload(
        &mut self,
        source: ObjectId,
        offset: u64,
        size: u64,
        arena: &dyn Arena,
    ) -> Result<Option<Upload<D>>> {
        let slot = source.serial();
        let rest = arena.slot_size(slot).unwrap_or(0).saturating_sub(offset);
        let size = if size == 0 { rest } else { size.min(rest) };
        let Ok(bytes @ 1..) = u32::try_from(size) else { return Ok(None) };
        let slice = self.locate(&UploadRef { slot, size: bytes, offset }, arena)?;
        let version = self.next_version();
        Ok(Some(Upload { slice, size, version }))
    }

    /// Sees to it that all of a texture, or of what it is a view of, has texels before it is read.
    pub(crate) fn make_live(&mut self, id: ObjectId) -> Result {
        let id = self.root(id);
        if !self.resources.textures.get(id).is_some_and(Texture::has_blanks) {
            return Ok(());
        }
        let ahead = self.may_zero_ahead(id)?;
        if !ahead {
            // What waits to be cleared is no part without texels.
            self.end_pass();
        }
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        for (level, layer) in texture.blanks() {
            self.make_zero(id, level, layer, ahead)?;
        }
        Ok(())
    }

    /// Sees to it that a level and layer has texels.
    pub(crate) fn make_part_live(&mut self, id: ObjectId, level: u32, layer: u32) -> Result {
        let is_blank =
            |renderer: &Self| renderer.resources.textures.get(id).is_some_and(|texture| texture.is_blank(level, layer));
        if !is_blank(self) {
            return Ok(());
        }
        let ahead = self.may_zero_ahead(id)?;
        if !ahead {
            self.end_pass();
        }
        if is_blank(self) { self.make_zero(id, level, layer, ahead) } else { Ok(()) }
    }

    /// Whether zeros may come into a texture ahead, as [`Renderer::may_go_ahead`]: not those that a pass clears.
    fn may_zero_ahead(&mut self, id: ObjectId) -> Result<bool> {
        Ok(!self.is_zeroed_by_pass(id) && self.may_go_ahead(id, false)?)
    }

    fn is_zeroed_by_pass(&self, id: ObjectId) -> bool {
        let texture = self.resources.textures.get(id);
        texture.is_some_and(|texture| texture.desc.samples > 1 || texture.format.is_depth() && self.can_be_target(id))
    }

    fn make_zero(&mut self, id: ObjectId, level: u32, layer: u32, ahead: bool) -> Result {
        let by_pass = self.is_zeroed_by_pass(id);
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
        texture.filled(level, layer);
        if !ahead {
            texture.last_used = self.commands.current();
        }
        let layer = if texture.is_3d() { 0 } else { layer };
        if by_pass {
            return self.clear_by_pass(id, level, layer);
        }
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        let (raw, pixel, extent) = (texture.raw.clone(), texture.choice.pixel, texture.extent(level));
        let block = pixel.block();
        let bytes = if pixel.has_depth() { depth::plane_bytes(pixel) } else { pixel.bytes() };
        let pitch = u64::from(extent[0].div_ceil(block)) * u64::from(bytes);
        let rows = u64::from(extent[1].div_ceil(block));
        let at_once = (ZEROS / pitch.max(1)).clamp(1, rows);
        let zeros = self.put(&vec![0; (pitch * at_once) as usize], 16)?;
        let aspect = if pixel.has_stencil() { Aspect::Depth } else { Aspect::All };
        for z in 0..extent[2] {
            let mut row = 0;
            while row < rows {
                let count = at_once.min(rows - row);
                let y = row as u32 * block;
                let height = (count as u32 * block).min(extent[1] - y);
                let layout = BufferLayout { offset: zeros.offset, bytes_per_row: pitch, bytes_per_image: 0 };
                let region = Region { slice: layer, level, origin: [0, y, z], size: [extent[0], height, 1] };
                self.copy_to_texture(ahead, (&zeros.buffer, layout), (&raw, region, aspect));
                if pixel.has_stencil() {
                    let layout = BufferLayout { bytes_per_row: u64::from(extent[0]), ..layout };
                    self.copy_to_texture(ahead, (&zeros.buffer, layout), (&raw, region, Aspect::Stencil));
                }
                row += count;
            }
        }
        Ok(())
    }

    /// Encodes a copy to a texture, ahead or where it stands; then no pass may be open.
    fn copy_to_texture(
        &mut self,
        ahead: bool,
        (buffer, layout): (&D::Buffer, BufferLayout),
        (texture, region, aspect): (&D::Texture, Region, Aspect),
    ) {
        match ahead {
            true => self.commands.ahead().copy_buffer_to_texture_ahead(buffer, layout, texture, region, aspect),
            false => self.commands.blit().copy_buffer_to_texture(buffer, layout, texture, region, aspect),
        }
    }

    /// [`UpdateTexture`].
    pub(crate) fn update_texture(&mut self, body: &UpdateTexture, arena: &dyn Arena) -> Result {
        let place = self.rooted(View { texture: body.id, level: body.level, layer: body.layer });
        let id = place.texture;
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        if texture.desc.samples > 1 {
            return self.update_samples(place, body, arena);
        }
        let (level, layer) = (u32::from(place.level), u32::from(place.layer));
        let whole = texture.extent(level) == [body.width, body.height, body.depth];
        let (format, pixel, expanded) = (texture.format, texture.choice.pixel, texture.choice.expanded);
        let slice = if texture.is_3d() { 0 } else { layer };
        self.limit_outstanding()?;
        let ahead = self.may_go_ahead(id, whole)?;
        if !ahead {
            self.end_pass();
        }
        if !whole {
            self.make_part_live(id, level, layer)?;
        }
        let Some(raw) = self.resources.textures.get(id).map(|texture| texture.raw.clone()) else { return Ok(()) };
        let region =
            Region { slice, level, origin: [body.x, body.y, body.z], size: [body.width, body.height, body.depth] };
        let rows = u64::from(format.rows(body.height));
        let layout = |source: &Slice<D>, bytes_per_row: u64| BufferLayout {
            offset: source.offset,
            bytes_per_row,
            bytes_per_image: if body.depth > 1 { bytes_per_row * rows } else { 0 },
        };
        if format.is_depth() || expanded {
            let texels = packed_texels(body, format, arena);
            let mut parts = Vec::new();
            if format.is_depth() {
                let (depths, stencils) = depth::split(format, &texels);
                let aspect = if pixel.has_stencil() { Aspect::Depth } else { Aspect::All };
                parts.push((depths, u64::from(body.width * depth::plane_bytes(pixel)), aspect));
                if pixel.has_stencil() {
                    parts.push((stencils, body.width.into(), Aspect::Stencil));
                }
            } else {
                parts.push((expand(format, &texels), u64::from(body.width) * 4, Aspect::All));
            }
            for (bytes, bytes_per_row, aspect) in parts {
                let source = self.put(&bytes, 256)?;
                let from = (&source.buffer, layout(&source, bytes_per_row));
                self.copy_to_texture(ahead, from, (&raw, region, aspect));
            }
        } else {
            // Into the ring at once.
            let source =
                self.put_by(packed_len(body, format), 256, &mut |texels| copy_packed(body, format, arena, texels))?;
            let from = (&source.buffer, layout(&source, format.row_bytes(body.width).into()));
            self.copy_to_texture(ahead, from, (&raw, region, Aspect::All));
        }
        let current = self.commands.current();
        if let Some(texture) = self.resources.textures.get_mut(id) {
            texture.filled(level, layer);
            if !ahead {
                texture.last_used = current;
            }
        }
        Ok(())
    }
}

/// Bytes of the texels of an update, rows of blocks packed.
fn packed_len(body: &UpdateTexture, format: Format) -> usize {
    format.row_bytes(body.width) as usize * format.rows(body.height) as usize * body.depth as usize
}

/// The texels of an update, rows of blocks packed.
pub(crate) fn packed_texels(body: &UpdateTexture, format: Format, arena: &dyn Arena) -> Vec<u8> {
    let mut texels = vec![0; packed_len(body, format)];
    copy_packed(body, format, arena, &mut texels);
    texels
}

/// Copies them.
fn copy_packed(body: &UpdateTexture, format: Format, arena: &dyn Arena, texels: &mut [u8]) {
    let (row, rows) = (format.row_bytes(body.width), format.rows(body.height));
    if body.row_pitch == row && (body.depth == 1 || body.slice_pitch == row * rows) {
        let _inside = arena.copy_out(&body.data, 0, texels);
        return;
    }
    for (index, out) in texels.chunks_exact_mut(row.max(1) as usize).enumerate() {
        let (z, y) = (index as u32 / rows, index as u32 % rows);
        let at = u64::from(z) * u64::from(body.slice_pitch) + u64::from(y) * u64::from(body.row_pitch);
        let Ok(at) = u32::try_from(at) else { break };
        let _inside = arena.copy_out(&body.data, at, out);
    }
}
