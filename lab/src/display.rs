//! An X server without a screen, for Windows programs: they always open a window, and some change the display mode.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use x11rb::connection::Connection as _;
use x11rb::protocol::randr::{ConnectionExt as _, ModeInfo};
use x11rb::rust_connection::RustConnection;
use xtask::step::{Context, Failure, Result};

/// What the display shows at first.
const DESKTOP: [u16; 2] = [1280, 1024];
/// The display modes that there are beside that, where more than one is wanted.
const MODES: [[u16; 2]; 3] = [[640, 480], [800, 600], [1024, 768]];

/// A running Xvfb; dropping it ends it.
pub(crate) struct Display {
    server: Child,
    name: String,
}

impl Display {
    /// Starts Xvfb on a display number that is free. When its last client leaves it does not begin anew, which would cut off
    /// whoever comes just then.
    ///
    /// # Errors
    /// When Xvfb is not installed or does not start.
    pub(crate) fn start() -> Result<Self> {
        let mut command = Command::new("Xvfb");
        let screen = format!("{}x{}x24", DESKTOP[0], DESKTOP[1]);
        command.args(["-displayfd", "1", "-screen", "0", &screen, "-nolisten", "tcp", "-noreset"]);
        let mut server =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().doing("starting Xvfb")?;
        let mut number = String::new();
        if let Some(stdout) = server.stdout.take() {
            let _ = BufReader::new(stdout).read_line(&mut number);
        }
        let number = number.trim();
        if number.is_empty() {
            let _ = server.kill();
            let _ = server.wait();
            return Err(Failure::new("starting Xvfb", "it ended at once").advise("try `Xvfb -displayfd 1` by hand"));
        }
        Ok(Self { server, name: format!(":{number}") })
    }

    /// The same with modes that programs can change to.
    ///
    /// # Errors
    /// As [`Display::start`]; when Xvfb takes no modes, too.
    pub(crate) fn start_with_modes() -> Result<Self> {
        let display = Self::start()?;
        display.add_modes().doing("giving Xvfb display modes")?;
        Ok(display)
    }

    /// Xvfb has the one mode that it was started with, and takes others as every X server does.
    fn add_modes(&self) -> std::result::Result<(), Box<dyn std::error::Error>> {
        let (connection, screen) = RustConnection::connect(Some(&self.name))?;
        let root = connection.setup().roots.get(screen).ok_or("there is no screen")?.root;
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

    /// What to set `DISPLAY` to.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::{DESKTOP, Display, MODES};
    use x11rb::connection::Connection as _;
    use x11rb::protocol::randr::ConnectionExt as _;
    use x11rb::rust_connection::RustConnection;

    #[test]
    fn a_display_with_modes_offers_them() {
        if !xtask::step::on_path("Xvfb") {
            return;
        }
        let sizes = |display: &Display| {
            let (connection, screen) = RustConnection::connect(Some(display.name())).unwrap();
            let root = connection.setup().roots[screen].root;
            let resources = connection.randr_get_screen_resources_current(root).unwrap().reply().unwrap();
            let output = connection.randr_get_output_info(resources.outputs[0], 0).unwrap().reply().unwrap();
            let known =
                |id: &u32| resources.modes.iter().find(|mode| mode.id == *id).map(|mode| [mode.width, mode.height]);
            let mut sizes: Vec<_> = output.modes.iter().filter_map(known).collect();
            sizes.sort_unstable();
            sizes
        };
        let display = Display::start_with_modes().unwrap();
        assert_eq!(sizes(&display), [&MODES[..], &[DESKTOP]].concat());
        assert_eq!(sizes(&Display::start().unwrap()), [DESKTOP]);
    }
}
