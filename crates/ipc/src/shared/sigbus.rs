//! What happens when the other side truncates the file under a mapping: reading it raises SIGBUS, which would end the
//! viewer and every other program's window with it. Instead the missing pages are replaced by empty memory, and the
//! mapping remembers that it was damaged.
//!
//! Only a process that opens a [`super::Host`] installs the handler; a game's own handlers are left alone.

use std::ptr::NonNull;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst};

/// Mappings watched at once: 32 programs with every slot in use.
const WATCHED: usize = 2048;

struct Entry {
    /// 0: free.
    start: AtomicUsize,
    end: AtomicUsize,
    damaged: AtomicBool,
}

static ENTRIES: [Entry; WATCHED] =
    [const { Entry { start: AtomicUsize::new(0), end: AtomicUsize::new(0), damaged: AtomicBool::new(false) } };
        WATCHED];
static PAGE: AtomicUsize = AtomicUsize::new(4096);
/// Whether any mapping was ever damaged.
static ANY: AtomicBool = AtomicBool::new(false);
static INSTALL: Once = Once::new();
static INSTALLED: AtomicBool = AtomicBool::new(false);

/// Installs the handler.
pub(super) fn install() {
    INSTALL.call_once(|| {
        // SAFETY: sysconf has no preconditions.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        PAGE.store(usize::try_from(page).unwrap_or(4096), SeqCst);
        // SAFETY: the structure is plain data for which zero is a value.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_NODEFER | libc::SA_ONSTACK;
        // SAFETY: the handler only makes calls that are allowed in a signal handler.
        let code = unsafe { libc::sigaction(libc::SIGBUS, &raw const action, std::ptr::null_mut()) };
        INSTALLED.store(code == 0, SeqCst);
    });
}

extern "C" fn handler(signal: i32, info: *mut libc::siginfo_t, _: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid structure, and for SIGBUS the address is set.
    let address = unsafe { (*info).si_addr() }.addr();
    for entry in &ENTRIES {
        let start = entry.start.load(SeqCst);
        if start != 0 && (start..entry.end.load(SeqCst)).contains(&address) {
            let page = PAGE.load(SeqCst);
            let place = std::ptr::without_provenance_mut::<libc::c_void>(address & !(page - 1));
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            // SAFETY: replaces one page of a mapping that `watch` was told of, which its owner still holds.
            let page = unsafe { libc::mmap(place, page, protection, flags, -1, 0) };
            if page != libc::MAP_FAILED {
                entry.damaged.store(true, SeqCst);
                ANY.store(true, SeqCst);
                return;
            }
        }
    }
    // Not ours: back to the default, which ends the process when the instruction is tried again.
    // SAFETY: setting the default action has no preconditions.
    unsafe { libc::signal(signal, libc::SIG_DFL) };
}

/// Watches a mapping as long as it lives.
#[derive(Debug)]
pub(super) struct Watch(Option<usize>);

/// Watches `len` bytes at `start`. Drop the answer before the mapping.
pub(super) fn watch(start: NonNull<u8>, len: usize) -> Watch {
    if !INSTALLED.load(SeqCst) {
        return Watch(None);
    }
    let start = start.addr().get();
    let found = ENTRIES.iter().position(|entry| {
        // `end` is still 0 here, so the entry matches nothing until it is complete.
        entry.start.compare_exchange(0, start, SeqCst, SeqCst).is_ok()
    });
    match found {
        Some(index) => {
            ENTRIES[index].damaged.store(false, SeqCst);
            ENTRIES[index].end.store(start + len, SeqCst);
        }
        None => tracing::warn!("more than {WATCHED} shared mappings: a damaged one will end this process"),
    }
    Watch(found)
}

/// Whether the watched mapping that starts here has lost its file.
pub(super) fn damaged(start: NonNull<u8>) -> bool {
    let start = start.addr().get();
    ANY.load(SeqCst) && ENTRIES.iter().any(|entry| entry.start.load(SeqCst) == start && entry.damaged.load(SeqCst))
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(index) = self.0 {
            ENTRIES[index].end.store(0, SeqCst);
            ENTRIES[index].start.store(0, SeqCst);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truncated_file_reads_as_zeros() {
        install();
        let temp = tempfile::NamedTempFile::new().unwrap();
        let file = temp.as_file();
        file.set_len(64 << 10).unwrap();
        let memory = super::super::map::map(file, 0, 64 << 10).unwrap();
        assert!(memory.region.write(0, &[1; 100]));
        assert!(!damaged(memory.region.pointer()));
        file.set_len(0).unwrap();
        let mut bytes = [9; 100];
        assert!(memory.region.read(0, &mut bytes));
        assert_eq!(bytes, [0; 100]);
        assert!(damaged(memory.region.pointer()));
        assert!(memory.region.write(40 << 10, &[1; 100]));
    }
}
