//! The pass: captures become stores.
//!
//! Precondition: a verified vertex shader with captures, without side effects. Promise: every captured vertex of every captured primitive
//! is stored where transform feedback would have put it, and nothing else is. See [`lower`].
//!
//! The shader's own code is taken as it is (the builder [inlines](Builder::inline) it); all that is generated here is which vertex it runs
//! for, what it reads as its inputs, and where its outputs go.

use std::mem::offset_of;

use afterimage_abi::slots;
use afterimage_ir::{Builder, Imm, InputAt, Kind, Module, Output, Stage, Swizzle, Type, Value, Var, verify};

use super::block::{Draw, GROUP, Target};
use super::code::{Code, System, check};
use super::fetch::fetch;
use super::{Attribute, FeedbackError, Form, Options, Step};
use crate::{control_flow, cse, dce, lanes, simplify, ssa};

/// Lowers a verified vertex shader with captures.
///
/// What comes out is verified: a compute shader for [`Form::Gather`], a vertex shader for [`Form::Scatter`]. Its bank of source `Feedback`,
/// number 0, is a [`Draw`]; other banks, specialisation constants and names are those of `module`, and so are textures, but that slots 16
/// to 19 are 20 to 23 in the compute stage.
///
/// # Errors
/// [`FeedbackError`] says what the shader has that cannot be lowered.
pub fn lower(module: &Module, options: &Options) -> Result<Module, FeedbackError> {
    check(module, Stage::Vertex)?;
    if module.feedback.is_empty() {
        return Err(FeedbackError::NoFeedback);
    }
    if let Some(capture) = module.feedback.iter().find(|capture| capture.stream != 0) {
        return Err(FeedbackError::Stream(capture.stream));
    }
    let lowered = match options.form {
        Form::Gather => gather(module, options)?,
        Form::Scatter => scatter(module, options)?,
    };
    verify(&lowered)?;
    Ok(lowered)
}

/// A compute shader, an invocation per captured vertex.
fn gather(module: &Module, options: &Options) -> Result<Module, FeedbackError> {
    let mut b = Builder::new(Stage::Compute);
    b.set_name(&module.name);
    b.work_group([GROUP, 1, 1], 0);
    let draw = System::new(&mut b, "draw", size_of::<Draw>());

    // Captured vertex `number` of the draw is corner `corner` of primitive `primitive`.
    let number = invocation(&mut b);
    let row = draw.register(&mut b, offset_of!(Draw, row));
    let recorded = recorded(&mut b, row);
    let primitive = divide_by_recorded(&mut b, number, recorded);
    let first = b.imul(primitive, recorded);
    let corner = b.isub(number, first);
    let captured = draw.word(&mut b, offset_of!(Draw, captured));
    let exists = b.ult(primitive, captured);
    b.begin_if(exists);

    let primitives = draw.word(&mut b, offset_of!(Draw, primitives));
    let one_instance = b.ule(captured, primitives);
    let instance = b.if_else(one_instance, |b| b.int(0), |b| b.udiv(primitive, primitives));
    let before = b.imul(instance, primitives);
    let primitive = b.isub(primitive, before);

    // The run of vertices that the primitive is in, by its first position, and the primitive's number in there. (Draws without indices
    // do not even look whether there is a list: words of memory are what a vertex costs most.)
    let index_bytes = draw.word(&mut b, offset_of!(Draw, index_bytes));
    let indexed = b.cast(index_bytes, Kind::Bool);
    let run = b.if_else(
        indexed,
        |b| {
            let list = draw.wide(b, offset_of!(Draw, list));
            let restarts = b.is_set(list);
            b.if_else(
                restarts,
                |b| {
                    let size = b.int(8);
                    let entry = b.element(list, primitive, size);
                    b.load_words(entry, 2)
                },
                |b| one_run(b, primitive),
            )
        },
        |b| one_run(b, primitive),
    );
    let (start, in_run) = (b.extract(run, 0), b.extract(run, 1));
    let (scale, at) = corner_of(&mut b, row, corner, in_run);
    let from = b.imul(scale, in_run);
    let at = b.iadd(from, at);
    let position = b.iadd(start, at);

    let is_captured = |output| module.feedback.iter().any(|capture| capture.output == output);
    let outputs = run_vertex(&mut b, module, &options.attributes, draw, [position, instance], &is_captured)?;
    store(&mut b, module, draw, &outputs, number);
    b.end_if();
    finish(b)
}

/// A vertex shader, an invocation per vertex.
fn scatter(module: &Module, options: &Options) -> Result<Module, FeedbackError> {
    let mut b = Builder::new(Stage::Vertex);
    b.set_name(&module.name);
    let draw = System::new(&mut b, "draw", size_of::<Draw>());
    let (position, instance) = (b.builtin(InputAt::VertexIndex), b.builtin(InputAt::InstanceIndex));
    let is_captured = |output| module.feedback.iter().any(|capture| capture.output == output);
    let outputs = run_vertex(&mut b, module, &options.attributes, draw, [position, instance], &is_captured)?;

    let row = draw.register(&mut b, offset_of!(Draw, row));
    let recorded = recorded(&mut b, row);
    let (zero, one, two) = (b.int(0), b.int(1), b.int(2));
    let run = run_of(&mut b, draw, position);
    let (start, base, count) = (b.extract(run, 0), b.extract(run, 1), b.extract(run, 2));
    let place = b.isub(position, start);
    let captured = draw.word(&mut b, offset_of!(Draw, captured));
    let primitives = draw.word(&mut b, offset_of!(Draw, primitives));
    let before = b.wide_mul(instance, primitives);
    let before = b.wide_add(before, base);
    let (before, beyond) = (b.extract(before, 0), b.extract(before, 1));
    let counted = b.ieq(beyond, zero);

    // Each corner of the even primitives, then of the odd ones.
    let case = b.var("case", Type::I32);
    let in_run = b.var("primitive", Type::I32);
    b.begin_loop();
    let now = b.load(case);
    let corner = b.ushr(now, one);
    let done = b.ule(recorded, corner);
    b.break_if(done);
    let parity = b.iand(now, one);
    let (scale, at) = corner_of(&mut b, row, corner, parity);
    let hub = b.ieq(scale, zero);
    let away = b.isub(place, at);
    let only = b.udiv(away, scale);
    let (multiple, its_parity, there) = (b.imul(only, scale), b.iand(only, one), b.ule(at, place));
    let exact = b.ieq(multiple, away);
    let hit = b.ieq(its_parity, parity);
    let hit = b.band(hit, exact);
    let hit = b.band(hit, there);
    let is_hub = b.ieq(away, zero);
    let hit = b.select(hub, is_hub, hit);
    let hit = b.band(hit, counted);
    b.begin_if(hit);
    let first = b.select(hub, parity, only);
    b.store(in_run, first);
    // One round, but for the hub of a fan.
    b.begin_loop();
    let primitive = b.load(in_run);
    let number = b.iadd(before, primitive);
    let (wraps, exists, fits) = (b.ult(number, before), b.ult(primitive, count), b.ult(number, captured));
    let whole = b.bnot(wraps);
    let recorded_there = b.band(exists, fits);
    let recorded_there = b.band(recorded_there, whole);
    let none = b.bnot(recorded_there);
    b.break_if(none);
    let vertex = b.imul(number, recorded);
    let vertex = b.iadd(vertex, corner);
    store(&mut b, module, draw, &outputs, vertex);
    let once = b.bnot(hub);
    b.break_if(once);
    let next = b.iadd(primitive, two);
    b.store(in_run, next);
    b.end_loop();
    b.end_if();
    let next = b.iadd(now, one);
    b.store(case, next);
    b.end_loop();
    finish(b)
}

/// Number of a lane in the whole dispatch.
pub(super) fn invocation(b: &mut Builder) -> Value {
    let (group, groups, lane) =
        (b.builtin(InputAt::WorkgroupId), b.builtin(InputAt::WorkgroupCount), b.builtin(InputAt::LocalIndex));
    let (x, y, width) = (b.extract(group, 0), b.extract(group, 1), b.extract(groups, 0));
    let (above, lanes) = (b.imul(y, width), b.int(GROUP));
    let group = b.iadd(above, x);
    let first = b.imul(group, lanes);
    b.iadd(first, lane)
}

/// How many vertices a primitive records.
fn recorded(b: &mut Builder, row: Value) -> Value {
    let (head, mask) = (b.extract(row, 0), b.int(0xff));
    b.iand(head, mask)
}

/// `number / recorded`, where that is 1 to 3.
fn divide_by_recorded(b: &mut Builder, number: Value, recorded: Value) -> Value {
    let (one, two, third) = (b.int(1), b.int(2), b.int(0xaaaa_aaab));
    let half = b.ushr(number, one);
    let high = b.umulhi(number, third);
    let by_three = b.ushr(high, one);
    let (is_one, is_two) = (b.ieq(recorded, one), b.ieq(recorded, two));
    let more = b.select(is_two, half, by_three);
    b.select(is_one, number, more)
}

/// A primitive of the only run that there is.
fn one_run(b: &mut Builder, primitive: Value) -> Value {
    let start = b.int(0);
    b.construct(&[start, primitive])
}

/// Of a corner of a primitive of the run, what the primitive's number is multiplied by, and what is added.
pub(super) fn corner_of(b: &mut Builder, row: Value, corner: Value, primitive: Value) -> (Value, Value) {
    let (scales, even, odd, one) = (b.extract(row, 1), b.extract(row, 2), b.extract(row, 3), b.int(1));
    let parity = b.iand(primitive, one);
    let is_odd = b.cast(parity, Kind::Bool);
    let offsets = b.select(is_odd, odd, even);
    (b.byte(scales, corner), b.byte(offsets, corner))
}

/// The run that a position is in: its first position, the first of its primitives in the instance, and how many it has.
fn run_of(b: &mut Builder, draw: System, position: Value) -> Value {
    let list = draw.wide(b, offset_of!(Draw, list));
    let primitives = draw.word(b, offset_of!(Draw, primitives));
    let (zero, one, size) = (b.int(0), b.int(1), b.int(8));
    let (low, high) = (b.var("low", Type::I32), b.var("high", Type::I32));
    let restarts = b.is_set(list);
    b.if_else(
        restarts,
        |b| {
            // The last primitive of those whose run begins here or before: its run is this one, or has ended.
            b.store(high, primitives);
            b.begin_loop();
            let (from, to) = (b.load(low), b.load(high));
            let done = b.ule(to, from);
            b.break_if(done);
            let between = b.isub(to, from);
            let half = b.ushr(between, one);
            let middle = b.iadd(from, half);
            let entry = b.element(list, middle, size);
            let start = b.load_words(entry, 1);
            let before = b.ule(start, position);
            let above = b.iadd(middle, one);
            let (from, to) = (b.select(before, above, from), b.select(before, to, middle));
            b.store(low, from);
            b.store(high, to);
            b.end_loop();
            let found = b.load(low);
            let none = b.ieq(found, zero);
            b.if_else(
                none,
                |b| b.construct(&[zero, zero, zero]),
                |b| {
                    let last = b.isub(found, one);
                    let entry = b.element(list, last, size);
                    let entry = b.load_words(entry, 2);
                    let (start, number) = (b.extract(entry, 0), b.extract(entry, 1));
                    let (first, count) = (b.isub(last, number), b.iadd(number, one));
                    b.construct(&[start, first, count])
                },
            )
        },
        |b| b.construct(&[zero, zero, primitives]),
    )
}

/// Runs the shader for the vertex at a position of an instance. The variables that those of its outputs are in that are wanted, by output.
pub(super) fn run_vertex(
    b: &mut Builder,
    module: &Module,
    attributes: &[Attribute],
    draw: System,
    [position, instance]: [Value; 2],
    wanted: &dyn Fn(Output) -> bool,
) -> Result<Vec<Option<Var>>, FeedbackError> {
    let index_bytes = draw.word(b, offset_of!(Draw, index_bytes));
    let indexed = b.cast(index_bytes, Kind::Bool);
    let index = b.if_else(
        indexed,
        |b| {
            let indices = draw.wide(b, offset_of!(Draw, indices));
            b.load_index(indices, index_bytes, position)
        },
        |_| position,
    );
    let first = draw.word(b, offset_of!(Draw, first));
    let vertex = b.iadd(first, index);
    let first_instance = draw.word(b, offset_of!(Draw, first_instance));

    let mut inputs = vec![None; module.inputs.len()];
    for (input, value) in inputs.iter_mut().enumerate().filter(|(input, _)| is_read(module, *input)) {
        *value = Some(match module.inputs[input].at {
            InputAt::VertexIndex => vertex,
            InputAt::InstanceIndex => b.iadd(first_instance, instance),
            InputAt::Location(location) => {
                let (attribute, part) = attribute(attributes, location)?;
                let element = match attribute.step {
                    Step::Vertex => vertex,
                    Step::Instance(0) => first_instance,
                    Step::Instance(1) => b.iadd(first_instance, instance),
                    Step::Instance(divisor) => {
                        let divisor = b.int(divisor);
                        let step = b.udiv(instance, divisor);
                        b.iadd(first_instance, step)
                    }
                };
                fetch(b, draw, attribute, part, element)
            }
            at => return Err(FeedbackError::Input(at.to_string())),
        });
    }
    let mut outputs = vec![None; module.outputs.len()];
    for (n, decl) in module.outputs.iter().enumerate().filter(|(n, _)| wanted(Output::new(*n))) {
        outputs[n] = Some(b.var(&decl.name, decl.ty));
    }
    if b.module().stage == Stage::Vertex || module.textures.is_empty() {
        b.inline(module, &inputs, &outputs);
    } else {
        let mut moved = module.clone();
        for texture in &mut moved.textures {
            texture.slot = compute_slot(texture.slot);
        }
        b.inline(&moved, &inputs, &outputs);
    }
    Ok(outputs)
}

/// Whether the shader reads an input.
fn is_read(module: &Module, input: usize) -> bool {
    let mut read = false;
    module.for_each_inst(|_, data| read |= matches!(data.imm, Imm::Input(at) if at.index() == input));
    read
}

/// The attribute that feeds a location, and which four words of it.
fn attribute(attributes: &[Attribute], location: u8) -> Result<(&Attribute, u8), FeedbackError> {
    let fed =
        |attribute: &&Attribute| (0..attribute.fetch.locations()).contains(&location.wrapping_sub(attribute.location));
    let attribute = attributes.iter().find(fed).ok_or(FeedbackError::MissingAttribute(location))?;
    attribute.check()?;
    Ok((attribute, location - attribute.location))
}

/// Where a texture of the vertex stage is in the compute stage: its own four slots come first.
pub(super) fn compute_slot(slot: u8) -> u8 {
    slots::compute_slot(slot.into()) as u8
}

/// Stores the captured outputs as vertex `number` of those that the draw captures.
fn store(b: &mut Builder, module: &Module, draw: System, outputs: &[Option<Var>], number: Value) {
    for (buffer, stride) in (0u8..).zip(super::strides(module)) {
        if stride == 0 {
            continue;
        }
        let target =
            offset_of!(Draw, targets) + usize::from(buffer) * size_of::<Target>() + offset_of!(Target, address);
        let (target, stride) = (draw.wide(b, target), b.int(stride));
        let vertex = b.element(target, number, stride);
        for capture in module.feedback.iter().filter(|capture| capture.buffer == buffer) {
            let Some(var) = outputs[capture.output.index()] else { continue };
            let value = b.load(var);
            let lanes: Vec<u8> = (capture.component..).take(capture.lanes.into()).collect();
            let value = b.swizzle(value, Swizzle::new(&lanes));
            let offset = b.int(capture.offset);
            let address = b.wide_add(vertex, offset);
            b.store_global(address, value);
        }
    }
}

/// Makes the module, and little of it: what was built speaks of variables, and asks for system values again and again.
pub(super) fn finish(b: Builder) -> Result<Module, FeedbackError> {
    let mut module = b.finish()?;
    verify(&module)?;
    for pass in [ssa::run, lanes::run, simplify::run, control_flow::run, cse::run, dce::run] {
        pass(&mut module);
    }
    Ok(module)
}
