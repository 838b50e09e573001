//! Whether a file that is to be run is a Windows program that Wine can start. Where it is none, Wine's own words are about something
//! else, and what is no program at all is taken for a script of the shell's.
//!
//! The format after Microsoft's "PE Format" (learn.microsoft.com/windows/win32/debug/pe-format).

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Why a file cannot be run.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Trouble {
    #[error("it is a folder")]
    Folder,
    #[error("it is empty")]
    Empty,
    #[error("it is neither a Windows program nor a Linux one, nor a script that begins with #!")]
    Unknown,
    #[error("it is a program for DOS, which Wine does not run; DOSBox does")]
    Dos,
    #[error("it is a program for {0}, which Wine does not run on this machine")]
    Old(&'static str),
    #[error("it is a Windows program for {0}; those for x86 run, 32 or 64 bit")]
    Machine(String),
    #[error("it is a library (DLL): run the program that uses it")]
    Library,
    #[error("it is {0}, which runs without Windows' desktop")]
    Subsystem(&'static str),
    #[error("it is cut short: it has {got} bytes, and {what} ends at {wanted}; copy or download it again")]
    CutShort { what: String, wanted: u64, got: u64 },
    #[error("it has no optional header, which a program must have")]
    Headers,
}

/// What is known of a Windows program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Program {
    /// Whether its code is .NET's.
    pub(crate) dot_net: bool,
}

/// `IMAGE_FILE_MACHINE_*`, those that somebody may have a program for.
const MACHINES: &[(u16, &str)] = &[
    (0x0166, "MIPS"),
    (0x0184, "Alpha"),
    (0x01A2, "SH3"),
    (0x01C0, "ARM"),
    (0x01C4, "ARM (Thumb-2)"),
    (0x01F0, "PowerPC"),
    (0x0200, "Itanium"),
    (0x0EBC, "EFI byte code"),
    (0x5064, "RISC-V"),
    (0xA641, "ARM64EC"),
    (0xAA64, "ARM64"),
];
const I386: u16 = 0x014C;
const AMD64: u16 = 0x8664;
/// `IMAGE_SUBSYSTEM_*` of programs that no desktop runs.
const SUBSYSTEMS: &[(u16, &str)] = &[
    (1, "a driver"),
    (10, "an EFI application"),
    (11, "an EFI driver"),
    (12, "an EFI driver"),
    (13, "an EFI ROM"),
    (14, "a program of the first Xbox"),
    (16, "a boot application"),
];
/// `IMAGE_FILE_DLL`.
const DLL: u16 = 0x2000;
/// Number of the directory entry of .NET's header.
const CLR: usize = 14;

fn half(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// What a file is that is no Linux program and no script.
///
/// # Errors
/// It cannot be read; or why it cannot be run.
pub(crate) fn check(path: &Path) -> io::Result<Result<Program, Trouble>> {
    if path.is_dir() {
        return Ok(Err(Trouble::Folder));
    }
    let mut file = File::open(path)?;
    let size = file.metadata()?.len();
    let mut head = Vec::new();
    (&mut file).take(64).read_to_end(&mut head)?;
    let offset = match (head.starts_with(b"MZ"), word(&head, 0x3C)) {
        (false, _) => return Ok(Err(if size == 0 { Trouble::Empty } else { Trouble::Unknown })),
        (true, None) => 0,
        (true, Some(offset)) => u64::from(offset),
    };
    // Headers and the table of sections, which have 64 KiB at most.
    let mut rest = Vec::new();
    file.seek(SeekFrom::Start(offset))?;
    file.take(64 << 10).read_to_end(&mut rest)?;
    Ok(headers(&head, offset, &rest, size))
}

/// Of a file of `got` bytes the first 64, and what lies at the offset that they name.
fn headers(head: &[u8], offset: u64, rest: &[u8], got: u64) -> Result<Program, Trouble> {
    // DOS programs may have anything there, but their relocations begin before it; new ones say that theirs do not.
    let is_new = half(head, 0x18).is_some_and(|relocations| relocations >= 0x40) && offset >= 0x40;
    match rest {
        [b'P', b'E', 0, 0, ..] => {}
        [b'N', b'E', ..] => return Err(Trouble::Old("Windows of 16 bit")),
        [b'L', b'E' | b'X', ..] => return Err(Trouble::Old("OS/2 or a driver of Windows 9x")),
        _ if is_new && offset >= got => {
            return Err(Trouble::CutShort { what: "its header".into(), wanted: offset + 24, got });
        }
        _ => return Err(Trouble::Dos),
    }
    let short = |bytes: usize| Trouble::CutShort { what: "its header".into(), wanted: offset + bytes as u64, got };
    let (Some(machine), Some(sections), Some(optional), Some(flags)) =
        (half(rest, 4), half(rest, 6), half(rest, 20), half(rest, 22))
    else {
        return Err(short(24));
    };
    let wide = match machine {
        I386 => false,
        AMD64 => true,
        other => {
            let name = MACHINES.iter().find(|row| row.0 == other).map(|row| row.1.to_owned());
            return Err(Trouble::Machine(name.unwrap_or_else(|| format!("machine {other:#06x}"))));
        }
    };
    if flags & DLL != 0 {
        return Err(Trouble::Library);
    }
    let table = 24 + usize::from(optional);
    let directories = 24 + if wide { 112 } else { 96 };
    if usize::from(optional) < directories - 24 {
        return Err(Trouble::Headers);
    }
    if rest.len() < table {
        return Err(short(table));
    }
    let subsystem = half(rest, 24 + 68).unwrap_or(0);
    if let Some((_, name)) = SUBSYSTEMS.iter().find(|row| row.0 == subsystem) {
        return Err(Trouble::Subsystem(name));
    }
    for number in 0..usize::from(sections) {
        let at = table + 40 * number;
        let Some(section) = rest.get(at..at + 40) else { return Err(short(at + 40)) };
        let (bytes, place) = (word(section, 16).unwrap_or(0), word(section, 20).unwrap_or(0));
        let wanted = u64::from(place) + u64::from(bytes);
        // The last one's size may be rounded up beyond the file's end, to the alignment of files.
        let alignment = u64::from(word(rest, 24 + 36).unwrap_or(512)).clamp(1, 0x1_0000);
        if bytes > 0 && wanted >= got.saturating_add(alignment) {
            let name = String::from_utf8_lossy(&section[..8]);
            let what = format!("its section {}", name.trim_end_matches('\0').escape_default());
            return Err(Trouble::CutShort { what, wanted, got });
        }
    }
    let clr = directories + 8 * CLR;
    let has = word(rest, directories - 4).is_some_and(|count| count as usize > CLR) && clr + 8 <= table;
    Ok(Program { dot_net: has && word(rest, clr).is_some_and(|address| address != 0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with one section of 512 bytes, and `change`d.
    fn program(change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
        let mut bytes = vec![0; 0x80];
        bytes[..2].copy_from_slice(b"MZ");
        (bytes[0x18], bytes[0x3C]) = (0x40, 0x80);
        bytes.extend(b"PE\0\0");
        for half in [AMD64, 1, 0, 0, 0, 0, 0, 0, 240, 0x22] {
            bytes.extend(half.to_le_bytes());
        }
        bytes.resize(0x80 + 24 + 240, 0);
        bytes[0x80 + 24 + 36..][..2].copy_from_slice(&512u16.to_le_bytes());
        bytes[0x80 + 24 + 68] = 2;
        bytes[0x80 + 24 + 108] = 16;
        bytes.extend(b".text\0\0\0");
        bytes.resize(bytes.len() + 32, 0);
        let section = bytes.len() - 40;
        bytes[section + 16..][..8].copy_from_slice(&[0, 2, 0, 0, 0, 2, 0, 0]);
        bytes.resize(0x400, 0xCC);
        change(&mut bytes);
        bytes
    }

    fn of(bytes: &[u8]) -> Result<Program, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        check(file.path()).unwrap().map_err(|trouble| trouble.to_string())
    }

    #[test]
    fn programs_are_programs() {
        assert_eq!(of(&program(|_| {})), Ok(Program { dot_net: false }));
        assert_eq!(of(&program(|bytes| bytes[0x80 + 24 + 112 + 8 * CLR] = 8)), Ok(Program { dot_net: true }));
    }

    #[test]
    fn what_is_none_is_told_in_words() {
        let says = |bytes: &[u8], text: &str| {
            let said = of(bytes).unwrap_err();
            assert!(said.contains(text), "{said}: not {text}");
        };
        says(b"", "empty");
        says(b"hello, world\n", "neither a Windows program");
        says(b"MZ", "DOS");
        let mut dos = vec![0x90; 4000];
        dos[..2].copy_from_slice(b"MZ");
        (dos[0x18], dos[0x19]) = (0x1C, 0);
        says(&dos, "DOS");
        for (magic, text) in [(b"NE", "16 bit"), (b"LE", "OS/2")] {
            says(&program(|bytes| bytes[0x80..0x82].copy_from_slice(magic)), text);
        }
        says(&program(|bytes| bytes.truncate(0x60)), "cut short: it has 96 bytes, and its header ends at 152");
        says(&program(|bytes| bytes.truncate(0xC0)), "its header ends at");
        says(&program(|bytes| bytes.truncate(0x1FF)), "its section .text ends at 1024");
        says(&program(|bytes| bytes[0x84..0x86].copy_from_slice(&0xAA64u16.to_le_bytes())), "for ARM64");
        says(&program(|bytes| bytes[0x84..0x86].copy_from_slice(&0x1234u16.to_le_bytes())), "machine 0x1234");
        says(&program(|bytes| bytes[0x80 + 23] = 0x20), "library (DLL)");
        says(&program(|bytes| bytes[0x80 + 24 + 68] = 1), "a driver");
        says(&program(|bytes| bytes[0x80 + 24 + 68] = 14), "first Xbox");
        says(&program(|bytes| bytes[0x80 + 20] = 8), "no optional header");
        assert_eq!(check(&std::env::temp_dir()).unwrap(), Err(Trouble::Folder));
    }

    #[test]
    fn any_bytes_are_something() {
        let whole = program(|_| {});
        for at in 0..whole.len().min(0x200) {
            for value in [0, 1, 0x7F, 0xFF] {
                let _anything = of(&program(|bytes| bytes[at] = value));
            }
            let _anything = of(&whole[..at]);
        }
    }
}
