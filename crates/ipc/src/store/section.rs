//! Sections: memory without an address, and views that give a part of it one.

use std::io;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Views begin and end at multiples of this in their section, as Windows wants it.
pub(super) const GRANULE: u64 = 64 << 10;

/// Memory that the system keeps. Zero at first, and backed by pages only where it was written.
pub(super) struct Section {
    raw: raw::Section,
    bytes: u64,
}

impl Section {
    pub(super) fn new(bytes: u64) -> io::Result<Self> {
        Ok(Self { raw: raw::Section::new(bytes)?, bytes })
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// A part of a section, mapped.
pub(super) struct View {
    pointer: NonNull<u8>,
    len: usize,
    /// Used since somebody last looked for views to unmap.
    used: AtomicBool,
    _section: Arc<Section>,
}

// SAFETY: the view is memory that stays mapped until it is dropped; who reads and writes it is the stores' matter.
unsafe impl Send for View {}
// SAFETY: as above.
unsafe impl Sync for View {}

impl View {
    /// Maps `len` bytes from `offset` on; both are multiples of [`GRANULE`].
    pub(super) fn new(section: &Arc<Section>, offset: u64, len: u64) -> io::Result<Self> {
        let inside = offset.checked_add(len).is_some_and(|end| end <= section.bytes);
        let len = usize::try_from(len).ok().filter(|_| inside).ok_or(io::ErrorKind::InvalidInput)?;
        let pointer = section.raw.map(offset, len)?;
        Ok(Self { pointer, len, used: AtomicBool::new(true), _section: Arc::clone(section) })
    }

    pub(super) fn len(&self) -> u64 {
        self.len as u64
    }

    /// The byte at `offset`, and a note that the view is in use.
    #[inline]
    pub(super) fn touch(&self, offset: usize) -> NonNull<u8> {
        assert!(offset <= self.len, "offset outside of the view");
        self.used.store(true, Relaxed);
        // SAFETY: inside of the view, as was just checked.
        unsafe { self.pointer.add(offset) }
    }

    /// Whether it was used since the last call.
    pub(super) fn was_used(&self) -> bool {
        self.used.swap(false, Relaxed)
    }
}

impl Drop for View {
    fn drop(&mut self) {
        raw::unmap(self.pointer, self.len);
    }
}

#[cfg(unix)]
mod raw {
    use std::io;
    #[cfg(target_os = "linux")]
    use std::os::fd::FromRawFd;
    use std::os::fd::{AsRawFd, OwnedFd};
    use std::ptr::NonNull;

    pub(super) struct Section(OwnedFd);

    impl Section {
        pub(super) fn new(bytes: u64) -> io::Result<Self> {
            let file = std::fs::File::from(anonymous()?);
            file.set_len(bytes)?;
            Ok(Self(file.into()))
        }

        pub(super) fn map(&self, offset: u64, len: usize) -> io::Result<NonNull<u8>> {
            let offset = libc::off_t::try_from(offset).map_err(|_| io::ErrorKind::InvalidInput)?;
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            // SAFETY: a new mapping at an address of the system's choice touches no memory of ours.
            let pointer = unsafe {
                libc::mmap(std::ptr::null_mut(), len, protection, libc::MAP_SHARED, self.0.as_raw_fd(), offset)
            };
            if pointer == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            NonNull::new(pointer.cast()).ok_or_else(|| io::ErrorKind::OutOfMemory.into())
        }
    }

    #[cfg(target_os = "linux")]
    fn anonymous() -> io::Result<OwnedFd> {
        // SAFETY: the name is a C string; the call touches no other memory.
        let descriptor = unsafe { libc::memfd_create(c"afterimage resources".as_ptr(), libc::MFD_CLOEXEC) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the descriptor was just made, and nobody else has it.
        Ok(unsafe { OwnedFd::from_raw_fd(descriptor) })
    }

    #[cfg(not(target_os = "linux"))]
    fn anonymous() -> io::Result<OwnedFd> {
        Ok(tempfile::tempfile()?.into())
    }

    pub(super) fn unmap(pointer: NonNull<u8>, len: usize) {
        // SAFETY: mapped in `map` with this length; the view is being dropped, so nobody uses it.
        unsafe { libc::munmap(pointer.as_ptr().cast(), len) };
    }
}

#[cfg(windows)]
mod raw {
    use std::io;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
    use std::ptr::NonNull;
    use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
    use windows_sys::Win32::System::Memory::{
        CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, PAGE_READWRITE,
        UnmapViewOfFile,
    };

    pub(super) struct Section(OwnedHandle);

    impl Section {
        pub(super) fn new(bytes: u64) -> io::Result<Self> {
            let (high, low) = ((bytes >> 32) as u32, bytes as u32);
            // SAFETY: a section of the page file, without a name; no memory of ours is touched.
            let handle = unsafe {
                CreateFileMappingW(INVALID_HANDLE_VALUE, std::ptr::null(), PAGE_READWRITE, high, low, std::ptr::null())
            };
            if handle.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle was just made, and nobody else has it.
            Ok(Self(unsafe { OwnedHandle::from_raw_handle(handle) }))
        }

        pub(super) fn map(&self, offset: u64, len: usize) -> io::Result<NonNull<u8>> {
            let (high, low) = ((offset >> 32) as u32, offset as u32);
            // SAFETY: a new view at an address of the system's choice touches no memory of ours.
            let view = unsafe { MapViewOfFile(self.0.as_raw_handle(), FILE_MAP_READ | FILE_MAP_WRITE, high, low, len) };
            NonNull::new(view.Value.cast()).ok_or_else(io::Error::last_os_error)
        }
    }

    pub(super) fn unmap(pointer: NonNull<u8>, _: usize) {
        // SAFETY: mapped in `map`; the view is being dropped, so nobody uses it.
        unsafe { UnmapViewOfFile(MEMORY_MAPPED_VIEW_ADDRESS { Value: pointer.as_ptr().cast() }) };
    }
}
