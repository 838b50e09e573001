//! Multisampled targets out of memory and back into it: every sample at the place that its tile mode gives it.

use crate::draws::{SCREEN, triangle_state};
use crate::rig::{Encoding, Pixel, Scene, Target, texture};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm_types::descriptors::image;
use afterimage_gnm_types::{reg, value::*};
use afterimage_texture::gnm::{Description, Layout};

/// Columns and lines of the targets.
const SIDE: u32 = 128;
/// Samples of a pixel.
const SAMPLES: u32 = 4;

fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 7u32;
    let step = |_| {
        state = state.wrapping_mul(0x0019_660D).wrapping_add(0x3C6E_F35F);
        (state >> 24) as u8
    };
    (0..bytes).map(step).collect()
}

fn layout(tile_mode: u32) -> Layout {
    Layout::new(&Description { samples: SAMPLES, ..Description::flat(tile_mode, 32, SIDE, SIDE) }).unwrap()
}

/// Four bytes of each sample of a pixel.
fn pixel(layout: &Layout, memory: &[u8], x: u32, y: u32) -> Vec<[u8; 4]> {
    let sample = |sample| {
        let at = layout.offset_of(0, [x, y, 0], sample).unwrap() as usize;
        *memory[at..].first_chunk().unwrap()
    };
    (0..SAMPLES).map(sample).collect()
}

/// A target with noise in it.
fn target(scene: &mut Scene, layout: &Layout, tile_mode: u32, bytes: &[u8]) -> Target {
    let address = scene.alloc(layout.bytes, 64 << 10);
    scene.memory.write(address, bytes).unwrap();
    Target { address, width: SIDE, height: SIDE, tile_mode }
}

/// What one of memory's pixels is after a triangle was drawn over parts of the target: how many were covered wholly, in parts and
/// not at all. `is_drawn`: what the triangle writes.
fn coverage(layout: &Layout, before: &[u8], after: &[u8], is_drawn: impl Fn([u8; 4]) -> bool) -> [u32; 3] {
    let mut counts = [0; 3];
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        let samples = pixel(layout, before, x, y).into_iter().zip(pixel(layout, after, x, y));
        let drawn: Vec<bool> = samples
            .map(|(before, after)| {
                assert!(before == after || is_drawn(after), "{x} {y}: {before:?} became {after:?}");
                before != after
            })
            .collect();
        let count = drawn.iter().filter(|drawn| **drawn).count();
        counts[if count == drawn.len() { 0 } else { 1 + usize::from(count == 0) }] += 1;
    }
    counts
}

/// Draws cover samples.
fn antialias(scene: &mut Scene) {
    let config = reg::PA_SC_AA_CONFIG::MSAA_NUM_SAMPLES.bits(SAMPLES.ilog2());
    scene.set(reg::PA_SC_AA_CONFIG, &[config]);
}

#[test]
fn colours_of_samples_that_nobody_drew_stay_in_memory() {
    // Thin tiles with pipes and banks, thin tiles one after the other, and those for display.
    for tile_mode in [14, 13, 10] {
        let layout = layout(tile_mode);
        let before = noise(layout.bytes as usize);
        for encoding in [Encoding::Standard, Encoding::Private] {
            let mut scene = Scene::new(encoding);
            let target = target(&mut scene, &layout, tile_mode, &before);
            triangle_state(&mut scene, &target);
            use reg::CB_COLOR0_ATTRIB as A;
            let attrib = A::TILE_MODE_INDEX.bits(tile_mode) | A::NUM_SAMPLES.bits(2) | A::NUM_FRAGMENTS.bits(2);
            scene.set(reg::CB_COLOR0_ATTRIB, &[attrib]);
            antialias(&mut scene);
            scene.draw(DI_PT_TRILIST, 3);
            let mut ran = scene.run();
            let after = ran.read(target.address, before.len());
            ran.finish();
            // The corners are red, green and blue: everywhere they add up to one.
            let is_drawn =
                |[r, g, b, a]: [u8; 4]| a == 255 && (253..=257).contains(&(u32::from(r) + u32::from(g) + u32::from(b)));
            let [whole, part, none] = coverage(&layout, &before, &after, is_drawn);
            assert!(whole > 4000 && part > 100 && none > 8000, "mode {tile_mode}: {whole} {part} {none}");
        }
    }
}

#[test]
fn depths_of_samples_that_nobody_drew_stay_in_memory() {
    let tile_mode = 2;
    let layout = layout(tile_mode);
    let depths = noise(layout.bytes as usize / 4).into_iter().map(|byte| f32::from(byte) / 300.0);
    let before: Vec<u8> = depths.flat_map(f32::to_le_bytes).collect();
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let target = target(&mut scene, &layout, tile_mode, &before);
        triangle_state(&mut scene, &target);
        scene.set(reg::CB_TARGET_MASK, &[0]);
        use reg::{DB_DEPTH_CONTROL as D, DB_Z_INFO as Z};
        let info = Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(tile_mode) | Z::NUM_SAMPLES.bits(2);
        scene.set(reg::DB_Z_INFO, &[info]);
        scene.set(reg::DB_STENCIL_INFO, &[0]);
        let base = (target.address >> 8) as u32;
        scene.set(reg::DB_Z_READ_BASE, &[base]);
        scene.set(reg::DB_Z_WRITE_BASE, &[base]);
        scene.set(reg::DB_DEPTH_SIZE, &[(SIDE / 8 - 1) | (SIDE / 8 - 1) << 11]);
        scene.set(reg::DB_DEPTH_SLICE, &[SIDE * SIDE / 64 - 1]);
        scene.set(
            reg::DB_DEPTH_CONTROL,
            &[D::Z_ENABLE.bits(1) | D::Z_WRITE_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_ALWAYS)],
        );
        antialias(&mut scene);
        scene.draw(DI_PT_TRILIST, 3);
        let mut ran = scene.run();
        let after = ran.read(target.address, before.len());
        ran.finish();
        let [whole, part, none] = coverage(&layout, &before, &after, |depth| depth == 0.5f32.to_le_bytes());
        assert!(whole > 4000 && part > 100 && none > 8000, "{whole} {part} {none}");
    }
}

#[test]
fn depths_and_stencils_of_samples_lie_in_planes_of_memory() {
    let tile_mode = 2;
    let depths_of = layout(tile_mode);
    let stencils_of =
        Layout::new(&Description { samples: SAMPLES, ..Description::flat(tile_mode, 8, SIDE, SIDE) }).unwrap();
    let depths = noise(depths_of.bytes as usize / 4).into_iter().map(|byte| f32::from(byte) / 300.0);
    let depths: Vec<u8> = depths.flat_map(f32::to_le_bytes).collect();
    let stencils: Vec<u8> = noise(stencils_of.bytes as usize).into_iter().rev().collect();
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let target = target(&mut scene, &depths_of, tile_mode, &depths);
        let plane = scene.alloc(stencils_of.bytes, 64 << 10);
        scene.memory.write(plane, &stencils).unwrap();
        triangle_state(&mut scene, &target);
        scene.set(reg::CB_TARGET_MASK, &[0]);
        use reg::{DB_DEPTH_CONTROL as D, DB_STENCIL_CONTROL as C, DB_STENCIL_INFO as I, DB_Z_INFO as Z};
        let info = Z::FORMAT.bits(Z_32_FLOAT) | Z::TILE_MODE_INDEX.bits(tile_mode) | Z::NUM_SAMPLES.bits(2);
        scene.set(reg::DB_Z_INFO, &[info, I::FORMAT.bits(1) | I::TILE_MODE_INDEX.bits(tile_mode)]);
        let [depth, stencil] = [target.address, plane].map(|address| (address >> 8) as u32);
        scene.set(reg::DB_Z_READ_BASE, &[depth, stencil, depth, stencil]);
        scene.set(reg::DB_DEPTH_SIZE, &[(SIDE / 8 - 1) | (SIDE / 8 - 1) << 11, SIDE * SIDE / 64 - 1]);
        // Of the lower bits of stencils that have bit 6, wherever the depth is more than that of the triangle.
        let tests = D::Z_ENABLE.bits(1) | D::ZFUNC.bits(FRAG_LESS) | D::STENCIL_ENABLE.bits(1);
        scene.set(reg::DB_DEPTH_CONTROL, &[tests | D::STENCILFUNC.bits(FRAG_EQUAL)]);
        scene.set(reg::DB_STENCIL_CONTROL, &[C::STENCILZPASS.bits(STENCIL_INVERT)]);
        scene.set(reg::DB_STENCILREFMASK, &[0x000F_4040]);
        antialias(&mut scene);
        scene.draw(DI_PT_TRILIST, 3);
        let mut ran = scene.run();
        let after = [ran.read(plane, stencils.len()), ran.read(target.address, depths.len())];
        ran.finish();
        assert!(after[1] == depths, "no depth is written");
        let mut counts = [0; 3];
        for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
            let mut drawn = 0;
            for (sample, depth) in (0..SAMPLES).zip(pixel(&depths_of, &depths, x, y)) {
                let at = stencils_of.offset_of(0, [x, y, 0], sample).unwrap() as usize;
                let (before, now) = (stencils[at], after[0][at]);
                if now != before {
                    assert_eq!(now, before ^ 0x0F, "{x} {y} {sample}");
                    assert!(before & 0x40 != 0 && f32::from_le_bytes(depth) > 0.5, "{x} {y} {sample}: {before:#x}");
                    drawn += 1;
                }
            }
            counts[usize::from(drawn > 0) + usize::from(drawn > 2)] += 1;
        }
        assert!(counts.iter().all(|count| *count > 100), "{counts:?}");
    }
}

/// Pixel (x, y) is that of sample `y / 128` of the image whose T# a table at s[0:1] has.
const SAMPLE: &str = "
    s_load_dwordx8 s[20:27], s[0:1], 0x0
    v_cvt_u32_f32 v4, v2
    v_cvt_u32_f32 v5, v3
    v_lshrrev_b32 v6, 7, v5
    v_and_b32 v5, 0x7f, v5
    s_waitcnt lgkmcnt(0)
    image_load v[8:11], v[4:7], s[20:27] dmask:0xf unorm
    s_waitcnt vmcnt(0)
    exp mrt0 v8, v9, v10, v11 done vm
    s_endpgm
";

/// The same, of the fragment that the mask whose T# lies behind it has for the sample.
const BY_MASK: &str = "
    s_load_dwordx8 s[20:27], s[0:1], 0x0
    s_load_dwordx8 s[28:35], s[0:1], 0x8
    v_cvt_u32_f32 v4, v2
    v_cvt_u32_f32 v5, v3
    v_lshrrev_b32 v6, 7, v5
    v_and_b32 v5, 0x7f, v5
    v_lshlrev_b32 v7, 2, v6
    s_waitcnt lgkmcnt(0)
    image_load v12, v[4:7], s[28:35] dmask:0x1 unorm
    s_waitcnt vmcnt(0)
    v_lshrrev_b32 v12, v7, v12
    v_and_b32 v6, 15, v12
    image_load v[8:11], v[4:7], s[20:27] dmask:0xf unorm
    s_waitcnt vmcnt(0)
    exp mrt0 v8, v9, v10, v11 done vm
    s_endpgm
";

#[test]
fn shaders_read_the_samples_that_memory_has() {
    for (tile_mode, program) in [(14, SAMPLE), (13, SAMPLE), (10, SAMPLE), (14, BY_MASK)] {
        let layout = layout(tile_mode);
        let bytes = noise(layout.bytes as usize);
        for encoding in [Encoding::Standard, Encoding::Private] {
            let mut scene = Scene::new(encoding);
            let many = target(&mut scene, &layout, tile_mode, &bytes);
            let out = scene.target(SIDE, SIDE * SAMPLES);
            scene.color(0, &out);
            scene.screen(out.width, out.height, 15);
            let descriptor = texture(many.address, [SIDE, SIDE], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM)
                .with(image::TILING_INDEX, tile_mode)
                .with(image::TYPE, SQ_RSRC_IMG_2D_MSAA)
                .with(image::LAST_LEVEL, SAMPLES.ilog2());
            let mask = texture(many.address, [SIDE, SIDE], IMG_DATA_FORMAT_FMASK8_S4_F4, IMG_NUM_FORMAT_UINT)
                .with(image::TILING_INDEX, tile_mode);
            let table = scene.put(&[descriptor.0, mask.0].concat());
            let (vertex, program) = (scene.program(SCREEN), scene.program(program));
            scene.vertex(vertex, 1, &[0]);
            // Barycentrics of the centre, and the place of the pixel.
            let place = Pixel { values: 1 << 1 | 1 << 8 | 1 << 9, ..Pixel::new(0) };
            scene.pixel(program, place, &[table as u32, (table >> 32) as u32]);
            scene.draw(DI_PT_TRISTRIP, 4);
            let mut ran = scene.run();
            let picture = ran.picture(&out);
            ran.finish();
            for (at, found) in picture.as_chunks::<4>().0.iter().enumerate() {
                let (x, y) = (at as u32 % SIDE, at as u32 / SIDE);
                assert_eq!(
                    pixel(&layout, &bytes, x, y % SIDE)[(y / SIDE) as usize],
                    *found,
                    "mode {tile_mode}: {x} {y}"
                );
            }
        }
    }
}

/// Sample `s18` of a texel of the image whose T# a table at s[0:1] has goes into the sample before it of that whose T# lies behind it, the first
/// into the last, each colour one's complement; and one beyond the samples is stored to, and loaded from for what is added: both do nothing.
const TURN: &str = "
    s_load_dwordx8 s[20:27], s[0:1], 0x0
    s_load_dwordx8 s[28:35], s[0:1], 0x8
    s_lshl_b32 s36, s16, 3
    s_lshl_b32 s37, s17, 3
    v_add_i32 v4, vcc, s36, v0
    v_add_i32 v5, vcc, s37, v1
    v_mov_b32 v6, s18
    v_mov_b32 v7, 4
    v_mov_b32 v16, v4
    v_mov_b32 v17, v5
    v_mov_b32 v18, v7
    s_waitcnt lgkmcnt(0)
    image_load v8, v[4:6], s[20:27] dmask:0x1 unorm
    image_load v12, v[16:18], s[20:27] dmask:0x1 unorm
    s_waitcnt vmcnt(0)
    v_not_b32 v8, v8
    v_add_i32 v8, vcc, v8, v12
    v_add_i32 v6, vcc, 3, v6
    v_and_b32 v6, 3, v6
    image_store v8, v[4:6], s[28:35] dmask:0x1 unorm
    image_store v8, v[16:18], s[28:35] dmask:0x1 unorm
    s_endpgm
";

#[test]
fn shaders_store_the_samples_that_memory_has() {
    for (from, to) in [(14, 13), (13, 10), (10, 14)] {
        let layouts = [from, to].map(layout);
        let bytes = noise(layouts[0].bytes as usize);
        for encoding in [Encoding::Standard, Encoding::Private] {
            let mut scene = Scene::new(encoding);
            let many = target(&mut scene, &layouts[0], from, &bytes);
            let zeros = vec![0; layouts[1].bytes as usize];
            let out = target(&mut scene, &layouts[1], to, &zeros);
            let descriptor = |target: &Target| {
                texture(target.address, [SIDE, SIDE], IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT)
                    .with(image::TILING_INDEX, target.tile_mode)
                    .with(image::TYPE, SQ_RSRC_IMG_2D_MSAA)
                    .with(image::LAST_LEVEL, SAMPLES.ilog2())
            };
            let table = scene.put(&[descriptor(&many).0, descriptor(&out).0].concat());
            let program = scene.program(TURN);
            scene.dispatch(program, [8, 8, 1], &[table as u32, (table >> 32) as u32], [SIDE / 8, SIDE / 8, SAMPLES]);
            let mut ran = scene.run();
            let after = ran.read(out.address, zeros.len());
            ran.finish();
            for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
                let mut wanted = pixel(&layouts[0], &bytes, x, y);
                wanted.rotate_left(1);
                wanted.iter_mut().flatten().for_each(|byte| *byte = !*byte);
                assert_eq!(pixel(&layouts[1], &after, x, y), wanted, "modes {from}, {to}: {x} {y}");
            }
        }
    }
}

/// Descriptors of more samples than there are, and of levels that are none: nothing is stored to, nobody falls.
#[test]
fn samples_that_no_image_has_are_not_stored_to() {
    for (last_level, base_level) in [(4, 0), (15, 0), (2, 15), (0, 15)] {
        let layout = layout(14);
        let bytes = noise(layout.bytes as usize);
        let mut scene = Scene::new(Encoding::Standard);
        let many = target(&mut scene, &layout, 14, &bytes);
        let descriptor = texture(many.address, [SIDE, SIDE], IMG_DATA_FORMAT_32, IMG_NUM_FORMAT_UINT)
            .with(image::TILING_INDEX, 14)
            .with(image::TYPE, SQ_RSRC_IMG_2D_MSAA)
            .with(image::BASE_LEVEL, base_level)
            .with(image::LAST_LEVEL, last_level);
        let table = scene.put(&[descriptor.0, descriptor.0].concat());
        let program = scene.program(TURN);
        scene.dispatch(program, [8, 8, 1], &[table as u32, (table >> 32) as u32], [1, 1, 1]);
        let mut ran = scene.run();
        let after = ran.read(many.address, bytes.len());
        ran.finish();
        if last_level > 3 {
            assert!(after == bytes, "{last_level}");
        }
    }
}
