//! `afterimage inspect` of recordings of GNM work: records, packets with registers decoded, programs, descriptors.

use super::watch::Watch;
use afterimage_gnm::driver::describe;
use afterimage_gnm::gcap::{Event, GcapError, Located, Player, Reader, Record};
use afterimage_gnm::memory::GuestMemory;
use afterimage_gnm_types::op;
use afterimage_gnm_types::packets::Header;
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};
use std::path::Path;

const RECORD: Style = AnsiColor::Cyan.on_default().bold();
const NAME: Style = AnsiColor::Green.on_default();
const DRAW: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// What is shown.
pub(crate) struct Wanted<'a> {
    /// Names of packets, registers or fields, of which a packet's lines must hold one; all if there is none.
    pub(crate) names: &'a [String],
    /// Draws, flips and dumps only.
    pub(crate) draws: bool,
    /// Only this submission.
    pub(crate) submission: Option<u64>,
    /// Words of packets too.
    pub(crate) raw: bool,
}

/// Why a recording could not be shown to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unshown {
    #[error("{0}")]
    Recording(#[from] GcapError),
    #[error("writing: {0}")]
    Write(#[from] io::Error),
}

/// Packets of a submission that are followed, and command buffers inside of each other.
const MOST_PACKETS: usize = 1 << 20;
const DEEPEST: usize = 8;

/// Shows a recording.
pub(crate) fn show(wanted: &Wanted<'_>, path: &Path, out: &mut dyn Write) -> Result<(), Unshown> {
    let mut player = Player::new(Reader::open(path)?);
    let mut watch = Watch::new(!wanted.draws && wanted.names.is_empty());
    let mut number = 0;
    while let Some(located) = player.read()? {
        let submission = if let Record::Submit(submission) = &located.record { Some(*submission) } else { None };
        let chosen = wanted.submission.is_none_or(|only| submission.is_some() && number == only);
        if chosen && wanted.names.is_empty() && !wanted.draws {
            record(&located, number, out)?;
        }
        if let Some(submission) = &submission
            && chosen
            && !wanted.draws
        {
            let mut packets = Packets { wanted, memory: &player.memory, left: MOST_PACKETS };
            for (name, (address, bytes)) in [("constants", submission.constant), ("draws", submission.draw)] {
                if bytes != 0 {
                    if submission.constant.1 != 0 && wanted.names.is_empty() {
                        writeln!(out, "  {DIM}{name}{DIM:#}")?;
                    }
                    packets.buffer(address, bytes / 4, 0, out)?;
                }
            }
        }
        let event = player.apply(located.record, &mut watch);
        for line in watch.lines.drain(..) {
            if chosen && wanted.names.is_empty() {
                match line.starts_with(' ') {
                    true => writeln!(out, "{line}")?,
                    false => writeln!(out, "  {DRAW}{line}{DRAW:#}")?,
                }
            }
        }
        match event {
            Some(Event::Ran { faults, .. }) => {
                for fault in faults {
                    writeln!(out, "{BAD}{fault}{BAD:#}")?;
                }
            }
            Some(Event::Refused(error)) => writeln!(out, "{BAD}{error}{BAD:#}")?,
            Some(Event::Write(error)) => writeln!(out, "{BAD}{error}{BAD:#}")?,
            Some(Event::Flip(picture)) if wanted.draws && wanted.submission.is_none() => {
                writeln!(out, "  {RECORD}shown{RECORD:#} {}", picture.name.escape_debug())?;
            }
            Some(Event::Dump(dump)) if wanted.draws && wanted.submission.is_none() => {
                writeln!(out, "  {RECORD}kept{RECORD:#}  {}", dump.name.escape_debug())?;
            }
            _ => {}
        }
        number += u64::from(submission.is_some());
        if wanted.submission.is_some_and(|only| number > only) {
            break;
        }
    }
    Ok(())
}

fn record(located: &Located, submission: u64, out: &mut dyn Write) -> io::Result<()> {
    let Located { number, offset, record } = located;
    write!(out, "{DIM}#{number:<6} {offset:#09x}{DIM:#}  {RECORD}")?;
    match record {
        Record::Memory { address, bytes } => writeln!(out, "MEM{RECORD:#}  {address:#x}  {} bytes", bytes.len()),
        Record::Map { address, size } => writeln!(out, "MAP{RECORD:#}  {address:#x}  {size:#x} bytes"),
        Record::Submit(what) => {
            let ((draw, bytes), (constant, constant_bytes)) = (what.draw, what.constant);
            write!(out, "SUBM{RECORD:#} queue {}: {bytes} bytes at {draw:#x}", what.queue)?;
            if constant_bytes != 0 {
                write!(out, ", constants {constant_bytes} bytes at {constant:#x}")?;
            }
            writeln!(out, "  submission {submission}")
        }
        Record::Flip(picture) => {
            let (width, height, pitch) = (picture.width, picture.height, picture.pitch);
            let (address, format, tiling) = (picture.address, picture.format, picture.tiling);
            write!(out, "FLIP{RECORD:#} {}: ", picture.name.escape_debug())?;
            writeln!(out, "{width} x {height} at {address:#x}, pitch {pitch}, format {format}, tile mode {tiling}")
        }
        Record::Dump(dump) => {
            writeln!(out, "DUMP{RECORD:#} {}: {:#x} bytes at {:#x}", dump.name.escape_debug(), dump.size, dump.address)
        }
    }
}

/// Prints command buffers.
struct Packets<'a> {
    wanted: &'a Wanted<'a>,
    memory: &'a dyn GuestMemory,
    left: usize,
}

impl Packets<'_> {
    fn buffer(&mut self, address: u64, words: u64, depth: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut at = 0;
        while at < words {
            let here = address.saturating_add(4 * at);
            if self.left == 0 {
                return writeln!(out, "  {BAD}more than {MOST_PACKETS} packets: the rest is not shown{BAD:#}");
            }
            self.left -= 1;
            let Some(header) = self.memory.word(here) else {
                return writeln!(out, "  {BAD}{here:#x} is not mapped{BAD:#}");
            };
            let decoded = Header::decode(header);
            let count = u64::from(decoded.count()).min(words - at - 1);
            let body: Vec<u32> = (1..=count).map_while(|n| self.memory.word(here + 4 * n)).collect();
            self.packet(here, header, &body, depth, out)?;
            if let Header::Packet { opcode, .. } = decoded
                && (opcode == op::INDIRECT_BUFFER || opcode == op::INDIRECT_BUFFER_CONST)
                && let [low, high, size, ..] = body[..]
                && depth < DEEPEST
            {
                let inner = u64::from(low & !3) | u64::from(high & 0xFFFF) << 32;
                self.buffer(inner, u64::from(size & 0xF_FFFF), depth + 1, out)?;
            }
            at += 1 + count;
        }
        Ok(())
    }

    fn packet(&self, address: u64, header: u32, body: &[u32], depth: usize, out: &mut dyn Write) -> io::Result<()> {
        let lines = describe(header, body);
        let holds = |name: &String| lines.iter().any(|line| line.to_uppercase().contains(&name.to_uppercase()));
        if !self.wanted.names.is_empty() && !self.wanted.names.iter().any(holds) {
            return Ok(());
        }
        let indent = "  ".repeat(depth + 1);
        let [first, rest @ ..] = &lines[..] else { return Ok(()) };
        writeln!(out, "{indent}{DIM}{address:010x}{DIM:#}  {NAME}{first}{NAME:#}")?;
        if self.wanted.raw {
            let words: Vec<String> = [header].iter().chain(body).map(|word| format!("{word:08x}")).collect();
            for line in words.chunks(8) {
                writeln!(out, "{indent}            {DIM}{}{DIM:#}", line.join(" "))?;
            }
        }
        rest.iter().try_for_each(|line| writeln!(out, "{indent}                {line}"))
    }
}
