//! Render states. One row per state: name, how its value becomes methods, what the Xbox starts with.
//!
//! Values are the hardware's: compare functions 0x200 to 0x207, blend factors and operations in OpenGL's numbers, and so on
//! (`docs/sources/nv2a.md#enumerations`), as the Xbox's enumerations have them.

use super::Device;
use afterimage_nv2a_types::enums::CULL_FACE;
use afterimage_nv2a_types::method;

/// How a state becomes methods.
#[derive(Clone, Copy, Debug)]
enum Apply {
    /// The value is the method's argument.
    Direct(u16),
    /// A float: the value is its bits, the argument is fixed point with three bits of fraction.
    Fixed3(u16),
    /// The value is the argument, and 0 without a depth and stencil buffer.
    Zeta(u16),
    /// Fog's curve and its parameters.
    Fog,
    /// A colour, 0xAARRGGBB, whose method wants red lowest.
    Abgr(u16),
    /// 0 is off; other values are 0x900 (clockwise) and 0x901.
    Cull,
    /// 0 is off; other values are operations.
    LogicOp,
    /// A part of the fixed function's deferred state.
    Transform,
    /// A part of the combiners' deferred state.
    Pixel,
    /// A part of both.
    Specular,
}

macro_rules! render_states {
    ($( $(#[$doc:meta])* $name:ident $apply:ident $(($method:ident))? = $default:expr; )*) => {
        /// A render state.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(u8)]
        pub enum RenderState { $( $(#[$doc])* $name ),* }

        const ROWS: &[(RenderState, Apply, u32)] =
            &[ $( (RenderState::$name, Apply::$apply $((method::$method))?, $default) ),* ];

        impl RenderState {
            /// Every state.
            pub const ALL: &'static [Self] = &[ $( Self::$name ),* ];
        }
    };
}

const ONE: u32 = 0x3F80_0000;

render_states! {
    /// Depth test, where the target has a depth buffer.
    ZEnable Zeta(SET_DEPTH_TEST_ENABLE) = 1;
    /// Depth writes.
    ZWriteEnable Direct(SET_DEPTH_MASK) = 1;
    /// Depth function.
    ZFunc Direct(SET_DEPTH_FUNC) = 0x203;
    /// Alpha test.
    AlphaTestEnable Direct(SET_ALPHA_TEST_ENABLE) = 0;
    /// Alpha function.
    AlphaFunc Direct(SET_ALPHA_FUNC) = 0x207;
    /// Alpha reference, 0 to 255.
    AlphaRef Direct(SET_ALPHA_REF) = 0;
    /// Blending.
    AlphaBlendEnable Direct(SET_BLEND_ENABLE) = 0;
    /// Source factor.
    SrcBlend Direct(SET_BLEND_FUNC_SFACTOR) = 1;
    /// Destination factor.
    DestBlend Direct(SET_BLEND_FUNC_DFACTOR) = 0;
    /// Blend equation.
    BlendOp Direct(SET_BLEND_EQUATION) = 0x8006;
    /// Constant blend colour, 0xAARRGGBB.
    BlendColor Direct(SET_BLEND_COLOR) = 0;
    /// Which channels are written: alpha in bit 24, red 16, green 8, blue 0.
    ColorWriteEnable Direct(SET_COLOR_MASK) = 0x0101_0101;
    /// Logic operation 0x1500 to 0x150F; 0 is off.
    LogicOp LogicOp = 0;
    /// Dithering.
    DitherEnable Direct(SET_DITHER_ENABLE) = 0;
    /// 0x1D00 flat, 0x1D01 smooth.
    ShadeMode Direct(SET_SHADE_MODEL) = 0x1D01;
    /// Stencil test, where the target has a stencil buffer.
    StencilEnable Zeta(SET_STENCIL_TEST_ENABLE) = 0;
    /// Stencil function.
    StencilFunc Direct(SET_STENCIL_FUNC) = 0x207;
    /// Stencil reference.
    StencilRef Direct(SET_STENCIL_FUNC_REF) = 0;
    /// Bits that are compared.
    StencilMask Direct(SET_STENCIL_FUNC_MASK) = 0xFF;
    /// Bits that are written.
    StencilWriteMask Direct(SET_STENCIL_MASK) = 0xFF;
    /// What happens when the stencil test fails.
    StencilFail Direct(SET_STENCIL_OP_FAIL) = 0x1E00;
    /// What happens when the depth test fails.
    StencilZFail Direct(SET_STENCIL_OP_ZFAIL) = 0x1E00;
    /// What happens when both pass.
    StencilPass Direct(SET_STENCIL_OP_ZPASS) = 0x1E00;
    /// Which winding faces front: 0x900 clockwise, 0x901 counter-clockwise.
    FrontFace Cull = 0x900;
    /// Which winding is dropped: 0 none, 0x900 clockwise, 0x901 counter-clockwise.
    CullMode Cull = 0x901;
    /// Front faces: 0x1B00 points, 0x1B01 lines, 0x1B02 filled.
    FillMode Direct(SET_FRONT_POLYGON_MODE) = 0x1B02;
    /// Back faces.
    BackFillMode Direct(SET_BACK_POLYGON_MODE) = 0x1B02;
    /// Polygon offset for points.
    PointOffsetEnable Direct(SET_POLY_OFFSET_POINT_ENABLE) = 0;
    /// Polygon offset for lines.
    WireframeOffsetEnable Direct(SET_POLY_OFFSET_LINE_ENABLE) = 0;
    /// Polygon offset for filled polygons.
    SolidOffsetEnable Direct(SET_POLY_OFFSET_FILL_ENABLE) = 0;
    /// Slope factor of the offset, bits of a float.
    PolygonOffsetZSlopeScale Direct(SET_POLYGON_OFFSET_SCALE_FACTOR) = 0;
    /// Constant offset, bits of a float.
    PolygonOffsetZOffset Direct(SET_POLYGON_OFFSET_BIAS) = 0;
    /// Width of lines in pixels, bits of a float.
    LineWidth Fixed3(SET_LINE_WIDTH) = ONE;
    /// Size of points in pixels, bits of a float.
    PointSize Fixed3(SET_POINT_SIZE) = ONE;
    /// Whether points carry texture coordinates.
    PointSpriteEnable Direct(SET_POINT_SMOOTH_ENABLE) = 0;
    /// Lighting.
    Lighting Direct(SET_LIGHTING_ENABLE) = 0;
    /// Lighting of back faces by the back materials.
    TwoSidedLighting Direct(SET_LIGHT_TWO_SIDE_ENABLE) = 0;
    /// Normals are scaled to length 1.
    NormalizeNormals Direct(SET_NORMALIZATION_ENABLE) = 0;
    /// The specular colour is there, of vertices and of lights, and added after the textures.
    SpecularEnable Specular = 0;
    /// Colour that lights the whole scene, 0xAARRGGBB.
    Ambient Transform = 0;
    /// Matrices of vertex blending: the hardware's skinning mode, 0 to 6.
    VertexBlend Direct(SET_SKIN_MODE) = 0;
    /// Fog.
    FogEnable Pixel = 0;
    /// Fog curve: 0x2601 linear, 0x800 exp, 0x801 exp2, and their absolute twins.
    FogMode Fog = 0x2601;
    /// Where linear fog starts, bits of a float.
    FogStart Fog = 0;
    /// Where linear fog is all there is, bits of a float.
    FogEnd Fog = ONE;
    /// Density of other curves, bits of a float.
    FogDensity Fog = ONE;
    /// What fog goes by: 0 specular alpha, 1 radial, 2 planar, 3 absolute planar, 6 fog coordinate.
    FogGenMode Direct(SET_FOG_GEN_MODE) = 2;
    /// Fog colour, 0xAARRGGBB.
    FogColor Abgr(SET_FOG_COLOR) = 0;
    /// Constant of the texture stages, 0xAARRGGBB.
    TextureFactor Pixel = 0xFFFF_FFFF;
    /// Comparison of shadow lookups, 0 to 7.
    ShadowFunc Direct(SET_SHADOW_COMPARE_FUNC) = 0;
    /// Stipple of polygons.
    StippleEnable Direct(SET_STIPPLE_ENABLE) = 0;
    /// Which vertex flat shading takes: 0 the last, 1 the first.
    FlatShadeOp Direct(SET_FLAT_SHADE_OP) = 0;
    /// 16 rows of texels that the rasteriser walks at once.
    SwathWidth Direct(SET_SWATH_WIDTH) = 4;
}

/// The values of all states.
#[derive(Clone, Debug)]
pub(super) struct States {
    values: [u32; RenderState::ALL.len()],
}

impl Default for States {
    fn default() -> Self {
        Self { values: std::array::from_fn(|i| ROWS[i].2) }
    }
}

/// `SET_FOG_PARAMS`: the hardware computes `x = bias + multiplier * coordinate`. There is no fog where x is 2 on straight
/// curves, 1.5 on others; below that, what is left of the colour is x - 1, 2^(-16 (1.5 - x)) or 2^(-32 (1.5 - x)^2).
fn fog_params(mode: u32, start: f32, end: f32, density: f32) -> [f32; 3] {
    const LINEAR: u32 = 0x2601;
    const LINEAR_ABS: u32 = 0x804;
    const EXP: u32 = 0x800;
    const EXP_ABS: u32 = 0x802;
    let [bias, multiplier] = match mode {
        LINEAR | LINEAR_ABS => {
            let range = if end == start { f32::EPSILON } else { end - start };
            [1.0 + end / range, -1.0 / range]
        }
        EXP | EXP_ABS => [1.5, -density / (2.0 * 256f32.ln())],
        _ => [1.5, -density / (2.0 * 256f32.ln().sqrt())],
    };
    [bias, multiplier, 0.0]
}

impl Device {
    /// The value of a state.
    #[must_use]
    pub fn render_state(&self, state: RenderState) -> u32 {
        self.states.values[state as usize]
    }

    /// `SetRenderState`.
    pub fn set_render_state(&mut self, state: RenderState, value: u32) {
        self.states.values[state as usize] = value;
        self.send_render_state(state);
    }

    /// `SetRenderState` of a state that holds a float.
    pub fn set_render_state_float(&mut self, state: RenderState, value: f32) {
        self.set_render_state(state, value.to_bits());
    }

    pub(super) fn send_all_render_states(&mut self) {
        for &state in RenderState::ALL {
            self.send_render_state(state);
        }
    }

    /// Sends the states that depend on whether there is a depth and stencil buffer.
    pub(super) fn send_zeta_states(&mut self) {
        self.send_render_state(RenderState::ZEnable);
        self.send_render_state(RenderState::StencilEnable);
    }

    fn send_render_state(&mut self, state: RenderState) {
        let value = self.render_state(state);
        match ROWS[state as usize].1 {
            Apply::Direct(method) => self.emit(method, &[value]),
            Apply::Zeta(method) => {
                let has_zeta = self.render_target().is_none_or(|target| target.depth.is_some());
                self.emit(method, &[if has_zeta { value } else { 0 }]);
            }
            Apply::Fog => {
                let float = |state| f32::from_bits(self.render_state(state));
                let mode = self.render_state(RenderState::FogMode);
                let params = fog_params(
                    mode,
                    float(RenderState::FogStart),
                    float(RenderState::FogEnd),
                    float(RenderState::FogDensity),
                );
                self.emit(method::SET_FOG_MODE, &[mode]);
                self.emit_floats(method::SET_FOG_PARAMS, params);
            }
            // The field has nine bits.
            Apply::Fixed3(method) => self.emit(method, &[(f32::from_bits(value) * 8.0).clamp(0.0, 511.0) as u32]),
            Apply::Abgr(method) => {
                let [blue, green, red, alpha] = value.to_le_bytes();
                self.emit(method, &[u32::from_le_bytes([red, green, blue, alpha])]);
            }
            Apply::Cull => {
                let (front, cull) =
                    (self.render_state(RenderState::FrontFace), self.render_state(RenderState::CullMode));
                self.emit(method::SET_FRONT_FACE, &[front]);
                self.emit(method::SET_CULL_FACE_ENABLE, &[u32::from(cull != 0)]);
                if cull != 0 {
                    self.emit(
                        method::SET_CULL_FACE,
                        &[if cull == front { CULL_FACE::V_FRONT } else { CULL_FACE::V_BACK }],
                    );
                }
            }
            Apply::LogicOp => {
                self.emit(method::SET_LOGIC_OP_ENABLE, &[u32::from(value != 0)]);
                if value != 0 {
                    self.emit(method::SET_LOGIC_OP, &[value]);
                }
            }
            Apply::Transform => self.transform.mark_lights(),
            Apply::Pixel => self.combine.mark(),
            Apply::Specular => {
                self.transform.mark_lights();
                self.combine.mark();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fog_params_are_direct3ds_curves() {
        let x = |mode, coordinate: f32| {
            let [bias, multiplier, _] = fog_params(mode, 10.0, 30.0, 0.25);
            bias + multiplier * coordinate
        };
        for (coordinate, left) in [(10.0, 1.0), (15.0, 0.75), (30.0, 0.0)] {
            assert!((x(0x2601, coordinate) - 1.0 - left).abs() < 1e-5, "{coordinate}");
        }
        let exp = (-16.0 * (1.5 - x(0x800, 4.0))).exp2();
        assert!((exp - (-1f32).exp()).abs() < 1e-5, "{exp}");
        let exp2 = (-32.0 * (1.5 - x(0x801, 8.0)).powi(2)).exp2();
        assert!((exp2 - (-4f32).exp()).abs() < 1e-5, "{exp2}");
    }

    #[test]
    fn rows_are_in_the_order_of_their_states() {
        assert!(ROWS.iter().enumerate().all(|(i, row)| row.0 as usize == i && RenderState::ALL[i] == row.0));
    }
}
