//! The sample programs, each run in every way that there is, and their pictures compared.
//!
//! The ways: natively in one process; the 64-bit and the 32-bit DLL under Wine through shared memory to the viewer; and
//! the replay of a capture that the first of these wrote. All must give the same pixels. A console's program runs natively
//! only.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use xtask::build::{Tree, Width};
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::metal::{self, drawn};
use crate::on_metal::OnMetal;
use crate::picture::{self, Difference, Picture};
use crate::wine::Wine;

/// Frames that each program draws.
const FRAMES: u32 = 60;
/// Frames whose pictures are kept.
const SHOTS: &str = "1,15,30-32,45,59";
/// Frames that are captured, and must replay to the same pictures.
const CAPTURED: &str = "30-32";
/// The frame that stands for the program.
const POSTER: &str = "frame-000030.png";
/// Seconds after which a program is ended.
const LIMIT: &str = "240";

/// A sample program and its arguments.
pub(crate) struct Program {
    /// What tables call it.
    pub(crate) name: &'static str,
    /// What there is to see.
    pub(crate) what: &'static str,
    /// The source's name.
    pub(crate) sample: &'static str,
    /// Its arguments.
    pub(crate) arguments: &'static [&'static str],
    /// What it is.
    pub(crate) kind: Kind,
    /// Pixels that may differ in a 32-bit run, by a step or two, where a library computes geometry with the x87 there.
    rounding_pixels: usize,
}

/// Which pictures are others on a device that is held to a driver for Macs, and why.
const DIFFERS: &[(&str, OnMetal, &str)] = &[
    ("features", OnMetal::KosmicKrisp, "points have one size there, and single samples of textures cannot be written"),
    ("xbox", OnMetal::KosmicKrisp, "a level of rounding in 0.02 % of the pixels"),
];

/// Which API a program calls, and where it can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Direct3D 9, natively and under Wine.
    Direct3d9,
    /// Direct3D 9, under Wine only, and why.
    WindowsOnly(&'static str),
    /// A console's own API, natively: an example of that guest's crate. Its pictures are those that the console's display would
    /// show, read from the console's memory; those of its replay are what the renderer was told to show.
    Console,
}

/// What is run.
pub(crate) const PROGRAMS: &[Program] = &[
    Program {
        name: "scene",
        what: "A textured, lit scene through vs_2_0 and ps_2_0.",
        sample: "scene",
        arguments: &[],
        kind: Kind::Direct3d9,
        rounding_pixels: 0,
    },
    Program {
        name: "targets",
        what: "Render targets, several at once, cube maps, queries, and the flow control of ps_3_0.",
        sample: "targets",
        arguments: &[],
        kind: Kind::Direct3d9,
        rounding_pixels: 0,
    },
    Program {
        name: "features",
        what: "Patches, ProcessVertices, point sprites, alpha to coverage, palettes, instances, clip planes.",
        sample: "features",
        arguments: &[],
        kind: Kind::Direct3d9,
        rounding_pixels: 0,
    },
    Program {
        name: "teapot",
        what: "The fixed-function pipeline.",
        sample: "teapot",
        arguments: &[],
        kind: Kind::Direct3d9,
        rounding_pixels: 0,
    },
    Program {
        name: "teapot-d3dx",
        what: "The same with D3DX's teapot, under Wine.",
        sample: "teapot",
        arguments: &["--d3dx"],
        kind: Kind::WindowsOnly("D3DXCreateTeapot exists on Windows only"),
        rounding_pixels: 64,
    },
    Program {
        name: "xbox",
        what: "The Xbox's Direct3D: push buffers, microcode and register combiners, as the console's display shows them.",
        sample: "xbox",
        arguments: &[],
        kind: Kind::Console,
        rounding_pixels: 0,
    },
    Program {
        name: "playstation",
        what: "The PlayStation 4's command buffers and GCN code: compute, vertices, tiled textures, and the picture before.",
        sample: "playstation",
        arguments: &[],
        kind: Kind::Console,
        rounding_pixels: 0,
    },
];

/// A way to run a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// Linked with `libd3d9.so`, rendering in its own process.
    Native,
    /// A Windows program under Wine, rendering in the viewer.
    Dll(Width),
    /// A capture of the first way, replayed.
    Replay,
    /// The same, on a device that is held to what a driver for Macs offers.
    HeldTo(OnMetal),
    /// The same, by the renderer on Metal and a software Metal.
    Metal,
}

impl Way {
    /// Those that are shown, in the order they are run.
    pub(crate) const ALL: [Self; 4] = [Self::Native, Self::Dll(Width::W64), Self::Dll(Width::W32), Self::Replay];
    /// Those that are tested.
    const TESTED: [Self; 7] = [
        Self::Native,
        Self::Dll(Width::W64),
        Self::Dll(Width::W32),
        Self::Replay,
        Self::HeldTo(OnMetal::MoltenVk),
        Self::HeldTo(OnMetal::KosmicKrisp),
        Self::Metal,
    ];

    /// Whether a capture is drawn.
    pub(crate) fn replays(self) -> bool {
        matches!(self, Self::Replay | Self::HeldTo(_) | Self::Metal)
    }

    /// The folder of its pictures.
    fn folder(self) -> &'static str {
        match self {
            Self::Native => "native",
            Self::Dll(Width::W64) => "dll64",
            Self::Dll(Width::W32) => "dll32",
            Self::Replay => "replay",
            Self::HeldTo(OnMetal::MoltenVk) => "moltenvk",
            Self::HeldTo(OnMetal::KosmicKrisp) => "kosmickrisp",
            Self::Metal => "metal",
        }
    }

    /// The width, for the table.
    pub(crate) fn width(self) -> &'static str {
        match self {
            Self::Native => "64",
            Self::Dll(Width::W64) => "64 (Wine)",
            Self::Dll(Width::W32) => "32 (Wine)",
            Self::Replay | Self::HeldTo(_) | Self::Metal => "–",
        }
    }

    /// How packets get to the renderer, for the table.
    pub(crate) fn transport(self) -> &'static str {
        match self {
            Self::Native => "in process",
            Self::Dll(_) => "shared memory",
            Self::Replay => "capture",
            Self::HeldTo(OnMetal::MoltenVk) => "capture, held to MoltenVK",
            Self::HeldTo(OnMetal::KosmicKrisp) => "capture, held to KosmicKrisp",
            Self::Metal => "capture, software Metal",
        }
    }
}

/// What the receiver wrote about a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stats {
    /// Frames presented.
    pub(crate) frames: Option<u64>,
    /// Draws per frame.
    pub(crate) draws: Option<f64>,
    /// Milliseconds per frame.
    pub(crate) ms_per_frame: Option<f64>,
    /// Messages of the validation layers.
    pub(crate) validation: Option<u64>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) enum End {
    /// It ran, and its pictures are right.
    Good,
    /// It could not be run here, and why.
    Skipped(String),
    /// What went wrong.
    Bad(String),
}

impl End {
    /// Of a run that went well, or failed: then standard error has all that is known of it, and the table a line.
    pub(crate) fn told(result: Result) -> Self {
        match result {
            Ok(()) => Self::Good,
            Err(failure) => {
                eprintln!("{failure}");
                Self::Bad(failure.summary())
            }
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// The program's name.
    pub(crate) program: &'static str,
    /// How it was run.
    pub(crate) way: Way,
    /// How that ended.
    pub(crate) end: End,
    /// What the receiver counted.
    pub(crate) stats: Stats,
    /// Its pictures.
    pub(crate) pictures: Vec<PathBuf>,
}

impl Row {
    /// The picture that stands for the run.
    pub(crate) fn poster(&self) -> Option<&Path> {
        let named = self.pictures.iter().find(|path| path.ends_with(POSTER));
        named.or_else(|| self.pictures.get(self.pictures.len() / 2)).map(PathBuf::as_path)
    }
}

/// Runs everything. The pictures go to `out/PROGRAM/WAY/`.
///
/// # Errors
/// When the runs cannot be prepared; a run that fails is a row that says so.
pub(crate) fn run(ws: &Workspace, tree: &Tree, wine: &Wine, out: &Path, validate: bool) -> Result<Vec<Row>> {
    let mut runs = Runs::new(out, validate)?;
    let rows = step::side_by_side(PROGRAMS, |program| runs.of(ws, tree, wine, program, &Way::TESTED));
    runs.rows.extend(rows.into_iter().flatten());
    Ok(runs.rows())
}

/// Runs that are made one after the other, as what they need gets there.
pub(crate) struct Runs {
    out: PathBuf,
    validate: bool,
    /// With the place of its program in [`PROGRAMS`].
    rows: Vec<(usize, Row)>,
}

impl Runs {
    /// The pictures go to `out/PROGRAM/WAY/`.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub(crate) fn new(out: &Path, validate: bool) -> Result<Self> {
        let _ = std::fs::remove_dir_all(out);
        std::fs::create_dir_all(out).doing(format!("creating {}", out.display()))?;
        Ok(Self { out: out.to_owned(), validate, rows: Vec::new() })
    }

    /// Runs a program in some ways. Its first run that has pictures is what the others, also those of later calls, are held against,
    /// and writes the capture that is replayed.
    pub(crate) fn add(&mut self, ws: &Workspace, tree: &Tree, wine: &Wine, program: &Program, ways: &[Way]) {
        let rows = self.of(ws, tree, wine, program, ways);
        self.rows.extend(rows);
    }

    fn of(&self, ws: &Workspace, tree: &Tree, wine: &Wine, program: &Program, ways: &[Way]) -> Vec<(usize, Row)> {
        let Self { out, validate, .. } = self;
        let session = Session { ws, tree, wine, out, validate: *validate };
        let place = PROGRAMS.iter().position(|other| other.name == program.name).unwrap_or(PROGRAMS.len());
        let mut reference = self.rows.iter().find(|(_, row)| row.program == program.name && !row.pictures.is_empty());
        let mut reference = reference.take().map(|(_, row)| (row.way, session.folder(program, row.way)));
        let mut rows = Vec::new();
        // A console's program knows no Windows.
        for &way in ways.iter().filter(|way| program.kind != Kind::Console || !matches!(way, Way::Dll(_))) {
            let capture = reference.is_some().then(|| session.capture(program));
            let row = session.row(program, way, reference.as_ref(), capture.as_deref());
            if reference.is_none() && !row.pictures.is_empty() {
                reference = Some((way, session.folder(program, way)));
            }
            rows.push((place, row));
        }
        rows
    }

    /// What has been run so far, by program and way.
    pub(crate) fn rows(&self) -> Vec<Row> {
        let mut rows: Vec<_> = self.rows.iter().collect();
        rows.sort_by_key(|(place, row)| (*place, Way::TESTED.iter().position(|way| *way == row.way)));
        rows.into_iter().map(|(_, row)| row.clone()).collect()
    }
}

/// Runs every program natively. The pictures go to `out/PROGRAM/native/`.
///
/// # Errors
/// When the runs cannot be prepared, or one fails.
pub(crate) fn natively(ws: &Workspace, tree: &Tree, wine: &Wine, out: &Path) -> Result<Vec<Row>> {
    let _ = std::fs::remove_dir_all(out);
    std::fs::create_dir_all(out).doing(format!("creating {}", out.display()))?;
    let session = Session { ws, tree, wine, out, validate: false };
    let programs = PROGRAMS.iter().filter(|program| !matches!(program.kind, Kind::WindowsOnly(_)));
    let rows: Vec<Row> = programs.map(|program| session.row(program, Way::Native, None, None)).collect();
    let bad = rows.iter().find_map(|row| if let End::Bad(why) = &row.end { Some((row, why)) } else { None });
    bad.map_or(Ok(()), |(row, why)| Err(Failure::new(format!("running {}", row.program), why)))?;
    Ok(rows)
}

/// Runs every program once, natively or else under Wine, so that it writes a capture of its frames: names of programs, and captures of
/// those that ran.
///
/// # Errors
/// When the runs cannot be prepared, or a program that can be run here fails.
pub(crate) fn captured(ws: &Workspace, tree: &Tree, wine: &Wine, out: &Path) -> Result<Vec<(&'static str, PathBuf)>> {
    let session = Session { ws, tree, wine, out, validate: false };
    let mut captures = Vec::new();
    for program in PROGRAMS {
        let way = if matches!(program.kind, Kind::WindowsOnly(_)) { Way::Dll(Width::W64) } else { Way::Native };
        match session.row(program, way, None, None).end {
            End::Good => captures.push((program.name, session.capture(program))),
            End::Skipped(why) => println!("skipped: {}: {why}", program.name),
            End::Bad(why) => return Err(Failure::new(format!("running {}", program.name), why)),
        }
    }
    Ok(captures)
}

/// What all runs share.
struct Session<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    wine: &'a Wine,
    out: &'a Path,
    validate: bool,
}

impl Session<'_> {
    fn folder(&self, program: &Program, way: Way) -> PathBuf {
        self.out.join(program.name).join(way.folder())
    }

    fn capture(&self, program: &Program) -> PathBuf {
        self.out.join(program.name).join("frames.aftercap")
    }

    fn row(&self, program: &Program, way: Way, reference: Option<&(Way, PathBuf)>, capture: Option<&Path>) -> Row {
        let mut row = Row { program: program.name, way, end: End::Good, stats: Stats::default(), pictures: Vec::new() };
        let why_not = match way {
            Way::Native => match program.kind {
                Kind::WindowsOnly(why) => Some(End::Skipped(why.to_owned())),
                Kind::Direct3d9 | Kind::Console => None,
            },
            Way::Dll(width) => self.wine.denied(width),
            Way::Replay | Way::HeldTo(_) | Way::Metal if capture.is_none() => {
                Some(End::Skipped("no run wrote a capture".to_owned()))
            }
            Way::Replay | Way::Metal => None,
            Way::HeldTo(driver) => DIFFERS
                .iter()
                .find(|(name, on, _)| (*name, *on) == (program.name, driver))
                .map(|(.., why)| End::Skipped((*why).to_owned())),
        };
        if let Some(end) = why_not {
            row.end = end;
            return row;
        }
        if let (Way::Metal, Some(capture)) = (way, capture) {
            return self.on_metal(program, capture, row);
        }
        let title = format!("{} {} {}", program.name, way.width(), way.transport());
        let progress = Progress::start(title.clone());
        let result = self.execute(program, way, reference.is_none(), capture, &title, &progress);
        let folder = self.folder(program, way);
        row.pictures = picture::in_folder(&folder);
        row.stats = read_stats(&folder.join("stats.json"));
        let result = result.and_then(|()| Self::judge(program, &row, reference.map(|(_, folder)| folder.as_path())));
        progress.finish(&result);
        if let Err(failure) = result {
            eprintln!("{failure}");
            row.end = End::Bad(failure.summary());
        }
        row
    }

    /// Draws the capture with both renderers. That they do not agree is listed, or a failure; and so is that they do.
    fn on_metal(&self, program: &Program, capture: &Path, mut row: Row) -> Row {
        let progress = Progress::start(format!("{} {}", program.name, Way::Metal.transport()));
        let folder = self.folder(program, Way::Metal);
        let result = drawn::both(self.ws, &self.tree.afterimage(), capture, &folder).and_then(|drawn| {
            let is_listed = metal::is_listed(self.ws, &format!("sample/{}", program.name))?;
            Ok(match (drawn.why, is_listed) {
                (None, false) if drawn.pictures == 0 => End::Bad("it shows nothing".to_owned()),
                (None, false) => End::Good,
                (Some(why), true) => End::Skipped(format!("listed in docs/metal-pictures.md: {why}")),
                (Some(why), false) => End::Bad(why),
                (None, true) => End::Bad("it agrees, and docs/metal-pictures.md lists it".to_owned()),
            })
        });
        progress.finish(&result);
        row.pictures = picture::in_folder(&folder.join("metal"));
        row.end = result.unwrap_or_else(|failure| End::Bad(failure.summary()));
        row
    }

    /// Runs the program. The first way that runs also writes the capture.
    fn execute(
        &self,
        program: &Program,
        way: Way,
        first: bool,
        capture: Option<&Path>,
        title: &str,
        progress: &Progress,
    ) -> Result {
        let folder = self.folder(program, way);
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        let mut command = Command::new("timeout");
        command.args(["-k", "5", LIMIT]);
        match way {
            Way::Native => {
                command.arg(self.tree.native_sample(program.sample)).env("AFTERIMAGE_RENDERER", "in-process");
            }
            Way::Dll(width) => {
                command.arg(self.tree.afterimage()).arg("run").arg(self.tree.windows_sample(program.sample, width));
                self.wine.environment(&mut command, width);
                command.env("AFTERIMAGE_RENDERER", "viewer");
            }
            Way::Replay | Way::HeldTo(_) | Way::Metal => {
                if let Way::HeldTo(driver) = way {
                    command.env("AFTERIMAGE_WITHOUT", driver.without());
                }
                command
                    .arg(self.tree.afterimage())
                    .arg("replay")
                    .arg(capture.unwrap_or(&folder))
                    .arg("-o")
                    .arg(&folder);
            }
        }
        if !way.replays() {
            command.args(["--frames", &FRAMES.to_string()]).args(program.arguments);
            if program.kind == Kind::Console {
                command.args(["--shots", SHOTS]).arg(&folder);
            } else {
                command.env("AFTERIMAGE_SCREENSHOTS", &folder).env("AFTERIMAGE_SCREENSHOT_FRAMES", SHOTS);
            }
            if first {
                command
                    .env("AFTERIMAGE_CAPTURE_FRAMES", CAPTURED)
                    .env("AFTERIMAGE_CAPTURE_FILE", self.capture(program));
            }
        }
        command.env("AFTERIMAGE_STATS", folder.join("stats.json"));
        command.env("AFTERIMAGE_VALIDATE", if self.validate { "1" } else { "0" });
        let advice = format!("run it by hand: {}", step::line_of(&command));
        step::run_in(self.ws, &mut command, title, &advice, progress).map(drop)
    }

    /// Whether a run's pictures are there, show something, and are those of the reference.
    fn judge(program: &Program, row: &Row, reference: Option<&Path>) -> Result {
        let what = format!("the pictures of {} ({}, {})", row.program, row.way.width(), row.way.transport());
        let wrong = |cause: String| Err(Failure::new(what.clone(), cause));
        if row.pictures.is_empty() {
            return wrong("there are none".to_owned());
        }
        if let Some(count) = row.stats.validation.filter(|count| *count > 0) {
            return wrong(format!("the validation layers had {count} messages"));
        }
        let mut compared = 0;
        for path in &row.pictures {
            let picture = Picture::read(path)?;
            let name = path.file_name().unwrap_or_default();
            if picture.colours(16) < 16 {
                return wrong(format!("{} is nearly empty", name.to_string_lossy()));
            }
            let Some(other) = reference.map(|folder| folder.join(name)).filter(|other| other.is_file()) else {
                continue;
            };
            compared += 1;
            let difference = Picture::read(&other)?.difference(&picture);
            let allowed = if row.way == Way::Dll(Width::W32) { program.rounding_pixels } else { 0 };
            let rounding =
                |d: &Difference| matches!(d, Difference::Pixels { pixels, largest: ..=2, .. } if *pixels <= allowed);
            if let Some(difference) = difference.filter(|difference| !rounding(difference)) {
                return wrong(format!("{} is not that of {}: {difference}", path.display(), other.display()));
            }
        }
        let needed = if row.way.replays() { 3 } else { 6 };
        if reference.is_some() && compared < needed {
            return wrong(format!("only {compared} of its {} pictures are also in the reference", row.pictures.len()));
        }
        Ok(())
    }
}

/// Reads what the receiver counted; what is not there stays unknown.
fn read_stats(path: &Path) -> Stats {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let Ok(value) = serde_json::from_str::<Value>(&text) else { return Stats::default() };
    let frames = value["frames"].as_u64();
    let draws = value["draws"].as_f64();
    Stats {
        frames,
        draws: draws.zip(frames).map(|(draws, frames)| draws / frames.max(1) as f64),
        ms_per_frame: value["ms_per_frame"].as_f64(),
        validation: value["validation_messages"].as_u64(),
    }
}
