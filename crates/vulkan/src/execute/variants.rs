//! What shaders and pipelines are chosen by: the state around shaders, their variants, the pipeline's key.

use crate::commands::list::Call;
use crate::pipeline::key::{Blend, Key, Spec, masks_of};
use crate::pipeline::prediction::Rest;
use crate::pipeline::raster;
use crate::pipeline::raster::Raster;
use crate::renderer::Renderer;
use crate::resources::layouts::Reach;
use crate::state::apply::{Applied, Stop};
use crate::state::variants::set_pixel_ops;
use afterimage_ir::InputPrimitive;
use afterimage_render::workers::Urgency;
use afterimage_shader::RuntimeInfo;
use afterimage_state::{Effect, trace};
use afterimage_stream::host::{BlendStates, RasterStates};
use afterimage_stream::packets::{Fill, LineMode, Topology};
use afterimage_stream::{FEEDBACK_BUFFERS, Group, Host};
use ash::vk;

/// Variants for the present state.
pub(crate) struct Wanted {
    pub(crate) vertex: u32,
    /// Or [`Key::NONE`].
    pub(crate) pixel: u32,
    /// Likewise.
    pub(crate) geometry: u32,
    /// Whether the pixel shader does alpha test and fog as it is told when it runs.
    generic: bool,
}

impl Renderer {
    /// State around shaders with the topology's and the pixel operations' parts.
    pub(crate) fn runtime_of_ops(&self) -> RuntimeInfo {
        let mut runtime = self.bound.shading.runtime;
        runtime.vertex_ops.point_size = u8::from(*self.bound.topology == Topology::PointList as u32);
        let rectangles = *self.bound.topology == Topology::RectList as u32 && !self.gpu.profile.geometry_shader;
        runtime.vertex_ops.rectangles = rectangles.into();
        set_pixel_ops(&mut runtime, &self.gpu.profile, &self.state.pixel_ops);
        runtime
    }

    /// [`Group::PixelOps`].
    pub(crate) fn apply_pixel_ops(&mut self) -> Effect {
        let runtime = self.runtime_of_ops();
        Effect::of(std::mem::replace(&mut self.bound.shading.runtime, runtime) != runtime)
    }

    /// The variants of the bound shaders for the state around them. `None` where one of them is no shader.
    pub(crate) fn wanted_variants(&mut self) -> Option<Wanted> {
        for group in [Group::Targets, Group::Shapes, Group::PixelOps, Group::Part] {
            trace::read_result::<Host>(group);
        }
        trace::read(Host::SHADER_OBJECTS.only());
        let bound = *self.state.shaders;
        let runtime = &mut self.bound.shading.runtime;
        let pixel = self.programs.shaders.get(bound.pixel).and_then(|guest| guest.shader.as_ref());
        let ops = runtime.pixel_ops;
        let generic = pixel.is_some_and(|pixel| pixel.wants_generic(ops.alpha_compare, ops.fog));
        runtime.pixel_ops.generic = generic.into();
        let vertex = self.programs.shaders.get_mut(bound.vertex).and_then(|guest| {
            runtime.link = guest.shader.as_ref().map(|shader| shader.link()).unwrap_or_default();
            if let Some(shader) = &guest.shader {
                self.programs.library.hand_on_clip_distances(shader, runtime);
            }
            self.programs.library.number(guest, runtime)
        });
        let pixel = match self.programs.shaders.get_mut(bound.pixel) {
            Some(shader) if !bound.pixel.is_none() => self.programs.library.number(shader, runtime)?,
            _ => Key::NONE,
        };
        let geometry = match self.programs.shaders.get_mut(bound.geometry) {
            Some(shader) if !bound.geometry.is_none() => self.programs.library.number(shader, runtime)?,
            _ => Key::NONE,
        };
        Some(Wanted { vertex: vertex?, pixel, geometry, generic })
    }

    /// [`Group::Variants`].
    pub(crate) fn apply_variants(&mut self, rest: Option<Rest<'_>>) -> Applied {
        // What textures are may be another for the draws to come.
        self.flush_draws();
        // Where draws are dropped, what there is stays: what reads it stays true to it.
        let Some(Wanted { vertex, pixel, geometry, generic }) = self.wanted_variants() else { return Err(Stop::Skip) };
        self.programs.generic_seen |= generic;
        if (self.bound.key.vertex, self.bound.key.pixel, self.bound.key.geometry) == (vertex, pixel, geometry) {
            return Ok(Effect::Same);
        }
        if !self.programs.library.is_ready(vertex) || (pixel != Key::NONE && !self.programs.library.is_ready(pixel)) {
            if let Some(rest) = rest {
                self.look_ahead(rest);
            }
            if self.options.skip_unready {
                return Err(Stop::Skip);
            }
        }
        let variants = (self.programs.library.variant(vertex), self.programs.library.variant(pixel));
        let (Some(of_vertex), true) = (variants.0, variants.1.is_some() || pixel == Key::NONE) else {
            return Err(Stop::Skip);
        };
        let of_geometry = match geometry {
            Key::NONE => None,
            number => Some(self.programs.library.variant(number).ok_or(Stop::Skip)?),
        };
        (self.bound.key.vertex, self.bound.key.pixel, self.bound.key.geometry) = (vertex, pixel, geometry);
        let shading = &mut self.bound.shading;
        (shading.vertex, shading.pixel, shading.geometry) = (Some(of_vertex), variants.1, of_geometry);
        shading.written = masks_of(shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs));
        shading.used = 0;
        shading.tables = 0;
        shading.kinds = 0;
        (shading.stores, shading.in_tables) = (false, false);
        let mut reach = Reach::PLAIN;
        for variant in shading.vertex.iter().chain(&shading.pixel).chain(&shading.geometry) {
            shading.used |= variant.textures;
            shading.tables |= variant.tables;
            shading.kinds |= variant.kinds;
            shading.stores |= variant.stores;
            shading.in_tables |= variant.in_tables != 0;
            reach = reach.with(variant.reach.tables(), variant.reach.images);
        }
        if shading.reach != reach {
            shading.reach = reach;
            // Where there is none, the pipeline cannot be made either.
            shading.layout = self.resources.descriptors.layouts.get(reach).ok();
        }
        Ok(Effect::Changed)
    }

    /// What a generic pixel module is specialised for.
    pub(crate) fn spec(&self) -> Spec {
        trace::read_result::<Host>(Group::Variants);
        trace::read_result::<Host>(Group::PixelOps);
        let specs = self.bound.shading.pixel.as_ref().map_or(0, |pixel| pixel.specs);
        let ops = &self.bound.shading.runtime.pixel_ops;
        if specs == 0 { Spec::DYNAMIC } else { Spec::new(specs, ops.alpha_compare, ops.fog) }
    }

    /// [`Group::Spec`].
    pub(crate) fn apply_spec(&mut self) -> Effect {
        let spec = self.spec();
        Effect::of(std::mem::replace(&mut self.bound.key.spec, spec) != spec)
    }

    /// What of rasterising is in the pipeline: its part of the key, the sample mask, and the part of the key of back faces where
    /// they are filled in another way, and how is in the pipeline.
    pub(crate) fn raster_key(&self) -> (Raster, u32, Option<Raster>) {
        let topology = Topology::of(*self.bound.topology as u8);
        let (profile, mut state) = (&self.gpu.profile, *self.state.raster.part(RasterStates::PRIMITIVES));
        if (self.feedback.is_native() || self.has_geometry()) && state.line_mode == LineMode::Quad as u8 {
            // The geometry shader that makes them would be what is captured from; and there is but one.
            state.line_mode = LineMode::Default as u8;
        }
        let state = &state;
        let class = raster::class(topology);
        let key = Raster::new(profile, state, self.logic_op(), class).of(profile, topology);
        let apart = class == raster::TRIANGLES
            && !profile.dynamic_state3.polygon_mode
            && raster::draws_faces_apart(profile, state)
            && !self.feedback.is_native();
        (key, Key::sample_mask(profile, state), apart.then(|| key.filled(profile, state.fill_back)))
    }

    /// What the guest's geometry shader takes, and whether the vertex shader before it captures; none where there is no such shader.
    pub(crate) fn geometry(&self) -> Option<(InputPrimitive, bool)> {
        trace::read_result::<Host>(Group::Variants);
        let takes = self.bound.shading.geometry.as_ref()?.geometry?.input;
        let captures =
            self.bound.shading.vertex.as_ref().is_some_and(|vertex| vertex.feedback_strides != [0; FEEDBACK_BUFFERS]);
        Some((takes, captures))
    }

    /// [`Group::Geometry`].
    pub(crate) fn apply_geometry(&mut self) -> Effect {
        let takes = self.geometry();
        Effect::of(std::mem::replace(&mut self.bound.shading.takes, takes) != takes)
    }

    /// Whether the guest has a geometry shader.
    fn has_geometry(&self) -> bool {
        trace::read_result::<Host>(Group::Geometry);
        self.bound.shading.takes.is_some()
    }

    /// Whether the geometry shader, if there is one, takes the primitives of the topology, and is what is captured from.
    pub(crate) fn geometry_fits(&self) -> bool {
        trace::read_result::<Host>(Group::Geometry);
        let Some((takes, captures)) = self.bound.shading.takes else { return true };
        let gives = match Topology::of(*self.bound.topology as u8) {
            Topology::PointList => Some(InputPrimitive::Points),
            Topology::LineList | Topology::LineStrip => Some(InputPrimitive::Lines),
            Topology::TriangleList | Topology::TriangleStrip | Topology::TriangleFan => Some(InputPrimitive::Triangles),
            Topology::LineListAdjacency | Topology::LineStripAdjacency => Some(InputPrimitive::LinesAdjacency),
            Topology::TriangleListAdjacency | Topology::TriangleStripAdjacency => {
                Some(InputPrimitive::TrianglesAdjacency)
            }
            Topology::RectList => None,
        };
        gives == Some(takes) && !captures
    }

    /// [`Group::RasterKey`].
    pub(crate) fn apply_raster_key(&mut self) -> Applied {
        if *self.bound.topology >= Topology::LineListAdjacency as u32 && !self.gpu.profile.adjacency {
            self.warn_once("adjacency", "primitives with adjacency (the device has no geometry shaders)");
            return Err(Stop::Skip);
        }
        if !self.geometry_fits() {
            self.warn_once(
                "geometry shaders",
                "draws of primitives that the geometry shader does not take, or that capture before it",
            );
            return Err(Stop::Skip);
        }
        let before = (self.bound.key.raster, self.bound.key.sample_mask, self.bound.back_raster);
        let after = self.raster_key();
        (self.bound.key.raster, self.bound.key.sample_mask, self.bound.back_raster) = after;
        self.warn_of_lacks();
        Ok(Effect::of(after != before))
    }

    /// Number of the blend state, where that is in the pipeline.
    pub(crate) fn blend_key(&mut self) -> u32 {
        if self.gpu.profile.dynamic_state3.blend {
            return 0;
        }
        trace::read_result::<Host>(Group::Variants);
        let state = self.blend();
        let mut part = Blend::new(&state, self.write_masks(&state));
        if !self.state.blend_targets.is_empty() {
            let outputs = self.bound.shading.pixel.as_ref().map_or(0, |pixel| pixel.outputs);
            part = part.with(&self.gpu.profile, &self.state.blend_targets, outputs);
        }
        self.programs.pipelines.blends.number(&part)
    }

    /// [`Group::BlendKey`].
    pub(crate) fn apply_blend_key(&mut self) -> Effect {
        let number = self.blend_key();
        Effect::of(std::mem::replace(&mut self.bound.key.blend, number) != number)
    }

    /// [`Group::Pipeline`]. Where only a specialised one is missing, the general one draws until it is there.
    pub(crate) fn apply_pipeline(&mut self, rest: Option<Rest<'_>>) -> Applied {
        for group in
            [Group::Targets, Group::Variants, Group::Spec, Group::VertexInput, Group::RasterKey, Group::BlendKey]
        {
            trace::read_result::<Host>(group);
        }
        self.commands();
        let wanted = Some((self.bound.key, self.bound.back_raster));
        if self.bound.recorded.key == wanted {
            return Ok(Effect::Same);
        }
        let pipeline = self.find_pipeline(self.bound.key, rest).ok_or(Stop::Skip)?;
        if let Some(raster) = self.bound.back_raster {
            self.bound.back_pipeline = self.find_pipeline(Key { raster, ..self.bound.key }, rest).ok_or(Stop::Skip)?;
        }
        self.bound.recorded.key = wanted;
        self.note_shaders();
        self.count_calls();
        if pipeline != self.bound.recorded.pipeline {
            (self.bound.recorded.pipeline, self.bound.recorded.merged) = (pipeline, None);
            self.stats.calls.made += 1;
            // It lives as long as the renderer.
            self.recorder.call(Call::Pipeline(pipeline));
        }
        Ok(Effect::Changed)
    }

    #[inline]
    fn find_pipeline(&mut self, key: Key, rest: Option<Rest<'_>>) -> Option<vk::Pipeline> {
        match self.programs.pipelines.get(&key) {
            Some(found) => found,
            None => self.new_pipeline(key, rest),
        }
    }

    #[cold]
    fn new_pipeline(&mut self, mut key: Key, rest: Option<Rest<'_>>) -> Option<vk::Pipeline> {
        if key.spec != Spec::DYNAMIC && !self.programs.pipelines.is_ready(&key) {
            self.programs.pipelines.prepare(&key, &self.programs.library, Urgency::Guess);
            key.spec = Spec::DYNAMIC;
            if let Some(found) = self.programs.pipelines.get(&key) {
                return found;
            }
        }
        let there = self.programs.pipelines.is_ready(&key)
            || self.programs.pipelines.parts_are_ready(&key, &self.programs.library);
        if !there {
            if let Some(rest) = rest {
                self.look_ahead(rest);
            }
            if self.options.skip_unready {
                self.programs.pipelines.prepare(&key, &self.programs.library, Urgency::Soon);
                return None;
            }
        }
        self.guess_generic();
        self.guess_followers(&key);
        self.programs.pipelines.wait(&key, &self.programs.library)
    }

    fn logic_op(&self) -> u8 {
        self.state.blend.part(BlendStates::LOGIC_OP).logic_op
    }

    /// Says once what the state asks for and the device does not have.
    fn warn_of_lacks(&mut self) {
        let (profile, state) = (&self.gpu.profile, self.state.raster.part(RasterStates::PRIMITIVES));
        let lines = state.line_mode == LineMode::Quad as u8 && !profile.geometry_shader;
        let smooth = state.line_mode == LineMode::Smooth as u8 && !profile.smooth_lines;
        let provoking = state.provoking != 0 && !profile.provoking_last;
        let logic = self.logic_op() != 0 && !profile.logic_op;
        let solid = [state.fill, state.fill_back].iter().all(|fill| *fill == Fill::Solid as u8) || profile.fill_modes;
        let points = *self.bound.topology == Topology::PointList as u32 && !profile.large_points;
        if !solid {
            self.warn_once("fill modes", "triangles as lines or points (the device only fills them)");
        }
        if points {
            self.warn_once("points", "points of more than a pixel (the device has none)");
        }
        if lines {
            self.warn_once("line mode", "lines as two triangles (the device has no geometry shaders)");
        }
        if smooth {
            self.warn_once("line mode", "smoothed lines (the device has none)");
        }
        if provoking {
            self.warn_once("provoking vertex", "flat colours of last vertices (the device takes the first ones')");
        }
        if logic {
            self.warn_once("logical operations", "draws with them (the device has none)");
        }
    }
}
