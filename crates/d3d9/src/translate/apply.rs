//! How each group is applied, and what is compared where it is computed again.

use crate::driver::Device;
use crate::error::{Error, Result};
use crate::machine::{DeviceState, DeviceTracker, Group};
use afterimage_state::{Apply, Effect};
use std::fmt::Debug;

/// Functions that send a group's packet where the receiver has another: then true. Each has its packet built in itself, so that
/// it is compared in registers.
macro_rules! packets {
    ($($apply:ident: $sent:ident = $packet:ident;)*) => {
        impl Device {
            $(
                #[inline(never)]
                pub(super) fn $apply(&mut self) -> bool {
                    let packet = self.$packet();
                    self.port.put(&mut self.host.sent.$sent, packet)
                }
            )*
        }
    };
}

packets! {
    apply_viewport: viewport = viewport_packet;
    apply_scissor: scissor = scissor_packet;
    apply_raster: raster = raster;
    apply_depth_stencil: depth_stencil = depth_stencil_packet;
    apply_pixel_ops: pixel_ops = pixel_ops;
    apply_shaders: shaders = shaders;
    apply_index_buffer: index_buffer = index_buffer;
}

/// What should have been sent instead of what was.
fn differs<P: PartialEq + Debug>(sent: &Option<P>, wanted: Option<P>) -> Option<String> {
    (*sent != wanted).then(|| format!("{wanted:?} instead of {sent:?}"))
}

impl Apply<DeviceState> for Device {
    type Error = Error;

    #[inline]
    fn tracker(&mut self) -> &mut DeviceTracker {
        &mut self.registers.tracker
    }

    #[inline(always)]
    fn apply(&mut self, group: Group) -> Result<Effect> {
        Ok(Effect::of(match group {
            Group::RenderTargets => self.apply_render_targets(),
            Group::Viewport => self.apply_viewport(),
            Group::Scissor => self.apply_scissor(),
            Group::Raster => self.apply_raster(),
            Group::DepthStencil => self.apply_depth_stencil(),
            Group::Blend => self.apply_blend(),
            Group::VertexShader => return self.apply_vertex_shader(),
            Group::PixelShader => return self.apply_pixel_shader(),
            Group::PixelOps => self.apply_pixel_ops(),
            Group::ClipPlanes => self.apply_clip_planes(),
            Group::Shaders => self.apply_shaders(),
            Group::VertexInput => self.apply_vertex_input()?,
            Group::VertexBuffers => self.apply_vertex_buffers(),
            Group::IndexBuffer => self.apply_index_buffer(),
            Group::Textures => self.apply_textures()?,
            Group::VertexConstants => return Ok(self.apply_vertex_constants()),
            Group::PixelConstants => return Ok(self.apply_pixel_constants()),
            Group::FixedMatrices
            | Group::FixedWorlds
            | Group::FixedViewport
            | Group::FixedLights
            | Group::FixedTextureMatrices
            | Group::FixedMaterial
            | Group::FixedParameters => return Ok(self.apply_fixed_vertex(group)),
            Group::FixedVertexConstants => return Ok(self.apply_fixed_vertex_constants()),
            Group::FixedPixelConstants => return Ok(self.apply_fixed_pixel_constants()),
        }))
    }

    fn recompute(&mut self, group: Group) -> Option<String> {
        let sent = &self.host.sent;
        match group {
            Group::RenderTargets => differs(&sent.targets, Some(self.render_targets())),
            Group::Viewport => differs(&sent.viewport, Some(self.viewport_packet())),
            Group::Scissor => differs(&sent.scissor, Some(self.scissor_packet())),
            Group::Raster => differs(&sent.raster, Some(self.raster())),
            Group::DepthStencil => differs(&sent.depth_stencil, Some(self.depth_stencil_packet())),
            Group::Blend => differs(&sent.blend, Some(self.blend())),
            Group::VertexShader => self.stale_vertex_shader(),
            Group::PixelShader => self.stale_pixel_shader(),
            Group::PixelOps => differs(&sent.pixel_ops, Some(self.pixel_ops())),
            Group::ClipPlanes => {
                let other = self.clip_planes().find(|(index, bits)| self.host.clip_planes[*index] != Some(*bits));
                other.map(|(index, bits)| format!("clip plane {index} is {:?}", bits.map(f32::from_bits)))
            }
            Group::Shaders => differs(&sent.shaders, Some(self.shaders())),
            Group::VertexInput => differs(&sent.vertex_input, self.vertex_input()),
            Group::VertexBuffers => self.stale_stream(),
            Group::IndexBuffer => differs(&sent.index_buffer, Some(self.index_buffer())),
            Group::Textures => self.stale_texture(),
            Group::VertexConstants => self.stale_vertex_constants(),
            Group::PixelConstants => self.stale_pixel_constants(),
            Group::FixedMatrices
            | Group::FixedWorlds
            | Group::FixedViewport
            | Group::FixedLights
            | Group::FixedTextureMatrices
            | Group::FixedMaterial
            | Group::FixedParameters => self.stale_fixed_vertex(group),
            Group::FixedVertexConstants => self.stale_fixed_vertex_constants(),
            Group::FixedPixelConstants => self.stale_fixed_pixel_constants(),
        }
    }
}
