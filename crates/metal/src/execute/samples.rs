//! Updates of multisampled textures. Metal copies no samples from memory: these come into layers of another texture, from where a draw that
//! runs for each sample writes them.

use crate::error::Result;
use crate::execute::upload::packed_texels;
use crate::pipeline::key::TargetFormats;
use crate::pipeline::own::{Layers, Own};
use crate::renderer::Renderer;
use crate::state::bound::Recorded;
use crate::state::targets::clip;
use crate::transfer::depth;
use crate::transfer::expand::expand;
use afterimage_metal_calls::{
    Aspect, BufferLayout, ColorAttachment, CompareFunction, CullMode, DepthAttachment, DepthStencilDescriptor, Device,
    DrawCount, LoadAction, PixelFormat, PrimitiveType, Queue, Region, RenderPass, Stage, StencilAttachment,
    StencilDescriptor, StencilOperation, StorageMode, StoreAction, Subresource, TextureDescriptor, TextureType,
    TextureUsage, Viewport,
};
use afterimage_stream::Arena;
use afterimage_stream::packets::{Rect, UpdateTexture, View};

/// What stencil of layers replaces: all of what is there.
pub(super) const REPLACE: StencilDescriptor = StencilDescriptor {
    compare: CompareFunction::Always,
    fail: StencilOperation::Keep,
    depth_fail: StencilOperation::Keep,
    pass: StencilOperation::Replace,
    read_mask: 0xff,
    write_mask: 0xff,
};

impl<D: Device> Renderer<D> {
    /// Layers with these texels, rows of `pitch` bytes packed.
    fn layers(&mut self, format: PixelFormat, body: &UpdateTexture, texels: &[u8], pitch: u64) -> Result<D::Texture> {
        let layers = self.device.new_texture(&TextureDescriptor {
            ty: TextureType::D2Array,
            format,
            size: [body.width, body.height, 1],
            levels: 1,
            samples: 1,
            layers: body.depth,
            usage: TextureUsage { read: true, ..TextureUsage::default() },
            storage: StorageMode::Private,
            label: "samples".to_owned(),
        })?;
        let source = self.put(texels, 256)?;
        for slice in 0..body.depth {
            let offset = source.offset + u64::from(slice) * pitch * u64::from(body.height);
            let layout = BufferLayout { offset, bytes_per_row: pitch, bytes_per_image: 0 };
            let region = Region { slice, level: 0, origin: [0; 3], size: [body.width, body.height, 1] };
            self.commands.blit().copy_buffer_to_texture(&source.buffer, layout, &layers, region, Aspect::All);
        }
        Ok(layers)
    }

    /// [`UpdateTexture`] of a texture with samples, which its depth counts.
    pub(crate) fn update_samples(&mut self, place: View, body: &UpdateTexture, arena: &dyn Arena) -> Result {
        let (id, layer) = (place.texture, u32::from(place.layer));
        let Some(texture) = self.resources.textures.get(id) else { return Ok(()) };
        if !self.can_be_target(id) {
            return Err(self.unsupported(format!("updates of the samples of {id}, which is no target")));
        }
        let Some(texture) = self.resources.textures.get(id).filter(|_| texture.desc.samples > 1) else { return Ok(()) };
        let (format, raw, pixel, kind) = (texture.format, texture.raw.clone(), texture.choice.pixel, texture.kind());
        let (expanded, samples) = (texture.choice.expanded, texture.desc.samples);
        let extent = texture.extent(0);
        self.limit_outstanding()?;
        self.end_pass();
        if extent[..2] != [body.width, body.height] {
            self.make_part_live(id, 0, layer)?;
        }
        let texels = packed_texels(body, format, arena);
        let width = u64::from(body.width);
        let mut formats = TargetFormats { samples, ..TargetFormats::default() };
        let (own, sources) = if format.is_depth() {
            let (depths, stencils) = depth::split(format, &texels);
            let (of, bytes) = match pixel {
                PixelFormat::Depth16Unorm => (PixelFormat::R16Unorm, 2),
                _ => (PixelFormat::R32Float, 4),
            };
            let mut sources = vec![self.layers(of, body, &depths, width * bytes)?];
            if pixel.has_stencil() {
                sources.push(self.layers(PixelFormat::R8Uint, body, &stencils, width)?);
            }
            formats.depth = Some(pixel);
            (Own::Samples(Layers::Depth(pixel.has_stencil())), sources)
        } else {
            formats.colors[0] = Some(pixel);
            let texels = if expanded { expand(format, &texels) } else { texels };
            let source = self.layers(pixel, body, &texels, width * u64::from(pixel.bytes()))?;
            (Own::Samples(Layers::Color(kind)), vec![source])
        };
        let pipeline = self.pipelines.own(&self.device, own, &formats, [true; 4])?;
        let stencil = formats.stencil().map(|_| REPLACE);
        let tests = DepthStencilDescriptor {
            compare: CompareFunction::Always,
            write: formats.depth.is_some(),
            front: stencil,
            back: stencil,
        };
        let tests = self.pipelines.depth_stencil(&self.device, &tests)?;
        self.commands.end();
        let place = || Subresource::<D> { texture: &raw, level: 0, slice: layer, depth_plane: 0 };
        let (load, store) = (LoadAction::Load, StoreAction::Store);
        let color = [Some(ColorAttachment { target: place(), resolve: None, load: LoadAction::Load, store })];
        let is_depth = formats.depth.is_some();
        let stencil = StencilAttachment { target: place(), load: LoadAction::Load, store };
        self.commands.queue.begin_render(&RenderPass {
            label: "samples",
            colors: if is_depth { &[] } else { &color },
            depth: is_depth.then(|| DepthAttachment { target: place(), resolve: None, load, store }),
            stencil: formats.stencil().is_some().then_some(stencil),
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        self.commands.begun_render();
        let queue = &mut self.commands.queue;
        queue.set_render_pipeline(&pipeline);
        queue.set_depth_stencil(&tests);
        queue.set_cull_mode(CullMode::None);
        let size = [extent[0].into(), extent[1].into()];
        queue.set_viewport(Viewport { origin: [0.0; 2], size, depth: [0.0, 1.0] });
        let to = Rect { x: body.x as i32, y: body.y as i32, width: body.width, height: body.height };
        if let Some(rect) = clip(&to, [extent[0], extent[1]]) {
            queue.set_scissor(rect);
            for (index, source) in (0..).zip(&sources) {
                queue.set_texture(Stage::Fragment, index, source);
            }
            queue.set_bytes(Stage::Fragment, 0, bytemuck::bytes_of(&[body.x as f32, body.y as f32, 0.0, 0.0]));
            queue.draw(PrimitiveType::Triangle, DrawCount { first: 0, count: 3, instances: 1, base_instance: 0 });
        }
        self.commands.end();
        self.bound.recorded = Recorded::default();
        let current = self.commands.current();
        if let Some(texture) = self.resources.textures.get_mut(id) {
            texture.filled(0, layer);
            texture.last_used = current;
        }
        Ok(())
    }
}
