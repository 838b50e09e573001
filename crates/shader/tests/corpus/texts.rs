//! Shaders written by hand, for what no single opcode shows: output registers, register files, nested flow, phases.

use super::{Entry, files};
use afterimage_shader_d3d9::assemble;
use afterimage_shader_d3d9::io::{FogMode, PixelOps, RuntimeInfo, VertexOps};
use afterimage_shader_d3d9::tables::{RegisterType, Stage, Version};

/// The texts of every version that they are for.
pub(crate) fn entries() -> Vec<Entry> {
    let mut entries = Vec::new();
    for version in Version::ALL {
        entries.push(entry(format!("{version} every register"), &every_register(version)));
        for (name, exists, body) in TEXTS {
            if exists(version) {
                entries.push(entry(format!("{version} {name}"), &format!("{version}\n{body}")));
            }
        }
    }
    entries.extend(under_states());
    entries
}

/// Every register of every file that a shader may name, one with another.
fn every_register(version: Version) -> String {
    use std::fmt::Write;
    let most = |ty: RegisterType| ty.info().most(version);
    let mut text = format!("{version}\n");
    let mut line = |line: String| writeln!(text, "{line}").expect("a string");
    let (inputs, outputs) = (most(RegisterType::Input), most(RegisterType::Output));
    match (version.stage, version.major) {
        (Stage::Vertex, major) => {
            (0..inputs).for_each(|n| line(format!("dcl_texcoord{n} v{n}")));
            if major == 3 {
                line("dcl_position o0".to_owned());
                (1..outputs).for_each(|n| line(format!("dcl_texcoord{} o{n}", n - 1)));
            }
        }
        // Metal has fifteen inputs.
        (Stage::Pixel, 3) => (0..inputs).for_each(|n| line(format!("dcl_texcoord{} v{n}", n % 15))),
        (Stage::Pixel, 1) if version.minor < 4 => (0..4).for_each(|n| line(format!("texcoord t{n}"))),
        // The inputs of 2.x declare themselves, and arithmetic of 1.4 reads coordinates.
        (Stage::Pixel, _) => {}
    }
    let temporaries = most(RegisterType::Temp);
    (0..temporaries).for_each(|n| line(format!("mov r{n}, c{}", n % 8)));
    (1..temporaries).for_each(|n| line(format!("mad r{n}, r{n}, r{}, r0", n - 1)));
    let last = temporaries - 1;
    (0..inputs).for_each(|n| line(format!("add r{last}, r{last}, v{n}")));
    if version.stage == Stage::Pixel {
        (0..most(RegisterType::Texture)).for_each(|n| line(format!("add r{last}, r{last}, t{n}")));
    }
    match (version.stage, version.major) {
        (Stage::Vertex, 3) => (0..outputs).for_each(|n| line(format!("add o{n}, r{last}, c{n}"))),
        (Stage::Vertex, _) => {
            line("mov oPos, v0".to_owned());
            (0..8).for_each(|n| line(format!("add oT{n}, r{last}, c{n}")));
            (0..2).for_each(|n| line(format!("add oD{n}, r{last}, c{n}")));
        }
        (Stage::Pixel, 1) => line(format!("mov r0, r{last}")),
        (Stage::Pixel, _) => (0..4).for_each(|n| line(format!("add oC{n}, r{last}, c{n}"))),
    }
    text
}

/// The assembler sources of the front end's tests and of the sample programs.
pub(crate) fn assembled() -> Vec<Entry> {
    let folders = ["../shader-d3d9/tests/filetests", "../../samples/shaders"];
    let files = folders.into_iter().flat_map(|folder| files(folder, "asm"));
    files.map(|(name, text)| entry(name, &String::from_utf8_lossy(&text))).collect()
}

fn entry(name: String, text: &str) -> Entry {
    let tokens = assemble(text).unwrap_or_else(|error| panic!("{name}: {error}\n{text}"));
    Entry { name, tokens, runtime: RuntimeInfo::default() }
}

/// A shader of each model under the states that add code to it.
fn under_states() -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut add = |text: &str, what: String, runtime| {
        let name = format!("{}, {what}", text.lines().next().unwrap_or_default());
        entries.push(Entry { runtime, ..entry(name, text) });
    };
    let pixels = [
        "ps_1_1\ntex t0\nmul r0, t0, v0",
        "ps_1_4\ntexld r0, t0\nadd r0, r0, v1",
        "ps_2_0\ndcl v0\ndcl t0\ndcl_2d s0\ntexld r0, t0, s0\nmul r0, r0, v0\nmov oC0, r0\nmov oC1, v0",
        "ps_3_0\ndcl_color v0\ndcl_texcoord v1\ndcl_2d s0\ntexld r0, v1, s0\nmul oC0, r0, v0",
    ];
    for text in pixels {
        for alpha_compare in 0..7 {
            let pixel_ops = PixelOps { alpha_compare, ..PixelOps::default() };
            add(text, format!("alpha test {alpha_compare}"), RuntimeInfo { pixel_ops, ..RuntimeInfo::default() });
        }
        for fog in [FogMode::Exp, FogMode::Exp2, FogMode::Linear, FogMode::Vertex] {
            let pixel_ops = PixelOps { fog: fog as u8, ..PixelOps::default() };
            add(text, format!("{fog:?} fog"), RuntimeInfo { pixel_ops, ..RuntimeInfo::default() });
        }
        let others = [
            ("generic", PixelOps { generic: 1, ..PixelOps::default() }),
            ("flat", PixelOps { flat: 1, ..PixelOps::default() }),
            ("sRGB", PixelOps { srgb_write: 3, ..PixelOps::default() }),
        ];
        for (what, pixel_ops) in others {
            add(text, what.to_owned(), RuntimeInfo { pixel_ops, ..RuntimeInfo::default() });
        }
    }
    let vertices = [
        "vs_1_1\ndcl_position v0\nmov oPos, v0\nmov oPts.x, v0.z",
        "vs_2_0\ndcl_position v0\nmov oPos, v0",
        "vs_3_0\ndcl_position v0\ndcl_position o0\ndcl_psize o1.x\nmov o0, v0\nmov o1.x, v0.y",
    ];
    for text in vertices {
        for (point_size, clip_planes) in [(1, 0), (0, 1), (0, 0x3F), (1, 0x15)] {
            let vertex_ops = VertexOps { point_size, clip_planes, ..VertexOps::default() };
            let what = format!("points {point_size}, clip planes {clip_planes:#x}");
            add(text, what, RuntimeInfo { vertex_ops, ..RuntimeInfo::default() });
        }
    }
    entries
}

type Text = (&'static str, fn(Version) -> bool, &'static str);

fn vs(version: Version) -> bool {
    version.stage == Stage::Vertex
}

fn ps(version: Version) -> bool {
    version.stage == Stage::Pixel
}

/// Name, the versions that it is for, and the shader without its first line.
const TEXTS: &[Text] = &[
    ("output registers", |v| vs(v) && v.major < 3, "dcl_position v0\ndcl_color v1\ndcl_texcoord v2
        mov oPos, v0\nmov oD0, v1\nmov oD1, v2\nmov oFog.x, v2.y\nmov oPts.x, v2.z
        mov oT0.xy, v2\nmov oT1, v1\nmov oT2.x, v2\nmov oT3, v0\nmov oT4.xyz, v2\nmov oT5, v1\nmov oT6, v2\nmov oT7.yw, v1"),
    ("outputs in parts", |v| vs(v) && v.major < 3, "dcl_position v0\ndcl_color v1
        mov oPos.xy, v0\nmov oPos.zw, v1\nmul oD0.xyz, v1, c0\nmov oD0.w, c1.x\nadd oT0.x, v0, v1\nadd oT0.y, v1.x, v0.y"),
    ("output semantics", |v| vs(v) && v.major == 3, "dcl_position v0\ndcl_color v1\ndcl_texcoord v2
        dcl_position o0\ndcl_color o1\ndcl_color1 o2\ndcl_fog o3.x\ndcl_psize o4.x\ndcl_texcoord o5.xy\ndcl_texcoord1 o5.zw
        dcl_normal o6.xyz\ndcl_tangent3 o7\ndcl_blendweight o8\ndcl_texcoord7 o9\ndcl_depth o10
        mov o0, v0\nmov o1, v1\nmov o2, v2\nmov o3.x, v2.y\nmov o4.x, v2.z\nmov o5, v1\nmov o6.xyz, v2\nmov o7, v0\nmov o8, v1
        mov o9, v2\nmov o10, v0"),
    ("relative outputs", |v| vs(v) && v.major == 3, "dcl_position v0\ndcl_color v1\ndcl_texcoord v2
        dcl_position o0\ndcl_texcoord o1\ndcl_texcoord1 o2\ndcl_texcoord2 o3\ndcl_texcoord3 o4
        defi i5, 3, 1, 1, 0\nmov o0, v0\nmov o1, v1\nmov o2, v1\nmov o3, v1\nmov o4, v1
        loop aL, i5\nadd o[aL + 1].xyz, v2, c[aL]\nendloop"),
    ("relative inputs", |v| vs(v) && v.major == 3, "dcl_position v0\ndcl_color v1\ndcl_texcoord v2\ndcl_normal v3
        dcl_position o0\ndcl_texcoord o1\nmov r0, c0\nmov o0, v0
        loop aL, i0\nadd r0, r0, v[aL]\nendloop\nmova a0.w, v3.x\nadd r0, r0, v[a0.w + 1]\nmov o1, r0"),
    ("address by mov", |v| v == Version::vs(1, 1), "dcl_position v0\ndcl_normal v1\ndcl_texcoord v3
        mov oPos, v0\nmov a0.x, v3.x\nmov oT0, c[a0.x]\nmov oT1, c[a0.x + 4]\nmov a0.x, -v3.y\nadd oT2, v1, c[a0.x + 7]
        m4x4 oT3, v1, c[a0.x + 2]"),
    ("constant files", |v| vs(v) && v.major == 2, "dcl_position v0\ndcl_normal v15\nmov oPos, v0\nmov r0, c255
        rep i15\nadd r0, r0, v15\nendrep\nif b15\nmov r0.x, v15\nendif\nif !b3\nmov r0.y, c31\nendif\nmov oT0, r0"),
    ("software constants", |v| vs(v) && v.major == 2 && v.is_software(), "dcl_position v0
        def c4000, 1.0, 2.0, 3.0, 4.0\nmov oPos, v0\nmov oT0, c8191\nmov oT1, c2048\nmov oT2, c4000\nadd oT3, v0, c300"),
    ("nested loops", |v| vs(v) && v.major == 2, "dcl_position v0\ndcl_normal v1\nmov oPos, v0\nmov r0, c0
        loop aL, i0\nadd r0, r0, c[aL]\nloop aL, i1\nmad r0, r0, c1, c[aL + 1]\nendloop\nadd r0, r0, c[aL + 2]\nendloop
        rep i2\nif b1\nadd r0, r0, v1\nelse\nsub r0, r0, v1\nendif\nendrep\nmov oT0, r0"),
    ("calls in loops", |v| vs(v) && v.major == 2, "dcl_position v0\ndcl_normal v1\nmov oPos, v0\nmov r0, c0
        loop aL, i0\ncall l0\ncallnz l1, b0\ncallnz l1, !b1\nendloop\nmov oT0, r0\nret
        label l0\nadd r0, r0, c[aL + 1]\ncall l1\nret\nlabel l1\nmad r0, r0, c1, v1\nret"),
    ("breaks in nested loops", |v| v.number() >= 0x201 && vs(v) && v.major == 2, "dcl_position v0\ndcl_normal v1
        mov oPos, v0\nmov r0, c0
        rep i0\nadd r0, r0, c1\nrep i1\nadd r0, r0, c2\nbreak_gt r0.x, c3.x\nif_lt r0.y, v1.y\nbreak\nendif\nadd r0.y, r0, c4
        endrep\nsetp_le p0, r0, v1\nbreakp p0.z\n(!p0) add r0, r0, v1\nendrep\nmov oT0, r0"),
    ("predicate of parts", |v| v.number() >= 0x201 && vs(v) && v.major == 2, "dcl_position v0\ndcl_normal v1
        mov oPos, v0\nsetp_gt p0, v1, c0\nsetp_lt p0.xy, v1, c1\nmov r0, c2\n(p0.yxwz) mov r0, v1\n(!p0) mov r0.xw, c3
        if p0.y\nadd r0, r0, c4\nendif\ncallnz l3, !p0.w\nmov oT0, r0\nret\nlabel l3\nmul r0, r0, c5\nret"),
    ("skinning", |v| vs(v) && v.major == 2, "dcl_position v0\ndcl_blendweight v1\ndcl_blendindices v2\ndcl_normal v3
        def c95, 3.0, 1.0, 0.0, 255.0\nmul r0, v2, c95.x\nmova a0, r0
        m4x3 r1.xyz, v0, c[a0.x + 4]\nm4x3 r2.xyz, v0, c[a0.y + 4]\nlrp r3.xyz, v1.x, r1, r2\nmov r3.w, c95.y
        m4x4 oPos, r3, c0\nm3x3 r4.xyz, v3, c[a0.x + 4]\nnrm r5.xyz, r4\ndp3 oT0, r5, c90\nmov oD0, r5"),
    ("two phases", |v| v == Version::ps(1, 4), "def c0, 0.5, 0.25, 2.0, 1.0
        texcrd r0.rgb, t0_dw.xyw\ntexld r1, t1\ntexld r2, t2\nmad r3.rgb, r1_bx2, c0.g, r0\n+ mov r3.a, c0.b
        phase\ntexld r4, r3\ntexkill r0\nmul r0.rgb, r4, v0\n+ add_x2_sat r0.a, r4, -v1"),
    ("combiners", |v| v.is_ps_before_1_4(), "def c0, 0.25, 0.5, 0.75, 1.0\ntex t0\ntex t1\ntexcoord t2
        dp3_sat r0.rgb, t0_bx2, v0_bx2\n+ mov r0.a, t1\nmad_x2 r1, 1-r0, c0, t1\nmul_d2 r0.rgb, r1_bias, -v1\n+ add_x4_sat r0.a, r1, t2
        lrp r0, c0.a, r0, t2"),
    ("colours and depth", |v| ps(v) && v.major == 2, "dcl v0\ndcl v1\ndcl t0\ndcl t1\ndcl_2d s0
        texld r0, t0, s0\nmov oC0, r0\nmov oC1, v0\nmov r1, v1\nmov oC2, r1\nmul r2, t1, c0\nmov oC3, r2\nmov oDepth, r2.x"),
    ("colours and depth", |v| ps(v) && v.major == 3, "dcl_texcoord v0\ndcl_color v1\ndcl_color1 v2.xyz\ndcl_fog v3.x
        dcl_texcoord5 v4.xy\ndcl_texcoord6 v4.zw\ndcl_normal2 v5\ndcl_2d s15\ntexld r0, v0, s15
        mov_sat oC0, r0\nadd oC1, v1, v2\nmad oC2, v4, c0, v3.x\nmov oC3.xw, v5\nmov oDepth.x, v4.y"),
    ("position and face", |v| ps(v) && v.major == 3, "dcl vPos.xy\ndcl vFace\ndcl_texcoord_centroid v0
        mul r0, vPos.xyxy, c0.x\nmov r1, vFace\ncmp oC0, vFace, r0, v0\nmov oC1, r1\nif_gt vFace, c1.w\nadd r0, r0, v0\nendif
        mov oC2, r0\ndsx oC3, r0"),
    ("nested flow", |v| ps(v) && v.major == 3, "dcl_texcoord v0\ndcl_texcoord1 v1\ndcl_2d s0\nmov r0, c0
        loop aL, i0\nadd r0, r0, v[aL]\nrep i1\nmad r0, r0, c1, v1\nbreak_gt r0.x, c2.x\nendrep\nif b0\ncall l0\nelse
        texldl r1, r0, s0\nadd r0, r0, r1\nendif\nendloop\nsetp_ge p0, r0, v1\n(p0) mov r0, v0\ncallnz l1, !p0.x\nmov oC0, r0\nret
        label l0\nadd r0, r0, c3\ncallnz l1, b1\nret\nlabel l1\nmul r0, r0, c4\nret"),
    ("kill in flow", |v| ps(v) && v.number() >= 0x201 && v.major == 2, "dcl t0\ndcl t1\nmov r0, c0\nmov r1, t1
        if_lt r1.x, c1.x\ntexkill t0\nadd r0, r0, c2\nendif\nsetp_gt p0, r1, c3\n(p0) add r0, r0, r1\nmov oC0, r0"),
    ("lookups of lookups", |v| ps(v) && v.number() >= 0x200 && v.major == 2, "dcl t0\ndcl t1\ndcl_2d s0\ndcl_2d s1\ndcl_cube s2
        dcl_volume s3\ntexld r0, t0, s0\nmad r0, r0, c0, t1\ntexld r1, r0, s1\nadd r1, r1, t0\ntexld r2, r1, s2\ntexldp r3, t1, s3
        texldb r4, t1, s0\nadd r2, r2, r3\nadd r2, r2, r4\nmov oC0, r2"),
];
