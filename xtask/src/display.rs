//! An X server without a screen, for Windows programs: they always open a window.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use crate::step::{Context, Failure, Result};

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
        command.args(["-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp", "-noreset"]);
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
