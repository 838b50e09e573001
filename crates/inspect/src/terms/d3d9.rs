//! Direct3D 9: render states, sampler states, streams and targets. Values are the constants of the published headers.

use super::*;
use afterimage_stream::packets::{
    Address as A, BlendFactor as F, BlendOp, Compare, Cull, Fill, FogMode, LineMode, LogicOp, StencilOp as S,
};
use afterimage_stream::{TEXTURE_SLOTS, VERTEX_BUFFERS};

pub(super) const TABLES: &[Table] = &[
    Table { group: "Depth and stencil", count: 1, rows: DEPTH_STENCIL },
    Table { group: "Blending", count: 1, rows: BLENDING },
    Table { group: "Rasteriser", count: 1, rows: RASTER },
    Table { group: "Pixels", count: 1, rows: PIXELS },
    Table { group: "Texture stages", count: 8, rows: STAGES },
    Table { group: "Viewport", count: 1, rows: VIEWPORT },
    Table { group: "Render targets", count: 4, rows: TARGETS },
    Table { group: "Render targets", count: 1, rows: OTHER_TARGETS },
    Table { group: "Streams", count: VERTEX_BUFFERS, rows: STREAMS },
    Table { group: "Streams", count: 1, rows: INDICES },
    Table { group: "Sampler {n}", count: TEXTURE_SLOTS, rows: SAMPLER },
];

const COMPARE: Words = &[
    (Compare::Never as u8, "D3DCMP_NEVER", ""),
    (Compare::Less as u8, "D3DCMP_LESS", ""),
    (Compare::Equal as u8, "D3DCMP_EQUAL", ""),
    (Compare::LessEqual as u8, "D3DCMP_LESSEQUAL", ""),
    (Compare::Greater as u8, "D3DCMP_GREATER", ""),
    (Compare::NotEqual as u8, "D3DCMP_NOTEQUAL", ""),
    (Compare::GreaterEqual as u8, "D3DCMP_GREATEREQUAL", ""),
    (Compare::Always as u8, "D3DCMP_ALWAYS", ""),
];

const STENCIL_OP: Words = &[
    (S::Keep as u8, "D3DSTENCILOP_KEEP", ""),
    (S::Zero as u8, "D3DSTENCILOP_ZERO", ""),
    (S::Replace as u8, "D3DSTENCILOP_REPLACE", ""),
    (S::IncrementClamp as u8, "D3DSTENCILOP_INCRSAT", ""),
    (S::DecrementClamp as u8, "D3DSTENCILOP_DECRSAT", ""),
    (S::Invert as u8, "D3DSTENCILOP_INVERT", ""),
    (S::IncrementWrap as u8, "D3DSTENCILOP_INCR", ""),
    (S::DecrementWrap as u8, "D3DSTENCILOP_DECR", ""),
];

const BLEND: Words = &[
    (F::Zero as u8, "D3DBLEND_ZERO", "or D3DBLEND_INVDESTALPHA, D3DBLEND_SRCALPHASAT of a target without alpha"),
    (
        F::One as u8,
        "D3DBLEND_ONE",
        "or D3DBLEND_DESTALPHA of a target without alpha, or D3DBLEND_SRCCOLOR2, D3DBLEND_INVSRCCOLOR2, which are not supported",
    ),
    (F::SrcColor as u8, "D3DBLEND_SRCCOLOR", ""),
    (F::OneMinusSrcColor as u8, "D3DBLEND_INVSRCCOLOR", ""),
    (F::DstColor as u8, "D3DBLEND_DESTCOLOR", ""),
    (F::OneMinusDstColor as u8, "D3DBLEND_INVDESTCOLOR", ""),
    (F::SrcAlpha as u8, "D3DBLEND_SRCALPHA", ""),
    (F::OneMinusSrcAlpha as u8, "D3DBLEND_INVSRCALPHA", ""),
    (F::DstAlpha as u8, "D3DBLEND_DESTALPHA", ""),
    (F::OneMinusDstAlpha as u8, "D3DBLEND_INVDESTALPHA", ""),
    (F::ConstantColor as u8, "D3DBLEND_BLENDFACTOR", ""),
    (F::OneMinusConstantColor as u8, "D3DBLEND_INVBLENDFACTOR", ""),
    (F::SrcAlphaSaturate as u8, "D3DBLEND_SRCALPHASAT", ""),
];

const BLEND_OP: Words = &[
    (BlendOp::Add as u8, "D3DBLENDOP_ADD", ""),
    (BlendOp::Subtract as u8, "D3DBLENDOP_SUBTRACT", ""),
    (BlendOp::ReverseSubtract as u8, "D3DBLENDOP_REVSUBTRACT", ""),
    (BlendOp::Min as u8, "D3DBLENDOP_MIN", ""),
    (BlendOp::Max as u8, "D3DBLENDOP_MAX", ""),
];

const CULL: Words = &[
    (Cull::None as u8, "D3DCULL_NONE", ""),
    (Cull::Front as u8, "D3DCULL_CW", ""),
    (Cull::Back as u8, "D3DCULL_CCW", ""),
];

const FILL: Words = &[
    (Fill::Solid as u8, "D3DFILL_SOLID", ""),
    (Fill::Line as u8, "D3DFILL_WIREFRAME", ""),
    (Fill::Point as u8, "D3DFILL_POINT", ""),
];

const FOG: Words = &[
    (
        FogMode::Vertex as u8,
        "D3DFOG_NONE",
        "fog comes from the vertices: D3DRS_FOGVERTEXMODE, a colour's alpha or oFog",
    ),
    (FogMode::Exp as u8, "D3DFOG_EXP", "by z, as the projection leaves w at one"),
    (FogMode::Exp2 as u8, "D3DFOG_EXP2", "by z, as the projection leaves w at one"),
    (FogMode::Linear as u8, "D3DFOG_LINEAR", "by z, as the projection leaves w at one"),
    (FogMode::ExpW as u8, "D3DFOG_EXP", "by w"),
    (FogMode::Exp2W as u8, "D3DFOG_EXP2", "by w"),
    (FogMode::LinearW as u8, "D3DFOG_LINEAR", "by w"),
];

const ADDRESS: Words = &[
    (A::Repeat as u8, "D3DTADDRESS_WRAP", ""),
    (A::Mirror as u8, "D3DTADDRESS_MIRROR", ""),
    (A::ClampToEdge as u8, "D3DTADDRESS_CLAMP", ""),
    (A::ClampToBorder as u8, "D3DTADDRESS_BORDER", ""),
    (A::MirrorOnce as u8, "D3DTADDRESS_MIRRORONCE", ""),
];

const TRUTH: Words = &[(0, "FALSE", ""), (1, "TRUE", "")];

/// Only where stencils are tested.
fn stencil(state: &State) -> Option<()> {
    (state.depth_stencil.stencil_test != 0).then_some(())
}

/// Only where something is blended.
fn blends(state: &State) -> Option<()> {
    (state.blend.enable != 0).then_some(())
}

const DEPTH_STENCIL: &[Row] = &[
    row("D3DRS_ZENABLE", "depth_stencil.depth_test", |s, _| match s.depth_stencil.depth_test {
        0 => say("D3DZB_FALSE").or("or no depth surface is set"),
        _ => say("D3DZB_TRUE").or("or D3DZB_USEW"),
    }),
    row("D3DRS_ZWRITEENABLE", "depth_stencil.depth_write", |s, _| {
        (s.depth_stencil.depth_test != 0).then_some(())?;
        word(TRUTH, s.depth_stencil.depth_write)
    })
    .with("depth is written only with D3DRS_ZENABLE"),
    row("D3DRS_ZFUNC", "depth_stencil.depth_compare", |s, _| word(COMPARE, s.depth_stencil.depth_compare)),
    row("D3DRS_STENCILENABLE", "depth_stencil.stencil_test", |s, _| match s.depth_stencil.stencil_test {
        0 => say("FALSE").or("or the depth surface has no stencil"),
        _ => Some(say("TRUE")),
    }),
    row("D3DRS_STENCILFUNC", "depth_stencil.front.compare", |s, _| {
        stencil(s)?;
        word(COMPARE, s.depth_stencil.front.compare)
    }),
    row("D3DRS_STENCILFAIL", "depth_stencil.front.fail", |s, _| {
        stencil(s)?;
        word(STENCIL_OP, s.depth_stencil.front.fail)
    }),
    row("D3DRS_STENCILZFAIL", "depth_stencil.front.depth_fail", |s, _| {
        stencil(s)?;
        word(STENCIL_OP, s.depth_stencil.front.depth_fail)
    }),
    row("D3DRS_STENCILPASS", "depth_stencil.front.pass", |s, _| {
        stencil(s)?;
        word(STENCIL_OP, s.depth_stencil.front.pass)
    }),
    row("D3DRS_STENCILREF", "depth_stencil.reference", |s, _| {
        stencil(s)?;
        hex(s.depth_stencil.reference.into())
    })
    .with("the low eight bits"),
    row("D3DRS_STENCILMASK", "depth_stencil.read_mask", |s, _| {
        stencil(s)?;
        hex(s.depth_stencil.read_mask.into())
    })
    .with("the low eight bits"),
    row("D3DRS_STENCILWRITEMASK", "depth_stencil.write_mask", |s, _| {
        stencil(s)?;
        hex(s.depth_stencil.write_mask.into())
    })
    .with("the low eight bits"),
    row("D3DRS_TWOSIDEDSTENCILMODE", "depth_stencil.back", |s, _| {
        stencil(s)?;
        if s.depth_stencil.back == s.depth_stencil.front {
            say("FALSE").or("or TRUE with the same for both faces")
        } else {
            Some(say("TRUE"))
        }
    }),
    row("D3DRS_CCW_STENCILFUNC", "depth_stencil.back.compare", |s, _| {
        stencil(s)?;
        word(COMPARE, s.depth_stencil.back.compare)
    })
    .with("D3DRS_STENCILFUNC without D3DRS_TWOSIDEDSTENCILMODE"),
    row("D3DRS_CCW_STENCILFAIL", "depth_stencil.back.fail", |s, _| {
        stencil(s)?;
        word(STENCIL_OP, s.depth_stencil.back.fail)
    })
    .with("D3DRS_STENCILFAIL without D3DRS_TWOSIDEDSTENCILMODE"),
    row("D3DRS_CCW_STENCILZFAIL", "depth_stencil.back.depth_fail", |s, _| {
        stencil(s)?;
        word(STENCIL_OP, s.depth_stencil.back.depth_fail)
    })
    .with("D3DRS_STENCILZFAIL without D3DRS_TWOSIDEDSTENCILMODE"),
    row("D3DRS_CCW_STENCILPASS", "depth_stencil.back.pass", |s, _| {
        stencil(s)?;
        word(STENCIL_OP, s.depth_stencil.back.pass)
    })
    .with("D3DRS_STENCILPASS without D3DRS_TWOSIDEDSTENCILMODE"),
];

/// A pair of factors, of which one constant may stand for both.
fn source_factor(source: u8, destination: u8) -> Option<Said> {
    let said = word(BLEND, source)?;
    match (source, destination) {
        (a, b) if a == F::SrcAlpha as u8 && b == F::OneMinusSrcAlpha as u8 => {
            said.or("or D3DBLEND_BOTHSRCALPHA, which says the destination's too")
        }
        (a, b) if a == F::OneMinusSrcAlpha as u8 && b == F::SrcAlpha as u8 => {
            said.or("or D3DBLEND_BOTHINVSRCALPHA, which says the destination's too")
        }
        _ => Some(said),
    }
}

fn write_mask(state: &State, n: usize) -> Option<Said> {
    Some(bits(state.blend.write_masks[n].into(), &["RED", "GREEN", "BLUE", "ALPHA"]))
}

const BLENDING: &[Row] = &[
    row("D3DRS_ALPHABLENDENABLE", "blend.enable", |s, _| word(TRUTH, s.blend.enable)),
    row("D3DRS_SRCBLEND", "blend.src_color", |s, _| {
        blends(s)?;
        source_factor(s.blend.src_color, s.blend.dst_color)
    }),
    row("D3DRS_DESTBLEND", "blend.dst_color", |s, _| {
        blends(s)?;
        word(BLEND, s.blend.dst_color)
    }),
    row("D3DRS_BLENDOP", "blend.color_op", |s, _| {
        blends(s)?;
        word(BLEND_OP, s.blend.color_op)
    }),
    row("D3DRS_SEPARATEALPHABLENDENABLE", "blend.src_alpha, blend.dst_alpha, blend.alpha_op", |s, _| {
        blends(s)?;
        let b = &*s.blend;
        if [b.src_color, b.dst_color, b.color_op] == [b.src_alpha, b.dst_alpha, b.alpha_op] {
            say("FALSE").or("or TRUE with the same for alpha")
        } else {
            Some(say("TRUE"))
        }
    }),
    row("D3DRS_SRCBLENDALPHA", "blend.src_alpha", |s, _| {
        blends(s)?;
        source_factor(s.blend.src_alpha, s.blend.dst_alpha)
    })
    .with("D3DRS_SRCBLEND without D3DRS_SEPARATEALPHABLENDENABLE"),
    row("D3DRS_DESTBLENDALPHA", "blend.dst_alpha", |s, _| {
        blends(s)?;
        word(BLEND, s.blend.dst_alpha)
    })
    .with("D3DRS_DESTBLEND without D3DRS_SEPARATEALPHABLENDENABLE"),
    row("D3DRS_BLENDOPALPHA", "blend.alpha_op", |s, _| {
        blends(s)?;
        word(BLEND_OP, s.blend.alpha_op)
    })
    .with("D3DRS_BLENDOP without D3DRS_SEPARATEALPHABLENDENABLE"),
    row("D3DRS_BLENDFACTOR", "blend.constant", |s, _| {
        blends(s)?;
        Some(say(format!("{:#010x}", argb(s.blend.constant))))
    }),
    row("D3DRS_COLORWRITEENABLE", "blend.write_masks[0]", |s, _| write_mask(s, 0)),
    row("D3DRS_COLORWRITEENABLE1", "blend.write_masks[1]", |s, _| write_mask(s, 1)),
    row("D3DRS_COLORWRITEENABLE2", "blend.write_masks[2]", |s, _| write_mask(s, 2)),
    row("D3DRS_COLORWRITEENABLE3", "blend.write_masks[3]", |s, _| write_mask(s, 3)),
    row("logical operation", "blend.logic_op", |s, _| {
        (s.blend.logic_op != LogicOp::Off as u8).then(|| say(format!("{:?}", LogicOp::of(s.blend.logic_op))))
    }),
];

const RASTER: &[Row] = &[
    row("D3DRS_CULLMODE", "raster.cull", |s, _| word(CULL, s.raster.cull)),
    row("D3DRS_FILLMODE", "raster.fill", |s, _| word(FILL, s.raster.fill)),
    row("D3DRS_ANTIALIASEDLINEENABLE", "raster.line_mode", |s, _| {
        if s.raster.line_mode == LineMode::Smooth as u8 {
            return Some(say("TRUE"));
        }
        say("FALSE").or("or TRUE on a target of several samples a pixel")
    }),
    row("D3DRS_DEPTHBIAS", "raster.depth_bias", |s, _| float(s.raster.depth_bias)),
    row("D3DRS_SLOPESCALEDEPTHBIAS", "raster.slope_bias", |s, _| float(s.raster.slope_bias)),
    row("D3DRS_POINTSIZE", "raster.point_size", |s, _| float(s.raster.point_size)),
    row("D3DRS_POINTSIZE_MIN", "raster.point_size_min", |s, _| float(s.raster.point_size_min)),
    row("D3DRS_POINTSIZE_MAX", "raster.point_size_max", |s, _| float(s.raster.point_size_max)),
    row("D3DRS_MULTISAMPLEMASK", "raster.sample_mask", |s, _| match s.raster.sample_mask {
        u32::MAX => say("0xffffffff").or("or the target's samples cannot be masked"),
        mask => hex(mask),
    }),
    row("D3DRS_ADAPTIVETESS_Y", "raster.alpha_to_coverage", |s, _| {
        (s.raster.alpha_to_coverage != 0)
            .then_some(say("'ATOC'"))
            .and_then(|said| said.or("or D3DRS_POINTSIZE is 'A2M1': alpha to coverage"))
    }),
    row("D3DDECLUSAGE_POSITIONT", "raster.depth_clip", |s, _| match s.raster.depth_clip {
        0 => say("TRUE").or("or D3DFVF_XYZRHW: vertices are in window coordinates"),
        _ => None,
    }),
];

/// Only where there is fog by table or by vertex.
fn fogs(state: &State) -> Option<()> {
    (state.pixel_ops.fog != FogMode::None as u8).then_some(())
}

const PIXELS: &[Row] = &[
    row("D3DRS_ALPHATESTENABLE", "pixel_ops.alpha_compare", |s, _| {
        if s.pixel_ops.alpha_compare == Compare::Always as u8 {
            say("FALSE").or("or TRUE with D3DCMP_ALWAYS")
        } else {
            Some(say("TRUE"))
        }
    }),
    row("D3DRS_ALPHAFUNC", "pixel_ops.alpha_compare", |s, _| {
        let said = word(COMPARE, s.pixel_ops.alpha_compare)?;
        if s.pixel_ops.alpha_compare == Compare::Always as u8 {
            said.or("or anything without D3DRS_ALPHATESTENABLE")
        } else {
            Some(said)
        }
    }),
    row("D3DRS_ALPHAREF", "pixel_ops.alpha_ref", |s, _| {
        let shown = s.pixel_ops.alpha_compare != Compare::Always as u8 || s.pixel_ops.alpha_ref != 0.0;
        shown.then(|| say(format!("{:#x}", (s.pixel_ops.alpha_ref * 255.0 + 0.5) as u32)))
    }),
    row("D3DRS_FOGENABLE", "pixel_ops.fog", |s, _| match fogs(s) {
        Some(()) => Some(say("TRUE")),
        None => say("FALSE").or("or a pixel shader of model 3, which does fog itself"),
    }),
    row("D3DRS_FOGTABLEMODE", "pixel_ops.fog", |s, _| {
        fogs(s)?;
        word(FOG, s.pixel_ops.fog)
    }),
    row("D3DRS_FOGSTART", "pixel_ops.fog_start", |s, _| {
        let other = matches!(FogMode::of(s.pixel_ops.fog), FogMode::Linear | FogMode::LinearW | FogMode::Vertex);
        other.then(|| say(format!("{:?}", s.pixel_ops.fog_start)))
    }),
    row("D3DRS_FOGDENSITY", "pixel_ops.fog_start", |s, _| {
        use FogMode::{Exp, Exp2, Exp2W, ExpW};
        let density = matches!(FogMode::of(s.pixel_ops.fog), Exp | Exp2 | ExpW | Exp2W);
        density.then(|| say(format!("{:?}", s.pixel_ops.fog_start)))
    }),
    row("D3DRS_FOGEND", "pixel_ops.fog_end", |s, _| {
        fogs(s)?;
        float(s.pixel_ops.fog_end)
    }),
    row("D3DRS_FOGCOLOR", "pixel_ops.fog_color", |s, _| {
        fogs(s)?;
        Some(say(format!("{:#010x}", argb(s.pixel_ops.fog_color))))
    }),
    row("D3DRS_SHADEMODE", "pixel_ops.flat", |s, _| match s.pixel_ops.flat {
        0 => say("D3DSHADE_GOURAUD").or("or D3DSHADE_PHONG"),
        _ => Some(say("D3DSHADE_FLAT")),
    }),
    row("D3DRS_POINTSPRITEENABLE", "pixel_ops.point_sprite", |s, _| word(TRUTH, s.pixel_ops.point_sprite)),
    row("D3DRS_CLIPPLANEENABLE", "pixel_ops.clip_planes", |s, _| {
        const PLANES: [&str; 6] =
            ["D3DCLIPPLANE0", "D3DCLIPPLANE1", "D3DCLIPPLANE2", "D3DCLIPPLANE3", "D3DCLIPPLANE4", "D3DCLIPPLANE5"];
        Some(bits(s.pixel_ops.clip_planes.into(), &PLANES))
    }),
];

const STAGES: &[Row] = &[row("D3DTSS_TEXTURETRANSFORMFLAGS of stage {n}", "pixel_ops.projected", |s, n| {
    (s.pixel_ops.projected >> n & 1 != 0)
        .then_some(say("D3DTTFF_PROJECTED"))
        .and_then(|said| said.or("and a count: pixel shaders of model 1 divide by the fourth coordinate"))
})];

const VIEWPORT: &[Row] = &[
    // Pixel centres are at whole numbers in Direct3D 9, at halves in the host.
    row("D3DVIEWPORT9::X", "viewport.x", |s, _| float(s.viewport.x - 0.5)),
    row("D3DVIEWPORT9::Y", "viewport.y", |s, _| float(s.viewport.y - 0.5)),
    row("D3DVIEWPORT9::Width", "viewport.width", |s, _| float(s.viewport.width)),
    row("D3DVIEWPORT9::Height", "viewport.height", |s, _| float(s.viewport.height)),
    row("D3DVIEWPORT9::MinZ", "viewport.min_depth", |s, _| float(s.viewport.min_depth)),
    row("D3DVIEWPORT9::MaxZ", "viewport.max_depth", |s, _| float(s.viewport.max_depth))
        .with("at least a thousandth above MinZ"),
    row("SetScissorRect", "scissor.rect", |s, _| {
        let rect = s.scissor.rect;
        let (right, bottom) = (i64::from(rect.x) + i64::from(rect.width), i64::from(rect.y) + i64::from(rect.height));
        Some(say(format!("left {}, top {}, right {right}, bottom {bottom}", rect.x, rect.y)))
    })
    .with("D3DRS_SCISSORTESTENABLE's rectangle, cut by viewport and target"),
    row("D3DRS_SCISSORTESTENABLE", "scissor.rect", |s, _| {
        let (rect, viewport) = (s.scissor.rect, &*s.viewport);
        let first = [rect.x as f32 + 0.5, rect.y as f32 + 0.5] == [viewport.x, viewport.y];
        if first && [rect.width as f32, rect.height as f32] == [viewport.width, viewport.height] {
            say("FALSE").or("or TRUE with a rectangle that the viewport lies in")
        } else {
            say("TRUE").or("or FALSE with a viewport that is larger than the target")
        }
    }),
];

const TARGETS: &[Row] =
    &[row("SetRenderTarget({n})", "render_targets.color[{n}]", |s, n| view(s, s.render_targets.color[n]))];

const OTHER_TARGETS: &[Row] = &[
    row("SetDepthStencilSurface", "render_targets.depth", |s, _| view(s, s.render_targets.depth)),
    row("D3DRS_SRGBWRITEENABLE", "render_targets.srgb", |s, _| word(TRUTH, (s.render_targets.srgb != 0).into())),
];

const STREAMS: &[Row] = &[
    row("SetStreamSource({n})", "vertex_buffers[{n}]", |s, n| vertex_buffer(s, s.vertex_buffers.all().get(n)?)),
    row("SetStreamSourceFreq({n})", "vertex_input.attributes", |s, n| {
        let Created::VertexInput(attributes) = s.objects.get(s.vertex_input.id)? else { return None };
        let attribute = attributes.iter().find(|a| usize::from(a.slot) == n && a.per_instance != 0)?;
        Some(say(format!("D3DSTREAMSOURCE_INSTANCEDATA | {}", attribute.divisor)))
    }),
];

const INDICES: &[Row] = &[row("SetIndices", "index_buffer", |s, _| {
    let buffer = &*s.index_buffer;
    let format = if buffer.index_bytes == 4 { "D3DFMT_INDEX32" } else { "D3DFMT_INDEX16" };
    (!buffer.source.is_none()).then(|| say(format!("{}, {format}", buffer.source)))
})];

/// A filter within a level.
fn filter(linear: u8, max_anisotropy: f32) -> Option<Said> {
    match (linear, max_anisotropy > 1.0) {
        (0, false) => say("D3DTEXF_POINT").or("or D3DTEXF_NONE, or a format that cannot be filtered"),
        (0, true) => say("D3DTEXF_POINT").or("or D3DTEXF_NONE"),
        (_, false) => say("D3DTEXF_LINEAR").or(
            "or D3DTEXF_ANISOTROPIC with D3DSAMP_MAXANISOTROPY 1, or D3DTEXF_PYRAMIDALQUAD, D3DTEXF_GAUSSIANQUAD, \
             D3DTEXF_CONVOLUTIONMONO, which are taken as linear",
        ),
        (_, true) => {
            say("D3DTEXF_ANISOTROPIC").or("or D3DTEXF_LINEAR, where the other of the two is D3DTEXF_ANISOTROPIC")
        }
    }
}

const SAMPLER: &[Row] = &[
    row("SetTexture", "textures[{n}].texture", texture),
    row("D3DSAMP_ADDRESSU", "textures[{n}].sampler.address[0]", |s, n| word(ADDRESS, sampler(s, n)?.address[0])),
    row("D3DSAMP_ADDRESSV", "textures[{n}].sampler.address[1]", |s, n| word(ADDRESS, sampler(s, n)?.address[1])),
    row("D3DSAMP_ADDRESSW", "textures[{n}].sampler.address[2]", |s, n| word(ADDRESS, sampler(s, n)?.address[2])),
    row("D3DSAMP_BORDERCOLOR", "textures[{n}].sampler.border", |s, n| {
        let sampler = sampler(s, n)?;
        let used = sampler.address.contains(&(A::ClampToBorder as u8));
        used.then(|| say(format!("{:#010x}", argb(sampler.border))))
    }),
    row("D3DSAMP_MAGFILTER", "textures[{n}].sampler.mag", |s, n| {
        let sampler = sampler(s, n)?;
        filter(sampler.mag, sampler.max_anisotropy)
    }),
    row("D3DSAMP_MINFILTER", "textures[{n}].sampler.min", |s, n| {
        let sampler = sampler(s, n)?;
        filter(sampler.min, sampler.max_anisotropy)
    }),
    row("D3DSAMP_MIPFILTER", "textures[{n}].sampler.mip", |s, n| {
        let sampler = sampler(s, n)?;
        match (sampler.mipmapped, sampler.mip) {
            (0, _) => Some(say("D3DTEXF_NONE")),
            (_, 0) => Some(say("D3DTEXF_POINT")),
            _ => say("D3DTEXF_LINEAR").or("or another filter that is taken as linear"),
        }
    }),
    row("D3DSAMP_MIPMAPLODBIAS", "textures[{n}].sampler.lod_bias", |s, n| {
        let sampler = sampler(s, n)?;
        match (sampler.gather, sampler.mipmapped) {
            (0, 0) => None,
            (0, _) => float(sampler.lod_bias),
            _ => say("'GET4'").or("four texels for one"),
        }
    }),
    row("D3DSAMP_MAXMIPLEVEL", "textures[{n}].sampler.min_lod", |s, n| {
        let sampler = sampler(s, n)?;
        Some(say(format!("{}", sampler.min_lod as u32)))
    })
    .with("or SetLOD of the texture, where that is more"),
    row("D3DSAMP_MAXANISOTROPY", "textures[{n}].sampler.max_anisotropy", |s, n| {
        let sampler = sampler(s, n)?;
        (sampler.max_anisotropy > 1.0).then(|| say(format!("{}", sampler.max_anisotropy as u32)))
    }),
    row("D3DSAMP_SRGBTEXTURE", "textures[{n}].sampler.srgb", |s, n| word(TRUTH, sampler(s, n)?.srgb)),
    row("depth comparison", "textures[{n}].sampler.compare_enable", |s, n| {
        (sampler(s, n)?.compare_enable != 0).then(|| say("a lookup compares: the texture has a depth format"))
    }),
];
