//! Shapes of textures, their levels, and what lies beyond their edges: single texels, by a shader that stores what it samples.

use crate::rig::{Encoding, Scene, linear_sampler, records, texture};
use afterimage_gnm_types::descriptors::{image, sampler};
use afterimage_gnm_types::{ImageDescriptor, SamplerDescriptor, reg, value::*};

/// Columns and lines of the first level. Lines of each level that is used need no gap between them.
const SIZE: u32 = 64;

/// A texel of so many levels and layers: level and layer, column, line.
pub(crate) fn texel(level: u32, layer: u32, x: u32, y: u32) -> [u8; 4] {
    [(level * 64 + layer) as u8, x as u8, y as u8, 255]
}

/// All layers of the first level, then those of the next.
fn texels(levels: u32, layers: u32) -> Vec<[u8; 4]> {
    let mut all = Vec::new();
    for level in 0..levels {
        for layer in 0..layers {
            let size = SIZE >> level;
            all.extend((0..size * size).map(|at| texel(level, layer, at % size, at / size)));
        }
    }
    all
}

/// A texture with [`texels`] in it.
pub(crate) fn image(scene: &mut Scene, kind: u32, levels: u32, layers: u32) -> ImageDescriptor {
    let address = scene.texels(&texels(levels, layers));
    texture(address, [SIZE; 2], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM)
        .with(image::TYPE, kind)
        .with(image::DEPTH, if kind == SQ_RSRC_IMG_CUBE { 0 } else { layers - 1 })
        .with(image::LAST_LEVEL, levels - 1)
        .with(image::LAST_ARRAY, if kind == SQ_RSRC_IMG_3D { 0 } else { layers - 1 })
        .with(image::POW2_PAD, u32::from(levels > 1))
}

/// Takes whole texels.
pub(crate) fn nearest() -> SamplerDescriptor {
    SamplerDescriptor::default().with(sampler::MAX_LOD, 0xFFF).with(sampler::MIP_FILTER, SQ_TEX_MIP_FILTER_POINT)
}

/// What `image_sample_l` gives for coordinates, the last being the level; `array`: one of them is a layer or face.
pub(crate) fn sampled(
    scene: &mut Scene,
    image: ImageDescriptor,
    by: SamplerDescriptor,
    coordinates: &[f32],
    array: bool,
) -> u64 {
    sampled_by(scene, image, by, ["image_sample_l", if array { "dmask:0xf da" } else { "dmask:0xf" }], coordinates)
}

/// What an instruction gives for the words of its address: four words.
pub(crate) fn sampled_by(
    scene: &mut Scene,
    image: ImageDescriptor,
    by: SamplerDescriptor,
    [operation, flags]: [&str; 2],
    words: &[f32],
) -> u64 {
    let out = scene.room(16);
    let mut program = String::new();
    for (n, word) in words.iter().enumerate() {
        program += &format!("v_mov_b32 v{}, {:#x}\n", 4 + n, word.to_bits());
    }
    let last = 3 + words.len();
    program += &format!(
        "{operation} v[8:11], v[4:{last}], s[0:7], s[8:11] {flags}
        s_waitcnt vmcnt(0)
        buffer_store_dwordx4 v[8:11], off, s[12:15], 0
        s_endpgm"
    );
    let program = scene.program(&program);
    let buffer = records(out, 0, 16, BUF_DATA_FORMAT_32);
    let user: Vec<u32> = image.0.into_iter().chain(by.0).chain(buffer.0).collect();
    scene.dispatch(program, [1, 1, 1], &user, [1, 1, 1]);
    out
}

/// Runs a scene that samples at places, and compares the texels as bytes.
fn check(build: impl Fn(&mut Scene) -> Vec<(u64, [u8; 4])>) {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let expected = build(&mut scene);
        let mut ran = scene.run();
        for (n, (address, bytes)) in expected.into_iter().enumerate() {
            let read = ran.read(address, 16);
            let got = read.as_chunks().0.iter().map(|channel| (f32::from_le_bytes(*channel) * 255.0).round() as u8);
            assert_eq!(got.collect::<Vec<_>>(), bytes, "place {n}");
        }
        ran.finish();
    }
}

/// The coordinate of the middle of a texel.
fn middle(at: u32, size: u32) -> f32 {
    (at as f32 + 0.5) / size as f32
}

#[test]
fn levels_lie_one_after_the_other() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_2D, 3, 1);
        let places = [(0, 5, 60), (1, 30, 2), (2, 15, 15)];
        let sample = |(level, x, y): (u32, u32, u32)| {
            let size = SIZE >> level;
            let coordinates = [middle(x, size), middle(y, size), level as f32];
            (sampled(scene, image, nearest(), &coordinates, false), texel(level, 0, x, y))
        };
        places.map(sample).to_vec()
    });
}

#[test]
fn layers_of_an_array_have_levels() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_2D_ARRAY, 2, 4);
        let places = [(0, 3, 5, 60), (1, 0, 31, 2), (1, 2, 7, 30)];
        let sample = |(level, layer, x, y): (u32, u32, u32, u32)| {
            let size = SIZE >> level;
            let coordinates = [middle(x, size), middle(y, size), layer as f32, level as f32];
            (sampled(scene, image, nearest(), &coordinates, true), texel(level, layer, x, y))
        };
        places.map(sample).to_vec()
    });
}

#[test]
fn a_cube_has_six_faces() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_CUBE, 1, 6);
        let sample = |face: u32| {
            let (x, y) = (3 + face, 60 - face);
            // What `v_cubesc` and the others leave: 1 to 2 on a face.
            let coordinates = [1.0 + middle(x, SIZE), 1.0 + middle(y, SIZE), face as f32, 0.0];
            (sampled(scene, image, nearest(), &coordinates, true), texel(0, face, x, y))
        };
        (0..6).map(sample).collect()
    });
}

#[test]
fn a_volume_has_slices() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_3D, 1, 8);
        let sample = |z: u32| {
            let (x, y) = (7 * z, 63 - z);
            let coordinates = [middle(x, SIZE), middle(y, SIZE), middle(z, 8), 0.0];
            (sampled(scene, image, nearest(), &coordinates, false), texel(0, z, x, y))
        };
        [0, 3, 7].map(sample).to_vec()
    });
}

#[test]
fn borders_have_colours() {
    check(|scene| {
        let table = scene.texels(&[[0.0f32; 4], [0.2, 0.4, 0.6, 0.8]]);
        scene.set(reg::TA_BC_BASE_ADDR, &[(table >> 8) as u32, (table >> 40) as u32]);
        let image = image(scene, SQ_RSRC_IMG_2D, 1, 1);
        let bordered =
            nearest().with(sampler::CLAMP_X, SQ_TEX_CLAMP_BORDER).with(sampler::CLAMP_Y, SQ_TEX_CLAMP_BORDER);
        let colors = [
            (SQ_TEX_BORDER_COLOR_TRANS_BLACK, [0; 4]),
            (SQ_TEX_BORDER_COLOR_OPAQUE_BLACK, [0, 0, 0, 255]),
            (SQ_TEX_BORDER_COLOR_OPAQUE_WHITE, [255; 4]),
            (SQ_TEX_BORDER_COLOR_REGISTER, [51, 102, 153, 204]),
        ];
        let mut expected = Vec::new();
        for (kind, color) in colors {
            let by = bordered.with(sampler::BORDER_COLOR_TYPE, kind).with(sampler::BORDER_COLOR_PTR, 1);
            expected.push((sampled(scene, image, by, &[-0.5, 0.5, 0.0], false), color));
            let inside = [middle(9, SIZE), middle(8, SIZE), 0.0];
            expected.push((sampled(scene, image, by, &inside, false), texel(0, 0, 9, 8)));
        }
        // Without a border, the picture repeats, or its edge goes on.
        let beyond = [middle(SIZE + 9, SIZE), middle(8, SIZE), 0.0];
        expected.push((sampled(scene, image, linear_sampler(), &beyond, false), texel(0, 0, 9, 8)));
        let edge = nearest().with(sampler::CLAMP_X, SQ_TEX_CLAMP_LAST_TEXEL);
        expected.push((sampled(scene, image, edge, &beyond, false), texel(0, 0, SIZE - 1, 8)));
        expected
    });
}

#[test]
fn compute_programs_have_more_textures_than_slots_and_many_storage_images() {
    let (textures, images) = if crate::rig::has_tables() { (31, 27) } else { (20, 16) };
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        // Of each pair of images the texel goes from the first to the second; of the last four textures to a buffer.
        let mut program = "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\n".to_string();
        for n in 0..textures {
            program += &format!(
                "s_load_dwordx8 s[16:23], s[0:1], {:#x}\ns_waitcnt lgkmcnt(0)
                image_load v8, v[4:5], s[16:23] dmask:0x1 unorm\ns_waitcnt vmcnt(0)\n",
                8 * n
            );
            program += &if n < images {
                format!(
                    "s_load_dwordx8 s[24:31], s[2:3], {:#x}\ns_waitcnt lgkmcnt(0)
                    image_store v8, v[4:5], s[24:31] dmask:0x1 unorm\n",
                    8 * n
                )
            } else {
                format!("buffer_store_dword v8, off, s[4:7], 0 offset:{}\n", 4 * (n - images))
            };
        }
        let program = scene.program(&(program + "s_endpgm"));
        let image = |address| texture(address, [64, 1], IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT);
        let from: Vec<u32> = (0..textures).flat_map(|n| image(scene.texels(&[1000 + n; 64])).0).collect();
        let addresses: Vec<u64> = (0..images).map(|_| scene.alloc(256, 256)).collect();
        let to: Vec<u32> = addresses.iter().flat_map(|at| image(*at).0).collect();
        let (from, to, out) = (scene.put(&from), scene.put(&to), scene.room(256));
        let halves = |address: u64| [address as u32, (address >> 32) as u32];
        let buffer = records(out, 0, 16, BUF_DATA_FORMAT_32);
        let user: Vec<u32> = halves(from).into_iter().chain(halves(to)).chain(buffer.0).collect();
        scene.dispatch(program, [1, 1, 1], &user, [1, 1, 1]);
        let mut ran = scene.run();
        for (n, at) in (1000u32..).zip(addresses.into_iter().chain((0..4).map(|n| out + 4 * n))) {
            assert_eq!(ran.read(at, 4), n.to_le_bytes());
        }
        ran.finish();
    }
}
