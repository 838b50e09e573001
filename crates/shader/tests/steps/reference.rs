//! What the driver computes for Direct3D 9 instructions, against the values worked out from the shader reference.

use crate::cases::{ARITHMETIC, BOOLS, FLOATS, FLOW, INTS, close, vertex_only};
use crate::gpu::{Draw, Gpu};
use afterimage_shader::{Artifact, Language, Profile, RuntimeInfo, Shader};
use afterimage_shader_d3d9::{Bank, assemble};
use ash::vk;

fn compile(gpu: &Gpu, text: &str) -> Artifact {
    let tokens = assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let shader = Shader::new(Language::D3d9, bytemuck::cast_slice(&tokens)).expect("assembled");
    let profile = Profile { bindless: gpu.options.bindless, preserve: gpu.options.preserve, ..Profile::default() };
    let runtime = RuntimeInfo { link: shader.own_link(), ..RuntimeInfo::default() };
    shader.compile(&profile, &runtime).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The constants of a stage as the renderer lays them out.
fn constants(artifact: &Artifact, value: impl Fn(u8, u32) -> [u32; 4]) -> Vec<[u32; 4]> {
    let r = &artifact.reflection;
    let registers = r.segments.iter().flat_map(|s| (s.first..s.first + s.count).map(|index| (s.bank, index)));
    let mut laid: Vec<_> = registers.map(|(bank, index)| value(bank, index)).collect();
    for def in &r.const_defs {
        if let Some(at) = r.const_offset(def.bank, def.index) {
            laid[at as usize] = def.bits;
        }
    }
    laid
}

fn case(bank: u8, index: u32) -> [u32; 4] {
    let index = index as usize;
    let floats = [Bank::VertexFloat as u8, Bank::PixelFloat as u8];
    let ints = [Bank::VertexInt as u8, Bank::PixelInt as u8];
    if floats.contains(&bank) {
        return FLOATS.get(index).map_or([0; 4], |value| value.map(f32::to_bits));
    }
    if ints.contains(&bank) {
        return INTS.get(index).map_or([0; 4], |value| value.map(i32::cast_unsigned));
    }
    [BOOLS.get(index).copied().unwrap_or_default().into(), 0, 0, 0]
}

/// A triangle over everything; the vertices come from the vertex number, which Direct3D 9 shaders cannot know.
const TRIANGLE: &str = "vertex {
  input in0 : i32 vertex_index smooth
  output out0 : f32x4 position
  output out1 : f32x4 location 2
  bank c0 stage 0 [4]
  v0: i32 = load_input in0
  v1: f32x4 = load_const_dyn c0[0], v0
  store_output out0, v1
  v2: f32x4 = load_const c0[3]
  store_output out1, v2
  return
}";

fn draw(gpu: &Gpu, pixel: &Artifact) -> [f32; 4] {
    let shader = Shader::new(Language::Ir, TRIANGLE.as_bytes()).expect("valid");
    let profile = Profile { bindless: gpu.options.bindless, preserve: gpu.options.preserve, ..Profile::default() };
    let vertex = shader.compile(&profile, &RuntimeInfo::default()).expect("valid");
    let corners = [[-1.0, -1.0, 0.5, 1.0], [3.0, -1.0, 0.5, 1.0], [-1.0, 3.0, 0.5, 1.0], [0.0; 4]];
    let picture = gpu.draw(&Draw {
        vertex: &vertex.words,
        pixel: &pixel.words,
        vertex_constants: &corners.map(|corner: [f32; 4]| corner.map(f32::to_bits)),
        pixel_constants: &constants(pixel, case),
        width: 2,
        formats: &[vk::Format::R32G32B32A32_SFLOAT],
    });
    picture[0][0].map(f32::from_bits)
}

#[test]
fn the_driver_computes_what_the_reference_says() {
    let gpu = Gpu::new();
    let flow = FLOW.iter().map(|(body, expected)| (*body, [*expected, f32::NAN, f32::NAN, f32::NAN]));
    let mut checked = 0;
    for (body, mut expected) in ARITHMETIC.iter().copied().chain(flow) {
        if vertex_only(body) {
            continue;
        }
        let artifact = compile(&gpu, &format!("ps_3_0\n{body}\nmov oC0, r0"));
        let got = draw(&gpu, &artifact);
        for (expected, got) in expected.iter_mut().zip(got) {
            if expected.is_nan() {
                *expected = got;
            }
        }
        assert!(close(got, expected), "{}: {body}: {got:?} instead of {expected:?}", gpu.name);
        checked += 1;
    }
    assert!(checked > 50, "only {checked} cases");
}
