//! Copies between textures: blits, resolves, mip levels.

use crate::device::format::kind_of;
use crate::device::memory::Image;
use crate::error::{Error, Result};
use crate::renderer::Renderer;
use crate::resources::texture::Texture;
use crate::resources::trash::Trash;
use afterimage_stream::packets::{Blit, Filter, GenerateMips, Rect, View};
use afterimage_stream::{FormatFeatures, ObjectId};
use ash::vk;

/// Corners of a rectangle, in one slice of a 3D texture.
fn corners(rect: &Rect, slice: u16) -> [vk::Offset3D; 2] {
    let z = i32::from(slice);
    [
        vk::Offset3D { x: rect.x, y: rect.y, z },
        vk::Offset3D { x: rect.x + rect.width as i32, y: rect.y + rect.height as i32, z: z + 1 },
    ]
}

/// The slice that a view's layer means in a 3D texture; 0 elsewhere.
fn slice(texture: &Texture, view: View) -> u16 {
    if texture.is_3d() { view.layer } else { 0 }
}

/// Whether texels of one texture can be converted to the other's by a blit: both hold colours of a kind that the device blits, or the same
/// depth.
fn converts(src: &Texture, dst: &Texture) -> bool {
    let alike = if src.format.is_depth() || dst.format.is_depth() {
        src.choice.format == dst.choice.format
    } else {
        kind_of(src.format) == kind_of(dst.format)
    };
    let can = |texture: &Texture, feature: u32| texture.choice.features & feature != 0;
    alike && can(src, FormatFeatures::BLIT_SOURCE) && can(dst, FormatFeatures::BLIT)
}

/// The filter of a blit: depth, integers and what the device cannot filter take the nearest texel.
fn filter(src: &Texture, wanted: u32) -> vk::Filter {
    let filtered =
        !src.format.is_depth() && !src.format.is_integer() && src.choice.features & FormatFeatures::LINEAR != 0;
    if filtered && Filter::of(wanted as u8) == Filter::Linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST }
}

fn extent(rect: &Rect) -> vk::Extent3D {
    vk::Extent3D { width: rect.width, height: rect.height, depth: 1 }
}

impl Renderer {
    /// Readies a texture for copies in `main`: everything before is done, and it is in `layout`, which is given back.
    pub(crate) fn begin_copy(&mut self, id: ObjectId, layout: vk::ImageLayout) -> Result<vk::ImageLayout> {
        self.make_live(id)?;
        self.end_pass();
        let cmd = self.recorder.main();
        let current = self.recorder.submissions.current;
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(layout) };
        texture.last_used = current;
        texture.written = false;
        texture.transition(&self.gpu, cmd, texture.home, layout);
        Ok(layout)
    }

    /// Takes a texture home after [`Renderer::begin_copy`].
    pub(crate) fn end_copy(&mut self, id: ObjectId, layout: vk::ImageLayout) {
        let cmd = self.recorder.main();
        if let Some(texture) = self.resources.textures.get_mut(id) {
            texture.transition(&self.gpu, cmd, layout, texture.home);
        }
    }

    /// lavapipe before 23.0 crashes where a blit follows a set of more than 32 textures in one command buffer: its
    /// blitter saves that many only.
    pub(crate) fn split_before_blit(&mut self) -> Result {
        if self.gpu.profile.fragile_blits && self.bound.recorded.has_slots() {
            self.submit()?;
        }
        Ok(())
    }

    /// [`Blit`].
    pub(crate) fn blit(&mut self, body: &Blit) -> Result {
        let body = &Blit { src: self.rooted(body.src), dst: self.rooted(body.dst), ..*body };
        self.split_before_blit()?;
        let (Some(src), Some(dst)) =
            (self.resources.textures.get(body.src.texture), self.resources.textures.get(body.dst.texture))
        else {
            return Ok(());
        };
        let same_size = (body.src_rect.width, body.src_rect.height) == (body.dst_rect.width, body.dst_rect.height);
        let same_format = src.choice.format == dst.choice.format;
        let (src_samples, dst_samples) = (src.desc.samples, dst.desc.samples);
        let unsupported = |what: String| Error::Unsupported { device: self.gpu.profile.name.clone(), what };
        let names = || {
            format!("a blit from {} ({:?}) to {} ({:?})", body.src.texture, src.format, body.dst.texture, dst.format)
        };
        if body.src.texture == body.dst.texture {
            if src.is_3d() && body.src.level == body.dst.level {
                return Err(unsupported(format!("{} within one level", names())));
            }
            if (body.src.level, body.src.layer) == (body.dst.level, body.dst.layer) {
                return Err(unsupported(format!("{} within one subresource", names())));
            }
            if !converts(src, dst) {
                return Err(unsupported(names()));
            }
            return self.blit_within(body);
        }
        if src_samples > 1 && dst_samples == 1 {
            if src.format.is_depth() {
                return self.resolve_depth(body);
            }
            if same_size && same_format {
                return self.resolve(body);
            }
            if !converts(src, dst) {
                return Err(unsupported(names()));
            }
            return self.resolve_and_scale(body);
        }
        if src_samples != dst_samples {
            return Err(unsupported(format!("{} with {src_samples} and {dst_samples} samples", names())));
        }
        if same_size && same_format {
            return self.copy_image(body);
        }
        if src_samples > 1 || !converts(src, dst) {
            return Err(unsupported(names()));
        }
        let (image, from) = (src.image.raw, src.layers(src.aspects(), body.src.level, body.src.layer));
        let layout = self.begin_copy(body.src.texture, vk::ImageLayout::TRANSFER_SRC_OPTIMAL)?;
        self.scale(image, from, layout, body)?;
        self.end_copy(body.src.texture, layout);
        Ok(())
    }

    /// A filtered blit from a part of an image, which is in `layout`, into the destination.
    fn scale(
        &mut self,
        image: vk::Image,
        from: vk::ImageSubresourceLayers,
        layout: vk::ImageLayout,
        body: &Blit,
    ) -> Result {
        let dst_layout = self.begin_copy(body.dst.texture, vk::ImageLayout::TRANSFER_DST_OPTIMAL)?;
        let (Some(src), Some(dst)) =
            (self.resources.textures.get(body.src.texture), self.resources.textures.get(body.dst.texture))
        else {
            return Ok(());
        };
        let filter = filter(src, body.filter);
        let region = [vk::ImageBlit::default()
            .src_subresource(from)
            .src_offsets(corners(&body.src_rect, slice(src, body.src)))
            .dst_subresource(dst.layers(dst.aspects(), body.dst.level, body.dst.layer))
            .dst_offsets(corners(&body.dst_rect, slice(dst, body.dst)))];
        let target = dst.image.raw;
        let cmd = self.recorder.main();
        // SAFETY: the validator has checked the rectangles; both images are in the layouts named.
        unsafe { self.gpu.raw.cmd_blit_image(cmd, image, layout, target, dst_layout, &region, filter) };
        self.end_copy(body.dst.texture, dst_layout);
        Ok(())
    }

    fn copy_image(&mut self, body: &Blit) -> Result {
        let src_layout = self.begin_copy(body.src.texture, vk::ImageLayout::TRANSFER_SRC_OPTIMAL)?;
        let dst_layout = self.begin_copy(body.dst.texture, vk::ImageLayout::TRANSFER_DST_OPTIMAL)?;
        if let (Some(src), Some(dst)) =
            (self.resources.textures.get(body.src.texture), self.resources.textures.get(body.dst.texture))
        {
            let aspects = src.aspects();
            let region = [vk::ImageCopy::default()
                .src_subresource(src.layers(aspects, body.src.level, body.src.layer))
                .src_offset(corners(&body.src_rect, slice(src, body.src))[0])
                .dst_subresource(dst.layers(aspects, body.dst.level, body.dst.layer))
                .dst_offset(corners(&body.dst_rect, slice(dst, body.dst))[0])
                .extent(extent(&body.src_rect))];
            let (src, dst) = (src.image.raw, dst.image.raw);
            let cmd = self.recorder.main();
            // SAFETY: as in `scale`.
            unsafe { self.gpu.raw.cmd_copy_image(cmd, src, src_layout, dst, dst_layout, &region) };
        }
        self.end_copy(body.dst.texture, dst_layout);
        self.end_copy(body.src.texture, src_layout);
        Ok(())
    }

    /// Between two subresources of one texture.
    fn blit_within(&mut self, body: &Blit) -> Result {
        let id = body.src.texture;
        let (source, target) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        let layout = self.begin_copy(id, target)?;
        let cmd = self.recorder.main();
        if let Some(texture) = self.resources.textures.get(id) {
            let aspects = texture.aspects();
            let filter = filter(texture, body.filter);
            let region = [vk::ImageBlit::default()
                .src_subresource(texture.layers(aspects, body.src.level, body.src.layer))
                .src_offsets(corners(&body.src_rect, slice(texture, body.src)))
                .dst_subresource(texture.layers(aspects, body.dst.level, body.dst.layer))
                .dst_offsets(corners(&body.dst_rect, slice(texture, body.dst)))];
            let mut part = texture.range(aspects);
            part.base_mip_level = body.src.level.into();
            part.level_count = 1;
            if !texture.is_3d() {
                part.base_array_layer = body.src.layer.into();
                part.layer_count = 1;
            }
            let image = texture.image.raw;
            texture.transition_part(&self.gpu, cmd, part, target, source);
            // SAFETY: the subresources differ, and each is in the layout named.
            unsafe { self.gpu.raw.cmd_blit_image(cmd, image, source, image, target, &region, filter) };
            texture.transition_part(&self.gpu, cmd, part, source, target);
        }
        self.end_copy(id, layout);
        Ok(())
    }

    fn resolve(&mut self, body: &Blit) -> Result {
        let src_layout = self.begin_copy(body.src.texture, vk::ImageLayout::TRANSFER_SRC_OPTIMAL)?;
        let dst_layout = self.begin_copy(body.dst.texture, vk::ImageLayout::TRANSFER_DST_OPTIMAL)?;
        if let (Some(src), Some(dst)) =
            (self.resources.textures.get(body.src.texture), self.resources.textures.get(body.dst.texture))
        {
            let color = vk::ImageAspectFlags::COLOR;
            let region = [vk::ImageResolve::default()
                .src_subresource(src.layers(color, body.src.level, body.src.layer))
                .src_offset(corners(&body.src_rect, 0)[0])
                .dst_subresource(dst.layers(color, body.dst.level, body.dst.layer))
                .dst_offset(corners(&body.dst_rect, slice(dst, body.dst))[0])
                .extent(extent(&body.src_rect))];
            let (src, dst) = (src.image.raw, dst.image.raw);
            let cmd = self.recorder.main();
            // SAFETY: formats are equal, rectangles checked, layouts as named.
            unsafe { self.gpu.raw.cmd_resolve_image(cmd, src, src_layout, dst, dst_layout, &region) };
        }
        self.end_copy(body.dst.texture, dst_layout);
        self.end_copy(body.src.texture, src_layout);
        Ok(())
    }

    /// Resolves into an image of one sample of the source's format, then scales or converts from that.
    fn resolve_and_scale(&mut self, body: &Blit) -> Result {
        let Some(src) = self.resources.textures.get(body.src.texture) else { return Ok(()) };
        let size = src.extent(0);
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(src.choice.format)
            .extent(size)
            .mip_levels(1)
            .array_layers(1)
            .samples(vk::SampleCountFlags::TYPE_1)
            .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
        let between = Image::new(&self.gpu, "resolved", &info)?;
        let src_layout = self.begin_copy(body.src.texture, vk::ImageLayout::TRANSFER_SRC_OPTIMAL)?;
        let cmd = self.recorder.main();
        let raw = between.raw;
        let (target, source) = (vk::ImageLayout::TRANSFER_DST_OPTIMAL, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
        self.image_barrier(cmd, raw, vk::ImageLayout::UNDEFINED, target);
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        if let Some(src) = self.resources.textures.get(body.src.texture) {
            let from = src.layers(vk::ImageAspectFlags::COLOR, body.src.level, body.src.layer);
            let region = [vk::ImageResolve::default().src_subresource(from).dst_subresource(layers).extent(size)];
            // SAFETY: both images have the same size and format and are in the layouts named.
            unsafe { self.gpu.raw.cmd_resolve_image(cmd, src.image.raw, src_layout, raw, target, &region) };
        }
        self.image_barrier(cmd, raw, target, source);
        self.scale(raw, layers, source, body)?;
        self.end_copy(body.src.texture, src_layout);
        self.recorder.submissions.discard(Trash::Image(between.into()));
        Ok(())
    }

    /// Depth cannot be resolved by a copy: a pass without draws takes sample 0.
    fn resolve_depth(&mut self, body: &Blit) -> Result {
        let (Some(src), Some(dst)) =
            (self.resources.textures.get(body.src.texture), self.resources.textures.get(body.dst.texture))
        else {
            return Ok(());
        };
        let usable = src.choice.format == dst.choice.format
            && body.src_rect == body.dst_rect
            && dst.desc.usage & afterimage_stream::packets::CreateTexture::TARGET != 0;
        if !usable {
            let what = format!("a depth resolve from {} to {}", body.src.texture, body.dst.texture);
            return Err(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
        }
        let stencil = crate::transfer::depth::has_stencil(src.choice.format);
        let src_layout = self.begin_copy(body.src.texture, vk::ImageLayout::GENERAL)?;
        let dst_layout = self.begin_copy(body.dst.texture, vk::ImageLayout::GENERAL)?;
        let gpu = std::sync::Arc::clone(&self.gpu);
        let Some(src) = self.resources.textures.get_mut(body.src.texture) else { return Ok(()) };
        let from = src.target_view(&gpu, body.src.level, (body.src.layer, 1), false)?;
        let Some(dst) = self.resources.textures.get_mut(body.dst.texture) else { return Ok(()) };
        let to = dst.target_view(&gpu, body.dst.level, (body.dst.layer, 1), false)?;
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(from)
            .image_layout(src_layout)
            .resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
            .resolve_image_view(to)
            .resolve_image_layout(dst_layout)
            .load_op(vk::AttachmentLoadOp::LOAD)
            .store_op(vk::AttachmentStoreOp::STORE);
        let rect = &body.src_rect;
        let mut info = vk::RenderingInfo::default()
            .render_area(vk::Rect2D {
                offset: vk::Offset2D { x: rect.x, y: rect.y },
                extent: vk::Extent2D { width: rect.width, height: rect.height },
            })
            .layer_count(1)
            .depth_attachment(&attachment);
        if stencil {
            info = info.stencil_attachment(&attachment);
        }
        let cmd = self.recorder.main();
        // SAFETY: no pass is open (`begin_copy`); views and layouts are as named.
        unsafe {
            gpu.raw.cmd_begin_rendering(cmd, &info);
            gpu.raw.cmd_end_rendering(cmd);
        }
        self.end_copy(body.dst.texture, dst_layout);
        self.end_copy(body.src.texture, src_layout);
        Ok(())
    }

    /// A barrier over everything that also changes the layout of a plain colour image.
    pub(crate) fn image_barrier(
        &self,
        cmd: vk::CommandBuffer,
        image: vk::Image,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let range =
            vk::ImageSubresourceRange::default().aspect_mask(vk::ImageAspectFlags::COLOR).level_count(1).layer_count(1);
        self.range_barrier(cmd, image, range, from, to);
    }

    /// The same of a part of any image.
    pub(crate) fn range_barrier(
        &self,
        cmd: vk::CommandBuffer,
        image: vk::Image,
        range: vk::ImageSubresourceRange,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let all = vk::PipelineStageFlags2::ALL_COMMANDS;
        let barrier = [vk::ImageMemoryBarrier2::default()
            .src_stage_mask(all)
            .src_access_mask(vk::AccessFlags2::MEMORY_WRITE)
            .dst_stage_mask(all)
            .dst_access_mask(vk::AccessFlags2::MEMORY_READ | vk::AccessFlags2::MEMORY_WRITE)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(range)];
        // SAFETY: the command buffer is being recorded outside of a pass; the image is in layout `from`.
        unsafe {
            self.gpu.raw.cmd_pipeline_barrier2(cmd, &vk::DependencyInfo::default().image_memory_barriers(&barrier));
        }
    }

    /// [`GenerateMips`].
    pub(crate) fn generate_mips(&mut self, body: &GenerateMips) -> Result {
        let body = &GenerateMips { id: self.root(body.id), ..*body };
        self.split_before_blit()?;
        let Some(texture) = self.resources.textures.get(body.id) else { return Ok(()) };
        let (levels, layers) = (texture.desc.levels, texture.desc.layers);
        if levels < 2 {
            return Ok(());
        }
        if !converts(texture, texture) || texture.format.info().block > 1 {
            let what = format!("mip generation of {} ({:?})", body.id, texture.format);
            return Err(Error::Unsupported { device: self.gpu.profile.name.clone(), what });
        }
        let filter = filter(texture, body.filter);
        let aspects = texture.aspects();
        let image = texture.image.raw;
        let extents: Vec<_> = (0..levels).map(|level| texture.extent(level)).collect();
        let (source, target) = (vk::ImageLayout::TRANSFER_SRC_OPTIMAL, vk::ImageLayout::TRANSFER_DST_OPTIMAL);
        self.begin_copy(body.id, target)?;
        let cmd = self.recorder.main();
        let Some(texture) = self.resources.textures.get(body.id) else { return Ok(()) };
        for level in 1..levels {
            let mut above = texture.range(aspects);
            (above.base_mip_level, above.level_count) = (level - 1, 1);
            texture.transition_part(&self.gpu, cmd, above, target, source);
            let part = |level: u32| {
                vk::ImageSubresourceLayers::default().aspect_mask(aspects).mip_level(level).layer_count(layers)
            };
            let box_of = |level: u32| {
                let e = extents[level as usize];
                let end = vk::Offset3D { x: e.width as i32, y: e.height as i32, z: e.depth as i32 };
                [vk::Offset3D::default(), end]
            };
            let region = [vk::ImageBlit::default()
                .src_subresource(part(level - 1))
                .src_offsets(box_of(level - 1))
                .dst_subresource(part(level))
                .dst_offsets(box_of(level))];
            // SAFETY: source and destination are different levels in the layouts named.
            unsafe { self.gpu.raw.cmd_blit_image(cmd, image, source, image, target, &region, filter) };
        }
        let mut last = texture.range(aspects);
        (last.base_mip_level, last.level_count) = (levels - 1, 1);
        texture.transition_part(&self.gpu, cmd, last, target, source);
        self.end_copy(body.id, source);
        Ok(())
    }
}

impl Renderer {
    /// Blits a part of a texture (resolved if it is multisampled) to an image that is no texture of the stream.
    pub(crate) fn blit_out(
        &mut self,
        id: ObjectId,
        from: Rect,
        image: vk::Image,
        image_layout: vk::ImageLayout,
        to: Rect,
    ) -> Result {
        self.split_before_blit()?;
        let shown = self.rooted(View { texture: id, level: 0, layer: 0 });
        let id = shown.texture;
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        let size = texture.extent(shown.level.into());
        let filter = filter(texture, Filter::Linear as u32);
        let (samples, format, source) = (texture.desc.samples, texture.choice.format, texture.image.raw);
        let shown = texture.layers(vk::ImageAspectFlags::COLOR, shown.level, shown.layer);
        let layers = vk::ImageSubresourceLayers::default().aspect_mask(vk::ImageAspectFlags::COLOR).layer_count(1);
        let layout = self.begin_copy(id, vk::ImageLayout::TRANSFER_SRC_OPTIMAL)?;
        let cmd = self.recorder.main();
        let (mut source, mut source_layout) = (source, layout);
        if samples > 1 {
            let info = vk::ImageCreateInfo::default()
                .image_type(vk::ImageType::TYPE_2D)
                .format(format)
                .extent(size)
                .mip_levels(1)
                .array_layers(1)
                .samples(vk::SampleCountFlags::TYPE_1)
                .usage(vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST);
            let between = Image::new(&self.gpu, "resolved", &info)?;
            let target = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
            self.image_barrier(cmd, between.raw, vk::ImageLayout::UNDEFINED, target);
            let region = [vk::ImageResolve::default().src_subresource(shown).dst_subresource(layers).extent(size)];
            // SAFETY: both images have the same size and format and are in the layouts named.
            unsafe { self.gpu.raw.cmd_resolve_image(cmd, source, source_layout, between.raw, target, &region) };
            (source, source_layout) = (between.raw, vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
            self.image_barrier(cmd, source, target, source_layout);
            self.recorder.submissions.discard(Trash::Image(between.into()));
        }
        let region = [vk::ImageBlit::default()
            .src_subresource(if samples > 1 { layers } else { shown })
            .src_offsets(corners(&from, 0))
            .dst_subresource(layers)
            .dst_offsets(corners(&to, 0))];
        let same = (from.width, from.height) == (to.width, to.height);
        let filter = if same { vk::Filter::NEAREST } else { filter };
        // SAFETY: the rectangles lie inside of their images, which are in the layouts named.
        unsafe { self.gpu.raw.cmd_blit_image(cmd, source, source_layout, image, image_layout, &region, filter) };
        self.end_copy(id, layout);
        Ok(())
    }
}
