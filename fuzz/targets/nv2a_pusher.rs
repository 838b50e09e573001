//! The NV2A's pusher, Kelvin and 2D classes on push buffers that are mostly well-formed: headers of methods that there are, wild
//! arguments, jumps and calls in circles, objects and DMA objects of all kinds.
#![no_main]

use afterimage_nv2a::machine::{Graphics, Header, Kelvin, Limits, Machine, Part, Primitive, Stop, register};
use afterimage_nv2a::memory::{GuestMemory, Ram};
use afterimage_nv2a_types::methods::METHODS;

/// Draws nothing, and counts what it would have to.
#[derive(Default)]
struct Count {
    vertices: u64,
}

impl Graphics for Count {
    fn draw(&mut self, kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, primitive: &Primitive) {
        for part in &primitive.parts {
            self.vertices += match part {
                Part::Arrays { count, .. } => u64::from(*count),
                Part::Elements(words) | Part::Inline(words) => words.len() as u64,
                Part::Immediate(vertices) => vertices.len() as u64,
                Part::EdgeFlag(_) => 0,
            };
        }
        assert!(self.vertices > 0, "nothing is not drawn");
        kelvin.registers.tracker.take();
    }

    fn clear(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, _flags: u32) {}

    fn write_back(&mut self, _memory: &mut dyn GuestMemory, _address: u32, _size: u32) {}

    fn reset_pixel_count(&mut self) {}

    fn pixel_count(&mut self) -> u32 {
        7
    }

    fn flush(&mut self) {}
}

/// Bytes of memory.
const SIZE: u32 = 1 << 18;
/// Classes that there are, and one that there is not. The handle of each is its index plus 1.
const CLASSES: [u32; 12] = [0x97, 0x9F, 0x62, 0x42, 0x39, 0x19, 0x44, 0x43, 0x12, 0x72, 0x30, 0x5C];
/// Handles of DMA objects: one shows all memory, the others something.
const DMA: u32 = 32;

/// Takes bytes from the input, and zeros when they are used up.
struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        first
    }

    fn word(&mut self) -> u32 {
        u32::from_le_bytes([self.byte(), self.byte(), self.byte(), self.byte()])
    }
}

/// An argument that may make sense.
fn argument(bytes: &mut Bytes<'_>) -> u32 {
    match bytes.byte() % 8 {
        0 => bytes.word(),
        1 => DMA + u32::from(bytes.byte() % 8),
        2 => 1 + u32::from(bytes.byte() % 16),
        3 => u32::from(bytes.byte()) << 16 | u32::from(bytes.byte()),
        4 => u32::from(bytes.byte()) << 24,
        _ => bytes.byte().into(),
    }
}

/// Words of a push buffer.
fn push_buffer(bytes: &mut Bytes<'_>) -> Vec<u32> {
    let mut words = Vec::new();
    // An object on each subchannel; others may take their places.
    for (subchannel, handle) in (0..).zip([1, 2, 3, 5, 6, 7, 12, 4]) {
        words.extend([Header { method: 0, subchannel, count: 1, increasing: true }.encode(), handle]);
    }
    while !bytes.0.is_empty() && words.len() < SIZE as usize / 8 {
        let choice = bytes.byte();
        let target = (bytes.byte() as u32) << 8 & !3;
        match choice % 16 {
            0 => words.push(target | 1),
            1 => words.push(target | 2),
            2 => words.push(0x0002_0000),
            3 => words.push(0x2000_0000 | target),
            4 => words.push(bytes.word()),
            5 => {
                let subchannel = choice >> 5;
                words.push(Header { method: 0, subchannel, count: 1, increasing: true }.encode());
                words.push(1 + u32::from(bytes.byte() % 13));
            }
            6..12 => {
                let row = &METHODS[usize::from(bytes.byte()) % METHODS.len()];
                let method = row.offset + u16::from(bytes.byte()) % row.count * row.stride;
                let count = if choice & 0x80 == 0 { row.words } else { u16::from(bytes.byte()) };
                words.push(Header { method, subchannel: 0, count, increasing: choice & 0x40 == 0 }.encode());
                words.extend((0..count).map(|_| argument(bytes)));
            }
            // The methods of 2D classes lie close together.
            _ => {
                let first = [0x100, 0x180, 0x2FC, 0x300, 0x304, 0x30C, 0x400, 0x700][usize::from(bytes.byte() % 8)];
                let count = u16::from(bytes.byte() % 12);
                let subchannel = choice >> 5;
                words.push(Header { method: first, subchannel, count, increasing: choice & 0x10 == 0 }.encode());
                words.extend((0..count).map(|_| argument(bytes)));
            }
        }
    }
    words
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut bytes = Bytes(bytes);
    let mut memory = Ram::new(SIZE);
    let mut graphics = Count::default();
    let mut machine = Machine::new();
    machine.limits = Limits { words: 1 << 16, jumps: 64 };
    let set = |machine: &mut Machine, memory: &mut Ram, offset, value| {
        machine.write_register(memory, &mut Count::default(), offset, value);
    };
    set(&mut machine, &mut memory, register::PFIFO_RAMHT, 0x100);
    for (index, class) in (0..).zip(CLASSES) {
        let (entry, object) = (register::PRAMIN + 0x10000 + 8 * index, register::PRAMIN + 0x12000 + 16 * index);
        set(&mut machine, &mut memory, entry, 1 + index);
        set(&mut machine, &mut memory, entry + 4, 0x8000_1200 + index);
        set(&mut machine, &mut memory, object, class);
    }
    for index in 0..8 {
        let (entry, object) = (register::PRAMIN + 0x10200 + 8 * index, register::PRAMIN + 0x13000 + 16 * index);
        set(&mut machine, &mut memory, entry, DMA + index);
        set(&mut machine, &mut memory, entry + 4, 0x8000_1300 + index);
        let all = [0x303D, SIZE - 1, 3];
        for (i, word) in (0..).zip(all) {
            let word = if index == 0 { word } else { argument(&mut bytes) << (4 * i) | 0x3D * u32::from(i == 0) };
            set(&mut machine, &mut memory, object + 4 * i, word);
        }
    }
    for _ in 0..bytes.byte() % 8 {
        let offset = bytes.word();
        let value = bytes.word();
        set(&mut machine, &mut memory, offset, value);
    }
    let put = u32::from(bytes.byte()) << 8;
    let words = push_buffer(&mut bytes);
    let data: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    memory.write(0, &data[..data.len().min(SIZE as usize)]).expect("inside of memory");
    machine.set_pusher(0, if put == 0 { 4 * words.len() as u32 } else { put });
    // What a walk says without running: it ends too.
    machine.walk(&memory).for_each(|step| assert!(step.is_ok() || !step.unwrap_err().to_string().is_empty()));
    for _ in 0..16 {
        match machine.run(&mut memory, &mut graphics) {
            Ok(Stop::Idle) => break,
            Ok(Stop::FlipStall) => machine.vertical_blank(),
            Ok(Stop::Interrupt(_)) => machine.acknowledge(),
            Err(error) => {
                assert_eq!(error.state, machine.pusher());
                break;
            }
        }
    }
    let _shown = machine.scanout(&mut memory, &mut graphics);
});
