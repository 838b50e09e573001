//! The pass for geometry shaders: what they emit is stored.
//!
//! Precondition: a verified vertex shader and a verified geometry shader with captures, both without side effects. Promise: for every stream,
//! every primitive that the geometry shader gives is counted, and those for which all buffers of the stream have room are stored where
//! transform feedback would have put them. See [`lower_geometry`].
//!
//! How much an invocation emits is known when it has run. So one work group takes as many primitives at a time as it has lanes: each lane
//! runs the vertex shader for the vertices of its primitive and then the geometry shader, twice: the first time primitives are counted, and
//! the group adds up what comes before each lane; the second time they are stored.

mod drawn;
mod made;
mod source;

use std::mem::offset_of;

use afterimage_ir::{
    AtomicOp, Builder, GeometryDecl, Input, InputAt, MAX_VALUES, Module, Output, Primitives, Stage, Swizzle, Type,
    Value, Var, verify,
};

use super::block::{Counters, Draw, GROUP, Request, STREAMS};
use super::code::{Code, System, check};
use super::lower::finish;
use super::table::{Provoking, Row, TABLE};
use super::{Attribute, FeedbackError};
use source::{Source, share, total};

pub use drawn::{Drawing, Drawn, Emits, draw_geometry, draw_made};
pub use made::{Lines, Made};
pub use source::takes;

/// More primitives than any buffer has room for.
const PLENTY: u32 = 0x7fff_ffff;

/// Lowers a geometry shader with captures, and the vertex shader in front of it, to one compute shader.
///
/// It is dispatched as one work group (1, 1, 1). Its bank of source `Feedback`, number 0, is a [`Draw`] that [`plan`](super::plan()) or
/// [`prepare`](super::prepare()) filled for a request whose strides are all 0, so that nothing of it is limited by buffers, and whose
/// counters are not the feedback's. [`Draw::request`] is the address of another [`Request`], of which only `counters`, `buffers` and `sizes`
/// count: there primitives are stored, and counted by stream. `provoking` is the pipeline's convention, for the strips that come out.
///
/// Banks of the same number and name are the same bank of both shaders; textures are in compute slots as [`lower`](super::lower()) has them.
///
/// # Errors
/// [`FeedbackError`] says what the shaders have that cannot be lowered.
pub fn lower_geometry(
    vertex: &Module,
    geometry: &Module,
    attributes: &[Attribute],
    provoking: Provoking,
) -> Result<Module, FeedbackError> {
    check(vertex, Stage::Vertex)?;
    check(geometry, Stage::Geometry)?;
    let Some(decl) = geometry.geometry else { return Err(FeedbackError::Stage(geometry.stage.name())) };
    if geometry.feedback.is_empty() {
        return Err(FeedbackError::NoFeedback);
    }
    let (vertex, geometry) = share(vertex, geometry)?;
    let module = build(&vertex, &geometry, decl, attributes, provoking)?;
    verify(&module)?;
    Ok(module)
}

/// A stream of vertices that the shader emits into.
struct Stream {
    number: u8,
    /// Vertices of the strip.
    strip: Var,
    /// Primitives of the invocation.
    found: Var,
    /// Number of the lane's first primitive in the feedback of this draw.
    first: Var,
    /// Primitives of the rounds so far, at most [`PLENTY`].
    so_far: Var,
    /// The same in 64 bits.
    needed: Var,
    /// Primitives that all buffers have room for; all ones without buffers.
    room: Value,
    /// Number, stride, and address of the first byte of each buffer.
    buffers: Vec<(u8, u32, Value)>,
    /// Captured outputs, each with its value in the last vertex and in the one before.
    outputs: Vec<(Output, [Var; 2])>,
}

/// What becomes of the geometry shader's primitives.
struct Lowering<'a> {
    geometry: &'a Module,
    decl: GeometryDecl,
    row: &'static Row,
    provoking: Provoking,
    source: Source<'a>,
    /// Per captured output its value.
    outputs: Vec<Option<Var>>,
    streams: Vec<Stream>,
    /// Vertices of the invocation.
    emitted: Var,
    /// Whether this is the second time.
    storing: Var,
}

fn build(
    vertex: &Module,
    geometry: &Module,
    decl: GeometryDecl,
    attributes: &[Attribute],
    provoking: Provoking,
) -> Result<Module, FeedbackError> {
    let used = streams_of(geometry);
    let mut b = Builder::new(Stage::Compute);
    b.set_name(&geometry.name);
    b.work_group([GROUP, 1, 1], 4 * GROUP * used.len().max(1) as u32);
    let draw = System::new(&mut b, "draw", size_of::<Draw>());
    let mut lowering = Lowering::new(&mut b, geometry, decl, provoking, draw, &used);

    // As many invocations as there are lanes, those of a primitive one after the other.
    let lane = b.builtin(InputAt::LocalIndex);
    let invocations = b.int(decl.invocations);
    let (which, invocation) = (b.udiv(lane, invocations), b.umod(lane, invocations));
    let per_round = b.int(GROUP / decl.invocations);
    let total = total(&mut b, draw, decl.input);
    let first = b.var("first", Type::I32);
    b.begin_loop();
    let from = b.load(first);
    let done = b.ule(total, from);
    b.break_if(done);
    let left = b.isub(total, from);
    let count = b.umin(left, per_round);
    let there = b.ult(which, count);
    let number = b.iadd(from, which);
    let primitives = draw.word(&mut b, offset_of!(Draw, primitives));
    let instance = b.udiv(number, primitives);
    let before = b.imul(instance, primitives);
    let primitive = b.isub(number, before);
    b.begin_if(there);
    lowering.source.run_vertices(&mut b, vertex, attributes, draw, [primitive, instance])?;
    b.end_if();
    lowering.run_twice(&mut b, there, [lane, primitive, invocation]);
    let last = b.ule(left, per_round);
    b.break_if(last);
    let next = b.iadd(from, per_round);
    b.store(first, next);
    b.end_loop();

    // All have read the counters.
    b.barrier();
    let zero = b.int(0);
    let one_of_them = b.ieq(lane, zero);
    b.begin_if(one_of_them);
    lowering.count(&mut b, draw);
    b.end_if();
    finish(b)
}

/// Streams that a shader emits into or captures.
fn streams_of(geometry: &Module) -> Vec<u8> {
    let mut used = [false; STREAMS];
    geometry.for_each_inst(|_, data| {
        if let afterimage_ir::Imm::Stream(stream) = data.imm {
            used[usize::from(stream) % STREAMS] = true;
        }
    });
    (0..STREAMS as u8).filter(|stream| used[usize::from(*stream)]).collect()
}

/// The place of a field in a block at an address.
fn place(b: &mut Builder, block: Value, offset: usize) -> Value {
    let offset = b.int(offset as u32);
    b.wide_add(block, offset)
}

/// Address of the counters, which the request that the draw names has.
fn counters(b: &mut Builder, draw: System) -> Value {
    let request = draw.wide(b, offset_of!(Draw, request));
    let at = place(b, request, offset_of!(Request, counters));
    b.load_words(at, 2)
}

impl<'a> Lowering<'a> {
    fn new(
        b: &mut Builder,
        geometry: &'a Module,
        decl: GeometryDecl,
        provoking: Provoking,
        draw: System,
        used: &[u8],
    ) -> Self {
        // A strip is taken apart as the topology of the same name.
        let row = &TABLE[[0, 2, 4][decl.output.corners() as usize - 1]];
        let source = Source::new(b, geometry, decl);
        let mut outputs = vec![None; geometry.outputs.len()];
        for capture in &geometry.feedback {
            let decl = &geometry.outputs[capture.output.index()];
            outputs[capture.output.index()].get_or_insert_with(|| b.var(&decl.name, decl.ty));
        }
        let (storing, emitted) = (b.var("storing", Type::BOOL), b.var("emitted", Type::I32));
        let streams = Vec::new();
        let mut this = Self { geometry, decl, row, provoking, source, outputs, streams, emitted, storing };
        for &number in used {
            let stream = this.stream(b, draw, number);
            this.streams.push(stream);
        }
        this
    }

    /// A stream: its variables, and what there is room for.
    fn stream(&self, b: &mut Builder, draw: System, number: u8) -> Stream {
        let mut variable = |name: &str, ty| b.var(format!("{name}{number}"), ty);
        let [strip, found, first, so_far] = ["strip", "found", "first", "so_far"].map(|name| variable(name, Type::I32));
        let needed = variable("needed", Type::I32X2);
        let mut outputs = Vec::new();
        for (n, decl) in self.geometry.outputs.iter().enumerate() {
            let output = Output::new(n);
            if self.geometry.feedback.iter().any(|c| c.stream == number && c.output == output) {
                outputs.push((output, ["last", "before"].map(|name| b.var(format!("{name}{n}"), decl.ty))));
            }
        }
        let (mut room, mut buffers) = (b.int(!0), Vec::new());
        let counters = counters(b, draw);
        let request = draw.wide(b, offset_of!(Draw, request));
        for (n, stride) in super::strides(self.geometry).into_iter().enumerate() {
            if stride == 0 || super::streams(self.geometry)[n] != number {
                continue;
            }
            let at = place(b, request, offset_of!(Request, buffers) + 8 * n);
            let buffer = b.load_words(at, 2);
            let at = place(b, request, offset_of!(Request, sizes) + 4 * n);
            let size = b.load_words(at, 1);
            let at = place(b, counters, offset_of!(Counters, bytes) + 4 * n);
            let used = b.load_words(at, 1);
            let (zero, bound) = (b.int(0), b.is_set(buffer));
            let some = b.ult(used, size);
            let some = b.band(some, bound);
            let left = b.isub(size, used);
            let left = b.select(some, left, zero);
            let bytes = b.int(stride * self.decl.output.corners());
            let fits = b.udiv(left, bytes);
            room = b.umin(room, fits);
            buffers.push((n as u8, stride, b.wide_add(buffer, used)));
        }
        Stream { number, strip, found, first, so_far, needed, room, buffers, outputs }
    }

    /// Runs the geometry shader, first to count and then to store.
    fn run_twice(&mut self, b: &mut Builder, there: Value, [lane, primitive, invocation]: [Value; 3]) {
        let (off, on, two) = (b.bool(false), b.bool(true), b.int(2));
        b.store(self.storing, off);
        b.begin_loop();
        let zero = b.int(0);
        b.store(self.emitted, zero);
        for stream in &self.streams {
            [stream.strip, stream.found].into_iter().for_each(|var| b.store(var, zero));
        }
        for (decl, var) in self.geometry.outputs.iter().zip(&self.outputs) {
            if let &Some(var) = var {
                let zero = b.const_bits(decl.ty, [0; 4]);
                b.store(var, zero);
            }
        }
        b.begin_if(there);
        let inputs = self.source.inputs(primitive, invocation);
        let outputs = self.outputs.clone();
        b.inline_geometry(self.geometry, &inputs, &outputs, self);
        b.end_if();
        let stored = b.load(self.storing);
        b.break_if(stored);

        let mine = b.ishl(lane, two);
        for (n, stream) in (0u32..).zip(&self.streams) {
            let (found, at) = (b.load(stream.found), b.int(4 * GROUP * n));
            let at = b.iadd(mine, at);
            b.store_shared(at, found);
        }
        b.barrier();
        let sums: Vec<[Value; 2]> = (0..self.streams.len()).map(|n| sums(b, n as u32, lane)).collect();
        b.barrier();
        let mut any = off;
        for (stream, [before, all]) in self.streams.iter().zip(sums) {
            let so_far = b.load(stream.so_far);
            let first = b.iadd(so_far, before);
            b.store(stream.first, first);
            if !stream.buffers.is_empty() {
                let room = b.ult(so_far, stream.room);
                any = b.bor(any, room);
            }
            let (next, most) = (b.iadd(so_far, all), b.int(PLENTY));
            let next = b.umin(next, most);
            b.store(stream.so_far, next);
            let needed = b.load(stream.needed);
            let needed = b.wide_add(needed, all);
            b.store(stream.needed, needed);
        }
        let none = b.bnot(any);
        b.break_if(none);
        b.store(self.storing, on);
        b.end_loop();
    }

    /// Stores a primitive, the last vertex of which has just been emitted: number `number` of its strip.
    fn primitive(&self, b: &mut Builder, stream: &Stream, number: Value) {
        let (found, one) = (b.load(stream.found), b.int(1));
        let more = b.iadd(found, one);
        b.store(stream.found, more);
        if stream.buffers.is_empty() {
            return;
        }
        let first = b.load(stream.first);
        let primitive = b.iadd(first, found);
        let (storing, fits) = (b.load(self.storing), b.ult(primitive, stream.room));
        let stored = b.band(storing, fits);
        b.begin_if(stored);
        let (corners, odd) = (self.decl.output.corners(), b.iand(number, one));
        let count = b.int(corners);
        let vertex = b.imul(primitive, count);
        // For each output its values in the vertices of the primitive, the oldest first.
        let values: Vec<(Output, Vec<Value>)> = stream
            .outputs
            .iter()
            .map(|&(output, [last, before])| {
                let now = self.outputs[output.index()].unwrap_or(last);
                let vars = [before, last, now];
                (output, vars[3 - corners as usize..].iter().map(|&var| b.load(var)).collect())
            })
            .collect();
        let order = |parity: u32| self.row.positions(self.provoking, parity).map(move |at| (at - parity) as usize);
        for (n, (even, odd_one)) in (0u32..).zip(order(0).zip(order(1))) {
            let n = b.int(n);
            let vertex = b.iadd(vertex, n);
            for &(buffer, stride, target) in &stream.buffers {
                let stride = b.int(stride);
                let vertex = b.element(target, vertex, stride);
                for capture in self.geometry.feedback.iter().filter(|capture| capture.buffer == buffer) {
                    let Some((_, values)) = values.iter().find(|(output, _)| *output == capture.output) else {
                        continue;
                    };
                    let value =
                        if even == odd_one { values[even] } else { b.select(odd, values[odd_one], values[even]) };
                    let lanes: Vec<u8> = (capture.component..).take(capture.lanes.into()).collect();
                    let value = b.swizzle(value, Swizzle::new(&lanes));
                    let address = place(b, vertex, capture.offset as usize);
                    b.store_global(address, value);
                }
            }
        }
        b.end_if();
    }

    /// Adds what was found to the counters, in one lane.
    fn count(&self, b: &mut Builder, draw: System) {
        let counters = counters(b, draw);
        for stream in &self.streams {
            let needed = b.load(stream.needed);
            let mut written = needed;
            if !stream.buffers.is_empty() {
                let (so_far, zero) = (b.load(stream.so_far), b.int(0));
                let stored = b.umin(so_far, stream.room);
                written = b.construct(&[stored, zero]);
                for &(buffer, stride, _) in &stream.buffers {
                    let bytes = b.int(stride * self.decl.output.corners());
                    let bytes = b.imul(stored, bytes);
                    let at = place(b, counters, offset_of!(Counters, bytes) + 4 * usize::from(buffer));
                    b.atomic_global(AtomicOp::Add, at, &[bytes]);
                }
            }
            for (counter, by) in [(offset_of!(Counters, needed), needed), (offset_of!(Counters, written), written)] {
                let at = place(b, counters, counter + 8 * usize::from(stream.number));
                let old = b.load_words(at, 2);
                let (low, high) = (b.extract(by, 0), b.extract(by, 1));
                let sum = b.wide_add(old, low);
                let (sum, carried) = (b.extract(sum, 0), b.extract(sum, 1));
                let high = b.iadd(carried, high);
                let sum = b.construct(&[sum, high]);
                b.store_global(at, sum);
            }
        }
    }

    fn stream_of(&self, number: u8) -> Option<&Stream> {
        self.streams.iter().find(|stream| stream.number == number)
    }
}

impl Primitives for Lowering<'_> {
    fn load_vertex_input(&mut self, b: &mut Builder, input: Input, vertex: Value) -> Value {
        self.source.load(b, input, vertex)
    }

    fn emit_vertex(&mut self, b: &mut Builder, stream: u8) {
        // Each is a lot of code, so a program made to have too many ends here; the builder says that it is too large.
        let Some(stream) = self.stream_of(stream).filter(|_| b.module().values.len() < MAX_VALUES) else { return };
        let (one, most) = (b.int(1), b.int(self.decl.vertices));
        let emitted = b.load(self.emitted);
        let counts = b.ult(emitted, most);
        b.begin_if(counts);
        let emitted = b.iadd(emitted, one);
        b.store(self.emitted, emitted);
        let (strip, others) = (b.load(stream.strip), b.int(self.decl.output.corners() - 1));
        let complete = b.ule(others, strip);
        b.begin_if(complete);
        let number = b.isub(strip, others);
        self.primitive(b, stream, number);
        b.end_if();
        let longer = b.iadd(strip, one);
        b.store(stream.strip, longer);
        for &(output, [last, before]) in &stream.outputs {
            if let Some(now) = self.outputs[output.index()] {
                let (older, newer) = (b.load(last), b.load(now));
                b.store(before, older);
                b.store(last, newer);
            }
        }
        b.end_if();
    }

    fn end_primitive(&mut self, b: &mut Builder, stream: u8) {
        if let Some(stream) = self.stream_of(stream) {
            let zero = b.int(0);
            b.store(stream.strip, zero);
        }
    }
}

/// What the lanes before this one have found in a stream, and what all have.
fn sums(b: &mut Builder, stream: u32, lane: Value) -> [Value; 2] {
    let [at, before, all] = ["at", "before", "all"].map(|name| b.var(name, Type::I32));
    let (zero, one, two, end, base) = (b.int(0), b.int(1), b.int(2), b.int(GROUP), b.int(4 * GROUP * stream));
    [at, before, all].into_iter().for_each(|var| b.store(var, zero));
    b.begin_loop();
    let now = b.load(at);
    let done = b.ule(end, now);
    b.break_if(done);
    let place = b.ishl(now, two);
    let place = b.iadd(place, base);
    let found = b.load_shared(place, 1);
    let earlier = b.ult(now, lane);
    let counted = b.select(earlier, found, zero);
    for (sum, more) in [(before, counted), (all, found)] {
        let old = b.load(sum);
        let new = b.iadd(old, more);
        b.store(sum, new);
    }
    let next = b.iadd(now, one);
    b.store(at, next);
    b.end_loop();
    [before, all].map(|var| b.load(var))
}
