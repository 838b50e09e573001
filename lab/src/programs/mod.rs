//! `cargo xtask programs`: engines that nobody here wrote, out of a package registry, drawing the same picture through us as
//! through WineD3D.
//!
//! What is downloaded stays in the cache; the programs that drive an engine are ours (`samples/programs`).

mod page;
mod wheels;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{self, Profile, Tree, Width};
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::matrix::End;
use crate::picture::Picture;
use crate::wine::place::{Layer, Place, Release};
use crate::wine::seat::Seat;
pub(crate) use page::section;
use wheels::Wheel;

/// Seconds after which a program is ended.
const LIMIT: &str = "180";
/// A pixel is the same if no channel differs by more.
const LEVELS: u8 = 3;
/// The part of a picture's pixels that must be the same.
const SAME: f64 = 0.999;

/// Arguments of `programs`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only these (panda3d, sdl2, pygame, angle, qt) [default: all].
    names: Vec<String>,
    /// Only programs of this width [default: both].
    #[arg(long, value_name = "BITS", value_parser = ["64", "32"])]
    width: Option<String>,
    /// Which Wine [default: trixie's where it was made already, else this machine's].
    #[arg(long, value_enum)]
    wine: Option<Release>,
    /// A tree as `cargo xtask dist` makes, instead of building one.
    #[arg(long, value_name = "FOLDER")]
    tree: Option<PathBuf>,
}

/// What drives an engine.
#[derive(Debug)]
enum Driver {
    /// A program of ours, `samples/programs/NAME.cpp`, beside these files of the wheel (a path's end).
    Program { source: &'static str, files: &'static [&'static str] },
    /// A script of ours, `samples/programs/NAME.py`, in the Python that Panda3D brings; these folders of the wheels have libraries, and
    /// these files lie beside the program.
    Python { script: &'static str, libraries: &'static [&'static str], files: &'static [&'static str] },
}

/// An engine, and what it draws.
#[derive(Debug)]
struct Program {
    name: &'static str,
    what: &'static str,
    /// Unpacked into one folder; the first is what it is called after.
    wheels: &'static [Wheel],
    driver: Driver,
    pictures: &'static [&'static str],
}

/// Panda3D. Its folder `deploy_libs` is a Python without its standard library.
const PANDA: &[Wheel] = &[Wheel {
    name: "panda3d",
    versions: [
        ("1.10.16", "37acfb92655c4226879f95c988e2ef1449a53c54486d6c1ebc00e2772429af82"),
        ("1.10.16", "63a93dd393de1d8a3ab3520b02acc55803ee53efbf63b952bd45951f534b3f68"),
    ],
}];
const PYTHON: &str = "deploy_libs";

const PROGRAMS: &[Program] = &[
    Program {
        name: "panda3d",
        what: "Panda3D's Direct3D 9 back end: fixed function, then its shader generator through Cg",
        wheels: PANDA,
        driver: Driver::Python { script: "panda", libraries: &["panda3d"], files: &[] },
        pictures: &["fixed.png", "shaders.png"],
    },
    Program {
        name: "sdl2",
        what: "SDL2's Direct3D 9 renderer",
        wheels: &[Wheel {
            name: "pysdl2-dll",
            versions: [
                ("2.32.10", "65eba83d68c33b22aa5eca6c9a8521cff5044435ecd5b49521068df82674de6a"),
                ("2.32.10", "881e2362fbe5c8d7129fa66f690380bbd0240d9d2cb1bc5612856be1e58e9261"),
            ],
        }],
        driver: Driver::Program { source: "sdl", files: &["sdl2dll/dll/SDL2.dll"] },
        pictures: &["picture.ppm"],
    },
    Program {
        name: "pygame",
        what: "pygame's renderer: SDL2's Direct3D 9 with textures that are drawn to, streamed, turned and blended",
        wheels: &[Wheel {
            name: "pygame",
            versions: [
                ("2.6.1", "91476902426facd4bb0dad4dc3b2573bc82c95c71b135e0daaea072ed528d299"),
                ("2.6.1", "811e7b925146d8149d79193652cbb83e0eca0aae66476b1cb310f0f4226b8b5c"),
            ],
        }],
        driver: Driver::Python { script: "pygame_renderer", libraries: &[], files: &[] },
        pictures: &["picture.png"],
    },
    Program {
        name: "angle",
        what: "OpenGL ES 2.0 through ANGLE's Direct3D 9 back end",
        wheels: &[Wheel {
            name: "kivy-deps.angle",
            versions: [
                ("0.5.0", "d16d68cc45a2a326a3f8f738c649bb00ae5d7c3e58cff70f415fa57bd1d28713"),
                ("0.4.0", "c3899ff1f3886b80b155955bad07bfa33bbebd97718cdf46dfd788dc467124bc"),
            ],
        }],
        driver: Driver::Program {
            source: "gles",
            files: &["bin/libEGL.dll", "bin/libGLESv2.dll", "bin/d3dcompiler_47.dll"],
        },
        pictures: &["picture.ppm"],
    },
    Program {
        name: "qt",
        what: "Qt Quick: QML's scene graph, shader effects and layers through the ANGLE that Qt brings, on Direct3D 9",
        wheels: &[
            Wheel {
                name: "PyQt5",
                versions: [
                    ("5.15.11", "bdde598a3bb95022131a5c9ea62e0a96bd6fb28932cc1619fd7ba211531b7517"),
                    ("5.15.11", "76be0322ceda5deecd1708a8d628e698089a1cea80d1a49d242a6d579a40babd"),
                ],
            },
            Wheel {
                name: "PyQt5-Qt5",
                versions: [
                    ("5.15.2", "750b78e4dba6bdf1607febedc08738e318ea09e9b10aea9ff0d73073f11f6962"),
                    ("5.15.2", "9cc7a768b1921f4b982ebc00a318ccb38578e44e45316c7a4a850e953e1dd327"),
                ],
            },
            Wheel {
                name: "PyQt5-sip",
                versions: [
                    ("12.15.0", "c85be433fbafcb3d417581c0e1b67c8198d23858166e4f938e971c2262c13cdb"),
                    ("12.15.0", "2575f428de584a12009fd29d00c89df16ed101a3b38beba818dfdcbc4a10709c"),
                ],
            },
        ],
        driver: Driver::Python {
            script: "quick",
            libraries: &[],
            files: &["Qt5/bin/libEGL.dll", "Qt5/bin/libGLESv2.dll", "Qt5/bin/d3dcompiler_47.dll"],
        },
        pictures: &["picture.png"],
    },
];

/// How one of our pictures compares with WineD3D's.
#[derive(Debug, Clone)]
pub(crate) struct Compared {
    /// Files: WineD3D's, ours, difference.
    pub(crate) files: [PathBuf; 3],
    /// The part of pixels that are the same within the tolerance, and that are equal.
    pub(crate) same: f64,
    pub(crate) equal: f64,
}

/// A program run through us.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    /// Its name.
    pub(crate) program: &'static str,
    /// What it is, with the version.
    pub(crate) what: String,
    /// `viewer, 64 bit`.
    pub(crate) way: String,
    /// How it ended.
    pub(crate) end: End,
    /// Its pictures.
    pub(crate) pictures: Vec<Compared>,
}

/// The command itself.
///
/// # Errors
/// When a program does not run or draws something else. What cannot be downloaded is skipped with a line.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    if let Some(unknown) = args.names.iter().find(|name| !PROGRAMS.iter().any(|program| program.name == **name)) {
        let names: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
        return Err(Failure::new("the program", format!("there is no `{unknown}`; there are {}", names.join(", "))));
    }
    let machine = setup::ensure(ws, &setup::Args::default())?;
    if let Some(why) = machine.no_windows() {
        return Err(Failure::new("programs", why).advise("see `cargo xtask setup --check`"));
    }
    let tree = match &args.tree {
        Some(folder) => Tree::existing(folder),
        None => build::tree(ws, &machine, Profile::Release)?,
    };
    let fits = |width: &Width| args.width.as_ref().is_none_or(|bits| *bits == width.bits().to_string());
    let widths: Vec<Width> = Width::ALL.into_iter().filter(fits).collect();
    let out = ws.target.join("programs");
    let place = Place::prepare(ws, args.wine.unwrap_or_else(|| Place::best(ws)))?;
    let rows = run(ws, &tree, &place, &widths, &args.names, &out)?;
    print(&rows);
    page::write(&rows, &out)?;
    println!("WineD3D | ours | difference: {}", out.join("index.html").display());
    let bad = rows.iter().filter(|row| matches!(row.end, End::Bad(_))).count();
    if bad > 0 {
        return Err(Failure::new("the programs", format!("{bad} of {} runs went wrong", rows.len())));
    }
    Ok(())
}

/// Runs programs through WineD3D and through us in every way that there is; the pictures go to `out/PROGRAM/`.
///
/// # Errors
/// When there is no seat to run them at; a program that goes wrong is a row that says so.
pub(crate) fn run(
    ws: &Workspace,
    tree: &Tree,
    place: &Place,
    widths: &[Width],
    names: &[String],
    out: &Path,
) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for &width in widths {
        if let Some(why) = place.lacks(width) {
            println!("skipped: {} bit: {why}", width.bits());
            continue;
        }
        let mut seat = Seat::take(ws, place, width, true)?;
        for program in
            PROGRAMS.iter().filter(|program| names.is_empty() || names.iter().any(|name| *name == program.name))
        {
            rows.extend(Session { ws, tree, place, width, program, out }.rows(&mut seat));
        }
    }
    Ok(rows)
}

/// Prints a line for each run.
pub(crate) fn print(rows: &[Row]) {
    println!();
    for row in rows {
        let mut line = match &row.end {
            End::Good => "ok".to_owned(),
            End::Skipped(why) => format!("skipped ({why})"),
            End::Bad(why) => format!("FAILED ({why})"),
        };
        for picture in &row.pictures {
            let _ = write!(
                line,
                "; {:.2} % within {LEVELS} levels, {:.2} % equal",
                picture.same * 100.0,
                picture.equal * 100.0
            );
        }
        println!("{:<10} {:<20} {line}", row.program, row.way);
    }
}

/// A program of one width.
struct Session<'a> {
    ws: &'a Workspace,
    tree: &'a Tree,
    place: &'a Place,
    width: Width,
    program: &'a Program,
    out: &'a Path,
}

impl Session<'_> {
    fn rows(&self, seat: &mut Seat) -> Vec<Row> {
        let wheel = &self.program.wheels[0];
        let row = |layer: Layer, end: End, pictures: Vec<Compared>| Row {
            program: self.program.name,
            what: format!("{} ({} {})", self.program.what, wheel.name, wheel.version(self.width)),
            way: format!("{}, {} bit", layer.name(), self.width.bits()),
            end,
            pictures,
        };
        if let Some(why) = Layer::WineD3d.lacks(self.place, self.width) {
            return vec![row(Layer::WineD3d, End::Skipped(why), Vec::new())];
        }
        let parts = match self.parts() {
            Ok(parts) => parts,
            Err(failure) => return vec![row(Layer::WineD3d, End::Skipped(failure.summary()), Vec::new())],
        };
        if let Err(failure) = self.draw(&parts, Layer::WineD3d, seat) {
            return vec![row(Layer::WineD3d, End::Bad(failure.summary()), Vec::new())];
        }
        let possible = Layer::OURS.into_iter().filter(|layer| layer.lacks(self.place, self.width).is_none());
        let ours = |layer: Layer| {
            let pictures = self.draw(&parts, layer, seat).and_then(|()| self.compare(layer));
            match pictures {
                Err(failure) => {
                    eprintln!("{failure}");
                    row(layer, End::Bad(failure.summary()), Vec::new())
                }
                Ok(pictures) => {
                    let other = pictures.iter().find(|picture| picture.same < SAME);
                    let end = other.map_or(End::Good, |other| {
                        End::Bad(format!("{} is not WineD3D's picture", other.files[1].display()))
                    });
                    row(layer, end, pictures)
                }
            }
        };
        possible.map(ours).collect()
    }

    fn folder(&self, layer: Layer) -> PathBuf {
        self.out.join(self.program.name).join(format!("{}-{}", self.width.bits(), layer.name()))
    }

    /// What is laid beside the program: the engine's files, and text files.
    fn parts(&self) -> Result<Parts> {
        let wheels = wheels::get(self.ws, self.width, self.program.wheels)?;
        let found = |files: &[&str]| -> Result<Vec<PathBuf>> {
            let find = |end: &&str| {
                find(&wheels, end).ok_or_else(|| Failure::new("looking into the wheel", format!("it has no {end}")))
            };
            files.iter().map(find).collect()
        };
        match &self.program.driver {
            Driver::Program { files, .. } => Ok(Parts { files: found(files)?, texts: Vec::new() }),
            Driver::Python { libraries, files, .. } => {
                let library = wheels::standard_library(self.ws)?;
                let python = wheels::get(self.ws, self.width, PANDA)?.join(PYTHON);
                let folders = libraries.iter().map(|name| wheels.join(name));
                let folders: Vec<_> = [python, wheels.clone()].into_iter().chain(folders).collect();
                let mut paths = String::new();
                for folder in [&library].into_iter().chain(&folders) {
                    let _ = writeln!(paths, "Z:{}", folder.display().to_string().replace('/', "\\"));
                }
                let files = folders.iter().flat_map(|folder| runtime(folder)).chain(found(files)?).collect();
                let script = self.ws.root.join("samples/programs").join(format!("{}.py", self.source()));
                let text = std::fs::read_to_string(&script).doing(format!("reading {}", script.display()))?;
                let texts = vec![("python311._pth", paths), ("script.py", text)];
                Ok(Parts { files, texts })
            }
        }
    }

    fn source(&self) -> &'static str {
        match &self.program.driver {
            Driver::Program { source, .. } => source,
            Driver::Python { script, .. } => script,
        }
    }

    /// Runs the program with an implementation.
    fn draw(&self, parts: &Parts, layer: Layer, seat: &mut Seat) -> Result {
        let folder = self.folder(layer);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).doing(format!("creating {}", folder.display()))?;
        for file in &parts.files {
            build::copy(file, &folder.join(file.file_name().unwrap_or_default()))?;
        }
        for (name, text) in &parts.texts {
            std::fs::write(folder.join(name), text).doing(format!("writing {name}"))?;
        }
        let title = format!("{} ({}, {} bit)", self.program.name, layer.name(), self.width.bits());
        let progress = Progress::start(title.clone());
        let result = self.compile(&folder, &progress).and_then(|()| {
            self.place.lay(layer, self.tree, self.width, &folder)?;
            let mut command = seat.program(self.tree, layer, LIMIT, &folder, "program.exe")?;
            if matches!(self.program.driver, Driver::Python { .. }) {
                command.arg("script.py");
            }
            step::run_in(self.ws, &mut command, &title, "", &progress).map(drop)
        });
        progress.finish(&result);
        result
    }

    /// Compiles our half of the program.
    fn compile(&self, folder: &Path, progress: &Progress) -> Result {
        let samples = self.ws.root.join("samples/programs");
        let exe = folder.join("program.exe");
        let mut compiler = match &self.program.driver {
            Driver::Program { source, .. } => {
                let mut compiler = Command::new(self.width.compiler("g++"));
                compiler.args(["-std=c++17", "-O2", "-Wall", "-Wextra", "-static"]);
                compiler.arg(samples.join(format!("{source}.cpp")));
                compiler
            }
            Driver::Python { .. } => {
                let mut compiler = Command::new(self.width.compiler("gcc"));
                compiler.args(["-O2", "-Wall", "-Wextra", "-municode"]).arg(samples.join("python.c"));
                compiler
            }
        };
        compiler.arg("-o").arg(&exe).args(["-luser32", "-lgdi32"]);
        let what = format!("compiling samples/programs ({} bit)", self.width.bits());
        step::run_in(self.ws, &mut compiler, &what, "", progress)?;
        if matches!(self.program.driver, Driver::Python { .. }) {
            let mut linker = Command::new(self.width.compiler("gcc"));
            linker.args(["-shared", "-nostdlib", "-Wl,--entry=0"]).arg(samples.join("python3.def"));
            linker.arg("-o").arg(folder.join("python3.dll"));
            step::run_in(self.ws, &mut linker, &what, "", progress)?;
        }
        Ok(())
    }

    /// Holds our pictures against WineD3D's.
    fn compare(&self, layer: Layer) -> Result<Vec<Compared>> {
        let (reference, ours) = (self.folder(Layer::WineD3d), self.folder(layer));
        let mut all = Vec::new();
        for name in self.program.pictures {
            let [theirs, mine] = [&reference, &ours].map(|folder| Picture::read(&folder.join(name)));
            let (theirs, mine) = (theirs?, mine?);
            if theirs.colours(64) < 64 {
                return Err(Failure::new("looking at WineD3D's picture", format!("{name} is nearly empty")));
            }
            let (difference, same, equal) = theirs
                .compare(&mine, LEVELS)
                .ok_or_else(|| Failure::new("comparing the pictures", format!("{name} has another size")))?;
            let stem = Path::new(name).file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let files = [
                reference.join(format!("{stem}.shown.png")),
                ours.join(format!("{stem}.shown.png")),
                ours.join(format!("{stem}.difference.png")),
            ];
            for (picture, file) in [&theirs, &mine, &difference].into_iter().zip(&files) {
                picture.write(file)?;
            }
            all.push(Compared { files, same, equal });
        }
        Ok(all)
    }
}

/// What lies beside a program.
struct Parts {
    files: Vec<PathBuf>,
    texts: Vec<(&'static str, String)>,
}

/// A file below a folder whose path ends so.
fn find(folder: &Path, end: &str) -> Option<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with(end) {
                return Some(path);
            }
        }
    }
    None
}

/// The C and Python libraries that must lie beside a program.
fn runtime(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let wanted = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        ["python3", "vcruntime", "msvcp"].iter().any(|start| name.starts_with(start)) && name.ends_with(".dll")
    };
    entries.filter(wanted).collect()
}
