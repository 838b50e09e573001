//! What a killed viewer does to a program: nothing. And what a new viewer shows then: whole frames.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use xtask::build::{self, Tree, Width};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::{End, Kind, PROGRAMS, Program};
use crate::picture::{self, Difference, Picture};
use crate::wine::Wine;

/// Frames of a run, long enough to kill the viewer in its middle.
const FRAMES: &str = "75";
/// The viewer is killed when it has written so many pictures.
const KILL_AFTER: usize = 8;
/// Pixels in which the Wine program may differ from the native one: their C libraries' sines differ in the last bit, which
/// now and then moves an edge across the middle of a pixel.
const EDGES: usize = 4;
/// How long each part may take.
const PATIENCE: Duration = Duration::from_secs(300);

/// How it went for one program.
pub(crate) struct Row {
    /// The program.
    pub(crate) program: &'static str,
    /// How that ended.
    pub(crate) end: End,
}

/// Kills the viewer under each program that has a native version to compare with.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    let programs: Vec<&Program> = PROGRAMS.iter().filter(|program| program.kind == Kind::Direct3d9).collect();
    step::side_by_side(&programs, |program| {
        if let Some(end) = wine.denied(Width::W64) {
            return Row { program: program.name, end };
        }
        let progress = Progress::start(format!("{}: the viewer is killed", program.name));
        let result = kill_under(ws, tree, wine, program, &progress);
        progress.finish(&result);
        Row { program: program.name, end: End::told(result) }
    })
}

/// A process that does not outlive us.
struct Guarded(Child);

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn kill_under(ws: &Workspace, tree: &Tree, wine: &Wine, program: &Program, progress: &Progress) -> Result {
    let out = ws.target.join("test-killed").join(program.name);
    let _ = std::fs::remove_dir_all(&out);
    let folders = Folders::create(&out)?;
    progress.now("drawing what it should look like");
    let mut native = Command::new(tree.native_sample(program.sample));
    native.args(["--frames", FRAMES]).args(program.arguments).env("AFTERIMAGE_RENDERER", "in-process");
    native.env("AFTERIMAGE_SCREENSHOTS", &folders.wanted);
    finish(quiet(&mut native, "starting the native program")?, "the native program")?;

    progress.now("starting the viewer and the program");
    let mut first = viewer(tree, &folders, &folders.before)?;
    let exe = folders.program.join("sample.exe");
    build::copy(&tree.windows_sample(program.sample, Width::W64), &exe)?;
    build::copy(&tree.root().join("x86_64/d3d9.dll"), &folders.program.join("d3d9.dll"))?;
    let mut guest = Command::new("wine");
    // Its report of the lost device goes where it runs.
    guest.arg(&exe).args(["--frames", FRAMES]).args(program.arguments).current_dir(&folders.program);
    wine.environment(&mut guest, Width::W64);
    guest.env("WINEDLLOVERRIDES", "mscoree,mshtml=;d3d9=n").env("AFTERIMAGE_RENDERER", "viewer");
    guest.env("AFTERIMAGE_DIR", &folders.link);
    let guest = quiet(&mut guest, "starting Wine")?;
    wait_for("the first viewer shows frames", || picture::in_folder(&folders.before).len() >= KILL_AFTER)?;
    first.0.kill().doing("killing the viewer")?;
    let _ = first.0.wait();

    progress.now("a new viewer");
    let second = viewer(tree, &folders, &folders.after)?;
    finish(guest, "the program whose viewer was killed")?;
    wait_for("the new viewer shows frames", || !picture::in_folder(&folders.after).is_empty())?;
    settle(&folders.after);
    drop(second);
    compare(&folders)?;
    std::fs::remove_dir_all(&out).doing(format!("removing {}", out.display()))
}

/// The folders of one run.
struct Folders {
    wanted: PathBuf,
    before: PathBuf,
    after: PathBuf,
    program: PathBuf,
    link: PathBuf,
}

impl Folders {
    fn create(out: &Path) -> Result<Self> {
        let folder = |name: &str| {
            let path = out.join(name);
            std::fs::create_dir_all(&path).doing(format!("creating {}", path.display())).map(|()| path)
        };
        Ok(Self {
            wanted: folder("wanted")?,
            before: folder("before")?,
            after: folder("after")?,
            program: folder("program")?,
            link: folder("link")?,
        })
    }
}

fn viewer(tree: &Tree, folders: &Folders, pictures: &Path) -> Result<Guarded> {
    let mut command = Command::new(tree.viewer());
    command.args(["--headless", "-o"]).arg(pictures).env("AFTERIMAGE_DIR", &folders.link);
    quiet(&mut command, "starting the viewer")
}

fn quiet(command: &mut Command, what: &str) -> Result<Guarded> {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map(Guarded).doing(what)
}

/// Waits for a process to end well.
fn finish(mut process: Guarded, what: &str) -> Result {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match process.0.try_wait().doing(format!("waiting for {what}"))? {
            Some(status) if status.success() => return Ok(()),
            Some(status) => return Err(Failure::new(what, status)),
            None => std::thread::sleep(Duration::from_millis(20)),
        }
    }
    Err(Failure::new(what, format!("still running after {} s", PATIENCE.as_secs())))
}

fn wait_for(what: &str, mut happened: impl FnMut() -> bool) -> Result {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if happened() {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Err(Failure::new(what, format!("not within {} s", PATIENCE.as_secs())))
}

/// Waits until no more pictures come, so that none is cut off in its middle.
fn settle(folder: &Path) {
    let count = || picture::in_folder(folder).len();
    let mut last = usize::MAX;
    while count() != last {
        last = count();
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Every picture of the new viewer must be a frame of the program. Their numbers may differ: a program counts the frames
/// that it drew while nobody looked.
fn compare(folders: &Folders) -> Result {
    let read =
        |folder: &Path| picture::in_folder(folder).iter().map(|path| Picture::read(path)).collect::<Result<Vec<_>>>();
    let wanted = read(&folders.wanted)?;
    let mut next = 0;
    for path in picture::in_folder(&folders.after) {
        let picture = Picture::read(&path)?;
        // They come in the order of the frames, and to compare two takes long.
        let found = (next..wanted.len()).chain(0..next).find(|&frame| is_frame(&wanted[frame], &picture));
        next = found.ok_or_else(|| {
            let told = format!("{} is no whole frame of the program", path.display());
            Failure::new("the pictures after the kill", told)
        })? + 1;
    }
    Ok(())
}

/// Whether a picture is this frame of the program, edges apart.
fn is_frame(whole: &Picture, picture: &Picture) -> bool {
    match whole.difference(picture) {
        None => true,
        Some(Difference::Pixels { pixels, .. }) => pixels <= EDGES,
        Some(Difference::Size(..)) => false,
    }
}
