//! Texels from the GPU back to the guest.

use crate::error::Result;
use crate::renderer::{OUTSTANDING_LIMIT, Renderer};
use crate::transfer::depth;
use crate::transfer::readback::{Copied, Pending, Waiting};
use afterimage_metal_calls::{Aspect, BufferLayout, Device, PixelFormat, Queue, Region};
use afterimage_stream::packets::{ReadBack, ReadBuffer, Rect, View};
use afterimage_stream::{Arena, Format, UploadRef};

impl<D: Device> Renderer<D> {
    /// Waits for what is being read back, and copies it, if there is much of it.
    pub(crate) fn limit_read_backs(&mut self, data: &UploadRef, arena: &dyn Arena) -> Result {
        if self.readbacks.outstanding() + u64::from(data.size) > OUTSTANDING_LIMIT {
            let serial = self.submit()?;
            self.commands.wait(serial)?;
            self.readbacks.copy(&self.device, arena, self.commands.completed);
        }
        Ok(())
    }

    /// [`ReadBack`].
    pub(crate) fn read_back(&mut self, body: &ReadBack, arena: &dyn Arena) -> Result {
        self.limit_read_backs(&body.data, arena)?;
        let copied = self.copy_texels(self.rooted(body.src), body.rect);
        let copied = copied.inspect_err(|error| tracing::error!("read back of {}: {error}", body.src.texture));
        let pending = copied.ok().flatten().map(|copied| Pending::Texels { copied, row_pitch: body.row_pitch });
        self.wait_for(body.token, body.data, pending);
        Ok(())
    }

    /// [`ReadBuffer`].
    pub(crate) fn read_buffer(&mut self, body: &ReadBuffer, arena: &dyn Arena) -> Result {
        self.limit_read_backs(&body.data, arena)?;
        self.end_pass();
        let copy = self.readable_buffer(body.data.size.into(), "read back")?;
        let current = self.commands.current();
        let Some(buffer) = self.resources.buffers.get_mut(body.id) else { return Ok(()) };
        buffer.last_used = current;
        if body.data.size > 0 {
            let raw = buffer.raw.clone();
            self.copy_bytes((&raw, body.offset), (&copy, 0), body.data.size.into())?;
        }
        self.wait_for(body.token, body.data, Some(Pending::Bytes(copy)));
        Ok(())
    }

    fn wait_for(&mut self, token: u64, data: UploadRef, pending: Option<Pending<D>>) {
        // Where nothing is encoded the last command buffer is the one.
        let serial = if self.commands.is_empty() { self.commands.current() - 1 } else { self.commands.current() };
        self.readbacks.waiting.push_back(Waiting { serial, token, pending, data, ok: false });
        self.readbacks.asked = true;
    }

    /// Encodes a copy of texels into a buffer for the CPU. `None` where the texture is missing or multisampled.
    pub(crate) fn copy_texels(&mut self, view: View, rect: Rect) -> Result<Option<Copied<D>>> {
        let id = view.texture;
        self.end_pass();
        let Some(texture) = self.resources.textures.get(id) else { return Ok(None) };
        if texture.desc.samples > 1 {
            tracing::warn!("{id} is multisampled: resolve it before reading it back");
            return Ok(None);
        }
        let is_3d = texture.is_3d();
        let (level, layer) = (u32::from(view.level), u32::from(view.layer));
        self.make_part_live(id, level, layer)?;
        let Some(texture) = self.resources.textures.get(id) else { return Ok(None) };
        let (of, raw) = ((texture.format, texture.choice.pixel, texture.choice.expanded), texture.raw.clone());
        let (slice, z) = if is_3d { (0, layer) } else { (layer, 0) };
        let copied = self.copy_out(&raw, of, (level, slice, z), &rect)?;
        let current = self.commands.current();
        if let Some(texture) = self.resources.textures.get_mut(id) {
            texture.last_used = current;
        }
        Ok(Some(copied))
    }

    /// Encodes a copy of a level, slice and plane of a texture with one sample into a buffer for the CPU. `of` says what its texels are:
    /// the stream's format and Metal's, and whether the bits are others.
    pub(crate) fn copy_out(
        &mut self,
        raw: &D::Texture,
        (format, pixel, expanded): (Format, PixelFormat, bool),
        (level, slice, z): (u32, u32, u32),
        rect: &Rect,
    ) -> Result<Copied<D>> {
        let step = self.device.facts().limits.buffer_copy_step.max(1);
        let rows = u64::from(format.rows(rect.height));
        let row = match format.is_depth() {
            true => rect.width * depth::plane_bytes(pixel),
            false if expanded => rect.width * pixel.bytes(),
            false => format.row_bytes(rect.width),
        };
        let pitch = row.next_multiple_of(step);
        let stencil_pitch = rect.width.next_multiple_of(step);
        let stencil_at = u64::from(pitch) * rows;
        let has_stencil = pixel.has_stencil();
        let size = stencil_at + if has_stencil { u64::from(stencil_pitch) * rows } else { 0 };
        let buffer = self.readable_buffer(size, "read back")?;
        let region =
            Region { slice, level, origin: [rect.x as u32, rect.y as u32, z], size: [rect.width, rect.height, 1] };
        let layout = BufferLayout { offset: 0, bytes_per_row: pitch.into(), bytes_per_image: 0 };
        let aspect = if has_stencil { Aspect::Depth } else { Aspect::All };
        let queue = self.commands.blit();
        queue.copy_texture_to_buffer(raw, region, aspect, &buffer, layout);
        if has_stencil {
            let layout = BufferLayout { offset: stencil_at, bytes_per_row: stencil_pitch.into(), bytes_per_image: 0 };
            queue.copy_texture_to_buffer(raw, region, Aspect::Stencil, &buffer, layout);
        }
        let stencil = has_stencil.then_some((stencil_at, stencil_pitch));
        Ok(Copied { buffer, format, expanded, size: [rect.width, rect.height], pitch, stencil })
    }
}
