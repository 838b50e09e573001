//! Opcodes that sample textures from model 2.0 on, or discard pixels.

use super::interface::VERTEX_SLOT;
use super::{LiftErrorKind, Lifter};
use crate::instruction::{ControlBits, Instruction, Src};
use crate::io::bound;
use crate::signature::SamplerUse;
use crate::tables::{Opcode, Stage, TextureDimension};
use afterimage_ir::{self as ir, Dim, TextureDecl, Value};

impl Lifter<'_> {
    /// What a texture instruction computes; `None` if it writes nothing.
    pub(super) fn texture(&mut self, i: &Instruction) -> Result<Option<Value>, LiftErrorKind> {
        let s = &i.srcs;
        Ok(Some(match i.op {
            Opcode::TexLd => {
                let coord = self.src(&s[0])?;
                let texel = match i.control {
                    ControlBits::Project => {
                        let w = self.b.extract(coord, 3);
                        let projected = self.b.fdiv(coord, w);
                        self.sample(s[1].register.number, projected)
                    }
                    ControlBits::Bias => {
                        let bias = self.b.extract(coord, 3);
                        let (texture, reference) = self.sampler(s[1].register.number, coord);
                        self.b.sample_bias(texture, coord, bias, reference)
                    }
                    _ => self.sample(s[1].register.number, coord),
                };
                self.sampler_swizzle(&s[1], texel)
            }
            Opcode::TexLdL => {
                let coord = self.src(&s[0])?;
                let lod = self.b.extract(coord, 3);
                let (texture, reference) = self.sampler(s[1].register.number, coord);
                let texel = self.b.sample_lod(texture, coord, lod, reference);
                self.sampler_swizzle(&s[1], texel)
            }
            Opcode::TexLdD => {
                let coord = self.src(&s[0])?;
                let (dx, dy) = (self.src(&s[2])?, self.src(&s[3])?);
                let (texture, reference) = self.sampler(s[1].register.number, coord);
                let texel = self.b.sample_grad(texture, coord, dx, dy, reference);
                self.sampler_swizzle(&s[1], texel)
            }
            Opcode::TexKill => {
                self.kill(i)?;
                return Ok(None);
            }
            _ => return self.texture_1(i),
        }))
    }

    /// A plain lookup.
    pub(super) fn sample(&mut self, sampler: u16, coord: Value) -> Value {
        let (texture, reference) = self.sampler(sampler, coord);
        if self.program.version.stage == Stage::Vertex {
            let lod = self.b.f32(0.0);
            return self.b.sample_lod(texture, coord, lod, reference);
        }
        self.b.sample(texture, coord, reference)
    }

    fn sampler_swizzle(&mut self, sampler: &Src, texel: Value) -> Value {
        self.b.swizzle(texel, super::operand::swizzle(sampler.swizzle, 4))
    }

    /// The texture of a sampler, declared when it is first used, and the reference value of a comparing one.
    fn sampler(&mut self, number: u16, coord: Value) -> (ir::Texture, Option<Value>) {
        let index = usize::from(number) % self.samplers.len();
        let slot = match self.program.version.stage {
            Stage::Vertex => VERTEX_SLOT + index as u8 % 4,
            Stage::Pixel => index as u8,
        };
        let bound = self.runtime.textures[usize::from(slot)];
        let dim = match self.signature.samplers[index] {
            Some(SamplerUse::Declared(TextureDimension::D2)) => Dim::D2,
            Some(SamplerUse::Declared(TextureDimension::Cube)) => Dim::Cube,
            Some(SamplerUse::Declared(TextureDimension::Volume)) => Dim::D3,
            _ => match bound & bound::KIND {
                bound::CUBE => Dim::Cube,
                bound::D3 => Dim::D3,
                _ => Dim::D2,
            },
        };
        let shadow = bound & bound::SHADOW != 0 && dim == Dim::D2;
        let b = &mut self.b;
        let texture = *self.samplers[index].get_or_insert_with(|| b.texture(TextureDecl { slot, dim, shadow }));
        let reference = shadow.then(|| self.b.extract(coord, 2));
        (texture, reference)
    }

    /// Discards the pixel if a component is negative: of the first three in ps_1_x, of all from 2.0 on.
    fn kill(&mut self, i: &Instruction) -> Result<(), LiftErrorKind> {
        let Some(dst) = i.dst else { return Ok(()) };
        let value = self.load_row(dst.register, 0)?;
        let lanes = if self.program.version.major == 1 { 3 } else { 4 };
        let value = self.b.resize(value, lanes);
        let zero = self.b.f32(0.0);
        let mut negative = self.b.flt(value, zero);
        if let Some(predicate) = self.predicate_of(i) {
            negative = self.b.band(negative, predicate);
        }
        let any = self.b.any(negative);
        self.b.demote(any);
        Ok(())
    }
}
