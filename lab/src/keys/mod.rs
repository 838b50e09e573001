//! Keys in a Windows program's own window: F10 captures the next frame and F12 saves a picture, however short the tap, once for each,
//! and only in the window that has the focus; the picture says so for a moment. Shift+F12 shows figures, or none.

pub(crate) mod hand;

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use xtask::build::{Tree, Width};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::picture::{self, Picture};
use crate::wine::Wine;
use hand::{Hand, Key};

const SAMPLE: &str = "scene";
/// Frames a second: a tap lies between two of them.
const RATE: &str = "10";
/// Frames from the focus to the first key, while one is held, and after everything: time for what must not happen, too.
const MORE: usize = 5;
/// How long each part may take.
const PATIENCE: Duration = Duration::from_secs(120);
/// The windows of the program that the keys are for, and of the one beside it.
const SIZES: [(u16, u16); 2] = [(208, 156), (240, 180)];

/// How it went in one way.
pub(crate) struct Row {
    /// Which.
    pub(crate) way: String,
    /// How that ended.
    pub(crate) end: End,
}

/// Presses keys in programs of each width that render themselves, and that the viewer renders.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine) -> Vec<Row> {
    let ways = Width::ALL.into_iter().flat_map(|width| ["in-process", "viewer"].map(|renderer| (width, renderer)));
    let hand = Hand::connect(wine.display());
    let row = |(width, renderer): (Width, &str)| {
        let way = format!("{} bit, {renderer}", width.bits());
        let denied = wine.denied(width).or_else(|| (renderer == "in-process").then(|| wine.denied_vulkan(width))?);
        if let Some(end) = denied {
            return Row { way, end };
        }
        let progress = Progress::start(format!("keys in a program's window: {way}"));
        let result = match &hand {
            Ok(hand) => press(&Keyboard { ws, tree, wine, hand, progress: &progress }, width, renderer),
            Err(failure) => Err(Failure::new("connecting to the display", failure.summary())),
        };
        progress.finish(&result);
        let end = result.map_or_else(
            |failure| {
                eprintln!("{failure}");
                End::Bad(failure.summary())
            },
            |()| End::Good,
        );
        Row { way, end }
    };
    ways.map(row).collect()
}

/// What it takes to press keys in programs.
struct Keyboard<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    wine: &'a Wine,
    hand: &'a Hand,
    progress: &'a Progress,
}

/// A program, in a folder of its own. It does not outlive us.
struct Running {
    child: Child,
    folder: PathBuf,
    window: u32,
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Running {
    /// Files in its folder with this ending.
    fn files(&self, ending: &str) -> BTreeSet<String> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name.ends_with(ending)).collect()
    }

    fn shots(&self) -> PathBuf {
        self.folder.join("shots")
    }

    /// Waits for something that the program does.
    fn wait_for(&mut self, what: &str, mut happened: impl FnMut(&mut Self) -> bool) -> Result {
        let start = Instant::now();
        while !happened(self) {
            if let Some(status) = self.child.try_wait().doing(format!("waiting for {what}"))? {
                let advice = format!("see {}", self.folder.join("log").display());
                return Err(Failure::new(what, format!("the program has ended, {status}")).advise(advice));
            }
            if start.elapsed() > PATIENCE {
                return Err(Failure::new(what, format!("not within {} s", PATIENCE.as_secs())));
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    /// Waits for that many more frames.
    fn wait_for_frames(&mut self, count: usize) -> Result {
        let wanted = picture::in_folder(&self.shots()).len() + count;
        self.wait_for("frames of the program", |program| picture::in_folder(&program.shots()).len() >= wanted)
    }

    /// Waits until there are more files with this ending.
    fn wait_for_file(&mut self, ending: &str, already: usize) -> Result {
        let what = format!("{ending} file number {}", already + 1);
        self.wait_for(&what, |program| program.files(ending).len() > already)
    }

    /// Waits until it has ended well.
    fn finish(&mut self) -> Result {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            match self.child.try_wait().doing("waiting for the program's end")? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => return Err(Failure::new("the program whose window was closed", status)),
                None => std::thread::sleep(Duration::from_millis(10)),
            }
        }
        Err(Failure::new("the program whose window was closed", "it is still running"))
    }
}

fn press(keyboard: &Keyboard<'_>, width: Width, renderer: &str) -> Result {
    let Keyboard { ws, hand, progress, .. } = keyboard;
    let out = ws.target.join("test-keys").join(format!("{}-{renderer}", width.bits()));
    let _ = std::fs::remove_dir_all(&out);
    progress.now("starting two programs");
    // The last one's window is the active one, also under a Wine that takes no such thing from us without a window manager.
    let mut other = start(keyboard, width, renderer, &out.join("other"), SIZES[1])?;
    let mut one = start(keyboard, width, renderer, &out.join("one"), SIZES[0])?;
    // Keys are heeded from the first frame on.
    other.wait_for_frames(2)?;
    one.wait_for_frames(2)?;

    progress.now("pressing keys");
    hand.focus(one.window)?;
    one.wait_for_frames(MORE)?;
    for already in 0..2 {
        hand.tap(Key::F10)?;
        one.wait_for_file(".aftercap", already)?;
        hand.tap(Key::F12)?;
        one.wait_for_file(".png", already)?;
    }
    progress.now("reading what is said on the picture");
    let says = |text: &'static str| move |program: &mut Running| hand.reads(program.window, text);
    one.wait_for("that a file was saved, on the picture", says("saved scene"))?;
    one.wait_for("that this goes", |program| !hand.reads(program.window, "saved"))?;
    let version = concat!("Afterimage ", env!("CARGO_PKG_VERSION"));
    for shown in [true, false] {
        hand.put(Key::Shift, true)?;
        hand.tap(Key::F12)?;
        one.wait_for_frames(2)?;
        hand.put(Key::Shift, false)?;
        one.wait_for("figures to come or go", |program| hand.reads(program.window, version) == shown)?;
    }

    progress.now("holding a key");
    hand.put(Key::F12, true)?;
    one.wait_for_file(".png", 2)?;
    one.wait_for_frames(MORE)?;
    hand.put(Key::F12, false)?;
    one.wait_for_frames(MORE)?;
    other.wait_for_frames(MORE)?;

    progress.now("ending the programs");
    for program in [&mut one, &mut other] {
        hand.close(program.window)?;
        program.finish()?;
    }
    judge(keyboard, &one, &other, &out)?;
    std::fs::remove_dir_all(&out).doing(format!("removing {}", out.display()))
}

/// What the keys made in the program that had the focus, and not in the other.
fn judge(keyboard: &Keyboard<'_>, one: &Running, other: &Running, out: &Path) -> Result {
    let wrong = |cause: String| Err(Failure::new("what was made of the keys", cause));
    let (captures, pictures) = (one.files(".aftercap"), one.files(".png"));
    if (captures.len(), pictures.len()) != (2, 3) {
        return wrong(format!("two captures and three pictures were wanted: {captures:?}, {pictures:?}"));
    }
    let others = [other.files(".aftercap"), other.files(".png")];
    if others.iter().any(|files| !files.is_empty()) {
        return wrong(format!("the program without the focus made {others:?}"));
    }
    for picture in &pictures {
        let frame = picture.rsplit_once("frame-").map_or("", |(_, frame)| frame);
        same(&one.folder.join(picture), &one.shots().join(format!("frame-{frame}")))?;
    }
    for capture in &captures {
        keyboard.progress.now("replaying");
        let replayed = out.join(capture).with_extension("");
        let mut command = Command::new(keyboard.tree.afterimage());
        command.arg("replay").arg(one.folder.join(capture)).arg("-o").arg(&replayed);
        step::output(command.env("AFTERIMAGE_VALIDATE", "1"), "replaying what F10 captured")?;
        let frames = picture::in_folder(&replayed);
        let [frame] = &frames[..] else { return wrong(format!("{capture} has {} frames", frames.len())) };
        same(frame, &one.shots().join(frame.file_name().unwrap_or_default()))?;
    }
    Ok(())
}

/// Starts the sample with a window of this size, and waits until it is on the screen.
fn start(keyboard: &Keyboard<'_>, width: Width, renderer: &str, folder: &Path, size: (u16, u16)) -> Result<Running> {
    let Keyboard { tree, wine, hand, .. } = keyboard;
    std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
    let mut command = Command::new(tree.afterimage());
    command.args(["run", "--renderer", renderer]).arg(tree.windows_sample(SAMPLE, width)).current_dir(folder);
    command.args(["--frames", "100000", "--width", &size.0.to_string(), "--height", &size.1.to_string()]);
    wine.environment(&mut command, width);
    command.env("AFTERIMAGE_DIR", folder.join("link")).env("AFTERIMAGE_FPS_LIMIT", RATE);
    command.env("AFTERIMAGE_SCREENSHOTS", folder.join("shots"));
    // Wine gives programs no layers.
    command.env("AFTERIMAGE_VALIDATE", if renderer == "viewer" { "1" } else { "0" });
    let log = File::create(folder.join("log")).doing("creating a log")?;
    let second = log.try_clone().doing("creating a log")?;
    command.stdin(Stdio::null()).stdout(log).stderr(second);
    let child = command.spawn().doing("starting a Windows program")?;
    let mut program = Running { child, folder: folder.to_owned(), window: 0 };
    program.wait_for("the program's window", |program| {
        program.window = hand.window(size).unwrap_or_default();
        program.window != 0
    })?;
    Ok(program)
}

/// Two pictures must be the same to the last bit.
fn same(one: &Path, other: &Path) -> Result {
    match Picture::read(one)?.difference(&Picture::read(other)?) {
        None => Ok(()),
        Some(difference) => {
            Err(Failure::new("the frame that was shown", difference).advise(format!("look at {}", one.display())))
        }
    }
}
