//! The fixed-function pixel stage: texture stages ("Texture Blending" of the Direct3D 9 documentation, `D3DTEXTUREOP`).

use super::{FixedPixelKey, FixedStage};
use crate::banks::{Bank, FixedPixelRegister as R};
use crate::io::{RuntimeInfo, bound};
use crate::pixel_ops::{self, PixelResult};
use crate::tables::Usage;
use afterimage_ir::{
    self as ir, BankDecl, BankSource, BuildError, Builder, Component, Dim, Module, Stage, TextureDecl, Type, Value,
};

const ARG_SELECT: u8 = 0x0F;
const ARG_COMPLEMENT: u8 = 0x10;
const ARG_ALPHA: u8 = 0x20;
const ARG_TEXTURE: u8 = 2;

/// "Modulate this stage with the next one" is all that the documentation says, and no driver offers it: the next stage finds
/// its current colour multiplied with its texel.
const OP_PREMODULATE: u8 = 17;
const OP_BUMP: u8 = 22;
const OP_BUMP_LUMINANCE: u8 = 23;
const OP_DOT_PRODUCT: u8 = 24;

/// Translates the fixed-function pixel stage. A stage with an operation that does not exist passes its input through.
///
/// # Errors
/// None that a key can cause; the builder's own limits.
pub fn lift_fixed_pixel(key: &FixedPixelKey, runtime: &RuntimeInfo) -> Result<Module, BuildError> {
    let mut b = Builder::new(Stage::Pixel);
    b.set_name("fixed_pixel");
    let bank = b.bank(BankDecl {
        name: "fixed".to_owned(),
        source: BankSource::Stage,
        id: Bank::FixedPixel as u8,
        size: R::COUNT.into(),
        defs: Vec::new(),
    });
    let diffuse = pixel_ops::input(&mut b, runtime, Usage::Color, 0, false);
    let specular = pixel_ops::input(&mut b, runtime, Usage::Color, 1, false);
    let temp = b.f32x4([0.0; 4]);
    let mut stage = Pixel {
        b,
        bank,
        runtime,
        diffuse,
        specular,
        current: diffuse,
        temp,
        texel: diffuse,
        bump: None,
        premodulate: [false; 2],
    };
    for (index, key) in key.active().enumerate() {
        stage.run(index as u8, key);
    }
    let mut color = stage.current;
    let mut b = stage.b;
    if key.flags & FixedPixelKey::SPECULAR != 0 {
        let (rgb, more, alpha) = (b.resize(color, 3), b.resize(specular, 3), b.extract(color, 3));
        let sum = b.fadd(rgb, more);
        let sum = b.fsat(sum);
        color = b.construct(&[sum, alpha]);
    }
    let result = PixelResult { colors: [Some(color), None, None, None], depth: None, fog: true };
    pixel_ops::epilogue(&mut b, runtime, result);
    b.finish()
}

struct Pixel<'a> {
    b: Builder,
    bank: ir::Bank,
    runtime: &'a RuntimeInfo,
    diffuse: Value,
    specular: Value,
    current: Value,
    temp: Value,
    /// Of the stage that runs.
    texel: Value,
    /// What a bump map stage leaves for the next one.
    bump: Option<Bump>,
    /// Whether the stage before asked that colour and alpha be multiplied with the texel of this one.
    premodulate: [bool; 2],
}

/// What a bump map does to the stage after it.
#[derive(Clone, Copy)]
struct Bump {
    /// Added to the texture coordinates; two components.
    shift: Value,
    /// The texel is multiplied by it.
    luminance: Option<Value>,
}

impl Pixel<'_> {
    fn run(&mut self, index: u8, key: &FixedStage) {
        let ops = [(key.color_op, key.color_args), (key.alpha_op, key.alpha_args)];
        let premodulate = std::mem::take(&mut self.premodulate);
        let bump = self.bump.take();
        let reads_texel = ops.iter().any(|(op, args)| reads_texel(*op, *args)) || premodulate != [false; 2];
        self.texel = match key.texture {
            // What a sampler without a texture gives.
            0 => self.b.f32x4([0.0, 0.0, 0.0, 1.0]),
            _ if reads_texel => self.sample(index, key, bump),
            _ => self.texel,
        };
        if key.texture != 0 && premodulate != [false; 2] {
            let product = self.b.fmul(self.current, self.texel);
            self.current = self.merged(
                if premodulate[0] { product } else { self.current },
                if premodulate[1] { product } else { self.current },
            );
        }
        // A bump map does nothing but for the next stage, whatever its alpha operation is.
        if let OP_BUMP | OP_BUMP_LUMINANCE = key.color_op {
            self.bump = (key.texture != 0).then(|| self.bump(index, key.color_op));
            return;
        }
        let before = if key.result_temp != 0 { self.temp } else { self.current };
        let color = self.operation(index, ops[0], key, before);
        let value = if key.color_op == OP_DOT_PRODUCT {
            // The dot product goes to all four components, whatever the alpha operation is.
            color
        } else {
            let alpha = self.operation(index, ops[1], key, before);
            self.merged(color, alpha)
        };
        if key.result_temp != 0 {
            self.temp = value;
        } else {
            self.current = value;
        }
        self.premodulate = ops.map(|(op, _)| op == OP_PREMODULATE);
    }

    /// Red, green and blue of one value and alpha of another.
    fn merged(&mut self, color: Value, alpha: Value) -> Value {
        if color == alpha {
            return color;
        }
        let (rgb, alpha) = (self.b.resize(color, 3), self.b.extract(alpha, 3));
        self.b.construct(&[rgb, alpha])
    }

    fn sample(&mut self, index: u8, key: &FixedStage, bump: Option<Bump>) -> Value {
        let mut coord = pixel_ops::input(&mut self.b, self.runtime, Usage::TexCoord, index, false);
        if key.projected != 0 {
            let divisor = self.b.extract(coord, 3);
            coord = self.b.fdiv(coord, divisor);
        }
        if let Some(bump) = bump {
            let (xy, zw) = (self.b.resize(coord, 2), self.b.swizzle(coord, ir::Swizzle::new(&[2, 3])));
            let moved = self.b.fadd(xy, bump.shift);
            coord = self.b.construct(&[moved, zw]);
        }
        let dim = match key.texture {
            2 => Dim::Cube,
            3 => Dim::D3,
            _ => Dim::D2,
        };
        let bound = if dim == Dim::D2 { self.runtime.textures[usize::from(index)] } else { 0 };
        let shadow = bound & bound::SHADOW != 0;
        let texture = self.b.texture(TextureDecl { slot: index, dim, shadow, component: Component::Float });
        let texel = if bound & bound::FETCH4 != 0 && !shadow {
            pixel_ops::fetch4(&mut self.b, texture, index, bound, coord)
        } else {
            let reference = shadow.then(|| self.b.extract(coord, 2));
            self.b.sample(texture, coord, reference)
        };
        match bump.and_then(|bump| bump.luminance) {
            Some(luminance) => self.b.fmul(texel, luminance),
            None => texel,
        }
    }

    /// The shift by the bump matrix, and the luminance in the texel's third component.
    fn bump(&mut self, index: u8, op: u8) -> Bump {
        let texel = self.texel;
        let matrix = self.register(R::BumpMatrix.element(index.into()));
        let (u, v) = (self.b.extract(texel, 0), self.b.extract(texel, 1));
        let rows = [[0, 1], [2, 3]].map(|row| self.b.swizzle(matrix, ir::Swizzle::new(&row)));
        let by_v = self.b.fmul(rows[1], v);
        let shift = self.b.fmad(rows[0], u, by_v);
        let luminance = (op == OP_BUMP_LUMINANCE).then(|| {
            let register = self.register(R::BumpLuminance.element(index.into()));
            let (scale, offset) = (self.b.extract(register, 0), self.b.extract(register, 1));
            let value = self.b.extract(texel, 2);
            let luminance = self.b.fmad(value, scale, offset);
            self.b.fsat(luminance)
        });
        Bump { shift, luminance }
    }

    fn register(&mut self, register: u16) -> Value {
        let value = self.b.load_const(self.bank, register.into());
        self.b.cast(value, ir::Kind::Float)
    }

    /// A `D3DTA_*` argument.
    fn argument(&mut self, index: u8, argument: u8) -> Value {
        let mut value = match argument & ARG_SELECT {
            0 => self.diffuse,
            1 => self.current,
            ARG_TEXTURE => self.texel,
            3 => self.register(R::TextureFactor.register()),
            4 => self.specular,
            5 => self.temp,
            _ => self.register(R::StageConstant.element(index.into())),
        };
        if argument & ARG_ALPHA != 0 {
            let alpha = self.b.extract(value, 3);
            value = self.b.resize(alpha, 4);
        }
        if argument & ARG_COMPLEMENT != 0 {
            value = self.complement(value);
        }
        value
    }

    fn complement(&mut self, value: Value) -> Value {
        let one = self.b.f32(1.0);
        self.b.fsub(one, value)
    }

    /// Four components of a `D3DTOP_*`, clamped to 0..1; `before` where the operation leaves its destination alone.
    fn operation(&mut self, index: u8, (op, args): (u8, [u8; 3]), key: &FixedStage, before: Value) -> Value {
        // Without a texture, an operation on one passes on what it gets.
        if key.texture == 0 && uses_texture_argument(op, args) {
            return self.current;
        }
        let [a0, a1, a2] = args.map(|argument| self.argument(index, argument));
        let value = match op {
            2 | OP_PREMODULATE => return a1,
            3 => return a2,
            4 => self.b.fmul(a1, a2),
            5 => self.scaled_product(a1, a2, 2.0),
            6 => self.scaled_product(a1, a2, 4.0),
            7 => self.b.fadd(a1, a2),
            8 => self.add_signed(a1, a2),
            9 => {
                let sum = self.add_signed(a1, a2);
                self.b.fadd(sum, sum)
            }
            10 => self.b.fsub(a1, a2),
            11 => {
                let rest = self.complement(a1);
                self.b.fmad(rest, a2, a1)
            }
            12 => self.blend(self.diffuse, a1, a2),
            13 => self.blend(self.texel, a1, a2),
            14 => {
                let factor = self.register(R::TextureFactor.register());
                self.blend(factor, a1, a2)
            }
            15 => {
                let alpha = self.b.extract(self.texel, 3);
                let rest = self.complement(alpha);
                self.b.fmad(a2, rest, a1)
            }
            16 => self.blend(self.current, a1, a2),
            18 => {
                let alpha = self.b.extract(a1, 3);
                self.b.fmad(a2, alpha, a1)
            }
            19 => {
                let alpha = self.b.extract(a1, 3);
                self.b.fmad(a1, a2, alpha)
            }
            20 => {
                let alpha = self.b.extract(a1, 3);
                let rest = self.complement(alpha);
                self.b.fmad(a2, rest, a1)
            }
            21 => {
                let (alpha, rest) = (self.b.extract(a1, 3), self.complement(a1));
                self.b.fmad(rest, a2, alpha)
            }
            OP_DOT_PRODUCT => self.dot_product(a1, a2),
            25 => self.b.fmad(a1, a2, a0),
            26 => {
                let difference = self.b.fsub(a1, a2);
                self.b.fmad(a0, difference, a2)
            }
            _ => return before,
        };
        self.b.fsat(value)
    }

    fn scaled_product(&mut self, a: Value, b: Value, scale: f32) -> Value {
        let product = self.b.fmul(a, b);
        let scale = self.b.f32(scale);
        self.b.fmul(product, scale)
    }

    fn add_signed(&mut self, a: Value, b: Value) -> Value {
        let half = self.b.f32(0.5);
        let sum = self.b.fadd(a, b);
        self.b.fsub(sum, half)
    }

    /// `a` where the alpha of `by` is one, `b` where it is zero.
    fn blend(&mut self, by: Value, a: Value, b: Value) -> Value {
        let alpha = self.b.extract(by, 3);
        let difference = self.b.fsub(a, b);
        self.b.fmad(difference, alpha, b)
    }

    fn dot_product(&mut self, a: Value, b: Value) -> Value {
        let half = self.b.f32(0.5);
        let (a, b) = (self.b.fsub(a, half), self.b.fsub(b, half));
        let (a, b) = (self.b.resize(a, 3), self.b.resize(b, 3));
        let dot = self.b.fdot(a, b);
        let four = self.b.const_bits(Type::F32, [4f32.to_bits(), 0, 0, 0]);
        let scaled = self.b.fmul(dot, four);
        self.b.resize(scaled, 4)
    }
}

/// The arguments that an operation reads, as a mask of bits 0 to 2.
fn arguments_of(op: u8) -> u8 {
    match op {
        2 | OP_PREMODULATE => 0b010,
        3 => 0b100,
        25 | 26 => 0b111,
        4..=21 | OP_DOT_PRODUCT => 0b110,
        _ => 0,
    }
}

fn uses_texture_argument(op: u8, args: [u8; 3]) -> bool {
    let read = arguments_of(op);
    (0..3).any(|i| read >> i & 1 != 0 && args[i] & ARG_SELECT == ARG_TEXTURE)
}

fn reads_texel(op: u8, args: [u8; 3]) -> bool {
    uses_texture_argument(op, args) || matches!(op, 13 | 15 | OP_BUMP | OP_BUMP_LUMINANCE)
}
