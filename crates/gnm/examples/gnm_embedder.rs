//! A PlayStation 4's graphics processor in a console of our own: memory, a command buffer that draws a triangle with shaders in that
//! memory, a flip, and the picture that the display shows, as PNG.
//!
//! `cargo run -p afterimage-gnm --example gnm_embedder -- picture.png`; a number after the file is how many frames are drawn.

use afterimage_gnm::driver::{CallError, CommandBuffer, Driver, calls};
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::{Display, Picture};
use afterimage_gnm::types::{reg, value::*};
use afterimage_gnm::{Gpu, assemble};
use std::error::Error;

/// Guest address of the first byte of the memory that we use.
const START: u64 = 0x10_0000_0000;

/// Where things are in memory.
const VERTEX_CODE: u64 = START;
const PIXEL_CODE: u64 = START + 0x1000;
const VERTICES: u64 = START + 0x2000;
const COMMANDS: u64 = START + 0x1_0000;
const COLOR: u64 = START + 0x10_0000;
const WIDTH: u32 = 640;
const HEIGHT: u32 = 480;

/// Reads a position and a colour of a vertex through the V# in s[0:3].
pub(crate) const VERTEX: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    s_waitcnt vmcnt(0)
    exp pos0 v4, v5, v6, v7 done
    exp param0 v8, v9, v10, v11
    s_endpgm
";

/// Interpolates the colour.
pub(crate) const PIXEL: &str = "
    s_mov_b32 m0, s16
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_interp_p1_f32 v3, v0, attr0.y
    v_interp_p2_f32 v3, v1, attr0.y
    v_interp_p1_f32 v4, v0, attr0.z
    v_interp_p2_f32 v4, v1, attr0.z
    v_mov_b32 v5, 1.0
    exp mrt0 v2, v3, v4, v5 done vm
    s_endpgm
";

/// Draws a triangle into the buffer at [`COLOR`].
fn commands() -> Result<CommandBuffer, CallError> {
    let driver = Driver::default();
    let mut commands = CommandBuffer::new();
    commands.call(&driver, &calls::DrawInitDefaultHardwareState {})?;
    use reg::CB_COLOR0_INFO as I;
    let info = I::FORMAT.bits(COLOR_8_8_8_8) | I::COMP_SWAP.bits(SWAP_ALT) | I::LINEAR_GENERAL.bits(1);
    let [pitch, slice] = [WIDTH / 8 - 1, WIDTH * HEIGHT / 64 - 1];
    commands.set(reg::CB_COLOR0_BASE, &[(COLOR >> 8) as u32, pitch, slice, 0, info]);
    commands.set(reg::CB_TARGET_MASK, &[15]);
    let (x, y) = (WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0);
    commands.set(reg::PA_CL_VPORT_XSCALE, &[x, x, -y, y, 1.0, 0.0].map(f32::to_bits));
    let corner = HEIGHT << 16 | WIDTH;
    commands.set(reg::PA_SC_SCREEN_SCISSOR_TL, &[0, corner]);
    commands.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31, corner]);
    commands.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31, corner]);
    // Program, RSRC1 and 2 (16 user SGPRs), one parameter, a position of four components.
    let regs = [(VERTEX_CODE >> 8) as u32, 0, 3 << 24 | 0xC0 << 12, 16 << 1, 0, 4, 0];
    commands.call(&driver, &calls::SetVsShader { regs, modifier: 0 })?;
    // A V#: three records of 32 bytes, four floats each.
    let records = [VERTICES as u32, (VERTICES >> 32) as u32 | 32 << 16, 3, 0x0007_7FAC];
    commands.set(reg::SPI_SHADER_USER_DATA_VS_0, &records);
    // One target of 32-bit floats, perspective barycentrics of the centre, one input.
    let regs = [(PIXEL_CODE >> 8) as u32, 0, 0xC0 << 12, 16 << 1, 0, 9, 2, 2, 1, 0, 0x10, 15];
    commands.call(&driver, &calls::SetPsShader { regs })?;
    commands.set(reg::SPI_PS_INPUT_CNTL_0, &[0]);
    commands.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
    commands.call(&driver, &calls::DrawIndexAuto { index_count: 3, flags: 0 })?;
    Ok(commands)
}

/// Has the graphics processor draw so many frames, and gives what the display shows.
pub(crate) fn shown(frames: u32) -> Result<Picture, Box<dyn Error>> {
    // `Regions` is memory of our own. An emulator has its own, and implements `GuestMemory` for it.
    let mut memory = Regions::default();
    memory.map(START, 16 << 20)?;
    let mut gpu = Gpu::with_renderer(memory, "embedder")?;

    // What the program does: code, vertices, commands.
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    gpu.memory.write(VERTEX_CODE, &words(&assemble(VERTEX)?))?;
    gpu.memory.write(PIXEL_CODE, &words(&assemble(PIXEL)?))?;
    let vertices: [[f32; 8]; 3] = [
        [0.0, 0.8, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0],
        [0.8, -0.8, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
        [-0.8, -0.8, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0],
    ];
    gpu.memory.write(VERTICES, &words(&vertices.as_flattened().iter().map(|f| f.to_bits()).collect::<Vec<_>>()))?;
    let commands = commands()?;
    commands.store(&mut gpu.memory, COMMANDS)?;

    // The display shows the buffer after each frame; and before the processor reads it, it comes back into memory.
    let (width, height, pitch) = (WIDTH, HEIGHT, WIDTH);
    let format = IMG_DATA_FORMAT_8_8_8_8;
    let display = Display { address: COLOR, width, height, pitch, format, blue_first: true, tile_mode: 31 };
    for _ in 0..frames {
        gpu.submit((COMMANDS, commands.bytes()), None)?;
        if let Stop::Waiting(waits) = gpu.run() {
            println!("the program has to do something first: {waits:?}");
        }
        for fault in gpu.faults() {
            println!("{fault}");
        }
        gpu.flip(&display);
    }
    gpu.write_back(COLOR, u64::from(WIDTH * HEIGHT * 4));
    let middle = COLOR + u64::from((HEIGHT / 2 * WIDTH + WIDTH / 2) * 4);
    println!("the pixel in the middle is {:#010x}", gpu.memory.word(middle).unwrap_or_default());
    Ok(gpu.picture(&display)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "embedder.png".into());
    let frames: u32 = std::env::args().nth(2).map_or(Ok(1), |frames| frames.parse())?;
    let shown = shown(frames)?;
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
        let shown = super::shown(2).unwrap();
        let at = |x: u32, y: u32| {
            let start = (y * shown.width + x) as usize * 4;
            <[u8; 3]>::try_from(&shown.rgba[start..start + 3]).unwrap()
        };
        assert_eq!((shown.width, shown.height), (super::WIDTH, super::HEIGHT));
        assert_eq!(at(5, 5), [0, 0, 0], "nothing is drawn there");
        let near_red = at(320, 54);
        assert!(near_red[0] > 235 && near_red[1] < 15 && near_red[2] < 15, "{near_red:?}");
        let near_green = at(570, 429);
        assert!(near_green[1] > 235 && near_green[0] < 15, "{near_green:?}");
    }
}
