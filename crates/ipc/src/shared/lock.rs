//! Locks on single bytes of the shared file: how each side knows that the other one lives. The kernel drops them when
//! the process ends. Both bytes lie far behind the end of the file.
//!
//! On Linux these are open-file-description locks. Wine's server turns `LockFileEx` into an `fcntl` lock on the same
//! byte, and the two kinds see each other.

use std::fs::File;
use std::io;

/// Which side's byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Side {
    /// Held by the program that made the file.
    Guest = 0,
    /// Held by the viewer that has claimed it.
    Viewer = 1,
}

impl Side {
    fn byte(self) -> u64 {
        (1 << 40) + self as u64
    }
}

/// Takes a side's lock; false if another process holds it.
pub(super) fn acquire(file: &File, side: Side) -> io::Result<bool> {
    platform::acquire(file, side.byte())
}

/// Whether another process holds a side's lock.
pub(super) fn is_held(file: &File, side: Side) -> io::Result<bool> {
    platform::is_held(file, side.byte())
}

#[cfg(unix)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;

    #[cfg(target_pointer_width = "64")]
    use libc::flock as Flock;
    #[cfg(not(target_pointer_width = "64"))]
    use libc::flock64 as Flock;

    fn describe(byte: u64) -> Flock {
        // SAFETY: the structure is plain data for which zero is a value.
        let mut lock: Flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as _;
        lock.l_whence = libc::SEEK_SET as _;
        lock.l_start = byte as _;
        lock.l_len = 1;
        lock
    }

    pub(super) fn acquire(file: &File, byte: u64) -> io::Result<bool> {
        let lock = describe(byte);
        // SAFETY: the descriptor is open and the structure is the one that the command takes.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const lock) } == 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EACCES) => Ok(false),
            _ => Err(error),
        }
    }

    pub(super) fn is_held(file: &File, byte: u64) -> io::Result<bool> {
        let mut lock = describe(byte);
        // SAFETY: as above; the kernel writes into the structure.
        if unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_GETLK, &raw mut lock) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(i64::from(lock.l_type) != i64::from(libc::F_UNLCK))
    }
}

#[cfg(windows)]
mod platform {
    use std::fs::File;
    use std::io;
    use std::os::windows::io::AsRawHandle;
    use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, ERROR_LOCK_VIOLATION};
    use windows_sys::Win32::Storage::FileSystem::{
        LOCKFILE_EXCLUSIVE_LOCK, LOCKFILE_FAIL_IMMEDIATELY, LockFileEx, UnlockFileEx,
    };
    use windows_sys::Win32::System::IO::OVERLAPPED;

    fn place(byte: u64) -> OVERLAPPED {
        let mut overlapped = OVERLAPPED::default();
        overlapped.Anonymous.Anonymous.Offset = byte as u32;
        overlapped.Anonymous.Anonymous.OffsetHigh = (byte >> 32) as u32;
        overlapped
    }

    pub(super) fn acquire(file: &File, byte: u64) -> io::Result<bool> {
        let flags = LOCKFILE_EXCLUSIVE_LOCK | LOCKFILE_FAIL_IMMEDIATELY;
        let mut overlapped = place(byte);
        // SAFETY: the handle is open and was not made for overlapped use, so the call is done when it returns.
        if unsafe { LockFileEx(file.as_raw_handle(), flags, 0, 1, 0, &raw mut overlapped) } != 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error().map(|code| code as u32) {
            Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => Ok(false),
            _ => Err(error),
        }
    }

    pub(super) fn is_held(file: &File, byte: u64) -> io::Result<bool> {
        if !acquire(file, byte)? {
            return Ok(true);
        }
        let mut overlapped = place(byte);
        // SAFETY: as above; the lock was just taken.
        if unsafe { UnlockFileEx(file.as_raw_handle(), 0, 1, 0, &raw mut overlapped) } == 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(false)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_seen_through_another_handle_until_it_is_closed() {
        let temp = tempfile::NamedTempFile::new().unwrap();
        let open = || File::options().read(true).write(true).open(temp.path()).unwrap();
        let (one, two) = (open(), open());
        assert!(!is_held(&two, Side::Guest).unwrap());
        assert!(acquire(&one, Side::Guest).unwrap());
        assert!(is_held(&two, Side::Guest).unwrap());
        assert!(!acquire(&two, Side::Guest).unwrap());
        assert!(acquire(&two, Side::Viewer).unwrap(), "the bytes are independent");
        drop(one);
        assert!(!is_held(&two, Side::Guest).unwrap());
    }
}
