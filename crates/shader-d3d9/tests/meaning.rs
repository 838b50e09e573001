//! What the fixed-function stages and the pixel operations compute, by the interpreter, against values worked out from
//! the reference.

mod cases;
mod world;

use afterimage_ir::OutputAt;
use afterimage_shader_d3d9::ffp::{lift_fixed_pixel, lift_fixed_vertex};
use afterimage_shader_d3d9::{
    Bank, FixedInput, FixedPixelKey, FixedPixelRegister, FixedStage, FixedVertexKey, FixedVertexRegister, RuntimeInfo,
    SystemRegister, TexCoordKey, io,
};
use cases::close;
use world::{World, constants, lifted, pixel, pixel_world};

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
