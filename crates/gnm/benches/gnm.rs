//! What following command buffers costs: state in runs of so many registers, and what a draw sets, against a loop that only decodes
//! headers and copies. 1000 / ns is millions of words a second.

use afterimage_bench::Bench;
use afterimage_gnm::driver::{CommandBuffer, Driver, Encoding};
use afterimage_gnm::machine::{Machine, NoGraphics, Stop};
use afterimage_gnm::memory::Regions;
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{op, reg};

const WORDS: usize = 1 << 18;

/// State in runs of so many registers, each another value than before.
fn state(run: u32) -> CommandBuffer {
    let mut buffer = CommandBuffer::new();
    let mut value = 0;
    while buffer.words().len() < WORDS {
        value += 1;
        let values: Vec<u32> = (0..run).map(|i| value + i).collect();
        buffer.set(reg::PA_CL_VPORT_XSCALE, &values);
    }
    buffer
}

/// What a game's draw sets: programs, user data, a target, blending, and the draw.
fn draws(encoding: Encoding) -> (CommandBuffer, usize) {
    let driver = Driver::new(encoding);
    let mut buffer = CommandBuffer::new();
    let mut count = 0;
    while buffer.words().len() < WORDS {
        count += 1;
        let value = count as u32;
        driver.update_vs_shader(buffer.reserve(29), [value, 0, 1, 2, 3, 4, 5], 0).expect("a call without errors");
        let pixel = [value, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
        driver.update_ps_shader(buffer.reserve(40), pixel).expect("a call without errors");
        buffer.set(reg::SPI_SHADER_USER_DATA_VS_0, &[value; 12]);
        buffer.set(reg::SPI_SHADER_USER_DATA_PS_0, &[value; 15]);
        buffer.set(reg::CB_BLEND0_CONTROL, &[value]);
        buffer.set(reg::DB_DEPTH_CONTROL, &[value & 0xFF]);
        driver.draw_index(buffer.reserve(10), 36, 0x1_0000_0000, 0, 0).expect("a call without errors");
    }
    (buffer, count)
}

/// Where the command buffer lies.
const AT: u64 = 0x10_0000_0000;

fn world(buffer: &CommandBuffer) -> (Machine, Regions) {
    let mut memory = Regions::default();
    memory.map(AT, buffer.bytes()).expect("a range of 48 bits");
    buffer.store(&mut memory, AT).expect("mapped memory");
    (Machine::new(), memory)
}

fn run(machine: &mut Machine, memory: &mut Regions, bytes: u64) {
    machine.submit((AT, bytes), None).expect("there is room");
    assert_eq!(machine.run(memory, &mut NoGraphics), Stop::Idle);
}

/// Decodes headers and stores values, and nothing else.
fn bare(words: &[u32], registers: &mut [u32; 0x10000]) {
    let mut at = 0;
    while at < words.len() {
        let Header::Packet { opcode, count, .. } = Header::decode(words[at]) else { return };
        let count = count as usize;
        let body = &words[at + 1..at + 1 + count];
        if opcode == op::SET_CONTEXT_REG || opcode == op::SET_SH_REG {
            let first = (body[0] & 0x7FFF) as usize;
            registers[first..first + count - 1].copy_from_slice(&body[1..]);
        }
        at += 1 + count;
    }
}

fn main() -> std::io::Result<()> {
    let mut bench = Bench::new("gnm");
    let mut registers = Box::new([0; 0x10000]);
    for (name, run_length) in [("14 registers a packet", 14), ("6 registers a packet", 6), ("1 register a packet", 1)] {
        let buffer = state(run_length);
        let (mut machine, mut memory) = world(&buffer);
        bench
            .new_baseline()
            .case(&format!("baseline: decode and store, {name}"), buffer.words().len(), || {
                bare(buffer.words(), &mut registers);
            })
            .case(&format!("words run with state tracking, {name}"), buffer.words().len(), || {
                run(&mut machine, &mut memory, buffer.bytes());
            });
    }
    for (name, encoding) in [("standard packets", Encoding::Pm4), ("private packets", Encoding::Private)] {
        let (buffer, count) = draws(encoding);
        let (mut machine, mut memory) = world(&buffer);
        bench
            .new_baseline()
            .case(&format!("baseline: decode and store, {name}"), buffer.words().len(), || {
                bare(buffer.words(), &mut registers);
            })
            .case(&format!("words run with state tracking, {name}"), buffer.words().len(), || {
                run(&mut machine, &mut memory, buffer.bytes());
            })
            .case(&format!("draws with what they set, {name}"), count, || {
                run(&mut machine, &mut memory, buffer.bytes());
            });
    }
    bench.finish()
}
