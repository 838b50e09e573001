//! Geometry shaders that are drawn where there is no such stage.
//!
//! Precondition: a verified vertex shader and a verified geometry shader, both without side effects. Promise: what a draw with both draws, a
//! dispatch of the compute shader and then a draw with the vertex shader do. See [`draw_geometry`].
//!
//! How much an invocation emits is known when it has run, but what it may emit before. So each lane has room for that: it runs the vertex
//! shader for the vertices of its primitive, then the geometry shader, and stores each vertex once, and for each primitive the numbers of its
//! vertices, which are a list for the device to draw. In place of primitives that it does not emit stands vertex 0, which lies nowhere.

use std::mem::offset_of;

use afterimage_ir::{
    Builder, GeometryDecl, Input, InputAt, Kind, MAX_VALUES, Module, Output, OutputAt, OutputDecl, Primitives, Stage,
    Type, Value, Var, verify,
};
use bytemuck::{Pod, Zeroable};

use super::made::{self, Made};
use super::source::{Source, share};
use crate::feedback::block::{Draw, GROUP};
use crate::feedback::code::{Code, System, check};
use crate::feedback::lower::{finish, invocation};
use crate::feedback::plan::groups;
use crate::feedback::table::{Provoking, Row, TABLE};
use crate::feedback::{Attribute, FeedbackError};

/// Where a vertex lies that is no part of a primitive: with this w it is outside of every plane.
const NOWHERE: [f32; 4] = [0.0, 0.0, 0.0, -1.0];

/// What the compute shader of [`draw_geometry`] is told: its bank of source `Feedback`, number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Drawing {
    /// The draw, as [`plan`](super::super::plan()) has it for a request whose strides are all 0.
    pub draw: Draw,
    /// Device address of the vertices, a multiple of four. It is the first register of the vertex shader's bank, too.
    pub vertices: u64,
    /// Device address of the indices, a multiple of four.
    pub indices: u64,
    /// The first primitive of the dispatch, among those of all instances.
    pub first: u32,
    /// Primitives of the dispatch.
    pub count: u32,
    /// Zero.
    pub pad: [u32; 2],
}

const _: () = assert!(size_of::<Drawing>() == size_of::<Draw>() + 32);

/// How much is stored for a primitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Emits {
    /// What the geometry shader says of its primitives.
    pub geometry: GeometryDecl,
    /// Bytes of a vertex.
    pub stride: u32,
}

impl Emits {
    /// Most primitives of an invocation.
    const fn primitives(self) -> u32 {
        self.geometry.vertices.saturating_sub(self.geometry.output.corners() - 1)
    }

    /// Bytes of the vertices of so many primitives.
    pub fn vertex_bytes(self, count: u32) -> u64 {
        let vertices = u64::from(count) * u64::from(self.geometry.invocations * self.geometry.vertices);
        (vertices + 1) * u64::from(self.stride)
    }

    /// Indices that are drawn for so many primitives: a list of points, lines or triangles.
    pub fn indices(self, count: u32) -> u64 {
        u64::from(count)
            * u64::from(self.geometry.invocations * self.primitives())
            * u64::from(self.geometry.output.corners())
    }

    /// The work groups for so many primitives.
    pub fn groups(self, count: u32) -> [u32; 3] {
        groups(count.saturating_mul(self.geometry.invocations))
    }
}

/// A geometry shader as [`draw_geometry`] makes it.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The compute shader, for [`Emits::groups`] of so many primitives, with [`Drawing`].
    pub kernel: Module,
    /// The vertex shader, for a draw with indices of 32 bits, in which the first vertex of a primitive provokes.
    pub vertex: Module,
    /// How much it stores.
    pub emits: Emits,
}

/// Makes of a geometry shader, and of the vertex shader in front of it, a compute shader that stores what goes into the rasterizer, and a
/// vertex shader that reads it.
///
/// Only for topologies that the geometry shader [takes](super::takes). Banks of the same number and name are the same bank of both shaders;
/// textures are in compute slots as [`lower`](super::super::lower()) has them. `provoking` is the pipeline's convention.
///
/// # Errors
/// [`FeedbackError`] says what the shaders have that cannot be lowered.
pub fn draw_geometry(
    vertex: &Module,
    geometry: &Module,
    attributes: &[Attribute],
    provoking: Provoking,
) -> Result<Drawn, FeedbackError> {
    check(vertex, Stage::Vertex)?;
    check(geometry, Stage::Geometry)?;
    draw(vertex, geometry, attributes, provoking)
}

/// The same with a geometry shader that makes primitives which a device lacks. What the compute shader is told has [`Lines`](super::Lines)
/// behind it, for those.
///
/// # Errors
/// [`FeedbackError`] says what the vertex shader has that cannot be lowered.
pub fn draw_made(
    vertex: &Module,
    made: Made,
    attributes: &[Attribute],
    provoking: Provoking,
) -> Result<Drawn, FeedbackError> {
    check(vertex, Stage::Vertex)?;
    // No geometry shader has a bank of feedback, so this one is verified as the kernel that it becomes.
    let geometry = made::module(vertex, made)?;
    draw(vertex, &geometry, attributes, provoking)
}

fn draw(
    vertex: &Module,
    geometry: &Module,
    attributes: &[Attribute],
    provoking: Provoking,
) -> Result<Drawn, FeedbackError> {
    let Some(decl) = geometry.geometry else { return Err(FeedbackError::Stage(geometry.stage.name())) };
    let (vertex, geometry) = share(vertex, geometry)?;
    let (places, stride) = places(&geometry);
    let emits = Emits { geometry: decl, stride };
    let kernel = kernel(&vertex, &geometry, attributes, provoking, emits, &places)?;
    let vertex = reader(&geometry, emits, &places)?;
    verify(&kernel)?;
    verify(&vertex)?;
    Ok(Drawn { kernel, vertex, emits })
}

/// Where each output is in a vertex, and the bytes of one.
fn places(geometry: &Module) -> (Vec<u32>, u32) {
    let mut bytes = 0;
    let mut places = Vec::with_capacity(geometry.outputs.len());
    for decl in &geometry.outputs {
        places.push(bytes);
        bytes += 4 * u32::from(decl.ty.lanes);
    }
    (places, bytes.max(4))
}

/// The compute shader, an invocation per invocation of the geometry shader.
fn kernel(
    vertex: &Module,
    geometry: &Module,
    attributes: &[Attribute],
    provoking: Provoking,
    emits: Emits,
    places: &[u32],
) -> Result<Module, FeedbackError> {
    let mut b = Builder::new(Stage::Compute);
    b.set_name(&geometry.name);
    b.work_group([GROUP, 1, 1], 0);
    let block = System::new(&mut b, "drawing", size_of::<Drawing>());
    let lane = invocation(&mut b);
    let invocations = b.int(emits.geometry.invocations);
    let (which, number) = (b.udiv(lane, invocations), b.umod(lane, invocations));
    let count = block.word(&mut b, offset_of!(Drawing, count));
    let exists = b.ult(which, count);
    b.begin_if(exists);
    let first = block.word(&mut b, offset_of!(Drawing, first));
    let primitive = b.iadd(first, which);
    let primitives = block.word(&mut b, offset_of!(Draw, primitives));
    let instance = b.udiv(primitive, primitives);
    let before = b.imul(instance, primitives);
    let primitive = b.isub(primitive, before);
    let mut storing = Storing::new(&mut b, geometry, provoking, (emits, places), block, lane);
    storing.source.run_vertices(&mut b, vertex, attributes, block, [primitive, instance])?;
    let inputs = storing.source.inputs(primitive, number);
    let outputs = storing.outputs.clone();
    b.inline_geometry(geometry, &inputs, &outputs, &mut storing);
    storing.fill(&mut b);
    b.end_if();
    finish(b)
}

/// The compute shader as it is built.
struct Storing<'a> {
    source: Source<'a>,
    emits: Emits,
    places: &'a [u32],
    row: &'static Row,
    provoking: Provoking,
    /// Per output its value.
    outputs: Vec<Option<Var>>,
    /// Addresses of the vertices and of the indices; the first of both that are the lane's.
    vertices: Value,
    indices: Value,
    first_vertex: Value,
    first_index: Value,
    /// Vertices of the invocation; those of them that are drawn, of these those of the strip; primitives.
    emitted: Var,
    stored: Var,
    strip: Var,
    found: Var,
}

impl<'a> Storing<'a> {
    fn new(
        b: &mut Builder,
        geometry: &'a Module,
        provoking: Provoking,
        (emits, places): (Emits, &'a [u32]),
        block: System,
        lane: Value,
    ) -> Self {
        let decl = emits.geometry;
        let outputs = geometry.outputs.iter().map(|decl| Some(b.var(&decl.name, decl.ty))).collect();
        let [emitted, stored, strip, found] =
            ["emitted", "stored", "strip", "found"].map(|name| b.var(name, Type::I32));
        let (vertices, indices) =
            (block.wide(b, offset_of!(Drawing, vertices)), block.wide(b, offset_of!(Drawing, indices)));
        let (one, most) = (b.int(1), b.int(decl.vertices));
        let first_vertex = b.imul(lane, most);
        let most = b.int(emits.primitives() * decl.output.corners());
        Self {
            source: Source::new(b, geometry, decl),
            emits,
            places,
            // A strip is taken apart as the topology of the same name.
            row: &TABLE[[0, 2, 4][decl.output.corners() as usize - 1]],
            provoking,
            outputs,
            vertices,
            indices,
            // The first vertex of all lies nowhere.
            first_vertex: b.iadd(first_vertex, one),
            first_index: b.imul(lane, most),
            emitted,
            stored,
            strip,
            found,
        }
    }

    /// Stores the numbers of a primitive's vertices.
    fn list(&self, b: &mut Builder, primitive: Value, vertices: &[Value]) {
        let (corners, four) = (b.int(vertices.len() as u32), b.int(4));
        let first = b.imul(primitive, corners);
        let first = b.iadd(self.first_index, first);
        let at = b.element(self.indices, first, four);
        let vertices = b.construct(vertices);
        b.store_global(at, vertices);
    }

    /// Stores the outputs as a vertex.
    fn vertex(&self, b: &mut Builder, number: Value) {
        let stride = b.int(self.emits.stride);
        let vertex = b.element(self.vertices, number, stride);
        for (&output, &place) in self.outputs.iter().zip(self.places) {
            let Some(output) = output else { continue };
            let value = b.load(output);
            let value = b.cast(value, Kind::Int);
            let place = b.int(place);
            let at = b.wide_add(vertex, place);
            b.store_global(at, value);
        }
    }

    /// Vertex 0 in place of the primitives that were not emitted.
    fn fill(&self, b: &mut Builder) {
        let (most, one, nowhere) = (b.int(self.emits.primitives()), b.int(1), b.int(0));
        b.begin_loop();
        let found = b.load(self.found);
        let done = b.ule(most, found);
        b.break_if(done);
        self.list(b, found, &vec![nowhere; self.emits.geometry.output.corners() as usize]);
        let next = b.iadd(found, one);
        b.store(self.found, next);
        b.end_loop();
    }

    /// A primitive whose last vertex is `last`, number `number` of its strip.
    fn primitive(&self, b: &mut Builder, number: Value, last: Value) {
        let corners = self.emits.geometry.output.corners();
        let (one, before) = (b.int(1), b.int(corners - 1));
        let (found, odd, oldest) = (b.load(self.found), b.iand(number, one), b.isub(last, before));
        let order = |parity: u32| {
            let mut order: Vec<u32> = self.row.positions(self.provoking, parity).map(|at| at - parity).collect();
            // The device's first vertex provokes.
            if self.provoking == Provoking::Last {
                order.rotate_right(1);
            }
            order
        };
        let vertices: Vec<Value> = (order(0).into_iter().zip(order(1)))
            .map(|(even, odd_one)| {
                let even_at = b.int(even);
                let at = if even == odd_one {
                    even_at
                } else {
                    let odd_at = b.int(odd_one);
                    b.select(odd, odd_at, even_at)
                };
                b.iadd(oldest, at)
            })
            .collect();
        self.list(b, found, &vertices);
        let more = b.iadd(found, one);
        b.store(self.found, more);
    }
}

impl Primitives for Storing<'_> {
    fn load_vertex_input(&mut self, b: &mut Builder, input: Input, vertex: Value) -> Value {
        self.source.load(b, input, vertex)
    }

    fn emit_vertex(&mut self, b: &mut Builder, stream: u8) {
        // Each is a lot of code: see `emit_vertex` of captures.
        if b.module().values.len() >= MAX_VALUES {
            return;
        }
        let (one, most) = (b.int(1), b.int(self.emits.geometry.vertices));
        let emitted = b.load(self.emitted);
        let counts = b.ult(emitted, most);
        b.begin_if(counts);
        let emitted = b.iadd(emitted, one);
        b.store(self.emitted, emitted);
        // Of the other streams nothing is drawn.
        if stream == 0 {
            let (stored, strip) = (b.load(self.stored), b.load(self.strip));
            let vertex = b.iadd(self.first_vertex, stored);
            self.vertex(b, vertex);
            let stored = b.iadd(stored, one);
            b.store(self.stored, stored);
            let others = b.int(self.emits.geometry.output.corners() - 1);
            let complete = b.ule(others, strip);
            b.begin_if(complete);
            let number = b.isub(strip, others);
            self.primitive(b, number, vertex);
            b.end_if();
            let longer = b.iadd(strip, one);
            b.store(self.strip, longer);
        }
        b.end_if();
    }

    fn end_primitive(&mut self, b: &mut Builder, stream: u8) {
        if stream == 0 {
            let zero = b.int(0);
            b.store(self.strip, zero);
        }
    }
}

/// The vertex shader.
fn reader(geometry: &Module, emits: Emits, places: &[u32]) -> Result<Module, FeedbackError> {
    let mut b = Builder::new(Stage::Vertex);
    b.set_name(&geometry.name);
    let block = System::new(&mut b, "drawn", 16);
    let number = b.builtin(InputAt::VertexIndex);
    let vars: Vec<(Output, Var, OutputDecl)> = geometry
        .outputs
        .iter()
        .map(|decl| {
            let output = b.output(OutputDecl { semantic: None, ..decl.clone() });
            (output, b.var(&decl.name, decl.ty), decl.clone())
        })
        .collect();
    for (_, var, decl) in &vars {
        let start = if decl.at == OutputAt::Position { NOWHERE.map(f32::to_bits) } else { [0; 4] };
        let start = b.const_bits(decl.ty, start);
        b.store(*var, start);
    }
    let zero = b.int(0);
    let is_one = b.ine(number, zero);
    b.begin_if(is_one);
    let (vertices, stride) = (block.wide(&mut b, 0), b.int(emits.stride));
    let vertex = b.element(vertices, number, stride);
    for ((_, var, decl), &place) in vars.iter().zip(places) {
        let place = b.int(place);
        let at = b.wide_add(vertex, place);
        let value = b.load_words(at, decl.ty.lanes);
        let value = b.cast(value, decl.ty.kind);
        b.store(*var, value);
    }
    b.end_if();
    for (output, var, _) in &vars {
        let value = b.load(*var);
        b.store_output(*output, value);
    }
    finish(b)
}
