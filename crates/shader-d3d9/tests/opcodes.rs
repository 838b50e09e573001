//! What instructions compute, by the interpreter, against values worked out from the shader reference of the DirectX SDK
//! ("Asm Shader Reference"): the cases that the driver is held against too, and what is special to a model.

mod cases;
mod world;

use afterimage_ir::OutputAt;
use afterimage_shader_d3d9::lift::lift_program;
use afterimage_shader_d3d9::{
    Bank, Constants, FixedPixelRegister, Program, RuntimeInfo, Signature, assemble, io, lift,
};
use cases::{ARITHMETIC, FLOW, close, vertex_only};
use world::{World, constants, lifted, pixel, pixel_world};

/// Runs `body` in a vs_3_0 and gives r0. c0 to c3 are x, y, z, w of the documentation's examples.
fn vs(body: &str) -> [f32; 4] {
    let text = format!("vs_3_0\ndcl_texcoord o0\n{body}\nmov o0, r0");
    constants().run(&lifted(&text, &RuntimeInfo::default())).location(2)
}

/// Runs `body` in a ps_3_0 and gives r0, with the same constants.
fn ps(body: &str) -> [f32; 4] {
    constants().run(&lifted(&format!("ps_3_0\n{body}\nmov oC0, r0"), &RuntimeInfo::default())).location(0)
}

#[test]
fn arithmetic_follows_the_reference() {
    for (body, expected) in ARITHMETIC {
        let stages: &[fn(&str) -> [f32; 4]] = if vertex_only(body) { &[vs] } else { &[vs, ps] };
        for run in stages {
            let got = run(body);
            assert!(close(got, *expected), "{body}: {got:?} instead of {expected:?}");
        }
    }
}

#[test]
fn flow_control_follows_the_reference() {
    for (body, expected) in FLOW {
        let stages: &[fn(&str) -> [f32; 4]] = if vertex_only(body) { &[vs] } else { &[vs, ps] };
        for run in stages {
            assert_eq!(run(body)[0], *expected, "{body}");
        }
    }
}

#[test]
fn vs_1_1_has_its_own_rules() {
    let run = |body: &str| {
        let text = format!("vs_1_1\n{body}\nmov oT0, r0");
        constants().run(&lifted(&text, &RuntimeInfo::default())).location(2)
    };
    // Into a0, mov rounds down.
    assert_eq!(run("mov a0.x, -c1.y\nmov r0, c[a0.x + 0]"), [0.5, -1.5, 0.0, 8.0]);
    assert_eq!(run("mov a0.x, c1.y\nmov r0, c[a0.x + 4]"), [-2.0, 0.25, 1.0, 0.0]);
    // "expp - vs": the power of the floor, the fraction, the power, one; "logp - vs" is the same in all components.
    let expp = run("expp r0, -c1.y");
    assert!(close(expp, [2.0, 0.5, 2.828427, 1.0]), "{expp:?}");
    assert_eq!(run("logp r0, -c1.w"), [3.0; 4]);
    // Without a swizzle, the fourth component is taken.
    assert_eq!(run("rcp r0, c0"), [0.25; 4]);
    let from_2 = lifted("vs_2_0\nexpp r0, c0.z\nmov oT0, r0", &RuntimeInfo::default());
    assert_eq!(constants().run(&from_2).location(2), [8.0; 4]);
}

#[test]
fn subroutines_are_called() {
    let text = "vs_3_0
        dcl_texcoord o0
        mov r0, c0.x
        call l0
        callnz l1, b1
        callnz l1, !b1
        loop aL, i1
            call l2
        endloop
        mov o0, r0
        ret
        label l0
        add r0, r0, c0.x
        call l1
        ret
        label l1
        add r0, r0, c0.w
        ret
        label l2
        add r0.y, r0.y, c[aL].w
        ret";
    let got = constants().run(&lifted(text, &RuntimeInfo::default())).location(2);
    assert_eq!(got, [10.0, 22.0, 10.0, 10.0]);
}

#[test]
fn relative_outputs_and_inputs() {
    let text = "vs_3_0
        dcl_texcoord0 v0
        dcl_texcoord1 v1
        dcl_texcoord0 o0
        dcl_texcoord1 o1
        dcl_texcoord2 o2
        loop aL, i1
            mov o[aL], v[aL]
        endloop";
    let world = constants().input(0, [1.0; 4]).input(1, [2.0; 4]);
    let results = world.run(&lifted(text, &RuntimeInfo::default()));
    assert_eq!([2, 3, 4].map(|location| results.location(location)[0]), [1.0, 2.0, 0.0]);
}

#[test]
fn pixel_opcodes_follow_the_reference() {
    let cases: &[(&str, [f32; 4])] = &[
        ("ps_2_0\ndcl t0\ndcl_2d s3\ntexld r0, t0, s3\nmov oC0, r0", [0.5, 0.25, 3.0, 1.0]),
        ("ps_2_0\ndcl t0\ndcl_2d s3\ntexldp r0, t0, s3\nmov oC0, r0", [0.125, 0.0625, 3.0, 1.0]),
        ("ps_2_0\ndcl t0\ndcl_cube s3\ntexld r0, t0, s3\nmov oC0, r0", [0.5, 0.25, 2.0, 1.0]),
        ("ps_2_0\ndcl t0\ndcl_volume s3\ntexldb r0, t0, s3\nmov oC0, r0", [0.5, 0.25, 2.0, 1.0]),
        ("ps_3_0\ndcl_texcoord v0\ndcl_2d s0\ntexldl r0, v0, s0.wzyx\nmov oC0, r0", [1.0, 0.0, 0.25, 0.5]),
        ("ps_2_0\ndcl v0\nmov oC0, v0", [0.1, 0.2, 0.3, 0.4]),
        ("ps_2_0\ncmp r0, c1, c0, -c0\nmov oC0, r0", [1.0, 2.0, -3.0, 4.0]),
        // Infinity less infinity is no number, so it is not at least zero.
        (
            "ps_2_0\ndef c3, 0x7f800000, 0, 0, 0\nmov r1, c3.x\nsub r1, r1, r1\ncmp r0, r1, c0, c1\nmov oC0, r0",
            [0.25, 0.75, -1.0, 0.5],
        ),
        ("ps_2_0\ndp2add r0, c0, c1, c0.w\nmov oC0, r0", [5.75; 4]),
        ("ps_3_0\ndcl_texcoord9 v4.xy\nmov oC0, v4", [0.0; 4]),
        // Model 1.
        ("ps_1_1\ntex t1\nmov r0, t1", [-0.5, 0.125, 1.0, 1.0]),
        ("ps_1_1\ntexcoord t0\nmov r0, t0", [0.5, 0.25, 1.0, 1.0]),
        ("ps_1_1\ntex t0\ntexreg2ar t1, t0\nmov r0, t1", [1.0, 0.5, 1.0, 1.0]),
        ("ps_1_1\ntex t0\ntexreg2gb t1, t0\nmov r0, t1", [0.25, 0.0, 1.0, 1.0]),
        // The texel of stage 0 is (0.5, 0.25, 0, 1); stage 1's coordinates are (-0.5, 0.125, 0), stage 2's (1, 2, 3).
        ("ps_1_2\ntex t0\ntexdp3 t1, t0\nmov r0, t1", [-0.21875; 4]),
        ("ps_1_2\ntex t0\ntexdp3tex t2, t0\nmov r0, t2", [1.0, 0.0, 2.0, 1.0]),
        ("ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2", [-0.21875, 1.0, 2.0, 1.0]),
        ("ps_1_2\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3 t3, t0\nmov r0, t3", [-0.21875, 1.0, 0.5, 1.0]),
        (
            "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3spec t3, t0, c2\nmov r0, t3",
            [-0.337096, 0.541008, 3.0, 1.0],
        ),
        (
            "ps_1_1\ntex t0\ntexm3x3pad t1, t0\ntexm3x3pad t2, t0\ntexm3x3vspec t3, t0\nmov r0, t3",
            [-2.44319, 2.597442, 3.0, 1.0],
        ),
        ("ps_1_0\ntex t1\nmov r0, t1", [-0.5, 0.125, 1.0, 1.0]),
        ("ps_1_1\nadd_x2 r0, c1, v0", [0.7, 1.9, -1.4, 1.8]),
        // The shift comes before the clamp.
        ("ps_1_1\nadd_x2_sat r0, c1, v0", [0.7, 1.0, 0.0, 1.0]),
        ("ps_1_4\nmov_x8 r0, c1", [2.0, 6.0, -8.0, 4.0]),
        ("ps_1_4\nmov_d8 r0, c1", [0.03125, 0.09375, -0.125, 0.0625]),
        ("ps_1_4\nmov r1, c1\nmov r0, -r1_x2", [-0.5, -1.5, 2.0, -1.0]),
        // Constants of model 1 are clamped to -1..1, the application's and the shader's own.
        ("ps_1_1\nmov r0, c0", [1.0; 4]),
        ("ps_1_4\ndef c3, 2.0, -3.0, 0.5, 1.0\nmov r0, c3", [1.0, -1.0, 0.5, 1.0]),
        ("ps_2_0\ndef c3, 2.0, -3.0, 0.5, 1.0\nmov r0, c3\nmov oC0, r0", [2.0, -3.0, 0.5, 1.0]),
        // "cnd - ps", "cmp - ps".
        ("ps_1_2\nmov r1, c1\ncmp r0, r1, c2, -c2", [0.0, 1.0, 0.0, 0.0]),
        ("ps_1_4\ntexcrd r0.rgb, t0_dw.xyw\nmov r0.a, c1.r", [0.125, 0.0625, 1.0, 0.25]),
        ("ps_1_4\ntexcrd r1.rgb, t0\nphase\ntexld r2, r1_dz\nmov r0, r2", [0.25, 0.125, 2.0, 1.0]),
        ("ps_3_0\ndcl_texcoord v0\ndcl_2d s1\ntexldd_sat r0, v0, s1, v0, v0\nmov oC0, r0", [0.5, 0.25, 1.0, 1.0]),
        (
            "ps_2_x\ndcl t1\ndcl_2d s1\nsetp_gt p0, t1, c2\nmov r0, c0\n(p0.w) texld r0, t1, s1\nmov oC0, r0",
            [-0.5, 0.125, 1.0, 1.0],
        ),
        ("ps_1_1\nmov_d2 r0, c1_bias", [-0.125, 0.125, -0.75, 0.0]),
        ("ps_1_1\nmov r0, c1_bx2", [-0.5, 0.5, -3.0, 0.0]),
        ("ps_1_1\nmov r0, 1-c1", [0.75, 0.25, 2.0, 0.5]),
        ("ps_1_1\nmov r0, c1\nmov r0.a, c0.a\ncnd r0, r0.a, c0, c1", [1.0; 4]),
        ("ps_1_4\ncnd r0, c1, c0, c1", [0.25, 1.0, -1.0, 0.5]),
        ("ps_1_4\ntexld r0, t0_dz.xyz\nmov r0.b, c0.r", [0.25, 0.125, 1.0, 1.0]),
        // Both halves of a co-issued pair read what stood there before.
        ("ps_1_1\nmov r0, c0\nmov r0.rgb, c1\n+ mov r0.a, r0.b", [0.25, 0.75, -1.0, 1.0]),
    ];
    for (text, expected) in cases {
        let got = pixel(text, RuntimeInfo::default(), pixel_world()).location(0);
        assert!(close(got, *expected), "{text}: {got:?} instead of {expected:?}");
    }
}

#[test]
fn texkill_position_face_depth() {
    let kill = |register: &str| {
        let text = format!("ps_3_0\ndcl_texcoord1 v1\nmov r0, {register}\ntexkill r0\nmov oC0, r0");
        pixel(&text, RuntimeInfo::default(), pixel_world()).demoted
    };
    assert!(kill("v1") && !kill("-v1.xzzz") && kill("c1"));

    let world = World { frag_coord: [10.5, 7.5, 0.25, 1.0], front: false, ..World::default() };
    let text = "ps_3_0\ndcl vPos.xy\ndcl vFace\nmov oC0.xy, vPos\nmov oC0.zw, vFace\nmov oDepth, vPos.x";
    let results = pixel(text, RuntimeInfo::default(), world);
    assert_eq!(results.location(0), [10.0, 7.0, -1.0, -1.0]);
    let text = "ps_3_0\ndcl vFace\nmov r0, c0\nif_lt vFace, c2.x\nmov r0, c1\nendif\nmov oC0, r0";
    assert_eq!(pixel(text, RuntimeInfo::default(), pixel_world()).location(0), [0.25, 0.75, -1.0, 0.5]);
    // Depth is clamped to what a depth buffer holds.
    assert_eq!(results.at(OutputAt::FragDepth)[0], 1.0);
}

#[test]
fn depth_opcodes_of_model_1() {
    let depth = |text: &str| pixel(text, RuntimeInfo::default(), pixel_world()).at(OutputAt::FragDepth)[0];
    // The texel is (0.5, 0.25, 0), which _bx2 makes (0, -0.5, -1); t1 to t3 are (-0.5, 0.125, 0), (1, 2, 3), (1, 0, 0).
    assert_eq!(depth("ps_1_3\ntex t0\ntexm3x2pad t1, t0_bx2\ntexm3x2depth t2, t0_bx2\nmov r0, c0"), 0.015625);
    assert_eq!(depth("ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, c0"), 0.0);
    assert_eq!(depth("ps_1_3\ntex t0\ntexm3x2pad t2, t0\ntexm3x2depth t3, t0\nmov r0, c0"), 1.0);
    assert_eq!(depth("ps_1_3\ntex t0\ntexm3x2pad t2, t0_bx2\ntexm3x2depth t3, t0_bx2\nmov r0, c0"), 1.0);
    // A green of two counts as one.
    assert_eq!(depth("ps_1_4\ntexcrd r5.rgb, t2\nphase\ntexdepth r5\nmov r0, c0"), 1.0);
    let both_negative = "ps_1_4\ntexcrd r5.rgb, t0\nmul r5.rg, r5, -c1\nphase\ntexdepth r5\nmov r0, c0";
    assert!((depth(both_negative) - 2.0 / 3.0).abs() < 1e-6);
}

#[test]
fn missing_inputs_read_their_defaults() {
    let tokens = assemble("ps_2_0\ndcl v0\ndcl v1\ndcl t0\nadd r0, v0, v1\nadd r0, r0, t0\nmov oC0, r0").unwrap();
    let results = pixel_world().run(&lift(&tokens, &RuntimeInfo::default()).unwrap());
    assert_eq!(results.location(0), [1.0; 4]);
}

#[test]
fn colours_are_clamped_before_model_3() {
    let results = constants().run(&lifted("vs_2_0\nmov oPos, c0\nmov oD1, c1", &RuntimeInfo::default()));
    assert_eq!(results.location(1), [0.5, 0.0, 0.0, 1.0]);
    assert_eq!(results.at(OutputAt::Position), [1.0, 2.0, 3.0, 4.0]);
    // Components that are not written: those of the first colour are one, all others zero, as on all hardware.
    let text = "vs_1_1\nmov oD0.x, c1\nmov oD1.x, c1\nmov oT0.x, c1\nmov oFog.x, c0.y\nmov oPts.x, c0.w";
    let results = constants().run(&lifted(text, &RuntimeInfo::default()));
    assert_eq!(results.location(0), [0.5, 1.0, 1.0, 1.0]);
    assert_eq!(results.location(1), [0.5, 0.0, 0.0, 0.0]);
    assert_eq!(results.location(2), [0.5, 0.0, 0.0, 0.0]);
    assert_eq!(results.location(io::FOG_LOCATION)[0], 1.0);
    assert_eq!(results.at(OutputAt::PointSize)[0], 4.0);
    let results = constants().run(&lifted("vs_3_0\ndcl_color1 o3\nmov o3, c1", &RuntimeInfo::default()));
    assert_eq!(results.location(1), [0.5, -1.5, 0.0, 8.0]);
}

#[test]
fn colour_inputs_are_clamped_before_model_3() {
    let world = || World::default().input(0, [1.5, -0.5, 0.25, 1.0]);
    let run = |text: &str| pixel(text, RuntimeInfo::default(), world()).location(0);
    for text in ["ps_1_1\nmov r0, v0", "ps_1_4\nmov r0, v0", "ps_2_0\ndcl v0\nmov oC0, v0"] {
        assert_eq!(run(text), [1.0, 0.0, 0.25, 1.0], "{text}");
    }
    assert_eq!(run("ps_3_0\ndcl_color v0\nmov oC0, v0"), [1.5, -0.5, 0.25, 1.0]);
}

/// The formulas of "texbem - ps", "texbeml - ps" and "bem - ps", with the matrix (1, 0.5; 2, -1).
#[test]
fn bump_opcodes_follow_the_reference() {
    let run = |text: &str, stage: u16| {
        let world = pixel_world()
            .float(Bank::FixedPixel, FixedPixelRegister::BumpMatrix.element(stage), [1.0, 0.5, 2.0, -1.0])
            .float(Bank::FixedPixel, FixedPixelRegister::BumpLuminance.element(stage), [0.5, 0.5, 0.0, 0.0]);
        pixel(text, RuntimeInfo::default(), world).location(0)
    };
    // The texel of stage 0 is (0.5, 0.25); the coordinates of stage 1 are (-0.5, 0.125).
    assert_eq!(run("ps_1_1\ntex t0\ntexbem t1, t0\nmov r0, t1", 1), [0.5, 0.125, 1.0, 1.0]);
    // The texel of stage 2 is (1, 2, 2), the coordinates of stage 3 are (1, 0): (6, -1.5), times 2 * 0.5 + 0.5.
    assert_eq!(run("ps_1_3\ntex t2\ntexbeml t3, t2\nmov r0, t3", 3), [9.0, -2.25, 4.5, 1.5]);
    // (0.25, 0.75) moved by (0.5, 0.25); blue is what stood there.
    let bem = "ps_1_4\ntexcrd r0.rgb, t0\ntexcrd r1.rgb, t1\nbem r1.rg, c1, r0\nmov r0.rgb, r1\nmov r0.a, c1.b";
    assert_eq!(run(bem, 1), [1.25, 0.75, 0.0, -1.0]);
}

#[test]
fn texture_stage_flags_change_lookups() {
    let run = |text: &str, slot: usize, flags: u8| {
        let mut runtime = RuntimeInfo::default();
        runtime.textures[slot] = flags;
        pixel(text, runtime, pixel_world()).location(0)
    };
    // Coordinates (0.5, 0.25, 2, 4).
    assert_eq!(run("ps_1_1\ntex t0\nmov r0, t0", 0, io::bound::PROJECTED), [0.125, 0.0625, 0.0, 1.0]);
    assert_eq!(run("ps_1_4\ntexld r0, t0", 0, io::bound::PROJECTED), [0.5, 0.25, 0.0, 1.0]);
    assert_eq!(run("ps_1_1\ntex t0\nmov r0, t0", 0, io::bound::CUBE), [0.5, 0.25, 2.0, 1.0]);
    let compared = run("ps_1_1\ntex t0\nmov r0, t0", 0, io::bound::PROJECTED | io::bound::SHADOW);
    assert_eq!(compared, [0.125, 0.0625, 0.0, 0.5]);
    // Computed coordinates have two components; where a third is wanted after all, it is zero.
    let by_texel = "ps_1_1\ntex t0\ntexreg2ar t1, t0\nmov r0, t1";
    assert_eq!(run(by_texel, 1, io::bound::SHADOW), [1.0, 0.5, 1.0, 0.0]);
    assert_eq!(run(by_texel, 1, io::bound::CUBE), [1.0, 0.5, 0.0, 1.0]);
    let by_matrix = "ps_1_1\ntex t0\ntexm3x2pad t1, t0\ntexm3x2tex t2, t0\nmov r0, t2";
    assert_eq!(run(by_matrix, 2, io::bound::SHADOW), [-0.21875, 1.0, 2.0, 0.0]);
    // Four texels: above right, below left, below right, above left.
    for lookup in ["texld", "texldp", "texldb", "texldl"] {
        let text = format!("ps_3_0\ndcl_texcoord v0\ndcl_2d s1\n{lookup} r0, v0, s1\nmov oC0, r0");
        assert_eq!(run(&text, 1, io::bound::FETCH4), [3.0, 1.0, 2.0, 4.0], "{lookup}");
    }
    // Of what has alpha alone, that is gathered.
    let mut runtime = RuntimeInfo::default();
    runtime.textures[1] = io::bound::FETCH4 | io::bound::FETCH4_ALPHA;
    let tokens = assemble("ps_3_0\ndcl_texcoord v0\ndcl_2d s1\ntexld r0, v0, s1\nmov oC0, r0").unwrap();
    let module = lift(&tokens, &runtime).unwrap();
    assert!(module.to_string().lines().any(|line| line.contains("gather") && line.contains(".w")), "{module}");
    let volume = "ps_2_0\ndcl t0\ndcl_volume s1\ntexld r0, t0, s1\nmov oC0, r0";
    assert_eq!(run(volume, 1, io::bound::FETCH4), [0.5, 0.25, 2.0, 1.0]);
}

#[test]
fn what_is_bound_counts_and_not_what_is_declared() {
    let run = |declared: &str, bound: u8| {
        let text = format!("ps_3_0\ndcl_texcoord v0\ndcl_{declared} s1\ntexld r0, v0, s1\nmov oC0, r0");
        let mut runtime = RuntimeInfo::default();
        runtime.textures[1] = bound;
        pixel(&text, runtime, pixel_world()).location(0)
    };
    let (two, three) = ([0.5, 0.25, 1.0, 1.0], [0.5, 0.25, 2.0, 1.0]);
    for (declared, bound, texel) in [
        ("2d", io::bound::NONE, two),
        ("2d", io::bound::D3, three),
        ("2d", io::bound::CUBE, three),
        ("volume", io::bound::NONE, three),
        ("volume", io::bound::D2, two),
        ("cube", io::bound::D2, two),
        ("cube", io::bound::D2 | io::bound::FETCH4, [3.0, 1.0, 2.0, 4.0]),
    ] {
        assert_eq!(run(declared, bound), texel, "dcl_{declared} with {bound}");
    }
}

/// "texkill - ps": three components in model 1, those of the mask later, and only where the predicate is true.
#[test]
fn texkill_tests_the_components_of_its_model() {
    let kills = |text: &str| {
        let world = World::default().input(2, [1.0, 1.0, 1.0, -1.0]).input(3, [-1.0, 1.0, 1.0, 1.0]);
        pixel(text, RuntimeInfo::default(), world).demoted
    };
    assert!(!kills("ps_1_1\ntexkill t0\nmov r0, c0"));
    assert!(kills("ps_1_1\ntexkill t1\nmov r0, c0"));
    assert!(!kills("ps_1_4\ntexcrd r1.rgb, t0\nphase\ntexkill r1\nmov r0, c0"));
    assert!(kills("ps_2_0\ndcl t0\ntexkill t0\nmov oC0, c0"));
    assert!(!kills("ps_3_0\ndcl_texcoord v0\ntexkill v0.xyz\nmov oC0, c0"));
    let predicated = |predicate: &str| {
        kills(&format!("ps_2_x\ndcl t0\ndef c1, 0, 0, 0, 0\nsetp_lt p0, t0, c1\n({predicate}) texkill t0\nmov oC0, c0"))
    };
    assert!(predicated("p0") && !predicated("!p0") && predicated("p0.w") && !predicated("p0.x"));
}

#[test]
fn calls_by_predicate_and_nested() {
    let run = |condition: &str| {
        let text = format!(
            "vs_2_x\nsetp_gt p0, c0.y, c0.xzww\nmov r0, c0.x\ncallnz l0, {condition}\nmov oT0, r0\nret\n\
             label l0\nmov r0, c0.y\ncall l1\nret\nlabel l1\nadd r0, r0, c0.x\ncall l2\nret\n\
             label l2\nadd r0, r0, c0.x\ncall l3\nret\nlabel l3\nadd r0, r0, c0.x\nret"
        );
        constants().run(&lifted(&text, &RuntimeInfo::default())).location(2)[0]
    };
    // 2 is greater than 1, and neither than 3 nor than 4.
    let got = ["p0.x", "!p0.x", "p0.y", "!p0.w", "b1", "!b1"].map(run);
    assert_eq!(got, [5.0, 1.0, 1.0, 5.0, 5.0, 1.0]);
}

#[test]
fn software_models_have_all_constants() {
    let text = "vs_2_sw
        def c8000, 0.5, 0, 0, 0
        defi i2000, 2, 0, 0, 0
        mov r0, c3000
        add r0, r0, c8000.x
        rep i2000
            add r0, r0, c8191.x
        endrep
        mova a0.x, c0.w
        add r0, r0, c[a0.x + 5000]
        if b2047
            add r0, r0, c3000
        endif
        mov oT0, r0";
    let world = constants()
        .float(Bank::VertexFloat, 3000, [1.0; 4])
        .float(Bank::VertexFloat, 8191, [10.0; 4])
        .float(Bank::VertexFloat, 5004, [100.0; 4])
        .int(Bank::VertexBool, 2047, [1, 0, 0, 0]);
    assert_eq!(world.run(&lifted(text, &RuntimeInfo::default())).location(2), [122.5; 4]);
}

/// Devices that process vertices in software grant them to other models too.
#[test]
fn constants_of_software_are_granted() {
    // vs_2_0; add oT0, c2, c2500
    let tokens = [0xFFFE_0200, 0x0300_0002, 0xE00F_0000, 0xA0E4_0002, 0xB0E4_0800 | 452, 0xFFFF];
    assert!(Program::parse(&tokens).is_err());
    let program = Program::parse_with(&tokens, Constants::OfSoftware).unwrap();
    let module = lift_program(&program, &Signature::of(&program), &RuntimeInfo::default()).unwrap();
    let world = constants().float(Bank::VertexFloat, 2500, [1.0; 4]);
    assert_eq!(world.run(&module).location(2), [-1.0, 1.25, 2.0, 1.0]);
    assert_eq!(program.encode(), tokens);
}

/// "dcl_usage output register - vs": outputs of different semantics can share a register, and one semantic can be split.
#[test]
fn semantics_are_packed_and_split() {
    let text = "vs_3_0
        dcl_texcoord0 o1.xy
        dcl_texcoord1 o1.zw
        dcl_color0 o2.xyz
        dcl_color0 o3.w
        mov o1, c0
        mov o2, c1
        mov o3, c2.y";
    let results = constants().run(&lifted(text, &RuntimeInfo::default()));
    assert_eq!(results.location(2), [1.0, 2.0, 0.0, 0.0]);
    assert_eq!(results.location(3), [0.0, 0.0, 3.0, 4.0]);
    assert_eq!(results.location(0), [0.5, -1.5, 0.0, 0.25]);
    let text = "ps_3_0\ndcl_texcoord0 v1.xy\ndcl_texcoord2 v1.zw\nmov oC0, v1";
    assert_eq!(pixel(text, RuntimeInfo::default(), pixel_world()).location(0), [0.5, 0.25, 3.0, 4.0]);

    // As Wine's compiler packs: the second declaration means the components that are free.
    let text = "vs_3_0\ndcl_texcoord0 o1.x\ndcl_texcoord1 o1.xyz\nmov o1, c0";
    let results = constants().run(&lifted(text, &RuntimeInfo::default()));
    assert_eq!(results.location(2), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(results.location(3), [2.0, 3.0, 4.0, 0.0]);
    let text = "vs_3_0\ndcl_fog o1.x\ndcl_psize o1\nmov o1, c0";
    let results = constants().run(&lifted(text, &RuntimeInfo::default()));
    assert_eq!((results.location(io::FOG_LOCATION)[0], results.at(OutputAt::PointSize)[0]), (1.0, 2.0));
    let text = "ps_3_0\ndcl_texcoord0 v1.xy\ndcl_texcoord2 v1.xy\nmov oC0, v1";
    assert_eq!(pixel(text, RuntimeInfo::default(), pixel_world()).location(0), [0.5, 0.25, 1.0, 2.0]);
}
