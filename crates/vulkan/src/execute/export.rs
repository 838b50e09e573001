//! Presented pictures go to images that another device imports.

use crate::error::Result;
use crate::present::exported::{Begun, ExportKind, Exports};
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use afterimage_stream::packets::{Present, Rect};
use ash::vk;

impl Renderer {
    /// Has the GPU copy every picture that is presented from now on into images that another device can import: as it was drawn, without
    /// gamma and figures.
    ///
    /// # Errors
    /// Where the device gives no such memory to others.
    pub fn export_pictures(&mut self, kind: ExportKind) -> Result<Exports> {
        let exports = Exports::new(&self.gpu, kind)?;
        self.presenter.exports = Some(exports.clone());
        Ok(exports)
    }

    /// Copies what is shown. A picture is left out where every image is with somebody else.
    pub(crate) fn export_picture(&mut self, body: &Present) -> Result {
        let (Some(exports), Some(from)) = (self.presenter.exports.clone(), self.shown(body)) else { return Ok(()) };
        let extent = vk::Extent2D { width: from.width, height: from.height };
        let Begun { to: taken, old } = exports.begin(extent)?;
        old.into_iter().for_each(|image| self.recorder.submissions.discard(Trash::Shared(image)));
        let Some((number, image)) = taken else { return Ok(()) };
        let to = Rect { x: 0, y: 0, width: from.width, height: from.height };
        let written = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        self.end_pass();
        let cmd = self.recorder.main();
        self.image_barrier(cmd, image.raw, vk::ImageLayout::UNDEFINED, written);
        self.blit_out(body.texture, from, image.raw, written, to)?;
        // To whoever imports it; what it holds before the next picture is nothing that anybody wants.
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::ALL_COMMANDS)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(written)
            .new_layout(vk::ImageLayout::GENERAL)
            .src_queue_family_index(self.gpu.profile.queue_family)
            .dst_queue_family_index(vk::QUEUE_FAMILY_EXTERNAL)
            .image(image.raw)
            .subresource_range(range)];
        let cmd = self.recorder.main();
        // SAFETY: the command buffer is being recorded, and the image is in the layout named.
        unsafe {
            self.gpu.raw.cmd_pipeline_barrier2(cmd, &vk::DependencyInfo::default().image_memory_barriers(&barrier));
        }
        self.recorder.submissions.discard(Trash::Shared(image));
        exports.end(number, body.frame);
        Ok(())
    }
}
