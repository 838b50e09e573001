//! `afterimage run`: runs a program with our d3d9.

mod signals;
mod viewer;

use crate::outputs::fill;
use crate::program::{self, Kind, Width};
use crate::stage::Stage;
use crate::{Failure, files, pe, wine};
use afterimage_config::{OPTIONS, Origin, Reader, Settings, Surroundings};
use afterimage_distribution::{Need, advice};
use afterimage_ipc::shared;
use afterimage_vulkan::FrameSet;
use afterimage_window::Screen;
use clap::{Parser, ValueEnum};
use signals::Signals;
use std::ffi::{OsStr, OsString};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, ExitStatus};
use std::time::Duration;
use viewer::Viewer;

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
    /// Draw into no window; programs may have windows. Implied where there is no display: the program has one of its own then, that
    /// nobody sees (Xvfb).
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

/// The program's configuration.
fn configuration(program: &Path) -> Settings {
    let settings = Settings::load(&Surroundings { program: program.into(), ..Surroundings::of_process() });
    afterimage_log::tell(&settings);
    settings
}

/// Where the system looks for a program's libraries first.
const LIBRARY_PATH: &str = if cfg!(target_os = "macos") { "DYLD_LIBRARY_PATH" } else { "LD_LIBRARY_PATH" };

/// Folders of what the system's packages bring: nothing else is to lie there.
const OF_PACKAGES: [&str; 2] = ["/usr", "/opt"];

/// The file that a program logs to where nobody has named one: beside it, or, where nothing can or should be written there or its name
/// alone has found it, where the user's programs keep what they were doing.
fn log_file(program: &Path, by_path: bool) -> Option<PathBuf> {
    let program = std::path::absolute(program).ok()?;
    let may_write = |folder: &Path| rustix::fs::access(folder, rustix::fs::Access::WRITE_OK).is_ok();
    let beside = afterimage_config::log_beside(&program);
    let real = std::fs::canonicalize(&program).unwrap_or(program);
    let packaged = OF_PACKAGES.iter().any(|folder| real.starts_with(folder));
    if by_path && !packaged && beside.parent().is_some_and(may_write) {
        return Some(beside);
    }
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let state = variable("XDG_STATE_HOME").or_else(|| variable("HOME").map(|home| home.join(".local/state")))?;
    let folder = state.join("afterimage/log");
    std::fs::create_dir_all(&folder).ok()?;
    Some(folder.join(beside.file_name()?))
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
        Kind::Elf(_) | Kind::MachO | Kind::Script => pe::Program::default(),
        Kind::Pe(_) | Kind::Other => pe::check(&program).map_err(reading)?.map_err(|why| cannot(&program, &why))?,
    };
    let configured = configuration(&program);
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
            if width == Width::W32 {
                wine::check_32_bit().map_err(|why| cannot(&program, &why))?;
            }
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
        Kind::Elf(_) | Kind::MachO | Kind::Script | Kind::Other => {
            // A script may start programs of either width; the usual one is right more often.
            let width = kind.native().unwrap_or(Width::W64);
            let library = files::library(width)?;
            let path = std::path::absolute(&program).map_err(|error| Failure::file("finding", &program, error))?;
            command = Command::new(path);
            command.env(LIBRARY_PATH, library_path(&library)?);
        }
    }
    command.args(arguments).envs(settings.iter().map(|(name, value)| (name, value)));
    command.env("AFTERIMAGE_RENDERER", renderer.name());
    let log = log_file(&program, named.components().count() > 1).filter(|_| configured.log_file.is_none());
    if let Some(file) = &log {
        command.env("AFTERIMAGE_LOG_FILE", file);
    }
    if let Some(folder) = &args.directory {
        command.current_dir(folder);
    }
    let screen = if afterimage_window::display_is_named() { None } else { screen(matches!(kind, Kind::Pe(_)))? };
    for (name, value) in screen.iter().flat_map(Screen::environment) {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let headless = args.headless || !afterimage_window::display_is_named();
    if headless {
        command.env("AFTERIMAGE_HEADLESS", "1");
    }

    // A program of our own width that may render in its own process can do so wherever the viewer could.
    let needs_viewer = match renderer {
        Renderer::Viewer => true,
        Renderer::InProcess => false,
        Renderer::Auto => kind.native() != Some(Width::W64),
    };
    let mut viewer = None;
    if needs_viewer {
        // What the command line says stays the last word.
        settings.splice(0..0, for_viewer(&configured));
        let own = !settings.is_empty() || about_this_run(&configured);
        viewer = Viewer::for_run(headless, own, &settings)?;
        let directory = match &viewer {
            Some(viewer) => viewer.directory.clone(),
            None => shared::directory().unwrap_or_default(),
        };
        command.env(shared::DIRECTORY_VARIABLE, directory);
        // It is on its way: the program need not ask its user for one.
        command.env("AFTERIMAGE_VIEWER_WAIT_MS", configured.viewer_wait_ms.to_string());
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
    drop(screen);
    let moved = stage.is_none_or(Stage::end);
    let missing = args.stats.as_ref().filter(|file| !file.is_file());
    if let Some(file) = missing {
        crate::complain(&format!("{}: no figures were written", file.display()));
    }
    if let Some(log) = log.filter(|log| !status.success() && log.metadata().is_ok_and(|about| about.len() > 0)) {
        eprintln!("afterimage: the program's log is {}", log.display());
    }
    // The program's own failure says more.
    let lost = status.success() && !(drawn && moved && missing.is_none());
    Ok(if lost { ExitCode::from(crate::outputs::LOST) } else { mirror(status) })
}

/// A display for a program where there is none. Windows programs do not start without, and are told of it before; of others many need
/// none.
fn screen(needed: bool) -> Result<Option<Screen>, Failure> {
    let why = match Screen::start() {
        Ok(screen) => return Ok(Some(screen)),
        Err(error) => {
            format!("there is no display, nor one to give to programs with windows: {error}: {}", advice(Need::Xvfb))
        }
    };
    if needed {
        return Err(Failure::new(why));
    }
    eprintln!("afterimage: {why}");
    Ok(None)
}

fn library_path(library: &Path) -> Result<OsString, Failure> {
    let old = std::env::var_os(LIBRARY_PATH).unwrap_or_default();
    let folder = library.parent().unwrap_or(Path::new("/")).to_path_buf();
    let folders = std::iter::once(folder).chain(std::env::split_paths(&old).filter(|path| path != Path::new("")));
    std::env::join_paths(folders).map_err(|error| Failure::new(format!("{}: {error}", library.display())))
}

/// The program's status as ours: a signal becomes 128 and its number, as shells do.
fn mirror(status: ExitStatus) -> ExitCode {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1);
    ExitCode::from(code as u8)
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
