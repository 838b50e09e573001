//! Wine as the sample programs need it: a display, a prefix for each width, the right environment, nothing left behind.

pub(crate) mod place;
pub(crate) mod root;
pub(crate) mod seat;

use std::path::PathBuf;
use std::process::Command;

use xtask::build::{Tree, Width, Windows};
use xtask::setup::{self, Machine};
use xtask::step::{self, Result};
use xtask::workspace::Workspace;

use crate::display::Display;
use crate::matrix::End;
use place::{Layer, Place};

/// Seconds that making a prefix may take.
const LIMIT: &str = "240";
/// Has Wine's server stay for ten minutes after its last program. Debian's ends with it: the next program may come in that moment, and has all
/// of Wine's services started again.
const LINGERS: &str = "-p600";
/// Milliseconds that a program waits for its viewer, which may take long to start here.
const VIEWER_WAIT_MS: &str = "60000";

/// Wine of both widths, as far as the machine has it. Dropping it ends what Wine leaves running.
pub(crate) struct Wine {
    ws: Workspace,
    display: Option<Display>,
    /// Why Windows programs of each width cannot be run, if so.
    denied: [Option<End>; 2],
}

impl Wine {
    /// Starts a display, and makes the prefixes if this is the first time.
    ///
    /// # Errors
    /// When a prefix cannot be made.
    pub(crate) fn start(ws: &Workspace, machine: &Machine, tree: &Tree) -> Result<Self> {
        let both = |end: End| [Some(end.clone()), Some(end)];
        let mut denied = match &tree.windows {
            Windows::Built => [machine.no_windows(), machine.no_windows32()].map(|why| why.map(End::Skipped)),
            Windows::Impossible(why) => both(End::Skipped(why.clone())),
            Windows::Broken(why) => both(End::Bad(why.clone())),
        };
        let mut display = None;
        if denied.iter().any(Option::is_none) {
            match Display::start() {
                Ok(started) => display = Some(started),
                Err(failure) => denied = both(End::Bad(failure.summary())),
            }
        }
        let wine = Self { ws: ws.clone(), display, denied };
        for width in Width::ALL {
            if wine.denied(width).is_none() {
                wine.make_prefix(width)?;
                wine.server(LINGERS, width);
            }
        }
        Ok(wine)
    }

    /// Why programs of this width cannot be run, if so.
    pub(crate) fn denied(&self, width: Width) -> Option<End> {
        self.denied[usize::from(width == Width::W32)].clone()
    }

    /// Why programs of this width have no Vulkan in their own process, if so.
    pub(crate) fn denied_vulkan(&self, width: Width) -> Option<End> {
        Layer::InProcess.lacks(&Place::here(&self.ws), width).map(End::Skipped)
    }

    /// The display that programs are on.
    pub(crate) fn display(&self) -> &str {
        self.display.as_ref().map_or("", Display::name)
    }

    /// Sets the environment of a command that is Wine or starts it.
    pub(crate) fn environment(&self, command: &mut Command, width: Width) {
        command.env("DISPLAY", self.display()).env("WINEDEBUG", "-all").env("WINEDLLOVERRIDES", "mscoree,mshtml=");
        command.env("WINEPREFIX", self.prefix(width)).env("AFTERIMAGE_VIEWER_WAIT_MS", VIEWER_WAIT_MS);
        // Nobody would press its button.
        command.env("AFTERIMAGE_MESSAGE_BOX", "off");
        if width == Width::W32 && !setup::wine32::system_has_it() {
            let path = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(self.ws.wine32().join("bin")).chain(std::env::split_paths(&path));
            if let Ok(path) = std::env::join_paths(folders) {
                command.env("PATH", path);
            }
        }
    }

    fn prefix(&self, width: Width) -> PathBuf {
        self.ws.cache.join(format!("prefix{}", width.bits()))
    }

    /// Makes a prefix once, so that no program's time includes it.
    fn make_prefix(&self, width: Width) -> Result {
        if self.prefix(width).join("system.reg").is_file() {
            return Ok(());
        }
        let mut command = Command::new("timeout");
        command.args(["-k", "5", LIMIT, "wine", "wineboot", "--init"]);
        self.environment(&mut command, width);
        let advice = format!("remove {} and try again", self.prefix(width).display());
        step::run(&self.ws, &mut command, &format!("making a Wine prefix ({} bit)", width.bits()), &advice)?;
        self.server("-w", width);
        Ok(())
    }

    /// Wine's server: `-p` starts it, `-w` waits until all is written and its programs have ended, `-k` ends them.
    fn server(&self, what: &str, width: Width) {
        let mut command = Command::new("wineserver");
        command.arg(what);
        self.environment(&mut command, width);
        let _ = command.status();
    }
}

impl Drop for Wine {
    fn drop(&mut self) {
        for width in Width::ALL {
            if self.denied(width).is_none() {
                self.server("-k", width);
            }
        }
    }
}
