//! A console for scenes: memory, a command buffer in either encoding, and the picture that comes out.

use crate::stages::register_packet;
use afterimage_gnm::Gpu;
use afterimage_gnm::driver::{Call, calls};
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Display;
use afterimage_gnm_types::descriptors::{buffer, image, sampler};
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, SamplerDescriptor, op, reg, value::*};
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_stream::packets::CreateTexture;
use afterimage_stream::{
    Arena, DeviceFeatures, DeviceInfo, Executor, Format, FormatFeatures, Packet, Reader, Reply, StreamError,
};
use afterimage_vulkan::{Gpu as Device, Options, Renderer};
use bytemuck::Pod;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The device, opened once: opening takes longer than most tests.
fn device() -> &'static Arc<Device> {
    static DEVICE: OnceLock<Arc<Device>> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let _ = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::WARN).try_init();
        Device::open(&options()).unwrap_or_else(|error| {
            panic!("{error}\n\nThese tests need a Vulkan driver and the validation layer: run `cargo xtask setup`.")
        })
    })
}

/// Whether the device has depth bounds.
pub(crate) fn has_depth_bounds() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| replaying().device_info().features & DeviceFeatures::DEPTH_BOUNDS != 0)
}

fn options() -> Options {
    Options { validate: true, cache_dir: None, ..Options::from_env() }
}

/// Whether shaders look into tables of descriptors.
pub(crate) fn has_tables() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    let has = *HAS.get_or_init(|| replaying().device_info().features & DeviceFeatures::TABLES != 0);
    if !has {
        eprintln!("not tested: the device has no descriptor indexing");
    }
    has
}

/// Whether shaders change texels of 64 bits atomically.
pub(crate) fn has_long_texels() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    let has = || replaying().device_info().features(Format::R64_UINT) & FormatFeatures::STORAGE_ATOMIC != 0;
    *HAS.get_or_init(has)
}

/// Which words a call becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// The hardware's packets.
    Standard,
    /// Packets that carry the call's structure.
    Private,
}

/// Where memory begins: a little of it is below 4 GiB, for tables of which code knows only half of the address.
pub(crate) const MEMORY: u64 = HIGH - (64 << 10);
/// Where all else is.
const HIGH: u64 = 0x1_0000_0000;
/// How much there is.
pub(crate) const SIZE: u64 = 64 << 20;
/// Bytes that are not mapped between two things in memory, at least.
const GAP: u64 = 20;
/// Bytes of a page.
const PAGE: u64 = 4096;
/// Names the number that places of buffers go by, of which any must do. Without it they lie at multiples of 256 in the standard encoding,
/// and by number 1 in the other.
const PLACES: &str = "AFTERIMAGE_TEST_PLACES";
/// Tile mode of plain lines.
pub(crate) const LINEAR: u32 = 8;

/// A colour buffer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    pub(crate) address: u64,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) tile_mode: u32,
}

impl Target {
    /// It as a texture.
    pub(crate) fn texture(&self) -> ImageDescriptor {
        texture(self.address, [self.width, self.height], IMG_DATA_FORMAT_8_8_8_8, IMG_NUM_FORMAT_UNORM)
            .with(image::TILING_INDEX, self.tile_mode)
    }

    pub(crate) fn display(&self) -> Display {
        let Self { address, width, height, tile_mode } = *self;
        Display { address, width, height, pitch: width, format: IMG_DATA_FORMAT_8_8_8_8, blue_first: false, tile_mode }
    }
}

/// A plain two-dimensional texture of one level, whose lines have no gaps.
pub(crate) fn texture(address: u64, [width, height]: [u32; 2], data: u32, num: u32) -> ImageDescriptor {
    ImageDescriptor::default()
        .at(address)
        .with(image::DATA_FORMAT, data)
        .with(image::NUM_FORMAT, num)
        .with(image::WIDTH, width - 1)
        .with(image::HEIGHT, height - 1)
        .with(image::PITCH, width - 1)
        .with(image::DST_SEL_X, SQ_SEL_X)
        .with(image::DST_SEL_Y, SQ_SEL_Y)
        .with(image::DST_SEL_Z, SQ_SEL_Z)
        .with(image::DST_SEL_W, SQ_SEL_W)
        .with(image::TILING_INDEX, LINEAR)
        .with(image::TYPE, SQ_RSRC_IMG_2D)
}

/// A sampler that filters and repeats.
pub(crate) fn linear_sampler() -> SamplerDescriptor {
    SamplerDescriptor::default()
        .with(sampler::XY_MAG_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
        .with(sampler::XY_MIN_FILTER, SQ_TEX_XY_FILTER_BILINEAR)
        .with(sampler::MAX_LOD, 0xFFF)
}

/// A buffer of records of floats.
pub(crate) fn records(address: u64, stride: u32, count: u32, data: u32) -> BufferDescriptor {
    BufferDescriptor::default()
        .at(address)
        .with(buffer::STRIDE, stride)
        .with(buffer::NUM_RECORDS, count)
        .with(buffer::DST_SEL_X, SQ_SEL_X)
        .with(buffer::DST_SEL_Y, SQ_SEL_Y)
        .with(buffer::DST_SEL_Z, SQ_SEL_Z)
        .with(buffer::DST_SEL_W, SQ_SEL_W)
        .with(buffer::NUM_FORMAT, BUF_NUM_FORMAT_FLOAT)
        .with(buffer::DATA_FORMAT, data)
}

/// A pixel shader's registers beside its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pixel {
    /// `SPI_SHADER_COL_FORMAT`.
    pub(crate) exports: u32,
    /// Inputs that it interpolates.
    pub(crate) inputs: u32,
    /// `SPI_PS_INPUT_ENA` and `ADDR`.
    pub(crate) values: u32,
}

impl Pixel {
    /// One target of 32-bit floats, perspective barycentrics of the centre.
    pub(crate) fn new(inputs: u32) -> Self {
        Self { exports: 9, inputs, values: 2 }
    }
}

/// A renderer of which nothing may be asked that the device cannot do with formats.
struct Lacking {
    renderer: Renderer,
    device: DeviceInfo,
}

impl Executor for Lacking {
    fn execute(
        &mut self,
        batch: &[u64],
        arena: &dyn Arena,
        replies: &mut dyn FnMut(Reply),
    ) -> Result<(), Box<StreamError>> {
        for packet in Reader::new(batch).filter_map(Result::ok).map(|located| located.packet) {
            let Packet::CreateTexture(CreateTexture { format, usage, .. }) = packet else { continue };
            let format = Format::from_bits(*format).filter(|format| !format.is_depth());
            let can = format.map_or(u32::MAX, |format| self.device.features(format));
            use FormatFeatures as F;
            let shown = if usage & CreateTexture::TARGET != 0 { F::TARGET } else { F::SAMPLED };
            let stored = if usage & CreateTexture::STORAGE != 0 { F::STORAGE } else { 0 };
            let needed = shown | stored;
            assert!(can & needed == needed, "{format:?}, usage {usage}: the device has {can:#x} of {needed:#x}");
        }
        self.renderer.execute(batch, arena, replies)
    }

    fn poll(&mut self, replies: &mut dyn FnMut(Reply)) {
        self.renderer.poll(replies);
    }

    fn wait(&mut self, timeout: Duration) -> bool {
        self.renderer.wait(timeout)
    }
}

/// A scene: its memory, and the commands so far.
pub(crate) struct Scene {
    pub(crate) memory: Regions,
    /// Where memory is free.
    pub(crate) next: u64,
    /// Where it is below 4 GiB.
    low: u64,
    pub(crate) commands: Vec<u32>,
    pub(crate) encoding: Encoding,
    /// What the device cannot do with formats: [`FormatFeatures`] bits.
    pub(crate) lacks: Vec<(Format, u32)>,
    places: Places,
}

/// Numbers that places go by.
struct Places(Option<u64>);

impl Places {
    /// Other ones for each encoding.
    fn new(encoding: Encoding) -> Self {
        let asked = std::env::var(PLACES).ok().and_then(|text| text.parse::<u32>().ok());
        let asked = asked.or((encoding == Encoding::Private).then_some(1));
        let seed = |asked: u32| (2 * u64::from(asked) + encoding as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        Self(asked.map(|asked| 0x9E37_79B9_7F4A_7C15 ^ seed(asked)))
    }

    /// None where things lie at multiples of 256.
    fn next(&mut self) -> Option<u64> {
        let mut state = self.0?;
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        self.0 = Some(state);
        Some(state >> 16)
    }
}

impl Scene {
    /// Memory of zeros, and the state that the library begins with.
    pub(crate) fn new(encoding: Encoding) -> Self {
        let memory = Regions::default();
        let (commands, lacks, places) = (Vec::new(), Vec::new(), Places::new(encoding));
        let mut scene = Self { memory, next: HIGH, low: MEMORY, commands, encoding, lacks, places };
        scene.call(&calls::DrawInitDefaultHardwareState {});
        scene
    }

    /// Memory for so many bytes: just those are mapped, and around them nothing is.
    pub(crate) fn alloc(&mut self, bytes: u64, align: u64) -> u64 {
        self.map(self.next.next_multiple_of(align), bytes)
    }

    fn map(&mut self, at: u64, bytes: u64) -> u64 {
        self.next = at + bytes + GAP;
        assert!(self.next <= MEMORY + SIZE);
        self.memory.map(at, bytes).unwrap();
        at
    }

    /// The same where only words have to be whole, as in buffers and in tables: anywhere in a page, to the end of one, across two.
    pub(crate) fn room(&mut self, bytes: u64) -> u64 {
        let page = self.next.next_multiple_of(PAGE);
        let at = match self.places.next().map(|number| (number % 5, number / 5)) {
            Some((0, word)) => page + 4 * (word % (PAGE / 4)),
            Some((1, _)) => (page + bytes).next_multiple_of(PAGE) - bytes.next_multiple_of(4),
            Some((2, _)) => page + PAGE - 4,
            Some((3, _)) => self.next.next_multiple_of(4),
            _ => self.next.next_multiple_of(256),
        };
        self.map(at, bytes)
    }

    /// Memory with something in it that may lie [anywhere](Self::room).
    pub(crate) fn put<T: Pod>(&mut self, data: &[T]) -> u64 {
        let at = self.room(size_of_val(data) as u64);
        self.memory_at(at, data);
        at
    }

    /// The same for texels, and for all else of which addresses are multiples of 256.
    pub(crate) fn texels<T: Pod>(&mut self, data: &[T]) -> u64 {
        let at = self.alloc(size_of_val(data) as u64, 256);
        self.memory_at(at, data);
        at
    }

    /// Something at an address.
    pub(crate) fn memory_at<T: Pod>(&mut self, address: u64, data: &[T]) {
        self.memory.write(address, bytemuck::cast_slice(data)).unwrap();
    }

    /// A table below 4 GiB.
    pub(crate) fn put_low(&mut self, words: &[u32]) -> u32 {
        let at = self.low;
        self.memory.map(at, 4 * words.len() as u64).unwrap();
        self.memory.write(at, bytemuck::cast_slice(words)).unwrap();
        self.low = (at + 4 * words.len() as u64 + GAP).next_multiple_of(4);
        assert!(self.low <= HIGH);
        at as u32
    }

    /// A program.
    pub(crate) fn program(&mut self, text: &str) -> u64 {
        let words = afterimage_shader_gcn::assemble(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        self.texels(&words)
    }

    /// A colour buffer of four bytes a pixel.
    pub(crate) fn target(&mut self, width: u32, height: u32) -> Target {
        let address = self.alloc(u64::from(width * height * 4), 64 << 10);
        Target { address, width, height, tile_mode: LINEAR }
    }

    /// A call of the library.
    pub(crate) fn call<C: Call>(&mut self, call: &C) {
        let start = self.commands.len();
        self.commands.resize(start + C::WORDS, 0);
        let out = &mut self.commands[start..];
        let done = match self.encoding {
            Encoding::Standard => call.write(out),
            Encoding::Private => call.write_private(out),
        };
        done.unwrap_or_else(|error| panic!("{}: {error}", C::NAME));
    }

    /// A packet that no call writes.
    pub(crate) fn packet(&mut self, opcode: afterimage_gnm_types::Opcode, body: &[u32]) {
        self.commands.push(Header::packet(opcode, body.len() as u32));
        self.commands.extend(body);
    }

    /// Registers from one on.
    pub(crate) fn set(&mut self, register: u32, values: &[u32]) {
        let (opcode, first) = register_packet(register).unwrap();
        let mut body = vec![first];
        body.extend(values);
        self.packet(opcode, &body);
    }

    /// Floats in registers from one on.
    pub(crate) fn set_floats(&mut self, register: u32, values: &[f32]) {
        let bits: Vec<u32> = values.iter().map(|value| value.to_bits()).collect();
        self.set(register, &bits);
    }

    /// Draws go to colour target `n`, of which `mask` is written.
    pub(crate) fn color(&mut self, n: u32, target: &Target) {
        use reg::CB_COLOR0_INFO as I;
        let pitch = target.width / 8 - 1;
        let slice = target.width * target.height / 64 - 1;
        let info = I::FORMAT.bits(COLOR_8_8_8_8) | I::NUMBER_TYPE.bits(NUMBER_UNORM);
        let base = (target.address >> 8) as u32;
        self.set(reg::CB_COLOR0_BASE + 0x3C * n, &[base, pitch, slice, 0, info, target.tile_mode]);
    }

    /// Viewport and scissors of a size, the targets that are written, and clip space from 0 to w with y up.
    pub(crate) fn screen(&mut self, width: u32, height: u32, mask: u32) {
        let (x, y) = (width as f32 / 2.0, height as f32 / 2.0);
        self.set_floats(reg::PA_CL_VPORT_XSCALE, &[x, x, -y, y, 1.0, 0.0]);
        let corner = height << 16 | width;
        self.set(reg::PA_SC_SCREEN_SCISSOR_TL, &[0, corner]);
        self.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31, corner]);
        self.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31, corner]);
        self.set(reg::PA_CL_CLIP_CNTL, &[reg::PA_CL_CLIP_CNTL::DX_CLIP_SPACE_DEF.bits(1)]);
        self.set(reg::CB_TARGET_MASK, &[mask]);
    }

    /// The vertex shader, with so many parameters, and its user data.
    pub(crate) fn vertex(&mut self, program: u64, parameters: u32, user: &[u32]) {
        // Floats are rounded to the nearest; v0 to v3 are there; 16 user SGPRs.
        let regs = [(program >> 8) as u32, 0, 3 << 24 | 0xC0 << 12, 16 << 1, (parameters.max(1) - 1) << 1, 4, 0];
        self.call(&calls::SetVsShader { regs, modifier: 0 });
        self.set(reg::SPI_SHADER_USER_DATA_VS_0, user);
    }

    /// The pixel shader, and its user data.
    pub(crate) fn pixel(&mut self, program: u64, pixel: Pixel, user: &[u32]) {
        let Pixel { exports, inputs, values } = pixel;
        let lo = (program >> 8) as u32;
        let mask = (0..8).filter(|n| exports >> (4 * n) & 15 != 0).fold(0, |mask, n| mask | 15 << (4 * n));
        let regs = [lo, 0, 0xC0 << 12, 16 << 1, 0, exports, values, values, inputs, 0, 0x10, mask];
        self.call(&calls::SetPsShader { regs });
        for n in 0..inputs {
            self.set(reg::SPI_PS_INPUT_CNTL_0 + 4 * n, &[n]);
        }
        if !user.is_empty() {
            self.set(reg::SPI_SHADER_USER_DATA_PS_0, user);
        }
    }

    /// A draw of `count` vertices without indices.
    pub(crate) fn draw(&mut self, kind: u32, count: u32) {
        self.set(reg::VGT_PRIMITIVE_TYPE, &[kind]);
        self.call(&calls::DrawIndexAuto { index_count: count, flags: 0 });
    }

    /// A draw of indices of 16 bits.
    pub(crate) fn draw_indexed(&mut self, kind: u32, indices: &[u16]) {
        let at = self.put(indices);
        self.set(reg::VGT_PRIMITIVE_TYPE, &[kind]);
        self.packet(op::INDEX_TYPE, &[0]);
        let index_address = [at as u32, (at >> 32) as u32];
        self.call(&calls::DrawIndex { index_count: indices.len() as u32, index_address, flags: 0, kind: 0 });
    }

    /// A compute shader of groups of a size.
    pub(crate) fn dispatch(&mut self, program: u64, threads: [u32; 3], user: &[u32], groups: [u32; 3]) {
        // 16 user SGPRs, then the group's number in x, y and z; the lane's in as many.
        let rsrc2 = 16 << 1 | 7 << 7 | 2 << 11;
        let [x, y, z] = threads;
        let regs = [(program >> 8) as u32, 0, 0xC0 << 12, rsrc2, x, y, z];
        self.call(&calls::SetCsShader { regs, modifier: 0 });
        self.set(reg::COMPUTE_USER_DATA_0, user);
        self.call(&calls::DispatchDirect { groups, flags: 0 });
    }

    /// Runs the commands. What comes out can be looked at.
    pub(crate) fn run(mut self) -> Ran {
        let commands = std::mem::take(&mut self.commands);
        let at = self.put(&commands);
        let (link, thread) = receiver(&self.lacks);
        let gpu = Gpu::new(self.memory, Box::new(link), "scene");
        let mut ran = Ran { gpu, thread, commands: (at, 4 * commands.len() as u64) };
        ran.again();
        ran
    }
}

/// The guest's end of a link, and the thread that draws at the other: it gives the messages of the validation layer. `lacks`: what
/// the device cannot do with formats.
pub(crate) fn receiver(lacks: &[(Format, u32)]) -> (in_process::InProcessLink, std::thread::JoinHandle<u64>) {
    let renderer = Renderer::on(Arc::clone(device()), options()).expect("a renderer");
    let slots = Box::new(renderer.slot_factory());
    let mut device = renderer.device_info();
    lacks.iter().for_each(|(format, features)| device.formats[*format as usize] &= !features);
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), device, slots);
    let link = link.with_captures(renderer.capture_requests());
    let thread = std::thread::spawn(move || {
        let mut lacking = Lacking { renderer, device };
        in_process::serve(&mut receiver, &mut lacking);
        lacking.renderer.validation_messages()
    });
    (link, thread)
}

/// A renderer for what was captured.
pub(crate) fn replaying() -> Renderer {
    Renderer::on(Arc::clone(device()), options()).expect("a renderer")
}

/// A scene that ran.
pub(crate) struct Ran {
    pub(crate) gpu: Gpu<Regions>,
    thread: std::thread::JoinHandle<u64>,
    commands: (u64, u64),
}

impl Ran {
    /// Runs the same commands.
    pub(crate) fn again(&mut self) {
        self.gpu.submit(self.commands, None).unwrap();
        assert_eq!(self.gpu.run(), Stop::Idle);
        assert_eq!(self.gpu.faults(), []);
    }

    /// What a target shows.
    pub(crate) fn picture(&mut self, target: &Target) -> Vec<u8> {
        self.gpu.picture(&target.display()).unwrap().rgba
    }

    /// Memory, as the GPU left it.
    pub(crate) fn read(&mut self, address: u64, size: usize) -> Vec<u8> {
        self.gpu.write_back(address, size as u64);
        let mut bytes = vec![0; size];
        self.gpu.memory.read(address, &mut bytes).unwrap();
        bytes
    }

    /// Ends the stream; the validation layer must have had nothing to say.
    pub(crate) fn finish(self) {
        let Self { gpu, thread, .. } = self;
        drop(gpu);
        assert_eq!(thread.join().expect("the render thread"), 0, "messages of the validation layer");
    }
}
