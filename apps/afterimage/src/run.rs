//! `afterimage run`: runs a program with our d3d9.

use crate::outputs::fill;
use crate::program::{self, Kind, Width};
use crate::stage::Stage;
use crate::{Failure, files, pe, wine};
use afterimage_config::{OPTIONS, Origin, Reader, Settings, Surroundings};
use afterimage_ipc::shared;
use afterimage_vulkan::FrameSet;
use clap::{Parser, ValueEnum};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitCode, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;
use tempfile::TempDir;

/// Run a Direct3D 9 program with Afterimage instead of its system's Direct3D.
///
/// A Windows program (.exe) runs under Wine with our d3d9.dll beside it, for this run only: its
/// folder is not touched. The viewer draws it into its own window, where F10 captures a frame and F12
/// saves a picture, or, with AFTERIMAGE_OWN_WINDOWS=1, opens one that has more keys (see `afterimage
/// view --help`). A Linux program gets our libd3d9.so through LD_LIBRARY_PATH. The exit status is
/// the program's. A viewer that this command has started and that is killed is started again; the
/// program goes on.
///
/// If something is black, flickers or is missing, AFTERIMAGE_FLOAT_RULES=strict may help: shaders
/// then follow Direct3D 9's float rules to the bit, whatever that costs. (balanced and relaxed cost
/// less; auto, the default, suits the driver.)
///
/// Examples:
///   afterimage run game.exe -windowed
///   afterimage run --headless -o pictures game.exe
///   afterimage run --capture 100-102 scene.aftercap ./native-game
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Who renders: the program's own process, the viewer, or whatever works. [default: option renderer, else auto]
    #[arg(long, value_enum)]
    renderer: Option<Renderer>,
    /// Draw into no window. Implied where there is no display.
    #[arg(long)]
    headless: bool,
    /// Write presented pictures into this folder.
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Which pictures to write: frame numbers such as 1,5,10-20. [default: every one]
    #[arg(long, value_name = "FRAMES", requires = "output", value_parser = frames)]
    frames: Option<String>,
    /// Capture these frames (such as 100-102) into this file.
    #[arg(long, num_args = 2, value_names = ["FRAMES", "FILE"])]
    capture: Option<Vec<OsString>>,
    /// Write figures about the run into this file, as JSON.
    #[arg(long, value_name = "FILE")]
    stats: Option<PathBuf>,
    /// Use Vulkan's validation layer.
    #[arg(long)]
    validate: bool,
    /// Start the program in this folder.
    #[arg(short = 'C', long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// The program, and its arguments.
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "PROGRAM [ARGS]")]
    command: Vec<OsString>,
}

fn frames(text: &str) -> Result<String, String> {
    FrameSet::parse(text).map(|_| text.to_owned()).ok_or_else(|| "expected frame numbers such as 1,5,10-20".into())
}

/// Who renders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Renderer {
    /// The program's own process if it can, else the viewer.
    Auto,
    /// The program's own process.
    InProcess,
    /// The viewer process.
    Viewer,
}

impl Renderer {
    fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::InProcess => "in-process",
            Self::Viewer => "viewer",
        }
    }
}

/// The program's configuration. Whoever sits at a command line wants to know of a mistake at once.
fn configuration(program: &Path) -> Result<Settings, Failure> {
    let settings = Settings::load(&Surroundings { program: program.into(), ..Surroundings::of_process() });
    let problems: Vec<String> = settings.problems.iter().map(ToString::to_string).collect();
    if problems.is_empty() { Ok(settings) } else { Err(Failure::new(problems.join("\n"))) }
}

/// What the renderer is told through the environment, whichever process it is in.
fn settings(args: &Args) -> Result<Vec<(String, OsString)>, Failure> {
    // The program may run in another folder.
    let absolute = |path: &Path| {
        std::path::absolute(path).map(PathBuf::into_os_string).map_err(|error| Failure::file("finding", path, error))
    };
    let mut settings = Vec::new();
    if let Some(folder) = &args.output {
        fill(folder, false).map_err(|error| Failure::file("creating", folder, error))?;
        settings.push(("AFTERIMAGE_SCREENSHOTS".into(), absolute(folder)?));
    }
    if let Some(frames) = &args.frames {
        settings.push(("AFTERIMAGE_SCREENSHOT_FRAMES".into(), frames.into()));
    }
    if let Some([frames, file]) = args.capture.as_deref() {
        if frames.to_str().and_then(FrameSet::parse).is_none() {
            return Err(Failure::new(format!(
                "--capture {}: expected frame numbers such as 100-102",
                frames.display()
            )));
        }
        settings.push(("AFTERIMAGE_CAPTURE_FRAMES".into(), frames.clone()));
        settings.push(("AFTERIMAGE_CAPTURE_FILE".into(), absolute(Path::new(file))?));
    }
    if let Some(file) = &args.stats {
        settings.push(("AFTERIMAGE_STATS".into(), absolute(file)?));
    }
    if args.validate {
        settings.push(("AFTERIMAGE_VALIDATE".into(), "1".into()));
    }
    Ok(settings)
}

/// Options of the renderer that hold for the program and not for a viewer that is started as usual: as variables. Those of the
/// environment are not among them, since every process has that.
fn for_viewer(program: &Settings) -> Vec<(String, OsString)> {
    let usual = files::viewer().unwrap_or_default();
    program.for_renderer(&Settings::load(&Surroundings { program: usual, ..Surroundings::of_process() }))
}

/// Whether the environment tells a renderer something for this run, so that a viewer that runs already cannot serve it.
fn about_this_run(settings: &Settings) -> bool {
    settings.changed().any(|one| OPTIONS[one.option].reader == Reader::Renderer && *one.origin == Origin::Environment)
}

/// Runs the program; the answer is its exit status.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let (name, arguments) = args.command.split_first().ok_or_else(|| Failure::new("no program named"))?;
    let named = Path::new(name);
    let cannot = |path: &Path, why: &dyn std::fmt::Display| Failure::new(format!("{}: {why}", path.display()));
    if named.is_dir() {
        return Err(cannot(named, &pe::Trouble::Folder));
    }
    let program = program::resolve(named).ok_or_else(|| cannot(named, &"no such program here or in PATH"))?;
    let reading = |error| Failure::file("reading", &program, error);
    let kind = Kind::of(&program).map_err(reading)?;
    let windows = match kind {
        Kind::Elf(_) | Kind::Script => pe::Program::default(),
        Kind::Pe(_) | Kind::Other => pe::check(&program).map_err(reading)?.map_err(|why| cannot(&program, &why))?,
    };
    let configured = configuration(&program)?;
    let renderer = args.renderer.unwrap_or(match configured.renderer {
        afterimage_config::Renderer::Auto => Renderer::Auto,
        afterimage_config::Renderer::InProcess => Renderer::InProcess,
        afterimage_config::Renderer::Viewer => Renderer::Viewer,
    });
    let mut settings = settings(args)?;

    let mut command;
    let mut stage = None;
    match kind {
        Kind::Pe(width) => {
            let made = Stage::new(&program, &files::dll(width)?)
                .map_err(|error| Failure::file("preparing to run", &program, error))?;
            let wine = wine::find(width)?;
            wine::make_prefix(&wine);
            if windows.dot_net && !wine::has_mono() {
                eprintln!(
                    "afterimage: {} is a .NET program, which Wine runs with Wine Mono, and that is not there: see \
                     https://wiki.winehq.org/Mono",
                    program.display()
                );
            }
            command = Command::new(wine);
            command.arg(made.program());
            command.env("WINEDLLOVERRIDES", wine::overrides(std::env::var_os("WINEDLLOVERRIDES")));
            stage = Some(made);
        }
        Kind::Elf(_) | Kind::Script | Kind::Other => {
            // A script may start programs of either width; the usual one is right more often.
            let width = if let Kind::Elf(width) = kind { width } else { Width::W64 };
            let library = files::library(width)?;
            let path = std::path::absolute(&program).map_err(|error| Failure::file("finding", &program, error))?;
            command = Command::new(path);
            command.env("LD_LIBRARY_PATH", library_path(&library)?);
        }
    }
    command.args(arguments).envs(settings.iter().map(|(name, value)| (name, value)));
    command.env("AFTERIMAGE_RENDERER", renderer.name());
    if let Some(folder) = &args.directory {
        command.current_dir(folder);
    }

    // A program of our own width that may render in its own process can do so wherever the viewer could.
    let needs_viewer = match renderer {
        Renderer::Viewer => true,
        Renderer::InProcess => false,
        Renderer::Auto => !matches!(kind, Kind::Elf(Width::W64)),
    };
    let mut viewer = None;
    if needs_viewer {
        // What the command line says stays the last word.
        settings.splice(0..0, for_viewer(&configured));
        let own = !settings.is_empty() || about_this_run(&configured);
        viewer = Viewer::for_run(args.headless, own, &settings)?;
        let directory = match &viewer {
            Some(viewer) => viewer.directory.clone(),
            None => shared::directory().unwrap_or_default(),
        };
        command.env(shared::DIRECTORY_VARIABLE, directory);
    }

    let signals = Signals::catch()?;
    let what = command.get_program().to_owned();
    let mut child = command.spawn().map_err(|error| Failure::file("starting", Path::new(&what), error))?;
    let status = loop {
        signals.forward(&child);
        if let Some(status) = child.try_wait().map_err(|error| Failure::file("waiting for", &program, error))? {
            break status;
        }
        if let Some(viewer) = &mut viewer {
            viewer.keep_alive();
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    // The viewer goes when its last program has gone: one that this program started may still run.
    let drawn = viewer.is_none_or(|viewer| viewer.finish(&signals));
    let moved = stage.is_none_or(Stage::end);
    let missing = args.stats.as_ref().filter(|file| !file.is_file());
    if let Some(file) = missing {
        crate::complain(&format!("{}: no figures were written", file.display()));
    }
    // The program's own failure says more.
    let lost = status.success() && !(drawn && moved && missing.is_none());
    Ok(if lost { ExitCode::from(crate::outputs::LOST) } else { mirror(status) })
}

fn library_path(library: &Path) -> Result<OsString, Failure> {
    let old = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let folder = library.parent().unwrap_or(Path::new("/")).to_path_buf();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&old).filter(|path| path != Path::new("")));
    std::env::join_paths(folders).map_err(|error| Failure::new(format!("{}: {error}", library.display())))
}

/// The program's status as ours: a signal becomes 128 and its number, as shells do.
fn mirror(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(code as u8)
}

/// Signals that we pass on instead of ending from them.
struct Signals {
    last: Arc<AtomicI32>,
}

impl Signals {
    fn catch() -> Result<Self, Failure> {
        let last = Arc::new(AtomicI32::new(0));
        let mut incoming = signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP])
            .map_err(|error| Failure::new(format!("catching signals: {error}")))?;
        let shared = Arc::clone(&last);
        std::thread::spawn(move || {
            for signal in incoming.forever() {
                shared.store(signal, Ordering::SeqCst);
            }
        });
        Ok(Self { last })
    }

    fn take(&self) -> Option<i32> {
        Some(self.last.swap(0, Ordering::SeqCst)).filter(|&signal| signal != 0)
    }

    fn forward(&self, child: &Child) {
        if let Some(signal) = self.take()
            && let (Some(pid), Some(signal)) =
                (rustix::process::Pid::from_raw(child.id() as i32), rustix::process::Signal::from_named_raw(signal))
        {
            let _gone_already = rustix::process::kill_process(pid, signal);
        }
    }
}

/// A viewer of this run's own. It ends when its input is closed and no program is connected.
struct Viewer {
    directory: PathBuf,
    /// The directory, if it was made for this run.
    temporary: Option<TempDir>,
    command: Box<dyn Fn() -> Command>,
    child: Child,
    input: Option<ChildStdin>,
    restarts: u32,
}

/// How often a viewer that crashes is started anew: one that crashes again and again has a reason.
const RESTARTS: u32 = 5;

impl Viewer {
    /// Starts a viewer, or answers `None` if one runs that will do.
    fn for_run(headless: bool, own: bool, settings: &[(String, OsString)]) -> Result<Option<Self>, Failure> {
        let usual = shared::directory().ok_or_else(|| {
            Failure::new(format!("set {} or HOME: no place for shared files", shared::DIRECTORY_VARIABLE))
        })?;
        let running = shared::running(&usual);
        if let Some(process) = running.filter(|_| !own && !headless) {
            eprintln!("afterimage: using the viewer that runs already (process {process})");
            return Ok(None);
        }
        // A viewer with settings of this run must not be found by other programs, unless the user named the place.
        let named = std::env::var_os(shared::DIRECTORY_VARIABLE).is_some_and(|value| !value.is_empty());
        let (directory, temporary) = if running.is_some() || (own && !named) {
            let made = own_directory(&usual)
                .map_err(|error| Failure::new(format!("making a directory for this run: {error}")))?;
            (made.path().to_path_buf(), Some(made))
        } else {
            (usual, None)
        };
        let program = files::viewer().ok_or_else(|| {
            Failure::new(
                "afterimage-viewer is neither beside this program nor in PATH: build it with `cargo xtask dist`",
            )
        })?;
        let no_display =
            ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none_or(|v| v.is_empty()));
        let settings = settings.to_vec();
        let place = directory.clone();
        let command = move || {
            let mut command = Command::new(&program);
            command
                .arg("--until-input-closes")
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .env(shared::DIRECTORY_VARIABLE, &place);
            command.envs(settings.iter().map(|(name, value)| (name, value)));
            if headless || no_display {
                command.arg("--headless");
            }
            // Standard output is the program's. Ctrl-C is for the program; the viewer ends after it.
            command.process_group(0);
            command
        };
        let mut child = command().spawn().map_err(|error| Failure::new(format!("starting the viewer: {error}")))?;
        let input = child.stdin.take();
        Ok(Some(Self { directory, temporary, command: Box::new(command), child, input, restarts: 0 }))
    }

    /// Starts the viewer anew if it has crashed: the program sends it everything again.
    fn keep_alive(&mut self) {
        let Ok(Some(status)) = self.child.try_wait() else { return };
        // A viewer that ends by itself has said why; so has one that was started in vain too often.
        if status.signal().is_none() || self.restarts >= RESTARTS {
            return;
        }
        self.restarts += 1;
        eprintln!("afterimage: the viewer was killed ({status}); starting another one");
        match (self.command)().spawn() {
            Ok(mut child) => {
                self.input = child.stdin.take();
                self.child = child;
            }
            Err(error) => eprintln!("afterimage: starting the viewer: {error}"),
        }
    }

    /// Lets the viewer end after its last program, or at once at a signal. Whether it could write all that was asked for.
    fn finish(mut self, signals: &Signals) -> bool {
        drop(self.input.take());
        let mut interrupted = false;
        let status = loop {
            match self.child.try_wait() {
                Ok(None) => {}
                ended => break ended.ok().flatten(),
            }
            if signals.take().is_some() {
                if interrupted {
                    let _gone_already = self.child.kill();
                }
                interrupted = true;
                eprintln!("afterimage: waiting for the viewer to finish; once more to end it");
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        drop(self.temporary);
        status.is_some_and(|status| status.success() || interrupted)
    }
}

/// Start of the name of a run's own directory; the process id follows.
const OWN: &str = "afterimage-run-";

/// Makes a directory for one run: in memory rather than on a disk, which would be written to all the time.
fn own_directory(usual: &Path) -> std::io::Result<TempDir> {
    let memory = Path::new("/dev/shm");
    // The usual directory is in memory already where the session has a runtime directory.
    let session = std::env::var_os("XDG_RUNTIME_DIR").is_some_and(|value| !value.is_empty());
    let parent = if session || !memory.is_dir() { usual } else { memory };
    shared::prepare(usual)?;
    remove_leftovers(parent);
    tempfile::Builder::new().prefix(&format!("{OWN}{}-", std::process::id())).tempdir_in(parent)
}

/// Removes directories of runs that were killed.
fn remove_leftovers(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(OWN)?.split_once('-')?.0.parse::<u32>().ok());
        // Those of other users stay, since they cannot be removed.
        if process.is_some_and(|id| !Path::new("/proc").join(id.to_string()).exists()) {
            let _best_effort = std::fs::remove_dir_all(entry.path());
        }
    }
}

/// Runs the viewer in place of this process.
pub(crate) fn view(arguments: &[OsString]) -> Failure {
    match files::viewer() {
        Some(program) => {
            let error = Command::new(&program).args(arguments.iter().map(OsStr::new)).exec();
            Failure::file("starting", &program, error)
        }
        None => Failure::new(
            "afterimage-viewer is neither beside this program nor in PATH: build it with `cargo xtask dist`",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_becomes_a_shell_s_status() {
        let status = |script: &str| Command::new("sh").args(["-c", script]).status().unwrap();
        assert_eq!(mirror(status("exit 7")), ExitCode::from(7));
        assert_eq!(mirror(status("kill -9 $$")), ExitCode::from(137));
    }

    #[test]
    fn the_program_s_arguments_are_not_ours() {
        let args = Args::parse_from(["run", "--headless", "game.exe", "--headless", "-o", "x"]);
        assert_eq!(args.command, ["game.exe", "--headless", "-o", "x"]);
        assert!(args.headless && args.output.is_none());
        let args = Args::parse_from(["run", "--capture", "3-5", "c.aftercap", "./game"]);
        assert_eq!(args.capture.unwrap(), ["3-5", "c.aftercap"]);
    }
}
