//! Messages between a process and the one that it started: bytes behind their number, with open files.

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
};
use std::fs::File;
use std::io::{self, IoSlice, IoSliceMut, Read, Seek, Write};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

/// Most bytes of a message. What is longer goes into a file, see [`memory_file`].
pub const LONGEST: usize = 64 << 10;
/// Most files of a message.
pub const FILES: usize = 4;

/// What the systems do differently.
#[cfg(target_os = "linux")]
mod system {
    use super::{File, OwnedFd, RecvFlags, SendFlags, SocketFlags, io};
    use rustix::fs::{MemfdFlags, memfd_create};

    pub(super) const NEW: SocketFlags = SocketFlags::CLOEXEC;
    pub(super) const SEND: SendFlags = SendFlags::NOSIGNAL;
    pub(super) const RECEIVE: RecvFlags = RecvFlags::CMSG_CLOEXEC;

    pub(super) fn keep_from_children(_: &OwnedFd) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn file(name: &str) -> io::Result<File> {
        Ok(memfd_create(name, MemfdFlags::CLOEXEC)?.into())
    }
}

/// Where descriptors are not closed for children from the beginning, and files have a place on a disk. Our programs take no SIGPIPE.
#[cfg(not(target_os = "linux"))]
mod system {
    use super::{File, OwnedFd, RecvFlags, SendFlags, SocketFlags, io};
    use rustix::io::{FdFlags, fcntl_setfd};

    pub(super) const NEW: SocketFlags = SocketFlags::empty();
    pub(super) const SEND: SendFlags = SendFlags::empty();
    pub(super) const RECEIVE: RecvFlags = RecvFlags::empty();

    pub(super) fn keep_from_children(file: &OwnedFd) -> io::Result<()> {
        Ok(fcntl_setfd(file, FdFlags::CLOEXEC)?)
    }

    pub(super) fn file(_: &str) -> io::Result<File> {
        tempfile::tempfile()
    }
}

/// One end. Messages come whole and in their order, also where several threads send.
#[derive(Debug)]
pub struct Socket {
    file: OwnedFd,
    /// Held by who sends a message.
    sending: Mutex<()>,
}

/// What came.
#[derive(Debug)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The files, in the order in which they were sent.
    pub files: Vec<OwnedFd>,
}

impl Socket {
    /// Two connected ends.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, two) = socketpair(AddressFamily::UNIX, SocketType::STREAM, system::NEW, None)?;
        system::keep_from_children(&one)?;
        system::keep_from_children(&two)?;
        Ok((one.into(), two.into()))
    }

    /// Sends a message; waits until there is room for it.
    ///
    /// # Errors
    /// The other end is gone (`BrokenPipe`), or the message is too long.
    pub fn send(&self, bytes: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
        if bytes.is_empty() || bytes.len() > LONGEST || files.len() > FILES {
            let what = format!("a message of {} bytes and {} files", bytes.len(), files.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
        }
        let count = (bytes.len() as u32).to_ne_bytes();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
        let mut control = SendAncillaryBuffer::new(&mut space);
        if !files.is_empty() {
            // The space is for as many.
            let _fits = control.push(SendAncillaryMessage::ScmRights(files));
        }
        let _alone = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sent = 0;
        while sent < count.len() + bytes.len() {
            let rest = [&count[sent.min(count.len())..], &bytes[sent.saturating_sub(count.len())..]];
            match sendmsg(&self.file, &rest.map(IoSlice::new), &mut control, system::SEND) {
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

    /// Waits for the next message; `None` when the other end is gone.
    ///
    /// # Errors
    /// The message is longer than any may be, or the system refuses.
    pub fn receive(&self) -> io::Result<Option<Message>> {
        let (mut count, mut files) = ([0; 4], Vec::new());
        if !self.fill(&mut count, &mut files)? {
            return Ok(None);
        }
        let count = u32::from_ne_bytes(count) as usize;
        if count == 0 || count > LONGEST {
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("a message of {count} bytes")));
        }
        let mut bytes = vec![0; count];
        // One that ended in the middle of a message is gone.
        let whole = self.fill(&mut bytes, &mut files)?;
        Ok(whole.then_some(Message { bytes, files }))
    }

    /// Waits for so many bytes, and takes the files that come with them; false when the other end is gone.
    fn fill(&self, bytes: &mut [u8], files: &mut Vec<OwnedFd>) -> io::Result<bool> {
        let mut filled = 0;
        while filled < bytes.len() {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
            let mut control = RecvAncillaryBuffer::new(&mut space);
            let room = &mut [IoSliceMut::new(&mut bytes[filled..])];
            let received = match recvmsg(&self.file, room, &mut control, system::RECEIVE) {
                Err(Errno::INTR) => continue,
                Err(Errno::CONNRESET) => return Ok(false),
                other => other?,
            };
            for message in control.drain() {
                if let RecvAncillaryMessage::ScmRights(more) = message {
                    files.extend(more);
                }
            }
            files.iter().try_for_each(system::keep_from_children)?;
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

    /// Ends both directions: whoever waits for a message gets none.
    pub fn close(&self) {
        // An end that is closed already is what is wanted.
        let _closed = rustix::net::shutdown(&self.file, rustix::net::Shutdown::Both);
    }
}

impl From<OwnedFd> for Socket {
    fn from(file: OwnedFd) -> Self {
        Self { file, sending: Mutex::new(()) }
    }
}

impl From<Socket> for OwnedFd {
    fn from(socket: Socket) -> Self {
        socket.file
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

/// Bytes as a file in memory, to be sent.
///
/// # Errors
/// There is no memory, or no descriptor.
pub fn memory_file(name: &str, bytes: &[u8]) -> io::Result<File> {
    let mut file = system::file(name)?;
    file.write_all(bytes)?;
    Ok(file)
}

/// The bytes of a file that another process has sent, from its beginning.
///
/// # Errors
/// It is no regular file, has more than `most` bytes, or cannot be read.
pub fn read_file(file: OwnedFd, most: u64) -> io::Result<Vec<u8>> {
    let mut file = File::from(file);
    let about = file.metadata()?;
    if !about.is_file() || about.len() > most {
        let what = format!("a file of {} bytes came, where at most {most} may", about.len());
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    file.rewind()?;
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(about.len() as usize)?;
    // It may grow while it is read.
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_come_whole_with_their_files_and_end_with_the_other_end() {
        let (one, two) = Socket::pair().unwrap();
        let file = memory_file("picture", b"pixels").unwrap();
        one.send(b"a", &[]).unwrap();
        one.send(b"bc", &[file.as_fd(), file.as_fd()]).unwrap();
        assert_eq!(two.receive().unwrap().unwrap().bytes, b"a");
        let mut message = two.receive().unwrap().unwrap();
        assert_eq!((&message.bytes[..], message.files.len()), (&b"bc"[..], 2));
        assert_eq!(read_file(message.files.remove(1), 6).unwrap(), b"pixels");
        assert!(read_file(message.files.remove(0), 5).is_err());
        assert!(one.send(&vec![0; LONGEST + 1], &[]).is_err());
        drop(one);
        assert!(two.receive().unwrap().is_none());
        assert_eq!(two.send(b"d", &[]).unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }

    #[test]
    fn messages_of_several_threads_stay_whole() {
        let (one, two) = Socket::pair().unwrap();
        let file = memory_file("picture", b"pixels").unwrap();
        std::thread::scope(|scope| {
            for byte in 1..=4u8 {
                let (one, file) = (&one, &file);
                scope.spawn(move || {
                    for length in 1..50usize {
                        one.send(&vec![byte; length * 1300], &vec![file.as_fd(); length % (FILES + 1)]).unwrap();
                    }
                });
            }
            for _ in 0..4 * 49 {
                let message = two.receive().unwrap().unwrap();
                assert!(message.bytes.iter().all(|byte| *byte == message.bytes[0]));
                assert_eq!(message.files.len(), message.bytes.len() / 1300 % (FILES + 1));
            }
        });
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let of = |bytes: &[u8]| {
            let (one, two) = Socket::pair().unwrap();
            File::from(OwnedFd::from(one)).write_all(bytes).unwrap();
            two.receive()
        };
        let sized = |count: usize, rest: &[u8]| [&(count as u32).to_ne_bytes(), rest].concat();
        assert!(of(&sized(0, b"")).is_err());
        assert!(of(&sized(LONGEST + 1, b"a")).is_err());
        assert!(of(&sized(2, b"a")).unwrap().is_none(), "its end is missing");
        assert!(of(b"abc").unwrap().is_none(), "its beginning is not whole");
        assert_eq!(of(&sized(2, b"ab")).unwrap().unwrap().bytes, b"ab");
    }

    #[test]
    fn closing_wakes_who_waits() {
        let (one, two) = Socket::pair().unwrap();
        let two = std::sync::Arc::new(two);
        let waiting = std::sync::Arc::clone(&two);
        let waits = std::thread::spawn(move || waiting.receive().unwrap().is_none());
        two.close();
        assert!(waits.join().unwrap());
        drop(one);
    }
}
