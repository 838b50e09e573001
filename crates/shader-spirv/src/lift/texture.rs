//! Textures and what is read from them.

use afterimage_ir::{Component, Dim, Level, Offset, Stage, Texture, TextureDecl, Value};

use super::pointer::{Element, Handle, descriptor};
use super::value::Val;
use super::{LiftErrorKind, Lifter};
use crate::io::{Descriptor, TextureUse};
use crate::parse::Instruction;
use crate::tables::{dim, image_operand, op};
use crate::types::{Const, Ty};

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
    offset: Offset,
    sample: Option<Value>,
}

impl Lifter<'_> {
    /// The value behind a pointer to descriptors.
    pub(super) fn descriptor(&self, variable: u32, element: Element, ty: &Ty) -> Result<Val, LiftErrorKind> {
        let combined = matches!(ty, Ty::SampledImage(_));
        let handle = |image| Handle { variable, element, image, combined };
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

    /// The slot of an image and its sampler, or of an image alone.
    fn slot(&mut self, image: Handle, sampler: Option<Handle>) -> Result<u8, LiftErrorKind> {
        let at = self.place(image);
        let Some(sampler) = sampler.or(image.combined.then_some(image)) else {
            let uses = &self.interface.textures.uses;
            // Any sampler will do.
            let known = uses.iter().find(|u| u.image == at && !u.combined).map(|u| u.slot);
            return match known {
                Some(slot) => Ok(slot),
                None => self.new_slot(TextureUse { slot: 0, image: at, sampler: at, combined: false }, None),
            };
        };
        let with = self.place(sampler);
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
        let uses = &self.interface.textures.uses;
        if let Some(known) = uses.iter().find(|u| u.image == at && u.sampler == with && u.combined == image.combined) {
            return Ok(known.slot);
        }
        self.new_slot(TextureUse { slot: 0, image: at, sampler: with, combined: image.combined }, own)
    }

    /// A slot that is free, or the one that `new` has to have.
    fn new_slot(&mut self, new: TextureUse, own: Option<u8>) -> Result<u8, LiftErrorKind> {
        let (first, count) = if self.stage == Stage::Vertex { (16, 4) } else { (0, 16) };
        let uses = &mut self.interface.textures.uses;
        let free = (first..first + count).find(|slot| uses.iter().all(|u| u.slot != *slot));
        let slot = own.or(free).ok_or(LiftErrorKind::TooMany("textures; a vertex shader can have 4, others 16"))?;
        uses.push(TextureUse { slot, ..new });
        Ok(slot)
    }

    fn texture(&mut self, image: Handle, sampler: Option<Handle>, shadow: bool) -> Result<Texture, LiftErrorKind> {
        let kind = image.image.ok_or(LiftErrorKind::Malformed("this is no image"))?;
        let refuse = |what: &str| Err(LiftErrorKind::Image(what.to_owned()));
        if kind.sampled == 2 {
            return refuse("storage images");
        }
        let shape = match (kind.dim, kind.arrayed, kind.multisampled) {
            (dim::D2, false, false) => Dim::D2,
            (dim::D2, true, false) => Dim::D2Array,
            (dim::D2, false, true) => Dim::D2Ms,
            (dim::D2, true, true) => Dim::D2MsArray,
            (dim::D3, false, false) => Dim::D3,
            (dim::Cube, false, false) => Dim::Cube,
            (dim::Cube, true, false) => Dim::CubeArray,
            (dim::Buffer, ..) => return refuse("texel buffers"),
            (other, ..) => return refuse(&format!("images of dimension {}", dim::name(other).unwrap_or("unknown"))),
        };
        if shadow && (shape == Dim::D3 || shape.is_multisampled() || kind.component != Component::Float) {
            return refuse("textures with comparison that are 3D, multisampled or of integers");
        }
        let slot = self.slot(image, sampler)?;
        let decl = TextureDecl { slot, dim: shape, shadow, component: kind.component };
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
        macro_rules! next {
            () => {
                match ids.next() {
                    Some(&id) => self.leaf(id)?,
                    None => return Err(LiftErrorKind::Malformed("an image operand is missing")),
                }
            };
        }
        let mut found = Operands::default();
        for bit in (0..32).map(|bit| 1 << bit).filter(|bit| mask & bit != 0) {
            match bit {
                image_operand::Bias => found.bias = Some(next!()),
                image_operand::Lod => found.lod = Some(next!()),
                image_operand::Grad => found.grad = Some((next!(), next!())),
                image_operand::ConstOffset | image_operand::Offset => {
                    let id = ids.next().ok_or(LiftErrorKind::Malformed("an image operand is missing"))?;
                    found.offset = self.texel_offset(*id)?;
                }
                image_operand::Sample => found.sample = Some(next!()),
                // How integers become wider ones, which they do not here.
                image_operand::SignExtend | image_operand::ZeroExtend => {}
                other => {
                    let name = image_operand::name(other).map_or_else(|| format!("{other:#x}"), str::to_owned);
                    return Err(LiftErrorKind::ImageOperand(name));
                }
            }
        }
        Ok(found)
    }

    /// Texels by which a lookup is moved, which the IR wants to be known.
    fn texel_offset(&self, id: u32) -> Result<Offset, LiftErrorKind> {
        let refuse = || LiftErrorKind::ImageOperand("Offset that is no constant of -8 to 7".to_owned());
        let bits = match self.d.constant(id) {
            Some(Const::Leaf(_, bits)) => *bits,
            Some(Const::Null) => [0; 4],
            _ => return Err(refuse()),
        };
        let mut offset = Offset::default();
        for (to, bits) in offset.0.iter_mut().zip(bits) {
            let texels = i8::try_from(bits as i32).ok().filter(|texels| Offset::RANGE.contains(texels));
            *to = texels.ok_or_else(refuse)?;
        }
        Ok(offset)
    }

    /// The texture that a query or a fetch is of.
    fn image_texture(&mut self, id: u32) -> Result<Texture, LiftErrorKind> {
        match self.get(id)? {
            Val::Image(image) => self.texture(image, None, false),
            Val::SampledImage(image, sampler) => self.texture(image, Some(sampler), false),
            _ => Err(LiftErrorKind::Malformed("the operand is no image")),
        }
    }

    /// A texel by its coordinates.
    pub(super) fn fetch(&mut self, words: &[u32]) -> Result<Val, LiftErrorKind> {
        let texture = self.image_texture(words[0])?;
        let dim = self.b.module().textures[texture.index()].dim;
        if dim.is_cube() {
            return Err(LiftErrorKind::Image("cubes that texels are fetched from".to_owned()));
        }
        let coord = self.leaf(words[1])?;
        let operands = self.image_operands(words.get(2..).unwrap_or_default())?;
        let zero = self.b.i32(0);
        let which = if dim.is_multisampled() { operands.sample } else { operands.lod };
        Ok(Val::Leaf(self.b.fetch(texture, coord, which.unwrap_or(zero), operands.offset)))
    }

    /// What an image says of itself.
    pub(super) fn query(&mut self, opcode: u16, words: &[u32]) -> Result<Val, LiftErrorKind> {
        let texture = self.image_texture(words[0])?;
        let other = words.get(1).map(|&id| self.leaf(id)).transpose()?;
        let zero = self.b.i32(0);
        Ok(Val::Leaf(match opcode {
            op::ImageQuerySizeLod | op::ImageQuerySize => self.b.texture_size(texture, other.unwrap_or(zero)),
            op::ImageQueryLevels | op::ImageQuerySamples => self.b.texture_levels(texture),
            _ if self.stage != Stage::Pixel => {
                return Err(LiftErrorKind::Malformed("a level of detail is implicit in fragment shaders only"));
            }
            _ => self.b.query_lod(texture, other.unwrap_or(zero)),
        }))
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
                | op::ImageDrefGather
        );
        let proj = matches!(
            opcode,
            op::ImageSampleProjImplicitLod
                | op::ImageSampleProjExplicitLod
                | op::ImageSampleProjDrefImplicitLod
                | op::ImageSampleProjDrefExplicitLod
        );
        let gather = matches!(opcode, op::ImageGather | op::ImageDrefGather);
        let Val::SampledImage(image, sampler) = self.get(words[0])? else {
            return Err(LiftErrorKind::Malformed("the operand is no sampled image"));
        };
        let texture = self.texture(image, Some(sampler), dref)?;
        if self.b.module().textures[texture.index()].dim.is_multisampled() {
            return Err(LiftErrorKind::Malformed("multisampled images are not sampled"));
        }
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
            let component = if dref { Some(0) } else { self.d.constant_word(words[2]) };
            let component = component.filter(|&component| component < 4);
            let component = component.ok_or(LiftErrorKind::Unsupported("gathering a component that is no constant"))?;
            if self.b.module().textures[texture.index()].dim == Dim::D3 {
                return Err(LiftErrorKind::Malformed("3D textures are not gathered"));
            }
            if operands.bias.is_some() || operands.lod.is_some() || operands.grad.is_some() {
                return Err(LiftErrorKind::ImageOperand("Bias, Lod or Grad of a gather".to_owned()));
            }
            let gathered = self.b.gather_at(texture, coord, component as u8, operands.offset, reference);
            return Ok(Val::Leaf(gathered));
        }
        let level = match operands {
            Operands { grad: Some((dx, dy)), .. } => Level::Grad(dx, dy),
            Operands { lod: Some(lod), .. } => Level::Lod(lod),
            _ if self.stage != Stage::Pixel => {
                return Err(LiftErrorKind::Malformed("a level of detail is implicit in fragment shaders only"));
            }
            Operands { bias: Some(bias), .. } => Level::Bias(bias),
            _ => Level::Implicit,
        };
        let value = self.b.sample_at(texture, coord, level, operands.offset, reference);
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
