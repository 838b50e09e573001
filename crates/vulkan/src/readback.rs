//! Texels from the GPU back to the guest, to captures and to pictures.

use crate::depth;
use crate::error::Result;
use crate::flat::Flat;
use crate::memory::{Buffer, Place};
use crate::renderer::Renderer;
use crate::submit::Trash;
use crate::upload::OUTSTANDING_LIMIT;
use afterimage_stream::packets::{ReadBack, ReadBuffer, Rect, View};
use afterimage_stream::{Arena, Format, Reply, UploadRef};
use ash::vk;
use std::collections::VecDeque;

/// A copy of texels that the GPU is making.
pub(crate) struct Copied {
    buffer: Buffer,
    pub(crate) format: Format,
    kind: vk::Format,
    pub(crate) width: u32,
    pub(crate) height: u32,
    depth: u32,
    stencil_at: u64,
}

impl Copied {
    /// Hands out the texels slice by slice: number, bytes from row to row, texels.
    pub(crate) fn each_slice(&self, mut f: impl FnMut(u32, u32, &[u8])) {
        let row = self.format.row_bytes(self.width);
        let texels = self.texels();
        let slice = self.format.packed_size(self.width, self.height) as usize;
        for (z, texels) in texels.chunks_exact(slice).enumerate() {
            f(z as u32, row, texels);
        }
    }

    /// The texels, rows of blocks packed, once the GPU is done.
    pub(crate) fn texels(&self) -> Vec<u8> {
        let bytes = self.format.packed_size(self.width, self.height) as usize * self.depth as usize;
        if !self.format.is_depth() {
            return self.buffer.bytes(0, bytes).to_vec();
        }
        let count = self.width as usize * self.height as usize * self.depth as usize;
        let depths = self.buffer.bytes(0, count * depth::aspect_bytes(self.kind));
        let stencils: &[u8] =
            if depth::has_stencil(self.kind) { self.buffer.bytes(self.stencil_at, count) } else { &[] };
        let mut texels = vec![0; bytes];
        depth::join(self.format, self.kind, depths, stencils, &mut texels);
        texels
    }
}

/// What the CPU has to copy once the GPU is done.
enum Pending {
    Texels { copied: Copied, row_pitch: u32 },
    Bytes(Buffer),
}

struct Waiting {
    submission: u64,
    token: u64,
    copied: Option<Pending>,
    data: UploadRef,
    /// Whether the bytes are in the arena.
    ok: bool,
}

/// Read backs under way.
#[derive(Default)]
pub(crate) struct ReadBacks {
    waiting: VecDeque<Waiting>,
    /// Whether one waits for the submission being recorded.
    pub(crate) asked: bool,
}

impl ReadBacks {
    /// The last submission that one waits for whose bytes the CPU must copy.
    pub(crate) fn last_copied(&self) -> Option<u64> {
        self.waiting.iter().rev().find(|waiting| waiting.copied.is_some()).map(|waiting| waiting.submission)
    }

    /// Bytes that are kept until the GPU has written them and the CPU has copied them.
    fn outstanding(&self) -> u64 {
        let bytes = |waiting: &Waiting| match &waiting.copied {
            Some(Pending::Texels { copied, .. }) => copied.buffer.size,
            Some(Pending::Bytes(buffer)) => buffer.size,
            None => 0,
        };
        self.waiting.iter().map(bytes).sum()
    }

    /// Copies what has arrived into the arena.
    pub(crate) fn copy(&mut self, arena: &dyn Arena, completed: u64) {
        for waiting in self.waiting.iter_mut().filter(|waiting| waiting.submission <= completed) {
            let Some(copied) = waiting.copied.take() else { continue };
            waiting.ok = match copied {
                Pending::Texels { copied, row_pitch } => {
                    let texels = copied.texels();
                    let row = copied.format.row_bytes(copied.width) as usize;
                    texels.chunks_exact(row).enumerate().all(|(y, bytes)| {
                        let at = y as u64 * u64::from(row_pitch);
                        u32::try_from(at).is_ok_and(|at| arena.copy_in(&waiting.data, at, bytes))
                    })
                }
                Pending::Bytes(buffer) => arena.copy_in(&waiting.data, 0, buffer.bytes(0, waiting.data.size as usize)),
            };
        }
    }

    /// Answers what is done.
    pub(crate) fn answer(&mut self, completed: u64, replies: &mut dyn FnMut(Reply)) {
        while let Some(waiting) = self.waiting.front()
            && waiting.submission <= completed
            && waiting.copied.is_none()
        {
            replies(Reply::ReadBack { token: waiting.token, ok: waiting.ok });
            self.waiting.pop_front();
        }
    }

    /// The device is gone.
    pub(crate) fn abandon(&mut self, replies: &mut dyn FnMut(Reply)) {
        for waiting in self.waiting.drain(..) {
            replies(Reply::ReadBack { token: waiting.token, ok: false });
        }
    }
}

impl Renderer {
    /// Waits for what is being read back, and copies it, if there is much of it.
    pub(crate) fn relieve_read_backs(&mut self, data: &UploadRef, arena: &dyn Arena) -> Result {
        if self.readbacks.outstanding() + u64::from(data.size) > OUTSTANDING_LIMIT {
            let number = self.submit()?;
            self.submissions.wait(number)?;
            self.readbacks.copy(arena, self.submissions.completed);
        }
        Ok(())
    }

    /// [`ReadBack`].
    pub(crate) fn read_back(&mut self, body: &ReadBack, arena: &dyn Arena) -> Result {
        self.relieve_read_backs(&body.data, arena)?;
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
        let _recording = self.main();
        let submission = self.submissions.current;
        self.readbacks.waiting.push_back(Waiting { submission, token, copied, data, ok: false });
        self.readbacks.asked = true;
    }

    /// Records a copy of texels into a buffer for the CPU. `None` where the texture is missing or multisampled.
    pub(crate) fn copy_texels(&mut self, view: View, rect: Rect, depth_slices: u32) -> Result<Option<Copied>> {
        let Some(texture) = self.textures.get(view.texture) else { return Ok(None) };
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
        self.submissions.discard(Trash::Image(flat.image.into()));
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
        let cmd = self.main();
        // SAFETY: the rectangle lies inside of the image, which is in the layout named.
        unsafe { self.gpu.raw.cmd_copy_image_to_buffer(cmd, image, layout, buffer.raw, &regions) };
        self.host_barrier(cmd);
        let (width, height) = (rect.width, rect.height);
        Ok(Copied { buffer, format, kind, width, height, depth: depth_slices, stencil_at })
    }

    /// Lets the CPU read what copies have written.
    pub(crate) fn host_barrier(&self, cmd: vk::CommandBuffer) {
        crate::submit::memory_barrier(
            &self.gpu,
            cmd,
            (vk::PipelineStageFlags2::ALL_TRANSFER, vk::AccessFlags2::TRANSFER_WRITE),
            (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ),
        );
    }
}
