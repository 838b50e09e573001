//! What samplers say besides filters and edges: coordinates in texels, least and greatest texels, levels, borders of integers; and
//! sets of targets of which some are sRGB.

use crate::draws::SCREEN;
use crate::rig::{Encoding, LINEAR, Pixel, Scene, records, texture};
use crate::tables::halves;
use crate::textures::{image, nearest, sampled, sampled_by, texel};
use afterimage_gnm_types::descriptors::{image as i, sampler as s};
use afterimage_gnm_types::{reg, value::*};

/// Runs a scene in both encodings. What lies at addresses afterwards is compared: four floats.
fn check(build: impl Fn(&mut Scene) -> Vec<(u64, [f32; 4])>) {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let expected = build(&mut scene);
        let mut ran = scene.run();
        for (n, (address, floats)) in expected.into_iter().enumerate() {
            let read = ran.read(address, 16);
            let got: [f32; 4] = bytemuck::pod_read_unaligned(&read);
            let near = got.iter().zip(floats).all(|(a, b)| (a - b).abs() < 1e-3 || a.to_bits() == b.to_bits());
            assert!(near, "place {n}: {got:?}, not {floats:?}");
        }
        ran.finish();
    }
}

fn unorm(bytes: [u8; 4]) -> [f32; 4] {
    bytes.map(|byte| f32::from(byte) / 255.0)
}

#[test]
fn coordinates_are_in_texels() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_2D, 1, 1);
        let by = nearest()
            .with(s::FORCE_UNNORMALIZED, 1)
            .with(s::CLAMP_X, SQ_TEX_CLAMP_LAST_TEXEL)
            .with(s::CLAMP_Y, SQ_TEX_CLAMP_LAST_TEXEL);
        let places = [(0.5, 0.5, 0, 0), (5.9, 60.1, 5, 60), (99.0, 63.5, 63, 63)];
        places.map(|(u, v, x, y)| (sampled(scene, image, by, &[u, v, 0.0], false), unorm(texel(0, 0, x, y)))).to_vec()
    });
}

/// Samples the image at s[0:1] at a place with each of three samplers at s[2:3].
const THREE: &str = "
    s_load_dwordx8 s[16:23], s[0:1], 0x0
    s_load_dwordx4 s[24:27], s[2:3], 0x0
    s_load_dwordx4 s[28:31], s[2:3], 0x4
    s_load_dwordx4 s[32:35], s[2:3], 0x8
    v_mov_b32 v4, 0.5
    v_mov_b32 v5, 0.5
    s_waitcnt lgkmcnt(0)
    image_sample_lz v[8:11], v[4:5], s[16:23], s[24:27] dmask:0xf
    image_sample_lz v[12:15], v[4:5], s[16:23], s[28:31] dmask:0xf
    image_sample_lz v[16:19], v[4:5], s[16:23], s[32:35] dmask:0xf
    s_waitcnt vmcnt(0)
    buffer_store_dwordx4 v[8:11], off, s[4:7], 0
    buffer_store_dwordx4 v[12:15], off, s[4:7], 0 offset:16
    buffer_store_dwordx4 v[16:19], off, s[4:7], 0 offset:32
    s_endpgm
";

#[test]
fn some_samplers_of_an_image_have_coordinates_in_texels() {
    check(|scene| {
        let plain = image(scene, SQ_RSRC_IMG_2D, 1, 1);
        let in_texels = nearest()
            .with(s::FORCE_UNNORMALIZED, 1)
            .with(s::CLAMP_X, SQ_TEX_CLAMP_LAST_TEXEL)
            .with(s::CLAMP_Y, SQ_TEX_CLAMP_LAST_TEXEL);
        let samplers = [nearest(), in_texels, nearest().with(s::CLAMP_X, SQ_TEX_MIRROR)];
        let (image, samplers, out) =
            (scene.put(&plain.0), scene.put(&samplers.map(|sampler| sampler.0).concat()), scene.room(48));
        let program = scene.program(THREE);
        let user = [&halves(image)[..], &halves(samplers), &records(out, 0, 48, BUF_DATA_FORMAT_32).0].concat();
        scene.dispatch(program, [1, 1, 1], &user, [1, 1, 1]);
        let middle = unorm(texel(0, 0, 32, 32));
        vec![(out, middle), (out + 16, unorm(texel(0, 0, 0, 0))), (out + 32, middle)]
    });
}

#[test]
fn gathers_are_of_the_level_that_they_say() {
    check(|scene| {
        let linear = nearest()
            .with(s::XY_MAG_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
            .with(s::XY_MIN_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
            .with(s::MIP_FILTER, SQ_TEX_MIP_FILTER_LINEAR);
        let plain = image(scene, SQ_RSRC_IMG_2D, 3, 1);
        let array = image(scene, SQ_RSRC_IMG_2D_ARRAY, 3, 4);
        let mut expected = Vec::new();
        for by in [nearest(), linear] {
            // Level 1 has 32 texels a line: between columns 9 and 10, and lines 19 and 20.
            let place = [10.0 / 32.0, 20.0 / 32.0];
            let mut gathered = |component: u32, image, layer: &[f32], lod: f32| {
                let da = if layer.is_empty() { "" } else { " da" };
                let words = [&place[..], layer, &[lod]].concat();
                sampled_by(scene, image, by, ["image_gather4_l", &format!("dmask:{:#x}{da}", 1 << component)], &words)
            };
            let corners = [(9, 20), (10, 20), (10, 19), (9, 19)];
            expected.push((gathered(0, plain, &[], 1.0), unorm([64; 4])));
            expected.push((gathered(1, plain, &[], 1.3), unorm(corners.map(|(x, _)| x))));
            expected.push((gathered(2, plain, &[], 0.6), unorm(corners.map(|(_, y)| y))));
            expected.push((gathered(0, array, &[2.0], 2.0), unorm([130; 4])));
            expected.push((gathered(2, array, &[2.0], 1.0), unorm(corners.map(|(_, y)| y))));
            // What is beyond the last level is of that.
            expected.push((gathered(0, plain, &[], 9.0), unorm([128; 4])));
        }
        // Over the edge on to the other side.
        let words = [1.0, 0.5, 1.0];
        let edge = sampled_by(scene, plain, nearest(), ["image_gather4_l", "dmask:0x2"], &words);
        expected.push((edge, unorm([31, 0, 0, 31])));
        expected
    });
}

#[test]
fn derivatives_have_a_least_level() {
    check(|scene| {
        let plain = image(scene, SQ_RSRC_IMG_2D, 3, 1);
        let mut at = |by: f32, least: f32, level: u32| {
            let size = 64 >> level;
            let (x, y) = (size / 2 + 1, size / 4 + 1);
            let place = [(x as f32 + 0.5) / size as f32, (y as f32 + 0.5) / size as f32];
            let by = by / 64.0;
            let words = [&[by, 0.0, 0.0, by][..], &place, &[least]].concat();
            let out = sampled_by(scene, plain, nearest(), ["image_sample_d_cl", "dmask:0xf"], &words);
            (out, unorm(texel(level, 0, x, y)))
        };
        vec![at(1.0, 0.0, 0), at(1.0, 1.0, 1), at(0.1, 2.0, 2), at(4.0, 1.0, 2), at(2.0, 0.0, 1), at(1.0, 9.0, 2)]
    });
}

#[test]
fn least_and_greatest_texels() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_2D, 1, 1);
        let by = nearest()
            .with(s::XY_MAG_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
            .with(s::XY_MIN_FILTER, SQ_TEX_XY_FILTER_BILINEAR);
        // Between texels 5 and 6, and lines 20 and 21.
        let place = [6.25 / 64.0, 20.75 / 64.0, 0.0];
        let mut out = |mode: u32| sampled(scene, image, by.with(s::FILTER_MODE, mode), &place, false);
        let blend = [0.0, 5.75 / 255.0, 20.25 / 255.0, 1.0];
        vec![(out(0), blend), (out(1), unorm(texel(0, 0, 5, 20))), (out(2), unorm(texel(0, 0, 6, 21)))]
    });
}

#[test]
fn levels_are_biased_and_clamped() {
    check(|scene| {
        let image = image(scene, SQ_RSRC_IMG_2D, 3, 1);
        let mut at = |image, by, lod: f32, level: u32| {
            let size = 64 >> level;
            let (x, y) = (size / 2 + 1, size / 4 + 1);
            let place = [(x as f32 + 0.5) / size as f32, (y as f32 + 0.5) / size as f32, lod];
            (sampled(scene, image, by, &place, false), unorm(texel(level, 0, x, y)))
        };
        vec![
            at(image, nearest(), 0.0, 0),
            // One and a half levels up is rounded to the second, by a sixteenth less to the first.
            at(image, nearest().with(s::LOD_BIAS, 0x190), 0.0, 2),
            at(image, nearest().with(s::LOD_BIAS, 0x170), 0.0, 1),
            at(image, nearest().with(s::LOD_BIAS, 0x3F00), 2.0, 1),
            at(image, nearest().with(s::MIN_LOD, 0x100), 0.0, 1),
            at(image, nearest().with(s::MAX_LOD, 0x100), 2.0, 1),
            // The image's own least level counts from its first, the sampler's from the view's.
            at(image.with(i::MIN_LOD, 0x100), nearest(), 0.0, 1),
            at(image.with(i::BASE_LEVEL, 1).with(i::MIN_LOD, 0x100), nearest(), 0.0, 1),
            at(image.with(i::BASE_LEVEL, 1).with(i::MIN_LOD, 0x200), nearest(), 0.0, 2),
        ]
    });
}

#[test]
fn integers_have_borders_of_integers() {
    check(|scene| {
        let texels = scene.texels(&[7u8; 64 * 4]);
        let bordered = nearest().with(s::CLAMP_X, SQ_TEX_CLAMP_BORDER).with(s::CLAMP_Y, SQ_TEX_CLAMP_BORDER);
        let mut all = Vec::new();
        for num in [IMG_NUM_FORMAT_UINT, IMG_NUM_FORMAT_SINT] {
            let image = texture(texels, [16, 4], IMG_DATA_FORMAT_8_8_8_8, num);
            let colors = [
                (SQ_TEX_BORDER_COLOR_TRANS_BLACK, [0; 4]),
                (SQ_TEX_BORDER_COLOR_OPAQUE_BLACK, [0, 0, 0, 1]),
                (SQ_TEX_BORDER_COLOR_OPAQUE_WHITE, [1; 4]),
            ];
            for (kind, color) in colors {
                let by = bordered.with(s::BORDER_COLOR_TYPE, kind);
                let border = sampled(scene, image, by, &[-0.5, 0.5, 0.0], false);
                all.push((border, color.map(f32::from_bits)));
            }
            all.push((sampled(scene, image, bordered, &[0.5, 0.5, 0.0], false), [f32::from_bits(7); 4]));
        }
        all
    });
}

#[test]
fn targets_with_and_without_srgb_at_once() {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        scene.screen(64, 8, 0xFFF);
        let pixel = "v_mov_b32 v0, 0.5\nv_mov_b32 v1, 1.0
            exp mrt0 v0, v0, v0, v1 vm\nexp mrt1 v0, v0, v0, v1 vm\nexp mrt2 v0, v0, v0, v1 done vm\ns_endpgm";
        let (vertex, pixel) = (scene.program(SCREEN), scene.program(pixel));
        scene.vertex(vertex, 1, &[0]);
        scene.pixel(pixel, Pixel { exports: 0x999, inputs: 0, values: 2 }, &[]);
        let numbers = [NUMBER_UNORM, NUMBER_SRGB, NUMBER_UNORM];
        let addresses = [0, 1, 2].map(|n| {
            use reg::CB_COLOR0_INFO as I;
            let at = scene.alloc(64 * 8 * 4, 64 << 10);
            let info = I::FORMAT.bits(COLOR_8_8_8_8) | I::NUMBER_TYPE.bits(numbers[n as usize]);
            scene.set(reg::CB_COLOR0_BASE + 0x3C * n, &[(at >> 8) as u32, 7, 7, 0, info, LINEAR]);
            at
        });
        scene.draw(DI_PT_TRISTRIP, 4);
        // The three are looked at as they lie, by a program that reads words.
        let copy =
            "buffer_load_dword v4, off, s[0:3], 0\ns_waitcnt vmcnt(0)\nbuffer_store_dword v4, off, s[4:7], 0\ns_endpgm";
        let copy = scene.program(copy);
        let out = scene.room(256);
        let user: Vec<u32> = records(addresses[1], 0, 4, BUF_DATA_FORMAT_32)
            .0
            .into_iter()
            .chain(records(out, 0, 4, BUF_DATA_FORMAT_32).0)
            .collect();
        scene.dispatch(copy, [1, 1, 1], &user, [1, 1, 1]);
        let mut ran = scene.run();
        let grays = addresses.map(|address| ran.read(address, 4)[0]);
        assert!(grays[0].abs_diff(128) <= 1 && grays[1].abs_diff(188) <= 1 && grays[2].abs_diff(128) <= 1, "{grays:?}");
        assert_eq!(ran.read(out, 4), ran.read(addresses[1], 4));
        ran.finish();
    }
}
