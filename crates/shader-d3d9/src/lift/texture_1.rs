//! Texture opcodes of ps_1_x, most of which do some arithmetic with the coordinates of their stage first.
//!
//! Before ps_1_4 the coordinates of a stage stand in its `t` register until an opcode replaces them by its result.

use super::{LiftErrorKind, Lifter};
use crate::instruction::Instruction;
use crate::tables::{Opcode, RegisterType};
use afterimage_ir::{Swizzle, Value};

impl Lifter<'_> {
    /// What a texture instruction of ps_1_x computes; `None` if it writes nothing.
    pub(super) fn texture_1(&mut self, i: &Instruction) -> Result<Option<Value>, LiftErrorKind> {
        let Some(dst) = i.dst else { return Err(LiftErrorKind::Unsupported) };
        let number = dst.register.number;
        let own = self.load_row(dst.register, 0)?;
        Ok(Some(match i.op {
            Opcode::Tex => self.sample(number, own),
            Opcode::TexLd14 => {
                let coord = self.src(&i.srcs[0])?;
                self.sample(number, coord)
            }
            Opcode::TexCoord => {
                let xyz = self.b.resize(own, 3);
                let (clamped, one) = (self.b.fsat(xyz), self.b.f32(1.0));
                self.b.construct(&[clamped, one])
            }
            Opcode::TexCrd => self.src(&i.srcs[0])?,
            Opcode::TexReg2Ar => self.by_components(i, number, &[3, 0])?,
            Opcode::TexReg2Gb => self.by_components(i, number, &[1, 2])?,
            Opcode::TexReg2Rgb => self.by_components(i, number, &[0, 1, 2])?,
            Opcode::TexDp3 => {
                let dot = self.row(i, own)?;
                self.b.resize(dot, 4)
            }
            Opcode::TexDp3Tex => {
                let (dot, zero) = (self.row(i, own)?, self.b.f32(0.0));
                let coord = self.b.construct(&[dot, zero, zero]);
                self.sample(number, coord)
            }
            Opcode::TexM3x2Pad | Opcode::TexM3x3Pad => {
                let pad = (self.row(i, own)?, self.b.extract(own, 3));
                self.pads.push(pad);
                return Ok(None);
            }
            Opcode::TexM3x2Tex => {
                let [(u, _)] = self.take_pads()?;
                let v = self.row(i, own)?;
                let coord = self.b.construct(&[u, v]);
                self.sample(number, coord)
            }
            Opcode::TexM3x2Depth => {
                let [(z, _)] = self.take_pads()?;
                let w = self.row(i, own)?;
                self.store_depth(z, w);
                return Ok(None);
            }
            Opcode::TexM3x3 => {
                let (normal, _) = self.matrix_row_3(i, own)?;
                let one = self.b.f32(1.0);
                self.b.construct(&[normal, one])
            }
            Opcode::TexM3x3Tex => {
                let (coord, _) = self.matrix_row_3(i, own)?;
                self.sample(number, coord)
            }
            Opcode::TexM3x3Spec => {
                let (normal, _) = self.matrix_row_3(i, own)?;
                let eye = self.src_row(&i.srcs[1], 0, 3)?;
                let coord = self.reflect(normal, eye);
                self.sample(number, coord)
            }
            Opcode::TexM3x3VSpec => {
                let (normal, eye) = self.matrix_row_3(i, own)?;
                let coord = self.reflect(normal, eye);
                self.sample(number, coord)
            }
            Opcode::TexDepth => {
                let (z, w) = (self.b.extract(own, 0), self.b.extract(own, 1));
                self.store_depth(z, w);
                return Ok(None);
            }
            _ => return Err(LiftErrorKind::Unsupported),
        }))
    }

    /// A lookup by components of another texture's result.
    fn by_components(&mut self, i: &Instruction, number: u16, lanes: &[u8]) -> Result<Value, LiftErrorKind> {
        let source = self.src(&i.srcs[0])?;
        let coord = self.b.swizzle(source, Swizzle::new(lanes));
        Ok(self.sample(number, coord))
    }

    /// The stage's coordinates times the source: a row of a matrix times a vector.
    fn row(&mut self, i: &Instruction, own: Value) -> Result<Value, LiftErrorKind> {
        let (row, vector) = (self.b.resize(own, 3), self.src_row(&i.srcs[0], 0, 3)?);
        Ok(self.b.fdotz(row, vector))
    }

    /// What the last `N` pads computed.
    fn take_pads<const N: usize>(&mut self) -> Result<[(Value, Value); N], LiftErrorKind> {
        let pads = self.pads.last_chunk().copied().ok_or(LiftErrorKind::MissingPad)?;
        self.pads.clear();
        Ok(pads)
    }

    /// The product of the whole matrix and the vector, and the fourth components of the rows.
    fn matrix_row_3(&mut self, i: &Instruction, own: Value) -> Result<(Value, Value), LiftErrorKind> {
        let [(x, a), (y, b)] = self.take_pads()?;
        let (z, c) = (self.row(i, own)?, self.b.extract(own, 3));
        Ok((self.b.construct(&[x, y, z]), self.b.construct(&[a, b, c])))
    }

    /// `2 * (N . E) / (N . N) * N - E`.
    fn reflect(&mut self, normal: Value, eye: Value) -> Value {
        let (across, square) = (self.b.fdotz(normal, eye), self.b.fdotz(normal, normal));
        let reciprocal = self.b.frcpc(square);
        let factor = self.b.fmulz(across, reciprocal);
        let double = self.b.fadd(factor, factor);
        let minus = self.b.fneg(eye);
        self.b.fmadz(normal, double, minus)
    }

    /// `z / w` as the pixel's depth; one where `w` is zero.
    fn store_depth(&mut self, z: Value, w: Value) {
        let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
        let depth = self.b.fdiv(z, w);
        let infinite = self.b.feq(w, zero);
        let depth = self.b.select(infinite, one, depth);
        let var = self.var(RegisterType::DepthOut, 0);
        self.b.store(var, depth);
    }
}
