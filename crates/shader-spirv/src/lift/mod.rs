//! Instructions to IR.
//!
//! * `structure`: blocks to a tree; `flow` walks it and writes the IR's regions. Functions are inlined.
//! * `value`: composites, which the IR has not, are taken apart into scalars and vectors.
//! * `pointer`, `memory`: pointers and variables; `blocks`: uniform blocks; `interface`, `locations`: inputs and outputs.
//! * `arithmetic`, `extended`, `packing`, `texture`, `wide`, `long`: what instructions compute.
//!
//! A value that is used in another block than its own goes through a variable, and so does every phi: the `ssa` pass makes
//! values of them again. So it does not matter here whether the IR's regions nest as SPIR-V's dominance does.

mod arithmetic;
mod blocks;
mod composites;
mod error;
mod extended;
mod flow;
mod interface;
mod locations;
mod long;
mod memory;
mod packing;
mod pointer;
mod structure;
mod texture;
mod value;
mod wide;

use std::rc::Rc;

use afterimage_ir::{
    Builder, GeometryDecl, InputPrimitive, MAX_GEOMETRY_INVOCATIONS, MAX_GEOMETRY_VERTICES, Module, OutputPrimitive,
    Stage, Value,
};
use rustc_hash::{FxHashMap, FxHashSet};

pub use error::{LiftError, LiftErrorKind};

use crate::io::Bindings;
use crate::parse::{Instruction, Program};
use crate::tables::{mode, model, op};
use crate::types::{Declared, EntryPoint};
use structure::Node;
use value::{Slot, Val};

/// Most instructions, and most variables, of a lifted module.
const MAX_INSTRUCTIONS: usize = 1 << 18;
/// Most scalars and vectors in one value or variable.
const MAX_LEAVES: u32 = 4096;
/// Most parts of composites moved, and pieces of functions walked.
const MAX_WORK: u32 = 1 << 23;
/// Deepest nesting of calls.
const MAX_CALLS: usize = 48;

/// Which shader of a module is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// Name of the entry point; any if `None`.
    pub entry: Option<&'a str>,
    /// Stage of the entry point; any if `None`.
    pub stage: Option<Stage>,
}

/// A translated shader.
#[derive(Clone, Debug)]
pub struct Lifted {
    /// The shader, verified.
    pub module: Module,
    /// What its banks and texture slots stand for.
    pub bindings: Bindings,
    /// Name of the entry point.
    pub entry: String,
}

/// Translates the entry point that `options` choose; there must be exactly one that fits.
///
/// # Errors
/// What is wrong with the module, or not covered, with its place.
pub fn lift(program: &Program, options: &Options<'_>) -> Result<Lifted, LiftError> {
    lift_after(program, options, &Bindings::default())
}

/// As [`lift()`], of a stage that is to become one shader with another one: the numbers of banks go on from those of `before`, and
/// the same blocks have the same numbers. [`Bindings::join`] then says what both together expect.
///
/// # Errors
/// As [`lift()`].
pub fn lift_after(program: &Program, options: &Options<'_>, before: &Bindings) -> Result<Lifted, LiftError> {
    let d = Declared::of(program)?;
    let wanted = options.stage.map(|stage| match stage {
        Stage::Vertex => model::Vertex,
        Stage::Pixel => model::Fragment,
        Stage::Compute => model::GLCompute,
        Stage::Geometry => model::Geometry,
    });
    let entry = d.entry(options.entry, wanted)?;
    let whole = |kind| LiftError { offset: entry.offset, opcode: Some("OpEntryPoint"), kind };
    let stage = match entry.model {
        model::Vertex => Stage::Vertex,
        model::Fragment => Stage::Pixel,
        model::Geometry => Stage::Geometry,
        other => return Err(whole(LiftErrorKind::Model(model::text(other)))),
    };
    let primitives = check_modes(&d, entry)?;
    let Some(&function) = d.function_of.get(&entry.function) else {
        return Err(whole(LiftErrorKind::Malformed("the entry point is no function")));
    };
    if !d.functions[function].params.is_empty() {
        return Err(whole(LiftErrorKind::Malformed("the entry point has parameters")));
    }
    let mut lifter = Lifter::new(&d, stage);
    lifter.blocks.before = before.blocks.clone();
    lifter.b.set_name(&entry.name);
    if stage == Stage::Geometry {
        lifter.b.geometry(primitives.decl().map_err(whole)?);
    }
    lifter.declare_interface(entry).map_err(whole)?;
    lifter.specialise()?;
    lifter.initialize_globals().map_err(whole)?;
    lifter.entry_point(function)?;
    let bindings = lifter.bindings();
    let entry = entry.name.clone();
    let module = lifter.b.finish().map_err(|error| LiftError::whole(error.into()))?;
    afterimage_ir::verify(&module).map_err(|error| LiftError::whole(error.into()))?;
    Ok(Lifted { module, bindings, entry })
}

/// What a geometry shader's execution modes say.
#[derive(Default)]
struct Primitives {
    input: Option<InputPrimitive>,
    output: Option<OutputPrimitive>,
    vertices: u32,
    invocations: Option<u32>,
}

impl Primitives {
    /// Whether the mode is one of a geometry shader.
    fn take(&mut self, number: u32, value: u32) -> bool {
        match number {
            mode::Invocations => self.invocations = Some(value),
            mode::OutputVertices => self.vertices = value,
            mode::InputPoints => self.input = Some(InputPrimitive::Points),
            mode::InputLines => self.input = Some(InputPrimitive::Lines),
            mode::InputLinesAdjacency => self.input = Some(InputPrimitive::LinesAdjacency),
            mode::Triangles => self.input = Some(InputPrimitive::Triangles),
            mode::InputTrianglesAdjacency => self.input = Some(InputPrimitive::TrianglesAdjacency),
            mode::OutputPoints => self.output = Some(OutputPrimitive::Points),
            mode::OutputLineStrip => self.output = Some(OutputPrimitive::LineStrip),
            mode::OutputTriangleStrip => self.output = Some(OutputPrimitive::TriangleStrip),
            _ => return false,
        }
        true
    }

    fn decl(&self) -> Result<GeometryDecl, LiftErrorKind> {
        let (Some(input), Some(output)) = (self.input, self.output) else {
            return Err(LiftErrorKind::Malformed("a geometry shader says what primitives it takes and gives"));
        };
        // None at all is as good as one that is never emitted.
        let (vertices, invocations) = (self.vertices.max(1), self.invocations.unwrap_or(1));
        if vertices > MAX_GEOMETRY_VERTICES {
            return Err(LiftErrorKind::TooMany("vertices that a geometry shader emits; 256 is the most"));
        }
        if !(1..=MAX_GEOMETRY_INVOCATIONS).contains(&invocations) {
            return Err(LiftErrorKind::TooMany("invocations of a geometry shader; 1 to 32 can be"));
        }
        Ok(GeometryDecl { input, output, vertices, invocations })
    }
}

fn check_modes(d: &Declared<'_>, entry: &EntryPoint) -> Result<Primitives, LiftError> {
    let mut primitives = Primitives::default();
    for &(function, number, value, offset) in &d.modes {
        // Early tests and promises about the depth let drivers do less; leaving them out changes speed, and early tests with
        // writes to memory, which are not covered.
        let harmless = matches!(
            number,
            mode::OriginUpperLeft
                | mode::EarlyFragmentTests
                | mode::DepthReplacing
                | mode::DepthGreater
                | mode::DepthLess
                | mode::DepthUnchanged
                | mode::ContractionOff
                | mode::Xfb
                | mode::SignedZeroInfNanPreserve
        );
        if function != entry.function || entry.model == model::Geometry && primitives.take(number, value) {
            continue;
        }
        if !harmless {
            let kind = LiftErrorKind::Mode(mode::text(number));
            return Err(LiftError { offset, opcode: Some("OpExecutionMode"), kind });
        }
    }
    Ok(primitives)
}

/// What is known of a function before it is lifted, once for all its calls.
#[derive(Default)]
struct Body {
    tree: Vec<Node>,
    /// Whether it returns from inside of constructs.
    returns_early: bool,
    /// Values that are used in other blocks than their own.
    crossing: FxHashSet<u32>,
}

/// A call of a function.
#[derive(Default)]
struct Frame {
    function: usize,
    body: Rc<Body>,
    values: FxHashMap<u32, Val>,
    /// Variables of values that cross blocks.
    slots: FxHashMap<u32, Slot>,
    /// Variables of phis.
    phis: FxHashMap<u32, Slot>,
    /// Blocks in which values were defined.
    homes: FxHashMap<u32, usize>,
    block: usize,
    result: Option<Slot>,
    /// Flags of switch cases that others fall into.
    falls: FxHashMap<(usize, usize), afterimage_ir::Var>,
}

struct Lifter<'a> {
    d: &'a Declared<'a>,
    b: Builder,
    stage: Stage,
    bodies: FxHashMap<usize, Rc<Body>>,
    /// Variables of module scope and specialisation constants.
    globals: FxHashMap<u32, Val>,
    frame: Frame,
    /// Functions being called.
    calls: Vec<usize>,
    /// Variables that are indexed dynamically.
    dynamic: FxHashSet<u32>,
    memory: memory::Memory,
    blocks: blocks::Blocks,
    interface: interface::Interface,
    flow: flow::Flow,
    work: u32,
}

impl<'a> Lifter<'a> {
    fn new(d: &'a Declared<'a>, stage: Stage) -> Lifter<'a> {
        Lifter {
            d,
            b: Builder::new(stage),
            stage,
            bodies: FxHashMap::default(),
            globals: FxHashMap::default(),
            frame: Frame::default(),
            calls: Vec::new(),
            dynamic: memory::dynamic_variables(d),
            memory: memory::Memory::default(),
            blocks: blocks::Blocks::default(),
            interface: interface::Interface::default(),
            flow: flow::Flow::default(),
            work: 0,
        }
    }

    /// Specialisation constants and what is computed from them.
    fn specialise(&mut self) -> Result<(), LiftError> {
        let d = self.d;
        for spec in &d.specs {
            let id = spec.spec_id;
            let name = d.name(spec.id).to_owned();
            let spec_decl = afterimage_ir::SpecDecl { name, id, kind: spec.ty.kind, default: spec.default };
            let known = self.b.module().specs.iter().position(|other| other.id == id);
            let entity = match known {
                Some(at) => afterimage_ir::Spec::new(at),
                None => self.b.spec(spec_decl),
            };
            let value = self.b.load_spec(entity);
            let value = self.b.cast(value, spec.ty.kind);
            self.globals.insert(spec.id, Val::Leaf(value));
        }
        for &number in &d.spec_ops {
            let instruction = &d.program.instructions[number];
            let value = self.spec_operation(instruction).map_err(|kind| LiftError::at(instruction, kind))?;
            self.globals.insert(instruction.result, value);
        }
        Ok(())
    }

    fn spec_operation(&mut self, instruction: &Instruction) -> Result<Val, LiftErrorKind> {
        let words = self.d.program.operands(instruction);
        let value = match (instruction.opcode(), words) {
            (op::SpecConstantComposite, _) => self.compute(op::CompositeConstruct, instruction, words),
            // The parser has seen to the operands of opcodes that exist.
            (_, &[opcode, ref rest @ ..]) => match u16::try_from(opcode) {
                Ok(opcode) => self.compute(opcode, instruction, rest),
                Err(_) => Err(LiftErrorKind::Instruction(instruction.row.name)),
            },
            (_, []) => Err(LiftErrorKind::Malformed("the opcode is missing")),
        }?;
        self.conform(value, instruction.ty)
    }

    fn body(&mut self, function: usize) -> Result<Rc<Body>, LiftError> {
        if let Some(body) = self.bodies.get(&function) {
            return Ok(body.clone());
        }
        let f = &self.d.functions[function];
        let tree = structure::structure(self.d, f)?;
        let returns_early = structure::leaves(&tree, structure::FUNCTION);
        let body = Rc::new(Body { tree, returns_early, crossing: crossing(self.d, f) });
        self.bodies.insert(function, body.clone());
        Ok(body)
    }

    /// The value of an id, wherever it comes from.
    fn get(&mut self, id: u32) -> Result<Val, LiftErrorKind> {
        let crosses = self.frame.body.crossing.contains(&id) && self.frame.homes.get(&id) != Some(&self.frame.block);
        if crosses {
            if let Some(slot) = self.frame.slots.get(&id).cloned() {
                return Ok(self.load_slot(&slot));
            }
            let definition = self.d.program.definition(id).filter(|_| self.flow.ahead > 0);
            if let Some(instruction) = definition.map(|number| &self.d.program.instructions[number]) {
                let slot = self.slot_of(instruction.ty)?.ok_or(LiftErrorKind::NotAValue(id))?;
                self.frame.slots.insert(id, slot.clone());
                return Ok(self.load_slot(&slot));
            }
        }
        if let Some(value) = self.frame.values.get(&id) {
            return Ok(value.clone());
        }
        if let Some(value) = self.globals.get(&id) {
            return Ok(value.clone());
        }
        let d = self.d;
        if let Some(constant) = d.constant(id) {
            let ty = d.program.definition(id).map_or(0, |number| d.program.instructions[number].ty);
            return self.constant(constant, ty);
        }
        self.global_variable(id)
    }

    /// The value of an id that must be a scalar or vector.
    fn leaf(&mut self, id: u32) -> Result<Value, LiftErrorKind> {
        match self.get(id)? {
            Val::Leaf(value) => Ok(value),
            _ => Err(LiftErrorKind::Malformed("an operand is no scalar or vector")),
        }
    }

    /// Gives a result its value, made to fit its type.
    fn define(&mut self, instruction: &Instruction, value: Val) -> Result<(), LiftErrorKind> {
        let value = self.conform(value, instruction.ty)?;
        self.define_any(instruction.result, value);
        Ok(())
    }

    fn define_any(&mut self, id: u32, mut value: Val) {
        if self.frame.body.crossing.contains(&id) {
            let slot = match self.frame.slots.get(&id) {
                Some(slot @ (Slot::Var(_) | Slot::Composite(_))) => slot.clone(),
                _ => self.slot_for(&mut value),
            };
            self.store_slot(&slot, &value);
            self.frame.slots.insert(id, slot);
        }
        self.frame.homes.insert(id, self.frame.block);
        self.frame.values.insert(id, value);
    }

    /// Counts work that leaves no instruction behind.
    fn spend(&mut self, amount: u32) -> Result<(), LiftErrorKind> {
        self.work = self.work.saturating_add(amount);
        if self.work > MAX_WORK {
            return Err(LiftErrorKind::TooMany("parts of composites and inlined blocks"));
        }
        Ok(())
    }

    fn check_size(&self) -> Result<(), LiftErrorKind> {
        if self.b.module().insts.len() > MAX_INSTRUCTIONS {
            return Err(LiftErrorKind::TooMany("instructions once all calls are inlined"));
        }
        if self.b.module().vars.len() > MAX_INSTRUCTIONS {
            return Err(LiftErrorKind::TooMany("variables once all calls are inlined"));
        }
        Ok(())
    }
}

/// Values that are used in other blocks than the one that defines them. A phi uses its operands at the end of the blocks that
/// they come from.
fn crossing(d: &Declared<'_>, f: &crate::types::Function) -> FxHashSet<u32> {
    let mut homes: FxHashMap<u32, usize> = FxHashMap::default();
    let all = |block: &crate::types::Block| block.code.clone().chain([block.terminator]);
    for (number, block) in f.blocks.iter().enumerate() {
        for at in all(block) {
            homes.insert(d.program.instructions[at].result, number);
        }
    }
    let mut crossing = FxHashSet::default();
    for (number, block) in f.blocks.iter().enumerate() {
        for at in all(block) {
            let instruction = &d.program.instructions[at];
            let mut see = |id: u32, user: Option<usize>| {
                if homes.get(&id).is_some_and(|&home| Some(home) != user) {
                    crossing.insert(id);
                }
            };
            if instruction.opcode() == op::Phi {
                let (pairs, _) = d.program.operands(instruction).as_chunks::<2>();
                pairs.iter().for_each(|[value, from]| see(*value, f.labels.get(from).copied()));
                continue;
            }
            d.program.visit_operands(instruction, |letter, words| {
                if let ('i', [id]) = (letter, words) {
                    see(*id, Some(number));
                }
            });
        }
    }
    crossing
}
