//! What the viewer and its renderer processes tell each other, over a socket that is the process's standard input.
//!
//! A renderer process draws what a stranger sends, so the viewer believes nothing that it says: texts are shown, sizes are held against
//! the files that come with them, and whatever else does not fit ends the process. It writes no files of the user's, but those that
//! the options name; captures and pictures that the user wants go to the viewer, which writes them.

use afterimage_process::socket::{Message, Socket, memory_file, read_file};
use serde::{Deserialize, Serialize};
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

/// Most bytes of a picture: 16384 x 16384 texels.
const PICTURE: u64 = 4 << 28;
/// Most bytes of a captured frame.
const CAPTURE: u64 = 2 << 30;

/// What a renderer process is for.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Task {
    /// To draw programs.
    Programs {
        /// Into windows of theirs.
        foreign: bool,
        /// Into windows that the viewer opens.
        windows: bool,
    },
    /// To go through a capture call by call. If it is no file, its bytes come with the message.
    Step {
        /// The file.
        file: Option<PathBuf>,
    },
    /// To write a frame of a capture into a folder, in words and as textures.
    Dump {
        /// The file, as above.
        file: Option<PathBuf>,
        /// Where to.
        folder: PathBuf,
        /// The program's name, as part of a file's.
        program: String,
        /// Number of the frame.
        number: u64,
        /// Its calls; all if nothing is said.
        calls: Option<Range<u64>>,
    },
}

/// What the user wants of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Request {
    /// It is to be disconnected.
    Stop,
    /// A capture of the next frame.
    Capture,
    /// A picture of the next frame.
    Picture,
    /// A dump of the next frame.
    Dump,
    /// It is to be paused behind the next frame, or to go on.
    Paused(bool),
    /// A paused one is to go on for a frame.
    Step,
    /// Figures are to be drawn over it.
    Hud(bool),
    /// Something is to be said on its picture for a moment.
    Notice(String),
    /// Its pictures are shown.
    Watched(bool),
    /// A paused one that has ended is still looked at.
    Kept(bool),
}

/// What the viewer tells a renderer process.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Order {
    /// The first one.
    Begin {
        /// What the process is for.
        task: Task,
        /// Files and folders that it reads, besides what drivers need.
        read: Vec<PathBuf>,
        /// Folders that it writes into.
        write: Vec<PathBuf>,
    },
    /// To draw a program; its shared file comes with this.
    Serve {
        /// The program's number.
        number: usize,
    },
    /// A request about a program.
    Request {
        /// The program's number.
        number: usize,
        /// What is wanted.
        request: Request,
    },
    /// An answer to [`Report::Window`].
    Window {
        /// The program's number.
        number: usize,
        /// Its target.
        target: u32,
        /// Number of the X11 window, or why there is none.
        window: Result<u32, String>,
    },
    /// The pictures behind a call of the capture are wanted: texture, level and layer of each, whether the call writes it, and its name.
    Pictures {
        /// The call.
        call: u64,
        /// What is to be looked at.
        views: Vec<(View, bool, String)>,
    },
    /// How long calls of the capture take is wanted.
    Times(Range<u64>),
}

/// A texture's number, level and layer.
pub(crate) type View = (u32, u16, u16);

/// What is done with a frame that was captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Purpose {
    /// The program is paused behind it.
    pub(crate) pause: bool,
    /// It is to be dumped.
    pub(crate) dump: bool,
    /// It is to be kept as a file.
    pub(crate) keep: bool,
}

/// What a renderer process tells the viewer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Report {
    /// The device is open.
    Ready,
    /// What the process is for cannot be done.
    Failed(String),
    /// A program wants a window.
    Window {
        /// The program's number.
        number: usize,
        /// Its target.
        target: u32,
        /// Pixels.
        width: u32,
        /// Pixels.
        height: u32,
    },
    /// How a program is.
    State {
        /// The program's number.
        number: usize,
        /// Pictures that it has presented.
        frames: u64,
        /// Draws that it has asked for.
        draws: u64,
        /// Whether it has ended though it is paused, in words.
        ended: Option<String>,
    },
    /// A picture of a program comes with this.
    Live {
        /// The program's number.
        number: usize,
        /// The picture's.
        frame: u64,
        /// Pixels.
        size: [u32; 2],
        /// It is to be kept as a file.
        keep: bool,
    },
    /// A capture of a frame comes with this.
    Captured {
        /// The program's number.
        number: usize,
        /// The frame's.
        frame: u64,
        /// What for.
        purpose: Purpose,
    },
    /// A program goes on that was paused; and why, if nobody wanted that.
    GoesOn {
        /// The program's number.
        number: usize,
        /// Why.
        why: Option<String>,
    },
    /// Keys were pressed in a program's own window.
    Keys {
        /// The program's number.
        number: usize,
        /// A capture is wanted.
        capture: bool,
        /// A picture is wanted.
        picture: bool,
    },
    /// A program is drawn no more.
    Left {
        /// The program's number.
        number: usize,
        /// What was wrong, if it was not the program or the user that ended it.
        why: Option<String>,
        /// Files of it that could not be written.
        unwritten: u64,
    },
    /// Something did not end within the limit: in words. The process ends.
    Hung(String),
    /// A picture behind a call comes with this: what [`Order::Pictures`] has named, or what the call shows.
    Picture {
        /// What it is of.
        view: View,
        /// Whether the call writes it.
        written: bool,
        /// Its name.
        name: String,
        /// Texels.
        size: [u32; 2],
    },
    /// All pictures behind this call have been sent.
    Pictures(u64),
    /// How long calls take.
    Times {
        /// Nanoseconds of each, where that is known.
        list: Vec<(u64, Option<u64>)>,
        /// No more come.
        last: bool,
    },
    /// The frame has been written: in words.
    Dumped(String),
    /// What could not be done, in words.
    Said(String),
}

/// Sends an order or a report, with a file.
pub(crate) fn send<T: Serialize>(socket: &Socket, what: &T, file: Option<BorrowedFd<'_>>) -> io::Result<()> {
    socket.send(&serde_json::to_vec(what)?, file.as_slice())
}

/// The same with bytes in place of a file.
pub(crate) fn send_bytes<T: Serialize>(socket: &Socket, what: &T, bytes: &[u8]) -> io::Result<()> {
    let file = memory_file("afterimage", bytes)?;
    send(socket, what, Some(file.as_fd()))
}

/// Waits for the next order or report; `None` when the other process is gone.
pub(crate) fn receive<T: for<'a> Deserialize<'a>>(socket: &Socket) -> io::Result<Option<(T, Option<OwnedFd>)>> {
    let Some(Message { bytes, files }) = socket.receive()? else { return Ok(None) };
    Ok(Some((serde_json::from_slice(&bytes)?, files.into_iter().next())))
}

/// The file that has to come with a message.
fn there(file: Option<OwnedFd>) -> io::Result<OwnedFd> {
    file.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "a message came without its file"))
}

/// The bytes of a capture that came.
pub(crate) fn capture(file: Option<OwnedFd>) -> io::Result<Vec<u8>> {
    read_file(there(file)?, CAPTURE)
}

/// The four bytes of each pixel of a picture that came.
pub(crate) fn pixels(file: Option<OwnedFd>, [width, height]: [u32; 2]) -> io::Result<Vec<u8>> {
    let bytes = read_file(there(file)?, PICTURE)?;
    let pixels = u64::from(width) * u64::from(height);
    if pixels == 0 || pixels.checked_mul(4) != Some(bytes.len() as u64) {
        let what = format!("a picture of {width} x {height} pixels came with {} bytes", bytes.len());
        return Err(io::Error::new(io::ErrorKind::InvalidData, what));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received_and_what_does_not_fit_is_refused() {
        let (one, two) = Socket::pair().unwrap();
        let live = |size| Report::Live { number: 1, frame: 2, size, keep: false };
        send_bytes(&one, &live([2, 1]), &[9; 8]).unwrap();
        let (report, file) = receive::<Report>(&two).unwrap().unwrap();
        assert_eq!(report, live([2, 1]));
        assert_eq!(pixels(file, [2, 1]).unwrap(), [9; 8]);
        for (size, bytes) in [([2, 2], 8), ([0, 0], 0), ([u32::MAX, u32::MAX], 4)] {
            send_bytes(&one, &live(size), &vec![0; bytes]).unwrap();
            let (_, file) = receive::<Report>(&two).unwrap().unwrap();
            assert!(pixels(file, size).is_err());
        }
        send(&one, &live([1, 1]), None).unwrap();
        let (_, file) = receive::<Report>(&two).unwrap().unwrap();
        assert!(pixels(file, [1, 1]).is_err());
        one.send(b"{", &[]).unwrap();
        assert!(receive::<Report>(&two).is_err());
    }
}
