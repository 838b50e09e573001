//! The NV2A: methods of the Kelvin class, by the names of the published headers (`NV097_SET_...`, values `V_...`). Values that the
//! hardware has numbers for say both.

use super::*;
use afterimage_stream::packets::{Address as A, BlendFactor as F, BlendOp, Compare, Cull, LogicOp, StencilOp as S};

/// Stages of the texture unit, which are the pixel stage's slots.
const STAGES: usize = 4;

pub(super) const TABLES: &[Table] = &[
    Table { group: "Depth and stencil", count: 1, rows: DEPTH_STENCIL },
    Table { group: "Blending", count: 1, rows: BLENDING },
    Table { group: "Rasteriser", count: 1, rows: RASTER },
    Table { group: "Surfaces", count: 1, rows: SURFACES },
    Table { group: "Texture {n}", count: STAGES, rows: TEXTURE },
];

const TRUTH: Words = &[(0, "V_FALSE", ""), (1, "V_TRUE", "")];

const COMPARE: Words = &[
    (Compare::Never as u8, "V_NEVER (0x200)", ""),
    (Compare::Less as u8, "V_LESS (0x201)", ""),
    (Compare::Equal as u8, "V_EQUAL (0x202)", ""),
    (Compare::LessEqual as u8, "V_LEQUAL (0x203)", ""),
    (Compare::Greater as u8, "V_GREATER (0x204)", ""),
    (Compare::NotEqual as u8, "V_NOTEQUAL (0x205)", ""),
    (Compare::GreaterEqual as u8, "V_GEQUAL (0x206)", ""),
    (Compare::Always as u8, "V_ALWAYS (0x207)", ""),
];

const STENCIL_OP: Words = &[
    (S::Keep as u8, "V_KEEP (0x1e00)", ""),
    (S::Zero as u8, "V_ZERO (0x0)", ""),
    (S::Replace as u8, "V_REPLACE (0x1e01)", ""),
    (S::IncrementClamp as u8, "V_INCRSAT (0x1e02)", ""),
    (S::DecrementClamp as u8, "V_DECRSAT (0x1e03)", ""),
    (S::Invert as u8, "V_INVERT (0x150a)", ""),
    (S::IncrementWrap as u8, "V_INCR (0x8507)", ""),
    (S::DecrementWrap as u8, "V_DECR (0x8508)", ""),
];

const BLEND: Words = &[
    (
        F::Zero as u8,
        "V_ZERO (0x0)",
        "or V_ONE_MINUS_DST_ALPHA (0x305), V_SRC_ALPHA_SATURATE (0x308) of a surface without alpha",
    ),
    (F::One as u8, "V_ONE (0x1)", "or V_DST_ALPHA (0x304) of a surface without alpha"),
    (F::SrcColor as u8, "V_SRC_COLOR (0x300)", ""),
    (F::OneMinusSrcColor as u8, "V_ONE_MINUS_SRC_COLOR (0x301)", ""),
    (F::SrcAlpha as u8, "V_SRC_ALPHA (0x302)", ""),
    (F::OneMinusSrcAlpha as u8, "V_ONE_MINUS_SRC_ALPHA (0x303)", ""),
    (F::DstAlpha as u8, "V_DST_ALPHA (0x304)", ""),
    (F::OneMinusDstAlpha as u8, "V_ONE_MINUS_DST_ALPHA (0x305)", ""),
    (F::DstColor as u8, "V_DST_COLOR (0x306)", ""),
    (F::OneMinusDstColor as u8, "V_ONE_MINUS_DST_COLOR (0x307)", ""),
    (F::SrcAlphaSaturate as u8, "V_SRC_ALPHA_SATURATE (0x308)", ""),
    (F::ConstantColor as u8, "V_CONSTANT_COLOR (0x8001)", ""),
    (F::OneMinusConstantColor as u8, "V_ONE_MINUS_CONSTANT_COLOR (0x8002)", ""),
    (F::ConstantAlpha as u8, "V_CONSTANT_ALPHA (0x8003)", ""),
    (F::OneMinusConstantAlpha as u8, "V_ONE_MINUS_CONSTANT_ALPHA (0x8004)", ""),
];

const EQUATION: Words = &[
    (BlendOp::Add as u8, "V_FUNC_ADD (0x8006)", ""),
    (BlendOp::Min as u8, "V_MIN (0x8007)", ""),
    (BlendOp::Max as u8, "V_MAX (0x8008)", ""),
    (BlendOp::Subtract as u8, "V_FUNC_SUBTRACT (0x800a)", ""),
    (BlendOp::ReverseSubtract as u8, "V_FUNC_REVERSE_SUBTRACT (0x800b)", ""),
    (BlendOp::SignedReverseSubtract as u8, "V_FUNC_REVERSE_SUBTRACT_SIGNED (0xf005)", ""),
    (BlendOp::SignedAdd as u8, "V_FUNC_ADD_SIGNED (0xf006)", ""),
];

const LOGIC_OP: Words = &[
    (LogicOp::Clear as u8, "V_CLEAR (0x1500)", ""),
    (LogicOp::And as u8, "V_AND (0x1501)", ""),
    (LogicOp::AndReverse as u8, "V_AND_REVERSE (0x1502)", ""),
    (LogicOp::Copy as u8, "V_COPY (0x1503)", ""),
    (LogicOp::AndInverted as u8, "V_AND_INVERTED (0x1504)", ""),
    (LogicOp::NoOp as u8, "V_NOOP (0x1505)", ""),
    (LogicOp::Xor as u8, "V_XOR (0x1506)", ""),
    (LogicOp::Or as u8, "V_OR (0x1507)", ""),
    (LogicOp::Nor as u8, "V_NOR (0x1508)", ""),
    (LogicOp::Equivalent as u8, "V_EQUIV (0x1509)", ""),
    (LogicOp::Invert as u8, "V_INVERT (0x150a)", ""),
    (LogicOp::OrReverse as u8, "V_OR_REVERSE (0x150b)", ""),
    (LogicOp::CopyInverted as u8, "V_COPY_INVERTED (0x150c)", ""),
    (LogicOp::OrInverted as u8, "V_OR_INVERTED (0x150d)", ""),
    (LogicOp::Nand as u8, "V_NAND (0x150e)", ""),
    (LogicOp::Set as u8, "V_SET (0x150f)", ""),
];

const ADDRESS: Words = &[
    (A::Repeat as u8, "WRAP (1)", ""),
    (A::Mirror as u8, "MIRROR (2)", ""),
    (A::ClampToEdge as u8, "CLAMP_TO_EDGE (3)", "or CLAMP_OGL (5), or a texture with a border of its own"),
    (A::ClampToBorder as u8, "BORDER (4)", ""),
];

/// Only where depth is tested, or stencil, or something is blended.
fn when(on: u8) -> Option<()> {
    (on != 0).then_some(())
}

const DEPTH_STENCIL: &[Row] = &[
    row("NV097_SET_DEPTH_TEST_ENABLE", "depth_stencil.depth_test", |s, _| match s.depth_stencil.depth_test {
        0 => say("V_FALSE").or("or no zeta surface is bound"),
        _ => Some(say("V_TRUE")),
    }),
    row("NV097_SET_DEPTH_MASK", "depth_stencil.depth_write", |s, _| {
        when(s.depth_stencil.depth_test)?;
        word(TRUTH, s.depth_stencil.depth_write)
    }),
    row("NV097_SET_DEPTH_FUNC", "depth_stencil.depth_compare", |s, _| {
        when(s.depth_stencil.depth_test)?;
        word(COMPARE, s.depth_stencil.depth_compare)
    }),
    row("NV097_SET_STENCIL_TEST_ENABLE", "depth_stencil.stencil_test", |s, _| match s.depth_stencil.stencil_test {
        0 => say("V_FALSE").or("or the zeta surface has no stencil"),
        _ => Some(say("V_TRUE")),
    }),
    row("NV097_SET_STENCIL_FUNC", "depth_stencil.front.compare", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(COMPARE, s.depth_stencil.front.compare)
    }),
    row("NV097_SET_STENCIL_FUNC_REF", "depth_stencil.reference", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.reference.into())
    }),
    row("NV097_SET_STENCIL_FUNC_MASK", "depth_stencil.read_mask", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.read_mask.into())
    }),
    row("NV097_SET_STENCIL_MASK", "depth_stencil.write_mask", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        let said = say(format!("{:#x}", s.depth_stencil.write_mask));
        match s.depth_stencil.write_mask {
            0 => said.or("or NV097_SET_CONTROL0 has stencil writes off"),
            _ => Some(said),
        }
    }),
    row("NV097_SET_STENCIL_OP_FAIL", "depth_stencil.front.fail", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(STENCIL_OP, s.depth_stencil.front.fail)
    }),
    row("NV097_SET_STENCIL_OP_ZFAIL", "depth_stencil.front.depth_fail", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(STENCIL_OP, s.depth_stencil.front.depth_fail)
    }),
    row("NV097_SET_STENCIL_OP_ZPASS", "depth_stencil.front.pass", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(STENCIL_OP, s.depth_stencil.front.pass)
    }),
];

const BLENDING: &[Row] = &[
    row("NV097_SET_BLEND_ENABLE", "blend.enable", |s, _| match (s.blend.enable, s.blend.logic_op) {
        (0, op) if op != LogicOp::Off as u8 => say("V_FALSE").or("or V_TRUE: a logic operation comes before it"),
        (enable, _) => word(TRUTH, enable),
    }),
    row("NV097_SET_BLEND_FUNC_SFACTOR", "blend.src_color", |s, _| {
        when(s.blend.enable)?;
        word(BLEND, s.blend.src_color)
    }),
    row("NV097_SET_BLEND_FUNC_DFACTOR", "blend.dst_color", |s, _| {
        when(s.blend.enable)?;
        word(BLEND, s.blend.dst_color)
    }),
    row("NV097_SET_BLEND_EQUATION", "blend.color_op", |s, _| {
        when(s.blend.enable)?;
        word(EQUATION, s.blend.color_op)
    }),
    row("NV097_SET_BLEND_COLOR", "blend.constant", |s, _| {
        when(s.blend.enable)?;
        Some(say(format!("{:#010x}", argb(s.blend.constant))))
    }),
    row("NV097_SET_LOGIC_OP_ENABLE", "blend.logic_op", |s, _| {
        word(TRUTH, u8::from(s.blend.logic_op != LogicOp::Off as u8))
    }),
    row("NV097_SET_LOGIC_OP", "blend.logic_op", |s, _| {
        when(s.blend.logic_op)?;
        word(LOGIC_OP, s.blend.logic_op)
    }),
    row("NV097_SET_COLOR_MASK", "blend.write_masks[0]", |s, _| {
        let mask = u32::from(s.blend.write_masks[0]);
        // Blue, green, red, alpha are bytes from the lowest on.
        let value = (mask >> 2 & 1) | (mask >> 1 & 1) << 8 | (mask & 1) << 16 | (mask >> 3 & 1) << 24;
        Some(say(format!("{value:#010x}")))
    })
    .with("of the channels that the surface has"),
];

/// Depth units of the zeta surface.
fn depth_units(state: &State) -> f32 {
    let format = state.objects.texture(state.render_targets.depth.texture).map(|texture| texture.format);
    match format.and_then(Format::from_bits) {
        Some(format) if format!("{format:?}").starts_with("D16") => 65535.0,
        Some(_) => 16_777_215.0,
        None => 1.0,
    }
}

const RASTER: &[Row] = &[
    row("NV097_SET_CULL_FACE_ENABLE", "raster.cull", |s, _| match s.raster.cull {
        0 => say("V_FALSE").or("or what is drawn are points, or outlines, whose faces are culled before"),
        _ => Some(say("V_TRUE")),
    }),
    row("NV097_SET_CULL_FACE", "raster.cull", |s, _| match Cull::of(s.raster.cull) {
        Cull::None => None,
        Cull::Front => Some(say("V_FRONT (0x404)")),
        Cull::Back => Some(say("V_BACK (0x405)")),
    }),
    row("NV097_SET_FRONT_FACE", "raster.front_ccw", |s, _| {
        Some(say(if s.raster.front_ccw != 0 { "V_CCW (0x901)" } else { "V_CW (0x900)" }))
    }),
    row("NV097_SET_POLY_OFFSET_FILL_ENABLE", "raster.bias_enable", |s, _| match s.raster.bias_enable {
        0 => say("V_FALSE").or("or what is drawn are outlines"),
        _ => Some(say("V_TRUE")),
    }),
    row("NV097_SET_POLYGON_OFFSET_SCALE_FACTOR", "raster.slope_bias", |s, _| {
        when(s.raster.bias_enable)?;
        float(s.raster.slope_bias)
    }),
    row("NV097_SET_POLYGON_OFFSET_BIAS", "raster.depth_bias", |s, _| {
        when(s.raster.bias_enable)?;
        float(s.raster.depth_bias * depth_units(s))
    })
    .with("in steps of the zeta surface"),
];

/// The depth of a plane, where there is a zeta surface.
fn clip(state: &State, depth: f32) -> Option<Said> {
    let units = depth_units(state);
    if units > 1.0 { float((depth * units).round()) } else { None }
}

const CLIP: &str = "the whole step of the zeta surface; or any, where that holds floats or w";

const SURFACES: &[Row] = &[
    row("NV097_SET_SURFACE_COLOR_OFFSET", "render_targets.color[0]", |s, _| view(s, s.render_targets.color[0])),
    row("NV097_SET_SURFACE_ZETA_OFFSET", "render_targets.depth", |s, _| view(s, s.render_targets.depth)),
    row("NV097_SET_SURFACE_CLIP_HORIZONTAL", "scissor.rect", |s, _| {
        Some(say(format!("x {}, width {}", s.scissor.rect.x, s.scissor.rect.width)))
    })
    .with("in samples, inside of the surfaces"),
    row("NV097_SET_SURFACE_CLIP_VERTICAL", "scissor.rect", |s, _| {
        Some(say(format!("y {}, height {}", s.scissor.rect.y, s.scissor.rect.height)))
    })
    .with("in samples, inside of the surfaces"),
    row("NV097_SET_CLIP_MIN", "viewport.min_depth", |s, _| clip(s, s.viewport.min_depth)).with(CLIP),
    row("NV097_SET_CLIP_MAX", "viewport.max_depth", |s, _| clip(s, s.viewport.max_depth)).with(CLIP),
];

const TEXTURE: &[Row] = &[
    row("NV097_SET_TEXTURE_OFFSET[{n}]", "textures[{n}].texture", texture),
    row("NV097_SET_TEXTURE_ADDRESS[{n}].U", "textures[{n}].sampler.address[0]", |s, n| {
        word(ADDRESS, sampler(s, n)?.address[0])
    }),
    row("NV097_SET_TEXTURE_ADDRESS[{n}].V", "textures[{n}].sampler.address[1]", |s, n| {
        word(ADDRESS, sampler(s, n)?.address[1])
    }),
    row("NV097_SET_TEXTURE_ADDRESS[{n}].P", "textures[{n}].sampler.address[2]", |s, n| {
        word(ADDRESS, sampler(s, n)?.address[2])
    }),
    row(
        "NV097_SET_TEXTURE_FILTER[{n}].MIN",
        "textures[{n}].sampler.min, textures[{n}].sampler.mip, textures[{n}].sampler.mipmapped",
        |s, n| {
            let sampler = sampler(s, n)?;
            match (sampler.min, sampler.mipmapped, sampler.mip) {
                (0, 0, _) => say("BOX_LOD0 (1)").or("or CONVOLUTION_2D_LOD0 (7), or a format that cannot be filtered"),
                (_, 0, _) => Some(say("TENT_LOD0 (2)")),
                (0, _, 0) => say("BOX_NEARESTLOD (3)").or("or a format that cannot be filtered"),
                (_, _, 0) => Some(say("TENT_NEARESTLOD (4)")),
                (0, ..) => Some(say("BOX_TENT_LOD (5)")),
                _ => Some(say("TENT_TENT_LOD (6)")),
            }
        },
    ),
    row("NV097_SET_TEXTURE_FILTER[{n}].MAG", "textures[{n}].sampler.mag", |s, n| match sampler(s, n)?.mag {
        0 => say("BOX_LOD0 (1)").or("or CONVOLUTION_2D_LOD0 (4), or a format that cannot be filtered"),
        _ => Some(say("TENT_LOD0 (2)")),
    }),
    row("NV097_SET_TEXTURE_FILTER[{n}].MIPMAP_LOD_BIAS", "textures[{n}].sampler.lod_bias", |s, n| {
        float(sampler(s, n)?.lod_bias)
    }),
    row("NV097_SET_TEXTURE_CONTROL0[{n}].MIN_LOD_CLAMP", "textures[{n}].sampler.min_lod", |s, n| {
        float(sampler(s, n)?.min_lod)
    }),
    row("NV097_SET_TEXTURE_CONTROL0[{n}].MAX_LOD_CLAMP", "textures[{n}].sampler.max_lod", |s, n| {
        float(sampler(s, n)?.max_lod)
    }),
    row("NV097_SET_TEXTURE_CONTROL0[{n}].LOG_MAX_ANISO", "textures[{n}].sampler.max_anisotropy", |s, n| {
        let most = sampler(s, n)?.max_anisotropy;
        let said = say(format!("{}", most.max(1.0).log2() as u32));
        if most <= 1.0 { said.or("or any where the filter is not linear") } else { Some(said) }
    }),
    row("NV097_SET_TEXTURE_BORDER_COLOR[{n}]", "textures[{n}].sampler.border", |s, n| {
        let sampler = sampler(s, n)?;
        let used = sampler.address.contains(&(A::ClampToBorder as u8));
        used.then(|| say(format!("{:#010x}", argb(sampler.border))))
    }),
];
