//! A viewer by need: where none runs, the program that the user named is started.

use afterimage_config::{Settings, Surroundings, settings};
use afterimage_ipc::shared::{ConnectError, DIRECTORY_VARIABLE, Options, SharedLink};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::OpenError;

/// How long a viewer that runs may take to notice a program: it looks every 10 ms.
const NOTICED: Duration = Duration::from_millis(500);
/// How long one that was started may take at least: it opens its device first.
const STARTED: Duration = Duration::from_secs(20);
/// After how long it is started again.
const AGAIN: Duration = Duration::from_secs(8);

/// Connects to the viewer that runs, else to one that is started.
///
/// # Errors
/// It does not start, or no viewer comes.
pub(super) fn connect(program: &Path, options: Options) -> Result<SharedLink, OpenError> {
    let link = |wait: Duration| SharedLink::connect(&Options { wait, ..options.clone() });
    match link(options.wait.min(NOTICED)) {
        Err(ConnectError::NoViewer { .. }) => {}
        other => return Ok(other?),
    }
    tracing::info!("no viewer runs; starting {}", program.display());
    let (start, wait) = (Instant::now(), options.wait.max(STARTED));
    loop {
        // Not waited for: under Wine nothing tells of a Linux program's end, and a viewer outlives its first program if another has come.
        // Two that are started at once are no harm: the second finds the first in its place, and ends.
        command(program, settings())
            .spawn()
            .map_err(|source| OpenError::Start { program: program.to_owned(), source })?;
        match link(AGAIN.min(wait.saturating_sub(start.elapsed()))) {
            // It may have found one in its place that was just ending.
            Err(ConnectError::NoViewer { .. }) if start.elapsed() < wait => {}
            Err(ConnectError::NoViewer { path, .. }) => return Err(ConnectError::NoViewer { wait, path }.into()),
            other => return Ok(other?),
        }
    }
}

/// The viewer's command line and environment, for a program with these settings.
fn command(viewer: &Path, of_program: &Settings) -> Command {
    let of_viewer = Settings::load(&Surroundings { program: viewer.into(), ..Surroundings::of_process() });
    let mut command = Command::new(viewer);
    command.arg("--on-demand").stdin(Stdio::null()).stdout(Stdio::null());
    command.envs(of_program.for_renderer(&of_viewer));
    if of_viewer.dir != of_program.dir
        && let Some(directory) = &of_program.dir
    {
        command.env(DIRECTORY_VARIABLE, unix_path(&directory.to_string_lossy()));
    }
    // Ctrl-C is for the program; the viewer ends after it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command
}

/// A path as Linux programs take it: Wine's drive Z: is `/`.
fn unix_path(path: &str) -> String {
    path.strip_prefix("Z:").map_or_else(|| path.to_owned(), |rest| rest.replace('\\', "/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn the_viewer_is_told_what_holds_for_the_program() {
        let text = "hud = fps\n[game.exe]\ndir = /private/place\ndevice = llvmpipe\nvram_mb = 512\n";
        let of_game = Settings::of_text("game.exe", Path::new("/a.conf"), text);
        let started = command(Path::new("/opt/afterimage-viewer"), &of_game);
        let variable = |(name, value): (&std::ffi::OsStr, Option<&std::ffi::OsStr>)| {
            Some((name.to_str()?.to_owned(), value?.to_str()?.to_owned()))
        };
        let told: BTreeMap<_, _> = started.get_envs().filter_map(variable).collect();
        assert_eq!(told["AFTERIMAGE_DEVICE"], "llvmpipe");
        assert_eq!(told["AFTERIMAGE_DIR"], "/private/place");
        // What the program's side reads itself.
        assert!(!told.contains_key("AFTERIMAGE_VRAM_MB") && !told.contains_key("AFTERIMAGE_HUD"), "{told:?}");
        assert!(started.get_args().eq(["--on-demand"]));
    }

    #[test]
    fn wine_s_drive_of_everything_is_the_root() {
        assert_eq!(unix_path(r"Z:\run\user\1000"), "/run/user/1000");
        assert_eq!(unix_path("/run/user/1000"), "/run/user/1000");
    }

    #[test]
    fn a_viewer_that_is_not_there_is_named() {
        let temp = tempfile::tempdir().unwrap();
        let options =
            Options { directory: Some(temp.path().join("run")), wait: Duration::from_millis(1), ..Options::default() };
        let missing = temp.path().join("no-viewer");
        let Err(error) = connect(&missing, options) else { panic!("nothing to connect to") };
        let error = error.to_string();
        assert!(error.starts_with("start_viewer = ") && error.contains("no-viewer"), "{error}");
    }
}
