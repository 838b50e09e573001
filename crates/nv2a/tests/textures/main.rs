//! Textures through the renderer: memory in, memory out.

#[allow(dead_code, reason = "other tests use the rest")]
#[path = "../surfaces/rig.rs"]
mod rig;

use afterimage_nv2a::machine::{Attributes, Part, Primitive, PrimitiveKind};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;
use afterimage_stream::Kind;
use rig::Rig;

const COLOR: u32 = 0x10_0000;
const ZETA: u32 = 0x20_0000;
const TEXTURE: u32 = 0x30_0000;
const PALETTE: u32 = 0x38_0000;
/// Pixels of the surface along an edge.
const SIZE: u32 = 8;
/// What moves texels.
const MOVES: [Kind; 3] = [Kind::ReadBack, Kind::UpdateTexture, Kind::Blit];

/// The combiners' source that is texture 0.
const TEXTURE_0: u32 = 0x08;

/// A scene that draws what stage 0 looks up.
fn scene() -> Rig {
    let mut rig = Rig::on_screen(SIZE, TEXTURE_0);
    for (at, value) in [
        (method::SET_SHADER_STAGE_PROGRAM, 1),
        (method::SET_TEXTURE_CONTROL0, 1 << 30 | 0xFFF << 6),
        (method::SET_TEXTURE_OFFSET, TEXTURE),
        (method::SET_TEXTURE_ADDRESS, 0x03_0303),
        (method::SET_TEXTURE_FILTER, 0x0101_0000),
    ] {
        rig.set(at, value);
    }
    rig
}

/// A swizzled texture: format, levels, logarithms of its sides.
fn swizzled(rig: &mut Rig, code: u32, levels: u32, [width, height]: [u32; 2]) {
    rig.set(method::SET_TEXTURE_FORMAT, height << 24 | width << 20 | levels << 16 | code << 8 | 0x29);
}

/// A texture by pitch.
fn linear(rig: &mut Rig, code: u32, pitch: u32, [width, height]: [u32; 2]) {
    rig.set(method::SET_TEXTURE_FORMAT, 1 << 16 | code << 8 | 0x29);
    rig.set(method::SET_TEXTURE_CONTROL1, pitch << 16);
    rig.set(method::SET_TEXTURE_IMAGE_RECT, width << 16 | height);
}

/// Draws over the whole surface, with texture coordinates from `first` to `last` in both directions.
fn draw(rig: &mut Rig, first: f32, last: f32) {
    draw_over(rig, SIZE, first, last);
}

/// Draws over the left half of the surface.
fn draw_left(rig: &mut Rig) {
    draw_over(rig, SIZE / 2, 0.0, 1.0);
}

fn draw_over(rig: &mut Rig, width: u32, first: f32, last: f32) {
    let corner = |x: f32, y: f32| {
        let mut attributes: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
        attributes[0] = [x * width as f32, y * SIZE as f32, 0.0, 1.0];
        attributes[9] = [first + x * (last - first), first + y * (last - first), 0.0, 1.0];
        attributes
    };
    let vertices = vec![corner(0.0, 0.0), corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)];
    let primitive = Primitive { kind: PrimitiveKind::Quads, parts: vec![Part::Immediate(vertices)] };
    rig.graphics.draw(&mut rig.kelvin, &mut rig.memory, &primitive);
}

/// The picture at an address, once it is in memory.
fn picture(rig: &mut Rig, address: u32) -> Vec<u32> {
    rig.graphics.write_back(&mut rig.memory, address, SIZE * SIZE * 4);
    (0..SIZE * SIZE).map(|i| rig.memory.word(address + 4 * i).expect("inside of memory")).collect()
}

fn words(rig: &mut Rig, address: u32, words: &[u32]) {
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    rig.memory.write(address, &bytes).expect("inside of memory");
}

/// Different colours.
fn colors(count: u32) -> Vec<u32> {
    (0..count).map(|i| i.wrapping_mul(0x0703_1D11) ^ 0x8040_2010).collect()
}

#[test]
fn a_texture_by_pitch_is_drawn_texel_by_texel() {
    let mut rig = scene();
    let texels = colors(SIZE * SIZE);
    words(&mut rig, TEXTURE, &texels);
    linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
    draw(&mut rig, 0.0, SIZE as f32);
    assert_eq!(picture(&mut rig, COLOR), texels);
    linear(&mut rig, 0x1E, 4 * SIZE, [SIZE, SIZE]);
    draw(&mut rig, 0.0, SIZE as f32);
    let opaque: Vec<_> = texels.iter().map(|texel| texel | 0xFF00_0000).collect();
    assert_eq!(picture(&mut rig, COLOR), opaque, "X8R8G8B8");
    rig.finish();
}

#[test]
fn swizzled_texels_are_in_morton_order() {
    let mut rig = scene();
    words(&mut rig, TEXTURE, &colors(SIZE * SIZE));
    swizzled(&mut rig, 0x06, 1, [3, 3]);
    draw(&mut rig, 0.0, 1.0);
    let spread = |n: u32| n & 1 | (n & 2) << 1 | (n & 4) << 2;
    let expected: Vec<_> =
        (0..SIZE * SIZE).map(|i| colors(SIZE * SIZE)[(spread(i % SIZE) | spread(i / SIZE) << 1) as usize]).collect();
    assert_eq!(picture(&mut rig, COLOR), expected);
    rig.finish();
}

#[test]
fn texels_come_anew_when_memory_or_palette_are_written_and_only_then() {
    let mut rig = scene();
    rig.memory.write(TEXTURE, &[0; 64]).expect("inside of memory");
    words(&mut rig, PALETTE, &colors(256));
    swizzled(&mut rig, 0x0B, 1, [3, 3]);
    rig.set(method::SET_TEXTURE_PALETTE, PALETTE);
    draw(&mut rig, 0.0, 1.0);
    assert_eq!(picture(&mut rig, COLOR)[9], colors(256)[0]);
    rig.sent(MOVES);
    draw(&mut rig, 0.0, 1.0);
    assert_eq!(rig.sent(MOVES), [0, 0, 0]);
    rig.memory.write(TEXTURE, &[7; 64]).expect("inside of memory");
    draw(&mut rig, 0.0, 1.0);
    assert_eq!(rig.sent(MOVES), [0, 1, 0]);
    assert_eq!(picture(&mut rig, COLOR)[9], colors(256)[7]);
    words(&mut rig, PALETTE + 28, &[0x1234_5678]);
    draw(&mut rig, 0.0, 1.0);
    assert_eq!(picture(&mut rig, COLOR)[9], 0x1234_5678);
    rig.finish();
}

#[test]
fn a_surface_is_looked_up_where_it_is() {
    let mut rig = scene();
    let other = COLOR + 0x1000;
    rig.clear(0xF0, 0x1122_3344, 0, [0, 0, SIZE, SIZE]);
    rig.set(method::SET_SURFACE_COLOR_OFFSET, other);
    rig.set(method::SET_TEXTURE_OFFSET, COLOR);
    linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
    draw(&mut rig, 0.0, SIZE as f32);
    assert_eq!(rig.sent(MOVES), [0, 2, 0], "both surfaces come from memory, then nothing moves");
    assert_eq!(picture(&mut rig, other), [0x1122_3344; 64]);
    // The bytes in another order, and a part of the surface, are copied by the host.
    rig.sent(MOVES);
    linear(&mut rig, 0x3F, 4 * SIZE, [SIZE / 2, SIZE]);
    draw(&mut rig, 0.0, SIZE as f32);
    assert_eq!(rig.sent(MOVES), [0, 0, 1]);
    draw(&mut rig, 0.0, SIZE as f32);
    assert_eq!(rig.sent(MOVES), [0, 0, 0], "once for each change");
    assert_eq!(picture(&mut rig, other), [0x1144_3322; 64]);
    // Fewer bits go through memory.
    linear(&mut rig, 0x11, 4 * SIZE, [SIZE, SIZE]);
    draw(&mut rig, 0.0, SIZE as f32);
    assert_eq!(picture(&mut rig, other)[0], 0xFF31_6921, "0x3344 as R5G6B5");
    rig.finish();
}

#[test]
fn surfaces_without_alpha_are_looked_up_as_memory_has_them() {
    let mut rig = scene();
    let other = COLOR + 0x1000;
    for (format, alpha) in [(4, 0), (5, 0xFF)] {
        rig.surface(0x120 | format, [SIZE, SIZE], [SIZE * 4, SIZE * 4]);
        rig.clear(0xF0, 0x7722_3344, 0, [0, 0, SIZE, SIZE]);
        rig.surface(0x128, [SIZE, SIZE], [SIZE * 4, SIZE * 4]);
        rig.set(method::SET_SURFACE_COLOR_OFFSET, other);
        rig.set(method::SET_TEXTURE_OFFSET, COLOR);
        linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
        draw(&mut rig, 0.0, SIZE as f32);
        assert_eq!(picture(&mut rig, other)[0], alpha << 24 | 0x22_3344);
    }
    rig.finish();
}

#[test]
fn a_texture_follows_the_format_of_the_surface_under_it() {
    let mut rig = scene();
    let other = COLOR + 0x1000;
    rig.set(method::SET_TEXTURE_OFFSET, COLOR);
    // Without a fourth byte, with it, and without it again. Red and blue change places, so that the host copies.
    for (format, alpha) in [(4, 0), (8, 0x77), (5, 0xFF), (4, 0)] {
        rig.surface(0x120 | format, [SIZE, SIZE], [SIZE * 4, SIZE * 4]);
        rig.clear(0xF0, 0x7722_3344, 0, [0, 0, SIZE, SIZE]);
        rig.surface(0x128, [SIZE, SIZE], [SIZE * 4, SIZE * 4]);
        rig.set(method::SET_SURFACE_COLOR_OFFSET, other);
        linear(&mut rig, 0x3F, 4 * SIZE, [SIZE, SIZE]);
        draw(&mut rig, 0.0, SIZE as f32);
        assert_eq!(picture(&mut rig, other)[0], alpha << 24 | 0x44_3322, "format {format}");
    }
    rig.finish();
}

#[test]
fn bits_that_draws_set_stay_as_they_were_where_nothing_is_drawn() {
    const BLENDED: u32 = 0x300;
    for blend in [0, BLENDED] {
        let mut rig = scene();
        words(&mut rig, TEXTURE, &[0xFF99_AABB; (SIZE * SIZE) as usize]);
        linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
        rig.set(method::SET_BLEND_ENABLE, (blend != 0).into());
        rig.set(method::SET_BLEND_FUNC_SFACTOR, 1);
        rig.set(method::SET_BLEND_EQUATION, 0x8006);
        // X8R8G8B8 with ones: the right half of the surface is not drawn.
        words(&mut rig, COLOR, &[0x0011_2233; (SIZE * SIZE) as usize]);
        rig.surface(0x125, [SIZE, SIZE], [SIZE * 4, SIZE * 4]);
        draw_left(&mut rig);
        let drawn = picture(&mut rig, COLOR);
        assert_eq!([drawn[0], drawn[63]], [0xFF99_AABB, 0x0011_2233], "blending {blend:x}");
        // What is drawn in its old colour is drawn, and a clear sets the bits.
        words(&mut rig, COLOR, &[0x0099_AABB; (SIZE * SIZE) as usize]);
        draw_left(&mut rig);
        let drawn = picture(&mut rig, COLOR);
        assert_eq!([drawn[0], drawn[63]], [0xFF99_AABB, 0x0099_AABB], "blending {blend:x}");
        rig.clear(0xF0, 0x0044_5566, 0, [0, 0, SIZE, SIZE]);
        assert_eq!(picture(&mut rig, COLOR), [0xFF44_5566; 64]);
        // X1R5G5B5 with ones; the lowest bits of colours are lost.
        words(&mut rig, COLOR, &[0x1234_1234; (SIZE * SIZE / 2) as usize]);
        rig.surface(0x122, [SIZE, SIZE], [SIZE * 2, SIZE * 4]);
        draw_left(&mut rig);
        let drawn = picture(&mut rig, COLOR);
        let pixel = 0x8000 | 0x99 >> 3 << 10 | 0xAA >> 3 << 5 | 0xBB >> 3;
        assert_eq!([drawn[0], drawn[31]], [pixel << 16 | pixel, 0x1234_1234], "blending {blend:x}");
        rig.finish();
    }
}

#[test]
fn a_surface_can_be_drawn_into_itself() {
    let mut rig = scene();
    let before = colors(SIZE * SIZE);
    words(&mut rig, COLOR, &before);
    rig.set(method::SET_TEXTURE_OFFSET, COLOR);
    linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
    // A row and a column further each time.
    draw(&mut rig, 1.0, SIZE as f32 + 1.0);
    draw(&mut rig, 1.0, SIZE as f32 + 1.0);
    let last = SIZE - 1;
    let moved: Vec<_> = (0..SIZE * SIZE)
        .map(|i| before[((i / SIZE + 2).min(last) * SIZE + (i % SIZE + 2).min(last)) as usize])
        .collect();
    assert_eq!(picture(&mut rig, COLOR), moved);
    rig.finish();
}

#[test]
fn addresses_filters_and_levels() {
    let mut rig = scene();
    let levels: Vec<u32> = [[0xFF10_1010; 16].as_slice(), &[0xFF20_2020; 4], &[0xFF40_4040]].concat();
    words(&mut rig, TEXTURE, &levels);
    swizzled(&mut rig, 0x06, 3, [2, 2]);
    let mut shown = |filter: u32, control: u32, mode: u32, [first, last]: [f32; 2]| {
        rig.set(method::SET_TEXTURE_FILTER, filter);
        rig.set(method::SET_TEXTURE_CONTROL0, 1 << 30 | control);
        rig.set(method::SET_TEXTURE_ADDRESS, mode * 0x01_0101);
        rig.set(method::SET_TEXTURE_BORDER_COLOR, 0x8070_6050);
        draw(&mut rig, first, last);
        picture(&mut rig, COLOR)[0]
    };
    let all = 0xFFF << 6;
    // Two texels a pixel.
    assert_eq!(shown(0x0101_0000, all, 3, [0.0, 4.0]), 0xFF10_1010, "without levels");
    assert_eq!(shown(0x0103_0000, all, 1, [0.0, 4.0]), 0xFF20_2020, "the nearest level");
    assert_eq!(shown(0x0103_0100, all, 1, [0.0, 4.0]), 0xFF40_4040, "a bias of one");
    assert_eq!(shown(0x0103_0000, 0, 1, [0.0, 4.0]), 0xFF10_1010, "no level after 0");
    assert_eq!(shown(0x0103_0000, 2 << 26 | all, 1, [0.0, 1.0]), 0xFF40_4040, "none before 2");
    assert_eq!(shown(0x0105_0080, all, 1, [0.0, 4.0]), 0xFF30_3030, "between two levels");
    assert_eq!(shown(0x0101_0000, all, 4, [2.0, 3.0]), 0x8070_6050, "the border's colour");
    assert_eq!(shown(0x0101_0000, all, 5, [2.0, 3.0]), 0xFF10_1010, "the edge");
    rig.finish();
}

#[test]
fn colour_keys_change_texels_until_they_change() {
    let mut rig = scene();
    words(&mut rig, TEXTURE, &[0xFF11_2233; 64]);
    linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
    for (key, expected) in [(0xFF11_2233, 0x0011_2233), (0xFF11_2234, 0xFF11_2233), (0xFF11_2233, 0x0011_2233)] {
        rig.set(method::SET_TEXTURE_CONTROL0, 1 << 30 | 0xFFF << 6 | 1);
        rig.set(method::SET_COLOR_KEY_COLOR, key);
        draw(&mut rig, 0.0, SIZE as f32);
        assert_eq!(picture(&mut rig, COLOR)[0], expected);
    }
    rig.finish();
}

#[test]
fn what_cannot_be_looked_up_is_black() {
    let mut rig = scene();
    let end = rig.memory.size();
    for (register, value) in [
        (method::SET_TEXTURE_OFFSET, end),
        (method::SET_TEXTURE_OFFSET, u32::MAX),
        (method::SET_TEXTURE_FORMAT, 0x0111_0829),
        (method::SET_TEXTURE_FORMAT, 0xFFFF_0639),
        (method::SET_TEXTURE_FORMAT, 0x0FF1_0629),
    ] {
        linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
        rig.set(method::SET_TEXTURE_OFFSET, TEXTURE);
        rig.set(register, value);
        rig.clear(0xF0, u32::MAX, 0, [0, 0, SIZE, SIZE]);
        draw(&mut rig, 0.0, SIZE as f32);
        assert_eq!(picture(&mut rig, COLOR)[0] & 0xFF_FFFF, 0, "{register:#x}: {value:#x}");
    }
    // What is beyond the end of memory reads as zero.
    words(&mut rig, end - 32, &[u32::MAX; 8]);
    rig.set(method::SET_TEXTURE_OFFSET, end - 32);
    linear(&mut rig, 0x12, 4 * SIZE, [SIZE, SIZE]);
    draw(&mut rig, 0.0, SIZE as f32);
    let picture = picture(&mut rig, COLOR);
    assert_eq!((picture[7], picture[8]), (u32::MAX, 0));
    rig.finish();
}

#[test]
fn cubes_have_six_faces() {
    let mut rig = scene();
    // Faces of 4 x 4 texels begin at multiples of 128 bytes.
    for face in 0..6 {
        words(&mut rig, TEXTURE + 128 * face, &[0xFF00_0000 + 0x11_1111 * (face + 1); 16]);
    }
    rig.set(method::SET_TEXTURE_FORMAT, 0x0221_062D);
    rig.set(method::SET_SHADER_STAGE_PROGRAM, 3);
    let directions = [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]];
    for (face, [x, y, z]) in (1..).zip(directions) {
        let mut vertices = Vec::new();
        for corner in [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
            let mut attributes: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
            attributes[0] = [corner[0] * SIZE as f32, corner[1] * SIZE as f32, 0.0, 1.0];
            attributes[9] = [x, y, z, 1.0];
            vertices.push(attributes);
        }
        let primitive = Primitive { kind: PrimitiveKind::Quads, parts: vec![Part::Immediate(vertices)] };
        rig.graphics.draw(&mut rig.kelvin, &mut rig.memory, &primitive);
        assert_eq!(picture(&mut rig, COLOR)[9], 0xFF00_0000 + 0x11_1111 * face);
    }
    rig.finish();
}
