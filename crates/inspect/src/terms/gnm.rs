//! GNM: fields of context registers and of S# descriptors. Values are the hardware's constants, as `afterimage-gnm-types` has them.

use super::*;
use afterimage_gnm_types::{enums, value};
use afterimage_stream::packets::{
    Address as A, BlendTarget, Cull, Fill, LogicOp, Provoking, StencilFace, StencilOp as S,
};
use afterimage_stream::{COMPUTE_SLOTS, TEXTURE_SLOTS};

pub(super) const TABLES: &[Table] = &[
    Table { group: "Depth and stencil", count: 1, rows: DEPTH_STENCIL },
    Table { group: "Colours", count: 1, rows: COLORS },
    Table { group: "Target {n}", count: 8, rows: TARGET },
    Table { group: "Rasteriser", count: 1, rows: RASTER },
    Table { group: "Viewport", count: 1, rows: VIEWPORT },
    Table { group: "Indices", count: 1, rows: INDICES },
    Table { group: "Texture slot {n}", count: TEXTURE_SLOTS, rows: SAMPLER },
];

/// Of dispatches.
pub(super) const COMPUTE: &[Table] =
    &[Table { group: "Texture slot {n}", count: COMPUTE_SLOTS, rows: COMPUTE_SAMPLER }];

/// The name of a register in the table, or of a field of one.
macro_rules! name {
    ($register:ident) => {{
        const _: u32 = afterimage_gnm_types::reg::$register;
        stringify!($register)
    }};
    ($register:ident.$field:ident) => {{
        const _: afterimage_gnm_types::Field = afterimage_gnm_types::reg::$register::$field;
        concat!(stringify!($register), ".", stringify!($field))
    }};
}
pub(super) use name;

/// The name of a field of samplers' descriptors.
macro_rules! of_sampler {
    ($field:ident) => {{
        const _: () = _ = afterimage_gnm_types::descriptors::sampler::$field;
        concat!("S#.", stringify!($field))
    }};
}

/// The name of a value, of one enumeration or another.
macro_rules! value {
    ($value:ident) => {{
        const _: u32 = afterimage_gnm_types::value::$value;
        stringify!($value)
    }};
}

const COMPARE: Words = names(enums::COMPARE_FRAG::ROWS);
const SAMPLE_COMPARE: Words = names(enums::DEPTH_COMPARE::ROWS);
const BLEND: Words = names(enums::BLEND_OP::ROWS);
const COMB: Words = names(enums::COMB_FUNC::ROWS);

/// Of brush and target are the same operations, of which a pixel shader says the brush.
const ROP3: Words = Words {
    notes: &[
        (LogicOp::Nor as u8, "or ROP3_NOR"),
        (LogicOp::AndInverted as u8, "or ROP3_AND_INVERTED"),
        (LogicOp::CopyInverted as u8, "or ROP3_COPY_INVERTED"),
        (LogicOp::AndReverse as u8, "or X_0X50"),
        (LogicOp::Xor as u8, "or ROP3_XOR"),
        (LogicOp::Nand as u8, "or ROP3_NAND"),
        (LogicOp::And as u8, "or X_0XA0"),
        (LogicOp::Equivalent as u8, "or X_0XA5"),
        (LogicOp::OrInverted as u8, "or ROP3_OR_INVERTED"),
        (LogicOp::OrReverse as u8, "or X_0XF5"),
        (LogicOp::Or as u8, "or X_0XFA"),
        (LogicOp::Off as u8, "or X_0XF0, or one that reads source, brush and target, which is not supported"),
    ],
    ..names(enums::ROP3::ROWS)
};

const CLAMP: Words = Words {
    notes: &[
        (
            A::MirrorOnce as u8,
            "or SQ_TEX_MIRROR_ONCE_HALF_BORDER, SQ_TEX_MIRROR_ONCE_BORDER, whose border is not supported",
        ),
        (A::ClampToBorder as u8, "or SQ_TEX_CLAMP_HALF_BORDER"),
    ],
    ..names(enums::TEX_CLAMP::ROWS)
};

/// Rows of operations that are the host's only with some values of `STENCILOPVAL`, so that the enumeration's rows cannot have them.
const STENCIL_OP: Words = Words {
    notes: &[
        (
            S::Keep as u8,
            "or STENCIL_ADD_CLAMP, STENCIL_SUB_CLAMP, STENCIL_ADD_WRAP, STENCIL_SUB_WRAP of 0, or an operation that draws before this one do, or one that is not supported",
        ),
        (
            S::Zero as u8,
            "or STENCIL_SUB_CLAMP, STENCIL_NOR of 0xff, or STENCIL_AND with a value, which the write mask has",
        ),
        (
            S::Replace as u8,
            "or STENCIL_REPLACE_OP, STENCIL_ONES, STENCIL_ADD_CLAMP of 0xff, STENCIL_NAND of 0, or STENCIL_OR with a value, which the write mask has",
        ),
        (S::IncrementClamp as u8, "of 1"),
        (S::DecrementClamp as u8, "of 1"),
        (
            S::Invert as u8,
            "or STENCIL_NAND of 0xff, STENCIL_NOR of 0, or STENCIL_XOR, STENCIL_XNOR with a value, which the write mask has",
        ),
        (S::IncrementWrap as u8, "of 1, or STENCIL_SUB_WRAP of 0xff"),
        (S::DecrementWrap as u8, "of 1, or STENCIL_ADD_WRAP of 0xff"),
    ],
    ..names(&[
        operation(value::STENCIL_KEEP, value!(STENCIL_KEEP), S::Keep),
        operation(value::STENCIL_ZERO, value!(STENCIL_ZERO), S::Zero),
        operation(value::STENCIL_REPLACE_TEST, value!(STENCIL_REPLACE_TEST), S::Replace),
        operation(value::STENCIL_ADD_CLAMP, value!(STENCIL_ADD_CLAMP), S::IncrementClamp),
        operation(value::STENCIL_SUB_CLAMP, value!(STENCIL_SUB_CLAMP), S::DecrementClamp),
        operation(value::STENCIL_INVERT, value!(STENCIL_INVERT), S::Invert),
        operation(value::STENCIL_ADD_WRAP, value!(STENCIL_ADD_WRAP), S::IncrementWrap),
        operation(value::STENCIL_SUB_WRAP, value!(STENCIL_SUB_WRAP), S::DecrementWrap),
    ])
};

const fn operation(value: u32, name: &'static str, host: S) -> Pair {
    Pair { value, name, host: host as u8 }
}

fn bit(on: bool) -> Option<Said> {
    Some(say(if on { "1" } else { "0" }))
}

fn when(on: u8) -> Option<()> {
    (on != 0).then_some(())
}

/// A face, where stencils are tested.
fn face(state: &State, back: bool) -> Option<StencilFace> {
    when(state.depth_stencil.stencil_test)?;
    Some(if back { state.depth_stencil.back } else { state.depth_stencil.front })
}

const DEPTH_STENCIL: &[Row] = &[
    row(name!(DB_DEPTH_CONTROL.Z_ENABLE), "depth_stencil.depth_test", |s, _| match s.depth_stencil.depth_test {
        0 => say("0").or("or no depth target is bound"),
        _ => Some(say("1")),
    }),
    row(name!(DB_DEPTH_CONTROL.Z_WRITE_ENABLE), "depth_stencil.depth_write", |s, _| {
        when(s.depth_stencil.depth_test)?;
        match s.depth_stencil.depth_write {
            0 => say("0").or("or DB_DEPTH_VIEW.Z_READ_ONLY is 1"),
            _ => Some(say("1")),
        }
    }),
    row(name!(DB_DEPTH_CONTROL.ZFUNC), "depth_stencil.depth_compare", |s, _| {
        when(s.depth_stencil.depth_test)?;
        word(&COMPARE, s.depth_stencil.depth_compare)
    }),
    row(name!(DB_DEPTH_CONTROL.STENCIL_ENABLE), "depth_stencil.stencil_test", |s, _| {
        match s.depth_stencil.stencil_test {
            0 => say("0").or("or the depth target has no stencil"),
            _ => Some(say("1")),
        }
    }),
    row(name!(DB_DEPTH_CONTROL.BACKFACE_ENABLE), "depth_stencil.back, depth_stencil.own_back.enable", |s, _| {
        if s.depth_stencil.own_back.enable == 0 && face(s, true)? == face(s, false)? {
            say("0").or("or 1 with the same for both faces")
        } else {
            Some(say("1"))
        }
    }),
    row(name!(DB_DEPTH_CONTROL.STENCILFUNC), "depth_stencil.front.compare", |s, _| {
        word(&COMPARE, face(s, false)?.compare)
    }),
    row(name!(DB_STENCIL_CONTROL.STENCILFAIL), "depth_stencil.front.fail", |s, _| {
        word(&STENCIL_OP, face(s, false)?.fail)
    }),
    row(name!(DB_STENCIL_CONTROL.STENCILZPASS), "depth_stencil.front.pass", |s, _| {
        word(&STENCIL_OP, face(s, false)?.pass)
    }),
    row(name!(DB_STENCIL_CONTROL.STENCILZFAIL), "depth_stencil.front.depth_fail", |s, _| {
        word(&STENCIL_OP, face(s, false)?.depth_fail)
    }),
    row(name!(DB_STENCILREFMASK.STENCILTESTVAL), "depth_stencil.reference", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.reference.into())
    })
    .with("or STENCILOPVAL, or 0xff, where an operation replaces by that"),
    row(name!(DB_STENCILREFMASK.STENCILMASK), "depth_stencil.read_mask", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.read_mask.into())
    }),
    row(name!(DB_STENCILREFMASK.STENCILWRITEMASK), "depth_stencil.write_mask", |s, _| {
        when(s.depth_stencil.stencil_test)?;
        hex(s.depth_stencil.write_mask.into())
    })
    .with("and the bits that operations with a value change; 0 with DB_DEPTH_VIEW.STENCIL_READ_ONLY"),
    row(name!(DB_DEPTH_CONTROL.STENCILFUNC_BF), "depth_stencil.back.compare", |s, _| {
        word(&COMPARE, face(s, true)?.compare)
    })
    .with("that of the front without BACKFACE_ENABLE"),
    row(name!(DB_STENCIL_CONTROL.STENCILFAIL_BF), "depth_stencil.back.fail", |s, _| {
        word(&STENCIL_OP, face(s, true)?.fail)
    })
    .with("that of the front without BACKFACE_ENABLE"),
    row(name!(DB_STENCIL_CONTROL.STENCILZPASS_BF), "depth_stencil.back.pass", |s, _| {
        word(&STENCIL_OP, face(s, true)?.pass)
    })
    .with("that of the front without BACKFACE_ENABLE"),
    row(name!(DB_STENCIL_CONTROL.STENCILZFAIL_BF), "depth_stencil.back.depth_fail", |s, _| {
        word(&STENCIL_OP, face(s, true)?.depth_fail)
    })
    .with("that of the front without BACKFACE_ENABLE"),
    row(name!(DB_STENCILREFMASK_BF.STENCILTESTVAL_BF), "depth_stencil.own_back.reference", |s, _| {
        when(s.depth_stencil.own_back.enable)?;
        hex(s.depth_stencil.own_back.reference.into())
    })
    .with("or STENCILOPVAL_BF, or 0xff, where an operation replaces by that"),
    row(name!(DB_STENCILREFMASK_BF.STENCILMASK_BF), "depth_stencil.own_back.read_mask", |s, _| {
        when(s.depth_stencil.own_back.enable)?;
        hex(s.depth_stencil.own_back.read_mask.into())
    }),
    row(name!(DB_STENCILREFMASK_BF.STENCILWRITEMASK_BF), "depth_stencil.own_back.write_mask", |s, _| {
        when(s.depth_stencil.own_back.enable)?;
        hex(s.depth_stencil.own_back.write_mask.into())
    }),
    row(name!(DB_DEPTH_CONTROL.DEPTH_BOUNDS_ENABLE), "depth_bounds.enable", |s, _| match s.depth_bounds.enable {
        0 => say("0").or("or no depth target is bound, or the device has no depth bounds"),
        _ => Some(say("1")),
    }),
    row(name!(DB_DEPTH_BOUNDS_MIN), "depth_bounds.min", |s, _| {
        when(u8::from(s.depth_bounds.enable != 0))?;
        float(s.depth_bounds.min)
    }),
    row(name!(DB_DEPTH_BOUNDS_MAX), "depth_bounds.max", |s, _| {
        when(u8::from(s.depth_bounds.enable != 0))?;
        float(s.depth_bounds.max)
    }),
    row(name!(DB_DEPTH_VIEW), "render_targets.depth", |s, _| view(s, s.render_targets.depth)),
];

const COLORS: &[Row] = &[
    row(name!(CB_COLOR_CONTROL.ROP3), "blend.logic_op", |s, _| word(&ROP3, s.blend.logic_op)),
    row(name!(CB_BLEND_RED), "blend.constant[0]", |s, _| float(s.blend.constant[0])),
    row(name!(CB_BLEND_GREEN), "blend.constant[1]", |s, _| float(s.blend.constant[1])),
    row(name!(CB_BLEND_BLUE), "blend.constant[2]", |s, _| float(s.blend.constant[2])),
    row(name!(CB_BLEND_ALPHA), "blend.constant[3]", |s, _| float(s.blend.constant[3])),
];

/// Blending of a target that is written.
fn target(state: &State, n: usize) -> Option<BlendTarget> {
    let blend = &*state.blend;
    let target = (**state.blend_targets).get(n).copied().unwrap_or(BlendTarget {
        enable: blend.enable,
        src_color: blend.src_color,
        dst_color: blend.dst_color,
        color_op: blend.color_op,
        src_alpha: blend.src_alpha,
        dst_alpha: blend.dst_alpha,
        alpha_op: blend.alpha_op,
        write_mask: blend.write_masks[n],
    });
    (target.write_mask != 0).then_some(target)
}

/// Blending of a target that blends.
fn blends(state: &State, n: usize) -> Option<BlendTarget> {
    target(state, n).filter(|target| target.enable != 0)
}

const TARGET: &[Row] = &[
    row(name!(CB_COLOR0_BASE), "render_targets.color[{n}]", |s, n| view(s, s.render_targets.color[n])).of_each(),
    row(name!(CB_TARGET_MASK.TARGET0_ENABLE), "blend.write_masks[{n}]", |s, n| {
        Some(bits(target(s, n)?.write_mask.into(), &["RED", "GREEN", "BLUE", "ALPHA"]))
    })
    .with("and CB_SHADER_MASK, and the channels that the format has")
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.ENABLE), "blend_targets[{n}].enable", |s, n| match target(s, n)?.enable {
        0 => say("0").or("or CB_COLOR_INFO.BLEND_BYPASS, or a format of integers"),
        _ => Some(say("1")),
    })
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.COLOR_SRCBLEND), "blend_targets[{n}].src_color", |s, n| {
        word(&BLEND, blends(s, n)?.src_color)
    })
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.COLOR_COMB_FCN), "blend_targets[{n}].color_op", |s, n| {
        word(&COMB, blends(s, n)?.color_op)
    })
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.COLOR_DESTBLEND), "blend_targets[{n}].dst_color", |s, n| {
        word(&BLEND, blends(s, n)?.dst_color)
    })
    .of_each(),
    row(
        name!(CB_BLEND0_CONTROL.SEPARATE_ALPHA_BLEND),
        "blend_targets[{n}].src_alpha, blend_targets[{n}].dst_alpha, blend_targets[{n}].alpha_op",
        |s, n| {
            let t = blends(s, n)?;
            if [t.src_color, t.dst_color, t.color_op] == [t.src_alpha, t.dst_alpha, t.alpha_op] {
                say("0").or("or 1 with the same for alpha")
            } else {
                Some(say("1"))
            }
        },
    )
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.ALPHA_SRCBLEND), "blend_targets[{n}].src_alpha", |s, n| {
        word(&BLEND, blends(s, n)?.src_alpha)
    })
    .with("COLOR_SRCBLEND without SEPARATE_ALPHA_BLEND")
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.ALPHA_COMB_FCN), "blend_targets[{n}].alpha_op", |s, n| {
        word(&COMB, blends(s, n)?.alpha_op)
    })
    .with("COLOR_COMB_FCN without SEPARATE_ALPHA_BLEND")
    .of_each(),
    row(name!(CB_BLEND0_CONTROL.ALPHA_DESTBLEND), "blend_targets[{n}].dst_alpha", |s, n| {
        word(&BLEND, blends(s, n)?.dst_alpha)
    })
    .with("COLOR_DESTBLEND without SEPARATE_ALPHA_BLEND")
    .of_each(),
];

/// Fill modes of a face, which count only with `POLY_MODE`. The table of fields has no names for them.
const PTYPE: Words = Words {
    rows: &[
        Pair { value: 0, name: "points", host: Fill::Point as u8 },
        Pair { value: 1, name: "lines", host: Fill::Line as u8 },
        Pair { value: 2, name: "triangles", host: Fill::Solid as u8 },
    ],
    text: |row| format!("{} ({})", row.value, row.name),
    notes: &[(Fill::Solid as u8, "or POLY_MODE is 0")],
};

/// Half a size as 12.4 fixed point.
fn half_size(pixels: f32) -> Option<Said> {
    Some(say(format!("{:#x}", (pixels * 8.0) as u32)))
}

const RASTER: &[Row] = &[
    row(name!(PA_SU_SC_MODE_CNTL.CULL_FRONT), "raster.cull", |s, _| bit(s.raster.cull == Cull::Front as u8)),
    row(name!(PA_SU_SC_MODE_CNTL.CULL_BACK), "raster.cull", |s, _| bit(s.raster.cull == Cull::Back as u8)),
    row(name!(PA_SU_SC_MODE_CNTL.FACE), "raster.front_ccw", |s, _| {
        Some(say(if s.raster.front_ccw != 0 { "0 (counter-clockwise)" } else { "1 (clockwise)" }))
    }),
    row(name!(PA_SU_SC_MODE_CNTL.POLYMODE_FRONT_PTYPE), "raster.fill", |s, _| word(&PTYPE, s.raster.fill)),
    row(name!(PA_SU_SC_MODE_CNTL.POLYMODE_BACK_PTYPE), "raster.fill_back", |s, _| word(&PTYPE, s.raster.fill_back)),
    row(name!(PA_SU_SC_MODE_CNTL.POLY_OFFSET_FRONT_ENABLE), "raster.bias_enable", |s, _| match s.raster.bias_enable {
        0 => Some(say("0")),
        _ => say("1").or("or POLY_OFFSET_BACK_ENABLE, or POLY_OFFSET_PARA_ENABLE for lines and points"),
    }),
    row(name!(PA_SU_POLY_OFFSET_FRONT_SCALE), "raster.slope_bias", |s, _| {
        when(s.raster.bias_enable)?;
        float(s.raster.slope_bias * 16.0)
    })
    .with("or PA_SU_POLY_OFFSET_BACK_SCALE, where only back faces have an offset"),
    row(name!(PA_SU_POLY_OFFSET_FRONT_OFFSET), "raster.depth_bias", |s, _| {
        when(s.raster.bias_enable)?;
        float(s.raster.depth_bias)
    })
    .with("times two to the power of POLY_OFFSET_NEG_NUM_DB_BITS; or PA_SU_POLY_OFFSET_BACK_OFFSET, where only back faces have an offset"),
    row(name!(PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST), "raster.provoking", |s, _| {
        bit(s.raster.provoking == Provoking::Last as u8)
    }),
    row(name!(PA_CL_CLIP_CNTL.ZCLIP_NEAR_DISABLE), "raster.depth_clip", |s, _| match s.raster.depth_clip {
        0 => say("1").or("or ZCLIP_FAR_DISABLE, or CLIP_DISABLE"),
        _ => Some(say("0")),
    }),
    row(name!(PA_SU_POINT_SIZE.WIDTH), "raster.point_size", |s, _| half_size(s.raster.point_size)),
    row(name!(PA_SU_POINT_MINMAX.MIN_SIZE), "raster.point_size_min", |s, _| half_size(s.raster.point_size_min)),
    row(name!(PA_SU_POINT_MINMAX.MAX_SIZE), "raster.point_size_max", |s, _| half_size(s.raster.point_size_max)),
    row(name!(PA_SU_LINE_CNTL.WIDTH), "raster.line_width", |s, _| half_size(s.raster.line_width)),
    row(name!(PA_SC_AA_MASK_X0Y0_X1Y0.AA_MASK_X0Y0), "raster.sample_mask", |s, _| hex(s.raster.sample_mask)),
    row(name!(DB_ALPHA_TO_MASK.ALPHA_TO_MASK_ENABLE), "raster.alpha_to_coverage", |s, _| bit(s.raster.alpha_to_coverage != 0)),
];

const VIEWPORT: &[Row] = &[
    row(name!(PA_CL_VPORT_XSCALE), "viewport.width", |s, _| float(s.viewport.width / 2.0)).with("or its negative"),
    row(name!(PA_CL_VPORT_XOFFSET), "viewport.x", |s, _| float(s.viewport.x + s.viewport.width / 2.0))
        .with("half a pixel more than the register without PA_SU_VTX_CNTL.PIX_CENTER"),
    row(name!(PA_CL_VPORT_YSCALE), "viewport.height", |s, _| float(s.viewport.height / 2.0)).with("or its negative"),
    row(name!(PA_CL_VPORT_YOFFSET), "viewport.y", |s, _| float(s.viewport.y + s.viewport.height / 2.0))
        .with("half a pixel more than the register without PA_SU_VTX_CNTL.PIX_CENTER"),
    row(name!(PA_CL_VPORT_ZSCALE), "viewport.max_depth", |s, _| float(s.viewport.max_depth - s.viewport.min_depth))
        .with("half of it without PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF"),
    row(name!(PA_CL_VPORT_ZOFFSET), "viewport.min_depth", |s, _| float(s.viewport.min_depth))
        .with("the middle of both depths without PA_CL_CLIP_CNTL.DX_CLIP_SPACE_DEF"),
    row(name!(PA_SC_GENERIC_SCISSOR_TL), "scissor.rect", |s, _| {
        Some(say(format!("TL_X {}, TL_Y {}", s.scissor.rect.x, s.scissor.rect.y)))
    })
    .with("what all scissors and clip rectangles leave of the targets"),
    row(name!(PA_SC_GENERIC_SCISSOR_BR), "scissor.rect", |s, _| {
        let rect = s.scissor.rect;
        let (right, bottom) = (i64::from(rect.x) + i64::from(rect.width), i64::from(rect.y) + i64::from(rect.height));
        Some(say(format!("BR_X {right}, BR_Y {bottom}")))
    })
    .with("what all scissors and clip rectangles leave of the targets"),
];

/// Of draws with indices; others leave the last ones bound.
const INDICES: &[Row] = &[
    row(name!(VGT_DMA_BASE), "index_buffer.source, index_buffer.offset", |s, _| {
        let indices = &*s.index_buffer;
        let place = gnm_shaders::place(s, indices.source, indices.offset);
        (!indices.source.is_none()).then(|| say(place.strip_prefix("BASE_ADDRESS ").unwrap_or(&place)))
    })
    .with("or where indices are that were made of those there"),
    row(name!(VGT_DMA_INDEX_TYPE.INDEX_TYPE), "index_buffer.index_bytes", |s, _| {
        let indices = &*s.index_buffer;
        (!indices.source.is_none()).then_some(())?;
        match indices.index_bytes {
            4 => say(value!(VGT_INDEX_32)).or("or any other, where indices were made of those there"),
            _ => Some(say(value!(VGT_INDEX_16))),
        }
    }),
];

/// A filter within a level.
fn filter(linear: u8, max_anisotropy: f32) -> Option<Said> {
    match (linear, max_anisotropy > 1.0) {
        (0, false) => say(value!(SQ_TEX_XY_FILTER_POINT)).or("or SQ_TEX_XY_FILTER_ANISO_POINT with a ratio of 1"),
        (_, false) => say(value!(SQ_TEX_XY_FILTER_BILINEAR)).or("or SQ_TEX_XY_FILTER_ANISO_BILINEAR with a ratio of 1"),
        (0, true) => say(value!(SQ_TEX_XY_FILTER_ANISO_POINT)).or("or SQ_TEX_XY_FILTER_POINT beside the other"),
        (_, true) => say(value!(SQ_TEX_XY_FILTER_ANISO_BILINEAR)).or("or SQ_TEX_XY_FILTER_BILINEAR beside the other"),
    }
}

fn compute_sampler(state: &State, slot: usize) -> Option<&CreateSampler> {
    match state.objects.get(state.compute_textures.all().get(slot)?.sampler)? {
        Created::Sampler(sampler) => Some(sampler),
        _ => None,
    }
}

fn compute_texture(state: &State, slot: usize) -> Option<Said> {
    let id = state.compute_textures.all().get(slot)?.texture;
    (!id.is_none()).then(|| say(texture_text(state, id)))
}

/// The rows of slots of draws, or of dispatches.
macro_rules! samplers {
    ($name:ident, $slots:literal, $sampler:ident, $texture:ident) => {
        const $name: &[Row] = &[
            row("T#", concat!($slots, "[{n}].texture"), $texture),
            row(of_sampler!(CLAMP_X), concat!($slots, "[{n}].sampler.address[0]"), |s, n| {
                word(&CLAMP, $sampler(s, n)?.address[0])
            }),
            row(of_sampler!(CLAMP_Y), concat!($slots, "[{n}].sampler.address[1]"), |s, n| {
                word(&CLAMP, $sampler(s, n)?.address[1])
            }),
            row(of_sampler!(CLAMP_Z), concat!($slots, "[{n}].sampler.address[2]"), |s, n| {
                word(&CLAMP, $sampler(s, n)?.address[2])
            }),
            row(of_sampler!(XY_MAG_FILTER), concat!($slots, "[{n}].sampler.mag"), |s, n| {
                let sampler = $sampler(s, n)?;
                filter(sampler.mag, sampler.max_anisotropy)
            }),
            row(of_sampler!(XY_MIN_FILTER), concat!($slots, "[{n}].sampler.min"), |s, n| {
                let sampler = $sampler(s, n)?;
                filter(sampler.min, sampler.max_anisotropy)
            }),
            row(of_sampler!(MIP_FILTER), concat!($slots, "[{n}].sampler.mip"), |s, n| {
                let sampler = $sampler(s, n)?;
                Some(say(match (sampler.mipmapped, sampler.mip) {
                    (0, _) => value!(SQ_TEX_MIP_FILTER_NONE),
                    (_, 0) => value!(SQ_TEX_MIP_FILTER_POINT),
                    _ => value!(SQ_TEX_MIP_FILTER_LINEAR),
                }))
            }),
            row(of_sampler!(MAX_ANISO_RATIO), concat!($slots, "[{n}].sampler.max_anisotropy"), |s, n| {
                let most = $sampler(s, n)?.max_anisotropy;
                let said = say(format!("{}", most.max(1.0).log2() as u32));
                if most <= 1.0 { said.or("or any without anisotropic filters") } else { Some(said) }
            }),
            row(of_sampler!(DEPTH_COMPARE_FUNC), concat!($slots, "[{n}].sampler.compare"), |s, n| {
                let sampler = $sampler(s, n)?;
                when(sampler.compare_enable)?;
                word(&SAMPLE_COMPARE, sampler.compare)
            }),
            row(of_sampler!(FORCE_DEGAMMA), concat!($slots, "[{n}].sampler.srgb"), |s, n| match $sampler(s, n)?.srgb {
                0 => Some(say("0")),
                _ => say("1").or("or the image is IMG_NUM_FORMAT_SRGB"),
            }),
            row(of_sampler!(FILTER_MODE), concat!($slots, "[{n}].sampler.flags"), |s, n| {
                Some(say(match $sampler(s, n)?.flags & (CreateSampler::MINIMUM | CreateSampler::MAXIMUM) {
                    CreateSampler::MINIMUM => "1 (minimum)",
                    CreateSampler::MAXIMUM => "2 (maximum)",
                    _ => "0 (blend)",
                }))
            }),
            row(of_sampler!(MIN_LOD), concat!($slots, "[{n}].sampler.min_lod"), |s, n| {
                Some(say(format!("{:#x}", ($sampler(s, n)?.min_lod * 256.0) as u32)))
            })
            .with("or the T#'s MIN_LOD, where that is more"),
            row(of_sampler!(MAX_LOD), concat!($slots, "[{n}].sampler.max_lod"), |s, n| {
                Some(say(format!("{:#x}", ($sampler(s, n)?.max_lod * 256.0) as u32)))
            }),
            row(of_sampler!(LOD_BIAS), concat!($slots, "[{n}].sampler.lod_bias"), |s, n| {
                Some(say(format!("{:#x}", (($sampler(s, n)?.lod_bias * 256.0) as i32 & 0x3FFF))))
            }),
            row(of_sampler!(BORDER_COLOR_TYPE), concat!($slots, "[{n}].sampler.border"), |s, n| {
                let sampler = $sampler(s, n)?;
                let one = if sampler.flags & CreateSampler::INTEGER_BORDER != 0 { f32::from_bits(1) } else { 1.0 };
                let border = sampler.border;
                if border == [0.0; 4] {
                    Some(say(value!(SQ_TEX_BORDER_COLOR_TRANS_BLACK)))
                } else if border == [0.0, 0.0, 0.0, one] {
                    Some(say(value!(SQ_TEX_BORDER_COLOR_OPAQUE_BLACK)))
                } else if border == [one; 4] {
                    Some(say(value!(SQ_TEX_BORDER_COLOR_OPAQUE_WHITE)))
                } else {
                    Some(say(format!("SQ_TEX_BORDER_COLOR_REGISTER: {}", register(border.map(f32::to_bits)))))
                }
            })
            .with("or SQ_TEX_BORDER_COLOR_REGISTER with that colour"),
        ];
    };
}

samplers!(SAMPLER, "textures", sampler, texture);
samplers!(COMPUTE_SAMPLER, "compute_textures", compute_sampler, compute_texture);
