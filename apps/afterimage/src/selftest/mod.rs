//! `afterimage selftest`: whether a machine draws right that none of us has, as one page to send back.

mod child;
mod compare;
mod judge;
mod machine;
mod make;
mod material;
mod page;
mod private;
mod shaders;

use crate::Failure;
use clap::{Parser, ValueEnum};
use judge::{Session, Tested, Verdict};
use machine::Machine;
use private::Private;
use serde::Serialize;
use shaders::Compiled;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Draw captures of our samples on this machine, compare them with stored pictures, and make one page
/// of it to send back.
///
/// Each capture is drawn in a process of its own with a limit of time, so that a driver that crashes
/// or hangs leaves a page, too, which says at which capture. The page has the pictures that were drawn
/// and what differs, what the device can do, how long frames and draws take, messages of the driver
/// and, where it is installed, of Vulkan's validation layer; and the same as JSON. It fetches nothing,
/// and names neither the user nor folders of theirs.
///
/// Besides, every shader of our corpora is compiled, and a pipeline made of it; none of them is run.
///
/// A picture is right to the last bit; alike if 90 % of its pixels or more are the stored ones within
/// one level of 255, and 2 % at most differ by more than 32, as devices do in filtering and at edges;
/// or wrong. The configuration is left aside, but for AFTERIMAGE_DEVICE, AFTERIMAGE_WITHOUT,
/// AFTERIMAGE_GPU_TIMEOUT_S, AFTERIMAGE_SANDBOX and AFTERIMAGE_FLOAT_RULES, which the page names.
///
/// Releases have the material in share/afterimage/selftest; --make makes it of any captures, with
/// what this machine draws of them, to be drawn on another one.
///
/// Exit status: 0 nothing is wrong, 1 something is.
///
/// Examples:
///   afterimage selftest                             a minute, and selftest.html
///   afterimage selftest -o mac.html --device m4
///   afterimage selftest --make game game.aftercap   material of a capture of one's own
///   afterimage selftest --material game
#[derive(Debug, Parser)]
#[command(verbatim_doc_comment)]
pub(crate) struct Args {
    /// Where the page goes.
    #[arg(short, long, value_name = "PAGE", default_value = "selftest.html", conflicts_with = "make")]
    output: PathBuf,
    /// The folder of the material. [default: that of the release]
    #[arg(long, value_name = "FOLDER", conflicts_with = "make")]
    material: Option<PathBuf>,
    /// Part of the name of the device to draw with, or its number in `afterimage info`.
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
    /// What draws.
    #[arg(long, value_enum, default_value_t)]
    renderer: Renderer,
    /// Make material in this folder: copies of captures, and pictures of their frames as this machine draws them.
    #[arg(long, value_name = "FOLDER", requires = "captures")]
    make: Option<PathBuf>,
    /// Captures that material is made of.
    #[arg(value_name = "CAPTURE", requires = "make")]
    captures: Vec<PathBuf>,
    /// A capture for the material of which shaders and pipelines are made, and nothing is drawn. May be given again.
    #[arg(long, value_name = "CAPTURE", requires = "make")]
    shaders: Vec<PathBuf>,
}

/// What draws. Whoever adds one says which words `afterimage replay` wants for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum Renderer {
    /// Vulkan's drivers; on Macs those are MoltenVK and KosmicKrisp.
    #[default]
    Vulkan,
    /// Metal.
    #[cfg(target_os = "macos")]
    Metal,
    /// A software Metal, which needs clang and takes a minute.
    #[cfg(target_os = "linux")]
    MetalSoft,
}

impl Renderer {
    fn name(self) -> &'static str {
        match self {
            Self::Vulkan => "Vulkan",
            #[cfg(target_os = "macos")]
            Self::Metal => "Metal",
            #[cfg(target_os = "linux")]
            Self::MetalSoft => "a software Metal",
        }
    }

    /// Whether `afterimage info` tells of its devices, the layer that validates is Vulkan's, and frames are measured.
    fn is_vulkan(self) -> bool {
        self == Self::Vulkan
    }

    /// What `afterimage replay` is told.
    fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Vulkan => &[],
            #[cfg(target_os = "macos")]
            Self::Metal => &["--renderer", "metal"],
            #[cfg(target_os = "linux")]
            Self::MetalSoft => &["--renderer", "metal-soft"],
        }
    }
}

/// What came of it all.
#[derive(Debug)]
struct Run {
    renderer: Renderer,
    machine: Machine,
    /// Who made the material, and on which device.
    made_by: String,
    made_on: String,
    tested: Vec<Tested>,
    /// What became of shaders.
    compiled: Vec<Compiled>,
    /// What is wrong besides.
    trouble: Vec<String>,
}

impl Run {
    /// The device that drew.
    fn device(&self) -> Option<&str> {
        self.tested
            .iter()
            .find_map(|tested| Some(tested.counted.as_ref()?.device.as_str()))
            .filter(|name| !name.is_empty())
    }

    fn verdict(&self) -> Verdict {
        let worst = self.tested.iter().map(Tested::verdict).max().unwrap_or(Verdict::Wrong);
        let worst = self.compiled.iter().map(Compiled::verdict).fold(worst, Verdict::max);
        if self.trouble.is_empty() { worst } else { Verdict::Wrong }
    }

    /// The whole in a sentence or two.
    fn words(&self) -> String {
        let shaders = match self.compiled.iter().filter(|compiled| compiled.verdict() == Verdict::Wrong).count() {
            0 => "",
            _ => " Shaders of our corpora could not be compiled.",
        };
        self.words_of_captures() + shaders
    }

    fn words_of_captures(&self) -> String {
        let all = self.tested.len();
        let of = |verdict| self.tested.iter().filter(|tested| tested.verdict() == verdict).count();
        let trouble = match self.trouble.is_empty() {
            true => "",
            false => ", and devices cannot be told of",
        };
        match (of(Verdict::Wrong), of(Verdict::Alike)) {
            (0, 0) => format!("{} {} drawn to the last bit as stored{trouble}.", captures(all), are(all)),
            (0, alike) => {
                format!("{} {} drawn right, {alike} of them not to the last bit{trouble}.", captures(all), are(all))
            }
            (wrong, _) => format!("{wrong} of {} {} wrong{trouble}.", captures(all), are(wrong)),
        }
    }

    /// By what it was drawn.
    fn drawn_with(&self) -> String {
        let Some(name) = self.device() else { return "No device has drawn anything.".into() };
        let driver = self.machine.device(name).and_then(|device| device.ability("driver")).unwrap_or("?");
        let fact =
            |wanted: &str| self.machine.facts.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str());
        format!(
            "Drawn with {name} (driver: {driver}), on {}.",
            fact("system").or_else(|| fact("kernel")).unwrap_or("?")
        )
    }

    /// What the driver's compiler has taken.
    fn shaders(&self) -> (Verdict, String) {
        let counted = || self.tested.iter().filter_map(|tested| tested.counted.as_ref());
        let sum = |of: fn(&judge::Statistics) -> u64| counted().map(of).sum::<u64>();
        let [shaders, pipelines] = [sum(|counted| counted.shaders), sum(|counted| counted.pipelines)];
        let failed = sum(|counted| counted.shader_failures);
        let guests: BTreeSet<&str> =
            self.tested.iter().filter(|t| t.counted.is_some()).map(|t| t.guest.as_str()).collect();
        let guests = guests.into_iter().collect::<Vec<_>>().join(", ");
        match (shaders, failed) {
            (0, 0) => (Verdict::Wrong, "none was given to the driver".into()),
            (_, 0) => (
                Verdict::Right,
                format!(
                    "the driver has compiled {shaders} shaders of {guests}, and made {pipelines} pipelines of them"
                ),
            ),
            _ => (Verdict::Wrong, format!("{failed} of {} shaders could not be made", shaders + failed)),
        }
    }

    /// What the validation layer has said; no verdict where it was not asked.
    fn validation(&self) -> (Option<Verdict>, String) {
        let told = self.tested.iter().filter_map(|tested| tested.counted.as_ref()?.validation_messages);
        let told: Vec<u64> = told.collect();
        match (told.len(), told.iter().sum::<u64>()) {
            (0, _) => (None, "the validation layer is not installed, or does not work".into()),
            (count, 0) => {
                (Some(Verdict::Right), format!("the validation layer has no message about {}", captures(count)))
            }
            (count, messages) => (
                Some(Verdict::Wrong),
                format!("the validation layer has {messages} messages about {}", captures(count)),
            ),
        }
    }

    /// For the terminal.
    fn text(&self) -> String {
        let names = self.tested.iter().map(|tested| &tested.name);
        let names = names.chain(self.compiled.iter().map(|compiled| &compiled.name));
        let widest = names.map(|name| name.chars().count()).max().unwrap_or(0);
        let row =
            |verdict: Verdict, name: &str, words: &str| format!("{:<6} {name:<widest$}  {words}\n", verdict.name());
        let mut text = format!("{}\n", self.drawn_with());
        self.trouble.iter().for_each(|trouble| text += &row(Verdict::Wrong, "device", trouble));
        self.tested.iter().for_each(|tested| text += &row(tested.verdict(), &tested.name, &tested.words()));
        self.compiled.iter().for_each(|compiled| text += &row(compiled.verdict(), &compiled.name, &compiled.words()));
        for tested in &self.tested {
            let Some(times) = &tested.times else { continue };
            let us = |at: usize| times.draw_us[at].map_or_else(|| "?".into(), |us| format!("{us:.1}"));
            text += &format!(
                "{}: {} us a draw on the CPU with what its frame loads and waits for, {} on the GPU\n",
                tested.name,
                us(0),
                us(1)
            );
        }
        text + &self.words() + "\n"
    }
}

fn captures(count: usize) -> String {
    if count == 1 { "1 capture".into() } else { format!("{count} captures") }
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Tests, and writes the page; or makes what can be tested with.
pub(crate) fn run(args: &Args) -> Result<ExitCode, Failure> {
    let temporary = tempfile::Builder::new()
        .prefix("afterimage-selftest-")
        .tempdir()
        .map_err(|error| Failure::new(format!("a folder for what is drawn: {error}")))?;
    if let Some(folder) = &args.make {
        return make::make(args, folder, temporary.path());
    }
    let (folder, index) = material::open(args.material.as_deref())?;
    let program = std::env::current_exe().unwrap_or_default();
    // Beside the program, or above it: where the release lies is nobody's business.
    let release = program.parent().and_then(Path::parent).unwrap_or_else(|| Path::new(""));
    let private = Private::new(&[(&folder, "MATERIAL"), (temporary.path(), "TEMPORARY"), (release, "RELEASE")]);
    let bar = crate::pool::bar(index.captures.len() + index.shaders.len() + 1, std::io::stderr().is_terminal());
    bar.set_message("devices");
    let machine = Machine::look(&private);
    bar.inc(1);
    let session = Session {
        folder: &folder,
        temporary: temporary.path(),
        renderer: args.renderer,
        device: args.device.as_deref(),
        validate: machine.validation && args.renderer.is_vulkan(),
        private: &private,
    };
    let mut tested = Vec::new();
    for entry in &index.captures {
        bar.set_message(entry.name.clone());
        tested.push(judge::test(&session, entry));
        bar.inc(1);
    }
    let mut compiled = Vec::new();
    for corpus in &index.shaders {
        bar.set_message(corpus.name.clone());
        compiled.push(shaders::test(&session, corpus));
        bar.inc(1);
    }
    bar.finish_and_clear();
    let trouble = machine.trouble.clone().filter(|_| args.renderer.is_vulkan()).into_iter().collect();
    let (made_by, made_on) = (index.made_by, index.device);
    let run = Run { renderer: args.renderer, machine, made_by, made_on, tested, compiled, trouble };
    let page = page::page(&run, temporary.path()).map_err(Failure::new)?;
    crate::outputs::write(&args.output, &page)?;
    crate::say(&run.text());
    let name = args.output.display();
    crate::say(&format!("{name} ({} KiB) has all of it: please send it back.\n", page.len().div_ceil(1024)));
    Ok(if run.verdict() == Verdict::Wrong { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
