//! That nothing draws: said in the log, and, in a Windows program, in a message box, which asks whether to try again.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use afterimage_config::{OPTIONS, Origin, settings};

use super::{Open, OpenError, Way};
use crate::platform;

/// How long a viewer that runs may take to notice a program where somebody is asked afterwards.
const NOTICED: Duration = Duration::from_millis(500);

/// Whether somebody is asked.
pub(super) fn asks() -> bool {
    // Of the environment, not of ours: services that build and test set it.
    let nobody = || std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    cfg!(windows) && settings().message_box.forced().unwrap_or_else(|| !nobody())
}

/// How long to wait for a viewer at first: who is asked afterwards has seen nothing until then. What is configured is waited for.
pub(super) fn patience(configured: Duration) -> Duration {
    let set =
        settings().changed().any(|one| OPTIONS[one.option].name == "viewer_wait_ms" && *one.origin != Origin::Default);
    if asks() && !set { configured.min(NOTICED) } else { configured }
}

/// What the box says.
fn text(call: &str, error: &OpenError) -> String {
    let program = platform::program_name();
    let log = crate::log::path().map_or_else(String::new, |path| format!("\n\nThe log is {}.", path.display()));
    format!("{program} cannot be drawn: {call}: {error}.{log}\n\nTry again?")
}

/// Opens a way to a renderer, as often as the user wants; `None` where nothing draws, which has been said. In a process that has been told
/// so nobody is asked again; nor while the box is open, which has the program's windows do their work on this thread.
pub(crate) fn open_or_say(call: &str, open: Open) -> Option<Way> {
    static TOLD: AtomicBool = AtomicBool::new(false);
    loop {
        let error = match open() {
            Ok(way) => return Some(way),
            Err(error) => error,
        };
        tracing::error!("{call}: {error}");
        if !asks() || TOLD.swap(true, Ordering::SeqCst) || !platform::ask_again("Afterimage", &text(call, &error)) {
            return None;
        }
        TOLD.store(false, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_box_says_which_program_and_why() {
        let error = OpenError::Start { program: "/opt/viewer".into(), source: std::io::ErrorKind::NotFound.into() };
        let said = text("Direct3DCreate9", &error);
        assert!(
            said.starts_with(&platform::program_name()) && said.contains("Direct3DCreate9: start_viewer"),
            "{said}"
        );
        assert!(said.contains("/opt/viewer: entity not found."), "{said}");
    }

    #[test]
    fn native_programs_are_asked_nothing() {
        fn never() -> Result<Way, OpenError> {
            Err(OpenError::Start { program: "/opt/viewer".into(), source: std::io::ErrorKind::NotFound.into() })
        }
        assert!(!asks());
        assert!(open_or_say("Direct3DCreate9", never).is_none());
        assert_eq!(patience(Duration::from_secs(9)), Duration::from_secs(9));
    }
}
