//! What a texture holds, for people, and single samples for keyframes.

use crate::error::Result;
use crate::pipeline::key::TargetFormats;
use crate::pipeline::own::{Layers, Own, Source};
use crate::renderer::Renderer;
use crate::state::bound::Recorded;
use crate::transfer::readback::Copied;
use afterimage_metal_calls::{
    ColorAttachment, CompareFunction, CullMode, DepthAttachment, DepthStencilDescriptor, Device, DrawCount, LoadAction,
    PixelFormat, PrimitiveType, Queue, RenderPass, ScissorRect, Stage, StencilAttachment, StorageMode, StoreAction,
    Subresource, TextureDescriptor, TextureType, TextureUsage, TextureView, Viewport,
};
use afterimage_render::texels::Texels;
use afterimage_stream::packets::{Rect, View};
use afterimage_stream::{Format, FormatFeatures};

impl<D: Device> Renderer<D> {
    /// What a subresource holds after everything executed so far. Of several samples, colours are averaged and of depth and
    /// integers the first is taken. `None` where there is no such subresource, or nothing can read it.
    ///
    /// # Errors
    /// Where the device is lost or has no memory left.
    pub fn look(&mut self, view: View) -> Result<Option<Texels>> {
        let asked = view;
        let view = self.rooted(view);
        // What waits for a pass to begin counts.
        self.end_pass();
        let Some(shown) = self.resources.textures.get(asked.texture) else { return Ok(None) };
        let format = shown.format;
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let (level, layer) = (u32::from(view.level), u32::from(view.layer));
        let slices = if texture.is_3d() { texture.extent(level)[2] } else { texture.desc.layers };
        if level >= texture.desc.levels || layer >= slices {
            return Ok(None);
        }
        let [width, height, _] = texture.extent(level);
        let rect = Rect { x: 0, y: 0, width, height };
        let root = texture.format;
        let (compressed, many) = (root.info().block > 1, texture.desc.samples > 1);
        let floats = !root.is_depth() && texture.kind() == 0;
        self.make_part_live(view.texture, level, layer)?;
        let copied = match (compressed, many) {
            (true, _) => self.copy_drawn(view, Format::R32G32B32A32_SFLOAT)?,
            (false, true) if floats => self.copy_drawn(view, root)?,
            (false, true) => self.copy_sample(view, 0)?,
            (false, false) => self.copy_texels(view, rect)?,
        };
        let Some(copied) = copied else { return Ok(None) };
        let same_blocks =
            compressed && (format.info().block, format.info().bytes) == (root.info().block, root.info().bytes);
        let blocks = if same_blocks { self.copy_texels(view, rect)? } else { None };
        let serial = self.submit()?;
        self.commands.wait(serial)?;
        let read = (Texels::layout(format, root), copied.texels(&self.device)?);
        let blocks = blocks.map(|blocks| blocks.texels(&self.device)).transpose()?;
        Ok(Some(Texels::new(asked, format, [width, height], read, blocks)))
    }

    /// A texture with one sample that a part of another one's size is drawn into; nothing else has it.
    fn flat(&self, pixel: PixelFormat, size: [u32; 2]) -> Result<D::Texture> {
        Ok(self.device.new_texture(&TextureDescriptor {
            ty: TextureType::D2,
            format: pixel,
            size: [size[0], size[1], 1],
            levels: 1,
            samples: 1,
            layers: 1,
            usage: TextureUsage { target: true, read: true, ..TextureUsage::default() },
            storage: StorageMode::Private,
            label: "looked at".to_owned(),
        })?)
    }

    /// Encodes a copy for the CPU of a part as a draw reads it, in a format of floats. `None` where nothing can be drawn in it.
    fn copy_drawn(&mut self, view: View, format: Format) -> Result<Option<Copied<D>>> {
        let choice = crate::device::format::choice(self.device.facts(), format, true);
        if crate::device::format::features(self.device.facts(), format) & FormatFeatures::TARGET == 0 {
            return Ok(None);
        }
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let [width, height, _] = texture.extent(view.level.into());
        let source = self.copy_source(view)?;
        if !matches!(source.kind, Source::Float | Source::Volume | Source::Samples(_)) {
            return Ok(None);
        }
        let flat = self.flat(choice.pixel, [width, height])?;
        let mut formats = TargetFormats { samples: 1, ..TargetFormats::default() };
        formats.colors[0] = Some(choice.pixel);
        let rect = Rect { x: 0, y: 0, width, height };
        let own = Own::Copy(source.kind);
        self.draw_copy(own, &source, &rect, (&flat, 0, 0, false), &formats, &rect, false, |_| Ok(()))?;
        self.copy_flat(&flat, format, choice.pixel, choice.expanded, [width, height]).map(Some)
    }

    /// Encodes a copy for the CPU of one sample of a part. `None` of a texture that is gone.
    pub(crate) fn copy_sample(&mut self, view: View, sample: u32) -> Result<Option<Copied<D>>> {
        let Some(texture) = self.resources.textures.get(view.texture) else { return Ok(None) };
        let (format, pixel, expanded) = (texture.format, texture.choice.pixel, texture.choice.expanded);
        let [width, height, _] = texture.extent(view.level.into());
        let depth = format.is_depth();
        let layers = if depth { Layers::Depth(pixel.has_stencil()) } else { Layers::Color(texture.kind()) };
        let seen_as = |pixel: PixelFormat| TextureView {
            format: pixel,
            ty: TextureType::D2Multisample,
            levels: [0, 1],
            slices: [view.layer.into(), 1],
            swizzle: crate::device::format::IDENTITY,
        };
        let source = match texture.desc.layers {
            1 => texture.raw.clone(),
            _ => self.device.new_view(&texture.raw, &seen_as(pixel))?,
        };
        let stencils = match pixel.has_stencil() {
            true => Some(self.device.new_view(&texture.raw, &seen_as(PixelFormat::X32_Stencil8))?),
            false => None,
        };
        let mut formats = TargetFormats { samples: 1, ..TargetFormats::default() };
        match depth {
            true => formats.depth = Some(pixel),
            false => formats.colors[0] = Some(pixel),
        }
        let flat = self.flat(pixel, [width, height])?;
        let pipeline = self.pipelines.own(&self.device, Own::Sample(layers), &formats, [true; 4])?;
        let stencil = formats.stencil().map(|_| super::samples::REPLACE);
        let always = CompareFunction::Always;
        let tests = DepthStencilDescriptor { compare: always, write: depth, front: stencil, back: stencil };
        let tests = self.pipelines.depth_stencil(&self.device, &tests)?;
        self.end_pass();
        self.commands.end();
        let place = || Subresource::<D> { texture: &flat, level: 0, slice: 0, depth_plane: 0 };
        let (load, store) = (LoadAction::DontCare, StoreAction::Store);
        let color = [Some(ColorAttachment { target: place(), resolve: None, load: LoadAction::DontCare, store })];
        self.commands.queue.begin_render(&RenderPass {
            label: "a sample",
            colors: if depth { &[] } else { &color },
            depth: depth.then(|| DepthAttachment { target: place(), resolve: None, load: LoadAction::DontCare, store }),
            stencil: stencils.is_some().then(|| StencilAttachment { target: place(), load, store }),
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        self.commands.begun_render();
        let queue = &mut self.commands.queue;
        queue.set_render_pipeline(&pipeline);
        queue.set_depth_stencil(&tests);
        queue.set_cull_mode(CullMode::None);
        let size = [f64::from(width), f64::from(height)];
        queue.set_viewport(Viewport { origin: [0.0; 2], size, depth: [0.0, 1.0] });
        queue.set_scissor(ScissorRect { origin: [0; 2], size: [width, height] });
        queue.set_texture(Stage::Fragment, 0, &source);
        if let Some(stencils) = &stencils {
            queue.set_texture(Stage::Fragment, 1, stencils);
        }
        queue.set_bytes(Stage::Fragment, 0, bytemuck::bytes_of(&[0.0, 0.0, sample as f32, 0.0]));
        queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 });
        self.commands.end();
        self.bound.recorded = Recorded::default();
        let current = self.commands.current();
        if let Some(texture) = self.resources.textures.get_mut(view.texture) {
            texture.last_used = current;
        }
        self.copy_flat(&flat, format, pixel, expanded, [width, height]).map(Some)
    }

    /// Encodes a copy for the CPU of all of a texture with one level, layer and sample.
    fn copy_flat(
        &mut self,
        flat: &D::Texture,
        format: Format,
        pixel: PixelFormat,
        expanded: bool,
        [width, height]: [u32; 2],
    ) -> Result<Copied<D>> {
        let rect = Rect { x: 0, y: 0, width, height };
        self.copy_out(flat, (format, pixel, expanded), (0, 0, 0), &rect)
    }
}
