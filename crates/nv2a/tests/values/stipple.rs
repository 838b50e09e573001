//! The polygon stipple: every bit of every row.

use super::{COLOR, draw, picture, rectangle, rig::Rig, source};
use afterimage_nv2a::machine::{Attributes, PrimitiveKind};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::method;

const SIZE: u32 = 64;

#[test]
fn each_bit_is_a_pixel_of_polygons_and_of_nothing_else() {
    let mut rig = Rig::on_screen(SIZE, source::DIFFUSE);
    rig.set(method::SET_STIPPLE_ENABLE, 1);
    rig.set(method::SET_POINT_SIZE, 8);
    let white = |vertex: &mut Attributes| vertex[3] = [1.0; 4];
    for turn in 0..32 {
        // One bit a row, each time another.
        let bit = |row: u32| (row * 5 + turn) % 32;
        for row in 0..32 {
            rig.set(method::SET_STIPPLE_PATERN_0 + 4 * row as u16, 1 << bit(row));
        }
        rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
        rectangle(&mut rig, [0.0, 0.0, 64.0, 64.0], white);
        for (i, pixel) in (0..).zip(picture(&mut rig, SIZE)) {
            let (x, y) = (i % SIZE, i / SIZE);
            // The lowest byte is the leftmost, its highest bit the leftmost of it.
            let is_on = bit(y % 32) == x / 8 % 4 * 8 + (7 - x % 8);
            assert_eq!(pixel == u32::MAX, is_on, "bit {} of row {}: {x}, {y}", bit(y % 32), y % 32);
        }
    }
    rig.clear(0xF0, 0, 0, [0, 0, SIZE, SIZE]);
    for row in 0..32 {
        rig.set(method::SET_STIPPLE_PATERN_0 + 4 * row, 0);
    }
    let mut point: Attributes = [[0.0, 0.0, 0.0, 1.0]; 16];
    point[0] = [5.5, 5.5, 0.0, 1.0];
    point[3] = [1.0; 4];
    draw(&mut rig, PrimitiveKind::Points, vec![point]);
    assert_eq!(rig.written(COLOR + 4 * (5 * SIZE + 5)), u32::MAX, "points have no stipple");
    rectangle(&mut rig, [0.0, 0.0, 64.0, 64.0], white);
    rig.graphics.write_back(&mut rig.memory, COLOR, SIZE * SIZE * 4);
    assert_eq!(rig.memory.word(COLOR).expect("inside of memory"), 0, "no bits");
    rig.finish();
}
