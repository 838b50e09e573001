//! Guest memory and host memory agree: pictures, clears and what comes back, without any shader.

mod rig;

use afterimage_gnm::machine::Graphics;
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm::translate::Display;
use afterimage_gnm_types::{reg, value::*};
use rig::Rig;

const LINEAR: u32 = 31;
/// Where things are.
const COLOR: u64 = 0x1_0000_0000;
const DEPTH: u64 = 0x1_0010_0000;
const META: u64 = 0x1_0020_0000;

fn display() -> Display {
    Display {
        address: COLOR,
        width: 60,
        height: 32,
        pitch: 64,
        format: IMG_DATA_FORMAT_8_8_8_8,
        blue_first: true,
        tile_mode: LINEAR,
    }
}

#[test]
fn what_the_processor_wrote_is_shown_and_what_it_writes_next_too() {
    let mut rig = Rig::new();
    let bytes: Vec<u8> = (0..64 * 32 * 4).map(|at| (at * 7) as u8).collect();
    rig.memory.write(COLOR, &bytes).unwrap();
    let expected = |bytes: &[u8]| -> Vec<u8> {
        let lines = bytes.chunks_exact(64 * 4).flat_map(|line| line[..60 * 4].as_chunks::<4>().0);
        lines.flat_map(|[b, g, r, a]| [*r, *g, *b, *a]).collect()
    };
    assert_eq!(rig.picture(&display()), expected(&bytes));
    let mut changed = bytes.clone();
    changed[64 * 4..64 * 4 + 4].copy_from_slice(&[1, 2, 3, 4]);
    rig.memory.write(COLOR + 64 * 4, &[1, 2, 3, 4]).unwrap();
    assert_eq!(rig.picture(&display()), expected(&bytes), "nobody was told");
    rig.graphics.cpu_wrote(COLOR + 64 * 4, 4);
    assert_eq!(rig.picture(&display()), expected(&changed));
    rig.memory.write(COLOR, &[9, 9, 9, 9]).unwrap();
    changed[..4].fill(9);
    rig.graphics.begin();
    assert_eq!(rig.picture(&display()), expected(&changed));
    rig.finish();
}

/// A colour target at [`COLOR`] of 64 x 32 pixels, blue first.
fn color_target(rig: &mut Rig) {
    use reg::CB_COLOR0_INFO as I;
    rig.set(&[
        (reg::CB_COLOR0_BASE, (COLOR >> 8) as u32),
        (reg::CB_COLOR0_PITCH, 64 / 8 - 1),
        (reg::CB_COLOR0_SLICE, 64 * 32 / 64 - 1),
        (reg::CB_COLOR0_INFO, I::FORMAT.bits(COLOR_8_8_8_8) | I::COMP_SWAP.bits(SWAP_ALT) | I::LINEAR_GENERAL.bits(1)),
        (reg::CB_TARGET_MASK, 15),
        (reg::CB_SHADER_MASK, 15),
    ]);
}

#[test]
fn cmask_clears_a_target_once_for_each_time_it_is_written() {
    let mut rig = Rig::new();
    color_target(&mut rig);
    rig.set(&[
        (reg::CB_COLOR_CONTROL, reg::CB_COLOR_CONTROL::MODE.bits(2)),
        (reg::CB_COLOR0_INFO, rig.registers.get(reg::CB_COLOR0_INFO) | reg::CB_COLOR0_INFO::FAST_CLEAR.bits(1)),
        (reg::CB_COLOR0_CMASK, (META >> 8) as u32),
        (reg::CB_COLOR0_CLEAR_WORD0, 0xFF20_4060),
    ]);
    rig.memory.write(META, &[0; 128]).unwrap();
    rig.draw(DI_PT_RECTLIST, 3);
    assert!(rig.picture(&display()).as_chunks::<4>().0.iter().all(|pixel| *pixel == [0x20, 0x40, 0x60, 0xFF]));
    rig.set(&[(reg::CB_COLOR0_CLEAR_WORD0, 0)]);
    rig.draw(DI_PT_RECTLIST, 3);
    assert_eq!(rig.picture(&display())[..4], [0x20, 0x40, 0x60, 0xFF], "it was looked at already");
    rig.memory.write(META, &[0; 128]).unwrap();
    rig.draw(DI_PT_RECTLIST, 3);
    assert_eq!(rig.picture(&display())[..4], [0; 4]);
    rig.finish();
}

#[test]
fn what_was_drawn_goes_to_memory_when_somebody_reads_it_and_new_writes_stay() {
    let mut rig = Rig::new();
    color_target(&mut rig);
    rig.set(&[
        (reg::CB_COLOR_CONTROL, reg::CB_COLOR_CONTROL::MODE.bits(2)),
        (reg::CB_COLOR0_INFO, rig.registers.get(reg::CB_COLOR0_INFO) | reg::CB_COLOR0_INFO::FAST_CLEAR.bits(1)),
        (reg::CB_COLOR0_CMASK, (META >> 8) as u32),
        (reg::CB_COLOR0_CLEAR_WORD0, 0x0403_0201),
    ]);
    rig.memory.write(META, &[0; 128]).unwrap();
    rig.draw(DI_PT_RECTLIST, 3);
    assert_eq!(rig.memory.word(COLOR), Some(0));
    assert_eq!(rig.read(COLOR + 16, 4), [1, 2, 3, 4]);
    assert_eq!(rig.memory.word(COLOR + 64 * 32 * 4), Some(0), "nothing behind it");
    rig.memory.write(COLOR + 64 * 4 * 20, &[7; 4]).unwrap();
    rig.graphics.cpu_wrote(COLOR + 64 * 4 * 20, 4);
    assert_eq!(rig.picture(&display())[60 * 4 * 20..][..4], [7; 4]);
    rig.finish();
}

/// Depth tiles one after the other: tile mode 5.
const DEPTH_TILES: u32 = 5;

#[test]
fn depth_and_stencil_are_cleared_by_rectangles_and_by_htile() {
    let mut rig = Rig::new();
    let stencil = DEPTH + 64 * 32 * 4;
    let z = reg::DB_Z_INFO::FORMAT.bits(Z_32_FLOAT) | reg::DB_Z_INFO::TILE_MODE_INDEX.bits(DEPTH_TILES);
    let s = reg::DB_STENCIL_INFO::FORMAT.bits(STENCIL_8) | reg::DB_STENCIL_INFO::TILE_MODE_INDEX.bits(DEPTH_TILES);
    rig.set(&[
        (reg::DB_Z_INFO, z),
        (reg::DB_STENCIL_INFO, s),
        (reg::DB_Z_READ_BASE, (DEPTH >> 8) as u32),
        (reg::DB_Z_WRITE_BASE, (DEPTH >> 8) as u32),
        (reg::DB_STENCIL_READ_BASE, (stencil >> 8) as u32),
        (reg::DB_STENCIL_WRITE_BASE, (stencil >> 8) as u32),
        (reg::DB_DEPTH_SIZE, (64 / 8 - 1) | (32 / 8 - 1) << 11),
        (reg::DB_DEPTH_SLICE, 64 * 32 / 64 - 1),
        (reg::DB_DEPTH_CLEAR, 0.5f32.to_bits()),
        (reg::DB_STENCIL_CLEAR, 0x5A),
        (reg::DB_RENDER_CONTROL, 3),
    ]);
    rig.draw(DI_PT_RECTLIST, 3);
    assert_eq!(rig.read(DEPTH, 64 * 32 * 4), 0.5f32.to_le_bytes().repeat(64 * 32));
    assert_eq!(rig.read(stencil, 64 * 32), [0x5A; 64 * 32]);
    // All of HTILE says that depth is clear; stencil has a file of its own.
    rig.set(&[
        (reg::DB_RENDER_CONTROL, 0),
        (reg::DB_DEPTH_CONTROL, reg::DB_DEPTH_CONTROL::Z_ENABLE.bits(1)),
        (reg::DB_Z_INFO, z | reg::DB_Z_INFO::TILE_SURFACE_ENABLE.bits(1)),
        (reg::DB_STENCIL_INFO, s | reg::DB_STENCIL_INFO::TILE_STENCIL_DISABLE.bits(1)),
        (reg::DB_HTILE_DATA_BASE, (META >> 8) as u32),
        (reg::DB_DEPTH_CLEAR, 1f32.to_bits()),
        (reg::CB_COLOR_CONTROL, reg::CB_COLOR_CONTROL::MODE.bits(2)),
    ]);
    rig.memory.write(META, &0xFFFF_FFF0u32.to_le_bytes().repeat(8 * 4)).unwrap();
    rig.draw(DI_PT_RECTLIST, 3);
    assert_eq!(rig.read(DEPTH, 64 * 32 * 4), 1f32.to_le_bytes().repeat(64 * 32));
    assert_eq!(rig.read(stencil, 64 * 32), [0x5A; 64 * 32]);
    rig.finish();
}
