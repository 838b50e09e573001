//! What the processor sees at the device's addresses, and the picture that the display shows.

use crate::rig::Rig;
use afterimage_nv2a::machine::{DisplayMode, PixelFormat, register};

#[test]
fn registers_keep_what_is_written_and_the_doorbell_is_the_pusher() {
    let mut rig = Rig::new();
    rig.register(register::USER_DMA_PUT, 0x1003);
    rig.register(register::PFIFO_CACHE1_DMA_GET, 0x800);
    let pusher = rig.machine.pusher();
    assert_eq!((pusher.get, pusher.put), (0x800, 0x1000));
    assert_eq!(rig.machine.read_register(register::USER_DMA_GET), 0x800);
    rig.register(register::PFIFO_CACHE1_DMA_SUBROUTINE, 0x401);
    assert_eq!(rig.machine.pusher().subroutine, Some(0x400));
    rig.register(0x00_2044, 77);
    assert_eq!(rig.machine.read_register(0x00_2044), 77);
    assert_eq!(rig.machine.read_register(register::PRAMIN + 0x10000), crate::rig::ALL);
    assert_eq!(rig.machine.read_register(0xFFFF_FFFC), 0);
    rig.machine.set_time(0x3_0000_0047);
    let time = [register::PTIMER_TIME_0, register::PTIMER_TIME_1].map(|at| rig.machine.read_register(at));
    assert_eq!(time, [0x40, 3]);
    rig.machine.vertical_blank();
    assert_eq!(rig.machine.read_register(register::PCRTC_INTR_0), 1);
    rig.register(register::PCRTC_INTR_0, 1);
    assert_eq!(rig.machine.read_register(register::PCRTC_INTR_0), 0);
}

#[test]
fn without_a_class_methods_do_nothing() {
    const NO_OPERATION: u16 = 0x0100;
    const SET_COLOR_CLEAR_VALUE: u16 = 0x1D90;
    let mut rig = Rig::new();
    let set = |rig: &mut Rig, color: u32| {
        rig.push(0, SET_COLOR_CLEAR_VALUE, &[color]);
        rig.push(0, NO_OPERATION, &[0]);
        rig.finish();
        rig.get(SET_COLOR_CLEAR_VALUE)
    };
    assert_eq!(set(&mut rig, 1), 1);
    assert_eq!(rig.machine.read_register(register::PGRAPH_CTX_SWITCH1), 0x97);
    rig.register(register::PGRAPH_CTX_SWITCH1, 0);
    assert_eq!(set(&mut rig, 2), 1);
    assert_eq!(rig.machine.read_register(register::PGRAPH_CTX_SWITCH1), 0);
    rig.register(register::PGRAPH_CTX_SWITCH1, 0x97);
    assert_eq!(set(&mut rig, 3), 3);
    // An object that is bound has its class.
    rig.register(register::PGRAPH_CTX_SWITCH1, 0);
    rig.push(0, 0, &[crate::rig::KELVIN]);
    assert_eq!(set(&mut rig, 4), 4);
}

/// A display of 8 by 4 pixels at 0x1000, all of one colour.
fn display(rig: &mut Rig, color: u32) {
    rig.machine.display = DisplayMode { width: 8, height: 4, pitch: 32, format: PixelFormat::X8R8G8B8 };
    rig.register(register::PCRTC_START, 0x1000);
    rig.write(0x1000, &[color; 32]);
}

fn shown(rig: &mut Rig) -> Vec<u32> {
    let picture = rig.machine.scanout(&mut rig.memory, &mut rig.log).expect("inside of memory");
    assert_eq!((picture.width, picture.height), (8, 4));
    picture.rgba.chunks_exact(4).map(|p| u32::from_be_bytes([0, p[0], p[1], p[2]])).collect()
}

#[test]
fn pixels_of_every_format_are_shown() {
    let mut rig = Rig::new();
    display(&mut rig, 0x7712_3456);
    assert_eq!(shown(&mut rig), [0x12_3456; 32]);
    rig.machine.display.format = PixelFormat::R5G6B5;
    rig.write(0x1000, &[0x07E0_F81F; 32]);
    assert_eq!(shown(&mut rig)[..2], [0xFF_00FF, 0x00_FF00]);
    rig.machine.display.format = PixelFormat::X1R5G5B5;
    rig.write(0x1000, &[0x03E0_FC1F; 32]);
    assert_eq!(shown(&mut rig)[..2], [0xFF_00FF, 0x00_FF00]);
    rig.register(register::PCRTC_START, 0x00FF_FFF0);
    assert!(rig.machine.scanout(&mut rig.memory, &mut rig.log).is_err());
}

/// An overlay of 4 by 2 pixels in YUY2 at 0x2000, twice its size at 2, 0.
fn overlay(rig: &mut Rig, format: u32) {
    for (offset, value) in [
        (register::PVIDEO_LIMIT, 0xFFFF),
        (register::PVIDEO_OFFSET, 0x2000),
        (register::PVIDEO_SIZE_IN, 2 << 16 | 4),
        (register::PVIDEO_DS_DX, 1 << 19),
        (register::PVIDEO_DT_DY, 1 << 19),
        (register::PVIDEO_POINT_OUT, 2),
        (register::PVIDEO_SIZE_OUT, 4 << 16 | 8),
        (register::PVIDEO_FORMAT, format | 8),
        (register::PVIDEO_BUFFER, 1),
    ] {
        rig.register(offset, value);
    }
    // Black, white, black, white; the second line is red.
    rig.write(0x2000, &[0x80EB_8010, 0x80EB_8010, 0xF051_5A51, 0xF051_5A51]);
}

#[test]
fn the_overlay_is_scaled_over_the_picture() {
    let mut rig = Rig::new();
    display(&mut rig, 0x00_0102);
    overlay(&mut rig, 1 << 16);
    let picture = shown(&mut rig);
    assert_eq!(picture[..8], [0x102, 0x102, 0, 0, 0xFF_FFFF, 0xFF_FFFF, 0, 0]);
    let red = picture[2 * 8 + 2];
    assert!(red >> 16 > 0xF8 && red & 0xFFFF < 0x0404, "{red:06x}");
    // UYVY reads the same bytes the other way round.
    rig.write(0x2000, &[0xEB80_1080, 0xEB80_1080]);
    rig.register(register::PVIDEO_FORMAT, 8);
    assert_eq!(shown(&mut rig)[2..6], [0, 0, 0xFF_FFFF, 0xFF_FFFF]);
    rig.register(register::PVIDEO_STOP, 0);
    assert_ne!(shown(&mut rig), [0x102; 32]);
    rig.register(register::PVIDEO_STOP, 1);
    assert_eq!(shown(&mut rig), [0x102; 32]);
}

#[test]
fn the_colour_key_lets_the_overlay_through_where_it_is() {
    let mut rig = Rig::new();
    display(&mut rig, 0x00_0102);
    rig.write(0x1000 + 3 * 4, &[0xFF00_FF00]);
    overlay(&mut rig, 1 << 16 | 1 << 20);
    rig.register(register::PVIDEO_COLOR_KEY, 0x00_FF00);
    assert_eq!(shown(&mut rig)[..6], [0x102, 0x102, 0x102, 0, 0x102, 0x102]);
}

#[test]
fn wild_overlays_end_at_their_limits() {
    let mut rig = Rig::new();
    display(&mut rig, 1);
    overlay(&mut rig, 1 << 16);
    for register in
        [register::PVIDEO_SIZE_IN, register::PVIDEO_POINT_IN, register::PVIDEO_OFFSET, register::PVIDEO_FORMAT]
    {
        for value in [u32::MAX, 0xFFFF_0000, 0x7FFF_FFFF] {
            rig.register(register, value);
            let _ = rig.machine.scanout(&mut rig.memory, &mut rig.log);
        }
    }
    for register in
        [register::PVIDEO_POINT_OUT, register::PVIDEO_SIZE_OUT, register::PVIDEO_DS_DX, register::PVIDEO_DT_DY]
    {
        rig.register(register, u32::MAX);
        let _ = rig.machine.scanout(&mut rig.memory, &mut rig.log);
    }
}
