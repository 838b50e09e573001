//! Registers, memory and a translator whose packets a renderer executes.

use afterimage_gnm::machine::{Draw, Graphics, Indices, Registers};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm::translate::{Display, Translator};
use afterimage_gnm_types::reg;
use afterimage_ipc::{ArenaConfig, in_process};
use afterimage_vulkan::{Gpu, Options, Renderer};
use std::sync::{Arc, OnceLock};
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

pub(crate) struct Rig {
    pub(crate) registers: Registers,
    pub(crate) memory: Regions,
    pub(crate) graphics: Translator,
    thread: JoinHandle<u64>,
}

impl Rig {
    /// Four MiB at 4 GiB, and scissors that let everything pass.
    pub(crate) fn new() -> Self {
        let mut renderer = Renderer::on(Arc::clone(gpu()), options()).expect("a renderer");
        let slots = Box::new(renderer.slot_factory());
        let (link, mut receiver) = in_process::pair(ArenaConfig::default(), renderer.device_info(), slots);
        let thread = std::thread::spawn(move || {
            in_process::serve(&mut receiver, &mut renderer);
            renderer.validation_messages()
        });
        let mut memory = Regions::default();
        memory.map(0x1_0000_0000, 4 << 20).unwrap();
        let graphics = Translator::new(Box::new(link), "coherence");
        let mut rig = Self { registers: Registers::new(), memory, graphics, thread };
        let everything = 16384 << 16 | 16384;
        rig.set(&[
            (reg::PA_SC_SCREEN_SCISSOR_BR, everything),
            (reg::PA_SC_WINDOW_SCISSOR_TL, 1 << 31),
            (reg::PA_SC_WINDOW_SCISSOR_BR, everything),
            (reg::PA_SC_GENERIC_SCISSOR_TL, 1 << 31),
            (reg::PA_SC_GENERIC_SCISSOR_BR, everything),
            (reg::PA_SC_CLIPRECT_RULE, 0xFFFF),
        ]);
        rig
    }

    pub(crate) fn set(&mut self, registers: &[(u32, u32)]) {
        for (register, value) in registers {
            assert!(self.registers.set(*register, *value), "{register:#x}");
        }
    }

    /// A draw of `count` vertices of a kind of primitive.
    pub(crate) fn draw(&mut self, kind: u32, count: u32) {
        self.set(&[(reg::VGT_PRIMITIVE_TYPE, kind)]);
        let draw = Draw { indices: Indices::Auto, count, instances: 1, number: 0, opaque: false };
        self.graphics.draw(&mut self.registers, &mut self.memory, &draw);
    }

    pub(crate) fn picture(&mut self, display: &Display) -> Vec<u8> {
        self.graphics.picture(&mut self.memory, display).unwrap().rgba
    }

    /// Memory as the GPU left it.
    pub(crate) fn read(&mut self, address: u64, size: usize) -> Vec<u8> {
        self.graphics.before_cpu_reads(&mut self.memory, address, size as u64);
        let mut bytes = vec![0; size];
        self.memory.read(address, &mut bytes).unwrap();
        bytes
    }

    /// Ends the stream; the validation layer must have had nothing to say.
    pub(crate) fn finish(self) {
        drop(self.graphics);
        assert_eq!(self.thread.join().expect("the render thread"), 0);
    }
}
