//! What Windows drivers draw, as the tests of the Wine project record it (`dlls/d3d9/tests/visual.c`: specular lighting, fog,
//! texture transform flags): their set-ups and results, in our registers.

use crate::scene::Scene;
use afterimage_shader_d3d9::ffp::lift_fixed_vertex;
use afterimage_shader_d3d9::{FixedInput, FixedVertexKey, FixedVertexRegister as R, RuntimeInfo, TexCoordKey, io};
use std::f32::consts::PI;

const IDENTITY: [[f32; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]];

/// A light with its type, position, range, attenuation and power of the material.
struct Light {
    kind: u8,
    position: [f32; 3],
    range: f32,
    attenuation: [f32; 4],
    power: f32,
}

/// The specular light, in steps of a colour, on a surface at z = 1 that faces the viewer.
fn specular(light: &Light, local: bool, [x, y]: [f32; 2]) -> i32 {
    let mut key = FixedVertexKey {
        flags: FixedVertexKey::LIGHTING | FixedVertexKey::SPECULAR,
        inputs: 1 | 1 << FixedInput::Normal as u8,
        ..Default::default()
    };
    if local {
        key.flags |= FixedVertexKey::LOCAL_VIEWER;
    }
    key.lights[0] = light.kind;
    let [px, py, pz] = light.position;
    // Cones of 15 and 60 degrees.
    let (inner, outer) = ((PI / 24.0).cos(), (PI / 6.0).cos());
    let scene = Scene::default()
        .set(R::WorldViewProjection.register(), &IDENTITY)
        .set(R::WorldView.register(), &IDENTITY)
        .set(R::Normal.register(), &IDENTITY[..3])
        .set(R::MaterialSpecular.register(), &[[1.0; 4]])
        .set(R::MaterialPower.register(), &[[light.power, 0.0, 0.0, 0.0]])
        .set(R::LightSpecular.register(), &[[1.0, 1.0, 1.0, 0.0]])
        .set(R::LightPosition.register(), &[[px, py, pz, light.range]])
        .set(R::LightDirection.register(), &[[0.0, 0.0, 1.0, 1.0]])
        .set(R::LightAttenuation.register(), &[light.attenuation])
        .set(R::LightSpot.register(), &[[inner, outer, 1.0 / (inner - outer), 0.0]])
        .input(FixedInput::Position as u8, [x, y, 1.0, 1.0])
        .input(FixedInput::Normal as u8, [0.0, 0.0, -1.0, 0.0]);
    let results = scene.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
    (results.location(1)[0] * 255.0).round() as i32
}

#[test]
fn specular_lights_have_the_measured_colours() {
    let directional = Light { kind: 3, position: [0.0; 3], range: 0.0, attenuation: [0.0; 4], power: 30.0 };
    let point = |position, range, power| Light { kind: 1, position, range, attenuation: [0.0, 0.0, 1.0, 0.0], power };
    let near = point([0.0; 3], 100.0, 30.0);
    let spot = Light { kind: 2, ..point([0.0; 3], 100.0, 30.0) };
    let short = point([0.0; 3], 1.2, 30.0);
    // Behind the surface, with a power of zero.
    let behind = point([-1.1, 0.0, 1.1], 100.0, 0.0);
    // In the corners of a square around the middle, at its edges, and in the middle.
    let cases: [(&str, &Light, bool, [i32; 3]); 8] = [
        ("directional", &directional, false, [0xff, 0xff, 0xff]),
        ("directional, local viewer", &directional, true, [0x3c, 0x71, 0xff]),
        ("point", &near, false, [0x28, 0x5a, 0xff]),
        ("point, local viewer", &near, true, [0x00, 0x07, 0xff]),
        ("spot", &spot, false, [0x00, 0x14, 0xff]),
        ("spot, local viewer", &spot, true, [0x00, 0x02, 0xff]),
        ("short range", &short, false, [0x00, 0x5a, 0xff]),
        ("behind", &behind, true, [0x00, 0x00, 0x00]),
    ];
    for (name, light, local, expected) in cases {
        for (place, expected) in [[-0.5, 0.5], [0.0, 0.5], [0.0, 0.0]].into_iter().zip(expected) {
            let got = specular(light, local, place);
            assert!((got - expected).abs() <= 1, "{name} at {place:?}: {got:#x} instead of {expected:#x}");
        }
    }
}

#[test]
fn vertex_fog_has_the_measured_factors() {
    let fog = |z, [start, end]: [f32; 2]| {
        let key = FixedVertexKey { inputs: 1, fog_mode: 3, ..Default::default() };
        let scale = if start == end { 0.0 } else { 1.0 / (end - start) };
        let scene = Scene::default()
            .set(R::WorldView.register(), &IDENTITY)
            .set(R::Fog.register(), &[[start, end, scale, 1.0]])
            .input(FixedInput::Position as u8, [0.0, 0.0, z, 1.0]);
        let results = scene.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap());
        (results.location(io::FOG_LOCATION)[0] * 255.0).round() as i32
    };
    // Blue in green fog that ends before it starts.
    let reversed = [0.1, 0.4, 0.7, 0.9].map(|z| fog(z, [0.8, 0.2]));
    for (got, expected) in reversed.into_iter().zip([0x00, 0x55, 0xd4, 0xff]) {
        assert!((got - expected).abs() <= 2, "{reversed:x?}");
    }
    // Fog that ends where it starts is everywhere.
    assert_eq!([0.1, 1.0].map(|z| fog(z, [512.0, 512.0])), [0, 0]);
}

#[test]
fn projection_divides_by_the_measured_coordinate() {
    // Flags, coordinates of the vertex, and which of (0.5, 0.25, 4, 2) the others are divided by; 1 is none. More
    // coordinates than four (`0xffffffff`) are no count, which the guest passes on as zero.
    let projected = TexCoordKey::PROJECTED;
    let cases = [
        ("COUNT4 | PROJECTED", 4 | projected, 4, 2.0),
        ("COUNT3 | PROJECTED", 3 | projected, 4, 4.0),
        ("0xffffffff", projected, 4, 2.0),
        ("COUNT3 | PROJECTED of two", 3 | projected, 2, 1.0),
        ("PROJECTED of four", projected, 4, 2.0),
        ("PROJECTED of three", projected, 3, 4.0),
        ("0xffffffff of three", projected, 3, 4.0),
    ];
    for (name, transform, components, divisor) in cases {
        let mut key = FixedVertexKey { inputs: 1 | 1 << FixedInput::tex_coord(0), ..Default::default() };
        key.tex_coords[0] = TexCoordKey { used: 1, transform, components, ..Default::default() };
        let scene = Scene::default()
            .set(R::TextureMatrix.register(), &IDENTITY)
            .input(FixedInput::tex_coord(0), [0.5, 0.25, 4.0, 2.0]);
        let got = scene.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap()).location(2);
        assert_eq!([got[0], got[1], got[3]], [0.5, 0.25, divisor], "{name}");
    }
    // `D3DTTFF_COUNT2` takes the third coordinate from what the matrix gives, and `COUNT1` transforms nothing.
    let transformed = |transform| {
        let mut key = FixedVertexKey { inputs: 1 | 1 << FixedInput::tex_coord(0), ..Default::default() };
        key.tex_coords[0] = TexCoordKey { used: 1, transform, components: 3, ..Default::default() };
        let swapped = [IDENTITY[0], IDENTITY[2], IDENTITY[1], IDENTITY[3]];
        let scene = Scene::default()
            .set(R::TextureMatrix.register(), &swapped)
            .input(FixedInput::tex_coord(0), [1.0, 0.5, 0.25, 1.0]);
        scene.run(&lift_fixed_vertex(&key, &RuntimeInfo::default()).unwrap()).location(2)[..3].to_vec()
    };
    assert_eq!([3, 2, 1].map(transformed), [[1.0, 0.25, 0.5], [1.0, 0.25, 0.0], [1.0, 0.5, 0.25]]);
}
