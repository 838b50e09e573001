//! Copies of subresources that the CPU cannot read as they are: blocks as floats, many samples as one.

use crate::device::memory::{Image, ImageView};
use crate::error::Result;
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use crate::transfer::flat::Flat;
use afterimage_stream::Format;
use afterimage_stream::packets::View;
use ash::vk;
use std::sync::Arc;

const SOURCE: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;

const DESTINATION: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;

impl Renderer {
    /// A subresource blitted into floats. The device can blit from its format.
    pub(crate) fn flatten_blocks(&mut self, view: View) -> Result<Option<Flat>> {
        let kind = vk::Format::R32G32B32A32_SFLOAT;
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let extent = vk::Extent3D { depth: 1, ..texture.extent(view.level.into()) };
        let image = self.plain_image(kind, extent, vk::ImageUsageFlags::empty())?;
        self.split_before_blit()?;
        let layout = self.begin_copy(view.texture, SOURCE)?;
        let cmd = self.recorder.main();
        let aspect = vk::ImageAspectFlags::COLOR;
        self.flat_barrier(&image, aspect, vk::ImageLayout::UNDEFINED, DESTINATION);
        if let Some(texture) = self.resources.textures.get(view.texture) {
            let z = if texture.is_3d() { i32::from(view.layer) } else { 0 };
            let corners = |z: i32| {
                let end = vk::Offset3D { x: extent.width as i32, y: extent.height as i32, z: z + 1 };
                [vk::Offset3D { x: 0, y: 0, z }, end]
            };
            let region = [vk::ImageBlit::default()
                .src_subresource(texture.layers(aspect, view.level, view.layer))
                .src_offsets(corners(z))
                .dst_subresource(plain_layers(aspect))
                .dst_offsets(corners(0))];
            // SAFETY: both images have this size and are in the layouts named; the formats' features allow it.
            unsafe {
                let (from, to) = (texture.image.raw, image.raw);
                self.gpu.raw.cmd_blit_image(cmd, from, layout, to, DESTINATION, &region, vk::Filter::NEAREST);
            }
        }
        self.flat_barrier(&image, aspect, DESTINATION, SOURCE);
        self.end_copy(view.texture, layout);
        Ok(Some(Flat { image, format: Format::R32G32B32A32_SFLOAT, kind }))
    }

    /// A multisampled subresource with one sample: the average of colours, the first sample of depth.
    pub(crate) fn flatten_samples(&mut self, view: View) -> Result<Option<Flat>> {
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let (format, kind, aspects) = (texture.format, texture.choice.format, texture.aspects());
        let extent = vk::Extent3D { depth: 1, ..texture.extent(view.level.into()) };
        let usage = match format.is_depth() {
            true => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            false => vk::ImageUsageFlags::empty(),
        };
        let image = self.plain_image(kind, extent, usage)?;
        if format.is_depth() {
            self.first_samples(view, &image, kind, aspects, extent)?;
        } else {
            let layout = self.begin_copy(view.texture, SOURCE)?;
            let cmd = self.recorder.main();
            self.flat_barrier(&image, aspects, vk::ImageLayout::UNDEFINED, DESTINATION);
            if let Some(texture) = self.resources.textures.get(view.texture) {
                let region = [vk::ImageResolve::default()
                    .src_subresource(texture.layers(aspects, view.level, view.layer))
                    .dst_subresource(plain_layers(aspects))
                    .extent(extent)];
                // SAFETY: formats and sizes are equal, layouts as named.
                unsafe {
                    let (from, to) = (texture.image.raw, image.raw);
                    self.gpu.raw.cmd_resolve_image(cmd, from, layout, to, DESTINATION, &region);
                }
            }
            self.flat_barrier(&image, aspects, DESTINATION, SOURCE);
            self.end_copy(view.texture, layout);
        }
        Ok(Some(Flat { image, format, kind }))
    }

    /// Depth cannot be resolved by a copy: a pass without draws takes sample 0.
    fn first_samples(
        &mut self,
        view: View,
        image: &Image,
        kind: vk::Format,
        aspects: vk::ImageAspectFlags,
        extent: vk::Extent3D,
    ) -> Result {
        let target = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(kind)
            .subresource_range(vk::ImageSubresourceRange::default().aspect_mask(aspects).level_count(1).layer_count(1));
        let to = ImageView::new(&self.gpu, &info)?;
        let layout = self.begin_copy(view.texture, vk::ImageLayout::GENERAL)?;
        let cmd = self.recorder.main();
        self.flat_barrier(image, aspects, vk::ImageLayout::UNDEFINED, target);
        let gpu = Arc::clone(&self.gpu);
        let from = match self.resources.textures.get_mut(view.texture) {
            Some(texture) => texture.target_view(&gpu, view.level, (view.layer, 1), false)?,
            None => return Ok(()),
        };
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(from)
            .image_layout(layout)
            .resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
            .resolve_image_view(to.raw)
            .resolve_image_layout(target)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE);
        let area = vk::Extent2D { width: extent.width, height: extent.height };
        let mut info =
            vk::RenderingInfo::default().render_area(area.into()).layer_count(1).depth_attachment(&attachment);
        if aspects.contains(vk::ImageAspectFlags::STENCIL) {
            info = info.stencil_attachment(&attachment);
        }
        // SAFETY: no pass is open (`begin_copy`); views and layouts are as named.
        unsafe {
            gpu.raw.cmd_begin_rendering(cmd, &info);
            gpu.raw.cmd_end_rendering(cmd);
        }
        self.flat_barrier(image, aspects, target, SOURCE);
        self.end_copy(view.texture, layout);
        self.recorder.submissions.discard(Trash::View(to));
        Ok(())
    }

    fn plain_image(&self, kind: vk::Format, extent: vk::Extent3D, usage: vk::ImageUsageFlags) -> Result<Image> {
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(kind)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST | usage);
        Image::new(&self.gpu, "looked at", &info)
    }

    fn flat_barrier(
        &mut self,
        image: &Image,
        aspect: vk::ImageAspectFlags,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let cmd = self.recorder.main();
        let range = vk::ImageSubresourceRange::default().aspect_mask(aspect).level_count(1).layer_count(1);
        self.range_barrier(cmd, image.raw, range, from, to);
    }
}

fn plain_layers(aspect: vk::ImageAspectFlags) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default().aspect_mask(aspect).layer_count(1)
}
