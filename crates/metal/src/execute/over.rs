//! Drawing a picture's figures over it.

use crate::error::Result;
use crate::pipeline::key::TargetFormats;
use crate::pipeline::own::Own;
use crate::renderer::Renderer;
use crate::state::bound::Recorded;
use afterimage_metal_calls::{
    BufferDescriptor, ColorAttachment, CompareFunction, CullMode, DepthStencilDescriptor, Device, DrawCount,
    LoadAction, PixelFormat, PrimitiveType, Queue, RenderPass, ScissorRect, Stage, StorageMode, StoreAction,
    Subresource, Viewport,
};
use afterimage_render::hud::{Rectangle, font};

impl<D: Device> Renderer<D> {
    /// The bits of the font, made when something is first drawn with them.
    fn font(&mut self) -> Result<D::Buffer> {
        if let Some(font) = &self.presenter.font {
            return Ok(font.clone());
        }
        let words = font::bits();
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        let (length, storage) = (bytes.len() as u64, StorageMode::Shared);
        let font = self.device.new_buffer(&BufferDescriptor { length, storage, label: "font".to_owned() })?;
        self.device.write(&font, 0, bytes)?;
        Ok(self.presenter.font.insert(font).clone())
    }

    /// Draws rectangles over a picture of a format with 8 bits a channel.
    pub(crate) fn draw_over(
        &mut self,
        picture: &D::Texture,
        format: PixelFormat,
        size: [u32; 2],
        rectangles: &[Rectangle],
    ) -> Result {
        if rectangles.is_empty() {
            return Ok(());
        }
        let mut formats = TargetFormats { samples: 1, ..TargetFormats::default() };
        formats.colors[0] = Some(format);
        let pipeline = self.pipelines.own(&self.device, Own::Glyphs, &formats, [true; 4])?;
        let tests = DepthStencilDescriptor { compare: CompareFunction::Always, write: false, front: None, back: None };
        let tests = self.pipelines.depth_stencil(&self.device, &tests)?;
        let font = self.font()?;
        let step = self.device.facts().limits.constant_offset_step.max(1);
        let data = self.put(bytemuck::cast_slice(rectangles), step.next_power_of_two().into())?;
        self.end_pass();
        self.commands.end();
        let target = Subresource::<D> { texture: picture, level: 0, slice: 0, depth_plane: 0 };
        let (load, store) = (LoadAction::Load, StoreAction::Store);
        self.commands.queue.begin_render(&RenderPass {
            label: "figures",
            colors: &[Some(ColorAttachment { target, resolve: None, load, store })],
            depth: None,
            stencil: None,
            layers: 0,
            without_attachments: None,
            visibility: None,
        });
        self.commands.begun_render();
        let [width, height] = size.map(f64::from);
        let scale = [2.0 / size[0] as f32, 2.0 / size[1] as f32, 0.0, 0.0];
        let queue = &mut self.commands.queue;
        queue.set_render_pipeline(&pipeline);
        queue.set_depth_stencil(&tests);
        queue.set_cull_mode(CullMode::None);
        queue.set_viewport(Viewport { origin: [0.0; 2], size: [width, height], depth: [0.0, 1.0] });
        queue.set_scissor(ScissorRect { origin: [0; 2], size });
        queue.set_bytes(Stage::Vertex, 0, bytemuck::bytes_of(&scale));
        queue.set_buffer(Stage::Vertex, 1, &data.buffer, data.offset);
        queue.set_buffer(Stage::Fragment, 1, &font, 0);
        let instances = rectangles.len() as u32;
        queue.draw(PrimitiveType::TriangleStrip, DrawCount { first: 0, count: 4, instances, base_instance: 0 });
        self.commands.end();
        self.bound.recorded = Recorded::default();
        Ok(())
    }
}
