//! Data from the upload arena into buffers and textures.

use crate::device::barrier::{full_barrier, memory_barrier};
use crate::error::{Error, Result};
use crate::memory::buffer::{GuestBuffer, OUTSTANDING_LIMIT};
use crate::memory::ring::Ring;
use crate::renderer::Renderer;
use crate::resources::texture::Texture;
use crate::resources::trash::Trash;
use crate::transfer::samples::packed_texels;
use afterimage_stream::host::{IndexBufferStates, VertexBufferStates};
use afterimage_stream::packets::{SetIndexBuffer, UpdateBuffer, UpdateTexture, VertexBuffer, View};
use afterimage_stream::{Arena, Budget, Format, Host, ObjectId, ObjectKind, UploadRef};
use ash::vk;

/// Buffers up to this size are renamed as a whole where a part of them changes while the GPU may read them.
const RENAME_LIMIT: u64 = 16 << 10;

const TRANSFER: (vk::PipelineStageFlags2, vk::AccessFlags2) =
    (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_WRITE);

impl Renderer {
    /// [`UpdateBuffer`].
    pub(crate) fn update_buffer(&mut self, body: &UpdateBuffer, arena: &dyn Arena) -> Result {
        let completed = self.recorder.submissions.completed;
        let Some(buffer) = self.resources.buffers.get_mut(body.id) else { return Ok(()) };
        let len = body.data.size as usize;
        if len == 0 {
            return Ok(());
        }
        if !buffer.is_dynamic() {
            return self.copy_to_buffer(body, arena);
        }
        let busy = buffer.last_used > completed;
        if busy && body.flags & UpdateBuffer::NO_OVERWRITE == 0 {
            let discard = body.flags & UpdateBuffer::DISCARD != 0;
            let whole = body.offset == 0 && u64::from(body.data.size) == buffer.desc.size;
            if discard || whole {
                self.rename_buffer(body.id, false)?;
            } else if buffer.desc.size <= RENAME_LIMIT {
                self.rename_buffer(body.id, true)?;
            } else {
                return self.copy_to_buffer(body, arena);
            }
        }
        let Some(buffer) = self.resources.buffers.get_mut(body.id) else { return Ok(()) };
        let _inside = arena.copy_out(&body.data, 0, buffer.backing.bytes_mut(body.offset, len));
        Ok(())
    }

    /// Gives a dynamic buffer other memory, which the GPU does not use.
    fn rename_buffer(&mut self, id: ObjectId, keep: bool) -> Result {
        self.limit_outstanding()?;
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let Some(buffer) = self.resources.buffers.get_mut(id) else { return Ok(()) };
        let size = buffer.desc.size;
        let (backing, own) = match self.memory.dynamic.take(size, completed)? {
            Some(backing) => (backing, None),
            None => {
                let fresh = GuestBuffer::new(&self.gpu, &mut self.memory.dynamic, &buffer.desc, completed)?;
                (fresh.backing, fresh.own)
            }
        };
        let old = std::mem::replace(&mut buffer.backing, backing);
        if keep {
            buffer.backing.bytes_mut(0, size as usize).copy_from_slice(old.bytes(0, size as usize));
        }
        match std::mem::replace(&mut buffer.own, own) {
            Some(own) => {
                self.memory.large_renames += own.size;
                self.recorder.submissions.discard(Trash::Buffer(own));
            }
            None => self.memory.dynamic.give(size, current, old),
        }
        buffer.last_used = 0;
        self.state.memory_changed(id);
        Ok(())
    }

    /// Where uploaded bytes lie for the GPU: in the arena itself, or in a copy. `FRAME` rings keep it for the frame.
    fn locate(&mut self, data: &UploadRef, arena: &dyn Arena, frame: bool) -> Result<(vk::Buffer, u64)> {
        // What draws read is in place only where nobody changes it meanwhile.
        let in_place = if frame { self.device_slot(data.slot, arena) } else { self.source_slot(data.slot, arena) };
        if let Some(buffer) = in_place {
            return Ok((buffer, data.offset));
        }
        if frame {
            self.count_frame_upload(data)?;
        }
        self.limit_outstanding()?;
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let mut slice = match frame {
            true => self.memory.frame_uploads.alloc(data.size as usize, 16, Ring::FRAME, completed)?,
            false => self.memory.uploads.alloc(data.size as usize, 16, current, completed)?,
        };
        let _inside = arena.copy_out(data, 0, slice.bytes_mut());
        Ok((slice.buffer, slice.offset))
    }

    /// What bindings read is kept until the frame ends, which a stream may never do.
    fn count_frame_upload(&mut self, data: &UploadRef) -> Result {
        let limit = self.validator.budgets().limit(Budget::Uploads);
        let asked = self.memory.frame_upload_bytes.saturating_add(data.size.into());
        if asked > limit {
            let what = format!("{} bytes at {} of arena slot {}", data.size, data.offset, data.slot);
            return Err(Error::Budget { what, budget: Budget::Uploads, asked, limit });
        }
        self.memory.frame_upload_bytes = asked;
        Ok(())
    }

    /// The buffer that is an arena slot's memory, if there is one.
    fn device_slot(&mut self, slot: u32, arena: &dyn Arena) -> Option<vk::Buffer> {
        if self.options.without.device_slots {
            return None;
        }
        self.memory.slots.buffer(arena.device_slot(slot)?)
    }

    /// The same, to copy out of and nothing else.
    fn source_slot(&mut self, slot: u32, arena: &dyn Arena) -> Option<vk::Buffer> {
        if self.options.without.device_slots {
            return None;
        }
        self.memory.slots.buffer(arena.source_slot(slot)?)
    }

    fn copy_to_buffer(&mut self, body: &UpdateBuffer, arena: &dyn Arena) -> Result {
        let (source, offset) = self.locate(&body.data, arena, false)?;
        let current = self.recorder.submissions.current;
        let Some(buffer) = self.resources.buffers.get_mut(body.id) else { return Ok(()) };
        let size = u64::from(body.data.size);
        let range = (body.offset, body.offset + size);
        let region = vk::BufferCopy { src_offset: offset, dst_offset: buffer.backing.offset + body.offset, size };
        let target = buffer.backing.buffer;
        let in_order = buffer.last_used == current;
        let mut again = false;
        if in_order {
            self.end_pass();
        } else {
            again = buffer.copied == current && range.0 < buffer.copied_range.1 && buffer.copied_range.0 < range.1;
            let old = if buffer.copied == current && !again { buffer.copied_range } else { range };
            buffer.copied = current;
            buffer.copied_range = (old.0.min(range.0), old.1.max(range.1));
        }
        let cmd = if in_order { self.recorder.main() } else { self.recorder.submissions.before()? };
        if again {
            memory_barrier(&self.gpu, cmd, TRANSFER, TRANSFER);
        }
        if in_order {
            full_barrier(&self.gpu, cmd);
        }
        // SAFETY: both ranges were checked by the validator; the buffers are alive until the submission has completed.
        unsafe { self.gpu.raw.cmd_copy_buffer(cmd, source, target, &[region]) };
        if in_order {
            full_barrier(&self.gpu, cmd);
        } else if let Some(buffer) = self.resources.buffers.get_mut(body.id) {
            // A dynamic buffer's next plain write must not overtake this copy.
            buffer.last_used = buffer.last_used.max(if buffer.is_dynamic() { current } else { 0 });
        }
        Ok(())
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
                let upload = self.resolve_upload(binding.source, binding.offset, binding.size, arena)?;
                let state = Host::VERTEX_BUFFER.at(slot as u32).plus(VertexBufferStates::UPLOAD);
                self.state.tracker.write(state, &mut self.bound.vertex_uploads[slot], upload);
            }
        }
        Ok(())
    }

    /// As [`Renderer::resolve_vertex_uploads`], for indices.
    pub(crate) fn resolve_index_upload(&mut self, body: &SetIndexBuffer, arena: &dyn Arena) -> Result {
        if body.source.kind() == Some(ObjectKind::Upload) {
            let upload = self.resolve_upload(body.source, body.offset, body.size, arena)?;
            let state = Host::INDEX_BUFFER.only().plus(IndexBufferStates::UPLOAD);
            self.state.tracker.write(state, &mut self.bound.index_upload, upload);
        }
        Ok(())
    }

    fn resolve_upload(
        &mut self,
        source: ObjectId,
        offset: u64,
        size: u64,
        arena: &dyn Arena,
    ) -> Result<Option<(vk::Buffer, u64, u64)>> {
        let slot = source.serial();
        let rest = arena.slot_size(slot).unwrap_or(0).saturating_sub(offset);
        let size = if size == 0 { rest } else { size.min(rest) };
        let Ok(bytes @ 1..) = u32::try_from(size) else { return Ok(None) };
        let (buffer, offset) = self.locate(&UploadRef { slot, size: bytes, offset }, arena, true)?;
        Ok(Some((buffer, offset, size)))
    }

    /// Sees to it that a texture has a layout and no undefined texels before commands in `main` use it.
    pub(crate) fn make_live(&mut self, id: ObjectId) -> Result {
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        if !texture.live || texture.blank != 0 {
            let cmd = self.enter_upload(id)?;
            let blank = self.resources.textures.get_mut(id).map_or(0, |texture| std::mem::take(&mut texture.blank));
            self.zero(cmd, id, blank)?;
        }
        Ok(())
    }

    /// A texture is about to be read by a draw.
    #[inline]
    pub(crate) fn touch_texture(&mut self, id: ObjectId) -> Result {
        let current = self.recorder.submissions.current;
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
        let fine = texture.live && texture.blank == 0 && !texture.written;
        texture.last_used = current;
        if fine { Ok(()) } else { self.make_readable(id) }
    }

    fn make_readable(&mut self, id: ObjectId) -> Result {
        use vk::{AccessFlags2 as Access, PipelineStageFlags2 as Stage};
        let (id, current) = (self.root(id), self.recorder.submissions.current);
        self.make_live(id)?;
        if let Some(texture) = self.resources.textures.get_mut(id) {
            texture.last_used = current;
        }
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
        // What is being drawn to is read behind the barrier of its pass.
        if texture.written && !texture.is_target {
            texture.written = false;
            self.end_pass();
            let cmd = self.recorder.main();
            memory_barrier(
                &self.gpu,
                cmd,
                (
                    Stage::COLOR_ATTACHMENT_OUTPUT | Stage::EARLY_FRAGMENT_TESTS | Stage::LATE_FRAGMENT_TESTS,
                    Access::COLOR_ATTACHMENT_WRITE | Access::DEPTH_STENCIL_ATTACHMENT_WRITE,
                ),
                (Stage::VERTEX_SHADER | Stage::FRAGMENT_SHADER, Access::SHADER_SAMPLED_READ),
            );
        }
        Ok(())
    }

    /// Puts a texture into the transfer layout in the `before` commands, for the rest of the submission.
    fn enter_upload(&mut self, id: ObjectId) -> Result<vk::CommandBuffer> {
        let current = self.recorder.submissions.current;
        let cmd = self.recorder.submissions.before()?;
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(cmd) };
        if texture.uploading != current {
            let from = if texture.live { texture.home } else { vk::ImageLayout::UNDEFINED };
            texture.transition(&self.gpu, cmd, from, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
            texture.live = true;
            texture.uploading = current;
            texture.uploaded = 0;
            self.resources.uploading.push(id);
        }
        Ok(cmd)
    }

    /// Before a submission: textures go home from the transfer layout, at the end of the `before` commands.
    pub(crate) fn leave_uploads(&mut self) -> Result {
        let current = self.recorder.submissions.current;
        for id in std::mem::take(&mut self.resources.uploading) {
            let cmd = self.recorder.submissions.before()?;
            if let Some(texture) = self.resources.textures.get_mut(id)
                && texture.uploading == current
            {
                texture.uploading = 0;
                texture.transition(&self.gpu, cmd, vk::ImageLayout::TRANSFER_DST_OPTIMAL, texture.home);
            }
        }
        Ok(())
    }

    /// Clears subresources, which are in the transfer layout.
    fn zero(&mut self, cmd: vk::CommandBuffer, id: ObjectId, blank: u128) -> Result {
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
        if blank == 0 {
            return Ok(());
        }
        texture.uploaded |= blank;
        let (levels, layers) = (texture.desc.levels, texture.desc.layers);
        let aspects = texture.aspects();
        let each = |level: u32, layer: u32| {
            vk::ImageSubresourceRange::default()
                .aspect_mask(aspects)
                .base_mip_level(level)
                .level_count(1)
                .base_array_layer(layer)
                .layer_count(1)
        };
        let all = blank == u128::MAX >> (128 - (levels * layers).min(128));
        let ranges: Vec<_> = if all {
            vec![texture.range(aspects)]
        } else {
            let places = (0..layers).flat_map(|layer| (0..levels).map(move |level| (level, layer)));
            places.filter(|&(level, layer)| blank & texture.bit(level, layer) != 0).map(|(l, y)| each(l, y)).collect()
        };
        let (image, layout) = (texture.image.raw, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let block = texture.format.info().block;
        if block > 1 {
            return self.zero_blocks(cmd, id, &ranges);
        }
        // SAFETY: the command buffer is being recorded outside of a pass; the image is in the layout named.
        unsafe {
            if aspects == vk::ImageAspectFlags::COLOR {
                let value = vk::ClearColorValue { float32: [0.0; 4] };
                self.gpu.raw.cmd_clear_color_image(cmd, image, layout, &value, &ranges);
            } else {
                let value = vk::ClearDepthStencilValue::default();
                self.gpu.raw.cmd_clear_depth_stencil_image(cmd, image, layout, &value, &ranges);
            }
        }
        Ok(())
    }

    /// Compressed images cannot be cleared: zeros are copied to them.
    fn zero_blocks(&mut self, cmd: vk::CommandBuffer, id: ObjectId, ranges: &[vk::ImageSubresourceRange]) -> Result {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        let first = ranges.iter().map(|range| range.base_mip_level).min().unwrap_or(0);
        let extent = texture.extent(first);
        let bytes = texture.format.packed_size(extent.width, extent.height) * u64::from(extent.depth);
        let mut zeros = self.memory.uploads.alloc(bytes as usize, 16, current, completed)?;
        zeros.bytes_mut().fill(0);
        let mut copies = Vec::new();
        for range in ranges {
            for level in range.base_mip_level..range.base_mip_level + range.level_count {
                copies.push(
                    vk::BufferImageCopy::default()
                        .buffer_offset(zeros.offset)
                        .image_subresource(
                            vk::ImageSubresourceLayers::default()
                                .aspect_mask(vk::ImageAspectFlags::COLOR)
                                .mip_level(level)
                                .base_array_layer(range.base_array_layer)
                                .layer_count(range.layer_count),
                        )
                        .image_extent(texture.extent(level)),
                );
            }
        }
        // Several layers in one copy want as many images in the buffer.
        let copies: Vec<_> = copies
            .iter()
            .flat_map(|copy| {
                (0..copy.image_subresource.layer_count).map(move |layer| {
                    let mut one = *copy;
                    one.image_subresource.base_array_layer += layer;
                    one.image_subresource.layer_count = 1;
                    one
                })
            })
            .collect();
        let (image, layout) = (texture.image.raw, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        // SAFETY: as in `zero`; the zeros are as many as the largest level needs.
        unsafe { self.gpu.raw.cmd_copy_buffer_to_image(cmd, zeros.buffer, image, layout, &copies) };
        Ok(())
    }

    /// [`UpdateTexture`].
    pub(crate) fn update_texture(&mut self, body: &UpdateTexture, arena: &dyn Arena) -> Result {
        let place = self.rooted(View { texture: body.id, level: body.level, layer: body.layer });
        let body = &UpdateTexture { id: place.texture, level: place.level, layer: place.layer, ..*body };
        let Some(texture) = self.resources.textures.get(body.id) else { return Ok(()) };
        if texture.desc.samples > 1 {
            return self.update_samples(body, arena);
        }
        let format = texture.format;
        let source = self.stage_texels(body, format, arena)?;
        let Some(texture) = self.resources.textures.get(body.id) else { return Ok(()) };
        let copies = source.copies(texture, body);
        let (level, layer) = (u32::from(body.level), u32::from(body.layer));
        let whole = (texture.extent(level).width, texture.extent(level).height, texture.extent(level).depth)
            == (body.width, body.height, body.depth)
            && !texture.shares_bits();
        let bit = texture.bit(level, layer);
        let image = texture.image.raw;
        let layout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        // What others draw with, too, has no commands of its own before everything else.
        let is_read = texture.last_used == self.recorder.submissions.current || self.was_read_in_table(body.id);
        if is_read || texture.desc.shared != 0 {
            self.make_live(body.id)?;
            self.end_pass();
            let cmd = self.recorder.main();
            let Some(texture) = self.resources.textures.get_mut(body.id) else { return Ok(()) };
            let home = texture.home;
            texture.written = false;
            texture.transition(&self.gpu, cmd, home, layout);
            // SAFETY: the validator has checked the box; the image is in the layout named.
            unsafe { self.gpu.raw.cmd_copy_buffer_to_image(cmd, source.buffer, image, layout, &copies) };
            texture.transition(&self.gpu, cmd, layout, home);
            return Ok(());
        }
        let cmd = self.enter_upload(body.id)?;
        let Some(texture) = self.resources.textures.get_mut(body.id) else { return Ok(()) };
        let blank = texture.blank & bit;
        texture.blank &= !bit;
        if blank != 0 && !whole {
            self.zero(cmd, body.id, blank)?;
        }
        let Some(texture) = self.resources.textures.get_mut(body.id) else { return Ok(()) };
        if texture.uploaded & bit != 0 {
            memory_barrier(&self.gpu, cmd, TRANSFER, TRANSFER);
        }
        texture.uploaded |= bit;
        // SAFETY: as above.
        unsafe { self.gpu.raw.cmd_copy_buffer_to_image(cmd, source.buffer, image, layout, &copies) };
        Ok(())
    }

    /// Finds or makes a buffer that Vulkan can copy the texels from.
    fn stage_texels(&mut self, body: &UpdateTexture, format: Format, arena: &dyn Arena) -> Result<Texels> {
        let info = format.info();
        let rows = format.rows(body.height);
        let row = format.row_bytes(body.width);
        let depth_kind = self.gpu.profile.choice(format).format;
        if format.is_depth() {
            return self.stage_depth(body, format, depth_kind, arena);
        }
        let in_rows = body.row_pitch.is_multiple_of(info.bytes) && i32::try_from(body.row_pitch).is_ok();
        let in_slices = body.depth == 1
            || (body.slice_pitch.is_multiple_of(body.row_pitch)
                && u64::from(body.slice_pitch) >= u64::from(body.row_pitch) * u64::from(rows));
        if in_rows
            && in_slices
            && body.data.offset.is_multiple_of(u64::from(info.bytes.max(4)))
            && let Some(buffer) = self.source_slot(body.data.slot, arena)
        {
            return Ok(Texels {
                buffer,
                parts: vec![(vk::ImageAspectFlags::COLOR, body.data.offset)],
                row_length: body.row_pitch / info.bytes * info.block,
                image_height: if body.depth == 1 { 0 } else { body.slice_pitch / body.row_pitch * info.block },
            });
        }
        self.limit_outstanding()?;
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let packed = row as usize * rows as usize * body.depth as usize;
        let mut slice = self.memory.uploads.alloc(packed, 16, current, completed)?;
        let bytes = slice.bytes_mut();
        if body.row_pitch == row && (body.depth == 1 || body.slice_pitch == row * rows) {
            let _inside = arena.copy_out(&body.data, 0, bytes);
        } else {
            for (index, out) in bytes.chunks_exact_mut(row as usize).enumerate() {
                let (z, y) = (index as u32 / rows, index as u32 % rows);
                let at = u64::from(z) * u64::from(body.slice_pitch) + u64::from(y) * u64::from(body.row_pitch);
                let Ok(at) = u32::try_from(at) else { break };
                let _inside = arena.copy_out(&body.data, at, out);
            }
        }
        Ok(Texels {
            buffer: slice.buffer,
            parts: vec![(vk::ImageAspectFlags::COLOR, slice.offset)],
            row_length: 0,
            image_height: 0,
        })
    }

    /// Depth and stencil are copied apart, and a replaced format has other numbers.
    fn stage_depth(
        &mut self,
        body: &UpdateTexture,
        format: Format,
        kind: vk::Format,
        arena: &dyn Arena,
    ) -> Result<Texels> {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let count = body.width as usize * body.height as usize * body.depth as usize;
        let texels = packed_texels(body, format, arena);
        let depth_bytes = crate::transfer::depth::aspect_bytes(kind);
        let mut slice = self.memory.uploads.alloc(count * (depth_bytes + 1) + 16, 16, current, completed)?;
        let (depths, rest) = slice.bytes_mut().split_at_mut(count * depth_bytes);
        // The stencil part begins at a multiple of four, as copies ask for.
        let skip = depths.len().next_multiple_of(4) - depths.len();
        let stencils = &mut rest[skip..skip + count];
        crate::transfer::depth::split(format, kind, &texels, depths, stencils);
        let stencil_at = slice.offset + (count * depth_bytes).next_multiple_of(4) as u64;
        let mut parts = vec![(vk::ImageAspectFlags::DEPTH, slice.offset)];
        if crate::transfer::depth::has_stencil(kind) {
            parts.push((vk::ImageAspectFlags::STENCIL, stencil_at));
        }
        Ok(Texels { buffer: slice.buffer, parts, row_length: 0, image_height: 0 })
    }

    /// Where much memory waits for the GPU, waits for the GPU.
    pub(crate) fn limit_outstanding(&mut self) -> Result {
        let outstanding =
            self.memory.uploads.outstanding() + self.memory.frame_uploads.outstanding() + self.memory.large_renames;
        if outstanding > OUTSTANDING_LIMIT || self.memory.dynamic.bytes > OUTSTANDING_LIMIT + self.memory.dynamic_floor
        {
            tracing::debug!("waiting for the GPU: {} MiB of uploads are under way", outstanding >> 20);
            self.memory.dynamic_floor = self.memory.dynamic.bytes;
            self.memory.large_renames = 0;
            let number = self.submit()?;
            self.recorder.submissions.wait(number)?;
        }
        Ok(())
    }
}

/// Texels in a buffer, as Vulkan copies want them.
struct Texels {
    buffer: vk::Buffer,
    /// Aspect and offset of each part.
    parts: Vec<(vk::ImageAspectFlags, u64)>,
    row_length: u32,
    image_height: u32,
}

impl Texels {
    fn copies(&self, texture: &Texture, body: &UpdateTexture) -> Vec<vk::BufferImageCopy> {
        let copy = |&(aspect, offset): &(vk::ImageAspectFlags, u64)| {
            vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .buffer_row_length(self.row_length)
                .buffer_image_height(self.image_height)
                .image_subresource(texture.layers(aspect, body.level, body.layer))
                .image_offset(vk::Offset3D { x: body.x as i32, y: body.y as i32, z: body.z as i32 })
                .image_extent(vk::Extent3D { width: body.width, height: body.height, depth: body.depth })
        };
        self.parts.iter().map(copy).collect()
    }
}
