//! The fixed-function pipeline and pixel operations: what the interpreter makes of the shaders, held to a reference in 64-bit
//! floats on random keys, and to values worked out by hand.
#![allow(unreachable_pub, reason = "the test's own modules")]

mod hand;
mod measured;
mod random;
mod reference;
mod scene;

use afterimage_ir::OutputAt;
use afterimage_shader_d3d9::ffp::{STAGES, lift_fixed_pixel, lift_fixed_vertex};
use afterimage_shader_d3d9::io::{self, spec};
use afterimage_shader_d3d9::{LinkInfo, PixelOps, RuntimeInfo, SystemRegister, VertexOps, assemble, lift};
use proptest::prelude::*;
use random::Random;
use reference::{Ops, Pixel};
use scene::Scene;

/// Whether 32 bits come near enough to 64.
fn near(got: [f32; 4], expected: [f64; 4], tolerance: f64) -> bool {
    got.iter()
        .zip(expected)
        .all(|(got, expected)| (f64::from(*got) - expected).abs() <= tolerance * (1.0 + expected.abs()))
}

fn wide(value: [f32; 4]) -> [f64; 4] {
    value.map(f64::from)
}

fn vertex_agrees(seed: u64) -> Result<bool, TestCaseError> {
    let mut random = Random(seed);
    let (key, scene) = (random.vertex_key(), random.vertex_scene());
    let scene = scene.set_system(SystemRegister::PointSize.register(), [1.0, 2.0, 30.0, 2.0]);
    let expected = reference::vertex(&key, &scene.vertex, &scene.inputs);
    if expected.doubtful {
        return Ok(false);
    }
    let runtime =
        RuntimeInfo { vertex_ops: VertexOps { point_size: 1, ..VertexOps::default() }, ..RuntimeInfo::default() };
    let got = scene.run(&lift_fixed_vertex(&key, &runtime).expect("every key is a shader"));
    let size = expected.point_size.clamp(2.0, 30.0);
    let mut pairs = vec![
        ("position", got.at(OutputAt::Position), expected.position),
        ("diffuse", got.location(0), expected.diffuse),
        ("specular", got.location(1), expected.specular),
    ];
    let fog = got.location(io::FOG_LOCATION)[0];
    pairs.push(("fog", [fog; 4], [expected.fog; 4]));
    pairs.push(("point size", [got.at(OutputAt::PointSize)[0]; 4], [size; 4]));
    for (stage, coordinates) in expected.coordinates.iter().enumerate() {
        if let Some(coordinates) = coordinates {
            pairs.push(("coordinates", got.location(2 + stage as u8), *coordinates));
        }
    }
    for (name, got, expected) in pairs {
        prop_assert!(
            near(got, expected, 1e-3),
            "{name}: {got:?} instead of {expected:?}\n{key:#?}\n{:?}",
            scene.inputs
        );
    }
    Ok(true)
}

fn pixel_agrees(seed: u64) -> Result<(), TestCaseError> {
    let mut random = Random(seed);
    let (key, scene, textures) = (random.pixel_key(), random.pixel_scene(), random.textures());
    let mut runtime = RuntimeInfo::default();
    runtime.link.mask = (1 << io::FIRST_EXTRA) - 1;
    runtime.textures[..STAGES].copy_from_slice(&textures);
    let pixel = Pixel {
        diffuse: wide(scene.inputs[0]),
        specular: wide(scene.inputs[1]),
        coordinates: std::array::from_fn(|stage| wide(scene.inputs[2 + stage])),
        textures,
        texel: &scene::texel,
        gather: &scene::gather,
        compare: &scene::compare,
    };
    let expected = reference::pixel(&key, &scene.pixel, &pixel);
    let got = scene.run(&lift_fixed_pixel(&key, &runtime).expect("every key is a shader")).location(0);
    prop_assert!(near(got, expected, 1e-3), "{got:?} instead of {expected:?}\n{key:#?}\n{textures:?}");
    Ok(())
}

/// Alpha test, fog and sRGB of a shader that passes its colour on, done in each of the three ways: as code, by the system
/// block, by specialisation constants.
fn operations_agree(seed: u64) -> Result<(), TestCaseError> {
    let mut random = Random(seed);
    let color = random.vector(0.0, 1.0);
    let equal = random.one_in(3);
    let reference = if equal { color[3] } else { random.float(0.0, 1.0) };
    let (alpha_compare, fog) = (random.below(8) as u8, random.below(8) as u8);
    let exponential = matches!(fog, 1 | 2 | 5 | 6);
    let start = if exponential { random.float(0.05, 1.0) } else { random.float(0.0, 0.4) };
    let end = random.float(0.5, 8.0);
    let fog_color = random.vector(0.0, 1.0);
    let (depth, w, vertex_fog) = (random.float(0.0, 1.0), random.float(0.5, 10.0), random.float(-0.5, 1.5));
    let srgb = random.one_in(3);
    let mut scene = Scene { frag_coord: [3.5, 4.5, depth, 1.0 / w], ..Scene::default() }
        .input(0, color)
        .input(io::FOG_LOCATION, [vertex_fog, 0.0, 0.0, 0.0])
        .set_system(SystemRegister::AlphaReference.register(), [reference, 0.0, 0.0, 0.0])
        .set_system(SystemRegister::FogColor.register(), fog_color)
        .set_system(SystemRegister::Fog.register(), [start, end, 1.0 / (end - start), 0.0]);
    let ops = Ops {
        alpha_compare,
        reference: reference.into(),
        fog,
        fog_color: wide(fog_color),
        fog_start: start.into(),
        fog_end: end.into(),
        vertex_fog: vertex_fog.into(),
        depth: depth.into(),
        w: w.into(),
        srgb,
    };
    let (stays, expected) = reference::finish(wide(color), &ops);

    let tokens = assemble("ps_2_0\ndcl v0\nmov oC0, v0").expect("right");
    let link = LinkInfo { mask: 1 << io::FOG_LOCATION | 1, ..LinkInfo::default() };
    let plain = PixelOps { alpha_compare, fog, srgb_write: u8::from(srgb), ..PixelOps::default() };
    let generic = PixelOps { generic: 1, srgb_write: u8::from(srgb), ..PixelOps::default() };
    let modes = [alpha_compare, fog].map(u32::from);
    let in_block = [f32::from_bits(modes[0]), f32::from_bits(modes[1]), 0.0, 0.0];
    // Where a constant is set, the system block does not count.
    let other = [f32::from_bits(7 - modes[0]), f32::from_bits(7 - modes[1]), 0.0, 0.0];
    let ways = [
        ("code", plain, other, [None; 2]),
        ("system block", generic, in_block, [None; 2]),
        ("unset constants", generic, in_block, [Some(spec::DYNAMIC); 2]),
        ("constants", generic, other, modes.map(Some)),
    ];
    for (way, pixel_ops, block, specs) in ways {
        scene = scene.set_system(SystemRegister::PixelOps.register(), block);
        scene.specs = specs;
        let module = lift(&tokens, &RuntimeInfo { link, pixel_ops, ..RuntimeInfo::default() }).expect("right");
        let got = scene.run(&module);
        prop_assert_eq!(got.demoted, !stays, "{}: {:?}", way, ops);
        prop_assert!(near(got.location(0), expected, 1e-4), "{way}: {:?} for {expected:?}, {ops:?}", got.location(0));
    }
    Ok(())
}

/// Proves that the reference is used: most random vertices are far from steps.
#[test]
fn most_random_vertices_can_be_compared() {
    let compared = (0..400).filter(|seed| vertex_agrees(*seed).expect("agrees")).count();
    assert!(compared > 300, "{compared}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn vertices_follow_the_documentation(seed in any::<u64>()) {
        vertex_agrees(seed)?;
    }

    #[test]
    fn pixels_follow_the_documentation(seed in any::<u64>()) {
        pixel_agrees(seed)?;
    }

    #[test]
    fn pixel_operations_follow_the_documentation(seed in any::<u64>()) {
        operations_agree(seed)?;
    }
}
