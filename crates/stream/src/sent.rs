//! What a guest remembers of what it has sent, so that nothing is sent twice.

use crate::packets::*;
use crate::{ObjectKind, TEXTURE_SLOTS, VERTEX_BUFFERS};

/// The state that the receiver has; `None` where that is not known. Bindings of a new receiver are known: there are none.
#[derive(Debug)]
pub struct Sent {
    /// Colour and depth-stencil targets.
    pub targets: Option<SetRenderTargets>,
    /// The viewport.
    pub viewport: Option<SetViewport>,
    /// The scissor rectangle.
    pub scissor: Option<SetScissor>,
    /// Viewports beside the first.
    pub viewports: Option<Vec<FurtherViewport>>,
    /// Depth bounds.
    pub depth_bounds: Option<SetDepthBounds>,
    /// The rasteriser.
    pub raster: Option<SetRaster>,
    /// Depth and stencil tests.
    pub depth_stencil: Option<SetDepthStencil>,
    /// Blending and write masks.
    pub blend: Option<SetBlend>,
    /// What is done to a pixel shader's result.
    pub pixel_ops: Option<SetPixelOps>,
    /// Both shaders.
    pub shaders: Option<SetShaders>,
    /// The vertex input layout.
    pub vertex_input: Option<SetVertexInput>,
    /// The index buffer.
    pub index_buffer: Option<SetIndexBuffer>,
    /// Vertex buffers, by slot.
    pub vertex_buffers: [VertexBuffer; VERTEX_BUFFERS],
    /// Textures and samplers, by slot.
    pub textures: [TextureBinding; TEXTURE_SLOTS],
    /// The frame that the uploads among the bindings are of.
    frame: u64,
}

impl Sent {
    /// Forgets bindings to uploads of other frames than this: those are gone, though new ones may have their names.
    pub fn uploads_are_of(&mut self, frame: u64) {
        if std::mem::replace(&mut self.frame, frame) == frame {
            return;
        }
        for binding in &mut self.vertex_buffers {
            if binding.source.kind() == Some(ObjectKind::Upload) {
                binding.size = u64::MAX;
            }
        }
        self.index_buffer.take_if(|binding| binding.source.kind() == Some(ObjectKind::Upload));
    }
}

impl Default for Sent {
    fn default() -> Self {
        Self {
            targets: None,
            viewport: None,
            scissor: None,
            viewports: None,
            depth_bounds: None,
            raster: None,
            depth_stencil: None,
            blend: None,
            pixel_ops: None,
            shaders: None,
            vertex_input: None,
            index_buffer: Some(SetIndexBuffer::default()),
            vertex_buffers: [VertexBuffer::default(); VERTEX_BUFFERS],
            textures: [TextureBinding::default(); TEXTURE_SLOTS],
            frame: 0,
        }
    }
}
