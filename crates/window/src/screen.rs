//! A display that nobody sees, for programs that open windows where there is none: Xvfb, for one run and its user alone.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use tempfile::TempDir;
use x11rb::connection::Connection;
use x11rb::protocol::randr::{ConnectionExt as _, ModeInfo};
use x11rb::rust_connection::{DefaultStream, RustConnection};

/// What it shows.
const DESKTOP: [u16; 2] = [1920, 1080];
/// Display modes that programs may change to besides.
const MODES: [[u16; 2]; 6] = [[640, 480], [800, 600], [1024, 768], [1280, 720], [1280, 1024], [1600, 900]];
/// How whoever connects proves to be the user.
const PROOF: &str = "MIT-MAGIC-COOKIE-1";

/// Why there is no such display.
#[derive(Debug, thiserror::Error)]
pub enum ScreenError {
    /// Xvfb cannot be started.
    #[error("starting Xvfb: {0}")]
    Start(#[from] io::Error),
    /// It has ended at once.
    #[error("Xvfb ended at once; `Xvfb -displayfd 1` says why")]
    Ended,
}

/// A running Xvfb; dropping it ends it.
#[derive(Debug)]
pub struct Screen {
    server: Child,
    display: String,
    folder: TempDir,
}

/// What is in a file of proofs: one for every display.
fn proof(cookie: &[u8]) -> Vec<u8> {
    const ANY: u16 = 0xffff;
    let mut bytes = ANY.to_be_bytes().to_vec();
    for part in [b"", b"", PROOF.as_bytes(), cookie] {
        bytes.extend((part.len() as u16).to_be_bytes());
        bytes.extend(part);
    }
    bytes
}

impl Screen {
    /// Starts Xvfb on a display number that is free, with modes for programs that fill the screen. When its last client leaves it does
    /// not begin anew, which would cut off whoever comes just then.
    ///
    /// # Errors
    /// Xvfb is not installed, or does not start.
    pub fn start() -> Result<Self, ScreenError> {
        let folder = tempfile::Builder::new().prefix("afterimage-screen-").tempdir()?;
        let mut cookie = [0; 16];
        File::open("/dev/urandom")?.read_exact(&mut cookie)?;
        // The folder is its owner's alone.
        File::create_new(folder.path().join("Xauthority"))?.write_all(&proof(&cookie))?;
        let [width, height] = DESKTOP;
        let mut command = Command::new("Xvfb");
        command.args([
            "-displayfd",
            "1",
            "-nolisten",
            "tcp",
            "-noreset",
            "-screen",
            "0",
            &format!("{width}x{height}x24"),
        ]);
        command.arg("-auth").arg(folder.path().join("Xauthority"));
        // Ctrl-C is for the program; the display goes after it.
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut server = command.spawn()?;
        let mut number = String::new();
        if let Some(stdout) = server.stdout.take() {
            BufReader::new(stdout).take(16).read_line(&mut number)?;
        }
        let number = number.trim().to_owned();
        let screen = Self { server, display: format!(":{number}"), folder };
        if number.is_empty() {
            return Err(ScreenError::Ended);
        }
        // Programs in windows do without.
        let _desktop_only = screen.add_modes(&number, &cookie);
        Ok(screen)
    }

    /// What a program's environment is to have, so that it is shown there; and what it is to have not.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, Option<OsString>); 3] {
        let proof: PathBuf = self.folder.path().join("Xauthority");
        [("DISPLAY", Some((&self.display).into())), ("XAUTHORITY", Some(proof.into())), ("WAYLAND_DISPLAY", None)]
    }

    /// Xvfb has the one mode that it was started with, and takes others as every X server does.
    fn add_modes(&self, number: &str, cookie: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
        let (stream, _) = DefaultStream::from_unix_stream(UnixStream::connect(format!("/tmp/.X11-unix/X{number}"))?)?;
        let (name, cookie) = (PROOF.as_bytes().to_vec(), cookie.to_vec());
        let connection = RustConnection::connect_to_stream_with_auth_info(stream, 0, name, cookie)?;
        let root = connection.setup().roots.first().ok_or("there is no screen")?.root;
        connection.randr_query_version(1, 3)?.reply()?;
        let outputs = connection.randr_get_screen_resources_current(root)?.reply()?.outputs;
        for [width, height] in MODES {
            let name = format!("{width}x{height}");
            let info = ModeInfo {
                width,
                height,
                // 60 Hz.
                dot_clock: 60 * u32::from(width) * u32::from(height),
                htotal: width,
                vtotal: height,
                name_len: name.len() as u16,
                ..ModeInfo::default()
            };
            let mode = connection.randr_create_mode(root, info, name.as_bytes())?.reply()?.mode;
            for output in &outputs {
                connection.randr_add_output_mode(*output, mode)?.check()?;
            }
        }
        Ok(())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ended_already = self.server.kill();
        let _ended_already = self.server.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The modes that a display offers to who proves with this.
    fn modes(number: &str, name: &str, cookie: &[u8]) -> Option<Vec<[u16; 2]>> {
        let socket = UnixStream::connect(format!("/tmp/.X11-unix/X{number}")).unwrap();
        let (stream, _) = DefaultStream::from_unix_stream(socket).unwrap();
        let connection =
            RustConnection::connect_to_stream_with_auth_info(stream, 0, name.into(), cookie.to_vec()).ok()?;
        let root = connection.setup().roots[0].root;
        let resources = connection.randr_get_screen_resources_current(root).unwrap().reply().unwrap();
        let output = connection.randr_get_output_info(resources.outputs[0], 0).unwrap().reply().unwrap();
        let known = |id: &u32| resources.modes.iter().find(|mode| mode.id == *id).map(|mode| [mode.width, mode.height]);
        let mut sizes: Vec<_> = output.modes.iter().filter_map(known).collect();
        sizes.sort_unstable();
        Some(sizes)
    }

    #[test]
    fn it_is_its_user_s_alone_has_modes_and_goes() {
        let screen = match Screen::start() {
            Err(ScreenError::Start(error)) if error.kind() == io::ErrorKind::NotFound => {
                return eprintln!("Xvfb is not installed: displays are not tested");
            }
            started => started.unwrap(),
        };
        let environment = screen.environment();
        let value = |name: &str| environment.iter().find(|(known, _)| *known == name).unwrap().1.clone();
        let display = value("DISPLAY").unwrap().into_string().unwrap();
        let number = display.trim_start_matches(':');
        let file = std::fs::read(value("XAUTHORITY").unwrap()).unwrap();
        let cookie = &file[file.len() - 16..];
        assert_eq!((&file[..], value("WAYLAND_DISPLAY")), (&proof(cookie)[..], None));
        assert_eq!(modes(number, PROOF, cookie).unwrap(), [&MODES[..], &[DESKTOP]].concat());
        assert_eq!(modes(number, PROOF, &[0; 16]), None, "another's cookie");
        assert_eq!(modes(number, "", &[]), None, "no cookie");
        let socket = PathBuf::from(format!("/tmp/.X11-unix/X{number}"));
        drop(screen);
        assert!(UnixStream::connect(socket).is_err());
    }
}
