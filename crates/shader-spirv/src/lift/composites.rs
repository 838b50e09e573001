//! Composites, vectors and matrices: their parts, and their products.

use afterimage_ir::{Swizzle, Value};
use smallvec::SmallVec;

use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::parse::Instruction;
use crate::tables::op;
use crate::types::{Const, Ty};

impl Lifter<'_> {
    /// Instructions that move values about, or choose among them; `None` of others.
    pub(super) fn composites(
        &mut self,
        opcode: u16,
        instruction: &Instruction,
        words: &[u32],
    ) -> Result<Option<Val>, LiftErrorKind> {
        let two =
            |l: &mut Self| -> Result<(Value, Value), LiftErrorKind> { Ok((l.leaf(words[0])?, l.leaf(words[1])?)) };
        Ok(Some(Val::Leaf(match opcode {
            op::Undef => return self.constant(&Const::Null, instruction.ty).map(Some),
            op::CopyObject | op::CopyLogical => return self.get(words[0]).map(Some),
            op::ExtInst => return self.extended(words, instruction.ty).map(Some),
            op::CompositeConstruct => return self.construct(instruction.ty, words).map(Some),
            op::CompositeExtract => {
                let value = self.get(words[0])?;
                return self.extract(value, &words[1..]).map(Some);
            }
            op::CompositeInsert => {
                let (part, value) = (self.get(words[0])?, self.get(words[1])?);
                return self.insert(value, &words[2..], part).map(Some);
            }
            op::VectorShuffle => {
                let (a, b) = two(self)?;
                let select: SmallVec<[u8; 4]> = words[2..].iter().take(4).map(|&lane| lane.min(7) as u8).collect();
                if select.is_empty() {
                    return Err(LiftErrorKind::Malformed("the vector has no components"));
                }
                let first = self.b.ty(a).lanes;
                if select.iter().all(|&lane| lane < first) {
                    return Ok(Some(Val::Leaf(self.b.swizzle(a, Swizzle::new(&select)))));
                }
                if words[0] == words[1] {
                    let select: SmallVec<[u8; 4]> = select.iter().map(|&lane| lane % first).collect();
                    return Ok(Some(Val::Leaf(self.b.swizzle(a, Swizzle::new(&select)))));
                }
                self.b.shuffle(a, b, Swizzle::new(&select))
            }
            op::VectorExtractDynamic => {
                let (vector, index) = two(self)?;
                self.extract_dynamic(vector, index)
            }
            op::VectorInsertDynamic => {
                let (vector, part) = two(self)?;
                let index = self.leaf(words[2])?;
                self.insert_dynamic(vector, part, index)
            }
            op::Select => {
                let cond = self.leaf(words[0])?;
                let (a, b) = (self.get(words[1])?, self.get(words[2])?);
                return self.select(cond, a, b).map(Some);
            }
            op::Bitcast => {
                let value = self.leaf(words[0])?;
                match self.d.ty(instruction.ty)? {
                    Ty::Leaf(ty) if ty.lanes == self.b.ty(value).lanes => value,
                    _ => return Err(LiftErrorKind::Unsupported("a bitcast between vectors of different lengths")),
                }
            }
            _ => return Ok(None),
        })))
    }

    /// Products of vectors and matrices; `None` of others.
    pub(super) fn matrices(&mut self, opcode: u16, words: &[u32]) -> Result<Option<Val>, LiftErrorKind> {
        let two =
            |l: &mut Self| -> Result<(Value, Value), LiftErrorKind> { Ok((l.leaf(words[0])?, l.leaf(words[1])?)) };
        Ok(Some(Val::Leaf(match opcode {
            op::VectorTimesScalar => {
                let (a, b) = two(self)?;
                self.b.fmul(a, b)
            }
            op::Dot => {
                let (a, b) = two(self)?;
                self.b.fdot(a, b)
            }
            op::MatrixTimesScalar => {
                let columns = self.columns(words[0])?;
                let scalar = self.leaf(words[1])?;
                return Ok(Some(composite(columns.iter().map(|&column| self.b.fmul(column, scalar)))));
            }
            op::MatrixTimesVector => {
                let columns = self.columns(words[0])?;
                let vector = self.leaf(words[1])?;
                self.matrix_times_vector(&columns, vector)
            }
            op::VectorTimesMatrix => {
                let vector = self.leaf(words[0])?;
                let columns = self.columns(words[1])?;
                let parts: SmallVec<[Value; 4]> = columns.iter().map(|&column| self.b.fdot(vector, column)).collect();
                self.b.construct(&parts)
            }
            op::MatrixTimesMatrix => {
                let (left, right) = (self.columns(words[0])?, self.columns(words[1])?);
                return Ok(Some(composite(right.iter().map(|&column| self.matrix_times_vector(&left, column)))));
            }
            op::OuterProduct => {
                let (column, row) = two(self)?;
                let lanes = self.b.ty(row).lanes;
                return Ok(Some(composite((0..lanes).map(|lane| {
                    let factor = self.b.extract(row, lane);
                    self.b.fmul(column, factor)
                }))));
            }
            op::Transpose => {
                let columns = self.columns(words[0])?;
                let rows = self.b.ty(columns[0]).lanes;
                return Ok(Some(composite((0..rows).map(|row| self.row(&columns, row)))));
            }
            _ => return Ok(None),
        })))
    }

    fn select(&mut self, cond: Value, a: Val, b: Val) -> Result<Val, LiftErrorKind> {
        match (a, b) {
            (Val::Leaf(a), Val::Leaf(b)) => Ok(Val::Leaf(self.b.select(cond, a, b))),
            (Val::Composite(a), Val::Composite(b)) if a.len() == b.len() => {
                let parts: Result<Vec<Val>, _> =
                    a.iter().zip(b.iter()).map(|(a, b)| self.select(cond, a.clone(), b.clone())).collect();
                Ok(Val::Composite(parts?.into()))
            }
            _ => Err(LiftErrorKind::Unsupported("a choice between pointers or images")),
        }
    }

    fn construct(&mut self, ty: u32, words: &[u32]) -> Result<Val, LiftErrorKind> {
        if let Ty::Leaf(ty) = *self.d.ty(ty)? {
            let parts: Vec<Value> = words.iter().take(4).map(|&id| self.leaf(id)).collect::<Result<_, _>>()?;
            let parts: Vec<Value> = parts.into_iter().map(|part| self.b.cast(part, ty.kind)).collect();
            return Ok(Val::Leaf(self.b.construct(&parts)));
        }
        let parts: Result<Vec<Val>, _> = words.iter().map(|&id| self.get(id)).collect();
        Ok(Val::Composite(parts?.into()))
    }

    /// Columns of a matrix.
    pub(super) fn columns(&mut self, id: u32) -> Result<SmallVec<[Value; 4]>, LiftErrorKind> {
        let Val::Composite(parts) = self.get(id)? else {
            return Err(LiftErrorKind::Malformed("the operand is no matrix"));
        };
        let column = |part: &Val| match part {
            Val::Leaf(column) => Some(*column),
            _ => None,
        };
        let columns: Option<SmallVec<[Value; 4]>> = parts.iter().take(4).map(column).collect();
        columns.filter(|columns| !columns.is_empty()).ok_or(LiftErrorKind::Malformed("the operand is no matrix"))
    }

    /// Component `row` of each column.
    fn row(&mut self, columns: &[Value], row: u8) -> Value {
        let parts: SmallVec<[Value; 4]> = columns.iter().map(|&column| self.b.extract(column, row)).collect();
        self.b.construct(&parts)
    }

    fn matrix_times_vector(&mut self, columns: &[Value], vector: Value) -> Value {
        let first = self.b.extract(vector, 0);
        let mut sum = self.b.fmul(columns[0], first);
        for (&column, lane) in columns.iter().zip(0..).skip(1) {
            let factor = self.b.extract(vector, lane);
            sum = self.b.fmad(column, factor, sum);
        }
        sum
    }
}

/// A composite of scalars and vectors.
pub(super) fn composite(parts: impl IntoIterator<Item = Value>) -> Val {
    Val::Composite(parts.into_iter().map(Val::Leaf).collect())
}
