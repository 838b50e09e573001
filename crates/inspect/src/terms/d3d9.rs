//! Direct3D 9: render states, sampler states, streams and targets. Values are the constants of the published headers.

use super::*;
use afterimage_d3d9_types::host;
use afterimage_stream::packets::{Address as A, BlendFactor as F, Compare, FogMode, LineMode, LogicOp};
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

const COMPARE: Words = names(host::D3DCMPFUNC::ROWS);
const STENCIL_OP: Words = names(host::D3DSTENCILOP::ROWS);
const BLEND_OP: Words = names(host::D3DBLENDOP::ROWS);
const CULL: Words = names(host::D3DCULL::ROWS);
const FILL: Words = names(host::D3DFILLMODE::ROWS);
const ADDRESS: Words = names(host::D3DTEXTUREADDRESS::ROWS);

/// Factors. The target's format decides what some of them become.
const BLEND: Words = Words {
    notes: &[
        (F::Zero as u8, "or D3DBLEND_INVDESTALPHA, D3DBLEND_SRCALPHASAT of a target without alpha"),
        (
            F::One as u8,
            "or D3DBLEND_DESTALPHA of a target without alpha, or D3DBLEND_SRCCOLOR2, D3DBLEND_INVSRCCOLOR2, which are not supported",
        ),
    ],
    ..names(host::D3DBLEND::ROWS)
};

/// Fog by the depth. The projection decides whether it is by w.
const FOG: Words = Words {
    notes: &[
        (FogMode::Vertex as u8, "fog comes from the vertices: D3DRS_FOGVERTEXMODE, a colour's alpha or oFog"),
        (FogMode::Exp as u8, BY_DEPTH),
        (FogMode::Exp2 as u8, BY_DEPTH),
        (FogMode::Linear as u8, BY_DEPTH),
    ],
    ..names(host::D3DFOGMODE::ROWS)
};

const BY_DEPTH: &str = "by z, as the projection leaves w at one";

/// The name of a published constant.
macro_rules! constant {
    ($constant:ident) => {{
        const _: u32 = afterimage_d3d9_types::$constant;
        stringify!($constant)
    }};
}
pub(super) use constant;

/// The name of a member of a published structure.
macro_rules! member {
    ($structure:ident::$member:ident) => {{
        const _: usize = core::mem::offset_of!(afterimage_d3d9_types::$structure, $member);
        concat!(stringify!($structure), "::", stringify!($member))
    }};
}
pub(super) use member;

fn truth(on: u8) -> Option<Said> {
    Some(say(if on != 0 { "TRUE" } else { "FALSE" }))
}

/// Only where stencils are tested.
fn stencil(state: &State) -> Option<()> {
    (state.depth_stencil.stencil_test != 0).then_some(())
}

/// Only where something is blended.
fn blends(state: &State) -> Option<()> {
    (state.blend.enable != 0).then_some(())
}

const DEPTH_STENCIL: &[Row] = &[
    row(constant!(D3DRS_ZENABLE), "depth_stencil.depth_test", |s, _| match s.depth_stencil.depth_test {
        0 => say(constant!(D3DZB_FALSE)).or("or no depth surface is set"),
        _ => say(constant!(D3DZB_TRUE)).or("or D3DZB_USEW"),
    }),
    row(constant!(D3DRS_ZWRITEENABLE), "depth_stencil.depth_write", |s, _| {
        (s.depth_stencil.depth_test != 0).then_some(())?;
        truth(s.depth_stencil.depth_write)
    })
    .with("depth is written only with D3DRS_ZENABLE"),
    row(constant!(D3DRS_ZFUNC), "depth_stencil.depth_compare", |s, _| word(&COMPARE, s.depth_stencil.depth_compare)),
    row(constant!(D3DRS_STENCILENABLE), "depth_stencil.stencil_test", |s, _| match s.depth_stencil.stencil_test {
        0 => say("FALSE").or("or the depth surface has no stencil"),
        _ => Some(say("TRUE")),
    }),
    row(constant!(D3DRS_STENCILFUNC), "depth_stencil.front.compare", |s, _| {
        stencil(s)?;
        word(&COMPARE, s.depth_stencil.front.compare)
    }),
    row(constant!(D3DRS_STENCILFAIL), "depth_stencil.front.fail", |s, _| {
        stencil(s)?;
        word(&STENCIL_OP, s.depth_stencil.front.fail)
    }),
    row(constant!(D3DRS_STENCILZFAIL), "depth_stencil.front.depth_fail", |s, _| {
        stencil(s)?;
        word(&STENCIL_OP, s.depth_stencil.front.depth_fail)
    }),
    row(constant!(D3DRS_STENCILPASS), "depth_stencil.front.pass", |s, _| {
        stencil(s)?;
        word(&STENCIL_OP, s.depth_stencil.front.pass)
    }),
    row(constant!(D3DRS_STENCILREF), "depth_stencil.reference", |s, _| {
        stencil(s)?;
        hex(s.depth_stencil.reference.into())
    })
    .with("the low eight bits"),
    row(constant!(D3DRS_STENCILMASK), "depth_stencil.read_mask", |s, _| {
        stencil(s)?;
        hex(s.depth_stencil.read_mask.into())
    })
    .with("the low eight bits"),
    row(constant!(D3DRS_STENCILWRITEMASK), "depth_stencil.write_mask", |s, _| {
        stencil(s)?;
        hex(s.depth_stencil.write_mask.into())
    })
    .with("the low eight bits"),
    row(constant!(D3DRS_TWOSIDEDSTENCILMODE), "depth_stencil.back", |s, _| {
        stencil(s)?;
        if s.depth_stencil.back == s.depth_stencil.front {
            say("FALSE").or("or TRUE with the same for both faces")
        } else {
            Some(say("TRUE"))
        }
    }),
    row(constant!(D3DRS_CCW_STENCILFUNC), "depth_stencil.back.compare", |s, _| {
        stencil(s)?;
        word(&COMPARE, s.depth_stencil.back.compare)
    })
    .with("D3DRS_STENCILFUNC without D3DRS_TWOSIDEDSTENCILMODE"),
    row(constant!(D3DRS_CCW_STENCILFAIL), "depth_stencil.back.fail", |s, _| {
        stencil(s)?;
        word(&STENCIL_OP, s.depth_stencil.back.fail)
    })
    .with("D3DRS_STENCILFAIL without D3DRS_TWOSIDEDSTENCILMODE"),
    row(constant!(D3DRS_CCW_STENCILZFAIL), "depth_stencil.back.depth_fail", |s, _| {
        stencil(s)?;
        word(&STENCIL_OP, s.depth_stencil.back.depth_fail)
    })
    .with("D3DRS_STENCILZFAIL without D3DRS_TWOSIDEDSTENCILMODE"),
    row(constant!(D3DRS_CCW_STENCILPASS), "depth_stencil.back.pass", |s, _| {
        stencil(s)?;
        word(&STENCIL_OP, s.depth_stencil.back.pass)
    })
    .with("D3DRS_STENCILPASS without D3DRS_TWOSIDEDSTENCILMODE"),
];

/// A pair of factors, of which one constant may stand for both.
fn source_factor(source: u8, destination: u8) -> Option<Said> {
    let said = word(&BLEND, source)?;
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
    row(constant!(D3DRS_ALPHABLENDENABLE), "blend.enable", |s, _| truth(s.blend.enable)),
    row(constant!(D3DRS_SRCBLEND), "blend.src_color", |s, _| {
        blends(s)?;
        source_factor(s.blend.src_color, s.blend.dst_color)
    }),
    row(constant!(D3DRS_DESTBLEND), "blend.dst_color", |s, _| {
        blends(s)?;
        word(&BLEND, s.blend.dst_color)
    }),
    row(constant!(D3DRS_BLENDOP), "blend.color_op", |s, _| {
        blends(s)?;
        word(&BLEND_OP, s.blend.color_op)
    }),
    row(constant!(D3DRS_SEPARATEALPHABLENDENABLE), "blend.src_alpha, blend.dst_alpha, blend.alpha_op", |s, _| {
        blends(s)?;
        let b = &*s.blend;
        if [b.src_color, b.dst_color, b.color_op] == [b.src_alpha, b.dst_alpha, b.alpha_op] {
            say("FALSE").or("or TRUE with the same for alpha")
        } else {
            Some(say("TRUE"))
        }
    }),
    row(constant!(D3DRS_SRCBLENDALPHA), "blend.src_alpha", |s, _| {
        blends(s)?;
        source_factor(s.blend.src_alpha, s.blend.dst_alpha)
    })
    .with("D3DRS_SRCBLEND without D3DRS_SEPARATEALPHABLENDENABLE"),
    row(constant!(D3DRS_DESTBLENDALPHA), "blend.dst_alpha", |s, _| {
        blends(s)?;
        word(&BLEND, s.blend.dst_alpha)
    })
    .with("D3DRS_DESTBLEND without D3DRS_SEPARATEALPHABLENDENABLE"),
    row(constant!(D3DRS_BLENDOPALPHA), "blend.alpha_op", |s, _| {
        blends(s)?;
        word(&BLEND_OP, s.blend.alpha_op)
    })
    .with("D3DRS_BLENDOP without D3DRS_SEPARATEALPHABLENDENABLE"),
    row(constant!(D3DRS_BLENDFACTOR), "blend.constant", |s, _| {
        blends(s)?;
        Some(say(format!("{:#010x}", argb(s.blend.constant))))
    }),
    row(constant!(D3DRS_COLORWRITEENABLE), "blend.write_masks[0]", |s, _| write_mask(s, 0)),
    row(constant!(D3DRS_COLORWRITEENABLE1), "blend.write_masks[1]", |s, _| write_mask(s, 1)),
    row(constant!(D3DRS_COLORWRITEENABLE2), "blend.write_masks[2]", |s, _| write_mask(s, 2)),
    row(constant!(D3DRS_COLORWRITEENABLE3), "blend.write_masks[3]", |s, _| write_mask(s, 3)),
    row("logical operation", "blend.logic_op", |s, _| {
        (s.blend.logic_op != LogicOp::Off as u8).then(|| say(format!("{:?}", LogicOp::of(s.blend.logic_op))))
    }),
];

const RASTER: &[Row] = &[
    row(constant!(D3DRS_CULLMODE), "raster.cull", |s, _| word(&CULL, s.raster.cull)),
    row(constant!(D3DRS_FILLMODE), "raster.fill", |s, _| word(&FILL, s.raster.fill)),
    row(constant!(D3DRS_ANTIALIASEDLINEENABLE), "raster.line_mode", |s, _| {
        if s.raster.line_mode == LineMode::Smooth as u8 {
            return Some(say("TRUE"));
        }
        say("FALSE").or("or TRUE on a target of several samples a pixel")
    }),
    row(constant!(D3DRS_DEPTHBIAS), "raster.depth_bias", |s, _| float(s.raster.depth_bias)),
    row(constant!(D3DRS_SLOPESCALEDEPTHBIAS), "raster.slope_bias", |s, _| float(s.raster.slope_bias)),
    row(constant!(D3DRS_POINTSIZE), "raster.point_size", |s, _| float(s.raster.point_size)),
    row(constant!(D3DRS_POINTSIZE_MIN), "raster.point_size_min", |s, _| float(s.raster.point_size_min)),
    row(constant!(D3DRS_POINTSIZE_MAX), "raster.point_size_max", |s, _| float(s.raster.point_size_max)),
    row(constant!(D3DRS_MULTISAMPLEMASK), "raster.sample_mask", |s, _| match s.raster.sample_mask {
        u32::MAX => say("0xffffffff").or("or the target's samples cannot be masked"),
        mask => hex(mask),
    }),
    row(constant!(D3DRS_ADAPTIVETESS_Y), "raster.alpha_to_coverage", |s, _| {
        (s.raster.alpha_to_coverage != 0)
            .then_some(say("'ATOC'"))
            .and_then(|said| said.or("or D3DRS_POINTSIZE is 'A2M1': alpha to coverage"))
    }),
    row(constant!(D3DDECLUSAGE_POSITIONT), "raster.depth_clip", |s, _| match s.raster.depth_clip {
        0 => say("TRUE").or("or D3DFVF_XYZRHW: vertices are in window coordinates"),
        _ => None,
    }),
];

/// Only where there is fog by table or by vertex.
fn fogs(state: &State) -> Option<()> {
    (state.pixel_ops.fog != FogMode::None as u8).then_some(())
}

const PIXELS: &[Row] = &[
    row(constant!(D3DRS_ALPHATESTENABLE), "pixel_ops.alpha_compare", |s, _| {
        if s.pixel_ops.alpha_compare == Compare::Always as u8 {
            say("FALSE").or("or TRUE with D3DCMP_ALWAYS")
        } else {
            Some(say("TRUE"))
        }
    }),
    row(constant!(D3DRS_ALPHAFUNC), "pixel_ops.alpha_compare", |s, _| {
        let said = word(&COMPARE, s.pixel_ops.alpha_compare)?;
        if s.pixel_ops.alpha_compare == Compare::Always as u8 {
            said.or("or anything without D3DRS_ALPHATESTENABLE")
        } else {
            Some(said)
        }
    }),
    row(constant!(D3DRS_ALPHAREF), "pixel_ops.alpha_ref", |s, _| {
        let shown = s.pixel_ops.alpha_compare != Compare::Always as u8 || s.pixel_ops.alpha_ref != 0.0;
        shown.then(|| say(format!("{:#x}", (s.pixel_ops.alpha_ref * 255.0 + 0.5) as u32)))
    }),
    row(constant!(D3DRS_FOGENABLE), "pixel_ops.fog", |s, _| match fogs(s) {
        Some(()) => Some(say("TRUE")),
        None => say("FALSE").or("or a pixel shader of model 3, which does fog itself"),
    }),
    row(constant!(D3DRS_FOGTABLEMODE), "pixel_ops.fog", |s, _| {
        fogs(s)?;
        let mode = FogMode::of(s.pixel_ops.fog);
        let said = word(&FOG, mode.of_depth() as u8)?;
        if mode == mode.of_depth() { Some(said) } else { said.or("by w") }
    }),
    row(constant!(D3DRS_FOGSTART), "pixel_ops.fog_start", |s, _| {
        let other = matches!(FogMode::of(s.pixel_ops.fog), FogMode::Linear | FogMode::LinearW | FogMode::Vertex);
        other.then(|| say(format!("{:?}", s.pixel_ops.fog_start)))
    }),
    row(constant!(D3DRS_FOGDENSITY), "pixel_ops.fog_start", |s, _| {
        use FogMode::{Exp, Exp2, Exp2W, ExpW};
        let density = matches!(FogMode::of(s.pixel_ops.fog), Exp | Exp2 | ExpW | Exp2W);
        density.then(|| say(format!("{:?}", s.pixel_ops.fog_start)))
    }),
    row(constant!(D3DRS_FOGEND), "pixel_ops.fog_end", |s, _| {
        fogs(s)?;
        float(s.pixel_ops.fog_end)
    }),
    row(constant!(D3DRS_FOGCOLOR), "pixel_ops.fog_color", |s, _| {
        fogs(s)?;
        Some(say(format!("{:#010x}", argb(s.pixel_ops.fog_color))))
    }),
    row(constant!(D3DRS_SHADEMODE), "pixel_ops.flat", |s, _| match s.pixel_ops.flat {
        0 => say(constant!(D3DSHADE_GOURAUD)).or("or D3DSHADE_PHONG"),
        _ => Some(say(constant!(D3DSHADE_FLAT))),
    }),
    row(constant!(D3DRS_POINTSPRITEENABLE), "pixel_ops.point_sprite", |s, _| truth(s.pixel_ops.point_sprite)),
    row(constant!(D3DRS_CLIPPLANEENABLE), "pixel_ops.clip_planes", |s, _| {
        const PLANES: [&str; 6] = [
            constant!(D3DCLIPPLANE0),
            constant!(D3DCLIPPLANE1),
            constant!(D3DCLIPPLANE2),
            constant!(D3DCLIPPLANE3),
            constant!(D3DCLIPPLANE4),
            constant!(D3DCLIPPLANE5),
        ];
        Some(bits(s.pixel_ops.clip_planes.into(), &PLANES))
    }),
];

const STAGES: &[Row] = &[row("D3DTSS_TEXTURETRANSFORMFLAGS of stage {n}", "pixel_ops.projected", |s, n| {
    (s.pixel_ops.projected >> n & 1 != 0)
        .then_some(say(constant!(D3DTTFF_PROJECTED)))
        .and_then(|said| said.or("and a count: pixel shaders of model 1 divide by the fourth coordinate"))
})];

const VIEWPORT: &[Row] = &[
    // Pixel centres are at whole numbers in Direct3D 9, at halves in the host.
    row(member!(D3DVIEWPORT9::X), "viewport.x", |s, _| float(s.viewport.x - 0.5)),
    row(member!(D3DVIEWPORT9::Y), "viewport.y", |s, _| float(s.viewport.y - 0.5)),
    row(member!(D3DVIEWPORT9::Width), "viewport.width", |s, _| float(s.viewport.width)),
    row(member!(D3DVIEWPORT9::Height), "viewport.height", |s, _| float(s.viewport.height)),
    row(member!(D3DVIEWPORT9::MinZ), "viewport.min_depth", |s, _| float(s.viewport.min_depth)),
    row(member!(D3DVIEWPORT9::MaxZ), "viewport.max_depth", |s, _| float(s.viewport.max_depth))
        .with("at least a thousandth above MinZ"),
    row("SetScissorRect", "scissor.rect", |s, _| {
        let rect = s.scissor.rect;
        let (right, bottom) = (i64::from(rect.x) + i64::from(rect.width), i64::from(rect.y) + i64::from(rect.height));
        Some(say(format!("left {}, top {}, right {right}, bottom {bottom}", rect.x, rect.y)))
    })
    .with("D3DRS_SCISSORTESTENABLE's rectangle, cut by viewport and target"),
    row(constant!(D3DRS_SCISSORTESTENABLE), "scissor.rect", |s, _| {
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
    row(constant!(D3DRS_SRGBWRITEENABLE), "render_targets.srgb", |s, _| truth((s.render_targets.srgb != 0).into())),
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
    let format = if buffer.index_bytes == 4 { constant!(D3DFMT_INDEX32) } else { constant!(D3DFMT_INDEX16) };
    (!buffer.source.is_none()).then(|| say(format!("{}, {format}", buffer.source)))
})];

/// A filter within a level.
fn filter(linear: u8, max_anisotropy: f32) -> Option<Said> {
    match (linear, max_anisotropy > 1.0) {
        (0, false) => say(constant!(D3DTEXF_POINT)).or("or D3DTEXF_NONE, or a format that cannot be filtered"),
        (0, true) => say(constant!(D3DTEXF_POINT)).or("or D3DTEXF_NONE"),
        (_, false) => say(constant!(D3DTEXF_LINEAR)).or(
            "or D3DTEXF_ANISOTROPIC with D3DSAMP_MAXANISOTROPY 1, or D3DTEXF_PYRAMIDALQUAD, D3DTEXF_GAUSSIANQUAD, \
             D3DTEXF_CONVOLUTIONMONO, which are taken as linear",
        ),
        (_, true) => say(constant!(D3DTEXF_ANISOTROPIC))
            .or("or D3DTEXF_LINEAR, where the other of the two is D3DTEXF_ANISOTROPIC"),
    }
}

const SAMPLER: &[Row] = &[
    row("SetTexture", "textures[{n}].texture", texture),
    row(constant!(D3DSAMP_ADDRESSU), "textures[{n}].sampler.address[0]", |s, n| {
        word(&ADDRESS, sampler(s, n)?.address[0])
    }),
    row(constant!(D3DSAMP_ADDRESSV), "textures[{n}].sampler.address[1]", |s, n| {
        word(&ADDRESS, sampler(s, n)?.address[1])
    }),
    row(constant!(D3DSAMP_ADDRESSW), "textures[{n}].sampler.address[2]", |s, n| {
        word(&ADDRESS, sampler(s, n)?.address[2])
    }),
    row(constant!(D3DSAMP_BORDERCOLOR), "textures[{n}].sampler.border", |s, n| {
        let sampler = sampler(s, n)?;
        let used = sampler.address.contains(&(A::ClampToBorder as u8));
        used.then(|| say(format!("{:#010x}", argb(sampler.border))))
    }),
    row(constant!(D3DSAMP_MAGFILTER), "textures[{n}].sampler.mag", |s, n| {
        let sampler = sampler(s, n)?;
        filter(sampler.mag, sampler.max_anisotropy)
    }),
    row(constant!(D3DSAMP_MINFILTER), "textures[{n}].sampler.min", |s, n| {
        let sampler = sampler(s, n)?;
        filter(sampler.min, sampler.max_anisotropy)
    }),
    row(constant!(D3DSAMP_MIPFILTER), "textures[{n}].sampler.mip", |s, n| {
        let sampler = sampler(s, n)?;
        match (sampler.mipmapped, sampler.mip) {
            (0, _) => Some(say(constant!(D3DTEXF_NONE))),
            (_, 0) => Some(say(constant!(D3DTEXF_POINT))),
            _ => say(constant!(D3DTEXF_LINEAR)).or("or another filter that is taken as linear"),
        }
    }),
    row(constant!(D3DSAMP_MIPMAPLODBIAS), "textures[{n}].sampler.lod_bias", |s, n| {
        let sampler = sampler(s, n)?;
        match (sampler.gather, sampler.mipmapped) {
            (0, 0) => None,
            (0, _) => float(sampler.lod_bias),
            _ => say("'GET4'").or("four texels for one"),
        }
    }),
    row(constant!(D3DSAMP_MAXMIPLEVEL), "textures[{n}].sampler.min_lod", |s, n| {
        let sampler = sampler(s, n)?;
        Some(say(format!("{}", sampler.min_lod as u32)))
    })
    .with("or SetLOD of the texture, where that is more"),
    row(constant!(D3DSAMP_MAXANISOTROPY), "textures[{n}].sampler.max_anisotropy", |s, n| {
        let sampler = sampler(s, n)?;
        (sampler.max_anisotropy > 1.0).then(|| say(format!("{}", sampler.max_anisotropy as u32)))
    }),
    row(constant!(D3DSAMP_SRGBTEXTURE), "textures[{n}].sampler.srgb", |s, n| truth(sampler(s, n)?.srgb)),
    row("depth comparison", "textures[{n}].sampler.compare_enable", |s, n| {
        (sampler(s, n)?.compare_enable != 0).then(|| say("a lookup compares: the texture has a depth format"))
    }),
];
