//! The NV2A: methods of the Kelvin class, by the names of the published headers (`NV097_SET_...`, values `V_...`). Values that the
//! hardware has numbers for say both.

use super::*;
use afterimage_nv2a_types::enums;
use afterimage_stream::packets::{Address as A, BlendFactor as F, Cull, LogicOp};

/// Stages of the texture unit, which are the pixel stage's slots.
const STAGES: usize = 4;

pub(super) const TABLES: &[Table] = &[
    Table { group: "Depth and stencil", count: 1, rows: DEPTH_STENCIL },
    Table { group: "Blending", count: 1, rows: BLENDING },
    Table { group: "Rasteriser", count: 1, rows: RASTER },
    Table { group: "Surfaces", count: 1, rows: SURFACES },
    Table { group: "Texture {n}", count: STAGES, rows: TEXTURE },
];

/// Where the headers count in hexadecimal.
const fn hexadecimal(rows: &'static [Pair]) -> Words {
    Words { rows, text: |row| format!("{} ({:#x})", row.name, row.value), notes: &[] }
}

pub(super) const COMPARE: Words = hexadecimal(enums::COMPARE::ROWS);
const STENCIL_OP: Words = hexadecimal(enums::STENCIL_OP::ROWS);
const EQUATION: Words = hexadecimal(enums::BLEND_EQUATION::ROWS);
const LOGIC_OP: Words = hexadecimal(enums::LOGIC_OP::ROWS);
const CULL: Words = hexadecimal(enums::CULL_FACE::ROWS);

/// Factors. The surface's format decides what some of them become.
const BLEND: Words = Words {
    notes: &[
        (F::Zero as u8, "or V_ONE_MINUS_DST_ALPHA (0x305), V_SRC_ALPHA_SATURATE (0x308) of a surface without alpha"),
        (F::One as u8, "or V_DST_ALPHA (0x304) of a surface without alpha"),
    ],
    ..hexadecimal(enums::BLEND_FACTOR::ROWS)
};

/// Address modes. A border of the texture's own decides, too.
const ADDRESS: Words = Words {
    rows: enums::ADDRESS::ROWS,
    text: |row| format!("{} ({})", row.name, row.value),
    notes: &[(A::ClampToEdge as u8, "or CLAMP_OGL (5), or a texture with a border of its own")],
};

/// The name of a method that is in the table, with the number of its instance and the name of a field where there are such; without
/// `NV097_`.
macro_rules! method {
    ($method:ident $([$n:ident])? $(.$field:ident)? $($words:literal)?) => {{
        const _: u16 = afterimage_nv2a_types::method::$method;
        concat!(stringify!($method) $(, "[{", stringify!($n), "}]")? $(, ".", stringify!($field))? $(, " ", $words)?)
    }};
}
pub(super) use method;

/// The same, with it.
macro_rules! name {
    ($method:ident $([$n:ident])? $(.$field:ident)?) => {{
        const _: u16 = afterimage_nv2a_types::method::$method;
        concat!("NV097_", stringify!($method) $(, "[{", stringify!($n), "}]")? $(, ".", stringify!($field))?)
    }};
}
pub(super) use name;

/// A value, by name and number, which the host has as something else than a value of one enumeration.
macro_rules! value {
    ($table:ident::$value:ident) => {
        format!("{} ({:#x})", stringify!($value), afterimage_nv2a_types::enums::$table::$value)
    };
}
pub(super) use value;

/// The same, where the headers count in tens. The host has up to three numbers for a filter.
macro_rules! decimal {
    ($table:ident::$value:ident) => {
        format!("{} ({})", stringify!($value), afterimage_nv2a_types::enums::$table::$value)
    };
}
pub(super) use decimal;

fn truth(on: u8) -> Said {
    say(if on != 0 { "V_TRUE" } else { "V_FALSE" })
}

/// Only where depth is tested, or stencil, or something is blended.
fn when(on: u8) -> Option<()> {
    (on != 0).then_some(())
}

const DEPTH_STENCIL: &[Row] = &[
    row(name!(SET_DEPTH_TEST_ENABLE), "depth_stencil.depth_test", |s, _| match s.depth_stencil.depth_test {
        0 => say("V_FALSE").or("or no zeta surface is bound"),
        _ => Some(say("V_TRUE")),
    }),
    row(name!(SET_DEPTH_MASK), "depth_stencil.depth_write", |s, _| {
        when(s.depth_stencil.depth_test)?;
        Some(truth(s.depth_stencil.depth_write))
    }),
    row(name!(SET_DEPTH_FUNC), "depth_stencil.depth_compare", |s, _| {
        when(s.depth_stencil.depth_test)?;
        word(&COMPARE, s.depth_stencil.depth_compare)
    }),
    row(name!(SET_STENCIL_TEST_ENABLE), "depth_stencil.stencil_test", |s, _| match s.depth_stencil.stencil_test {
        0 => say("V_FALSE").or("or the zeta surface has no stencil"),
        _ => Some(say("V_TRUE")),
    }),
    row(name!(SET_STENCIL_FUNC), "depth_stencil.front.compare", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(&COMPARE, s.depth_stencil.front.compare)
    }),
    row(name!(SET_STENCIL_FUNC_REF), "depth_stencil.reference", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.reference.into())
    }),
    row(name!(SET_STENCIL_FUNC_MASK), "depth_stencil.read_mask", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.read_mask.into())
    }),
    row(name!(SET_STENCIL_MASK), "depth_stencil.write_mask", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        let said = say(format!("{:#x}", s.depth_stencil.write_mask));
        match s.depth_stencil.write_mask {
            0 => said.or("or NV097_SET_CONTROL0 has stencil writes off"),
            _ => Some(said),
        }
    }),
    row(name!(SET_STENCIL_OP_FAIL), "depth_stencil.front.fail", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(&STENCIL_OP, s.depth_stencil.front.fail)
    }),
    row(name!(SET_STENCIL_OP_ZFAIL), "depth_stencil.front.depth_fail", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(&STENCIL_OP, s.depth_stencil.front.depth_fail)
    }),
    row(name!(SET_STENCIL_OP_ZPASS), "depth_stencil.front.pass", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        word(&STENCIL_OP, s.depth_stencil.front.pass)
    }),
];

const BLENDING: &[Row] = &[
    row(name!(SET_BLEND_ENABLE), "blend.enable", |s, _| match (s.blend.enable, s.blend.logic_op) {
        (0, op) if op != LogicOp::Off as u8 => say("V_FALSE").or("or V_TRUE: a logic operation comes before it"),
        (enable, _) => Some(truth(enable)),
    }),
    row(name!(SET_BLEND_FUNC_SFACTOR), "blend.src_color", |s, _| {
        when(s.blend.enable)?;
        word(&BLEND, s.blend.src_color)
    }),
    row(name!(SET_BLEND_FUNC_DFACTOR), "blend.dst_color", |s, _| {
        when(s.blend.enable)?;
        word(&BLEND, s.blend.dst_color)
    }),
    row(name!(SET_BLEND_EQUATION), "blend.color_op", |s, _| {
        when(s.blend.enable)?;
        word(&EQUATION, s.blend.color_op)
    }),
    row(name!(SET_BLEND_COLOR), "blend.constant", |s, _| {
        when(s.blend.enable)?;
        Some(say(format!("{:#010x}", argb(s.blend.constant))))
    }),
    row(name!(SET_LOGIC_OP_ENABLE), "blend.logic_op", |s, _| {
        Some(truth(u8::from(s.blend.logic_op != LogicOp::Off as u8)))
    }),
    row(name!(SET_LOGIC_OP), "blend.logic_op", |s, _| {
        when(s.blend.logic_op)?;
        word(&LOGIC_OP, s.blend.logic_op)
    }),
    row(name!(SET_COLOR_MASK), "blend.write_masks[0]", |s, _| {
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
    row(name!(SET_CULL_FACE_ENABLE), "raster.cull", |s, _| match s.raster.cull {
        0 => say("V_FALSE").or("or what is drawn are points, or outlines, whose faces are culled before"),
        _ => Some(say("V_TRUE")),
    }),
    row(name!(SET_CULL_FACE), "raster.cull", |s, _| {
        (s.raster.cull != Cull::None as u8).then_some(())?;
        word(&CULL, s.raster.cull)
    }),
    row(name!(SET_FRONT_FACE), "raster.front_ccw", |s, _| {
        Some(say(if s.raster.front_ccw != 0 { value!(FRONT_FACE::V_CCW) } else { value!(FRONT_FACE::V_CW) }))
    }),
    row(name!(SET_POLY_OFFSET_FILL_ENABLE), "raster.bias_enable", |s, _| match s.raster.bias_enable {
        0 => say("V_FALSE").or("or what is drawn are outlines"),
        _ => Some(say("V_TRUE")),
    }),
    row(name!(SET_POLYGON_OFFSET_SCALE_FACTOR), "raster.slope_bias", |s, _| {
        when(s.raster.bias_enable)?;
        float(s.raster.slope_bias)
    }),
    row(name!(SET_POLYGON_OFFSET_BIAS), "raster.depth_bias", |s, _| {
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
    row(name!(SET_SURFACE_COLOR_OFFSET), "render_targets.color[0]", |s, _| view(s, s.render_targets.color[0])),
    row(name!(SET_SURFACE_ZETA_OFFSET), "render_targets.depth", |s, _| view(s, s.render_targets.depth)),
    row(name!(SET_SURFACE_CLIP_HORIZONTAL), "scissor.rect", |s, _| {
        Some(say(format!("x {}, width {}", s.scissor.rect.x, s.scissor.rect.width)))
    })
    .with("in samples, inside of the surfaces"),
    row(name!(SET_SURFACE_CLIP_VERTICAL), "scissor.rect", |s, _| {
        Some(say(format!("y {}, height {}", s.scissor.rect.y, s.scissor.rect.height)))
    })
    .with("in samples, inside of the surfaces"),
    row(name!(SET_CLIP_MIN), "viewport.min_depth", |s, _| clip(s, s.viewport.min_depth)).with(CLIP),
    row(name!(SET_CLIP_MAX), "viewport.max_depth", |s, _| clip(s, s.viewport.max_depth)).with(CLIP),
];

const TEXTURE: &[Row] = &[
    row(name!(SET_TEXTURE_OFFSET[n]), "textures[{n}].texture", texture),
    row(name!(SET_TEXTURE_ADDRESS[n].U), "textures[{n}].sampler.address[0]", |s, n| {
        word(&ADDRESS, sampler(s, n)?.address[0])
    }),
    row(name!(SET_TEXTURE_ADDRESS[n].V), "textures[{n}].sampler.address[1]", |s, n| {
        word(&ADDRESS, sampler(s, n)?.address[1])
    }),
    row(name!(SET_TEXTURE_ADDRESS[n].P), "textures[{n}].sampler.address[2]", |s, n| {
        word(&ADDRESS, sampler(s, n)?.address[2])
    }),
    row(
        name!(SET_TEXTURE_FILTER[n].MIN),
        "textures[{n}].sampler.min, textures[{n}].sampler.mip, textures[{n}].sampler.mipmapped",
        |s, n| {
            let sampler = sampler(s, n)?;
            match (sampler.min, sampler.mipmapped, sampler.mip) {
                (0, 0, _) => say(decimal!(MIN_FILTER::BOX_LOD0))
                    .or("or CONVOLUTION_2D_LOD0 (7), or a format that cannot be filtered"),
                (_, 0, _) => Some(say(decimal!(MIN_FILTER::TENT_LOD0))),
                (0, _, 0) => say(decimal!(MIN_FILTER::BOX_NEARESTLOD)).or("or a format that cannot be filtered"),
                (_, _, 0) => Some(say(decimal!(MIN_FILTER::TENT_NEARESTLOD))),
                (0, ..) => Some(say(decimal!(MIN_FILTER::BOX_TENT_LOD))),
                _ => Some(say(decimal!(MIN_FILTER::TENT_TENT_LOD))),
            }
        },
    ),
    row(name!(SET_TEXTURE_FILTER[n].MAG), "textures[{n}].sampler.mag", |s, n| match sampler(s, n)?.mag {
        0 => say(decimal!(MAG_FILTER::BOX_LOD0)).or("or CONVOLUTION_2D_LOD0 (4), or a format that cannot be filtered"),
        _ => Some(say(decimal!(MAG_FILTER::TENT_LOD0))),
    }),
    row(name!(SET_TEXTURE_FILTER[n].MIPMAP_LOD_BIAS), "textures[{n}].sampler.lod_bias", |s, n| {
        float(sampler(s, n)?.lod_bias)
    }),
    row(name!(SET_TEXTURE_CONTROL0[n].MIN_LOD_CLAMP), "textures[{n}].sampler.min_lod", |s, n| {
        float(sampler(s, n)?.min_lod)
    }),
    row(name!(SET_TEXTURE_CONTROL0[n].MAX_LOD_CLAMP), "textures[{n}].sampler.max_lod", |s, n| {
        float(sampler(s, n)?.max_lod)
    }),
    row(name!(SET_TEXTURE_CONTROL0[n].LOG_MAX_ANISO), "textures[{n}].sampler.max_anisotropy", |s, n| {
        let most = sampler(s, n)?.max_anisotropy;
        let said = say(format!("{}", most.max(1.0).log2() as u32));
        if most <= 1.0 { said.or("or any where the filter is not linear") } else { Some(said) }
    }),
    row(name!(SET_TEXTURE_BORDER_COLOR[n]), "textures[{n}].sampler.border", |s, n| {
        let sampler = sampler(s, n)?;
        let used = sampler.address.contains(&(A::ClampToBorder as u8));
        used.then(|| say(format!("{:#010x}", argb(sampler.border))))
    }),
];
