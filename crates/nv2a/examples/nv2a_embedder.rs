//! An NV2A in a console of our own: memory, registers, a push buffer that clears and draws a triangle, and the picture that the
//! display shows, as PNG.
//!
//! `cargo run -p afterimage-nv2a --example nv2a_embedder -- picture.png`

use afterimage_nv2a::Nv2a;
use afterimage_nv2a::machine::{Header, Interrupt, Picture, Stop, register};
use afterimage_nv2a::memory::{GuestMemory, Ram};
use afterimage_nv2a::types::method::*;
use std::error::Error;

/// Where things are in the console's memory.
const PUSH_BUFFER: u32 = 0x0010_0000;
const COLOR: u32 = 0x0020_0000;
const ZETA: u32 = 0x0040_0000;
/// Handles of our objects.
const ALL_MEMORY: u32 = 1;
const KELVIN: u32 = 2;
/// What the push buffer tells the processor at its end.
const FINISHED: u32 = 0xFAB;

/// Methods with their arguments, as words of a push buffer.
fn push(words: &mut Vec<u32>, method: u16, arguments: &[u32]) {
    words.push(Header { method, subchannel: 0, count: arguments.len() as u16, increasing: true }.encode());
    words.extend(arguments);
}

fn floats<const N: usize>(values: [f32; N]) -> [u32; N] {
    values.map(f32::to_bits)
}

/// Clears a surface of 640 by 480 and draws a triangle whose corners are red, green and blue.
fn picture() -> Vec<u32> {
    let mut words = Vec::new();
    push(&mut words, SET_OBJECT, &[KELVIN]);
    push(&mut words, SET_CONTEXT_DMA_COLOR, &[ALL_MEMORY, ALL_MEMORY, ALL_MEMORY, ALL_MEMORY]);
    push(&mut words, SET_SURFACE_CLIP_HORIZONTAL, &[640 << 16, 480 << 16]);
    // A8R8G8B8 and Z24S8, lines one after the other.
    push(&mut words, SET_SURFACE_FORMAT, &[0x0000_0128, 2560 << 16 | 2560, COLOR, ZETA]);
    push(&mut words, SET_CLEAR_RECT_HORIZONTAL, &[639 << 16, 479 << 16]);
    push(&mut words, SET_ZSTENCIL_CLEAR_VALUE, &[0xFFFF_FF00, 0xFF20_2040, 0xF3]);
    // Nothing is drawn outside of the window clip rectangles.
    push(&mut words, SET_WINDOW_CLIP_HORIZONTAL, &[639 << 16; 8]);
    push(&mut words, SET_WINDOW_CLIP_VERTICAL, &[479 << 16; 8]);
    // Positions are pixels: a program of one step per output that passes attributes on.
    push(&mut words, SET_TRANSFORM_EXECUTION_MODE, &[2, 0, 0, 0]);
    for (output, input, last) in [(0, 0, 0), (3, 3, 1)] {
        let input_bits = 1 << 21 | input << 9 | 0x1B;
        push(&mut words, SET_TRANSFORM_PROGRAM, &[0, input_bits, 2 << 26, 0xF << 12 | 1 << 11 | output << 3 | last]);
    }
    push(&mut words, SET_CLIP_MIN, &floats([0.0, 16_777_215.0]));
    push(&mut words, SET_COLOR_MASK, &[0x0101_0101]);
    push(&mut words, SET_SHADE_MODEL, &[0x1D01]);
    push(&mut words, SET_FRONT_POLYGON_MODE, &[0x1B02, 0x1B02]);
    // The final combiner gives the diffuse colour: A is 0, D is v0, G is its alpha.
    push(&mut words, SET_COMBINER_CONTROL, &[1]);
    push(&mut words, SET_COMBINER_SPECULAR_FOG_CW0, &[0x0000_0004, 0x0000_1400]);
    push(&mut words, SET_BEGIN_END, &[5]);
    for (color, position) in [
        ([1.0, 0.0, 0.0, 1.0], [320.0, 60.0, 0.0, 1.0]),
        ([0.0, 1.0, 0.0, 1.0], [560.0, 420.0, 0.0, 1.0]),
        ([0.0, 0.0, 1.0, 1.0], [80.0, 420.0, 0.0, 1.0]),
    ] {
        push(&mut words, SET_DIFFUSE_COLOR4F, &floats(color));
        push(&mut words, SET_VERTEX4F, &floats(position));
    }
    push(&mut words, SET_BEGIN_END, &[0]);
    push(&mut words, NO_OPERATION, &[FINISHED]);
    words
}

/// Has the graphics processor draw it, and gives what the display shows.
fn shown() -> Result<Picture, Box<dyn Error>> {
    // `Ram` is memory of our own. An emulator has its own, and implements `GuestMemory` for it.
    let mut nv2a = Nv2a::with_renderer(Ram::new(Ram::XBOX), "embedder")?;

    // What the console's kernel does: a table of handles at 0x10000 of instance memory, a DMA object that shows all memory,
    // a Kelvin object, the push buffer.
    let instance = |address: u32| register::PRAMIN + address;
    for (offset, value) in [
        (register::PFIFO_RAMHT, 0x0300_0100),
        (instance(0x10000), ALL_MEMORY),
        (instance(0x10004), 0x8000_1200),
        (instance(0x10008), KELVIN),
        (instance(0x1000C), 0x8001_1210),
        (instance(0x12000), 0x0000_303D),
        (instance(0x12004), Ram::XBOX - 1),
        (instance(0x12008), 3),
        (instance(0x12100), 0x97),
        (register::PFIFO_CACHE1_DMA_INSTANCE, 0x1200),
        (register::PCRTC_START, COLOR),
    ] {
        nv2a.write_register(offset, value);
    }
    let bytes: Vec<u8> = picture().iter().flat_map(|word| word.to_le_bytes()).collect();
    nv2a.memory.write(PUSH_BUFFER, &bytes)?;

    // The doorbell, and what becomes of it.
    nv2a.write_register(register::USER_DMA_GET, PUSH_BUFFER);
    nv2a.write_register(register::USER_DMA_PUT, PUSH_BUFFER + bytes.len() as u32);
    loop {
        match nv2a.run()? {
            Stop::Idle => break,
            Stop::FlipStall => nv2a.vertical_blank(),
            Stop::Interrupt(interrupt) => {
                if let Interrupt::Software { code: FINISHED, .. } = interrupt {
                    println!("the push buffer says that it is done");
                }
                nv2a.write_register(register::PGRAPH_INTR, u32::MAX);
            }
        }
    }
    println!("GET is {:#x}", nv2a.read_register(register::USER_DMA_GET));
    Ok(nv2a.scanout()?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "embedder.png".into());
    let shown = shown()?;
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, shown.width, shown.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&shown.rgba)?;
    println!("written: {path}");
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_triangle_is_shown() {
        let shown = super::shown().unwrap();
        let at = |x: u32, y: u32| {
            let start = (y * shown.width + x) as usize * 4;
            <[u8; 3]>::try_from(&shown.rgba[start..start + 3]).unwrap()
        };
        assert_eq!((shown.width, shown.height), (640, 480));
        assert_eq!(at(5, 5), [0x20, 0x20, 0x40], "the colour of the clear");
        let near_red = at(320, 66);
        assert!(near_red[0] > 240 && near_red[1] < 12 && near_red[2] < 12, "{near_red:?}");
        let near_green = at(550, 416);
        assert!(near_green[1] > 240 && near_green[0] < 12, "{near_green:?}");
    }
}
