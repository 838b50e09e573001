//! Textures and storage images. Operands are converted and cut to what the declaration calls for.

use smallvec::{SmallVec, smallvec};

use super::Builder;
use crate::entity::{Image, Texture, Value};
use crate::module::{Args, AtomicOp, Imm, Offset, TextureDecl};
use crate::opcode::Op;
use crate::types::{Kind, Type};

/// Where in the mip chain a sample is taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Level {
    /// Where the derivatives of the quad say.
    Implicit,
    /// The same plus this bias.
    Bias(Value),
    /// At this level of detail.
    Lod(Value),
    /// Where these derivatives say: d/dx, d/dy.
    Grad(Value, Value),
}

/// A declared texture, and which one it is where it is in tables ([`TextureDecl::IN_TABLES`]).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextureRef {
    /// The declaration.
    pub texture: Texture,
    /// The word out of a table; 0 where it is none although the declaration wants one.
    pub word: Option<Value>,
}

impl From<Texture> for TextureRef {
    fn from(texture: Texture) -> Self {
        Self { texture, word: None }
    }
}

impl Builder {
    fn as_kind(&mut self, value: Value, kind: Kind, lanes: u8) -> Value {
        let value = self.cast(value, kind);
        self.resize(value, lanes)
    }

    fn decl(&self, which: TextureRef) -> TextureDecl {
        self.module.textures[which.texture.index()]
    }

    /// Which texture it is, behind all other operands.
    fn word(&mut self, which: TextureRef, args: &mut Args) {
        if self.decl(which).in_tables() {
            let word = match which.word {
                Some(word) => self.as_kind(word, Kind::Int, 1),
                None => self.i32(0),
            };
            args.push(word);
        }
    }

    fn reference(&mut self, which: TextureRef, reference: Option<Value>, args: &mut Args) {
        if self.decl(which).shadow {
            let reference = match reference {
                Some(reference) => self.as_kind(reference, Kind::Float, 1),
                None => self.f32(0.0),
            };
            args.push(reference);
        }
    }

    /// Samples at `level`, moved by `offset` texels. `reference` is for shadow textures, and only for them.
    pub fn sample_at(
        &mut self,
        texture: impl Into<TextureRef>,
        coord: Value,
        level: Level,
        offset: Offset,
        reference: Option<Value>,
    ) -> Value {
        let which = texture.into();
        let decl = self.decl(which);
        let mut args: Args = smallvec![self.as_kind(coord, Kind::Float, decl.dim.coords())];
        let op = match level {
            Level::Implicit => Op::Sample,
            Level::Bias(bias) => {
                args.push(self.as_kind(bias, Kind::Float, 1));
                Op::SampleBias
            }
            Level::Lod(lod) => {
                args.push(self.as_kind(lod, Kind::Float, 1));
                Op::SampleLod
            }
            Level::Grad(dx, dy) => {
                for derivative in [dx, dy] {
                    args.push(self.as_kind(derivative, Kind::Float, decl.dim.extent()));
                }
                Op::SampleGrad
            }
        };
        self.reference(which, reference, &mut args);
        self.word(which, &mut args);
        let ty = Type::new(decl.component.kind(), 4);
        self.push1(op, Imm::Texture(which.texture, offset), args, ty)
    }

    /// Samples with the quad's derivatives. `reference` is for shadow textures, and only for them.
    pub fn sample(&mut self, texture: impl Into<TextureRef>, coord: Value, reference: Option<Value>) -> Value {
        self.sample_at(texture, coord, Level::Implicit, Offset::default(), reference)
    }

    /// Samples with the quad's derivatives and a bias of the level of detail.
    pub fn sample_bias(
        &mut self,
        texture: impl Into<TextureRef>,
        coord: Value,
        bias: Value,
        reference: Option<Value>,
    ) -> Value {
        self.sample_at(texture, coord, Level::Bias(bias), Offset::default(), reference)
    }

    /// Samples at a level of detail.
    pub fn sample_lod(
        &mut self,
        texture: impl Into<TextureRef>,
        coord: Value,
        lod: Value,
        reference: Option<Value>,
    ) -> Value {
        self.sample_at(texture, coord, Level::Lod(lod), Offset::default(), reference)
    }

    /// Samples with the given derivatives of the coordinates.
    pub fn sample_grad(
        &mut self,
        texture: impl Into<TextureRef>,
        coord: Value,
        dx: Value,
        dy: Value,
        r: Option<Value>,
    ) -> Value {
        self.sample_at(texture, coord, Level::Grad(dx, dy), Offset::default(), r)
    }

    /// The first component of the four texels around a place; see [`Op::Gather`] for their order. The texture must be
    /// neither 3D nor a shadow texture.
    pub fn gather(&mut self, texture: impl Into<TextureRef>, coord: Value) -> Value {
        self.gather_at(texture, coord, 0, Offset::default(), None)
    }

    /// Component `component` (0 to 3) of the four texels around a place that is moved by `offset` texels, or, of a shadow
    /// texture, what comparing them with `reference` gives. The texture must not be 3D.
    pub fn gather_at(
        &mut self,
        texture: impl Into<TextureRef>,
        coord: Value,
        component: u8,
        offset: Offset,
        reference: Option<Value>,
    ) -> Value {
        let which = texture.into();
        let decl = self.decl(which);
        let mut args: Args = smallvec![self.as_kind(coord, Kind::Float, decl.dim.coords())];
        self.reference(which, reference, &mut args);
        self.word(which, &mut args);
        let component = if decl.shadow { 0 } else { component & 3 };
        let ty = Type::new(decl.component.kind(), 4);
        self.push1(Op::Gather, Imm::Gather(which.texture, component, offset), args, ty)
    }

    /// The texel at whole-numbered coordinates, of a level, or of a sample if the texture is multisampled.
    pub fn fetch(
        &mut self,
        texture: impl Into<TextureRef>,
        coord: Value,
        level_or_sample: Value,
        offset: Offset,
    ) -> Value {
        let which = texture.into();
        let decl = self.decl(which);
        let coord = self.as_kind(coord, Kind::Int, decl.dim.texel_coords());
        let level_or_sample = self.as_kind(level_or_sample, Kind::Int, 1);
        let ty = Type::new(decl.component.kind(), 4);
        let mut args: Args = smallvec![coord, level_or_sample];
        self.word(which, &mut args);
        self.push1(Op::Fetch, Imm::Texture(which.texture, offset), args, ty)
    }

    /// Width, height, and depth or layers of a level.
    pub fn texture_size(&mut self, texture: impl Into<TextureRef>, level: Value) -> Value {
        let which = texture.into();
        let ty = Type::new(Kind::Int, self.decl(which).dim.size_components());
        let mut args: Args = smallvec![self.as_kind(level, Kind::Int, 1)];
        self.word(which, &mut args);
        self.push1(Op::TextureSize, Imm::Texture(which.texture, Offset::default()), args, ty)
    }

    /// Number of levels, or of samples if the texture is multisampled.
    pub fn texture_levels(&mut self, texture: impl Into<TextureRef>) -> Value {
        let which = texture.into();
        let mut args = Args::new();
        self.word(which, &mut args);
        self.push1(Op::TextureLevels, Imm::Texture(which.texture, Offset::default()), args, Type::I32)
    }

    /// The level that `sample` would take, clamped to those there are, and unclamped.
    pub fn query_lod(&mut self, texture: impl Into<TextureRef>, coord: Value) -> Value {
        let which = texture.into();
        let extent = self.decl(which).dim.extent();
        let mut args: Args = smallvec![self.as_kind(coord, Kind::Float, extent)];
        self.word(which, &mut args);
        self.push1(Op::QueryLod, Imm::Texture(which.texture, Offset::default()), args, Type::F32X2)
    }

    fn texel(&mut self, image: Image, coord: Value, sample: Option<Value>) -> Args {
        let dim = self.module.images[image.index()].dim;
        let mut args: Args = smallvec![self.as_kind(coord, Kind::Int, dim.texel_coords())];
        if dim.is_multisampled() {
            let sample = match sample {
                Some(sample) => self.as_kind(sample, Kind::Int, 1),
                None => self.i32(0),
            };
            args.push(sample);
        }
        args
    }

    /// A texel of a storage image. `sample` is for multisampled images, and only for them.
    pub fn image_load(&mut self, image: Image, coord: Value, sample: Option<Value>) -> Value {
        let args = self.texel(image, coord, sample);
        let ty = Type::new(self.module.images[image.index()].component.kind(), 4);
        self.push1(Op::ImageLoad, Imm::Image(image), args, ty)
    }

    /// Sets a texel of a storage image.
    pub fn image_store(&mut self, image: Image, coord: Value, sample: Option<Value>, value: Value) {
        let mut args = self.texel(image, coord, sample);
        let kind = self.module.images[image.index()].component.kind();
        args.push(self.as_kind(value, kind, 4));
        self.push(Op::ImageStore, Imm::Image(image), args, &[]);
    }

    /// Changes a texel of a storage image of which [`ImageDecl::atomic`](crate::ImageDecl::atomic) says that it can be, and gives what
    /// was there. `operands` are those of the operation; missing ones are zero.
    pub fn image_atomic(
        &mut self,
        op: AtomicOp,
        image: Image,
        coord: Value,
        sample: Option<Value>,
        operands: &[Value],
    ) -> Value {
        let mut args = self.texel(image, coord, sample);
        let ty = self.module.images[image.index()].atomic().unwrap_or(Type::I32);
        args.extend(self.atomic_operands(op, operands, ty.lanes));
        self.push1(Op::ImageAtomic, Imm::ImageAtomic(image, op), args, ty)
    }

    /// Width, height, and depth or layers of a storage image.
    pub fn image_size(&mut self, image: Image) -> Value {
        let ty = Type::new(Kind::Int, self.module.images[image.index()].dim.size_components());
        self.push1(Op::ImageSize, Imm::Image(image), Args::new(), ty)
    }

    /// As many operands as the operation takes, with `lanes` components each.
    pub(super) fn atomic_operands(&mut self, op: AtomicOp, operands: &[Value], lanes: u8) -> SmallVec<[Value; 2]> {
        let mut out = SmallVec::new();
        for at in 0..op.operands() {
            let value = match operands.get(at) {
                Some(&value) => self.as_kind(value, Kind::Int, lanes),
                None => self.const_bits(Type::new(Kind::Int, lanes), [0; 4]),
            };
            out.push(value);
        }
        out
    }
}
