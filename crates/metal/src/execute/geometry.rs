//! Geometry shaders, which Metal does not have: a kernel runs them, with the vertex shader in front, and what they emit is drawn.
//!
//! The pass [`feedback`](afterimage_shader::feedback) makes the kernel, which has room for all that an invocation may emit. A draw of much is
//! several dispatches, each with a draw behind it, in the order of its primitives.
//!
//! So are primitives drawn that Metal lacks, by geometry shaders of our own ([`Made`]): lines of a width, and lists of rectangles whose
//! vertex shader cannot run for each corner.

use crate::error::Result;
use crate::execute::draw::Call;
use crate::execute::feedback::Running;
use crate::execute::indices::{Indexed, Told};
use crate::memory::ring::Slice;
use crate::pipeline::key::Topology as Class;
use crate::renderer::Renderer;
use crate::state::bound::Fills;
use crate::state::feedback::row;
use afterimage_ir::{GeometryDecl, InputAt, Module, OutputAt, OutputPrimitive};
use afterimage_metal_calls::{Device, DrawCount, IndexType, PrimitiveType};
use afterimage_shader::Drawing;
use afterimage_shader::feedback::{Lines, Made, takes};
use afterimage_stream::packets::{Cull, Fill, LineMode, Topology};

/// Bytes of what is emitted before it is drawn, if a primitive is not more by itself.
const MOST_BYTES: u64 = 8 << 20;
/// Vertices that a draw may emit: more than any program draws, less than hangs a GPU.
const MOST_EMITTED: u64 = 1 << 26;
/// Lines are no wider than what any target has pixels.
const WIDEST: f32 = 16384.0;
/// What offsets of indices are multiples of.
const ALIGN: u64 = 16;

impl<D: Device> Renderer<D> {
    /// What the bound geometry shader says of its primitives; none where there is no such shader.
    fn geometry_decl(&self) -> Option<GeometryDecl> {
        let id = self.state.shaders.geometry;
        let guest = self.shaders.get(id).filter(|_| !id.is_none())?;
        guest.shader.as_ref()?.declared()?.geometry
    }

    /// The topology of what the bound geometry shader emits; none where there is no such shader.
    pub(crate) fn emitted_topology(&self) -> Option<Topology> {
        Some(match self.geometry_decl()?.output {
            OutputPrimitive::Points => Topology::PointList,
            OutputPrimitive::LineStrip => Topology::LineList,
            OutputPrimitive::TriangleStrip => Topology::TriangleList,
        })
    }

    /// What a draw's primitives are made by, if Metal lacks them.
    pub(crate) fn made(&mut self, call: &Call) -> Option<Made> {
        if !self.device.facts().addresses {
            return None;
        }
        match call.topology {
            // Else the vertex shader runs for each corner.
            Topology::RectList => {
                let apart = call.indexed || !call.first.is_multiple_of(3) || self.reads_attributes();
                apart.then_some(Made::Rectangles)
            }
            Topology::LineList | Topology::LineStrip => {
                let asked = self.has_wide_lines() || LineMode::of(self.state.raster.line_mode) == LineMode::Quad;
                // What stores would do so more than once.
                (asked && self.passes_on() && !self.stores_in_vertices()).then_some(Made::Lines)
            }
            _ => None,
        }
    }

    /// What the vertex shader declares, if it came as a module.
    fn declared_vertex(&self) -> Option<&Module> {
        self.shaders.get(self.state.shaders.vertex)?.shader.as_ref()?.declared()
    }

    /// Whether the vertex shader says that it reads attributes.
    fn reads_attributes(&self) -> bool {
        self.declared_vertex()
            .is_some_and(|module| module.inputs.iter().any(|input| matches!(input.at, InputAt::Location(_))))
    }

    /// Whether geometry shaders may read all that the vertex shader gives.
    fn passes_on(&self) -> bool {
        let apart = |at| matches!(at, OutputAt::Layer | OutputAt::ViewportIndex | OutputAt::CullDistance(_));
        self.declared_vertex().is_none_or(|module| !module.outputs.iter().any(|output| apart(output.at)))
    }

    /// What lines are like, for the kernel that makes them.
    fn lines(&self) -> Lines {
        let (raster, viewport) = (&*self.state.raster, &*self.state.viewport);
        let width = if raster.line_width == 0.0 { 1.0 } else { raster.line_width };
        let rule = match LineMode::of(raster.line_mode) {
            LineMode::Quad => Lines::QUAD,
            LineMode::Bresenham => Lines::STEPS,
            LineMode::Default | LineMode::Rectangular | LineMode::Smooth => Lines::RECTANGLE,
        };
        Lines { width: width.min(WIDEST), viewport: [viewport.width, viewport.height], rule }
    }

    /// Draws what the geometry shader emits, or what primitives are made of; the corners alone, if they are what is drawn of triangles.
    /// False where it was dropped.
    #[cold]
    pub(crate) fn draw_emitted(
        &mut self,
        call: &Call,
        made: Option<Made>,
        fills: Fills,
        corners: bool,
    ) -> Result<bool> {
        let changed = self.state.tracker.take();
        self.bound.dirty.merge(changed);
        self.prepared = None;
        let Some(decl) = made.map(Made::decl).or_else(|| self.geometry_decl()) else { return Ok(false) };
        if !self.device.facts().addresses {
            return Err(self.unsupported("geometry shaders"));
        }
        // Neither faces nor fills are about lines.
        let fills = if made == Some(Made::Lines) { Fills::One(Cull::None, Fill::Solid) } else { fills };
        let topology = if made == Some(Made::Rectangles) { Topology::TriangleList } else { call.topology };
        let Some(row) = row(topology).filter(|row| takes(decl.input, row)) else {
            self.warn_once("primitives that the geometry shader does not take, whose draws are skipped: they");
            return Ok(false);
        };
        let (class, primitive) = match decl.output {
            OutputPrimitive::Points => (Class::Point, PrimitiveType::Point),
            OutputPrimitive::TriangleStrip if corners => (Class::Point, PrimitiveType::Point),
            OutputPrimitive::LineStrip => (Class::Line, PrimitiveType::Line),
            OutputPrimitive::TriangleStrip => (Class::Triangle, PrimitiveType::Triangle),
        };
        let (input, options) = self.fetched();
        let drawing = Drawing { provoking: self.provoking(), points: corners };
        let points = call.topology == Topology::PointList;
        let Some(emitting) = self.wanted_geometry(made, points, &options, drawing) else { return Ok(false) };
        let Some(mut prepared) = self.prepare(class, Some(emitting.reader))? else { return Ok(false) };
        let Some(mut asked) = self.asked(call, row)? else { return Ok(true) };
        let Some(plan) = asked.planned_whole() else { return Ok(true) };
        let (mut draw, emits) = (plan.draw, emitting.emits);
        if emits.indices(1) == 0 || draw.captured == 0 {
            return Ok(true);
        }
        let vertices = u64::from(decl.invocations) * u64::from(decl.vertices);
        if u64::from(draw.captured) * vertices > MOST_EMITTED {
            self.warn_once(
                "draws of geometry shaders that may emit more than 67,108,864 vertices, which are skipped: they",
            );
            return Ok(false);
        }
        self.fetch_from(&input, &mut draw, &mut asked.reached)?;
        let running = Running { number: emitting.number, kernel: &emitting.kernel, label: "geometry" };
        let each = (emits.vertex_bytes(1) + 4 * emits.indices(1)).max(1);
        let most = u32::try_from(MOST_BYTES / each).unwrap_or(u32::MAX).max(1);
        let mut first = 0;
        while first < draw.captured {
            let count = most.min(draw.captured - first);
            let place = emits.vertex_bytes(count).next_multiple_of(ALIGN);
            let buffer = self.emitted.of(&self.device, place + 4 * emits.indices(count))?;
            let address = self.device.gpu_address(&buffer);
            let block = afterimage_shader::feedback::Drawing {
                draw,
                vertices: address,
                indices: address + place,
                first,
                count,
                pad: [0; 2],
            };
            let mut told = bytemuck::bytes_of(&block).to_vec();
            if made == Some(Made::Lines) {
                told.extend(bytemuck::bytes_of(&self.lines()));
            }
            asked.reached.push((buffer.clone(), true));
            self.run_kernel(&running, &told, emits.groups(count), &asked.reached)?;
            asked.reached.pop();
            let indices = emits.indices(count) as u32;
            let count_of = DrawCount { first: 0, count: indices, instances: 1, base_instance: 0 };
            let told = Told { block: bytemuck::bytes_of(&[address, 0]).to_vec(), reached: vec![buffer.clone()] };
            let indexed = Indexed {
                primitive,
                count: count_of,
                indices: Some((Slice { buffer, offset: place }, IndexType::UInt32)),
                needed: 0,
                told: Some(told),
            };
            if self.draw_ready(&indexed, fills, &mut prepared)?.is_none() {
                return Ok(false);
            }
            first += count;
        }
        Ok(true)
    }
}
