//! What a driver draws with a shader, and with what we make of it: both pictures must be equal.

#[path = "gpu/mod.rs"]
mod gpu;
#[path = "shaders/mod.rs"]
mod shaders;

use afterimage_passes::FloatRules;
use afterimage_shader_spirv::io::{BlockSource, Descriptor};
use afterimage_shader_spirv::{Lifted, Options, Program, lift, words_from_bytes};
use afterimage_spirv::{Artifact, Bound, emit_bound};
use gpu::{Gpu, HEIGHT, Picture, Resource, Scene, Texture, WIDTH};

/// Values of the specialisation constants in the second picture. Constant 3 is the length of an array.
const SPECS: &[(u32, u32)] = &[(7, 0x4020_0000), (9, 0)];

/// Bytes of blocks: small floats, no two neighbours alike.
fn block(size: usize, seed: u32) -> Vec<u8> {
    let word = |n: u32| (((n * 29 + seed) % 41) as f32 * 0.125 - 2.5).to_bits();
    (0..size as u32 / 4).flat_map(|n| word(n).to_le_bytes()).collect()
}

fn uniform(at: Descriptor) -> Vec<u8> {
    block(1024, at.set * 7 + at.binding * 3)
}

fn push() -> [u8; 128] {
    let mut bytes = [0; 128];
    bytes.copy_from_slice(&block(128, 5));
    bytes
}

fn vertices() -> Vec<u8> {
    let mut bytes = Vec::new();
    for n in 0..16u32 {
        for i in 0..8 {
            bytes.extend_from_slice(&(((n * 8 + i) * 37 % 64) as f32 * 0.0625 - 1.5).to_le_bytes());
        }
        for i in 0..4i32 {
            bytes.extend_from_slice(&(n as i32 * 5 - 20 * i).to_le_bytes());
        }
    }
    bytes
}

fn texture(at: Descriptor) -> Texture {
    match (at.binding, at.element) {
        (1, _) | (5, 0) => Texture::Flat,
        (2, _) => Texture::Cube,
        (3, _) => Texture::Solid,
        (4, _) => Texture::Shade,
        _ => Texture::Other,
    }
}

/// Everything that the shaders declare, where they declare it.
fn native(blocks: &[Vec<u8>; 2]) -> Vec<(u32, u32, Resource<'_>)> {
    vec![
        (0, 0, Resource::Uniform(&blocks[0])),
        (0, 1, Resource::Combined(Texture::Flat)),
        (0, 2, Resource::Combined(Texture::Cube)),
        (0, 3, Resource::Combined(Texture::Solid)),
        (0, 4, Resource::Combined(Texture::Shade)),
        (0, 5, Resource::Images(vec![Texture::Flat, Texture::Other])),
        (0, 6, Resource::Samplers(vec![false])),
        (1, 2, Resource::Uniform(&blocks[1])),
    ]
}

/// A shader of ours and what it wants to be bound.
struct Ours {
    lifted: Lifted,
    artifact: Artifact,
    /// The same with the interface that the shader had.
    bound: Vec<u32>,
}

fn ours(name: &str, bytes: &[u8]) -> Ours {
    let program = Program::from_bytes(bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    let lifted = lift(&program, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut module = lifted.module.clone();
    afterimage_passes::optimize(&mut module, &afterimage_passes::Options { float_rules: FloatRules::Strict });
    let options = afterimage_spirv::Options {
        bindless: false,
        preserve: false,
        debug_names: false,
        features: afterimage_spirv::Features::ALL,
    };
    let artifact = afterimage_spirv::emit(&module, &options).unwrap_or_else(|e| panic!("{name}: {e}"));
    let bound = Bound { bindings: &lifted.bindings, feedback: None };
    let bound = emit_bound(&module, &options, &bound).unwrap_or_else(|e| panic!("{name}: {e}")).words;
    Ours { lifted, artifact, bound }
}

impl Ours {
    /// The registers behind the stage's address.
    fn registers(&self) -> Vec<[u32; 4]> {
        let mut registers = Vec::new();
        for segment in &self.artifact.reflection.segments {
            let blocks = &self.lifted.bindings.blocks;
            let block = blocks.iter().find(|block| block.bank == segment.bank).expect("a block for each bank");
            let bytes = match block.source {
                BlockSource::PushConstants => push().to_vec(),
                BlockSource::Uniform(at) => uniform(at),
                BlockSource::Address(_) | BlockSource::Storage(_) => panic!("no shader here has {:?}", block.source),
            };
            for register in segment.first..segment.first + segment.count {
                let bytes = &bytes[register as usize * 16..][..16];
                registers.push(std::array::from_fn(|i| u32::from_le_bytes(bytes[i * 4..][..4].try_into().unwrap())));
            }
        }
        registers
    }
}

/// The descriptor set of our ABI.
fn bound(stages: [&Ours; 2]) -> Vec<(u32, u32, Resource<'static>)> {
    let mut images = [vec![Texture::Flat; 20], vec![Texture::Cube; 20], vec![Texture::Solid; 20]];
    let mut samplers = vec![false; 20];
    for used in stages.iter().flat_map(|stage| &stage.lifted.bindings.textures) {
        let (slot, texture) = (used.slot as usize, texture(used.image));
        samplers[slot] = texture == Texture::Shade;
        match texture {
            Texture::Cube | Texture::Solid => {}
            flat => images[0][slot] = flat,
        }
    }
    let mut all: Vec<_> = (0..).zip(images).map(|(binding, images)| (0, binding, Resource::Images(images))).collect();
    all.push((0, 3, Resource::Samplers(samplers)));
    all
}

/// Whether both are the same number, but for what the order of operations does.
fn close(name: &str, found: u32, expected: u32) -> bool {
    let (f, e) = (f32::from_bits(found), f32::from_bits(expected));
    // Vulkan allows 4096 units in the last place for the inverse functions, and the driver uses some of them.
    let off = if name.starts_with("trigonometry") { 1e-3 } else { 2e-5 };
    found == expected || f.is_nan() && e.is_nan() || (f - e).abs() <= off + e.abs() * 2e-4
}

fn compare(name: &str, found: &Picture, expected: &Picture, wrong: &mut Vec<String>) {
    for pixel in 0..(WIDTH * HEIGHT) as usize {
        let (f, e) = (found[0][pixel], expected[0][pixel]);
        let (x, y) = (pixel as u32 % WIDTH, pixel as u32 / WIDTH);
        if !(0..4).all(|i| close(name, f[i], e[i])) {
            let show = |bits: [u32; 4]| bits.map(f32::from_bits);
            wrong.push(format!("{name} ({x}, {y}): {:?}, not {:?}", show(f), show(e)));
            return;
        }
        if found[1][pixel] != expected[1][pixel] {
            wrong.push(format!("{name} ({x}, {y}): bits {:x?}, not {:x?}", found[1][pixel], expected[1][pixel]));
            return;
        }
    }
}

#[test]
fn translated_shaders_draw_the_same() {
    let gpu = Gpu::new();
    let blocks =
        [Descriptor { set: 0, binding: 0, element: 0 }, Descriptor { set: 1, binding: 2, element: 0 }].map(uniform);
    let vertices = vertices();
    let (mut wrong, mut captured) = (Vec::new(), 0);
    for path in shaders::all() {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        if file.starts_with("quad.") || file.starts_with("points.") {
            continue;
        }
        let is_vertex = file.contains(".vert");
        let other = shaders::shader(if is_vertex { "points.frag" } else { "quad.vert" });
        for shaders::Version { name, bytes } in shaders::versions(&path) {
            let pair = if is_vertex { [&bytes, &other] } else { [&other, &bytes] };
            let words = pair.map(|bytes| words_from_bytes(bytes).unwrap());
            let stages = pair.map(|bytes| ours(&name, bytes));
            let registers = [stages[0].registers(), stages[1].registers()];
            let special = name.starts_with("specialised");
            assert_eq!(stages[1].lifted.bindings.frozen, if special { vec![3] } else { vec![] }, "{name}");
            let specs: &[&[(u32, u32)]] = if special { &[&[], SPECS] } else { &[&[]] };
            for specs in specs {
                let points = is_vertex.then_some(&vertices[..]);
                let expected = gpu.draw(&Scene {
                    vertex: &words[0],
                    pixel: &words[1],
                    bindings: native(&blocks),
                    push: push(),
                    registers: None,
                    points,
                    specs,
                });
                let found = gpu.draw(&Scene {
                    vertex: &stages[0].artifact.words,
                    pixel: &stages[1].artifact.words,
                    bindings: bound([&stages[0], &stages[1]]),
                    push: [0; 128],
                    registers: Some([&registers[0], &registers[1]]),
                    points,
                    specs,
                });
                let drawn = expected[1].iter().filter(|bits| **bits != [0; 4]).count();
                let colours = expected[0].iter().filter(|bits| **bits != [0; 4]).count();
                assert!(drawn + colours > 0, "{name}: nothing is drawn");
                compare(&name, &found, &expected, &mut wrong);
                let found = gpu.draw(&Scene {
                    vertex: &stages[0].bound,
                    pixel: &stages[1].bound,
                    bindings: native(&blocks),
                    push: push(),
                    registers: None,
                    points,
                    specs,
                });
                compare(&format!("{name}, bound as it was"), &found, &expected, &mut wrong);
                if stages[0].lifted.module.feedback.is_empty() {
                    continue;
                }
                let [expected, found] = [&words[0], &stages[0].bound].map(|vertex| {
                    gpu.capture(&Scene {
                        vertex,
                        pixel: &stages[1].bound,
                        bindings: native(&blocks),
                        push: push(),
                        registers: None,
                        points,
                        specs,
                    })
                });
                captured += 1;
                let some = |all: &Vec<Vec<u32>>| all[0].iter().any(|&word| word != 0xa5a5_a5a5);
                assert!(expected.as_ref().is_none_or(some), "{name}: nothing is captured");
                if found != expected {
                    wrong.push(format!("{name} captures {found:x?}, not {expected:x?}"));
                }
            }
        }
    }
    assert!(captured >= 2, "what captures is missing");
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
}
