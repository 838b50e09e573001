//! Single cases with values worked out by hand.

use crate::near;
use crate::scene::Scene;
use afterimage_ir::OutputAt;
use afterimage_shader_d3d9::ffp::{lift_fixed_pixel, lift_fixed_vertex};
use afterimage_shader_d3d9::tables::Usage;
use afterimage_shader_d3d9::{
    FixedInput, FixedPixelKey, FixedPixelRegister, FixedStage, FixedVertexKey, FixedVertexRegister as R, RuntimeInfo,
    SystemRegister, TexCoordKey, VertexOps, assemble, io, lift,
};

const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

fn moved(x: f32, y: f32, z: f32) -> [[f32; 4]; 4] {
    [IDENTITY[0], IDENTITY[1], IDENTITY[2], [x, y, z, 1.0]]
}

fn scene() -> Scene {
    // Moves by one along x and scales y by two.
    let matrix = [[1.0, 0.0, 0.0, 0.0], [0.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]];
    Scene::default()
        .set(R::WorldViewProjection.register(), &matrix)
        .set(R::WorldView.register(), &IDENTITY)
        .set(R::Normal.register(), &IDENTITY[..3])
        .set(R::Projection.register(), &IDENTITY)
        // Points have a size, or they would not be where they are.
        .set_system(SystemRegister::PointSize.register(), [1.0, 1.0, 64.0, 1.0])
        .input(FixedInput::Position as u8, [1.0, 2.0, 3.0, 1.0])
        .input(FixedInput::Normal as u8, [0.0, 0.0, -2.0, 0.0])
        .input(FixedInput::Diffuse as u8, [0.1, 0.2, 0.3, 0.4])
        .input(FixedInput::tex_coord(1), [0.5, 0.25, 0.0, 1.0])
}

/// Every input but the second positions, indices and weights.
const INPUTS: u32 = 0x7FF9;

fn run(key: &FixedVertexKey, scene: &Scene) -> crate::scene::Outputs {
    let runtime =
        RuntimeInfo { vertex_ops: VertexOps { point_size: 1, ..VertexOps::default() }, ..RuntimeInfo::default() };
    scene.run(&lift_fixed_vertex(key, &runtime).unwrap())
}

#[track_caller]
fn assert_near(got: [f32; 4], expected: [f32; 4]) {
    assert!(near(got, expected.map(f64::from), 1e-5), "{got:?} instead of {expected:?}");
}

#[test]
fn positions_are_transformed_and_colours_passed_on() {
    let key = FixedVertexKey { inputs: INPUTS, ..Default::default() };
    let results = run(&key, &scene());
    assert_eq!(results.at(OutputAt::Position), [2.0, 4.0, 3.0, 1.0]);
    assert_eq!(results.location(0), [0.1, 0.2, 0.3, 0.4]);
    // Without colours in the vertex: white, and black without fog.
    let results = run(&FixedVertexKey { inputs: 1, ..key }, &scene());
    assert_eq!((results.location(0), results.location(1)), ([1.0; 4], [0.0; 4]));
    assert_eq!(results.location(io::FOG_LOCATION)[0], 1.0);

    let key = FixedVertexKey { flags: FixedVertexKey::PRETRANSFORMED, ..key };
    let pixels = scene()
        .set(R::ViewportScale.register(), &[[2.0 / 640.0, -2.0 / 480.0, 1.0, 1.0]])
        .set(R::ViewportOffset.register(), &[[-1.0, 1.0, 0.0, 0.0]])
        .input(FixedInput::Specular as u8, [0.0, 0.0, 0.0, 0.75]);
    let results = run(&key, &pixels.clone().input(FixedInput::Position as u8, [320.0, 120.0, 0.5, 0.5]));
    assert_near(results.at(OutputAt::Position), [0.0, 1.0, 1.0, 2.0]);
    // The alpha of the specular colour is the fog factor, whatever the mode.
    assert_eq!(run(&FixedVertexKey { fog_mode: 3, ..key }, &pixels).location(io::FOG_LOCATION)[0], 0.75);
    // A 1/w of zero is one.
    let results = run(&key, &pixels.input(FixedInput::Position as u8, [320.0, 120.0, 0.5, 0.0]));
    assert_near(results.at(OutputAt::Position), [0.0, 0.5, 0.5, 1.0]);
}

#[test]
fn pretransformed_vertices_hand_on_whatever_they_have() {
    let passed = [
        (Usage::BlendWeight, FixedInput::BlendWeight),
        (Usage::BlendIndices, FixedInput::BlendIndices),
        (Usage::Normal, FixedInput::Normal),
        (Usage::Tangent, FixedInput::Tangent),
        (Usage::Binormal, FixedInput::Binormal),
        (Usage::Fog, FixedInput::Fog),
        (Usage::Depth, FixedInput::Depth),
    ];
    let inputs = passed.iter().fold(1, |inputs, (_, input)| inputs | 1 << *input as u32);
    let key = FixedVertexKey { flags: FixedVertexKey::PRETRANSFORMED, inputs, ..Default::default() };
    let value = |input: FixedInput| [input as u8 as f32, 0.5, 0.25, 0.125];
    let scene = passed.iter().fold(scene(), |scene, (_, input)| scene.input(*input as u8, value(*input)));
    // A pixel shader of the program's reads it; the fixed one would not.
    let alone = io::link_of_fixed_vertex(&key);
    assert_eq!((alone.location(Usage::Tangent, 0), run(&key, &scene).location(io::FOG_LOCATION)[0]), (None, 1.0));
    let key = FixedVertexKey { flags: FixedVertexKey::PRETRANSFORMED | FixedVertexKey::PASSES, ..key };
    let (link, results) = (io::link_of_fixed_vertex(&key), run(&key, &scene));
    for (usage, input) in passed {
        let location = link.location(usage, 0).unwrap_or_else(|| panic!("{usage:?} is not handed on"));
        assert_eq!(results.location(location), value(input), "{usage:?}");
    }
}

fn coordinates(change: impl FnOnce(&mut TexCoordKey), scene: &Scene) -> [f32; 4] {
    let mut key = FixedVertexKey { inputs: INPUTS, ..Default::default() };
    key.tex_coords[1] = TexCoordKey { used: 1, set: 1, components: 2, ..Default::default() };
    change(&mut key.tex_coords[1]);
    run(&key, scene).location(3)
}

#[test]
fn texture_coordinates_are_counted_and_padded() {
    let first = R::TextureMatrix.element(1);
    // The third row moves two-dimensional coordinates, since they have a one there.
    let rows = [IDENTITY[0], IDENTITY[1], [0.5, -0.25, 8.0, 4.0], [100.0; 4]];
    let scene = scene().set(first, &rows);
    assert_eq!(coordinates(|_| {}, &scene), [0.5, 0.25, 0.0, 0.0]);
    assert_eq!(coordinates(|key| key.transform = 2, &scene), [1.0, 0.0, 0.0, 0.0]);
    assert_eq!(coordinates(|key| key.transform = 3, &scene), [1.0, 0.0, 8.0, 0.0]);
    assert_eq!(coordinates(|key| key.transform = 4, &scene), [1.0, 0.0, 8.0, 4.0]);
    // One coordinate, or more than four, are not transformed.
    assert_eq!(coordinates(|key| key.transform = 1, &scene), [0.5, 0.25, 0.0, 0.0]);
    assert_eq!(coordinates(|key| key.transform = 5, &scene), [0.5, 0.25, 0.0, 0.0]);
    // The last of the count is the divisor; without a count, the last that the vertex has.
    let projected = TexCoordKey::PROJECTED;
    assert_eq!(coordinates(|key| key.transform = 3 | projected, &scene), [1.0, 0.0, 8.0, 8.0]);
    assert_eq!(coordinates(|key| key.transform = 4 | projected, &scene), [1.0, 0.0, 8.0, 4.0]);
    assert_eq!(coordinates(|key| key.transform = projected, &scene), [0.5, 0.25, 0.0, 0.25]);
    // A set that the vertex does not have is zero, and not padded.
    let missing = |key: &mut TexCoordKey| (key.components, key.transform) = (0, 2);
    assert_eq!(coordinates(missing, &scene), [0.0; 4]);
}

#[test]
fn texture_coordinates_are_generated() {
    let first = R::TextureMatrix.element(1);
    let scene = scene().set(first, &moved(1.0, 2.0, 3.0)).input(FixedInput::Position as u8, [0.0, 0.0, 3.0, 1.0]);
    let generate =
        |generation, transform| coordinates(|key| (key.generation, key.transform) = (generation, transform), &scene);
    assert_eq!(generate(1, 0), [0.0, 0.0, -2.0, 0.0]);
    assert_eq!(generate(2, 0), [0.0, 0.0, 3.0, 0.0]);
    assert_eq!(generate(2, 3), [1.0, 2.0, 6.0, 0.0]);
    // Not counted, so there is nothing to divide by.
    assert_eq!(generate(2, TexCoordKey::PROJECTED), [0.0, 0.0, 3.0, 1.0]);
    let scene = scene.input(FixedInput::Normal as u8, [0.0, 0.0, -1.0, 0.0]);
    let generate = |generation| coordinates(|key| key.generation = generation, &scene);
    // A surface that faces the viewer sends the view straight back: the middle of a sphere map.
    assert_eq!(generate(3), [0.0, 0.0, -1.0, 0.0]);
    assert_eq!(generate(4), [0.5, 0.5, 0.0, 0.0]);
}

#[test]
fn lights_light() {
    let scene = scene()
        .set(R::MaterialDiffuse.register(), &[[0.5, 0.5, 0.5, 0.75]])
        .set(R::MaterialAmbient.register(), &[[1.0, 0.0, 0.0, 0.0]])
        .set(R::MaterialEmissive.register(), &[[0.0, 0.0, 0.125, 0.0]])
        .set(R::MaterialSpecular.register(), &[[1.0, 1.0, 1.0, 0.5]])
        .set(R::MaterialPower.register(), &[[2.0, 0.0, 0.0, 0.0]])
        .set(R::GlobalAmbient.register(), &[[0.25, 0.25, 0.25, 0.0]])
        .set(R::LightDiffuse.register(), &[[1.0, 0.5, 0.0, 0.0]])
        .set(R::LightSpecular.register(), &[[0.5, 0.5, 0.5, 1.0]])
        .set(R::LightPosition.register(), &[[1.0, 2.0, 1.0, 10.0]])
        .set(R::LightAttenuation.register(), &[[0.0, 1.0, 0.0, 0.0]])
        .set(R::LightDirection.register(), &[[0.0, 0.0, 1.0, 1.0]]);
    let mut key = FixedVertexKey { inputs: INPUTS, flags: FixedVertexKey::LIGHTING, ..Default::default() };
    key.flags |= FixedVertexKey::NORMALIZE_NORMALS | FixedVertexKey::SPECULAR;
    key.lights[0] = 3;
    let results = run(&key, &scene);
    // The light shines along the view direction on a surface that faces the viewer.
    assert_near(results.location(0), [0.75, 0.25, 0.125, 0.75]);
    assert_near(results.location(1), [0.5, 0.5, 0.5, 0.5]);

    // Without NORMALIZENORMALS the normal is two long, which is no more than one.
    key.flags &= !FixedVertexKey::NORMALIZE_NORMALS;
    assert_near(run(&key, &scene).location(0), [0.75, 0.25, 0.125, 0.75]);

    // A point light two units before the surface, with linear attenuation.
    key.flags = FixedVertexKey::LIGHTING | FixedVertexKey::NORMALIZE_NORMALS;
    key.lights[0] = 1;
    assert_near(run(&key, &scene).location(0), [0.5, 0.125, 0.125, 0.75]);
    // At the edge of its range it still shines, beyond it does not.
    let ranged = |range| scene.clone().set(R::LightPosition.register(), &[[1.0, 2.0, 1.0, range]]);
    assert_near(run(&key, &ranged(2.0)).location(0), [0.5, 0.125, 0.125, 0.75]);
    assert_near(run(&key, &ranged(1.99)).location(0), [0.25, 0.0, 0.125, 0.75]);

    // A spot light from there straight on; the vertex is in the inner cone.
    key.lights[0] = 2;
    let spot = |inner, outer, z| {
        let scale = if inner == outer { 0.0 } else { 1.0 / (inner - outer) };
        let side = f32::sqrt(1.0 - z * z);
        let scene = scene.clone().set(R::LightSpot.register(), &[[inner, outer, scale, 0.0]]);
        let scene = scene.set(R::LightDirection.register(), &[[side, 0.0, z, 2.0]]);
        run(&key, &scene).location(0)[0] - 0.25
    };
    assert!((spot(0.9, 0.5, 1.0) - 0.25).abs() < 1e-5);
    // Halfway between the cones, with a falloff of two: a quarter. On the outer cone and outside: nothing.
    assert!((spot(0.9, 0.5, 0.7) - 0.0625).abs() < 1e-5);
    assert_eq!((spot(0.9, 0.5, 0.5), spot(0.9, 0.5, 0.1)), (0.0, 0.0));
    // Cones that are the same have a hard edge; cones the wrong way round light what is in the inner one.
    assert!((spot(0.5, 0.5, 0.6) - 0.25).abs() < 1e-5 && spot(0.5, 0.5, 0.5) == 0.0);
    assert!((spot(0.2, 0.9, 0.5) - 0.25).abs() < 1e-5 && spot(0.2, 0.9, 0.1) == 0.0);

    // Vertex colour as the diffuse material.
    key.lights[0] = 1;
    key.diffuse_source = 1;
    assert_near(run(&key, &scene).location(0), [0.3, 0.05, 0.125, 0.4]);
    // One that is not there is the material's.
    key.diffuse_source = 2;
    key.inputs &= !(1 << FixedInput::Specular as u8);
    assert_near(run(&key, &scene).location(0), [0.5, 0.125, 0.125, 0.75]);
    // Without a normal there is ambient light only.
    key.inputs = 1;
    assert_near(run(&key, &scene).location(0), [0.25, 0.0, 0.125, 0.75]);
}

#[test]
fn matrices_are_blended_and_points_scaled() {
    let key = FixedVertexKey { flags: FixedVertexKey::POINT_SCALE, inputs: 3, blend_weights: 1, ..Default::default() };
    // The second matrix moves by eight along y; the vertex is three quarters of the first.
    let scene = scene()
        .set(R::BlendWorldView.register(), &moved(0.0, 8.0, 0.0))
        .set(R::PointSize.register(), &[[2.0, 0.0, 0.0, 0.0]])
        .set(R::PointScale.register(), &[[0.0, 0.0, 1.0, 10.0]])
        .set_system(SystemRegister::PointSize.register(), [1.0, 1.0, 64.0, 0.0])
        .input(FixedInput::Position as u8, [3.0, 2.0, 0.0, 1.0])
        .input(FixedInput::BlendWeight as u8, [0.75, 0.0, 0.0, 0.0]);
    let results = run(&key, &scene);
    assert_eq!(results.at(OutputAt::Position), [3.0, 4.0, 0.0, 1.0]);
    // The point is five units away: 2 * 10 / 5.
    assert!((results.at(OutputAt::PointSize)[0] - 4.0).abs() < 1e-5);
    // The limits are the state's.
    let limited = scene.clone().set_system(SystemRegister::PointSize.register(), [1.0, 1.0, 3.0, 0.0]);
    assert_eq!(run(&key, &limited).at(OutputAt::PointSize)[0], 3.0);
    // The vertex's own size.
    let own = FixedVertexKey { flags: 0, inputs: 1 | 1 << FixedInput::PointSize as u8, ..key };
    let sized = scene.input(FixedInput::PointSize as u8, [7.0, 0.0, 0.0, 0.0]);
    assert_eq!(run(&own, &sized).at(OutputAt::PointSize)[0], 7.0);
}

#[test]
fn indices_choose_matrices() {
    let scene = scene()
        .set(R::IndexedWorldView.element(255), &moved(0.0, 0.0, 40.0))
        .set(R::IndexedWorldView.element(17), &moved(0.0, 8.0, 0.0))
        .input(FixedInput::BlendWeight as u8, [0.75, 0.0, 0.0, 0.0])
        .input(FixedInput::BlendIndices as u8, [255.0, 17.0, 0.0, 0.0]);
    let key = FixedVertexKey { flags: FixedVertexKey::INDEXED_BLEND, inputs: 0b111, ..Default::default() };
    // D3DVBF_0WEIGHTS: one matrix, the first index.
    assert_eq!(run(&key, &scene).at(OutputAt::Position), [1.0, 2.0, 43.0, 1.0]);
    let one = FixedVertexKey { blend_weights: 1, ..key };
    assert_eq!(run(&one, &scene).at(OutputAt::Position), [1.0, 4.0, 33.0, 1.0]);
    // What is no index stays inside of the bank.
    let wild = scene.clone().input(FixedInput::BlendIndices as u8, [1e9, f32::NAN, 0.0, 0.0]);
    assert_eq!(run(&key, &wild).at(OutputAt::Position), [1.0, 2.0, 43.0, 1.0]);
    // Without indices in the vertex the matrices go by their place.
    let by_place = FixedVertexKey { inputs: 0b011, ..one };
    let scene = scene.set(R::BlendWorldView.register(), &moved(4.0, 0.0, 0.0));
    assert_eq!(run(&by_place, &scene).at(OutputAt::Position), [2.0, 2.0, 3.0, 1.0]);
}

#[test]
fn tweening_goes_from_one_position_to_the_other() {
    let second = 1 << FixedInput::Position1 as u8;
    let key = FixedVertexKey { flags: FixedVertexKey::TWEENING, inputs: 1 | second, ..Default::default() };
    let scene = scene()
        .set(R::Tween.register(), &[[0.25, 0.0, 0.0, 0.0]])
        .input(FixedInput::Position1 as u8, [5.0, -2.0, 3.0, 1.0]);
    // Three quarters of (1, 2, 3) and a quarter of (5, -2, 3), moved and scaled.
    assert_eq!(run(&key, &scene).at(OutputAt::Position), [3.0, 2.0, 3.0, 1.0]);
    let alone = FixedVertexKey { inputs: 1, ..key };
    assert_eq!(run(&alone, &scene).at(OutputAt::Position), [2.0, 4.0, 3.0, 1.0]);
}

#[test]
fn vertex_fog_follows_its_curves() {
    let fog = |fog_mode, flags| {
        let key = FixedVertexKey { inputs: 1, fog_mode, flags, ..Default::default() };
        let scene = scene()
            .input(FixedInput::Position as u8, [4.0, 0.0, 3.0, 1.0])
            .set(R::Fog.register(), &[[1.0, 9.0, 0.125, 0.5]]);
        run(&key, &scene).location(io::FOG_LOCATION)[0]
    };
    // Depth three, or five along the ray; density a half.
    let cases = [(3, 0, 0.75), (3, FixedVertexKey::RANGE_FOG, 0.5), (1, 0, (-1.5f32).exp()), (2, 0, (-2.25f32).exp())];
    for (mode, flags, expected) in cases {
        assert!((fog(mode, flags) - expected).abs() < 1e-5, "mode {mode}, flags {flags}: {}", fog(mode, flags));
    }
}

#[test]
fn points_and_clip_planes_of_programs() {
    let program = |text: &str, point_size| {
        let vertex_ops = VertexOps { point_size, clip_planes: 0b100010, ..VertexOps::default() };
        let runtime = RuntimeInfo { vertex_ops, ..RuntimeInfo::default() };
        let scene = Scene::default()
            .input(0, [1.0, 2.0, 3.0, 4.0])
            .set_system(SystemRegister::PointSize.register(), [5.0, 2.0, 6.0, 0.0])
            .set_system(SystemRegister::ClipPlane.element(1), [1.0, 0.0, 0.0, 0.5])
            .set_system(SystemRegister::ClipPlane.element(5), [0.0, 1.0, 0.0, 0.0]);
        scene.run(&lift(&assemble(text).unwrap(), &runtime).unwrap())
    };
    let silent = program("vs_1_1\ndcl_position v0\nmov oPos, v0", 1);
    assert_eq!(silent.at(OutputAt::PointSize)[0], 5.0);
    assert_eq!(silent.at(OutputAt::ClipDistance(0))[..2], [3.0, 2.0]);
    let size = |lane: char, points| {
        program(&format!("vs_1_1\ndcl_position v0\nmov oPos, v0\nadd oPts, v0.{lane}, v0.{lane}"), points)
            .at(OutputAt::PointSize)[0]
    };
    // Within the limits, above them, and where no points are drawn.
    assert_eq!((size('y', 1), size('w', 1), size('w', 0)), (4.0, 6.0, 8.0));
}

fn pixel(stages: &[FixedStage], flags: u32) -> [f32; 4] {
    let mut key = FixedPixelKey { flags, ..Default::default() };
    key.stages[..stages.len()].copy_from_slice(stages);
    let scene = Scene::default()
        .input(0, [0.5, 0.25, 1.0, 0.5])
        .input(1, [0.125, 0.0, 0.5, 0.0])
        .set_pixel(FixedPixelRegister::TextureFactor, [0.5, 0.5, 0.5, 0.25])
        .set_pixel(FixedPixelRegister::StageConstant, [0.0, 1.0, 0.0, 1.0]);
    let mut runtime = RuntimeInfo::default();
    runtime.link.mask = 0x7FF;
    scene.run(&lift_fixed_pixel(&key, &runtime).unwrap()).location(0)
}

#[test]
fn operations_have_their_values() {
    // Diffuse is (0.5, 0.25, 1, 0.5), the factor (0.5, 0.5, 0.5, 0.25), the constant (0, 1, 0, 1).
    let (diffuse, factor, constant) = (0, 3, 6);
    let stage = |color_op, a0, a1, a2| FixedStage {
        color_op,
        color_args: [a0, a1, a2],
        alpha_op: color_op,
        alpha_args: [a0, a1, a2],
        ..Default::default()
    };
    let cases: &[(FixedStage, [f32; 4])] = &[
        (stage(2, 0, constant, diffuse), [0.0, 1.0, 0.0, 1.0]),
        (stage(3, 0, constant, diffuse), [0.5, 0.25, 1.0, 0.5]),
        (stage(4, 0, factor, diffuse), [0.25, 0.125, 0.5, 0.125]),
        (stage(5, 0, factor, diffuse), [0.5, 0.25, 1.0, 0.25]),
        (stage(6, 0, factor, diffuse), [1.0, 0.5, 1.0, 0.5]),
        (stage(7, 0, factor, diffuse), [1.0, 0.75, 1.0, 0.75]),
        (stage(8, 0, factor, diffuse), [0.5, 0.25, 1.0, 0.25]),
        (stage(9, 0, factor, diffuse), [1.0, 0.5, 1.0, 0.5]),
        (stage(10, 0, diffuse, factor), [0.0, 0.0, 0.5, 0.25]),
        (stage(11, 0, factor, diffuse), [0.75, 0.625, 1.0, 0.625]),
        (stage(12, 0, constant, factor), [0.25, 0.75, 0.25, 0.625]),
        // No texture: the texel is opaque black.
        (stage(13, 0, constant, factor), [0.0, 1.0, 0.0, 1.0]),
        (stage(14, 0, constant, diffuse), [0.375, 0.4375, 0.75, 0.625]),
        (stage(15, 0, diffuse, constant), [0.5, 0.25, 1.0, 0.5]),
        (stage(16, 0, constant, factor), [0.25, 0.75, 0.25, 0.625]),
        (stage(18, 0, factor, diffuse), [0.625, 0.5625, 0.75, 0.375]),
        (stage(19, 0, factor, diffuse), [0.5, 0.375, 0.75, 0.375]),
        (stage(20, 0, factor, diffuse), [0.875, 0.6875, 1.0, 0.625]),
        (stage(21, 0, factor, diffuse), [0.5, 0.375, 0.75, 0.625]),
        (stage(24, 0, diffuse, constant), [0.0; 4]),
        (stage(24, 0, diffuse, diffuse), [1.0; 4]),
        (stage(25, factor, constant, diffuse), [0.5, 0.75, 0.5, 0.75]),
        (stage(26, factor, constant, diffuse), [0.25, 0.625, 0.5, 0.625]),
        (stage(2, 0, factor | 0x10, diffuse), [0.5, 0.5, 0.5, 0.75]),
        (stage(2, 0, factor | 0x20, diffuse), [0.25; 4]),
        (stage(2, 0, factor | 0x30, diffuse), [0.75; 4]),
        // No texture is bound, so a stage that asks for one passes on.
        (stage(4, 0, 2, factor), [0.5, 0.25, 1.0, 0.5]),
        // A stage without an alpha operation leaves alpha as it is.
        (FixedStage { alpha_op: 1, ..stage(2, 0, constant, 0) }, [0.0, 1.0, 0.0, 0.5]),
    ];
    for (stage, expected) in cases {
        let got = pixel(&[*stage], 0);
        assert!(near(got, expected.map(f64::from), 1e-5), "{stage:?}: {got:?} instead of {expected:?}");
    }
    // No stage at all, and the specular colour added.
    assert_eq!(pixel(&[], FixedPixelKey::SPECULAR), [0.625, 0.25, 1.0, 0.5]);
    // The first stage writes the temporary register, which the second adds to what came before.
    let temp = FixedStage { result_temp: 1, ..stage(2, 0, factor, 0) };
    assert_eq!(pixel(&[temp, stage(4, 0, 1, 5)], 0), [0.25, 0.125, 0.5, 0.125]);
}

/// Textures of which the result holds the coordinates and the slot.
struct Map;

impl afterimage_interp::Environment for Map {
    fn input(&self, decl: &afterimage_ir::InputDecl, _: usize) -> [u32; 4] {
        let value: [f32; 4] = match decl.at {
            afterimage_ir::InputAt::Location(2) => [0.5, 0.25, 0.0, 1.0],
            afterimage_ir::InputAt::Location(3) => [0.25, 1.0, 0.0, 2.0],
            _ => [0.5; 4],
        };
        value.map(f32::to_bits)
    }

    fn constant(&self, _: &afterimage_ir::BankDecl, index: u32) -> [u32; 4] {
        let value: [f32; 4] = match index as u16 {
            at if at == FixedPixelRegister::BumpMatrix.register() => [1.0, 0.5, 2.0, -1.0],
            at if at == FixedPixelRegister::BumpLuminance.register() => [1.0, 0.5, 0.0, 0.0],
            _ => [0.0; 4],
        };
        value.map(f32::to_bits)
    }

    fn sample(&self, texture: &afterimage_ir::TextureDecl, args: &afterimage_interp::SampleArgs) -> [f32; 4] {
        [args.coord[0], args.coord[1], texture.slot.into(), 1.0]
    }
}

#[test]
fn bump_maps_move_the_next_stage_and_premodulation_multiplies_with_it() {
    let run = |color_op, second_op, projected| {
        let stage = |color_op, a1| FixedStage {
            color_op,
            color_args: [0, a1, 1],
            alpha_op: 2,
            alpha_args: [0, 2, 1],
            texture: 1,
            ..Default::default()
        };
        let mut key = FixedPixelKey::default();
        let second = FixedStage { projected, ..stage(second_op, 2) };
        key.stages[..2].copy_from_slice(&[stage(color_op, 2), second]);
        let mut runtime = RuntimeInfo::default();
        runtime.link.mask = 0x7FF;
        let module = lift_fixed_pixel(&key, &runtime).unwrap();
        let outcome = afterimage_interp::Interpreter::new(&module).unwrap().run(&Map).unwrap();
        outcome.outputs[0][0].map(f32::from_bits)
    };
    // The texel (0.5, 0.25) times the matrix is (1, 0).
    assert_eq!(run(22, 2, 0), [1.25, 1.0, 1.0, 1.0]);
    assert_eq!(run(23, 2, 0), [0.625, 0.5, 0.5, 0.5]);
    // Coordinates are divided before they are moved.
    assert_eq!(run(22, 2, 1), [1.125, 0.5, 1.0, 1.0]);
    // The first texel (0.5, 0.25, 0, 1) times the second (0.25, 1, 1, 1), which the second stage's current colour is.
    assert_eq!(run(17, 3, 0), [0.125, 0.25, 0.0, 1.0]);
}
