//! What goes into a geometry shader: the vertex shader runs for each vertex of its primitive.

use std::mem::offset_of;

use afterimage_ir::{
    BankDecl, Builder, GeometryDecl, Input, InputAt, InputPrimitive, Mask, Module, Output, OutputAt, Type, Value, Var,
};

use crate::feedback::block::Draw;
use crate::feedback::code::{Code, System};
use crate::feedback::lower::{compute_slot, corner_of, run_vertex};
use crate::feedback::table::Row;
use crate::feedback::{Attribute, FeedbackError};

/// Where the neighbour behind a corner of a triangle of a strip with adjacency is: from the triangle's first vertex, for corners that
/// are 0, 2 and 4 behind it, in even and in odd triangles. Of the first triangle [`FIRST`] is what it says instead, of the last [`LAST`].
///
/// Source: the Vulkan specification's table of "Triangle Strips With Adjacency".
const NEIGHBOURS: [[i8; 3]; 2] = [[-2, 6, 3], [3, -2, 6]];
/// Instead of the vertex in front of the first triangle.
const FIRST: (i8, i8) = (-2, 1);
/// Instead of the vertex behind the last triangle.
const LAST: (i8, i8) = (6, 5);
/// What is added to offsets so that they are no less than zero.
const BIAS: i8 = 2;

/// The shaders with the same declarations for the banks that both have, and textures of the geometry shader where the compute stage
/// has them. (Those of the vertex shader are moved where it is inlined.)
pub(super) fn share(vertex: &Module, geometry: &Module) -> Result<(Module, Module), FeedbackError> {
    let (mut vertex, mut geometry) = (vertex.clone(), geometry.clone());
    for bank in &mut geometry.banks {
        let same = |other: &&mut BankDecl| (other.source, other.id) == (bank.source, bank.id);
        let Some(other) = vertex.banks.iter_mut().find(same) else { continue };
        if (&bank.name, &bank.defs) != (&other.name, &other.defs) {
            let (source, id) = (bank.source.name(), bank.id);
            return Err(FeedbackError::Limit(format!("{source} bank {id} is another one in each of the shaders")));
        }
        bank.size = bank.size.max(other.size);
        other.size = bank.size;
    }
    for texture in &mut geometry.textures {
        texture.slot = compute_slot(texture.slot);
    }
    Ok((vertex, geometry))
}

/// Vertices that a primitive of a topology records, and those of a run that has one primitive, for what a geometry shader takes.
const fn shape(input: InputPrimitive) -> (u32, u32) {
    match input {
        InputPrimitive::Points => (1, 1),
        InputPrimitive::Lines => (2, 2),
        InputPrimitive::LinesAdjacency => (2, 4),
        InputPrimitive::Triangles => (3, 3),
        InputPrimitive::TrianglesAdjacency => (3, 6),
    }
}

/// Whether a geometry shader takes the primitives of a topology.
pub fn takes(input: InputPrimitive, row: &Row) -> bool {
    shape(input) == (row.corners[0].len() as u32, row.least.into())
}

/// Primitives of all instances; none if the topology is not what the shader takes.
pub(super) fn total(b: &mut Builder, draw: System, input: InputPrimitive) -> Value {
    let (recorded, least) = shape(input);
    let row = draw.register(b, offset_of!(Draw, row));
    let (head, mask, wanted) = (b.extract(row, 0), b.int(0xff_00ff), b.int(recorded | least << 16));
    let head = b.iand(head, mask);
    let fits = b.ieq(head, wanted);
    let (total, none) = (draw.word(b, offset_of!(Draw, captured)), b.int(0));
    b.select(fits, total, none)
}

/// A geometry shader's primitive: an array with the value of each vertex for every input of vertices.
pub(super) struct Source<'a> {
    geometry: &'a Module,
    decl: GeometryDecl,
    inputs: Vec<Option<Var>>,
}

impl<'a> Source<'a> {
    pub(super) fn new(b: &mut Builder, geometry: &'a Module, decl: GeometryDecl) -> Self {
        let mut inputs = Vec::new();
        for input in &geometry.inputs {
            let array = input.at.is_of_vertex().then(|| b.var_array(&input.name, input.ty, decl.input.corners()));
            inputs.push(array);
        }
        Self { geometry, decl, inputs }
    }

    /// The values of the inputs that vertices do not have.
    pub(super) fn inputs(&self, primitive: Value, invocation: Value) -> Vec<Option<Value>> {
        let value = |at| match at {
            InputAt::PrimitiveId => Some(primitive),
            InputAt::InvocationId => Some(invocation),
            _ => None,
        };
        self.geometry.inputs.iter().map(|input| value(input.at)).collect()
    }

    /// An input of a vertex.
    pub(super) fn load(&self, b: &mut Builder, input: Input, vertex: Value) -> Value {
        match self.inputs[input.index()] {
            Some(array) => b.load_elem(array, vertex),
            None => b.int(0),
        }
    }

    /// Runs the vertex shader for each vertex of the primitive.
    pub(super) fn run_vertices(
        &self,
        b: &mut Builder,
        vertex: &Module,
        attributes: &[Attribute],
        draw: System,
        [primitive, instance]: [Value; 2],
    ) -> Result<(), FeedbackError> {
        let corner = b.var("corner", Type::I32);
        let (zero, one, corners) = (b.int(0), b.int(1), b.int(self.decl.input.corners()));
        b.store(corner, zero);
        b.begin_loop();
        let now = b.load(corner);
        let done = b.ule(corners, now);
        b.break_if(done);
        let position = self.position(b, draw, primitive, now);
        let feeds = |output: Output, input: &InputAt| reads(*input, vertex.outputs[output.index()].at);
        let wanted = |output: Output| self.geometry.inputs.iter().any(|input| feeds(output, &input.at));
        let outputs = run_vertex(b, vertex, attributes, draw, [position, instance], &wanted)?;
        for (input, array) in self.geometry.inputs.iter().zip(&self.inputs) {
            let found = (0..outputs.len()).find(|output| feeds(Output::new(*output), &input.at));
            let Some((array, output)) = array.zip(found.and_then(|output| outputs[output])) else { continue };
            let value = b.load(output);
            let value = b.cast(value, input.ty.kind);
            let value = b.resize(value, input.ty.lanes);
            b.store_elem(array, now, Mask::XYZW, value);
        }
        let next = b.iadd(now, one);
        b.store(corner, next);
        b.end_loop();
        Ok(())
    }

    /// Position among the vertices of an instance of a vertex of a primitive.
    fn position(&self, b: &mut Builder, draw: System, primitive: Value, corner: Value) -> Value {
        let row = draw.register(b, offset_of!(Draw, row));
        let list = draw.wide(b, offset_of!(Draw, list));
        let restarts = b.is_set(list);
        let (zero, one, size) = (b.int(0), b.int(1), b.int(8));
        let run = b.if_else(
            restarts,
            |b| {
                let entry = b.element(list, primitive, size);
                b.load_words(entry, 2)
            },
            |b| b.construct(&[zero, primitive]),
        );
        let (start, in_run) = (b.extract(run, 0), b.extract(run, 1));
        let at = match self.decl.input {
            InputPrimitive::Points | InputPrimitive::Lines | InputPrimitive::Triangles => {
                let (scale, at) = corner_of(b, row, corner, in_run);
                let from = b.imul(scale, in_run);
                b.iadd(from, at)
            }
            // What is recorded are the two in the middle of four in succession.
            InputPrimitive::LinesAdjacency => {
                let (scale, _) = corner_of(b, row, zero, in_run);
                let from = b.imul(scale, in_run);
                b.iadd(from, corner)
            }
            InputPrimitive::TrianglesAdjacency => {
                let half = b.ushr(corner, one);
                let (scale, at) = corner_of(b, row, half, in_run);
                let from = b.imul(scale, in_run);
                let recorded = b.iadd(from, at);
                let odd = b.iand(corner, one);
                let next = b.iadd(primitive, one);
                let primitives = draw.word(b, offset_of!(Draw, primitives));
                let is_last = b.ule(primitives, next);
                let ends = b.bnot(is_last);
                let ends = b.band(ends, restarts);
                let is_last = b.if_else(
                    ends,
                    |b| {
                        let entry = b.element(list, next, size);
                        let four = b.int(4);
                        let entry = b.wide_add(entry, four);
                        let number = b.load_words(entry, 1);
                        b.ieq(number, zero)
                    },
                    |_| is_last,
                );
                let neighbour = neighbour(b, row, at, in_run, is_last);
                let neighbour = b.iadd(from, neighbour);
                b.select(odd, neighbour, recorded)
            }
        };
        b.iadd(start, at)
    }
}

/// Whether an output of the vertex shader is what an input of the geometry shader reads.
fn reads(input: InputAt, output: OutputAt) -> bool {
    match (input, output) {
        (InputAt::Location(a), OutputAt::Location(b))
        | (InputAt::ClipDistance(a), OutputAt::ClipDistance(b))
        | (InputAt::CullDistance(a), OutputAt::CullDistance(b)) => a == b,
        (InputAt::Position, OutputAt::Position) | (InputAt::PointSize, OutputAt::PointSize) => true,
        _ => false,
    }
}

/// The neighbour behind a corner of a triangle with adjacency, both from the triangle's first vertex.
fn neighbour(b: &mut Builder, row: Value, at: Value, in_run: Value, is_last: Value) -> Value {
    let pack = |of: [i8; 3]| of.iter().rev().fold(0u32, |word, at| word << 8 | (at + BIAS) as u32);
    let biased = |of: i8| (of + BIAS) as u32;
    let (one, zero, bias, eight, mask) = (b.int(1), b.int(0), b.int(BIAS as u32), b.int(8), b.int(0xff));
    let [even, odd] = NEIGHBOURS.map(|of| b.int(pack(of)));
    let parity = b.iand(in_run, one);
    let (word, corner) = (b.select(parity, odd, even), b.ushr(at, one));
    let of_strip = b.byte(word, corner);
    let is_first = b.ieq(in_run, zero);
    let mut chosen = of_strip;
    for ((usual, instead), here) in [(FIRST, is_first), (LAST, is_last)] {
        let (usual, instead) = (b.int(biased(usual)), b.int(biased(instead)));
        let is_usual = b.ieq(of_strip, usual);
        let other = b.band(is_usual, here);
        chosen = b.select(other, instead, chosen);
    }
    let of_strip = b.isub(chosen, bias);
    // In a list each corner is followed by its neighbour. A list grows by all of its vertices, a strip by two.
    let of_list = b.iadd(at, one);
    let head = b.extract(row, 0);
    let step = b.ushr(head, eight);
    let (step, of_strips) = (b.iand(step, mask), b.int(2));
    let strip = b.ieq(step, of_strips);
    b.select(strip, of_strip, of_list)
}
