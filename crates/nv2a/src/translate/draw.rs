//! Draws: what came between begin and end, with the state that the registers ask for.

use super::cylinder::Cylinder;
use super::outlines::{Outlines, Raster};
use super::primitives::{self, Assembled};
use super::samples;
use super::shaders::{CURRENT_BUFFER, VARYING_BUFFER, VertexCode, VertexStage};
use super::slopes::Visible;
use super::states::{self, Mode};
use super::surfaces::Target;
use super::transformed::{self, Transformed};
use super::vertices::{self, Vertices, slots};
use super::{Translator, groups};
use crate::machine::{Attributes, Kelvin, Part, Primitive, PrimitiveKind};
use crate::memory::GuestMemory;
use afterimage_ir::Module;
use afterimage_nv2a_types::{KelvinStates, Registers, method};
use afterimage_shader_nv2a::io;
use afterimage_shader_nv2a::pixel::{self, Drawn};
use afterimage_shader_nv2a::tables::Output;
use afterimage_shader_nv2a::{Outputs, Program, run};
use afterimage_stream::packets::*;
use afterimage_stream::{ObjectId, ObjectKind, PortError};
use std::sync::Arc;

/// Key of the layout of [`Transformed`] among those of the guest's attributes.
const TRANSFORMED_LAYOUT: u16 = 1;

/// What draws need, to be used again for the next one.
#[derive(Debug, Default)]
pub(super) struct Draws {
    vertices: Vertices,
    indices: Vec<u32>,
    transformed: Vec<Transformed>,
    outlines: Outlines,
    /// IR of the shader that vertices were last transformed with here.
    module: Option<(ObjectId, Module)>,
    /// What the current buffer holds, and in which frame.
    current: Vec<[f32; 4]>,
    current_frame: u64,
    /// The fog coordinate that the vertex engine put out last.
    pub(super) carried_fog: f32,
}

impl Draws {
    /// The receiver is gone.
    pub(super) fn forget(&mut self) {
        (self.current_frame, self.module) = (0, None);
    }
}

/// Why a draw was given up.
#[derive(Debug, thiserror::Error)]
enum DrawError {
    #[error(transparent)]
    Port(#[from] PortError),
    #[error("vertex shader: {0}")]
    Transform(String),
}

/// A draw whose buffers are bound.
enum Ready {
    Vertices(Draw),
    Indexed(DrawIndexed),
}

/// Whether pixels of a draw can change anything.
fn changes_something(registers: &Registers) -> bool {
    [method::SET_COLOR_MASK, method::SET_DEPTH_TEST_ENABLE, method::SET_STENCIL_TEST_ENABLE]
        .into_iter()
        .any(|method| registers.is_set(method))
}

/// Whether the edges of lines or polygons are smoothed.
fn is_smoothed(kind: PrimitiveKind, registers: &Registers) -> bool {
    let lines = primitives::is_lines(kind);
    let enable = if lines { method::SET_LINE_SMOOTH_ENABLE } else { method::SET_POLY_SMOOTH_ENABLE };
    kind != PrimitiveKind::Points && registers.is_set(enable) && !samples::is_multisampled(registers)
}

/// Whether polygons have an offset that depends on the slope of w.
fn has_slopes(registers: &Registers) -> bool {
    registers.is_set(method::SET_POLY_OFFSET_FILL_ENABLE) && registers.bits(method::SET_CONTROL0, 16, 1) != 0
}

/// Whether polygons whose faces are drawn in these modes have an offset.
fn has_offset(modes: [Mode; 2], registers: &Registers) -> bool {
    modes.into_iter().any(|mode| match mode {
        Mode::Culled => false,
        Mode::Point => registers.is_set(method::SET_POLY_OFFSET_POINT_ENABLE),
        Mode::Line => registers.is_set(method::SET_POLY_OFFSET_LINE_ENABLE),
        Mode::Fill => registers.is_set(method::SET_POLY_OFFSET_FILL_ENABLE),
    })
}

/// How primitives get onto the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// The host assembles them of the vertices.
    Host,
    /// Their triangles are made here.
    Here,
    /// Not at all.
    Nowhere,
}

fn way(kind: PrimitiveKind, registers: &Registers) -> Way {
    if primitives::is_lines(kind) {
        return Way::Here;
    }
    if kind == PrimitiveKind::Points {
        // The host's are squares of samples, but know their texture coordinates.
        let sprites = registers.is_set(method::SET_POINT_SMOOTH_ENABLE);
        let anti_aliased = registers.bits(method::SET_SURFACE_FORMAT, 12, 4) != 0;
        return if anti_aliased && !sprites { Way::Here } else { Way::Host };
    }
    let modes = states::polygon_modes(registers);
    let is_plain = |mode: &Mode| matches!(mode, Mode::Fill | Mode::Culled);
    let flat_quads = registers.get(method::SET_SHADE_MODEL) == io::FLAT
        && matches!(kind, PrimitiveKind::Quads | PrimitiveKind::QuadStrip);
    let is_made_here =
        flat_quads || is_smoothed(kind, registers) || has_slopes(registers) || Cylinder::of(registers).is_some();
    match modes {
        [Mode::Culled, Mode::Culled] => Way::Nowhere,
        modes if modes.iter().all(is_plain) && !is_made_here => Way::Host,
        _ => Way::Here,
    }
}

/// The edge flags of a primitive's vertices: changes by the number of the vertex before which they happen.
fn edge_flags(parts: &[Part], registers: &Registers) -> Vec<(usize, bool)> {
    let changes = parts.iter().find_map(|part| if let Part::EdgeFlag(flag) = part { Some(*flag) } else { None });
    let mut flags = vec![(0, changes.map_or(registers.is_set(method::SET_EDGE_FLAG), |first| !first))];
    let mut vertices = 0;
    for part in parts {
        match part {
            Part::EdgeFlag(flag) => flags.push((vertices, *flag)),
            Part::Arrays { count, .. } => vertices += *count as usize,
            Part::Elements(elements) => vertices += elements.len(),
            Part::Immediate(immediate) => vertices += immediate.len(),
            // Vertices of words are counted by whoever knows the formats; their flag cannot change in between.
            Part::Inline(_) => {}
        }
    }
    flags
}

impl Translator {
    /// Draws what came between begin and end.
    pub(super) fn draw_primitive(&mut self, kelvin: &mut Kelvin, memory: &mut dyn GuestMemory, primitive: &Primitive) {
        self.bound_shaders(&mut kelvin.registers.tracker);
        let once = &mut self.once;
        let arrays = vertices::arrays(kelvin, |number| {
            once.warn(format!("SET_VERTEX_DATA_ARRAY_FORMAT: type {number} is not known, the attribute has no array"));
        });
        let before = kelvin.attributes;
        let way = way(primitive.kind, &kelvin.registers);
        let points = primitive.kind == PrimitiveKind::Points
            || primitives::is_polygons(primitive.kind)
                && states::polygon_modes(&kelvin.registers).contains(&Mode::Point);
        let ready = way != Way::Nowhere && changes_something(&kelvin.registers) && self.apply(kelvin, memory, points);
        let stage = if ready { self.shaders.vertex.clone() } else { None };
        let varying = stage.as_ref().map_or(0, |stage| vertices::varying(&arrays, &primitive.parts, stage.inputs));
        self.draws.vertices.collect(memory, &arrays, &primitive.parts, varying, &mut kelvin.attributes);
        let Some(stage) = stage.filter(|_| self.draws.vertices.len() > 0) else { return };
        let Some((stage, varying)) = self.run_here(kelvin, stage, varying, &before) else { return };
        self.passed.count(&mut self.port, kelvin.registers.is_set(method::SET_ZPASS_PIXEL_COUNT_ENABLE));
        self.warn_of_raster(&kelvin.registers, primitive.kind, way);
        let drawn = match way {
            Way::Here => self.draw_outlines(kelvin, primitive, &stage, &before),
            Way::Host | Way::Nowhere => self.draw_host(kelvin, primitive.kind, &stage, varying, &before),
        };
        match drawn {
            Ok(()) => self.drawn(kelvin),
            // The receiver is gone, or the reason has been said.
            Err(DrawError::Port(PortError::Link(_))) => {}
            Err(error) => self.once.warn(format!("{:?} are not drawn: {error}", primitive.kind)),
        }
        self.check_groups(kelvin);
        self.carry_fog(kelvin, &stage, &before);
    }

    /// Says what rasterisation is asked for and not done.
    fn warn_of_raster(&mut self, registers: &Registers, kind: PrimitiveKind, way: Way) {
        let modes = states::polygon_modes(registers);
        let offsets = modes.map(|mode| (mode != Mode::Culled).then(|| has_offset([mode, Mode::Culled], registers)));
        let differ = matches!(offsets, [Some(front), Some(back)] if front != back) && modes.contains(&Mode::Fill);
        if way == Way::Here && primitives::is_polygons(kind) && differ {
            self.once.warn(
                "a polygon offset of only some of SET_POLY_OFFSET_POINT_ENABLE, ..._LINE_ENABLE and ..._FILL_ENABLE is not \
                 supported where front and back faces are drawn in these modes: that of filled ones is taken for all",
            );
        }
    }

    /// Runs programs that write constants for the vertices after them here, one vertex after the other. What they put out
    /// is passed through the host's vertex stage.
    fn run_here(
        &mut self,
        kelvin: &mut Kelvin,
        stage: Arc<VertexStage>,
        varying: u16,
        before: &Attributes,
    ) -> Option<(Arc<VertexStage>, u16)> {
        let writes = kelvin.registers.is_set(method::SET_TRANSFORM_PROGRAM_CXT_WRITE_EN);
        let VertexCode::Program(program) = &stage.code else { return Some((stage, varying)) };
        if !writes || !program.writes_constants() {
            return Some((stage, varying));
        }
        let vertices = &self.draws.vertices;
        let mut constants = *kelvin.registers.constants();
        let mut fog = self.draws.carried_fog;
        let outputs = (0..vertices.len()).map(|vertex| {
            let attributes = std::array::from_fn(|slot| vertices.get(vertex, slot).unwrap_or(before[slot]));
            let mut outputs = run(program, &attributes, &mut constants, true);
            if program.writes(Output::Fog) {
                fog = outputs.get(Output::Fog)[0];
            } else {
                outputs.set(Output::Fog, [fog, 0.0, 0.0, 1.0]);
            }
            outputs
        });
        let outputs: Vec<Attributes> = outputs.map(|outputs: Outputs| outputs.attributes()).collect();
        kelvin.registers.set_constants(0, 0, constants.as_flattened());
        let stage = self.stage_of(VertexCode::Program(Program::pass_through().with_flags(program.flags)))?;
        let inputs = stage.inputs;
        self.draws.vertices.set(&outputs, inputs);
        Some((Arc::new(stage), inputs))
    }

    /// Draws with the host's own points and triangles.
    fn draw_host(
        &mut self,
        kelvin: &mut Kelvin,
        kind: PrimitiveKind,
        stage: &VertexStage,
        varying: u16,
        before: &Attributes,
    ) -> Result<(), DrawError> {
        let registers = &kelvin.registers;
        let count = self.draws.vertices.len();
        let is_flat = primitives::is_polygons(kind) && registers.get(method::SET_SHADE_MODEL) == io::FLAT;
        let first = registers.is_set(method::SET_FLAT_SHADE_OP);
        let indices = &mut self.draws.indices;
        let assembled = if is_flat { primitives::flat(kind, count, first, indices) } else { None };
        let assembled = assembled.unwrap_or_else(|| primitives::smooth(kind, count, indices));
        if assembled.count == 0 {
            return Ok(());
        }
        let drawn = if kind == PrimitiveKind::Points { Drawn::Points } else { Drawn::Triangles };
        let layout = self.shaders.layout(&mut self.port, stage.inputs, varying)?;
        self.put_current(stage.inputs & !varying, before)?;
        let first = match self.draws.vertices.columns() {
            0 => 0,
            columns => {
                let bytes = bytemuck::cast_slice(self.draws.vertices.data());
                let (chunk, first) = self.port.stream(false, 16 * columns, bytes)?;
                self.put_vertex_buffer(VARYING_BUFFER, chunk, 16 * columns);
                first
            }
        };
        self.port.put(&mut self.sent.raster, self.raster);
        self.port.put(&mut self.sent.vertex_input, SetVertexInput { id: layout, pad: 0 });
        let ready = self.ready(assembled, first)?;
        self.submit(kelvin, stage.id, drawn, 0, &ready);
        Ok(())
    }

    /// Makes triangles of the vertices here, and draws those.
    fn draw_outlines(
        &mut self,
        kelvin: &mut Kelvin,
        primitive: &Primitive,
        stage: &VertexStage,
        before: &Attributes,
    ) -> Result<(), DrawError> {
        let registers = &kelvin.registers;
        let draws = &mut self.draws;
        if draws.module.as_ref().is_none_or(|(id, _)| *id != stage.id) {
            let module = stage.lift().map_err(|error| DrawError::Transform(error.to_string()))?;
            draws.module = Some((stage.id, module));
        }
        let Some((_, module)) = &draws.module else { return Ok(()) };
        transformed::transform(module, &draws.vertices, before, &self.constants, &mut draws.transformed)
            .map_err(DrawError::Transform)?;
        let modes = states::polygon_modes(registers);
        let smooth = is_smoothed(primitive.kind, registers);
        let raster = Raster {
            line_width: registers.bits(method::SET_LINE_WIDTH, 0, 9) as f32 / 8.0,
            flat: registers.get(method::SET_SHADE_MODEL) == io::FLAT,
            first: registers.is_set(method::SET_FLAT_SHADE_OP),
            modes,
            front_ccw: states::front_is_ccw(registers),
            two_sided: registers.is_set(method::SET_LIGHT_TWO_SIDE_ENABLE),
            thin_lines: !samples::is_multisampled(registers) && !smooth,
            smooth,
            scale: self.target.scale.map(|scale| scale as f32),
            size: Target::SIZE as f32,
            slopes: has_slopes(registers).then(|| Visible::of(registers)),
            cylinder: Cylinder::of(registers),
        };
        let flags = edge_flags(&primitive.parts, registers);
        let flag = |vertex: usize| flags[flags.partition_point(|(first, _)| *first <= vertex) - 1].1;
        draws.outlines.assemble(primitive.kind, &draws.transformed, flag, &raster);
        if draws.outlines.indices.is_empty() {
            return Ok(());
        }
        let filled = primitives::is_polygons(primitive.kind) && modes.contains(&Mode::Fill);
        let drawn = match primitive.kind {
            PrimitiveKind::Points => Drawn::Points,
            _ if filled => Drawn::Triangles,
            _ => Drawn::Lines,
        };
        let (port, shaders) = (&mut self.port, &mut self.shaders);
        let vertex = shaders.shader(port, Stage::Vertex, Language::Ir, transformed::SHADER.as_bytes())?;
        let layout = shaders.own_layout(port, TRANSFORMED_LAYOUT, &transformed::attributes(VARYING_BUFFER))?;
        let stride = size_of::<Transformed>() as u32;
        let bytes = bytemuck::cast_slice(&self.draws.outlines.vertices);
        let (chunk, first) = port.stream(false, stride, bytes)?;
        self.put_vertex_buffer(VARYING_BUFFER, chunk, stride);
        self.port.put(&mut self.sent.raster, SetRaster { cull: Cull::None as u8, bias_enable: 0, ..self.raster });
        self.port.put(&mut self.sent.vertex_input, SetVertexInput { id: layout, pad: 0 });
        let count = self.draws.outlines.indices.len() as u32;
        self.draws.indices.clear();
        self.draws.indices.extend_from_slice(&self.draws.outlines.indices);
        let assembled = Assembled { topology: Topology::TriangleList, indexed: true, count };
        let ready = self.ready_indexed(assembled, first)?;
        let mut flags = if smooth { pixel::Key::SMOOTH } else { 0 };
        if drawn == Drawn::Lines && primitives::is_polygons(primitive.kind) && has_offset(modes, &kelvin.registers) {
            flags |= pixel::Key::OFFSET;
        }
        self.submit(kelvin, vertex, drawn, flags, &ready);
        Ok(())
    }

    /// Draws what is ready, once for each kind of samples. `flags` are more of the pixel shader's key.
    fn submit(&mut self, kelvin: &mut Kelvin, vertex: ObjectId, drawn: Drawn, flags: u32, ready: &Ready) {
        for pass in samples::passes(&self.target, &kelvin.registers, drawn) {
            self.set_drawn(drawn, flags | pass.columns, &mut kelvin.registers.tracker);
            self.apply_groups(kelvin, groups::PASS);
            let Some((_, pixel)) = self.shaders.pixel else { return };
            self.begin_pass(pass, &kelvin.registers, drawn);
            self.port.put(&mut self.sent.shaders, SetShaders { vertex, pixel, ..SetShaders::default() });
            match ready {
                Ready::Vertices(draw) => self.port.push(draw),
                Ready::Indexed(draw) => self.port.push(draw),
            }
        }
    }

    /// What was assembled of vertices, the first of which is number `first` of its buffer, to be drawn.
    fn ready(&mut self, assembled: Assembled, first: u32) -> Result<Ready, DrawError> {
        let draws = &mut self.draws;
        match (draws.vertices.order(), assembled.indexed) {
            (None, false) => {
                let Assembled { topology, count, .. } = assembled;
                return Ok(Ready::Vertices(Draw {
                    topology: topology as u32,
                    first,
                    count,
                    instances: 1,
                    first_instance: 0,
                    pad: 0,
                }));
            }
            (None, true) => {}
            (Some(order), true) => draws.indices.iter_mut().for_each(|index| *index = order[*index as usize]),
            (Some(order), false) => {
                draws.indices.clear();
                draws.indices.extend_from_slice(&order[..assembled.count as usize]);
            }
        }
        self.ready_indexed(assembled, first)
    }

    /// The vertices of the index list, to be drawn.
    fn ready_indexed(&mut self, assembled: Assembled, base_vertex: u32) -> Result<Ready, DrawError> {
        let bytes = bytemuck::cast_slice(&self.draws.indices);
        let (chunk, first) = self.port.stream(true, 4, bytes)?;
        let source = ObjectId::new(ObjectKind::Upload, chunk.slot);
        let packet =
            SetIndexBuffer { source, index_bytes: 4, restart: 0, offset: chunk.offset, size: chunk.size.into() };
        self.port.put(&mut self.sent.index_buffer, packet);
        let Assembled { topology, count, .. } = assembled;
        let base_vertex = base_vertex as i32;
        let topology = topology as u32;
        Ok(Ready::Indexed(DrawIndexed { topology, first, count, instances: 1, base_vertex, first_instance: 0 }))
    }

    fn put_vertex_buffer(&mut self, slot: u8, chunk: afterimage_stream::UploadRef, stride: u32) {
        let source = ObjectId::new(ObjectKind::Upload, chunk.slot);
        let binding = VertexBuffer { source, stride, offset: chunk.offset, size: chunk.size.into() };
        self.sent.uploads_are_of(self.port.frame());
        let sent = &mut self.sent.vertex_buffers[usize::from(slot)];
        if *sent != binding {
            *sent = binding;
            self.port.push_tail(&SetVertexBuffers { first: slot.into(), count: 1 }, &[binding]);
        }
    }

    /// The attributes of a mask that are the same in every vertex.
    fn put_current(&mut self, mask: u16, attributes: &Attributes) -> Result<(), DrawError> {
        let values = || slots(mask).map(|slot| attributes[usize::from(slot)]);
        let held = &mut self.draws.current;
        let frame = self.port.frame();
        if mask == 0 || self.draws.current_frame == frame && values().eq(held.iter().copied()) {
            return Ok(());
        }
        held.clear();
        held.extend(values());
        let chunk = self.port.upload_bytes(bytemuck::cast_slice(held))?;
        self.draws.current_frame = frame;
        self.put_vertex_buffer(CURRENT_BUFFER, chunk, 0);
        Ok(())
    }

    /// The fog coordinate of the last vertex stays in the vertex engine, for programs that put none out.
    fn carry_fog(&mut self, kelvin: &mut Kelvin, stage: &VertexStage, before: &Attributes) {
        let VertexCode::Program(program) = &stage.code else { return };
        if !kelvin.registers.is_set(method::SET_FOG_ENABLE) || !program.writes(Output::Fog) {
            return;
        }
        let vertices = &self.draws.vertices;
        let Some(last) = vertices.len().checked_sub(1) else { return };
        let attributes = std::array::from_fn(|slot| vertices.get(last, slot).unwrap_or(before[slot]));
        let mut constants = *kelvin.registers.constants();
        let fog = run(program, &attributes, &mut constants, false).get(Output::Fog)[0];
        if fog.to_bits() != self.draws.carried_fog.to_bits() {
            self.draws.carried_fog = fog;
            kelvin.registers.tracker.changed(KelvinStates::CARRIED_FOG);
        }
    }
}
