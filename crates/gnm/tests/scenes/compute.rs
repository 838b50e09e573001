//! Compute.

use crate::rig::{Encoding, Scene, Target, has_long_texels, records, texture};
use crate::{both, draws};
use afterimage_gnm::driver::calls;
use afterimage_gnm_types::{op, reg, value::*};

/// Writes the square of its own number into a buffer at s[0:3], in groups of 64.
const SQUARES: &str = "
    s_lshl_b32 s20, s16, 6
    v_add_i32 v4, vcc, s20, v0
    v_mul_u32_u24 v5, v4, v4
    v_lshlrev_b32 v6, 2, v4
    buffer_store_dword v5, v6, s[0:3], 0 offen
    s_endpgm
";

#[test]
fn what_a_shader_stores_is_in_memory() {
    for encoding in [Encoding::Standard, Encoding::Private] {
        let mut scene = Scene::new(encoding);
        let out = scene.room(1024);
        let program = scene.program(SQUARES);
        scene.dispatch(program, [64, 1, 1], &records(out, 0, 4 * 192, BUF_DATA_FORMAT_32).0, [4, 1, 1]);
        let mut ran = scene.run();
        let words: Vec<u32> = ran.read(out, 1024).as_chunks().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        ran.finish();
        // What lies behind the descriptor's end is not written.
        let expected: Vec<u32> = (0..256).map(|at| if at < 192 { at * at } else { 0 }).collect();
        assert_eq!(words, expected);
    }
}

/// Reads a texel of the T# at s[0:7], and writes one minus its colours into the T# at s[8:15]; groups of 8 x 8.
const INVERT: &str = "
    s_lshl_b32 s20, s16, 3
    s_lshl_b32 s21, s17, 3
    v_add_i32 v4, vcc, s20, v0
    v_add_i32 v5, vcc, s21, v1
    image_load v[8:11], v[4:5], s[0:7] dmask:0xf unorm
    s_waitcnt vmcnt(0)
    v_sub_f32 v8, 1.0, v8
    v_sub_f32 v9, 1.0, v9
    v_sub_f32 v10, 1.0, v10
    v_mov_b32 v11, 1.0
    image_store v[8:11], v[4:5], s[8:15] dmask:0xf unorm
    s_endpgm
";

#[test]
fn a_picture_is_changed_by_a_compute_shader() {
    both("invert", |scene| {
        let drawn = Target { tile_mode: 14, ..scene.target(128, 128) };
        let last = Target { tile_mode: 10, ..scene.target(128, 128) };
        draws::triangle(scene, &drawn);
        let program = scene.program(INVERT);
        let user: Vec<u32> = drawn.texture().0.into_iter().chain(last.texture().0).collect();
        scene.dispatch(program, [8, 8, 1], &user, [16, 16, 1]);
        last
    });
}

/// Writes a gradient of 64 x 64 texels into a buffer at s[0:3]; groups of 8 x 8.
const GRADIENT: &str = "
    s_lshl_b32 s20, s16, 3
    s_lshl_b32 s21, s17, 3
    v_add_i32 v4, vcc, s20, v0
    v_add_i32 v5, vcc, s21, v1
    v_lshlrev_b32 v6, 2, v4
    v_lshlrev_b32 v7, 2, v5
    v_lshlrev_b32 v7, 8, v7
    v_or_b32 v6, v6, v7
    v_or_b32 v6, 0xff400000, v6
    v_lshlrev_b32 v8, 6, v5
    v_add_i32 v8, vcc, v8, v4
    v_lshlrev_b32 v8, 2, v8
    buffer_store_dword v6, v8, s[0:3], 0 offen
    s_endpgm
";

#[test]
fn what_a_shader_stored_into_a_buffer_is_a_texture() {
    both("gradient", |scene| {
        let texels = scene.alloc(64 * 64 * 4, 256);
        let program = scene.program(GRADIENT);
        scene.dispatch(program, [8, 8, 1], &records(texels, 0, 64 * 64 * 4, BUF_DATA_FORMAT_32).0, [8, 8, 1]);
        let target = scene.target(128, 96);
        let image = texture(texels, [64, 64], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM);
        draws::over_the_screen(scene, &target, [image; 2]);
        target
    });
}

/// Stores the four words of a draw without indices at s[0:3]: three vertices, one instance.
const ARGUMENTS: &str = "
    v_mov_b32 v4, 3
    v_mov_b32 v5, 1
    v_mov_b32 v6, 0
    v_mov_b32 v7, 0
    buffer_store_dwordx4 v[4:7], off, s[0:3], 0
    s_endpgm
";

#[test]
fn a_draw_has_the_counts_that_a_shader_stored() {
    both("triangle", |scene| {
        let arguments = scene.room(16);
        let program = scene.program(ARGUMENTS);
        scene.dispatch(program, [1, 1, 1], &records(arguments, 0, 16, BUF_DATA_FORMAT_32).0, [1, 1, 1]);
        let target = scene.target(128, 96);
        draws::triangle_state(scene, &target);
        scene.packet(op::SET_BASE, &[1, arguments as u32, (arguments >> 32) as u32]);
        scene.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
        scene.call(&calls::DrawIndirect { data_offset: 0, stage: 2, vertex_sgpr: 0, instance_sgpr: 0, flags: 0 });
        target
    });
}

/// The atomic operations of images that change two words: mnemonic, what becomes of `m` by `a`, or of `m` and `b` where it compares.
type Changes = (&'static str, fn(u64, u64, u64) -> u64);
const LONG: [Changes; 17] = [
    ("swap", |_, a, _| a),
    ("cmpswap", |m, a, b| if m == b { a } else { m }),
    ("add", |m, a, _| m.wrapping_add(a)),
    ("sub", |m, a, _| m.wrapping_sub(a)),
    ("rsub", |m, a, _| a.wrapping_sub(m)),
    ("smin", |m, a, _| m.cast_signed().min(a.cast_signed()).cast_unsigned()),
    ("umin", |m, a, _| m.min(a)),
    ("smax", |m, a, _| m.cast_signed().max(a.cast_signed()).cast_unsigned()),
    ("umax", |m, a, _| m.max(a)),
    ("and", |m, a, _| m & a),
    ("or", |m, a, _| m | a),
    ("xor", |m, a, _| m ^ a),
    ("inc", |m, a, _| if m >= a { 0 } else { m + 1 }),
    ("dec", |m, a, _| if m == 0 || m > a { a } else { m - 1 }),
    ("fcmpswap", |m, a, b| if f64::from_bits(m) == f64::from_bits(b) { a } else { m }),
    ("fmin", |m, a, _| if f64::from_bits(m) <= f64::from_bits(a) { m } else { a }),
    ("fmax", |m, a, _| if f64::from_bits(m) >= f64::from_bits(a) { m } else { a }),
];

/// What texels hold before: as many as lanes, so that each operation finds greater, lesser and equal ones.
const TEXELS: [u64; 8] = [
    0,
    1,
    0x0000_0001_0000_0005,
    0x0000_0001_0000_0004,
    0xffff_ffff,
    0x4008_0000_0000_0000,
    0xc000_0000_0000_0001,
    u64::MAX,
];

/// Does an operation with `v[8:9]`, and compares with `v[10:11]`, to the texel of each lane, stores what was there before in the buffer at
/// s[8:11], and what the texel holds then, read as two components, behind all of that.
fn changes(name: &str) -> String {
    let (data, mask) = if name.ends_with("cmpswap") { ("v[8:11]", 15) } else { ("v[8:9]", 3) };
    format!(
        "v_mov_b32 v1, 0
        v_mov_b32 v8, s12
        v_mov_b32 v9, s13
        v_mov_b32 v10, s14
        v_mov_b32 v11, s15
        v_lshlrev_b32 v4, 3, v0
        image_atomic_{name} {data}, v[0:1], s[0:7] dmask:{mask:#x} unorm glc
        s_waitcnt vmcnt(0)
        buffer_store_dwordx2 v[8:9], v4, s[8:11], 0 offen
        image_load v[12:13], v[0:1], s[0:7] dmask:0x3 unorm
        s_waitcnt vmcnt(0)
        buffer_store_dwordx2 v[12:13], v4, s[8:11], 0 offen offset:64
        s_endpgm"
    )
}

#[test]
fn texels_of_two_words_are_changed_as_one_number() {
    let has = has_long_texels();
    if !has {
        eprintln!("not tested: the device has no atomic operations on texels of 64 bits, and leaves them as they are");
    }
    for (name, change) in LONG {
        // The last is one of floats, of which there are no atomic operations: it is changed as the bits that it is.
        for (encoding, numbers) in
            [(Encoding::Standard, IMG_NUM_FORMAT_UINT), (Encoding::Private, IMG_NUM_FORMAT_FLOAT)]
        {
            let mut scene = Scene::new(encoding);
            let (a, b): (u64, u64) = (0x0000_0001_0000_0005, 0x4008_0000_0000_0000);
            // Lines of linear images begin at multiples of 64 texels here.
            let mut line = [0u64; 64];
            line[..8].copy_from_slice(&TEXELS);
            let (texels, out) = (scene.texels(&line), scene.room(128));
            let program = scene.program(&changes(name));
            let image = texture(texels, [64, 1], IMG_DATA_FORMAT_32_32, numbers);
            let halves = [a, b].into_iter().flat_map(|number| [number as u32, (number >> 32) as u32]);
            let buffer = records(out, 0, 128, BUF_DATA_FORMAT_32);
            let user: Vec<u32> = image.0.into_iter().chain(buffer.0).chain(halves).collect();
            scene.dispatch(program, [8, 1, 1], &user, [1, 1, 1]);
            let mut ran = scene.run();
            let mut read = |at, size| -> Vec<u64> {
                ran.read(at, size).as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()
            };
            let (found, left) = (read(out, 128), read(texels, 64));
            ran.finish();
            if !has {
                assert_eq!(
                    (&found[..], &left[..]),
                    (&[0; 16][..], &TEXELS[..]),
                    "{name}: refused, and nothing is changed"
                );
                continue;
            }
            let wanted = TEXELS.map(|texel| change(texel, a, b));
            assert_eq!(left, wanted, "image_atomic_{name}, numbers {numbers}");
            assert_eq!((&found[..8], &found[8..]), (&TEXELS[..], &wanted[..]), "image_atomic_{name} glc, {numbers}");
        }
    }
}
