//! Textures and what is read from them.

use afterimage_ir::{Component, Dim, Stage, Texture, TextureDecl, Value};

use super::interface::descriptor;
use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::io::{Descriptor, TextureUse};
use crate::parse::Instruction;
use crate::tables::{dim, image_operand, op};
use crate::types::{Image, Ty};

/// Which descriptor of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// It is no array, or the element is not chosen yet.
    Only,
    At(u32),
    /// Our own ABI: what the word of a texture slot names.
    Slot(u8),
}

/// An image or a sampler.
#[derive(Clone, Copy, Debug)]
pub(super) struct Handle {
    variable: u32,
    element: Element,
    /// Type of the image; of no meaning for samplers.
    image: Option<Image>,
}

/// Textures so far.
#[derive(Default)]
pub(super) struct Textures {
    pub(super) uses: Vec<TextureUse>,
    declared: Vec<(TextureDecl, Texture)>,
}

/// Operands of a sample beside the coordinates.
#[derive(Default)]
struct Operands {
    bias: Option<Value>,
    lod: Option<Value>,
    grad: Option<(Value, Value)>,
}

impl Lifter<'_> {
    /// The value behind a pointer to descriptors.
    pub(super) fn descriptor(&self, variable: u32, element: Element, ty: &Ty) -> Result<Val, LiftErrorKind> {
        let handle = |image| Handle { variable, element, image };
        match ty {
            Ty::Image(image) => Ok(Val::Image(handle(Some(*image)))),
            Ty::Sampler => Ok(Val::Sampler(handle(None))),
            Ty::SampledImage(image) => Ok(Val::SampledImage(handle(Some(*image)), handle(None))),
            _ => Err(LiftErrorKind::Malformed("there is no value of this type")),
        }
    }

    pub(super) fn combine(&mut self, image: u32, sampler: u32) -> Result<Val, LiftErrorKind> {
        match (self.get(image)?, self.get(sampler)?) {
            (Val::Image(image), Val::Sampler(sampler)) => Ok(Val::SampledImage(image, sampler)),
            _ => Err(LiftErrorKind::Malformed("the operands are no image and sampler")),
        }
    }

    fn place(&self, handle: Handle) -> Descriptor {
        let element = match handle.element {
            Element::Only => 0,
            Element::At(at) => at,
            Element::Slot(slot) => u32::from(slot),
        };
        Descriptor { element, ..descriptor(self.d, handle.variable) }
    }

    /// The slot of a pair of image and sampler.
    fn slot(&mut self, image: Handle, sampler: Handle) -> Result<u8, LiftErrorKind> {
        let (at, with) = (self.place(image), self.place(sampler));
        // Pairs that only our own writer makes keep their slot.
        let own = match (image.element, sampler.element) {
            (Element::Slot(a), Element::Slot(b)) => {
                if a != b {
                    return Err(LiftErrorKind::Unsupported("the texture of one slot with the sampler of another"));
                }
                Some(a)
            }
            (Element::At(a), Element::At(b)) if self.interface.own_addressing && a == b => {
                let layout = at.set == 0 && with.set == 0 && at.binding < 3 && with.binding == 3;
                u8::try_from(a).ok().filter(|&slot| layout && slot < afterimage_ir::TEXTURE_SLOTS)
            }
            _ => None,
        };
        let (first, count) = if self.stage == Stage::Vertex { (16, 4) } else { (0, 16) };
        let uses = &mut self.interface.textures.uses;
        if let Some(known) = uses.iter().find(|u| u.image == at && u.sampler == with) {
            return Ok(known.slot);
        }
        let free = (first..first + count).find(|slot| uses.iter().all(|u| u.slot != *slot));
        let slot =
            own.or(free).ok_or(LiftErrorKind::TooMany("textures; a fragment shader can have 16, a vertex shader 4"))?;
        uses.push(TextureUse { slot, image: at, sampler: with });
        Ok(slot)
    }

    fn texture(&mut self, image: Handle, sampler: Handle, shadow: bool) -> Result<Texture, LiftErrorKind> {
        let kind = image.image.ok_or(LiftErrorKind::Malformed("this is no image"))?;
        let refuse = |what: &str| Err(LiftErrorKind::Image(what.to_owned()));
        if kind.multisampled {
            return refuse("multisampled images");
        }
        if kind.arrayed {
            return refuse("array textures");
        }
        if !kind.float {
            return refuse("textures of integers");
        }
        let shape = match kind.dim {
            dim::D2 => Dim::D2,
            dim::D3 => Dim::D3,
            dim::Cube => Dim::Cube,
            other => return refuse(&format!("images of dimension {}", dim::name(other).unwrap_or("unknown"))),
        };
        if shadow && shape == Dim::D3 {
            return refuse("3D textures with comparison");
        }
        let slot = self.slot(image, sampler)?;
        let decl = TextureDecl { slot, dim: shape, shadow, component: Component::Float };
        let textures = &mut self.interface.textures;
        if let Some((_, known)) = textures.declared.iter().find(|known| known.0 == decl) {
            return Ok(*known);
        }
        let texture = self.b.texture(decl);
        textures.declared.push((decl, texture));
        Ok(texture)
    }

    fn image_operands(&mut self, words: &[u32]) -> Result<Operands, LiftErrorKind> {
        let Some((&mask, ids)) = words.split_first() else { return Ok(Operands::default()) };
        let mut ids = ids.iter();
        let mut next = |l: &mut Self| match ids.next() {
            Some(&id) => l.leaf(id),
            None => Err(LiftErrorKind::Malformed("an image operand is missing")),
        };
        let mut found = Operands::default();
        for bit in (0..32).map(|bit| 1 << bit).filter(|bit| mask & bit != 0) {
            match bit {
                image_operand::Bias => found.bias = Some(next(self)?),
                image_operand::Lod => found.lod = Some(next(self)?),
                image_operand::Grad => found.grad = Some((next(self)?, next(self)?)),
                other => {
                    let name = image_operand::name(other).map_or_else(|| format!("{other:#x}"), str::to_owned);
                    return Err(LiftErrorKind::ImageOperand(name));
                }
            }
        }
        Ok(found)
    }

    /// An instruction that samples.
    pub(super) fn sample(&mut self, instruction: &Instruction, words: &[u32]) -> Result<Val, LiftErrorKind> {
        let opcode = instruction.opcode();
        let dref = matches!(
            opcode,
            op::ImageSampleDrefImplicitLod
                | op::ImageSampleDrefExplicitLod
                | op::ImageSampleProjDrefImplicitLod
                | op::ImageSampleProjDrefExplicitLod
        );
        let proj = matches!(
            opcode,
            op::ImageSampleProjImplicitLod
                | op::ImageSampleProjExplicitLod
                | op::ImageSampleProjDrefImplicitLod
                | op::ImageSampleProjDrefExplicitLod
        );
        let gather = opcode == op::ImageGather;
        let Val::SampledImage(image, sampler) = self.get(words[0])? else {
            return Err(LiftErrorKind::Malformed("the operand is no sampled image"));
        };
        let texture = self.texture(image, sampler, dref)?;
        let coords = self.b.module().textures[texture.index()].dim.coords();
        let mut coord = self.leaf(words[1])?;
        let mut reference = dref.then(|| self.leaf(words[2])).transpose()?;
        let operands = self.image_operands(words.get(if dref || gather { 3 } else { 2 }..).unwrap_or_default())?;
        if proj {
            let divisor = self.b.extract(coord, coords);
            let whole = self.b.resize(coord, coords);
            coord = self.b.fdiv(whole, divisor);
            reference = reference.map(|r| self.b.fdiv(r, divisor));
        }
        if gather {
            if self.d.constant_word(words[2]) != Some(0) {
                return Err(LiftErrorKind::Unsupported("gathering a component other than 0"));
            }
            if operands.bias.is_some() || operands.lod.is_some() || operands.grad.is_some() {
                return Err(LiftErrorKind::ImageOperand("Bias, Lod or Grad of a gather".to_owned()));
            }
            return Ok(Val::Leaf(self.b.gather(texture, coord)));
        }
        let value = match operands {
            Operands { grad: Some((dx, dy)), .. } => self.b.sample_grad(texture, coord, dx, dy, reference),
            Operands { lod: Some(lod), .. } => self.b.sample_lod(texture, coord, lod, reference),
            _ if self.stage != Stage::Pixel => {
                return Err(LiftErrorKind::Malformed("a level of detail is implicit in fragment shaders only"));
            }
            Operands { bias: Some(bias), .. } => self.b.sample_bias(texture, coord, bias, reference),
            _ => self.b.sample(texture, coord, reference),
        };
        Ok(Val::Leaf(if dref { self.b.extract(value, 0) } else { value }))
    }

    /// An image out of a sampled image.
    pub(super) fn image_of(&mut self, id: u32) -> Result<Val, LiftErrorKind> {
        match self.get(id)? {
            Val::SampledImage(image, _) => Ok(Val::Image(image)),
            _ => Err(LiftErrorKind::Malformed("the operand is no sampled image")),
        }
    }

    /// A difference to the quad's neighbours.
    pub(super) fn derivative(&mut self, opcode: u16, id: u32) -> Result<Val, LiftErrorKind> {
        if self.stage != Stage::Pixel {
            return Err(LiftErrorKind::Malformed("derivatives are for fragment shaders only"));
        }
        let value = self.leaf(id)?;
        Ok(Val::Leaf(match opcode {
            op::DPdx | op::DPdxFine | op::DPdxCoarse => self.b.ddx(value),
            op::DPdy | op::DPdyFine | op::DPdyCoarse => self.b.ddy(value),
            _ => {
                let (x, y) = (self.b.ddx(value), self.b.ddy(value));
                let (x, y) = (self.b.fabs(x), self.b.fabs(y));
                self.b.fadd(x, y)
            }
        }))
    }
}
