//! 64-bit numbers. A scalar is two words in an `i32x2`, the low one first; vectors and the columns of matrices are composites
//! of such scalars. Doubles have opcodes of the IR; for integers see [`super::long`].

use afterimage_ir::{Kind, Type, Value};
use smallvec::SmallVec;

use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::parse::Instruction;
use crate::tables::{glsl, op};
use crate::types::Ty;

/// Scalars of an operand.
type Scalars = SmallVec<[Value; 4]>;

impl Lifter<'_> {
    /// The type of an id that has a value.
    fn type_of(&self, id: u32) -> Option<&Ty> {
        let number = self.d.program.definition(id)?;
        self.d.ty(self.d.program.instructions[number].ty).ok()
    }

    /// Whether an instruction works on 64-bit numbers: those of its result, or of any operand.
    pub(super) fn is_wide(&self, ty: u32, words: &[u32]) -> bool {
        self.d.has_wide()
            && (self.d.ty(ty).is_ok_and(Ty::is_wide)
                || words.iter().any(|&id| self.type_of(id).is_some_and(Ty::is_wide)))
    }

    /// An instruction on 64-bit numbers; `None` for those that only move values about, which composites do too.
    pub(super) fn wide(
        &mut self,
        opcode: u16,
        instruction: &Instruction,
        words: &[u32],
    ) -> Result<Option<Val>, LiftErrorKind> {
        let result = self.d.ty(instruction.ty)?.clone();
        let refuse = || LiftErrorKind::Wide(crate::tables::row(opcode).unwrap_or(instruction.row).name);
        let Some(&first) = words.first() else { return Ok(None) };
        let parts = match opcode {
            op::Undef
            | op::CopyObject
            | op::CopyLogical
            | op::CompositeExtract
            | op::CompositeInsert
            | op::ExtInst
            | op::Load => return Ok(None),
            op::CompositeConstruct if matches!(result, Ty::Wide { .. }) => {
                let mut parts = Scalars::new();
                for &id in words.iter().take(4) {
                    parts.extend(self.scalars(id)?);
                }
                parts
            }
            op::CompositeConstruct => return Ok(None),
            op::VectorShuffle => {
                let mut all = self.scalars(first)?;
                all.extend(self.scalars(words[1])?);
                words[2..].iter().take(4).map(|&at| all[(at as usize).min(all.len() - 1)]).collect()
            }
            op::VectorExtractDynamic => {
                let (all, index) = (self.scalars(first)?, self.index_word(words[1])?);
                let mut found = all[all.len() - 1];
                for (at, &value) in all.iter().enumerate().rev().skip(1) {
                    let number = self.b.i32(at as i32);
                    let here = self.b.ieq(index, number);
                    found = self.b.select(here, value, found);
                }
                smallvec::smallvec![found]
            }
            op::VectorInsertDynamic => {
                let (all, part, index) = (self.scalars(first)?, self.scalars(words[1])?, self.index_word(words[2])?);
                let mut parts = Scalars::new();
                for (at, &value) in all.iter().enumerate() {
                    let number = self.b.i32(at as i32);
                    let here = self.b.ieq(index, number);
                    parts.push(self.b.select(here, part[0], value));
                }
                parts
            }
            op::Select => {
                if !matches!(result, Ty::Wide { .. }) {
                    return Ok(None);
                }
                let (cond, a, b) = (self.scalars(first)?, self.scalars(words[1])?, self.scalars(words[2])?);
                let pairs = a.iter().zip(&b).enumerate();
                pairs.map(|(at, (&a, &b))| self.b.select(cond[at.min(cond.len() - 1)], a, b)).collect()
            }
            op::Bitcast => {
                let pairs = self.bits_of(first)?;
                if matches!(result, Ty::Leaf(_)) {
                    let words = |l: &mut Self, pair| [l.b.extract(pair, 0), l.b.extract(pair, 1)];
                    pairs.iter().take(2).flat_map(|&pair| words(self, pair)).collect()
                } else {
                    pairs
                }
            }
            op::Dot => {
                let (a, b) = (self.pairs(first)?, self.pairs(words[1])?);
                smallvec::smallvec![self.wide_dot(&a, &b)]
            }
            op::VectorTimesScalar => {
                let (a, b) = (self.pairs(first)?, self.pairs(words[1])?);
                a.iter().map(|&a| self.b.dmul(a, b[0])).collect()
            }
            op::MatrixTimesScalar
            | op::MatrixTimesVector
            | op::VectorTimesMatrix
            | op::MatrixTimesMatrix
            | op::OuterProduct
            | op::Transpose => return self.wide_matrix(opcode, words).map(Some),
            _ => {
                let operands: Vec<Scalars> =
                    words.iter().take(3).map(|&id| self.scalars(id)).collect::<Result<_, _>>()?;
                let from = self.type_of(first).cloned().ok_or(LiftErrorKind::NotAValue(first))?;
                let float = matches!(from, Ty::Wide { float: true, .. });
                let wide = from.is_wide();
                let mut parts = Scalars::new();
                for at in 0..operands[0].len() {
                    let args: Scalars = operands.iter().map(|all| all[at.min(all.len() - 1)]).collect();
                    let part = match args[..] {
                        [a] => self.wide_unary(opcode, a, wide, result.is_wide()),
                        [a, by] if is_shift(opcode) => Some(self.long_shift(opcode, a, by)),
                        [a, b] => {
                            let (a, b) = (self.fit(a, Type::I32X2), self.fit(b, Type::I32X2));
                            if float { self.double_binary(opcode, a, b) } else { self.long_binary(opcode, a, b)? }
                        }
                        _ => None,
                    };
                    parts.push(part.ok_or_else(refuse)?);
                }
                parts
            }
        };
        self.gathered(&parts, &result).map(Some)
    }

    /// The lowest word of an index of any width.
    fn index_word(&mut self, id: u32) -> Result<Value, LiftErrorKind> {
        let value = self.leaf(id)?;
        Ok(self.fit(value, Type::I32))
    }

    /// Scalars of a scalar or vector; those of 64 bits are pairs.
    fn scalars(&mut self, id: u32) -> Result<Scalars, LiftErrorKind> {
        let wide = self.type_of(id).is_some_and(|ty| matches!(ty, Ty::Wide { .. }));
        match self.get(id)? {
            Val::Leaf(value) if wide => Ok(smallvec::smallvec![value]),
            Val::Leaf(value) => Ok((0..self.b.ty(value).lanes).map(|lane| self.b.extract(value, lane)).collect()),
            Val::Composite(parts) => Self::leaves(&parts),
            _ => Err(LiftErrorKind::Malformed("an operand is no scalar or vector")),
        }
    }

    fn leaves(parts: &[Val]) -> Result<Scalars, LiftErrorKind> {
        let leaf = |part: &Val| match part {
            Val::Leaf(value) => Some(*value),
            _ => None,
        };
        let all: Option<Scalars> = parts.iter().take(4).map(leaf).collect();
        all.filter(|all| !all.is_empty()).ok_or(LiftErrorKind::Malformed("an operand is no scalar or vector"))
    }

    /// Scalars as a value of a type.
    fn gathered(&mut self, parts: &[Value], ty: &Ty) -> Result<Val, LiftErrorKind> {
        match ty {
            Ty::Wide { lanes: 1, .. } if parts.len() == 1 => Ok(Val::Leaf(parts[0])),
            Ty::Wide { lanes, .. } if parts.len() == usize::from(*lanes) => {
                Ok(Val::Composite(parts.iter().map(|&part| Val::Leaf(part)).collect()))
            }
            Ty::Leaf(ty) if parts.len() == usize::from(ty.lanes) => {
                let parts: Scalars = parts.iter().map(|&part| self.fit(part, ty.with_lanes(1))).collect();
                Ok(Val::Leaf(self.b.construct(&parts)))
            }
            _ => Err(LiftErrorKind::Malformed("operands and result have different numbers of components")),
        }
    }

    /// Scalars, all of them pairs whatever the module says.
    fn pairs(&mut self, id: u32) -> Result<Scalars, LiftErrorKind> {
        let scalars = self.scalars(id)?;
        Ok(scalars.into_iter().map(|value| self.fit(value, Type::I32X2)).collect())
    }

    /// The words of a scalar or vector, as pairs.
    fn bits_of(&mut self, id: u32) -> Result<Scalars, LiftErrorKind> {
        let wide = self.type_of(id).is_some_and(|ty| matches!(ty, Ty::Wide { .. }));
        let scalars = self.scalars(id)?;
        let pair = |l: &mut Self, words: &[Value]| {
            let parts: Scalars = words.iter().map(|&word| l.b.cast(word, Kind::Int)).collect();
            l.b.construct(&parts)
        };
        if wide {
            return Ok(scalars);
        }
        if scalars.len() % 2 != 0 {
            return Err(LiftErrorKind::Malformed("a bitcast between different numbers of bits"));
        }
        Ok(scalars.chunks(2).map(|words| pair(self, words)).collect())
    }

    /// A double with this value.
    pub(super) fn double(&mut self, value: f64) -> Value {
        let bits = value.to_bits();
        self.b.const_bits(Type::I32X2, [bits as u32, (bits >> 32) as u32, 0, 0])
    }

    pub(super) fn words(&mut self, pair: Value) -> (Value, Value) {
        (self.b.extract(pair, 0), self.b.extract(pair, 1))
    }

    pub(super) fn pair(&mut self, low: Value, high: Value) -> Value {
        self.b.construct(&[low, high])
    }

    fn wide_unary(&mut self, opcode: u16, a: Value, from_wide: bool, to_wide: bool) -> Option<Value> {
        let zero = self.b.i32(0);
        let a = if from_wide || is_conversion(opcode) { a } else { self.fit(a, Type::I32X2) };
        Some(match (opcode, from_wide, to_wide) {
            (op::FNegate, ..) => self.b.dneg(a),
            (op::SNegate, ..) => self.long_neg(a),
            (op::Not, ..) => self.b.inot(a),
            (op::IsNan, ..) => self.b.dne(a, a),
            (op::IsInf, ..) => {
                let (size, infinity) = (self.b.dabs(a), self.double(f64::INFINITY));
                self.b.deq(size, infinity)
            }
            (op::FConvert, false, true) => self.b.f2d(a),
            (op::FConvert, true, false) => self.b.d2f(a),
            (op::FConvert | op::UConvert | op::SConvert, true, true) => a,
            (op::UConvert, false, true) => self.pair(a, zero),
            (op::SConvert, false, true) => {
                let all = self.b.i32(31);
                let sign = self.b.ishr(a, all);
                self.pair(a, sign)
            }
            (op::UConvert | op::SConvert, true, false) => self.b.extract(a, 0),
            (op::ConvertSToF, false, true) => self.b.i2d(a),
            (op::ConvertUToF, false, true) => self.b.u2d(a),
            (op::ConvertSToF | op::ConvertUToF, true, true) => self.long_to_double(a, opcode == op::ConvertSToF),
            (op::ConvertSToF | op::ConvertUToF, true, false) => self.long_to_float(a, opcode == op::ConvertSToF),
            (op::ConvertFToS, true, false) => self.b.d2i(a),
            (op::ConvertFToU, true, false) => self.b.d2u(a),
            (op::ConvertFToS | op::ConvertFToU, from_wide, true) => {
                let a = if from_wide { a } else { self.b.f2d(a) };
                self.double_to_long(a, opcode == op::ConvertFToS)
            }
            _ => return None,
        })
    }

    fn double_binary(&mut self, opcode: u16, a: Value, b: Value) -> Option<Value> {
        let not = |l: &mut Self, value| l.b.bnot(value);
        Some(match opcode {
            op::FAdd => self.b.dadd(a, b),
            op::FSub => self.b.dsub(a, b),
            op::FMul => self.b.dmul(a, b),
            op::FDiv => self.b.ddiv(a, b),
            op::FRem | op::FMod => {
                let quotient = self.b.ddiv(a, b);
                let whole = if opcode == op::FRem { self.b.dtrunc(quotient) } else { self.b.dfloor(quotient) };
                let product = self.b.dmul(b, whole);
                self.b.dsub(a, product)
            }
            op::FOrdEqual => self.b.deq(a, b),
            op::FUnordNotEqual => self.b.dne(a, b),
            op::FOrdLessThan => self.b.dlt(a, b),
            op::FOrdLessThanEqual => self.b.dle(a, b),
            op::FOrdGreaterThan => self.b.dlt(b, a),
            op::FOrdGreaterThanEqual => self.b.dle(b, a),
            op::FUnordLessThan => {
                let opposite = self.b.dle(b, a);
                not(self, opposite)
            }
            op::FUnordLessThanEqual => {
                let opposite = self.b.dlt(b, a);
                not(self, opposite)
            }
            op::FUnordGreaterThan => {
                let opposite = self.b.dle(a, b);
                not(self, opposite)
            }
            op::FUnordGreaterThanEqual => {
                let opposite = self.b.dlt(a, b);
                not(self, opposite)
            }
            op::FOrdNotEqual | op::FUnordEqual => {
                let (less, greater) = (self.b.dlt(a, b), self.b.dlt(b, a));
                let differ = self.b.bor(less, greater);
                if opcode == op::FUnordEqual { not(self, differ) } else { differ }
            }
            _ => return None,
        })
    }

    fn wide_dot(&mut self, a: &[Value], b: &[Value]) -> Value {
        let mut sum = self.double(0.0);
        for (at, (&a, &b)) in a.iter().zip(b).enumerate() {
            let product = self.b.dmul(a, b);
            sum = if at == 0 { product } else { self.b.dadd(sum, product) };
        }
        sum
    }

    /// Columns of a matrix of doubles.
    fn wide_columns(&mut self, id: u32) -> Result<Vec<Scalars>, LiftErrorKind> {
        let wrong = LiftErrorKind::Malformed("the operand is no matrix");
        let Val::Composite(columns) = self.get(id)? else { return Err(wrong) };
        let mut all = Vec::new();
        for column in columns.iter().take(4) {
            let Val::Composite(parts) = column else { return Err(wrong) };
            let parts = Self::leaves(parts)?;
            all.push(parts.into_iter().map(|value| self.fit(value, Type::I32X2)).collect::<Scalars>());
        }
        if all.is_empty() || all.iter().any(|column| column.len() != all[0].len()) {
            return Err(wrong);
        }
        Ok(all)
    }

    fn wide_matrix(&mut self, opcode: u16, words: &[u32]) -> Result<Val, LiftErrorKind> {
        let matrix = |columns: Vec<Scalars>| {
            let column = |column: &Scalars| Val::Composite(column.iter().map(|&value| Val::Leaf(value)).collect());
            Val::Composite(columns.iter().map(column).collect())
        };
        let vector = |parts: Scalars| Val::Composite(parts.iter().map(|&value| Val::Leaf(value)).collect());
        Ok(match opcode {
            op::Transpose => {
                let columns = self.wide_columns(words[0])?;
                let row = |row: usize| columns.iter().map(|column| column[row]).collect();
                matrix((0..columns[0].len()).map(row).collect())
            }
            op::MatrixTimesScalar => {
                let (columns, factor) = (self.wide_columns(words[0])?, self.pairs(words[1])?);
                let times = |l: &mut Self, column: &Scalars| column.iter().map(|&a| l.b.dmul(a, factor[0])).collect();
                let columns: Vec<Scalars> = columns.iter().map(|column| times(self, column)).collect();
                matrix(columns)
            }
            op::MatrixTimesVector => {
                let (columns, factor) = (self.wide_columns(words[0])?, self.pairs(words[1])?);
                vector(self.wide_transform(&columns, &factor)?)
            }
            op::VectorTimesMatrix => {
                let (factor, columns) = (self.pairs(words[0])?, self.wide_columns(words[1])?);
                vector(columns.iter().map(|column| self.wide_dot(&factor, column)).collect())
            }
            op::MatrixTimesMatrix => {
                let (left, right) = (self.wide_columns(words[0])?, self.wide_columns(words[1])?);
                let columns: Result<Vec<Scalars>, _> =
                    right.iter().map(|column| self.wide_transform(&left, column)).collect();
                matrix(columns?)
            }
            _ => {
                let (column, row) = (self.pairs(words[0])?, self.pairs(words[1])?);
                let times = |l: &mut Self, factor: Value| column.iter().map(|&a| l.b.dmul(a, factor)).collect();
                let columns: Vec<Scalars> = row.iter().map(|&factor| times(self, factor)).collect();
                matrix(columns)
            }
        })
    }

    fn wide_transform(&mut self, columns: &[Scalars], vector: &[Value]) -> Result<Scalars, LiftErrorKind> {
        if vector.len() < columns.len() {
            return Err(LiftErrorKind::Malformed("a matrix and a vector of different sizes"));
        }
        Ok((0..columns[0].len())
            .map(|row| {
                let cells: Scalars = columns.iter().map(|column| column[row]).collect();
                self.wide_dot(&cells, vector)
            })
            .collect())
    }

    /// An instruction of GLSL.std.450 on 64-bit numbers: number and operands.
    pub(super) fn wide_extended(&mut self, number: u32, ids: &[u32], ty: u32) -> Result<Val, LiftErrorKind> {
        let result = self.d.ty(ty)?.clone();
        let refuse = || LiftErrorKind::ExtInst(format!("{} of 64-bit numbers", glsl::text(number)));
        if matches!(number, glsl::Determinant | glsl::MatrixInverse) {
            return Err(refuse());
        }
        let mut args: Vec<Scalars> = Vec::new();
        for (at, &id) in ids.iter().take(3).enumerate() {
            // Words are words only where they are meant.
            let words = number == glsl::PackDouble2x32 || number == glsl::Ldexp && at == 1;
            args.push(if words { self.scalars(id)? } else { self.pairs(id)? });
        }
        let Some(first) = args.first() else { return Err(refuse()) };
        let first = first.clone();
        let parts: Scalars = match (number, &args[..]) {
            (glsl::PackDouble2x32, _) if first.len() == 2 => {
                let words: Scalars = first.iter().map(|&word| self.b.cast(word, Kind::Int)).collect();
                smallvec::smallvec![self.b.construct(&words)]
            }
            (glsl::UnpackDouble2x32, [a]) => {
                let (low, high) = self.words(a[0]);
                smallvec::smallvec![low, high]
            }
            (glsl::Length, [a]) => {
                let square = self.wide_dot(a, a);
                smallvec::smallvec![self.b.dsqrt(square)]
            }
            (glsl::Distance, [a, b]) => {
                let way: Scalars = a.iter().zip(b).map(|(&a, &b)| self.b.dsub(a, b)).collect();
                let square = self.wide_dot(&way, &way);
                smallvec::smallvec![self.b.dsqrt(square)]
            }
            (glsl::Normalize, [a]) => {
                let square = self.wide_dot(a, a);
                let length = self.b.dsqrt(square);
                a.iter().map(|&a| self.b.ddiv(a, length)).collect()
            }
            (glsl::Cross, [a, b]) if a.len() == 3 && b.len() == 3 => (0..3)
                .map(|at| {
                    let (next, last) = ((at + 1) % 3, (at + 2) % 3);
                    let (plus, minus) = (self.b.dmul(a[next], b[last]), self.b.dmul(a[last], b[next]));
                    self.b.dsub(plus, minus)
                })
                .collect(),
            (glsl::Reflect, [a, b]) => {
                let dot = self.wide_dot(b, a);
                let twice = self.b.dadd(dot, dot);
                a.iter()
                    .zip(b)
                    .map(|(&a, &b)| {
                        let part = self.b.dmul(b, twice);
                        self.b.dsub(a, part)
                    })
                    .collect()
            }
            _ => {
                let mut parts = Scalars::new();
                for at in 0..first.len() {
                    let args: Scalars = args.iter().map(|all| all[at.min(all.len() - 1)]).collect();
                    parts.push(self.wide_scalar(number, &args).ok_or_else(refuse)?);
                }
                parts
            }
        };
        self.gathered(&parts, &result)
    }

    /// `modf` and `frexp`: what they return, and what they store.
    pub(super) fn wide_split(&mut self, modf: bool, id: u32) -> Result<(Val, Val), LiftErrorKind> {
        let (mut first, mut second) = (Scalars::new(), Scalars::new());
        for a in self.pairs(id)? {
            if modf {
                let whole = self.b.dtrunc(a);
                first.push(self.b.dsub(a, whole));
                second.push(whole);
            } else {
                first.push(self.b.dfrexp_mant(a));
                second.push(self.b.dfrexp_exp(a));
            }
        }
        let lanes = first.len() as u8;
        let wide = Ty::Wide { float: true, lanes };
        let other = if modf { wide.clone() } else { Ty::Leaf(Type::I32.with_lanes(lanes)) };
        Ok((self.gathered(&first, &wide)?, self.gathered(&second, &other)?))
    }

    fn wide_scalar(&mut self, number: u32, args: &[Value]) -> Option<Value> {
        Some(match (number, args) {
            (glsl::FAbs, &[a]) => self.b.dabs(a),
            (glsl::FSign, &[a]) => {
                let (zero, one, minus) = (self.double(0.0), self.double(1.0), self.double(-1.0));
                let (negative, positive) = (self.b.dlt(a, zero), self.b.dlt(zero, a));
                let low = self.b.select(negative, minus, zero);
                self.b.select(positive, one, low)
            }
            (glsl::Floor, &[a]) => self.b.dfloor(a),
            (glsl::Ceil, &[a]) => self.b.dceil(a),
            (glsl::Trunc, &[a]) => self.b.dtrunc(a),
            (glsl::Round | glsl::RoundEven, &[a]) => self.b.dround(a),
            (glsl::Fract, &[a]) => self.b.dfract(a),
            (glsl::Sqrt, &[a]) => self.b.dsqrt(a),
            (glsl::InverseSqrt, &[a]) => self.b.drsq(a),
            (glsl::FMin | glsl::NMin, &[a, b]) => self.b.dmin(a, b),
            (glsl::FMax | glsl::NMax, &[a, b]) => self.b.dmax(a, b),
            (glsl::FClamp | glsl::NClamp, &[a, low, high]) => {
                let a = self.b.dmax(a, low);
                self.b.dmin(a, high)
            }
            (glsl::Fma, &[a, b, c]) => self.b.dfma(a, b, c),
            (glsl::FMix, &[a, b, c]) => {
                let one = self.double(1.0);
                let rest = self.b.dsub(one, c);
                let (from, to) = (self.b.dmul(a, rest), self.b.dmul(b, c));
                self.b.dadd(from, to)
            }
            (glsl::Step, &[edge, a]) => {
                let (zero, one) = (self.double(0.0), self.double(1.0));
                let below = self.b.dlt(a, edge);
                self.b.select(below, zero, one)
            }
            (glsl::Ldexp, &[a, by]) => self.b.dldexp(a, by),
            (glsl::SAbs, &[a]) => self.long_abs(a),
            (glsl::SSign, &[a]) => {
                let (low, high) = self.words(a);
                let (all, one) = (self.b.i32(31), self.b.i32(1));
                let sign = self.b.ishr(high, all);
                let any = self.b.ior(low, high);
                let zero = self.b.i32(0);
                let some = self.b.ine(any, zero);
                let some = self.b.cast(some, Kind::Int);
                let some = self.b.iand(some, one);
                let low = self.b.ior(sign, some);
                self.pair(low, sign)
            }
            (glsl::UMin | glsl::SMin, &[a, b]) => {
                let less = self.long_less(a, b, number == glsl::SMin);
                self.b.select(less, a, b)
            }
            (glsl::UMax | glsl::SMax, &[a, b]) => {
                let less = self.long_less(a, b, number == glsl::SMax);
                self.b.select(less, b, a)
            }
            (glsl::UClamp | glsl::SClamp, &[a, low, high]) => {
                let signed = number == glsl::SClamp;
                let below = self.long_less(a, low, signed);
                let a = self.b.select(below, low, a);
                let above = self.long_less(high, a, signed);
                self.b.select(above, high, a)
            }
            _ => return None,
        })
    }
}

fn is_shift(opcode: u16) -> bool {
    matches!(opcode, op::ShiftLeftLogical | op::ShiftRightLogical | op::ShiftRightArithmetic)
}

fn is_conversion(opcode: u16) -> bool {
    matches!(
        opcode,
        op::FConvert
            | op::UConvert
            | op::SConvert
            | op::ConvertSToF
            | op::ConvertUToF
            | op::ConvertFToS
            | op::ConvertFToU
    )
}
