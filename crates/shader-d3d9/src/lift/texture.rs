//! Opcodes that sample textures from model 2.0 on, or discard pixels.

use super::interface::VERTEX_SLOT;
use super::{LiftErrorKind, Lifter};
use crate::instruction::{ControlBits, Instruction, Src};
use crate::io::bound;
use crate::pixel_ops;
use crate::signature::SamplerUse;
use crate::tables::{Opcode, Stage, TextureDimension};
use afterimage_ir::{Component, Dim, TextureDecl, Value};
use smallvec::SmallVec;

impl Lifter<'_> {
    /// What a texture instruction computes; `None` if it writes nothing.
    pub(super) fn texture(&mut self, i: &Instruction) -> Result<Option<Value>, LiftErrorKind> {
        let s = &i.srcs;
        Ok(Some(match i.op {
            Opcode::TexLd => {
                let coord = self.src(&s[0])?;
                let (coord, lookup) = match i.control {
                    ControlBits::Project => (self.project(coord), Lookup::Plain),
                    ControlBits::Bias => (coord, Lookup::Bias(self.b.extract(coord, 3))),
                    _ => (coord, Lookup::Plain),
                };
                self.sampled(&s[1], coord, lookup)
            }
            Opcode::TexLdL => {
                let coord = self.src(&s[0])?;
                let lod = self.b.extract(coord, 3);
                self.sampled(&s[1], coord, Lookup::Lod(lod))
            }
            Opcode::TexLdD => {
                let coord = self.src(&s[0])?;
                let (dx, dy) = (self.src(&s[2])?, self.src(&s[3])?);
                self.sampled(&s[1], coord, Lookup::Grad(dx, dy))
            }
            Opcode::TexKill => {
                self.kill(i)?;
                return Ok(None);
            }
            _ => return self.texture_1(i),
        }))
    }

    /// Coordinates over their fourth component.
    pub(super) fn project(&mut self, coord: Value) -> Value {
        let w = self.b.extract(coord, 3);
        self.b.fdiv(coord, w)
    }

    /// A lookup by a sampler operand, whose swizzle is the texel's.
    fn sampled(&mut self, sampler: &Src, coord: Value, lookup: Lookup) -> Value {
        let texel = self.sample(sampler.register.number, coord, lookup);
        self.b.swizzle(texel, super::operand::swizzle(sampler.swizzle, 4))
    }

    /// A lookup in the texture of a sampler, which is declared when it is first used. Depth textures compare with the
    /// third coordinate.
    pub(super) fn sample(&mut self, number: u16, coord: Value, lookup: Lookup) -> Value {
        let index = usize::from(number) % self.samplers.len();
        let vertex = self.program.version.stage == Stage::Vertex;
        let slot = if vertex { VERTEX_SLOT + index as u8 % 4 } else { index as u8 };
        let bound = self.runtime.textures[usize::from(slot)];
        let dim = match bound & bound::KIND {
            bound::CUBE => Dim::Cube,
            bound::D3 => Dim::D3,
            bound::D2 => Dim::D2,
            _ => match self.signature.samplers[index] {
                Some(SamplerUse::Declared(TextureDimension::Cube)) => Dim::Cube,
                Some(SamplerUse::Declared(TextureDimension::Volume)) => Dim::D3,
                _ => Dim::D2,
            },
        };
        let shadow = bound & bound::SHADOW != 0 && dim == Dim::D2;
        let b = &mut self.b;
        let texture = *self.samplers[index]
            .get_or_insert_with(|| b.texture(TextureDecl { slot, dim, shadow, component: Component::Float }));
        if bound & bound::FETCH4 != 0 && dim == Dim::D2 && !shadow && !vertex {
            return pixel_ops::fetch4(b, texture, slot, bound, coord);
        }
        let reference = shadow.then(|| b.extract(coord, 2));
        match lookup {
            Lookup::Plain if vertex => {
                let lod = b.f32(0.0);
                b.sample_lod(texture, coord, lod, reference)
            }
            Lookup::Plain => b.sample(texture, coord, reference),
            Lookup::Bias(bias) => b.sample_bias(texture, coord, bias, reference),
            Lookup::Lod(lod) => b.sample_lod(texture, coord, lod, reference),
            Lookup::Grad(dx, dy) => b.sample_grad(texture, coord, dx, dy, reference),
        }
    }

    /// Discards the pixel if a component is negative: of the first three in ps_1_x, of those in the mask from 2.0 on.
    fn kill(&mut self, i: &Instruction) -> Result<(), LiftErrorKind> {
        let Some(dst) = i.dst else { return Ok(()) };
        let value = self.load_row(dst.register, 0)?;
        let lanes: &[u8] = match dst.mask {
            _ if self.program.version.major == 1 => &[0, 1, 2],
            0 | 0xF => &[0, 1, 2, 3],
            mask => &[0, 1, 2, 3].into_iter().filter(|lane| mask >> lane & 1 != 0).collect::<SmallVec<[u8; 4]>>(),
        };
        let lanes = afterimage_ir::Swizzle::new(lanes);
        let value = self.b.swizzle(value, lanes);
        let zero = self.b.f32(0.0);
        let mut negative = self.b.flt(value, zero);
        if let Some(predicate) = self.predicate_of(i) {
            let predicate = self.b.swizzle(predicate, lanes);
            negative = self.b.band(negative, predicate);
        }
        let any = self.b.any(negative);
        self.b.demote(any);
        Ok(())
    }
}

/// How the level of detail of a lookup is chosen.
#[derive(Clone, Copy)]
pub(super) enum Lookup {
    /// By the derivatives of the quad.
    Plain,
    /// The same, moved by a bias.
    Bias(Value),
    /// This one.
    Lod(Value),
    /// By these derivatives.
    Grad(Value, Value),
}
