//! `afterimage inspect`: a recording as text.

use crate::{Failure, gnm};
use afterimage_nv2a::kcap::{Event, KcapError, Located, Player, Reader, Record};
use afterimage_nv2a::machine::{Graphics, Header, Kelvin, Part, Primitive, Step, What, Word};
use afterimage_nv2a::memory::GuestMemory;
use afterimage_nv2a_types::classes::class_of;
use afterimage_nv2a_types::decode::Argument;
use afterimage_nv2a_types::methods::{Format, Method, method, row_of};
use afterimage_shader_nv2a::instruction::Instruction;
use anstyle::{AnsiColor, Style};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

// What is said of the command is in `crate::inspect`, and of options that are not of recordings.
#[derive(Debug, clap::Args)]
#[group(id = "recordings")]
pub(crate) struct Args {
    /// A capture (.aftercap) and what is shown of it, or recordings (.kcap, .kcap.gz, .gcap, .gcap.gz).
    #[arg(required = true, value_name = "FILE [WHAT]")]
    pub(crate) files: Vec<PathBuf>,
    /// Only methods whose name holds this, or whose offset it is; of GNM work, packets that hold it in the name of a packet,
    /// register or field. May be given again.
    #[arg(short, long, value_name = "NAME|OFFSET", help_heading = "Options of recordings")]
    method: Vec<String>,
    /// Only draws, clears, dispatches and pictures, one a line.
    #[arg(short, long, conflicts_with_all = ["method", "raw"], help_heading = "Options of recordings")]
    draws: bool,
    /// Only this run of the push buffer, or this submission; the first is 0.
    #[arg(short, long, value_name = "N", help_heading = "Options of recordings")]
    exec: Option<u64>,
    /// Each word on its own line, as it is, with headers and jumps.
    #[arg(short, long, help_heading = "Options of recordings")]
    raw: bool,
}

const RECORD: Style = AnsiColor::Cyan.on_default().bold();
const NAME: Style = AnsiColor::Green.on_default();
const DRAW: Style = AnsiColor::Yellow.on_default().bold();
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default().bold();

/// Why a recording could not be shown to its end.
#[derive(Debug, thiserror::Error)]
enum Why {
    #[error("{0}")]
    Recording(#[from] KcapError),
    #[error("{0}")]
    Gcap(afterimage_gnm::gcap::GcapError),
    #[error("writing: {0}")]
    Write(io::Error),
}

impl From<gnm::Unshown> for Why {
    fn from(why: gnm::Unshown) -> Self {
        match why {
            gnm::Unshown::Recording(error) => Self::Gcap(error),
            gnm::Unshown::Write(error) => Self::Write(error),
        }
    }
}

impl From<io::Error> for Why {
    fn from(error: io::Error) -> Self {
        Self::Write(error)
    }
}

/// Writes the recordings to standard output. One that is damaged does not stop the others.
pub(crate) fn inspect(args: &Args) -> Result<ExitCode, Failure> {
    let mut out = BufWriter::with_capacity(1 << 16, anstream::stdout().lock());
    let mut code = ExitCode::SUCCESS;
    for path in &args.files {
        let shown = show(args, path, &mut out).and_then(|()| Ok(out.flush()?));
        match shown {
            Ok(()) => {}
            // A reader such as `head` has seen enough.
            Err(Why::Write(error)) if error.kind() == ErrorKind::BrokenPipe => return Ok(code),
            Err(why) => {
                let _flushed = out.flush();
                crate::complain(&format!("{}: {why}", path.display()));
                code = ExitCode::FAILURE;
            }
        }
    }
    Ok(code)
}

fn show(args: &Args, path: &Path, out: &mut dyn Write) -> Result<(), Why> {
    if args.files.len() > 1 {
        writeln!(out, "{RECORD}{}{RECORD:#}", path.display())?;
    }
    if gnm::is_recording(path) {
        let wanted = gnm::Wanted { names: &args.method, draws: args.draws, submission: args.exec, raw: args.raw };
        return Ok(gnm::show(&wanted, path, out)?);
    }
    let mut player = Player::new(Reader::open(path)?);
    let mut printer = Printer::new(args);
    let mut draws = Draws::default();
    let mut run = 0;
    while let Some(located) = player.read()? {
        let executes = matches!(located.record, Record::Execute { .. });
        let chosen = args.exec.is_none_or(|only| executes && run == only);
        let records = chosen && args.method.is_empty() && !args.draws;
        if records {
            show_record(&located, run, out)?;
        }
        if let Record::Execute { get, put } = located.record {
            player.machine.set_pusher(get, put);
            printer.run(&player, chosen && !args.draws, out)?;
            run += 1;
        }
        let event = player.apply(located.record, &mut draws);
        for text in draws.lines.drain(..) {
            if args.draws && chosen {
                writeln!(out, "run {:<5} {text}", run - 1)?;
            }
        }
        match event {
            Some(Event::Fault(error)) => writeln!(out, "{BAD}{error}{BAD:#}")?,
            Some(Event::Frame(frame)) if args.draws && args.exec.is_none() => {
                writeln!(out, "{RECORD}saved{RECORD:#}     {}", frame.path().display())?;
            }
            _ => {}
        }
        if args.exec.is_some_and(|only| run > only) {
            break;
        }
    }
    Ok(())
}

fn show_record(located: &Located, run: u64, out: &mut dyn Write) -> io::Result<()> {
    let Located { number, offset, record } = located;
    write!(out, "{DIM}#{number:<6} {offset:#09x}{DIM:#}  {RECORD}")?;
    match record {
        Record::Memory { address, bytes } => writeln!(out, "MEM{RECORD:#}  {address:#010x}  {} bytes", bytes.len()),
        Record::Fill { address, size, word } => {
            writeln!(out, "FILL{RECORD:#} {address:#010x}  {size} bytes of {word:#010x}")
        }
        Record::Register { offset, value } => writeln!(out, "REG{RECORD:#}  {offset:#08x} = {value:#010x}"),
        Record::Execute { get, put } => writeln!(out, "EXEC{RECORD:#} {get:#010x} to {put:#010x}  run {run}"),
        Record::Software { code, parameters: [a, b] } => writeln!(out, "SWI{RECORD:#}  {code:#x}, {a:#x}, {b:#x}"),
        Record::Frame(frame) => {
            let (width, height, bits) = (frame.width, frame.height, frame.bits);
            let (address, pitch) = (frame.address, frame.pitch);
            let path = frame.path();
            write!(out, "FRME{RECORD:#} {} {}: ", frame.kind.escape_debug(), path.display())?;
            writeln!(out, "{width} x {height} of {bits} bits at {address:#010x}, pitch {pitch}")
        }
    }
}

/// Arguments of one method that stand on one line.
#[derive(Default)]
struct Line {
    address: u32,
    subchannel: u8,
    method: u16,
    words: Vec<u32>,
}

/// Prints runs of the push buffer.
struct Printer<'a> {
    args: &'a Args,
    classes: [Option<u8>; 8],
    line: Line,
    program: Vec<u32>,
    program_slot: u32,
}

/// Class of the 3D engine.
const KELVIN: Option<u8> = Some(0x97);
/// Arguments of a line.
const PER_LINE: usize = 4;

impl<'a> Printer<'a> {
    fn new(args: &'a Args) -> Self {
        Self { args, classes: [None; 8], line: Line::default(), program: Vec::new(), program_slot: 0 }
    }

    /// Prints what the machine would run now; what is not chosen is only followed.
    fn run(&mut self, player: &Player, chosen: bool, out: &mut dyn Write) -> io::Result<()> {
        for step in player.machine.walk(&player.memory) {
            match step {
                Ok(step) => self.step(player, step, chosen, out)?,
                // The run says what is wrong.
                Err(_) => break,
            }
        }
        self.flush(chosen, out)
    }

    fn step(&mut self, player: &Player, step: Step, chosen: bool, out: &mut dyn Write) -> io::Result<()> {
        let Step { address, word, what } = step;
        let What::Argument { subchannel, method, .. } = what else {
            if let What::Control(control) = what
                && self.args.raw
                && chosen
            {
                self.flush(chosen, out)?;
                write!(out, "  {address:08x}  {DIM}{word:08x}  ")?;
                match control {
                    Word::Jump { target, old } => write!(out, "{}jump {target:#010x}", if old { "old " } else { "" })?,
                    Word::Call { target } => write!(out, "call {target:#010x}")?,
                    Word::Return => write!(out, "return")?,
                    Word::Method(Header { method, subchannel, count, increasing }) => {
                        let order = if increasing { "increasing" } else { "to one method" };
                        write!(out, "{count} arguments, {order}, subchannel {subchannel}, method {method:#06x}")?;
                    }
                    Word::Reserved => write!(out, "reserved")?,
                }
                writeln!(out, "{DIM:#}")?;
            }
            return Ok(());
        };
        if !self.continues(subchannel, method) {
            self.flush(chosen, out)?;
            self.line = Line { address, subchannel, method, words: std::mem::take(&mut self.line.words) };
        }
        self.line.words.push(word);
        if method == method::SET_OBJECT {
            self.classes[usize::from(subchannel)] = player.machine.class_of(word);
        }
        if self.classes[usize::from(subchannel)] == KELVIN {
            match method {
                method::SET_TRANSFORM_PROGRAM_LOAD => self.program_slot = word,
                0x0B00..0x0B80 => self.program_word(word, chosen, out)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Whether an argument belongs on the line that was begun.
    fn continues(&self, subchannel: u8, at: u16) -> bool {
        let Line { subchannel: same, method, words, .. } = &self.line;
        if words.is_empty() || self.args.raw || *same != subchannel || words.len() == PER_LINE {
            return false;
        }
        let (Some(row), Some(next)) = (row_of(*method), row_of(at)) else { return false };
        let repeated = matches!(at, method::INLINE_ARRAY | method::ARRAY_ELEMENT16 | method::ARRAY_ELEMENT32);
        let behind = usize::from(at) == usize::from(*method) + 4 * words.len();
        let together = matches!(row.format, Format::Float | Format::Hex) && row.words > 1;
        row.offset == next.offset
            && (repeated && at == *method || together && behind && row.place(at).0 == row.place(*method).0)
    }

    fn wanted(&self, name: &str, row: Option<&Method>, at: u16) -> bool {
        self.args.method.is_empty()
            || self.args.method.iter().any(|wanted| {
                let offset = u16::from_str_radix(wanted.trim_start_matches("0x"), 16).ok();
                let same = offset == Some(at) || row.is_some_and(|row| offset == Some(row.offset));
                same || name.contains(&wanted.to_uppercase())
            })
    }

    /// The method's name with instance and argument, such as `SET_TEXTURE_FORMAT[1]` or `SET_COMPOSITE_MATRIX+4`.
    fn name(&self, at: u16, class: Option<u8>, row: Option<&Method>) -> String {
        let (name, instance, argument) = match (row, class.and_then(class_of)) {
            (Some(row), _) => (row.name, (row.count > 1).then_some(row.place(at).0), row.place(at).1),
            (None, Some(class)) => match class.method(at) {
                Some((name, words)) => (name, None, words),
                None => return format!("{}: ?", class.name),
            },
            (None, None) => return "?".into(),
        };
        let instance = instance.map_or_else(String::new, |instance| format!("[{instance}]"));
        let argument = if argument > 0 { format!("+{argument}") } else { String::new() };
        format!("{name}{instance}{argument}")
    }

    /// Prints the line that was begun.
    fn flush(&mut self, chosen: bool, out: &mut dyn Write) -> io::Result<()> {
        let Line { address, subchannel, method, .. } = self.line;
        let words = std::mem::take(&mut self.line.words);
        let class = self.classes[usize::from(subchannel)];
        let row = row_of(method).filter(|_| class == KELVIN || method == method::SET_OBJECT);
        let name = self.name(method, class, row);
        if !words.is_empty() && chosen && self.wanted(&name, row, method) {
            write!(out, "  {address:08x}  ")?;
            if self.args.raw {
                write!(out, "{DIM}{:08x}{DIM:#}  ", words[0])?;
            }
            let class = class.map_or("--".into(), |class| format!("{class:02x}"));
            write!(out, "{DIM}{subchannel} {class} {method:04x}{DIM:#}  ")?;
            let style = match method {
                method::SET_BEGIN_END | method::CLEAR_SURFACE if row.is_some() => DRAW,
                _ => NAME,
            };
            write!(out, "{style}{name:<38}{style:#} ")?;
            for (i, &word) in words.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                match row {
                    Some(row) if row.offset == method::INLINE_ARRAY => write!(out, "{comma}{word:08x}")?,
                    Some(_) => write!(out, "{comma}{}", Argument { method, word })?,
                    None => write!(out, "{comma}{word:#010x}")?,
                }
            }
            writeln!(out)?;
        }
        self.line.words = words;
        self.line.words.clear();
        Ok(())
    }

    /// A word of a vertex program; the fourth completes an instruction.
    fn program_word(&mut self, word: u32, chosen: bool, out: &mut dyn Write) -> io::Result<()> {
        self.program.push(word);
        if let &[a, b, c, d] = &self.program[..] {
            self.program.clear();
            let row = row_of(method::SET_TRANSFORM_PROGRAM);
            let shown = self.wanted("SET_TRANSFORM_PROGRAM", row, method::SET_TRANSFORM_PROGRAM);
            self.flush(chosen, out)?;
            if chosen && shown {
                write!(out, "{:22}{DIM}[{:3}]{DIM:#} ", "", self.program_slot)?;
                match Instruction::decode(&[a, b, c, d]) {
                    Ok(instruction) => writeln!(out, "{NAME}{instruction}{NAME:#}")?,
                    Err(error) => writeln!(out, "{BAD}{error}{BAD:#}")?,
                }
            }
            self.program_slot = self.program_slot.wrapping_add(1);
        }
        Ok(())
    }
}

/// Draws nothing, and says what would be drawn.
#[derive(Default)]
pub(super) struct Draws {
    /// What would have been drawn; whoever shows it takes it away.
    pub(super) lines: Vec<String>,
    /// Draws so far.
    pub(super) draws: u64,
    /// Clears so far.
    pub(super) clears: u64,
}

impl Graphics for Draws {
    fn draw(&mut self, _kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, primitive: &Primitive) {
        let parts = primitive.parts.iter().map(|part| match part {
            Part::Arrays { first, count } => format!("arrays {first} to {}", first + count - 1),
            Part::Elements(elements) => format!("{} elements", elements.len()),
            Part::Inline(words) => format!("{} inline words", words.len()),
            Part::Immediate(vertices) => format!("{} immediate vertices", vertices.len()),
            Part::EdgeFlag(on) => format!("edge flag {}", if *on { "on" } else { "off" }),
        });
        let parts: Vec<_> = parts.collect();
        let text = format!("{DRAW}draw {:<5}{DRAW:#} {:?}: {}", self.draws, primitive.kind, parts.join(", "));
        self.lines.push(text);
        self.draws += 1;
    }

    fn clear(&mut self, kelvin: &mut Kelvin, _memory: &mut dyn GuestMemory, flags: u32) {
        let argument = |method, word| Argument { method, word };
        let register = |method| argument(method, kelvin.registers.get(method));
        self.lines.push(format!(
            "{DRAW}clear {:<4}{DRAW:#} {}: color {}, depth and stencil {}, x {}, y {}",
            self.clears,
            argument(method::CLEAR_SURFACE, flags),
            register(method::SET_COLOR_CLEAR_VALUE),
            register(method::SET_ZSTENCIL_CLEAR_VALUE),
            register(method::SET_CLEAR_RECT_HORIZONTAL),
            register(method::SET_CLEAR_RECT_VERTICAL),
        ));
        self.clears += 1;
    }

    fn write_back(&mut self, _memory: &mut dyn GuestMemory, _address: u32, _size: u32) {}

    fn reset_pixel_count(&mut self) {}

    fn pixel_count(&mut self) -> u32 {
        0
    }

    fn flush(&mut self) {}
}
