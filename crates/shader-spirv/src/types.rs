//! What a module declares: types, constants, names, decorations, entry points, functions. The lifter reads code with this at
//! hand.

use std::rc::Rc;

use afterimage_ir::{Component, Kind, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::lift::{LiftError, LiftErrorKind};
use crate::parse::{Instruction, Program, string, string_words};
use crate::tables::{self, capability, decoration, model, op};

/// Deepest nesting of arrays and structs.
const MAX_TYPE_DEPTH: u32 = 16;

/// A type.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Void,
    /// A scalar or vector.
    Leaf(Type),
    /// A 64-bit scalar or a vector of such: a float, or an integer.
    Wide {
        float: bool,
        lanes: u8,
    },
    /// Columns of floats, of 64 bits or 32.
    Matrix {
        rows: u8,
        columns: u8,
        wide: bool,
    },
    /// `len` is `None` for runtime arrays, `stride` 0 where the type has none.
    Array {
        element: u32,
        len: Option<u32>,
        stride: u32,
    },
    Struct {
        id: u32,
        members: Rc<[u32]>,
    },
    Pointer {
        class: u32,
        to: u32,
    },
    Image(Image),
    Sampler,
    SampledImage(Image),
    Function,
}

impl Ty {
    /// Whether it is made of 64-bit numbers.
    pub(crate) fn is_wide(&self) -> bool {
        matches!(self, Ty::Wide { .. } | Ty::Matrix { wide: true, .. })
    }

    /// The IR's type of a scalar or vector; 64-bit scalars are two words.
    pub(crate) fn leaf(&self) -> Option<Type> {
        match self {
            Ty::Leaf(ty) => Some(*ty),
            Ty::Wide { lanes: 1, .. } => Some(Type::I32X2),
            _ => None,
        }
    }

    /// The columns of a matrix.
    pub(crate) fn column(rows: u8, wide: bool) -> Ty {
        if wide { Ty::Wide { float: true, lanes: rows } } else { Ty::Leaf(Type::new(Kind::Float, rows)) }
    }
}

/// What the lifter must know of an image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    pub(crate) dim: u32,
    /// What its texels are.
    pub(crate) component: Component,
    pub(crate) arrayed: bool,
    pub(crate) multisampled: bool,
    /// 1 with a sampler, 2 without.
    pub(crate) sampled: u32,
}

#[derive(Clone, Debug)]
struct TypeInfo {
    ty: Ty,
    depth: u32,
    /// Scalars and vectors in it, saturating.
    leaves: u32,
}

/// A constant, or what is known of it.
#[derive(Clone, Debug)]
pub(crate) enum Const {
    Leaf(Type, [u32; 4]),
    Composite(Rc<[Const]>),
    /// Zeros of the type.
    Null,
}

/// A specialisation constant; scalars are declared in the IR, the rest is computed from them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpecConst {
    pub(crate) id: u32,
    pub(crate) ty: Type,
    pub(crate) spec_id: u32,
    pub(crate) default: u32,
}

/// A decoration with the first of its literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Decoration {
    pub(crate) kind: u32,
    pub(crate) value: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct EntryPoint {
    pub(crate) model: u32,
    pub(crate) function: u32,
    pub(crate) name: String,
    pub(crate) interface: Vec<u32>,
    pub(crate) offset: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) params: Vec<u32>,
    pub(crate) blocks: Vec<Block>,
    /// Place of each label in `blocks`.
    pub(crate) labels: FxHashMap<u32, usize>,
    pub(crate) ty: u32,
    pub(crate) offset: u32,
    /// Number of its last instruction.
    pub(crate) end: usize,
}

/// A block: a label, instructions, perhaps a merge instruction, a terminator.
#[derive(Clone, Debug)]
pub(crate) struct Block {
    /// Numbers of the instructions between label and merge instruction or terminator.
    pub(crate) code: std::ops::Range<usize>,
    pub(crate) merge: Option<usize>,
    pub(crate) terminator: usize,
    pub(crate) has_phis: bool,
}

/// Everything that stands outside of code.
pub(crate) struct Declared<'a> {
    pub(crate) program: &'a Program,
    types: FxHashMap<u32, TypeInfo>,
    constants: FxHashMap<u32, Const>,
    pub(crate) specs: Vec<SpecConst>,
    /// Numbers of those that are the length of an array, and so keep their default.
    pub(crate) frozen: Vec<u32>,
    /// Composites and operations of specialisation constants, by number of instruction.
    pub(crate) spec_ops: Vec<usize>,
    names: FxHashMap<u32, String>,
    decorations: FxHashMap<u32, Vec<Decoration>>,
    member_decorations: FxHashMap<(u32, u32), Vec<Decoration>>,
    /// Instruction numbers of module-scope variables.
    pub(crate) variables: Vec<usize>,
    pub(crate) entry_points: Vec<EntryPoint>,
    /// Entry point's function, mode, its first literal, place.
    pub(crate) modes: Vec<(u32, u32, u32, u32)>,
    pub(crate) functions: Vec<Function>,
    pub(crate) function_of: FxHashMap<u32, usize>,
    /// Sets of extended instructions: whether it is GLSL.std.450 (else one that can be ignored).
    pub(crate) sets: FxHashMap<u32, bool>,
    forward: FxHashSet<u32>,
    wide: bool,
}

impl<'a> Declared<'a> {
    pub(crate) fn of(program: &'a Program) -> Result<Declared<'a>, LiftError> {
        let mut d = Declared {
            program,
            types: FxHashMap::default(),
            constants: FxHashMap::default(),
            specs: Vec::new(),
            frozen: Vec::new(),
            spec_ops: Vec::new(),
            names: FxHashMap::default(),
            decorations: FxHashMap::default(),
            member_decorations: FxHashMap::default(),
            variables: Vec::new(),
            entry_points: Vec::new(),
            modes: Vec::new(),
            functions: Vec::new(),
            function_of: FxHashMap::default(),
            sets: FxHashMap::default(),
            forward: FxHashSet::default(),
            wide: false,
        };
        let mut at = 0;
        while at < program.instructions.len() {
            let instruction = &program.instructions[at];
            if instruction.opcode() == op::Function {
                at = d.function(at)?;
            } else {
                d.declaration(at).map_err(|kind| LiftError::at(instruction, kind))?;
                at += 1;
            }
        }
        Ok(d)
    }

    fn declaration(&mut self, number: usize) -> Result<(), LiftErrorKind> {
        let program = self.program;
        let instruction = &program.instructions[number];
        let (id, words) = (instruction.result, program.operands(instruction));
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let opcode = instruction.opcode();
        match opcode {
            op::Nop
            | op::SourceContinued
            | op::Source
            | op::SourceExtension
            | op::MemberName
            | op::String
            | op::Line
            | op::NoLine
            | op::ModuleProcessed
            | op::DecorateString
            | op::MemberDecorateString
            | op::Extension => {}
            op::Capability if tables::COVERED.contains(&word(0)) => {}
            op::Capability => {
                return Err(LiftErrorKind::Capability(capability::text(word(0))));
            }
            op::MemoryModel => {}
            op::ExtInstImport => {
                let name = string(words);
                if name != "GLSL.std.450" && !name.starts_with("NonSemantic.") {
                    return Err(LiftErrorKind::ExtInstSet(name));
                }
                self.sets.insert(id, name == "GLSL.std.450");
            }
            // What says something of the module, and nothing of what it computes.
            op::ExtInst if self.sets.get(&word(0)) == Some(&false) => {}
            op::EntryPoint => {
                let length = string_words(words.get(2..).unwrap_or_default());
                self.entry_points.push(EntryPoint {
                    model: word(0),
                    function: word(1),
                    name: string(&words[2..]),
                    interface: words[2 + length..].to_vec(),
                    offset: instruction.offset,
                });
            }
            op::ExecutionMode => self.modes.push((word(0), word(1), word(2), instruction.offset)),
            op::Name => {
                self.names.insert(word(0), string(&words[1..]));
            }
            op::Decorate => {
                let decoration = Decoration { kind: word(1), value: word(2) };
                self.decorations.entry(word(0)).or_default().push(decoration);
            }
            op::MemberDecorate => {
                let decoration = Decoration { kind: word(2), value: word(3) };
                self.member_decorations.entry((word(0), word(1))).or_default().push(decoration);
            }
            op::Variable => self.variables.push(number),
            op::TypeForwardPointer => {
                self.forward.insert(word(0));
            }
            op::TypeVoid
            | op::TypeBool
            | op::TypeInt
            | op::TypeFloat
            | op::TypeVector
            | op::TypeMatrix
            | op::TypeImage
            | op::TypeSampler
            | op::TypeSampledImage
            | op::TypeArray
            | op::TypeRuntimeArray
            | op::TypeStruct
            | op::TypePointer
            | op::TypeFunction => {
                let info = self.type_of(instruction, words)?;
                if self.forward.contains(&id) && !matches!(info.ty, Ty::Pointer { .. }) {
                    return Err(LiftErrorKind::Malformed("a type that was announced as a pointer is another one"));
                }
                self.wide |= info.ty.is_wide();
                self.types.insert(id, info);
            }
            op::ConstantTrue
            | op::ConstantFalse
            | op::Constant
            | op::ConstantComposite
            | op::ConstantNull
            | op::Undef => {
                let constant = self.constant_of(instruction, words)?;
                self.constants.insert(id, constant);
            }
            op::SpecConstantTrue | op::SpecConstantFalse | op::SpecConstant => {
                let ty = match *self.ty(instruction.ty)? {
                    Ty::Leaf(ty) => ty,
                    // The IR has none of 64 bits.
                    Ty::Wide { lanes: 1, .. } => {
                        self.frozen.extend(self.decoration(id, decoration::SpecId));
                        self.constants.insert(id, Const::Leaf(Type::I32X2, [word(0), word(1), 0, 0]));
                        return Ok(());
                    }
                    _ => return Err(LiftErrorKind::Malformed("the result is no scalar")),
                };
                let default = match opcode {
                    op::SpecConstantTrue => 1,
                    op::SpecConstantFalse => 0,
                    _ => word(0),
                };
                match self.decoration(id, decoration::SpecId) {
                    Some(_) if self.specs.len() >= afterimage_ir::MAX_SPECS => {
                        return Err(LiftErrorKind::TooMany("specialisation constants"));
                    }
                    Some(spec_id) => self.specs.push(SpecConst { id, ty: ty.with_lanes(1), spec_id, default }),
                    // Nobody can set it.
                    None => {}
                }
                self.constants.insert(id, Const::Leaf(ty.with_lanes(1), [default, 0, 0, 0]));
            }
            op::SpecConstantComposite | op::SpecConstantOp => self.spec_ops.push(number),
            _ => return Err(LiftErrorKind::Instruction(instruction.row.name)),
        }
        Ok(())
    }

    fn type_of(&mut self, instruction: &Instruction, words: &[u32]) -> Result<TypeInfo, LiftErrorKind> {
        let word = |at: usize| words.get(at).copied().unwrap_or(0);
        let scalar = |id: u32| match self.ty(id)? {
            Ty::Leaf(ty) if ty.lanes == 1 => Ok(ty),
            _ => Err(LiftErrorKind::Malformed("the component is no scalar")),
        };
        let count = |n: u32| match n {
            2..=4 => Ok(n as u8),
            _ => Err(LiftErrorKind::Type(format!("vectors of {n} components"))),
        };
        let (mut depth, mut leaves) = (1, 1_u32);
        let ty = match instruction.opcode() {
            op::TypeVoid => Ty::Void,
            op::TypeBool => Ty::Leaf(Type::BOOL),
            op::TypeInt if word(0) == 32 => Ty::Leaf(Type::I32),
            op::TypeInt if word(0) == 64 => Ty::Wide { float: false, lanes: 1 },
            op::TypeInt => return Err(LiftErrorKind::Type(format!("{}-bit integers", word(0)))),
            op::TypeFloat if word(0) == 32 => Ty::Leaf(Type::F32),
            op::TypeFloat if word(0) == 64 => Ty::Wide { float: true, lanes: 1 },
            op::TypeFloat => return Err(LiftErrorKind::Type(format!("{}-bit floats", word(0)))),
            op::TypeVector => match *self.ty(word(0))? {
                Ty::Wide { float, lanes: 1 } => {
                    let lanes = count(word(1))?;
                    leaves = lanes.into();
                    Ty::Wide { float, lanes }
                }
                _ => Ty::Leaf(scalar(word(0))?.with_lanes(count(word(1))?)),
            },
            op::TypeMatrix => match self.ty(word(0))? {
                Ty::Leaf(column) if column.kind == Kind::Float && column.lanes > 1 => {
                    let columns = count(word(1))?;
                    leaves = u32::from(columns);
                    Ty::Matrix { rows: column.lanes, columns, wide: false }
                }
                &Ty::Wide { float: true, lanes: rows } if rows > 1 => {
                    let columns = count(word(1))?;
                    leaves = u32::from(columns) * u32::from(rows);
                    Ty::Matrix { rows, columns, wide: true }
                }
                _ => return Err(LiftErrorKind::Malformed("the columns are no vectors of floats")),
            },
            op::TypeImage => Ty::Image(Image {
                dim: word(1),
                component: match self.program.definition(word(0)).map(|at| &self.program.instructions[at]) {
                    Some(ty) if ty.opcode() == op::TypeInt => match self.program.operands(ty) {
                        [_, 0] => Component::Uint,
                        _ => Component::Sint,
                    },
                    _ => Component::Float,
                },
                arrayed: word(3) != 0,
                multisampled: word(4) != 0,
                sampled: word(5),
            }),
            op::TypeSampler => Ty::Sampler,
            op::TypeSampledImage => match self.ty(word(0))? {
                Ty::Image(image) => Ty::SampledImage(*image),
                _ => return Err(LiftErrorKind::Malformed("this is no image")),
            },
            op::TypeArray | op::TypeRuntimeArray => {
                let len = match instruction.opcode() {
                    op::TypeArray => Some(self.array_length(word(1))?),
                    _ => None,
                };
                let element = self.info(word(0))?;
                depth += element.depth;
                leaves = element.leaves.saturating_mul(len.unwrap_or(1));
                Ty::Array {
                    element: word(0),
                    len,
                    stride: self.decoration(instruction.result, decoration::ArrayStride).unwrap_or(0),
                }
            }
            op::TypeStruct => {
                leaves = 0;
                for &member in words {
                    // A pointer may be declared after a struct that holds it.
                    let known = if self.forward.contains(&member) { None } else { Some(self.info(member)?) };
                    depth = depth.max(known.map_or(0, |info| info.depth) + 1);
                    leaves = known.map_or(1, |info| info.leaves).saturating_add(leaves);
                }
                // Arrays of nothing cost time too.
                leaves = leaves.max(1);
                Ty::Struct { id: instruction.result, members: words.into() }
            }
            op::TypePointer => Ty::Pointer { class: word(0), to: word(1) },
            _ => Ty::Function,
        };
        if depth > MAX_TYPE_DEPTH {
            return Err(LiftErrorKind::Type(format!("arrays and structs nested deeper than {MAX_TYPE_DEPTH}")));
        }
        Ok(TypeInfo { ty, depth, leaves })
    }

    fn array_length(&mut self, id: u32) -> Result<u32, LiftErrorKind> {
        if let Some(at) = self.specs.iter().position(|spec| spec.id == id) {
            self.frozen.push(self.specs.remove(at).spec_id);
        }
        match self.constants.get(&id) {
            Some(Const::Leaf(ty, [len, ..])) if ty.kind == Kind::Int && ty.lanes == 1 && *len > 0 => Ok(*len),
            _ => Err(LiftErrorKind::Type("arrays whose length is no constant of at least 1".to_owned())),
        }
    }

    fn constant_of(&self, instruction: &Instruction, words: &[u32]) -> Result<Const, LiftErrorKind> {
        let ty = self.ty(instruction.ty)?;
        Ok(match (instruction.opcode(), ty) {
            (op::ConstantTrue | op::ConstantFalse, _) => {
                Const::Leaf(Type::BOOL, [(instruction.opcode() == op::ConstantTrue) as u32, 0, 0, 0])
            }
            (op::Constant, Ty::Leaf(ty)) => {
                Const::Leaf(ty.with_lanes(1), [words.first().copied().unwrap_or(0), 0, 0, 0])
            }
            (op::Constant, Ty::Wide { lanes: 1, .. }) => {
                let word = |at: usize| words.get(at).copied().unwrap_or(0);
                Const::Leaf(Type::I32X2, [word(0), word(1), 0, 0])
            }
            (op::ConstantComposite, Ty::Leaf(ty)) => {
                let mut bits = [0; 4];
                for (bits, &part) in bits.iter_mut().zip(words).take(ty.lanes as usize) {
                    match self.constants.get(&part) {
                        Some(Const::Leaf(part, value)) if part.kind == ty.kind => *bits = value[0],
                        Some(Const::Null) => {}
                        _ => return Err(LiftErrorKind::Malformed("a component is no constant of the vector's kind")),
                    }
                }
                Const::Leaf(*ty, bits)
            }
            (op::ConstantComposite, _) => {
                let part = |id: &u32| self.constants.get(id).cloned();
                let parts: Option<Vec<Const>> = words.iter().map(part).collect();
                Const::Composite(parts.ok_or(LiftErrorKind::Malformed("a part is no constant"))?.into())
            }
            (op::Constant, _) => return Err(LiftErrorKind::Malformed("the constant is no number")),
            _ => Const::Null,
        })
    }

    fn function(&mut self, start: usize) -> Result<usize, LiftError> {
        let program = self.program;
        let head = &program.instructions[start];
        let mut at = start + 1;
        let mut function = Function {
            params: Vec::new(),
            blocks: Vec::new(),
            labels: FxHashMap::default(),
            ty: head.ty,
            offset: head.offset,
            end: at,
        };
        let mut open: Option<Block> = None;
        loop {
            let Some(instruction) = program.instructions.get(at) else {
                return Err(LiftError::at(head, LiftErrorKind::Malformed("the function does not end")));
            };
            let malformed = |what| Err(LiftError::at(instruction, LiftErrorKind::Malformed(what)));
            match (instruction.opcode(), &mut open) {
                (op::FunctionEnd, None) => break,
                (op::FunctionParameter, None) if function.blocks.is_empty() => {
                    function.params.push(instruction.result);
                }
                (op::Line | op::NoLine | op::Nop, None) => {}
                (op::Label, None) => {
                    function.labels.insert(instruction.result, function.blocks.len());
                    open = Some(Block { code: at + 1..at + 1, merge: None, terminator: at, has_phis: false });
                }
                (_, None) => return malformed("this stands outside of blocks"),
                (op::SelectionMerge | op::LoopMerge, Some(block)) if block.merge.is_none() => {
                    block.merge = Some(at);
                }
                (op::Line | op::NoLine, Some(_)) => {}
                (opcode, Some(block)) if is_terminator(opcode) => {
                    block.terminator = at;
                    block.code.end = block.merge.unwrap_or(at);
                    function.blocks.extend(open.take());
                }
                (_, Some(block)) if block.merge.is_some() => {
                    return malformed("this stands behind a merge instruction");
                }
                (opcode, Some(block)) => block.has_phis |= opcode == op::Phi,
            }
            at += 1;
        }
        function.end = at;
        self.function_of.insert(head.result, self.functions.len());
        self.functions.push(function);
        Ok(at + 1)
    }

    fn info(&self, id: u32) -> Result<&TypeInfo, LiftErrorKind> {
        self.types.get(&id).ok_or(LiftErrorKind::NotAType(id))
    }

    /// The type with this id.
    pub(crate) fn ty(&self, id: u32) -> Result<&Ty, LiftErrorKind> {
        self.info(id).map(|info| &info.ty)
    }

    /// Whether there are 64-bit numbers.
    pub(crate) fn has_wide(&self) -> bool {
        self.wide
    }

    /// Scalars and vectors in a type, saturating.
    pub(crate) fn leaves(&self, id: u32) -> u32 {
        self.types.get(&id).map_or(0, |info| info.leaves)
    }

    pub(crate) fn constant(&self, id: u32) -> Option<&Const> {
        self.constants.get(&id)
    }

    /// A constant scalar's bits.
    pub(crate) fn constant_word(&self, id: u32) -> Option<u32> {
        match self.constants.get(&id)? {
            // An index beyond 32 bits is beyond everything.
            Const::Leaf(Type::I32X2, [_, high, ..]) if *high != 0 => Some(u32::MAX),
            Const::Leaf(_, bits) if !self.specs.iter().any(|spec| spec.id == id) => Some(bits[0]),
            Const::Null => Some(0),
            _ => None,
        }
    }

    /// Name for people; empty without.
    pub(crate) fn name(&self, id: u32) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    pub(crate) fn decorations(&self, id: u32) -> &[Decoration] {
        self.decorations.get(&id).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn member_decorations(&self, id: u32, member: u32) -> &[Decoration] {
        self.member_decorations.get(&(id, member)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn decoration(&self, id: u32, kind: u32) -> Option<u32> {
        find(self.decorations(id), kind)
    }

    pub(crate) fn member_decoration(&self, id: u32, member: u32, kind: u32) -> Option<u32> {
        find(self.member_decorations(id, member), kind)
    }

    /// Chooses an entry point: by name, by execution model, or the only one.
    pub(crate) fn entry(&self, name: Option<&str>, model: Option<u32>) -> Result<&EntryPoint, LiftError> {
        let fits = |e: &&EntryPoint| name.is_none_or(|name| e.name == name) && model.is_none_or(|m| e.model == m);
        let fitting: Vec<&EntryPoint> = self.entry_points.iter().filter(fits).collect();
        let list = || {
            let text = |e: &EntryPoint| format!("{} ({})", e.name, model::name(e.model).unwrap_or("unknown model"));
            let all: Vec<String> = self.entry_points.iter().map(text).collect();
            if all.is_empty() { "none".to_owned() } else { all.join(", ") }
        };
        match fitting[..] {
            [one] => Ok(one),
            [] => Err(LiftError { offset: 0, opcode: None, kind: LiftErrorKind::NoEntryPoint(list()) }),
            [first, ..] => Err(LiftError {
                offset: first.offset,
                opcode: Some("OpEntryPoint"),
                kind: LiftErrorKind::ManyEntryPoints(list()),
            }),
        }
    }
}

pub(crate) fn find(decorations: &[Decoration], kind: u32) -> Option<u32> {
    decorations.iter().find(|d| d.kind == kind).map(|d| d.value)
}

fn is_terminator(opcode: u16) -> bool {
    matches!(
        opcode,
        op::Branch
            | op::BranchConditional
            | op::Switch
            | op::Kill
            | op::TerminateInvocation
            | op::Return
            | op::ReturnValue
            | op::Unreachable
    )
}
