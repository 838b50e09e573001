//! Images: where samples and texels are taken, by the words of the address.

use std::cell::RefCell;

use afterimage_interp::{Environment, Group, Interpreter, Lod, SampleArgs};
use afterimage_ir::{BankDecl, Component, Dim, ImageDecl, ImageFormat, InputDecl, TextureDecl};
use afterimage_shader_gcn::io::{HwStage, ImageSpec, ImageUse, Registers, Scalars, Source, Texels, bank, tables};
use afterimage_shader_gcn::{assemble, lift, resources};

/// A texel that was written: of which image, where, its bits.
type Texel = (ImageDecl, [i32; 3], [u32; 4]);

/// What a program asked its images for.
#[derive(Default)]
struct Seen {
    /// Words that are delivered, and those that lie in a table.
    words: Vec<u32>,
    table: Vec<u32>,
    samples: RefCell<Vec<(TextureDecl, SampleArgs)>>,
    fetches: RefCell<Vec<([i32; 3], i32)>>,
    gathers: RefCell<Vec<(u8, SampleArgs)>>,
    texels: RefCell<Vec<Texel>>,
    /// Samples that were loaded, and those that were stored.
    of_samples: RefCell<[Vec<u32>; 2]>,
}

impl Environment for Seen {
    fn input(&self, _: &InputDecl, _: usize) -> [u32; 4] {
        [0; 4]
    }

    fn constant(&self, bank: &BankDecl, index: u32) -> [u32; 4] {
        let word = |n: usize| self.words.get(4 * index as usize + n).copied().unwrap_or(0);
        match bank.id {
            bank::WORDS => std::array::from_fn(word),
            // A pointer to the table, which lies at address 0 of the device.
            _ => [0, 0, self.table.len() as u32 * 4, 0],
        }
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

    fn image_load(&self, _: &ImageDecl, _: [i32; 3], sample: u32) -> [u32; 4] {
        self.of_samples.borrow_mut()[0].push(sample);
        [21, 22, 23, 24]
    }

    fn load(&self, address: u64) -> u32 {
        self.table.get(address as usize / 4).copied().unwrap_or(0)
    }

    fn image_store(&self, image: &ImageDecl, coord: [i32; 3], sample: u32, bits: [u32; 4]) {
        self.of_samples.borrow_mut()[1].push(sample);
        self.texels.borrow_mut().push((*image, coord, bits));
    }
}

const FLOAT: u32 = 0;
const UINT_32: u32 = 4 | 4 << 8;
const UINT_32_32: u32 = 11 | 4 << 8;

/// A program with a T# in `s[0:7]` and an S# in `s[8:11]`.
fn program(spec: ImageSpec, code: &str) -> Source {
    let text = format!("{code}\ns_endpgm");
    let code = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let registers = Registers { rsrc2: 12 << 1, num_thread: [1; 3], ..Registers::default() };
    // Those that are sampled are others than those that are not.
    let images = vec![spec; 2];
    let (fetch, buffers, tables) = (Vec::new(), Vec::new(), Vec::new());
    Source { stage: HwStage::Cs, code, fetch, registers, buffers, images, tables }
}

/// Runs code with one lane.
fn run(spec: ImageSpec, code: &str) -> Seen {
    let module = lift(&program(spec, code)).unwrap_or_else(|error| panic!("{error}\n{code}"));
    let seen = Seen::default();
    let group = Group { id: [0; 3], count: [1; 3], wave: 1 };
    Interpreter::new(&module).unwrap().run_group(&seen, group).unwrap();
    seen
}

/// Why code has no translation.
fn refused(spec: ImageSpec, code: &str) -> String {
    lift(&program(spec, code)).expect_err("it is refused").to_string()
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
fn gathers_of_a_level_are_samples_in_the_middle_of_its_texels() {
    // Level 1 has 32 by 16 texels: between texels 7 and 8, and lines 7 and 8.
    let code = with(&[0.25, 0.5, 1.0], "image_gather4_l v[10:13], v[0:2], s[0:7], s[8:11] dmask:0x2");
    let seen = run(image(9, FLOAT), &code);
    assert_eq!(seen.gathers.take().len(), 0);
    let places = |seen: &Seen| {
        let samples = seen.samples.take();
        samples.iter().map(|(_, args)| ([args.coord[0] * 32.0, args.coord[1] * 16.0], args.lod)).collect::<Vec<_>>()
    };
    let corners = [[7.5, 8.5], [8.5, 8.5], [8.5, 7.5], [7.5, 7.5]];
    assert_eq!(places(&seen), corners.map(|corner| (corner, Lod::Level(1.0))));
    // The nearest level, of those that there are; the layer stays, and offsets are in texels of the level.
    let code = "v_add_i32_e32 v0, vcc, 0x104, v9
        image_gather4_c_l_o v[10:13], v[0:5], s[0:7], s[8:11] dmask:0x1 da";
    let values = [0.0, 0.5, 0.25, 0.5, 3.0, 0.6];
    let seen = run(image(13, FLOAT), &with(&values, code));
    let samples = seen.samples.take();
    assert!(samples.iter().all(|(decl, args)| decl.shadow && args.reference == Some(0.5) && args.layer == 3.0));
    let moved: Vec<[f32; 2]> = samples.iter().map(|(_, args)| [args.coord[0] * 32.0, args.coord[1] * 16.0]).collect();
    assert_eq!(moved, corners.map(|[x, y]| [x + 4.0, y + 1.0]));
    let of_level = |lod: f32| {
        let code = with(&[0.25, 0.5, lod], "image_gather4_l v[10:13], v[0:2], s[0:7], s[8:11] dmask:0x1");
        run(image(9, FLOAT), &code).samples.take()[0].1.lod
    };
    assert_eq!([of_level(-3.0), of_level(99.0), of_level(f32::NAN)], [0.0, 4.0, 0.0].map(Lod::Level));
    // On the first face of a cube, of 64 by 64 texels: in the middle of one it is with those behind it.
    let code = with(&[1.5, 1.5, 0.0, 0.0], "image_gather4_l v[10:13], v[0:3], s[0:7], s[8:11] dmask:0x1 da");
    let samples = run(image(11, FLOAT), &code).samples.take();
    assert_eq!((samples.len(), samples[0].0.dim, samples[0].1.coord[0]), (4, Dim::Cube, 1.0));
}

#[test]
fn derivatives_lead_to_the_least_level_at_least() {
    let sampled_by = |dx: f32, least: f32| {
        let code = "image_sample_d_cl v10, v[0:6], s[0:7], s[8:11] dmask:0x1";
        sampled(9, &[dx, 0.0, 0.0, dx, 0.25, 0.5, least], code).1.lod
    };
    // Of 64 by 32 texels: one texel to the right, two lines up.
    let own = 1.0 / 64.0;
    let by = |dx, dy| Lod::Gradient { dx: [dx, 0.0, 0.0], dy: [0.0, dy, 0.0], bias: 0.0 };
    assert_eq!(sampled_by(4.0 * own, 1.0), by(4.0 * own, 4.0 * own));
    assert_eq!(sampled_by(own, 3.0), by(8.0 / 64.0, 8.0 / 32.0));
    assert_eq!(sampled_by(own, -9.0), by(own, own));
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
fn texels_of_two_words_are_changed_as_one_number() {
    let place = "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\n";
    // The texel is 21 and 22: the sum has a carry, and what was there comes back in two registers.
    let code = format!(
        "{place}v_mov_b32_e32 v2, -1\nv_mov_b32_e32 v3, 9
        image_atomic_add v[2:3], v[0:1], s[0:7] dmask:0x3 glc
        v_mov_b32_e32 v4, v2\nv_mov_b32_e32 v5, v3
        image_store v[4:5], v[0:1], s[0:7] dmask:0x3"
    );
    let texels = run(image(9, UINT_32_32), &code).texels.take();
    assert_eq!([texels[0].2, texels[1].2].map(|texel| [texel[0], texel[1]]), [[20, 32], [21, 22]]);
    assert_eq!(texels[0].0.format, ImageFormat::R64);
    // Value and comparand are two registers each.
    for (low, wanted) in [(21, [7, 8]), (20, [21, 22])] {
        let code = format!(
            "{place}v_mov_b32_e32 v2, 7\nv_mov_b32_e32 v3, 8\nv_mov_b32_e32 v4, {low}\nv_mov_b32_e32 v5, 22
            image_atomic_cmpswap v[2:5], v[0:1], s[0:7] dmask:0xf"
        );
        let texels = run(image(9, UINT_32_32), &code).texels.take();
        assert_eq!(texels[0].2[..2], wanted, "{low}");
    }
    // Signed texels are the same number, and what stores alone has two components as before.
    let code =
        format!("{place}v_mov_b32_e32 v2, 1\nv_mov_b32_e32 v3, 0\nimage_atomic_smin v[2:3], v[0:1], s[0:7] dmask:0x3");
    let texel = run(image(9, 11 | 5 << 8), &code).texels.take()[0];
    assert_eq!((texel.0.component, texel.2), (Component::Uint, [1, 0, 0, 0]));
    let code = format!("{place}image_store v[0:1], v[0:1], s[0:7] dmask:0x3");
    let texel = run(image(9, UINT_32_32), &code).texels.take()[0];
    assert_eq!((texel.0.format, texel.2), (ImageFormat::Any, [3, 4, 0, 0]));
}

#[test]
fn atomic_operations_of_another_width_than_the_texel_are_refused() {
    for (format, mask) in [(UINT_32_32, 1), (UINT_32_32, 15), (11 | 7 << 8, 3), (12 | 4 << 8, 3), (14 | 4 << 8, 3)] {
        let why = refused(image(9, format), &format!("image_atomic_add v[2:5], v[0:1], s[0:7] dmask:{mask:#x}"));
        assert!(why.contains("an image whose texels are not one number of its width"), "{format:#x}: {why}");
    }
}

#[test]
fn samples_of_storage_images_come_behind_the_coordinates() {
    let place = "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\nv_mov_b32_e32 v2, 5\nv_mov_b32_e32 v3, 6\n";
    let code = format!(
        "{place}image_load v[10:11], v[0:2], s[0:7] dmask:0x5
        image_store v[10:11], v[0:2], s[0:7] dmask:0x3
        v_mov_b32_e32 v2, -1
        image_atomic_add v12, v[0:2], s[0:7] dmask:0x1 glc"
    );
    let seen = run(image(14, UINT_32), &code);
    let [first, second] = seen.texels.take()[..] else { panic!("two texels") };
    assert_eq!((first.0.dim, first.1, first.2, second.1), (Dim::D2Ms, [3, 4, 0], [21, 23, 0, 0], [3, 4, 0]));
    assert_eq!(seen.of_samples.take(), [vec![5, u32::MAX], vec![5, u32::MAX]]);
    // The layer is before it.
    let code = format!("{place}image_store v10, v[0:3], s[0:7] dmask:0x1 da");
    let seen = run(image(15, UINT_32), &code);
    let texel = seen.texels.take()[0];
    assert_eq!((texel.0.dim, texel.1, seen.of_samples.take()[1][..].to_vec()), (Dim::D2MsArray, [3, 4, 5], vec![6]));
}

#[test]
fn texels_are_accessed_as_the_bits_they_are() {
    // Four bytes of an image of integers, which the host has of any number format.
    let place = "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\n";
    let bytes = image(9, 10 | 4 << 8);
    let code =
        format!("{place}image_load_pck v4, v[0:1], s[0:7] dmask:0x1\nimage_store_pck v4, v[0:1], s[0:7] dmask:0x1");
    assert_eq!(run(bytes, &code).texels.take()[0].2, [21, 22, 23, 24]);
    let code = format!("{place}v_mov_b32 v4, 0x89abcdef\nimage_store_pck v4, v[0:1], s[0:7] dmask:0x1");
    assert_eq!(run(bytes, &code).texels.take()[0].2, [0xef, 0xcd, 0xab, 0x89]);
    // Two halves of a word, a whole one for each, and one byte with its sign.
    let code =
        format!("{place}image_load_pck v4, v[0:1], s[0:7] dmask:0x1\nimage_store_pck v4, v[0:1], s[0:7] dmask:0x1");
    assert_eq!(run(image(9, 5 | 4 << 8), &code).texels.take()[0].2, [21, 22, 0, 0]);
    let code = format!(
        "{place}image_load_pck v[4:5], v[0:1], s[0:7] dmask:0x3\nimage_store_pck v[4:5], v[0:1], s[0:7] dmask:0x3"
    );
    assert_eq!(run(image(9, 11 | 4 << 8), &code).texels.take()[0].2, [21, 22, 0, 0]);
    let seen = |texels, words: [u32; 8]| {
        let image = ImageUse { descriptor: [0; 8], storage: true, written: true, layers: false, level: 0, texels };
        let words = image.seen(words);
        [words[1] >> 20 & 0x3f, words[1] >> 26 & 15]
    };
    let described = |data: u32, number: u32| [0, data << 20 | number << 26, 0, 9 << 28, 0, 0, 0, 0];
    assert_eq!(seen(Texels::Bits, described(10, 0)), [10, 4]);
    assert_eq!(seen(Texels::Bits, described(6, 7)), [6, 7]);
    assert_eq!(seen(Texels::Words, described(10, 0)), [10, 0]);
    assert_eq!(seen(Texels::Words, described(4, 7)), [4, 4]);
    assert_eq!(seen(Texels::Words, described(4, 5)), [4, 5]);
    assert_eq!(seen(Texels::Converted, described(4, 7)), [4, 7]);
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

/// Memory in which a table of descriptors lies, at byte 0x1000 and behind.
struct Tables(Vec<u32>);

const TABLE: u64 = 0x1000;

impl Scalars for Tables {
    fn user(&self, n: u8) -> u32 {
        [TABLE as u32, 0].get(usize::from(n)).copied().unwrap_or(0)
    }

    fn word(&self, address: u64) -> Option<u32> {
        self.0.get(usize::try_from(address.checked_sub(TABLE)? / 4).ok()?).copied()
    }

    fn program(&self) -> u64 {
        0
    }
}

/// Descriptors of an image of a type with one of sixteen addresses, and a sampler.
fn described(kind: u32, number: u32) -> [u32; 24] {
    let mut words = [0; 24];
    words[..8].copy_from_slice(&[0x100 + number, 10 << 20, 63 | 31 << 14, kind << 28 | 0xfac, 63 << 13, 3 << 13, 0, 0]);
    words[20..].copy_from_slice(&[0, 0xf00 << 12, (number % 2) << 20, 0]);
    words
}

/// Runs code, in which T# and S# of the entry at byte `offset` of a table of 96 bytes each are in `s[16:23]` and `s[24:27]`.
fn out_of_table(memory: Vec<u32>, offset: u32, code: &str) -> Seen {
    let text = format!(
        "v_mov_b32_e32 v0, {offset:#x}
         v_readfirstlane_b32_e32 s8, v0
         s_load_dwordx8 s[16:23], s[0:1], s8
         s_add_i32 s9, s8, 0x50
         s_load_dwordx4 s[24:27], s[0:1], s9
         {code}\ns_endpgm"
    );
    let code = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let registers = Registers { rsrc2: 12 << 1, num_thread: [1; 3], ..Registers::default() };
    let mut source = Source {
        stage: HwStage::Cs,
        code,
        fetch: Vec::new(),
        registers,
        buffers: Vec::new(),
        images: Vec::new(),
        tables: Vec::new(),
    };
    let found = resources(&source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let memory = Tables(memory);
    let values = found.evaluate(&memory);
    source.images = found
        .images
        .iter()
        .map(|image| {
            let words = image.seen(values.all(image.descriptor));
            image_spec(words, image.storage)
        })
        .collect();
    let module = lift(&source).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let words = found.words.iter().map(|&word| values.get(word)).collect();
    let seen = Seen { words, table: memory.0, ..Seen::default() };
    let group = Group { id: [0; 3], count: [1; 3], wave: 1 };
    Interpreter::new(&module).unwrap().run_group(&seen, group).unwrap();
    seen
}

fn image_spec(words: [u32; 8], storage: bool) -> ImageSpec {
    let format = if storage { words[1] >> 20 & 63 | (words[1] >> 26 & 15) << 8 } else { FLOAT };
    ImageSpec { kind: words[3] >> 28, format, ..ImageSpec::default() }
}

#[test]
fn images_out_of_tables_are_those_whose_words_registers_have() {
    let entries = [9, 10, 13, 9, 9].into_iter().zip(1..).map(|(kind, number)| described(kind, number));
    let table: Vec<u32> = entries.flatten().collect();
    let sample = "v_mov_b32_e32 v1, 0.5\nv_mov_b32_e32 v2, 0.5\nv_mov_b32_e32 v3, 0
        image_sample_lz v[4:7], v[1:3], s[16:23], s[24:27] dmask:0xf da";
    for (n, dim) in [Dim::D2, Dim::D3, Dim::D2Array, Dim::D2, Dim::D2].into_iter().enumerate() {
        let samples = out_of_table(table.clone(), 96 * n as u32, sample).samples.take();
        assert_eq!(samples.len(), 1, "entry {n}");
        assert_eq!((samples[0].0.slot as usize, samples[0].0.dim), (20 + n, dim), "entry {n}");
    }
    // What is no descriptor, and what lies beyond the end, is no image.
    for offset in [16, 96 * 5, 1 << 20] {
        assert_eq!(out_of_table(table.clone(), offset, sample).samples.take().len(), 0);
    }
    // Storage images, too, and what is loaded of them.
    let store = "v_mov_b32_e32 v1, 1\nv_mov_b32_e32 v2, 2\nv_mov_b32_e32 v3, 0
        image_store v[0:3], v[1:3], s[16:23] dmask:0xf
        image_load v[4:7], v[1:3], s[16:23] dmask:0xf";
    let texels = out_of_table(table, 96, store).texels.take();
    assert_eq!((texels.len(), texels[0].0.slot, texels[0].0.dim), (1, 1, Dim::D3));
}

#[test]
fn an_image_that_is_none_reads_as_zero() {
    let code = "v_mov_b32_e32 v4, 9
        image_load v4, v[0:1], s[0:7] dmask:0x1
        image_store v4, v[0:1], s[0:7] dmask:0x1
        v_cvt_f32_u32_e32 v0, v4
        image_sample_lz v4, v[0:1], s[0:7], s[8:11] dmask:0x1";
    let seen = run(ImageSpec::default(), code);
    assert_eq!((seen.samples.take().len(), seen.fetches.take().len(), seen.texels.take().len()), (0, 0, 0));
}

#[test]
fn tables_are_bounded() {
    // Many of the same, none, and what reads as far as memory goes.
    let same: Vec<u32> = (0..64).flat_map(|_| described(9, 1)).collect();
    let other: Vec<u32> = (0..64).flat_map(|n| described(9, n + 1)).collect();
    let full: Vec<u32> = (0..tables::MOST as u32).flat_map(|n| described(9, n + 1)).collect();
    let nothing = vec![0xffff_ffff; 4096];
    let most = tables::MOST;
    for (memory, wanted, more) in
        [(same, 1, false), (full, most, false), (other, most, true), (nothing, 0, false), (Vec::new(), 0, false)]
    {
        let found = tables::find(&Tables(memory), TABLE, tables::What::Pairs);
        assert_eq!((found.entries.len(), found.more), (wanted, more));
        let nowhere = tables::find(&Tables(Vec::new()), u64::MAX - 2, tables::What::Images);
        assert!(nowhere.entries.is_empty());
    }
}

#[test]
fn levels_of_storage_images_are_bound_each() {
    // Three levels; what lies beyond is none.
    let mut words = described(9, 1);
    words[1] = 4 << 20 | 4 << 26;
    words[3] |= 2 << 16;
    let table: Vec<u32> = words.to_vec();
    for level in 0..4 {
        let text = format!(
            "s_load_dwordx8 s[16:23], s[0:1], 0x0
             v_mov_b32_e32 v1, 1\nv_mov_b32_e32 v2, 2\nv_mov_b32_e32 v3, {level}
             image_store_mip v4, v[1:3], s[16:23] dmask:0x1
             s_endpgm"
        );
        let code = assemble(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let registers = Registers { rsrc2: 12 << 1, num_thread: [1; 3], ..Registers::default() };
        let mut source = Source {
            stage: HwStage::Cs,
            code,
            fetch: Vec::new(),
            registers,
            buffers: Vec::new(),
            images: Vec::new(),
            tables: Vec::new(),
        };
        let found = resources(&source).unwrap();
        let memory = Tables(table.clone());
        let values = found.evaluate(&memory);
        let seen = found.images.iter().map(|image| image.seen(values.all(image.descriptor)));
        let levels: Vec<u32> = seen.clone().map(|words| words[3] >> 12 & 15).collect();
        assert_eq!(levels[..4], [0, 1, 2, 0]);
        source.images = seen.map(|words| image_spec(words, true)).collect();
        let module = lift(&source).unwrap();
        let seen = Seen::default();
        Interpreter::new(&module).unwrap().run_group(&seen, Group { id: [0; 3], count: [1; 3], wave: 1 }).unwrap();
        let slots: Vec<u8> = seen.texels.take().iter().map(|texel| texel.0.slot).collect();
        let wanted: &[u8] = if level < 3 { &[level] } else { &[] };
        assert_eq!(slots, wanted, "level {level}");
    }
}

#[test]
fn levels_of_storage_images_out_of_tables_are_bound_each() {
    // Three levels, the last two of three, samples, which have none, and one.
    let levels = |words: [u32; 24], base: u32, last: u32| {
        let mut words = words;
        words[1] = 4 << 20 | 4 << 26;
        words[3] |= base << 12 | last << 16;
        words
    };
    let entries = [
        levels(described(9, 1), 0, 2),
        levels(described(9, 2), 1, 2),
        levels(described(14, 3), 0, 2),
        levels(described(9, 4), 0, 0),
    ];
    let table = entries.concat();
    let found = tables::find(&Tables(table.clone()), TABLE, tables::What::Levels);
    let firsts: Vec<[u32; 2]> = found.entries.iter().map(|words| [words[8], words[9] >> 12 & 15]).collect();
    assert_eq!(firsts, [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [0, 0], [0, 0]]);
    let stored = |entry: u32, level: u32| {
        let code = format!(
            "v_mov_b32_e32 v1, 1\nv_mov_b32_e32 v2, 2\nv_mov_b32_e32 v3, {level}
            image_store_mip v4, v[1:3], s[16:23] dmask:0x1
            image_load_mip v5, v[1:3], s[16:23] dmask:0x1"
        );
        let seen = out_of_table(table.clone(), 96 * entry, &code);
        let slots: Vec<u8> = seen.texels.take().iter().map(|texel| texel.0.slot).collect();
        (slots, seen.of_samples.take()[0].len())
    };
    let one = |slot: u8| (vec![slot], 1);
    assert_eq!([stored(0, 0), stored(0, 1), stored(0, 2)], [one(0), one(1), one(2)]);
    assert_eq!([stored(1, 0), stored(1, 1)], [one(3), one(4)]);
    // What names a sample is an access of that.
    assert_eq!([stored(2, 0), stored(2, 3)], [one(5), one(5)]);
    assert_eq!(stored(3, 0), one(6));
    let none = (Vec::new(), 0);
    assert_eq!([stored(0, 3), stored(1, 2), stored(3, 1), stored(4, 0)], [(); 4].map(|()| none.clone()));
}

#[test]
fn levels_of_tables_are_bounded() {
    let mut words = described(9, 1);
    words[3] |= 14 << 16;
    let many: Vec<u32> = (0..16)
        .flat_map(|n| {
            let mut words = words;
            words[0] += n;
            words
        })
        .collect();
    let found = tables::find(&Tables(many), TABLE, tables::What::Levels);
    assert_eq!((found.entries.len(), found.more), (tables::MOST_LEVELS, true));
}

#[test]
fn faces_of_cubes_are_layers_where_there_is_no_sampler() {
    let seen = |words: [u32; 8], layers| {
        let texels = Texels::Converted;
        let image = ImageUse { descriptor: [0; 8], storage: false, written: false, layers, level: 0, texels };
        image.seen(words)[3] >> 28
    };
    let cube = [1, 10 << 20, 0, 11 << 28, 0, 0, 0, 0];
    assert_eq!((seen(cube, true), seen(cube, false)), (13, 11));
    let code = with(
        &[],
        "v_mov_b32_e32 v0, 3\nv_mov_b32_e32 v1, 4\nv_mov_b32_e32 v2, 5\nimage_load v10, v[0:2], s[0:7] dmask:0x1 da",
    );
    assert_eq!(run(image(13, FLOAT), &code).fetches.take(), [([3, 4, 5], 0)]);
}
