//! Data from the upload arena into buffers and textures.

use crate::error::{Error, Result};
use crate::memory::ring::{Ring, Slice};
use crate::renderer::Renderer;
use crate::resources::texture::Texture;
use crate::state::bound::Upload;
use crate::transfer::depth;
use crate::transfer::expand::expand;
use afterimage_metal_calls::{Aspect, BufferLayout, Device, Queue, Region};
use afterimage_stream::host::{IndexBufferStates, VertexBufferStates};
use afterimage_stream::packets::{SetIndexBuffer, UpdateBuffer, UpdateTexture, VertexBuffer, View};
use afterimage_stream::{Arena, Budget, Format, Host, ObjectId, ObjectKind, UploadRef};

/// Buffers up to this size get other memory where a part of them changes while the GPU may read them.
const RENAME_LIMIT: u64 = 256 << 10;

/// Bytes of an update whose room is kept for the next one.
const MOST_KEPT: usize = 64 << 10;

/// Bytes of zeros that are copied at once to textures that have no texels.
const ZEROS: u64 = 1 << 20;

impl<D: Device> Renderer<D> {
    /// [`UpdateBuffer`].
    pub(crate) fn update_buffer(&mut self, body: &UpdateBuffer, arena: &dyn Arena) -> Result {
        if body.data.size == 0 {
            return Ok(());
        }
        let version = self.next_version();
        let completed = self.commands.completed;
        let Some(buffer) = self.resources.buffers.get_mut(body.id) else { return Ok(()) };
        // Most are small, and as many as draws.
        let mut bytes = std::mem::take(&mut self.bound.block);
        bytes.clear();
        bytes.resize(body.data.size as usize, 0);
        let _inside = arena.copy_out(&body.data, 0, &mut bytes);
        let busy = buffer.last_used > completed;
        if busy && body.flags & UpdateBuffer::NO_OVERWRITE == 0 {
            let whole = body.flags & UpdateBuffer::DISCARD != 0
                || (body.offset == 0 && u64::from(body.data.size) == buffer.desc.size);
            if whole || (buffer.desc.size <= RENAME_LIMIT && !buffer.gpu_written) {
                buffer.rename(&self.device, !whole)?;
                buffer.version = version;
                self.state.memory_changed(body.id);
            } else {
                return self.copy_to_buffer(body.id, body.offset, &bytes);
            }
        }
        let Some(buffer) = self.resources.buffers.get_mut(body.id) else { return Ok(()) };
        self.device.write(&buffer.raw, body.offset, &bytes)?;
        if buffer.version != version {
            // The same memory with other bytes: what was found in them is looked for again.
            buffer.version = version;
            self.state.memory_changed(body.id);
        }
        if bytes.len() <= MOST_KEPT {
            self.bound.block = bytes;
        }
        Ok(())
    }

    /// Replaces bytes behind everything that was encoded.
    pub(crate) fn copy_to_buffer(&mut self, id: ObjectId, offset: u64, bytes: &[u8]) -> Result {
        self.limit_outstanding()?;
        self.end_pass();
        let source = self.put(bytes, 16)?;
        let (version, current) = (self.next_version(), self.commands.current());
        let Some(buffer) = self.resources.buffers.get_mut(id) else { return Ok(()) };
        (buffer.last_used, buffer.version, buffer.gpu_written) = (current, version, true);
        let raw = buffer.raw.clone();
        self.copy_bytes((&source.buffer, source.offset), (&raw, offset), bytes.len() as u64)?;
        self.state.memory_changed(id);
        Ok(())
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
        // What waits to be cleared is no part without texels.
        self.end_pass();
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        for (level, layer) in texture.blanks() {
            self.make_zero(id, level, layer)?;
        }
        Ok(())
    }

    /// Sees to it that a level and layer has texels.
    pub(crate) fn make_part_live(&mut self, id: ObjectId, level: u32, layer: u32) -> Result {
        let is_blank =
            |renderer: &Self| renderer.resources.textures.get(id).is_some_and(|texture| texture.is_blank(level, layer));
        if is_blank(self) {
            self.end_pass();
        }
        if is_blank(self) { self.make_zero(id, level, layer) } else { Ok(()) }
    }

    fn make_zero(&mut self, id: ObjectId, level: u32, layer: u32) -> Result {
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
        texture.filled(level, layer);
        texture.last_used = self.commands.current();
        let layer = if texture.is_3d() { 0 } else { layer };
        if texture.desc.samples > 1 || (texture.format.is_depth() && self.can_be_target(id)) {
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
        let queue = self.commands.blit();
        for z in 0..extent[2] {
            let mut row = 0;
            while row < rows {
                let count = at_once.min(rows - row);
                let y = row as u32 * block;
                let height = (count as u32 * block).min(extent[1] - y);
                let layout = BufferLayout { offset: zeros.offset, bytes_per_row: pitch, bytes_per_image: 0 };
                let region = Region { slice: layer, level, origin: [0, y, z], size: [extent[0], height, 1] };
                queue.copy_buffer_to_texture(&zeros.buffer, layout, &raw, region, aspect);
                if pixel.has_stencil() {
                    let bytes_per_row = u64::from(extent[0]);
                    let layout = BufferLayout { offset: zeros.offset, bytes_per_row, bytes_per_image: 0 };
                    queue.copy_buffer_to_texture(&zeros.buffer, layout, &raw, region, Aspect::Stencil);
                }
                row += count;
            }
        }
        Ok(())
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
        let (format, raw, pixel) = (texture.format, texture.raw.clone(), texture.choice.pixel);
        let expanded = texture.choice.expanded;
        self.limit_outstanding()?;
        self.end_pass();
        if !whole {
            self.make_part_live(id, level, layer)?;
        }
        let texels = packed_texels(body, format, arena);
        let region = Region {
            slice: if self.resources.textures.get(id).is_some_and(Texture::is_3d) { 0 } else { layer },
            level,
            origin: [body.x, body.y, body.z],
            size: [body.width, body.height, body.depth],
        };
        let rows = u64::from(format.rows(body.height));
        let mut parts = Vec::new();
        if format.is_depth() {
            let (depths, stencils) = depth::split(format, &texels);
            let aspect = if pixel.has_stencil() { Aspect::Depth } else { Aspect::All };
            parts.push((depths, u64::from(body.width * depth::plane_bytes(pixel)), aspect));
            if pixel.has_stencil() {
                parts.push((stencils, body.width.into(), Aspect::Stencil));
            }
        } else if expanded {
            parts.push((expand(format, &texels), u64::from(body.width) * 4, Aspect::All));
        } else {
            parts.push((texels, format.row_bytes(body.width).into(), Aspect::All));
        }
        for (bytes, bytes_per_row, aspect) in parts {
            let source = self.put(&bytes, 256)?;
            let bytes_per_image = if body.depth > 1 { bytes_per_row * rows } else { 0 };
            let layout = BufferLayout { offset: source.offset, bytes_per_row, bytes_per_image };
            self.commands.blit().copy_buffer_to_texture(&source.buffer, layout, &raw, region, aspect);
        }
        let current = self.commands.current();
        if let Some(texture) = self.resources.textures.get_mut(id) {
            texture.filled(level, layer);
            texture.last_used = current;
        }
        Ok(())
    }
}

/// The texels of an update, rows of blocks packed.
pub(crate) fn packed_texels(body: &UpdateTexture, format: Format, arena: &dyn Arena) -> Vec<u8> {
    let (row, rows) = (format.row_bytes(body.width), format.rows(body.height));
    let mut texels = vec![0; row as usize * rows as usize * body.depth as usize];
    if body.row_pitch == row && (body.depth == 1 || body.slice_pitch == row * rows) {
        let _inside = arena.copy_out(&body.data, 0, &mut texels);
        return texels;
    }
    for (index, out) in texels.chunks_exact_mut(row.max(1) as usize).enumerate() {
        let (z, y) = (index as u32 / rows, index as u32 % rows);
        let at = u64::from(z) * u64::from(body.slice_pitch) + u64::from(y) * u64::from(body.row_pitch);
        let Ok(at) = u32::try_from(at) else { break };
        let _inside = arena.copy_out(&body.data, at, out);
    }
    texels
}
