//! What Windows drivers draw, as the tests of the Wine project record it (`dlls/d3d9/tests/visual.c`: specular lighting, fog,
//! texture transform flags, texture blending): their set-ups and results, in our registers.

use crate::scene::Scene;
use afterimage_interp::{Environment, Interpreter, SampleArgs};
use afterimage_ir::{BankDecl, InputAt, InputDecl, TextureDecl};
use afterimage_shader_d3d9::ffp::{lift_fixed_pixel, lift_fixed_vertex};
use afterimage_shader_d3d9::{
    FixedInput, FixedPixelKey, FixedPixelRegister as P, FixedStage, FixedVertexKey, FixedVertexRegister as R, LinkInfo,
    PixelOps, RuntimeInfo, SystemRegister, TexCoordKey, assemble, io, lift,
};
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

/// Without a fog factor the alpha of the specular colour is it, and without that colour there is nothing but fog.
#[test]
fn vertex_fog_has_the_measured_source() {
    let tokens = assemble("ps_2_0\ndcl v0\nmov oC0, v0").expect("right");
    let fog = |mask: u32| {
        let link = LinkInfo { mask, ..LinkInfo::default() };
        [false, true].map(|generic| {
            let fog = io::FogMode::Vertex as u8;
            let pixel_ops = PixelOps { fog, generic: generic.into(), ..PixelOps::default() };
            let module = lift(&tokens, &RuntimeInfo { link, pixel_ops, ..RuntimeInfo::default() }).expect("right");
            let scene = Scene::default()
                .input(0, [1.0; 4])
                .input(1, [0.0, 0.0, 0.0, 0.25])
                .input(io::FOG_LOCATION, [0.75, 0.0, 0.0, 0.0])
                .set_system(
                    SystemRegister::PixelOps.register(),
                    [f32::from_bits(7), f32::from_bits(fog.into()), 0.0, 0.0],
                )
                .set_system(SystemRegister::FogColor.register(), [0.0; 4]);
            scene.run(&module).location(0)[0]
        })
    };
    let (diffuse, specular, factor) = (1, 2, 1 << io::FOG_LOCATION);
    assert_eq!(fog(diffuse | specular | factor), [0.75; 2]);
    assert_eq!(fog(diffuse | specular), [0.25; 2]);
    assert_eq!(fog(diffuse), [0.0; 2]);
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

/// A vertex colour and textures of one colour, by their stage.
struct Colors {
    constants: [u32; 4],
    textures: [[f32; 4]; 4],
}

fn rgba(color: u32) -> [f32; 4] {
    [16, 8, 0, 24].map(|shift| (color >> shift & 0xff) as f32 / 255.0)
}

impl Environment for Colors {
    fn input(&self, decl: &InputDecl, _: usize) -> [u32; 4] {
        let color = if decl.at == InputAt::Location(0) { rgba(0x80ff_ff02) } else { [0.0; 4] };
        color.map(f32::to_bits)
    }

    fn constant(&self, _: &BankDecl, index: u32) -> [u32; 4] {
        let stage = (index as usize).checked_sub(P::StageConstant.register().into());
        stage.and_then(|stage| self.constants.get(stage)).map_or([0; 4], |color| rgba(*color).map(f32::to_bits))
    }

    fn sample(&self, texture: &TextureDecl, _: &SampleArgs) -> [f32; 4] {
        self.textures[usize::from(texture.slot)]
    }
}

#[test]
fn texture_stages_have_the_measured_colours() {
    const DIFFUSE: u8 = 0;
    const CURRENT: u8 = 1;
    const TEXTURE: u8 = 2;
    const TEMP: u8 = 5;
    const CONSTANT: u8 = 6;
    const SELECT: u8 = 2;
    const OFF: [u8; 3] = [1, TEXTURE, CURRENT];
    /// Operation and two arguments of colour and alpha, the texture, and the stage's constant.
    type Case = ([u8; 3], [u8; 3], Bound, u32);
    #[derive(Clone, Copy, PartialEq)]
    enum Bound {
        Nothing,
        Bumps,
        Red,
    }
    use Bound::{Bumps, Nothing, Red};
    let select = |argument| [SELECT, argument, CURRENT];
    let (bump, modulate) = ([22, TEXTURE, CURRENT], [4, TEXTURE, CURRENT]);
    // (The temporary register is the destination of stages with this added to the operation.)
    const TO_TEMP: u8 = 0x80;
    let to_temp = |argument| [SELECT | TO_TEMP, argument, CURRENT];
    let constant = (to_temp(CONSTANT), select(CONSTANT), Nothing, 0x0123_4567);
    let red: Case = (select(TEXTURE), select(TEXTURE), Red, 0);
    let cases: &[(u32, &[Case])] = &[
        (0x80ff_ff02, &[]),
        (0x80ff_ff02, &[(select(CURRENT), OFF, Nothing, 0)]),
        (0x80ff_ff02, &[(select(CURRENT), select(CURRENT), Nothing, 0)]),
        (0x80ff_ff02, &[(select(DIFFUSE), select(DIFFUSE), Nothing, 0)]),
        (0x0000_0000, &[(select(TEMP), select(TEMP), Nothing, 0)]),
        (0x80f0_f000, &[([10, CURRENT, CONSTANT], OFF, Nothing, 0x0f0f_0f0f)]),
        (0x71f0_f000, &[([10, CURRENT, CONSTANT], [10, CURRENT, CONSTANT], Nothing, 0x0f0f_0f0f)]),
        // The alpha operation of a stage with a bump map does nothing.
        (0x80ff_0000, &[(bump, select(TEXTURE), Bumps, 0), (modulate, OFF, Red, 0)]),
        (0x80ff_0000, &[(bump, select(DIFFUSE), Bumps, 0), (modulate, OFF, Red, 0)]),
        (0x80ff_0000, &[(bump, select(TEMP), Bumps, 0), (modulate, select(CURRENT), Red, 0)]),
        (0x00ff_0000, &[(bump, select(TEMP), Bumps, 0), (modulate, select(TEMP), Red, 0)]),
        (0x80ff_0000, &[(bump, select(CURRENT), Bumps, 0), (modulate, select(CURRENT), Red, 0)]),
        (0x80ff_0000, &[(bump, [7, DIFFUSE, CONSTANT], Bumps, 0x0fff_ffff), (modulate, select(CURRENT), Red, 0)]),
        (0x80ff_0000, &[(bump, [5, DIFFUSE, CONSTANT], Bumps, 0x01ff_ffff), (modulate, select(CURRENT), Red, 0)]),
        (
            0x80ff_ff00,
            &[(bump, [5, CURRENT, CONSTANT], Bumps, 0x01ff_ffff), ([4, CURRENT, CURRENT], select(CURRENT), Red, 0)],
        ),
        (
            0x0123_4567,
            &[
                constant,
                ([22 | TO_TEMP, TEXTURE, CURRENT], select(TEMP), Bumps, 0),
                red,
                (select(TEMP), select(TEMP), Nothing, 0),
            ],
        ),
        (0x0023_4567, &[constant, (bump, select(TEMP), Bumps, 0), red, (select(TEMP), OFF, Nothing, 0)]),
        (
            0x0123_4567,
            &[
                (select(CONSTANT), select(CONSTANT), Nothing, 0x0123_4567),
                ([22 | TO_TEMP, TEXTURE, CURRENT], select(TEMP), Bumps, 0),
                (to_temp(TEXTURE), select(TEXTURE), Red, 0),
                (select(CURRENT), select(CURRENT), Nothing, 0),
            ],
        ),
    ];
    for (number, (expected, stages)) in cases.iter().enumerate() {
        let mut key = FixedPixelKey::default();
        let mut colors = Colors { constants: [0; 4], textures: [[0.0; 4]; 4] };
        for (index, (color, alpha, bound, constant)) in stages.iter().enumerate() {
            let args = |[_, first, second]: [u8; 3]| [CURRENT, first, second];
            key.stages[index] = FixedStage {
                color_op: color[0] & !TO_TEMP,
                color_args: args(*color),
                alpha_op: alpha[0],
                alpha_args: args(*alpha),
                result_temp: color[0] >> 7,
                texture: u8::from(*bound != Nothing),
                ..Default::default()
            };
            colors.constants[index] = *constant;
            // Red has no alpha; the bump map is flat but for a step.
            colors.textures[index] = if *bound == Red { [1.0, 0.0, 0.0, 0.0] } else { [0.0, -1.0 / 127.0, 0.0, 1.0] };
        }
        let mut runtime = RuntimeInfo::default();
        runtime.link.mask = 0x7FF;
        let module = lift_fixed_pixel(&key, &runtime).unwrap();
        let outcome = Interpreter::new(&module).unwrap().run(&colors).unwrap();
        let got = outcome.outputs[0][0].map(f32::from_bits);
        let near = |(got, expected): (f32, f32)| (got - expected).abs() <= 1.0 / 255.0;
        assert!(got.into_iter().zip(rgba(*expected)).all(near), "{number}: {got:?} instead of {expected:08x}");
    }
}
