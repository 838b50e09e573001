//! The demo's scenes of the PlayStation 4: recordings that the tests of `afterimage-gnm` write, replayed.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{self, Profile, Tree};
use xtask::step::{self, Context, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::picture::{self, Picture};
use crate::report::escape;

/// How a scene's calls are written into its command buffer: the folder of its recordings and pictures.
const ENCODINGS: [&str; 2] = ["standard", "private"];
/// The scene whose packets are shown.
const SHOWN: &str = "cube";
/// What is shown of it: the encoding, more arguments of `afterimage inspect`, and what it is called.
const VIEWS: [(&str, &[&str], &str); 3] = [
    ("standard", &[], "standard packets, what the draws read, and the shaders"),
    ("private", &["-m", "DrawI", "-m", "Shader"], "private packets: draws and shaders"),
    ("standard", &["--draws"], "draws only"),
];
/// Tests that write no recording, of which some take long.
const UNRECORDED: [&str; 11] = [
    "captured::",
    "corpus::",
    "golden::",
    "native::",
    "pipeline::",
    "samplers::",
    "share::",
    "tables::",
    "textures::",
    "formats::targets",
    "formats::textures_of_formats",
];
/// Pixels of a line of the sheet.
const SHEET: usize = 640;

/// A scene.
pub(crate) struct Scene {
    pub(crate) name: String,
    /// Its picture, once for each encoding.
    pub(crate) pictures: [PathBuf; 2],
    /// Whether both are there and equal.
    pub(crate) end: End,
}

/// What the page has of them.
pub(crate) struct Scenes {
    /// Every scene, by name.
    pub(crate) scenes: Vec<Scene>,
    /// The text of each of [`VIEWS`].
    texts: Vec<String>,
    /// All pictures on one.
    pub(crate) sheet: PathBuf,
    /// The picture of the example in C, and how it went.
    pub(crate) in_c: (PathBuf, End),
}

/// Has the recordings written, and draws them. All goes into the folder `out`, which is emptied.
///
/// # Errors
/// When a scene is not what its test says, or a recording cannot be drawn.
pub(crate) fn draw(ws: &Workspace, tree: &Tree, profile: Profile, out: &Path) -> Result<Scenes> {
    let _ = std::fs::remove_dir_all(out);
    let recordings = record(ws, profile, out, &[])?;
    let file = |encoding: &str, name: &str| recordings.join(encoding).join(format!("{name}.gcap"));
    for encoding in ENCODINGS {
        let mut replay = Command::new(tree.afterimage());
        let entries = std::fs::read_dir(recordings.join(encoding)).doing("looking for recordings")?.flatten();
        replay.arg("replay").args(entries.map(|entry| entry.path())).arg("-o").arg(out.join(encoding));
        step::run(ws, &mut replay, &format!("drawing recordings of {encoding} packets"), "")?;
    }
    let names = picture::in_folder(&out.join(ENCODINGS[0]));
    let names = names.iter().filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned()));
    let (mut scenes, mut shown) = (Vec::new(), Vec::new());
    for name in names {
        let pictures = ENCODINGS.map(|encoding| out.join(encoding).join(format!("{name}.png")));
        let [standard, private] = [Picture::read(&pictures[0])?, Picture::read(&pictures[1])?];
        let end = match standard.difference(&private) {
            Some(difference) => End::Bad(format!("private packets: {difference}")),
            None if standard.colours(2) < 2 => End::Bad("the picture has one colour".to_owned()),
            None => End::Good,
        };
        shown.push(standard);
        scenes.push(Scene { name, pictures, end });
    }
    let sheet = out.join("sheet.png");
    Picture::sheet(&shown, SHEET).write(&sheet)?;
    let view = |(encoding, arguments, _): &(&str, &[&str], &str)| {
        let mut inspect = Command::new(tree.afterimage());
        inspect.arg("inspect").arg(file(encoding, SHOWN)).args(*arguments);
        step::output(&mut inspect, "reading a recording")
    };
    let texts = VIEWS.iter().map(view).collect::<Result<_>>()?;
    let in_c = in_c(ws, tree, out)?;
    Ok(Scenes { scenes, texts, sheet, in_c })
}

/// Compiles the example in C as the author of an emulator does, and has it draw.
fn in_c(ws: &Workspace, tree: &Tree, out: &Path) -> Result<(PathBuf, End)> {
    let (program, raw, picture) = (out.join("triangle"), out.join("triangle.ppm"), out.join("triangle.png"));
    let mut compiler = Command::new("cc");
    compiler.arg("-O1").arg(ws.root.join("crates/gnm-c/examples/triangle.c")).arg("-o").arg(&program);
    compiler.arg("-I").arg(ws.root.join("include")).arg("-L").arg(tree.root()).arg("-lafterimage_gnm_c");
    compiler.arg(format!("-Wl,-rpath,{},--disable-new-dtags", tree.root().display()));
    let end = match step::output(&mut compiler, "compiling triangle.c") {
        Err(failure) => End::Bad(failure.summary()),
        Ok(_) => match step::output(Command::new(&program).arg(&raw), "running triangle.c") {
            Err(failure) => End::Bad(failure.summary()),
            Ok(_) => {
                let bytes = std::fs::read(&raw).doing(format!("reading {}", raw.display()))?;
                match picture_of(&bytes) {
                    Some(shown) if shown.colours(2) == 2 => {
                        shown.write(&picture)?;
                        End::Good
                    }
                    _ => End::Bad("it writes no picture, or one of one colour".to_owned()),
                }
            }
        },
    };
    Ok((picture, end))
}

/// Of the example's output, whose header is one line: `P6 WIDTH HEIGHT 255`.
fn picture_of(bytes: &[u8]) -> Option<Picture> {
    let (head, pixels) = bytes.split_at(bytes.iter().position(|byte| *byte == b'\n')? + 1);
    let numbers = std::str::from_utf8(head).ok()?.trim_end().strip_prefix("P6 ")?.strip_suffix(" 255")?;
    let (width, height) = numbers.split_once(' ')?;
    Picture::new(width.parse().ok()?, height.parse().ok()?, pixels.to_vec())
}

/// Has the tests write their scenes as recordings into a folder of `out`: ENCODING/NAME.gcap. Only of tests whose names have one of
/// `filters` in them, if there are any.
///
/// # Errors
/// When a scene is not what its test says.
pub(crate) fn record(ws: &Workspace, profile: Profile, out: &Path, filters: &[&str]) -> Result<PathBuf> {
    let recordings = out.join("recordings");
    let mut cargo = build::cargo(ws);
    match profile {
        Profile::Dev => cargo.args(["test", "--workspace", "--test", "scenes"]),
        Profile::Release => cargo.args(["test", "--release", "-p", "afterimage-gnm", "--test", "scenes"]),
    };
    cargo.arg("--").args(filters).args(UNRECORDED.iter().flat_map(|name| ["--skip", name]));
    cargo.env("AFTERIMAGE_RECORD", &recordings).env("AFTERIMAGE_VALIDATE", "0");
    step::run(ws, &mut cargo, "recording scenes of the PlayStation 4", "")?;
    Ok(recordings)
}

impl Scenes {
    /// A line for the terminal.
    pub(crate) fn summary(&self) -> String {
        let good = self.scenes.iter().filter(|scene| matches!(scene.end, End::Good)).count();
        let all = self.scenes.len();
        format!("GNM: {good} of {all} scenes have the same pixels from standard and from private packets")
    }

    /// What `afterimage inspect` says of one, each text under its title.
    pub(crate) fn texts(&self) -> Vec<(String, String)> {
        let title = |(encoding, arguments, what): &(&str, &[&str], &str)| {
            let command = [&["afterimage inspect", &format!("{encoding}/{SHOWN}.gcap")], *arguments].concat().join(" ");
            format!("<b>{}</b> <code>{}</code>", escape(what), escape(&command))
        };
        VIEWS.iter().map(title).zip(self.texts.iter().cloned()).collect()
    }
}
