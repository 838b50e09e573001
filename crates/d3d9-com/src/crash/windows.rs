//! Windows: the filter of unhandled exceptions, and memory, modules and files without the loader or the heap.

use core::fmt;
use core::sync::atomic::{AtomicUsize, Ordering};
use std::os::windows::ffi::OsStrExt as _;
use std::path::Path;

use windows_sys::Win32::Foundation::{CloseHandle, HANDLE, INVALID_HANDLE_VALUE};
use windows_sys::Win32::Storage::FileSystem::{
    CreateFileW, FILE_APPEND_DATA, FILE_ATTRIBUTE_NORMAL, FILE_SHARE_READ, OPEN_ALWAYS, WriteFile,
};
use windows_sys::Win32::System::Console::{GetStdHandle, STD_ERROR_HANDLE};
use windows_sys::Win32::System::Diagnostics::Debug::{
    CONTEXT, EXCEPTION_POINTERS, EXCEPTION_RECORD, ReadProcessMemory, SetUnhandledExceptionFilter,
};
use windows_sys::Win32::System::LibraryLoader::{
    GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS, GET_MODULE_HANDLE_EX_FLAG_PIN, GetModuleHandleExW,
};
use windows_sys::Win32::System::Memory::{MEM_COMMIT, MEM_IMAGE, MEMORY_BASIC_INFORMATION, VirtualQuery};
use windows_sys::Win32::System::ProcessStatus::K32GetMappedFileNameW;
use windows_sys::Win32::System::Threading::GetCurrentProcess;

use super::report::Regions;
use super::{Event, dump, write};

/// A path as `CreateFileW` takes it.
pub(super) type FilePath = Vec<u16>;

/// The form that [`File::append`] takes.
pub(super) fn file_path(path: &Path) -> FilePath {
    path.as_os_str().encode_wide().chain([0]).collect()
}

/// A file that is written to.
pub(super) struct File(HANDLE);

impl File {
    /// A file that is open, and from now on closed by this.
    pub(super) fn of(file: HANDLE) -> Self {
        Self(file)
    }

    /// As the system has it.
    pub(super) fn handle(&self) -> HANDLE {
        self.0
    }

    /// Opens a file to write at its end.
    pub(super) fn append(path: &FilePath) -> Option<Self> {
        let (access, share) = (FILE_APPEND_DATA, FILE_SHARE_READ);
        let (none, create, plain) = (core::ptr::null(), OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL);
        // SAFETY: a string with its end.
        let file = unsafe { CreateFileW(path.as_ptr(), access, share, none, create, plain, core::ptr::null_mut()) };
        (file != INVALID_HANDLE_VALUE).then_some(Self(file))
    }

    /// Writes; what cannot be written is lost.
    pub(super) fn write(&mut self, bytes: &[u8]) {
        let mut written = 0;
        // SAFETY: good for as many bytes.
        unsafe { WriteFile(self.0, bytes.as_ptr(), bytes.len() as u32, &mut written, core::ptr::null_mut()) };
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { CloseHandle(self.0) };
    }
}

/// Tells the person who started the program, where there is a place for it.
pub(super) fn say(parts: &[&str]) {
    // SAFETY: no pointers. The handle may be null: writing to it fails.
    let mut errors = core::mem::ManuallyDrop::new(File(unsafe { GetStdHandle(STD_ERROR_HANDLE) }));
    parts.iter().for_each(|part| errors.write(part.as_bytes()));
}

/// Copies memory that may not be there; the answer is how many bytes were.
pub(crate) fn read_memory(address: usize, out: &mut [u8]) -> usize {
    let from = core::ptr::without_provenance(address);
    let mut read = 0;
    // SAFETY: the system checks the far address, and `out` is good for its length.
    unsafe { ReadProcessMemory(GetCurrentProcess(), from, out.as_mut_ptr().cast(), out.len(), &mut read) };
    read
}

/// Lists what is mapped from images. `buffer` has room for a name.
pub(super) fn regions(regions: &mut Regions, buffer: &mut [u8]) {
    let Some((name, wide)) = buffer.split_at_mut_checked(NAME) else { return };
    let Ok(wide) = bytemuck::try_cast_slice_mut(wide) else { return };
    let mut address = 0usize;
    loop {
        // SAFETY: plain data, for which zeros are good.
        let mut about: MEMORY_BASIC_INFORMATION = unsafe { core::mem::zeroed() };
        let size = size_of::<MEMORY_BASIC_INFORMATION>();
        // SAFETY: takes any address.
        if unsafe { VirtualQuery(core::ptr::without_provenance(address), &mut about, size) } == 0 {
            return;
        }
        let start = about.BaseAddress.addr();
        let Some(end) = start.checked_add(about.RegionSize).filter(|&end| end > address) else { return };
        if about.State == MEM_COMMIT && about.Type == MEM_IMAGE {
            image(regions, start, end, &about, name, wide);
        }
        address = end;
    }
}

/// Bytes of a file's name with its folders.
const NAME: usize = 512;

fn image(
    regions: &mut Regions,
    start: usize,
    end: usize,
    about: &MEMORY_BASIC_INFORMATION,
    name: &mut [u8],
    wide: &mut [u16],
) {
    /// Every kind of access that has "execute" in its name.
    const EXECUTE: u32 = 0xf0;
    let base = about.AllocationBase.addr();
    let known = regions.last().filter(|(last, _)| *last == base).map(|(_, known)| {
        name[..known.len()].copy_from_slice(known);
        known.len()
    });
    let length = known.unwrap_or_else(|| {
        let most = wide.len().min(NAME);
        // SAFETY: good for as many characters.
        let count =
            unsafe { K32GetMappedFileNameW(GetCurrentProcess(), about.AllocationBase, wide.as_mut_ptr(), most as u32) };
        let length = (count as usize).min(most);
        let ascii = |&unit: &u16| u8::try_from(unit).ok().filter(u8::is_ascii).unwrap_or(b'?');
        name.iter_mut().zip(wide[..length].iter().map(ascii)).for_each(|(to, from)| *to = from);
        length
    });
    regions.push(start, end, about.Protect & EXECUTE != 0, base, &name[..length]);
}

/// The machine at an exception.
pub(super) struct Context<'a>(&'a CONTEXT);

#[cfg(target_arch = "x86_64")]
impl Context<'_> {
    /// Where the program was.
    pub(super) fn instruction(&self) -> usize {
        self.0.Rip as usize
    }

    /// Where its stack was.
    pub(super) fn stack(&self) -> usize {
        self.0.Rsp as usize
    }

    /// Every register.
    pub(super) fn registers(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let c = self.0;
        [
            ("rax", c.Rax),
            ("rbx", c.Rbx),
            ("rcx", c.Rcx),
            ("rdx", c.Rdx),
            ("rsi", c.Rsi),
            ("rdi", c.Rdi),
            ("rbp", c.Rbp),
            ("rsp", c.Rsp),
            ("r8", c.R8),
            ("r9", c.R9),
            ("r10", c.R10),
            ("r11", c.R11),
            ("r12", c.R12),
            ("r13", c.R13),
            ("r14", c.R14),
            ("r15", c.R15),
            ("rip", c.Rip),
        ]
        .into_iter()
        .map(|(name, value)| (name, value as usize))
    }
}

#[cfg(target_arch = "x86")]
impl Context<'_> {
    /// Where the program was.
    pub(super) fn instruction(&self) -> usize {
        self.0.Eip as usize
    }

    /// Where its stack was.
    pub(super) fn stack(&self) -> usize {
        self.0.Esp as usize
    }

    /// Every register.
    pub(super) fn registers(&self) -> impl Iterator<Item = (&'static str, usize)> {
        let c = self.0;
        [
            ("eax", c.Eax),
            ("ebx", c.Ebx),
            ("ecx", c.Ecx),
            ("edx", c.Edx),
            ("esi", c.Esi),
            ("edi", c.Edi),
            ("ebp", c.Ebp),
            ("esp", c.Esp),
            ("eip", c.Eip),
        ]
        .into_iter()
        .map(|(name, value)| (name, value as usize))
    }
}

/// Exceptions by the names that they are known by.
const EXCEPTIONS: [(u32, &str); 10] = [
    (0xc000_0005, "access violation"),
    (0xc000_0006, "in-page error"),
    (0xc000_001d, "illegal instruction"),
    (0xc000_0094, "integer division by zero"),
    (0xc000_0096, "privileged instruction"),
    (0xc000_00fd, "stack overflow"),
    (0xc000_0374, "heap corruption"),
    (0xc000_0409, "fast fail"),
    (0x8000_0003, "breakpoint"),
    (0xe06d_7363, "C++ exception"),
];

/// What an exception says.
struct Exception<'a>(&'a EXCEPTION_RECORD);

impl fmt::Display for Exception<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = self.0.ExceptionCode as u32;
        let name = EXCEPTIONS.iter().find(|(number, _)| *number == code).map_or("exception", |(_, name)| name);
        write!(f, "{name} ({code:#010x})")?;
        // An access violation says what was tried, and where.
        if code == 0xc000_0005 && self.0.NumberParameters >= 2 {
            let how = match self.0.ExceptionInformation[0] {
                0 => "reading",
                1 => "writing",
                _ => "executing",
            };
            write!(f, " {how} {:#x}", self.0.ExceptionInformation[1])?;
        }
        Ok(())
    }
}

/// A filter that was there before ours; 0 for none.
static BEFORE: AtomicUsize = AtomicUsize::new(0);

/// Has us told of exceptions that end the program. This library then stays loaded.
pub(super) fn watch() {
    stay_loaded();
    // SAFETY: a function that lives as long as the process, since the library does now.
    let before = unsafe { SetUnhandledExceptionFilter(Some(filter)) };
    BEFORE.store(before.map_or(0, |before| before as usize), Ordering::Release);
}

/// Keeps a program from unloading a handler.
pub(crate) fn stay_loaded() {
    let flags = GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_PIN;
    let mut module = core::ptr::null_mut();
    // SAFETY: an address in this library.
    unsafe { GetModuleHandleExW(flags, (stay_loaded as *const ()).cast(), &mut module) };
}

unsafe extern "system" fn filter(pointers: *const EXCEPTION_POINTERS) -> i32 {
    const EXCEPTION_CONTINUE_SEARCH: i32 = 0;
    // SAFETY: the system passes both.
    let (record, context) = unsafe { (&*(*pointers).ExceptionRecord, Context(&*(*pointers).ContextRecord)) };
    write(Event::Crash, &Exception(record), Some(&context));
    if let Some(name) = dump::write(pointers) {
        say(&["afterimage: ", "wrote a minidump to ", name, "\n"]);
    }
    match BEFORE.load(Ordering::Acquire) {
        0 => EXCEPTION_CONTINUE_SEARCH,
        before => {
            type Filter = unsafe extern "system" fn(*const EXCEPTION_POINTERS) -> i32;
            // SAFETY: the function that was the filter before us.
            unsafe { core::mem::transmute::<usize, Filter>(before)(pointers) }
        }
    }
}
