//! Where of a target something is drawn: clip rectangles; and what masks of tiles clear.

use crate::both;
use crate::draws::triangle_state;
use crate::rig::Target;
use afterimage_gnm_types::{reg, value::*};
use afterimage_texture::gnm::TileMask;

#[test]
fn clip_rectangles_leave_several_parts() {
    both("clip_parts", |scene| {
        let target = scene.target(128, 96);
        triangle_state(scene, &target);
        // Pixels of one of two rectangles that overlap, or of none of them but of the third.
        let corner = |x: u32, y: u32| y << 16 | x;
        let rects = [[(30, 20), (70, 61)], [(53, 45), (101, 90)], [(5, 5), (127, 33)], [(0, 0), (128, 96)]];
        let words: Vec<u32> = rects.iter().flatten().map(|(x, y)| corner(*x, *y)).collect();
        scene.set(reg::PA_SC_CLIPRECT_0_TL, &words);
        scene.set(reg::PA_SC_CLIPRECT_RULE, &[0x7676]);
        // What lies over itself is blended once.
        use reg::CB_BLEND0_CONTROL as B;
        let blend = B::ENABLE.bits(1) | B::COLOR_SRCBLEND.bits(BLEND_ONE) | B::COLOR_DESTBLEND.bits(BLEND_ONE);
        scene.set(reg::CB_BLEND0_CONTROL, &[blend]);
        scene.set_floats(reg::CB_BLEND_RED, &[0.5; 4]);
        scene.draw(DI_PT_TRILIST, 3);
        target
    });
}

/// Tile mode of colour: tiles in macro tiles.
const TILED: u32 = 14;

/// Bits of a mask's tiles, of which those here are clear and others are not.
fn mask(
    layout: &TileMask,
    slices: u64,
    tile_bits: u64,
    [clear, kept]: [u32; 2],
    is_clear: impl Fn(u64, u32, u32) -> bool,
    tiles: [u32; 2],
) -> Vec<u8> {
    let slice_bytes = layout.slice_bytes();
    let mut bytes = vec![0xFFu8; (slice_bytes * slices) as usize];
    for (slice, x, y) in
        (0..slices).flat_map(|slice| (0..tiles[1]).flat_map(move |y| (0..tiles[0]).map(move |x| (slice, x, y))))
    {
        let bit = slice * slice_bytes * 8 + layout.bit(x, y);
        let word = if is_clear(slice, x, y) { clear } else { kept };
        for n in 0..tile_bits {
            let byte = &mut bytes[((bit + n) / 8) as usize];
            let in_byte = (bit + n) % 8;
            *byte = *byte & !(1 << in_byte) | ((word >> n & 1) as u8) << in_byte;
        }
    }
    bytes
}

#[test]
fn cmask_clears_some_tiles_of_a_target() {
    both("cmask_tiles", |scene| {
        let target = Target { tile_mode: TILED, ..scene.target(256, 192) };
        triangle_state(scene, &target);
        scene.draw(DI_PT_TRILIST, 3);
        let layout = TileMask::cmask(TILED, false, 256, 192);
        // Rings around the middle.
        let ring = |x: u32, y: u32| (x.abs_diff(16).max(y.abs_diff(12)) / 2).is_multiple_of(2);
        let bytes = mask(&layout, 1, 4, [0, 0xF], |_, x, y| ring(x, y) && (x, y) != (3, 3), [32, 24]);
        let address = scene.put(&bytes);
        use reg::CB_COLOR0_INFO as I;
        scene.set(reg::CB_COLOR0_INFO, &[I::FORMAT.bits(COLOR_8_8_8_8) | I::FAST_CLEAR.bits(1)]);
        scene.set(reg::CB_COLOR0_CMASK, &[(address >> 8) as u32, (layout.slice_bytes() / 128 - 1) as u32]);
        scene.set(reg::CB_COLOR0_CLEAR_WORD0, &[0xFF80_4000, 0]);
        // What is drawn now is small.
        scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[40.0, 128.0, -30.0, 96.0]);
        scene.draw(DI_PT_TRILIST, 3);
        // The mask says nothing more of what it said: another colour is not seen.
        scene.set(reg::CB_COLOR0_CLEAR_WORD0, &[0xFFFF_FFFF, 0]);
        scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[20.0, 40.0, -20.0, 40.0]);
        scene.draw(DI_PT_TRILIST, 3);
        target
    });
}

#[test]
fn raster_operations_are_of_source_or_brush_and_target() {
    both("raster_operations", |scene| {
        let target = scene.target(112, 64);
        triangle_state(scene, &target);
        let codes = [
            0, 5, 10, 15, 17, 34, 51, 68, 80, 85, 90, 95, 102, 119, 136, 153, 160, 165, 170, 175, 187, 204, 221, 238,
            240, 245, 250, 255,
        ];
        for (n, code) in (0..).zip(codes) {
            let (x, y) = (16 * (n % 7), 16 * (n / 7));
            scene.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31 | y << 16 | x, (y + 15) << 16 | (x + 15)]);
            let [left, top] = [x, y].map(|at| at as f32 + 8.0);
            for (rop, scale) in [(ROP3_COPY, 16.0), (code, 9.0)] {
                scene.set(reg::CB_COLOR_CONTROL, &[reg::CB_COLOR_CONTROL::MODE.bits(1) | rop << 16]);
                scene.set_floats(reg::PA_CL_VPORT_XSCALE, &[scale, left, -scale, top]);
                scene.draw(DI_PT_TRILIST, 3);
            }
        }
        target
    });
}
