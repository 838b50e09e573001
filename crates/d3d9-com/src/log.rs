//! The log: option `log` says how much (`warn`, `info`, `afterimage_d3d9=debug`, ...), `log_file` where besides standard error. With it
//! begins everything else that a process has once: the configuration, told at level info, the witness of crashes, and what
//! passes some over.
//!
//! A program that we are installed for, in its Wine prefix, has a file beside it without being told so: it is started by a click, and
//! its standard error is nowhere. `afterimage run` names one to the programs that it starts.

use std::fmt::Write as _;
use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::sync::Once;

use afterimage_config::{Settings, Values, settings};
use afterimage_log::{Log, LogFile, Writer};
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::crash;
use crate::patch;
use crate::platform;
use crate::renderer::{Place, Way};

/// Starts logging, once; does nothing where the program has a subscriber of its own.
pub(crate) fn start() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let settings = settings();
        let mut writers = vec![Writer::new(std::io::stderr(), std::io::stderr().is_terminal())];
        let mut filter = afterimage_log::filter(settings, "");
        let said_nothing = settings.log == Values::default().log && !settings.trace_packets;
        let mut wrong = None;
        if let Some(path) = path() {
            match LogFile::create(&path) {
                Ok(file) => {
                    // Whoever has said nothing finds in the file what another one asks for, and on standard error what is wrong.
                    if said_nothing {
                        filter = Targets::new().with_default(Level::INFO);
                        writers = writers.into_iter().map(|writer| writer.up_to(Level::WARN)).collect();
                    }
                    writers.push(Writer::new(file, false));
                }
                // A folder of the system's has none by default.
                Err(_) if settings.log_file.is_none() => {}
                Err(error) => {
                    wrong = Some(format!("log_file = {}: {error}; logging to standard error", path.display()));
                }
            }
        }
        let log = Log::new(writers);
        // An error here means that the program has a subscriber already: its own is as good.
        if tracing_subscriber::registry().with(filter).with(log.clone()).try_init().is_ok() {
            let _told_at_the_end = log.of_process();
        }
        afterimage_log::tell(settings);
        wrong.into_iter().for_each(|wrong| tracing::warn!("{wrong}"));
        crash::start(settings);
        patch::start(settings);
    });
}

/// The log's file, if it has one.
pub(crate) fn path() -> Option<PathBuf> {
    settings().log_file.clone().or_else(|| {
        let installed = platform::library().is_some_and(|library| is_installed(&library));
        let program = std::env::current_exe().ok().filter(|_| installed)?;
        Some(afterimage_config::log_beside(&program))
    })
}

/// Tells, once, what holds: version, program, what differs from the defaults, who renders and on what.
pub(crate) fn effective(way: &Way) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let device = renderer_text(way);
        crash::device(&device);
        tracing::info!("{}", text(settings(), &device, platform::library().as_deref()));
    });
}

fn renderer_text(way: &Way) -> String {
    let info = way.link.device();
    let place = match way.place {
        Place::Here => "in this process",
        Place::Viewer => "in the viewer",
    };
    format!("{} ({:04x}:{:04x}, {} MiB), {place}", info.name(), info.vendor, info.device, info.memory >> 20)
}

/// Whether a library lies where `afterimage install` puts it.
fn is_installed(library: &str) -> bool {
    library.to_ascii_lowercase().contains(r"\windows\sys")
}

/// Where this library was loaded from, and what has Wine take it from there: of its own it takes its own.
fn library_text(library: &str) -> String {
    let why = if is_installed(library) {
        "as `afterimage install` put it"
    } else {
        "which Wine takes with WINEDLLOVERRIDES=d3d9=n,b"
    };
    format!("  library: {library}, {why}\n")
}

fn text(settings: &Settings, device: &str, library: Option<&str>) -> String {
    let mut text = format!("effective configuration of Afterimage {}\n", env!("CARGO_PKG_VERSION"));
    let library = library.map(library_text).unwrap_or_default();
    let _infallible = write!(text, "{library}  program: {}\n  renderer: {device}\n{settings}", settings.program);
    text.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_block_says_what_differs_and_why() {
        let settings = Settings::of_text("game.exe", std::path::Path::new("/a.conf"), "[game.exe]\nvram_mb = 512\n");
        let said = text(&settings, "llvmpipe, in this process", None);
        let wanted = format!(
            "effective configuration of Afterimage {}\n  program: game.exe\n  renderer: llvmpipe, in this process\n  file: \
             /a.conf\n  vram_mb = 512 (/a.conf:2 [game.exe])",
            env!("CARGO_PKG_VERSION")
        );
        assert_eq!(said, wanted);
    }

    #[test]
    fn a_library_beside_its_program_says_which_override_it_needs() {
        let beside = library_text(r"Z:\game\d3d9.dll");
        assert_eq!(beside, "  library: Z:\\game\\d3d9.dll, which Wine takes with WINEDLLOVERRIDES=d3d9=n,b\n");
        let settings = Settings::of_text("game.exe", std::path::Path::new("/a.conf"), "");
        let said = text(&settings, "llvmpipe", Some(r"Z:\game\d3d9.dll"));
        assert_eq!(said.lines().nth(1), Some(beside.trim_end()));
        assert!(library_text(r"C:\windows\system32\d3d9.dll").contains("afterimage install"));
    }
}
