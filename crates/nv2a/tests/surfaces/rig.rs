//! A Kelvin object, memory and a translator whose packets a renderer executes.

use afterimage_ipc::ArenaConfig;
use afterimage_ipc::in_process::{self, InProcessLink};
use afterimage_nv2a::machine::{Graphics, Kelvin};
use afterimage_nv2a::memory::{DmaClass, DmaObject, DmaTarget, GuestMemory, Ram};
use afterimage_nv2a::translate::Translator;
use afterimage_nv2a_types::method;
use afterimage_shader_nv2a::Program;
use afterimage_stream::{DeviceInfo, Kind, Link, LinkError, Reader, Reply, UploadRef};
use afterimage_vulkan::{Gpu, Options, Renderer};
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;

/// The device, opened once: opening takes longer than most tests.
fn gpu() -> &'static Arc<Gpu> {
    static GPU: OnceLock<Arc<Gpu>> = OnceLock::new();
    GPU.get_or_init(|| {
        Gpu::open(&options()).unwrap_or_else(|error| {
            panic!("{error}\n\nThese tests need a Vulkan driver and the validation layer: run `cargo xtask setup`.")
        })
    })
}

fn options() -> Options {
    Options { validate: true, cache_dir: None, ..Options::from_env() }
}

/// A link that notes which packets pass.
struct Noting {
    link: InProcessLink,
    kinds: Arc<Mutex<Vec<Kind>>>,
}

impl Link for Noting {
    fn submit(&mut self, batch: &mut Vec<u64>) -> Result<(), LinkError> {
        let kinds = Reader::new(batch).map(|located| located.expect("a packet").packet.kind());
        self.kinds.lock().expect("no panic elsewhere").extend(kinds);
        self.link.submit(batch)
    }

    fn is_idle(&self) -> bool {
        self.link.is_idle()
    }

    fn alloc(&mut self, size: u32, align: u32) -> Result<UploadRef, LinkError> {
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
        self.link.end_frame(frame)
    }

    fn poll(&mut self) -> Option<Reply> {
        self.link.poll()
    }

    fn wait(&mut self) -> Result<Reply, LinkError> {
        self.link.wait()
    }

    fn epoch(&mut self) -> u32 {
        self.link.epoch()
    }

    fn device(&self) -> &DeviceInfo {
        self.link.device()
    }

    fn capture_frames(&mut self, path: &Path, frames: u64) -> bool {
        self.link.capture_frames(path, frames)
    }
}

pub(crate) struct Rig {
    pub(crate) kelvin: Kelvin,
    pub(crate) memory: Ram,
    pub(crate) graphics: Box<dyn Graphics>,
    kinds: Arc<Mutex<Vec<Kind>>>,
    thread: JoinHandle<()>,
}

impl Rig {
    /// Four MiB of zeros, which all DMA objects show.
    pub(crate) fn new() -> Self {
        let mut renderer = Renderer::on(Arc::clone(gpu()), options()).expect("a renderer");
        let slots = Box::new(renderer.slot_factory());
        let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
        let thread = std::thread::spawn(move || in_process::serve(&mut receiver, &mut renderer));
        let memory = Ram::new(4 << 20);
        let all =
            DmaObject { class: DmaClass::ReadWrite, target: DmaTarget::Nvm, address: 0, limit: memory.size() - 1 };
        let mut kelvin = Kelvin::default();
        (kelvin.dma.color, kelvin.dma.zeta) = (Some(all), Some(all));
        (kelvin.dma.a, kelvin.dma.b) = (Some(all), Some(all));
        let kinds = Arc::default();
        let link = Noting { link, kinds: Arc::clone(&kinds) };
        Self { kelvin, memory, graphics: Box::new(Translator::new(Box::new(link), "surfaces")), kinds, thread }
    }

    /// A scene of `size` by `size` pixels of A8R8G8B8, whose vertices are on the screen where their positions say. The final
    /// combiner puts out `source` (a combiner's source) with its alpha.
    pub(crate) fn on_screen(size: u32, source: u32) -> Self {
        let mut rig = Self::new();
        rig.surface(0x128, [size, size], [size * 4, size * 4]);
        for (slot, words) in Program::pass_through().words().enumerate() {
            (0..4).for_each(|word| rig.kelvin.registers.set_program(slot, word, words[word]));
        }
        for (at, value) in [
            (method::SET_TRANSFORM_EXECUTION_MODE, 6),
            (method::SET_COLOR_MASK, 0x0101_0101),
            // D is the source, G its alpha.
            (method::SET_COMBINER_SPECULAR_FOG_CW0, source),
            (method::SET_COMBINER_SPECULAR_FOG_CW1, (source | 0x10) << 8),
            (method::SET_COMBINER_CONTROL, 1),
            (method::SET_SHADE_MODEL, 0x1D01),
            (method::SET_FRONT_POLYGON_MODE, 0x1B02),
            (method::SET_BACK_POLYGON_MODE, 0x1B02),
            (method::SET_CLIP_MAX, 16_777_215.0f32.to_bits()),
            (method::SET_CONTROL0, 0x0010_0001),
            (method::SET_WINDOW_CLIP_HORIZONTAL, 0x0FFF_0000),
            (method::SET_WINDOW_CLIP_VERTICAL, 0x0FFF_0000),
        ] {
            rig.set(at, value);
        }
        rig
    }

    /// How many packets of these kinds have been sent since the last time.
    pub(crate) fn sent<const N: usize>(&mut self, wanted: [Kind; N]) -> [usize; N] {
        self.graphics.flush();
        let kinds = std::mem::take(&mut *self.kinds.lock().expect("no panic elsewhere"));
        wanted.map(|wanted| kinds.iter().filter(|kind| **kind == wanted).count())
    }

    pub(crate) fn set(&mut self, method: u16, value: u32) {
        self.kelvin.registers.set(method, value);
    }

    /// Surfaces at their usual places: format, size of the clip, pitches of colour and zeta.
    pub(crate) fn surface(&mut self, format: u32, [width, height]: [u32; 2], [color, zeta]: [u32; 2]) {
        self.set(method::SET_SURFACE_FORMAT, format);
        self.set(method::SET_SURFACE_CLIP_HORIZONTAL, width << 16);
        self.set(method::SET_SURFACE_CLIP_VERTICAL, height << 16);
        self.set(method::SET_SURFACE_PITCH, zeta << 16 | color);
        self.set(method::SET_SURFACE_COLOR_OFFSET, super::COLOR);
        self.set(method::SET_SURFACE_ZETA_OFFSET, super::ZETA);
    }

    /// Clears a rectangle: x, y, width, height.
    pub(crate) fn clear(&mut self, flags: u32, color: u32, zeta: u32, [x, y, width, height]: [u32; 4]) {
        self.set(method::SET_COLOR_CLEAR_VALUE, color);
        self.set(method::SET_ZSTENCIL_CLEAR_VALUE, zeta);
        self.set(method::SET_CLEAR_RECT_HORIZONTAL, (x + width - 1) << 16 | x);
        self.set(method::SET_CLEAR_RECT_VERTICAL, (y + height - 1) << 16 | y);
        self.graphics.clear(&mut self.kelvin, &mut self.memory, flags);
    }

    /// The processor writes a byte repeatedly.
    pub(crate) fn fill(&mut self, address: u32, size: u32, byte: u8) {
        self.memory.write(address, &vec![byte; size as usize]).expect("inside of memory");
    }

    /// A pixel of some bytes as memory has it.
    pub(crate) fn pixel(&self, address: u32, bytes: u32) -> u32 {
        let mut word = [0; 4];
        self.memory.read(address, &mut word[..bytes as usize]).expect("inside of memory");
        u32::from_le_bytes(word)
    }

    /// A word, after what was drawn there has been written back.
    pub(crate) fn written(&mut self, address: u32) -> u32 {
        self.graphics.write_back(&mut self.memory, address, 4);
        self.memory.word(address).expect("inside of memory")
    }

    /// Waits for the renderer, and checks that the validation layer had nothing to say.
    pub(crate) fn finish(self) {
        drop(self.graphics);
        self.thread.join().expect("the render thread");
        assert_eq!(gpu().instance.validation_messages(), 0, "the validation layer reported something: see the log");
    }
}
