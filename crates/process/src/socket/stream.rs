//! Elsewhere: a stream, in which the number of a message's bytes stands before it. Descriptors are kept from children after they were
//! made, files have a place on a disk, and our programs take no SIGPIPE. (Linux compiles it for its tests.)

use super::{FILES, LONGEST, Message, alone, attach, attached};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::{Errno, FdFlags, fcntl_setfd};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvFlags, ReturnFlags, SendAncillaryBuffer, SendFlags, SocketFlags,
    SocketType, recvmsg, sendmsg, socketpair,
};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};

/// Two connected ends.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    let _alone = alone();
    let (one, two) = socketpair(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::empty(), None)?;
    fcntl_setfd(&one, FdFlags::CLOEXEC)?;
    fcntl_setfd(&two, FdFlags::CLOEXEC)?;
    Ok((one, two))
}

/// Sends a message, perhaps in parts: nobody else may be sending.
pub(super) fn send(socket: &OwnedFd, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let count = (bytes.len() as u32).to_ne_bytes();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    attach(&mut control, files);
    let mut sent = 0;
    while sent < count.len() + bytes.len() {
        let rest = [&count[sent.min(count.len())..], &bytes[sent.saturating_sub(count.len())..]];
        match sendmsg(socket, &rest.map(IoSlice::new), &mut control, SendFlags::empty()) {
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
            Ok(more) => {
                sent += more;
                control.clear();
            }
        }
    }
    Ok(())
}

pub(super) fn receive(socket: &OwnedFd) -> io::Result<Option<Message>> {
    let (mut count, mut files) = ([0; 4], Vec::new());
    if !fill(socket, &mut count, &mut files)? {
        return Ok(None);
    }
    let count = u32::from_ne_bytes(count) as usize;
    if count == 0 || count > LONGEST {
        return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {count} bytes")));
    }
    let mut bytes = vec![0; count];
    // One that ended in the middle of a message is gone.
    let whole = fill(socket, &mut bytes, &mut files)?;
    Ok(whole.then_some(Message { bytes, files }))
}

/// Waits for so many bytes, and takes the files that come with them; false when the other end is gone.
fn fill(socket: &OwnedFd, bytes: &mut [u8], files: &mut Vec<OwnedFd>) -> io::Result<bool> {
    let mut filled = 0;
    while filled < bytes.len() {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let room = &mut [IoSliceMut::new(&mut bytes[filled..])];
        // Files come with the first bytes of a message, and no process may be started before children are kept from them: so nobody waits
        // for bytes meanwhile.
        if let Err(error) = poll(&mut [PollFd::new(socket, PollFlags::IN)], None)
            && error != Errno::INTR
        {
            return Err(error.into());
        }
        let _alone = alone();
        let received = match recvmsg(socket, room, &mut control, RecvFlags::DONTWAIT) {
            Err(Errno::INTR | Errno::AGAIN) => continue,
            Err(Errno::CONNRESET) => return Ok(false),
            other => other?,
        };
        for file in attached(&mut control) {
            fcntl_setfd(&file, FdFlags::CLOEXEC)?;
            files.push(file);
        }
        if received.flags.intersects(ReturnFlags::CTRUNC) || files.len() > FILES {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a message with more files than any may have"));
        }
        if received.bytes == 0 {
            return Ok(false);
        }
        filled += received.bytes;
    }
    Ok(true)
}

/// A file without a name.
#[cfg(not(target_os = "linux"))]
pub(super) fn file(_: &str) -> io::Result<File> {
    tempfile::tempfile()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use crate::socket::memory_file;
    use std::io::Write as _;
    use std::os::fd::AsFd as _;

    #[test]
    fn messages_of_several_threads_stay_whole() {
        let (one, two) = pair().unwrap();
        let (file, sending) = (memory_file("picture", b"pixels").unwrap(), std::sync::Mutex::new(()));
        std::thread::scope(|scope| {
            for byte in 1..=4u8 {
                let (one, file, sending) = (&one, &file, &sending);
                scope.spawn(move || {
                    for length in 1..50usize {
                        let _alone = sending.lock().unwrap();
                        send(one, &vec![byte; length * 1300], &vec![file.as_fd(); length % (FILES + 1)]).unwrap();
                    }
                });
            }
            for _ in 0..4 * 49 {
                let message = receive(&two).unwrap().unwrap();
                assert!(message.bytes.iter().all(|byte| *byte == message.bytes[0]));
                assert_eq!(message.files.len(), message.bytes.len() / 1300 % (FILES + 1));
            }
        });
    }

    /// With processes started meanwhile, none of which may have an end: then nobody would hear of the other's end before its own.
    #[test]
    fn children_have_no_ends() {
        let start = || crate::socket::start(std::process::Command::new("sleep").arg("600")).unwrap();
        let (mut children, heard) = std::thread::scope(|scope| {
            let starting = scope.spawn(|| (0..40).map(|_| start()).collect::<Vec<_>>());
            let mut heard = true;
            while heard && !starting.is_finished() {
                let (one, two) = pair().unwrap();
                drop(one);
                let wait = rustix::event::Timespec { tv_sec: 20, tv_nsec: 0 };
                heard = poll(&mut [PollFd::new(&two, PollFlags::IN)], Some(&wait)).unwrap() == 1;
            }
            (starting.join().unwrap(), heard)
        });
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(heard, "a child has the other end");
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let of = |bytes: &[u8]| {
            let (one, two) = pair().unwrap();
            File::from(one).write_all(bytes).unwrap();
            receive(&two)
        };
        let sized = |count: usize, rest: &[u8]| [&(count as u32).to_ne_bytes(), rest].concat();
        assert!(of(&sized(0, b"")).is_err());
        assert!(of(&sized(LONGEST + 1, b"a")).is_err());
        assert!(of(&sized(2, b"a")).unwrap().is_none(), "its end is missing");
        assert!(of(b"abc").unwrap().is_none(), "its beginning is not whole");
        assert_eq!(of(&sized(2, b"ab")).unwrap().unwrap().bytes, b"ab");
    }
}
