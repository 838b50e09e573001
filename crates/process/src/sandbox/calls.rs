//! The table of system calls that a renderer process may make once its device is open.
//!
//! A call that is not in it fails with ENOSYS, as on a kernel that is too old for it: libraries then take another way. One that is in it and is
//! made in a way that is not permitted fails with EPERM.

use Test::{Bits, Is, Own};
use Verdict::{Always, Display, Never, Unknown, Where};
use libc::{
    CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWUTS, CLONE_THREAD,
};
use std::fmt;

/// What becomes of a call.
#[derive(Clone, Copy, Debug)]
pub enum Verdict {
    /// It is made.
    Always,
    /// It is made where all tests of one of these groups hold; otherwise EPERM.
    Where(&'static [&'static [Test]]),
    /// The same, and only in processes that show windows. No group: made in any way.
    Display(&'static [&'static [Test]]),
    /// EPERM.
    Never,
    /// ENOSYS, as of calls that are not in the table; it is here for its reason.
    Unknown,
}

/// What an argument, by its index and name, has to be. 32 bits of it are looked at, which is what the kernel does with these arguments; of
/// addresses all.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// This value, which has a name.
    Is(u8, &'static str, &'static str, u32),
    /// This value in the bits of a mask, in words: mask, words, value.
    Bits(u8, &'static str, u32, &'static str, u32),
    /// The number of the process itself.
    Own(u8, &'static str),
    /// The address that is none.
    Null(u8, &'static str),
}

impl fmt::Display for Test {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Is(_, argument, value, _) => write!(f, "`{argument}` is `{value}`"),
            Bits(_, argument, _, words, _) => write!(f, "`{argument}` {words}"),
            Own(_, argument) => write!(f, "`{argument}` is the process itself"),
            Self::Null(_, argument) => write!(f, "`{argument}` is null"),
        }
    }
}

/// A call of the table.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Its name.
    pub name: &'static str,
    /// Its number on this processor, if it has it.
    pub number: Option<i64>,
    /// Whether only x86-64 has it.
    pub x86_64_only: bool,
    /// What becomes of it.
    pub verdict: Verdict,
    /// Who needs it, or what it would do.
    pub reason: &'static str,
}

/// A call that both processors have.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
macro_rules! number {
    // `libc` does not have it for arm64, whose C library makes it.
    (both SYS_renameat) => {
        Some(if cfg!(target_arch = "aarch64") { 38 } else { 264 })
    };
    (both $name:ident) => {
        Some(libc::$name)
    };
    (x86_64 $name:ident) => {{
        #[cfg(target_arch = "x86_64")]
        let number = Some(libc::$name);
        #[cfg(not(target_arch = "x86_64"))]
        let number = None;
        number
    }};
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
macro_rules! number {
    ($of:ident $name:ident) => {
        None
    };
}

macro_rules! is_x86_64 {
    (both) => {
        false
    };
    (x86_64) => {
        true
    };
}

macro_rules! calls {
    ($( $of:ident $verdict:expr, [$( $name:ident )+], $reason:literal; )*) => {
        /// The calls.
        pub const CALLS: &[Row] = &[$( $( Row {
            // Each is written as `libc` names it.
            name: stringify!($name).split_at(4).1,
            number: number!($of $name),
            x86_64_only: is_x86_64!($of),
            verdict: $verdict,
            reason: $reason,
        }, )+ )*];
    };
}

/// Flags of `clone` that make namespaces.
const NAMESPACES: i32 =
    CLONE_NEWCGROUP | CLONE_NEWIPC | CLONE_NEWNET | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWUSER | CLONE_NEWUTS;

/// The type byte of an ioctl's number (`_IOC_TYPE`), which drivers have one each of.
const TYPE: u32 = 0xff00;

/// An ioctl of a driver, by its type.
const fn driver(words: &'static str, kind: u8) -> Test {
    Bits(1, "request", TYPE, words, (kind as u32) << 8)
}

/// An ioctl by its number.
const fn request(name: &'static str, number: libc::Ioctl) -> Test {
    Is(1, "request", name, number as u32)
}

/// Sockets of this computer that have one other end. Others can be sent from to any address, connected or not.
const STREAMS: &[Test] = &[
    Is(0, "domain", "AF_UNIX", libc::AF_UNIX as u32),
    // Beside the type are flags.
    Bits(1, "type", 0xf, "is `SOCK_STREAM`", libc::SOCK_STREAM as u32),
];

calls! {
    // Memory.
    both Always, [SYS_mmap SYS_munmap SYS_mremap SYS_mprotect SYS_madvise SYS_brk SYS_msync SYS_mincore SYS_mlock SYS_mlock2 SYS_munlock],
        "memory; also such that can be executed, for compilers of shaders (LLVM in lavapipe) run what they make";
    both Always, [SYS_memfd_create], "memory that has a descriptor: shared with the viewer, with devices, with the display";
    // Threads.
    both Where(&[&[Bits(0, "flags", (CLONE_THREAD | NAMESPACES) as u32, "has `CLONE_THREAD` and no `CLONE_NEW...`", CLONE_THREAD as u32)]]),
        [SYS_clone], "threads; a process of its own it may not have";
    both Unknown, [SYS_clone3], "its flags are in memory, where a filter cannot look; the C library then takes `clone`";
    both Always, [SYS_set_robust_list SYS_get_robust_list SYS_set_tid_address SYS_rseq SYS_futex SYS_membarrier SYS_exit SYS_exit_group SYS_restart_syscall],
        "threads: start, wait, end";
    x86_64 Always, [SYS_arch_prctl], "threads: where their own variables are";
    both Always, [SYS_sched_yield SYS_sched_getaffinity SYS_sched_getparam SYS_sched_getscheduler SYS_sched_get_priority_max SYS_sched_get_priority_min
        SYS_getpriority SYS_getcpu], "threads: how many make sense, and how they run";
    both Where(&[
        &[Is(0, "option", "PR_SET_NAME", libc::PR_SET_NAME as u32)],
        &[Is(0, "option", "PR_GET_NAME", libc::PR_GET_NAME as u32)],
        &[Is(0, "option", "PR_SET_VMA", libc::PR_SET_VMA as u32)],
        &[Is(0, "option", "PR_SET_TIMERSLACK", libc::PR_SET_TIMERSLACK as u32)],
        &[Is(0, "option", "PR_SET_NO_NEW_PRIVS", libc::PR_SET_NO_NEW_PRIVS as u32)],
        &[Is(0, "option", "PR_GET_DUMPABLE", libc::PR_GET_DUMPABLE as u32)],
    ]), [SYS_prctl], "names of threads and of memory";
    both Always, [SYS_getpid SYS_gettid SYS_getppid SYS_getuid SYS_geteuid SYS_getgid SYS_getegid SYS_uname SYS_sysinfo SYS_getrusage SYS_getcwd], "who and where it is";
    both Where(&[&[Is(0, "pid", "0", 0)], &[Own(0, "pid")]]), [SYS_prlimit64],
        "its own limits, by which stacks of threads are made";
    x86_64 Always, [SYS_getrlimit], "the same";
    both Always, [SYS_getrandom], "seeds of hash tables, names of files";
    // Time.
    both Always, [SYS_clock_gettime SYS_clock_getres SYS_clock_nanosleep SYS_nanosleep SYS_gettimeofday], "time, where the C library has to ask the kernel";
    both Always, [SYS_timer_create SYS_timer_settime SYS_timer_gettime SYS_timer_delete SYS_timerfd_create SYS_timerfd_settime SYS_timerfd_gettime],
        "watchdogs and pacing";
    x86_64 Always, [SYS_time], "time, of old libraries";
    // Signals.
    both Always, [SYS_rt_sigaction SYS_rt_sigprocmask SYS_rt_sigreturn SYS_rt_sigpending SYS_rt_sigsuspend SYS_rt_sigtimedwait SYS_sigaltstack SYS_signalfd4],
        "its own signals";
    both Where(&[&[Own(0, "tgid")]]), [SYS_tgkill], "`abort`, and signals between its own threads";
    both Where(&[&[Own(0, "pid")]]), [SYS_kill], "signals to itself";
    // Files: which ones, Landlock says.
    both Always, [SYS_openat SYS_close SYS_close_range SYS_read SYS_pread64 SYS_readv SYS_preadv SYS_write SYS_pwrite64 SYS_writev SYS_pwritev SYS_lseek SYS_fstat
        SYS_newfstatat SYS_statx SYS_faccessat SYS_faccessat2 SYS_readlinkat SYS_getdents64 SYS_statfs SYS_fstatfs SYS_fcntl SYS_dup SYS_dup3 SYS_flock
        SYS_fadvise64 SYS_readahead],
        "files; which of them may be opened, Landlock says";
    both Always, [SYS_ftruncate SYS_fallocate SYS_fsync SYS_fdatasync SYS_fchmod SYS_renameat SYS_renameat2 SYS_unlinkat SYS_mkdirat SYS_linkat SYS_copy_file_range
        SYS_sendfile],
        "what is written: caches, captures, pictures; where, Landlock says";
    both Where(&[&[Test::Null(1, "pathname")]]), [SYS_utimensat], "when something in a cache was last used, of open files";
    x86_64 Always, [SYS_open SYS_stat SYS_lstat SYS_access SYS_readlink SYS_dup2 SYS_rename SYS_unlink SYS_mkdir SYS_rmdir SYS_link],
        "the same for files, of old libraries";
    // Waiting.
    both Always, [SYS_ppoll SYS_pselect6 SYS_pipe2 SYS_eventfd2 SYS_epoll_create1 SYS_epoll_ctl SYS_epoll_pwait SYS_epoll_pwait2], "waiting for several things";
    x86_64 Always, [SYS_poll SYS_select SYS_pipe SYS_eventfd SYS_epoll_create SYS_epoll_wait], "the same, of old libraries";
    // Devices.
    both Where(&[
        &[driver("is of DRM (type `d`)", b'd')],
        &[driver("is of NVIDIA's driver (type `F`)", b'F')],
        &[driver("is of NVIDIA's driver for displays (type `m`)", b'm')],
        &[driver("is of NVIDIA's driver for unified memory (type 0)", 0)],
        &[driver("is of AMD's compute driver (type `K`)", b'K')],
        &[driver("is of WSL's GPUs (type `G`)", b'G')],
        &[driver("is of shared memory between devices (type `b`)", b'b')],
        &[driver("is of the same's heaps (type `H`)", b'H')],
        &[driver("is of the same from memory of processes (type `u`)", b'u')],
        &[driver("is of fences between devices (type `>`)", b'>')],
        &[request("TCGETS", libc::TCGETS)],
        &[request("TIOCGWINSZ", libc::TIOCGWINSZ)],
        &[request("FIONREAD", libc::FIONREAD)],
        &[request("FIONBIO", libc::FIONBIO)],
        &[request("FIOCLEX", libc::FIOCLEX)],
        &[request("FIONCLEX", libc::FIONCLEX)],
    ]), [SYS_ioctl], "GPUs, and what libraries ask of any descriptor; a terminal can be asked for its size and not be typed into (`TIOCSTI`)";
    // Sockets.
    both Always, [SYS_sendmsg SYS_recvmsg SYS_recvfrom SYS_shutdown SYS_getsockname SYS_getpeername SYS_getsockopt SYS_setsockopt],
        "messages and descriptors over the socket that it was given, and to the display";
    both Where(&[&[Test::Null(4, "dest_addr")]]), [SYS_sendto], "the same; not to an address";
    both Where(&[STREAMS]), [SYS_socketpair], "threads that wake each other";
    both Display(&[STREAMS]), [SYS_socket], "the display; there are none of other families, and none that send to any address";
    both Display(&[]), [SYS_connect], "the display";
    both Display(&[&[Is(0, "key", "IPC_PRIVATE", libc::IPC_PRIVATE as u32)]]), [SYS_shmget], "pictures for the display (MIT-SHM)";
    both Display(&[]), [SYS_shmat SYS_shmdt SYS_shmctl], "the same";

    // What it may not.
    both Never, [SYS_execve SYS_execveat], "no other program runs in here";
    x86_64 Never, [SYS_fork SYS_vfork], "no other process";
    both Never, [SYS_ptrace SYS_process_vm_readv SYS_process_vm_writev SYS_kcmp SYS_pidfd_open SYS_pidfd_getfd SYS_process_madvise SYS_process_mrelease],
        "memory and descriptors of other processes";
    both Never, [SYS_tkill SYS_rt_sigqueueinfo SYS_rt_tgsigqueueinfo SYS_pidfd_send_signal], "signals to other processes";
    both Never, [SYS_sched_setaffinity SYS_sched_setscheduler SYS_sched_setparam SYS_setpriority],
        "how other processes run: drivers ask for it for their threads, by number, which a filter cannot tell from processes; they go on without";
    both Never, [SYS_bind SYS_listen SYS_accept SYS_accept4], "nobody is served";
    both Never, [SYS_fchmodat SYS_fchown SYS_fchownat SYS_setxattr SYS_lsetxattr SYS_fsetxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr SYS_mknodat SYS_symlinkat
        SYS_truncate], "changes to files that it was not given: Landlock does not look at most of these";
    x86_64 Never, [SYS_chmod SYS_chown SYS_lchown SYS_mknod SYS_symlink SYS_utime SYS_utimes SYS_futimesat], "the same";
    both Never, [SYS_io_uring_setup SYS_io_uring_enter SYS_io_uring_register], "calls that no filter sees";
    both Never, [SYS_userfaultfd SYS_perf_event_open SYS_bpf SYS_keyctl SYS_add_key SYS_request_key], "parts of the kernel that attacks on it go through, and keys";
    both Never, [SYS_mount SYS_umount2 SYS_pivot_root SYS_chroot SYS_fsopen SYS_fsconfig SYS_fsmount SYS_fspick SYS_move_mount SYS_open_tree SYS_mount_setattr
        SYS_open_by_handle_at SYS_name_to_handle_at], "files by other ways than those that Landlock looks at";
    both Never, [SYS_unshare SYS_setns SYS_setuid SYS_setgid SYS_setreuid SYS_setregid SYS_setresuid SYS_setresgid SYS_setgroups SYS_setfsuid SYS_setfsgid SYS_capset SYS_personality],
        "another self";
    both Never, [SYS_init_module SYS_finit_module SYS_delete_module SYS_kexec_load SYS_reboot SYS_swapon SYS_swapoff SYS_syslog SYS_acct SYS_quotactl SYS_settimeofday
        SYS_clock_settime SYS_adjtimex SYS_sethostname SYS_setdomainname], "the computer itself";
}
