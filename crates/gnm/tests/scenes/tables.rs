//! Tables of descriptors out of which programs choose while they run, and more textures than there are slots.

use crate::draws::SCREEN;
use crate::rig::{Encoding, Pixel, Ran, Scene, has_tables, linear_sampler, records, replaying, texture};
use crate::textures::{image, nearest, texel};
use afterimage_capture::Reader;
use afterimage_gnm::Gpu;
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm_types::descriptors::{image as fields, sampler};
use afterimage_gnm_types::{ImageDescriptor, SamplerDescriptor, value::*};
use afterimage_stream::{DeviceFeatures, DeviceInfo, Format, Packet, Recording, recorder};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

/// An address as the two words of a pointer in user data.
pub(crate) fn halves(address: u64) -> [u32; 2] {
    [address as u32, (address >> 32) as u32]
}

/// An image of a line of one number.
fn number(scene: &mut Scene, number: u32) -> ImageDescriptor {
    let at = scene.texels(&[number; 64]);
    texture(at, [64, 1], IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT)
}

fn words(ran: &mut Ran, at: u64, count: usize) -> Vec<u32> {
    ran.read(at, 4 * count).as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}

/// Stores the first texel of the image of a group's number, at s[0:1] each 32 bytes, into s[4:7].
const BY_GROUP: &str = "
    s_lshl_b32 s20, s16, 5
    s_load_dwordx8 s[24:31], s[0:1], s20
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
    s_waitcnt lgkmcnt(0)
    image_load v8, v[6:7], s[24:31] dmask:0x1 unorm
    s_lshl_b32 s21, s16, 2
    v_mov_b32 v5, s21
    s_waitcnt vmcnt(0)
    buffer_store_dword v8, v5, s[4:7], 0 offen
    s_endpgm
";

/// The same in a loop of one wave, whose counter is the number.
const IN_A_LOOP: &str = "
    s_mov_b32 s20, 0
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
again:
    s_lshl_b32 s21, s20, 5
    s_load_dwordx8 s[24:31], s[0:1], s21
    s_lshl_b32 s22, s20, 2
    v_mov_b32 v5, s22
    s_waitcnt lgkmcnt(0)
    image_load v8, v[6:7], s[24:31] dmask:0x1 unorm
    s_waitcnt vmcnt(0)
    buffer_store_dword v8, v5, s[4:7], 0 offen
    s_add_i32 s20, s20, 1
    s_cmp_lt_u32 s20, 0x400
    s_cbranch_scc1 again
    s_endpgm
";

/// The same by each lane's own number, times 7 modulo 1024: one lane after the other, as compilers write it.
const BY_LANE: &str = "
    s_lshl_b32 s20, s16, 6
    v_add_i32 v5, vcc, s20, v0
    v_mul_u32_u24 v4, 7, v5
    v_and_b32 v4, 0x3ff, v4
    v_lshlrev_b32 v5, 2, v5
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
    s_mov_b64 s[44:45], exec
again:
    v_readfirstlane_b32 s20, v4
    v_cmp_eq_u32 vcc, s20, v4
    s_and_saveexec_b64 s[42:43], vcc
    s_lshl_b32 s21, s20, 5
    s_load_dwordx8 s[24:31], s[0:1], s21
    s_waitcnt lgkmcnt(0)
    image_load v8, v[6:7], s[24:31] dmask:0x1 unorm
    s_waitcnt vmcnt(0)
    buffer_store_dword v8, v5, s[4:7], 0 offen
    s_xor_b64 exec, exec, s[42:43]
    s_cbranch_execnz again
    s_endpgm
";

#[test]
fn a_table_of_a_thousand_textures_is_one() {
    if !has_tables() {
        return;
    }
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let images: Vec<u32> = (0..1000).flat_map(|n| number(&mut scene, 5000 + n).0).collect();
        let table = scene.put(&images);
        let outs = [(); 3].map(|()| scene.room(4 * 1024));
        let programs =
            [(BY_GROUP, [1, 1, 1], [1024, 1, 1]), (BY_LANE, [64, 1, 1], [16, 1, 1]), (IN_A_LOOP, [1, 1, 1], [1, 1, 1])];
        for ((program, threads, groups), out) in programs.into_iter().zip(outs) {
            let program = scene.program(program);
            let user = [&halves(table)[..], &[0; 2], &records(out, 0, 4096, BUF_DATA_FORMAT_32).0].concat();
            scene.dispatch(program, threads, &user, groups);
        }
        let mut ran = scene.run();
        // What lies behind the table is no image.
        let wanted = |n: u32| if n < 1000 { 5000 + n } else { 0 };
        assert_eq!(words(&mut ran, outs[0], 1024), (0..1024).map(wanted).collect::<Vec<_>>());
        assert_eq!(words(&mut ran, outs[1], 1024), (0..1024).map(|n| wanted(7 * n % 1024)).collect::<Vec<_>>());
        assert_eq!(words(&mut ran, outs[2], 1024), (0..1024).map(wanted).collect::<Vec<_>>());
        ran.finish();
    }
}

/// Samples the image of a group's number with the sampler behind it, 48 bytes each from byte 16 on, at coordinates in v[4:7], whose last is
/// the level.
const PAIRS: &str = "
    s_mul_i32 s20, s16, 48
    s_add_i32 s21, s20, 16
    s_add_i32 s22, s20, 48
    s_load_dwordx8 s[24:31], s[0:1], s21
    s_load_dwordx4 s[36:39], s[0:1], s22
    v_mov_b32 v4, s2
    v_mov_b32 v5, s3
    v_mov_b32 v6, s8
    v_mov_b32 v7, 0
    s_waitcnt lgkmcnt(0)
    image_sample_l v[8:11], v[4:7], s[24:31], s[36:39] dmask:0xf
    s_lshl_b32 s21, s16, 4
    v_mov_b32 v5, s21
    s_waitcnt vmcnt(0)
    buffer_store_dwordx4 v[8:11], v5, s[4:7], 0 offen
    s_endpgm
";

fn bytes(ran: &mut Ran, at: u64, count: usize) -> Vec<[u8; 4]> {
    let floats: Vec<f32> = words(ran, at, 4 * count).into_iter().map(f32::from_bits).collect();
    floats.as_chunks::<4>().0.iter().map(|texel| texel.map(|channel| (channel * 255.0).round() as u8)).collect()
}

#[test]
fn images_lie_with_their_samplers() {
    if !has_tables() {
        return;
    }
    let mut scene = Scene::new(Encoding::Standard);
    // Volumes and images, each of their own texels; coordinates are beyond the edge of the first axis.
    let count = 40;
    let (mut table, mut wanted) = (vec![0; 4], Vec::new());
    for n in 0..count {
        let volume = n % 4 == 3;
        let kind = if volume { SQ_RSRC_IMG_3D } else { SQ_RSRC_IMG_2D };
        let image = image(&mut scene, kind, 1, if volume { 4 } else { 1 });
        let (clamp, x) = [(SQ_TEX_WRAP, 8), (SQ_TEX_CLAMP_LAST_TEXEL, 63), (SQ_TEX_MIRROR, 55)][n as usize % 3];
        let by = nearest().with(sampler::CLAMP_X, clamp);
        table.extend(image.0.into_iter().chain(by.0));
        wanted.push(texel(0, if volume { 2 } else { 0 }, x, 10));
    }
    let (table, out) = (scene.put(&table), scene.room(16 * 64));
    let program = scene.program(PAIRS);
    // The level of images is the slice of volumes.
    let [x, y, z] = [72.5 / 64.0, 10.5 / 64.0, 2.5 / 4.0f32];
    let buffer = records(out, 0, 16 * 64, BUF_DATA_FORMAT_32);
    let user = [&halves(table)[..], &[x.to_bits(), y.to_bits()], &buffer.0, &[z.to_bits()]].concat();
    scene.dispatch(program, [1, 1, 1], &user, [count, 1, 1]);
    let mut ran = scene.run();
    assert_eq!(bytes(&mut ran, out, count as usize), wanted);
    ran.finish();
}

/// Samples the image of a group's number with each of three samplers of another table, at s[2:3], and with one that is known.
const APART: &str = "
    s_lshl_b32 s20, s16, 5
    s_load_dwordx8 s[24:31], s[0:1], s20
    s_load_dwordx4 s[44:47], s[2:3], 0x0
    v_mov_b32 v4, -0.5
    v_mov_b32 v5, 0.5
    v_mov_b32 v6, 0
    s_mov_b32 s21, 0
    s_mul_i32 s22, s16, 64
again:
    s_lshl_b32 s23, s21, 4
    s_load_dwordx4 s[36:39], s[2:3], s23
    s_waitcnt lgkmcnt(0)
    image_sample_l v[8:11], v[4:6], s[24:31], s[36:39] dmask:0xf
    s_waitcnt vmcnt(0)
    v_mov_b32 v12, s22
    buffer_store_dwordx4 v[8:11], v12, s[4:7], 0 offen
    s_add_i32 s22, s22, 16
    s_add_i32 s21, s21, 1
    s_cmp_lt_i32 s21, 3
    s_cbranch_scc1 again
    image_sample_l v[8:11], v[4:6], s[24:31], s[44:47] dmask:0xf
    s_waitcnt vmcnt(0)
    v_mov_b32 v12, s22
    buffer_store_dwordx4 v[8:11], v12, s[4:7], 0 offen
    s_endpgm
";

#[test]
fn images_and_samplers_come_out_of_tables_apart() {
    if !has_tables() {
        return;
    }
    let mut scene = Scene::new(Encoding::Standard);
    // Colours as they are, as sRGB, and integers, whose borders are others.
    let numbers = [IMG_NUM_FORMAT_UNORM, IMG_NUM_FORMAT_SRGB, IMG_NUM_FORMAT_UINT];
    let at = scene.texels(&[[64u8, 128, 192, 255]; 64]);
    let image = |n: usize| texture(at, [64, 1], IMG_DATA_FORMAT_8_8_8_8, numbers[n % 3]);
    let images: Vec<u32> = (0..6).flat_map(|n| image(n).0).collect();
    let border = |color| nearest().with(sampler::CLAMP_X, SQ_TEX_CLAMP_BORDER).with(sampler::BORDER_COLOR_TYPE, color);
    let samplers: Vec<SamplerDescriptor> =
        vec![nearest(), border(SQ_TEX_BORDER_COLOR_OPAQUE_BLACK), border(SQ_TEX_BORDER_COLOR_OPAQUE_WHITE)];
    let samplers: Vec<u32> = samplers.iter().flat_map(|sampler| sampler.0).collect();
    let (images, samplers, out) = (scene.put(&images), scene.put(&samplers), scene.room(64 * 6));
    let program = scene.program(APART);
    let buffer = records(out, 0, 64 * 6, BUF_DATA_FORMAT_32);
    let user = [&halves(images)[..], &halves(samplers), &buffer.0].concat();
    scene.dispatch(program, [1, 1, 1], &user, [6, 1, 1]);
    let mut ran = scene.run();
    let got = words(&mut ran, out, 16 * 6);
    ran.finish();
    for (n, texels) in got.as_chunks::<16>().0.iter().enumerate() {
        let [black, white, inside] = match n % 3 {
            2 => [[0, 0, 0, 1], [1; 4], [64, 128, 192, 255]],
            srgb => {
                let channel = |byte: f32| if srgb == 1 { linear(byte) } else { byte / 255.0 };
                let inside = [channel(64.0), channel(128.0), channel(192.0), 1.0];
                [[0.0, 0.0, 0.0, 1.0f32], [1.0; 4], inside].map(|texel| texel.map(f32::to_bits))
            }
        };
        for (at, (texel, wanted)) in texels.as_chunks::<4>().0.iter().zip([inside, black, white, inside]).enumerate() {
            let near = texel.iter().zip(wanted).all(|(got, wanted)| {
                *got == wanted || (f32::from_bits(*got) - f32::from_bits(wanted)).abs() < 0.004 && n % 3 != 2
            });
            assert!(near, "image {n}, sampler {at}: {texel:x?} for {wanted:x?}");
        }
    }
}

#[test]
fn a_table_is_what_memory_holds_at_the_draw() {
    if !has_tables() {
        return;
    }
    let mut scene = Scene::new(Encoding::Standard);
    let images: Vec<ImageDescriptor> = (0..100).map(|n| number(&mut scene, n)).collect();
    let flat: Vec<u32> = images.iter().flat_map(|image| image.0).collect();
    let (table, out) = (scene.put(&flat), scene.room(4 * 128));
    let program = scene.program(BY_GROUP);
    let user = [&halves(table)[..], &[0; 2], &records(out, 0, 400, BUF_DATA_FORMAT_32).0].concat();
    scene.dispatch(program, [1, 1, 1], &user, [100, 1, 1]);
    let mut ran = scene.run();
    assert_eq!(words(&mut ran, out, 100), (0..100).collect::<Vec<_>>());
    // Texels and descriptors change, some are gone, one is another kind of image.
    let write = |ran: &mut Ran, at: u64, words: &[u32]| {
        ran.gpu.memory.write(at, bytemuck::cast_slice(words)).unwrap();
    };
    write(&mut ran, images[7].address(), &[777; 64]);
    write(&mut ran, table + 32 * 8, &images[9].0);
    write(&mut ran, table + 32 * 9, &[0; 8]);
    write(&mut ran, table + 32 * 10, &images[11].with(fields::NUM_FORMAT, IMG_NUM_FORMAT_FLOAT).0);
    ran.again();
    let mut wanted: Vec<u32> = (0..100).collect();
    (wanted[7], wanted[8], wanted[9], wanted[10]) = (777, 9, 0, 11);
    assert_eq!(words(&mut ran, out, 100), wanted);
    ran.again();
    assert_eq!(words(&mut ran, out, 100), wanted);
    ran.finish();
}

/// Each pixel of a line is of the image of its column, sampled with derivatives of the quad.
const COLUMNS: &str = "
    s_mov_b32 m0, s16
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_mul_f32 v3, 0x42800000, v2
    v_cvt_u32_f32 v3, v3
    s_load_dwordx4 s[36:39], s[2:3], 0x0
    v_mov_b32 v4, 0.5
    v_mov_b32 v5, 0.5
    s_mov_b64 s[44:45], exec
again:
    v_readfirstlane_b32 s20, v3
    v_cmp_eq_u32 vcc, s20, v3
    s_and_saveexec_b64 s[42:43], vcc
    s_lshl_b32 s21, s20, 5
    s_load_dwordx8 s[24:31], s[0:1], s21
    s_waitcnt lgkmcnt(0)
    image_sample v[8:11], v[4:5], s[24:31], s[36:39] dmask:0xf
    s_waitcnt vmcnt(0)
    s_xor_b64 exec, exec, s[42:43]
    s_cbranch_execnz again
    s_mov_b64 exec, s[44:45]
    exp mrt0 v8, v9, v10, v11 done vm
    s_endpgm
";

/// A scene of [`COLUMNS`] and what it shows.
fn columns(scene: &mut Scene) -> (crate::Target, Vec<[u8; 4]>) {
    let target = scene.target(64, 64);
    let color = |n: u8| [4 * n, 255 - 4 * n, 128 ^ n, 255];
    let images: Vec<u32> = (0..64u8)
        .flat_map(|n| {
            let at = scene.texels(&[color(n); 64]);
            texture(at, [64, 1], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM).0
        })
        .collect();
    let (images, samplers) = (scene.put(&images), scene.put(&linear_sampler().0));
    scene.color(0, &target);
    scene.screen(64, 64, 15);
    let (vertex, pixel) = (scene.program(SCREEN), scene.program(COLUMNS));
    scene.vertex(vertex, 1, &[0]);
    scene.pixel(pixel, Pixel::new(1), &[halves(images), halves(samplers)].concat());
    scene.draw(DI_PT_TRISTRIP, 4);
    (target, (0..64 * 64).map(|at| color(at as u8 % 64)).collect())
}

#[test]
fn pixels_choose_each_for_itself_and_captures_have_the_tables() {
    if !has_tables() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tables");
    let mut scene = Scene::new(Encoding::Standard);
    let (target, wanted) = columns(&mut scene);
    let mut ran = scene.run();
    assert!(ran.picture(&target) == *wanted.as_flattened(), "the picture");
    // The second frame, of a stream whose objects were there before.
    ran.gpu.flip(&target.display());
    assert!(ran.gpu.capture_frames(&path, 1));
    ran.again();
    ran.gpu.flip(&target.display());
    ran.finish();
    let pictures = Arc::<Mutex<Vec<Vec<u8>>>>::default();
    let mut renderer = replaying();
    let sink = Arc::clone(&pictures);
    renderer.set_picture_sink(Some(Box::new(move |picture| sink.lock().unwrap().push(picture.rgba.to_vec()))));
    let replayed = renderer.replay(&mut Reader::open(&path).unwrap()).unwrap();
    assert_eq!((replayed.frames, replayed.errors), (1, 0));
    assert_eq!(renderer.validation_messages(), 0);
    let pictures = pictures.lock().unwrap();
    assert!(pictures[0].chunks(4).zip(&wanted).all(|(a, b)| a[..3] == b[..3]), "the capture's picture");
}

/// What is drawn is in a table for the next draw.
#[test]
fn targets_are_in_tables() {
    if !has_tables() {
        return;
    }
    let mut scene = Scene::new(Encoding::Standard);
    let (first, wanted) = columns(&mut scene);
    let out = scene.room(16 * 64);
    let other = number(&mut scene, 1);
    let table: Vec<u32> = [other.0, first.texture().0, other.0].concat();
    let table = scene.put(&table);
    let load = BY_GROUP
        .replace("image_load v8,", "image_load v[8:11],")
        .replace("dmask:0x1", "dmask:0xf")
        .replace("s_lshl_b32 s21, s16, 2", "s_lshl_b32 s21, s16, 4")
        .replace("buffer_store_dword v8,", "buffer_store_dwordx4 v[8:11],")
        .replace("v_mov_b32 v6, 0", "v_mov_b32 v6, 33");
    let program = scene.program(&load);
    let user = [&halves(table)[..], &[0; 2], &records(out, 0, 64, BUF_DATA_FORMAT_32).0].concat();
    scene.dispatch(program, [1, 1, 1], &user, [3, 1, 1]);
    let mut ran = scene.run();
    assert_eq!(bytes(&mut ran, out + 16, 1), [wanted[33]]);
    ran.again();
    assert_eq!(bytes(&mut ran, out + 16, 1), [wanted[33]]);
    ran.finish();
}

#[test]
fn programs_have_more_textures_than_slots() {
    if !has_tables() {
        return;
    }
    let count = 60;
    let mut scene = Scene::new(Encoding::Standard);
    let mut program = "v_mov_b32 v4, 0\nv_mov_b32 v5, 0\nv_mov_b32 v9, 0\n".to_string();
    for n in 0..count {
        program += &format!(
            "s_load_dwordx8 s[16:23], s[0:1], {:#x}\ns_waitcnt lgkmcnt(0)
            image_load v8, v[4:5], s[16:23] dmask:0x1 unorm\ns_waitcnt vmcnt(0)
            buffer_store_dword v8, off, s[4:7], 0 offset:{}\n",
            8 * n,
            4 * n
        );
    }
    let program = scene.program(&(program + "s_endpgm"));
    let images: Vec<u32> = (0..count).flat_map(|n| number(&mut scene, 300 + n).0).collect();
    let (table, out) = (scene.put(&images), scene.room(256));
    let user = [&halves(table)[..], &[0; 2], &records(out, 0, 256, BUF_DATA_FORMAT_32).0].concat();
    scene.dispatch(program, [1, 1, 1], &user, [1, 1, 1]);
    let mut ran = scene.run();
    assert_eq!(words(&mut ran, out, count as usize), (300..300 + count).collect::<Vec<_>>());
    ran.finish();
}

#[test]
fn draws_have_more_textures_than_slots() {
    if !has_tables() {
        return;
    }
    // Vertices and pixels add a red and a green of each of 24 images, which are 1 / 255 each.
    let count = 24;
    let mut scene = Scene::new(Encoding::Standard);
    let target = scene.target(64, 64);
    let sum = |out: &str, component: u32| {
        let mut text = format!("v_mov_b32 v20, 0.5\nv_mov_b32 v21, 0.5\nv_mov_b32 v22, 0\nv_mov_b32 {out}, 0\n");
        for n in 0..count {
            text += &format!(
                "s_load_dwordx8 s[24:31], s[2:3], {:#x}\ns_load_dwordx4 s[36:39], s[4:5], 0x0\ns_waitcnt lgkmcnt(0)
                image_sample_l v23, v[20:22], s[24:31], s[36:39] dmask:{component:#x}\ns_waitcnt vmcnt(0)
                v_add_f32 {out}, {out}, v23\n",
                8 * n
            );
        }
        text
    };
    // The vertex's sum is the parameter's third component.
    let (export, summed) = ("exp param0 v4, v5, v8, v8", "exp param0 v4, v5, v12, v12");
    assert!(SCREEN.contains(export));
    let vertex = scene.program(&SCREEN.replace(export, &format!("{}{summed}", sum("v12", 1))));
    let pixel = format!(
        "s_mov_b32 m0, s16
        v_interp_p1_f32 v10, v0, attr0.z
        v_interp_p2_f32 v10, v1, attr0.z
        {}
        v_mov_b32 v12, 0\nv_mov_b32 v13, 1.0
        exp mrt0 v10, v11, v12, v13 done vm
        s_endpgm",
        sum("v11", 2)
    );
    let pixel = scene.program(&pixel);
    let images: Vec<u32> = (0..count)
        .flat_map(|n| {
            let at = scene.texels(&[[n as u8, 2 * n as u8, 0, 255]; 64]);
            texture(at, [64, 1], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM).0
        })
        .collect();
    let (images, samplers) = (scene.put(&images), scene.put(&linear_sampler().0));
    scene.color(0, &target);
    scene.screen(64, 64, 15);
    let user = [&[0, 0][..], &halves(images), &halves(samplers)].concat();
    scene.vertex(vertex, 1, &user);
    scene.pixel(pixel, Pixel::new(1), &user);
    scene.draw(DI_PT_TRISTRIP, 4);
    let mut ran = scene.run();
    let picture = ran.picture(&target);
    ran.finish();
    let wanted =
        [(0..count).sum::<u32>().min(255) as u8, (0..count).map(|n| 2 * n).sum::<u32>().min(255) as u8, 0, 255];
    assert!(picture.chunks(4).all(|pixel| pixel == wanted), "{:?} instead of {wanted:?}", &picture[..4]);
}

/// Packets that bring entries, by their entries, and draws.
fn sent(recording: &Recording) -> (Vec<usize>, usize) {
    let (mut entries, mut draws) = (Vec::new(), 0);
    for packet in recording.packets().map(|packet| packet.expect("a right packet").packet) {
        match packet {
            Packet::UpdateTable(_, some) => entries.push(some.len()),
            Packet::Draw(_) => draws += 1,
            _ => {}
        }
    }
    (entries, draws)
}

#[test]
fn only_what_changes_in_a_table_is_sent() {
    // Nobody draws: what is sent is looked at.
    let mut scene = Scene::new(Encoding::Standard);
    let target = scene.target(64, 64);
    let color = |scene: &mut Scene, n: u32| {
        let at = scene.texels(&[n; 64]);
        texture(at, [64, 1], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM)
    };
    let images: Vec<ImageDescriptor> = (0..400).map(|n| color(&mut scene, n)).collect();
    let flat: Vec<u32> = images.iter().flat_map(|image| image.0).collect();
    let (table, samplers) = (scene.put(&flat), scene.put(&linear_sampler().0));
    scene.color(0, &target);
    scene.screen(64, 64, 15);
    let (vertex, pixel) = (scene.program(SCREEN), scene.program(COLUMNS));
    scene.vertex(vertex, 1, &[0]);
    scene.pixel(pixel, Pixel::new(1), &[halves(table), halves(samplers)].concat());
    for _ in 0..3 {
        scene.draw(DI_PT_TRISTRIP, 4);
    }
    let commands = std::mem::take(&mut scene.commands);
    let at = scene.put(&commands);
    let features = !DeviceFeatures::PROCESSOR;
    let device = DeviceInfo { max_texture_2d: 16384, features, formats: [u32::MAX; 96], ..DeviceInfo::default() };
    let (link, recording) = recorder(device);
    let mut gpu = Gpu::new(scene.memory, link, "tables");
    let run = |gpu: &mut Gpu<Regions>| {
        gpu.submit((at, 4 * commands.len() as u64), None).unwrap();
        assert_eq!(gpu.run(), Stop::Idle);
        sent(&recording.lock().unwrap())
    };
    let (first, draws) = run(&mut gpu);
    assert_eq!(draws, 3);
    // One of images, one of the sampler.
    assert!((2..=4).contains(&first.len()) && first.iter().sum::<usize>() >= 400, "{first:?}");
    assert_eq!(run(&mut gpu), (first.clone(), 6), "nothing has changed");
    // Another descriptor, which is no other image.
    gpu.memory.write(table + 32 * 8, bytemuck::cast_slice(&images[9].0)).unwrap();
    let (second, draws) = run(&mut gpu);
    assert_eq!(draws, 9);
    let more: usize = second[first.len()..].iter().sum();
    assert!(second.len() > first.len() && more < 40, "{more} entries");
}

/// Compares the first component of the image of a group's number with each of two references, and samples its second one, of images from
/// s[0:1] on with samplers at s[2:3].
const COMPARED: &str = "
    s_lshl_b32 s20, s16, 5
    s_load_dwordx8 s[24:31], s[0:1], s20
    s_load_dwordx4 s[36:39], s[2:3], 0x0
    s_load_dwordx4 s[40:43], s[2:3], 0x4
    v_mov_b32 v4, s8
    v_mov_b32 v5, 0.5
    v_mov_b32 v6, 0.5
    v_mov_b32 v12, s9
    v_mov_b32 v13, 0.5
    v_mov_b32 v14, 0.5
    s_waitcnt lgkmcnt(0)
    image_sample_c_lz v8, v[4:6], s[24:31], s[36:39] dmask:0x1
    image_sample_c_lz v9, v[12:14], s[24:31], s[36:39] dmask:0x1
    image_sample_lz v10, v[5:6], s[24:31], s[40:43] dmask:0x2
    v_mov_b32 v11, 0
    s_lshl_b32 s21, s16, 4
    v_mov_b32 v5, s21
    s_waitcnt vmcnt(0)
    buffer_store_dwordx4 v[8:11], v5, s[4:7], 0 offen
    s_endpgm
";

#[test]
fn what_is_compared_out_of_tables_is_the_first_component() {
    let mut scene = Scene::new(Encoding::Standard);
    // Formats with texels whose first component is near a half, and what their second one is.
    let line = |scene: &mut Scene, texel: &[u8], data: u32, num: u32| {
        let at = scene.texels(&texel.repeat(64));
        texture(at, [64, 1], data, num).0
    };
    let halves_of = |bits: [u16; 4]| bits.map(u16::to_le_bytes).concat();
    let srgb = 188u8;
    let formats: [(Vec<u8>, u32, u32, f32); 6] = [
        (vec![128, 51, 255, 255], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM, 0.2),
        (vec![srgb, 0, 255, 255], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_SRGB, 0.0),
        (vec![128, 255], IMG_DATA_FORMAT_8_8, IMG_NUM_FORMAT_UNORM, 1.0),
        (halves_of([0x3800, 0x4000, 0x3C00, 0]), IMG_DATA_FORMAT_16_16_16_16, IMG_NUM_FORMAT_FLOAT, 2.0),
        (0.5f32.to_le_bytes().to_vec(), IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_FLOAT, 0.0),
        (0x8000u16.to_le_bytes().to_vec(), IMG_DATA_FORMAT_16, IMG_NUM_FORMAT_UNORM, 0.0),
    ];
    let images: Vec<u32> =
        formats.iter().flat_map(|(texel, data, num, _)| line(&mut scene, texel, *data, *num)).collect();
    let count = formats.len() as u32;
    let less = nearest().with(sampler::DEPTH_COMPARE_FUNC, FRAG_LESS);
    let (images, samplers) = (scene.put(&images), scene.put(&[less.0, nearest().0].concat()));
    let out = scene.room(16 * 8);
    let program = scene.program(COMPARED);
    let buffer = records(out, 0, 16 * 8, BUF_DATA_FORMAT_32);
    let references = [0.48f32, 0.52].map(f32::to_bits);
    let user = [&halves(images)[..], &halves(samplers), &buffer.0, &references].concat();
    scene.dispatch(program, [1, 1, 1], &user, [count, 1, 1]);
    // Nobody draws: devices compare what they like, but for two formats.
    let commands = scene.commands.clone();
    let at = scene.put(&commands);
    let features = !DeviceFeatures::PROCESSOR;
    let device = DeviceInfo { max_texture_2d: 16384, features, formats: [u32::MAX; 96], ..DeviceInfo::default() };
    let (link, recording) = recorder(device);
    let mut gpu = Gpu::new(scene.memory.clone(), link, "tables");
    gpu.submit((at, 4 * commands.len() as u64), None).unwrap();
    assert_eq!(gpu.run(), Stop::Idle);
    let (mut formats_of, mut compares, mut entries) = (HashMap::new(), HashMap::new(), Vec::new());
    for packet in recording.lock().unwrap().packets().map(|packet| packet.expect("a right packet").packet) {
        match packet {
            Packet::CreateTexture(body) => _ = formats_of.insert(body.id, body.format),
            Packet::CreateView(body) => _ = formats_of.insert(body.id, body.format),
            Packet::CreateSampler(body) => _ = compares.insert(body.id, body.compare_enable),
            Packet::UpdateTable(body, some) => entries.extend(some.iter().map(|entry| (body.id, *entry))),
            _ => {}
        }
    }
    assert!(compares.values().any(|compares| *compares != 0), "a comparing sampler");
    let mut tables: Vec<_> = entries.iter().filter(|(_, entry)| !entry.texture.is_none()).map(|(id, _)| *id).collect();
    tables.dedup();
    assert_eq!(tables.len(), 2, "a table for comparisons, and one for the others");
    let able = [Format::R32_SFLOAT, Format::R16_UNORM].map(|format| format as u32);
    let all_able = |table| {
        let textures = entries.iter().filter(|(id, entry)| *id == table && !entry.texture.is_none());
        textures.map(|(_, entry)| formats_of[&entry.texture]).all(|format| able.contains(&format))
    };
    assert_eq!(tables.iter().filter(|table| all_able(**table)).count(), 1);
    if !has_tables() {
        return;
    }
    let mut ran = scene.run();
    let got = words(&mut ran, out, 4 * count as usize);
    ran.finish();
    for (n, (found, (.., second))) in got.as_chunks::<4>().0.iter().zip(&formats).enumerate() {
        let [below, above, other, _] = found.map(f32::from_bits);
        assert_eq!([below, above], [1.0, 0.0], "image {n}");
        assert!((other - second).abs() < 0.003, "image {n}: {other} instead of {second}");
    }
}

/// What a byte of sRGB is, of those that are not near 0.
fn linear(byte: f32) -> f32 {
    ((byte / 255.0 + 0.055) / 1.055).powf(2.4)
}

#[test]
fn samplers_of_a_table_decode_and_count_in_texels_each_for_itself() {
    if !has_tables() {
        return;
    }
    let mut scene = Scene::new(Encoding::Standard);
    let numbers = [IMG_NUM_FORMAT_UNORM, IMG_NUM_FORMAT_SRGB, IMG_NUM_FORMAT_UINT];
    let (first, other) = ([64u8, 128, 192, 255], [100u8, 200, 50, 255]);
    let mut texels = vec![other; 64];
    texels[0] = first;
    let at = scene.texels(&texels);
    let image = |n: usize| texture(at, [64, 1], IMG_DATA_FORMAT_8_8_8_8, numbers[n % 3]);
    let images: Vec<u32> = (0..6).flat_map(|n| image(n).0).collect();
    let decodes = nearest().with(sampler::FORCE_DEGAMMA, 1);
    let both = decodes.with(sampler::FORCE_UNNORMALIZED, 1).with(sampler::CLAMP_X, SQ_TEX_CLAMP_LAST_TEXEL);
    let samplers: Vec<u32> = [nearest(), decodes, both].iter().flat_map(|sampler| sampler.0).collect();
    let (images, samplers, out) = (scene.put(&images), scene.put(&samplers), scene.room(64 * 6));
    let program = scene.program(&APART.replace("v_mov_b32 v4, -0.5", "v_mov_b32 v4, 0.5"));
    let buffer = records(out, 0, 64 * 6, BUF_DATA_FORMAT_32);
    let user = [&halves(images)[..], &halves(samplers), &buffer.0].concat();
    scene.dispatch(program, [1, 1, 1], &user, [6, 1, 1]);
    let mut ran = scene.run();
    let got = words(&mut ran, out, 16 * 6);
    ran.finish();
    for (n, texels) in got.as_chunks::<16>().0.iter().enumerate() {
        // The last is sampled by the first sampler again.
        for (at, (found, (texel, decodes))) in texels
            .as_chunks::<4>()
            .0
            .iter()
            .zip([(other, false), (other, true), (first, true), (other, false)])
            .enumerate()
        {
            let channel = |byte: u8| match n % 3 {
                2 => f32::from_bits(byte.into()),
                number if number == 1 || decodes => linear(byte.into()),
                _ => f32::from(byte) / 255.0,
            };
            let [r, g, b, a] = texel;
            let alpha = if n % 3 == 2 { f32::from_bits(a.into()) } else { 1.0 };
            let wanted = [channel(r), channel(g), channel(b), alpha];
            let near =
                found.map(f32::from_bits).iter().zip(wanted).all(|(got, wanted)| {
                    got.to_bits() == wanted.to_bits() || n % 3 != 2 && (got - wanted).abs() < 0.004
                });
            assert!(near, "image {n}, sampler {at}: {found:x?} for {wanted:?}");
        }
    }
}

#[test]
fn textures_beyond_slots_are_decoded_by_their_samplers() {
    if !has_tables() {
        return;
    }
    // Thirty textures of a compute shader, of which the last ten have no slots; every second is decoded.
    let count = 30;
    let mut scene = Scene::new(Encoding::Standard);
    let mut program = "v_mov_b32 v4, 0.5\nv_mov_b32 v5, 0.5\nv_mov_b32 v6, 0\n".to_string();
    for n in 0..count {
        let sampler = 4 * (n % 2);
        program += &format!(
            "s_load_dwordx8 s[16:23], s[0:1], {:#x}\ns_load_dwordx4 s[24:27], s[2:3], {sampler:#x}\ns_waitcnt lgkmcnt(0)
            image_sample_lz v8, v[4:6], s[16:23], s[24:27] dmask:0x1\ns_waitcnt vmcnt(0)
            buffer_store_dword v8, off, s[4:7], 0 offset:{}\n",
            8 * n,
            4 * n
        );
    }
    let program = scene.program(&(program + "s_endpgm"));
    let images: Vec<u32> = (0..count)
        .flat_map(|n| {
            let at = scene.texels(&[[100 + n as u8, 0, 0, 255]; 64]);
            texture(at, [64, 1], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM).0
        })
        .collect();
    let samplers = [nearest().0, nearest().with(sampler::FORCE_DEGAMMA, 1).0].concat();
    let (table, samplers, out) = (scene.put(&images), scene.put(&samplers), scene.room(256));
    let user = [&halves(table)[..], &halves(samplers), &records(out, 0, 256, BUF_DATA_FORMAT_32).0].concat();
    scene.dispatch(program, [1, 1, 1], &user, [1, 1, 1]);
    let mut ran = scene.run();
    let got = words(&mut ran, out, count as usize);
    ran.finish();
    for (n, found) in got.into_iter().map(f32::from_bits).enumerate() {
        let byte = 100.0 + n as f32;
        let wanted = if n % 2 == 1 { linear(byte) } else { byte / 255.0 };
        assert!((found - wanted).abs() < 0.004, "texture {n}: {found} instead of {wanted}");
    }
}

/// Stores its number into the first texel of a level of an image: groups count through images, 32 bytes each from s[0:1] on, and four
/// levels, of which the last is none's; what is loaded from there before is stored into s[4:7].
const LEVELS: &str = "
    s_lshr_b32 s20, s16, 2
    s_and_b32 s21, s16, 3
    s_lshl_b32 s22, s20, 5
    s_load_dwordx8 s[24:31], s[0:1], s22
    v_mov_b32 v4, 0
    v_mov_b32 v5, 0
    v_mov_b32 v6, s21
    s_add_i32 s23, s16, 0x64
    v_mov_b32 v8, s23
    s_lshl_b32 s32, s16, 2
    v_mov_b32 v9, s32
    s_waitcnt lgkmcnt(0)
    image_load_mip v10, v[4:6], s[24:31] dmask:0x1 unorm
    s_waitcnt vmcnt(0)
    buffer_store_dword v10, v9, s[4:7], 0 offen
    image_store_mip v8, v[4:6], s[24:31] dmask:0x1 unorm
    s_endpgm
";

#[test]
fn levels_of_images_out_of_tables_are_stored_to() {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let count = 3u32;
        let images: Vec<ImageDescriptor> = (0..count)
            .map(|_| {
                let image = image(&mut scene, SQ_RSRC_IMG_2D, 3, 1);
                image.with(fields::DATA_FORMAT, IMG_DATA_FORMAT_32).with(fields::NUM_FORMAT, IMG_NUM_FORMAT_UINT)
            })
            .collect();
        let table: Vec<u32> = images.iter().flat_map(|image| image.0).collect();
        let (table, out) = (scene.put(&table), scene.room(4 * 16));
        let program = scene.program(LEVELS);
        let user = [&halves(table)[..], &[0; 2], &records(out, 0, 64, BUF_DATA_FORMAT_32).0].concat();
        scene.dispatch(program, [1, 1, 1], &user, [4 * count, 1, 1]);
        let mut ran = scene.run();
        let loaded = words(&mut ran, out, 4 * count as usize);
        for (n, image) in images.iter().enumerate() {
            // Levels of 64, 32 and 16 lines, one behind the other.
            for (level, first) in [0, 64 * 64, 64 * 64 + 32 * 32].into_iter().enumerate() {
                let held = words(&mut ran, image.address() + 4 * first, 2);
                let before = |x| u32::from_le_bytes(texel(level as u32, 0, x, 0));
                assert_eq!(loaded[4 * n + level], before(0), "image {n}, level {level}");
                assert_eq!(held, [100 + (4 * n + level) as u32, before(1)], "image {n}, level {level}");
            }
            assert_eq!(loaded[4 * n + 3], 0, "image {n}");
        }
        ran.finish();
    }
}
