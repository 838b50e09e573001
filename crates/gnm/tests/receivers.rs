//! Flips that come with the commands, and receivers that go away in the middle of it.
#![allow(missing_docs)]

use afterimage_gnm::Gpu;
use afterimage_gnm::driver::{CommandBuffer, Driver, Encoding, FlipRequest, calls, embedded};
use afterimage_gnm::machine::Stop;
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::Display;
use afterimage_gnm_types::{op, reg, value::*};
use afterimage_ipc::ArenaConfig;
use afterimage_ipc::in_process::{self, InProcessLink};
use afterimage_stream::{DeviceInfo, Link, LinkError, Reply, UploadRef};
use afterimage_vulkan::{Gpu as Device, Options, Renderer, Wishes};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

/// The device, opened once: opening takes longer than most tests.
fn device() -> &'static Arc<Device> {
    static DEVICE: OnceLock<Arc<Device>> = OnceLock::new();
    DEVICE.get_or_init(|| {
        Device::open(&options(None)).unwrap_or_else(|error| {
            panic!("{error}\n\nThese tests need a Vulkan driver and the validation layer: run `cargo xtask setup`.")
        })
    })
}

fn options(screenshots: Option<&Path>) -> Options {
    let wishes = Wishes { screenshots: screenshots.map(Path::to_owned), ..Wishes::default() };
    Options { validate: true, cache_dir: None, wishes, ..Options::from_env() }
}

/// A renderer on a thread of its own, which gives the number of the validation layer's messages at its end.
fn receiver(screenshots: Option<&Path>) -> (InProcessLink, JoinHandle<u64>) {
    let mut renderer = Renderer::on(Arc::clone(device()), options(screenshots)).expect("a renderer");
    let slots = Box::new(renderer.slot_factory());
    let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
    let thread = std::thread::spawn(move || {
        in_process::serve(&mut receiver, &mut renderer);
        renderer.validation_messages()
    });
    (link, thread)
}

/// What becomes of the receiver.
enum Fate {
    Gone,
    Replaced(Box<InProcessLink>),
}

/// A link whose receiver can go away, and another come.
struct Changing {
    link: InProcessLink,
    device: DeviceInfo,
    fate: Arc<Mutex<Option<Fate>>>,
    gone: bool,
    epoch: u32,
}

impl Changing {
    fn new(link: InProcessLink) -> (Self, Arc<Mutex<Option<Fate>>>) {
        let fate = Arc::default();
        (Self { device: *link.device(), link, fate: Arc::clone(&fate), gone: false, epoch: 1 }, fate)
    }

    fn there(&mut self) -> Result<(), LinkError> {
        match self.fate.lock().expect("no panic elsewhere").take() {
            Some(Fate::Gone) => self.gone = true,
            Some(Fate::Replaced(link)) => {
                (self.link, self.gone) = (*link, false);
                self.epoch += 1;
            }
            None => {}
        }
        if self.gone { Err(LinkError::Lost) } else { Ok(()) }
    }
}

impl Link for Changing {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        self.there()?;
        self.link.submit(batch)
    }

    fn is_idle(&self) -> bool {
        self.link.is_idle()
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
        self.there()?;
        self.link.alloc(size, align)
    }

    fn frame_bytes(&self) -> u64 {
        self.link.frame_bytes()
    }

    fn write(&mut self, range: &UploadRef, at: u32, bytes: &[u8]) {
        self.link.write(range, at, bytes);
    }

    fn read(&mut self, range: &UploadRef, at: u32, out: &mut [u8]) {
        self.link.read(range, at, out);
    }

    fn end_frame(&mut self, frame: u64) -> Result<(), LinkError> {
        self.there()?;
        self.link.end_frame(frame)
    }

    fn poll(&mut self) -> Option<Reply> {
        self.there().ok()?;
        self.link.poll()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        self.there()?;
        self.link.wait()
    }

    fn epoch(&mut self) -> u32 {
        let _gone = self.there();
        self.epoch
    }

    fn device(&self) -> &DeviceInfo {
        &self.device
    }

    fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.link.capture_frames(path, frames)
    }
}

const BASE: u64 = 0x1_0000_0000;
/// Commands, labels of the outputs, code, words that shaders store, and the display's two buffers.
const COMMANDS: u64 = BASE;
const LABELS: u64 = BASE + 0x8000;
const COUNT_CODE: u64 = BASE + 0x9000;
const GREEN_CODE: u64 = BASE + 0x9100;
const STORED: u64 = BASE + 0xA000;
const BUFFERS: [u64; 2] = [BASE + 0x1_0000, BASE + 0x2_0000];
const OUTPUT: u32 = 5;
const SIDE: u32 = 64;

fn display(buffer: usize) -> Display {
    Display {
        address: BUFFERS[buffer],
        width: SIDE,
        height: SIDE,
        pitch: SIDE,
        format: IMG_DATA_FORMAT_8_8_8_8,
        blue_first: false,
        tile_mode: 8,
    }
}

fn memory() -> Regions {
    let mut memory = Regions::default();
    memory.map(BASE, 1 << 20).unwrap();
    memory
}

fn start(link: Box<dyn Link>, driver: &mut Driver) -> Gpu<Regions> {
    let mut gpu = Gpu::new(memory(), link, "receivers");
    driver.register_output(OUTPUT, LABELS);
    (0..2).for_each(|buffer| gpu.register_display(OUTPUT, buffer, display(buffer as usize)));
    gpu
}

/// Fills a display's buffer with a colour.
fn fill(commands: &mut CommandBuffer, buffer: usize, color: u32) {
    let address = BUFFERS[buffer];
    commands.packet(op::DMA_DATA, &[2 << 29, color, 0, address as u32, (address >> 32) as u32, SIDE * SIDE * 4]);
}

/// Submits commands that end with a flip, runs them, and gives back what is not done.
fn flip(gpu: &mut Gpu<Regions>, driver: &Driver, mut commands: CommandBuffer, buffer: u32) -> Stop {
    commands.prepare_flip();
    commands.store(&mut gpu.memory, COMMANDS).unwrap();
    let draws = [(COMMANDS, commands.bytes())];
    let request = FlipRequest { handle: OUTPUT, buffer, mode: 1, argument: 0 };
    driver.submit_and_flip_command_buffers(&mut gpu.machine, &mut gpu.memory, &draws, &[], request).unwrap();
    let stop = gpu.run();
    assert_eq!(gpu.faults(), []);
    stop
}

const fn rgba(color: u32) -> [u8; 4] {
    color.to_le_bytes()
}

#[test]
fn flips_among_the_commands_show_what_was_there_then() {
    for encoding in [Encoding::Pm4, Encoding::Private] {
        let folder = tempfile::tempdir().unwrap();
        let (link, thread) = receiver(Some(folder.path()));
        let mut driver = Driver::new(encoding);
        let mut gpu = start(Box::new(link), &mut driver);
        let colors = [0xFF00_00FF, 0xFF00_FF00, 0xFFFF_0000];
        for (frame, color) in colors.into_iter().enumerate() {
            let mut commands = CommandBuffer::new();
            driver.insert_wait_flip_done(commands.reserve(7), OUTPUT, frame as u32 % 2).unwrap();
            fill(&mut commands, frame % 2, color);
            assert_eq!(flip(&mut gpu, &driver, commands, frame as u32 % 2), Stop::Idle);
            assert_eq!(gpu.shown(), Some(display(frame % 2)));
            let label = gpu.memory.word(LABELS + 8 * (frame as u64 % 2));
            assert_eq!(label, Some(0), "the buffer was shown");
        }
        // What comes behind a flip is not in its picture.
        let mut commands = CommandBuffer::new();
        fill(&mut commands, 0, 0xFFFF_FFFF);
        commands.store(&mut gpu.memory, COMMANDS).unwrap();
        gpu.submit((COMMANDS, commands.bytes()), None).unwrap();
        assert_eq!(gpu.run(), Stop::Idle);
        assert_eq!(gpu.picture(&display(0)).unwrap().rgba[..4], [0xFF; 4]);
        drop(gpu);
        assert_eq!(thread.join().expect("the render thread"), 0, "messages of the validation layer");
        let mut files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let shown: Vec<[u8; 4]> = files.iter().map(|file| first_pixel(file)).collect();
        assert_eq!(shown, colors.map(rgba));
    }
}

/// The first pixel of a picture, all of which are the same.
fn first_pixel(path: &Path) -> [u8; 4] {
    let mut reader =
        png::Decoder::new(std::io::BufReader::new(std::fs::File::open(path).unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    let size = info.color_type.samples();
    let pixels: Vec<&[u8]> = pixels[..info.buffer_size()].chunks(size).collect();
    assert_eq!((info.width, info.height), (SIDE, SIDE));
    assert!(pixels.iter().all(|pixel| *pixel == pixels[0]), "one colour");
    let alpha = pixels[0].get(3).copied().unwrap_or(0xFF);
    [pixels[0][0], pixels[0][1], pixels[0][2], alpha]
}

/// Counts a word of the global share up, and stores what was there at s[0:3].
const COUNT: &str = "
    s_mov_b32 m0, 0x100
    v_mov_b32 v1, 0
    v_mov_b32 v2, 1
    ds_add_rtn_u32 v3, v1, v2 gds
    s_waitcnt lgkmcnt(0)
    buffer_store_dword v3, off, s[0:3], 0
    s_endpgm
";

/// Green.
const GREEN: &str = "
    v_mov_b32 v0, 0
    v_mov_b32 v1, 1.0
    exp mrt0 v0, v1, v0, v1 done vm
    s_endpgm
";

/// A dispatch that counts, and what it counted in memory.
fn count(commands: &mut CommandBuffer, driver: &Driver) {
    let regs = [(COUNT_CODE >> 8) as u32, 0, 0xC0 << 12, 16 << 1, 1, 1, 1];
    commands.call(driver, &calls::SetCsShader { regs, modifier: 0 }).unwrap();
    commands.set(reg::COMPUTE_USER_DATA_0, &[STORED as u32, (STORED >> 32) as u32, 4, 0x0002_7FAC]);
    commands.call(driver, &calls::DispatchDirect { groups: [1, 1, 1], flags: 0 }).unwrap();
    let counted = STORED + 16;
    commands.packet(op::DMA_DATA, &[1 << 29, 0, 0, counted as u32, (counted >> 32) as u32, 4]);
}

/// All that draws of rectangles need.
fn state(commands: &mut CommandBuffer, driver: &Driver) {
    commands.call(driver, &calls::DrawInitDefaultHardwareState {}).unwrap();
    use reg::CB_COLOR0_INFO as I;
    let info = I::FORMAT.bits(COLOR_8_8_8_8) | I::LINEAR_GENERAL.bits(1);
    let [pitch, slice] = [SIDE / 8 - 1, SIDE * SIDE / 64 - 1];
    commands.set(reg::CB_COLOR0_BASE, &[(BUFFERS[0] >> 8) as u32, pitch, slice, 0, info, 8]);
    commands.set(reg::CB_TARGET_MASK, &[15]);
    let half = SIDE as f32 / 2.0;
    commands.set(reg::PA_CL_VPORT_XSCALE, &[half, half, -half, half, 1.0, 0.0].map(f32::to_bits));
    let corner = SIDE << 16 | SIDE;
    commands.set(reg::PA_SC_SCREEN_SCISSOR_TL, &[0, corner]);
    commands.set(reg::PA_SC_WINDOW_SCISSOR_TL, &[1 << 31, corner]);
    commands.set(reg::PA_SC_GENERIC_SCISSOR_TL, &[1 << 31, corner]);
    commands.call(driver, &calls::SetEmbeddedVsShader { id: 0, modifier: 0 }).unwrap();
    let regs = [(GREEN_CODE >> 8) as u32, 0, 0xC0 << 12, 0, 0, 9, 2, 2, 0, 0, 0x10, 15];
    commands.call(driver, &calls::SetPsShader { regs }).unwrap();
    commands.set(reg::VGT_PRIMITIVE_TYPE, &[DI_PT_RECTLIST]);
}

fn draw(commands: &mut CommandBuffer, driver: &Driver) {
    fill(commands, 0, 0);
    commands.call(driver, &calls::DrawIndexAuto { index_count: 3, flags: 0 }).unwrap();
}

#[test]
fn a_receiver_that_comes_back_has_everything_again() {
    let (link, first) = receiver(None);
    let (link, fate) = Changing::new(link);
    let change = |what: Fate| *fate.lock().expect("no panic elsewhere") = Some(what);
    let mut driver = Driver::default();
    let mut gpu = start(Box::new(link), &mut driver);
    for (address, text) in [(COUNT_CODE, COUNT), (GREEN_CODE, GREEN)] {
        let code = afterimage_shader_gcn::assemble(text).unwrap();
        gpu.memory.write(address, bytemuck::cast_slice(&code)).unwrap();
    }
    embedded::map(&mut gpu.memory).unwrap();
    embedded::install(&mut gpu.memory).unwrap();
    let counted = |gpu: &Gpu<Regions>| [STORED, STORED + 16].map(|address| gpu.memory.word(address));
    let green = rgba(0xFF00_FF00).repeat((SIDE * SIDE) as usize);

    let mut commands = CommandBuffer::new();
    state(&mut commands, &driver);
    draw(&mut commands, &driver);
    count(&mut commands, &driver);
    assert_eq!(flip(&mut gpu, &driver, commands, 0), Stop::Idle);
    assert!(gpu.picture(&display(0)).unwrap().rgba == green);
    assert_eq!(counted(&gpu), [Some(0), Some(1)]);

    // Nobody draws, and the program goes on.
    change(Fate::Gone);
    let mut commands = CommandBuffer::new();
    draw(&mut commands, &driver);
    count(&mut commands, &driver);
    assert_eq!(flip(&mut gpu, &driver, commands, 0), Stop::Idle);
    assert!(gpu.picture(&display(0)).is_err());
    assert_eq!(counted(&gpu), [Some(0), Some(1)]);
    assert_eq!(gpu.memory.word(LABELS), Some(0), "flips are over all the same");

    // The first that the new one gets is a dispatch of a ring whose registers are its own; then a draw for which no register is set.
    let (link, second) = receiver(None);
    change(Fate::Replaced(Box::new(link)));
    let mut commands = CommandBuffer::new();
    count(&mut commands, &driver);
    let at = COMMANDS + 0x4000;
    commands.store(&mut gpu.memory, at).unwrap();
    gpu.machine.submit_compute(0, 0, (at, commands.bytes())).unwrap();
    assert_eq!(gpu.run(), Stop::Idle);
    assert_eq!(counted(&gpu), [Some(1), Some(2)]);
    let mut commands = CommandBuffer::new();
    draw(&mut commands, &driver);
    assert_eq!(flip(&mut gpu, &driver, commands, 0), Stop::Idle);
    assert!(gpu.picture(&display(0)).unwrap().rgba == green);

    // One takes the place of another, and the first that happens is that a picture is asked for: it is what memory has.
    gpu.write_back(BUFFERS[0], u64::from(SIDE * SIDE * 4));
    let (link, third) = receiver(None);
    change(Fate::Replaced(Box::new(link)));
    assert!(gpu.picture(&display(0)).unwrap().rgba == green);
    drop(gpu);
    for thread in [first, second, third] {
        assert_eq!(thread.join().expect("the render thread"), 0, "messages of the validation layer");
    }
}
