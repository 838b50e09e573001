//! Drawing a picture's figures and its gamma over it.

use crate::device::barrier::full_barrier;
use crate::device::memory::{Buffer, Place};
use crate::error::Result;
use crate::present::overlay::{Between, Canvas, Overlays, Push};
use crate::present::presenter::picture_image;
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use afterimage_render::hud::Rectangle;
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Rect, SetGamma};
use ash::vk;
use bytemuck::Zeroable;
use std::sync::Arc;

impl Renderer {
    fn overlays(&mut self) -> Result<&mut Overlays> {
        let overlays = match self.presenter.overlays.take() {
            Some(overlays) => overlays,
            None => Box::new(Overlays::new(&self.gpu)?),
        };
        Ok(self.presenter.overlays.insert(overlays))
    }

    /// Draws rectangles. The image is in the layout of colour attachments.
    pub(crate) fn draw_rectangles(&mut self, canvas: Canvas, rectangles: &[Rectangle]) -> Result {
        if rectangles.is_empty() {
            return Ok(());
        }
        let overlays = self.overlays()?;
        let (layout, font) = (overlays.layout, overlays.font.address);
        let pipeline = overlays.pipelines(canvas.format)?.glyphs;
        let push = Push { data: font, ..Push::zeroed() };
        self.draw_over(canvas, rectangles, vk::AttachmentLoadOp::LOAD, (pipeline, layout), push)
    }

    /// Blits a part of a texture into a part of an image as [`Renderer::blit_out`] does, through gamma. The image is in the layout of
    /// colour attachments; what is around the part is black.
    pub(crate) fn draw_with_gamma(
        &mut self,
        id: ObjectId,
        from: Rect,
        canvas: Canvas,
        to: Rect,
        steps: &[u16],
    ) -> Result {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let mut ramp = self.memory.constants.alloc(SetGamma::STEPS * 4, 16, current, completed)?;
        for (bytes, step) in ramp.bytes_mut().chunks_exact_mut(4).zip(steps) {
            bytes.copy_from_slice(&(f32::from(*step) / 65_535.0).to_le_bytes());
        }
        let gpu = Arc::clone(&self.gpu);
        let overlays = self.overlays()?;
        let (layout, pipeline) = (overlays.layout, overlays.pipelines(canvas.format)?.gamma);
        let fits = |between: &Between| (between.width, between.height) == (to.width, to.height);
        let between = match overlays.between.take() {
            Some(between) if fits(&between) => between,
            old => {
                let extent = vk::Extent2D { width: to.width, height: to.height };
                let bytes = u64::from(to.width) * u64::from(to.height) * 4;
                if let Some(old) = old {
                    self.recorder.submissions.discard(Trash::Image(old.image.into()));
                    self.recorder.submissions.discard(Trash::Buffer(old.texels));
                }
                Between {
                    width: to.width,
                    height: to.height,
                    image: picture_image(&gpu, "before gamma", extent, vk::ImageUsageFlags::empty())?,
                    texels: Buffer::new(&gpu, "before gamma", bytes, Place::Device)?,
                }
            }
        };
        let (image, texels, address) = (between.image.raw, between.texels.raw, between.texels.address);
        self.overlays()?.between = Some(between);
        let (source, target) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        self.end_pass();
        let cmd = self.recorder.main();
        self.image_barrier(cmd, image, vk::ImageLayout::UNDEFINED, target);
        let whole = Rect { x: 0, y: 0, width: to.width, height: to.height };
        self.blit_out(id, from, image, target, whole)?;
        let cmd = self.recorder.main();
        self.image_barrier(cmd, image, target, source);
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let region = [vk::BufferImageCopy::default().image_subresource(layers).image_extent(vk::Extent3D {
            width: to.width,
            height: to.height,
            depth: 1,
        })];
        // SAFETY: the image has this size and layout, the buffer as many bytes.
        unsafe { gpu.raw.cmd_copy_image_to_buffer(cmd, image, source, texels, &region) };
        full_barrier(&gpu, cmd);
        let narrow = |edge: u32| edge.min(u16::MAX.into()) as u16;
        let rectangle = Rectangle {
            x: narrow(to.x as u32),
            y: narrow(to.y as u32),
            width: narrow(to.width),
            height: narrow(to.height),
            glyph: Rectangle::FILLED,
            color: [255; 4],
        };
        let push = Push {
            data: address,
            gamma: ramp.address,
            origin: [to.x as u32, to.y as u32],
            pitch: to.width,
            ..Push::zeroed()
        };
        self.draw_over(canvas, &[rectangle], vk::AttachmentLoadOp::CLEAR, (pipeline, layout), push)
    }

    fn draw_over(
        &mut self,
        canvas: Canvas,
        rectangles: &[Rectangle],
        load: vk::AttachmentLoadOp,
        (pipeline, layout): (vk::Pipeline, vk::PipelineLayout),
        push: Push,
    ) -> Result {
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let mut slice = self.memory.constants.alloc(size_of_val(rectangles), 16, current, completed)?;
        slice.bytes_mut().copy_from_slice(bytemuck::cast_slice(rectangles));
        let extent = canvas.extent;
        let push =
            Push { rectangles: slice.address, scale: [2.0 / extent.width as f32, 2.0 / extent.height as f32], ..push };
        self.end_pass();
        let cmd = self.recorder.main();
        let black = vk::ClearValue { color: vk::ClearColorValue { float32: [0.0, 0.0, 0.0, 1.0] } };
        let attachment = [vk::RenderingAttachmentInfo::default()
            .image_view(canvas.view)
            .image_layout(vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL)
            .load_op(load)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(black)];
        let area = vk::Rect2D { offset: vk::Offset2D::default(), extent };
        let info = vk::RenderingInfo::default().render_area(area).layer_count(1).color_attachments(&attachment);
        let viewport = vk::Viewport {
            x: 0.0,
            y: 0.0,
            width: extent.width as f32,
            height: extent.height as f32,
            min_depth: 0.0,
            max_depth: 1.0,
        };
        let stages = vk::ShaderStageFlags::VERTEX | vk::ShaderStageFlags::FRAGMENT;
        let raw = &self.gpu.raw;
        // SAFETY: no pass is open; the view is alive and in the layout named; what the addresses name lives until the
        // submission has completed.
        unsafe {
            raw.cmd_begin_rendering(cmd, &info);
            raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline);
            raw.cmd_set_viewport(cmd, 0, &[viewport]);
            raw.cmd_set_scissor(cmd, 0, &[area]);
            raw.cmd_push_constants(cmd, layout, stages, 0, bytemuck::bytes_of(&push));
            raw.cmd_draw(cmd, 4, rectangles.len() as u32, 0, 0);
            raw.cmd_end_rendering(cmd);
        }
        Ok(())
    }
}
