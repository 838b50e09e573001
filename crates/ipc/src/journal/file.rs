//! Journals that another process can read: the page is a file in memory.

use super::{Journal, Memory, WORDS, at};
use memmap2::{MmapOptions, MmapRaw};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::NonNull;
use std::sync::atomic::AtomicBool;

const BYTES: usize = WORDS * 8;
/// "AFTRJNL" and the layout's version.
const MAGIC: u64 = u64::from_le_bytes(*b"AFTRJNL\x01");

/// The file, and where it is mapped.
pub(super) struct Mapped {
    file: OwnedFd,
    _map: MmapRaw,
}

impl Journal {
    /// An empty one that another process can attach to, given its file.
    ///
    /// # Errors
    /// Where the system has no memory files.
    pub fn create() -> io::Result<Self> {
        let file = raw::create(BYTES as u64)?;
        let journal = Self::map(file)?;
        journal.set(at::MAGIC, MAGIC);
        Ok(journal)
    }

    /// The one of a file that [`Journal::create`] made, in this process or another.
    ///
    /// # Errors
    /// Where the file is none, or could still shrink: reading what is gone would end this process.
    pub fn attach(file: OwnedFd) -> io::Result<Self> {
        raw::check(&file, BYTES as u64)?;
        let journal = Self::map(file)?;
        match journal.get(at::MAGIC) {
            MAGIC => Ok(journal),
            other => Err(invalid(format!("the file is no journal: it begins with {other:#018x}"))),
        }
    }

    /// Its file, for the other process.
    ///
    /// # Panics
    /// For [`Journal::local`], which has none.
    #[must_use]
    pub fn file(&self) -> BorrowedFd<'_> {
        match &self.memory {
            Memory::File(mapped) => mapped.file.as_fd(),
            Memory::Own => panic!("a journal of one process has no file"),
        }
    }

    fn map(file: OwnedFd) -> io::Result<Self> {
        let map = MmapOptions::new().len(BYTES).map_raw(file.as_raw_fd())?;
        let words = NonNull::new(map.as_mut_ptr().cast()).ok_or(io::ErrorKind::OutOfMemory)?;
        Ok(Self { words, memory: Memory::File(Mapped { file, _map: map }), taken: AtomicBool::new(false) })
    }
}

fn invalid(what: String) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, what)
}

#[cfg(target_os = "linux")]
mod raw {
    use super::invalid;
    use std::fs::File;
    use std::io;
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

    /// A file in memory that keeps its size.
    pub(super) fn create(bytes: u64) -> io::Result<OwnedFd> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: the name is a C string; the call touches no other memory.
        let descriptor = unsafe { libc::memfd_create(c"afterimage journal".as_ptr(), flags) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made, and nobody else has it.
        let file = File::from(unsafe { OwnedFd::from_raw_fd(descriptor) });
        file.set_len(bytes)?;
        let seals = libc::F_SEAL_SHRINK | libc::F_SEAL_GROW | libc::F_SEAL_SEAL;
        // SAFETY: the descriptor is open; the call touches no memory of ours.
        match unsafe { libc::fcntl(file.as_raw_fd(), libc::F_ADD_SEALS, seals) } {
            0 => Ok(file.into()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Whether the file has so many bytes, and cannot have fewer.
    pub(super) fn check(file: &OwnedFd, bytes: u64) -> io::Result<()> {
        // SAFETY: as above.
        let seals = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_GET_SEALS) };
        if seals < 0 || seals & libc::F_SEAL_SHRINK == 0 {
            return Err(invalid("the file is no journal: its size is not sealed".to_owned()));
        }
        match File::from(file.try_clone()?).metadata()?.len() {
            len if len >= bytes => Ok(()),
            len => Err(invalid(format!("the file is no journal: it has {len} bytes instead of {bytes}"))),
        }
    }
}

/// Elsewhere it is a file without a name, whose size nothing seals: a renderer process that cuts it short ends the one that reads it.
#[cfg(not(target_os = "linux"))]
mod raw {
    use super::invalid;
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;

    pub(super) fn create(bytes: u64) -> io::Result<OwnedFd> {
        let file = tempfile::tempfile()?;
        file.set_len(bytes)?;
        Ok(file.into())
    }

    pub(super) fn check(file: &OwnedFd, bytes: u64) -> io::Result<()> {
        match File::from(file.try_clone()?).metadata()?.len() {
            len if len >= bytes => Ok(()),
            len => Err(invalid(format!("the file is no journal: it has {len} bytes instead of {bytes}"))),
        }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use afterimage_stream::Kind;
    use std::fs::File;

    #[test]
    fn what_one_writes_the_other_reads_also_when_the_writer_is_gone() {
        let journal = Journal::create().unwrap();
        let other = Journal::attach(journal.file().try_clone_to_owned().unwrap()).unwrap();
        other.begin_packet(Kind::Present, 9);
        drop(other);
        assert_eq!(journal.read().packet, Some((Kind::Present, 9)));
    }

    #[test]
    fn a_file_that_is_none_or_could_shrink_is_refused() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(BYTES as u64).unwrap();
        let error = Journal::attach(OwnedFd::from(file)).unwrap_err();
        assert_eq!(error.to_string(), "the file is no journal: its size is not sealed");
        let journal = Journal::create().unwrap();
        let file = File::from(journal.file().try_clone_to_owned().unwrap());
        assert!(file.set_len(0).is_err() && file.set_len(1 << 20).is_err(), "its size stays");
        journal.set(at::MAGIC, 7);
        let error = Journal::attach(file.into()).unwrap_err();
        assert_eq!(error.to_string(), "the file is no journal: it begins with 0x0000000000000007");
    }
}
