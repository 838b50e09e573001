//! Inputs, outputs and module-scope variables.

use std::collections::BTreeMap;
use std::rc::Rc;

use afterimage_ir::{
    InputAt, InputDecl, Interp, Kind, Mask, Output, OutputAt, OutputDecl, Stage, Swizzle, Type, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::memory::{Cell, Cells, Step};
use super::texture::Textures;
use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::io::{Bindings, BlockSource, Capture, Descriptor};
use crate::tables::{addressing, builtin, decoration, op, storage};
use crate::types::{Declared, Decoration, EntryPoint, Ty, find};

/// A whole input or some of its components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    at: At,
    lanes: u8,
}

/// Where an input comes from or an output goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Location and first component.
    Location(u8, u8),
    /// Builtin and its element.
    BuiltIn(u32, u32),
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
    parts: Vec<Part>,
}

struct Part {
    storage: usize,
    leaf: usize,
    element: u32,
    component: u8,
}

/// A scalar or vector of an interface variable.
struct Assigned {
    leaf: usize,
    element: u32,
    ty: Type,
    at: At,
    interp: Interp,
    /// First index into the variable that leads here.
    member: u32,
    /// Buffer, stride and offset of its capture.
    capture: Option<(u32, u32, u32)>,
}

/// What the stage shares with others.
#[derive(Default)]
pub(super) struct Interface {
    /// Whether the push constants hold the texture words of our own ABI.
    pub(super) own_abi: bool,
    /// Whether addresses are ours.
    pub(super) own_addressing: bool,
    locations: BTreeMap<u8, Location>,
    builtins: FxHashMap<u32, afterimage_ir::Input>,
    targets: Vec<Target>,
    /// Elements of dynamically indexed inputs, to be copied before any code.
    copies: Vec<(usize, usize, u32, Input)>,
    /// Variables with initializers, to be stored before any code.
    initial: Vec<(u32, u32)>,
    pub(super) textures: Textures,
    captures: Vec<Capture>,
}

impl Lifter<'_> {
    /// Everything that the entry point lists.
    pub(super) fn declare_interface(&mut self, entry: &EntryPoint) -> Result<(), LiftErrorKind> {
        self.recognise_own_abi();
        let written = written_outputs(self.d);
        let mut seen = FxHashSet::default();
        let mut outputs: Vec<(OutputAt, Type, String, Vec<Part>)> = Vec::new();
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
                if whole || written.contains(&(id, Some(part.member))) {
                    self.collect_output(storage, &part, d.name(id), &mut outputs)?;
                }
            }
        }
        for (at, ty, name, mut parts) in outputs {
            parts.sort_by_key(|part| part.component);
            let output = self.b.output(OutputDecl { name, ty, at, semantic: None });
            self.interface.targets.push(Target { output, parts });
        }
        Ok(())
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

    /// Locations and builtins of the scalars and vectors of an interface variable.
    fn assign(
        &self,
        ty: &Ty,
        leaf: usize,
        element: u32,
        start: &mut Start<'_>,
        out: &mut Vec<Assigned>,
    ) -> Result<(), LiftErrorKind> {
        match ty {
            Ty::Struct { id, members } => {
                let mut leaf = leaf;
                for (&member, at) in members.iter().zip(0..) {
                    let ty = self.d.ty(member)?;
                    let decorations = self.d.member_decorations(*id, at);
                    let mut inner = start.member(decorations, at);
                    self.assign(ty, leaf, element, &mut inner, out)?;
                    start.location = inner.location;
                    leaf += self.leaf_count(ty);
                }
            }
            Ty::Array { element: part, len: Some(len), .. } => {
                let part = self.d.ty(*part)?;
                for at in 0..*len {
                    self.assign(part, leaf, element.saturating_mul(*len).saturating_add(at), start, out)?;
                }
            }
            Ty::Matrix { rows, columns } => {
                let column = Ty::Leaf(Type::new(Kind::Float, *rows));
                for at in 0..u32::from(*columns) {
                    self.assign(&column, leaf, element * u32::from(*columns) + at, start, out)?;
                }
            }
            Ty::Leaf(ty) => {
                let at = match (start.builtin, start.location) {
                    (Some((number, element)), _) => {
                        start.builtin = Some((number, element + 1));
                        At::BuiltIn(number, element)
                    }
                    (None, Some(location)) => {
                        start.location = Some(location.saturating_add(1));
                        let component = find(start.decorations, decoration::Component).unwrap_or(0);
                        if component.saturating_add(u32::from(ty.lanes)) > 4 {
                            return Err(LiftErrorKind::Malformed("an input or output goes beyond its location"));
                        }
                        let location = u8::try_from(location).ok().filter(|&location| location < 64);
                        At::Location(location.ok_or(LiftErrorKind::TooMany("locations"))?, component as u8)
                    }
                    (None, None) => {
                        return Err(LiftErrorKind::Malformed("an input or output has neither location nor builtin"));
                    }
                };
                let interp = self.interpolation(start.decorations, ty.kind)?;
                let capture = start.offset.map(|offset| (start.capture.0, start.capture.1, offset));
                start.offset = start.offset.map(|offset| offset.saturating_add(u32::from(ty.lanes) * 4));
                let member = start.member.unwrap_or(0);
                out.push(Assigned { leaf, element, ty: *ty, at, interp, member, capture });
            }
            _ => {
                return Err(LiftErrorKind::Malformed(
                    "an input or output is no scalar, vector, matrix, array or struct",
                ));
            }
        }
        Ok(())
    }

    fn interpolation(&self, decorations: &[Decoration], kind: Kind) -> Result<Interp, LiftErrorKind> {
        let mut interp = if kind == Kind::Float { Interp::Smooth } else { Interp::Flat };
        for decoration in decorations {
            match decoration.kind {
                decoration::Flat => interp = Interp::Flat,
                decoration::NoPerspective if interp == Interp::Smooth => interp = Interp::Linear,
                decoration::Centroid if interp == Interp::Smooth => interp = Interp::Centroid,
                decoration::Sample => return Err(LiftErrorKind::Decoration("Sample")),
                decoration::Patch => return Err(LiftErrorKind::Decoration("Patch")),
                decoration::Index if decoration.value != 0 => return Err(LiftErrorKind::Decoration("Index")),
                _ => {}
            }
        }
        Ok(interp)
    }

    fn declare_input(&mut self, id: u32, to: u32, assigned: Vec<Assigned>) -> Result<(), LiftErrorKind> {
        let d = self.d;
        let storage = if self.dynamic.contains(&id) {
            self.new_storage(to, d.name(id), true)?
        } else {
            self.storage_of(to, &mut |_, _, count| Cells::Split(vec![Cell::Nowhere; count as usize]))?
        };
        self.globals.insert(id, Val::Pointer(Rc::new(self.pointer_to(storage, to)?)));
        for part in assigned {
            let input = Input { at: part.at, lanes: part.ty.lanes };
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
        outputs: &mut Vec<(OutputAt, Type, String, Vec<Part>)>,
    ) -> Result<(), LiftErrorKind> {
        let vertex = self.stage == Stage::Vertex;
        let (at, component) = match assigned.at {
            At::Location(location, component) => (OutputAt::Location(location), component),
            At::BuiltIn(builtin::Position, _) if vertex => (OutputAt::Position, 0),
            At::BuiltIn(builtin::PointSize, _) if vertex => (OutputAt::PointSize, 0),
            At::BuiltIn(builtin::ClipDistance, element) if vertex && element < 8 => {
                (OutputAt::ClipDistance((element / 4 * 4) as u8), (element % 4) as u8)
            }
            At::BuiltIn(builtin::FragDepth, _) if !vertex => (OutputAt::FragDepth, 0),
            At::BuiltIn(number, _) => return Err(unknown_builtin(number)),
        };
        let part = Part { storage, leaf: assigned.leaf, element: assigned.element, component };
        let lanes = component + assigned.ty.lanes;
        if lanes > 4 {
            return Err(LiftErrorKind::Malformed("a builtin output does not have the type that it should have"));
        }
        if let Some((buffer, stride, offset)) = assigned.capture {
            let lanes = assigned.ty.lanes;
            self.interface.captures.push(Capture { at, component, lanes, buffer, stride, offset });
        }
        match outputs.iter_mut().find(|output| output.0 == at) {
            Some((_, ty, _, parts)) => {
                if ty.kind != assigned.ty.kind {
                    return Err(LiftErrorKind::Unsupported("a location shared by floats and integers"));
                }
                *ty = ty.with_lanes(ty.lanes.max(lanes));
                parts.push(part);
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
                outputs.push((at, assigned.ty.with_lanes(lanes), name.to_owned(), vec![part]));
            }
        }
        Ok(())
    }

    /// Private variables, and what must be in variables before any code.
    pub(super) fn initialize_globals(&mut self) -> Result<(), LiftErrorKind> {
        for (storage, leaf, element, input) in std::mem::take(&mut self.interface.copies) {
            let value = self.load_input(input)?;
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
            storage::Uniform => {
                let element = match d.ty(to)? {
                    Ty::Array { element, .. } => *element,
                    _ => to,
                };
                if d.decoration(element, decoration::BufferBlock).is_some() {
                    return Err(LiftErrorKind::StorageClass("Uniform of a BufferBlock (a storage buffer)".to_owned()));
                }
                let place = descriptor(d, id);
                if element == to {
                    self.block_pointer(BlockSource::Uniform(place), to)?
                } else {
                    self.blocks_pointer(place, to)?
                }
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

    /// The value of an input.
    pub(super) fn load_input(&mut self, input: Input) -> Result<Value, LiftErrorKind> {
        let (location, component) = match input.at {
            At::BuiltIn(number, _) => return self.load_builtin(number),
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
        let value = self.b.load_input(entity);
        let select: SmallVec<[u8; 4]> = (component..component + input.lanes).collect();
        Ok(self.b.swizzle(value, Swizzle::new(&select)))
    }

    fn load_builtin(&mut self, number: u32) -> Result<Value, LiftErrorKind> {
        if let Some(&known) = self.interface.builtins.get(&number) {
            return Ok(self.b.load_input(known));
        }
        let (at, ty) = match (number, self.stage) {
            (builtin::VertexIndex, Stage::Vertex) => (InputAt::VertexIndex, Type::I32),
            (builtin::InstanceIndex, Stage::Vertex) => (InputAt::InstanceIndex, Type::I32),
            (builtin::FragCoord, Stage::Pixel) => (InputAt::FragCoord, Type::F32X4),
            (builtin::FrontFacing, Stage::Pixel) => (InputAt::FrontFacing, Type::BOOL),
            (builtin::PointCoord, Stage::Pixel) => (InputAt::PointCoord, Type::F32X2),
            _ => return Err(unknown_builtin(number)),
        };
        let name = builtin::name(number).unwrap_or_default().to_owned();
        let input = self.b.input(InputDecl { name, ty, at, interp: Interp::Smooth, semantic: None });
        self.interface.builtins.insert(number, input);
        Ok(self.b.load_input(input))
    }

    /// Sets the outputs to what their variables hold.
    pub(super) fn flush_outputs(&mut self) -> Result<(), LiftErrorKind> {
        let targets = std::mem::take(&mut self.interface.targets);
        for target in &targets {
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
            captures: self.interface.captures.clone(),
            frozen: self.d.frozen.clone(),
        }
    }
}

/// What is inherited on the way into an interface variable.
struct Start<'a> {
    decorations: &'a [Decoration],
    /// The next location.
    location: Option<u32>,
    /// A builtin and its next element.
    builtin: Option<(u32, u32)>,
    /// First index on the way.
    member: Option<u32>,
    /// Buffer and stride of captures.
    capture: (u32, u32),
    /// Place of the next capture, if this is captured.
    offset: Option<u32>,
}

impl<'a> Start<'a> {
    fn new(decorations: &'a [Decoration], location: Option<u32>, member: Option<u32>) -> Start<'a> {
        let location = find(decorations, decoration::Location).or(location);
        let builtin = find(decorations, decoration::BuiltIn).map(|number| (number, 0));
        let of = |kind| find(decorations, kind);
        let capture = (of(decoration::XfbBuffer).unwrap_or(0), of(decoration::XfbStride).unwrap_or(0));
        Start { decorations, location, builtin, member, capture, offset: of(decoration::Offset) }
    }

    fn member(&self, decorations: &'a [Decoration], at: u32) -> Start<'a> {
        let mut start = Start::new(decorations, self.location, self.member.or(Some(at)));
        if find(decorations, decoration::XfbBuffer).is_none() {
            start.capture = self.capture;
        }
        start
    }
}

fn unknown_builtin(number: u32) -> LiftErrorKind {
    LiftErrorKind::BuiltIn(builtin::text(number))
}

/// Set and binding of a variable.
pub(super) fn descriptor(d: &Declared<'_>, id: u32) -> Descriptor {
    let of = |kind| d.decoration(id, kind).unwrap_or(0);
    Descriptor { set: of(decoration::DescriptorSet), binding: of(decoration::Binding), element: 0 }
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
