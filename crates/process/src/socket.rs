//! Messages between a process and the one that it started: bytes, with open files.

#[cfg(target_os = "linux")]
mod packets;
#[cfg(any(not(target_os = "linux"), test))]
mod stream;

#[cfg(target_os = "linux")]
use packets as system;
#[cfg(not(target_os = "linux"))]
use stream as system;

use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, SendAncillaryBuffer, SendAncillaryMessage};
use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::process::{Child, Command};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most bytes of a message. What is longer goes into a file, see [`memory_file`].
pub const LONGEST: usize = 64 << 10;
/// Most files of a message.
pub const FILES: usize = 4;

/// One end. Messages are taken whole or not at all, in their order; sending and receiving may be done by different threads.
#[derive(Debug)]
pub struct Socket {
    file: OwnedFd,
    /// Held by who sends a message, which may be in parts: those of several threads stay whole. Each socket has its own, so that one whose
    /// other end takes nothing lets the others be.
    sending: Mutex<()>,
}

/// Held while a process is started, and while there are descriptors that it would have by mistake: not every system makes them so that
/// children get none. A child that had the end of another's socket would keep who waits for that one's end waiting.
static STARTING: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    STARTING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a process, which has no descriptors but those that it was given.
///
/// # Errors
/// It cannot be started.
pub fn start(command: &mut Command) -> io::Result<Child> {
    let _alone = alone();
    command.spawn()
}

/// What came.
#[derive(Debug)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The files, in the order in which they were sent.
    pub files: Vec<OwnedFd>,
}

/// Has a message bring files along, of which it has room for [`FILES`].
fn attach<'a>(control: &mut SendAncillaryBuffer<'a, 'a, 'a>, files: &'a [BorrowedFd<'a>]) {
    if !files.is_empty() {
        // The space is for as many.
        let _fits = control.push(SendAncillaryMessage::ScmRights(files));
    }
}

/// The files that a message has brought.
fn attached<'a>(control: &'a mut RecvAncillaryBuffer<'_>) -> impl Iterator<Item = OwnedFd> + 'a {
    let files = control.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(files) => Some(files),
        _ => None,
    });
    files.flatten()
}

impl Socket {
    /// Two connected ends.
    ///
    /// # Errors
    /// The system has no more descriptors.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (one, two) = system::pair()?;
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
        let _alone = self.sending.lock().unwrap_or_else(PoisonError::into_inner);
        system::send(&self.file, bytes, files)
    }

    /// Waits for the next message; `None` when the other end is gone.
    ///
    /// # Errors
    /// The message is longer than any may be, or the system refuses.
    pub fn receive(&self) -> io::Result<Option<Message>> {
        system::receive(&self.file)
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
    fn one_that_takes_nothing_keeps_no_other_waiting() {
        let (full, unread) = Socket::pair().unwrap();
        let (one, two) = Socket::pair().unwrap();
        std::thread::scope(|scope| {
            // Until the other end is gone.
            scope.spawn(|| while full.send(&[1; LONGEST], &[]).is_ok() {});
            for byte in 0..100 {
                one.send(&[byte], &[]).unwrap();
                assert_eq!(two.receive().unwrap().unwrap().bytes, [byte]);
            }
            drop(unread);
        });
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
