//! Pointers, variables and blocks.
//!
//! A variable is taken apart into its scalars and vectors. Arrays of structs become structs of arrays: a *leaf* per scalar or
//! vector that the type has when arrays count once, with an element per index. Leaves of variables that are indexed
//! dynamically are array variables of the IR; all other elements are variables of their own.

use std::rc::Rc;

use afterimage_ir::{Bank, BankDecl, BankSource, Kind, MAX_BANK, Mask, Type, Value, Var};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use super::interface::Input;
use super::texture::Element;
use super::value::Val;
use super::{LiftErrorKind, Lifter, MAX_LEAVES};
use crate::io::{BlockSource, BlockUse, Descriptor};
use crate::tables::{decoration, op, storage};
use crate::types::{Declared, Ty, find};

/// An index that is known only at run time.
#[derive(Clone, Debug)]
pub(super) enum Index {
    Value(Value),
    /// Kept in a variable, because the pointer is used in another block.
    Var(Var),
}

/// An index.
#[derive(Clone, Debug)]
pub(super) enum Step {
    Const(u32),
    Dynamic(Index),
    /// Our own ABI: the texture or sampler of a slot.
    Slot(u8),
}

/// What a pointer points to.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    pub(super) ty: Ty,
    pub(super) root: Root,
    /// A component of the scalar or vector that `root` leads to.
    lane: Option<Step>,
}

/// Where it lies.
#[derive(Clone, Debug)]
pub(super) enum Root {
    /// A variable: number in [`Memory::storages`], leaf, element.
    Variable { storage: usize, leaf: usize, at: Step },
    /// An array of uniform blocks.
    Blocks(Descriptor),
    /// Bytes of a block.
    Block(Place),
    /// Textures and samplers.
    Descriptors { variable: u32, element: Element },
}

/// Bytes of a block.
#[derive(Clone, Debug)]
pub(super) struct Place {
    source: BlockSource,
    /// Size of the block in bytes.
    size: u32,
    byte: u32,
    /// Added indices, each with the bytes that one is worth.
    dynamic: SmallVec<[(Index, u32); 2]>,
    /// Bytes between components of a vector.
    component: u32,
    /// Stride and whether it is row-major, of the matrices here.
    matrix: Option<(u32, bool)>,
}

/// Variables and banks so far.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) storages: Vec<Storage>,
    banks: FxHashMap<BlockSource, (Bank, BlockUse)>,
    /// Uniform blocks of the module, in the order of their bank ids from 1 on.
    uniforms: Option<Vec<Descriptor>>,
    elements: u32,
}

/// A variable.
pub(super) struct Storage {
    pub(super) leaves: Vec<Leaf>,
}

pub(super) struct Leaf {
    pub(super) ty: Type,
    pub(super) cells: Cells,
}

pub(super) enum Cells {
    Split(Vec<Cell>),
    Array(Var),
}

/// One scalar or vector.
#[derive(Clone)]
pub(super) enum Cell {
    Var(Var),
    Input(Input),
}

/// The variables (of function and module scope, and parameters) whose arrays or matrices are indexed by what is no constant.
pub(super) fn dynamic_variables(d: &Declared<'_>) -> FxHashSet<u32> {
    let program = d.program;
    // Chains to what they begin with.
    let mut roots: FxHashMap<u32, u32> = FxHashMap::default();
    let mut dynamic = FxHashSet::default();
    let mut calls: Vec<(u32, u32)> = Vec::new();
    let root = |roots: &FxHashMap<u32, u32>, id: u32| roots.get(&id).copied().unwrap_or(id);
    for instruction in &program.instructions {
        let words = program.operands(instruction);
        match instruction.opcode() {
            op::AccessChain | op::InBoundsAccessChain => {
                let base = root(&roots, words[0]);
                roots.insert(instruction.result, base);
                let pointer = program.definition(words[0]).map(|number| program.instructions[number].ty);
                let mut ty = pointer.and_then(|id| match d.ty(id) {
                    Ok(Ty::Pointer { to, .. }) => d.ty(*to).ok().cloned(),
                    _ => None,
                });
                for &index in &words[1..] {
                    let constant = d.constant_word(index);
                    ty = match ty {
                        Some(Ty::Array { element, .. }) => {
                            if constant.is_none() {
                                dynamic.insert(base);
                            }
                            d.ty(element).ok().cloned()
                        }
                        Some(Ty::Matrix { rows, .. }) => {
                            if constant.is_none() {
                                dynamic.insert(base);
                            }
                            Some(Ty::Leaf(Type::new(Kind::Float, rows)))
                        }
                        Some(Ty::Struct { members, .. }) => constant
                            .and_then(|at| members.get(at as usize).copied())
                            .and_then(|member| d.ty(member).ok().cloned()),
                        _ => None,
                    };
                }
            }
            op::CopyObject => {
                let base = root(&roots, words[0]);
                roots.insert(instruction.result, base);
            }
            op::FunctionCall => {
                if let Some(&callee) = d.function_of.get(&words[0]) {
                    for (&param, &arg) in d.functions[callee].params.iter().zip(&words[1..]) {
                        calls.push((param, root(&roots, arg)));
                    }
                }
            }
            _ => {}
        }
    }
    // Through calls of calls; calls do not nest deeper.
    for _ in 0..super::MAX_CALLS {
        let before = dynamic.len();
        for &(param, arg) in &calls {
            if dynamic.contains(&param) {
                dynamic.insert(arg);
            }
        }
        if dynamic.len() == before {
            break;
        }
    }
    dynamic
}

impl Lifter<'_> {
    /// Leaves of a type: scalars and vectors, arrays counted once.
    pub(super) fn leaf_count(&self, ty: &Ty) -> usize {
        match ty {
            Ty::Leaf(_) | Ty::Matrix { .. } => 1,
            Ty::Array { element, .. } => self.d.ty(*element).map_or(1, |ty| self.leaf_count(ty)),
            Ty::Struct { members, .. } => {
                members.iter().map(|&member| self.d.ty(member).map_or(1, |ty| self.leaf_count(ty))).sum()
            }
            _ => 1,
        }
    }

    fn collect_leaves(&self, ty: &Ty, count: u32, out: &mut Vec<(Type, u32)>) -> Result<(), LiftErrorKind> {
        match ty {
            Ty::Leaf(ty) => out.push((*ty, count)),
            Ty::Matrix { rows, columns } => {
                out.push((Type::new(Kind::Float, *rows), count.saturating_mul(u32::from(*columns))));
            }
            Ty::Array { element, len: Some(len), .. } => {
                self.collect_leaves(self.d.ty(*element)?, count.saturating_mul(*len), out)?;
            }
            Ty::Struct { members, .. } => {
                for &member in members.iter() {
                    self.collect_leaves(self.d.ty(member)?, count, out)?;
                }
            }
            _ => return Err(LiftErrorKind::Unsupported("a variable of pointers, images or runtime arrays")),
        }
        Ok(())
    }

    /// A new variable for values of a type.
    pub(super) fn new_storage(&mut self, ty: u32, name: &str, dynamic: bool) -> Result<usize, LiftErrorKind> {
        let elements = self.d.leaves(ty);
        self.memory.elements = self.memory.elements.saturating_add(elements);
        if elements > MAX_LEAVES || self.memory.elements > 16 * MAX_LEAVES {
            return Err(LiftErrorKind::TooMany("scalars and vectors in variables"));
        }
        let mut leaves = Vec::new();
        self.collect_leaves(self.d.ty(ty)?, 1, &mut leaves)?;
        let mut storage = Storage { leaves: Vec::with_capacity(leaves.len()) };
        for (ty, count) in leaves {
            let cells = if dynamic && count > 1 {
                Cells::Array(self.b.var_array(name, ty, count))
            } else {
                Cells::Split((0..count).map(|_| Cell::Var(self.b.var(name, ty))).collect())
            };
            storage.leaves.push(Leaf { ty, cells });
        }
        self.memory.storages.push(storage);
        Ok(self.memory.storages.len() - 1)
    }

    /// A pointer to all of a variable.
    pub(super) fn pointer_to(&self, storage: usize, ty: u32) -> Result<Pointer, LiftErrorKind> {
        let root = Root::Variable { storage, leaf: 0, at: Step::Const(0) };
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root, lane: None })
    }

    /// A variable in a function.
    pub(super) fn function_variable(&mut self, id: u32, pointer_ty: u32) -> Result<Val, LiftErrorKind> {
        let Ty::Pointer { class: storage::Function, to } = *self.d.ty(pointer_ty)? else {
            return Err(LiftErrorKind::Malformed("a variable in a function is of storage class Function"));
        };
        let name = self.d.name(id).to_owned();
        let storage = self.new_storage(to, &name, self.dynamic.contains(&id))?;
        Ok(Val::Pointer(Rc::new(self.pointer_to(storage, to)?)))
    }

    /// A pointer into a block.
    pub(super) fn block_pointer(&self, source: BlockSource, ty: u32) -> Result<Pointer, LiftErrorKind> {
        if self.d.leaves(ty) > 1 << 20 {
            return Err(LiftErrorKind::TooMany("members in a block"));
        }
        let ty = self.d.ty(ty)?;
        let size = self.block_size(ty, None)?;
        let (dynamic, matrix) = (SmallVec::new(), None);
        let root = Root::Block(Place { source, size, byte: 0, dynamic, component: 4, matrix });
        Ok(Pointer { ty: ty.clone(), root, lane: None })
    }

    /// A pointer to descriptors.
    pub(super) fn descriptor_pointer(&self, variable: u32, ty: u32) -> Result<Pointer, LiftErrorKind> {
        let root = Root::Descriptors { variable, element: Element::Only };
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root, lane: None })
    }

    /// A pointer to an array of uniform blocks.
    pub(super) fn blocks_pointer(&self, first: Descriptor, ty: u32) -> Result<Pointer, LiftErrorKind> {
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root: Root::Blocks(first), lane: None })
    }

    fn block_size(&self, ty: &Ty, matrix: Option<(u32, bool)>) -> Result<u32, LiftErrorKind> {
        Ok(match ty {
            Ty::Leaf(ty) => u32::from(ty.lanes) * 4,
            Ty::Matrix { rows, columns } => {
                let (stride, row_major) = matrix.ok_or(LiftErrorKind::Malformed("a matrix has no stride"))?;
                let (many, few) = if row_major { (rows, columns) } else { (columns, rows) };
                stride.saturating_mul(u32::from(*many) - 1).saturating_add(u32::from(*few) * 4)
            }
            Ty::Array { element, len: Some(len), stride } => {
                let last = self.block_size(self.d.ty(*element)?, matrix)?;
                stride.saturating_mul(len - 1).saturating_add(last)
            }
            Ty::Array { len: None, .. } => {
                return Err(LiftErrorKind::Unsupported("an array without a length in a block"));
            }
            Ty::Struct { id, members } => {
                let mut size = 0;
                for (&member, at) in members.iter().zip(0..) {
                    let (offset, matrix) = self.member_layout(*id, at)?;
                    size = size.max(self.block_size(self.d.ty(member)?, matrix)?.saturating_add(offset));
                }
                size
            }
            // An address, in our own ABI.
            Ty::Pointer { .. } => 8,
            _ => return Err(LiftErrorKind::Malformed("a block holds what has no bytes")),
        })
    }

    /// Offset of a member, and the layout of matrices in it.
    fn member_layout(&self, id: u32, member: u32) -> Result<(u32, Option<(u32, bool)>), LiftErrorKind> {
        let decorations = self.d.member_decorations(id, member);
        let offset = find(decorations, decoration::Offset);
        let offset = offset.ok_or(LiftErrorKind::Malformed("a member of a block has no offset"))?;
        let row_major = find(decorations, decoration::RowMajor).is_some();
        let matrix = find(decorations, decoration::MatrixStride).map(|stride| (stride, row_major));
        if offset % 4 != 0 || matrix.is_some_and(|(stride, _)| stride % 4 != 0) {
            return Err(LiftErrorKind::Malformed("offsets and strides are multiples of 4"));
        }
        Ok((offset, matrix))
    }

    fn index_value(&mut self, index: &Index) -> Value {
        match index {
            Index::Value(value) => *value,
            Index::Var(var) => self.b.load(*var),
        }
    }

    /// What an id as an index means.
    pub(super) fn index(&mut self, id: u32) -> Result<Step, LiftErrorKind> {
        if let Some(word) = self.d.constant_word(id) {
            return Ok(Step::Const(word));
        }
        Ok(match self.get(id)? {
            Val::Leaf(value) => {
                let value = self.fit(value, Type::I32);
                Step::Dynamic(Index::Value(value))
            }
            Val::Slot(slot) => Step::Slot(slot),
            _ => return Err(LiftErrorKind::Malformed("an index is no integer")),
        })
    }

    /// A pointer to a part of what `pointer` points to.
    pub(super) fn descend(&mut self, pointer: &Pointer, step: Step) -> Result<Pointer, LiftErrorKind> {
        let (part, len) = match (&pointer.ty, &step) {
            (Ty::Struct { members, .. }, Step::Const(at)) => {
                let member = members.get(*at as usize).ok_or(LiftErrorKind::Malformed("no such member"))?;
                (self.d.ty(*member)?.clone(), members.len() as u32)
            }
            (Ty::Array { element, len, .. }, _) => (self.d.ty(*element)?.clone(), len.unwrap_or(u32::MAX)),
            (Ty::Matrix { rows, columns }, _) => (Ty::Leaf(Type::new(Kind::Float, *rows)), u32::from(*columns)),
            (Ty::Leaf(ty), _) if ty.lanes > 1 && pointer.lane.is_none() => {
                (Ty::Leaf(ty.with_lanes(1)), u32::from(ty.lanes))
            }
            _ => return Err(LiftErrorKind::Malformed("an index into what has no parts")),
        };
        let step = match step {
            Step::Const(at) => Step::Const(at.min(len - 1)),
            other => other,
        };
        let mut lane = None;
        let root = match (&pointer.root, &pointer.ty) {
            (Root::Variable { storage, leaf, at }, Ty::Struct { members, .. }) => {
                let Step::Const(member) = step else { return Err(LiftErrorKind::Malformed("no such member")) };
                let before = members[..member as usize].iter();
                let skip: usize = before.map(|&m| self.d.ty(m).map_or(1, |ty| self.leaf_count(ty))).sum();
                Root::Variable { storage: *storage, leaf: leaf + skip, at: at.clone() }
            }
            (Root::Variable { .. }, Ty::Leaf(_)) => {
                lane = Some(step);
                pointer.root.clone()
            }
            (Root::Variable { storage, leaf, at }, _) => {
                let at = self.element(at, len, step)?;
                Root::Variable { storage: *storage, leaf: *leaf, at }
            }
            (Root::Block(place), ty) => Root::Block(self.part(place, ty, step)?),
            (Root::Blocks(first), _) => {
                let Step::Const(at) = step else {
                    return Err(LiftErrorKind::Unsupported(
                        "an array of uniform blocks with an index that is no constant",
                    ));
                };
                let source = BlockSource::Uniform(Descriptor { element: at, ..*first });
                return match &pointer.ty {
                    Ty::Array { element, .. } => self.block_pointer(source, *element),
                    _ => Err(LiftErrorKind::Malformed("an index into what has no parts")),
                };
            }
            (Root::Descriptors { variable, element: Element::Only }, Ty::Array { .. }) => {
                let element = match step {
                    Step::Const(at) => Element::At(at),
                    Step::Slot(slot) => Element::Slot(slot),
                    Step::Dynamic(_) => {
                        return Err(LiftErrorKind::Unsupported(
                            "an array of textures with an index that is no constant",
                        ));
                    }
                };
                Root::Descriptors { variable: *variable, element }
            }
            (Root::Descriptors { .. }, _) => return Err(LiftErrorKind::Malformed("an index into what has no parts")),
        };
        Ok(Pointer { ty: part, root, lane })
    }

    /// The element behind one more dimension.
    fn element(&mut self, at: &Step, len: u32, step: Step) -> Result<Step, LiftErrorKind> {
        if let (Step::Const(at), Step::Const(index)) = (at, &step) {
            return Ok(Step::Const(at.saturating_mul(len).saturating_add(*index)));
        }
        let outer = self.step_value(at)?;
        let inner = self.step_value(&step)?;
        let length = self.b.i32(len as i32);
        let outer = self.b.imul(outer, length);
        Ok(Step::Dynamic(Index::Value(self.b.iadd(outer, inner))))
    }

    fn step_value(&mut self, step: &Step) -> Result<Value, LiftErrorKind> {
        match step {
            Step::Const(at) => Ok(self.b.i32(*at as i32)),
            Step::Dynamic(index) => Ok(self.index_value(index)),
            Step::Slot(_) => Err(LiftErrorKind::Unsupported("a texture index as a number")),
        }
    }

    fn part(&mut self, place: &Place, ty: &Ty, step: Step) -> Result<Place, LiftErrorKind> {
        let mut place = place.clone();
        let stride = match ty {
            Ty::Struct { id, .. } => {
                let Step::Const(member) = step else { return Err(LiftErrorKind::Malformed("no such member")) };
                let (offset, matrix) = self.member_layout(*id, member)?;
                place.byte = place.byte.saturating_add(offset);
                place.matrix = matrix;
                return Ok(place);
            }
            Ty::Array { stride, .. } if *stride > 0 && stride % 4 == 0 => *stride,
            Ty::Array { .. } => {
                return Err(LiftErrorKind::Malformed("an array in a block has a stride that is a multiple of 4"));
            }
            Ty::Matrix { .. } => {
                let (stride, row_major) = place.matrix.ok_or(LiftErrorKind::Malformed("a matrix has no stride"))?;
                place.component = if row_major { stride } else { 4 };
                if row_major { 4 } else { stride }
            }
            _ => place.component,
        };
        match step {
            Step::Const(at) => place.byte = place.byte.saturating_add(at.saturating_mul(stride)),
            Step::Dynamic(index) => place.dynamic.push((index, stride)),
            Step::Slot(_) => return Err(LiftErrorKind::Unsupported("a texture index as a number")),
        }
        Ok(place)
    }

    /// The pointer with its indices in variables, so that it can be used in other blocks.
    pub(super) fn settle(&mut self, pointer: &Pointer) -> Pointer {
        let mut pointer = pointer.clone();
        let mut settle = |index: &mut Index| {
            if let Index::Value(value) = *index {
                let var = self.b.var("", Type::I32);
                self.b.store(var, value);
                *index = Index::Var(var);
            }
        };
        match &mut pointer.root {
            Root::Variable { at: Step::Dynamic(index), .. } => settle(index),
            Root::Block(place) => place.dynamic.iter_mut().for_each(|(index, _)| settle(index)),
            _ => {}
        }
        if let Some(Step::Dynamic(index)) = &mut pointer.lane {
            settle(index);
        }
        pointer
    }

    /// What the pointer points to.
    pub(super) fn load(&mut self, pointer: &Pointer) -> Result<Val, LiftErrorKind> {
        if let Root::Descriptors { variable, element } = &pointer.root {
            return self.descriptor(*variable, *element, &pointer.ty);
        }
        if let Some(parts) = self.parts(&pointer.ty)? {
            self.check_size()?;
            let parts: Result<Vec<Val>, LiftErrorKind> = (0..parts.len() as u32)
                .map(|at| {
                    let part = self.descend(pointer, Step::Const(at))?;
                    self.load(&part)
                })
                .collect();
            return Ok(Val::Composite(parts?.into()));
        }
        match (&pointer.root, &pointer.ty) {
            (Root::Variable { storage, leaf, at }, Ty::Leaf(ty)) => {
                let whole = self.load_element(*storage, *leaf, at)?;
                let value = match &pointer.lane {
                    None => whole,
                    Some(Step::Const(lane)) => self.b.extract(whole, *lane as u8 & 3),
                    Some(step) => {
                        let index = self.step_value(step)?;
                        self.extract_dynamic(whole, index)
                    }
                };
                Ok(Val::Leaf(self.fit(value, *ty)))
            }
            (Root::Block(place), Ty::Leaf(ty)) => {
                let place = place.clone();
                if let Some(slot) = self.texture_word(&place) {
                    return Ok(Val::Slot(slot));
                }
                let words = self.load_words(&place, ty.lanes)?;
                Ok(Val::Leaf(self.fit(words, *ty)))
            }
            (Root::Block(place), Ty::Pointer { class: storage::PhysicalStorageBuffer, to }) => {
                let address = matches!(place.byte, 0 | 8 | 16) && place.source == BlockSource::PushConstants;
                if !address || !place.dynamic.is_empty() {
                    return Err(LiftErrorKind::StorageClass(
                        "PhysicalStorageBuffer (other than in our own ABI)".to_owned(),
                    ));
                }
                Ok(Val::Pointer(Rc::new(self.block_pointer(BlockSource::Address(place.byte), *to)?)))
            }
            _ => Err(LiftErrorKind::Malformed("there is no value of this type")),
        }
    }

    /// Sets what the pointer points to.
    pub(super) fn store(&mut self, pointer: &Pointer, value: &Val) -> Result<(), LiftErrorKind> {
        if let Val::Composite(values) = value {
            for (at, value) in values.iter().enumerate() {
                let part = self.descend(pointer, Step::Const(at as u32))?;
                self.store(&part, value)?;
            }
            return Ok(());
        }
        let (Root::Variable { storage, leaf, at }, Val::Leaf(value)) = (&pointer.root, value) else {
            return Err(LiftErrorKind::Malformed("this cannot be written"));
        };
        let ty = self.leaf_of(*storage, *leaf)?.ty;
        let (value, mask) = match &pointer.lane {
            None => (self.fit(*value, ty), Mask::first(ty.lanes)),
            Some(Step::Const(lane)) => {
                let value = self.fit(*value, ty.with_lanes(1));
                (self.b.resize(value, ty.lanes), Mask(1 << (lane & 3)))
            }
            Some(step) => {
                let index = self.step_value(step)?;
                let old = self.load_element(*storage, *leaf, at)?;
                (self.insert_dynamic(old, *value, index), Mask::first(ty.lanes))
            }
        };
        self.store_element(*storage, *leaf, at, mask, value)
    }

    fn leaf_of(&self, storage: usize, leaf: usize) -> Result<&Leaf, LiftErrorKind> {
        self.memory.storages[storage].leaves.get(leaf).ok_or(LiftErrorKind::Malformed("there is no value of this type"))
    }

    pub(super) fn load_element(&mut self, storage: usize, leaf: usize, at: &Step) -> Result<Value, LiftErrorKind> {
        let cell = match (&self.leaf_of(storage, leaf)?.cells, at) {
            (Cells::Array(var), _) => {
                let var = *var;
                let index = self.step_value(at)?;
                return Ok(self.b.load_elem(var, index));
            }
            (Cells::Split(cells), Step::Const(at)) => cells.get(*at as usize).cloned(),
            (Cells::Split(cells), _) if cells.len() == 1 => cells.first().cloned(),
            _ => None,
        };
        match cell {
            Some(Cell::Var(var)) => Ok(self.b.load(var)),
            Some(Cell::Input(input)) => self.load_input(input),
            None => Err(LiftErrorKind::Malformed("the index is beyond the variable")),
        }
    }

    pub(super) fn store_element(
        &mut self,
        storage: usize,
        leaf: usize,
        at: &Step,
        mask: Mask,
        value: Value,
    ) -> Result<(), LiftErrorKind> {
        let cell = match (&self.leaf_of(storage, leaf)?.cells, at) {
            (Cells::Array(var), _) => {
                let var = *var;
                let index = self.step_value(at)?;
                self.b.store_elem(var, index, mask, value);
                return Ok(());
            }
            (Cells::Split(cells), Step::Const(at)) => cells.get(*at as usize).cloned(),
            (Cells::Split(cells), _) if cells.len() == 1 => cells.first().cloned(),
            _ => None,
        };
        match cell {
            Some(Cell::Var(var)) => {
                self.b.store_masked(var, mask, value);
                Ok(())
            }
            Some(Cell::Input(_)) => Err(LiftErrorKind::Malformed("inputs cannot be written")),
            None => Err(LiftErrorKind::Malformed("the index is beyond the variable")),
        }
    }

    /// The bank of a block.
    fn bank(&mut self, source: BlockSource, size: u32) -> Result<Bank, LiftErrorKind> {
        if let Some((bank, _)) = self.memory.banks.get(&source) {
            return Ok(*bank);
        }
        let registers = size.div_ceil(16).max(1);
        if registers > MAX_BANK {
            return Err(LiftErrorKind::TooMany("bytes in a block"));
        }
        let id = match source {
            BlockSource::PushConstants | BlockSource::Address(_) => 0,
            BlockSource::Uniform(descriptor) => {
                let place = self.uniforms().binary_search(&descriptor).map_or(usize::MAX, |at| at + 1);
                u8::try_from(place).map_err(|_| LiftErrorKind::TooMany("uniform blocks"))?
            }
        };
        let (name, kind) = match source {
            BlockSource::PushConstants => ("push".to_owned(), BankSource::Stage),
            BlockSource::Uniform(d) if d.element > 0 => {
                (format!("set{}_binding{}_{}", d.set, d.binding, d.element), BankSource::Stage)
            }
            BlockSource::Uniform(d) => (format!("set{}_binding{}", d.set, d.binding), BankSource::Stage),
            BlockSource::Address(16) => ("system".to_owned(), BankSource::System),
            BlockSource::Address(_) => ("constants".to_owned(), BankSource::Stage),
        };
        let taken = |bank: &BankDecl| bank.id == id && bank.source == kind;
        if self.b.module().banks.iter().any(taken) {
            return Err(LiftErrorKind::Unsupported("a push constant block beside addresses of our own ABI"));
        }
        let bank = self.b.bank(BankDecl { name, source: kind, id, size: registers, defs: Vec::new() });
        self.memory.banks.insert(source, (bank, BlockUse { bank: id, source, size }));
        Ok(bank)
    }

    /// Uniform blocks of the module in order.
    fn uniforms(&mut self) -> &[Descriptor] {
        let d = self.d;
        self.memory.uniforms.get_or_insert_with(|| {
            let mut all = Vec::new();
            for &number in &d.variables {
                let instruction = &d.program.instructions[number];
                let Ok(&Ty::Pointer { class: storage::Uniform, to }) = d.ty(instruction.ty) else { continue };
                let first = super::interface::descriptor(d, instruction.result);
                let len = match d.ty(to) {
                    Ok(Ty::Array { len: Some(len), .. }) => (*len).min(256),
                    _ => 1,
                };
                all.extend((0..len).map(|element| Descriptor { element, ..first }));
            }
            all.sort_unstable();
            all.dedup();
            all
        })
    }

    /// The blocks that are read.
    pub(super) fn block_uses(&self) -> Vec<BlockUse> {
        let mut uses: Vec<BlockUse> = self.memory.banks.values().map(|bank| bank.1).collect();
        uses.sort_unstable_by_key(|block| (block.bank, block.source));
        uses
    }

    /// `lanes` components of a block, untyped.
    fn load_words(&mut self, place: &Place, lanes: u8) -> Result<Value, LiftErrorKind> {
        let bank = self.bank(place.source, place.size)?;
        let byte = |lane: u8| place.byte.saturating_add(u32::from(lane) * place.component);
        if place.dynamic.iter().all(|(_, stride)| stride % 16 == 0) {
            // Registers are known but for an offset of whole registers.
            let mut offset = None;
            for (index, stride) in &place.dynamic {
                let index = self.index_value(index);
                let registers = self.b.i32((stride / 16) as i32);
                let term = self.b.imul(index, registers);
                offset = Some(offset.map_or(term, |sum| self.b.iadd(sum, term)));
            }
            let mut registers: SmallVec<[(u32, Value); 4]> = SmallVec::new();
            let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
            for lane in 0..lanes {
                let (register, component) = (byte(lane) / 16, (byte(lane) % 16 / 4) as u8);
                let known = registers.iter().find(|known| known.0 == register).map(|known| known.1);
                let loaded = known.unwrap_or_else(|| match offset {
                    Some(offset) => self.b.load_const_dyn(bank, register.min(MAX_BANK) as i32, offset),
                    None => self.b.load_const(bank, register),
                });
                registers.push((register, loaded));
                parts.push(self.b.extract(loaded, component));
            }
            if let [(first, loaded), .., (last, _)] = registers[..]
                && first == last
                && place.component == 4
            {
                let start = (place.byte % 16 / 4) as u8;
                let select: SmallVec<[u8; 4]> = (start..start + lanes).collect();
                return Ok(self.b.swizzle(loaded, afterimage_ir::Swizzle::new(&select)));
            }
            return Ok(self.b.construct(&parts));
        }
        // Even the component is known only at run time.
        let mut word = self.b.i32(0);
        for (index, stride) in &place.dynamic {
            let index = self.index_value(index);
            let words = self.b.i32((stride / 4) as i32);
            let term = self.b.imul(index, words);
            word = self.b.iadd(word, term);
        }
        let (two, three) = (self.b.i32(2), self.b.i32(3));
        let mut parts: SmallVec<[Value; 4]> = SmallVec::new();
        for lane in 0..lanes {
            let start = self.b.i32((byte(lane) / 4) as i32);
            let at = self.b.iadd(word, start);
            let register = self.b.ishr(at, two);
            let component = self.b.iand(at, three);
            let loaded = self.b.load_const_dyn(bank, 0, register);
            parts.push(self.extract_dynamic(loaded, component));
        }
        Ok(self.b.construct(&parts))
    }

    /// Our own ABI: the texture slot whose word this is.
    fn texture_word(&self, place: &Place) -> Option<u8> {
        let slot = place.byte.checked_sub(32)? / 4;
        let ours = place.source == BlockSource::PushConstants && place.dynamic.is_empty() && self.interface.own_abi;
        (ours && slot < u32::from(afterimage_ir::TEXTURE_SLOTS)).then_some(slot as u8)
    }
}
