//! A machine with a megabyte of memory, objects by handle, and graphics that write down what is asked of them.

use afterimage_nv2a::machine::{Graphics, Header, Kelvin, Machine, Primitive, PusherError, Stop, register};
use afterimage_nv2a::memory::{GuestMemory, Ram};
use std::io;
use std::sync::{Arc, Mutex};

/// What graphics were asked to do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Call {
    Draw(Primitive),
    Clear(u32),
    WriteBack(u32, u32),
    ResetPixelCount,
    PixelCount,
    Flush,
}

/// Draws nothing.
#[derive(Debug, Default)]
pub(crate) struct Log(pub(crate) Vec<Call>);

/// What is reported as the number of pixels.
pub(crate) const PIXELS: u32 = 0x1234;

impl Graphics for Log {
    fn draw(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, primitive: &Primitive) {
        self.0.push(Call::Draw(primitive.clone()));
    }

    fn clear(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, flags: u32) {
        self.0.push(Call::Clear(flags));
    }

    fn write_back(&mut self, _memory: &mut dyn GuestMemory, address: u32, size: u32) {
        self.0.push(Call::WriteBack(address, size));
    }

    fn reset_pixel_count(&mut self) {
        self.0.push(Call::ResetPixelCount);
    }

    fn pixel_count(&mut self) -> u32 {
        self.0.push(Call::PixelCount);
        PIXELS
    }

    fn flush(&mut self) {
        self.0.push(Call::Flush);
    }
}

/// Handle of a DMA object that shows all memory.
pub(crate) const ALL: u32 = 1;
/// Handle of the Kelvin object, which is on subchannel 0.
pub(crate) const KELVIN: u32 = 2;
/// Where the push buffer is.
pub(crate) const PUSH: u32 = 0x8_0000;

pub(crate) struct Rig {
    pub(crate) machine: Machine,
    pub(crate) memory: Ram,
    pub(crate) log: Log,
    pub(crate) words: Vec<u32>,
    objects: u32,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let mut rig = Self {
            machine: Machine::new(),
            memory: Ram::new(1 << 20),
            log: Log::default(),
            words: Vec::new(),
            objects: 0,
        };
        rig.register(register::PFIFO_RAMHT, 0x0300_0100);
        rig.dma(ALL, 0, (1 << 20) - 1);
        rig.object(KELVIN, 0x97);
        rig.push(0, 0, &[KELVIN]);
        rig
    }

    pub(crate) fn register(&mut self, offset: u32, value: u32) {
        self.machine.write_register(&mut self.memory, &mut self.log, offset, value);
    }

    /// Makes an object of four words and a handle for it.
    fn words(&mut self, handle: u32, words: [u32; 4]) {
        let (entry, instance) = (0x10000 + 8 * self.objects, 0x12000 + 16 * self.objects);
        self.objects += 1;
        self.register(register::PRAMIN + entry, handle);
        self.register(register::PRAMIN + entry + 4, 0x8001_0000 + instance / 16);
        for (i, word) in words.into_iter().enumerate() {
            self.register(register::PRAMIN + instance + 4 * i as u32, word);
        }
    }

    pub(crate) fn object(&mut self, handle: u32, class: u32) {
        self.words(handle, [class, 0, 0, 0]);
    }

    /// A DMA object that may be read and written.
    pub(crate) fn dma(&mut self, handle: u32, address: u32, limit: u32) {
        self.words(handle, [(address & 0xFFF) << 20 | 0x303D, limit, address & !0xFFF | 3, 0]);
    }

    /// Adds a method and its arguments to the push buffer.
    pub(crate) fn push(&mut self, subchannel: u8, method: u16, arguments: &[u32]) {
        let count = arguments.len() as u16;
        self.words.push(Header { method, subchannel, count, increasing: true }.encode());
        self.words.extend(arguments);
    }

    /// Runs what was pushed since the last time.
    pub(crate) fn run(&mut self) -> Result<Stop, PusherError> {
        let words = std::mem::take(&mut self.words);
        self.write(PUSH, &words);
        self.machine.set_pusher(PUSH, PUSH + 4 * words.len() as u32);
        self.go_on()
    }

    /// Goes on after a stop.
    pub(crate) fn go_on(&mut self) -> Result<Stop, PusherError> {
        self.machine.run(&mut self.memory, &mut self.log)
    }

    /// Runs to the end; nothing may stop it.
    pub(crate) fn finish(&mut self) {
        assert_eq!(self.run(), Ok(Stop::Idle));
    }

    pub(crate) fn write(&mut self, address: u32, words: &[u32]) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.memory.write(address, &bytes).expect("inside of memory");
    }

    pub(crate) fn word(&self, address: u32) -> u32 {
        self.memory.word(address).expect("inside of memory")
    }

    pub(crate) fn get(&self, method: u16) -> u32 {
        self.machine.kelvin().registers.get(method)
    }

    /// Draws that graphics were asked for.
    pub(crate) fn draws(&self) -> Vec<&Primitive> {
        fn draw(call: &Call) -> Option<&Primitive> {
            match call {
                Call::Draw(primitive) => Some(primitive),
                _ => None,
            }
        }
        self.log.0.iter().filter_map(draw).collect()
    }
}

/// A log that is kept.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no other thread has it").write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is said while something is done.
pub(crate) fn warnings(action: impl FnOnce()) -> String {
    let kept = Kept::default();
    let writer = kept.clone();
    let log = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).without_time().finish();
    tracing::subscriber::with_default(log, action);
    let bytes = std::mem::take(&mut *kept.0.lock().expect("no other thread has it"));
    String::from_utf8(bytes).expect("text")
}
