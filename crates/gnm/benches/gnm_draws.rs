//! What draws cost from the words of a command buffer to packets of the stream, with a receiver that takes batches and does
//! nothing. The baseline is the same command buffer without anybody who draws. Then what they cost complete, with a renderer on a thread
//! of its own, until the device has drawn them and the picture is in memory.
//!
//! Draws with tables each choose one texture out of so many by a number that only the shader knows, with new constants each; nothing of
//! the table changes. Draws of memory that changes have a page of constants each, of which the processor writes a word before each run; or
//! a texture in tiles of 4 MiB, beside a copy of as many bytes.

use afterimage_bench::Bench;
use afterimage_gnm::driver::{CommandBuffer, Driver, Encoding, calls};
use afterimage_gnm::machine::{Graphics, Machine, NoGraphics, Stop};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Translator;
use afterimage_gnm_types::{reg, value::*};
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_stream::{DeviceFeatures, DeviceInfo, NullLink};
use afterimage_vulkan::{Options, Renderer};

/// Where things are in memory.
const START: u64 = 0x10_0000_0000;
const VERTEX_CODE: u64 = START;
const PIXEL_CODE: u64 = START + 0x1000;
const VERTICES: u64 = START + 0x2000;
const MATRICES: u64 = START + 0x1_0000;
const COLOR: u64 = START + 0x10_0000;
const TABLE: u64 = START + 0x30_0000;
const SAMPLER: u64 = START + 0x40_0000;
const PAGES: u64 = START + 0x50_0000;
const COMMANDS: u64 = START + 0x100_0000;
const TEXELS: u64 = START + 0x200_0000;
const SIZE: u64 = 48 << 20;
const WIDTH: u32 = 640;
const HEIGHT: u32 = 480;
/// Draws of one sample.
const DRAWS: usize = 1000;

/// Reads a position and a colour of a vertex through the V# in s[0:3], and moves it by the first row of a constant buffer in
/// s[4:7].
const VERTEX: &str = "
    s_buffer_load_dwordx4 s[16:19], s[4:7], 0x0
    buffer_load_format_xyzw v[4:7], v0, s[0:3], 0 idxen
    buffer_load_format_xyzw v[8:11], v0, s[0:3], 0 idxen offset:16
    s_waitcnt 0x0
    v_add_f32 v4, s16, v4
    v_add_f32 v5, s17, v5
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

/// Interpolates a number, and samples the image of that number at s[0:1].
const CHOOSE: &str = "
    s_mov_b32 m0, s16
    v_interp_p1_f32 v2, v0, attr0.x
    v_interp_p2_f32 v2, v1, attr0.x
    v_cvt_u32_f32 v3, v2
    v_readfirstlane_b32 s20, v3
    s_lshl_b32 s20, s20, 5
    s_load_dwordx8 s[24:31], s[0:1], s20
    s_load_dwordx4 s[32:35], s[2:3], 0x0
    s_waitcnt lgkmcnt(0)
    image_sample v[4:7], v[0:1], s[24:31], s[32:35] dmask:0xf
    s_waitcnt vmcnt(0)
    exp mrt0 v4, v5, v6, v7 done vm
    s_endpgm
";

/// A V# of records of four floats.
fn records(address: u64, stride: u32, count: u32) -> [u32; 4] {
    [address as u32, (address >> 32) as u32 | stride << 16, count, 0x0007_7FAC]
}

/// A target, shaders, vertices: what stays for all draws.
fn state(buffer: &mut CommandBuffer, driver: &Driver) {
    buffer.call(driver, &calls::DrawInitDefaultHardwareState {}).expect("a call without errors");
    use reg::CB_COLOR0_INFO as I;
    let info = I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1);
    let [pitch, slice] = [WIDTH / 8 - 1, WIDTH * HEIGHT / 64 - 1];
    buffer.set(reg::CB_COLOR0_BASE, &[(COLOR >> 8) as u32, pitch, slice, 0, info]);
    buffer.set(reg::CB_TARGET_MASK, &[15]);
    let (x, y) = (WIDTH as f32 / 2.0, HEIGHT as f32 / 2.0);
    buffer.set(reg::PA_CL_VPORT_XSCALE, &[x, x, -y, y, 1.0, 0.0].map(f32::to_bits));
    let corner = HEIGHT << 16 | WIDTH;
    buffer.set(reg::PA_SC_SCREEN_SCISSOR_TL, &[0, corner]);
    buffer.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31, corner]);
    buffer.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31, corner]);
    let regs = [(VERTEX_CODE >> 8) as u32, 0, 3 << 24 | 0xC0 << 12, 16 << 1, 0, 4, 0];
    buffer.call(driver, &calls::SetVsShader { regs, modifier: 0 }).expect("a call without errors");
    buffer.set(reg::SPI_SHADER_USER_DATA_VS_0, &records(VERTICES, 32, 3));
    buffer.set(reg::SPI_SHADER_USER_DATA_VS_0 + 16, &records(MATRICES, 0, 64));
    let regs = [(PIXEL_CODE >> 8) as u32, 0, 0xC0 << 12, 16 << 1, 0, 9, 2, 2, 1, 0, 0x10, 15];
    buffer.call(driver, &calls::SetPsShader { regs }).expect("a call without errors");
    buffer.set(reg::SPI_PS_INPUT_CNTL_0, &[0]);
    buffer.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_TRILIST]);
}

/// What a draw of number `n` sets before it.
type Changes = fn(&mut CommandBuffer, u32);

fn same(_: &mut CommandBuffer, _: u32) {}

/// Another constant buffer.
fn constants(buffer: &mut CommandBuffer, n: u32) {
    buffer.set(reg::SPI_SHADER_USER_DATA_VS_0 + 16, &records(MATRICES + 256 * u64::from(n), 0, 64));
}

/// Another constant buffer, a state of blending and one of depth.
fn states(buffer: &mut CommandBuffer, n: u32) {
    constants(buffer, n);
    use reg::CB_BLEND0_CONTROL as B;
    let blend = B::ENABLE.bits(n & 1) | B::COLOR_SRCBLEND.bits(BLEND_SRC_ALPHA) | B::COLOR_DESTBLEND.bits(BLEND_ONE);
    buffer.set(reg::CB_BLEND0_CONTROL, &[blend]);
    buffer.set(reg::PA_SU_SC_MODE_CNTL, &[reg::PA_SU_SC_MODE_CNTL::CULL_BACK.bits(n >> 1 & 1)]);
}

/// Another page of constants.
fn pages(buffer: &mut CommandBuffer, n: u32) {
    buffer.set(reg::SPI_SHADER_USER_DATA_VS_0 + 16, &records(PAGES + 4096 * u64::from(n), 0, 64));
}

/// Where a table and a sampler are.
fn table(buffer: &mut CommandBuffer) {
    let halves = |at: u64| [at as u32, (at >> 32) as u32];
    buffer.set(reg::SPI_SHADER_USER_DATA_PS_0, &[halves(TABLE), halves(SAMPLER)].concat());
}

/// Commands that draw, in memory with all that they name.
struct Scene {
    buffer: CommandBuffer,
    memory: Regions,
    machine: Machine,
}

impl Scene {
    fn new(encoding: Encoding, changes: Changes, vertices: &[f32; 24]) -> std::io::Result<Self> {
        Self::with(encoding, changes, vertices, 0)
    }

    /// With a table of so many images of 8 x 8 texels each, out of which pixels choose.
    fn with(encoding: Encoding, changes: Changes, vertices: &[f32; 24], images: u32) -> std::io::Result<Self> {
        Self::of_images(encoding, changes, vertices, (images, 8, LINEAR_ALIGNED))
    }

    /// The same with images of another edge, and of another tile mode.
    fn of_images(
        encoding: Encoding,
        changes: Changes,
        vertices: &[f32; 24],
        (images, edge, tile_mode): (u32, u32, u32),
    ) -> std::io::Result<Self> {
        let driver = Driver::new(encoding);
        let mut buffer = CommandBuffer::new();
        state(&mut buffer, &driver);
        table(&mut buffer);
        for n in 0..DRAWS as u32 {
            changes(&mut buffer, n);
            let draw = calls::DrawIndexAuto { index_count: 3, flags: 0 };
            buffer.call(&driver, &draw).expect("a call without errors");
        }
        let mut memory = Regions::default();
        memory.map(START, SIZE).expect("a range of 48 bits");
        let pixel = if images > 0 { CHOOSE } else { PIXEL };
        for (at, text) in [(VERTEX_CODE, VERTEX), (PIXEL_CODE, pixel)] {
            let words = afterimage_shader_gcn::assemble(text).map_err(std::io::Error::other)?;
            memory.write(at, bytemuck::cast_slice(&words)).expect("mapped memory");
        }
        memory.write(VERTICES, bytemuck::cast_slice(vertices)).expect("mapped memory");
        for n in 0..images {
            let at = TEXELS + 256 * u64::from(n);
            let last = edge - 1;
            let layout = 9 << 28 | tile_mode << 20 | 0xFAC;
            let words =
                [(at >> 8) as u32, (at >> 40) as u32 | 10 << 20, last | last << 14, layout, last << 13, 0, 0, 0];
            memory.write(TABLE + 32 * u64::from(n), bytemuck::cast_slice(&words)).expect("mapped memory");
            memory.write(at, &[n as u8; 256]).expect("mapped memory");
        }
        memory.write(SAMPLER, bytemuck::cast_slice(&[0u32, 0xFFF << 12, 0, 0])).expect("mapped memory");
        buffer.store(&mut memory, COMMANDS).expect("mapped memory");
        Ok(Self { buffer, memory, machine: Machine::new() })
    }

    fn run(&mut self, graphics: &mut dyn Graphics) {
        self.machine.submit((COMMANDS, self.buffer.bytes()), None).expect("there is room");
        assert_eq!(self.machine.run(&mut self.memory, graphics), Stop::Idle);
        assert_eq!(self.machine.take_faults(), []);
    }
}

/// Tile modes of the table of the console's.
const LINEAR_ALIGNED: u32 = 8;
const THIN_2D: u32 = 14;
/// Texels along the edge of the texture that changes, and its MiB.
const EDGE: u32 = 1024;
const MEBIBYTES: usize = 4;
/// Sizes of tables.
const TABLES: [u32; 3] = [16, 256, 4096];

const CASES: [(&str, Changes); 3] =
    [("the same state", same), ("new constants", constants), ("new constants and states", states)];

/// A texture in tiles, of which the processor writes a word before each run.
fn textures(bench: &mut Bench, device: DeviceInfo) -> std::io::Result<()> {
    let vertices = std::array::from_fn(|n| n as f32 / 24.0);
    let mut scene = Scene::of_images(Encoding::Pm4, same, &vertices, (1, EDGE, THIN_2D))?;
    let mut translator = Translator::new(Box::new(NullLink::new(device)), "bench");
    let mut bytes = vec![0u8; MEBIBYTES << 20];
    bench.new_baseline();
    bench.case("baseline: a MiB is copied", MEBIBYTES, || {
        scene.memory.read(TEXELS, &mut bytes).expect("mapped memory");
    });
    let mut value = 0u32;
    bench.case("a MiB of a texture in 2D tiles that has changed, and its share of 1000 draws", MEBIBYTES, || {
        value += 1;
        scene.memory.write(TEXELS, &value.to_le_bytes()).expect("mapped memory");
        translator.begin();
        scene.run(&mut translator);
    });
    Ok(())
}

/// Draws until the picture is in memory.
fn complete(bench: &mut Bench) -> std::io::Result<()> {
    let mut renderer = match Renderer::new(Options { remember: false, ..Options::from_env() }) {
        Ok(renderer) => renderer,
        Err(error) => {
            println!("skipped: complete draws: {error}");
            return Ok(());
        }
    };
    println!("complete draws: {}", renderer.device_info().name());
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    let rendering = std::thread::spawn(move || in_process::serve(&mut receiver, &mut renderer));
    let mut translator = Translator::new(Box::new(link), "bench");
    bench.new_baseline();
    for (what, changes) in CASES {
        // Triangles without an area.
        let mut scene = Scene::new(Encoding::Pm4, changes, &[0.0; 24])?;
        bench.case(&format!("draws, complete, {what}"), DRAWS, || {
            scene.run(&mut translator);
            translator.before_cpu_reads(&mut scene.memory, COLOR, 4);
        });
    }
    bench.new_baseline();
    for images in TABLES {
        let mut scene = Scene::with(Encoding::Pm4, constants, &[0.0; 24], images)?;
        bench.case(&format!("draws, complete, new constants and a table of {images}"), DRAWS, || {
            scene.run(&mut translator);
            translator.before_cpu_reads(&mut scene.memory, COLOR, 4);
        });
    }
    drop(translator);
    rendering.join().expect("the render thread ends well");
    Ok(())
}

fn main() -> std::io::Result<()> {
    let mut bench = Bench::new("gnm_draws");
    for (encoding, packets) in [(Encoding::Pm4, "standard packets"), (Encoding::Private, "private packets")] {
        for (what, changes) in CASES {
            let mut scene = Scene::new(encoding, changes, &std::array::from_fn(|n| n as f32 / 24.0))?;
            bench.new_baseline();
            bench.case(&format!("baseline: {packets}, {what}, nobody draws"), DRAWS, || scene.run(&mut NoGraphics));
            let link = NullLink::new(DeviceInfo { max_texture_2d: 16384, ..DeviceInfo::default() });
            let mut translator = Translator::new(Box::new(link), "bench");
            bench.case(&format!("draws, {packets}, {what}"), DRAWS, || scene.run(&mut translator));
        }
    }
    let device = DeviceInfo { max_texture_2d: 16384, features: DeviceFeatures::TABLES, ..DeviceInfo::default() };
    let device = DeviceInfo { formats: [u32::MAX; 96], ..device };
    for images in TABLES {
        let mut scene = Scene::with(Encoding::Pm4, constants, &std::array::from_fn(|n| n as f32 / 24.0), images)?;
        bench.new_baseline();
        let name = format!("new constants and a table of {images}");
        bench.case(&format!("baseline: {name}, nobody draws"), DRAWS, || scene.run(&mut NoGraphics));
        let mut translator = Translator::new(Box::new(NullLink::new(device)), "bench");
        bench.case(&format!("draws, {name}"), DRAWS, || scene.run(&mut translator));
    }
    let mut scene = Scene::new(Encoding::Pm4, pages, &std::array::from_fn(|n| n as f32 / 24.0))?;
    let mut translator = Translator::new(Box::new(NullLink::new(device)), "bench");
    let mut value = 0u32;
    bench.new_baseline();
    bench.case("baseline: draws with a page of constants each", DRAWS, || {
        translator.begin();
        scene.run(&mut translator);
    });
    bench.case("draws with a page of constants each, all of which change", DRAWS, || {
        value += 1;
        for n in 0..DRAWS as u64 {
            scene.memory.write(PAGES + 4096 * n, &value.to_le_bytes()).expect("mapped memory");
        }
        translator.begin();
        scene.run(&mut translator);
    });
    textures(&mut bench, device)?;
    complete(&mut bench)?;
    bench.finish()
}
