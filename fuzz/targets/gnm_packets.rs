//! The GNM command processor on command buffers that are mostly well-formed: packets that there are, wild fields, addresses that
//! lead into memory, command buffers and the constant engine's, buffers that jump into each other.
#![no_main]

use afterimage_fuzz::Input;
use afterimage_gnm::driver::{calls::CALLS, describe};
use afterimage_gnm::machine::{Dispatch, Draw, Flip, Graphics, Indices, Limits, Machine, Queue, Registers, Stop};
use afterimage_gnm::memory::{GuestMemory, Regions};
use afterimage_gnm_types::packets::{Header, PACKETS, PRIVATE};
use afterimage_gnm_types::{BufferDescriptor, ImageDescriptor, Opcode, SamplerDescriptor, decode, descriptors};

/// Draws nothing, and looks at what it would draw.
#[derive(Default)]
struct Look {
    passed: u64,
}

impl Graphics for Look {
    fn draw(&mut self, registers: &mut Registers, memory: &mut dyn GuestMemory, draw: &Draw) {
        assert!(draw.instances > 0 && (draw.count > 0 || draw.opaque), "nothing is not drawn");
        if let Indices::Memory { address, kind, .. } = draw.indices {
            let _index = memory.word(address & !(kind.bytes() - 1));
        }
        // Descriptors of all kinds, as user data may hold them.
        let words: [u32; 8] = registers.array(afterimage_gnm_types::reg::SPI_SHADER_USER_DATA_VS_0);
        let [four, _] = words.as_chunks::<4>().0 else { unreachable!("eight words are two of four") };
        let (buffer, image, sampler) = (BufferDescriptor(*four), ImageDescriptor(words), SamplerDescriptor(*four));
        assert!(buffer.address() < 1 << 48 && image.address() < 1 << 48);
        assert!(buffer.size() < 1 << 46 && image.width() <= 1 << 14 && image.pitch() <= 1 << 14);
        assert!(sampler.lod_bias().abs() <= 32.0 && sampler.lods().1 < 16.0);
        if self.passed < 8 {
            let _text = decode::descriptor(descriptors::image::FIELDS, &words);
        }
        registers.tracker.take();
        self.passed += 1;
    }

    fn dispatch(&mut self, _: Queue, _: &mut Registers, _: &mut dyn GuestMemory, dispatch: &Dispatch) {
        assert!(!dispatch.groups.contains(&0));
    }

    fn before_cpu_reads(&mut self, _memory: &mut dyn GuestMemory, _address: u64, _size: u64) {}

    fn cpu_wrote(&mut self, _address: u64, _size: u64) {}

    fn passed_samples(&mut self) -> u64 {
        self.passed
    }

    fn stream_out_offset(&mut self, buffer: u32) -> u32 {
        u32::MAX - buffer
    }

    fn set_stream_out_offset(&mut self, buffer: u32, _offset: u32) {
        assert!(buffer < 4);
    }

    fn flip(&mut self, _memory: &mut dyn GuestMemory, _flip: &Flip) {}

    fn submit(&mut self) {}
}

/// Where the memory is; command buffers are in it too.
const BASE: u64 = 0x12_0000_0000;
/// Bytes of memory.
const SIZE: u64 = 1 << 18;
/// Bytes of a command buffer.
const BUFFER: u64 = SIZE / 8;

/// A word of a body.
fn word(input: &mut Input<'_>, body: &[u32]) -> u32 {
    match input.byte() % 8 {
        0 => input.value(),
        // Low and high half of an address.
        1 | 2 => BASE as u32 | u32::from(input.value::<u16>()) << 2,
        3 | 4 => (BASE >> 32) as u32 | if input.byte() % 8 == 0 { input.value::<u32>() << 16 } else { 0 },
        5 => body.last().copied().unwrap_or(0),
        _ => input.byte().into(),
    }
}

fn buffer(input: &mut Input<'_>) -> Vec<u32> {
    let mut words = Vec::new();
    while !input.0.is_empty() && words.len() < BUFFER as usize / 8 {
        let choice = input.byte();
        let (opcode, least) = match choice % 16 {
            0 => {
                words.push(input.value());
                continue;
            }
            1 => (Opcode(input.byte()), 1),
            2 | 3 => {
                let (operation, count, _) = CALLS[usize::from(input.byte()) % CALLS.len()];
                words.push(Header::packet(PRIVATE, count as u32 - 1) | u32::from(operation) << 2);
                let mut body = Vec::new();
                (1..count.min(16)).for_each(|_| body.push(word(input, &body)));
                body.resize(count - 1, 0);
                words.extend(body);
                continue;
            }
            _ => {
                let row = &PACKETS[usize::from(input.byte()) % PACKETS.len()];
                (row.opcode, row.least)
            }
        };
        let more = if choice & 16 == 0 { 0 } else { u32::from(input.byte() % 16) };
        let count = (least + more).max(1);
        words.push(Header::packet(opcode, count) | u32::from(choice >> 5 & 3));
        let mut body = Vec::new();
        (0..count).for_each(|_| body.push(word(input, &body)));
        words.extend(body);
    }
    words
}

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    let mut input = Input(bytes);
    let mut memory = Regions::default();
    memory.map(BASE, SIZE).expect("a range of 48 bits");
    let mut machine = Machine::new();
    machine.set_limits(Limits { words: 1 << 15, jumps: 64, depth: 4 });
    let put = |memory: &mut Regions, n: u64, words: &[u32]| {
        for header in words.iter().zip(1..) {
            let body = &words[header.1..words.len().min(header.1 + 16)];
            assert!(!describe(*header.0, body).is_empty());
            if header.1 > 64 {
                break;
            }
        }
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        memory.write(BASE + n * BUFFER, &bytes).expect("inside of memory");
        (BASE + n * BUFFER, (bytes.len() as u64).max(4))
    };
    let shape = input.byte();
    let share = input.0.len() / 3;
    let (first, rest) = input.0.split_at(share);
    let (second, third) = rest.split_at(share);
    let draw = put(&mut memory, 0, &buffer(&mut Input(first)));
    let constant = put(&mut memory, 1, &buffer(&mut Input(second)));
    let compute = put(&mut memory, 2, &buffer(&mut Input(third)));
    if shape & 1 == 0 {
        machine.map_queue(0, 0, compute.0, 0x400, BASE + 8).expect("a ring");
        machine.set_write_pointer(0, 0, (compute.1 / 4).min(0x400) as u32).expect("a mapped ring");
    } else {
        machine.submit_compute(3, 4, compute).expect("a ring");
    }
    for _ in 0..=shape >> 6 {
        machine.submit(draw, (shape & 2 == 0).then_some(constant)).expect("there is room");
    }
    let mut look = Look::default();
    while let Stop::Waiting(waits) = machine.run(&mut memory, &mut look) {
        assert!(waits.iter().all(|wait| !wait.reason.is_empty()));
        machine.skip_waits();
        assert!(machine.take_faults().iter().all(|fault| !fault.to_string().is_empty()));
    }
    assert!(machine.is_idle());
});
