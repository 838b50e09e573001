//! Texture opcodes of ps_1_x, most of which do some arithmetic with the coordinates of their stage first.
//!
//! Before ps_1_4 the coordinates of a stage stand in its `t` register until an opcode replaces them by its result.
//!
//! Ranges are those of the reference's page "ps_1_1, ps_1_2, ps_1_3, ps_1_4 Registers": constants are clamped to -1..1
//! and colours to 0..1 where they are read. Temporaries hold at least -1..1 (`PixelShader1xMaxValue`); hardware from
//! Direct3D 9 on and every driver since has kept them as floats, and so do we.

use super::texture::Lookup;
use super::{LiftErrorKind, Lifter};
use crate::banks::FixedPixelRegister;
use crate::instruction::Instruction;
use crate::io::bound;
use crate::tables::{Opcode, RegisterType};
use afterimage_ir::{Swizzle, Value};

impl Lifter<'_> {
    /// What a texture instruction of ps_1_x computes; `None` if it writes nothing.
    pub(super) fn texture_1(&mut self, i: &Instruction) -> Result<Option<Value>, LiftErrorKind> {
        let Some(dst) = i.dst else { return Err(LiftErrorKind::Unsupported) };
        let number = dst.register.number;
        // Those of the vertices, whatever an instruction has put into the register since.
        let coordinates = self.coordinates.get(usize::from(number)).copied().flatten();
        let own = match coordinates.filter(|_| self.program.version.is_ps_before_1_4()) {
            Some(coordinates) => coordinates,
            None => self.load_row(dst.register, 0)?,
        };
        Ok(Some(match i.op {
            Opcode::Tex => {
                let coord = self.projected(number, own);
                self.sample(number, coord, Lookup::Plain)
            }
            Opcode::TexLd14 => {
                let coord = self.src(&i.srcs[0])?;
                self.sample(number, coord, Lookup::Plain)
            }
            Opcode::TexBem | Opcode::TexBemL => self.bump_lookup(i, number, own)?,
            Opcode::Bem => {
                let (base, offset) = (self.src(&i.srcs[0])?, self.src(&i.srcs[1])?);
                self.bump(number, base, offset)
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
                self.sample(number, coord, Lookup::Plain)
            }
            Opcode::TexM3x2Pad | Opcode::TexM3x3Pad => {
                let pad = (self.row(i, own)?, self.b.extract(own, 3));
                self.pads.push(pad);
                return Ok(None);
            }
            Opcode::TexM3x2Tex => {
                let [(u, _)] = self.take_pads()?;
                let (v, zero) = (self.row(i, own)?, self.b.f32(0.0));
                let coord = self.b.construct(&[u, v, zero]);
                self.sample(number, coord, Lookup::Plain)
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
                self.sample(number, coord, Lookup::Plain)
            }
            Opcode::TexM3x3Spec => {
                let (normal, _) = self.matrix_row_3(i, own)?;
                let eye = self.src_row(&i.srcs[1], 0, 3)?;
                let coord = self.reflect(normal, eye);
                self.sample(number, coord, Lookup::Plain)
            }
            Opcode::TexM3x3VSpec => {
                let (normal, eye) = self.matrix_row_3(i, own)?;
                let coord = self.reflect(normal, eye);
                self.sample(number, coord, Lookup::Plain)
            }
            Opcode::TexDepth => {
                let (z, w, one) = (self.b.extract(own, 0), self.b.extract(own, 1), self.b.f32(1.0));
                // The divisor is a colour, so it is at most one.
                let w = self.b.fminc(w, one);
                self.store_depth(z, w);
                return Ok(None);
            }
            _ => return Err(LiftErrorKind::Unsupported),
        }))
    }

    /// Coordinates of a stage, divided by the fourth where `D3DTSS_TEXTURETRANSFORMFLAGS` has `D3DTTFF_PROJECTED`.
    fn projected(&mut self, stage: u16, coord: Value) -> Value {
        let bound = self.runtime.textures.get(usize::from(stage)).copied().unwrap_or_default();
        if bound & bound::PROJECTED != 0 { self.project(coord) } else { coord }
    }

    /// `texbem`: a lookup at coordinates that another texture's red and green move; `texbeml` then scales the texel by
    /// the luminance in that texture's blue.
    fn bump_lookup(&mut self, i: &Instruction, stage: u16, own: Value) -> Result<Value, LiftErrorKind> {
        let source = self.src(&i.srcs[0])?;
        let coord = self.projected(stage, own);
        let (moved, rest) = (self.bump(stage, coord, source), self.b.swizzle(coord, Swizzle::new(&[2, 3])));
        let moved = self.b.resize(moved, 2);
        let coord = self.b.construct(&[moved, rest]);
        let texel = self.sample(stage, coord, Lookup::Plain);
        if i.op == Opcode::TexBem {
            return Ok(texel);
        }
        let register = self.fixed_register(FixedPixelRegister::BumpLuminance.element(stage));
        let (scale, offset) = (self.b.extract(register, 0), self.b.extract(register, 1));
        let blue = self.b.extract(source, 2);
        let luminance = self.b.fmadz(blue, scale, offset);
        Ok(self.b.fmulz(texel, luminance))
    }

    /// `u + M00 * r + M10 * g` and `v + M01 * r + M11 * g`, with the bump matrix of a stage (`D3DTSS_BUMPENVMAT00` and
    /// so on); the other components have no meaning.
    fn bump(&mut self, stage: u16, base: Value, offset: Value) -> Value {
        let matrix = self.fixed_register(FixedPixelRegister::BumpMatrix.element(stage));
        let [first, second] = [[0, 1], [2, 3]].map(|row| self.b.swizzle(matrix, Swizzle::new(&row)));
        let (red, green) = (self.b.extract(offset, 0), self.b.extract(offset, 1));
        let base = self.b.resize(base, 2);
        let moved = self.b.fmadz(first, red, base);
        let moved = self.b.fmadz(second, green, moved);
        self.b.resize(moved, 4)
    }

    /// A lookup by components of another texture's result.
    fn by_components(&mut self, i: &Instruction, number: u16, lanes: &[u8]) -> Result<Value, LiftErrorKind> {
        let source = self.src(&i.srcs[0])?;
        let mut coord = self.b.swizzle(source, Swizzle::new(lanes));
        if lanes.len() < 3 {
            let zero = self.b.f32(0.0);
            coord = self.b.construct(&[coord, zero]);
        }
        Ok(self.sample(number, coord, Lookup::Plain))
    }

    /// The stage's coordinates times the source: a row of a matrix times a vector.
    fn row(&mut self, i: &Instruction, own: Value) -> Result<Value, LiftErrorKind> {
        let (row, vector) = (self.b.resize(own, 3), self.src_row(&i.srcs[0], 0, 3)?);
        Ok(self.b.fdotz(row, vector))
    }

    /// What the last `N` pads computed.
    fn take_pads<const N: usize>(&mut self) -> Result<[(Value, Value); N], LiftErrorKind> {
        let pads = self.pads.last_chunk().copied().ok_or(LiftErrorKind::Unsupported)?;
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

    /// `z / w` as the pixel's depth; one where `w` is zero ("texdepth - ps", "texm3x2depth - ps").
    fn store_depth(&mut self, z: Value, w: Value) {
        let (one, zero) = (self.b.f32(1.0), self.b.f32(0.0));
        let depth = self.b.fdiv(z, w);
        let infinite = self.b.feq(w, zero);
        let depth = self.b.select(infinite, one, depth);
        let var = self.var(RegisterType::DepthOut, 0);
        self.b.store(var, depth);
    }
}
