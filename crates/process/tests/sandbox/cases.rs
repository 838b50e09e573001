//! The cases.

use crate::harness::{Case, Stage};
use afterimage_process::sandbox::calls::{CALLS, Verdict};
use afterimage_process::sandbox::{Access, Outcome, confine_calls, confine_paths};
use std::fs::{self, File};
use std::io::{Error, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::path::Path;
use std::process::Command;

macro_rules! cases {
    ($($name:ident)+) => {
        pub(crate) const CASES: &[Case] = &[$( (stringify!($name), $name) ),+];
    };
}

cases! {
    this_kernel_has_what_is_asked_of_it
    files_outside_are_not_opened
    what_is_given_to_be_read_is_read_only
    what_is_given_to_be_written_is_written
    a_file_without_a_name_gets_one
    whose_contents_are_kept_stay_unchanged
    no_program_is_started
    no_process_is_started
    threads_are_started
    other_processes_are_left_alone
    its_own_signals_reach_it
    nobody_is_called_over_the_network
    sockets_of_this_computer_are_for_windows
    descriptors_come_over_a_socket_that_is_open
    code_is_made_and_run
    a_terminal_is_not_typed_into
    devices_are_not_made_and_commands_are_drivers
    refused_calls_fail_with_eperm
    unknown_calls_fail_with_enosys
    there_is_no_way_out_by_a_second_filter
    threads_that_were_there_are_told_of_or_bound
    drivers_keep_their_caches_with_ours
}

/// Both steps, with all that they promise.
fn confine(access: &Access) {
    assert_eq!(confine_paths(access), Outcome::Confined, "{NEEDS}");
    assert_eq!(confine_calls(access), Outcome::Confined, "{NEEDS}");
}

const NEEDS: &str = "these tests need a kernel with Landlock 6 (Linux 6.12) that is switched on (`lsm=`), and seccomp";

/// The result of a call that follows the C library's convention.
fn called(result: impl Into<i64>) -> Result<i64, Error> {
    let result = result.into();
    if result < 0 { Err(Error::last_os_error()) } else { Ok(result) }
}

/// A call by its number, with zeros for arguments.
fn call(number: i64) -> Result<i64, Error> {
    // SAFETY: it is refused before the kernel looks at its arguments, and null is no memory of ours.
    called(unsafe { libc::syscall(number, 0, 0, 0, 0, 0, 0) })
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: std::io::Result<T>) {
    let error = result.expect_err("it should be refused");
    // Landlock says of names that would move between folders what a second disk would.
    assert!(matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::CrossesDevices), "{error}");
}

/// The number of whoever started this one.
fn parent() -> i32 {
    std::os::unix::process::parent_id() as i32
}

fn this_kernel_has_what_is_asked_of_it(_: &Stage) {
    confine(&Access::default());
}

fn files_outside_are_not_opened(stage: &Stage) {
    let secret = stage.path("secret");
    fs::write(&secret, "x").unwrap();
    let home = std::env::home_dir().unwrap_or("/root".into());
    assert_eq!(confine_paths(&Access::default()), Outcome::Confined, "{NEEDS}");
    for step in 1..=2 {
        for path in [&secret, Path::new("/etc/passwd"), Path::new("/etc/shadow"), Path::new("/proc/1/environ")] {
            refused(fs::read(path));
            refused(File::options().write(true).open(path));
        }
        // The same by the name that each process has for the whole tree.
        refused(fs::read(Path::new("/proc/self/root").join(secret.strip_prefix("/").unwrap())));
        refused(fs::read_dir(&home));
        refused(fs::read_dir("/"));
        refused(fs::write(stage.path("new"), "x"));
        refused(fs::remove_file(&secret));
        refused(fs::create_dir(stage.path("folder")));
        refused(File::options().write(true).open("/proc/self/mem"));
        refused(File::options().write(true).open("/proc/self/oom_score_adj"));
        if step == 1 {
            assert_eq!(confine_calls(&Access::default()), Outcome::Confined, "{NEEDS}");
        }
    }
}

fn what_is_given_to_be_read_is_read_only(stage: &Stage) {
    fs::create_dir(stage.path("in")).unwrap();
    fs::write(stage.path("in/file"), "a").unwrap();
    fs::write(stage.path("one"), "b").unwrap();
    fs::write(stage.path("other"), "c").unwrap();
    confine(&Access { read: vec![stage.path("in"), stage.path("one"), stage.path("gone")], ..Access::default() });
    assert_eq!(fs::read(stage.path("in/file")).unwrap(), b"a");
    assert_eq!(fs::read_dir(stage.path("in")).unwrap().count(), 1);
    assert_eq!(fs::read(stage.path("one")).unwrap(), b"b");
    refused(fs::read(stage.path("other")));
    refused(fs::write(stage.path("in/file"), "x"));
    refused(fs::write(stage.path("in/new"), "x"));
    refused(fs::remove_file(stage.path("in/file")));
    assert!(fs::read("/proc/self/maps").is_ok_and(|maps| !maps.is_empty()));
    assert!(fs::read("/proc/cpuinfo").is_ok_and(|text| !text.is_empty()));
    assert!(File::options().read(true).write(true).open("/dev/null").unwrap().write(b"x").is_ok());
}

fn what_is_given_to_be_written_is_written(stage: &Stage) {
    let (out, cache) = (stage.path("out"), stage.path("cache"));
    fs::create_dir(&out).unwrap();
    fs::write(stage.path("outside"), "x").unwrap();
    confine(&Access { write: vec![out.clone()], cache: Some(cache.clone()), ..Access::default() });
    for folder in [out.clone(), cache] {
        fs::create_dir_all(folder.join("a/b")).unwrap();
        fs::write(folder.join("a/b/new"), "one").unwrap();
        fs::write(folder.join("a/b/new"), "2").unwrap();
        fs::rename(folder.join("a/b/new"), folder.join("moved")).unwrap();
        fs::copy(folder.join("moved"), folder.join("copied")).unwrap();
        fs::hard_link(folder.join("moved"), folder.join("linked")).unwrap();
        assert_eq!(fs::read(folder.join("linked")).unwrap(), b"2");
        let file = File::options().write(true).open(folder.join("moved")).unwrap();
        file.set_len(100).unwrap();
        file.sync_all().unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        fs::remove_file(folder.join("copied")).unwrap();
        fs::remove_dir_all(folder.join("a")).unwrap();
        refused(std::os::unix::fs::symlink("/etc/passwd", folder.join("link")));
        refused(fs::rename(stage.path("outside"), folder.join("taken")));
        refused(fs::rename(folder.join("moved"), stage.path("given")));
    }
    refused(fs::hard_link(stage.path("outside"), out.join("link")));
}

/// As `afterimage-output` writes, where the system has files without names.
fn a_file_without_a_name_gets_one(stage: &Stage) {
    let out = stage.path("out");
    fs::create_dir(&out).unwrap();
    confine(&Access { write: vec![out.clone()], ..Access::default() });
    use std::os::unix::fs::OpenOptionsExt;
    let mut file = File::options().write(true).custom_flags(libc::O_TMPFILE).open(&out).unwrap();
    file.write_all(b"whole").unwrap();
    let from = std::ffi::CString::new(format!("/proc/self/fd/{}", file.as_raw_fd())).unwrap();
    let to = std::ffi::CString::new(out.join("name").to_str().unwrap()).unwrap();
    // SAFETY: both are strings that live.
    called(unsafe {
        libc::linkat(libc::AT_FDCWD, from.as_ptr(), libc::AT_FDCWD, to.as_ptr(), libc::AT_SYMLINK_FOLLOW)
    })
    .unwrap();
    assert_eq!(fs::read(out.join("name")).unwrap(), b"whole");
}

/// Landlock does not look at who owns a file, at its rights and times.
fn whose_contents_are_kept_stay_unchanged(stage: &Stage) {
    use std::os::unix::fs::{PermissionsExt, chown};
    let file = stage.path("file");
    fs::write(&file, "x").unwrap();
    confine(&Access { read: vec![file.clone()], ..Access::default() });
    refused(fs::set_permissions(&file, fs::Permissions::from_mode(0o777)));
    refused(chown(&file, Some(1), None));
    let path = std::ffi::CString::new(file.to_str().unwrap()).unwrap();
    // SAFETY: the string lives, and no times are given.
    refused(called(unsafe { libc::utimensat(libc::AT_FDCWD, path.as_ptr(), std::ptr::null(), 0) }));
    // SAFETY: all strings live, and one byte is there.
    refused(called(unsafe { libc::setxattr(path.as_ptr(), c"user.x".as_ptr(), c"y".as_ptr().cast(), 1, 0) }));
}

fn no_program_is_started(_: &Stage) {
    assert_eq!(confine_paths(&Access::default()), Outcome::Confined, "{NEEDS}");
    refused(Command::new("/bin/true").status());
    assert_eq!(confine_calls(&Access::default()), Outcome::Confined, "{NEEDS}");
    refused(Command::new("/bin/true").status());
    let arguments = [c"true".as_ptr(), std::ptr::null()];
    // SAFETY: the strings live, and the lists end with null.
    refused(called(unsafe { libc::execve(c"/bin/true".as_ptr(), arguments.as_ptr(), arguments[1..].as_ptr()) }));
}

fn no_process_is_started(_: &Stage) {
    confine(&Access::default());
    // SAFETY: there is one thread.
    refused(called(unsafe { libc::fork() }));
    for flags in [
        libc::SIGCHLD,
        libc::CLONE_VM | libc::CLONE_VFORK,
        libc::CLONE_NEWUSER,
        libc::CLONE_NEWUSER | libc::CLONE_THREAD,
    ] {
        // SAFETY: it is refused, so nothing runs on the stack that is not there.
        refused(called(unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) }));
    }
    // The C library goes by this error.
    // SAFETY: as above.
    let error = called(unsafe { libc::syscall(libc::SYS_clone3, 0, 0) }).unwrap_err();
    assert_eq!(error.raw_os_error(), Some(libc::ENOSYS));
}

fn threads_are_started(stage: &Stage) {
    let secret = stage.path("secret");
    fs::write(&secret, "x").unwrap();
    assert_eq!(confine_paths(&Access::default()), Outcome::Confined, "{NEEDS}");
    let (say, hear) = std::sync::mpsc::channel::<()>();
    // One is there when calls are confined, and is bound by that.
    let early = std::thread::Builder::new().name("early".into()).spawn(move || {
        hear.recv().unwrap();
        refused(called(
            // SAFETY: it is refused.
            unsafe { libc::syscall(libc::SYS_unshare, libc::CLONE_NEWUSER) },
        ));
        refused(fs::read(secret));
    });
    assert_eq!(confine_calls(&Access::default()), Outcome::Confined, "{NEEDS}");
    say.send(()).unwrap();
    early.unwrap().join().unwrap();
    let count = std::thread::available_parallelism().unwrap().get();
    let threads: Vec<_> = (0..count + 8)
        .map(|at| {
            std::thread::Builder::new().name(format!("late {at}")).stack_size(1 << 20).spawn(move || {
                // Sleeping is among what threads may do.
                std::thread::sleep(std::time::Duration::from_millis(1));
                at
            })
        })
        .collect();
    let sum: usize = threads.into_iter().map(|thread| thread.unwrap().join().unwrap()).sum();
    assert_eq!(sum, (0..count + 8).sum());
}

fn other_processes_are_left_alone(_: &Stage) {
    // SAFETY: signal 0 asks only.
    called(unsafe { libc::kill(parent(), 0) }).unwrap();
    assert_eq!(confine_paths(&Access::default()), Outcome::Confined, "{NEEDS}");
    // SAFETY: as above; the others read nothing.
    unsafe {
        refused(called(libc::kill(parent(), 0)));
        refused(called(libc::ptrace(libc::PTRACE_ATTACH, parent(), 0, 0)));
        assert_eq!(confine_calls(&Access::default()), Outcome::Confined, "{NEEDS}");
        for signal in [0, libc::SIGKILL] {
            refused(called(libc::kill(parent(), signal)));
            refused(called(libc::kill(-1, signal)));
            refused(called(libc::syscall(libc::SYS_tgkill, parent(), parent(), signal)));
            refused(called(libc::syscall(libc::SYS_tkill, parent(), signal)));
        }
        refused(called(libc::ptrace(libc::PTRACE_ATTACH, parent(), 0, 0)));
        refused(called(libc::process_vm_readv(parent(), std::ptr::null(), 0, std::ptr::null(), 0, 0) as i64));
        refused(called(libc::syscall(libc::SYS_pidfd_open, parent(), 0)));
        refused(called(libc::setpriority(libc::PRIO_PROCESS, parent() as u32, 19)));
    }
}

fn its_own_signals_reach_it(_: &Stage) {
    static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    extern "C" fn count(_: i32) {
        COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
    confine(&Access::default());
    let handler: extern "C" fn(i32) = count;
    // SAFETY: the handler does what one may.
    unsafe {
        libc::signal(libc::SIGUSR1, handler as usize);
        called(libc::raise(libc::SIGUSR1)).unwrap();
        called(libc::kill(libc::getpid(), libc::SIGUSR1)).unwrap();
        called(libc::pthread_kill(libc::pthread_self(), libc::SIGUSR1)).unwrap();
    }
    assert_eq!(COUNT.load(std::sync::atomic::Ordering::Relaxed), 3);
}

fn nobody_is_called_over_the_network(_: &Stage) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    for display in [false, true] {
        let access = Access { display, ..Access::default() };
        assert_eq!(confine_paths(&access), Outcome::Confined, "{NEEDS}");
        refused(std::net::TcpStream::connect(address));
    }
    assert_eq!(confine_calls(&Access { display: true, ..Access::default() }), Outcome::Confined, "{NEEDS}");
    refused(std::net::TcpStream::connect(address));
    refused(std::net::TcpListener::bind("127.0.0.1:0"));
    refused(std::net::UdpSocket::bind("127.0.0.1:0"));
    for domain in [libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK, libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG] {
        // SAFETY: no memory is named.
        refused(called(unsafe { libc::socket(domain, libc::SOCK_STREAM, 0) }));
    }
}

fn sockets_of_this_computer_are_for_windows(_: &Stage) {
    use std::os::linux::net::SocketAddrExt;
    use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
    let name = format!("afterimage-test-{}", std::process::id());
    let address = SocketAddr::from_abstract_name(name).unwrap();
    let listener = UnixListener::bind_addr(&address).unwrap();
    let windows = Access { display: true, ..Access::default() };
    assert_eq!(confine_paths(&windows), Outcome::Confined, "{NEEDS}");
    // Calls are confined for good, so first those of a process with windows.
    assert_eq!(confine_calls(&windows), Outcome::Confined, "{NEEDS}");
    let mut stream = UnixStream::connect_addr(&address).unwrap();
    stream.write_all(b"x").unwrap();
    drop(listener);
    refused(UnixListener::bind_addr(&SocketAddr::from_abstract_name("afterimage-test").unwrap()));
    // Such a socket can be sent from to any other.
    refused(std::os::unix::net::UnixDatagram::unbound());
    refused(std::os::unix::net::UnixDatagram::pair());
    let (mine, _theirs) = UnixStream::pair().unwrap();
    // SAFETY: zeros are an address.
    let somewhere: libc::sockaddr_un = unsafe { std::mem::zeroed() };
    let (at, size) = ((&raw const somewhere).cast(), size_of_val(&somewhere) as u32);
    // SAFETY: one byte and an address are there.
    refused(called(unsafe { libc::sendto(mine.as_raw_fd(), b"x".as_ptr().cast(), 1, 0, at, size) } as i64));
}

fn descriptors_come_over_a_socket_that_is_open(_: &Stage) {
    use std::os::unix::net::UnixStream;
    let (here, there) = UnixStream::pair().unwrap();
    let file = {
        // SAFETY: a name, and flags.
        let fd = called(unsafe { libc::memfd_create(c"test".as_ptr(), libc::MFD_CLOEXEC) }).unwrap();
        // SAFETY: nobody else has it.
        unsafe { OwnedFd::from_raw_fd(fd as i32) }
    };
    File::from(file.try_clone().unwrap()).set_len(4096).unwrap();
    confine(&Access::default());
    assert!(UnixStream::connect("/tmp/none").is_err_and(|error| error.kind() == ErrorKind::PermissionDenied));
    send(&there, &file);
    let mapped = receive(&here);
    let mapping = {
        // SAFETY: the file has that many bytes.
        let at = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                4096,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                mapped.as_raw_fd(),
                0,
            )
        };
        assert_ne!(at, libc::MAP_FAILED);
        at.cast::<u8>()
    };
    // SAFETY: mapped above.
    unsafe { mapping.write(7) };
    let mut byte = [0];
    File::from(file).read_exact(&mut byte).unwrap();
    assert_eq!(byte, [7]);
}

/// A message with one descriptor.
fn message<R>(then: impl FnOnce(&mut libc::msghdr) -> R) -> R {
    let (mut byte, mut control) = ([0u8; 1], [0u64; 4]);
    let mut part = libc::iovec { iov_base: byte.as_mut_ptr().cast(), iov_len: 1 };
    // SAFETY: zeros are a message.
    let mut message: libc::msghdr = unsafe { std::mem::zeroed() };
    (message.msg_iov, message.msg_iovlen) = (&raw mut part, 1);
    // SAFETY: arithmetic.
    message.msg_controllen = unsafe { libc::CMSG_SPACE(4) } as usize;
    message.msg_control = control.as_mut_ptr().cast();
    then(&mut message)
}

fn send(over: &impl AsFd, what: &impl AsRawFd) {
    message(|message| {
        // SAFETY: there is room for one descriptor.
        unsafe {
            let head = &mut *libc::CMSG_FIRSTHDR(message);
            (head.cmsg_level, head.cmsg_type, head.cmsg_len) =
                (libc::SOL_SOCKET, libc::SCM_RIGHTS, libc::CMSG_LEN(4) as usize);
            libc::CMSG_DATA(head).cast::<i32>().write_unaligned(what.as_raw_fd());
            called(libc::sendmsg(over.as_fd().as_raw_fd(), message, 0) as i64).unwrap();
        }
    });
}

fn receive(over: &impl AsFd) -> OwnedFd {
    message(|message| {
        // SAFETY: there is room for one descriptor, and it is ours.
        unsafe {
            called(libc::recvmsg(over.as_fd().as_raw_fd(), message, libc::MSG_CMSG_CLOEXEC) as i64).unwrap();
            OwnedFd::from_raw_fd(libc::CMSG_DATA(libc::CMSG_FIRSTHDR(message)).cast::<i32>().read_unaligned())
        }
    })
}

/// As LLVM does in lavapipe.
fn code_is_made_and_run(_: &Stage) {
    #[cfg(target_arch = "x86_64")]
    const SEVEN: &[u8] = &[0xb8, 7, 0, 0, 0, 0xc3];
    #[cfg(target_arch = "aarch64")]
    const SEVEN: &[u8] = &[0xe0, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6];
    confine(&Access::default());
    // SAFETY: the page is ours, holds a function, and can be executed when it is called.
    unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let page = libc::mmap(std::ptr::null_mut(), 4096, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
        assert_ne!(page, libc::MAP_FAILED);
        std::ptr::copy_nonoverlapping(SEVEN.as_ptr(), page.cast(), SEVEN.len());
        called(libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_EXEC)).unwrap();
        let function: extern "C" fn() -> i32 = std::mem::transmute(page);
        assert_eq!(function(), 7);
    }
}

fn a_terminal_is_not_typed_into(_: &Stage) {
    confine(&Access::default());
    let byte = b'x';
    // SAFETY: one byte is there.
    refused(called(unsafe { libc::ioctl(0, libc::TIOCSTI, &raw const byte) }));
    // SAFETY: it is a pipe or a file here, and the answer is that; what counts is that it was asked.
    let asked = unsafe { libc::isatty(0) };
    assert!(asked == 1 || Error::last_os_error().raw_os_error() != Some(libc::EPERM));
}

fn devices_are_not_made_and_commands_are_drivers(stage: &Stage) {
    let out = stage.path("out");
    fs::create_dir(&out).unwrap();
    confine(&Access { write: vec![out.clone()], ..Access::default() });
    let path = std::ffi::CString::new(out.join("null").to_str().unwrap()).unwrap();
    // SAFETY: the string lives.
    refused(called(unsafe { libc::mknod(path.as_ptr(), libc::S_IFCHR | 0o600, libc::makedev(1, 3)) }));
    // SAFETY: as above.
    refused(called(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }));
    // A command to a disk (BLKRRPART) and to the kernel's messages.
    for request in [0x125f, 0x5432] {
        // SAFETY: it is refused.
        refused(called(unsafe { libc::ioctl(1, request, 0) }));
    }
}

fn refused_calls_fail_with_eperm(_: &Stage) {
    confine(&Access { display: true, ..Access::default() });
    let never = CALLS.iter().filter(|row| matches!(row.verdict, Verdict::Never));
    for (name, number) in never.filter_map(|row| Some((row.name, row.number?))) {
        let error = call(number).expect_err(name);
        assert_eq!(error.raw_os_error(), Some(libc::EPERM), "{name}: {error}");
    }
}

fn unknown_calls_fail_with_enosys(_: &Stage) {
    confine(&Access { display: true, ..Access::default() });
    let known = |number| CALLS.iter().any(|row| row.number == Some(number) && !matches!(row.verdict, Verdict::Unknown));
    // `uretprobe` and `uprobe` are the kernel's own way back from its probes: no filter sees them, and who calls them from elsewhere ends.
    let probes = |number: i64| cfg!(target_arch = "x86_64") && (335..=336).contains(&number);
    for number in (0..700).filter(|number| !known(*number) && !probes(*number)) {
        let error = call(number).expect_err(&format!("call {number}"));
        assert_eq!(error.raw_os_error(), Some(libc::ENOSYS), "{number}: {error}");
    }
    // By the other convention of x86-64 (x32).
    #[cfg(target_arch = "x86_64")]
    assert_eq!(call(0x4000_0000 | libc::SYS_getpid).unwrap_err().raw_os_error(), Some(libc::ENOSYS));
}

fn there_is_no_way_out_by_a_second_filter(_: &Stage) {
    confine(&Access::default());
    assert_eq!(call(libc::SYS_seccomp).unwrap_err().raw_os_error(), Some(libc::ENOSYS));
    let Outcome::Impossible(why) = confine_calls(&Access::default()) else { panic!("calls were confined twice") };
    assert!(why.contains("seccomp"), "{why}");
}

fn threads_that_were_there_are_told_of_or_bound(stage: &Stage) {
    let secret = stage.path("secret");
    fs::write(&secret, "x").unwrap();
    let (say, hear) = std::sync::mpsc::channel::<()>();
    let early = std::thread::spawn(move || {
        hear.recv().unwrap();
        fs::read(secret).is_err()
    });
    let outcome = confine_paths(&Access::default());
    say.send(()).unwrap();
    let bound = early.join().unwrap();
    match outcome {
        Outcome::Confined => assert!(bound),
        Outcome::Partly(why) => assert!(!bound && why.contains("1 threads"), "{why}"),
        Outcome::Impossible(why) => panic!("{why}: {NEEDS}"),
    }
}

fn drivers_keep_their_caches_with_ours(stage: &Stage) {
    let cache = stage.path("deep/cache");
    confine(&Access { cache: Some(cache.clone()), ..Access::default() });
    for variable in ["MESA_SHADER_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"] {
        let folder = std::env::var_os(variable).unwrap();
        assert!(Path::new(&folder).starts_with(&cache), "{variable}");
        fs::write(Path::new(&folder).join("x"), "y").unwrap();
    }
}
