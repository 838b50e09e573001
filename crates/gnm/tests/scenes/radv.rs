//! Scenes drawn by what RADV makes of GLSL, with both of its compilers.

use crate::both;
use crate::draws::{board, camera, cleared_depth, cube, over_the_screen};
use crate::pipeline::Stages;
use crate::rig::{Encoding, Scene, Target, linear_sampler, records, texture};
use crate::stages::{self, Commands as _};
use afterimage_gcn_corpus::{Compiled, Compiler, Header, Shader, layout, programs};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::descriptors::{image, sampler};
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, op, reg, value::*};

/// A program of the corpus.
struct Program {
    header: Header,
    compiled: Compiled,
}

/// What a program's user SGPRs say.
#[derive(Clone, Copy, Default)]
struct User<'a> {
    /// The descriptor set, below 4 GiB.
    set: u32,
    /// The table of vertex buffers, below 4 GiB.
    vertices: u32,
    /// Push constants.
    push: &'a [u32],
}

impl Program {
    fn new(name: &str, compiler: Compiler) -> Self {
        let all = programs().unwrap();
        let program = all.into_iter().find(|program| program.name == name).unwrap_or_else(|| panic!("no `{name}`"));
        Self { compiled: program.compiled(compiler).unwrap(), header: program.header }
    }

    /// A descriptor set: the descriptors in the order of the bindings.
    fn set(&self, scene: &mut Scene, descriptors: &[Vec<u32>]) -> u32 {
        let mut words = vec![0; 256];
        let mut end = 0;
        for (at, descriptor) in layout(&self.header.resources).into_iter().zip(descriptors) {
            words[at / 4..][..descriptor.len()].copy_from_slice(descriptor);
            end = end.max(at / 4 + descriptor.len());
        }
        scene.put_low(&words[..end])
    }

    /// Sets its vertex and pixel shaders.
    fn bind(&self, scene: &mut Scene, user: User<'_>) {
        let mut out = Stages { scene, user: &|shader| user.registers(shader) };
        stages::vertex(&mut out, &self.compiled).unwrap();
        // The number of the instance is in v1, divided by this.
        out.set(reg::VGT_INSTANCE_STEP_RATE_0, &[1]);
        stages::pixel(&mut out, &self.compiled).unwrap();
    }

    /// Runs its compute shader.
    fn dispatch(&self, scene: &mut Scene, user: User<'_>, groups: [u32; 3]) {
        let mut out = Stages { scene: &mut *scene, user: &|shader| user.registers(shader) };
        stages::compute(&mut out, &self.compiled).unwrap();
        scene.call(&calls::DispatchDirect { groups, flags: 0 });
    }
}

impl User<'_> {
    /// The user SGPRs of a shader, which has no scratch memory and begins at vertex and instance 0.
    fn registers(&self, shader: &Shader) -> [u32; 16] {
        let mut registers = [0; 16];
        for data in &shader.user {
            let words = match data.value.as_str() {
                "ring_offsets" | "vertex_offsets" => continue,
                "set0" => &[self.set],
                "vertex_buffers" => &[self.vertices],
                "inline_push" => self.push,
                other => panic!("a scene says nothing of `{other}`"),
            };
            registers[data.first as usize..][..words.len()].copy_from_slice(words);
        }
        registers
    }
}

/// A T# and its S#, as they lie in a set.
fn sampled(image: ImageDescriptor, sampler: SamplerDescriptor) -> Vec<u32> {
    let mut words = image.0.to_vec();
    words.resize(20, 0);
    words.extend(sampler.0);
    words
}

/// A V# of bytes.
fn uniform(scene: &mut Scene, values: &[f32]) -> Vec<u32> {
    let address = scene.put(values);
    records(address, 0, 4 * values.len() as u32, BUF_DATA_FORMAT_32).0.to_vec()
}

/// The table of vertex buffers: what they hold, and the bytes from one vertex to the next.
fn vertex_buffers(scene: &mut Scene, buffers: &[(&[u32], u32)]) -> u32 {
    let mut table = Vec::new();
    for (words, stride) in buffers {
        let address = scene.put(words);
        let descriptor: BufferDescriptor =
            records(address, *stride, 4 * words.len() as u32 / stride, BUF_DATA_FORMAT_32);
        table.extend(descriptor.0);
    }
    scene.put_low(&table)
}

/// Bits of floats.
fn bits(values: &[f32]) -> impl Iterator<Item = u32> {
    values.iter().map(|value| value.to_bits())
}

/// The checkerboard as a texture.
fn board_texture(scene: &mut Scene) -> ImageDescriptor {
    let texels = scene.texels(&board());
    texture(texels, [32, 32], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM)
}

/// A picture with a depth buffer that is tested.
fn target_with_depth(scene: &mut Scene) -> Target {
    let target = scene.target(128, 96);
    scene.color(0, &target);
    scene.screen(128, 96, 15);
    cleared_depth(scene, 128, 128);
    use reg::DB_DEPTH_CONTROL as D;
    scene.set(reg::DB_DEPTH_CONTROL, &[D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LESS)]);
    target
}

/// The product of a matrix of rows and a column.
fn transformed(rows: &[[f32; 4]; 4], point: [f32; 4]) -> [f32; 4] {
    rows.map(|row| row.iter().zip(point).map(|(a, b)| a * b).sum())
}

/// A cube in clip space with texture coordinates and a colour for each side, drawn by `scene_textured`.
fn textured_cube(scene: &mut Scene, program: &Program) {
    let (positions, coordinates, indices) = cube();
    let colors = [0xFF40_40FFu32, 0xFF40_FF40, 0xFFFF_4040, 0xFF40_FFFF, 0xFFFF_40FF, 0xFFFF_FFFF];
    let mut words = Vec::new();
    for (at, (position, place)) in positions.iter().zip(&coordinates).enumerate() {
        words.extend(bits(&transformed(&camera(), *position)));
        words.extend(bits(place));
        words.push(colors[at / 4]);
    }
    let vertices = vertex_buffers(scene, &[(&words, 28)]);
    let image = board_texture(scene);
    let set = program.set(scene, &[sampled(image, linear_sampler())]);
    program.bind(scene, User { set, vertices, push: &[] });
    scene.draw_indexed(DI_PT_TRILIST, &indices);
}

#[test]
fn a_textured_cube() {
    for compiler in Compiler::ALL {
        let program = Program::new("scene_textured", compiler);
        both("radv_textured", |scene| {
            let target = target_with_depth(scene);
            textured_cube(scene, &program);
            target
        });
    }
}

/// A torus around the z axis: positions, normals and texture coordinates, eight words a vertex, and its triangles.
fn torus(around: u16, across: u16) -> (Vec<u32>, Vec<u16>) {
    let (mut words, mut indices) = (Vec::new(), Vec::new());
    for i in 0..=around {
        for j in 0..=across {
            let [u, v] = [f32::from(i) / f32::from(around), f32::from(j) / f32::from(across)];
            let [a, b] = [u, v].map(|turn| turn * std::f32::consts::TAU);
            let normal = [a.cos() * b.cos(), a.sin() * b.cos(), b.sin()];
            let radius = 0.95 + 0.4 * b.cos();
            words.extend(bits(&[a.cos() * radius, a.sin() * radius, 0.4 * b.sin()]));
            words.extend(bits(&normal));
            words.extend(bits(&[u * 6.0, v * 2.0]));
            if i < around && j < across {
                let at = i * (across + 1) + j;
                let next = at + across + 1;
                indices.extend([at, next, next + 1, at, next + 1, at + 1]);
            }
        }
    }
    (words, indices)
}

#[test]
fn a_lit_torus() {
    for compiler in Compiler::ALL {
        let program = Program::new("scene_lit", compiler);
        both("radv_lit", |scene| {
            let target = target_with_depth(scene);
            let (words, indices) = torus(40, 20);
            let vertices = vertex_buffers(scene, &[(&words, 32)]);
            let rows = camera();
            // Columns, and a world that is not turned.
            let columns = (0..4).flat_map(|column| rows.map(|row| row[column]));
            let unit = (0..16).map(|at| if at % 5 == 0 { 1.0 } else { 0.0 });
            let matrices: Vec<f32> = columns.chain(unit).collect();
            let matrices = uniform(scene, &matrices);
            let light = uniform(scene, &[-0.3, 0.5, -0.8, 0.0, 1.0, 0.9, 0.7, 0.0, 0.1, 0.1, 0.2, 0.0]);
            let image = board_texture(scene);
            let set = program.set(scene, &[matrices, sampled(image, linear_sampler()), light]);
            program.bind(scene, User { set, vertices, push: &[] });
            scene.draw_indexed(DI_PT_TRILIST, &indices);
            target
        });
    }
}

#[test]
fn instances_with_a_place_and_a_colour_each() {
    for compiler in Compiler::ALL {
        let program = Program::new("scene_instanced", compiler);
        both("radv_instanced", |scene| {
            let target = scene.target(128, 96);
            scene.color(0, &target);
            scene.screen(128, 96, 15);
            let corners: Vec<u32> = bits(&[-1.0, -1.0, 1.0, -1.0, 1.0, 1.0, -1.0, 1.0]).collect();
            let mut instances = Vec::new();
            for n in 0..8u8 {
                let turn = f32::from(n) / 8.0 * std::f32::consts::TAU;
                instances.extend(bits(&[turn.cos() * 0.7, turn.sin() * 0.7, 0.08 + 0.015 * f32::from(n), 0.1]));
                instances.push(u32::from_le_bytes([255 - 30 * n, 40 + 25 * n, 128, 255]));
            }
            let vertices = vertex_buffers(scene, &[(&corners, 8), (&instances, 20)]);
            program.bind(scene, User { vertices, ..User::default() });
            scene.packet(op::NUM_INSTANCES, &[8]);
            scene.draw_indexed(DI_PT_TRILIST, &[0, 1, 2, 0, 2, 3]);
            target
        });
    }
}

/// Side of the targets of [`four_targets`].
const SIDE: u32 = 128;

/// A quad drawn to four targets of different formats; where they lie.
fn four_targets(scene: &mut Scene, program: &Program) -> [u64; 4] {
    use reg::CB_COLOR0_INFO as I;
    let formats = [
        (COLOR_8_8_8_8, NUMBER_UNORM, 4),
        (COLOR_16_16_16_16, NUMBER_FLOAT, 8),
        (COLOR_16_16, NUMBER_FLOAT, 4),
        (COLOR_8_8_8_8, NUMBER_UINT, 4),
    ];
    let mut places = [0; 4];
    for ((n, (format, number, bytes)), place) in (0..).zip(formats).zip(&mut places) {
        *place = scene.alloc(u64::from(SIDE * SIDE * bytes), 64 << 10);
        let target = Target { address: *place, width: SIDE, height: SIDE, tile_mode: crate::rig::LINEAR };
        scene.color(n, &target);
        scene.set(reg::CB_COLOR0_INFO + 0x3C * n, &[I::FORMAT.bits(format) | I::NUMBER_TYPE.bits(number)]);
    }
    scene.screen(SIDE, SIDE, 0xFFFF);
    let corner = |[x, y]: [f32; 2], color: u32| {
        let floats = [x, y, 0.5, 1.0, (x + 1.0) / 2.0, (y + 1.0) / 2.0];
        bits(&floats).chain([color]).collect::<Vec<_>>()
    };
    let words = [
        corner([-1.0, -1.0], 0xFF00_00FF),
        corner([1.0, -1.0], 0xFF00_FF00),
        corner([-1.0, 1.0], 0xFFFF_0000),
        corner([1.0, 1.0], 0xFFFF_FFFF),
    ]
    .concat();
    let vertices = vertex_buffers(scene, &[(&words, 28)]);
    program.bind(scene, User { vertices, ..User::default() });
    scene.draw(DI_PT_TRISTRIP, 4);
    for n in 1..4 {
        scene.set(reg::CB_COLOR0_INFO + 0x3C * n, &[0]);
    }
    places
}

#[test]
fn four_targets_of_different_formats() {
    for compiler in Compiler::ALL {
        let program = Program::new("scene_mrt", compiler);
        both("radv_targets", |scene| {
            let [albedo, normal, ..] = four_targets(scene, &program);
            let albedo = texture(albedo, [SIDE; 2], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM);
            let normal = texture(normal, [SIDE; 2], IMG_DATA_FORMAT_16_16_16_16, IMG_NUM_FORMAT_FLOAT);
            let target = scene.target(128, 96);
            over_the_screen(scene, &target, [albedo, normal]);
            target
        });
        let mut scene = Scene::new(Encoding::Standard);
        let [.., motion, material] = four_targets(&mut scene, &program);
        let mut ran = scene.run();
        let bytes = (SIDE * SIDE * 4) as usize;
        let (motion, material) = (ran.read(motion, bytes), ran.read(material, bytes));
        ran.finish();
        for (at, pixel) in (0u32..).zip(material.as_chunks::<4>().0) {
            assert_eq!(*pixel, [(at % SIDE) as u8, (at / SIDE) as u8, 3, 250]);
        }
        // A hundredth of the place of the first pixel: (0.5 / 128, 1 - 0.5 / 128).
        let half = |n: usize| u16::from_le_bytes([motion[2 * n], motion[2 * n + 1]]);
        assert_eq!([half(0), half(1)].map(|half| half >> 5), [0x028F, 0x211A].map(|half: u16| half >> 5));
    }
}

/// Draws a triangle strip by `scene_shadow`; the light sees x, y and z as they are.
fn shadow_strip(scene: &mut Scene, program: &Program, depths: u64, corners: &[[f32; 3]; 4]) {
    // Where x and y from -1 to 1 are in the texture, a bit to the side; nearer than it is, against shadows on itself.
    let to_light = [[0.5, 0.0, 0.0, 0.0], [0.0, -0.5, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0], [0.42, 0.44, -0.01, 1.0]];
    let matrix = uniform(scene, to_light.as_flattened());
    let image = texture(depths, [SIDE; 2], IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_FLOAT).with(image::TILING_INDEX, 2);
    let compares = linear_sampler()
        .with(sampler::DEPTH_COMPARE_FUNC, SQ_TEX_DEPTH_COMPARE_LESSEQUAL)
        .with(sampler::CLAMP_X, SQ_TEX_CLAMP_LAST_TEXEL)
        .with(sampler::CLAMP_Y, SQ_TEX_CLAMP_LAST_TEXEL);
    let set = program.set(scene, &[matrix, sampled(image, compares)]);
    let words: Vec<u32> = bits(corners.as_flattened()).collect();
    let vertices = vertex_buffers(scene, &[(&words, 12)]);
    program.bind(scene, User { set, vertices, push: &[] });
    scene.draw(DI_PT_TRISTRIP, 4);
}

#[test]
fn depth_casts_shadows() {
    for compiler in Compiler::ALL {
        let program = Program::new("scene_shadow", compiler);
        both("radv_shadow", |scene| {
            let target = scene.target(SIDE, SIDE);
            scene.color(0, &target);
            scene.screen(SIDE, SIDE, 15);
            let depths = cleared_depth(scene, SIDE, SIDE);
            use reg::DB_DEPTH_CONTROL as D;
            let tested = D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LESS);
            scene.set(reg::DB_DEPTH_CONTROL, &[tested]);
            // What casts shadows, into depth alone: no pixel shader's outputs are written.
            let casters = [[-0.5, 0.6, 0.3], [0.1, 0.4, 0.3], [-0.4, 0.0, 0.3], [0.3, -0.3, 0.3]];
            scene.set(reg::CB_TARGET_MASK, &[0]);
            shadow_strip(scene, &program, depths, &casters);
            scene.set(reg::CB_TARGET_MASK, &[15]);
            scene.set(reg::DB_DEPTH_CONTROL, &[0]);
            scene.set(reg::DB_Z_INFO, &[0]);
            let floor = [[-1.0, 1.0, 0.8], [1.0, 1.0, 0.8], [-1.0, -1.0, 0.8], [1.0, -1.0, 0.8]];
            shadow_strip(scene, &program, depths, &floor);
            target
        });
    }
}

#[test]
fn a_picture_is_blurred_toned_and_dimmed() {
    for compiler in Compiler::ALL {
        let [textured, blur, tone, post] =
            ["scene_textured", "post_blur", "post_tone", "scene_post"].map(|name| Program::new(name, compiler));
        both("radv_post", |scene| {
            // A mesh into a tiled target.
            let drawn = Target { tile_mode: 14, ..scene.target(SIDE, SIDE) };
            scene.color(0, &drawn);
            scene.screen(SIDE, SIDE, 15);
            cleared_depth(scene, SIDE, SIDE);
            use reg::DB_DEPTH_CONTROL as D;
            let tested = D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LESS);
            scene.set(reg::DB_DEPTH_CONTROL, &[tested]);
            textured_cube(scene, &textured);
            scene.set(reg::DB_DEPTH_CONTROL, &[0]);
            scene.set(reg::DB_Z_INFO, &[0]);
            // Blurred through shared memory into a target of another tiling.
            let blurred = Target { tile_mode: 10, ..scene.target(SIDE, SIDE) };
            let set = blur.set(scene, &[sampled(drawn.texture(), linear_sampler()), blurred.texture().0.to_vec()]);
            blur.dispatch(scene, User { set, ..User::default() }, [SIDE / 16, SIDE / 4, 1]);
            // Toned into 32-bit floats.
            let floats = scene.alloc(u64::from(SIDE * SIDE * 16), 64 << 10);
            let floats = texture(floats, [SIDE; 2], IMG_DATA_FORMAT_32_32_32_32, IMG_NUM_FORMAT_FLOAT);
            let set = tone.set(scene, &[sampled(blurred.texture(), linear_sampler()), floats.0.to_vec()]);
            let exposure = [0.8f32.to_bits()];
            tone.dispatch(scene, User { set, push: &exposure, ..User::default() }, [SIDE / 8, SIDE / 8, 1]);
            // Dimmed towards the corners.
            let last = scene.target(SIDE, SIDE);
            scene.color(0, &last);
            let set = post.set(scene, &[sampled(floats, linear_sampler())]);
            post.bind(scene, User { set, ..User::default() });
            scene.draw(DI_PT_TRILIST, 3);
            last
        });
    }
}
