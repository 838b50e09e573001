//! A witness of crashes: writes a report that a person can read, and passes everything on to whoever would have been told
//! without it. It mends nothing: `patch` does, before.
//!
//! * this file: when there is a report, and what was prepared for it.
//! * `report`: what it says, written without allocating, since the heap may be what is broken.
//! * `packets`: the last packets of the command stream.
//! * `linux`, `windows`: signals and exceptions, memory, modules, files.
//! * `dump`: a minidump beside the report, in Windows programs.
//!
//! A report is about one of: an exception or signal that the program does not survive, a panic of ours, a lost device. Each
//! kind is reported once per process; all go into one file, one after the other.

mod packets;
mod report;

#[cfg(windows)]
mod dump;
#[cfg(target_os = "linux")]
mod linux;
#[cfg(windows)]
mod windows;

#[cfg(target_os = "linux")]
use linux as platform;
#[cfg(windows)]
use windows as platform;

#[cfg(windows)]
pub(crate) use platform::{read_memory, stay_loaded};

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use afterimage_config::Settings;

/// What is known before anything goes wrong.
struct Prepared {
    /// As the system takes it.
    path: platform::FilePath,
    /// The same, to be printed.
    name: String,
    program: String,
    configuration: String,
}

static PREPARED: OnceLock<Prepared> = OnceLock::new();
static DEVICE: OnceLock<String> = OnceLock::new();

/// What is reported.
#[derive(Clone, Copy)]
enum Event {
    Crash,
    Panic,
    DeviceLost,
}

/// Whether an event was reported, by its number.
static REPORTED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];
/// Whether a report is being written: its memory is there once.
static BUSY: AtomicBool = AtomicBool::new(false);

/// Prepares for a crash, if that is wanted. Called once.
pub(crate) fn start(settings: &Settings) {
    if !settings.crash_report.forced().unwrap_or(cfg!(windows)) {
        return;
    }
    let folder = settings.crash_dir.clone().or_else(|| std::env::current_dir().ok()).unwrap_or_default();
    let file = file(&folder, &settings.program);
    let prepared = Prepared {
        path: platform::file_path(&file),
        name: file.display().to_string(),
        program: settings.program.clone(),
        configuration: settings.to_string(),
    };
    if PREPARED.set(prepared).is_ok() {
        platform::watch();
        watch_panics();
        start_dump(settings, &file.with_extension("dmp"));
    }
}

/// Prepares for a minidump, if that is wanted.
#[cfg(windows)]
fn start_dump(settings: &Settings, file: &Path) {
    if settings.crash_dump.forced().unwrap_or(true) {
        dump::prepare(platform::file_path(file), file.display().to_string());
    }
}

/// Natively the system has core dumps.
#[cfg(not(windows))]
fn start_dump(settings: &Settings, _: &Path) {
    if settings.crash_dump.forced() == Some(true) {
        tracing::warn!(
            "crash_dump = on: only Windows programs have minidumps; natively a core dump has more (coredumpctl)"
        );
    }
}

/// The file of a program's reports.
fn file(folder: &Path, program: &str) -> PathBuf {
    let plain = |c: char| if c.is_alphanumeric() || "._-".contains(c) { c } else { '_' };
    let program: String = program.chars().map(plain).take(64).collect();
    folder.join(format!("afterimage-crash-{program}-{}.txt", std::process::id()))
}

/// Notes which device renders, and where.
pub(crate) fn device(text: &str) {
    let _the_first_one_stays = DEVICE.set(text.to_owned());
}

/// The device was lost.
pub(crate) fn device_lost() {
    write(Event::DeviceLost, &"the device was lost: the renderer is gone", None);
}

/// Reports panics of ours, wherever they are caught.
fn watch_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        write(Event::Panic, &panic, None);
        before(panic);
    }));
}

/// Writes a report, unless there was one about such an event.
fn write(event: Event, what: &dyn fmt::Display, context: Option<&platform::Context<'_>>) {
    let Some(prepared) = PREPARED.get() else { return };
    if REPORTED[event as usize].load(Ordering::Relaxed) || BUSY.swap(true, Ordering::Acquire) {
        return;
    }
    // A crash in the middle of a report about a crash finds it busy, and goes its way.
    REPORTED[event as usize].store(true, Ordering::Relaxed);
    if let Some(file) = platform::File::append(&prepared.path) {
        // SAFETY: `BUSY` was ours to set, so nobody else is here.
        unsafe { report::write(prepared, file, what, context) };
    }
    BUSY.store(false, Ordering::Release);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_s_name_keeps_nothing_harmful() {
        let name = file(Path::new("/x"), "../a b.exe");
        assert_eq!(name, Path::new(&format!("/x/afterimage-crash-.._a_b.exe-{}.txt", std::process::id())));
    }
}
