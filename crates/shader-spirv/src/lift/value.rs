//! Values of SPIR-V: scalars and vectors are the IR's; everything composed is a tree of them.

use std::rc::Rc;

use afterimage_ir::{Kind, Type, Value, Var};

use super::pointer::{Handle, Pointer};
use super::{LiftErrorKind, Lifter, MAX_LEAVES};
use crate::types::{Const, Ty};

/// A value.
#[derive(Clone, Debug)]
pub(super) enum Val {
    /// A scalar or vector.
    Leaf(Value),
    /// Columns of a matrix, elements of an array, members of a struct.
    Composite(Rc<[Val]>),
    Pointer(Rc<Pointer>),
    Image(Handle),
    Sampler(Handle),
    SampledImage(Handle, Handle),
    /// Our own ABI: the word of a texture slot in the push constants, and either index that is in it.
    Slot(u8),
}

/// Variables that hold a value.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    Var(Var),
    Composite(Vec<Slot>),
    /// The value itself: nothing of it changes from one place to another.
    Same(Val),
}

impl Lifter<'_> {
    /// The types of the parts of a composite, or `None` if it has none.
    pub(super) fn parts(&self, ty: &Ty) -> Result<Option<Vec<Ty>>, LiftErrorKind> {
        Ok(match ty {
            Ty::Matrix { rows, columns, wide } => Some(vec![Ty::column(*rows, *wide); *columns as usize]),
            Ty::Wide { float, lanes } if *lanes > 1 => {
                Some(vec![Ty::Wide { float: *float, lanes: 1 }; *lanes as usize])
            }
            Ty::Array { element, len: Some(len), .. } => {
                if self.d.leaves(*element).max(1).saturating_mul(*len) > MAX_LEAVES {
                    return Err(LiftErrorKind::TooMany("scalars and vectors in a value"));
                }
                Some(vec![self.d.ty(*element)?.clone(); *len as usize])
            }
            Ty::Struct { members, .. } => {
                let parts: Result<Vec<Ty>, _> = members.iter().map(|&m| self.d.ty(m).cloned()).collect();
                Some(parts?)
            }
            _ => None,
        })
    }

    /// Scalars and vectors in a value of the type, if they are not too many.
    pub(super) fn bounded(&self, ty: u32) -> Result<u32, LiftErrorKind> {
        match self.d.leaves(ty) {
            leaves if leaves <= MAX_LEAVES => Ok(leaves),
            _ => Err(LiftErrorKind::TooMany("scalars and vectors in a value")),
        }
    }

    /// `value` as the type wants it. Kinds and lengths of vectors are adjusted, so that what follows can rely on them whatever
    /// the module says; the shape of composites must be right.
    pub(super) fn conform(&mut self, value: Val, ty: u32) -> Result<Val, LiftErrorKind> {
        self.spend(self.bounded(ty)?)?;
        let d = self.d;
        self.conform_to(value, d.ty(ty)?)
    }

    fn conform_to(&mut self, value: Val, ty: &Ty) -> Result<Val, LiftErrorKind> {
        Ok(match (value, ty) {
            (Val::Leaf(value), ty) if ty.leaf().is_some() => {
                let ty = ty.leaf().unwrap_or(Type::I32X2);
                Val::Leaf(self.fit(value, ty))
            }
            (Val::Composite(values), ty) => {
                let parts = self.parts(ty)?.filter(|parts| parts.len() == values.len());
                let parts = parts.ok_or(LiftErrorKind::Malformed("a composite does not have the parts of its type"))?;
                let values: Result<Vec<Val>, _> =
                    values.iter().zip(&parts).map(|(value, ty)| self.conform_to(value.clone(), ty)).collect();
                Val::Composite(values?.into())
            }
            (value @ Val::Pointer(_), Ty::Pointer { .. })
            | (value @ Val::Image(_), Ty::Image(_))
            | (value @ Val::Sampler(_), Ty::Sampler)
            | (value @ Val::SampledImage(..), Ty::SampledImage(_)) => value,
            (value @ Val::Slot(_), Ty::Leaf(Type::I32)) => value,
            _ => return Err(LiftErrorKind::Malformed("the value does not have the type of the result")),
        })
    }

    /// A scalar or vector as another type.
    pub(super) fn fit(&mut self, value: Value, ty: Type) -> Value {
        let value = self.b.cast(value, ty.kind);
        if self.b.ty(value).lanes == ty.lanes { value } else { self.b.resize(value, ty.lanes) }
    }

    /// A constant of the type.
    pub(super) fn constant(&mut self, constant: &Const, ty: u32) -> Result<Val, LiftErrorKind> {
        self.bounded(ty)?;
        self.check_size()?;
        let d = self.d;
        self.constant_of(constant, d.ty(ty)?)
    }

    fn constant_of(&mut self, constant: &Const, ty: &Ty) -> Result<Val, LiftErrorKind> {
        Ok(match (constant, ty) {
            (constant, ty) if ty.leaf().is_some() && !matches!(constant, Const::Composite(_)) => {
                let ty = ty.leaf().unwrap_or(Type::I32X2);
                let value = match constant {
                    Const::Leaf(kind, bits) => self.b.const_bits(*kind, *bits),
                    _ => self.b.const_bits(ty, [0; 4]),
                };
                Val::Leaf(self.fit(value, ty))
            }
            (constant, ty) => {
                let parts = self.parts(ty)?.ok_or(LiftErrorKind::Malformed("the type has no constants"))?;
                let values: Result<Vec<Val>, _> = match constant {
                    Const::Composite(values) if values.len() == parts.len() => {
                        values.iter().zip(&parts).map(|(value, ty)| self.constant_of(value, ty)).collect()
                    }
                    Const::Null => parts.iter().map(|ty| self.constant_of(&Const::Null, ty)).collect(),
                    _ => Err(LiftErrorKind::Malformed("a composite does not have the parts of its type")),
                };
                Val::Composite(values?.into())
            }
        })
    }

    /// New variables for values like this one. Indices in pointers move into variables.
    pub(super) fn slot_for(&mut self, value: &mut Val) -> Slot {
        match value {
            Val::Leaf(leaf) => {
                let ty = self.b.ty(*leaf);
                Slot::Var(self.b.var("", ty))
            }
            Val::Composite(values) => Slot::Composite(values.iter().map(|v| self.slot_for(&mut v.clone())).collect()),
            Val::Pointer(pointer) => {
                *pointer = Rc::new(self.settle(pointer));
                Slot::Same(value.clone())
            }
            _ => Slot::Same(value.clone()),
        }
    }

    /// Variables for values of the type with this id, or `None` if such values cannot be in variables.
    pub(super) fn slot_of(&mut self, ty: u32) -> Result<Option<Slot>, LiftErrorKind> {
        self.bounded(ty)?;
        self.check_size()?;
        let d = self.d;
        self.slot_of_type(d.ty(ty)?)
    }

    fn slot_of_type(&mut self, ty: &Ty) -> Result<Option<Slot>, LiftErrorKind> {
        if let Some(ty) = ty.leaf() {
            return Ok(Some(Slot::Var(self.b.var("", ty))));
        }
        let Some(parts) = self.parts(ty)? else { return Ok(None) };
        let mut slots = Vec::with_capacity(parts.len());
        for part in &parts {
            let Some(slot) = self.slot_of_type(part)? else { return Ok(None) };
            slots.push(slot);
        }
        Ok(Some(Slot::Composite(slots)))
    }

    pub(super) fn load_slot(&mut self, slot: &Slot) -> Val {
        match slot {
            Slot::Var(var) => Val::Leaf(self.b.load(*var)),
            Slot::Composite(slots) => Val::Composite(slots.iter().map(|slot| self.load_slot(slot)).collect()),
            Slot::Same(value) => value.clone(),
        }
    }

    pub(super) fn store_slot(&mut self, slot: &Slot, value: &Val) {
        match (slot, value) {
            (Slot::Var(var), Val::Leaf(value)) => self.b.store(*var, *value),
            (Slot::Composite(slots), Val::Composite(values)) => {
                slots.iter().zip(values.iter()).for_each(|(slot, value)| self.store_slot(slot, value));
            }
            _ => {}
        }
    }

    /// The part of a composite, or component of a vector, that literal indices lead to.
    pub(super) fn extract(&mut self, mut value: Val, path: &[u32]) -> Result<Val, LiftErrorKind> {
        for &index in path {
            value = match value {
                Val::Composite(values) => values
                    .get(index as usize)
                    .cloned()
                    .ok_or(LiftErrorKind::Malformed("the index is beyond the composite"))?,
                Val::Leaf(leaf) => {
                    let lanes = self.b.ty(leaf).lanes;
                    if index >= u32::from(lanes) {
                        return Err(LiftErrorKind::Malformed("the index is beyond the vector"));
                    }
                    Val::Leaf(self.b.extract(leaf, index as u8))
                }
                _ => return Err(LiftErrorKind::Malformed("an index into what has no parts")),
            };
        }
        Ok(value)
    }

    /// `value` with another part where literal indices lead to.
    pub(super) fn insert(&mut self, value: Val, path: &[u32], part: Val) -> Result<Val, LiftErrorKind> {
        let Some((&index, rest)) = path.split_first() else { return Ok(part) };
        match value {
            Val::Composite(values) => {
                let old = values.get(index as usize).cloned();
                let old = old.ok_or(LiftErrorKind::Malformed("the index is beyond the composite"))?;
                let new = self.insert(old, rest, part)?;
                let mut values = values.to_vec();
                values[index as usize] = new;
                Ok(Val::Composite(values.into()))
            }
            Val::Leaf(vector) => {
                let (lanes, Val::Leaf(part)) = (self.b.ty(vector).lanes, part) else {
                    return Err(LiftErrorKind::Malformed("a component is no scalar"));
                };
                if index >= u32::from(lanes) || !rest.is_empty() {
                    return Err(LiftErrorKind::Malformed("the index is beyond the vector"));
                }
                Ok(Val::Leaf(self.with_component(vector, index as u8, part)))
            }
            _ => Err(LiftErrorKind::Malformed("an index into what has no parts")),
        }
    }

    /// `vector` with another component.
    pub(super) fn with_component(&mut self, vector: Value, lane: u8, part: Value) -> Value {
        let ty = self.b.ty(vector);
        let part = self.fit(part, ty.with_lanes(1));
        if ty.lanes == 1 {
            return part;
        }
        let mut select = [0, 1, 2, 3];
        select[lane as usize & 3] = ty.lanes;
        self.b.shuffle(vector, part, afterimage_ir::Swizzle::new(&select[..ty.lanes as usize]))
    }

    /// Component `index`, which is known only at run time. Beyond the vector it is the last one.
    pub(super) fn extract_dynamic(&mut self, vector: Value, index: Value) -> Value {
        let lanes = self.b.ty(vector).lanes;
        let mut found = self.b.extract(vector, lanes - 1);
        for lane in (0..lanes - 1).rev() {
            let number = self.b.i32(i32::from(lane));
            let here = self.b.ieq(index, number);
            let component = self.b.extract(vector, lane);
            found = self.b.select(here, component, found);
        }
        found
    }

    /// `vector` with another component at `index`, which is known only at run time.
    pub(super) fn insert_dynamic(&mut self, vector: Value, part: Value, index: Value) -> Value {
        let ty = self.b.ty(vector);
        let part = self.fit(part, ty.with_lanes(1));
        let part = self.b.resize(part, ty.lanes);
        let numbers = self.b.const_bits(Type::new(Kind::Int, ty.lanes), [0, 1, 2, 3]);
        let here = self.b.ieq(index, numbers);
        self.b.select(here, part, vector)
    }
}
