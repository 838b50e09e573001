//! What instructions compute, by the interpreter, against values worked out from the shader reference.

mod cases;

use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, Dim, InputAt, InputDecl, Module, OutputAt, TextureDecl, verify};
use afterimage_shader_d3d9::ffp::{lift_fixed_pixel, lift_fixed_vertex};
use afterimage_shader_d3d9::{
    Bank, FixedInput, FixedPixelKey, FixedPixelRegister, FixedStage, FixedVertexKey, FixedVertexRegister, LinkInfo,
    RuntimeInfo, SystemRegister, TexCoordKey, assemble, io, lift, signature,
};
use cases::{ARITHMETIC, BOOLS, FLOATS, FLOW, INTS, close, vertex_only};
use std::collections::HashMap;

/// Constants by bank and register, inputs by location; textures give their coordinates and slot.
#[derive(Default)]
struct World {
    constants: HashMap<(u8, u32), [u32; 4]>,
    inputs: HashMap<u8, [f32; 4]>,
    frag_coord: [f32; 4],
    front: bool,
}

impl World {
    fn float(mut self, bank: Bank, register: u16, value: [f32; 4]) -> Self {
        self.constants.insert((bank as u8, register.into()), value.map(f32::to_bits));
        self
    }

    fn int(mut self, bank: Bank, register: u16, value: [i32; 4]) -> Self {
        self.constants.insert((bank as u8, register.into()), value.map(i32::cast_unsigned));
        self
    }

    fn input(mut self, location: u8, value: [f32; 4]) -> Self {
        self.inputs.insert(location, value);
        self
    }

    fn run(&self, module: &Module) -> Results {
        assert_eq!(verify(module), Ok(()), "{module}");
        let outcome = Interpreter::new(module).expect("verified").run(self).expect("ends");
        let values = module.outputs.iter().zip(&outcome.outputs);
        let values = values.map(|(decl, lanes)| (decl.at, lanes[0].map(f32::from_bits))).collect();
        Results { values, demoted: outcome.demoted[0] }
    }
}

struct Results {
    values: Vec<(OutputAt, [f32; 4])>,
    demoted: bool,
}

impl Results {
    fn at(&self, at: OutputAt) -> [f32; 4] {
        self.values.iter().find(|(other, _)| *other == at).expect("the output exists").1
    }

    fn location(&self, location: u8) -> [f32; 4] {
        self.at(OutputAt::Location(location))
    }
}

impl Environment for World {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        match decl.at {
            InputAt::Location(location) => self.inputs.get(&location).copied().unwrap_or([0.0; 4]).map(f32::to_bits),
            InputAt::FragCoord => self.frag_coord.map(f32::to_bits),
            InputAt::FrontFacing => [u32::from(self.front), 0, 0, 0],
            _ => [0; 4],
        }
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        self.constants.get(&(bank.id, index)).copied().unwrap_or([0; 4])
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        let third = if texture.dim == Dim::D2 { f32::from(texture.slot) } else { args.coord[2] };
        [args.coord[0], args.coord[1], third, args.reference.unwrap_or(1.0)]
    }
}

fn lifted(text: &str, runtime: &RuntimeInfo) -> Module {
    let tokens = assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    lift(&tokens, runtime).unwrap_or_else(|e| panic!("{e}\n{text}"))
}

/// Runs `body` in a vs_3_0 and gives r0. c0 to c3 are x, y, z, w of the documentation's examples.
fn vs(body: &str) -> [f32; 4] {
    let text = format!("vs_3_0\ndcl_texcoord o0\n{body}\nmov o0, r0");
    constants().run(&lifted(&text, &RuntimeInfo::default())).location(2)
}

/// Runs `body` in a ps_3_0 and gives r0, with the same constants.
fn ps(body: &str) -> [f32; 4] {
    constants().run(&lifted(&format!("ps_3_0\n{body}\nmov oC0, r0"), &RuntimeInfo::default())).location(0)
}

fn constants() -> World {
    let mut world = World::default();
    for (register, value) in (0..).zip(FLOATS) {
        world = world.float(Bank::VertexFloat, register, value).float(Bank::PixelFloat, register, value);
    }
    for (register, value) in (0..).zip(INTS) {
        world = world.int(Bank::VertexInt, register, value).int(Bank::PixelInt, register, value);
    }
    for (register, value) in (0..).zip(BOOLS) {
        let value = [value.into(), 0, 0, 0];
        world = world.int(Bank::VertexBool, register, value).int(Bank::PixelBool, register, value);
    }
    world
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
fn vs_1_1_has_its_own_rules() {
    let run = |body: &str| {
        let text = format!("vs_1_1\n{body}\nmov oT0, r0");
        constants().run(&lifted(&text, &RuntimeInfo::default())).location(2)
    };
    // Into a0, mov rounds down.
    assert_eq!(run("mov a0.x, -c1.y\nmov r0, c[a0.x + 0]"), [0.5, -1.5, 0.0, 8.0]);
    let expp = run("expp r0, -c1.y");
    assert!(close(expp, [2.0, 0.5, 2.828427, 1.0]), "{expp:?}");
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

/// Runs a pixel shader and gives oC0. Inputs and constants as for vertex shaders.
fn pixel(text: &str, mut runtime: RuntimeInfo, world: World) -> Results {
    let tokens = assemble(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    runtime.link = LinkInfo::of_pixel_shader(&signature(&tokens).expect("assembled"));
    world.run(&lift(&tokens, &runtime).unwrap_or_else(|e| panic!("{e}\n{text}")))
}

fn pixel_world() -> World {
    World::default()
        .float(Bank::PixelFloat, 0, [1.0, 2.0, 3.0, 4.0])
        .float(Bank::PixelFloat, 1, [0.25, 0.75, -1.0, 0.5])
        .input(0, [0.1, 0.2, 0.3, 0.4])
        .input(2, [0.5, 0.25, 2.0, 4.0])
        .input(3, [-0.5, 0.125, 0.0, 1.0])
        .input(4, [1.0, 2.0, 3.0, 4.0])
        .input(5, [1.0, 0.0, 0.0, 1.0])
        .float(Bank::PixelFloat, 2, [0.0, 1.0, 0.0, 0.0])
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
        ("ps_1_1\nadd_x2 r0, c1, v0", [0.7, 1.9, -1.4, 1.8]),
        ("ps_1_1\nmov_d2 r0, c1_bias", [-0.125, 0.125, -0.75, 0.0]),
        ("ps_1_1\nmov r0, c1_bx2", [-0.5, 0.5, -3.0, 0.0]),
        ("ps_1_1\nmov r0, 1-c1", [0.75, 0.25, 2.0, 0.5]),
        ("ps_1_1\nmov r0, c1\nmov r0.a, c0.a\ncnd r0, r0.a, c0, c1", [1.0, 2.0, 3.0, 4.0]),
        ("ps_1_4\ncnd r0, c1, c0, c1", [0.25, 2.0, -1.0, 0.5]),
        ("ps_1_4\ntexld r0, t0_dz.xyz\nmov r0.b, c0.r", [0.25, 0.125, 1.0, 1.0]),
        // Both halves of a co-issued pair read what stood there before.
        ("ps_1_1\nmov r0, c0\nmov r0.rgb, c1\n+ mov r0.a, r0.b", [0.25, 0.75, -1.0, 3.0]),
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
    assert_eq!(results.at(OutputAt::FragDepth)[0], 10.0);
}

#[test]
fn depth_opcodes_of_model_1() {
    let depth = |text: &str| pixel(text, RuntimeInfo::default(), pixel_world()).at(OutputAt::FragDepth)[0];
    // (-0.5, 0.125, 0) and (1, 2, 3) times the texel (0.5, 0.25, 0).
    assert_eq!(depth("ps_1_3\ntex t0\ntexm3x2pad t1, t0\ntexm3x2depth t2, t0\nmov r0, c0"), -0.21875);
    assert_eq!(depth("ps_1_4\ntexcrd r5.rgb, t2\nphase\ntexdepth r5\nmov r0, c0"), 0.5);
}

#[test]
fn missing_inputs_read_their_defaults() {
    let tokens = assemble("ps_2_0\ndcl v0\ndcl v1\ndcl t0\nadd r0, v0, v1\nadd r0, r0, t0\nmov oC0, r0").unwrap();
    let results = pixel_world().run(&lift(&tokens, &RuntimeInfo::default()).unwrap());
    assert_eq!(results.location(0), [1.0; 4]);
}

#[test]
fn alpha_test_and_fog_are_appended() {
    let with = |alpha_compare, fog| {
        let runtime =
            RuntimeInfo { pixel_ops: io::PixelOps { alpha_compare, fog, ..Default::default() }, ..Default::default() };
        let world = World { frag_coord: [0.5, 0.5, 0.5, 0.1], ..pixel_world() }
            .float(Bank::System, SystemRegister::AlphaReference.register(), [0.4, 0.0, 0.0, 0.0])
            .float(Bank::System, SystemRegister::FogColor.register(), [1.0, 0.0, 0.0, 0.0])
            .float(Bank::System, SystemRegister::Fog.register(), [0.0, 40.0, 1.0 / 40.0, 0.0])
            .input(io::FOG_LOCATION, [0.5, 0.0, 0.0, 0.0]);
        pixel("ps_2_0\ndcl v0\nmov oC0, v0", runtime, world)
    };
    // Alpha is 0.4 and so is the reference.
    let passes = [0, 1, 2, 3, 4, 5, 6, 7].map(|compare| !with(compare, 0).demoted);
    assert_eq!(passes, [false, false, true, true, false, false, true, true]);
    // w is 10 of 40, so three quarters of the colour stay; alpha has no fog.
    assert!(close(with(7, 3).location(0), [0.325, 0.15, 0.225, 0.4]));
    assert!(close(with(7, 4).location(0), [0.55, 0.1, 0.15, 0.4]));
}

#[test]
fn colours_are_clamped_before_model_3() {
    let results = constants().run(&lifted("vs_2_0\nmov oPos, c0\nmov oD1, c1", &RuntimeInfo::default()));
    assert_eq!(results.location(1), [0.5, 0.0, 0.0, 1.0]);
    assert_eq!(results.at(OutputAt::Position), [1.0, 2.0, 3.0, 4.0]);
    let results = constants().run(&lifted("vs_3_0\ndcl_color1 o3\nmov o3, c1", &RuntimeInfo::default()));
    assert_eq!(results.location(1), [0.5, -1.5, 0.0, 8.0]);
}

#[test]
fn point_size_and_clip_planes_come_from_the_system_block() {
    let vertex_ops = io::VertexOps { point_size: 1, clip_planes: 0b100010 };
    let world = constants()
        .float(Bank::System, SystemRegister::PointSize.register(), [5.0, 0.0, 0.0, 0.0])
        .float(Bank::System, SystemRegister::ClipPlane.element(1), [1.0, 0.0, 0.0, 0.5])
        .float(Bank::System, SystemRegister::ClipPlane.element(5), [0.0, 1.0, 0.0, 0.0]);
    let results = world.run(&lifted("vs_1_1\nmov oPos, c0", &RuntimeInfo { vertex_ops, ..Default::default() }));
    assert_eq!(results.at(OutputAt::PointSize)[0], 5.0);
    assert_eq!(results.at(OutputAt::ClipDistance(0))[..2], [3.0, 2.0]);
}

fn identity(mut world: World, first: u16) -> World {
    for row in 0..4 {
        let mut value = [0.0; 4];
        value[usize::from(row)] = 1.0;
        world = world.float(Bank::FixedVertex, first + row, value);
    }
    world
}

fn fixed_world() -> World {
    use FixedVertexRegister as R;
    let mut world = World::default();
    for first in [R::WorldViewProjection, R::WorldView] {
        world = identity(world, first.register());
    }
    let mut world = identity(world, R::Normal.register());
    // Moves by one along x and scales y by two.
    let matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]];
    for (row, value) in (0..4).zip(matrix) {
        world = world.float(Bank::FixedVertex, R::WorldViewProjection.register() + row, value);
    }
    world
        .input(FixedInput::Position as u8, [1.0, 2.0, 3.0, 1.0])
        .input(FixedInput::Normal as u8, [0.0, 0.0, -2.0, 0.0])
        .input(FixedInput::Diffuse as u8, [0.1, 0.2, 0.3, 0.4])
        .input(FixedInput::tex_coord(1), [0.5, 0.25, 0.0, 1.0])
}

#[test]
fn fixed_vertex_transforms_and_passes_on() {
    let mut key = FixedVertexKey { inputs: !0, ..Default::default() };
    key.tex_coords[0] = TexCoordKey { used: 1, set: 1, components: 2, ..Default::default() };
    let results = fixed_world().run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    assert_eq!(results.at(OutputAt::Position), [2.0, 4.0, 3.0, 1.0]);
    assert_eq!(results.location(0), [0.1, 0.2, 0.3, 0.4]);
    assert_eq!(results.location(2), [0.5, 0.25, 0.0, 1.0]);

    key.flags = FixedVertexKey::PRETRANSFORMED;
    let world = fixed_world()
        .input(FixedInput::Position as u8, [320.0, 120.0, 0.5, 0.5])
        .float(Bank::FixedVertex, FixedVertexRegister::ViewportScale.register(), [2.0 / 640.0, -2.0 / 480.0, 1.0, 1.0])
        .float(Bank::FixedVertex, FixedVertexRegister::ViewportOffset.register(), [-1.0, 1.0, 0.0, 0.0]);
    let results = world.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    assert!(close(results.at(OutputAt::Position), [0.0, 1.0, 1.0, 2.0]), "{:?}", results.at(OutputAt::Position));
}

#[test]
fn fixed_vertex_transforms_texture_coordinates() {
    let mut key = FixedVertexKey { inputs: !0, ..Default::default() };
    key.tex_coords[1] = TexCoordKey { used: 1, set: 1, components: 2, transform: 2, ..Default::default() };
    let first = FixedVertexRegister::TextureMatrix.element(1);
    // The third row moves two-dimensional coordinates.
    let world = identity(fixed_world(), first).float(Bank::FixedVertex, first + 2, [0.5, -0.25, 1.0, 0.0]);
    let results = world.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    assert_eq!(results.location(3)[..2], [1.0, 0.0]);
}

#[test]
fn fixed_vertex_lights() {
    use FixedVertexRegister as R;
    let world = || {
        let set = |world: World, register: R, value| world.float(Bank::FixedVertex, register.register(), value);
        let world = set(fixed_world(), R::MaterialDiffuse, [0.5, 0.5, 0.5, 0.75]);
        let world = set(world, R::MaterialAmbient, [1.0, 0.0, 0.0, 0.0]);
        let world = set(world, R::MaterialEmissive, [0.0, 0.0, 0.125, 0.0]);
        let world = set(world, R::MaterialSpecular, [1.0, 1.0, 1.0, 0.0]);
        let world = set(world, R::MaterialPower, [2.0, 0.0, 0.0, 0.0]);
        let world = set(world, R::GlobalAmbient, [0.25, 0.25, 0.25, 0.0]);
        let world = set(world, R::LightDiffuse, [1.0, 0.5, 0.0, 0.0]);
        let world = set(world, R::LightSpecular, [0.5, 0.5, 0.5, 0.0]);
        let world = set(world, R::LightPosition, [1.0, 2.0, 1.0, 10.0]);
        let world = set(world, R::LightAttenuation, [0.0, 1.0, 0.0, 0.0]);
        set(world, R::LightDirection, [0.0, 0.0, 1.0, 1.0])
    };
    let mut key = FixedVertexKey { inputs: !0, flags: FixedVertexKey::LIGHTING, ..Default::default() };
    key.flags |= FixedVertexKey::NORMALIZE_NORMALS | FixedVertexKey::SPECULAR;
    key.lights[0] = 3;
    let results = world().run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    // The light shines along the view direction on a surface that faces the viewer.
    assert!(close(results.location(0), [0.75, 0.25, 0.125, 0.75]), "{:?}", results.location(0));
    assert!(close(results.location(1), [0.5, 0.5, 0.5, 0.0]), "{:?}", results.location(1));

    // Without NORMALIZENORMALS the normal's length of two counts.
    key.flags &= !FixedVertexKey::NORMALIZE_NORMALS;
    let results = world().run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    assert!(close(results.location(0), [1.0, 0.5, 0.125, 0.75]), "{:?}", results.location(0));

    // A point light two units before the surface, with linear attenuation.
    key.flags = FixedVertexKey::LIGHTING | FixedVertexKey::NORMALIZE_NORMALS;
    key.lights[0] = 1;
    let results = world().run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    assert!(close(results.location(0), [0.5, 0.125, 0.125, 0.75]), "{:?}", results.location(0));

    // Vertex colour as the diffuse material.
    key.diffuse_source = 1;
    let results = world().run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    assert!(close(results.location(0), [0.3, 0.05, 0.125, 0.4]), "{:?}", results.location(0));
}

fn fixed_pixel(stages: &[FixedStage], flags: u32) -> [f32; 4] {
    let mut key = FixedPixelKey { flags, ..Default::default() };
    key.stages[..stages.len()].copy_from_slice(stages);
    let world = World::default()
        .input(0, [0.5, 0.25, 1.0, 0.5])
        .input(1, [0.125, 0.0, 0.5, 0.0])
        .input(2, [0.25, 0.5, 0.0, 1.0])
        .float(Bank::FixedPixel, FixedPixelRegister::TextureFactor.register(), [0.5, 0.5, 0.5, 0.25])
        .float(Bank::FixedPixel, FixedPixelRegister::StageConstant.register(), [0.0, 1.0, 0.0, 1.0]);
    let mut runtime = RuntimeInfo::default();
    runtime.link.mask = 0x7FF;
    world.run(&lift_fixed_pixel(&key, &runtime).unwrap()).location(0)
}

#[test]
fn fixed_pixel_operations_follow_the_reference() {
    // Diffuse is (0.5, 0.25, 1, 0.5), the texel (0.25, 0.5, 0, 1), the factor (0.5, 0.5, 0.5, 0.25).
    let (diffuse, texture, factor) = (0, 2, 3);
    let stage = |color_op, a0, a1, a2| FixedStage {
        color_op,
        color_args: [a0, a1, a2],
        alpha_op: color_op,
        alpha_args: [a0, a1, a2],
        texture: 1,
        ..Default::default()
    };
    let cases: &[(FixedStage, [f32; 4])] = &[
        (stage(2, 0, texture, diffuse), [0.25, 0.5, 0.0, 1.0]),
        (stage(3, 0, texture, diffuse), [0.5, 0.25, 1.0, 0.5]),
        (stage(4, 0, texture, diffuse), [0.125, 0.125, 0.0, 0.5]),
        (stage(5, 0, texture, diffuse), [0.25, 0.25, 0.0, 1.0]),
        (stage(6, 0, texture, diffuse), [0.5, 0.5, 0.0, 1.0]),
        (stage(7, 0, texture, diffuse), [0.75, 0.75, 1.0, 1.0]),
        (stage(8, 0, texture, diffuse), [0.25, 0.25, 0.5, 1.0]),
        (stage(9, 0, texture, diffuse), [0.5, 0.5, 1.0, 1.0]),
        (stage(10, 0, texture, diffuse), [0.0, 0.25, 0.0, 0.5]),
        (stage(11, 0, texture, diffuse), [0.625, 0.625, 1.0, 1.0]),
        (stage(12, 0, texture, factor), [0.375, 0.5, 0.25, 0.625]),
        (stage(13, 0, texture, factor), [0.25, 0.5, 0.0, 1.0]),
        (stage(14, 0, texture, diffuse), [0.4375, 0.3125, 0.75, 0.625]),
        (stage(15, 0, diffuse, texture), [0.5, 0.25, 1.0, 0.5]),
        (stage(18, 0, factor, texture), [0.5625, 0.625, 0.5, 0.5]),
        (stage(19, 0, factor, texture), [0.375, 0.5, 0.25, 0.5]),
        (stage(20, 0, factor, texture), [0.6875, 0.875, 0.5, 1.0]),
        (stage(21, 0, factor, texture), [0.375, 0.5, 0.25, 1.0]),
        (stage(24, 0, diffuse, texture | 0x10), [1.0; 4]),
        (stage(24, 0, diffuse, texture), [0.0; 4]),
        (stage(25, factor, texture, diffuse), [0.625, 0.625, 0.5, 0.75]),
        (stage(26, factor, texture, diffuse), [0.375, 0.375, 0.5, 0.625]),
        (stage(2, 0, texture | 0x10, diffuse), [0.75, 0.5, 1.0, 0.0]),
        (stage(2, 0, factor | 0x20, diffuse), [0.25; 4]),
        (stage(2, 0, 6, diffuse), [0.0, 1.0, 0.0, 1.0]),
        // No texture is bound, so the stage passes on.
        (FixedStage { texture: 0, ..stage(4, 0, texture, factor) }, [0.5, 0.25, 1.0, 0.5]),
    ];
    for (stage, expected) in cases {
        let got = fixed_pixel(&[*stage], 0);
        assert!(close(got, *expected), "{stage:?}: {got:?} instead of {expected:?}");
    }
    // No stage at all, and the specular colour added.
    assert_eq!(fixed_pixel(&[], FixedPixelKey::SPECULAR), [0.625, 0.25, 1.0, 0.5]);
    // The first stage writes the temporary register, which the second adds to what came before.
    let temp = FixedStage { result_temp: 1, ..stage(2, 0, factor, 0) };
    assert_eq!(fixed_pixel(&[temp, stage(4, 0, 1, 5)], 0), [0.25, 0.125, 0.5, 0.125]);
}

#[test]
fn fixed_vertex_blends_matrices_and_scales_points() {
    use FixedVertexRegister as R;
    let key = FixedVertexKey { flags: FixedVertexKey::POINT_SCALE, inputs: 3, blend_weights: 1, ..Default::default() };
    let world = identity(fixed_world(), R::BlendWorldView.register());
    let world = identity(world, R::Projection.register());
    // The second matrix moves by eight along y; the vertex is three quarters of the first.
    let world = world
        .float(Bank::FixedVertex, R::BlendWorldView.register() + 3, [0.0, 8.0, 0.0, 1.0])
        .float(Bank::FixedVertex, R::PointSize.register(), [2.0, 1.0, 64.0, 0.0])
        .float(Bank::FixedVertex, R::PointScale.register(), [0.0, 0.0, 1.0, 10.0])
        .input(FixedInput::Position as u8, [3.0, 2.0, 0.0, 1.0])
        .input(FixedInput::BlendWeight as u8, [0.75, 0.0, 0.0, 0.0]);
    let vertex_ops = io::VertexOps { point_size: 1, clip_planes: 0 };
    let results = world.run(&lift_fixed_vertex(&key, &RuntimeInfo { vertex_ops, ..Default::default() }).unwrap());
    assert_eq!(results.at(OutputAt::Position), [3.0, 4.0, 0.0, 1.0]);
    // The point is five units away: 2 * 10 / 5.
    assert!((results.at(OutputAt::PointSize)[0] - 4.0).abs() < 1e-5);
}

#[test]
fn fixed_vertex_fog_follows_the_reference() {
    use FixedVertexRegister as R;
    let fog = |mode, flags| {
        let key = FixedVertexKey { inputs: 1, fog_mode: mode, flags, ..Default::default() };
        let world = fixed_world().input(FixedInput::Position as u8, [4.0, 0.0, 3.0, 1.0]).float(
            Bank::FixedVertex,
            R::Fog.register(),
            [1.0, 9.0, 0.125, 0.5],
        );
        world.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap()).location(io::FOG_LOCATION)[0]
    };
    // Depth three, or five along the ray; density a half.
    let cases = [(3, 0, 0.75), (3, FixedVertexKey::RANGE_FOG, 0.5), (1, 0, (-1.5f32).exp()), (2, 0, (-2.25f32).exp())];
    for (mode, flags, expected) in cases {
        assert!((fog(mode, flags) - expected).abs() < 1e-5, "mode {mode}, flags {flags}: {}", fog(mode, flags));
    }
}

#[test]
fn fixed_pixel_bump_maps_move_the_next_stage() {
    let bump = |color_op| {
        let stage = |color_op, a1| FixedStage {
            color_op,
            color_args: [0, a1, 1],
            alpha_op: 2,
            alpha_args: [0, a1, 1],
            texture: 1,
            ..Default::default()
        };
        let mut key = FixedPixelKey::default();
        key.stages[..2].copy_from_slice(&[stage(color_op, 2), stage(2, 2)]);
        let world = World::default()
            .input(2, [0.5, 0.25, 0.0, 1.0])
            .input(3, [0.125, 0.5, 0.0, 1.0])
            .float(Bank::FixedPixel, FixedPixelRegister::BumpMatrix.register(), [1.0, 0.5, 2.0, -1.0])
            .float(Bank::FixedPixel, FixedPixelRegister::BumpLuminance.register(), [1.0, 0.5, 0.0, 0.0]);
        let mut runtime = RuntimeInfo::default();
        runtime.link.mask = 0x7FF;
        world.run(&lift_fixed_pixel(&key, &runtime).unwrap()).location(0)
    };
    // The texel (0.5, 0.25) times the matrix is (1, 0); the second texture's texel holds its coordinates and slot.
    assert_eq!(bump(22), [1.125, 0.5, 1.0, 1.0]);
    assert_eq!(bump(23), [0.5625, 0.25, 0.5, 0.5]);
}
