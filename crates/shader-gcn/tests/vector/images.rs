//! Images: where samples and texels are taken, by the words of the address.

use std::cell::RefCell;

use afterimage_interp::{Environment, Group, Interpreter, Lod, SampleArgs};
use afterimage_ir::{BankDecl, Dim, ImageDecl, InputDecl, TextureDecl};
use afterimage_shader_gcn::io::{HwStage, ImageSpec, Registers, Source};
use afterimage_shader_gcn::{assemble, lift};

/// A texel that was written: of which image, where, its bits.
type Texel = (ImageDecl, [i32; 3], [u32; 4]);

/// What a program asked its images for.
#[derive(Default)]
struct Seen {
    samples: RefCell<Vec<(TextureDecl, SampleArgs)>>,
    fetches: RefCell<Vec<([i32; 3], i32)>>,
    gathers: RefCell<Vec<(u8, SampleArgs)>>,
    texels: RefCell<Vec<Texel>>,
}

impl Environment for Seen {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, _: &BankDecl, _: u32) -> [u32; 4] {
        [0; 4]
    }

    fn sample(&self, texture: &TextureDecl, args: &SampleArgs) -> [f32; 4] {
        self.samples.borrow_mut().push((*texture, *args));
        [1.0, 2.0, 3.0, 4.0]
    }

    fn gather_bits(&self, _: &TextureDecl, component: u8, args: &SampleArgs) -> [u32; 4] {
        self.gathers.borrow_mut().push((component, *args));
        [5, 6, 7, 8]
    }

    fn fetch(&self, _: &TextureDecl, coord: [i32; 3], which: i32) -> [u32; 4] {
        self.fetches.borrow_mut().push((coord, which));
        [11, 12, 13, 14]
    }

    fn texture_size(&self, _: &TextureDecl, level: i32) -> [u32; 3] {
        [64 >> level, 32 >> level, 6]
    }

    fn texture_levels(&self, _: &TextureDecl) -> u32 {
        5
    }

    fn image_load(&self, _: &ImageDecl, _: [i32; 3], _: u32) -> [u32; 4] {
        [21, 22, 23, 24]
    }

    fn image_store(&self, image: &ImageDecl, coord: [i32; 3], _: u32, bits: [u32; 4]) {
        self.texels.borrow_mut().push((*image, coord, bits));
    }
}

const FLOAT: u32 = 0;
const UINT_32: u32 = 4 | 4 << 8;

/// Runs code with one lane; T# in `s[0:7]`, S# in `s[8:11]`.
fn run(spec: ImageSpec, code: &str) -> Seen {
    let text = format!("{code}\ns_endpgm");
    let code = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let registers = Registers { rsrc2: 12 << 1, num_thread: [1; 3], ..Registers::default() };
    let images = vec![spec];
    let source = Source { stage: HwStage::Cs, code, fetch: Vec::new(), registers, buffers: Vec::new(), images };
    let module = lift(&source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let seen = Seen::default();
    let group = Group { id: [0; 3], count: [1; 3], wave: 1 };
    Interpreter::new(&module).unwrap().run_group(&seen, group).unwrap();
    seen
}

fn image(kind: u32, format: u32) -> ImageSpec {
    ImageSpec { kind, format, ..ImageSpec::default() }
}

/// Registers from v0 on, as floats, then the instruction.
fn with(values: &[f32], instruction: &str) -> String {
    let moves = values.iter().enumerate().map(|(n, value)| format!("v_mov_b32_e32 v{n}, {:#x}\n", value.to_bits()));
    moves.collect::<String>() + instruction
}

/// The one sample that a program took.
fn sampled(kind: u32, values: &[f32], instruction: &str) -> (TextureDecl, SampleArgs) {
    let seen = run(image(kind, FLOAT), &with(values, instruction));
    assert_eq!(seen.samples.borrow().len(), 1, "{instruction}");
    seen.samples.take()[0]
}

#[test]
fn addresses_have_their_words_in_order() {
    let (decl, args) = sampled(9, &[0.25, 0.5, 3.0], "image_sample_l v[10:13], v[0:2], s[0:7], s[8:11] dmask:0xf");
    assert_eq!((decl.dim, decl.slot, decl.shadow), (Dim::D2, 20, false));
    assert_eq!((args.coord, args.lod), ([0.25, 0.5, 0.0], Lod::Level(3.0)));
    // Reference, derivatives, coordinates.
    let code = "image_sample_c_d v10, v[0:6], s[0:7], s[8:11] dmask:0x1";
    let (decl, args) = sampled(9, &[0.75, 1.0, 2.0, 3.0, 4.0, 0.25, 0.5], code);
    assert_eq!((decl.shadow, args.reference), (true, Some(0.75)));
    assert_eq!(args.lod, Lod::Gradient { dx: [1.0, 2.0, 0.0], dy: [3.0, 4.0, 0.0], bias: 0.0 });
    assert_eq!(args.coord, [0.25, 0.5, 0.0]);
    // The layer of an array, the level behind it.
    let code = "image_sample_l v10, v[0:3], s[0:7], s[8:11] dmask:0x1 da";
    let (decl, args) = sampled(13, &[0.25, 0.5, 2.0, 1.0], code);
    assert_eq!((decl.dim, args.layer, args.lod), (Dim::D2Array, 2.0, Lod::Level(1.0)));
    // One dimension is in the middle of two.
    let (_, args) = sampled(8, &[0.25, 7.0], "image_sample_lz v10, v0, s[0:7], s[8:11] dmask:0x1");
    assert_eq!((args.coord, args.lod), ([0.25, 0.5, 0.0], Lod::Level(0.0)));
    // Coordinates in texels.
    let (_, args) = sampled(9, &[16.0, 8.0], "image_sample_lz v10, v[0:1], s[0:7], s[8:11] dmask:0x1 unorm");
    assert_eq!(args.coord, [0.25, 0.25, 0.0]);
}

#[test]
fn offsets_are_immediate_where_they_are_known() {
    let offset = |word: u32| {
        let code = format!(
            "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 0\nv_mov_b32_e32 v0, {word:#x}
            image_sample_lz_o v10, v[0:2], s[0:7], s[8:11] dmask:0x1"
        );
        run(image(9, FLOAT), &code).samples.take()[0].1
    };
    assert_eq!(offset(0x0000_3f02).offset.0, [2, -1, 0]);
    // What no device takes moves the coordinates.
    let moved = offset(0x0000_0010);
    assert_eq!((moved.offset.0, moved.coord), ([0; 3], [0.25, 0.0, 0.0]));
    let code = "v_mov_b32_e32 v1, 0\nv_mov_b32_e32 v2, 0\nv_add_i32_e32 v0, vcc, 0x104, v3
        image_sample_lz_o v10, v[0:2], s[0:7], s[8:11] dmask:0x1";
    let moved = run(image(9, FLOAT), code).samples.take()[0].1;
    assert_eq!((moved.offset.0, moved.coord), ([0; 3], [4.0 / 64.0, 1.0 / 32.0, 0.0]));
}

#[test]
fn cubes_are_looked_up_by_a_direction() {
    // The six directions, each a little to the right and down on its face, go through v_cube* and come back.
    let directions: [[f32; 3]; 6] = [
        [4.0, -0.5, -1.0],
        [-4.0, -0.5, 1.0],
        [1.0, 4.0, 0.5],
        [1.0, -4.0, -0.5],
        [1.0, -0.5, 4.0],
        [-1.0, -0.5, -4.0],
    ];
    for direction in directions {
        let code = "v_cubeid_f32 v6, v0, v1, v2
            v_cubema_f32 v7, v0, v1, v2
            v_cubesc_f32 v4, v0, v1, v2
            v_cubetc_f32 v5, v0, v1, v2
            v_rcp_f32_e64 v7, |v7|
            v_mad_f32 v4, v4, v7, v8
            v_mad_f32 v5, v5, v7, v8
            image_sample_lz v10, v[4:6], s[0:7], s[8:11] dmask:0x1 da";
        let [x, y, z] = direction;
        let (decl, args) = sampled(11, &[x, y, z, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5], code);
        assert_eq!((decl.dim, args.coord), (Dim::Cube, direction.map(|part| part / 4.0)));
    }
    // Of layers, the number of the face has eight more for each.
    let (decl, args) = sampled(27, &[1.5, 1.5, 17.0], "image_sample_lz v10, v[0:2], s[0:7], s[8:11] dmask:0x1 da");
    assert_eq!((decl.dim, args.coord, args.layer), (Dim::CubeArray, [-1.0, 0.0, 0.0], 2.0));
}

#[test]
fn components_are_gathered_by_the_mask() {
    let code = with(&[0.25, 0.5], "image_gather4_lz v[10:13], v[0:1], s[0:7], s[8:11] dmask:0x4");
    let seen = run(image(9, FLOAT), &code);
    let gathers = seen.gathers.take();
    assert_eq!((gathers.len(), gathers[0].0, gathers[0].1.coord), (1, 2, [0.25, 0.5, 0.0]));
}

#[test]
fn texels_are_loaded_of_a_level() {
    let code = "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\nv_mov_b32_e32 v2, 2
        image_load_mip v[10:11], v[0:2], s[0:7] dmask:0x6";
    assert_eq!(run(image(9, FLOAT), code).fetches.take(), [([3, 4, 0], 2)]);
    let layered =
        "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\nv_mov_b32_e32 v2, 5\nimage_load v10, v[0:2], s[0:7] dmask:0x1 da";
    assert_eq!(run(image(13, FLOAT), layered).fetches.take(), [([3, 4, 5], 0)]);
    let samples =
        "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\nv_mov_b32_e32 v2, 1\nimage_load v10, v[0:2], s[0:7] dmask:0x1";
    assert_eq!(run(image(14, FLOAT), samples).fetches.take(), [([3, 4, 0], 1)]);
}

#[test]
fn storage_images_are_read_written_and_changed() {
    let code = "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4
        image_load v[10:11], v[0:1], s[0:7] dmask:0x5
        image_store v[10:11], v[0:1], s[0:7] dmask:0x3";
    let texels = run(image(9, 10 | 4 << 8), code).texels.take();
    assert_eq!((texels[0].1, texels[0].2), ([3, 4, 0], [21, 23, 0, 0]));
    // Blue is where red would be: what a load turns round, a store turns back.
    let select = 6 | 5 << 3 | 4 << 6 | 7 << 9;
    let turned = ImageSpec { select, ..image(9, 10 | 4 << 8) };
    let code = "image_load v[10:13], v[0:1], s[0:7] dmask:0xf\nimage_store v[10:11], v[0:1], s[0:7] dmask:0x3";
    assert_eq!(run(turned, code).texels.take()[0].2, [0, 22, 23, 0]);
    let code = "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\nv_mov_b32_e32 v2, 9
        image_atomic_add v2, v[0:1], s[0:7] dmask:0x1 glc
        v_mov_b32_e32 v3, v2
        image_store v3, v[0:1], s[0:7] dmask:0x1";
    let texels = run(image(9, UINT_32), code).texels.take();
    assert_eq!([texels[0].2[0], texels[1].2[0]], [30, 21]);
}

#[test]
fn sizes_are_of_a_level() {
    // Width and height of level 1 become coordinates, the number of levels a level.
    let code = "v_mov_b32_e32 v0, 1
        image_get_resinfo v[4:7], v0, s[0:7] dmask:0xf
        v_cvt_f32_u32_e32 v0, v4
        v_cvt_f32_u32_e32 v1, v5
        v_cvt_f32_u32_e32 v2, v7
        image_sample_l v10, v[0:2], s[0:7], s[8:11] dmask:0x1";
    let seen = run(image(9, FLOAT), code);
    let samples = seen.samples.take();
    assert_eq!((samples[0].1.coord, samples[0].1.lod), ([32.0, 16.0, 0.0], Lod::Level(5.0)));
}
