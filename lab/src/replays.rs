//! `cargo xtask replays`: samples of every guest, captured while they run, and what their captures replay to.
//!
//! Each sample runs twice: captured from its first frame to the last, and over the last few frames only, as if somebody had pressed
//! F10 late. Both captures must replay to the pictures that were shown, to the last bit.

use std::path::{Path, PathBuf};
use std::process::Command;

use xtask::build::{self, Profile, Tree};
use xtask::samples::{SAMPLES, Sample};
use xtask::setup;
use xtask::step::{self, Context, Failure, Progress, Result};
use xtask::workspace::Workspace;

use crate::picture::{self, Picture};
use crate::wine::place::{Place, Release};

/// Frames that each sample draws.
const FRAMES: u64 = 502;
/// The two captures: names and frames.
const CAPTURES: [(&str, &str); 2] = [("first", "1-502"), ("late", "500-502")];
/// Frames whose pictures are compared.
const SHOTS: &str = "1-3,60,500-502";
/// How many of these are in each capture.
const COMPARED: [usize; 2] = [7, 3];
/// Arguments of `replays`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Also with Mesa 25.0.7's lavapipe, in a Debian trixie in the cache folder, which is made if it is not there; needs root.
    #[arg(long)]
    trixie: bool,
    /// Programs built before, as `cargo xtask dist` leaves them. [default: they are built]
    #[arg(long, value_name = "DIR")]
    tree: Option<PathBuf>,
    /// Also replay the captures that an earlier run left in this folder, on another machine maybe.
    #[arg(long, value_name = "DIR")]
    also: Option<PathBuf>,
    /// Where captures and pictures go. [default: target/replays]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// With the validation layers; a message of theirs is a failure.
    #[arg(long)]
    validate: bool,
}

/// What is the same in all of it.
struct Run {
    tree: Tree,
    validate: bool,
}

/// How replayed pictures compare with those that were shown.
#[derive(Default)]
struct Compared {
    pictures: usize,
    /// The least part of a picture's pixels that are equal, and that are within one level.
    equal: f64,
    within: f64,
}

/// The command itself.
///
/// # Errors
/// When something does not build or run, or a capture replays to other pictures than were shown in the same place.
pub(crate) fn main(ws: &Workspace, args: &Args) -> Result {
    let tree = match &args.tree {
        Some(root) => Tree::existing(root),
        None => {
            let machine = setup::ensure(ws, &setup::Args::native())?;
            build::tree(ws, &machine, Profile::Release)?
        }
    };
    let run = Run { tree, validate: args.validate };
    let out = args.out.clone().unwrap_or_else(|| ws.target.join("replays"));
    let mut places = vec![(None, out.join("host"))];
    if args.trixie {
        places.push((Some(Place::prepare(ws, Release::Trixie)?), out.join("trixie")));
    }
    let mut rows = Vec::new();
    let mut bad = 0;
    for (place, folder) in &places {
        for sample in &SAMPLES {
            let folder = folder.join(sample.name);
            let progress = Progress::start(format!("{sample}, {}", name(place.as_ref())));
            let result = run.sample(place.as_ref(), sample, &folder);
            let result = result.and_then(|()| run.replay(place.as_ref(), &folder, &folder));
            progress.finish(&result);
            let good =
                |all: &Vec<Compared>| all.len() == CAPTURES.len() && all.iter().all(|compared| compared.equal == 1.0);
            bad += usize::from(!result.as_ref().is_ok_and(good));
            rows.push((sample, name(place.as_ref()).to_owned(), result));
        }
    }
    // Captures of the first place in the others, and of elsewhere in all: devices may round otherwise.
    let made = [(Some(out.join("host")), 1), (args.also.clone(), 0)];
    for (from, skipped) in made {
        let Some(from) = from else { continue };
        for (place, folder) in places.iter().skip(skipped) {
            for sample in SAMPLES.iter().filter(|sample| from.join(sample.name).is_dir()) {
                let to = folder.join("of-others").join(sample.name);
                let result = run.replay(place.as_ref(), &from.join(sample.name), &to);
                bad += usize::from(result.is_err());
                rows.push((sample, format!("{}, of {}", name(place.as_ref()), from.display()), result));
            }
        }
    }
    print(&rows);
    if bad == 0 { Ok(()) } else { Err(Failure::new("replays", format!("{bad} of {} went wrong", rows.len()))) }
}

fn name(place: Option<&Place>) -> &'static str {
    place.map_or("this machine", Place::name)
}

impl Run {
    /// A command in a place, with what all of them have in their environment.
    fn command(&self, place: Option<&Place>, program: &Path) -> Command {
        let program = program.to_string_lossy();
        let mut command = match place {
            None => Command::new(&*program),
            Some(place) => {
                let mut command = place.command(&program);
                if let Some(driver) = place.software_driver() {
                    command.env("VK_DRIVER_FILES", &driver).env("VK_ICD_FILENAMES", &driver);
                }
                command
            }
        };
        command.env("AFTERIMAGE_RENDERER", "in-process").env("AFTERIMAGE_CHECK_STATE", "off");
        command.env("AFTERIMAGE_VALIDATE", if self.validate { "1" } else { "0" });
        command
    }

    /// Runs a sample once for each capture. The first run keeps the pictures that were shown.
    fn sample(&self, place: Option<&Place>, sample: &Sample, folder: &Path) -> Result {
        let _ = std::fs::remove_dir_all(folder);
        std::fs::create_dir_all(folder).doing(format!("creating {}", folder.display()))?;
        for (n, (name, frames)) in CAPTURES.into_iter().enumerate() {
            let mut command = self.command(place, &sample.program(&self.tree));
            sample.arguments(&mut command, FRAMES, &folder.join("memory"));
            command.env("AFTERIMAGE_CAPTURE_FRAMES", frames);
            command.env("AFTERIMAGE_CAPTURE_FILE", folder.join(name).with_extension("aftercap"));
            if n == 0 {
                command.env("AFTERIMAGE_SCREENSHOTS", folder.join("live")).env("AFTERIMAGE_SCREENSHOT_FRAMES", SHOTS);
            }
            step::output(&mut command, sample.name)?;
        }
        Ok(())
    }

    /// Replays the captures that are in a folder of a sample, and compares with the pictures that were shown.
    fn replay(&self, place: Option<&Place>, from: &Path, to: &Path) -> Result<Vec<Compared>> {
        let mut all = Vec::new();
        for ((name, _), wanted) in CAPTURES.into_iter().zip(COMPARED) {
            let capture = from.join(name).with_extension("aftercap");
            if !capture.is_file() {
                continue;
            }
            let pictures = to.join(name);
            let mut command = self.command(place, &self.tree.afterimage());
            command.arg("replay").arg(&capture).arg("-o").arg(&pictures).args(["--frames", SHOTS]);
            step::output(&mut command, &format!("replaying {}", capture.display()))?;
            let compared = compare(&from.join("live"), &pictures)?;
            if compared.pictures != wanted {
                let cause = format!("{} pictures of {wanted} are there", compared.pictures);
                return Err(Failure::new(format!("replaying {}", capture.display()), cause));
            }
            all.push(compared);
        }
        Ok(all)
    }
}

/// Compares the pictures of a replay with those of the same names that were shown.
fn compare(live: &Path, replayed: &Path) -> Result<Compared> {
    let mut compared = Compared { pictures: 0, equal: 1.0, within: 1.0 };
    for path in picture::in_folder(replayed) {
        let shown = Picture::read(&live.join(path.file_name().unwrap_or_default()))?;
        let parts = shown.compare(&Picture::read(&path)?, 1).map(|(_, within, equal)| (within, equal));
        let (within, equal) = parts.unwrap_or((0.0, 0.0));
        compared.pictures += 1;
        compared.equal = compared.equal.min(equal);
        compared.within = compared.within.min(within);
    }
    Ok(compared)
}

fn print(rows: &[(&Sample, String, Result<Vec<Compared>>)]) {
    println!("\n{:<24}{:<44}{:>24}{:>24}", "sample", "where", "captured from frame 1", "from frame 500");
    for (sample, place, result) in rows {
        let cells = match result {
            Ok(all) => all.iter().map(cell).collect(),
            Err(failure) => vec![failure.summary()],
        };
        let cells: String = cells.iter().map(|cell| format!("{cell:>24}")).collect();
        println!("{:<24}{place:<44}{cells}", sample.to_string());
    }
    println!("Equal, or the part of the worst picture's pixels that are within one level of what was shown.");
}

fn cell(compared: &Compared) -> String {
    if compared.equal == 1.0 {
        return format!("{} equal", compared.pictures);
    }
    format!("{:.3} % ({:.2} % equal)", 100.0 * compared.within, 100.0 * compared.equal)
}
