//! Inputs, outputs and module-scope variables.

use std::collections::BTreeMap;
use std::rc::Rc;

use afterimage_ir::{
    FEEDBACK_BUFFERS, FEEDBACK_STREAMS, FeedbackDecl, InputAt, InputDecl, Interp, Kind, MAX_FEEDBACK_STRIDE, Mask,
    Output, OutputAt, OutputDecl, Stage, Swizzle, Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::locations::{Assigned, At, Capture, Start, distance};
use super::memory::{Cell, Cells};
use super::pointer::{Step, descriptor, is_storage};
use super::texture::Textures;
use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::io::{Bindings, BlockSource};
use crate::tables::{addressing, builtin, decoration, op, storage};
use crate::types::{Declared, EntryPoint, Ty};

/// A whole input or some of its components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    at: At,
    lanes: u8,
}

/// A location of the inputs. Variables may share one, each with other components.
struct Location {
    kind: Kind,
    lanes: u8,
    interp: Interp,
    name: String,
    input: Option<afterimage_ir::Input>,
}

/// An output of the IR and the variables that hold it.
struct Target {
    output: Output,
    stream: u8,
    parts: Vec<Part>,
}

/// An output that is not declared yet.
struct Planned {
    at: OutputAt,
    ty: Type,
    name: String,
    stream: u32,
    parts: Vec<Part>,
    /// First component, number of components, and where they go.
    captures: Vec<(u8, u8, Capture)>,
}

struct Part {
    storage: usize,
    leaf: usize,
    element: u32,
    component: u8,
}

/// What the stage shares with others.
#[derive(Default)]
pub(super) struct Interface {
    /// Whether the push constants hold the texture words of our own ABI.
    pub(super) own_abi: bool,
    /// Whether addresses are ours.
    pub(super) own_addressing: bool,
    locations: BTreeMap<u8, Location>,
    builtins: FxHashMap<InputAt, afterimage_ir::Input>,
    /// Components of the arrays of distances that are inputs.
    distances: FxHashMap<InputAt, u8>,
    targets: Vec<Target>,
    /// Elements of dynamically indexed inputs, to be copied before any code.
    copies: Vec<(usize, usize, u32, Input)>,
    /// Variables with initializers, to be stored before any code.
    initial: Vec<(u32, u32)>,
    pub(super) textures: Textures,
}

/// Gives what streams beyond the first of a location have there locations of their own: nothing reads those but what captures them.
fn part_streams(outputs: &mut [Planned]) -> Result<(), LiftErrorKind> {
    const LOCATIONS: u8 = 32;
    for n in 0..outputs.len() {
        let (at, stream) = (outputs[n].at, outputs[n].stream);
        if !outputs.iter().any(|other| other.at == at && other.stream < stream) {
            continue;
        }
        let mut free = (0..LOCATIONS).rev().map(OutputAt::Location);
        let free = free.find(|free| outputs.iter().all(|other| other.at != *free));
        outputs[n].at = free.ok_or(LiftErrorKind::TooMany("locations of streams"))?;
    }
    Ok(())
}

impl Lifter<'_> {
    /// Everything that the entry point lists.
    pub(super) fn declare_interface(&mut self, entry: &EntryPoint) -> Result<(), LiftErrorKind> {
        self.recognise_own_abi();
        let written = written_outputs(self.d);
        let mut seen = FxHashSet::default();
        let mut outputs: Vec<Planned> = Vec::new();
        for &id in entry.interface.iter().filter(|&&id| seen.insert(id)) {
            let d = self.d;
            let Some(instruction) = d.program.definition(id).map(|number| &d.program.instructions[number]) else {
                return Err(LiftErrorKind::NotAValue(id));
            };
            let Ty::Pointer { class, to } = *d.ty(instruction.ty)? else {
                return Err(LiftErrorKind::Malformed("the interface lists what is no variable"));
            };
            if class != storage::Input && class != storage::Output {
                continue;
            }
            if d.leaves(to) > super::MAX_LEAVES {
                return Err(LiftErrorKind::TooMany("scalars and vectors in an input or output"));
            }
            if class == storage::Input && self.stage == Stage::Geometry {
                self.declare_corners(id, to)?;
                continue;
            }
            let mut assigned = Vec::new();
            let mut start = Start::new(d.decorations(id), None, None);
            self.assign(d.ty(to)?, 0, 0, &mut start, &mut assigned)?;
            if class == storage::Input {
                self.declare_input(id, to, assigned)?;
                continue;
            }
            let storage = self.new_storage(to, d.name(id), self.dynamic.contains(&id))?;
            self.globals.insert(id, Val::Pointer(Rc::new(self.pointer_to(storage, to)?)));
            let initial = d.program.operands(instruction).get(1);
            self.interface.initial.extend(initial.map(|&value| (id, value)));
            let whole = initial.is_some() || written.contains(&(id, None));
            for part in assigned {
                if whole || part.capture.is_some() || written.contains(&(id, Some(part.member))) {
                    self.collect_output(storage, &part, d.name(id), &mut outputs)?;
                }
            }
        }
        part_streams(&mut outputs)?;
        let strides = strides(&outputs)?;
        for Planned { at, ty, name, stream, mut parts, captures } in outputs {
            parts.sort_by_key(|part| part.component);
            let stream = u8::try_from(stream).ok().filter(|&stream| stream < FEEDBACK_STREAMS);
            let stream = stream.ok_or(LiftErrorKind::Capture("there are streams 0 to 3"))?;
            let output = self.b.output(OutputDecl { name, ty, at, semantic: None });
            self.interface.targets.push(Target { output, stream, parts });
            self.capture(output, stream, captures, &strides);
        }
        Ok(())
    }

    /// Says what is captured of an output. What lies together in both places is one capture.
    fn capture(&mut self, output: Output, stream: u8, mut captures: Vec<(u8, u8, Capture)>, strides: &[u32]) {
        captures.sort_by_key(|&(component, _, to)| (to.buffer, component));
        let mut all: Vec<FeedbackDecl> = Vec::new();
        for (component, lanes, to) in captures {
            if let Some(last) = all.last_mut()
                && u32::from(last.buffer) == to.buffer
                && last.component + last.lanes == component
                && last.offset + 4 * u32::from(last.lanes) == to.offset
            {
                last.lanes += lanes;
                continue;
            }
            let (buffer, stride) = (to.buffer as u8, strides[to.buffer as usize]);
            all.push(FeedbackDecl { output, component, lanes, buffer, stream, stride, offset: to.offset });
        }
        all.into_iter().for_each(|capture| self.b.feedback(capture));
    }

    /// An input of a geometry shader: an array with an element for each vertex of the primitive, or else a builtin.
    fn declare_corners(&mut self, id: u32, to: u32) -> Result<(), LiftErrorKind> {
        let d = self.d;
        let mut start = Start::new(d.decorations(id), None, None);
        let mut assigned = Vec::new();
        let Ty::Array { element, .. } = *d.ty(to)? else {
            if start.builtin.is_none() {
                return Err(LiftErrorKind::Malformed("an input of a geometry shader is no array"));
            }
            self.assign(d.ty(to)?, 0, 0, &mut start, &mut assigned)?;
            return self.declare_input(id, to, assigned);
        };
        self.assign(d.ty(element)?, 0, 0, &mut start, &mut assigned)?;
        let nowhere = &mut |_: &mut Self, _, count| Cells::Split(vec![Cell::Nowhere; count as usize]);
        let storage = self.storage_of(element, nowhere)?;
        let pointer = self.corners_pointer(storage, to)?;
        self.globals.insert(id, Val::Pointer(Rc::new(pointer)));
        self.place_inputs(id, storage, assigned)
    }

    /// See [`crate::io`].
    fn recognise_own_abi(&mut self) {
        let d = self.d;
        let model = d.program.instructions.iter().find(|i| i.opcode() == op::MemoryModel);
        let addressing = model.and_then(|model| d.program.operands(model).first());
        self.interface.own_addressing = addressing == Some(&addressing::PhysicalStorageBuffer64);
        self.interface.own_abi = self.interface.own_addressing
            && d.variables.iter().any(|&number| {
                let pointer = d.ty(d.program.instructions[number].ty);
                let Ok(&Ty::Pointer { class: storage::PushConstant, to }) = pointer else { return false };
                let Ok(Ty::Struct { id, members }) = d.ty(to) else { return false };
                members.iter().zip(0..).any(|(&member, at)| {
                    let slots = u32::from(afterimage_ir::TEXTURE_SLOTS);
                    d.member_decoration(*id, at, decoration::Offset) == Some(32)
                        && matches!(d.ty(member), Ok(Ty::Array { len, .. }) if *len == Some(slots))
                })
            });
    }

    fn declare_input(&mut self, id: u32, to: u32, assigned: Vec<Assigned>) -> Result<(), LiftErrorKind> {
        let d = self.d;
        let storage = if self.dynamic.contains(&id) {
            self.new_storage(to, d.name(id), true)?
        } else {
            self.storage_of(to, &mut |_, _, count| Cells::Split(vec![Cell::Nowhere; count as usize]))?
        };
        self.globals.insert(id, Val::Pointer(Rc::new(self.pointer_to(storage, to)?)));
        self.place_inputs(id, storage, assigned)
    }

    /// Gives the elements of an input's variable their places.
    fn place_inputs(&mut self, id: u32, storage: usize, assigned: Vec<Assigned>) -> Result<(), LiftErrorKind> {
        let d = self.d;
        for part in assigned {
            let input = Input { at: part.at, lanes: part.ty.lanes };
            if let At::BuiltIn(number, element) = part.at
                && let Some((at, lane)) = distance(number, element)
            {
                let lanes = self.interface.distances.entry(at).or_insert(0);
                *lanes = (*lanes).max(lane + 1);
            }
            if let At::Location(location, component) = part.at {
                let lanes = component + part.ty.lanes;
                let new = Location {
                    kind: part.ty.kind,
                    lanes,
                    interp: part.interp,
                    name: d.name(id).to_owned(),
                    input: None,
                };
                let known = self.interface.locations.entry(location).or_insert(new);
                if known.kind != part.ty.kind {
                    return Err(LiftErrorKind::Unsupported("a location shared by floats and integers"));
                }
                known.lanes = known.lanes.max(lanes);
            }
            match self.memory.storages[storage].leaves.get_mut(part.leaf).map(|leaf| &mut leaf.cells) {
                Some(Cells::Split(cells)) => {
                    if let Some(cell) = cells.get_mut(part.element as usize) {
                        *cell = Cell::Input(input);
                    }
                }
                _ => self.interface.copies.push((storage, part.leaf, part.element, input)),
            }
        }
        Ok(())
    }

    fn collect_output(
        &mut self,
        storage: usize,
        assigned: &Assigned,
        name: &str,
        outputs: &mut Vec<Planned>,
    ) -> Result<(), LiftErrorKind> {
        let vertex = self.stage != Stage::Pixel;
        let (at, component) = match assigned.at {
            At::Location(location, component) => (OutputAt::Location(location), component),
            At::BuiltIn(builtin::Position, _) if vertex => (OutputAt::Position, 0),
            At::BuiltIn(builtin::PointSize, _) if vertex => (OutputAt::PointSize, 0),
            At::BuiltIn(builtin::ClipDistance, element) if vertex && element < 8 => {
                (OutputAt::ClipDistance((element / 4 * 4) as u8), (element % 4) as u8)
            }
            At::BuiltIn(builtin::CullDistance, element) if vertex && element < 8 => {
                (OutputAt::CullDistance((element / 4 * 4) as u8), (element % 4) as u8)
            }
            At::BuiltIn(builtin::Layer, _) if vertex => (OutputAt::Layer, 0),
            At::BuiltIn(builtin::ViewportIndex, _) if vertex => (OutputAt::ViewportIndex, 0),
            At::BuiltIn(builtin::PrimitiveId, _) if self.stage == Stage::Geometry => (OutputAt::PrimitiveId, 0),
            At::BuiltIn(builtin::FragDepth, _) if !vertex => (OutputAt::FragDepth, 0),
            At::BuiltIn(number, _) => return Err(unknown_builtin(number)),
        };
        let part = Part { storage, leaf: assigned.leaf, element: assigned.element, component };
        let lanes = component + assigned.ty.lanes;
        if lanes > 4 {
            return Err(LiftErrorKind::Malformed("a builtin output does not have the type that it should have"));
        }
        let capture = assigned.capture.map(|to| (component, assigned.ty.lanes, to));
        // Components of a location may be of several streams: those are apart.
        let apart = matches!(at, OutputAt::Location(_));
        match outputs.iter_mut().find(|output| output.at == at && (!apart || output.stream == assigned.stream)) {
            Some(Planned { ty, parts, captures, stream, .. }) => {
                if ty.kind != assigned.ty.kind {
                    return Err(LiftErrorKind::Unsupported("a location shared by floats and integers"));
                }
                if *stream != assigned.stream {
                    return Err(LiftErrorKind::Unsupported("a location shared by streams"));
                }
                *ty = ty.with_lanes(ty.lanes.max(lanes));
                parts.push(part);
                captures.extend(capture);
            }
            None => {
                let name = if name.is_empty() {
                    match assigned.at {
                        At::BuiltIn(number, _) => builtin::name(number).unwrap_or_default(),
                        At::Location(..) => "",
                    }
                } else {
                    name
                };
                outputs.push(Planned {
                    at,
                    ty: assigned.ty.with_lanes(lanes),
                    name: name.to_owned(),
                    stream: assigned.stream,
                    parts: vec![part],
                    captures: capture.into_iter().collect(),
                });
            }
        }
        Ok(())
    }

    /// Private variables, and what must be in variables before any code.
    pub(super) fn initialize_globals(&mut self) -> Result<(), LiftErrorKind> {
        for (storage, leaf, element, input) in std::mem::take(&mut self.interface.copies) {
            let value = self.load_input(input, None)?;
            let lanes = self.b.ty(value).lanes;
            self.store_element(storage, leaf, &Step::Const(element), Mask::first(lanes), value)?;
        }
        let d = self.d;
        for &number in &d.variables {
            let instruction = &d.program.instructions[number];
            let words = d.program.operands(instruction);
            if let (storage::Private, Some(&value)) = (words[0], words.get(1)) {
                self.interface.initial.push((instruction.result, value));
            }
        }
        for (id, value) in std::mem::take(&mut self.interface.initial) {
            let (Val::Pointer(pointer), value) = (self.get(id)?, self.get(value)?) else {
                return Err(LiftErrorKind::Malformed("a variable is no pointer"));
            };
            self.store(&pointer, &value)?;
        }
        Ok(())
    }

    /// The pointer that a variable of module scope is.
    pub(super) fn global_variable(&mut self, id: u32) -> Result<Val, LiftErrorKind> {
        let d = self.d;
        let definition = d.program.definition(id).map(|number| &d.program.instructions[number]);
        let Some(instruction) = definition.filter(|instruction| instruction.opcode() == op::Variable) else {
            return Err(LiftErrorKind::NotAValue(id));
        };
        let Ty::Pointer { class, to } = *d.ty(instruction.ty)? else {
            return Err(LiftErrorKind::Malformed("a variable is no pointer"));
        };
        let pointer = match class {
            storage::Private => {
                let storage = self.new_storage(to, d.name(id), self.dynamic.contains(&id))?;
                self.pointer_to(storage, to)?
            }
            storage::PushConstant => self.block_pointer(BlockSource::PushConstants, to)?,
            storage::Uniform | storage::StorageBuffer => {
                let element = match d.ty(to)? {
                    Ty::Array { element, .. } => *element,
                    _ => to,
                };
                let place = descriptor(d, id);
                let source = if is_storage(d, instruction.ty) {
                    BlockSource::Storage(place)
                } else {
                    BlockSource::Uniform(place)
                };
                if element == to { self.block_pointer(source, to)? } else { self.blocks_pointer(source, to)? }
            }
            storage::UniformConstant => self.descriptor_pointer(id, to)?,
            storage::Input | storage::Output => {
                return Err(LiftErrorKind::Malformed("the entry point does not list this input or output"));
            }
            other => return Err(LiftErrorKind::StorageClass(storage::text(other))),
        };
        let value = Val::Pointer(Rc::new(pointer));
        self.globals.insert(id, value.clone());
        Ok(value)
    }

    /// The value of an input, in a geometry shader of the vertex with this number.
    pub(super) fn load_input(&mut self, input: Input, corner: Option<Value>) -> Result<Value, LiftErrorKind> {
        let load = |l: &mut Self, entity| match corner {
            Some(corner) => l.b.load_vertex_input(entity, corner),
            None => l.b.load_input(entity),
        };
        let (location, component) = match input.at {
            At::BuiltIn(number, element) => {
                let (entity, lane) = self.builtin_input(number, element, corner.is_some())?;
                let value = load(self, entity);
                return Ok(if lane.is_some() { self.b.extract(value, lane.unwrap_or(0)) } else { value });
            }
            At::Location(location, component) => (location, component),
        };
        let Some(place) = self.interface.locations.get_mut(&location) else {
            return Err(LiftErrorKind::Malformed("an input has no location"));
        };
        let known = place.input;
        let entity = match known {
            Some(known) => known,
            None => {
                let ty = Type::new(place.kind, place.lanes);
                let (name, at, interp) = (place.name.clone(), InputAt::Location(location), place.interp);
                let new = self.b.input(InputDecl { name, ty, at, interp, semantic: None });
                place.input = Some(new);
                new
            }
        };
        let value = load(self, entity);
        let select: SmallVec<[u8; 4]> = (component..component + input.lanes).collect();
        Ok(self.b.swizzle(value, Swizzle::new(&select)))
    }

    /// The input of a builtin, and which component of it is meant.
    fn builtin_input(
        &mut self,
        number: u32,
        element: u32,
        of_vertex: bool,
    ) -> Result<(afterimage_ir::Input, Option<u8>), LiftErrorKind> {
        let mut component = None;
        let (at, ty) = match (number, self.stage) {
            (builtin::Position, Stage::Geometry) if of_vertex => (InputAt::Position, Type::F32X4),
            (builtin::PointSize, Stage::Geometry) if of_vertex => (InputAt::PointSize, Type::F32),
            (builtin::ClipDistance | builtin::CullDistance, Stage::Geometry) if of_vertex && element < 8 => {
                let (at, lane) = distance(number, element).ok_or_else(|| unknown_builtin(number))?;
                component = Some(lane);
                (at, Type::F32.with_lanes(self.interface.distances.get(&at).copied().unwrap_or(lane + 1)))
            }
            (builtin::PrimitiveId, Stage::Geometry) if !of_vertex => (InputAt::PrimitiveId, Type::I32),
            (builtin::InvocationId, Stage::Geometry) if !of_vertex => (InputAt::InvocationId, Type::I32),
            (builtin::VertexIndex, Stage::Vertex) => (InputAt::VertexIndex, Type::I32),
            (builtin::InstanceIndex, Stage::Vertex) => (InputAt::InstanceIndex, Type::I32),
            (builtin::FragCoord, Stage::Pixel) => (InputAt::FragCoord, Type::F32X4),
            (builtin::FrontFacing, Stage::Pixel) => (InputAt::FrontFacing, Type::BOOL),
            (builtin::PointCoord, Stage::Pixel) => (InputAt::PointCoord, Type::F32X2),
            _ => return Err(unknown_builtin(number)),
        };
        if let Some(&known) = self.interface.builtins.get(&at) {
            return Ok((known, component));
        }
        let name = builtin::name(number).unwrap_or_default().to_owned();
        let input = self.b.input(InputDecl { name, ty, at, interp: Interp::Smooth, semantic: None });
        self.interface.builtins.insert(at, input);
        Ok((input, component))
    }

    /// Emits a vertex into a stream.
    pub(super) fn emit_vertex(&mut self, stream: u8) -> Result<(), LiftErrorKind> {
        self.flush_outputs(stream)?;
        self.b.emit_vertex(stream);
        Ok(())
    }

    /// Sets the outputs of a stream to what their variables hold.
    pub(super) fn flush_outputs(&mut self, stream: u8) -> Result<(), LiftErrorKind> {
        let targets = std::mem::take(&mut self.interface.targets);
        for target in targets.iter().filter(|target| target.stream == stream) {
            let ty = self.b.module().outputs[target.output.index()].ty;
            let mut values: SmallVec<[Value; 4]> = SmallVec::new();
            let mut lanes = 0;
            for part in &target.parts {
                let value = self.load_element(part.storage, part.leaf, &Step::Const(part.element))?;
                while lanes < part.component {
                    values.push(self.b.const_bits(ty.with_lanes(1), [0; 4]));
                    lanes += 1;
                }
                lanes += self.b.ty(value).lanes;
                values.push(value);
            }
            let value = self.b.construct(&values);
            self.b.store_output(target.output, value);
        }
        self.interface.targets = targets;
        Ok(())
    }

    /// What banks and texture slots stand for.
    pub(super) fn bindings(&self) -> Bindings {
        Bindings {
            blocks: self.block_uses(),
            textures: self.interface.textures.uses.clone(),
            frozen: self.d.frozen.clone(),
        }
    }
}

/// Strides of the buffers that are captured into.
fn strides(outputs: &[Planned]) -> Result<[u32; FEEDBACK_BUFFERS as usize], LiftErrorKind> {
    let mut strides = [0; FEEDBACK_BUFFERS as usize];
    let all = || outputs.iter().flat_map(|output| &output.captures).map(|capture| (capture.1, capture.2));
    for (_, to) in all() {
        let stride = strides.get_mut(to.buffer as usize);
        let stride = stride.ok_or(LiftErrorKind::Capture("there are buffers 0 to 3"))?;
        if to.stride != 0 && *stride != 0 && to.stride != *stride {
            return Err(LiftErrorKind::Capture("a buffer has one stride (XfbStride)"));
        }
        *stride = (*stride).max(to.stride);
    }
    for (lanes, to) in all() {
        let stride = strides[to.buffer as usize];
        if stride == 0 {
            return Err(LiftErrorKind::Capture("a buffer has a stride (XfbStride)"));
        }
        if stride > MAX_FEEDBACK_STRIDE || stride % 4 != 0 || to.offset % 4 != 0 {
            return Err(LiftErrorKind::Capture("strides are up to 2048, and they and offsets multiples of 4"));
        }
        if to.offset.saturating_add(4 * u32::from(lanes)) > stride {
            return Err(LiftErrorKind::Capture("what is captured lies within the stride (XfbStride)"));
        }
    }
    Ok(strides)
}

fn unknown_builtin(number: u32) -> LiftErrorKind {
    LiftErrorKind::BuiltIn(builtin::text(number))
}

/// Outputs that something may write: the variable, and the member if only that is meant.
fn written_outputs(d: &Declared<'_>) -> FxHashSet<(u32, Option<u32>)> {
    let program = d.program;
    let mut chains: FxHashMap<u32, (u32, Option<u32>)> = FxHashMap::default();
    for &number in &d.variables {
        let instruction = &program.instructions[number];
        if let Ok(Ty::Pointer { class: storage::Output, .. }) = d.ty(instruction.ty) {
            chains.insert(instruction.result, (instruction.result, None));
        }
    }
    let mut written = FxHashSet::default();
    for instruction in &program.instructions {
        let words = program.operands(instruction);
        match instruction.opcode() {
            op::AccessChain | op::InBoundsAccessChain => {
                if let Some(&(root, member)) = chains.get(&words[0]) {
                    let is_struct = |id: u32| {
                        let pointer = program.definition(id).map(|number| program.instructions[number].ty);
                        let Some(Ok(Ty::Pointer { to, .. })) = pointer.map(|id| d.ty(id)) else { return false };
                        matches!(d.ty(*to), Ok(Ty::Struct { .. }))
                    };
                    let first = words.get(1).and_then(|&index| d.constant_word(index)).filter(|_| is_struct(root));
                    chains.insert(instruction.result, (root, member.or(first)));
                }
            }
            op::Load | op::Name | op::MemberName | op::Decorate | op::EntryPoint => {}
            _ => program.visit_operands(instruction, |letter, words| {
                if let ('i', [id]) = (letter, words)
                    && let Some(&found) = chains.get(id)
                {
                    written.insert(found);
                }
            }),
        }
    }
    written
}
