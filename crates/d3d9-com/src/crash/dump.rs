//! Minidumps beside the reports, which debuggers open: Windows' own `MiniDumpWriteDump`.
//!
//! It allocates and takes locks, which the thread that crashes may hold. So a thread of its own writes the dump, which waits for that from
//! the beginning, and the program ends after [`LIMIT_MS`] even if that thread never comes back.

use core::ffi::{CStr, c_void};
use core::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{GENERIC_WRITE, HANDLE, INVALID_HANDLE_VALUE, WAIT_OBJECT_0};
use windows_sys::Win32::Storage::FileSystem::{CREATE_ALWAYS, CreateFileW, FILE_ATTRIBUTE_NORMAL, FILE_SHARE_READ};
use windows_sys::Win32::System::Diagnostics::Debug::{
    EXCEPTION_POINTERS, MINIDUMP_EXCEPTION_INFORMATION, MINIDUMP_TYPE, MiniDumpWithIndirectlyReferencedMemory,
    MiniDumpWithThreadInfo, MiniDumpWithUnloadedModules,
};
use windows_sys::Win32::System::LibraryLoader::{GetProcAddress, LOAD_LIBRARY_SEARCH_SYSTEM32, LoadLibraryExW};
use windows_sys::Win32::System::Threading::{
    CreateEventW, GetCurrentProcess, GetCurrentProcessId, GetCurrentThreadId, INFINITE, SetEvent, WaitForSingleObject,
};

use super::platform::{File, FilePath};

/// Milliseconds that a crashing program waits for its dump.
const LIMIT_MS: u32 = 20_000;
/// Bytes of stack of the thread that writes.
const STACK: usize = 256 << 10;
/// What is in a dump: threads with their stacks, modules, and the memory that stacks point to.
const WHAT: MINIDUMP_TYPE =
    MiniDumpWithIndirectlyReferencedMemory | MiniDumpWithThreadInfo | MiniDumpWithUnloadedModules;

/// `MiniDumpWriteDump`, whose last three arguments may be null.
type Write = unsafe extern "system" fn(
    HANDLE,
    u32,
    HANDLE,
    MINIDUMP_TYPE,
    *const MINIDUMP_EXCEPTION_INFORMATION,
    *const c_void,
    *const c_void,
) -> i32;

/// What the two threads share.
struct Dump {
    path: FilePath,
    /// The same, to be printed.
    name: String,
    /// Signalled by who crashes.
    asked: Event,
    /// Signalled when there is a dump, or there will be none.
    done: Event,
}

static DUMP: OnceLock<Dump> = OnceLock::new();
/// The exception, and the thread that it is of.
static EXCEPTION: AtomicPtr<EXCEPTION_POINTERS> = AtomicPtr::new(core::ptr::null_mut());
static THREAD: AtomicU32 = AtomicU32::new(0);
/// Whether the thread that writes is waiting, and whether it has written.
static WAITING: AtomicBool = AtomicBool::new(false);
static WRITTEN: AtomicBool = AtomicBool::new(false);

/// An event that lasts as long as the process.
#[derive(Clone, Copy)]
struct Event(HANDLE);

// SAFETY: a number that every thread of the process may use.
unsafe impl Send for Event {}
// SAFETY: as above.
unsafe impl Sync for Event {}

impl Event {
    fn new() -> Option<Self> {
        // SAFETY: no pointers.
        let event = unsafe { CreateEventW(core::ptr::null(), 0, 0, core::ptr::null()) };
        (!event.is_null()).then_some(Self(event))
    }

    fn signal(self) {
        // SAFETY: an event.
        unsafe { SetEvent(self.0) };
    }

    /// Whether it was signalled in time.
    fn wait(self, milliseconds: u32) -> bool {
        // SAFETY: an event.
        unsafe { WaitForSingleObject(self.0, milliseconds) == WAIT_OBJECT_0 }
    }
}

/// Starts the thread that waits. Called once; this library stays loaded.
pub(super) fn prepare(path: FilePath, name: String) {
    let (Some(asked), Some(done)) = (Event::new(), Event::new()) else { return };
    let dump = DUMP.get_or_init(|| Dump { path, name, asked, done });
    let thread = std::thread::Builder::new().name("afterimage minidump".to_owned()).stack_size(STACK);
    if let Err(error) = thread.spawn(move || wait(dump)) {
        tracing::warn!("crash_dump: there will be no minidump: {error}");
    }
}

/// Writes the dump of a crash, unless there is one. Allocates nothing. The name, where it was written.
pub(super) fn write(pointers: *const EXCEPTION_POINTERS) -> Option<&'static str> {
    let dump = DUMP.get().filter(|_| WAITING.load(Ordering::Acquire))?;
    let none = core::ptr::null_mut();
    if EXCEPTION.compare_exchange(none, pointers.cast_mut(), Ordering::AcqRel, Ordering::Acquire).is_err() {
        return None;
    }
    // SAFETY: no pointers.
    THREAD.store(unsafe { GetCurrentThreadId() }, Ordering::Release);
    dump.asked.signal();
    (dump.done.wait(LIMIT_MS) && WRITTEN.load(Ordering::Acquire)).then_some(&dump.name)
}

/// The thread that waits for a crash.
fn wait(dump: &Dump) {
    // Before anything goes wrong: a crash is no time to load libraries.
    let Some(write) = function() else {
        tracing::warn!("crash_dump: there will be no minidump: dbghelp.dll has no MiniDumpWriteDump");
        return;
    };
    WAITING.store(true, Ordering::Release);
    if dump.asked.wait(INFINITE) {
        WRITTEN.store(written(dump, write), Ordering::Release);
        dump.done.signal();
    }
}

/// Writes the dump; whether that went well.
fn written(dump: &Dump, write: Write) -> bool {
    let (path, none) = (dump.path.as_ptr(), core::ptr::null_mut());
    let (share, create, plain) = (FILE_SHARE_READ, CREATE_ALWAYS, FILE_ATTRIBUTE_NORMAL);
    // SAFETY: a string with its end.
    let file = unsafe { CreateFileW(path, GENERIC_WRITE, share, core::ptr::null(), create, plain, none) };
    if file == INVALID_HANDLE_VALUE {
        return false;
    }
    let file = File::of(file);
    let about = MINIDUMP_EXCEPTION_INFORMATION {
        ThreadId: THREAD.load(Ordering::Acquire),
        ExceptionPointers: EXCEPTION.load(Ordering::Acquire),
        ClientPointers: 0,
    };
    let (process, number) = (
        // SAFETY: no pointers.
        unsafe { GetCurrentProcess() },
        // SAFETY: likewise.
        unsafe { GetCurrentProcessId() },
    );
    // SAFETY: this process, a file that is open, and an exception whose thread waits meanwhile, or ends with the process.
    unsafe { write(process, number, file.handle(), WHAT, &about, none, none) != 0 }
}

/// `MiniDumpWriteDump` of the system's library.
fn function() -> Option<Write> {
    const LIBRARY: &[u16; 12] = &{
        let (text, mut wide, mut at) = (b"dbghelp.dll\0", [0; 12], 0);
        while at < text.len() {
            wide[at] = text[at] as u16;
            at += 1;
        }
        wide
    };
    const NAME: &CStr = c"MiniDumpWriteDump";
    // SAFETY: strings with their ends; the function is of this type, and its library stays loaded.
    unsafe {
        let library = LoadLibraryExW(LIBRARY.as_ptr(), core::ptr::null_mut(), LOAD_LIBRARY_SEARCH_SYSTEM32);
        let function = if library.is_null() { None } else { GetProcAddress(library, NAME.as_ptr().cast()) };
        function.map(|function| core::mem::transmute::<unsafe extern "system" fn() -> isize, Write>(function))
    }
}
