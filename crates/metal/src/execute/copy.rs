//! Copies between textures: one to one by the blit encoder, what scales, converts or resolves by draws.

use crate::error::Result;
use crate::execute::present::samples;
use crate::pipeline::key::TargetFormats;
use crate::pipeline::own::{Copy, Own, Source};
use crate::renderer::Renderer;
use crate::resources::sampler::Sampler;
use crate::resources::texture::{Shape, Texture};
use crate::state::bound::Recorded;
use crate::state::targets::clip;
use afterimage_metal_calls::{
    Aspect, BufferLayout, ColorAttachment, CompareFunction, CullMode, DepthAttachment, DepthStencilDescriptor, Device,
    DrawCount, LoadAction, PrimitiveType, Queue, Region, RenderPass, Stage, StencilAttachment, StoreAction,
    Subresource, TextureType, TextureView, Viewport,
};
use afterimage_stream::packets::{
    Address, Blit, CreateSampler, CreateTexture, Filter, GenerateMips, Rect, TextureCopy, View,
};
use afterimage_stream::{FormatFeatures, ObjectId};
use bytemuck::Zeroable;

/// A level and layer that a draw copies from.
#[derive(Debug)]
pub(crate) struct CopySource<D: Device> {
    pub(crate) kind: Source,
    texture: D::Texture,
    /// Size of the level.
    size: [u32; 3],
    /// The plane of a volume.
    plane: u32,
    can_filter: bool,
}

impl<D: Device> Renderer<D> {
    /// A level and layer as a draw reads it.
    pub(crate) fn copy_source(&self, view: View) -> Result<CopySource<D>> {
        let Some(texture) = self.resources.textures.get(view.texture) else {
            return Err(self.unsupported("a copy of a texture that is gone"));
        };
        let (level, layer) = (u32::from(view.level), u32::from(view.layer));
        let kind = match (texture.shape(), texture.format.is_depth(), texture.kind()) {
            (Shape::D2Ms, true, _) => Source::DepthSample,
            (Shape::D2Ms, false, 0) => Source::Samples(texture.desc.samples),
            (Shape::D3, false, 0) => Source::Volume,
            (Shape::D3 | Shape::D2Ms, ..) => {
                return Err(self.unsupported(format!("a copy of {:?} texels of {}", texture.format, view.texture)));
            }
            (_, true, _) => Source::Depth,
            (_, false, 0) => Source::Float,
            (_, false, 1) => Source::UInt,
            _ => Source::Int,
        };
        let (ty, slices) = match texture.shape() {
            Shape::D3 => (TextureType::D3, [0, 1]),
            Shape::D2Ms => (TextureType::D2Multisample, [layer, 1]),
            _ => (TextureType::D2, [layer, 1]),
        };
        let whole = texture.desc.levels == 1 && texture.desc.layers == 1;
        let is_plain = matches!(texture.shape(), Shape::D2 | Shape::D3 | Shape::D2Ms);
        let view = TextureView {
            format: texture.choice.pixel,
            ty,
            levels: [level, 1],
            slices,
            swizzle: texture.choice.channels,
        };
        let features = crate::device::format::features(self.device.facts(), texture.format);
        let plain = texture.choice.channels == crate::device::format::IDENTITY;
        Ok(CopySource {
            kind,
            texture: if whole && is_plain && plain {
                texture.raw.clone()
            } else {
                self.device.new_view(&texture.raw, &view)?
            },
            size: texture.extent(level),
            plane: layer,
            can_filter: features & FormatFeatures::LINEAR != 0 && !texture.format.is_depth(),
        })
    }

    /// Draws a copy into a level and layer (or plane, where `is_3d`) of a target, in a pass of its own.
    #[expect(clippy::too_many_arguments, reason = "two sides with a rectangle each, and how")]
    pub(crate) fn draw_copy(
        &mut self,
        own: Own,
        source: &CopySource<D>,
        from: &Rect,
        (target, level, layer, is_3d): (&D::Texture, u32, u32, bool),
        formats: &TargetFormats,
        to: &Rect,
        linear: bool,
        more: impl FnOnce(&mut Self) -> Result,
    ) -> Result {
        let pipeline = self.pipelines.own(&self.device, own, formats, [true; 4])?;
        let is_depth = formats.depth.is_some();
        let tests =
            DepthStencilDescriptor { compare: CompareFunction::Always, write: is_depth, front: None, back: None };
        let tests = self.pipelines.depth_stencil(&self.device, &tests)?;
        let filter = if linear && source.can_filter { Filter::Linear } else { Filter::Nearest } as u8;
        let clamp = Address::ClampToEdge as u8;
        let sampler = CreateSampler { mag: filter, min: filter, address: [clamp; 3], ..CreateSampler::zeroed() };
        let sampler = Sampler::new(&self.device, &sampler)?;
        self.end_pass();
        self.commands.end();
        let place = || Subresource::<D> {
            texture: target,
            level,
            slice: if is_3d { 0 } else { layer },
            depth_plane: if is_3d { layer } else { 0 },
        };
        let color = [Some(ColorAttachment {
            target: place(),
            resolve: None,
            load: LoadAction::Load,
            store: StoreAction::Store,
        })];
        let depth =
            DepthAttachment { target: place(), resolve: None, load: LoadAction::Load, store: StoreAction::Store };
        let stencil = StencilAttachment { target: place(), load: LoadAction::Load, store: StoreAction::Store };
        self.commands.queue.begin_render(&RenderPass {
            label: "copy",
            colors: if is_depth { &[] } else { &color },
            depth: is_depth.then_some(depth),
            stencil: formats.stencil().is_some().then_some(stencil),
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        self.commands.begun_render();
        let scale = [from.width as f32 / to.width as f32, from.height as f32 / to.height as f32];
        let [width, height, depth] = source.size.map(|edge| edge as f32);
        let data = Copy {
            scale,
            origin: [from.x as f32 - to.x as f32 * scale[0], from.y as f32 - to.y as f32 * scale[1]],
            inverse: [1.0 / width, 1.0 / height, (source.plane as f32 + 0.5) / depth],
            pad: 0.0,
        };
        let queue = &mut self.commands.queue;
        queue.set_render_pipeline(&pipeline);
        queue.set_depth_stencil(&tests);
        queue.set_cull_mode(CullMode::None);
        let edge = [to.x as f64 + f64::from(to.width), to.y as f64 + f64::from(to.height)];
        queue.set_viewport(Viewport { origin: [0.0; 2], size: edge, depth: [0.0, 1.0] });
        if let Some(rect) = clip(to, [u32::MAX; 2]) {
            queue.set_scissor(rect);
            queue.set_texture(Stage::Fragment, 0, &source.texture);
            if samples(source.kind) {
                queue.set_sampler(Stage::Fragment, 0, &sampler.raw);
            }
            queue.set_bytes(Stage::Fragment, 0, bytemuck::bytes_of(&data));
            more(self)?;
            let count = DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 };
            self.commands.queue.draw(PrimitiveType::Triangle, count);
        }
        self.commands.end();
        self.bound.recorded = Recorded::default();
        Ok(())
    }

    /// [`Blit`].
    pub(crate) fn blit(&mut self, body: &Blit) -> Result {
        let (src, dst) = (self.rooted(body.src), self.rooted(body.dst));
        if body.src_rect.is_empty() || body.dst_rect.is_empty() {
            return Ok(());
        }
        self.end_pass();
        self.make_part_live(src.texture, src.level.into(), src.layer.into())?;
        let textures = &self.resources.textures;
        let (Some(source), Some(target)) = (textures.get(src.texture), textures.get(dst.texture)) else {
            return Ok(());
        };
        let names =
            format!("a blit from {} ({:?}) to {} ({:?})", src.texture, source.format, dst.texture, target.format);
        let place = (dst.level.into(), dst.layer.into());
        let covers =
            Rect { x: 0, y: 0, width: target.extent(place.0)[0], height: target.extent(place.0)[1] } == body.dst_rect;
        let same_size = (body.src_rect.width, body.src_rect.height) == (body.dst_rect.width, body.dst_rect.height);
        let same_format = source.choice == target.choice;
        let (src_samples, dst_samples) = (source.desc.samples, target.desc.samples);
        if src.texture == dst.texture && (src.level, src.layer) == (dst.level, dst.layer) {
            return Err(self.unsupported(format!("{names} within one subresource")));
        }
        if dst_samples > 1 && src_samples != dst_samples {
            return Err(self.unsupported(format!("{names} with {src_samples} and {dst_samples} samples")));
        }
        let volume = target.is_3d();
        if !covers || volume {
            self.make_part_live(dst.texture, place.0, place.1)?;
        }
        let result = if same_size && same_format && src_samples == dst_samples {
            self.copy_one_to_one(src, dst, body);
            Ok(())
        } else if dst_samples > 1 {
            Err(self.unsupported(names))
        } else {
            self.blit_by_draw(src, dst, body, &names)
        };
        let current = self.commands.current();
        for (id, filled) in [(src.texture, false), (dst.texture, result.is_ok())] {
            if let Some(texture) = self.resources.textures.get_mut(id) {
                texture.last_used = current;
                if filled {
                    texture.filled(place.0, place.1);
                }
            }
        }
        result
    }

    fn copy_one_to_one(&mut self, src: View, dst: View, body: &Blit) {
        let region = |texture: &Texture<D>, view: View, rect: &Rect| {
            let (slice, z) = if texture.is_3d() { (0, view.layer.into()) } else { (view.layer.into(), 0) };
            let origin = [rect.x as u32, rect.y as u32, z];
            Region { slice, level: view.level.into(), origin, size: [rect.width, rect.height, 1] }
        };
        let textures = &self.resources.textures;
        let (Some(source), Some(target)) = (textures.get(src.texture), textures.get(dst.texture)) else { return };
        let from = region(source, src, &body.src_rect);
        let to = region(target, dst, &body.dst_rect);
        self.commands.blit().copy_texture(&source.raw, from, &target.raw, to);
    }

    /// Draws into the target, or into a texture like it that is copied to it, where it may not be drawn into.
    fn blit_by_draw(&mut self, src: View, dst: View, body: &Blit, names: &str) -> Result {
        let source = self.copy_source(src)?;
        let textures = &self.resources.textures;
        let Some(target) = textures.get(dst.texture) else { return Ok(()) };
        let is_depth = target.format.is_depth();
        let fits = match source.kind {
            Source::Float | Source::Volume | Source::Samples(_) => !is_depth && target.kind() == 0,
            Source::UInt => target.kind() == 1,
            Source::Int => target.kind() == 2,
            Source::Depth | Source::DepthSample => is_depth,
        };
        let features = crate::device::format::features(self.device.facts(), target.format);
        if !fits || features & (FormatFeatures::TARGET | FormatFeatures::DEPTH) == 0 {
            return Err(self.unsupported(names));
        }
        let loses_stencil = is_depth && target.choice.pixel.has_stencil();
        let mut formats = TargetFormats { samples: 1, ..TargetFormats::default() };
        if is_depth {
            formats.depth = Some(target.choice.pixel);
        } else {
            formats.colors[0] = Some(target.choice.pixel);
        }
        let linear = Filter::of(body.filter as u8) == Filter::Linear;
        let own = Own::Copy(source.kind);
        let (level, layer, is_3d) = (u32::from(dst.level), u32::from(dst.layer), target.is_3d());
        let (format, choice, raw) = (target.format, target.choice, target.raw.clone());
        if loses_stencil {
            self.warn_once("blits of stencil with another size, format or number of samples");
        }
        if self.can_be_target(dst.texture) {
            let place = (&raw, level, layer, is_3d);
            return self.draw_copy(own, &source, &body.src_rect, place, &formats, &body.dst_rect, linear, |_| Ok(()));
        }
        let like = CreateTexture {
            usage: CreateTexture::TARGET,
            ..CreateTexture::plain(dst.texture, format, [body.dst_rect.width, body.dst_rect.height])
        };
        let between = Texture::new(&self.device, &like)?;
        if between.choice != choice {
            return Err(self.unsupported(names));
        }
        let to = Rect { x: 0, y: 0, ..body.dst_rect };
        self.draw_copy(own, &source, &body.src_rect, (&between.raw, 0, 0, false), &formats, &to, linear, |_| Ok(()))?;
        let from = Region { slice: 0, level: 0, origin: [0; 3], size: [to.width, to.height, 1] };
        let (slice, z) = if is_3d { (0, layer) } else { (layer, 0) };
        let origin = [body.dst_rect.x as u32, body.dst_rect.y as u32, z];
        self.commands.blit().copy_texture(&between.raw, from, &raw, Region { slice, level, origin, ..from });
        Ok(())
    }

    /// [`GenerateMips`].
    pub(crate) fn generate_mips(&mut self, body: &GenerateMips) -> Result {
        let id = self.root(body.id);
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        let (levels, layers) = (texture.desc.levels, texture.desc.layers);
        if levels < 2 {
            return Ok(());
        }
        let features = crate::device::format::features(self.device.facts(), texture.format);
        if texture.format.info().block > 1 || texture.format.is_depth() || features & FormatFeatures::TARGET == 0 {
            return Err(self.unsupported(format!("mip generation of {id} ({:?})", texture.format)));
        }
        self.end_pass();
        if features & FormatFeatures::LINEAR != 0 && Filter::of(body.filter as u8) == Filter::Linear {
            for layer in 0..layers {
                self.make_part_live(id, 0, layer)?;
            }
            let current = self.commands.current();
            let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
            (0..levels).for_each(|level| (0..layers).for_each(|layer| texture.filled(level, layer)));
            texture.last_used = current;
            let raw = texture.raw.clone();
            self.commands.blit().generate_mipmaps(&raw);
            return Ok(());
        }
        if self.resources.textures.get(id).is_some_and(Texture::is_3d) {
            return Err(self.unsupported(format!("mip generation of the volume {id} without a filter")));
        }
        for layer in 0..layers as u16 {
            for level in 1..levels as u16 {
                let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
                let rect = |level: u16| {
                    let [width, height, _] = texture.extent(level.into());
                    Rect { x: 0, y: 0, width, height }
                };
                let view = |level: u16| View { texture: id, level, layer };
                let (src_rect, dst_rect) = (rect(level - 1), rect(level));
                let filter = Filter::Nearest as u32;
                self.blit(&Blit { src: view(level - 1), dst: view(level), src_rect, dst_rect, filter, pad: 0 })?;
            }
        }
        Ok(())
    }

    /// [`CopyToTexture`](afterimage_stream::packets::CopyToTexture), and the other way.
    pub(crate) fn copy_texture_bytes(&mut self, copy: &TextureCopy, to_texture: bool) -> Result {
        let view = self.rooted(View { texture: copy.texture, level: copy.level, layer: copy.layer });
        let id: ObjectId = view.texture;
        let (level, layer) = (u32::from(view.level), u32::from(view.layer));
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        let depth = texture.format.is_depth();
        if depth && (texture.choice.pixel.has_stencil() || texture.choice.pixel.bytes() != texture.format.info().bytes)
            || texture.format == afterimage_stream::Format::X8_D24_UNORM
            || texture.choice.expanded
        {
            return Err(self.unsupported(format!("copies between buffers and {:?}", texture.format)));
        }
        let whole = texture.extent(level) == [copy.width, copy.height, copy.depth];
        self.end_pass();
        if !(whole && to_texture) {
            self.make_part_live(id, level, layer)?;
        }
        let (version, current) = (self.next_version(), self.commands.current());
        let Some(texture) = self.resources.textures.get_mut(id) else { return Ok(()) };
        let Some(buffer) = self.resources.buffers.get_mut(copy.buffer) else { return Ok(()) };
        (texture.last_used, buffer.last_used) = (current, current);
        let region = Region {
            slice: if texture.is_3d() { 0 } else { layer },
            level,
            origin: [copy.x, copy.y, copy.z],
            size: [copy.width, copy.height, copy.depth],
        };
        let slice_pitch = if copy.depth > 1 { copy.slice_pitch } else { 0 };
        let layout = BufferLayout {
            offset: copy.offset,
            bytes_per_row: copy.row_pitch.into(),
            bytes_per_image: slice_pitch.into(),
        };
        let (texels, bytes, format) = (texture.raw.clone(), buffer.raw.clone(), texture.format);
        if to_texture {
            texture.filled(level, layer);
            self.commands.blit().copy_buffer_to_texture(&bytes, layout, &texels, region, Aspect::All);
            return Ok(());
        }
        (buffer.version, buffer.gpu_written) = (version, true);
        self.state.memory_changed(copy.buffer);
        let step = u64::from(self.device.facts().limits.buffer_copy_step.max(1));
        let aligned = |value: u64| value.is_multiple_of(step);
        if aligned(layout.offset) && aligned(layout.bytes_per_row) && aligned(layout.bytes_per_image) {
            self.commands.blit().copy_texture_to_buffer(&texels, region, Aspect::All, &bytes, layout);
            return Ok(());
        }
        // Rows lie at multiples of what Metal wants in between.
        let (row, rows) = (u64::from(format.row_bytes(copy.width)), u64::from(format.rows(copy.height)));
        let pitch = row.next_multiple_of(step);
        let between = self.readable_buffer(pitch * rows * u64::from(copy.depth), "texels")?;
        let layout = BufferLayout {
            offset: 0,
            bytes_per_row: pitch,
            bytes_per_image: if copy.depth > 1 { pitch * rows } else { 0 },
        };
        self.commands.blit().copy_texture_to_buffer(&texels, region, Aspect::All, &between, layout);
        for (z, y) in (0..u64::from(copy.depth)).flat_map(|z| (0..rows).map(move |y| (z, y))) {
            let to = copy.offset + z * u64::from(slice_pitch) + y * u64::from(copy.row_pitch);
            self.copy_bytes((&between, (z * rows + y) * pitch), (&bytes, to), row)?;
        }
        Ok(())
    }
}
