//! Running sub-tests: each in a process of its own, some at a time, each of these at a seat of its own.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use xtask::build::{self, Tree, Width};
use xtask::step::{Context, Progress, Result};
use xtask::workspace::Workspace;

use super::outcome::{Exit, Outcome, State};
use super::sources::{Subtest, Suite};
use crate::display::Display;
use crate::wine::place::{Layer, Place};
use crate::wine::seat::Seat;

/// What runs the tests.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Config {
    pub(super) layer: Layer,
    /// Bits of a pointer.
    pub(super) bits: u32,
    /// Wine's version.
    pub(super) wine: String,
}

impl Config {
    /// The words that a list names it by.
    pub(super) fn words(&self) -> [String; 3] {
        [self.wine.clone(), self.bits.to_string(), self.layer.name().to_owned()]
    }
}

impl fmt::Display for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bit, Wine {}", self.layer.name(), self.bits, self.wine)
    }
}

/// What is captured of a sub-test.
const ALL_FRAMES: &str = "0-1000000000";

/// Sub-tests that fail, whoever draws, on a display that has one mode only.
const NEEDS_MODES: [&str; 1] = ["device.test_cursor_clipping"];

/// What became of each sub-test.
pub(super) type Outcomes = BTreeMap<Subtest, Outcome>;

/// How sub-tests are run.
pub(super) struct Runner<'a> {
    pub(super) ws: &'a Workspace,
    pub(super) tree: &'a Tree,
    pub(super) place: &'a Place,
    pub(super) suite: &'a Suite,
    /// How many at a time.
    pub(super) jobs: usize,
    /// Seconds for one.
    pub(super) limit: u32,
    /// Whether the tests are to expect what Windows does.
    pub(super) windows: bool,
    /// Where what they print goes: `CONFIG/FILE.NAME.txt`.
    pub(super) out: &'a Path,
    /// Where captures of them go: `FILE.NAME.aftercap`.
    pub(super) captures: Option<&'a Path>,
}

impl Runner<'_> {
    /// Takes the seats for programs of a width.
    ///
    /// # Errors
    /// When one cannot be made.
    pub(super) fn seats(&self, width: Width) -> Result<Vec<Mutex<Seat>>> {
        (0..self.jobs).map(|_| Seat::take(self.ws, self.place, width, true).map(Mutex::new)).collect()
    }

    /// Runs some sub-tests with one implementation. One that is not clean runs once more, alone, when all others are done:
    /// some wait for so many seconds at most, or for what another program on this machine may hold up.
    ///
    /// # Errors
    /// When a process cannot be started, or a file not written.
    pub(super) fn run(
        &self,
        layer: Layer,
        width: Width,
        seats: &[Mutex<Seat>],
        wanted: &[Subtest],
    ) -> Result<Outcomes> {
        let config = Config { layer, bits: width.bits(), wine: self.place.version.clone() };
        let texts = self.folder_of(&config);
        let _ = std::fs::remove_dir_all(&texts);
        std::fs::create_dir_all(&texts).doing(format!("creating {}", texts.display()))?;
        let progress = Progress::start(config.to_string());
        let next = AtomicUsize::new(0);
        let outcomes = Mutex::new(Outcomes::new());
        let work = |seat: &Mutex<Seat>| -> Result {
            let mut seat = seat.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let folder = self.prepare(layer, width, seat.number)?;
            while let Some(subtest) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                let outcome = self.one(&mut seat, layer, &folder, &texts, subtest)?;
                let mut outcomes = outcomes.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                outcomes.insert(subtest.clone(), outcome);
                let clean = outcomes.values().filter(|outcome| outcome.state == State::Clean).count();
                let done = outcomes.len();
                progress.now(&format!("{done} of {}, {clean} clean; {}", wanted.len(), subtest.full_name()));
            }
            Ok(())
        };
        let result = std::thread::scope(|scope| {
            let workers: Vec<_> = seats.iter().map(|seat| scope.spawn(|| work(seat))).collect();
            // A worker only panics by a mistake of ours.
            workers
                .into_iter()
                .try_for_each(|worker| worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        });
        let mut outcomes = outcomes.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        let result = result.and_then(|()| {
            let Some(seat) = seats.first() else { return Ok(()) };
            let mut seat = seat.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let folder = self.prepare(layer, width, seat.number)?;
            for (subtest, first) in outcomes.iter_mut().filter(|(_, outcome)| outcome.state.may_be_chance()) {
                progress.now(&format!("once more: {}", subtest.full_name()));
                let again = self.one(&mut seat, layer, &folder, &texts, subtest)?;
                let before = std::mem::replace(first, again);
                first.before = Some(before.state);
            }
            Ok(())
        });
        match &result {
            Ok(()) => {
                let clean = outcomes.values().filter(|outcome| outcome.state == State::Clean).count();
                progress.end("✓", &format!("{clean} of {} clean", outcomes.len()));
            }
            Err(_) => progress.finish(&result),
        }
        result.map(|()| outcomes)
    }

    /// Where the texts of a configuration are.
    pub(super) fn folder_of(&self, config: &Config) -> PathBuf {
        self.out.join(format!("wine-{}-{}-{}", config.wine, config.bits, config.layer.name()))
    }

    /// A folder with the tests and the implementation beside them.
    fn prepare(&self, layer: Layer, width: Width, number: usize) -> Result<PathBuf> {
        let folder =
            self.out.join("run").join(format!("{}-{}-{}-{number}", self.place.name(), width.bits(), layer.name()));
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        build::copy(&self.suite.program(width), &folder.join("tests.exe"))?;
        self.place.lay(layer, self.tree, width, &folder)?;
        Ok(folder)
    }

    fn one(&self, seat: &mut Seat, layer: Layer, folder: &Path, texts: &Path, subtest: &Subtest) -> Result<Outcome> {
        let text = texts.join(format!("{}.txt", subtest.full_name()));
        let out = File::create(&text).doing(format!("creating {}", text.display()))?;
        let err = out.try_clone().doing("opening a file twice")?;
        let modes = NEEDS_MODES.contains(&subtest.full_name().as_str());
        let display = modes.then(Display::start_with_modes).transpose()?;
        if modes {
            seat.end_programs();
        }
        let mut command = seat.program(self.tree, layer, &self.limit.to_string(), folder, "tests.exe")?;
        command.arg(subtest.file).env("AFTERIMAGE_SUBTEST", &subtest.name);
        if self.windows {
            command.env("WINETEST_PLATFORM", "windows");
        }
        if let Some(folder) = self.captures {
            let file = folder.join(format!("{}.aftercap", subtest.full_name()));
            command.env("AFTERIMAGE_CAPTURE_FRAMES", ALL_FRAMES).env("AFTERIMAGE_CAPTURE_FILE", file);
        }
        if let Some(display) = &display {
            command.env("DISPLAY", display.name());
        }
        let status = wait(command.stdin(Stdio::null()).stdout(out).stderr(err))?;
        if modes {
            seat.end_programs();
        }
        let printed = std::fs::read(&text).doing(format!("reading {}", text.display()))?;
        let mut outcome = Outcome::read(&subtest.name, &String::from_utf8_lossy(&printed), exit_of(status));
        if layer == Layer::Viewer && seat.lost_viewer() {
            outcome.state = State::Crashed;
            outcome.lines.push("the viewer ended".to_owned());
        }
        Ok(outcome)
    }
}

fn wait(command: &mut Command) -> Result<ExitStatus> {
    let mut child: Child = command.spawn().doing("starting Wine")?;
    child.wait().doing("waiting for Wine")
}

/// `timeout` has statuses of its own for what it ended.
fn exit_of(status: ExitStatus) -> Exit {
    match status.code() {
        Some(124 | 137) => Exit::Limit,
        Some(code) => Exit::Status(code),
        None => Exit::Signal,
    }
}
