//! Applying host state: what each group of [`Group`] makes of it, and whether that is what was applied.
//!
//! Groups come in the order of [`Group`]: first those that choose (targets, shaders, keys), then those that record. What was
//! recorded is in [`Recorded`](crate::draw::Recorded); a group that comes to the same costs a comparison and no call of Vulkan's.

use crate::error::Result;
use crate::execute::dynamic::RASTER;
use crate::pipeline::prediction::Rest;
use crate::renderer::Renderer;
use crate::state::apply::{Applied, Stop, differs};
use afterimage_render::dynamic::PackedRaster;
use afterimage_state::{Apply, Effect, Tracker, apply_often, check_clean, checking};
use afterimage_stream::packets::Stage;
use afterimage_stream::{Group, Groups, Host};

/// A renderer that applies state for a command.
struct Applying<'a> {
    renderer: &'a mut Renderer,
    /// The command, where it is a draw.
    rest: Option<Rest<'a>>,
}

impl Apply<Host> for Applying<'_> {
    type Error = Stop;

    #[inline(always)]
    fn tracker(&mut self) -> &mut Tracker<Host> {
        &mut self.renderer.state.tracker
    }

    #[inline(always)]
    fn apply(&mut self, group: Group) -> Applied {
        let r = &mut *self.renderer;
        match group {
            Group::SmallDepth => Ok(r.apply_small_depth()),
            Group::Aside => Ok(r.apply_aside()),
            Group::Targets => r.apply_targets(),
            Group::Shapes => Ok(r.apply_shapes()),
            Group::PixelOps => Ok(r.apply_pixel_ops()),
            Group::Part => Ok(r.apply_part()),
            Group::Variants => r.apply_variants(self.rest),
            Group::Spec => Ok(r.apply_spec()),
            Group::Geometry => Ok(r.apply_geometry()),
            Group::VertexInput => Ok(r.apply_vertex_input()),
            Group::RasterKey => r.apply_raster_key(),
            Group::BlendKey => Ok(r.apply_blend_key()),
            Group::Drawable => {
                if r.is_drawable() {
                    Ok(Effect::Same)
                } else {
                    Err(Stop::Skip)
                }
            }
            Group::Readable => r.apply_readable(),
            Group::Layout => Ok(r.apply_layout()),
            Group::StorageImages => r.apply_storage_images(),
            Group::Pass => Ok(r.apply_pass()),
            Group::Pipeline => r.apply_pipeline(self.rest),
            Group::Topology => Ok(r.apply_topology()),
            Group::Viewport => Ok(r.apply_viewport()),
            Group::Scissor => Ok(r.apply_scissor()),
            Group::Raster => Ok(r.apply_raster()),
            Group::DepthStencil => Ok(r.apply_depth_stencil()),
            Group::Blend => Ok(r.apply_blend()),
            Group::VertexBuffers => Ok(r.apply_vertex_buffers()),
            Group::IndexBuffer => Ok(r.apply_index_buffer()),
            Group::Lines => Ok(r.apply_lines()),
            Group::VertexConstants => r.apply_constants(Stage::Vertex),
            Group::PixelConstants => r.apply_constants(Stage::Pixel),
            Group::SystemConstants => r.apply_system_constants(),
            Group::Textures => r.apply_textures(),
            Group::Push => Ok(r.apply_push()),
            Group::Counting => Ok(r.apply_counting()),
            Group::Feedback => Ok(r.apply_feedback()),
            Group::ComputeShader => r.apply_compute_shader(),
            Group::ComputeConstants => r.apply_compute_constants(),
            Group::ComputeTextures => r.apply_compute_textures(),
            Group::ComputeImages => r.apply_compute_images(),
        }
    }

    fn recompute(&mut self, group: Group) -> Option<String> {
        let r = &mut *self.renderer;
        match group {
            Group::SmallDepth => differs(&r.has_small_depth(), &r.bound.small_depth),
            Group::Aside => differs(&r.puts_depth_aside(), &r.bound.depth_aside),
            Group::Targets => {
                let targets = r.wanted_targets(false).ok()?;
                (!targets.is_like(&r.bound.targets)).then(|| format!("{targets:?} instead of {:?}", r.bound.targets))
            }
            Group::Shapes => r.shapes_differ(),
            Group::PixelOps => differs(&r.runtime_of_ops(), &r.bound.shading.runtime),
            Group::Part => differs(&r.part(), &r.bound.shading.runtime.pixel_ops.signed_part),
            Group::Variants => {
                let wanted = r.wanted_variants()?;
                differs(
                    &(wanted.vertex, wanted.pixel, wanted.geometry),
                    &(r.bound.key.vertex, r.bound.key.pixel, r.bound.key.geometry),
                )
            }
            Group::Spec => differs(&r.spec(), &r.bound.key.spec),
            Group::Geometry => differs(&r.geometry(), &r.bound.shading.takes),
            Group::VertexInput => {
                let input = r.wanted_input();
                differs(&input, &(r.bound.key.input, r.bound.input))
            }
            Group::RasterKey => {
                differs(&r.raster_key(), &(r.bound.key.raster, r.bound.key.sample_mask, r.bound.back_raster))
            }
            Group::BlendKey => differs(&r.blend_key(), &r.bound.key.blend),
            Group::Drawable => differs(&r.is_drawable(), &true),
            Group::Readable => r.unreadable(),
            Group::Layout => differs(&r.draw_layout().raw, &r.bound.recorded.layout),
            Group::StorageImages => match r.wanted_images().ok()? {
                Some(key) => differs(&Some(key), &r.bound.recorded.image_key),
                None => None,
            },
            Group::Pass => differs(
                &(true, r.stores() || r.recorder.order.pass_stores),
                &(r.bound.targets.open, r.recorder.order.pass_stores),
            ),
            Group::Pipeline => differs(&Some((r.bound.key, r.bound.back_raster)), &r.bound.recorded.key),
            Group::Topology => differs(&Some(*r.bound.topology), &r.bound.recorded.topology),
            Group::Viewport => {
                let further: Vec<_> = r.state.viewports.iter().map(|further| further.viewport).collect();
                let further = &further[..r.further_viewports()];
                let recorded = (r.bound.recorded.viewport, &r.bound.recorded.viewports[..]);
                differs(&(Some(*r.state.viewport), further), &recorded)
            }
            Group::Scissor => {
                let recorded = (r.bound.recorded.scissor, &r.bound.recorded.scissors[..]);
                differs(&(Some(r.scissor()), &r.further_scissors()[..]), &recorded)
            }
            Group::Raster => {
                let state = *r.state.raster.parts(RASTER);
                let raster = r.dynamic_raster(&state);
                differs(&Some(raster), &r.bound.recorded.raster.map(PackedRaster::get))
            }
            Group::DepthStencil => differs(
                &(Some(r.tests()), Some(*r.state.depth_bounds)),
                &(r.bound.recorded.tests, r.bound.recorded.depth_bounds),
            ),
            Group::Blend => {
                let blend = r.dynamic_blend();
                let calls = r.blend_calls(&blend);
                (calls != 0).then(|| format!("{blend:?} instead of {:?}", r.bound.recorded.blend))
            }
            Group::VertexBuffers => r.vertex_buffers_differ(),
            Group::IndexBuffer => differs(&r.wanted_indices(), &r.bound.recorded.indices),
            Group::Lines => r.lines_differ(),
            Group::VertexConstants => r.constants_differ(Stage::Vertex),
            Group::PixelConstants => r.constants_differ(Stage::Pixel),
            Group::SystemConstants => match r.needs_system() {
                true => differs(&Some(r.system_block()), &r.bound.recorded.system),
                false => None,
            },
            Group::Textures => r.textures_differ(),
            Group::Push => differs(&false, &r.push_is_pending()),
            Group::Counting => differs(&r.counts(), &r.transfers.queries.count()),
            Group::Feedback => r.feedback_differs(),
            Group::ComputeShader => r.compute_shader_differs(),
            Group::ComputeConstants => r.constants_differ(Stage::Compute),
            Group::ComputeTextures => r.compute_textures_differ(),
            Group::ComputeImages => r.compute_images_differ(),
        }
    }
}

impl Renderer {
    /// Applies what is dirty of a usage level. False where the command must be dropped.
    pub(crate) fn apply(&mut self, level: Groups, rest: Option<Rest<'_>>) -> Result<bool> {
        let mut applying = Applying { renderer: self, rest };
        let result = apply_often!(
            &mut applying,
            level,
            [Group::Aside, Group::Shapes, Group::Part, Group::BlendKey, Group::Readable],
            [Group::Raster, Group::DepthStencil, Group::Blend, Group::VertexBuffers],
            [Group::VertexConstants, Group::PixelConstants, Group::SystemConstants, Group::Textures, Group::Push]
        );
        if checking() {
            check_clean(&mut applying, level);
        }
        match result {
            Ok(()) => Ok(true),
            Err(Stop::Skip) => Ok(false),
            Err(Stop::Failed(error)) => Err(*error),
        }
    }

    /// Computes what is clean again behind a draw that applied nothing, in builds with debug assertions.
    #[inline]
    pub(crate) fn check_applied(&mut self, level: Groups) {
        if cfg!(debug_assertions) && checking() {
            check_clean(&mut Applying { renderer: self, rest: None }, level);
        }
    }
}
