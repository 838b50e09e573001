//! What kind of program a file is.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// Width of a program or a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Width {
    /// 32 bit.
    W32,
    /// 64 bit.
    W64,
}

impl Width {
    /// Folder of this width's Windows files in the release tree.
    pub(crate) fn folder(self) -> &'static str {
        match self {
            Self::W32 => "i686",
            Self::W64 => "x86_64",
        }
    }

    /// Bits of a pointer.
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::W32 => 32,
            Self::W64 => 64,
        }
    }
}

/// Kind of an executable file or library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// For Windows.
    Pe(Width),
    /// For Linux.
    Elf(Width),
    /// For macOS, of 64 bit.
    MachO,
    /// Text that says what runs it.
    Script,
    /// Nothing that can run.
    Other,
}

impl Kind {
    /// The width of a program of this system's own.
    pub(crate) fn native(self) -> Option<Width> {
        match self {
            Self::Elf(width) if cfg!(target_os = "linux") => Some(width),
            Self::MachO if cfg!(target_os = "macos") => Some(Width::W64),
            _ => None,
        }
    }

    /// Looks into a file's headers.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let mut head = [0; 64];
        let length = read_up_to(&mut file, &mut head)?;
        let head = &head[..length];
        if let [0x7f, b'E', b'L', b'F', class, ..] = head {
            return Ok(Self::Elf(if *class == 1 { Width::W32 } else { Width::W64 }));
        }
        if head.starts_with(b"#!") {
            return Ok(Self::Script);
        }
        // One for one processor, and one for several, in which the greater number tells Java's classes apart.
        let several = matches!(head, [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 1..=15, ..]);
        if several || head.starts_with(&0xfeed_facf_u32.to_le_bytes()) {
            return Ok(Self::MachO);
        }
        if head.starts_with(b"MZ")
            && let Some(offset) = head.get(0x3c..).and_then(|rest| rest.first_chunk())
        {
            file.seek(SeekFrom::Start(u64::from(u32::from_le_bytes(*offset))))?;
            let mut header = [0; 6];
            read_up_to(&mut file, &mut header)?;
            return Ok(match header {
                [b'P', b'E', 0, 0, 0x64, 0x86] => Self::Pe(Width::W64),
                [b'P', b'E', 0, 0, 0x4c, 0x01] => Self::Pe(Width::W32),
                _ => Self::Other,
            });
        }
        Ok(Self::Other)
    }
}

fn read_up_to(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    let mut bytes = Vec::new();
    file.take(buffer.len() as u64).read_to_end(&mut bytes)?;
    buffer[..bytes.len()].copy_from_slice(&bytes);
    Ok(bytes.len())
}

/// The file that a command line names: a path, or a name to look up in `PATH`.
pub(crate) fn resolve(name: &Path) -> Option<PathBuf> {
    if name.is_file() {
        return Some(name.to_path_buf());
    }
    if name.components().count() > 1 { None } else { in_path(name) }
}

/// A program in `PATH`.
pub(crate) fn in_path(name: &Path) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_header() {
        let temp = tempfile::tempdir().unwrap();
        let kind = |bytes: &[u8]| {
            let path = temp.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            Kind::of(&path).unwrap()
        };
        let pe = |machine: u16| {
            let mut bytes = vec![0; 0x80];
            bytes[..2].copy_from_slice(b"MZ");
            bytes[0x3c] = 0x80;
            bytes.extend(b"PE\0\0");
            bytes.extend(machine.to_le_bytes());
            bytes
        };
        assert_eq!(kind(&pe(0x8664)), Kind::Pe(Width::W64));
        assert_eq!(kind(&pe(0x014c)), Kind::Pe(Width::W32));
        assert_eq!(kind(&pe(0xaa64)), Kind::Other);
        assert_eq!(kind(&pe(0x8664)[..0x82]), Kind::Other);
        assert_eq!(kind(b"MZ"), Kind::Other);
        assert_eq!(kind(b"#!/bin/sh\n"), Kind::Script);
        assert_eq!(kind(&[0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]), Kind::MachO);
        assert_eq!(kind(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2]), Kind::MachO);
        assert_eq!(kind(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52]), Kind::Other, "a class of Java's");
        assert_eq!(kind(b""), Kind::Other);
        assert_eq!(Kind::of(&std::env::current_exe().unwrap()).unwrap().native(), Some(Width::W64));
        assert_eq!(Kind::Pe(Width::W64).native(), None);
    }
}
