//! Stages of pipelines before their draws: each is made for itself as soon as its shader is there, for the present state.
//!
//! What a pixel stage is translated for depends on what the vertex stage before it writes, but mostly it is the same for all of them
//! that feed it.

use crate::pipeline::raster;
use crate::pipeline::raster::Raster;
use crate::renderer::Renderer;
use crate::state::variants::set_pixel_ops;
use afterimage_render::workers::Urgency;
use afterimage_shader::{LinkInfo, RuntimeInfo, Shader, Stage, bound};
use afterimage_stream::ObjectId;
use afterimage_stream::packets::{Compare, Topology};
use std::sync::Arc;

impl Renderer {
    /// The stages of a shader that was just created, as far as they can be foreseen. Of one that is `known` the whole pipelines are on
    /// their way.
    pub(crate) fn prepare_stages(&mut self, created: ObjectId, shader: &Arc<Shader>, known: bool) {
        if !self.gpu.profile.pipeline_libraries {
            return;
        }
        if shader.stage() == Stage::Vertex && self.programs.partners.writes(shader.link()) {
            for pixel in self.programs.partners.undrawn() {
                self.prepare_pixel_stages(pixel, Some(shader.link()), true);
            }
        }
        match shader.stage() {
            Stage::Vertex if !known => self.prepare_vertex_stage(created, shader),
            Stage::Pixel if !known => self.prepare_pixel_stages(created, None, true),
            _ => {}
        }
    }

    /// The pixel stages with alpha test or fog of shaders that nothing was drawn with: the program has begun to use those.
    pub(crate) fn prepare_generic_stages(&mut self) {
        if self.gpu.profile.pipeline_libraries
            && self.programs.generic_seen
            && !std::mem::replace(&mut self.programs.generic_prepared, true)
        {
            for pixel in self.programs.partners.undrawn() {
                self.prepare_pixel_stages(pixel, None, false);
            }
        }
    }

    /// A vertex stage that draws triangles.
    fn prepare_vertex_stage(&mut self, vertex: ObjectId, shader: &Arc<Shader>) {
        let runtime = self.usual_runtime(shader.link());
        let number = self.programs.library.find(shader, vertex, &runtime);
        let (state, logic_op) = (&*self.state.raster, self.state.blend.logic_op);
        let raster = Raster::new(&self.gpu.profile, state, logic_op, raster::class(Topology::TriangleList));
        self.programs.pipelines.prepare_vertex(number, raster, &self.programs.library);
    }

    /// The stages of a pixel shader behind vertex shaders that write `link`, or else any that are known: without alpha test and fog if
    /// it is to be `plain` too, and with them in a program that has them.
    fn prepare_pixel_stages(&mut self, pixel: ObjectId, link: Option<LinkInfo>, plain: bool) {
        let shader = self.programs.shaders.get(pixel).and_then(|guest| guest.shader.as_ref());
        let Some(shader) = shader.filter(|shader| shader.stage() == Stage::Pixel).cloned() else { return };
        let mut links: Vec<_> = match link {
            Some(link) => vec![link],
            None => self.programs.partners.links().collect(),
        };
        links.retain(|link| shader.is_fed_by(link));
        if links.is_empty() && link.is_none() {
            links.push(shader.own_link());
        }
        let some = Compare::Greater as u8;
        let generic = self.programs.generic_seen && shader.wants_generic(some, 0);
        for link in links {
            let mut runtime = self.usual_runtime(link);
            let mut prepare = |compare, generic: bool, urgency| {
                runtime.pixel_ops.alpha_compare = compare;
                runtime.pixel_ops.fog = 0;
                runtime.pixel_ops.generic = generic.into();
                let number = self.programs.library.find(&shader, pixel, &runtime);
                self.programs.pipelines.prepare_pixel(number, &self.programs.library, urgency);
            };
            if plain {
                prepare(Compare::Always as u8, false, Urgency::Part);
            }
            if generic {
                // Fewer draws have these.
                prepare(some, true, Urgency::Likely);
            }
        }
    }

    /// The present state around shaders, for triangles.
    fn usual_runtime(&self, link: LinkInfo) -> RuntimeInfo {
        let mut runtime = RuntimeInfo { link, ..self.bound.shading.runtime };
        runtime.vertex_ops.point_size = 0;
        // What is bound while a shader is created is seldom what it will look up.
        runtime.textures.iter_mut().for_each(|texture| *texture &= !bound::KIND);
        set_pixel_ops(&mut runtime, &self.gpu.profile, &self.state.pixel_ops);
        runtime
    }
}
