//! What a report says. Nothing here allocates or takes a lock.

use core::cell::UnsafeCell;
use core::fmt::{self, Write as _};
use std::time::{SystemTime, UNIX_EPOCH};

use super::{DEVICE, Prepared, packets, platform};

/// Words of the stack that are looked at.
const STACK_WORDS: usize = 4096;
/// Words among them that are shown.
const STACK_SHOWN: usize = 64;
/// Addresses below this are null pointers: nothing can be there.
const NULL_PAGES: usize = 0x1_0000;
/// Pieces of memory that are known by module.
const REGIONS: usize = 2048;
/// Bytes of a module's name.
const NAME: usize = 96;

/// Mapped memory.
#[derive(Clone, Copy)]
pub(super) struct Region {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) executable: bool,
    /// Where its module begins.
    pub(super) base: usize,
    /// The end of the module's file name, UTF-8.
    name: [u8; NAME],
    length: usize,
}

impl Region {
    const NONE: Self = Self { start: 0, end: 0, executable: false, base: 0, name: [0; NAME], length: 0 };

    /// The module's file name.
    fn name(&self) -> &str {
        core::str::from_utf8(&self.name[..self.length]).unwrap_or("?")
    }
}

/// Every piece of memory that belongs to a module.
pub(super) struct Regions {
    list: [Region; REGIONS],
    count: usize,
}

impl Regions {
    /// Notes one; `path` is that of the module's file.
    pub(super) fn push(&mut self, start: usize, end: usize, executable: bool, base: usize, path: &[u8]) {
        let Some(region) = self.list.get_mut(self.count) else { return };
        self.count += 1;
        let file = path.rsplit(|&byte| byte == b'/' || byte == b'\\').next().unwrap_or_default();
        let length = file.len().min(NAME);
        *region = Region { start, end, executable, base, name: [0; NAME], length };
        region.name[..length].copy_from_slice(&file[..length]);
    }

    /// The one that was noted last.
    pub(super) fn last(&self) -> Option<(usize, &[u8])> {
        let region = self.list[..self.count].last()?;
        Some((region.base, &region.name[..region.length]))
    }

    fn of(&self, address: usize) -> Option<&Region> {
        self.list[..self.count].iter().find(|region| (region.start..region.end).contains(&address))
    }

    /// An address as `module+offset`.
    fn place(&self, address: usize) -> Place<'_> {
        Place(address, self.of(address))
    }
}

/// An address for a person.
struct Place<'a>(usize, Option<&'a Region>);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)?;
        match self.1 {
            Some(region) => write!(f, " {}+{:#x}", region.name(), self.0 - region.base),
            None => Ok(()),
        }
    }
}

/// The file, behind a buffer.
struct Out<'a> {
    file: platform::File,
    buffer: &'a mut [u8; 1024],
    used: usize,
}

impl Out<'_> {
    fn flush(&mut self) {
        self.file.write(&self.buffer[..self.used]);
        self.used = 0;
    }
}

impl fmt::Write for Out<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for &byte in text.as_bytes() {
            if self.used == self.buffer.len() {
                self.flush();
            }
            self.buffer[self.used] = byte;
            self.used += 1;
        }
        Ok(())
    }
}

/// Text of which only so many bytes are written.
pub(super) struct Short<'a, W> {
    pub(super) out: &'a mut W,
    pub(super) left: usize,
}

impl<W: fmt::Write> fmt::Write for Short<'_, W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.left == 0 {
            return Ok(());
        }
        if text.len() <= self.left {
            self.left -= text.len();
            return self.out.write_str(text);
        }
        let mut end = self.left;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        self.left = 0;
        self.out.write_str(&text[..end])?;
        self.out.write_str(" ...")
    }
}

/// Memory of the one report that is written at a time. Who crashes may have only a few pages of stack left.
struct Memory(UnsafeCell<(Regions, packets::Words, [u8; 1024])>);

// SAFETY: only `write` uses it, whose caller promises to be alone.
unsafe impl Sync for Memory {}

static MEMORY: Memory =
    Memory(UnsafeCell::new((Regions { list: [Region::NONE; REGIONS], count: 0 }, [0; packets::MOST_WORDS], [0; 1024])));

/// Writes a report.
///
/// # Safety
/// Nobody else is in here.
pub(super) unsafe fn write(
    prepared: &Prepared,
    file: platform::File,
    what: &dyn fmt::Display,
    context: Option<&platform::Context<'_>>,
) {
    // SAFETY: the caller's promise.
    let (regions, words, buffer) = unsafe { &mut *MEMORY.0.get() };
    regions.count = 0;
    let mut out = Out { file, buffer, used: 0 };
    // Errors of writing have nowhere to go.
    let _ = head(&mut out, prepared, what);
    out.flush();
    platform::regions(regions, bytemuck::cast_slice_mut(words));
    let _ = machine(&mut out, regions, context);
    out.flush();
    let _ = packets::write(&mut out, words);
    out.flush();
    let _ = modules(&mut out, regions);
    out.flush();
    platform::say(&["afterimage: ", "wrote a report to ", &prepared.name, "\n"]);
}

fn head(out: &mut Out<'_>, prepared: &Prepared, what: &dyn fmt::Display) -> fmt::Result {
    writeln!(out, "Afterimage {}: {what}\n", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "program  {} (process {}, {} bit)", prepared.program, std::process::id(), usize::BITS)?;
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    let ([year, month, day], time) = (date(seconds / 86400), seconds % 86400);
    let (hour, minute, second) = (time / 3600, time / 60 % 60, time % 60);
    writeln!(out, "time     {year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")?;
    writeln!(out, "device   {}", DEVICE.get().map_or("none yet", String::as_str))?;
    writeln!(out, "\nconfiguration\n{}", prepared.configuration)
}

/// Year, month and day of a number of days since 1970, in the Gregorian calendar.
fn date(days: u64) -> [u64; 3] {
    let leap = |year: u64| year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    let (mut year, mut left) = (1970, days);
    // As many steps as years since 1970.
    while left >= 365 + u64::from(leap(year)) && year < 9999 {
        left -= 365 + u64::from(leap(year));
        year += 1;
    }
    let mut month = 0;
    let lengths = [31, 28 + u64::from(leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    while month < 11 && left >= lengths[month] {
        left -= lengths[month];
        month += 1;
    }
    [year, month as u64 + 1, left + 1]
}

fn machine(out: &mut Out<'_>, regions: &Regions, context: Option<&platform::Context<'_>>) -> fmt::Result {
    let here = 0u8;
    let stack = match context {
        Some(context) => {
            writeln!(out, "at       {}", regions.place(context.instruction()))?;
            caller(out, regions, context)?;
            writeln!(out, "\nregisters")?;
            for (index, (name, value)) in context.registers().enumerate() {
                let end = if index % 4 == 3 { "\n" } else { "" };
                write!(out, "  {name:<3} {value:0width$x}{end}", width = size_of::<usize>() * 2)?;
            }
            context.stack()
        }
        None => (&raw const here).addr(),
    };
    writeln!(out, "\n\nstack: words that point into code, of which some are return addresses")?;
    const WORD: usize = size_of::<usize>();
    let mut shown = 0;
    let mut address = stack & !(WORD - 1);
    for _ in 0..STACK_WORDS {
        let mut bytes = [0; WORD];
        if shown == STACK_SHOWN || platform::read_memory(address, &mut bytes) != WORD {
            break;
        }
        let word = usize::from_ne_bytes(bytes);
        if let Some(region) = regions.of(word).filter(|region| region.executable) {
            writeln!(out, "  {address:#x}: {}", Place(word, Some(region)))?;
            shown += 1;
        }
        address = address.wrapping_add(WORD);
    }
    Ok(())
}

/// Who called a null function: its return address is on top of the stack.
fn caller(out: &mut Out<'_>, regions: &Regions, context: &platform::Context<'_>) -> fmt::Result {
    let mut word = [0; size_of::<usize>()];
    if context.instruction() >= NULL_PAGES || platform::read_memory(context.stack(), &mut word) != word.len() {
        return Ok(());
    }
    writeln!(out, "from     {}", regions.place(usize::from_ne_bytes(word)))
}

fn modules(out: &mut Out<'_>, regions: &Regions) -> fmt::Result {
    writeln!(out, "\nmodules")?;
    let all = &regions.list[..regions.count];
    for (index, region) in all.iter().enumerate() {
        let same = |other: &&Region| other.base == region.base;
        if all[..index].iter().any(|other| other.base == region.base) {
            continue;
        }
        let end = all.iter().filter(same).map(|other| other.end).max().unwrap_or(region.end);
        writeln!(out, "  {:#x} to {end:#x} {}", region.base, region.name())?;
    }
    writeln!(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        assert_eq!(date(0), [1970, 1, 1]);
        assert_eq!(date(59), [1970, 3, 1]);
        assert_eq!(date(11_016), [2000, 2, 29]);
        assert_eq!(date(20_818), [2026, 12, 31]);
        assert_eq!(date(u64::MAX)[0], 9999);
    }

    #[test]
    fn long_text_is_cut_between_characters() {
        let mut text = String::new();
        let mut short = Short { out: &mut text, left: 4 };
        write!(short, "abcÄÖ{}", 5).unwrap();
        assert_eq!(text, "abc ...");
    }
}
