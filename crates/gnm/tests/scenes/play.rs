//! Recordings as a user plays them: written, read, carried out by a machine on memory that has just what they say.

use crate::rig;
use afterimage_gnm::driver::{Call, calls};
use afterimage_gnm::gcap::{Dump, Event, Picture, Player, Reader, Record, Submission, Writer};
use afterimage_gnm::machine::Fault;
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm::translate::{Display, Translator};
use afterimage_gnm_types::packets::Header;
use afterimage_gnm_types::{Opcode, op, reg};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

/// What came of a recording.
#[derive(Debug, Default)]
pub(crate) struct Played {
    /// Memory at each dump, zeros where nothing is mapped.
    pub(crate) dumps: Vec<Vec<u8>>,
    pub(crate) pictures: Vec<Vec<u8>>,
    pub(crate) faults: Vec<Fault>,
    /// What was logged.
    pub(crate) log: String,
}

/// Where the log goes.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes records, reads them, and carries them out.
pub(crate) fn play(records: &[Record]) -> Played {
    let mut writer = Writer::new(Vec::new()).unwrap();
    records.iter().for_each(|record| writer.record(record).unwrap());
    let reader = Reader::new(Cursor::new(writer.finish().unwrap())).unwrap();
    let log = Log::default();
    let to = log.clone();
    let level = tracing_subscriber::filter::LevelFilter::WARN;
    let subscriber = tracing_subscriber::fmt().with_max_level(level).with_ansi(false);
    let subscriber = subscriber.with_writer(move || to.clone()).finish();
    let mut played = tracing::subscriber::with_default(subscriber, || run(Player::new(reader)));
    played.log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    played
}

fn run(mut player: Player) -> Played {
    let (link, thread) = rig::receiver(&[]);
    let mut translator = Translator::new(Box::new(link), "recording");
    let mut played = Played::default();
    while let Some(event) = player.step(&mut translator).unwrap() {
        match event {
            Event::Ran { faults, .. } => played.faults.extend(faults),
            Event::Flip(picture) => {
                let Picture { address, width, height, pitch, format, tiling, .. } = picture;
                let display = Display { address, width, height, pitch, format, blue_first: false, tile_mode: tiling };
                played.pictures.push(translator.picture(&mut player.memory, &display).unwrap().rgba);
            }
            Event::Dump(dump) => {
                let mut bytes = vec![0; dump.size as usize];
                for part in player.memory.parts(dump.address..dump.address + dump.size) {
                    let [first, end] = [part.start, part.end].map(|at| (at - dump.address) as usize);
                    player.memory.read(part.start, &mut bytes[first..end]).unwrap();
                }
                played.dumps.push(bytes);
            }
            other => panic!("{other:?}"),
        }
    }
    drop(translator);
    assert_eq!(thread.join().expect("the render thread"), 0, "messages of the validation layer");
    played
}

/// What the processor writes.
pub(crate) fn memory(address: u64, words: &[u32]) -> Record {
    Record::Memory { address, bytes: words.iter().flat_map(|word| word.to_le_bytes()).collect() }
}

pub(crate) fn dump(address: u64, size: u64) -> Record {
    Record::Dump(Dump { address, size, name: "dump".into() })
}

/// A compute program and how it is run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Job<'a> {
    pub(crate) code: u64,
    pub(crate) rsrc: [u32; 2],
    pub(crate) threads: [u32; 3],
    /// `COMPUTE_TMPRING_SIZE`.
    pub(crate) scratch: u32,
    pub(crate) user: &'a [u32],
    pub(crate) groups: [u32; 3],
}

fn packet(commands: &mut Vec<u32>, opcode: Opcode, body: &[u32]) {
    commands.push(Header::packet(opcode, body.len() as u32));
    commands.extend(body);
}

impl Job<'_> {
    /// One whose resource registers are those of our own programs: 16 user SGPRs, then the group's number.
    pub(crate) fn new(code: u64, threads: u32, user: &[u32], groups: u32) -> Job<'_> {
        let rsrc = [0xC0 << 12, 16 << 1 | 7 << 7 | 2 << 11];
        Job { code, rsrc, threads: [threads, 1, 1], scratch: 0, user, groups: [groups, 1, 1] }
    }

    /// The command buffer, at an address, and its submission.
    pub(crate) fn submit(&self, queue: u32, at: u64) -> [Record; 2] {
        let mut commands = self.state();
        packet(&mut commands, op::DISPATCH_DIRECT, &[self.groups[0], self.groups[1], self.groups[2], 1]);
        submission(queue, at, &commands)
    }

    /// The same, the numbers of groups being in memory.
    pub(crate) fn submit_indirect(&self, at: u64, arguments: u64) -> [Record; 2] {
        let mut commands = self.state();
        packet(&mut commands, op::SET_BASE, &[1, arguments as u32, (arguments >> 32) as u32]);
        packet(&mut commands, op::DISPATCH_INDIRECT, &[0, 1]);
        submission(0, at, &commands)
    }

    fn state(&self) -> Vec<u32> {
        let mut commands = Vec::new();
        let [x, y, z] = self.threads;
        let [rsrc1, rsrc2] = self.rsrc;
        let regs = [(self.code >> 8) as u32, (self.code >> 40) as u32, rsrc1, rsrc2, x, y, z];
        commands.resize(calls::SetCsShader::WORDS, 0);
        calls::SetCsShader { regs, modifier: 0 }.write(&mut commands).unwrap();
        for (register, values) in
            [(reg::COMPUTE_TMPRING_SIZE, &[self.scratch][..]), (reg::COMPUTE_USER_DATA_0, self.user)]
        {
            let body: Vec<u32> = [(register - 0xB000) / 4].iter().chain(values).copied().collect();
            packet(&mut commands, op::SET_SH_REG, &body);
        }
        commands
    }
}

fn submission(queue: u32, at: u64, commands: &[u32]) -> [Record; 2] {
    let draw = (at, 4 * commands.len() as u64);
    [memory(at, commands), Record::Submit(Submission { queue, draw, constant: (0, 0) })]
}
