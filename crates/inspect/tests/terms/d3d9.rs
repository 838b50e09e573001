//! Direct3D 9: render, sampler and stage states, through a device.

use crate::guests::d3d9::{device, set_shaders};
use crate::watch::{Seen, watch};
use crate::{missing, report};
use afterimage_d3d9::Device;
use afterimage_d3d9_types::*;
use afterimage_inspect::terms::Term;
use afterimage_stream::packets::Init;
use afterimage_stream::{DeviceInfo, Format, FormatFeatures};
use std::collections::BTreeSet;

struct Rig {
    device: Device,
    seen: Seen,
}

impl Rig {
    /// A device with a depth buffer, a texture and a stream, drawing by shaders or by fixed function.
    fn new(shaders: bool) -> Self {
        let mut info = DeviceInfo {
            max_texture_2d: 4096,
            max_anisotropy: 16.0,
            max_color_targets: 4,
            max_clip_planes: 6,
            max_point_size: 256.0,
            sample_counts: 0b111,
            memory: 1 << 30,
            markers: 1,
            ..DeviceInfo::default()
        };
        for format in Format::ALL {
            use FormatFeatures as F;
            let depth = if format.is_depth() { F::DEPTH } else { F::TARGET | F::BLEND | F::BLIT };
            info.formats[*format as usize] = F::SAMPLED | F::LINEAR | F::BLIT_SOURCE | depth;
        }
        let (link, seen) = watch(info);
        let mut d = device(link, [64, 48], true);
        let texture = d.create_texture(8, 8, 0, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).expect("a texture");
        d.set_texture(0, Some(texture)).expect("a texture");
        let buffer = d.create_vertex_buffer(4096, 0, 0, D3DPOOL_DEFAULT).expect("a buffer");
        d.set_stream_source(0, Some(buffer), 16, 36).expect("a stream");
        d.set_fvf(D3DFVF_XYZ | D3DFVF_NORMAL | D3DFVF_DIFFUSE | D3DFVF_TEX1).expect("a declaration");
        if shaders {
            let vertex = "vs_2_0\ndcl_position v0\ndcl_texcoord v1\nadd oPos, v0, c3\nmov oT0, v1";
            let pixel = "ps_2_0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, c5\nmov oC0, r0";
            set_shaders(&mut d, vertex, pixel);
        }
        Self { device: d, seen }
    }

    fn draw(&mut self) -> Vec<Term> {
        self.device.draw_primitive(D3DPT_TRIANGLELIST, 0, 1).expect("a draw");
        self.device.flush();
        self.seen.terms(Init::D3D9)
    }
}

/// States and numbers that go before, so that a state matters.
type Gates = &'static [(u32, u32)];

/// Names and numbers of an enumeration.
fn values(enumeration: &str) -> impl Iterator<Item = (&'static str, u32)> {
    let table = ENUMS.iter().find(|table| table.name == enumeration).expect("an enumeration");
    table.items.iter().copied().filter(|(name, _)| !name.ends_with("FORCE_DWORD"))
}

fn name_of_state(enumeration: &str, state: u32) -> &'static str {
    name_of(enumeration, state).expect("a state's name")
}

const STENCIL: Gates = &[(D3DRS_STENCILENABLE, 1)];
const BACK: Gates = &[(D3DRS_STENCILENABLE, 1), (D3DRS_TWOSIDEDSTENCILMODE, 1)];
const BLEND: Gates = &[(D3DRS_ALPHABLENDENABLE, 1)];
const SEPARATE: Gates = &[(D3DRS_ALPHABLENDENABLE, 1), (D3DRS_SEPARATEALPHABLENDENABLE, 1)];
const FOG: Gates = &[(D3DRS_FOGENABLE, 1)];
const DENSITY: Gates = &[(D3DRS_FOGENABLE, 1), (D3DRS_FOGTABLEMODE, D3DFOG_EXP)];
const LINEAR: Gates = &[(D3DRS_FOGENABLE, 1), (D3DRS_FOGTABLEMODE, D3DFOG_LINEAR)];
const ALPHA: Gates = &[(D3DRS_ALPHATESTENABLE, 1), (D3DRS_ALPHAFUNC, D3DCMP_GREATER)];
const LIT: Gates = &[(D3DRS_LIGHTING, 1)];

/// States that take an enumeration.
const ENUMERATED: &[(u32, &str, Gates)] = &[
    (D3DRS_ZENABLE, "D3DZBUFFERTYPE", &[]),
    (D3DRS_ZFUNC, "D3DCMPFUNC", &[]),
    (D3DRS_STENCILFUNC, "D3DCMPFUNC", STENCIL),
    (D3DRS_STENCILFAIL, "D3DSTENCILOP", STENCIL),
    (D3DRS_STENCILZFAIL, "D3DSTENCILOP", STENCIL),
    (D3DRS_STENCILPASS, "D3DSTENCILOP", STENCIL),
    (D3DRS_CCW_STENCILFUNC, "D3DCMPFUNC", BACK),
    (D3DRS_CCW_STENCILFAIL, "D3DSTENCILOP", BACK),
    (D3DRS_CCW_STENCILZFAIL, "D3DSTENCILOP", BACK),
    (D3DRS_CCW_STENCILPASS, "D3DSTENCILOP", BACK),
    (D3DRS_SRCBLEND, "D3DBLEND", BLEND),
    (D3DRS_DESTBLEND, "D3DBLEND", BLEND),
    (D3DRS_BLENDOP, "D3DBLENDOP", BLEND),
    (D3DRS_SRCBLENDALPHA, "D3DBLEND", SEPARATE),
    (D3DRS_DESTBLENDALPHA, "D3DBLEND", SEPARATE),
    (D3DRS_BLENDOPALPHA, "D3DBLENDOP", SEPARATE),
    (D3DRS_CULLMODE, "D3DCULL", &[]),
    (D3DRS_FILLMODE, "D3DFILLMODE", &[]),
    (D3DRS_SHADEMODE, "D3DSHADEMODE", &[]),
    (D3DRS_ALPHAFUNC, "D3DCMPFUNC", &[(D3DRS_ALPHATESTENABLE, 1)]),
    (D3DRS_FOGTABLEMODE, "D3DFOGMODE", FOG),
];

/// Those of fixed function.
const FIXED: &[(u32, &str, Gates)] = &[
    (D3DRS_FOGVERTEXMODE, "D3DFOGMODE", FOG),
    (D3DRS_DIFFUSEMATERIALSOURCE, "D3DMATERIALCOLORSOURCE", LIT),
    (D3DRS_AMBIENTMATERIALSOURCE, "D3DMATERIALCOLORSOURCE", LIT),
    (D3DRS_SPECULARMATERIALSOURCE, "D3DMATERIALCOLORSOURCE", LIT),
    (D3DRS_EMISSIVEMATERIALSOURCE, "D3DMATERIALCOLORSOURCE", LIT),
];

/// States that are on or off.
const SWITCHES: &[(u32, Gates)] = &[
    (D3DRS_ZWRITEENABLE, &[]),
    (D3DRS_STENCILENABLE, &[]),
    (D3DRS_TWOSIDEDSTENCILMODE, &[(D3DRS_STENCILENABLE, 1), (D3DRS_CCW_STENCILFUNC, D3DCMP_LESS)]),
    (D3DRS_ALPHABLENDENABLE, &[]),
    (D3DRS_SEPARATEALPHABLENDENABLE, &[(D3DRS_ALPHABLENDENABLE, 1), (D3DRS_SRCBLENDALPHA, D3DBLEND_DESTCOLOR)]),
    (D3DRS_ALPHATESTENABLE, &[(D3DRS_ALPHAFUNC, D3DCMP_LESS)]),
    (D3DRS_FOGENABLE, &[]),
    (D3DRS_POINTSPRITEENABLE, &[]),
    (D3DRS_SRGBWRITEENABLE, &[]),
    (D3DRS_ANTIALIASEDLINEENABLE, &[]),
];

/// Those of fixed function.
const FIXED_SWITCHES: &[(u32, Gates)] = &[
    (D3DRS_LIGHTING, &[]),
    (D3DRS_NORMALIZENORMALS, LIT),
    (D3DRS_LOCALVIEWER, &[(D3DRS_LIGHTING, 1), (D3DRS_SPECULARENABLE, 1)]),
    (D3DRS_SPECULARENABLE, LIT),
    (D3DRS_RANGEFOGENABLE, &[(D3DRS_FOGENABLE, 1), (D3DRS_FOGVERTEXMODE, D3DFOG_LINEAR)]),
    (D3DRS_POINTSCALEENABLE, &[]),
    (D3DRS_COLORVERTEX, LIT),
    (D3DRS_INDEXEDVERTEXBLENDENABLE, &[(D3DRS_VERTEXBLEND, D3DVBF_1WEIGHTS)]),
];

const fn bits(value: f32) -> u32 {
    value.to_bits()
}

/// States that take numbers, and how these are said.
const NUMBERS: &[(u32, u32, &str, Gates)] = &[
    (D3DRS_STENCILREF, 0x5a, "0x5a", STENCIL),
    (D3DRS_STENCILMASK, 0x3c, "0x3c", STENCIL),
    (D3DRS_STENCILWRITEMASK, 0x0f, "0xf", STENCIL),
    (D3DRS_BLENDFACTOR, 0x8040_20ff, "0x804020ff", BLEND),
    (D3DRS_COLORWRITEENABLE, 5, "0x5 (RED | BLUE)", &[]),
    (D3DRS_COLORWRITEENABLE1, 8, "0x8 (ALPHA)", &[]),
    (D3DRS_COLORWRITEENABLE2, 2, "0x2 (GREEN)", &[]),
    (D3DRS_COLORWRITEENABLE3, 0, "0x0", &[]),
    (D3DRS_DEPTHBIAS, bits(0.25), "0.25", &[]),
    (D3DRS_SLOPESCALEDEPTHBIAS, bits(-1.5), "-1.5", &[]),
    (D3DRS_POINTSIZE, bits(3.5), "3.5", &[]),
    (D3DRS_POINTSIZE_MIN, bits(2.0), "2.0", &[]),
    (D3DRS_POINTSIZE_MAX, bits(12.0), "12.0", &[]),
    (D3DRS_ALPHAREF, 0x7f, "0x7f", ALPHA),
    (D3DRS_FOGSTART, bits(0.5), "0.5", LINEAR),
    (D3DRS_FOGEND, bits(8.0), "8.0", LINEAR),
    (D3DRS_FOGDENSITY, bits(0.125), "0.125", DENSITY),
    (D3DRS_FOGCOLOR, 0x0010_2030, "0x00102030", FOG),
    (D3DRS_CLIPPLANEENABLE, 5, "0x5 (D3DCLIPPLANE0 | D3DCLIPPLANE2)", &[]),
    (D3DRS_MULTISAMPLEMASK, 0xffff_ffff, "0xffffffff", &[]),
    (D3DRS_ADAPTIVETESS_Y, fourcc(*b"ATOC"), "ATOC", ALPHA),
];

/// Those of fixed function, which are registers of its banks.
const FIXED_NUMBERS: &[(u32, u32, &str, Gates)] = &[
    (D3DRS_TEXTUREFACTOR, 0x8040_20ff, "0x804020ff", &[]),
    (D3DRS_AMBIENT, 0xff40_2010, "0xff402010", LIT),
    (D3DRS_VERTEXBLEND, D3DVBF_TWEENING, "D3DVBF_TWEENING", &[]),
    (D3DRS_VERTEXBLEND, D3DVBF_2WEIGHTS, "D3DVBF_2WEIGHTS", &[]),
    (D3DRS_TWEENFACTOR, bits(0.3), "0.3", &[(D3DRS_VERTEXBLEND, D3DVBF_TWEENING)]),
    (D3DRS_POINTSCALE_A, bits(1.75), "1.75", &[(D3DRS_POINTSCALEENABLE, 1)]),
    (D3DRS_POINTSCALE_B, bits(2.75), "2.75", &[(D3DRS_POINTSCALEENABLE, 1)]),
    (D3DRS_POINTSCALE_C, bits(3.75), "3.75", &[(D3DRS_POINTSCALEENABLE, 1)]),
];

/// States that have no term, and why.
const UNSAID: &[(u32, &str)] = &[
    (D3DRS_LASTPIXEL, "is not supported"),
    (D3DRS_DITHERENABLE, "is not supported"),
    (D3DRS_CLIPPING, "is a promise that nothing has to be clipped"),
    (D3DRS_MULTISAMPLEANTIALIAS, "is not supported"),
    (D3DRS_PATCHEDGESTYLE, "patches are cut before they are sent"),
    (D3DRS_DEBUGMONITORTOKEN, "is for debuggers"),
    (D3DRS_POSITIONDEGREE, "patches are cut before they are sent"),
    (D3DRS_NORMALDEGREE, "patches are cut before they are sent"),
    (D3DRS_MINTESSELLATIONLEVEL, "patches are cut before they are sent"),
    (D3DRS_MAXTESSELLATIONLEVEL, "patches are cut before they are sent"),
    (D3DRS_ADAPTIVETESS_X, "patches are cut before they are sent"),
    (D3DRS_ADAPTIVETESS_Z, "patches are cut before they are sent"),
    (D3DRS_ADAPTIVETESS_W, "patches are cut before they are sent"),
    (D3DRS_ENABLEADAPTIVETESSELLATION, "patches are cut before they are sent"),
    (D3DRS_SCISSORTESTENABLE, "takes a rectangle, with which it is tried"),
];

/// Sets a state behind its gates, and draws.
fn with(shaders: bool, gates: Gates, state: u32, value: u32) -> Vec<Term> {
    let mut rig = Rig::new(shaders);
    for (state, value) in gates.iter().chain([&(state, value)]) {
        rig.device.set_render_state(*state, *value).expect("a state");
    }
    rig.draw()
}

#[test]
fn render_states_are_said_by_name_and_value() {
    let mut failures = Vec::new();
    let mut tried = BTreeSet::new();
    let mut check = |shaders, gates, state, value, expected: &str| {
        tried.insert(state);
        let terms = with(shaders, gates, state, value);
        failures.extend(missing(&terms, name_of_state("D3DRENDERSTATETYPE", state), expected));
    };
    for (shaders, table) in [(true, ENUMERATED), (false, FIXED)] {
        for (state, enumeration, gates) in table {
            for (name, value) in values(enumeration) {
                // These two are of the source alone, for both.
                let both = name.starts_with("D3DBLEND_BOTH");
                if both && matches!(*state, D3DRS_DESTBLEND | D3DRS_DESTBLENDALPHA) {
                    continue;
                }
                check(shaders, *gates, *state, value, name);
            }
        }
    }
    for (shaders, table) in [(true, SWITCHES), (false, FIXED_SWITCHES)] {
        for (state, gates) in table {
            check(shaders, *gates, *state, 0, "FALSE");
            check(shaders, *gates, *state, 1, "TRUE");
        }
    }
    for (shaders, table) in [(true, NUMBERS), (false, FIXED_NUMBERS)] {
        for (state, value, expected, gates) in table {
            check(shaders, *gates, *state, *value, expected);
        }
    }
    for (name, state) in values("D3DRENDERSTATETYPE") {
        // No vertex wraps.
        let unsaid = UNSAID.iter().any(|(other, _)| *other == state) || name.starts_with("D3DRS_WRAP");
        if tried.contains(&state) == unsaid {
            failures.push(format!("{name} is {}", if unsaid { "said, and listed as unsaid" } else { "not tried" }));
        }
    }
    report(failures);
}

#[test]
fn sampler_states_are_said_by_name_and_value() {
    let mut failures = Vec::new();
    let mut tried = BTreeSet::new();
    let mut check = |gates: &[(u32, u32)], state, value, expected: &str| {
        tried.insert(state);
        let mut rig = Rig::new(true);
        for (state, value) in gates.iter().chain([&(state, value)]) {
            rig.device.set_sampler_state(0, *state, *value).expect("a state");
        }
        let terms = rig.draw();
        let of_sampler: Vec<Term> = terms.into_iter().filter(|term| term.group == "Sampler 0").collect();
        failures.extend(missing(&of_sampler, name_of_state("D3DSAMPLERSTATETYPE", state), expected));
    };
    for state in [D3DSAMP_ADDRESSU, D3DSAMP_ADDRESSV, D3DSAMP_ADDRESSW] {
        values("D3DTEXTUREADDRESS").for_each(|(name, value)| check(&[], state, value, name));
    }
    for (name, value) in values("D3DTEXTUREFILTERTYPE") {
        for gates in [&[][..], &[(D3DSAMP_MAXANISOTROPY, 8)]] {
            check(gates, D3DSAMP_MINFILTER, value, name);
            check(gates, D3DSAMP_MAGFILTER, value, name);
        }
        if value <= D3DTEXF_LINEAR {
            check(&[], D3DSAMP_MIPFILTER, value, name);
        }
    }
    let mips: &[(u32, u32)] = &[(D3DSAMP_MIPFILTER, D3DTEXF_LINEAR)];
    check(mips, D3DSAMP_MIPMAPLODBIAS, bits(-0.75), "-0.75");
    check(mips, D3DSAMP_MAXMIPLEVEL, 2, "2");
    check(&[(D3DSAMP_MINFILTER, D3DTEXF_ANISOTROPIC)], D3DSAMP_MAXANISOTROPY, 8, "8");
    check(&[], D3DSAMP_SRGBTEXTURE, 1, "TRUE");
    check(&[], D3DSAMP_SRGBTEXTURE, 0, "FALSE");
    check(&[(D3DSAMP_ADDRESSU, D3DTADDRESS_BORDER)], D3DSAMP_BORDERCOLOR, 0x1122_3344, "0x11223344");
    // Those of multi-element textures and of displacement maps, which are not supported.
    tried.extend([D3DSAMP_ELEMENTINDEX, D3DSAMP_DMAPOFFSET]);
    let all = values("D3DSAMPLERSTATETYPE").filter(|(_, state)| !tried.contains(state));
    failures.extend(all.map(|(name, _)| format!("{name} is not tried")));
    report(failures);
}

#[test]
fn stages_of_fixed_function_are_said_by_name_and_value() {
    let mut failures = Vec::new();
    let mut tried = BTreeSet::new();
    let mut check = |gates: &[(u32, u32)], state, value, expected: &str| {
        tried.insert(state);
        let mut rig = Rig::new(false);
        for (state, value) in gates.iter().chain([&(state, value)]) {
            rig.device.set_texture_stage_state(0, *state, *value).expect("a state");
        }
        let name = format!("{} of stage 0", name_of_state("D3DTEXTURESTAGESTATETYPE", state));
        failures.extend(missing(&rig.draw(), &name, expected));
    };
    for (name, value) in values("D3DTEXTUREOP") {
        check(&[], D3DTSS_COLOROP, value, name);
        check(&[(D3DTSS_COLOROP, D3DTOP_MODULATE)], D3DTSS_ALPHAOP, value, name);
    }
    let arguments = [
        ("D3DTA_DIFFUSE", D3DTA_DIFFUSE),
        ("D3DTA_CURRENT", D3DTA_CURRENT),
        ("D3DTA_TEXTURE", D3DTA_TEXTURE),
        ("D3DTA_TFACTOR", D3DTA_TFACTOR),
        ("D3DTA_SPECULAR", D3DTA_SPECULAR),
        ("D3DTA_TEMP", D3DTA_TEMP),
        ("D3DTA_CONSTANT", D3DTA_CONSTANT),
        ("D3DTA_COMPLEMENT", D3DTA_TEXTURE | D3DTA_COMPLEMENT),
        ("D3DTA_ALPHAREPLICATE", D3DTA_TEXTURE | D3DTA_ALPHAREPLICATE),
    ];
    let lerp: &[(u32, u32)] = &[(D3DTSS_COLOROP, D3DTOP_LERP), (D3DTSS_ALPHAOP, D3DTOP_LERP)];
    for (name, value) in arguments {
        for state in [D3DTSS_COLORARG0, D3DTSS_COLORARG1, D3DTSS_COLORARG2] {
            check(lerp, state, value, name);
        }
        for state in [D3DTSS_ALPHAARG0, D3DTSS_ALPHAARG1, D3DTSS_ALPHAARG2] {
            check(lerp, state, value, name);
        }
    }
    check(lerp, D3DTSS_RESULTARG, D3DTA_TEMP, "D3DTA_TEMP");
    for (name, value) in values("D3DTEXTURETRANSFORMFLAGS") {
        let value = if value == D3DTTFF_PROJECTED { value | D3DTTFF_COUNT3 } else { value };
        check(&[], D3DTSS_TEXTURETRANSFORMFLAGS, value, name);
    }
    for (name, value) in [
        ("D3DTSS_TCI_PASSTHRU | 0", D3DTSS_TCI_PASSTHRU),
        ("D3DTSS_TCI_CAMERASPACENORMAL | 2", D3DTSS_TCI_CAMERASPACENORMAL | 2),
        ("D3DTSS_TCI_CAMERASPACEPOSITION | 3", D3DTSS_TCI_CAMERASPACEPOSITION | 3),
        ("D3DTSS_TCI_CAMERASPACEREFLECTIONVECTOR | 7", D3DTSS_TCI_CAMERASPACEREFLECTIONVECTOR | 7),
        ("D3DTSS_TCI_SPHEREMAP | 1", D3DTSS_TCI_SPHEREMAP | 1),
    ] {
        check(&[], D3DTSS_TEXCOORDINDEX, value, name);
    }
    check(&[], D3DTSS_CONSTANT, 0x8040_20ff, "0x804020ff");
    for (state, value) in [
        (D3DTSS_BUMPENVMAT00, 0.125f32),
        (D3DTSS_BUMPENVMAT01, 1.125),
        (D3DTSS_BUMPENVMAT10, 2.125),
        (D3DTSS_BUMPENVMAT11, 3.125),
        (D3DTSS_BUMPENVLSCALE, 4.125),
        (D3DTSS_BUMPENVLOFFSET, 5.125),
    ] {
        check(&[], state, bits(value), &format!("{value:?}"));
    }
    let all = values("D3DTEXTURESTAGESTATETYPE").filter(|(_, state)| !tried.contains(state));
    failures.extend(all.map(|(name, _)| format!("{name} is not tried")));
    report(failures);
}

#[test]
fn every_stage_and_every_sampler_has_its_own_states() {
    let mut failures = Vec::new();
    let mut rig = Rig::new(false);
    let factors = [0.5f32, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5];
    for (stage, factor) in (0..8).zip(factors) {
        let d = &mut rig.device;
        d.set_texture_stage_state(stage, D3DTSS_COLOROP, D3DTOP_ADD + stage).unwrap();
        d.set_texture_stage_state(stage, D3DTSS_BUMPENVLSCALE, bits(factor)).unwrap();
        d.set_texture_stage_state(stage, D3DTSS_CONSTANT, 0x0102_0304 + stage).unwrap();
    }
    let terms = rig.draw();
    for (stage, factor) in (0u32..8).zip(factors) {
        let op = name_of("D3DTEXTUREOP", D3DTOP_ADD + stage).expect("an operation");
        failures.extend(missing(&terms, &format!("D3DTSS_COLOROP of stage {stage}"), op));
        failures.extend(missing(&terms, &format!("D3DTSS_BUMPENVLSCALE of stage {stage}"), &format!("{factor:?}")));
        let constant = format!("{:#010x}", 0x0102_0304 + stage);
        failures.extend(missing(&terms, &format!("D3DTSS_CONSTANT of stage {stage}"), &constant));
    }
    let mut rig = Rig::new(true);
    let lookups: String = (0..16).map(|n| format!("texld r1, t0, s{n}\nadd r0, r0, r1\n")).collect();
    let declared: String = (0..16).map(|n| format!("dcl_2d s{n}\n")).collect();
    let pixel = format!("ps_2_0\ndcl t0\n{declared}mov r0, c0\n{lookups}mov oC0, r0");
    let pixel = afterimage_shader_d3d9::assemble(&pixel).expect("a shader");
    let pixel = rig.device.create_pixel_shader(&pixel).expect("a shader");
    rig.device.set_pixel_shader(Some(pixel)).unwrap();
    for sampler in 0..16 {
        let d = &mut rig.device;
        let texture = d.create_texture(8 + sampler, 8, 1, 0, D3DFMT_A8R8G8B8, D3DPOOL_MANAGED).unwrap();
        d.set_texture(sampler, Some(texture)).unwrap();
        d.set_sampler_state(sampler, D3DSAMP_ADDRESSU, 1 + sampler % 3).unwrap();
        d.set_sampler_state(sampler, D3DSAMP_ADDRESSV, 1 + sampler / 3 % 3).unwrap();
    }
    let terms = rig.draw();
    for sampler in 0..16 {
        let of = |term: &&Term| term.group == format!("Sampler {sampler}");
        let terms: Vec<Term> = terms.iter().filter(of).cloned().collect();
        let name = |value| name_of("D3DTEXTUREADDRESS", value).expect("a mode");
        failures.extend(missing(&terms, "D3DSAMP_ADDRESSU", name(1 + sampler % 3)));
        failures.extend(missing(&terms, "D3DSAMP_ADDRESSV", name(1 + sampler / 3 % 3)));
        failures.extend(missing(&terms, "SetTexture", &format!("{} x 8", 8 + sampler)));
    }
    report(failures);
}

#[test]
fn what_lights_and_blends_vertices_is_said() {
    let mut rig = Rig::new(false);
    let d = &mut rig.device;
    let color = |first: f32| D3DCOLORVALUE { r: first, g: first + 0.25, b: first + 0.5, a: first + 0.75 };
    let vector = |x, y, z| D3DVECTOR { x, y, z };
    for (state, value) in [(D3DRS_LIGHTING, 1), (D3DRS_VERTEXBLEND, D3DVBF_1WEIGHTS)] {
        d.set_render_state(state, value).unwrap();
    }
    let material = D3DMATERIAL9 {
        Diffuse: color(1.0),
        Ambient: color(2.0),
        Specular: color(3.0),
        Emissive: color(4.0),
        Power: 8.5,
    };
    d.set_material(&material).unwrap();
    for (index, kind) in [(0, D3DLIGHT_SPOT), (5, D3DLIGHT_POINT)] {
        let base = index as f32 * 10.0;
        let light = D3DLIGHT9 {
            Type: kind,
            Diffuse: color(base + 5.0),
            Specular: color(base + 6.0),
            Ambient: color(base + 7.0),
            Position: vector(base + 1.0, 2.0, 3.0),
            Direction: vector(0.0, 0.0, 1.0),
            Range: base + 100.0,
            Falloff: 1.25,
            Attenuation0: 0.5,
            Attenuation1: 1.5,
            Attenuation2: 2.5,
            Theta: 0.5,
            Phi: 1.0,
        };
        d.set_light(index, &light).unwrap();
        d.enable_light(index, true).unwrap();
    }
    let mut matrix = D3DMATRIX::default();
    for (row, values) in matrix.m.iter_mut().enumerate() {
        values[row] = row as f32 + 2.0;
    }
    d.set_transform(D3DTS_PROJECTION, &matrix).unwrap();
    d.set_transform(D3DTS_TEXTURE0 + 3, &matrix).unwrap();
    d.set_transform(D3DTS_WORLD1, &matrix).unwrap();
    let rect = RECT { left: 5, top: 6, right: 20, bottom: 30 };
    d.set_scissor_rect(&rect).unwrap();
    d.set_render_state(D3DRS_SCISSORTESTENABLE, 1).unwrap();
    let terms = rig.draw();
    let expected = [
        ("D3DMATERIAL9::Diffuse", "1.0, 1.25, 1.5, 1.75"),
        ("D3DMATERIAL9::Ambient", "2.0, 2.25, 2.5, 2.75"),
        ("D3DMATERIAL9::Specular", "3.0, 3.25, 3.5, 3.75"),
        ("D3DMATERIAL9::Emissive", "4.0, 4.25, 4.5, 4.75"),
        ("D3DMATERIAL9::Power", "8.5"),
        ("light 0", "D3DLIGHT_SPOT"),
        ("light 1", "D3DLIGHT_POINT"),
        ("D3DLIGHT9::Diffuse of light 0", "5.0, 5.25, 5.5, 5.75"),
        ("D3DLIGHT9::Diffuse of light 1", "55.0, 55.25, 55.5, 55.75"),
        ("D3DLIGHT9::Specular of light 0", "6.0, 6.25, 6.5, 6.75"),
        ("D3DLIGHT9::Ambient of light 0", "7.0, 7.25, 7.5, 7.75"),
        ("D3DLIGHT9::Position of light 0", "1.0, 2.0, 3.0"),
        ("D3DLIGHT9::Position of light 1", "51.0, 2.0, 3.0"),
        ("D3DLIGHT9::Range of light 1", "150.0"),
        ("D3DLIGHT9::Direction of light 0", "0.0, 0.0, 1.0"),
        ("D3DLIGHT9::Falloff of light 0", "1.25"),
        ("D3DLIGHT9::Attenuation0 of light 0", "0.5"),
        ("D3DLIGHT9::Attenuation1 of light 0", "1.5"),
        ("D3DLIGHT9::Attenuation2 of light 0", "2.5"),
        ("D3DLIGHT9::Theta of light 0", "0.5000"),
        ("D3DLIGHT9::Phi of light 0", "1.0000"),
        ("D3DTS_PROJECTION[2]", "0.0, 0.0, 4.0, 0.0"),
        ("D3DTS_TEXTURE3[1]", "0.0, 3.0, 0.0, 0.0"),
        ("D3DTS_WORLD1 * D3DTS_VIEW[3]", "0.0, 0.0, 0.0, 5.0"),
        ("D3DTS_WORLD * D3DTS_VIEW[0]", "1.0, 0.0, 0.0, 0.0"),
        ("SetScissorRect", "left 5, top 6, right 20, bottom 30"),
        ("D3DRS_SCISSORTESTENABLE", "TRUE"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
    let unscissored = Rig::new(false).draw();
    let scissor = unscissored.iter().find(|term| term.name == "D3DRS_SCISSORTESTENABLE").expect("a term");
    assert_eq!(scissor.value, "FALSE");
}

#[test]
fn constants_of_every_kind_and_clip_planes_are_said() {
    let mut rig = Rig::new(true);
    let d = &mut rig.device;
    let vertex = "vs_2_0\ndcl_position v0\nrep i2\nadd r0, v0, c9\nendrep\nif b5\nadd r0, r0, c7\nendif\nmov oPos, r0";
    let vertex = d.create_vertex_shader(&afterimage_shader_d3d9::assemble(vertex).expect("a shader")).unwrap();
    d.set_vertex_shader(Some(vertex)).unwrap();
    d.set_vertex_shader_constant_i(2, &[[3, 0, 0, 0]]).unwrap();
    d.set_vertex_shader_constant_b(5, &[1]).unwrap();
    d.set_vertex_shader_constant_f(9, &[[0.5, -1.5, 2.5, 9.0]]).unwrap();
    for plane in 0..6u32 {
        d.set_clip_plane(plane, &[plane as f32 + 0.5, 1.0, 2.0, 3.0]).unwrap();
    }
    d.set_render_state(D3DRS_CLIPPLANEENABLE, 0x3F).unwrap();
    let terms = rig.draw();
    let mut failures: Vec<String> = [("i2", "3, 0, 0, 0"), ("b5", "TRUE"), ("c9", "0.5, -1.5, 2.5, 9.0")]
        .iter()
        .filter_map(|(name, value)| missing(&terms, name, value))
        .collect();
    for plane in 0..6 {
        let expected = format!("{:?}, 1.0, 2.0, 3.0", plane as f32 + 0.5);
        failures.extend(missing(&terms, &format!("SetClipPlane({plane})"), &expected));
    }
    report(failures);
}

#[test]
fn what_else_is_set_is_said() {
    let mut rig = Rig::new(true);
    let d = &mut rig.device;
    d.set_vertex_shader_constant_f(3, &[[1.0, 2.0, 3.0, 4.0]]).unwrap();
    d.set_pixel_shader_constant_f(5, &[[0.5, 0.25, 0.0, 1.0]]).unwrap();
    d.set_viewport(&D3DVIEWPORT9 { X: 4, Y: 8, Width: 32, Height: 16, MinZ: 0.25, MaxZ: 0.75 }).unwrap();
    let terms = rig.draw();
    let expected = [
        ("c3", "1.0, 2.0, 3.0, 4.0"),
        ("c5", "0.5, 0.25, 0.0, 1.0"),
        ("D3DVIEWPORT9::X", "4.0"),
        ("D3DVIEWPORT9::Y", "8.0"),
        ("D3DVIEWPORT9::Width", "32.0"),
        ("D3DVIEWPORT9::Height", "16.0"),
        ("D3DVIEWPORT9::MinZ", "0.25"),
        ("D3DVIEWPORT9::MaxZ", "0.75"),
        ("SetScissorRect", "left 4, top 8, right 36, bottom 24"),
        ("D3DDECLUSAGE_POSITION0", "stream 0, offset 0, D3DDECLTYPE_FLOAT3"),
        ("D3DDECLUSAGE_TEXCOORD0", "stream 0, offset 28, D3DDECLTYPE_FLOAT2"),
        ("SetStreamSource(0)", "offset 16, stride 36"),
        ("SetVertexShader", "vs_2_0"),
        ("SetPixelShader", "ps_2_0"),
        ("SetTexture", "8 x 8, 4 levels"),
        ("SetTexture", "D3DFMT_A8R8G8B8 texture, D3DPOOL_MANAGED"),
        ("SetRenderTarget(0)", "D3DFMT_A8R8G8B8 surface, D3DPOOL_DEFAULT"),
        ("SetStreamSource(0)", "vertex buffer, D3DPOOL_DEFAULT"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
    let fixed = Rig::new(false).draw();
    let expected = [
        ("D3DDECLUSAGE_NORMAL0", "stream 0, offset 12, D3DDECLTYPE_FLOAT3"),
        ("D3DDECLUSAGE_COLOR0", "stream 0, offset 24, D3DDECLTYPE_D3DCOLOR"),
        ("SetVertexShader", "NULL"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&fixed, name, value)).collect());
}

/// A constant table of a matrix, an array, a switch and a sampler, as a compiler lays it out (`D3DXSHADER_CONSTANTTABLE`).
fn constant_table() -> Vec<u32> {
    let mut bytes = Vec::new();
    let mut long = |value: u32| bytes.extend(value.to_le_bytes());
    let (header, constant, ty) = (28, 20, 16);
    let types = header + 4 * constant;
    let texts = types + 4 * ty;
    // Size, creator, version, constants and where they are, flags, target.
    [header, texts, 0xFFFE_0200, 4, header, 0, texts + 6].into_iter().for_each(&mut long);
    let first_name = texts + 13;
    // Name, register file and first register, registers, type, default.
    for (name, set, first, count, number) in [(0, 2, 4, 4, 0), (6, 2, 10, 2, 1), (12, 0, 3, 1, 2), (17, 3, 1, 1, 3)] {
        [first_name + name, set | first << 16, count, types + ty * number, 0].into_iter().for_each(&mut long);
    }
    // Class and kind, rows and columns, elements and members, members: float4x4, float4[2], bool, sampler2D.
    for words in [
        [3 | 3 << 16, 4 | 4 << 16, 1, 0],
        [1 | 3 << 16, 1 | 4 << 16, 2, 0],
        [1 << 16, 1 | 1 << 16, 1, 0],
        [4 | 12 << 16, 1 | 1 << 16, 1, 0],
    ] {
        words.into_iter().for_each(&mut long);
    }
    bytes.extend(b"maker\0vs_3_0\0world\0bones\0wave\0skin\0");
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let words = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
    std::iter::once(afterimage_shader_d3d9::ctab::CTAB).chain(words).collect()
}

#[test]
fn constants_have_the_names_of_the_constant_table() {
    let text = "vs_3_0\ndcl_position v0\ndcl_texcoord2 v1\ndcl_position o0\ndp4 r0.x, v0, c4\ndp4 r0.y, v0, c5\n\
                dp4 r0.z, v0, c6\ndp4 r0.w, v0, c7\nif b3\nadd r0, r0, c11\nendif\nadd r0, r0, v1\nmov o0, r0";
    let tokens = afterimage_shader_d3d9::assemble(text).expect("a shader");
    let mut program = afterimage_shader_d3d9::Program::parse(&tokens).expect("a program");
    program.comments.push(afterimage_shader_d3d9::parse::Comment { before: 0, words: constant_table() });
    let mut rig = Rig::new(true);
    let d = &mut rig.device;
    let vertex = d.create_vertex_shader(&program.encode()).expect("a shader");
    let pixel = afterimage_shader_d3d9::assemble("ps_3_0\nmov oC0, c0").expect("a shader");
    let pixel = d.create_pixel_shader(&pixel).expect("a shader");
    d.set_vertex_shader(Some(vertex)).unwrap();
    d.set_pixel_shader(Some(pixel)).unwrap();
    let rows = [[1.0, 0.0, 0.0, 5.0], [0.0, 2.0, 0.0, 6.0], [0.0, 0.0, 3.0, 7.0], [0.0, 0.0, 0.0, 4.0]];
    d.set_vertex_shader_constant_f(4, &rows).unwrap();
    d.set_vertex_shader_constant_f(11, &[[0.5, 0.25, 0.125, 1.0]]).unwrap();
    d.set_vertex_shader_constant_b(3, &[1]).unwrap();
    let terms = rig.draw();
    let expected = [
        ("c4 world[0]", "1.0, 0.0, 0.0, 5.0"),
        ("c5 world[1]", "0.0, 2.0, 0.0, 6.0"),
        ("c6 world[2]", "0.0, 0.0, 3.0, 7.0"),
        ("c7 world[3]", "0.0, 0.0, 0.0, 4.0"),
        ("c11 bones[1]", "0.5, 0.25, 0.125, 1.0"),
        ("b3 wave", "TRUE"),
        ("s1 skin", "sampler2D"),
    ];
    report(expected.iter().filter_map(|(name, value)| missing(&terms, name, value)).collect());
    let of_vertices = terms.iter().filter(|term| term.group == "Vertex shader constants");
    assert_eq!(of_vertices.count(), 6, "c10 is not read: {terms:?}");
}

#[test]
fn declarations_are_said_by_type_and_streams_by_frequency() {
    let mut failures = Vec::new();
    let types = values("D3DDECLTYPE").filter(|(name, _)| *name != "D3DDECLTYPE_UNUSED");
    for (name, ty) in types {
        for index in [0, 5] {
            let mut rig = Rig::new(true);
            let d = &mut rig.device;
            let element = |stream, offset, ty, usage, index| D3DVERTEXELEMENT9 {
                Stream: stream,
                Offset: offset,
                Type: ty,
                Method: 0,
                Usage: usage,
                UsageIndex: index,
            };
            let elements = [
                element(0, 0, D3DDECLTYPE_FLOAT3 as u8, D3DDECLUSAGE_POSITION as u8, 0),
                element(1, 8, ty as u8, D3DDECLUSAGE_TEXCOORD as u8, index),
                element(0xFF, 0, D3DDECLTYPE_UNUSED as u8, 0, 0),
            ];
            let declaration = d.create_declaration(&elements).expect("a declaration");
            let text = format!("vs_2_0\ndcl_position v0\ndcl_texcoord{index} v1\nadd oPos, v0, v1");
            let vertex = afterimage_shader_d3d9::assemble(&text).expect("a shader");
            let vertex = d.create_vertex_shader(&vertex).expect("a shader");
            d.set_vertex_shader(Some(vertex)).unwrap();
            d.set_vertex_declaration(Some(declaration)).unwrap();
            let buffer = d.create_vertex_buffer(4096, 0, 0, D3DPOOL_DEFAULT).unwrap();
            d.set_stream_source(1, Some(buffer), 0, 32).unwrap();
            failures.extend(missing(
                &rig.draw(),
                &format!("D3DDECLUSAGE_TEXCOORD{index}"),
                &format!("stream 1, offset 8, {name}"),
            ));
        }
    }
    for divisor in [1, 3] {
        let mut rig = Rig::new(true);
        let d = &mut rig.device;
        let indices = d.create_index_buffer(64, 0, D3DFMT_INDEX16, D3DPOOL_DEFAULT).unwrap();
        d.set_indices(Some(indices)).unwrap();
        let element = |stream, ty, usage| D3DVERTEXELEMENT9 {
            Stream: stream,
            Type: ty,
            Usage: usage,
            ..D3DVERTEXELEMENT9::default()
        };
        let elements = [
            element(0, D3DDECLTYPE_FLOAT3 as u8, D3DDECLUSAGE_POSITION as u8),
            element(2, D3DDECLTYPE_FLOAT2 as u8, D3DDECLUSAGE_TEXCOORD as u8),
            element(0xFF, D3DDECLTYPE_UNUSED as u8, 0),
        ];
        let declaration = d.create_declaration(&elements).expect("a declaration");
        d.set_vertex_declaration(Some(declaration)).unwrap();
        let buffer = d.create_vertex_buffer(4096, 0, 0, D3DPOOL_DEFAULT).unwrap();
        d.set_stream_source(2, Some(buffer), 0, 8).unwrap();
        d.set_stream_source_freq(0, D3DSTREAMSOURCE_INDEXEDDATA | 4).unwrap();
        d.set_stream_source_freq(2, D3DSTREAMSOURCE_INSTANCEDATA | divisor).unwrap();
        d.draw_indexed_primitive(D3DPT_TRIANGLELIST, 0, 0, 3, 0, 1).unwrap();
        d.flush();
        let terms = rig.seen.terms(Init::D3D9);
        let expected = format!("D3DSTREAMSOURCE_INSTANCEDATA | {divisor}");
        failures.extend(missing(&terms, "SetStreamSourceFreq(2)", &expected));
        failures.extend(missing(&terms, "SetIndices", "D3DFMT_INDEX16"));
    }
    report(failures);
}
