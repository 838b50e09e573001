//! The texture stages of Direct3D 8 as register combiners: one combiner stage each.
//!
//! Source: `docs/sources/nv2a.md#combiners`, for the combiner words; Direct3D's documentation for the operations.

use super::program::PixelShader;
use super::{Device, DriverError, RenderState};
use afterimage_nv2a_types::STAGES;

/// What a stage does with its arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextureOp {
    /// The stage and those after it do nothing (colour), or pass alpha on.
    Disable,
    /// Argument 1.
    SelectArg1,
    /// Argument 2.
    SelectArg2,
    /// 1 * 2.
    Modulate,
    /// 1 * 2, twice.
    Modulate2x,
    /// 1 * 2, four times.
    Modulate4x,
    /// 1 + 2.
    Add,
    /// 1 + 2 - 1/2.
    AddSigned,
    /// Twice that.
    AddSigned2x,
    /// 1 - 2.
    Subtract,
    /// 1 + 2 - 1 * 2.
    AddSmooth,
    /// 1 and 2, by the diffuse colour's alpha.
    BlendDiffuseAlpha,
    /// 1 and 2, by the texture's alpha.
    BlendTextureAlpha,
    /// 1 and 2, by the texture factor's alpha.
    BlendFactorAlpha,
    /// 1 and 2, by the current alpha.
    BlendCurrentAlpha,
    /// Dot product of the arguments as signed vectors.
    DotProduct3,
    /// 0 + 1 * 2.
    MultiplyAdd,
    /// 1 and 2, by argument 0.
    Lerp,
}

/// An argument of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Source {
    /// Interpolated diffuse colour.
    Diffuse,
    /// Result of the stage before; the diffuse colour in stage 0.
    Current,
    /// The stage's texture.
    Texture,
    /// `D3DRS_TEXTUREFACTOR`.
    Factor,
    /// Interpolated specular colour.
    Specular,
}

/// An argument with its modifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Argument {
    /// What.
    pub source: Source,
    /// 1 - it.
    pub complement: bool,
    /// Its alpha in all channels.
    pub alpha: bool,
}

impl From<Source> for Argument {
    fn from(source: Source) -> Self {
        Self { source, complement: false, alpha: false }
    }
}

/// One half of a stage: colour or alpha.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Operation {
    /// What is done.
    pub op: TextureOp,
    /// Arguments 0, 1 and 2.
    pub arguments: [Argument; 3],
}

impl Operation {
    /// An operation of arguments 1 and 2.
    #[must_use]
    pub fn new(op: TextureOp, first: impl Into<Argument>, second: impl Into<Argument>) -> Self {
        Self { op, arguments: [Source::Current.into(), first.into(), second.into()] }
    }
}

/// A texture stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Stage {
    /// Colour.
    pub color: Operation,
    /// Alpha.
    pub alpha: Operation,
}

/// The deferred state of the combiners.
#[derive(Clone, Debug)]
pub(super) struct Combine {
    stages: [Stage; STAGES],
    pub(super) shader: Option<PixelShader>,
    dirty: bool,
}

impl Default for Combine {
    fn default() -> Self {
        let off = Operation::new(TextureOp::Disable, Source::Texture, Source::Current);
        let first = Stage {
            color: Operation::new(TextureOp::Modulate, Source::Texture, Source::Current),
            alpha: Operation::new(TextureOp::SelectArg1, Source::Texture, Source::Current),
        };
        let mut stages = [Stage { color: off, alpha: off }; STAGES];
        stages[0] = first;
        Self { stages, shader: None, dirty: true }
    }
}

impl Combine {
    pub(super) fn mark(&mut self) {
        self.dirty = true;
    }
}

/// Combiner sources.
mod register {
    pub(super) const ZERO: u32 = 0;
    pub(super) const FACTOR0: u32 = 1;
    pub(super) const FOG: u32 = 3;
    pub(super) const DIFFUSE: u32 = 4;
    pub(super) const SPECULAR: u32 = 5;
    pub(super) const TEXTURE0: u32 = 8;
    pub(super) const R0: u32 = 0xC;
    /// V1 + R0, in the final combiner.
    pub(super) const SUM: u32 = 0xE;
    /// Alpha of the source in every channel.
    pub(super) const ALPHA: u32 = 0x10;
}

/// Input mappings.
mod map {
    pub(super) const INVERT: u32 = 1 << 5;
    pub(super) const EXPAND: u32 = 2 << 5;
    pub(super) const EXPAND_NEGATE: u32 = 3 << 5;
}

const ZERO: u32 = register::ZERO;
const ONE: u32 = register::ZERO | map::INVERT;
const MINUS_ONE: u32 = register::ZERO | map::EXPAND;

/// Output scale and bias, in place.
mod scale {
    pub(super) const NONE: u32 = 0;
    pub(super) const BIAS: u32 = 1 << 15;
    pub(super) const TWO: u32 = 2 << 15;
    pub(super) const BIAS_TWO: u32 = 3 << 15;
    pub(super) const FOUR: u32 = 4 << 15;
}

const SUM_TO_R0: u32 = register::R0 << 8;
const AB_TO_R0: u32 = register::R0 << 4;
const AB_DOT: u32 = 1 << 13;
const AB_BLUE_TO_ALPHA: u32 = 1 << 19;

/// One half of a combiner stage: input word and output word. `alpha`: for the alpha half.
fn combiner(operation: &Operation, stage: usize, alpha: bool) -> (u32, u32) {
    let source = |source: Source| match source {
        Source::Diffuse => register::DIFFUSE,
        Source::Current if stage == 0 => register::DIFFUSE,
        Source::Current => register::R0,
        Source::Texture => register::TEXTURE0 + stage as u32,
        Source::Factor => register::FACTOR0,
        Source::Specular => register::SPECULAR,
    };
    let argument = |at: usize| {
        let argument = operation.arguments[at];
        let channel = if alpha || argument.alpha { register::ALPHA } else { 0 };
        let mapping = if argument.complement { map::INVERT } else { 0 };
        source(argument.source) | channel | mapping
    };
    let by_alpha = |of: Source| source(of) | register::ALPHA;
    // A flipped invert bit is the complement.
    let lerp = |by: u32, first: u32, second: u32| [first, by, second, by ^ map::INVERT];
    let (one, two) = (argument(1), argument(2));
    let signed =
        |input: u32| input & !map::INVERT | if input & map::INVERT == 0 { map::EXPAND } else { map::EXPAND_NEGATE };
    let (inputs, output) = match operation.op {
        TextureOp::Disable => ([by_alpha_or_color(source(Source::Current), alpha), ONE, ZERO, ZERO], scale::NONE),
        TextureOp::SelectArg1 => ([one, ONE, ZERO, ZERO], scale::NONE),
        TextureOp::SelectArg2 => ([two, ONE, ZERO, ZERO], scale::NONE),
        TextureOp::Modulate => ([one, two, ZERO, ZERO], scale::NONE),
        TextureOp::Modulate2x => ([one, two, ZERO, ZERO], scale::TWO),
        TextureOp::Modulate4x => ([one, two, ZERO, ZERO], scale::FOUR),
        TextureOp::Add => ([one, ONE, two, ONE], scale::NONE),
        TextureOp::AddSigned => ([one, ONE, two, ONE], scale::BIAS),
        TextureOp::AddSigned2x => ([one, ONE, two, ONE], scale::BIAS_TWO),
        TextureOp::Subtract => ([one, ONE, two, MINUS_ONE], scale::NONE),
        TextureOp::AddSmooth => ([one, ONE, two, one ^ map::INVERT], scale::NONE),
        TextureOp::BlendDiffuseAlpha => (lerp(by_alpha(Source::Diffuse), one, two), scale::NONE),
        TextureOp::BlendTextureAlpha => (lerp(by_alpha(Source::Texture), one, two), scale::NONE),
        TextureOp::BlendFactorAlpha => (lerp(by_alpha(Source::Factor), one, two), scale::NONE),
        TextureOp::BlendCurrentAlpha => (lerp(by_alpha(Source::Current), one, two), scale::NONE),
        TextureOp::DotProduct3 => ([signed(one), signed(two), ZERO, ZERO], scale::NONE),
        TextureOp::MultiplyAdd => ([argument(0), ONE, one, two], scale::NONE),
        TextureOp::Lerp => (lerp(argument(0), one, two), scale::NONE),
    };
    let [a, b, c, d] = inputs;
    let to = match operation.op {
        TextureOp::DotProduct3 if !alpha => AB_TO_R0 | AB_DOT | AB_BLUE_TO_ALPHA,
        _ => SUM_TO_R0,
    };
    (a << 24 | b << 16 | c << 8 | d, to | output)
}

fn by_alpha_or_color(source: u32, alpha: bool) -> u32 {
    if alpha { source | register::ALPHA } else { source }
}

/// The combiners for texture stages. `modes` are the stages' texture modes.
fn combiners(stages: &[Stage; STAGES], modes: [u32; STAGES], factor: u32, fog: bool, specular: bool) -> PixelShader {
    let mut shader = PixelShader::default();
    let mut count = 0;
    for (at, stage) in stages.iter().enumerate() {
        let reads_texture =
            |operation: &Operation| operation.arguments[1..].iter().any(|a| a.source == Source::Texture);
        // Without its texture a stage that reads it is off, as Direct3D has it for stage 0 without texture.
        if stage.color.op == TextureOp::Disable || (modes[at] == 0 && reads_texture(&stage.color)) {
            break;
        }
        (shader.rgb_inputs[at], shader.rgb_outputs[at]) = combiner(&stage.color, at, false);
        if stage.color.op == TextureOp::DotProduct3 {
            // The dot product is in alpha, too; the alpha half writes nothing.
            (shader.alpha_inputs[at], shader.alpha_outputs[at]) = (0, 0);
        } else {
            (shader.alpha_inputs[at], shader.alpha_outputs[at]) = combiner(&stage.alpha, at, true);
        }
        count = at + 1;
    }
    if count == 0 {
        let pass = Operation::new(TextureOp::SelectArg1, Source::Diffuse, Source::Diffuse);
        (shader.rgb_inputs[0], shader.rgb_outputs[0]) = combiner(&pass, 0, false);
        (shader.alpha_inputs[0], shader.alpha_outputs[0]) = combiner(&pass, 0, true);
        count = 1;
    }
    shader.factor0 = [factor; 8];
    shader.control = count as u32;
    for (at, mode) in modes.into_iter().enumerate().take(count) {
        shader.texture_modes |= mode << (5 * at);
    }
    let color = if specular { register::SUM } else { register::R0 };
    // rgb = A * B + (1 - A) * C + D; A is the fog factor, C the fog colour.
    let [a, b, c, d] =
        if fog { [register::FOG | register::ALPHA, color, register::FOG, ZERO] } else { [ZERO, ZERO, ZERO, color] };
    const CLAMP_SUM: u32 = 0x80;
    shader.final_inputs = [a << 24 | b << 16 | c << 8 | d, (register::R0 | register::ALPHA) << 8 | CLAMP_SUM];
    shader
}

impl Device {
    /// `SetTextureStageState` for everything that is about combining.
    ///
    /// # Errors
    /// [`DriverError::Index`] beyond stage 3.
    pub fn set_texture_stage(&mut self, stage: usize, operations: Stage) -> Result<(), DriverError> {
        let slot = self.combine.stages.get_mut(stage);
        *slot.ok_or(DriverError::Index { what: "texture stage", index: stage, count: STAGES })? = operations;
        self.combine.mark();
        Ok(())
    }

    pub(super) fn apply_pixel(&mut self) {
        use afterimage_nv2a_types::method;
        if !std::mem::take(&mut self.combine.dirty) {
            return;
        }
        let fog = self.render_state(RenderState::FogEnable) != 0;
        let specular = self.render_state(RenderState::SpecularEnable) != 0;
        self.emit(method::SET_FOG_ENABLE, &[u32::from(fog)]);
        self.emit(method::SET_SPECULAR_ENABLE, &[u32::from(specular)]);
        let shader = self.combine.shader.unwrap_or_else(|| {
            let modes = std::array::from_fn(|stage| self.textures.mode(stage));
            combiners(&self.combine.stages, modes, self.render_state(RenderState::TextureFactor), fog, specular)
        });
        self.send_pixel_shader(&shader);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_modulated_texture_is_one_combiner() {
        let combine = Combine::default();
        let shader = combiners(&combine.stages, [1, 0, 0, 0], 0, false, false);
        // T0 * V0 -> R0; T0.a * 1 -> R0.a.
        assert_eq!((shader.rgb_inputs[0], shader.rgb_outputs[0]), (0x0804_0000, 0xC00));
        assert_eq!((shader.alpha_inputs[0], shader.alpha_outputs[0]), (0x1820_0000, 0xC00));
        assert_eq!(shader.final_inputs, [0x0000_000C, 0x0000_1C80]);
        assert_eq!((shader.control, shader.texture_modes), (1, 1));
    }

    #[test]
    fn a_complement_can_be_subtracted() {
        let complement = Argument { complement: true, ..Source::Texture.into() };
        for (second, word) in [(Source::Texture.into(), 0x08), (complement, 0x28)] {
            let operation = Operation::new(TextureOp::Subtract, Source::Diffuse, second);
            // V0 * 1 + T0 * -1, or + (1 - T0) * -1.
            assert_eq!(combiner(&operation, 0, false).0, 0x0420_0040 | word << 8);
        }
    }

    #[test]
    fn fog_and_specular_are_in_the_final_combiner() {
        let combine = Combine::default();
        let shader = combiners(&combine.stages, [0; 4], 0, true, true);
        assert_eq!(shader.final_inputs, [0x130E_0300, 0x0000_1C80]);
        assert_eq!(shader.rgb_inputs[0], 0x0420_0000, "without texture the diffuse colour passes");
    }
}
