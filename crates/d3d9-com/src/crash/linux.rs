//! Linux: signals, `/proc/self/maps`, files by their descriptors. Only what a signal handler may call.

use core::ffi::{CStr, c_int, c_void};
use core::fmt;
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::report::Regions;
use super::{Event, write};

/// A path as `open` takes it.
pub(super) type FilePath = CString;

/// The form that [`File::append`] takes. A path with a zero in it cannot be, so there will be no file.
pub(super) fn file_path(path: &Path) -> FilePath {
    CString::new(path.as_os_str().as_bytes()).unwrap_or_default()
}

/// A file that is written to.
pub(super) struct File(c_int);

impl File {
    /// Opens a file to write at its end.
    pub(super) fn append(path: &FilePath) -> Option<Self> {
        let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_APPEND | libc::O_CLOEXEC;
        // SAFETY: a string with its end.
        let file = unsafe { libc::open(path.as_ptr(), flags, 0o600) };
        (file >= 0).then_some(Self(file))
    }

    /// Writes; what cannot be written is lost.
    pub(super) fn write(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            // SAFETY: good for as many bytes.
            let written = unsafe { libc::write(self.0, bytes.as_ptr().cast(), bytes.len()) };
            match usize::try_from(written) {
                Ok(written) if written > 0 => bytes = &bytes[written..],
                _ => return,
            }
        }
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // SAFETY: ours.
        unsafe { libc::close(self.0) };
    }
}

/// Tells the person who started the program.
pub(super) fn say(parts: &[&str]) {
    let mut errors = core::mem::ManuallyDrop::new(File(libc::STDERR_FILENO));
    parts.iter().for_each(|part| errors.write(part.as_bytes()));
}

/// Copies memory that may not be there; the answer is how many bytes were.
pub(super) fn read_memory(address: usize, out: &mut [u8]) -> usize {
    let local = libc::iovec { iov_base: out.as_mut_ptr().cast(), iov_len: out.len() };
    let remote = libc::iovec { iov_base: core::ptr::without_provenance_mut(address), iov_len: out.len() };
    // SAFETY: the kernel checks the far address, and `out` is good for its length.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &local, 1, &remote, 1, 0) };
    usize::try_from(read).unwrap_or(0)
}

/// Lists what is mapped from files. `buffer` has room for a few lines.
pub(super) fn regions(regions: &mut Regions, buffer: &mut [u8]) {
    // SAFETY: a string.
    let maps = unsafe { libc::open(c"/proc/self/maps".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if maps < 0 {
        return;
    }
    let maps = File(maps);
    let mut used = 0;
    loop {
        let room = &mut buffer[used..];
        // SAFETY: good for as many bytes.
        let read = unsafe { libc::read(maps.0, room.as_mut_ptr().cast(), room.len()) };
        let Ok(read @ 1..) = usize::try_from(read) else { return };
        used += read;
        let mut start = 0;
        while let Some(length) = buffer[start..used].iter().position(|&byte| byte == b'\n') {
            line(regions, &buffer[start..start + length]);
            start += length + 1;
        }
        buffer.copy_within(start..used, 0);
        used -= start;
        if used == buffer.len() {
            // No line is that long: the file is not what we think.
            return;
        }
    }
}

/// `55d0c0a4e000-55d0c0a50000 r-xp 00002000 08:01 131 /path`.
fn line(regions: &mut Regions, line: &[u8]) {
    let Ok(line) = core::str::from_utf8(line) else { return };
    let mut words = line.split_ascii_whitespace();
    let (Some(range), Some(access)) = (words.next(), words.next()) else { return };
    let Some(path) = line.find('/').map(|at| &line.as_bytes()[at..]) else { return };
    let Some((start, end)) = range.split_once('-') else { return };
    let (Ok(start), Ok(end)) = (usize::from_str_radix(start, 16), usize::from_str_radix(end, 16)) else { return };
    let file = path.rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    // A module's pieces follow one another.
    let base = regions.last().filter(|(_, name)| *name == file).map_or(start, |(base, _)| base);
    regions.push(start, end, access.contains('x'), base, path);
}

/// The machine at a signal.
pub(super) struct Context<'a>(&'a libc::ucontext_t);

#[cfg(target_arch = "x86_64")]
mod machine {
    pub(super) const NAMES: [&str; 17] = [
        "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "rdi", "rsi", "rbp", "rbx", "rdx", "rax", "rcx", "rsp",
        "rip",
    ];
    pub(super) const STACK: usize = 15;
    pub(super) const INSTRUCTION: usize = 16;

    pub(super) fn register(context: &libc::ucontext_t, index: usize) -> usize {
        context.uc_mcontext.gregs[index] as usize
    }
}

#[cfg(target_arch = "x86")]
mod machine {
    pub(super) const NAMES: [&str; 15] =
        ["gs", "fs", "es", "ds", "edi", "esi", "ebp", "esp", "ebx", "edx", "ecx", "eax", "trap", "err", "eip"];
    pub(super) const STACK: usize = 7;
    pub(super) const INSTRUCTION: usize = 14;

    pub(super) fn register(context: &libc::ucontext_t, index: usize) -> usize {
        context.uc_mcontext.gregs[index] as usize
    }
}

#[cfg(target_arch = "aarch64")]
mod machine {
    pub(super) const NAMES: [&str; 33] = [
        "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",
        "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc",
    ];
    pub(super) const STACK: usize = 31;
    pub(super) const INSTRUCTION: usize = 32;

    pub(super) fn register(context: &libc::ucontext_t, index: usize) -> usize {
        let machine = &context.uc_mcontext;
        match index {
            STACK => machine.sp as usize,
            INSTRUCTION => machine.pc as usize,
            _ => machine.regs[index] as usize,
        }
    }
}

impl Context<'_> {
    /// Where the program was.
    pub(super) fn instruction(&self) -> usize {
        machine::register(self.0, machine::INSTRUCTION)
    }

    /// Where its stack was.
    pub(super) fn stack(&self) -> usize {
        machine::register(self.0, machine::STACK)
    }

    /// Every register.
    pub(super) fn registers(&self) -> impl Iterator<Item = (&'static str, usize)> {
        machine::NAMES.into_iter().enumerate().map(|(index, name)| (name, machine::register(self.0, index)))
    }
}

/// Signals that end a program.
const SIGNALS: [(c_int, &str); 5] = [
    (libc::SIGSEGV, "SIGSEGV"),
    (libc::SIGBUS, "SIGBUS"),
    (libc::SIGILL, "SIGILL"),
    (libc::SIGFPE, "SIGFPE"),
    (libc::SIGABRT, "SIGABRT"),
];

/// What a signal says.
struct Signal {
    number: c_int,
    address: usize,
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = SIGNALS.iter().find(|(number, _)| *number == self.number).map_or("a signal", |(_, name)| name);
        match self.number {
            libc::SIGABRT => write!(f, "{name}"),
            _ => write!(f, "{name} at address {:#x}", self.address),
        }
    }
}

/// Who was told of a signal before us.
struct Before {
    set: AtomicBool,
    action: core::cell::UnsafeCell<MaybeUninit<libc::sigaction>>,
}

// SAFETY: written once, before `set`, and only read after it.
unsafe impl Sync for Before {}

static BEFORE: [Before; SIGNALS.len()] =
    [const { Before { set: AtomicBool::new(false), action: core::cell::UnsafeCell::new(MaybeUninit::uninit()) } };
        SIGNALS.len()];

/// Has us told of signals that end the program. This library then stays loaded.
pub(super) fn watch() {
    stay_loaded();
    for ((signal, _), before) in SIGNALS.into_iter().zip(&BEFORE) {
        // SAFETY: plain data, for which zeros are good.
        let mut action: libc::sigaction = unsafe { core::mem::zeroed() };
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
        // SAFETY: called once, and the handler reads the old action only after `set`. A signal that comes between the two calls
        // finds nobody before us, and ends the program as it would have.
        unsafe {
            if libc::sigaction(signal, &action, (*before.action.get()).as_mut_ptr()) == 0 {
                before.set.store(true, Ordering::Release);
            }
        }
    }
}

/// Keeps a program from unloading the handler.
fn stay_loaded() {
    // SAFETY: plain data, for which zeros are good.
    let mut about: libc::Dl_info = unsafe { core::mem::zeroed() };
    // SAFETY: an address of this library; the name lives as long as the library does.
    unsafe {
        if libc::dladdr(stay_loaded as *const c_void, &mut about) != 0 && !about.dli_fname.is_null() {
            let name = CStr::from_ptr(about.dli_fname);
            libc::dlopen(name.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD | libc::RTLD_NODELETE);
        }
    }
}

extern "C" fn handler(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    // SAFETY: the kernel passes both.
    let (address, machine) = unsafe { ((*info).si_addr().addr(), Context(&*context.cast::<libc::ucontext_t>())) };
    write(Event::Crash, &Signal { number, address }, Some(&machine));
    // SAFETY: as the kernel has called us.
    unsafe { pass_on(number, info, context) };
}

/// Does what would have happened without us.
///
/// # Safety
/// The arguments are those of a handler.
unsafe fn pass_on(number: c_int, info: *mut libc::siginfo_t, context: *mut c_void) {
    let index = SIGNALS.iter().position(|(signal, _)| *signal == number);
    let before = index.map(|index| &BEFORE[index]).filter(|before| before.set.load(Ordering::Acquire));
    // SAFETY: it is set, and nobody writes it any more.
    let action = before.map(|before| unsafe { (*before.action.get()).assume_init_ref() });
    match action {
        Some(action) if action.sa_sigaction == libc::SIG_IGN => {}
        Some(action) if action.sa_sigaction != libc::SIG_DFL => {
            // SAFETY: a handler of this kind, by its flags.
            unsafe {
                if action.sa_flags & libc::SA_SIGINFO != 0 {
                    let handler: extern "C" fn(c_int, *mut libc::siginfo_t, *mut c_void) =
                        core::mem::transmute(action.sa_sigaction);
                    handler(number, info, context);
                } else {
                    let handler: extern "C" fn(c_int) = core::mem::transmute(action.sa_sigaction);
                    handler(number);
                }
            }
        }
        // SAFETY: the default ends the program, once this handler has returned and the signal is let through.
        _ => unsafe {
            libc::signal(number, libc::SIG_DFL);
            libc::raise(number);
        },
    }
}
