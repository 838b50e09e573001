//! A seat for Windows programs: a display and a Wine prefix of its own, so that programs at two seats do not take the focus, the
//! display mode or the clipboard from each other; and a viewer, where the renderer is in its own process.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use xtask::build::{Tree, Width};
use xtask::step::{self, Context, Failure, Result};
use xtask::workspace::Workspace;

use super::place::{Layer, Place};
use crate::display::Display;

/// Seconds that making a prefix may take.
const LIMIT: &str = "240";
/// Seats for programs of a width, of all commands that run at once.
const MAX_SEATS: usize = 64;

/// A seat. Dropping it ends what runs there.
pub(crate) struct Seat {
    place: Place,
    width: Width,
    /// Which of the seats for programs of this width: others have the lower ones.
    pub(crate) number: usize,
    /// Locked while the seat is taken.
    _lock: File,
    display: Display,
    prefix: PathBuf,
    /// Where program and viewer meet.
    link: PathBuf,
    /// Whether all drawing is done by Mesa on the CPU, whatever the machine has.
    software: bool,
    viewer: Option<Child>,
}

impl Seat {
    /// Takes the first seat that no other command has; makes its prefix if this is the first time.
    ///
    /// # Errors
    /// When there is no display or no seat, or the prefix cannot be made.
    pub(crate) fn take(ws: &Workspace, place: &Place, width: Width, software: bool) -> Result<Self> {
        let folder = ws.cache.join("seats");
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        let name = |number: usize| folder.join(format!("{}-{}-{number}", place.name(), width.bits()));
        let (number, lock) = first_free(&name)?;
        let link = ws.target.join("seats").join(format!("{}-{}-{number}", place.name(), width.bits()));
        std::fs::create_dir_all(&link).doing(format!("creating {}", link.display()))?;
        let seat = Self {
            place: place.clone(),
            width,
            number,
            _lock: lock,
            display: Display::start()?,
            prefix: name(number),
            link,
            software,
            viewer: None,
        };
        if !seat.prefix.join("system.reg").is_file() {
            let _ = std::fs::remove_dir_all(&seat.prefix);
            if number == 0 { seat.make_prefix(ws)? } else { copy_prefix(&name(0), &seat.prefix)? }
        }
        Ok(seat)
    }

    fn make_prefix(&self, ws: &Workspace) -> Result {
        std::fs::create_dir_all(&self.prefix).doing(format!("creating {}", self.prefix.display()))?;
        let mut command = self.wine(LIMIT, &["wineboot".as_ref(), "--init".as_ref()]);
        command.env("WINEDLLOVERRIDES", "mscoree,mshtml=");
        let advice = format!("remove {} and try again", self.prefix.display());
        let what = format!("making a prefix of Wine {} ({} bit)", self.place.version, self.width.bits());
        step::run(ws, &mut command, &what, &advice)?;
        self.server("-w");
        Ok(())
    }

    /// A command that runs Wine here, and ends it after a number of seconds.
    pub(crate) fn wine(&self, limit: &str, arguments: &[&OsStr]) -> Command {
        let mut command = self.command("timeout");
        command.args(["-k", "5", limit, "wine"]).args(arguments);
        command
    }

    /// A command of this seat's place with its environment.
    fn command(&self, program: &str) -> Command {
        let mut command = self.place.command(program);
        command.env("DISPLAY", self.display.name()).env("WINEPREFIX", &self.prefix).env("WINEDEBUG", "-all");
        if let Some(path) = self.place.path(self.width) {
            command.env("PATH", path);
        }
        if self.software {
            command.env("LIBGL_ALWAYS_SOFTWARE", "1");
            if let Some(driver) = self.place.software_driver() {
                command.env("VK_ICD_FILENAMES", driver);
            }
        }
        command
    }

    /// A command that runs a program of `folder` there with an implementation that was laid beside it.
    ///
    /// # Errors
    /// When its viewer does not start.
    pub(crate) fn program(
        &mut self,
        tree: &Tree,
        layer: Layer,
        limit: &str,
        folder: &Path,
        exe: &str,
    ) -> Result<Command> {
        if layer == Layer::Viewer {
            self.ensure_viewer(tree)?;
        } else {
            self.end_viewer();
        }
        let mut command = self.wine(limit, &[exe.as_ref()]);
        let load = if layer == Layer::WineD3d { "b" } else { "n" };
        command.env("WINEDLLOVERRIDES", format!("mscoree,mshtml=;d3d9={load}")).current_dir(folder);
        command.env("AFTERIMAGE_RENDERER", if layer == Layer::Viewer { "viewer" } else { "in-process" });
        command.env("AFTERIMAGE_DIR", &self.link).env("AFTERIMAGE_VALIDATE", "0");
        command.env("AFTERIMAGE_VIEWER_WAIT_MS", super::VIEWER_WAIT_MS);
        if let Some(driver) = layer.held_to() {
            command.env("AFTERIMAGE_WITHOUT", driver.without());
        }
        command.env("DXVK_LOG_PATH", "none").env("DXVK_LOG_LEVEL", "none");
        Ok(command)
    }

    /// Starts the viewer if it is not there, or no longer.
    fn ensure_viewer(&mut self, tree: &Tree) -> Result {
        if let Some(viewer) = &mut self.viewer
            && viewer.try_wait().doing("looking after the viewer")?.is_none()
        {
            return Ok(());
        }
        let log = self.link.join("viewer.log");
        let file = File::create(&log).doing(format!("creating {}", log.display()))?;
        let second = file.try_clone().doing("opening the viewer's log")?;
        let mut command = Command::new(tree.viewer());
        command.arg("--headless").env("AFTERIMAGE_DIR", &self.link).env("AFTERIMAGE_VALIDATE", "0");
        if self.software
            && let Some(driver) = host_driver()
        {
            command.env("VK_ICD_FILENAMES", driver);
        }
        command.stdin(Stdio::null()).stdout(file).stderr(second);
        self.viewer = Some(command.spawn().doing(format!("starting {}", tree.viewer().display()))?);
        Ok(())
    }

    /// Ends every program, so that the next one may be on another display.
    pub(crate) fn end_programs(&self) {
        self.server("-k");
        self.server("-w");
    }

    /// Whether a viewer was started and has ended.
    pub(crate) fn lost_viewer(&mut self) -> bool {
        self.viewer.as_mut().is_some_and(|viewer| !matches!(viewer.try_wait(), Ok(None)))
    }

    fn end_viewer(&mut self) {
        if let Some(mut viewer) = self.viewer.take() {
            let _ = viewer.kill();
            let _ = viewer.wait();
        }
    }

    /// Wine's server: `-w` waits until all is written and its programs have ended, `-k` ends them.
    fn server(&self, what: &str) {
        let _ = self.command("wineserver").arg(what).stderr(Stdio::null()).status();
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.end_viewer();
        self.server("-k");
    }
}

/// The first seat that nobody has, with its lock.
fn first_free(name: &dyn Fn(usize) -> PathBuf) -> Result<(usize, File)> {
    for number in 0..MAX_SEATS {
        let path = name(number).with_extension("lock");
        let file = File::create(&path).doing(format!("creating {}", path.display()))?;
        match file.try_lock() {
            Ok(()) => return Ok((number, file)),
            Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => {
                return Err(Failure::new(format!("locking {}", path.display()), error.to_string()));
            }
        }
    }
    Err(Failure::new("taking a seat for Windows programs", format!("all {MAX_SEATS} are taken")))
}

/// lavapipe's manifest on this machine, where the viewer runs.
fn host_driver() -> Option<&'static Path> {
    ["/usr/share/vulkan/icd.d/lvp_icd.x86_64.json", "/usr/share/vulkan/icd.d/lvp_icd.json"]
        .into_iter()
        .map(Path::new)
        .find(|path| path.exists())
}

/// Copies a prefix. Its libraries are the same files; what Wine writes is not: it writes a registry file with two names in place.
pub(crate) fn copy_prefix(from: &Path, to: &Path) -> Result {
    let what = || format!("copying {} to {}", from.display(), to.display());
    step::output(Command::new("cp").arg("-al").arg(from).arg(to), &what())?;
    for entry in std::fs::read_dir(from).doing(what())?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_file()) {
            let copy = to.join(entry.file_name());
            std::fs::remove_file(&copy).doing(what())?;
            std::fs::copy(entry.path(), &copy).doing(what())?;
        }
    }
    Ok(())
}
