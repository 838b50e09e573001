//! Samples of multisampled textures, on their way to captures and back. No copy of Vulkan's reads or writes single samples, so
//! shaders do: between memory and an image that is a copy of the texture. For colours that image is of unsigned integers with
//! as many bits, so that every bit stays as it is, whatever the format.

use crate::device::barrier::full_barrier;
use crate::device::memory::{Buffer, Image, ImageView, Place};
use crate::error::{Error, Result};
use crate::renderer::Renderer;
use crate::resources::trash::Trash;
use crate::transfer::depth;
use crate::transfer::samples::pipelines::Movers;
use crate::transfer::samples::{
    Part, Push, Samples, Words, aspects, has_24_bits, image_format, in_words, packed_texels, pipelines, shaders,
    subresource,
};
use afterimage_stream::packets::{Rect, UpdateTexture, View};
use afterimage_stream::{Arena, Format};
use ash::vk;
use bytemuck::Zeroable;
use std::sync::Arc;

/// Packed texels of all samples as words; how they lie is said in [`shaders`].
fn words_of(format: Format, kind: vk::Format, texels: &[u8], out: &mut [u8]) {
    let size = format.info().bytes as usize;
    match size {
        _ if format.is_depth() => {
            let count = texels.len() / size;
            let mut stencils = vec![0; count];
            let (depths, wide) = out.split_at_mut(count * 4);
            depth::split(format, in_words(kind), texels, depths, &mut stencils);
            if has_24_bits(kind) {
                for word in depths.as_chunks_mut().0 {
                    *word = depth::float_of_24(u32::from_le_bytes(*word)).to_le_bytes();
                }
            }
            widen(&stencils, 1, wide);
        }
        1 | 2 => widen(texels, size, out),
        _ => out.copy_from_slice(texels),
    }
}

fn widen(texels: &[u8], size: usize, out: &mut [u8]) {
    for (word, texel) in out.chunks_exact_mut(4).zip(texels.chunks_exact(size)) {
        word.fill(0);
        word[..size].copy_from_slice(texel);
    }
}

const SOURCE: vk::ImageLayout = vk::ImageLayout::TRANSFER_SRC_OPTIMAL;

const DESTINATION: vk::ImageLayout = vk::ImageLayout::TRANSFER_DST_OPTIMAL;

impl Renderer {
    /// Records what brings every sample of a subresource to the CPU. Where the device does not do that, a warning says so, and it is what
    /// the samples resolve to, if they can be resolved.
    pub(crate) fn read_samples(&mut self, view: View) -> Result<Option<Samples>> {
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let (format, samples, extent) = (texture.format, texture.desc.samples, texture.extent(view.level.into()));
        let kind = image_format(format, texture.choice.format);
        let usage = vk::ImageUsageFlags::TRANSFER_DST | vk::ImageUsageFlags::SAMPLED;
        if let Some(image) = self.samples_image(kind, samples, extent, usage)? {
            return self.read_through(view, kind, image).map(Some);
        }
        let (name, format) = (self.gpu.profile.name.clone(), format.info().name);
        let reason = format!("{name} cannot read {samples} samples of {format} one by one");
        let rect = Rect { x: 0, y: 0, width: extent.width, height: extent.height };
        let flat = self.flatten_samples(view).and_then(|flat| flat.map(|flat| self.copy_flat(flat, rect)).transpose());
        match flat {
            Ok(Some(copied)) => {
                tracing::warn!("{}: {reason}: the capture starts with what they resolve to", view.texture);
                Ok(Some(Samples::Resolved(copied, samples)))
            }
            Err(error @ Error::DeviceLost(_)) => Err(error),
            _ => {
                tracing::warn!("{}: {reason}, nor resolve them: the capture starts with it cleared", view.texture);
                Ok(None)
            }
        }
    }

    /// An image of some samples, where the device has that.
    fn samples_image(
        &self,
        kind: vk::Format,
        samples: u8,
        extent: vk::Extent3D,
        usage: vk::ImageUsageFlags,
    ) -> Result<Option<Image>> {
        let gpu = &self.gpu;
        let (shape, tiling) = (vk::ImageType::TYPE_2D, vk::ImageTiling::OPTIMAL);
        let samples = vk::SampleCountFlags::from_raw(samples.into());
        // SAFETY: the physical device is the one opened.
        let limits = unsafe {
            let none = vk::ImageCreateFlags::empty();
            gpu.instance.raw.get_physical_device_image_format_properties(gpu.physical, kind, shape, tiling, usage, none)
        };
        let fits = |limits: &vk::ImageFormatProperties| {
            let most = limits.max_extent;
            limits.sample_counts.contains(samples) && most.width >= extent.width && most.height >= extent.height
        };
        if !limits.is_ok_and(|limits| fits(&limits)) {
            return Ok(None);
        }
        let info = vk::ImageCreateInfo::default()
            .image_type(shape)
            .format(kind)
            .extent(extent)
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .tiling(tiling)
            .usage(usage);
        Image::new(gpu, "samples", &info).map(Some)
    }

    /// From the texture to an image that shaders read, and from there to memory.
    fn read_through(&mut self, view: View, kind: vk::Format, image: Image) -> Result<Samples> {
        let aspects = aspects(kind);
        let whole = subresource(aspects);
        let layout = self.begin_copy(view.texture, SOURCE)?;
        let cmd = self.recorder.main();
        self.range_barrier(cmd, image.raw, whole, vk::ImageLayout::UNDEFINED, DESTINATION);
        let (mut size, mut samples, mut format) = (vk::Extent3D::default(), 1, Format::R8_UNORM);
        if let Some(texture) = self.resources.textures.get(view.texture) {
            (size, samples, format) = (texture.extent(view.level.into()), texture.desc.samples, texture.format);
            let region = [vk::ImageCopy::default()
                .src_subresource(texture.layers(texture.aspects(), view.level, view.layer))
                .dst_subresource(plain_layers(aspects))
                .extent(size)];
            // SAFETY: sizes and samples are equal and the formats as wide as each other; layouts are as named.
            unsafe { self.gpu.raw.cmd_copy_image(cmd, texture.image.raw, layout, image.raw, DESTINATION, &region) };
        }
        self.end_copy(view.texture, layout);
        let read = vk::ImageLayout::SHADER_READ_ONLY_OPTIMAL;
        self.range_barrier(cmd, image.raw, whole, DESTINATION, read);
        let count = u64::from(size.width) * u64::from(size.height) * u64::from(samples);
        let words: u64 = Part::of(kind).iter().map(|part| u64::from(part.words())).sum();
        let buffer = Buffer::new(&self.gpu, "samples", count * words * 4, Place::ReadBack)?;
        let mut push = Push { words: buffer.address, width: size.width, height: size.height, ..Push::zeroed() };
        for &part in Part::of(kind) {
            let aspect = match part {
                Part::Color(_) => vk::ImageAspectFlags::COLOR,
                Part::Depth => vk::ImageAspectFlags::DEPTH,
                Part::Stencil => vk::ImageAspectFlags::STENCIL,
            };
            let view = self.samples_view(&image, kind, aspect)?;
            let (submission, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
            let movers = self.movers()?;
            let set = movers.set(view.raw, read, submission, completed)?;
            let (pipeline, layout) = (movers.reader(part)?, movers.layout);
            let groups = [size.width, size.height].map(|edge| edge.div_ceil(shaders::GROUP));
            let raw = &self.gpu.raw;
            let compute = vk::PipelineBindPoint::COMPUTE;
            // SAFETY: no pass is open; what set and address name lives until the submission has completed.
            unsafe {
                raw.cmd_bind_pipeline(cmd, compute, pipeline);
                raw.cmd_bind_descriptor_sets(cmd, compute, layout, 0, &[set], &[]);
                raw.cmd_push_constants(cmd, layout, pipelines::STAGES, 0, bytemuck::bytes_of(&push));
                raw.cmd_dispatch(cmd, groups[0], groups[1], samples.into());
            }
            self.recorder.submissions.discard(Trash::View(view));
            push.words += count * 4 * u64::from(part.words());
        }
        crate::device::barrier::memory_barrier(
            &self.gpu,
            cmd,
            (vk::PipelineStageFlags2::COMPUTE_SHADER, vk::AccessFlags2::SHADER_WRITE),
            (vk::PipelineStageFlags2::HOST, vk::AccessFlags2::HOST_READ),
        );
        self.recorder.submissions.discard(Trash::Image(image.into()));
        self.disturbed();
        let coarse = self.gpu.profile.coarse_depth_reads;
        Ok(Samples::Each(Words { buffer, format, kind, width: size.width, height: size.height, samples, coarse }))
    }

    /// [`UpdateTexture`] of a multisampled texture: a slice of the data is a sample.
    pub(crate) fn update_samples(&mut self, body: &UpdateTexture, arena: &dyn Arena) -> Result {
        let Some(texture) = self.resources.textures.get(body.id) else { return Ok(()) };
        let (format, samples) = (texture.format, texture.desc.samples);
        let kind = image_format(format, texture.choice.format);
        let attachment = match format.is_depth() {
            true => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
            false => vk::ImageUsageFlags::COLOR_ATTACHMENT,
        };
        let extent = vk::Extent3D { width: body.width, height: body.height, depth: 1 };
        let usage = vk::ImageUsageFlags::TRANSFER_SRC | attachment;
        let image = match self.gpu.profile.shaders.sample_rate {
            true => self.samples_image(kind, samples, extent, usage)?,
            false => None,
        };
        let Some(image) = image else {
            let name = &self.gpu.profile.name;
            let format = format.info().name;
            tracing::warn!("{}: {name} cannot write {samples} samples of {format} one by one: not updated", body.id);
            return Ok(());
        };
        let texels = packed_texels(body, format, arena);
        self.limit_outstanding()?;
        self.end_pass();
        let cmd = self.recorder.main();
        let aspects = aspects(kind);
        let whole = subresource(aspects);
        self.range_barrier(cmd, image.raw, whole, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
        self.draw_samples(&image, (kind, format), samples, extent, &texels)?;
        let cmd = self.recorder.main();
        self.range_barrier(cmd, image.raw, whole, vk::ImageLayout::GENERAL, SOURCE);
        let layout = self.begin_copy(body.id, DESTINATION)?;
        if let Some(texture) = self.resources.textures.get(body.id) {
            let region = [vk::ImageCopy::default()
                .src_subresource(plain_layers(aspects))
                .dst_subresource(texture.layers(texture.aspects(), body.level, body.layer))
                .dst_offset(vk::Offset3D { x: body.x as i32, y: body.y as i32, z: 0 })
                .extent(extent)];
            // SAFETY: the validator has checked the rectangle; as in `read_through`.
            unsafe { self.gpu.raw.cmd_copy_image(cmd, image.raw, SOURCE, texture.image.raw, layout, &region) };
        }
        self.end_copy(body.id, layout);
        self.recorder.submissions.discard(Trash::Image(image.into()));
        self.disturbed();
        Ok(())
    }

    /// Draws all samples of an image, which is in the layout `GENERAL`.
    fn draw_samples(
        &mut self,
        image: &Image,
        (kind, format): (vk::Format, Format),
        samples: u8,
        extent: vk::Extent3D,
        texels: &[u8],
    ) -> Result {
        let count = texels.len() as u64 / u64::from(format.info().bytes);
        let words: u64 = Part::of(kind).iter().map(|part| u64::from(part.words())).sum();
        // The stream's depth has a part for stencil whether the image has one or not.
        let words = if format.is_depth() { 2 } else { words };
        let (current, completed) = (self.recorder.submissions.current, self.recorder.submissions.completed);
        let mut slice = self.memory.uploads.alloc((count * words * 4) as usize, 16, current, completed)?;
        words_of(format, kind, texels, slice.bytes_mut());
        // Bits of stencil that are set in some samples and in all of them.
        let (some, every) = match format.is_depth() {
            true => {
                let stencils = slice.bytes()[count as usize * 4..].iter().step_by(4);
                stencils.fold((0u8, u8::MAX), |(some, every), bits| (some | bits, every & bits))
            }
            false => (0, 0),
        };
        let view = self.samples_view(image, kind, aspects(kind))?;
        let general = vk::ImageLayout::GENERAL;
        let attachment = vk::RenderingAttachmentInfo::default()
            .image_view(view.raw)
            .image_layout(general)
            .load_op(vk::AttachmentLoadOp::DONT_CARE)
            .store_op(vk::AttachmentStoreOp::STORE);
        let stencil = vk::ClearDepthStencilValue { depth: 0.0, stencil: every.into() };
        let cleared =
            attachment.load_op(vk::AttachmentLoadOp::CLEAR).clear_value(vk::ClearValue { depth_stencil: stencil });
        let colors = [attachment];
        let area = vk::Rect2D::default().extent(vk::Extent2D { width: extent.width, height: extent.height });
        let mut info = vk::RenderingInfo::default().render_area(area).layer_count(1);
        info = match Part::of(kind) {
            [Part::Color(_)] => info.color_attachments(&colors),
            [Part::Depth, Part::Stencil] => info.depth_attachment(&attachment).stencil_attachment(&cleared),
            _ => info.depth_attachment(&attachment),
        };
        let viewport = vk::Viewport {
            width: extent.width as f32,
            height: extent.height as f32,
            max_depth: 1.0,
            ..vk::Viewport::default()
        };
        let movers = self.movers()?;
        let pipelines = Part::of(kind)
            .iter()
            .map(|&part| Ok((part, movers.writer(part, kind, samples)?)))
            .collect::<Result<Vec<_>>>()?;
        let layout = movers.layout;
        let cmd = self.recorder.main();
        let raw = &self.gpu.raw;
        // SAFETY: no pass is open; the view is alive and in the layout named; what the address names lives until the submission
        // has completed.
        unsafe {
            raw.cmd_begin_rendering(cmd, &info);
            raw.cmd_set_viewport(cmd, 0, &[viewport]);
            raw.cmd_set_scissor(cmd, 0, &[area]);
            let mut push = Push { words: slice.address, width: extent.width, height: extent.height, ..Push::zeroed() };
            for (part, pipeline) in pipelines {
                raw.cmd_bind_pipeline(cmd, vk::PipelineBindPoint::GRAPHICS, pipeline);
                // Stencil goes bit by bit, since few devices have shaders write it.
                let bits = (0..8).map(|bit| 1u32 << bit);
                let all: Vec<u32> = match part {
                    Part::Stencil => bits.filter(|bit| u32::from(some & !every) & bit != 0).collect(),
                    _ => vec![0],
                };
                for bit in all {
                    push.bit = bit;
                    if part == Part::Stencil {
                        raw.cmd_set_stencil_write_mask(cmd, vk::StencilFaceFlags::FRONT_AND_BACK, bit);
                    }
                    raw.cmd_push_constants(cmd, layout, pipelines::STAGES, 0, bytemuck::bytes_of(&push));
                    raw.cmd_draw(cmd, 3, 1, 0, 0);
                }
                push.words += count * 4 * u64::from(part.words());
            }
            raw.cmd_end_rendering(cmd);
        }
        full_barrier(&self.gpu, cmd);
        self.recorder.submissions.discard(Trash::View(view));
        Ok(())
    }

    fn samples_view(&self, image: &Image, kind: vk::Format, aspect: vk::ImageAspectFlags) -> Result<ImageView> {
        let info = vk::ImageViewCreateInfo::default()
            .image(image.raw)
            .view_type(vk::ImageViewType::TYPE_2D)
            .format(kind)
            .subresource_range(subresource(aspect));
        ImageView::new(&self.gpu, &info)
    }

    fn movers(&mut self) -> Result<&mut Movers> {
        let movers = match self.transfers.movers.take() {
            Some(movers) => movers,
            None => Box::new(Movers::new(Arc::clone(&self.gpu))?),
        };
        Ok(self.transfers.movers.insert(movers))
    }
}

fn plain_layers(aspects: vk::ImageAspectFlags) -> vk::ImageSubresourceLayers {
    vk::ImageSubresourceLayers::default().aspect_mask(aspects).layer_count(1)
}
