//! Fixed-function state of the host: blending, depth and stencil, rasterisation.
//!
//! Sources: `docs/sources/nv2a.md#enumerations`; pictures of a console for what X formats read as destination alpha (suite Blend
//! surface).

use super::Translator;
use super::surfaces::Target;
use afterimage_nv2a_types::enums::*;
use afterimage_nv2a_types::{Registers, method};
use afterimage_shader_nv2a::io;
use afterimage_stream::packets::*;
use afterimage_texture::nv2a::{ColorFormat, ZetaFormat};

/// How faces of polygons are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Their corners.
    Point,
    /// Their edges.
    Line,
    /// All of them.
    Fill,
    /// Not at all.
    Culled,
}

/// Modes of front faces and of back faces.
pub(super) fn polygon_modes(registers: &Registers) -> [Mode; 2] {
    let mode = |method| match registers.get(method) {
        POLYGON_MODE::V_POINT => Mode::Point,
        POLYGON_MODE::V_LINE => Mode::Line,
        _ => Mode::Fill,
    };
    let culled = registers.is_set(method::SET_CULL_FACE_ENABLE).then(|| registers.get(method::SET_CULL_FACE));
    let front = if matches!(culled, Some(CULL_FACE::V_FRONT | CULL_FACE::V_FRONT_AND_BACK)) {
        Mode::Culled
    } else {
        mode(method::SET_FRONT_POLYGON_MODE)
    };
    let back = match culled {
        None | Some(CULL_FACE::V_FRONT) => mode(method::SET_BACK_POLYGON_MODE),
        Some(_) => Mode::Culled,
    };
    [front, back]
}

/// Whether counter-clockwise faces, as seen on the screen, are the front.
pub(super) fn front_is_ccw(registers: &Registers) -> bool {
    registers.get(method::SET_FRONT_FACE) == FRONT_FACE::V_CCW
}

/// Rasterisation of points and filled polygons.
pub(super) fn raster(registers: &Registers, target: &Target) -> SetRaster {
    let cull = match polygon_modes(registers) {
        [Mode::Culled, _] => Cull::Front,
        [_, Mode::Culled] => Cull::Back,
        _ => Cull::None,
    };
    let offset = registers.is_set(method::SET_POLY_OFFSET_FILL_ENABLE);
    let units = target.zeta.map_or(1.0, |format| ((1u32 << format.depth_bits()) - 1) as f32);
    let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
    SetRaster {
        cull: cull as u8,
        front_ccw: front_is_ccw(registers).into(),
        // The vertex stage cuts off what the depth range does not clamp.
        depth_clip: 0,
        bias_enable: offset.into(),
        depth_bias: if offset { finite(registers.float(method::SET_POLYGON_OFFSET_BIAS) / units) } else { 0.0 },
        slope_bias: if offset { finite(registers.float(method::SET_POLYGON_OFFSET_SCALE_FACTOR)) } else { 0.0 },
        point_size: 1.0,
        sample_mask: u32::MAX,
        line_width: 1.0,
        ..SetRaster::default()
    }
}

/// A comparison. Registers hold no other numbers, but for the zero that they begin with.
fn compare(registers: &Registers, method: u16) -> u8 {
    COMPARE::of(registers.get(method)).unwrap_or(Compare::Never) as u8
}

/// Whether alpha is stored, and can be blended with.
fn has_alpha(format: ColorFormat) -> bool {
    use ColorFormat as F;
    matches!(format, F::A8R8G8B8 | F::X1A7R8G8B8_Z1A7R8G8B8 | F::X1A7R8G8B8_O1A7R8G8B8)
}

/// A factor where the destination has no alpha of its own: it reads as one.
fn without_alpha(factor: BlendFactor) -> BlendFactor {
    match factor {
        BlendFactor::DstAlpha => BlendFactor::One,
        BlendFactor::OneMinusDstAlpha | BlendFactor::SrcAlphaSaturate => BlendFactor::Zero,
        other => other,
    }
}

/// Channels of `SET_COLOR_MASK` (red 1, green 2, blue 4, alpha 8) that the target has.
fn write_mask(registers: &Registers, target: &Target) -> u8 {
    let bit = |at: u32, channel: u8| if registers.bits(method::SET_COLOR_MASK, at, 1) != 0 { channel } else { 0 };
    let mask = bit(16, 1) | bit(8, 2) | bit(0, 4) | bit(24, 8);
    match target.color {
        Some(ColorFormat::B8) => mask & 4,
        Some(ColorFormat::G8B8) => mask & 6,
        Some(_) if mask != 0 && target.marked => mask | 8,
        _ => mask,
    }
}

impl Translator {
    /// The whole of clip space, and the depth range.
    pub(super) fn viewport_of(&self, registers: &Registers) -> SetViewport {
        let [min_depth, max_depth] = io::depth_range(registers);
        let [width, height] = self.target().scale.map(|scale| (Target::SIZE * scale) as f32);
        SetViewport { x: 0.0, y: 0.0, width, height, min_depth, max_depth }
    }

    /// Blending, logic operation, colour mask.
    pub(super) fn blend(&mut self, registers: &Registers) -> SetBlend {
        let format = self.target().color;
        let mut write_masks = [0; 8];
        write_masks[0] = write_mask(registers, self.target());
        let mut blend = SetBlend { write_masks, ..SetBlend::default() };
        if registers.is_set(method::SET_DITHER_ENABLE) && format.is_some_and(|format| format.bytes() == 2) {
            self.once.warn("SET_DITHER_ENABLE is not supported: colours of 16-bit surfaces are rounded");
        }
        if registers.is_set(method::SET_LOGIC_OP_ENABLE) {
            // The low four bits count.
            let number = LOGIC_OP::V_CLEAR | registers.get(method::SET_LOGIC_OP) & 15;
            blend.logic_op = LOGIC_OP::of(number).unwrap_or(LogicOp::Copy) as u8;
        } else if registers.is_set(method::SET_BLEND_ENABLE) {
            let mut factor = |name: &str, method, otherwise| {
                let value = registers.get(method);
                let factor = BLEND_FACTOR::of(value).unwrap_or_else(|| {
                    self.once.warn(format!("{name} {value:#x} is not known"));
                    otherwise
                });
                if format.is_some_and(|format| !has_alpha(format)) { without_alpha(factor) } else { factor }
            };
            let source = factor("SET_BLEND_FUNC_SFACTOR", method::SET_BLEND_FUNC_SFACTOR, BlendFactor::One);
            let destination = factor("SET_BLEND_FUNC_DFACTOR", method::SET_BLEND_FUNC_DFACTOR, BlendFactor::Zero);
            let equation = registers.get(method::SET_BLEND_EQUATION);
            let op = BLEND_EQUATION::of(equation).unwrap_or_else(|| {
                self.once.warn(format!("SET_BLEND_EQUATION {equation:#x} is not known"));
                BlendOp::Add
            });
            let [blue, green, red, alpha] = registers.get(method::SET_BLEND_COLOR).to_le_bytes();
            blend = SetBlend {
                enable: 1,
                src_color: source as u8,
                dst_color: destination as u8,
                color_op: op as u8,
                src_alpha: source as u8,
                dst_alpha: destination as u8,
                alpha_op: op as u8,
                constant: [red, green, blue, alpha].map(|byte| f32::from(byte) / 255.0),
                ..blend
            };
        }
        if blend.logic_op == 0 && self.target().marked {
            if blend.enable == 0 {
                let [source, destination] = [BlendFactor::One, BlendFactor::Zero].map(|factor| factor as u8);
                blend = SetBlend { enable: 1, src_color: source, dst_color: destination, ..blend };
                blend.color_op = BlendOp::Add as u8;
            }
            // Nothing of either alpha: the pixel is marked as drawn.
            (blend.src_alpha, blend.dst_alpha) = (BlendFactor::Zero as u8, BlendFactor::Zero as u8);
            blend.alpha_op = BlendOp::Add as u8;
        }
        blend
    }

    /// Depth and stencil tests.
    pub(super) fn depth_stencil(&mut self, registers: &Registers) -> SetDepthStencil {
        let mut state = SetDepthStencil::default();
        let zeta = self.target().zeta;
        if zeta.is_some() && registers.is_set(method::SET_DEPTH_TEST_ENABLE) {
            state.depth_test = 1;
            state.depth_write = registers.is_set(method::SET_DEPTH_MASK).into();
            state.depth_compare = compare(registers, method::SET_DEPTH_FUNC);
        }
        if zeta == Some(ZetaFormat::Z24S8) && registers.is_set(method::SET_STENCIL_TEST_ENABLE) {
            let mut op = |name: &str, method| {
                let value = registers.get(method);
                STENCIL_OP::of(value).unwrap_or_else(|| {
                    self.once.warn(format!("{name} {value:#x} is not known"));
                    StencilOp::Keep
                }) as u8
            };
            let face = StencilFace {
                compare: compare(registers, method::SET_STENCIL_FUNC),
                fail: op("SET_STENCIL_OP_FAIL", method::SET_STENCIL_OP_FAIL),
                depth_fail: op("SET_STENCIL_OP_ZFAIL", method::SET_STENCIL_OP_ZFAIL),
                pass: op("SET_STENCIL_OP_ZPASS", method::SET_STENCIL_OP_ZPASS),
            };
            let writes = registers.bits(method::SET_CONTROL0, 0, 1) != 0;
            state.stencil_test = 1;
            (state.front, state.back) = (face, face);
            state.reference = registers.get(method::SET_STENCIL_FUNC_REF) as u8;
            state.read_mask = registers.get(method::SET_STENCIL_FUNC_MASK) as u8;
            state.write_mask = if writes { registers.get(method::SET_STENCIL_MASK) as u8 } else { 0 };
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faces_are_culled_by_name_and_drawn_by_their_modes() {
        let mut registers = Registers::new();
        registers.set(method::SET_FRONT_POLYGON_MODE, 0x1B01);
        registers.set(method::SET_BACK_POLYGON_MODE, 0x1B00);
        assert_eq!(polygon_modes(&registers), [Mode::Line, Mode::Point]);
        registers.set(method::SET_CULL_FACE_ENABLE, 1);
        for (face, modes) in [
            (0x404, [Mode::Culled, Mode::Point]),
            (0x405, [Mode::Line, Mode::Culled]),
            (0x408, [Mode::Culled, Mode::Culled]),
        ] {
            registers.set(method::SET_CULL_FACE, face);
            assert_eq!(polygon_modes(&registers), modes);
        }
    }
}
