//! What the driver computes for fixed-function keys, against the reference in 64-bit floats.
//!
//! Both stages run as pixel shaders whose inputs are constants and whose outputs are colours, so that one row of pixels has
//! everything that a vertex or pixel computes.
#![allow(dead_code, unreachable_pub, reason = "modules of other tests, of which this one uses a part")]

#[path = "../../spirv/tests/gpu/mod.rs"]
mod gpu;
#[path = "../../shader-d3d9/tests/fixed_function/random.rs"]
mod random;
#[path = "../../shader-d3d9/tests/fixed_function/reference.rs"]
mod reference;
#[path = "../../shader-d3d9/tests/fixed_function/scene.rs"]
mod scene;

use afterimage_ir::{Module, OutputAt};
use afterimage_shader_d3d9::ffp::{STAGES, lift_fixed_pixel, lift_fixed_vertex};
use afterimage_shader_d3d9::io::{self, bound};
use afterimage_shader_d3d9::{Bank, PixelOps, RuntimeInfo, SystemRegister};
use gpu::{Gpu, INPUTS, TEXEL};
use random::Random;
use reference::{Ops, Pixel};
use scene::Scene;

/// Colour targets of every Vulkan device that we know.
const TARGETS: usize = 8;
/// Draws per test; each makes a pipeline.
const DRAWS: u64 = 24;

/// The pixel's colours, by the module's outputs.
fn draw(gpu: &Gpu, module: Module, scene: &Scene) -> Vec<[f32; 4]> {
    let registers = |bank, index: usize| match bank {
        INPUTS => scene.inputs[index],
        id if id == Bank::FixedVertex as u8 => scene.vertex[index],
        id if id == Bank::FixedPixel as u8 => scene.pixel[index],
        _ => scene.system[index],
    };
    let colors = gpu.evaluate(module, |bank, index| registers(bank, index).map(f32::to_bits));
    colors.into_iter().map(|color| color.map(f32::from_bits)).collect()
}

#[track_caller]
fn assert_near(what: &str, got: [f32; 4], expected: [f64; 4], key: &dyn std::fmt::Debug) {
    // Drivers may be as far from the truth with powers as Vulkan lets them.
    let near = |(got, expected): (&f32, f64)| (f64::from(*got) - expected).abs() <= 4e-3 * (1.0 + expected.abs());
    assert!(got.iter().zip(expected).all(near), "{what}: {got:?} instead of {expected:?}\n{key:#?}");
}

#[test]
fn vertices() {
    let gpu = Gpu::new();
    let mut drawn = 0;
    for seed in 0.. {
        let mut random = Random(seed);
        let (mut key, scene) = (random.vertex_key(), random.vertex_scene());
        // Position, two colours and fog leave room for four.
        let used = (0..STAGES).filter(|stage| key.tex_coords[*stage].used != 0).skip(TARGETS - 4);
        used.collect::<Vec<_>>().into_iter().for_each(|stage| key.tex_coords[stage].used = 0);
        let expected = reference::vertex(&key, &scene.vertex, &scene.inputs);
        if expected.doubtful {
            continue;
        }
        let module = lift_fixed_vertex(&key, &RuntimeInfo::default()).expect("every key is a shader");
        let places: Vec<OutputAt> = module.outputs.iter().map(|output| output.at).collect();
        for (place, got) in places.into_iter().zip(draw(&gpu, module, &scene)) {
            let (what, expected) = match place {
                OutputAt::Position => ("position", expected.position),
                OutputAt::Location(0) => ("diffuse", expected.diffuse),
                OutputAt::Location(1) => ("specular", expected.specular),
                OutputAt::Location(io::FOG_LOCATION) => ("fog", [expected.fog; 4]),
                OutputAt::Location(location) => {
                    ("coordinates", expected.coordinates[usize::from(location) - 2].expect("used"))
                }
                other => panic!("no such output: {other:?}"),
            };
            // The fog factor is a scalar.
            let got = if what == "fog" { [got[0]; 4] } else { got };
            assert_near(what, got, expected, &key);
        }
        drawn += 1;
        if drawn == DRAWS {
            return;
        }
    }
}

#[test]
fn pixels() {
    let gpu = Gpu::new();
    for seed in 0..DRAWS {
        let mut random = Random(seed);
        let (mut key, scene) = (random.pixel_key(), random.pixel_scene());
        // The device has a shadow texture in slot 3, and plain ones elsewhere.
        key.stages[3].texture = key.stages[3].texture.min(1);
        let mut textures = random.textures().map(|bound| bound & !bound::SHADOW);
        textures[3] = bound::SHADOW;
        let (alpha_compare, fog) = (random.below(8) as u8, random.below(8) as u8);
        let generic = random.below(2) as u8;
        let srgb_write = random.below(2) as u8;
        let pixel_ops = PixelOps { alpha_compare, fog, generic, srgb_write, ..PixelOps::default() };
        let mut runtime = RuntimeInfo { pixel_ops, ..RuntimeInfo::default() };
        runtime.link.mask = (1 << io::FIRST_EXTRA) - 1;
        runtime.textures[..STAGES].copy_from_slice(&textures);
        let mut module = lift_fixed_pixel(&key, &runtime).expect("every key is a shader");
        // Half of the generic ones are told by constants, the others by the system block.
        let by_constant = random.one_in(2);
        for spec in module.specs.iter_mut().filter(|_| by_constant) {
            spec.default = [alpha_compare, fog][spec.id as usize].into();
        }
        let modes = if by_constant { [7, 0] } else { [alpha_compare, fog] };
        let modes = modes.map(|mode| f32::from_bits(mode.into()));
        let (reference, fog_color) = (random.float(0.2, 0.8), random.vector(0.0, 1.0));
        let (start, end) = (random.float(0.05, 0.4), random.float(0.5, 4.0));
        let scene = scene
            .set_system(SystemRegister::PixelOps.register(), [modes[0], modes[1], 0.0, 0.0])
            .set_system(SystemRegister::AlphaReference.register(), [reference, 0.0, 0.0, 0.0])
            .set_system(SystemRegister::FogColor.register(), fog_color)
            .set_system(SystemRegister::Fog.register(), [start, end, 1.0 / (end - start), 0.0]);
        let pixel = Pixel {
            diffuse: scene.inputs[0].map(f64::from),
            specular: scene.inputs[1].map(f64::from),
            coordinates: std::array::from_fn(|stage| scene.inputs[2 + stage].map(f64::from)),
            textures,
            texel: &|_, _| TEXEL.map(f64::from),
            gather: &|_, _| [TEXEL[0].into(); 4],
            compare: &|_, _| 1.0,
        };
        let color = reference::pixel(&key, &scene.pixel, &pixel);
        let ops = Ops {
            alpha_compare,
            reference: reference.into(),
            fog,
            fog_color: fog_color.map(f64::from),
            fog_start: start.into(),
            fog_end: end.into(),
            vertex_fog: scene.inputs[usize::from(io::FOG_LOCATION)][0].into(),
            depth: 0.5,
            w: 1.0,
            srgb: srgb_write != 0,
        };
        let (stays, color) = reference::finish(color, &ops);
        let got = draw(&gpu, module, &scene)[0];
        // Targets are cleared to zero.
        let expected = if stays { color } else { [0.0; 4] };
        assert_near("colour", got, expected, &(key, pixel_ops, textures));
    }
}
