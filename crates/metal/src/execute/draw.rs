//! Draws: what they need is made ready, bound where the encoder has something else, and drawn.

use crate::error::Result;
use crate::execute::indices::{Indexed, Told};
use crate::execute::variants::{Wanted, draws_in_parts};
use crate::pipeline::key::{Blend, Key, Topology as Class, blends};
use crate::renderer::Renderer;
use crate::state::bound::{Fills, Prepared, Recent};
use afterimage_abi::metal;
use afterimage_metal_calls::{Device, DrawCount, Indices, PrimitiveType, Queue, Stage};
use afterimage_stream::host::level;
use afterimage_stream::packets::{BlendFactor, BlendOp, Cull, Draw, DrawIndexed, Fill, LogicOp, SetBlend, Topology};
use afterimage_stream::{Group, Groups};

/// Vertices that one draw may have over all instances: more than any program draws, less than hangs a GPU.
pub(crate) const MOST_VERTICES: u64 = 1 << 24;

/// What only changes what is set, or read, and nothing that pipelines are chosen by.
const SETTING: Groups = groups(&[
    Group::Viewport,
    Group::Scissor,
    Group::Raster,
    Group::DepthStencil,
    Group::Blend,
    Group::Topology,
    Group::VertexBuffers,
    Group::IndexBuffer,
    Group::Lines,
    Group::VertexConstants,
    Group::PixelConstants,
    Group::SystemConstants,
    Group::Push,
    Group::Counting,
    Group::Feedback,
]);
/// What pipelines are chosen by, and what must be ready before a pass.
const CHOOSING: Groups = level::DRAW.except(SETTING);
/// What targets come of.
const TARGETS: Groups = groups(&[Group::SmallDepth, Group::Aside, Group::Targets]);
/// What is bound for shaders to sample.
pub(crate) const TEXTURES: Groups = groups(&[Group::Shapes, Group::Readable, Group::Textures]);
/// What pipelines have of blending.
pub(crate) const BLENDING: Groups = groups(&[Group::Part, Group::BlendKey, Group::Blend]);
/// What no other state of encoders comes of.
const BOUND: Groups = groups(&[
    Group::Readable,
    Group::Textures,
    Group::Topology,
    Group::VertexBuffers,
    Group::IndexBuffer,
    Group::Push,
    Group::Counting,
]);
/// Blocks of constants.
pub(crate) const CONSTANTS: Groups =
    groups(&[Group::VertexConstants, Group::PixelConstants, Group::SystemConstants, Group::Shapes, Group::PixelOps]);

pub(crate) const fn groups(groups: &[Group]) -> Groups {
    let (mut bits, mut at) = (0, 0);
    while at < groups.len() {
        bits |= 1 << groups[at] as u8;
        at += 1;
    }
    Groups::of_bits(bits)
}

/// A draw, indexed or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) topology: Topology,
    pub(crate) indexed: bool,
    /// First vertex or index.
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) base_vertex: i32,
    pub(crate) instances: u32,
    pub(crate) first_instance: u32,
}

/// Topologies whose primitives are triangles.
pub(crate) fn has_faces(topology: Topology) -> bool {
    match topology {
        Topology::TriangleList
        | Topology::TriangleStrip
        | Topology::TriangleFan
        | Topology::TriangleListAdjacency
        | Topology::TriangleStripAdjacency => true,
        Topology::PointList
        | Topology::LineList
        | Topology::LineStrip
        | Topology::LineListAdjacency
        | Topology::LineStripAdjacency
        | Topology::RectList => false,
    }
}

/// The blend state that draws a part of the fragments: see [`afterimage_shader::PixelOps::signed_part`].
fn blend_of_part(blend: &SetBlend, part: u8) -> SetBlend {
    let add = match (part, BlendOp::of(blend.color_op)) {
        (1, BlendOp::SignedAdd) | (2, BlendOp::SignedReverseSubtract) => true,
        (1 | 2, _) => false,
        _ => return *blend,
    };
    let op = if add { BlendOp::Add } else { BlendOp::ReverseSubtract } as u8;
    let one = BlendFactor::One as u8;
    SetBlend { src_color: one, dst_color: one, color_op: op, src_alpha: one, dst_alpha: one, alpha_op: op, ..*blend }
}

impl<D: Device> Renderer<D> {
    /// [`Draw`].
    #[inline(always)]
    pub(crate) fn draw(&mut self, body: &Draw) {
        let Draw { topology, first, count, instances, first_instance, .. } = *body;
        let topology = Topology::of(topology as u8);
        self.draw_call(&Call { topology, indexed: false, first, count, base_vertex: 0, instances, first_instance });
    }

    /// [`DrawIndexed`].
    #[inline(always)]
    pub(crate) fn draw_indexed(&mut self, body: &DrawIndexed) {
        let DrawIndexed { topology, first, count, base_vertex, instances, first_instance } = *body;
        let topology = Topology::of(topology as u8);
        self.draw_call(&Call { topology, indexed: true, first, count, base_vertex, instances, first_instance });
    }

    /// Draws, in as many parts as it takes.
    #[inline(always)]
    pub(crate) fn draw_call(&mut self, call: &Call) {
        self.draws += 1;
        self.commands.works.draw();
        if !self.draw_again(call) {
            self.draw_anew(call);
        }
    }

    /// Draws what is not as the last draw was.
    #[inline(never)]
    fn draw_anew(&mut self, call: &Call) {
        self.bound.recorded.plain = None;
        if self.applies_everything {
            self.forget();
        }
        if let Err(error) = self.limit_outstanding() {
            self.lose(error);
            return;
        }
        let parts = draws_in_parts(&self.state.blend) && self.state.blend_targets.is_empty();
        let mut drawn = true;
        let only_captured = self.is_only_captured() && !self.stores_in_vertices();
        for part in if only_captured {
            0..0
        } else if parts {
            1..3
        } else {
            0..1
        } {
            if std::mem::replace(&mut self.bound.part, part) != part {
                self.prepared = None;
            }
            // The second part is tested against the same as the first, and leaves what the draw leaves.
            self.bound.draws_count = part != 1;
            drawn &= self.draw_part(call).unwrap_or_else(|error| self.draw_failed(error));
        }
        self.bound.draws_count = true;
        if self.feedback.running.is_some()
            && let Err(error) = self.capture(call)
        {
            drawn = self.draw_failed(error);
        }
        self.skipped_draws += u64::from(!drawn);
    }

    /// Whether the shaders of a draw write memory or images.
    fn stores(&self, prepared: &Prepared) -> bool {
        let stores = |number: u32| {
            self.library
                .variant(number)
                .is_some_and(|variant| variant.reaches[1] || variant.images.iter().any(|image| image.access[1]))
        };
        stores(prepared.vertex) || prepared.pixel.is_some_and(stores)
    }

    /// A draw, or its capture, could not be made.
    #[cold]
    fn draw_failed(&mut self, error: crate::Error) -> bool {
        tracing::error!("a draw: {error}");
        if matches!(error, crate::Error::DeviceLost(_) | crate::Error::Hung(..)) {
            self.lose(error);
        }
        false
    }

    /// How triangles are filled.
    pub(crate) fn fills(&self, topology: Topology) -> Fills {
        let raster = &*self.state.raster;
        let [front, back] = [Fill::of(raster.fill), Fill::of(raster.fill_back)];
        match Cull::of(raster.cull) {
            _ if !has_faces(topology) => Fills::Same(Fill::Solid),
            Cull::Front => Fills::Same(back),
            Cull::None if front != back => Fills::Apart(front, back),
            _ => Fills::Same(front),
        }
    }

    /// Draws. False where it was dropped.
    fn draw_part(&mut self, call: &Call) -> Result<bool> {
        let topology = self.emitted_topology().unwrap_or(call.topology);
        match self.fills(topology) {
            // Points are another pipeline.
            Fills::Apart(front, back) if [front, back].contains(&Fill::Point) => {
                let drawn = self.draw_faces(call, Fills::One(Cull::Back, front))?;
                Ok(self.draw_faces(call, Fills::One(Cull::Front, back))? && drawn)
            }
            fills => self.draw_faces(call, fills),
        }
    }

    fn draw_faces(&mut self, call: &Call, fills: Fills) -> Result<bool> {
        let corners = matches!(fills, Fills::Same(Fill::Point) | Fills::One(_, Fill::Point));
        if corners && (self.state.raster.cull != 0 || matches!(fills, Fills::One(..))) {
            self.warn_once("corners of one face alone");
        }
        if !self.state.shaders.geometry.is_none() {
            return self.draw_emitted(call, None, fills, corners);
        }
        if let Some(made) = self.made(call) {
            return self.draw_emitted(call, Some(made), fills, corners);
        }
        let points = call.topology == Topology::PointList || corners;
        let class = match call.topology {
            _ if points => Class::Point,
            Topology::LineList | Topology::LineStrip | Topology::LineListAdjacency | Topology::LineStripAdjacency => {
                Class::Line
            }
            Topology::RectList if !call.indexed => Class::Rect,
            topology if has_faces(topology) => Class::Triangle,
            _ => {
                self.warn_once("indexed lists of rectangles, whose draws are skipped: they");
                return Ok(false);
            }
        };
        let changed = self.state.tracker.take();
        self.bound.dirty.merge(changed);
        // What a draw finds of the targets that it reads is another thing each time.
        let kept = self.prepared.take().filter(|prepared| prepared.key.topology == class && !self.reads_targets());
        let kept = match kept {
            Some(prepared) => self.still_prepared(prepared)?,
            None => None,
        };
        let mut prepared = match kept {
            Some(prepared) => prepared,
            None => match self.prepare(class, None)? {
                Some(prepared) => prepared,
                None => return Ok(false),
            },
        };
        if self.bound.dirty.contains(Group::VertexBuffers) {
            let inputs = self.library.variant(prepared.vertex).map_or(0, |variant| variant.inputs);
            let input = self.wanted_input(inputs);
            if input != prepared.input {
                (prepared.input, prepared.layout) = (input, None);
            }
        }
        let drawn = self.draw_prepared(call, fills, points, &mut prepared);
        self.prepared = Some(prepared);
        drawn
    }

    /// What the last draw was prepared for, with other textures and blending if nothing else has changed.
    fn still_prepared(&mut self, mut prepared: Box<Prepared>) -> Result<Option<Box<Prepared>>> {
        let dirty = self.bound.dirty.intersect(CHOOSING);
        if !dirty.except(TEXTURES).except(BLENDING).is_empty() || dirty.touches(TEXTURES) && !self.keeps_shapes() {
            return Ok(None);
        }
        if dirty.touches(TEXTURES) {
            self.ready_textures(prepared.vertex, prepared.pixel)?;
            if !self.has_halves() {
                // Nothing else of textures is in a block of constants.
                self.bound.dirty = self.bound.dirty.without(Group::Shapes);
            }
        }
        if dirty.touches(BLENDING) {
            let outputs =
                prepared.pixel.and_then(|number| self.library.variant(number)).map_or(0, |pixel| pixel.outputs);
            let blends = self.wanted_blends(outputs);
            if blends != prepared.key.blends {
                (prepared.key.blends, prepared.pipeline) = (blends, None);
            }
        }
        Ok(Some(prepared))
    }

    fn wanted_blends(&self, outputs: u32) -> [Blend; 8] {
        let blend = blend_of_part(&self.state.blend, self.bound.part);
        blends(&blend, &self.state.blend_targets, outputs, self.bound.targets.blendable)
    }

    /// Chooses targets, shaders and all that pipelines are chosen by; readies textures. `None` where the draw must be dropped. `reader` is
    /// the number of the variant that stands in for the vertex shader, if one does.
    pub(crate) fn prepare(&mut self, class: Class, reader: Option<u32>) -> Result<Option<Box<Prepared>>> {
        if self.bound.dirty.touches(TARGETS) {
            self.apply_targets()?;
        }
        let raster = *self.state.raster;
        let discard = raster.discard != 0;
        let visible = !self.bound.targets.is_empty() && self.has_viewport();
        if !visible && !discard {
            return Ok(None);
        }
        let samples = u32::from(self.bound.targets.formats.samples.max(1));
        let all = (1u32 << samples.min(31)) - 1;
        if raster.sample_mask & all == 0 && !discard {
            return Ok(None);
        }
        let sample_mask = if raster.sample_mask & all == all { u16::MAX } else { (raster.sample_mask & all) as u16 };
        let mut logic = LogicOp::of(self.state.blend.logic_op);
        if logic != LogicOp::Off && !self.device.facts().family.is_apple() {
            self.warn_once("logical operations");
            logic = LogicOp::Off;
        }
        if class == Class::Line && self.has_wide_lines() {
            self.warn_once("lines of another width than a pixel");
        }
        let Some(Wanted { vertex, pixel }) = self.wanted_variants(class, reader) else { return Ok(None) };
        self.ready_textures(vertex, pixel)?;
        if pixel.and_then(|number| self.library.variant(number)).is_some_and(|variant| variant.writes_depth) && !discard
        {
            self.stand_in_for_depth()?;
        }
        let Some(of_vertex) = self.library.variant(vertex) else { return Ok(None) };
        let input = self.wanted_input(of_vertex.inputs);
        let of_pixel = pixel.and_then(|number| self.library.variant(number));
        let outputs = of_pixel.map_or(0, |variant| variant.outputs);
        let ops = self.state.pixel_ops.alpha_compare;
        let spec = of_pixel
            .map_or(crate::pipeline::shaders::Spec::DYNAMIC, |variant| variant.spec(ops, self.state.pixel_ops.fog));
        let targets = &self.bound.targets;
        let blends = self.wanted_blends(outputs);
        let key = Key {
            vertex,
            pixel,
            spec,
            input: 0,
            targets: targets.formats,
            blends,
            alpha_to_coverage: raster.alpha_to_coverage != 0 && samples > 1 && targets.formats.colors[0].is_some(),
            discard,
            sample_mask,
            logic,
            topology: class,
        };
        let variants = || [Some(of_vertex), of_pixel].into_iter().flatten();
        let simple = variants().all(|variant| variant.images.is_empty() && !variant.samplers && !variant.reaches[1]);
        let textures =
            self.arguments(vertex, pixel).into_iter().map(|(stage, argument, _)| (stage, argument)).collect();
        let ops = self.chosen_ops();
        Ok(Some(Box::new(Prepared {
            vertex,
            pixel,
            key,
            input,
            layout: None,
            pipeline: None,
            recent: Recent::default(),
            textures,
            ops,
            simple,
        })))
    }

    fn draw_prepared(&mut self, call: &Call, fills: Fills, points: bool, prepared: &mut Prepared) -> Result<bool> {
        let Some(indexed) = self.ready_indices(call, points, &prepared.input)? else {
            // Of a draw of nothing the pipeline is made all the same.
            let number = self.pipelines.input(prepared.input.descriptor(0));
            let key = Key { input: number, ..prepared.key };
            return Ok(self.pipelines.number(&self.device, &mut self.library, &key).is_some());
        };
        let Some(copies) = self.draw_ready(&indexed, fills, prepared)? else { return Ok(false) };
        if let (Fills::Same(fill), 0) = (fills, copies) {
            self.note_plain(call.topology, indexed.primitive, fill, prepared);
        }
        Ok(true)
    }

    /// Draws what is ready but for its vertices; the slots that are copies, a bit each. `None` where it cannot be drawn.
    pub(crate) fn draw_ready(
        &mut self,
        indexed: &Indexed<D>,
        fills: Fills,
        prepared: &mut Prepared,
    ) -> Result<Option<u32>> {
        let &Indexed { primitive, count, needed, .. } = indexed;
        let Some(scissor) = self.scissor().filter(|_| !self.nothing_is_within()) else { return Ok(Some(u32::MAX)) };
        let (copies, sources) = self.ready_vertices(&prepared.input, needed, &count)?;
        if prepared.layout.is_none_or(|(of, _)| of != copies) {
            let number = self.pipelines.input(prepared.input.descriptor(copies));
            prepared.layout = Some((copies, number));
            if prepared.key.input != number {
                (prepared.key.input, prepared.pipeline) = (number, None);
                prepared.recent.clear();
            }
        }
        let number = match prepared.pipeline {
            Some(number) => number,
            None => {
                let made = self.pipelines.number(&self.device, &mut self.library, &prepared.key);
                let Some(number) = made else { return Ok(None) };
                prepared.pipeline = Some(number);
                number
            }
        };
        self.open_pass()?;
        self.count_draws()?;
        self.set_pipeline(number, (prepared.vertex, prepared.pixel));
        let (dirty, all) = (self.bound.dirty, !self.bound.recorded.complete);
        let other_fills = self.bound.recorded.fills.replace(fills) != Some(fills);
        if all || other_fills || !dirty.except(CONSTANTS).except(BOUND).is_empty() {
            self.set_tests()?;
            self.set_state(scissor, fills);
        }
        self.bind_vertices(&sources, prepared.input.reads_default());
        if all || dirty.touches(CONSTANTS) {
            let shaders = (prepared.vertex, prepared.pixel);
            self.bind_constants(shaders, if all { Groups::all() } else { dirty })?;
        }
        if all || dirty.touches(CHOOSING) {
            self.bind_textures(prepared)?;
        }
        if let Some(Told { block, reached }) = &indexed.told {
            reached.iter().for_each(|buffer| self.commands.queue.use_buffer(Stage::Vertex, buffer, false));
            self.set_bytes(Stage::Vertex, metal::FEEDBACK, block)?;
        }
        self.bound.recorded.complete = true;
        self.bound.dirty = Groups::none();
        self.commands.draws += 1;
        match fills {
            Fills::Apart(front, back) => {
                for (cull, fill) in [(Cull::Back, front), (Cull::Front, back)] {
                    self.set_raster(cull, fill);
                    self.encode(primitive, count, indexed);
                }
            }
            Fills::Same(_) | Fills::One(..) => self.encode(primitive, count, indexed),
        }
        if self.reads_targets() || self.stores(prepared) {
            // What was drawn, or stored, is what the next draw finds: within a pass nothing may wait for pixels.
            self.end_pass();
        }
        Ok(Some(copies))
    }

    /// Has the encoder draw with a pipeline of these variants.
    pub(crate) fn set_pipeline(&mut self, number: u32, shaders: (u32, Option<u32>)) {
        let Self { commands, pipelines, library, bound, .. } = self;
        if bound.recorded.pipeline.replace(number) == Some(number) {
            return;
        }
        let Some(pipeline) = pipelines.of(number) else { return };
        commands.queue.set_render_pipeline(pipeline);
        if bound.recorded.shaders.replace(shaders) != Some(shaders) {
            let variants = [Some(shaders.0), shaders.1].into_iter().flatten();
            variants
                .filter_map(|number| library.variant(number))
                .for_each(|variant| commands.works.suspect(variant.suspect));
            bound.recorded.complete = false;
        }
    }

    fn encode(&mut self, primitive: PrimitiveType, count: DrawCount, indexed: &Indexed<D>) {
        match &indexed.indices {
            None => self.commands.queue.draw(primitive, count),
            Some((slice, ty)) => {
                let indices = Indices { buffer: &slice.buffer, offset: slice.offset, ty: *ty };
                self.commands.queue.draw_indexed(primitive, count, indices);
            }
        }
    }
}
