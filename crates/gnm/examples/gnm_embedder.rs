//! A PlayStation 4's graphics processor in a console of our own: memory, a command buffer that draws a triangle with shaders in that
//! memory, a flip, and the picture that the display shows, as PNG.
//!
//! `cargo run -p afterimage-gnm --example gnm_embedder -- picture.png`; a number after the file is how many frames are drawn.

use afterimage_gnm::Gpu;
use afterimage_gnm::driver::{CallError, CommandBuffer, Driver, calls};
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Unmapped};
use afterimage_gnm::translate::Display;
use afterimage_gnm_types::{reg, value::*};
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_vulkan::{Options, Renderer};
use std::error::Error;

/// The console's memory. An emulator has its own; all that is asked of it are reads, writes, what is mapped, and a number that goes
/// up.
struct Memory {
    bytes: Vec<u8>,
    writes: u64,
}

/// Guest address of its first byte.
const START: u64 = 0x10_0000_0000;

impl Memory {
    fn range(&self, address: u64, size: usize) -> Result<std::ops::Range<usize>, Unmapped> {
        let error = Unmapped { address, size: size as u64 };
        let start = address.checked_sub(START).ok_or(error)? as usize;
        let end = start.checked_add(size).filter(|end| *end <= self.bytes.len()).ok_or(error)?;
        Ok(start..end)
    }
}

impl GuestMemory for Memory {
    fn read(&self, address: u64, out: &mut [u8]) -> Result<(), Unmapped> {
        out.copy_from_slice(&self.bytes[self.range(address, out.len())?]);
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), Unmapped> {
        let range = self.range(address, bytes.len())?;
        self.bytes[range].copy_from_slice(bytes);
        self.writes += 1;
        Ok(())
    }

    fn mapped(&self, address: u64, most: u64) -> u64 {
        let end = START + self.bytes.len() as u64;
        if address < START { 0 } else { end.saturating_sub(address).min(most) }
    }

    fn unmapped(&self, address: u64, most: u64) -> u64 {
        let end = START + self.bytes.len() as u64;
        if address < START {
            most.min(START - address)
        } else if address < end {
            0
        } else {
            most
        }
    }

    // One generation for all pages: correct, if not fast.
    fn generation(&self, _address: u64, _size: u64) -> u64 {
        self.writes
    }
}

/// Where things are in memory.
const VERTEX_CODE: u64 = START;
const PIXEL_CODE: u64 = START + 0x1000;
const VERTICES: u64 = START + 0x2000;
const COMMANDS: u64 = START + 0x1_0000;
const COLOR: u64 = START + 0x10_0000;
const WIDTH: u32 = 640;
const HEIGHT: u32 = 480;

/// Reads a position and a colour of a vertex through the V# in s[0:3].
const VERTEX: &str = "
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    s_waitcnt vmcnt(0)
    exp pos0 v4, v5, v6, v7 done
    exp param0 v8, v9, v10, v11
    s_endpgm
";

/// Interpolates the colour.
const PIXEL: &str = "
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

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "embedder.png".into());
    let frames: u32 = std::env::args().nth(2).map_or(Ok(1), |frames| frames.parse())?;

    // A renderer on a thread of its own, and the graphics processor at the other end of the link.
    let mut renderer = Renderer::new(Options::from_env())?;
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    let link = link.with_captures(renderer.capture_requests());
    let rendering = std::thread::spawn(move || in_process::serve(&mut receiver, &mut renderer));
    let mut gpu = Gpu::new(Memory { bytes: vec![0; 16 << 20], writes: 0 }, Box::new(link), "embedder");

    // What the program does: code, vertices, commands.
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|word| word.to_le_bytes()).collect() };
    gpu.memory.write(VERTEX_CODE, &words(&afterimage_shader_gcn::assemble(VERTEX)?))?;
    gpu.memory.write(PIXEL_CODE, &words(&afterimage_shader_gcn::assemble(PIXEL)?))?;
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

    let shown = gpu.picture(&display)?;
    let mut encoder = png::Encoder::new(std::fs::File::create(&path)?, shown.width, shown.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header()?.write_image_data(&shown.rgba)?;
    println!("written: {path}");
    drop(gpu);
    rendering.join().map_err(|_| "the render thread panicked")?;
    Ok(())
}
