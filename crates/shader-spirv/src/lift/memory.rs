//! Pointers, variables and blocks.
//!
//! A variable is taken apart into its scalars and vectors. Arrays of structs become structs of arrays: a *leaf* per scalar or
//! vector that the type has when arrays count once, with an element per index. Leaves of variables that are indexed
//! dynamically are array variables of the IR; all other elements are variables of their own.

use std::rc::Rc;

use afterimage_ir::{Mask, Type, Value, Var};
use rustc_hash::{FxHashMap, FxHashSet};

use super::interface::Input;
use super::pointer::{Element, Index, Pointer, Root, Step};
use super::value::Val;
use super::{LiftErrorKind, Lifter, MAX_LEAVES};
use crate::io::{BlockSource, Descriptor};
use crate::tables::{op, storage};
use crate::types::{Declared, Ty};

/// Variables so far.
#[derive(Default)]
pub(super) struct Memory {
    pub(super) storages: Vec<Storage>,
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
#[derive(Clone, Copy)]
pub(super) enum Cell {
    Var(Var),
    Input(Input),
    /// An input that has not been given its place yet.
    Nowhere,
}

/// What holds an element of a leaf.
enum Found {
    /// An array variable, and the index in it.
    Element(Var, Value),
    Cell(Cell),
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
                        Some(Ty::Matrix { rows, wide, .. }) => {
                            if constant.is_none() {
                                dynamic.insert(base);
                            }
                            Some(Ty::column(rows, wide))
                        }
                        Some(Ty::Wide { float, .. }) => {
                            if constant.is_none() {
                                dynamic.insert(base);
                            }
                            Some(Ty::Wide { float, lanes: 1 })
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
            Ty::Leaf(_) | Ty::Wide { .. } | Ty::Matrix { .. } => 1,
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
            Ty::Wide { lanes, .. } => out.push((Type::I32X2, count.saturating_mul((*lanes).into()))),
            Ty::Matrix { rows, columns, wide } => {
                let columns = count.saturating_mul(u32::from(*columns));
                self.collect_leaves(&Ty::column(*rows, *wide), columns, out)?;
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
        self.storage_of(ty, &mut |l, ty, count| {
            if dynamic && count > 1 {
                Cells::Array(l.b.var_array(name, ty, count))
            } else {
                Cells::Split((0..count).map(|_| Cell::Var(l.b.var(name, ty))).collect())
            }
        })
    }

    /// A variable whose elements are what `make` says for each leaf, by its type and number of elements.
    pub(super) fn storage_of(
        &mut self,
        ty: u32,
        make: &mut dyn FnMut(&mut Self, Type, u32) -> Cells,
    ) -> Result<usize, LiftErrorKind> {
        let elements = self.d.leaves(ty);
        self.memory.elements = self.memory.elements.saturating_add(elements);
        if elements > MAX_LEAVES || self.memory.elements > 16 * MAX_LEAVES {
            return Err(LiftErrorKind::TooMany("scalars and vectors in variables"));
        }
        let mut leaves = Vec::new();
        self.collect_leaves(self.d.ty(ty)?, 1, &mut leaves)?;
        let mut storage = Storage { leaves: Vec::with_capacity(leaves.len()) };
        for (ty, count) in leaves {
            let cells = make(self, ty, count);
            storage.leaves.push(Leaf { ty, cells });
        }
        self.memory.storages.push(storage);
        Ok(self.memory.storages.len() - 1)
    }

    /// A pointer to all of a variable.
    pub(super) fn pointer_to(&self, storage: usize, ty: u32) -> Result<Pointer, LiftErrorKind> {
        let root = Root::Variable { storage, leaf: 0, at: Step::Const(0), corner: None };
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root, lane: None })
    }

    /// A pointer to an input of all vertices of a primitive.
    pub(super) fn corners_pointer(&self, storage: usize, ty: u32) -> Result<Pointer, LiftErrorKind> {
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root: Root::Corners { storage }, lane: None })
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

    /// A pointer to descriptors.
    pub(super) fn descriptor_pointer(&self, variable: u32, ty: u32) -> Result<Pointer, LiftErrorKind> {
        let root = Root::Descriptors { variable, element: Element::Only };
        Ok(Pointer { ty: self.d.ty(ty)?.clone(), root, lane: None })
    }

    /// The pointer that an id is.
    pub(super) fn pointer(&mut self, id: u32) -> Result<Rc<Pointer>, LiftErrorKind> {
        match self.get(id)? {
            Val::Pointer(pointer) => Ok(pointer),
            _ => Err(LiftErrorKind::Malformed("the operand is no pointer")),
        }
    }

    pub(super) fn index_value(&mut self, index: &Index) -> Value {
        match index {
            Index::Value(value) => *value,
            Index::Var(var) => self.b.load(*var),
        }
    }

    /// What an id as an index means.
    pub(super) fn index(&mut self, id: u32) -> Result<Step, LiftErrorKind> {
        // The bits of a constant may be a number of another type: Mesa writes a zero of floats and takes its bits.
        let program = &self.d.program;
        let instruction = program.definition(id).map(|number| &program.instructions[number]);
        let cast = instruction.filter(|instruction| instruction.opcode() == op::Bitcast);
        let of = cast.and_then(|cast| program.operands(cast).first().copied()).unwrap_or(id);
        if let Some(word) = self.d.constant_word(of) {
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
            (Ty::Matrix { rows, columns, wide }, _) => (Ty::column(*rows, *wide), u32::from(*columns)),
            (Ty::Wide { float, lanes }, _) if *lanes > 1 => (Ty::Wide { float: *float, lanes: 1 }, u32::from(*lanes)),
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
            (Root::Corners { storage }, _) => {
                let (leaf, at) = (0, Step::Const(0));
                Root::Variable { storage: *storage, leaf, at, corner: Some(step) }
            }
            (Root::Variable { storage, leaf, at, corner }, Ty::Struct { members, .. }) => {
                let Step::Const(member) = step else { return Err(LiftErrorKind::Malformed("no such member")) };
                let before = members[..member as usize].iter();
                let skip: usize = before.map(|&m| self.d.ty(m).map_or(1, |ty| self.leaf_count(ty))).sum();
                Root::Variable { storage: *storage, leaf: leaf + skip, at: at.clone(), corner: corner.clone() }
            }
            (Root::Variable { .. }, Ty::Leaf(_)) => {
                lane = Some(step);
                pointer.root.clone()
            }
            (Root::Variable { storage, leaf, at, corner }, _) => {
                let at = self.element(at, len, step)?;
                Root::Variable { storage: *storage, leaf: *leaf, at, corner: corner.clone() }
            }
            (Root::Block(place), ty) => Root::Block(self.part(place, ty, step)?),
            (Root::Blocks(first), _) => {
                let Step::Const(at) = step else {
                    return Err(LiftErrorKind::Unsupported(
                        "an array of uniform blocks with an index that is no constant",
                    ));
                };
                let source = match *first {
                    BlockSource::Uniform(first) => BlockSource::Uniform(Descriptor { element: at, ..first }),
                    BlockSource::Storage(first) => BlockSource::Storage(Descriptor { element: at, ..first }),
                    other => other,
                };
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
            Root::Variable { at, corner, .. } => {
                for step in [Some(at), corner.as_mut()].into_iter().flatten() {
                    if let Step::Dynamic(index) = step {
                        settle(index);
                    }
                }
            }
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
            (Root::Variable { storage, leaf, at, corner }, ty) if ty.leaf().is_some() => {
                let ty = ty.leaf().unwrap_or(Type::I32X2);
                let whole = match corner {
                    Some(corner) => self.load_corner(*storage, *leaf, at, corner)?,
                    None => self.load_element(*storage, *leaf, at)?,
                };
                let value = match &pointer.lane {
                    None => whole,
                    Some(Step::Const(lane)) => self.b.extract(whole, *lane as u8 & 3),
                    Some(step) => {
                        let index = self.step_value(step)?;
                        self.extract_dynamic(whole, index)
                    }
                };
                Ok(Val::Leaf(self.fit(value, ty)))
            }
            (Root::Block(place), ty) if ty.leaf().is_some() => {
                let ty = ty.leaf().unwrap_or(Type::I32X2);
                let place = place.clone();
                if let Some(slot) = self.texture_word(&place) {
                    return Ok(Val::Slot(slot));
                }
                let words = self.load_words(&place, ty.lanes)?;
                Ok(Val::Leaf(self.fit(words, ty)))
            }
            (Root::Block(place), Ty::Pointer { class: storage::PhysicalStorageBuffer, to }) => {
                let address = matches!(place.byte, 0 | 8 | 16 | 24) && place.source == BlockSource::PushConstants;
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
        let (storage, leaf, at, value) = match (&pointer.root, value) {
            (Root::Variable { storage, leaf, at, .. }, Val::Leaf(value)) => (storage, leaf, at, value),
            (Root::Block(place), _) if matches!(place.source, BlockSource::Storage(_)) => {
                return Err(LiftErrorKind::Unsupported("writing a storage buffer"));
            }
            _ => return Err(LiftErrorKind::Malformed("this cannot be written")),
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

    /// Where an element of a leaf is held.
    fn find(&mut self, storage: usize, leaf: usize, at: &Step) -> Result<Found, LiftErrorKind> {
        let cell = match (&self.leaf_of(storage, leaf)?.cells, at) {
            (&Cells::Array(var), _) => return Ok(Found::Element(var, self.step_value(at)?)),
            (Cells::Split(cells), Step::Const(at)) => cells.get(*at as usize),
            (Cells::Split(cells), _) if cells.len() == 1 => cells.first(),
            _ => None,
        };
        cell.map(|&cell| Found::Cell(cell)).ok_or(LiftErrorKind::Malformed("the index is beyond the variable"))
    }

    pub(super) fn load_element(&mut self, storage: usize, leaf: usize, at: &Step) -> Result<Value, LiftErrorKind> {
        match self.find(storage, leaf, at)? {
            Found::Element(var, index) => Ok(self.b.load_elem(var, index)),
            Found::Cell(Cell::Var(var)) => Ok(self.b.load(var)),
            Found::Cell(Cell::Input(input)) => self.load_input(input, None),
            Found::Cell(Cell::Nowhere) => Err(LiftErrorKind::Malformed("the index is beyond the variable")),
        }
    }

    /// An element of what a vertex of a geometry shader's primitive has.
    fn load_corner(&mut self, storage: usize, leaf: usize, at: &Step, corner: &Step) -> Result<Value, LiftErrorKind> {
        let corner = self.step_value(corner)?;
        let Cells::Split(cells) = &self.leaf_of(storage, leaf)?.cells else {
            return Err(LiftErrorKind::Malformed("there is no value of this type"));
        };
        let inputs: Option<Vec<Input>> = cells
            .iter()
            .map(|cell| match cell {
                Cell::Input(input) => Some(*input),
                _ => None,
            })
            .collect();
        let beyond = LiftErrorKind::Malformed("the index is beyond the variable");
        let (Some(inputs), false) = (inputs, cells.is_empty()) else { return Err(beyond) };
        if let Step::Const(at) = at {
            let Some(&input) = inputs.get(*at as usize) else { return Err(beyond) };
            return self.load_input(input, Some(corner));
        }
        // Vertices have no arrays of inputs: the element is chosen among all.
        self.spend(inputs.len() as u32)?;
        let index = self.step_value(at)?;
        let mut found = self.load_input(inputs[inputs.len() - 1], Some(corner))?;
        for (at, &input) in inputs.iter().enumerate().rev().skip(1) {
            let number = self.b.i32(at as i32);
            let here = self.b.ieq(index, number);
            let element = self.load_input(input, Some(corner))?;
            found = self.b.select(here, element, found);
        }
        Ok(found)
    }

    pub(super) fn store_element(
        &mut self,
        storage: usize,
        leaf: usize,
        at: &Step,
        mask: Mask,
        value: Value,
    ) -> Result<(), LiftErrorKind> {
        match self.find(storage, leaf, at)? {
            Found::Element(var, index) => self.b.store_elem(var, index, mask, value),
            Found::Cell(Cell::Var(var)) => self.b.store_masked(var, mask, value),
            Found::Cell(Cell::Input(_) | Cell::Nowhere) => {
                return Err(LiftErrorKind::Malformed("inputs cannot be written"));
            }
        }
        Ok(())
    }
}
