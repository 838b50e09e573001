//! Texels from the GPU back to the guest, to captures and to pictures.

use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::memory::buffer::OUTSTANDING_LIMIT;
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use crate::transfer::depth;
use crate::transfer::flat::Flat;
use crate::transfer::readback::{Copied, Pending, Waiting};
use afterimage_render::looked::ReadSink;
use afterimage_stream::packets::{ReadBack, ReadBuffer, Rect, View};
use afterimage_stream::{Arena, Format, UploadRef};
use ash::vk;

impl Renderer {
    /// Sends what guests read back to `sink`, too.
    pub fn set_read_sink(&mut self, sink: Option<ReadSink>) {
        self.transfers.readbacks.looker.set(sink);
    }

    /// Waits for what is being read back, and copies it, if there is much of it.
    pub(crate) fn limit_read_backs(&mut self, data: &UploadRef, arena: &dyn Arena) -> Result {
        if self.transfers.readbacks.outstanding() + u64::from(data.size) > OUTSTANDING_LIMIT {
            let number = self.submit()?;
            self.recorder.submissions.wait(number)?;
            self.transfers.readbacks.copy(arena, self.recorder.submissions.completed);
        }
        Ok(())
    }

    /// [`ReadBack`].
    pub(crate) fn read_back(&mut self, body: &ReadBack, arena: &dyn Arena) -> Result {
        self.limit_read_backs(&body.data, arena)?;
        let copied = match self.copy_texels(self.rooted(body.src), body.rect, 1) {
            Ok(copied) => copied,
            Err(error @ crate::error::Error::DeviceLost(_)) => return Err(error),
            Err(error) => {
                tracing::error!("read back of {}: {error}", body.src.texture);
                None
            }
        };
        let copied = copied.map(|copied| Pending::Texels { copied, row_pitch: body.row_pitch });
        self.wait_for(body.token, body.data, copied);
        Ok(())
    }

    /// [`ReadBuffer`]: its bytes are being copied to this buffer.
    pub(crate) fn wait_for_bytes(&mut self, body: &ReadBuffer, copy: Option<Buffer>) {
        self.wait_for(body.token, body.data, copy.map(Pending::Bytes));
    }

    fn wait_for(&mut self, token: u64, data: UploadRef, copied: Option<Pending>) {
        self.flush_draws();
        let _recording = self.recorder.main();
        let submission = self.recorder.submissions.current;
        self.transfers.readbacks.waiting.push_back(Waiting { submission, token, copied, data, ok: false });
        self.transfers.readbacks.asked = true;
    }

    /// Records a copy of texels into a buffer for the CPU. `None` where the texture is missing or multisampled.
    pub(crate) fn copy_texels(&mut self, view: View, rect: Rect, depth_slices: u32) -> Result<Option<Copied>> {
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        if texture.desc.samples > 1 {
            tracing::warn!("{} is multisampled: resolve it before reading it back", view.texture);
            return Ok(None);
        }
        let (format, kind, image) = (texture.format, texture.choice.format, texture.image.raw);
        let slice = if texture.is_3d() { i32::from(view.layer) } else { 0 };
        let part = texture.layers(vk::ImageAspectFlags::COLOR, view.level, view.layer);
        let layout = self.begin_copy(view.texture, vk::ImageLayout::TRANSFER_SRC_OPTIMAL)?;
        let copied = self.copy_part(image, layout, (format, kind), part, (rect, slice, depth_slices));
        self.end_copy(view.texture, layout);
        copied.map(Some)
    }

    /// The same of all of a plain image, which is not needed afterwards.
    pub(crate) fn copy_flat(&mut self, flat: Flat, rect: Rect) -> Result<Copied> {
        let part = vk::ImageSubresourceLayers::default().layer_count(1);
        let layout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;
        let copied = self.copy_part(flat.image.raw, layout, (flat.format, flat.kind), part, (rect, 0, 1));
        self.recorder.submissions.discard(Trash::Image(flat.image.into()));
        copied
    }

    /// Records the copy of a rectangle in so many slices from one on of an image, whose formats in the stream and in Vulkan
    /// these are. Which aspects `part` has does not matter.
    fn copy_part(
        &mut self,
        image: vk::Image,
        layout: vk::ImageLayout,
        (format, kind): (Format, vk::Format),
        part: vk::ImageSubresourceLayers,
        (rect, slice, depth_slices): (Rect, i32, u32),
    ) -> Result<Copied> {
        let count = u64::from(rect.width) * u64::from(rect.height) * u64::from(depth_slices);
        let stencil_at = (count * depth::aspect_bytes(kind) as u64).next_multiple_of(4);
        let size = if format.is_depth() {
            stencil_at + count
        } else {
            format.packed_size(rect.width, rect.height) * u64::from(depth_slices)
        };
        let buffer = Buffer::new(&self.gpu, "read back", size, Place::ReadBack)?;
        let region = |aspect, offset| {
            vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .image_subresource(vk::ImageSubresourceLayers { aspect_mask: aspect, ..part })
                .image_offset(vk::Offset3D { x: rect.x, y: rect.y, z: slice })
                .image_extent(vk::Extent3D { width: rect.width, height: rect.height, depth: depth_slices })
        };
        let mut regions = Vec::new();
        if format.is_depth() {
            regions.push(region(vk::ImageAspectFlags::DEPTH, 0));
            if depth::has_stencil(kind) {
                regions.push(region(vk::ImageAspectFlags::STENCIL, stencil_at));
            }
        } else {
            regions.push(region(vk::ImageAspectFlags::COLOR, 0));
        }
        let cmd = self.recorder.main();
        // SAFETY: the rectangle lies inside of the image, which is in the layout named.
        unsafe { self.gpu.raw.cmd_copy_image_to_buffer(cmd, image, layout, buffer.raw, &regions) };
        self.host_barrier(cmd);
        let (width, height) = (rect.width, rect.height);
        Ok(Copied { buffer, format, kind, width, height, depth: depth_slices, stencil_at })
    }

    /// Lets the CPU read what copies have written.
    pub(crate) fn host_barrier(&self, cmd: vk::CommandBuffer) {
        crate::device::barrier::memory_barrier(
            &self.gpu,
            cmd,
            (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_WRITE),
            (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ),
        );
    }
}
